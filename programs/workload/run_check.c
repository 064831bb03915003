/* Checking a step: direct evaluation on the host's copies, and comparison with what the machine
 * holds. */
#include "run_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum cm_status evaluate_shift(struct cm_run *run, const struct cm_workload_shift *shift,
                                     const struct cm_reference_array *src, struct cm_error *err)
{
    static const struct cm_number one = {.re = 1};
    unsigned char element[16];
    struct cm_reference_boundary boundary = {
        .circular = shift->type == CM_SHIFT_CSHIFT,
        .bytes = element,
    };
    if (shift->boundary.array != CM_NO_ARRAY) {
        boundary.bytes = run->reference[shift->boundary.array].elements;
        boundary.is_array = true;
    } else {
        /* zero, unless the shift says otherwise */
        cm_init_element(
            src->type, shift->type == CM_SHIFT_EOSHIFT_1 ? &one : &shift->boundary.number, element);
    }
    return cm_reference_shift(&run->reference[shift->dst], src, shift->axis, shift->distance,
                              &boundary, err);
}

static bool is_destination(const struct cm_workload_step *step, uint32_t array, uint32_t except)
{
    for (uint32_t i = 0; i < step->shift_count; i++) {
        if (i != except && step->shifts[i].dst == array)
            return true;
    }
    return false;
}

static enum cm_status copy_elements(const struct cm_reference_array *from, void **copy,
                                    struct cm_error *err)
{
    size_t bytes = from->elements_count * cm_type_host_bytes(from->type);
    *copy = malloc(bytes);
    if (*copy == NULL)
        return cm_error_set(err, CM_NO_MEMORY, "out of memory for the check of a pshift");
    memcpy(*copy, from->elements, bytes);
    return CM_OK;
}

/* The shifts of one pshift happen at once: each reads its source as it was, though another shift
 * may write it. */
static enum cm_status evaluate_shifts(struct cm_run *run, const struct cm_workload_step *step,
                                      struct cm_error *err)
{
    struct cm_reference_array sources[CM_PSHIFT_MAX];
    void *copies[CM_PSHIFT_MAX] = {NULL};
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; status == CM_OK && i < step->shift_count; i++) {
        uint32_t src = step->shifts[i].src;
        sources[i] = run->reference[src];
        if (is_destination(step, src, i)) {
            status = copy_elements(&sources[i], &copies[i], err);
            sources[i].elements = copies[i];
        }
    }
    for (uint32_t i = 0; status == CM_OK && i < step->shift_count; i++)
        status = evaluate_shift(run, &step->shifts[i], &sources[i], err);
    for (uint32_t i = 0; i < step->shift_count; i++)
        free(copies[i]);
    return status;
}

static void evaluate_terms(struct cm_run *run, const struct cm_workload_step *step)
{
    struct cm_reference_term terms[CM_TERMS_MAX];
    unsigned char elements[CM_TERMS_MAX][16];
    struct cm_reference_array *dst = &run->reference[step->dst];
    for (uint32_t i = 0; i < step->term_count; i++) {
        const struct cm_workload_value *coefficient = &step->terms[i].coefficient;
        terms[i].elements = run->reference[step->terms[i].array].elements;
        terms[i].coefficients_are_array = coefficient->array != CM_NO_ARRAY;
        terms[i].coefficients = elements[i];
        if (terms[i].coefficients_are_array)
            terms[i].coefficients = run->reference[coefficient->array].elements;
        else
            cm_init_element(dst->type, &coefficient->number, elements[i]);
    }
    cm_reference_combine(dst, terms, step->term_count);
}

static void evaluate_copy(struct cm_run *run, const struct cm_workload_step *step)
{
    struct cm_reference_array *dst = &run->reference[step->dst];
    const struct cm_reference_array *src = &run->reference[step->terms[0].array];
    if (dst != src)
        memcpy(dst->elements, src->elements, dst->elements_count * cm_type_host_bytes(dst->type));
}

