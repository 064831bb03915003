/*
 * Scheduling: which operations are needed, their order, and their division into loops over the
 * nodes.
 *
 * Two orders are made: the order of the instructions, and an order that makes one result after the
 * other, each with everything it needs. The order that crowds the registers less is taken. A host
 * reads few planes at a time faster than many. So a loop over the nodes ends where no value is
 * alive and the next operations use other planes.
 *
 * Invariant: every operation comes after its operands and its edges, and units stay together.
 */
#include "ir.h"

#include <stdlib.h>
#include <string.h>

/* Fewest planes of a loop over the nodes, and most planes if the loop can end earlier
 * (docs/speed.md). */
#define PLANES_LOOP      4u
#define PLANES_LOOP_MOST 48u
/* Bounds of the search for a related result: results compared, and operations visited for each. */
#define RESULTS_LOOKED_AT 48u
#define OPS_LOOKED_AT     16u

struct planner {
    const struct cm_ir *ir;
    struct cm_ir_plan *plan;
    uint32_t registers, blocks;
    bool *needed;
    uint32_t *key; /* [write-back]: operation before which it is placed */
    /* [operation]: number, from 1, of the result for which the operation was placed, or 0 if it is
     * not placed */
    uint32_t *tree;
    uint32_t *depth; /* length of the longest path from a leaf to each operation */
    uint32_t *stack; /* stack of operations */
    uint32_t *by_instruction, *by_result;
    uint32_t *results;
    uint32_t *last; /* place where each value is used last, in the order being examined */
    /* [plane]: number of the result, or of the piece of the order, that last accessed the plane */
    uint32_t *plane_in;
};

static void operands_of(const struct cm_ir_op *op, uint32_t *operands)
{
    operands[0] = op->a;
    operands[1] = op->b;
    operands[2] = op->c;
}

/* True if operand k has not occurred among the operands before it. */
static bool is_new(const uint32_t *operands, uint32_t k)
{
    if (operands[k] == CM_IR_NONE)
        return false;
    for (uint32_t i = 0; i < k; i++)
        if (operands[i] == operands[k])
            return false;
    return true;
}

static bool is_leaf(const struct planner *p, uint32_t value)
{
    return cm_ir_is_leaf(&p->ir->ops[value]);
}

static uint32_t edges_end(const struct cm_ir *ir, uint32_t op)
{
    return op + 1 < ir->count ? ir->ops[op + 1].edges : ir->edge_count;
}

static void find_needed(struct planner *p)
{
    for (uint32_t i = p->ir->count; i-- > 0;) {
        const struct cm_ir_op *op = &p->ir->ops[i];
        uint32_t operands[3];
        p->needed[i] = p->needed[i] || !cm_ir_has_value(op);
        if (!p->needed[i] || cm_ir_is_leaf(op))
            continue;
        operands_of(op, operands);
        for (uint32_t k = 0; k < 3; k++)
            if (operands[k] != CM_IR_NONE)
                p->needed[operands[k]] = true;
    }
}

static void find_depths(struct planner *p)
{
    uint32_t operands[3];
    for (uint32_t i = 0; i < p->ir->count; i++) {
        operands_of(&p->ir->ops[i], operands);
        for (uint32_t k = 0; k < 3 && !is_leaf(p, i); k++)
            if (operands[k] != CM_IR_NONE && p->depth[operands[k]] >= p->depth[i])
                p->depth[i] = p->depth[operands[k]] + 1;
    }
}

/* ---- the order of the instructions ---- */

static bool is_writeback(const struct cm_ir_op *op)
{
    return op->kind >= CM_IR_WRITEBACK && op->kind <= CM_IR_WRITEBACK_CONTEXT;
}

/* Finds the earliest place for write-backs of registers. They are at the end of a segment in the
 * IR, and are placed as early as possible. */
static void find_keys(struct planner *p, struct cm_ir_segment segment)
{
    for (uint32_t i = segment.first; i < segment.end; i++) {
        const struct cm_ir_op *op = &p->ir->ops[i];
        p->key[i] = i;
        if (!is_writeback(op))
            continue;
        p->key[i] = op->after;
        if (!is_leaf(p, op->a) && op->a + 1 > p->key[i])
            p->key[i] = op->a + 1;
        for (uint32_t e = op->edges; e < edges_end(p->ir, i); e++)
            if (p->needed[p->ir->edges[e]] && p->ir->edges[e] + 1 > p->key[i])
                p->key[i] = p->ir->edges[e] + 1;
    }
}

