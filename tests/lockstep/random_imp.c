/* Draws machines, IMPs and memory for the lock-step test. */
#include "random_imp.h"

#include <stdio.h>
#include <string.h>

/* Address registers: one for each level of loops, fixed ones for the areas. */
enum { R_PLAIN = 0, R_LEVEL = 4, R_COPY = 9, R_SINGLES = 10, R_DOUBLES = 11, R_TABLES = 12 };
/* FPU registers: 32-bit numbers, then words of any bits, then 64-bit numbers from the half on. */
enum { F_WORDS = 10, F_HALF = CM_FPU_REGISTERS / 2 };

#define LEVELS 3u

struct maker {
    struct cm_random *random;
    struct cm_imp *imp;
    uint32_t slots;
    bool reckless;    /* may emit what faults */
    bool tables_move; /* may change communication tables */
    bool names_c;     /* uses transposer C */
    uint32_t level;
    uint32_t budget; /* blocks still to emit */
};

static uint64_t cost(struct cm_random *random)
{
    return cm_random_chance(random, 15) ? 0 : cm_random_below(random, 12);
}

static void draw_fpu(struct cm_random *random, struct cm_config *config)
{
    config->fpu_add_cycles = cost(random);
    config->fpu_multiply_cycles = cost(random);
    config->fpu_multiply_add_cycles = cost(random);
    config->fpu_divide_cycles = cost(random);
    config->fpu_divide64_cycles = cost(random);
    config->fpu_square_root_cycles = cost(random);
    config->fpu_square_root64_cycles = cost(random);
    config->fpu_integer_divide_cycles = cost(random);
    config->fpu_compare_cycles = cost(random);
    config->fpu_convert_cycles = cost(random);
    config->fpu_logical_cycles = cost(random);
    config->fpu_context_cycles = cost(random);
    config->fpu_vector_elements = 1 + cm_random_chance(random, 50) * cm_random_below(random, 6);
    config->fpu_vector_start_cycles = cost(random);
}

static void make_front_end(struct cm_random *random, struct cm_config *config)
{
    config->front_end_imp_start_cycles = cm_random_below(random, 200);
    config->front_end_runtime_call_cycles = cm_random_below(random, 900);
    config->front_end_scalar_cycles = cost(random);
    config->front_end_imp_start_us = cm_random_below(random, 30);
    config->front_end_runtime_call_us = cm_random_below(random, 90);
}

void cm_random_config(struct cm_random *random, struct cm_config *config, uint32_t *nodes)
{
    static const uint16_t pages[] = {1, 7, 16, 64, 100, 512, 4096};
    const uint32_t dimensions = cm_random_below(random, 7);
    memset(config, 0, sizeof(*config));
#define CM_CONFIG(section, key, type, min, max, what) config->section##_##key = (min);
#include "../../sim/machine/config.def"
#undef CM_CONFIG
    (void)snprintf(config->name, sizeof(config->name), "random");
    config->clock_hz = 10000000;
    *nodes = UINT32_C(1) << dimensions;
    config->network_dimensions = dimensions + cm_random_below(random, 2);
    config->network_channels_per_dimension = cm_random_chance(random, 80) ? 2 : 1;
    config->memory_words = CM_AREA_END;
    config->memory_page_words = pages[cm_random_below(random, 7)];
    config->memory_banks = 1 + cm_random_below(random, 8);
    config->memory_block_words = pages[cm_random_below(random, 7)];
    config->memory_bank_conflict_cycles = cost(random);
    config->memory_load_cycles = cost(random);
    config->memory_load_page_fault_cycles = cost(random);
    config->memory_store_cycles = cost(random);
    config->memory_store_page_fault_cycles = cost(random);
    if (cm_random_chance(random, 75)) {
        config->memory_refresh_interval_cycles = 2 + cm_random_below(random, 300);
        config->memory_refresh_cycles =
            1 + cm_random_below(random, (uint32_t)config->memory_refresh_interval_cycles - 1);
    }
    config->memory_heap_alignment_words = 1;
    config->memory_indexed_load_cycles = cost(random);
    config->memory_indexed_store_cycles = cost(random);
    config->transposer_slots = UINT32_C(4) << cm_random_below(random, 5);
    while (config->transposer_slots / 2 < config->network_dimensions + 1)
        config->transposer_slots *= 2;
    config->transposer_load_cycles = cost(random);
    config->transposer_unload_cycles = cost(random);
    config->transposer_indirect_load_cycles = cost(random);
    config->transposer_indirect_unload_cycles = cost(random);
    config->transposer_constant_cycles = cost(random);
    config->exchange_cycles = 1 + cm_random_below(random, 300);
    config->exchange_overlap = cm_random_chance(random, 60);
    config->sequencer_sram_words = 1 << 20;
    config->sequencer_loop_depth = 8;
    config->sequencer_loop_start_cycles = cost(random);
    config->sequencer_loop_iteration_cycles = cost(random);
    config->sequencer_address_cycles = cost(random);
    draw_fpu(random, config);
    make_front_end(random, config);
}

