/* The step "call" of a workload, which calls a subroutine of a CM Fortran file with arrays of the
 * workload. */
#include "step_private.h"

#include "entry.h"

#include <math.h>
#include <string.h>

#define ARGUMENTS_MAX 64u

/* An actual argument of the subroutine, as the workload gives it. */
struct argument {
    struct cm_json json;
    /* true if the argument is JSON true or false, which value.number.re stores as 1 or 0 */
    bool is_logical;
    struct cm_workload_value value;
};

struct own {
    struct cm_fortran_step_own common;
    struct cm_json name_json;
    const char *name;
    struct argument *arguments;
    uint32_t count;
};

static const struct cm_key keys[] = {
    CM_FORTRAN_STEP_KEYS(struct own, common),
    CM_KEY_FORM("subroutine", "name of a subroutine", "name", "what is called", .required = true),
    CM_KEY_FORM("arguments", "list of arrays, scalars, numbers, true and false", "actual_arguments",
                "its arguments, in order; what it does to arrays is done to "
                "those of the workload, scalars stay as they are",
                .otherwise = "no arguments"),
};

/* ---- reading of the keys ---- */

static void read_argument(struct cm_workload *workload, struct cm_reader *reader,
                          struct cm_json json, struct argument *argument)
{
    argument->json = json;
    argument->is_logical = cm_json_kind(json) == CM_JSON_BOOL;
    if (!argument->is_logical) {
        cm_workload_read_value(workload, reader, json, "an argument", &argument->value);
        return;
    }
    argument->value = (struct cm_workload_value){.json = json, .array = CM_NO_ARRAY};
    argument->value.number.re = cm_read_bool(reader, json, "an argument");
}

static void read_call(struct cm_workload *workload, struct cm_workload_step *step,
                      struct cm_reader *reader)
{
    struct own *own = step->own;
    struct cm_json list;
    own->name_json = cm_read_member(reader, step->body, "subroutine");
    own->name = cm_read_string(reader, own->name_json, "subroutine");
    if (!cm_read_optional(reader, step->body, "arguments", &list))
        return;
    own->count = cm_read_list(reader, list, "arguments", 0, ARGUMENTS_MAX);
    own->arguments = cm_workload_allocate(workload, reader, own->count, sizeof *own->arguments);
    for (uint32_t i = 0; i < own->count && cm_reader_ok(reader); i++)
        read_argument(workload, reader, cm_json_at(list, i, NULL), &own->arguments[i]);
}

/* ---- arguments ---- */

/* Adds a hint that says where the subroutine declares a dummy argument. */
static enum cm_status declared(const struct cm_source *source,
                               const struct cm_fortran_variable *dummy, struct cm_error *err)
{
    return cm_error_hint(err, "%s is declared at %s:%u:%u", dummy->name,
                         cm_source_name(source, dummy->place.file), (unsigned)dummy->place.line,
                         (unsigned)dummy->place.column);
}

static enum cm_status check_array(const struct cm_run *run, const struct argument *argument,
                                  const struct cm_source *source,
                                  const struct cm_fortran_variable *dummy, struct cm_error *err)
{
    if (argument->is_logical || argument->value.array == CM_NO_ARRAY) {
        cm_json_error(argument->json, err, "argument %s of the subroutine is an array",
                      dummy->name);
        return declared(source, dummy, err);
    }
    const struct cm_array *array = run->arrays[argument->value.array];
    if (cm_array_is_allocated(array)) {
        cm_json_error(argument->json, err, "\"%s\" has an allocation of its own", array->name);
        return cm_error_hint(err, "subroutines take arrays in the canonical layout");
    }
    if (array->layout.type != dummy->type) {
        cm_json_error(argument->json, err, "\"%s\" is %s, but argument %s is %s", array->name,
                      cm_type_name(array->layout.type), dummy->name,
                      cm_fortran_type_text(dummy->type));
        return declared(source, dummy, err);
    }
    if (array->layout.rank != dummy->rank) {
        cm_json_error(argument->json, err, "\"%s\" has rank %u, but argument %s has rank %u",
                      array->name, (unsigned)array->layout.rank, dummy->name,
                      (unsigned)dummy->rank);
        return declared(source, dummy, err);
    }
    return CM_OK;
}

/* Returns true if a scalar of this type can hold the value of an argument. */
static bool can_hold(uint8_t type, const struct argument *argument, const struct cm_number *number)
{
    if (argument->is_logical || type == CM_TYPE_LOGICAL)
        return argument->is_logical && type == CM_TYPE_LOGICAL;
    if (type == CM_TYPE_INT32)
        return !number->complex && number->re == floor(number->re) && number->re >= INT32_MIN &&
               number->re <= INT32_MAX;
    bool is_complex = type == CM_TYPE_COMPLEX64 || type == CM_TYPE_COMPLEX128;
    return type < CM_TYPE_COUNT && (is_complex || !number->complex);
}

/* Finds the current value of a scalar argument, in the type of the dummy argument. */
static enum cm_status find_scalar(const struct cm_run *run, const struct argument *argument,
                                  const struct cm_source *source,
                                  const struct cm_fortran_variable *dummy,
                                  union cm_fortran_value *value, struct cm_error *err)
{
    if (!argument->is_logical && argument->value.array != CM_NO_ARRAY) {
        cm_json_error(argument->json, err, "argument %s of the subroutine is a scalar",
                      dummy->name);
        return declared(source, dummy, err);
    }
    const struct cm_number *number = cm_run_number(run, &argument->value);
    if (!can_hold(dummy->type, argument, number)) {
        cm_json_error(argument->json, err, "this is not a value of the %s argument %s",
                      cm_fortran_type_text(dummy->type), dummy->name);
        return declared(source, dummy, err);
    }
    cm_init_element((enum cm_type)dummy->type, number, value);
    return CM_OK;
}

