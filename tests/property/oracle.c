/*
 * The oracle's shifts push: every source element goes to its place in the result, and a place that
 * nothing reached keeps the boundary. (A simulator pulls or moves blocks; a common slip would be
 * unlikely to be the same in both.)
 */
#include "oracle.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of an element on the host. */
static size_t element_bytes(enum cm_type type)
{
    switch (type) {
    case CM_TYPE_REAL32:
    case CM_TYPE_INT32:
        return 4;
    case CM_TYPE_REAL64:
    case CM_TYPE_COMPLEX64:
        return 8;
    case CM_TYPE_COMPLEX128:
        return 16;
    default:
        return 1;
    }
}

static void make_element(enum cm_type type, struct cm_case_number number, void *element)
{
    const float single[2] = {(float)number.re, (float)number.im};
    const double twice[2] = {number.re, number.im};
    if (type == CM_TYPE_REAL32 || type == CM_TYPE_COMPLEX64) {
        memcpy(element, single, element_bytes(type));
    } else if (type == CM_TYPE_REAL64 || type == CM_TYPE_COMPLEX128) {
        memcpy(element, twice, element_bytes(type));
    } else if (type == CM_TYPE_INT32) {
        const int32_t integer = (int32_t)number.re;
        memcpy(element, &integer, sizeof(integer));
    } else {
        *(uint8_t *)element = number.re != 0;
    }
}

/* Output `k` of SplitMix64 with a seed, in closed form: the state advances by a constant. */
static uint64_t output(uint64_t seed, uint64_t k)
{
    struct cm_random random = {.state = seed + k * UINT64_C(0x9E3779B97F4A7C15)};
    return cm_random_next(&random);
}

/* init {"random": seed}: the top 53 bits are a real in [0, 1), the top 32 an integer, the top one a
 * truth value. */
static void make_random(enum cm_type type, uint64_t seed, uint64_t e, void *element)
{
    const double unit = 1.0 / 9007199254740992.0; /* 2^-53 */
    const uint32_t high = (uint32_t)(output(seed, e) >> 32);
    if (type == CM_TYPE_INT32) {
        memcpy(element, &high, sizeof(high));
    } else if (type == CM_TYPE_LOGICAL) {
        *(uint8_t *)element = high >= UINT32_C(0x80000000);
    } else {
        const bool is_complex = type == CM_TYPE_COMPLEX64 || type == CM_TYPE_COMPLEX128;
        const uint64_t k = is_complex ? 2 * e : e;
        const struct cm_case_number number = {.re = (double)(output(seed, k) >> 11) * unit,
                                              .im = (double)(output(seed, k + 1) >> 11) * unit};
        make_element(type, number, element);
    }
}

static void make_initial(const struct cm_case_array *array, uint64_t e, void *element)
{
    const enum cm_type type = array->request.type;
    struct cm_case_number number = {.re = array->constant, .im = 0};
    if (array->init == CM_CASE_RANDOM) {
        make_random(type, array->seed, e, element);
        return;
    }
    if (array->init == CM_CASE_ZERO)
        number.re = 0;
    if (array->init == CM_CASE_INDEX)
        number.re = type == CM_TYPE_LOGICAL ? (double)(e % 2) : (double)e;
    make_element(type, number, element);
}

bool cm_oracle_init(struct cm_oracle *oracle, const struct cm_case *c)
{
    memset(oracle, 0, sizeof(*oracle));
    for (uint32_t a = 0; a < c->array_count; a++) {
        const struct cm_case_array *array = &c->arrays[a];
        const size_t bytes = element_bytes(array->request.type);
        unsigned char *data = calloc((size_t)array->elements, bytes);
        oracle->data[a] = data;
        if (data == NULL)
            return false;
        for (uint64_t e = 0; e < array->elements; e++)
            make_initial(array, e, data + e * bytes);
    }
    return true;
}

