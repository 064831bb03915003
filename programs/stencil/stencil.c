/* Compiled stencils and their calls: checks arguments, allocates halos, and executes exchange and
 * sweep. The system owns the IMPs' SRAM, and a compiled stencil owns its halos and tables. */
#include "stencil.h"

#include "../system/compiled_imps.h"
#include "stencil_halos.h"
#include "stencil_plan.h"

#include <inttypes.h>
#include <string.h>

struct cm_stencil {
    struct cm_stencil_plan plan;
    /* compiled halves of a call. `exchange` also has the tables */
    struct cm_compiled exchange, sweep;
    uint64_t halos[CM_STENCIL_SOURCES_MAX];
    bool has_halo[CM_STENCIL_SOURCES_MAX];
    uint64_t exchanges;
    struct cm_stencil_sweep made;
};

enum cm_status cm_stencil_check(const struct cm_layout *layout,
                                const struct cm_stencil_pattern *pattern, struct cm_error *err)
{
    if (layout->type == CM_TYPE_LOGICAL)
        return cm_error_set(err, CM_BAD_INPUT, "a stencil cannot use logical arrays");
    if (pattern->term_count == 0 || pattern->term_count > CM_STENCIL_TERMS_MAX)
        return cm_error_set(err, CM_BAD_INPUT, "%" PRIu32 " terms: from 1 to %u",
                            pattern->term_count, CM_STENCIL_TERMS_MAX);
    for (uint32_t i = 0; i < pattern->term_count; i++) {
        const struct cm_stencil_term *term = &pattern->terms[i];
        uint32_t limit = term->by_array ? CM_STENCIL_ARRAYS_MAX : CM_STENCIL_SCALARS_MAX;
        if (term->source >= CM_STENCIL_SOURCES_MAX)
            return cm_error_set(err, CM_BAD_INPUT, "term %" PRIu32 ": more than %u sources", i + 1,
                                CM_STENCIL_SOURCES_MAX);
        if (term->coefficient >= limit)
            return cm_error_set(err, CM_BAD_INPUT, "term %" PRIu32 ": more than %" PRIu32 " %s",
                                i + 1, limit,
                                term->by_array ? "arrays of coefficients" : "scalars");
    }
    return CM_OK;
}

static enum cm_status check(const struct cm_layout *layout,
                            const struct cm_stencil_pattern *pattern, struct cm_error *err)
{
    enum cm_status status = cm_stencil_check(layout, pattern, err);
    if (status != CM_OK)
        return status;
    const char *refusal = cm_stencil_refusal(layout, pattern);
    if (refusal)
        return cm_error_refuse(err, "use shifts and combine", "this stencil cannot be compiled: %s",
                               refusal);
    return CM_OK;
}

static enum cm_status place_halos(struct cm_system *system, struct cm_stencil *stencil,
                                  struct cm_error *err)
{
    enum cm_status status = CM_OK;
    for (uint32_t s = 0; status == CM_OK && s < stencil->plan.source_count; s++) {
        uint64_t words = stencil->plan.sources[s].halo_elements * stencil->plan.layout.slices;
        if (words == 0)
            continue;
        status = cm_heap_allocate(system->heap, CM_HEAP_TABLES, words, "a halo buffer",
                                  &stencil->halos[s], err);
        stencil->has_halo[s] = status == CM_OK;
    }
    return status;
}

static enum cm_status make_exchange(struct cm_system *system, struct cm_stencil *stencil,
                                    struct cm_error *err)
{
    enum cm_status status =
        cm_compiled_table(system, &stencil->exchange,
                          &(struct cm_table_request){cm_stencil_table_words(&stencil->plan),
                                                     "the communication table of a stencil",
                                                     cm_stencil_fill_tables, &stencil->plan},
                          err);
    if (status == CM_OK)
        status = cm_stencil_compile_exchange(&stencil->plan, &stencil->exchange,
                                             &stencil->exchanges, err);
    return status;
}

