/*
 * Compiler of the local passes of a transform: butterflies of 2, 4 or 8 points of a node, as one to
 * three stages of radix 2 in the FPU registers.
 *
 *     loops over the local bits that are not stages of the pass, neighbouring bits in one loop
 *       for each part of the body:
 *         load the points, their butterflies stage by stage, store them
 *
 * FPU registers: f0..f19 hold the points and their results, and are allocated operation by
 * operation. f20 and f21 hold a twiddle factor, f31 the scale of an inverse transform.
 */
#include "../system/loops.h"
#include "transform_private.h"

#define POOL_REGISTERS 20u
#define FACTOR_RE      20u
#define FACTOR_IM      21u

struct compiler {
    const struct cm_fft_plan *plan;
    const struct cm_fft_pass *pass;
    const struct cm_fpu_ops *ops;
    struct cm_imp *imp;
    struct cm_fft_factors factors;
    uint32_t part; /* part of the loop body that is emitted: 0 or 1 */
    struct cm_fft_value points[CM_FFT_BODY_MAX];
    uint32_t free[POOL_REGISTERS];
    uint32_t free_count;
};

static uint32_t take(struct compiler *c)
{
    return c->free[--c->free_count];
}

static void give(struct compiler *c, uint32_t reg)
{
    c->free[c->free_count++] = reg;
}

static void emit(struct compiler *c, enum cm_op op, uint32_t to, uint32_t a, uint32_t b)
{
    CM_EMIT(c->imp, op, cm_reg(to), cm_reg(a), cm_reg(b));
}

/* Emits the product of a value and the twiddle factor in its registers, into two new registers. */
static struct cm_fft_value multiply(struct compiler *c, struct cm_fft_value x)
{
    struct cm_fft_value y = {take(c), take(c)};
    cm_fft_emit_product(c->imp, c->ops, (struct cm_fft_value){FACTOR_RE, FACTOR_IM}, x, y);
    give(c, x.re);
    give(c, x.im);
    return y;
}

/* Emits a + b into a new register, and a - b over a. */
static void add_and_subtract(struct compiler *c, uint32_t a, uint32_t b, uint32_t *sum,
                             uint32_t *difference)
{
    *sum = take(c);
    emit(c, c->ops->add, *sum, a, b);
    emit(c, c->ops->subtract, a, a, b);
    *difference = a;
}

/* Emits the butterfly x + y and x - y. */
static void butterfly(struct compiler *c, struct cm_fft_value *x, struct cm_fft_value *y)
{
    struct cm_fft_value sum, difference;
    add_and_subtract(c, x->re, y->re, &sum.re, &difference.re);
    give(c, y->re);
    add_and_subtract(c, x->im, y->im, &sum.im, &difference.im);
    give(c, y->im);
    *x = sum;
    *y = difference;
}

/*
 * Emits the butterfly x + t and x - t, where t is y times a quarter turn: -i y = (y.im, -y.re). In
 * an inverse transform t is i y, so sum and difference are swapped.
 */
static void quarter_in_time(struct compiler *c, struct cm_fft_value *x, struct cm_fft_value *y)
{
    struct cm_fft_value sum, difference;
    add_and_subtract(c, x->re, y->im, &sum.re, &difference.re);
    add_and_subtract(c, x->im, y->re, &difference.im, &sum.im);
    give(c, y->re);
    give(c, y->im);
    *x = c->plan->task->inverse ? difference : sum;
    *y = c->plan->task->inverse ? sum : difference;
}

