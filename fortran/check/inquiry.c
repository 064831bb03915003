/* Checks inquiry functions about bounds, shapes and kinds. A call becomes a constant if the bounds
 * are constant. */
#include "check.h"

#include <string.h>

static struct cm_fortran_expression *constant_size(struct cm_check *check,
                                                   const struct cm_intrinsic_call *call)
{
    struct cm_shape shape;
    int32_t dim = 0;
    cm_check_shape(call->args[0], &shape);
    if (call->args[1] && !cm_constant_is_int(call->args[1], &dim))
        return NULL;
    int64_t count = 1;
    for (uint32_t axis = 0; axis < shape.rank; axis++) {
        if (dim != 0 && axis + 1 != (uint32_t)dim)
            continue;
        if (shape.extents[axis] < 0 || count > INT32_MAX)
            return NULL;
        count *= shape.extents[axis];
    }
    return count <= INT32_MAX ? cm_check_int(check, (int32_t)count, call->place) : NULL;
}

/* Returns the value of LBOUND or UBOUND as a constant, or NULL if it is not constant. The lower
 * bounds of an expression or a section are 1. */
static struct cm_fortran_expression *constant_bound(struct cm_check *check,
                                                    const struct cm_intrinsic_call *call)
{
    const struct cm_fortran_expression *array = call->args[0];
    bool is_lower = call->intrinsic == CM_FORTRAN_LBOUND;
    int32_t dim, value = 1;
    if (!call->args[1] || !cm_constant_is_int(call->args[1], &dim))
        return NULL;
    if (array->kind != CM_FORTRAN_VARIABLE)
        return is_lower ? cm_check_int(check, 1, call->place) : constant_size(check, call);
    const struct cm_fortran_bound *bound = &array->variable->bounds[dim - 1];
    int32_t lower = 1, upper;
    if (array->variable->allocatable || !bound->upper ||
        (bound->lower && !cm_constant_is_int(bound->lower, &lower)) ||
        !cm_constant_is_int(bound->upper, &upper))
        return NULL;
    value = is_lower ? lower : upper;
    if (upper < lower)
        value = is_lower ? 1 : 0;
    return cm_check_int(check, value, call->place);
}

static struct cm_fortran_expression *check_allocated(struct cm_check *check,
                                                     struct cm_intrinsic_call *call)
{
    const struct cm_fortran_expression *array = call->args[0];
    if (array->kind != CM_FORTRAN_VARIABLE || !array->variable->allocatable)
        return cm_check_fail(check, array->place, "ALLOCATED takes an ALLOCATABLE array");
    return cm_intrinsic_result(check, call, CM_TYPE_LOGICAL, 0);
}

static struct cm_fortran_expression *check_present(struct cm_check *check,
                                                   struct cm_intrinsic_call *call)
{
    const struct cm_fortran_expression *argument = call->args[0];
    bool is_name = argument->kind == CM_FORTRAN_VARIABLE || argument->kind == CM_FORTRAN_PROCEDURE;
    if (!is_name || !argument->variable || !argument->variable->is_optional)
        return cm_check_fail(check, argument->place, "PRESENT takes an OPTIONAL argument");
    return cm_intrinsic_result(check, call, CM_TYPE_LOGICAL, 0);
}

/* Returns whether the function needs the last upper bound of an assumed-size array, which is not
 * known. */
static bool needs_last_bound(const struct cm_intrinsic_call *call)
{
    const struct cm_fortran_expression *array = call->args[0];
    int32_t dim;
    if (array->kind != CM_FORTRAN_VARIABLE || !array->variable->assumed_size ||
        call->intrinsic == CM_FORTRAN_LBOUND)
        return false;
    if (call->intrinsic == CM_FORTRAN_SHAPE || !call->args[1])
        return true;
    return cm_constant_is_int(call->args[1], &dim) && (uint32_t)dim == array->rank;
}

struct cm_fortran_expression *cm_check_inquiry(struct cm_check *check,
                                               struct cm_intrinsic_call *call)
{
    const struct cm_fortran_expression *array = call->args[0];
    if (call->intrinsic == CM_FORTRAN_ALLOCATED)
        return check_allocated(check, call);
    if (call->intrinsic == CM_FORTRAN_PRESENT)
        return check_present(check, call);
    if (call->intrinsic == CM_FORTRAN_RANK)
        return cm_check_int(check, array->rank, call->place);
    if (array->rank == 0 && call->intrinsic != CM_FORTRAN_SHAPE)
        return cm_check_fail(check, array->place, "%s takes an array, not a scalar", call->name);
    struct cm_fortran_expression *dim = call->count > 1 ? call->args[1] : NULL;
    if (dim && !cm_check_dim(check, call, dim, array->rank))
        return NULL;
    if (needs_last_bound(call))
        return cm_check_fail(check, array->place, "\"%s\" has no last bound (*)",
                             array->variable->name);
    bool is_vector =
        call->intrinsic == CM_FORTRAN_SHAPE || (call->intrinsic != CM_FORTRAN_SIZE && !dim);
    struct cm_fortran_expression *constant = NULL;
    if (call->intrinsic == CM_FORTRAN_SIZE)
        constant = constant_size(check, call);
    else if (!is_vector)
        constant = constant_bound(check, call);
    return constant ? constant : cm_intrinsic_result(check, call, CM_TYPE_INT32, is_vector);
}