/* Checks the arguments against the dummy arguments of the subroutine, and fills `actuals`. Shapes
 * are checked when the subroutine is called, because they may depend on other arguments. */
static enum cm_status check_arguments(const struct cm_run *run, const struct own *own,
                                      const struct cm_fortran_step_state *state,
                                      const struct cm_fortran_unit *unit,
                                      struct cm_fortran_actual *actuals, struct cm_error *err)
{
    enum cm_status status = CM_OK;
    if (own->count != unit->argument_count) {
        cm_json_error(own->name_json, err, "%s takes %u argument%s, found %u", unit->name,
                      (unsigned)unit->argument_count, unit->argument_count == 1 ? "" : "s",
                      (unsigned)own->count);
        return cm_error_hint(err, "it begins at %s:%u:%u",
                             cm_source_name(state->source, unit->place.file),
                             (unsigned)unit->place.line, (unsigned)unit->place.column);
    }
    for (uint32_t i = 0; i < own->count && status == CM_OK; i++) {
        const struct cm_fortran_variable *dummy = unit->arguments[i];
        const struct argument *argument = &own->arguments[i];
        actuals[i] = (struct cm_fortran_actual){0};
        if (dummy->is_procedure) {
            cm_json_error(argument->json, err, "argument %s of the subroutine is a procedure",
                          dummy->name);
            status = declared(state->source, dummy, err);
        } else if (dummy->rank > 0) {
            status = check_array(run, argument, state->source, dummy, err);
            if (status == CM_OK)
                actuals[i].array = run->arrays[argument->value.array];
        } else {
            status = find_scalar(run, argument, state->source, dummy, &actuals[i].value, err);
        }
    }
    return status;
}

static enum cm_status find_unit(const struct own *own, const struct cm_fortran_step_state *state,
                                const struct cm_fortran_unit **unit, struct cm_error *err)
{
    *unit = cm_fortran_find_subroutine(state->program, own->name, err);
    return *unit != NULL ? CM_OK : cm_workload_place(own->name_json, err);
}

static enum cm_status prepare(struct cm_run *run, struct cm_run_step *step, struct cm_error *err)
{
    const struct own *own = step->step->own;
    struct cm_fortran_step_state *state = step->state;
    struct cm_fortran_actual actuals[ARGUMENTS_MAX];
    const struct cm_fortran_unit *unit;
    enum cm_status status = cm_fortran_step_compile(run, &own->common, NULL, state, err);
    if (status == CM_OK)
        status = find_unit(own, state, &unit, err);
    if (status == CM_OK)
        status = check_arguments(run, own, state, unit, actuals, err);
    if (status != CM_OK)
        return status;
    struct cm_fortran_run_options options = cm_fortran_step_options(run, &own->common);
    options.unit = unit;
    return cm_fortran_run_create(state->program, run->system, &options, &state->run, err);
}

static enum cm_status call(struct cm_run *run, struct cm_run_step *step, struct cm_error *err)
{
    const struct own *own = step->step->own;
    struct cm_fortran_step_state *state = step->state;
    struct cm_fortran_actual actuals[ARGUMENTS_MAX];
    const struct cm_fortran_unit *unit;
    enum cm_status status = cm_fortran_step_needs_data(run, err);
    if (status == CM_OK)
        status = find_unit(own, state, &unit, err);
    if (status == CM_OK)
        status = check_arguments(run, own, state, unit, actuals, err);
    state->counters_before = cm_fortran_run_counters(state->run);
    if (status == CM_OK)
        status = cm_fortran_run_call(state->run, unit, actuals, err);
    if (status == CM_OK)
        cm_fortran_step_stopped(run, step);
    if (status == CM_BAD_INPUT && err != NULL && err->file[0] != '\0')
        cm_workload_hint_place(own->name_json, err);
    return status;
}

/* ---- check ---- */

static bool is_argument(const struct own *own, uint32_t array)
{
    for (uint32_t i = 0; i < own->count; i++)
        if (!own->arguments[i].is_logical && own->arguments[i].value.array == array)
            return true;
    return false;
}

/* Reports the results of the check. The statements were compared when they were executed. Arrays
 * that were passed become the new reference. Other arrays must equal the reference. */
static enum cm_status check(struct cm_run *run, const struct cm_run_step *step,
                            struct cm_step_result *result, struct cm_error *err)
{
    const struct own *own = step->step->own;
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; i < run->workload->array_count && status == CM_OK; i++) {
        if (is_argument(own, i))
            status = cm_array_gather(run->system, run->arrays[i], run->reference[i].elements, err);
        else
            status = cm_run_check_array(run, step, i, 0, result, err);
    }
    if (status == CM_OK)
        cm_fortran_step_count(run, step, result, err);
    return status;
}

const struct cm_step_kind cm_fortran_step_call = {
    .name = "call",
    .summary = "a subroutine in CM Fortran, on arrays of the workload",
    .example = "{\"call\": {\"file\": \"relax.fcm\", \"subroutine\": \"RELAX\", \"arguments\": "
               "[\"u\", \"f\", 0.25, 10]}}",
    .keys = keys,
    .key_count = CM_COUNT_OF(keys),
    .own_bytes = sizeof(struct own),
    .state_bytes = sizeof(struct cm_fortran_step_state),
    .path = "fortran",
    .read = read_call,
    .prepare = prepare,
    .run = call,
    .check = check,
    .so_far = cm_fortran_step_so_far,
    .report = cm_fortran_step_report,
    .finish = cm_fortran_step_finish,
};
