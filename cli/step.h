/*
 * Workloads of one step, made from options: `cm200 shift`, `route`, `reshape` and `fft`. An option
 * says which member of the workload it becomes; what the workload's reader and the run refuse of it
 * is shown as a mistake in the option.
 */
#ifndef CM_CLI_STEP_H
#define CM_CLI_STEP_H

#include "../programs/workload/step.h"
#include "job.h"

#define CLI_NUMBERS_MAX 64u /* of a list */

/* Where a member stands: in the workload, in its array "a", in the array's mesh, in the step. */
enum cli_place { CLI_IN_ROOT, CLI_IN_ARRAY, CLI_IN_MESH, CLI_IN_STEP, CLI_PLACE_COUNT };

/* What an option's text has where its key does not say it. */
enum cli_form {
    CLI_BY_KEY,
    CLI_NUMBERS,         /* "10,6,4" */
    CLI_NAME_OR_NUMBERS, /* the same, or a name, which does not begin with a digit */
    CLI_ROWS,            /* "4x8": in this order */
    CLI_SHAPE,           /* "32x4": the most significant axis first, which a workload has last */
};

struct cli_step;

/* What a workload gets of an option. The first option of an array or a mesh is its shape: without
 * it there is no array, or mesh. */
struct cli_member {
    const char *key;
    enum cli_place place;
    enum cli_form form;
    const char *fallback; /* for an option that is not given; NULL: it makes nothing */
    /* Writes it, instead of the common way. */
    int (*write)(struct cli_step *step, const struct shell_option *option, const char *text);
};

/* For tables of options: what an option is in the workload; and the whole line of one that has its
 * name, help and value from a key of the step. */
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

/* The values of all such commands begin with these. */
struct cli_step_values {
    struct shell_values common;
    struct cli_machine_values machine;
    struct cli_run_values run;
    bool emit; /* print the workload, run nothing */
};

/* A workload to be made. */
struct cli_step {
    const struct cli_command *command;
    const struct cli_step_values *values;
    const struct cm_step_kind *kind; /* of the step: one of the command's */
    const char *name;                /* of the workload */
    uint64_t nodes;                  /* of the workload; 0: the whole machine */
    const char *cube;                /* why these are not --nodes; NULL: they are */
    uint64_t step_nodes;             /* of the step; 0: it has no such key */
    bool moves;                      /* the step takes its array to a second one */
    /* For --table, or for the option named: prints it without a run; or the run needs no data. */
    int (*print)(const struct cli_step *step, const struct cm_workload *workload);
    const char *instead;
    bool plan_only;
    struct cli_job job; /* how to run it: text, files and their context, if there are any */
    /* What it becomes: the text, and the option that made each part of it. */
    char file[32];
    struct cm_buffer workload;
    struct cm_json_writer json;
    struct cli_part {
        const struct shell_option *option;
        const char *given; /* NULL: nothing, or a number */
        size_t first, end;
    } parts[64], shapes[CLI_PLACE_COUNT];
    uint32_t part_count;
};

/* step.c: makes the workload, and prints it (--emit) or runs it. Returns the exit code. */
int cli_step_run(struct cli_step *step);
/* Refuses an option's text, for which something else was expected; the hint may be NULL. Returns
 * the exit code. */
int cli_step_expected(const struct cli_step *step, const struct shell_option *option,
                      const char *text, const char *what, const char *hint);
/* The lengths of "32x4", first axis fastest as workloads have it; returns how many, 0 for any other
 * text. */
uint32_t cli_read_shape(const char *text, uint64_t lengths[CLI_NUMBERS_MAX]);

/* The key that an option's value goes to. */
const struct cm_key *cli_step_key(const struct cli_command *command,
                                  const struct shell_option *option);

/* network.c: what shift and route print and write of the traffic, for struct cli_job; the context
 * is a struct cli_network_values. */
struct cli_network_values {
    bool table, heatmap;
    const char *csv, *packets;
};
void cli_network_text(const void *context, const struct cm_result *result, struct cm_buffer *text);
int cli_network_files(const void *context, const struct cm_result *result);

/* reshape_all.c: every algorithm of reshape side by side, as a table or JSON. `run` runs one of
 * them with the options in `values`, and `text` gets its result. Returns the exit code. */
typedef int (*cli_reshape_run)(const void *values, const char *algorithm,
                               void (*text)(const void *context, const struct cm_result *result,
                                            struct cm_buffer *text),
                               const void *context);
int cli_reshape_all(const void *values, bool json, cli_reshape_run run);

/* step_error.c: prints an error of reading or running the workload of a struct cli_step. Returns
 * the exit code. */
int cli_step_error(const void *step, const struct cm_error *err);

#endif
