/*
 * Copies by the router: where A or B lies on another grid of nodes than C, or is cut differently
 * along k, each of its elements is sent to its place in the work area, as a packet of its own, in
 * the order of the sender's memory. A node takes in its own elements the same way; they cross
 * nothing. The place travels in the header and costs no word, as in pshift/runtime_router.c.
 */
#include "../../sim/machine/observer.h"
#include "../system/payloads.h"
#include "matmul_private.h"

#include <inttypes.h>
#include <stdlib.h>

struct sender {
    const struct cm_matmul *own;
    const struct cm_side *side;
    const struct cm_layout *layout; /* of the source */
    const struct cm_machine *machine;
    uint32_t long_axis;
    uint64_t *next; /* per node: the local element to look at */
    uint64_t round; /* packets that a node has sent before */
    uint32_t node;
    bool sending; /* some node has sent in this round */
    struct cm_payloads payloads;
    struct cm_planes src, dst; /* no words: timing only */
    bool failed;
};

static uint32_t block_node(const struct cm_axis *axis, uint64_t index)
{
    return cm_axis_encode(axis, (uint32_t)(index / axis->local_length)) << axis->first_dimension;
}

/* Where element (index[0], index[1]) belongs. */
static uint32_t place_of(const struct sender *sender, const uint64_t index[2], uint64_t *element)
{
    const struct cm_axis *across = &sender->side->across, *along = &sender->side->along;
    const uint64_t far = index[sender->long_axis], k = index[1 - sender->long_axis];
    *element = far % across->local_length + k % along->local_length * across->local_length;
    return block_node(across, far) | block_node(along, k);
}

/* The indices of a node's local element; false for padding, and for copies in further nodes. */
static bool index_of(const struct sender *sender, uint32_t node, uint64_t element,
                     uint64_t index[2])
{
    if (node >> sender->layout->used_bits != 0)
        return false;
    for (uint32_t a = 0; a < 2; a++) {
        const struct cm_axis *axis = &sender->layout->axes[a];
        index[a] = cm_layout_coordinate(sender->layout, node, a) * axis->local_length +
                   element % axis->local_length;
        element /= axis->local_length;
        if (index[a] >= axis->length)
            return false;
    }
    return true;
}

static uint32_t load(struct sender *sender, uint32_t node, uint64_t element, uint64_t belongs)
{
    const struct cm_layout *layout = sender->layout;
    const uint32_t payload = cm_payloads_take(&sender->payloads);
    if (payload == CM_PAYLOAD_NONE) {
        sender->failed = true;
        return payload;
    }
    uint32_t *words = cm_payloads_words(&sender->payloads, payload);
    words[0] = (uint32_t)belongs;
    for (uint32_t s = 0; s < layout->slices; s++)
        words[1 + s] = *cm_planes_word(&sender->src, element * layout->slices + s, node);
    return payload;
}

static bool next_of_node(struct sender *sender, uint32_t node, struct cm_router_packet *packet)
{
    for (uint64_t e = sender->next[node]; e < sender->layout->local_elements; e++) {
        uint64_t index[2], belongs;
        if (!index_of(sender, node, e, index))
            continue;
        sender->next[node] = e + 1;
        *packet = (struct cm_router_packet){
            .source = node,
            .destination = place_of(sender, index, &belongs),
            .created = sender->round * sender->layout->slices,
            .payload = CM_PAYLOAD_NONE,
        };
        if (sender->src.words != NULL)
            packet->payload = load(sender, node, e, belongs);
        return !sender->failed;
    }
    sender->next[node] = sender->layout->local_elements;
    return false;
}

static bool next_packet(void *context, struct cm_router_packet *packet)
{
    struct sender *sender = context;
    while (!sender->failed) {
        if (sender->node == sender->layout->nodes) {
            if (!sender->sending)
                return false;
            sender->node = 0;
            sender->sending = false;
            sender->round++;
        }
        if (next_of_node(sender, sender->node++, packet)) {
            sender->sending = true;
            return true;
        }
    }
    return false;
}

static void take_delivery(void *context, const struct cm_router_delivery *delivery)
{
    struct sender *sender = context;
    const struct cm_layout *layout = sender->layout;
    if (delivery->payload == CM_PAYLOAD_NONE)
        return;
    const uint32_t *words = cm_payloads_words(&sender->payloads, delivery->payload);
    for (uint32_t s = 0; s < layout->slices; s++)
        *cm_planes_word(&sender->dst, (uint64_t)words[0] * layout->slices + s, delivery->node) =
            words[1 + s];
    cm_payloads_give_back(&sender->payloads, delivery->payload);
}

static bool ask_stop(void *context)
{
    const struct sender *sender = context;
    return sender->failed || cm_machine_interrupted(sender->machine);
}

enum cm_status cm_matmul_align_check(struct cm_system *system, const struct cm_matmul *own,
                                     struct cm_error *err)
{
    const uint32_t room = cm_machine_config(system->machine)->router_buffer_words;
    const uint32_t slices = own->task.c.slices;
    if ((own->sides[0].aligned && own->sides[1].aligned) || slices <= room)
        return CM_OK;
    cm_error_set(err, CM_BAD_INPUT,
                 "an element of %" PRIu32 " words does not fit the router's buffers of %" PRIu32,
                 slices, room);
    cm_error_hint(err,
                  "set the machine's router.buffer_words to %" PRIu32
                  " or more, or lay the arrays of the product on one grid of nodes",
                  slices);
    return CM_BAD_INPUT;
}

static enum cm_status send(struct cm_system *system, struct sender *sender, struct cm_error *err)
{
    const struct cm_config *config = cm_machine_config(system->machine);
    const struct cm_router_options options = {
        .dimensions = cm_machine_dimensions(system->machine),
        .channels = config->network_channels_per_dimension,
        .words = sender->layout->slices,
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
    if (status == CM_OK && result.sent > 0)
        cm_machine_route(system->machine, result.word_times, result.hops * options.words);
    if (status == CM_OK && result.end == CM_ROUTER_STOPPED)
        status = cm_error_set(err, CM_INTERRUPTED, "interrupted");
    if (status == CM_OK)
        status = cm_system_count_routed(system, router, &options, err);
    cm_router_destroy(router);
    return status;
}

enum cm_status cm_matmul_align(struct cm_system *system, const struct cm_matmul *own, uint32_t side,
                               const struct cm_array *source, struct cm_error *err)
{
    struct sender sender = {
        .own = own,
        .side = &own->sides[side],
        .layout = &source->layout,
        .machine = system->machine,
        .long_axis = side,
        .payloads = {.words = source->layout.slices + 1},
    };
    enum cm_status status = CM_OK;
    if (!cm_machine_timing_only(system->machine)) {
        status = cm_machine_planes(system->machine, source->address, source->layout.local_words,
                                   &sender.src, err);
        if (status == CM_OK)
            status = cm_machine_planes(system->machine, sender.side->work, sender.side->work_words,
                                       &sender.dst, err);
        if (status != CM_OK)
            return status;
    }
    sender.next = calloc(source->layout.nodes, sizeof *sender.next);
    status = sender.next ? send(system, &sender, err) : cm_error_no_memory(err);
    cm_payloads_finish(&sender.payloads);
    free(sender.next);
    return status;
}
