/*
 * Executes statements: control flow and allocation, and calls other files for other statements.
 *
 * After each statement, its cycles are added to its source line. At levels 1 and 2 of optimization,
 * a group of statements is executed together (machine/group.h). If the check is on, the results of
 * each statement or group are compared (direct.h).
 */
#include "../../sim/machine/observer.h"
#include "../machine/group.h"
#include "direct.h"
#include "run_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* number of statements after which the machine is asked again for an interrupt */
#define STATEMENTS_BETWEEN 4096u

static int64_t iterations_of(enum cm_type type, const union cm_fortran_value *first,
                             const union cm_fortran_value *last, const union cm_fortran_value *step)
{
    if (type == CM_TYPE_INT32) {
        int64_t count = ((int64_t)last->integer - first->integer + step->integer) / step->integer;
        return count > 0 ? count : 0;
    }
    /* the number of iterations is computed in the variable's type, as Fortran defines it */
    double count = type == CM_TYPE_REAL32
                       ? (double)((last->real - first->real + step->real) / step->real)
                       : (last->real64 - first->real64 + step->real64) / step->real64;
    return count >= 1 ? (int64_t)(count < 9e18 ? count : 9e18) : 0;
}

static bool is_zero(enum cm_type type, const union cm_fortran_value *value)
{
    return type == CM_TYPE_INT32    ? value->integer == 0
           : type == CM_TYPE_REAL32 ? value->real == 0
                                    : value->real64 == 0;
}

/* Evaluates the step of a DO loop, which is 1 if it is absent. */
static enum cm_status find_step(struct cm_fortran_run *run,
                                const struct cm_fortran_statement *statement,
                                union cm_fortran_value *step)
{
    static const union cm_fortran_value one = {.integer = 1};
    enum cm_type type = (enum cm_type)statement->args[0]->type;
    if (statement->count < 4 || statement->args[3] == NULL) {
        cm_fortran_convert(CM_TYPE_INT32, type, &one, step);
        return CM_OK;
    }
    enum cm_status status = cm_fortran_scalar(run, statement->args[3], step);
    if (status == CM_OK && is_zero(type, step))
        status = cm_fortran_fail(run, statement->args[3]->place, "the step of the loop is 0");
    return status;
}

static enum cm_status begin_loop(struct cm_fortran_run *run,
                                 const struct cm_fortran_statement *statement, uint32_t *next)
{
    union cm_fortran_value first, last, step;
    struct cm_fortran_loop *loop = &run->frame->loops[statement->slot];
    enum cm_type type = (enum cm_type)statement->args[0]->type;
    enum cm_status status = cm_fortran_scalar(run, statement->args[1], &first);
    if (status == CM_OK)
        status = cm_fortran_scalar(run, statement->args[2], &last);
    if (status == CM_OK)
        status = find_step(run, statement, &step);
    if (status == CM_OK)
        status = cm_fortran_scalar_of(run, statement->args[0]->variable, statement->place,
                                      &loop->variable);
    if (status != CM_OK)
        return status;
    loop->type = type;
    loop->step = step;
    loop->left = iterations_of(type, &first, &last, &step);
    *loop->variable = first;
    if (loop->left == 0)
        *next = statement->to;
    return CM_OK;
}

static void next_iteration(struct cm_fortran_run *run, const struct cm_fortran_statement *statement,
                           uint32_t *next)
{
    struct cm_fortran_loop *loop = &run->frame->loops[statement->slot];
    cm_fortran_operate(CM_FORTRAN_ADD, loop->type, false, loop->variable, &loop->step,
                       loop->variable);
    if (--loop->left > 0)
        *next = statement->to;
}

/* Executes an arithmetic IF or a computed GO TO: sets *next to the statement that the value
 * selects. */
static enum cm_status jump_by_value(struct cm_fortran_run *run,
                                    const struct cm_fortran_statement *statement, uint32_t *next)
{
    union cm_fortran_value value, wide;
    enum cm_status status = cm_fortran_scalar(run, statement->value, &value);
    if (status != CM_OK)
        return status;
    cm_fortran_convert((enum cm_type)statement->value->type, CM_TYPE_REAL64, &value, &wide);
    if (statement->kind == CM_FORTRAN_SIGN_JUMP)
        *next = statement->targets[wide.real64 < 0 ? 0 : wide.real64 > 0 ? 2 : 1];
    else if (value.integer >= 1 && (uint32_t)value.integer <= statement->target_count)
        *next = statement->targets[value.integer - 1];
    return CM_OK;
}

