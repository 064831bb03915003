/*
 * Reorders blocks within a node after they went around Hamiltonian cycles.
 *
 * The nodes have places along the cycle of a part. The block at position p comes from the node p
 * places before the node's own place s, or p places after it, depending on the direction of the
 * part. If places are counted in the direction of the part, the block at position p belongs to
 * place p + s. This is a rotation by s, which differs from node to node. After the rotation every
 * block is at its place, which is the same in all nodes. It then goes to the address of the node at
 * that place.
 *
 * The rotation goes digit by digit, of four bits each, the lowest digit first. Positions that
 * differ in one digit only are a ring. For the lowest digit, each ring rotates by that digit of s.
 * Blocks that went round the ring belong one ring further, and the rotation of the next digit moves
 * them there. Let y be the new place that a ring has in the q bits of the lower digits. Then the
 * ring of the next digit rotates by the amount
 *
 *     (s + 2^q - 1 - y) / 2^q     rounded down, modulo the ring's length
 *
 * Up to sixteen units of a ring are in registers. They rotate by 2^b in the nodes whose amount has
 * bit b. The rings of the last digit are stored to addresses that follow no rule. So the last digit
 * has no loop over rings, and needs several IMPs if its code does not fit in the SRAM.
 */
#include "alltoall_private.h"

#include "../system/loops.h"

#include <stdlib.h>

#define DIGIT_BITS 4u
#define DIGIT      (1u << DIGIT_BITS)

enum {
    FPU_SPARE = DIGIT, /* register after those of the units */
    FPU_AMOUNT,        /* amount s + 2^q - 1 - y */
    FPU_ONE,
    FPU_MASKS, /* first of the masks of the digit's bits in FPU_AMOUNT */
    FPU_CONDITIONS = FPU_MASKS + DIGIT_BITS,
};
_Static_assert(FPU_CONDITIONS + DIGIT_BITS <= CM_FPU_REGISTERS, "a digit has registers");

/* Row: the units of one part, one in each chunk of a block. */
struct row {
    uint32_t part;
    uint64_t first, units;
    bool wide; /* true if units have two words */
};

/* Digit of a rotation: the bits [low, high) of positions, in all units of a row. */
struct digit {
    struct cm_alltoall_compiler *c;
    const struct row *row;
    uint32_t low, high;
    /* for the last digit: addresses of the nodes by place. NULL for other digits */
    const uint32_t *addresses;
};

static uint32_t ring_of(const struct digit *digit)
{
    return 1u << (digit->high - digit->low);
}

static int64_t block_words(const struct digit *digit)
{
    return (int64_t)digit->c->own->task.words;
}

/* Returns where the block at a position belongs in the result, in words from its start. */
static int64_t target_of(const struct digit *digit, uint32_t position)
{
    const uint32_t mask = (UINT32_C(1) << digit->c->own->task.dimensions) - 1;
    /* even parts go forward along the cycle, and their places count backward */
    const uint32_t place = digit->row->part % 2 == 0 ? (0 - position) & mask : position;
    return digit->addresses[place] * block_words(digit);
}

/* Emits one step of a ring's rotation. In the nodes where bit `bit` of the amount is 1, unit i
 * moves to the place of unit i + 2^bit. */
static void emit_turn(const struct digit *digit, uint32_t bit, uint8_t *holder, uint8_t *spare)
{
    struct cm_imp *imp = digit->c->imp;
    const enum cm_op select = digit->row->wide ? CM_OP_FSEL64 : CM_OP_FSEL32;
    const uint32_t step = 1u << bit, ring = ring_of(digit);
    CM_EMIT(imp, CM_OP_CTXREST, cm_reg(FPU_CONDITIONS + bit));
    for (uint32_t begin = 0; begin < step; begin++) {
        const uint8_t old = holder[begin];
        uint32_t i = begin + ring - step;
        CM_EMIT(imp, select, cm_reg(*spare), cm_reg(holder[i]), cm_reg(old));
        for (; i > begin; i -= step)
            CM_EMIT(imp, select, cm_reg(holder[i]), cm_reg(holder[i - step]), cm_reg(holder[i]));
        holder[begin] = *spare;
        *spare = old;
    }
}

