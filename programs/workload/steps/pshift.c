/* The step pshift: several shifts at once, by the IMP of a setup. Steps with the same shifts of the
 * same layout share a setup. */
#include "pshift.h"

#include "../../../base/list.h"
#include "array_shift.h"

#include <inttypes.h>
#include <string.h>

struct pshift {
    struct cm_step_array_shift *shifts;
    uint32_t count;
    enum cm_setup_kind setup;
};

struct state {
    struct cm_shift *shifts;
    int setup;
};

/* A setup, and the steps that use it. */
struct setup {
    int id;
    enum cm_setup_kind kind;
    struct cm_layout layout;
    struct cm_pshift_pattern *patterns;
    uint32_t count;
    struct cm_buffer title; /* JSON pointers of the steps that use the setup */
};

/* State that all pshift steps of a run share. */
struct common {
    CM_LIST(struct setup) setups; /* setups in the order of first use */
};

static const char *const setup_names[] = {"auto", "unrolled", "looped", NULL};

static const struct cm_key keys[] = {
    CM_SHIFT_KEY_TYPE,
    CM_SHIFT_KEYS,
    CM_SHIFT_KEY_BOUNDARY,
};

static const struct cm_key outer_keys[] = {
    CM_KEY(NAME, "setup", struct pshift, setup,
           "the form of the IMP's loops; auto: unrolled if it fits the SRAM, else looped",
           .names = setup_names),
};

/* Refuses sources of different shapes, and two shifts with one destination. */
static void check_arrays(const struct cm_workload *workload, struct cm_reader *reader,
                         const struct pshift *own)
{
    for (uint32_t i = 0; cm_reader_ok(reader) && i < own->count; i++) {
        const struct cm_step_array_shift *shift = &own->shifts[i];
        cm_workload_expect_same_type(workload, reader, shift->src, own->shifts[0].src);
        for (uint32_t k = 0; k < i; k++) {
            if (own->shifts[k].dst.number != shift->dst.number)
                continue;
            cm_reader_fail(reader, shift->dst.json,
                           "\"%s\" is the destination of two shifts of one pshift",
                           workload->arrays[shift->dst.number].name);
            cm_reader_hint(reader, "give each shift a destination of its own");
        }
    }
}

static void read_pshift(struct cm_workload *workload, struct cm_workload_step *step,
                        struct cm_reader *reader)
{
    struct pshift *own = step->own;
    cm_read_kind(reader, step->body, CM_JSON_ARRAY, "pshift");
    own->count = cm_reader_ok(reader) ? cm_json_count(step->body) : 0;
    if (cm_reader_ok(reader) && (own->count == 0 || own->count > CM_PSHIFT_MAX))
        cm_reader_fail(reader, step->body, "pshift has %" PRIu32 " shifts, expected 1 to %u",
                       own->count, CM_PSHIFT_MAX);
    own->shifts = cm_workload_allocate(workload, reader, own->count, sizeof *own->shifts);
    for (uint32_t i = 0; cm_reader_ok(reader) && i < own->count; i++) {
        struct cm_json object = cm_json_at(step->body, i, NULL);
        cm_step_array_shift_refuse_eoshift(reader, object);
        cm_keys_read(workload, reader, object,
                     &(struct cm_key_table){"a shift", keys, CM_COUNT_OF(keys)}, &own->shifts[i]);
        cm_step_array_shift_read(workload, reader, object, &own->shifts[i]);
        cm_step_array_shift_expect_boundary(workload, reader, object, &own->shifts[i]);
    }
    check_arrays(workload, reader, own);
}

static bool same_patterns(const struct cm_pshift_pattern *a, const struct cm_pshift_pattern *b,
                          uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (a[i].type != b[i].type || a[i].axis != b[i].axis || a[i].distance != b[i].distance)
            return false;
    }
    return true;
}

static struct setup *find_setup(struct common *common, enum cm_setup_kind kind,
                                const struct cm_layout *layout,
                                const struct cm_pshift_pattern *patterns, uint32_t count)
{
    for (uint32_t i = 0; i < common->setups.count; i++) {
        struct setup *setup = &common->setups.items[i];
        if (setup->kind == kind && setup->count == count &&
            cm_layout_equal(&setup->layout, layout) &&
            same_patterns(setup->patterns, patterns, count))
            return setup;
    }
    return NULL;
}

/* Compiles a setup. The setup keeps the pointer `patterns`. Returns NULL after a failure. */
static struct setup *add_setup(struct cm_run *run, enum cm_setup_kind kind,
                               const struct cm_layout *layout, struct cm_pshift_pattern *patterns,
                               uint32_t count, struct cm_error *err)
{
    struct common *common = cm_run_common(run, &cm_step_pshift);
    struct setup setup = {.kind = kind, .layout = *layout, .patterns = patterns, .count = count};
    if (!cm_list_room(&common->setups, (uint64_t)common->setups.count + 1)) {
        cm_error_no_memory(err);
        return NULL;
    }
    if (cm_pshift_setup(run->system, &(struct cm_pshift_request){kind, layout, patterns, count},
                        &setup.id, err) != CM_OK)
        return NULL;
    cm_buffer_init(&setup.title);
    cm_list_push(&common->setups, setup);
    return &common->setups.items[common->setups.count - 1];
}

