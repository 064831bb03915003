/* Checks expressions: constants, names, elements, sections, and references to functions. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

struct cm_fortran_expression *cm_check_new(struct cm_check *check, enum cm_fortran_kind kind,
                                           uint8_t type, uint32_t rank,
                                           struct cm_source_place place)
{
    struct cm_fortran_expression *expression = cm_check_take(check, sizeof *expression);
    if (!expression)
        return NULL;
    expression->kind = kind;
    expression->type = type;
    expression->rank = (uint8_t)rank;
    expression->place = place;
    return expression;
}

bool cm_check_args(struct cm_check *check, struct cm_fortran_expression *expression, uint32_t count)
{
    expression->args = cm_check_take(check, sizeof(void *) * ((size_t)count + 1));
    expression->count = expression->args ? count : 0;
    return expression->args != NULL;
}

struct cm_fortran_expression *cm_check_variable_reference(struct cm_check *check,
                                                          struct cm_fortran_variable *variable,
                                                          struct cm_source_place place)
{
    struct cm_fortran_expression *reference =
        cm_check_new(check, CM_FORTRAN_VARIABLE, variable->type, variable->rank, place);
    if (reference)
        reference->variable = variable;
    return reference;
}

/* Sets *bytes to the kind of a constant such as 1.0_8 or 1.0_DP. Does not change *bytes for a
 * constant without a kind. */
static bool literal_kind(struct cm_check *check, const struct cm_syntax_expression *tree,
                         uint32_t *bytes)
{
    if (tree->kind_value != 0)
        *bytes = tree->kind_value;
    if (!tree->kind_name)
        return true;
    const struct cm_symbol *symbol = cm_symbol_find(check->scope, tree->kind_name);
    int32_t value;
    if (!symbol || !cm_constant_is_int(symbol->constant, &value) || value <= 0) {
        cm_check_fail(check, tree->place, "\"%s\" is not an INTEGER PARAMETER that gives a kind",
                      tree->kind_name);
        return false;
    }
    *bytes = (uint32_t)value;
    return true;
}

static struct cm_fortran_expression *check_integer(struct cm_check *check,
                                                   const struct cm_syntax_expression *tree)
{
    uint32_t bytes = 4;
    if (!literal_kind(check, tree, &bytes))
        return NULL;
    if (bytes != 4)
        return cm_check_fail(check, tree->place, "INTEGER of %u bytes is not supported", bytes);
    if (tree->is_bits) {
        struct cm_fortran_expression *bits =
            cm_check_int(check, (int32_t)(uint32_t)tree->integer, tree->place);
        if (bits)
            bits->is_bits = true;
        return bits;
    }
    if (tree->integer > INT32_MAX)
        return cm_check_fail(check, tree->place, "%llu is too large for an INTEGER",
                             (unsigned long long)tree->integer);
    return cm_check_int(check, (int32_t)tree->integer, tree->place);
}

static struct cm_fortran_expression *check_real(struct cm_check *check,
                                                const struct cm_syntax_expression *tree)
{
    uint32_t bytes = tree->real.is_double ? 8 : 4;
    if (!literal_kind(check, tree, &bytes))
        return NULL;
    if (bytes != 4 && bytes != 8)
        return cm_check_fail(check, tree->place, "REAL of %u bytes is not supported", bytes);
    struct cm_fortran_expression *constant = cm_check_new(
        check, CM_FORTRAN_CONSTANT, bytes == 8 ? CM_TYPE_REAL64 : CM_TYPE_REAL32, 0, tree->place);
    if (!constant)
        return NULL;
    if (bytes == 8)
        constant->value.real64 = strtod(tree->real.digits, NULL);
    else
        constant->value.real = strtof(tree->real.digits, NULL);
    bool finite = bytes == 8 ? constant->value.real64 <= 1.7976931348623157e308
                             : constant->value.real <= 3.4028234e38F;
    if (!finite)
        return cm_check_fail(check, tree->place, "%s is too large for a %s", tree->real.digits,
                             cm_fortran_type_text(constant->type));
    return constant;
}