static enum cm_status compile(struct cm_system *system, struct cm_stencil *stencil, bool sweeps,
                              struct cm_error *err)
{
    enum cm_status status = place_halos(system, stencil, err);
    if (status == CM_OK)
        status = make_exchange(system, stencil, err);
    if (status == CM_OK && sweeps)
        status = cm_stencil_compile_sweep(&stencil->plan, &stencil->sweep, &stencil->made, err);
    if (status != CM_OK)
        return status;
    status = cm_compiled_try(system, &stencil->exchange, err);
    if (status == CM_OK)
        status = cm_compiled_try(system, &stencil->sweep, err);
    if (status == CM_BAD_INPUT)
        return cm_error_refuse(err, "use shifts and combine",
                               "the code of this stencil does not fit the sequencer's SRAM");
    return status;
}

static enum cm_status set_up(struct cm_system *system, const struct cm_layout *prototype,
                             const struct cm_stencil_pattern *pattern, bool sweeps,
                             struct cm_stencil **stencil, struct cm_error *err)
{
    *stencil = NULL;
    enum cm_status status = check(prototype, pattern, err);
    if (status != CM_OK)
        return status;
    struct cm_stencil *made = calloc(1, sizeof *made);
    if (!made)
        return cm_error_no_memory(err);
    cm_stencil_plan_make(cm_machine_config(system->machine), prototype, pattern, &made->plan);
    if (cm_stencil_boundary_argument(&made->plan, prototype->rank) > CM_IMP_ARGUMENTS_MAX)
        status = cm_error_refuse(err, "use fewer coefficients",
                                 "more coefficients than an IMP "
                                 "has arguments");
    if (status == CM_OK)
        status = compile(system, made, sweeps, err);
    if (status == CM_OK)
        *stencil = made;
    else
        cm_stencil_deallocate(system, made);
    return status;
}

enum cm_status cm_stencil_setup(struct cm_system *system, const struct cm_layout *prototype,
                                const struct cm_stencil_pattern *pattern,
                                struct cm_stencil **stencil, struct cm_error *err)
{
    return set_up(system, prototype, pattern, true, stencil, err);
}

enum cm_status cm_stencil_setup_halos(struct cm_system *system, const struct cm_layout *prototype,
                                      const struct cm_stencil_pattern *pattern,
                                      struct cm_stencil **stencil, struct cm_error *err)
{
    return set_up(system, prototype, pattern, false, stencil, err);
}

void cm_stencil_halos(const struct cm_stencil *stencil, uint32_t source, struct cm_halos *halos)
{
    const struct cm_stencil_plan *plan = &stencil->plan;
    /* padding bytes must be equal, because keys of the cache compare bytes */
    memset(halos, 0, sizeof *halos);
    halos->address = stencil->halos[source];
    for (uint32_t a = 0; a < plan->layout.rank; a++) {
        halos->wraps[a] = plan->beyond[a] == CM_BEYOND_WRAPS;
        for (uint32_t side = 0; side < CM_STENCIL_SIDES; side++)
            halos->boxes[a][side] = plan->sources[source].halos[a][side];
    }
}

void cm_stencil_deallocate(struct cm_system *system, struct cm_stencil *stencil)
{
    if (!stencil)
        return;
    for (uint32_t s = 0; s < CM_STENCIL_SOURCES_MAX; s++)
        if (stencil->has_halo[s])
            cm_heap_free(system->heap, stencil->halos[s]);
    cm_compiled_drop_imps(system, &stencil->sweep);
    cm_compiled_drop_imps(system, &stencil->exchange);
    if (stencil->exchange.table_words > 0)
        cm_heap_free(system->heap, stencil->exchange.table_block);
    free(stencil);
}

static enum cm_status check_array(const struct cm_stencil *stencil, const struct cm_array *array,
                                  struct cm_error *err)
{
    if (cm_layout_equal(&array->layout, &stencil->plan.layout))
        return CM_OK;
    return cm_error_set(err, CM_BAD_INPUT,
                        "array \"%s\" differs in shape, type or layout from the array that the "
                        "stencil was made for",
                        array->name);
}

static bool has_offsets(const struct cm_stencil_source *source, uint32_t rank)
{
    for (uint32_t a = 0; a < rank; a++)
        if (source->reach[a][0] > 0 || source->reach[a][1] > 0)
            return true;
    return false;
}

