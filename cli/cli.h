/*
 * The command line: what subcommands share. Each subcommand is one file with a struct cli_command,
 * its own struct of values and its own table of options, which makes both the parser and the help,
 * so the two cannot disagree.
 */
#ifndef CM_CLI_CLI_H
#define CM_CLI_CLI_H

#include "../shell/shell.h"

#include "../base/page.h"
#include "../programs/validation/validate.h"
#include "../programs/workload/result.h"

#include <stddef.h>

struct cli_command {
    struct shell_syntax syntax;
    const char *summary; /* one line, for the list of commands */
    const char *about;
    const char *examples;
    size_t values_size; /* of the struct that `run` takes; it begins with a struct shell_values */
    int (*run)(const void *values); /* returns the exit code */
    /* Of a command that makes a workload of one step (step.h), the steps that it makes. */
    const struct cm_step_kind *kinds[2];
};

extern const struct cli_command cli_command_run;
extern const struct cli_command cli_command_check;
extern const struct cli_command cli_command_layout;
extern const struct cli_command cli_command_compile;
extern const struct cli_command cli_command_debug;
extern const struct cli_command cli_command_asm;
extern const struct cli_command cli_command_disasm;
extern const struct cli_command cli_command_shift;
extern const struct cli_command cli_command_route;
extern const struct cli_command cli_command_reshape;
extern const struct cli_command cli_command_fft;
extern const struct cli_command cli_command_export;
extern const struct cli_command cli_command_sweep;
extern const struct cli_command cli_command_diff;
extern const struct cli_command cli_command_figure;
extern const struct cli_command cli_command_validate;
extern const struct cli_command cli_command_lesson;

/* version.c: the commit that the program was built from; "" when it is not known. */
extern const char cli_commit[];
/* What --version prints. */
void cli_version(const struct cli_command *command, struct cm_buffer *text);

/* commands.c: all of them */
extern const struct cli_command *const cli_commands[];
extern const uint32_t cli_command_count;
const struct cli_command *cli_command_named(const char *name);
/* Parses the words after the command's name, and runs it. Returns the exit code. */
int cli_command_start(const struct cli_command *command, int argc, char **argv);
/* Prints what `append` makes, of a command or, for NULL, of the program. */
int cli_print_text(void (*append)(const struct cli_command *command, struct cm_buffer *text),
                   const struct cli_command *command);

/* help.c: the help of a subcommand, or for NULL of the program; for programs, of everything. */
void cli_help(const struct cli_command *command, struct cm_buffer *text);
void cli_help_json(const struct cli_command *command, struct cm_buffer *text);
/* The kinds of steps, a line each. */
void cli_help_steps(const struct cli_command *command, struct cm_buffer *text);

/* settings.c: options of all that run something, or lay it out. A command has the struct among its
 * values and the table among its sets. */
struct cli_machine_values {
    const char *machine;
    struct shell_list sets;
    uint64_t nodes;
};
extern const struct shell_option cli_machine_options[3];

/* settings.c: the option of all that read a workload from a file. */
struct cli_param_values {
    struct shell_list params;
};
extern const struct shell_option cli_param_options[1];

/* settings.c: the other options of all that run something. */
struct cli_run_values {
    uint64_t threads;
    uint64_t processes; /* of this host; 0: this one, or those that mpirun started */
    bool timing_only;
    bool json;
    const char *trace;
    const char *trace_window;
    bool explain;
    bool why;
    struct shell_list saves;
    const char *intervals; /* NULL: not asked for; "": of the machines that are installed */
    const char *output;    /* gets the result as JSON; NULL: nothing does */
    const char *progress;  /* seconds between lines; NULL: not asked for; "": as usual */
    bool quiet;
};
extern const struct shell_option cli_run_options[13];

/* settings.c: where what a command makes goes. */
struct cli_output_values {
    const char *output; /* NULL: the standard output */
};
extern const struct shell_option cli_output_options[1];

/* settings.c: a command that turns one file into another: its values, and its work. */
struct cli_convert_values {
    struct shell_values common;
    struct cli_output_values output;
};
typedef enum cm_status (*cli_convert)(const char *path, const char *data, size_t length,
                                      struct cm_buffer *made, struct cm_error *err);
int cli_convert_file(const struct cli_convert_values *values, cli_convert convert);

/* settings.c: what the library is asked for; `run` may be NULL. */
struct cm_run_options cli_run_settings(const struct shell_values *common,
                                       const struct cli_machine_values *machine,
                                       const struct cli_run_values *run);
/* Reads the workload that the operand names and prepares it without data, for what looks at layouts
 * and setups. Returns an exit code. */
