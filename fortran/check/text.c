/* Checks CHARACTER variables with their elements and substrings, concatenation, and functions of
 * CHARACTER values. All CHARACTER values are in the front end. */
#include "check.h"

#include <string.h>

bool cm_check_character(struct cm_check *check, const struct cm_symbol *symbol)
{
    const char *why = NULL;
    if (symbol->shape && (symbol->is_allocatable || symbol->kind == CM_SYMBOL_CONSTANT))
        why = "arrays of CHARACTER that are ALLOCATABLE or PARAMETERs are not supported";
    else if (symbol->is_result)
        why = "functions with CHARACTER values are not supported";
    else if (!symbol->typed)
        why = "a CHARACTER variable needs a declaration of its own";
    else if (symbol->length < 0 && !symbol->is_dummy)
        why = "only arguments and PARAMETERs can have the length *";
    if (why)
        cm_check_fail(check, symbol->place, "\"%s\": %s", symbol->name, why);
    return why == NULL;
}

/* Makes a substring whose first and last character are the bounds of a range. */
static struct cm_fortran_expression *part_of(struct cm_check *check,
                                             const struct cm_syntax_expression *range,
                                             struct cm_source_place place)
{
    const struct cm_syntax_expression *ends[2] = {range->range.lower, range->range.upper};
    struct cm_fortran_expression *part =
        cm_check_new(check, CM_FORTRAN_SUBSTRING, CM_FORTRAN_CHARACTER, 0, place);
    if (!part || !cm_check_args(check, part, 3))
        return NULL;
    if (range->range.stride)
        return cm_check_fail(check, range->place, "a part of a text has no stride");
    for (uint32_t i = 0; i < 2; i++) {
        if (!ends[i])
            continue;
        part->args[i] = cm_check_scalar(check, ends[i], CM_TYPE_INT32, "the place of a character");
        if (!part->args[i])
            return NULL;
    }
    return part;
}

struct cm_fortran_expression *cm_check_substring(struct cm_check *check,
                                                 const struct cm_symbol *symbol,
                                                 const struct cm_syntax_expression *tree)
{
    struct cm_fortran_expression *part =
        part_of(check, tree->call.arguments.first->value, tree->place);
    if (!part)
        return NULL;
    part->variable = symbol->variable;
    if (symbol->constant) {
        part->text = symbol->constant->text;
        part->text_length = symbol->constant->text_length;
    }
    return part;
}

/* Checks a substring of an array element, such as NAMES(I)(2:3). */
struct cm_fortran_expression *cm_check_element_part(struct cm_check *check,
                                                    const struct cm_syntax_expression *tree)
{
    const struct cm_syntax_expression *of = tree->substring.of;
    const struct cm_symbol *symbol =
        of->kind == CM_EXPRESSION_CALL ? cm_symbol_find(check->scope, of->call.name) : NULL;
    if (!symbol || !cm_check_is_texts(symbol->variable))
        return cm_check_fail(check, tree->place, "this is not a part of a text");
    struct cm_fortran_expression *element = cm_check_expression(check, of);
    struct cm_fortran_expression *part = part_of(check, tree->substring.range, tree->place);
    if (!element || !part)
        return NULL;
    part->variable = element->variable;
    part->args[2] = element;
    return part;
}

bool cm_check_is_texts(const struct cm_fortran_variable *variable)
{
    return variable && variable->rank > 0 && variable->type == CM_FORTRAN_CHARACTER;
}

/* True if an expression C(2:3) is a substring. If the first use of the name C is a substring, C
 * becomes a variable. */
bool cm_check_is_substring(struct cm_check *check, struct cm_symbol *symbol,
                           const struct cm_syntax_expression *tree)
{
    const struct cm_syntax_arguments *arguments = &tree->call.arguments;
    bool is_range = arguments->count == 1 && !arguments->first->keyword &&
                    arguments->first->value->kind == CM_EXPRESSION_RANGE;
    if (!is_range)
        return false;
    if (symbol->kind == CM_SYMBOL_OPEN && symbol->typed && symbol->type == CM_FORTRAN_CHARACTER)
        cm_symbol_variable(check, symbol, tree->place);
    return (symbol->variable && symbol->variable->type == CM_FORTRAN_CHARACTER) ||
           (symbol->constant && symbol->constant->kind == CM_FORTRAN_TEXT);
}

/* Joins two constant texts into one constant. */
static struct cm_fortran_expression *join(struct cm_check *check,
                                          const struct cm_fortran_expression *a,
                                          const struct cm_fortran_expression *b)
{
    struct cm_fortran_expression *text =
        cm_check_new(check, CM_FORTRAN_TEXT, CM_FORTRAN_CHARACTER, 0, a->place);
    char *bytes = cm_check_take(check, (size_t)a->text_length + b->text_length + 1);
    if (!text || !bytes)
        return NULL;
    memcpy(bytes, a->text, a->text_length);
    memcpy(bytes + a->text_length, b->text, b->text_length);
    text->text = bytes;
    text->text_length = a->text_length + b->text_length;
    return text;
}

