/* Values of expressions of constants. INTEGER wraps around as on the machine; what is undefined
 * (division of an INTEGER by zero) stays an expression, for the run to report with its line. */
#include "check.h"

#include <math.h>

/* A number with its parts as double; an integer in re exactly. */
struct number {
    double re, im;
};

struct cm_fortran_expression *cm_check_int(struct cm_check *check, int32_t value,
                                           struct cm_source_place place)
{
    struct cm_fortran_expression *constant =
        cm_check_new(check, CM_FORTRAN_CONSTANT, CM_TYPE_INT32, 0, place);
    if (constant)
        constant->value.integer = value;
    return constant;
}

struct cm_fortran_expression *cm_check_logical(struct cm_check *check, bool value,
                                               struct cm_source_place place)
{
    struct cm_fortran_expression *constant =
        cm_check_new(check, CM_FORTRAN_CONSTANT, CM_TYPE_LOGICAL, 0, place);
    if (constant)
        constant->value.logical = value;
    return constant;
}

bool cm_constant_is_int(const struct cm_fortran_expression *expression, int32_t *value)
{
    if (!expression || expression->kind != CM_FORTRAN_CONSTANT || expression->type != CM_TYPE_INT32)
        return false;
    *value = expression->value.integer;
    return true;
}

void cm_constant_parts(const struct cm_fortran_expression *constant, double *re, double *im)
{
    *im = 0;
    switch (constant->type) {
    case CM_TYPE_REAL32:
        *re = (double)constant->value.real;
        break;
    case CM_TYPE_REAL64:
        *re = constant->value.real64;
        break;
    case CM_TYPE_COMPLEX64:
        *re = (double)constant->value.complex[0];
        *im = (double)constant->value.complex[1];
        break;
    case CM_TYPE_COMPLEX128:
        *re = constant->value.complex128[0];
        *im = constant->value.complex128[1];
        break;
    case CM_TYPE_INT32:
        *re = constant->value.integer;
        break;
    default:
        *re = constant->value.logical;
    }
}

/* What gfortran gives for numbers that an integer cannot hold is undefined; here the ends. */
static int32_t to_int(double value)
{
    if (!(value > -2147483649.0))
        return INT32_MIN;
    return value < 2147483648.0 ? (int32_t)value : INT32_MAX;
}

void cm_constant_set(struct cm_fortran_expression *constant, double re, double im)
{
    switch (constant->type) {
    case CM_TYPE_REAL32:
        constant->value.real = (float)re;
        break;
    case CM_TYPE_REAL64:
        constant->value.real64 = re;
        break;
    case CM_TYPE_COMPLEX64:
        constant->value.complex[0] = (float)re;
        constant->value.complex[1] = (float)im;
        break;
    case CM_TYPE_COMPLEX128:
        constant->value.complex128[0] = re;
        constant->value.complex128[1] = im;
        break;
    case CM_TYPE_INT32:
        constant->value.integer = to_int(re);
        break;
    default:
        constant->value.logical = re != 0;
    }
}

static bool int_power(int32_t base, int32_t exponent, int32_t *result)
{
    if (exponent < 0) {
        if (base == 0)
            return false;
        *result = base == 1 ? 1 : base == -1 ? (exponent % 2 != 0 ? -1 : 1) : 0;
        return true;
    }
    uint32_t power = 1, factor = (uint32_t)base;
    for (uint32_t left = (uint32_t)exponent; left > 0; left >>= 1) {
        if (left & 1)
            power *= factor;
        factor *= factor;
    }
    *result = (int32_t)power;
    return true;
}

