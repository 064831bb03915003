/* Computes the elemental intrinsic functions for single values (compute.h). */
#include "compute.h"

#include <complex.h>
#undef complex /* union cm_fortran_value has a member `complex`. */
#include <math.h>

uint32_t cm_fortran_types_of(uint8_t type)
{
    switch (type) {
    case CM_TYPE_INT32:
        return CM_TYPES_I;
    case CM_TYPE_LOGICAL:
        return CM_TYPES_L;
    case CM_TYPE_COMPLEX64:
    case CM_TYPE_COMPLEX128:
        return CM_TYPES_C;
    case CM_TYPE_REAL32:
    case CM_TYPE_REAL64:
        return CM_TYPES_R;
    default:
        return CM_TYPES_NONE;
    }
}

static int32_t shifted(int32_t i, int32_t shift)
{
    uint32_t bits = (uint32_t)i;
    if (shift <= -32 || shift >= 32)
        return 0;
    return (int32_t)(shift >= 0 ? bits << shift : bits >> -shift);
}

static bool modulo(enum cm_fortran_intrinsic intrinsic, int32_t a, int32_t p, int32_t *out)
{
    if (p == 0)
        return false;
    int32_t rest = p == -1 ? 0 : a % p;
    if (intrinsic == CM_FORTRAN_MODULO && rest != 0 && (rest < 0) != (p < 0))
        rest += p;
    *out = rest;
    return true;
}

/* Rotates the lower `size` bits of `i` left by `shift`. `size` is 1 to 32. */
static int32_t rotated(int32_t i, int32_t shift, int32_t size)
{
    uint32_t bits = (uint32_t)i, mask = size < 32 ? (UINT32_C(1) << size) - 1 : UINT32_MAX;
    uint32_t left = (uint32_t)(((int64_t)shift % size + size) % size);
    uint64_t twice = (uint64_t)(bits & mask) << left;
    return (int32_t)((bits & ~mask) | (((uint32_t)twice | (uint32_t)(twice >> size)) & mask));
}

static int32_t bit(int32_t pos)
{
    return pos >= 0 && pos < 32 ? (int32_t)(UINT32_C(1) << pos) : 0;
}

/* Computes the functions of integers that have an integer value, apart from MIN and MAX. Returns
 * false for a division by zero. */
static bool integer_function(enum cm_fortran_intrinsic intrinsic,
                             const union cm_fortran_value *args, int32_t *out)
{
    int32_t a = args[0].integer, b = args[1].integer;
    switch (intrinsic) {
    case CM_FORTRAN_ABS:
        *out = a < 0 ? (int32_t)(0u - (uint32_t)a) : a;
        return true;
    case CM_FORTRAN_SIGN:
        *out = (a < 0) != (b < 0) ? (int32_t)(0u - (uint32_t)a) : a;
        return true;
    case CM_FORTRAN_DIM:
        *out = a > b ? (int32_t)((uint32_t)a - (uint32_t)b) : 0;
        return true;
    case CM_FORTRAN_MOD:
    case CM_FORTRAN_MODULO:
        return modulo(intrinsic, a, b, out);
    case CM_FORTRAN_IAND:
        *out = a & b;
        return true;
    case CM_FORTRAN_IOR:
        *out = a | b;
        return true;
    case CM_FORTRAN_IEOR:
        *out = a ^ b;
        return true;
    case CM_FORTRAN_NOT_BITS:
        *out = ~a;
        return true;
    case CM_FORTRAN_IBSET:
        *out = a | bit(b);
        return true;
    case CM_FORTRAN_IBCLR:
        *out = a & ~bit(b);
        return true;
    case CM_FORTRAN_ISHFT:
        *out = shifted(a, b);
        return true;
    default:
        *out = a;
        return true;
    }
}

/* Computes MODULO of reals in the way of gfortran. `rest` is the remainder that fmod() returns. */
static double real_modulo(double rest, double p)
{
    if (rest == 0)
        return copysign(0, p);
    return (rest < 0) != (p < 0) ? rest + p : rest;
}

/* Defines a function that computes the functions of reals which have a real value. `suffix` is the
 * suffix of the C library's functions for this type. */
