/* Commands of the debugger that show the place of the program, and its source. */
#include "../base/input.h"
#include "../base/text.h"
#include "../fortran/run/step.h"
#include "../sim/machine/inspect.h"
#include "debugger.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SOURCE_MAX_BYTES (16u * 1024u * 1024u)
#define LISTED           5u /* number of lines shown before and after the current line */

uint64_t console_cycle(const struct console *debugger)
{
    const struct cm_debug_at *at = cm_debug_at(debugger->debug);
    const struct cm_machine *machine = cm_debug_machine(debugger->debug);
    if (at->place == CM_DEBUG_HOP)
        return at->router_cycle + at->hop.first * cm_machine_config(machine)->router_word_cycles;
    return cm_machine_counters(machine).cycles;
}

/* Appends an instruction of an IMP in assembly: "IMP+3  load A.1, [r0]  (file:12)". */
static void show_instruction(const struct cm_imp *imp, uint32_t pc, struct cm_buffer *text)
{
    char words[256];
    cm_instruction_format(imp, pc, words, sizeof words);
    cm_buffer_printf(text, "%s+%" PRIu32 "  %s", imp->name, pc, words);
    if (imp->source_name != NULL && imp->code[pc].line != 0)
        cm_buffer_printf(text, "  (%s:%" PRIu32 ")", shell_shown(imp->source_name).text,
                         imp->code[pc].line);
}

/* Finds a line of a text by its number, from 1. NULL: the text has fewer lines. */
static const char *find_line(const char *source, size_t length, uint32_t line, size_t *columns)
{
    const char *at = source, *end = source + length;
    for (uint32_t i = 1; i < line; i++) {
        at = memchr(at, '\n', (size_t)(end - at));
        if (at == NULL || ++at == end)
            return NULL;
    }
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    *columns = (size_t)((newline != NULL ? newline : end) - at);
    if (*columns > 0 && at[*columns - 1] == '\r')
        --*columns;
    return at;
}

static void show_line(const struct cm_debug_at *at, struct cm_buffer *text)
{
    char clean[512];
    size_t columns = 0;
    const char *line = find_line(at->source, at->source_length, at->line, &columns);
    size_t blanks = 0;
    while (line != NULL && blanks < columns && (line[blanks] == ' ' || line[blanks] == '\t'))
        blanks++;
    cm_text_clean(clean, sizeof clean, line != NULL ? line + blanks : "", columns - blanks);
    cm_buffer_printf(text, "%s:%" PRIu32 "  %s", shell_shown(at->file).text, at->line, clean);
}

static void show_hop(const struct cm_debug_at *at, struct cm_buffer *text)
{
    const struct cm_debug_hop *hop = &at->hop;
    cm_buffer_printf(text,
                     "packet %" PRIu64 " leaves node %" PRIu32 " over dimension %" PRIu32
                     ", channel %" PRIu32 ", word time %" PRIu64,
                     hop->packet, hop->node, hop->dimension, hop->channel, hop->first);
    if (hop->first > hop->asked)
        cm_buffer_printf(text, "; it waited %" PRIu64, hop->first - hop->asked);
}

static void show_end(const struct console *debugger, struct cm_buffer *text)
{
    const struct cm_error *error;
    enum cm_status status = cm_debug_result(debugger->debug, &error);
    if (status == CM_OK) {
        cm_buffer_printf(text, "the program has ended");
        return;
    }
    cm_buffer_printf(text, "the program has ended with an error: %s", error->message);
    if (error->file[0] != '\0')
        cm_buffer_printf(text, " (%s:%" PRIu32 ")", error->file, error->line);
}

static void show_place(struct console *debugger)
{
    const struct cm_debug_at *at = cm_debug_at(debugger->debug);
    struct cm_buffer *text = &debugger->text;
    cm_buffer_printf(text, "cycle %" PRIu64 "  ", console_cycle(debugger));
    switch (at->place) {
    case CM_DEBUG_STEP:
        cm_buffer_printf(text, "step %" PRIu64 ": %s at %s", at->step, at->op, at->where);
        break;
    case CM_DEBUG_LINE:
        show_line(at, text);
        break;
    case CM_DEBUG_INSTRUCTION:
        show_instruction(at->imp, at->pc, text);
        break;
    case CM_DEBUG_ROUTER:
        cm_buffer_printf(text, "the router begins");
        break;
    case CM_DEBUG_HOP:
        show_hop(at, text);
        break;
    case CM_DEBUG_ROUTED:
        cm_buffer_printf(text, "the router has ended");
        break;
    case CM_DEBUG_END:
        show_end(debugger, text);
        break;
    }
    cm_buffer_printf(text, "\n");
}

