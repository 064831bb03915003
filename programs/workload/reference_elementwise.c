/* Operations of array expressions in C, with bounds of their errors. */
#include "reference_elementwise.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* Largest magnitude of an argument for which SIN, COS and TAN have an error bound. */
#define CIRCULAR_MAX 1e6

static bool is_single(enum cm_type type)
{
    return type == CM_TYPE_REAL32 || type == CM_TYPE_COMPLEX64;
}

static bool is_complex(enum cm_type type)
{
    return type == CM_TYPE_COMPLEX64 || type == CM_TYPE_COMPLEX128;
}

/* Returns the value of one unit in the last place of x. */
static double unit_of(enum cm_type type, double x)
{
    int exponent;
    if (!isfinite(x))
        return 0;
    (void)frexp(x, &exponent);
    const int least = is_single(type) ? FLT_MIN_EXP : DBL_MIN_EXP;
    exponent = exponent < least ? least : exponent;
    return ldexp(1, exponent - (is_single(type) ? FLT_MANT_DIG : DBL_MANT_DIG));
}

/* Rounds a result to 32 bits if the type has 32 bits. For + - * / and square roots, rounding a
 * 64-bit result of 32-bit operands again equals rounding once (53 >= 2 * 24 + 2). Volatile, because
 * gcc 12 -O3 omits some of the roundings. */
static double rounded(enum cm_type type, double value)
{
    volatile float single = (float)value;
    return is_single(type) ? (double)single : value;
}

static double add(enum cm_type t, double x, double y)
{
    return rounded(t, x + y);
}
static double sub(enum cm_type t, double x, double y)
{
    return rounded(t, x - y);
}
static double mul(enum cm_type t, double x, double y)
{
    return rounded(t, x * y);
}
static double quo(enum cm_type t, double x, double y)
{
    return rounded(t, x / y);
}

static struct cm_reference_number whole(int64_t value)
{
    return (struct cm_reference_number){.type = CM_TYPE_INT32, .whole = (int32_t)(uint32_t)value};
}

static struct cm_reference_number logical(bool value)
{
    return (struct cm_reference_number){.type = CM_TYPE_LOGICAL, .whole = value};
}

static struct cm_reference_number real(enum cm_type type, double re, double im)
{
    return (struct cm_reference_number){.type = type, .re = re, .im = im};
}

static struct cm_reference_number times(struct cm_reference_number x, struct cm_reference_number y)
{
    const enum cm_type t = x.type;
    if (t == CM_TYPE_INT32)
        return whole((int64_t)((uint32_t)x.whole * (uint64_t)(uint32_t)y.whole));
    if (!is_complex(t))
        return real(t, mul(t, x.re, y.re), 0);
    return real(t, sub(t, mul(t, x.re, y.re), mul(t, x.im, y.im)),
                add(t, mul(t, x.re, y.im), mul(t, x.im, y.re)));
}

static struct cm_reference_number complex_quotient(struct cm_reference_number x,
                                                   struct cm_reference_number y)
{
    const enum cm_type t = x.type;
    if (fabs(y.re) < fabs(y.im)) {
        double ratio = quo(t, y.re, y.im), den = add(t, mul(t, y.re, ratio), y.im);
        return real(t, quo(t, add(t, mul(t, x.re, ratio), x.im), den),
                    quo(t, sub(t, mul(t, x.im, ratio), x.re), den));
    }
    double ratio = quo(t, y.im, y.re), den = add(t, mul(t, y.im, ratio), y.re);
    return real(t, quo(t, add(t, mul(t, x.im, ratio), x.re), den),
                quo(t, sub(t, x.im, mul(t, x.re, ratio)), den));
}

static struct cm_reference_number divide(struct cm_reference_number x, struct cm_reference_number y)
{
    if (x.type == CM_TYPE_INT32)
        return whole(y.whole == 0 ? 0 : (int64_t)x.whole / y.whole);
    if (!is_complex(x.type))
        return real(x.type, quo(x.type, x.re, y.re), 0);
    return complex_quotient(x, y);
}