/* Emits the rotation of the ring of units that begins at `position`, `from` words after REG_FROM.
 */
static void emit_ring(const struct digit *digit, uint32_t position, int64_t from)
{
    struct cm_imp *imp = digit->c->imp;
    const bool wide = digit->row->wide;
    const int64_t step = block_words(digit) << digit->low;
    uint8_t holder[DIGIT], spare = FPU_SPARE;
    for (uint32_t i = 0; i < ring_of(digit); i++) {
        CM_EMIT(imp, wide ? CM_OP_FLOAD64 : CM_OP_FLOAD32, cm_reg(i),
                cm_mem(REG_FROM, from + i * step));
        holder[i] = (uint8_t)i;
    }
    for (uint32_t bit = 0; bit < digit->high - digit->low; bit++)
        emit_turn(digit, bit, holder, &spare);
    cm_imp_emit(imp, CM_OP_CTXALL, NULL, 0);
    for (uint32_t i = 0; i < ring_of(digit); i++) {
        const int64_t to =
            digit->addresses ? target_of(digit, position + (i << digit->low)) : from + i * step;
        CM_EMIT(imp, wide ? CM_OP_FSTORE64 : CM_OP_FSTORE32,
                cm_mem(digit->addresses ? REG_TO : REG_FROM, to), cm_reg(holder[i]));
    }
}

/* Serves as the `body` of loops (struct cm_loops): emits the rotation of a ring. */
static void emit_body(void *context, int64_t from, int64_t to)
{
    (void)to;
    emit_ring(context, 0, from);
}

/* Emits constants, and the amount by which the rings whose lower digits are `lower` rotate. */
static void emit_begin(const struct digit *digit, uint32_t lower)
{
    struct cm_imp *imp = digit->c->imp;
    const uint32_t parts = digit->c->own->parts, most = (UINT32_C(1) << digit->low) - 1;
    CM_EMIT(imp, CM_OP_FCONST, cm_reg(FPU_ONE), cm_word(1));
    for (uint32_t bit = digit->low; bit < digit->high; bit++)
        CM_EMIT(imp, CM_OP_FCONST, cm_reg(FPU_MASKS + bit - digit->low),
                cm_word(UINT32_C(1) << bit));
    CM_EMIT(imp, CM_OP_FLOAD32, cm_reg(FPU_AMOUNT),
            cm_mem(ADDRESS_TABLES, parts + digit->row->part));
    CM_EMIT(imp, CM_OP_FCONST, cm_reg(FPU_SPARE), cm_word(most - lower));
    CM_EMIT(imp, CM_OP_IADD, cm_reg(FPU_AMOUNT), cm_reg(FPU_AMOUNT), cm_reg(FPU_SPARE));
}

/* Emits the conditions of a ring: which bits the amount of its rotation has. Then changes the
 * amount to that of the next rings. */
static void emit_conditions(const struct digit *digit)
{
    struct cm_imp *imp = digit->c->imp;
    for (uint32_t bit = 0; bit < digit->high - digit->low; bit++)
        CM_EMIT(imp, CM_OP_IAND, cm_reg(FPU_CONDITIONS + bit), cm_reg(FPU_AMOUNT),
                cm_reg(FPU_MASKS + bit));
    CM_EMIT(imp, CM_OP_ISUB, cm_reg(FPU_AMOUNT), cm_reg(FPU_AMOUNT), cm_reg(FPU_ONE));
}

static uint32_t begin_loop(const struct digit *digit, uint64_t count)
{
    return count > 1 ? CM_EMIT(digit->c->imp, CM_OP_LOOP, cm_value((int64_t)count)) : 0;
}

static void end_loop(const struct digit *digit, uint64_t count, uint32_t loop)
{
    if (count > 1)
        cm_emit_next(digit->c->imp, loop);
}

