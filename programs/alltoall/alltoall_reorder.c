/*
 * Reorders blocks within a node, from positions to addresses or back.
 *
 * A unit is the words of one block for one dimension in one chunk: one word for each channel, so
 * usually two. The destination of a unit depends on the node, but an instruction stores to the same
 * address in all nodes. So units go through registers, sixteen at a time. For each of four bits the
 * two halves of the registers change places in the nodes whose address has that bit. A pass over
 * memory handles four bits of the block number.
 *
 * Position p goes to the address rotate(g, i) xor the node's own address, in part i. Here g is p
 * xor p / 2 for the Gray code, and p otherwise. The passes take the bits of p from the lowest up.
 * Bit b of the Gray code is bit b of p xor bit b + 1 of p. Within a pass, bit b + 1 only decides
 * which register is stored where. For the highest bit of a pass, there is code for both values of
 * the next bit. The rotation only changes addresses: the last pass writes to rotated places, the
 * other passes work in place.
 */
#include "alltoall_private.h"

#include "../system/loops.h"

#define PASS_BITS  4u
#define PASS_UNITS (1u << PASS_BITS)

enum {
    FPU_SPARE = PASS_UNITS, /* register after those of the units */
    FPU_NODE,
    FPU_BIT,
    /* first of PASS_BITS registers, which say whether the node's address has each bit of the pass
     */
    FPU_CONDITIONS,
};

/* Direction and address registers of a reordering, the same for all rows. */
struct reorder {
    const struct cm_alltoall_compiler *c;
    /* Address registers of the first pass's source and the last pass's destination. Other passes
     * stay in the work area. */
    unsigned from, to;
    bool gray;       /* true if positions are in Gray code */
    bool distribute; /* true to go from addresses to positions, when the first pass rotates */
};

/* Row: the units of one part, one in each chunk of a block. */
struct row {
    uint32_t rotation; /* rotation of numbers: bit b goes to bit (b + rotation) mod d */
    uint64_t first, units, stride;
    bool wide; /* true if units have two words */
};

/* Pass over the bits [low, high) of the block number. */
struct pass {
    const struct reorder *reorder;
    const struct row *row;
    uint32_t low, high;
    /* True if the loop body also covers bit `high` of the block number, because the Gray code needs
     * it. */
    bool coupled;
    bool rotates;     /* true if this pass writes units to rotated places */
    bool was_rotated; /* true if an earlier pass wrote units to rotated places */
};

static uint32_t rotated(const struct pass *pass, uint32_t bit)
{
    return (bit + pass->row->rotation) % pass->reorder->c->own->task.dimensions;
}

/* These functions return the distance in words between blocks whose numbers differ in one bit,
 * before the pass and after it. */
static int64_t words_before(const struct pass *pass, uint32_t bit)
{
    const uint32_t at = pass->was_rotated ? rotated(pass, bit) : bit;
    return (int64_t)(pass->reorder->c->own->task.words << at);
}

static int64_t words_after(const struct pass *pass, uint32_t bit)
{
    const uint32_t at = pass->was_rotated || pass->rotates ? rotated(pass, bit) : bit;
    return (int64_t)(pass->reorder->c->own->task.words << at);
}

/* Returns the bit of the node's address that decides whether blocks are swapped in a bit of the
 * block number. */
static uint32_t node_bit(const struct pass *pass, uint32_t bit)
{
    const uint32_t at = pass->reorder->distribute ? bit : rotated(pass, bit);
    return pass->reorder->c->own->task.first_dimension + at;
}

static int64_t place_before(const struct pass *pass, uint32_t unit)
{
    int64_t words = 0;
    for (uint32_t b = pass->low; b < pass->high; b++)
        words += (unit >> (b - pass->low) & 1) ? words_before(pass, b) : 0;
    return words;
}

static int64_t place_after(const struct pass *pass, uint32_t unit)
{
    int64_t words = 0;
    for (uint32_t b = pass->low; b < pass->high; b++)
        words += (unit >> (b - pass->low) & 1) ? words_after(pass, b) : 0;
    return words;
}

