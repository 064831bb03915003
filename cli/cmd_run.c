/* cm200 run: reads a workload, runs it, says what it did. */
#include "cli.h"

#include <string.h>

static int print_result(const struct cli_values *values, const struct cm_result *result)
{
    struct cm_buffer text;
    struct cm_error err;
    int code = 0;
    if (values->quiet && !values->json)
        return 0;
    cm_buffer_init(&text);
    if (!values->json)
        cm_result_summary(result, cli_summary_style(), &text);
    else if (cm_result_json(result, &text, &err) != CM_OK)
        code = cli_error(&err);
    if (code == 0)
        code = cli_write(&text);
    cm_buffer_finish(&text);
    return code;
}

static int write_stats(const struct cli_values *values, const struct cm_result *result)
{
    struct cm_buffer text;
    struct cm_error err;
    int code = 0;
    if (values->stats == NULL)
        return 0;
    cm_buffer_init(&text);
    if (cm_result_json(result, &text, &err) != CM_OK)
        code = cli_error(&err);
    else
        code = cli_write_to(values->stats, &text);
    cm_buffer_finish(&text);
    return code;
}

/* Arrays are saved only when no check failed; the result is told in either case, and first of all
 * to the user. */
static int finish(const struct cli_values *values, struct cm_run *run, enum cm_status status,
                  struct cm_error *err)
{
    const struct cm_result *result = cm_run_result(run);
    struct cm_error save_err;
    cli_interrupt_hold(true);
    int code = print_result(values, result);
    if (status == CM_CHECK_FAILED) {
        int failed = cli_error(err);
        code = code != 0 ? code : failed;
    }
    int stats = write_stats(values, result);
    code = code != 0 ? code : stats;
    memset(&save_err, 0, sizeof save_err);
    if (status == CM_OK && cm_run_save(run, &save_err) != CM_OK) {
        int failed = cli_error(&save_err);
        code = code != 0 ? code : failed;
    }
    cli_interrupt_hold(false);
    return code;
}

static int execute(const struct cli_values *values, struct cm_run *run,
                   struct cli_progress *progress)
{
    struct cm_error err;
    struct cli_tracing tracing;
    memset(&err, 0, sizeof err);
    int code = cli_trace_begin(values, run, &tracing);
    if (code != 0)
        return code;
    cli_interrupt_watch(run);
    enum cm_status status = cm_run_execute(run, &err);
    cli_interrupt_watch(NULL);
    cli_progress_end(progress);
    bool complete = status == CM_OK || status == CM_CHECK_FAILED;
    if (complete) {
        code = finish(values, run, status, &err);
    } else {
        if (status == CM_INTERRUPTED)
            cm_error_set(&err, CM_INTERRUPTED, "interrupted");
        code = cli_error(&err);
    }
    int traced = cli_trace_end(values, run, &tracing, complete);
    return code != 0 ? code : traced;
}

int cli_run_workload(const struct cli_values *values, const struct cm_workload *workload,
                     bool builtin)
{
    struct cm_config config;
    struct cm_run *prepared = NULL;
    struct cm_error err;
    struct cli_progress progress;
    struct cm_run_options options = cli_run_settings(values);
    cli_progress_begin(&progress, values->quiet);
    options.progress = cli_progress_step;
    options.progress_context = &progress;
    memset(&err, 0, sizeof err);
    if (builtin && cli_machine_config(NULL, &config, &err) != CM_OK)
        return cli_error(&err);
    if (builtin)
        options.config = &config;
    cli_interrupt_watch(NULL);
    enum cm_status status = cm_run_create(workload, &options, &prepared, &err);
    int code = status == CM_OK ? execute(values, prepared, &progress) : cli_error(&err);
    cm_run_destroy(prepared);
    return code;
}

static int run(const struct cli_values *values)
{
    struct cm_workload *workload = NULL;
    struct cm_error err;
    memset(&err, 0, sizeof err);
    enum cm_status status = cm_workload_read(values->operands.items[0], &workload, &err);
    int code = status == CM_OK ? cli_run_workload(values, workload, false) : cli_error(&err);
    cm_workload_destroy(workload);
    return code;
}

const struct cli_command cli_command_run = {
    .name = "run",
    .summary = "run a workload; print what it did",
    .operands = "WORKLOAD.json",
    .operands_min = 1,
    .operands_max = 1,
    .about =
        "Lays the workload's arrays on the nodes, compiles its shifts, runs its steps, compares "
        "each\n"
        "with a direct evaluation when the workload says \"check\", and saves what it is to save.\n"
        "Prints a summary: steps, cycles, time at the machine's clock, and why each cycle was "
        "spent.\n"
        "WORKLOAD.json may be - for standard input; paths in it are then relative to the current "
        "folder.",
    .examples = "  cm200 run programs/examples/five-point-pshift.json\n"
                "  cm200 run --machine configs/cm2.json --nodes 512 workload.json\n"
                "  cm200 run --set memory.page_words=512 --timing-only workload.json\n"
                "  cm200 run --json workload.json | python3 -m json.tool\n"
                "  cm200 run --save dst=dst.npy --quiet workload.json\n",
    .sets = {&cli_machine_options, &cli_run_options},
    .run = run,
};