/* Emits the rotations of a digit that is not the last. They work in place. */
static void emit_digit(struct digit *digit)
{
    const struct cm_alltoall *own = digit->c->own;
    const uint64_t lower = UINT64_C(1) << digit->low;
    const uint64_t higher = UINT64_C(1) << (own->task.dimensions - digit->high);
    struct cm_loops loops = {
        .bodies = 1, .data = REG_FROM, .entries = REG_TO, .body = emit_body, .context = digit};
    if (digit->row->units > 1)
        loops.levels[loops.level_count++] =
            (struct cm_loop_level){digit->row->units, (int64_t)own->chunk, 0};
    if (higher > 1)
        loops.levels[loops.level_count++] =
            (struct cm_loop_level){higher, block_words(digit) << digit->high, 0};
    emit_begin(digit, 0);
    cm_emit_point(digit->c->imp, REG_BLOCK, ADDRESS_WORK, (int64_t)digit->row->first);
    const uint32_t loop = begin_loop(digit, lower);
    emit_conditions(digit);
    cm_emit_point(digit->c->imp, REG_FROM, REG_BLOCK, 0);
    cm_loops_emit(&loops, digit->c->imp);
    cm_emit_advance(digit->c->imp, REG_BLOCK, block_words(digit));
    end_loop(digit, lower, loop);
}

/* Emits the rotations of the rings [begin, end) of the last digit, and stores their blocks to their
 * addresses. */
static void emit_last(const struct digit *digit, uint32_t begin, uint32_t end)
{
    const struct row *row = digit->row;
    const int64_t chunk = (int64_t)digit->c->own->chunk;
    cm_emit_point(digit->c->imp, REG_FROM, ADDRESS_WORK, (int64_t)row->first);
    cm_emit_point(digit->c->imp, REG_TO, ADDRESS_DST, (int64_t)row->first);
    const uint32_t loop = begin_loop(digit, row->units);
    emit_begin(digit, begin);
    for (uint32_t lower = begin; lower < end; lower++) {
        emit_conditions(digit);
        emit_ring(digit, lower, lower * block_words(digit));
    }
    if (row->units > 1) {
        cm_emit_advance(digit->c->imp, REG_FROM, chunk);
        cm_emit_advance(digit->c->imp, REG_TO, chunk);
    }
    end_loop(digit, row->units, loop);
}

/* Lists the rows of all parts: whole units, and the single words after them. Returns the number of
 * rows. */
static uint32_t rows_of(const struct cm_alltoall *own, struct row *rows)
{
    uint32_t count = 0;
    for (uint32_t part = 0; part < own->parts; part++) {
        const struct cm_alltoall_units units = cm_alltoall_units(own, part);
        const uint64_t first = (uint64_t)part * own->channels;
        if (units.whole > 0)
            rows[count++] = (struct row){part, first, units.whole, own->channels == 2};
        if (units.single)
            rows[count++] = (struct row){part, first + units.whole * own->chunk, 1, false};
    }
    return count;
}

static enum cm_status add_digits(const struct cm_config *config, const struct cm_alltoall *own,
                                 const struct row *rows, uint32_t count, uint32_t last,
                                 struct cm_error *err)
{
    struct cm_alltoall_compiler c = {cm_emit_begin("rotate", CM_ALLTOALL_ARGUMENTS), config, own};
    for (uint32_t i = 0; c.imp && i < count; i++)
        for (uint32_t low = 0; low < last; low += DIGIT_BITS) {
            struct digit digit = {.c = &c, .row = &rows[i], .low = low, .high = low + DIGIT_BITS};
            emit_digit(&digit);
        }
    return cm_compiled_add(own->compiled, cm_emit_end(c.imp), err);
}

