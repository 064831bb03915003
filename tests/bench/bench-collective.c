/*
 * How fast reductions, scans and spreads are: 2,048 nodes with data, against the machine's own
 * time, and the exchanges next to those of one dimension after the other. Prints a table; it is a
 * benchmark and fails only when something cannot be run.
 *
 *   bench collective [--machine FILE] [--threads N] [--seconds S]
 */
#include "../../programs/collective/collective.h"
#include "../harness/program.h"
#include "bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODES 2048u

static const struct row {
    const char *name;
    enum cm_collective_kind kind;
    enum cm_collective_op op;
    enum cm_type type;
    uint32_t axis;
    uint32_t rank;
    uint64_t shape[2];
    enum cm_order first; /* of the first axis; the second is NEWS */
} rows[] = {
    {"sum-whole-real64",
     CM_COLLECTIVE_REDUCE,
     CM_COLLECTIVE_SUM,
     CM_TYPE_REAL64,
     CM_COLLECTIVE_WHOLE,
     1,
     {8388608},
     CM_ORDER_NEWS},
    {"maxloc-whole-real32",
     CM_COLLECTIVE_REDUCE,
     CM_COLLECTIVE_MAXLOC,
     CM_TYPE_REAL32,
     CM_COLLECTIVE_WHOLE,
     2,
     {2048, 4096},
     CM_ORDER_NEWS},
    {"sum-rows-real64",
     CM_COLLECTIVE_REDUCE,
     CM_COLLECTIVE_SUM,
     CM_TYPE_REAL64,
     0,
     2,
     {2048, 4096},
     CM_ORDER_NEWS},
    {"sum-4096-real32",
     CM_COLLECTIVE_REDUCE,
     CM_COLLECTIVE_SUM,
     CM_TYPE_REAL32,
     1,
     2,
     {4096, 8192},
     CM_ORDER_SERIAL},
    {"sum-2048-real64",
     CM_COLLECTIVE_REDUCE,
     CM_COLLECTIVE_SUM,
     CM_TYPE_REAL64,
     1,
     2,
     {2048, 8192},
     CM_ORDER_SERIAL},
    {"scan-sum-4096-real32",
     CM_COLLECTIVE_SCAN,
     CM_COLLECTIVE_SUM,
     CM_TYPE_REAL32,
     1,
     2,
     {4096, 8192},
     CM_ORDER_SERIAL},
    {"scan-sum-rank1-real64",
     CM_COLLECTIVE_SCAN,
     CM_COLLECTIVE_SUM,
     CM_TYPE_REAL64,
     0,
     1,
     {8388608},
     CM_ORDER_NEWS},
    {"spread-4096-real32",
     CM_COLLECTIVE_SPREAD,
     CM_COLLECTIVE_SUM,
     CM_TYPE_REAL32,
     1,
     2,
     {4096, 8192},
     CM_ORDER_SERIAL},
};

static void fill(struct cm_system *system, struct cm_array *array)
{
    const bool wide = array->layout.type == CM_TYPE_REAL64;
    void *numbers = calloc(array->layout.elements, cm_type_host_bytes(array->layout.type));
    struct cm_error err;
    for (uint64_t e = 0; numbers && e < array->layout.elements; e++) {
        const double value = (double)(e * 2654435761u % 1000) / 1000;
        if (wide)
            ((double *)numbers)[e] = value;
        else
            ((float *)numbers)[e] = (float)value;
    }
    if (numbers)
        stop(cm_array_scatter(system, array, numbers, &err), &err);
    free(numbers);
}

static void make_layouts(const struct row *row, struct cm_layout *src, struct cm_layout *dst)
{
    struct cm_layout_request request = {
        .type = row->type, .rank = row->rank, .orders = {row->first}, .weights = {1, 1}};
    struct cm_error err;
    memcpy(request.shape, row->shape, sizeof row->shape);
    stop(cm_layout_create(&request, NODES, src, &err), &err);
    if (row->kind != CM_COLLECTIVE_SPREAD)
        request.type = cm_collective_result_type(row->op, row->type);
    if (row->axis == CM_COLLECTIVE_WHOLE) {
        request.rank = 1;
        request.shape[0] = 1;
    }
    stop(cm_layout_create(&request, NODES, dst, &err), &err);
}

/* Exchanges when one dimension works at a time. */
static uint64_t one_at_a_time(const struct cm_collective_info *info, const struct row *row,
                              uint32_t channels)
{
    const bool located = row->op == CM_COLLECTIVE_MINLOC || row->op == CM_COLLECTIVE_MAXLOC;
    const uint64_t words = info->values * (cm_type_slices(row->type) + located);
    return info->dimensions * ((words + channels - 1) / channels);
}

static void bench(const struct row *row, const struct cm_config *config, uint32_t threads,
                  double least_seconds)
{
    const struct cm_machine_options options = {.nodes = NODES, .threads = threads};
    struct cm_collective_task task = {.kind = row->kind,
                                      .op = row->op,
                                      .axis = row->axis,
                                      .place = row->kind == CM_COLLECTIVE_REDUCE ? CM_COLLECTIVE_ALL
                                                                                 : 0};
    struct cm_system *system;
    struct cm_array *src, *dst;
    struct cm_collective *collective;
    struct cm_layout layout;
    struct cm_error err;
    make_layouts(row, &task.layout, &layout);
    stop(cm_system_create(config, &options, &system, &err), &err);
    stop(cm_array_create(system, "src", &task.layout, &src, &err), &err);
    stop(cm_array_create(system, "dst", &layout, &dst, &err), &err);
    fill(system, src);
    stop(cm_collective_setup(system, &task, &collective, &err), &err);
    const struct cm_collective_arrays arrays = {.dst = dst, .src = src};
    double best = 1e9, processor = 1e9, total = 0;
    uint64_t cycles = 0;
    for (uint32_t i = 0; total < least_seconds || i < 2; i++) {
        const uint64_t before = cm_machine_counters(cm_system_machine(system)).cycles;
        double begin = now_seconds(), used = processor_seconds();
        stop(cm_collective_call(system, collective, &arrays, NULL, &err), &err);
        double spent = now_seconds() - begin, work = processor_seconds() - used;
        cycles = cm_machine_counters(cm_system_machine(system)).cycles - before;
        best = spent < best ? spent : best;
        processor = work < processor ? work : processor;
        total += spent;
    }
    const struct cm_collective_info info = cm_collective_info(collective);
    const double simulated = (double)cycles / (double)config->clock_hz;
    printf("%-20s %10" PRIu64 " cycles, %7.2f ms simulated, %7.2f ms on the host, %7.2f ms of "
           "processors, real-time factor %5.2f; %" PRIu64 " values a node over %" PRIu32
           " dimensions: %" PRIu64 " exchanges (%" PRIu64 " one dimension at a time)\n",
           row->name, cycles, simulated * 1e3, best * 1e3, processor * 1e3, simulated / best,
           info.values, info.dimensions, info.exchanges,
           one_at_a_time(&info, row, config->network_channels_per_dimension));
    cm_collective_deallocate(system, collective);
    cm_array_destroy(system, src);
    cm_array_destroy(system, dst);
    cm_system_destroy(system);
}

CM_PROGRAM(collective)
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
    printf("reductions, scans and spreads: %u nodes (bar: real-time factor 1)\n", NODES);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        bench(&rows[i], &config, threads, seconds);
    return 0;
}
