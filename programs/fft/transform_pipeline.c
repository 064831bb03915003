/*
 * Compiler of the pipeline passes of a transform, which are stages between nodes. In round r local
 * point r - s is at stage s of the pass. A round is
 *
 *     point r is loaded, times its first factor, and stored to Y of stage 0
 *     for each hop, and as many words at a time as there are channels:
 *         every stage loads its point's words for its cube dimension
 *         one exchange
 *         every stage unloads to O
 *     from the last stage to the first:
 *         sign Y + O, times a factor, stored to Y of the next stage, or to the array
 *
 * Invariant: the stages of a pass differ in their first and in their second cube dimensions, so no
 * exchange puts two words on one channel. Each node of a pair then has both points. Its half of the
 * butterfly is +Y + O if the stage's bit is 0, -Y + O if it is 1. Rounds in which every stage has a
 * point are equal and form a loop. The rounds before and after are unrolled.
 *
 * FPU registers: Y in f0 and f1, O in f2 and f3, a factor in f4 and f5, the product in f6 and f7,
 * the signs from f8 on, the scale in f31.
 */
#include "transform_private.h"

enum { POINT = 0, PARTNER = 2, FACTOR = 4, PRODUCT = 6, SIGNS = 8 };

struct compiler {
    const struct cm_fft_plan *plan;
    const struct cm_fft_pass *pass;
    const struct cm_fft_stage *stages;
    const struct cm_fpu_ops *ops;
    struct cm_imp *imp;
    uint64_t points;
    uint64_t moved; /* number of points from the array's first point to that of REG_DATA */
};

static struct cm_place buffer(const struct compiler *c, bool received, uint32_t s)
{
    uint64_t first = received ? c->plan->room_words / 2 : 0;
    return (struct cm_place){CM_FFT_REG_TABLE, (int64_t)(first + s * c->plan->element_words)};
}

static struct cm_place array_point(const struct compiler *c, uint64_t point)
{
    int64_t ahead = (int64_t)point - (int64_t)c->moved;
    return (struct cm_place){CM_FFT_REG_DATA, ahead * c->plan->element_words};
}

static void load(struct compiler *c, uint32_t to, struct cm_place at)
{
    CM_EMIT(c->imp, c->ops->load, cm_reg(to), cm_mem(at.reg, at.offset));
    CM_EMIT(c->imp, c->ops->load, cm_reg(to + 1),
            cm_mem(at.reg, at.offset + c->plan->component_words));
}

static void store(struct compiler *c, struct cm_place at, uint32_t from)
{
    CM_EMIT(c->imp, c->ops->store, cm_mem(at.reg, at.offset), cm_reg(from));
    CM_EMIT(c->imp, c->ops->store, cm_mem(at.reg, at.offset + c->plan->component_words),
            cm_reg(from + 1));
}

static void emit(struct compiler *c, enum cm_op op, uint32_t to, uint32_t a, uint32_t b)
{
    CM_EMIT(c->imp, op, cm_reg(to), cm_reg(a), cm_reg(b));
}

/* Emits the product of the point in its registers and the twiddle factor of stage `s`. Returns the
 * register of the result. */
static uint32_t emit_factor(struct compiler *c, uint32_t s, uint64_t point)
{
    const struct cm_fft_stage *stage = &c->stages[s];
    struct cm_place at = {CM_FFT_REG_TABLE, (int64_t)stage->table};
    if (stage->table == CM_FFT_NO_TABLE)
        return POINT;
    if (stage->each_point) {
        at.reg = CM_FFT_REG_FACTORS;
        at.offset += array_point(c, point).offset;
    }
    load(c, FACTOR, at);
    cm_fft_emit_product(c->imp, c->ops, (struct cm_fft_value){FACTOR, FACTOR + 1},
                        (struct cm_fft_value){POINT, POINT + 1},
                        (struct cm_fft_value){PRODUCT, PRODUCT + 1});
    return PRODUCT;
}

static bool in_time(const struct compiler *c)
{
    return c->plan->decimation == CM_FFT_DECIMATION_TIME;
}

static void emit_entry(struct compiler *c, uint64_t point)
{
    load(c, POINT, array_point(c, point));
    store(c, buffer(c, false, 0), in_time(c) ? emit_factor(c, 0, point) : POINT);
}

/* Returns the cube dimension of hop 0 or 1 of a stage. The higher dimension is hop 0. */
static uint32_t hop_dimension(const struct cm_fft_stage *stage, uint32_t hop)
{
    uint32_t mask = stage->step.node_mask;
    uint32_t highest = 31 - (uint32_t)__builtin_clz(mask);
    return hop == 0 ? highest : (uint32_t)__builtin_ctz(mask);
}

/* Emits an exchange: stages first .. last - 1 that have hop `hop` send `channels` words from `word`
 * on. */