static enum cm_status unless(struct cm_fortran_run *run,
                             const struct cm_fortran_statement *statement, uint32_t *next)
{
    bool holds;
    enum cm_status status = cm_fortran_logical(run, statement->value, &holds);
    if (status == CM_OK && !holds)
        *next = statement->to;
    return status;
}

/* Executes STOP, ERROR STOP or CALL EXIT. As the system does, takes the low 8 bits of a number as
 * the exit code. */
static enum cm_status stop(struct cm_fortran_run *run, const struct cm_fortran_statement *statement)
{
    const struct cm_fortran_expression *value = statement->value;
    bool is_number = value != NULL && value->kind != CM_FORTRAN_TEXT;
    union cm_fortran_value code = {.integer = statement->is_error ? 1 : 0};
    enum cm_status status = is_number ? cm_fortran_scalar(run, value, &code) : CM_OK;
    if (status != CM_OK)
        return status;
    run->stopped = true;
    run->stop_code = (uint32_t)code.integer & 0xff;
    if (statement->is_silent || (value == NULL && !statement->is_error))
        return CM_OK;
    cm_fortran_report_stop(run, statement->is_error ? "ERROR STOP" : "STOP", value);
    return CM_OK;
}

/* Executes PAUSE, which prints its message. The program goes on at once. */
static enum cm_status pause_program(struct cm_fortran_run *run,
                                    const struct cm_fortran_statement *statement)
{
    cm_fortran_report_stop(run, "PAUSE", statement->value);
    return cm_fortran_end_print(run, statement->place);
}

/* Evaluates the bounds of an array in ALLOCATE: its extents and lower bounds. */
static enum cm_status find_bounds(struct cm_fortran_run *run,
                                  const struct cm_fortran_expression *section,
                                  uint64_t extent[CM_RANK_MAX], int64_t lower[CM_RANK_MAX])
{
    for (uint32_t i = 0; i < section->count; i++) {
        const struct cm_fortran_expression *bounds = section->args[i];
        int64_t upper;
        enum cm_status status = CM_OK;
        lower[i] = 1;
        if (bounds->args[0] != NULL)
            status = cm_fortran_integer(run, bounds->args[0], &lower[i]);
        if (status == CM_OK)
            status = cm_fortran_integer(run, bounds->args[1], &upper);
        if (status != CM_OK)
            return status;
        extent[i] = upper >= lower[i] ? (uint64_t)(upper - lower[i]) + 1 : 0;
    }
    return CM_OK;
}

static enum cm_status allocate(struct cm_fortran_run *run,
                               const struct cm_fortran_expression *section)
{
    const struct cm_fortran_variable *variable = section->variable;
    struct cm_fortran_binding *binding = cm_fortran_binding_of(run, variable);
    uint64_t extent[CM_RANK_MAX];
    int64_t lower[CM_RANK_MAX];
    if (binding->array != NULL)
        return cm_fortran_fail(run, section->place, "%s is already allocated", variable->name);
    enum cm_status status = find_bounds(run, section, extent, lower);
    if (status == CM_OK)
        status = cm_fortran_array_make(run, variable, extent, &binding->array);
    if (status == CM_OK)
        memcpy(binding->array->lower, lower, variable->rank * sizeof(lower[0]));
    return status;
}

static enum cm_status deallocate(struct cm_fortran_run *run,
                                 const struct cm_fortran_expression *expression)
{
    struct cm_fortran_binding *binding = cm_fortran_binding_of(run, expression->variable);
    if (binding->array == NULL)
        return cm_fortran_fail(run, expression->place, "%s is not allocated",
                               expression->variable->name);
    cm_fortran_array_destroy(run, binding->array);
    binding->array = NULL;
    return CM_OK;
}

static enum cm_status
for_each(struct cm_fortran_run *run, const struct cm_fortran_statement *statement,
         enum cm_status (*each)(struct cm_fortran_run *, const struct cm_fortran_expression *))
{
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; i < statement->count && status == CM_OK; i++)
        status = each(run, statement->args[i]);
    return status;
}

/* Calls a subroutine. After an alternate return, continues at the label of its number. */
static enum cm_status call_unit(struct cm_fortran_run *run,
                                const struct cm_fortran_statement *statement, uint32_t *next)
{
    const struct cm_fortran_unit *unit;
    enum cm_status status =
        cm_fortran_unit_of(run, statement->unit, statement->procedure, statement->place, &unit);
    run->alternate = 0;
    if (status == CM_OK)
        status = cm_fortran_call(run, unit, statement->args, statement->place, NULL, NULL);
    if (status == CM_OK && run->alternate >= 1 && run->alternate <= statement->target_count)
        *next = statement->targets[run->alternate - 1];
    run->alternate = 0;
    return status;
}

