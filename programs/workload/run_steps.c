/* Preparing steps: shifts and terms on laid arrays, PSHIFT setups (one for all steps that it can
 * serve). */
#include "../pshift/runtime.h"
#include "run_private.h"

#include <stdlib.h>
#include <string.h>

static enum cm_status out_of_memory(struct cm_error *err)
{
    return cm_error_set(err, CM_NO_MEMORY, "out of memory");
}

static enum cm_status expect_layout(const struct cm_run *run, struct cm_json json, uint32_t array,
                                    uint32_t model, struct cm_error *err)
{
    if (cm_layout_equal(&run->arrays[array]->layout, &run->arrays[model]->layout))
        return CM_OK;
    cm_json_error(json, err, "\"%s\" and \"%s\" have one shape, but lie differently on the nodes",
                  run->arrays[array]->name, run->arrays[model]->name);
    return cm_error_hint(err, "give both the same axes and weights: {\"like\": \"%s\"}",
                         run->arrays[model]->name);
}

/* The bits of a number, as node memory holds them. */
static struct cm_scalar scalar_of(enum cm_type type, const struct cm_number *number)
{
    return cm_scalar_make(type, number->re, number->im);
}

static enum cm_status make_shifts(struct cm_run *run, struct cm_run_step *plan,
                                  struct cm_error *err)
{
    const struct cm_workload_step *step = plan->step;
    uint32_t model = step->shifts[0].src;
    plan->shifts = calloc(step->shift_count, sizeof *plan->shifts);
    if (plan->shifts == NULL)
        return out_of_memory(err);
    for (uint32_t i = 0; i < step->shift_count; i++) {
        const struct cm_workload_shift *from = &step->shifts[i];
        enum cm_status status = expect_layout(run, from->src_json, from->src, model, err);
        if (status == CM_OK)
            status = expect_layout(run, from->dst_json, from->dst, model, err);
        if (status != CM_OK)
            return status;
        plan->shifts[i] = (struct cm_shift){
            .type = from->type,
            .axis = from->axis,
            .distance = from->distance,
            .path = from->path,
            .dst = run->arrays[from->dst],
            .src = run->arrays[from->src],
            .boundary_scalar = scalar_of(run->arrays[model]->layout.type, &from->boundary.number),
            .boundary_array =
                from->boundary.array == CM_NO_ARRAY ? NULL : run->arrays[from->boundary.array],
        };
    }
    return CM_OK;
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

static struct cm_run_setup *find_setup(const struct cm_run *run, enum cm_setup_kind kind,
                                       const struct cm_layout *layout,
                                       const struct cm_pshift_pattern *patterns, uint32_t count)
{
    for (uint32_t i = 0; i < run->setup_count; i++) {
        struct cm_run_setup *setup = &run->setups[i];
        if (setup->kind == kind && setup->count == count &&
            cm_layout_equal(&setup->layout, layout) &&
            same_patterns(setup->patterns, patterns, count))
            return setup;
    }
    return NULL;
}

/* What the IMP leaves to the run-time library is compiled now too, not at the first call. */
static enum cm_status prepare_rest(struct cm_run *run, const struct cm_run_step *plan,
                                   struct cm_error *err)
{
    return cm_pshift_prepare(run->system, plan->setup, plan->shifts, plan->step->shift_count, err);
}

/* Takes ownership of `patterns`. */
static enum cm_status add_setup(struct cm_run *run, struct cm_run_step *plan,
                                struct cm_pshift_pattern *patterns, struct cm_error *err)
{
    uint32_t count = plan->step->shift_count;
    struct cm_run_setup *setups =
        realloc(run->setups, (run->setup_count + 1u) * sizeof *run->setups);
    if (setups == NULL) {
        free(patterns);
        return out_of_memory(err);
    }
    run->setups = setups;
    struct cm_run_setup *setup = &setups[run->setup_count];
    *setup = (struct cm_run_setup){
        .kind = plan->step->setup,
        .layout = plan->shifts[0].src->layout,
        .patterns = patterns,
        .count = count,
    };
    enum cm_status status =
        cm_pshift_setup(run->system, setup->kind, &setup->layout, patterns, count, &setup->id, err);
    if (status != CM_OK) {
        free(patterns);
        return status;
    }
    run->setup_count++;
    plan->setup = setup->id;
    cm_buffer_init(&setup->title);
    cm_buffer_printf(&setup->title, "%s", plan->step->where);
    return cm_buffer_ok(&setup->title) ? CM_OK : out_of_memory(err);
}

static enum cm_status prepare_pshift(struct cm_run *run, struct cm_run_step *plan,
                                     struct cm_error *err)
{
    uint32_t count = plan->step->shift_count;
    enum cm_status status = make_shifts(run, plan, err);
    if (status != CM_OK)
        return status;
    struct cm_pshift_pattern *patterns = calloc(count, sizeof *patterns);
    if (patterns == NULL)
        return out_of_memory(err);
    for (uint32_t i = 0; i < count; i++) {
        const struct cm_shift *shift = &plan->shifts[i];
        patterns[i] = (struct cm_pshift_pattern){
            .type = shift->type,
            .axis = shift->axis,
            .distance = shift->distance,
        };
    }
    struct cm_run_setup *setup =
        find_setup(run, plan->step->setup, &plan->shifts[0].src->layout, patterns, count);
    if (setup != NULL) {
        free(patterns);
        plan->setup = setup->id;
        cm_buffer_printf(&setup->title, ", %s", plan->step->where);
        return cm_buffer_ok(&setup->title) ? prepare_rest(run, plan, err) : out_of_memory(err);
    }
    status = add_setup(run, plan, patterns, err);
    return status == CM_OK ? prepare_rest(run, plan, err) : status;
}

static enum cm_status prepare_runtime(struct cm_run *run, struct cm_run_step *plan,
                                      struct cm_error *err)
{
    enum cm_status status = make_shifts(run, plan, err);
    return status == CM_OK ? cm_runtime_prepare(run->system, &plan->shifts[0], err) : status;
}

static enum cm_status prepare_terms(struct cm_run *run, struct cm_run_step *plan,
                                    struct cm_error *err)
{
    const struct cm_workload_step *step = plan->step;
    struct cm_array *dst = run->arrays[step->dst];
    plan->terms = calloc(step->term_count, sizeof *plan->terms);
    if (plan->terms == NULL)
        return out_of_memory(err);
    for (uint32_t i = 0; i < step->term_count; i++) {
        const struct cm_workload_term *from = &step->terms[i];
        struct cm_term *term = &plan->terms[i];
        enum cm_status status = expect_layout(run, from->array_json, from->array, step->dst, err);
        if (status == CM_OK && from->coefficient.array != CM_NO_ARRAY)
            status =
                expect_layout(run, from->coefficient.json, from->coefficient.array, step->dst, err);
        if (status != CM_OK)
            return status;
        term->array = run->arrays[from->array];
        if (from->coefficient.array != CM_NO_ARRAY)
            term->coefficients = run->arrays[from->coefficient.array];
        term->scalar = scalar_of(dst->layout.type, &from->coefficient.number);
    }
    if (step->kind == CM_STEP_COPY)
        return CM_OK;
    return cm_combine_prepare(run->system, dst, plan->terms, step->term_count, err);
}

static enum cm_status prepare_network(struct cm_run *run, struct cm_run_step *plan,
                                      struct cm_error *err)
{
    const struct cm_network_step *step = plan->step->network;
    struct cm_network_place place = {
        .file = cm_json_name(run->workload->document),
        .verify = run->check,
    };
    if (step->has_array) {
        enum cm_status status = expect_layout(run, step->dst_json, step->dst, step->array, err);
        if (status != CM_OK)
            return status;
        place.src_array = run->arrays[step->array];
        place.dst_array = run->arrays[step->dst];
    }
    return cm_network_create(run->system, step, &place, &plan->network, err);
}

static enum cm_status prepare_step(struct cm_run *run, struct cm_run_step *plan,
                                   struct cm_error *err)
{
    switch (plan->step->kind) {
    case CM_STEP_PSHIFT:
        return prepare_pshift(run, plan, err);
    case CM_STEP_CSHIFT:
    case CM_STEP_EOSHIFT:
        return prepare_runtime(run, plan, err);
    case CM_STEP_COMBINE:
    case CM_STEP_COPY:
        return prepare_terms(run, plan, err);
    case CM_STEP_IMP:
        return cm_run_prepare_imp(run, plan, err);
    case CM_STEP_SHIFT:
    case CM_STEP_ROUTE:
        return prepare_network(run, plan, err);
    case CM_STEP_RESHAPE:
        return cm_run_prepare_reshape(run, plan, err);
    case CM_STEP_FFT:
    case CM_STEP_BROADCAST:
        return cm_run_prepare_fft(run, plan, err);
    default:
        return cm_error_set(err, CM_INTERNAL, "step %s cannot be prepared", plan->step->where);
    }
}

static void describe_step(struct cm_run *run, struct cm_run_step *plan)
{
    struct cm_step_result *result = &run->result.steps[plan->step->leaf];
    struct cm_pshift_info info;
    result->op = cm_step_kind_names[plan->step->kind];
    result->where = plan->step->where;
    result->path = "imp";
    if (plan->step->kind == CM_STEP_CSHIFT || plan->step->kind == CM_STEP_EOSHIFT ||
        plan->step->kind == CM_STEP_COPY)
        result->path = "runtime";
    if (plan->shifts != NULL && plan->shifts[0].path == CM_PATH_ROUTER)
        result->path = "router";
    if (plan->network != NULL) {
        result->network = &plan->network->report;
        result->path = plan->network->imp != NULL ? "imp" : "router";
    }
    result->fft = plan->fft;
    if (plan->imp != NULL)
        plan->resident_words = cm_imp_words(plan->imp);
    if (plan->step->kind == CM_STEP_PSHIFT &&
        cm_pshift_info(run->system, plan->setup, &info, NULL) == CM_OK) {
        plan->resident_words = info.sram_words;
        if (info.by_runtime > 0)
            result->path = info.by_imp > 0 ? "imp+runtime" : "runtime";
    }
}

static enum cm_status prepare_list(struct cm_run *run, const struct cm_workload_step *steps,
                                   uint32_t count, bool repeated, struct cm_error *err);

/* Steps are prepared for how arrays lie when they come to them the first time; so they must lie
 * alike every time. */
static enum cm_status prepare_repeat(struct cm_run *run, const struct cm_workload_step *repeat,
                                     struct cm_error *err)
{
    uint32_t count = run->workload->array_count;
    struct cm_array *before = calloc(count + 1u, sizeof *before);
    if (before == NULL)
        return out_of_memory(err);
    for (uint32_t i = 0; i < count; i++)
        before[i] = *run->arrays[i];
    enum cm_status status = prepare_list(run, repeat->steps, repeat->step_count, true, err);
    for (uint32_t i = 0; status == CM_OK && repeat->times > 1 && i < count; i++) {
        const struct cm_array *after = run->arrays[i];
        if (cm_layout_equal(&before[i].layout, &after->layout) &&
            cm_allocation_equal(&before[i].allocation, &after->allocation))
            continue;
        status = cm_error_set(
            err, CM_BAD_INPUT,
            "\"%s\" lies otherwise after these steps than before, so they cannot repeat",
            after->name);
        cm_error_hint(err, "reshape it back to its shape, encoding and processor dimensions at the "
                           "end of the steps");
        cm_workload_place(repeat->json, err);
    }
    free(before);
    return status;
}

/* Steps of a list, and of the repeats in it; `repeated` when the list itself is repeated. */
static enum cm_status prepare_list(struct cm_run *run, const struct cm_workload_step *steps,
                                   uint32_t count, bool repeated, struct cm_error *err)
{
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; status == CM_OK && i < count; i++) {
        if (steps[i].kind == CM_STEP_REPEAT) {
            status = prepare_repeat(run, &steps[i], err);
            continue;
        }
        struct cm_run_step *plan = &run->steps[steps[i].leaf];
        plan->step = &steps[i];
        status = prepare_step(run, plan, err);
        if (status == CM_OK && repeated) {
            plan->channel_words = calloc(2 * cm_run_channel_count(run) + 1, sizeof(uint64_t));
            if (plan->channel_words == NULL)
                status = out_of_memory(err);
        }
        if (status == CM_OK)
            describe_step(run, plan);
        else
            cm_workload_place(steps[i].json, err);
    }
    return status;
}

