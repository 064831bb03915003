/*
 * Executes calls of program units: binds arguments, makes local variables, and returns the result
 * of a function.
 *
 * Arguments are passed by reference. A dummy array is a view: a struct cm_fortran_array with its
 * own bounds that borrows the elements of the actual array. A section or an expression is copied to
 * a temporary array, and a section is copied back after the call. Actual arguments are evaluated in
 * the caller's frame, and bounds of dummy arguments in the frame of the called unit.
 */
#include "run_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* State of an actual argument during a call, such as a copy that was made for it. */
struct copied {
    /* section to which the copy is copied back after the call, or NULL */
    const struct cm_fortran_expression *back;
    struct cm_fortran_array *array;
    uint32_t argument;
    /* Array and index of an array element that was passed as a scalar, found before the call,
     * because the call may change the subscripts. */
    struct cm_fortran_array *element_of;
    uint64_t element;
    /* Array that was passed without a copy, and the number of its first element that belongs to the
     * dummy argument. */
    struct cm_fortran_array *begins_in;
    uint64_t first;
    char *text; /* copied characters of a CHARACTER expression or section, which this struct owns */
};

static enum cm_status find_extent(struct cm_fortran_run *run,
                                  const struct cm_fortran_variable *variable, uint32_t i,
                                  int64_t *lower, uint64_t *extent)
{
    const struct cm_fortran_bound *bound = &variable->bounds[i];
    int64_t upper;
    enum cm_status status = CM_OK;
    *lower = 1;
    if (bound->lower != NULL)
        status = cm_fortran_integer(run, bound->lower, lower);
    if (status != CM_OK || bound->upper == NULL)
        return status;
    status = cm_fortran_integer(run, bound->upper, &upper);
    *extent = upper >= *lower ? (uint64_t)(upper - *lower) + 1 : 0;
    return status;
}

enum cm_status cm_fortran_array_make(struct cm_fortran_run *run,
                                     const struct cm_fortran_variable *variable,
                                     const uint64_t *extent, struct cm_fortran_array **array)
{
    /* a CHARACTER array has its bounds in this array, and its characters in the variable's text */
    enum cm_type type =
        variable->type == CM_FORTRAN_CHARACTER ? CM_TYPE_LOGICAL : (enum cm_type)variable->type;
    if (variable->on_machine)
        return cm_fortran_array_machine(run, variable, extent, array);
    return cm_fortran_array_host(run, type, variable->rank, extent, array);
}

enum cm_status cm_fortran_array_declare(struct cm_fortran_run *run,
                                        const struct cm_fortran_variable *variable,
                                        struct cm_fortran_array **array)
{
    int64_t lower[CM_RANK_MAX];
    uint64_t extent[CM_RANK_MAX] = {0};
    enum cm_status status = CM_OK;
    *array = NULL;
    for (uint32_t i = 0; i < variable->rank && status == CM_OK; i++)
        status = find_extent(run, variable, i, &lower[i], &extent[i]);
    if (status == CM_OK)
        status = cm_fortran_array_make(run, variable, extent, array);
    if (status == CM_OK)
        memcpy((*array)->lower, lower, variable->rank * sizeof(lower[0]));
    return status;
}

/* Makes the array of a dummy argument. It borrows the elements of the actual array from number
 * `first` on, and has the dummy argument's bounds. */
static enum cm_status view(struct cm_fortran_run *run, const struct cm_fortran_variable *dummy,
                           const struct cm_fortran_array *actual, uint64_t first,
                           struct cm_source_place place, struct cm_fortran_array *seen)
{
    const uint64_t elements = actual->elements - first;
    char *host = actual->host;
    bool same = dummy->rank == actual->rank;
    enum cm_status status = CM_OK;
    if (host != NULL)
        host += first * cm_type_host_bytes(actual->type);
    memset(seen, 0, sizeof(*seen));
    seen->type = actual->type;
    seen->rank = dummy->rank;
    seen->host = host;
    seen->machine = actual->machine;
    seen->borrowed = true;
    seen->elements = 1;
    for (uint32_t i = 0; i < dummy->rank && status == CM_OK; i++) {
        bool is_last = i + 1 == dummy->rank;
        seen->extent[i] = i < actual->rank ? actual->extent[i] : 1;
        status = find_extent(run, dummy, i, &seen->lower[i], &seen->extent[i]);
        if (is_last && dummy->assumed_size)
            seen->extent[i] =
                same ? actual->extent[i] : elements / (seen->elements > 0 ? seen->elements : 1);
        same = same && seen->extent[i] == actual->extent[i];
        if (seen->extent[i] != 0 && seen->elements > UINT64_MAX / seen->extent[i])
            return cm_fortran_fail(run, place, "argument %s is too large in the subprogram",
                                   dummy->name);
        seen->elements *= seen->extent[i];
    }
    if (status != CM_OK || same)
        return status;
    if (cm_fortran_on_machine(actual))
        return cm_fortran_fail(run, place,
                               "argument %s has another shape in the subprogram; "
                               "an array on the CM keeps its shape: pass a section",
                               dummy->name);
    if (seen->elements > elements)
        return cm_fortran_fail(run, place,
                               "argument %s has %" PRIu64
                               " elements in the subprogram, but %" PRIu64 " are passed",
                               dummy->name, seen->elements, elements);
    return CM_OK;
}

