/*
 * The command line of the programs cm200 and cm200-view: options by table, help texts from the same
 * tables, error messages, progress, and signals.
 *
 * A program describes each command by a struct shell_syntax, with tables of options. The parser
 * fills a struct of the command's values: an option's entry says at which offset its value lies.
 * All structs of values begin with a struct shell_values.
 *
 * Functions that print return an exit code: 0 for success, else the code of cm_status_exit_code.
 * Messages go to the standard error output, and each begins with shell_program_name. This room
 * belongs to the programs: the rooms that do their work return errors instead.
 *
 * options.c  parses options.
 * files.c    checks the files that options name.
 * help.c     lays out help texts.
 * output.c   prints messages, and writes files and the standard output.
 * progress.c shows progress.
 * process.c  owns the signals of the process.
 */
#ifndef CM_SHELL_SHELL_H
#define CM_SHELL_SHELL_H

#include "../base/buffer.h"
#include "../base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Name of the program in its messages. Each program defines it. */
extern const char shell_program_name[];

struct shell_list {
    const char **items;
    uint32_t count;
};

/* Values of every command line. First member of each struct of values. */
struct shell_values {
    struct shell_list operands;
    bool help;
    struct shell_list outputs; /* files that options name, listed by shell_check_files */
    char *part;                /* FILE.part of a trace, one of the outputs. NULL: none. */
    /* syntax of the program or command, and the words after its name */
    const struct shell_syntax *syntax;
    char **words;
    int word_count;
};

struct cli_member;

enum shell_kind {
    SHELL_FLAG,   /* bool */
    SHELL_STRING, /* const char *. NULL: the option is not given. */
    SHELL_INPUT,  /* const char *: a file that is read */
    SHELL_OUTPUT, /* const char *: a file that is written */
    SHELL_LIST,   /* struct shell_list. The option may be given several times. */
    SHELL_NUMBER, /* uint64_t */
    /* uint64_t. 0 is refused as the library refuses numbers that are not powers of two (exit 3). */
    SHELL_NODES,
};

struct shell_option {
    const char *name; /* without the dashes */
    enum shell_kind kind;
    size_t offset; /* offset of the value in the struct of the option's set */
    char letter;   /* one-letter form. 0: none. */
    bool required;
    bool optional;        /* true if the value may be missing: it follows "=", and is "" without */
    bool part;            /* true for an output that is called FILE.part until it is complete */
    const char *argument; /* name of the value in help texts. NULL for flags. */
    uint64_t min, max;    /* bounds of a number */
    const char *help;     /* help text. NULL: the help of `member`. */
    /* key of a workload that the option sets (cli/step.h). NULL: none. */
    const struct cli_member *member;
};

/* Table of options. Their values are in a struct at `offset` within the command's values. */
struct shell_option_set {
    const struct shell_option *options;
    uint32_t count;
    size_t offset;
};

#define SHELL_SET(table, offset)                                                                   \
    {                                                                                              \
        table, sizeof(table) / sizeof *(table), offset                                             \
    }
#define SHELL_SETS_MAX 6u

/* Syntax of a command, or of a program without commands. */
struct shell_syntax {
    const char *command;  /* name of the command. NULL: the program has no commands. */
    const char *operands; /* names of the operands in the usage line */
    uint32_t operands_min;
    uint32_t operands_max;
    /* tables of options. Unused elements are empty. */
    struct shell_option_set sets[SHELL_SETS_MAX];
};

/*
 * options.c: parses the words of a command line into `values`, a struct that begins with a struct
 * shell_values and holds zeros or defaults. Prints a mistake and returns its exit code. The caller
 * frees the values with shell_values_finish in either case.
 */
int shell_parse_options(const struct shell_syntax *syntax, int argc, char **argv, void *values);
void shell_values_finish(const struct shell_syntax *syntax, void *values);
/* Appends the command line, "PROGRAM COMMAND WORD...". Words with special characters are quoted as
 * for a shell. */
void shell_command_line(const struct shell_values *values, struct cm_buffer *text);
/* Adds an item to a list. Prints an error if memory is too short. Returns an exit code. */
int shell_list_add(struct shell_list *list, const char *item);
/* Returns option `i` in the order of the sets, then --help, then NULL. *offset becomes the offset
 * of its value. */
const struct shell_option *shell_option_at(const struct shell_syntax *syntax, uint32_t i,
                                           size_t *offset);
/* Finds an option by its name. NULL: there is no such option. *offset becomes the offset of its
 * value. */
const struct shell_option *shell_option_named(const struct shell_syntax *syntax, const char *name,
                                              size_t *offset);
/* Finds an option's text among `count` names. Prints a mistake if it is not there. Returns an exit
 * code. */
int shell_choose(const char *command, const char *option, const char *text,
                 const char *const *names, uint32_t count, uint32_t *index);

