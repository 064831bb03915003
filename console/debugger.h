/*
 * The commands of the debugger: what the user types at a stop, and what is printed. The terminal
 * (cm200 debug) and the viewer share them.
 *
 * A struct console holds the state of a session. Its user calls console_take with a line, prints
 * `text`, and calls console_show_stop at every stop. A command that is refused leaves an error: it
 * is printed, or kept for a viewer that shows it itself. Commands look at the machine at a stop,
 * and never change it.
 *
 * debugger.c       has the table of commands, help, errors and completion.
 * debugger_words.c reads the words of a command.
 * debugger_break.c has the commands of breakpoints.
 * debugger_place.c shows the place of the run, and its source.
 * debugger_look.c  shows registers, memory, arrays and counters.
 * imp_program.c    makes a workload of a single IMP.
 */
#ifndef CM_CONSOLE_DEBUGGER_H
#define CM_CONSOLE_DEBUGGER_H

#include "../debug/debug.h"
#include "../programs/workload/keys.h"
#include "../programs/workload/result.h"
#include "../shell/shell.h"

#define CONSOLE_WORDS_MAX 16u
#define CONSOLE_LINE_MAX  1024u

struct console;

/* Entry of the table of commands, which help, completion and errors use. */
struct console_command {
    const char *name, *shortcut; /* shortcut "": none */
    const char *operands;
    const char *help;
    bool repeats;    /* true if an empty line repeats the command */
    bool at_the_end; /* true if the command also works when the program has ended */
    void (*run)(struct console *debugger);
};

struct console_word {
    const char *text;
    uint32_t column; /* column of the word in the line, from 1 */
};

struct console {
    struct cm_debug *debug;
    bool interactive;      /* true if a terminal reads and writes */
    uint32_t node;         /* node that commands look at */
    struct cm_buffer text; /* output of the command */
    bool going;            /* true if the command lets the program continue */
    int code;              /* exit code of the program. Not 0: printing failed, or a signal came. */
    uint32_t refused;      /* number of refused commands */
    bool keeps_errors;     /* true if `error` keeps the last error instead of printing it */
    struct cm_error error;
    uint32_t number; /* number of the line that was read, from 1 */
    char line[CONSOLE_LINE_MAX], repeated[CONSOLE_LINE_MAX];
    char cut[CONSOLE_LINE_MAX]; /* copy of the line, cut into words */
    struct console_word words[CONSOLE_WORDS_MAX];
    uint32_t word_count;
    size_t printed; /* bytes of the program's own output that are shown */
};

/* debugger.c: runs the command in a line, during a stop. An empty line repeats the last command,
 * and '#' begins a comment. The output is appended to `text`. */
void console_take(struct console *debugger, const char *text);
/* Refuses the command because of word `i`. `hint` may be NULL. */
void console_refuse(struct console *debugger, uint32_t i, const char *hint, const char *format, ...)
    CM_PRINTF(4, 5);
/* Refuses word `i` because its name is not in a list. The hint is the nearest name, or all
 * names. */
void console_refuse_name(struct console *debugger, uint32_t i, const char *what,
                         const char *const *names, uint32_t count);
/* Lists the words that may follow those before `column` of a line, at most `most`. Returns how
 * many. */
uint32_t console_candidates(const struct console *debugger, const char *line, size_t column,
                            const char **names, uint32_t most);

/* debugger_words.c: returns array `i`, from 0, and its name: first the arrays of the workload, then
 * those of the Fortran program unit that runs. NULL past the last. */
const struct cm_array *console_array(const struct console *debugger, uint32_t i, const char **name);
/* Finds an array by its name. Names of Fortran arrays ignore the case of letters. NULL: none. */
const struct cm_array *console_array_named(const struct console *debugger, const char *wanted);
/* Returns the type in which words of an array are shown: "real32", "real64" or "int". */
const char *console_array_type(const struct cm_array *array);
/* Reads word `i` as a number of at most `most`. Otherwise refuses the command and returns false. */
bool console_number(struct console *debugger, uint32_t i, const char *what, uint64_t most,
                    uint64_t *number);
/* Reads word `i` as an address: a number, an array or an address register, with or without +NUMBER.
 * *type is the array's, or "hex". */
bool console_address(struct console *debugger, uint32_t i, uint64_t *address, const char **type);
bool console_node(struct console *debugger, uint32_t i, uint32_t *node);
/* Refuses a command of more than `count` words, and returns false. */
bool console_at_most(struct console *debugger, uint32_t count);
/* Reads "as TYPE" at the end of the command, and removes both words. */
bool console_type(struct console *debugger, const char **type);
/* Finds word `i` in a list of names. */
bool console_choose(struct console *debugger, uint32_t i, const char *what,
                    const char *const *names, uint32_t count, uint32_t *index);
extern const char *const console_types[4];
extern const char *const console_break_words[8];
extern const char *const console_topics[6];

/* debugger_break.c: commands of breakpoints. */
void console_break(struct console *debugger);
void console_until(struct console *debugger);
void console_delete(struct console *debugger);
void console_breaks(struct console *debugger);
/* Append what a breakpoint waits for, without and with its count of hits. */
void console_describe_place(const struct cm_break *b, struct cm_buffer *text);
void console_describe_break(const struct cm_break *b, struct cm_buffer *text);

/* debugger_place.c: appends the reason of a stop, the new output of the program, and its place. */
void console_show_stop(struct console *debugger);
void console_where(struct console *debugger);
/* Returns the cycles until what comes next. The cycles of the router are charged when it has ended.
 * A hop has the cycles of its word time. */
uint64_t console_cycle(const struct console *debugger);
/* Takes a line of a source, or an instruction of an IMP without a source. `next` is true where the
 * program is. */
typedef void (*console_line)(void *context, uint32_t number, bool next, const char *text);
#define CONSOLE_HERE UINT32_MAX
enum console_source {
    CONSOLE_NO_SOURCE, /* nothing that has a source runs */
    CONSOLE_LINES,
    CONSOLE_INSTRUCTIONS
};
/* Calls `line` for the lines or instructions from `each` before `around` to `each` behind it.
 * CONSOLE_HERE: around the place of the program. */
enum console_source console_source(struct console *debugger, uint32_t around, uint32_t each,
                                   console_line line, void *context);
void console_list(struct console *debugger);

/* debugger_look.c: commands that show the state of the machine. */
void console_print(struct console *debugger);
void console_memory(struct console *debugger);
void console_pin(struct console *debugger);
void console_info(struct console *debugger);

#endif
