/*
 * How fast sorts are: 2,048 nodes with data, against the machine's own time, and the exchanges next
 * to those of one dimension after the other. Prints a table; it is a benchmark and fails only when
 * something cannot be run.
 *
 *   bench sort [--machine FILE] [--threads N] [--seconds S]
 *   bench sort --compare NAME [--largest RECORDS]     bitonic and by samples, the keys of row NAME:
 *                                                     all cubes, 16 to 16,384 records a node
 */
#include "../../programs/sort/sort.h"
#include "../harness/program.h"
#include "../property/random.h"
#include "bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODES 2048u

static const struct row {
    const char *name;
    enum cm_type type;
    bool ranked;
    uint32_t carried; /* arrays of real64 */
    uint32_t rank;
    uint64_t shape[2];
    enum cm_order orders[2]; /* sorted along the first axis */
} rows[] = {
    {"real32-2048", CM_TYPE_REAL32, false, 0, 1, {2048}, {CM_ORDER_NEWS}},
    {"real32-64k", CM_TYPE_REAL32, false, 0, 1, {65536}, {CM_ORDER_NEWS}},
    {"real32-1M", CM_TYPE_REAL32, false, 0, 1, {1048576}, {CM_ORDER_NEWS}},
    {"real32-8M", CM_TYPE_REAL32, false, 0, 1, {8388608}, {CM_ORDER_NEWS}},
    {"real32-8M-send", CM_TYPE_REAL32, false, 0, 1, {8388608}, {CM_ORDER_SEND}},
    {"int32-8M", CM_TYPE_INT32, false, 0, 1, {8388608}, {CM_ORDER_NEWS}},
    {"int32-8M-odd", CM_TYPE_INT32, false, 0, 1, {8386560}, {CM_ORDER_NEWS}},
    {"real64-8M", CM_TYPE_REAL64, false, 0, 1, {8388608}, {CM_ORDER_NEWS}},
    {"real32-8M-rank", CM_TYPE_REAL32, true, 0, 1, {8388608}, {CM_ORDER_NEWS}},
    {"real64-8M-rank", CM_TYPE_REAL64, true, 0, 1, {8388608}, {CM_ORDER_NEWS}},
    {"real64-2M-carry-2", CM_TYPE_REAL64, false, 2, 1, {2097152}, {CM_ORDER_NEWS}},
    {"real32-columns", CM_TYPE_REAL32, false, 0, 2, {2048, 4096}, {CM_ORDER_NEWS, CM_ORDER_NEWS}},
    {"real32-in-node", CM_TYPE_REAL32, false, 0, 2, {4096, 2048}, {CM_ORDER_SERIAL, CM_ORDER_NEWS}},
};

static struct cm_array *array_of(struct cm_system *system, const struct cm_layout *layout,
                                 enum cm_type type)
{
    struct cm_layout own = *layout;
    struct cm_array *array;
    struct cm_error err;
    own.type = type;
    own.slices = cm_type_slices(type);
    own.local_words = own.local_elements * own.slices;
    stop(cm_array_create(system, "array", &own, &array, &err), &err);
    return array;
}

static void fill(struct cm_system *system, struct cm_array *array)
{
    const enum cm_type type = array->layout.type;
    void *numbers = calloc(array->layout.elements, cm_type_host_bytes(type));
    struct cm_random random = cm_random_of_case(20261122, 0);
    struct cm_error err;
    for (uint64_t e = 0; numbers && e < array->layout.elements; e++) {
        const uint32_t bits = (uint32_t)cm_random_next(&random);
        if (type == CM_TYPE_REAL64)
            ((double *)numbers)[e] = (double)bits / 65537 - 10000;
        else if (type == CM_TYPE_REAL32)
            ((float *)numbers)[e] = (float)bits / 65537.0f - 10000;
        else
            ((int32_t *)numbers)[e] = (int32_t)bits;
    }
    if (numbers)
        stop(cm_array_scatter(system, array, numbers, &err), &err);
    free(numbers);
}

/* Exchanges when one dimension works at a time. */
static uint64_t one_at_a_time(const struct cm_sort_info *info, uint32_t channels)
{
    const uint64_t words = info->values * info->record_words, d = info->dimensions;
    return d * (d + 1) / 2 * ((words + channels - 1) / channels);
}

static void print_row(const struct row *row, const struct cm_config *config,
                      const struct cm_sort_info *info, uint64_t cycles, double seconds)
{
    const double simulated = (double)cycles / (double)config->clock_hz;
    printf("%-18s %11" PRIu64 " cycles, %8.2f ms simulated, %8.2f ms on the host, real-time factor "
           "%5.2f; %" PRIu64 " records a node of %" PRIu32 " words: %" PRIu64 " exchanges (%" PRIu64
           " one dimension at a time), %.0f cycles a record, SRAM %" PRIu64 " words\n",
           row->name, cycles, simulated * 1e3, seconds * 1e3, simulated / seconds, info->values,
           info->record_words, info->exchanges,
           one_at_a_time(info, config->network_channels_per_dimension),
           (double)cycles / (double)info->values, info->sram_words);
    fflush(stdout);
}

