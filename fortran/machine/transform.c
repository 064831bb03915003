/*
 * Computes functions that change the shape of their arguments: TRANSPOSE, MATMUL, SPREAD,
 * reductions along a dimension, MAXLOC and MINLOC, RESHAPE, PACK and UNPACK.
 *
 * Arguments are first evaluated into arrays on the machine, except SHAPE, ORDER and scalars. Then
 * the communication library computes the function (axis.c, pack.c). If the library refuses, the
 * front end computes the function from copies of the same arguments, so that no argument is
 * evaluated twice.
 */
#include "transform.h"

bool cm_fortran_is_resident(struct cm_fortran_run *run,
                            const struct cm_fortran_expression *expression)
{
    if (expression == NULL || expression->rank == 0)
        return false;
    if (expression->kind == CM_FORTRAN_VARIABLE || expression->kind == CM_FORTRAN_SECTION) {
        const struct cm_fortran_array *array =
            cm_fortran_binding_of(run, expression->variable)->array;
        return array != NULL && cm_fortran_on_machine(array);
    }
    if (expression->kind != CM_FORTRAN_OPERATION && expression->kind != CM_FORTRAN_CONVERT &&
        expression->kind != CM_FORTRAN_INTRINSIC)
        return false;
    for (uint32_t i = 0; i < expression->count; i++)
        if (cm_fortran_is_resident(run, expression->args[i]))
            return true;
    return false;
}

/* ---- arguments ---- */

/* Replaces an array in the front end by a copy on the machine, unless it has no elements. */
static enum cm_status move_to_machine(struct cm_fortran_run *run, struct cm_fortran_array **array)
{
    struct cm_fortran_array *host = *array, *made = NULL;
    if (cm_fortran_on_machine(host) || host->elements == 0)
        return CM_OK;
    enum cm_status status =
        cm_fortran_array_plain(run, host->type, host->rank, host->extent, &made);
    if (status == CM_OK)
        status = cm_fortran_array_replace(run, made, host->host, host->elements);
    if (status != CM_OK) {
        cm_fortran_array_destroy(run, made);
        return status;
    }
    cm_fortran_array_destroy(run, host);
    *array = made;
    return CM_OK;
}

/* Evaluates an expression that has an operand on the machine. The result has the operand's
 * placement if the operand is a whole array, and otherwise the layout of an array without a
 * directive. A view is not a whole array. */
static enum cm_status evaluate(struct cm_fortran_run *run, const struct cm_fortran_section *operand,
                               const struct cm_fortran_expression *expression,
                               struct cm_fortran_array **array)
{
    struct cm_fortran_section model;
    struct cm_fortran_array *plain;
    if (operand->view == NULL && cm_fortran_section_is_whole(operand))
        return cm_fortran_evaluate_at(run, operand, expression, array);
    enum cm_status status = cm_fortran_array_plain(run, (enum cm_type)expression->type,
                                                   operand->rank, operand->extent, &plain);
    if (status != CM_OK)
        return status;
    cm_fortran_section_of_all(plain, &model);
    status = cm_fortran_evaluate_at(run, &model, expression, array);
    cm_fortran_array_destroy(run, plain);
    return status;
}

enum cm_status cm_fortran_find_operand(struct cm_fortran_run *run,
                                       const struct cm_fortran_expression *expression,
                                       struct cm_fortran_array **array, bool *owned)
{
    struct cm_fortran_section operand;
    bool found = false;
    enum cm_status status;
    *array = NULL;
    *owned = false;
    if (expression->kind == CM_FORTRAN_VARIABLE && cm_fortran_is_resident(run, expression))
        return cm_fortran_array_of(run, expression->variable, expression->place, array);
    *owned = true;
    status = cm_fortran_find_model(run, expression, &operand, &found);
    if (status == CM_OK && found) {
        status = evaluate(run, &operand, expression, array);
        cm_fortran_section_finish(&operand);
        return status;
    }
    if (status == CM_OK)
        status = cm_fortran_machine_transform(run, expression, NULL, array);
    if (status == CM_OK && *array == NULL)
        status = cm_fortran_host_value(run, expression, array);
    return status == CM_OK ? move_to_machine(run, array) : status;
}

/* Evaluates a mask into an array with the placement of the array that it masks. FIELD of UNPACK
 * gets the placement of the mask. A mask for an array without elements stays in the front end. */
static enum cm_status find_mask(struct cm_fortran_transform *transform, uint32_t number)
{
    const struct cm_fortran_expression *mask = transform->call->args[number];
    struct cm_fortran_array *array =
        transform->args[transform->call->intrinsic == CM_FORTRAN_UNPACK ? 1 : 0];
    struct cm_fortran_section model;
    transform->owned[number] = true;
    if (!cm_fortran_on_machine(array))
        return cm_fortran_host_value(transform->run, mask, &transform->args[number]);
    cm_fortran_section_of_all(array, &model);
    return cm_fortran_evaluate_at(transform->run, &model, mask, &transform->args[number]);
}

