/*
 * Sorts over the cube, in phases. Phase p merges subcubes of p dimensions. The halves of a subcube
 * are sorted, one in ascending and one in descending order, so that together they are bitonic. The
 * p stages of the phase cross the dimensions downwards. In each stage the node of the lower half
 * keeps the earlier record of a pair, the other node the later record. A record meets the record of
 * the same place in every stage. Therefore groups of records form a pipeline: in step t group t
 * crosses the highest dimension, group t - 1 the next one, and so on. G groups take G + p - 1 steps
 * of as many exchanges as a group takes.
 *
 *     step             the dimensions that have a group, once or in a loop
 *       exchanges        load A from the records, exchange, unload B after them
 *       combine          record = own or arrived
 *
 * Records that arrive over the highest dimension come from a node whose order was the opposite
 * before, so they are complemented. The first stage brings both records into the order of the
 * phase.
 */
#include "sort_private.h"

/* Stages [begin, end) of a phase. Groups of records cross the cube dimensions of these stages in a
 * step. */
struct stages {
    uint32_t phase, begin, end;
};

static uint64_t groups_of(const struct cm_sorter *c)
{
    return (c->own->values + c->own->group - 1) / c->own->group;
}

static uint32_t dimension_of(const struct cm_sorter *c, uint32_t phase, uint32_t stage)
{
    return c->own->first_dimension + phase - 1 - stage;
}

/* These functions return the address of the group that crosses in this step of a stage, and the
 * address to which its partner's words arrive. */
static struct cm_place group_place(const struct cm_sorter *c, uint32_t stage)
{
    return (struct cm_place){REG_RECORD, -(int64_t)(stage * c->own->group_words)};
}

static struct cm_place arrival_place(const struct cm_sorter *c, uint32_t stage)
{
    return (struct cm_place){ADDRESS_WORK,
                             (int64_t)(c->own->arrivals + stage * c->own->group_words)};
}

static void emit_exchange(struct cm_sorter *c, const struct stages *at, uint64_t exchange)
{
    const uint32_t channels = c->config->network_channels_per_dimension;
    const uint64_t first = exchange * channels, left = c->own->group_words - first;
    const uint32_t words = left < channels ? (uint32_t)left : channels;
    for (uint32_t stage = at->begin; stage < at->end; stage++) {
        struct cm_place from = group_place(c, stage);
        from.offset += (int64_t)first;
        cm_emit_send(c->imp, c->config, dimension_of(c, at->phase, stage), from, words);
    }
    cm_emit_exchange(c->imp);
    for (uint32_t stage = at->begin; stage < at->end; stage++) {
        struct cm_place to = arrival_place(c, stage);
        to.offset += (int64_t)first;
        cm_emit_receive(c->imp, c->config, dimension_of(c, at->phase, stage), to, words);
    }
}

/* Emits code that sets the context in the nodes that keep the later record of a pair. */
static void emit_keeps_later(struct cm_sorter *c, uint32_t phase, uint32_t stage)
{
    const bool by_coordinate = phase == c->own->dimensions && !c->own->by_address;
    const uint32_t table = by_coordinate ? TABLE_COORDINATE : TABLE_CODE;
    CM_EMIT(c->imp, CM_OP_CTXLOAD, cm_mem(ADDRESS_TABLES, table),
            cm_value(dimension_of(c, phase, stage)));
    if (c->record->parts > 1)
        CM_EMIT(c->imp, CM_OP_CTXSAVE, cm_reg(FPU_KEEP));
}

/* Emits the complements that bring the node's own record and the arrived record into the order of
 * the phase. */
static void emit_turn(struct cm_sorter *c, const struct cm_sort_registers *registers, uint32_t own,
                      uint32_t arrived)
{
    for (uint32_t part = 0; part < c->record->keys; part++) {
        const unsigned a = cm_sort_part(c, registers, own, part);
        const unsigned b = cm_sort_part(c, registers, arrived, part);
        cm_sort_op(c, CM_OP_IXOR, a, a, FPU_TURN);
        cm_sort_op(c, CM_OP_IXOR, b, b, FPU_COUNTERTURN);
    }
}

/* Emits own = the earlier or the later of the node's own record and the arrived record. The two
 * nodes of a pair see the records in opposite order. They agree on the order, because records with
 * equal keys are either padding or equal in all words. */
static void emit_keep(struct cm_sorter *c, const struct cm_sort_registers *registers, uint32_t own,
                      uint32_t arrived)
{
    if (c->record->parts == 1) {
        const unsigned a = cm_sort_part(c, registers, own, 0);
        const unsigned b = cm_sort_part(c, registers, arrived, 0);
        cm_sort_op(c, CM_OP_IMIN, FPU_SPARE, a, b);
        cm_sort_op(c, CM_OP_IMAX, a, a, b);
        cm_sort_op(c, CM_OP_FSEL32, a, a, FPU_SPARE);
        return;
    }
    cm_sort_before(c, registers, arrived, own);
    CM_EMIT(c->imp, CM_OP_CTXSAVE, cm_reg(FPU_LEFT));
    cm_sort_op(c, CM_OP_IXOR, FPU_LEFT, FPU_LEFT, FPU_KEEP);
    CM_EMIT(c->imp, CM_OP_CTXREST, cm_reg(FPU_LEFT));
    cm_sort_take(c, registers, own, arrived);
}

