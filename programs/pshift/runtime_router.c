/*
 * The router path of a shift.
 *
 * Each element that belongs to another node is a packet of its own: the element's slices, and its
 * local place, which travels in the header and costs no word. A node sends its elements one after
 * the other, in the order of its memory. Packets use e-cube routing and cut-through switching over
 * both channels of a dimension, and the buffers of the machine description. A delivered element is
 * written to its place immediately.
 *
 * That the run-time library used the router in this way is our assumption. The papers describe the
 * exchange path only.
 */
#include "runtime_private.h"

#include "../../sim/machine/observer.h"
#include "../system/payloads.h"

#include <inttypes.h>
#include <stdlib.h>

#define NOWHERE UINT32_MAX

/* Destination of the element at a place of the axis. */
struct target {
    uint32_t coordinate; /* NOWHERE if the element stays in its node or has no destination */
    uint64_t index;      /* local index along the axis */
};

struct sender {
    const struct cm_runtime_task *task;
    const struct cm_axis *axis;
    const struct cm_machine *machine;
    struct target *targets; /* one for each place of the axis */
    uint64_t *next;         /* next element of each node to look at */
    uint64_t round;         /* packets that a node has sent before */
    uint32_t node;
    bool sending; /* true if some node has sent in this round */
    bool padded;  /* true if another axis is padded */
    struct cm_payloads payloads;
    struct cm_planes src, dst; /* without words in a run of timing only */
    bool failed;
};

static struct cm_router_options options_of(const struct cm_machine *machine,
                                           const struct cm_layout *layout)
{
    const struct cm_config *config = cm_machine_config(machine);
    return (struct cm_router_options){
        .dimensions = cm_machine_dimensions(machine),
        .channels = config->network_channels_per_dimension,
        .words = layout->slices,
        .header_words = config->router_header_words,
        .buffer_words = config->router_buffer_words,
        .switching = CM_SWITCHING_CUT_THROUGH,
        .routing = CM_ROUTING_ECUBE,
        .threads = cm_machine_threads(machine),
    };
}

/* Sets *place to the place that takes the element at place `s`. Returns false if there is no such
 * place. */
static bool find_place(const struct cm_runtime_task *task, int64_t length, int64_t s,
                       int64_t *place)
{
    *place = s - task->distance;
    if (task->circular)
        *place += *place < 0 ? length : 0;
    return s < length && *place >= 0 && *place < length;
}

static bool find_targets(struct sender *sender)
{
    const struct cm_axis *axis = sender->axis;
    uint64_t places = axis->local_length << axis->node_bits;
    sender->targets = calloc(places, sizeof *sender->targets);
    for (uint64_t s = 0; sender->targets != NULL && s < places; s++) {
        int64_t place;
        struct target *target = &sender->targets[s];
        target->coordinate = NOWHERE;
        if (!find_place(sender->task, (int64_t)axis->length, (int64_t)s, &place) ||
            (uint64_t)place / axis->local_length == s / axis->local_length)
            continue;
        target->coordinate = (uint32_t)((uint64_t)place / axis->local_length);
        target->index = (uint64_t)place % axis->local_length;
    }
    return sender->targets != NULL;
}

static uint32_t node_at(const struct cm_axis *axis, uint32_t node, uint32_t coordinate)
{
    uint32_t mask = ((UINT32_C(1) << axis->node_bits) - 1) << axis->first_dimension;
    return (node & ~mask) | cm_axis_encode(axis, coordinate) << axis->first_dimension;
}

/* Returns true if a local element belongs to the array. Padding of other axes does not send,
 * because the garbage mask excludes it. */
static bool exists(const struct sender *sender, uint32_t node, uint64_t element)
{
    const struct cm_layout *layout = sender->task->layout;
    for (uint32_t a = 0; sender->padded && a < layout->rank; a++) {
        const struct cm_axis *axis = &layout->axes[a];
        uint64_t index = element % axis->local_length;
        element /= axis->local_length;
        if (cm_layout_coordinate(layout, node, a) * axis->local_length + index >= axis->length)
            return false;
    }
    return true;
}