int cli_prepare_timing_only(const struct shell_values *common,
                            const struct cli_machine_values *machine,
                            const struct cli_param_values *param, struct cm_workload **workload,
                            struct cm_run **run);
/* The machine file of commands that take no workload: --machine, or the CM-200 description in
 * configs/ here or next to the program; NULL when neither is there: then the CM-200 built in
 * serves. `buffer` holds the path. */
const char *cli_machine_path(const struct cli_machine_values *machine, char *buffer, size_t size);
/* A file of configs/, here or next to the program; NULL when it is in neither place. `buffer` holds
 * the path. */
const char *cli_config_path(const char *name, char *buffer, size_t size);
/* Any file of the data that is installed, by its path in the source tree; likewise. */
const char *cli_data_path(const char *name, char *buffer, size_t size);
/* Where such a file is installed, to be freed; NULL when it isn't, or is in the current folder. */
char *cli_installed_path(const char *name);
/* A program that is next to this one. */
const char *cli_program_path(const char *name, char *buffer, size_t size);
/* The description in `machine->machine`, or for NULL the one built in, with what --set changes. */
enum cm_status cli_machine_config(const struct cli_machine_values *machine,
                                  struct cm_config *config, struct cm_error *err);

/* program/messages.c: prints the messages about a program, except the last one, which becomes *err:
 * the caller prints that as it prints any error. Returns the status. */
struct cm_messages;
enum cm_status cli_last_message(const struct cm_messages *messages, enum cm_status status,
                                struct cm_error *err);

/* style.c: how a summary may look on the standard output. */
unsigned cli_summary_style(void);

struct cli_job; /* job.h */

/*
 * processes.c: the processes that play one machine. They are joined first of all where mpirun
 * started them, else, for --processes, as soon as the workload is read; all of them then do what
 * follows. The first three print a mistake, in one process alone, and return an exit code; `end`
 * returns the program's, which is given to it.
 */
int cli_processes_begin(void);
int cli_processes_allow(const struct cli_command *command);
int cli_processes_start(const struct cli_job *job);
int cli_processes_stop(int code);
int cli_processes_end(int code);

/* tracing.c: --trace, --trace-window, --explain and --why. */
struct cm_recorder;
struct cli_tracing {
    /* in memory when only --explain or --why is given; NULL: nothing is recorded */
    struct cm_recorder *file;
    uint64_t window[2]; /* --trace-window */
    bool printed;       /* the result; --explain and --why print theirs below it */
    const struct cli_job *job;
};
/* Refuses what the options ask for when it cannot be; before anything else is done. Returns an exit
 * code. */
int cli_trace_check(const struct cli_run_values *values, const char *command);
/* Begins to record. Returns an exit code. */
int cli_trace_begin(const struct cli_job *job, struct cm_run *run, struct cli_tracing *tracing);
/* After the result has been printed: the trace gets its name; FILE.partial when the run was
 * interrupted (`status`), and FILE.part when it failed. */
int cli_trace_end(const struct cli_run_values *values, struct cm_run *run,
                  struct cli_tracing *tracing, enum cm_status status);

/* made_by.c: a table has no place for what it was made of: writes that to FILE.made_by.json.
 * Nothing for the standard output, devices and pipes, or without `made_of`. Returns an exit
 * code. */
int cli_write_made_by(const char *path, const char *made_of);

/* partial.c: FILE.partial, which gets what was done when a signal came; NULL when memory is
 * short. */
char *cli_partial_name(const char *path);
struct cli_partial {
    const char *path;    /* FILE; the standard output, devices and pipes get nothing */
    const char *what;    /* "the result of what was done is": begins the message that names it */
    const char *made_of; /* of a table (cli_write_made_by); NULL: the text says it itself */
};
/* shell_deliver to FILE.partial, and says so. Returns an exit code. */
int cli_deliver_partial(const struct cli_partial *partial, struct cm_buffer *text,
                        enum cm_status status, const struct cm_error *err);

/* cmd_figure.c: writes a drawn figure to `path`, or prints why it could not be drawn. `partial` is
 * true if the figure shows what was done until a signal came: then it goes to FILE.partial. Frees
 * `out`. Returns an exit code. */
int cli_deliver_figure(const char *command, const char *path, bool partial, struct cm_buffer *out,
                       enum cm_status status, const struct cm_error *err);

/* plot.c: the figures of a validation as SVG in `folder`, which is made if it is missing. */
int cli_plot_prepare(const char *folder);
int cli_plot(const struct cm_validation *validation, const char *folder);

#endif
