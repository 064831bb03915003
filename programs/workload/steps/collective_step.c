/* Common code of the steps reduce, scan and spread: turns the arrays of a step into a call, and the
 * value into a report. */
#include "collective_step.h"

#include "../../../report/numbers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *cm_collective_step_op(uint32_t index)
{
    return cm_collective_op_name((enum cm_collective_op)index);
}

enum cm_type cm_collective_step_result(const struct cm_workload *workload,
                                       const struct cm_workload_step *step,
                                       struct cm_reader *reader)
{
    const struct cm_collective_step *own = step->own;
    const enum cm_type type = cm_workload_array_now(workload, own->src)->type;
    const enum cm_type result = cm_collective_result_type(own->op, type);
    if (!cm_reader_ok(reader) || result != CM_TYPE_COUNT)
        return result;
    cm_reader_fail(reader, own->src.json, "\"%s\" is %s, which \"%s\" does not take",
                   workload->arrays[own->src.number].name, cm_type_name(type),
                   cm_collective_op_name(own->op));
    cm_reader_hint(reader, "sum and product take numbers; min, max, minloc and maxloc real and "
                           "int32; and, or and xor int32 and logical; count logical");
    return result;
}

static void read_place(const struct cm_workload *workload, const struct cm_workload_step *step,
                       struct cm_reader *reader, const char *name)
{
    const struct cm_collective_step *own = step->own;
    const struct cm_layout_request *src = cm_workload_array_now(workload, own->src);
    struct cm_json json;
    if (own->dim > src->rank) {
        cm_reader_fail(reader, cm_read_member(reader, step->body, "dim"),
                       "dim is %" PRIu64 ", but \"%s\" has %" PRIu32 " dimension%s", own->dim,
                       workload->arrays[own->src.number].name, src->rank, cm_plural(src->rank));
        cm_reader_hint(reader, "dims count from 1");
        return;
    }
    if (name == NULL || !cm_read_optional(reader, step->body, name, &json))
        return;
    if (own->dim == 0) {
        cm_reader_fail(reader, json, "%s is an index along dim, and dim is missing", name);
        cm_reader_hint(reader, "a whole array is reduced to one value, which has no place");
        return;
    }
    cm_read_u64(reader, json, name, 1, src->shape[own->dim - 1]);
}

/* Refuses a dst that has more than one element for a reduction of a whole array. */
static void expect_one_element(const struct cm_workload *workload, struct cm_reader *reader,
                               const struct cm_collective_step *own, enum cm_type type)
{
    const struct cm_layout_request *dst = cm_workload_array_now(workload, own->dst);
    const char *name = workload->arrays[own->dst.number].name;
    bool one = true;
    for (uint32_t a = 0; a < dst->rank; a++)
        one = one && dst->shape[a] == 1;
    cm_workload_expect_same_type(workload, reader, own->dst, own->dst);
    if (!cm_reader_ok(reader) || (one && dst->type == type))
        return;
    cm_reader_fail(reader, own->dst.json, "\"%s\" is not one element of type %s", name,
                   cm_type_name(type));
    cm_reader_hint(reader, "the whole array is reduced to one value; add \"dim\" to reduce along a "
                           "dimension");
}

void cm_collective_step_read(struct cm_workload *workload, struct cm_workload_step *step,
                             struct cm_reader *reader, const char *place, enum cm_type result)
{
    struct cm_collective_step *own = step->own;
    struct cm_json json;
    own->has_dst = cm_read_optional(reader, step->body, "dst", &json);
    own->has_mask = cm_read_optional(reader, step->body, "mask", &json);
    own->has_segments = cm_read_optional(reader, step->body, "segments", &json);
    cm_workload_expect_same_type(workload, reader, own->src, own->src);
    if (own->has_mask)
        cm_workload_expect_same_shape(workload, reader, own->mask, own->src, CM_TYPE_LOGICAL);
    if (own->has_segments)
        cm_workload_expect_same_shape(workload, reader, own->segments, own->src, CM_TYPE_LOGICAL);
    if (!cm_reader_ok(reader))
        return;
    read_place(workload, step, reader, place);
    if (own->dim == 0 && own->has_dst)
        expect_one_element(workload, reader, own, result);
    else if (own->has_dst)
        cm_workload_expect_same_shape(workload, reader, own->dst, own->src, result);
    else if (own->dim > 0)
        cm_read_member(reader, step->body, "dst"); /* reports the key as missing */
}