/* Emits the swap of the registers whose unit number has 0 in a bit with those that have 1, in the
 * nodes whose address has the bit. */
static void emit_swaps(const struct pass *pass, uint32_t bit, uint8_t *holder, uint8_t *spare)
{
    struct cm_imp *imp = pass->reorder->c->imp;
    const enum cm_op select = pass->row->wide ? CM_OP_FSEL64 : CM_OP_FSEL32;
    CM_EMIT(imp, CM_OP_CTXREST, cm_reg(FPU_CONDITIONS + bit));
    for (uint32_t unit = 0; unit < 1u << (pass->high - pass->low); unit++) {
        const uint32_t other = unit | 1u << bit;
        const uint8_t a = holder[unit], b = holder[other];
        if (unit == other)
            continue;
        CM_EMIT(imp, select, cm_reg(*spare), cm_reg(b), cm_reg(a));
        CM_EMIT(imp, select, cm_reg(b), cm_reg(a), cm_reg(b));
        holder[unit] = *spare;
        *spare = a;
    }
}

/* Emits the loads, swaps and stores of the units of a pass, for one value of the block number's
 * other bits. */
static void emit_units(const struct pass *pass, int64_t from, int64_t to, uint32_t next_bit)
{
    struct cm_imp *imp = pass->reorder->c->imp;
    const uint32_t bits = pass->high - pass->low, units = 1u << bits;
    const bool gray = pass->reorder->gray, wide = pass->row->wide;
    uint8_t holder[PASS_UNITS], spare = FPU_SPARE;
    for (uint32_t unit = 0; unit < units; unit++) {
        const uint32_t above = gray ? unit >> 1 | next_bit << (bits - 1) : 0;
        CM_EMIT(imp, wide ? CM_OP_FLOAD64 : CM_OP_FLOAD32, cm_reg(unit),
                cm_mem(REG_FROM, from + place_before(pass, unit)));
        holder[unit ^ above] = (uint8_t)unit;
    }
    for (uint32_t bit = 0; bit < bits; bit++)
        emit_swaps(pass, bit, holder, &spare);
    cm_imp_emit(imp, CM_OP_CTXALL, NULL, 0);
    for (uint32_t unit = 0; unit < units; unit++)
        CM_EMIT(imp, wide ? CM_OP_FSTORE64 : CM_OP_FSTORE32,
                cm_mem(REG_TO, to + place_after(pass, unit)), cm_reg(holder[unit]));
}

/* Serves as the `body` of loops (struct cm_loops): emits the units of a pass. */
static void emit_body(void *context, int64_t from, int64_t to)
{
    const struct pass *pass = context;
    emit_units(pass, from, to, 0);
    if (pass->coupled)
        emit_units(pass, from + words_before(pass, pass->high), to + words_after(pass, pass->high),
                   1);
}

/* Emits the conditions of a pass: whether the node's address has each bit of the pass. */
static void emit_conditions(const struct pass *pass)
{
    struct cm_imp *imp = pass->reorder->c->imp;
    CM_EMIT(imp, CM_OP_NODEID, cm_reg(FPU_NODE));
    for (uint32_t b = pass->low; b < pass->high; b++) {
        CM_EMIT(imp, CM_OP_FCONST, cm_reg(FPU_BIT), cm_word(UINT32_C(1) << node_bit(pass, b)));
        CM_EMIT(imp, CM_OP_IAND, cm_reg(FPU_CONDITIONS + b - pass->low), cm_reg(FPU_NODE),
                cm_reg(FPU_BIT));
    }
}

/* Adds a loop over a bit of the block number outside the pass. If the bit continues the last loop,
 * this loop gets longer instead. */
