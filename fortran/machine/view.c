/*
 * Views: sections along serial axes that are read and written in place in node memory.
 *
 * Each node has all elements along a serial axis. So a subscript or a triplet of a serial axis
 * selects words of node memory, and other words need not be read. The selected elements form an
 * array of their own, the view. Its layout has the parallel axes, and the serial axes that are
 * left. Its address is that of the first selected element. Along each axis, its elements have the
 * distances that they have in the viewed array (cm_array.stepped). An IMP gets the address as an
 * argument, so that one IMP serves all subscripts.
 *
 * Only elementwise IMPs read and write views. For other uses, and if an assignment would write
 * elements that it also reads at other subscripts, cm_fortran_lower_view() copies the view to a
 * temporary array. The copy costs a load and a store of each selected element.
 */
#include "machine.h"

#include <stdlib.h>
#include <string.h>

static bool is_serial(const struct cm_fortran_section *section, uint32_t axis)
{
    return section->array->machine->layout.axes[axis].order == CM_ORDER_SERIAL;
}

/* Returns true if the subscript of a serial axis selects some elements, or all elements in another
 * order. A triplet counts only if `triplets` is true. */
static bool is_selection(const struct cm_fortran_section *section, uint32_t axis, bool triplets)
{
    const struct cm_fortran_range *range = &section->ranges[axis];
    if (!is_serial(section, axis))
        return false;
    return range->dropped || (triplets && (range->count < section->array->extent[axis] ||
                                           (range->count > 1 && range->stride != 1)));
}

bool cm_fortran_has_serial_axis(const struct cm_fortran_array *array)
{
    for (uint32_t a = 0; cm_fortran_on_machine(array) && a < array->rank; a++)
        if (array->machine->layout.axes[a].order == CM_ORDER_SERIAL)
            return true;
    return false;
}

static bool has_selection(const struct cm_fortran_section *section, bool triplets)
{
    for (uint32_t a = 0; a < section->array->rank; a++)
        if (is_selection(section, a, triplets))
            return true;
    return false;
}

/* Copies the properties of an axis of the viewed array to the view's axis number `to`. */
static void keep_axis(const struct cm_fortran_section *section, uint32_t axis, bool selected,
                      struct cm_fortran_view *view, struct cm_layout_request *request, uint32_t to)
{
    const struct cm_axis *own = &section->array->machine->layout.axes[axis];
    const struct cm_fortran_range *range = &section->ranges[axis];
    request->shape[to] = selected ? range->count : own->length;
    request->orders[to] = own->order;
    request->weights[to] = own->weight;
    view->array.extent[to] = request->shape[to];
    view->array.lower[to] = section->array->lower[axis] + (selected ? range->first : 0);
    view->step[to] = selected && range->count > 1 ? range->stride : 1;
    view->machine.steps[to] = (int64_t)own->stride * view->step[to];
}

void cm_fortran_find_stepped(struct cm_array *machine)
{
    for (uint32_t a = 0; a < machine->layout.rank; a++) {
        const int64_t stride = (int64_t)machine->layout.axes[a].stride;
        if (machine->layout.axes[a].local_length == 1)
            machine->steps[a] = stride;
        else if (machine->steps[a] != stride)
            machine->stepped = true;
    }
}

/* Fills in the view that has the elements which the section selects along serial axes. */
static enum cm_status fill(struct cm_fortran_run *run, const struct cm_fortran_section *section,
                           bool triplets, struct cm_fortran_view *view)
{
    const struct cm_fortran_array *array = section->array;
    const struct cm_array *parent = array->machine;
    struct cm_layout_request request = {.type = array->type};
    int64_t first = 0;
    view->array = (struct cm_fortran_array){
        .type = array->type, .borrowed = true, .machine = &view->machine, .elements = 1};
    view->machine = (struct cm_array){.held = parent->held};
    memcpy(view->machine.name, parent->name, sizeof(parent->name));
    view->parent = parent;
    for (uint32_t a = 0; a < array->rank; a++) {
        bool selected = is_selection(section, a, triplets);
        view->ranges[a] = selected
                              ? section->ranges[a]
                              : (struct cm_fortran_range){.count = array->extent[a], .stride = 1};
        first += view->ranges[a].first * (int64_t)parent->layout.axes[a].stride;
        if (selected && section->ranges[a].dropped)
            continue;
        keep_axis(section, a, selected, view, &request, request.rank);
        view->array.elements *= request.shape[request.rank++];
    }
    view->array.rank = request.rank;
    view->machine.address = parent->address + (uint64_t)first * parent->layout.slices;
    enum cm_status status = cm_layout_create(&request, run->nodes, &view->machine.layout, run->err);
    cm_fortran_find_stepped(&view->machine);
    return status;
}

