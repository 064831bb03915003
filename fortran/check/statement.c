/* Checks the statements of a unit, in their order (flow.h). */
#include "flow.h"

#include <string.h>

struct cm_fortran_statement *cm_check_emit(struct cm_check *check,
                                           enum cm_fortran_statement_kind kind,
                                           struct cm_source_place place)
{
    struct cm_fortran_unit *unit = check->scope->unit;
    struct cm_fortran_statement *more =
        cm_check_grow(check, unit->statements, unit->statement_count, sizeof *more);
    if (!more)
        return NULL;
    unit->statements = more;
    struct cm_fortran_statement *statement = &unit->statements[unit->statement_count++];
    *statement = (struct cm_fortran_statement){.kind = kind, .place = place};
    return statement;
}

bool cm_check_is_loop_variable(struct cm_check *check, const struct cm_fortran_expression *target)
{
    for (const struct cm_check_loop *loop = check->flow->loops; loop; loop = loop->outer)
        if (target->kind == CM_FORTRAN_VARIABLE && target->variable == loop->variable) {
            cm_check_fail(check, target->place,
                          "\"%s\" is the variable of a DO around this, and "
                          "cannot be changed",
                          target->variable->name);
            return true;
        }
    return false;
}

bool cm_check_assign(struct cm_check *check, const struct cm_syntax_statement *tree,
                     struct cm_fortran_expression **target, struct cm_fortran_expression **value)
{
    *target = cm_check_target(check, tree->assignment.target);
    *value = cm_check_expression(check, tree->assignment.value);
    if (!*target || !*value || cm_check_is_loop_variable(check, *target))
        return false;
    if ((*value)->rank > 0 && (*target)->rank == 0) {
        cm_check_fail(check, tree->place, "an array of rank %u cannot become a scalar",
                      (*value)->rank);
        return false;
    }
    if (!cm_check_conform(check, *target, *value, tree->place, "the two sides"))
        return false;
    const struct cm_fortran_expression *mask = check->flow->mask;
    if (mask && (*target)->type == CM_FORTRAN_CHARACTER) {
        cm_check_fail(check, tree->place, "WHERE does not take CHARACTER values");
        return false;
    }
    if (mask && (*target)->rank == 0) {
        cm_check_fail(check, tree->place, "WHERE assigns to arrays, and this is a scalar");
        return false;
    }
    if (mask && !cm_check_conform(check, mask, *target, tree->place, "the mask and the array"))
        return false;
    *value = cm_check_assigned(check, *value, (*target)->type);
    return *value != NULL;
}

void cm_check_emit_assign(struct cm_check *check, struct cm_fortran_expression *target,
                          struct cm_fortran_expression *value, struct cm_source_place place)
{
    struct cm_fortran_statement *statement = cm_check_emit(check, CM_FORTRAN_ASSIGN, place);
    if (!statement)
        return;
    statement->target = target;
    statement->value = value;
}

void cm_check_assignment(struct cm_check *check, const struct cm_syntax_statement *tree)
{
    struct cm_fortran_expression *target, *value;
    if (cm_check_assign(check, tree, &target, &value))
        cm_check_emit_assign(check, target, value, tree->place);
}

static void call_library(struct cm_check *check, enum cm_fortran_library library,
                         const struct cm_syntax_statement *tree)
{
    struct cm_fortran_expression **args;
    uint32_t count;
    if (cm_library_is_function(library)) {
        cm_check_fail(check, tree->call.name_place, "\"%s\" is a function, not a subroutine",
                      tree->call.name);
        cm_library_hint(check->messages, library);
        return;
    }
    if (!cm_check_library_arguments(check, library, tree->call.name_place, &tree->call.arguments,
                                    &args, &count))
        return;
    struct cm_fortran_statement *call = cm_check_emit(check, CM_FORTRAN_CALL_LIBRARY, tree->place);
    if (!call)
        return;
    call->library = library;
    call->args = args;
    call->count = count;
}

static void call_unit(struct cm_check *check, struct cm_scope *callee,
                      const struct cm_syntax_statement *tree)
{
    struct cm_fortran_expression **args;
    uint32_t count;
    if (callee->unit->is_function) {
        cm_check_fail(check, tree->call.name_place, "\"%s\" is a function, not a subroutine",
                      tree->call.name);
        cm_messages_hint(check->messages, "write <variable> = %s(...)", tree->call.name);
        return;
    }
    cm_check_calls(check, callee, tree->call.name_place);
    if (!cm_check_actuals(check, callee, tree->call.name_place, &tree->call.arguments, &args,
                          &count))
        return;
    uint32_t target_count;
    uint32_t *targets = cm_check_alternates(check, tree->call.labels, &target_count);
    if (target_count != callee->tree->alternates) {
        cm_check_fail(check, tree->call.name_place,
                      "\"%s\" has %u alternate return%s, and %u %s given", tree->call.name,
                      callee->tree->alternates, callee->tree->alternates == 1 ? "" : "s",
                      target_count, target_count == 1 ? "is" : "are");
        return;
    }
    struct cm_fortran_statement *call = cm_check_emit(check, CM_FORTRAN_CALL_UNIT, tree->place);
    if (!call)
        return;
    call->unit = callee->unit;
    call->args = args;
    call->count = count;
    call->targets = targets;
    call->target_count = target_count;
}