/* Returns true if the actual argument is a section that is copied back after the call. A section
 * with a vector of subscripts is not, because the vector may name an element twice. */
static bool is_copied_back(const struct cm_fortran_expression *actual)
{
    bool simple = actual->kind == CM_FORTRAN_SECTION;
    for (uint32_t i = 0; simple && i < actual->count; i++)
        simple = actual->args[i]->kind == CM_FORTRAN_TRIPLET || actual->args[i]->rank == 0;
    return simple;
}

/* Copies a section of an array with serial axes for an array argument, within the nodes. Leaves
 * copied->array NULL if the front end must copy the section. */
static enum cm_status bind_view(struct cm_fortran_run *run, const struct cm_fortran_variable *dummy,
                                const struct cm_fortran_expression *actual, struct copied *copied)
{
    struct cm_fortran_section section;
    bool done = false;
    if (!dummy->on_machine || !cm_fortran_is_serial_section(run, actual))
        return CM_OK;
    enum cm_status status = cm_fortran_section_find(run, actual, &section);
    if (status != CM_OK)
        return status;
    if (section.elements > 0 && section.rank == dummy->rank)
        status = cm_fortran_array_machine(run, dummy, section.extent, &copied->array);
    cm_fortran_section_finish(&section);
    if (status == CM_OK && copied->array != NULL)
        status = cm_fortran_copy_argument(run, actual, copied->array, false, &done);
    if (status != CM_OK || done)
        return status;
    cm_fortran_array_destroy(run, copied->array);
    copied->array = NULL;
    return CM_OK;
}

/* Returns the storage of dummy argument number `i` of the called unit. In an ENTRY the slots of the
 * arguments differ from their order. */
static struct cm_fortran_binding *argument_of(const struct cm_fortran_frame *frame, uint32_t i)
{
    return &frame->arguments[frame->unit->arguments[i]->slot];
}

/* Copies an expression or a section for an array argument. The copy is in the front end or on the
 * machine, where the dummy argument belongs. */
static enum cm_status bind_copy(struct cm_fortran_run *run, const struct cm_fortran_variable *dummy,
                                const struct cm_fortran_expression *actual, struct copied *copied)
{
    struct cm_fortran_array *value = NULL;
    struct cm_fortran_text text = {0};
    bool is_text = actual->type == CM_FORTRAN_CHARACTER;
    enum cm_status status = is_text ? CM_OK : bind_view(run, dummy, actual, copied);
    if (status != CM_OK || copied->array != NULL) {
        copied->back = is_copied_back(actual) ? actual : NULL;
        return status;
    }
    status = is_text ? cm_fortran_text_section(run, actual, &text, &value)
                     : cm_fortran_host_value(run, actual, &value);
    copied->array = value;
    copied->text = text.bytes;
    if (status != CM_OK)
        return status;
    copied->back = is_copied_back(actual) ? actual : NULL;
    if (!dummy->on_machine || value->elements == 0)
        return CM_OK;
    status = cm_fortran_array_machine(run, dummy, value->extent, &copied->array);
    if (status == CM_OK)
        status = cm_fortran_array_replace(run, copied->array, value->host, value->elements);
    cm_fortran_array_destroy(run, value);
    return status;
}

static enum cm_status bind_array(struct cm_fortran_run *run, struct cm_fortran_frame *frame,
                                 uint32_t i, const struct cm_fortran_expression *actual,
                                 const struct copied *copied)
{
    const struct cm_fortran_variable *dummy = frame->unit->arguments[i];
    struct cm_fortran_array *seen = calloc(1, sizeof(*seen));
    if (seen == NULL)
        return cm_fortran_no_memory(run);
    argument_of(frame, i)->array = seen;
    const struct cm_fortran_array *from = copied->array != NULL ? copied->array : copied->begins_in;
    enum cm_status status = view(run, dummy, from, copied->first, actual->place, seen);
    /* the length was that of one element, and becomes that of all elements of the dummy argument */
    if (status == CM_OK && dummy->type == CM_FORTRAN_CHARACTER)
        argument_of(frame, i)->scalar->text.length *= (uint32_t)seen->elements;
    return status;
}