static uint32_t below(struct maker *k, uint32_t bound)
{
    return cm_random_below(k->random, bound);
}

/* A word of the area for any bits: registers stay within 100 .. 400, give or take 20, and offsets
 * within 30. */
static struct cm_operand any_word(struct maker *k)
{
    const uint32_t choice = below(k, 3);
    const uint32_t reg = choice == 0   ? R_PLAIN + below(k, 4)
                         : choice == 1 ? R_LEVEL + below(k, LEVELS + 1)
                                       : R_COPY;
    if (k->reckless && cm_random_chance(k->random, 1)) /* outside memory */
        return cm_mem(reg, (below(k, 2) == 0 ? -1 : 1) * cm_random_range(k->random, 1100, 3000));
    return cm_mem(reg, cm_random_range(k->random, -30, 30));
}

static struct cm_operand single(struct maker *k)
{
    return cm_mem(R_SINGLES, below(k, CM_AREA_DOUBLES - CM_AREA_SINGLES));
}

static struct cm_operand twice(struct maker *k)
{
    return cm_mem(R_DOUBLES, 2 * below(k, (CM_AREA_TABLES - CM_AREA_DOUBLES) / 2));
}

static struct cm_operand table(struct maker *k)
{
    return cm_mem(R_TABLES, below(k, CM_AREA_TABLES_END - CM_AREA_TABLES));
}

static struct cm_operand source(struct maker *k)
{
    const uint32_t choice = below(k, 10);
    return choice == 0 ? single(k) : choice == 1 ? twice(k) : choice == 2 ? table(k) : any_word(k);
}

/* A table that changes under the IMP's hands: one word of the tables becomes another. */
static void emit_table_move(struct maker *k)
{
    const uint32_t words = CM_AREA_TABLES_END - CM_AREA_TABLES;
    const uint32_t to = below(k, words);
    const uint32_t from = below(k, words);
    const uint32_t room = words - (to > from ? to : from);
    CM_EMIT(k->imp, CM_OP_MOVE, cm_mem(R_TABLES, to), cm_mem(R_TABLES, from),
            cm_value(1 + below(k, room < 4 ? room : 4)), cm_value(1), cm_value(1));
}

static void emit_moves(struct maker *k)
{
    const int64_t strides[] = {1, 1, 1, 2, 3, 0, -1, -2};
    const uint32_t count = 1 + below(k, 3);
    for (uint32_t i = 0; i < count; i++) {
        const bool local = cm_random_chance(k->random, 80);
        CM_EMIT(k->imp, CM_OP_MOVE, any_word(k), local ? any_word(k) : table(k),
                cm_value(1 + below(k, 12)), cm_value(strides[below(k, 8)]),
                cm_value(local ? strides[below(k, 8)] : 0));
    }
}

/* A word into an A slot: mostly from memory; a constant or a scalar goes over its channel just
 * so. */
static void emit_word(struct maker *k, uint32_t slot)
{
    const uint32_t kind = below(k, 10);
    if (kind == 0)
        CM_EMIT(k->imp, CM_OP_CONST, cm_slot(CM_TRANSPOSER_A, slot),
                cm_word((uint32_t)cm_random_next(k->random)));
    else if (kind == 1)
        CM_EMIT(k->imp, CM_OP_BCAST, cm_slot(CM_TRANSPOSER_A, slot),
                cm_value(CM_RANDOM_SCALAR32 + below(k, 2)), cm_value(below(k, 2)));
    else
        CM_EMIT(k->imp, CM_OP_LOAD, cm_slot(CM_TRANSPOSER_A, slot), source(k));
}

/* Loads of distinct A slots, so that no channel gets two words. */
static void emit_direct_loads(struct maker *k)
{
    uint32_t slot = below(k, k->slots);
    const uint32_t count = 1 + below(k, k->slots);
    for (uint32_t i = 0; i < count; i++) {
        emit_word(k, slot);
        slot = (slot + 1) % k->slots;
        if (k->reckless && cm_random_chance(k->random, 2))
            slot = below(k, k->slots);
    }
}

/* One table word names distinct slots in its four bytes, and each byte two channels: up to eight
 * loads. */
