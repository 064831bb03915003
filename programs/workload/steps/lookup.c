/*
 * The step lookup: reads or stores elements of a table along a serial axis. Each element of the
 * other axes has an index along this axis. A view of the table contains the elements at index 0 and
 * gives their addresses. The nodes add their indices to these addresses (elementwise/expression.h).
 */
#include "../step.h"

#include "../../elementwise/elementwise.h"
#include "../../elementwise/near.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct lookup {
    struct cm_array_reference dst, src, index, mask;
    uint32_t dim; /* dimension of the table's serial axis, from 1 */
    uint32_t first;
    bool has_mask;
    bool stores; /* true if dst is the table, so that the step stores */
};

/* Numbers of the arrays among the arguments of the IMP. */
enum { TABLE, INDEX, ELEMENTS, MASK, ARRAYS };

struct state {
    struct cm_expression *expression;
    struct cm_array view; /* elements of the table at index 0 */
};

static const struct cm_key keys[] = {
    CM_KEY(ARRAY, "dst", struct lookup, dst, "the array to write, not one of the others",
           .required = true),
    CM_KEY(ARRAY, "src", struct lookup, src,
           "the array to read, of dst's type; one of the two is the table, with one dimension more",
           .required = true),
    CM_KEY(ARRAY, "index", struct lookup, index,
           "the indices along the table's dimension dim: an int32 array of the other array's shape "
           "and layout",
           .required = true),
    CM_KEY(INTEGER, "dim", struct lookup, dim, "the table's dimension, along a serial axis",
           .min = 1, .max = CM_RANK_MAX, .initial = 1),
    CM_KEY(ARRAY, "mask", struct lookup, mask,
           "a logical array of the index's shape and layout: the elements that take part",
           .otherwise = "all take part"),
    CM_KEY(INTEGER, "first", struct lookup, first, "the index of the first element along dim",
           .max = 1, .initial = 1),
};

static struct cm_array_reference table_of(const struct lookup *own)
{
    return own->stores ? own->dst : own->src;
}

static struct cm_array_reference elements_of(const struct lookup *own)
{
    return own->stores ? own->src : own->dst;
}

/* Refuses arrays if neither src nor dst is a table for the index. */
static void expect_table(const struct cm_workload *workload, struct cm_reader *reader,
                         const struct cm_workload_step *step, struct lookup *own)
{
    const struct cm_layout_request *index = cm_workload_array_now(workload, own->index);
    const struct cm_layout_request *dst = cm_workload_array_now(workload, own->dst);
    const struct cm_layout_request *table;
    own->stores = dst->rank == index->rank + 1;
    table = cm_workload_array_now(workload, table_of(own));
    bool same = table->rank == index->rank + 1 && own->dim <= table->rank;
    for (uint32_t a = 0; same && a < index->rank; a++)
        same = index->shape[a] == table->shape[a + (a >= own->dim - 1)];
    if (same)
        return;
    cm_reader_fail(reader, step->body,
                   "neither \"%s\" nor \"%s\" has the shape of \"%s\" and dimension %" PRIu32
                   " in addition",
                   workload->arrays[own->dst.number].name, workload->arrays[own->src.number].name,
                   workload->arrays[own->index.number].name, own->dim);
    cm_reader_hint(reader, "the table has one dimension more than index and the other array");
}

static void expect_other(const struct cm_workload *workload, struct cm_reader *reader,
                         struct cm_array_reference dst, struct cm_array_reference other,
                         const char *what)
{
    if (!cm_reader_ok(reader) || dst.number != other.number)
        return;
    cm_reader_fail(reader, dst.json, "\"%s\" is both dst and %s", workload->arrays[dst.number].name,
                   what);
    cm_reader_hint(reader, "copy it to another array first");
}

static void read_lookup(struct cm_workload *workload, struct cm_workload_step *step,
                        struct cm_reader *reader)
{
    struct lookup *own = step->own;
    struct cm_json json;
    own->has_mask = cm_read_optional(reader, step->body, "mask", &json);
    expect_other(workload, reader, own->dst, own->src, "src");
    expect_other(workload, reader, own->dst, own->index, "index");
    if (own->has_mask)
        expect_other(workload, reader, own->dst, own->mask, "mask");
    if (cm_reader_ok(reader))
        expect_table(workload, reader, step, own);
    if (!cm_reader_ok(reader))
        return;
    cm_workload_expect_same_shape(workload, reader, own->index, elements_of(own), CM_TYPE_INT32);
    cm_workload_expect_same_shape(workload, reader, elements_of(own), own->index,
                                  cm_workload_array_now(workload, table_of(own))->type);
    if (own->has_mask)
        cm_workload_expect_same_shape(workload, reader, own->mask, own->index, CM_TYPE_LOGICAL);
}