/* Reads whole numbers (cm_text_number) with `separator` between them, at most `most`. Returns how
 * many, or 0 for any other text. */
uint32_t shell_read_numbers(const char *text, char separator, uint64_t *numbers, uint32_t most);

/* files.c: lists the outputs (SHELL_OUTPUT) among the values. Refuses an output that is an input,
 * an operand or another output, or that cannot be written, before anything runs. Prints the mistake
 * and returns an exit code. The files that a workload names are compared with the outputs later
 * (cm_run_options). */
int shell_check_files(const struct shell_syntax *syntax, void *values);
/* Returns true if a path is not NULL and not "-", a standard stream. */
bool shell_names_file(const char *path);

/* help.c: returns the number of columns for help, which is that of the terminal from 60 to 100, or
 * 80 without a terminal. */
uint32_t shell_columns(void);
/* Appends an entry of a help text: `left`, and behind it `help`, which is wrapped within
 * its own column. */
void shell_help_entry(struct cm_buffer *text, const char *left, const char *help);
void shell_help_option(struct cm_buffer *text, const struct shell_option *option, const char *help);

/* output.c: prints an error, with its place and hint. Never fails. Returns the exit code of the
 * error's status. */
int shell_error(const struct cm_error *err);
int shell_no_memory(void);
/* Text of the user, such as a path, without characters that could steer a terminal. By value, so
 * that calls can be arguments. */
struct shell_shown {
    char text[2048];
};
struct shell_shown shell_shown(const char *text);
/* Prints an error without a place that an option's value has caused. Names the command. Returns the
 * exit code of the error's status. */
int shell_refuse(const char *command, const struct cm_error *err);
int shell_usage(const char *command, const char *format, ...) CM_PRINTF(2, 3);
/* Adds bytes of a file from others to text for the standard output, such as what a program prints.
 * If the standard output is a terminal, control characters are escaped. */
void shell_add_foreign(struct cm_buffer *text, const char *bytes, size_t length);
/* Writes a text to `path`, or for NULL or "-" to the standard output. Prints an error. Returns an
 * exit code. */
int shell_write(const char *path, const struct cm_buffer *text);
/* Writes a text as shell_write does, and frees it. If `status` says that making the text failed,
 * prints `err` instead. Returns an exit code. */
int shell_deliver(const char *path, struct cm_buffer *text, enum cm_status status,
                  const struct cm_error *err);
/* Returns the first of two exit codes that is not 0. */
int shell_first_of(int code, int next);

/* progress.c: progress of work that takes longer than a second. It is a line on the terminal that
 * is rewritten. Without a terminal there are new lines, if the user asked for them. */
struct shell_progress {
    const char *what; /* noun of what is counted. "step" by default. */
    /* true if all counted things take about as long, so that the time left follows */
    bool even;
    /* Returns the seconds left, negative if unknown. NULL: never known. */
    double (*left)(void *left_context);
    /* Writes how far the current step is, as ", rate 3 of 10". NULL: nothing. */
    void (*part)(const void *left_context, char *text, size_t size);
    void *left_context;
    double started_seconds;
    double shown_seconds;
    double every_seconds; /* seconds between lines without a terminal. 0: no lines. */
    bool shown;
    bool enabled;
};
void shell_progress_begin(struct shell_progress *progress, bool quiet);
/* Takes the value of --progress: seconds between lines, "" for the default, NULL if not given.
 * Prints a mistake. Returns an exit code. */
int shell_progress_ask(struct shell_progress *progress, const char *command, const char *seconds);
void shell_progress_step(void *progress, uint64_t done, uint64_t total);
void shell_progress_end(struct shell_progress *progress);

/* process.c: the first call of every program. Opens standard streams that are closed, ignores
 * SIGPIPE and SIGXFSZ, and handles SIGINT (Ctrl-C), SIGTERM and SIGHUP. The exit code of a program
 * that a signal ends is SHELL_EXIT_SIGNAL and the number of the signal. */
#define SHELL_EXIT_SIGNAL 128
void shell_begin(void);
/* Watches work: the first signal calls stop(work), and any other ends the program. NULL ends the
 * watching. Returns true if work was watched until this call, and no signal has come to it. A
 * program has a single `stop`, which must be safe in a signal handler. */
bool shell_interrupt_watch(void *work, void (*stop)(void *work));
/* Holds signals back while files are written, until it is called with false as often as with true.
 * A signal that came meanwhile then ends the program. */
void shell_interrupt_hold(bool hold);
/* Returns true if a signal is held back. */
bool shell_interrupt_waits(void);
/* Returns the exit code of a program whose watched work, or whose writing to a pipe, was stopped by
 * a signal. */
int shell_interrupt_code(void);

#endif