/* Puts the element's words into the packet. Returns CM_PAYLOAD_NONE when out of memory. */
static uint32_t load(struct sender *sender, uint32_t node, uint64_t element, uint64_t belongs)
{
    const struct cm_layout *layout = sender->task->layout;
    uint32_t payload = cm_payloads_take(&sender->payloads);
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

/* Finds the next element of a node that goes to another node. Returns false at the end. */
static bool next_of_node(struct sender *sender, uint32_t node, struct cm_router_packet *packet)
{
    const struct cm_layout *layout = sender->task->layout;
    uint64_t length = sender->axis->local_length;
    uint32_t coordinate = cm_layout_coordinate(layout, node, sender->task->axis);
    const struct target *targets = sender->targets + coordinate * length;
    for (uint64_t e = sender->next[node]; e < layout->local_elements; e++) {
        uint64_t index = e / sender->axis->stride % length;
        const struct target *target = &targets[index];
        if (target->coordinate == NOWHERE || !exists(sender, node, e))
            continue;
        sender->next[node] = e + 1;
        *packet = (struct cm_router_packet){
            .source = node,
            .destination = node_at(sender->axis, node, target->coordinate),
            /* earliest word time at which the packet may leave */
            .created = sender->round * layout->slices,
            .payload = CM_PAYLOAD_NONE,
        };
        if (sender->src.words != NULL)
            packet->payload =
                load(sender, node, e, e + (target->index - index) * sender->axis->stride);
        return !sender->failed;
    }
    sender->next[node] = layout->local_elements;
    return false;
}

static bool next_packet(void *context, struct cm_router_packet *packet)
{
    struct sender *sender = context;
    while (!sender->failed) {
        if (sender->node == sender->task->layout->nodes) {
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
    const struct cm_layout *layout = sender->task->layout;
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

enum cm_status cm_runtime_route_check(struct cm_system *system, const struct cm_runtime_task *task,
                                      struct cm_error *err)
{
    const struct cm_config *config = cm_machine_config(system->machine);
    uint32_t slices = task->layout->slices;
    if (task->layout->axes[task->axis].node_bits == 0 || slices <= config->router_buffer_words)
        return CM_OK;
    cm_error_set(err, CM_BAD_INPUT,
                 "an element of %" PRIu32 " words does not fit the router's buffers of %" PRIu32,
                 slices, config->router_buffer_words);
    cm_error_hint(err,
                  "set the machine's router.buffer_words to %" PRIu32
                  " or more, or use the path \"exchange\"",
                  slices);
    return CM_BAD_INPUT;
}

static enum cm_status send(struct cm_system *system, struct sender *sender, struct cm_error *err)
{
    const struct cm_router_options options = options_of(system->machine, sender->task->layout);
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

enum cm_status cm_runtime_route(struct cm_system *system, const struct cm_runtime_task *task,
                                uint64_t dst, uint64_t src, struct cm_error *err)
{
    const struct cm_layout *layout = task->layout;
    struct sender sender = {
        .task = task,
        .axis = &layout->axes[task->axis],
        .machine = system->machine,
        .payloads = {.words = layout->slices + 1},
    };
    if (sender.axis->node_bits == 0)
        return CM_OK;
    enum cm_status status = cm_runtime_route_check(system, task, err);
    if (status != CM_OK)
        return status;
    for (uint32_t a = 0; a < layout->rank; a++)
        sender.padded = sender.padded || (a != task->axis && layout->axes[a].padded);
    if (!cm_machine_timing_only(system->machine)) {
        status = cm_machine_planes(system->machine, src, layout->local_words, &sender.src, err);
        if (status == CM_OK)
            status = cm_machine_planes(system->machine, dst, layout->local_words, &sender.dst, err);
        if (status != CM_OK)
            return status;
    }
    sender.next = calloc(layout->nodes, sizeof *sender.next);
    if (sender.next == NULL || !find_targets(&sender))
        status = cm_error_no_memory(err);
    else
        status = send(system, &sender, err);
    cm_payloads_finish(&sender.payloads);
    free(sender.next);
    free(sender.targets);
    return status;
}
