/* The PSHIFT compiler: local moves, constants for boundaries, and the exchanges, unrolled or
 * looped. */
#include "pshift_compile.h"

#include "../system/emit.h"
#include "repeat.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Address registers: two for each stream (its destination, its source), scratch, and the tables. */
enum {
    POINTERS = 2 * CM_PSHIFT_STREAMS_MAX,
    SCRATCH_DST = POINTERS,
    SCRATCH_SRC,
    TABLES,
};
_Static_assert(TABLES < CM_ADDRESS_REGISTERS, "streams outnumber address registers");

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

/* Four exchanges (fewer at the end), and how far each pointer goes on after them. */
struct group {
    struct step *steps;
    size_t count;
    size_t capacity;
    int64_t advance[POINTERS];
};

struct compiler {
    struct cm_pshift_plan *plan;
    struct cm_imp *imp;
    struct cm_schedule schedules[CM_RANK_MAX];
    /* streams of an axis in the order its schedule numbers them */
    struct {
        uint32_t job;
        uint32_t stream;  /* of the job */
        uint32_t pointer; /* of its destination; the source has the next */
    } axis_streams[CM_RANK_MAX][CM_STREAMS_MAX];
    uint32_t axis_stream_count[CM_RANK_MAX];
    bool failed;
};

static enum cm_status schedule_axis(struct compiler *compiler, uint32_t a, uint32_t *pointer,
                                    struct cm_error *err)
{
    const struct cm_pshift_plan *plan = compiler->plan;
    struct cm_stream streams[CM_STREAMS_MAX];
    uint32_t count = 0;
    for (uint32_t j = 0; j < plan->count; j++) {
        const struct cm_pshift_job *job = &plan->jobs[j];
        for (uint32_t s = 0; job->axis == a && s < job->stream_count; s++) {
            const struct cm_pshift_stream *stream = &job->streams[s];
            compiler->axis_streams[a][count].job = j;
            compiler->axis_streams[a][count].stream = s;
            compiler->axis_streams[a][count].pointer = *pointer;
            *pointer += 2;
            streams[count++] = (struct cm_stream){.route = stream->route,
                                                  .elements = stream->dst.run * stream->dst.rows};
        }
    }
    compiler->axis_stream_count[a] = count;
    return cm_schedule_create(&plan->layout.axes[a], streams, count, plan->layout.slices,
                              plan->config->network_channels_per_dimension, &compiler->schedules[a],
                              err);
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
    uint32_t channels = compiler->plan->config->network_channels_per_dimension;
    uint32_t units = (slices + channels - 1) / channels;
    uint64_t element = unit / units;
    uint64_t place = runs->offset + element / runs->run * runs->stride + element % runs->run;
    return (int64_t)(place * slices + unit % units * channels);
}

static void add_step(struct compiler *compiler, struct group *group, struct step step)
{
    if (group->count == group->capacity) {
        size_t capacity = group->capacity ? group->capacity * 2 : 64;
        struct step *larger = realloc(group->steps, capacity * sizeof *larger);
        if (!larger) {
            compiler->failed = true;
            return;
        }
        group->steps = larger;
        group->capacity = capacity;
    }
    group->steps[group->count++] = step;
}

/* The words of one transfer, as loads before the exchange or unloads after it. */
static void add_transfer(struct compiler *compiler, struct group *group, uint32_t a,
                         struct cm_transfer transfer, enum cm_op op)
{
    uint32_t j = compiler->axis_streams[a][transfer.stream].job;
    uint32_t s = compiler->axis_streams[a][transfer.stream].stream;
    uint32_t pointer = compiler->axis_streams[a][transfer.stream].pointer;
    const struct cm_pshift_stream *stream = &compiler->plan->jobs[j].streams[s];
    bool from_source = op == CM_OP_LOADI && transfer.hop == 0;
    const struct cm_runs *runs = from_source ? &stream->src : &stream->dst;
    struct step step = {
        .offset = unit_offset(compiler, runs, transfer.unit),
        .table = j * CM_PSHIFT_TABLE_WORDS + (op == CM_OP_UNLOADI),
        .op = (uint8_t)op,
        .pointer = (uint8_t)(from_source ? pointer + 1 : pointer),
        .field = (uint8_t)(2 * s + transfer.hop),
        .half = transfer.half,
    };
    uint32_t words =
        cm_unit_words(compiler->plan->layout.slices,
                      compiler->plan->config->network_channels_per_dimension, transfer.unit);
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
    group->count = 0;
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
        cm_imp_emit(imp, CM_OP_EXCHANGE, NULL, 0);
}