/* Emits the butterfly x + y and d times a quarter turn, where d = x - y. */
static void quarter_in_frequency(struct compiler *c, struct cm_fft_value *x, struct cm_fft_value *y)
{
    struct cm_fft_value sum = {take(c), take(c)};
    emit(c, c->ops->add, sum.re, x->re, y->re);
    emit(c, c->ops->add, sum.im, x->im, y->im);
    if (c->plan->task->inverse) { /* i d = (-d.im, d.re) */
        emit(c, c->ops->subtract, y->im, y->im, x->im);
        emit(c, c->ops->subtract, x->re, x->re, y->re);
        give(c, x->im);
        give(c, y->re);
        *y = (struct cm_fft_value){y->im, x->re};
    } else { /* -i d = (d.im, -d.re) */
        emit(c, c->ops->subtract, y->re, y->re, x->re);
        emit(c, c->ops->subtract, x->im, x->im, y->im);
        give(c, x->re);
        give(c, y->im);
        *y = (struct cm_fft_value){x->im, y->re};
    }
    *x = sum;
}

/* Returns the kind of twiddle factor that stage `i` uses for a point of the current part. */
static enum cm_fft_factor kind_of(const struct compiler *c, uint32_t i, uint32_t point)
{
    return c->factors.kind[i][c->part << c->pass->count | point];
}

static bool is_read(const struct compiler *c, uint32_t i, uint32_t point)
{
    return kind_of(c, i, point) == CM_FFT_FACTOR_TABLE ||
           kind_of(c, i, point) == CM_FFT_FACTOR_TURNED;
}

static uint32_t number_of(const struct compiler *c, uint32_t i, uint32_t point)
{
    return c->factors.number[i][c->part << c->pass->count | point];
}

/* Emits loads of the twiddle factor of stage `i` for a point, from the table's entry at offset
 * `at`. */
static void load_factor(struct compiler *c, uint32_t i, uint32_t point, int64_t at)
{
    int64_t word = at + (int64_t)(number_of(c, i, point) * c->plan->element_words);
    CM_EMIT(c->imp, c->ops->load, cm_reg(FACTOR_RE), cm_mem(CM_FFT_REG_FACTORS, word));
    CM_EMIT(c->imp, c->ops->load, cm_reg(FACTOR_IM),
            cm_mem(CM_FFT_REG_FACTORS, word + c->plan->component_words));
}

static void emit_butterfly(struct compiler *c, uint32_t i, uint32_t point)
{
    struct cm_fft_value *x = &c->points[point], *y = &c->points[point | UINT32_C(1) << i];
    bool in_time = c->plan->decimation == CM_FFT_DECIMATION_TIME;
    switch (kind_of(c, i, point)) {
    case CM_FFT_FACTOR_ONE:
        butterfly(c, x, y);
        break;
    case CM_FFT_FACTOR_QUARTER:
        if (in_time)
            quarter_in_time(c, x, y);
        else
            quarter_in_frequency(c, x, y);
        break;
    case CM_FFT_FACTOR_TABLE:
        if (in_time)
            *y = multiply(c, *y);
        butterfly(c, x, y);
        if (!in_time)
            *y = multiply(c, *y);
        break;
    case CM_FFT_FACTOR_TURNED:
        if (in_time) {
            *y = multiply(c, *y);
            quarter_in_time(c, x, y);
        } else {
            quarter_in_frequency(c, x, y);
            *y = multiply(c, *y);
        }
        break;
    }
}

/* Emits a stage of the pass. Points that share a twiddle factor are neighbours, so that the factor
 * is read once. */
static void emit_stage(struct compiler *c, uint32_t i, int64_t factors_at)
{
    uint32_t size = UINT32_C(1) << c->pass->count, done = 0;
    for (uint32_t first = 0; first < size; first++) {
        bool read = is_read(c, i, first);
        if ((first >> i & 1) || (done >> first & 1))
            continue;
        if (read)
            load_factor(c, i, first, factors_at);
        for (uint32_t point = first; point < size; point++) {
            bool alike = point == first || (read && is_read(c, i, point) &&
                                            number_of(c, i, point) == number_of(c, i, first));
            if ((point >> i & 1) || !alike)
                continue;
            emit_butterfly(c, i, point);
            done |= UINT32_C(1) << point;
        }
    }
}