/* Appends the event that a breakpoint stopped at, such as a memory access, and the instruction that
 * caused it. */
static void show_effect(const struct console *debugger, const struct cm_debug_stop *stop,
                        struct cm_buffer *text)
{
    const struct cm_debug_effect *effect = &stop->effect;
    const struct cm_debug_at *at = cm_debug_at(debugger->debug);
    char words[256];
    if (stop->hit.kind == CM_BREAK_CAUSE)
        cm_buffer_printf(text, ", %" PRIu64 " of them", effect->cycles);
    if (stop->hit.kind == CM_BREAK_CHANNEL && effect->run > 0)
        cm_buffer_printf(text, ": 0x%08" PRIx32 " of node %" PRIu32, effect->word, effect->node);
    else if (stop->hit.kind == CM_BREAK_CHANNEL)
        cm_buffer_printf(text, ": packet %" PRIu64 " of node %" PRIu32, effect->packet,
                         effect->node);
    if (stop->hit.kind == CM_BREAK_ACCESS)
        cm_buffer_printf(text, effect->written ? " (written)" : " (read)");
    if (at->imp == NULL || effect->run != at->runs)
        return;
    cm_instruction_format(at->imp, effect->pc, words, sizeof words);
    cm_buffer_printf(text, ", by %s+%" PRIu32 "  %s", at->imp->name, effect->pc, words);
}

static void show_reason(const struct console *debugger, struct cm_buffer *text)
{
    const struct cm_debug_stop *stop = cm_debug_stop(debugger->debug);
    switch (stop->reason) {
    case CM_DEBUG_BROKEN:
        if (!stop->hit.temporary)
            cm_buffer_printf(text, "breakpoint %" PRIu32 ": ", stop->hit.number);
        console_describe_place(&stop->hit, text);
        show_effect(debugger, stop, text);
        if (stop->hit.count > 1)
            cm_buffer_printf(text, "; hit %" PRIu64, stop->hit.hits);
        break;
    case CM_DEBUG_INTERRUPTED:
        cm_buffer_printf(text, "interrupted");
        break;
    case CM_DEBUG_FIRST:
        cm_buffer_printf(text, "no breakpoint stops before; this is the start");
        break;
    default:
        return;
    }
    cm_buffer_printf(text, "\n");
}

/* Appends the text that a Fortran program has printed since the last stop. If the program is
 * executed again, text that was already shown is not repeated. */
static void show_output(struct console *debugger)
{
    const struct cm_result *result = cm_run_result(cm_debug_run(debugger->debug));
    size_t before = 0;
    for (uint32_t i = 0; i < result->step_count; i++) {
        const struct cm_buffer *output = cm_fortran_step_output(&result->steps[i]);
        if (output == NULL || output->length == 0)
            continue;
        size_t known = debugger->printed > before ? debugger->printed - before : 0;
        if (known < output->length)
            shell_add_foreign(&debugger->text, output->data + known, output->length - known);
        before += output->length;
    }
    debugger->printed = before;
}

void console_show_stop(struct console *debugger)
{
    show_output(debugger);
    show_reason(debugger, &debugger->text);
    show_place(debugger);
}

/* ---- where ---- */

static void show_loops(const struct console *debugger, const struct cm_debug_at *at,
                       struct cm_buffer *text)
{
    const struct cm_machine *machine = cm_debug_machine(debugger->debug);
    uint32_t depth = cm_machine_loop_count(machine);
    for (uint32_t i = 0; i < depth; i++) {
        struct cm_inspected_loop loop = cm_machine_loop(machine, i);
        int32_t count = at->imp->code[loop.start].operands[0].value;
        cm_buffer_printf(text, "  loop at %s+%" PRIu32 ": iteration %" PRId32 " of %" PRId32 "\n",
                         at->imp->name, loop.start, count - loop.left + 1, count);
    }
}