static struct cm_fortran_expression *check_complex(struct cm_check *check,
                                                   const struct cm_syntax_expression *tree)
{
    struct cm_fortran_expression *parts[2] = {cm_check_expression(check, tree->pair.real),
                                              cm_check_expression(check, tree->pair.imaginary)};
    double values[2] = {0, 0}, im;
    bool is_double = false;
    for (uint32_t i = 0; i < 2; i++) {
        if (!parts[i])
            return NULL;
        if (parts[i]->kind != CM_FORTRAN_CONSTANT || !cm_type_is_number(parts[i]->type) ||
            cm_type_is_complex(parts[i]->type)) {
            cm_check_fail(check, parts[i]->place, "the parts of a complex constant are constants");
            cm_messages_hint(check->messages, "CMPLX(a, b) makes a complex value of any two");
            return NULL;
        }
        cm_constant_parts(parts[i], &values[i], &im);
        is_double = is_double || parts[i]->type == CM_TYPE_REAL64;
    }
    struct cm_fortran_expression *constant =
        cm_check_new(check, CM_FORTRAN_CONSTANT, is_double ? CM_TYPE_COMPLEX128 : CM_TYPE_COMPLEX64,
                     0, tree->place);
    if (constant)
        cm_constant_set(constant, values[0], values[1]);
    return constant;
}

static struct cm_fortran_expression *check_string(struct cm_check *check,
                                                  const struct cm_syntax_expression *tree)
{
    struct cm_fortran_expression *text =
        cm_check_new(check, CM_FORTRAN_TEXT, CM_FORTRAN_CHARACTER, 0, tree->place);
    if (!text)
        return NULL;
    text->is_bits = tree->is_bits;
    text->text = cm_arena_copy(check->arena, tree->string.bytes, tree->string.length);
    text->text_length = tree->string.length;
    return text->text ? text : NULL;
}

