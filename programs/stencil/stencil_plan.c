/* Plans of stencils: reasons for refusing a pattern, order of terms, halos and their places,
 * arguments of IMPs. */
#include "stencil_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Compares the offsets of two terms, along the last axis first. */
static int compare_offsets(const struct cm_stencil_term *a, const struct cm_stencil_term *b)
{
    for (uint32_t i = CM_STENCIL_RANK_MAX; i-- > 0;)
        if (a->offset[i] != b->offset[i])
            return a->offset[i] < b->offset[i] ? -1 : 1;
    return 0;
}

void cm_stencil_sort(struct cm_stencil_pattern *pattern, uint32_t rank)
{
    for (uint32_t i = 0; i < pattern->term_count; i++)
        for (uint32_t a = rank; a < CM_STENCIL_RANK_MAX; a++)
            pattern->terms[i].offset[a] = 0;
    /* an insertion sort keeps the order of terms with equal offsets */
    for (uint32_t i = 1; i < pattern->term_count; i++) {
        struct cm_stencil_term term = pattern->terms[i];
        uint32_t k = i;
        for (; k > 0 && compare_offsets(&pattern->terms[k - 1], &term) > 0; k--)
            pattern->terms[k] = pattern->terms[k - 1];
        pattern->terms[k] = term;
    }
}

static bool has_offset(const struct cm_stencil_pattern *pattern, uint32_t a)
{
    for (uint32_t i = 0; i < pattern->term_count; i++)
        if (pattern->terms[i].offset[a] != 0)
            return true;
    return false;
}

static bool fits_subgrid(const struct cm_stencil_pattern *pattern, uint32_t a, int64_t length)
{
    for (uint32_t i = 0; i < pattern->term_count; i++)
        if (pattern->terms[i].offset[a] > length || pattern->terms[i].offset[a] < -length)
            return false;
    return true;
}

/* Returns true if a term has an offset along axis `a` and also along another axis. */
static bool has_corner(const struct cm_stencil_pattern *pattern, uint32_t a)
{
    for (uint32_t i = 0; i < pattern->term_count; i++)
        for (uint32_t b = 0; b < CM_STENCIL_RANK_MAX; b++)
            if (b != a && pattern->terms[i].offset[a] != 0 && pattern->terms[i].offset[b] != 0)
                return true;
    return false;
}

const char *cm_stencil_refusal(const struct cm_layout *layout,
                               const struct cm_stencil_pattern *pattern)
{
    if (layout->rank > CM_STENCIL_RANK_MAX)
        return "the rank is above 4";
    for (uint32_t a = 0; a < layout->rank; a++) {
        const struct cm_axis *axis = &layout->axes[a];
        if (axis->padded)
            return "an axis is padded";
        if (!has_offset(pattern, a))
            continue;
        if (axis->order == CM_ORDER_SEND && axis->node_bits > 0)
            return "an axis with offsets is in SEND order";
        if (!fits_subgrid(pattern, a, (int64_t)axis->local_length))
            return "an offset is longer than the subgrid";
        if (pattern->boundaries[a] == CM_SHIFT_EOSHIFT_ARRAY && has_corner(pattern, a))
            return "a boundary is an array, and terms reach into its corners";
    }
    return NULL;
}

/* Returns true if an offset points to this side of the node, low (0) or high (1). Offset 0 points
 * to neither side. */
static bool points_to(int64_t offset, uint32_t side)
{
    return side == 0 ? offset < 0 : offset > 0;
}

static void widen(int64_t *reach, int64_t offset)
{
    int64_t magnitude = offset < 0 ? -offset : offset;
    if (*reach < magnitude)
        *reach = magnitude;
}

