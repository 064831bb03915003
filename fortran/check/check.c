/* The entry point cm_fortran_check(), the list of the program's units, and the order of the passes
 * (check.h). */
#include "check.h"

#include "../../base/suggest.h"
#include "../../programs/workload/keys.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void *cm_check_take(struct cm_check *check, size_t bytes)
{
    return cm_arena_take(check->arena, bytes);
}

void *cm_check_grow(struct cm_check *check, void *items, uint32_t count, size_t bytes)
{
    if (count > 0 && (count & (count - 1)) != 0)
        return items;
    void *more = cm_check_take(check, bytes * (count > 0 ? 2 * (size_t)count : 1));
    if (more && count > 0)
        memcpy(more, items, bytes * count);
    return more;
}

const char *cm_check_copy(struct cm_check *check, const char *text)
{
    const char *copy = cm_arena_copy(check->arena, text, strlen(text));
    return copy ? copy : "";
}

void *cm_check_fail(struct cm_check *check, struct cm_source_place place, const char *format, ...)
{
    char text[640];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    cm_messages_add(check->messages, place, "%s", text);
    return NULL;
}

static int compare_names(const void *a, const void *b)
{
    const struct cm_scope *x = *(struct cm_scope *const *)a, *y = *(struct cm_scope *const *)b;
    if (x->tree->name != y->tree->name)
        return (uintptr_t)x->tree->name < (uintptr_t)y->tree->name ? -1 : 1;
    return x < y ? -1 : x > y; /* units with the same name keep their order in the file */
}

/* Searches for a name by its address, because each name is stored once. */
struct cm_scope *cm_check_unit(struct cm_check *check, const char *name)
{
    uint32_t from = 0, to = check->scope_count;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if ((uintptr_t)check->by_name[middle]->tree->name < (uintptr_t)name)
            from = middle + 1;
        else
            to = middle;
    }
    for (; from < check->scope_count && check->by_name[from]->tree->name == name; from++)
        if (check->by_name[from]->unit && !check->by_name[from]->is_main)
            return check->by_name[from];
    return NULL;
}

bool cm_check_is_unknown(const struct cm_check *check, const struct cm_scope *callee)
{
    return callee ? callee->is_broken : check->tree->is_incomplete;
}

static void check_unit_name(struct cm_check *check, const struct cm_scope *scope)
{
    const struct cm_syntax_unit *tree = scope->tree;
    if (scope->is_main && !scope->is_broken && check->program->main != scope->unit) {
        cm_check_fail(check, tree->place, "there are two main programs");
        cm_messages_hint(check->messages, "the first begins in line %u",
                         check->program->main->place.line);
        return;
    }
    const struct cm_scope *other = cm_check_unit(check, tree->name);
    if (!scope->unit || tree->name[0] == '\0' || !other || other == scope)
        return;
    cm_check_fail(check, tree->name_place, "there are two units with the name \"%s\"", tree->name);
    cm_messages_hint(check->messages, "the other is in line %u", other->tree->place.line);
}

static void add_unit(struct cm_check *check, struct cm_scope *scope,
                     const struct cm_syntax_unit *tree)
{
    scope->tree = tree;
    scope->is_main = tree->kind == CM_UNIT_PROGRAM;
    scope->is_recursive = tree->is_recursive;
    scope->is_broken = tree->is_broken;
    cm_scope_init(scope);
    if (tree->kind == CM_UNIT_BLOCK_DATA)
        return;
    struct cm_fortran_unit *unit = cm_check_take(check, sizeof *unit);
    if (!unit)
        return;
    unit->name = tree->name[0] != '\0' ? cm_check_copy(check, tree->name) : "main";
    unit->place = tree->place;
    unit->is_function = tree->kind == CM_UNIT_FUNCTION;
    scope->unit = unit;
    if (scope->is_main && !scope->is_broken && !check->program->main)
        check->program->main = unit;
    check->program->units[check->program->unit_count++] = unit;
}

/* Returns the next ENTRY statement of a unit from a statement on, or NULL. */
static const struct cm_syntax_statement *next_entry(const struct cm_syntax_statement *statement)
{
    while (statement && statement->kind != CM_STATEMENT_ENTRY)
        statement = statement->next;
    return statement;
}

/* Returns the number of units and of ENTRY statements. */
static uint32_t count_units(const struct cm_check *check)
{
    uint32_t count = 0;
    for (const struct cm_syntax_unit *unit = check->tree->units; unit; unit = unit->next) {
        count++;
        for (const struct cm_syntax_statement *entry = next_entry(unit->block.first); entry;
             entry = next_entry(entry->next))
            count++;
    }
    return count;
}

static void add_scope(struct cm_check *check, const struct cm_syntax_unit *unit,
                      struct cm_scope *master)
{
    struct cm_scope *scope = &check->scopes[check->scope_count];
    check->by_name[check->scope_count++] = scope;
    add_unit(check, scope, unit);
    scope->master = master;
    if (!master)
        return;
    scope->is_broken = master->is_broken;
    scope->is_recursive = master->is_recursive;
    if (scope->unit)
        scope->unit->is_entry = true;
}

