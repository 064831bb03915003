/* The rows of the panel for a stopped program, taken from the debugger and the machine. */
#include "program.h"

#include "../../base/text.h"
#include "../../console/imp_program.h"
#include "../../report/numbers.h"
#include "../../sim/machine/inspect.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINES_AROUND   4u /* number of lines shown before and after the next one */
#define ADDRESSES_EACH 4u /* number of address registers in a row */
#define WORDS_EACH     4u
#define ARRAYS_MAX     12u

struct making {
    struct console *console;
    const struct cm_debug_at *at;
    struct cm_machine *machine;
    struct cm_view_program *program;
    const char *type;  /* type of the words that the running IMP handles */
    bool instructions; /* True if the lines are instructions, not lines of a text */
};

static struct cm_view_program_row *add_row(struct making *making, enum cm_view_row_kind kind)
{
    struct cm_view_program *program = making->program;
    if (program->count == CM_VIEW_PROGRAM_ROWS)
        program->count--; /* there is no room for more rows */
    struct cm_view_program_row *row = &program->rows[program->count++];
    memset(row, 0, sizeof *row);
    row->kind = kind;
    return row;
}

static void CM_PRINTF(3, 4)
    add(struct making *making, enum cm_view_row_kind kind, const char *format, ...)
{
    struct cm_view_program_row *row = add_row(making, kind);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(row->text, sizeof row->text, format, arguments);
    va_end(arguments);
}

/* Adds a row for each line of a text. The last line gets the kind `last`. */
static void add_lines(struct making *making, const char *text, enum cm_view_row_kind kind,
                      enum cm_view_row_kind last)
{
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        const char *next = text + length + (text[length] == '\n');
        struct cm_view_program_row *row = add_row(making, *next == '\0' ? last : kind);
        cm_text_clean(row->text, sizeof row->text, text, length);
        text = next;
    }
}

/* Adds the output of a debugger command. */
static void add_printed(struct making *making, const char *command)
{
    struct cm_buffer *text = &making->console->text;
    uint32_t refused = making->console->refused;
    console_take(making->console, command);
    making->console->refused = refused; /* as of an address that the machine does not have */
    if (cm_buffer_ok(text) && text->length > 0)
        add_lines(making, text->data, CM_VIEW_ROW_TEXT, CM_VIEW_ROW_TEXT);
    cm_buffer_finish(text);
    cm_buffer_init(text);
}

/* ---- the source ---- */

static uint32_t breakpoint_at(const struct making *making, uint32_t number)
{
    const struct cm_debug_at *at = making->at;
    bool of_imp = at->imp != NULL && at->imp->source_name != NULL;
    const char *file = of_imp ? at->imp->source_name : at->file;
    const struct cm_debug *debug = making->console->debug;
    for (uint32_t i = 0; i < cm_debug_break_count(debug); i++) {
        const struct cm_break *b = cm_debug_break_at(debug, i);
        bool here =
            making->instructions
                ? b->kind == CM_BREAK_INSTRUCTION && strcmp(b->name, at->imp->name) == 0
                : b->kind == CM_BREAK_LINE && file != NULL && cm_debug_is_file(file, b->name);
        if (here && b->value == number)
            return b->number;
    }
    return 0;
}

static void add_source(void *context, uint32_t number, bool next, const char *text)
{
    struct making *making = context;
    struct cm_view_program_row *row = add_row(making, CM_VIEW_ROW_LINE);
    row->next = next;
    snprintf(row->text, sizeof row->text, "%4" PRIu32 "  %s", number, text);
}

/* Adds the rows of the source text, with the breakpoints of its lines. */
static void show_source(struct making *making)
{
    uint32_t first = making->program->count;
    enum console_source source =
        console_source(making->console, CONSOLE_HERE, LINES_AROUND, add_source, making);
    making->instructions = source == CONSOLE_INSTRUCTIONS;
    for (uint32_t i = first; i < making->program->count; i++) {
        struct cm_view_program_row *row = &making->program->rows[i];
        uint32_t number = (uint32_t)strtoul(row->text, NULL, 10);
        row->broken = breakpoint_at(making, number);
        if (making->instructions)
            snprintf(row->place, sizeof row->place, "%.50s+%" PRIu32, making->at->imp->name,
                     number);
        else
            snprintf(row->place, sizeof row->place, "%" PRIu32, number);
    }
}

