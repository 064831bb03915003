/*
 * The canonical layout (PSHIFT paper, 2.1). Reference card:
 *
 *     bits of a node's cube address   dealt to the axes in order. Axis 0 has the lowest
 *     block coordinate of an axis     0 .. 2^node_bits - 1. A node's bits are its Gray code (NEWS)
 *                                     or the coordinate itself (SEND)
 *     coordinate i of an axis         in block i / L at local coordinate i mod L,
 *                                     L = ceil(length / 2^node_bits)
 *     local element number            sum of local coordinate * stride,
 *                                     stride = product of the earlier L
 *
 * Node bits are dealt to the axes one after another. The paper gives the aim, equal local lengths,
 * and the effect of weights. The procedure is ours. The next bit goes to an axis of the first class
 * that has one:
 *     1. axes with an even local length, because halving it adds no padding
 *     2. axes with an odd local length above 1
 *     3. any axis, even if some nodes then hold no elements of it
 * Within a class the axis with the largest local length / weight wins, and the first axis among
 * equals. SERIAL axes take no bits. If all axes are SERIAL, every node holds a copy.
 */
#include "geometry.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

static const struct {
    const char *name;
    uint32_t slices;
    uint32_t host_bytes;
} types[CM_TYPE_COUNT] = {
    [CM_TYPE_REAL32] = {"real32", 1, 4},       [CM_TYPE_REAL64] = {"real64", 2, 8},
    [CM_TYPE_COMPLEX64] = {"complex64", 2, 8}, [CM_TYPE_COMPLEX128] = {"complex128", 4, 16},
    [CM_TYPE_INT32] = {"int32", 1, 4},         [CM_TYPE_LOGICAL] = {"logical", 1, 1},
};

const char *cm_type_name(enum cm_type type)
{
    assert(type < CM_TYPE_COUNT);
    return types[type].name;
}

uint32_t cm_type_slices(enum cm_type type)
{
    assert(type < CM_TYPE_COUNT);
    return types[type].slices;
}

uint32_t cm_type_host_bytes(enum cm_type type)
{
    assert(type < CM_TYPE_COUNT);
    return types[type].host_bytes;
}

uint32_t cm_type_components(enum cm_type type)
{
    return type == CM_TYPE_COMPLEX64 || type == CM_TYPE_COMPLEX128 ? 2 : 1;
}

const char *cm_order_name(enum cm_order order)
{
    static const char *const names[CM_ORDER_COUNT] = {"news", "send", "serial"};
    assert(order < CM_ORDER_COUNT);
    return names[order];
}

static enum cm_status check_axis(const struct cm_layout_request *request, uint32_t a,
                                 struct cm_error *err)
{
    if (request->shape[a] == 0)
        return cm_error_refuse(err, "every axis needs at least one element",
                               "axis %" PRIu32 " of the shape is empty", a);
    if (request->orders[a] >= CM_ORDER_COUNT)
        return cm_error_set(err, CM_BAD_INPUT, "axis %" PRIu32 " has no known order", a);
    return CM_OK;
}

static enum cm_status check_request(const struct cm_layout_request *request, uint32_t nodes,
                                    struct cm_error *err)
{
    if (nodes == 0 || (nodes & (nodes - 1)) != 0)
        return cm_error_set(err, CM_BAD_INPUT, "%" PRIu32 " nodes: not a power of two", nodes);
    if (request->type >= CM_TYPE_COUNT)
        return cm_error_set(err, CM_BAD_INPUT, "the element type is not known");
    if (request->rank == 0 || request->rank > CM_RANK_MAX) {
        cm_error_set(err, CM_BAD_INPUT, "an array of rank %" PRIu32, request->rank);
        cm_error_hint(err, "arrays have one to %u axes", CM_RANK_MAX);
        return CM_BAD_INPUT;
    }
    /* The number of bytes on the host is checked, so that no later size of the whole array can
     * overflow. */
    uint64_t bytes = cm_type_host_bytes(request->type);
    for (uint32_t a = 0; a < request->rank; a++) {
        enum cm_status status = check_axis(request, a, err);
        if (status != CM_OK)
            return status;
        if (request->shape[a] > (uint64_t)INT64_MAX / bytes)
            return cm_error_refuse(err, "use a smaller shape",
                                   "the shape is too large: its first %" PRIu32
                                   " axes alone have more than 2^63 bytes",
                                   a + 1);
        bytes *= request->shape[a];
    }
    return CM_OK;
}

static uint64_t length_cut(const struct cm_axis *axis, uint32_t bits)
{
    return ((axis->length - 1) >> bits) + 1; /* ceil(length / 2^bits) */
}

/* Returns 2 if the local segment of an axis can be halved without padding, 1 if it can be halved
 * with padding, and 0 if it has one element. */