static void emit_indirect_loads(struct maker *k)
{
    const struct cm_operand word = table(k);
    const uint32_t fields = k->slots / 2 < 4 ? k->slots / 2 : 4;
    const uint32_t skip = below(k, 2 * fields);
    const uint32_t count = 1 + below(k, 2 * fields);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t pick = (i + skip) % (2 * fields);
        CM_EMIT(k->imp, CM_OP_LOADI, cm_reg(CM_TRANSPOSER_A), source(k), word,
                cm_value(pick % fields), cm_value(pick / fields));
        if (k->reckless && cm_random_chance(k->random, 2))
            emit_word(k, below(k, k->slots));
    }
}

static void emit_unloads(struct maker *k)
{
    const uint32_t count = 1 + below(k, 6);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t transposer =
            below(k, 5) < 3 ? CM_TRANSPOSER_B : below(k, k->names_c ? 3 : 2);
        if (cm_random_chance(k->random, 50))
            CM_EMIT(k->imp, CM_OP_UNLOADI, any_word(k), cm_reg(transposer), table(k),
                    cm_value(below(k, 4)), cm_value(below(k, 2)));
        else
            CM_EMIT(k->imp, CM_OP_UNLOAD, any_word(k), cm_slot(transposer, below(k, k->slots)));
    }
}

static void emit_loads(struct maker *k)
{
    if (cm_random_chance(k->random, 50))
        emit_direct_loads(k);
    else
        emit_indirect_loads(k);
}

/* Loads, exchanges, unloads. Between exchanges, while one may run, there can be moves, loads for
 * the next and unloads of what it brings. */
static void emit_round(struct maker *k)
{
    emit_loads(k);
    cm_imp_emit(k->imp, CM_OP_EXCHANGE, NULL, 0);
    while (cm_random_chance(k->random, 40)) {
        if (cm_random_chance(k->random, 50))
            emit_moves(k);
        if (cm_random_chance(k->random, 70))
            emit_loads(k);
        if (cm_random_chance(k->random, 50))
            emit_unloads(k);
        cm_imp_emit(k->imp, CM_OP_EXCHANGE, NULL, 0);
    }
    if (cm_random_chance(k->random, 30))
        emit_moves(k);
    emit_unloads(k);
}

/* Transposer C drives no channel: its slots are plain registers. */
static void emit_registers(struct maker *k)
{
    const struct cm_operand slot = cm_slot(CM_TRANSPOSER_C, below(k, k->slots));
    switch (below(k, 4)) {
    case 0:
        CM_EMIT(k->imp, CM_OP_LOAD, slot, source(k));
        break;
    case 1:
        CM_EMIT(k->imp, CM_OP_LOADI, cm_reg(CM_TRANSPOSER_C), source(k), table(k),
                cm_value(below(k, 4)), cm_value(below(k, 2)));
        break;
    case 2:
        CM_EMIT(k->imp, CM_OP_CONST, slot, cm_word((uint32_t)cm_random_next(k->random)));
        break;
    default:
        CM_EMIT(k->imp, CM_OP_BCAST, slot, cm_value(CM_RANDOM_SCALAR32 + below(k, 2)),
                cm_value(below(k, 2)));
        break;
    }
    CM_EMIT(k->imp, CM_OP_UNLOAD, any_word(k), slot);
}

static struct cm_operand number32(struct maker *k)
{
    return cm_reg(below(k, F_WORDS));
}

static struct cm_operand word(struct maker *k)
{
    return cm_reg(F_WORDS + below(k, F_HALF - F_WORDS));
}

static struct cm_operand number64(struct maker *k)
{
    return cm_reg(F_HALF + below(k, F_HALF));
}

static struct cm_operand any_register(struct maker *k)
{
    return cm_reg(below(k, CM_FPU_REGISTERS));
}

/* A divisor comes from memory, where few numbers are 0, and a root is taken of no negative one:
 * little is to become a NaN. */
static void emit_division(struct maker *k, bool wide)
{
    const struct cm_operand divisor = wide ? number64(k) : number32(k);
    struct cm_operand (*const number)(struct maker *) = wide ? number64 : number32;
    if (below(k, 2) == 0) {
        CM_EMIT(k->imp, wide ? CM_OP_FLOAD64 : CM_OP_FLOAD32, divisor, wide ? twice(k) : single(k));
        CM_EMIT(k->imp, wide ? CM_OP_FDIV64 : CM_OP_FDIV32, number(k), number(k), divisor);
    } else {
        CM_EMIT(k->imp, wide ? CM_OP_FABS64 : CM_OP_FABS32, divisor, number(k));
        CM_EMIT(k->imp, wide ? CM_OP_FSQRT64 : CM_OP_FSQRT32, number(k), divisor);
    }
}

