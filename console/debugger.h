/* The commands of the debugger: what the user types while a program stands, and what is printed.
 * The terminal (cm200 debug) and the viewer have them in common. */
#ifndef CM_CONSOLE_DEBUGGER_H
#define CM_CONSOLE_DEBUGGER_H

#include "../debug/debug.h"
#include "../programs/workload/keys.h"
#include "../programs/workload/result.h"
#include "../shell/shell.h"

#define DEBUGGER_WORDS_MAX 16u
#define DEBUGGER_LINE_MAX  1024u

struct cli_debugger;

/* debugger.c has the table of commands: help, completion and errors expand it. */
struct cli_debugger_command {
    const char *name, *shortcut; /* "" for no shortcut */
    const char *operands;
    const char *help;
    bool repeats;    /* an empty line does it again */
    bool at_the_end; /* it makes sense when the program has ended */
    void (*run)(struct cli_debugger *debugger);
};

struct cli_debugger_word {
    const char *text;
    uint32_t column; /* in the line, from 1 */
};

struct cli_debugger {
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
    char line[DEBUGGER_LINE_MAX], repeated[DEBUGGER_LINE_MAX];
    char cut[DEBUGGER_LINE_MAX]; /* the line's words, terminated */
    struct cli_debugger_word words[DEBUGGER_WORDS_MAX];
    uint32_t word_count;
    size_t printed; /* bytes of the program's own output */
};

/* debugger.c: a line with a command, while the program stands; an empty one is the last one again.
 * Comments begin with '#'. What it prints is appended to `text`. */
void cli_debugger_take(struct cli_debugger *debugger, const char *text);
/* Refuses the command, at word `i`; `hint` may be NULL. */
void cli_debugger_refuse(struct cli_debugger *debugger, uint32_t i, const char *hint,
                         const char *format, ...) CM_PRINTF(4, 5);
/* The same for a name that is not one of a list: with the nearest one, or with all of few. */
void cli_debugger_refuse_name(struct cli_debugger *debugger, uint32_t i, const char *what,
                              const char *const *names, uint32_t count);
/* What may follow the words before the one at `column` of a line: names[], at most `most`. */
uint32_t cli_debugger_candidates(const struct cli_debugger *debugger, const char *line,
                                 size_t column, const char **names, uint32_t most);

/* debugger_words.c: array `i`, from 0, of the workload, or of the unit of a Fortran program that is
 * under way, and its name; NULL past the last. */
const struct cm_array *cli_debugger_array(const struct cli_debugger *debugger, uint32_t i,
                                          const char **name);
/* What its words are shown as: "real32", "real64", "int". */
const char *cli_debugger_array_type(const struct cm_array *array);
/* Word `i` as what it must be; false when it is not, which is reported. */
bool cli_debugger_number(struct cli_debugger *debugger, uint32_t i, const char *what, uint64_t most,
                         uint64_t *number);
/* A number, ARRAY, rN, each with +NUMBER or without. *type is the array's; hexadecimal else. */
bool cli_debugger_address(struct cli_debugger *debugger, uint32_t i, uint64_t *address,
                          const char **type);
bool cli_debugger_node(struct cli_debugger *debugger, uint32_t i, uint32_t *node);
/* No more than `count` words; false and an error otherwise. */
bool cli_debugger_at_most(struct cli_debugger *debugger, uint32_t count);
/* "as TYPE" at the end: takes the words away. */
bool cli_debugger_type(struct cli_debugger *debugger, const char **type);
/* A name of a list (its index). */
bool cli_debugger_choose(struct cli_debugger *debugger, uint32_t i, const char *what,
                         const char *const *names, uint32_t count, uint32_t *index);
extern const char *const cli_debugger_types[4];
extern const char *const cli_debugger_break_words[8];
extern const char *const cli_debugger_topics[5];

/* debugger_break.c */
void cli_debugger_break(struct cli_debugger *debugger);
void cli_debugger_until(struct cli_debugger *debugger);
void cli_debugger_delete(struct cli_debugger *debugger);
void cli_debugger_breaks(struct cli_debugger *debugger);
/* What it waits for; the same with its count. */
void cli_debugger_describe_place(const struct cm_break *b, struct cm_buffer *text);
void cli_debugger_describe_break(const struct cm_break *b, struct cm_buffer *text);

/* debugger_place.c: where the program is, and its source. */
void cli_debugger_show_stop(struct cli_debugger *debugger);
void cli_debugger_where(struct cli_debugger *debugger);
/* Cycles until what is next. The router's are charged when it has ended; a hop has those of its
 * word time. */
uint64_t cli_debugger_cycle(const struct cli_debugger *debugger);
/* A line of a text, or, of an IMP without one, an instruction; `next` is where the program is. */
typedef void (*cli_debugger_line)(void *context, uint32_t number, bool next, const char *text);
#define CLI_DEBUGGER_HERE UINT32_MAX
enum cli_debugger_source {
    CLI_DEBUGGER_NO_SOURCE, /* nothing that has one is under way */
    CLI_DEBUGGER_LINES,
    CLI_DEBUGGER_INSTRUCTIONS
};
/* The source around line or instruction `around`, `each` before and behind. */
enum cli_debugger_source cli_debugger_source(struct cli_debugger *debugger, uint32_t around,
                                             uint32_t each, cli_debugger_line line, void *context);
void cli_debugger_list(struct cli_debugger *debugger);

/* debugger_look.c: what the machine holds. */
void cli_debugger_print(struct cli_debugger *debugger);
void cli_debugger_memory(struct cli_debugger *debugger);
void cli_debugger_pin(struct cli_debugger *debugger);
void cli_debugger_info(struct cli_debugger *debugger);

#endif
