/* Direct evaluation of matrix products, one element after the other. */
#include "reference.h"

#include <string.h>

/* Scalar product of a row of A and a column of B. The products are added range by range (matmul.h),
 * beginning with range number `begin`. */
struct dot {
    const void *a, *b;
    /* m: number of rows of A, which is the stride in its row. k: number of products */
    uint64_t m, k;
    uint64_t begin, range, ranges;
};

/* Returns the index of the product that is added in step `step`. K: there is no such product,
 * because the range is shorter. */
static uint64_t index_at(const struct dot *dot, uint64_t step)
{
    const uint64_t range = (dot->begin + step / dot->range) % dot->ranges;
    const uint64_t t = range * dot->range + step % dot->range;
    return t < dot->k ? t : dot->k;
}

/* Defines the functions for sums whose components have the type R. */
#define SUMS(name, R)                                                                              \
    static void name##_real(const struct dot *dot, void *element)                                  \
    {                                                                                              \
        const R *a = dot->a, *b = dot->b;                                                          \
        R sum = 0;                                                                                 \
        for (uint64_t step = 0; step < dot->range * dot->ranges; step++) {                         \
            const uint64_t t = index_at(dot, step);                                                \
            if (t == dot->k)                                                                       \
                continue;                                                                          \
            const R product = a[dot->m * t] * b[t];                                                \
            sum = sum + product;                                                                   \
        }                                                                                          \
        memcpy(element, &sum, sizeof sum);                                                         \
    }                                                                                              \
    static void name##_complex(const struct dot *dot, void *element)                               \
    {                                                                                              \
        const R *a = dot->a, *b = dot->b;                                                          \
        R sum[2] = {0, 0};                                                                         \
        for (uint64_t step = 0; step < dot->range * dot->ranges; step++) {                         \
            const uint64_t t = index_at(dot, step);                                                \
            if (t == dot->k)                                                                       \
                continue;                                                                          \
            const R *x = a + 2 * dot->m * t, *y = b + 2 * t;                                       \
            const R rr = x[0] * y[0], ii = x[1] * y[1], ri = x[0] * y[1], ir = x[1] * y[0];        \
            sum[0] = sum[0] + rr;                                                                  \
            sum[0] = sum[0] - ii;                                                                  \
            sum[1] = sum[1] + ri;                                                                  \
            sum[1] = sum[1] + ir;                                                                  \
        }                                                                                          \
        memcpy(element, sum, sizeof sum);                                                          \
    }

SUMS(single, float)
SUMS(wide, double)

static void integer_sum(const struct dot *dot, void *element)
{
    const uint32_t *a = dot->a, *b = dot->b;
    uint32_t sum = 0;
    for (uint64_t t = 0; t < dot->k; t++)
        sum += a[dot->m * t] * b[t];
    memcpy(element, &sum, sizeof sum);
}

void cm_reference_matmul(struct cm_reference_array *c, const struct cm_reference_array *a,
                         const struct cm_reference_array *b, const struct cm_matmul_order *order)
{
    static void (*const sums[CM_TYPE_COUNT])(const struct dot *, void *) = {
        [CM_TYPE_REAL32] = single_real,       [CM_TYPE_REAL64] = wide_real,
        [CM_TYPE_COMPLEX64] = single_complex, [CM_TYPE_COMPLEX128] = wide_complex,
        [CM_TYPE_INT32] = integer_sum,
    };
    const size_t bytes = cm_type_host_bytes(c->type);
    struct dot dot = {
        .m = c->shape[0], .k = a->shape[1], .range = order->depth, .ranges = order->groups};
    for (uint64_t j = 0; j < c->shape[1]; j++)
        for (uint64_t i = 0; i < c->shape[0]; i++) {
            dot.a = (const char *)a->elements + i * bytes;
            dot.b = (const char *)b->elements + j * dot.k * bytes;
            dot.begin = (i / order->rows + j / order->columns) % order->groups;
            sums[c->type](&dot, (char *)c->elements + (i + j * dot.m) * bytes);
        }
}
