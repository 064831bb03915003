/*
 * Halo references in padded layouts, for statements whose temporary arrays do not fit node memory.
 *
 * The places of an axis in all nodes form a ring, which is longer than the axis by the padding. The
 * exchange of a stencil brings the halos of this ring. So the places beyond each end of the axis
 * must have the values that the axis has beyond this end: those of its other end, or the boundary
 * value. They are stored in the padding before the exchange. This takes twice as many places of
 * padding as the largest offset, and elements that lie in one node.
 *
 * A layer of elements is copied to a thin array, shifted to its node, and stored there under a
 * mask. Axes follow each other, so that corners get values too. The values of the padding after the
 * statement do not matter.
 */
#include "machine.h"

#include "../../programs/pshift/runtime.h"

/* An end of an axis: `count` places of padding, which begin at place `to` of the ring and get the
 * values of the places from `from` on. */
struct end {
    uint32_t axis;
    int64_t from, to, count;
};

static int64_t ring_of(const struct cm_axis *axis)
{
    return (int64_t)(axis->local_length << axis->node_bits);
}

void cm_fortran_ring_layout(const struct cm_layout *layout, struct cm_layout *ring)
{
    *ring = *layout;
    ring->elements = 1;
    for (uint32_t a = 0; a < layout->rank; a++) {
        ring->axes[a].length = (uint64_t)ring_of(&layout->axes[a]);
        ring->axes[a].padded = false;
        ring->elements *= ring->axes[a].length;
    }
}

bool cm_fortran_padding_takes(const struct cm_axis *axis, int64_t offset)
{
    const int64_t length = (int64_t)axis->length, local = (int64_t)axis->local_length;
    const int64_t reach = offset < 0 ? -offset : offset;
    const int64_t last = (length - 1) % local + 1; /* elements of the last node that has any */
    return !axis->padded || reach == 0 ||
           (2 * reach <= ring_of(axis) - length && last >= reach &&
            length % local + reach <= local);
}

/* Returns the layout of an array with `count` places of an axis in each node. */
static struct cm_layout thin_layout(const struct cm_layout *ring, const struct end *end)
{
    struct cm_layout thin = *ring;
    uint64_t stride = 1;
    thin.axes[end->axis].local_length = (uint64_t)end->count;
    thin.axes[end->axis].length = (uint64_t)end->count << thin.axes[end->axis].node_bits;
    thin.elements = 1;
    for (uint32_t a = 0; a < thin.rank; a++) {
        thin.axes[a].stride = stride;
        stride *= thin.axes[a].local_length;
        thin.elements *= thin.axes[a].length;
    }
    thin.local_elements = stride;
    thin.local_words = stride * thin.slices;
    return thin;
}

/* Runs an expression of array 0, a thin array, and array 1, the array, for the places of a node
 * that begin at `first`. */
static enum cm_status run_band(struct cm_fortran_run *run, const struct cm_expression *graph,
                               struct cm_array *const *arrays, const struct end *end, int64_t first,
                               const struct cm_scalar *boundary)
{
    struct cm_band band = {
        .axis = end->axis, .from = first, .to = first + end->count, .own_indices = true};
    const struct cm_near_arguments arguments = {
        .given = {arrays, 2, boundary, 1}, .band = &band, .short_tables = true};
    band.held[0] = true;
    return cm_elementwise_start(run->system, graph, &arguments, CM_ENTRY_IMP, NULL, run->err);
}

/* Adds a graph node that is true for the places of an end. Indices count from 1. */
static uint32_t lower_places(struct cm_expression *graph, const struct end *end)
{
    const uint32_t index = cm_expression_index(graph, end->axis);
    const uint32_t low = cm_expression_number(graph, CM_TYPE_INT32, (double)end->to);
    const uint32_t high =
        cm_expression_number(graph, CM_TYPE_INT32, (double)(end->to + end->count));
    return cm_expression_node(
        graph, CM_EXPRESSION_AND, cm_expression_node(graph, CM_EXPRESSION_GREATER, index, low, 0),
        cm_expression_node(graph, CM_EXPRESSION_LESS_EQUAL, index, high, 0), 0);
}

