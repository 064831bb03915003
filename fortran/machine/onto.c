/*
 * Shifts arrays in place, that is onto themselves, as in A = CSHIFT(A, ...) and A = B + 2 *
 * CSHIFT(A, ...).
 *
 * If a statement reads the array that it assigns only through one shift, the array is shifted in
 * place before the rest of the statement reads it. This takes node memory for the elements that
 * move to other nodes, and not for a copy of the array. A shift of a shift is executed step by
 * step.
 *
 * Level 0 always shifts in place. Level 1 does, unless a PSHIFT with other shifts of the group may
 * save more cycles than the copy takes. Level 2 reads operands in place by halos, which takes fewer
 * cycles. So level 2 shifts in place only in padded layouts, or if halos may not be possible and
 * node memory has no room for another array.
 */
#include "machine.h"

#include <stdlib.h>

#define MANY 2u /* stands for two or more references, or for an unknown number */

bool cm_fortran_is_shift(const struct cm_fortran_expression *expression)
{
    return expression->kind == CM_FORTRAN_INTRINSIC &&
           (expression->intrinsic == CM_FORTRAN_CSHIFT ||
            expression->intrinsic == CM_FORTRAN_EOSHIFT);
}

bool cm_fortran_is_array(struct cm_fortran_run *run, const struct cm_fortran_expression *expression,
                         const struct cm_array *array)
{
    const struct cm_fortran_array *found = cm_fortran_binding_of(run, expression->variable)->array;
    return found != NULL && cm_fortran_on_machine(found) &&
           found->machine->address == array->address;
}

/* Counts the references of an expression to an array, up to MANY. A function of the program may
 * read any array, and integer divisors are read a second time to find zeros. */
static uint32_t count_references(struct cm_fortran_run *run,
                                 const struct cm_fortran_expression *expression,
                                 const struct cm_array *array)
{
    uint32_t count = 0;
    switch (expression->kind) {
    case CM_FORTRAN_CALL:
    case CM_FORTRAN_LIBRARY:
    case CM_FORTRAN_PROCEDURE:
    case CM_FORTRAN_IMPLIED_DO:
        return MANY;
    case CM_FORTRAN_VARIABLE:
        return expression->rank > 0 && cm_fortran_is_array(run, expression, array);
    case CM_FORTRAN_ELEMENT:
    case CM_FORTRAN_SECTION:
        count = cm_fortran_is_array(run, expression, array) ? MANY : 0;
        break;
    default:
        count = cm_fortran_divides(expression) && expression->args[1]->rank > 0 ? MANY : 0;
        break;
    }
    for (uint32_t i = 0; i < expression->count && count < MANY; i++)
        if (expression->args[i] != NULL)
            count += count_references(run, expression->args[i], array);
    return count;
}

/* Returns true for a shift, or a chain of nested shifts, of the whole array, all with scalar
 * arguments. */
static bool is_chain(struct cm_fortran_run *run, const struct cm_fortran_expression *expression,
                     const struct cm_array *array)
{
    while (cm_fortran_is_shift(expression) && cm_fortran_has_scalar_arguments(expression)) {
        expression = expression->args[0];
        if (expression->kind == CM_FORTRAN_VARIABLE)
            return cm_fortran_is_array(run, expression, array);
    }
    return false;
}

/* Returns true for an operation that the machine executes element by element. */
static bool is_elementwise(const struct cm_fortran_expression *expression)
{
    switch (expression->kind) {
    case CM_FORTRAN_CONVERT:
        return true;
    case CM_FORTRAN_OPERATION:
        return cm_fortran_graph_has(expression);
    case CM_FORTRAN_INTRINSIC:
        return cm_fortran_intrinsic_class(expression->intrinsic) == CM_FORTRAN_CLASS_ELEMENTAL &&
               cm_fortran_graph_has(expression);
    default:
        return false;
    }
}

/* Finds a chain of shifts of the array among the operands of elementwise operations. Returns NULL
 * if no operand is such a chain. */
static const struct cm_fortran_expression *
find_chain(struct cm_fortran_run *run, const struct cm_fortran_expression *expression,
           const struct cm_array *array)
{
    const struct cm_fortran_expression *found = NULL;
    if (is_chain(run, expression, array))
        return expression;
    if (!is_elementwise(expression))
        return NULL;
    for (uint32_t i = 0; i < expression->count && found == NULL; i++)
        if (expression->args[i] != NULL && expression->args[i]->rank > 0)
            found = find_chain(run, expression->args[i], array);
    return found;
}

/* Sets *is_short to true if node memory has no room for another array like `model`. */
static enum cm_status is_memory_short(struct cm_fortran_run *run,
                                      const struct cm_fortran_array *model, bool *is_short)
{
    struct cm_fortran_array *made = NULL;
    struct cm_error refusal = {0}, *outer = run->err;
    run->err = &refusal;
    enum cm_status status = cm_fortran_array_like(run, model, model->type, &made);
    run->err = outer;
    cm_fortran_array_destroy(run, made);
    *is_short = status == CM_BAD_INPUT;
    return *is_short || status == CM_OK ? CM_OK : cm_fortran_no_memory(run);
}

