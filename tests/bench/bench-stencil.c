/*
 * Stencils: cycles a result next to the lower bound, and next to the same statement by PSHIFT and
 * by CSHIFT: the tables of docs/programs/stencil.md. With --data, also how fast the simulator runs
 * them. It is a benchmark and fails only when something cannot be run.
 *
 *   bench stencil [--machine FILE] [--nodes N] [--data] [--threads N] [--seconds S]
 *                 [--only "NAME [TYPE [COEFFICIENTS [LENGTH]]]"]
 *
 * --data: also with smaller subgrids, without the shifts; the real-time factor is that of the
 * fastest call in that many seconds, or a fifth of one.
 */
#include "../../programs/stencil/stencil_shifts.h"
#include "../harness/program.h"
#include "bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct shape {
    const char *name;
    uint32_t rank;
    int64_t reach;   /* along an axis */
    int64_t sum;     /* of the offsets' sizes, at most; 0: a star */
    uint64_t length; /* of the subgrid along each axis */
    bool small;      /* only with --data */
};

static const struct shape shapes[] = {
    {"5", 2, 1, 1, 64, false},       {"5", 2, 1, 1, 256, false},      {"7", 3, 1, 1, 16, false},
    {"7", 3, 1, 1, 32, false},       {"9", 2, 1, 2, 64, false},       {"9", 2, 1, 2, 256, false},
    {"9-star", 2, 2, 0, 64, false},  {"9-star", 2, 2, 0, 256, false}, {"13", 2, 2, 2, 64, false},
    {"13-star", 3, 2, 0, 16, false}, {"27", 3, 1, 3, 16, false},      {"27", 3, 1, 3, 32, false},
    {"5", 2, 1, 1, 4, true},         {"5", 2, 1, 1, 16, true},        {"27", 3, 1, 3, 3, true},
    {"27", 3, 1, 3, 4, true},        {"27", 3, 1, 3, 8, true},
};

struct options {
    const char *machine, *only;
    uint32_t nodes;
    bool data;
    uint32_t threads;
    double seconds; /* in which a row is called */
};

/* A source and a destination on a machine. */
struct bench {
    struct cm_system *system;
    struct cm_layout layout;
    struct cm_array *arrays[2];
    struct cm_stencil_pattern pattern;
    struct cm_stencil_arguments arguments;
};

static bool belongs(const struct shape *shape, const int64_t *offset)
{
    int64_t sum = 0;
    uint32_t axes = 0;
    for (uint32_t a = 0; a < shape->rank; a++) {
        sum += llabs(offset[a]);
        axes += offset[a] != 0;
    }
    return shape->sum == 0 ? axes <= 1 : sum <= shape->sum;
}

/* Coefficients: one for all elements at one distance, or one for each element. */
static void make_pattern(const struct shape *shape, bool distinct,
                         struct cm_stencil_pattern *pattern)
{
    int64_t offset[CM_STENCIL_RANK_MAX] = {0};
    memset(pattern, 0, sizeof *pattern);
    for (uint32_t a = 0; a < shape->rank; a++)
        offset[a] = -shape->reach;
    for (;;) {
        struct cm_stencil_term *term = &pattern->terms[pattern->term_count];
        memcpy(term->offset, offset, sizeof offset);
        for (uint32_t a = 0; a < shape->rank; a++)
            term->coefficient += (uint32_t)(offset[a] * offset[a]);
        if (distinct)
            term->coefficient = pattern->term_count;
        if (belongs(shape, offset))
            pattern->term_count++;
        else
            memset(term, 0, sizeof *term);
        uint32_t a = 0;
        while (a < shape->rank && ++offset[a] > shape->reach)
            offset[a++] = -shape->reach;
        if (a == shape->rank)
            return;
    }
}