enum cm_status cm_collective_step_prepare(struct cm_run *run, struct cm_run_step *step,
                                          struct cm_collective_task *task, struct cm_error *err)
{
    const struct cm_collective_step *own = step->step->own;
    struct cm_collective_state *state = step->state;
    enum cm_status status = CM_OK;
    task->layout = cm_run_array_of(run, own->src)->layout;
    task->axis = own->dim == 0 ? CM_COLLECTIVE_WHOLE : (uint32_t)own->dim - 1;
    task->place = own->place == 0 ? CM_COLLECTIVE_ALL : own->place - 1;
    task->masked = own->has_mask;
    task->segmented = own->has_segments;
    task->exclusive = own->exclusive;
    task->downward = own->downward;
    if (own->has_segments)
        status = cm_run_expect_layout(run, own->segments, own->src, err);
    if (status == CM_OK && own->has_mask)
        status = cm_run_expect_layout(run, own->mask, own->src, err);
    if (status == CM_OK && own->has_dst && own->dim > 0)
        status = cm_run_expect_layout(run, own->dst, own->src, err);
    state->layout = task->layout;
    state->located = task->kind == CM_COLLECTIVE_REDUCE &&
                     (own->op == CM_COLLECTIVE_MINLOC || own->op == CM_COLLECTIVE_MAXLOC);
    if (status == CM_OK)
        status = cm_collective_setup(run->system, task, &state->collective, err);
    return status == CM_OK ? CM_OK : cm_workload_place(own->src.json, err);
}

enum cm_status cm_collective_step_run(struct cm_run *run, struct cm_run_step *step,
                                      struct cm_error *err)
{
    const struct cm_collective_step *own = step->step->own;
    struct cm_collective_state *state = step->state;
    const struct cm_collective_arrays arrays = {
        .dst = own->has_dst ? cm_run_array_of(run, own->dst) : NULL,
        .src = cm_run_array_of(run, own->src),
        .mask = own->has_mask ? cm_run_array_of(run, own->mask) : NULL,
        .segments = own->has_segments ? cm_run_array_of(run, own->segments) : NULL,
    };
    state->has_value = own->dim == 0 && !cm_machine_timing_only(cm_system_machine(run->system));
    return cm_collective_call(run->system, state->collective, &arrays, &state->value, err);
}

void cm_collective_step_describe(const struct cm_run *run, const struct cm_collective_step *own,
                                 struct cm_reference_reduction *reduction)
{
    const struct cm_layout *layout = &cm_run_array_of(run, own->src)->layout;
    *reduction = (struct cm_reference_reduction){
        .op = own->op,
        .axis = own->dim == 0 ? CM_COLLECTIVE_WHOLE : (uint32_t)own->dim - 1,
        .src = &run->reference[own->src.number],
        .mask = own->has_mask ? run->reference[own->mask.number].elements : NULL,
    };
    for (uint32_t a = 0; a < layout->rank; a++) {
        reduction->segment[a] = layout->axes[a].local_length;
        reduction->blocks[a] = UINT64_C(1) << layout->axes[a].node_bits;
    }
}

static double part_of(enum cm_type type, const struct cm_scalar *scalar, uint32_t part)
{
    const uint64_t bits = cm_scalar_bits(type, scalar, part);
    const uint32_t low = (uint32_t)bits;
    int32_t integer;
    float single;
    double wide;
    memcpy(&integer, &low, sizeof low);
    memcpy(&single, &low, sizeof low);
    memcpy(&wide, &bits, sizeof bits);
    if (type == CM_TYPE_INT32 || type == CM_TYPE_LOGICAL)
        return integer;
    return type == CM_TYPE_REAL32 || type == CM_TYPE_COMPLEX64 ? (double)single : wide;
}

