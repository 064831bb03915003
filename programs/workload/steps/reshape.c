/* The step reshape: changes the shape of an array, by the algorithms of Johnsson and Ho. The layout
 * of each array at each step is known before execution, and each reshape is planned for this
 * layout. */
#include "reshape.h"

#include "../step.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct reshape {
    struct cm_array_reference array;
    struct cm_json shape_json;
    struct cm_layout_request to;
    enum cm_reshape_algorithm algorithm;
    bool consistent;
    bool has_encoding; /* true if the step names the encoding of the result */
    enum cm_encoding encoding;
    uint32_t order[CM_LOGIC_DIMENSIONS_MAX];
    uint32_t order_count;
    bool has_start; /* for gray-binary: true if all elements start in dimension `start` */
    uint32_t start;
};

struct state {
    struct cm_reshape_summary summary;
    struct cm_reshape_task task;
    struct cm_layout layout_after;
    struct cm_allocation allocation_after;
};

CM_NAMES_OF(algorithm_name, cm_reshape_algorithm_name, enum cm_reshape_algorithm)

static const struct cm_key keys[] = {
    CM_KEY(ARRAY, "array", struct reshape, array,
           "the array to reshape; its elements keep their numbers", .required = true),
    CM_KEY_FORM("shape", "list of lengths", "lengths",
                "the new shape; all lengths, old and new, are powers of two", .required = true),
    CM_KEY(NAME, "algorithm", struct reshape, algorithm,
           "how the exchanges are ordered; auto takes the one with the fewest steps",
           .max = CM_RESHAPE_ALGORITHM_COUNT - 1, .name_of = algorithm_name),
    CM_KEY(FLAG, "consistent", struct reshape, consistent,
           "lay out the new shape by the array's rule; if not, the dimensions stay where they are",
           .initial = true),
    CM_KEY_FORM("order", "list of dimensions", "dimensions",
                "the dimensions to exchange, in this order", .otherwise = "the algorithm's own"),
    CM_KEY(NAME, "encoding", struct reshape, encoding, "the code of the axes' addresses afterwards",
           .names = cm_workload_encoding_names, .otherwise = "as before"),
    CM_KEY(INTEGER, "start", struct reshape, start,
           "of gray-binary: the dimension in which all elements begin",
           .max = CM_LOGIC_DIMENSIONS_MAX - 1, .otherwise = "a data set begins in each dimension"),
};

static void read_order(struct cm_reader *reader, struct cm_json object, struct reshape *own)
{
    struct cm_json json;
    if (!cm_read_optional(reader, object, "order", &json))
        return;
    cm_read_kind(reader, json, CM_JSON_ARRAY, "order");
    own->order_count = cm_reader_ok(reader) ? cm_json_count(json) : 0;
    if (own->order_count > CM_LOGIC_DIMENSIONS_MAX)
        cm_reader_fail(reader, json, "order lists %" PRIu32 " dimensions, expected at most %u",
                       own->order_count, CM_LOGIC_DIMENSIONS_MAX);
    for (uint32_t i = 0; cm_reader_ok(reader) && i < own->order_count; i++)
        own->order[i] =
            cm_workload_read_dimension(reader, cm_json_at(json, i, NULL), "a dimension");
}

static uint64_t size_of(const struct cm_layout_request *request)
{
    uint64_t size = 1;
    for (uint32_t a = 0; a < request->rank; a++)
        size *= request->shape[a];
    return size;
}

/* Refuses shapes of different size, and axes that are not powers of two. */
static void check_shapes(const struct cm_workload_array *array, struct cm_reader *reader,
                         const struct reshape *own)
{
    const struct cm_layout_request *requests[2] = {&array->now, &own->to};
    char from[200], to[200];
    if (!cm_reader_ok(reader))
        return;
    if (size_of(&array->now) != size_of(&own->to)) {
        cm_reader_fail(reader, own->shape_json,
                       "shape %s has %" PRIu64 " elements, but \"%s\" is %s, with %" PRIu64,
                       cm_shape_text(own->to.shape, own->to.rank, to, sizeof to), size_of(&own->to),
                       array->name,
                       cm_shape_text(array->now.shape, array->now.rank, from, sizeof from),
                       size_of(&array->now));
        cm_reader_hint(reader, "a reshape keeps the number of elements");
    }
    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t a = 0; a < requests[i]->rank; a++) {
            uint64_t length = requests[i]->shape[a];
            if ((length & (length - 1)) == 0)
                continue;
            cm_reader_fail(reader, own->shape_json,
                           "an axis of length %" PRIu64 " cannot be reshaped: not a power of two",
                           length);
            cm_reader_hint(reader, "each bit of an index is a dimension of the cube or of memory, "
                                   "so every axis needs a length of 2^k");
        }
}

