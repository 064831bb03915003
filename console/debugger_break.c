/* Commands of the debugger for breakpoints: reads and lists breakpoints. */
#include "../base/suggest.h"
#include "../fortran/run/step.h"
#include "debugger.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const console_break_words[8] = {"cause",  "channel", "read",        "write",
                                            "access", "cycle",   "instruction", "step"};

static bool names_op(const char *name, enum cm_op *op)
{
    for (*op = (enum cm_op)0; *op < CM_OP_COUNT; *op = (enum cm_op)(*op + 1))
        if (strcmp(cm_op_info(*op)->mnemonic, name) == 0)
            return true;
    return false;
}

/* Returns the file of the current source line: the file of the IMP, or of the program. */
static const char *current_file(const struct console *debugger)
{
    const struct cm_debug_at *at = cm_debug_at(debugger->debug);
    return at->imp != NULL && at->imp->source_name != NULL ? at->imp->source_name : at->file;
}

/* Reads "count N" at the end of the command, and removes both words. */
static bool read_count(struct console *debugger, uint64_t *count)
{
    uint32_t words = debugger->word_count;
    *count = 1;
    if (words < 3 || strcmp(debugger->words[words - 2].text, "count") != 0)
        return true;
    if (!console_number(debugger, words - 1, "how often it is hit", UINT64_MAX, count))
        return false;
    debugger->word_count -= 2;
    return true;
}

static bool read_cause(struct console *debugger, struct cm_break *b)
{
    const char *names[CM_CAUSE_COUNT];
    uint32_t index;
    for (uint32_t i = 0; i < CM_CAUSE_COUNT; i++)
        names[i] = cm_cause_name((enum cm_cause)i);
    b->kind = CM_BREAK_CAUSE;
    if (!console_choose(debugger, 2, "cause", names, CM_CAUSE_COUNT, &index))
        return false;
    b->cause = (enum cm_cause)index;
    return console_at_most(debugger, 3);
}

/* Reads the breakpoint "channel NODE|any DIMENSION [0|1]". */
static bool read_channel(struct console *debugger, struct cm_break *b)
{
    uint32_t dimensions = cm_machine_dimensions(cm_debug_machine(debugger->debug));
    uint64_t dimension, channel = CM_DEBUG_ANY;
    b->kind = CM_BREAK_CHANNEL;
    b->node = CM_DEBUG_ANY;
    bool any = debugger->word_count > 2 && strcmp(debugger->words[2].text, "any") == 0;
    if (!any && !console_node(debugger, 2, &b->node))
        return false;
    if (dimensions == 0) {
        console_refuse(debugger, 1, NULL, "one node has no channels");
        return false;
    }
    if (!console_number(debugger, 3, "a dimension", dimensions - 1, &dimension) ||
        (debugger->word_count > 4 && !console_number(debugger, 4, "a channel", 1, &channel)))
        return false;
    b->dimension = (uint32_t)dimension;
    b->channel = (uint32_t)channel;
    return console_at_most(debugger, 5);
}

/* Reads the breakpoint "read|write|access ADDRESS [NODE]". */
static bool read_access(struct console *debugger, struct cm_break *b, enum cm_break_kind kind)
{
    const char *type;
    b->kind = kind;
    b->node = CM_DEBUG_ANY;
    return console_address(debugger, 2, &b->value, &type) &&
           (debugger->word_count < 4 || console_node(debugger, 3, &b->node)) &&
           console_at_most(debugger, 4);
}

static bool read_amount(struct console *debugger, struct cm_break *b, enum cm_break_kind kind,
                        const char *what)
{
    b->kind = kind;
    return console_number(debugger, 2, what, UINT64_MAX, &b->value) && console_at_most(debugger, 3);
}