/* Makes the view of the table's elements at index 0. Refuses a table whose dimension is not a
 * serial axis, or whose other elements are not in the same nodes as the indices. */
static enum cm_status make_view(const struct cm_run *run, const struct lookup *own,
                                struct cm_array *view, struct cm_error *err)
{
    const struct cm_array *table = cm_run_array_of(run, table_of(own));
    const struct cm_layout *index = &cm_run_array_of(run, own->index)->layout;
    const struct cm_axis *axes = table->layout.axes;
    struct cm_layout layout = *index;
    bool same = axes[own->dim - 1].order == CM_ORDER_SERIAL && !cm_array_is_allocated(table);
    *view = (struct cm_array){.address = table->address, .held = table->held};
    memcpy(view->name, table->name, sizeof view->name);
    for (uint32_t a = 0; same && a < index->rank; a++) {
        const struct cm_axis *axis = &axes[a + (a >= own->dim - 1)], *other = &index->axes[a];
        same = axis->order == other->order && axis->node_bits == other->node_bits &&
               axis->first_dimension == other->first_dimension &&
               axis->local_length == other->local_length;
        view->steps[a] = (int64_t)axis->stride;
        view->stepped = view->stepped || axis->stride != other->stride;
    }
    layout.type = table->layout.type;
    layout.slices = table->layout.slices;
    layout.local_words = layout.local_elements * layout.slices;
    view->layout = layout;
    if (same)
        return CM_OK;
    cm_error_refuse(err,
                    "order the axis \"serial\", and the other axes as those of the index; "
                    "gather takes any layout",
                    "dimension %" PRIu32 " of \"%s\" is not a serial axis, or its other axes are "
                    "not laid out as those of the index",
                    own->dim, table->name);
    return cm_workload_place(table_of(own).json, err);
}

/* Adds to the expression the conditions that are false in the padding. Returns their node, or 0
 * without padding. Only a view whose elements have several distances needs them, because the
 * garbage mask does not fit it. */
static uint32_t add_inside(struct cm_expression *e, const struct cm_array *view)
{
    uint32_t inside = 0;
    for (uint32_t a = 0; cm_elementwise_is_nested(view) && a < view->layout.rank; a++) {
        const struct cm_axis *axis = &view->layout.axes[a];
        if (!axis->padded)
            continue;
        uint32_t more =
            cm_expression_node(e, CM_EXPRESSION_LESS_EQUAL, cm_expression_index(e, a),
                               cm_expression_number(e, CM_TYPE_INT32, (double)axis->length), 0);
        inside = inside == 0 ? more : cm_expression_node(e, CM_EXPRESSION_AND, inside, more, 0);
    }
    return inside;
}

static void build(const struct lookup *own, const struct cm_array *table,
                  const struct cm_array *view, struct cm_expression *e)
{
    const enum cm_type type = view->layout.type;
    const struct cm_axis *axis = &table->layout.axes[own->dim - 1];
    const struct cm_expression_table described = {.number = TABLE,
                                                  .type = type,
                                                  .count = (uint32_t)axis->length,
                                                  .stride = (uint32_t)axis->stride};
    uint32_t index = cm_expression_array(e, INDEX, CM_TYPE_INT32);
    uint32_t mask = add_inside(e, view);
    if (own->first != 0)
        index = cm_expression_node(e, CM_EXPRESSION_SUBTRACT, index,
                                   cm_expression_number(e, CM_TYPE_INT32, own->first), 0);
    if (own->has_mask) {
        uint32_t chosen = cm_expression_array(e, MASK, CM_TYPE_LOGICAL);
        mask = mask == 0 ? chosen : cm_expression_node(e, CM_EXPRESSION_AND, mask, chosen, 0);
    }
    if (own->stores) {
        cm_expression_assign_at(e, &described, index, cm_expression_array(e, ELEMENTS, type), mask);
        return;
    }
    if (mask != 0)
        index = cm_expression_node(e, CM_EXPRESSION_MERGE, index,
                                   cm_expression_number(e, CM_TYPE_INT32, 0), mask);
    cm_expression_assign(e, ELEMENTS, cm_expression_lookup(e, &described, index), mask);
}

