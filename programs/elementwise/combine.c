/*
 * Sums of products as array statements: checks a call, builds the expression graph of the sum, and
 * leaves compiling and running to elementwise.c.
 *
 * A statement takes as many terms, from the left, as it has arguments for their arrays. The
 * statements of a longer sum leave the partial sum in dst, or in a temporary array if a later term
 * reads dst.
 */
#include "combine.h"

#include "elementwise.h"

#include <inttypes.h>
#include <string.h>

/* An array statement of a sum. Each distinct array and each distinct scalar is one of its
 * arguments. */
struct statement {
    struct cm_expression *expression;
    enum cm_type type;
    struct cm_array *arrays[CM_EXPRESSION_ARRAYS_MAX];
    uint32_t array_count;
    struct cm_scalar scalars[CM_TERMS_MAX];
    uint32_t names[CM_TERMS_MAX];
    uint32_t scalar_count;
};

static enum cm_status check_array(const struct cm_array *dst, const struct cm_array *array,
                                  uint32_t term, const char *role, struct cm_error *err)
{
    if (array == NULL)
        return cm_error_set(err, CM_BAD_INPUT, "combine: term %" PRIu32 " has no %s", term + 1,
                            role);
    if (cm_layout_equal(&dst->layout, &array->layout))
        return CM_OK;
    return cm_error_refuse(err,
                           "all arrays of a combine need the same shape, type, order and layout; "
                           "declare them with \"like\"",
                           "combine: %s \"%s\" of term %" PRIu32
                           " is not laid out as the destination \"%s\"",
                           role, array->name, term + 1, dst->name);
}

static enum cm_status check_call(const struct cm_array *dst, const struct cm_term *terms,
                                 uint32_t count, struct cm_error *err)
{
    if (dst == NULL)
        return cm_error_set(err, CM_BAD_INPUT, "combine: there is no destination");
    if (dst->layout.type == CM_TYPE_LOGICAL)
        return cm_error_refuse(err, "combine takes real, complex and int32 arrays",
                               "combine: \"%s\" is logical, and cannot be added", dst->name);
    if (count == 0 || count > CM_TERMS_MAX) {
        cm_error_set(err, CM_BAD_INPUT, "combine: %" PRIu32 " terms", count);
        cm_error_hint(err, "one combine takes 1 to %u terms; split a longer sum into several",
                      CM_TERMS_MAX);
        return CM_BAD_INPUT;
    }
    for (uint32_t i = 0; i < count; i++) {
        enum cm_status status = check_array(dst, terms[i].array, i, "array", err);
        if (status == CM_OK && terms[i].coefficients)
            status = check_array(dst, terms[i].coefficients, i, "coefficient array", err);
        if (status != CM_OK)
            return status;
    }
    return CM_OK;
}

/* Returns the argument number of an array. Arrays of equal address are one argument. A statement
 * writes only to its destination, so the cast drops a const that holds for operands. */
static uint32_t array_number(struct statement *s, const struct cm_array *array)
{
    uint32_t i = 0;
    while (i < s->array_count && s->arrays[i]->address != array->address)
        i++;
    if (i == s->array_count)
        s->arrays[s->array_count++] = (struct cm_array *)array;
    return i;
}

static uint32_t scalar_number(struct statement *s, const struct cm_term *term)
{
    const size_t bytes = cm_type_slices(s->type) * sizeof(term->scalar.words[0]);
    uint32_t i = 0;
    while (i < s->scalar_count &&
           (s->names[i] != term->name ||
            (term->name == 0 && memcmp(&s->scalars[i], &term->scalar, bytes) != 0)))
        i++;
    if (i == s->scalar_count) {
        s->names[i] = term->name;
        s->scalars[s->scalar_count++] = term->scalar;
    }
    return i;
}

static uint32_t array_node(struct statement *s, const struct cm_array *array)
{
    return cm_expression_array(s->expression, array_number(s, array), s->type);
}

static uint32_t product(struct statement *s, const struct cm_term *term)
{
    const uint32_t coefficient =
        term->coefficients ? array_node(s, term->coefficients)
                           : cm_expression_scalar(s->expression, scalar_number(s, term), s->type);
    return cm_expression_node(s->expression, CM_EXPRESSION_MULTIPLY, coefficient,
                              array_node(s, term->array), 0);
}

