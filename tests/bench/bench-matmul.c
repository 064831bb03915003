/*
 * Rates of matrix products on 2,048 nodes, next to the peak of 2 operations a cycle and node:
 * exchanges, cycles, Gflop/s. Prints the table of docs/programs/matmul.md; --data runs the smaller
 * sizes with data and prints the time on the host. It is a benchmark and fails only when something
 * cannot be run.
 *
 *   bench matmul [--machine FILE] [--threads N] [--data]
 */
#include "../../programs/matmul/matmul.h"
#include "../harness/program.h"
#include "bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODES 2048u

static const struct row {
    enum cm_type type;
    uint64_t m, k, n;
} rows[] = {
    {CM_TYPE_REAL32, 512, 512, 512},        {CM_TYPE_REAL32, 2048, 2048, 2048},
    {CM_TYPE_REAL32, 8192, 8192, 8192},     {CM_TYPE_REAL64, 512, 512, 512},
    {CM_TYPE_REAL64, 2048, 2048, 2048},     {CM_TYPE_REAL64, 8192, 8192, 8192},
    {CM_TYPE_COMPLEX64, 2048, 2048, 2048},  {CM_TYPE_COMPLEX64, 8192, 8192, 8192},
    {CM_TYPE_COMPLEX128, 4096, 4096, 4096}, {CM_TYPE_INT32, 2048, 2048, 2048},
};

struct options {
    struct cm_config config;
    uint32_t threads;
    bool data;
};

static struct cm_layout layout_of(enum cm_type type, uint64_t rows_count, uint64_t columns)
{
    const struct cm_layout_request request = {
        .type = type, .rank = 2, .shape = {rows_count, columns}, .weights = {1, 1}};
    struct cm_layout layout;
    struct cm_error err;
    stop(cm_layout_create(&request, NODES, &layout, &err), &err);
    return layout;
}

static void print_row(const struct options *options, const struct row *row,
                      const struct cm_matmul_info *info, const struct cm_counters *counters,
                      double host)
{
    const double seconds = (double)counters->cycles / (double)options->config.clock_hz;
    const double operations = (double)info->operations;
    printf("| %s | %" PRIu64 " | %s | %" PRIu32 " x %" PRIu32 " | %" PRIu32 " x %" PRIu32
           " | %" PRIu64 " | %" PRIu64 " | %.2f | %.1f %% |",
           cm_type_name(row->type), row->m, cm_matmul_algorithm_name(info->algorithm),
           info->row_nodes, info->column_nodes, info->tile[0], info->tile[1], info->exchanges,
           counters->cycles, operations / seconds * 1e-9,
           100 * operations / ((double)counters->cycles * 2 * NODES));
    if (host > 0)
        printf(" %.3f s on the host, real-time factor %.3f", host, seconds / host);
    printf("\n");
}

static void bench(const struct options *options, const struct row *row,
                  enum cm_matmul_algorithm algorithm)
{
    const struct cm_machine_options machine = {
        .nodes = NODES, .threads = options->threads, .timing_only = !options->data};
    const struct cm_matmul_task task = {.a = layout_of(row->type, row->m, row->k),
                                        .b = layout_of(row->type, row->k, row->n),
                                        .c = layout_of(row->type, row->m, row->n),
                                        .algorithm = algorithm};
    struct cm_array *a, *b, *c;
    struct cm_matmul *matmul;
    struct cm_system *system;
    struct cm_error err;
    stop(cm_system_create(&options->config, &machine, &system, &err), &err);
    stop(cm_array_create(system, "a", &task.a, &a, &err), &err);
    stop(cm_array_create(system, "b", &task.b, &b, &err), &err);
    stop(cm_array_create(system, "c", &task.c, &c, &err), &err);
    stop(cm_matmul_setup(system, &task, &matmul, &err), &err);
    const double begin = now_seconds();
    stop(cm_matmul_call(system, matmul, c, a, b, &err), &err);
    const double spent = now_seconds() - begin;
    const struct cm_matmul_info info = cm_matmul_info(matmul);
    const struct cm_counters counters = cm_machine_counters(cm_system_machine(system));
    print_row(options, row, &info, &counters, options->data ? spent : 0);
    cm_matmul_deallocate(system, matmul);
    cm_array_destroy(system, a);
    cm_array_destroy(system, b);
    cm_array_destroy(system, c);
    cm_system_destroy(system);
}

CM_PROGRAM(matmul)
{
    struct options options = {.threads = 0};
    struct cm_error err;
    const char *machine = "configs/cm200.json";
    const struct test_option known[] = {{"data", .flag = &options.data},
                                        {"machine", .text = &machine},
                                        {"threads", .count = &options.threads},
                                        {.name = NULL}};
    options_read(argc, argv, known);
    stop(cm_config_read(machine, &options.config, &err), &err);
    printf("products of square matrices on %u nodes\n", NODES);
    printf("| Type | Length | Algorithm | Grid | Tile | Exchanges | Cycles | Gflop/s | Of the peak "
           "|\n|---|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int algorithm = CM_MATMUL_CANNON; algorithm < CM_MATMUL_ALGORITHMS; algorithm++)
            if (rows[i].m <= 2048 || (!options.data && algorithm == CM_MATMUL_BROADCAST))
                bench(&options, &rows[i], (enum cm_matmul_algorithm)algorithm);
    return 0;
}
