/*
 * Copies between sections of different arrays on the machine, through the router.
 *
 * If the source's subscripts are triplets, its elements are sent, each in one packet. If the source
 * has a vector of subscripts, the destination fetches its elements, each with a request and a reply
 * packet. An IMP computes the subscripts, in arrays with the placement of the array that sends or
 * fetches.
 */
#include "machine.h"

#include <stdlib.h>

/* A copy between two sections. `walker` is the section whose elements send or fetch. `indexed` is
 * the other section, whose subscripts are computed. */
struct move {
    struct cm_fortran_run *run;
    const struct cm_fortran_section *walker, *indexed;
    struct cm_fortran_array *subscripts[CM_RANK_MAX], *mask;
    struct cm_fortran_lowering lowering;
};

/* Returns the axis of a section's array along which dimension `dim` of the section lies. */
static uint32_t axis_of(const struct cm_fortran_section *section, uint32_t dim)
{
    uint32_t axis = 0;
    for (uint32_t at = 0; axis < section->array->rank; axis++)
        if (!section->ranges[axis].dropped && at++ == dim)
            break;
    return axis;
}

/* Adds a graph node for the subscript, along an axis of the indexed section, that belongs to an
 * element of the walker: first + 1 + (index - from - 1) / step * stride. `first` and `stride` are
 * those of `range`, and `from` and `step` those of the walker's range. */
static uint32_t subscript(struct move *move, uint32_t axis, const struct cm_fortran_range *range)
{
    struct cm_expression *graph = move->lowering.graph;
    const struct cm_fortran_range *own = &move->walker->ranges[axis];
    uint32_t node = cm_expression_index(graph, axis);
    int64_t factor = range->stride, add = range->first + 1;
    if (range->stride % own->stride == 0) {
        factor = range->stride / own->stride;
        add -= factor * (own->first + 1);
    } else {
        uint32_t from = cm_expression_number(graph, CM_TYPE_INT32, (double)(own->first + 1));
        uint32_t step = cm_expression_number(graph, CM_TYPE_INT32, (double)own->stride);
        node = cm_expression_node(graph, CM_EXPRESSION_SUBTRACT, node, from, 0);
        node = cm_expression_node(graph, CM_EXPRESSION_DIVIDE, node, step, 0);
    }
    if (factor != 1)
        node = cm_expression_node(graph, CM_EXPRESSION_MULTIPLY, node,
                                  cm_expression_number(graph, CM_TYPE_INT32, (double)factor), 0);
    if (add != 0)
        node = cm_expression_node(graph, CM_EXPRESSION_ADD, node,
                                  cm_expression_number(graph, CM_TYPE_INT32, (double)add), 0);
    return node;
}

/* Writes the subscripts of a vector of subscripts, by the front end, into an array on the
 * machine. */
static enum cm_status write_vector(struct move *move, uint32_t dim, const int32_t *vector,
                                   struct cm_fortran_array *array)
{
    const struct cm_fortran_section *walker = move->walker;
    int32_t *values = calloc((size_t)array->elements, sizeof(*values));
    uint64_t inner = 1;
    if (values == NULL)
        return cm_fortran_no_memory(move->run);
    for (uint32_t i = 0; i < dim; i++)
        inner *= walker->extent[i];
    for (uint64_t e = 0; e < walker->elements; e++)
        values[cm_fortran_section_index(walker, e)] = vector[e / inner % walker->extent[dim]] + 1;
    enum cm_status status = cm_fortran_array_replace(move->run, array, values, walker->elements);
    free(values);
    return status;
}

static enum cm_status assign(struct move *move, struct cm_fortran_array *array, uint32_t node)
{
    uint32_t target, number;
    enum cm_status status =
        cm_fortran_lower_array(&move->lowering, array->machine, &target, &number);
    if (status == CM_OK)
        cm_expression_assign(move->lowering.graph, number, node, 0);
    return status;
}

static enum cm_status make_subscripts(struct move *move, uint32_t *assigned)
{
    struct cm_expression *graph = move->lowering.graph;
    const struct cm_fortran_section *indexed = move->indexed;
    enum cm_status status = CM_OK;
    for (uint32_t i = 0, dim = 0; i < indexed->array->rank && status == CM_OK; i++) {
        const struct cm_fortran_range *range = &indexed->ranges[i];
        uint32_t at = range->dropped ? 0 : dim++;
        status = cm_fortran_array_like(move->run, move->walker->array, CM_TYPE_INT32,
                                       &move->subscripts[i]);
        if (status != CM_OK)
            break;
        if (range->vector != NULL) {
            status = write_vector(move, at, range->vector, move->subscripts[i]);
            continue;
        }
        uint32_t node = range->count == 1
                            ? cm_expression_number(graph, CM_TYPE_INT32, (double)(range->first + 1))
                            : subscript(move, axis_of(move->walker, at), range);
        status = assign(move, move->subscripts[i], node);
        ++*assigned;
    }
    return status;
}