/* Reads the breakpoint "step NUMBER|POINTER". */
static bool read_step(struct console *debugger, struct cm_break *b)
{
    b->kind = CM_BREAK_STEP;
    if (debugger->word_count < 3 || debugger->words[2].text[0] != '/')
        return read_amount(debugger, b, CM_BREAK_STEP, "a step: its number, or as in /steps/0");
    snprintf(b->name, sizeof b->name, "%s", debugger->words[2].text);
    return console_at_most(debugger, 3);
}

static bool split_name(const char *text, char separator, struct cm_break *b)
{
    const char *at = strrchr(text, separator);
    char *end;
    if (at == NULL || at == text || at[1] < '0' || at[1] > '9' ||
        (size_t)(at - text) > CM_DEBUG_NAME_MAX)
        return false;
    b->value = strtoull(at + 1, &end, 10);
    snprintf(b->name, sizeof b->name, "%.*s", (int)(at - text), text);
    return *end == '\0';
}

static void refuse_place(struct console *debugger)
{
    const char *names[CM_OP_COUNT + CM_COUNT_OF(console_break_words)];
    uint32_t count = 0;
    char hint[160];
    for (uint32_t i = 0; i < CM_COUNT_OF(console_break_words); i++)
        names[count++] = console_break_words[i];
    for (uint32_t op = 0; op < CM_OP_COUNT; op++)
        names[count++] = cm_op_info((enum cm_op)op)->mnemonic;
    const char *near = cm_suggest(debugger->words[1].text, names, count);
    snprintf(hint, sizeof hint, "did you mean \"%s\"?", near != NULL ? near : "");
    console_refuse(debugger, 1, near != NULL ? hint : "help break has the forms",
                   "\"%s\" is not a place to stop at", debugger->words[1].text);
}

/* Returns the source line of instruction `i` of the current IMP. 0: there is no such instruction,
 * or the IMP has no source. */
static uint32_t line_of_imp(const struct cm_debug_at *at, uint32_t i, const char **file)
{
    if (at->imp == NULL || at->imp->source_name == NULL || i >= at->imp->length)
        return 0;
    *file = at->imp->source_name;
    return at->imp->code[i].line;
}

/* What is known about the lines of a file on which code begins. `any`: there are such lines.
 * `found`: the line of the breakpoint is among them. `next`: the first such line after it, or 0. */
struct known_lines {
    bool any, found;
    uint32_t next;
};

static void know_line(struct known_lines *known, const struct cm_break *b, const char *file,
                      uint32_t line)
{
    if (!cm_debug_is_file(file, b->name))
        return;
    known->any = true;
    known->found = known->found || line == b->value;
    if (line > b->value && (known->next == 0 || line < known->next))
        known->next = line;
}

/* Refuses a breakpoint on a line on which no code begins, if the debugger knows the lines of the
 * file. */
static bool check_line(struct console *debugger, const struct cm_break *b)
{
    const struct cm_result *result = cm_run_result(cm_debug_run(debugger->debug));
    struct known_lines known = {0};
    const char *file = NULL;
    char hint[80];
    uint32_t line;
    for (uint32_t i = 0; (line = line_of_imp(cm_debug_at(debugger->debug), i, &file)) != 0; i++)
        know_line(&known, b, file, line);
    for (uint32_t step = 0; step < result->step_count; step++)
        for (uint32_t i = 0; (line = cm_fortran_step_line(&result->steps[step], i, &file)) != 0;
             i++)
            know_line(&known, b, file, line);
    if (!known.any || known.found)
        return true;
    snprintf(hint, sizeof hint, "the next one is line %" PRIu32, known.next);
    console_refuse(debugger, 1, known.next != 0 ? hint : NULL,
                   "no statement or instruction begins on line %" PRIu64, b->value);
    return false;
}

/* Returns the file of all source lines that the debugger knows of the program. NULL: it knows no
 * line, or lines of several files. */
