/*
 * A program as standard Fortran that has the machine's order of evaluation. gfortran then prints
 * the same bits as cm200, so that tests can compare sums, products of matrices and functions such
 * as EXP exactly. The order depends on the number of nodes.
 */
#ifndef CM_TESTS_FORTRAN_ORDER_H
#define CM_TESTS_FORTRAN_ORDER_H

#include "fortran/check/program.h"
#include "fortran/write/write.h"

/* A checked program, and the machine that it is written for. */
struct order_program {
    const struct cm_syntax *tree;
    const struct cm_source *source;
    const struct cm_fortran_program *checked;
    /* The checked expression of each syntax expression (struct cm_fortran_options). */
    const struct cm_fortran_expression *const *expressions;
    enum cm_shift_order shifts;
    uint32_t nodes, channels; /* number of nodes, and of channels in each cube dimension */
    uint64_t memory_words;    /* in each node */
};

/* Appends the modules that the program needs, and the program. Returns CM_BAD_INPUT with messages
 * if the program does not show which computer evaluates an expression. Returns CM_NO_MEMORY
 * otherwise on failure. */
enum cm_status order_write(const struct order_program *program, struct cm_buffer *text,
                           struct cm_messages *messages);

#endif
