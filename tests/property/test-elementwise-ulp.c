/*
 * EXP and the other routines, powers, complex magnitudes and square roots against the host's
 * library, over the ranges that docs/programs/elementwise.md states: the greatest error in units of
 * the last place, and special cases. Prints TAP.
 *
 *   property elementwise-ulp [--machine FILE] [--cases N] [--seed S]
 *
 * N thousands of arguments for each function and type.
 */
#include "../../programs/elementwise/elementwise.h"
#include "../harness/program.h"
#include "../harness/tap.h"
#include "random.h"

#include <complex.h>
#include <float.h>
#include <math.h>

#define NODES 1024u

/* Where arguments come from: uniform in an interval, or of any size between two, of either sign. */
struct range {
    bool by_size, positive;
    double low, high;
};

/* The results that one call gives, of one element. */
typedef double (*expected_function)(double x, double y, bool single);

enum part { REAL_ONLY, WHOLE, REAL_PART, IMAGINARY_PART };

struct function {
    const char *name;
    enum cm_expression_op op;
    expected_function expected;
    struct range x[2], y; /* of 32 and of 64 bits */
    bool has_y;
    double ulps[2]; /* allowed */
    enum part part; /* of what the operation makes of x + iy; REAL_ONLY: of x, and y */
};

#define LIBM1(name)                                                                                \
    static double of_##name(double x, double y, bool single)                                       \
    {                                                                                              \
        (void)y;                                                                                   \
        return single ? (double)name##f((float)x) : name(x);                                       \
    }
#define LIBM2(name)                                                                                \
    static double of_##name(double x, double y, bool single)                                       \
    {                                                                                              \
        return single ? (double)name##f((float)x, (float)y) : name(x, y);                          \
    }
LIBM1(exp)
LIBM1(log)
LIBM1(sin)
LIBM1(cos)
LIBM1(tan)
LIBM1(atan)
LIBM1(sinh)
LIBM1(cosh)
LIBM1(tanh)
LIBM1(asin)
LIBM1(acos)
LIBM1(log10)
LIBM2(atan2)
LIBM2(pow)
LIBM2(hypot)

static double _Complex root_of(double x, double y, bool single)
{
    const float singles[2] = {(float)x, (float)y};
    const double doubles[2] = {x, y};
    float _Complex short_z;
    double _Complex z;
    memcpy(&short_z, singles, sizeof short_z);
    memcpy(&z, doubles, sizeof z);
    return single ? (double _Complex)csqrtf(short_z) : csqrt(z);
}
static double of_root_re(double x, double y, bool single)
{
    return creal(root_of(x, y, single));
}
static double of_root_im(double x, double y, bool single)
{
    return cimag(root_of(x, y, single));
}