/* Changes `section` to the section of the view that has the same elements. */
static void enter(struct cm_fortran_section *section, bool triplets, struct cm_fortran_view *view)
{
    struct cm_fortran_range ranges[CM_RANK_MAX] = {{0}};
    for (uint32_t a = 0, to = 0; a < section->array->rank; a++) {
        const struct cm_fortran_range *range = &section->ranges[a];
        bool selected = is_selection(section, a, triplets);
        if (!selected || !range->dropped)
            ranges[to++] =
                selected ? (struct cm_fortran_range){.count = range->count, .stride = 1} : *range;
    }
    memcpy(section->ranges, ranges, sizeof(ranges));
    section->array = &view->array;
    section->view = view;
}

enum cm_status cm_fortran_section_narrow(struct cm_fortran_run *run,
                                         struct cm_fortran_section *section, bool triplets,
                                         bool *narrowed)
{
    *narrowed = false;
    if (section->view != NULL || !cm_fortran_on_machine(section->array) || section->elements == 0 ||
        cm_fortran_section_has_vector(section) || !has_selection(section, triplets))
        return CM_OK;
    struct cm_fortran_view *view = calloc(1, sizeof(*view));
    if (view == NULL)
        return cm_fortran_no_memory(run);
    enum cm_status status = fill(run, section, triplets, view);
    if (status != CM_OK) {
        free(view);
        return status;
    }
    enter(section, triplets, view);
    *narrowed = true;
    return CM_OK;
}

/*
 * Returns true if a model should become a view of the elements that triplets of serial axes select.
 * If parallel axes have ranges too, the view must have at most half of the array's elements. If
 * `backward` is false, triplets must not reverse the array's order, because reductions add elements
 * in the order of the model.
 */
static bool takes_triplets(const struct cm_fortran_section *section, bool backward)
{
    uint64_t selected = 1, all = 1;
    bool parallel = true, fewer = false, fits = true;
    for (uint32_t a = 0; a < section->array->rank; a++) {
        const struct cm_fortran_range *range = &section->ranges[a];
        all *= section->array->extent[a];
        if (is_serial(section, a)) {
            selected *= range->count;
            fewer = fewer || range->dropped || range->count < section->array->extent[a];
            fits = fits && (backward || range->count == 1 || range->stride > 0);
        } else {
            selected *= section->array->extent[a];
            parallel = parallel && !range->dropped && range->first == 0 && range->stride == 1 &&
                       range->count == section->array->extent[a];
        }
    }
    return fewer && fits && (parallel || selected <= all / 2);
}

enum cm_status cm_fortran_narrow_model(struct cm_fortran_run *run,
                                       struct cm_fortran_section *section, bool backward)
{
    bool narrowed = false;
    enum cm_status status = CM_OK;
    if (!cm_fortran_on_machine(section->array))
        return CM_OK;
    if (takes_triplets(section, backward))
        status = cm_fortran_section_narrow(run, section, true, &narrowed);
    if (status == CM_OK && !narrowed)
        status = cm_fortran_section_narrow(run, section, false, &narrowed);
    return status;
}

/* ---- operands ---- */

static const struct cm_array *parent_of(const struct cm_fortran_section *section)
{
    return section->view != NULL ? section->view->parent : section->array->machine;
}

/* Returns the indices along an axis of the viewed array that the section's view has. Without a
 * view, these are all indices. */
static struct cm_fortran_range range_of(const struct cm_fortran_section *section, uint32_t axis)
{
    if (section->view != NULL)
        return section->view->ranges[axis];
    return (struct cm_fortran_range){.count = section->array->extent[axis], .stride = 1};
}

static int64_t last_of(const struct cm_fortran_range *range)
{
    return range->first + (int64_t)(range->count - 1) * range->stride;
}

static bool is_same_range(const struct cm_fortran_range *a, const struct cm_fortran_range *b)
{
    return a->first == b->first && a->count == b->count &&
           (a->count == 1 || a->stride == b->stride);
}

/* Returns true if two ranges of indices of an axis have no index in common. */
static bool are_disjoint(const struct cm_fortran_range *a, const struct cm_fortran_range *b)
{
    int64_t a_last = last_of(a), b_last = last_of(b);
    int64_t a_low = a->first < a_last ? a->first : a_last, a_high = a->first + a_last - a_low;
    int64_t b_low = b->first < b_last ? b->first : b_last, b_high = b->first + b_last - b_low;
    int64_t stride = a->count > 1 ? llabs(a->stride) : llabs(b->stride);
    if (a_high < b_low || b_high < a_low)
        return true;
    if (a->count > 1 && b->count > 1 && llabs(a->stride) != llabs(b->stride))
        return false;
    return stride > 1 && (a_low - b_low) % stride != 0;
}

