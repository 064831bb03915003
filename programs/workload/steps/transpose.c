/* The step transpose: copies an array to another array with two axes exchanged. */
#include "../step.h"

#include "../../../report/numbers.h"
#include "../../transpose/transpose.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct transpose {
    struct cm_array_reference dst, src;
    uint32_t axes[2]; /* the two axes, from 0 */
    enum cm_transpose_algorithm algorithm;
};

struct state {
    struct cm_transpose *transpose;
};

CM_NAMES_OF(algorithm_name, cm_transpose_algorithm_name, enum cm_transpose_algorithm)

static const struct cm_key keys[] = {
    CM_KEY(ARRAY, "dst", struct transpose, dst,
           "the array to write: src's type, and its shape with the two lengths exchanged",
           .required = true),
    CM_KEY(ARRAY, "src", struct transpose, src,
           "the array to read; may be dst where that has the same shape and layout",
           .required = true),
    CM_KEY_FORM("dims", "list of two dimensions", "dims", "the dimensions that change places",
                .otherwise = "[1, 2]"),
    CM_KEY(NAME, "algorithm", struct transpose, algorithm,
           "exchanges between neighbours, or every element a packet of the router; auto takes "
           "exchanges where they can do it",
           .max = CM_TRANSPOSE_ALGORITHMS - 1, .name_of = algorithm_name),
};

static void read_dims(struct cm_reader *reader, struct cm_json object, uint32_t rank,
                      uint32_t axes[2])
{
    struct cm_json json;
    axes[0] = 0;
    axes[1] = 1;
    if (!cm_read_optional(reader, object, "dims", &json))
        return;
    cm_read_kind(reader, json, CM_JSON_ARRAY, "dims");
    if (cm_reader_ok(reader) && cm_json_count(json) != 2)
        cm_reader_fail(reader, json, "dims lists %" PRIu32 " dimension%s, expected two",
                       cm_json_count(json), cm_plural(cm_json_count(json)));
    for (uint32_t i = 0; cm_reader_ok(reader) && i < 2; i++)
        axes[i] =
            (uint32_t)cm_read_u64(reader, cm_json_at(json, i, NULL), "a dimension", 1, rank) - 1;
    if (cm_reader_ok(reader) && axes[0] == axes[1])
        cm_reader_fail(reader, json, "dimension %" PRIu32 " is listed twice", axes[0] + 1);
}

static void expect_shape(const struct cm_workload *workload, struct cm_reader *reader,
                         const struct transpose *own)
{
    const struct cm_layout_request *src = cm_workload_array_now(workload, own->src);
    const struct cm_layout_request *dst = cm_workload_array_now(workload, own->dst);
    char found[200], wanted[200];
    uint64_t shape[CM_RANK_MAX];
    memcpy(shape, src->shape, sizeof shape);
    shape[own->axes[0]] = src->shape[own->axes[1]];
    shape[own->axes[1]] = src->shape[own->axes[0]];
    if (dst->rank == src->rank && dst->type == src->type &&
        memcmp(shape, dst->shape, src->rank * sizeof *shape) == 0)
        return;
    cm_reader_fail(reader, own->dst.json,
                   "\"%s\" is %s of shape %s, but the transpose of \"%s\" is %s of shape %s",
                   workload->arrays[own->dst.number].name, cm_type_name(dst->type),
                   cm_shape_text(dst->shape, dst->rank, found, sizeof found),
                   workload->arrays[own->src.number].name, cm_type_name(src->type),
                   cm_shape_text(shape, src->rank, wanted, sizeof wanted));
    cm_reader_hint(reader, "dst has the type of src, and its shape with the lengths of the two "
                           "dimensions exchanged");
}

static void read_transpose(struct cm_workload *workload, struct cm_workload_step *step,
                           struct cm_reader *reader)
{
    struct transpose *own = step->own;
    cm_workload_expect_same_type(workload, reader, own->src, own->src);
    cm_workload_expect_same_type(workload, reader, own->dst, own->dst);
    if (!cm_reader_ok(reader))
        return;
    const struct cm_layout_request *src = cm_workload_array_now(workload, own->src);
    if (src->rank < 2) {
        cm_reader_fail(reader, own->src.json, "\"%s\" has one dimension, a transpose needs two",
                       workload->arrays[own->src.number].name);
        cm_reader_hint(reader, "a reshape gives it another shape");
        return;
    }
    read_dims(reader, step->body, src->rank, own->axes);
    if (cm_reader_ok(reader))
        expect_shape(workload, reader, own);
}

