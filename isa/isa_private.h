/* Declarations that the files of isa/ share: the words for operands, an instruction's code, valid
 * names. Not installed. */
#ifndef CM_ISA_ISA_PRIVATE_H
#define CM_ISA_ISA_PRIVATE_H

#include "image.h"
#include "imp.h"

#include <string.h>

/* A line of text in a buffer of fixed size. As with snprintf it is always terminated, and `length`
 * counts all of it. */
struct cm_line {
    char *data;
    size_t size;
    size_t length;
};
void cm_line_printf(struct cm_line *line, const char *format, ...) CM_PRINTF(2, 3);

/* Name of an operand kind, and its range of values. */
struct cm_kind_info {
    const char *form;     /* in an instruction's form: "[REG+OFFSET]" */
    const char *expected; /* in a sentence: "a memory operand such as [r3+1]" */
    bool small;           /* True if the operand takes a byte of the encoding, else a word */
    int64_t min;          /* range of operand.value, for kinds that are plain numbers */
    int64_t max;
};
const struct cm_kind_info *cm_kind_info(enum cm_operand_kind kind);

/* Writes the form of an instruction, "load TRANSPOSER.SLOT, [REG+OFFSET]". CM_FORM_MAX counts the
 * NUL. */
#define CM_FORM_MAX 160u
void cm_op_form(enum cm_op op, char form[CM_FORM_MAX]);

/* Conversion of instructions to and from their words in the sequencer's SRAM (encoding.c). */
#define CM_CODE_WORDS_MAX (2u + CM_OPERANDS_MAX) /* bounds cm_op_words */

#define CM_CODE_WORD_BYTES 4u

/* Returns a number whose bytes in memory are little-endian, as in SRAM images. */
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

/* Writes the words of `length` instructions, each with its lowest byte first. Returns the number of
 * words, which is the sum of cm_op_words. There must be room for CM_CODE_WORDS_MAX words an
 * instruction, and bytes after the last word are overwritten. */
uint64_t cm_code_encode(const struct cm_instruction *code, uint32_t length,
                        struct cm_code_layouts *layouts, char *bytes);
/* Decodes cm_op_words(op) words, where op is words[0] & 255. Returns false if an unused bit is set.
 */
bool cm_instruction_decode(const uint32_t *words, struct cm_instruction *instruction);

#define CM_IMP_MAX_BYTES (16u * 1024u * 1024u) /* largest text or image */

/* Returns whether a name is [A-Za-z_][A-Za-z0-9_]* of at most CM_IMP_NAME_MAX characters. The name
 * of an IMP itself may also have '-' and '.'. */
bool cm_name_valid(const char *name, size_t length);
bool cm_imp_name_valid(const char *name, size_t length);

/* Sets the file that the IMP came from (NULL or "": no file). Returns false when out of memory. */
bool cm_imp_set_source(struct cm_imp *imp, const char *name);

#endif