/* ---- registers ---- */

/* Replaces the rows of a section by a note in its title that all values are 0. */
static void all_zero(struct making *making, uint32_t title, const char *what)
{
    struct cm_view_program_row *row = &making->program->rows[title];
    snprintf(row->text, sizeof row->text, "%s: all hold 0", what);
}

static void show_addresses(struct making *making)
{
    char text[CM_VIEW_PROGRAM_COLUMNS] = "";
    uint32_t shown = 0;
    uint32_t title = making->program->count;
    add(making, CM_VIEW_ROW_TITLE, "Address registers; others hold 0");
    for (uint32_t i = 0; i < CM_ADDRESS_REGISTERS; i++) {
        int64_t value = cm_machine_address_register(making->machine, i);
        size_t length = strlen(text);
        if (value == 0)
            continue;
        snprintf(text + length, sizeof text - length, "r%-2" PRIu32 " %-10" PRId64 " ", i, value);
        if (++shown % ADDRESSES_EACH != 0)
            continue;
        add(making, CM_VIEW_ROW_TEXT, "%s", text);
        text[0] = '\0';
    }
    if (text[0] != '\0')
        add(making, CM_VIEW_ROW_TEXT, "%s", text);
    if (shown == 0)
        all_zero(making, title, "Address registers");
}

static double real64_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double real32_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

/* Returns a word as text, in the type that the IMP handles. */
static struct cm_formatted word_text(const struct making *making, uint32_t word)
{
    struct cm_formatted text;
    if (strcmp(making->type, "real32") == 0)
        snprintf(text.text, sizeof text.text, "%.7g", real32_of(word));
    else if (strcmp(making->type, "int32") == 0)
        snprintf(text.text, sizeof text.text, "%" PRId32, (int32_t)word);
    else
        snprintf(text.text, sizeof text.text, "0x%08" PRIx32, word);
    return text;
}

static void show_fpu(struct making *making)
{
    bool shown = false;
    uint32_t title = making->program->count;
    add(making, CM_VIEW_ROW_TITLE, "FPU registers of the node; others hold 0");
    for (uint32_t i = 0; i < CM_FPU_REGISTERS; i++) {
        uint64_t bits = cm_machine_fpu_register(making->machine, making->console->node, i);
        if (bits == 0)
            continue;
        shown = true;
        if (strcmp(making->type, "real64") == 0)
            add(making, CM_VIEW_ROW_TEXT, "f%-2" PRIu32 " %-22.15g 0x%016" PRIx64, i,
                real64_of(bits), bits);
        else
            add(making, CM_VIEW_ROW_TEXT, "f%-2" PRIu32 " %-22s 0x%08" PRIx32, i,
                word_text(making, (uint32_t)bits).text, (uint32_t)bits);
    }
    if (!shown)
        all_zero(making, title, "FPU registers of the node");
}

/* ---- transposers ---- */

/* Writes the channel that a slot serves. */
static void slot_use(const struct making *making, uint32_t slot, char *text, size_t size)
{
    uint32_t half = (uint32_t)cm_machine_config(making->machine)->transposer_slots / 2;
    uint32_t dimension = slot % half;
    text[0] = '\0';
    if (dimension == 0)
        snprintf(text, size, "  the other chip");
    else if (dimension <= cm_machine_dimensions(making->machine))
        snprintf(text, size, "  dim %" PRIu32 ", channel %" PRIu32, dimension - 1, slot / half);
}