static const char *only_file(const struct console *debugger)
{
    const struct cm_result *result = cm_run_result(cm_debug_run(debugger->debug));
    const char *file = NULL, *only = NULL;
    for (uint32_t step = 0; step < result->step_count; step++)
        for (uint32_t i = 0; cm_fortran_step_line(&result->steps[step], i, &file) != 0; i++) {
            if (only != NULL && strcmp(only, file) != 0)
                return NULL;
            only = file;
        }
    return only;
}

/* Reads the place of a breakpoint: OP, IMP+INSTRUCTION, FILE:LINE or LINE. */
static bool read_place(struct console *debugger, struct cm_break *b)
{
    const char *text = debugger->words[1].text;
    const char *shown = current_file(debugger), *file = shown != NULL ? shown : only_file(debugger);
    if (!console_at_most(debugger, 2))
        return false;
    if (names_op(text, &b->op)) {
        b->kind = CM_BREAK_OP;
        return true;
    }
    b->kind = CM_BREAK_LINE;
    if (split_name(text, ':', b))
        return check_line(debugger, b);
    if (text[strspn(text, "0123456789")] == '\0') {
        if (file == NULL) {
            console_refuse(debugger, 1, "name it: FILE:LINE", "no file is shown here");
            return false;
        }
        snprintf(b->name, sizeof b->name, "%s", file);
        return console_number(debugger, 1, "a line", UINT32_MAX, &b->value) &&
               check_line(debugger, b);
    }
    b->kind = CM_BREAK_INSTRUCTION;
    if (split_name(text, '+', b))
        return true;
    refuse_place(debugger);
    return false;
}

static bool read_break(struct console *debugger, struct cm_break *b)
{
    memset(b, 0, sizeof *b);
    if (debugger->word_count < 2) {
        console_refuse(debugger, 1, "help break has the forms", "expected where to stop");
        return false;
    }
    const char *what = debugger->words[1].text;
    if (!read_count(debugger, &b->count))
        return false;
    if (strcmp(what, "cause") == 0)
        return read_cause(debugger, b);
    if (strcmp(what, "channel") == 0)
        return read_channel(debugger, b);
    if (strcmp(what, "read") == 0)
        return read_access(debugger, b, CM_BREAK_READ);
    if (strcmp(what, "write") == 0)
        return read_access(debugger, b, CM_BREAK_WRITE);
    if (strcmp(what, "access") == 0)
        return read_access(debugger, b, CM_BREAK_ACCESS);
    if (strcmp(what, "cycle") == 0)
        return read_amount(debugger, b, CM_BREAK_CYCLE, "a cycle");
    if (strcmp(what, "instruction") == 0)
        return read_amount(debugger, b, CM_BREAK_INSTRUCTIONS, "a number of instructions");
    if (strcmp(what, "step") == 0)
        return read_step(debugger, b);
    return read_place(debugger, b);
}

static bool add(struct console *debugger, const struct cm_break *b, uint32_t *number)
{
    *number = cm_debug_add_break(debugger->debug, b);
    if (*number == 0)
        debugger->code = shell_first_of(debugger->code, shell_no_memory());
    return *number != 0;
}

void console_break(struct console *debugger)
{
    struct cm_break b;
    uint32_t number;
    if (!read_break(debugger, &b) || !add(debugger, &b, &number))
        return;
    cm_buffer_printf(&debugger->text, "breakpoint %" PRIu32 ": ", number);
    console_describe_break(&b, &debugger->text);
    cm_buffer_printf(&debugger->text, "\n");
}

void console_until(struct console *debugger)
{
    struct cm_break b;
    uint32_t number;
    if (!read_break(debugger, &b))
        return;
    b.temporary = true;
    if (!add(debugger, &b, &number))
        return;
    cm_debug_resume(debugger->debug, CM_DEBUG_RUN, 1);
    debugger->going = true;
}

