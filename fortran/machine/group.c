/*
 * Forms groups of statements and executes them (group.h): decides which assignments join a group.
 *
 * A statement joins the group if its IMP may run after all shifts of the group were executed. So it
 * must not shift an array, or read a single element of an array, that an earlier statement of the
 * group assigns, and no part of it may be evaluated by the front end. A statement that does not fit
 * ends the group, and the reason is noted for --explain.
 */
#include "group.h"

#include <stdio.h>
#include <string.h>

/* A group of statements while statements are added to it. */
struct group {
    struct cm_fortran_run *run;
    struct cm_fortran_section model;
    const struct cm_fortran_statement *statements[CM_FORTRAN_GROUP_MAX];
    uint32_t count;
    const struct cm_array *written[CM_FORTRAN_GROUP_MAX];
    /* upper bounds of the numbers of array and scalar operands of the group's IMP */
    uint32_t arrays, scalars;
    uint32_t temporaries; /* upper bound of the number of temporary arrays of the group */
    /* reason why the next statement does not join the group */
    const char *reason;
    uint32_t next_line; /* line of the next statement, or 0 at the end of the unit */
    uint32_t imps;      /* number of IMPs that the group was divided into */
    bool apart; /* true if a statement must follow the IMPs of others, whose operands it assigns */
    /* text for --explain on how the group's shifts were executed */
    char shift_note[CM_FORTRAN_NOTE_BYTES];
};

/* Records the reason why a statement does not join the group. Returns false. */
static bool refuse(struct group *group, const char *reason)
{
    group->reason = reason;
    return false;
}

static struct cm_fortran_array *array_of(const struct group *group,
                                         const struct cm_fortran_expression *expression)
{
    return cm_fortran_binding_of(group->run, expression->variable)->array;
}

static bool is_written(const struct group *group, const struct cm_array *array)
{
    for (uint32_t i = 0; i < group->count; i++)
        if (group->written[i] == array)
            return true;
    return false;
}

static bool fits(struct group *group, const struct cm_fortran_expression *expression);

static bool all_fit(struct group *group, const struct cm_fortran_expression *expression)
{
    for (uint32_t i = 0; i < expression->count; i++)
        if (expression->args[i] != NULL && !fits(group, expression->args[i]))
            return false;
    return true;
}

/* Returns true if an operand is a whole array on the machine with the group's shape and layout. */
static bool array_fits(struct group *group, const struct cm_fortran_expression *expression)
{
    const struct cm_fortran_array *array = array_of(group, expression);
    if (array == NULL || !cm_fortran_same_placement(array, group->model.array))
        return refuse(group, "an array has another shape or layout, or is not on the CM");
    return true;
}

static bool shift_fits(struct group *group, const struct cm_fortran_expression *call)
{
    const struct cm_fortran_expression *source = call->args[0];
    /* level 2 allows a shift of a shift */
    const bool is_one = group->run->options.level > 1 && cm_fortran_is_shift(source);
    if (source->kind != CM_FORTRAN_VARIABLE && !is_one)
        return refuse(group, "the shifted operand is not a whole array");
    if (call->args[2]->rank > 0 ||
        (call->count > 3 && call->args[3] != NULL && call->args[3]->rank > 0))
        return refuse(group, "a distance or boundary is an array");
    if (is_one)
        return all_fit(group, call);
    if (!array_fits(group, source))
        return false;
    if (is_written(group, array_of(group, source)->machine))
        return refuse(group, "an earlier statement assigns the array that it shifts");
    return all_fit(group, call);
}

/* Returns true if a scalar operand does not read an element that the group assigns, and all its
 * operands fit. */
static bool element_fits(struct group *group, const struct cm_fortran_expression *expression)
{
    const struct cm_fortran_array *array = array_of(group, expression);
    if (array != NULL && cm_fortran_on_machine(array) && is_written(group, array->machine))
        return refuse(group, "it reads an element that an earlier statement assigns");
    return all_fit(group, expression);
}

/* Returns true if an operation or function may be in the group. The front end must not evaluate any
 * part of it, because it would read arrays as they were before the group. */
static bool function_fits(struct group *group, const struct cm_fortran_expression *expression)
{
    if (group->count > 0 && cm_fortran_divides(expression) && expression->args[1]->rank > 0)
        return refuse(group, "it divides integers by an array, whose zeros must be found first");
    if (expression->rank > 0 && !cm_fortran_graph_has(expression))
        return refuse(group,
                      "the front end evaluates a function that the machine has no routine for");
    return all_fit(group, expression);
}

