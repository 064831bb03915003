/* Emits the exchanges of an IMP. The steps of a few exchanges form a group, and equal groups form
 * loops. */
#include "exchanges.h"

#include "emit.h"
#include "repeat.h"

#include <string.h>

#define POINTERS        CM_EXCHANGE_POINTERS
#define GROUP_EXCHANGES 4u  /* most exchanges in an iteration of a loop (PSHIFT paper, 4) */
#define DEPTH_MAX       64u /* deepest nesting of a looped setup's loops */

/* Steps of up to GROUP_EXCHANGES exchanges, and the number of words by which each pointer register
 * moves after the steps. */
struct group {
    struct cm_exchange_steps steps;
    /* loads of the next exchange, if exchanges overlap other work */
    struct cm_exchange_steps loads;
    int64_t advance[POINTERS];
};

/* The distinct groups of the code for a setup with loops, and the order in which they follow each
 * other. */
struct groups {
    CM_LIST(struct group) distinct;
    CM_LIST(uint32_t) order;
    bool failed;
};

/* True if a load reads a word that one of `count` unloads stores. */
static bool follows(const struct cm_exchange_step *load, const struct cm_exchange_step *unloads,
                    uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (unloads[i].pointer == load->pointer && unloads[i].offset == load->offset)
            return true;
    return false;
}

/*
 * Adds the steps after the start of exchange t, up to the start of the next exchange, for a machine
 * that overlaps exchanges with other work.
 *
 * While exchange t runs, the IMP loads the words of the next exchange and makes moves within nodes.
 * Then come the unloads, which wait for the end of exchange t. The last steps are the loads of
 * words that these unloads have stored. The next exchange runs while loops and pointers advance.
 */
static void add_overlapped(const struct cm_exchanges *exchanges, struct group *group, uint64_t t)
{
    struct cm_exchange_steps *steps = &group->steps, *loads = &group->loads;
    const bool more = t + 1 < exchanges->count;
    loads->count = 0;
    if (more)
        exchanges->transfers(exchanges->context, t + 1, CM_OP_LOADI, loads);
    const uint32_t load_count = loads->count;
    exchanges->transfers(exchanges->context, t, CM_OP_UNLOADI, loads);
    if (loads->failed)
        return;
    const struct cm_exchange_step *unloads = loads->items + load_count;
    const uint32_t unload_count = loads->count - load_count;
    for (uint32_t i = 0; i < load_count; i++)
        if (!follows(&loads->items[i], unloads, unload_count))
            cm_list_push(steps, loads->items[i]);
    if (exchanges->moves)
        exchanges->moves(exchanges->context, t, steps);
    for (uint32_t i = 0; i < unload_count; i++)
        cm_list_push(steps, unloads[i]);
    for (uint32_t i = 0; i < load_count; i++)
        if (follows(&loads->items[i], unloads, unload_count))
            cm_list_push(steps, loads->items[i]);
    if (more)
        cm_list_push(steps, (struct cm_exchange_step){.op = CM_OP_EXCHANGE});
}

/* Adds the loads before the first exchange, and the first exchange. */
static void add_first(const struct cm_exchanges *exchanges, struct group *group)
{
    exchanges->transfers(exchanges->context, 0, CM_OP_LOADI, &group->steps);
    cm_list_push(&group->steps, (struct cm_exchange_step){.op = CM_OP_EXCHANGE});
}

static void build_group(const struct cm_exchanges *exchanges, struct group *group, uint64_t first,
                        uint64_t count)
{
    struct cm_exchange_steps *steps = &group->steps;
    steps->count = 0;
    memset(group->advance, 0, sizeof group->advance);
    for (uint64_t t = first; t < first + count && t < exchanges->count; t++) {
        if (exchanges->overlap) {
            add_overlapped(exchanges, group, t);
            continue;
        }
        exchanges->transfers(exchanges->context, t, CM_OP_LOADI, steps);
        cm_list_push(steps, (struct cm_exchange_step){.op = CM_OP_EXCHANGE});
        exchanges->transfers(exchanges->context, t, CM_OP_UNLOADI, steps);
    }
}

