/*
 * Plans a transpose as changes of the elements' addresses. If lengths are powers of two, bit i of
 * an index is a bit of the local element number or a dimension of the cube. On a NEWS axis a cube
 * dimension is coded with the bit above it (Gray code). The bits of an axis keep their order, so
 * only three changes occur:
 *
 *     1  bits that are coded in the destination, but not in the source, get their code
 *     2  the bits of the addresses are permuted
 *     3  bits that are coded in the source, but not in the destination, lose their code
 *
 * If a NEWS axis gets more cube dimensions, the bits of (1) are local bits. If it gets fewer cube
 * dimensions, the bits of (3) are local bits. Then (1) and (3) are moves within the nodes, without
 * an exchange. Only an axis that changes its order, NEWS to SEND or back, is coded by exchanges.
 */
#include "transpose_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint32_t log2_of(uint64_t power)
{
    return (uint32_t)__builtin_ctzll(power);
}

/* Returns the axis of dst that corresponds to axis `a` of src. */
static uint32_t other_axis(const struct cm_transpose_task *task, uint32_t a)
{
    return a == task->axes[0] ? task->axes[1] : a == task->axes[1] ? task->axes[0] : a;
}

bool cm_transpose_needs_router(const struct cm_transpose_task *task, char *reason, size_t size)
{
    for (uint32_t side = 0; side < 2; side++) {
        const struct cm_layout *layout = side == 0 ? &task->src : &task->dst;
        for (uint32_t a = 0; a < layout->rank; a++) {
            const struct cm_axis *axis = &layout->axes[a];
            const bool power = (axis->length & (axis->length - 1)) == 0;
            if (power && !axis->padded)
                continue;
            snprintf(reason, size,
                     "axis %" PRIu32 " (dim %" PRIu32
                     " in a workload) of the %s has length %" PRIu64 ", %s",
                     a, a + 1, side == 0 ? "source" : "destination", axis->length,
                     power ? "and is padded" : "which is not a power of two");
            return true;
        }
    }
    if (task->src.used_bits != task->dst.used_bits) {
        snprintf(reason, size,
                 "the source is spread over %" PRIu32 " nodes, the destination over %" PRIu32,
                 UINT32_C(1) << task->src.used_bits, UINT32_C(1) << task->dst.used_bits);
        return true;
    }
    return false;
}

/* Returns the lowest bit of axis `a` in an element's number. */
static uint32_t first_bit(const struct cm_layout *layout, uint32_t a)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i < a; i++)
        first += log2_of(layout->axes[i].length);
    return first;
}

/* Returns the number of the address bit for bit i of the axis's index. Address bits are the local
 * bits, from 0, then the cube dimensions. */
static uint32_t address_bit(const struct cm_layout *layout, uint32_t a, uint32_t i)
{
    const struct cm_axis *axis = &layout->axes[a];
    const uint32_t local = log2_of(axis->local_length);
    return i < local ? log2_of(axis->stride) + i
                     : log2_of(layout->local_elements) + axis->first_dimension + i - local;
}

/* Returns true if bit i of the axis's index is in Gray code, coded with the bit above it. */
static bool is_coded(const struct cm_layout *layout, uint32_t a, uint32_t i)
{
    const struct cm_axis *axis = &layout->axes[a];
    return axis->order == CM_ORDER_NEWS && i >= log2_of(axis->local_length) &&
           i + 1 < log2_of(axis->length);
}

/* Makes the allocation of the array with the bits of the element numbers as its dimensions. */
static struct cm_allocation numbers(const struct cm_layout *layout)
{
    struct cm_allocation allocation = {.dimensions = log2_of(layout->elements),
                                       .node_bits = layout->used_bits,
                                       .processor = cm_layout_processor_dimensions(layout)};
    for (uint32_t a = 0; a < layout->rank; a++)
        for (uint32_t i = 0; i < log2_of(layout->axes[a].length); i++)
            if (is_coded(layout, a, i))
                allocation.coupled |= UINT64_C(1) << (first_bit(layout, a) + i);
    return allocation;
}

static void set_change(const struct cm_transpose_task *task, struct cm_transpose_plan *plan,
                       enum cm_transpose_change change, const struct cm_allocation *from,
                       const struct cm_allocation *to)
{
    plan->needed[change] = from->coupled != to->coupled || to->permuted;
    plan->changes[change] =
        (struct cm_reshape_task){.from = *from, .to = *to, .slices = task->src.slices};
}

/* Adds the permutation of address bits to an allocation, no matter whether they hold coded bits. */
static void permute(const struct cm_transpose_task *task, struct cm_allocation *to)
{
    const struct cm_layout *src = &task->src, *dst = &task->dst;
    for (uint32_t a = 0; a < src->rank; a++)
        for (uint32_t i = 0; i < log2_of(src->axes[a].length); i++) {
            const uint32_t from = address_bit(src, a, i);
            to->place[from] = (uint8_t)address_bit(dst, other_axis(task, a), i);
            to->permuted = to->permuted || to->place[from] != from;
        }
}

/* Returns the number of cube dimensions that hold another index bit after the transpose, or the
 * same bit in another code. */
static uint32_t count_dimensions(const struct cm_transpose_task *task)
{
    const struct cm_layout *src = &task->src, *dst = &task->dst;
    const uint32_t local_bits = log2_of(src->local_elements);
    uint32_t count = 0;
    for (uint32_t a = 0; a < src->rank; a++)
        for (uint32_t i = 0; i < log2_of(src->axes[a].length); i++) {
            const uint32_t b = other_axis(task, a);
            const uint32_t from = address_bit(src, a, i), to = address_bit(dst, b, i);
            count += to >= local_bits && (from != to || is_coded(src, a, i) != is_coded(dst, b, i));
        }
    return count;
}

void cm_transpose_plan_make(const struct cm_transpose_task *task, struct cm_transpose_plan *plan)
{
    const struct cm_layout *src = &task->src, *dst = &task->dst;
    const struct cm_allocation before = numbers(src), after = numbers(dst);
    struct cm_allocation coded = before, codes = after;
    struct cm_allocation plain = {.dimensions = before.dimensions, .node_bits = before.node_bits};
    memset(plan, 0, sizeof *plan);
    for (uint32_t a = 0; a < src->rank; a++)
        for (uint32_t i = 0; i < log2_of(src->axes[a].length); i++) {
            const uint32_t b = other_axis(task, a);
            if (is_coded(dst, b, i))
                coded.coupled |= UINT64_C(1) << (first_bit(src, a) + i);
            if (is_coded(src, a, i))
                codes.coupled |= UINT64_C(1) << (first_bit(dst, b) + i);
        }
    plain.processor = ((UINT64_C(1) << plain.node_bits) - 1)
                      << (plain.dimensions - plain.node_bits);
    struct cm_allocation permuted = plain;
    permute(task, &permuted);
    set_change(task, plan, CM_TRANSPOSE_CODE, &before, &coded);
    set_change(task, plan, CM_TRANSPOSE_PERMUTE, &plain, &permuted);
    set_change(task, plan, CM_TRANSPOSE_UNCODE, &codes, &after);
    plan->dimensions = count_dimensions(task);
}
