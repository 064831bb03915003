/*
 * Direct evaluation of statements, part 1: makes copies of arrays, and exchanges them for the
 * original arrays (direct.h).
 *
 * While a statement is evaluated, every name of an array on the machine is bound to the array's
 * copy. So the ordinary functions of host/ evaluate the statement, and write to the copy. The
 * evaluation is in direct_statement.c.
 */
#include "direct_private.h"

#include "../machine/group.h"
#include "run_private.h"

#include <stdlib.h>
#include <string.h>

/* ---- names in statements ---- */

typedef enum cm_status (*visit)(struct cm_fortran_run *run, struct cm_fortran_direct *direct,
                                const struct cm_fortran_variable *variable);

static enum cm_status walk(struct cm_fortran_run *run, struct cm_fortran_direct *direct,
                           const struct cm_fortran_expression *expression, visit each)
{
    enum cm_status status = CM_OK;
    if (expression == NULL)
        return CM_OK;
    bool names = expression->kind == CM_FORTRAN_VARIABLE ||
                 expression->kind == CM_FORTRAN_ELEMENT || expression->kind == CM_FORTRAN_SECTION;
    if (names && expression->variable->rank > 0)
        status = each(run, direct, expression->variable);
    for (uint32_t i = 0; i < expression->count && status == CM_OK; i++)
        status = walk(run, direct, expression->args[i], each);
    return status;
}

static bool calls(const struct cm_fortran_expression *expression)
{
    if (expression == NULL)
        return false;
    bool found = expression->kind == CM_FORTRAN_CALL || expression->kind == CM_FORTRAN_LIBRARY;
    for (uint32_t i = 0; i < expression->count && !found; i++)
        found = calls(expression->args[i]);
    return found;
}

/* Returns expression number `i` of a statement, or NULL if this expression is absent. */
static const struct cm_fortran_expression *part(const struct cm_fortran_statement *statement,
                                                uint32_t i)
{
    const struct cm_fortran_forall *forall = statement->forall;
    if (i == 0)
        return statement->target;
    if (i == 1)
        return statement->value;
    i -= 2;
    if (i < statement->count)
        return statement->args[i];
    i -= statement->count;
    if (forall == NULL)
        return NULL;
    if (i < forall->indices)
        return forall->triplets[i];
    i -= forall->indices;
    if (i < forall->assignments)
        return forall->targets[i];
    i -= forall->assignments;
    if (i < forall->assignments)
        return forall->values[i];
    return i == forall->assignments ? forall->mask : NULL;
}

static uint32_t count_parts(const struct cm_fortran_statement *statement)
{
    const struct cm_fortran_forall *forall = statement->forall;
    return 2 + statement->count +
           (forall != NULL ? forall->indices + 2 * forall->assignments + 1 : 0);
}

static bool has_calls(const struct cm_fortran_statement *statement)
{
    for (uint32_t i = 0; i < count_parts(statement); i++)
        if (calls(part(statement, i)))
            return true;
    return false;
}

/* ---- copies ---- */

static enum cm_status copy_elements(struct cm_fortran_run *run,
                                    const struct cm_fortran_array *array, void **elements)
{
    size_t bytes = (size_t)array->elements * cm_type_host_bytes(array->type);
    *elements = malloc(bytes > 0 ? bytes : 1);
    if (*elements == NULL)
        return cm_fortran_no_memory(run);
    return cm_array_gather(run->system, array->machine, *elements, run->err);
}

/* Finds or makes the copy of an array's elements. Several names of the same array share a copy. */
static enum cm_status storage_of(struct cm_fortran_run *run, struct cm_fortran_direct *direct,
                                 const struct cm_fortran_variable *variable,
                                 struct cm_fortran_array *array, uint32_t *number)
{
    for (*number = 0; *number < direct->storages.count; ++*number)
        if (direct->storages.items[*number].real->machine == array->machine)
            return CM_OK;
    struct cm_fortran_direct_storage *storage = cm_list_add(&direct->storages);
    if (storage == NULL)
        return cm_fortran_no_memory(run);
    storage->real = array;
    storage->name = variable->name;
    return copy_elements(run, array, &storage->elements);
}

/* Adds a name of an array on the machine, and the array's copy. Arrays in the front end are not
 * copied, because no statement that is compared assigns them. */
