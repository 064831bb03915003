/*
 * Level 2 of optimization: halo references.
 *
 * A CSHIFT or EOSHIFT of an array, or a section at an offset, is an operand at an offset, which is
 * not copied. A halo exchange brings elements of neighbouring nodes (programs/stencil), and the
 * statement's IMP reads every element in place (programs/elementwise/near.h). The order of
 * operations is that of the expression, so that results equal those of level 0.
 *
 * Halo references to the same array with equal boundaries share halos. If the stencil library
 * refuses a reference, its array is shifted into a temporary array. result.c decides where the
 * results go if the statement assigns an array that it also reads at offsets.
 */
#include "machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Largest number of halo groups (struct group) in a statement. SETUPS_MAX in setups.c must be
 * larger. */
#define GROUPS_MAX 8u

/* A group of halo references to the same array with equal boundaries, which share its halos. */
struct group {
    struct cm_array *src;
    bool has_type[CM_STENCIL_RANK_MAX];
    struct cm_fortran_halo_task task;
    struct cm_stencil_pattern read; /* pattern without the changes for padded axes */
    struct cm_stencil_arguments arguments;
    /* copy of `src` for the exchange, in which logical values are integers */
    struct cm_array source;
    struct cm_halos halos;
};

struct plan {
    uint32_t count;
    struct group groups[GROUPS_MAX];
    struct cm_stencil *stencils[GROUPS_MAX];
    struct cm_halo_reference nears[CM_EXPRESSION_ARRAYS_MAX];
};

static bool refuse(struct cm_fortran_lowering *lowering, const char *reason)
{
    lowering->shift_reason = reason;
    return false;
}

/* ---- an operand ---- */

int64_t cm_fortran_nearest(int64_t offset, int64_t length)
{
    offset = (offset % length + length) % length;
    return offset > length / 2 ? offset - length : offset;
}

const struct cm_shift *cm_fortran_step_along(const struct cm_fortran_halo_reference *reference,
                                             uint32_t axis)
{
    for (uint32_t i = reference->step_count; i-- > 0;)
        if (reference->steps[i].axis == axis)
            return &reference->steps[i];
    return NULL;
}

/* Adds an end-off shift to a halo reference. Refuses the reference unless its end-off shifts have
 * equal boundary values, or are in the order of their axes. Otherwise the boundary values would
 * differ: halos take the boundary of the last axis along which an element is outside (stencil.h),
 * shifts take that of the last shift. */
static bool add_end_off(struct cm_fortran_lowering *lowering,
                        struct cm_fortran_halo_reference *reference, const struct cm_shift *step)
{
    for (uint32_t i = 0; i < reference->step_count; i++)
        if (reference->steps[i].type != CM_SHIFT_CSHIFT && reference->steps[i].axis > step->axis &&
            memcmp(&reference->steps[i].boundary_scalar, &step->boundary_scalar,
                   sizeof(step->boundary_scalar)) != 0)
            return refuse(lowering,
                          "shifted: end-off shifts along several axes, not in their order");
    reference->offset[step->axis] = step->distance;
    reference->steps[reference->step_count++] = *step;
    return true;
}

static bool add_step(struct cm_fortran_lowering *lowering,
                     struct cm_fortran_halo_reference *reference, const struct cm_shift *step)
{
    const struct cm_shift *before = cm_fortran_step_along(reference, step->axis);
    const int64_t length = (int64_t)reference->src->layout.axes[step->axis].length;
    if (step->distance == 0)
        return true;
    if (before != NULL && (before->type != CM_SHIFT_CSHIFT || step->type != CM_SHIFT_CSHIFT))
        return refuse(lowering, "shifted: end-off shifts along one axis, one of the other");
    if (step->type != CM_SHIFT_CSHIFT)
        return add_end_off(lowering, reference, step);
    const int64_t distance = cm_fortran_nearest(step->distance, length);
    reference->offset[step->axis] =
        cm_fortran_nearest(reference->offset[step->axis] + distance, length);
    reference->steps[reference->step_count] = *step;
    reference->steps[reference->step_count++].distance = distance;
    return true;
}

static bool has_offset(const struct cm_fortran_halo_reference *reference)
{
    for (uint32_t a = 0; a < CM_RANK_MAX; a++)
        if (reference->offset[a] != 0)
            return true;
    return false;
}