static void read_reshape(struct cm_workload *workload, struct cm_workload_step *step,
                         struct cm_reader *reader)
{
    struct reshape *own = step->own;
    struct cm_workload_array *array = &workload->arrays[own->array.number];
    struct cm_json json;
    if (array->meshed) {
        cm_reader_fail(reader, own->array.json,
                       "\"%s\" is on a mesh, and reshape does not support meshes", array->name);
        cm_reader_hint(reader, "reshape an array without \"mesh\"");
    }
    own->shape_json = cm_read_member(reader, step->body, "shape");
    cm_workload_read_shape(reader, own->shape_json, &own->to);
    own->to.type = array->request.type;
    read_order(reader, step->body, own);
    own->has_start = cm_read_optional(reader, step->body, "start", &json);
    own->has_encoding = cm_read_optional(reader, step->body, "encoding", &json);
    check_shapes(array, reader, own);
    if (own->has_encoding && !array->allocated && own->consistent) {
        cm_reader_fail(reader, step->body, "the canonical layout of \"%s\" has its own encoding",
                       array->name);
        cm_reader_hint(reader, "\"consistent\": false, or an encoding for the array");
    }
    array->now = own->to;
    array->displaced = !own->consistent;
}

/* Makes the canonical layout of the result. An array that returns to its declared shape also gets
 * its declared weights. Without them its layout would differ from the layout of other arrays with
 * the same declaration, and in a repeat from the layout at the first iteration. */
static enum cm_status lay_out_after(const struct cm_run *run, const struct reshape *own,
                                    uint32_t nodes, struct cm_layout *layout, struct cm_error *err)
{
    const struct cm_layout_request *first = &run->workload->arrays[own->array.number].request;
    bool same = first->rank == own->to.rank &&
                memcmp(first->shape, own->to.shape, first->rank * sizeof *first->shape) == 0;
    return cm_layout_create(same ? first : &own->to, nodes, layout, err);
}

/* Makes the allocation of the result. In a fixed assignment the processor dimensions stay the same.
 * In a consistent assignment the array's rule, or the canonical layout, chooses them again. */
static enum cm_status allocate_after(const struct cm_run *run, const struct reshape *own,
                                     struct state *state, struct cm_error *err)
{
    const struct cm_workload_array *array = &run->workload->arrays[own->array.number];
    const struct cm_allocation *from = &state->task.from;
    if (own->consistent && !array->allocated)
        return cm_reshape_canonical(&state->layout_after, &state->task.to, err);
    enum cm_encoding encoding = own->has_encoding  ? own->encoding
                                : array->allocated ? array->encoding
                                                   : CM_ENCODING_MIXED;
    return cm_allocation_create(
        &(struct cm_allocation_request){own->to.shape, own->to.rank, UINT32_C(1) << from->node_bits,
                                        encoding,
                                        own->consistent ? array->processor_rule : CM_PROCESSOR_LIST,
                                        own->consistent ? array->processor_list : from->processor},
        &state->task.to, err);
}

