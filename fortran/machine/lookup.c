/*
 * Executes look-ups: elements whose subscripts of serial axes depend on data are read and stored in
 * place.
 *
 * A(K(I), I) with a serial first axis is in the node of A(1, I), at an address that depends on
 * K(I). The elements A(1, I) are a view (view.c) with the model's placement, whose distances along
 * the model's axes are those of A. So the compiler of expressions knows the address of each element
 * of the view, and an indexed load or store adds (K(I) - 1) times A's distance along its first
 * axis. An axis of the model along which no subscript of A runs has distance 0 in the view, so that
 * all elements along this axis use the same table.
 *
 * If a statement assigns elements of a table that it also looks up, the look-up is done first, into
 * a temporary array.
 */
#include "machine.h"

#include <stdlib.h>
#include <string.h>

/* The table of a LOOKUP expression: the elements that its subscripts may select. */
struct table {
    const struct cm_fortran_array *array;
    /* view of the elements at which all selectors are at their lower bound */
    struct cm_fortran_view *view;
    /* subscripts that depend on data, by axis of the array, or NULL */
    const struct cm_fortran_expression *selectors[CM_RANK_MAX];
    uint32_t selector_count;
};

static bool is_serial(const struct cm_layout *layout, uint32_t axis)
{
    return layout->axes[axis].order == CM_ORDER_SERIAL;
}

/* Maps an axis of the table's array, whose subscript is a triplet, to the dimension of the model
 * along which the triplet runs. Returns false if the elements are not in the same nodes. */
static bool map_axis(const struct table *table, uint32_t axis,
                     const struct cm_fortran_expression *triplet,
                     const struct cm_fortran_section *model, struct cm_layout_request *request,
                     int64_t *first)
{
    const uint32_t to = triplet->number;
    const struct cm_fortran_array *array = table->array;
    const struct cm_axis *own = &array->machine->layout.axes[axis];
    const struct cm_fortran_range *range = &model->ranges[to];
    const uint64_t extent = model->array->extent[to];
    const int64_t from = triplet->args[0]->value.integer - array->lower[axis];
    const int64_t stride = triplet->args[2]->value.integer;
    const bool serial = own->order == CM_ORDER_SERIAL;
    const bool whole = range->first == 0 && range->stride == 1 && range->count == extent;
    const bool same =
        from == range->first && stride == range->stride && array->extent[axis] == extent;
    if (serial != is_serial(&model->array->machine->layout, to) || (!same && !(whole && serial)))
        return false;
    request->shape[to] = extent;
    request->orders[to] = own->order;
    request->weights[to] = own->weight;
    table->view->machine.steps[to] = (int64_t)own->stride * (same ? 1 : stride);
    *first += same ? 0 : from * (int64_t)own->stride;
    return true;
}

/* Classifies each subscript of a look-up: triplet, selector or scalar. Returns false if the machine
 * does not support the look-up. */
static bool map_subscripts(struct cm_fortran_run *run, const struct cm_fortran_expression *lookup,
                           const struct cm_fortran_section *model, struct table *table,
                           struct cm_layout_request *request, int64_t *first)
{
    const struct cm_layout *layout = &table->array->machine->layout;
    for (uint32_t a = 0; a < lookup->count; a++) {
        const struct cm_fortran_expression *subscript = lookup->args[a];
        int64_t value, lower = table->array->lower[a];
        if (subscript->kind == CM_FORTRAN_TRIPLET) {
            if (!map_axis(table, a, subscript, model, request, first))
                return false;
        } else if (!is_serial(layout, a)) {
            return false;
        } else if (subscript->rank > 0) {
            table->selectors[a] = subscript;
            table->selector_count++;
        } else {
            if (cm_fortran_integer(run, subscript, &value) != CM_OK || value < lower ||
                value >= lower + (int64_t)table->array->extent[a])
                return false; /* the front end reports the bad subscript */
            *first += (value - lower) * (int64_t)layout->axes[a].stride;
        }
    }
    return true;
}

