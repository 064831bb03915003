/*
 * Tables of indices in node memory. A table has, for each local element, the element's own index
 * along an axis.
 */
#ifndef CM_PROGRAMS_ELEMENTWISE_INDEX_H
#define CM_PROGRAMS_ELEMENTWISE_INDEX_H

#include "../system/system_private.h"

/* Which indices a table has. */
struct cm_index_range {
    uint32_t axis;
    /* number of local places along the axis that the table has an index for, from place `first` on.
     * 0: the table has an index for each local element */
    uint64_t places;
    uint64_t first;
};

/*
 * Finds the table of indices along an axis of a layout. Makes the table at the first use, and keeps
 * it in the cache. An index is an int32, and counts from 1. Elements in the padding have indices
 * beyond the length of the axis.
 */
enum cm_status cm_index_table(struct cm_system *system, const struct cm_layout *layout,
                              const struct cm_index_range *range, uint64_t *address,
                              struct cm_error *err);

#endif
