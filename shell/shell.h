/*
 * What the programs cm200 and cm200-view share of the command line: options by table, help made of
 * the same tables, messages, progress, signals. Each program says its name in cli_program_name.
 */
#ifndef CM_SHELL_SHELL_H
#define CM_SHELL_SHELL_H

#include "../base/buffer.h"
#include "../base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The program's name in its messages; each program defines it. */
extern const char cli_program_name[];

struct cli_list {
    const char **items;
    uint32_t count;
};

/* What every command line has. The first member of each program's or command's own values. */
struct cli_values {
    struct cli_list operands;
    bool help;
    struct cli_list outputs;         /* the files that options name; cli_check_files finds them */
    char *part;                      /* one of them, FILE.part */
    const struct cli_syntax *syntax; /* of the program or command, and its words */
    char **words;
    int word_count;
};

struct cli_member;

enum cli_kind {
    CLI_FLAG,   /* bool */
    CLI_STRING, /* const char *; NULL when it is not given */
    CLI_INPUT,  /* the same: a file that is read */
    CLI_OUTPUT, /* the same: a file that is written */
    CLI_LIST,   /* struct cli_list; may be given several times */
    CLI_NUMBER, /* uint64_t */
    /* A number; 0 is refused as the library refuses others that are not powers of two (exit 3). */
    CLI_NODES,
};

struct cli_option {
    const char *name; /* without the dashes */
    enum cli_kind kind;
    size_t offset; /* of its value, in the struct of its set */
    char letter;   /* 0: none */
    bool required;
    bool optional;        /* its value, which follows "=" alone: "" when it is not given */
    bool part;            /* an output that is FILE.part until it is whole */
    const char *argument; /* what its value is called; NULL for flags */
    uint64_t min, max;    /* of numbers */
    const char *help;     /* NULL: that of its member */
    const struct cli_member *member; /* that a workload gets of it (cli/step.h); NULL: none */
};

/* A table of options, whose values are in a struct at `offset` in those of the command. */
struct cli_option_set {
    const struct cli_option *options;
    uint32_t count;
    size_t offset;
};

#define CLI_SET(table, offset)                                                                     \
    {                                                                                              \
        table, sizeof(table) / sizeof *(table), offset                                             \
    }
#define CLI_SETS_MAX 6u

/* What the parser must know of a command, or of a program without commands. */
struct cli_syntax {
    const char *command;  /* NULL: the program has none */
    const char *operands; /* as usage shows them */
    uint32_t operands_min;
    uint32_t operands_max;
    struct cli_option_set sets[CLI_SETS_MAX]; /* unused ones are empty */
};

/*
 * options.c: parses into `values`, a struct that begins with a struct cli_values and holds zeros or
 * defaults; prints a mistake and returns its exit code. Free with cli_values_finish in either case.
 */
int cli_parse_options(const struct cli_syntax *syntax, int argc, char **argv, void *values);
void cli_values_finish(const struct cli_syntax *syntax, void *values);
/* "PROGRAM COMMAND WORD...", words with other characters than are plain quoted as for a shell. */
void cli_command_line(const struct cli_values *values, struct cm_buffer *text);
/* Adds an item; prints that memory is short. Returns an exit code. */
int cli_list_add(struct cli_list *list, const char *item);
/* Option `i` in the order of the sets, --help at the end, then NULL; its value is at *offset. */
const struct cli_option *cli_option_at(const struct cli_syntax *syntax, uint32_t i, size_t *offset);
/* Finds an option by its name; NULL when there is no such option. */
const struct cli_option *cli_option_named(const struct cli_syntax *syntax, const char *name,
                                          size_t *offset);
/* Which of `count` names an option's text is; prints the mistake when it is another, and returns an
 * exit code. */
int cli_choose(const char *command, const char *option, const char *text, const char *const *names,
               uint32_t count, uint32_t *index);

/* Whole numbers (cm_text_number) with `separator` between them, at most `most`; returns how many, 0
 * for any other text. */
uint32_t cli_read_numbers(const char *text, char separator, uint64_t *numbers, uint32_t most);

