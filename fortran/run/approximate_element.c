/*
 * Bounds of one element (approximate.h): how an operation changes the bounds of its operands, and
 * which rounding error it adds. If the error is not known, the bound is infinite, so that any value
 * is right.
 */
#include "approximate_element.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* error of the machine's routines against libm, in units in the last place */
#define ROUTINE_ULPS 2.0
/* error of both parts of a complex square root, in units in the last place */
#define SQRT_ULPS 4.0
/* Largest arguments of SIN, COS and TAN, and of ATAN2, for which docs/programs/elementwise.md
 * promises an accuracy. */
#define ANGLE_MAX 1e6
#define ATAN2_MAX 100.0

static bool is_complex(enum cm_type type)
{
    return type == CM_TYPE_COMPLEX64 || type == CM_TYPE_COMPLEX128;
}

static bool is_single(enum cm_type type)
{
    return type == CM_TYPE_REAL32 || type == CM_TYPE_COMPLEX64;
}

double cm_fortran_epsilon(enum cm_type type)
{
    return is_single(type) ? FLT_EPSILON : DBL_EPSILON;
}

double cm_fortran_norm(enum cm_type type, const union cm_fortran_value *value)
{
    switch (type) {
    case CM_TYPE_COMPLEX64:
        return fabs((double)value->complex[0]) + fabs((double)value->complex[1]);
    case CM_TYPE_COMPLEX128:
        return fabs(value->complex128[0]) + fabs(value->complex128[1]);
    case CM_TYPE_LOGICAL:
        return value->logical;
    default:
        return cm_fortran_magnitude(type, value);
    }
}

static double real_of(const struct cm_fortran_point *point)
{
    union cm_fortran_value wide;
    cm_fortran_convert(point->type, CM_TYPE_REAL64, &point->value, &wide);
    return wide.real64;
}

static double norm_of(const struct cm_fortran_point *point)
{
    return cm_fortran_norm(point->type, &point->value);
}

/* Returns the size of `count` units in the last place of a value. A unit is at least the smallest
 * positive number of its type. */
static double ulps(const struct cm_fortran_point *made, double count)
{
    double least = is_single(made->type) ? 0x1p-149 : 0x1p-1074;
    double unit = norm_of(made) * cm_fortran_epsilon(made->type);
    return count * fmax(unit, least);
}

/* Adds the rounding error of an operation to a bound, unless the bound is 0 because the operands
 * are exact. */
static double rounded(const struct cm_fortran_point *made, double bound)
{
    /* an infinite bound times a zero is a NaN, which cm_fortran_bound() replaces by infinity */
    return bound == 0 ? 0 : bound + ulps(made, is_complex(made->type) ? 4 : 1);
}

static double any_if(bool uncertain)
{
    return uncertain ? INFINITY : 0;
}

static double bound_product(const struct cm_fortran_point *a, const struct cm_fortran_point *b,
                            const struct cm_fortran_point *made)
{
    if (a->bound == 0 && b->bound == 0)
        return 0;
    return rounded(made, norm_of(a) * b->bound + norm_of(b) * a->bound + a->bound * b->bound);
}

static double bound_quotient(const struct cm_fortran_point *a, const struct cm_fortran_point *b,
                             const struct cm_fortran_point *made)
{
    /* the norm (sum of the parts' absolute values) is at most sqrt(2) times the absolute value */
    double factor = is_complex(made->type) ? 2 : 1, divisor = norm_of(b) / factor;
    if (a->bound == 0 && b->bound == 0)
        return 0;
    if (!(divisor > b->bound))
        return INFINITY;
    return rounded(made, factor * (a->bound + norm_of(made) * b->bound) / (divisor - b->bound));
}

static double bound_power(bool integer_exponent, const struct cm_fortran_point *a,
                          const struct cm_fortran_point *b, const struct cm_fortran_point *made)
{
    if (a->bound == 0 && b->bound == 0)
        return integer_exponent ? 0 : ulps(made, ROUTINE_ULPS);
    double n = fabs(real_of(b)), base = norm_of(a);
    if (!integer_exponent || b->bound > 0 || is_complex(made->type) || !(base > a->bound))
        return INFINITY;
    double relative = real_of(b) < 0 ? a->bound / (base - a->bound) : a->bound / base;
    return norm_of(made) * (pow(1 + relative, n) - 1) + ulps(made, 2 * n + 2);
}