static bool is_mask(const struct cm_fortran_expression *call, uint32_t number)
{
    bool locates = call->intrinsic == CM_FORTRAN_MAXLOC || call->intrinsic == CM_FORTRAN_MINLOC;
    if (call->intrinsic == CM_FORTRAN_PACK || call->intrinsic == CM_FORTRAN_UNPACK)
        return number == (call->intrinsic == CM_FORTRAN_PACK ? 1 : 2);
    return cm_fortran_collective_op(call->intrinsic) != CM_COLLECTIVE_OPS &&
           number == (locates ? 1 : 2);
}

/* Returns true for an argument that only the front end reads: a scalar, or SHAPE or ORDER of
 * RESHAPE. */
static bool is_of_front_end(const struct cm_fortran_expression *call, uint32_t number)
{
    return call->args[number]->rank == 0 ||
           (call->intrinsic == CM_FORTRAN_RESHAPE && number % 2 == 1);
}

/* Finds the section on the machine that SPREAD copies, without a copy of its elements. */
static enum cm_status find_source(struct cm_fortran_transform *transform)
{
    const struct cm_fortran_expression *source = transform->call->args[0];
    if (transform->call->intrinsic != CM_FORTRAN_SPREAD || source->kind != CM_FORTRAN_SECTION ||
        !cm_fortran_is_resident(transform->run, source))
        return CM_OK;
    enum cm_status status = cm_fortran_section_find(transform->run, source, &transform->source);
    transform->has_source = status == CM_OK && transform->source.elements > 0 &&
                            !cm_fortran_section_has_vector(&transform->source);
    if (transform->has_source)
        transform->args[0] = transform->source.array;
    else if (status == CM_OK)
        cm_fortran_section_finish(&transform->source);
    return status;
}

static enum cm_status find_argument(struct cm_fortran_transform *transform, uint32_t number)
{
    const struct cm_fortran_expression *call = transform->call;
    if (is_mask(call, number))
        return find_mask(transform, number);
    if (!is_of_front_end(call, number))
        return cm_fortran_find_operand(transform->run, call->args[number], &transform->args[number],
                                       &transform->owned[number]);
    transform->owned[number] = true;
    return cm_fortran_host_value(transform->run, call->args[number], &transform->args[number]);
}

static enum cm_status find_arguments(struct cm_fortran_transform *transform)
{
    const struct cm_fortran_expression *call = transform->call;
    enum cm_status status = find_source(transform);
    for (uint32_t i = 0; i < call->count && status == CM_OK; i++) {
        struct cm_fortran_selection selection;
        if (call->args[i] == NULL || transform->args[i] != NULL)
            continue;
        status = cm_fortran_selection_begin(transform->run, call, i, &selection);
        if (status == CM_OK)
            status = find_argument(transform, i);
        cm_fortran_selection_end(transform->run, &selection);
    }
    return status;
}

/* ---- functions ---- */

enum cm_status cm_fortran_transform_result(struct cm_fortran_transform *transform, uint32_t rank,
                                           const uint64_t *extent)
{
    const struct cm_fortran_section *model = transform->model;
    enum cm_type type = (enum cm_type)transform->call->type;
    bool same = model != NULL && model->view == NULL && cm_fortran_section_is_whole(model) &&
                model->array->rank == rank;
    for (uint32_t i = 0; same && i < rank; i++)
        same = model->array->extent[i] == extent[i];
    return same ? cm_fortran_array_like(transform->run, model->array, type, &transform->value)
                : cm_fortran_array_plain(transform->run, type, rank, extent, &transform->value);
}

static enum cm_status transpose(struct cm_fortran_transform *transform)
{
    struct cm_fortran_run *run = transform->run;
    const struct cm_fortran_array *source = transform->args[0];
    uint64_t extent[2] = {source->extent[1], source->extent[0]};
    struct cm_transpose *made;
    enum cm_status status = cm_fortran_transform_result(transform, 2, extent);
    if (status != CM_OK)
        return status;
    struct cm_transpose_task task = {
        .src = source->machine->layout, .dst = transform->value->machine->layout, .axes = {0, 1}};
    status = cm_fortran_find_transpose(run, &task, &made);
    return status == CM_OK ? cm_transpose_call(run->system, made, transform->value->machine,
                                               source->machine, run->err)
                           : status;
}

static enum cm_status matmul(struct cm_fortran_transform *transform)
{
    struct cm_fortran_run *run = transform->run;
    const struct cm_fortran_array *a = transform->args[0], *b = transform->args[1];
    struct cm_matmul *made;
    if (a->extent[a->rank - 1] != b->extent[0] || a->type != b->type)
        return cm_error_set(run->err, CM_BAD_INPUT, "the shapes do not fit");
    if (a->rank == 1 || b->rank == 1)
        return cm_fortran_transform_vector(transform);
    uint64_t extent[2] = {a->extent[0], b->extent[1]};
    enum cm_status status = cm_fortran_transform_result(transform, 2, extent);
    if (status != CM_OK)
        return status;
    struct cm_matmul_task task = {
        .a = a->machine->layout, .b = b->machine->layout, .c = transform->value->machine->layout};
    status = cm_fortran_find_matmul(run, &task, &made);
    return status == CM_OK ? cm_matmul_call(run->system, made, transform->value->machine,
                                            a->machine, b->machine, run->err)
                           : status;
}

