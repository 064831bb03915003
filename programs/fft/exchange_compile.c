/*
 * Compiler of a step of FFT communication. Words cross a cube dimension as a unit: two at a time,
 * one for each channel. A step with two hops (Gray code) is pipelined: a unit waits in scratch
 * memory of the node in between, and leaves with the exchange that brings the next unit, so n units
 * take n + 1 exchanges. All nodes take part in every exchange. Unwanted words are not unloaded (the
 * paper's footnote 2).
 */
#include "exchange_compile.h"

#include "../system/loops.h"

/* address registers, those of the arguments first */
enum { REG_COORDINATES, REG_ARRAY, REG_SCRATCH, REG_AT, REG_UNIT };

struct compiler {
    const struct cm_config *config;
    const struct cm_fft_task *task;
    const struct cm_fft_hops *hops;
    struct cm_imp *imp;
    struct cm_fft_step step;
    uint64_t source_bits; /* bits of the source's local element number, for a broadcast */
    bool source_bit;      /* bit of the source's uncoded coordinate that the step changes */
    uint64_t words;       /* number of contiguous words in the body of the loops */
};

struct cm_fft_hops cm_fft_hops_of(const struct cm_fft_step *step)
{
    struct cm_fft_hops hops = {.count = 0};
    for (uint32_t d = 32; d-- > 0;)
        if (step->node_mask >> d & 1)
            hops.dimensions[hops.count++] = d;
    return hops;
}

/* Emits a loop over contiguous runs of at most `most` words. The runs are the local elements whose
 * bits `fixed` equal the source's bits. */
static void emit_runs(struct compiler *c, uint64_t fixed, uint64_t most,
                      void (*body)(void *context, int64_t data, int64_t entries))
{
    struct cm_loops loops = {.bodies = 1, .data = REG_AT, .body = body, .context = c};
    uint64_t all = (UINT64_C(1) << c->task->mapping.local_bits) - 1;
    /* bits below the lowest fixed bit */
    uint64_t inner = fixed == 0 ? all : (fixed & (~fixed + 1)) - 1;
    uint32_t slices = c->task->slices;
    c->words = (inner + 1) * slices;
    if (c->words > most) {
        loops.levels[loops.level_count++] =
            (struct cm_loop_level){.count = c->words / most, .data = (int64_t)most};
        c->words = most;
    }
    cm_loops_add(&loops, all & ~fixed & ~inner, 0, slices, 0);
    cm_emit_point(c->imp, REG_AT, REG_ARRAY, (int64_t)((c->source_bits & fixed) * slices));
    cm_loops_emit(&loops, c->imp);
}

/* Emits the send of `words` words over hop number `hop`. */
static void emit_send(const struct compiler *c, uint32_t hop, unsigned reg, int64_t offset,
                      uint32_t words)
{
    cm_emit_send(c->imp, c->config, c->hops->dimensions[hop], (struct cm_place){reg, offset},
                 words);
}

static void emit_receive(const struct compiler *c, uint32_t hop, unsigned reg, uint32_t words)
{
    cm_emit_receive(c->imp, c->config, c->hops->dimensions[hop], (struct cm_place){reg, 0}, words);
}

/* Sets the context to the nodes that receive. In a broadcast they are on the other side of the
 * dimension from the source. */
static void emit_receivers(const struct compiler *c)
{
    if (!c->task->broadcast)
        return;
    CM_EMIT(c->imp, CM_OP_CTXLOAD, cm_mem(REG_COORDINATES, 0), cm_value(c->step.dimension));
    if (c->source_bit)
        cm_imp_emit(c->imp, CM_OP_CTXNOT, NULL, 0);
}

static void emit_everybody(const struct compiler *c)
{
    if (c->task->broadcast)
        cm_imp_emit(c->imp, CM_OP_CTXALL, NULL, 0);
}

