/*
 * Runs the router for the traffic that a struct cm_sending describes (sending.h).
 *
 * Packets are created in rounds. In each round every node that has a packet left sends one packet.
 * A packet of round r is created at word time r * words, because r packets left its node before.
 */
#include "sending.h"

#include "../../sim/machine/observer.h"
#include "payloads.h"

#include <inttypes.h>
#include <stdlib.h>

/* Numbers of the words of a payload: the plane or tag at the destination, the number of words in
 * use, and the first word of the contents. */
enum { PAYLOAD_TO, PAYLOAD_USED, PAYLOAD_WORDS };

/* State of a run of the sender. */
struct sender {
    const struct cm_sending *sending;
    const struct cm_machine *machine;
    uint64_t *cursors; /* cursors for the function `next`, one for each node */
    uint32_t node;     /* number of the node that is asked next for a packet */
    /* number of packets that each node with packets left has sent before this round */
    uint64_t round;
    bool sent;   /* True if some node has sent a packet in this round. */
    bool failed; /* True if memory ran out. */
    struct cm_payloads payloads;
};

/* Returns the number of the stored payload of a packet. CM_PAYLOAD_NONE: the run has no data, or
 * memory ran out. */
static uint32_t load(struct sender *sender, uint32_t node, const struct cm_sending_packet *packet)
{
    const struct cm_sending *sending = sender->sending;
    if (sending->src.words == NULL && sending->deliver == NULL)
        return CM_PAYLOAD_NONE;
    const uint32_t payload = cm_payloads_take(&sender->payloads);
    sender->failed = payload == CM_PAYLOAD_NONE;
    if (sender->failed)
        return payload;
    uint32_t *words = cm_payloads_words(&sender->payloads, payload);
    words[PAYLOAD_TO] = packet->to;
    words[PAYLOAD_USED] = packet->words;
    for (uint32_t w = 0; sending->src.words != NULL && w < packet->words; w++)
        words[PAYLOAD_WORDS + w] = *cm_planes_word(&sending->src, packet->from + w, node);
    return payload;
}

static bool next_packet(void *context, struct cm_router_packet *packet)
{
    struct sender *sender = context;
    const struct cm_sending *sending = sender->sending;
    while (!sender->failed) {
        if (sender->node == sending->nodes) {
            if (!sender->sent)
                return false;
            sender->node = 0;
            sender->sent = false;
            sender->round++;
        }
        const uint32_t node = sender->node++;
        struct cm_sending_packet next;
        if (!sending->next(sending->context, node, &sender->cursors[node], &next))
            continue;
        sender->sent = true;
        *packet = (struct cm_router_packet){
            .source = node,
            .destination = next.destination,
            .created = sender->round * sending->words,
            .payload = load(sender, node, &next),
        };
        return !sender->failed;
    }
    return false;
}

static void take_delivery(void *context, const struct cm_router_delivery *delivery)
{
    struct sender *sender = context;
    const struct cm_sending *sending = sender->sending;
    if (delivery->payload == CM_PAYLOAD_NONE)
        return;
    const uint32_t *words = cm_payloads_words(&sender->payloads, delivery->payload);
    if (sending->deliver != NULL)
        sending->deliver(sending->context, words[PAYLOAD_TO], words + PAYLOAD_WORDS);
    else
        for (uint32_t w = 0; w < words[PAYLOAD_USED]; w++)
            *cm_planes_word(&sending->dst, (uint64_t)words[PAYLOAD_TO] + w, delivery->node) =
                words[PAYLOAD_WORDS + w];
    cm_payloads_give_back(&sender->payloads, delivery->payload);
}

static bool ask_stop(void *context)
{
    const struct sender *sender = context;
    return sender->failed || cm_machine_interrupted(sender->machine);
}

static bool is_empty(const struct cm_sending *sending)
{
    struct cm_sending_packet packet;
    for (uint32_t node = 0; node < sending->nodes; node++) {
        uint64_t cursor = 0;
        if (sending->next(sending->context, node, &cursor, &packet))
            return false;
    }
    return true;
}

static enum cm_status run_router(struct cm_system *system, struct sender *sender,
                                 struct cm_error *err)
{
    const struct cm_config *config = cm_machine_config(system->machine);
    const struct cm_router_options options = {
        .dimensions = cm_machine_dimensions(system->machine),
        .channels = config->network_channels_per_dimension,
        .words = sender->sending->words,
        .header_words = config->router_header_words,
        .buffer_words = config->router_buffer_words,
        .switching = CM_SWITCHING_CUT_THROUGH,
        .routing = CM_ROUTING_ECUBE,
        .threads = cm_machine_threads(system->machine),
    };
    const struct cm_router_traffic traffic = {
        .context = sender,
        .next = next_packet,
        .delivered = take_delivery,
        .stop = ask_stop,
        .observer = cm_machine_observer(system->machine),
    };
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

enum cm_status cm_sending_check(const struct cm_system *system, uint32_t words, const char *instead,
                                struct cm_error *err)
{
    const uint32_t room = cm_machine_config(system->machine)->router_buffer_words;
    if (words <= room)
        return CM_OK;
    cm_error_set(err, CM_BAD_INPUT,
                 "an element of %" PRIu32 " words does not fit the router's buffers of %" PRIu32,
                 words, room);
    cm_error_hint(err, "set the machine's router.buffer_words to %" PRIu32 " or more%s", words,
                  instead);
    return CM_BAD_INPUT;
}

enum cm_status cm_sending_run(struct cm_system *system, const struct cm_sending *sending,
                              struct cm_error *err)
{
    if (is_empty(sending))
        return CM_OK;
    struct sender sender = {
        .sending = sending,
        .machine = system->machine,
        .cursors = calloc(sending->nodes, sizeof *sender.cursors),
        .payloads = {.words = sending->words + PAYLOAD_WORDS},
    };
    const enum cm_status status =
        sender.cursors != NULL ? run_router(system, &sender, err) : cm_error_no_memory(err);
    cm_payloads_finish(&sender.payloads);
    free(sender.cursors);
    return status;
}