/* Sorts the write-backs of a segment onto the stack, by the operations before which they are
 * placed. Returns the number of write-backs. */
static uint32_t sort_writebacks(struct planner *p, struct cm_ir_segment segment)
{
    uint32_t count = 0;
    for (uint32_t i = segment.end; i > segment.first && is_writeback(&p->ir->ops[i - 1]); i--) {
        uint32_t at = count++;
        for (; at > 0 && p->key[p->stack[at - 1]] > p->key[i - 1]; at--)
            p->stack[at] = p->stack[at - 1];
        p->stack[at] = i - 1;
    }
    return count;
}

/* Lists the operations of a segment that are needed, in the order of the IMP's instructions. A
 * store to an FPU register is placed before the operation whose index is its `key`. */
static uint32_t order_by_instruction(struct planner *p, struct cm_ir_segment segment)
{
    const uint32_t writeback_count = sort_writebacks(p, segment),
                   end = segment.end - writeback_count;
    uint32_t count = 0, writeback = 0;
    for (uint32_t i = segment.first; i <= end; i++) {
        while (writeback < writeback_count && (i == end || p->key[p->stack[writeback]] <= i))
            p->by_instruction[count++] = p->stack[writeback++];
        if (i < end && p->needed[i] && !is_leaf(p, i))
            p->by_instruction[count++] = i;
    }
    return count;
}

/* ---- the order of the results ---- */

static void touch_planes(struct planner *p, uint32_t op, uint32_t mark)
{
    uint32_t operands[3];
    operands_of(&p->ir->ops[op], operands);
    for (uint32_t k = 0; k < 3; k++)
        if (operands[k] != CM_IR_NONE && p->ir->ops[operands[k]].kind == CM_IR_PLANE)
            p->plane_in[p->ir->ops[operands[k]].number] = mark;
    if (p->ir->ops[op].kind == CM_IR_STORE)
        p->plane_in[p->ir->ops[op].number] = mark;
}

static bool is_done(const struct planner *p, uint32_t op)
{
    return !p->needed[op] || is_leaf(p, op) || p->tree[op] != 0;
}

/* Pushes onto the stack the operations that must come before operation `op`. */
static void push_needs(struct planner *p, uint32_t op, uint32_t *depth)
{
    const struct cm_ir_op *o = &p->ir->ops[op];
    uint32_t operands[3];
    operands_of(o, operands);
    for (uint32_t e = edges_end(p->ir, op); e-- > o->edges;)
        if (!is_done(p, p->ir->edges[e]))
            p->stack[(*depth)++] = p->ir->edges[e];
    for (uint32_t k = 3; k-- > 0;)
        if (operands[k] != CM_IR_NONE && !is_done(p, operands[k]))
            p->stack[(*depth)++] = operands[k];
}

static uint32_t first_of_unit(const struct planner *p, uint32_t op)
{
    while (op > 0 && p->ir->ops[op - 1].unit == p->ir->ops[op].unit)
        op--;
    return op;
}

static uint32_t end_of_unit(const struct planner *p, uint32_t op)
{
    while (op + 1 < p->ir->count && p->ir->ops[op + 1].unit == p->ir->ops[op].unit)
        op++;
    return op + 1;
}

/* Sorts a part of the stack by depth, so that the operation with the longest path from a leaf is
 * placed first. Then fewer values are alive at a time. */
static void deepest_last(struct planner *p, uint32_t first, uint32_t end)
{
    for (uint32_t i = first + 1; i < end; i++) {
        const uint32_t op = p->stack[i];
        uint32_t at = i;
        for (; at > first && p->depth[p->stack[at - 1]] > p->depth[op]; at--)
            p->stack[at] = p->stack[at - 1];
        p->stack[at] = op;
    }
}

/* Places a result, an operation without a value, after all operations that it needs. Operations of
 * one unit are placed together. */