static void emit_arithmetic32(struct maker *k)
{
    static const enum cm_op ops[] = {CM_OP_FADD32, CM_OP_FSUB32, CM_OP_FMUL32,
                                     CM_OP_FMIN32, CM_OP_FMAX32, CM_OP_FMA32};
    const enum cm_op op = ops[below(k, 6)];
    if (cm_random_chance(k->random, 70))
        CM_EMIT(k->imp, CM_OP_FLOAD32, number32(k), single(k));
    else
        CM_EMIT(k->imp, CM_OP_FSCAL32, number32(k), cm_value(CM_RANDOM_SCALAR32));
    if (op == CM_OP_FMA32)
        CM_EMIT(k->imp, op, number32(k), number32(k), number32(k), number32(k));
    else
        CM_EMIT(k->imp, op, number32(k), number32(k), number32(k));
    if (cm_random_chance(k->random, 30))
        emit_division(k, false);
    CM_EMIT(k->imp, CM_OP_FSTORE32, single(k), number32(k));
}

static void emit_arithmetic64(struct maker *k)
{
    static const enum cm_op ops[] = {CM_OP_FADD64, CM_OP_FSUB64, CM_OP_FMUL64,
                                     CM_OP_FMIN64, CM_OP_FMAX64, CM_OP_FMA64};
    const enum cm_op op = ops[below(k, 6)];
    if (cm_random_chance(k->random, 70))
        CM_EMIT(k->imp, CM_OP_FLOAD64, number64(k), twice(k));
    else
        CM_EMIT(k->imp, CM_OP_FSCAL64, number64(k), cm_value(CM_RANDOM_SCALAR64));
    if (op == CM_OP_FMA64)
        CM_EMIT(k->imp, op, number64(k), number64(k), number64(k), number64(k));
    else
        CM_EMIT(k->imp, op, number64(k), number64(k), number64(k));
    if (cm_random_chance(k->random, 30))
        emit_division(k, true);
    CM_EMIT(k->imp, CM_OP_FSTORE64, twice(k), number64(k));
}

/* Two sums in turn, as combinations of arrays have them. What is loaded, read or stored between the
 * terms decides whether a product may join its sum. */
static void emit_sums(struct maker *k, bool wide)
{
    struct cm_operand (*const number)(struct maker *) = wide ? number64 : number32;
    struct cm_operand (*const place)(struct maker *) = wide ? twice : single;
    const enum cm_op load = wide ? CM_OP_FLOAD64 : CM_OP_FLOAD32;
    const enum cm_op store = wide ? CM_OP_FSTORE64 : CM_OP_FSTORE32;
    const struct cm_operand sums[2] = {number(k), number(k)}, element = number(k);
    for (uint32_t terms = 2 + below(k, 20), i = 0; i < terms; i++) {
        const struct cm_operand sum = sums[i % 2];
        const struct cm_operand coefficient = below(k, 4) ? number(k) : sum;
        if (below(k, 5))
            CM_EMIT(k->imp, load, element, place(k));
        if (i < 2 && below(k, 2))
            CM_EMIT(k->imp, wide ? CM_OP_FMUL64 : CM_OP_FMUL32, sum, coefficient, element);
        else
            CM_EMIT(k->imp, wide ? CM_OP_FMA64 : CM_OP_FMA32, sum, coefficient, element, sum);
        if (below(k, 8) == 0)
            CM_EMIT(k->imp, store, place(k), number(k));
        if (below(k, 8) == 0)
            CM_EMIT(k->imp, load, number(k), place(k));
    }
    CM_EMIT(k->imp, store, place(k), sums[0]);
    CM_EMIT(k->imp, store, place(k), sums[1]);
}