/* Returns the stage of record `number`, which counts all records that cross in a step. */
static uint32_t stage_of(const struct cm_sorter *c, const struct stages *at, uint64_t number)
{
    return at->begin + (uint32_t)(number / c->own->group);
}

static struct cm_place place_of(const struct cm_sorter *c, struct cm_place group, uint64_t number)
{
    group.offset += (int64_t)(number % c->own->group * c->record->words);
    return group;
}

/* Emits the comparison of `count` records from record `first` on. All arrived records are loaded
 * first, and then all of the node's own, which opens few pages of memory. Records with even numbers
 * are own, those with odd numbers arrived. */
static void emit_batch(struct cm_sorter *c, const struct stages *at, uint64_t first, uint32_t count)
{
    struct cm_sort_registers registers;
    uint32_t before = UINT32_MAX;
    cm_sort_registers_init(&registers, FPU_CUBE);
    for (uint32_t k = 0; k < count; k++)
        cm_sort_record_load(c, &registers, 2 * k + 1,
                            place_of(c, arrival_place(c, stage_of(c, at, first + k)), first + k));
    for (uint32_t k = 0; k < count; k++)
        cm_sort_record_load(c, &registers, 2 * k,
                            place_of(c, group_place(c, stage_of(c, at, first + k)), first + k));
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t stage = stage_of(c, at, first + k);
        if (stage != before)
            emit_keeps_later(c, at->phase, stage);
        if (stage == 0)
            emit_turn(c, &registers, 2 * k, 2 * k + 1);
        emit_keep(c, &registers, 2 * k, 2 * k + 1);
        before = stage;
    }
    cm_imp_emit(c->imp, CM_OP_CTXALL, NULL, 0);
    for (uint32_t k = 0; k < count; k++)
        cm_sort_record_store(c, &registers, 2 * k,
                             place_of(c, group_place(c, stage_of(c, at, first + k)), first + k));
}

static void emit_step(struct cm_sorter *c, const struct stages *at)
{
    const uint64_t count = (at->end - at->begin) * c->own->group;
    const uint32_t batch = (CM_FPU_REGISTERS - FPU_CUBE) / (2 * c->record->parts);
    for (uint64_t exchange = 0; exchange < c->own->group_exchanges; exchange++)
        emit_exchange(c, at, exchange);
    for (uint64_t first = 0; first < count; first += batch)
        emit_batch(c, at, first, count - first < batch ? (uint32_t)(count - first) : batch);
    cm_emit_advance(c->imp, REG_RECORD, (int64_t)c->own->group_words);
}

/* Emits FPU_TURN, which is all bits in nodes where the phase's order is the opposite of the last
 * phase's order and 0 elsewhere, and FPU_COUNTERTURN, which is its complement. */
static void emit_turns(struct cm_sorter *c, uint32_t phase)
{
    cm_sort_constant(c, FPU_LEFT, UINT32_MAX);
    cm_sort_constant(c, FPU_RIGHT, 0);
    CM_EMIT(c->imp, CM_OP_CTXLOAD, cm_mem(ADDRESS_TABLES, TABLE_TURN),
            cm_value(c->own->first_dimension + phase - 1));
    cm_sort_op(c, CM_OP_FSEL32, FPU_TURN, FPU_LEFT, FPU_RIGHT);
    cm_sort_op(c, CM_OP_FSEL32, FPU_COUNTERTURN, FPU_RIGHT, FPU_LEFT);
    cm_imp_emit(c->imp, CM_OP_CTXALL, NULL, 0);
}

/* Emits the steps [step, end) of a phase. */
static void emit_steps(struct cm_sorter *c, uint32_t phase, uint64_t step, uint64_t end)
{
    const uint64_t groups = groups_of(c);
    cm_emit_point(c->imp, REG_RECORD, ADDRESS_WORK, (int64_t)(step * c->own->group_words));
    while (step < end) {
        const uint64_t full = step == phase - 1 && groups >= phase ? groups - phase + 1 : 1;
        const struct stages at = {
            .phase = phase,
            .begin = step < groups ? 0 : (uint32_t)(step - groups + 1),
            .end = step < phase ? (uint32_t)step + 1 : phase,
        };
        const uint32_t loop = cm_sort_begin_loop(c, full);
        emit_step(c, &at);
        cm_sort_end_loop(c, full, loop);
        step += full;
    }
}

/* Returns the first step in which no group crosses the first dimension, but not a step before all
 * dimensions have worked. */
static uint64_t middle_of(const struct cm_sorter *c, uint32_t phase)
{
    return groups_of(c) < phase ? phase : groups_of(c);
}

void cm_sort_phase_fill(struct cm_sorter *c, uint32_t phase)
{
    emit_turns(c, phase);
    emit_steps(c, phase, 0, middle_of(c, phase));
}

void cm_sort_phase_drain(struct cm_sorter *c, uint32_t phase)
{
    emit_steps(c, phase, middle_of(c, phase), groups_of(c) + phase - 1);
}
