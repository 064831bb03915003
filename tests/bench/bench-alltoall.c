/*
 * All-to-all communication of 2,048 nodes: cycles, exchanges and the rate of each algorithm, with
 * and without reordering in the nodes. Prints a table; it is a benchmark and fails only when
 * something cannot be run. Timing alone; with --data N, words of a block, one broadcast with data
 * against the machine's own time, several times.
 *
 *   bench alltoall [--machine FILE] [--threads N] [--data WORDS] [--order source]
 */
#include "../../programs/alltoall/alltoall.h"
#include "../harness/program.h"
#include "bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODES      2048u
#define DIMENSIONS 11u

struct bench {
    struct cm_config config;
    uint32_t threads;
    bool data;
};

static struct cm_array *array_of(struct cm_system *system, const char *name, uint64_t words)
{
    const struct cm_layout_request request = {.type = CM_TYPE_REAL32,
                                              .rank = 2,
                                              .shape = {words, NODES},
                                              .orders = {CM_ORDER_SERIAL, CM_ORDER_NEWS},
                                              .weights = {1, 1}};
    struct cm_layout layout;
    struct cm_array *array;
    struct cm_error err;
    stop(cm_layout_create(&request, NODES, &layout, &err), &err);
    stop(cm_array_create(system, name, &layout, &array, &err), &err);
    return array;
}

static void print_row(const struct bench *bench, const struct cm_alltoall_task *task,
                      const struct cm_alltoall_info *info, uint64_t cycles, double seconds)
{
    const double time = (double)cycles / (double)bench->config.clock_hz;
    const double bytes = 4.0 * (double)info->words_received;
    printf("| %s | %s | %s | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %.3g |",
           cm_alltoall_kind_name(task->kind), cm_alltoall_algorithm_name(task->algorithm),
           cm_alltoall_order_name(task->order), info->words, info->exchanges, info->bound, cycles,
           bytes / time / 1e9);
    if (bench->data)
        printf(" %.1f ms on this host, real-time factor %.2f", seconds * 1e3, time / seconds);
    printf("\n");
    fflush(stdout);
}

static void run(const struct bench *bench, const struct cm_alltoall_task *task)
{
    const struct cm_machine_options options = {
        .nodes = NODES, .threads = bench->threads, .timing_only = !bench->data};
    struct cm_system *system;
    struct cm_alltoall *alltoall;
    struct cm_error err;
    stop(cm_system_create(&bench->config, &options, &system, &err), &err);
    struct cm_array *src = array_of(system, "src", task->words * cm_alltoall_source_blocks(task));
    struct cm_array *dst = array_of(system, "dst", task->words * cm_alltoall_result_blocks(task));
    stop(cm_alltoall_setup(system, task, &alltoall, &err), &err);
    double best = 1e9, total = 0;
    uint64_t cycles = 0;
    for (uint32_t i = 0; i == 0 || (bench->data && (total < 1 || i < 2)); i++) {
        const uint64_t before = cm_machine_counters(cm_system_machine(system)).cycles;
        const double begin = now_seconds();
        stop(cm_alltoall_call(system, alltoall, dst, src, &err), &err);
        const double spent = now_seconds() - begin;
        cycles = cm_machine_counters(cm_system_machine(system)).cycles - before;
        best = spent < best ? spent : best;
        total += spent;
    }
    const struct cm_alltoall_info info = cm_alltoall_info(alltoall);
    print_row(bench, task, &info, cycles, best);
    cm_alltoall_deallocate(system, alltoall);
    cm_array_destroy(system, src);
    cm_array_destroy(system, dst);
    cm_system_destroy(system);
}

static bool can_do(enum cm_alltoall_kind kind, enum cm_alltoall_algorithm algorithm,
                   enum cm_alltoall_order order)
{
    if (order == CM_ALLTOALL_BY_DEPARTURE)
        return algorithm == CM_ALLTOALL_HAMILTONIAN && kind == CM_ALLTOALL_BROADCAST;
    if (kind == CM_ALLTOALL_ONE_TO_ALL || kind == CM_ALLTOALL_ONE_TO_EACH)
        return algorithm == CM_ALLTOALL_ROTATED &&
               (kind == CM_ALLTOALL_ONE_TO_EACH || order == CM_ALLTOALL_BY_SOURCE);
    if (algorithm == CM_ALLTOALL_ROUTER)
        return order == CM_ALLTOALL_BY_SOURCE; /* the other takes the same time */
    if (algorithm == CM_ALLTOALL_HAMILTONIAN)
        return kind == CM_ALLTOALL_BROADCAST;
    return kind == CM_ALLTOALL_BROADCAST || algorithm != CM_ALLTOALL_GRAY;
}

static void run_table(const struct bench *bench)
{
    static const uint64_t words[] = {22, 44, 220};
    struct cm_alltoall_task task = {.dimensions = DIMENSIONS};
    printf("| Kind | Algorithm | Order | K | Exchanges | At least | Cycles | Gbyte/s |\n"
           "|---|---|---|---|---|---|---|---|\n");
    for (uint32_t k = 0; k < 3; k++)
        for (uint32_t kind = 0; kind < CM_ALLTOALL_KINDS; kind++)
            for (uint32_t a = 0; a < CM_ALLTOALL_ALGORITHMS; a++)
                for (uint32_t order = CM_ALLTOALL_ORDERS; order > 0; order--) {
                    task.kind = (enum cm_alltoall_kind)kind;
                    task.algorithm = (enum cm_alltoall_algorithm)a;
                    task.order = (enum cm_alltoall_order)(order - 1);
                    task.words = words[k];
                    const bool large = kind == CM_ALLTOALL_PERSONALISED && task.words > 44;
                    const bool routed = a == CM_ALLTOALL_ROUTER && k > 0; /* as slow, for long */
                    if (!large && !routed && can_do(task.kind, task.algorithm, task.order))
                        run(bench, &task);
                }
    printf("published, CM-200 of 2,048 nodes (Mathur and Johnsson, 1995): 5.4 Gbyte/s without "
           "reordering in the node, 2.5 with it\n");
}

CM_PROGRAM(alltoall)
{
    struct bench bench = {.threads = 0};
    struct cm_alltoall_task task = {.dimensions = DIMENSIONS, .order = CM_ALLTOALL_BY_ARRIVAL};
    struct cm_error err;
    const char *machine = "configs/cm200.json";
    bool by_source = false;
    const struct test_option known[] = {{"machine", .text = &machine},
                                        {"threads", .count = &bench.threads},
                                        {"data", .number = &task.words},
                                        {"by-source", .flag = &by_source},
                                        {.name = NULL}};
    options_read(argc, argv, known);
    if (by_source)
        task.order = CM_ALLTOALL_BY_SOURCE;
    stop(cm_config_read(machine, &bench.config, &err), &err);
    bench.data = task.words > 0;
    if (bench.data)
        run(&bench, &task);
    else
        run_table(&bench);
    return 0;
}
