/*
 * Executes FORALL on the machine.
 *
 * FORALL (I = 1:N) A(I) = B(I + 1) * I is executed as the assignment of sections A(1:N) = B(2:N+1)
 * * [1:N]. This is possible if each index is the subscript of one dimension of the target, and if
 * the subscripts of every array in the value are the indices in the same order, perhaps plus
 * offsets. An index that is used as a value becomes an INDEX expression with the section's rank. A
 * mask becomes MERGE(value, target, mask). If the target's array has serial axes, the target and
 * the value may also have triplets, as in A(I, :) = B(I, :). Subscripts of serial axes may depend
 * on data (forall_table.c). In other cases the front end executes the FORALL, element by element.
 */
#include "forall.h"

#include <stdlib.h>
#include <string.h>

struct cm_fortran_expression *cm_forall_copy(struct cm_forall *rewriting,
                                             const struct cm_fortran_expression *from,
                                             uint32_t count)
{
    size_t bytes = sizeof(*from) + count * sizeof(struct cm_fortran_expression *);
    if (rewriting->count == CM_FORALL_NODES_MAX) {
        rewriting->refused = true;
        return NULL;
    }
    struct cm_fortran_expression *made = malloc(bytes);
    if (made == NULL) {
        rewriting->status = cm_fortran_no_memory(rewriting->run);
        return NULL;
    }
    rewriting->nodes[rewriting->count++] = made;
    *made = *from;
    made->args = (struct cm_fortran_expression **)(made + 1);
    made->count = count;
    memset(made->args, 0, count * sizeof(made->args[0]));
    return made;
}

bool cm_forall_has_index(const struct cm_fortran_expression *expression)
{
    if (expression == NULL)
        return false;
    if (expression->kind == CM_FORTRAN_INDEX)
        return true;
    for (uint32_t i = 0; i < expression->count; i++)
        if (cm_forall_has_index(expression->args[i]))
            return true;
    return false;
}

bool cm_forall_is_index(struct cm_forall *rewriting, const struct cm_fortran_expression *subscript,
                        uint32_t *number, int64_t *offset)
{
    *offset = 0;
    if (subscript->kind == CM_FORTRAN_INDEX) {
        *number = subscript->number;
        return true;
    }
    if (subscript->kind != CM_FORTRAN_OPERATION || subscript->count != 2 ||
        (subscript->op != CM_FORTRAN_ADD && subscript->op != CM_FORTRAN_SUBTRACT))
        return false;
    const struct cm_fortran_expression *a = subscript->args[0], *b = subscript->args[1];
    if (subscript->op == CM_FORTRAN_ADD && b->kind == CM_FORTRAN_INDEX) {
        a = subscript->args[1];
        b = subscript->args[0];
    }
    if (a->kind != CM_FORTRAN_INDEX || cm_forall_has_index(b))
        return false;
    *number = a->number;
    rewriting->status = cm_fortran_integer(rewriting->run, b, offset);
    if (subscript->op == CM_FORTRAN_SUBTRACT)
        *offset = -*offset;
    return rewriting->status == CM_OK;
}

struct cm_fortran_expression *cm_forall_constant(struct cm_forall *rewriting, int64_t value)
{
    const struct cm_fortran_expression plain = {
        .kind = CM_FORTRAN_CONSTANT,
        .type = CM_TYPE_INT32,
        .place = rewriting->run->statement->place,
        .value = {.integer = (int32_t)value},
    };
    return cm_forall_copy(rewriting, &plain, 0);
}

static uint64_t extent_of(const struct cm_forall *rewriting, uint32_t number)
{
    const struct cm_fortran_indices *indices = &rewriting->indices;
    int64_t stride = indices->stride[number];
    int64_t span = stride > 0 ? indices->last[number] - indices->first[number]
                              : indices->first[number] - indices->last[number];
    return stride == 0 || span < 0 ? 0 : (uint64_t)(span / llabs(stride)) + 1;
}

