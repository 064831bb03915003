/* Creates and destroys runs of programs, makes static storage, and answers callers (run.h). */
#include "direct.h"
#include "run_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RANDOM_SEED 1u /* seed of RANDOM_NUMBER and CMF_RANDOM */

/* ---- records of source lines ---- */

struct cm_counters cm_fortran_run_counters(const struct cm_fortran_run *run)
{
    return run->counters;
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
    /* sorting invalidates the statements' indices into `lines`, which only the execution needs */
    if (run->line_count > 0)
        qsort(run->lines, run->line_count, sizeof(*run->lines), compare_lines);
    *count = run->line_count;
    return run->lines;
}

const struct cm_buffer *cm_fortran_run_output(const struct cm_fortran_run *run)
{
    return &run->output;
}

const struct cm_buffer *cm_fortran_run_errors(const struct cm_fortran_run *run)
{
    return &run->errors;
}

uint32_t cm_fortran_run_stop_code(const struct cm_fortran_run *run)
{
    return run->stop_code;
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

/* Returns the machine's array that a variable is bound to, or NULL if the variable is not an array
 * on the machine. */
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

/* Sets the initial values of a CHARACTER variable or of elements of a CHARACTER array. */
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

/* Makes the static arrays, with zeros, and sets initial values. No cycles are charged before the
 * program begins. If only a subroutine is called, arrays of the main program are not made, so that
 * they take no node memory. */
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

/* Computes a reduction on the machine, and compares its value with the front end's if the program
 * is checked. */
static enum cm_status reduce(struct cm_fortran_run *run, const struct cm_fortran_expression *call,
                             union cm_fortran_value *value, bool *done)
{
    enum cm_status status = cm_fortran_machine_reduce(run, call, value, done);
    return status == CM_OK && *done && run->checker != NULL
               ? cm_fortran_direct_scalar(run, call, value)
               : status;
}

static const struct cm_fortran_hooks hooks = {
    .call = cm_fortran_call,
    .library = cm_fortran_library,
    .reduce = reduce,
    .free_memory = cm_fortran_drop_halos,
};

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
    made->hooks = &hooks;
    made->err = err;
    made->random_state = RANDOM_SEED;
    cm_buffer_init(&made->output);
    cm_buffer_init(&made->errors);
    if (options->check)
        made->checker = calloc(1, sizeof(*made->checker));
    enum cm_status status = options->check && made->checker == NULL
                                ? cm_error_no_memory(err)
                                : cm_fortran_line_records_make(made);
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
    cm_fortran_fusing_finish(run);
    cm_list_finish(&run->pshifts);
    cm_fortran_units_finish(run);
    for (uint32_t i = 0; run->statics != NULL && i < run->program->static_count; i++)
        cm_fortran_array_destroy(run, run->statics[i].array);
    for (uint32_t i = 0; run->static_values != NULL && i < run->program->static_count; i++)
        if (run->program->statics[i]->type == CM_FORTRAN_CHARACTER)
            free(run->static_values[i].text.bytes);
    cm_fortran_line_records_finish(run);
    free(run->statics);
    free(run->static_values);
    if (run->checker != NULL)
        cm_list_finish(&run->checker->faults);
    free(run->checker);
    cm_buffer_finish(&run->output);
    cm_buffer_finish(&run->errors);
    free(run);
}

enum cm_status cm_fortran_run_enter(struct cm_fortran_run *run, const struct cm_fortran_unit *unit,
                                    struct cm_fortran_expression *const *args, struct cm_error *err)
{
    run->err = err;
    run->stopped = false;
    run->start_cycle = cm_machine_counters(cm_system_machine(run->system)).cycles;
    run->start_work = run->executed + run->turns;
    enum cm_status status = cm_fortran_call(run, unit, args, unit->place, NULL, NULL);
    if (status == CM_INTERRUPTED && run->stopped)
        status = CM_OK;
    if (status == CM_OK)
        status = cm_fortran_end_print(run, unit->place); /* passes the text of STOP to the caller */
    enum cm_status flushed = cm_fortran_units_flush(run);
    if (status == CM_OK)
        status = flushed;
    run->err = NULL;
    if (status != CM_OK)
        cm_fortran_pass_output(run);
    return status;
}

enum cm_status cm_fortran_run_execute(struct cm_fortran_run *run, struct cm_error *err)
{
    return cm_fortran_run_enter(run, run->program->main, NULL, err);
}