static bool int_operation(enum cm_fortran_op op, int32_t a, int32_t b, int32_t *result)
{
    uint32_t x = (uint32_t)a, y = (uint32_t)b;
    switch (op) {
    case CM_FORTRAN_ADD:
        *result = (int32_t)(x + y);
        return true;
    case CM_FORTRAN_SUBTRACT:
        *result = (int32_t)(x - y);
        return true;
    case CM_FORTRAN_MULTIPLY:
        *result = (int32_t)(x * y);
        return true;
    case CM_FORTRAN_DIVIDE:
        if (b == 0)
            return false;
        *result = b == -1 ? (int32_t)(0 - x) : a / b;
        return true;
    case CM_FORTRAN_POWER:
        return int_power(a, b, result);
    case CM_FORTRAN_NEGATE:
        *result = (int32_t)(0 - x);
        return true;
    default:
        return false;
    }
}

static bool real_operation(enum cm_fortran_op op, double a, double b, double *result)
{
    switch (op) {
    case CM_FORTRAN_ADD:
        *result = a + b;
        return true;
    case CM_FORTRAN_SUBTRACT:
        *result = a - b;
        return true;
    case CM_FORTRAN_MULTIPLY:
        *result = a * b;
        return true;
    case CM_FORTRAN_DIVIDE:
        *result = a / b;
        return true;
    case CM_FORTRAN_POWER:
        *result = pow(a, b);
        return true;
    case CM_FORTRAN_NEGATE:
        *result = -a;
        return true;
    default:
        return false;
    }
}

