/* Options that several commands share, and their translation into settings of the library. Also
 * finds data files and programs. */
#include "../base/file.h"
#include "step.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CONVERT_MAX_BYTES (16u * 1024u * 1024u)

#define MACHINE(member) offsetof(struct cli_machine_values, member)
#define RUN(member)     offsetof(struct cli_run_values, member)

const struct shell_option cli_machine_options[] = {
    {"machine", SHELL_INPUT, MACHINE(machine), 'm', .argument = "FILE",
     .help = "the machine to run on, instead of the workload's"},
    {"set", SHELL_LIST, MACHINE(sets), 's', .argument = "PATH=VALUE",
     .help = "change a number of the machine, as in memory.page_words=4096; "
             "may be given several times"},
    {"nodes", SHELL_NODES, MACHINE(nodes), 'n', .argument = "N", .min = 1, .max = UINT32_MAX,
     CLI_MEMBER("nodes", .place = CLI_IN_ROOT), .help = "nodes to use, a power of two"},
};

const struct shell_option cli_param_options[] = {
    {"param", SHELL_LIST, offsetof(struct cli_param_values, params), .argument = "NAME=VALUE",
     .help = "change a parameter of the workload, as in L=128, or a "
             "PARAMETER of a Fortran main program; may be given "
             "several times"},
};

const struct shell_option cli_run_options[] = {
    {"threads", SHELL_NUMBER, RUN(threads), 't', .argument = "N", .min = 1, .max = CM_THREADS_MAX,
     .help = "threads of this host, all by default; results don't depend on them"},
    {"executor", SHELL_STRING, RUN(executor), .argument = "NAME",
     .help =
         "how this host executes instructions: loops, code (generated for its processor), avx2, "
         "avx512, or auto, the default; results don't depend on it"},
    {"processes", SHELL_NUMBER, RUN(processes), .argument = "N", .min = 1, .max = 64,
     .help = "split the nodes over N processes of this host, a power of two; over those of "
             "several hosts with mpirun; results don't depend on them"},
    {"timing-only", SHELL_FLAG, RUN(timing_only),
     .help = "count cycles, move no data: fast, nothing checked or saved"},
    {"json", SHELL_FLAG, RUN(json), .help = "print the result as JSON"},
    {"trace", SHELL_OUTPUT, RUN(trace), .part = true, .argument = "FILE",
     .help = "record what the run does, cycle by cycle, for cm200-view and cm200 export"},
    {"trace-window", SHELL_STRING, RUN(trace_window), .argument = "A:B",
     .help = "in the trace, also record every word on the wires, from cycle A until B"},
    {"explain", SHELL_FLAG, RUN(explain),
     .help = "also print where the time went: phases, dimensions, the busiest channels"},
    {"why", SHELL_FLAG, RUN(why),
     .help = "also print what was in the way from the start to the end, packet by packet"},
    {"save", SHELL_LIST, RUN(saves), .argument = "ARRAY=FILE.npy",
     .help = "write an array, for NumPy; may be given several times"},
    {"intervals", SHELL_INPUT, RUN(intervals), .optional = true, .argument = "FILE",
     .help = "also print how sure the cycles are: their range over the machines of "
             "FILE, those fitted to resampled timings by default"},
    {"result", SHELL_OUTPUT, RUN(output), 'o', .argument = "FILE",
     .help = "write the result as JSON; after Ctrl-C, what was done goes to FILE.partial"},
    {"progress", SHELL_STRING, RUN(progress), .optional = true, .argument = "SECONDS",
     .help = "print progress also where there is no terminal, a line each 10 seconds "
             "or as often as said"},
    {"quiet", SHELL_FLAG, RUN(quiet), 'q', .help = "print no summary and no progress"},
};

const struct shell_option cli_output_options[] = {
    {"output", SHELL_OUTPUT, offsetof(struct cli_output_values, output), 'o', .argument = "FILE",
     .help = "write to FILE instead of the standard output"},
};

