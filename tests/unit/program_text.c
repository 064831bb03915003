/*
 * A checked program as text. Each unit has its variables with type, bounds, home and storage, and
 * its statements with their numbers. Operations have parentheses, and conversions are shown.
 */
#include "program_text.h"

#include "base/buffer.h"

static const char *op_text(enum cm_fortran_op op)
{
    static const char *const texts[] = {"+",  "-", "*",  "/",    "**",  "-",  "==",  "/=",   "<",
                                        "<=", ">", ">=", "not ", "and", "or", "eqv", "neqv", "//"};
    return texts[op];
}

static void write_expression(struct cm_buffer *text,
                             const struct cm_fortran_expression *expression);

static void write_list(struct cm_buffer *text, struct cm_fortran_expression *const *list,
                       uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        cm_buffer_printf(text, "%s", i > 0 ? ", " : "");
        write_expression(text, list[i]);
    }
}

static void write_value(struct cm_buffer *text, uint32_t type, const union cm_fortran_value *value)
{
    switch (type) {
    case CM_TYPE_REAL32:
        cm_buffer_printf(text, "%.9gr", (double)value->real);
        break;
    case CM_TYPE_REAL64:
        cm_buffer_printf(text, "%.17gd", value->real64);
        break;
    case CM_TYPE_COMPLEX64:
        cm_buffer_printf(text, "(%.9g, %.9g)r", (double)value->complex[0],
                         (double)value->complex[1]);
        break;
    case CM_TYPE_COMPLEX128:
        cm_buffer_printf(text, "(%.17g, %.17g)d", value->complex128[0], value->complex128[1]);
        break;
    case CM_TYPE_INT32:
        cm_buffer_printf(text, "%d", value->integer);
        break;
    default:
        cm_buffer_printf(text, "%s", value->logical ? "true" : "false");
    }
}

/* Writes first:last:step, without the parts that are left out. */
static void write_triplet(struct cm_buffer *text, struct cm_fortran_expression *const parts[3])
{
    for (uint32_t i = 0; i < 3; i++) {
        if (i == 1 || (i == 2 && parts[i]))
            cm_buffer_printf(text, ":");
        if (parts[i])
            write_expression(text, parts[i]);
    }
}

static void write_operation(struct cm_buffer *text, const struct cm_fortran_expression *operation)
{
    cm_buffer_printf(text, "(");
    if (operation->count > 1) {
        write_expression(text, operation->args[0]);
        cm_buffer_printf(text, " %s ", op_text(operation->op));
        write_expression(text, operation->args[1]);
    } else {
        cm_buffer_printf(text, "%s", op_text(operation->op));
        write_expression(text, operation->args[0]);
    }
    cm_buffer_printf(text, ")");
}

static void write_call(struct cm_buffer *text, const char *name,
                       const struct cm_fortran_expression *call)
{
    cm_buffer_printf(text, "%s(", name);
    write_list(text, call->args, call->count);
    cm_buffer_printf(text, ")");
}

static void write_implied_do(struct cm_buffer *text, const struct cm_fortran_expression *loop)
{
    cm_buffer_printf(text, "(");
    write_list(text, loop->args + 3, loop->count - 3);
    cm_buffer_printf(text, ", %s = ", loop->variable->name);
    write_list(text, loop->args, loop->args[2] ? 3 : 2);
    cm_buffer_printf(text, ")");
}

static void write_named(struct cm_buffer *text, const struct cm_fortran_expression *expression)
{
    switch (expression->kind) {
    case CM_FORTRAN_CONVERT:
        write_call(text, cm_fortran_type_text(expression->type), expression);
        break;
    case CM_FORTRAN_INTRINSIC:
        write_call(text, cm_fortran_intrinsic_name(expression->intrinsic), expression);
        break;
    case CM_FORTRAN_CALL:
        write_call(text, expression->unit ? expression->unit->name : expression->variable->name,
                   expression);
        break;
    case CM_FORTRAN_PROCEDURE:
        cm_buffer_printf(text, "%s",
                         expression->unit ? expression->unit->name : expression->variable->name);
        break;
    case CM_FORTRAN_LIBRARY:
        write_call(text, cm_fortran_library_name(expression->library), expression);
        break;
    default: /* An element or a section. */
        write_call(text, expression->variable->name, expression);
    }
}

