/*
 * Workloads of one step, made from options, for `cm200 shift`, `route`, `reshape` and `fft`. An
 * entry of a table of options says which key of the workload the option sets. The text of the
 * workload is written first, and then read like a file. If the reader or the run refuses a value,
 * the error is shown as a mistake in the option that made it.
 *
 * step.c        makes the workload, and prints or runs it.
 * step_error.c  maps errors of the workload to options.
 * network.c     shows the traffic of shift and route.
 * network_figure.c draws latency against load.
 * reshape_all.c compares all algorithms of reshape.
 */
#ifndef CM_CLI_STEP_H
#define CM_CLI_STEP_H

#include "../programs/workload/step.h"
#include "job.h"

#define CLI_NUMBERS_MAX 64u /* largest number of values in a list */

/* Object of the workload that has a key: the workload itself, its array "a", the array's mesh, or
 * the step. */
enum cli_place { CLI_IN_ROOT, CLI_IN_ARRAY, CLI_IN_MESH, CLI_IN_STEP, CLI_PLACE_COUNT };

/* Form of an option's text, if the type of the workload's key does not imply it. */
enum cli_form {
    CLI_BY_KEY,
    CLI_NUMBERS, /* numbers with commas between them, such as "10,6,4" */
    /* numbers with commas between them, or a name, which does not begin with a digit */
    CLI_NAME_OR_NUMBERS,
    /* axis lengths that the workload has in the order of the text, such as "4x8" */
    CLI_ROWS,
    /* axis lengths that the workload has in the reverse order, such as "32x4": the option has the
     * most significant axis first, and a workload has it last */
    CLI_SHAPE,
};

struct cli_step;

/* Key of the workload that an option sets. The first option about an array or a mesh sets its
 * shape. If the shape is not given, the workload has no array or no mesh. */
struct cli_member {
    const char *key;
    enum cli_place place;
    enum cli_form form;
    const char *fallback; /* text used if the option is not given. NULL: the key is left out. */
    /* Writes the key and its value into the workload. NULL: the general function writes them. */
    int (*write)(struct cli_step *step, const struct shell_option *option, const char *text);
};

/* Macros for tables of options. CLI_MEMBER names the key that an option sets. CLI_STEP_OPTION is a
 * whole entry, for an option that takes its name, help and range from a key of the step. */
#define CLI_MEMBER(...)                                                                            \
    .member = &(const struct cli_member)                                                           \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define CLI_STEP_OPTION(values, name, called, ...)                                                 \
    {                                                                                              \
#name, SHELL_STRING, offsetof(values, name),                                               \
            .argument = (called), CLI_MEMBER(#name, .place = CLI_IN_STEP), __VA_ARGS__             \
    }

/* Values of options that all commands with a workload of one step have. Their structs of values
 * begin with it. */
struct cli_step_values {
    struct shell_values common;
    struct cli_machine_values machine;
    struct cli_run_values run;
    bool emit; /* true to print the workload instead of running it */
};

/* A workload to make from options, and how to show its result. */
struct cli_step {
    const struct cli_command *command;
    const struct cli_step_values *values;
    const struct cm_step_kind *kind; /* one of the command's kinds */
    const char *name;                /* name of the workload */
    uint64_t nodes;                  /* number of nodes of the workload. 0: the whole machine. */
    /* reason for errors why `nodes` differs from --nodes. NULL: it does not differ. */
    const char *cube;
    uint64_t step_nodes; /* value of the key "nodes" in the step. 0: the step has no such key. */
    bool moves;          /* true if the step moves its array to a second array */
    /* Prints a text about the workload instead of running it. NULL: the workload is run. */
    int (*print)(const struct cli_step *step, const struct cm_workload *workload);
    /* name of the option that asks for `print`, for messages. NULL: --table. */
    const char *instead;
    /* true to run without data, because the output shows only the plan of the step */
    bool plan_only;
    struct cli_job job; /* functions that show the result of the run, and their context */
    /* Set by cli_step_run: the text of the workload, and the option that made each part of it. */
    char file[32];
    struct cm_buffer workload;
    struct cm_json_writer json;
    struct cli_part {
        const struct shell_option *option;
        const char *given; /* text of the option. NULL: not given, or the option is a number. */
        /* the part of the workload's text, from byte `first` to before byte `end` */
        size_t first, end;
    } parts[64], shapes[CLI_PLACE_COUNT];
    uint32_t part_count;
};

/* step.c: makes the workload, and then prints the workload (--emit) or runs it. Returns the exit
 * code. */
int cli_step_run(struct cli_step *step);
/* Reports that the text of an option is wrong and that `what` was expected. `hint` may be NULL.
 * Returns the exit code. */
int cli_step_expected(const struct cli_step *step, const struct shell_option *option,
                      const char *text, const char *what, const char *hint);
/* Reads lengths such as "32x4", and stores them with the first axis fastest, as workloads have
 * them. Returns the number of lengths. 0: the text is not a shape. */
uint32_t cli_read_shape(const char *text, uint64_t lengths[CLI_NUMBERS_MAX]);

/* Returns the key of the workload that an option sets. */
const struct cm_key *cli_step_key(const struct cli_command *command,
                                  const struct shell_option *option);

/* network.c: these functions show the traffic of cm200 shift and route, and write it to files. They
 * are members of struct cli_job, and their context is a struct cli_network_values. */
struct cli_network_values {
    bool table, heatmap;
    const char *csv, *packets, *figure;
    /* titles of the figure and its axes. NULL: the usual titles. */
    const char *title, *x_title, *y_title;
};
void cli_network_text(const void *context, const struct cm_result *result, struct cm_buffer *text);
int cli_network_files(const void *context, const struct cm_result *result);
/* network_figure.c: refuses options of a figure that cannot be drawn. `several` is true if the run
 * has several rates of traffic. Returns an exit code. */
int cli_network_figure_check(const struct cli_network_values *values, bool several);
/* Draws latency against load into the file of --figure, if the option is given. Returns an exit
 * code. */
int cli_network_figure(const struct cli_network_values *values, const struct cm_result *result);

/* reshape_all.c: compares all algorithms of cm200 reshape, as a table or as JSON. `run` runs one
 * algorithm with the options in `values`, and passes its result to `text`. Returns the exit code.
 */
typedef int (*cli_reshape_run)(const void *values, const char *algorithm,
                               void (*text)(const void *context, const struct cm_result *result,
                                            struct cm_buffer *text),
                               const void *context);
int cli_reshape_all(const void *values, bool json, cli_reshape_run run);

/* step_error.c: prints an error in a workload that was made from options as a mistake in the
 * option. `step` is a struct cli_step. Returns the exit code. */
int cli_step_error(const void *step, const struct cm_error *err);

#endif