static uint32_t do_result(struct planner *p, uint32_t result, uint32_t number, uint32_t count)
{
    uint32_t depth = 0;
    p->stack[depth++] = result;
    while (depth > 0) {
        const uint32_t op = p->stack[depth - 1], before = depth;
        const uint32_t first = first_of_unit(p, op), end = end_of_unit(p, op);
        if (is_done(p, op)) {
            depth--;
            continue;
        }
        for (uint32_t i = end; i-- > first;)
            if (!is_done(p, i))
                push_needs(p, i, &depth);
        for (uint32_t i = before; i < depth;) /* removes operations of the unit itself */
            if (p->ir->ops[p->stack[i]].unit == p->ir->ops[op].unit)
                p->stack[i] = p->stack[--depth];
            else
                i++;
        if (depth > before) {
            deepest_last(p, before, depth);
            continue;
        }
        for (uint32_t i = first; i < end; i++) {
            if (is_done(p, i))
                continue;
            p->tree[i] = number;
            p->by_result[count++] = i;
            touch_planes(p, i, number);
        }
        depth--;
    }
    return count;
}

/* True if a result needs a plane or an operation that the previous result, number `number`,
 * needed. */
static bool is_related(struct planner *p, uint32_t result, uint32_t number)
{
    uint32_t depth = 0, operands[3];
    p->stack[depth++] = result;
    for (uint32_t seen = 0; depth > 0 && seen < OPS_LOOKED_AT; seen++) {
        const uint32_t op = p->stack[--depth];
        operands_of(&p->ir->ops[op], operands);
        for (uint32_t k = 0; k < 3; k++) {
            if (operands[k] == CM_IR_NONE)
                continue;
            const struct cm_ir_op *o = &p->ir->ops[operands[k]];
            if (o->kind == CM_IR_PLANE ? p->plane_in[o->number] == number
                                       : p->tree[operands[k]] == number)
                return true;
            if (!is_done(p, operands[k]))
                p->stack[depth++] = operands[k];
        }
    }
    return false;
}

/* Chooses the operation whose tree of operands is scheduled next, among the results from index
 * `first` on. Prefers a result whose tree shares operations with the previous one. Otherwise the
 * result at `first` is next. */
static uint32_t next_result(struct planner *p, uint32_t first, uint32_t count, uint32_t number)
{
    uint32_t looked_at = 0;
    for (uint32_t i = first; number > 0 && i < count && looked_at < RESULTS_LOOKED_AT; i++) {
        if (p->tree[p->results[i]] != 0)
            continue;
        if (is_related(p, p->results[i], number))
            return i;
        looked_at++;
    }
    return first;
}

static uint32_t order_by_result(struct planner *p, uint32_t count)
{
    uint32_t results = 0, done = 0, number = 0;
    memset(p->plane_in, 0, p->ir->planes * sizeof *p->plane_in);
    for (uint32_t i = 0; i < count; i++)
        if (!cm_ir_has_value(&p->ir->ops[p->by_instruction[i]]))
            p->results[results++] = p->by_instruction[i];
    for (uint32_t first = 0;;) {
        while (first < results && p->tree[p->results[first]] != 0)
            first++;
        if (first == results)
            return done;
        const uint32_t next = next_result(p, first, results, number);
        done = do_result(p, p->results[next], ++number, done);
    }
}

/* ---- values that are alive ---- */

/* Finds the last use of each value between places `first` and `end`. */
static void find_last(struct planner *p, const uint32_t *order, uint32_t first, uint32_t end)
{
    uint32_t operands[3];
    for (uint32_t i = first; i < end; i++) {
        p->last[order[i]] = i;
        operands_of(&p->ir->ops[order[i]], operands);
        for (uint32_t k = 0; k < 3; k++)
            if (operands[k] != CM_IR_NONE)
                p->last[operands[k]] = i;
    }
}

/* Returns the change of the number of live values at an operation. Counts vectors only, or all
 * values if `all` or if masks are vectors. */