static const struct function functions[] = {
    {"exp",
     CM_EXPRESSION_EXP,
     of_exp,
     {{0, 0, -104, 89}, {0, 0, -746, 710}},
     {0},
     0,
     {1, 1},
     REAL_ONLY},
    {"exp near 0",
     CM_EXPRESSION_EXP,
     of_exp,
     {{1, 0, 1e-30, 1}, {1, 0, 1e-300, 1}},
     {0},
     0,
     {1, 1},
     REAL_ONLY},
    {"log",
     CM_EXPRESSION_LOG,
     of_log,
     {{1, 1, 1e-45, 3e38}, {1, 1, 5e-324, 1e308}},
     {0},
     0,
     {1, 1},
     REAL_ONLY},
    {"log near 1",
     CM_EXPRESSION_LOG,
     of_log,
     {{0, 1, 0.5, 2}, {0, 1, 0.5, 2}},
     {0},
     0,
     {1, 1},
     REAL_ONLY},
    {"sin",
     CM_EXPRESSION_SIN,
     of_sin,
     {{0, 0, -1e6, 1e6}, {0, 0, -1e6, 1e6}},
     {0},
     0,
     {1, 1},
     REAL_ONLY},
    {"sin near 0",
     CM_EXPRESSION_SIN,
     of_sin,
     {{1, 0, 1e-40, 10}, {1, 0, 1e-310, 10}},
     {0},
     0,
     {1, 1},
     REAL_ONLY},
    {"cos",
     CM_EXPRESSION_COS,
     of_cos,
     {{0, 0, -1e6, 1e6}, {0, 0, -1e6, 1e6}},
     {0},
     0,
     {1, 1},
     REAL_ONLY},
    {"cos near 0",
     CM_EXPRESSION_COS,
     of_cos,
     {{0, 0, -5, 5}, {0, 0, -5, 5}},
     {0},
     0,
     {1, 1},
     REAL_ONLY},
    {"tan",
     CM_EXPRESSION_TAN,
     of_tan,
     {{0, 0, -1e6, 1e6}, {0, 0, -1e6, 1e6}},
     {0},
     0,
     {1, 2},
     REAL_ONLY},
    {"tan near 0",
     CM_EXPRESSION_TAN,
     of_tan,
     {{1, 0, 1e-40, 10}, {1, 0, 1e-310, 10}},
     {0},
     0,
     {1, 2},
     REAL_ONLY},
    {"atan",
     CM_EXPRESSION_ATAN,
     of_atan,
     {{1, 0, 1e-40, 1e38}, {1, 0, 1e-310, 1e308}},
     {0},
     0,
     {1, 1},
     REAL_ONLY},
    {"atan to 3",
     CM_EXPRESSION_ATAN,
     of_atan,
     {{0, 0, -3, 3}, {0, 0, -3, 3}},
     {0},
     0,
     {1, 1},
     REAL_ONLY},
    {"sinh",
     CM_EXPRESSION_SINH,
     of_sinh,
     {{0, 0, -89.4, 89.4}, {0, 0, -710.4, 710.4}},
     {0},
     0,
     {2, 2},
     REAL_ONLY},
    {"sinh near 0",
     CM_EXPRESSION_SINH,
     of_sinh,
     {{1, 0, 1e-40, 10}, {1, 0, 1e-310, 10}},
     {0},
     0,
     {2, 2},
     REAL_ONLY},
    {"cosh",
     CM_EXPRESSION_COSH,
     of_cosh,
     {{0, 0, -89.4, 89.4}, {0, 0, -710.4, 710.4}},
     {0},
     0,
     {2, 2},
     REAL_ONLY},
    {"cosh near 0",
     CM_EXPRESSION_COSH,
     of_cosh,
     {{1, 0, 1e-10, 10}, {1, 0, 1e-10, 10}},
     {0},
     0,
     {2, 2},
     REAL_ONLY},
    {"tanh",
     CM_EXPRESSION_TANH,
     of_tanh,
     {{1, 0, 1e-40, 30}, {1, 0, 1e-310, 30}},
     {0},
     0,
     {2, 2},
     REAL_ONLY},
    {"tanh to 3",
     CM_EXPRESSION_TANH,
     of_tanh,
     {{0, 0, -3, 3}, {0, 0, -3, 3}},
     {0},
     0,
     {2, 2},
     REAL_ONLY},
    {"asin",
     CM_EXPRESSION_ASIN,
     of_asin,
     {{0, 0, -1, 1}, {0, 0, -1, 1}},
     {0},
     0,
     {1, 1},
     REAL_ONLY},
    {"asin near 0",
     CM_EXPRESSION_ASIN,
     of_asin,
     {{1, 0, 1e-40, 1}, {1, 0, 1e-310, 1}},
     {0},
     0,
     {1, 1},
     REAL_ONLY},
    {"acos",
     CM_EXPRESSION_ACOS,
     of_acos,
     {{0, 0, -1, 1}, {0, 0, -1, 1}},
     {0},
     0,
     {1, 1},
     REAL_ONLY},
    {"acos near 1",
     CM_EXPRESSION_ACOS,
     of_acos,
     {{0, 0, 0.9999, 1}, {0, 0, 0.999999, 1}},
     {0},
     0,
     {1, 1},
     REAL_ONLY},
    {"log10",
     CM_EXPRESSION_LOG10,
     of_log10,
     {{1, 1, 1e-45, 3e38}, {1, 1, 5e-324, 1e308}},
     {0},
     0,
     {2, 2},
     REAL_ONLY},
    {"log10 near 1",
     CM_EXPRESSION_LOG10,
     of_log10,
     {{0, 1, 0.5, 2}, {0, 1, 0.5, 2}},
     {0},
     0,
     {2, 2},
     REAL_ONLY},
    {"atan2",
     CM_EXPRESSION_ATAN2,
     of_atan2,
     {{0, 0, -100, 100}, {0, 0, -100, 100}},
     {0, 0, -100, 100},
     1,
     {1, 2},
     REAL_ONLY},
    {"power",
     CM_EXPRESSION_POWER,
     of_pow,
     {{1, 1, 1e-6, 1e6}, {1, 1, 1e-15, 1e15}},
     {0, 0, -20, 20},
     1,
     {1, 2},
     REAL_ONLY},
    {"power of nearly 1",
     CM_EXPRESSION_POWER,
     of_pow,
     {{0, 1, 0.9, 1.1}, {0, 1, 0.9, 1.1}},
     {0, 0, -800, 800},
     1,
     {1, 2},
     REAL_ONLY},
    {"complex abs",
     CM_EXPRESSION_ABS,
     of_hypot,
     {{1, 0, 1e-30, 1e30}, {1, 0, 1e-3, 1e3}},
     {1, 0, 1e-3, 1e3},
     1,
     {1, 2},
     WHOLE},
    {"complex sqrt, real part",
     CM_EXPRESSION_SQRT,
     of_root_re,
     {{1, 0, 1e-6, 1e6}, {1, 0, 1e-6, 1e6}},
     {1, 0, 1e-6, 1e6},
     1,
     {2, 4},
     REAL_PART},
    {"complex sqrt, imaginary part",
     CM_EXPRESSION_SQRT,
     of_root_im,
     {{1, 0, 1e-6, 1e6}, {1, 0, 1e-6, 1e6}},
     {1, 0, 1e-6, 1e6},
     1,
     {2, 4},
     IMAGINARY_PART},
};
#define FUNCTIONS (sizeof functions / sizeof functions[0])