/* Checks CALL EXIT or CALL EXIT(code), a subroutine of most compilers. */
static void call_exit(struct cm_check *check, const struct cm_syntax_statement *tree)
{
    const struct cm_syntax_arguments *arguments = &tree->call.arguments;
    struct cm_fortran_expression *code = NULL;
    if (arguments->count > 1)
        cm_check_fail(check, tree->call.name_place, "EXIT takes one argument, the exit code");
    if (arguments->count == 1)
        code = cm_check_scalar(check, arguments->first->value, CM_TYPE_INT32, "an exit code");
    struct cm_fortran_statement *stop = cm_check_emit(check, CM_FORTRAN_STOP, tree->place);
    if (!stop)
        return;
    stop->value = code;
    stop->is_silent = true;
}

static void check_call(struct cm_check *check, const struct cm_syntax_statement *tree)
{
    enum cm_fortran_library library;
    struct cm_scope *callee = cm_check_unit(check, tree->call.name);
    struct cm_symbol *symbol = cm_symbol_find(check->scope, tree->call.name);
    bool is_indirect = cm_check_is_argument(symbol);
    if (tree->call.labels && (is_indirect || !callee)) {
        cm_check_fail(check, tree->call.labels->place,
                      "only a subroutine of this file can have alternate returns");
    } else if (is_indirect) {
        cm_check_indirect_call(check, symbol, tree);
    } else if (symbol && symbol->kind != CM_SYMBOL_OPEN && symbol->kind != CM_SYMBOL_PROCEDURE) {
        cm_check_fail(check, tree->call.name_place, "\"%s\" is not a subroutine", tree->call.name);
    } else if (callee && !callee->is_broken) {
        call_unit(check, callee, tree);
    } else if (!callee && cm_library_find(tree->call.name, &library)) {
        call_library(check, library, tree);
    } else if (!callee && strcmp(tree->call.name, "exit") == 0) {
        call_exit(check, tree);
    } else if (cm_check_is_unknown(check, callee)) {
        cm_check_unknown(check, &tree->call.arguments);
    } else {
        bool is_refused = cm_library_is_refused(tree->call.name);
        cm_check_fail(check, tree->call.name_place,
                      is_refused ? "the subroutine \"%s\" is not supported"
                                 : "there is no subroutine \"%s\" in this file",
                      tree->call.name);
        cm_check_suggest_subroutine(check, tree->call.name);
        cm_library_hint_refused(check->messages, tree->call.name);
    }
}

/* Returns whether the unit or one of its ENTRYs has alternate returns. */
static bool has_alternates(const struct cm_check *check)
{
    bool found = check->scope->tree->alternates > 0;
    for (uint32_t i = 0; i < check->scope_count; i++)
        found = found ||
                (check->scopes[i].master == check->scope && check->scopes[i].tree->alternates > 0);
    return found;
}

static void check_return(struct cm_check *check, const struct cm_syntax_statement *tree)
{
    struct cm_fortran_expression *value = NULL;
    if (tree->alternate) {
        value = cm_check_scalar(check, tree->alternate, CM_TYPE_INT32, "the value of a RETURN");
        if (!has_alternates(check))
            cm_check_fail(check, tree->place, "this unit has no alternate returns");
    }
    struct cm_fortran_statement *made = cm_check_emit(check, CM_FORTRAN_RETURN, tree->place);
    if (made)
        made->value = value;
}

static void check_stop(struct cm_check *check, const struct cm_syntax_statement *tree)
{
    struct cm_fortran_expression *value =
        tree->stop.code ? cm_check_expression(check, tree->stop.code) : NULL;
    if (value && value->kind != CM_FORTRAN_TEXT &&
        (value->kind != CM_FORTRAN_CONSTANT || value->type != CM_TYPE_INT32))
        cm_check_fail(check, tree->place, "STOP takes an INTEGER or CHARACTER constant");
    bool pauses = tree->kind == CM_STATEMENT_PAUSE;
    struct cm_fortran_statement *stop =
        cm_check_emit(check, pauses ? CM_FORTRAN_PAUSE : CM_FORTRAN_STOP, tree->place);
    if (!stop)
        return;
    stop->value = value;
    stop->is_error = tree->stop.is_error;
}

