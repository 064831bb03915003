/* Shifts of a statement's operands: CSHIFT, EOSHIFT, and sections at an offset. At level 0 each
 * shift is a call of the run-time library, as in code of the CM-200's compilers (section 5 of the
 * PSHIFT paper). */
#include "machine.h"

#include <string.h>

/* Shifts a source array into a new temporary array, `result`. */
static enum cm_status make_shift(struct cm_fortran_lowering *lowering, struct cm_shift *shift,
                                 struct cm_array **result)
{
    struct cm_fortran_array *made;
    enum cm_status status = cm_fortran_lower_temporary(lowering, shift->src->layout.type, &made);
    if (status != CM_OK)
        return status;
    *result = shift->dst = made->machine;
    lowering->run->single_shifts++;
    return cm_runtime_shift(lowering->run->system, shift, lowering->run->err);
}

/* Finds the array to shift. A variable with the model's placement is used directly. Another
 * expression is evaluated into a temporary array. */
static enum cm_status find_source(struct cm_fortran_lowering *lowering,
                                  const struct cm_fortran_expression *source,
                                  struct cm_array **array)
{
    struct cm_fortran_array *found;
    enum cm_status status;
    if (source->kind == CM_FORTRAN_VARIABLE) {
        status = cm_fortran_array_of(lowering->run, source->variable, source->place, &found);
        if (status != CM_OK || cm_fortran_same_placement(found, lowering->model->array)) {
            *array = status == CM_OK ? found->machine : NULL;
            return status;
        }
    }
    if (lowering->temporary_count == CM_EXPRESSION_ARRAYS_MAX)
        return cm_fortran_fail(lowering->run, source->place,
                               "the statement needs more than %u temporary arrays; split it",
                               CM_EXPRESSION_ARRAYS_MAX);
    status = cm_fortran_evaluate_at(lowering->run, lowering->model, source, &found);
    if (status == CM_OK) {
        lowering->temporaries[lowering->temporary_count++] = found;
        *array = found->machine;
    }
    return status;
}

static enum cm_status find_boundary(struct cm_fortran_lowering *lowering,
                                    const struct cm_fortran_expression *call,
                                    struct cm_shift *shift)
{
    union cm_fortran_value value = {0};
    if (call->intrinsic == CM_FORTRAN_CSHIFT) {
        shift->type = CM_SHIFT_CSHIFT;
        return CM_OK;
    }
    shift->type = CM_SHIFT_EOSHIFT_0;
    if (call->count < 4 || call->args[3] == NULL)
        return CM_OK;
    enum cm_type type = (enum cm_type)call->args[3]->type;
    enum cm_status status = cm_fortran_scalar(lowering->run, call->args[3], &value);
    shift->type = CM_SHIFT_EOSHIFT_SCALAR;
    if (type == CM_TYPE_LOGICAL)
        shift->boundary_scalar.words[0] = value.logical != 0;
    else
        memcpy(shift->boundary_scalar.words, &value, cm_type_host_bytes(type));
    return status;
}

enum cm_status cm_fortran_find_step(struct cm_fortran_lowering *lowering,
                                    const struct cm_fortran_expression *call,
                                    struct cm_shift *shift)
{
    int64_t dim;
    enum cm_status status = cm_fortran_integer(lowering->run, call->args[1], &dim);
    if (status == CM_OK && (dim < 1 || dim > call->rank))
        return cm_fortran_fail(lowering->run, call->args[1]->place,
                               "DIM is %d; the array has rank %u", (int)dim, call->rank);
    if (status == CM_OK)
        status = cm_fortran_integer(lowering->run, call->args[2], &shift->distance);
    if (status == CM_OK)
        status = find_boundary(lowering, call, shift);
    shift->axis = (uint32_t)dim - 1;
    return status;
}

enum cm_status cm_fortran_find_shift(struct cm_fortran_lowering *lowering,
                                     const struct cm_fortran_expression *call,
                                     struct cm_shift *shift)
{
    struct cm_array *array = NULL;
    enum cm_status status = cm_fortran_find_step(lowering, call, shift);
    if (status == CM_OK)
        status = find_source(lowering, call->args[0], &array);
    shift->src = array;
    return status;
}

bool cm_fortran_reads_in_place(const struct cm_fortran_lowering *lowering)
{
    return lowering->run->options.level > 1 || lowering->in_bands;
}

bool cm_fortran_has_scalar_arguments(const struct cm_fortran_expression *call)
{
    bool has_array_boundary = call->count > 3 && call->args[3] != NULL && call->args[3]->rank > 0;
    return call->args[2]->rank == 0 && !has_array_boundary;
}

