/*
 * The PSHIFT compiler: from a plan to one IMP (P 3, 4).
 *
 *   local moves      for each shift, runs of words within a node, in loops
 *   exchanges        load A indirectly, exchange, unload B indirectly, until all elements have
 *                    crossed; unrolled, or looped with four exchanges an iteration
 *   constants        0 (or 1) for end-off boundaries waits in slot 0 of A and comes out of slot 16
 *                    of B
 *
 * A word between two hops waits where it will arrive: that place of the destination is not yet
 * needed in any node.
 */
#include "pshift_plan.h"

#include "../../base/list.h"
#include "../system/emit.h"
#include "repeat.h"
#include "schedule.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define GROUP_EXCHANGES 4u  /* in an iteration of the looped setup (P 4) */
#define DEPTH_MAX       64u /* of the loops that a looped setup may use */

/* Address registers: two for each flow (its destination, its source), scratch, and the tables. */
enum {
    POINTERS = 4 * CM_PSHIFT_BY_IMP_MAX,
    SCRATCH_DST = POINTERS,
    SCRATCH_SRC,
    TABLES,
};
_Static_assert(TABLES < CM_ADDRESS_REGISTERS, "flows outnumber address registers");

enum { ARGUMENT_TABLES, ARGUMENT_FIRST_DST }; /* then src1, dst2, src2, ... */

/* A transfer between memory and a transposer, or an exchange; offsets are relative to a pointer. */
struct step {
    int64_t offset;
    uint32_t table; /* word within the tables */
    uint8_t op;     /* LOADI, EXCHANGE or UNLOADI */
    uint8_t pointer;
    uint8_t field;
    uint8_t half;
};
_Static_assert(sizeof(struct step) == 16, "steps are compared byte by byte");

/* Four exchanges (fewer at the end), and how far each pointer moves after them. */
struct group {
    CM_LIST(struct step) steps;
    int64_t advance[POINTERS];
};

/* Where a flow of an axis comes from. */
struct origin {
    uint32_t job;
    uint32_t part;    /* that crosses, of the job */
    uint32_t pointer; /* of its destination; the source has the next */
};

struct compiler {
    struct cm_pshift_plan *plan;
    struct cm_imp *imp;
    uint32_t channels;
    struct cm_schedule schedules[CM_RANK_MAX];
    struct origin origins[CM_RANK_MAX][CM_FLOWS_MAX]; /* in the order of the axis's schedule */
    uint32_t origin_count[CM_RANK_MAX];
    bool failed;
};

static enum cm_status schedule_axis(struct compiler *compiler, uint32_t a, uint32_t *pointer,
                                    struct cm_error *err)
{
    const struct cm_pshift_plan *plan = compiler->plan;
    struct cm_flow flows[CM_FLOWS_MAX];
    uint32_t count = 0;
    for (uint32_t j = 0; j < plan->job_count; j++) {
        const struct cm_pshift_job *job = &plan->jobs[j];
        for (uint32_t i = 0; job->axis == a && i < job->crossing_count; i++) {
            const struct cm_pshift_part *part = &job->crossing[i];
            compiler->origins[a][count] = (struct origin){j, i, *pointer};
            *pointer += 2;
            flows[count++] =
                (struct cm_flow){.hops = part->hops, .elements = part->dst.run * part->dst.rows};
        }
    }
    compiler->origin_count[a] = count;
    return cm_schedule_create(&plan->layout.axes[a], flows, count, plan->layout.slices,
                              compiler->channels, &compiler->schedules[a], err);
}

static enum cm_status schedule_all(struct compiler *compiler, struct cm_error *err)
{
    uint32_t pointer = 0;
    enum cm_status status = CM_OK;
    compiler->plan->exchanges = 0;
    for (uint32_t a = 0; status == CM_OK && a < compiler->plan->layout.rank; a++) {
        status = schedule_axis(compiler, a, &pointer, err);
        if (compiler->schedules[a].exchanges > compiler->plan->exchanges)
            compiler->plan->exchanges = compiler->schedules[a].exchanges;
    }
    return status;
}