static double bound_operation(const struct cm_fortran_expression *expression,
                              const struct cm_fortran_point *args,
                              const struct cm_fortran_point *made)
{
    const struct cm_fortran_point *a = &args[0], *b = &args[1];
    double sum = a->bound + (expression->count > 1 ? b->bound : 0);
    switch (expression->op) {
    case CM_FORTRAN_ADD:
    case CM_FORTRAN_SUBTRACT:
        return rounded(made, sum);
    case CM_FORTRAN_MULTIPLY:
        return bound_product(a, b, made);
    case CM_FORTRAN_DIVIDE:
        return bound_quotient(a, b, made);
    case CM_FORTRAN_POWER:
        return bound_power(expression->args[1]->type == CM_TYPE_INT32, a, b, made);
    case CM_FORTRAN_NEGATE:
        return sum;
    case CM_FORTRAN_EQ:
    case CM_FORTRAN_NE:
        return any_if(sum > 0 && (is_complex(a->type) || fabs(real_of(a) - real_of(b)) <= sum));
    case CM_FORTRAN_LT:
    case CM_FORTRAN_LE:
    case CM_FORTRAN_GT:
    case CM_FORTRAN_GE:
        return any_if(sum > 0 && fabs(real_of(a) - real_of(b)) <= sum);
    default:
        return any_if(sum > 0);
    }
}

/* Returns the bound of a conversion. A conversion to an integer is exact if all values within the
 * bound truncate to the same number. */
static double bound_conversion(const struct cm_fortran_point *a,
                               const struct cm_fortran_point *made)
{
    if (made->type == CM_TYPE_INT32)
        return any_if(a->bound > 0 && (is_complex(a->type) || trunc(real_of(a) - a->bound) !=
                                                                  trunc(real_of(a) + a->bound)));
    return rounded(made, a->bound);
}

/* ---- routines ---- */

bool cm_fortran_is_routine(const struct cm_fortran_expression *call)
{
    switch (call->intrinsic) {
    case CM_FORTRAN_ACOS:
    case CM_FORTRAN_ASIN:
    case CM_FORTRAN_ATAN:
    case CM_FORTRAN_ATAN2:
    case CM_FORTRAN_COS:
    case CM_FORTRAN_COSH:
    case CM_FORTRAN_EXP:
    case CM_FORTRAN_LOG:
    case CM_FORTRAN_LOG10:
    case CM_FORTRAN_SIN:
    case CM_FORTRAN_SINH:
    case CM_FORTRAN_TAN:
    case CM_FORTRAN_TANH:
        return true;
    case CM_FORTRAN_ABS:
    case CM_FORTRAN_SQRT:
        return is_complex((enum cm_type)call->args[0]->type);
    default:
        return false;
    }
}

static double bound_angle(enum cm_fortran_intrinsic intrinsic, const struct cm_fortran_point *a,
                          const struct cm_fortran_point *made)
{
    double own = ulps(made, ROUTINE_ULPS);
    if (is_complex(a->type))
        return a->bound > 0 ? INFINITY : 2 * own;
    if (!(fabs(real_of(a)) <= ANGLE_MAX))
        return INFINITY;
    if (intrinsic != CM_FORTRAN_TAN)
        return a->bound + own;
    double slope = 1 + norm_of(made) * norm_of(made), change = a->bound * slope;
    return change < 0.1 ? 2 * change + own : INFINITY;
}

/* Returns the bound of ASIN or ACOS: the argument's bound times the slope at the outer end of the
 * argument's interval. */
static double bound_arc(const struct cm_fortran_point *a)
{
    double most = fabs(real_of(a)) + a->bound;
    return a->bound == 0 ? 0 : most < 1 ? a->bound / sqrt(1 - most * most) : INFINITY;
}

static double bound_root(const struct cm_fortran_point *a, const struct cm_fortran_point *made)
{
    if (is_complex(a->type))
        return a->bound > 0 || !(norm_of(a) < 1e6) ? INFINITY : ulps(made, SQRT_ULPS);
    double x = real_of(a);
    if (a->bound == 0)
        return 0;
    return x < a->bound ? INFINITY : rounded(made, sqrt(x + a->bound) - sqrt(x - a->bound));
}

