/*
 * Plans which words cross in which exchange, for the shifts along one axis. Each axis has channels
 * of its own, so axes are planned separately.
 *
 * A flow is the elements of one part of a shift, which all take the same hops. A unit is the words
 * of a flow that one exchange carries: at most one word for each channel of a dimension. In each
 * exchange a flow starts at most one unit, and at most one other unit of the flow makes its second
 * hop. No two words use the same channel. Each exchange takes as many units as fit under these
 * rules.
 */
#ifndef CM_PROGRAMS_SYSTEM_SCHEDULE_H
#define CM_PROGRAMS_SYSTEM_SCHEDULE_H

#include "axis_hops.h"

#define CM_FLOWS_MAX 4u /* most flows of an axis: two shifts with two parts each */

struct cm_flow {
    struct cm_hops hops; /* the one or two hops of each element */
    uint64_t elements;
};

struct cm_transfer {
    /* number of the unit in its flow: the number of the element times the number of units per
     * element, plus the number of the unit within the element */
    uint64_t unit;
    uint8_t flow;
    uint8_t hop;
    /* first channel that the unit uses: 0, or 1 for a unit of one word if another unit uses channel
     * 0 */
    uint8_t half;
};

struct cm_schedule {
    struct cm_transfer *transfers;
    uint64_t transfer_count;
    uint64_t *starts; /* exchange t has the transfers starts[t] to starts[t + 1] - 1 */
    uint64_t exchanges;
};

/* Returns the number of words in unit `unit` of a schedule. A unit is what the channels of a
 * dimension carry in one exchange: at most `channels` of the `slices` words of one element. */
static inline uint32_t cm_unit_words(uint32_t slices, uint32_t channels, uint64_t unit)
{
    uint32_t units = (slices + channels - 1) / channels;
    uint32_t first = (uint32_t)(unit % units) * channels;
    return slices - first < channels ? slices - first : channels;
}

/* Flows that cross the wires of an axis in the same exchanges. */
struct cm_schedule_request {
    const struct cm_axis *axis;
    const struct cm_flow *flows;
    uint32_t count;    /* number of flows */
    uint32_t slices;   /* number of words of an element */
    uint32_t channels; /* number of channels of a cube dimension */
};

enum cm_status cm_schedule_create(const struct cm_schedule_request *request,
                                  struct cm_schedule *schedule, struct cm_error *err);
void cm_schedule_finish(struct cm_schedule *schedule);

#endif
