/* Counts the packets of a measurement by batch and flow. */
#include "batches.h"

#include "../../base/list.h"

#include <stdlib.h>

static uint32_t row_of(const struct cm_batches *batches, uint64_t time)
{
    if (time < batches->start)
        return 0;
    if (time >= batches->end)
        return CM_BATCH_AFTER;
    const uint32_t batch = (uint32_t)((double)(time - batches->start) * batches->scale);
    return 1 + (batch < CM_BATCHES ? batch : CM_BATCHES - 1);
}

static uint32_t flow_of(const struct cm_batches *batches, uint32_t source, uint32_t destination)
{
    const bool hot = batches->flows > batches->nodes && destination == batches->task->hot_node;
    return hot ? batches->nodes + source : source;
}

/* Sets the measured time. It begins at the end of the warm-up, which may still change. */
static void place(struct cm_batches *batches)
{
    batches->start = batches->search.end;
    batches->end = batches->start + batches->task->measure;
}

/* Returns the longest warm-up that the search may choose. The limit of the run must leave room for
 * the measurement. */
static uint64_t longest_warmup(const struct cm_traffic_task *task)
{
    const uint64_t limit = task->router.limit;
    if (limit == 0 || limit >= 2 * task->measure)
        return task->measure;
    return limit > task->measure ? limit - task->measure : 0;
}

enum cm_status cm_batches_begin(struct cm_batches *batches, const struct cm_traffic_task *task,
                                struct cm_error *err)
{
    const uint32_t nodes = UINT32_C(1) << task->router.dimensions;
    *batches = (struct cm_batches){
        .task = task,
        .nodes = nodes,
        .flows = task->pattern == CM_PATTERN_HOT_SPOT && task->hot_count == 0 ? 2 * nodes : nodes,
        .scale = (double)CM_BATCHES / (double)task->measure,
    };
    cm_warmup_begin(&batches->search, task->warmup, task->find_warmup ? longest_warmup(task) : 0);
    place(batches);
    batches->changes = calloc((size_t)CM_BATCH_ROWS * batches->flows, sizeof *batches->changes);
    batches->accepted = calloc(nodes, sizeof *batches->accepted);
    return batches->changes != NULL && batches->accepted != NULL ? CM_OK : cm_error_no_memory(err);
}

void cm_batches_finish(struct cm_batches *batches)
{
    free(batches->changes);
    free(batches->accepted);
    cm_list_finish(&batches->early);
}

/* Counts an arrival at a word time whose row cannot change any more. */
static void arrive(struct cm_batches *batches, uint64_t time, uint32_t flow)
{
    const uint32_t row = row_of(batches, time);
    if (row == CM_BATCH_AFTER)
        return;
    batches->arrived[row]++;
    batches->changes[(size_t)row * batches->flows + flow]--;
    batches->accepted[flow % batches->nodes] += row > 0;
    batches->packet_times -= (double)(batches->end - (row > 0 ? time : batches->start));
}

void cm_batches_search(struct cm_batches *batches, uint64_t time)
{
    if (batches->search.over)
        return;
    while (!batches->search.over && time >= batches->search.end)
        cm_warmup_decide(&batches->search);
    place(batches);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < batches->early.count; i++) {
        const struct cm_early_arrival early = batches->early.items[i];
        if (batches->search.over || early.time < batches->start)
            arrive(batches, early.time, early.flow);
        else
            batches->early.items[kept++] = early;
    }
    batches->early.count = kept;
}

/* Adds `change`, which is 1 for a new packet and -1 for a lost packet, to the counts of packets in
 * flight. Returns the row of the packet's creation. */
static uint32_t count_in_flight(struct cm_batches *batches, const struct cm_router_packet *packet,
                                int32_t change)
{
    const uint32_t row = row_of(batches, packet->created);
    const uint32_t flow = flow_of(batches, packet->source, packet->destination);
    if (!batches->search.over)
        cm_warmup_count(&batches->search, packet->created, change);
    if (row == CM_BATCH_AFTER)
        return row;
    batches->changes[(size_t)row * batches->flows + flow] += change;
    batches->packet_times +=
        change * (double)(batches->end - (row > 0 ? packet->created : batches->start));
    return row;
}

bool cm_batches_create(struct cm_batches *batches, const struct cm_router_packet *packet)
{
    const uint32_t row = count_in_flight(batches, packet, 1);
    if (row != CM_BATCH_AFTER)
        batches->created[row]++;
    return row != CM_BATCH_AFTER && row > 0;
}

bool cm_batches_lose(struct cm_batches *batches, const struct cm_router_packet *packet)
{
    const uint32_t row = count_in_flight(batches, packet, -1);
    if (row != CM_BATCH_AFTER)
        batches->lost[row]++;
    return row != CM_BATCH_AFTER && row > 0;
}

bool cm_batches_arrive(struct cm_batches *batches, const struct cm_router_delivery *delivery)
{
    const uint32_t flow = flow_of(batches, delivery->source, delivery->destination);
    if (!batches->search.over) {
        const struct cm_early_arrival early = {delivery->arrived, flow};
        cm_warmup_count(&batches->search, delivery->arrived, -1);
        if (delivery->arrived >= batches->start) {
            cm_list_push(&batches->early, early);
            return false;
        }
    }
    arrive(batches, delivery->arrived, flow);
    const uint32_t row = row_of(batches, delivery->created);
    if (row == 0 || row == CM_BATCH_AFTER)
        return false;
    batches->latency[row - 1] += (double)(delivery->arrived - delivery->created);
    batches->counted[row - 1]++;
    return true;
}
