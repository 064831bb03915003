/* This header declares functions that the front end's files for functions of arrays share. It is
 * not installed. */
#ifndef CM_FORTRAN_EVALUATE_H
#define CM_FORTRAN_EVALUATE_H

#include "host.h"

/* The elements of an array, divided into lines along one dimension. Without a dimension, all
 * elements are one line. */
struct cm_fortran_array_lines {
    uint32_t dim; /* number of the dimension, from 0 */
    uint64_t count, length;
    /* distance of neighbouring elements of a line, in elements of the array */
    uint64_t inner;
    uint32_t rank;                /* rank of the array without the dimension */
    uint64_t extent[CM_RANK_MAX]; /* extents of the array without the dimension */
};

/* Divides `array` into the lines along which the function `call` works. `dim` is the value of the
 * DIM argument, or NULL. */
enum cm_status cm_fortran_array_lines_find(struct cm_fortran_run *run,
                                           const struct cm_fortran_expression *call,
                                           const struct cm_fortran_array *array,
                                           const struct cm_fortran_array *dim,
                                           struct cm_fortran_array_lines *lines);
/* Returns the index in the whole array of element `i` of a line. */
static inline uint64_t cm_fortran_array_line_element(const struct cm_fortran_array_lines *lines,
                                                     uint64_t line, uint64_t i)
{
    return line / lines->inner * lines->inner * lines->length + line % lines->inner +
           i * lines->inner;
}

/* Computes an operation, a conversion or an intrinsic function other than an inquiry, from the
 * values of its arguments. The value of an absent argument is NULL. */
enum cm_status cm_fortran_host_apply(struct cm_fortran_run *run,
                                     const struct cm_fortran_expression *expression,
                                     struct cm_fortran_array **args, uint32_t count,
                                     struct cm_fortran_array **value);

/* Returns the absolute value of a real or an integer. */
double cm_fortran_magnitude(enum cm_type type, const union cm_fortran_value *value);

/* Computes SUM, PRODUCT, MAXVAL, MINVAL, ANY, ALL or COUNT of an array. `dim` and `mask` are the
 * values of these arguments, or NULL. */
enum cm_status
cm_fortran_host_reduce(struct cm_fortran_run *run, const struct cm_fortran_expression *call,
                       const struct cm_fortran_array *array, const struct cm_fortran_array *dim,
                       const struct cm_fortran_array *mask, struct cm_fortran_array **value);
/* Computes an inquiry function, such as SIZE. It does not read the elements of its argument. */
enum cm_status cm_fortran_inquire(struct cm_fortran_run *run,
                                  const struct cm_fortran_expression *call,
                                  struct cm_fortran_array **value);

#endif