static struct cm_fortran_expression *copy_at(struct cm_check *check,
                                             const struct cm_fortran_expression *from,
                                             struct cm_source_place place)
{
    struct cm_fortran_expression *copy = cm_check_take(check, sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *from;
    copy->place = place;
    return copy;
}

static const struct cm_meaning *meaning_of(const struct cm_check *check, const char *name)
{
    const struct cm_meaning *meaning = check->meanings;
    while (meaning && meaning->name != name)
        meaning = meaning->outer;
    return meaning;
}

static struct cm_fortran_expression *meant(struct cm_check *check, const struct cm_meaning *meaning,
                                           struct cm_source_place place)
{
    if (!meaning->value)
        return NULL;
    check->formula_nodes += meaning->size;
    if (check->formula_nodes > CM_FORMULA_MAX_NODES)
        return cm_check_fail(check, place,
                             "this statement becomes too long when its statement "
                             "functions are expanded");
    return copy_at(check, meaning->value, place);
}

/* Makes a reference to a variable. If `operates` is true, a whole array is an operand of an array
 * operation. */
static struct cm_fortran_expression *reference(struct cm_check *check,
                                               struct cm_fortran_variable *variable,
                                               struct cm_source_place place, bool operates)
{
    if (cm_check_is_texts(variable) && operates)
        return cm_check_fail(check, place,
                             "\"%s\" is an array of CHARACTER: as a whole it can be printed, and "
                             "have one value assigned",
                             variable->name);
    if (variable->rank > 0 && operates) {
        cm_check_operates(check, variable);
        if (variable->assumed_size) {
            cm_check_fail(check, place, "\"%s\" has no last bound (*): it has no shape as a whole",
                          variable->name);
            cm_messages_hint(check->messages, "use a section with bounds, or declare its shape");
            return NULL;
        }
    }
    return cm_check_variable_reference(check, variable, place);
}

static struct cm_fortran_expression *
check_name(struct cm_check *check, const struct cm_syntax_expression *tree, bool operates)
{
    const struct cm_meaning *meaning = meaning_of(check, tree->name);
    if (meaning)
        return meant(check, meaning, tree->place);
    struct cm_symbol *symbol = cm_symbol_of(check, tree->name, tree->place);
    if (!symbol)
        return NULL;
    if (symbol->kind == CM_SYMBOL_CONSTANT && !symbol->variable)
        return symbol->constant ? copy_at(check, symbol->constant, tree->place) : NULL;
    struct cm_fortran_variable *variable = cm_symbol_variable(check, symbol, tree->place);
    return variable ? reference(check, variable, tree->place, operates) : NULL;
}

static struct cm_fortran_expression *check_triplet(struct cm_check *check,
                                                   const struct cm_syntax_expression *tree,
                                                   const struct cm_fortran_variable *variable,
                                                   uint32_t axis)
{
    const struct cm_syntax_expression *parts[3] = {tree->range.lower, tree->range.upper,
                                                   tree->range.stride};
    struct cm_fortran_expression *triplet =
        cm_check_new(check, CM_FORTRAN_TRIPLET, CM_TYPE_INT32, 1, tree->place);
    if (!triplet || !cm_check_args(check, triplet, 3))
        return NULL;
    bool good = true;
    for (uint32_t i = 0; i < 3; i++) {
        if (parts[i])
            triplet->args[i] = cm_check_scalar(check, parts[i], CM_TYPE_INT32, "a subscript");
        good = good && (!parts[i] || triplet->args[i]);
    }
    int32_t stride;
    if (cm_constant_is_int(triplet->args[2], &stride) && stride == 0)
        return cm_check_fail(check, tree->place, "the stride of a section cannot be 0");
    if (!parts[1] && variable->assumed_size && axis + 1 == variable->rank)
        return cm_check_fail(check, tree->place,
                             "the last dimension of \"%s\" (*) needs an upper bound here",
                             variable->name);
    return good ? triplet : NULL;
}

/* Returns whether a constant subscript is within constant bounds. Reports a fault if not. */
static bool in_bounds(struct cm_check *check, const struct cm_fortran_variable *variable,
                      uint32_t axis, const struct cm_fortran_expression *subscript)
{
    const struct cm_fortran_bound *bound = &variable->bounds[axis];
    int32_t value, lower = 1, upper = INT32_MAX;
    if (!cm_constant_is_int(subscript, &value) || variable->allocatable ||
        (bound->lower && !cm_constant_is_int(bound->lower, &lower)) ||
        (bound->upper && !cm_constant_is_int(bound->upper, &upper)))
        return true;
    if (value >= lower && value <= upper)
        return true;
    if (bound->upper)
        cm_check_fail(check, subscript->place,
                      "subscript %d is outside of dimension %u of \"%s\", %d:%d", value, axis + 1,
                      variable->name, lower, upper);
    else
        cm_check_fail(check, subscript->place,
                      "subscript %d is below dimension %u of \"%s\", which begins with %d", value,
                      axis + 1, variable->name, lower);
    return false;
}

static struct cm_fortran_expression *check_subscript(struct cm_check *check,
                                                     const struct cm_syntax_expression *tree,
                                                     const struct cm_fortran_variable *variable,
                                                     uint32_t axis)
{
    if (tree->kind == CM_EXPRESSION_RANGE)
        return check_triplet(check, tree, variable, axis);
    struct cm_fortran_expression *subscript = cm_check_expression(check, tree);
    if (!subscript)
        return NULL;
    if (subscript->type != CM_TYPE_INT32) {
        cm_check_fail(check, tree->place, "a subscript is INTEGER, not %s",
                      cm_fortran_type_text(subscript->type));
        return NULL;
    }
    if (subscript->rank > 1)
        return cm_check_fail(check, tree->place, "a vector subscript has rank 1, not %u",
                             subscript->rank);
    return in_bounds(check, variable, axis, subscript) ? subscript : NULL;
}

static struct cm_fortran_expression *check_element(struct cm_check *check,
                                                   const struct cm_syntax_expression *tree,
                                                   struct cm_fortran_variable *variable,
                                                   bool operates)
{
    const struct cm_syntax_arguments *arguments = &tree->call.arguments;
    if (arguments->count != variable->rank)
        return cm_check_fail(check, tree->place, "\"%s\" has %u dimension%s, not %u",
                             variable->name, variable->rank, variable->rank == 1 ? "" : "s",
                             arguments->count);
    struct cm_fortran_expression *element =
        cm_check_new(check, CM_FORTRAN_ELEMENT, variable->type, 0, tree->place);
    if (!element || !cm_check_args(check, element, variable->rank))
        return NULL;
    element->variable = variable;
    uint32_t axis = 0;
    bool good = true;
    for (const struct cm_syntax_argument *argument = arguments->first; argument;
         argument = argument->next, axis++) {
        if (argument->keyword)
            return cm_check_fail(check, argument->place, "a subscript has no keyword");
        element->args[axis] = check_subscript(check, argument->value, variable, axis);
        good = good && element->args[axis];
        if (element->args[axis] && element->args[axis]->rank > 0)
            element->rank++;
    }
    if (!good)
        return NULL;
    bool is_value = operates || check->is_forall;
    if (variable->type == CM_FORTRAN_CHARACTER && is_value &&
        (element->rank > 0 || check->is_forall))
        return cm_check_fail(check, tree->place,
                             element->rank > 0 ? "a section of an array of CHARACTER can be "
                                                 "printed, and have one value assigned"
                                               : "FORALL does not take CHARACTER values");
    if (element->rank > 0)
        element->kind = CM_FORTRAN_SECTION;
    if ((element->rank > 0 && operates) || check->is_forall)
        cm_check_operates(check, variable);
    return element;
}

static struct cm_fortran_expression *check_library_function(struct cm_check *check,
                                                            enum cm_fortran_library library,
                                                            const struct cm_syntax_expression *tree)
{
    if (!cm_library_is_function(library)) {
        cm_check_fail(check, tree->place, "\"%s\" is a subroutine, not a function",
                      tree->call.name);
        cm_messages_hint(check->messages, "write CALL");
        return NULL;
    }
    bool is_time =
        library == CM_FORTRAN_CM_TIMER_READ_CM_BUSY || library == CM_FORTRAN_CM_TIMER_READ_ELAPSED;
    uint8_t type = is_time ? CM_TYPE_REAL64 : CM_TYPE_INT32;
    struct cm_fortran_expression *call =
        cm_check_new(check, CM_FORTRAN_LIBRARY, type, 0, tree->place);
    if (!call)
        return NULL;
    call->library = library;
    bool good = cm_check_library_arguments(check, library, tree->place, &tree->call.arguments,
                                           &call->args, &call->count);
    return good ? call : NULL;
}

static struct cm_fortran_expression *check_procedure(struct cm_check *check,
                                                     const struct cm_symbol *symbol,
                                                     const struct cm_syntax_expression *tree)
{
    const char *name = tree->call.name;
    struct cm_scope *callee = cm_check_unit(check, name);
    bool is_external = symbol && symbol->is_external;
    if (!(is_external && callee)) {
        if (!is_external && cm_kind_function(name))
            return cm_check_kind_function(check, tree);
        if (!is_external && cm_intrinsic_known(name))
            return cm_check_intrinsic(check, tree);
        enum cm_fortran_library library;
        if (!callee && cm_library_find(name, &library))
            return check_library_function(check, library, tree);
    }
    if (cm_check_is_unknown(check, callee)) {
        cm_check_unknown(check, &tree->call.arguments);
        return NULL;
    }
    if (callee)
        return cm_check_function(check, callee, tree);
    cm_check_fail(check, tree->place,
                  cm_library_is_refused(name)
                      ? "the function \"%s\" is not supported"
                      : "\"%s\" is neither an array nor a function of this file",
                  name);
    cm_check_suggest(check, name);
    cm_library_hint_refused(check->messages, name);
    return NULL;
}

static struct cm_fortran_expression *
check_call(struct cm_check *check, const struct cm_syntax_expression *tree, bool operates)
{
    const char *name = tree->call.name;
    struct cm_symbol *symbol = cm_symbol_find(check->scope, name);
    if (meaning_of(check, name))
        return cm_check_fail(check, tree->place, "\"%s\" is a scalar here", name);
    if (!symbol)
        return check_procedure(check, NULL, tree);
    if (symbol->variable && symbol->variable->rank > 0)
        return check_element(check, tree, symbol->variable, operates);
    if (symbol->kind == CM_SYMBOL_FORMULA)
        return cm_check_formula(check, symbol, tree);
    if (cm_check_is_substring(check, symbol, tree))
        return cm_check_substring(check, symbol, tree);
    bool is_own = symbol->is_result && check->scope->tree->name == name;
    if (cm_check_is_argument(symbol))
        return cm_check_indirect_function(check, symbol, tree);
    if ((symbol->kind == CM_SYMBOL_VARIABLE && !is_own) || symbol->kind == CM_SYMBOL_CONSTANT) {
        cm_check_fail(check, tree->place, "\"%s\" is a scalar, and has no elements", name);
        cm_messages_hint(check->messages, "%s", "declare its dimensions, or check the name");
        return NULL;
    }
    return check_procedure(check, symbol, tree);
}

static struct cm_fortran_expression *
check_any(struct cm_check *check, const struct cm_syntax_expression *tree, bool operates)
{
    switch (tree->kind) {
    case CM_EXPRESSION_INTEGER:
        return check_integer(check, tree);
    case CM_EXPRESSION_REAL:
        return check_real(check, tree);
    case CM_EXPRESSION_COMPLEX:
        return check_complex(check, tree);
    case CM_EXPRESSION_LOGICAL:
        return cm_check_logical(check, tree->logical, tree->place);
    case CM_EXPRESSION_STRING:
        return check_string(check, tree);
    case CM_EXPRESSION_NAME:
        return check_name(check, tree, operates);
    case CM_EXPRESSION_CALL:
        return check_call(check, tree, operates);
    case CM_EXPRESSION_UNARY:
        return cm_check_unary(check, tree);
    case CM_EXPRESSION_BINARY:
        return cm_check_binary(check, tree);
    case CM_EXPRESSION_PARENTHESES:
        return cm_check_value(check, cm_check_expression(check, tree->right));
    case CM_EXPRESSION_CONSTRUCTOR:
        return cm_check_constructor(check, tree);
    case CM_EXPRESSION_SUBSTRING:
        return cm_check_element_part(check, tree);
    default:
        return cm_check_fail(check, tree->place, "this is not an expression here");
    }
}

/* Checks an expression, and records the result in options->expressions. */
static struct cm_fortran_expression *
check_noted(struct cm_check *check, const struct cm_syntax_expression *tree, bool operates)
{
    struct cm_fortran_expression *found = check_any(check, tree, operates);
    if (check->options->expressions)
        check->options->expressions[tree->number] = found;
    return found;
}

struct cm_fortran_expression *cm_check_expression(struct cm_check *check,
                                                  const struct cm_syntax_expression *tree)
{
    return check_noted(check, tree, true);
}

struct cm_fortran_expression *cm_check_named(struct cm_check *check,
                                             const struct cm_syntax_expression *tree)
{
    return check_noted(check, tree, false);
}

struct cm_fortran_expression *cm_check_scalar(struct cm_check *check,
                                              const struct cm_syntax_expression *tree, uint8_t type,
                                              const char *what)
{
    struct cm_fortran_expression *scalar = cm_check_expression(check, tree);
    if (!scalar)
        return NULL;
    if (scalar->rank > 0)
        return cm_check_fail(check, tree->place, "%s is a scalar, not an array of rank %u", what,
                             scalar->rank);
    if (scalar->type != type)
        return cm_check_fail(check, tree->place, "%s is %s, not %s", what,
                             cm_fortran_type_text(type), cm_fortran_type_text(scalar->type));
    return scalar;
}

bool cm_check_integer(struct cm_check *check, const struct cm_syntax_expression *tree,
                      const char *what, int32_t *value)
{
    const struct cm_fortran_expression *result = cm_check_scalar(check, tree, CM_TYPE_INT32, what);
    if (!result)
        return false;
    if (cm_constant_is_int(result, value))
        return true;
    cm_check_fail(check, tree->place, "%s is not constant", what);
    return false;
}

bool cm_check_changes(struct cm_check *check, const struct cm_syntax_expression *tree)
{
    if (tree->kind == CM_EXPRESSION_SUBSTRING)
        tree = tree->substring.of;
    const char *name = tree->kind == CM_EXPRESSION_CALL ? tree->call.name : tree->name;
    const struct cm_symbol *symbol = cm_symbol_find(check->scope, name);
    if (meaning_of(check, name))
        cm_check_fail(check, tree->place, "the index \"%s\" cannot be changed here", name);
    else if (symbol && symbol->kind == CM_SYMBOL_CONSTANT)
        cm_check_fail(check, tree->place, "\"%s\" is a PARAMETER, and cannot be changed", name);
    else if (symbol && symbol->intent == CM_ATTRIBUTE_IN)
        cm_check_fail(check, tree->place, "\"%s\" is INTENT(IN), and cannot be changed", name);
    else
        return true;
    return false;
}

struct cm_fortran_expression *cm_check_target(struct cm_check *check,
                                              const struct cm_syntax_expression *tree)
{
    bool is_part =
        tree->kind == CM_EXPRESSION_SUBSTRING && tree->substring.of->kind == CM_EXPRESSION_CALL;
    if (tree->kind != CM_EXPRESSION_NAME && tree->kind != CM_EXPRESSION_CALL && !is_part)
        return cm_check_fail(check, tree->place, "nothing can be assigned to this");
    if (!cm_check_changes(check, tree))
        return NULL;
    if (tree->kind == CM_EXPRESSION_CALL) {
        struct cm_symbol *symbol = cm_symbol_find(check->scope, tree->call.name);
        if (!symbol || !(symbol->variable || cm_check_is_substring(check, symbol, tree))) {
            cm_check_fail(check, tree->place, "\"%s\" is not an array", tree->call.name);
            cm_check_suggest(check, tree->call.name);
            return NULL;
        }
    }
    const struct cm_symbol *array =
        is_part ? NULL
                : cm_symbol_find(check->scope,
                                 tree->kind == CM_EXPRESSION_NAME ? tree->name : tree->call.name);
    struct cm_fortran_expression *target = array && cm_check_is_texts(array->variable)
                                               ? cm_check_named(check, tree)
                                               : cm_check_expression(check, tree);
    if (target && target->kind != CM_FORTRAN_VARIABLE && target->kind != CM_FORTRAN_ELEMENT &&
        target->kind != CM_FORTRAN_SECTION && target->kind != CM_FORTRAN_SUBSTRING)
        return cm_check_fail(check, tree->place, "nothing can be assigned to this");
    return target;
}
