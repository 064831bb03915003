/* Writes figures 4.22 to 4.24 of the textbook (Grama et al.) as tables: the messages that each node
 * holds after each step, and the paths of e-cube. */
#include "circular.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int digits_of(uint32_t value)
{
    return snprintf(NULL, 0, "%" PRIu32, value);
}

static void append_bits(struct cm_buffer *text, uint32_t value, uint32_t bits)
{
    for (uint32_t b = bits; b-- > 0;)
        cm_buffer_printf(text, "%u", value >> b & 1);
}

/* Writes the labels whose messages the nodes hold. held[node] is a label or CM_CIRCULAR_NOBODY. A
 * mesh is printed in rows and columns, other networks in one line. */
static void append_held(const struct cm_circular_plan *plan, const uint32_t *held,
                        struct cm_buffer *text)
{
    const struct cm_circular *task = &plan->task;
    int width = digits_of(task->nodes - 1);
    uint32_t columns = task->topology == CM_TOPOLOGY_MESH ? task->columns : task->nodes;
    for (uint32_t label = 0; label < task->nodes; label++) {
        uint32_t message = held[plan->node_of[label]];
        cm_buffer_printf(text, "%s", label % columns == 0 ? "  " : " ");
        if (message == CM_CIRCULAR_NOBODY)
            cm_buffer_printf(text, "%*s", width, ".");
        else
            cm_buffer_printf(text, "%*" PRIu32, width, message);
        cm_buffer_printf(text, "%s", (label + 1) % columns == 0 ? "\n" : "");
    }
}

static void append_map(const struct cm_circular_plan *plan, struct cm_buffer *text)
{
    cm_buffer_printf(text, "label at node\n");
    for (uint32_t label = 0; label < plan->task.nodes; label++) {
        cm_buffer_printf(text, "  %*" PRIu32 "  ", digits_of(plan->task.nodes - 1), label);
        append_bits(text, plan->node_of[label], plan->dimensions);
        cm_buffer_printf(text, "\n");
    }
}

static void append_sends(const struct cm_circular_plan *plan, const uint32_t *to,
                         struct cm_buffer *text)
{
    for (uint32_t label = 0; to != NULL && label < plan->task.nodes; label++) {
        uint32_t node = plan->node_of[label];
        if (to[node] != node && to[node] != CM_CIRCULAR_NOBODY)
            cm_buffer_printf(text, " %" PRIu32 ">%" PRIu32, label, plan->label_of[to[node]]);
    }
}

/* Updates `held` after one step in one direction. If `to` is NULL, all nodes keep their messages.
 * `next` is a buffer. */
static void move(const struct cm_circular_plan *plan, const uint32_t *to, uint32_t *held,
                 uint32_t *next)
{
    uint32_t nodes = UINT32_C(1) << plan->dimensions;
    for (uint32_t node = 0; node < nodes; node++)
        next[node] = CM_CIRCULAR_NOBODY;
    for (uint32_t node = 0; to != NULL && node < nodes; node++)
        if (to[node] != CM_CIRCULAR_NOBODY && held[node] != CM_CIRCULAR_NOBODY)
            next[to[node]] = held[node];
    if (to != NULL)
        memcpy(held, next, nodes * sizeof *held);
}

static void append_steps(const struct cm_circular_plan *plan, uint32_t *held, uint32_t *next,
                         struct cm_buffer *text)
{
    uint32_t nodes = UINT32_C(1) << plan->dimensions, number = 0;
    for (uint32_t node = 0; node < nodes; node++)
        held[node] = plan->label_of[node];
    cm_buffer_printf(text, "messages held by label at the start\n");
    append_held(plan, held, text);
    for (uint32_t i = 0; i < plan->run_count; i++) {
        const struct cm_circular_run *run = &plan->runs[i];
        for (uint32_t t = 0; t < run->times; t++) {
            move(plan, run->to, held, next);
            cm_buffer_printf(text, "step %" PRIu32 ": %s\n  sends:", ++number, run->how);
            append_sends(plan, run->to, text);
            cm_buffer_printf(text, "\n");
            append_held(plan, held, text);
        }
    }
}