static struct cm_reference_number one_of(enum cm_type type)
{
    return type == CM_TYPE_INT32 ? whole(1) : real(type, 1, 0);
}

/* Splits an exponent as gfortran does: x**n is x**first times x**(n - first), where `first` is the
 * result. Odd n follow Knuth's power tree with the exceptions of gfortran 12, which were checked by
 * compiling each n. */
static uint32_t split_power(uint32_t n)
{
    static const uint8_t odd[][2] = {{3, 2},   {5, 3},   {7, 4},   {9, 6},   {11, 6},  {13, 10},
                                     {15, 9},  {17, 16}, {19, 16}, {21, 12}, {23, 13}, {25, 17},
                                     {27, 18}, {29, 24}, {31, 26}, {33, 17}, {63, 36}};
    if (n % 2 == 0 || n > 256)
        return n % 2 == 0 ? n / 2 : n - n % 8;
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++)
        if (odd[i][0] == n)
            return odd[i][1];
    return 0;
}

static struct cm_reference_number chain(struct cm_reference_number x, uint32_t n)
{
    if (n == 0)
        return one_of(x.type);
    if (n == 1)
        return x;
    const uint32_t k = split_power(n);
    if (k > 0)
        return times(chain(x, k), chain(x, n - k));
    /* The compiler's order of products is unknown, but each product is rounded once. */
    struct cm_reference_number power = times(x, chain(x, n - 1));
    power.error = x.type == CM_TYPE_INT32 ? 0 : n * unit_of(x.type, power.re);
    return power;
}

static struct cm_reference_number binary_power(struct cm_reference_number x, uint32_t n)
{
    struct cm_reference_number power = n % 2 ? x : one_of(x.type);
    while (n >>= 1) {
        x = times(x, x);
        if (n % 2)
            power = times(power, x);
    }
    return power;
}

/* Computes a complex power as libgfortran does, which also multiplies by 1. */
static struct cm_reference_number complex_power(struct cm_reference_number x, int32_t n,
                                                bool constant)
{
    struct cm_reference_number power = one_of(x.type);
    uint32_t rest = n < 0 ? -(uint32_t)n : (uint32_t)n;
    if (constant && n == 1)
        return x;
    if (constant && n == 2)
        return times(x, x);
    if (n < 0)
        x = divide(power, x);
    if (constant && n == -1)
        return x;
    for (; rest > 0; rest >>= 1) {
        if (rest & 1)
            power = times(power, x);
        x = times(x, x);
    }
    return power;
}

static struct cm_reference_number power_of(const struct cm_reference_tree *tree,
                                           struct cm_reference_number x,
                                           struct cm_reference_number y)
{
    const int32_t n = y.whole;
    const uint32_t magnitude = n < 0 ? -(uint32_t)n : (uint32_t)n;
    const bool constant = tree->operands[1]->op == CM_REFERENCE_CONSTANT;
    if (is_complex(x.type))
        return complex_power(x, n, constant);
    if (x.type == CM_TYPE_INT32 && n < 0)
        return whole(x.whole == 1 ? 1 : x.whole == -1 ? (n % 2 ? -1 : 1) : 0);
    struct cm_reference_number power = constant ? chain(x, magnitude) : binary_power(x, magnitude);
    return n < 0 ? divide(one_of(x.type), power) : power;
}

static struct cm_reference_number convert(struct cm_reference_number x, enum cm_type type)
{
    double re = x.type == CM_TYPE_INT32 ? (double)x.whole : x.re;
    if (x.type == type)
        return x;
    if (type == CM_TYPE_INT32)
        return whole(re > -2147483649.0 && re < 2147483648.0 ? (int64_t)re : INT32_MIN);
    return real(type, rounded(type, re), is_complex(type) ? rounded(type, x.im) : 0);
}