static bool is_scalar_shift(const struct cm_fortran_expression *expression)
{
    return expression->kind == CM_FORTRAN_INTRINSIC &&
           (expression->intrinsic == CM_FORTRAN_CSHIFT ||
            expression->intrinsic == CM_FORTRAN_EOSHIFT) &&
           cm_fortran_has_scalar_arguments(expression);
}

/* Returns true if a circular shift of an expression equals the expression of shifted arrays, which
 * can be halo references: elementwise operations, at most `most` nested circular shifts, scalars,
 * and arrays with the model's placement. Divisors of integers are tested for zeros where they are,
 * so that they cannot be shifted. */
static bool is_shiftable(const struct cm_fortran_lowering *lowering,
                         const struct cm_fortran_expression *expression, uint32_t most)
{
    const enum cm_fortran_kind kind = expression->kind;
    if (expression->rank == 0)
        return true;
    if (kind == CM_FORTRAN_VARIABLE) {
        const struct cm_fortran_array *array =
            cm_fortran_binding_of(lowering->run, expression->variable)->array;
        return array != NULL && cm_fortran_same_placement(array, lowering->model->array);
    }
    const bool shifts = is_scalar_shift(expression) && expression->intrinsic == CM_FORTRAN_CSHIFT;
    const bool computes =
        kind == CM_FORTRAN_OPERATION ||
        (kind == CM_FORTRAN_INTRINSIC &&
         cm_fortran_intrinsic_class(expression->intrinsic) == CM_FORTRAN_CLASS_ELEMENTAL);
    bool can = kind == CM_FORTRAN_CONVERT || (shifts && most > 0) ||
               (computes && cm_fortran_graph_has(expression) && !cm_fortran_divides(expression));
    for (uint32_t i = 0; can && i < expression->count; i++)
        can = expression->args[i] == NULL ||
              is_shiftable(lowering, expression->args[i], most - shifts);
    return can;
}

/* Returns true if the steps are circular, and lowering->in_bands is true. */
static bool may_shift_arrays(const struct cm_fortran_lowering *lowering,
                             const struct cm_shift *steps, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (steps[i].type != CM_SHIFT_CSHIFT)
            return false;
    return lowering->in_bands;
}

enum cm_status cm_fortran_lower_shifted(struct cm_fortran_lowering *lowering,
                                        struct cm_array *array, uint32_t *node)
{
    return cm_fortran_lower_halo_reference(lowering, array, lowering->around,
                                           lowering->around_count, node);
}

/* Lowers an expression whose arrays are all shifted by `steps`. */
static enum cm_status lower_around(struct cm_fortran_lowering *lowering,
                                   const struct cm_fortran_expression *expression,
                                   const struct cm_shift *steps, uint32_t count, uint32_t *node)
{
    const struct cm_shift *outer = lowering->around;
    const uint32_t outer_count = lowering->around_count;
    lowering->around = steps;
    lowering->around_count = count;
    enum cm_status status = cm_fortran_lower(lowering, expression, node);
    lowering->around = outer;
    lowering->around_count = outer_count;
    return status;
}

/* Adds a graph node for a shift at level 2. Nested shifts of an array become one halo reference.
 * `steps` is filled from its end, because the outermost call is found first and executed last. */
static enum cm_status lower_steps(struct cm_fortran_lowering *lowering,
                                  const struct cm_fortran_expression *call, uint32_t *node)
{
    struct cm_shift steps[CM_FORTRAN_STEPS_MAX];
    const struct cm_fortran_expression *source = call;
    struct cm_array *array = NULL;
    uint32_t at = CM_FORTRAN_STEPS_MAX - lowering->around_count;
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; i < lowering->around_count; i++)
        steps[at + i] = lowering->around[i];
    do {
        steps[--at] = (struct cm_shift){.path = CM_PATH_EXCHANGE};
        status = cm_fortran_find_step(lowering, source, &steps[at]);
        source = source->args[0];
    } while (at > 0 && status == CM_OK && is_scalar_shift(source));
    if (status == CM_OK && source->kind != CM_FORTRAN_VARIABLE &&
        may_shift_arrays(lowering, &steps[at], CM_FORTRAN_STEPS_MAX - at) &&
        is_shiftable(lowering, source, at))
        return lower_around(lowering, source, &steps[at], CM_FORTRAN_STEPS_MAX - at, node);
    if (status == CM_OK)
        status = find_source(lowering, source, &array);
    return status == CM_OK ? cm_fortran_lower_halo_reference(lowering, array, &steps[at],
                                                             CM_FORTRAN_STEPS_MAX - at, node)
                           : status;
}

