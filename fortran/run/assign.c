/*
 * Executes assignments, WHERE and FORALL, on the machine if it supports the statement, or else in
 * the front end.
 *
 * WHERE keeps two masks for each open block (host/state.h). The masks of an inner block are already
 * combined with those of the outer block, so that an assignment needs the innermost mask alone.
 */
#include "run_private.h"

#include <stdlib.h>
#include <string.h>

static enum cm_status in_front_end(struct cm_fortran_run *run,
                                   const struct cm_fortran_expression *target,
                                   const struct cm_fortran_expression *value,
                                   const struct cm_fortran_array *mask)
{
    struct cm_fortran_array *result = NULL;
    enum cm_status status = cm_fortran_host_value(run, value, &result);
    if (status == CM_OK)
        status = cm_fortran_host_assign(run, target, result, mask);
    cm_fortran_array_destroy(run, result);
    return status;
}

enum cm_status cm_fortran_assign(struct cm_fortran_run *run,
                                 const struct cm_fortran_expression *target,
                                 const struct cm_fortran_expression *value)
{
    union cm_fortran_value scalar;
    bool done = false;
    enum cm_status status;
    if (target->type == CM_FORTRAN_CHARACTER)
        return cm_fortran_text_assign(run, target, value);
    if (target->rank == 0) {
        status = cm_fortran_scalar(run, value, &scalar);
        return status == CM_OK ? cm_fortran_assign_scalar(run, target, &scalar) : status;
    }
    const struct cm_fortran_array *mask = cm_fortran_mask(run);
    const struct cm_fortran_selection selection = {.mask = mask};
    run->selection = mask != NULL ? &selection : NULL;
    status = cm_fortran_machine_assign(run, target, value, mask, &done);
    if (status == CM_OK && !done)
        status = in_front_end(run, target, value, mask);
    run->selection = NULL;
    return status;
}

/* ---- WHERE ---- */

/* Evaluates the mask of a WHERE, on the machine if possible, or else in the front end. Only
 * elements where the mask `outer` is true count as used. `outer` may be NULL. */
static enum cm_status evaluate(struct cm_fortran_run *run, const struct cm_fortran_expression *mask,
                               const struct cm_fortran_array *outer,
                               struct cm_fortran_array **value)
{
    const struct cm_fortran_selection selection = {.mask = outer};
    run->selection = &selection;
    enum cm_status status = cm_fortran_machine_value(run, mask, value);
    if (status == CM_OK && *value == NULL)
        status = cm_fortran_host_value(run, mask, value);
    run->selection = NULL;
    return status;
}

/* Computes both masks of a WHERE block in the front end: `active` = `outer` and `active`, `pending`
 * = `outer` and not `active`. `outer` may be NULL. */
static void split(const uint8_t *outer, uint8_t *active, uint8_t *pending, uint64_t count)
{
    for (uint64_t e = 0; e < count; e++) {
        bool holds = active[e] != 0, inside = outer == NULL || outer[e] != 0;
        active[e] = inside && holds;
        pending[e] = inside && !holds;
    }
}

static enum cm_status split_in_front_end(struct cm_fortran_run *run, struct cm_source_place place,
                                         const struct cm_fortran_array *outer,
                                         struct cm_fortran_mask *mask)
{
    struct cm_fortran_array *own = NULL, *copy = NULL;
    enum cm_status status = CM_OK;
    if (outer != NULL)
        status = cm_fortran_conform(run, place, outer, mask->active);
    if (status == CM_OK && outer != NULL)
        status = cm_fortran_array_copy(run, outer, outer->elements, &copy);
    if (status == CM_OK)
        status = cm_fortran_array_copy(run, mask->active, mask->active->elements, &own);
    if (status == CM_OK)
        status =
            cm_fortran_array_host(run, CM_TYPE_LOGICAL, own->rank, own->extent, &mask->pending);
    if (status == CM_OK) {
        split(copy != NULL ? copy->host : NULL, own->host, mask->pending->host, own->elements);
        cm_fortran_array_destroy(run, mask->active);
        mask->active = own;
        own = NULL;
    }
    cm_fortran_array_destroy(run, own);
    cm_fortran_array_destroy(run, copy);
    return status;
}