static void emit_group(struct cm_imp *imp, const struct group *group)
{
    for (size_t i = 0; i < group->count; i++)
        emit_step(imp, &group->steps[i]);
    for (unsigned p = 0; p < POINTERS; p++)
        if (group->advance[p] != 0)
            CM_EMIT(imp, CM_OP_AADD, cm_reg(p), cm_value(group->advance[p]));
}

/* Loads the pointers of the streams, each `start` words into its array. */
static void emit_pointers(struct compiler *compiler, const int64_t start[POINTERS])
{
    for (uint32_t a = 0; a < compiler->plan->layout.rank; a++)
        for (uint32_t k = 0; k < compiler->axis_stream_count[a]; k++) {
            uint32_t dst = ARGUMENT_FIRST_DST + 2 * compiler->axis_streams[a][k].job;
            uint32_t p = compiler->axis_streams[a][k].pointer;
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
    free(group.steps);
}

/* The distinct groups of a looped setup, and the order in which they come. */
struct groups {
    struct group *distinct;
    uint32_t count;
    uint32_t capacity;
    uint32_t *order;
};

static bool equal_groups(const struct group *a, const struct group *b)
{
    if (a->count != b->count || memcmp(a->advance, b->advance, sizeof a->advance) != 0)
        return false;
    for (size_t i = 0; i < a->count; i++) {
        const struct step *x = &a->steps[i];
        const struct step *y = &b->steps[i];
        if (x->offset != y->offset || x->table != y->table || x->op != y->op ||
            x->pointer != y->pointer || x->field != y->field || x->half != y->half)
            return false;
    }
    return true;
}

/* Number of a group among the distinct ones, with a copy of it if it is new. */
static uint32_t intern_group(struct compiler *compiler, struct groups *groups,
                             const struct group *group)
{
    uint32_t i = 0;
    while (i < groups->count && !equal_groups(&groups->distinct[i], group))
        i++;
    if (i < groups->count)
        return i;
    if (groups->count == groups->capacity) {
        uint32_t capacity = groups->capacity ? groups->capacity * 2 : 8;
        struct group *larger = realloc(groups->distinct, capacity * sizeof *larger);
        if (!larger) {
            compiler->failed = true;
            return 0;
        }
        groups->distinct = larger;
        groups->capacity = capacity;
    }
    struct group copy = *group;
    copy.steps = malloc(group->count * sizeof *copy.steps);
    if (!copy.steps) {
        compiler->failed = true;
        return 0;
    }
    memcpy(copy.steps, group->steps, group->count * sizeof *copy.steps);
    groups->distinct[groups->count] = copy;
    return groups->count++;
}

/* Where each pointer must stand for a group: at its first use there; elsewhere it stays. */
static void find_bases(const struct group *group, int64_t bases[POINTERS])
{
    bool seen[POINTERS] = {false};
    for (size_t i = 0; i < group->count; i++) {
        const struct step *step = &group->steps[i];
        if (step->op == CM_OP_EXCHANGE || seen[step->pointer])
            continue;
        seen[step->pointer] = true;
        bases[step->pointer] = step->offset;
    }
}

/* Makes offsets relative to where the pointers stand, and sets how far they go on to stand at
 * `next`. */
static void make_relative(struct group *group, const int64_t bases[POINTERS],
                          const int64_t next[POINTERS])
{
    for (size_t i = 0; i < group->count; i++)
        if (group->steps[i].op != CM_OP_EXCHANGE)
            group->steps[i].offset -= bases[group->steps[i].pointer];
    for (unsigned p = 0; p < POINTERS; p++)
        group->advance[p] = next[p] - bases[p];
}

/* Takes the schedule apart into groups; `start` gets where the pointers stand at first. */
static void collect_groups(struct compiler *compiler, struct groups *groups, uint64_t group_count,
                           int64_t start[POINTERS])
{
    struct group pair[2] = {0};
    int64_t bases[POINTERS] = {0};
    int64_t next[POINTERS];
    build_group(compiler, &pair[0], 0, CM_GROUP_EXCHANGES);
    find_bases(&pair[0], bases);
    memcpy(start, bases, sizeof bases);
    for (uint64_t g = 0; g < group_count && !compiler->failed; g++) {
        struct group *now = &pair[g % 2];
        struct group *later = &pair[(g + 1) % 2];
        build_group(compiler, later, (g + 1) * CM_GROUP_EXCHANGES, CM_GROUP_EXCHANGES);
        memcpy(next, bases, sizeof next);
        find_bases(later, next);
        make_relative(now, bases, next);
        groups->order[g] = intern_group(compiler, groups, now);
        memcpy(bases, next, sizeof bases);
    }
    free(pair[0].steps);
    free(pair[1].steps);
}

static void emit_tokens(struct compiler *compiler, const struct groups *groups,
                        const struct cm_repeat *repeat)
{
    uint32_t starts[64];
    uint32_t depth = 0;
    for (size_t i = 0; i < repeat->count; i++) {
        struct cm_repeat_token token = repeat->tokens[i];
        if (token.kind == CM_REPEAT_SYMBOL)
            emit_group(compiler->imp, &groups->distinct[token.value]);
        else if (token.kind == CM_REPEAT_BEGIN)
            starts[depth++] = CM_EMIT(compiler->imp, CM_OP_LOOP, cm_value(token.value));
        else
            cm_emit_next(compiler->imp, starts[--depth]);
    }
}

static enum cm_status emit_looped(struct compiler *compiler, struct cm_error *err)
{
    uint64_t count = (compiler->plan->exchanges + CM_GROUP_EXCHANGES - 1) / CM_GROUP_EXCHANGES;
    uint32_t depth = compiler->plan->config->sequencer_loop_depth;
    struct groups groups = {.order = malloc((count + 1) * sizeof *groups.order)};
    struct cm_repeat repeat = {0};
    int64_t start[POINTERS] = {0};
    enum cm_status status = CM_OK;
    if (groups.order)
        collect_groups(compiler, &groups, count, start);
    if (!groups.order || compiler->failed)
        status = cm_error_no_memory(err);
    else
        status = cm_repeat_find(groups.order, count, depth < 64 ? depth : 64, &repeat, err);
    if (status == CM_OK) {
        emit_pointers(compiler, start);
        emit_tokens(compiler, &groups, &repeat);
    }
    for (uint32_t i = 0; i < groups.count; i++)
        free(groups.distinct[i].steps);
    free(groups.distinct);
    free(groups.order);
    cm_repeat_finish(&repeat);
    return status;
}

static void emit_local_moves(struct compiler *compiler)
{
    static const unsigned scratch[2] = {POINTERS - 2,
                                        POINTERS - 1}; /* streams are not loaded yet */
    for (uint32_t j = 0; j < compiler->plan->count; j++) {
        const struct cm_pshift_job *job = &compiler->plan->jobs[j];
        if (job->local_count == 0)
            continue;
        cm_emit_argument(compiler->imp, SCRATCH_DST, ARGUMENT_FIRST_DST + 2 * j, 0);
        cm_emit_argument(compiler->imp, SCRATCH_SRC, ARGUMENT_FIRST_DST + 2 * j + 1, 0);
        for (uint32_t i = 0; i < job->local_count; i++)
            cm_emit_moves(compiler->imp, &job->locals[i].dst, (struct cm_place){SCRATCH_DST, 0},
                          &job->locals[i].src, (struct cm_place){SCRATCH_SRC, 0},
                          compiler->plan->layout.slices, scratch);
    }
}

/* Constants stay in B once an exchange has brought them there. */
static void emit_constants(struct compiler *compiler)
{
    enum cm_wire wire = CM_WIRE_NONE;
    for (uint32_t j = 0; j < compiler->plan->count; j++)
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
    for (uint32_t j = 0; j < compiler->plan->count; j++) {
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
    uint64_t words = plan->exchanges * cm_op_words(CM_OP_EXCHANGE);
    for (uint32_t a = 0; a < plan->layout.rank; a++) {
        const struct cm_schedule *schedule = &compiler->schedules[a];
        for (uint64_t i = 0; i < schedule->transfer_count; i++)
            words += (uint64_t)cm_unit_words(plan->layout.slices,
                                             plan->config->network_channels_per_dimension,
                                             schedule->transfers[i].unit) *
                     (cm_op_words(CM_OP_LOADI) + cm_op_words(CM_OP_UNLOADI));
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

enum cm_status cm_pshift_compile(struct cm_pshift_plan *plan, bool looped, const char *name,
                                 struct cm_imp **out, struct cm_error *err)
{
    struct compiler compiler = {.plan = plan, .imp = cm_imp_create(name)};
    enum cm_status status = CM_OK;
    if (!compiler.imp)
        return cm_error_no_memory(err);
    declare_arguments(&compiler);
    status = schedule_all(&compiler, err);
    if (status == CM_OK) {
        emit_local_moves(&compiler);
        status = emit_exchanges(&compiler, looped, err);
    }
    cm_imp_emit(compiler.imp, CM_OP_HALT, NULL, 0);
    for (uint32_t a = 0; a < plan->layout.rank; a++)
        cm_schedule_finish(&compiler.schedules[a]);
    if (status == CM_OK && (compiler.failed || compiler.imp->failed))
        status = cm_error_no_memory(err);
    if (status != CM_OK) {
        cm_imp_destroy(compiler.imp);
        return status;
    }
    *out = compiler.imp;
    return CM_OK;
}
