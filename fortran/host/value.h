/* This header declares the arrays and variables of a running program, and the frames of its calls.
 * It is not installed. */
#ifndef CM_FORTRAN_VALUE_H
#define CM_FORTRAN_VALUE_H

#include "../check/program.h"

/* An array of the program. Its elements are in the front end (`host`) or on the machine
 * (`machine`), never in both. An array of the machine with 0 elements has a zeroed `host` and no
 * `machine`. */
struct cm_fortran_array {
    enum cm_type type;
    uint32_t rank;
    int64_t lower[CM_RANK_MAX];   /* lower bounds */
    uint64_t extent[CM_RANK_MAX]; /* extents, which may be 0 */
    uint64_t elements;            /* product of the extents */
    void *host;    /* elements in Fortran order, in the host's representation (system.h) */
    bool borrowed; /* true if another array owns `host` and `machine` */
    /* array on the machine, or NULL for an array in the front end or without elements */
    struct cm_array *machine;
};

/* Storage that a variable or an argument has during a call. */
struct cm_fortran_binding {
    /* Value of a variable of rank 0, or the characters of a CHARACTER variable of any rank. NULL
     * for an argument that was left out. */
    union cm_fortran_value *scalar;
    /* array, or NULL if it is not allocated, or for an argument that was left out */
    struct cm_fortran_array *array;
    const struct cm_fortran_unit *unit; /* procedure that was passed for an argument, or NULL */
};

/* A DO loop that is being executed. */
struct cm_fortran_loop {
    enum cm_type type;
    union cm_fortran_value *variable, step;
    int64_t left; /* number of iterations left, with the current iteration */
};

/* The frame of a call of a program unit that has not returned. */
struct cm_fortran_frame {
    const struct cm_fortran_unit *unit;
    struct cm_fortran_binding *locals, *arguments;
    /* values of scalar local variables, followed by values of copied arguments */
    union cm_fortran_value *values;
    struct cm_fortran_loop *loops;
    uint32_t *lines; /* index in run->lines of each statement of the unit */
    struct cm_fortran_frame *caller;
    /* Number of WHERE blocks that were open at the call. Their masks do not apply in the called
     * unit. */
    uint32_t mask_base;
};

#endif
