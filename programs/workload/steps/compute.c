/* The step compute: assigns an expression of arrays to an array, element by element, where a mask
 * is true. */
#include "../step.h"

#include "../../elementwise/elementwise.h"
#include "compute_text.h"

#include <stdlib.h>

struct compute {
    struct cm_array_reference dst; /* array number 0 of `names` */
    struct cm_reference_tree *value;
    struct cm_reference_tree *where; /* mask: assign where it is true. NULL: everywhere */
    struct cm_compute_names names;
};

static const struct cm_key keys[] = {
    CM_KEY(ARRAY, "dst", struct compute, dst, "the array that gets the value", .required = true),
    CM_KEY_FORM("value", "expression", "expression",
                "of arrays of dst's shape, scalars, numbers, `index(1)`, operators and functions "
                "as in Fortran",
                .required = true),
    CM_KEY_FORM("where", "logical expression", "expression", "the elements that get it",
                .otherwise = "all elements"),
};

static void read_compute(struct cm_workload *workload, struct cm_workload_step *step,
                         struct cm_reader *reader)
{
    struct compute *own = step->own;
    const struct cm_layout_request *now = cm_workload_array_now(workload, own->dst);
    struct cm_json json = cm_read_member(reader, step->body, "value");
    cm_workload_expect_same_shape(workload, reader, own->dst, own->dst, now->type);
    own->names.arrays[0] = own->dst;
    own->names.types[0] = now->type;
    own->names.array_count = 1;
    own->names.rank = now->rank;
    own->value = cm_compute_read(workload, reader, json, now->type, &own->names);
    if (cm_read_optional(reader, step->body, "where", &json))
        own->where = cm_compute_read(workload, reader, json, CM_TYPE_LOGICAL, &own->names);
    for (uint32_t k = 1; cm_reader_ok(reader) && k < own->names.array_count; k++)
        cm_workload_expect_same_shape(workload, reader, own->names.arrays[k], own->dst,
                                      own->names.types[k]);
}

/* Adds a tree to the expression. Returns the number of its node there. */
static uint32_t build(struct cm_expression *expression, const struct cm_reference_tree *tree)
{
    uint32_t operands[3] = {0};
    const struct cm_reference_number *value = &tree->value;
    const bool whole = tree->type == CM_TYPE_INT32 || tree->type == CM_TYPE_LOGICAL;
    switch (tree->op) {
    case CM_REFERENCE_ARRAY:
        return cm_expression_array(expression, tree->leaf, tree->type);
    case CM_REFERENCE_SCALAR:
        return cm_expression_scalar(expression, tree->leaf, tree->type);
    case CM_REFERENCE_INDEX:
        return cm_expression_index(expression, tree->leaf);
    case CM_REFERENCE_CONSTANT:
        return cm_expression_constant(
            expression, tree->type,
            cm_scalar_make(tree->type, whole ? (double)value->whole : value->re, value->im));
    default:
        break;
    }
    for (int i = 0; i < 3; i++)
        if (tree->operands[i])
            operands[i] = build(expression, tree->operands[i]);
    if (tree->op == CM_REFERENCE_CONVERT)
        return cm_expression_convert(expression, operands[0], tree->type);
    return cm_expression_node(expression, (enum cm_expression_op)tree->op, operands[0], operands[1],
                              operands[2]);
}

static void fill_arrays(const struct cm_run *run, const struct compute *own,
                        struct cm_array *arrays[CM_COMPUTE_ARRAYS_MAX])
{
    for (uint32_t k = 0; k < own->names.array_count; k++)
        arrays[k] = cm_run_array_of(run, own->names.arrays[k]);
}

/* Returns true if the tree uses a scalar with this number. A scalar that was converted to another
 * type has a second number, and the first number may then be unused. */
static bool uses_scalar(const struct cm_reference_tree *tree, uint32_t scalar)
{
    bool uses = tree && tree->op == CM_REFERENCE_SCALAR && tree->leaf == scalar;
    for (int i = 0; tree && i < 3; i++)
        uses = uses || uses_scalar(tree->operands[i], scalar);
    return uses;
}

/* Compiles the step. Its state is a pointer to the expression. */
static enum cm_status prepare(struct cm_run *run, struct cm_run_step *step, struct cm_error *err)
{
    const struct compute *own = step->step->own;
    struct cm_expression **state = step->state;
    struct cm_array *arrays[CM_COMPUTE_ARRAYS_MAX];
    struct cm_expression *expression = *state = cm_expression_create();
    enum cm_status status = expression ? CM_OK : cm_error_no_memory(err);
    for (uint32_t k = 1; status == CM_OK && k < own->names.array_count; k++)
        status = cm_run_expect_layout(run, own->names.arrays[k], own->dst, err);
    for (uint32_t k = 0; status == CM_OK && k < own->names.scalar_count; k++)
        if (uses_scalar(own->value, k) || uses_scalar(own->where, k))
            status = cm_run_expect_number(run, &own->names.scalars[k].value,
                                          own->names.scalars[k].type, err);
    if (status != CM_OK)
        return status;
    fill_arrays(run, own, arrays);
    const uint32_t mask = own->where ? build(expression, own->where) : 0;
    cm_expression_assign(expression, 0, build(expression, own->value), mask);
    return cm_elementwise_prepare(
        run->system, expression,
        &(struct cm_elementwise_arguments){arrays, own->names.array_count, NULL, 0}, err);
}

