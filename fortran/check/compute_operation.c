/* Computes operations and conversions of single values (compute.h). */
#include "compute.h"

#include <complex.h>
#include <math.h>
#undef complex /* union cm_fortran_value has a member `complex`. */

static int32_t wrap(uint32_t value)
{
    return (int32_t)value;
}

/* Defines a function that computes x ** n by repeated squaring, in the way of the compilers'
 * __powidf2. */
#define POWI(name, type)                                                                           \
    static type name(type x, int32_t n)                                                            \
    {                                                                                              \
        uint32_t magnitude = n < 0 ? 0u - (uint32_t)n : (uint32_t)n;                               \
        type result = magnitude % 2 != 0 ? x : 1;                                                  \
        while ((magnitude /= 2) != 0) {                                                            \
            x = x * x;                                                                             \
            if (magnitude % 2 != 0)                                                                \
                result *= x;                                                                       \
        }                                                                                          \
        return n < 0 ? 1 / result : result;                                                        \
    }
POWI(power_real, float)
POWI(power_real64, double)

static bool power_integer(int32_t x, int32_t n, int32_t *out)
{
    uint32_t result = 1, square = (uint32_t)x;
    if (n < 0) {
        if (x == 0)
            return false;
        *out = x == 1 ? 1 : x == -1 ? (n % 2 != 0 ? -1 : 1) : 0;
        return true;
    }
    for (uint32_t left = (uint32_t)n; left != 0; left /= 2) {
        if (left % 2 != 0)
            result *= square;
        square *= square;
    }
    *out = wrap(result);
    return true;
}

static bool integer_operation(enum cm_fortran_op op, int32_t a, int32_t b, int32_t *out)
{
    switch (op) {
    case CM_FORTRAN_ADD:
        *out = wrap((uint32_t)a + (uint32_t)b);
        return true;
    case CM_FORTRAN_SUBTRACT:
        *out = wrap((uint32_t)a - (uint32_t)b);
        return true;
    case CM_FORTRAN_MULTIPLY:
        *out = wrap((uint32_t)a * (uint32_t)b);
        return true;
    case CM_FORTRAN_DIVIDE:
        if (b == 0)
            return false;
        *out = b == -1 ? wrap(0u - (uint32_t)a) : a / b;
        return true;
    case CM_FORTRAN_NEGATE:
        *out = wrap(0u - (uint32_t)a);
        return true;
    default:
        return power_integer(a, b, out);
    }
}

#define REAL_OPERATIONS(name, type, powi, powr)                                                    \
    static type name(enum cm_fortran_op op, bool integer_exponent, type a, type b, int32_t n)      \
    {                                                                                              \
        switch (op) {                                                                              \
        case CM_FORTRAN_ADD:                                                                       \
            return a + b;                                                                          \
        case CM_FORTRAN_SUBTRACT:                                                                  \
            return a - b;                                                                          \
        case CM_FORTRAN_MULTIPLY:                                                                  \
            return a * b;                                                                          \
        case CM_FORTRAN_DIVIDE:                                                                    \
            return a / b;                                                                          \
        case CM_FORTRAN_NEGATE:                                                                    \
            return -a;                                                                             \
        default:                                                                                   \
            return integer_exponent ? powi(a, n) : powr(a, b);                                     \
        }                                                                                          \
    }
REAL_OPERATIONS(real_operation, float, power_real, powf)
REAL_OPERATIONS(real64_operation, double, power_real64, pow)

/* Defines functions of complex numbers. They compute products as (ac - bd, ad + bc), quotients by
 * Smith's method, and integer powers by repeated squaring. */