int cli_convert_file(const struct cli_convert_values *values, cli_convert convert)
{
    const char *path = values->common.operands.items[0];
    struct cm_buffer made;
    struct cm_error err = {0};
    char *data = NULL;
    size_t length;
    cm_buffer_init(&made);
    enum cm_status status = cm_file_read(path, CONVERT_MAX_BYTES, &data, &length, &err);
    if (status == CM_OK)
        status = convert(path, data, length, &made, &err);
    free(data);
    return shell_deliver(values->output.output, &made, status, &err);
}

struct cm_run_options cli_run_settings(const struct shell_values *common,
                                       const struct cli_machine_values *machine,
                                       const struct cli_run_values *run)
{
    struct cm_run_options options = {
        .outputs = common->outputs.items,
        .output_count = common->outputs.count,
        .machine = machine->machine,
        .sets = machine->sets.items,
        .set_count = machine->sets.count,
        .nodes = (uint32_t)machine->nodes,
    };
    if (run == NULL)
        return options;
    options.threads = (uint32_t)run->threads;
    options.executor = run->executor;
    options.timing_only = run->timing_only;
    options.max_output = run->max_output;
    options.saves = run->saves.items;
    options.save_count = run->saves.count;
    return options;
}

int cli_prepare_timing_only(const struct shell_values *common,
                            const struct cli_machine_values *machine,
                            const struct cli_param_values *param, struct cm_workload **workload,
                            struct cm_run **run)
{
    struct cm_error err = {0};
    struct cm_run_options options = cli_run_settings(common, machine, NULL);
    options.timing_only = true;
    options.threads = 1;
    *run = NULL;
    enum cm_status status = cm_workload_read_with(common->operands.items[0], param->params.items,
                                                  param->params.count, workload, &err);
    if (status == CM_OK)
        status = cm_run_create(*workload, &options, run, &err);
    return status == CM_OK ? 0 : shell_error(&err);
}

enum cm_status cli_machine_config(const struct cli_machine_values *machine,
                                  struct cm_config *config, struct cm_error *err)
{
    enum cm_status status =
        cm_config_read(machine->machine != NULL ? machine->machine : "cm200", config, err);
    if (status == CM_OK)
        status = cm_config_set(config, machine->sets.items, machine->sets.count, err);
    return status;
}

/* Copies the path of the folder that contains this program, with the '/' at its end. "": unknown.
 */
static void program_folder(char *folder, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", folder, size - 1);
    folder[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(folder, '/');
    folder[slash != NULL ? slash + 1 - folder : 0] = '\0';
}

const char *cli_program_path(const char *name, char *buffer, size_t size)
{
    char folder[768];
    program_folder(folder, sizeof folder);
    int written = snprintf(buffer, size, "%s%s", folder, name);
    bool fits = folder[0] != '\0' && written > 0 && (size_t)written < size;
    return fits && access(buffer, X_OK) == 0 ? buffer : NULL;
}

/* In the source tree, the program is in build/, next to the files that `ninja web` makes. An
 * installed program is in bin/. */
#define INSTALLED_DATA "../share/cm200/" /* relative to the folder of the installed programs */

const char *cli_data_path(const char *name, char *buffer, size_t size)
{
    static const char *const places[] = {"", "", "../", INSTALLED_DATA};
    char folder[768];
    program_folder(folder, sizeof folder);
    for (size_t i = 0; i < sizeof places / sizeof *places && (i == 0 || folder[0] != '\0'); i++) {
        int written = snprintf(buffer, size, "%s%s%s", i > 0 ? folder : "", places[i], name);
        if (written > 0 && (size_t)written < size && access(buffer, R_OK) == 0)
            return buffer;
    }
    return NULL;
}

char *cli_installed_path(const char *name)
{
    char folder[768], path[1024];
    program_folder(folder, sizeof folder);
    int written = snprintf(path, sizeof path, "%s" INSTALLED_DATA "%s", folder, name);
    bool there = folder[0] != '\0' && written > 0 && (size_t)written < sizeof path;
    return there && access(name, R_OK) != 0 ? realpath(path, NULL) : NULL;
}

const char *cli_config_path(const char *name, char *buffer, size_t size)
{
    char path[256];
    int written = snprintf(path, sizeof path, "configs/%s", name);
    bool fits = written > 0 && (size_t)written < sizeof path;
    return fits ? cli_data_path(path, buffer, size) : NULL;
}