static struct cm_scalar scalar_now(const struct cm_run *run, const struct cm_compute_scalar *scalar)
{
    const struct cm_number *number = cm_run_number(run, &scalar->value);
    return cm_scalar_make(scalar->type, number->re, number->im);
}

static enum cm_status run_compute(struct cm_run *run, struct cm_run_step *step,
                                  struct cm_error *err)
{
    const struct compute *own = step->step->own;
    struct cm_expression *const *expression = step->state;
    struct cm_array *arrays[CM_COMPUTE_ARRAYS_MAX];
    struct cm_scalar scalars[CM_COMPUTE_SCALARS_MAX];
    fill_arrays(run, own, arrays);
    for (uint32_t k = 0; k < own->names.scalar_count; k++)
        scalars[k] = scalar_now(run, &own->names.scalars[k]);
    return cm_elementwise_call(run->system, *expression,
                               &(struct cm_elementwise_arguments){arrays, own->names.array_count,
                                                                  scalars, own->names.scalar_count},
                               err);
}

/* Reads the values of the tree's leaves for element e. */
static void read_leaves(const struct cm_run *run, const struct compute *own, uint64_t e,
                        struct cm_reference_number *numbers, int32_t *indices)
{
    const struct cm_reference_array *dst = &run->reference[own->dst.number];
    uint64_t rest = e;
    for (uint32_t a = 0; a < dst->rank; a++) {
        indices[a] = (int32_t)(rest % dst->shape[a]) + 1;
        rest /= dst->shape[a];
    }
    for (uint32_t k = 0; k < own->names.array_count; k++) {
        const struct cm_reference_array *array = &run->reference[own->names.arrays[k].number];
        numbers[k] = cm_reference_read(array->type, (const char *)array->elements +
                                                        e * cm_type_host_bytes(array->type));
    }
}

static void read_scalars(const struct cm_run *run, const struct compute *own,
                         struct cm_reference_number *scalars)
{
    for (uint32_t k = 0; k < own->names.scalar_count; k++) {
        const struct cm_compute_scalar *scalar = &own->names.scalars[k];
        const struct cm_number *number = cm_run_number(run, &scalar->value);
        unsigned char element[16];
        cm_init_element(scalar->type, number, element);
        scalars[k] = cm_reference_read(scalar->type, element);
    }
}

/* Evaluates element e. If a function in it is inexact and the machine's value `found` is within the
 * error bounds, takes that value. Returns true if the element is inexact. */
static bool evaluate(const struct cm_run *run, const struct compute *own,
                     const struct cm_reference_leaves *leaves, const void *found, void *element)
{
    struct cm_reference_number mask = {.whole = 1};
    if (own->where)
        mask = cm_reference_evaluate(own->where, leaves);
    const enum cm_type type = run->reference[own->dst.number].type;
    struct cm_reference_number value = cm_reference_read(type, element);
    if (mask.whole || mask.error > 0)
        value = cm_reference_evaluate(own->value, leaves);
    if (mask.error > 0) /* the mask is inexact, so either element may be right */
        value.error = mask.error;
    const struct cm_reference_number there = cm_reference_read(type, found);
    cm_reference_write(value.error > 0 && cm_reference_same(&there, &value) ? &there : &value,
                       element);
    return value.error > 0;
}

static enum cm_status check(struct cm_run *run, const struct cm_run_step *step,
                            struct cm_step_result *result, struct cm_error *err)
{
    const struct compute *own = step->step->own;
    struct cm_reference_array *dst = &run->reference[own->dst.number];
    struct cm_reference_number numbers[CM_COMPUTE_ARRAYS_MAX], scalars[CM_COMPUTE_SCALARS_MAX];
    int32_t indices[CM_RANK_MAX];
    const size_t bytes = cm_type_host_bytes(dst->type);
    const struct cm_reference_leaves leaves = {numbers, scalars, indices};
    enum cm_status status =
        cm_array_gather(run->system, cm_run_array_of(run, own->dst), run->gathered, err);
    if (status != CM_OK)
        return status;
    read_scalars(run, own, scalars);
    for (uint64_t e = 0; e < dst->elements_count; e++) {
        read_leaves(run, own, e, numbers, indices);
        if (evaluate(run, own, &leaves, (const char *)run->gathered + e * bytes,
                     (char *)dst->elements + e * bytes))
            result->rounded = true;
    }
    return cm_run_check_array(run, step, own->dst.number, 0, result, err);
}

static void finish(struct cm_run *run, struct cm_run_step *step)
{
    struct cm_expression **expression = step->state;
    (void)run;
    cm_expression_destroy(*expression);
}

const struct cm_step_kind cm_step_compute = {
    .name = "compute",
    .summary = "an expression of arrays, element by element",
    .example = "{\"compute\": {\"dst\": \"r\", \"value\": \"sqrt(x**2 + y**2)\", \"where\": \"x > "
               "0\"}}",
    .keys = keys,
    .key_count = CM_COUNT_OF(keys),
    .own_bytes = sizeof(struct compute),
    .state_bytes = sizeof(struct cm_expression *),
    .stateless = true,
    .path = "imp",
    .read = read_compute,
    .prepare = prepare,
    .run = run_compute,
    .check = check,
    .finish = finish,
};