static void add_bit(struct cm_loops *loops, int64_t before, int64_t after)
{
    struct cm_loop_level *last =
        loops->level_count > 0 ? &loops->levels[loops->level_count - 1] : NULL;
    if (last && before == (int64_t)last->count * last->data &&
        after == (int64_t)last->count * last->entries)
        last->count *= 2;
    else
        loops->levels[loops->level_count++] = (struct cm_loop_level){2, before, after};
}

static void emit_pass(struct pass *pass)
{
    const struct cm_alltoall_compiler *c = pass->reorder->c;
    const struct row *row = pass->row;
    struct cm_loops loops = {
        .bodies = 1, .data = REG_FROM, .entries = REG_TO, .body = emit_body, .context = pass};
    const bool first = pass->low == 0, last = pass->high == c->own->task.dimensions;
    cm_emit_point(c->imp, REG_FROM, first ? pass->reorder->from : ADDRESS_WORK,
                  (int64_t)row->first);
    cm_emit_point(c->imp, REG_TO, last ? pass->reorder->to : ADDRESS_WORK, (int64_t)row->first);
    emit_conditions(pass);
    if (row->units > 1)
        loops.levels[loops.level_count++] =
            (struct cm_loop_level){row->units, (int64_t)row->stride, (int64_t)row->stride};
    for (uint32_t b = 0; b < c->own->task.dimensions; b++)
        if (b < pass->low || b >= pass->high + pass->coupled)
            add_bit(&loops, words_before(pass, b), words_after(pass, b));
    cm_loops_emit(&loops, c->imp);
}

static void emit_row(const struct reorder *reorder, const struct row *row)
{
    const uint32_t dimensions = reorder->c->own->task.dimensions;
    for (uint32_t low = 0; low < dimensions; low += PASS_BITS) {
        const bool last = dimensions - low <= PASS_BITS;
        struct pass pass = {.reorder = reorder,
                            .row = row,
                            .low = low,
                            .high = last ? dimensions : low + PASS_BITS,
                            .coupled = reorder->gray && !last,
                            .rotates = reorder->distribute ? low == 0 : last,
                            .was_rotated = reorder->distribute && low > 0};
        emit_pass(&pass);
    }
}

/* Emits the reordering of the rows of a part: its whole units, and the single word after them if
 * there is one. */
static void emit_part(const struct reorder *reorder, uint32_t part)
{
    const struct cm_alltoall *own = reorder->c->own;
    const uint64_t first = (uint64_t)part * own->channels;
    const struct cm_alltoall_units units = cm_alltoall_units(own, part);
    const uint32_t d = own->task.dimensions;
    struct row row = {.rotation = reorder->distribute ? (d - part) % d : part,
                      .first = first,
                      .units = units.whole,
                      .stride = own->chunk,
                      .wide = own->channels == 2};
    if (row.units > 0)
        emit_row(reorder, &row);
    if (!units.single)
        return;
    row.first += row.units * own->chunk;
    row.units = 1;
    row.wide = false;
    emit_row(reorder, &row);
}

static struct cm_imp *compile(const char *name, const struct cm_config *config,
                              const struct cm_alltoall *own, struct reorder reorder)
{
    const struct cm_alltoall_compiler c = {cm_emit_begin(name, CM_ALLTOALL_ARGUMENTS), config, own};
    if (!c.imp)
        return NULL;
    reorder.c = &c;
    for (uint32_t part = 0; part < own->parts; part++)
        emit_part(&reorder, part);
    return cm_emit_end(c.imp);
}

struct cm_imp *cm_alltoall_compile_reorder(const struct cm_config *config,
                                           const struct cm_alltoall *own)
{
    const struct reorder reorder = {
        .from = ADDRESS_WORK, .to = ADDRESS_DST, .gray = own->task.algorithm == CM_ALLTOALL_GRAY};
    return compile("reorder", config, own, reorder);
}

struct cm_imp *cm_alltoall_compile_distribute(const struct cm_config *config,
                                              const struct cm_alltoall *own)
{
    const struct reorder reorder = {.from = ADDRESS_SRC, .to = ADDRESS_WORK, .distribute = true};
    return compile("distribute", config, own, reorder);
}