static void format_element(enum cm_type type, const void *elements, uint64_t e, char *text,
                           size_t size)
{
    const float *f = elements;
    const double *d = elements;
    if (type == CM_TYPE_REAL32)
        snprintf(text, size, "%.9g", (double)f[e]);
    else if (type == CM_TYPE_REAL64)
        snprintf(text, size, "%.17g", d[e]);
    else if (type == CM_TYPE_COMPLEX64)
        snprintf(text, size, "(%.9g, %.9g)", (double)f[2 * e], (double)f[2 * e + 1]);
    else if (type == CM_TYPE_COMPLEX128)
        snprintf(text, size, "(%.17g, %.17g)", d[2 * e], d[2 * e + 1]);
    else if (type == CM_TYPE_INT32)
        snprintf(text, size, "%" PRId32, ((const int32_t *)elements)[e]);
    else
        snprintf(text, size, "%u", ((const uint8_t *)elements)[e]);
}

static void describe_mismatch(const struct cm_run *run, const struct cm_run_step *plan,
                              uint32_t array, uint64_t first, uint64_t differ, struct cm_error *err)
{
    const struct cm_reference_array *reference = &run->reference[array];
    char expected[80], found[80], where[200];
    uint64_t index[CM_RANK_MAX], rest = first;
    for (uint32_t a = 0; a < reference->rank; a++) {
        index[a] = rest % reference->shape[a] + 1;
        rest /= reference->shape[a];
    }
    format_element(reference->type, reference->elements, first, expected, sizeof expected);
    format_element(reference->type, run->gathered, first, found, sizeof found);
    cm_error_set(err, CM_CHECK_FAILED,
                 "%s%s is %s on the machine, but %s by direct evaluation; %" PRIu64 " of %" PRIu64
                 " elements differ",
                 run->arrays[array]->name,
                 cm_shape_text(index, reference->rank, where, sizeof where), found, expected,
                 differ, reference->elements_count);
    cm_workload_place(plan->step->json, err);
}

static bool is_transform(const struct cm_run_step *plan)
{
    return plan->fft != NULL && plan->fft->transformed;
}

/* Of a transform, which rounds otherwise than the direct evaluation, those out of bounds. */
static uint64_t differing_elements(const struct cm_run *run, const struct cm_run_step *plan,
                                   const struct cm_reference_array *reference, uint64_t *first)
{
    if (is_transform(plan))
        return cm_reference_compare_transform(reference, run->gathered, plan->fft->schedule.count,
                                              first);
    return cm_reference_compare(reference->type, reference->elements_count, reference->elements,
                                run->gathered, first);
}

/* After a mismatch, and after a transform, the copy takes over what the machine holds, so that
 * later steps are judged for themselves. */
static enum cm_status compare_array(struct cm_run *run, const struct cm_run_step *plan,
                                    uint32_t array, struct cm_step_result *result,
                                    struct cm_error *err)
{
    struct cm_reference_array *reference = &run->reference[array];
    uint64_t first = 0;
    enum cm_status status = cm_array_gather(run->system, run->arrays[array], run->gathered, err);
    if (status != CM_OK)
        return status;
    uint64_t differ = differing_elements(run, plan, reference, &first);
    if (differ == 0 && !is_transform(plan))
        return CM_OK;
    if (differ > 0 && run->result.mismatches == 0)
        describe_mismatch(run, plan, array, first, differ, err);
    result->mismatches += differ;
    run->result.mismatches += differ;
    memcpy(reference->elements, run->gathered,
           reference->elements_count * cm_type_host_bytes(reference->type));
    return CM_OK;
}

/* A hand-written IMP may write anywhere and has no direct evaluation: what it left is where later
 * checks begin. */
static enum cm_status adopt_all(struct cm_run *run, struct cm_error *err)
{
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; status == CM_OK && i < run->workload->array_count; i++)
        status = cm_array_gather(run->system, run->arrays[i], run->reference[i].elements, err);
    return status;
}

/* Each node's block of the array, where the pattern sends it: at the same local places of another
 * node. */
