/*
 * Checks intrinsic functions that are passed as arguments. For each such function, the checker
 * makes a unit of the program that calls it. So a dummy procedure always stands for a unit.
 */
#include "flow.h"

#include <string.h>

struct cm_check_passed {
    struct cm_check_passed *next;
    struct cm_fortran_unit *unit;
};

/* Returns the argument type of an intrinsic function that may be passed, or CM_FORTRAN_NO_TYPE for
 * another one. As in Fortran 77, a passed name takes arguments of one type, and conversions, MAX
 * and MIN cannot be passed. */
static uint8_t argument_type(const char *name, enum cm_fortran_intrinsic intrinsic)
{
    const struct cm_specific_name *specific = cm_specific_find(name);
    switch (intrinsic) {
    case CM_FORTRAN_LOG:
    case CM_FORTRAN_LOG10:
        return specific ? specific->argument : CM_FORTRAN_NO_TYPE;
    case CM_FORTRAN_AIMAG:
    case CM_FORTRAN_CONJG:
        return specific ? specific->argument : CM_TYPE_COMPLEX64;
    case CM_FORTRAN_MOD:
        return specific ? specific->argument : CM_TYPE_INT32;
    case CM_FORTRAN_ABS:
    case CM_FORTRAN_ACOS:
    case CM_FORTRAN_AINT:
    case CM_FORTRAN_ANINT:
    case CM_FORTRAN_ASIN:
    case CM_FORTRAN_ATAN:
    case CM_FORTRAN_ATAN2:
    case CM_FORTRAN_COS:
    case CM_FORTRAN_COSH:
    case CM_FORTRAN_DIM:
    case CM_FORTRAN_DPROD:
    case CM_FORTRAN_EXP:
    case CM_FORTRAN_NINT:
    case CM_FORTRAN_SIGN:
    case CM_FORTRAN_SIN:
    case CM_FORTRAN_SINH:
    case CM_FORTRAN_SQRT:
    case CM_FORTRAN_TAN:
    case CM_FORTRAN_TANH:
        return specific ? specific->argument : CM_TYPE_REAL32;
    default:
        return CM_FORTRAN_NO_TYPE;
    }
}

static uint32_t argument_count(enum cm_fortran_intrinsic intrinsic)
{
    switch (intrinsic) {
    case CM_FORTRAN_ATAN2:
    case CM_FORTRAN_DIM:
    case CM_FORTRAN_DPROD:
    case CM_FORTRAN_MOD:
    case CM_FORTRAN_SIGN:
        return 2;
    default:
        return 1;
    }
}

/* Adds a scalar variable to the unit, and returns a reference to it. */
static struct cm_fortran_expression *add_scalar(struct cm_check *check,
                                                struct cm_fortran_unit *unit, const char *name,
                                                uint8_t type, enum cm_fortran_storage storage,
                                                uint32_t slot)
{
    struct cm_fortran_variable *variable = cm_check_take(check, sizeof *variable);
    struct cm_fortran_expression *reference =
        cm_check_new(check, CM_FORTRAN_VARIABLE, type, 0, unit->place);
    if (!variable || !reference)
        return NULL;
    *variable = (struct cm_fortran_variable){
        .name = name, .type = type, .storage = storage, .slot = slot, .place = unit->place};
    unit->variables[unit->variable_count++] = variable;
    reference->variable = variable;
    return reference;
}

/* Makes the two statements of the unit: RESULT = function(X) or function(X, Y), and RETURN. */
static bool fill(struct cm_check *check, struct cm_fortran_unit *unit,
                 enum cm_fortran_intrinsic intrinsic, uint8_t type)
{
    static const char *const names[] = {"x", "y"};
    struct cm_intrinsic_call call = {.intrinsic = intrinsic,
                                     .name = unit->name,
                                     .place = unit->place,
                                     .count = argument_count(intrinsic)};
    call.list = call.args;
    unit->variables = cm_check_take(check, 3 * sizeof(void *));
    unit->arguments = cm_check_take(check, 2 * sizeof(void *));
    unit->statements = cm_check_take(check, 2 * sizeof *unit->statements);
    if (!unit->variables || !unit->arguments || !unit->statements)
        return false;
    for (uint32_t i = 0; i < call.count; i++) {
        call.args[i] = add_scalar(check, unit, names[i], type, CM_FORTRAN_DUMMY, i);
        if (!call.args[i])
            return false;
        unit->arguments[unit->argument_count++] = unit->variables[i];
    }
    struct cm_fortran_expression *value = cm_check_elemental(check, &call);
    struct cm_fortran_expression *result =
        value ? add_scalar(check, unit, unit->name, value->type, CM_FORTRAN_RESULT, 0) : NULL;
    if (!result)
        return false;
    unit->result = unit->variables[call.count];
    unit->locals = 1;
    unit->statements[0] = (struct cm_fortran_statement){
        .kind = CM_FORTRAN_ASSIGN, .place = unit->place, .target = result, .value = value};
    unit->statements[1] =
        (struct cm_fortran_statement){.kind = CM_FORTRAN_RETURN, .place = unit->place};
    unit->statement_count = 2;
    return true;
}

const struct cm_fortran_unit *cm_check_passed(struct cm_check *check, const char *name,
                                              struct cm_source_place place)
{
    enum cm_fortran_intrinsic intrinsic;
    for (const struct cm_check_passed *other = check->passed; other; other = other->next)
        if (strcmp(other->unit->name, name) == 0)
            return other->unit;
    if (!cm_intrinsic_find(name, &intrinsic))
        return NULL; /* A fault in the declaration of the name was reported before. */
    uint8_t type = argument_type(name, intrinsic);
    if (type == CM_FORTRAN_NO_TYPE) {
        cm_check_fail(check, place, "the function \"%s\" cannot be an argument", name);
        cm_messages_hint(check->messages, "functions of one type can, such as SIN, ALOG and DSQRT; "
                                          "else write a function that calls it");
        return NULL;
    }
    struct cm_check_passed *passed = cm_check_take(check, sizeof *passed);
    struct cm_fortran_unit *unit = cm_check_take(check, sizeof *unit);
    if (!passed || !unit)
        return NULL;
    *unit = (struct cm_fortran_unit){.name = name, .place = place, .is_function = true};
    if (!fill(check, unit, intrinsic, type))
        return NULL;
    *passed = (struct cm_check_passed){check->passed, unit};
    check->passed = passed;
    return unit;
}

void cm_check_add_passed(struct cm_check *check)
{
    struct cm_fortran_program *program = check->program;
    uint32_t count = program->unit_count;
    for (const struct cm_check_passed *passed = check->passed; passed; passed = passed->next)
        count++;
    struct cm_fortran_unit **units = cm_check_take(check, sizeof(void *) * ((size_t)count + 1));
    if (!units)
        return;
    memcpy(units, program->units, sizeof(void *) * program->unit_count);
    for (const struct cm_check_passed *passed = check->passed; passed; passed = passed->next)
        units[program->unit_count++] = passed->unit;
    program->units = units;
}
