/* Places the elements of allocations on cube and memory dimensions. */
#include "allocation.h"

#include <inttypes.h>
#include <string.h>

static uint64_t low_bits(uint32_t count)
{
    return (UINT64_C(1) << count) - 1;
}

static bool is_processor(const struct cm_allocation *allocation, uint32_t dimension)
{
    return allocation->processor >> dimension & 1;
}

/* Returns the logic dimension of bit m of an element's number. */
static uint32_t place_of(const struct cm_allocation *allocation, uint32_t m)
{
    return allocation->permuted ? allocation->place[m] : m;
}

bool cm_allocation_equal(const struct cm_allocation *a, const struct cm_allocation *b)
{
    bool equal = a->dimensions == b->dimensions && a->node_bits == b->node_bits &&
                 a->processor == b->processor && a->coupled == b->coupled;
    for (uint32_t m = 0; equal && m < a->dimensions; m++)
        equal = place_of(a, m) == place_of(b, m);
    return equal;
}

uint32_t cm_allocation_rank(const struct cm_allocation *allocation, uint32_t dimension)
{
    uint64_t alike =
        is_processor(allocation, dimension) ? allocation->processor : ~allocation->processor;
    return (uint32_t)__builtin_popcountll(alike & low_bits(dimension));
}

/* Counts the logic dimensions of the axes, and couples the dimensions within each axis for Gray
 * code. Checks that the shape can be allocated at all. */
static enum cm_status measure_axes(const uint64_t *shape, uint32_t rank,
                                   struct cm_allocation *allocation, struct cm_error *err)
{
    uint32_t dimensions = 0;
    for (uint32_t a = 0; a < rank; a++) {
        if (shape[a] == 0 || (shape[a] & (shape[a] - 1)) != 0)
            return cm_error_refuse(
                err,
                "each bit of an index is a dimension of the cube or of memory, so every axis needs "
                "a length of 2^k",
                "an axis of length %" PRIu64 " cannot be reshaped: not a power of two", shape[a]);
        uint32_t first = dimensions;
        dimensions += (uint32_t)__builtin_ctzll(shape[a]);
        if (dimensions > CM_LOGIC_DIMENSIONS_MAX)
            return cm_error_refuse(err, "use a smaller shape",
                                   "the shape is too large: more than 2^%u elements",
                                   CM_LOGIC_DIMENSIONS_MAX);
        if (dimensions > first)
            allocation->coupled |= low_bits(dimensions - 1) & ~low_bits(first);
    }
    allocation->dimensions = dimensions;
    return CM_OK;
}

uint64_t cm_layout_processor_dimensions(const struct cm_layout *layout)
{
    uint64_t processor = 0;
    uint32_t end = 0; /* one more than the highest logic dimension of the axis */
    for (uint32_t a = 0; a < layout->rank; a++) {
        end += (uint32_t)__builtin_ctzll(layout->axes[a].length);
        processor |= low_bits(end) & ~low_bits(end - layout->axes[a].node_bits);
    }
    return processor;
}

static enum cm_status canonical_dimensions(const uint64_t *shape, uint32_t rank, uint32_t nodes,
                                           struct cm_allocation *allocation, struct cm_error *err)
{
    struct cm_layout_request request = {.type = CM_TYPE_REAL32, .rank = rank};
    struct cm_layout layout;
    if (rank > CM_RANK_MAX)
        return cm_error_refuse(err, "take the high dimensions, or list them",
                               "the canonical layout has at most %u axes, the shape has %" PRIu32,
                               CM_RANK_MAX, rank);
    for (uint32_t a = 0; a < rank; a++) {
        request.shape[a] = shape[a];
        request.weights[a] = 1;
    }
    enum cm_status status = cm_layout_create(&request, nodes, &layout, err);
    if (status == CM_OK)
        allocation->processor = cm_layout_processor_dimensions(&layout);
    return status;
}

static enum cm_status listed_dimensions(uint64_t list, struct cm_allocation *allocation,
                                        struct cm_error *err)
{
    uint32_t count = (uint32_t)__builtin_popcountll(list);
    if (count != allocation->node_bits)
        return cm_error_refuse(err, "list log2(nodes) different dimensions",
                               "processor dimensions listed: %" PRIu32 ", but %" PRIu32
                               " nodes have %" PRIu32,
                               count, UINT32_C(1) << allocation->node_bits, allocation->node_bits);
    if (list >> allocation->dimensions != 0) {
        cm_error_set(err, CM_BAD_INPUT, "processor dimension %d does not exist",
                     63 - __builtin_clzll(list));
        return cm_error_hint(err, "the array has %" PRIu32 " dimensions, counted from 0",
                             allocation->dimensions);
    }
    allocation->processor = list;
    return CM_OK;
}

enum cm_status cm_allocation_create(const struct cm_allocation_request *request,
                                    struct cm_allocation *allocation, struct cm_error *err)
{
    const uint32_t nodes = request->nodes;
    memset(allocation, 0, sizeof *allocation);
    if (nodes == 0 || (nodes & (nodes - 1)) != 0)
        return cm_error_set(err, CM_BAD_INPUT, "%" PRIu32 " nodes: not a power of two", nodes);
    enum cm_status status = measure_axes(request->shape, request->rank, allocation, err);
    if (status != CM_OK)
        return status;
    allocation->node_bits = (uint32_t)__builtin_ctz(nodes);
    if (allocation->node_bits > allocation->dimensions)
        return cm_error_refuse(err, "every node needs at least one element",
                               "%" PRIu32 " nodes are more than the %" PRIu64
                               " elements: K = 0 elements a node",
                               nodes, UINT64_C(1) << allocation->dimensions);
    uint32_t local_bits = allocation->dimensions - allocation->node_bits;
    if (request->rule == CM_PROCESSOR_HIGH)
        allocation->processor = low_bits(allocation->dimensions) & ~low_bits(local_bits);
    else if (request->rule == CM_PROCESSOR_CANONICAL)
        status = canonical_dimensions(request->shape, request->rank, nodes, allocation, err);
    else
        status = listed_dimensions(request->list, allocation, err);
    if (request->encoding == CM_ENCODING_BINARY)
        allocation->coupled = 0;
    else if (request->encoding == CM_ENCODING_MIXED)
        allocation->coupled &= allocation->processor & allocation->processor >> 1;
    return status;
}

void cm_allocation_place(const struct cm_allocation *allocation, uint64_t index, uint32_t *node,
                         uint64_t *local_element)
{
    uint64_t number = allocation->permuted ? 0 : index;
    for (uint32_t m = 0; allocation->permuted && m < allocation->dimensions; m++)
        number |= (index >> m & 1) << allocation->place[m];
    uint64_t code = number ^ (number >> 1 & allocation->coupled);
    uint32_t node_bit = 0, local_bit = 0;
    *node = 0;
    *local_element = 0;
    for (uint32_t m = 0; m < allocation->dimensions; m++) {
        uint64_t bit = code >> m & 1;
        if (is_processor(allocation, m))
            *node |= (uint32_t)bit << node_bit++;
        else
            *local_element |= bit << local_bit++;
    }
}
