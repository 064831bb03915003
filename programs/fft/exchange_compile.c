/*
 * A step of FFT communication as an IMP. Words cross a cube dimension two at a time, one a channel:
 * a unit. Where two hops are needed (Gray code), a unit waits in scratch memory of the node
 * between, and leaves it with the exchange that brings the next unit there, so that n units take n
 * + 1 exchanges. Exchanges are the same in all nodes; what is not wanted is not unloaded (the
 * paper's footnote 2).
 */
#include "exchange_compile.h"

#include "../system/emit.h"

enum { ARGUMENT_COORDINATES, ARGUMENT_ARRAY, ARGUMENT_SCRATCH };
enum { REG_COORDINATES, REG_ARRAY, REG_SCRATCH, REG_AT, REG_UNIT };

#define LOOPS_MAX 32u /* a loop takes two bits of the local number, or is the last */

struct compiler {
    const struct cm_config *config;
    const struct cm_fft_task *task;
    const struct cm_fft_hops *route;
    struct cm_imp *imp;
    struct cm_fft_step step;
    uint64_t source_bits; /* local element number of a broadcast's source */
    bool source_bit;      /* of the step's bit, uncoded */
};

/* Runs of neighbouring local elements: those where the bits of `mask` are `value`. */
struct runs {
    uint64_t words; /* of a run */
    uint64_t first; /* word */
    uint32_t loops;
    struct {
        uint64_t count;
        uint64_t stride; /* words */
    } loop[LOOPS_MAX];   /* the innermost first */
    uint32_t start[LOOPS_MAX];
};

struct cm_fft_hops cm_fft_hops_of(const struct cm_fft_step *step)
{
    struct cm_fft_hops route = {.count = 0};
    for (uint32_t d = 32; d-- > 0;)
        if (step->node_mask >> d & 1)
            route.dimensions[route.count++] = d;
    return route;
}

uint32_t cm_fft_coordinate_bits(const struct cm_fft_mapping *mapping, uint32_t node)
{
    uint32_t bits = 0, base = 0;
    for (uint32_t i = 0; i < mapping->mesh_rank; i++) {
        uint32_t parity = 0;
        for (uint32_t j = mapping->mesh_bits[i]; j-- > 0;) {
            uint32_t bit = node >> (base + j) & 1;
            parity ^= bit;
            bits |= (mapping->codes[i] == CM_FFT_GRAY ? parity : bit) << (base + j);
        }
        base += mapping->mesh_bits[i];
    }
    return bits;
}

static struct runs find_runs(const struct compiler *c, uint64_t mask, uint64_t value)
{
    uint32_t bits = c->task->mapping.local_bits, slices = c->task->slices;
    uint32_t low = mask == 0 ? bits : (uint32_t)__builtin_ctzll(mask);
    struct runs runs = {.words = (uint64_t)slices << low, .first = value * slices};
    for (uint32_t b = low; b < bits; b++) {
        if (mask >> b & 1)
            continue;
        if (b > 0 && runs.loops > 0 && (mask >> (b - 1) & 1) == 0) {
            runs.loop[runs.loops - 1].count *= 2;
            continue;
        }
        runs.loop[runs.loops].count = 2;
        runs.loop[runs.loops++].stride = (uint64_t)slices << b;
    }
    return runs;
}

/* Cuts runs into shorter ones of at most `words`. */
static void cut_runs(struct runs *runs, uint64_t words)
{
    if (runs->words <= words)
        return;
    for (uint32_t i = runs->loops; i > 0; i--)
        runs->loop[i] = runs->loop[i - 1];
    runs->loop[0].count = runs->words / words;
    runs->loop[0].stride = words;
    runs->words = words;
    runs->loops++;
}

static void open_runs(struct compiler *c, struct runs *runs)
{
    CM_EMIT(c->imp, CM_OP_ACOPY, cm_reg(REG_AT), cm_reg(REG_ARRAY), cm_value((int64_t)runs->first));
    for (uint32_t i = runs->loops; i-- > 0;)
        runs->start[i] = CM_EMIT(c->imp, CM_OP_LOOP, cm_value((int64_t)runs->loop[i].count));
}

