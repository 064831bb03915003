/* Fills the rows of the panel "program" while the program of --debug is stopped, with data from the
 * debugger and the machine. */
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

/* number of source lines shown before and after the line that is executed next */
#define LINES_AROUND   4u
#define ADDRESSES_EACH 4u /* number of address registers in a row */
#define WORDS_EACH     4u
#define ARRAYS_MAX     12u

struct builder {
    struct console *console;
    const struct cm_debug_at *at;
    struct cm_machine *machine;
    struct cm_view_program *program;
    const char *type;  /* type of the words on which the running IMP works, such as "real32" */
    bool instructions; /* true if the shown lines are instructions, not lines of a source file */
};

static struct cm_view_program_row *add_row(struct builder *builder, enum cm_view_row_kind kind)
{
    struct cm_view_program *program = builder->program;
    if (program->count == CM_VIEW_PROGRAM_ROWS)
        program->count--; /* the panel has no room for more rows */
    struct cm_view_program_row *row = &program->rows[program->count++];
    memset(row, 0, sizeof *row);
    row->kind = kind;
    return row;
}

static void CM_PRINTF(3, 4)
    add(struct builder *builder, enum cm_view_row_kind kind, const char *format, ...)
{
    struct cm_view_program_row *row = add_row(builder, kind);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(row->text, sizeof row->text, format, arguments);
    va_end(arguments);
}

/* Adds a row of the given kind for each line of a text. The row of the last line gets the kind
 * `last`. */
static void add_lines(struct builder *builder, const char *text, enum cm_view_row_kind kind,
                      enum cm_view_row_kind last)
{
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        const char *next = text + length + (text[length] == '\n');
        struct cm_view_program_row *row = add_row(builder, *next == '\0' ? last : kind);
        cm_text_clean(row->text, sizeof row->text, text, length);
        text = next;
    }
}

/* Executes a debugger command and adds its output as rows. */
static void add_printed(struct builder *builder, const char *command)
{
    struct cm_buffer *text = &builder->console->text;
    uint32_t refused = builder->console->refused;
    console_take(builder->console, command);
    /* the command may be refused, for example because the machine lacks the address */
    builder->console->refused = refused;
    if (cm_buffer_ok(text) && text->length > 0)
        add_lines(builder, text->data, CM_VIEW_ROW_TEXT, CM_VIEW_ROW_TEXT);
    cm_buffer_finish(text);
    cm_buffer_init(text);
}

/* ---- source text ---- */

static uint32_t breakpoint_at(const struct builder *builder, uint32_t number)
{
    const struct cm_debug_at *at = builder->at;
    bool of_imp = at->imp != NULL && at->imp->source_name != NULL;
    const char *file = of_imp ? at->imp->source_name : at->file;
    const struct cm_debug *debug = builder->console->debug;
    for (uint32_t i = 0; i < cm_debug_break_count(debug); i++) {
        const struct cm_break *b = cm_debug_break_at(debug, i);
        bool here =
            builder->instructions
                ? b->kind == CM_BREAK_INSTRUCTION && strcmp(b->name, at->imp->name) == 0
                : b->kind == CM_BREAK_LINE && file != NULL && cm_debug_is_file(file, b->name);
        if (here && b->value == number)
            return b->number;
    }
    return 0;
}

static void add_source(void *context, uint32_t number, bool next, const char *text)
{
    struct builder *builder = context;
    struct cm_view_program_row *row = add_row(builder, CM_VIEW_ROW_LINE);
    row->next = next;
    snprintf(row->text, sizeof row->text, "%4" PRIu32 "  %s", number, text);
}

/* Adds rows for the source text around the next line, with the numbers of the lines'
 * breakpoints. */
