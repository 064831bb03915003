/* The step qcd: for each site of a lattice, the sum over the links to its neighbours. */
#include "../../qcd/qcd.h"
#include "../../../report/numbers.h"
#include "../reference.h"
#include "../step.h"

#include <inttypes.h>

struct qcd {
    enum cm_qcd_kernel kernel;
    enum cm_qcd_way way;
    struct cm_array_reference dst, src, links[CM_QCD_AXES];
};

struct state {
    struct cm_qcd *qcd;
    struct cm_qcd_info info;
};

CM_NAMES_OF(kernel_name, cm_qcd_kernel_name, enum cm_qcd_kernel)
CM_NAMES_OF(way_name, cm_qcd_way_name, enum cm_qcd_way)

static const struct cm_key keys[] = {
    CM_KEY(NAME, "kernel", struct qcd, kernel,
           "staggered: a real colour vector a site; wilson: four spins of a complex one",
           .required = true, .max = CM_QCD_KERNELS - 1, .name_of = kernel_name),
    CM_KEY(ARRAY, "dst", struct qcd, dst, "the field that gets the result; may be src",
           .required = true),
    CM_KEY(ARRAY, "src", struct qcd, src,
           "the field: real [3, 2, nx, ny, nz, nt], or complex [3, 4, nx, ny, nz, nt]",
           .required = true),
    CM_KEY(ARRAY, "ux", struct qcd, links[0],
           "the links along x: real [3, 3, 2, nx, ny, nz, nt], or complex [3, 3, nx, ny, nz, nt]",
           .required = true),
    CM_KEY(ARRAY, "uy", struct qcd, links[1], "the links along y", .required = true),
    CM_KEY(ARRAY, "uz", struct qcd, links[2], "the links along z", .required = true),
    CM_KEY(ARRAY, "ut", struct qcd, links[3], "the links along t", .required = true),
    CM_KEY(NAME, "by", struct qcd, way,
           "how vectors come to their neighbours: halo, only between nodes; pshift, eight shifts "
           "in one PSHIFT; cshift, eight CSHIFTs",
           .max = CM_QCD_WAYS - 1, .name_of = way_name),
};

static void read_qcd(struct cm_workload *workload, struct cm_workload_step *step,
                     struct cm_reader *reader)
{
    const struct qcd *own = step->own;
    cm_workload_expect_same_type(workload, reader, own->dst, own->src);
    for (uint32_t mu = 0; mu < CM_QCD_AXES; mu++)
        cm_workload_expect_same_type(workload, reader, own->links[mu], own->links[0]);
}

static enum cm_status prepare(struct cm_run *run, struct cm_run_step *step, struct cm_error *err)
{
    const struct qcd *own = step->step->own;
    struct state *state = step->state;
    const struct cm_qcd_task task = {.kernel = own->kernel,
                                     .way = own->way,
                                     .field = cm_run_array_of(run, own->src)->layout,
                                     .link = cm_run_array_of(run, own->links[0])->layout};
    enum cm_status status = cm_run_expect_layout(run, own->dst, own->src, err);
    for (uint32_t mu = 1; status == CM_OK && mu < CM_QCD_AXES; mu++)
        status = cm_run_expect_layout(run, own->links[mu], own->links[0], err);
    if (status != CM_OK)
        return status;
    status = cm_qcd_setup(run->system, &task, &state->qcd, err);
    if (status != CM_OK)
        return cm_workload_place(own->src.json, err);
    state->info = cm_qcd_info(run->system, state->qcd);
    step->path = own->way == CM_QCD_CSHIFT ? "imp+runtime" : "imp";
    return CM_OK;
}

static enum cm_status run_qcd(struct cm_run *run, struct cm_run_step *step, struct cm_error *err)
{
    const struct qcd *own = step->step->own;
    const struct state *state = step->state;
    const struct cm_array *links[CM_QCD_AXES];
    for (uint32_t mu = 0; mu < CM_QCD_AXES; mu++)
        links[mu] = cm_run_array_of(run, own->links[mu]);
    return cm_qcd_call(run->system, state->qcd, cm_run_array_of(run, own->dst),
                       cm_run_array_of(run, own->src), links, err);
}

static enum cm_status check(struct cm_run *run, const struct cm_run_step *step,
                            struct cm_step_result *result, struct cm_error *err)
{
    const struct qcd *own = step->step->own;
    const struct cm_reference_array *links[CM_QCD_AXES];
    for (uint32_t mu = 0; mu < CM_QCD_AXES; mu++)
        links[mu] = &run->reference[own->links[mu].number];
    enum cm_status status = cm_reference_qcd(own->kernel, &run->reference[own->dst.number],
                                             &run->reference[own->src.number], links, err);
    return status == CM_OK ? cm_run_check_array(run, step, own->dst.number, 0, result, err)
                           : status;
}

static void report(const struct cm_step_result *result, struct cm_report *report)
{
    const struct state *state = result->state;
    const struct cm_qcd_info *info = &state->info;
    struct cm_report out = *report;
    if (result->times == 0)
        out.text = NULL; /* not executed: no text */
    cm_report_text(&out, "\n  qcd %s: %s sites of %s operations", result->where,
                   cm_format_count(info->sites).text, cm_format_count(info->site_operations).text);
    if (result->counters.cycles > 0)
        cm_report_text(&out, ", %.3f operations a cycle",
                       (double)info->sites * (double)info->site_operations * (double)result->times /
                           (double)result->counters.cycles);
    cm_report_text(&out, "\n");
    cm_report_u64(&out, "sites", info->sites);
    cm_report_u64(&out, "site_operations", info->site_operations);
    cm_report_u64(&out, "exchanges_of_a_call", info->exchanges);
    cm_report_u64(&out, "sites_an_iteration", info->unrolled);
    cm_report_u64(&out, "table_words", info->table_words);
    cm_report_u64(&out, "work_words", info->work_words);
}

static void finish(struct cm_run *run, struct cm_run_step *step)
{
    const struct state *state = step->state;
    cm_qcd_deallocate(run->system, state->qcd);
}

const struct cm_step_kind cm_step_qcd = {
    .name = "qcd",
    .summary = "the sum over the links of each site of a four-dimensional lattice",
    .example = "{\"qcd\": {\"kernel\": \"staggered\", \"dst\": \"b\", \"src\": \"a\", "
               "\"ux\": \"ux\", \"uy\": \"uy\", \"uz\": \"uz\", \"ut\": \"ut\"}}",
    .keys = keys,
    .key_count = CM_COUNT_OF(keys),
    .own_bytes = sizeof(struct qcd),
    .state_bytes = sizeof(struct state),
    .stateless = true,
    .path = "imp",
    .read = read_qcd,
    .prepare = prepare,
    .run = run_qcd,
    .check = check,
    .report = report,
    .finish = finish,
};
