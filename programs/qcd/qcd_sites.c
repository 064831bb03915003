/*
 * Compiler of the sweeps over a node's sites. The code of a site has no loops. The loops around it
 * advance the address registers, one for each array. Several sites along the first axis share an
 * iteration.
 *
 * The FPU registers hold the results, one or two vectors (spins), parts of the vectors with
 * inverted sign, and an element of the matrix. The inverted parts are needed because the FPU has no
 * chained subtraction. The accumulators of a Wilson site need 24 registers, so its matrix products
 * are computed first and stored in place.
 */
#include "qcd_private.h"

#define STREAMS_MAX (2 + 3 * AXES)

/* Stream: an address register that moves over the sites of a box. */
struct stream {
    unsigned reg;
    const struct cm_qcd_box *box;
    int64_t begin; /* words from the beginning of the array to the stream's first site */
};

struct sweep {
    struct cm_imp *imp;
    const struct cm_qcd *own;
    const struct cm_fpu_ops *ops;
    struct stream streams[STREAMS_MAX];
    uint32_t count;
    uint64_t site; /* number of the current site within the iteration */
    /* First FPU registers of results, of vectors, of parts with inverted sign, and of an element of
     * a matrix. */
    unsigned y, v, n, u;
};

/* Product of gamma_mu and a spinor (basis of DeGrand and Rossi). Row s < 2 of gamma_mu has
 * i^phase[s] at column partner[s], and row partner[s] has the conjugate at column s. */
static const struct {
    uint8_t partner[2], phase[2];
} gammas[AXES] = {
    {{3, 2}, {1, 1}},
    {{3, 2}, {2, 0}},
    {{2, 3}, {1, 3}},
    {{2, 3}, {0, 0}},
};

static void add_stream(struct sweep *w, unsigned reg, const struct cm_qcd_box *box, int64_t offset)
{
    w->streams[w->count++] = (struct stream){reg, box, (int64_t)box->origin + offset};
}

/* Returns the memory operand of word `word` of the current site, in the array to which register
 * `reg` points. */
static struct cm_operand site_word(const struct sweep *w, unsigned reg, uint64_t word)
{
    for (uint32_t i = 0; i < w->count; i++)
        if (w->streams[i].reg == reg)
            return cm_mem(reg, (int64_t)(w->site * w->streams[i].box->stride[0] + word));
    return cm_mem(reg, 0);
}

static uint64_t field_word(const struct sweep *w, uint32_t spin, uint32_t colour, uint32_t part)
{
    const uint64_t number = w->own->task.kernel == CM_QCD_STAGGERED
                                ? part * COLOURS + colour
                                : (spin * COLOURS + colour) * 2 + part;
    return number * w->own->part_words;
}

static uint64_t link_word(const struct sweep *w, uint32_t row, uint32_t column, uint32_t part)
{
    const uint64_t element = column * COLOURS + row;
    return (w->own->task.kernel == CM_QCD_STAGGERED ? part * COLOURS * COLOURS + element
                                                    : element * 2 + part) *
           w->own->part_words;
}

static unsigned part_of(unsigned vector, uint32_t spin, uint32_t colour, uint32_t part)
{
    return vector + (spin * COLOURS + colour) * 2 + part;
}

static void emit_load(const struct sweep *w, unsigned to, unsigned reg, uint64_t word)
{
    CM_EMIT(w->imp, w->ops->load, cm_reg(to), site_word(w, reg, word));
}

static void emit3(const struct sweep *w, enum cm_op op, unsigned to, unsigned a, unsigned b)
{
    CM_EMIT(w->imp, op, cm_reg(to), cm_reg(a), cm_reg(b));
}

static void emit_negate(const struct sweep *w, unsigned to, unsigned from)
{
    CM_EMIT(w->imp, w->own->part_words == 2 ? CM_OP_FNEG64 : CM_OP_FNEG32, cm_reg(to),
            cm_reg(from));
}

/* Emits the loads or stores of all parts of a vector. */
static void emit_vector(const struct sweep *w, bool load, unsigned vector, unsigned reg)
{
    for (uint32_t i = 0; i < w->own->spins * COLOURS * 2; i++) {
        const uint32_t spin = i / (2 * COLOURS), colour = i / 2 % COLOURS, part = i % 2;
        const unsigned at = part_of(vector, spin, colour, part);
        const struct cm_operand word = site_word(w, reg, field_word(w, spin, colour, part));
        if (load)
            CM_EMIT(w->imp, w->ops->load, cm_reg(at), word);
        else
            CM_EMIT(w->imp, w->ops->store, word, cm_reg(at));
    }
}