bool cm_forall_is_inside(const struct cm_forall *rewriting, const struct cm_fortran_array *array,
                         uint32_t dim, uint32_t number, int64_t offset)
{
    const struct cm_fortran_indices *indices = &rewriting->indices;
    uint64_t count = extent_of(rewriting, number);
    if (count == 0)
        return false;
    int64_t first = indices->first[number] + offset;
    int64_t last = first + (int64_t)(count - 1) * indices->stride[number];
    int64_t low = first < last ? first : last, high = first < last ? last : first;
    return low >= array->lower[dim] && high < array->lower[dim] + (int64_t)array->extent[dim];
}

struct cm_fortran_expression *cm_forall_triplet(struct cm_forall *rewriting,
                                                struct cm_source_place place, uint32_t number,
                                                int64_t offset)
{
    const struct cm_fortran_indices *indices = &rewriting->indices;
    const struct cm_fortran_expression plain = {.kind = CM_FORTRAN_TRIPLET,
                                                .type = CM_TYPE_INT32,
                                                .number = indices->dim[number],
                                                .place = place};
    struct cm_fortran_expression *triplet = cm_forall_copy(rewriting, &plain, 3);
    if (triplet == NULL)
        return NULL;
    triplet->args[0] = cm_forall_constant(rewriting, indices->first[number] + offset);
    triplet->args[1] = cm_forall_constant(rewriting, indices->last[number] + offset);
    triplet->args[2] = cm_forall_constant(rewriting, indices->stride[number]);
    return triplet;
}

/* Refuses the FORALL if the value has a triplet without indices in a dimension along which an index
 * runs in the target. */
static void check_triplet(struct cm_forall *rewriting, uint32_t dim, bool is_target)
{
    for (uint32_t i = 0; i < rewriting->forall->indices && !is_target; i++)
        rewriting->refused = rewriting->refused || rewriting->indices.dim[i] == dim;
}

/* Records whether a dimension of the target's section lies along a serial axis. */
static void note_axis(struct cm_forall *rewriting, const struct cm_fortran_array *array,
                      uint32_t axis, uint32_t dim, bool is_target)
{
    if (is_target)
        rewriting->serial[dim] = array->machine->layout.axes[axis].order == CM_ORDER_SERIAL;
}

/* Rewrites an array element or a section as a section. Refuses the FORALL if its indices are not in
 * the order of the target. */
static struct cm_fortran_expression *
section(struct cm_forall *rewriting, const struct cm_fortran_expression *element, bool is_target)
{
    struct cm_fortran_expression *made = cm_forall_copy(rewriting, element, element->count);
    uint32_t next = 0, number;
    int64_t offset;
    if (made == NULL)
        return NULL;
    const struct cm_fortran_array *array =
        cm_fortran_binding_of(rewriting->run, element->variable)->array;
    if (array == NULL || (element->rank > 0 && !rewriting->takes_sections)) {
        rewriting->refused = true;
        return made;
    }
    made->kind = CM_FORTRAN_SECTION;
    if (!is_target && cm_forall_is_table(rewriting, element))
        return cm_forall_table(rewriting, element);
    for (uint32_t i = 0; i < element->count && rewriting->status == CM_OK; i++) {
        made->args[i] = element->args[i];
        if (!cm_forall_has_index(element->args[i])) {
            if (element->args[i]->kind == CM_FORTRAN_TRIPLET) {
                note_axis(rewriting, array, i, next, is_target);
                check_triplet(rewriting, next++, is_target);
            } else
                rewriting->refused = rewriting->refused || element->args[i]->rank > 0;
            continue;
        }
        if (!cm_forall_is_index(rewriting, element->args[i], &number, &offset) ||
            (is_target && (offset != 0 || rewriting->indices.dim[number] != UINT32_MAX)) ||
            (!is_target && rewriting->indices.dim[number] != next)) {
            rewriting->refused = true;
            return made;
        }
        if (!cm_forall_is_inside(rewriting, array, i, number, offset)) {
            rewriting->refused = true;
            return made;
        }
        if (is_target)
            rewriting->indices.dim[number] = next;
        note_axis(rewriting, array, i, next, is_target);
        struct cm_fortran_expression *triplet =
            cm_forall_triplet(rewriting, element->args[i]->place, number, offset);
        if (triplet == NULL)
            return made;
        made->args[i] = triplet;
        next++;
    }
    made->rank = (uint8_t)next;
    rewriting->refused = rewriting->refused || (!is_target && next != rewriting->indices.rank);
    return made;
}

