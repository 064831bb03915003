/* The step sort: sorts each column of keys, and permutes other arrays in the same way as the
 * keys. */
#include "../step.h"

#include "../../../report/numbers.h"
#include "../../sort/sort.h"
#include "../reference_sort.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct carried {
    struct cm_array_reference dst, src;
};

struct sort {
    struct cm_array_reference dst, src, rank;
    bool has_dst, has_rank;
    uint64_t dim; /* dimension to sort along, from 1 */
    uint32_t descending, method;
    struct carried carried[CM_SORT_CARRIED_MAX];
    uint32_t count;
};

struct state {
    struct cm_sort *sort;
    bool asks; /* true if the step asks for a method other than bitonic */
};

static const char *const order_names[] = {"ascending", "descending", NULL};

/* Names of the methods, in the order of enum cm_sort_method. */
static const char *const method_names[] = {"bitonic", "sample", "auto", NULL};

static const struct cm_key keys[] = {
    CM_KEY(ARRAY, "src", struct sort, src, "the keys: real, int32 or logical", .required = true),
    CM_KEY(ARRAY, "dst", struct sort, dst, "the array that gets the sorted keys; may be src",
           .otherwise = "they are not stored"),
    CM_KEY(INTEGER, "dim", struct sort, dim, "the dimension to sort along", .min = 1,
           .max = CM_RANK_MAX, .form = "integer from 1 to the array's rank", .initial = 1),
    CM_KEY(NAME, "order", struct sort, descending, "of the keys; NaNs come last in both",
           .names = order_names),
    CM_KEY(NAME, "method", struct sort, method,
           "bitonic: compare and exchange; sample: ranges by samples, through the router, not "
           "without data; auto: the one estimated to be faster. The result is the same",
           .names = method_names),
    CM_KEY(ARRAY, "rank", struct sort, rank,
           "an int32 array of the shape of src that gets, for each place, the index along dim at "
           "which its key was",
           .otherwise = "ranks are not stored"),
    CM_KEY_FORM("carry", "list of [array, array]", "carried",
                "the first array of a pair gets the second one, permuted as the keys are; both may "
                "be the same",
                .otherwise = "nothing is carried"),
};

static void read_carried(struct cm_workload *workload, struct cm_reader *reader, struct sort *own,
                         struct cm_json json)
{
    struct carried *carried = &own->carried[own->count++];
    struct cm_array_reference *ends[] = {&carried->dst, &carried->src};
    if (cm_json_kind(json) != CM_JSON_ARRAY || cm_json_count(json) != 2) {
        cm_reader_fail(reader, json, "an entry of carry is %s, expected [\"array\", \"array\"]",
                       cm_json_kind(json) == CM_JSON_ARRAY ? "a list of another length"
                                                           : cm_json_kind_name(cm_json_kind(json)));
        cm_reader_hint(reader, "to permute an array in place, name it twice");
        return;
    }
    for (uint32_t i = 0; i < 2; i++) {
        ends[i]->json = cm_json_at(json, i, NULL);
        ends[i]->number =
            cm_workload_read_array_name(workload, reader, ends[i]->json, "an array to carry");
    }
    if (!cm_reader_ok(reader))
        return;
    const enum cm_type type = cm_workload_array_now(workload, carried->src)->type;
    cm_workload_expect_same_shape(workload, reader, carried->src, own->src, type);
    cm_workload_expect_same_shape(workload, reader, carried->dst, own->src, type);
}

static void read_carry(struct cm_workload *workload, struct cm_reader *reader, struct sort *own,
                       struct cm_json body)
{
    struct cm_json list;
    if (!cm_reader_ok(reader) || !cm_read_optional(reader, body, "carry", &list))
        return;
    cm_read_kind(reader, list, CM_JSON_ARRAY, "carry");
    const uint32_t count = cm_reader_ok(reader) ? cm_json_count(list) : 0;
    if (count == 0 || count > CM_SORT_CARRIED_MAX)
        cm_reader_fail(reader, list, "carry has %" PRIu32 " pairs of arrays, expected 1 to %u",
                       count, CM_SORT_CARRIED_MAX);
    for (uint32_t i = 0; cm_reader_ok(reader) && i < count; i++)
        read_carried(workload, reader, own, cm_json_at(list, i, NULL));
}

/* Lists the arrays that the step writes. Returns their number. */
static uint32_t results_of(const struct sort *own, struct cm_array_reference *results)
{
    uint32_t count = 0;
    if (own->has_dst)
        results[count++] = own->dst;
    if (own->has_rank)
        results[count++] = own->rank;
    for (uint32_t i = 0; i < own->count; i++)
        results[count++] = own->carried[i].dst;
    return count;
}

