/* Loads of nodes, by which the machine's grid and the cube colour the nodes. */
#include "model_private.h"
#include "packets_private.h"

#include <string.h>

static bool counts(const struct cm_view_loads_request *asked, uint32_t dimension)
{
    return asked->load == CM_VIEW_LOAD_DIMENSION ? dimension == asked->dimension
                                                 : !(asked->hidden_dimensions >> dimension & 1);
}

/* Sets the load of each node to the busy cycles of its busiest chosen channel, or to the sum over
 * the chosen channels. */
static void take_channels(const struct cm_view_loads_request *asked, uint64_t *of_node)
{
    const struct cm_trace_info *info = asked->run->info;
    const uint64_t *busy = cm_view_busy(asked->run, asked->first, asked->end);
    bool sum = asked->load == CM_VIEW_LOAD_MEAN || asked->load == CM_VIEW_LOAD_TOTAL;
    for (uint32_t node = 0; node < info->nodes; node++) {
        uint64_t *of = &of_node[node];
        for (uint32_t d = 0; d < info->dimensions; d++)
            for (uint32_t c = 0; c < info->channels; c++, busy++)
                if (counts(asked, d))
                    *of = sum ? *of + *busy : *busy > *of ? *busy : *of;
    }
}

/* Adds the words of the packets in flight to the nodes that send them, or to the nodes that receive
 * them. */
static void take_packet_words(const struct cm_view_loads_request *asked, uint64_t *of_node)
{
    bool sent = asked->load == CM_VIEW_LOAD_SENT;
    for (uint64_t i = 0; i < asked->run->info->packets; i++) {
        const struct cm_trace_packet *packet = cm_trace_packet_at(asked->run->trace, i);
        /* this packet and all later ones are created after the interval */
        if (packet->created_cycle >= asked->end)
            break;
        if (packet->arrived_cycle > asked->first)
            of_node[sent ? packet->source : packet->destination] += packet->words;
    }
}

/* Adds the words of exchanges to the nodes that send or receive them. A channel carries one word in
 * an exchange. */
static void take_exchange_words(const struct cm_view_loads_request *asked, uint64_t *of_node)
{
    const struct cm_trace_info *info = asked->run->info;
    const uint64_t *busy = cm_view_busy(asked->run, asked->first, asked->end);
    uint64_t each = info->exchange_cycles > 0 ? info->exchange_cycles : 1;
    bool sent = asked->load == CM_VIEW_LOAD_SENT;
    for (uint32_t i = 0; i < asked->run->channel_count; i++) {
        struct cm_view_channel at = cm_view_channel_parts(asked->run, i);
        uint32_t node = sent ? at.node : at.node ^ UINT32_C(1) << at.dimension;
        if (counts(asked, at.dimension))
            of_node[node] += (busy[i] + each / 2) / each;
    }
}

void cm_view_find_loads(const struct cm_view_loads_request *request, uint64_t *of_node)
{
    const struct cm_view_run *run = request->run;
    memset(of_node, 0, run->info->nodes * sizeof *of_node);
    switch (request->load) {
    case CM_VIEW_LOAD_WAITS:
        cm_view_add_waits(run, request->first, request->end, of_node);
        break;
    case CM_VIEW_LOAD_SENT:
    case CM_VIEW_LOAD_RECEIVED:
        if (run->info->packets > 0)
            take_packet_words(request, of_node);
        else
            take_exchange_words(request, of_node);
        break;
    default:
        take_channels(request, of_node);
    }
}

double cm_view_load_whole(const struct cm_view_run *run, uint64_t first, uint64_t end,
                          uint32_t hidden_dimensions, enum cm_view_load load)
{
    const struct cm_trace_info *info = run->info;
    uint32_t shown = 0;
    for (uint32_t d = 0; d < info->dimensions; d++)
        shown += !(hidden_dimensions >> d & 1);
    if (load == CM_VIEW_LOAD_MEAN)
        return (double)(end - first) * (shown > 0 ? shown : 1) * info->channels;
    return load == CM_VIEW_LOAD_BUSIEST || load == CM_VIEW_LOAD_DIMENSION ? (double)(end - first)
                                                                          : 0;
}

uint64_t cm_view_round_top(uint64_t most)
{
    uint64_t top = 1;
    for (unsigned i = 0; top < most && top <= UINT64_MAX / 10; i++)
        top = i % 3 == 1 ? top / 2 * 5 : top * 2;
    return top;
}
