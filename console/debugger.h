/* The commands of the debugger: what the user types while a program stands, and what is printed.
 * The terminal (cm200 debug) and the viewer have them in common. */
#ifndef CM_CONSOLE_DEBUGGER_H
#define CM_CONSOLE_DEBUGGER_H

#include "../debug/debug.h"
#include "../programs/workload/keys.h"
#include "../programs/workload/result.h"
#include "../shell/shell.h"

#define CONSOLE_WORDS_MAX 16u
#define CONSOLE_LINE_MAX  1024u

struct console;

/* debugger.c has the table of commands: help, completion and errors expand it. */
struct console_command {
    const char *name, *shortcut; /* "" for no shortcut */
    const char *operands;
    const char *help;
    bool repeats;    /* an empty line does it again */
    bool at_the_end; /* it makes sense when the program has ended */
    void (*run)(struct console *debugger);
};

struct console_word {
    const char *text;
    uint32_t column; /* in the line, from 1 */
};

struct console {
    struct cm_debug *debug;
    bool interactive;      /* a terminal reads and writes */
    uint32_t node;         /* that is looked at */
    struct cm_buffer text; /* that the command prints */
    bool going;            /* the program goes on */
    int code;              /* what the command line returns; not 0: printing failed, or a signal */
    uint32_t refused;      /* commands */
    bool keeps_errors;     /* `error` gets the last one; otherwise they are printed */
    struct cm_error error;
    uint32_t number; /* of the line read, from 1 */
    char line[CONSOLE_LINE_MAX], repeated[CONSOLE_LINE_MAX];
    char cut[CONSOLE_LINE_MAX]; /* the line's words, terminated */
    struct console_word words[CONSOLE_WORDS_MAX];
    uint32_t word_count;
    size_t printed; /* bytes of the program's own output */
};

/* debugger.c: a line with a command, while the program stands; an empty one is the last one again.
 * Comments begin with '#'. What it prints is appended to `text`. */
void console_take(struct console *debugger, const char *text);
/* Refuses the command, at word `i`; `hint` may be NULL. */
void console_refuse(struct console *debugger, uint32_t i, const char *hint, const char *format, ...)
    CM_PRINTF(4, 5);
/* The same for a name that is not one of a list: with the nearest one, or with all of few. */
void console_refuse_name(struct console *debugger, uint32_t i, const char *what,
                         const char *const *names, uint32_t count);
/* What may follow the words before the one at `column` of a line: names[], at most `most`. */
uint32_t console_candidates(const struct console *debugger, const char *line, size_t column,
                            const char **names, uint32_t most);

/* debugger_words.c: array `i`, from 0, of the workload, or of the unit of a Fortran program that is
 * under way, and its name; NULL past the last. */
const struct cm_array *console_array(const struct console *debugger, uint32_t i, const char **name);
/* What its words are shown as: "real32", "real64", "int". */
const char *console_array_type(const struct cm_array *array);
/* Word `i` as what it must be; false when it is not, which is reported. */
bool console_number(struct console *debugger, uint32_t i, const char *what, uint64_t most,
                    uint64_t *number);
/* A number, ARRAY, rN, each with +NUMBER or without. *type is the array's; hexadecimal else. */
bool console_address(struct console *debugger, uint32_t i, uint64_t *address, const char **type);
bool console_node(struct console *debugger, uint32_t i, uint32_t *node);
/* No more than `count` words; false and an error otherwise. */
bool console_at_most(struct console *debugger, uint32_t count);
/* "as TYPE" at the end: takes the words away. */
bool console_type(struct console *debugger, const char **type);
/* A name of a list (its index). */
bool console_choose(struct console *debugger, uint32_t i, const char *what,
                    const char *const *names, uint32_t count, uint32_t *index);
extern const char *const console_types[4];
extern const char *const console_break_words[8];
extern const char *const console_topics[5];

/* debugger_break.c */
void console_break(struct console *debugger);
void console_until(struct console *debugger);
void console_delete(struct console *debugger);
void console_breaks(struct console *debugger);
/* What it waits for; the same with its count. */
void console_describe_place(const struct cm_break *b, struct cm_buffer *text);
void console_describe_break(const struct cm_break *b, struct cm_buffer *text);

/* debugger_place.c: where the program is, and its source. */
void console_show_stop(struct console *debugger);
void console_where(struct console *debugger);
/* Cycles until what is next. The router's are charged when it has ended; a hop has those of its
 * word time. */
uint64_t console_cycle(const struct console *debugger);
/* A line of a text, or, of an IMP without one, an instruction; `next` is where the program is. */
typedef void (*console_line)(void *context, uint32_t number, bool next, const char *text);
#define CONSOLE_HERE UINT32_MAX
enum console_source {
    CONSOLE_NO_SOURCE, /* nothing that has one is under way */
    CONSOLE_LINES,
    CONSOLE_INSTRUCTIONS
};
/* The source around line or instruction `around`, `each` before and behind. */
enum console_source console_source(struct console *debugger, uint32_t around, uint32_t each,
                                   console_line line, void *context);
void console_list(struct console *debugger);

/* debugger_look.c: what the machine holds. */
void console_print(struct console *debugger);
void console_memory(struct console *debugger);
void console_pin(struct console *debugger);
void console_info(struct console *debugger);

#endif