void cm_oracle_finish(struct cm_oracle *oracle)
{
    for (uint32_t a = 0; a < CM_CASE_ARRAYS; a++)
        free(oracle->data[a]);
    memset(oracle, 0, sizeof(*oracle));
}

/* Index tuples: coordinate 0 runs fastest. */
static void index_of(const struct cm_layout_request *request, uint64_t element, uint64_t *index)
{
    for (uint32_t a = 0; a < request->rank; a++) {
        index[a] = element % request->shape[a];
        element /= request->shape[a];
    }
}

/* The element of an index tuple; `skip` is an axis to leave out (the rank for none). */
static uint64_t element_of(const struct cm_layout_request *request, const uint64_t *index,
                           uint32_t skip)
{
    uint64_t element = 0;
    for (uint32_t a = request->rank; a-- > 0;)
        if (a != skip)
            element = element * request->shape[a] + index[a];
    return element;
}

/* What end-off shifts bring in at an index tuple. */
static void make_boundary(const struct cm_case *c, const struct cm_case_shift *shift,
                          const unsigned char *boundary, const uint64_t *index, void *element)
{
    const struct cm_layout_request *request = &c->arrays[shift->src].request;
    const size_t bytes = element_bytes(request->type);
    struct cm_case_number number = {.re = shift->type == CM_SHIFT_EOSHIFT_1 ? 1 : 0, .im = 0};
    if (shift->boundary == CM_CASE_ARRAY) {
        memcpy(element, boundary + element_of(request, index, shift->axis) * bytes, bytes);
        return;
    }
    if (shift->boundary == CM_CASE_NUMBER)
        number = shift->boundary_number;
    else if (shift->boundary == CM_CASE_SCALAR)
        number = c->scalars[shift->boundary_index];
    make_element(request->type, number, element);
}

/* Result(i) = source(i + distance): what stands at j goes to j - distance. False when it falls off
 * the end. */
static bool destination_of(const struct cm_case_shift *shift, uint64_t length, uint64_t *coordinate)
{
    const int64_t n = (int64_t)length;
    int64_t to = (int64_t)*coordinate - shift->distance;
    if (shift->type == CM_SHIFT_CSHIFT)
        to = ((to % n) + n) % n;
    *coordinate = (uint64_t)to;
    return to >= 0 && to < n;
}

static void *shifted(const struct cm_case *c, const struct cm_case_shift *shift, void *const *data)
{
    const struct cm_layout_request *request = &c->arrays[shift->src].request;
    const uint64_t elements = c->arrays[shift->src].elements;
    const size_t bytes = element_bytes(request->type);
    const unsigned char *src = data[shift->src];
    const void *boundary = shift->boundary == CM_CASE_ARRAY ? data[shift->boundary_index] : NULL;
    uint64_t index[CM_RANK_MAX];
    unsigned char *result = malloc((size_t)elements * bytes);
    if (result == NULL)
        return NULL;
    for (uint64_t e = 0; e < elements && shift->type != CM_SHIFT_CSHIFT; e++) {
        index_of(request, e, index);
        make_boundary(c, shift, boundary, index, result + e * bytes);
    }
    for (uint64_t e = 0; e < elements; e++) {
        index_of(request, e, index);
        if (destination_of(shift, request->shape[shift->axis], &index[shift->axis]))
            memcpy(result + element_of(request, index, request->rank) * bytes, src + e * bytes,
                   bytes);
    }
    return result;
}

bool cm_oracle_call(const struct cm_case *c, const struct cm_case_step *step, void *const *data)
{
    void *results[CM_CASE_SHIFTS] = {NULL};
    bool ok = true;
    for (uint32_t i = 0; i < step->shift_count && ok; i++) {
        results[i] = shifted(c, &step->shifts[i], data);
        ok = results[i] != NULL;
    }
    for (uint32_t i = 0; i < step->shift_count; i++) {
        const uint32_t dst = step->shifts[i].dst;
        if (ok)
            memcpy(data[dst], results[i],
                   (size_t)c->arrays[dst].elements * element_bytes(c->arrays[dst].request.type));
        free(results[i]);
    }
    return ok;
}

