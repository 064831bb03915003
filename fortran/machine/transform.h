/* A function that changes the shape of its arguments, on its way to the machine. Not installed. */
#ifndef CM_FORTRAN_MACHINE_TRANSFORM_H
#define CM_FORTRAN_MACHINE_TRANSFORM_H

#include "machine.h"

#define CM_FORTRAN_TRANSFORM_ARGUMENTS 4u

struct cm_fortran_transform {
    struct cm_fortran_run *run;
    const struct cm_fortran_expression *call;
    const struct cm_fortran_section *model; /* where the result is wanted, or NULL */
    /* NULL where absent; scalars in the front end, as arrays of rank 0 */
    struct cm_fortran_array *args[CM_FORTRAN_TRANSFORM_ARGUMENTS];
    bool owned[CM_FORTRAN_TRANSFORM_ARGUMENTS];
    /* Of SPREAD: the section that is copied, if args[0] is the array of that. */
    struct cm_fortran_section source;
    bool has_source;
    struct cm_fortran_array *value; /* of the library, or of the front end */
};

/* Makes the value: an array on the machine, where it is wanted if its shape is the model's. */
enum cm_status cm_fortran_transform_result(struct cm_fortran_transform *transform, uint32_t rank,
                                           const uint64_t *extent);
/* axis.c: with DIM; MAXLOC and MINLOC; MATMUL of a matrix and a vector. CM_BAD_INPUT for
 * what the front end must do. */
enum cm_status cm_fortran_transform_reduce(struct cm_fortran_transform *transform);
enum cm_status cm_fortran_transform_spread(struct cm_fortran_transform *transform);
enum cm_status cm_fortran_transform_locate(struct cm_fortran_transform *transform);
enum cm_status cm_fortran_transform_vector(struct cm_fortran_transform *transform);
/* pack.c; SHAPE and ORDER of RESHAPE are in the front end. */
enum cm_status cm_fortran_transform_reshape(struct cm_fortran_transform *transform);
enum cm_status cm_fortran_transform_pack(struct cm_fortran_transform *transform);
enum cm_status cm_fortran_transform_unpack(struct cm_fortran_transform *transform);

#endif