/* Builds group `number` of the code with loops. If exchanges overlap other work, group 0 has only
 * the first loads and the first exchange. */
static void build_numbered(const struct cm_exchanges *exchanges, struct group *group,
                           uint64_t number)
{
    const uint64_t before = exchanges->overlap ? 1 : 0;
    if (number < before)
        build_group(exchanges, group, 0, 0);
    else
        build_group(exchanges, group, (number - before) * GROUP_EXCHANGES, GROUP_EXCHANGES);
    if (number < before)
        add_first(exchanges, group);
}

static bool failed(const struct group *group)
{
    return group->steps.failed || group->loads.failed;
}

static void finish_group(struct group *group)
{
    cm_list_finish(&group->steps);
    cm_list_finish(&group->loads);
}

static void emit_step(const struct cm_exchanges *exchanges, const struct cm_exchange_step *step)
{
    struct cm_operand memory = cm_mem(step->pointer, step->offset);
    struct cm_operand table = cm_mem(exchanges->tables, step->table);
    if (step->op == CM_OP_MOVE)
        cm_emit_move(exchanges->imp, (struct cm_place){step->pointer, step->offset},
                     (struct cm_place){step->field, step->offset}, step->table);
    else if (step->op == CM_OP_LOADI)
        CM_EMIT(exchanges->imp, CM_OP_LOADI, cm_reg(CM_TRANSPOSER_A), memory, table,
                cm_value(step->field), cm_value(step->half));
    else if (step->op == CM_OP_UNLOADI)
        CM_EMIT(exchanges->imp, CM_OP_UNLOADI, memory, cm_reg(CM_TRANSPOSER_B), table,
                cm_value(step->field), cm_value(step->half));
    else
        cm_emit_exchange(exchanges->imp);
}

static void emit_group(const struct cm_exchanges *exchanges, const struct group *group)
{
    for (uint32_t i = 0; i < group->steps.count; i++)
        emit_step(exchanges, &group->steps.items[i]);
    for (unsigned p = 0; p < POINTERS; p++)
        cm_emit_advance(exchanges->imp, p, group->advance[p]);
}

void cm_exchanges_unrolled(const struct cm_exchanges *exchanges)
{
    const int64_t start[POINTERS] = {0};
    struct group group = {0};
    exchanges->point(exchanges->context, start);
    if (exchanges->overlap) {
        add_first(exchanges, &group);
        emit_group(exchanges, &group);
    }
    for (uint64_t t = 0; t < exchanges->count && !failed(&group); t++) {
        build_group(exchanges, &group, t, 1);
        emit_group(exchanges, &group);
    }
    exchanges->imp->failed = exchanges->imp->failed || failed(&group);
    finish_group(&group);
}

static bool equal_groups(const struct group *a, const struct group *b)
{
    return a->steps.count == b->steps.count &&
           memcmp(a->advance, b->advance, sizeof a->advance) == 0 &&
           memcmp(a->steps.items, b->steps.items, a->steps.count * sizeof *a->steps.items) == 0;
}

/* Adds a group to the order of groups, and a copy of the group to the distinct groups if it
 * is new. */
static void add_group(struct groups *groups, const struct group *group)
{
    uint32_t i = 0;
    while (i < groups->distinct.count && !equal_groups(&groups->distinct.items[i], group))
        i++;
    cm_list_push(&groups->order, i);
    if (i == groups->distinct.count && cm_list_extend(&groups->distinct, i + 1)) {
        struct group *copy = &groups->distinct.items[i];
        memcpy(copy->advance, group->advance, sizeof copy->advance);
        for (uint32_t k = 0; k < group->steps.count; k++)
            cm_list_push(&copy->steps, group->steps.items[k]);
        groups->failed = groups->failed || copy->steps.failed;
    }
    groups->failed = groups->failed || groups->order.failed || groups->distinct.failed;
}

/* Finds the base of each pointer register for a group of steps: the offset of the pointer's first
 * use in the group. A pointer that the group does not use keeps its base. */