/* Returns true if an assignment to the model would write elements that the operand reads for other
 * elements of the model. The operand is a section with the same placement. */
static bool overlaps(const struct cm_fortran_section *model,
                     const struct cm_fortran_section *operand)
{
    bool same = true;
    const struct cm_array *parent = parent_of(model);
    if (parent != parent_of(operand))
        return false;
    for (uint32_t a = 0; a < parent->layout.rank; a++) {
        struct cm_fortran_range own = range_of(model, a), other = range_of(operand, a);
        if (are_disjoint(&own, &other))
            return false;
        same = same && is_same_range(&own, &other);
    }
    return !same;
}

uint32_t cm_fortran_leave_out_padding(struct cm_fortran_lowering *lowering, uint32_t mask)
{
    const struct cm_layout *layout = &lowering->model->array->machine->layout;
    for (uint32_t a = 0; a < layout->rank; a++) {
        if (!layout->axes[a].padded)
            continue;
        uint32_t inside = cm_expression_node(
            lowering->graph, CM_EXPRESSION_LESS_EQUAL, cm_expression_index(lowering->graph, a),
            cm_expression_number(lowering->graph, CM_TYPE_INT32, (double)layout->axes[a].length),
            0);
        mask = mask == 0 ? inside
                         : cm_expression_node(lowering->graph, CM_EXPRESSION_AND, mask, inside, 0);
    }
    return mask;
}

uint32_t cm_fortran_mask_padding(struct cm_fortran_lowering *lowering,
                                 const struct cm_array *target, uint32_t mask)
{
    bool nested = cm_elementwise_is_nested(target);
    for (uint32_t i = 0; i < lowering->array_count; i++)
        nested = nested || cm_elementwise_is_nested(lowering->arrays[i]);
    return nested ? cm_fortran_leave_out_padding(lowering, mask) : mask;
}

/* Copies all elements of an array or view to another array or view with the same placement. */
static enum cm_status copy_elements(struct cm_fortran_run *run, struct cm_fortran_array *from,
                                    struct cm_fortran_array *to)
{
    struct cm_fortran_section model;
    struct cm_fortran_lowering lowering = {.run = run, .model = &model};
    uint32_t value, target, number;
    cm_fortran_section_of_all(to, &model);
    enum cm_status status = cm_fortran_lowering_begin(&lowering);
    if (status == CM_OK)
        status = cm_fortran_lower_array(&lowering, from->machine, &value, &number);
    if (status == CM_OK)
        status = cm_fortran_lower_array(&lowering, to->machine, &target, &number);
    if (status == CM_OK) {
        cm_expression_assign(lowering.graph, number, value,
                             cm_fortran_mask_padding(&lowering, to->machine, 0));
        status = cm_fortran_lowering_run(&lowering);
    }
    cm_fortran_lowering_end(&lowering);
    return status;
}

enum cm_status cm_fortran_view_copy(struct cm_fortran_run *run, struct cm_fortran_view *view,
                                    struct cm_fortran_array **copy)
{
    enum cm_status status = cm_fortran_array_like(run, &view->array, view->array.type, copy);
    if (status != CM_OK)
        return status;
    status = copy_elements(run, &view->array, *copy);
    if (status != CM_OK) {
        cm_fortran_array_destroy(run, *copy);
        *copy = NULL;
    }
    return status;
}

bool cm_fortran_is_same_array(const struct cm_array *a, const struct cm_array *b)
{
    return a->address == b->address && a->layout.type == b->layout.type &&
           a->stepped == b->stepped &&
           (!a->stepped || memcmp(a->steps, b->steps, sizeof(a->steps)) == 0);
}

/* Passes ownership of a section's view to the lowering, which frees it at its end. Returns this
 * view, or an equal view that the lowering already has. */
static struct cm_fortran_view *keep(struct cm_fortran_lowering *lowering,
                                    struct cm_fortran_section *section)
{
    struct cm_fortran_view *view = section->view, *kept = lowering->views;
    while (kept != NULL &&
           (kept->machine.address != view->machine.address ||
            kept->array.type != view->array.type ||
            memcmp(kept->machine.steps, view->machine.steps, sizeof(view->machine.steps)) != 0 ||
            !cm_fortran_same_placement(&kept->array, &view->array)))
        kept = kept->next;
    section->view = NULL;
    if (kept == NULL) {
        view->next = lowering->views;
        lowering->views = view;
        return view;
    }
    section->array = &kept->array;
    free(view);
    return kept;
}

