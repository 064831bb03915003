/* Functions for the state of a running program: errors, variables and masks (state.h). */
#include "state.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

static enum cm_status fail_at(struct cm_fortran_run *run, enum cm_status status,
                              struct cm_source_place place, const char *message)
{
    size_t length;
    const struct cm_source *source = run->program->source;
    cm_error_at(run->err, status, cm_source_name(source, place.file), place.line, place.column,
                "%s", message);
    const char *text = cm_source_text(source, place.file, &length);
    if (run->err != NULL && text != NULL)
        cm_error_source(run->err, text, length);
    return status;
}

enum cm_status cm_fortran_fail(struct cm_fortran_run *run, struct cm_source_place place,
                               const char *format, ...)
{
    char message[sizeof(run->err->message)];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    return fail_at(run, CM_BAD_INPUT, place, message);
}

enum cm_status cm_fortran_no_memory(struct cm_fortran_run *run)
{
    return cm_error_no_memory(run->err);
}

enum cm_status cm_fortran_too_many(struct cm_fortran_run *run)
{
    return cm_error_set(run->err, CM_BAD_INPUT,
                        "this statement has more than %" PRIu64
                        " elements, the most that the front end takes",
                        CM_FORTRAN_ELEMENTS_MAX);
}

enum cm_status cm_fortran_interrupted(struct cm_fortran_run *run)
{
    return run->statement != NULL
               ? fail_at(run, CM_INTERRUPTED, run->statement->place, "interrupted")
               : cm_error_set(run->err, CM_INTERRUPTED, "interrupted");
}

/* Returns whether the program has taken more cycles of the machine than options.max_cycles, or
 * whether the front end has executed more statements and turns of loops than that. */
static bool takes_too_long(const struct cm_fortran_run *run)
{
    const uint64_t most = run->options.max_cycles;
    const struct cm_counters now = cm_machine_counters(cm_system_machine(run->system));
    return most > 0 && (now.cycles - run->start_cycle > most ||
                        run->executed + run->turns - run->start_work > most);
}

enum cm_status cm_fortran_look(struct cm_fortran_run *run)
{
    if (cm_machine_interrupted(cm_system_machine(run->system)))
        return cm_fortran_interrupted(run);
    if (!takes_too_long(run) || run->statement == NULL)
        return CM_OK;
    return cm_fortran_fail(run, run->statement->place,
                           "the program takes more than %" PRIu64 " cycles",
                           run->options.max_cycles);
}

struct cm_fortran_binding *cm_fortran_binding_of(struct cm_fortran_run *run,
                                                 const struct cm_fortran_variable *variable)
{
    switch (variable->storage) {
    case CM_FORTRAN_STATIC:
        return &run->statics[variable->slot];
    case CM_FORTRAN_DUMMY:
        return &run->frame->arguments[variable->slot];
    default:
        return &run->frame->locals[variable->slot];
    }
}

enum cm_status cm_fortran_unit_of(struct cm_fortran_run *run, const struct cm_fortran_unit *unit,
                                  const struct cm_fortran_variable *argument,
                                  struct cm_source_place place,
                                  const struct cm_fortran_unit **called)
{
    *called = unit != NULL ? unit : cm_fortran_binding_of(run, argument)->unit;
    if (*called == NULL)
        return cm_fortran_fail(run, place, "the argument %s was left out", argument->name);
    return CM_OK;
}

enum cm_status cm_fortran_scalar_of(struct cm_fortran_run *run,
                                    const struct cm_fortran_variable *variable,
                                    struct cm_source_place place, union cm_fortran_value **scalar)
{
    *scalar = cm_fortran_binding_of(run, variable)->scalar;
    if (*scalar == NULL)
        return cm_fortran_fail(run, place, "the argument %s was left out", variable->name);
    return CM_OK;
}

enum cm_status cm_fortran_array_of(struct cm_fortran_run *run,
                                   const struct cm_fortran_variable *variable,
                                   struct cm_source_place place, struct cm_fortran_array **array)
{
    *array = cm_fortran_binding_of(run, variable)->array;
    if (*array != NULL)
        return CM_OK;
    if (variable->storage == CM_FORTRAN_DUMMY)
        return cm_fortran_fail(run, place, "the argument %s was left out", variable->name);
    enum cm_status status = cm_fortran_fail(run, place, "%s is not allocated", variable->name);
    cm_error_hint(run->err, "ALLOCATE (%s(...)) gives it its bounds", variable->name);
    return status;
}

const struct cm_fortran_array *cm_fortran_mask(const struct cm_fortran_run *run)
{
    return run->mask_count > run->frame->mask_base ? run->masks[run->mask_count - 1].active : NULL;
}
