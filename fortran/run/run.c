/* A run of a program: its static storage, its lines, and the play of its main program. */
#include "direct.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RANDOM_SEED 1u /* of the first numbers that RANDOM_NUMBER and CMF_RANDOM give */

/* ---- lines ---- */

static uint32_t find_line(struct cm_fortran_run *run, struct cm_source_place place)
{
    for (uint32_t i = run->line_count; i-- > 0;)
        if (run->lines[i].file == place.file && run->lines[i].line == place.line)
            return i;
    if (!cm_array_room(run->lines, run->line_count, run->line_capacity))
        return UINT32_MAX;
    run->lines[run->line_count] = (struct cm_fortran_line){.file = place.file, .line = place.line};
    return run->line_count++;
}

static void mark_targets(const struct cm_fortran_unit *unit, uint8_t *targets)
{
    for (uint32_t i = 0; i < unit->statement_count; i++) {
        const struct cm_fortran_statement *statement = &unit->statements[i];
        bool jumps = statement->kind == CM_FORTRAN_JUMP || statement->kind == CM_FORTRAN_UNLESS ||
                     statement->kind == CM_FORTRAN_DO || statement->kind == CM_FORTRAN_DO_NEXT;
        if (jumps && statement->to < unit->statement_count)
            targets[statement->to] = 1;
        for (uint32_t k = 0; k < statement->target_count; k++)
            if (statement->targets[k] < unit->statement_count)
                targets[statement->targets[k]] = 1;
    }
}

static enum cm_status number_unit(struct cm_fortran_run *run, uint32_t u)
{
    const struct cm_fortran_unit *unit = run->program->units[u];
    run->unit_lines[u] = calloc((size_t)unit->statement_count + 1, sizeof(uint32_t));
    run->unit_targets[u] = calloc((size_t)unit->statement_count + 1, sizeof(uint8_t));
    if (run->unit_lines[u] == NULL || run->unit_targets[u] == NULL)
        return cm_fortran_no_memory(run);
    mark_targets(unit, run->unit_targets[u]);
    for (uint32_t i = 0; i < unit->statement_count; i++) {
        run->unit_lines[u][i] = find_line(run, unit->statements[i].place);
        if (run->unit_lines[u][i] == UINT32_MAX)
            return cm_fortran_no_memory(run);
    }
    return CM_OK;
}

static enum cm_status number_lines(struct cm_fortran_run *run)
{
    const struct cm_fortran_program *program = run->program;
    run->unit_lines = calloc((size_t)program->unit_count + 1, sizeof(*run->unit_lines));
    run->unit_targets = calloc((size_t)program->unit_count + 1, sizeof(*run->unit_targets));
    if (run->unit_lines == NULL || run->unit_targets == NULL)
        return cm_fortran_no_memory(run);
    enum cm_status status = CM_OK;
    for (uint32_t u = 0; u < program->unit_count && status == CM_OK; u++)
        status = number_unit(run, u);
    return status;
}

static uint32_t unit_number(const struct cm_fortran_run *run, const struct cm_fortran_unit *unit)
{
    uint32_t u = 0;
    while (run->program->units[u] != unit)
        u++;
    return u;
}

const uint8_t *cm_fortran_jump_targets(const struct cm_fortran_run *run,
                                       const struct cm_fortran_unit *unit)
{
    return run->unit_targets[unit_number(run, unit)];
}

void cm_fortran_note(struct cm_fortran_run *run, const struct cm_fortran_statement *statement,
                     const char *text)
{
    struct cm_fortran_line *line = &run->lines[find_line(run, statement->place)];
    snprintf(line->note, sizeof(line->note), "%s", text);
}

void cm_fortran_note_with(struct cm_fortran_run *run, const struct cm_fortran_statement *statement,
                          const struct cm_fortran_statement *first)
{
    struct cm_fortran_line *line = &run->lines[find_line(run, statement->place)];
    if (first->place.line == statement->place.line || first->place.file != statement->place.file)
        return;
    line->with = first->place.line;
    snprintf(line->note, sizeof(line->note), "in one IMP with line %u, which has its cycles",
             first->place.line);
}

void cm_fortran_note_shifts(struct cm_fortran_run *run,
                            const struct cm_fortran_statement *statement, uint32_t count)
{
    char text[CM_FORTRAN_NOTE_BYTES];
    const struct cm_fortran_line *line = &run->lines[find_line(run, statement->place)];
    if (count == 1)
        snprintf(text, sizeof(text), "1 shift, made by itself");
    else
        snprintf(text, sizeof(text), "%u shifts, one after the other", count);
    if (strncmp(line->note, text, strlen(text)) == 0)
        return;
    if (line->note[0] != '\0') {
        const size_t length = strlen(text);
        snprintf(text + length, sizeof(text) - length, "; %.180s", line->note);
    }
    cm_fortran_note(run, statement, text);
}

uint32_t *cm_fortran_lines_of(const struct cm_fortran_run *run, const struct cm_fortran_unit *unit)
{
    return run->unit_lines[unit_number(run, unit)];
}

