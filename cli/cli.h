/*
 * The program cm200: its commands, and what they share.
 *
 * A command is a file cmd_NAME.c with a struct cli_command: a syntax with tables of options, a
 * struct of values that the parser fills, texts for the help, and a function that runs it. The
 * tables make both the parser and the help, so the two cannot disagree.
 *
 * The commands hold no simulation logic. They turn options into the settings of a room (sweep/,
 * diff/, figure/, lesson/, explain/, shifts/, the library), print what it returns, and map errors
 * to exit codes. Only cli/, console/ and the viewer print to the terminal, through shell/.
 *
 * main.c, commands.c, help.c, version.c  the program and its list of commands
 * settings.c                             options that several commands share
 * job.c, tracing.c, processes.c          a run, its trace and its processes
 * step.c, step_error.c, network.c        workloads of one step, made from options
 * program/                               CM Fortran programs
 * partial.c, made_by.c, plot.c, style.c  output files and the look of output
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
    const char *summary; /* one line about the command, for the list of commands */
    const char *about;
    const char *examples;
    /* size of the command's struct of values, which `run` gets. Its first member is a struct
     * shell_values. */
    size_t values_size;
    /* Runs the command, and returns the exit code of the program. */
    int (*run)(const void *values);
    /* Kinds of workload steps that the command makes from its options (step.h). NULL: not used. */
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

/* version.c: commit of the source that the program was built from. "": unknown. */
extern const char cli_commit[];
/* Appends the text that --version prints. */
void cli_version(const struct cli_command *command, struct cm_buffer *text);

/* commands.c: the table of all commands, in the order in which the help lists them. */
extern const struct cli_command *const cli_commands[];
extern const uint32_t cli_command_count;
const struct cli_command *cli_command_named(const char *name);
/* Parses the words of the command line after the command's name, checks the files that the words
 * name, and runs the command. Returns the exit code. */
int cli_command_start(const struct cli_command *command, int argc, char **argv);
/* Prints the text that `append` makes. `append` gets `command`, which is NULL for a text about the
 * whole program. Returns an exit code. */
int cli_print_text(void (*append)(const struct cli_command *command, struct cm_buffer *text),
                   const struct cli_command *command);

/* help.c: these functions append the help of a command as text, or as JSON. NULL means the help of
 * the whole program, whose JSON describes all commands. */
void cli_help(const struct cli_command *command, struct cm_buffer *text);
void cli_help_json(const struct cli_command *command, struct cm_buffer *text);
/* Appends to the help a line for each kind of step that a workload can have. */
void cli_help_steps(const struct cli_command *command, struct cm_buffer *text);

/* settings.c: options of all commands that run something or lay it out. Such a command has this
 * struct among its values, and this table of options among its tables. */
struct cli_machine_values {
    const char *machine;
    struct shell_list sets;
    uint64_t nodes;
};
extern const struct shell_option cli_machine_options[3];

/* settings.c: the option --param of all commands that read a workload from a file. */
struct cli_param_values {
    struct shell_list params;
};
extern const struct shell_option cli_param_options[1];

/* settings.c: further options of all commands that run a workload or a program. */
struct cli_run_values {
    uint64_t threads;
    const char *executor; /* name of an executor. NULL: not given. */
    /* number of processes on this host that simulate the machine. 0: only this one, or the
     * processes that mpirun started. */
    uint64_t processes;
    bool timing_only;
    bool json;
    const char *trace;
    const char *trace_window;
    bool explain;
    bool why;
    struct shell_list saves;
    /* File of machine descriptions for --intervals. NULL: the option is not given. "": the
     * installed file. */
    const char *intervals;
    const char *output;   /* file for the result as JSON. NULL: no file is written. */
    const char *progress; /* seconds between lines of progress. NULL: not given. "": the default. */
    bool allow_anywhere;  /* true if workloads and programs may use files anywhere */
    uint64_t max_seconds; /* host seconds that a run may take. 0: any number. */
    uint64_t max_output;  /* bytes that a Fortran program may print. 0: the default limit. */
    bool quiet;
};
extern const struct shell_option cli_run_options[14];

/* settings.c: the option --output for the file that a command makes. */
struct cli_output_values {
    const char *output; /* path of the file to write. NULL: the standard output. */
};
extern const struct shell_option cli_output_options[1];

/* settings.c: a command that turns one file into another. Reads the file that the operand names,
 * calls `convert`, and writes the text that `convert` made. Returns an exit code. */
struct cli_convert_values {
    struct shell_values common;
    struct cli_output_values output;
};
typedef enum cm_status (*cli_convert)(const char *path, const char *data, size_t length,
                                      struct cm_buffer *made, struct cm_error *err);
int cli_convert_file(const struct cli_convert_values *values, cli_convert convert);

/* settings.c: returns the options of a run in the library's form, made from the options of the
 * command line. `run` may be NULL. */
struct cm_run_options cli_run_settings(const struct shell_values *common,
                                       const struct cli_machine_values *machine,
                                       const struct cli_run_values *run);
/* Reads the workload that the operand names, and prepares its run without data, for commands that
 * only show layouts of arrays and PSHIFT setups. Returns an exit code. */
int cli_prepare_timing_only(const struct shell_values *common,
                            const struct cli_machine_values *machine,
                            const struct cli_param_values *param, struct cm_workload **workload,
                            struct cm_run **run);