static enum cm_status compute(struct cm_fortran_transform *transform)
{
    switch (transform->call->intrinsic) {
    case CM_FORTRAN_TRANSPOSE:
        return transpose(transform);
    case CM_FORTRAN_MATMUL:
        return matmul(transform);
    case CM_FORTRAN_SPREAD:
        return cm_fortran_transform_spread(transform);
    case CM_FORTRAN_MAXLOC:
    case CM_FORTRAN_MINLOC:
        return cm_fortran_transform_locate(transform);
    case CM_FORTRAN_RESHAPE:
        return cm_fortran_transform_reshape(transform);
    case CM_FORTRAN_PACK:
        return cm_fortran_transform_pack(transform);
    case CM_FORTRAN_UNPACK:
        return cm_fortran_transform_unpack(transform);
    default:
        return cm_fortran_transform_reduce(transform);
    }
}

/* ---- the call ---- */

static bool is_for_machine(struct cm_fortran_run *run, const struct cm_fortran_expression *call)
{
    if (call->kind != CM_FORTRAN_INTRINSIC || call->rank == 0 || call->count == 0 ||
        call->count > CM_FORTRAN_TRANSFORM_ARGUMENTS)
        return false;
    bool any = call->intrinsic == CM_FORTRAN_MATMUL || call->intrinsic == CM_FORTRAN_PACK ||
               call->intrinsic == CM_FORTRAN_UNPACK;
    if (!cm_fortran_is_resident(run, call->args[0]) &&
        (!any || !cm_fortran_is_resident(run, call->args[1])))
        return false;
    return any || call->intrinsic == CM_FORTRAN_TRANSPOSE || call->intrinsic == CM_FORTRAN_SPREAD ||
           call->intrinsic == CM_FORTRAN_RESHAPE ||
           (cm_fortran_collective_op(call->intrinsic) != CM_COLLECTIVE_OPS &&
            call->intrinsic != CM_FORTRAN_DOT_PRODUCT);
}

/* Computes the function on the machine. Sets *done to false if an argument is not on the machine,
 * or if the communication library refuses. */
static enum cm_status attempt(struct cm_fortran_transform *transform, bool *done)
{
    struct cm_fortran_attempt attempt;
    *done = false;
    for (uint32_t i = 0; i < CM_FORTRAN_TRANSFORM_ARGUMENTS; i++)
        if (transform->args[i] != NULL && !is_of_front_end(transform->call, i) &&
            !cm_fortran_on_machine(transform->args[i]))
            return CM_OK;
    cm_fortran_attempt_begin(transform->run, &attempt);
    enum cm_status status = compute(transform);
    status = cm_fortran_attempt_end(transform->run, &attempt, status, done);
    if (!*done) {
        cm_fortran_array_destroy(transform->run, transform->value);
        transform->value = NULL;
    }
    return status;
}

/* Computes the function in the front end, from copies of the arguments that were evaluated for the
 * machine. */
static enum cm_status in_front_end(struct cm_fortran_transform *transform)
{
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; i < CM_FORTRAN_TRANSFORM_ARGUMENTS && status == CM_OK; i++) {
        struct cm_fortran_array *array = transform->args[i], *copy;
        if (array == NULL || !cm_fortran_on_machine(array))
            continue;
        status = i == 0 && transform->has_source
                     ? cm_fortran_host_value(transform->run, transform->call->args[0], &copy)
                     : cm_fortran_array_copy(transform->run, array, array->elements, &copy);
        if (status != CM_OK)
            break;
        if (transform->owned[i])
            cm_fortran_array_destroy(transform->run, array);
        transform->args[i] = copy;
        transform->owned[i] = true;
    }
    return status == CM_OK ? cm_fortran_host_intrinsic(transform->run, transform->call,
                                                       transform->args, &transform->value)
                           : status;
}

enum cm_status cm_fortran_machine_transform(struct cm_fortran_run *run,
                                            const struct cm_fortran_expression *call,
                                            const struct cm_fortran_section *model,
                                            struct cm_fortran_array **value)
{
    struct cm_fortran_transform transform = {.run = run, .call = call, .model = model};
    bool done = false;
    *value = NULL;
    if (!is_for_machine(run, call))
        return CM_OK;
    enum cm_status status = find_arguments(&transform);
    if (status == CM_OK)
        status = attempt(&transform, &done);
    if (status == CM_OK && !done)
        status = in_front_end(&transform);
    for (uint32_t i = 0; i < CM_FORTRAN_TRANSFORM_ARGUMENTS; i++)
        if (transform.owned[i])
            cm_fortran_array_destroy(run, transform.args[i]);
    cm_fortran_section_finish(&transform.source);
    if (status == CM_OK)
        *value = transform.value;
    else
        cm_fortran_array_destroy(run, transform.value);
    return status;
}
