/* Checks operators and conversions: types of operands and results. */
#include "check.h"

#include <string.h>

#include <stdio.h>

bool cm_type_is_number(uint32_t type)
{
    return type < CM_TYPE_COUNT && type != CM_TYPE_LOGICAL;
}

bool cm_type_is_complex(uint32_t type)
{
    return type == CM_TYPE_COMPLEX64 || type == CM_TYPE_COMPLEX128;
}

bool cm_type_is_real(uint32_t type)
{
    return type == CM_TYPE_REAL32 || type == CM_TYPE_REAL64;
}

uint8_t cm_type_parts(uint8_t type)
{
    if (type == CM_TYPE_COMPLEX64)
        return CM_TYPE_REAL32;
    return type == CM_TYPE_COMPLEX128 ? CM_TYPE_REAL64 : type;
}

uint8_t cm_type_join(uint8_t a, uint8_t b)
{
    if (a == CM_TYPE_INT32 || b == CM_TYPE_INT32)
        return a == CM_TYPE_INT32 ? b : a;
    bool is_double = cm_type_parts(a) == CM_TYPE_REAL64 || cm_type_parts(b) == CM_TYPE_REAL64;
    if (cm_type_is_complex(a) || cm_type_is_complex(b))
        return is_double ? CM_TYPE_COMPLEX128 : CM_TYPE_COMPLEX64;
    return is_double ? CM_TYPE_REAL64 : CM_TYPE_REAL32;
}

static struct cm_fortran_expression *wrap(struct cm_check *check, enum cm_fortran_kind kind,
                                          struct cm_fortran_expression *from, uint8_t type)
{
    struct cm_fortran_expression *result = cm_check_new(check, kind, type, from->rank, from->place);
    if (!result || !cm_check_args(check, result, 1))
        return NULL;
    result->intrinsic =
        kind == CM_FORTRAN_INTRINSIC ? CM_FORTRAN_REAL : (enum cm_fortran_intrinsic)0;
    result->args[0] = from;
    return cm_check_fold(check, result);
}

struct cm_fortran_expression *cm_check_value(struct cm_check *check,
                                             struct cm_fortran_expression *from)
{
    bool is_variable =
        from && (from->kind == CM_FORTRAN_VARIABLE || from->kind == CM_FORTRAN_ELEMENT ||
                 from->kind == CM_FORTRAN_SECTION);
    return is_variable ? wrap(check, CM_FORTRAN_CONVERT, from, from->type) : from;
}

struct cm_fortran_expression *cm_check_convert(struct cm_check *check,
                                               struct cm_fortran_expression *from, uint8_t type)
{
    if (!from || from->type == type)
        return from;
    if (cm_type_is_complex(from->type) && !cm_type_is_complex(type)) {
        from = wrap(check, CM_FORTRAN_INTRINSIC, from, cm_type_parts(from->type));
        if (!from || from->type == type)
            return from;
    }
    return wrap(check, CM_FORTRAN_CONVERT, from, type);
}

/* Makes a constant of the bits of a constant such as Z'FF' or 4HTEXT. Bytes that it lacks are those
 * of blanks for a text, and otherwise 0. */
static struct cm_fortran_expression *
take_bits(struct cm_check *check, const struct cm_fortran_expression *from, uint8_t type)
{
    bool is_text = from->kind == CM_FORTRAN_TEXT;
    unsigned char bytes[8];
    size_t size = type == CM_TYPE_REAL64 ? 8 : 4, given = is_text ? from->text_length : 4;
    bool is_number = type == CM_TYPE_INT32 || type == CM_TYPE_REAL32 || type == CM_TYPE_REAL64;
    if (!is_number || given > size || (!is_text && size != 4))
        return cm_check_fail(check, from->place, "the bits of this constant are not a value of %s",
                             cm_fortran_type_text(type));
    memset(bytes, ' ', sizeof bytes);
    memcpy(bytes, is_text ? from->text : (const char *)&from->value.integer, given);
    struct cm_fortran_expression *made =
        cm_check_new(check, CM_FORTRAN_CONSTANT, type, 0, from->place);
    if (made)
        memcpy(&made->value, bytes, size);
    return made;
}

