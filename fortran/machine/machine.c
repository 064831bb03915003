/* Executes array statements on the machine: assignments, values of expressions, and masks of WHERE.
 * Each function brings its operands to the placement of the model, and runs one IMP (machine.h). */
#include "machine.h"

#include <stdlib.h>
#include <string.h>

bool cm_fortran_section_is_whole(const struct cm_fortran_section *section)
{
    for (uint32_t i = 0; i < section->array->rank; i++) {
        const struct cm_fortran_range *range = &section->ranges[i];
        bool all = range->count == section->array->extent[i] && range->vector == NULL &&
                   !range->dropped && range->first == 0 && range->stride == 1;
        if (!all)
            return false;
    }
    return true;
}

bool cm_fortran_section_has_vector(const struct cm_fortran_section *section)
{
    for (uint32_t i = 0; i < section->array->rank; i++)
        if (section->ranges[i].vector != NULL)
            return true;
    return false;
}

bool cm_fortran_section_is_all(const struct cm_fortran_section *section)
{
    for (uint32_t i = 0; i < section->array->rank; i++)
        if (section->ranges[i].count != section->array->extent[i] ||
            section->ranges[i].vector != NULL)
            return false;
    return true;
}

bool cm_fortran_same_placement(const struct cm_fortran_array *array,
                               const struct cm_fortran_array *model)
{
    if (!cm_fortran_on_machine(array) || !cm_fortran_on_machine(model))
        return false;
    struct cm_layout layout = array->machine->layout;
    const struct cm_layout *other = &model->machine->layout;
    layout.type = other->type;
    layout.slices = other->slices;
    layout.local_words = other->local_words;
    return cm_layout_equal(&layout, other);
}

enum cm_status cm_fortran_lowering_begin(struct cm_fortran_lowering *lowering)
{
    lowering->whole = cm_fortran_section_is_whole(lowering->model);
    return cm_fortran_lowering_next(lowering);
}

enum cm_status cm_fortran_lowering_next(struct cm_fortran_lowering *lowering)
{
    lowering->graph = cm_expression_create();
    if (lowering->graph == NULL)
        return cm_fortran_no_memory(lowering->run);
    lowering->imps[lowering->imp_count++] = lowering->graph;
    return CM_OK;
}

void cm_fortran_lowering_end(struct cm_fortran_lowering *lowering)
{
    for (uint32_t i = 0; i < lowering->temporary_count; i++)
        cm_fortran_array_destroy(lowering->run, lowering->temporaries[i]);
    cm_fortran_views_finish(lowering);
    cm_bands_destroy(lowering->run->system, lowering->bands);
    free(lowering->references);
    for (uint32_t i = 0; i < lowering->imp_count; i++)
        cm_expression_destroy(lowering->imps[i]);
}

/* Reports a fault of an IMP with look-ups as an error at the place of the statement: a subscript is
 * out of bounds. */
static enum cm_status explain_fault(struct cm_fortran_run *run)
{
    char fault[sizeof(run->err->message)];
    memcpy(fault, run->err->message, sizeof(fault));
    const char *index = strstr(fault, "node ");
    enum cm_status status = cm_fortran_fail(run, run->statement->place,
                                            "a subscript of a serial axis is out of bounds: %s",
                                            index != NULL ? index : fault);
    cm_error_hint(run->err, "indices count from 0, in words of the node's memory");
    return status;
}

enum cm_status cm_fortran_lowering_run(struct cm_fortran_lowering *lowering)
{
    struct cm_fortran_run *run = lowering->run;
    char note[CM_FORTRAN_NOTE_BYTES];
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; i < lowering->imp_count && status == CM_OK; i++)
        status = cm_expression_status(lowering->imps[i], run->err);
    if (status == CM_OK && lowering->references != NULL) {
        status = cm_fortran_halo_references_run(lowering);
        cm_fortran_halo_references_note(lowering, note, sizeof(note));
        cm_fortran_note(run, run->statement, note);
        if (status == CM_OK)
            status = cm_fortran_results_finish(lowering);
    } else if (status == CM_OK)
        status = cm_fortran_fuse(lowering, NULL, CM_ENTRY_IMP);
    if (status == CM_FAULT && lowering->looks_up)
        status = explain_fault(run);
    return status;
}

/* Adds a graph node for the mask of an assignment: elements of the model's section where the mask
 * of WHERE is true. *node is 0 if there is no mask. */
static enum cm_status lower_mask(struct cm_fortran_lowering *lowering,
                                 const struct cm_fortran_array *mask, uint32_t *node)
{
    uint32_t where = 0;
    enum cm_status status;
    *node = cm_fortran_lower_section(lowering);
    if (mask == NULL)
        return CM_OK;
    status = cm_fortran_lower_value(lowering, mask, &where);
    if (status == CM_OK)
        *node = *node == 0
                    ? where
                    : cm_expression_node(lowering->graph, CM_EXPRESSION_AND, *node, where, 0);
    return status;
}

