/*
 * Compiler of PSHIFT: makes one IMP from a plan (sections 3 and 4 of the PSHIFT paper). The IMP has
 *
 *   local moves   for each shift, runs of words within a node, in loops. If the machine overlaps
 *                 exchanges with other work, some moves go into the exchanges, which hide them.
 *   constants     0 or 1 for end-off boundaries is put into transposer A once, and arrives in
 *                 transposer B over the wire between the two chips.
 *   exchanges     indirect loads of A, an exchange, indirect unloads of B, until all elements have
 *                 crossed. They are unrolled, or looped with four exchanges in an iteration.
 *
 * A word between two hops waits at its destination. No node needs that place before.
 */
#include "pshift_plan.h"

#include "../system/emit.h"
#include "../system/exchanges.h"
#include "../system/schedule.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define HIDDEN_WORDS_MAX 4096u /* limit on the words moved while an exchange hides them */

/* Address registers. The first point to the destination and source of each flow (elements that
 * cross in one direction of an axis), then two are scratch, and one points to the tables. */
enum {
    SCRATCH_DST = CM_EXCHANGE_POINTERS,
    SCRATCH_SRC,
    TABLES,
};
_Static_assert(4 * CM_PSHIFT_BY_IMP_MAX <= CM_EXCHANGE_POINTERS, "flows outnumber pointers");
_Static_assert(TABLES < CM_ADDRESS_REGISTERS, "flows outnumber address registers");

/* arguments of the IMP. src1, dst2, src2, ... follow */
enum { ARGUMENT_TABLES, ARGUMENT_FIRST_DST };

/* Origin of a flow: the part of a shift whose elements cross in one direction of an axis. */
struct origin {
    uint32_t job;
    uint32_t part; /* number of the crossing part in its job */
    /* address register of the destination. The next register is that of the source */
    uint32_t pointer;
};

/* Moves within nodes of one part of a shift, made while exchanges run, which hide their cycles:
 * `runs` runs for each exchange, of `words` words each. */
struct hidden {
    const struct cm_pshift_part *part; /* part whose moves are hidden. NULL: no moves are hidden */
    uint32_t job;
    /* address register of the destination. The next register is that of the source */
    uint32_t pointer;
    uint64_t runs, words;
};

struct compiler {
    struct cm_pshift_plan *plan;
    struct cm_imp *imp;
    uint32_t channels;
    struct cm_schedule schedules[CM_RANK_MAX];
    /* origin of each flow, by axis and by number in the axis's schedule */
    struct origin origins[CM_RANK_MAX][CM_FLOWS_MAX];
    uint32_t origin_count[CM_RANK_MAX];
    struct hidden hidden;
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
    return cm_schedule_create(&(struct cm_schedule_request){&plan->layout.axes[a], flows, count,
                                                            plan->layout.slices,
                                                            compiler->channels},
                              &compiler->schedules[a], err);
}

/* Returns the number of words that a node can move while an exchange runs, rounded down. */
static uint64_t words_of_exchange(const struct compiler *compiler)
{
    const struct cm_config *config = compiler->plan->config;
    uint64_t each = config->memory_load_cycles + config->memory_store_cycles;
    uint64_t words = config->exchange_cycles / (each > 0 ? each : 1);
    return words < HIDDEN_WORDS_MAX ? words : HIDDEN_WORDS_MAX;
}

/* Returns how many moves of a part each exchange would hide, if the part's moves were made during
 * exchanges. */
static struct hidden hide_part(const struct compiler *compiler, uint32_t job,
                               const struct cm_pshift_part *part)
{
    uint64_t slices = compiler->plan->layout.slices, exchanges = compiler->plan->exchanges;
    uint64_t row = part->dst.run * slices, enough = words_of_exchange(compiler);
    struct hidden hidden = {.part = part, .job = job, .runs = 1, .words = row};
    if (part->dst.rows == 1) {
        hidden.words = row / exchanges < enough ? row / exchanges : enough;
        hidden.words -= hidden.words % slices;
        return hidden;
    }
    hidden.runs = (enough + row - 1) / row;
    if (hidden.runs > part->dst.rows / exchanges)
        hidden.runs = part->dst.rows / exchanges;
    return hidden;
}

/* Chooses the part of which each exchange hides the most words. Its moves are made during
 * exchanges. */
