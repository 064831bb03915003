/*
 * How fast arithmetic runs: sums of coefficient times array on 2,048 nodes, with data, against the
 * machine's own time. Prints a table; it is a benchmark and fails only when something cannot be
 * run.
 *
 *   bench-arithmetic [--machine FILE] [--threads N] [--seconds S] [--only ROW] [--block NODES]
 *                    [--waiting N]
 *
 *   wall       the shortest time of a call
 *   factor     the machine's time over it; "median" by the median call, which a busy host affects
 *   --only     rows whose name contains ROW
 *   --block    nodes of a lane block; --waiting: instructions that may wait for each other
 */
#include "../../programs/combine/combine.h"
#include "../../sim/host.h"
#include "bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODES     2048u
#define TERMS_MAX 9u
#define CALLS_MAX 20000u

struct options {
    const char *machine, *only;
    double seconds; /* least time measured for each row */
    struct cm_machine_options machine_options;
};

static const enum cm_type types[] = {CM_TYPE_REAL32, CM_TYPE_REAL64};
static const uint32_t term_counts[] = {1, 2, 5, 9};
static const uint64_t subgrids[] = {16, 64, 256, 1024, 4096};

struct row {
    enum cm_type type;
    uint32_t terms;
    bool by_array; /* the coefficients */
    uint64_t subgrid;
};

struct bench {
    struct cm_system *system;
    struct cm_array *dst, *arrays[TERMS_MAX], *coefficients[TERMS_MAX];
    struct cm_term terms[TERMS_MAX];
};

/* An array of small numbers. */
static struct cm_array *make_array(struct bench *bench, const struct cm_layout *layout)
{
    struct cm_error err;
    struct cm_array *array;
    stop(cm_array_create(bench->system, "a", layout, &array, &err), &err);
    void *numbers = calloc(layout->elements, cm_type_host_bytes(layout->type));
    for (uint64_t i = 0; numbers && i < layout->elements; i++) {
        double value = (double)(i * 2654435761u % 1000) / 1000 - 0.5;
        if (layout->type == CM_TYPE_REAL32)
            ((float *)numbers)[i] = (float)value;
        else
            ((double *)numbers)[i] = value;
    }
    if (numbers)
        stop(cm_array_scatter(bench->system, array, numbers, &err), &err);
    free(numbers);
    return array;
}

static void open_row(struct bench *bench, const struct row *row, const struct cm_config *config,
                     const struct options *options)
{
    struct cm_error err;
    struct cm_layout layout;
    struct cm_machine_options machine = options->machine_options;
    struct cm_layout_request request = {
        .type = row->type, .rank = 1, .shape = {NODES * row->subgrid}, .weights = {1}};
    uint64_t slices = row->type == CM_TYPE_REAL64 ? 2 : 1;
    memset(bench, 0, sizeof *bench);
    machine.nodes = NODES;
    machine.working_words = row->subgrid * slices * (1 + row->terms * (row->by_array ? 2 : 1));
    stop(cm_system_create(config, &machine, &bench->system, &err), &err);
    stop(cm_layout_create(&request, NODES, &layout, &err), &err);
    bench->dst = make_array(bench, &layout);
    for (uint32_t i = 0; i < row->terms; i++) {
        bench->arrays[i] = make_array(bench, &layout);
        bench->terms[i].array = bench->arrays[i];
        if (row->by_array)
            bench->terms[i].coefficients = bench->coefficients[i] = make_array(bench, &layout);
        else
            bench->terms[i].scalar = cm_scalar_make(row->type, 0.5 + i, 0);
    }
}

static void close_row(struct bench *bench)
{
    cm_array_destroy(bench->system, bench->dst);
    for (uint32_t i = 0; i < TERMS_MAX; i++) {
        cm_array_destroy(bench->system, bench->arrays[i]);
        cm_array_destroy(bench->system, bench->coefficients[i]);
    }
    cm_system_destroy(bench->system);
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(const struct row *row, const char *name, const struct cm_config *config,
                    const struct options *options)
{
    static double spent[CALLS_MAX];
    struct cm_error err;
    struct bench bench;
    uint32_t calls = 0;
    double total = 0, simulated = 0;
    open_row(&bench, row, config, options);
    struct cm_machine *machine = cm_system_machine(bench.system);
    for (uint32_t i = 0; calls < CALLS_MAX && (total < options->seconds || calls < 5); i++) {
        uint64_t before = cm_machine_counters(machine).cycles;
        double begin = now_seconds();
        stop(cm_combine(bench.system, bench.dst, bench.terms, row->terms, &err), &err);
        if (i == 0) /* it compiles */
            continue;
        spent[calls] = now_seconds() - begin;
        total += spent[calls++];
        simulated =
            (double)(cm_machine_counters(machine).cycles - before) / (double)config->clock_hz;
    }
    qsort(spent, calls, sizeof *spent, compare_doubles);
    printf("  %-32s %10.3f %10.3f %7.2f %8.2f\n", name, simulated * 1e3, spent[0] * 1e3,
           simulated / spent[0], simulated / spent[calls / 2]);
    fflush(stdout);
    close_row(&bench);
}

static void name_row(const struct row *row, char *name, size_t bytes)
{
    snprintf(name, bytes, "%s %" PRIu32 " %s %" PRIu64,
             row->type == CM_TYPE_REAL32 ? "real32" : "real64", row->terms,
             row->by_array ? "array" : "scalar", row->subgrid);
}

static bool fits(const struct row *row, const struct cm_config *config)
{
    uint64_t slices = row->type == CM_TYPE_REAL64 ? 2 : 1;
    return row->subgrid * slices * (1 + row->terms * (row->by_array ? 2 : 1)) <
           config->memory_words / 2;
}

static void measure_all(const struct cm_config *config, const struct options *options)
{
    char name[64];
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t n = 0; n < sizeof term_counts / sizeof *term_counts; n++)
            for (int by_array = 0; by_array < 2; by_array++)
                for (size_t s = 0; s < sizeof subgrids / sizeof *subgrids; s++) {
                    struct row row = {types[t], term_counts[n], by_array, subgrids[s]};
                    name_row(&row, name, sizeof name);
                    if (fits(&row, config) && (!options->only || strstr(name, options->only)))
                        measure(&row, name, config, options);
                }
}

int main(int argc, char **argv)
{
    static const char *const hosts[] = {"128-bit vectors", "AVX2", "AVX-512"};
    struct cm_config config;
    struct cm_error err;
    struct options options = {.machine = "configs/cm200.json", .seconds = 0.1};
    for (int i = 1; i + 1 < argc; i += 2) {
        uint32_t number = (uint32_t)strtoul(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--machine") == 0)
            options.machine = argv[i + 1];
        else if (strcmp(argv[i], "--only") == 0)
            options.only = argv[i + 1];
        else if (strcmp(argv[i], "--seconds") == 0)
            options.seconds = strtod(argv[i + 1], NULL);
        else if (strcmp(argv[i], "--threads") == 0)
            options.machine_options.threads = number;
        else if (strcmp(argv[i], "--block") == 0)
            options.machine_options.block_nodes = number;
        else if (strcmp(argv[i], "--waiting") == 0)
            options.machine_options.waiting = number;
    }
    stop(cm_config_read(options.machine, &config, &err), &err);
    printf("combine, %u nodes, data moving; %s\n  %-32s %10s %10s %7s %8s\n", NODES,
           hosts[cm_host()], "type terms coefficients subgrid", "CM ms", "wall ms", "factor",
           "median");
    measure_all(&config, &options);
    return 0;
}
