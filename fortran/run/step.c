/* The step "program" of a workload, which compiles a CM Fortran program and executes it as one
 * step. */
#include "step_private.h"

struct own {
    struct cm_fortran_step_own common;
    struct cm_fortran_step_data data;
};

static const struct cm_key keys[] = {
    CM_FORTRAN_STEP_KEYS(struct own, common),
    CM_KEY_FORM("parameters", "object: name to number, true or false", "fortran_parameters",
                "values for PARAMETERs of the main program", .otherwise = "those in the program"),
    CM_KEY_FORM("load", "object: name to .npy file", "array_files",
                "what arrays of the main program hold when it begins", .otherwise = "zeros"),
    CM_KEY_FORM("save", "object: name to .npy file", "array_files",
                "arrays of the main program to save after the run", .otherwise = "no array"),
};

static void read_data(struct cm_workload *workload, struct cm_workload_step *step,
                      struct cm_reader *reader)
{
    struct own *own = step->own;
    cm_fortran_step_data_read(workload, reader, step->body, &own->data);
}

/* Creates a run of the program, and loads its arrays from files. */
static enum cm_status make_run(struct cm_run *run, struct cm_run_step *step, struct cm_error *err)
{
    const struct own *own = step->step->own;
    struct cm_fortran_step_state *state = step->state;
    const struct cm_fortran_run_options options = cm_fortran_step_options(run, &own->common);
    enum cm_status status =
        cm_fortran_run_create(state->program, run->system, &options, &state->run, err);
    state->mismatches = 0;
    return status == CM_OK ? cm_fortran_step_load(&own->data, state->run, err) : status;
}

static enum cm_status prepare(struct cm_run *run, struct cm_run_step *step, struct cm_error *err)
{
    const struct own *own = step->step->own;
    enum cm_status status =
        cm_fortran_step_compile(run, &own->common, &own->data, step->state, err);
    return status == CM_OK ? make_run(run, step, err) : status;
}

static enum cm_status execute(struct cm_run *run, struct cm_run_step *step, struct cm_error *err)
{
    struct cm_fortran_step_state *state = step->state;
    enum cm_status status = cm_fortran_step_needs_data(run, err);
    /* a repeat of the step begins with a new run, whose variables have their initial values */
    if (status == CM_OK && state->executed) {
        cm_fortran_run_destroy(state->run);
        state->run = NULL;
        status = make_run(run, step, err);
    }
    state->executed = true;
    if (status == CM_OK)
        status = cm_fortran_run_execute(state->run, err);
    if (status == CM_OK)
        cm_fortran_step_stopped(run, step);
    return status;
}

/* Reports the results of the check. The statements were compared when they were executed. */
static enum cm_status check(struct cm_run *run, const struct cm_run_step *step,
                            struct cm_step_result *result, struct cm_error *err)
{
    cm_fortran_step_count(run, step, result, err);
    return CM_OK;
}

static enum cm_status save(struct cm_run *run, struct cm_run_step *step, struct cm_error *err)
{
    const struct own *own = step->step->own;
    const struct cm_fortran_step_state *state = step->state;
    (void)run;
    return cm_fortran_step_save(&own->data, state->run, err);
}

static const struct cm_step_kind kind = {
    .name = "program",
    .summary = "a CM Fortran program",
    .example = "{\"program\": {\"file\": \"jacobi.fcm\"}}",
    .keys = keys,
    .key_count = CM_COUNT_OF(keys),
    .own_bytes = sizeof(struct own),
    .state_bytes = sizeof(struct cm_fortran_step_state),
    .path = "fortran",
    .read = read_data,
    .prepare = prepare,
    .run = execute,
    .save = save,
    .check = check,
    .so_far = cm_fortran_step_so_far,
    .report = cm_fortran_step_report,
    .finish = cm_fortran_step_finish,
};

bool cm_fortran_register(void)
{
    return cm_step_kind_register(&kind) && cm_step_kind_register(&cm_fortran_step_call);
}
