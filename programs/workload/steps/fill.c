/*
 * The step fill: sets an array, or a section of it, to a value. The IMP stores the value's words
 * into every local element. For a section, or if elements are missing, a mask with one bit for each
 * element is loaded into the context.
 *
 *     aarg r0, fscal32 f0..     the array. The words of the value, in registers throughout
 *     loop over groups          of 32 elements, a word of the mask
 *       ctxload, fstore32       each element under its bit
 */
#include "../step.h"

#include "../../pshift/shift.h"
#include "../../system/compiled_imps.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define GROUP      32u /* number of elements that a mask word has bits for */
#define SLICES_MAX 4u  /* most words of an element */

enum { ARGUMENT_ARRAY, ARGUMENT_MASK, ARGUMENT_VALUE };
enum { REG_ARRAY, REG_MASK };

struct range {
    uint64_t first, last, stride; /* indices from 1, both inclusive */
};

struct fill {
    struct cm_array_reference array;
    struct cm_workload_value value;
    struct range section[CM_RANK_MAX];
};

static const struct cm_key keys[] = {
    CM_KEY(ARRAY, "array", struct fill, array, "the array to write", .required = true),
    CM_KEY(VALUE, "value", struct fill, value, "what its elements get", .required = true,
           .form = "number, [re, im] or name of a scalar"),
    CM_KEY_FORM("section", "list of [first, last] or [first, last, stride], one for each dimension",
                "{\"type\": \"array\", \"minItems\": 1, \"maxItems\": 7, \"items\": {\"type\": "
                "\"array\", \"minItems\": 2, \"maxItems\": 3, \"items\": {\"type\": \"integer\", "
                "\"minimum\": 1}}}",
                "the elements to write, counted from 1, both ends included",
                .otherwise = "the whole array"),
};

static void read_range(struct cm_reader *reader, struct cm_json json, uint64_t length,
                       struct range *range)
{
    uint32_t count = cm_read_list(reader, json, "a range", 2, 3);
    range->first = cm_read_u64(reader, cm_json_at(json, 0, NULL), "the first index", 1, length);
    range->last = cm_read_u64(reader, cm_json_at(json, 1, NULL), "the last index", 1, length);
    if (count == 3)
        range->stride = cm_read_u64(reader, cm_json_at(json, 2, NULL), "the stride", 1, INT64_MAX);
    if (range->first > range->last)
        cm_reader_fail(reader, json, "the range from %" PRIu64 " to %" PRIu64 " is empty",
                       range->first, range->last);
}

static void read_fill(struct cm_workload *workload, struct cm_workload_step *step,
                      struct cm_reader *reader)
{
    struct fill *own = step->own;
    const struct cm_layout_request *now = cm_workload_array_now(workload, own->array);
    struct cm_json json;
    cm_workload_expect_same_type(workload, reader, own->array, own->array);
    if (own->value.array != CM_NO_ARRAY) {
        cm_reader_fail(reader, own->value.json,
                       "value \"%s\" is an array, expected a number or a scalar",
                       workload->arrays[own->value.array].name);
        cm_reader_hint(reader, "copy takes an array");
    }
    cm_workload_check_number(reader, own->value.json, &own->value.number, now->type, "value");
    for (uint32_t a = 0; a < now->rank; a++)
        own->section[a] = (struct range){1, now->shape[a], 1};
    if (!cm_read_optional(reader, step->body, "section", &json))
        return;
    cm_read_kind(reader, json, CM_JSON_ARRAY, "section");
    if (cm_reader_ok(reader) && cm_json_count(json) != now->rank)
        cm_reader_fail(reader, json,
                       "section is a list of %" PRIu32
                       ", expected a range for each dimension: %" PRIu32,
                       cm_json_count(json), now->rank);
    for (uint32_t a = 0; cm_reader_ok(reader) && a < now->rank; a++)
        read_range(reader, cm_json_at(json, a, NULL), now->shape[a], &own->section[a]);
}