static double draw(struct cm_random *r, const struct range *range)
{
    const double unit = (double)(cm_random_next(r) >> 11) * 0x1p-53;
    if (!range->by_size)
        return range->low + unit * (range->high - range->low);
    const double size = exp(log(range->low) + unit * (log(range->high) - log(range->low)));
    return !range->positive && cm_random_below(r, 2) ? -size : size;
}

/* The distance in units of the last place of the expected number. */
static double distance(double found, double expected, bool single)
{
    if ((isnan(found) && isnan(expected)) ||
        (found == expected && (found != 0 || signbit(found) == signbit(expected))))
        return 0;
    if (!isfinite(found) || !isfinite(expected))
        return INFINITY;
    int exponent;
    (void)frexp(expected, &exponent);
    const int least = single ? FLT_MIN_EXP : DBL_MIN_EXP;
    exponent = exponent < least ? least : exponent;
    const double apart = fabs(found - expected) / 2; /* halved, so as not to vanish below */
    return ldexp(apart, 1 - exponent + (single ? FLT_MANT_DIG : DBL_MANT_DIG));
}

struct machine {
    struct cm_system *system;
    struct cm_array *arrays[3]; /* result, x, y */
    uint64_t elements;
    bool single;
    double *x, *y, *found;
};

static bool put(struct machine *m, uint32_t array, const double *values)
{
    struct cm_error err;
    float *singles = malloc(m->elements * sizeof *singles);
    for (uint64_t i = 0; i < m->elements; i++)
        singles[i] = (float)values[i];
    const bool good = cm_array_scatter(m->system, m->arrays[array],
                                       m->single ? (const void *)singles : values, &err) == CM_OK;
    free(singles);
    return good;
}