static enum cm_status take(struct cm_fortran_run *run, struct cm_fortran_direct *direct,
                           const struct cm_fortran_variable *variable)
{
    struct cm_fortran_binding *binding = cm_fortran_binding_of(run, variable);
    uint32_t number;
    if (binding->array == NULL || !cm_fortran_on_machine(binding->array))
        return CM_OK;
    for (uint32_t i = 0; i < direct->bindings.count; i++)
        if (direct->bindings.items[i].binding == binding)
            return CM_OK;
    enum cm_status status = storage_of(run, direct, variable, binding->array, &number);
    if (status != CM_OK)
        return status;
    struct cm_fortran_direct_binding *made = cm_list_add(&direct->bindings);
    if (made == NULL)
        return cm_fortran_no_memory(run);
    made->binding = binding;
    made->real = binding->array;
    made->storage = number;
    return CM_OK;
}

static enum cm_status take_statement(struct cm_fortran_run *run, struct cm_fortran_direct *direct,
                                     const struct cm_fortran_statement *statement)
{
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; i < count_parts(statement) && status == CM_OK; i++)
        status = walk(run, direct, part(statement, i), take);
    return status;
}

static void drop(struct cm_fortran_run *run, struct cm_fortran_direct *direct)
{
    for (uint32_t i = 0; i < direct->storages.count; i++) {
        free(direct->storages.items[i].elements);
        free(direct->storages.items[i].bounds);
    }
    cm_list_finish(&direct->storages);
    cm_list_finish(&direct->bindings);
    cm_fortran_array_destroy(run, direct->pending);
    direct->pending = NULL;
}

void cm_fortran_direct_exchange(struct cm_fortran_run *run, struct cm_fortran_direct *direct,
                                bool copies)
{
    run->checker->current = copies ? direct : NULL;
    run->uncharged = copies;
    for (uint32_t i = 0; i < direct->bindings.count; i++) {
        struct cm_fortran_direct_binding *binding = &direct->bindings.items[i];
        binding->view = *binding->real;
        binding->view.host = direct->storages.items[binding->storage].elements;
        binding->view.machine = NULL;
        binding->view.borrowed = true;
        binding->binding->array = copies ? &binding->view : binding->real;
    }
}

const double *cm_fortran_direct_bounds(struct cm_fortran_run *run,
                                       const struct cm_fortran_variable *variable)
{
    const struct cm_fortran_direct *direct = run->checker->current;
    const struct cm_fortran_array *array = cm_fortran_binding_of(run, variable)->array;
    for (uint32_t i = 0; direct != NULL && array != NULL && i < direct->storages.count; i++)
        if (direct->storages.items[i].elements == array->host)
            return direct->storages.items[i].bounds;
    return NULL;
}

/* ---- statements ---- */

static bool is_machine_array(struct cm_fortran_run *run,
                             const struct cm_fortran_expression *expression)
{
    const struct cm_fortran_array *array = cm_fortran_binding_of(run, expression->variable)->array;
    return array != NULL && cm_fortran_on_machine(array);
}

/* Returns true if the machine executes the statement, and the statement assigns an array or makes a
 * mask. */
static bool is_array_statement(struct cm_fortran_run *run,
                               const struct cm_fortran_statement *statement)
{
    switch (statement->kind) {
    case CM_FORTRAN_ASSIGN:
        return statement->target->rank > 0 && is_machine_array(run, statement->target);
    case CM_FORTRAN_WHERE:
    case CM_FORTRAN_ELSEWHERE:
        return statement->value != NULL;
    case CM_FORTRAN_FORALL:
        return is_machine_array(run, statement->forall->targets[0]);
    case CM_FORTRAN_CALL_LIBRARY:
        return statement->library == CM_FORTRAN_PSHIFT;
    default:
        return false;
    }
}

/* Copies the arrays of statement `at` and of the following statements that may be executed with it
 * as one group. */
static enum cm_status take_group(struct cm_fortran_run *run, uint32_t at,
                                 struct cm_fortran_direct *direct)
{
    const struct cm_fortran_unit *unit = run->frame->unit;
    uint32_t most = run->options.level > 0 ? CM_FORTRAN_GROUP_MAX : 1;
    enum cm_status status = CM_OK;
    for (uint32_t i = at; i < unit->statement_count && i - at < most && status == CM_OK; i++) {
        const struct cm_fortran_statement *statement = &unit->statements[i];
        bool follows = i == at || (statement->kind == CM_FORTRAN_ASSIGN &&
                                   is_array_statement(run, statement) && !has_calls(statement));
        if (!follows)
            break;
        status = take_statement(run, direct, statement);
    }
    return status;
}