/* Returns an upper bound of the cycles that a PSHIFT saves if it executes this shift together with
 * others: the cycles of this shift's exchanges and of its call. */
static uint64_t most_saved(const struct cm_config *config, const struct cm_layout *layout,
                           const struct cm_shift *shift)
{
    const struct cm_axis *axis = &layout->axes[shift->axis];
    const uint64_t length = axis->length, local = axis->local_length;
    const uint64_t apart = (uint64_t)llabs(shift->distance) % length;
    const uint64_t distance = apart > length / 2 ? length - apart : apart;
    const uint64_t crossing = distance < local ? distance : local;
    const uint64_t words = layout->local_words / local * crossing;
    const uint64_t channels = config->network_channels_per_dimension;
    /* an axis is in Gray code, so that at most two hops are needed */
    const uint64_t hops = axis->node_bits < 2 ? axis->node_bits : 2;
    return (words + channels - 1) / channels * hops * config->exchange_cycles +
           config->front_end_runtime_call_cycles + config->front_end_imp_start_cycles;
}

/* Sets *pays to true if a shift in place saves more cycles, by avoiding a copy, than a PSHIFT with
 * other shifts would save. */
static enum cm_status find_whether_it_pays(struct cm_fortran_lowering *lowering, bool *pays)
{
    const struct cm_config *config = cm_machine_config(cm_system_machine(lowering->run->system));
    const struct cm_layout *layout = &lowering->model->array->machine->layout;
    /* A PSHIFT alternates between the pages of its arrays, so that accesses meet page faults. */
    const uint64_t word = config->memory_load_cycles + config->memory_load_page_fault_cycles +
                          config->memory_store_cycles + config->memory_store_page_fault_cycles;
    const uint64_t copy = layout->local_words * word + config->front_end_imp_start_cycles;
    uint64_t saved = 0;
    for (const struct cm_fortran_expression *call = lowering->onto; cm_fortran_is_shift(call);
         call = call->args[0]) {
        struct cm_shift shift = {0};
        enum cm_status status = cm_fortran_find_step(lowering, call, &shift);
        if (status != CM_OK)
            return status;
        saved += most_saved(config, layout, &shift);
    }
    *pays = copy > saved;
    return CM_OK;
}

/* Sets *has to true if the chain is a single shift whose operand can be a halo reference. */
static enum cm_status find_whether_halos_do(struct cm_fortran_lowering *lowering, bool *has)
{
    const struct cm_layout *layout = &lowering->model->array->machine->layout;
    struct cm_stencil_pattern pattern = {.term_count = 1};
    struct cm_shift shift = {0};
    *has = !cm_fortran_is_shift(lowering->onto->args[0]) && layout->rank <= CM_STENCIL_RANK_MAX;
    if (!*has)
        return CM_OK;
    enum cm_status status = cm_fortran_find_step(lowering, lowering->onto, &shift);
    if (status != CM_OK)
        return status;
    pattern.boundaries[shift.axis] = shift.type;
    pattern.terms[0].offset[shift.axis] = shift.distance;
    if (shift.type == CM_SHIFT_CSHIFT)
        pattern.terms[0].offset[shift.axis] =
            cm_fortran_nearest(shift.distance, (int64_t)layout->axes[shift.axis].length);
    *has = cm_stencil_refusal(layout, &pattern) == NULL;
    return CM_OK;
}

enum cm_status cm_fortran_find_onto(struct cm_fortran_lowering *lowering,
                                    const struct cm_fortran_expression *value, bool joins)
{
    struct cm_fortran_run *run = lowering->run;
    const struct cm_fortran_section *target = lowering->model;
    bool is_wanted = true;
    enum cm_status status = CM_OK;
    lowering->onto = NULL;
    if (value->rank == 0 || !cm_fortran_section_is_whole(target) || target->view != NULL ||
        count_references(run, value, target->array->machine) != 1)
        return CM_OK;
    lowering->onto = find_chain(run, value, target->array->machine);
    if (lowering->onto == NULL)
        return CM_OK;
    if (run->options.level == 1 && joins)
        status = find_whether_it_pays(lowering, &is_wanted);
    if (run->options.level > 1)
        is_wanted = cm_layout_is_padded(&target->array->machine->layout);
    bool has_halos = false;
    if (status == CM_OK && !is_wanted && run->options.level > 1)
        status = find_whether_halos_do(lowering, &has_halos);
    if (status == CM_OK && !is_wanted && !has_halos)
        status = is_memory_short(run, target->array, &is_wanted);
    if (status != CM_OK || !is_wanted)
        lowering->onto = NULL;
    return status;
}