static void show_source(struct builder *builder)
{
    uint32_t first = builder->program->count;
    enum console_source source =
        console_source(builder->console, CONSOLE_HERE, LINES_AROUND, add_source, builder);
    builder->instructions = source == CONSOLE_INSTRUCTIONS;
    for (uint32_t i = first; i < builder->program->count; i++) {
        struct cm_view_program_row *row = &builder->program->rows[i];
        uint32_t number = (uint32_t)strtoul(row->text, NULL, 10);
        row->broken = breakpoint_at(builder, number);
        if (builder->instructions)
            snprintf(row->place, sizeof row->place, "%.50s+%" PRIu32, builder->at->imp->name,
                     number);
        else
            snprintf(row->place, sizeof row->place, "%" PRIu32, number);
    }
}

/* ---- registers ---- */

/* Changes the title of a section to say that all its values are 0. */
static void all_zero(struct builder *builder, uint32_t title, const char *what)
{
    struct cm_view_program_row *row = &builder->program->rows[title];
    snprintf(row->text, sizeof row->text, "%s: all hold 0", what);
}

static void show_addresses(struct builder *builder)
{
    char text[CM_VIEW_PROGRAM_COLUMNS] = "";
    uint32_t shown = 0;
    uint32_t title = builder->program->count;
    add(builder, CM_VIEW_ROW_TITLE, "Address registers; others hold 0");
    for (uint32_t i = 0; i < CM_ADDRESS_REGISTERS; i++) {
        int64_t value = cm_machine_address_register(builder->machine, i);
        size_t length = strlen(text);
        if (value == 0)
            continue;
        snprintf(text + length, sizeof text - length, "r%-2" PRIu32 " %-10" PRId64 " ", i, value);
        if (++shown % ADDRESSES_EACH != 0)
            continue;
        add(builder, CM_VIEW_ROW_TEXT, "%s", text);
        text[0] = '\0';
    }
    if (text[0] != '\0')
        add(builder, CM_VIEW_ROW_TEXT, "%s", text);
    if (shown == 0)
        all_zero(builder, title, "Address registers");
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

/* Returns a word as text, in the type of the words on which the IMP works. */
static struct cm_formatted word_text(const struct builder *builder, uint32_t word)
{
    struct cm_formatted text;
    if (strcmp(builder->type, "real32") == 0)
        snprintf(text.text, sizeof text.text, "%.7g", real32_of(word));
    else if (strcmp(builder->type, "int32") == 0)
        snprintf(text.text, sizeof text.text, "%" PRId32, (int32_t)word);
    else
        snprintf(text.text, sizeof text.text, "0x%08" PRIx32, word);
    return text;
}

static void show_fpu(struct builder *builder)
{
    bool shown = false;
    uint32_t title = builder->program->count;
    add(builder, CM_VIEW_ROW_TITLE, "FPU registers of the node; others hold 0");
    for (uint32_t i = 0; i < CM_FPU_REGISTERS; i++) {
        uint64_t bits = cm_machine_fpu_register(builder->machine, builder->console->node, i);
        if (bits == 0)
            continue;
        shown = true;
        if (strcmp(builder->type, "real64") == 0)
            add(builder, CM_VIEW_ROW_TEXT, "f%-2" PRIu32 " %-22.15g 0x%016" PRIx64, i,
                real64_of(bits), bits);
        else
            add(builder, CM_VIEW_ROW_TEXT, "f%-2" PRIu32 " %-22s 0x%08" PRIx32, i,
                word_text(builder, (uint32_t)bits).text, (uint32_t)bits);
    }
    if (!shown)
        all_zero(builder, title, "FPU registers of the node");
}

/* ---- transposers ---- */

/* Writes which channel a slot serves, or another use of the slot. */
static void slot_use(const struct builder *builder, uint32_t slot, char *text, size_t size)
{
    uint32_t half = (uint32_t)cm_machine_config(builder->machine)->transposer_slots / 2;
    uint32_t dimension = slot % half;
    text[0] = '\0';
    if (dimension == 0)
        snprintf(text, size, "  the other chip");
    else if (dimension <= cm_machine_dimensions(builder->machine))
        snprintf(text, size, "  dim %" PRIu32 ", channel %" PRIu32, dimension - 1, slot / half);
}

static bool show_slots(struct builder *builder, enum cm_transposer t, uint64_t loaded)
{
    uint32_t slots = (uint32_t)cm_machine_config(builder->machine)->transposer_slots;
    bool shown = false;
    for (uint32_t slot = 0; slot < slots; slot++) {
        uint32_t word =
            cm_machine_transposer_word(builder->machine, builder->console->node, t, slot);
        bool is_loaded = t == CM_TRANSPOSER_A && (loaded >> slot & 1) != 0;
        char use[48];
        if (word == 0 && !is_loaded)
            continue;
        slot_use(builder, slot, use, sizeof use);
        add(builder, CM_VIEW_ROW_TEXT, "%c.%-2" PRIu32 " %-12s 0x%08" PRIx32 "%s%s", "ABC"[t], slot,
            word_text(builder, word).text, word, use, is_loaded ? ", loaded" : "");
        shown = true;
    }
    return shown;
}

static void show_transposers(struct builder *builder)
{
    uint64_t *loaded = calloc(cm_machine_nodes(builder->machine), sizeof *loaded);
    bool shown = false;
    uint32_t title = builder->program->count;
    add(builder, CM_VIEW_ROW_TITLE, "Transposers of the node; other slots hold 0");
    if (loaded != NULL)
        cm_machine_slots_pending(builder->machine, loaded);
    for (int t = CM_TRANSPOSER_A; t <= CM_TRANSPOSER_C; t++)
        shown = show_slots(builder, (enum cm_transposer)t,
                           loaded != NULL ? loaded[builder->console->node] : 0) ||
                shown;
    if (!shown)
        all_zero(builder, title, "Transposers of the node");
    free(loaded);
}

/* ---- memory ---- */

/* Writes an address as a position in an array if possible. Returns the type in which its word is
 * shown. */
static const char *describe_address(const struct builder *builder, uint64_t address, char *text,
                                    size_t size)
{
    const char *name;
    const struct cm_array *array;
    for (uint32_t i = 0; (array = console_array(builder->console, i, &name)) != NULL; i++)
        if (address >= array->address && address < array->address + array->layout.local_words) {
            snprintf(text, size, "%s+%" PRIu64, name, address - array->address);
            return console_array_type(array);
        }
    snprintf(text, size, "%" PRIu64, address);
    return "hex";
}

/* Shows some words of the node's memory from an address on, with the debugger's command
 * `memory`. */
static void show_words(struct builder *builder, const char *operand, uint64_t address)
{
    char name[80], command[80], values[CM_VIEW_PROGRAM_COLUMNS];
    uint32_t first = builder->program->count;
    const char *type = describe_address(builder, address, name, sizeof name);
    snprintf(command, sizeof command, "memory %" PRIu64 " %u as %s", address, WORDS_EACH, type);
    add_printed(builder, command);
    if (builder->program->count == first)
        return; /* the machine does not have these words */
    struct cm_view_program_row *row = &builder->program->rows[first];
    const char *colon = strchr(row->text, ':');
    snprintf(values, sizeof values, "%s", colon != NULL ? colon + 1 : row->text);
    snprintf(row->text, sizeof row->text, "%s%.20s:%.90s", operand, name, values);
}

/* Returns the type in which registers and slots are shown: the IMP's type, or the type of the first
 * array if the IMP only moves words. */
static const char *usual_type(const struct builder *builder)
{
    const char *name;
    const struct cm_array *array = console_array(builder->console, 0, &name);
    const char *type = builder->at->imp != NULL ? console_imp_type(builder->at->imp) : "int32";
    if (strcmp(type, "int32") != 0 || array == NULL)
        return type;
    type = console_array_type(array);
    return strcmp(type, "int") == 0 ? "int32" : type;
}

/* Shows the memory words to which the operands of the next instruction point, and the first words
 * of each array. */
static void show_memory(struct builder *builder)
{
    const struct cm_debug_at *at = builder->at;
    const struct cm_op_info *info =
        at->place == CM_DEBUG_INSTRUCTION ? cm_op_info(at->imp->code[at->pc].op) : NULL;
    const char *name;
    const struct cm_array *array;
    uint32_t title = builder->program->count;
    add(builder, CM_VIEW_ROW_TITLE, "Memory of the node");
    for (uint32_t i = 0; info != NULL && i < info->operand_count; i++) {
        struct cm_operand operand = at->imp->code[at->pc].operands[i];
        char text[24];
        if (info->operands[i] != CM_OPERAND_MEM)
            continue;
        int64_t address =
            cm_machine_address_register(builder->machine, operand.reg) + operand.value;
        snprintf(text, sizeof text, "[r%u%+" PRId32 "] ", operand.reg, operand.value);
        if (operand.value == 0)
            snprintf(text, sizeof text, "[r%u] ", operand.reg);
        if (address >= 0)
            show_words(builder, text, (uint64_t)address);
    }
    for (uint32_t i = 0;
         i < ARRAYS_MAX && (array = console_array(builder->console, i, &name)) != NULL; i++)
        show_words(builder, "", array->address);
    if (builder->program->count == title + 1)
        builder->program->count = title; /* there was nothing to show */
}

static void show_context(struct builder *builder)
{
    uint32_t set = 0, nodes = cm_machine_nodes(builder->machine);
    for (uint32_t node = 0; node < nodes; node++)
        set += cm_machine_context_flag(builder->machine, node);
    add(builder, CM_VIEW_ROW_STOP,
        "node %" PRIu32 ": context %s; it is set in %" PRIu32 " of %" PRIu32 " nodes",
        builder->console->node,
        cm_machine_context_flag(builder->machine, builder->console->node) ? "set" : "clear", set,
        nodes);
}

static void show_breakpoints(struct builder *builder)
{
    add(builder, CM_VIEW_ROW_TITLE, "Breakpoints");
    add_printed(builder, "breaks");
}

static void show_loops(struct builder *builder)
{
    const struct cm_debug_at *at = builder->at;
    for (uint32_t i = 0; at->imp != NULL && i < cm_machine_loop_count(builder->machine); i++) {
        struct cm_inspected_loop loop = cm_machine_loop(builder->machine, i);
        int32_t count = at->imp->code[loop.start].operands[0].value;
        add(builder, CM_VIEW_ROW_QUIET,
            "loop at instruction %" PRIu32 ": iteration %" PRId32 " of %" PRId32, loop.start,
            count - loop.left + 1, count);
    }
}

/* Shows the source line of the Fortran program to which the next instruction belongs. */
static void show_statement(struct builder *builder)
{
    const struct cm_debug_at *at = builder->at;
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
    add(builder, CM_VIEW_ROW_QUIET, "line %" PRIu32 ": %.100s", at->line, text + strspn(text, " "));
}

void cm_view_program_rows(struct console *console, const char *output,
                          struct cm_view_program *program)
{
    struct builder builder = {.console = console,
                              .at = cm_debug_at(console->debug),
                              .machine = cm_debug_machine(console->debug),
                              .program = program};
    char repeated[CONSOLE_LINE_MAX]; /* an empty command still repeats the user's last command */
    memcpy(repeated, console->repeated, sizeof repeated);
    builder.type = usual_type(&builder);
    program->count = 0;
    add_lines(&builder, output, CM_VIEW_ROW_TEXT, CM_VIEW_ROW_STOP);
    show_source(&builder);
    show_statement(&builder);
    show_loops(&builder);
    show_addresses(&builder);
    show_context(&builder);
    show_fpu(&builder);
    show_transposers(&builder);
    show_memory(&builder);
    show_breakpoints(&builder);
    memcpy(console->repeated, repeated, sizeof repeated);
}
