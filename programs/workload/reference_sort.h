/* Direct evaluation of sorts on arrays of the host. */
#ifndef CM_PROGRAMS_WORKLOAD_REFERENCE_SORT_H
#define CM_PROGRAMS_WORKLOAD_REFERENCE_SORT_H

#include "reference.h"

/*
 * Sorts each column of real or integer keys along `axis`, stably, with NaNs last. Sets *order so
 * that element e of the result is element (*order)[e] of src. The caller frees *order with free().
 * Fails with CM_NO_MEMORY only.
 */
enum cm_status cm_reference_sort(const struct cm_reference_array *src, uint32_t axis,
                                 bool descending, uint64_t **order, struct cm_error *err);
/* Permutes elements: sets element e of dst to element order[e] of `elements`, which have dst's
 * type. */
void cm_reference_permute(struct cm_reference_array *dst, const void *elements,
                          const uint64_t *order);
/* Clears the sign of every NaN, as the machine does in sorted keys. */
void cm_reference_clear_nans(struct cm_reference_array *keys);

#endif