static bool compares(int op, struct cm_reference_number x, struct cm_reference_number y)
{
    double a = x.type == CM_TYPE_INT32 ? (double)x.whole : x.re;
    double b = y.type == CM_TYPE_INT32 ? (double)y.whole : y.re;
    switch (op) {
    case CM_EXPRESSION_EQUAL:
        return a == b && x.im == y.im;
    case CM_EXPRESSION_NOT_EQUAL:
        return a != b || x.im != y.im;
    case CM_EXPRESSION_LESS:
        return a < b;
    case CM_EXPRESSION_LESS_EQUAL:
        return a <= b;
    case CM_EXPRESSION_GREATER:
        return a > b;
    default:
        return a >= b;
    }
}

static bool of_logicals(int op, bool x, bool y)
{
    switch (op) {
    case CM_EXPRESSION_AND:
        return x && y;
    case CM_EXPRESSION_OR:
        return x || y;
    case CM_EXPRESSION_NOT:
        return !x;
    case CM_EXPRESSION_EQV:
        return x == y;
    default:
        return x != y;
    }
}

static uint32_t shifted(uint32_t x, int32_t by)
{
    if (by >= 0)
        return by < 32 ? x << by : 0;
    return by > -32 ? x >> -by : 0;
}

static int64_t of_bits(int op, uint32_t x, int32_t y)
{
    switch (op) {
    case CM_EXPRESSION_IAND:
        return x & (uint32_t)y;
    case CM_EXPRESSION_IOR:
        return x | (uint32_t)y;
    case CM_EXPRESSION_IEOR:
        return x ^ (uint32_t)y;
    case CM_EXPRESSION_INOT:
        return ~x;
    case CM_EXPRESSION_ISHFT:
        return shifted(x, y);
    case CM_EXPRESSION_IBSET:
        return x | UINT32_C(1) << y;
    default:
        return x & ~(UINT32_C(1) << y);
    }
}

static int64_t of_integers(int op, int64_t x, int64_t y)
{
    const int64_t rest = y == 0 ? 0 : x % y;
    switch (op) {
    case CM_EXPRESSION_NEGATE:
        return -x;
    case CM_EXPRESSION_ADD:
        return x + y;
    case CM_EXPRESSION_SUBTRACT:
        return x - y;
    case CM_EXPRESSION_ABS:
        return x < 0 ? -x : x;
    case CM_EXPRESSION_MOD:
        return rest;
    case CM_EXPRESSION_MODULO:
        return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
    case CM_EXPRESSION_MIN:
        return x < y ? x : y;
    case CM_EXPRESSION_MAX:
        return x > y ? x : y;
    case CM_EXPRESSION_SIGN:
        return (x < 0) != (y < 0) ? -x : x;
    case CM_EXPRESSION_DIM:
        return (int32_t)(uint32_t)(x - y) > 0 ? x - y : 0;
    default:
        return of_bits(op, (uint32_t)x, (int32_t)y);
    }
}

static double modulo(enum cm_type t, double x, double y)
{
    const double rest = fmod(x, y);
    if (rest == 0)
        return copysign(0, y);
    return (x < 0) != (y < 0) ? add(t, rest, y) : rest;
}

static double of_reals(int op, enum cm_type t, double x, double y)
{
    switch (op) {
    case CM_EXPRESSION_NEGATE:
        return -x;
    case CM_EXPRESSION_ADD:
        return add(t, x, y);
    case CM_EXPRESSION_SUBTRACT:
        return sub(t, x, y);
    case CM_EXPRESSION_ABS:
        return fabs(x);
    case CM_EXPRESSION_SQRT:
        return rounded(t, sqrt(x));
    case CM_EXPRESSION_MOD:
        return fmod(x, y);
    case CM_EXPRESSION_MODULO:
        return modulo(t, x, y);
    case CM_EXPRESSION_MIN:
        return x < y ? x : y;
    case CM_EXPRESSION_MAX:
        return x > y ? x : y;
    case CM_EXPRESSION_SIGN:
        return copysign(x, y);
    case CM_EXPRESSION_DIM:
        return sub(t, x, y) <= 0 ? 0 : sub(t, x, y);
    case CM_EXPRESSION_AINT:
        return trunc(x);
    default: /* this is ANINT */
        return round(x);
    }
}