static void refuse_results(const struct cm_workload *workload, struct cm_reader *reader,
                           const struct cm_workload_step *step)
{
    struct cm_array_reference results[2 + CM_SORT_CARRIED_MAX];
    const uint32_t count = cm_reader_ok(reader) ? results_of(step->own, results) : 1;
    if (count == 0) {
        cm_reader_fail(reader, step->body, "the sort has no result");
        cm_reader_hint(reader, "name an array in \"dst\", \"rank\" or \"carry\"");
    }
    for (uint32_t i = 0; cm_reader_ok(reader) && i < count; i++)
        for (uint32_t k = 0; k < i; k++) {
            if (results[i].number != results[k].number)
                continue;
            cm_reader_fail(reader, results[i].json, "\"%s\" gets two results of the sort",
                           workload->arrays[results[i].number].name);
            cm_reader_hint(reader, "use another array for one of them");
            return;
        }
}

static void read_sort(struct cm_workload *workload, struct cm_workload_step *step,
                      struct cm_reader *reader)
{
    struct sort *own = step->own;
    struct cm_json json;
    own->has_dst = cm_read_optional(reader, step->body, "dst", &json);
    own->has_rank = cm_read_optional(reader, step->body, "rank", &json);
    cm_workload_expect_same_type(workload, reader, own->src, own->src);
    if (!cm_reader_ok(reader))
        return;
    const struct cm_layout_request *src = cm_workload_array_now(workload, own->src);
    const char *name = workload->arrays[own->src.number].name;
    if (!cm_sort_takes(src->type)) {
        cm_reader_fail(reader, own->src.json, "\"%s\" is %s, which has no order", name,
                       cm_type_name(src->type));
        cm_reader_hint(reader, "keys are real32, real64, int32 or logical");
        return;
    }
    if (own->dim > src->rank) {
        cm_reader_fail(reader, cm_read_member(reader, step->body, "dim"),
                       "dim is %" PRIu64 ", but \"%s\" has %" PRIu32 " dimension%s", own->dim, name,
                       src->rank, cm_plural(src->rank));
        cm_reader_hint(reader, "dims count from 1");
    }
    if (own->has_dst)
        cm_workload_expect_same_shape(workload, reader, own->dst, own->src, src->type);
    if (own->has_rank)
        cm_workload_expect_same_shape(workload, reader, own->rank, own->src, CM_TYPE_INT32);
    read_carry(workload, reader, own, step->body);
    refuse_results(workload, reader, step);
}

/* Refuses arrays whose layout differs from that of src. */
static enum cm_status expect_layouts(const struct cm_run *run, const struct sort *own,
                                     struct cm_error *err)
{
    struct cm_array_reference results[2 + CM_SORT_CARRIED_MAX];
    const uint32_t count = results_of(own, results);
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; status == CM_OK && i < count; i++)
        status = cm_run_expect_layout(run, results[i], own->src, err);
    for (uint32_t i = 0; status == CM_OK && i < own->count; i++)
        status = cm_run_expect_layout(run, own->carried[i].src, own->src, err);
    return status;
}

static enum cm_status prepare(struct cm_run *run, struct cm_run_step *step, struct cm_error *err)
{
    const struct sort *own = step->step->own;
    struct state *state = step->state;
    struct cm_sort_task task = {.layout = cm_run_array_of(run, own->src)->layout,
                                .axis = (uint32_t)own->dim - 1,
                                .descending = own->descending == 1,
                                .keyless = !own->has_dst,
                                .ranked = own->has_rank,
                                .method = (enum cm_sort_method)own->method,
                                .carried = own->count};
    for (uint32_t i = 0; i < own->count; i++)
        task.carried_types[i] = cm_run_array_of(run, own->carried[i].src)->layout.type;
    state->asks = task.method != CM_SORT_BITONIC;
    enum cm_status status = expect_layouts(run, own, err);
    if (status == CM_OK)
        status = cm_sort_setup(run->system, &task, &state->sort, err);
    return status == CM_OK ? CM_OK : cm_workload_place(own->src.json, err);
}

static enum cm_status run_sort(struct cm_run *run, struct cm_run_step *step, struct cm_error *err)
{
    const struct sort *own = step->step->own;
    const struct state *state = step->state;
    struct cm_sort_arrays arrays = {
        .dst = own->has_dst ? cm_run_array_of(run, own->dst) : NULL,
        .src = cm_run_array_of(run, own->src),
        .rank = own->has_rank ? cm_run_array_of(run, own->rank) : NULL,
    };
    for (uint32_t i = 0; i < own->count; i++) {
        arrays.carried[i].dst = cm_run_array_of(run, own->carried[i].dst);
        arrays.carried[i].src = cm_run_array_of(run, own->carried[i].src);
    }
    return cm_sort_call(run->system, state->sort, &arrays, err);
}

/* Computes for each place its rank: the index along the axis, from 1, at which the key was before
 * the sort. `order` gives the element that moves to each place. */
static void evaluate_ranks(struct cm_reference_array *rank, uint32_t axis, const uint64_t *order)
{
    int32_t *ranks = rank->elements;
    uint64_t step = 1;
    for (uint32_t a = 0; a < axis; a++)
        step *= rank->shape[a];
    for (uint64_t e = 0; e < rank->elements_count; e++)
        ranks[e] = (int32_t)(order[e] / step % rank->shape[axis]) + 1;
}

