/*
 * Greedy scheduling of one axis: what is under way goes first, then streams of two hops, the one
 * with fewest left first, for the last second hop can still overlap with what hops once, then the
 * stream with most left to start.
 */
#include "schedule.h"

#include <stdlib.h>

struct progress {
    uint64_t units;
    uint64_t started; /* units that made their first hop */
    uint64_t arrived; /* units that made their last */
};

struct planner {
    struct cm_schedule *schedule;
    uint64_t transfer_capacity;
    uint64_t start_capacity;
    const struct cm_stream *streams;
    uint32_t count;
    uint32_t slices;
    uint32_t channels;
    struct progress progress[CM_STREAMS_MAX];
    bool conflict[CM_STREAMS_MAX][2][CM_STREAMS_MAX][2]; /* stream, hop against stream, hop */
};

static bool reserve(void **array, uint64_t *capacity, uint64_t needed, size_t size)
{
    if (needed <= *capacity)
        return true;
    uint64_t next = *capacity ? *capacity * 2 : 64;
    void *larger = realloc(*array, next * size);
    if (!larger)
        return false;
    *array = larger;
    *capacity = next;
    return true;
}

static void find_conflicts(struct planner *planner, const struct cm_axis *axis)
{
    for (uint32_t a = 0; a < planner->count; a++)
        for (uint32_t b = 0; b < planner->count; b++)
            for (uint32_t i = 0; i < planner->streams[a].route.count; i++)
                for (uint32_t j = 0; j < planner->streams[b].route.count; j++)
                    planner->conflict[a][i][b][j] =
                        cm_hop_conflict(axis, &planner->streams[a].route.hops[i],
                                        &planner->streams[b].route.hops[j]);
}

/* Adds a transfer to the exchange that began at `start`, if its channels are free. */
static bool try_transfer(struct planner *planner, uint64_t start, struct cm_transfer transfer)
{
    struct cm_schedule *schedule = planner->schedule;
    uint32_t words = cm_unit_words(planner->slices, planner->channels, transfer.unit);
    uint32_t taken = 0; /* channels, a bit each, that conflicting transfers use */
    for (uint64_t i = start; i < schedule->transfer_count; i++) {
        struct cm_transfer other = schedule->transfers[i];
        if (!planner->conflict[transfer.stream][transfer.hop][other.stream][other.hop])
            continue;
        uint32_t other_words = cm_unit_words(planner->slices, planner->channels, other.unit);
        taken |= ((1u << other_words) - 1) << other.half;
    }
    uint32_t wanted = (1u << words) - 1;
    while ((wanted & taken) != 0 && wanted >> planner->channels == 0) {
        wanted <<= 1;
        transfer.half++;
    }
    if (wanted >> planner->channels != 0)
        return false;
    schedule->transfers[schedule->transfer_count++] = transfer;
    return true;
}

/* Units between their hops make the second one. */
static void continue_streams(struct planner *planner, uint64_t start)
{
    for (uint32_t s = 0; s < planner->count; s++) {
        struct progress *progress = &planner->progress[s];
        if (planner->streams[s].route.count < 2 || progress->arrived == progress->started)
            continue;
        struct cm_transfer transfer = {.unit = progress->arrived, .stream = (uint8_t)s, .hop = 1};
        if (try_transfer(planner, start, transfer))
            progress->arrived++;
    }
}

/* Whether stream a should start a unit before stream b does. */
static bool goes_before(const struct planner *planner, uint32_t a, uint32_t b)
{
    uint64_t left_a = planner->progress[a].units - planner->progress[a].started;
    uint64_t left_b = planner->progress[b].units - planner->progress[b].started;
    uint32_t hops_a = planner->streams[a].route.count;
    uint32_t hops_b = planner->streams[b].route.count;
    if (planner->slices < planner->channels) { /* units share dimensions: the longest way to go */
        uint64_t way_a = left_a + hops_a;
        uint64_t way_b = left_b + hops_b;
        return way_a != way_b ? way_a > way_b : hops_a > hops_b;
    }
    if (hops_a != hops_b)
        return hops_a > hops_b;
    return hops_a > 1 ? left_a < left_b : left_a > left_b;
}

/* The stream not yet tried that should start a unit first; CM_STREAMS_MAX when there is none. */
static uint32_t next_to_start(const struct planner *planner, uint32_t tried)
{
    uint32_t best = CM_STREAMS_MAX;
    for (uint32_t s = 0; s < planner->count; s++) {
        if (planner->progress[s].units == planner->progress[s].started || (tried >> s & 1))
            continue;
        if (best == CM_STREAMS_MAX || goes_before(planner, s, best))
            best = s;
    }
    return best;
}

static void start_streams(struct planner *planner, uint64_t start)
{
    uint32_t tried = 0;
    uint32_t s;
    while ((s = next_to_start(planner, tried)) < CM_STREAMS_MAX) {
        struct progress *progress = &planner->progress[s];
        struct cm_transfer transfer = {.unit = progress->started, .stream = (uint8_t)s, .hop = 0};
        tried |= 1u << s;
        if (!try_transfer(planner, start, transfer))
            continue;
        progress->started++;
        if (planner->streams[s].route.count == 1)
            progress->arrived++;
    }
}

static bool all_arrived(const struct planner *planner)
{
    for (uint32_t s = 0; s < planner->count; s++)
        if (planner->progress[s].arrived < planner->progress[s].units)
            return false;
    return true;
}

/* A unit that starts in this exchange must not also make its second hop in it: continuing comes
 * first. */
static bool plan_exchange(struct planner *planner)
{
    struct cm_schedule *schedule = planner->schedule;
    if (!reserve((void **)&schedule->transfers, &planner->transfer_capacity,
                 schedule->transfer_count + 2 * CM_STREAMS_MAX, sizeof *schedule->transfers) ||
        !reserve((void **)&schedule->starts, &planner->start_capacity, schedule->exchanges + 2,
                 sizeof *schedule->starts))
        return false;
    uint64_t start = schedule->transfer_count;
    schedule->starts[schedule->exchanges++] = start;
    continue_streams(planner, start);
    start_streams(planner, start);
    schedule->starts[schedule->exchanges] = schedule->transfer_count;
    return true;
}

enum cm_status cm_schedule_create(const struct cm_axis *axis, const struct cm_stream *streams,
                                  uint32_t count, uint32_t slices, uint32_t channels,
                                  struct cm_schedule *schedule, struct cm_error *err)
{
    struct planner planner = {.schedule = schedule,
                              .streams = streams,
                              .count = count,
                              .slices = slices,
                              .channels = channels};
    *schedule = (struct cm_schedule){0};
    for (uint32_t s = 0; s < count; s++)
        planner.progress[s].units = streams[s].elements * ((slices + channels - 1) / channels);
    find_conflicts(&planner, axis);
    while (!all_arrived(&planner))
        if (!plan_exchange(&planner)) {
            cm_schedule_finish(schedule);
            return cm_error_no_memory(err);
        }
    return CM_OK;
}

void cm_schedule_finish(struct cm_schedule *schedule)
{
    free(schedule->transfers);
    free(schedule->starts);
    *schedule = (struct cm_schedule){0};
}
