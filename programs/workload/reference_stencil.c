/* Direct evaluation of a stencil, term by term over all elements. Each element is looked up by its
 * index. */
#include "reference.h"

#include <stdlib.h>
#include <string.h>

/* Returns the element that a term reads for the result at `index`. Boundaries are tested from the
 * last axis to the first, because the shift along the last axis is the outermost. */
static const void *element_of(const struct cm_reference_array *array,
                              const struct cm_reference_stencil_term *term,
                              const struct cm_reference_boundary *boundaries, const uint64_t *index)
{
    uint64_t at[CM_RANK_MAX], number = 0, size = cm_type_host_bytes(array->type);
    memcpy(at, index, array->rank * sizeof *at);
    for (uint32_t a = array->rank; a-- > 0;) {
        int64_t length = (int64_t)array->shape[a], x = (int64_t)at[a] + term->offset[a];
        if (!boundaries[a].circular && (x < 0 || x >= length)) {
            uint64_t along = 0;
            for (uint32_t b = array->rank; b-- > 0 && boundaries[a].is_array;)
                along = b == a ? along : along * array->shape[b] + at[b];
            return (const char *)boundaries[a].bytes + along * size;
        }
        at[a] = (uint64_t)((x % length + length) % length);
    }
    for (uint32_t a = array->rank; a-- > 0;)
        number = number * array->shape[a] + at[a];
    return (const char *)term->elements + number * size;
}

#define DEFINE_ADD(name, real, parts)                                                              \
    static void name(void *to, const void *coefficient, const void *element, bool first)           \
    {                                                                                              \
        real *sum = to;                                                                            \
        const real *c = coefficient, *x = element;                                                 \
        real product[2] = {c[0] * x[0], 0};                                                        \
        if (parts == 2) {                                                                          \
            real bd = c[parts - 1] * x[parts - 1];                                                 \
            real ad = c[0] * x[parts - 1], bc = c[parts - 1] * x[0];                               \
            product[0] = product[0] - bd;                                                          \
            product[1] = ad + bc;                                                                  \
        }                                                                                          \
        for (int i = 0; i < parts; i++)                                                            \
            sum[i] = first ? product[i] : sum[i] + product[i];                                     \
    }

DEFINE_ADD(add_real32, float, 1)
DEFINE_ADD(add_real64, double, 1)
DEFINE_ADD(add_int32, uint32_t, 1) /* unsigned, so modulo 2^32 */
DEFINE_ADD(add_complex64, float, 2)
DEFINE_ADD(add_complex128, double, 2)

/* Adds one term to all results. */
static void add_term(const struct cm_reference_array *dst, char *results,
                     const struct cm_reference_stencil_term *term,
                     const struct cm_reference_boundary *boundaries, bool first)
{
    static void (*const add[])(void *, const void *, const void *, bool) = {
        [CM_TYPE_REAL32] = add_real32,       [CM_TYPE_REAL64] = add_real64,
        [CM_TYPE_COMPLEX64] = add_complex64, [CM_TYPE_COMPLEX128] = add_complex128,
        [CM_TYPE_INT32] = add_int32,
    };
    uint64_t index[CM_RANK_MAX] = {0}, size = cm_type_host_bytes(dst->type);
    for (uint64_t e = 0; e < dst->elements_count; e++) {
        const char *coefficient = term->coefficients;
        if (term->coefficients_are_array)
            coefficient += e * size;
        add[dst->type](results + e * size, coefficient, element_of(dst, term, boundaries, index),
                       first);
        for (uint32_t a = 0; a < dst->rank && ++index[a] == dst->shape[a]; a++)
            index[a] = 0;
    }
}

static bool comes_before(const struct cm_reference_stencil_term *a,
                         const struct cm_reference_stencil_term *b, uint32_t rank)
{
    for (uint32_t i = rank; i-- > 0;)
        if (a->offset[i] != b->offset[i])
            return a->offset[i] < b->offset[i];
    return false;
}

enum cm_status cm_reference_stencil(struct cm_reference_array *dst,
                                    const struct cm_reference_stencil_term *terms, uint32_t count,
                                    const struct cm_reference_boundary *boundaries,
                                    struct cm_error *err)
{
    size_t bytes = dst->elements_count * cm_type_host_bytes(dst->type);
    char *results = malloc(bytes);
    bool *added = calloc(count, sizeof *added);
    for (uint32_t n = 0; results != NULL && added != NULL && n < count; n++) {
        uint32_t next = count;
        for (uint32_t t = 0; t < count; t++)
            if (!added[t] && (next == count || comes_before(&terms[t], &terms[next], dst->rank)))
                next = t;
        added[next] = true;
        add_term(dst, results, &terms[next], boundaries, n == 0);
    }
    bool done = results != NULL && added != NULL;
    if (done)
        memcpy(dst->elements, results, bytes);
    free(results);
    free(added);
    return done ? CM_OK
                : cm_error_set(err, CM_NO_MEMORY, "out of memory for the check of a stencil");
}