void console_where(struct console *debugger)
{
    const struct cm_debug_at *at = cm_debug_at(debugger->debug);
    struct cm_buffer *text = &debugger->text;
    if (!console_at_most(debugger, 1))
        return;
    show_place(debugger);
    if (at->step > 0 && at->place != CM_DEBUG_STEP)
        cm_buffer_printf(text, "  in step %" PRIu64 ": %s at %s\n", at->step, at->op, at->where);
    if (at->file != NULL && at->place != CM_DEBUG_LINE) {
        cm_buffer_printf(text, "  in ");
        show_line(at, text);
        cm_buffer_printf(text, "\n");
    }
    if (at->file != NULL && at->depth > 0)
        cm_buffer_printf(text, "  in %" PRIu32 " call%s of subprograms\n", at->depth,
                         cm_plural(at->depth));
    if (at->imp != NULL)
        show_loops(debugger, at, text);
    cm_buffer_printf(text, "  instructions issued: %" PRIu64 "; point %" PRIu64 "\n",
                     cm_machine_counters(cm_debug_machine(debugger->debug)).instructions,
                     at->point);
}

/* ---- list ---- */

struct listing {
    /* `around`: number of the line in the middle. `each`: number of lines before and after it */
    uint32_t around, each;
    console_line line;
    void *context;
};

static void list_lines(const char *source, size_t length, const struct listing *listing,
                       uint32_t around, uint32_t marked)
{
    uint32_t first = around > listing->each ? around - listing->each : 1;
    for (uint32_t line = first; line <= around + listing->each; line++) {
        char clean[512];
        size_t columns;
        const char *at = find_line(source, length, line, &columns);
        if (at == NULL)
            return;
        cm_text_clean(clean, sizeof clean, at, columns);
        listing->line(listing->context, line, line == marked, clean);
    }
}

static void list_instructions(const struct cm_debug_at *at, const struct listing *listing,
                              uint64_t around)
{
    uint64_t first = around > listing->each ? around - listing->each : 0;
    for (uint64_t pc = first; pc < at->imp->length && pc <= around + listing->each; pc++) {
        char words[256];
        cm_instruction_format(at->imp, (uint32_t)pc, words, sizeof words);
        listing->line(listing->context, (uint32_t)pc, pc == at->pc, words);
    }
}

/* Lists the source lines of an IMP. Returns false if the IMP has no source, or its file cannot be
 * read. */
static bool list_imp_source(struct console *debugger, const struct cm_debug_at *at,
                            const struct listing *listing)
{
    char *source = NULL;
    size_t length;
    struct cm_error err = {0};
    uint32_t next = at->imp->code[at->pc].line;
    if (at->imp->source_name == NULL || next == 0)
        return false;
    enum cm_status status =
        cm_file_read_stored(at->imp->source_name, SOURCE_MAX_BYTES, &source, &length, &err);
    if (status == CM_OK)
        list_lines(source, length, listing,
                   listing->around == CONSOLE_HERE ? next : listing->around, next);
    else if (status == CM_NO_MEMORY)
        debugger->code = shell_error(&err);
    free(source);
    return status == CM_OK || status == CM_NO_MEMORY;
}

enum console_source console_source(struct console *debugger, uint32_t around, uint32_t each,
                                   console_line line, void *context)
{
    const struct cm_debug_at *at = cm_debug_at(debugger->debug);
    const struct listing listing = {around, each, line, context};
    bool here = around == CONSOLE_HERE;
    if (at->imp != NULL) {
        if (list_imp_source(debugger, at, &listing))
            return CONSOLE_LINES;
        list_instructions(at, &listing, here ? at->pc : around);
        return CONSOLE_INSTRUCTIONS;
    }
    if (at->file == NULL)
        return CONSOLE_NO_SOURCE;
    list_lines(at->source, at->source_length, &listing, here ? at->line : around, at->line);
    return CONSOLE_LINES;
}

static void print_line(void *debugger, uint32_t number, bool next, const char *text)
{
    cm_buffer_printf(&((struct console *)debugger)->text, "%s%5" PRIu32 "  %s\n",
                     next ? "=>" : "  ", number, text);
}

void console_list(struct console *debugger)
{
    uint64_t around = CONSOLE_HERE;
    if (debugger->word_count > 1 && !console_number(debugger, 1, "a line", UINT32_MAX / 2, &around))
        return;
    if (!console_at_most(debugger, 2))
        return;
    if (console_source(debugger, (uint32_t)around, LISTED, print_line, debugger) ==
        CONSOLE_NO_SOURCE)
        console_refuse(debugger, 0, "step into an instruction or a line first",
                       "no source is shown here");
}
