/*
 * Emits the multiplication in each node: C += panel of A * panel of B. C is cut into tiles. The
 * results of a tile are in registers while k goes over the panel. For each tile, every line of the
 * two panels (the elements of one k) is loaded once.
 *
 *     loop over tile columns      REG_TILE + 1: line of B
 *       loop over tile rows       REG_TILE: line of A. REG_C: the tile
 *         load the tile
 *         loop over k             REG_LINE, REG_LINE + 1. Several lines in an iteration
 *           load the elements of the shorter edge, then each element of the longer edge,
 *           with a chained multiply-add for every result that it contributes to
 *         store the tile
 *
 * Leftover rows and columns have smaller tiles.
 */
#include "matmul_private.h"

#define UNROLL_WORDS 1500u /* limit on the SRAM words of a loop over k */
#define UNROLL_MAX   16u

struct form {
    uint32_t parts;      /* number of registers of an element: 2 for complex types, otherwise 1 */
    uint32_t part_words; /* number of words of a part: 1 or 2 */
    bool integer;
};

static struct form form_of(enum cm_type type)
{
    const uint32_t parts = cm_type_components(type);
    return (struct form){parts, cm_type_slices(type) / parts, type == CM_TYPE_INT32};
}

/* Returns the number of FPU registers that a tile takes: for its results, the elements of its
 * shorter edge, one element of the longer edge, and for integers a product. */
static uint32_t registers_of(const struct form *form, uint64_t rows, uint64_t columns)
{
    const uint64_t held = rows < columns ? rows : columns;
    return (uint32_t)((rows * columns + held + 1) * form->parts + form->integer);
}

/* Estimates the cycles of multiplying one line of k of a tile: loads and chained operations. */
static uint64_t line_cost(const struct form *form, uint64_t rows, uint64_t columns)
{
    const uint64_t words = (uint64_t)form->parts * form->part_words;
    const uint64_t operations = form->integer ? 2 : (uint64_t)form->parts * form->parts;
    if (rows == 0 || columns == 0)
        return 0;
    /* The 4 cycles stand for the pages that the two edges open, and for a part of the loop's end,
     * which several lines share. */
    return (rows + columns) * words + rows * columns * operations + 4;
}

static uint64_t cost_of(const struct form *form, const uint64_t lengths[2], uint64_t rows,
                        uint64_t columns)
{
    const uint64_t full[2] = {lengths[0] / rows, lengths[1] / columns};
    const uint64_t rest[2] = {lengths[0] % rows, lengths[1] % columns};
    return full[0] * full[1] * line_cost(form, rows, columns) +
           full[1] * line_cost(form, rest[0], columns) + full[0] * line_cost(form, rows, rest[1]) +
           line_cost(form, rest[0], rest[1]);
}

static uint32_t line_words(const struct form *form, uint32_t rows, uint32_t columns)
{
    const uint32_t multiply = form->integer ? 2 : 2 * form->parts * form->parts;
    return (rows + columns) * 2 * form->parts + rows * columns * multiply;
}

void cm_matmul_choose_tile(struct cm_matmul *own)
{
    const struct form form = form_of(own->task.c.type);
    const uint64_t lengths[2] = {own->sides[0].across.local_length,
                                 own->sides[1].across.local_length};
    uint64_t best = UINT64_MAX;
    for (uint32_t rows = 1; rows < CM_FPU_REGISTERS && rows <= lengths[0]; rows++)
        for (uint32_t columns = 1; columns < CM_FPU_REGISTERS && columns <= lengths[1]; columns++) {
            const uint64_t cost = cost_of(&form, lengths, rows, columns);
            if (registers_of(&form, rows, columns) > CM_FPU_REGISTERS || cost >= best)
                continue;
            best = cost;
            own->tile[0] = rows;
            own->tile[1] = columns;
        }
    own->unroll = UNROLL_WORDS / line_words(&form, own->tile[0], own->tile[1]);
    if (own->unroll > UNROLL_MAX)
        own->unroll = UNROLL_MAX;
    if (own->unroll > own->depth)
        own->unroll = (uint32_t)own->depth;
    if (own->unroll == 0)
        own->unroll = 1;
}

