/*
 * Chains of products in machine code. Each term is done for all blocks before the next one, with
 * the sums in registers: the host reads several lines of a plane in turn faster than one of each of
 * many planes (docs/speed.md).
 */
#include "lane_work.h"

#define S(i) (CM_X86_SCRATCH + (i))

static const struct cm_host_instruction vaddps = {1, 0, 0, 0x58, 0, false},
                                        vaddpd = {1, 1, 1, 0x58, 0, false},
                                        vmulps = {1, 0, 0, 0x59, 0, false},
                                        vmulpd = {1, 1, 1, 0x59, 0, false};

static bool is_wide(const struct cm_lane_parsed *w)
{
    return w->rule->form == CM_LANE_CHAIN_64;
}

uint32_t cm_lane_chain_sums(const struct cm_lane_parsed *w)
{
    return is_wide(w) ? 2 : 1;
}

/* ---- 32 bits ---- */

static struct cm_vector factor_32(struct cm_x86 *e, struct cm_lane_place_of operand)
{
    if (operand.symbol == CM_LANE_CONSTANT)
        return (struct cm_vector){CM_VECTOR_REPEAT_32, operand.parameter};
    return cm_lane_source(e, operand);
}

/* to = a * b. */
static void multiply_32(struct cm_x86 *e, uint32_t to, struct cm_lane_place_of a,
                        struct cm_lane_place_of b)
{
    struct cm_vector first = factor_32(e, a), second = factor_32(e, b);
    if (first.place != CM_VECTOR_REGISTER && second.place == CM_VECTOR_REGISTER) {
        const struct cm_vector other = first;
        first = second;
        second = other;
    }
    if (first.place != CM_VECTOR_REGISTER) {
        cm_x86_move(e, S(1), first);
        first = cm_in_register(S(1));
    }
    cm_x86_vector(e, vmulps, to, first.number, second, 0);
}

static void add_term_32(struct cm_x86 *e, const struct cm_lane_parsed *w, uint32_t k,
                        const uint32_t *sum)
{
    const bool first = k == 0, begins = first && w->init.symbol == CM_LANE_NOTHING;
    multiply_32(e, begins ? *sum : S(0), w->factors[2 * k], w->factors[2 * k + 1]);
    if (!begins)
        cm_x86_vector(e, vaddps, *sum, S(0), first ? factor_32(e, w->init) : cm_in_register(*sum),
                      0);
}

static void put_32(struct cm_x86 *e, const struct cm_lane_parsed *w, const uint32_t *sum)
{
    if (cm_lane_is_register(w->out)) {
        cm_x86_adopt(e, cm_lane_cell(w->out, 0), *sum);
        return;
    }
    cm_x86_store(e, cm_lane_plane(w->out), *sum, 0);
    if (w->out.symbol == CM_LANE_CONTEXT)
        e->context_known[e->block] = false;
    cm_x86_give_back(e, *sum);
}

/* ---- 64 bits ---- */

/* The vectors of an operand: of a register, a constant, or planes, joined in `scratch` and the
 * register behind it by way of `other`. */
struct pair {
    struct cm_vector half[2];
};

static struct pair factor_64(struct cm_x86 *e, struct cm_lane_place_of operand, uint32_t scratch,
                             uint32_t other)
{
    const struct cm_vector constant = {CM_VECTOR_REPEAT_64, operand.parameter};
    if (cm_lane_is_register(operand))
        return (struct pair){{cm_lane_half_of(e, operand, 0), cm_lane_half_of(e, operand, 1)}};
    if (operand.symbol == CM_LANE_CONSTANT)
        return (struct pair){{constant, constant}};
    cm_x86_move(e, other, cm_lane_plane_of_half(operand, 1));
    cm_lane_join(e, scratch, cm_lane_plane(operand), cm_in_register(other));
    return (struct pair){{cm_in_register(scratch), cm_in_register(scratch + 1)}};
}

/* to[0], to[1] = a * b. */
static void multiply_64(struct cm_x86 *e, const uint32_t *to, struct cm_lane_place_of a,
                        struct cm_lane_place_of b)
{
    struct pair first = factor_64(e, a, S(2), S(0)), second = factor_64(e, b, S(4), S(1));
    if (first.half[0].place != CM_VECTOR_REGISTER) {
        cm_x86_move(e, S(2), first.half[0]);
        first.half[0] = first.half[1] = cm_in_register(S(2));
    }
    for (uint32_t half = 0; half < 2; half++)
        cm_x86_vector(e, vmulpd, to[half], first.half[half].number, second.half[half], 0);
}

static void add_term_64(struct cm_x86 *e, const struct cm_lane_parsed *w, uint32_t k,
                        const uint32_t *sums)
{
    const uint32_t product[2] = {S(4), S(5)};
    const bool first = k == 0, begins = first && w->init.symbol == CM_LANE_NOTHING;
    multiply_64(e, begins ? sums : product, w->factors[2 * k], w->factors[2 * k + 1]);
    if (begins)
        return;
    struct pair to = {{cm_in_register(sums[0]), cm_in_register(sums[1])}};
    if (first)
        to = factor_64(e, w->init, S(0), S(2));
    for (uint32_t half = 0; half < 2; half++)
        cm_x86_vector(e, vaddpd, sums[half], product[half], to.half[half], 0);
}

static void put_64(struct cm_x86 *e, const struct cm_lane_parsed *w, const uint32_t *sums)
{
    if (cm_lane_is_register(w->out)) {
        for (uint32_t half = 0; half < 2; half++)
            cm_x86_adopt(e, cm_lane_cell(w->out, half), sums[half]);
        return;
    }
    cm_lane_split(e, S(2), cm_in_register(sums[0]), cm_in_register(sums[1]));
    for (uint32_t half = 0; half < 2; half++) {
        cm_x86_store(e, cm_lane_plane_of_half(w->out, half), S(2) + half, 0);
        cm_x86_give_back(e, sums[half]);
    }
}

/* ---- all blocks ---- */

void cm_lane_write_chain(struct cm_x86 *e, const struct cm_lane_parsed *w, uint32_t blocks)
{
    uint32_t sums[CM_X86_BLOCKS][2];
    for (uint32_t block = 0; block < blocks; block++) {
        cm_x86_begin_work(e, block);
        for (uint32_t i = 0; i < cm_lane_chain_sums(w); i++)
            sums[block][i] = cm_x86_hold(e);
    }
    for (uint32_t k = 0; k < w->terms; k++)
        for (uint32_t block = 0; block < blocks; block++) {
            cm_x86_begin_work(e, block);
            (is_wide(w) ? add_term_64 : add_term_32)(e, w, k, sums[block]);
        }
    for (uint32_t block = 0; block < blocks; block++) {
        cm_x86_begin_work(e, block);
        (is_wide(w) ? put_64 : put_32)(e, w, sums[block]);
    }
}