/* Returns the bound of ABS. For a complex number, ABS is a routine of the machine, whose accuracy
 * is known for a limited range. */
static double bound_absolute(const struct cm_fortran_point *a, const struct cm_fortran_point *made)
{
    if (!is_complex(a->type))
        return a->bound;
    double most = is_single(a->type) ? 1e30 : 1e3, size = norm_of(a);
    bool inside = size == 0 || (size < most && size > 1 / most);
    return inside ? 2 * a->bound + ulps(made, ROUTINE_ULPS) : INFINITY;
}

static double bound_routine(enum cm_fortran_intrinsic intrinsic,
                            const struct cm_fortran_point *args,
                            const struct cm_fortran_point *made)
{
    const struct cm_fortran_point *a = &args[0];
    double own = ulps(made, is_complex(made->type) ? 2 * ROUTINE_ULPS : ROUTINE_ULPS);
    bool exact = a->bound == 0;
    switch (intrinsic) {
    case CM_FORTRAN_EXP:
        return norm_of(made) * 2 * expm1(a->bound) + own;
    case CM_FORTRAN_LOG:
    case CM_FORTRAN_LOG10:
        if (exact)
            return own;
        return is_complex(a->type) || !(real_of(a) > a->bound)
                   ? INFINITY
                   : log(real_of(a) / (real_of(a) - a->bound)) + own;
    case CM_FORTRAN_SIN:
    case CM_FORTRAN_COS:
    case CM_FORTRAN_TAN:
        return bound_angle(intrinsic, a, made);
    case CM_FORTRAN_COSH:
    case CM_FORTRAN_SINH:
        return (norm_of(made) + 1) * 2 * expm1(a->bound) + own;
    case CM_FORTRAN_ACOS:
    case CM_FORTRAN_ASIN:
        return bound_arc(a) + own;
    case CM_FORTRAN_ATAN:
    case CM_FORTRAN_TANH:
        return a->bound + own;
    case CM_FORTRAN_ATAN2:
        exact = exact && args[1].bound == 0 && norm_of(a) <= ATAN2_MAX &&
                norm_of(&args[1]) <= ATAN2_MAX;
        return exact ? own : INFINITY;
    default:
        return exact ? own : INFINITY;
    }
}

static double bound_choice(const struct cm_fortran_expression *call,
                           const struct cm_fortran_point *args)
{
    double most = 0;
    for (uint32_t i = 0; i < call->count; i++)
        if (call->args[i] != NULL)
            most = fmax(most, args[i].bound);
    return most;
}

static double bound_intrinsic(const struct cm_fortran_expression *call,
                              const struct cm_fortran_point *args,
                              const struct cm_fortran_point *made)
{
    switch (call->intrinsic) {
    case CM_FORTRAN_ABS:
        return bound_absolute(&args[0], made);
    case CM_FORTRAN_SQRT:
        return bound_root(&args[0], made);
    case CM_FORTRAN_REAL:
    case CM_FORTRAN_AIMAG:
    case CM_FORTRAN_CONJG:
    case CM_FORTRAN_CMPLX:
        return rounded(made, bound_choice(call, args));
    case CM_FORTRAN_MAX:
    case CM_FORTRAN_MIN:
        return bound_choice(call, args);
    case CM_FORTRAN_MERGE:
        return args[2].bound > 0 ? INFINITY : fmax(args[0].bound, args[1].bound);
    case CM_FORTRAN_SIGN:
        return args[1].bound > 0 ? INFINITY : args[0].bound;
    case CM_FORTRAN_DIM:
        return rounded(made, args[0].bound + args[1].bound);
    default:
        if (cm_fortran_is_routine(call))
            return bound_routine(call->intrinsic, args, made);
        return any_if(bound_choice(call, args) > 0);
    }
}

double cm_fortran_bound(const struct cm_fortran_expression *expression,
                        const struct cm_fortran_point *args, const struct cm_fortran_point *made)
{
    double bound =
        expression->kind == CM_FORTRAN_OPERATION ? bound_operation(expression, args, made)
        : expression->kind == CM_FORTRAN_CONVERT ? bound_conversion(&args[0], made)
                                                 : bound_intrinsic(expression, args, made);
    return isnan(bound) ? INFINITY : bound;
}
