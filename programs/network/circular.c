/* Makes the plans of circular shifts. circular.h explains the methods. */
#include "circular.h"

#include "../system/geometry.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the number of bits that numbers below `count` need. */
static uint32_t bits_for(uint32_t count)
{
    uint32_t bits = 0;
    while (UINT32_C(1) << bits < count)
        bits++;
    return bits;
}

/*
 * Returns the cube address of place i of a ring of `length` places, on a cube of bits_for(length)
 * dimensions. The ring goes up a Gray code with the top bit 0 and down the same code with the top
 * bit 1. So neighbours differ in one bit, as do the two ends. For powers of two the ring is the
 * Gray code itself.
 */
static uint32_t ring_address(uint32_t i, uint32_t length)
{
    if (length <= 2)
        return i;
    uint32_t top = UINT32_C(1) << (bits_for(length) - 1);
    return i < length / 2 ? cm_gray_encode(i) : cm_gray_encode(length - 1 - i) | top;
}

static bool fits_cube(uint32_t length)
{
    return length == 1 || length % 2 == 0;
}

static enum cm_status refuse_odd(const char *what, uint32_t length, struct cm_error *err)
{
    return cm_error_refuse(err,
                           "a hypercube has no rings of odd length: neighbours differ in one bit, "
                           "so a way around crosses an even number of channels",
                           "%s is %" PRIu32 ", expected an even number", what, length);
}

static enum cm_status check_mesh(const struct cm_circular *task, uint32_t *dimensions,
                                 struct cm_error *err)
{
    if (task->rows == 0 || task->columns == 0 ||
        (uint64_t)task->rows * task->columns != task->nodes)
        return cm_error_refuse(err, "rows times columns must be the nodes",
                               "a mesh of %" PRIu32 " x %" PRIu32 " does not have %" PRIu32
                               " nodes",
                               task->rows, task->columns, task->nodes);
    if (!fits_cube(task->rows))
        return refuse_odd("rows of the mesh", task->rows, err);
    if (!fits_cube(task->columns))
        return refuse_odd("columns of the mesh", task->columns, err);
    *dimensions = bits_for(task->rows) + bits_for(task->columns);
    return CM_OK;
}

/* Computes the number of dimensions of the smallest cube that holds the topology. Fails with
 * CM_BAD_INPUT for a number out of range. */
static enum cm_status check(const struct cm_circular *task, uint32_t *dimensions,
                            struct cm_error *err)
{
    uint32_t p = task->nodes;
    if (p < 2 || p > CM_CIRCULAR_NODES_MAX)
        return cm_error_refuse(err, "a circular shift needs two nodes or more",
                               "nodes is %" PRIu32 ", expected 2 to %u", p, CM_CIRCULAR_NODES_MAX);
    if (task->by == 0 || task->by >= p)
        return cm_error_refuse(
            err,
            "a circular q-shift on p nodes has 0 < q < p; a shift back by k is a shift by p - k",
            "by is %" PRIu32 ", expected 1 to %" PRIu32, task->by, p - 1);
    if (task->words == 0)
        return cm_error_set(err, CM_BAD_INPUT, "words is 0, expected at least 1");
    *dimensions = bits_for(p);
    if (task->topology == CM_TOPOLOGY_LINEAR)
        return CM_OK;
    if (task->topology == CM_TOPOLOGY_MESH)
        return check_mesh(task, dimensions, err);
    if (task->topology == CM_TOPOLOGY_RING)
        return fits_cube(p) ? CM_OK : refuse_odd("nodes of the ring", p, err);
    if ((p & (p - 1)) == 0)
        return CM_OK;
    return cm_error_refuse(err, "a hypercube has 2^d nodes; rings may have any even number",
                           "nodes is %" PRIu32 ", expected a power of two", p);
}

static uint32_t address_of(const struct cm_circular *task, uint32_t label)
{
    bool gray_labels = task->method != CM_CIRCULAR_ECUBE || task->labels == CM_LABELS_GRAY;
    if (task->topology == CM_TOPOLOGY_RING)
        return ring_address(label, task->nodes);
    if (task->topology == CM_TOPOLOGY_HYPERCUBE || task->topology == CM_TOPOLOGY_LINEAR)
        return gray_labels ? cm_gray_encode(label) : label;
    return ring_address(label / task->columns, task->rows) << bits_for(task->columns) |
           ring_address(label % task->columns, task->columns);
}

