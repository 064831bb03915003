/*
 * Arrays while a program runs: bounds, and elements in the front end's memory or in the nodes'.
 * Not installed.
 */
#ifndef CM_FORTRAN_VALUE_H
#define CM_FORTRAN_VALUE_H

#include "../check/program.h"

struct cm_fortran_array {
    enum cm_type type;
    uint32_t rank;
    int64_t lower[CM_RANK_MAX];
    uint64_t extent[CM_RANK_MAX]; /* 0 is allowed */
    uint64_t elements;
    /* In the front end: the elements in Fortran order, as the host has them (system.h). */
    void *host;
    bool borrowed; /* host and machine belong to another array */
    /* On the machine: NULL unless its home is the CM and it has elements. */
    struct cm_array *machine;
};

/* What a scalar variable or an array of a unit is bound to during a call. */
struct cm_fortran_binding {
    /* Of a variable of rank 0; NULL: an argument that was left out. */
    union cm_fortran_value *scalar;
    struct cm_fortran_array *array;     /* of others; NULL: not allocated, or left out */
    const struct cm_fortran_unit *unit; /* of an argument that is a procedure */
};

/* A DO loop under way. */
struct cm_fortran_loop {
    enum cm_type type;
    union cm_fortran_value *variable, step;
    int64_t left; /* iterations, this one included */
};

/* A call of a unit. */
struct cm_fortran_frame {
    const struct cm_fortran_unit *unit;
    struct cm_fortran_binding *locals, *arguments;
    union cm_fortran_value *values; /* of scalars: locals, then copied arguments */
    struct cm_fortran_loop *loops;
    uint32_t *lines; /* of the unit's statements: number in the run's lines */
    struct cm_fortran_frame *caller;
    uint32_t mask_base; /* WHERE blocks that are open in callers: their masks are not this unit's */
};

#endif