static int cut_class(const struct cm_axis *axis)
{
    if (axis->local_length == 1)
        return 0;
    return axis->local_length % 2 == 0 ? 2 : 1;
}

/* True if the next node bit goes to axis `a` rather than to axis `b`. False for a tie. */
static bool cut_before(const struct cm_axis *a, const struct cm_axis *b)
{
    if (cut_class(a) != cut_class(b))
        return cut_class(a) > cut_class(b);
    unsigned __int128 left = (unsigned __int128)a->local_length * b->weight;
    unsigned __int128 right = (unsigned __int128)b->local_length * a->weight;
    return left > right;
}

static void deal_bit(struct cm_layout *layout)
{
    struct cm_axis *best = NULL;
    for (uint32_t a = 0; a < layout->rank; a++) {
        struct cm_axis *axis = &layout->axes[a];
        if (axis->order != CM_ORDER_SERIAL && (!best || cut_before(axis, best)))
            best = axis;
    }
    if (!best)
        return; /* All axes are SERIAL, so no node bits can be dealt. */
    best->node_bits++;
    best->local_length = length_cut(best, best->node_bits);
    layout->used_bits++;
}

static void measure(struct cm_layout *layout)
{
    uint32_t dimension = 0;
    layout->elements = 1;
    layout->local_elements = 1;
    for (uint32_t a = 0; a < layout->rank; a++) {
        struct cm_axis *axis = &layout->axes[a];
        axis->first_dimension = dimension;
        axis->stride = layout->local_elements;
        axis->padded = axis->length < axis->local_length << axis->node_bits;
        dimension += axis->node_bits;
        layout->elements *= axis->length;
        layout->local_elements *= axis->local_length;
    }
    layout->local_words = layout->local_elements * layout->slices;
}

enum cm_status cm_layout_create(const struct cm_layout_request *request, uint32_t nodes,
                                struct cm_layout *layout, struct cm_error *err)
{
    enum cm_status status = check_request(request, nodes, err);
    if (status != CM_OK)
        return status;
    memset(layout, 0, sizeof(*layout));
    layout->type = request->type;
    layout->slices = cm_type_slices(request->type);
    layout->rank = request->rank;
    layout->nodes = nodes;
    while (nodes >> layout->node_bits > 1)
        layout->node_bits++;
    for (uint32_t a = 0; a < request->rank; a++) {
        layout->axes[a].length = request->shape[a];
        layout->axes[a].local_length = request->shape[a];
        layout->axes[a].order = request->orders[a];
        layout->axes[a].weight = request->weights[a] > 0 ? request->weights[a] : 1;
    }
    for (uint32_t bit = 0; bit < layout->node_bits; bit++)
        deal_bit(layout);
    measure(layout);
    return CM_OK;
}

bool cm_layout_equal(const struct cm_layout *a, const struct cm_layout *b)
{
    if (a->type != b->type || a->rank != b->rank || a->nodes != b->nodes)
        return false;
    for (uint32_t i = 0; i < a->rank; i++) {
        const struct cm_axis *p = &a->axes[i];
        const struct cm_axis *q = &b->axes[i];
        if (p->length != q->length || p->order != q->order || p->node_bits != q->node_bits)
            /* Equal lengths, orders and node bits make all other members of an axis equal. Weights
             * are used only to deal the node bits. */
            return false;
    }
    return true;
}

uint32_t cm_axis_encode(const struct cm_axis *axis, uint32_t coordinate)
{
    return axis->order == CM_ORDER_NEWS ? cm_gray_encode(coordinate) : coordinate;
}

uint32_t cm_axis_decode(const struct cm_axis *axis, uint32_t bits)
{
    return axis->order == CM_ORDER_NEWS ? cm_gray_decode(bits) : bits;
}

uint32_t cm_layout_coordinate(const struct cm_layout *layout, uint32_t node, uint32_t a)
{
    const struct cm_axis *axis = &layout->axes[a];
    uint32_t mask = (UINT32_C(1) << axis->node_bits) - 1;
    if (axis->node_bits == 0)
        return 0;
    return cm_axis_decode(axis, (node >> axis->first_dimension) & mask);
}

void cm_layout_place(const struct cm_layout *layout, const uint64_t *index, uint32_t *node,
                     uint64_t *local_element)
{
    *node = 0;
    *local_element = 0;
    for (uint32_t a = 0; a < layout->rank; a++) {
        const struct cm_axis *axis = &layout->axes[a];
        uint32_t block = (uint32_t)(index[a] / axis->local_length);
        *node |= cm_axis_encode(axis, block) << axis->first_dimension;
        *local_element += index[a] % axis->local_length * axis->stride;
    }
}
