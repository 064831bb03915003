/*
 * Rewrites array elements of a FORALL whose subscripts depend on data, such as A(K(I), I) in B(1,
 * I) = A(K(I), I).
 *
 * Each node has all elements along a serial axis. So the subscript of a serial axis may be any
 * expression of the indices, and the machine adds it to an address. Subscripts of parallel axes
 * must be the indices that run along the target's axes. Such an element becomes a LOOKUP
 * expression, which lookup.c executes. An element also becomes a LOOKUP if it has no subscript
 * along a serial axis of the target, such as C(J) in B(I, J) = C(J).
 */
#include "forall.h"

#include <string.h>

static bool is_serial(const struct cm_fortran_array *array, uint32_t dim)
{
    return array->machine->layout.axes[dim].order == CM_ORDER_SERIAL;
}

static struct cm_fortran_array *array_of(const struct cm_forall *rewriting,
                                         const struct cm_fortran_expression *element)
{
    return cm_fortran_binding_of(rewriting->run, element->variable)->array;
}

/* Returns true if the subscripts that have FORALL indices are just these indices, plus offsets, in
 * the order of the target. */
static bool is_in_order(struct cm_forall *rewriting, const struct cm_fortran_expression *element)
{
    uint32_t next = 0, number;
    int64_t offset;
    for (uint32_t i = 0; i < element->count; i++) {
        if (!cm_forall_has_index(element->args[i])) {
            next += element->args[i]->kind == CM_FORTRAN_TRIPLET;
            continue;
        }
        if (!cm_forall_is_index(rewriting, element->args[i], &number, &offset) ||
            rewriting->indices.dim[number] != next)
            return false;
        next++;
    }
    return next == rewriting->indices.rank;
}

bool cm_forall_is_table(struct cm_forall *rewriting, const struct cm_fortran_expression *element)
{
    const struct cm_fortran_array *array = array_of(rewriting, element);
    return element->kind == CM_FORTRAN_ELEMENT && array != NULL && cm_fortran_on_machine(array) &&
           !is_in_order(rewriting, element);
}

/* Returns true if a subscript is a FORALL index, perhaps plus an offset, that runs along a
 * dimension of the target's section, and if the axes of the element and of the target are both
 * serial or both parallel. Finds the index and the offset. */
static bool runs_along(struct cm_forall *rewriting, const struct cm_fortran_array *array,
                       const struct cm_fortran_expression *subscript, uint32_t axis,
                       uint32_t *number, int64_t *offset)
{
    if (!cm_forall_is_index(rewriting, subscript, number, offset))
        return false;
    const uint32_t dim = rewriting->indices.dim[*number];
    return dim != UINT32_MAX && rewriting->serial[dim] == is_serial(array, axis) &&
           cm_forall_is_inside(rewriting, array, axis, *number, *offset);
}

/* Rewrites a subscript that selects an element of a look-up table. Where the mask is false, the
 * subscript becomes the lower bound. */
static struct cm_fortran_expression *
selector(struct cm_forall *rewriting, struct cm_fortran_expression *subscript, int64_t lower)
{
    struct cm_fortran_expression *made = cm_forall_rewrite(rewriting, subscript);
    const struct cm_fortran_expression plain = {.kind = CM_FORTRAN_INTRINSIC,
                                                .intrinsic = CM_FORTRAN_MERGE,
                                                .type = CM_TYPE_INT32,
                                                .rank = (uint8_t)rewriting->indices.rank,
                                                .place = subscript->place};
    if (rewriting->mask == NULL)
        return made;
    struct cm_fortran_expression *merge = cm_forall_copy(rewriting, &plain, 3);
    if (merge == NULL)
        return made;
    merge->args[0] = made;
    merge->args[1] = cm_forall_constant(rewriting, lower);
    merge->args[2] = rewriting->mask;
    return merge;
}

struct cm_fortran_expression *cm_forall_table(struct cm_forall *rewriting,
                                              const struct cm_fortran_expression *element)
{
    struct cm_fortran_expression *made = cm_forall_copy(rewriting, element, element->count);
    const struct cm_fortran_array *array = array_of(rewriting, element);
    bool taken[CM_RANK_MAX] = {false};
    uint32_t number = 0;
    int64_t offset = 0;
    if (made == NULL)
        return NULL;
    made->kind = CM_FORTRAN_LOOKUP;
    made->rank = (uint8_t)rewriting->indices.rank;
    for (uint32_t i = 0; i < element->count && rewriting->status == CM_OK; i++) {
        struct cm_fortran_expression *subscript = element->args[i];
        made->args[i] = subscript;
        if (!cm_forall_has_index(subscript)) {
            rewriting->refused =
                rewriting->refused || subscript->rank > 0 || subscript->kind == CM_FORTRAN_TRIPLET;
        } else if (runs_along(rewriting, array, subscript, i, &number, &offset) &&
                   !taken[rewriting->indices.dim[number]]) {
            made->args[i] = cm_forall_triplet(rewriting, subscript->place, number, offset);
            taken[rewriting->indices.dim[number]] = true;
        } else if (is_serial(array, i)) {
            made->args[i] = selector(rewriting, subscript, array->lower[i]);
        } else {
            rewriting->refused = true;
        }
    }
    rewriting->lookups++;
    return made;
}

/* ---- targets ---- */

/* Returns true if another subscript of the target is the same FORALL index, and comes before this
 * subscript or belongs to a parallel axis. */
static bool is_taken(struct cm_forall *rewriting, const struct cm_fortran_expression *target,
                     const struct cm_fortran_array *array, uint32_t axis, uint32_t number)
{
    uint32_t other;
    int64_t offset;
    for (uint32_t i = 0; i < target->count; i++)
        if (i != axis && (i < axis || !is_serial(array, i)) &&
            cm_forall_is_index(rewriting, target->args[i], &other, &offset) && other == number)
            return true;
    return false;
}

struct cm_fortran_expression *cm_forall_base(struct cm_forall *rewriting,
                                             struct cm_fortran_expression *target)
{
    const struct cm_fortran_array *array = array_of(rewriting, target);
    struct cm_fortran_expression *made = NULL;
    uint32_t number;
    int64_t offset;
    if (target->kind != CM_FORTRAN_ELEMENT)
        return target;
    for (uint32_t i = 0; i < target->count; i++) {
        if (!is_serial(array, i) || !cm_forall_has_index(target->args[i]) ||
            (cm_forall_is_index(rewriting, target->args[i], &number, &offset) && offset == 0 &&
             !is_taken(rewriting, target, array, i, number)))
            continue;
        if (made == NULL) {
            made = cm_forall_copy(rewriting, target, target->count);
            if (made == NULL)
                return target;
            memcpy(made->args, target->args, target->count * sizeof(target->args[0]));
        }
        made->args[i] = cm_forall_constant(rewriting, array->lower[i]);
    }
    return made != NULL ? made : target;
}