static enum cm_status split_masks(struct cm_fortran_run *run, struct cm_source_place place,
                                  const struct cm_fortran_array *outer,
                                  struct cm_fortran_mask *mask)
{
    bool done = false;
    enum cm_status status = cm_fortran_machine_split(run, outer, mask, &done);
    return status != CM_OK || done ? status : split_in_front_end(run, place, outer, mask);
}

static enum cm_status open_where(struct cm_fortran_run *run,
                                 const struct cm_fortran_statement *statement)
{
    struct cm_fortran_mask mask = {0};
    if (run->mask_count == CM_FORTRAN_WHERE_MAX)
        return cm_fortran_fail(run, statement->place, "WHERE blocks nest deeper than %u",
                               CM_FORTRAN_WHERE_MAX);
    enum cm_status status = evaluate(run, statement->value, cm_fortran_mask(run), &mask.active);
    if (status == CM_OK)
        status = split_masks(run, statement->place, cm_fortran_mask(run), &mask);
    run->masks[run->mask_count++] = mask;
    return status;
}

static enum cm_status elsewhere(struct cm_fortran_run *run,
                                const struct cm_fortran_statement *statement)
{
    struct cm_fortran_mask *mask = &run->masks[run->mask_count - 1];
    cm_fortran_array_destroy(run, mask->active);
    mask->active = mask->pending;
    mask->pending = NULL;
    if (statement->value == NULL)
        return CM_OK;
    struct cm_fortran_mask next = {0};
    enum cm_status status = evaluate(run, statement->value, mask->active, &next.active);
    if (status == CM_OK)
        status = split_masks(run, statement->place, mask->active, &next);
    cm_fortran_array_destroy(run, mask->active);
    *mask = next;
    return status;
}

void cm_fortran_masks_drop(struct cm_fortran_run *run, uint32_t keep)
{
    while (run->mask_count > keep) {
        struct cm_fortran_mask *mask = &run->masks[--run->mask_count];
        cm_fortran_array_destroy(run, mask->active);
        cm_fortran_array_destroy(run, mask->pending);
        *mask = (struct cm_fortran_mask){0};
    }
}

enum cm_status cm_fortran_where(struct cm_fortran_run *run,
                                const struct cm_fortran_statement *statement)
{
    if (statement->kind == CM_FORTRAN_WHERE)
        return open_where(run, statement);
    if (statement->kind == CM_FORTRAN_ELSEWHERE)
        return elsewhere(run, statement);
    cm_fortran_masks_drop(run, run->mask_count - 1);
    return CM_OK;
}

/* ---- FORALL ---- */

/* The values that a FORALL index takes. */
struct index {
    int64_t first, stride;
    uint64_t count;
};

/* Element indices and values of one assignment of a FORALL. All values are computed before the
 * first value is assigned. */
struct pending {
    uint64_t *places;
    union cm_fortran_value *values;
    uint64_t count;
};

static enum cm_status find_index(struct cm_fortran_run *run,
                                 const struct cm_fortran_expression *triplet, struct index *index)
{
    int64_t last;
    index->stride = 1;
    enum cm_status status = cm_fortran_integer(run, triplet->args[0], &index->first);
    if (status == CM_OK)
        status = cm_fortran_integer(run, triplet->args[1], &last);
    if (status == CM_OK && triplet->args[2] != NULL)
        status = cm_fortran_integer(run, triplet->args[2], &index->stride);
    if (status == CM_OK && index->stride == 0)
        status = cm_fortran_fail(run, triplet->place, "the stride is 0");
    if (status != CM_OK)
        return status;
    int64_t span = index->stride > 0 ? last - index->first : index->first - last;
    index->count = span < 0 ? 0 : (uint64_t)(span / llabs(index->stride)) + 1;
    return CM_OK;
}

static void set_indices(const struct index *indices, uint32_t count, uint64_t number,
                        int64_t *values)
{
    for (uint32_t i = 0; i < count; i++) {
        values[i] = indices[i].first + (int64_t)(number % indices[i].count) * indices[i].stride;
        number /= indices[i].count;
    }
}