/* Makes the section A(1:n, 0:m) for an array A(n, 0:m) in ALLOCATE. */
static struct cm_fortran_expression *check_allocation(struct cm_check *check,
                                                      const struct cm_syntax_expression *tree,
                                                      struct cm_fortran_variable *variable)
{
    struct cm_fortran_expression *section =
        cm_check_new(check, CM_FORTRAN_SECTION, variable->type, variable->rank, tree->place);
    if (!section || !cm_check_args(check, section, variable->rank))
        return NULL;
    section->variable = variable;
    uint32_t axis = 0;
    for (const struct cm_syntax_argument *argument = tree->call.arguments.first; argument;
         argument = argument->next, axis++) {
        const struct cm_syntax_expression *bound = argument->value;
        bool is_range = bound->kind == CM_EXPRESSION_RANGE;
        if (is_range && (!bound->range.upper || bound->range.stride))
            return cm_check_fail(check, bound->place, "ALLOCATE takes the bounds lower:upper");
        struct cm_fortran_expression *triplet =
            cm_check_new(check, CM_FORTRAN_TRIPLET, CM_TYPE_INT32, 1, bound->place);
        if (!triplet || !cm_check_args(check, triplet, 3))
            return NULL;
        triplet->args[0] =
            is_range && bound->range.lower
                ? cm_check_scalar(check, bound->range.lower, CM_TYPE_INT32, "a bound")
                : cm_check_int(check, 1, bound->place);
        triplet->args[1] =
            cm_check_scalar(check, is_range ? bound->range.upper : bound, CM_TYPE_INT32, "a bound");
        if (!triplet->args[0] || !triplet->args[1])
            return NULL;
        section->args[axis] = triplet;
    }
    return section;
}

static struct cm_fortran_expression *
check_object(struct cm_check *check, const struct cm_syntax_expression *tree, bool allocates)
{
    bool is_call = tree->kind == CM_EXPRESSION_CALL;
    if (!is_call && tree->kind != CM_EXPRESSION_NAME)
        return cm_check_fail(check, tree->place, "this is not an array");
    const char *name = is_call ? tree->call.name : tree->name;
    const struct cm_symbol *symbol = cm_symbol_find(check->scope, name);
    if (!symbol || !symbol->variable || !symbol->variable->allocatable) {
        cm_check_fail(check, tree->place, "\"%s\" is not ALLOCATABLE", name);
        if (!symbol)
            cm_check_suggest(check, name);
        return NULL;
    }
    if (!allocates)
        return cm_check_variable_reference(check, symbol->variable, tree->place);
    if (!is_call || tree->call.arguments.count != symbol->variable->rank)
        return cm_check_fail(check, tree->place, "\"%s\" needs the bounds of %u dimension%s here",
                             name, symbol->variable->rank, symbol->variable->rank == 1 ? "" : "s");
    return check_allocation(check, tree, symbol->variable);
}

/* Appends an assignment of 0 to the variable of STAT=, because an array that cannot be allocated
 * ends the program. */
static void check_stat(struct cm_check *check, const struct cm_syntax_expression *tree)
{
    struct cm_fortran_expression *target = cm_check_target(check, tree);
    if (!target)
        return;
    if (target->rank > 0 || target->type != CM_TYPE_INT32) {
        cm_check_fail(check, tree->place, "STAT is an INTEGER variable");
        return;
    }
    cm_check_emit_assign(check, target, cm_check_int(check, 0, tree->place), tree->place);
}

static void check_allocate(struct cm_check *check, const struct cm_syntax_statement *tree)
{
    bool allocates = tree->kind == CM_STATEMENT_ALLOCATE;
    const struct cm_syntax_arguments *objects = &tree->allocate.objects;
    struct cm_fortran_expression **args =
        cm_check_take(check, sizeof(void *) * ((size_t)objects->count + 1));
    if (!args)
        return;
    uint32_t count = 0;
    for (const struct cm_syntax_argument *object = objects->first; object; object = object->next)
        args[count++] = check_object(check, object->value, allocates);
    struct cm_fortran_statement *statement =
        cm_check_emit(check, allocates ? CM_FORTRAN_ALLOCATE : CM_FORTRAN_DEALLOCATE, tree->place);
    if (!statement)
        return;
    statement->args = args;
    statement->count = count;
    if (tree->allocate.stat)
        check_stat(check, tree->allocate.stat);
}

