/*
 * Type rules of operations:
 *
 *     NUMBER      a number of any type, gives its type
 *     NUMBERS     two numbers of one type, gives that type
 *     POWER       a number, and an exponent of type int32 or of the number's real type
 *     EQUALITY    two numbers of one type, gives logical
 *     ORDER       two numbers of one type that is not complex, gives logical
 *     LOGICALS    logical, gives logical
 *     MERGE       two values of one type and a logical, gives the type of the values
 *     ABS         a number, gives its type, or the type of a complex number's parts
 *     FLOATS      real or complex, gives its type
 *     REALS       real, gives its type
 *     ORDERED     two numbers of one type that is not complex, gives that type
 *     TO_INTEGER  real, gives int32
 *     INTEGERS    int32, gives int32
 *     BTEST       int32, gives logical
 *     CMPLX       two real numbers of one type, gives complex
 *     COMPLEX     complex, gives its type
 *     PART        complex, gives the type of its parts
 */
#include "expression_private.h"

#include <math.h>
#include <string.h>

enum rule {
    NUMBER,
    NUMBERS,
    POWER,
    EQUALITY,
    ORDER,
    LOGICALS,
    MERGE,
    ABS,
    FLOATS,
    REALS,
    ORDERED,
    TO_INTEGER,
    INTEGERS,
    BTEST,
    CMPLX,
    COMPLEX,
    PART
};

struct operation {
    const char *name;
    uint32_t operands;
    enum rule rule;
};

static const struct operation operations[CM_EXPRESSION_OP_COUNT] = {
#define CM_EXPRESSION_OP(symbol, name, operands, rule, effect)                                     \
    [CM_EXPRESSION_##symbol] = {name, operands, rule},
#include "expression_op.def"
#undef CM_EXPRESSION_OP
};

const char *cm_expression_op_name(enum cm_expression_op op)
{
    return operations[op].name;
}

uint32_t cm_expression_operands(enum cm_expression_op op)
{
    return operations[op].operands;
}

/* Sets of types that the first operand may have, for each rule. */
#define SET(type)   (1u << CM_TYPE_##type)
#define ALL_REAL    (SET(REAL32) | SET(REAL64))
#define ALL_COMPLEX (SET(COMPLEX64) | SET(COMPLEX128))
#define ALL_NUMBERS (ALL_REAL | ALL_COMPLEX | SET(INT32))
#define IN_ORDER    (ALL_REAL | SET(INT32))

static const struct {
    unsigned types;
    const char *expected;
} takes[] = {
    [NUMBER] = {ALL_NUMBERS, "a number"},
    [NUMBERS] = {ALL_NUMBERS, "two numbers of one type"},
    [POWER] = {ALL_NUMBERS, "a number, and an int32, or two real numbers of one type"},
    [EQUALITY] = {ALL_NUMBERS, "two numbers of one type"},
    [ORDER] = {IN_ORDER, "two numbers of one type, int32 or real"},
    [LOGICALS] = {SET(LOGICAL), "logical operands"},
    [MERGE] = {ALL_NUMBERS | SET(LOGICAL), "two values of one type and a logical"},
    [ABS] = {ALL_NUMBERS, "a number"},
    [FLOATS] = {ALL_REAL | ALL_COMPLEX, "a real or complex number"},
    [REALS] = {ALL_REAL, "real numbers of one type"},
    [ORDERED] = {IN_ORDER, "two numbers of one type, int32 or real"},
    [TO_INTEGER] = {ALL_REAL, "a real number"},
    [INTEGERS] = {SET(INT32), "int32 operands"},
    [BTEST] = {SET(INT32), "int32 operands"},
    [CMPLX] = {ALL_REAL, "two real numbers of one type"},
    [COMPLEX] = {ALL_COMPLEX, "a complex number"},
    [PART] = {ALL_COMPLEX, "a complex number"},
};

static bool operands_agree(const struct operation *operation, const enum cm_type types[3])
{
    for (uint32_t i = 0; i < 3; i++)
        if ((i < operation->operands) != (types[i] != CM_TYPE_COUNT))
            return false;
    if (!(takes[operation->rule].types >> types[0] & 1))
        return false;
    if (operation->rule == POWER && types[1] == CM_TYPE_INT32)
        return true;
    if (operation->rule == POWER && !cm_type_is_real(types[0]))
        return false;
    if (operation->rule == MERGE && types[2] != CM_TYPE_LOGICAL)
        return false;
    return operation->operands < 2 || types[0] == types[1];
}

enum cm_type cm_expression_result(enum cm_expression_op op, const enum cm_type types[3],
                                  const char **expected)
{
    const struct operation *operation = &operations[op];
    *expected = takes[operation->rule].expected;
    if (!operands_agree(operation, types))
        return CM_TYPE_COUNT;
    switch (operation->rule) {
    case EQUALITY:
    case ORDER:
    case BTEST:
        return CM_TYPE_LOGICAL;
    case TO_INTEGER:
        return CM_TYPE_INT32;
    case ABS:
    case PART:
        return cm_type_of_part(types[0]);
    case CMPLX:
        return cm_complex_of(types[0]);
    default:
        return types[0];
    }
}

/* Sets parts[0] to the real part of a value, and parts[1] to its imaginary part, or 0 if it is not
 * complex. */
static void parts_of(enum cm_type type, const struct cm_scalar *value, double parts[2])
{
    parts[0] = parts[1] = 0;
    for (uint32_t c = 0; c < cm_type_components(type); c++) {
        uint64_t bits = cm_scalar_bits(type, value, c);
        uint32_t low = (uint32_t)bits;
        float single;
        memcpy(&single, &low, sizeof single);
        if (cm_type_is_wide(type))
            memcpy(&parts[c], &bits, sizeof bits);
        else
            parts[c] = type == CM_TYPE_INT32 ? (double)(int32_t)low : (double)single;
    }
}

struct cm_scalar cm_expression_fold(enum cm_type from, struct cm_scalar value, enum cm_type to)
{
    double parts[2];
    if (from == to)
        return value;
    parts_of(from, &value, parts);
    if (to == CM_TYPE_INT32) /* A number out of range gives the least integer, as on the FPU. */
        parts[0] = parts[0] > -2147483649.0 && parts[0] < 2147483648.0 ? trunc(parts[0])
                                                                       : (double)INT32_MIN;
    return cm_scalar_make(to, parts[0], parts[1]);
}