/* Functions whose result depends on the type of the argument alone, with their values for real32,
 * real64 and int32. */
static const struct kind_function {
    const char *name;
    uint8_t result; /* type of the result, or CM_FORTRAN_NO_TYPE for the argument's type */
    double values[3];
} functions[] = {
    {"kind", CM_TYPE_INT32, {4, 8, 4}},
    {"digits", CM_TYPE_INT32, {24, 53, 31}},
    {"epsilon", CM_FORTRAN_NO_TYPE, {0x1p-23, 0x1p-52, 0}},
    {"huge", CM_FORTRAN_NO_TYPE, {0x1.fffffep127, 0x1.fffffffffffffp1023, 2147483647}},
    {"maxexponent", CM_TYPE_INT32, {128, 1024, 0}},
    {"minexponent", CM_TYPE_INT32, {-125, -1021, 0}},
    {"precision", CM_TYPE_INT32, {6, 15, 0}},
    {"radix", CM_TYPE_INT32, {2, 2, 2}},
    {"range", CM_TYPE_INT32, {37, 307, 9}},
    {"tiny", CM_FORTRAN_NO_TYPE, {0x1p-126, 0x1p-1022, 0}},
};

static const struct kind_function *find(const char *name)
{
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (strcmp(functions[i].name, name) == 0)
            return &functions[i];
    return NULL;
}

bool cm_kind_function(const char *name)
{
    return find(name) || strcmp(name, "selected_real_kind") == 0 ||
           strcmp(name, "selected_int_kind") == 0;
}

/* Evaluates SELECTED_REAL_KIND(p, r) or SELECTED_INT_KIND(r). The result is negative if there is no
 * such kind. */
static struct cm_fortran_expression *check_selected(struct cm_check *check,
                                                    const struct cm_syntax_expression *tree)
{
    const struct cm_syntax_argument *argument = tree->call.arguments.first;
    bool is_int = strcmp(tree->call.name, "selected_int_kind") == 0;
    int32_t values[2] = {0, 0};
    uint32_t most = is_int ? 1 : 2;
    if (tree->call.arguments.count < 1 || tree->call.arguments.count > most)
        return cm_check_fail(check, tree->place, "this function takes %s",
                             is_int ? "one argument" : "one or two arguments");
    for (uint32_t i = 0; argument; argument = argument->next, i++)
        if (!cm_check_integer(check, argument->value, "this argument", &values[i]))
            return NULL;
    int32_t kind = 4;
    if (is_int)
        return cm_check_int(check, values[0] <= 9 ? 4 : -1, tree->place);
    if (values[0] > 6 || values[1] > 37)
        kind = values[0] > 15 ? -1 : values[1] > 307 ? -2 : 8;
    return cm_check_int(check, kind, tree->place);
}

struct cm_fortran_expression *cm_check_kind_function(struct cm_check *check,
                                                     const struct cm_syntax_expression *tree)
{
    const struct kind_function *function = find(tree->call.name);
    if (!function)
        return check_selected(check, tree);
    if (tree->call.arguments.count != 1)
        return cm_check_fail(check, tree->place, "%s takes one argument", tree->call.name);
    const struct cm_fortran_expression *argument =
        cm_check_named(check, tree->call.arguments.first->value);
    if (!argument)
        return NULL;
    bool is_kind = function == find("kind");
    uint8_t type = is_kind ? cm_type_parts(argument->type) : argument->type;
    uint32_t column = type == CM_TYPE_REAL32 ? 0 : type == CM_TYPE_REAL64 ? 1 : 2;
    bool has_value = is_kind || column < 2 || (type == CM_TYPE_INT32 && function->values[2] != 0);
    if (argument->type >= CM_TYPE_COUNT || !has_value)
        return cm_check_fail(check, tree->place, "%s does not take %s", tree->call.name,
                             cm_fortran_type_text(argument->type));
    uint8_t result = function->result == CM_FORTRAN_NO_TYPE ? type : function->result;
    struct cm_fortran_expression *constant =
        cm_check_new(check, CM_FORTRAN_CONSTANT, result, 0, tree->place);
    if (constant)
        cm_constant_set(constant, function->values[column], 0);
    return constant;
}
