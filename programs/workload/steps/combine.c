/* The step combine: the sum of arrays, each multiplied by a scalar or by an array of coefficients.
 * elementwise/combine.h computes it, and the check compares it with a plain loop. */
#include "../step.h"

#include "../../elementwise/combine.h"

#include <inttypes.h>

struct term {
    struct cm_workload_value coefficient;
    struct cm_array_reference array;
};

struct combine {
    struct cm_array_reference dst;
    struct term *terms;
    uint32_t count;
};

static const struct cm_key keys[] = {
    CM_KEY(ARRAY, "dst", struct combine, dst, "the array that gets the sum", .required = true),
    CM_KEY_FORM("terms", "list of [coefficient, array]", "terms",
                "added in this order; a coefficient is a number, a scalar or an array",
                .required = true),
};

static void read_term(const struct cm_workload *workload, struct cm_reader *reader,
                      const struct combine *own, struct cm_json json, struct term *term)
{
    if (cm_json_kind(json) != CM_JSON_ARRAY || cm_json_count(json) != 2) {
        cm_reader_fail(reader, json, "a term is %s, expected [coefficient, \"array\"]",
                       cm_json_kind(json) == CM_JSON_ARRAY ? "a list of another length"
                                                           : cm_json_kind_name(cm_json_kind(json)));
        cm_reader_hint(reader, "for the array itself: [1, \"array\"]");
        return;
    }
    cm_workload_read_product(workload, reader, json, "[coefficient, \"array\"]", own->dst,
                             &term->coefficient, &term->array);
}

static void read_combine(struct cm_workload *workload, struct cm_workload_step *step,
                         struct cm_reader *reader)
{
    struct combine *own = step->own;
    struct cm_json terms = cm_read_member(reader, step->body, "terms");
    if (cm_workload_array_now(workload, own->dst)->type == CM_TYPE_LOGICAL)
        cm_reader_fail(reader, own->dst.json,
                       "\"%s\" is logical, and combine adds and multiplies numbers",
                       workload->arrays[own->dst.number].name);
    cm_read_kind(reader, terms, CM_JSON_ARRAY, "terms");
    own->count = cm_reader_ok(reader) ? cm_json_count(terms) : 0;
    if (own->count == 0 || own->count > CM_TERMS_MAX)
        cm_reader_fail(reader, terms, "combine has %" PRIu32 " terms, expected 1 to %u", own->count,
                       CM_TERMS_MAX);
    own->terms = cm_workload_allocate(workload, reader, own->count, sizeof *own->terms);
    for (uint32_t i = 0; cm_reader_ok(reader) && i < own->count; i++)
        read_term(workload, reader, own, cm_json_at(terms, i, NULL), &own->terms[i]);
}

/* Resolves the terms to arrays of the machine, and compiles the sum. The state is a pointer to the
 * terms. */
static enum cm_status prepare(struct cm_run *run, struct cm_run_step *step, struct cm_error *err)
{
    const struct combine *own = step->step->own;
    struct cm_array *dst = cm_run_array_of(run, own->dst);
    struct cm_term **terms = step->state;
    *terms = cm_run_allocate(run, own->count, sizeof **terms, err);
    if (*terms == NULL)
        return CM_NO_MEMORY;
    for (uint32_t i = 0; i < own->count; i++) {
        const struct cm_workload_value *from = &own->terms[i].coefficient;
        struct cm_term *term = &(*terms)[i];
        bool by_array = from->array != CM_NO_ARRAY;
        enum cm_status status = cm_run_expect_layout(run, own->terms[i].array, own->dst, err);
        if (status == CM_OK && by_array)
            status = cm_run_expect_layout(run, (struct cm_array_reference){from->json, from->array},
                                          own->dst, err);
        if (status == CM_OK)
            status = cm_run_expect_number(run, from, dst->layout.type, err);
        if (status != CM_OK)
            return status;
        term->array = cm_run_array_of(run, own->terms[i].array);
        term->coefficients = by_array ? run->arrays[from->array] : NULL;
        term->name = cm_run_computed(run, from) ? from->scalar : 0;
        term->scalar = cm_scalar_make(dst->layout.type, from->number.re, from->number.im);
    }
    return cm_combine_prepare(run->system, dst, *terms, own->count, err);
}

static enum cm_status run_combine(struct cm_run *run, struct cm_run_step *step,
                                  struct cm_error *err)
{
    const struct combine *own = step->step->own;
    struct cm_array *dst = cm_run_array_of(run, own->dst);
    struct cm_term **terms = step->state;
    for (uint32_t i = 0; i < own->count; i++) {
        const struct cm_number *number = cm_run_number(run, &own->terms[i].coefficient);
        (*terms)[i].scalar = cm_scalar_make(dst->layout.type, number->re, number->im);
    }
    return cm_combine(run->system, dst, *terms, own->count, err);
}

static enum cm_status check(struct cm_run *run, const struct cm_run_step *step,
                            struct cm_step_result *result, struct cm_error *err)
{
    const struct combine *own = step->step->own;
    struct cm_reference_term terms[CM_TERMS_MAX];
    unsigned char elements[CM_TERMS_MAX][16];
    struct cm_reference_array *dst = &run->reference[own->dst.number];
    for (uint32_t i = 0; i < own->count; i++) {
        const struct cm_workload_value *coefficient = &own->terms[i].coefficient;
        terms[i].elements = run->reference[own->terms[i].array.number].elements;
        terms[i].coefficients_are_array = coefficient->array != CM_NO_ARRAY;
        terms[i].coefficients = elements[i];
        if (terms[i].coefficients_are_array)
            terms[i].coefficients = run->reference[coefficient->array].elements;
        else
            cm_init_element(dst->type, cm_run_number(run, coefficient), elements[i]);
    }
    cm_reference_combine(dst, terms, own->count);
    return cm_run_check_array(run, step, own->dst.number, 0, result, err);
}

const struct cm_step_kind cm_step_combine = {
    .name = "combine",
    .summary = "a sum of arrays, each times a coefficient",
    .example = "{\"combine\": {\"dst\": \"b\", \"terms\": [[0.5, \"n\"], [\"c\", \"s\"]]}}",
    .keys = keys,
    .key_count = CM_COUNT_OF(keys),
    .own_bytes = sizeof(struct combine),
    .state_bytes = sizeof(struct cm_term *),
    .stateless = true,
    .path = "imp",
    .read = read_combine,
    .prepare = prepare,
    .run = run_combine,
    .check = check,
};