static bool show_slots(struct making *making, enum cm_transposer t, uint64_t loaded)
{
    uint32_t slots = (uint32_t)cm_machine_config(making->machine)->transposer_slots;
    bool shown = false;
    for (uint32_t slot = 0; slot < slots; slot++) {
        uint32_t word = cm_machine_transposer_word(making->machine, making->console->node, t, slot);
        bool is_loaded = t == CM_TRANSPOSER_A && (loaded >> slot & 1) != 0;
        char use[48];
        if (word == 0 && !is_loaded)
            continue;
        slot_use(making, slot, use, sizeof use);
        add(making, CM_VIEW_ROW_TEXT, "%c.%-2" PRIu32 " %-12s 0x%08" PRIx32 "%s%s", "ABC"[t], slot,
            word_text(making, word).text, word, use, is_loaded ? ", loaded" : "");
        shown = true;
    }
    return shown;
}

static void show_transposers(struct making *making)
{
    uint64_t *loaded = calloc(cm_machine_nodes(making->machine), sizeof *loaded);
    bool shown = false;
    uint32_t title = making->program->count;
    add(making, CM_VIEW_ROW_TITLE, "Transposers of the node; other slots hold 0");
    if (loaded != NULL)
        cm_machine_slots_pending(making->machine, loaded);
    for (int t = CM_TRANSPOSER_A; t <= CM_TRANSPOSER_C; t++)
        shown = show_slots(making, (enum cm_transposer)t,
                           loaded != NULL ? loaded[making->console->node] : 0) ||
                shown;
    if (!shown)
        all_zero(making, title, "Transposers of the node");
    free(loaded);
}

/* ---- memory ---- */

/* Writes which array an address belongs to, and returns the type in which its word is shown. */
static const char *describe_address(const struct making *making, uint64_t address, char *text,
                                    size_t size)
{
    const char *name;
    const struct cm_array *array;
    for (uint32_t i = 0; (array = console_array(making->console, i, &name)) != NULL; i++)
        if (address >= array->address && address < array->address + array->layout.local_words) {
            snprintf(text, size, "%s+%" PRIu64, name, address - array->address);
            return console_array_type(array);
        }
    snprintf(text, size, "%" PRIu64, address);
    return "hex";
}

/* Shows some words of the node from an address on, by the debugger's own command. */
static void show_words(struct making *making, const char *operand, uint64_t address)
{
    char name[80], command[80], values[CM_VIEW_PROGRAM_COLUMNS];
    uint32_t first = making->program->count;
    const char *type = describe_address(making, address, name, sizeof name);
    snprintf(command, sizeof command, "memory %" PRIu64 " %u as %s", address, WORDS_EACH, type);
    add_printed(making, command);
    if (making->program->count == first)
        return; /* the machine has no such word */
    struct cm_view_program_row *row = &making->program->rows[first];
    const char *colon = strchr(row->text, ':');
    snprintf(values, sizeof values, "%s", colon != NULL ? colon + 1 : row->text);
    snprintf(row->text, sizeof row->text, "%s%.20s:%.90s", operand, name, values);
}

/* Returns the type in which registers and slots are shown: that of the IMP, or of the first array
 * if the IMP only moves words. */
static const char *usual_type(const struct making *making)
{
    const char *name;
    const struct cm_array *array = console_array(making->console, 0, &name);
    const char *type = making->at->imp != NULL ? console_imp_type(making->at->imp) : "int32";
    if (strcmp(type, "int32") != 0 || array == NULL)
        return type;
    type = console_array_type(array);
    return strcmp(type, "int") == 0 ? "int32" : type;
}

/* Shows the words that the operands of the next instruction point to, and the first words of the
 * arrays. */
