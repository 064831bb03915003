/* Stable sorting of columns on the host, by insertion, with a comparison of numbers. */
#ifndef CM_TESTS_PROPERTY_SORT_ORACLE_H
#define CM_TESTS_PROPERTY_SORT_ORACLE_H

#include "../../programs/sort/sort.h"

/*
 * order[i]: index along the axis, from 0, of the key that place i of a column gets. `keys` has
 * `length` elements of the type, `step` apart from element `first` on.
 */
void oracle_order(enum cm_type type, const void *keys, uint64_t first, uint64_t step,
                  uint64_t length, bool descending, uint64_t *order);
/* A key as the result holds it: a NaN without its sign. */
void oracle_key(enum cm_type type, const void *keys, uint64_t element, void *key);

#endif
