/*
 * Computes RESHAPE, PACK and UNPACK on the machine.
 *
 * An IMP computes the number of each element in Fortran order, and from this number the subscripts
 * of its destination. The router sends the elements to their destinations. For PACK and UNPACK,
 * scans number the true elements of the mask, axis by axis: an element's rank is its number within
 * its line, plus the number of true elements in earlier lines.
 */
#include "transform.h"

#include <string.h>

/* Subscripts and mask for a transfer by the router, in arrays that an IMP writes and that have the
 * placement of the array that sends or fetches. */
struct routing {
    struct cm_fortran_run *run;
    /* section of all elements of the array that sends or fetches */
    struct cm_fortran_section model;
    struct cm_fortran_lowering lowering;
    struct cm_fortran_array *subscripts[CM_RANK_MAX], *mask;
};

static enum cm_status routing_begin(struct routing *routing, struct cm_fortran_run *run,
                                    struct cm_fortran_array *walker)
{
    memset(routing, 0, sizeof(*routing));
    routing->run = run;
    cm_fortran_section_of_all(walker, &routing->model);
    routing->lowering = (struct cm_fortran_lowering){.run = run, .model = &routing->model};
    return cm_fortran_lowering_begin(&routing->lowering);
}

static void routing_end(struct routing *routing)
{
    cm_fortran_lowering_end(&routing->lowering);
    for (uint32_t i = 0; i < CM_RANK_MAX; i++)
        cm_fortran_array_destroy(routing->run, routing->subscripts[i]);
    cm_fortran_array_destroy(routing->run, routing->mask);
}

/* Makes an array with the placement of the model, and adds the assignment of a graph node to it. */
static enum cm_status assign(struct routing *routing, enum cm_type type, uint32_t node,
                             struct cm_fortran_array **array)
{
    uint32_t target, number;
    enum cm_status status = cm_fortran_array_like(routing->run, routing->model.array, type, array);
    if (status == CM_OK)
        status = cm_fortran_lower_array(&routing->lowering, (*array)->machine, &target, &number);
    if (status == CM_OK)
        cm_expression_assign(routing->lowering.graph, number, node, 0);
    return status;
}

static uint32_t with_number(struct cm_expression *graph, enum cm_expression_op op, uint32_t node,
                            uint64_t number)
{
    uint32_t constant = cm_expression_number(graph, CM_TYPE_INT32, (double)number);
    return cm_expression_node(graph, op, node, constant, 0);
}

/* Returns the axis at position `i` of an order of axes, in which the first axis varies fastest. If
 * `order` is NULL, axis 0 is first. */
static uint32_t axis_at(const int32_t *order, uint32_t i)
{
    return order != NULL ? (uint32_t)order[i] - 1 : i;
}

/* Adds a graph node for the number, from 0, that each element has if the axes vary in the given
 * order. */
static uint32_t number_of(struct cm_expression *graph, const struct cm_fortran_array *array,
                          const int32_t *order)
{
    uint32_t node = 0;
    uint64_t stride = 1;
    for (uint32_t i = 0; i < array->rank; i++) {
        uint32_t axis = axis_at(order, i);
        uint32_t index = cm_expression_index(graph, axis);
        index = with_number(graph, CM_EXPRESSION_SUBTRACT, index, 1);
        if (stride != 1)
            index = with_number(graph, CM_EXPRESSION_MULTIPLY, index, stride);
        node = i == 0 ? index : cm_expression_node(graph, CM_EXPRESSION_ADD, node, index, 0);
        stride *= array->extent[axis];
    }
    return node;
}

/* Makes arrays with the subscripts, from 1, of the element of `array` whose number is the value of
 * `node`. */
static enum cm_status make_subscripts(struct routing *routing, uint32_t node,
                                      const struct cm_fortran_array *array, const int32_t *order)
{
    struct cm_expression *graph = routing->lowering.graph;
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; i < array->rank && status == CM_OK; i++) {
        uint32_t axis = axis_at(order, i), at = node;
        if (i + 1 < array->rank) {
            at = with_number(graph, CM_EXPRESSION_MOD, node, array->extent[axis]);
            node = with_number(graph, CM_EXPRESSION_DIVIDE, node, array->extent[axis]);
        }
        at = with_number(graph, CM_EXPRESSION_ADD, at, 1);
        status = assign(routing, CM_TYPE_INT32, at, &routing->subscripts[axis]);
    }
    return status;
}