struct kernel {
    struct cm_matmul_compiler *c;
    const struct cm_fpu_ops *ops;
    struct form form;
    uint32_t tile[2];
    uint64_t lengths[2]; /* numbers of rows and columns of C in the node */
    uint32_t words;      /* number of words of an element */
};

static unsigned result_of(const struct kernel *k, uint32_t row, uint32_t column)
{
    return (row + column * k->tile[0]) * k->form.parts;
}

/* Returns the register of element i of a tile's shorter edge. After the shorter edge come the
 * registers of an element of the longer edge, and of a product. */
static unsigned edge_of(const struct kernel *k, uint32_t i)
{
    return (k->tile[0] * k->tile[1] + i) * k->form.parts;
}

static void emit_load(const struct kernel *k, unsigned to, unsigned reg, int64_t offset)
{
    for (uint32_t part = 0; part < k->form.parts; part++)
        CM_EMIT(k->c->imp, k->ops->load, cm_reg(to + part),
                cm_mem(reg, offset + (int64_t)part * k->form.part_words));
}

static void emit_chain(const struct kernel *k, unsigned sum, unsigned x, unsigned y)
{
    CM_EMIT(k->c->imp, k->ops->multiply_add, cm_reg(sum), cm_reg(x), cm_reg(y), cm_reg(sum));
}

/* Emits sum += x y for every element x of the tile's shorter edge, where y is an element of the
 * longer edge. */
static void emit_products(const struct kernel *k, uint32_t held, const unsigned *sums)
{
    const unsigned y = edge_of(k, held);
    for (uint32_t i = 0; i < held; i++) {
        const unsigned x = edge_of(k, i);
        if (k->form.integer) {
            CM_EMIT(k->c->imp, CM_OP_IMUL, cm_reg(y + 1), cm_reg(x), cm_reg(y));
            CM_EMIT(k->c->imp, CM_OP_IADD, cm_reg(sums[i]), cm_reg(sums[i]), cm_reg(y + 1));
        } else {
            emit_chain(k, sums[i], x, y);
        }
    }
}

/* Emits sum += x y for complex numbers. The product a_re * b_re is added before a_im * b_im, and
 * a_re * b_im before a_im * b_re. The FPU has only a chained addition, so the imaginary part of y
 * is negated before the last products. */
static void emit_complex(const struct kernel *k, uint32_t held, const unsigned *sums, bool y_is_a)
{
    const unsigned y = edge_of(k, held);
    for (uint32_t i = 0; i < held; i++) {
        const unsigned x = edge_of(k, i);
        emit_chain(k, sums[i], x, y);
        emit_chain(k, sums[i] + 1, y_is_a ? x + 1 : x, y_is_a ? y : y + 1);
        emit_chain(k, sums[i] + 1, y_is_a ? x : x + 1, y_is_a ? y + 1 : y);
    }
    CM_EMIT(k->c->imp, k->form.part_words == 2 ? CM_OP_FNEG64 : CM_OP_FNEG32, cm_reg(y + 1),
            cm_reg(y + 1));
    for (uint32_t i = 0; i < held; i++)
        emit_chain(k, sums[i], edge_of(k, i) + 1, y + 1);
}

/* Emits the products of a line of k. `line` is its number, counted from the line at REG_LINE. */
static void emit_line(const struct kernel *k, uint32_t line)
{
    const uint32_t shorter = k->tile[0] <= k->tile[1] ? 0 : 1, longer = 1 - shorter;
    const uint32_t held = k->tile[shorter];
    unsigned sums[CM_FPU_REGISTERS];
    for (uint32_t i = 0; i < held; i++)
        emit_load(k, edge_of(k, i), REG_LINE + shorter,
                  (int64_t)((line * k->lengths[shorter] + i) * k->words));
    for (uint32_t j = 0; j < k->tile[longer]; j++) {
        emit_load(k, edge_of(k, held), REG_LINE + longer,
                  (int64_t)((line * k->lengths[longer] + j) * k->words));
        for (uint32_t i = 0; i < held; i++)
            sums[i] = result_of(k, shorter == 0 ? i : j, shorter == 0 ? j : i);
        if (k->form.parts == 2)
            emit_complex(k, held, sums, longer == 0);
        else
            emit_products(k, held, sums);
    }
}