/* Words of any bits, which are no numbers of the FPU: a source may be any register. */
static void emit_words(struct maker *k)
{
    static const enum cm_op ops[] = {CM_OP_IADD, CM_OP_ISUB, CM_OP_IMUL,   CM_OP_IDIV,
                                     CM_OP_IMOD, CM_OP_IMIN, CM_OP_IMAX,   CM_OP_IAND,
                                     CM_OP_IOR,  CM_OP_IXOR, CM_OP_FMIN32, CM_OP_FMAX32,
                                     CM_OP_ISHL, CM_OP_ISHR, CM_OP_ISAR};
    static const enum cm_op unary[] = {CM_OP_FNEG32, CM_OP_FABS32, CM_OP_FHIGH, CM_OP_F2I32,
                                       CM_OP_F2I64};
    const uint32_t kind = below(k, 15);
    const struct cm_operand last = kind >= 12 ? word(k) : any_register(k);
    CM_EMIT(k->imp, CM_OP_FLOAD32, word(k), any_word(k));
    if (kind >= 12) /* a shift's count */
        CM_EMIT(k->imp, CM_OP_FCONST, last, cm_word((uint32_t)cm_random_range(k->random, -1, 34)));
    CM_EMIT(k->imp, ops[kind], word(k), any_register(k), last);
    CM_EMIT(k->imp, unary[below(k, 5)], word(k), any_register(k));
    if (below(k, 3) == 0)
        CM_EMIT(k->imp, CM_OP_NODEID, word(k));
    CM_EMIT(k->imp, CM_OP_FJOIN, word(k), any_register(k), any_register(k));
    CM_EMIT(k->imp, CM_OP_FSTORE64, any_word(k), word(k));
}

/* Makes an index below a power of two in a register of each node, a multiple of 2^shift. Returns
 * the power, and now and then less, so that some index is a fault. */
static uint32_t emit_index(struct maker *k, struct cm_operand index, uint32_t shift)
{
    const uint32_t bits = 1 + below(k, 5), mask = (UINT32_C(1) << bits) - 1;
    struct cm_operand other = word(k);
    while (other.reg == index.reg)
        other = word(k);
    if (below(k, 4) == 0)
        CM_EMIT(k->imp, CM_OP_NODEID, index);
    else
        CM_EMIT(k->imp, CM_OP_FLOAD32, index, any_word(k));
    CM_EMIT(k->imp, CM_OP_FCONST, other, cm_word(mask >> shift << shift));
    CM_EMIT(k->imp, CM_OP_IAND, index, index, other);
    return k->reckless && mask > 1 && below(k, 20) == 0 ? mask : mask + 1;
}

/* Loads and stores at an address of each node: words of any bits, and numbers. Before them there
 * may be stores that wait, and after them loads of the same words. */
static void emit_indexed(struct maker *k)
{
    const struct cm_operand index = word(k), near = any_word(k);
    if (below(k, 2))
        CM_EMIT(k->imp, CM_OP_FSTORE64, near, any_register(k));
    if (below(k, 3) == 0)
        CM_EMIT(k->imp, CM_OP_FLOAD64, word(k), near);
    const uint32_t kind = below(k, 7);
    const uint32_t words = emit_index(k, index, kind >= 5);
    const int64_t singles = CM_AREA_DOUBLES - CM_AREA_SINGLES - words;
    const int64_t doubles = (CM_AREA_TABLES - CM_AREA_DOUBLES - words) / 2;
    if (kind == 0)
        CM_EMIT(k->imp, CM_OP_FLOADX32, word(k), near, index, cm_value(words));
    else if (kind == 1)
        CM_EMIT(k->imp, CM_OP_FLOADX64, word(k), near, index, cm_value(words + 1));
    else if (kind == 2)
        CM_EMIT(k->imp, CM_OP_FSTOREX32, near, any_register(k), index, cm_value(words));
    else if (kind == 3)
        CM_EMIT(k->imp, CM_OP_FSTOREX64, near, any_register(k), index, cm_value(words + 1));
    else if (kind == 4)
        CM_EMIT(k->imp, CM_OP_FLOADX32, number32(k), cm_mem(R_SINGLES, below(k, (uint32_t)singles)),
                index, cm_value(words));
    else
        CM_EMIT(k->imp, CM_OP_FLOADX64, number64(k),
                cm_mem(R_DOUBLES, 2 * below(k, (uint32_t)doubles)), index, cm_value(words));
    if (below(k, 2))
        CM_EMIT(k->imp, CM_OP_FSTORE64, any_word(k), word(k));
    if (below(k, 2))
        CM_EMIT(k->imp, CM_OP_FLOAD32, word(k), near);
}