/* Returns true if the view's parallel axes are distributed over nodes in the same way as those of
 * the table's array. */
static bool has_places(const struct table *table, const struct cm_fortran_expression *lookup)
{
    for (uint32_t a = 0; a < lookup->count; a++) {
        if (lookup->args[a]->kind != CM_FORTRAN_TRIPLET)
            continue;
        const struct cm_axis *own = &table->array->machine->layout.axes[a];
        const struct cm_axis *other = &table->view->machine.layout.axes[lookup->args[a]->number];
        if (own->order != CM_ORDER_SERIAL &&
            (own->node_bits != other->node_bits || own->first_dimension != other->first_dimension ||
             own->local_length != other->local_length))
            return false;
    }
    return true;
}

/* Finds the table of a look-up. Sets *fits to false, and makes no view, if the table's elements are
 * not in the nodes of the model's elements. */
static enum cm_status find_table(struct cm_fortran_run *run,
                                 const struct cm_fortran_expression *lookup,
                                 const struct cm_fortran_section *model, struct table *table,
                                 bool *fits)
{
    struct cm_layout_request request = {.type = (enum cm_type)lookup->type,
                                        .rank = model->array->rank};
    int64_t first = 0;
    *table = (struct table){.array = cm_fortran_binding_of(run, lookup->variable)->array};
    *fits = false;
    for (uint32_t a = 0; a < model->array->rank; a++)
        if (model->ranges[a].dropped)
            return CM_OK;
    if (!cm_fortran_on_machine(table->array) || cm_array_is_allocated(table->array->machine))
        return CM_OK;
    struct cm_fortran_view *view = table->view = calloc(1, sizeof(*view));
    if (view == NULL)
        return cm_fortran_no_memory(run);
    const struct cm_array *parent = table->array->machine;
    view->parent = parent;
    view->machine.held = parent->held;
    memcpy(view->machine.name, parent->name, sizeof(parent->name));
    enum cm_status status = CM_OK;
    if (map_subscripts(run, lookup, model, table, &request, &first)) {
        *fits = true;
        for (uint32_t a = 0; a < request.rank; a++) {
            const struct cm_axis *axis = &model->array->machine->layout.axes[a];
            if (request.shape[a] > 0)
                continue;
            *fits = *fits && axis->order == CM_ORDER_SERIAL;
            request.shape[a] = axis->length;
            request.orders[a] = axis->order;
            request.weights[a] = axis->weight;
        }
        view->machine.address = parent->address + (uint64_t)(first * parent->layout.slices);
        status = cm_layout_create(&request, run->nodes, &view->machine.layout, run->err);
        view->array = (struct cm_fortran_array){
            .type = (enum cm_type)lookup->type, .borrowed = true, .machine = &view->machine};
        *fits = *fits && status == CM_OK && has_places(table, lookup) &&
                cm_fortran_same_placement(&view->array, model->array);
        cm_fortran_find_stepped(&view->machine);
    }
    if (*fits)
        return CM_OK;
    free(view);
    table->view = NULL;
    return status;
}

/* ---- check of a statement ---- */

static bool has_lookup(const struct cm_fortran_expression *expression)
{
    bool found = expression != NULL && expression->kind == CM_FORTRAN_LOOKUP;
    for (uint32_t i = 0; expression != NULL && i < expression->count && !found; i++)
        found = has_lookup(expression->args[i]);
    return found;
}

/* Returns true if an expression divides integers by a value that is not a constant. The front end
 * would have to read the divisors first to find zeros, and it does not evaluate look-ups. */
static bool divides(const struct cm_fortran_expression *expression)
{
    bool found = expression != NULL && cm_fortran_divides(expression);
    for (uint32_t i = 0; expression != NULL && i < expression->count && !found; i++)
        found = divides(expression->args[i]);
    return found;
}

