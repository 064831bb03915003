/* Stencils by shifted copies: lists the copies, groups them into calls, and adds them with
 * cm_combine. This file owns the temporary arrays and the compiled calls of PSHIFT. */
#include "stencil_shifts.h"

#include "../elementwise/combine.h"
#include "../pshift/pshift.h"
#include "../pshift/runtime.h"
#include "../system/system_private.h"
#include "stencil_plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NO_COPY UINT32_MAX
/* divisor: 1 / SETUPS_SHARE of the SRAM may hold unrolled calls of PSHIFT */
#define SETUPS_SHARE 2u

/* Source shifted by `offset`. It is made from a copy that has one shift less. */
struct copy {
    uint32_t source;
    int64_t offset[CM_STENCIL_RANK_MAX];
    uint32_t from; /* number of the copy to shift, or NO_COPY to shift the source itself */
    uint32_t axis;
    struct cm_array *array;
};

/* Group of copies [first, first + count), which one call of PSHIFT makes. */
struct group {
    uint32_t first, count;
    int setup; /* number of the compiled PSHIFT. 0: it is not compiled */
};

struct cm_stencil_shifts {
    struct cm_layout layout;
    struct cm_stencil_pattern pattern;
    enum cm_stencil_by by;
    CM_LIST(struct copy) copies; /* all copies. A copy comes after the copy from which it is made */
    CM_LIST(struct group) groups;
    uint32_t copy_of[CM_STENCIL_TERMS_MAX]; /* number of the copy for each term, or NO_COPY */
};

static uint32_t find_copy(const struct cm_stencil_shifts *shifts, const struct copy *copy)
{
    for (uint32_t i = 0; i < shifts->copies.count; i++) {
        const struct copy *other = &shifts->copies.items[i];
        if (other->source == copy->source &&
            memcmp(other->offset, copy->offset, sizeof copy->offset) == 0)
            return i;
    }
    return NO_COPY;
}

/* Adds the copies that have exactly `level` shifts, for all terms with at least `level` shifts. */
static void add_level(struct cm_stencil_shifts *shifts, uint32_t level)
{
    for (uint32_t t = 0; t < shifts->pattern.term_count; t++) {
        const struct cm_stencil_term *term = &shifts->pattern.terms[t];
        struct copy copy = {.source = term->source};
        uint32_t done = 0, axis = 0, from = NO_COPY;
        for (uint32_t a = 0; a < shifts->layout.rank && done < level; a++) {
            if (term->offset[a] == 0)
                continue;
            from = done > 0 ? find_copy(shifts, &copy) : NO_COPY;
            copy.offset[a] = term->offset[a];
            axis = a;
            done++;
        }
        if (done < level)
            continue;
        copy.from = from;
        copy.axis = axis;
        if (find_copy(shifts, &copy) == NO_COPY)
            cm_list_push(&shifts->copies, copy);
    }
}

/* Groups copies [first, end) into calls of at most two shifts for each axis, and sorts the copies
 * by call. These copies do not depend on each other. */
static void group_level(struct cm_stencil_shifts *shifts, uint32_t first, uint32_t end)
{
    while (first < end && !shifts->groups.failed) {
        uint32_t taken[CM_STENCIL_RANK_MAX] = {0};
        struct group group = {.first = first};
        for (uint32_t i = first; i < end; i++) {
            struct copy copy = shifts->copies.items[i];
            if (taken[copy.axis] == 2)
                continue;
            taken[copy.axis]++;
            shifts->copies.items[i] = shifts->copies.items[first];
            shifts->copies.items[first++] = copy;
            group.count++;
        }
        cm_list_push(&shifts->groups, group);
    }
}

static void plan_copies(struct cm_stencil_shifts *shifts)
{
    for (uint32_t level = 1; level <= shifts->layout.rank; level++) {
        uint32_t first = shifts->copies.count;
        add_level(shifts, level);
        group_level(shifts, first, shifts->copies.count);
    }
    for (uint32_t t = 0; t < shifts->pattern.term_count; t++) {
        struct copy copy = {.source = shifts->pattern.terms[t].source};
        memcpy(copy.offset, shifts->pattern.terms[t].offset, sizeof copy.offset);
        shifts->copy_of[t] = find_copy(shifts, &copy);
    }
}

static enum cm_status make_arrays(struct cm_system *system, struct cm_stencil_shifts *shifts,
                                  struct cm_error *err)
{
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; status == CM_OK && i < shifts->copies.count; i++) {
        char name[32];
        snprintf(name, sizeof name, "shifted copy %" PRIu32, i + 1);
        status =
            cm_array_create(system, name, &shifts->layout, &shifts->copies.items[i].array, err);
    }
    return status;
}