/* Finds a file of the folder configs/, below the current folder or where the program is installed.
 * NULL: there is no such file. `buffer` holds the path. */
const char *cli_config_path(const char *name, char *buffer, size_t size);
/* Finds any installed data file by its path in the source tree, below the current folder or where
 * the program is installed. NULL: there is no such file. `buffer` holds the path. */
const char *cli_data_path(const char *name, char *buffer, size_t size);
/* Returns the absolute path of an installed data file. The caller frees the path. NULL: the file is
 * not installed, or the current folder has a file of this name, which is used instead. */
char *cli_installed_path(const char *name);
/* Finds another program in the folder of this program. NULL: there is no such program. */
const char *cli_program_path(const char *name, char *buffer, size_t size);
/* Reads the machine file of --machine, or takes the built-in CM-200 if the option is not given, and
 * applies --set. */
enum cm_status cli_machine_config(const struct cli_machine_values *machine,
                                  struct cm_config *config, struct cm_error *err);

/* program/messages.c: prints the compiler's warning about a program, if there is one. */
struct cm_messages;
void cli_show_warning(const struct cm_messages *messages);
/* program/messages.c: prints all messages about a program but the last one. The last one becomes
 * *err, which the caller prints. Returns the status. */
enum cm_status cli_last_message(const struct cm_messages *messages, enum cm_status status,
                                struct cm_error *err);

/* style.c: returns the CM_STYLE_... bits that the standard output allows. */
unsigned cli_summary_style(void);

struct cli_job; /* see job.h */

/*
 * processes.c: the processes that simulate one machine together. Under mpirun they join at the
 * start of the program. With --processes they are forked once the workload is read. All of them
 * then run the same code.
 */
/* Joins the other processes if mpirun started this program. Rank 0 alone prints from then on.
 * Returns an exit code. */
int cli_processes_begin(void);
/* Refuses a command that cannot run in several processes, if mpirun started several. Returns an
 * exit code. */
int cli_processes_allow(const struct cli_command *command);
/* Forks the processes of --processes, or checks that all processes of mpirun have the same program
 * and command line. Returns an exit code. */
int cli_processes_start(const struct cli_job *job);
/* Ends the processes of --processes, each of which has finished with the exit code `code`. Returns
 * the exit code of the program. */
int cli_processes_stop(int code);
/* Leaves the processes of mpirun. This is the last call of the program, and returns the exit code
 * of the program. */
int cli_processes_end(int code);

/* tracing.c: the recording of a run for --trace, --explain and --why. */
struct cm_recorder;
struct cli_tracing {
    /* the recorder of the trace. Without --trace it records in memory. NULL: nothing is recorded.
     */
    struct cm_recorder *file;
    uint64_t window[2]; /* first cycle and end of --trace-window. 0 and 0: no window. */
    bool printed;       /* true once the result is printed. --explain and --why print below it. */
    const struct cli_job *job;
};
/* Refuses options of tracing that exclude each other, before the command does anything else.
 * Returns an exit code. */
int cli_trace_check(const struct cli_run_values *values, const char *command);
/* Begins to record a run. Returns an exit code. */
int cli_trace_begin(const struct cli_job *job, struct cm_run *run, struct cli_tracing *tracing);
/* Ends the recording after the result is printed, and prints --explain and --why. The trace file
 * gets the name of --trace, or FILE.partial if the run was interrupted. After a failed run it
 * remains FILE.part. Returns an exit code. */
int cli_trace_end(const struct cli_run_values *values, struct cm_run *run,
                  struct cli_tracing *tracing, enum cm_status status);

/* made_by.c: writes the inputs and the version that a table was made of to FILE.made_by.json,
 * because the table itself has no place for them. Writes nothing for the standard output, devices
 * and pipes, or if `made_of` is "". Returns an exit code. */
int cli_write_made_by(const char *path, const char *made_of);

/* partial.c: returns the name FILE.partial, under which an interrupted command writes its
 * unfinished output. The caller frees the name. NULL: memory is too short. */
char *cli_partial_name(const char *path);
struct cli_partial {
    /* FILE, the output that the command would have written. For the standard output, nothing is
     * written. */
    const char *path;
    /* beginning of the message that names the file, such as "the rows of 3 of 9 runs are" */
    const char *what;
    /* the inputs and the version that a table was made of (cli_write_made_by). NULL: the text
     * contains them. */
    const char *made_of;
};
/* Writes a text to FILE.partial, frees the text, and prints the name of the file. Returns an exit
 * code. */
int cli_deliver_partial(const struct cli_partial *partial, struct cm_buffer *text,
                        enum cm_status status, const struct cm_error *err);

/* cmd_figure.c: writes a drawn figure to `path` and frees it, or prints why the figure could not be
 * drawn. If `partial` is true, a signal interrupted the command, and the unfinished figure goes to
 * FILE.partial. Returns an exit code. */
int cli_deliver_figure(const char *command, const char *path, bool partial, struct cm_buffer *out,
                       enum cm_status status, const struct cm_error *err);

/* plot.c: these functions write the figures of a validation as SVG into `folder`. cli_plot_prepare
 * makes the folder if it is missing, before the simulation. Both return exit codes. */
int cli_plot_prepare(const char *folder);
int cli_plot(const struct cm_validation *validation, const char *folder);

#endif