/* Word offset, in its array, of a unit's first word. */
static int64_t unit_offset(const struct compiler *compiler, const struct cm_runs *runs,
                           uint64_t unit)
{
    uint32_t slices = compiler->plan->layout.slices;
    uint32_t units = (slices + compiler->channels - 1) / compiler->channels;
    uint64_t element = unit / units;
    uint64_t place = runs->offset + element / runs->run * runs->stride + element % runs->run;
    return (int64_t)(place * slices + unit % units * compiler->channels);
}

static void add_step(struct compiler *compiler, struct group *group, struct step step)
{
    if (!cm_list_push(&group->steps, step))
        compiler->failed = true;
}

/* The words of one transfer, as loads before the exchange or unloads after it. */
static void add_transfer(struct compiler *compiler, struct group *group, uint32_t a,
                         struct cm_transfer transfer, enum cm_op op)
{
    const struct origin *origin = &compiler->origins[a][transfer.flow];
    const struct cm_pshift_part *part = &compiler->plan->jobs[origin->job].crossing[origin->part];
    bool from_source = op == CM_OP_LOADI && transfer.hop == 0;
    struct step step = {
        .offset = unit_offset(compiler, from_source ? &part->src : &part->dst, transfer.unit),
        .table = origin->job * CM_PSHIFT_TABLE_WORDS + (op == CM_OP_UNLOADI),
        .op = (uint8_t)op,
        .pointer = (uint8_t)(origin->pointer + from_source),
        .field = (uint8_t)(2 * origin->part + transfer.hop),
        .half = transfer.half,
    };
    uint32_t words =
        cm_unit_words(compiler->plan->layout.slices, compiler->channels, transfer.unit);
    for (uint32_t w = 0; w < words; w++, step.offset++, step.half++)
        add_step(compiler, group, step);
}

static void add_transfers(struct compiler *compiler, struct group *group, uint64_t exchange,
                          enum cm_op op)
{
    for (uint32_t a = 0; a < compiler->plan->layout.rank; a++) {
        const struct cm_schedule *schedule = &compiler->schedules[a];
        if (exchange >= schedule->exchanges)
            continue;
        for (uint64_t i = schedule->starts[exchange]; i < schedule->starts[exchange + 1]; i++)
            add_transfer(compiler, group, a, schedule->transfers[i], op);
    }
}

static void build_group(struct compiler *compiler, struct group *group, uint64_t first,
                        uint64_t count)
{
    group->steps.count = 0;
    memset(group->advance, 0, sizeof group->advance);
    for (uint64_t t = first; t < first + count && t < compiler->plan->exchanges; t++) {
        add_transfers(compiler, group, t, CM_OP_LOADI);
        add_step(compiler, group, (struct step){.op = CM_OP_EXCHANGE});
        add_transfers(compiler, group, t, CM_OP_UNLOADI);
    }
}

static void emit_step(struct cm_imp *imp, const struct step *step)
{
    struct cm_operand memory = cm_mem(step->pointer, step->offset);
    struct cm_operand table = cm_mem(TABLES, step->table);
    if (step->op == CM_OP_LOADI)
        CM_EMIT(imp, CM_OP_LOADI, cm_reg(CM_TRANSPOSER_A), memory, table, cm_value(step->field),
                cm_value(step->half));
    else if (step->op == CM_OP_UNLOADI)
        CM_EMIT(imp, CM_OP_UNLOADI, memory, cm_reg(CM_TRANSPOSER_B), table, cm_value(step->field),
                cm_value(step->half));
    else
        cm_emit_exchange(imp);
}

static void emit_group(struct cm_imp *imp, const struct group *group)
{
    for (uint32_t i = 0; i < group->steps.count; i++)
        emit_step(imp, &group->steps.items[i]);
    for (unsigned p = 0; p < POINTERS; p++)
        cm_emit_advance(imp, p, group->advance[p]);
}