static void first_index(const struct fill *own, uint32_t rank, uint64_t *index)
{
    for (uint32_t a = 0; a < rank; a++)
        index[a] = own->section[a].first - 1;
}

/* Advances to the next element of the section, first index fastest. Returns false after the last
 * element. */
static bool next_index(const struct fill *own, uint32_t rank, uint64_t *index)
{
    for (uint32_t a = 0; a < rank; a++) {
        const struct range *range = &own->section[a];
        if (range->last - 1 - index[a] >= range->stride) {
            index[a] += range->stride;
            return true;
        }
        index[a] = range->first - 1;
    }
    return false;
}

/* Data from which the mask is computed. */
struct mask {
    const struct fill *own;
    const struct cm_layout *layout;
};

/* Fills mask planes: sets the bit of each local element that is in the section. */
static void fill_mask(const void *context, uint32_t nodes, uint32_t *planes)
{
    const struct mask *mask = context;
    const struct cm_layout *layout = mask->layout;
    uint32_t used = UINT32_C(1) << layout->used_bits, node;
    uint64_t index[CM_RANK_MAX], local;
    first_index(mask->own, layout->rank, index);
    do {
        cm_layout_place(layout, index, &node, &local);
        for (uint32_t n = node; n < nodes; n += used) /* the other nodes hold copies */
            planes[local / GROUP * nodes + n] |= UINT32_C(1) << local % GROUP;
    } while (next_index(mask->own, layout->rank, index));
}

static void emit_group(struct cm_imp *imp, uint32_t count, uint32_t slices, bool masked)
{
    for (uint32_t e = 0; e < count; e++) {
        if (masked)
            CM_EMIT(imp, CM_OP_CTXLOAD, cm_mem(REG_MASK, 0), cm_value(e));
        for (uint32_t s = 0; s < slices; s++)
            CM_EMIT(imp, CM_OP_FSTORE32, cm_mem(REG_ARRAY, e * slices + s), cm_reg(s));
    }
}

static struct cm_imp *compile(const struct cm_layout *layout, bool masked)
{
    static const char *const words[] = {"word1", "word2", "word3", "word4"};
    const uint32_t slices = layout->slices;
    const uint64_t groups = layout->local_elements / GROUP;
    const uint32_t rest = (uint32_t)(layout->local_elements % GROUP);
    struct cm_imp *imp = cm_imp_create("fill");
    if (imp == NULL)
        return NULL;
    cm_imp_argument(imp, "array", CM_ARGUMENT_ADDRESS);
    cm_imp_argument(imp, "mask", CM_ARGUMENT_ADDRESS);
    CM_EMIT(imp, CM_OP_AARG, cm_reg(REG_ARRAY), cm_value(ARGUMENT_ARRAY));
    if (masked)
        CM_EMIT(imp, CM_OP_AARG, cm_reg(REG_MASK), cm_value(ARGUMENT_MASK));
    for (uint32_t s = 0; s < slices; s++) {
        cm_imp_argument(imp, words[s], CM_ARGUMENT_SCALAR);
        CM_EMIT(imp, CM_OP_FSCAL32, cm_reg(s), cm_value(ARGUMENT_VALUE + s));
    }
    if (groups > 0) {
        uint32_t loop = CM_EMIT(imp, CM_OP_LOOP, cm_value((int64_t)groups));
        emit_group(imp, GROUP, slices, masked);
        CM_EMIT(imp, CM_OP_AADD, cm_reg(REG_ARRAY), cm_value(GROUP * slices));
        if (masked)
            CM_EMIT(imp, CM_OP_AADD, cm_reg(REG_MASK), cm_value(1));
        CM_EMIT(imp, CM_OP_NEXT, cm_value(loop));
    }
    emit_group(imp, rest, slices, masked);
    cm_imp_emit(imp, CM_OP_HALT, NULL, 0);
    return imp;
}

