/*
 * The commands of the debugger: what the user types at a stop, and what is printed. The terminal
 * (cm200 debug) and the viewer share them.
 *
 * A struct console holds the state of a session. Its user calls console_take with a line, prints
 * `text`, and calls console_show_stop at every stop. The error of a refused command is printed, or
 * kept for the viewer, which shows it itself. Commands read the state of the machine during a stop,
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

/* Entry of the table of commands. Help, completion and errors use this table. */
struct console_command {
    const char *name, *shortcut; /* `shortcut` "": the command has no shortcut */
    const char *operands;
    const char *help;
    bool repeats;    /* true if an empty line repeats the command */
    bool at_the_end; /* true if the command can also be used when the program has ended */
    void (*run)(struct console *debugger);
};

struct console_word {
    const char *text;
    uint32_t column; /* column in the line where the word begins, from 1 */
};

struct console {
    struct cm_debug *debug;
    bool interactive;      /* true if a terminal is used for input and output */
    uint32_t node;         /* node whose state the commands show */
    struct cm_buffer text; /* output of the last command */
    bool going;            /* true if the command lets the program continue */
    int code;              /* exit code of the debugger. Not 0 after a failed output or a signal. */
    uint32_t refused;      /* number of refused commands */
    bool keeps_errors;     /* true if `error` keeps the last error instead of printing it */
    struct cm_error error;
    uint32_t number; /* number of the input line that was read last, from 1 */
    char line[CONSOLE_LINE_MAX], repeated[CONSOLE_LINE_MAX];
    char cut[CONSOLE_LINE_MAX]; /* copy of the line, in which words are ended by NUL */
    struct console_word words[CONSOLE_WORDS_MAX];
    uint32_t word_count;
    size_t printed; /* number of bytes of the program's own output that were shown */
};

/* debugger.c: runs the command in a line, during a stop. An empty line repeats the last command,
 * and '#' begins a comment. The output is appended to `text`. */
void console_take(struct console *debugger, const char *text);
/* Reports word `i` as the reason why the command is refused. `hint` may be NULL. */
void console_refuse(struct console *debugger, uint32_t i, const char *hint, const char *format, ...)
    CM_PRINTF(4, 5);
/* Refuses the command because the name in word `i` is not in a list. The hint is the nearest name,
 * or all names. */
void console_refuse_name(struct console *debugger, uint32_t i, const char *what,
                         const char *const *names, uint32_t count);
/* Lists the words that may follow the words before `column` of a line, for completion. At most
 * `most` words are listed. Returns the number of them. */
uint32_t console_candidates(const struct console *debugger, const char *line, size_t column,
                            const char **names, uint32_t most);

/* debugger_words.c: returns array number `i`, from 0, and its name. The arrays of the workload come
 * first, then the arrays of the Fortran program unit that is running. NULL: there is no such array.
 */
const struct cm_array *console_array(const struct console *debugger, uint32_t i, const char **name);
/* Finds an array by its name. The case of letters does not matter for Fortran arrays. NULL: there
 * is no array of this name. */
const struct cm_array *console_array_named(const struct console *debugger, const char *wanted);
/* Returns the type in which words of an array are shown: "real32", "real64" or "int". */
const char *console_array_type(const struct cm_array *array);
/* Reads word `i` as a number up to `most`. If the word has another form, refuses the command and
 * returns false. */
bool console_number(struct console *debugger, uint32_t i, const char *what, uint64_t most,
                    uint64_t *number);
/* Reads word `i` as an address: a number, an array or an address register, with or without +NUMBER.
 * *type becomes the type of the array, or "hex". */
bool console_address(struct console *debugger, uint32_t i, uint64_t *address, const char **type);
bool console_node(struct console *debugger, uint32_t i, uint32_t *node);
/* Refuses a command of more than `count` words, and returns false. */
bool console_at_most(struct console *debugger, uint32_t count);
/* Reads "as TYPE" at the end of the command, and removes both words. *type is not changed if they
 * are missing. */
bool console_type(struct console *debugger, const char **type);
/* Finds word `i` of the command in a list of names. Refuses the command if the list has no such
 * name. */
bool console_choose(struct console *debugger, uint32_t i, const char *what,
                    const char *const *names, uint32_t count, uint32_t *index);
extern const char *const console_types[4];
extern const char *const console_break_words[8];
extern const char *const console_topics[6];

/* debugger_break.c: these functions execute the commands of breakpoints. */
void console_break(struct console *debugger);
void console_until(struct console *debugger);
void console_delete(struct console *debugger);
void console_breaks(struct console *debugger);
/* Append the place or event that a breakpoint stops at, without and with the breakpoint's number of
 * hits. */
void console_describe_place(const struct cm_break *b, struct cm_buffer *text);
void console_describe_break(const struct cm_break *b, struct cm_buffer *text);

/* debugger_place.c: appends the reason of a stop, the new output of the debugged program, and the
 * place of the program. */
void console_show_stop(struct console *debugger);
void console_where(struct console *debugger);
/* Returns the cycle of the present stop: the cycles charged until now. The cycles of a router
 * operation are charged when it has ended, so a stop at a hop of a packet has the cycle of the
 * hop's word time. */
uint64_t console_cycle(const struct console *debugger);
/* Receives a line of a source file, or an instruction of an IMP without a source file. `next` is
 * true for the line or instruction that the program executes next. */
typedef void (*console_line)(void *context, uint32_t number, bool next, const char *text);
#define CONSOLE_HERE UINT32_MAX
enum console_source {
    CONSOLE_NO_SOURCE, /* the program is not in code that has a source */
    CONSOLE_LINES,
    CONSOLE_INSTRUCTIONS
};
/* Calls `line` for each line or instruction, from `each` before number `around` to `each` after it.
 * CONSOLE_HERE as `around` means the present place of the program. */
enum console_source console_source(struct console *debugger, uint32_t around, uint32_t each,
                                   console_line line, void *context);
void console_list(struct console *debugger);

/* debugger_look.c: these functions execute the commands that show the state of the machine. */
void console_print(struct console *debugger);
void console_memory(struct console *debugger);
void console_pin(struct console *debugger);
void console_info(struct console *debugger);

#endif
