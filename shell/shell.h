/*
 * The command line of the programs cm200 and cm200-view: options by table, help texts from the same
 * tables, error messages, progress, and signals.
 *
 * A program describes each command by a struct shell_syntax, with tables of options. The parser
 * fills a struct of the command's values: an option's entry says at which offset its value lies.
 * All structs of values begin with a struct shell_values.
 *
 * Functions that print return an exit code: 0 for success, else the code of cm_status_exit_code.
 * Messages go to the standard error output, and each begins with shell_program_name. Only the
 * programs use this room. The library never prints, and returns errors instead.
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

/* Values that every command line has. They are the first member of each struct of values. */
struct shell_values {
    struct shell_list operands;
    bool help;
    /* paths of all output files that options name, listed by shell_check_files */
    struct shell_list outputs;
    /* name FILE.part of a trace while it is written, which is also among the outputs. NULL: no
     * trace is written. */
    char *part;
    /* syntax of the program or command, and the words of the command line after its name */
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
    /* uint64_t: number of nodes. The parser refuses 0 in the same way as the library refuses
     * numbers that are not powers of two (exit code 3). */
    SHELL_NODES,
    /* uint64_t: number of bytes, written as a number with or without k, M or G behind it */
    SHELL_SIZE,
};

struct shell_option {
    const char *name; /* name of the option without the dashes */
    enum shell_kind kind;
    size_t offset; /* byte offset of the value in the struct that belongs to the option's table */
    char letter;   /* one-letter form of the option, such as o for -o. 0: there is no such form. */
    bool required;
    /* true if the value may be left out. The value then follows "=", and is "" if it is left out.
     */
    bool optional;
    /* true for an output file that has the name FILE.part until it is complete */
    bool part;
    const char *argument; /* name of the option's value in help texts. NULL for flags. */
    uint64_t min, max;    /* bounds of the option's value, if it is a number */
    const char *help;     /* help text. NULL: the help of the workload's key that `member` names. */
    /* key of a workload that the option sets (cli/step.h). NULL: the option sets no key. */
    const struct cli_member *member;
};

/* A table of options. The values of its options are in a struct, which is at byte `offset` within
 * the command's values. */
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
    /* tables of options. Places without a table are zero. */
    struct shell_option_set sets[SHELL_SETS_MAX];
};

/*
 * options.c: parses the words of a command line into `values`, a struct that begins with a struct
 * shell_values and holds zeros or defaults. If the user made a mistake, prints it and returns its
 * exit code. The caller frees the values with shell_values_finish in either case.
 */
int shell_parse_options(const struct shell_syntax *syntax, int argc, char **argv, void *values);
void shell_values_finish(const struct shell_syntax *syntax, void *values);
/* Appends the command line, "PROGRAM COMMAND WORD...". Words with special characters are quoted so
 * that a shell can read them. */
void shell_command_line(const struct shell_values *values, struct cm_buffer *text);
/* Adds an item to the list of an option's values. Prints an error if memory runs out. Returns an
 * exit code. */
int shell_list_add(struct shell_list *list, const char *item);
/* Returns option number `i`, counted over all tables in their order. Returns --help after the last
 * one, and then NULL. *offset becomes the offset of the option's value in the struct of values. */
const struct shell_option *shell_option_at(const struct shell_syntax *syntax, uint32_t i,
                                           size_t *offset);
/* Finds an option by its name. NULL: there is no such option. *offset becomes the offset of the
 * option's value in the struct of values. */
const struct shell_option *shell_option_named(const struct shell_syntax *syntax, const char *name,
                                              size_t *offset);
/* Finds the text of an option in a list of `count` names. If the list has no such name, prints the
 * mistake. Returns an exit code. */
int shell_choose(const char *command, const char *option, const char *text,
                 const char *const *names, uint32_t count, uint32_t *index);

/* Reads whole numbers (cm_text_number) with `separator` between them, at most `most` numbers.
 * Returns the number of them, or 0 if the text has another form. */
uint32_t shell_read_numbers(const char *text, char separator, uint64_t *numbers, uint32_t most);

/* files.c: lists the output files (SHELL_OUTPUT) of a command. Refuses an output file that is also
 * an input, an operand or another output, or that cannot be written, before the command runs.
 * Prints the mistake and returns an exit code. The files that a workload names are compared with
 * the outputs later (cm_run_options). */
int shell_check_files(const struct shell_syntax *syntax, void *values);
/* Returns true if a path names a file. It is false for NULL and "-", which stand for a standard
 * stream. */
bool shell_names_file(const char *path);

/* help.c: returns the width of help texts in columns. It is the width of the terminal, but at least
 * 60 and at most 100, or 80 without a terminal. */
uint32_t shell_columns(void);
/* Appends an entry of a help text: `left`, such as an option, and to its right `help`, which is
 * wrapped within a column of its own. */