static bool machine_init(struct machine *m, const struct cm_config *config, bool single,
                         uint64_t elements)
{
    const struct cm_machine_options options = {.nodes = NODES, .threads = 1};
    const struct cm_layout_request request = {.type = single ? CM_TYPE_REAL32 : CM_TYPE_REAL64,
                                              .rank = 1,
                                              .shape = {elements},
                                              .weights = {1}};
    struct cm_layout layout;
    struct cm_error err;
    bool good = cm_layout_create(&request, NODES, &layout, &err) == CM_OK &&
                cm_system_create(config, &options, &m->system, &err) == CM_OK;
    m->elements = elements;
    m->single = single;
    for (uint32_t k = 0; good && k < 3; k++)
        good = cm_array_create(m->system, "array", &layout, &m->arrays[k], &err) == CM_OK;
    m->x = malloc(elements * sizeof *m->x);
    m->y = malloc(elements * sizeof *m->y);
    m->found = malloc(elements * sizeof *m->found);
    return good;
}

static void machine_finish(struct machine *m)
{
    for (uint32_t k = 0; k < 3; k++)
        cm_array_destroy(m->system, m->arrays[k]);
    cm_system_destroy(m->system);
    free(m->x);
    free(m->y);
    free(m->found);
}

/* x and y, rounded to the type, through the operation on the machine. */
static uint32_t node_of(struct cm_expression *e, const struct function *function, enum cm_type type)
{
    const uint32_t x = cm_expression_array(e, 1, type);
    const uint32_t y = function->has_y ? cm_expression_array(e, 2, type) : 0;
    if (function->part == REAL_ONLY)
        return cm_expression_node(e, function->op, x, y, 0);
    const uint32_t z = cm_expression_node(e, CM_EXPRESSION_CMPLX, x, y, 0);
    const uint32_t result = cm_expression_node(e, function->op, z, 0, 0);
    if (function->part == IMAGINARY_PART)
        return cm_expression_node(e, CM_EXPRESSION_AIMAG, result, 0, 0);
    return cm_expression_convert(e, result, type);
}

static bool compute(struct machine *m, const struct function *function)
{
    const enum cm_type type = m->single ? CM_TYPE_REAL32 : CM_TYPE_REAL64;
    struct cm_expression *e = cm_expression_create();
    struct cm_error err;
    for (uint64_t i = 0; m->single && i < m->elements; i++) {
        m->x[i] = (float)m->x[i];
        m->y[i] = (float)m->y[i];
    }
    cm_expression_assign(e, 0, node_of(e, function, type), 0);
    bool good =
        put(m, 1, m->x) && put(m, 2, m->y) &&
        cm_elementwise_call(m->system, e, &(struct cm_elementwise_arguments){m->arrays, 3, NULL, 0},
                            &err) == CM_OK &&
        cm_array_gather(m->system, m->arrays[0], m->found, &err) == CM_OK;
    for (uint64_t i = m->elements; good && m->single && i-- > 0;) {
        float single;
        memcpy(&single, (const char *)m->found + i * sizeof single, sizeof single);
        m->found[i] = single;
    }
    cm_expression_destroy(e);
    return good;
}