static void emit_exchange(struct compiler *c, uint32_t first, uint32_t last, uint32_t hop,
                          uint32_t word)
{
    const struct cm_config *config = c->plan->config;
    uint32_t channels = config->network_channels_per_dimension;
    for (uint32_t receive = 0; receive < 2; receive++) {
        for (uint32_t s = first; s < last; s++) {
            struct cm_place at = buffer(c, receive || hop > 0, s);
            at.offset += word;
            if (c->stages[s].step.hops <= hop)
                continue;
            uint32_t dimension = hop_dimension(&c->stages[s], hop);
            if (receive)
                cm_emit_receive(c->imp, config, dimension, at, channels);
            else
                cm_emit_send(c->imp, config, dimension, at, channels);
        }
        if (!receive)
            cm_emit_exchange(c->imp);
    }
}

static void emit_exchanges(struct compiler *c, uint32_t first, uint32_t last)
{
    uint32_t hops = 0;
    for (uint32_t s = first; s < last; s++)
        hops = c->stages[s].step.hops > hops ? c->stages[s].step.hops : hops;
    for (uint32_t hop = 0; hop < hops; hop++)
        for (uint32_t word = 0; word < c->plan->element_words;
             word += c->plan->config->network_channels_per_dimension)
            emit_exchange(c, first, last, hop, word);
}

/* Emits the butterfly of a stage's point, and its multiplication by the factor of the next stage.
 */
static void emit_stage(struct compiler *c, uint32_t s, uint64_t point)
{
    bool last = s + 1 == c->pass->count;
    uint32_t at = POINT;
    load(c, POINT, buffer(c, false, s));
    load(c, PARTNER, buffer(c, true, s));
    for (uint32_t part = 0; part < 2; part++)
        CM_EMIT(c->imp, c->ops->multiply_add, cm_reg(POINT + part), cm_reg(SIGNS + s),
                cm_reg(POINT + part), cm_reg(PARTNER + part));
    if (!in_time(c))
        at = emit_factor(c, s, point);
    else if (!last)
        at = emit_factor(c, s + 1, point);
    for (uint32_t part = 0; last && c->pass->scaled && part < 2; part++)
        emit(c, c->ops->multiply, at + part, at + part, CM_FFT_SCALE_REGISTER);
    store(c, last ? array_point(c, point) : buffer(c, false, s + 1), at);
}

static void emit_round(struct compiler *c, uint64_t round)
{
    uint32_t count = c->pass->count;
    uint32_t first = round < c->points ? 0 : (uint32_t)(round - c->points + 1);
    uint32_t last = round < count ? (uint32_t)round + 1 : count;
    if (first == 0)
        emit_entry(c, round);
    emit_exchanges(c, first, last);
    for (uint32_t s = last; s-- > first;)
        emit_stage(c, s, round - s);
}

static bool has_point_factors(const struct compiler *c)
{
    for (uint32_t s = 0; s < c->pass->count; s++)
        if (c->stages[s].each_point)
            return true;
    return false;
}

static void emit_rounds(struct compiler *c)
{
    uint64_t rounds = c->points + c->pass->count - 1, round = 0;
    uint64_t steady = c->pass->count - 1; /* first round in which every stage has a point */
    for (; round < rounds && round < steady; round++)
        emit_round(c, round);
    if (c->points > steady + 1) {
        uint64_t times = c->points - steady;
        uint32_t loop = CM_EMIT(c->imp, CM_OP_LOOP, cm_value((int64_t)times));
        emit_round(c, round);
        CM_EMIT(c->imp, CM_OP_AADD, cm_reg(CM_FFT_REG_DATA), cm_value(c->plan->element_words));
        if (has_point_factors(c))
            CM_EMIT(c->imp, CM_OP_AADD, cm_reg(CM_FFT_REG_FACTORS),
                    cm_value(c->plan->element_words));
        cm_emit_next(c->imp, loop);
        c->moved = times;
        round += times;
    }
    for (; round < rounds; round++)
        emit_round(c, round);
}

struct cm_imp *cm_fft_compile_pipeline(const struct cm_fft_plan *plan,
                                       const struct cm_fft_pass *pass)
{
    struct compiler c = {.plan = plan,
                         .pass = pass,
                         .stages = &plan->stages[pass->first],
                         .ops = cm_fpu_ops(plan->task->type),
                         .imp = cm_fft_begin(plan, pass),
                         .points = UINT64_C(1) << plan->task->mapping.local_bits};
    if (!c.imp)
        return NULL;
    if (has_point_factors(&c))
        cm_emit_point(c.imp, CM_FFT_REG_FACTORS, CM_FFT_REG_TABLE, 0);
    for (uint32_t s = 0; s < pass->count; s++)
        CM_EMIT(c.imp, c.ops->load, cm_reg(SIGNS + s),
                cm_mem(CM_FFT_REG_TABLE, (int64_t)(pass->table + s * plan->component_words)));
    emit_rounds(&c);
    return cm_emit_end(c.imp);
}
