/* The direct evaluation of sorts, on the host's arrays. */
#ifndef CM_PROGRAMS_WORKLOAD_REFERENCE_SORT_H
#define CM_PROGRAMS_WORKLOAD_REFERENCE_SORT_H

#include "reference.h"

/*
 * A stable sort of each column of real or integer keys along `axis`: element e of the result is
 * element (*order)[e] of src. NaNs come last. Free *order with free(). CM_NO_MEMORY is the only
 * failure.
 */
enum cm_status cm_reference_sort(const struct cm_reference_array *src, uint32_t axis,
                                 bool descending, uint64_t **order, struct cm_error *err);
/* dst(e) = elements(order(e)), elements of dst's type. */
void cm_reference_permute(struct cm_reference_array *dst, const void *elements,
                          const uint64_t *order);
/* NaNs of sorted keys have no sign. */
void cm_reference_clear_nans(struct cm_reference_array *keys);

#endif