struct cm_fortran_expression *cm_check_assigned(struct cm_check *check,
                                                struct cm_fortran_expression *from, uint8_t type)
{
    if (!from)
        return NULL;
    if (from->is_bits && from->type != type)
        return take_bits(check, from, type);
    bool fits = from->type == type || (cm_type_is_number(from->type) && cm_type_is_number(type));
    if (fits)
        return cm_check_convert(check, from, type);
    cm_check_fail(check, from->place, "a value of type %s cannot become one of type %s",
                  cm_fortran_type_text(from->type), cm_fortran_type_text(type));
    if (from->type == CM_TYPE_LOGICAL && type == CM_TYPE_INT32)
        cm_messages_hint(check->messages, "MERGE(1, 0, mask) makes a number of a logical value");
    return NULL;
}

const char *cm_fortran_op_text(enum cm_fortran_op op)
{
    static const char *const texts[] = {"+",     "-",     "*",    "/",     "**",     "-",
                                        ".EQ.",  ".NE.",  ".LT.", ".LE.",  ".GT.",   ".GE.",
                                        ".NOT.", ".AND.", ".OR.", ".EQV.", ".NEQV.", "//"};
    return texts[op];
}

static struct cm_fortran_expression *make(struct cm_check *check, enum cm_fortran_op op,
                                          struct cm_fortran_expression *a,
                                          struct cm_fortran_expression *b, uint8_t type,
                                          struct cm_source_place place)
{
    if (!a)
        return NULL;
    uint32_t rank = b && b->rank > a->rank ? b->rank : a->rank;
    struct cm_fortran_expression *result =
        cm_check_new(check, CM_FORTRAN_OPERATION, type, rank, place);
    if (!result || !cm_check_args(check, result, b ? 2 : 1))
        return NULL;
    result->op = op;
    result->args[0] = a;
    if (b)
        result->args[1] = b;
    return cm_check_fold(check, result);
}

static void *refuse(struct cm_check *check, enum cm_fortran_op op,
                    const struct cm_fortran_expression *a, const struct cm_fortran_expression *b,
                    struct cm_source_place place)
{
    if (b)
        cm_check_fail(check, place, "%s cannot join %s and %s", cm_fortran_op_text(op),
                      cm_fortran_type_text(a->type), cm_fortran_type_text(b->type));
    else
        cm_check_fail(check, place, "%s cannot be applied to %s", cm_fortran_op_text(op),
                      cm_fortran_type_text(a->type));
    if (b && a->type == CM_TYPE_LOGICAL && b->type == CM_TYPE_LOGICAL &&
        (op == CM_FORTRAN_EQ || op == CM_FORTRAN_NE))
        cm_messages_hint(check->messages, "logical values are compared by %s",
                         op == CM_FORTRAN_EQ ? ".EQV." : ".NEQV.");
    return NULL;
}

static struct cm_fortran_expression *power(struct cm_check *check, struct cm_fortran_expression *a,
                                           struct cm_fortran_expression *b,
                                           struct cm_source_place place)
{
    if (b->type == CM_TYPE_INT32)
        return make(check, CM_FORTRAN_POWER, a, b, a->type, place);
    uint8_t type = cm_type_join(a->type, b->type);
    a = cm_check_convert(check, a, type);
    b = cm_check_convert(check, b, type);
    return b ? make(check, CM_FORTRAN_POWER, a, b, type, place) : NULL;
}

static struct cm_fortran_expression *of_numbers(struct cm_check *check, enum cm_fortran_op op,
                                                struct cm_fortran_expression *a,
                                                struct cm_fortran_expression *b,
                                                struct cm_source_place place)
{
    bool compares = op >= CM_FORTRAN_EQ && op <= CM_FORTRAN_GE;
    if (!cm_type_is_number(a->type) || (b && !cm_type_is_number(b->type)))
        return refuse(check, op, a, b, place);
    if (op == CM_FORTRAN_POWER && b)
        return power(check, a, b, place);
    if (!b)
        return make(check, op, a, NULL, a->type, place);
    uint8_t type = cm_type_join(a->type, b->type);
    if (compares && cm_type_is_complex(type) && op != CM_FORTRAN_EQ && op != CM_FORTRAN_NE) {
        cm_check_fail(check, place, "complex numbers have no order: %s is not possible",
                      cm_fortran_op_text(op));
        return NULL;
    }
    a = cm_check_convert(check, a, type);
    b = cm_check_convert(check, b, type);
    return b ? make(check, op, a, b, compares ? CM_TYPE_LOGICAL : type, place) : NULL;
}