#define COMPLEX_OPERATIONS(name, type, magnitude, power)                                           \
    static void name##_multiply(const type *a, const type *b, type *out)                           \
    {                                                                                              \
        type re = a[0] * b[0] - a[1] * b[1], im = a[0] * b[1] + a[1] * b[0];                       \
        out[0] = re;                                                                               \
        out[1] = im;                                                                               \
    }                                                                                              \
    static void name##_divide(const type *a, const type *b, type *out)                             \
    {                                                                                              \
        type ratio, scale, re, im;                                                                 \
        if (magnitude(b[0]) < magnitude(b[1])) {                                                   \
            ratio = b[0] / b[1];                                                                   \
            scale = b[0] * ratio + b[1];                                                           \
            re = (a[0] * ratio + a[1]) / scale;                                                    \
            im = (a[1] * ratio - a[0]) / scale;                                                    \
        } else {                                                                                   \
            ratio = b[1] / b[0];                                                                   \
            scale = b[1] * ratio + b[0];                                                           \
            re = (a[1] * ratio + a[0]) / scale;                                                    \
            im = (a[1] - a[0] * ratio) / scale;                                                    \
        }                                                                                          \
        out[0] = re;                                                                               \
        out[1] = im;                                                                               \
    }                                                                                              \
    static void name##_power(const type *a, int32_t n, type *out)                                  \
    {                                                                                              \
        uint32_t left = n < 0 ? 0u - (uint32_t)n : (uint32_t)n;                                    \
        type square[2] = {a[0], a[1]}, result[2] = {1, 0};                                         \
        for (; left != 0; left /= 2) {                                                             \
            if (left % 2 != 0)                                                                     \
                name##_multiply(result, square, result);                                           \
            name##_multiply(square, square, square);                                               \
        }                                                                                          \
        if (n < 0)                                                                                 \
            name##_divide((const type[]){1, 0}, result, result);                                   \
        out[0] = result[0];                                                                        \
        out[1] = result[1];                                                                        \
    }                                                                                              \
    static bool name(enum cm_fortran_op op, bool integer_exponent, const type *a, const type *b,   \
                     int32_t n, type *out)                                                         \
    {                                                                                              \
        switch (op) {                                                                              \
        case CM_FORTRAN_ADD:                                                                       \
            out[0] = a[0] + b[0];                                                                  \
            out[1] = a[1] + b[1];                                                                  \
            return true;                                                                           \
        case CM_FORTRAN_SUBTRACT:                                                                  \
            out[0] = a[0] - b[0];                                                                  \
            out[1] = a[1] - b[1];                                                                  \
            return true;                                                                           \
        case CM_FORTRAN_MULTIPLY:                                                                  \
            name##_multiply(a, b, out);                                                            \
            return true;                                                                           \
        case CM_FORTRAN_DIVIDE:                                                                    \
            name##_divide(a, b, out);                                                              \
            return true;                                                                           \
        case CM_FORTRAN_NEGATE:                                                                    \
            out[0] = -a[0];                                                                        \
            out[1] = -a[1];                                                                        \
            return true;                                                                           \
        default:                                                                                   \
            if (integer_exponent)                                                                  \
                name##_power(a, n, out);                                                           \
            else                                                                                   \
                power(a, b, out);                                                                  \
            return true;                                                                           \
        }                                                                                          \
    }

/* Computes powers with a complex exponent by a function of the host's C library. */
static void complex_power(const float *a, const float *b, float *out)
{
    union {
        float parts[2];
        float _Complex whole;
    } base = {{a[0], a[1]}}, exponent = {{b[0], b[1]}}, result;
    result.whole = cpowf(base.whole, exponent.whole);
    out[0] = result.parts[0];
    out[1] = result.parts[1];
}

static void complex128_power(const double *a, const double *b, double *out)
{
    union {
        double parts[2];
        double _Complex whole;
    } base = {{a[0], a[1]}}, exponent = {{b[0], b[1]}}, result;
    result.whole = cpow(base.whole, exponent.whole);
    out[0] = result.parts[0];
    out[1] = result.parts[1];
}

COMPLEX_OPERATIONS(complex_operation, float, fabsf, complex_power)
COMPLEX_OPERATIONS(complex128_operation, double, fabs, complex128_power)

#define COMPARE(a, b)                                                                              \
    op == CM_FORTRAN_EQ   ? (a) == (b)                                                             \
    : op == CM_FORTRAN_NE ? (a) != (b)                                                             \
    : op == CM_FORTRAN_LT ? (a) < (b)                                                              \
    : op == CM_FORTRAN_LE ? (a) <= (b)                                                             \
    : op == CM_FORTRAN_GT ? (a) > (b)                                                              \
                          : (a) >= (b)