/* Returns a table of the node to which each node sends, in which every node keeps its message.
 * Returns NULL if memory runs out. */
static uint32_t *keep_all(const struct cm_circular_plan *plan)
{
    uint32_t nodes = UINT32_C(1) << plan->dimensions;
    uint32_t *to = malloc(nodes * sizeof *to);
    if (to == NULL)
        return NULL;
    for (uint32_t node = 0; node < nodes; node++)
        to[node] = node;
    return to;
}

/* Adds a run of `times` steps in which every node keeps its message, for the caller to change.
 * Returns the table of the run, or NULL if memory runs out. */
static uint32_t *add_run(struct cm_circular_plan *plan, uint32_t times, const char *what,
                         int64_t by)
{
    uint32_t *to = keep_all(plan);
    if (to == NULL)
        return NULL;
    struct cm_circular_run *run = &plan->runs[plan->run_count++];
    run->to = to;
    run->times = times;
    snprintf(run->how, sizeof run->how, "%s by %+" PRId64, what, by);
    plan->steps += times;
    return to;
}

/* Adds `steps` steps in which each label sends to the next label of its row or column. A row has
 * `length` labels, whose numbers are `stride` apart. */
static bool add_line(struct cm_circular_plan *plan, const char *what, uint32_t stride,
                     uint32_t length, int64_t direction, uint32_t steps)
{
    if (steps == 0)
        return true;
    uint32_t *to = add_run(plan, steps, what, direction);
    if (to == NULL)
        return false;
    for (uint32_t label = 0; label < plan->task.nodes; label++) {
        uint32_t place = label / stride % length;
        uint32_t next = (place + length + (uint32_t)direction) % length;
        to[plan->node_of[label]] = plan->node_of[label - place * stride + next * stride];
    }
    return true;
}

/* Adds a shift by `by` along rows or columns, in the shorter direction. */
static bool add_shift(struct cm_circular_plan *plan, const char *what, uint32_t stride,
                      uint32_t length, uint32_t by)
{
    bool forward = by <= length - by;
    return add_line(plan, what, stride, length, forward ? 1 : -1, forward ? by : length - by);
}

static uint32_t distance(uint32_t by, uint32_t length)
{
    by %= length;
    return by <= length - by ? by : length - by;
}

/* Adds one column step in which only the messages in columns `first` to `last` - 1 move. */
static bool add_compensation(struct cm_circular_plan *plan, int64_t direction, uint32_t first,
                             uint32_t last)
{
    const struct cm_circular *task = &plan->task;
    if (task->rows == 1)
        return true; /* With one row, no compensation is needed. */
    if (!add_line(plan, "compensating column step", task->columns, task->rows, direction, 1))
        return false;
    uint32_t *to = plan->runs[plan->run_count - 1].to;
    for (uint32_t label = 0; label < task->nodes; label++) {
        uint32_t column = label % task->columns;
        if (column < first || column >= last)
            to[plan->node_of[label]] = plan->node_of[label];
    }
    return true;
}

static bool plan_forward_mesh(struct cm_circular_plan *plan)
{
    const struct cm_circular *task = &plan->task;
    uint32_t r = task->rows, c = task->columns, along = task->by % c;
    bool good = add_line(plan, "row shift", 1, c, 1, along);
    if (good && along > 0)
        good = add_compensation(plan, 1, 0, along);
    return good && add_line(plan, "column shift", c, r, 1, task->by / c % r);
}

static bool plan_mesh(struct cm_circular_plan *plan)
{
    const struct cm_circular *task = &plan->task;
    uint32_t r = task->rows, c = task->columns;
    uint32_t along = task->by % c, down = task->by / c % r;
    if (task->method == CM_CIRCULAR_FORWARD)
        return plan_forward_mesh(plan);
    bool good = add_shift(plan, "row shift", 1, c, along);
    /* After the row shift, the messages that crossed the end of their row are in columns 0 to along
     * - 1. This holds for row shifts in both directions. */
    bool back = along > 0 && distance(down + 1, r) < distance(down, r);
    if (good && along > 0)
        good = back ? add_compensation(plan, -1, along, c) : add_compensation(plan, 1, 0, along);
    return good && add_shift(plan, "column shift", c, r, (down + back) % r);
}

/* Fills in `to` for a step in which all messages of a linear array move one place in a direction.
 * No message leaves the line at its ends. */
