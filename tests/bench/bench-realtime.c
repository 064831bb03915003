/*
 * The table of docs/speed.md: kinds of steps on 2,048 nodes, with data, against the machine's own
 * time, and against what the host could do at best. Prints a table; it is a benchmark and fails
 * only when something cannot be run.
 *
 *   bench realtime [--threads N] [--only TEXT] [--executor NAME] [--seconds S] [--by-kind]
 *
 *   CM         the machine's time
 *   host       the time of a step in a workload of 8 equal ones, which find in the host's caches
 *              what the one before left there: the shortest in S (0.2) seconds, of three at least
 *   factor     the CM's time over the host's
 *   threads    of the host that were at work
 *   bound      the host's time for the same words read, written and moved (copies: by plain copies,
 *              as many threads, arrays as large as the row's), or the same floating-point
 *              operations (operations: multiply-adds whose operands are loaded from the first-level
 *              cache, in vectors of AVX2 with --executor avx2); the larger one
 *   share      the bound over the host's time
 *
 * --by-kind prints a line for each kind of row instead: number of rows, then least, geometric mean
 * and greatest factor, and the same of the share. The kind is a row's first word, with its type.
 */
#include "../../programs/workload/workload.h"
#include "../../sim/host/host.h"
#include "../harness/program.h"
#include "../harness/tap.h"
#include "bench.h"
#include "realtime_rows.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODES       REALTIME_NODES
#define LANES       512u              /* of the loop that measures operations */
#define MEGA        ((size_t)1 << 20) /* bytes */
#define COPY_MB     128u              /* that a thread copies to measure, at least */
#define THREADS_MAX 64u
#define STEPS       8u /* of a workload */

#define KINDS_MAX 64u

/* Least, greatest and sum of logarithms of one number over the rows of a kind. */
struct spread {
    double least, greatest, log_sum;
};

struct kind {
    char name[64];
    uint32_t rows;
    struct spread factor, share;
};

struct options {
    uint32_t threads;
    double seconds;
    const char *only, *executor;
    enum cm_host host; /* whose vectors the bound takes */
    bool by_kind;
    struct kind *kinds; /* of the rows measured so far, with --by-kind */
    uint32_t kind_count;
};

/* ---- what the host could do at best ---- */

/* A thread's part of plain copies: a piece of the one half of some memory to the other half. */
struct copies {
    char *from, *to;
    size_t bytes;
    uint32_t times;
};

static void *copy(void *context)
{
    const struct copies *copies = context;
    for (uint32_t i = 0; i < copies->times; i++) {
        memcpy(copies->to, copies->from, copies->bytes);
        __asm__ volatile("" : : : "memory");
    }
    return NULL;
}

/* Seconds for as many threads to copy a byte, within arrays of so many mebibytes. */
static double copy_seconds(double megabytes, uint32_t threads)
{
    const size_t piece = (size_t)(megabytes * (double)MEGA) / 2 / threads & ~(size_t)63;
    char *memory = malloc(2 * piece * threads);
    struct copies copies[THREADS_MAX];
    pthread_t others[THREADS_MAX];
    double best = 1e9;
    if (memory == NULL)
        exit(1);
    memset(memory, 1, 2 * piece * threads);
    for (uint32_t t = 0; t < threads; t++)
        copies[t] = (struct copies){.from = memory + t * piece,
                                    .to = memory + (threads + t) * piece,
                                    .bytes = piece,
                                    .times = (uint32_t)(COPY_MB * MEGA / piece) + 1};
    for (int i = 0; i < 5; i++) {
        const double begin = now_seconds();
        for (uint32_t t = 1; t < threads; t++)
            if (pthread_create(&others[t], NULL, copy, &copies[t]) != 0)
                exit(1);
        copy(&copies[0]);
        for (uint32_t t = 1; t < threads; t++)
            pthread_join(others[t], NULL);
        const double copied = (double)piece * threads * copies[0].times;
        const double spent = (now_seconds() - begin) / copied;
        best = spent < best ? spent : best;
    }
    free(memory);
    return best;
}

