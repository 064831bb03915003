/*
 * Causes of waits for channels. When a waiting packet is granted a channel, its wait is divided
 * into word times in which another packet held the channel, and word times in which the channel was
 * idle because the buffer behind it was full. A packet that waited for several channels is counted
 * at the channel it gets.
 *
 *   row of a channel   0 .. d - 1   blocked by packets that came in over this dimension, of d
 *                      d            blocked by packets that the node itself sent
 *                      d + 1        blocked by a full buffer
 *                      d + 2        longest wait
 *
 * A hold is a period in which a packet held the channel. A channel always keeps its last hold. It
 * keeps an earlier hold only while a port waits that began to wait before this hold ended. There is
 * rarely more than one such hold.
 */
#include "private.h"

static uint64_t overlap(uint64_t begin, uint64_t end, uint64_t since)
{
    uint64_t from = begin > since ? begin : since;
    return end > from ? end - from : 0;
}

/* Returns the index, in a channel's row of wait counts, of the count for packets that came in over
 * a port. */
static uint32_t way_of(const struct cm_router *router, uint32_t port)
{
    uint32_t dimensions = router->options.dimensions;
    if (port == router->output_count)
        return dimensions;
    return port < dimensions ? port : port - dimensions;
}

const uint64_t *cm_router_blocked(const struct cm_router *router, uint32_t index)
{
    uint32_t row = router->blocked_rows[index];
    const struct cm_partition *partition =
        cm_router_partition_of(router, cm_router_node_of(router, index));
    return row == 0 ? NULL : partition->blocked.items + (row - 1) * cm_router_row_size(router);
}

/* Returns the row of wait counts of output `index`, adding it if it is missing. Returns NULL when
 * out of memory. */
static uint64_t *blocked_row(struct cm_router *router, struct cm_partition *partition,
                             uint32_t index)
{
    if (router->blocked_rows[index] == 0) {
        size_t rows = partition->blocked.count / cm_router_row_size(router) + 1;
        if (!cm_list_extend(&partition->blocked, rows * cm_router_row_size(router)))
            return NULL;
        router->blocked_rows[index] = (uint32_t)rows;
    }
    return partition->blocked.items +
           (router->blocked_rows[index] - 1) * cm_router_row_size(router);
}

void cm_router_count_wait(struct cm_router *router, struct cm_partition *partition, uint32_t index,
                          const struct cm_in_flight *packet, uint64_t since)
{
    const struct cm_output *output = &router->outputs[index];
    uint32_t dimensions = router->options.dimensions;
    uint64_t *blocked = blocked_row(router, partition, index);
    if (blocked == NULL) {
        partition->failed = true;
        return;
    }
    uint64_t wait = partition->now - since;
    uint64_t held = overlap(output->hold_begin, output->idle_since, since);
    blocked[way_of(router, output->turn)] += held;
    for (uint32_t i = output->hold_count; i-- > 0 && output->holds[i].end > since;) {
        uint64_t of_this = overlap(output->holds[i].begin, output->holds[i].end, since);
        blocked[way_of(router, output->holds[i].port)] += of_this;
        held += of_this;
    }
    blocked[dimensions + 1] += wait - held;
    if (wait <= blocked[dimensions + 2])
        return;
    blocked[dimensions + 2] = wait;
    router->waits[index] = (struct cm_longest_wait){
        packet->source, packet->destination, output->holder_source, output->holder_destination};
}

/* Removes those stored holds of an output that ended before the first of its waiting ports began to
 * wait. */
static void drop_holds(const struct cm_router *router, uint32_t index, struct cm_output *output)
{
    const struct cm_port *ports = &router->ports[index - cm_router_local_of(router, index)];
    uint64_t oldest = UINT64_MAX;
    uint32_t kept = 0;
    for (uint64_t rest = output->waiting; rest != 0; rest &= rest - 1) {
        uint64_t since = ports[__builtin_ctzll(rest)].since;
        oldest = since < oldest ? since : oldest;
    }
    for (uint32_t i = 0; i < output->hold_count; i++)
        if (output->holds[i].end > oldest)
            output->holds[kept++] = output->holds[i];
    output->hold_count = kept;
}

void cm_router_store_hold(struct cm_router *router, struct cm_partition *partition, uint32_t index)
{
    struct cm_output *output = &router->outputs[index];
    if (output->hold_count == output->hold_capacity)
        drop_holds(router, index, output);
    if (cm_array_room(output->holds, output->hold_count, output->hold_capacity))
        output->holds[output->hold_count++] =
            (struct cm_hold){output->hold_begin, output->idle_since, output->turn};
    else
        partition->failed = true;
}