static void choose_hidden(struct compiler *compiler, uint32_t pointer)
{
    const struct cm_pshift_plan *plan = compiler->plan;
    uint64_t most = 0, enough = words_of_exchange(compiler);
    if (!plan->overlap || plan->exchanges == 0 || pointer + 2 > CM_EXCHANGE_POINTERS)
        return;
    for (uint32_t j = 0; j < plan->job_count; j++)
        for (uint32_t i = 0; i < plan->jobs[j].local_count; i++) {
            struct hidden hidden = hide_part(compiler, j, &plan->jobs[j].local[i]);
            uint64_t words = hidden.runs * hidden.words;
            words = words < enough ? words : enough;
            if (words <= most)
                continue;
            most = words;
            hidden.pointer = pointer;
            compiler->hidden = hidden;
        }
}

/* Returns the runs of a part that no exchange hides, and which are moved before the exchanges. */
static struct cm_runs runs_left(const struct compiler *compiler, const struct cm_pshift_part *part,
                                struct cm_runs runs)
{
    const struct hidden *hidden = &compiler->hidden;
    uint64_t exchanges = compiler->plan->exchanges;
    if (part != hidden->part)
        return runs;
    if (runs.rows > 1) {
        runs.offset += exchanges * hidden->runs * runs.stride;
        runs.rows -= exchanges * hidden->runs;
        return runs;
    }
    uint64_t elements = exchanges * hidden->words / compiler->plan->layout.slices;
    runs.offset += elements;
    runs.run -= elements;
    return runs;
}

static void add_moves(void *context, uint64_t exchange, struct cm_exchange_steps *steps)
{
    const struct compiler *compiler = context;
    const struct hidden *hidden = &compiler->hidden;
    const struct cm_runs *dst = &hidden->part->dst;
    uint64_t slices = compiler->plan->layout.slices;
    for (uint64_t i = exchange * hidden->runs; i < (exchange + 1) * hidden->runs; i++) {
        uint64_t stride = dst->rows > 1 ? dst->stride * slices : hidden->words;
        struct cm_exchange_step step = {
            .offset = (int64_t)(dst->offset * slices + i * stride),
            .table = (uint32_t)hidden->words,
            .op = CM_OP_MOVE,
            .pointer = (uint8_t)hidden->pointer,
            .field = (uint8_t)(hidden->pointer + 1),
        };
        cm_list_push(steps, step);
    }
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
    if (status == CM_OK)
        choose_hidden(compiler, pointer);
    return status;
}

/* Returns the offset in its array of a unit's first word. A unit is the words that cross in one
 * exchange. */
static int64_t unit_offset(const struct compiler *compiler, const struct cm_runs *runs,
                           uint64_t unit)
{
    uint32_t slices = compiler->plan->layout.slices;
    uint32_t units = (slices + compiler->channels - 1) / compiler->channels;
    uint64_t element = unit / units;
    uint64_t place = runs->offset + element / runs->run * runs->stride + element % runs->run;
    return (int64_t)(place * slices + unit % units * compiler->channels);
}

/* Adds the words of one transfer to a step of the exchanges, as loads before the exchange or
 * unloads after it. */