/* Finds or makes the setup for the step's shifts, and adds the step's JSON pointer to its title. */
static enum cm_status use_setup(struct cm_run *run, const struct cm_run_step *step,
                                struct cm_error *err)
{
    const struct pshift *own = step->step->own;
    struct state *state = step->state;
    const struct cm_layout *layout = &state->shifts[0].src->layout;
    struct cm_pshift_pattern *patterns = cm_run_allocate(run, own->count, sizeof *patterns, err);
    if (patterns == NULL)
        return CM_NO_MEMORY;
    for (uint32_t i = 0; i < own->count; i++) {
        const struct cm_shift *shift = &state->shifts[i];
        patterns[i] = (struct cm_pshift_pattern){
            .type = shift->type, .axis = shift->axis, .distance = shift->distance};
    }
    struct setup *setup =
        find_setup(cm_run_common(run, &cm_step_pshift), own->setup, layout, patterns, own->count);
    bool found = setup != NULL;
    if (!found)
        setup = add_setup(run, own->setup, layout, patterns, own->count, err);
    if (setup == NULL)
        return err->status;
    state->setup = setup->id;
    cm_buffer_printf(&setup->title, "%s%s", found ? ", " : "", step->step->where);
    return cm_buffer_ok(&setup->title) ? CM_OK : cm_error_no_memory(err);
}

static enum cm_status prepare(struct cm_run *run, struct cm_run_step *step, struct cm_error *err)
{
    const struct pshift *own = step->step->own;
    struct state *state = step->state;
    struct cm_pshift_info info;
    enum cm_status status =
        cm_step_array_shift_make(run, own->shifts, own->count, &state->shifts, err);
    if (status == CM_OK)
        status = use_setup(run, step, err);
    /* The code for shifts that the setup's IMP cannot do is also compiled now, and not at the first
     * call. */
    if (status == CM_OK)
        status = cm_pshift_prepare(run->system, state->setup, state->shifts, own->count, err);
    if (status == CM_OK)
        status = cm_pshift_info(run->system, state->setup, &info, err);
    if (status != CM_OK)
        return status;
    step->resident_words = info.sram_words;
    if (info.by_runtime > 0)
        step->path = info.by_imp > 0 ? "imp+runtime" : "runtime";
    return CM_OK;
}

static enum cm_status run_pshift(struct cm_run *run, struct cm_run_step *step, struct cm_error *err)
{
    const struct pshift *own = step->step->own;
    const struct state *state = step->state;
    return cm_pshift_call(run->system, state->setup, state->shifts, own->count, err);
}

static enum cm_status check(struct cm_run *run, const struct cm_run_step *step,
                            struct cm_step_result *result, struct cm_error *err)
{
    const struct pshift *own = step->step->own;
    return cm_step_array_shift_check(run, step, own->shifts, own->count, result, err);
}

static bool has_formula(const struct cm_workload_step *step)
{
    const struct pshift *own = step->own;
    return cm_step_array_shift_has_formula(own->shifts, own->count);
}

static void finish_setups(struct cm_run *run, void *state)
{
    struct common *common = state;
    for (uint32_t i = 0; i < common->setups.count; i++) {
        cm_pshift_deallocate(run->system, common->setups.items[i].id, NULL);
        cm_buffer_finish(&common->setups.items[i].title);
    }
    cm_list_finish(&common->setups);
}

uint32_t cm_step_pshift_setup_count(const struct cm_run *run)
{
    const struct common *common = cm_run_common(run, &cm_step_pshift);
    return common != NULL ? common->setups.count : 0;
}

struct cm_step_pshift_setup cm_step_pshift_setup_at(const struct cm_run *run, uint32_t i)
{
    const struct common *common = cm_run_common(run, &cm_step_pshift);
    const struct setup *setup = &common->setups.items[i];
    return (struct cm_step_pshift_setup){
        .id = setup->id,
        .title = setup->title.data,
        .layout = &setup->layout,
        .patterns = setup->patterns,
        .count = setup->count,
    };
}

const struct cm_step_kind cm_step_pshift = {
    .name = "pshift",
    .summary = "several shifts at once, by a compiled IMP",
    .example = "{\"pshift\": [{\"type\": \"cshift\", \"dst\": \"n\", \"src\": \"a\", \"dim\": 1, "
               "\"distance\": -1}], \"setup\": \"auto\"}",
    .keys = keys,
    .key_count = CM_COUNT_OF(keys),
    .is_list = true,
    .entries_max = CM_PSHIFT_MAX,
    .rules =
        CM_NOT_IN_A_PAGE("{\"if\": {\"properties\": {\"type\": {\"enum\": [\"eoshift_scalar\", "
                         "\"eoshift_array\"]}}}, \"then\": {\"required\": [\"boundary\"]}, "
                         "\"else\": {\"propertyNames\": {\"pattern\": \"^(?!boundary$)\"}}}"),
    .outer_keys = outer_keys,
    .outer_count = CM_COUNT_OF(outer_keys),
    .own_bytes = sizeof(struct pshift),
    .state_bytes = sizeof(struct state),
    .common_bytes = sizeof(struct common),
    .stateless = true,
    .path = "imp",
    .read = read_pshift,
    .prepare = prepare,
    .run = run_pshift,
    .check = check,
    .has_formula = has_formula,
    .finish_common = finish_setups,
};