static enum cm_status refuse(const struct cm_fortran_transform *transform, const char *why)
{
    return cm_error_set(transform->run->err, CM_BAD_INPUT, "%s", why);
}

/* ---- RESHAPE ---- */

/* Sends each element of the source to the element of the result with the same number. */
static enum cm_status send_source(struct cm_fortran_transform *transform, const int32_t *order)
{
    struct cm_fortran_array *source = transform->args[0], *value = transform->value;
    struct routing routing;
    enum cm_status status = routing_begin(&routing, transform->run, source);
    struct cm_expression *graph = routing.lowering.graph;
    uint32_t node = status == CM_OK ? number_of(graph, source, NULL) : 0;
    if (status == CM_OK)
        status = make_subscripts(&routing, node, value, order);
    if (status == CM_OK && source->elements > value->elements) {
        uint32_t inside = with_number(graph, CM_EXPRESSION_LESS, node, value->elements);
        status = assign(&routing, CM_TYPE_LOGICAL, inside, &routing.mask);
    }
    if (status == CM_OK)
        status = cm_fortran_lowering_run(&routing.lowering);
    if (status == CM_OK)
        status = cm_fortran_transfer(transform->run, CM_GATHER_SEND, source, value,
                                     routing.subscripts, routing.mask);
    routing_end(&routing);
    return status;
}

/* Fetches the result's elements that are beyond the source's length from PAD, which is repeated as
 * often as needed. */
static enum cm_status get_pad(struct cm_fortran_transform *transform, const int32_t *order)
{
    struct cm_fortran_array *value = transform->value, *pad = transform->args[2];
    uint64_t first = transform->args[0]->elements;
    struct routing routing;
    enum cm_status status = routing_begin(&routing, transform->run, value);
    if (status == CM_OK) {
        struct cm_expression *graph = routing.lowering.graph;
        uint32_t node = number_of(graph, value, order);
        uint32_t behind = with_number(graph, CM_EXPRESSION_GREATER_EQUAL, node, first);
        node = with_number(graph, CM_EXPRESSION_SUBTRACT, node, first);
        node = with_number(graph, CM_EXPRESSION_MOD, node, pad->elements);
        status = make_subscripts(&routing, node, pad, NULL);
        if (status == CM_OK)
            status = assign(&routing, CM_TYPE_LOGICAL, behind, &routing.mask);
    }
    if (status == CM_OK)
        status = cm_fortran_lowering_run(&routing.lowering);
    if (status == CM_OK)
        status = cm_fortran_transfer(transform->run, CM_GATHER_GET, pad, value, routing.subscripts,
                                     routing.mask);
    routing_end(&routing);
    return status;
}

/* Finds the order of the axes, which is NULL for the usual order. Returns false if the argument
 * ORDER is not a permutation. */
static bool find_order(const struct cm_fortran_transform *transform, const int32_t **order)
{
    const struct cm_fortran_array *array = transform->args[3];
    uint32_t rank = transform->call->rank, seen = 0;
    *order = array != NULL ? array->host : NULL;
    if (array != NULL && array->elements != rank)
        return false;
    for (uint32_t i = 0; *order != NULL && i < rank; i++) {
        int32_t dim = (*order)[i];
        if (dim < 1 || (uint32_t)dim > rank || (seen >> dim & 1) != 0)
            return false;
        seen |= UINT32_C(1) << dim;
    }
    return true;
}

enum cm_status cm_fortran_transform_reshape(struct cm_fortran_transform *transform)
{
    const struct cm_fortran_array *source = transform->args[0], *shape = transform->args[1];
    const struct cm_fortran_array *pad = transform->args[2];
    uint64_t extent[CM_RANK_MAX], elements = 1;
    const int32_t *order;
    if (shape->elements != transform->call->rank || !find_order(transform, &order))
        return refuse(transform, "SHAPE and ORDER do not fit");
    for (uint32_t i = 0; i < transform->call->rank; i++) {
        int32_t wanted = ((const int32_t *)shape->host)[i];
        extent[i] = wanted > 0 ? (uint64_t)wanted : 0;
        if (elements > INT32_MAX || extent[i] == 0)
            return refuse(transform, "RESHAPE makes no elements");
        elements *= extent[i];
    }
    if (elements > INT32_MAX || source->elements > INT32_MAX)
        return refuse(transform, "more elements than 32 bits can number");
    if (source->elements < elements && pad == NULL)
        return refuse(transform, "RESHAPE needs PAD");
    enum cm_status status = cm_fortran_transform_result(transform, transform->call->rank, extent);
    if (status == CM_OK)
        status = send_source(transform, order);
    return status == CM_OK && source->elements < elements ? get_pad(transform, order) : status;
}

