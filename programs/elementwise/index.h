/*
 * Tables of indices in node memory. A table has, for each local element, the element's own index
 * along an axis.
 */
#ifndef CM_PROGRAMS_ELEMENTWISE_INDEX_H
#define CM_PROGRAMS_ELEMENTWISE_INDEX_H

#include "../system/system_private.h"

/*
 * Finds the table of indices along an axis of a layout. Makes the table at the first use, and keeps
 * it in the cache. The table has an int32 for each local element, and counts from 1. Elements in
 * the padding have indices beyond the length of the axis. If `is_line` is true, the table has an
 * int32 for each local place along the axis alone.
 */
enum cm_status cm_index_table(struct cm_system *system, const struct cm_layout *layout,
                              uint32_t axis, bool is_line, uint64_t *address, struct cm_error *err);

#endif