static int32_t added(const struct planner *p, uint32_t op, uint32_t place, bool all)
{
    int32_t sum = 0;
    uint32_t operands[3];
    all = all || p->ir->in_lanes;
    operands_of(&p->ir->ops[op], operands);
    for (uint32_t k = 0; k < 3; k++) {
        if (!is_new(operands, k) || is_leaf(p, operands[k]))
            continue;
        if (p->last[operands[k]] == place && (all || !cm_ir_is_mask(&p->ir->ops[operands[k]])))
            sum--;
    }
    if (cm_ir_has_value(&p->ir->ops[op]) && p->last[op] > place &&
        (all || !cm_ir_is_mask(&p->ir->ops[op])))
        sum++;
    return sum;
}

/* Returns the largest number of vectors that are alive at a time. */
static uint32_t most_live(const struct planner *p, const uint32_t *order, uint32_t first,
                          uint32_t end)
{
    int32_t live = 0, most = 0;
    for (uint32_t i = first; i < end; i++) {
        live += added(p, order[i], i, false);
        most = live > most ? live : most;
    }
    return (uint32_t)most;
}

/* Returns how crowded the registers are in an order: the largest number of live vectors or, if
 * registers are few, the live vectors beyond the registers, summed over the places. */
static uint64_t crowding(const struct planner *p, const uint32_t *order, uint32_t end)
{
    int64_t live = 0, sum = 0;
    for (uint32_t i = 0; i < end && p->ir->in_lanes; i++) {
        live += added(p, order[i], i, false);
        sum += live > p->registers ? live - p->registers : 0;
    }
    return p->ir->in_lanes ? (uint64_t)sum : most_live(p, order, 0, end);
}

/* Returns the number of lane blocks whose live vectors fit the registers. Where registers are few,
 * two blocks are faster than one even if a third of the vectors is in slots, because the operations
 * of one block wait for each other. */
static uint32_t blocks_for(const struct planner *p, uint32_t live)
{
    uint32_t blocks = p->blocks;
    while (blocks > 2 && blocks * live > p->registers)
        blocks /= 2;
    return blocks == 2 && 2 * live > p->registers * (p->ir->in_lanes ? 3 : 1) ? 1 : blocks;
}

/* ---- loops ---- */

static void add_loop(struct planner *p, uint32_t first, uint32_t end, uint32_t planes)
{
    p->plan->crowded = p->plan->crowded || planes > PLANES_LOOP_MOST;
    struct cm_ir_plan *plan = p->plan;
    plan->loops[plan->loop_count++] =
        (struct cm_ir_loop){first, end, blocks_for(p, most_live(p, plan->order, first, end))};
}

/* Marks the planes that an operation accesses. Returns the number of planes that the current loop
 * has not accessed, and counts planes of earlier pieces of the loop in *shared. */
static uint32_t mark_planes(struct planner *p, uint32_t op, uint32_t low, uint32_t mark,
                            uint32_t *shared)
{
    const struct cm_ir_op *o = &p->ir->ops[op];
    uint32_t operands[3], count = 0;
    operands_of(o, operands);
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t number = CM_IR_NONE;
        if (k < 3 && operands[k] != CM_IR_NONE && p->ir->ops[operands[k]].kind == CM_IR_PLANE)
            number = p->ir->ops[operands[k]].number;
        else if (k == 3 && o->kind == CM_IR_STORE)
            number = o->number;
        if (number == CM_IR_NONE || p->plane_in[number] == mark)
            continue;
        if (p->plane_in[number] >= low)
            (*shared)++;
        else
            count++;
        p->plane_in[number] = mark;
    }
    return count;
}

/* Divides the order into pieces between which no value is alive, and joins pieces to loops. */
static void find_loops(struct planner *p, uint32_t first, uint32_t end)
{
    uint32_t begin = first, piece = first, mark = 1, low = 1, loop_planes = 0;
    uint32_t fresh = 0, shared = 0;
    int32_t live = 0;
    memset(p->plane_in, 0, p->ir->planes * sizeof *p->plane_in);
    for (uint32_t i = first; i < end; i++) {
        live += added(p, p->plan->order[i], i, true);
        fresh += mark_planes(p, p->plan->order[i], low, mark, &shared);
        if (i + 1 < end && (live > 0 || fresh + shared < PLANES_LOOP))
            continue;
        /* A piece ends here. It joins the current loop, or begins a new one. */
        const bool small = fresh + shared < PLANES_LOOP;
        if (piece > begin && !small && !(shared > 0 && loop_planes + fresh <= PLANES_LOOP_MOST)) {
            add_loop(p, begin, piece, loop_planes);
            begin = piece;
            low = mark;
            loop_planes = 0;
            fresh += shared;
        }
        loop_planes += fresh;
        piece = i + 1;
        fresh = shared = 0;
        mark++;
    }
    if (begin < end)
        add_loop(p, begin, end, loop_planes);
}