static enum cm_status summarise(struct state *state, struct cm_error *err)
{
    struct cm_reshape_plan plan;
    enum cm_status status = cm_reshape_plan_elements(&state->task, &plan, err);
    if (status == CM_OK) {
        state->summary = (struct cm_reshape_summary){
            .dimensions = plan.dimensions,
            .processor_dimensions = plan.processor_dimensions,
            .delta = plan.delta,
            .elements_per_node = plan.elements,
            .steps = plan.steps + plan.swap_steps,
            .bound = plan.bound,
            .lower_bound = plan.lower_bound,
            .permutation_steps = plan.swap_steps,
            .link_load_max = plan.link_load_max,
            .algorithm = plan.algorithm,
            .has_start = plan.has_start,
            .start = plan.start,
        };
        memcpy(state->summary.reasons, plan.reasons, sizeof state->summary.reasons);
    }
    cm_reshape_plan_finish(&plan);
    return status;
}

static bool is_canonical(const struct cm_allocation *allocation)
{
    return allocation->dimensions == 0 && allocation->node_bits == 0;
}

static void adopt(struct cm_array *array, const struct state *state)
{
    array->layout = state->layout_after;
    array->allocation = state->allocation_after;
}

static enum cm_status plan_reshape(struct cm_run *run, const struct reshape *own,
                                   struct state *state, struct cm_error *err)
{
    const struct cm_array *array = cm_run_array_of(run, own->array);
    struct cm_reshape_task *task = &state->task;
    enum cm_status status = CM_OK;
    *task = (struct cm_reshape_task){
        .from = array->allocation,
        .algorithm = own->algorithm,
        .order_count = own->order_count,
        .has_start = own->has_start,
        .start = own->start,
        .slices = array->layout.slices,
    };
    memcpy(task->order, own->order, own->order_count * sizeof *own->order);
    if (is_canonical(&array->allocation))
        status = cm_reshape_canonical(&array->layout, &task->from, err);
    if (status == CM_OK)
        status = lay_out_after(run, own, array->layout.nodes, &state->layout_after, err);
    if (status == CM_OK)
        status = allocate_after(run, own, state, err);
    if (status == CM_OK)
        status = cm_reshape_weigh(cm_machine_config(run->system->machine), task, err);
    if (status == CM_OK)
        status = cm_reshape_prepare(run->system, task, err);
    return status == CM_OK ? summarise(state, err) : status;
}

static enum cm_status prepare(struct cm_run *run, struct cm_run_step *step, struct cm_error *err)
{
    const struct reshape *own = step->step->own;
    struct state *state = step->state;
    if (plan_reshape(run, own, state, err) != CM_OK)
        return cm_workload_place(own->shape_json, err);
    if (!own->consistent || run->workload->arrays[own->array.number].allocated)
        state->allocation_after = state->task.to;
    adopt(cm_run_array_of(run, own->array), state);
    return CM_OK;
}

static enum cm_status run_reshape(struct cm_run *run, struct cm_run_step *step,
                                  struct cm_error *err)
{
    const struct reshape *own = step->step->own;
    const struct state *state = step->state;
    struct cm_array *array = cm_run_array_of(run, own->array);
    const struct cm_allocation *now = &array->allocation;
    if (!is_canonical(now) && (now->processor != state->task.from.processor ||
                               now->coupled != state->task.from.coupled)) {
        cm_error_set(err, CM_BAD_INPUT,
                     "the layout of \"%s\" has changed since this step was compiled", array->name);
        return cm_error_hint(err, "steps that repeat must leave the array as they found it");
    }
    enum cm_status status = cm_reshape(run->system, &state->task, array, err);
    if (status == CM_OK) {
        adopt(array, state);
        cm_run_notify_array(run, own->array.number);
    }
    return status;
}

/* Changes the shape of the host's array. A reshape keeps the numbers of the elements. */
static enum cm_status check(struct cm_run *run, const struct cm_run_step *step,
                            struct cm_step_result *result, struct cm_error *err)
{
    const struct reshape *own = step->step->own;
    struct cm_reference_array *reference = &run->reference[own->array.number];
    reference->rank = own->to.rank;
    memcpy(reference->shape, own->to.shape, sizeof reference->shape);
    return cm_run_check_array(run, step, own->array.number, 0, result, err);
}

const struct cm_reshape_summary *cm_step_reshape_summary(const struct cm_step_result *step)
{
    const struct state *state = step->state;
    return step->kind == &cm_step_reshape ? &state->summary : NULL;
}