static void move_along(const struct cm_circular_plan *plan, int64_t direction, uint32_t *to)
{
    uint32_t p = plan->task.nodes;
    for (uint32_t label = 0; label < p; label++) {
        bool ends = label == (direction > 0 ? p - 1 : 0);
        to[plan->node_of[label]] =
            ends ? CM_CIRCULAR_NOBODY : plan->node_of[label + (uint32_t)direction];
    }
}

/* Adds `times` steps of a linear array. `forward` and `back` say in which directions
 * messages move. */
static bool add_moves(struct cm_circular_plan *plan, uint32_t times, bool forward, bool back,
                      bool last)
{
    if (times == 0)
        return true;
    uint32_t *to = add_run(plan, times, "shift", forward ? 1 : -1), *other = keep_all(plan);
    if (to == NULL || other == NULL) {
        free(other);
        return false;
    }
    struct cm_circular_run *run = &plan->runs[plan->run_count - 1];
    run->back = other;
    run->last = last;
    if (forward && back)
        snprintf(run->how, sizeof run->how, "shifts by +1 and -1");
    if (forward)
        move_along(plan, 1, to);
    if (back)
        move_along(plan, -1, other);
    if (!forward && !last) {
        free(run->to);
        run->to = NULL;
    }
    if (!back && !last) {
        free(run->back);
        run->back = NULL;
    }
    return true;
}

static bool plan_linear(struct cm_circular_plan *plan)
{
    uint32_t q = plan->task.by, rest = plan->task.nodes - q;
    /* directions in which messages still move in the last step */
    bool forward = q >= rest, back = rest >= q;
    uint32_t both = q < rest ? q : rest, most = q < rest ? rest : q;
    if (forward && back)
        both--;
    return add_moves(plan, both, true, true, false) &&
           add_moves(plan, most - both - 1, forward, back, false) &&
           add_moves(plan, 1, forward, back, true);
}

/* Adds the steps of one phase: a shift by direction * 2^scale in Gray code. */
static bool add_phase(struct cm_circular_plan *plan, uint32_t scale, int64_t direction)
{
    uint32_t p = plan->task.nodes;
    uint32_t mirror = scale > 0 ? UINT32_C(1) << (scale - 1) : 0;
    int64_t by = direction * (INT64_C(1) << scale);
    if (scale > 0) {
        uint32_t *to = add_run(plan, 1, "first step of a shift", by);
        if (to == NULL)
            return false;
        for (uint32_t node = 0; node < p; node++)
            to[node] = node ^ mirror;
    }
    uint32_t *to = add_run(plan, 1, scale > 0 ? "second step of a shift" : "shift", by);
    if (to == NULL)
        return false;
    for (uint32_t label = 0; label < p; label++)
        to[cm_gray_encode(label) ^ mirror] = cm_gray_encode((label + (uint32_t)by) & (p - 1));
    return true;
}

/* Computes the signed binary digits of `by`. No two adjacent digits are non-zero, which gives the
 * fewest digits. Returns the number of steps that the digits take. */
static uint32_t signed_digits(int64_t by, int8_t digits[40])
{
    uint32_t steps = 0;
    memset(digits, 0, 40);
    for (uint32_t scale = 0; by != 0; scale++) {
        if (by & 1) {
            digits[scale] = (by & 3) == 3 ? -1 : 1;
            by -= digits[scale];
            steps += scale > 0 ? 2 : 1;
        }
        by /= 2;
    }
    return steps;
}

static bool plan_phases(struct cm_circular_plan *plan)
{
    int8_t digits[40], others[40];
    int64_t q = plan->task.by, p = plan->task.nodes;
    if (plan->task.method == CM_CIRCULAR_PHASES) {
        for (uint32_t scale = 0; scale < 40; scale++)
            digits[scale] = (int8_t)(q >> scale & 1);
    } else if (signed_digits(q - p, others) < signed_digits(q, digits)) {
        memcpy(digits, others, sizeof digits);
    }
    bool good = true;
    for (uint32_t scale = plan->dimensions; good && scale-- > 0;) {
        if (digits[scale] != 0)
            good = add_phase(plan, scale, digits[scale]);
    }
    return good;
}

static bool label_nodes(struct cm_circular_plan *plan)
{
    uint32_t nodes = UINT32_C(1) << plan->dimensions;
    plan->node_of = malloc(plan->task.nodes * sizeof *plan->node_of);
    plan->label_of = malloc(nodes * sizeof *plan->label_of);
    if (plan->node_of == NULL || plan->label_of == NULL)
        return false;
    for (uint32_t node = 0; node < nodes; node++)
        plan->label_of[node] = CM_CIRCULAR_NOBODY;
    for (uint32_t label = 0; label < plan->task.nodes; label++) {
        plan->node_of[label] = address_of(&plan->task, label);
        plan->label_of[plan->node_of[label]] = label;
    }
    return true;
}