static void emit_lines(const struct kernel *k)
{
    const struct cm_matmul *own = k->c->own;
    const uint64_t full = own->depth / own->unroll;
    for (uint32_t s = 0; s < 2; s++)
        cm_emit_point(k->c->imp, REG_LINE + s, REG_TILE + s, 0);
    const uint32_t loop = cm_matmul_loop(k->c->imp, full);
    for (uint32_t line = 0; line < own->unroll; line++)
        emit_line(k, line);
    for (uint32_t s = 0; s < 2; s++)
        cm_emit_advance(k->c->imp, REG_LINE + s, (int64_t)(own->unroll * k->lengths[s] * k->words));
    cm_matmul_next(k->c->imp, full, loop);
    for (uint32_t line = 0; line < own->depth % own->unroll; line++)
        emit_line(k, line);
}

/* Emits the loads of a tile's results from memory, or their stores. */
static void emit_results(const struct kernel *k, bool load)
{
    for (uint32_t j = 0; j < k->tile[1]; j++)
        for (uint32_t i = 0; i < k->tile[0]; i++) {
            const int64_t offset = (int64_t)((j * k->lengths[0] + i) * k->words);
            if (load) {
                emit_load(k, result_of(k, i, j), REG_C, offset);
                continue;
            }
            for (uint32_t part = 0; part < k->form.parts; part++)
                CM_EMIT(k->c->imp, k->ops->store,
                        cm_mem(REG_C, offset + (int64_t)part * k->form.part_words),
                        cm_reg(result_of(k, i, j) + part));
        }
}

static void emit_tiles(struct kernel *k, uint32_t rows, uint32_t columns, uint64_t count)
{
    k->tile[0] = rows;
    k->tile[1] = columns;
    if (rows == 0 || count == 0)
        return;
    const uint32_t loop = cm_matmul_loop(k->c->imp, count);
    emit_results(k, true);
    emit_lines(k);
    emit_results(k, false);
    cm_emit_advance(k->c->imp, REG_TILE, (int64_t)rows * k->words);
    cm_emit_advance(k->c->imp, REG_C, (int64_t)rows * k->words);
    cm_matmul_next(k->c->imp, count, loop);
}

static void emit_columns(struct kernel *k, uint32_t columns, uint64_t count)
{
    struct cm_imp *imp = k->c->imp;
    const uint32_t rows = k->c->own->tile[0];
    if (columns == 0 || count == 0)
        return;
    const uint32_t loop = cm_matmul_loop(imp, count);
    cm_emit_point(imp, REG_TILE, cm_matmul_panel(&k->c->own->sides[0], 0), 0);
    emit_tiles(k, rows, columns, k->lengths[0] / rows);
    emit_tiles(k, (uint32_t)(k->lengths[0] % rows), columns, 1);
    cm_emit_advance(imp, REG_TILE + 1, (int64_t)columns * k->words);
    cm_emit_advance(imp, REG_C, (int64_t)((columns - 1) * k->lengths[0] * k->words));
    cm_matmul_next(imp, count, loop);
}

void cm_matmul_emit_kernel(struct cm_matmul_compiler *c)
{
    const struct cm_matmul *own = c->own;
    const enum cm_type type = own->task.c.type;
    const uint32_t columns = own->tile[1];
    struct kernel k = {
        .c = c,
        .ops = cm_fpu_ops(type),
        .form = form_of(type),
        .lengths = {own->sides[0].across.local_length, own->sides[1].across.local_length},
        .words = own->task.c.slices};
    cm_emit_point(c->imp, REG_TILE + 1, cm_matmul_panel(&own->sides[1], 1), 0);
    cm_emit_point(c->imp, REG_C, ADDRESS_C, 0);
    emit_columns(&k, columns, k.lengths[1] / columns);
    emit_columns(&k, (uint32_t)(k.lengths[1] % columns), 1);
}