/* One term of a sum, in each type's own arithmetic; every operation is rounded by its
 * assignment. */
static void multiply32(const float *a, const float *b, bool is_complex, float *product)
{
    if (!is_complex) {
        product[0] = a[0] * b[0];
        return;
    }
    const float p = a[0] * b[0];
    const float q = a[1] * b[1];
    const float r = a[0] * b[1];
    const float s = a[1] * b[0];
    product[0] = p - q;
    product[1] = r + s;
}

static void multiply64(const double *a, const double *b, bool is_complex, double *product)
{
    if (!is_complex) {
        product[0] = a[0] * b[0];
        return;
    }
    const double p = a[0] * b[0];
    const double q = a[1] * b[1];
    const double r = a[0] * b[1];
    const double s = a[1] * b[0];
    product[0] = p - q;
    product[1] = r + s;
}

/* sum = coefficient * value, for the first term; sum = sum + coefficient * value for the others. */
static void add_term(enum cm_type type, bool first, const void *coefficient, const void *value,
                     void *sum)
{
    const bool is_complex = type == CM_TYPE_COMPLEX64 || type == CM_TYPE_COMPLEX128;
    float a32[2], b32[2], s32[2], p32[2] = {0, 0};
    double a64[2], b64[2], s64[2], p64[2] = {0, 0};
    uint32_t a, b, s;
    if (type == CM_TYPE_REAL32 || type == CM_TYPE_COMPLEX64) {
        memcpy(a32, coefficient, element_bytes(type));
        memcpy(b32, value, element_bytes(type));
        memcpy(s32, sum, element_bytes(type));
        multiply32(a32, b32, is_complex, p32);
        for (int i = 0; i <= (int)is_complex && !first; i++)
            p32[i] = s32[i] + p32[i];
        memcpy(sum, p32, element_bytes(type));
    } else if (type == CM_TYPE_INT32) {
        memcpy(&a, coefficient, 4);
        memcpy(&b, value, 4);
        memcpy(&s, sum, 4);
        s = first ? a * b : s + a * b;
        memcpy(sum, &s, 4);
    } else {
        memcpy(a64, coefficient, element_bytes(type));
        memcpy(b64, value, element_bytes(type));
        memcpy(s64, sum, element_bytes(type));
        multiply64(a64, b64, is_complex, p64);
        for (int i = 0; i <= (int)is_complex && !first; i++)
            p64[i] = s64[i] + p64[i];
        memcpy(sum, p64, element_bytes(type));
    }
}

static bool run_combine(struct cm_oracle *oracle, const struct cm_case *c,
                        const struct cm_case_step *step)
{
    const enum cm_type type = c->arrays[step->dst].request.type;
    const size_t bytes = element_bytes(type);
    const uint64_t elements = c->arrays[step->dst].elements;
    unsigned char scalar[16];
    unsigned char *sum = calloc((size_t)elements, bytes);
    if (sum == NULL)
        return false;
    for (uint32_t t = 0; t < step->term_count; t++) {
        const struct cm_case_term *term = &step->terms[t];
        const unsigned char *value = oracle->data[term->array];
        const unsigned char *coefficients =
            term->coefficient == CM_CASE_ARRAY ? oracle->data[term->index] : NULL;
        if (coefficients == NULL)
            make_element(
                type, term->coefficient == CM_CASE_SCALAR ? c->scalars[term->index] : term->number,
                scalar);
        for (uint64_t e = 0; e < elements; e++)
            add_term(type, t == 0, coefficients == NULL ? scalar : coefficients + e * bytes,
                     value + e * bytes, sum + e * bytes);
    }
    memcpy(oracle->data[step->dst], sum, (size_t)elements * bytes);
    free(sum);
    return true;
}