void console_delete(struct console *debugger)
{
    uint64_t number;
    if (debugger->word_count < 2) {
        while (cm_debug_break_count(debugger->debug) > 0)
            cm_debug_delete_break(debugger->debug, cm_debug_break_at(debugger->debug, 0)->number);
        return;
    }
    for (uint32_t i = 1; i < debugger->word_count; i++) {
        if (!console_number(debugger, i, "the number of a breakpoint", UINT32_MAX, &number))
            return;
        if (!cm_debug_delete_break(debugger->debug, (uint32_t)number)) {
            console_refuse(debugger, i, "breaks lists them", "no breakpoint has number %" PRIu64,
                           number);
            return;
        }
    }
}

static void describe_node(uint32_t node, struct cm_buffer *text)
{
    if (node == CM_DEBUG_ANY)
        cm_buffer_printf(text, " in any node");
    else
        cm_buffer_printf(text, " in node %" PRIu32, node);
}

static void describe_channel(const struct cm_break *b, struct cm_buffer *text)
{
    cm_buffer_printf(text, "a word over %s of dimension %" PRIu32,
                     b->channel == CM_DEBUG_ANY ? "a channel"
                     : b->channel == 0          ? "channel 0"
                                                : "channel 1",
                     b->dimension);
    if (b->node == CM_DEBUG_ANY)
        cm_buffer_printf(text, " from any node");
    else
        cm_buffer_printf(text, " from node %" PRIu32, b->node);
}

static void describe_access(const struct cm_break *b, const char *what, struct cm_buffer *text)
{
    cm_buffer_printf(text, "word %" PRIu64 " is %s", b->value, what);
    describe_node(b->node, text);
}

void console_describe_place(const struct cm_break *b, struct cm_buffer *text)
{
    switch (b->kind) {
    case CM_BREAK_OP:
        cm_buffer_printf(text, "any %s", cm_op_info(b->op)->mnemonic);
        return;
    case CM_BREAK_INSTRUCTION:
        cm_buffer_printf(text, "instruction %s+%" PRIu64, shell_shown(b->name).text, b->value);
        return;
    case CM_BREAK_LINE:
        cm_buffer_printf(text, "line %s:%" PRIu64, shell_shown(b->name).text, b->value);
        return;
    case CM_BREAK_STEP:
        if (b->name[0] != '\0')
            cm_buffer_printf(text, "step %s", shell_shown(b->name).text);
        else
            cm_buffer_printf(text, "step %" PRIu64, b->value);
        return;
    case CM_BREAK_CYCLE:
        cm_buffer_printf(text, "cycle %" PRIu64, b->value);
        return;
    case CM_BREAK_INSTRUCTIONS:
        cm_buffer_printf(text, "%" PRIu64 " instructions issued", b->value);
        return;
    case CM_BREAK_CAUSE:
        cm_buffer_printf(text, "cycles for %s", cm_cause_name(b->cause));
        return;
    case CM_BREAK_CHANNEL:
        describe_channel(b, text);
        return;
    case CM_BREAK_READ:
        describe_access(b, "read", text);
        return;
    case CM_BREAK_WRITE:
        describe_access(b, "written", text);
        return;
    case CM_BREAK_ACCESS:
        describe_access(b, "read or written", text);
        return;
    }
}

void console_describe_break(const struct cm_break *b, struct cm_buffer *text)
{
    console_describe_place(b, text);
    if (b->count > 1)
        cm_buffer_printf(text, ", from hit %" PRIu64 " on", b->count);
}

void console_breaks(struct console *debugger)
{
    uint32_t count = cm_debug_break_count(debugger->debug);
    if (!console_at_most(debugger, 1))
        return;
    for (uint32_t i = 0; i < count; i++) {
        const struct cm_break *b = cm_debug_break_at(debugger->debug, i);
        cm_buffer_printf(&debugger->text, "%3" PRIu32 "  ", b->number);
        console_describe_break(b, &debugger->text);
        cm_buffer_printf(&debugger->text, "; hits: %" PRIu64 "\n", b->hits);
    }
    if (count == 0)
        cm_buffer_printf(&debugger->text, "there are no breakpoints\n");
}
