/*
 * How fast transposes are: 2,048 nodes with data, against the machine's own time; exchanges next to
 * the lower bound, and the router on the same arrays. Prints a table; it is a benchmark and fails
 * only when something cannot be run.
 *
 *   bench transpose [--machine FILE] [--threads N] [--seconds S] [--only ROW]
 *
 * With --only, one row, by exchanges alone.
 */
#include "../../programs/transpose/transpose.h"
#include "../harness/program.h"
#include "bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODES 2048u

static const struct row {
    const char *name;
    enum cm_type type;
    uint32_t rank;
    uint64_t shape[3];
    enum cm_order first; /* of the first axis of source and destination; the others are NEWS */
    uint32_t axes[2];
    bool by_router; /* too */
} rows[] = {
    {"square-real32", CM_TYPE_REAL32, 2, {2048, 2048}, CM_ORDER_NEWS, {0, 1}, true},
    {"square-real64", CM_TYPE_REAL64, 2, {2048, 2048}, CM_ORDER_NEWS, {0, 1}, false},
    {"wide-real32", CM_TYPE_REAL32, 2, {4096, 1024}, CM_ORDER_NEWS, {0, 1}, false},
    {"narrow-real32", CM_TYPE_REAL32, 2, {32768, 128}, CM_ORDER_NEWS, {0, 1}, false},
    {"planes-real32", CM_TYPE_REAL32, 3, {128, 128, 256}, CM_ORDER_NEWS, {0, 1}, false},
    {"pencils-real32", CM_TYPE_REAL32, 2, {2048, 2048}, CM_ORDER_SERIAL, {0, 1}, true},
    {"pencils-real64", CM_TYPE_REAL64, 3, {256, 256, 64}, CM_ORDER_SERIAL, {0, 1}, false},
    {"square-4096-real32", CM_TYPE_REAL32, 2, {4096, 2048}, CM_ORDER_NEWS, {0, 1}, false},
};

static void fill(struct cm_system *system, struct cm_array *array)
{
    const size_t bytes = cm_type_host_bytes(array->layout.type);
    unsigned char *elements = calloc(array->layout.elements, bytes);
    struct cm_error err;
    for (uint64_t e = 0; elements && e < array->layout.elements; e++)
        memcpy(elements + e * bytes, &e, 4);
    if (elements)
        stop(cm_array_scatter(system, array, elements, &err), &err);
    free(elements);
}

static void make_task(const struct row *row, struct cm_transpose_task *task)
{
    struct cm_layout_request request = {
        .type = row->type, .rank = row->rank, .orders = {row->first}, .weights = {1, 1, 1}};
    struct cm_error err;
    memcpy(request.shape, row->shape, sizeof row->shape);
    stop(cm_layout_create(&request, NODES, &task->src, &err), &err);
    request.shape[row->axes[0]] = row->shape[row->axes[1]];
    request.shape[row->axes[1]] = row->shape[row->axes[0]];
    stop(cm_layout_create(&request, NODES, &task->dst, &err), &err);
    task->axes[0] = row->axes[0];
    task->axes[1] = row->axes[1];
}

static void bench(const struct row *row, enum cm_transpose_algorithm algorithm,
                  const struct cm_config *config, uint32_t threads, double least_seconds)
{
    const struct cm_machine_options options = {.nodes = NODES, .threads = threads};
    struct cm_transpose_task task = {.algorithm = algorithm};
    struct cm_system *system;
    struct cm_array *src, *dst;
    struct cm_transpose *transpose;
    struct cm_error err;
    make_task(row, &task);
    stop(cm_system_create(config, &options, &system, &err), &err);
    stop(cm_array_create(system, "src", &task.src, &src, &err), &err);
    stop(cm_array_create(system, "dst", &task.dst, &dst, &err), &err);
    fill(system, src);
    stop(cm_transpose_setup(system, &task, &transpose, &err), &err);
    double best = 1e9, processor = 1e9, total = 0;
    uint64_t cycles = 0;
    for (uint32_t i = 0; total < least_seconds || i < 1; i++) {
        const uint64_t before = cm_machine_counters(cm_system_machine(system)).cycles;
        const double begin = now_seconds(), used = processor_seconds();
        stop(cm_transpose_call(system, transpose, dst, src, &err), &err);
        const double spent = now_seconds() - begin, work = processor_seconds() - used;
        cycles = cm_machine_counters(cm_system_machine(system)).cycles - before;
        best = spent < best ? spent : best;
        processor = work < processor ? work : processor;
        total += spent;
    }
    const struct cm_transpose_info info = cm_transpose_info(transpose);
    const double simulated = (double)cycles / (double)config->clock_hz;
    printf("%-20s %-8s %9" PRIu64 " cycles, %7.2f ms simulated, %8.2f ms on the host, %8.2f ms "
           "of processors, real-time factor %5.2f; K %5" PRIu64 ", %2" PRIu32
           " dimensions, %5" PRIu64 " exchanges, bound %5" PRIu64 "\n",
           row->name, info.chained ? "chains" : cm_transpose_algorithm_name(info.algorithm), cycles,
           simulated * 1e3, best * 1e3, processor * 1e3, simulated / best, info.words,
           info.dimensions, info.exchanges, info.lower_bound);
    cm_transpose_deallocate(system, transpose);
    cm_array_destroy(system, src);
    cm_array_destroy(system, dst);
    cm_system_destroy(system);
}

CM_PROGRAM(transpose)
{
    struct cm_config config;
    struct cm_error err;
    const char *machine = "configs/cm200.json";
    const char *only = NULL;
    uint32_t threads = 0;
    double seconds = 1;
    const struct test_option known[] = {{"machine", .text = &machine},
                                        {"threads", .count = &threads},
                                        {"seconds", .real = &seconds},
                                        {"only", .text = &only},
                                        {.name = NULL}};
    options_read(argc, argv, known);
    stop(cm_config_read(machine, &config, &err), &err);
    printf("transposes: %u nodes (bar: real-time factor 1)\n", NODES);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (only && strcmp(only, rows[i].name) != 0)
            continue;
        bench(&rows[i], CM_TRANSPOSE_EXCHANGE, &config, threads, seconds);
        if (rows[i].by_router && !only)
            bench(&rows[i], CM_TRANSPOSE_ROUTER, &config, threads, 0);
    }
    return 0;
}