void cm_fortran_add_counters(struct cm_counters *sum, const struct cm_counters *more)
{
    sum->cycles += more->cycles;
    for (uint32_t i = 0; i < CM_CAUSE_COUNT; i++)
        sum->by_cause[i] += more->by_cause[i];
    sum->instructions += more->instructions;
    sum->exchanges += more->exchanges;
    sum->loads += more->loads;
    sum->stores += more->stores;
    sum->page_faults += more->page_faults;
    sum->words_moved_locally += more->words_moved_locally;
    sum->words_sent += more->words_sent;
    sum->flops += more->flops;
}

struct cm_counters cm_fortran_run_counted(const struct cm_fortran_run *run)
{
    return run->counted;
}

static int compare_lines(const void *a, const void *b)
{
    const struct cm_fortran_line *first = a, *second = b;
    if (first->file != second->file)
        return first->file < second->file ? -1 : 1;
    return (first->line > second->line) - (first->line < second->line);
}

const struct cm_fortran_line *cm_fortran_run_lines(struct cm_fortran_run *run, uint32_t *count)
{
    /* sorted when all is played: the statements' numbers are not used any more */
    if (run->line_count > 0)
        qsort(run->lines, run->line_count, sizeof(*run->lines), compare_lines);
    *count = run->line_count;
    return run->lines;
}

const struct cm_buffer *cm_fortran_run_output(const struct cm_fortran_run *run)
{
    return &run->output;
}

bool cm_fortran_run_statement(const struct cm_fortran_run *run, struct cm_source_place *place)
{
    if (run->statement == NULL)
        return false;
    *place = run->statement->place;
    return true;
}

const struct cm_fortran_line *cm_fortran_run_line(const struct cm_fortran_run *run, uint32_t i)
{
    return i < run->line_count ? &run->lines[i] : NULL;
}

/* The array of a variable as it is now; NULL: it is not on the machine. */
static const struct cm_array *array_on_machine(struct cm_fortran_run *run,
                                               const struct cm_fortran_variable *variable)
{
    if (variable->rank == 0 || variable->is_constant ||
        (run->frame == NULL && variable->storage != CM_FORTRAN_STATIC))
        return NULL;
    const struct cm_fortran_array *array = cm_fortran_binding_of(run, variable)->array;
    return array != NULL ? array->machine : NULL;
}

const struct cm_array *cm_fortran_run_array(struct cm_fortran_run *run, uint32_t i,
                                            const char **name)
{
    const struct cm_fortran_unit *unit = run->frame != NULL ? run->frame->unit : run->program->main;
    for (uint32_t v = 0; unit != NULL && v < unit->variable_count; v++) {
        const struct cm_array *array = array_on_machine(run, unit->variables[v]);
        *name = unit->variables[v]->name;
        if (array != NULL && i-- == 0)
            return array;
    }
    return NULL;
}

const struct cm_fortran_checker *cm_fortran_run_checked(const struct cm_fortran_run *run)
{
    return run->checker;
}

/* ---- static storage ---- */

/* Of a text, or of the elements of an array of texts. */
static void set_texts(const struct cm_fortran_variable *variable,
                      const struct cm_fortran_binding *binding)
{
    for (uint32_t i = 0; i < variable->initial_count; i++) {
        const struct cm_fortran_initial *initial = &variable->initials[i];
        for (uint64_t k = 0; k < initial->count; k++) {
            struct cm_fortran_text text = binding->scalar->text;
            if (variable->rank > 0)
                cm_fortran_text_element(variable, binding->array, initial->first + k, &text);
            cm_fortran_text_fill(&text, &initial->value.text);
        }
    }
}

static enum cm_status set_initials(struct cm_fortran_run *run,
                                   const struct cm_fortran_variable *variable,
                                   const struct cm_fortran_binding *binding)
{
    struct cm_fortran_array *copy = NULL;
    if (variable->initial_count == 0)
        return CM_OK;
    if (variable->type == CM_FORTRAN_CHARACTER) {
        set_texts(variable, binding);
        return CM_OK;
    }
    if (variable->rank == 0) {
        *binding->scalar = variable->initials[variable->initial_count - 1].value;
        return CM_OK;
    }
    enum cm_status status = cm_fortran_array_copy(run, binding->array, 0, &copy);
    for (uint32_t i = 0; status == CM_OK && i < variable->initial_count; i++) {
        const struct cm_fortran_initial *initial = &variable->initials[i];
        for (uint64_t e = 0; e < initial->count; e++)
            cm_fortran_store(copy->type, copy->host, initial->first + e, &initial->value);
    }
    if (status == CM_OK && cm_fortran_on_machine(binding->array))
        status = cm_array_scatter(run->system, binding->array->machine, copy->host, run->err);
    else if (status == CM_OK)
        memcpy(binding->array->host, copy->host,
               (size_t)copy->elements * cm_type_host_bytes(copy->type));
    cm_fortran_array_destroy(run, copy);
    return status;
}