/* Loads the pointers of the flows, each `start` words into its array. */
static void emit_pointers(struct compiler *compiler, const int64_t start[POINTERS])
{
    for (uint32_t a = 0; a < compiler->plan->layout.rank; a++)
        for (uint32_t k = 0; k < compiler->origin_count[a]; k++) {
            uint32_t dst = ARGUMENT_FIRST_DST + 2 * compiler->origins[a][k].job;
            uint32_t p = compiler->origins[a][k].pointer;
            cm_emit_argument(compiler->imp, p, dst, start[p]);
            cm_emit_argument(compiler->imp, p + 1, dst + 1, start[p + 1]);
        }
}

static void emit_unrolled(struct compiler *compiler)
{
    const int64_t start[POINTERS] = {0};
    struct group group = {0};
    emit_pointers(compiler, start);
    for (uint64_t t = 0; t < compiler->plan->exchanges && !compiler->failed; t++) {
        build_group(compiler, &group, t, 1);
        emit_group(compiler->imp, &group);
    }
    cm_list_finish(&group.steps);
}

/* The distinct groups of a looped setup, and the order in which they come. */
struct groups {
    CM_LIST(struct group) distinct;
    CM_LIST(uint32_t) order;
};

static bool equal_groups(const struct group *a, const struct group *b)
{
    return a->steps.count == b->steps.count &&
           memcmp(a->advance, b->advance, sizeof a->advance) == 0 &&
           memcmp(a->steps.items, b->steps.items, a->steps.count * sizeof *a->steps.items) == 0;
}

/* Adds a group to the order, and a copy of it to the distinct ones if it is new. */
static void add_group(struct compiler *compiler, struct groups *groups, const struct group *group)
{
    uint32_t i = 0;
    while (i < groups->distinct.count && !equal_groups(&groups->distinct.items[i], group))
        i++;
    cm_list_push(&groups->order, i);
    if (i == groups->distinct.count && cm_list_extend(&groups->distinct, i + 1)) {
        struct group *copy = &groups->distinct.items[i];
        memcpy(copy->advance, group->advance, sizeof copy->advance);
        for (uint32_t k = 0; k < group->steps.count; k++)
            add_step(compiler, copy, group->steps.items[k]);
    }
    compiler->failed = compiler->failed || groups->order.failed || groups->distinct.failed;
}

/* Where each pointer must be for a group: at its first use; one without a use stays. */
static void find_bases(const struct group *group, int64_t bases[POINTERS])
{
    bool seen[POINTERS] = {false};
    for (uint32_t i = 0; i < group->steps.count; i++) {
        const struct step *step = &group->steps.items[i];
        if (step->op == CM_OP_EXCHANGE || seen[step->pointer])
            continue;
        seen[step->pointer] = true;
        bases[step->pointer] = step->offset;
    }
}

/* Makes offsets relative to the pointers, and sets how far these must move to be at `next`. */
static void make_relative(struct group *group, const int64_t bases[POINTERS],
                          const int64_t next[POINTERS])
{
    for (uint32_t i = 0; i < group->steps.count; i++) {
        struct step *step = &group->steps.items[i];
        if (step->op != CM_OP_EXCHANGE)
            step->offset -= bases[step->pointer];
    }
    for (unsigned p = 0; p < POINTERS; p++)
        group->advance[p] = next[p] - bases[p];
}

/* Takes the schedule apart into groups; `start` gets where the pointers begin. */
static void collect_groups(struct compiler *compiler, struct groups *groups, uint64_t group_count,
                           int64_t start[POINTERS])
{
    struct group pair[2] = {0};
    int64_t bases[POINTERS] = {0};
    int64_t next[POINTERS];
    build_group(compiler, &pair[0], 0, GROUP_EXCHANGES);
    find_bases(&pair[0], bases);
    memcpy(start, bases, sizeof bases);
    for (uint64_t g = 0; g < group_count && !compiler->failed; g++) {
        struct group *now = &pair[g % 2];
        struct group *later = &pair[(g + 1) % 2];
        build_group(compiler, later, (g + 1) * GROUP_EXCHANGES, GROUP_EXCHANGES);
        memcpy(next, bases, sizeof next);
        find_bases(later, next);
        make_relative(now, bases, next);
        add_group(compiler, groups, now);
        memcpy(bases, next, sizeof bases);
    }
    cm_list_finish(&pair[0].steps);
    cm_list_finish(&pair[1].steps);
}