static bool fits(struct group *group, const struct cm_fortran_expression *expression)
{
    switch (expression->kind) {
    case CM_FORTRAN_CONSTANT:
        return true;
    case CM_FORTRAN_VARIABLE:
        return expression->rank == 0 || array_fits(group, expression);
    case CM_FORTRAN_ELEMENT:
        return element_fits(group, expression);
    case CM_FORTRAN_OPERATION:
        return function_fits(group, expression);
    case CM_FORTRAN_CONVERT:
        return all_fit(group, expression);
    case CM_FORTRAN_INTRINSIC:
        if (cm_fortran_is_shift(expression))
            return shift_fits(group, expression);
        if (cm_fortran_intrinsic_class(expression->intrinsic) != CM_FORTRAN_CLASS_ELEMENTAL)
            return refuse(group, "a function of whole arrays is called");
        return function_fits(group, expression);
    case CM_FORTRAN_SECTION:
        return refuse(group, "a section is used");
    default:
        return refuse(group, "a function is called, or a constructor is used");
    }
}

/* Adds upper bounds of an expression's numbers of operands: of arrays and shifts to *arrays, and of
 * scalars other than constants to *scalars. */
static void count_operands(const struct cm_fortran_expression *expression, uint32_t *arrays,
                           uint32_t *scalars)
{
    if (expression == NULL || expression->kind == CM_FORTRAN_CONSTANT)
        return;
    if (expression->rank == 0) {
        ++*scalars;
        return;
    }
    if (expression->kind == CM_FORTRAN_VARIABLE || cm_fortran_is_shift(expression)) {
        ++*arrays;
        if (expression->kind != CM_FORTRAN_VARIABLE && cm_fortran_is_shift(expression->args[0]))
            count_operands(expression->args[0], arrays, scalars);
        return;
    }
    for (uint32_t i = 0; i < expression->count; i++)
        count_operands(expression->args[i], arrays, scalars);
}

/* Returns true if one IMP has room for the operands of the group and of the statement. The first
 * statement always joins the group. */
static bool has_room(struct group *group, const struct cm_fortran_statement *statement)
{
    /* at level 2 the result may go to another array first, which is one more operand */
    uint32_t targets = group->run->options.level > 1 ? 2 : 1;
    uint32_t arrays = group->arrays + targets, scalars = group->scalars;
    count_operands(statement->value, &arrays, &scalars);
    if (group->count > 0 &&
        (arrays > CM_EXPRESSION_ARRAYS_MAX || scalars > CM_EXPRESSION_SCALARS_MAX))
        return refuse(group, "the group has as many operands as one IMP takes");
    group->arrays = arrays;
    group->scalars = scalars;
    return true;
}

/* Returns true if node memory has room for the temporary arrays of the group and of the statement.
 * At level 2 a statement of the group may shift an array that a later one assigns. */
static bool has_memory(struct group *group, const struct cm_fortran_statement *statement)
{
    const struct cm_array *target = array_of(group, statement->target)->machine;
    uint32_t count = cm_fortran_count_temporaries(group->run, statement->value, NULL, target);
    for (uint32_t i = 0; group->run->options.level > 1 && i < group->count && count == 0; i++)
        count = cm_fortran_count_temporaries(group->run, group->statements[i]->value, NULL, target);
    if (!cm_fortran_has_room(group->run, group->model.array, group->temporaries + count))
        return refuse(group, "node memory has no room for more temporary arrays");
    group->temporaries += count;
    return true;
}

/* Returns the reason, as text for --explain, why a statement of this kind is in no group. */
static const char *kind_of(struct group *group, const struct cm_fortran_statement *statement)
{
    switch (statement->kind) {
    case CM_FORTRAN_ASSIGN:
        return "it assigns a scalar";
    case CM_FORTRAN_WHERE:
        return "it is a WHERE";
    case CM_FORTRAN_FORALL:
        return "it is a FORALL";
    case CM_FORTRAN_CALL_UNIT:
    case CM_FORTRAN_CALL_LIBRARY:
        return "it is a call";
    case CM_FORTRAN_JUMP:
    case CM_FORTRAN_UNLESS:
    case CM_FORTRAN_SIGN_JUMP:
    case CM_FORTRAN_CASE_JUMP:
    case CM_FORTRAN_DO:
    case CM_FORTRAN_DO_NEXT:
        group->next_line = 0;
        return "a branch or a loop follows, or ends here";
    case CM_FORTRAN_RETURN:
        group->next_line = 0;
        return "the unit ends";
    default:
        return "it is not an assignment";
    }
}