static bool reads(struct cm_fortran_run *run, const struct cm_fortran_expression *expression,
                  const struct cm_fortran_array *array)
{
    bool found = expression != NULL && expression->variable != NULL && expression->rank > 0 &&
                 cm_fortran_binding_of(run, expression->variable)->array == array;
    for (uint32_t i = 0; expression != NULL && i < expression->count && !found; i++)
        found = reads(run, expression->args[i], array);
    return found;
}

/* Sets *fits to false if the machine does not support a look-up in an expression, or the graph does
 * not support an operation on look-ups. */
static enum cm_status check(struct cm_fortran_run *run, const struct cm_fortran_section *model,
                            const struct cm_fortran_expression *expression, bool *fits)
{
    enum cm_status status = CM_OK;
    struct table table;
    if (!*fits || !has_lookup(expression))
        return CM_OK;
    if (expression->kind == CM_FORTRAN_LOOKUP) {
        status = find_table(run, expression, model, &table, fits);
        free(table.view);
    } else if (expression->kind == CM_FORTRAN_OPERATION ||
               expression->kind == CM_FORTRAN_INTRINSIC) {
        *fits = cm_fortran_graph_has(expression);
    } else {
        *fits = expression->kind == CM_FORTRAN_CONVERT;
    }
    for (uint32_t i = 0; i < expression->count && status == CM_OK; i++)
        status = check(run, model, expression->args[i], fits);
    return status;
}

enum cm_status cm_fortran_lookups_fit(struct cm_fortran_run *run,
                                      const struct cm_fortran_expression *target,
                                      const struct cm_fortran_expression *value, bool *fits)
{
    struct cm_fortran_section model;
    *fits = !divides(value);
    if (!*fits)
        return CM_OK;
    enum cm_status status = cm_fortran_section_find(run, target, &model);
    if (status == CM_OK)
        status = cm_fortran_narrow_model(run, &model, true);
    if (status == CM_OK)
        status = check(run, &model, value, fits);
    cm_fortran_section_finish(&model);
    return status;
}

/* ---- lowering ---- */

static uint32_t number(struct cm_fortran_lowering *lowering, int64_t value)
{
    return cm_expression_number(lowering->graph, CM_TYPE_INT32, (double)value);
}

/* Adds a graph node for a subscript that depends on data, counted from 0. */
static enum cm_status lower_selector(struct cm_fortran_lowering *lowering,
                                     const struct table *table, uint32_t axis, uint32_t *node)
{
    const int64_t lower = table->array->lower[axis];
    enum cm_status status = cm_fortran_lower(lowering, table->selectors[axis], node);
    if (status == CM_OK && lower != 0)
        *node = cm_expression_node(lowering->graph, CM_EXPRESSION_SUBTRACT, *node,
                                   number(lowering, lower), 0);
    return status;
}

/* Adds a subscript, times the distance of its axis, to the index into a table with several selected
 * axes. The index counts local elements. It becomes -1 if a subscript is out of bounds. */
static uint32_t add_selector(struct cm_fortran_lowering *lowering, const struct table *table,
                             uint32_t axis, uint32_t node, uint32_t sum)
{
    struct cm_expression *graph = lowering->graph;
    const struct cm_axis *own = &table->array->machine->layout.axes[axis];
    uint32_t good = cm_expression_node(
        graph, CM_EXPRESSION_AND,
        cm_expression_node(graph, CM_EXPRESSION_GREATER_EQUAL, node, number(lowering, 0), 0),
        cm_expression_node(graph, CM_EXPRESSION_LESS, node, number(lowering, (int64_t)own->length),
                           0),
        0);
    uint32_t next = cm_expression_node(graph, CM_EXPRESSION_MULTIPLY, node,
                                       number(lowering, (int64_t)own->stride), 0);
    if (sum != 0) {
        good = cm_expression_node(
            graph, CM_EXPRESSION_AND, good,
            cm_expression_node(graph, CM_EXPRESSION_GREATER_EQUAL, sum, number(lowering, 0), 0), 0);
        next = cm_expression_node(graph, CM_EXPRESSION_ADD, sum, next, 0);
    }
    return cm_expression_node(graph, CM_EXPRESSION_MERGE, next, number(lowering, -1), good);
}

