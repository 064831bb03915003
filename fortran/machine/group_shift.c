/*
 * Level 1 of optimization: the shifts of a group of statements, which are executed before the
 * group's IMP with as few calls of PSHIFT as possible.
 *
 * run->pshifts keeps the PSHIFT setups, which are used again for equal shifts of arrays with the
 * same layout. At most SETUPS_KEPT setups of groups exist at the same time.
 */
#include "group.h"

#include <string.h>

#define SETUPS_KEPT 64u

static bool is_same(const struct cm_shift *a, const struct cm_shift *b)
{
    return a->src == b->src && a->type == b->type && a->axis == b->axis &&
           a->distance == b->distance &&
           memcmp(&a->boundary_scalar, &b->boundary_scalar, sizeof(a->boundary_scalar)) == 0;
}

struct cm_array *cm_fortran_shifted(const struct cm_fortran_lowering *lowering,
                                    const struct cm_shift *shift)
{
    for (uint32_t i = 0; i < lowering->shift_count; i++)
        if (is_same(&lowering->shifts[i], shift))
            return lowering->shifts[i].dst;
    return NULL;
}

static enum cm_status gather(struct cm_fortran_lowering *lowering,
                             const struct cm_fortran_expression *call)
{
    struct cm_shift shift = {.path = CM_PATH_EXCHANGE};
    struct cm_fortran_array *result;
    enum cm_status status = cm_fortran_find_shift(lowering, call, &shift);
    if (status != CM_OK || cm_fortran_shifted(lowering, &shift) != NULL ||
        lowering->shift_count == CM_PSHIFT_MAX ||
        lowering->temporary_count == CM_EXPRESSION_ARRAYS_MAX)
        return status;
    status = cm_fortran_lower_temporary(lowering, shift.src->layout.type, &result);
    if (status == CM_OK) {
        shift.dst = result->machine;
        lowering->shifts[lowering->shift_count++] = shift;
    }
    return status;
}

enum cm_status cm_fortran_gather_shifts(struct cm_fortran_lowering *lowering,
                                        const struct cm_fortran_expression *expression)
{
    enum cm_status status = CM_OK;
    if (expression == NULL || expression->rank == 0)
        return CM_OK;
    if (cm_fortran_is_shift(expression))
        return gather(lowering, expression);
    for (uint32_t i = 0; i < expression->count && status == CM_OK; i++)
        status = cm_fortran_gather_shifts(lowering, expression->args[i]);
    return status;
}

/* ---- the call of PSHIFT ---- */

static bool is_kept(const struct cm_fortran_pshift *kept, const struct cm_layout *layout,
                    const struct cm_pshift_pattern *patterns, uint32_t count)
{
    if (!kept->used || !kept->by_group || kept->count != count ||
        !cm_layout_equal(&kept->layout, layout))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (kept->patterns[i].type != patterns[i].type ||
            kept->patterns[i].axis != patterns[i].axis ||
            kept->patterns[i].distance != patterns[i].distance)
            return false;
    return true;
}

/* Deallocates the oldest setup if SETUPS_KEPT setups are in use. A loop that changes its shift
 * distances would otherwise fill the nodes' memory with tables. */
static void drop_oldest(struct cm_fortran_run *run)
{
    struct cm_fortran_pshift *oldest = NULL;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < run->pshifts.count; i++) {
        struct cm_fortran_pshift *each = &run->pshifts.items[i];
        if (!each->by_group || !each->used)
            continue;
        oldest = oldest == NULL ? each : oldest;
        kept++;
    }
    if (kept < SETUPS_KEPT)
        return;
    oldest->used = false;
    cm_pshift_deallocate(run->system, oldest->id, NULL);
}

static enum cm_status find_setup(struct cm_fortran_run *run, const struct cm_shift *shifts,
                                 uint32_t count, int *id)
{
    struct cm_fortran_pshift made = {.used = true, .by_group = true, .count = count};
    made.layout = shifts[0].src->layout;
    for (uint32_t i = 0; i < count; i++)
        made.patterns[i] = (struct cm_pshift_pattern){
            .type = shifts[i].type, .axis = shifts[i].axis, .distance = shifts[i].distance};
    for (uint32_t i = 0; i < run->pshifts.count; i++)
        if (is_kept(&run->pshifts.items[i], &made.layout, made.patterns, count)) {
            *id = run->pshifts.items[i].id;
            return CM_OK;
        }
    if (!cm_list_room(&run->pshifts, (uint64_t)run->pshifts.count + 1))
        return cm_fortran_no_memory(run);
    drop_oldest(run);
    enum cm_status status = cm_pshift_setup(
        run->system, &(struct cm_pshift_request){CM_SETUP_AUTO, &made.layout, made.patterns, count},
        &made.id, run->err);
    if (status != CM_OK)
        return status;
    *id = made.id;
    for (uint32_t i = 0; i < run->pshifts.count; i++)
        if (run->pshifts.items[i].by_group && !run->pshifts.items[i].used) {
            run->pshifts.items[i] = made;
            return CM_OK;
        }
    cm_list_push(&run->pshifts, made);
    return CM_OK;
}

/* Executes shifts by one call of PSHIFT, or a single shift by a call of the run-time library. */
static enum cm_status call(struct cm_fortran_run *run, const struct cm_shift *shifts,
                           uint32_t count)
{
    int id = 0;
    if (count == 0)
        return CM_OK;
    if (count == 1)
        return cm_runtime_shift(run->system, &shifts[0], run->err);
    enum cm_status status = find_setup(run, shifts, count, &id);
    return status == CM_OK ? cm_pshift_call(run->system, id, shifts, count, run->err) : status;
}

/* Executes the shifts of all arrays of one type. A call of PSHIFT takes arrays of the same layout,
 * and at most two shifts along each axis (section 4 of the PSHIFT paper). */
static enum cm_status make_some(struct cm_fortran_lowering *lowering, enum cm_type type)
{
    struct cm_shift shifts[CM_PSHIFT_MAX];
    uint32_t left = 0, made[CM_PSHIFT_MAX] = {0};
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; i < lowering->shift_count; i++)
        left += lowering->shifts[i].src->layout.type == type;
    while (left > 0 && status == CM_OK) {
        uint32_t count = 0, on_axis[CM_RANK_MAX] = {0};
        for (uint32_t i = 0; i < lowering->shift_count; i++) {
            const struct cm_shift *shift = &lowering->shifts[i];
            if (shift->src->layout.type != type || made[i] || on_axis[shift->axis] == 2)
                continue;
            on_axis[shift->axis]++;
            made[i] = 1;
            shifts[count++] = *shift;
        }
        left -= count;
        lowering->shift_calls++;
        status = call(lowering->run, shifts, count);
    }
    return status;
}

enum cm_status cm_fortran_make_shifts(struct cm_fortran_lowering *lowering)
{
    enum cm_status status = CM_OK;
    for (uint32_t type = 0; type < CM_TYPE_COUNT && status == CM_OK; type++)
        status = make_some(lowering, (enum cm_type)type);
    return status;
}