static void find_arrays(const struct cm_run *run, const struct lookup *own, struct state *state,
                        struct cm_array *arrays[ARRAYS])
{
    state->view.address = cm_run_array_of(run, table_of(own))->address;
    arrays[TABLE] = &state->view;
    arrays[INDEX] = cm_run_array_of(run, own->index);
    arrays[ELEMENTS] = cm_run_array_of(run, elements_of(own));
    arrays[MASK] = own->has_mask ? cm_run_array_of(run, own->mask) : NULL;
}

static enum cm_status prepare(struct cm_run *run, struct cm_run_step *step, struct cm_error *err)
{
    const struct lookup *own = step->step->own;
    struct state *state = step->state;
    struct cm_array *arrays[ARRAYS];
    enum cm_status status = cm_run_expect_layout(run, elements_of(own), own->index, err);
    if (status == CM_OK && own->has_mask)
        status = cm_run_expect_layout(run, own->mask, own->index, err);
    if (status == CM_OK)
        status = make_view(run, own, &state->view, err);
    if (status != CM_OK)
        return status;
    state->expression = cm_expression_create();
    if (state->expression == NULL)
        return cm_error_no_memory(err);
    build(own, cm_run_array_of(run, table_of(own)), &state->view, state->expression);
    find_arrays(run, own, state, arrays);
    return cm_elementwise_prepare(
        run->system, state->expression,
        &(struct cm_elementwise_arguments){.arrays = arrays, .array_count = ARRAYS}, err);
}

static enum cm_status run_lookup(struct cm_run *run, struct cm_run_step *step, struct cm_error *err)
{
    const struct lookup *own = step->step->own;
    struct state *state = step->state;
    struct cm_array *arrays[ARRAYS];
    find_arrays(run, own, state, arrays);
    enum cm_status status = cm_elementwise_call(
        run->system, state->expression,
        &(struct cm_elementwise_arguments){.arrays = arrays, .array_count = ARRAYS}, err);
    return status == CM_FAULT ? cm_workload_place(step->step->body, err) : status;
}

static enum cm_status check(struct cm_run *run, const struct cm_run_step *step,
                            struct cm_step_result *result, struct cm_error *err)
{
    const struct lookup *own = step->step->own;
    const struct cm_reference_array *table = &run->reference[table_of(own).number];
    const struct cm_reference_array *elements = &run->reference[elements_of(own).number];
    const int32_t *indices = run->reference[own->index.number].elements;
    const unsigned char *mask = own->has_mask ? run->reference[own->mask.number].elements : NULL;
    const size_t bytes = cm_type_host_bytes(table->type);
    const uint64_t length = table->shape[own->dim - 1];
    struct cm_reference_array *dst = &run->reference[own->dst.number];
    uint64_t inner = 1;
    for (uint32_t a = 0; a + 1 < own->dim; a++)
        inner *= table->shape[a];
    for (uint64_t e = 0; e < elements->elements_count; e++) {
        const uint64_t at = (uint64_t)(indices[e] - (int32_t)own->first);
        const uint64_t number = e % inner + (at + e / inner * length) * inner;
        if (mask != NULL && !mask[e])
            continue;
        memcpy((char *)dst->elements + (own->stores ? number : e) * bytes,
               own->stores ? (const char *)elements->elements + e * bytes
                           : (const char *)table->elements + number * bytes,
               bytes);
    }
    return cm_run_check_array(run, step, own->dst.number, 0, result, err);
}

static void finish(struct cm_run *run, struct cm_run_step *step)
{
    struct state *state = step->state;
    (void)run;
    cm_expression_destroy(state->expression);
}

const struct cm_step_kind cm_step_lookup = {
    .name = "lookup",
    .summary = "elements of a table along a serial axis, at indices that differ between nodes",
    .example = "{\"lookup\": {\"dst\": \"b\", \"src\": \"table\", \"index\": \"k\", \"dim\": 1}}",
    .keys = keys,
    .key_count = CM_COUNT_OF(keys),
    .own_bytes = sizeof(struct lookup),
    .state_bytes = sizeof(struct state),
    .stateless = true,
    .path = "imp",
    .read = read_lookup,
    .prepare = prepare,
    .run = run_lookup,
    .check = check,
    .finish = finish,
};
