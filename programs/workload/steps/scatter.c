/* The step scatter: sends each element of an array to the place that its subscripts name. */
#include "gather_step.h"

#include <stdlib.h>
#include <string.h>

CM_NAMES_OF(op_name, cm_gather_op_name, enum cm_gather_op)

static const struct cm_key keys[] = {
    CM_GATHER_KEYS("dst", "src"),
    CM_KEY(NAME, "op", struct cm_gather_step, op,
           "what is done with the element that is there, in the order of src's elements",
           .max = CM_GATHER_OPS - 1, .name_of = op_name),
};

static void read_scatter(struct cm_workload *workload, struct cm_workload_step *step,
                         struct cm_reader *reader)
{
    cm_gather_step_read(workload, step, reader, CM_GATHER_SEND);
}

static enum cm_status prepare(struct cm_run *run, struct cm_run_step *step, struct cm_error *err)
{
    return cm_gather_step_prepare(run, step, CM_GATHER_SEND, err);
}

/* Defines a function that combines `parts` numbers of y into those of x by the operation. */
#define APPLY_NUMBERS(name, number)                                                                \
    static void name(enum cm_gather_op op, void *x, const void *y, uint32_t parts)                 \
    {                                                                                              \
        number *to = x;                                                                            \
        const number *from = y;                                                                    \
        for (uint32_t i = 0; i < parts; i++) {                                                     \
            if (op == CM_GATHER_ADD)                                                               \
                to[i] += from[i];                                                                  \
            else if ((op == CM_GATHER_MIN && !(to[i] < from[i])) ||                                \
                     (op == CM_GATHER_MAX && !(to[i] > from[i])))                                  \
                to[i] = from[i];                                                                   \
        }                                                                                          \
    }
APPLY_NUMBERS(apply_single, float)
APPLY_NUMBERS(apply_double, double)
#undef APPLY_NUMBERS

static void apply_integer(enum cm_gather_op op, int32_t *x, int32_t y)
{
    if (op == CM_GATHER_ADD)
        *x = (int32_t)((uint32_t)*x + (uint32_t)y);
    else if ((op == CM_GATHER_MIN && y < *x) || (op == CM_GATHER_MAX && y > *x))
        *x = y;
    else if (op == CM_GATHER_AND)
        *x &= y;
    else if (op == CM_GATHER_OR)
        *x |= y;
    else if (op == CM_GATHER_XOR)
        *x ^= y;
}

static void apply_logical(enum cm_gather_op op, unsigned char *x, unsigned char y)
{
    if (op == CM_GATHER_AND)
        *x = *x && y;
    else if (op == CM_GATHER_OR)
        *x = *x || y;
    else if (op == CM_GATHER_XOR)
        *x = *x != y;
}

static void apply(enum cm_gather_op op, enum cm_type type, void *x, const void *y)
{
    const uint32_t parts = cm_type_components(type);
    int32_t integer;
    if (op == CM_GATHER_OVERWRITE) {
        memcpy(x, y, cm_type_host_bytes(type));
    } else if (type == CM_TYPE_INT32) {
        memcpy(&integer, y, sizeof integer);
        apply_integer(op, x, integer);
    } else if (type == CM_TYPE_LOGICAL) {
        apply_logical(op, x, *(const unsigned char *)y);
    } else if (type == CM_TYPE_REAL32 || type == CM_TYPE_COMPLEX64) {
        apply_single(op, x, y, parts);
    } else {
        apply_double(op, x, y, parts);
    }
}

static enum cm_status check(struct cm_run *run, const struct cm_run_step *step,
                            struct cm_step_result *result, struct cm_error *err)
{
    const struct cm_gather_step *own = step->step->own;
    const struct cm_reference_array *src = &run->reference[own->src.number];
    struct cm_reference_array *dst = &run->reference[own->dst.number];
    const size_t bytes = cm_type_host_bytes(src->type);
    /* Results are collected in a copy, because dst may be a subscript array. */
    unsigned char *results = cm_run_copy_elements(dst, err);
    uint64_t number;
    if (results == NULL)
        return CM_NO_MEMORY;
    for (uint64_t e = 0; e < src->elements_count; e++)
        if (cm_gather_step_find(run, own, e, dst, &number))
            apply(own->op, src->type, results + number * bytes,
                  (const char *)src->elements + e * bytes);
    memcpy(dst->elements, results, dst->elements_count * bytes);
    free(results);
    return cm_run_check_array(run, step, own->dst.number, 0, result, err);
}

const struct cm_step_kind cm_step_scatter = {
    .name = "scatter",
    .summary = "the elements of an array to where subscripts say",
    .example = "{\"scatter\": {\"dst\": \"b\", \"src\": \"a\", \"index\": [\"i\", \"j\"], "
               "\"op\": \"add\"}}",
    .keys = keys,
    .key_count = CM_COUNT_OF(keys),
    .own_bytes = sizeof(struct cm_gather_step),
    .state_bytes = sizeof(struct cm_gather_state),
    .stateless = true,
    .path = "router",
    .read = read_scatter,
    .prepare = prepare,
    .run = cm_gather_step_run,
    .check = check,
    .report = cm_gather_step_report,
    .finish = cm_gather_step_finish,
};
