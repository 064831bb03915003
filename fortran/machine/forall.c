/*
 * FORALL on the machine. FORALL (I = 1:N) A(I) = B(I + 1) * I is A(1:N) = B(2:N+1) * [1:N]: where
 * each index is the subscript of one dimension of the target, and what the value reads has the
 * indices in the same order, perhaps at an offset, the assignment is that of a section, and is
 * rewritten as such.
 */
#include "machine.h"

#include <stdlib.h>
#include <string.h>

#define NODES_MAX 4096u

/* A rewriting under way. New expressions live until its end. */
struct rewriting {
    struct cm_fortran_run *run;
    const struct cm_fortran_forall *forall;
    struct cm_fortran_indices indices;
    struct cm_fortran_expression *nodes[NODES_MAX];
    uint32_t count;
    bool refused; /* it has another form */
    enum cm_status status;
};

/* A copy of an expression, with room for its operands. */
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

/* A subscript that is an index, or an index plus or minus what has none: number and offset. */
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

/* Whether all subscripts that an index and an offset make are in the bounds of a dimension; where
 * they are not, a mask or another index may leave them out, and the front end sees. */
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

/* An element as a section; its indices must come in the order of the target's. */
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
    if (array == NULL || (element->rank > 0 && !is_target)) {
        rewriting->refused = true;
        return made;
    }
    made->kind = CM_FORTRAN_SECTION;
    for (uint32_t i = 0; i < element->count && rewriting->status == CM_OK; i++) {
        made->args[i] = element->args[i];
        if (!has_index(element->args[i])) {
            next += element->args[i]->kind == CM_FORTRAN_TRIPLET;
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

/* The values 1, 2, ... of an index over the section, as a constructor spread over it is written:
 * an INDEX of the section's rank. */
static struct cm_fortran_expression *rewrite(struct rewriting *rewriting,
                                             struct cm_fortran_expression *expression)
{
    if (expression == NULL || !has_index(expression))
        return expression;
    if (expression->kind == CM_FORTRAN_ELEMENT)
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

/* target = value, or under a mask target = MERGE(value, target, mask). */
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

/* The extents of the target, which may be a section in other dimensions. */
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

/* One assignment: *done unless it has another form, or its target is in the front end. */
static enum cm_status assign(struct rewriting *rewriting, uint32_t assignment, bool *done)
{
    const struct cm_fortran_forall *forall = rewriting->forall;
    const struct cm_fortran_expression *element = forall->targets[assignment];
    struct cm_fortran_array *array;
    enum cm_status status =
        cm_fortran_array_of(rewriting->run, element->variable, element->place, &array);
    if (status != CM_OK || !cm_fortran_on_machine(array))
        return status;
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
        return CM_OK; /* run/assign.c splits them */
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