/* Evaluates the step directly. Copies keys and carried arrays first, because results may overwrite
 * them. */
static enum cm_status evaluate(struct cm_run *run, const struct sort *own, const uint64_t *order,
                               struct cm_error *err)
{
    void *keys_copy = cm_run_copy_elements(&run->reference[own->src.number], err);
    void *copies[CM_SORT_CARRIED_MAX] = {NULL};
    bool ready = keys_copy != NULL;
    for (uint32_t i = 0; ready && i < own->count; i++) {
        copies[i] = cm_run_copy_elements(&run->reference[own->carried[i].src.number], err);
        ready = copies[i] != NULL;
    }
    if (ready && own->has_dst) {
        cm_reference_permute(&run->reference[own->dst.number], keys_copy, order);
        cm_reference_clear_nans(&run->reference[own->dst.number]);
    }
    if (ready && own->has_rank)
        evaluate_ranks(&run->reference[own->rank.number], (uint32_t)own->dim - 1, order);
    for (uint32_t i = 0; ready && i < own->count; i++)
        cm_reference_permute(&run->reference[own->carried[i].dst.number], copies[i], order);
    free(keys_copy);
    for (uint32_t i = 0; i < own->count; i++)
        free(copies[i]);
    return ready ? CM_OK : CM_NO_MEMORY;
}

static enum cm_status check(struct cm_run *run, const struct cm_run_step *step,
                            struct cm_step_result *result, struct cm_error *err)
{
    const struct sort *own = step->step->own;
    struct cm_array_reference results[2 + CM_SORT_CARRIED_MAX];
    const uint32_t count = results_of(own, results);
    uint64_t *order;
    enum cm_status status =
        cm_reference_sort(&run->reference[own->src.number], (uint32_t)own->dim - 1,
                          own->descending == 1, &order, err);
    if (status != CM_OK)
        return status;
    status = evaluate(run, own, order, err);
    free(order);
    for (uint32_t i = 0; status == CM_OK && i < count; i++)
        status = cm_run_check_array(run, step, results[i].number, 0, result, err);
    return status;
}

/* Reports the method of the sort, for a step that asks for one. */
static void report_method(const struct cm_sort_info *info, struct cm_report *out)
{
    cm_report_string(out, "method", cm_sort_method_name(info->method));
    if (info->reason) {
        cm_report_text(out, "    bitonic: %s\n", info->reason);
        cm_report_string(out, "reason", info->reason);
    }
    if (info->method != CM_SORT_SAMPLE)
        return;
    cm_report_text(out,
                   "    by %s sample%s a node; at most %s records came to a node, with room for "
                   "%s%s\n",
                   cm_format_count(info->samples).text, cm_plural(info->samples),
                   cm_format_count(info->most).text, cm_format_count(info->capacity).text,
                   info->overflowed ? ": too many, so the bitonic sort was run" : "");
    cm_report_u64(out, "samples", info->samples);
    cm_report_u64(out, "most_records", info->most);
    cm_report_u64(out, "room_records", info->capacity);
    cm_report_bool(out, "overflowed", info->overflowed);
}

static void report(const struct cm_step_result *result, struct cm_report *report)
{
    const struct state *state = result->state;
    const struct cm_sort_info info = cm_sort_info(state->sort);
    struct cm_report out = *report;
    if (result->times == 0)
        out.text = NULL; /* not executed: no text */
    cm_report_text(&out,
                   "\n  sort %s: %s record%s a node of %" PRIu32 " word%s over %" PRIu32
                   " dimension%s of the cube, %s exchange%s\n",
                   result->where, cm_format_count(info.values).text, cm_plural(info.values),
                   info.record_words, cm_plural(info.record_words), info.dimensions,
                   cm_plural(info.dimensions), cm_format_count(info.exchanges).text,
                   cm_plural(info.exchanges));
    cm_report_u64(&out, "values", info.values);
    cm_report_u64(&out, "record_words", info.record_words);
    cm_report_u64(&out, "dimensions", info.dimensions);
    cm_report_u64(&out, "exchanges_of_a_call", info.exchanges);
    cm_report_u64(&out, "table_words", info.table_words);
    cm_report_u64(&out, "work_words", info.work_words);
    if (state->asks)
        report_method(&info, &out);
}

static void finish(struct cm_run *run, struct cm_run_step *step)
{
    const struct state *state = step->state;
    cm_sort_deallocate(run->system, state->sort);
}

const struct cm_step_kind cm_step_sort = {
    .name = "sort",
    .summary = "each column of keys in order, other arrays permuted alike",
    .example = "{\"sort\": {\"src\": \"a\", \"dst\": \"a\", \"dim\": 1, \"rank\": \"p\"}}",
    .keys = keys,
    .key_count = CM_COUNT_OF(keys),
    .own_bytes = sizeof(struct sort),
    .state_bytes = sizeof(struct state),
    .stateless = true,
    .path = "imp",
    .read = read_sort,
    .prepare = prepare,
    .run = run_sort,
    .check = check,
    .report = report,
    .finish = finish,
};
