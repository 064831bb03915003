/* Options that several subcommands share, and what they ask of the library. */
#include "../programs/validation/published.h"
#include "cli.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct cli_option machine_options[] = {
    {"machine", 'm', CLI_STRING, "FILE", "the machine to run on, instead of the workload's",
     CLI_OPTION(machine), 0, 0},
    {"set", 's', CLI_LIST, "PATH=VALUE",
     "change a number of the machine, as in memory.page_words=512;\nmay be given several times",
     CLI_OPTION(sets), 0, 0},
    {"nodes", 'n', CLI_NODES, "N", "nodes to use, a power of two", CLI_OPTION(nodes), 1,
     UINT32_MAX},
};

static const struct cli_option run_options[] = {
    {"threads", 't', CLI_NUMBER, "N",
     "threads of this host, all by default; results don't depend on them", CLI_OPTION(threads), 1,
     CM_THREADS_MAX},
    {"timing-only", 0, CLI_FLAG, NULL, "count cycles, move no data: fast, nothing checked or saved",
     CLI_OPTION(timing_only), 0, 0},
    {"json", 0, CLI_FLAG, NULL, "print the result as JSON", CLI_OPTION(json), 0, 0},
    {"stats", 0, CLI_STRING, "FILE", "write the result as JSON to FILE", CLI_OPTION(stats), 0, 0},
    {"trace", 0, CLI_STRING, "FILE",
     "record what the run does, cycle by cycle, for cm200-view and cm200 export", CLI_OPTION(trace),
     0, 0},
    {"trace-window", 0, CLI_STRING, "A:B",
     "in the trace, also every word on the wires from cycle A until B", CLI_OPTION(trace_window), 0,
     0},
    {"explain", 0, CLI_FLAG, NULL,
     "then tell where the time went: phases, dimensions, the busiest channels", CLI_OPTION(explain),
     0, 0},
    {"save", 0, CLI_LIST, "ARRAY=FILE.npy", "write an array, for NumPy; may be given several times",
     CLI_OPTION(saves), 0, 0},
    {"quiet", 'q', CLI_FLAG, NULL, "print no summary and no progress", CLI_OPTION(quiet), 0, 0},
};

const struct cli_option_set cli_machine_options = {machine_options, sizeof machine_options /
                                                                        sizeof *machine_options};
const struct cli_option_set cli_run_options = {run_options,
                                               sizeof run_options / sizeof *run_options};

static const char *path_or_null(const char *path)
{
    return path != NULL && strcmp(path, "-") != 0 ? path : NULL;
}

struct cm_run_options cli_run_settings(const struct cli_values *values)
{
    return (struct cm_run_options){
        .machine = values->machine,
        .sets = values->sets.items,
        .set_count = values->sets.count,
        .nodes = (uint32_t)values->nodes,
        .threads = (uint32_t)values->threads,
        .timing_only = values->timing_only,
        .output = path_or_null(values->output != NULL ? values->output : values->stats),
        .trace = path_or_null(values->trace),
        .saves = values->saves.items,
        .save_count = values->saves.count,
    };
}

int cli_prepare_timing_only(const struct cli_values *values, struct cm_workload **workload,
                            struct cm_run **run)
{
    struct cm_error err;
    struct cm_run_options options = cli_run_settings(values);
    options.timing_only = true;
    options.threads = 1;
    memset(&err, 0, sizeof err);
    *run = NULL;
    enum cm_status status = cm_workload_read(values->operands.items[0], workload, &err);
    if (status == CM_OK)
        status = cm_run_create(*workload, &options, run, &err);
    return status == CM_OK ? 0 : cli_error(&err);
}

/* In the source tree the program lies in build/, installed in bin/. */
enum cm_status cli_machine_config(const char *path, struct cm_config *config, struct cm_error *err)
{
    return path != NULL ? cm_config_read(path, config, err) : cm_config_builtin(config, err);
}

const char *cli_machine_path(const struct cli_values *values, char *buffer, size_t size)
{
    static const char *const places[] = {"../configs/cm200.json",
                                         "../share/cm200/configs/cm200.json"};
    char program[768];
    if (values->machine != NULL)
        return values->machine;
    if (access("configs/cm200.json", R_OK) == 0)
        return "configs/cm200.json";
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0)
        return NULL;
    program[length] = '\0';
    char *slash = strrchr(program, '/');
    if (slash == NULL)
        return NULL;
    slash[1] = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        int written = snprintf(buffer, size, "%s%s", program, places[i]);
        if (written > 0 && (size_t)written < size && access(buffer, R_OK) == 0)
            return buffer;
    }
    return NULL;
}