static void emit_one_hop(const struct compiler *c, uint64_t count, uint32_t unit)
{
    uint32_t start = 0;
    emit_receivers(c);
    if (count > 1)
        start = CM_EMIT(c->imp, CM_OP_LOOP, cm_value((int64_t)count));
    emit_send(c, 0, REG_UNIT, 0, unit);
    cm_emit_exchange(c->imp);
    emit_receive(c, 0, REG_UNIT, unit);
    cm_emit_advance(c->imp, REG_UNIT, unit);
    if (count > 1)
        cm_emit_next(c->imp, start);
    emit_everybody(c);
}

/* Emits the second hop of a unit, which waits in scratch memory. */
static void emit_second_hop(const struct compiler *c, uint32_t unit)
{
    emit_send(c, 1, REG_SCRATCH, 0, unit);
    cm_emit_exchange(c->imp);
    emit_receivers(c);
    emit_receive(c, 1, REG_UNIT, unit);
    emit_everybody(c);
}

static void emit_two_hops(const struct compiler *c, uint64_t count, uint32_t unit)
{
    emit_send(c, 0, REG_UNIT, 0, unit);
    cm_emit_exchange(c->imp);
    emit_receive(c, 0, REG_SCRATCH, unit);
    if (count > 1) {
        uint32_t start = 0;
        if (count > 2)
            start = CM_EMIT(c->imp, CM_OP_LOOP, cm_value((int64_t)count - 1));
        emit_send(c, 0, REG_UNIT, unit, unit);
        emit_second_hop(c, unit);
        emit_receive(c, 0, REG_SCRATCH, unit);
        cm_emit_advance(c->imp, REG_UNIT, unit);
        if (count > 2)
            cm_emit_next(c->imp, start);
    }
    emit_second_hop(c, unit);
}

/* Emits a step between nodes, for all points. In a broadcast it is only for points whose local bits
 * are the source's. */
static void emit_between(void *context, int64_t data, int64_t entries)
{
    struct compiler *c = context;
    uint32_t channels = c->config->network_channels_per_dimension;
    uint32_t unit = c->words < channels ? (uint32_t)c->words : channels;
    (void)data; /* the body is the same in each iteration */
    (void)entries;
    cm_emit_point(c->imp, REG_UNIT, REG_AT, 0);
    if (c->hops->count == 1)
        emit_one_hop(c, c->words / unit, unit);
    else
        emit_two_hops(c, c->words / unit, unit);
}

/* Emits a hop of a unit over the wires of the mesh: up along the axis, down, or in both directions
 * at once. */
static void emit_wire_hop(const struct compiler *c, unsigned from, uint32_t unit)
{
    bool up = !c->task->broadcast || !c->source_bit, down = !c->task->broadcast || c->source_bit;
    const struct cm_place tables[] = {
        {REG_COORDINATES, cm_fft_wire_table(c->step.mesh_axis, false)},
        {REG_COORDINATES, cm_fft_wire_table(c->step.mesh_axis, true)}};
    const struct cm_place waiting[] = {{REG_SCRATCH, 0}, {REG_SCRATCH, unit}};
    const struct cm_place unmoved = {REG_UNIT, 0};
    if (up)
        cm_emit_send_by(c->imp, tables[0], from == REG_UNIT ? unmoved : waiting[0], unit);
    if (down)
        cm_emit_send_by(c->imp, tables[1], from == REG_UNIT ? unmoved : waiting[1], unit);
    cm_emit_exchange(c->imp);
    if (up)
        cm_emit_receive_by(c->imp, tables[0], waiting[0], unit);
    if (down)
        cm_emit_receive_by(c->imp, tables[1], waiting[1], unit);
}

/* Emits the store of arrived words: from the neighbour below in nodes whose bit is 1, from the
 * neighbour above in the other nodes. */