/* sums += a * b, so many times; the project is built without contraction, as the CM rounds both. */
#define MULTIPLY_ADDS(host, for_host, bytes)                                                       \
    typedef float floats_##host __attribute__((vector_size(bytes)));                               \
    typedef double doubles_##host __attribute__((vector_size(bytes)));                             \
    for_host static void multiply_add_##host(void *sums, const void *a, const void *b, bool wide)  \
    {                                                                                              \
        if (wide)                                                                                  \
            for (size_t i = 0; i < LANES * sizeof(double) / (bytes); i++)                          \
                ((doubles_##host *)sums)[i] +=                                                     \
                    ((const doubles_##host *)a)[i] * ((const doubles_##host *)b)[i];               \
        else                                                                                       \
            for (size_t i = 0; i < LANES * sizeof(float) / (bytes); i++)                           \
                ((floats_##host *)sums)[i] +=                                                      \
                    ((const floats_##host *)a)[i] * ((const floats_##host *)b)[i];                 \
    }
MULTIPLY_ADDS(plain, , 16)
#ifdef CM_HOST_X86
MULTIPLY_ADDS(avx2, CM_FOR_AVX2, 32)
MULTIPLY_ADDS(avx512, CM_FOR_AVX512, 64)
#endif

/* Multiply-adds with the vectors of an executor, or with the host's widest ones. */
static void multiply_add(void *sums, const void *a, const void *b, bool wide, enum cm_host host)
{
#ifdef CM_HOST_X86
    if (host == CM_HOST_AVX512)
        multiply_add_avx512(sums, a, b, wide);
    else if (host == CM_HOST_AVX2)
        multiply_add_avx2(sums, a, b, wide);
    else
#endif
        multiply_add_plain(sums, a, b, wide);
}

/* Seconds of a processor for a floating-point operation of one node. */
static double operation_seconds(bool wide, enum cm_host host)
{
    static _Alignas(64) double numbers[3][LANES];
    const uint32_t times = 200000;
    double best = 1e9;
    for (int i = 0; i < 3; i++) {
        const double begin = processor_seconds();
        for (uint32_t n = 0; n < times; n++) {
            multiply_add(numbers[0], numbers[1], numbers[2], wide, host);
            __asm__ volatile("" : : : "memory");
        }
        const double spent = (processor_seconds() - begin) / times / LANES / 2;
        best = spent < best ? spent : best;
    }
    return best;
}

/* ---- rows ---- */

/* A workload of so many equal steps. */
static size_t write_workload(const struct realtime_row *row, char *text, size_t bytes)
{
    int length = snprintf(text, bytes,
                          "{\"format\": \"cm200-workload/1\", \"name\": \"row\", \"nodes\": %u, "
                          "\"arrays\": {%s}, \"steps\": [",
                          NODES, row->arrays);
    for (uint32_t i = 0; i < STEPS; i++)
        length += snprintf(text + length, bytes - (size_t)length, "%s%s", row->step,
                           i + 1 < STEPS ? ", " : "]}");
    return (size_t)length;
}

static struct cm_run *open_row(const struct realtime_row *row, const struct options *options,
                               struct cm_workload **workload)
{
    static char text[262144];
    const struct cm_run_options run_options = {.threads = options->threads,
                                               .executor = options->executor,
                                               .machine = "configs/cm200.json"};
    struct cm_run *run;
    struct cm_error err;
    const size_t length = write_workload(row, text, sizeof text);
    stop(cm_workload_parse(row->name, text, length, workload, &err), &err);
    stop(cm_run_create(*workload, &run_options, &run, &err), &err);
    stop(cm_run_execute(run, &err), &err); /* it makes what is made once */
    return run;
}

static void spread_add(struct spread *spread, uint32_t rows, double value)
{
    spread->least = rows == 0 || value < spread->least ? value : spread->least;
    spread->greatest = rows == 0 || value > spread->greatest ? value : spread->greatest;
    spread->log_sum += log(value);
}

/* Adds a row to its kind. Rows of a kind follow each other. */
static void kind_add(struct options *options, const char *name, double factor, double share)
{
    const char *second = strchr(name, ' ');
    const size_t length = second == NULL ? strlen(name)
                          : isalpha((unsigned char)second[1])
                              ? (size_t)(second + 1 - name) + strcspn(second + 1, " ")
                              : (size_t)(second - name);
    struct kind *kind = options->kind_count > 0 ? &options->kinds[options->kind_count - 1] : NULL;
    if (kind == NULL || strlen(kind->name) != length || strncmp(kind->name, name, length) != 0) {
        if (options->kind_count == KINDS_MAX)
            die("more kinds of rows than KINDS_MAX");
        kind = &options->kinds[options->kind_count++];
        snprintf(kind->name, sizeof kind->name, "%.*s", (int)length, name);
    }
    spread_add(&kind->factor, kind->rows, factor);
    spread_add(&kind->share, kind->rows, share);
    kind->rows++;
}

static void print_kinds(const struct options *options)
{
    printf("| Kind | rows | factor: least | mean | most | share: least | mean | most |\n"
           "|---|---:|---:|---:|---:|---:|---:|---:|\n");
    for (uint32_t k = 0; k < options->kind_count; k++) {
        const struct kind *kind = &options->kinds[k];
        printf("| %s | %" PRIu32 " | %.2f | %.2f | %.2f | %.0f %% | %.0f %% | %.0f %% |\n",
               kind->name, kind->rows, kind->factor.least, exp(kind->factor.log_sum / kind->rows),
               kind->factor.greatest, 100 * kind->share.least,
               100 * exp(kind->share.log_sum / kind->rows), 100 * kind->share.greatest);
    }
}

static void print_row(struct options *options, const struct realtime_row *row,
                      const struct cm_result *result, const struct cm_counters *spent, double wall)
{
    const uint32_t threads = result->threads < THREADS_MAX ? result->threads : THREADS_MAX;
    const double cm = (double)spent->cycles / STEPS / (double)result->clock_hz;
    const double words =
        ((double)(spent->loads + spent->stores) / 2 + (double)spent->words_moved_locally) / STEPS;
    const double copies = words * sizeof(uint32_t) * NODES * copy_seconds(row->megabytes, threads);
    const double operations = (double)spent->flops / STEPS * NODES *
                              operation_seconds(row->wide, options->host) / threads;
    const double bound = copies > operations ? copies : operations;
    if (options->by_kind) {
        kind_add(options, row->name, cm / wall, bound / wall);
        return;
    }
    printf("| %s | %.3f | %.3f | %.2f | %" PRIu32 " | %s, %.3f | %.0f %% |\n", row->name, cm * 1e3,
           wall * 1e3, cm / wall, threads, copies > operations ? "copies" : "operations",
           bound * 1e3, 100 * bound / wall);
    fflush(stdout);
}

static void bench(void *context, const struct realtime_row *row)
{
    struct options *options = context;
    struct cm_workload *workload;
    struct cm_error err;
    if (options->only != NULL && strstr(row->name, options->only) == NULL)
        return;
    struct cm_run *run = open_row(row, options, &workload);
    const struct cm_result *result = cm_run_result(run);
    struct cm_counters spent = result->total;
    const double begin = now_seconds();
    double wall = 1e9;
    for (uint32_t i = 0; i < 3 || now_seconds() - begin < options->seconds; i++) {
        const struct cm_counters before = result->total;
        const double wall_before = result->wall_seconds;
        stop(cm_run_execute(run, &err), &err);
        const double passed = (result->wall_seconds - wall_before) / STEPS;
        wall = passed < wall ? passed : wall;
        spent = cm_counters_difference(&result->total, &before);
    }
    print_row(options, row, result, &spent, wall);
    cm_run_destroy(run);
    cm_workload_destroy(workload);
}

CM_PROGRAM(realtime)
{
    static const char *const hosts[] = {"128-bit vectors", "AVX2", "AVX-512"};
    static struct kind kinds[KINDS_MAX];
    struct options options = {.seconds = 0.2, .kinds = kinds};
    const struct test_option known[] = {
        {"threads", .count = &options.threads}, {"seconds", .real = &options.seconds},
        {"only", .text = &options.only},        {"executor", .text = &options.executor},
        {"by-kind", .flag = &options.by_kind},  {.name = NULL}};
    options_read(argc, argv, known);
    options.host = options.executor != NULL && strcmp(options.executor, "avx2") == 0 ? CM_HOST_AVX2
                                                                                     : cm_host();
    printf("%u nodes, data moving; %s\n\n", NODES, hosts[options.host]);
    if (!options.by_kind)
        printf("| Row | CM ms | host ms | factor | threads | bound, ms | share |\n"
               "|---|---:|---:|---:|---:|---|---:|\n");
    realtime_rows(bench, &options);
    if (options.by_kind)
        print_kinds(&options);
    return 0;
}