static enum cm_status evaluate_element(struct cm_fortran_run *run,
                                       const struct cm_fortran_forall *forall, uint32_t assignment,
                                       const uint8_t *mask, uint64_t number,
                                       struct pending *pending)
{
    const struct cm_fortran_expression *target = forall->targets[assignment];
    struct cm_fortran_array *array;
    if (mask != NULL && !mask[number])
        return CM_OK;
    enum cm_status status = cm_fortran_array_of(run, target->variable, target->place, &array);
    if (status == CM_OK)
        status = cm_fortran_offset(run, target, array, &pending->places[pending->count]);
    if (status == CM_OK)
        status =
            cm_fortran_scalar(run, forall->values[assignment], &pending->values[pending->count]);
    pending->count++;
    return status;
}

/* Executes an assignment of a FORALL whose target is a section for each value of the indices:
 * computes all values first, then assigns them. */
static enum cm_status assign_sections(struct cm_fortran_run *run,
                                      const struct cm_fortran_forall *forall, uint32_t assignment,
                                      const struct index *indices, uint64_t total,
                                      const uint8_t *mask)
{
    int64_t values[CM_RANK_MAX];
    const int64_t *outer = run->forall_values;
    struct cm_fortran_array **results = calloc(total + 1, sizeof(struct cm_fortran_array *));
    enum cm_status status = results != NULL ? CM_OK : cm_fortran_no_memory(run);
    run->forall_values = values;
    for (uint64_t n = 0; n < total && status == CM_OK; n++) {
        set_indices(indices, forall->indices, n, values);
        status = cm_fortran_go_on(run);
        if (status == CM_OK && (mask == NULL || mask[n]))
            status = cm_fortran_host_value(run, forall->values[assignment], &results[n]);
    }
    for (uint64_t n = 0; n < total && status == CM_OK; n++) {
        set_indices(indices, forall->indices, n, values);
        status = cm_fortran_go_on(run);
        if (status == CM_OK && results[n] != NULL)
            status = cm_fortran_host_assign(run, forall->targets[assignment], results[n], NULL);
    }
    run->forall_values = outer;
    for (uint64_t n = 0; results != NULL && n < total; n++)
        cm_fortran_array_destroy(run, results[n]);
    free(results);
    return status;
}

static enum cm_status assign_elements(struct cm_fortran_run *run,
                                      const struct cm_fortran_forall *forall, uint32_t assignment,
                                      const struct index *indices, uint64_t total,
                                      const uint8_t *mask)
{
    if (forall->targets[assignment]->rank > 0)
        return assign_sections(run, forall, assignment, indices, total, mask);
    int64_t values[CM_RANK_MAX];
    const int64_t *outer = run->forall_values;
    struct cm_fortran_array *array;
    struct pending pending = {.places = calloc(total + 1, sizeof(*pending.places)),
                              .values = calloc(total + 1, sizeof(*pending.values))};
    enum cm_status status = CM_OK;
    if (pending.places == NULL || pending.values == NULL)
        status = cm_fortran_no_memory(run);
    run->forall_values = values;
    for (uint64_t n = 0; n < total && status == CM_OK; n++) {
        set_indices(indices, forall->indices, n, values);
        status = cm_fortran_go_on(run);
        if (status == CM_OK)
            status = evaluate_element(run, forall, assignment, mask, n, &pending);
    }
    run->forall_values = outer;
    if (status == CM_OK)
        status = cm_fortran_array_of(run, forall->targets[assignment]->variable,
                                     forall->targets[assignment]->place, &array);
    run->host_elements += run->uncharged ? 0 : pending.count;
    for (uint64_t k = 0; k < pending.count && status == CM_OK; k++) {
        status = cm_fortran_element_put(run, array, pending.places[k], &pending.values[k]);
        if (status == CM_OK)
            status = cm_fortran_go_on(run);
    }
    free(pending.places);
    free(pending.values);
    return status;
}

