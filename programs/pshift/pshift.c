/* Setups and calls of PSHIFT. A setup is a compiled PSHIFT with an id. The system owns all setups
 * and finds them by their ids. A setup owns its IMP, which stays loaded in the SRAM, and its
 * communication tables. */
#include "pshift.h"
#include "../system/cheaper.h"

#include "../system/compiled_imps.h"
#include "boundary.h"
#include "pshift_plan.h"
#include "runtime_private.h"

#include <inttypes.h>

struct cm_pshift_setup {
    struct cm_pshift_plan plan;
    enum cm_setup_kind kind;
    struct cm_imp *imp; /* IMP of the setup. NULL: the run-time library performs all shifts */
    bool unrolled;
    uint64_t tables; /* address of the communication tables in node memory */
    uint64_t table_words;
};

static void setup_destroy(struct cm_system *system, struct cm_pshift_setup *setup)
{
    if (!setup)
        return;
    if (setup->imp)
        cm_machine_unload_imp(system->machine, setup->imp);
    cm_imp_destroy(setup->imp);
    if (setup->table_words > 0)
        cm_heap_free(system->heap, setup->tables);
    free(setup);
}

static enum cm_status check_patterns(const struct cm_layout *layout,
                                     const struct cm_pshift_pattern *patterns, uint32_t count,
                                     struct cm_error *err)
{
    uint32_t shifts[CM_RANK_MAX] = {0};
    if (count == 0 || count > CM_PSHIFT_MAX)
        return cm_error_set(err, CM_BAD_INPUT, "%" PRIu32 " shifts in one call, expected 1 to %u",
                            count, CM_PSHIFT_MAX);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t a = patterns[i].axis;
        if ((unsigned)patterns[i].type >= CM_SHIFT_TYPE_COUNT)
            return cm_error_set(err, CM_BAD_INPUT,
                                "shift %" PRIu32 ": there is no kind of shift %d", i + 1,
                                (int)patterns[i].type);
        if (a >= layout->rank)
            return cm_error_set(err, CM_BAD_INPUT,
                                "shift %" PRIu32 " is along axis %" PRIu32
                                " of an array of rank %" PRIu32,
                                i + 1, a, layout->rank);
        if (++shifts[a] > 2)
            return cm_error_refuse(err, "split the shifts over two calls",
                                   "shift %" PRIu32 " is the third along axis %" PRIu32
                                   " (dim %" PRIu32
                                   " in a workload); PSHIFT takes two an axis (P 4)",
                                   i + 1, a, a + 1);
    }
    return CM_OK;
}

static enum cm_status make_tables(struct cm_system *system, struct cm_pshift_setup *setup,
                                  struct cm_error *err)
{
    uint64_t words = (uint64_t)setup->plan.job_count * CM_PSHIFT_TABLE_WORDS;
    enum cm_status status =
        cm_table_create(system,
                        &(struct cm_table_request){words, "the communication table",
                                                   cm_pshift_fill_tables, &setup->plan},
                        &setup->tables, err);
    if (status == CM_OK)
        setup->table_words = words;
    return status;
}

/* Fills in the addresses that the arguments of a first call are likely to have: tables at the end
 * of node memory, arrays one after the other. */
static void likely_actuals(const struct cm_pshift_setup *setup,
                           struct cm_actual actuals[1 + 2 * CM_PSHIFT_BY_IMP_MAX])
{
    const struct cm_layout *layout = &setup->plan.layout;
    actuals[0] = (struct cm_actual){.address = setup->tables};
    /* it is assumed that all jobs have one source */
    for (uint32_t i = 0; i < 2 * setup->plan.job_count; i++)
        actuals[1 + i] =
            (struct cm_actual){.address = (i % 2 == 0 ? 1 + i / 2 : 0) * layout->local_words};
}

/* Compiles the IMP of a setup in one form. If exchanges can hide other work, the plain order of
 * instructions is also tried, because few exchanges hide fewer cycles than the longer code costs.
 */
static enum cm_status compile_form(struct cm_system *system, struct cm_pshift_setup *setup,
                                   bool looped, struct cm_imp **imp, struct cm_error *err)
{
    struct cm_pshift_plan *plan = &setup->plan;
    struct cm_actual actuals[1 + 2 * CM_PSHIFT_BY_IMP_MAX];
    struct cm_imp *plain = NULL;
    plan->overlap = plan->config->exchange_overlap != 0;
    enum cm_status status = cm_pshift_compile(plan, looped, imp, err);
    if (status != CM_OK || !plan->overlap)
        return status;
    plan->overlap = false;
    if (cm_pshift_compile(plan, looped, &plain, NULL) != CM_OK)
        return CM_OK;
    likely_actuals(setup, actuals);
    *imp = cm_cheaper_imp(system, *imp, plain, actuals);
    return CM_OK;
}

