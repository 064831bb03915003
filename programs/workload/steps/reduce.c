/* The step reduce: combines the elements of an array, or of each column along a dimension, to one
 * value. */
#include "collective_step.h"

#include <stdlib.h>
#include <string.h>

static const struct cm_key keys[] = {
    CM_KEY(NAME, "op", struct cm_collective_step, op, "the operation", .required = true,
           .max = CM_COLLECTIVE_OPS - 1, .name_of = cm_collective_step_op),
    CM_KEY(ARRAY, "src", struct cm_collective_step, src, "the array to reduce", .required = true),
    CM_KEY(INTEGER, "dim", struct cm_collective_step, dim, "the dimension to reduce along",
           .min = 1, .max = CM_RANK_MAX, .form = "integer from 1 to the array's rank",
           .otherwise = "the whole array, to one value"),
    CM_KEY(ARRAY, "dst", struct cm_collective_step, dst,
           "the array that gets the result, of the shape of src; of a whole array, one element",
           .otherwise = "the value is reported; with dim it must be there"),
    CM_KEY_FORM("scalar", "name of a scalar", "name",
                "the scalar that gets the value of a whole array, for later steps: combine, fill "
                "and stencil take it",
                .otherwise = "the value is reported alone"),
    CM_KEY(INTEGER, "to", struct cm_collective_step, place,
           "the index along dim that gets the results", .min = 1, .max = CM_STEP_INDEX_MAX,
           .form = "integer from 1 to the dimension's length",
           .otherwise = "every index gets the result of its column"),
    CM_KEY(ARRAY, "mask", struct cm_collective_step, mask,
           "a logical array of the shape of src; elements where it is false are left out",
           .otherwise = "all elements"),
};

/* Reads the scalar that receives the value of the reduction. */
static void read_scalar(struct cm_workload *workload, const struct cm_workload_step *step,
                        struct cm_reader *reader, enum cm_type result)
{
    struct cm_collective_step *own = step->own;
    struct cm_json json;
    if (!cm_read_optional(reader, step->body, "scalar", &json))
        return;
    const char *name = cm_read_string(reader, json, "scalar");
    if (name == NULL)
        return;
    own->scalar = cm_workload_find_scalar(workload, name);
    if (own->dim > 0) {
        cm_reader_fail(reader, json, "with dim there is a result for each column, not a scalar");
        cm_reader_hint(reader, "leave dim out to reduce the whole array");
    } else if (own->scalar == 0) {
        cm_reader_fail(reader, json, "scalar names \"%.64s\", but there is no such scalar", name);
        if (cm_workload_find_array(workload, name) != CM_NO_ARRAY)
            cm_reader_hint(reader, "\"%.64s\" is an array, expected a scalar", name);
        else
            cm_reader_hint(reader, "declare it under \"scalars\", with its initial value");
    } else {
        workload->scalars[own->scalar - 1].computed |= 1u << result;
    }
}

static void read_reduce(struct cm_workload *workload, struct cm_workload_step *step,
                        struct cm_reader *reader)
{
    const enum cm_type result = cm_collective_step_result(workload, step, reader);
    cm_collective_step_read(workload, step, reader, "to", result);
    read_scalar(workload, step, reader, result);
}

static enum cm_status run_reduce(struct cm_run *run, struct cm_run_step *step, struct cm_error *err)
{
    const struct cm_collective_step *own = step->step->own;
    const struct cm_collective_state *state = step->state;
    enum cm_status status = cm_collective_step_run(run, step, err);
    if (status == CM_OK && own->scalar != 0 && state->has_value)
        run->scalars[own->scalar - 1] = cm_collective_step_number(&state->value);
    return status;
}

static enum cm_status prepare(struct cm_run *run, struct cm_run_step *step, struct cm_error *err)
{
    const struct cm_collective_step *own = step->step->own;
    struct cm_collective_task task = {.kind = CM_COLLECTIVE_REDUCE, .op = own->op};
    return cm_collective_step_prepare(run, step, &task, err);
}