/* Writes which labels send in a step, for the messages that are still under way. `held` is the
 * state before the step. */
static void append_live_sends(const struct cm_circular_plan *plan, const uint32_t *to,
                              const uint32_t *held, struct cm_buffer *text)
{
    for (uint32_t label = 0; to != NULL && label < plan->task.nodes; label++) {
        uint32_t node = plan->node_of[label];
        if (held[node] != CM_CIRCULAR_NOBODY && to[node] != node && to[node] != CM_CIRCULAR_NOBODY)
            cm_buffer_printf(text, " %" PRIu32 ">%" PRIu32, label, plan->label_of[to[node]]);
    }
}

/* Writes the messages that go forward and back on a linear array, each direction in a line, until
 * all messages have arrived. */
static void append_ways(const struct cm_circular_plan *plan, uint32_t *room, struct cm_buffer *text)
{
    uint32_t nodes = UINT32_C(1) << plan->dimensions, number = 0;
    uint32_t *forward = room, *next = room + nodes, *back = room + 2 * (size_t)nodes;
    for (uint32_t node = 0; node < nodes; node++) {
        uint32_t label = plan->label_of[node];
        bool onward = label < plan->task.nodes - plan->task.by;
        forward[node] = onward ? label : CM_CIRCULAR_NOBODY;
        back[node] = onward ? CM_CIRCULAR_NOBODY : label;
    }
    cm_buffer_printf(text, "messages held by label at the start, forward and back\n");
    append_held(plan, forward, text);
    append_held(plan, back, text);
    for (uint32_t i = 0; i < plan->run_count; i++) {
        const struct cm_circular_run *run = &plan->runs[i];
        for (uint32_t t = 0; t < run->times; t++) {
            cm_buffer_printf(text, "step %" PRIu32 ": %s\n  sends:", ++number, run->how);
            append_live_sends(plan, run->to, forward, text);
            append_live_sends(plan, run->back, back, text);
            cm_buffer_printf(text, "\n");
            move(plan, run->to, forward, next);
            move(plan, run->back, back, next);
            for (uint32_t node = 0; run->last && node < nodes; node++)
                if (forward[node] == CM_CIRCULAR_NOBODY)
                    forward[node] = back[node];
            append_held(plan, forward, text);
            if (!run->last)
                append_held(plan, back, text);
        }
    }
}

static void append_paths(const struct cm_circular_plan *plan, struct cm_buffer *text)
{
    const struct cm_circular *task = &plan->task;
    int width = digits_of(task->nodes - 1);
    cm_buffer_printf(text, "e-cube paths, lowest dimension first\n");
    for (uint32_t label = 0; label < task->nodes; label++) {
        uint32_t to = (label + task->by) % task->nodes;
        uint32_t node = plan->node_of[label];
        cm_buffer_printf(text, "  %*" PRIu32 " to %*" PRIu32 ": ", width, label, width, to);
        append_bits(text, node, plan->dimensions);
        for (uint32_t rest = node ^ plan->node_of[to]; rest != 0; rest &= rest - 1) {
            node ^= rest & (~rest + 1);
            cm_buffer_printf(text, " > ");
            append_bits(text, node, plan->dimensions);
        }
        cm_buffer_printf(text, "\n");
    }
}

void cm_circular_table(const struct cm_circular_plan *plan, struct cm_buffer *text)
{
    const struct cm_circular *task = &plan->task;
    cm_buffer_printf(text, "circular %" PRIu32 "-shift on %" PRIu32 " nodes\n", task->by,
                     task->nodes);
    if (task->method == CM_CIRCULAR_ECUBE) {
        append_paths(plan, text);
        return;
    }
    uint32_t *room = malloc(3 * sizeof *room << plan->dimensions);
    if (room == NULL) {
        text->failed = true;
        return;
    }
    if (task->topology == CM_TOPOLOGY_HYPERCUBE)
        append_map(plan, text);
    if (task->topology == CM_TOPOLOGY_LINEAR)
        append_ways(plan, room, text);
    else
        append_steps(plan, room, room + (UINT32_C(1) << plan->dimensions), text);
    free(room);
}