/* Makes the mask of the elements that send or fetch. A section that is a whole array needs no
 * mask. */
static enum cm_status make_mask(struct move *move, uint32_t *assigned)
{
    if (cm_fortran_section_is_whole(move->walker))
        return CM_OK;
    uint32_t node = cm_fortran_lower_section(&move->lowering);
    if (node == 0) /* the section has all elements, in another order */
        return CM_OK;
    enum cm_status status =
        cm_fortran_array_like(move->run, move->walker->array, CM_TYPE_LOGICAL, &move->mask);
    ++*assigned;
    return status == CM_OK ? assign(move, move->mask, node) : status;
}

static enum cm_status prepare(struct move *move)
{
    uint32_t assigned = 0;
    move->lowering = (struct cm_fortran_lowering){.run = move->run, .model = move->walker};
    enum cm_status status = cm_fortran_lowering_begin(&move->lowering);
    if (status == CM_OK)
        status = make_subscripts(move, &assigned);
    if (status == CM_OK)
        status = make_mask(move, &assigned);
    if (status == CM_OK && assigned > 0)
        status = cm_fortran_lowering_run(&move->lowering);
    cm_fortran_lowering_end(&move->lowering);
    return status;
}

enum cm_status cm_fortran_transfer(struct cm_fortran_run *run, enum cm_gather_kind kind,
                                   const struct cm_fortran_array *src, struct cm_fortran_array *dst,
                                   struct cm_fortran_array *const *subscripts,
                                   const struct cm_fortran_array *mask)
{
    const struct cm_fortran_array *indexed = kind == CM_GATHER_SEND ? dst : src;
    struct cm_gather_task task = {.kind = kind,
                                  .op = CM_GATHER_OVERWRITE,
                                  .dst = dst->machine->layout,
                                  .src = src->machine->layout,
                                  .first = 1,
                                  .masked = mask != NULL};
    struct cm_gather_arrays arrays = {
        .dst = dst->machine, .src = src->machine, .mask = mask != NULL ? mask->machine : NULL};
    struct cm_gather *gather;
    for (uint32_t i = 0; i < indexed->rank; i++)
        arrays.subscripts[i] = subscripts[i]->machine;
    enum cm_status status = cm_fortran_find_gather(run, &task, &gather);
    return status == CM_OK ? cm_gather_call(run->system, gather, &arrays, run->err) : status;
}

enum cm_status cm_fortran_route(struct cm_fortran_run *run, const struct cm_fortran_section *from,
                                const struct cm_fortran_section *to)
{
    bool sends = !cm_fortran_section_has_vector(from);
    struct move move = {.run = run, .walker = sends ? from : to, .indexed = sends ? to : from};
    if (cm_fortran_section_has_vector(move.walker))
        return cm_error_set(run->err, CM_BAD_INPUT,
                            "vectors of subscripts in the target and in what it gets");
    enum cm_status status = prepare(&move);
    if (status == CM_OK)
        status = cm_fortran_transfer(run, sends ? CM_GATHER_SEND : CM_GATHER_GET, from->array,
                                     to->array, move.subscripts, move.mask);
    for (uint32_t i = 0; i < CM_RANK_MAX; i++)
        cm_fortran_array_destroy(run, move.subscripts[i]);
    cm_fortran_array_destroy(run, move.mask);
    return status;
}

enum cm_status cm_fortran_move(struct cm_fortran_run *run, const struct cm_fortran_section *from,
                               const struct cm_fortran_section *to, bool *done)
{
    struct cm_fortran_attempt attempt;
    *done = false;
    if (!cm_fortran_on_machine(from->array) || !cm_fortran_on_machine(to->array) ||
        from->array->type != to->array->type)
        return CM_OK;
    cm_fortran_attempt_begin(run, &attempt);
    enum cm_status status = cm_fortran_route(run, from, to);
    return cm_fortran_attempt_end(run, &attempt, status, done);
}

void cm_fortran_section_of_all(struct cm_fortran_array *array, struct cm_fortran_section *section)
{
    *section = (struct cm_fortran_section){
        .array = array, .rank = array->rank, .elements = array->elements};
    for (uint32_t i = 0; i < array->rank; i++) {
        section->extent[i] = array->extent[i];
        section->ranges[i] = (struct cm_fortran_range){.count = array->extent[i], .stride = 1};
    }
}

void cm_fortran_section_drop(struct cm_fortran_section *section, uint32_t axis)
{
    section->ranges[axis] = (struct cm_fortran_range){.dropped = true, .count = 1, .stride = 1};
    section->elements /= section->extent[axis];
    section->rank--;
    for (uint32_t i = axis; i < section->rank; i++)
        section->extent[i] = section->extent[i + 1];
}