static bool keeps_shape(const struct cm_fortran_expression *expression)
{
    return expression->kind == CM_FORTRAN_OPERATION || expression->kind == CM_FORTRAN_CONVERT ||
           (expression->kind == CM_FORTRAN_INTRINSIC &&
            cm_fortran_intrinsic_class(expression->intrinsic) == CM_FORTRAN_CLASS_ELEMENTAL);
}

struct cm_fortran_expression *cm_forall_rewrite(struct cm_forall *rewriting,
                                                struct cm_fortran_expression *expression)
{
    if (expression == NULL || !cm_forall_has_index(expression)) {
        bool is_array = expression != NULL && expression->rank > 0;
        rewriting->refused = rewriting->refused || is_array;
        return expression;
    }
    if (expression->kind == CM_FORTRAN_ELEMENT || expression->kind == CM_FORTRAN_SECTION)
        return section(rewriting, expression, false);
    if (expression->kind != CM_FORTRAN_INDEX && !keeps_shape(expression)) {
        rewriting->refused = true;
        return expression;
    }
    struct cm_fortran_expression *made = cm_forall_copy(rewriting, expression, expression->count);
    if (made == NULL)
        return expression;
    made->rank = (uint8_t)rewriting->indices.rank;
    for (uint32_t i = 0; i < expression->count && rewriting->status == CM_OK; i++)
        made->args[i] = cm_forall_rewrite(rewriting, expression->args[i]);
    return made;
}

static enum cm_status find_triplets(struct cm_forall *rewriting)
{
    const struct cm_fortran_forall *forall = rewriting->forall;
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; i < forall->indices && status == CM_OK; i++) {
        const struct cm_fortran_expression *triplet = forall->triplets[i];
        rewriting->indices.stride[i] = 1;
        status = cm_fortran_integer(rewriting->run, triplet->args[0], &rewriting->indices.first[i]);
        if (status == CM_OK)
            status =
                cm_fortran_integer(rewriting->run, triplet->args[1], &rewriting->indices.last[i]);
        if (status == CM_OK && triplet->args[2] != NULL)
            status =
                cm_fortran_integer(rewriting->run, triplet->args[2], &rewriting->indices.stride[i]);
    }
    return status;
}

/* Makes the value of the rewritten assignment, which is MERGE(value, target, mask) if the FORALL
 * has a mask. */
static struct cm_fortran_expression *make_value(struct cm_forall *rewriting,
                                                struct cm_fortran_expression *target,
                                                struct cm_fortran_expression *value)
{
    struct cm_fortran_expression *made = cm_forall_rewrite(rewriting, value);
    if (rewriting->mask == NULL)
        return made;
    const struct cm_fortran_expression plain = {.kind = CM_FORTRAN_INTRINSIC,
                                                .intrinsic = CM_FORTRAN_MERGE,
                                                .type = target->type,
                                                .rank = target->rank,
                                                .place = target->place};
    struct cm_fortran_expression *merge = cm_forall_copy(rewriting, &plain, 3);
    if (merge == NULL)
        return made;
    merge->args[0] = made;
    merge->args[1] = target;
    merge->args[2] = rewriting->mask;
    return merge;
}

static bool uses_all(const struct cm_forall *rewriting)
{
    for (uint32_t i = 0; i < rewriting->forall->indices; i++)
        if (rewriting->indices.dim[i] == UINT32_MAX)
            return false;
    return true;
}

/* Finds the extents of the target's section, which may also have dimensions along which no FORALL
 * index runs. */
static enum cm_status find_extents(struct cm_forall *rewriting,
                                   const struct cm_fortran_expression *target)
{
    struct cm_fortran_section section;
    enum cm_status status = cm_fortran_section_find(rewriting->run, target, &section);
    if (status != CM_OK)
        return status;
    rewriting->indices.rank = section.rank;
    memcpy(rewriting->indices.extent, section.extent, sizeof(section.extent));
    cm_fortran_section_finish(&section);
    return CM_OK;
}