static void close_runs(struct compiler *c, const struct runs *runs)
{
    uint64_t advanced = 0; /* by the loops within */
    for (uint32_t i = 0; i < runs->loops; i++) {
        uint64_t by = runs->loop[i].stride - advanced;
        if (by > 0)
            CM_EMIT(c->imp, CM_OP_AADD, cm_reg(REG_AT), cm_value((int64_t)by));
        cm_emit_next(c->imp, runs->start[i]);
        advanced = runs->loop[i].count * runs->loop[i].stride;
    }
}

static struct cm_operand slot(const struct compiler *c, enum cm_transposer transposer, uint32_t hop,
                              uint32_t word)
{
    return cm_slot(transposer, cm_slot_of_channel(c->config->transposer_slots,
                                                  c->route->dimensions[hop], word));
}

static void emit_load(const struct compiler *c, uint32_t hop, unsigned reg, int64_t offset,
                      uint32_t words)
{
    for (uint32_t w = 0; w < words; w++)
        CM_EMIT(c->imp, CM_OP_LOAD, slot(c, CM_TRANSPOSER_A, hop, w), cm_mem(reg, offset + w));
}

static void emit_unload(const struct compiler *c, uint32_t hop, unsigned reg, uint32_t words)
{
    for (uint32_t w = 0; w < words; w++)
        CM_EMIT(c->imp, CM_OP_UNLOAD, cm_mem(reg, w), slot(c, CM_TRANSPOSER_B, hop, w));
}

static void emit_exchange(const struct compiler *c)
{
    cm_imp_emit(c->imp, CM_OP_EXCHANGE, NULL, 0);
}

/* The nodes that take what comes: in a broadcast those on the other side than the source. */
static void emit_receivers(const struct compiler *c)
{
    uint32_t dimension = 0;
    if (!c->task->broadcast)
        return;
    for (uint32_t i = 0; i < c->step.mesh_axis; i++)
        dimension += c->task->mapping.mesh_bits[i];
    CM_EMIT(c->imp, CM_OP_CTXLOAD, cm_mem(REG_COORDINATES, 0),
            cm_value(dimension + c->step.mesh_bit));
    if (c->source_bit)
        cm_imp_emit(c->imp, CM_OP_CTXNOT, NULL, 0);
}

static void emit_everybody(const struct compiler *c)
{
    if (c->task->broadcast)
        cm_imp_emit(c->imp, CM_OP_CTXALL, NULL, 0);
}

static uint32_t open_units(const struct compiler *c, uint64_t count)
{
    return count > 1 ? CM_EMIT(c->imp, CM_OP_LOOP, cm_value((int64_t)count)) : 0;
}

static void close_units(const struct compiler *c, uint64_t count, uint32_t unit, uint32_t start)
{
    if (count < 1)
        return;
    CM_EMIT(c->imp, CM_OP_AADD, cm_reg(REG_UNIT), cm_value(unit));
    if (count > 1)
        cm_emit_next(c->imp, start);
}

static void emit_one_hop(const struct compiler *c, uint64_t count, uint32_t unit)
{
    emit_receivers(c);
    uint32_t start = open_units(c, count);
    emit_load(c, 0, REG_UNIT, 0, unit);
    emit_exchange(c);
    emit_unload(c, 0, REG_UNIT, unit);
    close_units(c, count, unit, start);
    emit_everybody(c);
}

static void emit_two_hops(const struct compiler *c, uint64_t count, uint32_t unit)
{
    emit_load(c, 0, REG_UNIT, 0, unit);
    emit_exchange(c);
    emit_unload(c, 0, REG_SCRATCH, unit);
    if (count > 1) {
        uint32_t start = open_units(c, count - 1);
        emit_load(c, 0, REG_UNIT, unit, unit);
        emit_load(c, 1, REG_SCRATCH, 0, unit);
        emit_exchange(c);
        emit_receivers(c);
        emit_unload(c, 1, REG_UNIT, unit);
        emit_everybody(c);
        emit_unload(c, 0, REG_SCRATCH, unit);
        close_units(c, count - 1, unit, start);
    }
    emit_load(c, 1, REG_SCRATCH, 0, unit);
    emit_exchange(c);
    emit_receivers(c);
    emit_unload(c, 1, REG_UNIT, unit);
    emit_everybody(c);
}