enum cm_status cm_fortran_direct_begin(struct cm_fortran_run *run, uint32_t at,
                                       struct cm_fortran_direct *direct)
{
    const struct cm_fortran_statement *statement = &run->frame->unit->statements[at];
    *direct = (struct cm_fortran_direct){0};
    if (!is_array_statement(run, statement))
        return CM_OK;
    if (has_calls(statement)) {
        run->checker->not_compared++;
        return CM_OK;
    }
    direct->is_compared = true;
    enum cm_status status = take_group(run, at, direct);
    if (status == CM_OK && statement->kind == CM_FORTRAN_ELSEWHERE)
        status = cm_fortran_array_copy(run, run->masks[run->mask_count - 1].pending, 0,
                                       &direct->pending);
    if (status != CM_OK)
        drop(run, direct);
    return status;
}

/* Compares all copies with the machine's arrays. */
static enum cm_status compare(struct cm_fortran_run *run,
                              const struct cm_fortran_statement *statement,
                              const struct cm_fortran_direct *direct)
{
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; i < direct->storages.count && status == CM_OK; i++) {
        const struct cm_fortran_direct_storage *storage = &direct->storages.items[i];
        void *got = NULL;
        status = copy_elements(run, storage->real, &got);
        const struct cm_fortran_comparison comparison = {
            .place = storage->place.line > 0 ? storage->place : statement->place,
            .name = storage->name,
            .shape = storage->real,
            .got = got,
            .expected = storage->elements,
            .bounds = storage->bounds,
            .is_loose = storage->is_loose};
        if (status == CM_OK)
            status = cm_fortran_compare(run, &comparison);
        free(got);
    }
    return status;
}

/* Evaluates the statements that the machine has executed, on the copies of their arrays. Sets *done
 * to false, so that nothing is compared, if the direct evaluation refuses a statement. Fails with
 * CM_NO_MEMORY or CM_INTERRUPTED. */
static enum cm_status evaluate_all(struct cm_fortran_run *run, uint32_t at, uint32_t executed,
                                   struct cm_fortran_direct *direct, bool *done)
{
    const struct cm_fortran_unit *unit = run->frame->unit;
    struct cm_error refused = {0}, *outer = run->err;
    enum cm_status status = CM_OK;
    run->err = &refused;
    cm_fortran_direct_exchange(run, direct, true);
    *done = true;
    for (uint32_t i = at; i < at + executed && status == CM_OK && *done; i++)
        status = cm_fortran_direct_evaluate(run, &unit->statements[i], direct, done);
    cm_fortran_direct_exchange(run, direct, false);
    run->err = outer;
    *done = *done && status == CM_OK;
    if (status == CM_NO_MEMORY)
        return cm_fortran_no_memory(run);
    return status == CM_INTERRUPTED ? cm_fortran_look(run) : CM_OK;
}

enum cm_status cm_fortran_direct_end(struct cm_fortran_run *run, uint32_t at, uint32_t executed,
                                     enum cm_status status, struct cm_fortran_direct *direct)
{
    bool done = false;
    if (!direct->is_compared)
        return status;
    if (status == CM_OK)
        status = evaluate_all(run, at, executed, direct, &done);
    if (status == CM_OK && done)
        status = compare(run, &run->frame->unit->statements[at], direct);
    if (status == CM_OK)
        *(done ? &run->checker->statements : &run->checker->not_compared) += executed;
    drop(run, direct);
    return status;
}

enum cm_status cm_fortran_direct_scalar(struct cm_fortran_run *run,
                                        const struct cm_fortran_expression *call,
                                        const union cm_fortran_value *value)
{
    struct cm_fortran_direct direct = {0};
    bool done = false;
    if (calls(call)) {
        run->checker->not_compared++;
        return CM_OK;
    }
    enum cm_status status = walk(run, &direct, call, take);
    if (status == CM_OK)
        status = cm_fortran_direct_reduction(run, call, value, &direct, &done);
    if (status == CM_OK)
        ++*(done ? &run->checker->statements : &run->checker->not_compared);
    drop(run, &direct);
    return status;
}