enum cm_status cm_circular_plan(const struct cm_circular *task, struct cm_circular_plan *plan,
                                struct cm_error *err)
{
    memset(plan, 0, sizeof *plan);
    plan->task = *task;
    if (task->topology == CM_TOPOLOGY_MESH && task->method != CM_CIRCULAR_FORWARD)
        plan->task.method = CM_CIRCULAR_SHORTER;
    else if (task->topology != CM_TOPOLOGY_HYPERCUBE && task->topology != CM_TOPOLOGY_MESH)
        plan->task.method = CM_CIRCULAR_PHASES;
    enum cm_status status = check(task, &plan->dimensions, err);
    if (status != CM_OK)
        return status;
    bool good = label_nodes(plan);
    if (good && task->topology == CM_TOPOLOGY_RING)
        good = add_shift(plan, "shift", 1, task->nodes, task->by);
    else if (good && task->topology == CM_TOPOLOGY_MESH)
        good = plan_mesh(plan);
    else if (good && task->topology == CM_TOPOLOGY_LINEAR)
        good = plan_linear(plan);
    else if (good && task->method != CM_CIRCULAR_ECUBE)
        good = plan_phases(plan);
    return good ? CM_OK : cm_error_no_memory(err);
}

void cm_circular_plan_finish(struct cm_circular_plan *plan)
{
    for (uint32_t i = 0; i < plan->run_count; i++) {
        free(plan->runs[i].to);
        free(plan->runs[i].back);
    }
    free(plan->node_of);
    free(plan->label_of);
    memset(plan, 0, sizeof *plan);
}

void cm_circular_formula(const struct cm_circular *task, struct cm_buffer *text)
{
    if (task->topology == CM_TOPOLOGY_RING)
        cm_buffer_printf(text, "(ts + tw m) min(q, p - q)");
    else if (task->topology == CM_TOPOLOGY_LINEAR)
        cm_buffer_printf(text, "(ts + tw m) min(q, p - q), with wraparound");
    else if (task->topology == CM_TOPOLOGY_MESH && task->method == CM_CIRCULAR_FORWARD)
        cm_buffer_printf(text, "at most (ts + tw m) (q mod columns + 1 + floor(q / columns))");
    else if (task->topology == CM_TOPOLOGY_MESH && task->rows == task->columns)
        cm_buffer_printf(text, "at most (ts + tw m) (sqrt(p) + 1)");
    else if (task->topology == CM_TOPOLOGY_MESH)
        cm_buffer_printf(text, "at most (ts + tw m) (rows / 2 + columns / 2 + 1)");
    else if (task->method == CM_CIRCULAR_PHASES)
        cm_buffer_printf(text, "at most (ts + tw m) (2 log p - 1)");
    else if (task->method == CM_CIRCULAR_SIGNED)
        cm_buffer_printf(text, "at most (ts + tw m) log p");
    else
        cm_buffer_printf(text, "ts + tw m + th (log p - gamma(q))%s",
                         task->labels == CM_LABELS_GRAY ? ", for binary labels" : "");
}

double cm_circular_formula_time(const struct cm_circular *task, double ts, double tw, double th)
{
    uint32_t q = task->by, p = task->nodes;
    double message = ts + tw * task->words;
    if (task->topology == CM_TOPOLOGY_RING || task->topology == CM_TOPOLOGY_LINEAR)
        return message * (q < p - q ? q : p - q);
    if (task->topology == CM_TOPOLOGY_MESH && task->method == CM_CIRCULAR_FORWARD)
        return message * (q % task->columns + 1.0 + q / task->columns);
    if (task->topology == CM_TOPOLOGY_MESH) /* for a square mesh: sqrt(p) + 1 */
        return message * (task->rows / 2.0 + task->columns / 2.0 + 1);
    uint32_t log_p = bits_for(p), gamma = 0;
    while ((q >> gamma & 1) == 0)
        gamma++;
    if (task->method == CM_CIRCULAR_PHASES)
        return message * (2.0 * log_p - 1);
    if (task->method == CM_CIRCULAR_SIGNED)
        return message * log_p;
    return message + th * (log_p - gamma);
}
