/*
 * All-to-all communication through the router: in round r every node sends its block for, or to,
 * the node whose address differs in r, in packets that fit the router's buffers. All packets are
 * equally long; the place where the words belong travels in the header. Packets go by e-cube and
 * cut-through, as those of shifts do (programs/pshift/runtime_router.c).
 */
#include "alltoall_private.h"

#include "../../sim/machine/observer.h"
#include "../system/payloads.h"

#include <stdlib.h>

struct sender {
    const struct cm_alltoall *own;
    const struct cm_machine *machine;
    uint32_t nodes, round, node;
    uint64_t packet, packets; /* of a block */
    uint32_t packet_words;
    struct cm_payloads payloads;
    struct cm_planes src, dst; /* no words: timing only */
    bool failed;
};

uint64_t cm_alltoall_packets(const struct cm_config *config, uint64_t words)
{
    return (words + config->router_buffer_words - 1) / config->router_buffer_words;
}

static uint64_t words_in(const struct sender *sender, uint64_t packet)
{
    const uint64_t left = sender->own->task.words - packet * sender->packet_words;
    return left < sender->packet_words ? left : sender->packet_words;
}

static uint32_t address_of(const struct sender *sender, uint32_t node)
{
    const struct cm_alltoall_task *task = &sender->own->task;
    return node >> task->first_dimension & ((UINT32_C(1) << task->dimensions) - 1);
}

/* Puts the packet's words, and the place for them, into a payload; CM_PAYLOAD_NONE when out of
 * memory. */
static uint32_t load(struct sender *sender, uint32_t receiver)
{
    const struct cm_alltoall_task *task = &sender->own->task;
    const bool by_source = task->order == CM_ALLTOALL_BY_SOURCE;
    const uint64_t first = sender->packet * sender->packet_words;
    uint64_t from = first;
    const uint32_t payload = cm_payloads_take(&sender->payloads);
    sender->failed = payload == CM_PAYLOAD_NONE;
    if (sender->failed)
        return payload;
    uint32_t *words = cm_payloads_words(&sender->payloads, payload);
    if (task->kind == CM_ALLTOALL_PERSONALISED)
        from += task->words * (by_source ? address_of(sender, receiver) : sender->round);
    words[0] = (uint32_t)(first + task->words * (by_source ? address_of(sender, sender->node)
                                                           : sender->round));
    for (uint64_t w = 0; w < words_in(sender, sender->packet); w++)
        words[1 + w] = *cm_planes_word(&sender->src, from + w, sender->node);
    return payload;
}

/* The packets of a round, those of all nodes one after the other. */
static bool next_packet(void *context, struct cm_router_packet *packet)
{
    struct sender *sender = context;
    const struct cm_alltoall_task *task = &sender->own->task;
    if (sender->round >> task->dimensions != 0 || sender->failed)
        return false;
    const uint64_t before = sender->round * sender->packets + sender->packet;
    *packet = (struct cm_router_packet){
        .source = sender->node,
        .destination = sender->node ^ sender->round << task->first_dimension,
        .created = before * sender->packet_words, /* when it can leave at the earliest */
        .payload = CM_PAYLOAD_NONE,
    };
    if (sender->src.words != NULL)
        packet->payload = load(sender, packet->destination);
    if (++sender->node == sender->nodes) {
        sender->node = 0;
        sender->packet++;
    }
    if (sender->packet == sender->packets) {
        sender->packet = 0;
        sender->round++;
    }
    return !sender->failed;
}

static void take_delivery(void *context, const struct cm_router_delivery *delivery)
{
    struct sender *sender = context;
    if (delivery->payload == CM_PAYLOAD_NONE)
        return;
    const uint32_t *words = cm_payloads_words(&sender->payloads, delivery->payload);
    const uint64_t packet = words[0] % sender->own->task.words / sender->packet_words;
    for (uint64_t w = 0; w < words_in(sender, packet); w++)
        *cm_planes_word(&sender->dst, words[0] + w, delivery->node) = words[1 + w];
    cm_payloads_give_back(&sender->payloads, delivery->payload);
}

static bool ask_stop(void *context)
{
    const struct sender *sender = context;
    return sender->failed || cm_machine_interrupted(sender->machine);
}

static enum cm_status send(struct cm_system *system, struct sender *sender, struct cm_error *err)
{
    const struct cm_config *config = cm_machine_config(system->machine);
    const struct cm_router_options options = {
        .dimensions = cm_machine_dimensions(system->machine),
        .channels = config->network_channels_per_dimension,
        .words = sender->packet_words,
        .header_words = config->router_header_words,
        .buffer_words = config->router_buffer_words,
        .switching = CM_SWITCHING_CUT_THROUGH,
        .routing = CM_ROUTING_ECUBE,
        .threads = cm_machine_threads(system->machine),
    };
    const struct cm_router_traffic traffic = {sender, next_packet, take_delivery, ask_stop,
                                              cm_machine_observer(system->machine)};
    struct cm_router *router;
    struct cm_router_result result;
    enum cm_status status = cm_router_create(&options, &router, err);
    if (status != CM_OK)
        return status;
    cm_machine_route_begins(system->machine, &options);
    status = cm_router_run(router, &traffic, &result, err);
    if (status == CM_OK && sender->failed)
        status = cm_error_no_memory(err);
    if (status == CM_OK)
        cm_machine_route(system->machine, result.word_times, result.hops * options.words);
    if (status == CM_OK && result.end == CM_ROUTER_STOPPED)
        status = cm_error_set(err, CM_INTERRUPTED, "interrupted");
    if (status == CM_OK)
        status = cm_system_count_routed(system, router, &options, err);
    cm_router_destroy(router);
    return status;
}

enum cm_status cm_alltoall_route(struct cm_system *system, const struct cm_alltoall *own,
                                 uint64_t dst, uint64_t src, struct cm_error *err)
{
    const struct cm_alltoall_task *task = &own->task;
    const uint64_t all = task->words << task->dimensions;
    struct sender sender = {
        .own = own,
        .machine = system->machine,
        .nodes = cm_machine_nodes(system->machine),
        .packets = cm_alltoall_packets(cm_machine_config(system->machine), task->words),
    };
    sender.packet_words = (uint32_t)((task->words + sender.packets - 1) / sender.packets);
    sender.payloads.words = sender.packet_words + 1;
    enum cm_status status = CM_OK;
    if (!cm_machine_timing_only(system->machine)) {
        const bool broadcast = task->kind == CM_ALLTOALL_BROADCAST;
        status = cm_machine_planes(system->machine, src, broadcast ? task->words : all, &sender.src,
                                   err);
        if (status == CM_OK)
            status = cm_machine_planes(system->machine, dst, all, &sender.dst, err);
    }
    if (status == CM_OK)
        status = send(system, &sender, err);
    cm_payloads_finish(&sender.payloads);
    return status;
}
