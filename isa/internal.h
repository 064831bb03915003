/*
 * What the files of this room share and nobody else sees: the words for operand kinds, the encoding
 * of one instruction, and the verifier in steps (so that the assembler can report a fault where it
 * stands, as it reads).
 */
#ifndef CM_ISA_INTERNAL_H
#define CM_ISA_INTERNAL_H

#include "imp.h"

#define CM_IMP_MAX_BYTES (16u * 1024u * 1024u) /* of a text or an image */

/* A line of text in a buffer of fixed size, with snprintf's rules: always terminated, length counts
 * all. */
struct cm_line {
    char *data;
    size_t size;
    size_t length;
};
void cm_line_printf(struct cm_line *line, const char *format, ...) CM_PRINTF(2, 3);

/* How an operand kind is called, and the values it takes. */
struct cm_kind_info {
    const char *form;     /* in an instruction's form: "[REG+OFFSET]" */
    const char *expected; /* in a sentence: "a memory operand such as [r3+1]" */
    bool small;           /* one byte of the encoding; else one word */
    int64_t min;          /* of operand.value, for kinds that are plain numbers */
    int64_t max;
};
const struct cm_kind_info *cm_kind_info(enum cm_operand_kind kind);

/* The form of an instruction, "load TRANSPOSER.SLOT, [REG+OFFSET]"; at most CM_FORM_MAX bytes with
 * the NUL. */
#define CM_FORM_MAX 160u
void cm_op_form(enum cm_op op, char form[CM_FORM_MAX]);

/* [A-Za-z_][A-Za-z0-9_]*, at most CM_IMP_NAME_MAX; an IMP's own name may have '-' and '.' too. */
bool cm_name_valid(const char *name, size_t length);
bool cm_imp_name_valid(const char *name, size_t length);

/* Sets where the IMP came from (NULL or "" for nowhere). */
enum cm_status cm_imp_set_source(struct cm_imp *imp, const char *name);

/* One instruction to and from its code words. CM_CODE_WORDS_MAX bounds cm_op_words. */
#define CM_CODE_WORDS_MAX (2u + CM_OPERANDS_MAX)
void cm_instruction_encode(const struct cm_instruction *instruction,
                           uint32_t words[CM_CODE_WORDS_MAX]);
/* `words` holds cm_op_words(op) words, op being words[0] & 255. False when an unused bit is set. */
bool cm_instruction_decode(const uint32_t *words, struct cm_instruction *instruction);

/* A fault of an IMP: the instruction, the operand (-1: the instruction as such), what is wrong, the
 * way out. */
struct cm_imp_fault {
    uint32_t instruction;
    int operand;
    char message[384];
    char hint[256];
};

struct cm_verifier {
    const struct cm_imp *imp;
    struct cm_imp_limits limits;
    uint32_t *loops; /* the loop instructions of the open loops, outermost first */
    uint32_t depth;
    uint32_t capacity;
    bool halted;
};
void cm_verifier_init(struct cm_verifier *verifier, const struct cm_imp *imp,
                      const struct cm_imp_limits *limits);
void cm_verifier_finish(struct cm_verifier *verifier);
/* Verifies instruction `index`, those before it having passed. CM_BAD_INPUT (fault filled) or
 * CM_NO_MEMORY. */
enum cm_status cm_verifier_step(struct cm_verifier *verifier, uint32_t index,
                                struct cm_imp_fault *fault);
/* Verifies what can only be said at the end: loops closed, a halt. */
enum cm_status cm_verifier_end(struct cm_verifier *verifier, struct cm_imp_fault *fault);

#endif
