/* The operations of expressions, in C. */
#include "elementwise_oracle.h"

#include <math.h>
#include <string.h>

static bool is_single(enum cm_type type)
{
    return type == CM_TYPE_REAL32 || type == CM_TYPE_COMPLEX64;
}

static bool is_complex(enum cm_type type)
{
    return type == CM_TYPE_COMPLEX64 || type == CM_TYPE_COMPLEX128;
}

/* One operation, rounded to 32 bits where the type has them. For + - * / and square roots, rounding
 * a 64-bit result of 32-bit operands again gives what rounding once does (53 >= 2 * 24 + 2).
 * Volatile, because gcc 12 -O3 leaves some of the roundings out. */
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

static struct oracle_number whole(int64_t value)
{
    return (struct oracle_number){.type = CM_TYPE_INT32, .whole = (int32_t)(uint32_t)value};
}

static struct oracle_number logical(bool value)
{
    return (struct oracle_number){.type = CM_TYPE_LOGICAL, .whole = value};
}

static struct oracle_number real(enum cm_type type, double re, double im)
{
    return (struct oracle_number){.type = type, .re = re, .im = im};
}

static struct oracle_number times(struct oracle_number x, struct oracle_number y)
{
    const enum cm_type t = x.type;
    if (t == CM_TYPE_INT32)
        return whole((int64_t)((uint32_t)x.whole * (uint64_t)(uint32_t)y.whole));
    if (!is_complex(t))
        return real(t, mul(t, x.re, y.re), 0);
    return real(t, sub(t, mul(t, x.re, y.re), mul(t, x.im, y.im)),
                add(t, mul(t, x.re, y.im), mul(t, x.im, y.re)));
}

static struct oracle_number complex_quotient(struct oracle_number x, struct oracle_number y)
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

static struct oracle_number divide(struct oracle_number x, struct oracle_number y)
{
    if (x.type == CM_TYPE_INT32)
        return whole(y.whole == 0 ? 0 : (int64_t)x.whole / y.whole);
    if (!is_complex(x.type))
        return real(x.type, quo(x.type, x.re, y.re), 0);
    return complex_quotient(x, y);
}

static struct oracle_number one_of(enum cm_type type)
{
    return type == CM_TYPE_INT32 ? whole(1) : real(type, 1, 0);
}

/* The exponents of gfortran's chains: x**n is x**first times x**(n - first). Odd n from Knuth's
 * power tree and its exceptions, as gfortran 12 multiplies; checked for these n by
 * compiling them. */
static uint32_t split_power(uint32_t n)
{
    static const uint8_t odd[][2] = {{3, 2},   {5, 3},   {7, 4},   {9, 6},   {11, 6},  {13, 10},
                                     {15, 9},  {17, 16}, {19, 16}, {21, 12}, {23, 13}, {25, 17},
                                     {27, 18}, {29, 24}, {31, 26}, {33, 17}, {63, 36}};
    if (n % 2 == 0)
        return n / 2;
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++)
        if (odd[i][0] == n)
            return odd[i][1];
    return n - n % 8;
}

static struct oracle_number chain(struct oracle_number x, uint32_t n)
{
    if (n == 0)
        return one_of(x.type);
    if (n == 1)
        return x;
    return times(chain(x, split_power(n)), chain(x, n - split_power(n)));
}

static struct oracle_number binary_power(struct oracle_number x, uint32_t n)
{
    struct oracle_number power = n % 2 ? x : one_of(x.type);
    while (n >>= 1) {
        x = times(x, x);
        if (n % 2)
            power = times(power, x);
    }
    return power;
}

/* libgfortran's: 1 is multiplied, too. */
static struct oracle_number complex_power(struct oracle_number x, int32_t n, bool constant)
{
    struct oracle_number power = one_of(x.type);
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

static struct oracle_number power_of(const struct oracle_tree *tree, struct oracle_number x,
                                     struct oracle_number y)
{
    const int32_t n = y.whole;
    const uint32_t magnitude = n < 0 ? -(uint32_t)n : (uint32_t)n;
    const bool constant = tree->operands[1]->op == ORACLE_CONSTANT;
    if (is_complex(x.type))
        return complex_power(x, n, constant);
    if (x.type == CM_TYPE_INT32 && n < 0)
        return whole(x.whole == 1 ? 1 : x.whole == -1 ? (n % 2 ? -1 : 1) : 0);
    struct oracle_number power = constant ? chain(x, magnitude) : binary_power(x, magnitude);
    return n < 0 ? divide(one_of(x.type), power) : power;
}

static struct oracle_number convert(struct oracle_number x, enum cm_type type)
{
    double re = x.type == CM_TYPE_INT32 ? (double)x.whole : x.re;
    if (x.type == type)
        return x;
    if (type == CM_TYPE_INT32)
        return whole(re > -2147483649.0 && re < 2147483648.0 ? (int64_t)re : INT32_MIN);
    return real(type, rounded(type, re), is_complex(type) ? rounded(type, x.im) : 0);
}

static bool compares(int op, struct oracle_number x, struct oracle_number y)
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
    default: /* ANINT */
        return round(x);
    }
}

static struct oracle_number of_complex(int op, struct oracle_number x, struct oracle_number y)
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
    default: /* AIMAG */
        return real(t == CM_TYPE_COMPLEX64 ? CM_TYPE_REAL32 : CM_TYPE_REAL64, x.im, 0);
    }
}

static struct oracle_number operate(const struct oracle_tree *tree, struct oracle_number x,
                                    struct oracle_number y, struct oracle_number z)
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

struct oracle_number oracle_evaluate(const struct oracle_tree *tree,
                                     const struct oracle_scene *scene)
{
    struct oracle_number operands[3] = {{0}};
    switch (tree->op) {
    case ORACLE_ARRAY:
        return scene->arrays[tree->leaf];
    case ORACLE_SCALAR:
        return scene->scalars[tree->leaf];
    case ORACLE_CONSTANT:
        return tree->value;
    case ORACLE_INDEX:
        return whole(scene->indices[tree->leaf]);
    default:
        break;
    }
    for (int i = 0; i < 3; i++)
        if (tree->operands[i])
            operands[i] = oracle_evaluate(tree->operands[i], scene);
    if (tree->op == ORACLE_CONVERT)
        return convert(operands[0], tree->type);
    return operate(tree, operands[0], operands[1], operands[2]);
}

struct oracle_number oracle_read(enum cm_type type, const void *element)
{
    struct oracle_number number = {.type = type};
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

void oracle_write(const struct oracle_number *number, void *element)
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

static bool same_part(double a, double b)
{
    return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b));
}

bool oracle_same(const struct oracle_number *a, const struct oracle_number *b)
{
    return a->type == b->type && a->whole == b->whole && same_part(a->re, b->re) &&
           same_part(a->im, b->im);
}
