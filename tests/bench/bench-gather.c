/*
 * How fast gets and sends are: 2,048 nodes with data, against the machine's own time. Prints a
 * table; it is a benchmark and fails only when something cannot be run.
 *
 *   bench gather [--machine FILE] [--threads N] [--seconds S]
 */
#include "../../base/random.h"
#include "../../programs/gather/gather.h"
#include "../harness/program.h"
#include "bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODES  2048u
#define LENGTH 262144u

enum pattern { NEIGHBOUR, REVERSED, RANDOM, TENTH, ONE };

static const struct row {
    const char *name;
    enum cm_gather_kind kind;
    enum cm_gather_op op;
    enum cm_type type;
    enum pattern pattern;
} rows[] = {
    {"get-neighbour", CM_GATHER_GET, CM_GATHER_OVERWRITE, CM_TYPE_REAL64, NEIGHBOUR},
    {"get-reversed", CM_GATHER_GET, CM_GATHER_OVERWRITE, CM_TYPE_REAL64, REVERSED},
    {"get-random", CM_GATHER_GET, CM_GATHER_OVERWRITE, CM_TYPE_REAL64, RANDOM},
    {"send-random", CM_GATHER_SEND, CM_GATHER_OVERWRITE, CM_TYPE_REAL64, RANDOM},
    {"send-add-random", CM_GATHER_SEND, CM_GATHER_ADD, CM_TYPE_REAL32, RANDOM},
    {"send-add-tenth", CM_GATHER_SEND, CM_GATHER_ADD, CM_TYPE_REAL32, TENTH},
    {"send-add-one", CM_GATHER_SEND, CM_GATHER_ADD, CM_TYPE_REAL32, ONE},
};

static int32_t subscript(enum pattern pattern, uint32_t e)
{
    const uint32_t random = (uint32_t)(cm_splitmix64(1, e) >> 32);
    switch (pattern) {
    case NEIGHBOUR:
        return (int32_t)((e + 128) % LENGTH);
    case REVERSED:
        return (int32_t)(LENGTH - 1 - e);
    case RANDOM:
        return (int32_t)(random % LENGTH);
    case TENTH:
        return (int32_t)(random % (LENGTH / 10));
    default:
        return 0;
    }
}

static struct cm_array *array_of(struct cm_system *system, const char *name, enum cm_type type)
{
    struct cm_layout_request request = {.type = type, .rank = 1, .shape = {LENGTH}, .weights = {1}};
    struct cm_layout layout;
    struct cm_array *array;
    struct cm_error err;
    stop(cm_layout_create(&request, NODES, &layout, &err), &err);
    stop(cm_array_create(system, name, &layout, &array, &err), &err);
    return array;
}

static void fill(struct cm_system *system, struct cm_array *array, enum pattern pattern)
{
    struct cm_error err;
    int32_t *numbers = calloc(LENGTH, sizeof *numbers);
    for (uint32_t e = 0; numbers && e < LENGTH; e++)
        numbers[e] = subscript(pattern, e);
    if (numbers)
        stop(cm_array_scatter(system, array, numbers, &err), &err);
    free(numbers);
}

static void bench(const struct row *row, const struct cm_config *config, uint32_t threads,
                  double least_seconds)
{
    const struct cm_machine_options options = {.nodes = NODES, .threads = threads};
    struct cm_system *system;
    struct cm_gather *gather;
    struct cm_error err;
    stop(cm_system_create(config, &options, &system, &err), &err);
    struct cm_array *src = array_of(system, "src", row->type);
    struct cm_array *dst = array_of(system, "dst", row->type);
    struct cm_array *index = array_of(system, "index", CM_TYPE_INT32);
    const struct cm_gather_task task = {
        .kind = row->kind, .op = row->op, .dst = dst->layout, .src = src->layout};
    const struct cm_gather_arrays arrays = {.dst = dst, .src = src, .subscripts = {index}};
    fill(system, index, row->pattern);
    stop(cm_gather_setup(system, &task, &gather, &err), &err);
    double best = 1e9, total = 0;
    uint64_t cycles = 0;
    for (uint32_t i = 0; total < least_seconds || i < 1; i++) {
        const uint64_t before = cm_machine_counters(cm_system_machine(system)).cycles;
        const double begin = now_seconds();
        stop(cm_gather_call(system, gather, &arrays, &err), &err);
        const double spent = now_seconds() - begin;
        cycles = cm_machine_counters(cm_system_machine(system)).cycles - before;
        best = spent < best ? spent : best;
        total += spent;
    }
    const struct cm_gather_info info = cm_gather_info(gather);
    const double simulated = (double)cycles / (double)config->clock_hz;
    printf("%-16s %9" PRIu64 " cycles, %7.2f ms simulated, %8.2f ms on the host, real-time factor "
           "%5.3f; %" PRIu64 " packets, %" PRIu64 " collisions\n",
           row->name, cycles, simulated * 1e3, best * 1e3, simulated / best, info.packets,
           info.collisions);
    cm_gather_deallocate(gather);
    cm_array_destroy(system, src);
    cm_array_destroy(system, dst);
    cm_array_destroy(system, index);
    cm_system_destroy(system);
}

CM_PROGRAM(gather)
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
    printf("gets and sends: %u nodes, %u elements\n", NODES, LENGTH);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        bench(&rows[i], &config, threads, seconds);
    return 0;
}