/* Returns true if the statement shifts its target in place, which a group does not do. */
static bool is_shifted_in_place(struct group *group, const struct cm_fortran_statement *statement,
                                bool joins)
{
    struct cm_fortran_section target;
    struct cm_fortran_lowering lowering = {.run = group->run, .model = &target};
    cm_fortran_section_of_all(array_of(group, statement->target), &target);
    if (cm_fortran_find_onto(&lowering, statement->value, joins) != CM_OK || lowering.onto == NULL)
        return false;
    refuse(group, "it shifts an array onto itself");
    return true;
}

static bool statement_fits(struct group *group, const struct cm_fortran_statement *statement)
{
    if (statement->kind != CM_FORTRAN_ASSIGN || statement->target->rank == 0)
        return refuse(group, kind_of(group, statement));
    if (statement->target->kind != CM_FORTRAN_VARIABLE)
        return refuse(group, "a section is assigned");
    return array_fits(group, statement->target) && fits(group, statement->value) &&
           has_room(group, statement) && !is_shifted_in_place(group, statement, true) &&
           has_memory(group, statement);
}

/* Begins a group, whose shape and layout are those of the first statement's target. Sets *found to
 * false if the statement does not assign a whole array on the machine. */
static enum cm_status begin(struct group *group, const struct cm_fortran_statement *statement,
                            bool *found)
{
    *found = false;
    if (statement->kind != CM_FORTRAN_ASSIGN || statement->target->rank == 0 ||
        statement->target->kind != CM_FORTRAN_VARIABLE)
        return CM_OK;
    enum cm_status status = cm_fortran_section_find(group->run, statement->target, &group->model);
    if (status != CM_OK)
        return status;
    *found = group->model.elements > 0 && cm_fortran_on_machine(group->model.array);
    return CM_OK;
}

static void add(struct group *group, const struct cm_fortran_statement *statement)
{
    group->statements[group->count] = statement;
    group->written[group->count++] = array_of(group, statement->target)->machine;
}

/* Adds the statements from `first` on to the group, until a statement does not fit. */
static enum cm_status collect(struct group *group, uint32_t first)
{
    const struct cm_fortran_unit *unit = group->run->frame->unit;
    const uint8_t *targets = cm_fortran_jump_targets(group->run, unit);
    bool found;
    enum cm_status status = begin(group, &unit->statements[first], &found);
    if (status != CM_OK || !found)
        return status;
    for (uint32_t at = first; at < unit->statement_count; at++) {
        group->next_line = unit->statements[at].place.line;
        if (group->count == CM_FORTRAN_GROUP_MAX) {
            group->reason = "the group has as many statements as groups may have";
            break;
        }
        if (at > first && targets[at]) {
            group->reason = "it is the target of a jump";
            break;
        }
        if (!statement_fits(group, &unit->statements[at]))
            break;
        add(group, &unit->statements[at]);
    }
    return CM_OK;
}

/* Returns the number of shifts in an expression whose arrays have a type. */
static uint32_t count_shifts(const struct cm_fortran_expression *expression, uint8_t type)
{
    uint32_t count = 0;
    if (expression == NULL || expression->rank == 0)
        return 0;
    for (uint32_t i = 0; i < expression->count; i++)
        count += count_shifts(expression->args[i], type);
    return count + (cm_fortran_is_shift(expression) && expression->type == type);
}

/* Returns true if a statement shifts its target in place, and no other shift of the group can share
 * a PSHIFT with this shift. */
static bool shifts_alone(struct group *group, uint32_t number)
{
    const struct cm_fortran_statement *statement = group->statements[number];
    uint32_t count = 0;
    for (uint32_t i = 0; i < group->count; i++)
        count += count_shifts(group->statements[i]->value, statement->target->type);
    return count == 1 && is_shifted_in_place(group, statement, false);
}

/* Cuts the group, at level 1, before a statement whose shift is cheaper in place. Then repeats the
 * search, because a shorter group may leave other shifts without a partner. */
static void cut(struct group *group)
{
    for (uint32_t i = 0; group->run->options.level == 1 && i < group->count;) {
        if (!shifts_alone(group, i)) {
            i++;
            continue;
        }
        group->next_line = group->statements[i]->place.line;
        group->count = i;
        i = 0;
    }
}

static void note_shifts(const struct cm_fortran_lowering *lowering, char *text, size_t size)
{
    if (lowering->shift_count == 1)
        snprintf(text, size, "1 shift, made by itself");
    else if (lowering->shift_calls == 1)
        snprintf(text, size, "%u shifts in one PSHIFT", lowering->shift_count);
    else
        snprintf(text, size, "%u shifts in %u calls of PSHIFT, each of one type and two an axis",
                 lowering->shift_count, lowering->shift_calls);
}