/* Compiles the IMP of a setup in one form and loads it. Fails with CM_BAD_INPUT if the IMP does not
 * fit the free SRAM. */
static enum cm_status compile_as(struct cm_system *system, struct cm_pshift_setup *setup,
                                 bool looped, struct cm_error *err)
{
    enum cm_status status = compile_form(system, setup, looped, &setup->imp, err);
    if (status == CM_OK)
        status = cm_machine_load_imp(system->machine, setup->imp, err);
    if (status == CM_BAD_INPUT)
        cm_error_hint(err, "%s",
                      looped ? "split the shifts over several calls, or deallocate setups"
                             : "use the looped setup");
    if (status != CM_OK) {
        cm_imp_destroy(setup->imp);
        setup->imp = NULL;
    }
    setup->unrolled = !looped;
    return status;
}

/* Returns the unrolled setup of kind CM_SETUP_AUTO with the most SRAM words, or NULL if there is no
 * such setup. */
static struct cm_pshift_setup *largest_unrolled(const struct cm_pshift_setups *setups)
{
    struct cm_pshift_setup *largest = NULL;
    for (uint32_t i = 0; i < setups->count; i++) {
        struct cm_pshift_setup *setup = setups->at[i];
        if (setup && setup->kind == CM_SETUP_AUTO && setup->imp && setup->unrolled &&
            (!largest || cm_imp_words(setup->imp) > cm_imp_words(largest->imp)))
            largest = setup;
    }
    return largest;
}

/* Frees SRAM: compiles the largest unrolled setup of kind CM_SETUP_AUTO again as loops. Sets *made
 * to false if this frees no words. */
static enum cm_status make_room(struct cm_system *system, bool *made, struct cm_error *err)
{
    struct cm_pshift_setup *setup = largest_unrolled(&system->setups);
    struct cm_imp *unrolled, *looped = NULL;
    *made = false;
    if (!setup)
        return CM_OK;
    enum cm_status status = compile_form(system, setup, true, &looped, err);
    if (status != CM_OK)
        return status;
    unrolled = setup->imp;
    *made = cm_imp_words(looped) < cm_imp_words(unrolled);
    if (*made) {
        cm_machine_unload_imp(system->machine, unrolled);
        setup->imp = looped;
        setup->unrolled = false;
        status = cm_machine_load_imp(system->machine, looped, err);
    }
    /* an IMP with few exchanges takes more words with loops */
    cm_imp_destroy(*made ? unrolled : looped);
    return status;
}

/* Compiles a setup in the requested form. If an IMP does not fit the SRAM, another form is tried.
 * Other errors are returned. */
static enum cm_status compile(struct cm_system *system, struct cm_pshift_setup *setup,
                              struct cm_error *err)
{
    if (setup->plan.job_count == 0)
        return CM_OK;
    enum cm_status status = make_tables(system, setup, err);
    if (status == CM_OK)
        status = compile_as(system, setup, setup->kind == CM_SETUP_LOOPED, err);
    if (status == CM_BAD_INPUT && setup->kind == CM_SETUP_AUTO)
        status = compile_as(system, setup, true, err);
    while (status == CM_BAD_INPUT) {
        struct cm_error why;
        bool made;
        enum cm_status room = make_room(system, &made, &why);
        if (room != CM_OK && err)
            *err = why;
        if (room != CM_OK || !made)
            return room != CM_OK ? room : status;
        status = compile_as(system, setup, setup->kind != CM_SETUP_UNROLLED, err);
    }
    return status;
}

static enum cm_status keep(struct cm_pshift_setups *setups, struct cm_pshift_setup *setup, int *id,
                           struct cm_error *err)
{
    if (!cm_array_room(setups->at, setups->count, setups->capacity))
        return cm_error_no_memory(err);
    setups->drop = setup_destroy;
    setups->at[setups->count++] = setup;
    *id = (int)setups->count;
    return CM_OK;
}

enum cm_status cm_pshift_setup(struct cm_system *system, const struct cm_pshift_request *request,
                               int *id, struct cm_error *err)
{
    enum cm_status status =
        check_patterns(request->prototype, request->patterns, request->count, err);
    if (status == CM_OK && (unsigned)request->kind > CM_SETUP_LOOPED)
        status =
            cm_error_set(err, CM_BAD_INPUT, "there is no kind of setup %d", (int)request->kind);
    if (status != CM_OK)
        return status;
    struct cm_pshift_setup *setup = calloc(1, sizeof *setup);
    if (!setup)
        return cm_error_no_memory(err);
    setup->kind = request->kind;
    cm_pshift_plan_make(cm_machine_config(system->machine), request->prototype, request->patterns,
                        request->count, &setup->plan);
    status = compile(system, setup, err);
    if (status == CM_OK)
        status = keep(&system->setups, setup, id, err);
    if (status != CM_OK)
        setup_destroy(system, setup);
    return status;
}

