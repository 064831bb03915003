/*
 * This header declares the entry point of the room fortran/write, which writes a syntax tree as
 * text. The text is either standard Fortran 90 in free form, or the tree itself, with brackets
 * around every operation, for people and tests.
 *
 * Files: write.c has lines and program units, declare.c declarations, statement.c executable
 * statements, and expression.c expressions. library.c replaces the machine's libraries by standard
 * Fortran. write_private.h declares the functions that these files share.
 *
 * Invariants: the writer keeps statements, their order and their labels, and writes each statement
 * from the tree alone. It never evaluates or checks an expression. A program that is written as a
 * tree without brackets is parsed into the same tree again.
 */
#ifndef CM_FORTRAN_WRITE_H
#define CM_FORTRAN_WRITE_H

#include "../../base/buffer.h"
#include "../source/parse.h"
#include "../source/syntax.h"

CM_BEGIN_DECLS

/* Options that decide the form of the text. */
struct cm_write_options {
    enum cm_shift_order order; /* order of the arguments of CSHIFT and EOSHIFT without keywords */
    /* true to write the tree itself, with brackets around every operation, and without replacing CM
     * Fortran by standard Fortran */
    bool is_tree;
    /* true to write the tree without brackets, which is the original program in free form */
    bool is_plain;
};

/*
 * Appends the text of the program to `text`. In standard Fortran, directives are left out, ARRAY
 * becomes DIMENSION, and ranges in constructors become implied DO loops. Shifts get keywords, and
 * PSHIFT becomes a sequence of shifts. A module in front of the program has the routines of the
 * machine's libraries that the program uses. Returns CM_BAD_INPUT, with messages, if the program
 * has statements that standard Fortran cannot express.
 */
CM_API enum cm_status cm_syntax_write(const struct cm_syntax *tree, const struct cm_source *source,
                                      const struct cm_write_options *options,
                                      struct cm_buffer *text, struct cm_messages *messages);

CM_END_DECLS

#endif