void shell_help_entry(struct cm_buffer *text, const char *left, const char *help);
void shell_help_option(struct cm_buffer *text, const struct shell_option *option, const char *help);

/* output.c: prints an error, with its place and hint. The function itself never fails. Returns the
 * exit code of the error's status. */
int shell_error(const struct cm_error *err);
int shell_no_memory(void);
/* Text of the user, such as a path, without control characters that a terminal would obey. It is
 * returned by value, so that a call can be an argument of printf. */
struct shell_shown {
    char text[2048];
};
struct shell_shown shell_shown(const char *text);
/* Prints an error that the value of an option has caused, without a place in a file. The message
 * names the command. Returns the exit code of the error's status. */
int shell_refuse(const char *command, const struct cm_error *err);
int shell_usage(const char *command, const char *format, ...) CM_PRINTF(2, 3);
/* Appends bytes of unknown origin, such as the output of a program, to a text for the standard
 * output. If the standard output is a terminal, control characters are escaped. */
void shell_add_foreign(struct cm_buffer *text, const char *bytes, size_t length);
/* Writes bytes of unknown origin to the standard error output. If it is a terminal, control
 * characters are escaped. A failure to write is ignored, as that of a message is. */
void shell_complain(const char *bytes, size_t length);
/* Writes a text to the file `path`, or to the standard output if `path` is NULL or "-". Prints an
 * error if writing fails. Returns an exit code. */
int shell_write(const char *path, const struct cm_buffer *text);
/* Writes a text as shell_write does, and frees the text. If `status` says that making the text has
 * failed, prints `err` instead. Returns an exit code. */
int shell_deliver(const char *path, struct cm_buffer *text, enum cm_status status,
                  const struct cm_error *err);
/* Returns the first of two exit codes, or the second if the first is 0. */
int shell_first_of(int code, int next);

/* progress.c: shows the progress of work that takes longer than a second, in a line of the terminal
 * that is rewritten. Without a terminal, new lines are printed if the user asked for progress. */
struct shell_progress {
    const char *what; /* noun for the things that are counted. NULL: "step". */
    /* true if all counted things take about the same time, so that the time left can be estimated
     */
    bool even;
    /* Callback that returns the seconds left, or a negative number if they are unknown. NULL: the
     * time left is never known. */
    double (*left)(void *left_context);
    /* Callback that writes the progress within the current step, such as ", rate 3 of 10". NULL:
     * not shown. */
    void (*part)(const void *left_context, char *text, size_t size);
    void *left_context;
    double started_seconds;
    double shown_seconds;
    double every_seconds; /* seconds between lines of progress without a terminal. 0: no lines. */
    bool shown;
    bool enabled;
};
void shell_progress_begin(struct shell_progress *progress, bool quiet);
/* Reads the value of --progress: seconds between lines, "" for the default, or NULL if the option
 * is not given. Prints an error if the value is wrong. Returns an exit code. */
int shell_progress_ask(struct shell_progress *progress, const char *command, const char *seconds);
void shell_progress_step(void *progress, uint64_t done, uint64_t total);
void shell_progress_end(struct shell_progress *progress);

/* process.c: prepares the process, as the first call of every program. Opens those standard streams
 * that are closed, ignores SIGPIPE and SIGXFSZ, and handles SIGINT (Ctrl-C), SIGTERM and SIGHUP.
 * The exit code of a program that a signal ends is SHELL_EXIT_SIGNAL plus the number of the signal.
 */
#define SHELL_EXIT_SIGNAL 128
void shell_begin(void);
/* Lets signals stop work from now on: the first signal calls stop(work), and any further signal
 * ends the program. With `work` NULL, signals no longer stop work. Returns true if work was watched
 * until this call and no signal has stopped it. A program has a single function `stop`, which must
 * be safe in a signal handler. */
bool shell_interrupt_watch(void *work, void (*stop)(void *work));
/* Holds signals back (`hold` true) while files are written, or ends this (`hold` false). Calls may
 * be nested. When the last hold ends, a signal that came in the meantime ends the program. */
void shell_interrupt_hold(bool hold);
/* Returns true if a signal has stopped work, or is being held back. */
bool shell_interrupt_came(void);
/* Returns the exit code of a program that a signal has stopped during watched work
 * (shell_interrupt_watch), or while the program wrote to a pipe. */
int shell_interrupt_code(void);
/* Lets the work that is watched be stopped after this number of seconds, as by a signal. The exit
 * code is then that of a program that is refused. 0: no limit. */
void shell_interrupt_after(uint64_t seconds);
/* Writes the reason of an interrupt into the error, which keeps its place: a signal, or the limit
 * of shell_interrupt_after. */
void shell_name_interrupt(struct cm_error *err);

#endif