/* Between nodes: all points, or in a broadcast those with the source's bits within the node. */
static void emit_between(struct compiler *c, uint64_t fixed)
{
    struct runs runs = find_runs(c, fixed, c->source_bits & fixed);
    uint32_t channels = c->config->network_channels_per_dimension;
    uint32_t unit = runs.words < channels ? (uint32_t)runs.words : channels;
    open_runs(c, &runs);
    CM_EMIT(c->imp, CM_OP_ACOPY, cm_reg(REG_UNIT), cm_reg(REG_AT), cm_value(0));
    if (c->route->count == 1)
        emit_one_hop(c, runs.words / unit, unit);
    else
        emit_two_hops(c, runs.words / unit, unit);
    close_runs(c, &runs);
}

static void emit_move(const struct compiler *c, unsigned to, int64_t to_offset, unsigned from,
                      int64_t from_offset, uint64_t words)
{
    CM_EMIT(c->imp, CM_OP_MOVE, cm_mem(to, to_offset), cm_mem(from, from_offset),
            cm_value((int64_t)words), cm_value(1), cm_value(1));
}

/* Within nodes: halves change places, or the source's half is copied. `fixed` has the step's
 * bit. */
static void emit_within(struct compiler *c, uint64_t fixed)
{
    int64_t far = (int64_t)c->task->slices << c->step.local_bit;
    struct runs runs = find_runs(c, fixed, c->source_bits & fixed);
    if (!c->task->broadcast)
        cut_runs(&runs, CM_FFT_SCRATCH_WORDS);
    open_runs(c, &runs);
    if (c->task->broadcast) {
        emit_move(c, REG_AT, c->source_bit ? -far : far, REG_AT, 0, runs.words);
    } else {
        emit_move(c, REG_SCRATCH, 0, REG_AT, 0, runs.words);
        emit_move(c, REG_AT, 0, REG_AT, far, runs.words);
        emit_move(c, REG_AT, far, REG_SCRATCH, 0, runs.words);
    }
    close_runs(c, &runs);
}

/* Local bits that are the source's in all points whose value is known before step `number`. */
static uint64_t fixed_bits(const struct cm_fft_task *task, const struct cm_fft_schedule *schedule,
                           uint32_t number)
{
    uint64_t fixed = 0;
    for (uint32_t n = number; task->broadcast && n < schedule->count; n++)
        if (schedule->steps[n].local)
            fixed |= UINT64_C(1) << schedule->steps[n].local_bit;
    return fixed;
}

static void find_source(struct compiler *c)
{
    const struct cm_fft_mapping *mapping = &c->task->mapping;
    uint32_t x = c->step.bit, node;
    if (!c->task->broadcast)
        return;
    for (uint32_t p = 0; p < c->step.axis; p++)
        x += mapping->array_bits[p];
    c->source_bit = c->task->source >> x & 1;
    cm_fft_mapping_place(mapping, c->task->source, &node, &c->source_bits);
}

static void begin_imp(struct cm_imp *imp)
{
    cm_imp_argument(imp, "coordinates", CM_ARGUMENT_ADDRESS);
    cm_imp_argument(imp, "array", CM_ARGUMENT_ADDRESS);
    cm_imp_argument(imp, "scratch", CM_ARGUMENT_ADDRESS);
    cm_emit_argument(imp, REG_COORDINATES, ARGUMENT_COORDINATES, 0);
    cm_emit_argument(imp, REG_ARRAY, ARGUMENT_ARRAY, 0);
    cm_emit_argument(imp, REG_SCRATCH, ARGUMENT_SCRATCH, 0);
}

struct cm_imp *cm_fft_exchange_compile(const struct cm_config *config,
                                       const struct cm_fft_task *task, uint32_t number,
                                       const struct cm_fft_hops *route)
{
    struct cm_fft_schedule schedule;
    struct compiler c = {.config = config, .task = task, .route = route};
    c.imp = cm_imp_create(task->broadcast ? "broadcast" : "fft_exchange");
    if (c.imp == NULL)
        return NULL;
    cm_fft_task_schedule(task, &schedule);
    c.step = schedule.steps[number];
    find_source(&c);
    begin_imp(c.imp);
    uint64_t fixed = fixed_bits(task, &schedule, number);
    if (!c.step.local)
        emit_between(&c, fixed);
    else
        emit_within(&c, fixed | UINT64_C(1) << c.step.local_bit);
    cm_imp_emit(c.imp, CM_OP_HALT, NULL, 0);
    if (c.imp->failed) {
        cm_imp_destroy(c.imp);
        return NULL;
    }
    return c.imp;
}