static void emit_tokens(struct compiler *compiler, const struct groups *groups,
                        const struct cm_repeat *repeat)
{
    uint32_t starts[DEPTH_MAX];
    uint32_t depth = 0;
    for (uint32_t i = 0; i < repeat->count; i++) {
        struct cm_repeat_token token = repeat->items[i];
        if (token.kind == CM_REPEAT_SYMBOL)
            emit_group(compiler->imp, &groups->distinct.items[token.value]);
        else if (token.kind == CM_REPEAT_BEGIN)
            starts[depth++] = CM_EMIT(compiler->imp, CM_OP_LOOP, cm_value(token.value));
        else
            cm_emit_next(compiler->imp, starts[--depth]);
    }
}

static enum cm_status emit_looped(struct compiler *compiler, struct cm_error *err)
{
    uint64_t count = (compiler->plan->exchanges + GROUP_EXCHANGES - 1) / GROUP_EXCHANGES;
    uint32_t depth = compiler->plan->config->sequencer_loop_depth;
    struct groups groups = {0};
    struct cm_repeat repeat = {0};
    int64_t start[POINTERS] = {0};
    enum cm_status status = CM_OK;
    collect_groups(compiler, &groups, count, start);
    if (!compiler->failed)
        status = cm_repeat_find(groups.order.items, groups.order.count,
                                depth < DEPTH_MAX ? depth : DEPTH_MAX, &repeat, err);
    if (!compiler->failed && status == CM_OK) {
        emit_pointers(compiler, start);
        emit_tokens(compiler, &groups, &repeat);
    }
    for (uint32_t i = 0; i < groups.distinct.count; i++)
        cm_list_finish(&groups.distinct.items[i].steps);
    cm_list_finish(&groups.distinct);
    cm_list_finish(&groups.order);
    cm_list_finish(&repeat);
    return status;
}

static void emit_local_moves(struct compiler *compiler)
{
    /* flows have no pointers yet */
    static const unsigned scratch[2] = {POINTERS - 2, POINTERS - 1};
    for (uint32_t j = 0; j < compiler->plan->job_count; j++) {
        const struct cm_pshift_job *job = &compiler->plan->jobs[j];
        if (job->local_count == 0)
            continue;
        cm_emit_argument(compiler->imp, SCRATCH_DST, ARGUMENT_FIRST_DST + 2 * j, 0);
        cm_emit_argument(compiler->imp, SCRATCH_SRC, ARGUMENT_FIRST_DST + 2 * j + 1, 0);
        for (uint32_t i = 0; i < job->local_count; i++)
            cm_emit_moves(compiler->imp, &job->local[i].dst, (struct cm_place){SCRATCH_DST, 0},
                          &job->local[i].src, (struct cm_place){SCRATCH_SRC, 0},
                          compiler->plan->layout.slices, scratch);
    }
}