static struct cm_pshift_setup *find_setup(const struct cm_system *system, int id,
                                          struct cm_error *err)
{
    const struct cm_pshift_setups *setups = &system->setups;
    struct cm_pshift_setup *setup = NULL;
    if (id > 0 && (uint32_t)id <= setups->count)
        setup = setups->at[id - 1];
    if (!setup)
        cm_error_set(err, CM_BAD_INPUT, "there is no setup %d, or it was deallocated", id);
    return setup;
}

enum cm_status cm_pshift_deallocate(struct cm_system *system, int id, struct cm_error *err)
{
    struct cm_pshift_setup *setup = find_setup(system, id, err);
    if (!setup)
        return CM_BAD_INPUT;
    system->setups.at[id - 1] = NULL;
    setup_destroy(system, setup);
    return CM_OK;
}

enum cm_status cm_pshift_info(const struct cm_system *system, int id, struct cm_pshift_info *info,
                              struct cm_error *err)
{
    const struct cm_pshift_setup *setup = find_setup(system, id, err);
    if (!setup)
        return CM_BAD_INPUT;
    *info = (struct cm_pshift_info){.unrolled = setup->unrolled,
                                    .by_imp = setup->plan.job_count,
                                    .by_runtime = setup->plan.count - setup->plan.job_count,
                                    .exchanges = setup->plan.exchanges,
                                    .sram_words = setup->imp ? cm_imp_words(setup->imp) : 0,
                                    .table_words = setup->table_words,
                                    .imp = setup->imp};
    return CM_OK;
}

const char *cm_pshift_reason(const struct cm_system *system, int id, uint32_t index)
{
    const struct cm_pshift_setup *setup = find_setup(system, id, NULL);
    return setup && index < setup->plan.count ? setup->plan.entries[index].refusal : NULL;
}

static enum cm_status check_arrays(const struct cm_pshift_setup *setup,
                                   const struct cm_shift *shift, uint32_t number,
                                   struct cm_error *err)
{
    const struct cm_array *arrays[2] = {shift->src, shift->dst};
    if (shift->src == NULL || shift->dst == NULL)
        return cm_error_set(err, CM_BAD_INPUT, "shift %" PRIu32 " has no %s", number,
                            shift->src == NULL ? "source" : "destination");
    for (unsigned i = 0; i < 2; i++)
        if (!cm_layout_equal(&arrays[i]->layout, &setup->plan.layout))
            return cm_error_set(err, CM_BAD_INPUT,
                                "shift %" PRIu32
                                ": array \"%s\" differs in shape, type or layout from the array "
                                "that the setup was made for",
                                number, arrays[i]->name);
    if (shift->type == CM_SHIFT_EOSHIFT_ARRAY)
        return cm_boundary_check(&setup->plan.layout, shift->axis, shift->boundary_array, err);
    return CM_OK;
}

static enum cm_status check_call(const struct cm_pshift_setup *setup, const struct cm_shift *shifts,
                                 uint32_t count, struct cm_error *err)
{
    if (count != setup->plan.count)
        return cm_error_set(err, CM_BAD_INPUT,
                            "%" PRIu32 " shifts; the setup was made for %" PRIu32, count,
                            setup->plan.count);
    for (uint32_t i = 0; i < count; i++) {
        const struct cm_pshift_pattern *pattern = &setup->plan.entries[i].pattern;
        if (shifts[i].type != pattern->type || shifts[i].axis != pattern->axis ||
            shifts[i].distance != pattern->distance)
            return cm_error_set(err, CM_BAD_INPUT,
                                "shift %" PRIu32 " is not the one that the setup was made for: %s "
                                "along axis %" PRIu32 " by %" PRId64,
                                i + 1, cm_shift_type_name(pattern->type), pattern->axis,
                                pattern->distance);
        enum cm_status status = check_arrays(setup, &shifts[i], i + 1, err);
        if (status != CM_OK)
            return status;
        for (uint32_t k = 0; k < i; k++)
            if (shifts[k].dst->address == shifts[i].dst->address)
                return cm_error_set(err, CM_BAD_INPUT,
                                    "array \"%s\" is the destination of shifts %" PRIu32
                                    " and %" PRIu32,
                                    shifts[i].dst->name, k + 1, i + 1);
    }
    return CM_OK;
}

/* Addresses from which the shifts of a call read. This is the source itself, or a copy if the
 * source is also a destination. */
struct sources {
    uint64_t address[CM_PSHIFT_MAX];
    bool copied[CM_PSHIFT_MAX]; /* true if this shift owns the copy */
};