/* Executes the group: executes all shifts, then runs the statements in as many IMPs as take the
 * fewest cycles together. A statement reads arrays as the earlier statements have assigned them. */
static enum cm_status execute(struct group *group)
{
    struct cm_fortran_lowering lowering = {.run = group->run, .model = &group->model};
    enum cm_status status = cm_fortran_lowering_begin(&lowering);
    /* level 2 reads shifted operands in place */
    const bool gathers = group->run->options.level == 1;
    for (uint32_t i = 0; gathers && i < group->count && status == CM_OK; i++)
        status = cm_fortran_gather_shifts(&lowering, group->statements[i]->value);
    if (status == CM_OK)
        status = cm_fortran_make_shifts(&lowering);
    for (uint32_t i = 0; i < group->count && status == CM_OK; i++) {
        uint32_t node;
        struct cm_fortran_array *array = array_of(group, group->statements[i]->target);
        if (i > 0)
            status = cm_fortran_lowering_next(&lowering);
        if (status == CM_OK)
            status = cm_fortran_lower(&lowering, group->statements[i]->value, &node);
        if (status == CM_OK)
            status = cm_fortran_lower_assign(&lowering, array->machine, node, 0);
    }
    if (status == CM_OK)
        status = cm_fortran_lowering_run(&lowering);
    if (gathers && lowering.shift_count > 0)
        note_shifts(&lowering, group->shift_note, sizeof(group->shift_note));
    else
        cm_fortran_halo_references_note(&lowering, group->shift_note, sizeof(group->shift_note));
    group->imps = lowering.imp_count;
    for (uint32_t i = 0; i < group->count; i++)
        group->apart = group->apart || lowering.after[i] > 0;
    cm_fortran_lowering_end(&lowering);
    return status;
}

static size_t note_imps(const struct group *group, char *text, size_t size)
{
    int length =
        group->imps == 1
            ? snprintf(text, size, "%u statements in one IMP; ", group->count)
            : snprintf(text, size, "%u statements in %u IMPs, as %s; ", group->count, group->imps,
                       group->apart ? "one assigns what others shift" : "one takes more cycles");
    return (size_t)length;
}

/* Notes, for --explain, how the group was executed at the first statement's line. The lines of the
 * other statements refer to this line. */
static void note(const struct group *group)
{
    char text[CM_FORTRAN_NOTE_BYTES];
    size_t at = 0;
    if (group->shift_note[0] != '\0')
        at = (size_t)snprintf(text, sizeof(text), "%s; ", group->shift_note);
    if (group->count > 1 && at < sizeof(text))
        at += note_imps(group, text + at, sizeof(text) - at);
    if (at < sizeof(text) && group->next_line > 0 && group->reason != NULL)
        snprintf(text + at, sizeof(text) - at, "line %u stays apart: %s", group->next_line,
                 group->reason);
    else if (at < sizeof(text))
        snprintf(text + at, sizeof(text) - at, "%s",
                 group->reason != NULL ? group->reason : "the unit ends");
    cm_fortran_note(group->run, group->statements[0], text);
    for (uint32_t i = 1; i < group->count; i++)
        cm_fortran_note_shared_imp(group->run, group->statements[i], group->statements[0]);
}

/* Notes, for --explain, why a statement is not in a group, not even as its first statement. */
static void note_single(struct cm_fortran_run *run, const struct cm_fortran_statement *statement,
                        const char *reason)
{
    char text[CM_FORTRAN_NOTE_BYTES];
    snprintf(text, sizeof(text), "apart from its neighbours: %s", reason);
    cm_fortran_note(run, statement, text);
}

enum cm_status cm_fortran_group_execute(struct cm_fortran_run *run, uint32_t first,
                                        uint32_t *executed)
{
    struct group group = {.run = run};
    *executed = 0;
    if (run->mask_count > run->frame->mask_base)
        return CM_OK;
    enum cm_status status = collect(&group, first);
    if (status == CM_OK)
        cut(&group);
    if (status == CM_OK && group.count > 0) {
        run->statement = group.statements[0];
        status = execute(&group);
        *executed = group.count;
        note(&group);
    } else if (status == CM_OK && group.reason != NULL) {
        note_single(run, &run->frame->unit->statements[first], group.reason);
    }
    cm_fortran_section_finish(&group.model);
    return status;
}