/* Adds a graph node for the index into the table, and describes the table for the graph. */
static enum cm_status lower_index(struct cm_fortran_lowering *lowering, const struct table *table,
                                  struct cm_expression_table *described, uint32_t *index)
{
    enum cm_status status = CM_OK;
    uint32_t node;
    *index = 0;
    described->count = described->stride = 1;
    for (uint32_t a = 0; a < table->array->rank && status == CM_OK; a++) {
        const struct cm_axis *own = &table->array->machine->layout.axes[a];
        if (table->selectors[a] == NULL)
            continue;
        status = lower_selector(lowering, table, a, &node);
        if (table->selector_count == 1) {
            described->count = (uint32_t)own->length;
            described->stride = (uint32_t)own->stride;
            *index = node;
        } else if (status == CM_OK) {
            described->count += (uint32_t)((own->length - 1) * own->stride);
            *index = add_selector(lowering, table, a, node, *index);
        }
    }
    return status;
}

/* Passes ownership of the table's view to the lowering, and adds the view as an array argument. */
static enum cm_status lower_view(struct cm_fortran_lowering *lowering, struct table *table,
                                 struct cm_expression_table *described, uint32_t *node)
{
    table->view->next = lowering->views;
    lowering->views = table->view;
    described->type = table->view->machine.layout.type;
    return cm_fortran_lower_array(lowering, &table->view->machine, node, &described->number);
}

static const struct cm_array *parent_of(const struct cm_fortran_section *model)
{
    return model->view != NULL ? model->view->parent : model->array->machine;
}

/* Evaluates an expression into a temporary array, before the statement's IMP, and adds a graph node
 * for this array. */
static enum cm_status lower_before(struct cm_fortran_lowering *lowering,
                                   const struct cm_fortran_expression *expression, uint32_t *node)
{
    struct cm_fortran_array *array;
    uint32_t argument;
    if (lowering->temporary_count == CM_EXPRESSION_ARRAYS_MAX)
        return cm_fortran_fail(lowering->run, expression->place,
                               "the statement needs more than %u temporary arrays; split it",
                               CM_EXPRESSION_ARRAYS_MAX);
    enum cm_status status =
        cm_fortran_evaluate_at(lowering->run, lowering->model, expression, &array);
    if (status != CM_OK)
        return status;
    lowering->temporaries[lowering->temporary_count++] = array;
    return cm_fortran_lower_array(lowering, array->machine, node, &argument);
}

enum cm_status cm_fortran_lower_lookup(struct cm_fortran_lowering *lowering,
                                       const struct cm_fortran_expression *lookup, uint32_t *node)
{
    struct cm_expression_table described = {0};
    struct table table;
    uint32_t index;
    bool fits = false;
    enum cm_status status = find_table(lowering->run, lookup, lowering->model, &table, &fits);
    if (status == CM_OK && !fits)
        status = cm_fortran_fail(lowering->run, lookup->place, "the table has another layout");
    if (status != CM_OK)
        return status;
    if (!lowering->apart && table.view->parent == parent_of(lowering->model)) {
        free(table.view);
        return lower_before(lowering, lookup, node);
    }
    status = lower_view(lowering, &table, &described, node);
    if (status != CM_OK || table.selector_count == 0)
        return status;
    status = lower_index(lowering, &table, &described, &index);
    if (status != CM_OK)
        return status;
    /* true in the elements of the model's section, and false in others and in padding */
    uint32_t good = cm_fortran_leave_out_padding(lowering, cm_fortran_lower_section(lowering));
    if (good != 0)
        index = cm_expression_node(lowering->graph, CM_EXPRESSION_MERGE, index, number(lowering, 0),
                                   good);
    lowering->looks_up = true;
    *node = cm_expression_lookup(lowering->graph, &described, index);
    return CM_OK;
}