/* What makes numbers of numbers and words: conversions, selections, signs, joined halves. */
static void emit_conversions(struct maker *k)
{
    const struct cm_operand high = word(k);
    switch (below(k, 9)) {
    case 0:
        CM_EMIT(k->imp, CM_OP_I2F32, number32(k), word(k));
        break;
    case 1:
        CM_EMIT(k->imp, CM_OP_I2F64, below(k, 2) ? number64(k) : high, word(k));
        break;
    case 2:
        CM_EMIT(k->imp, CM_OP_F32TO64, below(k, 2) ? number64(k) : high, number32(k));
        break;
    case 3:
        CM_EMIT(k->imp, CM_OP_F64TO32, number32(k), number64(k));
        break;
    case 4:
        CM_EMIT(k->imp, CM_OP_FSEL32, number32(k), number32(k), number32(k));
        break;
    case 5:
        CM_EMIT(k->imp, CM_OP_FSEL64, number64(k), number64(k), number64(k));
        break;
    case 6:
        CM_EMIT(k->imp, below(k, 2) ? CM_OP_FNEG64 : CM_OP_FABS64, number64(k), number64(k));
        break;
    case 7:
        CM_EMIT(k->imp, CM_OP_FSEL64, word(k), any_register(k), any_register(k));
        break;
    default: /* the high half of a number stays one */
        CM_EMIT(k->imp, CM_OP_FHIGH, high, number64(k));
        CM_EMIT(k->imp, CM_OP_FJOIN, number64(k), any_register(k), high);
        break;
    }
    CM_EMIT(k->imp, CM_OP_FSTORE32, single(k), number32(k));
    CM_EMIT(k->imp, CM_OP_FSTORE64, twice(k), number64(k));
}

/* A conversion, the load that makes its source, and an operation that joins two of its results
 * without making a NaN. */
struct conversion {
    enum cm_op convert, load, combine;
    bool of_words; /* true if the source has words of any bits */
};

/* Loads `count` registers from `first` on, in a circle, with sources of a conversion. */
static void emit_batch_loads(struct maker *k, const struct conversion *c, uint32_t first,
                             uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct cm_operand reg = cm_reg((first + i) % CM_FPU_REGISTERS);
        CM_EMIT(k->imp, c->load, reg,
                c->of_words                ? any_word(k)
                : c->load == CM_OP_FLOAD64 ? twice(k)
                                           : single(k));
    }
}

/* Executes loops that generated code calls, so that the batch is in the FPU's registers. */
static void emit_batch_calls(struct maker *k, const struct conversion *c, uint32_t first,
                             uint32_t count)
{
    const bool wide = c->load == CM_OP_FLOAD64;
    for (uint32_t i = 0; i < count; i++) {
        const struct cm_operand reg = cm_reg((first + i) % CM_FPU_REGISTERS);
        if (c->of_words)
            CM_EMIT(k->imp, CM_OP_IDIV, reg, reg, cm_reg(first));
        else
            CM_EMIT(k->imp, wide ? CM_OP_FMIN64 : CM_OP_FMIN32, reg, reg, reg);
    }
    if (!c->of_words) {
        CM_EMIT(k->imp, CM_OP_NODEID, cm_reg(first));
        emit_batch_loads(k, c, first, 1);
    }
}

/* Combines the results of a batch, with a context flag that changes now and then. */
static void emit_batch_combinations(struct maker *k, const struct conversion *c, uint32_t first,
                                    uint32_t count)
{
    for (uint32_t i = below(k, 2) * count; i < count; i++) {
        const struct cm_operand to = cm_reg((first + i) % CM_FPU_REGISTERS);
        const struct cm_operand other = cm_reg((first + below(k, count)) % CM_FPU_REGISTERS);
        if (below(k, 8) == 0)
            CM_EMIT(k->imp, (enum cm_op)(CM_OP_FEQ32 + below(k, CM_OP_ILE - CM_OP_FEQ32 + 1)), to,
                    other);
        CM_EMIT(k->imp, below(k, 4) ? c->combine : CM_OP_FSEL64, to, to, other);
    }
}

/* Stores a batch, and gives each register a number of its own kind again. */
static void emit_batch_end(struct maker *k, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        CM_EMIT(k->imp, CM_OP_FSTORE64, any_word(k), cm_reg((first + i) % CM_FPU_REGISTERS));
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t reg = (first + i) % CM_FPU_REGISTERS;
        if (reg < F_WORDS)
            CM_EMIT(k->imp, CM_OP_FLOAD32, cm_reg(reg), single(k));
        else if (reg >= F_HALF)
            CM_EMIT(k->imp, CM_OP_FLOAD64, cm_reg(reg), twice(k));
    }
}

/* Converts a batch of registers, mostly in place. A large batch has more values alive than the host
 * has registers, so generated code reads some of them from memory. */