/* Products as the machine makes them: (ac - bd, ad + bc); quotients stay expressions. */
static bool complex_operation(enum cm_fortran_op op, struct number a, struct number b,
                              struct number *result)
{
    switch (op) {
    case CM_FORTRAN_ADD:
        *result = (struct number){a.re + b.re, a.im + b.im};
        return true;
    case CM_FORTRAN_SUBTRACT:
        *result = (struct number){a.re - b.re, a.im - b.im};
        return true;
    case CM_FORTRAN_MULTIPLY:
        *result = (struct number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
        return true;
    case CM_FORTRAN_NEGATE:
        *result = (struct number){-a.re, -a.im};
        return true;
    default:
        return false;
    }
}

static bool compare(enum cm_fortran_op op, struct number a, struct number b, bool *result)
{
    switch (op) {
    case CM_FORTRAN_EQ:
        *result = a.re == b.re && a.im == b.im;
        return true;
    case CM_FORTRAN_NE:
        *result = a.re != b.re || a.im != b.im;
        return true;
    case CM_FORTRAN_LT:
        *result = a.re < b.re;
        return true;
    case CM_FORTRAN_LE:
        *result = a.re <= b.re;
        return true;
    case CM_FORTRAN_GT:
        *result = a.re > b.re;
        return true;
    case CM_FORTRAN_GE:
        *result = a.re >= b.re;
        return true;
    default:
        return false;
    }
}

static bool logical_operation(enum cm_fortran_op op, bool a, bool b, bool *result)
{
    switch (op) {
    case CM_FORTRAN_NOT:
        *result = !a;
        return true;
    case CM_FORTRAN_AND:
        *result = a && b;
        return true;
    case CM_FORTRAN_OR:
        *result = a || b;
        return true;
    case CM_FORTRAN_EQV:
        *result = a == b;
        return true;
    case CM_FORTRAN_NEQV:
        *result = a != b;
        return true;
    default:
        return false;
    }
}

static bool fold_operation(const struct cm_fortran_expression *operation,
                           struct cm_fortran_expression *value)
{
    const struct cm_fortran_expression *a = operation->args[0];
    const struct cm_fortran_expression *b = operation->count > 1 ? operation->args[1] : a;
    bool truth;
    if (a->type == CM_TYPE_LOGICAL) {
        if (!logical_operation(operation->op, a->value.logical, b->value.logical, &truth))
            return false;
        value->value.logical = truth;
        return true;
    }
    if (a->type == CM_TYPE_INT32 && operation->type == CM_TYPE_INT32)
        return int_operation(operation->op, a->value.integer, b->value.integer,
                             &value->value.integer);
    struct number x, y, result = {0, 0};
    cm_constant_parts(a, &x.re, &x.im);
    cm_constant_parts(b, &y.re, &y.im);
    if (operation->type == CM_TYPE_LOGICAL) {
        if (!compare(operation->op, x, y, &truth))
            return false;
        value->value.logical = truth;
        return true;
    }
    bool known = cm_type_is_complex(operation->type)
                     ? complex_operation(operation->op, x, y, &result)
                     : real_operation(operation->op, x.re, y.re, &result.re);
    if (known)
        cm_constant_set(value, result.re, result.im);
    return known;
}

static bool fold_into(const struct cm_fortran_expression *expression,
                      struct cm_fortran_expression *value)
{
    double re, im;
    switch (expression->kind) {
    case CM_FORTRAN_OPERATION:
        return fold_operation(expression, value);
    case CM_FORTRAN_CONVERT:
        cm_constant_parts(expression->args[0], &re, &im);
        cm_constant_set(value, re, im);
        return true;
    case CM_FORTRAN_INTRINSIC:
        return cm_constant_intrinsic(expression, value);
    default:
        return false;
    }
}

struct cm_fortran_expression *cm_check_fold(struct cm_check *check,
                                            struct cm_fortran_expression *expression)
{
    if (!expression || expression->rank > 0 || expression->count == 0)
        return expression;
    for (uint32_t i = 0; i < expression->count; i++)
        if (expression->args[i] && expression->args[i]->kind != CM_FORTRAN_CONSTANT)
            return expression;
    struct cm_fortran_expression value = {.kind = CM_FORTRAN_CONSTANT, .type = expression->type};
    if (!fold_into(expression, &value))
        return expression;
    struct cm_fortran_expression *constant =
        cm_check_new(check, CM_FORTRAN_CONSTANT, expression->type, 0, expression->place);
    if (constant)
        constant->value = value.value;
    return constant;
}

static int32_t shifted(int32_t value, int32_t by)
{
    if (by <= -32 || by >= 32)
        return 0;
    return (int32_t)(by >= 0 ? (uint32_t)value << by : (uint32_t)value >> -by);
}

static bool int_intrinsic(enum cm_fortran_intrinsic intrinsic, int32_t a, int32_t b,
                          int32_t *result)
{
    switch (intrinsic) {
    case CM_FORTRAN_ABS:
        *result = a < 0 ? (int32_t)(0 - (uint32_t)a) : a;
        return true;
    case CM_FORTRAN_MOD:
        *result = b == 0 || b == -1 ? 0 : a % b;
        return b != 0;
    case CM_FORTRAN_MODULO:
        *result = b == 0 || b == -1 ? 0 : a % b + (a % b != 0 && (a % b < 0) != (b < 0) ? b : 0);
        return b != 0;
    case CM_FORTRAN_SIGN:
        *result = (a < 0) != (b < 0) ? (int32_t)(0 - (uint32_t)a) : a;
        return true;
    case CM_FORTRAN_DIM:
        *result = a > b ? (int32_t)((uint32_t)a - (uint32_t)b) : 0;
        return true;
    case CM_FORTRAN_IAND:
        *result = a & b;
        return true;
    case CM_FORTRAN_IOR:
        *result = a | b;
        return true;
    case CM_FORTRAN_IEOR:
        *result = a ^ b;
        return true;
    case CM_FORTRAN_NOT_BITS:
        *result = ~a;
        return true;
    case CM_FORTRAN_ISHFT:
        *result = shifted(a, b);
        return true;
    default:
        return false;
    }
}

static bool real_function(enum cm_fortran_intrinsic intrinsic, double x, double *result)
{
    static const struct {
        enum cm_fortran_intrinsic intrinsic;
        double (*function)(double);
    } functions[] = {
        {CM_FORTRAN_ABS, fabs},    {CM_FORTRAN_ACOS, acos},   {CM_FORTRAN_AINT, trunc},
        {CM_FORTRAN_ANINT, round}, {CM_FORTRAN_ASIN, asin},   {CM_FORTRAN_ATAN, atan},
        {CM_FORTRAN_COS, cos},     {CM_FORTRAN_COSH, cosh},   {CM_FORTRAN_EXP, exp},
        {CM_FORTRAN_LOG, log},     {CM_FORTRAN_LOG10, log10}, {CM_FORTRAN_SIN, sin},
        {CM_FORTRAN_SINH, sinh},   {CM_FORTRAN_SQRT, sqrt},   {CM_FORTRAN_TAN, tan},
        {CM_FORTRAN_TANH, tanh},   {CM_FORTRAN_NINT, round},  {CM_FORTRAN_CEILING, ceil},
        {CM_FORTRAN_FLOOR, floor},
    };
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (functions[i].intrinsic == intrinsic) {
            *result = functions[i].function(x);
            return true;
        }
    return false;
}

static bool real_function_of_two(enum cm_fortran_intrinsic intrinsic, double x, double y,
                                 double *result)
{
    switch (intrinsic) {
    case CM_FORTRAN_ATAN2:
        *result = atan2(x, y);
        return true;
    case CM_FORTRAN_MOD:
        *result = fmod(x, y);
        return y != 0;
    case CM_FORTRAN_SIGN:
        *result = copysign(fabs(x), y);
        return true;
    case CM_FORTRAN_DIM:
        *result = x > y ? x - y : 0;
        return true;
    default:
        return false;
    }
}

/* MIN and MAX of constants without NaN. */
static bool extreme(const struct cm_fortran_expression *call, struct cm_fortran_expression *value)
{
    double best = 0, im;
    for (uint32_t i = 0; i < call->count; i++) {
        double next;
        cm_constant_parts(call->args[i], &next, &im);
        if (next != next)
            return false;
        if (i == 0 || (call->intrinsic == CM_FORTRAN_MAX ? next > best : next < best))
            best = next;
    }
    cm_constant_set(value, best, 0);
    return true;
}

static bool complex_intrinsic(const struct cm_fortran_expression *call, struct number x,
                              struct cm_fortran_expression *value)
{
    switch (call->intrinsic) {
    case CM_FORTRAN_REAL:
        cm_constant_set(value, x.re, 0);
        return true;
    case CM_FORTRAN_AIMAG:
        cm_constant_set(value, x.im, 0);
        return true;
    case CM_FORTRAN_CONJG:
        cm_constant_set(value, x.re, -x.im);
        return true;
    case CM_FORTRAN_ABS:
        cm_constant_set(value, hypot(x.re, x.im), 0);
        return true;
    default:
        return false;
    }
}

bool cm_constant_intrinsic(const struct cm_fortran_expression *call,
                           struct cm_fortran_expression *value)
{
    const struct cm_fortran_expression *a = call->args[0], *b = NULL;
    if (!a)
        return false;
    if (call->count > 1)
        b = call->args[1];
    struct number x, y = {0, 0};
    cm_constant_parts(a, &x.re, &x.im);
    if (b)
        cm_constant_parts(b, &y.re, &y.im);
    if (call->intrinsic == CM_FORTRAN_MIN || call->intrinsic == CM_FORTRAN_MAX)
        return extreme(call, value);
    if (call->intrinsic == CM_FORTRAN_CMPLX) {
        cm_constant_set(value, x.re, y.re);
        return true;
    }
    if (cm_type_is_complex(a->type))
        return complex_intrinsic(call, x, value);
    if (a->type == CM_TYPE_INT32)
        return call->type == CM_TYPE_INT32 &&
               int_intrinsic(call->intrinsic, a->value.integer, b ? b->value.integer : 0,
                             &value->value.integer);
    double result;
    if (!cm_type_is_real(a->type) ||
        !(b ? real_function_of_two(call->intrinsic, x.re, y.re, &result)
            : real_function(call->intrinsic, x.re, &result)))
        return false;
    cm_constant_set(value, result, 0);
    return true;
}