/* Shifts the model's array in place. Nested shifts are executed first. */
static enum cm_status shift_in_place(struct cm_fortran_lowering *lowering,
                                     const struct cm_fortran_expression *call)
{
    struct cm_array *array = lowering->model->array->machine;
    struct cm_shift shift = {.path = CM_PATH_EXCHANGE, .dst = array};
    enum cm_status status = CM_OK;
    if (call->args[0]->kind == CM_FORTRAN_INTRINSIC)
        status = shift_in_place(lowering, call->args[0]);
    if (status == CM_OK)
        status = cm_fortran_find_step(lowering, call, &shift);
    if (status != CM_OK)
        return status;
    shift.src = array;
    lowering->run->single_shifts++;
    return cm_runtime_shift(lowering->run->system, &shift, lowering->run->err);
}

enum cm_status cm_fortran_shift_onto(struct cm_fortran_lowering *lowering)
{
    return shift_in_place(lowering, lowering->onto);
}

enum cm_status cm_fortran_lower_shift(struct cm_fortran_lowering *lowering,
                                      const struct cm_fortran_expression *call, bool *done,
                                      uint32_t *node)
{
    struct cm_shift one = {.path = CM_PATH_EXCHANGE};
    uint32_t number;
    *done = lowering->whole && cm_fortran_has_scalar_arguments(call);
    if (!*done)
        return CM_OK;
    if (call == lowering->onto) {
        enum cm_status shifted = cm_fortran_shift_onto(lowering);
        return shifted == CM_OK ? cm_fortran_lower_array(lowering, lowering->model->array->machine,
                                                         node, &number)
                                : shifted;
    }
    if (cm_fortran_reads_in_place(lowering))
        return lower_steps(lowering, call, node);
    enum cm_status status = cm_fortran_find_shift(lowering, call, &one);
    if (status != CM_OK)
        return status;
    struct cm_array *array = cm_fortran_shifted(lowering, &one);
    if (array == NULL)
        status = make_shift(lowering, &one, &array);
    return status == CM_OK ? cm_fortran_lower_array(lowering, array, node, &number) : status;
}

/* Returns true if the section's subscripts are those of the model's section, plus an offset along
 * each axis. */
static bool is_parallel(const struct cm_fortran_section *section,
                        const struct cm_fortran_section *model, int64_t offset[CM_RANK_MAX])
{
    for (uint32_t i = 0; i < model->array->rank; i++) {
        const struct cm_fortran_range *a = &section->ranges[i], *b = &model->ranges[i];
        if (a->vector != NULL || a->dropped != b->dropped || a->count != b->count ||
            (a->count > 1 && a->stride != b->stride))
            return false;
        offset[i] = a->first - b->first;
    }
    return true;
}

/* Finds the shifts that move a section's elements to the subscripts of the model's elements.
 * Returns the number of shifts. */
static uint32_t find_steps(const struct cm_fortran_section *section, const int64_t *offset,
                           struct cm_shift *steps)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < section->array->rank; i++)
        if (offset[i] != 0)
            steps[count++] = (struct cm_shift){.type = CM_SHIFT_CSHIFT,
                                               .path = CM_PATH_EXCHANGE,
                                               .axis = i,
                                               .distance = offset[i]};
    return count;
}

bool cm_fortran_section_is_in_place(const struct cm_fortran_section *section,
                                    const struct cm_fortran_section *model)
{
    int64_t offset[CM_RANK_MAX];
    if (!is_parallel(section, model, offset))
        return false;
    for (uint32_t i = 0; i < model->array->rank; i++)
        if (offset[i] != 0)
            return false;
    return true;
}

enum cm_status cm_fortran_lower_part(struct cm_fortran_lowering *lowering,
                                     const struct cm_fortran_section *section, bool *done,
                                     uint32_t *node)
{
    struct cm_shift steps[CM_RANK_MAX];
    int64_t offset[CM_RANK_MAX];
    uint32_t number;
    enum cm_status status = CM_OK;
    *done = is_parallel(section, lowering->model, offset);
    struct cm_array *array = section->array->machine;
    const uint32_t count = *done ? find_steps(section, offset, steps) : 0;
    if (count > 0 && cm_fortran_reads_in_place(lowering))
        return cm_fortran_lower_halo_reference(lowering, array, steps, count, node);
    for (uint32_t i = 0; i < count && status == CM_OK; i++) {
        steps[i].src = array;
        status = make_shift(lowering, &steps[i], &array);
    }
    return status == CM_OK && *done ? cm_fortran_lower_array(lowering, array, node, &number)
                                    : status;
}
