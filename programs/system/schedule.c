/*
 * Schedules the exchanges of one axis by a greedy rule, one exchange after another. schedule.h
 * explains flows and units.
 *
 * In each exchange the units that have made only their first hop go first. Then flows start new
 * units. Flows of two hops come before flows of one hop. Among flows of two hops the flow with the
 * fewest units left goes first, because its last second hop can still overlap with a flow of one
 * hop. Among flows of one hop the flow with the most units left goes first.
 */
#include "schedule.h"

#include "../../base/list.h"

struct progress {
    uint64_t units;
    uint64_t started; /* number of the flow's units that have made their first hop */
    uint64_t arrived; /* number of the flow's units that have made their last hop */
};

struct planner {
    struct cm_schedule_request asked;
    struct cm_schedule *schedule;
    uint64_t transfer_capacity;
    uint64_t start_capacity;
    struct progress progress[CM_FLOWS_MAX];
    /* conflict[flow a][hop of a][flow b][hop of b]: True if the two hops cannot share a channel */
    bool conflict[CM_FLOWS_MAX][2][CM_FLOWS_MAX][2];
};

static void find_conflicts(struct planner *planner)
{
    for (uint32_t a = 0; a < planner->asked.count; a++)
        for (uint32_t b = 0; b < planner->asked.count; b++)
            for (uint32_t i = 0; i < planner->asked.flows[a].hops.count; i++)
                for (uint32_t j = 0; j < planner->asked.flows[b].hops.count; j++)
                    planner->conflict[a][i][b][j] =
                        cm_hop_conflict(planner->asked.axis, &planner->asked.flows[a].hops.at[i],
                                        &planner->asked.flows[b].hops.at[j]);
}

/* Adds a transfer to the exchange whose first transfer is number `start`, if channels are free. */
static bool try_transfer(struct planner *planner, uint64_t start, struct cm_transfer transfer)
{
    struct cm_schedule *schedule = planner->schedule;
    uint32_t words = cm_unit_words(planner->asked.slices, planner->asked.channels, transfer.unit);
    uint32_t taken = 0; /* channels that conflicting transfers use, one bit for each channel */
    for (uint64_t i = start; i < schedule->transfer_count; i++) {
        struct cm_transfer other = schedule->transfers[i];
        if (!planner->conflict[transfer.flow][transfer.hop][other.flow][other.hop])
            continue;
        uint32_t other_words =
            cm_unit_words(planner->asked.slices, planner->asked.channels, other.unit);
        taken |= ((1u << other_words) - 1) << other.half;
    }
    uint32_t wanted = (1u << words) - 1;
    while ((wanted & taken) != 0 && wanted >> planner->asked.channels == 0) {
        wanted <<= 1;
        transfer.half++;
    }
    if (wanted >> planner->asked.channels != 0)
        return false;
    schedule->transfers[schedule->transfer_count++] = transfer;
    return true;
}

/* Lets units that have made only their first hop make the second hop. */
static void continue_flows(struct planner *planner, uint64_t start)
{
    for (uint32_t s = 0; s < planner->asked.count; s++) {
        struct progress *progress = &planner->progress[s];
        if (planner->asked.flows[s].hops.count < 2 || progress->arrived == progress->started)
            continue;
        struct cm_transfer transfer = {.unit = progress->arrived, .flow = (uint8_t)s, .hop = 1};
        if (try_transfer(planner, start, transfer))
            progress->arrived++;
    }
}

/* True if flow `a` should start its next unit before flow `b`. */
static bool goes_before(const struct planner *planner, uint32_t a, uint32_t b)
{
    uint64_t left_a = planner->progress[a].units - planner->progress[a].started;
    uint64_t left_b = planner->progress[b].units - planner->progress[b].started;
    uint32_t hops_a = planner->asked.flows[a].hops.count;
    uint32_t hops_b = planner->asked.flows[b].hops.count;
    /* If a unit has fewer words than a dimension has channels, several units share a dimension.
     * Then the flow goes first that needs the most exchanges to finish. */
    if (planner->asked.slices < planner->asked.channels) {
        uint64_t way_a = left_a + hops_a;
        uint64_t way_b = left_b + hops_b;
        return way_a != way_b ? way_a > way_b : hops_a > hops_b;
    }
    if (hops_a != hops_b)
        return hops_a > hops_b;
    return hops_a > 1 ? left_a < left_b : left_a > left_b;
}

/* Returns the flow that should start a unit first, among the flows that are not in the bit set
 * `tried`. CM_FLOWS_MAX: no flow is left. */
static uint32_t next_to_start(const struct planner *planner, uint32_t tried)
{
    uint32_t best = CM_FLOWS_MAX;
    for (uint32_t s = 0; s < planner->asked.count; s++) {
        if (planner->progress[s].units == planner->progress[s].started || (tried >> s & 1))
            continue;
        if (best == CM_FLOWS_MAX || goes_before(planner, s, best))
            best = s;
    }
    return best;
}

static void start_flows(struct planner *planner, uint64_t start)
{
    uint32_t tried = 0;
    uint32_t s;
    while ((s = next_to_start(planner, tried)) < CM_FLOWS_MAX) {
        struct progress *progress = &planner->progress[s];
        struct cm_transfer transfer = {.unit = progress->started, .flow = (uint8_t)s, .hop = 0};
        tried |= 1u << s;
        if (!try_transfer(planner, start, transfer))
            continue;
        progress->started++;
        if (planner->asked.flows[s].hops.count == 1)
            progress->arrived++;
    }
}

static bool all_arrived(const struct planner *planner)
{
    for (uint32_t s = 0; s < planner->asked.count; s++)
        if (planner->progress[s].arrived < planner->progress[s].units)
            return false;
    return true;
}

/* Plans one exchange. Units that have made one hop come first, so that no unit makes both hops in
 * one exchange. */
static bool plan_exchange(struct planner *planner)
{
    struct cm_schedule *schedule = planner->schedule;
    if (!cm_array_room(schedule->transfers, schedule->transfer_count + 2 * CM_FLOWS_MAX,
                       planner->transfer_capacity) ||
        !cm_array_room(schedule->starts, schedule->exchanges + 1, planner->start_capacity))
        return false;
    uint64_t start = schedule->transfer_count;
    schedule->starts[schedule->exchanges++] = start;
    continue_flows(planner, start);
    start_flows(planner, start);
    schedule->starts[schedule->exchanges] = schedule->transfer_count;
    return true;
}

enum cm_status cm_schedule_create(const struct cm_schedule_request *request,
                                  struct cm_schedule *schedule, struct cm_error *err)
{
    struct planner planner = {.asked = *request, .schedule = schedule};
    const uint32_t units = (request->slices + request->channels - 1) / request->channels;
    *schedule = (struct cm_schedule){0};
    for (uint32_t s = 0; s < request->count; s++)
        planner.progress[s].units = request->flows[s].elements * units;
    find_conflicts(&planner);
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
