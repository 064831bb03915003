/* cm200 validate: compares every published time of the real machine with the simulated time. */
#include "../base/buffer.h"
#include "../programs/validation/applications.h"
#include "../programs/validation/held_out.h"
#include "job.h"

#include <string.h>

struct validate_values {
    struct shell_values common;
    struct cli_machine_values machine;
    uint64_t table, threads, data_limit_mib;
    bool applications, model, data, timing_only, json, quiet;
    const char *plot, *held_out;
};

static int print_result(const struct validate_values *values,
                        const struct cm_validation *validation)
{
    struct cm_buffer text;
    struct cm_error err = {0};
    enum cm_status status = CM_OK;
    cm_buffer_init(&text);
    if (values->json)
        status = cm_validation_json(validation, values->model, &text, &err);
    else if (!values->quiet)
        cm_validation_text(validation, cli_summary_style(), values->model, &text);
    return shell_deliver(NULL, &text, status, &err);
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

/* Prints the table, then writes the figures. The exit code reports an error that is too large,
 * unless a worse failure happened. */
static int finish(const struct validate_values *values, const struct cm_validation *validation)
{
    shell_interrupt_hold(true);
    int code = print_result(values, validation);
    shell_interrupt_hold(false);
    if (values->plot != NULL)
        code = shell_first_of(code, cli_plot(validation, values->plot));
    return shell_first_of(code, judge(validation));
}

static int deliver_applications(const struct validate_values *values,
                                const struct cm_applications *applications)
{
    struct cm_buffer text;
    struct cm_error err = {0};
    enum cm_status status = CM_OK;
    cm_buffer_init(&text);
    if (values->json)
        status = cm_applications_json(applications, &text, &err);
    else if (!values->quiet)
        cm_applications_text(applications, cli_summary_style(), &text);
    return shell_deliver(NULL, &text, status, &err);
}

static int deliver_held_out(const struct validate_values *values,
                            const struct cm_held_out *held_out)
{
    struct cm_buffer text;
    struct cm_error err = {0};
    enum cm_status status = CM_OK;
    cm_buffer_init(&text);
    if (values->json)
        status = cm_held_out_json(held_out, &text, &err);
    else if (!values->quiet)
        cm_held_out_text(held_out, cli_summary_style(), &text);
    int code = shell_deliver(NULL, &text, status, &err);
    return shell_first_of(code,
                          cm_held_out_met(held_out) ? 0 : cm_status_exit_code(CM_CHECK_FAILED));
}

/* Runs the programs of the file of --held-out, and compares measurements of the user with the
 * simulated ones. */
static int validate_held_out(const struct validate_values *values)
{
    struct cm_held_out *held_out = NULL;
    struct cm_error err = {0};
    struct shell_progress progress;
    const struct cm_held_out_options options = {
        .path = values->held_out,
        .machine = values->machine.machine,
        .sets = values->machine.sets.items,
        .set_count = values->machine.sets.count,
        .threads = (uint32_t)values->threads,
        .watch = cli_watch_among,
        .progress = shell_progress_step,
        .context = &progress,
    };
    shell_progress_begin(&progress, values->quiet);
    enum cm_status status = cm_held_out_run(&options, &held_out, &err);
    shell_progress_end(&progress);
    if (status == CM_INTERRUPTED)
        cm_error_set(&err, CM_INTERRUPTED, "interrupted");
    int code = status == CM_OK ? deliver_held_out(values, held_out) : shell_error(&err);
    cm_held_out_destroy(held_out);
    return code;
}

static int check_usage(const struct validate_values *values)
{
    if (values->held_out != NULL && (values->applications || values->table != 0 || values->model ||
                                     values->data || values->plot != NULL))
        return shell_usage("validate", "--held-out goes without --applications, --table, --model, "
                                       "--data and --plot, which are about published tables");
    if (values->applications &&
        (values->table != 0 || values->model || values->data || values->plot != NULL))
        return shell_usage("validate", "--applications excludes --table, --model, --data and "
                                       "--plot, which are for the tables of the PSHIFT paper");
    if (values->data && values->timing_only)
        return shell_usage("validate", "--data and --timing-only exclude each other");
    if (values->data_limit_mib != 0 && !values->data)
        return shell_usage("validate", "--data-limit belongs to --data");
    if (values->plot != NULL && values->table != 0)
        return shell_usage("validate", "--plot draws all tables; leave --table out");
    return values->plot != NULL ? cli_plot_prepare(values->plot) : 0;
}

static int validate(const void *all)
{
    const struct validate_values *values = all;
    struct cm_config config;
    struct cm_validation validation;
    struct cm_applications applications;
    struct cm_error err = {0};
    struct shell_progress progress;
    struct cm_validate_options options = {
        .config = &config,
        .table = (uint32_t)values->table,
        .threads = (uint32_t)values->threads,
        .data = values->data,
        .data_limit_bytes = values->data_limit_mib << 20,
        .watch = cli_watch_among,
        .progress = shell_progress_step,
        .context = &progress,
    };
    int code = check_usage(values);
    if (code != 0)
        return code;
    if (values->held_out != NULL)
        return validate_held_out(values);
    shell_progress_begin(&progress, values->quiet);
    enum cm_status status = cli_machine_config(&values->machine, &config, &err);
    if (status == CM_OK && values->applications)
        status = cm_applications_run(&options, &applications, &err);
    else if (status == CM_OK)
        status = cm_validate(&options, &validation, &err);
    shell_progress_end(&progress);
    if (status == CM_INTERRUPTED)
        cm_error_set(&err, CM_INTERRUPTED, "interrupted");
    if (status != CM_OK)
        return shell_error(&err);
    return values->applications ? deliver_applications(values, &applications)
                                : finish(values, &validation);
}

#define OPTION(member) offsetof(struct validate_values, member)

static const struct shell_option options[] = {
    {"machine", SHELL_INPUT, OPTION(machine.machine), 'm', .argument = "FILE",
     .help = "the machine to validate, instead of the built-in CM-200"},
    {"set", SHELL_LIST, OPTION(machine.sets), 's', .argument = "PATH=VALUE",
     .help = "change a number of the machine, as in memory.page_words=4096; "
             "may be given several times"},
    {"table", SHELL_NUMBER, OPTION(table), .argument = "N", .min = 1, .max = CM_VALIDATE_TABLES,
     .help = "only table N, 1 to 4; the limits are not checked then"},
    {"applications", SHELL_FLAG, OPTION(applications),
     .help = "compare published rates of whole kernels instead of the tables"},
    {"held-out", SHELL_INPUT, OPTION(held_out), .argument = "FILE",
     .help = "compare the measurements of a file instead: programs with "
             "their cycles, times or rates; the exit code is 1 if the file "
             "has a bound, and an error exceeds it"},
    {"model", SHELL_FLAG, OPTION(model),
     .help = "print equation 1 of the paper's section 6.2 next to the simulation"},
    {"plot", SHELL_STRING, OPTION(plot), .argument = "DIR",
     .help = "redraw figures 8 to 11 of the paper in DIR: figure-NN.svg"},
    {"data", SHELL_FLAG, OPTION(data),
     .help = "move data and check every element; the largest row needs 3 GiB"},
    {"data-limit", SHELL_NUMBER, OPTION(data_limit_mib), .argument = "MIB", .min = 1,
     .max = 1u << 20, .help = "with --data: run rows whose arrays need more MiB without data"},
    {"timing-only", SHELL_FLAG, OPTION(timing_only),
     .help = "count cycles, move no data: the default"},
    {"threads", SHELL_NUMBER, OPTION(threads), 't', .argument = "N", .min = 1,
     .max = CM_THREADS_MAX,
     .help = "threads of this host, all by default; results don't depend on them"},
    {"json", SHELL_FLAG, OPTION(json), .help = "print the result as JSON"},
    {"quiet", SHELL_FLAG, OPTION(quiet), 'q', .help = "print no table and no progress"},
};

const struct cli_command cli_command_validate = {
    .syntax = {.command = "validate", .operands = "", .sets = {SHELL_SET(options, 0)}},
    .summary = "compare simulated with published times, cell by cell",
    .about = "Runs every cell of tables 1 to 4 of the PSHIFT paper (George, Brickner, Johnsson, "
             "1994: PSHIFT and CSHIFT, REAL*8, 2,048 nodes) and prints the simulated times next to "
             "the published ones, with statistics of the errors and the limits for them. The exit "
             "code is 1 if a limit is exceeded. With --applications, compares published rates of "
             "FFTs and other kernels instead. Nothing was fitted to these, and there are no limits "
             "for them. With --held-out, compares measurements of your own.",
    .examples = "  cm200 validate\n"
                "  cm200 validate --set memory.page_words=4096\n"
                "  cm200 validate --machine configs/cm200.json --table 2\n"
                "  cm200 validate --model --json | python3 -m json.tool\n"
                "  cm200 validate --plot docs/figures --quiet\n"
                "  cm200 validate --data --data-limit 100\n"
                "  cm200 validate --applications\n"
                "  cm200 validate --held-out programs/validation/held-out.json\n",
    .values_size = sizeof(struct validate_values),
    .run = validate,
};