/* Compiles the step. Its state is a pointer to the IMP and its mask. */
static enum cm_status prepare(struct cm_run *run, struct cm_run_step *step, struct cm_error *err)
{
    const struct fill *own = step->step->own;
    const struct cm_layout *layout = &cm_run_array_of(run, own->array)->layout;
    struct cm_compiled **state = step->state;
    bool masked = false;
    for (uint32_t a = 0; a < layout->rank; a++) {
        const struct range *range = &own->section[a];
        masked = masked || layout->axes[a].padded || range->first > 1 ||
                 range->last < layout->axes[a].length || range->stride > 1;
    }
    struct cm_compiled *compiled = *state = calloc(1, sizeof *compiled);
    if (compiled == NULL)
        return cm_error_no_memory(err);
    if (cm_run_expect_number(run, &own->value, layout->type, err) != CM_OK)
        return CM_BAD_INPUT;
    const struct mask mask = {own, layout};
    uint64_t words = masked ? (layout->local_elements + GROUP - 1) / GROUP : 0;
    enum cm_status status = cm_compiled_table(
        run->system, compiled,
        &(struct cm_table_request){words, "the mask of a fill", fill_mask, &mask}, err);
    return status == CM_OK ? cm_compiled_add(compiled, compile(layout, masked), err) : status;
}

static enum cm_status run_fill(struct cm_run *run, struct cm_run_step *step, struct cm_error *err)
{
    const struct fill *own = step->step->own;
    struct cm_compiled *const *compiled = step->state;
    const struct cm_array *array = cm_run_array_of(run, own->array);
    const struct cm_number *number = cm_run_number(run, &own->value);
    struct cm_scalar value = cm_scalar_make(array->layout.type, number->re, number->im);
    struct cm_actual actuals[ARGUMENT_VALUE + SLICES_MAX] = {
        [ARGUMENT_ARRAY] = {.address = array->address},
        [ARGUMENT_MASK] = {.address = (*compiled)->table},
    };
    for (uint32_t s = 0; s < array->layout.slices; s++)
        actuals[ARGUMENT_VALUE + s].scalar = value.words[s];
    return cm_compiled_run(run->system, *compiled, actuals, CM_ENTRY_IMP, err);
}

static enum cm_status check(struct cm_run *run, const struct cm_run_step *step,
                            struct cm_step_result *result, struct cm_error *err)
{
    const struct fill *own = step->step->own;
    struct cm_reference_array *reference = &run->reference[own->array.number];
    size_t bytes = cm_type_host_bytes(reference->type);
    unsigned char element[16];
    uint64_t index[CM_RANK_MAX];
    cm_init_element(reference->type, cm_run_number(run, &own->value), element);
    first_index(own, reference->rank, index);
    do {
        uint64_t e = 0;
        for (uint32_t a = reference->rank; a-- > 0;)
            e = e * reference->shape[a] + index[a];
        memcpy((char *)reference->elements + e * bytes, element, bytes);
    } while (next_index(own, reference->rank, index));
    return cm_run_check_array(run, step, own->array.number, 0, result, err);
}

static void finish(struct cm_run *run, struct cm_run_step *step)
{
    struct cm_compiled **compiled = step->state;
    cm_compiled_drop(run->system, *compiled);
}

const struct cm_step_kind cm_step_fill = {
    .name = "fill",
    .summary = "sets an array, or a section of it, to a value",
    .example = "{\"fill\": {\"array\": \"a\", \"value\": 2.5, \"section\": [[1, 8], [2, 7, 2]]}}",
    .keys = keys,
    .key_count = CM_COUNT_OF(keys),
    .own_bytes = sizeof(struct fill),
    .state_bytes = sizeof(struct cm_compiled *),
    .stateless = true,
    .path = "imp",
    .read = read_fill,
    .prepare = prepare,
    .run = run_fill,
    .check = check,
    .finish = finish,
};