/* How many steps will run; UINT64_MAX when that is more than can be counted. */
static uint64_t count_executions(const struct cm_workload_step *steps, uint32_t count)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t inner = steps[i].kind == CM_STEP_REPEAT
                             ? count_executions(steps[i].steps, steps[i].step_count)
                             : 1;
        if (inner > (UINT64_MAX - total) / steps[i].times)
            return UINT64_MAX;
        total += inner * steps[i].times;
    }
    return total;
}

enum cm_status cm_run_prepare_steps(struct cm_run *run, struct cm_error *err)
{
    const struct cm_workload *workload = run->workload;
    run->steps = calloc(workload->leaf_count + 1u, sizeof *run->steps);
    if (run->steps == NULL)
        return out_of_memory(err);
    run->step_count = workload->leaf_count;
    run->total = count_executions(workload->steps, workload->step_count);
    enum cm_status status = prepare_list(run, workload->steps, workload->step_count, false, err);
    return status == CM_OK ? cm_run_rewind(run, err) : status;
}

void cm_run_finish_steps(struct cm_run *run)
{
    for (uint32_t i = 0; i < run->setup_count; i++) {
        cm_pshift_deallocate(run->system, run->setups[i].id, NULL);
        free(run->setups[i].patterns);
        cm_buffer_finish(&run->setups[i].title);
    }
    for (uint32_t i = 0; i < run->step_count; i++) {
        free(run->steps[i].shifts);
        free(run->steps[i].terms);
        free(run->steps[i].actuals);
        cm_network_destroy(run->system, run->steps[i].network);
        free(run->steps[i].reshape);
        free(run->steps[i].fft);
        free(run->steps[i].channel_words);
    }
    for (uint32_t i = 0; i < run->imp_count; i++) {
        if (run->imps[i].loaded)
            cm_machine_unload_imp(cm_system_machine(run->system), run->imps[i].imp);
        cm_imp_destroy(run->imps[i].imp);
        free(run->imps[i].path);
    }
    free(run->imps);
    free(run->setups);
    free(run->steps);
}
