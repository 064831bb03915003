/* Arrays and variables of a running program, and the frames of its calls. Not installed. */
#ifndef CM_FORTRAN_VALUE_H
#define CM_FORTRAN_VALUE_H

#include "../check/program.h"

/* An array. Its home is the front end (`host`) or the machine (`machine`), never both. An array of
 * the machine without elements has zeros in `host` instead. */
struct cm_fortran_array {
    enum cm_type type;
    uint32_t rank;
    int64_t lower[CM_RANK_MAX];   /* lower bounds */
    uint64_t extent[CM_RANK_MAX]; /* 0 is allowed */
    uint64_t elements;            /* product of the extents */
    void *host;    /* elements in Fortran order, in the host's representation (system.h) */
    bool borrowed; /* true if another array owns `host` and `machine` */
    struct cm_array *machine; /* NULL for an array in the front end, or without elements */
};

/* Storage of a variable or an argument during a call. */
struct cm_fortran_binding {
    /* Value of a variable of rank 0, characters of a CHARACTER variable of any rank. NULL: an
     * argument that was left out. */
    union cm_fortran_value *scalar;
    struct cm_fortran_array *array;     /* NULL: not allocated, or an argument that was left out */
    const struct cm_fortran_unit *unit; /* procedure that an argument stands for */
};

/* A DO loop that is being executed. */
struct cm_fortran_loop {
    enum cm_type type;
    union cm_fortran_value *variable, step;
    int64_t left; /* iterations left, the present one included */
};

/* An open call of a unit. */
struct cm_fortran_frame {
    const struct cm_fortran_unit *unit;
    struct cm_fortran_binding *locals, *arguments;
    union cm_fortran_value *values; /* values of scalar locals, then of copied arguments */
    struct cm_fortran_loop *loops;
    uint32_t *lines; /* for each statement of the unit: index of its line in run->lines */
    struct cm_fortran_frame *caller;
    /* Number of WHERE blocks that were open at the call. Their masks do not apply in this unit. */
    uint32_t mask_base;
};

#endif
