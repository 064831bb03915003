/* How instructions are written: the words for operands, in forms and in messages. */
#ifndef CM_ISA_ISA_PRIVATE_H
#define CM_ISA_ISA_PRIVATE_H

#include "isa.h"

#include <stdbool.h>
#include <stddef.h>

/* A line of text in a buffer of fixed size, by snprintf's rules: always terminated, and `length`
 * counts all of it. */
struct cm_line {
    char *data;
    size_t size;
    size_t length;
};
void cm_line_printf(struct cm_line *line, const char *format, ...) CM_PRINTF(2, 3);

/* The name of an operand kind, and the values it takes. */
struct cm_kind_info {
    const char *form;     /* in an instruction's form: "[REG+OFFSET]" */
    const char *expected; /* in a sentence: "a memory operand such as [r3+1]" */
    bool small;           /* takes a byte of the encoding; else a word */
    int64_t min;          /* of operand.value, for kinds that are plain numbers */
    int64_t max;
};
const struct cm_kind_info *cm_kind_info(enum cm_operand_kind kind);

/* The form of an instruction, "load TRANSPOSER.SLOT, [REG+OFFSET]". CM_FORM_MAX counts the NUL. */
#define CM_FORM_MAX 160u
void cm_op_form(enum cm_op op, char form[CM_FORM_MAX]);

#endif
