/* What the files that evaluate functions of arrays in the front end share. Not installed. */
#ifndef CM_FORTRAN_HOST_PRIVATE_H
#define CM_FORTRAN_HOST_PRIVATE_H

#include "../run/run_private.h"

/* The lines of an array along a dimension; without one, one line of all elements. */
struct cm_fortran_lines {
    uint32_t dim; /* from 0 */
    uint64_t count, length;
    uint64_t inner;               /* elements between neighbours of a line */
    uint32_t rank;                /* of the array without the dimension */
    uint64_t extent[CM_RANK_MAX]; /* likewise */
};

enum cm_status cm_fortran_lines_find(struct cm_fortran_run *run,
                                     const struct cm_fortran_expression *call,
                                     const struct cm_fortran_array *array,
                                     const struct cm_fortran_array *dim,
                                     struct cm_fortran_lines *lines);
/* Number of element `i` of a line in the array. */
static inline uint64_t cm_fortran_line_element(const struct cm_fortran_lines *lines, uint64_t line,
                                               uint64_t i)
{
    return line / lines->inner * lines->inner * lines->length + line % lines->inner +
           i * lines->inner;
}

/* An operation, a conversion or an intrinsic function (not an inquiry) of arguments that are there
 * already; NULL where absent. */
enum cm_status cm_fortran_host_apply(struct cm_fortran_run *run,
                                     const struct cm_fortran_expression *expression,
                                     struct cm_fortran_array **args, uint32_t count,
                                     struct cm_fortran_array **value);

/* Absolute value of a real or an integer. */
double cm_fortran_magnitude(enum cm_type type, const union cm_fortran_value *value);

/* SUM and the like; dim and mask may be NULL. */
enum cm_status
cm_fortran_host_reduce(struct cm_fortran_run *run, const struct cm_fortran_expression *call,
                       const struct cm_fortran_array *array, const struct cm_fortran_array *dim,
                       const struct cm_fortran_array *mask, struct cm_fortran_array **value);
/* Inquiries, which do not read their argument's elements. */
enum cm_status cm_fortran_inquire(struct cm_fortran_run *run,
                                  const struct cm_fortran_expression *call,
                                  struct cm_fortran_array **value);

#endif