/* Emits the negation of the parts of v that a product subtracts. */
static void emit_inverted(const struct sweep *w, bool adjoint)
{
    for (uint32_t i = 0; i < w->own->spins * COLOURS; i++)
        emit_negate(w, w->n + i, w->v + 2 * i + !adjoint);
}

static void emit_chain(const struct sweep *w, unsigned sum, unsigned a, unsigned b, bool first)
{
    if (first)
        emit3(w, w->ops->multiply, sum, a, b);
    else
        CM_EMIT(w->imp, w->ops->multiply_add, cm_reg(sum), cm_reg(a), cm_reg(b), cm_reg(sum));
}

/* Emits the product y = U v or y = adjoint U v. Unless `fresh` is true, the product is added to y.
 * The elements of U are used in the order of memory. */
static void emit_product(const struct sweep *w, unsigned link, bool adjoint, bool fresh)
{
    for (uint32_t element = 0; element < COLOURS * COLOURS; element++) {
        const uint32_t row = element % COLOURS, column = element / COLOURS;
        const uint32_t to = adjoint ? column : row, from = adjoint ? row : column;
        const bool first = fresh && from == 0;
        for (uint32_t part = 0; part < 2; part++)
            emit_load(w, w->u + part, link, link_word(w, row, column, part));
        for (uint32_t s = 0; s < w->own->spins; s++) {
            const unsigned y = part_of(w->y, s, to, 0), v = part_of(w->v, s, from, 0);
            const unsigned inverted = w->n + s * COLOURS + from;
            emit_chain(w, y, w->u, v, first);
            emit_chain(w, y + 1, w->u, v + 1, first);
            emit_chain(w, y, w->u + 1, adjoint ? v + 1 : inverted, false);
            emit_chain(w, y + 1, w->u + 1, adjoint ? inverted : v, false);
        }
    }
}

/* Emits the complex number to = a + i^phase b. `to`, `a` and `b` are the registers of the real
 * parts. */
static void emit_phased(const struct sweep *w, unsigned to, unsigned a, unsigned b, uint32_t phase)
{
    const uint32_t swap = phase % 2;
    const bool minus[2] = {phase == 1 || phase == 2, phase >= 2};
    for (uint32_t part = 0; part < 2; part++)
        emit3(w, minus[part] ? w->ops->subtract : w->ops->add, to + part, a + part,
              b + (part ^ swap));
}

static void staggered_before(const struct sweep *w)
{
    emit_vector(w, true, w->v, ARGUMENT_SRC);
    emit_inverted(w, true);
    for (uint32_t mu = 0; mu < AXES; mu++) {
        emit_product(w, ARGUMENT_LINK + mu, true, true);
        emit_vector(w, false, w->y, ARGUMENT_DOWN + mu);
    }
    if (w->own->copied)
        emit_vector(w, false, w->v, ARGUMENT_UP);
}

static void staggered_after(const struct sweep *w)
{
    for (uint32_t mu = 0; mu < AXES; mu++) {
        emit_vector(w, true, w->v, ARGUMENT_UP + mu);
        emit_inverted(w, false);
        emit_product(w, ARGUMENT_LINK + mu, false, mu == 0);
    }
    for (uint32_t mu = 0; mu < AXES; mu++) {
        emit_vector(w, true, w->v, ARGUMENT_DOWN + mu);
        for (uint32_t i = 0; i < 2 * COLOURS; i++)
            emit3(w, w->ops->subtract, w->y + i, w->y + i, w->v + i);
    }
    emit_vector(w, false, w->y, ARGUMENT_DST);
}

/* Emits the half-spinor of src into v: for s < 2, spin s of src plus i^(phase + sign) times the
 * partner of spin s. */
