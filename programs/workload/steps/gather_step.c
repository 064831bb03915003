/* Common code of the steps gather and scatter: turns the arrays of a step into a call, and the
 * counts of the call into a report. */
#include "gather_step.h"

#include "../../../report/numbers.h"

#include <inttypes.h>

static void read_index(struct cm_workload *workload, struct cm_reader *reader, struct cm_json json,
                       struct cm_array_reference indexed, struct cm_gather_step *own)
{
    const uint32_t rank = cm_workload_array_now(workload, indexed)->rank;
    const bool list = cm_json_kind(json) == CM_JSON_ARRAY;
    const uint32_t count = list ? cm_json_count(json) : 1;
    if (count != rank) {
        cm_reader_fail(
            reader, json, "index names %" PRIu32 " array%s, but \"%s\" has %" PRIu32 " dimension%s",
            count, cm_plural(count), workload->arrays[indexed.number].name, rank, cm_plural(rank));
        cm_reader_hint(reader, "an array of subscripts for each dimension, as in [\"i\", \"j\"]");
    }
    for (uint32_t a = 0; cm_reader_ok(reader) && a < rank; a++) {
        const struct cm_json entry = list ? cm_json_at(json, a, NULL) : json;
        own->index[a] = (struct cm_array_reference){
            entry, cm_workload_read_array_name(workload, reader, entry, "index")};
    }
}

void cm_gather_step_read(struct cm_workload *workload, struct cm_workload_step *step,
                         struct cm_reader *reader, enum cm_gather_kind kind)
{
    struct cm_gather_step *own = step->own;
    const bool get = kind == CM_GATHER_GET;
    const struct cm_array_reference indexed = get ? own->src : own->dst;
    const struct cm_array_reference indexing = get ? own->dst : own->src;
    struct cm_json json;
    own->has_mask = cm_read_optional(reader, step->body, "mask", &json);
    cm_workload_expect_same_type(workload, reader, own->src, own->src);
    cm_workload_expect_same_type(workload, reader, own->dst, own->dst);
    if (cm_reader_ok(reader))
        read_index(workload, reader, cm_read_member(reader, step->body, "index"), indexed, own);
    if (!cm_reader_ok(reader))
        return;
    for (uint32_t a = 0; a < cm_workload_array_now(workload, indexed)->rank; a++)
        cm_workload_expect_same_shape(workload, reader, own->index[a], indexing, CM_TYPE_INT32);
    if (own->has_mask)
        cm_workload_expect_same_shape(workload, reader, own->mask, indexing, CM_TYPE_LOGICAL);
    if (cm_reader_ok(reader) && own->dst.number == own->src.number) {
        cm_reader_fail(reader, own->dst.json, "\"%s\" is both dst and src",
                       workload->arrays[own->dst.number].name);
        cm_reader_hint(reader, "copy the source to another array first");
    }
}

/* Keeps an array in node memory even in a run without data, with its first values, because
 * subscripts and masks determine the cost of a step. */
static enum cm_status hold(struct cm_run *run, struct cm_array_reference array,
                           struct cm_array_reference model, struct cm_error *err)
{
    cm_run_array_of(run, array)->held = true;
    return cm_run_expect_layout(run, array, model, err);
}

enum cm_status cm_gather_step_prepare(struct cm_run *run, struct cm_run_step *step,
                                      enum cm_gather_kind kind, struct cm_error *err)
{
    const struct cm_gather_step *own = step->step->own;
    struct cm_gather_state *state = step->state;
    const bool get = kind == CM_GATHER_GET;
    const struct cm_gather_task task = {.kind = kind,
                                        .op = own->op,
                                        .dst = cm_run_array_of(run, own->dst)->layout,
                                        .src = cm_run_array_of(run, own->src)->layout,
                                        .first = own->first,
                                        .masked = own->has_mask};
    enum cm_status status = CM_OK;
    for (uint32_t a = 0; status == CM_OK && a < (get ? task.src.rank : task.dst.rank); a++)
        status = hold(run, own->index[a], get ? own->dst : own->src, err);
    if (status == CM_OK && own->has_mask)
        status = hold(run, own->mask, get ? own->dst : own->src, err);
    if (status != CM_OK)
        return status;
    status = cm_gather_setup(run->system, &task, &state->gather, err);
    return status == CM_OK ? CM_OK : cm_workload_place(own->src.json, err);
}

enum cm_status cm_gather_step_run(struct cm_run *run, struct cm_run_step *step,
                                  struct cm_error *err)
{
    const struct cm_gather_step *own = step->step->own;
    const struct cm_gather_state *state = step->state;
    struct cm_gather_arrays arrays = {
        .dst = cm_run_array_of(run, own->dst),
        .src = cm_run_array_of(run, own->src),
        .mask = own->has_mask ? cm_run_array_of(run, own->mask) : NULL,
    };
    for (uint32_t a = 0; a < CM_RANK_MAX; a++)
        arrays.subscripts[a] = cm_run_array_of(run, own->index[a]);
    enum cm_status status = cm_gather_call(run->system, state->gather, &arrays, err);
    return status == CM_FAULT ? cm_workload_place(step->step->body, err) : status;
}

bool cm_gather_step_find(const struct cm_run *run, const struct cm_gather_step *own, uint64_t e,
                         const struct cm_reference_array *indexed, uint64_t *number)
{
    uint64_t stride = 1;
    *number = 0;
    if (own->has_mask && !((const unsigned char *)run->reference[own->mask.number].elements)[e])
        return false;
    for (uint32_t a = 0; a < indexed->rank; a++) {
        const int32_t *subscripts = run->reference[own->index[a].number].elements;
        *number += stride * (uint64_t)(subscripts[e] - (int32_t)own->first);
        stride *= indexed->shape[a];
    }
    return true;
}

void cm_gather_step_report(const struct cm_step_result *result, struct cm_report *report)
{
    const struct cm_gather_state *state = result->state;
    const struct cm_gather_info info = cm_gather_info(state->gather);
    struct cm_report out = *report;
    if (result->times == 0)
        out.text = NULL; /* not executed: no text */
    cm_report_text(&out, "\n  %s %s: %s element%s, %s packet%s, %s collision%s\n", result->op,
                   result->where, cm_format_count(info.elements).text, cm_plural(info.elements),
                   cm_format_count(info.packets).text, cm_plural(info.packets),
                   cm_format_count(info.collisions).text, cm_plural(info.collisions));
    cm_report_u64(&out, "elements", info.elements);
    cm_report_u64(&out, "packets", info.packets);
    cm_report_u64(&out, "collisions", info.collisions);
}

void cm_gather_step_finish(struct cm_run *run, struct cm_run_step *step)
{
    const struct cm_gather_state *state = step->state;
    (void)run;
    cm_gather_deallocate(state->gather);
}