static void bench(const struct row *row, const struct cm_config *config, uint32_t threads,
                  double least_seconds)
{
    const struct cm_machine_options options = {.nodes = NODES, .threads = threads};
    struct cm_layout_request request = {.type = row->type, .rank = row->rank, .weights = {1, 1}};
    struct cm_sort_task task = {.ranked = row->ranked, .carried = row->carried};
    struct cm_system *system;
    struct cm_array *carried[CM_SORT_CARRIED_MAX];
    struct cm_sort *sort;
    struct cm_error err;
    memcpy(request.shape, row->shape, sizeof row->shape);
    memcpy(request.orders, row->orders, sizeof row->orders);
    stop(cm_layout_create(&request, NODES, &task.layout, &err), &err);
    stop(cm_system_create(config, &options, &system, &err), &err);
    struct cm_sort_arrays arrays = {.dst = array_of(system, &task.layout, row->type),
                                    .rank = array_of(system, &task.layout, CM_TYPE_INT32)};
    struct cm_array *src = array_of(system, &task.layout, row->type);
    arrays.src = src;
    fill(system, src);
    for (uint32_t i = 0; i < row->carried; i++) {
        task.carried_types[i] = CM_TYPE_REAL64;
        carried[i] = array_of(system, &task.layout, CM_TYPE_REAL64);
        arrays.carried[i].src = arrays.carried[i].dst = carried[i];
    }
    stop(cm_sort_setup(system, &task, &sort, &err), &err);
    const struct cm_sort_info info = cm_sort_info(sort);
    double best = 1e9, total = 0;
    uint64_t cycles = 0;
    while (total < least_seconds) {
        const uint64_t before = cm_machine_counters(cm_system_machine(system)).cycles;
        const double begin = now_seconds();
        stop(cm_sort_call(system, sort, &arrays, &err), &err);
        const double spent = now_seconds() - begin;
        cycles = cm_machine_counters(cm_system_machine(system)).cycles - before;
        best = spent < best ? spent : best;
        total += spent;
    }
    print_row(row, config, &info, cycles, best);
    cm_sort_deallocate(system, sort);
    for (uint32_t i = 0; i < row->carried; i++)
        cm_array_destroy(system, carried[i]);
    cm_array_destroy(system, src);
    cm_array_destroy(system, arrays.dst);
    cm_array_destroy(system, arrays.rank);
    cm_system_destroy(system);
}

/* Cycles of one sort; 0 where it is not done by the method. The method auto is set up alone. */
static uint64_t cycles_of(const struct row *row, const struct cm_config *config,
                          uint32_t dimensions, uint64_t records, enum cm_sort_method method,
                          struct cm_sort_info *info)
{
    const struct cm_machine_options options = {.nodes = UINT32_C(1) << dimensions,
                                               .timing_only = method == CM_SORT_BITONIC};
    const struct cm_layout_request request = {.type = row->type,
                                              .rank = 1,
                                              .shape = {records << dimensions},
                                              .orders = {CM_ORDER_NEWS},
                                              .weights = {1}};
    struct cm_sort_task task = {.ranked = row->ranked, .method = method};
    struct cm_system *system;
    struct cm_sort *sort;
    struct cm_error err;
    stop(cm_layout_create(&request, options.nodes, &task.layout, &err), &err);
    stop(cm_system_create(config, &options, &system, &err), &err);
    struct cm_array *src = array_of(system, &task.layout, row->type);
    struct cm_array *rank = array_of(system, &task.layout, CM_TYPE_INT32);
    const struct cm_sort_arrays arrays = {.dst = src, .src = src, .rank = rank};
    fill(system, src);
    stop(cm_sort_setup(system, &task, &sort, &err), &err);
    if (method != CM_SORT_AUTO)
        stop(cm_sort_call(system, sort, &arrays, &err), &err);
    const uint64_t cycles = cm_machine_counters(cm_system_machine(system)).cycles;
    *info = cm_sort_info(sort);
    cm_sort_deallocate(system, sort);
    cm_array_destroy(system, src);
    cm_array_destroy(system, rank);
    cm_system_destroy(system);
    return info->method == method ? cycles : 0;
}

static void compare(const char *name, const struct cm_config *config, uint64_t largest)
{
    const struct row *row = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, name) == 0 && rows[i].rank == 1 && rows[i].carried == 0)
            row = &rows[i];
    if (!row) {
        printf("there is no row \"%s\" without carried arrays\n", name);
        return;
    }
    for (uint32_t dimensions = 0; dimensions <= 11; dimensions++)
        for (uint64_t records = 16; records <= 16384; records *= 2) {
            struct cm_sort_info info, chosen;
            if (records << dimensions > largest)
                break;
            const uint64_t bitonic =
                cycles_of(row, config, dimensions, records, CM_SORT_BITONIC, &info);
            const uint64_t sample =
                cycles_of(row, config, dimensions, records, CM_SORT_SAMPLE, &info);
            cycles_of(row, config, dimensions, records, CM_SORT_AUTO, &chosen);
            printf("%s d %2" PRIu32 " records %6" PRIu64 " bitonic %10" PRIu64 " sample %10" PRIu64
                   " auto %s; samples %4" PRIu64 ", %6" PRIu64 " records of %6" PRIu64 "%s\n",
                   name, dimensions, records, bitonic, sample, cm_sort_method_name(chosen.method),
                   info.samples, info.most, info.capacity, info.overflowed ? " overflow" : "");
            fflush(stdout);
        }
}

CM_PROGRAM(sort)
{
    struct cm_config config;
    struct cm_error err;
    const char *machine = "configs/cm200.json";
    uint32_t threads = 0;
    const char *name = NULL;
    uint64_t largest = UINT64_C(1) << 25;
    double seconds = 0.1;
    const struct test_option known[] = {
        {"machine", .text = &machine},   {"threads", .count = &threads},
        {"seconds", .real = &seconds},   {"compare", .text = &name},
        {"largest", .number = &largest}, {.name = NULL}};
    options_read(argc, argv, known);
    stop(cm_config_read(machine, &config, &err), &err);
    if (name) {
        compare(name, &config, largest);
        return 0;
    }
    printf("sorts: %u nodes\n", NODES);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        bench(&rows[i], &config, threads, seconds);
    return 0;
}