static void bench_open(struct bench *bench, const struct cm_config *config,
                       const struct shape *shape, enum cm_type type, const struct options *options)
{
    struct cm_error err;
    struct cm_machine_options machine = {
        .nodes = options->nodes, .threads = options->threads, .timing_only = !options->data};
    struct cm_layout_request request = {.type = type, .rank = shape->rank};
    uint32_t bits = (uint32_t)__builtin_ctz(options->nodes);
    memset(bench, 0, sizeof *bench);
    for (uint32_t a = 0; a < shape->rank; a++) {
        uint32_t share = (bits + shape->rank - a - 1) / (shape->rank - a);
        request.shape[a] = shape->length << share;
        request.weights[a] = 1;
        bits -= share;
    }
    stop(cm_system_create(config, &machine, &bench->system, &err), &err);
    stop(cm_layout_create(&request, options->nodes, &bench->layout, &err), &err);
    for (uint32_t i = 0; i < 2; i++)
        stop(cm_array_create(bench->system, i == 0 ? "src" : "dst", &bench->layout,
                             &bench->arrays[i], &err),
             &err);
    bench->arguments.sources[0] = bench->arrays[0];
    bench->arguments.dst = bench->arrays[1];
}

static void bench_close(struct bench *bench)
{
    for (uint32_t i = 0; i < 2; i++)
        cm_array_destroy(bench->system, bench->arrays[i]);
    cm_system_destroy(bench->system);
}

static uint64_t cycles_of(const struct bench *bench)
{
    return cm_machine_counters(cm_system_machine(bench->system)).cycles;
}

/* Cycles of the statement by shifted copies; 0 when these do not fit the node's memory. */
static uint64_t by_shifts(struct bench *bench, enum cm_stencil_by by)
{
    struct cm_error err;
    struct cm_stencil_shifts *shifts;
    uint64_t before = cycles_of(bench);
    enum cm_status status =
        cm_stencil_shifts_setup(bench->system, &bench->layout, &bench->pattern, by, &shifts, &err);
    if (status == CM_BAD_INPUT)
        return 0;
    stop(status, &err);
    stop(cm_stencil_shifts_call(bench->system, shifts, &bench->arguments, &err), &err);
    cm_stencil_shifts_deallocate(bench->system, shifts);
    return cycles_of(bench) - before;
}

/* Seconds of the host for the fastest call. */
static double seconds_of(struct bench *bench, const struct cm_stencil *stencil, double seconds)
{
    struct cm_error err;
    const double begin = now_seconds();
    double fastest = 1e9, last = begin;
    for (uint32_t calls = 0; last - begin < seconds || calls < 3; calls++) {
        stop(cm_stencil_call(bench->system, stencil, &bench->arguments, &err), &err);
        const double now = now_seconds();
        fastest = now - last < fastest ? now - last : fastest;
        last = now;
    }
    return fastest;
}

/* Cycles by shifts, and how many times longer they take; a dash without memory for the copies. */
static void print_shifts(uint64_t cycles, uint64_t call)
{
    if (cycles == 0)
        printf(" %9s %6s", "-", "-");
    else
        printf(" %9" PRIu64 " %6.2f", cycles, (double)cycles / (double)call);
}

static void print_row(const struct shape *shape, const struct bench *bench, bool distinct,
                      const struct cm_stencil_info *info, const uint64_t cycles[4])
{
    double results = (double)info->results, bound = (double)info->bound_cycles;
    char tile[40];
    size_t used = 0;
    for (uint32_t a = 0; a < shape->rank; a++)
        used += (size_t)snprintf(tile + used, sizeof tile - used, "%s%" PRIu64, a ? "x" : "",
                                 info->tile[a]);
    printf("%-8s %-6s %-4s %4" PRIu64 " %6.2f %7.2f %5.2f %7.2f %5.2f %9" PRIu64, shape->name,
           cm_type_name(bench->layout.type), distinct ? "all" : "few", shape->length,
           bound / results, (double)cycles[0] / results, (double)cycles[0] / bound,
           (double)cycles[1] / results, (double)cycles[1] / bound, cycles[1]);
    print_shifts(cycles[2], cycles[1]);
    print_shifts(cycles[3], cycles[1]);
    printf(" %-8s %5.2f", tile, (double)info->loads / results);
}