static bool compare(enum cm_fortran_op op, enum cm_type type, const union cm_fortran_value *a,
                    const union cm_fortran_value *b)
{
    bool equal;
    switch (type) {
    case CM_TYPE_INT32:
        return COMPARE(a->integer, b->integer);
    case CM_TYPE_REAL32:
        return COMPARE(a->real, b->real);
    case CM_TYPE_REAL64:
        return COMPARE(a->real64, b->real64);
    case CM_TYPE_COMPLEX64:
        equal = a->complex[0] == b->complex[0] && a->complex[1] == b->complex[1];
        return equal == (op == CM_FORTRAN_EQ);
    case CM_TYPE_COMPLEX128:
        equal = a->complex128[0] == b->complex128[0] && a->complex128[1] == b->complex128[1];
        return equal == (op == CM_FORTRAN_EQ);
    default:
        return (a->logical == b->logical) == (op == CM_FORTRAN_EQ);
    }
}

static bool logical_operation(enum cm_fortran_op op, bool a, const union cm_fortran_value *b)
{
    switch (op) {
    case CM_FORTRAN_NOT:
        return !a;
    case CM_FORTRAN_AND:
        return a && b->logical;
    case CM_FORTRAN_OR:
        return a || b->logical;
    case CM_FORTRAN_EQV:
        return a == b->logical;
    default:
        return a != b->logical;
    }
}

bool cm_fortran_operate(enum cm_fortran_op op, enum cm_type type, bool integer_exponent,
                        const union cm_fortran_value *a, const union cm_fortran_value *b,
                        union cm_fortran_value *out)
{
    if (op >= CM_FORTRAN_NOT) {
        out->logical = logical_operation(op, a->logical, b);
        return true;
    }
    if (op >= CM_FORTRAN_EQ) {
        out->logical = compare(op, type, a, b);
        return true;
    }
    static const union cm_fortran_value nothing;
    b = op == CM_FORTRAN_NEGATE ? &nothing : b;
    int32_t n = integer_exponent ? b->integer : 0;
    switch (type) {
    case CM_TYPE_INT32:
        return integer_operation(op, a->integer, b->integer, &out->integer);
    case CM_TYPE_REAL32:
        out->real = real_operation(op, integer_exponent, a->real, b->real, n);
        return true;
    case CM_TYPE_REAL64:
        out->real64 = real64_operation(op, integer_exponent, a->real64, b->real64, n);
        return true;
    case CM_TYPE_COMPLEX64:
        return complex_operation(op, integer_exponent, a->complex, b->complex, n, out->complex);
    case CM_TYPE_COMPLEX128:
        return complex128_operation(op, integer_exponent, a->complex128, b->complex128, n,
                                    out->complex128);
    default:
        return false;
    }
}

/* Converts a real to an integer in the way of the machine's instruction f2i: NaN and values out of
 * range become -2^31. */
static int32_t truncate(double value)
{
    return value > -2147483649.0 && value < 2147483648.0 ? (int32_t)value : INT32_MIN;
}

static void widen(enum cm_type from, const union cm_fortran_value *a, double parts[2])
{
    parts[1] = 0;
    switch (from) {
    case CM_TYPE_INT32:
        parts[0] = a->integer;
        break;
    case CM_TYPE_REAL32:
        parts[0] = (double)a->real;
        break;
    case CM_TYPE_REAL64:
        parts[0] = a->real64;
        break;
    case CM_TYPE_COMPLEX64:
        parts[0] = (double)a->complex[0];
        parts[1] = (double)a->complex[1];
        break;
    case CM_TYPE_COMPLEX128:
        parts[0] = a->complex128[0];
        parts[1] = a->complex128[1];
        break;
    default:
        parts[0] = a->logical;
        break;
    }
}

void cm_fortran_convert(enum cm_type from, enum cm_type to, const union cm_fortran_value *a,
                        union cm_fortran_value *out)
{
    /* real and imaginary part, which are exact, because a double holds each value of each type */
    double parts[2];
    widen(from, a, parts);
    switch (to) {
    case CM_TYPE_INT32:
        out->integer = truncate(parts[0]);
        break;
    case CM_TYPE_REAL32:
        out->real = (float)parts[0];
        break;
    case CM_TYPE_REAL64:
        out->real64 = parts[0];
        break;
    case CM_TYPE_COMPLEX64:
        out->complex[0] = (float)parts[0];
        out->complex[1] = (float)parts[1];
        break;
    case CM_TYPE_COMPLEX128:
        out->complex128[0] = parts[0];
        out->complex128[1] = parts[1];
        break;
    default:
        out->logical = parts[0] != 0;
        break;
    }
}