/* ---- stores ---- */

/* Adds a graph node for the mask of a store. *node is 0 if the store has no mask. */
static enum cm_status lower_mask(struct cm_fortran_lowering *lowering,
                                 const struct cm_fortran_expression *mask,
                                 const struct cm_array *target, uint32_t *node)
{
    uint32_t where = 0;
    enum cm_status status = CM_OK;
    *node = cm_fortran_lower_section(lowering);
    if (mask != NULL)
        status = cm_fortran_lower(lowering, mask, &where);
    if (where != 0)
        *node = *node == 0
                    ? where
                    : cm_expression_node(lowering->graph, CM_EXPRESSION_AND, *node, where, 0);
    *node = cm_fortran_mask_padding(lowering, target, *node);
    return status;
}

static enum cm_status store(struct cm_fortran_lowering *lowering, struct table *table,
                            const struct cm_fortran_expression *value,
                            const struct cm_fortran_expression *mask)
{
    struct cm_expression_table described = {0};
    uint32_t node, unused, index, where;
    enum cm_status status = cm_fortran_lowering_begin(lowering);
    if (status == CM_OK)
        status = reads(lowering->run, value, table->array)
                     ? lower_before(lowering, value, &node)
                     : cm_fortran_lower(lowering, value, &node);
    if (status == CM_OK)
        status = lower_index(lowering, table, &described, &index);
    if (status == CM_OK)
        status = lower_view(lowering, table, &described, &unused);
    else
        free(table->view);
    if (status == CM_OK)
        status = lower_mask(lowering, mask, &table->view->machine, &where);
    if (status == CM_OK) {
        lowering->looks_up = true;
        cm_expression_assign_at(lowering->graph, &described, index, node, where);
        status = cm_fortran_lowering_run(lowering);
    }
    cm_fortran_lowering_end(lowering);
    return status;
}

/* Returns true if no two elements of the model store into the same table, because a subscript runs
 * along each axis of the model. */
static bool is_apart(const struct cm_fortran_section *model,
                     const struct cm_fortran_expression *place)
{
    uint32_t triplets = 0;
    for (uint32_t i = 0; i < place->count; i++)
        triplets += place->args[i]->kind == CM_FORTRAN_TRIPLET;
    return triplets == model->array->rank;
}

enum cm_status cm_fortran_machine_assign_at(struct cm_fortran_run *run,
                                            const struct cm_fortran_expression *base,
                                            const struct cm_fortran_expression *place,
                                            const struct cm_fortran_expression *value,
                                            const struct cm_fortran_expression *mask, bool *done)
{
    struct cm_fortran_section model;
    struct cm_fortran_lowering lowering = {.run = run, .model = &model};
    struct table table = {0};
    bool fits = !divides(value) && !divides(mask) && !divides(place);
    *done = false;
    enum cm_status status = cm_fortran_section_find(run, base, &model);
    if (status == CM_OK)
        status = cm_fortran_narrow_model(run, &model, true);
    if (status == CM_OK)
        status = check(run, &model, value, &fits);
    if (status == CM_OK)
        status = check(run, &model, mask, &fits);
    for (uint32_t i = 0; i < place->count && status == CM_OK; i++)
        status = check(run, &model, place->args[i], &fits);
    if (status == CM_OK && fits && model.elements > 0 && is_apart(&model, place))
        status = find_table(run, place, &model, &table, &fits);
    if (status == CM_OK && table.view != NULL) {
        fits = !reads(run, mask, table.array);
        for (uint32_t i = 0; i < place->count && fits; i++)
            fits = !reads(run, place->args[i], table.array);
        *done = fits;
        if (fits)
            status = store(&lowering, &table, value, mask);
        else
            free(table.view);
    }
    cm_fortran_section_finish(&model);
    return status;
}
