/*
 * How fast the simulator runs, against the machine it simulates: every row of the published tables,
 * with data, on 2,048 nodes, and against the host's plain copies of the source to each destination,
 * by as many threads; all cells without data. Prints a table; it is a benchmark and fails only when
 * something cannot be run.
 *
 *   bench pshift [--machine FILE] [--threads N] [--seconds S] [--only RANK:LENGTH]
 */
#include "../../programs/pshift/pshift.h"
#include "../../programs/pshift/runtime.h"
#include "../harness/program.h"
#include "bench.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NODES 2048u

/* Tables 1 to 4, column PSHIFT CM time in milliseconds (George, Brickner, Johnsson 1994). */
static const struct row {
    uint32_t rank;
    uint64_t length;
    double pshift_cm_ms;
} rows[] = {
    {1, 4, 0.041},    {1, 8, 0.044},     {1, 16, 0.051},     {1, 32, 0.064},   {1, 64, 0.099},
    {1, 128, 0.210},  {1, 256, 0.456},   {1, 512, 0.904},    {1, 1024, 1.791}, {1, 2048, 3.458},
    {1, 4096, 6.689}, {1, 8192, 13.346}, {1, 16384, 26.662}, {2, 2, 0.107},    {2, 4, 0.166},
    {2, 8, 0.469},    {2, 16, 1.399},    {2, 32, 4.462},     {2, 64, 19.655},  {2, 128, 67.064},
    {3, 2, 0.205},    {3, 4, 0.910},     {3, 8, 4.954},      {3, 16, 30.379},  {4, 2, 0.504},
    {4, 4, 4.659},    {4, 8, 53.451},
};
#define ROW_COUNT (sizeof rows / sizeof *rows)

struct options {
    const char *machine;
    uint32_t threads;
    double seconds; /* least time measured for each row */
    uint32_t only_rank;
    uint64_t only_length;
};

/* A row laid on a machine: a source, and a destination for each of the two shifts an axis. */
struct bench {
    struct cm_system *system;
    struct cm_array *src;
    struct cm_array *dst[2 * CM_RANK_MAX];
    struct cm_shift shifts[2 * CM_RANK_MAX];
    uint32_t count;
    int setup;
};

static void bench_open(struct bench *bench, const struct cm_config *config, const struct row *row,
                       uint32_t threads, bool timing_only)
{
    struct cm_error err;
    struct cm_machine_options machine = {
        .nodes = NODES, .threads = threads, .timing_only = timing_only};
    struct cm_layout_request request = {.type = CM_TYPE_REAL64, .rank = row->rank};
    uint64_t elements = 1;
    struct cm_layout layout;
    struct cm_pshift_pattern patterns[2 * CM_RANK_MAX];
    uint32_t bits = 11;
    memset(bench, 0, sizeof *bench);
    for (uint32_t a = 0; a < row->rank; a++) {
        uint32_t share = (bits + row->rank - a - 1) / (row->rank - a);
        request.shape[a] = row->length << share;
        request.weights[a] = 1;
        elements *= row->length;
        bits -= share;
    }
    machine.working_words = elements * 2 * (2 * row->rank + 1);
    stop(cm_system_create(config, &machine, &bench->system, &err), &err);
    stop(cm_layout_create(&request, NODES, &layout, &err), &err);
    stop(cm_array_create(bench->system, "src", &layout, &bench->src, &err), &err);
    bench->count = 2 * row->rank;
    for (uint32_t i = 0; i < bench->count; i++) {
        stop(cm_array_create(bench->system, "dst", &layout, &bench->dst[i], &err), &err);
        bench->shifts[i] = (struct cm_shift){.type = CM_SHIFT_CSHIFT,
                                             .axis = i / 2,
                                             .distance = i % 2 ? -1 : 1,
                                             .dst = bench->dst[i],
                                             .src = bench->src};
        patterns[i] = (struct cm_pshift_pattern){
            .type = CM_SHIFT_CSHIFT, .axis = i / 2, .distance = i % 2 ? -1 : 1};
    }
    stop(
        cm_pshift_setup(bench->system,
                        &(struct cm_pshift_request){CM_SETUP_AUTO, &layout, patterns, bench->count},
                        &bench->setup, &err),
        &err);
}

