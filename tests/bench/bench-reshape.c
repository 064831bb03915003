/*
 * How fast reshapes are: 2,048 nodes, 4,096 words a node, ten processor dimensions to exchange,
 * with data, against the machine's own time; and how long a plan takes. Prints a table; it is a
 * benchmark and fails only when something cannot be run.
 *
 *   bench reshape [--machine FILE] [--threads N] [--seconds S]
 */
#include "../../programs/reshape/reshape.h"
#include "../harness/program.h"
#include "bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NODES 2048u

/* Shapes with the first axis fastest; D has ten, or five, of the eleven processor dimensions. */
static const struct row {
    const char *name;
    enum cm_reshape_algorithm algorithm;
    uint64_t from[6], to[6];
    uint32_t from_rank, to_rank;
} rows[] = {
    {"rotate, delta 10", CM_RESHAPE_ROTATE, {16384, 4, 4, 4, 4, 2}, {8192, 4, 4, 4, 4, 4}, 6, 6},
    {"rotate, delta 5", CM_RESHAPE_ROTATE, {8388608}, {16384, 4, 4, 4, 4, 2}, 1, 6},
    {"two-path, delta 5", CM_RESHAPE_TWO_PATH, {8388608}, {16384, 4, 4, 4, 4, 2}, 1, 6},
    {"pipeline, delta 5", CM_RESHAPE_PIPELINE, {8388608}, {16384, 4, 4, 4, 4, 2}, 1, 6},
};

static struct cm_reshape_task task_of(const struct row *row)
{
    struct cm_error err;
    struct cm_reshape_task task = {.algorithm = row->algorithm, .slices = 1};
    stop(cm_allocation_create(&(struct cm_allocation_request){row->from, row->from_rank, NODES,
                                                              CM_ENCODING_GRAY, CM_PROCESSOR_HIGH,
                                                              0},
                              &task.from, &err),
         &err);
    stop(cm_allocation_create(&(struct cm_allocation_request){row->to, row->to_rank, NODES,
                                                              CM_ENCODING_GRAY, CM_PROCESSOR_HIGH,
                                                              0},
                              &task.to, &err),
         &err);
    return task;
}

static void bench_plan(const struct row *row)
{
    struct cm_error err;
    struct cm_reshape_plan plan;
    struct cm_reshape_task task = task_of(row);
    double best = 1e9;
    for (int i = 0; i < 20; i++) {
        double begin = now_seconds();
        stop(cm_reshape_plan_elements(&task, &plan, &err), &err);
        double spent = now_seconds() - begin;
        best = spent < best ? spent : best;
        cm_reshape_plan_finish(&plan);
    }
    printf("plan    %-18s  %8.3f ms (bar: 10 ms)\n", row->name, best * 1e3);
}

static void bench_run(const struct row *row, const struct cm_config *config, uint32_t threads,
                      double least_seconds)
{
    struct cm_error err;
    struct cm_system *system;
    struct cm_array *array;
    struct cm_layout layout;
    struct cm_machine_options options = {.nodes = NODES, .threads = threads};
    struct cm_layout_request request = {
        .type = CM_TYPE_REAL32, .rank = 1, .shape = {8388608}, .weights = {1}};
    struct cm_reshape_task task = task_of(row);
    stop(cm_system_create(config, &options, &system, &err), &err);
    stop(cm_layout_create(&request, NODES, &layout, &err), &err);
    stop(cm_array_create(system, "a", &layout, &array, &err), &err);
    stop(cm_reshape_prepare(system, &task, &err), &err);
    struct cm_machine *machine = cm_system_machine(system);
    double best = 1e9, total = 0;
    uint64_t cycles = 0;
    while (total < least_seconds) {
        uint64_t before = cm_machine_counters(machine).cycles;
        double begin = now_seconds();
        stop(cm_reshape(system, &task, array, &err), &err);
        double spent = now_seconds() - begin;
        cycles = cm_machine_counters(machine).cycles - before;
        best = spent < best ? spent : best;
        total += spent;
    }
    double simulated = (double)cycles / (double)config->clock_hz;
    printf("run     %-18s  %8.2f ms simulated, %8.2f ms on the host (%" PRIu32
           " threads), real-time factor %.2f (bar: 1)\n",
           row->name, simulated * 1e3, best * 1e3, cm_machine_threads(machine), simulated / best);
    cm_array_destroy(system, array);
    cm_system_destroy(system);
}

CM_PROGRAM(reshape)
{
    struct cm_config config;
    struct cm_error err;
    const char *machine = "configs/cm200.json";
    uint32_t threads = 0;
    double seconds = 1;
    const struct test_option known[] = {{"machine", .text = &machine},
                                        {"threads", .count = &threads},
                                        {"seconds", .real = &seconds},
                                        {.name = NULL}};
    options_read(argc, argv, known);
    stop(cm_config_read(machine, &config, &err), &err);
    printf("reshapes: %u nodes, K = 4096 words\n", NODES);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        bench_plan(&rows[i]);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        bench_run(&rows[i], &config, threads, seconds);
    return 0;
}