/* ---- numbers of true elements ---- */

static enum cm_status collective(struct cm_fortran_run *run, const struct cm_collective_task *task,
                                 const struct cm_collective_arrays *arrays,
                                 struct cm_collective_value *value)
{
    struct cm_collective *made;
    enum cm_status status = cm_fortran_find_collective(run, task, &made);
    return status == CM_OK ? cm_collective_call(run->system, made, arrays, value, run->err)
                           : status;
}

/* Computes sum = sum + more, for arrays with the same placement. If `more` is NULL, sets `sum` to 1
 * where `mask` is true, and to 0 elsewhere. */
static enum cm_status elementwise(struct cm_fortran_run *run, struct cm_fortran_array *sum,
                                  const struct cm_fortran_array *more,
                                  const struct cm_fortran_array *mask)
{
    struct cm_fortran_section model;
    struct cm_fortran_lowering lowering = {.run = run, .model = &model};
    uint32_t a, b, target, number;
    cm_fortran_section_of_all(sum, &model);
    enum cm_status status = cm_fortran_lowering_begin(&lowering);
    if (status == CM_OK)
        status = cm_fortran_lower_array(&lowering, sum->machine, &a, &target);
    if (status == CM_OK)
        status = cm_fortran_lower_array(&lowering, more != NULL ? more->machine : mask->machine, &b,
                                        &number);
    if (status == CM_OK) {
        struct cm_expression *graph = lowering.graph;
        uint32_t node = more != NULL
                            ? cm_expression_node(graph, CM_EXPRESSION_ADD, a, b, 0)
                            : cm_expression_node(graph, CM_EXPRESSION_MERGE,
                                                 cm_expression_number(graph, CM_TYPE_INT32, 1),
                                                 cm_expression_number(graph, CM_TYPE_INT32, 0), b);
        cm_expression_assign(graph, target, node, 0);
        status = cm_fortran_lowering_run(&lowering);
    }
    cm_fortran_lowering_end(&lowering);
    return status;
}

/* Adds to `ranks` the number of true elements in earlier lines along `axis`. On entry, each line
 * along the axes before `axis - 1` has its number of true elements in `counts`. On return, axis
 * `axis - 1` is included in the sums. */
static enum cm_status add_axis(struct cm_fortran_run *run, uint32_t axis,
                               struct cm_fortran_array *counts, struct cm_fortran_array *before,
                               struct cm_fortran_array *ranks)
{
    struct cm_collective_task task = {.kind = CM_COLLECTIVE_REDUCE,
                                      .op = CM_COLLECTIVE_SUM,
                                      .layout = counts->machine->layout,
                                      .axis = axis - 1,
                                      .place = CM_COLLECTIVE_ALL};
    struct cm_collective_arrays arrays = {.dst = counts->machine, .src = counts->machine};
    enum cm_status status = collective(run, &task, &arrays, NULL);
    task = (struct cm_collective_task){.kind = CM_COLLECTIVE_SCAN,
                                       .op = CM_COLLECTIVE_SUM,
                                       .layout = counts->machine->layout,
                                       .axis = axis,
                                       .exclusive = true};
    arrays.dst = before->machine;
    if (status == CM_OK)
        status = collective(run, &task, &arrays, NULL);
    return status == CM_OK ? elementwise(run, ranks, before, NULL) : status;
}

/* Computes the number, from 1, of each true element of the mask among all its true elements. */
static enum cm_status find_ranks(struct cm_fortran_run *run, const struct cm_fortran_array *mask,
                                 struct cm_fortran_array *counts, struct cm_fortran_array *before,
                                 struct cm_fortran_array *ranks)
{
    struct cm_collective_task task = {.kind = CM_COLLECTIVE_SCAN,
                                      .op = CM_COLLECTIVE_SUM,
                                      .layout = counts->machine->layout,
                                      .axis = 0};
    struct cm_collective_arrays arrays = {.dst = ranks->machine, .src = counts->machine};
    enum cm_status status = elementwise(run, counts, NULL, mask);
    if (status == CM_OK)
        status = collective(run, &task, &arrays, NULL);
    for (uint32_t axis = 1; axis < mask->rank && status == CM_OK; axis++)
        status = add_axis(run, axis, counts, before, ranks);
    return status;
}