static enum cm_status evaluate_blocks(struct cm_run *run, const struct cm_network *network,
                                      struct cm_error *err)
{
    const struct cm_network_step *step = network->step;
    const struct cm_layout *layout = &run->arrays[step->array]->layout;
    struct cm_reference_array *dst = &run->reference[step->dst];
    size_t bytes = cm_type_host_bytes(dst->type);
    uint64_t index[CM_RANK_MAX], place;
    uint32_t node;
    uint64_t *places = calloc(layout->elements, sizeof *places); /* element at node * V + local */
    void *copy = NULL;
    enum cm_status status = places == NULL
                                ? cm_error_set(err, CM_NO_MEMORY, "out of memory for the check")
                                : copy_elements(&run->reference[step->array], &copy, err);
    for (int pass = 0; status == CM_OK && pass < 2; pass++) {
        for (uint64_t e = 0; e < layout->elements; e++) {
            uint64_t rest = e;
            for (uint32_t a = 0; a < layout->rank; a++) {
                index[a] = rest % layout->axes[a].length;
                rest /= layout->axes[a].length;
            }
            cm_layout_place(layout, index, &node, &place);
            if (pass == 0) {
                places[node * layout->local_elements + place] = e;
                continue;
            }
            uint32_t to =
                cm_pattern_destination(step->task.pattern, layout->node_bits, node, step->task.by);
            memcpy((char *)dst->elements + places[to * layout->local_elements + place] * bytes,
                   (const char *)copy + e * bytes, bytes);
        }
    }
    free(places);
    free(copy);
    return status;
}

/* What is sent says itself whether it is where it belongs. */
static enum cm_status check_network(struct cm_run *run, const struct cm_run_step *plan,
                                    struct cm_step_result *result, struct cm_error *err)
{
    uint64_t mismatches;
    enum cm_status status = CM_OK;
    if (plan->network->src_array != NULL) {
        result->checked = true;
        status = evaluate_blocks(run, plan->network, err);
        return status == CM_OK ? compare_array(run, plan, plan->step->network->dst, result, err)
                               : status;
    }
    status = cm_network_check(run->system, plan->network, &mismatches, err);
    result->checked = status == CM_OK;
    if (status != CM_OK || mismatches == 0)
        return status;
    if (run->result.mismatches == 0) {
        cm_error_set(err, CM_CHECK_FAILED,
                     "%" PRIu64 " words of the messages are not where they belong", mismatches);
        cm_workload_place(plan->step->json, err);
    }
    result->mismatches += mismatches;
    run->result.mismatches += mismatches;
    return CM_OK;
}

enum cm_status cm_run_check_step(struct cm_run *run, const struct cm_run_step *plan,
                                 struct cm_step_result *result, struct cm_error *err)
{
    const struct cm_workload_step *step = plan->step;
    if (step->kind == CM_STEP_IMP)
        return adopt_all(run, err);
    if (plan->network != NULL)
        return check_network(run, plan, result, err);
    result->checked = true;
    if (step->kind == CM_STEP_RESHAPE) {
        /* A reshape keeps every element's number; only the shape changes. */
        struct cm_reference_array *reference = &run->reference[step->dst];
        reference->rank = step->reshape->to.rank;
        memcpy(reference->shape, step->reshape->to.shape, sizeof reference->shape);
        return compare_array(run, plan, step->dst, result, err);
    }
    if (step->fft != NULL) {
        enum cm_status evaluated = cm_run_evaluate_fft(run, plan, err);
        return evaluated == CM_OK ? compare_array(run, plan, step->dst, result, err) : evaluated;
    }
    if (step->shift_count == 0) {
        if (step->kind == CM_STEP_COPY)
            evaluate_copy(run, step);
        else
            evaluate_terms(run, step);
        return compare_array(run, plan, step->dst, result, err);
    }
    enum cm_status status = evaluate_shifts(run, step, err);
    for (uint32_t i = 0; status == CM_OK && i < step->shift_count; i++)
        status = compare_array(run, plan, step->shifts[i].dst, result, err);
    return status;
}