/* Checks the arrays of a call. The destination is NULL if only the exchange is called. */
static enum cm_status check_call(const struct cm_stencil *stencil,
                                 const struct cm_stencil_arguments *arguments, struct cm_error *err)
{
    const struct cm_stencil_plan *plan = &stencil->plan;
    enum cm_status status = arguments->dst ? check_array(stencil, arguments->dst, err) : CM_OK;
    for (uint32_t i = 0; status == CM_OK && i < plan->array_count; i++)
        status = check_array(stencil, arguments->coefficients[i], err);
    for (uint32_t s = 0; status == CM_OK && s < plan->source_count; s++) {
        status = check_array(stencil, arguments->sources[s], err);
        if (status == CM_OK && arguments->dst &&
            has_offsets(&plan->sources[s], plan->layout.rank) &&
            arguments->sources[s]->address == arguments->dst->address)
            status = cm_error_refuse(
                err, "store into another array",
                "the stencil's destination \"%s\" is a source with offsets, whose elements other "
                "results still need",
                arguments->dst->name);
    }
    return status;
}

static void fill_scalar(const struct cm_stencil_plan *plan, const struct cm_scalar *scalar,
                        struct cm_actual *actuals)
{
    for (uint32_t c = 0; c < cm_type_components(plan->layout.type); c++)
        actuals[c].scalar = cm_scalar_bits(plan->layout.type, scalar, c);
}

static void fill_actuals(const struct cm_stencil *stencil,
                         const struct cm_stencil_arguments *arguments, struct cm_actual *actuals)
{
    const struct cm_stencil_plan *plan = &stencil->plan;
    memset(actuals, 0, CM_STENCIL_ACTUALS_MAX * sizeof *actuals);
    actuals[CM_STENCIL_TABLES].address = stencil->exchange.table;
    actuals[CM_STENCIL_DST].address = arguments->dst ? arguments->dst->address : 0;
    for (uint32_t s = 0; s < plan->source_count; s++) {
        actuals[cm_stencil_source_argument(plan, s, false)].address =
            arguments->sources[s]->address;
        actuals[cm_stencil_source_argument(plan, s, true)].address = stencil->halos[s];
    }
    for (uint32_t i = 0; i < plan->array_count; i++)
        actuals[cm_stencil_array_argument(plan, i)].address = arguments->coefficients[i]->address;
    for (uint32_t i = 0; i < plan->scalar_count; i++)
        fill_scalar(plan, &arguments->scalars[i], &actuals[cm_stencil_scalar_argument(plan, i)]);
    for (uint32_t a = 0; a < plan->layout.rank; a++) {
        bool one = plan->pattern.boundaries[a] == CM_SHIFT_EOSHIFT_1;
        struct cm_scalar boundary = cm_scalar_make(plan->layout.type, one, 0);
        if (plan->pattern.boundaries[a] == CM_SHIFT_EOSHIFT_SCALAR ||
            plan->pattern.boundaries[a] == CM_SHIFT_EOSHIFT_ARRAY)
            boundary = arguments->boundaries[a];
        fill_scalar(plan, &boundary, &actuals[cm_stencil_boundary_argument(plan, a)]);
    }
}

/* Executes one half of a call, the exchange or the sweep. */
static enum cm_status run(struct cm_system *system, const struct cm_stencil *stencil,
                          const struct cm_compiled *half, enum cm_entry entry,
                          const struct cm_stencil_arguments *arguments, struct cm_error *err)
{
    struct cm_actual actuals[CM_STENCIL_ACTUALS_MAX];
    enum cm_status status = check_call(stencil, arguments, err);
    if (status != CM_OK)
        return status;
    fill_actuals(stencil, arguments, actuals);
    return cm_compiled_run(system, half, actuals, entry, err);
}

enum cm_status cm_stencil_prepare(struct cm_system *system, const struct cm_stencil *stencil,
                                  const struct cm_stencil_arguments *arguments,
                                  struct cm_error *err)
{
    enum cm_status status = check_call(stencil, arguments, err);
    if (status != CM_OK)
        return status;
    return cm_stencil_fill_boundary_arrays(system, &stencil->plan, stencil->halos, arguments, NULL,
                                           err);
}

