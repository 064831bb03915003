/*
 * What the programs cm200 and cm200-view share of the command line: options by table, help made of
 * the same tables, messages, progress, Ctrl-C. Each program says its name in cli_program_name.
 */
#ifndef CM_SHELL_SHELL_H
#define CM_SHELL_SHELL_H

#include "../programs/workload/workload.h"

#include <stddef.h>

/* The program's name in its messages; each program defines it. */
extern const char cli_program_name[];

struct cli_list {
    const char **items;
    uint32_t count;
};

enum cli_kind {
    CLI_FLAG,
    CLI_STRING,
    CLI_LIST,
    CLI_NUMBER,
    /* a number; 0 is refused as the library refuses others that are no power of two (exit 3) */
    CLI_NODES,
};

struct cli_option {
    const char *name; /* without the dashes */
    char letter;      /* 0: none */
    enum cli_kind kind;
    const char *argument; /* what its value is called; NULL for flags */
    const char *help;     /* lines are separated by newlines */
    size_t offset;        /* in the struct of values that the program parses into */
    uint64_t min, max;    /* of numbers */
};

struct cli_option_set {
    const struct cli_option *options;
    uint32_t count;
};

#define CLI_SETS_MAX 4u

/* What the parser must know of a command, or of a program without commands. */
struct cli_syntax {
    const char *command;  /* NULL: the program has none */
    const char *operands; /* as usage shows them */
    uint32_t operands_min;
    uint32_t operands_max;
    const struct cli_option_set *sets[CLI_SETS_MAX]; /* unused ones are NULL */
    /* Where the values go, from the start of the struct: a struct cli_list, and the bool of
     * --help. */
    size_t operands_offset;
    size_t help_offset;
};

/*
 * options.c: parses into `values`, zeros at the start; on a mistake prints it and returns CM_USAGE
 * (CM_BAD_INPUT for no nodes). The caller frees the items of the lists in either case.
 */
enum cm_status cli_parse_options(const struct cli_syntax *syntax, int argc, char **argv,
                                 void *values);

/* help.c: a line of a help text; `help` may have several lines, the further ones begin in the same
 * column. */
void cli_help_entry(struct cm_buffer *text, const char *left, const char *help);
/* All options of the sets, and --help. */
void cli_help_options(const struct cli_option_set *const *sets, struct cm_buffer *text);

/* output.c: prints to the standard error output, never fails. All return an exit code. */
int cli_error(const struct cm_error *err);
int cli_usage(const char *command, const char *format, ...) CM_PRINTF(2, 3);
/* Writes to the standard output, and says so when that fails. */
int cli_write(const struct cm_buffer *text);
/* Writes to `path`, or to the standard output when it is NULL or "-". */
int cli_write_to(const char *path, const struct cm_buffer *text);

/* progress.c: a line on the terminal for work longer than a second. */
struct cli_progress {
    const char *what; /* is counted: "step", until another word is put here */
    double started_seconds;
    double shown_seconds;
    bool shown;
    bool enabled;
};
void cli_progress_begin(struct cli_progress *progress, bool quiet);
void cli_progress_step(void *progress, uint64_t done, uint64_t total);
void cli_progress_end(struct cli_progress *progress);

/* interrupt.c: while a run is watched, Ctrl-C asks it to stop; otherwise, or the second time, it
 * ends the program. Returns whether a run was watched until now: not so when Ctrl-C has come to
 * it. */
bool cli_interrupt_watch(struct cm_run *run);
/* Holds Ctrl-C back while files are written; then lets it through. */
void cli_interrupt_hold(bool hold);

#endif