static void bench_close(struct bench *bench)
{
    cm_array_destroy(bench->system, bench->src);
    for (uint32_t i = 0; i < bench->count; i++)
        cm_array_destroy(bench->system, bench->dst[i]);
    cm_system_destroy(bench->system);
}

static void bench_call(struct bench *bench)
{
    struct cm_error err;
    stop(cm_pshift_call(bench->system, bench->setup, bench->shifts, bench->count, &err), &err);
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Wall time of a call: the median of five rounds, which take at least `seconds` together. */
static double median_call_seconds(struct bench *bench, double seconds)
{
    enum { ROUNDS = 5 };
    double rounds[ROUNDS];
    bench_call(bench);
    for (int r = 0; r < ROUNDS; r++) {
        uint64_t calls = 0;
        double begin = now_seconds();
        do {
            bench_call(bench);
            calls++;
        } while (now_seconds() - begin < seconds / ROUNDS);
        rounds[r] = (now_seconds() - begin) / (double)calls;
    }
    qsort(rounds, ROUNDS, sizeof *rounds, compare_doubles);
    return rounds[ROUNDS / 2];
}

/* The host's plain copy: each thread copies its share of the source to each destination, as often
 * as asked. */
struct copy_job {
    char *memory;
    size_t array, at, bytes; /* of an array, of the share, in bytes */
    uint32_t destinations;
    uint64_t calls;
};

static void *copy_share(void *argument)
{
    const struct copy_job *job = argument;
    for (uint64_t c = 0; c < job->calls; c++)
        for (uint32_t d = 1; d <= job->destinations; d++) {
            memcpy(job->memory + d * job->array + job->at, job->memory + job->at, job->bytes);
            __asm__ volatile("" ::: "memory");
        }
    return NULL;
}

/* The time of a call that copies what a PSHIFT of the row moves, in milliseconds; the threads do
 * not wait for each other between calls. */
static double plain_copy_ms(size_t array, uint32_t destinations, uint32_t threads)
{
    enum { ROUNDS = 5, BYTES = 512u << 20 };
    char *memory = malloc((destinations + 1) * array);
    struct copy_job jobs[CM_THREADS_MAX];
    pthread_t others[CM_THREADS_MAX];
    double rounds[ROUNDS];
    if (!memory)
        exit(5);
    memset(memory, 1, (destinations + 1) * array);
    uint64_t calls = BYTES / (array * destinations) + 1;
    for (uint32_t t = 0; t < threads; t++)
        jobs[t] = (struct copy_job){memory,          array,        t * (array / threads),
                                    array / threads, destinations, calls};
    for (int r = 0; r < ROUNDS; r++) {
        double begin = now_seconds();
        for (uint32_t t = 1; t < threads; t++)
            pthread_create(&others[t], NULL, copy_share, &jobs[t]);
        copy_share(&jobs[0]);
        for (uint32_t t = 1; t < threads; t++)
            pthread_join(others[t], NULL);
        rounds[r] = 1e3 * (now_seconds() - begin) / (double)calls;
    }
    free(memory);
    qsort(rounds, ROUNDS, sizeof *rounds, compare_doubles);
    return rounds[ROUNDS / 2];
}

static double run_row(const struct cm_config *config, const struct row *row,
                      const struct options *options)
{
    struct bench bench;
    struct cm_counters before, after;
    size_t array = 2 * sizeof(uint32_t) * NODES;
    bench_open(&bench, config, row, options->threads, false);
    struct cm_machine *machine = cm_system_machine(bench.system);
    uint32_t threads = cm_machine_threads(machine), destinations = bench.count;
    before = cm_machine_counters(machine);
    bench_call(&bench);
    after = cm_machine_counters(machine);
    double simulated_ms = 1e3 * (double)(after.cycles - before.cycles) / (double)config->clock_hz;
    double wall_ms = 1e3 * median_call_seconds(&bench, options->seconds);
    double factor = row->pshift_cm_ms / wall_ms;
    bench_close(&bench);
    for (uint32_t a = 0; a < row->rank; a++)
        array *= row->length;
    double copy_ms = plain_copy_ms(array, destinations, threads);
    printf("  %4" PRIu32 " %7" PRIu64 " %13.3f %13.3f %9.3f %8.2f %9.3f %6.0f %%%s\n", row->rank,
           row->length, row->pshift_cm_ms, simulated_ms, wall_ms, factor, copy_ms,
           100 * copy_ms / wall_ms, factor < 1 ? "  slower" : "");
    fflush(stdout);
    return factor;
}

static void all_cells_without_data(const struct cm_config *config)
{
    struct cm_error err;
    double begin = now_seconds();
    for (size_t i = 0; i < ROW_COUNT; i++) {
        struct bench bench;
        bench_open(&bench, config, &rows[i], 1, true);
        bench_call(&bench);
        for (uint32_t k = 0; k < bench.count; k++)
            stop(cm_runtime_shift(bench.system, &bench.shifts[k], &err), &err);
        bench_close(&bench);
    }
    printf("\nall %zu cells, PSHIFT and CSHIFT, timing only: %.3f s\n", 2 * ROW_COUNT,
           now_seconds() - begin);
}

/* What the host has; the simulator takes the widest vectors that it finds. */
static const char *host_vectors(void)
{
#if defined(__x86_64__) || defined(__i386__)
    if (__builtin_cpu_supports("avx512f"))
        return "AVX-512";
    return __builtin_cpu_supports("avx2") ? "AVX2" : "SSE2";
#elif defined(__aarch64__)
    return "NEON";
#else
    return "no known vectors";
#endif
}

static void print_heading(const struct cm_config *config, const struct options *options)
{
    struct cm_error err;
    struct cm_machine_options machine = {.nodes = NODES, .threads = options->threads};
    struct cm_system *system;
    stop(cm_system_create(config, &machine, &system, &err), &err);
    printf("PSHIFT, REAL*8, %u nodes, data moving; %" PRIu32 " host threads, %s\n", NODES,
           cm_machine_threads(cm_system_machine(system)), host_vectors());
    printf("  rank  length  published ms  simulated ms   wall ms   factor   copy ms    share\n");
    cm_system_destroy(system);
}

static struct options parse(int argc, char **argv)
{
    struct options options = {.machine = "configs/cm200.json", .seconds = 0.5};
    const char *only = NULL;
    const struct test_option known[] = {{"machine", .text = &options.machine},
                                        {"threads", .count = &options.threads},
                                        {"seconds", .real = &options.seconds},
                                        {"only", .text = &only},
                                        {.name = NULL}};
    options_read(argc, argv, known);
    if (only)
        sscanf(only, "%" SCNu32 ":%" SCNu64, &options.only_rank, &options.only_length);
    return options;
}

CM_PROGRAM(pshift)
{
    struct options options = parse(argc, argv);
    struct cm_config config;
    struct cm_error err;
    double log_sum = 0;
    size_t slower = 0;
    size_t count = 0;
    stop(cm_config_read(options.machine, &config, &err), &err);
    print_heading(&config, &options);
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (options.only_rank &&
            (rows[i].rank != options.only_rank || rows[i].length != options.only_length))
            continue;
        double factor = run_row(&config, &rows[i], &options);
        log_sum += log(factor);
        slower += factor < 1;
        count++;
    }
    if (count == 0)
        return 2;
    printf(
        "  real-time factor: geometric mean %.2f, %zu of %zu rows slower than the real machine\n",
        exp(log_sum / (double)count), slower, count);
    if (options.only_rank)
        return 0;
    all_cells_without_data(&config);
    return 0;
}