static struct cm_reference_number of_complex(int op, struct cm_reference_number x,
                                             struct cm_reference_number y)
{
    const enum cm_type t = x.type;
    switch (op) {
    case CM_EXPRESSION_NEGATE:
        return real(t, -x.re, -x.im);
    case CM_EXPRESSION_ADD:
        return real(t, add(t, x.re, y.re), add(t, x.im, y.im));
    case CM_EXPRESSION_SUBTRACT:
        return real(t, sub(t, x.re, y.re), sub(t, x.im, y.im));
    case CM_EXPRESSION_CONJG:
        return real(t, x.re, -x.im);
    default: /* this is AIMAG */
        return real(t == CM_TYPE_COMPLEX64 ? CM_TYPE_REAL32 : CM_TYPE_REAL64, x.im, 0);
    }
}

static struct cm_reference_number operate(const struct cm_reference_tree *tree,
                                          struct cm_reference_number x,
                                          struct cm_reference_number y,
                                          struct cm_reference_number z)
{
    switch (tree->op) {
    case CM_EXPRESSION_MERGE:
        return z.whole ? x : y;
    case CM_EXPRESSION_MULTIPLY:
        return times(x, y);
    case CM_EXPRESSION_DIVIDE:
        return divide(x, y);
    case CM_EXPRESSION_POWER:
        return power_of(tree, x, y);
    case CM_EXPRESSION_NINT:
        return whole((int64_t)round(x.re));
    case CM_EXPRESSION_FLOOR:
        return whole((int64_t)floor(x.re));
    case CM_EXPRESSION_CEILING:
        return whole((int64_t)ceil(x.re));
    case CM_EXPRESSION_BTEST:
        return logical((uint32_t)x.whole >> y.whole & 1);
    case CM_EXPRESSION_CMPLX:
        return real(tree->type, x.re, y.re);
    default:
        break;
    }
    if (tree->op >= CM_EXPRESSION_EQUAL && tree->op <= CM_EXPRESSION_GREATER_EQUAL)
        return logical(compares(tree->op, x, y));
    if (tree->type == CM_TYPE_LOGICAL)
        return logical(of_logicals(tree->op, x.whole, y.whole));
    if (is_complex(x.type))
        return of_complex(tree->op, x, y);
    if (x.type == CM_TYPE_INT32)
        return whole(of_integers(tree->op, x.whole, y.whole));
    return real(tree->type, of_reals(tree->op, x.type, x.re, y.re), 0);
}

static struct cm_reference_number leaf_of(const struct cm_reference_tree *tree,
                                          const struct cm_reference_leaves *leaves)
{
    if (tree->op == CM_REFERENCE_ARRAY)
        return leaves->arrays[tree->leaf];
    if (tree->op == CM_REFERENCE_SCALAR)
        return leaves->scalars[tree->leaf];
    return tree->op == CM_REFERENCE_INDEX ? whole(leaves->indices[tree->leaf]) : tree->value;
}

/* Returns the result of the host's library for a function that is not exact. */
static double library(int op, enum cm_type t, double x, double y)
{
    switch (op) {
    case CM_EXPRESSION_EXP:
        return rounded(t, exp(x));
    case CM_EXPRESSION_LOG:
        return rounded(t, log(x));
    case CM_EXPRESSION_SIN:
        return rounded(t, sin(x));
    case CM_EXPRESSION_COS:
        return rounded(t, cos(x));
    case CM_EXPRESSION_TAN:
        return rounded(t, tan(x));
    case CM_EXPRESSION_ATAN:
        return rounded(t, atan(x));
    case CM_EXPRESSION_SINH:
        return rounded(t, sinh(x));
    case CM_EXPRESSION_COSH:
        return rounded(t, cosh(x));
    case CM_EXPRESSION_TANH:
        return rounded(t, tanh(x));
    case CM_EXPRESSION_ASIN:
        return rounded(t, asin(x));
    case CM_EXPRESSION_ACOS:
        return rounded(t, acos(x));
    case CM_EXPRESSION_LOG10:
        return rounded(t, log10(x));
    case CM_EXPRESSION_ATAN2:
        return rounded(t, atan2(x, y));
    default:
        return rounded(t, pow(x, y));
    }
}

