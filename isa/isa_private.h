/* Declarations that the files of isa/ share: texts that describe operands, the encoding of
 * instructions in SRAM words, and checks of names. This header is not installed. */
#ifndef CM_ISA_ISA_PRIVATE_H
#define CM_ISA_ISA_PRIVATE_H

#include "image.h"
#include "imp.h"

#include <string.h>

/* Line of text in a buffer of fixed size, always terminated by NUL. As with snprintf, `length` also
 * counts characters that did not fit. */
struct cm_line {
    char *data;
    size_t size;
    size_t length;
};
void cm_line_printf(struct cm_line *line, const char *format, ...) CM_PRINTF(2, 3);

/* Name of an operand kind, and its range of values. */
struct cm_kind_info {
    const char *form;     /* text in the form of an instruction: "[REG+OFFSET]" */
    const char *expected; /* text in a sentence: "a memory operand such as [r3+1]" */
    bool small;           /* true if the operand takes a byte of the encoding, else a word */
    int64_t min;          /* range of operand.value, for kinds that are plain numbers */
    int64_t max;
};
const struct cm_kind_info *cm_kind_info(enum cm_operand_kind kind);

/* Writes the general form of an instruction, such as "load TRANSPOSER.SLOT, [REG+OFFSET]".
 * CM_FORM_MAX is the size of the buffer, including the NUL. */
#define CM_FORM_MAX 160u
void cm_op_form(enum cm_op op, char form[CM_FORM_MAX]);

/* Largest number of SRAM words that an instruction takes. encoding.c converts instructions to SRAM
 * words and back. */
#define CM_CODE_WORDS_MAX (2u + CM_OPERANDS_MAX)

#define CM_CODE_WORD_BYTES 4u

/* Converts a number from the host's byte order to the little-endian order of SRAM images, or
 * back. */
static inline uint32_t cm_lowest_first(uint32_t value)
{
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap32(value) : value;
}

static inline void cm_write_u32(char *at, uint32_t value)
{
    value = cm_lowest_first(value);
    memcpy(at, &value, sizeof value);
}

static inline uint32_t cm_read_u32(const void *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return cm_lowest_first(value);
}

/*
 * Writes the SRAM words of `length` instructions to `bytes`, each word with its lowest byte
 * first. Returns the number of words, which is the sum of cm_op_words. `bytes` must have room
 * for CM_CODE_WORDS_MAX words for each instruction, because bytes after the last word are
 * overwritten.
 */
uint64_t cm_code_encode(const struct cm_instruction *code, uint32_t length,
                        struct cm_code_layouts *layouts, char *bytes);
/* Decodes an instruction from its SRAM words. The lowest byte of words[0] is the opcode, and
 * cm_op_words(opcode) words are read. Returns false if an unused bit is set. */
bool cm_instruction_decode(const uint32_t *words, struct cm_instruction *instruction);

#define CM_IMP_MAX_BYTES (16u * 1024u * 1024u) /* most bytes of an assembly text or SRAM image */

/* These functions are true if a name has the form [A-Za-z_][A-Za-z0-9_]* and at most
 * CM_IMP_NAME_MAX characters. cm_imp_name_valid, for the name of an IMP itself, also allows '-' and
 * '.' after the first character. */
bool cm_name_valid(const char *name, size_t length);
bool cm_imp_name_valid(const char *name, size_t length);

/* Sets the name of the file that the IMP came from. NULL or "" means that there is no file. Returns
 * false when out of memory. */
bool cm_imp_set_source(struct cm_imp *imp, const char *name);

#endif