/* Arrays begin as zeros; nothing is charged for what is there before the program begins. Where a
 * subroutine alone is called, the main program's arrays take no node memory. */
static enum cm_status make_statics(struct cm_fortran_run *run)
{
    const struct cm_fortran_program *program = run->program;
    run->statics = calloc((size_t)program->static_count + 1, sizeof(*run->statics));
    run->static_values = calloc((size_t)program->static_count + 1, sizeof(*run->static_values));
    if (run->statics == NULL || run->static_values == NULL)
        return cm_fortran_no_memory(run);
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; i < program->static_count && status == CM_OK; i++) {
        const struct cm_fortran_variable *variable = program->statics[i];
        struct cm_fortran_binding *binding = &run->statics[i];
        if (variable->rank == 0 || variable->type == CM_FORTRAN_CHARACTER)
            binding->scalar = &run->static_values[i];
        if (variable->is_of_main && run->options.unit != NULL)
            continue;
        if (variable->rank > 0 && !variable->allocatable)
            status = cm_fortran_array_declare(run, variable, &binding->array);
        if (status == CM_OK && variable->type == CM_FORTRAN_CHARACTER)
            status = cm_fortran_text_make(run, variable, binding->array, &binding->scalar->text);
        if (status == CM_OK && (variable->rank == 0 || run->statics[i].array != NULL))
            status = set_initials(run, variable, &run->statics[i]);
        if (status == CM_BAD_INPUT && run->err != NULL && run->err->line == 0) {
            struct cm_error plain = *run->err;
            cm_fortran_fail(run, variable->place, "%s", plain.message);
            cm_error_hint(run->err, "%s", plain.hint);
        }
    }
    return status;
}

/* ---- the run ---- */

enum cm_status cm_fortran_run_create(const struct cm_fortran_program *program,
                                     struct cm_system *system,
                                     const struct cm_fortran_run_options *options,
                                     struct cm_fortran_run **run, struct cm_error *err)
{
    *run = NULL;
    if (program->main == NULL && options->unit == NULL)
        return cm_error_at(err, CM_BAD_INPUT, cm_source_name(program->source, 0), 1, 1,
                           "the file has no main program");
    struct cm_fortran_run *made = calloc(1, sizeof(*made));
    if (made == NULL)
        return cm_error_no_memory(err);
    made->program = program;
    made->system = system;
    made->nodes = cm_machine_nodes(cm_system_machine(system));
    made->options = *options;
    made->err = err;
    made->random_state = RANDOM_SEED;
    cm_buffer_init(&made->output);
    if (options->check)
        made->checker = calloc(1, sizeof(*made->checker));
    enum cm_status status =
        options->check && made->checker == NULL ? cm_error_no_memory(err) : number_lines(made);
    if (status == CM_OK)
        status = make_statics(made);
    made->err = NULL;
    if (status != CM_OK) {
        cm_fortran_run_destroy(made);
        return status;
    }
    *run = made;
    return CM_OK;
}

void cm_fortran_run_destroy(struct cm_fortran_run *run)
{
    if (run == NULL)
        return;
    cm_fortran_masks_drop(run, 0);
    cm_fortran_setups_finish(run);
    cm_list_finish(&run->pshifts);
    for (uint32_t i = 0; run->statics != NULL && i < run->program->static_count; i++)
        cm_fortran_array_destroy(run, run->statics[i].array);
    for (uint32_t i = 0; run->static_values != NULL && i < run->program->static_count; i++)
        if (run->program->statics[i]->type == CM_FORTRAN_CHARACTER)
            free(run->static_values[i].text.bytes);
    for (uint32_t u = 0; u < run->program->unit_count; u++) {
        if (run->unit_lines != NULL)
            free(run->unit_lines[u]);
        if (run->unit_targets != NULL)
            free(run->unit_targets[u]);
    }
    free(run->unit_lines);
    free(run->unit_targets);
    free(run->statics);
    free(run->static_values);
    free(run->lines);
    if (run->checker != NULL)
        cm_list_finish(&run->checker->faults);
    free(run->checker);
    cm_buffer_finish(&run->output);
    free(run);
}

enum cm_status cm_fortran_run_enter(struct cm_fortran_run *run, const struct cm_fortran_unit *unit,
                                    struct cm_fortran_expression *const *args, struct cm_error *err)
{
    run->err = err;
    run->stopped = false;
    run->begun = cm_machine_counters(cm_system_machine(run->system)).cycles;
    enum cm_status status = cm_fortran_call(run, unit, args, unit->place, NULL, NULL);
    if (status == CM_INTERRUPTED && run->stopped)
        status = CM_OK;
    if (status == CM_OK && !cm_buffer_ok(&run->output))
        status = cm_error_no_memory(err);
    run->err = NULL;
    return status;
}

enum cm_status cm_fortran_run_play(struct cm_fortran_run *run, struct cm_error *err)
{
    return cm_fortran_run_enter(run, run->program->main, NULL, err);
}
