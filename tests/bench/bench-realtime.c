/*
 * The table of docs/speed.md: kinds of steps on 2,048 nodes, with data, against the machine's own
 * time, and against what the host could do at best. Prints a table; it is a benchmark and fails
 * only when something cannot be run.
 *
 *   bench-realtime [--threads N] [--only ROW] [--calls N]
 *
 *   CM         the machine's time
 *   wall       the shortest time of a call, of N (5) after the first; factor: the CM's time over it
 *   processor  the least processor time of a call, and its factor
 *   bound      processor time of the host for the same words read and written (memory: plain copies
 *              of planes in arrays as large as the row's), or the same floating-point operations
 *              (operations: multiply-adds, all operands in the first-level cache); the larger one
 *   share      the bound over the processor time
 */
#include "../../programs/workload/workload.h"
#include "../../sim/host.h"
#include "../../sim/observer.h"
#include "bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODES   2048u
#define LANES   512u              /* of the loop that measures operations */
#define MEGA    ((size_t)1 << 20) /* bytes */
#define COPY_MB 256u              /* copied to measure, at least */

/* Arrays and the step; in mebibytes what the arrays take on 2,048 nodes. */
static const struct row {
    const char *name;
    const char *arrays, *step;
    uint32_t megabytes;
    bool wide; /* its operations have 64 bits */
} rows[] = {
#define ARRAY(name, shape, type, more)                                                             \
    "\"" name "\": {\"shape\": " shape ", \"type\": \"" type "\"" more "}"
#define RANDOM           ", \"init\": {\"random\": 1}"
#define SERIAL           ", \"axes\": [\"serial\", \"news\"]"
#define TWO(shape, type) ARRAY("a", shape, type, RANDOM) ", " ARRAY("b", shape, type, "")
#define FIVE_POINTS                                                                                \
    "{\"stencil\": {\"dst\": \"b\", \"terms\": [[0.5, \"a\", [0, -1]], [0.5, \"a\", [-1, 0]], "    \
    "[-2, \"a\", [0, 0]], [0.5, \"a\", [1, 0]], [0.5, \"a\", [0, 1]]]}}"
    {"stencil-real32", TWO("[4096, 2048]", "real32"), FIVE_POINTS, 64, false},
    {"stencil-real64", TWO("[2048, 2048]", "real64"), FIVE_POINTS, 64, true},
#define SUM "{\"reduce\": {\"op\": \"sum\", \"src\": \"a\", \"dim\": 2, \"dst\": \"b\"}}"
#define SUMS(shape, type)                                                                          \
    ARRAY("a", shape, type, SERIAL RANDOM) ", " ARRAY("b", shape, type, SERIAL)
    {"reduce-real32", SUMS("[4096, 2048]", "real32"), SUM, 64, false},
    {"reduce-real64", SUMS("[2048, 2048]", "real64"), SUM, 64, true},
#define TRANSPOSE "{\"transpose\": {\"dst\": \"b\", \"src\": \"a\"}}"
    {"transpose-real32",
     ARRAY("a", "[4096, 2048]", "real32", RANDOM) ", " ARRAY("b", "[2048, 4096]", "real32", ""),
     TRANSPOSE, 64, false},
    {"transpose-real64", TWO("[2048, 2048]", "real64"), TRANSPOSE, 64, true},
#define ALL_TO_ALL(order)                                                                          \
    "{\"alltoall\": {\"dst\": \"b\", \"src\": \"a\", \"algorithm\": \"gray\", \"order\": \"" order \
    "\"}}"
#define BLOCKS(words, type)                                                                        \
    ARRAY("a", "[" words ", 2048]", type, SERIAL RANDOM)                                           \
    ", " ARRAY("b", "[" words ", 2048, 2048]", type,                                               \
               ", \"axes\": [\"serial\", \"serial\", \"news\"]")
    {"alltoall-real32-arrival", BLOCKS("2", "real32"), ALL_TO_ALL("arrival"), 32, false},
    {"alltoall-real64-arrival", BLOCKS("1", "real64"), ALL_TO_ALL("arrival"), 32, true},
    {"alltoall-real32-source", BLOCKS("2", "real32"), ALL_TO_ALL("source"), 32, false},
    {"alltoall-real64-source", BLOCKS("1", "real64"), ALL_TO_ALL("source"), 32, true},
#define FIVE_TERMS                                                                                 \
    "{\"combine\": {\"dst\": \"b\", \"terms\": [[0.5, \"a\"], [0.25, \"c\"], [0.5, \"d\"], [2, "   \
    "\"e\"], [3, \"f\"]]}}"
#define SIX(shape, type)                                                                           \
    TWO(shape, type)                                                                               \
    ", " ARRAY("c", shape, type, RANDOM) ", " ARRAY("d", shape, type, RANDOM) ", " ARRAY(          \
        "e", shape, type, RANDOM) ", " ARRAY("f", shape, type, RANDOM)
    {"combine-real32-64", SIX("[131072]", "real32"), FIVE_TERMS, 3, false},
    {"combine-real64-64", SIX("[131072]", "real64"), FIVE_TERMS, 6, true},
    {"combine-real32-4096", SIX("[8388608]", "real32"), FIVE_TERMS, 192, false},
    {"combine-real64-2048", SIX("[4194304]", "real64"), FIVE_TERMS, 192, true},
#define FFT "{\"fft\": {\"array\": \"a\", \"transform\": \"forward\"}}"
#define MESH                                                                                       \
    ", \"mesh\": {\"shape\": [2048], \"mapping\": \"identical\"}, \"init\": {\"random\": 1}"
    {"fft-complex64", ARRAY("a", "[1048576]", "complex64", MESH), FFT, 8, false},
    {"fft-complex128", ARRAY("a", "[1048576]", "complex128", MESH), FFT, 16, true},
#define SORT "{\"sort\": {\"src\": \"a\", \"dst\": \"b\"}}"
    {"sort-real32-256", TWO("[524288]", "real32"), SORT, 4, false},
    {"sort-real64-256", TWO("[524288]", "real64"), SORT, 8, true},
#define PRODUCT     "{\"matmul\": {\"dst\": \"c\", \"a\": \"a\", \"b\": \"b\"}}"
#define THREE(type) TWO("[512, 512]", type) ", " ARRAY("c", "[512, 512]", type, "")
    {"matmul-real32", THREE("real32"), PRODUCT, 3, false},
    {"matmul-real64", THREE("real64"), PRODUCT, 6, true},
#define QCD                                                                                        \
    "{\"qcd\": {\"kernel\": \"staggered\", \"by\": \"halo\", \"dst\": \"b\", \"src\": \"a\", "     \
    "\"ux\": \"ux\", \"uy\": \"uy\", \"uz\": \"uz\", \"ut\": \"ut\"}}"
#define SITES  ", 16, 16, 16, 16]"
#define COLOUR ", \"axes\": [\"serial\", \"serial\", \"news\", \"news\", \"news\", \"news\"]"
#define LINKS                                                                                      \
    ", \"axes\": [\"serial\", \"serial\", \"serial\", \"news\", \"news\", \"news\", \"news\"]"
#define LINK(name) ARRAY(name, "[3, 3, 2" SITES, "real32", LINKS RANDOM)
    {"qcd-staggered",
     ARRAY("a", "[3, 2" SITES, "real32", COLOUR RANDOM) ", " ARRAY(
         "b", "[3, 2" SITES, "real32",
         COLOUR) ", " LINK("ux") ", " LINK("uy") ", " LINK("uz") ", " LINK("ut"),
     QCD, 21, false},
};