/* Returns the word offset of a point of the loop body in the array. */
static int64_t point_at(const struct compiler *c, uint32_t point)
{
    uint64_t element = 0;
    for (uint32_t k = 0; k < c->pass->count; k++)
        if (point >> k & 1)
            element |= UINT64_C(1) << c->plan->stages[c->pass->first + k].step.local_bit;
    return (int64_t)(element * c->plan->element_words);
}

static void emit_part(struct compiler *c, int64_t data_at, int64_t factors_at)
{
    uint32_t size = UINT32_C(1) << c->pass->count;
    uint32_t part = c->plan->component_words;
    c->free_count = 0;
    for (uint32_t reg = POOL_REGISTERS; reg-- > 2 * size;)
        give(c, reg);
    for (uint32_t point = 0; point < size; point++) {
        int64_t at = data_at + point_at(c, point);
        c->points[point] = (struct cm_fft_value){2 * point, 2 * point + 1};
        CM_EMIT(c->imp, c->ops->load, cm_reg(2 * point), cm_mem(CM_FFT_REG_DATA, at));
        CM_EMIT(c->imp, c->ops->load, cm_reg(2 * point + 1), cm_mem(CM_FFT_REG_DATA, at + part));
    }
    for (uint32_t i = 0; i < c->pass->count; i++)
        emit_stage(c, i, factors_at);
    for (uint32_t point = 0; point < size; point++) {
        struct cm_fft_value x = c->points[point];
        int64_t at = data_at + point_at(c, point);
        if (c->pass->scaled) {
            emit(c, c->ops->multiply, x.re, x.re, CM_FFT_SCALE_REGISTER);
            emit(c, c->ops->multiply, x.im, x.im, CM_FFT_SCALE_REGISTER);
        }
        CM_EMIT(c->imp, c->ops->store, cm_mem(CM_FFT_REG_DATA, at), cm_reg(x.re));
        CM_EMIT(c->imp, c->ops->store, cm_mem(CM_FFT_REG_DATA, at + part), cm_reg(x.im));
    }
}

static void emit_body(void *context, int64_t data_at, int64_t factors_at)
{
    struct compiler *c = context;
    const uint64_t elements = UINT64_C(1) << c->factors.part_local_bit;
    for (c->part = 0; c->part < c->factors.parts; c->part++)
        emit_part(c, data_at + (int64_t)(c->part * elements * c->plan->element_words), factors_at);
}

struct cm_imp *cm_fft_compile_local(const struct cm_fft_plan *plan, const struct cm_fft_pass *pass,
                                    uint32_t unroll)
{
    struct compiler c = {.plan = plan,
                         .pass = pass,
                         .ops = cm_fpu_ops(plan->task->type),
                         .imp = cm_fft_begin(plan, pass)};
    struct cm_loops loops = {.bodies = 1,
                             .data = CM_FFT_REG_DATA,
                             .entries = CM_FFT_REG_FACTORS,
                             .body = emit_body,
                             .context = &c};
    uint64_t looped = (UINT64_C(1) << plan->task->mapping.local_bits) - 1;
    if (!c.imp)
        return NULL;
    for (uint32_t i = 0; i < pass->count; i++)
        looped &= ~(UINT64_C(1) << plan->stages[pass->first + i].step.local_bit);
    cm_fft_factors_find(plan, pass, &c.factors);
    if (c.factors.parts == 2)
        looped &= ~(UINT64_C(1) << c.factors.part_local_bit);
    while (loops.bodies * c.factors.parts << pass->count < unroll)
        loops.bodies *= 2;
    cm_loops_add(&loops, looped, c.factors.local_bits, plan->element_words,
                 (uint64_t)c.factors.count * plan->element_words);
    if (c.factors.count > 0)
        cm_emit_point(c.imp, CM_FFT_REG_FACTORS, CM_FFT_REG_TABLE, (int64_t)pass->table);
    cm_loops_emit(&loops, c.imp);
    return cm_emit_end(c.imp);
}