static enum cm_status assign(struct cm_fortran_lowering *lowering,
                             const struct cm_fortran_expression *value,
                             const struct cm_fortran_array *mask)
{
    uint32_t node, where = 0;
    enum cm_status status = mask == NULL ? cm_fortran_find_onto(lowering, value, false) : CM_OK;
    if (status == CM_OK && lowering->onto == value)
        return cm_fortran_shift_onto(lowering);
    cm_fortran_find_bands(lowering, value);
    if (status == CM_OK)
        status = cm_fortran_lowering_begin(lowering);
    if (status == CM_OK)
        status = cm_fortran_lower(lowering, value, &node);
    if (status == CM_OK)
        status = lower_mask(lowering, mask, &where);
    if (status == CM_OK)
        status = cm_fortran_lower_assign(lowering, lowering->model->array->machine, node, where);
    if (status == CM_OK)
        status = cm_fortran_lowering_run(lowering);
    cm_fortran_lowering_end(lowering);
    return status;
}

/* Assigns to a section that has vectors of subscripts: evaluates the value, then sends its elements
 * to the section by the router. */
static enum cm_status assign_scattered(struct cm_fortran_run *run,
                                       const struct cm_fortran_section *section,
                                       const struct cm_fortran_expression *target,
                                       const struct cm_fortran_expression *value)
{
    struct cm_fortran_array *array, *copy = NULL;
    struct cm_fortran_array shape = {.rank = section->rank};
    struct cm_fortran_section from;
    bool owned, done = false;
    memcpy(shape.extent, section->extent, sizeof(shape.extent));
    enum cm_status status = cm_fortran_find_operand(run, value, &array, &owned);
    if (status == CM_OK)
        status = cm_fortran_conform(run, target->place, &shape, array);
    if (status == CM_OK && array != section->array) {
        cm_fortran_section_of_all(array, &from);
        status = cm_fortran_move(run, &from, section, &done);
    }
    if (status == CM_OK && !done) {
        status = cm_fortran_array_copy(run, array, array->elements, &copy);
        if (status == CM_OK)
            status = cm_fortran_host_assign(run, target, copy, NULL);
        cm_fortran_array_destroy(run, copy);
    }
    if (owned)
        cm_fortran_array_destroy(run, array);
    return status;
}

enum cm_status cm_fortran_machine_assign(struct cm_fortran_run *run,
                                         const struct cm_fortran_expression *target,
                                         const struct cm_fortran_expression *value,
                                         const struct cm_fortran_array *mask, bool *done)
{
    struct cm_fortran_section section;
    *done = false;
    enum cm_status status = cm_fortran_section_find(run, target, &section);
    if (status == CM_OK)
        status = cm_fortran_narrow_model(run, &section, true);
    if (status == CM_OK && cm_fortran_on_machine(section.array) &&
        !cm_fortran_section_has_vector(&section)) {
        struct cm_fortran_lowering lowering = {.run = run, .model = &section};
        *done = true;
        if (section.elements > 0)
            status = assign(&lowering, value, mask);
    } else if (status == CM_OK && cm_fortran_on_machine(section.array) && mask == NULL &&
               section.elements > 0 && cm_fortran_is_resident(run, value)) {
        *done = true;
        status = assign_scattered(run, &section, target, value);
    }
    cm_fortran_section_finish(&section);
    return status;
}

/* ---- values of expressions ---- */

static enum cm_status is_model(struct cm_fortran_run *run,
                               const struct cm_fortran_expression *expression, uint32_t rank,
                               struct cm_fortran_section *section, bool *found)
{
    bool is_array =
        expression->kind == CM_FORTRAN_VARIABLE || expression->kind == CM_FORTRAN_SECTION;
    if (!is_array || expression->rank == 0 || expression->rank != rank ||
        !cm_fortran_binding_of(run, expression->variable)->array ||
        !cm_fortran_on_machine(cm_fortran_binding_of(run, expression->variable)->array))
        return CM_OK;
    enum cm_status status = cm_fortran_section_find(run, expression, section);
    if (status != CM_OK)
        return status;
    *found = section->elements > 0 && !cm_fortran_section_has_vector(section);
    if (*found)
        status = cm_fortran_narrow_model(run, section, false);
    if (!*found || status != CM_OK)
        cm_fortran_section_finish(section);
    *found = *found && status == CM_OK;
    return status;
}

/* Returns true if the operands of an expression have the shape of the expression itself. */
static bool keeps_shape(const struct cm_fortran_expression *expression)
{
    if (expression->kind == CM_FORTRAN_INTRINSIC)
        return cm_fortran_intrinsic_class(expression->intrinsic) == CM_FORTRAN_CLASS_ELEMENTAL ||
               expression->intrinsic == CM_FORTRAN_CSHIFT ||
               expression->intrinsic == CM_FORTRAN_EOSHIFT;
    return expression->kind == CM_FORTRAN_OPERATION || expression->kind == CM_FORTRAN_CONVERT;
}

