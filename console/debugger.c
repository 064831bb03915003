/* The table of the debugger's commands, with their help, errors and completion. */
#include "debugger.h"
#include "../base/wrap.h"

#include "../base/suggest.h"
#include "../sim/machine/inspect.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NAMES_MAX 200u

/* ---- commands that let the program go on ---- */

static void go(struct console *debugger, enum cm_debug_pace pace, const char *what)
{
    uint64_t times = 1;
    if (debugger->word_count > 1 &&
        (!console_number(debugger, 1, what, UINT64_MAX, &times) || !console_at_most(debugger, 2)))
        return;
    cm_debug_resume(debugger->debug, pace, times);
    debugger->going = true;
}

static void step(struct console *debugger)
{
    go(debugger, CM_DEBUG_EACH, "how many steps");
}

static void next(struct console *debugger)
{
    go(debugger, CM_DEBUG_OVER, "how many steps");
}

static void iterate(struct console *debugger)
{
    const struct cm_debug_at *at = cm_debug_at(debugger->debug);
    if (at->imp == NULL || cm_machine_loop_count(cm_debug_machine(debugger->debug)) == 0)
        console_refuse(debugger, 0, "where lists the loops", "no loop is open here");
    else
        go(debugger, CM_DEBUG_ITERATE, "how many iterations");
}

static void finish(struct console *debugger)
{
    go(debugger, CM_DEBUG_FINISH, "how many times");
}

static void line(struct console *debugger)
{
    go(debugger, CM_DEBUG_NEW_LINE, "how many lines");
}

static void go_on(struct console *debugger)
{
    go(debugger, CM_DEBUG_RUN, "how many stops");
}

/* Executes the commands back [N], back break and back start. */
static void back(struct console *debugger)
{
    uint64_t points = 1, now = cm_debug_at(debugger->debug)->point;
    const char *word = debugger->word_count > 1 ? debugger->words[1].text : "1";
    if (!console_at_most(debugger, 2))
        return;
    if (strcmp(word, "break") == 0) {
        cm_debug_back_to_break(debugger->debug);
    } else if (strcmp(word, "start") == 0) {
        cm_debug_back_to(debugger->debug, 0);
    } else {
        if (debugger->word_count > 1 &&
            !console_number(debugger, 1, "how many steps, \"break\" or \"start\"", UINT64_MAX,
                            &points))
            return;
        cm_debug_back_to(debugger->debug, points < now ? now - points : 0);
    }
    debugger->going = true;
}

static void quit(struct console *debugger)
{
    if (!console_at_most(debugger, 1))
        return;
    cm_debug_leave(debugger->debug);
    debugger->going = true;
}

static void help(struct console *debugger);

/* ---- the table ---- */

static const struct console_command commands[] = {
    {"step", "s", "[N]",
     "go to the next instruction, source line, step of the workload or hop of a packet", true,
     false, step},
    {"next", "n", "[N]",
     "the same, but over a loop that begins here, a call of a subprogram, a run of the router, a "
     "step of the workload",
     true, false, next},
    {"line", "l", "[N]", "go to the next source line, of an IMP's text or a Fortran program", true,
     false, line},
    {"iterate", "i", "[N]", "go to the next iteration of the innermost loop, or behind the loop",
     true, false, iterate},
    {"finish", "f", "", "go to the end of this IMP, subprogram, router run or step", true, false,
     finish},
    {"continue", "c", "[N]", "go on to the next breakpoint, or past N - 1 of them", true, false,
     go_on},
    {"until", "u", "WHERE", "go on to a place, as in break", false, false, console_until},
    {"back", "b", "[N | break | start]",
     "go back N steps, to the previous place where a breakpoint stops, or to the start; the "
     "program is executed again up to there",
     true, true, back},
    {"break", "", "WHERE [count N]",
     "stop at: OPERATION (exchange), IMP+INSTRUCTION (swap+4), FILE:LINE, LINE, step N, "
     "step POINTER (/steps/0), cycle N, instruction N (so many issued). Or after: cause NAME "
     "(exchange, load_page_fault), channel NODE|any DIMENSION [0|1], read, write or access "
     "ADDRESS [NODE]. ADDRESS: 4096, u, u+3, r5. With count N: from hit N on",
     false, true, console_break},
    {"breaks", "", "", "list the breakpoints, and how often each was hit", false, true,
     console_breaks},
    {"delete", "d", "[NUMBER...]", "delete breakpoints; without a number, all", false, true,
     console_delete},
    {"where", "w", "", "the step, source line and instruction that are next; the loops", true, true,
     console_where},
    {"list", "", "[LINE]", "the source around this line or another one", true, true, console_list},
    {"node", "", "[N]", "look at a node from now on", false, true, console_pin},
    {"print", "p", "r | rN | f | fN | A | B | C [SLOT] | context | sequencer | ARRAY [as TYPE]",
     "address registers; of the node that is looked at, FPU registers, transposers and context "
     "flag; clock and counters. TYPE: hex, int, real32, real64",
     true, true, console_print},
    {"memory", "x", "ADDRESS [COUNT] [as TYPE]",
     "words of the node that is looked at; ADDRESS and TYPE as in break and print", true, true,
     console_memory},
    {"info", "", "arrays | causes | channels | node [N] | registers | result",
     "where arrays are; cycles by cause; words over channels; a node; address registers; the run's "
     "result, at the end",
     true, true, console_info},
    {"help", "h", "[COMMAND]", "what the commands do", false, true, help},
    {"quit", "q", "", "end; so does the end of the input (Ctrl-D)", false, true, quit},
};

