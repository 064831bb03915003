/*
 * Copying many rows with stores that bypass the host's caches: a move larger than the caches would
 * otherwise read each destination line before it overwrites it. Used where the host's processor has
 * the instructions.
 */
#ifndef CM_SIM_NONTEMPORAL_H
#define CM_SIM_NONTEMPORAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True when a run that moves so many bytes gains by it: more than the host's caches keep. */
bool cm_nontemporal_pays(double moved_bytes);
/* True when the host can copy rows of this length so. */
bool cm_nontemporal_can(size_t row_bytes);

/* Copies rows in order, first to last; strides in words between rows. Rows do not overlap in
 * part. */
void cm_nontemporal_rows(uint32_t *dst, const uint32_t *src, uint64_t count, size_t row_bytes,
                         int64_t dst_stride_words, int64_t src_stride_words);

#endif