/* Evaluates the value of a RETURN, which is the number of an alternate return. */
static enum cm_status return_from(struct cm_fortran_run *run,
                                  const struct cm_fortran_statement *statement)
{
    run->alternate = 0;
    return statement->value != NULL ? cm_fortran_integer(run, statement->value, &run->alternate)
                                    : CM_OK;
}

static enum cm_status no_label(struct cm_fortran_run *run,
                               const struct cm_fortran_statement *statement)
{
    int64_t value;
    enum cm_status status = cm_fortran_integer(run, statement->value, &value);
    return status == CM_OK
               ? cm_fortran_fail(run, statement->place, "%s is %" PRId64 ", no label of this GO TO",
                                 statement->value->variable->name, value)
               : status;
}

static enum cm_status execute_statement(struct cm_fortran_run *run,
                                        const struct cm_fortran_statement *statement,
                                        uint32_t *next)
{
    switch (statement->kind) {
    case CM_FORTRAN_ASSIGN:
        return cm_fortran_assign(run, statement->target, statement->value);
    case CM_FORTRAN_WHERE:
    case CM_FORTRAN_ELSEWHERE:
    case CM_FORTRAN_END_WHERE:
        return cm_fortran_where(run, statement);
    case CM_FORTRAN_FORALL:
        return cm_fortran_forall(run, statement->forall);
    case CM_FORTRAN_JUMP:
        *next = statement->to;
        return CM_OK;
    case CM_FORTRAN_UNLESS:
        return unless(run, statement, next);
    case CM_FORTRAN_SIGN_JUMP:
    case CM_FORTRAN_CASE_JUMP:
        return jump_by_value(run, statement, next);
    case CM_FORTRAN_DO:
        return begin_loop(run, statement, next);
    case CM_FORTRAN_DO_NEXT:
        next_iteration(run, statement, next);
        return CM_OK;
    case CM_FORTRAN_CALL_UNIT:
        return call_unit(run, statement, next);
    case CM_FORTRAN_NO_LABEL:
        return no_label(run, statement);
    case CM_FORTRAN_CALL_LIBRARY:
        return cm_fortran_library(run, statement->library, statement->args, statement->count,
                                  statement->place, NULL);
    case CM_FORTRAN_STOP:
        return stop(run, statement);
    case CM_FORTRAN_PAUSE:
        return pause_program(run, statement);
    case CM_FORTRAN_IO:
        return cm_fortran_io(run, statement, next);
    case CM_FORTRAN_ALLOCATE:
        return for_each(run, statement, allocate);
    case CM_FORTRAN_DEALLOCATE:
        return for_each(run, statement, deallocate);
    default:
        return CM_OK;
    }
}

/* Adds the machine's counters for a statement to its source line, without the counts that lines of
 * called units already got. `before` has the machine's counters, and `counted` the sum of all
 * lines, both from before the statement. Fails if the program has taken more than max_cycles. */
static enum cm_status count(struct cm_fortran_run *run, struct cm_fortran_line *line,
                            const struct cm_counters *before, const struct cm_counters *counted)
{
    struct cm_machine *machine = cm_system_machine(run->system);
    line->times++;
    struct cm_counters now = cm_machine_counters(machine);
    struct cm_counters spent = cm_counters_difference(&now, before);
    struct cm_counters inside = cm_counters_difference(&run->counters, counted);
    spent = cm_counters_difference(&spent, &inside);
    cm_counters_add(&line->counters, &spent);
    cm_counters_add(&run->counters, &spent);
    return run->options.max_cycles > 0 ? cm_fortran_look(run) : CM_OK;
}

/* Executes a single statement. Notes, for --explain, shifts that were executed one by one. */
static enum cm_status execute_single(struct cm_fortran_run *run, uint32_t at, uint32_t *next)
{
    const struct cm_fortran_statement *statement = &run->frame->unit->statements[at];
    const uint32_t outer = run->single_shifts;
    run->single_shifts = 0;
    enum cm_status status = execute_statement(run, statement, next);
    if (run->single_shifts > 0)
        cm_fortran_note_shifts(run, statement, run->single_shifts);
    run->single_shifts = outer;
    return status;
}

