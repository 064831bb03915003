/*
 * Statements for whose temporary arrays node memory has no room.
 *
 * At level 0 and 1 each shift needs a temporary array. At level 2 an array that the statement
 * assigns and reads at offsets needs one for its results. If node memory has no room for them, the
 * statement's shifts become halo references at every level, so that they need halos alone. An array
 * that is assigned and also read at offsets is then computed band by band
 * (programs/elementwise/bands.h). Padded layouts first get values in their padding (padding.c).
 */
#include "machine.h"

#include <stdlib.h>

/* divisors: level 2 leaves 1 / HALO_SHARE of an array's words for halos, the other levels leave
 * 1 / TABLE_SHARE for the tables of shifts */
#define HALO_SHARE  4u
#define TABLE_SHARE 16u

/* Returns true if an expression reads the array through a shift, or as a section. `shifted` is true
 * for an operand of a shift. */
static bool reads_at_offsets(struct cm_fortran_run *run,
                             const struct cm_fortran_expression *expression,
                             const struct cm_array *array, bool shifted)
{
    if (expression == NULL || expression->rank == 0)
        return false;
    if (expression->kind == CM_FORTRAN_VARIABLE)
        return shifted && cm_fortran_is_array(run, expression, array);
    if (expression->kind == CM_FORTRAN_SECTION && cm_fortran_is_array(run, expression, array))
        return true;
    for (uint32_t i = 0; i < expression->count; i++)
        if (reads_at_offsets(run, expression->args[i], array,
                             shifted || cm_fortran_is_shift(expression)))
            return true;
    return false;
}

/* Returns the number of temporary arrays for the shifts and sections of an expression: one for
 * each, and one for a shifted expression. The shift `onto` counts 0. */
static uint32_t count_shifts(const struct cm_fortran_expression *expression,
                             const struct cm_fortran_expression *onto)
{
    uint32_t count;
    if (expression == NULL || expression->rank == 0 || expression == onto)
        return 0;
    count = cm_fortran_is_shift(expression) || expression->kind == CM_FORTRAN_SECTION;
    count += cm_fortran_is_shift(expression) && expression->args[0]->kind != CM_FORTRAN_VARIABLE;
    for (uint32_t i = 0; i < expression->count; i++)
        count += count_shifts(expression->args[i], onto);
    return count;
}

uint32_t cm_fortran_count_temporaries(struct cm_fortran_run *run,
                                      const struct cm_fortran_expression *value,
                                      const struct cm_fortran_expression *onto,
                                      const struct cm_array *target)
{
    if (run->options.level > 1)
        return onto == NULL && reads_at_offsets(run, value, target, false);
    return count_shifts(value, onto);
}

bool cm_fortran_has_room(struct cm_fortran_run *run, const struct cm_fortran_array *model,
                         uint32_t count)
{
    const uint64_t words = model->machine->layout.local_words;
    const uint64_t more = words / (run->options.level > 1 ? HALO_SHARE : TABLE_SHARE);
    return count == 0 || cm_system_room(run->system, words + more) >= count;
}

/* Returns true if an expression has look-ups, which fault at indices that are in the padding. */
static bool looks_up(const struct cm_fortran_expression *expression)
{
    bool found = expression != NULL && expression->kind == CM_FORTRAN_LOOKUP;
    for (uint32_t i = 0; expression != NULL && i < expression->count && !found; i++)
        found = looks_up(expression->args[i]);
    return found;
}

void cm_fortran_find_bands(struct cm_fortran_lowering *lowering,
                           const struct cm_fortran_expression *value)
{
    struct cm_fortran_run *run = lowering->run;
    const struct cm_fortran_array *target = lowering->model->array;
    /* a section of some elements needs tables of indices */
    const uint32_t tables =
        cm_fortran_section_is_all(lowering->model) ? 0 : lowering->model->array->rank;
    const uint32_t count =
        cm_fortran_count_temporaries(run, value, lowering->onto, target->machine);
    const bool may = lowering->model->view == NULL && !looks_up(value) &&
                     !(lowering->apart && run->options.level > 1);
    lowering->in_bands = may && !cm_fortran_has_room(run, target, count + tables);
}

/* Adds the offsets of a halo reference. */
static void add_reads(struct cm_bands_reads *reads,
                      const struct cm_fortran_halo_reference *reference)
{
    const struct cm_layout *layout = &reference->src->layout;
    for (uint32_t a = 0; a < layout->rank; a++) {
        const int64_t offset = reference->offset[a];
        int64_t *reach = &reads->reach[a][offset > 0];
        bool circular = offset != 0;
        for (uint32_t i = 0; i < reference->step_count; i++)
            if (reference->steps[i].axis == a && reference->steps[i].type != CM_SHIFT_CSHIFT)
                circular = false;
        *reach = *reach < llabs(offset) ? llabs(offset) : *reach;
        reads->wraps[a] = reads->wraps[a] || (circular && layout->axes[a].node_bits == 0);
    }
}

enum cm_status cm_fortran_bands_begin(struct cm_fortran_lowering *lowering, struct cm_array *array)
{
    struct cm_bands_reads reads = {.wraps = {false}};
    for (uint32_t i = 0; i < lowering->array_count; i++)
        if (lowering->references[i].src == array && !lowering->references[i].moved)
            add_reads(&reads, &lowering->references[i]);
    struct cm_fortran_run *run = lowering->run;
    enum cm_status status;
    do
        status = cm_bands_create(run->system, array, &reads, &lowering->bands, run->err);
    while (status == CM_BAD_INPUT && cm_fortran_drop_halos(run));
    return status;
}

enum cm_status cm_fortran_bands_run(struct cm_fortran_lowering *lowering,
                                    const struct cm_halo_reference *nears, enum cm_entry entry)
{
    const struct cm_near_arguments arguments = {.given = {lowering->arrays, lowering->array_count,
                                                          lowering->scalars,
                                                          lowering->scalar_count},
                                                .nears = nears,
                                                .short_tables = true,
                                                .ignores_padding = true};
    return cm_bands_run(lowering->run->system, lowering->bands, lowering->imps[0], &arguments,
                        entry, lowering->run->err);
}