static void write_expression(struct cm_buffer *text, const struct cm_fortran_expression *expression)
{
    if (!expression) {
        cm_buffer_printf(text, "-");
        return;
    }
    switch (expression->kind) {
    case CM_FORTRAN_CONSTANT:
        write_value(text, expression->type, &expression->value);
        break;
    case CM_FORTRAN_SUBSTRING:
        write_call(text, expression->variable ? expression->variable->name : "''", expression);
        break;
    case CM_FORTRAN_TEXT:
        cm_buffer_printf(text, "'%s'", expression->text);
        break;
    case CM_FORTRAN_VARIABLE:
        cm_buffer_printf(text, "%s", expression->variable->name);
        break;
    case CM_FORTRAN_TRIPLET:
        write_triplet(text, expression->args);
        break;
    case CM_FORTRAN_CONSTRUCTOR:
        cm_buffer_printf(text, "[");
        write_list(text, expression->args, expression->count);
        cm_buffer_printf(text, "]");
        break;
    case CM_FORTRAN_IMPLIED_DO:
        write_implied_do(text, expression);
        break;
    case CM_FORTRAN_OPERATION:
        write_operation(text, expression);
        break;
    case CM_FORTRAN_INDEX:
        cm_buffer_printf(text, "#%u", expression->number);
        break;
    default:
        write_named(text, expression);
    }
}

static void write_bounds(struct cm_buffer *text, const struct cm_fortran_variable *variable)
{
    for (uint32_t axis = 0; axis < variable->rank; axis++) {
        cm_buffer_printf(text, "%s", axis > 0 ? ", " : "(");
        if (variable->bounds[axis].lower)
            write_expression(text, variable->bounds[axis].lower);
        if (variable->bounds[axis].lower || !variable->bounds[axis].upper)
            cm_buffer_printf(text, ":");
        if (variable->bounds[axis].upper)
            write_expression(text, variable->bounds[axis].upper);
        else if (variable->assumed_size && axis + 1 == variable->rank)
            cm_buffer_printf(text, "*");
    }
    cm_buffer_printf(text, "%s", variable->rank > 0 ? ")" : "");
}

static void write_layout(struct cm_buffer *text, const struct cm_fortran_variable *variable)
{
    bool is_default = true;
    for (uint32_t axis = 0; axis < variable->rank; axis++)
        is_default =
            is_default && variable->orders[axis] == CM_ORDER_NEWS && variable->weights[axis] == 1;
    for (uint32_t axis = 0; axis < variable->rank && !is_default; axis++)
        cm_buffer_printf(text, "%s%u:%s", axis > 0 ? "," : " layout ", variable->weights[axis],
                         cm_order_name(variable->orders[axis]));
}

static void write_variable(struct cm_buffer *text, const struct cm_fortran_variable *variable)
{
    static const char *const storages[] = {"local", "static", "argument", "result"};
    cm_buffer_printf(text, "  %s %s", cm_fortran_type_text(variable->type), variable->name);
    write_bounds(text, variable);
    if (variable->rank > 0)
        cm_buffer_printf(text, " on %s", variable->on_machine ? "cm" : "fe");
    cm_buffer_printf(text, " %s %u%s", storages[variable->storage], variable->slot,
                     variable->allocatable ? " allocatable" : "");
    write_layout(text, variable);
    for (uint32_t i = 0; i < variable->initial_count; i++) {
        const struct cm_fortran_initial *initial = &variable->initials[i];
        cm_buffer_printf(text, "%s%llu*", i > 0 ? ", " : " = ", (unsigned long long)initial->count);
        write_value(text, variable->type, &initial->value);
        cm_buffer_printf(text, "@%llu", (unsigned long long)initial->first);
    }
    cm_buffer_printf(text, "\n");
}

static void write_forall(struct cm_buffer *text, const struct cm_fortran_forall *forall)
{
    cm_buffer_printf(text, "forall");
    for (uint32_t i = 0; i < forall->indices; i++) {
        cm_buffer_printf(text, " #%u=", i);
        write_expression(text, forall->triplets[i]);
    }
    if (forall->mask) {
        cm_buffer_printf(text, " mask ");
        write_expression(text, forall->mask);
    }
    for (uint32_t i = 0; i < forall->assignments; i++) {
        cm_buffer_printf(text, "; ");
        write_expression(text, forall->targets[i]);
        cm_buffer_printf(text, " = ");
        write_expression(text, forall->values[i]);
    }
}

/* Writes NAME and the value of a statement that has only a value. */
static void write_with_value(struct cm_buffer *text, const char *name,
                             const struct cm_fortran_statement *statement)
{
    cm_buffer_printf(text, "%s", name);
    if (!statement->value)
        return;
    cm_buffer_printf(text, " ");
    write_expression(text, statement->value);
}

static void write_with_list(struct cm_buffer *text, const char *name,
                            const struct cm_fortran_statement *statement)
{
    cm_buffer_printf(text, "%s%s", name, statement->count > 0 ? " " : "");
    write_list(text, statement->args, statement->count);
}