/* Executes a statement or a group of statements. Sets *next to the statement to execute next. */
static enum cm_status execute_from(struct cm_fortran_run *run, uint32_t at, uint32_t *next)
{
    uint32_t executed = 0;
    enum cm_status status = CM_OK;
    if (run->options.level > 0)
        status = cm_fortran_group_execute(run, at, &executed);
    if (status != CM_OK || executed > 0) {
        *next = at + executed;
        return status;
    }
    return execute_single(run, at, next);
}

/* Executes a statement or a group, and counts the front end's work for the machine's clock: the
 * number of elements that the front end computed, or 1 for a statement that made no call of the
 * machine. A call of the machine already includes the time of its statement. */
static enum cm_status execute_counted(struct cm_fortran_run *run, uint32_t at, uint32_t *next)
{
    struct cm_machine *machine = cm_system_machine(run->system);
    const bool calls_unit = run->frame->unit->statements[at].kind == CM_FORTRAN_CALL_UNIT;
    const uint64_t calls = cm_machine_counters(machine).calls, outer = run->host_elements;
    run->host_elements = 0;
    enum cm_status status = execute_from(run, at, next);
    uint64_t statements = run->host_elements;
    if (statements == 0 && (calls_unit || cm_machine_counters(machine).calls == calls))
        statements = 1;
    cm_machine_count_statements(machine, statements);
    run->host_elements = outer;
    return status;
}

/* Executes a statement or a group, and compares its results with the direct evaluation. */
static enum cm_status execute_checked(struct cm_fortran_run *run, uint32_t at, uint32_t *next)
{
    struct cm_fortran_direct direct;
    enum cm_status status = cm_fortran_direct_begin(run, at, &direct);
    if (status != CM_OK)
        return status;
    status = execute_counted(run, at, next);
    bool grouped = run->frame->unit->statements[at].kind == CM_FORTRAN_ASSIGN;
    return cm_fortran_direct_end(run, at, grouped ? *next - at : 1, status, &direct);
}

/* Adds the statement's place to an error that the machine or a library reported without a place,
 * also to an interrupt. */
static enum cm_status add_place(struct cm_fortran_run *run,
                                const struct cm_fortran_statement *statement, enum cm_status status)
{
    if (run->err == NULL || run->err->line != 0)
        return status;
    if (status == CM_INTERRUPTED && !run->stopped)
        return cm_fortran_interrupted(run);
    if (status != CM_BAD_INPUT)
        return status;
    struct cm_error plain = *run->err;
    cm_fortran_fail(run, statement->place, "%s", plain.message);
    if (plain.hint[0] != '\0')
        cm_error_hint(run->err, "%s", plain.hint);
    return CM_BAD_INPUT;
}

void cm_fortran_observe(const struct cm_fortran_run *run,
                        const struct cm_fortran_statement *statement)
{
    struct cm_machine *machine = cm_system_machine(run->system);
    const struct cm_observer *observer = cm_machine_observer(machine);
    const struct cm_source *source = run->program->source;
    struct cm_observed_line line = {.line = statement->place.line};
    if (observer == NULL || observer->line_begins == NULL || line.line == 0)
        return;
    line.file = cm_source_name(source, statement->place.file);
    line.source = cm_source_text(source, statement->place.file, &line.length);
    for (const struct cm_fortran_frame *frame = run->frame; frame->caller != NULL;)
        frame = frame->caller, line.depth++;
    line.cycle = cm_machine_counters(machine).cycles;
    observer->line_begins(observer->context, &line);
}

enum cm_status cm_fortran_execute(struct cm_fortran_run *run)
{
    const struct cm_fortran_unit *unit = run->frame->unit;
    struct cm_machine *machine = cm_system_machine(run->system);
    uint32_t *lines = run->frame->lines, at = unit->first, masks = run->mask_count;
    enum cm_status status = CM_OK;
    while (at < unit->statement_count && status == CM_OK && !run->stopped) {
        const struct cm_fortran_statement *statement = &unit->statements[at];
        uint32_t next = at + 1;
        if (statement->kind == CM_FORTRAN_RETURN) {
            status = return_from(run, statement);
            break;
        }
        if (++run->executed % STATEMENTS_BETWEEN == 0 && cm_machine_interrupted(machine))
            return cm_fortran_interrupted(run);
        struct cm_counters before = cm_machine_counters(machine), counted = run->counters;
        run->statement = statement;
        cm_fortran_observe(run, statement);
        status = run->checker != NULL ? execute_checked(run, at, &next)
                                      : execute_counted(run, at, &next);
        status = add_place(run, statement, status);
        if (status == CM_OK)
            status = count(run, &run->lines[lines[at]], &before, &counted);
        at = next;
    }
    cm_fortran_masks_drop(run, masks);
    return status;
}