static void show_memory(struct making *making)
{
    const struct cm_debug_at *at = making->at;
    const struct cm_op_info *info =
        at->place == CM_DEBUG_INSTRUCTION ? cm_op_info(at->imp->code[at->pc].op) : NULL;
    const char *name;
    const struct cm_array *array;
    uint32_t title = making->program->count;
    add(making, CM_VIEW_ROW_TITLE, "Memory of the node");
    for (uint32_t i = 0; info != NULL && i < info->operand_count; i++) {
        struct cm_operand operand = at->imp->code[at->pc].operands[i];
        char text[24];
        if (info->operands[i] != CM_OPERAND_MEM)
            continue;
        int64_t address = cm_machine_address_register(making->machine, operand.reg) + operand.value;
        snprintf(text, sizeof text, "[r%u%+" PRId32 "] ", operand.reg, operand.value);
        if (operand.value == 0)
            snprintf(text, sizeof text, "[r%u] ", operand.reg);
        if (address >= 0)
            show_words(making, text, (uint64_t)address);
    }
    for (uint32_t i = 0;
         i < ARRAYS_MAX && (array = console_array(making->console, i, &name)) != NULL; i++)
        show_words(making, "", array->address);
    if (making->program->count == title + 1)
        making->program->count = title; /* there are no arrays */
}

static void show_context(struct making *making)
{
    uint32_t set = 0, nodes = cm_machine_nodes(making->machine);
    for (uint32_t node = 0; node < nodes; node++)
        set += cm_machine_context_flag(making->machine, node);
    add(making, CM_VIEW_ROW_STOP,
        "node %" PRIu32 ": context %s; it is set in %" PRIu32 " of %" PRIu32 " nodes",
        making->console->node,
        cm_machine_context_flag(making->machine, making->console->node) ? "set" : "clear", set,
        nodes);
}

static void show_breakpoints(struct making *making)
{
    add(making, CM_VIEW_ROW_TITLE, "Breakpoints");
    add_printed(making, "breaks");
}

static void show_loops(struct making *making)
{
    const struct cm_debug_at *at = making->at;
    for (uint32_t i = 0; at->imp != NULL && i < cm_machine_loop_count(making->machine); i++) {
        struct cm_inspected_loop loop = cm_machine_loop(making->machine, i);
        int32_t count = at->imp->code[loop.start].operands[0].value;
        add(making, CM_VIEW_ROW_QUIET,
            "loop at instruction %" PRIu32 ": iteration %" PRId32 " of %" PRId32, loop.start,
            count - loop.left + 1, count);
    }
}

/* Shows the statement of the Fortran program that the next instruction belongs to. */
static void show_statement(struct making *making)
{
    const struct cm_debug_at *at = making->at;
    const char *line = at->source;
    if (at->file == NULL || at->imp == NULL)
        return;
    for (uint32_t i = 1; i < at->line && line != NULL; i++) {
        line = memchr(line, '\n', at->source_length - (size_t)(line - at->source));
        line = line != NULL ? line + 1 : NULL;
    }
    if (line == NULL)
        return;
    char text[CM_VIEW_PROGRAM_COLUMNS];
    size_t left = at->source_length - (size_t)(line - at->source);
    const char *end = memchr(line, '\n', left);
    cm_text_clean(text, sizeof text, line, end != NULL ? (size_t)(end - line) : left);
    add(making, CM_VIEW_ROW_QUIET, "line %" PRIu32 ": %.100s", at->line, text + strspn(text, " "));
}

void cm_view_program_rows(struct console *console, const char *said,
                          struct cm_view_program *program)
{
    struct making making = {.console = console,
                            .at = cm_debug_at(console->debug),
                            .machine = cm_debug_machine(console->debug),
                            .program = program};
    char repeated[CONSOLE_LINE_MAX]; /* an empty line stays that of the user */
    memcpy(repeated, console->repeated, sizeof repeated);
    making.type = usual_type(&making);
    program->count = 0;
    add_lines(&making, said, CM_VIEW_ROW_TEXT, CM_VIEW_ROW_STOP);
    show_source(&making);
    show_statement(&making);
    show_loops(&making);
    show_addresses(&making);
    show_context(&making);
    show_fpu(&making);
    show_transposers(&making);
    show_memory(&making);
    show_breakpoints(&making);
    memcpy(console->repeated, repeated, sizeof repeated);
}
