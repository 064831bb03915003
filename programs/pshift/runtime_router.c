/*
 * Shifts through the router. Each element that belongs in another node is a packet of its own. The
 * packet has the words of the element, and in its header the element's place in the other node. A
 * node sends its elements in the order of its memory. The sender (system/sending.h) runs the
 * router.
 *
 * The papers describe only the path over exchanges. We assume that the run-time library used the
 * router in this way.
 */
#include "../system/sending.h"
#include "runtime_private.h"

#include <stdlib.h>

#define NOWHERE UINT32_MAX

/* Target of the element at a place of the axis: a coordinate and a local index. */
struct target {
    /* coordinate along the axis. NOWHERE: the element stays in its node or is dropped */
    uint32_t coordinate;
    uint64_t index; /* local index along the axis */
};

/* Packets that the nodes send in a shift through the router. */
struct traffic {
    const struct cm_runtime_task *task;
    const struct cm_axis *axis; /* axis of the shift */
    struct target *targets;     /* target of each place of the axis */
    bool padded;                /* true if an axis other than the shifted one has padding */
};

/* Finds the place that takes the element at place `s`. Returns false if no place takes it. */
static bool find_place(const struct cm_runtime_task *task, int64_t length, int64_t s,
                       int64_t *place)
{
    *place = s - task->distance;
    if (task->circular)
        *place += *place < 0 ? length : 0;
    return s < length && *place >= 0 && *place < length;
}

static bool find_targets(struct traffic *traffic)
{
    const struct cm_axis *axis = traffic->axis;
    uint64_t places = axis->local_length << axis->node_bits;
    traffic->targets = calloc(places, sizeof *traffic->targets);
    for (uint64_t s = 0; traffic->targets != NULL && s < places; s++) {
        int64_t place;
        struct target *target = &traffic->targets[s];
        target->coordinate = NOWHERE;
        if (!find_place(traffic->task, (int64_t)axis->length, (int64_t)s, &place) ||
            (uint64_t)place / axis->local_length == s / axis->local_length)
            continue;
        target->coordinate = (uint32_t)((uint64_t)place / axis->local_length);
        target->index = (uint64_t)place % axis->local_length;
    }
    return traffic->targets != NULL;
}

static uint32_t node_at(const struct cm_axis *axis, uint32_t node, uint32_t coordinate)
{
    uint32_t mask = ((UINT32_C(1) << axis->node_bits) - 1) << axis->first_dimension;
    return (node & ~mask) | cm_axis_encode(axis, coordinate) << axis->first_dimension;
}

/* True if a local element belongs to the array. The test keeps the padding of other axes from being
 * sent, as the machine's garbage mask does. */
static bool exists(const struct traffic *traffic, uint32_t node, uint64_t element)
{
    const struct cm_layout *layout = traffic->task->layout;
    for (uint32_t a = 0; traffic->padded && a < layout->rank; a++) {
        const struct cm_axis *axis = &layout->axes[a];
        uint64_t index = element % axis->local_length;
        element /= axis->local_length;
        if (cm_layout_coordinate(layout, node, a) * axis->local_length + index >= axis->length)
            return false;
    }
    return true;
}

/* Serves as `next` of a cm_sending: computes a node's next packet. The cursor is the number of the
 * next local element. */
static bool next_element(void *context, uint32_t node, uint64_t *cursor,
                         struct cm_sending_packet *packet)
{
    const struct traffic *traffic = context;
    const struct cm_layout *layout = traffic->task->layout;
    const uint64_t length = traffic->axis->local_length, stride = traffic->axis->stride;
    const uint32_t coordinate = cm_layout_coordinate(layout, node, traffic->task->axis);
    const struct target *targets = traffic->targets + coordinate * length;
    while (*cursor < layout->local_elements) {
        const uint64_t element = (*cursor)++, index = element / stride % length;
        const struct target *target = &targets[index];
        if (target->coordinate == NOWHERE || !exists(traffic, node, element))
            continue;
        *packet = (struct cm_sending_packet){
            .destination = node_at(traffic->axis, node, target->coordinate),
            .words = layout->slices,
            .from = element * layout->slices,
            .to = (uint32_t)((element + (target->index - index) * stride) * layout->slices),
        };
        return true;
    }
    return false;
}

enum cm_status cm_runtime_route_check(struct cm_system *system, const struct cm_runtime_task *task,
                                      struct cm_error *err)
{
    if (task->layout->axes[task->axis].node_bits == 0)
        return CM_OK;
    return cm_sending_check(system, task->layout->slices, ", or use the path \"exchange\"", err);
}

static enum cm_status find_planes(struct cm_system *system, const struct cm_layout *layout,
                                  uint64_t dst, uint64_t src, struct cm_sending *sending,
                                  struct cm_error *err)
{
    if (cm_machine_timing_only(system->machine))
        return CM_OK;
    const enum cm_status status =
        cm_machine_planes(system->machine, src, layout->local_words, &sending->src, err);
    return status == CM_OK
               ? cm_machine_planes(system->machine, dst, layout->local_words, &sending->dst, err)
               : status;
}

enum cm_status cm_runtime_route(struct cm_system *system, const struct cm_runtime_task *task,
                                uint64_t dst, uint64_t src, struct cm_error *err)
{
    const struct cm_layout *layout = task->layout;
    struct traffic traffic = {.task = task, .axis = &layout->axes[task->axis]};
    struct cm_sending sending = {
        .nodes = layout->nodes, .words = layout->slices, .next = next_element, .context = &traffic};
    if (traffic.axis->node_bits == 0)
        return CM_OK;
    enum cm_status status = cm_runtime_route_check(system, task, err);
    if (status == CM_OK)
        status = find_planes(system, layout, dst, src, &sending, err);
    if (status != CM_OK)
        return status;
    for (uint32_t a = 0; a < layout->rank; a++)
        traffic.padded = traffic.padded || (a != task->axis && layout->axes[a].padded);
    status =
        find_targets(&traffic) ? cm_sending_run(system, &sending, err) : cm_error_no_memory(err);
    free(traffic.targets);
    return status;
}