/* files.c: lists the outputs (CLI_OUTPUT) among the values, and refuses one that is an input, an
 * operand or another output, or that cannot be written, before anything runs; prints the mistake.
 * The files that a workload names are compared with them as it is prepared (cm_run_options).
 * Returns an exit code. */
int cli_check_files(const struct cli_syntax *syntax, void *values);
/* Whether a path is given and not "-", a standard stream. */
bool cli_names_file(const char *path);

/* help.c: words in lines of at most 100 columns; all but the first begin with `column` blanks. */
void cli_help_text(struct cm_buffer *text, const char *words, int column);
/* An entry of a help text. `help` is cut where it is too long for a line; further lines
 * begin in the same column. */
void cli_help_entry(struct cm_buffer *text, const char *left, const char *help);
void cli_help_option(struct cm_buffer *text, const struct cli_option *option, const char *help);

/* output.c: prints to the standard error output, never fails. All return an exit code. */
int cli_error(const struct cm_error *err);
int cli_no_memory(void);
/* A text of the user, as a path, that cannot steer a terminal; by value, for argument lists. */
struct cli_shown {
    char text[2048];
};
struct cli_shown cli_shown(const char *text);
/* An error without a place that an option's value is the reason for. */
int cli_refuse(const char *command, const struct cm_error *err);
int cli_usage(const char *command, const char *format, ...) CM_PRINTF(2, 3);
/* Adds bytes of a file from others to text for the standard output, such as what a program prints.
 * If the standard output is a terminal, control characters are escaped. */
void cli_add_foreign(struct cm_buffer *text, const char *bytes, size_t length);

/* Writes to `path`, or to the standard output when it is NULL or "-"; prints what goes wrong. */
int cli_write(const char *path, const struct cm_buffer *text);
/* The same with a text that was made for it, which is given back; if making it failed, as `status`
 * says, its error is printed instead. */
int cli_deliver(const char *path, struct cm_buffer *text, enum cm_status status,
                const struct cm_error *err);
/* The first of two exit codes that is not 0. */
int cli_first_of(int code, int next);

/* progress.c: a line on the terminal for work longer than a second; where there is no terminal, and
 * if asked, a new line now and then. */
struct cli_progress {
    const char *what; /* is counted: "step", until another word is put here */
    bool even;        /* all that is counted takes about as long: so follows the time left */
    /* Otherwise, seconds that are left, negative when that is not known; NULL: it never is. */
    double (*left)(void *left_context);
    /* Appends how far the step is that runs now, as ", rate 3 of 10"; NULL: nothing. */
    void (*part)(const void *left_context, char *text, size_t size);
    void *left_context;
    double started_seconds;
    double shown_seconds;
    double every_seconds; /* a line, where there is no terminal; 0: none */
    bool shown;
    bool enabled;
};
void cli_progress_begin(struct cli_progress *progress, bool quiet);
/* What --progress says: seconds between lines, "" for those that are usual; NULL: it is not given.
 * Prints a mistake; returns an exit code. */
int cli_progress_ask(struct cli_progress *progress, const char *command, const char *seconds);
void cli_progress_step(void *progress, uint64_t done, uint64_t total);
void cli_progress_end(struct cli_progress *progress);

/* process.c: the first call of every program. Opens the standard streams that are closed, ignores
 * SIGPIPE and SIGXFSZ, and takes SIGINT (Ctrl-C), SIGTERM and SIGHUP, each of which ends the
 * program with this and its number. */
#define CLI_EXIT_SIGNAL 128
void cli_begin(void);
/* While work is watched, a signal calls stop(work); otherwise, or the second time, it ends the
 * program. NULL: no work any more. Returns whether work was watched until now: not so when a signal
 * has come to it. A program has one `stop`; it must be safe in a signal handler. */
bool cli_interrupt_watch(void *work, void (*stop)(void *work));
/* Holds signals back while files are written, as often as `hold` is true; then lets them
 * through. */
void cli_interrupt_hold(bool hold);
/* Whether one is held back. */
bool cli_interrupt_waits(void);
/* The exit code of a program whose watched work, or whose writing to a pipe, was stopped. */
int cli_interrupt_code(void);

#endif