/* Finds the array that is an actual argument, or the array whose element begins the argument.
 * Copies other arguments. Evaluates subscripts in the caller's frame. */
static enum cm_status find_actual(struct cm_fortran_run *run,
                                  const struct cm_fortran_variable *dummy,
                                  const struct cm_fortran_expression *actual, struct copied *copied)
{
    struct cm_fortran_array **array = &copied->begins_in;
    if (actual->kind == CM_FORTRAN_VARIABLE)
        return cm_fortran_array_of(run, actual->variable, actual->place, array);
    if (actual->kind != CM_FORTRAN_ELEMENT)
        return bind_copy(run, dummy, actual, copied);
    enum cm_status status = cm_fortran_array_of(run, actual->variable, actual->place, array);
    if (status == CM_OK)
        status = cm_fortran_offset(run, actual, *array, &copied->first);
    if (status == CM_OK && cm_fortran_on_machine(*array) && copied->first != 0)
        status = cm_fortran_fail(run, actual->place,
                                 "an element of %s, which is on the CM, is passed as an array; "
                                 "pass the array or a section",
                                 actual->variable->name);
    return status;
}

/* Binds a CHARACTER argument to the characters of a variable, an array element or a substring.
 * Copies other arguments. */
static enum cm_status bind_text(struct cm_fortran_run *run, const struct cm_fortran_variable *dummy,
                                const struct cm_fortran_expression *actual, struct copied *copied,
                                struct cm_fortran_text *text)
{
    bool is_place = actual->variable != NULL &&
                    (actual->kind == CM_FORTRAN_VARIABLE || actual->kind == CM_FORTRAN_ELEMENT ||
                     actual->kind == CM_FORTRAN_SUBSTRING);
    enum cm_status status = is_place ? cm_fortran_text_place(run, actual, text)
                                     : cm_fortran_text_copy(run, actual, text);
    if (!is_place && status == CM_OK)
        copied->text = text->bytes;
    if (status != CM_OK || dummy->length < 0)
        return status;
    if (text->length < (uint32_t)dummy->length)
        return cm_fortran_fail(run, actual->place,
                               "argument %s has %" PRId32 " characters, but %" PRIu32 " are passed",
                               dummy->name, dummy->length, text->length);
    text->length = (uint32_t)dummy->length;
    return CM_OK;
}

/* Binds the characters of a CHARACTER array argument. Fails if the dummy argument declares another
 * length of elements, because the characters would be divided differently. */
static enum cm_status bind_texts(struct cm_fortran_run *run, struct cm_fortran_frame *frame,
                                 uint32_t i, const struct cm_fortran_expression *actual,
                                 const struct copied *copied)
{
    const struct cm_fortran_variable *dummy = frame->unit->arguments[i];
    struct cm_fortran_binding *binding = argument_of(frame, i);
    const struct cm_fortran_binding *own = cm_fortran_binding_of(run, actual->variable);
    uint32_t length = cm_fortran_text_length(actual->variable, own->array, &own->scalar->text);
    char *bytes = copied->text != NULL ? copied->text : own->scalar->text.bytes;
    if (dummy->length >= 0 && (uint32_t)dummy->length != length)
        return cm_fortran_fail(run, actual->place,
                               "the elements of argument %s have %" PRId32
                               " characters, but those of the array %" PRIu32,
                               dummy->name, dummy->length, length);
    binding->scalar = &frame->values[frame->unit->locals + i];
    binding->scalar->text = (struct cm_fortran_text){bytes, length};
    return CM_OK;
}

static enum cm_status bind_scalar(struct cm_fortran_run *run, struct cm_fortran_frame *frame,
                                  uint32_t i, const struct cm_fortran_expression *actual,
                                  struct copied *copied)
{
    if (actual->type == CM_FORTRAN_CHARACTER) {
        argument_of(frame, i)->scalar = &frame->values[frame->unit->locals + i];
        return bind_text(run, frame->unit->arguments[i], actual, copied,
                         &argument_of(frame, i)->scalar->text);
    }
    if (actual->kind == CM_FORTRAN_VARIABLE) {
        argument_of(frame, i)->scalar = cm_fortran_binding_of(run, actual->variable)->scalar;
        return CM_OK;
    }
    argument_of(frame, i)->scalar = &frame->values[frame->unit->locals + i];
    if (actual->kind != CM_FORTRAN_ELEMENT)
        return cm_fortran_scalar(run, actual, argument_of(frame, i)->scalar);
    enum cm_status status =
        cm_fortran_array_of(run, actual->variable, actual->place, &copied->element_of);
    if (status == CM_OK)
        status = cm_fortran_offset(run, actual, copied->element_of, &copied->element);
    if (status == CM_OK)
        status = cm_fortran_element_get(run, copied->element_of, copied->element,
                                        argument_of(frame, i)->scalar);
    return status;
}