static void find_bases(const struct group *group, int64_t bases[POINTERS])
{
    bool seen[POINTERS] = {false};
    for (uint32_t i = 0; i < group->steps.count; i++) {
        const struct cm_exchange_step *step = &group->steps.items[i];
        if (step->op == CM_OP_EXCHANGE || seen[step->pointer])
            continue;
        seen[step->pointer] = true;
        bases[step->pointer] = step->offset;
        if (step->op == CM_OP_MOVE)
            bases[step->field] = step->offset;
    }
}

/* Makes the offsets of a group's steps relative to the bases of the pointers. `next` has the bases
 * of the next group, so each pointer moves from its base to its next base after the group. */
static void make_relative(struct group *group, const int64_t bases[POINTERS],
                          const int64_t next[POINTERS])
{
    for (uint32_t i = 0; i < group->steps.count; i++) {
        struct cm_exchange_step *step = &group->steps.items[i];
        if (step->op != CM_OP_EXCHANGE)
            step->offset -= bases[step->pointer];
    }
    for (unsigned p = 0; p < POINTERS; p++)
        group->advance[p] = next[p] - bases[p];
}

/* Splits the exchanges into groups, and makes their offsets relative to bases. Sets `start` to the
 * bases of the first group. */
static void collect_groups(const struct cm_exchanges *exchanges, struct groups *groups,
                           int64_t start[POINTERS])
{
    uint64_t count = (exchanges->count + GROUP_EXCHANGES - 1) / GROUP_EXCHANGES;
    count += exchanges->overlap;
    struct group pair[2] = {0};
    int64_t bases[POINTERS] = {0};
    int64_t next[POINTERS];
    build_numbered(exchanges, &pair[0], 0);
    find_bases(&pair[0], bases);
    memcpy(start, bases, sizeof bases);
    for (uint64_t g = 0; g < count && !groups->failed; g++) {
        struct group *now = &pair[g % 2];
        struct group *later = &pair[(g + 1) % 2];
        build_numbered(exchanges, later, g + 1);
        memcpy(next, bases, sizeof next);
        find_bases(later, next);
        make_relative(now, bases, next);
        add_group(groups, now);
        memcpy(bases, next, sizeof bases);
        groups->failed = groups->failed || failed(now) || failed(later);
    }
    finish_group(&pair[0]);
    finish_group(&pair[1]);
}

static void emit_tokens(const struct cm_exchanges *exchanges, const struct groups *groups,
                        const struct cm_repeat *repeat)
{
    uint32_t starts[DEPTH_MAX] = {0};
    uint32_t depth = 0;
    for (uint32_t i = 0; i < repeat->count; i++) {
        struct cm_repeat_token token = repeat->items[i];
        if (token.kind == CM_REPEAT_SYMBOL)
            emit_group(exchanges, &groups->distinct.items[token.value]);
        else if (token.kind == CM_REPEAT_BEGIN)
            starts[depth++] = CM_EMIT(exchanges->imp, CM_OP_LOOP, cm_value(token.value));
        else
            cm_emit_next(exchanges->imp, starts[--depth]);
    }
}

enum cm_status cm_exchanges_looped(const struct cm_exchanges *exchanges, uint32_t depth,
                                   struct cm_error *err)
{
    struct groups groups = {0};
    struct cm_repeat repeat = {0};
    int64_t start[POINTERS] = {0};
    collect_groups(exchanges, &groups, start);
    enum cm_status status = groups.failed ? cm_error_no_memory(err) : CM_OK;
    if (status == CM_OK)
        status = cm_repeat_find(groups.order.items, groups.order.count,
                                depth < DEPTH_MAX ? depth : DEPTH_MAX, &repeat, err);
    if (status == CM_OK) {
        exchanges->point(exchanges->context, start);
        emit_tokens(exchanges, &groups, &repeat);
    }
    for (uint32_t i = 0; i < groups.distinct.count; i++)
        cm_list_finish(&groups.distinct.items[i].steps);
    cm_list_finish(&groups.distinct);
    cm_list_finish(&groups.order);
    cm_list_finish(&repeat);
    return status;
}