/* Changes a section of a view to the same section of a copy of the view. The lowering owns the
 * copy. */
static enum cm_status copy_section(struct cm_fortran_lowering *lowering,
                                   struct cm_fortran_section *section)
{
    struct cm_fortran_view *view = keep(lowering, section);
    enum cm_status status = CM_OK;
    if (view->copy == NULL)
        status = cm_fortran_view_copy(lowering->run, view, &view->copy);
    section->array = view->copy;
    return status;
}

/* Adds a graph node for a section of a view that has the model's placement. */
static enum cm_status lower_narrowed(struct cm_fortran_lowering *lowering,
                                     struct cm_fortran_section *section, bool *done, uint32_t *node)
{
    enum cm_status status = CM_OK;
    if (overlaps(lowering->model, section) ||
        !cm_fortran_section_is_in_place(section, lowering->model))
        status = copy_section(lowering, section);
    else
        keep(lowering, section);
    if (status == CM_OK)
        status = cm_fortran_lower_part(lowering, section, done, node);
    return status == CM_OK && !*done ? cm_fortran_lower_moved(lowering, section, done, node)
                                     : status;
}

enum cm_status cm_fortran_lower_view(struct cm_fortran_lowering *lowering,
                                     const struct cm_fortran_section *section, bool *done,
                                     uint32_t *node)
{
    struct cm_fortran_section narrow;
    const struct cm_fortran_array *model = lowering->model->array;
    bool narrowed = false, fits = false;
    enum cm_status status = CM_OK;
    *done = false;
    for (int triplets = 1; triplets >= 0 && status == CM_OK && !fits; triplets--) {
        narrow = *section;
        status = cm_fortran_section_narrow(lowering->run, &narrow, triplets > 0, &narrowed);
        fits = narrowed && cm_fortran_same_placement(narrow.array, model);
        if (fits)
            status = lower_narrowed(lowering, &narrow, done, node);
        free(narrow.view);
    }
    if (status != CM_OK || fits || cm_fortran_same_placement(section->array, model))
        return status;
    narrow = *section;
    status = cm_fortran_section_narrow(lowering->run, &narrow, true, &narrowed);
    if (status == CM_OK && narrowed)
        status = copy_section(lowering, &narrow);
    if (status == CM_OK && narrowed)
        status = cm_fortran_lower_moved(lowering, &narrow, done, node);
    return status;
}

/* ---- arguments of procedures ---- */

enum cm_status cm_fortran_copy_argument(struct cm_fortran_run *run,
                                        const struct cm_fortran_expression *expression,
                                        struct cm_fortran_array *copy, bool back, bool *done)
{
    struct cm_fortran_section section;
    bool narrowed = false;
    *done = false;
    enum cm_status status = cm_fortran_section_find(run, expression, &section);
    if (status == CM_OK && cm_fortran_on_machine(copy) && section.array->type == copy->type)
        status = cm_fortran_section_narrow(run, &section, true, &narrowed);
    *done = narrowed && cm_fortran_section_is_whole(&section) &&
            cm_fortran_same_placement(section.array, copy);
    if (status == CM_OK && *done)
        status = copy_elements(run, back ? copy : section.array, back ? section.array : copy);
    cm_fortran_section_finish(&section);
    return status;
}

static bool has_call(const struct cm_fortran_expression *expression)
{
    if (expression == NULL)
        return false;
    for (uint32_t i = 0; i < expression->count; i++)
        if (has_call(expression->args[i]))
            return true;
    return expression->kind == CM_FORTRAN_CALL || expression->kind == CM_FORTRAN_LIBRARY;
}

bool cm_fortran_is_serial_section(struct cm_fortran_run *run,
                                  const struct cm_fortran_expression *expression)
{
    if (expression->kind != CM_FORTRAN_SECTION || run->uncharged || has_call(expression))
        return false;
    const struct cm_fortran_array *array = cm_fortran_binding_of(run, expression->variable)->array;
    return array != NULL && cm_fortran_has_serial_axis(array);
}

void cm_fortran_views_finish(struct cm_fortran_lowering *lowering)
{
    while (lowering->views != NULL) {
        struct cm_fortran_view *view = lowering->views;
        lowering->views = view->next;
        cm_fortran_array_destroy(lowering->run, view->copy);
        free(view);
    }
}
