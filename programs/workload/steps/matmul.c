/* The step matmul: the product of two matrices. */
#include "../../matmul/matmul.h"
#include "../../../report/numbers.h"
#include "../reference.h"
#include "../step.h"

#include <inttypes.h>

struct product {
    struct cm_array_reference a, b, dst;
    enum cm_matmul_algorithm algorithm;
};

CM_NAMES_OF(algorithm_name, cm_matmul_algorithm_name, enum cm_matmul_algorithm)

static const struct cm_key keys[] = {
    CM_KEY(ARRAY, "dst", struct product, dst, "the array that gets the product, m x n",
           .required = true),
    CM_KEY(ARRAY, "a", struct product, a, "the first factor, m x k", .required = true),
    CM_KEY(ARRAY, "b", struct product, b, "the second factor, k x n; may be the first",
           .required = true),
    CM_KEY(NAME, "algorithm", struct product, algorithm,
           "cannon moves blocks along rows and columns of nodes, broadcast sends panels to all "
           "nodes of a row or column, alltoall whole rows and columns at once, if they fit; auto "
           "takes the one with the fewest exchanges",
           .max = CM_MATMUL_ALGORITHMS - 1, .name_of = algorithm_name),
};

/* Refuses an array that is not a matrix in its canonical layout or does not have the
 * result's type. */
static void expect_matrix(const struct cm_workload *workload, struct cm_reader *reader,
                          const struct product *own, struct cm_array_reference array)
{
    const struct cm_layout_request *now = cm_workload_array_now(workload, array);
    const char *name = workload->arrays[array.number].name;
    cm_workload_expect_same_type(workload, reader, array, array);
    if (!cm_reader_ok(reader))
        return;
    const enum cm_type type = cm_workload_array_now(workload, own->dst)->type;
    if (now->rank != 2) {
        cm_reader_fail(reader, array.json, "\"%s\" has %" PRIu32 " dimension%s, expected 2", name,
                       now->rank, cm_plural(now->rank));
        cm_reader_hint(reader, "matmul multiplies matrices; a vector is a matrix of one column");
    } else if (now->type == CM_TYPE_LOGICAL || now->type != type) {
        cm_reader_fail(reader, array.json, "\"%s\" is %s, and \"%s\" is %s", name,
                       cm_type_name(now->type), workload->arrays[own->dst.number].name,
                       cm_type_name(type));
        cm_reader_hint(reader, "matmul takes three real, complex or int32 matrices of one type");
    }
}

static void expect_equal(const struct cm_workload *workload, struct cm_reader *reader,
                         struct cm_array_reference x, uint32_t x_dim, struct cm_array_reference y,
                         uint32_t y_dim)
{
    if (!cm_reader_ok(reader))
        return;
    const uint64_t one = cm_workload_array_now(workload, x)->shape[x_dim - 1];
    const uint64_t other = cm_workload_array_now(workload, y)->shape[y_dim - 1];
    if (one == other)
        return;
    cm_reader_fail(reader, x.json,
                   "dimension %" PRIu32 " of \"%s\" is %" PRIu64 ", but dimension %" PRIu32
                   " of \"%s\" is %" PRIu64,
                   x_dim, workload->arrays[x.number].name, one, y_dim,
                   workload->arrays[y.number].name, other);
    cm_reader_hint(reader, "m x k times k x n gives m x n");
}

static void read_matmul(struct cm_workload *workload, struct cm_workload_step *step,
                        struct cm_reader *reader)
{
    const struct product *own = step->own;
    expect_matrix(workload, reader, own, own->dst);
    expect_matrix(workload, reader, own, own->a);
    expect_matrix(workload, reader, own, own->b);
    expect_equal(workload, reader, own->b, 1, own->a, 2);
    expect_equal(workload, reader, own->dst, 1, own->a, 1);
    expect_equal(workload, reader, own->dst, 2, own->b, 2);
    if (!cm_reader_ok(reader) ||
        (own->dst.number != own->a.number && own->dst.number != own->b.number))
        return;
    cm_reader_fail(reader, own->dst.json, "\"%s\" is the product and a factor",
                   workload->arrays[own->dst.number].name);
    cm_reader_hint(reader, "use another array for the product; {\"like\": \"%s\"} makes one",
                   workload->arrays[own->dst.number].name);
}