static void emit_batch(struct maker *k)
{
    static const struct conversion conversions[] = {
        {CM_OP_I2F32, CM_OP_FLOAD32, CM_OP_IXOR, true},
        {CM_OP_I2F64, CM_OP_FLOAD32, CM_OP_FADD64, true},
        {CM_OP_F2I32, CM_OP_FLOAD32, CM_OP_IADD, true},
        {CM_OP_F2I64, CM_OP_FLOAD64, CM_OP_IXOR, true},
        {CM_OP_F32TO64, CM_OP_FLOAD32, CM_OP_FMAX64, false},
        {CM_OP_F64TO32, CM_OP_FLOAD64, CM_OP_IADD, false},
    };
    const struct conversion *c = &conversions[below(k, 6)];
    const uint32_t count = below(k, 3) ? 20 + below(k, 13) : 2 + below(k, 18);
    const uint32_t first = below(k, CM_FPU_REGISTERS), shift = below(k, 2) * below(k, count);
    emit_batch_loads(k, c, first, count);
    if (below(k, 4))
        emit_batch_calls(k, c, first, count);
    for (uint32_t i = 0; i < count; i++)
        CM_EMIT(k->imp, c->convert, cm_reg((first + i) % CM_FPU_REGISTERS),
                cm_reg((first + (i + shift) % count) % CM_FPU_REGISTERS));
    emit_batch_combinations(k, c, first, count);
    emit_batch_end(k, first, count);
}

static void emit_context(struct maker *k)
{
    static const enum cm_op plain[] = {CM_OP_CTXNOT, CM_OP_CTXALL};
    static const enum cm_op of_memory[] = {CM_OP_CTXAND, CM_OP_CTXLOAD};
    static const enum cm_op of_words[] = {CM_OP_CTXSAVE, CM_OP_CTXREST, CM_OP_CTXANDR};
    const uint32_t choice = below(k, 9);
    if (choice < 2)
        cm_imp_emit(k->imp, plain[choice], NULL, 0);
    else if (choice < 5)
        CM_EMIT(k->imp, of_memory[choice % 2], any_word(k), cm_value(below(k, 32)));
    else if (choice < 7)
        CM_EMIT(k->imp, (enum cm_op)(CM_OP_FEQ32 + below(k, CM_OP_ILE - CM_OP_FEQ32 + 1)),
                any_register(k), any_register(k));
    else
        CM_EMIT(k->imp, of_words[below(k, 3)], word(k));
}

/* Values that change places under the context, on their way from memory to memory, as those of
 * permutations do. Words that are loaded and stored may overlap. */
static void emit_selections(struct maker *k)
{
    const struct cm_operand near = any_word(k);
    struct cm_operand values[4];
    for (uint32_t i = 0; i < 4; i++) {
        values[i] = word(k);
        if (below(k, 4))
            CM_EMIT(k->imp, CM_OP_FLOAD64, values[i], any_word(k));
    }
    emit_context(k);
    for (uint32_t left = 1 + below(k, 8); left > 0; left--) {
        const struct cm_operand a = values[below(k, 4)], b = values[below(k, 4)];
        CM_EMIT(k->imp, CM_OP_FSEL64, below(k, 4) ? word(k) : values[below(k, 4)], a, b);
        if (below(k, 4))
            CM_EMIT(k->imp, CM_OP_FSEL64, below(k, 2) ? a : values[below(k, 4)], b, a);
    }
    if (below(k, 3))
        cm_imp_emit(k->imp, CM_OP_CTXALL, NULL, 0);
    for (uint32_t i = 0; i < 6; i++) {
        CM_EMIT(k->imp, CM_OP_FSTORE64,
                below(k, 2) ? any_word(k) : cm_mem(near.reg, near.value + (int32_t)below(k, 2)),
                values[below(k, 4)]);
        if (below(k, 3) == 0)
            CM_EMIT(k->imp, CM_OP_FLOAD64, values[below(k, 4)], any_word(k));
    }
}

static void emit_blocks(struct maker *k, uint32_t count);

/* The level's register starts afresh before the loop and drifts by at most 2 an iteration, 5
 * iterations at most. */
static void emit_loop(struct maker *k)
{
    const uint32_t reg = R_LEVEL + k->level;
    CM_EMIT(k->imp, CM_OP_ASET, cm_reg(reg), cm_value(100 + below(k, 300)));
    const uint32_t loop = CM_EMIT(k->imp, CM_OP_LOOP, cm_value(1 + below(k, 5)));
    k->level++;
    emit_blocks(k, 1 + below(k, 4));
    k->level--;
    CM_EMIT(k->imp, CM_OP_AADD, cm_reg(reg), cm_value(cm_random_range(k->random, -1, 2)));
    if (cm_random_chance(k->random, 30))
        CM_EMIT(k->imp, CM_OP_ACOPY, cm_reg(R_COPY), cm_reg(reg),
                cm_value(cm_random_range(k->random, -10, 10)));
    CM_EMIT(k->imp, CM_OP_NEXT, cm_value(loop));
}

