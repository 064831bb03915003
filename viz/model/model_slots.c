/* Slots of the transposers in use within an interval, from the patterns of its loads, exchanges and
 * unloads. */
#include "model_private.h"

#include <string.h>

#define EVENTS_MAX 256

struct slot_range {
    const struct cm_view_run *run;
    struct cm_view_slots *slots;
    uint32_t base, count;
};

/* Marks slots of B in which words arrive: a word sent from a channel's slot of A arrives in the
 * same slot of B in the neighbour. */
static void mark_arrivals(const struct slot_range *range, uint32_t pattern)
{
    const struct cm_trace_info *info = range->run->info;
    for (uint32_t d = 0; d < info->dimensions; d++)
        for (uint32_t c = 0; c < info->channels; c++) {
            uint64_t slot = (uint64_t)1 << cm_slot_of_channel(info->slots, d, c);
            for (uint32_t i = 0; i < range->count; i++)
                if (cm_trace_pattern_slots(range->run->trace, pattern,
                                           (range->base + i) ^ 1u << d) &
                    slot)
                    range->slots[i].b |= slot;
        }
}

static void mark(const struct slot_range *range, const struct cm_trace_event *event)
{
    bool into_a = event->phase == CM_TRACE_LOAD || event->phase == CM_TRACE_EXCHANGE;
    if (event->pattern == CM_TRACE_NONE ||
        (!into_a && event->phase != CM_TRACE_UNLOAD && event->phase != CM_TRACE_BOUNDARY))
        return;
    for (uint32_t i = 0; i < range->count; i++) {
        uint64_t used = cm_trace_pattern_slots(range->run->trace, event->pattern, range->base + i);
        if (into_a)
            range->slots[i].a |= used;
        else
            range->slots[i].b |= used;
    }
    if (event->phase == CM_TRACE_EXCHANGE)
        mark_arrivals(range, event->pattern);
}

/* Marks slots of A whose words were loaded before the interval, after the previous exchange, and
 * still wait to be sent. */
static void mark_waiting(const struct slot_range *range, uint64_t first)
{
    struct cm_trace_cursor cursor = cm_trace_seek(range->run->trace, first);
    struct cm_trace_event event;
    for (int i = 0; i < EVENTS_MAX && cm_trace_previous(&cursor, &event); i++) {
        if (event.phase == CM_TRACE_EXCHANGE || event.phase == CM_TRACE_START)
            return;
        if (event.phase == CM_TRACE_LOAD)
            mark(range, &event);
    }
}

void cm_view_find_slots(const struct cm_view_run *run, uint64_t first, uint64_t end, uint32_t base,
                        struct cm_view_slots *slots)
{
    struct slot_range range = {run, slots, base, run->info->nodes - base};
    if (range.count > CM_VIEW_CUBE_NODES)
        range.count = CM_VIEW_CUBE_NODES;
    memset(slots, 0, CM_VIEW_CUBE_NODES * sizeof *slots);
    mark_waiting(&range, first);
    struct cm_trace_cursor cursor = cm_trace_seek(run->trace, end);
    struct cm_trace_event event;
    /* an event that begins before the interval's end and ends after it belongs to the interval */
    if (cm_trace_next(&cursor, &event) && event.first_cycle >= end)
        cursor = cm_trace_seek(run->trace, end);
    for (int i = 0; i < EVENTS_MAX && cm_trace_previous(&cursor, &event); i++) {
        if (event.end_cycle <= first)
            break;
        mark(&range, &event);
    }
}
