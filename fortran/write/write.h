/* A syntax tree as text: as standard Fortran 90 in free form, or for people and tests to see how it
 * was read. */
#ifndef CM_FORTRAN_WRITE_H
#define CM_FORTRAN_WRITE_H

#include "../../base/buffer.h"
#include "../source/syntax.h"

CM_BEGIN_DECLS

/* What CSHIFT(A, 1, -1) without keywords means. */
enum cm_shift_order {
    CM_SHIFT_ORDER_CM,  /* (array, dim, shift), as in the PSHIFT paper; EOSHIFT: then boundary */
    CM_SHIFT_ORDER_F90, /* (array, shift, dim); EOSHIFT (array, shift, boundary, dim) */
};

/* What the text is for. */
struct cm_write_options {
    enum cm_shift_order order; /* what shifts without keywords mean */
    bool is_tree;              /* with brackets around every operation, and nothing replaced */
    bool is_plain;             /* a tree without these brackets: the program again, in free form */
};

/*
 * Appends the program. Standard Fortran: directives are left out, ARRAY is DIMENSION, ranges in
 * constructors are implied loops, shifts have keywords, PSHIFT is a sequence of shifts, and a
 * module in front has what else programs use of the machine's libraries. CM_BAD_INPUT with messages
 * for what has no counterpart.
 */
CM_API enum cm_status cm_syntax_write(const struct cm_syntax *tree, const struct cm_source *source,
                                      const struct cm_write_options *options,
                                      struct cm_buffer *text, struct cm_messages *messages);

CM_END_DECLS

#endif