static void drop_setups(struct cm_system *system, struct cm_stencil_shifts *shifts)
{
    for (uint32_t g = 0; g < shifts->groups.count; g++) {
        if (shifts->groups.items[g].setup > 0)
            cm_pshift_deallocate(system, shifts->groups.items[g].setup, NULL);
        shifts->groups.items[g].setup = 0;
    }
}

/* Compiles the PSHIFT of each group, and sets *words to the number of SRAM words that they take. */
static enum cm_status make_setups_as(struct cm_system *system, struct cm_stencil_shifts *shifts,
                                     enum cm_setup_kind kind, uint64_t *words, struct cm_error *err)
{
    enum cm_status status = CM_OK;
    *words = 0;
    for (uint32_t g = 0; status == CM_OK && g < shifts->groups.count; g++) {
        struct group *group = &shifts->groups.items[g];
        struct cm_pshift_pattern patterns[2 * CM_STENCIL_RANK_MAX];
        struct cm_pshift_info info = {0};
        for (uint32_t i = 0; i < group->count; i++) {
            const struct copy *copy = &shifts->copies.items[group->first + i];
            patterns[i] = (struct cm_pshift_pattern){.type = shifts->pattern.boundaries[copy->axis],
                                                     .axis = copy->axis,
                                                     .distance = copy->offset[copy->axis]};
        }
        status = cm_pshift_setup(
            system, &(struct cm_pshift_request){kind, &shifts->layout, patterns, group->count},
            &group->setup, err);
        if (status == CM_OK)
            status = cm_pshift_info(system, group->setup, &info, err);
        *words += info.sram_words;
    }
    return status;
}

/* Compiles the PSHIFT of each group. If unrolled code leaves too little SRAM for the sum, the code
 * has loops. If this does not fit either, the run-time library makes the copies. */
static enum cm_status make_setups(struct cm_system *system, struct cm_stencil_shifts *shifts,
                                  struct cm_error *err)
{
    uint64_t sram = cm_machine_config(system->machine)->sequencer_sram_words, words;
    if (shifts->by != CM_STENCIL_BY_PSHIFT)
        return CM_OK;
    enum cm_status status = make_setups_as(system, shifts, CM_SETUP_AUTO, &words, err);
    if (status == CM_NO_MEMORY || (status == CM_OK && words <= sram / SETUPS_SHARE))
        return status;
    drop_setups(system, shifts);
    status = make_setups_as(system, shifts, CM_SETUP_LOOPED, &words, err);
    if (status != CM_BAD_INPUT && (status != CM_OK || words <= sram / SETUPS_SHARE))
        return status;
    drop_setups(system, shifts);
    shifts->by = CM_STENCIL_BY_CSHIFT;
    return CM_OK;
}

static enum cm_status check(const struct cm_layout *layout,
                            const struct cm_stencil_pattern *pattern, struct cm_error *err)
{
    enum cm_status status = cm_stencil_check(layout, pattern, err);
    if (status == CM_OK && layout->rank > CM_STENCIL_RANK_MAX)
        return cm_error_set(err, CM_BAD_INPUT, "a stencil of rank %" PRIu32 ": from 1 to %u",
                            layout->rank, CM_STENCIL_RANK_MAX);
    if (status == CM_OK && pattern->term_count > CM_TERMS_MAX)
        return cm_error_set(err, CM_BAD_INPUT,
                            "%" PRIu32 " terms; shifts and combine take at most %u",
                            pattern->term_count, CM_TERMS_MAX);
    return status;
}

enum cm_status cm_stencil_shifts_setup(struct cm_system *system, const struct cm_layout *prototype,
                                       const struct cm_stencil_pattern *pattern,
                                       enum cm_stencil_by by, struct cm_stencil_shifts **shifts,
                                       struct cm_error *err)
{
    *shifts = NULL;
    enum cm_status status = check(prototype, pattern, err);
    if (status != CM_OK)
        return status;
    struct cm_stencil_shifts *made = calloc(1, sizeof *made);
    if (!made)
        return cm_error_no_memory(err);
    made->layout = *prototype;
    made->pattern = *pattern;
    made->by = by;
    cm_stencil_sort(&made->pattern, prototype->rank);
    plan_copies(made);
    if (made->copies.failed || made->groups.failed)
        status = cm_error_no_memory(err);
    if (status == CM_OK)
        status = make_arrays(system, made, err);
    if (status == CM_OK)
        status = make_setups(system, made, err);
    if (status == CM_OK)
        *shifts = made;
    else
        cm_stencil_shifts_deallocate(system, made);
    return status;
}