enum cm_status cm_fortran_find_model(struct cm_fortran_run *run,
                                     const struct cm_fortran_expression *expression,
                                     struct cm_fortran_section *section, bool *found)
{
    *found = false;
    enum cm_status status = is_model(run, expression, expression->rank, section, found);
    if (status != CM_OK || *found || !keeps_shape(expression))
        return status;
    uint32_t count =
        expression->kind == CM_FORTRAN_INTRINSIC && (expression->intrinsic == CM_FORTRAN_CSHIFT ||
                                                     expression->intrinsic == CM_FORTRAN_EOSHIFT)
            ? 1
            : expression->count;
    for (uint32_t i = 0; i < count && status == CM_OK && !*found; i++)
        if (expression->args[i] != NULL && expression->args[i]->rank > 0)
            status = cm_fortran_find_model(run, expression->args[i], section, found);
    return status;
}

enum cm_status cm_fortran_evaluate_at(struct cm_fortran_run *run,
                                      const struct cm_fortran_section *model,
                                      const struct cm_fortran_expression *expression,
                                      struct cm_fortran_array **array)
{
    struct cm_fortran_lowering lowering = {.run = run, .model = model, .apart = true};
    uint32_t node, target, number;
    enum cm_status status =
        cm_fortran_array_like(run, model->array, (enum cm_type)expression->type, array);
    if (status != CM_OK)
        return status;
    cm_fortran_find_bands(&lowering, expression);
    status = cm_fortran_lowering_begin(&lowering);
    if (status == CM_OK)
        status = cm_fortran_lower(&lowering, expression, &node);
    if (status == CM_OK)
        status = cm_fortran_lower_array(&lowering, (*array)->machine, &target, &number);
    if (status == CM_OK) {
        cm_expression_assign(lowering.graph, number, node,
                             cm_fortran_mask_padding(&lowering, (*array)->machine, 0));
        status = cm_fortran_lowering_run(&lowering);
    }
    cm_fortran_lowering_end(&lowering);
    if (status != CM_OK) {
        cm_fortran_array_destroy(run, *array);
        *array = NULL;
    }
    return status;
}

enum cm_status cm_fortran_machine_value(struct cm_fortran_run *run,
                                        const struct cm_fortran_expression *expression,
                                        struct cm_fortran_array **value)
{
    struct cm_fortran_section model;
    bool found;
    *value = NULL;
    enum cm_status status = cm_fortran_find_model(run, expression, &model, &found);
    if (status != CM_OK || !found)
        return status;
    if (cm_fortran_section_is_whole(&model))
        status = cm_fortran_evaluate_at(run, &model, expression, value);
    cm_fortran_section_finish(&model);
    return status;
}

/* ---- masks of WHERE ---- */

/* Computes both masks of a WHERE block in one IMP: `pending` = `outer` and not `active`, then
 * `active` = `outer` and `active`. */
static enum cm_status split(struct cm_fortran_lowering *lowering,
                            const struct cm_fortran_array *outer,
                            const struct cm_fortran_mask *mask)
{
    uint32_t active, pending, inside = 0, numbers[3];
    enum cm_status status = cm_fortran_lowering_begin(lowering);
    struct cm_expression *graph = lowering->graph;
    if (status == CM_OK)
        status = cm_fortran_lower_array(lowering, mask->active->machine, &active, &numbers[0]);
    if (status == CM_OK)
        status = cm_fortran_lower_array(lowering, mask->pending->machine, &pending, &numbers[1]);
    if (status == CM_OK && outer != NULL)
        status = cm_fortran_lower_array(lowering, outer->machine, &inside, &numbers[2]);
    if (status == CM_OK) {
        uint32_t rest = cm_expression_node(graph, CM_EXPRESSION_NOT, active, 0, 0);
        if (outer != NULL) {
            rest = cm_expression_node(graph, CM_EXPRESSION_AND, inside, rest, 0);
            active = cm_expression_node(graph, CM_EXPRESSION_AND, inside, active, 0);
        }
        cm_expression_assign(graph, numbers[1], rest, 0);
        if (outer != NULL)
            cm_expression_assign(graph, numbers[0], active, 0);
        status = cm_fortran_lowering_run(lowering);
    }
    cm_fortran_lowering_end(lowering);
    return status;
}

enum cm_status cm_fortran_machine_split(struct cm_fortran_run *run,
                                        const struct cm_fortran_array *outer,
                                        struct cm_fortran_mask *mask, bool *done)
{
    *done = cm_fortran_on_machine(mask->active) &&
            (outer == NULL || cm_fortran_same_placement(outer, mask->active));
    if (!*done)
        return CM_OK;
    struct cm_fortran_section model;
    cm_fortran_section_of_all(mask->active, &model);
    struct cm_fortran_lowering lowering = {.run = run, .model = &model};
    enum cm_status status =
        cm_fortran_array_like(run, mask->active, CM_TYPE_LOGICAL, &mask->pending);
    return status == CM_OK ? split(&lowering, outer, mask) : status;
}