static void find_reach(struct cm_stencil_plan *plan)
{
    for (uint32_t i = 0; i < plan->pattern.term_count; i++) {
        const struct cm_stencil_term *term = &plan->pattern.terms[i];
        struct cm_stencil_source *source = &plan->sources[term->source];
        source->used = true;
        for (uint32_t a = 0; a < plan->layout.rank; a++)
            for (uint32_t side = 0; side < CM_STENCIL_SIDES; side++)
                if (points_to(term->offset[a], side))
                    widen(&source->reach[a][side], term->offset[a]);
    }
}

/* Extends halo (a, side) along an earlier axis b as far as the terms reach that point to this halo.
 */
static void extend_for_terms(struct cm_stencil_plan *plan, uint32_t number, uint32_t a,
                             uint32_t side, uint32_t b)
{
    struct cm_box *halo = &plan->sources[number].halos[a][side];
    for (uint32_t i = 0; i < plan->pattern.term_count; i++) {
        const struct cm_stencil_term *term = &plan->pattern.terms[i];
        if (term->source != number || !points_to(term->offset[a], side))
            continue;
        if (halo->low[b] > term->offset[b])
            halo->low[b] = term->offset[b];
        if (halo->high[b] < plan->length[b] + term->offset[b])
            halo->high[b] = plan->length[b] + term->offset[b];
    }
}

/* Extends halo (a, side) along axis b as far as the halos of later axes extend, because their
 * corners come from this halo. */
static void extend_for_later(const struct cm_stencil_plan *plan, struct cm_stencil_source *source,
                             uint32_t a, uint32_t side, uint32_t b)
{
    struct cm_box *halo = &source->halos[a][side];
    for (uint32_t c = a + 1; c < plan->layout.rank; c++)
        for (uint32_t s = 0; s < CM_STENCIL_SIDES; s++) {
            const struct cm_box *later = &source->halos[c][s];
            bool corner = side == 0 ? later->low[a] < 0 : later->high[a] > plan->length[a];
            if (cm_box_empty(later, plan->layout.rank) || !corner)
                continue;
            if (halo->low[b] > later->low[b])
                halo->low[b] = later->low[b];
            if (halo->high[b] < later->high[b])
                halo->high[b] = later->high[b];
        }
}

/* Assigns the next free place of the halo buffer to a box. */
static void place(const struct cm_stencil_plan *plan, struct cm_stencil_source *source,
                  struct cm_box *box)
{
    int64_t stride = 1;
    box->offset = (int64_t)source->halo_elements;
    for (uint32_t a = 0; a < plan->layout.rank; a++) {
        box->stride[a] = stride;
        stride *= box->high[a] - box->low[a];
    }
    source->halo_elements += cm_box_elements(box, plan->layout.rank);
}

static void make_halo(struct cm_stencil_plan *plan, uint32_t number, uint32_t a, uint32_t side)
{
    struct cm_stencil_source *source = &plan->sources[number];
    struct cm_box *halo = &source->halos[a][side];
    *halo = plan->own;
    halo->low[a] = side == 0 ? -source->reach[a][0] : plan->length[a];
    halo->high[a] = side == 0 ? 0 : plan->length[a] + source->reach[a][1];
    if (plan->beyond[a] != CM_BEYOND_HALO)
        halo->high[a] = halo->low[a];
    for (uint32_t b = 0; b < a; b++)
        if (plan->beyond[b] == CM_BEYOND_HALO) {
            extend_for_terms(plan, number, a, side, b);
            extend_for_later(plan, source, a, side, b);
        }
}

static void count_numbers(struct cm_stencil_plan *plan)
{
    for (uint32_t i = 0; i < plan->pattern.term_count; i++) {
        const struct cm_stencil_term *term = &plan->pattern.terms[i];
        uint32_t *count = term->by_array ? &plan->array_count : &plan->scalar_count;
        if (plan->source_count <= term->source)
            plan->source_count = term->source + 1;
        if (*count <= term->coefficient)
            *count = term->coefficient + 1;
    }
}