static enum cm_status evaluate_mask(struct cm_fortran_run *run,
                                    const struct cm_fortran_forall *forall,
                                    const struct index *indices, uint64_t total, uint8_t *mask)
{
    int64_t values[CM_RANK_MAX];
    const int64_t *outer = run->forall_values;
    enum cm_status status = CM_OK;
    run->forall_values = values;
    for (uint64_t n = 0; n < total && status == CM_OK; n++) {
        bool holds = false;
        set_indices(indices, forall->indices, n, values);
        status = cm_fortran_logical(run, forall->mask, &holds);
        mask[n] = holds;
        if (status == CM_OK)
            status = cm_fortran_go_on(run);
    }
    run->forall_values = outer;
    return status;
}

/* Executes a FORALL on the machine, if it has one assignment that the machine supports, or else all
 * its assignments in the front end. */
static enum cm_status execute_forall(struct cm_fortran_run *run,
                                     const struct cm_fortran_forall *forall)
{
    struct index indices[CM_RANK_MAX];
    uint64_t total = 1;
    uint8_t *mask = NULL;
    bool done = false;
    enum cm_status status = cm_fortran_machine_forall(run, forall, &done);
    if (status != CM_OK || done)
        return status;
    for (uint32_t i = 0; i < forall->indices && status == CM_OK; i++) {
        status = find_index(run, forall->triplets[i], &indices[i]);
        if (status == CM_OK && indices[i].count > CM_FORTRAN_ELEMENTS_MAX)
            status = cm_fortran_too_many(run);
        if (status == CM_OK)
            /* at most 2^60, because `total` is at most 2^30 after the check below */
            total *= indices[i].count;
        if (status == CM_OK && total > CM_FORTRAN_ELEMENTS_MAX)
            status = cm_fortran_too_many(run);
    }
    if (status == CM_OK && forall->mask != NULL) {
        mask = calloc(total + 1, 1);
        status = mask != NULL ? evaluate_mask(run, forall, indices, total, mask)
                              : cm_fortran_no_memory(run);
    }
    for (uint32_t i = 0; i < forall->assignments && status == CM_OK; i++)
        status = assign_elements(run, forall, i, indices, total, mask);
    free(mask);
    return status;
}

/* A triplet of a FORALL index, with its bounds replaced by constants. */
struct fixed {
    struct cm_fortran_expression triplet, parts[3], *args[3];
};

static enum cm_status fix(struct cm_fortran_run *run, const struct cm_fortran_expression *triplet,
                          struct fixed *fixed)
{
    enum cm_status status = CM_OK;
    fixed->triplet = *triplet;
    fixed->triplet.args = fixed->args;
    for (uint32_t i = 0; i < 3 && status == CM_OK; i++) {
        int64_t value;
        fixed->args[i] = NULL;
        if (triplet->args[i] == NULL)
            continue;
        status = cm_fortran_integer(run, triplet->args[i], &value);
        fixed->parts[i] = (struct cm_fortran_expression){.kind = CM_FORTRAN_CONSTANT,
                                                         .type = CM_TYPE_INT32,
                                                         .place = triplet->args[i]->place,
                                                         .value.integer = (int32_t)value};
        fixed->args[i] = &fixed->parts[i];
    }
    return status;
}

/* Executes the assignments of a FORALL one after the other, each for all values of the indices. The
 * bounds of the indices are evaluated once. If there are a mask and several assignments, the front
 * end evaluates the mask once and executes the FORALL. */
enum cm_status cm_fortran_forall(struct cm_fortran_run *run, const struct cm_fortran_forall *forall)
{
    enum cm_status status = CM_OK;
    struct fixed fixed[CM_RANK_MAX];
    struct cm_fortran_forall one = *forall;
    for (uint32_t i = 0; i < forall->indices && status == CM_OK; i++) {
        status = fix(run, forall->triplets[i], &fixed[i]);
        one.triplets[i] = &fixed[i].triplet;
    }
    if (status == CM_OK && forall->mask != NULL && forall->assignments > 1)
        return execute_forall(run, &one);
    for (uint32_t i = 0; i < forall->assignments && status == CM_OK; i++) {
        one.targets = &forall->targets[i];
        one.values = &forall->values[i];
        one.assignments = 1;
        status = execute_forall(run, &one);
    }
    return status;
}