/* Makes the next statement the first one of an ENTRY. A jump in front of it separates it from the
 * statements before, so that the machine's compiler does not join them. */
static void check_entry(struct cm_check *check, const struct cm_syntax_statement *tree)
{
    for (uint32_t i = 0; i < check->scope_count; i++) {
        struct cm_scope *entry = &check->scopes[i];
        if (entry->tree != tree->entry || !entry->unit)
            continue;
        uint32_t target = cm_check_target_new(check);
        cm_check_emit_jump(check, target, tree->place);
        cm_check_target_here(check, target);
        entry->unit->first = check->scope->unit->statement_count;
    }
}

/* Gives the ENTRYs of the unit its statements and variables. */
static void finish_entries(struct cm_check *check)
{
    const struct cm_fortran_unit *unit = check->scope->unit;
    for (uint32_t i = 0; i < check->scope_count; i++) {
        struct cm_fortran_unit *entry = check->scopes[i].unit;
        if (check->scopes[i].master != check->scope || !entry)
            continue;
        entry->statements = unit->statements;
        entry->statement_count = unit->statement_count;
        entry->variables = unit->variables;
        entry->variable_count = unit->variable_count;
        entry->locals = unit->locals;
        entry->loops = unit->loops;
        entry->slots = unit->slots;
    }
}

static void check_simple(struct cm_check *check, const struct cm_syntax_statement *tree)
{
    switch (tree->kind) {
    case CM_STATEMENT_ASSIGNMENT:
        cm_check_assignment(check, tree);
        break;
    case CM_STATEMENT_CALL:
        check_call(check, tree);
        break;
    case CM_STATEMENT_ENTRY:
        check_entry(check, tree);
        break;
    case CM_STATEMENT_ASSIGN:
        cm_check_assign_label(check, tree);
        break;
    case CM_STATEMENT_GOTO:
        cm_check_goto(check, tree);
        break;
    case CM_STATEMENT_CYCLE:
    case CM_STATEMENT_EXIT:
        cm_check_leave(check, tree);
        break;
    case CM_STATEMENT_RETURN:
        check_return(check, tree);
        break;
    case CM_STATEMENT_STOP:
    case CM_STATEMENT_PAUSE:
        check_stop(check, tree);
        break;
    case CM_STATEMENT_PRINT:
    case CM_STATEMENT_WRITE:
    case CM_STATEMENT_READ:
    case CM_STATEMENT_OPEN:
    case CM_STATEMENT_CLOSE:
    case CM_STATEMENT_INQUIRE:
    case CM_STATEMENT_REWIND:
    case CM_STATEMENT_BACKSPACE:
    case CM_STATEMENT_ENDFILE:
        cm_check_io(check, tree);
        break;
    case CM_STATEMENT_ALLOCATE:
    case CM_STATEMENT_DEALLOCATE:
        check_allocate(check, tree);
        break;
    default:
        break; /* Declarations, CONTINUE and FORMAT are not executed. */
    }
}

static void check_one(struct cm_check *check, const struct cm_syntax_statement *tree)
{
    switch (tree->kind) {
    case CM_STATEMENT_IF:
        cm_check_if(check, tree);
        break;
    case CM_STATEMENT_ARITHMETIC_IF:
        cm_check_arithmetic_if(check, tree);
        break;
    case CM_STATEMENT_SELECT:
        cm_check_select(check, tree);
        break;
    case CM_STATEMENT_DO:
        cm_check_do(check, tree);
        break;
    case CM_STATEMENT_WHERE:
        cm_check_where(check, tree);
        break;
    case CM_STATEMENT_FORALL:
        cm_check_forall(check, tree);
        break;
    default:
        check_simple(check, tree);
    }
}

void cm_check_block(struct cm_check *check, const struct cm_syntax_block *block)
{
    for (const struct cm_syntax_statement *tree = block->first; tree; tree = tree->next) {
        check->formula_nodes = 0;
        if (tree->kind != CM_STATEMENT_FORMAT)
            cm_check_label_here(check, tree->label, tree->place);
        check_one(check, tree);
    }
}

void cm_check_statements(struct cm_check *check)
{
    struct cm_check_flow flow = {.block_count = 0};
    check->flow = &flow;
    (void)cm_check_block_begin(check);
    cm_check_label_formats(check, &check->scope->tree->block);
    cm_check_block(check, &check->scope->tree->block);
    cm_check_label_here(check, check->scope->tree->end_label, check->scope->tree->end);
    (void)cm_check_emit(check, CM_FORTRAN_RETURN, check->scope->tree->end);
    cm_check_resolve(check);
    finish_entries(check);
    check->flow = NULL;
}