static void plan_segment(struct planner *p, struct cm_ir_segment segment)
{
    struct cm_ir_plan *plan = p->plan;
    find_keys(p, segment);
    const uint32_t count = order_by_instruction(p, segment);
    order_by_result(p, count);
    find_last(p, p->by_result, 0, count);
    const uint64_t crowding_by_result = crowding(p, p->by_result, count);
    find_last(p, p->by_instruction, 0, count);
    const bool by_result = crowding_by_result < crowding(p, p->by_instruction, count);
    const uint32_t first = plan->count;
    memcpy(plan->order + first, by_result ? p->by_result : p->by_instruction,
           count * sizeof *plan->order);
    plan->count += count;
    find_last(p, plan->order, first, plan->count);
    find_loops(p, first, plan->count);
}

/* ---- the whole schedule ---- */

static void find_uses(struct planner *p)
{
    struct cm_ir_plan *plan = p->plan;
    uint32_t operands[3], *at = p->last;
    for (uint32_t i = 0; i < plan->count; i++) {
        operands_of(&p->ir->ops[plan->order[i]], operands);
        for (uint32_t k = 0; k < 3; k++)
            if (is_new(operands, k))
                plan->first[operands[k] + 1]++;
    }
    for (uint32_t v = 0; v < p->ir->count; v++) {
        at[v] = plan->first[v];
        plan->first[v + 1] += plan->first[v];
    }
    for (uint32_t i = 0; i < plan->count; i++) {
        operands_of(&p->ir->ops[plan->order[i]], operands);
        for (uint32_t k = 0; k < 3; k++)
            if (is_new(operands, k))
                plan->uses[at[operands[k]]++] = i;
    }
}

static bool allocate(struct planner *p, uint32_t *words)
{
    const uint32_t n = p->ir->count;
    struct cm_ir_plan *plan = p->plan;
    uint32_t **const arrays[] = {&p->key,       &p->tree,    &p->depth, &p->by_instruction,
                                 &p->by_result, &p->results, &p->last};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++, words += n)
        *arrays[i] = words;
    p->plane_in = words;
    /* The stack needs room for an operation once for each operation that needs it. */
    p->stack = malloc(((size_t)4 * n + p->ir->edge_count + 65) * sizeof *p->stack);
    p->needed = calloc(n, sizeof *p->needed);
    plan->order = malloc(n * sizeof *plan->order);
    plan->uses = malloc(((size_t)3 * n + 1) * sizeof *plan->uses);
    plan->first = calloc((size_t)n + 1, sizeof *plan->first);
    plan->loops = malloc(((size_t)n + 1) * sizeof *plan->loops);
    return p->stack && p->needed && plan->order && plan->uses && plan->first && plan->loops;
}

void cm_ir_plan_make(struct cm_ir_plan *plan, const struct cm_ir *ir, uint32_t registers,
                     uint32_t blocks)
{
    struct planner p = {.ir = ir, .plan = plan, .registers = registers, .blocks = blocks};
    *plan = (struct cm_ir_plan){0};
    uint32_t *words = calloc((size_t)7 * ir->count + ir->planes, sizeof *words);
    plan->failed = !words || !allocate(&p, words);
    if (!plan->failed) {
        find_needed(&p);
        find_depths(&p);
        for (uint32_t i = 0; i < ir->segment_count; i++)
            plan_segment(&p, ir->segments[i]);
        find_uses(&p);
    }
    free(p.stack);
    free(p.needed);
    free(words);
}

void cm_ir_plan_finish(struct cm_ir_plan *plan)
{
    free(plan->order);
    free(plan->loops);
    free(plan->uses);
    free(plan->first);
}