const struct cm_reshape_task *cm_step_reshape_task(const struct cm_step_result *step)
{
    const struct state *state = step->state;
    return step->kind == &cm_step_reshape ? &state->task : NULL;
}

/* Formats a set of dimensions, highest first: "{10, 6, 4}". */
static const char *dimensions_text(uint64_t dimensions, char text[CM_LIST_BYTES])
{
    const char *comma = "";
    size_t used = (size_t)snprintf(text, CM_LIST_BYTES, "{");
    for (uint32_t d = 64; d-- > 0;) {
        if (!(dimensions >> d & 1))
            continue;
        used += (size_t)snprintf(text + used, CM_LIST_BYTES - used, "%s%" PRIu32, comma, d);
        comma = ", ";
    }
    snprintf(text + used, CM_LIST_BYTES - used, "}");
    return text;
}

/* Reports the plan: its number of steps, the number by the theorem, and the lower bound. */
static void report_reshape(const struct cm_step_result *result, struct cm_report *report)
{
    static const char *const sources[CM_RESHAPE_ALGORITHM_COUNT] = {
        "none",      "theorem 2", "theorem 3",  "theorem 4",
        "theorem 5", "open shop", "link loads", "one pipeline"};
    const struct cm_reshape_summary *s = &((const struct state *)result->state)->summary;
    const char *algorithm = cm_reshape_algorithm_name(s->algorithm);
    char all[CM_LIST_BYTES], processor[CM_LIST_BYTES], start[40] = "", permuted[80] = "";
    if (report->json != NULL) {
        cm_json_write_bits(report->json, "dimensions", s->dimensions);
        cm_json_write_bits(report->json, "processor_dimensions", s->processor_dimensions);
    }
    cm_report_u64(report, "delta", s->delta);
    cm_report_u64(report, "elements_per_node", s->elements_per_node);
    cm_report_u64(report, "steps", s->steps);
    cm_report_u64(report, "theorem_bound", s->bound);
    cm_report_u64(report, "lower_bound", s->lower_bound);
    cm_report_u64(report, "permutation_steps", s->permutation_steps);
    cm_report_u64(report, "link_load_max", s->link_load_max);
    cm_report_string(report, "algorithm", algorithm);
    if (s->has_start) {
        cm_report_u64(report, "start", s->start);
        snprintf(start, sizeof start, " from %" PRIu32, s->start);
    }
    if (s->permutation_steps > 0)
        snprintf(permuted, sizeof permuted, ", %" PRIu64 " of them to permute dimensions",
                 s->permutation_steps);
    cm_report_line(report, "\n  reshape %s: D = %s, of processors %s; K = %" PRIu64, result->where,
                   dimensions_text(s->dimensions, all),
                   dimensions_text(s->processor_dimensions, processor), s->elements_per_node);
    cm_report_line(report,
                   "    %s%s: %" PRIu64 " element transfers in sequence (%s: %" PRIu64
                   ", lower bound %" PRIu64 ")%s",
                   algorithm, start, s->steps, s->has_start ? "section 4" : sources[s->algorithm],
                   s->bound, s->lower_bound, permuted);
    cm_report_object(report, "not_taken");
    for (int a = 0; a < CM_RESHAPE_ALGORITHM_COUNT; a++) {
        const char *name = cm_reshape_algorithm_name((enum cm_reshape_algorithm)a);
        if (s->reasons[a][0] == '\0')
            continue;
        cm_report_string(report, name, s->reasons[a]);
        cm_report_line(report, "    not %s: %s", name, s->reasons[a]);
    }
    cm_report_end(report);
}

const struct cm_step_kind cm_step_reshape = {
    .name = "reshape",
    .summary = "another shape for an array, on the cube",
    .example = "{\"reshape\": {\"array\": \"a\", \"shape\": [8, 8], \"algorithm\": \"rotate\"}}",
    .keys = keys,
    .key_count = CM_COUNT_OF(keys),
    .own_bytes = sizeof(struct reshape),
    .state_bytes = sizeof(struct state),
    .path = "imp",
    .read = read_reshape,
    .prepare = prepare,
    .run = run_reshape,
    .check = check,
    .report = report_reshape,
};