/* Commands of the debugger gdb, and the commands of this debugger that they stand for. */
static const struct {
    const char *word, *command;
} synonyms[] = {
    {"run", "continue"},
    {"r", "continue"},
    {"registers", "print r"},
    {"stepi", "step"},
    {"si", "step"},
    {"nexti", "next"},
    {"ni", "next"},
    {"backtrace", "where"},
    {"bt", "where"},
    {"disassemble", "list"},
    {"reverse-step", "back"},
    {"rs", "back"},
    {"reverse-continue", "back break"},
    {"rc", "back break"},
};

static const struct console_command *find_command(const char *name)
{
    for (size_t i = 0; i < CM_COUNT_OF(commands); i++)
        if (strcmp(commands[i].name, name) == 0 ||
            (commands[i].shortcut[0] != '\0' && strcmp(commands[i].shortcut, name) == 0))
            return &commands[i];
    return NULL;
}

static uint32_t command_names(const char **names)
{
    for (uint32_t i = 0; i < CM_COUNT_OF(commands); i++)
        names[i] = commands[i].name;
    return CM_COUNT_OF(commands);
}

static void help_command(const struct console_command *command, struct cm_buffer *text)
{
    char left[160];
    snprintf(left, sizeof left, "%s%s%s", command->name, command->operands[0] != '\0' ? " " : "",
             command->operands);
    cm_buffer_printf(text, "%s", left);
    if (command->shortcut[0] != '\0')
        cm_buffer_printf(text, "  (%s)", command->shortcut);
    cm_buffer_printf(text, "\n        ");
    cm_text_wrap(text, command->help, 8, CM_WRAP_COLUMNS);
}

static void help(struct console *debugger)
{
    const char *names[NAMES_MAX];
    if (!console_at_most(debugger, 2))
        return;
    if (debugger->word_count > 1) {
        const struct console_command *command = find_command(debugger->words[1].text);
        if (command != NULL)
            help_command(command, &debugger->text);
        else
            console_refuse_name(debugger, 1, "command", names, command_names(names));
        return;
    }
    for (uint32_t i = 0; i < CM_COUNT_OF(commands); i++)
        help_command(&commands[i], &debugger->text);
    cm_buffer_printf(&debugger->text, "An empty line repeats the last command.\nAlso:");
    for (uint32_t i = 0; i < CM_COUNT_OF(synonyms); i++)
        cm_buffer_printf(&debugger->text, "%s%s (%s)",
                         i == 0       ? " "
                         : i % 4 == 0 ? ",\n      "
                                      : ", ",
                         synonyms[i].word, synonyms[i].command);
    cm_buffer_printf(&debugger->text, "\n");
}

/* ---- completion ---- */

static uint32_t break_candidates(const char **names)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < CM_COUNT_OF(console_break_words); i++)
        names[count++] = console_break_words[i];
    for (uint32_t op = 0; op < CM_OP_COUNT; op++)
        names[count++] = cm_op_info((enum cm_op)op)->mnemonic;
    return count;
}

static uint32_t list_candidates(const char *const *list, uint32_t count, const char **names)
{
    memcpy(names, list, count * sizeof *names);
    return count;
}

static uint32_t cause_candidates(const char **names)
{
    for (uint32_t i = 0; i < CM_CAUSE_COUNT; i++)
        names[i] = cm_cause_name((enum cm_cause)i);
    return CM_CAUSE_COUNT;
}

static uint32_t array_candidates(const struct console *debugger, const char **names, uint32_t most)
{
    uint32_t count = 0;
    while (count < most && console_array(debugger, count, &names[count]) != NULL)
        count++;
    return count;
}

/* Copies the words of a line before a column, at most three. Returns the number of them. */
static uint32_t words_before(const char *line, size_t column, char words[3][32])
{
    uint32_t count = 0;
    for (size_t at = 0; count < 3;) {
        while (at < column && isspace((unsigned char)line[at]))
            at++;
        size_t first = at;
        while (at < column && !isspace((unsigned char)line[at]))
            at++;
        if (first == at)
            break;
        snprintf(words[count++], sizeof words[0], "%.*s", (int)(at - first), line + first);
    }
    return count;
}