/* Returns true if the stencil library can make halos for this reference alone. */
static bool is_possible(struct cm_fortran_lowering *lowering,
                        const struct cm_fortran_halo_reference *reference)
{
    struct cm_stencil_pattern pattern = {.term_count = 1};
    struct cm_layout layout = reference->src->layout;
    const uint32_t rank = layout.rank;
    bool fits = true;
    if (rank > CM_STENCIL_RANK_MAX)
        return refuse(lowering, "shifted: the rank is above 4");
    for (uint32_t a = 0; a < rank; a++) {
        const struct cm_shift *step = cm_fortran_step_along(reference, a);
        pattern.terms[0].offset[a] = reference->offset[a];
        pattern.boundaries[a] = step != NULL ? step->type : CM_SHIFT_CSHIFT;
        fits = fits && cm_fortran_padding_takes(&layout.axes[a], reference->offset[a]);
    }
    if (fits && lowering->in_bands)
        cm_fortran_ring_layout(&reference->src->layout, &layout);
    const char *reason = cm_stencil_refusal(&layout, &pattern);
    if (reason == NULL)
        return true;
    snprintf(lowering->shift_text, sizeof(lowering->shift_text), "shifted: %s", reason);
    return refuse(lowering, lowering->shift_text);
}

static bool is_same_step(const struct cm_shift *a, const struct cm_shift *b)
{
    return a->type == b->type && a->axis == b->axis && a->distance == b->distance &&
           memcmp(&a->boundary_scalar, &b->boundary_scalar, sizeof(a->boundary_scalar)) == 0;
}

static bool is_same(const struct cm_fortran_halo_reference *a,
                    const struct cm_fortran_halo_reference *b)
{
    if (a->src != b->src || a->moved != b->moved || a->step_count != b->step_count)
        return false;
    for (uint32_t i = 0; i < a->step_count; i++)
        if (!is_same_step(&a->steps[i], &b->steps[i]))
            return false;
    return true;
}

/* Adds a graph node and an array argument for a halo reference. Equal references share an
 * argument. */
static enum cm_status add_operand(struct cm_fortran_lowering *lowering,
                                  const struct cm_fortran_halo_reference *reference, uint32_t *node)
{
    uint32_t i = 0;
    if (lowering->references == NULL)
        lowering->references = calloc(CM_EXPRESSION_ARRAYS_MAX, sizeof(*lowering->references));
    if (lowering->references == NULL)
        return cm_fortran_no_memory(lowering->run);
    while (i < lowering->array_count && !is_same(reference, &lowering->references[i]))
        i++;
    if (i == CM_EXPRESSION_ARRAYS_MAX)
        return cm_fortran_fail(lowering->run, lowering->run->statement->place,
                               "the statement uses more than %u arrays; split it",
                               CM_EXPRESSION_ARRAYS_MAX);
    if (i == lowering->array_count) {
        lowering->arrays[lowering->array_count++] = reference->src;
        lowering->references[i] = *reference;
        lowering->reference_count += !reference->moved;
        lowering->moved_count += reference->moved;
    }
    lowering->references[i].last_graph = lowering->imp_count;
    *node = cm_expression_array(lowering->graph, i, reference->src->layout.type);
    return CM_OK;
}

enum cm_status cm_fortran_lower_halo_reference(struct cm_fortran_lowering *lowering,
                                               struct cm_array *array, const struct cm_shift *steps,
                                               uint32_t count, uint32_t *node)
{
    struct cm_fortran_halo_reference reference = {.src = array};
    uint32_t number;
    bool can = true;
    for (uint32_t i = 0; i < count && can; i++)
        can = add_step(lowering, &reference, &steps[i]);
    if (can && !has_offset(&reference))
        return cm_fortran_lower_array(lowering, array, node, &number);
    if (!can || !is_possible(lowering, &reference)) {
        reference.moved = true;
        reference.step_count = count;
        memcpy(reference.steps, steps, count * sizeof(*steps));
    }
    return add_operand(lowering, &reference, node);
}

/* ---- halos ---- */

static bool agrees(const struct group *group, const struct cm_fortran_halo_reference *reference)
{
    if (group->src != reference->src)
        return false;
    for (uint32_t a = 0; a < reference->src->layout.rank; a++) {
        const struct cm_shift *step =
            reference->offset[a] != 0 ? cm_fortran_step_along(reference, a) : NULL;
        if (step != NULL && group->has_type[a] &&
            (group->task.pattern.boundaries[a] != step->type ||
             memcmp(&group->arguments.boundaries[a], &step->boundary_scalar,
                    sizeof(step->boundary_scalar)) != 0))
            return false;
    }
    return true;
}

static void begin_group(struct group *group, struct cm_array *src)
{
    group->src = src;
    group->source = *src;
    if (src->layout.type == CM_TYPE_LOGICAL)
        group->source.layout.type = CM_TYPE_INT32;
    cm_fortran_ring_layout(&src->layout, &group->task.layout);
    group->task.layout.type = group->source.layout.type;
    group->source.layout = group->task.layout;
    for (uint32_t a = 0; a < CM_STENCIL_RANK_MAX; a++)
        group->task.pattern.boundaries[a] = CM_SHIFT_CSHIFT;
    group->arguments.sources[0] = &group->source;
}