struct cm_fortran_expression *cm_check_text_operation(struct cm_check *check, enum cm_fortran_op op,
                                                      struct cm_fortran_expression *a,
                                                      struct cm_fortran_expression *b,
                                                      struct cm_source_place place)
{
    bool joins = op == CM_FORTRAN_CONCATENATE;
    bool compares = op >= CM_FORTRAN_EQ && op <= CM_FORTRAN_GE;
    if (!joins && !compares)
        return cm_check_fail(check, place, "%s cannot be applied to CHARACTER values",
                             cm_fortran_op_text(op));
    if (a->type != CM_FORTRAN_CHARACTER || b->type != CM_FORTRAN_CHARACTER)
        return cm_check_fail(check, place, "%s cannot join %s and %s", cm_fortran_op_text(op),
                             cm_fortran_type_text(a->type), cm_fortran_type_text(b->type));
    if (joins && a->kind == CM_FORTRAN_TEXT && b->kind == CM_FORTRAN_TEXT)
        return join(check, a, b);
    struct cm_fortran_expression *result =
        cm_check_new(check, CM_FORTRAN_OPERATION,
                     joins ? (uint8_t)CM_FORTRAN_CHARACTER : (uint8_t)CM_TYPE_LOGICAL, 0, place);
    if (!result || !cm_check_args(check, result, 2))
        return NULL;
    result->op = op;
    result->args[0] = a;
    result->args[1] = b;
    return result;
}

static uint8_t wanted_type(enum cm_fortran_intrinsic intrinsic, uint32_t argument)
{
    if (intrinsic == CM_FORTRAN_CHAR || intrinsic == CM_FORTRAN_ACHAR ||
        (intrinsic == CM_FORTRAN_REPEAT && argument == 1))
        return CM_TYPE_INT32;
    return argument == 2 ? (uint8_t)CM_TYPE_LOGICAL : (uint8_t)CM_FORTRAN_CHARACTER;
}

/* Returns whether the function is a comparison of texts, and sets *op: LGT(A, B) is A .GT. B. Texts
 * are compared by ASCII codes. */
static bool is_comparison(enum cm_fortran_intrinsic intrinsic, enum cm_fortran_op *op)
{
    static const struct {
        enum cm_fortran_intrinsic intrinsic;
        enum cm_fortran_op op;
    } comparisons[] = {{CM_FORTRAN_LGE, CM_FORTRAN_GE},
                       {CM_FORTRAN_LGT, CM_FORTRAN_GT},
                       {CM_FORTRAN_LLE, CM_FORTRAN_LE},
                       {CM_FORTRAN_LLT, CM_FORTRAN_LT}};
    for (size_t i = 0; i < sizeof comparisons / sizeof comparisons[0]; i++)
        if (comparisons[i].intrinsic == intrinsic) {
            *op = comparisons[i].op;
            return true;
        }
    return false;
}

struct cm_fortran_expression *cm_check_text_function(struct cm_check *check,
                                                     struct cm_intrinsic_call *call)
{
    uint8_t type = CM_TYPE_INT32;
    for (uint32_t i = 0; i < call->count; i++) {
        const struct cm_fortran_expression *argument = call->args[i];
        uint8_t wanted = wanted_type(call->intrinsic, i);
        if (!argument || (argument->type == wanted && argument->rank == 0))
            continue;
        return cm_check_fail(check, argument->place, "%s takes %s here, not %s%s", call->name,
                             cm_fortran_type_text(wanted), argument->rank > 0 ? "an array of " : "",
                             cm_fortran_type_text(argument->type));
    }
    enum cm_fortran_op comparison;
    if (is_comparison(call->intrinsic, &comparison))
        return cm_check_text_operation(check, comparison, call->args[0], call->args[1],
                                       call->place);
    switch (call->intrinsic) {
    case CM_FORTRAN_TRIM:
    case CM_FORTRAN_ADJUSTL:
    case CM_FORTRAN_ADJUSTR:
    case CM_FORTRAN_REPEAT:
    case CM_FORTRAN_CHAR:
    case CM_FORTRAN_ACHAR:
        type = CM_FORTRAN_CHARACTER;
        break;
    default:
        break;
    }
    struct cm_fortran_expression *result =
        cm_check_new(check, CM_FORTRAN_INTRINSIC, type, 0, call->place);
    if (!result || !cm_check_args(check, result, call->count))
        return NULL;
    result->intrinsic = call->intrinsic;
    memcpy(result->args, call->args, sizeof(void *) * call->count);
    return result;
}

union cm_fortran_value cm_check_initial_value(const struct cm_fortran_expression *value)
{
    union cm_fortran_value result = value->value;
    if (value->kind == CM_FORTRAN_TEXT)
        result.text = (struct cm_fortran_text){(char *)value->text, value->text_length};
    return result;
}
