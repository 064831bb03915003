/*
 * FORALL on the machine.
 *
 * FORALL (I = 1:N) A(I) = B(I + 1) * I is the assignment of sections A(1:N) = B(2:N+1) * [1:N]. The
 * rewriting works if each index is the subscript of one dimension of the target, and if every array
 * in the value has the indices in the same order, perhaps at offsets. An index as a value becomes
 * an INDEX expression with the section's rank. A mask becomes MERGE(value, target, mask). If the
 * target's array has serial axes, the target and the value may have triplets too, as in
 * A(I, :) = B(I, :). In other cases the front end executes the FORALL, element by element.
 */
#include "machine.h"

#include <stdlib.h>
#include <string.h>

#define NODES_MAX 4096u

/* A FORALL while it is rewritten. It owns the new expressions. */
struct rewriting {
    struct cm_fortran_run *run;
    const struct cm_fortran_forall *forall;
    struct cm_fortran_indices indices;
    struct cm_fortran_expression *nodes[NODES_MAX];
    uint32_t count;
    bool takes_sections; /* true if the target and the value may have triplets */
    bool refused;        /* true if the FORALL has a form that is not rewritten */
    enum cm_status status;
};

/* Copies an expression, with room for `count` operands. */
static struct cm_fortran_expression *copy(struct rewriting *rewriting,
                                          const struct cm_fortran_expression *from, uint32_t count)
{
    size_t bytes = sizeof(*from) + count * sizeof(struct cm_fortran_expression *);
    if (rewriting->count == NODES_MAX) {
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

static bool has_index(const struct cm_fortran_expression *expression)
{
    if (expression == NULL)
        return false;
    if (expression->kind == CM_FORTRAN_INDEX)
        return true;
    for (uint32_t i = 0; i < expression->count; i++)
        if (has_index(expression->args[i]))
            return true;
    return false;
}

/* Returns true for a subscript that is an index, or an index plus or minus a term without indices.
 * Finds the number of the index and the offset. */
static bool is_index(struct rewriting *rewriting, const struct cm_fortran_expression *subscript,
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
    if (a->kind != CM_FORTRAN_INDEX || has_index(b))
        return false;
    *number = a->number;
    rewriting->status = cm_fortran_integer(rewriting->run, b, offset);
    if (subscript->op == CM_FORTRAN_SUBTRACT)
        *offset = -*offset;
    return rewriting->status == CM_OK;
}

static struct cm_fortran_expression *constant(struct rewriting *rewriting, int64_t value)
{
    const struct cm_fortran_expression plain = {
        .kind = CM_FORTRAN_CONSTANT,
        .type = CM_TYPE_INT32,
        .place = rewriting->run->statement->place,
        .value = {.integer = (int32_t)value},
    };
    return copy(rewriting, &plain, 0);
}

static uint64_t extent_of(const struct rewriting *rewriting, uint32_t number)
{
    const struct cm_fortran_indices *indices = &rewriting->indices;
    int64_t stride = indices->stride[number];
    int64_t span = stride > 0 ? indices->last[number] - indices->first[number]
                              : indices->first[number] - indices->last[number];
    return stride == 0 || span < 0 ? 0 : (uint64_t)(span / llabs(stride)) + 1;
}

/* Returns true if all values of an index plus an offset are within the bounds of a dimension. If
 * they are not, a mask may still exclude the wrong ones. The front end finds out. */
static bool is_inside(const struct rewriting *rewriting, const struct cm_fortran_array *array,
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

/* Refuses a triplet without indices in the value if an index runs along the target's dimension. */
static void check_triplet(struct rewriting *rewriting, uint32_t dim, bool is_target)
{
    for (uint32_t i = 0; i < rewriting->forall->indices && !is_target; i++)
        rewriting->refused = rewriting->refused || rewriting->indices.dim[i] == dim;
}

/* Rewrites an array element or a section as a section. Refuses one whose indices are not in the
 * target's order. */
static struct cm_fortran_expression *
section(struct rewriting *rewriting, const struct cm_fortran_expression *element, bool is_target)
{
    struct cm_fortran_expression *made = copy(rewriting, element, element->count);
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
    for (uint32_t i = 0; i < element->count && rewriting->status == CM_OK; i++) {
        made->args[i] = element->args[i];
        if (!has_index(element->args[i])) {
            if (element->args[i]->kind == CM_FORTRAN_TRIPLET)
                check_triplet(rewriting, next++, is_target);
            else
                rewriting->refused = rewriting->refused || element->args[i]->rank > 0;
            continue;
        }
        if (!is_index(rewriting, element->args[i], &number, &offset) ||
            (is_target && (offset != 0 || rewriting->indices.dim[number] != UINT32_MAX)) ||
            (!is_target && rewriting->indices.dim[number] != next)) {
            rewriting->refused = true;
            return made;
        }
        if (!is_inside(rewriting, array, i, number, offset)) {
            rewriting->refused = true;
            return made;
        }
        if (is_target)
            rewriting->indices.dim[number] = next;
        const struct cm_fortran_expression plain = {
            .kind = CM_FORTRAN_TRIPLET, .type = CM_TYPE_INT32, .place = element->args[i]->place};
        struct cm_fortran_expression *triplet = copy(rewriting, &plain, 3);
        if (triplet == NULL)
            return made;
        triplet->args[0] = constant(rewriting, rewriting->indices.first[number] + offset);
        triplet->args[1] = constant(rewriting, rewriting->indices.last[number] + offset);
        triplet->args[2] = constant(rewriting, rewriting->indices.stride[number]);
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

/* Rewrites an expression: elements become sections, indices become INDEX expressions with the
 * section's rank. */
static struct cm_fortran_expression *rewrite(struct rewriting *rewriting,
                                             struct cm_fortran_expression *expression)
{
    if (expression == NULL || !has_index(expression)) {
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
    struct cm_fortran_expression *made = copy(rewriting, expression, expression->count);
    if (made == NULL)
        return expression;
    made->rank = (uint8_t)rewriting->indices.rank;
    for (uint32_t i = 0; i < expression->count && rewriting->status == CM_OK; i++)
        made->args[i] = rewrite(rewriting, expression->args[i]);
    return made;
}

static enum cm_status find_triplets(struct rewriting *rewriting)
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

/* Makes the value of the assignment. Under a mask it is MERGE(value, target, mask). */
static struct cm_fortran_expression *make_value(struct rewriting *rewriting,
                                                struct cm_fortran_expression *target,
                                                struct cm_fortran_expression *value)
{
    struct cm_fortran_expression *made = rewrite(rewriting, value);
    if (rewriting->forall->mask == NULL)
        return made;
    const struct cm_fortran_expression plain = {.kind = CM_FORTRAN_INTRINSIC,
                                                .intrinsic = CM_FORTRAN_MERGE,
                                                .type = target->type,
                                                .rank = target->rank,
                                                .place = target->place};
    struct cm_fortran_expression *merge = copy(rewriting, &plain, 3);
    if (merge == NULL)
        return made;
    merge->args[0] = made;
    merge->args[1] = target;
    merge->args[2] = rewrite(rewriting, rewriting->forall->mask);
    return merge;
}

static bool uses_all(const struct rewriting *rewriting)
{
    for (uint32_t i = 0; i < rewriting->forall->indices; i++)
        if (rewriting->indices.dim[i] == UINT32_MAX)
            return false;
    return true;
}

/* Finds the extents of the target's section, which may have dimensions besides those of the
 * indices. */
static enum cm_status find_extents(struct rewriting *rewriting,
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

/* Executes one assignment. Leaves *done false if it is not rewritten, or its target is in the front
 * end. */
static enum cm_status assign(struct rewriting *rewriting, uint32_t assignment, bool *done)
{
    const struct cm_fortran_forall *forall = rewriting->forall;
    const struct cm_fortran_expression *element = forall->targets[assignment];
    struct cm_fortran_array *array;
    enum cm_status status =
        cm_fortran_array_of(rewriting->run, element->variable, element->place, &array);
    if (status != CM_OK || !cm_fortran_on_machine(array))
        return status;
    rewriting->takes_sections = cm_fortran_has_serial_axis(array);
    for (uint32_t i = 0; i < CM_RANK_MAX; i++)
        rewriting->indices.dim[i] = UINT32_MAX;
    struct cm_fortran_expression *target = section(rewriting, element, true);
    if (target == NULL || rewriting->refused || rewriting->status != CM_OK || !uses_all(rewriting))
        return rewriting->status;
    status = find_extents(rewriting, target);
    if (status != CM_OK)
        return status;
    struct cm_fortran_expression *value = make_value(rewriting, target, forall->values[assignment]);
    if (rewriting->refused || rewriting->status != CM_OK)
        return rewriting->status;
    return cm_fortran_machine_assign(rewriting->run, target, value, NULL, done);
}

enum cm_status cm_fortran_machine_forall(struct cm_fortran_run *run,
                                         const struct cm_fortran_forall *forall, bool *done)
{
    *done = false;
    if (forall->assignments != 1)
        return CM_OK; /* run/assign.c passes them one by one */
    struct rewriting *rewriting = calloc(1, sizeof(*rewriting));
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