static void write_targets(struct cm_buffer *text, const struct cm_fortran_statement *statement)
{
    for (uint32_t i = 0; i < statement->target_count; i++)
        cm_buffer_printf(text, "%s%u", i > 0 ? ", " : " -> ", statement->targets[i]);
}

static void write_jump(struct cm_buffer *text, const struct cm_fortran_statement *statement)
{
    switch (statement->kind) {
    case CM_FORTRAN_JUMP:
        cm_buffer_printf(text, "jump");
        break;
    case CM_FORTRAN_UNLESS:
        write_with_value(text, "unless", statement);
        break;
    case CM_FORTRAN_SIGN_JUMP:
        write_with_value(text, "sign", statement);
        write_targets(text, statement);
        return;
    case CM_FORTRAN_CASE_JUMP:
        write_with_value(text, "case", statement);
        write_targets(text, statement);
        return;
    case CM_FORTRAN_DO:
        cm_buffer_printf(text, "do#%u ", statement->slot);
        write_list(text, statement->args, statement->count);
        break;
    default:
        cm_buffer_printf(text, "next#%u", statement->slot);
    }
    cm_buffer_printf(text, " -> %u", statement->to);
}

static void write_call_statement(struct cm_buffer *text,
                                 const struct cm_fortran_statement *statement)
{
    const char *name = statement->kind != CM_FORTRAN_CALL_UNIT
                           ? cm_fortran_library_name(statement->library)
                       : statement->unit ? statement->unit->name
                                         : statement->procedure->name;
    cm_buffer_printf(text, "call %s(", name);
    write_list(text, statement->args, statement->count);
    cm_buffer_printf(text, ")");
}

static void write_print(struct cm_buffer *text, const struct cm_fortran_statement *statement)
{
    if (statement->format)
        cm_buffer_printf(text, "print (%s)", statement->format);
    else
        cm_buffer_printf(text, "print *");
    write_with_list(text, "", statement);
}

static void write_statement(struct cm_buffer *text, const struct cm_fortran_statement *statement)
{
    switch (statement->kind) {
    case CM_FORTRAN_ASSIGN:
        write_expression(text, statement->target);
        cm_buffer_printf(text, " = ");
        write_expression(text, statement->value);
        break;
    case CM_FORTRAN_WHERE:
        write_with_value(text, "where", statement);
        break;
    case CM_FORTRAN_ELSEWHERE:
        write_with_value(text, "elsewhere", statement);
        break;
    case CM_FORTRAN_END_WHERE:
        cm_buffer_printf(text, "end where");
        break;
    case CM_FORTRAN_FORALL:
        write_forall(text, statement->forall);
        break;
    case CM_FORTRAN_CALL_UNIT:
    case CM_FORTRAN_CALL_LIBRARY:
        write_call_statement(text, statement);
        break;
    case CM_FORTRAN_RETURN:
        cm_buffer_printf(text, "return");
        break;
    case CM_FORTRAN_STOP:
        write_with_value(text, "stop", statement);
        break;
    case CM_FORTRAN_IO:
        write_print(text, statement);
        break;
    case CM_FORTRAN_ALLOCATE:
        write_with_list(text, "allocate", statement);
        break;
    case CM_FORTRAN_DEALLOCATE:
        write_with_list(text, "deallocate", statement);
        break;
    default:
        write_jump(text, statement);
    }
}

static void write_unit(struct cm_buffer *text, const struct cm_fortran_program *program,
                       const struct cm_fortran_unit *unit)
{
    cm_buffer_printf(text, "%s %s",
                     unit == program->main ? "program"
                     : unit->is_function   ? "function"
                                           : "subroutine",
                     unit->name);
    for (uint32_t i = 0; i < unit->argument_count; i++)
        cm_buffer_printf(text, "%s%s", i > 0 ? ", " : "(", unit->arguments[i]->name);
    cm_buffer_printf(text, "%s\n", unit->argument_count > 0 ? ")" : "");
    for (uint32_t i = 0; i < unit->variable_count; i++)
        write_variable(text, unit->variables[i]);
    for (uint32_t i = 0; i < unit->statement_count; i++) {
        cm_buffer_printf(text, "%u: ", i);
        write_statement(text, &unit->statements[i]);
        cm_buffer_printf(text, "\n");
    }
}

void write_program(const struct cm_fortran_program *program, struct cm_buffer *text)
{
    for (uint32_t i = 0; i < program->unit_count; i++)
        write_unit(text, program, program->units[i]);
}