static bool test_function(struct machine *m, const struct function *function,
                          struct cm_random *random)
{
    const bool single = m->single;
    double worst = 0;
    uint64_t at = 0;
    for (uint64_t i = 0; i < m->elements; i++) {
        m->x[i] = draw(random, &function->x[!single]);
        m->y[i] = function->has_y ? draw(random, &function->y) : 0;
    }
    if (!compute(m, function))
        return false;
    for (uint64_t i = 0; i < m->elements; i++) {
        const double expected = function->expected(m->x[i], m->y[i], single);
        const double ulps = distance(m->found[i], expected, single);
        if (ulps > worst) {
            worst = ulps;
            at = i;
        }
    }
    printf("# %s, %d bits: %.3f ulp", function->name, single ? 32 : 64, worst);
    printf(function->has_y ? ", at %.17g, %.17g\n" : ", at %.17g\n", m->x[at], m->y[at]);
    if (worst > function->ulps[!single])
        printf("# found %.17g, expected %.17g\n", m->found[at],
               function->expected(m->x[at], m->y[at], single));
    return worst <= function->ulps[!single];
}

static bool test_functions(const struct cm_config *config, bool single,
                           const struct tap_options *options)
{
    struct cm_random random = cm_random_of_case(options->seed, single);
    struct machine m = {0};
    bool good = machine_init(&m, config, single, options->cases * 1000);
    for (size_t i = 0; i < FUNCTIONS; i++)
        good = test_function(&m, &functions[i], &random) && good;
    machine_finish(&m);
    return good;
}

/* Every pair of these. */
static const double specials[] = {0.0, -0.0, 1.0,  -1.0,  2.0,      -2.0,      0.5, -0.5,
                                  3.0, -3.0, 1e30, -1e30, INFINITY, -INFINITY, NAN};
#define SPECIALS (sizeof specials / sizeof specials[0])

/* What C's pow gives and ours does not: -1 to an infinite power is 1 there, and NaN here. */
static bool is_exception(const struct function *function, double x, double y)
{
    if (function->op == CM_EXPRESSION_SQRT) /* infinite and NaN parts: not promised */
        return !isfinite(x) || !isfinite(y);
    return function->op == CM_EXPRESSION_POWER && x == -1 && isinf(y);
}

static bool test_specials(const struct cm_config *config, bool single)
{
    struct machine m = {0};
    bool good = machine_init(&m, config, single, SPECIALS * SPECIALS);
    for (size_t f = 0; good && f < FUNCTIONS; f++) {
        const struct function *function = &functions[f];
        const bool circular = function->op == CM_EXPRESSION_SIN ||
                              function->op == CM_EXPRESSION_COS ||
                              function->op == CM_EXPRESSION_TAN;
        for (size_t i = 0; i < SPECIALS * SPECIALS; i++) {
            m.x[i] = specials[i % SPECIALS];
            m.y[i] = specials[i / SPECIALS];
            if (circular && fabs(m.x[i]) > 1e6 && isfinite(m.x[i]))
                m.x[i] = 1; /* out of the range */
        }
        good = compute(&m, function);
        for (size_t i = 0; good && i < SPECIALS * SPECIALS; i++) {
            const double expected = function->expected(m.x[i], m.y[i], single);
            good = distance(m.found[i], expected, single) <= function->ulps[!single] ||
                   is_exception(function, m.x[i], m.y[i]);
            if (!good)
                printf("# %s(%g, %g), %d bits: %.17g, expected %.17g\n", function->name, m.x[i],
                       m.y[i], single ? 32 : 64, m.found[i], expected);
        }
    }
    machine_finish(&m);
    return good;
}

CM_PROGRAM(elementwise_ulp)
{
    struct cm_config config;
    struct tap_options options = {.machine = TAP_MACHINE, .cases = 200, .seed = 1};
    tap_options_read(argc, argv, &options, NULL);
    tap_config_read(&options, &config);
    printf("1..4\n");
    tap_report(1, test_functions(&config, true, &options), "32 bits: close to the host's library");
    tap_report(2, test_functions(&config, false, &options), "64 bits: close to the host's library");
    tap_report(3, test_specials(&config, true), "32 bits: zeros, infinities, NaNs");
    tap_report(4, test_specials(&config, false), "64 bits: zeros, infinities, NaNs");
    return 0; /* TAP reports failures */
}