void cm_stencil_shifts_deallocate(struct cm_system *system, struct cm_stencil_shifts *shifts)
{
    if (!shifts)
        return;
    drop_setups(system, shifts);
    for (uint32_t i = 0; i < shifts->copies.count; i++)
        cm_array_destroy(system, shifts->copies.items[i].array);
    cm_list_finish(&shifts->copies);
    cm_list_finish(&shifts->groups);
    free(shifts);
}

void cm_stencil_shifts_info(const struct cm_system *system, const struct cm_stencil_shifts *shifts,
                            struct cm_stencil_shifts_info *info)
{
    *info = (struct cm_stencil_shifts_info){.copies = shifts->copies.count};
    if (shifts->by == CM_STENCIL_BY_CSHIFT) {
        info->calls = info->by_runtime = shifts->copies.count;
        return;
    }
    info->calls = shifts->groups.count;
    for (uint32_t g = 0; g < shifts->groups.count; g++) {
        struct cm_pshift_info setup = {0};
        cm_pshift_info(system, shifts->groups.items[g].setup, &setup, NULL);
        info->by_imp += setup.by_imp;
        info->by_runtime += setup.by_runtime;
    }
}

static struct cm_shift shift_of(const struct cm_stencil_shifts *shifts,
                                const struct cm_stencil_arguments *arguments,
                                const struct copy *copy)
{
    const struct cm_array *src = copy->from == NO_COPY ? arguments->sources[copy->source]
                                                       : shifts->copies.items[copy->from].array;
    return (struct cm_shift){.type = shifts->pattern.boundaries[copy->axis],
                             .axis = copy->axis,
                             .distance = copy->offset[copy->axis],
                             .dst = copy->array,
                             .src = src,
                             .boundary_scalar = arguments->boundaries[copy->axis],
                             .boundary_array = arguments->boundary_arrays[copy->axis]};
}

static enum cm_status run_group(struct cm_system *system, const struct cm_stencil_shifts *shifts,
                                const struct group *group,
                                const struct cm_stencil_arguments *arguments, bool run,
                                struct cm_error *err)
{
    struct cm_shift list[2 * CM_STENCIL_RANK_MAX];
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; i < group->count; i++)
        list[i] = shift_of(shifts, arguments, &shifts->copies.items[group->first + i]);
    if (shifts->by == CM_STENCIL_BY_PSHIFT)
        return run ? cm_pshift_call(system, group->setup, list, group->count, err)
                   : cm_pshift_prepare(system, group->setup, list, group->count, err);
    for (uint32_t i = 0; status == CM_OK && i < group->count; i++)
        status = run ? cm_runtime_shift(system, &list[i], err)
                     : cm_runtime_prepare(system, &list[i], err);
    return status;
}

static enum cm_status run_all(struct cm_system *system, const struct cm_stencil_shifts *shifts,
                              const struct cm_stencil_arguments *arguments, bool run,
                              struct cm_error *err)
{
    struct cm_term terms[CM_TERMS_MAX];
    enum cm_status status = CM_OK;
    for (uint32_t g = 0; status == CM_OK && g < shifts->groups.count; g++)
        status = run_group(system, shifts, &shifts->groups.items[g], arguments, run, err);
    for (uint32_t t = 0; t < shifts->pattern.term_count; t++) {
        const struct cm_stencil_term *term = &shifts->pattern.terms[t];
        uint32_t copy = shifts->copy_of[t];
        terms[t].array =
            copy == NO_COPY ? arguments->sources[term->source] : shifts->copies.items[copy].array;
        terms[t].coefficients = term->by_array ? arguments->coefficients[term->coefficient] : NULL;
        /* terms with the same scalar number share a scalar */
        terms[t].name = term->coefficient + 1;
        terms[t].scalar = arguments->scalars[term->by_array ? 0 : term->coefficient];
    }
    if (status != CM_OK)
        return status;
    uint32_t count = shifts->pattern.term_count;
    return run ? cm_combine(system, arguments->dst, terms, count, err)
               : cm_combine_prepare(system, arguments->dst, terms, count, err);
}

enum cm_status cm_stencil_shifts_call(struct cm_system *system, struct cm_stencil_shifts *shifts,
                                      const struct cm_stencil_arguments *arguments,
                                      struct cm_error *err)
{
    return run_all(system, shifts, arguments, true, err);
}

enum cm_status cm_stencil_shifts_prepare(struct cm_system *system, struct cm_stencil_shifts *shifts,
                                         const struct cm_stencil_arguments *arguments,
                                         struct cm_error *err)
{
    return run_all(system, shifts, arguments, false, err);
}