static bool is_destination(const struct cm_shift *shifts, uint32_t count, uint64_t address)
{
    for (uint32_t i = 0; i < count; i++)
        if (shifts[i].dst->address == address)
            return true;
    return false;
}

static enum cm_status gather_sources(struct cm_system *system, const struct cm_shift *shifts,
                                     uint32_t count, struct sources *sources, struct cm_error *err)
{
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; status == CM_OK && i < count; i++) {
        uint64_t src = shifts[i].src->address;
        uint32_t same = 0;
        sources->address[i] = src;
        if (!is_destination(shifts, count, src))
            continue;
        while (shifts[same].src->address != src)
            same++;
        if (same < i) {
            sources->address[i] = sources->address[same];
            continue;
        }
        status = cm_runtime_set_aside(system, &shifts[i].src->layout,
                                      "a copy of a source that is also a destination",
                                      CM_ENTRY_CHAINED, &sources->address[i], err);
        sources->copied[i] = status == CM_OK;
    }
    return status;
}

static enum cm_status run_imp(struct cm_system *system, const struct cm_pshift_setup *setup,
                              const struct cm_shift *shifts, const struct sources *sources,
                              struct cm_error *err)
{
    struct cm_actual actuals[1 + 2 * CM_PSHIFT_BY_IMP_MAX] = {{.address = setup->tables}};
    uint32_t next = 1;
    for (uint32_t i = 0; i < setup->plan.count; i++) {
        if (setup->plan.entries[i].refusal)
            continue;
        actuals[next++].address = shifts[i].dst->address;
        actuals[next++].address = sources->address[i];
    }
    return cm_machine_run(system->machine, setup->imp, actuals, CM_ENTRY_STARTED, err);
}

/* Performs the shifts and boundaries that the IMP leaves to the run-time library. */
static enum cm_status run_rest(struct cm_system *system, const struct cm_pshift_setup *setup,
                               const struct cm_shift *shifts, const struct sources *sources,
                               struct cm_error *err)
{
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; status == CM_OK && i < setup->plan.count; i++) {
        if (setup->plan.entries[i].refusal) {
            status = cm_runtime_shift_from(system, &shifts[i], sources->address[i],
                                           CM_ENTRY_RUNTIME, err);
        } else if (setup->plan.entries[i].third_step) {
            struct cm_boundary boundary = cm_boundary_of(&shifts[i]);
            status = cm_boundary_fill(system, &boundary, shifts[i].dst, CM_ENTRY_RUNTIME, err);
        }
    }
    return status;
}

enum cm_status cm_pshift_prepare(struct cm_system *system, int id, const struct cm_shift *shifts,
                                 uint32_t count, struct cm_error *err)
{
    const struct cm_pshift_setup *setup = find_setup(system, id, err);
    if (!setup)
        return CM_BAD_INPUT;
    enum cm_status status = check_call(setup, shifts, count, err);
    for (uint32_t i = 0; status == CM_OK && i < count; i++) {
        struct cm_boundary boundary = cm_boundary_of(&shifts[i]);
        if (setup->plan.entries[i].refusal)
            status = cm_runtime_prepare_from(system, &shifts[i], err);
        else if (setup->plan.entries[i].third_step)
            status = cm_boundary_prepare(system, &boundary, err);
        if (status == CM_OK && is_destination(shifts, count, shifts[i].src->address))
            status = cm_runtime_prepare_aside(system, &setup->plan.layout, err);
    }
    return status;
}

/* Returns the number of shifts that the setup's IMP performs. */
static uint32_t shifts_by_imp(const struct cm_pshift_setup *setup)
{
    uint32_t shifts = 0;
    for (uint32_t i = 0; i < setup->plan.count; i++)
        shifts += !setup->plan.entries[i].refusal;
    return shifts;
}

enum cm_status cm_pshift_call(struct cm_system *system, int id, const struct cm_shift *shifts,
                              uint32_t count, struct cm_error *err)
{
    const struct cm_pshift_setup *setup = find_setup(system, id, err);
    struct sources sources = {0};
    if (!setup)
        return CM_BAD_INPUT;
    enum cm_status status = check_call(setup, shifts, count, err);
    if (status != CM_OK)
        return status;
    cm_machine_begin_pshift(system->machine, shifts_by_imp(setup));
    status = gather_sources(system, shifts, count, &sources, err);
    if (status == CM_OK && setup->imp)
        status = run_imp(system, setup, shifts, &sources, err);
    if (status == CM_OK)
        status = run_rest(system, setup, shifts, &sources, err);
    for (uint32_t i = 0; i < count; i++)
        if (sources.copied[i])
            cm_heap_free(system->heap, sources.address[i]);
    return status;
}