enum cm_status cm_stencil_exchange_next(struct cm_system *system, const struct cm_stencil *stencil,
                                        const struct cm_stencil_arguments *arguments,
                                        enum cm_entry *entry, struct cm_error *err)
{
    enum cm_status status = run(system, stencil, &stencil->exchange, *entry, arguments, err);
    if (status != CM_OK)
        return status;
    if (stencil->exchange.imps.count > 0)
        *entry = CM_ENTRY_CHAINED;
    return cm_stencil_fill_boundary_arrays(system, &stencil->plan, stencil->halos, arguments, entry,
                                           err);
}

enum cm_status cm_stencil_exchange(struct cm_system *system, const struct cm_stencil *stencil,
                                   const struct cm_stencil_arguments *arguments,
                                   struct cm_error *err)
{
    enum cm_entry entry = CM_ENTRY_IMP;
    return cm_stencil_exchange_next(system, stencil, arguments, &entry, err);
}

enum cm_status cm_stencil_sweep(struct cm_system *system, const struct cm_stencil *stencil,
                                const struct cm_stencil_arguments *arguments, struct cm_error *err)
{
    return run(system, stencil, &stencil->sweep, CM_ENTRY_IMP, arguments, err);
}

enum cm_status cm_stencil_call(struct cm_system *system, const struct cm_stencil *stencil,
                               const struct cm_stencil_arguments *arguments, struct cm_error *err)
{
    bool exchanges =
        stencil->exchange.imps.count > 0 || cm_stencil_has_boundary_arrays(&stencil->plan);
    enum cm_status status = cm_stencil_exchange(system, stencil, arguments, err);
    if (status != CM_OK)
        return status;
    return run(system, stencil, &stencil->sweep, exchanges ? CM_ENTRY_CHAINED : CM_ENTRY_IMP,
               arguments, err);
}

/* Returns the cycles of the arithmetic operations for one result. */
static uint64_t operation_cycles(const struct cm_stencil_plan *plan)
{
    const struct cm_config *config = plan->config;
    uint64_t terms = plan->pattern.term_count;
    uint64_t multiply = config->fpu_multiply_cycles, add = config->fpu_add_cycles;
    uint64_t multiply_add = config->fpu_multiply_add_cycles;
    if (cm_type_components(plan->layout.type) == 2)
        return terms * (3 * multiply + add + multiply_add) + (terms - 1) * 2 * add;
    if (plan->layout.type == CM_TYPE_INT32)
        return terms * multiply + (terms - 1) * add;
    return multiply + (terms - 1) * multiply_add;
}

void cm_stencil_info(const struct cm_stencil *stencil, struct cm_stencil_info *info)
{
    const struct cm_stencil_plan *plan = &stencil->plan;
    uint64_t arrays = plan->array_count;
    *info = (struct cm_stencil_info){
        .exchanges = stencil->exchanges,
        .exchange_words = cm_compiled_words(&stencil->exchange),
        .sweep_words = cm_compiled_words(&stencil->sweep),
        .table_words = stencil->exchange.table_words,
        .loads = stencil->made.loads,
        .results = plan->layout.local_elements,
    };
    for (uint32_t a = 0; a < plan->layout.rank; a++)
        info->tile[a] = (uint64_t)stencil->made.tile[a];
    for (uint32_t s = 0; s < plan->source_count; s++) {
        info->halo_words += plan->sources[s].halo_elements * plan->layout.slices;
        arrays += plan->sources[s].used;
    }
    info->bound_cycles =
        info->results * (plan->layout.slices * (arrays * plan->config->memory_load_cycles +
                                                plan->config->memory_store_cycles) +
                         operation_cycles(plan));
}

const struct cm_imp *cm_stencil_imp(const struct cm_stencil *stencil, uint32_t i)
{
    const uint32_t exchanges = stencil->exchange.imps.count;
    if (i < exchanges)
        return stencil->exchange.imps.items[i];
    return i - exchanges < stencil->sweep.imps.count ? stencil->sweep.imps.items[i - exchanges]
                                                     : NULL;
}