/* Executes an assignment to a section. Leaves *done false if the machine cannot execute it. */
static enum cm_status assign_section(struct cm_forall *rewriting,
                                     struct cm_fortran_expression *target,
                                     struct cm_fortran_expression *value, bool *done)
{
    bool fits = true;
    enum cm_status status = CM_OK;
    value = make_value(rewriting, target, value);
    if (rewriting->refused || rewriting->status != CM_OK)
        return rewriting->status;
    if (rewriting->lookups > 0)
        status = cm_fortran_lookups_fit(rewriting->run, target, value, &fits);
    if (status != CM_OK || !fits)
        return status;
    return cm_fortran_machine_assign(rewriting->run, target, value, NULL, done);
}

/* Executes an assignment to elements whose subscripts depend on data. Leaves *done false if the
 * machine cannot execute it. `base` is the target with lower bounds in place of these
 * subscripts. */
static enum cm_status assign_elements(struct cm_forall *rewriting,
                                      const struct cm_fortran_expression *target,
                                      const struct cm_fortran_expression *base,
                                      struct cm_fortran_expression *value, bool *done)
{
    struct cm_fortran_expression *made = cm_forall_rewrite(rewriting, value);
    struct cm_fortran_expression *mask = rewriting->mask;
    rewriting->mask = NULL; /* the subscripts need no mask, because the assignment has it */
    const struct cm_fortran_expression *place = cm_forall_table(rewriting, target);
    rewriting->mask = mask;
    if (rewriting->refused || rewriting->status != CM_OK || place == NULL)
        return rewriting->status;
    return cm_fortran_machine_assign_at(rewriting->run, base, place, made, mask, done);
}

/* Executes one assignment of a FORALL. Leaves *done false if it cannot be rewritten, or if its
 * target is in the front end. */
static enum cm_status assign(struct cm_forall *rewriting, uint32_t assignment, bool *done)
{
    const struct cm_fortran_forall *forall = rewriting->forall;
    struct cm_fortran_expression *element = forall->targets[assignment];
    struct cm_fortran_array *array;
    enum cm_status status =
        cm_fortran_array_of(rewriting->run, element->variable, element->place, &array);
    if (status != CM_OK || !cm_fortran_on_machine(array))
        return status;
    rewriting->takes_sections = cm_fortran_has_serial_axis(array);
    for (uint32_t i = 0; i < CM_RANK_MAX; i++)
        rewriting->indices.dim[i] = UINT32_MAX;
    struct cm_fortran_expression *base = cm_forall_base(rewriting, element);
    struct cm_fortran_expression *target = section(rewriting, base, true);
    if (target == NULL || rewriting->refused || rewriting->status != CM_OK || !uses_all(rewriting))
        return rewriting->status;
    status = find_extents(rewriting, target);
    if (status != CM_OK)
        return status;
    if (forall->mask != NULL)
        rewriting->mask = cm_forall_rewrite(rewriting, forall->mask);
    return base == element
               ? assign_section(rewriting, target, forall->values[assignment], done)
               : assign_elements(rewriting, element, target, forall->values[assignment], done);
}

enum cm_status cm_fortran_machine_forall(struct cm_fortran_run *run,
                                         const struct cm_fortran_forall *forall, bool *done)
{
    *done = false;
    if (forall->assignments != 1)
        return CM_OK; /* run/assign.c calls this function for each assignment */
    struct cm_forall *rewriting = calloc(1, sizeof(*rewriting));
    if (rewriting == NULL)
        return cm_fortran_no_memory(run);
    rewriting->run = run;
    rewriting->forall = forall;
    enum cm_status status = find_triplets(rewriting);
    if (status == CM_OK) {
        const struct cm_fortran_indices *outer = run->forall_indices;
        run->forall_indices = &rewriting->indices;
        status = assign(rewriting, 0, done);
        run->forall_indices = outer;
    }
    for (uint32_t i = 0; i < rewriting->count; i++)
        free(rewriting->nodes[i]);
    free(rewriting);
    return status;
}