void cm_stencil_plan_make(const struct cm_config *config, const struct cm_layout *layout,
                          const struct cm_stencil_pattern *pattern, struct cm_stencil_plan *plan)
{
    *plan = (struct cm_stencil_plan){.config = config, .layout = *layout, .pattern = *pattern};
    cm_stencil_sort(&plan->pattern, layout->rank);
    count_numbers(plan);
    for (uint32_t a = 0; a < layout->rank; a++) {
        const struct cm_axis *axis = &layout->axes[a];
        bool alone = axis->node_bits == 0 && pattern->boundaries[a] == CM_SHIFT_CSHIFT;
        plan->beyond[a] = alone ? CM_BEYOND_WRAPS : CM_BEYOND_HALO;
        plan->length[a] = plan->own.high[a] = (int64_t)axis->local_length;
        plan->own.stride[a] = (int64_t)axis->stride;
    }
    find_reach(plan);
    for (uint32_t s = 0; s < plan->source_count; s++) {
        for (uint32_t a = layout->rank; a-- > 0;)
            for (uint32_t side = 0; side < CM_STENCIL_SIDES; side++)
                make_halo(plan, s, a, side);
        for (uint32_t a = 0; a < layout->rank; a++)
            for (uint32_t side = 0; side < CM_STENCIL_SIDES; side++)
                place(plan, &plan->sources[s], &plan->sources[s].halos[a][side]);
    }
}

uint32_t cm_stencil_source_argument(const struct cm_stencil_plan *plan, uint32_t source, bool halo)
{
    (void)plan;
    return CM_STENCIL_FIRST_SOURCE + 2 * source + halo;
}

uint32_t cm_stencil_array_argument(const struct cm_stencil_plan *plan, uint32_t array)
{
    return CM_STENCIL_FIRST_SOURCE + 2 * plan->source_count + array;
}

uint32_t cm_stencil_scalar_argument(const struct cm_stencil_plan *plan, uint32_t scalar)
{
    return cm_stencil_array_argument(plan, plan->array_count) +
           scalar * cm_type_components(plan->layout.type);
}

uint32_t cm_stencil_boundary_argument(const struct cm_stencil_plan *plan, uint32_t axis)
{
    return cm_stencil_scalar_argument(plan, plan->scalar_count) +
           axis * cm_type_components(plan->layout.type);
}

static void declare(struct cm_imp *imp, const char *what, uint32_t number, const char *suffix,
                    enum cm_argument_kind kind)
{
    char name[CM_IMP_NAME_MAX + 1];
    snprintf(name, sizeof name, "%s%u%s", what, (unsigned)number + 1, suffix);
    cm_imp_argument(imp, name, kind);
}

static void declare_scalars(const struct cm_stencil_plan *plan, struct cm_imp *imp,
                            const char *what, uint32_t count)
{
    bool complex = cm_type_components(plan->layout.type) == 2;
    for (uint32_t i = 0; i < count; i++) {
        declare(imp, what, i, complex ? "_re" : "", CM_ARGUMENT_SCALAR);
        if (complex)
            declare(imp, what, i, "_im", CM_ARGUMENT_SCALAR);
    }
}

void cm_stencil_declare(const struct cm_stencil_plan *plan, struct cm_imp *imp)
{
    cm_imp_argument(imp, "tables", CM_ARGUMENT_ADDRESS);
    cm_imp_argument(imp, "dst", CM_ARGUMENT_ADDRESS);
    for (uint32_t s = 0; s < plan->source_count; s++) {
        declare(imp, "source", s, "", CM_ARGUMENT_ADDRESS);
        declare(imp, "halo", s, "", CM_ARGUMENT_ADDRESS);
    }
    for (uint32_t i = 0; i < plan->array_count; i++)
        declare(imp, "coefficients", i, "", CM_ARGUMENT_ADDRESS);
    declare_scalars(plan, imp, "scalar", plan->scalar_count);
    declare_scalars(plan, imp, "boundary", plan->layout.rank);
}