static void emit_projection(const struct sweep *w, uint32_t mu, uint32_t sign)
{
    for (uint32_t s = 0; s < 2; s++)
        for (uint32_t colour = 0; colour < COLOURS; colour++) {
            const unsigned to = part_of(w->v, s, colour, 0);
            for (uint32_t part = 0; part < 2; part++) {
                emit_load(w, to + part, ARGUMENT_SRC, field_word(w, s, colour, part));
                emit_load(w, w->u + part, ARGUMENT_SRC,
                          field_word(w, gammas[mu].partner[s], colour, part));
            }
            emit_phased(w, to, to, w->u, (gammas[mu].phase[s] + sign) % 4);
        }
}

/* Emits the half-spinors that are sent first and multiplied where they arrive. All of them use one
 * load of src. */
static void emit_up_halves(const struct sweep *w)
{
    const unsigned all = 0, half = 2 * COLOURS * 4;
    for (uint32_t i = 0; i < half; i++)
        emit_load(w, all + i, ARGUMENT_SRC, (uint64_t)i * w->own->part_words);
    for (uint32_t mu = 0; mu < AXES; mu++)
        for (uint32_t s = 0; s < 2; s++)
            for (uint32_t colour = 0; colour < COLOURS; colour++) {
                emit_phased(w, half, part_of(all, s, colour, 0),
                            part_of(all, gammas[mu].partner[s], colour, 0),
                            (gammas[mu].phase[s] + 2u) % 4);
                for (uint32_t part = 0; part < 2; part++)
                    CM_EMIT(w->imp, w->ops->store,
                            site_word(w, ARGUMENT_UP + mu, field_word(w, s, colour, part)),
                            cm_reg(half + part));
            }
}

static void wilson_before(const struct sweep *w)
{
    emit_up_halves(w);
    for (uint32_t mu = 0; mu < AXES; mu++) {
        emit_projection(w, mu, 0);
        emit_inverted(w, true);
        emit_product(w, ARGUMENT_LINK + mu, true, true);
        emit_vector(w, false, w->y, ARGUMENT_DOWN + mu);
    }
}

/* Emits code that sets the four spins of the accumulators to the first summand, a half-spinor. */
static void emit_first_spins(const struct sweep *w, uint32_t mu, unsigned reg)
{
    for (uint32_t s = 0; s < 2; s++)
        for (uint32_t i = 0; i < 2 * COLOURS; i++) {
            const uint32_t colour = i / 2, part = i % 2;
            const uint32_t phase = (6u - gammas[mu].phase[s]) % 4;
            const unsigned low = part_of(0, gammas[mu].partner[s], colour, part);
            emit_load(w, part_of(0, s, colour, part), reg, field_word(w, s, colour, part));
            emit_load(w, low, reg, field_word(w, s, colour, part ^ phase % 2));
            if (part == 0 ? phase == 1 || phase == 2 : phase >= 2)
                emit_negate(w, low, low);
        }
}

/* Emits the addition of a half-spinor to the four spins of the accumulators. `sign` is 2 for (1 -
 * gamma) and 0 for (1 + gamma). */
static void emit_spins(const struct sweep *w, uint32_t mu, uint32_t sign, unsigned reg)
{
    const unsigned element = 2 * COLOURS * 4;
    for (uint32_t s = 0; s < 2; s++)
        for (uint32_t colour = 0; colour < COLOURS; colour++) {
            const unsigned high = part_of(0, s, colour, 0);
            const unsigned low = part_of(0, gammas[mu].partner[s], colour, 0);
            for (uint32_t part = 0; part < 2; part++)
                emit_load(w, element + part, reg, field_word(w, s, colour, part));
            emit_phased(w, high, high, element, 0);
            emit_phased(w, low, low, element, (4u + sign - gammas[mu].phase[s]) % 4);
        }
}

static void wilson_after(const struct sweep *w)
{
    for (uint32_t mu = 0; mu < AXES; mu++) {
        emit_vector(w, true, w->v, ARGUMENT_UP + mu);
        emit_inverted(w, false);
        emit_product(w, ARGUMENT_LINK + mu, false, true);
        emit_vector(w, false, w->y, ARGUMENT_UP + mu);
    }
    emit_first_spins(w, 0, ARGUMENT_UP);
    for (uint32_t mu = 1; mu < AXES; mu++)
        emit_spins(w, mu, 2, ARGUMENT_UP + mu);
    for (uint32_t mu = 0; mu < AXES; mu++)
        emit_spins(w, mu, 0, ARGUMENT_DOWN + mu);
    for (uint32_t i = 0; i < 2 * COLOURS * 4; i++)
        CM_EMIT(w->imp, w->ops->store, site_word(w, ARGUMENT_DST, (uint64_t)i * w->own->part_words),
                cm_reg(i));
}

