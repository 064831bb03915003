/* cm200 validate: simulated against published, every cell. */
#include "../base/buffer.h"
#include "cli.h"

#include <string.h>

/* A run may end well although Ctrl-C came, in its last step; the command stops all the same. */
static bool watch(void *context, struct cm_run *run)
{
    (void)context;
    bool watched = cli_interrupt_watch(run);
    return run != NULL || watched;
}

static enum cm_status render_text(const struct cli_values *values, const void *validation,
                                  struct cm_buffer *text, struct cm_error *err)
{
    (void)err;
    cm_validation_text(validation, cli_summary_style(), values->model, text);
    return CM_OK;
}

static enum cm_status render_json(const struct cli_values *values, const void *validation,
                                  struct cm_buffer *text, struct cm_error *err)
{
    return cm_validation_json(validation, values->model, text, err);
}

static int judge(const struct cm_validation *validation)
{
    struct cm_bound bounds[CM_BOUNDS_MAX];
    uint32_t count = cm_validation_bounds(validation, bounds);
    for (uint32_t i = 0; i < count; i++) {
        if (!bounds[i].met)
            return cm_status_exit_code(CM_CHECK_FAILED);
    }
    return 0;
}

/* The table comes first; a missed bound is told by the exit code when nothing worse happened. */
static int finish(const struct cli_values *values, const struct cm_validation *validation)
{
    cli_interrupt_hold(true);
    int code = cli_print(values, render_text, render_json, validation);
    code = cli_first_of(code, cli_write_stats(values, render_json, validation));
    cli_interrupt_hold(false);
    if (values->plot != NULL)
        code = cli_first_of(code, cli_plot(validation, values->plot));
    return cli_first_of(code, judge(validation));
}

static enum cm_status read_machine(const struct cli_values *values, struct cm_config *config,
                                   struct cm_error *err)
{
    enum cm_status status = cli_machine_config(values->machine, config, err);
    for (uint32_t i = 0; status == CM_OK && i < values->sets.count; i++)
        status = cm_config_set(config, values->sets.items[i], err);
    return status;
}

static int check_usage(const struct cli_values *values)
{
    if (values->data && values->timing_only)
        return cli_usage("validate", "--data and --timing-only exclude each other");
    if (values->data_limit_mib != 0 && !values->data)
        return cli_usage("validate", "--data-limit belongs to --data");
    if (values->plot != NULL && values->table != 0)
        return cli_usage("validate", "--plot draws all tables; leave --table out");
    return values->plot != NULL ? cli_plot_prepare(values->plot) : 0;
}

static int validate(const struct cli_values *values)
{
    struct cm_config config;
    struct cm_validation validation;
    struct cm_error err;
    struct cli_progress progress;
    struct cm_validate_options options = {
        .config = &config,
        .table = (uint32_t)values->table,
        .threads = (uint32_t)values->threads,
        .data = values->data,
        .data_limit_bytes = values->data_limit_mib << 20,
        .watch = watch,
        .progress = cli_progress_step,
        .context = &progress,
    };
    int code = check_usage(values);
    if (code != 0)
        return code;
    memset(&err, 0, sizeof err);
    cli_progress_begin(&progress, values->quiet);
    cli_interrupt_watch(NULL);
    enum cm_status status = read_machine(values, &config, &err);
    if (status == CM_OK)
        status = cm_validate(&options, &validation, &err);
    cli_progress_end(&progress);
    if (status == CM_INTERRUPTED)
        cm_error_set(&err, CM_INTERRUPTED, "interrupted");
    return status == CM_OK ? finish(values, &validation) : cli_error(&err);
}

static const struct cli_option options[] = {
    {"machine", 'm', CLI_STRING, "FILE", "the machine to judge, instead of the CM-200 built in",
     CLI_OPTION(machine), 0, 0},
    {"set", 's', CLI_LIST, "PATH=VALUE",
     "change a number of the machine, as in memory.page_words=512;\nmay be given several times",
     CLI_OPTION(sets), 0, 0},
    {"table", 0, CLI_NUMBER, "N", "table N alone, 1 to 4; bounds are not judged then",
     CLI_OPTION(table), 1, CM_VALIDATE_TABLES},
    {"model", 0, CLI_FLAG, NULL, "equation 1 of the paper's section 6.2 beside the simulation",
     CLI_OPTION(model), 0, 0},
    {"plot", 0, CLI_STRING, "DIR", "redraw figures 8 to 11 of the paper in DIR: figure-NN.svg",
     CLI_OPTION(plot), 0, 0},
    {"data", 0, CLI_FLAG, NULL, "move data and check every element; the largest row needs 3 GiB",
     CLI_OPTION(data), 0, 0},
    {"data-limit", 0, CLI_NUMBER, "MIB",
     "with --data: rows whose arrays take more MiB stay without data", CLI_OPTION(data_limit_mib),
     1, 1u << 20},
    {"timing-only", 0, CLI_FLAG, NULL, "count cycles, move no data: what happens without --data",
     CLI_OPTION(timing_only), 0, 0},
    {"threads", 't', CLI_NUMBER, "N",
     "threads of this host, all by default; results don't depend on them", CLI_OPTION(threads), 1,
     CM_THREADS_MAX},
    {"json", 0, CLI_FLAG, NULL, "print the result as JSON", CLI_OPTION(json), 0, 0},
    {"stats", 0, CLI_STRING, "FILE", "write the result as JSON to FILE", CLI_OPTION(stats), 0, 0},
    {"quiet", 'q', CLI_FLAG, NULL, "print no table and no progress", CLI_OPTION(quiet), 0, 0},
};
static const struct cli_option_set option_set = {options, sizeof options / sizeof *options};

const struct cli_command cli_command_validate = {
    .name = "validate",
    .summary = "simulated against published, every cell",
    .operands = "",
    .operands_min = 0,
    .operands_max = 0,
    .about =
        "Runs every cell of tables 1 to 4 of the PSHIFT paper (George, Brickner, Johnsson, 1994: "
        "PSHIFT\n"
        "and CSHIFT, REAL*8, 2,048 nodes) and prints the simulated times beside the published "
        "ones, with\n"
        "the errors' statistics and the bounds that they are to keep. Exit code 1 when a bound is "
        "missed.",
    .examples = "  cm200 validate\n"
                "  cm200 validate --set memory.page_words=4096\n"
                "  cm200 validate --machine configs/cm200.json --table 2\n"
                "  cm200 validate --model --json | python3 -m json.tool\n"
                "  cm200 validate --plot docs/figures --quiet\n"
                "  cm200 validate --data --data-limit 100\n",
    .sets = {&option_set},
    .run = validate,
};
