/* Functions shared by the files that evaluate functions of arrays in the front end. Not
 * installed. */
#ifndef CM_FORTRAN_EVALUATE_H
#define CM_FORTRAN_EVALUATE_H

#include "host.h"

/* Lines of an array along a dimension. Without a dimension, all elements are one line. */
struct cm_fortran_array_lines {
    uint32_t dim; /* from 0 */
    uint64_t count, length;
    uint64_t inner;               /* distance of neighbours in a line, in elements */
    uint32_t rank;                /* rank of the array without the dimension */
    uint64_t extent[CM_RANK_MAX]; /* extents of the array without the dimension */
};

/* Finds the lines that `call` works along. `dim` is its DIM argument, or NULL. */
enum cm_status cm_fortran_array_lines_find(struct cm_fortran_run *run,
                                           const struct cm_fortran_expression *call,
                                           const struct cm_fortran_array *array,
                                           const struct cm_fortran_array *dim,
                                           struct cm_fortran_array_lines *lines);
/* Returns the index in the array of element `i` of a line. */
static inline uint64_t cm_fortran_array_line_element(const struct cm_fortran_array_lines *lines,
                                                     uint64_t line, uint64_t i)
{
    return line / lines->inner * lines->inner * lines->length + line % lines->inner +
           i * lines->inner;
}

/* Computes an operation, a conversion or an intrinsic function that is not an inquiry, from
 * arguments that are evaluated. An absent argument is NULL. */
enum cm_status cm_fortran_host_apply(struct cm_fortran_run *run,
                                     const struct cm_fortran_expression *expression,
                                     struct cm_fortran_array **args, uint32_t count,
                                     struct cm_fortran_array **value);

/* Returns the absolute value of a real or an integer. */
double cm_fortran_magnitude(enum cm_type type, const union cm_fortran_value *value);

/* Computes SUM, PRODUCT, MAXVAL, MINVAL, ANY, ALL or COUNT. `dim` and `mask` may be NULL. */
enum cm_status
cm_fortran_host_reduce(struct cm_fortran_run *run, const struct cm_fortran_expression *call,
                       const struct cm_fortran_array *array, const struct cm_fortran_array *dim,
                       const struct cm_fortran_array *mask, struct cm_fortran_array **value);
/* Computes an inquiry, which does not read the elements of its argument. */
enum cm_status cm_fortran_inquire(struct cm_fortran_run *run,
                                  const struct cm_fortran_expression *call,
                                  struct cm_fortran_array **value);

#endif
