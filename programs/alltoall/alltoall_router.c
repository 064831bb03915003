/*
 * All-to-all communication through the router. In round r every node sends a block to the node
 * whose address differs from its own by r: block r of its blocks, or its only block. A block is cut
 * into equal packets that fit the router's buffers. The sender (system/sending.h) runs the router.
 */
#include "../system/sending.h"
#include "alltoall_private.h"

/* Packets that the nodes of a communication send through the router. */
struct traffic {
    const struct cm_alltoall_task *task;
    uint64_t packets;      /* number of packets of a block */
    uint32_t packet_words; /* number of words of a packet */
};

uint64_t cm_alltoall_packets(const struct cm_config *config, uint64_t words)
{
    return (words + config->router_buffer_words - 1) / config->router_buffer_words;
}

static uint32_t address_of(const struct cm_alltoall_task *task, uint32_t node)
{
    return node >> task->first_dimension & ((UINT32_C(1) << task->dimensions) - 1);
}

/* Serves as `next` of a cm_sending: computes a node's next packet. The cursor counts the packets of
 * all rounds. */
static bool next_packet(void *context, uint32_t node, uint64_t *cursor,
                        struct cm_sending_packet *packet)
{
    const struct traffic *traffic = context;
    const struct cm_alltoall_task *task = traffic->task;
    const bool by_source = task->order == CM_ALLTOALL_BY_SOURCE;
    const uint32_t round = (uint32_t)(*cursor / traffic->packets);
    const uint64_t first = *cursor % traffic->packets * traffic->packet_words;
    const uint64_t left = task->words - first;
    const uint32_t destination = node ^ round << task->first_dimension;
    if (round >> task->dimensions != 0)
        return false;
    ++*cursor;
    *packet = (struct cm_sending_packet){
        .destination = destination,
        .words = left < traffic->packet_words ? (uint32_t)left : traffic->packet_words,
        .from = first,
        .to = (uint32_t)(first + task->words * (by_source ? address_of(task, node) : round)),
    };
    if (task->kind == CM_ALLTOALL_PERSONALISED)
        packet->from += task->words * (by_source ? address_of(task, destination) : round);
    return true;
}

enum cm_status cm_alltoall_route(struct cm_system *system, const struct cm_alltoall *own,
                                 uint64_t dst, uint64_t src, struct cm_error *err)
{
    const struct cm_alltoall_task *task = &own->task;
    const uint64_t all = task->words << task->dimensions;
    struct traffic traffic = {
        .task = task,
        .packets = cm_alltoall_packets(cm_machine_config(system->machine), task->words),
    };
    traffic.packet_words = (uint32_t)((task->words + traffic.packets - 1) / traffic.packets);
    struct cm_sending sending = {.nodes = cm_machine_nodes(system->machine),
                                 .words = traffic.packet_words,
                                 .next = next_packet,
                                 .context = &traffic};
    enum cm_status status = CM_OK;
    if (!cm_machine_timing_only(system->machine)) {
        const bool broadcast = task->kind == CM_ALLTOALL_BROADCAST;
        status = cm_machine_planes(system->machine, src, broadcast ? task->words : all,
                                   &sending.src, err);
        if (status == CM_OK)
            status = cm_machine_planes(system->machine, dst, all, &sending.dst, err);
    }
    return status == CM_OK ? cm_sending_run(system, &sending, err) : status;
}