/* Returns true if an actual argument was left out, or if it is an optional dummy argument of the
 * caller that was left out in the caller's own call. */
static bool is_absent(struct cm_fortran_run *run, const struct cm_fortran_expression *actual)
{
    if (actual == NULL)
        return true;
    if ((actual->kind != CM_FORTRAN_VARIABLE && actual->kind != CM_FORTRAN_PROCEDURE) ||
        actual->variable == NULL || !actual->variable->is_optional)
        return false;
    const struct cm_fortran_binding *binding = cm_fortran_binding_of(run, actual->variable);
    return binding->array == NULL && binding->scalar == NULL && binding->unit == NULL;
}

/* Binds all arguments of a call. Arrays are bound after the scalars, because the bounds of dummy
 * arrays may name scalar arguments. */
static enum cm_status bind(struct cm_fortran_run *run, struct cm_fortran_frame *frame,
                           struct cm_fortran_expression *const *args, struct copied *copied)
{
    const struct cm_fortran_unit *unit = frame->unit;
    bool absent[CM_FORTRAN_ARGUMENTS_MAX] = {0};
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; i < unit->argument_count && status == CM_OK; i++) {
        copied[i].argument = i;
        absent[i] = is_absent(run, args[i]);
        if (absent[i])
            continue;
        if (unit->arguments[i]->is_procedure)
            status = cm_fortran_unit_of(run, args[i]->unit, args[i]->variable, args[i]->place,
                                        &argument_of(frame, i)->unit);
        else if (unit->arguments[i]->rank == 0)
            status = bind_scalar(run, frame, i, args[i], &copied[i]);
        else
            status = find_actual(run, unit->arguments[i], args[i], &copied[i]);
        if (status == CM_OK && unit->arguments[i]->rank > 0 &&
            args[i]->type == CM_FORTRAN_CHARACTER)
            status = bind_texts(run, frame, i, args[i], &copied[i]);
    }
    run->frame = frame;
    for (uint32_t i = 0; i < unit->argument_count && status == CM_OK; i++)
        if (unit->arguments[i]->rank > 0 && !absent[i])
            status = bind_array(run, frame, i, args[i], &copied[i]);
    return status;
}

/* Copies an argument back to the section or element that was passed. Runs in the caller's frame. */
static enum cm_status copy_back(struct cm_fortran_run *run, struct cm_fortran_frame *frame,
                                struct copied *copied)
{
    struct cm_fortran_array *value = NULL;
    if (copied->element_of != NULL)
        return cm_fortran_element_put(run, copied->element_of, copied->element,
                                      argument_of(frame, copied->argument)->scalar);
    if (copied->back == NULL)
        return CM_OK;
    if (copied->text != NULL)
        return cm_fortran_text_section_put(run, copied->back, copied->text);
    bool done = false;
    enum cm_status status = CM_OK;
    if (cm_fortran_is_serial_section(run, copied->back))
        status = cm_fortran_copy_argument(run, copied->back, copied->array, true, &done);
    if (status != CM_OK || done)
        return status;
    status = cm_fortran_array_copy(run, copied->array, copied->array->elements, &value);
    if (status == CM_OK)
        status = cm_fortran_host_assign(run, copied->back, value, NULL);
    cm_fortran_array_destroy(run, value);
    return status;
}

static enum cm_status make_locals(struct cm_fortran_run *run, struct cm_fortran_frame *frame)
{
    const struct cm_fortran_unit *unit = frame->unit;
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; i < unit->variable_count && status == CM_OK; i++) {
        const struct cm_fortran_variable *variable = unit->variables[i];
        if (variable->storage != CM_FORTRAN_LOCAL && variable->storage != CM_FORTRAN_RESULT)
            continue;
        struct cm_fortran_binding *binding = &frame->locals[variable->slot];
        if (variable->rank == 0 || variable->type == CM_FORTRAN_CHARACTER)
            binding->scalar = &frame->values[variable->slot];
        if (variable->rank > 0 && !variable->allocatable)
            status = cm_fortran_array_declare(run, variable, &binding->array);
        if (status == CM_OK && variable->type == CM_FORTRAN_CHARACTER)
            status = cm_fortran_text_make(run, variable, binding->array, &binding->scalar->text);
    }
    return status;
}

