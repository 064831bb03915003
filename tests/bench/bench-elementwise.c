/*
 * Array statements: cycles an element next to those of its loads, stores and operations, and how
 * fast the simulator runs them with data: the tables of docs/programs/elementwise.md. It is a
 * benchmark and fails only when something cannot be run.
 *
 *   bench elementwise [--machine FILE] [--nodes N] [--threads N] [--only "NAME [TYPE [SIZE]]"]
 *                     [--timing-only]
 */
#include "../../programs/elementwise/elementwise.h"
#include "../harness/program.h"
#include "bench.h"

#include <inttypes.h>
#include <string.h>

#define ARRAYS 5u

typedef void (*statement_builder)(struct cm_expression *e, enum cm_type type);

static uint32_t x(struct cm_expression *e, uint32_t number, enum cm_type type)
{
    return cm_expression_array(e, number, type);
}

static uint32_t op(struct cm_expression *e, enum cm_expression_op which, uint32_t a, uint32_t b)
{
    return cm_expression_node(e, which, a, b, 0);
}

/* a0 = a1 + a2 */
static void add(struct cm_expression *e, enum cm_type type)
{
    cm_expression_assign(e, 0, op(e, CM_EXPRESSION_ADD, x(e, 1, type), x(e, 2, type)), 0);
}

/* a0 = s * a1 + a0 */
static void axpy(struct cm_expression *e, enum cm_type type)
{
    const uint32_t s = cm_expression_scalar(e, 0, type);
    const uint32_t product = op(e, CM_EXPRESSION_MULTIPLY, s, x(e, 1, type));
    cm_expression_assign(e, 0, op(e, CM_EXPRESSION_ADD, product, x(e, 0, type)), 0);
}

/* a0 = s * (a1 + a2 + a3 + a4) */
static void mean(struct cm_expression *e, enum cm_type type)
{
    uint32_t sum = x(e, 1, type);
    for (uint32_t k = 2; k < ARRAYS; k++)
        sum = op(e, CM_EXPRESSION_ADD, sum, x(e, k, type));
    const uint32_t s = cm_expression_scalar(e, 0, type);
    cm_expression_assign(e, 0, op(e, CM_EXPRESSION_MULTIPLY, s, sum), 0);
}

/* a0 = sqrt(a1 ** 2 + a2 ** 2) where a1 > 0 */
static void masked(struct cm_expression *e, enum cm_type type)
{
    const uint32_t a = x(e, 1, type), b = x(e, 2, type);
    const uint32_t sum = op(e, CM_EXPRESSION_ADD, op(e, CM_EXPRESSION_MULTIPLY, a, a),
                            op(e, CM_EXPRESSION_MULTIPLY, b, b));
    const uint32_t mask = op(e, CM_EXPRESSION_GREATER, a, cm_expression_number(e, type, 0));
    cm_expression_assign(e, 0, op(e, CM_EXPRESSION_SQRT, sum, 0), mask);
}

/* Three statements: a3 = a1 + a2; a4 = a1 - a2; a0 = a3 * a4 */
static void three(struct cm_expression *e, enum cm_type type)
{
    cm_expression_assign(e, 3, op(e, CM_EXPRESSION_ADD, x(e, 1, type), x(e, 2, type)), 0);
    cm_expression_assign(e, 4, op(e, CM_EXPRESSION_SUBTRACT, x(e, 1, type), x(e, 2, type)), 0);
    cm_expression_assign(e, 0, op(e, CM_EXPRESSION_MULTIPLY, x(e, 3, type), x(e, 4, type)), 0);
}

static void one(struct cm_expression *e, enum cm_type type, enum cm_expression_op which)
{
    cm_expression_assign(e, 0, op(e, which, x(e, 1, type), 0), 0);
}

static void two(struct cm_expression *e, enum cm_type type, enum cm_expression_op which)
{
    cm_expression_assign(e, 0, op(e, which, x(e, 1, type), x(e, 2, type)), 0);
}

