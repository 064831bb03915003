/*
 * The command line: what subcommands share. Each subcommand is one file with a struct cli_command;
 * its table of options makes both the parser and the help, so the two cannot disagree.
 */
#ifndef CM_CLI_CLI_H
#define CM_CLI_CLI_H

#include "../shell/shell.h"

#include "../programs/validation/validate.h"
#include "../programs/workload/result.h"

#include <stddef.h>

/* What the options of all subcommands are parsed into. */
struct cli_values {
    const char *machine;
    struct cli_list sets;
    uint64_t nodes;
    uint64_t threads;
    bool timing_only;
    bool json;
    const char *stats;
    struct cli_list saves;
    const char *trace;
    const char *trace_window;
    bool explain;
    bool quiet;
    const char *output;
    bool image;
    uint64_t setup;
    /* shift and route: as written */
    const char *by, *topology, *shape, *method, *labels, *words, *ts, *tw, *th;
    const char *pattern, *routing, *order, *switching, *channels, *buffer, *rate, *warmup, *measure;
    const char *limit, *seed, *hot, *list, *csv, *packets;
    bool shift_table, heatmap, emit, past_saturation;
    const char *from; /* reshape */
    const char *to;
    const char *algorithm;
    const char *processor_dimensions;
    const char *encoding;
    const char *start;
    const char *type;
    bool consistent;
    bool reshape_table;
    /* fft: as written; type and order as above */
    const char *array, *mesh, *mapping, *local, *code, *axes, *broadcast, *transform, *fft_input;
    const char *fft_output, *decimation;
    bool stepwise, fft_table;
    uint64_t table;
    bool data;
    uint64_t data_limit_mib;
    bool model;
    const char *plot;
    const char *format, *what, *gtkw; /* export */
    uint64_t first_cycle, end_cycle, events, windows;
    bool help;
    struct cli_list operands;
};

#define CLI_OPTION(member) offsetof(struct cli_values, member)

struct cli_command {
    const char *name;
    const char *summary;  /* one line, for the list of commands */
    const char *operands; /* as usage shows them */
    uint32_t operands_min;
    uint32_t operands_max;
    const char *about;
    const char *examples;
    const struct cli_option_set *sets[CLI_SETS_MAX]; /* unused ones are NULL */
    int (*run)(const struct cli_values *values);     /* returns the exit code */
};

extern const struct cli_command cli_command_run;
extern const struct cli_command cli_command_check;
extern const struct cli_command cli_command_layout;
extern const struct cli_command cli_command_compile;
extern const struct cli_command cli_command_asm;
extern const struct cli_command cli_command_disasm;
extern const struct cli_command cli_command_shift;
extern const struct cli_command cli_command_route;
extern const struct cli_command cli_command_reshape;
extern const struct cli_command cli_command_fft;
extern const struct cli_command cli_command_export;
extern const struct cli_command cli_command_validate;

/* commands.c: all of them */
extern const struct cli_command *const cli_commands[];
extern const uint32_t cli_command_count;

/* settings.c: options shared by all that run something, and by all that only lay it out. */
extern const struct cli_option_set cli_machine_options; /* --machine --set --nodes */
extern const struct cli_option_set cli_run_options;     /* those beside cli_machine_options */

/* values.c: parses; on a mistake prints it and returns its status. Free with cli_values_finish. */
enum cm_status cli_parse(const struct cli_command *command, int argc, char **argv,
                         struct cli_values *values);
void cli_values_finish(struct cli_values *values);

/* help.c: the help of a subcommand and of the program */
void cli_help_command(const struct cli_command *command, struct cm_buffer *text);
void cli_help_program(const struct cli_command *const *commands, uint32_t count,
                      struct cm_buffer *text);

/* render.c: all return an exit code. */
/* Makes the text of something. */
typedef enum cm_status (*cli_render)(const struct cli_values *values, const void *what,
                                     struct cm_buffer *text, struct cm_error *err);
/* Renders to a file, or the standard output as cli_write_to does. */
int cli_render_to(const char *path, cli_render render, const struct cli_values *values,
                  const void *what);
/* Prints what came out: as JSON with --json, nothing with --quiet alone; and writes it for --stats,
 * if that is given. */
int cli_print(const struct cli_values *values, cli_render text, cli_render json, const void *what);
int cli_write_stats(const struct cli_values *values, cli_render json, const void *what);
/* The first of two exit codes that is not 0. */
int cli_first_of(int code, int next);
/* style.c: how a summary may look on the standard output. */
unsigned cli_summary_style(void);

/* outputs.c: before a command runs: refuses an output (-o, --stats) that is one of the inputs or of
 * the other outputs, or that cannot be written. Returns an exit code. */
int cli_check_outputs(const struct cli_command *command, const struct cli_values *values);

/* settings.c: what the library is asked for. */
struct cm_run_options cli_run_settings(const struct cli_values *values);
/* Reads the workload of the first operand and prepares it without data: for what looks at layouts
 * and setups. */
int cli_prepare_timing_only(const struct cli_values *values, struct cm_workload **workload,
                            struct cm_run **run);

/* cmd_run.c: a workload that was read already. */
struct cli_job {
    const struct cm_workload *workload;
    bool builtin;        /* on the CM-200 that is built in, for the workload names no machine */
    const char *machine; /* instead of --machine; NULL: --machine */
    bool own_nodes;      /* the workload's nodes stand, whatever --nodes says */
    cli_render text;     /* of a struct cm_result; NULL: its summary */
    /* Writes further files, when the run is over; returns an exit code. May be NULL. */
    int (*files)(const struct cli_values *values, const struct cm_result *result);
};
/* Runs it as `cm200 run` does. Returns the exit code. */
int cli_run_workload(const struct cli_values *values, const struct cli_job *job);
/* tracing.c: --trace, --trace-window and --explain. */
struct cm_recorder;
struct cli_tracing {
    /* in memory when only --explain is given; NULL: nothing is recorded */
    struct cm_recorder *file;
    uint64_t window_first, window_end;
};
/* Refuses what the options ask for when it cannot be; before anything else is done. Returns an exit
 * code. */
int cli_trace_check(const struct cli_values *values, const char *command);
/* Begins to record. Returns an exit code. */
int cli_trace_begin(const struct cli_values *values, struct cm_run *run,
                    struct cli_tracing *tracing);
/* After the result has been told: the trace gets its name; `complete` unless the run was broken
 * off. */
int cli_trace_end(const struct cli_values *values, struct cm_run *run, struct cli_tracing *tracing,
                  bool complete);
/* settings.c: the machine file of commands that take no workload: --machine, or the CM-200
 * description that lies in configs/ here or beside the program; NULL when there is none: then the
 * CM-200 built in serves. `buffer` holds the path. */
const char *cli_machine_path(const struct cli_values *values, char *buffer, size_t size);
/* The description in that file, or for NULL the one built in. */
enum cm_status cli_machine_config(const char *path, struct cm_config *config, struct cm_error *err);
/* plot.c: the figures of a validation as SVG in `folder`, which is made if it is missing. */
int cli_plot_prepare(const char *folder);
int cli_plot(const struct cm_validation *validation, const char *folder);

#endif