#define REAL_FUNCTION(name, type, suffix)                                                          \
    static type name(enum cm_fortran_intrinsic intrinsic, type a, type b)                          \
    {                                                                                              \
        switch (intrinsic) {                                                                       \
        case CM_FORTRAN_ABS:                                                                       \
            return fabs##suffix(a);                                                                \
        case CM_FORTRAN_ACOS:                                                                      \
            return acos##suffix(a);                                                                \
        case CM_FORTRAN_AINT:                                                                      \
            return trunc##suffix(a);                                                               \
        case CM_FORTRAN_ANINT:                                                                     \
            return round##suffix(a);                                                               \
        case CM_FORTRAN_ASIN:                                                                      \
            return asin##suffix(a);                                                                \
        case CM_FORTRAN_ATAN:                                                                      \
            return atan##suffix(a);                                                                \
        case CM_FORTRAN_ATAN2:                                                                     \
            return atan2##suffix(a, b);                                                            \
        case CM_FORTRAN_COS:                                                                       \
            return cos##suffix(a);                                                                 \
        case CM_FORTRAN_COSH:                                                                      \
            return cosh##suffix(a);                                                                \
        case CM_FORTRAN_DIM:                                                                       \
            return a > b ? a - b : 0;                                                              \
        case CM_FORTRAN_EXP:                                                                       \
            return exp##suffix(a);                                                                 \
        case CM_FORTRAN_LOG:                                                                       \
            return log##suffix(a);                                                                 \
        case CM_FORTRAN_LOG10:                                                                     \
            return log10##suffix(a);                                                               \
        case CM_FORTRAN_MOD:                                                                       \
            return fmod##suffix(a, b);                                                             \
        case CM_FORTRAN_MODULO:                                                                    \
            return (type)real_modulo((double)fmod##suffix(a, b), (double)b);                       \
        case CM_FORTRAN_SIGN:                                                                      \
            return copysign##suffix(a, b);                                                         \
        case CM_FORTRAN_SIN:                                                                       \
            return sin##suffix(a);                                                                 \
        case CM_FORTRAN_SINH:                                                                      \
            return sinh##suffix(a);                                                                \
        case CM_FORTRAN_SQRT:                                                                      \
            return sqrt##suffix(a);                                                                \
        case CM_FORTRAN_TAN:                                                                       \
            return tan##suffix(a);                                                                 \
        case CM_FORTRAN_TANH:                                                                      \
            return tanh##suffix(a);                                                                \
        default:                                                                                   \
            return a;                                                                              \
        }                                                                                          \
    }
REAL_FUNCTION(real_function, float, f)
REAL_FUNCTION(real64_function, double, )

static double _Complex complex_function(enum cm_fortran_intrinsic intrinsic, double _Complex z)
{
    switch (intrinsic) {
    case CM_FORTRAN_CONJG:
        return conj(z);
    case CM_FORTRAN_COS:
        return ccos(z);
    case CM_FORTRAN_EXP:
        return cexp(z);
    case CM_FORTRAN_LOG:
        return clog(z);
    case CM_FORTRAN_SIN:
        return csin(z);
    case CM_FORTRAN_SQRT:
        return csqrt(z);
    default:
        return z;
    }
}

static float _Complex complex64_function(enum cm_fortran_intrinsic intrinsic, float _Complex z)
{
    switch (intrinsic) {
    case CM_FORTRAN_CONJG:
        return conjf(z);
    case CM_FORTRAN_COS:
        return ccosf(z);
    case CM_FORTRAN_EXP:
        return cexpf(z);
    case CM_FORTRAN_LOG:
        return clogf(z);
    case CM_FORTRAN_SIN:
        return csinf(z);
    case CM_FORTRAN_SQRT:
        return csqrtf(z);
    default:
        return z;
    }
}

/* Makes a complex number from its parts. The expression x + y*I would lose the sign of zeros. */
static double _Complex join(const double *parts)
{
    union {
        double parts[2];
        double _Complex whole;
    } both = {{parts[0], parts[1]}};
    return both.whole;
}

static float _Complex join64(const float *parts)
{
    union {
        float parts[2];
        float _Complex whole;
    } both = {{parts[0], parts[1]}};
    return both.whole;
}

static void of_complex(enum cm_fortran_intrinsic intrinsic, const union cm_fortran_value *a,
                       union cm_fortran_value *out)
{
    if (intrinsic == CM_FORTRAN_ABS) {
        out->real = hypotf(a->complex[0], a->complex[1]);
    } else if (intrinsic == CM_FORTRAN_REAL || intrinsic == CM_FORTRAN_AIMAG) {
        out->real = a->complex[intrinsic == CM_FORTRAN_AIMAG];
    } else {
        float _Complex z = complex64_function(intrinsic, join64(a->complex));
        out->complex[0] = crealf(z);
        out->complex[1] = cimagf(z);
    }
}

static void of_complex128(enum cm_fortran_intrinsic intrinsic, const union cm_fortran_value *a,
                          union cm_fortran_value *out)
{
    if (intrinsic == CM_FORTRAN_ABS) {
        out->real64 = hypot(a->complex128[0], a->complex128[1]);
    } else if (intrinsic == CM_FORTRAN_REAL || intrinsic == CM_FORTRAN_AIMAG) {
        out->real64 = a->complex128[intrinsic == CM_FORTRAN_AIMAG];
    } else {
        double _Complex z = complex_function(intrinsic, join(a->complex128));
        out->complex128[0] = creal(z);
        out->complex128[1] = cimag(z);
    }
}

/* Computes MIN and MAX in the way of the machine: of two values, the result is the second one
 * unless the first one is greater (MAX) or less (MIN). */
static void extreme(bool greatest, enum cm_type type, const union cm_fortran_value *args,
                    uint32_t count, union cm_fortran_value *out)
{
    union cm_fortran_value best = args[0];
    for (uint32_t i = 1; i < count; i++) {
        union cm_fortran_value beyond;
        cm_fortran_operate(greatest ? CM_FORTRAN_GT : CM_FORTRAN_LT, type, false, &best, &args[i],
                           &beyond);
        if (!beyond.logical)
            best = args[i];
    }
    *out = best;
}

/* Computes NINT, FLOOR and CEILING. */
static int32_t rounded(enum cm_fortran_intrinsic intrinsic, double a)
{
    union cm_fortran_value whole, out;
    whole.real64 = intrinsic == CM_FORTRAN_NINT    ? round(a)
                   : intrinsic == CM_FORTRAN_FLOOR ? floor(a)
                                                   : ceil(a);
    cm_fortran_convert(CM_TYPE_REAL64, CM_TYPE_INT32, &whole, &out);
    return out.integer;
}

static void make_complex(enum cm_type type, enum cm_type result, const union cm_fortran_value *args,
                         uint32_t count, union cm_fortran_value *out)
{
    union cm_fortran_value parts[2];
    for (uint32_t i = 0; i < 2; i++) {
        parts[i] = (union cm_fortran_value){.real64 = 0};
        if (i < count)
            cm_fortran_convert(type, CM_TYPE_REAL64, &args[i], &parts[i]);
    }
    if (result == CM_TYPE_COMPLEX64) {
        out->complex[0] = (float)parts[0].real64;
        out->complex[1] = (float)parts[1].real64;
    } else {
        out->complex128[0] = parts[0].real64;
        out->complex128[1] = parts[1].real64;
    }
}

bool cm_fortran_elemental(enum cm_fortran_intrinsic intrinsic, enum cm_type type,
                          enum cm_type result, const union cm_fortran_value *args, uint32_t count,
                          union cm_fortran_value *out)
{
    const union cm_fortran_value *b = count > 1 ? &args[1] : &args[0];
    bool is_complex = type == CM_TYPE_COMPLEX64 || type == CM_TYPE_COMPLEX128;
    switch (intrinsic) {
    case CM_FORTRAN_MERGE:
        *out = args[2].logical ? args[0] : args[1];
        return true;
    case CM_FORTRAN_MIN:
    case CM_FORTRAN_MAX:
        extreme(intrinsic == CM_FORTRAN_MAX, type, args, count, out);
        return true;
    case CM_FORTRAN_BTEST:
        out->logical = (args[0].integer & bit(b->integer)) != 0;
        return true;
    case CM_FORTRAN_ISHFTC:
        out->integer = rotated(args[0].integer, b->integer, count > 2 ? args[2].integer : 32);
        return true;
    case CM_FORTRAN_CMPLX:
        if (!is_complex)
            make_complex(type, result, args, count, out);
        else
            cm_fortran_convert(type, result, &args[0], out);
        return true;
    case CM_FORTRAN_NINT:
    case CM_FORTRAN_FLOOR:
    case CM_FORTRAN_CEILING:
        out->integer =
            rounded(intrinsic, type == CM_TYPE_REAL32 ? (double)args[0].real : args[0].real64);
        return true;
    default:
        break;
    }
    if (type == CM_TYPE_INT32) {
        union cm_fortran_value both[2] = {args[0], *b};
        return integer_function(intrinsic, both, &out->integer);
    }
    if (type == CM_TYPE_REAL32)
        out->real = real_function(intrinsic, args[0].real, b->real);
    else if (type == CM_TYPE_REAL64)
        out->real64 = real64_function(intrinsic, args[0].real64, b->real64);
    else if (type == CM_TYPE_COMPLEX64)
        of_complex(intrinsic, &args[0], out);
    else
        of_complex128(intrinsic, &args[0], out);
    return true;
}