static void drop_frame(struct cm_fortran_run *run, struct cm_fortran_frame *frame)
{
    for (uint32_t i = 0; frame->locals != NULL && i < frame->unit->locals; i++)
        cm_fortran_array_destroy(run, frame->locals[i].array);
    for (uint32_t i = 0; frame->arguments != NULL && i < frame->unit->argument_count; i++)
        if (frame->unit->arguments[i]->rank > 0)
            free(argument_of(frame, i)->array);
    for (uint32_t i = 0; frame->values != NULL && i < frame->unit->variable_count; i++) {
        const struct cm_fortran_variable *variable = frame->unit->variables[i];
        if (variable->type == CM_FORTRAN_CHARACTER && variable->storage == CM_FORTRAN_LOCAL)
            free(frame->values[variable->slot].text.bytes);
    }
    free(frame->locals);
    free(frame->arguments);
    free(frame->values);
    free(frame->loops);
}

static enum cm_status make_frame(struct cm_fortran_run *run, const struct cm_fortran_unit *unit,
                                 struct cm_fortran_frame *frame)
{
    size_t values = (size_t)unit->locals + unit->argument_count;
    *frame =
        (struct cm_fortran_frame){.unit = unit, .caller = run->frame, .mask_base = run->mask_count};
    frame->lines = cm_fortran_lines_of(run, unit);
    frame->locals = calloc((size_t)unit->locals + 1, sizeof(*frame->locals));
    frame->arguments =
        calloc((size_t)unit->argument_count + unit->slots + 1, sizeof(*frame->arguments));
    frame->values = calloc(values + 1, sizeof(*frame->values));
    frame->loops = calloc((size_t)unit->loops + 1, sizeof(*frame->loops));
    bool failed = frame->locals == NULL || frame->arguments == NULL || frame->values == NULL ||
                  frame->loops == NULL;
    return failed ? cm_fortran_no_memory(run) : CM_OK;
}

/* Moves a function's value out of the frame of the call, to `value` or `result`. */
static void take_result(struct cm_fortran_frame *frame, union cm_fortran_value *value,
                        struct cm_fortran_array **result)
{
    const struct cm_fortran_variable *variable = frame->unit->result;
    if (variable == NULL)
        return;
    struct cm_fortran_binding *binding = &frame->locals[variable->slot];
    if (value != NULL && variable->rank == 0)
        *value = *binding->scalar;
    if (result != NULL && variable->rank > 0) {
        *result = binding->array;
        binding->array = NULL;
    }
}

enum cm_status cm_fortran_call(struct cm_fortran_run *run, const struct cm_fortran_unit *unit,
                               struct cm_fortran_expression *const *args,
                               struct cm_source_place place, union cm_fortran_value *value,
                               struct cm_fortran_array **result)
{
    struct cm_fortran_frame frame, *caller = run->frame;
    struct copied copied[CM_FORTRAN_ARGUMENTS_MAX] = {0};
    const struct cm_fortran_statement *statement = run->statement;
    const struct cm_fortran_selection *selection = run->selection;
    if (run->depth >= CM_FORTRAN_DEPTH_MAX)
        return cm_fortran_fail(run, place, "calls nest deeper than %u", CM_FORTRAN_DEPTH_MAX);
    if (unit->argument_count > CM_FORTRAN_ARGUMENTS_MAX)
        return cm_fortran_fail(run, place, "%s has more than %u arguments", unit->name,
                               CM_FORTRAN_ARGUMENTS_MAX);
    run->depth++;
    run->selection = NULL;
    enum cm_status status = make_frame(run, unit, &frame);
    if (status == CM_OK)
        status = bind(run, &frame, args, copied);
    run->frame = &frame;
    if (status == CM_OK)
        status = make_locals(run, &frame);
    if (status == CM_OK)
        status = cm_fortran_execute(run);
    if (status == CM_OK && run->stopped && unit->is_function)
        /* the statement that called the function must not be completed after a STOP */
        status = CM_INTERRUPTED;
    if (status == CM_OK)
        take_result(&frame, value, result);
    run->frame = caller;
    run->statement = statement;
    if (statement != NULL)
        /* the observer learns that the caller's statement continues */
        cm_fortran_observe(run, statement);
    run->selection = selection;
    for (uint32_t i = 0; i < unit->argument_count; i++) {
        if (status == CM_OK)
            status = copy_back(run, &frame, &copied[i]);
        cm_fortran_array_destroy(run, copied[i].array);
        free(copied[i].text);
    }
    drop_frame(run, &frame);
    run->depth--;
    return status;
}