static void run(const struct cm_config *config, const struct shape *shape, enum cm_type type,
                bool distinct, const struct options *options)
{
    struct cm_error err;
    struct bench bench;
    struct cm_stencil *stencil;
    struct cm_stencil_info info;
    uint64_t cycles[4], before;
    bench_open(&bench, config, shape, type, options);
    make_pattern(shape, distinct, &bench.pattern);
    stop(cm_stencil_setup(bench.system, &bench.layout, &bench.pattern, &stencil, &err), &err);
    cm_stencil_info(stencil, &info);
    before = cycles_of(&bench);
    stop(cm_stencil_call(bench.system, stencil, &bench.arguments, &err), &err);
    cycles[1] = cycles_of(&bench) - before;
    before = cycles_of(&bench);
    stop(cm_stencil_sweep(bench.system, stencil, &bench.arguments, &err), &err);
    cycles[0] = cycles_of(&bench) - before;
    double seconds = options->data ? seconds_of(&bench, stencil, options->seconds) : 0;
    cm_stencil_deallocate(bench.system, stencil);
    cycles[2] = options->data ? 0 : by_shifts(&bench, CM_STENCIL_BY_PSHIFT);
    cycles[3] = options->data ? 0 : by_shifts(&bench, CM_STENCIL_BY_CSHIFT);
    print_row(shape, &bench, distinct, &info, cycles);
    if (options->data)
        printf(" %6.2f", (double)cycles[1] / (double)config->clock_hz / seconds);
    printf("\n");
    fflush(stdout);
    bench_close(&bench);
}

static struct options parse(int argc, char **argv)
{
    struct options options = {.machine = "configs/cm200.json", .nodes = 2048, .seconds = 0.2};
    const struct test_option known[] = {{"data", .flag = &options.data},
                                        {"machine", .text = &options.machine},
                                        {"nodes", .count = &options.nodes},
                                        {"threads", .count = &options.threads},
                                        {"seconds", .real = &options.seconds},
                                        {"only", .text = &options.only},
                                        {.name = NULL}};
    options_read(argc, argv, known);
    return options;
}

/* True when the row's name, as it is printed, begins with the words of --only. */
static bool wanted(const struct options *options, const struct shape *shape, bool wide,
                   bool distinct)
{
    char name[64];
    const size_t length = options->only ? strlen(options->only) : 0;
    snprintf(name, sizeof name, "%s %s %s %" PRIu64, shape->name, wide ? "real64" : "real32",
             distinct ? "all" : "few", shape->length);
    return (options->data || !shape->small) &&
           (length == 0 || (strncmp(name, options->only, length) == 0 &&
                            (name[length] == ' ' || name[length] == 0)));
}

CM_PROGRAM(stencil)
{
    struct options options = parse(argc, argv);
    struct cm_config config;
    struct cm_error err;
    stop(cm_config_read(options.machine, &config, &err), &err);
    printf("%" PRIu32
           " nodes; cycles a result: the bound, the sweep, the whole call; ratios to the "
           "bound; whole calls in cycles, and how many times longer shifts take\n"
           "shape    type   coef    L  bound   sweep ratio    call ratio    cycles    pshift  "
           "times    cshift  times tile     loads%s\n",
           options.nodes, options.data ? " real-time" : "");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int distinct = 0; distinct < 2; distinct++)
            for (int wide = 0; wide < 2; wide++)
                if (wanted(&options, &shapes[i], wide, distinct))
                    run(&config, &shapes[i], wide ? CM_TYPE_REAL64 : CM_TYPE_REAL32, distinct,
                        &options);
    return 0;
}