uint32_t console_candidates(const struct console *debugger, const char *line_text, size_t column,
                            const char **names, uint32_t most)
{
    static const char *const things[] = {"context", "sequencer"}, *const places[] = {"break",
                                                                                     "start"};
    char words[3][32];
    uint32_t count = words_before(line_text, column, words);
    if (most < CM_OP_COUNT + CM_COUNT_OF(console_break_words) || most < CM_COUNT_OF(commands))
        return 0;
    if (count == 0)
        return command_names(names);
    const struct console_command *command = find_command(words[0]);
    if (command == NULL)
        return 0;
    bool breaks = command->run == console_break || command->run == console_until;
    if (count > 1 && strcmp(words[count - 1], "as") == 0)
        return list_candidates(console_types, CM_COUNT_OF(console_types), names);
    if (breaks && count == 2 && strcmp(words[1], "cause") == 0)
        return cause_candidates(names);
    if ((breaks && count == 2) || (command->run == console_memory && count == 1))
        return array_candidates(debugger, names, most);
    if (count > 1)
        return 0;
    if (breaks)
        return break_candidates(names);
    if (command->run == console_info)
        return list_candidates(console_topics, CM_COUNT_OF(console_topics), names);
    if (command->run == console_print)
        return list_candidates(things, CM_COUNT_OF(things), names);
    if (command->run == back)
        return list_candidates(places, CM_COUNT_OF(places), names);
    return command->run == help ? command_names(names) : 0;
}

/* ---- the prompt ---- */

/* Cuts the line into words. Returns false if there are too many words. */
static bool cut_words(struct console *debugger)
{
    char *at = debugger->cut;
    snprintf(debugger->cut, sizeof debugger->cut, "%s", debugger->line);
    debugger->word_count = 0;
    for (;;) {
        while (isspace((unsigned char)*at))
            *at++ = '\0';
        if (*at == '\0' || *at == '#')
            return true;
        if (debugger->word_count == CONSOLE_WORDS_MAX) {
            console_refuse(debugger, CONSOLE_WORDS_MAX - 1, NULL, "a command has at most %u words",
                           CONSOLE_WORDS_MAX);
            return false;
        }
        debugger->words[debugger->word_count++] =
            (struct console_word){at, (uint32_t)(at - debugger->cut) + 1};
        while (*at != '\0' && !isspace((unsigned char)*at))
            at++;
    }
}

/* Replaces a command of gdb, the first word of a line, by the command of this debugger that it
 * stands for. Returns false if the line then has too many words. */
static bool replace_synonym(struct console *debugger)
{
    char line[CONSOLE_LINE_MAX];
    for (uint32_t i = 0; i < CM_COUNT_OF(synonyms); i++)
        if (strcmp(debugger->words[0].text, synonyms[i].word) == 0) {
            size_t first = debugger->words[0].column - 1 + strlen(synonyms[i].word);
            snprintf(line, sizeof line, "%s%s", synonyms[i].command, debugger->line + first);
            memcpy(debugger->line, line, sizeof line);
            return cut_words(debugger);
        }
    return true;
}

static void run_command(struct console *debugger)
{
    const char *names[NAMES_MAX];
    if (!cut_words(debugger) || debugger->word_count == 0 || !replace_synonym(debugger))
        return;
    const struct console_command *command = find_command(debugger->words[0].text);
    if (command == NULL) {
        debugger->repeated[0] = '\0';
        console_refuse_name(debugger, 0, "command", names, command_names(names));
        return;
    }
    bool ended = cm_debug_at(debugger->debug)->place == CM_DEBUG_END;
    if (ended && !command->at_the_end)
        console_refuse(debugger, 0, "back goes back into it, quit ends", "the program has ended");
    else
        command->run(debugger);
    snprintf(debugger->repeated, sizeof debugger->repeated, "%s",
             command->repeats ? debugger->line : "");
}

void console_take(struct console *debugger, const char *text)
{
    if (strlen(text) >= sizeof debugger->line) {
        debugger->line[0] = '\0';
        debugger->word_count = 0;
        console_refuse(debugger, 0, NULL, "a command has at most %u characters",
                       CONSOLE_LINE_MAX - 1);
        return;
    }
    if (!debugger->interactive)
        cm_buffer_printf(&debugger->text, "(cm200) %s\n", shell_shown(text).text);
    const char *taken = text[strspn(text, " \t\r")] == '\0' ? debugger->repeated : text;
    memmove(debugger->line, taken, strlen(taken) + 1);
    run_command(debugger);
}