static bool run_steps(struct cm_oracle *oracle, const struct cm_case *c, uint32_t first,
                      uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++) {
        const struct cm_case_step *step = &c->steps[i];
        bool ok = true;
        if (step->op == CM_CASE_REPEAT) {
            for (uint32_t t = 0; t < step->times && ok; t++)
                ok = run_steps(oracle, c, i + 1, step->body);
            i += step->body;
        } else if (step->op == CM_CASE_COMBINE) {
            ok = run_combine(oracle, c, step);
        } else if (step->op == CM_CASE_COPY) {
            if (step->shifts[0].dst != step->shifts[0].src)
                memcpy(oracle->data[step->shifts[0].dst], oracle->data[step->shifts[0].src],
                       cm_case_array_bytes(c, step->shifts[0].src));
        } else {
            ok = cm_oracle_call(c, step, oracle->data);
        }
        if (!ok)
            return false;
    }
    return true;
}

bool cm_oracle_run(struct cm_oracle *oracle, const struct cm_case *c)
{
    return run_steps(oracle, c, 0, c->step_count);
}

static bool both_nan(enum cm_type type, const void *a, const void *b)
{
    const bool single = type == CM_TYPE_REAL32 || type == CM_TYPE_COMPLEX64;
    const size_t parts = element_bytes(type) / (single ? 4 : 8);
    if (type == CM_TYPE_INT32 || type == CM_TYPE_LOGICAL)
        return false;
    for (size_t i = 0; i < parts; i++) {
        float a32 = 0, b32 = 0;
        double a64 = 0, b64 = 0;
        memcpy(single ? (void *)&a32 : (void *)&a64, (const char *)a + i * (single ? 4 : 8),
               single ? 4 : 8);
        memcpy(single ? (void *)&b32 : (void *)&b64, (const char *)b + i * (single ? 4 : 8),
               single ? 4 : 8);
        const bool same = single ? memcmp(&a32, &b32, 4) == 0 : memcmp(&a64, &b64, 8) == 0;
        const bool nan = single ? isnan(a32) && isnan(b32) : isnan(a64) && isnan(b64);
        if (!same && !nan)
            return false;
    }
    return true;
}

uint64_t cm_oracle_difference(enum cm_type type, const void *a, const void *b, uint64_t count)
{
    const size_t bytes = element_bytes(type);
    if (memcmp(a, b, (size_t)count * bytes) == 0)
        return count;
    for (uint64_t e = 0; e < count; e++) {
        const unsigned char *left = (const unsigned char *)a + e * bytes;
        const unsigned char *right = (const unsigned char *)b + e * bytes;
        if (memcmp(left, right, bytes) != 0 && !both_nan(type, left, right))
            return e;
    }
    return count;
}

void cm_oracle_element(enum cm_type type, const void *data, uint64_t element, char *text,
                       size_t size)
{
    const size_t bytes = element_bytes(type);
    const unsigned char *at = (const unsigned char *)data + element * bytes;
    float single[2] = {0, 0};
    double twice[2] = {0, 0};
    int32_t integer = 0;
    if (type == CM_TYPE_REAL32 || type == CM_TYPE_COMPLEX64) {
        memcpy(single, at, bytes);
        twice[0] = (double)single[0];
        twice[1] = (double)single[1];
    } else if (type == CM_TYPE_REAL64 || type == CM_TYPE_COMPLEX128) {
        memcpy(twice, at, bytes);
    } else if (type == CM_TYPE_INT32) {
        memcpy(&integer, at, bytes);
        twice[0] = integer;
    } else {
        twice[0] = *at;
    }
    if (type == CM_TYPE_COMPLEX64 || type == CM_TYPE_COMPLEX128)
        (void)snprintf(text, size, "(%.17g, %.17g)", twice[0], twice[1]);
    else
        (void)snprintf(text, size, "%.17g", twice[0]);
}