/* Adds the halo reference of array argument k to the group with the same array and boundaries, or
 * to a new group. Returns false if there are too many groups. */
static bool add_to_group(const struct cm_fortran_lowering *lowering, struct plan *plan, uint32_t k)
{
    const struct cm_fortran_halo_reference *reference = &lowering->references[k];
    uint32_t g = 0;
    while (g < plan->count && !agrees(&plan->groups[g], reference))
        g++;
    if (g == GROUPS_MAX)
        return false;
    struct group *group = &plan->groups[g];
    if (g == plan->count) {
        for (uint32_t i = 0; i < g && cm_layout_is_padded(&reference->src->layout); i++)
            if (plan->groups[i].src == reference->src)
                return false; /* the padding has one boundary value */
        begin_group(group, reference->src);
        plan->count++;
    }
    struct cm_stencil_pattern *pattern = &group->task.pattern;
    struct cm_stencil_term *term = &pattern->terms[pattern->term_count++];
    for (uint32_t a = 0; a < reference->src->layout.rank; a++) {
        if (reference->offset[a] == 0)
            continue;
        const struct cm_shift *step = cm_fortran_step_along(reference, a);
        term->offset[a] = reference->offset[a];
        group->has_type[a] = true;
        pattern->boundaries[a] = step->type;
        group->arguments.boundaries[a] = step->boundary_scalar;
    }
    plan->nears[k].halos = &group->halos;
    memcpy(plan->nears[k].offset, reference->offset, sizeof(reference->offset));
    return true;
}

/* Makes the exchange of a padded layout that of its ring, in which padded axes are circular. */
static void enter_ring(struct group *group)
{
    struct cm_stencil_pattern *pattern = &group->task.pattern;
    group->read = *pattern;
    for (uint32_t a = 0; a < group->src->layout.rank; a++)
        if (group->src->layout.axes[a].padded)
            pattern->boundaries[a] = CM_SHIFT_CSHIFT;
}

static enum cm_status prepare(struct cm_fortran_lowering *lowering, struct plan *plan)
{
    struct cm_fortran_run *run = lowering->run;
    enum cm_status status = CM_OK;
    for (uint32_t k = 0; k < lowering->array_count; k++)
        if (lowering->references[k].src != NULL && !add_to_group(lowering, plan, k))
            return cm_error_set(run->err, CM_BAD_INPUT, "more than %u arrays are shifted",
                                GROUPS_MAX);
    for (uint32_t g = 0; g < plan->count && status == CM_OK; g++) {
        enter_ring(&plan->groups[g]);
        status = cm_fortran_find_halos(run, &plan->groups[g].task, plan->stencils, g);
        if (status == CM_OK)
            cm_stencil_halos(plan->stencils[g], 0, &plan->groups[g].halos);
    }
    const struct cm_near_arguments arguments = {
        .given = {lowering->arrays, lowering->array_count, NULL, 0},
        .nears = plan->nears,
        .short_tables = lowering->in_bands,
        .ignores_padding = lowering->in_bands,
        .ordered = lowering->ordered,
        .down = lowering->down};
    for (uint32_t i = 0; i < lowering->imp_count && status == CM_OK; i++)
        status = cm_elementwise_prepare_near(run->system, lowering->imps[i], &arguments, run->err);
    return status;
}

static enum cm_status run_with_halos(struct cm_fortran_lowering *lowering, struct plan *plan)
{
    struct cm_fortran_run *run = lowering->run;
    enum cm_entry entry = CM_ENTRY_IMP;
    enum cm_status status = CM_OK;
    for (uint32_t g = 0; g < plan->count && status == CM_OK; g++) {
        struct group *group = &plan->groups[g];
        status = cm_fortran_fill_padding(run, &group->source, group->src->layout.axes, &group->read,
                                         group->arguments.boundaries);
    }
    for (uint32_t g = 0; g < plan->count && status == CM_OK; g++)
        status = cm_stencil_exchange_next(run->system, plan->stencils[g],
                                          &plan->groups[g].arguments, &entry, run->err);
    if (status == CM_OK && lowering->bands != NULL)
        return cm_fortran_bands_run(lowering, plan->nears, entry);
    return status == CM_OK ? cm_fortran_fuse(lowering, plan->nears, entry) : status;
}

/* ---- shifts instead of halos ---- */