static void emit_arrivals(const struct compiler *c, uint32_t unit)
{
    const struct cm_place up = {REG_SCRATCH, 0}, down = {REG_SCRATCH, unit}, to = {REG_UNIT, 0};
    CM_EMIT(c->imp, CM_OP_CTXLOAD, cm_mem(REG_COORDINATES, 0), cm_value(c->step.dimension));
    if (!c->task->broadcast || !c->source_bit)
        cm_emit_move(c->imp, to, up, unit);
    cm_imp_emit(c->imp, CM_OP_CTXNOT, NULL, 0);
    if (!c->task->broadcast || c->source_bit)
        cm_emit_move(c->imp, to, down, unit);
    cm_imp_emit(c->imp, CM_OP_CTXALL, NULL, 0);
}

/*
 * Emits a step between nodes over the wires of the mesh, unit by unit, 2^j hops for each unit. The
 * wire in the middle of 2^(j + 1) neighbours carries the units of 2^j nodes in each direction, so
 * no order of hops takes fewer exchanges.
 */
static void emit_over_wires(void *context, int64_t data, int64_t entries)
{
    struct compiler *c = context;
    uint32_t channels = c->config->network_channels_per_dimension;
    uint32_t unit = c->words < channels ? (uint32_t)c->words : channels;
    uint64_t count = c->words / unit, hops = c->step.distance;
    uint32_t units = 0, start = 0;
    (void)data; /* the body is the same in each iteration */
    (void)entries;
    cm_emit_point(c->imp, REG_UNIT, REG_AT, 0);
    if (count > 1)
        units = CM_EMIT(c->imp, CM_OP_LOOP, cm_value((int64_t)count));
    emit_wire_hop(c, REG_UNIT, unit);
    if (hops > 2)
        start = CM_EMIT(c->imp, CM_OP_LOOP, cm_value((int64_t)hops - 1));
    if (hops > 1)
        emit_wire_hop(c, REG_SCRATCH, unit);
    if (hops > 2)
        cm_emit_next(c->imp, start);
    emit_arrivals(c, unit);
    cm_emit_advance(c->imp, REG_UNIT, unit);
    if (count > 1)
        cm_emit_next(c->imp, units);
}

/* Emits a step within nodes: swaps the two halves of the points, or copies the half that has the
 * source's value to the other. */
static void emit_within(void *context, int64_t data, int64_t entries)
{
    struct compiler *c = context;
    int64_t far = (int64_t)c->task->slices << c->step.local_bit;
    const struct cm_place near_half = {REG_AT, 0}, far_half = {REG_AT, far};
    const struct cm_place scratch = {REG_SCRATCH, 0};
    (void)data;
    (void)entries;
    if (c->task->broadcast) {
        cm_emit_move(c->imp, (struct cm_place){REG_AT, c->source_bit ? -far : far}, near_half,
                     c->words);
        return;
    }
    cm_emit_move(c->imp, scratch, near_half, c->words);
    cm_emit_move(c->imp, near_half, far_half, c->words);
    cm_emit_move(c->imp, far_half, scratch, c->words);
}

/* Returns the local bits that equal the source's in all points that know the value before step
 * `number`. */
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

struct cm_imp *cm_fft_exchange_compile(const struct cm_config *config,
                                       const struct cm_fft_task *task, uint32_t number,
                                       const struct cm_fft_hops *hops)
{
    struct cm_fft_schedule schedule;
    struct compiler c = {.config = config, .task = task, .hops = hops};
    c.imp =
        cm_emit_begin(task->broadcast ? "broadcast" : "fft_exchange", "coordinates array scratch");
    if (c.imp == NULL)
        return NULL;
    cm_fft_task_schedule(task, &schedule);
    c.step = schedule.steps[number];
    find_source(&c);
    uint64_t fixed = fixed_bits(task, &schedule, number);
    if (!c.step.local)
        emit_runs(&c, fixed, UINT64_MAX, task->mesh_wires ? emit_over_wires : emit_between);
    else
        emit_runs(&c, fixed | UINT64_C(1) << c.step.local_bit,
                  task->broadcast ? UINT64_MAX : CM_FFT_SCRATCH_WORDS, emit_within);
    return cm_emit_end(c.imp);
}
