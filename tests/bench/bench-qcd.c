/*
 * Rates of the lattice kernels on 2,048 nodes of a CM-2 and a CM-200, with CSHIFTs, with PSHIFT and
 * with halos: cycles a site and node, exchanges, Gflop/s. Prints the table of docs/programs/qcd.md.
 * It runs without data; it is a benchmark and fails only when something cannot be run.
 *
 *   bench qcd [--cm2 FILE] [--cm200 FILE]
 */
#include "../../programs/qcd/qcd.h"
#include "../harness/program.h"
#include "bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODES 2048u

static const struct row {
    enum cm_qcd_kernel kernel;
    enum cm_type type;
    uint64_t local[CM_QCD_AXES]; /* sites of a node; the nodes are 8 x 8 x 8 x 4 */
} rows[] = {
    {CM_QCD_STAGGERED, CM_TYPE_REAL32, {2, 2, 2, 2}},
    {CM_QCD_STAGGERED, CM_TYPE_REAL32, {4, 4, 4, 4}},
    {CM_QCD_STAGGERED, CM_TYPE_REAL32, {8, 8, 8, 8}},
    {CM_QCD_STAGGERED, CM_TYPE_REAL64, {4, 4, 4, 4}},
    {CM_QCD_WILSON, CM_TYPE_COMPLEX64, {2, 2, 2, 2}},
    {CM_QCD_WILSON, CM_TYPE_COMPLEX64, {4, 4, 4, 4}},
    {CM_QCD_WILSON, CM_TYPE_COMPLEX64, {8, 8, 8, 4}},
    {CM_QCD_WILSON, CM_TYPE_COMPLEX128, {4, 4, 4, 4}},
};

static struct cm_layout layout_of(const struct row *row, uint32_t head, const uint64_t *lengths)
{
    static const uint64_t nodes[CM_QCD_AXES] = {8, 8, 8, 4};
    struct cm_layout_request request = {.type = row->type, .rank = head + CM_QCD_AXES};
    struct cm_layout layout;
    struct cm_error err;
    for (uint32_t a = 0; a < request.rank; a++) {
        request.weights[a] = 1;
        request.orders[a] = a < head ? CM_ORDER_SERIAL : CM_ORDER_NEWS;
        request.shape[a] = a < head ? lengths[a] : row->local[a - head] * nodes[a - head];
    }
    stop(cm_layout_create(&request, NODES, &layout, &err), &err);
    return layout;
}

static struct cm_qcd_task task_of(const struct row *row, enum cm_qcd_way way)
{
    static const uint64_t vector[] = {3, 2}, spinor[] = {3, 4}, matrix[] = {3, 3, 2};
    const bool wilson = row->kernel == CM_QCD_WILSON;
    return (struct cm_qcd_task){.kernel = row->kernel,
                                .way = way,
                                .field = layout_of(row, 2, wilson ? spinor : vector),
                                .link = layout_of(row, wilson ? 2 : 3, matrix)};
}

static uint64_t run(const struct cm_config *config, const struct cm_qcd_task *task,
                    struct cm_qcd_info *info, uint64_t *exchanges)
{
    const struct cm_machine_options options = {.nodes = NODES, .timing_only = true};
    struct cm_array *dst, *src, *links[CM_QCD_AXES];
    struct cm_system *system;
    struct cm_qcd *qcd;
    struct cm_error err;
    stop(cm_system_create(config, &options, &system, &err), &err);
    stop(cm_array_create(system, "dst", &task->field, &dst, &err), &err);
    stop(cm_array_create(system, "src", &task->field, &src, &err), &err);
    for (uint32_t mu = 0; mu < CM_QCD_AXES; mu++)
        stop(cm_array_create(system, "u", &task->link, &links[mu], &err), &err);
    stop(cm_qcd_setup(system, task, &qcd, &err), &err);
    stop(cm_qcd_call(system, qcd, dst, src, (const struct cm_array *const *)links, &err), &err);
    const struct cm_counters counters = cm_machine_counters(cm_system_machine(system));
    *info = cm_qcd_info(system, qcd);
    *exchanges = counters.exchanges;
    cm_qcd_deallocate(system, qcd);
    for (uint32_t mu = 0; mu < CM_QCD_AXES; mu++)
        cm_array_destroy(system, links[mu]);
    cm_array_destroy(system, dst);
    cm_array_destroy(system, src);
    cm_system_destroy(system);
    return counters.cycles;
}

static void bench(const struct cm_config machines[2], const struct row *row, enum cm_qcd_way way)
{
    const struct cm_qcd_task task = task_of(row, way);
    struct cm_qcd_info info;
    uint64_t exchanges, cycles;
    double rates[2];
    for (uint32_t i = 0; i < 2; i++) {
        cycles = run(&machines[i], &task, &info, &exchanges);
        rates[i] = (double)(info.sites * info.site_operations) * (double)machines[i].clock_hz /
                   (double)cycles * 1e-9;
    }
    printf("| %s | %s | %" PRIu64 " x %" PRIu64 " x %" PRIu64 " x %" PRIu64 " | %s | %" PRIu64
           " | %" PRIu64 " | %.1f | %.2f | %.2f |\n",
           cm_qcd_kernel_name(row->kernel), cm_type_name(row->type), row->local[0], row->local[1],
           row->local[2], row->local[3], cm_qcd_way_name(way), exchanges, cycles,
           (double)cycles * NODES / (double)info.sites, rates[0], rates[1]);
}

CM_PROGRAM(qcd)
{
    const char *files[2] = {"configs/cm2.json", "configs/cm200.json"};
    struct cm_config machines[2];
    struct cm_error err;
    const struct test_option known[] = {
        {"cm2", .text = &files[0]}, {"cm200", .text = &files[1]}, {.name = NULL}};
    options_read(argc, argv, known);
    for (uint32_t i = 0; i < 2; i++)
        stop(cm_config_read(files[i], &machines[i], &err), &err);
    printf("lattice kernels on %u nodes; published for a CM-2, real32: 0.9 Gflop/s before and 5.2 "
           "after restructuring\n",
           NODES);
    printf("| Kernel | Type | Sites a node | By | Exchanges | Cycles | Cycles a site | CM-2, "
           "Gflop/s | CM-200, Gflop/s |\n|---|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bench(machines, &rows[i], CM_QCD_CSHIFT);
        bench(machines, &rows[i], CM_QCD_PSHIFT);
        bench(machines, &rows[i], CM_QCD_HALO);
    }
    return 0;
}