/* Copies the places that an end takes its values from to a thin array, and shifts this to the node
 * of the end. */
static enum cm_status fetch(struct cm_fortran_run *run, struct cm_array *thin,
                            struct cm_array *array, const struct end *end)
{
    const int64_t local = (int64_t)array->layout.axes[end->axis].local_length;
    struct cm_array held = *array, *arrays[] = {&held, array};
    struct cm_expression *graph = cm_expression_create();
    if (graph == NULL)
        return cm_fortran_no_memory(run);
    held.address = thin->address;
    cm_expression_assign(graph, 0, cm_expression_array(graph, 1, array->layout.type), 0);
    enum cm_status status = run_band(run, graph, arrays, end, end->from % local, NULL);
    cm_expression_destroy(graph);
    const struct cm_shift shift = {.type = CM_SHIFT_CSHIFT,
                                   .path = CM_PATH_EXCHANGE,
                                   .axis = end->axis,
                                   .distance = (end->from / local - end->to / local) * end->count,
                                   .src = thin,
                                   .dst = thin};
    return status == CM_OK ? cm_runtime_shift(run->system, &shift, run->err) : status;
}

/* Stores the values of an end: those of the thin array, or the boundary value. */
static enum cm_status store(struct cm_fortran_run *run, const struct cm_array *thin,
                            struct cm_array *array, const struct end *end,
                            const struct cm_scalar *boundary)
{
    const enum cm_type type = array->layout.type;
    const int64_t local = (int64_t)array->layout.axes[end->axis].local_length;
    struct cm_array held = *array, *arrays[] = {&held, array};
    struct cm_expression *graph = cm_expression_create();
    if (graph == NULL)
        return cm_fortran_no_memory(run);
    held.address = thin->address;
    const uint32_t value = boundary != NULL ? cm_expression_scalar(graph, 0, type)
                                            : cm_expression_array(graph, 0, type);
    cm_expression_assign(graph, 1, value, lower_places(graph, end));
    enum cm_status status = run_band(run, graph, arrays, end, end->to % local, boundary);
    cm_expression_destroy(graph);
    return status;
}

static enum cm_status fill_end(struct cm_fortran_run *run, struct cm_array *array,
                               const struct end *end, const struct cm_scalar *boundary)
{
    const struct cm_layout layout = thin_layout(&array->layout, end);
    struct cm_array *thin;
    enum cm_status status =
        cm_array_create(run->system, "a layer of an array", &layout, &thin, run->err);
    if (status != CM_OK)
        return status;
    if (boundary == NULL)
        status = fetch(run, thin, array, end);
    if (status == CM_OK)
        status = store(run, thin, array, end, boundary);
    cm_array_destroy(run->system, thin);
    return status;
}

enum cm_status cm_fortran_fill_padding(struct cm_fortran_run *run, struct cm_array *array,
                                       const struct cm_axis *axes,
                                       const struct cm_stencil_pattern *pattern,
                                       const struct cm_scalar *boundaries)
{
    enum cm_status status = CM_OK;
    for (uint32_t a = 0; a < array->layout.rank && status == CM_OK; a++) {
        const int64_t length = (int64_t)axes[a].length;
        int64_t low = 0, high = 0;
        for (uint32_t i = 0; i < pattern->term_count; i++) {
            const int64_t offset = pattern->terms[i].offset[a];
            low = -offset > low ? -offset : low;
            high = offset > high ? offset : high;
        }
        const struct cm_scalar *boundary =
            pattern->boundaries[a] == CM_SHIFT_CSHIFT ? NULL : &boundaries[a];
        if (axes[a].padded && high > 0)
            status = fill_end(run, array, &(struct end){a, 0, length, high}, boundary);
        if (axes[a].padded && low > 0 && status == CM_OK)
            status = fill_end(
                run, array, &(struct end){a, length - low, ring_of(&axes[a]) - low, low}, boundary);
    }
    return status;
}
