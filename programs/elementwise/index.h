/* Tables of indices in node memory: for each local element, its own index along an axis. */
#ifndef CM_PROGRAMS_ELEMENTWISE_INDEX_H
#define CM_PROGRAMS_ELEMENTWISE_INDEX_H

#include "../system/system_private.h"

/* The table of a layout's axis, int32, counted from 1; made at its first use and kept. Elements of
 * the padding have indices beyond the axis' length. */
enum cm_status cm_index_table(struct cm_system *system, const struct cm_layout *layout,
                              uint32_t axis, uint64_t *address, struct cm_error *err);

#endif