static bool is_inexact(const struct cm_reference_tree *tree)
{
    const enum cm_type type = tree->operands[0]->type;
    return (tree->op >= CM_EXPRESSION_EXP && tree->op <= CM_EXPRESSION_ATAN2) ||
           (tree->op == CM_EXPRESSION_POWER && tree->operands[1]->type != CM_TYPE_INT32) ||
           (is_complex(type) && (tree->op == CM_EXPRESSION_ABS || tree->op == CM_EXPRESSION_SQRT));
}

/* Returns the largest change of a function's result that the error of its argument x can cause.
 * Infinite if unknown. */
static double carried(int op, struct cm_reference_number x, double result)
{
    if (x.error == 0)
        return 0;
    if (op == CM_EXPRESSION_EXP && x.error < 1)
        return 2 * fabs(result) * x.error;
    if (op == CM_EXPRESSION_LOG && 2 * x.error < x.re)
        return 2 * x.error / x.re;
    if (op == CM_EXPRESSION_SIN || op == CM_EXPRESSION_COS || op == CM_EXPRESSION_ATAN)
        return x.error;
    return INFINITY;
}

/* Computes a function that is not exact. The error bound is 2 units in the last place, or 4 units
 * of the magnitude for complex numbers. */
static struct cm_reference_number inexact(const struct cm_reference_tree *tree,
                                          struct cm_reference_number x,
                                          struct cm_reference_number y)
{
    const enum cm_type t = tree->type;
    struct cm_reference_number result = {.type = t};
    if (tree->op == CM_EXPRESSION_ABS) {
        result.re = rounded(t, hypot(x.re, x.im));
    } else if (tree->op == CM_EXPRESSION_SQRT) {
        const double parts[2] = {x.re, x.im};
        double _Complex z;
        memcpy(&z, parts, sizeof z);
        z = csqrt(z);
        result.re = rounded(t, creal(z));
        result.im = rounded(t, cimag(z));
    } else {
        result.re = library(tree->op, t, x.re, y.re);
    }
    const bool circular = tree->op == CM_EXPRESSION_SIN || tree->op == CM_EXPRESSION_COS ||
                          tree->op == CM_EXPRESSION_TAN;
    if (circular && fabs(x.re) > CIRCULAR_MAX)
        result.error = INFINITY;
    else if (is_complex(x.type))
        result.error = x.error > 0 ? INFINITY : 4 * unit_of(t, hypot(result.re, result.im));
    else
        result.error = carried(tree->op, x, result.re) + (y.error > 0 ? INFINITY : 0) +
                       2 * unit_of(t, result.re);
    return result;
}