/* Replaces a halo reference by a shifted copy. A single shift is collected in lowering->shifts, to
 * be executed by a PSHIFT with others. Several steps are executed here, one by one. */
static enum cm_status shift_operand(struct cm_fortran_lowering *lowering, uint32_t k)
{
    struct cm_fortran_halo_reference *reference = &lowering->references[k];
    struct cm_array *from = reference->src;
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; i < reference->step_count && status == CM_OK; i++) {
        struct cm_shift shift = reference->steps[i];
        struct cm_fortran_array *made;
        status = cm_fortran_lower_temporary(lowering, from->layout.type, &made);
        if (status != CM_OK)
            return status;
        shift.src = from;
        shift.dst = from = made->machine;
        if (reference->step_count == 1 && lowering->shift_count < CM_PSHIFT_MAX)
            lowering->shifts[lowering->shift_count++] = shift;
        else
            status = cm_runtime_shift(lowering->run->system, &shift, lowering->run->err);
    }
    reference->src = NULL;
    lowering->arrays[k] = from;
    return status;
}

/* Replaces halo references by shifted copies: all references if `all` is true, or else those that
 * cannot be read in place. */
static enum cm_status shift_operands(struct cm_fortran_lowering *lowering, bool all)
{
    enum cm_status status = CM_OK;
    lowering->shift_count = 0;
    for (uint32_t k = 0; k < lowering->array_count && status == CM_OK; k++)
        if (lowering->references[k].src != NULL && (all || lowering->references[k].moved))
            status = shift_operand(lowering, k);
    return status == CM_OK ? cm_fortran_make_shifts(lowering) : status;
}

/* Runs the statement with shifted copies instead of all halo references. The caller has set
 * lowering->shift_reason. */
static enum cm_status move_all(struct cm_fortran_lowering *lowering)
{
    lowering->moved_count += lowering->reference_count;
    lowering->reference_count = 0;
    enum cm_status status = shift_operands(lowering, true);
    cm_fortran_results_settle(lowering);
    return status == CM_OK ? cm_fortran_fuse(lowering, NULL, CM_ENTRY_IMP) : status;
}

/* Runs the statement with halo references, or with shifted copies if the stencil library
 * refuses. */
static enum cm_status try_halos(struct cm_fortran_lowering *lowering, struct plan *plan)
{
    struct cm_fortran_run *run = lowering->run;
    struct cm_error refusal = {0}, *outer = run->err;
    run->err = &refusal;
    enum cm_status status = prepare(lowering, plan);
    run->err = outer;
    if (status == CM_OK)
        return run_with_halos(lowering, plan);
    if (status != CM_BAD_INPUT) {
        if (outer != NULL)
            *outer = refusal;
        return status;
    }
    if (lowering->bands != NULL)
        return cm_fortran_fail(run, run->statement->place,
                               "the statement needs more node memory than is free, because shifted "
                               "operands can't be read in place: %.120s",
                               refusal.message);
    snprintf(lowering->shift_text, sizeof(lowering->shift_text), "shifted: %.120s",
             refusal.message);
    lowering->shift_reason = lowering->shift_text;
    return move_all(lowering);
}

enum cm_status cm_fortran_halo_references_run(struct cm_fortran_lowering *lowering)
{
    if (lowering->references != NULL && lowering->moved_count == 0 && !lowering->in_bands &&
        cm_fortran_shifts_are_cheaper(lowering)) {
        lowering->shift_reason = "shifted: the halos of each array would take more cycles";
        return move_all(lowering);
    }
    enum cm_status status = shift_operands(lowering, false);
    if (status != CM_OK || lowering->reference_count == 0)
        return status == CM_OK ? cm_fortran_fuse(lowering, NULL, CM_ENTRY_IMP) : status;
    struct plan *plan = calloc(1, sizeof(*plan));
    if (plan == NULL)
        return cm_fortran_no_memory(lowering->run);
    status = try_halos(lowering, plan);
    free(plan);
    return status;
}

size_t cm_fortran_halo_references_note(const struct cm_fortran_lowering *lowering, char *text,
                                       size_t size)
{
    size_t at = 0;
    text[0] = '\0';
    if (lowering->reference_count > 0)
        at = (size_t)snprintf(text, size, "%u shifted operand%s read in place%s",
                              lowering->reference_count, lowering->reference_count > 1 ? "s" : "",
                              lowering->bands != NULL ? ", results stored in bands" : "");
    if (lowering->moved_count > 0 && at < size)
        at += (size_t)snprintf(text + at, size - at, "%s%u %s", at > 0 ? "; " : "",
                               lowering->moved_count,
                               lowering->shift_reason != NULL ? lowering->shift_reason : "shifted");
    return at < size ? at : size - 1;
}
