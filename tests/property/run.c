/* Runs a case through the library and keeps what it left. */
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool keep_data(struct cm_outcome *outcome, const struct cm_case *c, struct cm_run *run)
{
    for (uint32_t a = 0; a < c->array_count; a++) {
        struct cm_array *array = cm_run_array(run, c->arrays[a].name);
        outcome->data[a] = malloc(cm_case_array_bytes(c, a));
        if (outcome->data[a] == NULL)
            return false;
        if (array == NULL) {
            outcome->status = cm_error_set(&outcome->error, CM_INTERNAL,
                                           "the run does not know array %s", c->arrays[a].name);
            return true;
        }
        const enum cm_status status =
            cm_array_gather(cm_run_system(run), array, outcome->data[a], &outcome->error);
        if (status != CM_OK)
            outcome->status = status;
    }
    return true;
}

static bool keep_result(struct cm_outcome *outcome, const struct cm_result *result)
{
    outcome->total = result->total;
    outcome->channels = result->channels;
    outcome->checked = result->checked;
    outcome->mismatches = result->mismatches;
    outcome->step_count = result->step_count;
    outcome->steps = calloc(result->step_count + 1u, sizeof(*outcome->steps));
    if (outcome->steps == NULL)
        return false;
    memcpy(outcome->steps, result->steps, result->step_count * sizeof(*outcome->steps));
    return true;
}

static bool execute(struct cm_outcome *outcome, const struct cm_case *c,
                    const struct cm_run_how *how, const struct cm_workload *workload)
{
    const struct cm_run_options options = {.machine = how->machine,
                                           .nodes = how->nodes,
                                           .threads = how->threads,
                                           .timing_only = how->timing_only,
                                           .sparing = how->sparing,
                                           .no_check = !how->check};
    struct cm_run *run = NULL;
    bool ok = true;
    outcome->status = cm_run_create(workload, &options, &run, &outcome->error);
    if (outcome->status != CM_OK)
        return true;
    outcome->created = true;
    outcome->status = cm_run_execute(run, &outcome->error);
    if (outcome->status == CM_OK || outcome->status == CM_CHECK_FAILED)
        ok = keep_result(outcome, cm_run_result(run)) &&
             (how->timing_only || keep_data(outcome, c, run));
    cm_run_destroy(run);
    return ok;
}

bool cm_outcome_run(struct cm_outcome *outcome, const struct cm_case *c,
                    const struct cm_run_how *how)
{
    struct cm_buffer text;
    struct cm_workload *workload = NULL;
    char name[64];
    bool ok = false;
    memset(outcome, 0, sizeof(*outcome));
    cm_buffer_init(&text);
    cm_case_emit(c, how->machine, &text);
    if (!cm_buffer_ok(&text))
        goto done;
    (void)snprintf(name, sizeof(name), "case-%llu.json", (unsigned long long)c->number);
    ok = true;
    outcome->status = cm_workload_parse(name, text.data, text.length, &workload, &outcome->error);
    if (outcome->status == CM_OK)
        ok = execute(outcome, c, how, workload);
done:
    cm_workload_destroy(workload);
    cm_buffer_finish(&text);
    return ok;
}

void cm_outcome_finish(struct cm_outcome *outcome)
{
    for (uint32_t a = 0; a < CM_CASE_ARRAYS; a++)
        free(outcome->data[a]);
    free(outcome->steps);
    memset(outcome, 0, sizeof(*outcome));
}

bool cm_error_is_sram_overflow(const struct cm_error *error)
{
    return error->status == CM_BAD_INPUT && strstr(error->hint, "looped") != NULL &&
           (strstr(error->message, "SRAM") != NULL || strstr(error->hint, "SRAM") != NULL);
}

enum cm_status cm_session_open(struct cm_session *session, const struct cm_case *c,
                               const struct cm_config *config, bool timing_only,
                               struct cm_error *error)
{
    const struct cm_machine_options options = {
        .nodes = c->nodes, .threads = 1, .timing_only = timing_only};
    memset(session, 0, sizeof(*session));
    enum cm_status status = cm_system_create(config, &options, &session->system, error);
    for (uint32_t a = 0; a < c->array_count && status == CM_OK; a++) {
        struct cm_layout layout;
        status = cm_layout_create(&c->arrays[a].request, c->nodes, &layout, error);
        if (status == CM_OK)
            status = cm_array_create(session->system, c->arrays[a].name, &layout,
                                     &session->arrays[a], error);
        if (status == CM_OK)
            session->array_count = a + 1;
    }
    return status;
}

void cm_session_close(struct cm_session *session)
{
    for (uint32_t a = 0; a < session->array_count; a++)
        cm_array_destroy(session->system, session->arrays[a]);
    cm_system_destroy(session->system);
    memset(session, 0, sizeof(*session));
}

struct cm_shift cm_session_shift(const struct cm_session *session, const struct cm_case *c,
                                 const struct cm_case_shift *shift)
{
    struct cm_case_number number = shift->boundary_number;
    struct cm_shift made = {.type = shift->type,
                            .axis = shift->axis,
                            .distance = shift->distance,
                            .path = shift->path,
                            .dst = session->arrays[shift->dst],
                            .src = session->arrays[shift->src]};
    if (shift->boundary == CM_CASE_SCALAR)
        number = c->scalars[shift->boundary_index];
    if (shift->boundary == CM_CASE_SCALAR || shift->boundary == CM_CASE_NUMBER)
        made.boundary_scalar =
            cm_scalar_make(c->arrays[shift->src].request.type, number.re, number.im);
    if (shift->boundary == CM_CASE_ARRAY)
        made.boundary_array = session->arrays[shift->boundary_index];
    return made;
}

struct cm_pshift_pattern cm_pattern_of(const struct cm_case_shift *shift)
{
    return (struct cm_pshift_pattern){
        .type = shift->type, .axis = shift->axis, .distance = shift->distance};
}