/* Returns the error bound of an exact operation whose operands are inexact. */
static double error_of(const struct cm_reference_tree *tree, struct cm_reference_number x,
                       struct cm_reference_number y, struct cm_reference_number z, double result)
{
    const double own = unit_of(tree->type, result), sum = x.error + y.error;
    const bool real = tree->type == CM_TYPE_REAL32 || tree->type == CM_TYPE_REAL64;
    /* The sign of a NaN is undefined, so the result of SIGN is unknown. */
    if (tree->op == CM_EXPRESSION_SIGN && isnan(y.re) && !isnan(x.re))
        return INFINITY;
    if (sum + z.error == 0)
        return 0;
    if (tree->op == CM_EXPRESSION_MERGE && z.error == 0)
        return z.whole ? x.error : y.error;
    if (!real || isinf(sum + z.error))
        return INFINITY;
    switch (tree->op) {
    case CM_EXPRESSION_ADD:
    case CM_EXPRESSION_SUBTRACT:
        return sum + own;
    case CM_EXPRESSION_MULTIPLY:
        return fabs(x.re) * y.error + fabs(y.re) * x.error + x.error * y.error + own;
    case CM_EXPRESSION_DIVIDE:
        if (fabs(y.re) <= 2 * y.error)
            return INFINITY;
        return 2 * (x.error + fabs(result) * y.error) / fabs(y.re) + own;
    case CM_EXPRESSION_NEGATE:
    case CM_EXPRESSION_ABS:
        return x.error;
    case CM_EXPRESSION_MIN:
    case CM_EXPRESSION_MAX:
        return x.error > y.error ? x.error : y.error;
    case CM_REFERENCE_CONVERT:
        return is_complex(x.type) ? INFINITY : x.error + own;
    default:
        return INFINITY;
    }
}

struct cm_reference_number cm_reference_evaluate(const struct cm_reference_tree *tree,
                                                 const struct cm_reference_leaves *leaves)
{
    struct cm_reference_number operands[3] = {{0}}, result;
    if (tree->op >= CM_REFERENCE_ARRAY && tree->op != CM_REFERENCE_CONVERT)
        return leaf_of(tree, leaves);
    for (int i = 0; i < 3; i++)
        if (tree->operands[i])
            operands[i] = cm_reference_evaluate(tree->operands[i], leaves);
    if (tree->op == CM_REFERENCE_CONVERT)
        result = convert(operands[0], tree->type);
    else if (is_inexact(tree))
        return inexact(tree, operands[0], operands[1]);
    else
        result = operate(tree, operands[0], operands[1], operands[2]);
    const double error = error_of(tree, operands[0], operands[1], operands[2], result.re);
    result.error = error > result.error ? error : result.error;
    return result;
}

struct cm_reference_number cm_reference_read(enum cm_type type, const void *element)
{
    struct cm_reference_number number = {.type = type};
    float singles[2];
    double doubles[2];
    switch (type) {
    case CM_TYPE_INT32:
        memcpy(&number.whole, element, sizeof number.whole);
        break;
    case CM_TYPE_LOGICAL:
        number.whole = *(const unsigned char *)element != 0;
        break;
    case CM_TYPE_REAL32:
    case CM_TYPE_COMPLEX64:
        memcpy(singles, element, cm_type_host_bytes(type));
        number.re = singles[0];
        number.im = is_complex(type) ? singles[1] : 0;
        break;
    default:
        memcpy(doubles, element, cm_type_host_bytes(type));
        number.re = doubles[0];
        number.im = is_complex(type) ? doubles[1] : 0;
    }
    return number;
}

void cm_reference_write(const struct cm_reference_number *number, void *element)
{
    const float singles[2] = {(float)number->re, (float)number->im};
    const double doubles[2] = {number->re, number->im};
    const size_t bytes = cm_type_host_bytes(number->type);
    if (number->type == CM_TYPE_INT32)
        memcpy(element, &number->whole, bytes);
    else if (number->type == CM_TYPE_LOGICAL)
        *(unsigned char *)element = number->whole != 0;
    else if (is_single(number->type))
        memcpy(element, singles, bytes);
    else
        memcpy(element, doubles, bytes);
}

static bool same_part(double a, double b, double error)
{
    return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b)) ||
           (error > 0 && fabs(a - b) <= error);
}

bool cm_reference_same(const struct cm_reference_number *a, const struct cm_reference_number *b)
{
    if (a->type != b->type || isinf(b->error))
        return a->type == b->type;
    return a->whole == b->whole && same_part(a->re, b->re, b->error) &&
           same_part(a->im, b->im, b->error);
}