static void add_transfer(const struct compiler *compiler, uint32_t a, struct cm_transfer transfer,
                         enum cm_op op, struct cm_exchange_steps *steps)
{
    const struct origin *origin = &compiler->origins[a][transfer.flow];
    const struct cm_pshift_part *part = &compiler->plan->jobs[origin->job].crossing[origin->part];
    bool from_source = op == CM_OP_LOADI && transfer.hop == 0;
    struct cm_exchange_step step = {
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
        cm_list_push(steps, step);
}

static void add_transfers(void *context, uint64_t exchange, enum cm_op op,
                          struct cm_exchange_steps *steps)
{
    const struct compiler *compiler = context;
    for (uint32_t a = 0; a < compiler->plan->layout.rank; a++) {
        const struct cm_schedule *schedule = &compiler->schedules[a];
        if (exchange >= schedule->exchanges)
            continue;
        for (uint64_t i = schedule->starts[exchange]; i < schedule->starts[exchange + 1]; i++)
            add_transfer(compiler, a, schedule->transfers[i], op, steps);
    }
}

static void emit_hidden_pointers(const struct compiler *compiler, const int64_t *start)
{
    const struct hidden *hidden = &compiler->hidden;
    uint32_t dst = ARGUMENT_FIRST_DST + 2 * hidden->job, p = hidden->pointer;
    if (!hidden->part)
        return;
    int64_t apart = (int64_t)hidden->part->src.offset - (int64_t)hidden->part->dst.offset;
    cm_emit_argument(compiler->imp, p, dst, start[p]);
    cm_emit_argument(compiler->imp, p + 1, dst + 1,
                     start[p + 1] + apart * compiler->plan->layout.slices);
}

/* Emits code that points the address registers of the flows to `start` words after the beginning of
 * their arrays. */
static void emit_pointers(void *context, const int64_t start[CM_EXCHANGE_POINTERS])
{
    const struct compiler *compiler = context;
    for (uint32_t a = 0; a < compiler->plan->layout.rank; a++)
        for (uint32_t k = 0; k < compiler->origin_count[a]; k++) {
            uint32_t dst = ARGUMENT_FIRST_DST + 2 * compiler->origins[a][k].job;
            uint32_t p = compiler->origins[a][k].pointer;
            cm_emit_argument(compiler->imp, p, dst, start[p]);
            cm_emit_argument(compiler->imp, p + 1, dst + 1, start[p + 1]);
        }
    emit_hidden_pointers(compiler, start);
}

static void emit_local_moves(struct compiler *compiler)
{
    /* scratch address registers, those of flows, which are not in use yet */
    static const unsigned scratch[2] = {CM_EXCHANGE_POINTERS - 2, CM_EXCHANGE_POINTERS - 1};
    for (uint32_t j = 0; j < compiler->plan->job_count; j++) {
        const struct cm_pshift_job *job = &compiler->plan->jobs[j];
        if (job->local_count == 0)
            continue;
        cm_emit_argument(compiler->imp, SCRATCH_DST, ARGUMENT_FIRST_DST + 2 * j, 0);
        cm_emit_argument(compiler->imp, SCRATCH_SRC, ARGUMENT_FIRST_DST + 2 * j + 1, 0);
        for (uint32_t i = 0; i < job->local_count; i++) {
            const struct cm_pshift_part *part = &job->local[i];
            struct cm_runs dst = runs_left(compiler, part, part->dst);
            struct cm_runs src = runs_left(compiler, part, part->src);
            if (dst.rows > 0 && dst.run > 0)
                cm_emit_moves(compiler->imp, (struct cm_placed_runs){dst, {SCRATCH_DST, 0}},
                              (struct cm_placed_runs){src, {SCRATCH_SRC, 0}},
                              compiler->plan->layout.slices, scratch);
        }
    }
}

/* Emits the load of the constant for end-off boundaries. It stays in transposer B once an exchange
 * has brought it there. */
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

/* Returns the number of SRAM words that unrolled exchanges will take. */
static uint64_t unrolled_words(const struct compiler *compiler)
{
    const struct cm_pshift_plan *plan = compiler->plan;
    uint32_t transfer = cm_op_words(CM_OP_LOADI) + cm_op_words(CM_OP_UNLOADI);
    uint64_t words = plan->exchanges * cm_op_words(CM_OP_EXCHANGE);
    if (compiler->hidden.part)
        words += plan->exchanges * compiler->hidden.runs * cm_op_words(CM_OP_MOVE);
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
    const struct cm_exchanges exchanges = {.imp = compiler->imp,
                                           .count = compiler->plan->exchanges,
                                           .overlap = compiler->plan->overlap,
                                           .tables = TABLES,
                                           .transfers = add_transfers,
                                           .moves = compiler->hidden.part ? add_moves : NULL,
                                           .point = emit_pointers,
                                           .context = compiler};
    if (looped)
        return cm_exchanges_looped(&exchanges, compiler->plan->config->sequencer_loop_depth, err);
    if (unrolled_words(compiler) > limit)
        return cm_error_refuse(err, "use the looped setup",
                               "the unrolled IMP takes over %" PRIu64
                               " words; the sequencer's SRAM has %" PRIu64,
                               unrolled_words(compiler), limit);
    cm_exchanges_unrolled(&exchanges);
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
    struct cm_imp *imp = cm_emit_end(compiler.imp);
    if (status == CM_OK && !imp)
        return cm_error_no_memory(err);
    if (status == CM_OK)
        *out = imp;
    else
        cm_imp_destroy(imp);
    return status;
}