static bool list_units(struct cm_check *check)
{
    uint32_t count = count_units(check);
    check->scopes = cm_check_take(check, sizeof *check->scopes * (count + 1));
    check->program->units = cm_check_take(check, sizeof *check->program->units * (count + 1));
    check->by_name = cm_check_take(check, sizeof *check->by_name * (count + 1));
    if (!check->scopes || !check->program->units || !check->by_name)
        return false;
    for (const struct cm_syntax_unit *unit = check->tree->units; unit; unit = unit->next) {
        struct cm_scope *master = &check->scopes[check->scope_count];
        add_scope(check, unit, NULL);
        for (const struct cm_syntax_statement *entry = next_entry(unit->block.first); entry;
             entry = next_entry(entry->next))
            add_scope(check, entry->entry, master);
    }
    qsort(check->by_name, count, sizeof(struct cm_scope *), compare_names);
    for (uint32_t i = 0; i < check->scope_count && !check->arena->failed; i++)
        check_unit_name(check, &check->scopes[i]);
    return !check->arena->failed;
}

/* Reports values of the option --param for which the main program has no PARAMETER. */
static void check_parameters(struct cm_check *check)
{
    const struct cm_scope *main = NULL;
    for (uint32_t i = 0; i < check->scope_count && !main; i++)
        main = check->scopes[i].is_main ? &check->scopes[i] : NULL;
    if (check->tree->is_incomplete || (main && main->is_broken))
        return;
    for (uint32_t i = 0; i < check->options->parameter_count; i++) {
        const char *name = check->options->parameters[i].name;
        const char *names[256];
        size_t count = 0;
        bool found = false;
        for (const struct cm_symbol *symbol = main ? main->first : NULL; symbol;
             symbol = symbol->later) {
            if (symbol->kind != CM_SYMBOL_CONSTANT)
                continue;
            found = found || strcasecmp(symbol->name, name) == 0;
            if (count < sizeof names / sizeof names[0])
                names[count++] = symbol->name;
        }
        if (found)
            continue;
        struct cm_source_place place = main ? main->tree->place : (struct cm_source_place){0};
        cm_check_fail(check, place, "the main program has no PARAMETER \"%s\"", name);
        const char *near = cm_suggest(name, names, count);
        char list[CM_LIST_BYTES];
        if (near)
            cm_messages_hint(check->messages, "did you mean \"%s\"?", near);
        else if (count > 0)
            cm_messages_hint(check->messages, "it has %s",
                             cm_names_join(names, (uint32_t)count, ", ", list));
    }
}

static void check_statements(struct cm_check *check, struct cm_scope *scope)
{
    check->scope = scope;
    if (scope->unit)
        cm_check_statements(check);
}

/* Calls the function `pass` for each unit that could be read. An ENTRY is checked with the unit
 * that contains it. */
static void each_unit(struct cm_check *check,
                      void (*pass)(struct cm_check *check, struct cm_scope *scope))
{
    for (uint32_t i = 0; i < check->scope_count; i++)
        if (!check->scopes[i].is_broken && !check->scopes[i].master)
            pass(check, &check->scopes[i]);
}

static void check_all(struct cm_check *check)
{
    if (!list_units(check))
        return;
    each_unit(check, cm_check_declarations);
    check_parameters(check);
    each_unit(check, cm_check_variables);
    each_unit(check, cm_check_interfaces);
    cm_check_common_layouts(check);
    each_unit(check, cm_check_all_data);
    each_unit(check, check_statements);
    cm_check_procedures(check);
    cm_check_recursion(check);
    cm_check_homes(check);
    cm_check_warn_of_shifts(check);
}

struct cm_fortran_program *cm_fortran_check(const struct cm_syntax *tree,
                                            const struct cm_source *source,
                                            const struct cm_fortran_options *options,
                                            struct cm_messages *messages)
{
    static const struct cm_fortran_options none;
    struct cm_check check = {.tree = tree, .options = options ? options : &none};
    check.messages = messages;
    check.shift_order = cm_shift_order_of(check.options->shift_order, source);
    check.arena = cm_arena_create();
    if (check.arena)
        check.program = cm_check_take(&check, sizeof *check.program);
    if (check.program) {
        check.program->arena = check.arena;
        check.program->source = source;
        check_all(&check);
    }
    cm_messages_sort(messages);
    if (!check.arena || check.arena->failed)
        messages->status = CM_NO_MEMORY;
    if (messages->status == CM_OK)
        return check.program;
    cm_arena_destroy(check.arena);
    return NULL;
}

void cm_fortran_program_destroy(struct cm_fortran_program *program)
{
    if (program)
        cm_arena_destroy(program->arena);
}