#define ONE(name, symbol)                                                                          \
    static void name(struct cm_expression *e, enum cm_type type)                                   \
    {                                                                                              \
        one(e, type, CM_EXPRESSION_##symbol);                                                      \
    }
#define TWO(name, symbol)                                                                          \
    static void name(struct cm_expression *e, enum cm_type type)                                   \
    {                                                                                              \
        two(e, type, CM_EXPRESSION_##symbol);                                                      \
    }
ONE(exponential, EXP)
ONE(logarithm, LOG)
ONE(sine, SIN)
ONE(cosine, COS)
ONE(tangent, TAN)
ONE(arctangent, ATAN)
ONE(hyperbolic_sine, SINH)
ONE(hyperbolic_cosine, COSH)
ONE(hyperbolic_tangent, TANH)
ONE(arcsine, ASIN)
ONE(arccosine, ACOS)
ONE(logarithm10, LOG10)
TWO(arctangent2, ATAN2)
TWO(power, POWER)
TWO(quotient, DIVIDE)
TWO(remainder_of, MOD)

static const struct {
    const char *name;
    statement_builder build;
} statements[] = {
    {"a+b", add},
    {"s*a+b", axpy},
    {"s*(a+b+c+d)", mean},
    {"masked-root", masked},
    {"three", three},
    {"a/b", quotient},
    {"mod", remainder_of},
    {"exp", exponential},
    {"log", logarithm},
    {"sin", sine},
    {"cos", cosine},
    {"tan", tangent},
    {"atan", arctangent},
    {"sinh", hyperbolic_sine},
    {"cosh", hyperbolic_cosine},
    {"tanh", hyperbolic_tangent},
    {"asin", arcsine},
    {"acos", arccosine},
    {"log10", logarithm10},
    {"atan2", arctangent2},
    {"a**b", power},
};

struct options {
    const char *machine, *only;
    uint32_t nodes, threads;
    bool timing_only;
};

/* A statement on arrays of `elements` a node. */
struct bench {
    struct cm_system *system;
    struct cm_array *arrays[ARRAYS];
    struct cm_expression *expression;
    struct cm_scalar scalar;
};

static void bench_open(struct bench *bench, const struct cm_config *config, statement_builder build,
                       enum cm_type type, uint64_t elements, const struct options *options)
{
    struct cm_error err;
    struct cm_machine_options machine = {
        .nodes = options->nodes, .threads = options->threads, .timing_only = options->timing_only};
    struct cm_layout_request request = {
        .type = type, .rank = 1, .shape = {elements * options->nodes}, .weights = {1}};
    struct cm_layout layout;
    machine.working_words = elements * ARRAYS * cm_type_slices(type);
    stop(cm_system_create(config, &machine, &bench->system, &err), &err);
    stop(cm_layout_create(&request, options->nodes, &layout, &err), &err);
    for (uint32_t k = 0; k < ARRAYS; k++)
        stop(cm_array_create(bench->system, "array", &layout, &bench->arrays[k], &err), &err);
    bench->expression = cm_expression_create();
    bench->scalar = cm_scalar_make(type, 0.25, 0);
    if (bench->expression)
        build(bench->expression, type);
}

static void bench_close(struct bench *bench)
{
    cm_expression_destroy(bench->expression);
    for (uint32_t k = 0; k < ARRAYS; k++)
        cm_array_destroy(bench->system, bench->arrays[k]);
    cm_system_destroy(bench->system);
}

static void call(struct bench *bench)
{
    struct cm_error err;
    stop(cm_elementwise_call(
             bench->system, bench->expression,
             &(struct cm_elementwise_arguments){bench->arrays, ARRAYS, &bench->scalar, 1}, &err),
         &err);
}

static uint64_t cycles_of(const struct bench *bench)
{
    return cm_machine_counters(cm_system_machine(bench->system)).cycles;
}

/* Simulated over real time, of the fastest call in a fifth of a second or more. */
static double real_time(struct bench *bench, const struct cm_config *config)
{
    const uint64_t before = cycles_of(bench);
    const double begin = now_seconds();
    double fastest = 1e9, last = begin;
    uint32_t calls = 0;
    for (; last - begin < 0.2 || calls < 3; calls++) {
        call(bench);
        const double now = now_seconds();
        fastest = now - last < fastest ? now - last : fastest;
        last = now;
    }
    const double cycles = (double)(cycles_of(bench) - before) / calls;
    return cycles / (double)config->clock_hz / fastest;
}

static void run(const struct cm_config *config, size_t which, enum cm_type type, uint64_t elements,
                const struct options *options)
{
    struct cm_elementwise_info info;
    struct cm_error err;
    struct bench bench;
    bench_open(&bench, config, statements[which].build, type, elements, options);
    stop(cm_elementwise_explain(bench.system, bench.expression,
                                &(struct cm_elementwise_arguments){bench.arrays, ARRAYS, NULL, 0},
                                &info, &err),
         &err);
    call(&bench);
    const uint64_t before = cycles_of(&bench);
    call(&bench);
    const double cycles = (double)(cycles_of(&bench) - before);
    const double body = cycles - (double)config->front_end_imp_start_cycles;
    const double count = (double)elements;
    printf("%-12s %-6s %5" PRIu64 " %7.2f %7.2f %5.2f %8.2f %5.1f %5.1f %6.1f %3u %4u %6" PRIu64
           " %3u",
           statements[which].name, cm_type_name(type), elements, info.cycles, body / count,
           body / count / info.cycles, cycles / count, info.loads, info.stores, info.operations,
           info.vector, info.unrolled, info.sram_words, info.spills);
    if (!options->timing_only)
        printf(" %7.2f", real_time(&bench, config));
    printf("\n");
    fflush(stdout);
    bench_close(&bench);
}

static struct options parse(int argc, char **argv)
{
    struct options options = {.machine = "configs/cm200.json", .nodes = 2048, .threads = 2};
    const struct test_option known[] = {{"timing-only", .flag = &options.timing_only},
                                        {"machine", .text = &options.machine},
                                        {"nodes", .count = &options.nodes},
                                        {"threads", .count = &options.threads},
                                        {"only", .text = &options.only},
                                        {.name = NULL}};
    options_read(argc, argv, known);
    return options;
}

/* True when the row's name begins with the words of --only. */
static bool wanted(const struct options *options, size_t which, enum cm_type type,
                   uint64_t elements)
{
    char name[64];
    const size_t length = options->only ? strlen(options->only) : 0;
    snprintf(name, sizeof name, "%s %s %" PRIu64, statements[which].name, cm_type_name(type),
             elements);
    return length == 0 || (strncmp(name, options->only, length) == 0 &&
                           (name[length] == ' ' || name[length] == 0));
}

CM_PROGRAM(elementwise)
{
    static const uint64_t sizes[] = {16, 64, 256, 1024};
    struct options options = parse(argc, argv);
    struct cm_config config;
    struct cm_error err;
    stop(cm_config_read(options.machine, &config, &err), &err);
    printf("%" PRIu32 " nodes; elements a node; cycles an element: of loads, stores and "
           "operations, of the IMP's body and its ratio to these, with the start of the IMP\n"
           "statement    type    size   bound    body ratio    whole loads stores   ops vec unrl   "
           "SRAM spl%s\n",
           options.nodes, options.timing_only ? "" : " real-time");
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
        for (int wide = 0; wide < 2; wide++)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
                if (wanted(&options, i, wide ? CM_TYPE_REAL64 : CM_TYPE_REAL32, sizes[s]))
                    run(&config, i, wide ? CM_TYPE_REAL64 : CM_TYPE_REAL32, sizes[s], &options);
    return 0;
}
