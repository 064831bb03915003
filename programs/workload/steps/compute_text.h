/* Parser of expressions in Fortran's notation. It makes a typed expression tree for the step
 * compute. */
#ifndef CM_PROGRAMS_WORKLOAD_STEPS_COMPUTE_TEXT_H
#define CM_PROGRAMS_WORKLOAD_STEPS_COMPUTE_TEXT_H

#include "../reference_elementwise.h"
#include "../workload_private.h"

#define CM_COMPUTE_ARRAYS_MAX  32u
#define CM_COMPUTE_SCALARS_MAX 32u

/* Scalar of the workload, converted to one type. */
struct cm_compute_scalar {
    struct cm_workload_value value;
    enum cm_type type;
};

/* Leaves of a step's expressions: arrays and scalars. Trees refer to a leaf by its number here,
 * which is also its number among the arguments of a call. */
struct cm_compute_names {
    struct cm_array_reference arrays[CM_COMPUTE_ARRAYS_MAX];
    enum cm_type types[CM_COMPUTE_ARRAYS_MAX];
    uint32_t array_count;
    struct cm_compute_scalar scalars[CM_COMPUTE_SCALARS_MAX];
    uint32_t scalar_count;
    uint32_t rank;
};

/*
 * Parses the expression in a JSON string and converts its value to `type`, as an assignment does.
 * Errors have the place of the string and the column in the text. Returns NULL once the reader has
 * failed.
 */
struct cm_reference_tree *cm_compute_read(struct cm_workload *workload, struct cm_reader *reader,
                                          struct cm_json json, enum cm_type type,
                                          struct cm_compute_names *names);

#endif
