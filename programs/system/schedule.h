/*
 * Which words cross in which exchange, for the shifts of one axis (axes have channels of their own
 * and do not wait for each other). A flow is the elements of one part of a shift, which take the
 * same hops; a unit is what one exchange carries of it: up to one word for each channel of a
 * dimension. Each exchange takes, of each flow, one unit that starts and one that is under way, as
 * long as no two words share a channel; so every exchange carries as much as it can.
 */
#ifndef CM_PROGRAMS_SYSTEM_SCHEDULE_H
#define CM_PROGRAMS_SYSTEM_SCHEDULE_H

#include "axis_hops.h"

#define CM_FLOWS_MAX 4u /* two shifts an axis, two parts each */

struct cm_flow {
    struct cm_hops hops; /* one or two */
    uint64_t elements;
};

struct cm_transfer {
    uint64_t unit; /* element times units per element, plus the unit within it */
    uint8_t flow;
    uint8_t hop;
    uint8_t half; /* first channel used: 1 when a one-word unit shares a dimension with another */
};

struct cm_schedule {
    struct cm_transfer *transfers;
    uint64_t transfer_count;
    uint64_t *starts; /* exchange t: transfers [starts[t], starts[t + 1]) */
    uint64_t exchanges;
};

/* Words of unit `unit` when an element has `slices` words and a dimension `channels` channels. */
static inline uint32_t cm_unit_words(uint32_t slices, uint32_t channels, uint64_t unit)
{
    uint32_t units = (slices + channels - 1) / channels;
    uint32_t first = (uint32_t)(unit % units) * channels;
    return slices - first < channels ? slices - first : channels;
}

enum cm_status cm_schedule_create(const struct cm_axis *axis, const struct cm_flow *flows,
                                  uint32_t count, uint32_t slices, uint32_t channels,
                                  struct cm_schedule *schedule, struct cm_error *err);
void cm_schedule_finish(struct cm_schedule *schedule);

#endif
