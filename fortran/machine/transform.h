/* This header declares the state of a function that changes the shape of its arguments, while the
 * machine computes it. It is not installed. */
#ifndef CM_FORTRAN_MACHINE_TRANSFORM_H
#define CM_FORTRAN_MACHINE_TRANSFORM_H

#include "machine.h"

#define CM_FORTRAN_TRANSFORM_ARGUMENTS 4u

struct cm_fortran_transform {
    struct cm_fortran_run *run;
    const struct cm_fortran_expression *call;
    /* section whose placement the result should have, or NULL */
    const struct cm_fortran_section *model;
    /* Values of the arguments, or NULL for absent arguments. A scalar is an array of rank 0 in the
     * front end. */
    struct cm_fortran_array *args[CM_FORTRAN_TRANSFORM_ARGUMENTS];
    bool owned[CM_FORTRAN_TRANSFORM_ARGUMENTS];
    /* Section that SPREAD copies, valid if has_source is true. Then args[0] is the whole array of
     * the section. */
    struct cm_fortran_section source;
    bool has_source;
    struct cm_fortran_array *value; /* the result, on the machine or in the front end */
};

/* Makes the result's array on the machine. It has the model's placement if the model has its
 * shape. */
enum cm_status cm_fortran_transform_result(struct cm_fortran_transform *transform, uint32_t rank,
                                           const uint64_t *extent);
/* These functions compute reductions with DIM, SPREAD, MAXLOC and MINLOC, and MATMUL of a matrix
 * and a vector (axis.c). They return CM_BAD_INPUT if the front end must compute the function. */
enum cm_status cm_fortran_transform_reduce(struct cm_fortran_transform *transform);
enum cm_status cm_fortran_transform_spread(struct cm_fortran_transform *transform);
enum cm_status cm_fortran_transform_locate(struct cm_fortran_transform *transform);
enum cm_status cm_fortran_transform_vector(struct cm_fortran_transform *transform);
/* These functions compute RESHAPE, PACK and UNPACK (pack.c). The arguments SHAPE and ORDER of
 * RESHAPE are in the front end. */
enum cm_status cm_fortran_transform_reshape(struct cm_fortran_transform *transform);
enum cm_status cm_fortran_transform_pack(struct cm_fortran_transform *transform);
enum cm_status cm_fortran_transform_unpack(struct cm_fortran_transform *transform);

#endif