static enum cm_status rank_elements(struct cm_fortran_run *run, const struct cm_fortran_array *mask,
                                    struct cm_fortran_array **ranks)
{
    struct cm_fortran_array *counts = NULL, *before = NULL;
    enum cm_status status = cm_fortran_array_like(run, mask, CM_TYPE_INT32, ranks);
    if (status == CM_OK)
        status = cm_fortran_array_like(run, mask, CM_TYPE_INT32, &counts);
    if (status == CM_OK && mask->rank > 1)
        status = cm_fortran_array_like(run, mask, CM_TYPE_INT32, &before);
    if (status == CM_OK)
        status = find_ranks(run, mask, counts, before, *ranks);
    cm_fortran_array_destroy(run, counts);
    cm_fortran_array_destroy(run, before);
    return status;
}

/* Counts the true elements of a mask. */
static enum cm_status count(struct cm_fortran_run *run, const struct cm_fortran_array *mask,
                            uint64_t *elements)
{
    struct cm_collective_task task = {.kind = CM_COLLECTIVE_REDUCE,
                                      .op = CM_COLLECTIVE_COUNT,
                                      .layout = mask->machine->layout,
                                      .axis = CM_COLLECTIVE_WHOLE};
    struct cm_collective_arrays arrays = {.src = mask->machine};
    struct cm_collective_value value = {0};
    enum cm_status status = collective(run, &task, &arrays, &value);
    *elements = value.bits.words[0];
    return status;
}

/* ---- PACK and UNPACK ---- */

/* Copies the argument VECTOR to the result. Packed elements then replace its first elements. */
static enum cm_status copy_vector(struct cm_fortran_transform *transform)
{
    struct cm_fortran_section from, to;
    cm_fortran_section_of_all(transform->args[2], &from);
    cm_fortran_section_of_all(transform->value, &to);
    return cm_fortran_route(transform->run, &from, &to);
}

enum cm_status cm_fortran_transform_pack(struct cm_fortran_transform *transform)
{
    struct cm_fortran_run *run = transform->run;
    struct cm_fortran_array *mask = transform->args[1], *vector = transform->args[2];
    struct cm_fortran_array *ranks = NULL;
    uint64_t taken, extent;
    if (mask->elements > INT32_MAX)
        return refuse(transform, "more elements than 32 bits can number");
    enum cm_status status = count(run, mask, &taken);
    extent = vector != NULL ? vector->elements : taken;
    if (status != CM_OK)
        return status;
    if (taken > extent)
        return refuse(transform, "VECTOR has too few elements");
    if (extent == 0)
        return cm_fortran_array_host(run, (enum cm_type)transform->call->type, 1, &extent,
                                     &transform->value);
    status = cm_fortran_transform_result(transform, 1, &extent);
    if (status == CM_OK && taken < extent)
        status = copy_vector(transform);
    if (status == CM_OK && taken > 0)
        status = rank_elements(run, mask, &ranks);
    if (status == CM_OK && taken > 0)
        status = cm_fortran_transfer(run, CM_GATHER_SEND, transform->args[0], transform->value,
                                     &ranks, mask);
    cm_fortran_array_destroy(run, ranks);
    return status;
}

enum cm_status cm_fortran_transform_unpack(struct cm_fortran_transform *transform)
{
    struct cm_fortran_run *run = transform->run;
    struct cm_fortran_array *mask = transform->args[1], *ranks = NULL;
    uint64_t taken;
    if (mask->elements > INT32_MAX)
        return refuse(transform, "more elements than 32 bits can number");
    enum cm_status status = count(run, mask, &taken);
    if (status == CM_OK && taken > transform->args[0]->elements)
        status = refuse(transform, "VECTOR has too few elements");
    if (status == CM_OK && taken > 0)
        status = rank_elements(run, mask, &ranks);
    if (status == CM_OK && taken > 0)
        status = cm_fortran_transfer(run, CM_GATHER_GET, transform->args[0], transform->args[2],
                                     &ranks, mask);
    cm_fortran_array_destroy(run, ranks);
    if (status != CM_OK)
        return status;
    transform->value = transform->args[2];
    transform->args[2] = NULL;
    transform->owned[2] = false;
    return CM_OK;
}