static enum cm_status prepare(struct cm_run *run, struct cm_run_step *step, struct cm_error *err)
{
    const struct transpose *own = step->step->own;
    struct state *state = step->state;
    const struct cm_transpose_task task = {
        .src = cm_run_array_of(run, own->src)->layout,
        .dst = cm_run_array_of(run, own->dst)->layout,
        .axes = {own->axes[0], own->axes[1]},
        .algorithm = own->algorithm,
    };
    if (cm_transpose_setup(run->system, &task, &state->transpose, err) != CM_OK)
        return cm_workload_place(own->src.json, err);
    if (cm_transpose_info(state->transpose).algorithm == CM_TRANSPOSE_ROUTER)
        step->path = "router";
    return CM_OK;
}

static enum cm_status run_transpose(struct cm_run *run, struct cm_run_step *step,
                                    struct cm_error *err)
{
    const struct transpose *own = step->step->own;
    const struct state *state = step->state;
    return cm_transpose_call(run->system, state->transpose, cm_run_array_of(run, own->dst),
                             cm_run_array_of(run, own->src), err);
}

/* Evaluates dst(..., j, ..., i, ...) = src(..., i, ..., j, ...) directly, by strides along both
 * axes. */
static enum cm_status check(struct cm_run *run, const struct cm_run_step *step,
                            struct cm_step_result *result, struct cm_error *err)
{
    const struct transpose *own = step->step->own;
    const struct cm_reference_array *src = &run->reference[own->src.number];
    struct cm_reference_array *dst = &run->reference[own->dst.number];
    const size_t bytes = cm_type_host_bytes(src->type);
    uint64_t strides[CM_RANK_MAX] = {1}, from = 0, index[CM_RANK_MAX] = {0};
    unsigned char *source = cm_run_copy_elements(src, err);
    if (source == NULL)
        return CM_NO_MEMORY;
    for (uint32_t a = 1; a < src->rank; a++)
        strides[a] = strides[a - 1] * src->shape[a - 1];
    const uint64_t kept = strides[own->axes[0]];
    strides[own->axes[0]] = strides[own->axes[1]];
    strides[own->axes[1]] = kept;
    for (uint64_t e = 0; e < dst->elements_count; e++) {
        memcpy((char *)dst->elements + e * bytes, source + from * bytes, bytes);
        for (uint32_t a = 0; a < dst->rank; a++) {
            from += strides[a];
            if (++index[a] < dst->shape[a])
                break;
            from -= strides[a] * dst->shape[a];
            index[a] = 0;
        }
    }
    free(source);
    return cm_run_check_array(run, step, own->dst.number, 0, result, err);
}

static void report_transpose(const struct cm_step_result *result, struct cm_report *report)
{
    const struct state *state = result->state;
    const struct cm_transpose_info info = cm_transpose_info(state->transpose);
    cm_report_line(report, "\n  transpose %s: %s%s", result->where,
                   cm_transpose_algorithm_name(info.algorithm),
                   info.chained ? ", along chains" : "");
    if (info.algorithm == CM_TRANSPOSE_EXCHANGE)
        cm_report_line(report,
                       "    %s word%s a node, %" PRIu32 " dimension%s of the cube: %s exchange%s, "
                       "lower bound %s",
                       cm_format_count(info.words).text, cm_plural(info.words), info.dimensions,
                       cm_plural(info.dimensions), cm_format_count(info.exchanges).text,
                       cm_plural(info.exchanges), cm_format_count(info.lower_bound).text);
    else
        cm_report_line(report, "    %s packet%s of an element each",
                       cm_format_count(info.packets).text, cm_plural(info.packets));
    if (info.reason[0] != '\0')
        cm_report_line(report, "    not by exchanges: %s", info.reason);
    cm_report_string(report, "algorithm", cm_transpose_algorithm_name(info.algorithm));
    cm_report_bool(report, "chained", info.chained);
    cm_report_string(report, "reason", info.reason);
    cm_report_u64(report, "words_per_node", info.words);
    cm_report_u64(report, "dimensions", info.dimensions);
    cm_report_u64(report, "exchanges_of_a_call", info.exchanges);
    cm_report_u64(report, "lower_bound", info.lower_bound);
    cm_report_u64(report, "packets", info.packets);
}

static void finish(struct cm_run *run, struct cm_run_step *step)
{
    const struct state *state = step->state;
    cm_transpose_deallocate(run->system, state->transpose);
}

const struct cm_step_kind cm_step_transpose = {
    .name = "transpose",
    .summary = "an array with two of its dimensions exchanged",
    .example = "{\"transpose\": {\"dst\": \"b\", \"src\": \"a\", \"dims\": [1, 2]}}",
    .keys = keys,
    .key_count = CM_COUNT_OF(keys),
    .own_bytes = sizeof(struct transpose),
    .state_bytes = sizeof(struct state),
    .stateless = true,
    .path = "imp",
    .read = read_transpose,
    .prepare = prepare,
    .run = run_transpose,
    .check = check,
    .report = report_transpose,
    .finish = finish,
};