static enum cm_status prepare(struct cm_run *run, struct cm_run_step *step, struct cm_error *err)
{
    const struct product *own = step->step->own;
    const struct cm_matmul_task task = {.a = cm_run_array_of(run, own->a)->layout,
                                        .b = cm_run_array_of(run, own->b)->layout,
                                        .c = cm_run_array_of(run, own->dst)->layout,
                                        .algorithm = own->algorithm};
    struct cm_matmul **matmul = step->state;
    enum cm_status status = cm_matmul_setup(run->system, &task, matmul, err);
    if (status != CM_OK)
        return cm_workload_place(own->dst.json, err);
    const struct cm_matmul_info info = cm_matmul_info(*matmul);
    step->path = info.align_a || info.align_b ? "imp+router" : "imp";
    return CM_OK;
}

static enum cm_status run_matmul(struct cm_run *run, struct cm_run_step *step, struct cm_error *err)
{
    const struct product *own = step->step->own;
    struct cm_matmul *const *matmul = step->state;
    return cm_matmul_call(run->system, *matmul, cm_run_array_of(run, own->dst),
                          cm_run_array_of(run, own->a), cm_run_array_of(run, own->b), err);
}

static enum cm_status check(struct cm_run *run, const struct cm_run_step *step,
                            struct cm_step_result *result, struct cm_error *err)
{
    const struct product *own = step->step->own;
    struct cm_matmul *const *matmul = step->state;
    const struct cm_matmul_info info = cm_matmul_info(*matmul);
    cm_reference_matmul(&run->reference[own->dst.number], &run->reference[own->a.number],
                        &run->reference[own->b.number], &info.order);
    return cm_run_check_array(run, step, own->dst.number, 0, result, err);
}

static const char *copied_text(const struct cm_matmul_info *info)
{
    if (info->align_a && info->align_b)
        return "; both factors go through the router first";
    return info->align_a   ? "; a goes through the router first"
           : info->align_b ? "; b goes through the router first"
                           : "";
}

static void report(const struct cm_step_result *result, struct cm_report *report)
{
    struct cm_matmul *const *matmul = result->state;
    const struct cm_matmul_info info = cm_matmul_info(*matmul);
    const uint64_t nodes = (uint64_t)info.row_nodes * info.column_nodes;
    const double node_cycles = (double)result->counters.cycles * (double)nodes;
    struct cm_report out = *report;
    if (result->times == 0)
        out.text = NULL; /* not executed: no text */
    cm_report_text(&out,
                   "\n  matmul %s: %s on %" PRIu32 " x %" PRIu32 " nodes, %s panel%s of depth %s, "
                   "tiles of %" PRIu32 " x %" PRIu32 "; %s exchanges%s\n",
                   result->where, cm_matmul_algorithm_name(info.algorithm), info.row_nodes,
                   info.column_nodes, cm_format_count(info.steps).text, cm_plural(info.steps),
                   cm_format_count(info.depth).text, info.tile[0], info.tile[1],
                   cm_format_count(info.exchanges).text, copied_text(&info));
    if (node_cycles > 0)
        cm_report_text(&out, "  %.3f operations a cycle and node; the peak is 2\n",
                       (double)info.operations * (double)result->times / node_cycles);
    cm_report_string(&out, "algorithm", cm_matmul_algorithm_name(info.algorithm));
    cm_report_list(&out, "grid");
    cm_report_u64(&out, NULL, info.row_nodes);
    cm_report_u64(&out, NULL, info.column_nodes);
    cm_report_end(&out);
    cm_report_u64(&out, "panels", info.steps);
    cm_report_u64(&out, "depth", info.depth);
    cm_report_list(&out, "tile");
    cm_report_u64(&out, NULL, info.tile[0]);
    cm_report_u64(&out, NULL, info.tile[1]);
    cm_report_end(&out);
    cm_report_u64(&out, "exchanges_of_a_call", info.exchanges);
    cm_report_u64(&out, "operations", info.operations);
    cm_report_u64(&out, "table_words", info.table_words);
    cm_report_u64(&out, "work_words", info.work_words);
}

static void finish(struct cm_run *run, struct cm_run_step *step)
{
    struct cm_matmul *const *matmul = step->state;
    cm_matmul_deallocate(run->system, *matmul);
}

const struct cm_step_kind cm_step_matmul = {
    .name = "matmul",
    .summary = "the product of two matrices",
    .example = "{\"matmul\": {\"dst\": \"c\", \"a\": \"a\", \"b\": \"b\"}}",
    .keys = keys,
    .key_count = CM_COUNT_OF(keys),
    .own_bytes = sizeof(struct product),
    .state_bytes = sizeof(struct cm_matmul *),
    .stateless = true,
    .path = "imp",
    .read = read_matmul,
    .prepare = prepare,
    .run = run_matmul,
    .check = check,
    .report = report,
    .finish = finish,
};