static void emit_blocks(struct maker *k, uint32_t count)
{
    for (uint32_t i = 0; i < count && k->budget > 0; i++) {
        const uint32_t kind = below(k, 25);
        k->budget--;
        if (kind < 3 && k->level < LEVELS)
            emit_loop(k);
        else if (kind < 6 && k->tables_move && below(k, 2) == 0)
            emit_table_move(k);
        else if (kind < 6)
            emit_moves(k);
        else if (kind < 10)
            emit_round(k);
        else if (kind < 12 && k->names_c)
            emit_registers(k);
        else if (kind < 13)
            emit_arithmetic32(k);
        else if (kind < 14)
            emit_arithmetic64(k);
        else if (kind < 15)
            emit_words(k);
        else if (kind < 16)
            emit_conversions(k);
        else if (kind < 18)
            emit_sums(k, kind == 17);
        else if (kind < 19)
            emit_selections(k);
        else if (kind < 21)
            emit_indexed(k);
        else if (kind < 23)
            emit_batch(k);
        else
            emit_context(k);
    }
}

struct cm_imp *cm_random_imp(struct cm_random *random, const struct cm_config *config,
                             bool tables_move)
{
    struct cm_imp *imp = cm_imp_create("random");
    struct maker maker = {.random = random,
                          .imp = imp,
                          .slots = config->transposer_slots,
                          .reckless = cm_random_chance(random, 8),
                          .names_c = cm_random_chance(random, 50),
                          .tables_move = tables_move,
                          .budget = 60};
    if (imp == NULL)
        return NULL;
    (void)cm_imp_argument(imp, "singles", CM_ARGUMENT_ADDRESS);
    (void)cm_imp_argument(imp, "doubles", CM_ARGUMENT_ADDRESS);
    (void)cm_imp_argument(imp, "scalar32", CM_ARGUMENT_SCALAR);
    (void)cm_imp_argument(imp, "scalar64", CM_ARGUMENT_SCALAR);
    CM_EMIT(imp, CM_OP_AARG, cm_reg(R_SINGLES), cm_value(CM_RANDOM_SINGLES));
    CM_EMIT(imp, CM_OP_AARG, cm_reg(R_DOUBLES), cm_value(CM_RANDOM_DOUBLES));
    CM_EMIT(imp, CM_OP_ASET, cm_reg(R_TABLES), cm_value(CM_AREA_TABLES));
    for (uint32_t r = R_PLAIN; r <= R_COPY; r++)
        CM_EMIT(imp, CM_OP_ASET, cm_reg(r), cm_value(100 + cm_random_below(random, 300)));
    emit_blocks(&maker, 4 + cm_random_below(random, 14));
    cm_imp_emit(imp, CM_OP_HALT, NULL, 0);
    return imp;
}

static uint32_t small_single(struct cm_random *random)
{
    const float value = (float)cm_random_range(random, -1000, 1000) / 64.0F;
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static uint64_t small_double(struct cm_random *random)
{
    const double value = (double)cm_random_range(random, -100000, 100000) / 30000.0;
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

void cm_random_actuals(struct cm_random *random, struct cm_actual *actuals)
{
    memset(actuals, 0, CM_RANDOM_ARGUMENTS * sizeof(*actuals));
    actuals[CM_RANDOM_SINGLES].address = CM_AREA_SINGLES;
    actuals[CM_RANDOM_DOUBLES].address = CM_AREA_DOUBLES;
    actuals[CM_RANDOM_SCALAR32].scalar = small_single(random);
    actuals[CM_RANDOM_SCALAR64].scalar = small_double(random);
}

/* Four distinct slots of the lower half, where there are four. */
static uint32_t table_word(struct cm_random *random, uint32_t slots)
{
    const uint32_t half = slots / 2;
    const uint32_t first = cm_random_below(random, half);
    const uint32_t step = half > 4 && cm_random_chance(random, 50) ? half - 1 : 1;
    uint32_t word = 0;
    for (uint32_t field = 0; field < 4; field++)
        word |= (first + field * step) % half << (8 * field);
    return word;
}

uint32_t cm_random_word(struct cm_random *random, const struct cm_config *config, uint32_t address)
{
    if (address >= CM_AREA_SINGLES && address < CM_AREA_DOUBLES)
        return small_single(random);
    if (address >= CM_AREA_DOUBLES && address < CM_AREA_TABLES && address % 2 != 0)
        return (uint32_t)(small_double(random) >>
                          32); /* the high half; any low half goes with it */
    if (address >= CM_AREA_TABLES && address < CM_AREA_TABLES_END)
        return table_word(random, config->transposer_slots);
    return (uint32_t)cm_random_next(random);
}