/* Emits the code of the sites of an iteration, inside the loops over all sites. */
static void emit_sites(struct sweep *w, void (*site)(const struct sweep *w))
{
    const struct cm_qcd *own = w->own;
    uint64_t counts[AXES];
    uint32_t loops[AXES] = {0};
    for (uint32_t a = 0; a < AXES; a++)
        counts[a] = a == 0 ? own->axes[0].local_length / own->unrolled : own->axes[a].local_length;
    for (uint32_t i = 0; i < w->count; i++)
        cm_emit_argument(w->imp, w->streams[i].reg, w->streams[i].reg, w->streams[i].begin);
    for (uint32_t a = AXES; a-- > 0;)
        if (counts[a] > 1)
            loops[a] = CM_EMIT(w->imp, CM_OP_LOOP, cm_value((int64_t)counts[a]));
    for (w->site = 0; w->site < own->unrolled; w->site++)
        site(w);
    for (uint32_t a = 0; a < AXES; a++) {
        for (uint32_t i = 0; i < w->count; i++) {
            const uint64_t *stride = w->streams[i].box->stride;
            const uint64_t step = a == 0
                                      ? own->unrolled * stride[0]
                                      : stride[a] - own->axes[a - 1].local_length * stride[a - 1];
            cm_emit_advance(w->imp, w->streams[i].reg, (int64_t)step);
        }
        if (counts[a] > 1)
            cm_emit_next(w->imp, loops[a]);
    }
}

static void begin_sweep(struct sweep *w, const struct cm_qcd *own, const char *name)
{
    const unsigned vector = 2 * COLOURS * own->spins;
    *w = (struct sweep){.imp = cm_qcd_begin(name),
                        .own = own,
                        .ops = cm_fpu_ops(own->task.field.type),
                        .v = vector,
                        .n = 2 * vector,
                        .u = 2 * vector + vector / 2};
    for (uint32_t mu = 0; mu < AXES; mu++)
        add_stream(w, ARGUMENT_LINK + mu, &own->link, 0);
}

struct cm_imp *cm_qcd_compile_before(const struct cm_qcd *own)
{
    const bool wilson = own->task.kernel == CM_QCD_WILSON;
    struct sweep w;
    begin_sweep(&w, own, "qcd_before");
    add_stream(&w, ARGUMENT_SRC, &own->field, 0);
    for (uint32_t mu = 0; mu < AXES; mu++) {
        if (wilson || (own->copied && mu == 0))
            add_stream(&w, ARGUMENT_UP + mu, &own->up[mu], 0);
        add_stream(&w, ARGUMENT_DOWN + mu, &own->down[mu], 0);
    }
    if (w.imp)
        emit_sites(&w, wilson ? wilson_before : staggered_before);
    return cm_emit_end(w.imp);
}

struct cm_imp *cm_qcd_compile_after(const struct cm_qcd *own)
{
    const bool halo = own->task.way == CM_QCD_HALO;
    struct sweep w;
    begin_sweep(&w, own, "qcd_after");
    add_stream(&w, ARGUMENT_DST, &own->field, 0);
    for (uint32_t mu = 0; mu < AXES; mu++) {
        add_stream(&w, ARGUMENT_UP + mu, &own->up[mu], halo ? (int64_t)own->up[mu].stride[mu] : 0);
        add_stream(&w, ARGUMENT_DOWN + mu, &own->down[mu],
                   halo ? -(int64_t)own->down[mu].stride[mu] : 0);
    }
    if (w.imp)
        emit_sites(&w, own->task.kernel == CM_QCD_WILSON ? wilson_after : staggered_after);
    return cm_emit_end(w.imp);
}

uint64_t cm_qcd_site_words(const struct cm_qcd *own)
{
    /* words of a product: loads of two words, chained operations of two words */
    const uint64_t product = 18 * 2 + 36 * 2 * own->spins + 6 * own->spins * 5;
    return AXES * product + 24 * own->spins * own->spins * 12;
}
