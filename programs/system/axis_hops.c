/* Finds hops along an axis of the node grid. */
#include "axis_hops.h"

static void add_hop(struct cm_hops *hops, enum cm_hop_kind kind, uint32_t scale,
                    int64_t displacement)
{
    hops->at[hops->count++] =
        (struct cm_hop){.kind = kind, .scale = scale, .displacement = displacement};
}

/* Adds the hops of one phase: a displacement by +2^scale or -2^scale along the Gray code. */
static void add_phase(struct cm_hops *hops, uint32_t scale, int64_t direction)
{
    if (scale > 0)
        add_hop(hops, CM_HOP_UNIFORM, scale - 1, 0);
    add_hop(hops, CM_HOP_NEIGHBOUR, scale, direction);
}

/* Adds a phase of hops for each signed binary digit of the displacement that is not 0. No two
 * adjacent digits are non-zero, which gives the fewest phases. */
static void find_gray(struct cm_hops *hops, int64_t displacement)
{
    for (uint32_t scale = 0; displacement != 0; scale++) {
        if (displacement & 1) {
            int64_t digit = (displacement & 3) == 3 ? -1 : 1;
            add_phase(hops, scale, digit);
            displacement -= digit;
        }
        displacement /= 2;
    }
}

static void find_binary(struct cm_hops *hops, const struct cm_axis *axis, int64_t displacement)
{
    /* true if a carry from a lower digit can reach this binary digit of the displacement */
    bool carries = false;
    for (uint32_t scale = 0; scale < axis->node_bits; scale++) {
        bool digit = displacement >> scale & 1;
        if (digit || carries)
            add_hop(hops, CM_HOP_CARRY, scale, displacement);
        carries = carries || digit;
    }
}

void cm_hops_find(const struct cm_axis *axis, int64_t displacement, struct cm_hops *hops)
{
    int64_t nodes = INT64_C(1) << axis->node_bits;
    hops->count = 0;
    displacement %= nodes;
    if (displacement < 0)
        displacement += nodes;
    if (axis->order == CM_ORDER_SEND) {
        find_binary(hops, axis, displacement);
        return;
    }
    find_gray(hops, displacement > nodes / 2 ? displacement - nodes : displacement);
}

/* Returns the dimension in which the Gray codes of the upper coordinates u and u + step differ. The
 * upper coordinate is the coordinate without its lowest `scale` bits. */
static uint8_t neighbour_dimension(const struct cm_axis *axis, const struct cm_hop *hop,
                                   uint32_t bits, int64_t step)
{
    uint32_t upper_nodes = (1u << axis->node_bits) >> hop->scale;
    uint32_t upper = cm_axis_decode(axis, bits) >> hop->scale;
    uint32_t next = (upper + (uint32_t)step) & (upper_nodes - 1);
    return (uint8_t)(hop->scale +
                     (uint32_t)__builtin_ctz(cm_gray_encode(upper) ^ cm_gray_encode(next)));
}

/* True if the word that is now in this node must cross dimension `scale`. The word has already made
 * the hops over all lower dimensions. */
static bool carry_crosses(const struct cm_hop *hop, uint32_t bits)
{
    uint32_t below = (1u << hop->scale) - 1;
    uint32_t displacement = (uint32_t)hop->displacement;
    uint32_t origin = (bits - displacement) & below;
    bool carry = origin + (displacement & below) > below;
    return carry != (bool)(displacement >> hop->scale & 1);
}

uint8_t cm_hop_out(const struct cm_axis *axis, const struct cm_hop *hop, uint32_t bits)
{
    switch (hop->kind) {
    case CM_HOP_NEIGHBOUR:
        return neighbour_dimension(axis, hop, bits, hop->displacement);
    case CM_HOP_UNIFORM:
        return (uint8_t)hop->scale;
    case CM_HOP_CARRY:
        break;
    }
    return carry_crosses(hop, bits) ? (uint8_t)hop->scale : CM_HOP_STAY;
}

uint8_t cm_hop_in(const struct cm_axis *axis, const struct cm_hop *hop, uint32_t bits)
{
    if (hop->kind == CM_HOP_NEIGHBOUR)
        return neighbour_dimension(axis, hop, bits, -hop->displacement);
    /* In a hop the two nodes of a pair exchange their words or both keep them, so a node receives
     * over the dimension that it sends over. */
    return cm_hop_out(axis, hop, bits);
}

bool cm_hop_conflict(const struct cm_axis *axis, const struct cm_hop *a, const struct cm_hop *b)
{
    for (uint32_t bits = 0; bits >> axis->node_bits == 0; bits++) {
        uint8_t out = cm_hop_out(axis, a, bits);
        if (out != CM_HOP_STAY && out == cm_hop_out(axis, b, bits))
            return true;
    }
    return false;
}