struct options {
    uint32_t threads, calls;
    const char *only;
};

/* ---- what the host could do at best ---- */

/* Seconds of a processor to copy a byte, a plane at a time, within arrays of so many mebibytes. */
static double copy_seconds(uint32_t megabytes)
{
    const size_t plane = NODES * sizeof(uint32_t), planes = megabytes * MEGA / plane / 2;
    char *memory = malloc(2 * planes * plane);
    double best = 1e9;
    if (memory == NULL)
        exit(1);
    memset(memory, 1, 2 * planes * plane);
    for (int i = 0; i < 3; i++) {
        size_t copied = 0;
        const double begin = processor_seconds();
        while (copied < COPY_MB * MEGA)
            for (size_t p = 0; p < planes; p++, copied += plane)
                memcpy(memory + (planes + p) * plane, memory + p * plane, plane);
        const double spent = (processor_seconds() - begin) / (double)copied;
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

static void multiply_add(void *sums, const void *a, const void *b, bool wide)
{
#ifdef CM_HOST_X86
    if (cm_host() == CM_HOST_AVX512)
        multiply_add_avx512(sums, a, b, wide);
    else if (cm_host() == CM_HOST_AVX2)
        multiply_add_avx2(sums, a, b, wide);
    else
#endif
        multiply_add_plain(sums, a, b, wide);
}

/* Seconds of a processor for a floating-point operation of one node. */
static double operation_seconds(bool wide)
{
    static _Alignas(64) double numbers[3][LANES];
    const uint32_t times = 200000;
    double best = 1e9;
    for (int i = 0; i < 3; i++) {
        const double begin = processor_seconds();
        for (uint32_t n = 0; n < times; n++) {
            multiply_add(numbers[0], numbers[1], numbers[2], wide);
            __asm__ volatile("" : : : "memory");
        }
        const double spent = (processor_seconds() - begin) / times / LANES / 2;
        best = spent < best ? spent : best;
    }
    return best;
}

/* ---- rows ---- */

static struct cm_run *open_row(const struct row *row, const struct options *options,
                               struct cm_workload **workload)
{
    static char text[8192];
    const struct cm_run_options run_options = {.threads = options->threads,
                                               .machine = "configs/cm200.json"};
    struct cm_run *run;
    struct cm_error err;
    const int length = snprintf(text, sizeof text,
                                "{\"format\": \"cm200-workload/1\", \"name\": \"%s\", \"nodes\": "
                                "%u, \"arrays\": {%s}, \"steps\": [%s]}",
                                row->name, NODES, row->arrays, row->step);
    stop(cm_workload_parse(row->name, text, (size_t)length, workload, &err), &err);
    stop(cm_run_create(*workload, &run_options, &run, &err), &err);
    stop(cm_run_execute(run, &err), &err); /* it makes what is made once */
    return run;
}

static void print_row(const struct row *row, const struct cm_counters *spent, double wall,
                      double processor, double clock_hz)
{
    const double cm = (double)spent->cycles / clock_hz;
    const double bytes = (double)(spent->loads + spent->stores) / 2 * sizeof(uint32_t) * NODES;
    const double memory = bytes * copy_seconds(row->megabytes);
    const double operations = (double)spent->flops * NODES * operation_seconds(row->wide);
    const double bound = memory > operations ? memory : operations;
    printf("| %s | %.3f | %.3f | %.2f | %.3f | %.2f | %s, %.3f | %.0f %% |\n", row->name, cm * 1e3,
           wall * 1e3, cm / wall, processor * 1e3, cm / processor,
           memory > operations ? "memory" : "operations", bound * 1e3, 100 * bound / processor);
    fflush(stdout);
}

/* Processor time of a run's steps alone. */
struct watch {
    double begin, spent;
};

static void step_begins(void *context, const char *op, const char *where,
                        const struct cm_counters *counters)
{
    (void)op, (void)where, (void)counters;
    ((struct watch *)context)->begin = processor_seconds();
}

static void step_ends(void *context, const struct cm_counters *counters)
{
    struct watch *watch = context;
    (void)counters;
    watch->spent = processor_seconds() - watch->begin;
}

static void bench(const struct row *row, const struct options *options)
{
    struct watch watch = {0};
    const struct cm_observer observer = {
        .context = &watch, .step_begins = step_begins, .step_ends = step_ends};
    struct cm_workload *workload;
    struct cm_error err;
    struct cm_run *run = open_row(row, options, &workload);
    cm_run_observe(run, &observer);
    const struct cm_result *result = cm_run_result(run);
    struct cm_counters spent = result->total;
    double wall = 1e9, processor = 1e9;
    for (uint32_t i = 0; i < options->calls; i++) {
        const struct cm_counters before = result->total;
        const double wall_before = result->wall_seconds;
        stop(cm_run_execute(run, &err), &err);
        const double passed = result->wall_seconds - wall_before;
        wall = passed < wall ? passed : wall;
        processor = watch.spent < processor ? watch.spent : processor;
        spent = cm_counters_difference(&result->total, &before);
    }
    print_row(row, &spent, wall, processor, (double)result->clock_hz);
    cm_run_destroy(run);
    cm_workload_destroy(workload);
}

int main(int argc, char **argv)
{
    static const char *const hosts[] = {"128-bit vectors", "AVX2", "AVX-512"};
    struct options options = {.calls = 5};
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--threads") == 0)
            options.threads = (uint32_t)strtoul(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--calls") == 0)
            options.calls = (uint32_t)strtoul(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--only") == 0)
            options.only = argv[i + 1];
    }
    printf("%u nodes, data moving; %s\n\n"
           "| Row | CM ms | wall ms | factor | processor ms | factor | bound, ms | share |\n"
           "|---|---:|---:|---:|---:|---:|---|---:|\n",
           NODES, hosts[cm_host()]);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (options.only == NULL || strstr(rows[i].name, options.only) != NULL)
            bench(&rows[i], &options);
    return 0;
}
