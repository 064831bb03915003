/* Calls a subroutine from outside of a program (entry.h). A frame is made in place of the caller's
 * frame. Its variables are the actual arguments. */
#include "entry.h"

#include "../../base/suggest.h"
#include "../../programs/workload/keys.h"
#include "run_private.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NAMES_MAX 256u /* largest number of names that a hint chooses from */

const struct cm_fortran_unit *cm_fortran_find_subroutine(const struct cm_fortran_program *program,
                                                         const char *name, struct cm_error *err)
{
    const char *names[NAMES_MAX] = {0};
    char list[CM_LIST_BYTES];
    uint32_t count = 0;
    for (uint32_t u = 0; u < program->unit_count; u++) {
        const struct cm_fortran_unit *unit = program->units[u];
        bool callable = unit != program->main && !unit->is_function;
        if (callable && strcasecmp(unit->name, name) == 0)
            return unit;
        if (callable && count < NAMES_MAX)
            names[count++] = unit->name;
    }
    const char *near = cm_suggest(name, names, count);
    cm_error_set(err, CM_BAD_INPUT, "%.200s has no subroutine \"%.64s\"",
                 cm_source_name(program->source, 0), name);
    if (near != NULL)
        cm_error_hint(err, "did you mean \"%s\"?", near);
    else if (count > 0)
        cm_error_hint(err, "it has %s", cm_names_join(names, count, ", ", list));
    return NULL;
}

/* A variable of the caller's frame that stands for an actual argument, and the expression that
 * names it. */
struct entry {
    struct cm_fortran_variable variable;
    struct cm_fortran_expression reference, *argument;
    struct cm_fortran_binding binding;
    struct cm_fortran_array array;
    union cm_fortran_value value;
};

static void bind_array(struct entry *entry, struct cm_array *array)
{
    const struct cm_layout *layout = &array->layout;
    entry->array = (struct cm_fortran_array){.type = layout->type,
                                             .rank = layout->rank,
                                             .elements = layout->elements,
                                             .borrowed = true,
                                             .machine = array};
    for (uint32_t i = 0; i < layout->rank; i++) {
        entry->array.lower[i] = 1;
        entry->array.extent[i] = layout->axes[i].length;
    }
    entry->binding.array = &entry->array;
}

static void make_entry(struct entry *entry, const struct cm_fortran_variable *dummy, uint32_t slot,
                       const struct cm_fortran_actual *actual)
{
    entry->variable = *dummy;
    entry->variable.storage = CM_FORTRAN_LOCAL;
    entry->variable.is_optional = false;
    entry->variable.slot = slot;
    entry->reference = (struct cm_fortran_expression){.kind = CM_FORTRAN_VARIABLE,
                                                      .type = dummy->type,
                                                      .rank = dummy->rank,
                                                      .place = dummy->place,
                                                      .variable = &entry->variable};
    entry->argument = &entry->reference;
    entry->value = actual->value;
    entry->binding.scalar = &entry->value;
    if (actual->array != NULL)
        bind_array(entry, actual->array);
}

enum cm_status cm_fortran_run_call(struct cm_fortran_run *run, const struct cm_fortran_unit *unit,
                                   const struct cm_fortran_actual *actuals, struct cm_error *err)
{
    size_t count = (size_t)unit->argument_count + 1;
    struct entry *entries = calloc(count, sizeof *entries);
    struct cm_fortran_binding *bindings = calloc(count, sizeof *bindings);
    struct cm_fortran_expression **arguments = calloc(count, sizeof *arguments);
    struct cm_fortran_frame caller = {.unit = unit, .locals = bindings};
    enum cm_status status = CM_OK;
    if (entries == NULL || bindings == NULL || arguments == NULL)
        status = cm_error_no_memory(err);
    for (uint32_t i = 0; status == CM_OK && i < unit->argument_count; i++) {
        make_entry(&entries[i], unit->arguments[i], i, &actuals[i]);
        bindings[i] = entries[i].binding;
        arguments[i] = entries[i].argument;
    }
    if (status == CM_OK) {
        run->frame = &caller;
        status = cm_fortran_run_enter(run, unit, arguments, err);
        run->frame = NULL;
    }
    free(entries);
    free(bindings);
    free(arguments);
    return status;
}