struct cm_number cm_collective_step_number(const struct cm_collective_value *value)
{
    const bool complex = cm_type_components(value->type) == 2;
    return (struct cm_number){.re = part_of(value->type, &value->bits, 0),
                              .im = complex ? part_of(value->type, &value->bits, 1) : 0,
                              .complex = complex};
}

/* Reports a number, or the real and the imaginary part of a complex number. */
static void report_number(const char *name, enum cm_type type, const struct cm_scalar *scalar,
                          struct cm_report *report)
{
    const double re = part_of(type, scalar, 0);
    if (cm_type_components(type) == 1) {
        const bool integer = type == CM_TYPE_INT32 || type == CM_TYPE_LOGICAL;
        cm_report_text(report, "%s %.17g; ", name, re);
        cm_report(report, name, integer ? cm_i64((int64_t)re) : cm_f64(re));
        return;
    }
    const double im = part_of(type, scalar, 1);
    cm_report_text(report, "%s (%.17g, %.17g); ", name, re, im);
    cm_report_list(report, name);
    cm_report_f64(report, NULL, re);
    cm_report_f64(report, NULL, im);
    cm_report_end(report);
}

/* Reports the indices of the element that was found, from 1. Reports nothing if there is no such
 * element. */
static void report_location(const struct cm_collective_state *state, struct cm_report *report)
{
    const struct cm_layout *layout = &state->layout;
    uint64_t rest = state->value.bits.words[0];
    cm_report_text(report, rest > 0 ? "at (" : "(no element");
    cm_report_list(report, "location");
    for (uint32_t a = 0; rest > 0 && a < layout->rank; a++) {
        uint64_t index = (rest - 1) % layout->axes[a].length + 1;
        rest = (rest - 1) / layout->axes[a].length + 1;
        cm_report_text(report, "%s%" PRIu64, a > 0 ? ", " : "", index);
        cm_report_u64(report, NULL, index);
    }
    cm_report_end(report);
    cm_report_text(report, "); ");
}

static void report_value(const struct cm_collective_state *state, struct cm_report *report)
{
    const struct cm_collective_value *value = &state->value;
    if (state->located) {
        report_number("extreme", state->layout.type, &value->extreme, report);
        report_location(state, report);
    } else {
        report_number("value", value->type, &value->bits, report);
    }
}

void cm_collective_step_report(const struct cm_step_result *result, struct cm_report *report)
{
    const struct cm_collective_state *state = result->state;
    const struct cm_collective_info info = cm_collective_info(state->collective);
    struct cm_report out = *report;
    if (result->times == 0)
        out.text = NULL; /* not executed: no text */
    cm_report_text(&out, "\n  %s %s: ", result->op, result->where);
    if (state->has_value)
        report_value(state, &out);
    cm_report_text(&out,
                   "%s value%s a node over %" PRIu32 " dimension%s of the cube, %s exchange%s\n",
                   cm_format_count(info.values).text, cm_plural(info.values), info.dimensions,
                   cm_plural(info.dimensions), cm_format_count(info.exchanges).text,
                   cm_plural(info.exchanges));
    cm_report_u64(&out, "values", info.values);
    cm_report_u64(&out, "dimensions", info.dimensions);
    cm_report_u64(&out, "exchanges_of_a_call", info.exchanges);
    cm_report_u64(&out, "table_words", info.table_words);
    cm_report_u64(&out, "work_words", info.work_words);
}

const struct cm_imp *cm_collective_step_imp(const struct cm_run_step *step, uint32_t i)
{
    const struct cm_collective_state *state = step->state;
    if (state == NULL || state->collective == NULL)
        return NULL;
    return cm_collective_imp(state->collective, i);
}

void cm_collective_step_finish(struct cm_run *run, struct cm_run_step *step)
{
    const struct cm_collective_state *state = step->state;
    cm_collective_deallocate(run->system, state->collective);
}