/* Adds the IMPs for the last digit of a row, with at most `words` words each. */
static enum cm_status add_last(struct cm_alltoall_compiler *c, struct digit *digit, uint64_t words,
                               struct cm_error *err)
{
    const uint32_t ring = ring_of(digit), rings = UINT32_C(1) << digit->low;
    const uint32_t bits = digit->high - digit->low;
    /* words of code for a ring: loads and stores of units, selections, conditions */
    const uint64_t each = (uint64_t)ring * (4 + bits) + 2 * bits + 2;
    const uint64_t share = words / each;
    const uint32_t most = share == 0 ? 1 : share < rings ? (uint32_t)share : rings;
    enum cm_status status = CM_OK;
    for (uint32_t begin = 0; status == CM_OK && begin < rings; begin += most) {
        c->imp = cm_emit_begin("unwind", CM_ALLTOALL_ARGUMENTS);
        if (c->imp)
            emit_last(digit, begin, rings - begin < most ? rings : begin + most);
        status = cm_compiled_add(c->own->compiled, cm_emit_end(c->imp), err);
    }
    return status;
}

/* Lists the addresses of the nodes along a part's cycle, from address 0 on. */
static void follow(const struct cm_alltoall *own, uint32_t part, uint32_t *addresses)
{
    const uint32_t n = UINT32_C(1) << own->task.dimensions;
    const uint8_t *next = own->cycles + (uint64_t)(part / 2) * n;
    addresses[0] = 0;
    for (uint32_t place = 1; place < n; place++)
        addresses[place] = addresses[place - 1] ^ UINT32_C(1) << next[addresses[place - 1]];
}

static enum cm_status add_all(const struct cm_config *config, const struct cm_alltoall *own,
                              struct row *rows, uint32_t *addresses, uint64_t words,
                              struct cm_error *err)
{
    struct cm_alltoall_compiler c = {.config = config, .own = own};
    const uint32_t d = own->task.dimensions, last = (d - 1) / DIGIT_BITS * DIGIT_BITS;
    const uint32_t count = rows_of(own, rows);
    enum cm_status status = last > 0 ? add_digits(config, own, rows, count, last, err) : CM_OK;
    for (uint32_t i = 0; status == CM_OK && i < count; i++) {
        struct digit digit = {
            .c = &c, .row = &rows[i], .low = last, .high = d, .addresses = addresses};
        follow(own, rows[i].part, addresses);
        status = add_last(&c, &digit, words, err);
    }
    return status;
}

enum cm_status cm_alltoall_add_unwind(const struct cm_config *config, const struct cm_alltoall *own,
                                      uint64_t words, struct cm_error *err)
{
    struct row *rows = calloc((size_t)own->parts * 2, sizeof *rows);
    uint32_t *addresses = calloc(cm_alltoall_blocks(own), sizeof *addresses);
    const enum cm_status status = rows && addresses
                                      ? add_all(config, own, rows, addresses, words, err)
                                      : cm_error_no_memory(err);
    free(rows);
    free(addresses);
    return status;
}

/* Fills in `word` in the nodes that have the address `address` in their groups. */
static void fill_address(const struct cm_alltoall *own, uint32_t nodes, uint32_t address,
                         uint32_t word, uint32_t *plane)
{
    const uint32_t d = own->task.dimensions, first = own->task.first_dimension;
    const uint32_t below = (UINT32_C(1) << first) - 1;
    for (uint32_t group = 0; group < nodes >> d; group++)
        plane[(group >> first << d | address) << first | (group & below)] = word;
}

void cm_alltoall_fill_places(const struct cm_alltoall *own, uint32_t nodes, uint32_t *planes)
{
    const uint32_t n = UINT32_C(1) << own->task.dimensions;
    for (uint32_t part = 0; part < own->parts; part++) {
        const uint8_t *next = own->cycles + (uint64_t)(part / 2) * n;
        uint32_t address = 0;
        for (uint32_t place = 0; place < n; place++) {
            fill_address(own, nodes, address, part % 2 == 0 ? (n - place) % n : place,
                         planes + (size_t)part * nodes);
            address ^= UINT32_C(1) << next[address];
        }
    }
}
