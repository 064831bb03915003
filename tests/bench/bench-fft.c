/*
 * How fast FFTs are: 2^20 points on 2,048 nodes, with data, against the machine's own time, and
 * what rates the machine reaches. Prints a table; it is a benchmark and fails only when something
 * cannot be run.
 *
 *   bench fft [--machine FILE] [--threads N] [--seconds S] [--only NAME] [--block NODES]
 *             [--waiting N]
 *
 * --block: nodes of a lane block; --waiting: instructions that may wait for each other.
 */
#include "../../programs/fft/transform.h"
#include "../harness/program.h"
#include "bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NODES 2048u

static const struct row {
    const char *name;
    enum cm_type type;
    enum cm_fft_code code;
    uint32_t rank;
    uint64_t shape[4];
    bool stepwise, natural;
} rows[] = {
    {"complex64", CM_TYPE_COMPLEX64, CM_FFT_BINARY, 1, {1048576}, false, false},
    {"complex64-natural", CM_TYPE_COMPLEX64, CM_FFT_BINARY, 1, {1048576}, false, true},
    {"complex64-stepwise", CM_TYPE_COMPLEX64, CM_FFT_BINARY, 1, {1048576}, true, false},
    {"complex64-gray", CM_TYPE_COMPLEX64, CM_FFT_GRAY, 1, {1048576}, false, false},
    {"complex64-2d", CM_TYPE_COMPLEX64, CM_FFT_BINARY, 2, {1024, 1024}, false, false},
    {"complex64-3d", CM_TYPE_COMPLEX64, CM_FFT_BINARY, 3, {64, 128, 128}, false, false},
    {"complex128", CM_TYPE_COMPLEX128, CM_FFT_BINARY, 1, {1048576}, false, false},
};

static void make_task(const struct row *row, struct cm_fft_transform_task *task)
{
    struct cm_error err;
    struct cm_fft_request request = {
        .rank = row->rank, .mesh_rank = 1, .mesh_shape = {NODES}, .code = row->code};
    *task = (struct cm_fft_transform_task){.type = row->type,
                                           .order = CM_FFT_PREMORPHISM,
                                           .axes = CM_FFT_ALL_AXES,
                                           .stepwise = row->stepwise,
                                           .natural = row->natural};
    memcpy(request.shape, row->shape, sizeof row->shape);
    stop(cm_fft_mapping_create(&request, &task->mapping, &err), &err);
}

/* Small numbers, so that transforms of transforms stay finite for a while; inverses take turns with
 * them. */
static void fill(struct cm_system *system, struct cm_array *array)
{
    struct cm_error err;
    size_t bytes = array->layout.elements * cm_type_host_bytes(array->layout.type);
    void *numbers = calloc(1, bytes);
    uint64_t count = 2 * array->layout.elements;
    for (uint64_t i = 0; numbers && i < count; i++) {
        double value = (double)(i * 2654435761u % 1000) / 1000 - 0.5;
        if (array->layout.type == CM_TYPE_COMPLEX64)
            ((float *)numbers)[i] = (float)value;
        else
            ((double *)numbers)[i] = value;
    }
    if (numbers)
        stop(cm_array_scatter(system, array, numbers, &err), &err);
    free(numbers);
}

static void bench(const struct row *row, const struct cm_config *config,
                  struct cm_machine_options options, double least_seconds)
{
    struct cm_error err;
    struct cm_system *system;
    struct cm_array *array;
    struct cm_layout layout;
    struct cm_fft_report report;
    struct cm_fft_transform_task task;
    struct cm_layout_request request = {
        .type = row->type, .rank = row->rank, .weights = {1, 1, 1, 1}};
    memcpy(request.shape, row->shape, sizeof row->shape);
    make_task(row, &task);
    stop(cm_system_create(config, &options, &system, &err), &err);
    stop(cm_layout_create(&request, NODES, &layout, &err), &err);
    stop(cm_array_create(system, "a", &layout, &array, &err), &err);
    array->allocation = task.mapping.allocation;
    fill(system, array);
    double prepared = now_seconds();
    stop(cm_fft_transform_prepare(system, &task, &err), &err);
    prepared = now_seconds() - prepared;
    double best = 1e9, total = 0, processor = 1e9;
    for (uint32_t i = 0; total < least_seconds || i < 2; i++) {
        struct cm_fft_transform_task turn = task;
        clock_t ticks = clock();
        double begin = now_seconds();
        stop(cm_fft_transform(system, &turn, array, &report, &err), &err);
        double spent = now_seconds() - begin, used = (double)(clock() - ticks) / CLOCKS_PER_SEC;
        processor = used < processor ? used : processor;
        best = spent < best ? spent : best;
        total += spent;
        if (i % 4 == 3)
            fill(system, array);
    }
    double simulated = report.seconds + report.reorder_seconds;
    printf(
        "%-19s %8.2f + %6.2f ms simulated, %8.2f ms on the host (%.2f of processor time, %" PRIu32
        " threads), real-time factor %.2f; %.2f nominal Gflop/s (%.2f done), %.2f Gbyte/s moved, "
        "%" PRIu64 " exchanges; prepared in %.0f ms, %" PRIu64 " words a node\n",
        row->name, report.seconds * 1e3, report.reorder_seconds * 1e3, best * 1e3, processor * 1e3,
        cm_machine_threads(cm_system_machine(system)), simulated / best, report.nominal_gflops,
        report.gflops, report.gbytes_moved, report.counted.exchanges, prepared * 1e3,
        report.table_words);
    cm_array_destroy(system, array);
    cm_system_destroy(system);
}

CM_PROGRAM(fft)
{
    struct cm_config config;
    struct cm_error err;
    const char *machine = "configs/cm200.json", *only = NULL;
    struct cm_machine_options options = {.nodes = NODES};
    double seconds = 1;
    const struct test_option known[] = {{"machine", .text = &machine},
                                        {"threads", .count = &options.threads},
                                        {"block", .count = &options.block_nodes},
                                        {"waiting", .count = &options.deferred_max},
                                        {"seconds", .real = &seconds},
                                        {"only", .text = &only},
                                        {.name = NULL}};
    options_read(argc, argv, known);
    stop(cm_config_read(machine, &config, &err), &err);
    printf("FFTs: 2^20 points, %u nodes (bar: real-time factor 0.5)\n", NODES);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!only || strcmp(only, rows[i].name) == 0)
            bench(&rows[i], &config, options, seconds);
    return 0;
}