/* Stores the result of each column to its places in dst. */
static void place_results(const struct cm_collective_step *own,
                          const struct cm_reference_array *dst, const void *results)
{
    const size_t bytes = cm_type_host_bytes(dst->type);
    const uint64_t length = dst->shape[own->dim - 1];
    uint64_t below = 1;
    for (uint32_t a = 0; a + 1 < own->dim; a++)
        below *= dst->shape[a];
    for (uint64_t e = 0; e < dst->elements_count; e++) {
        const uint64_t column = e / below / length * below + e % below;
        if (own->place == 0 || e / below % length == own->place - 1)
            memcpy((char *)dst->elements + e * bytes, (const char *)results + column * bytes,
                   bytes);
    }
}

/* Compares the front end's value with the direct evaluation. For the location of an extreme
 * element, also compares the element's value. */
static bool value_differs(const struct cm_collective_state *state, enum cm_type source,
                          const void *result, const void *extreme)
{
    const enum cm_type type = state->value.type;
    uint64_t first;
    uint32_t found[4];
    memcpy(found, state->value.bits.words, sizeof found);
    if (type == CM_TYPE_LOGICAL)
        *(unsigned char *)found = found[0] != 0;
    return cm_reference_compare(type, 1, result, found, &first) != 0 ||
           (extreme != NULL &&
            cm_reference_compare(source, 1, extreme, state->value.extreme.words, &first) != 0);
}

static enum cm_status check_whole(struct cm_run *run, const struct cm_run_step *step,
                                  const void *result, const void *extreme,
                                  struct cm_step_result *report, struct cm_error *err)
{
    const struct cm_collective_step *own = step->step->own;
    const struct cm_reference_array *dst = &run->reference[own->dst.number];
    const bool located = own->op == CM_COLLECTIVE_MINLOC || own->op == CM_COLLECTIVE_MAXLOC;
    const bool nowhere = located && *(const int32_t *)result == 0;
    cm_run_count_mismatches(run, step,
                            value_differs(step->state, run->reference[own->src.number].type, result,
                                          located && !nowhere ? extreme : NULL),
                            "value differs from the direct evaluation", report, err);
    if (!own->has_dst)
        return CM_OK;
    memcpy(dst->elements, result, cm_type_host_bytes(dst->type));
    return cm_run_check_array(run, step, own->dst.number, 0, report, err);
}

static enum cm_status check(struct cm_run *run, const struct cm_run_step *step,
                            struct cm_step_result *result, struct cm_error *err)
{
    const struct cm_collective_step *own = step->step->own;
    struct cm_reference_reduction reduction;
    void *results;
    double extreme[2];
    cm_collective_step_describe(run, own, &reduction);
    enum cm_status status = cm_reference_reduce(&reduction, &results, extreme, err);
    if (status != CM_OK)
        return status;
    if (own->dim == 0) {
        status = check_whole(run, step, results, extreme, result, err);
    } else {
        place_results(own, &run->reference[own->dst.number], results);
        status = cm_run_check_array(run, step, own->dst.number, 0, result, err);
    }
    free(results);
    return status;
}

const struct cm_step_kind cm_step_reduce = {
    .name = "reduce",
    .summary = "the elements of an array, or along a dimension, to one value",
    .example = "{\"reduce\": {\"op\": \"sum\", \"src\": \"a\", \"dim\": 1, \"dst\": \"b\"}}",
    .keys = keys,
    .key_count = CM_COUNT_OF(keys),
    .own_bytes = sizeof(struct cm_collective_step),
    .state_bytes = sizeof(struct cm_collective_state),
    .stateless = true,
    .path = "imp",
    .read = read_reduce,
    .prepare = prepare,
    .run = run_reduce,
    .check = check,
    .report = cm_collective_step_report,
    .imp = cm_collective_step_imp,
    .finish = cm_collective_step_finish,
};