struct cm_fortran_expression *cm_check_operation(struct cm_check *check, enum cm_fortran_op op,
                                                 struct cm_fortran_expression *a,
                                                 struct cm_fortran_expression *b,
                                                 struct cm_source_place place)
{
    char what[48] = "the operands of ";
    (void)snprintf(what + 16, sizeof what - 16, "%s", cm_fortran_op_text(op));
    if (!a || (b && !cm_check_conform(check, a, b, place, what)))
        return NULL;
    if (b && (op == CM_FORTRAN_CONCATENATE || a->type == CM_FORTRAN_CHARACTER ||
              b->type == CM_FORTRAN_CHARACTER))
        return cm_check_text_operation(check, op, a, b, place);
    if (op < CM_FORTRAN_NOT)
        return of_numbers(check, op, a, b, place);
    if (a->type != CM_TYPE_LOGICAL || (b && b->type != CM_TYPE_LOGICAL)) {
        refuse(check, op, a, b, place);
        if (cm_type_is_number(a->type) && (!b || cm_type_is_number(b->type)))
            cm_messages_hint(check->messages, "IAND, IOR, IEOR and NOT work on the bits of "
                                              "integers");
        return NULL;
    }
    return make(check, op, a, b, CM_TYPE_LOGICAL, place);
}

static enum cm_fortran_op op_of(enum cm_operator from)
{
    static const uint8_t ops[] = {
        [CM_OPERATOR_PLUS] = CM_FORTRAN_ADD,
        [CM_OPERATOR_MINUS] = CM_FORTRAN_SUBTRACT,
        [CM_OPERATOR_TIMES] = CM_FORTRAN_MULTIPLY,
        [CM_OPERATOR_DIVIDE] = CM_FORTRAN_DIVIDE,
        [CM_OPERATOR_POWER] = CM_FORTRAN_POWER,
        [CM_OPERATOR_EQ] = CM_FORTRAN_EQ,
        [CM_OPERATOR_NE] = CM_FORTRAN_NE,
        [CM_OPERATOR_LT] = CM_FORTRAN_LT,
        [CM_OPERATOR_LE] = CM_FORTRAN_LE,
        [CM_OPERATOR_GT] = CM_FORTRAN_GT,
        [CM_OPERATOR_GE] = CM_FORTRAN_GE,
        [CM_OPERATOR_NOT] = CM_FORTRAN_NOT,
        [CM_OPERATOR_AND] = CM_FORTRAN_AND,
        [CM_OPERATOR_OR] = CM_FORTRAN_OR,
        [CM_OPERATOR_EQV] = CM_FORTRAN_EQV,
        [CM_OPERATOR_NEQV] = CM_FORTRAN_NEQV,
        [CM_OPERATOR_CONCATENATE] = CM_FORTRAN_CONCATENATE,
    };
    return (enum cm_fortran_op)ops[from];
}

struct cm_fortran_expression *cm_check_unary(struct cm_check *check,
                                             const struct cm_syntax_expression *tree)
{
    const struct cm_syntax_expression *right = tree->right;
    if (tree->op == CM_OPERATOR_MINUS && right->kind == CM_EXPRESSION_INTEGER &&
        right->integer == (uint64_t)INT32_MAX + 1)
        return cm_check_int(check, INT32_MIN, tree->place);
    struct cm_fortran_expression *a = cm_check_expression(check, right);
    if (!a)
        return NULL;
    if (tree->op == CM_OPERATOR_PLUS && cm_type_is_number(a->type))
        return cm_check_value(check, a);
    bool is_not = tree->op == CM_OPERATOR_NOT;
    return cm_check_operation(check, is_not ? CM_FORTRAN_NOT : CM_FORTRAN_NEGATE, a, NULL,
                              tree->place);
}

struct cm_fortran_expression *cm_check_binary(struct cm_check *check,
                                              const struct cm_syntax_expression *tree)
{
    struct cm_fortran_expression *a = cm_check_expression(check, tree->left);
    struct cm_fortran_expression *b = cm_check_expression(check, tree->right);
    return a && b ? cm_check_operation(check, op_of(tree->op), a, b, tree->place) : NULL;
}