/* Adds as many terms to *sum as the statement has arguments for, and returns their number. *sum is
 * 0 before the first term. A term needs up to two arguments, and the destination of the statement
 * needs one. */
static uint32_t add_terms(struct statement *s, const struct cm_term *terms, uint32_t count,
                          uint32_t *sum)
{
    uint32_t added = 0;
    for (; added < count && s->array_count + 3 <= CM_EXPRESSION_ARRAYS_MAX; added++) {
        const uint32_t p = product(s, &terms[added]);
        *sum = *sum ? cm_expression_node(s->expression, CM_EXPRESSION_ADD, *sum, p, 0) : p;
    }
    return added;
}

static bool reads(const struct cm_term *terms, uint32_t count, const struct cm_array *array)
{
    for (uint32_t i = 0; i < count; i++)
        if (terms[i].array->address == array->address ||
            (terms[i].coefficients && terms[i].coefficients->address == array->address))
            return true;
    return false;
}

/* Chooses the array for partial sums: dst, or *temporary if the terms in `later` read dst. */
static enum cm_status choose_partial(struct cm_system *system, struct cm_array *dst,
                                     const struct cm_term *later, uint32_t count,
                                     struct cm_array **temporary, struct cm_error *err)
{
    if (!reads(later, count, dst))
        return CM_OK;
    enum cm_status status =
        cm_array_create(system, "combine: the temporary for sums", &dst->layout, temporary, err);
    if (status == CM_OK)
        (*temporary)->allocation = dst->allocation;
    return status;
}

static enum cm_status finish_statement(struct cm_system *system, struct statement *s,
                                       const struct cm_array *out, uint32_t sum, bool run,
                                       struct cm_error *err)
{
    cm_expression_assign(s->expression, array_number(s, out), sum, 0);
    const struct cm_elementwise_arguments arguments = {s->arrays, s->array_count, s->scalars,
                                                       s->scalar_count};
    return (run ? cm_elementwise_call : cm_elementwise_prepare)(system, s->expression, &arguments,
                                                                err);
}

/* A sum of terms that one or several statements compute. */
struct sum {
    struct cm_array *dst;
    const struct cm_term *terms;
    uint32_t count;             /* number of terms */
    uint32_t done;              /* number of terms that earlier statements have added */
    struct cm_array *temporary; /* array with the partial sum if it is not in dst, or NULL */
};

/* Compiles the next statement, which begins with term number `done`, and runs it if `run` is
 * true. */
static enum cm_status next_statement(struct cm_system *system, struct sum *whole, bool run,
                                     struct cm_error *err)
{
    const bool is_first = whole->done == 0;
    enum cm_status status = CM_OK;
    uint32_t sum = 0;
    struct statement s = {.expression = cm_expression_create(), .type = whole->dst->layout.type};
    if (!s.expression)
        return cm_error_no_memory(err);
    if (!is_first)
        sum = array_node(&s, whole->temporary ? whole->temporary : whole->dst);
    whole->done += add_terms(&s, whole->terms + whole->done, whole->count - whole->done, &sum);
    if (is_first)
        status = choose_partial(system, whole->dst, whole->terms + whole->done,
                                whole->count - whole->done, &whole->temporary, err);
    if (status == CM_OK) {
        const bool partial = whole->done < whole->count && whole->temporary;
        status =
            finish_statement(system, &s, partial ? whole->temporary : whole->dst, sum, run, err);
    }
    cm_expression_destroy(s.expression);
    return status;
}

static enum cm_status combine(struct cm_system *system, struct cm_array *dst,
                              const struct cm_term *terms, uint32_t count, bool run,
                              struct cm_error *err)
{
    struct sum sum = {.dst = dst, .terms = terms, .count = count};
    enum cm_status status = check_call(dst, terms, count, err);
    while (status == CM_OK && sum.done < count)
        status = next_statement(system, &sum, run, err);
    cm_array_destroy(system, sum.temporary);
    return status;
}

enum cm_status cm_combine(struct cm_system *system, struct cm_array *dst,
                          const struct cm_term *terms, uint32_t count, struct cm_error *err)
{
    return combine(system, dst, terms, count, true, err);
}

enum cm_status cm_combine_prepare(struct cm_system *system, struct cm_array *dst,
                                  const struct cm_term *terms, uint32_t count, struct cm_error *err)
{
    return combine(system, dst, terms, count, false, err);
}