/* Constants stay in B once an exchange has brought them there. */
static void emit_constants(struct compiler *compiler)
{
    enum cm_wire wire = CM_WIRE_NONE;
    for (uint32_t j = 0; j < compiler->plan->job_count; j++)
        if (compiler->plan->jobs[j].wire != CM_WIRE_NONE)
            wire = compiler->plan->jobs[j].wire;
    if (wire == CM_WIRE_NONE || compiler->plan->exchanges == 0)
        return;
    struct cm_scalar one = cm_scalar_make(compiler->plan->layout.type, 1, 0);
    bool two_words = wire == CM_WIRE_ONE && compiler->plan->layout.slices > 1;
    uint32_t half = compiler->plan->config->transposer_slots / 2;
    uint32_t first = wire == CM_WIRE_ONE ? one.words[two_words ? 1 : 0] : 0;
    CM_EMIT(compiler->imp, CM_OP_CONST, cm_slot(CM_TRANSPOSER_A, 0), cm_word(first));
    if (two_words)
        CM_EMIT(compiler->imp, CM_OP_CONST, cm_slot(CM_TRANSPOSER_A, half), cm_word(one.words[0]));
}

static void declare_arguments(struct compiler *compiler)
{
    char name[16];
    cm_imp_argument(compiler->imp, "tables", CM_ARGUMENT_ADDRESS);
    for (uint32_t j = 0; j < compiler->plan->job_count; j++) {
        snprintf(name, sizeof name, "dst%" PRIu32, j + 1);
        cm_imp_argument(compiler->imp, name, CM_ARGUMENT_ADDRESS);
        snprintf(name, sizeof name, "src%" PRIu32, j + 1);
        cm_imp_argument(compiler->imp, name, CM_ARGUMENT_ADDRESS);
    }
}

/* Words of SRAM that the unrolled exchanges will take, known before anything is emitted. */
static uint64_t unrolled_words(const struct compiler *compiler)
{
    const struct cm_pshift_plan *plan = compiler->plan;
    uint32_t transfer = cm_op_words(CM_OP_LOADI) + cm_op_words(CM_OP_UNLOADI);
    uint64_t words = plan->exchanges * cm_op_words(CM_OP_EXCHANGE);
    for (uint32_t a = 0; a < plan->layout.rank; a++) {
        const struct cm_schedule *schedule = &compiler->schedules[a];
        for (uint64_t i = 0; i < schedule->transfer_count; i++)
            words += (uint64_t)cm_unit_words(plan->layout.slices, compiler->channels,
                                             schedule->transfers[i].unit) *
                     transfer;
    }
    return words;
}

static enum cm_status emit_exchanges(struct compiler *compiler, bool looped, struct cm_error *err)
{
    uint64_t limit = compiler->plan->config->sequencer_sram_words;
    if (compiler->plan->exchanges == 0)
        return CM_OK;
    CM_EMIT(compiler->imp, CM_OP_AARG, cm_reg(TABLES), cm_value(ARGUMENT_TABLES));
    emit_constants(compiler);
    if (looped)
        return emit_looped(compiler, err);
    if (unrolled_words(compiler) > limit)
        return cm_error_refuse(err, "use the looped setup",
                               "the unrolled IMP takes over %" PRIu64
                               " words; the sequencer's SRAM has %" PRIu64,
                               unrolled_words(compiler), limit);
    emit_unrolled(compiler);
    return CM_OK;
}

enum cm_status cm_pshift_compile(struct cm_pshift_plan *plan, bool looped, struct cm_imp **out,
                                 struct cm_error *err)
{
    struct compiler compiler = {.plan = plan,
                                .imp = cm_imp_create(looped ? "pshift_looped" : "pshift"),
                                .channels = plan->config->network_channels_per_dimension};
    if (!compiler.imp)
        return cm_error_no_memory(err);
    declare_arguments(&compiler);
    enum cm_status status = schedule_all(&compiler, err);
    if (status == CM_OK) {
        emit_local_moves(&compiler);
        status = emit_exchanges(&compiler, looped, err);
    }
    for (uint32_t a = 0; a < plan->layout.rank; a++)
        cm_schedule_finish(&compiler.schedules[a]);
    compiler.imp->failed = compiler.imp->failed || compiler.failed;
    struct cm_imp *imp = cm_emit_end(compiler.imp);
    if (status == CM_OK && !imp)
        return cm_error_no_memory(err);
    if (status == CM_OK)
        *out = imp;
    else
        cm_imp_destroy(imp);
    return status;
}
