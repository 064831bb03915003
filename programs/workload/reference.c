/* Direct evaluation of shifts, combinations and other simple steps. reference.h defines the
 * results. */
#include "reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Shifts one line along the axis circularly by `by` rows. The line has `length` rows of `row` bytes
 * each. A row has all elements before the axis. */
static void rotate(char *dst, const char *src, uint64_t length, uint64_t row, uint64_t by)
{
    memcpy(dst, src + by * row, (length - by) * row);
    memcpy(dst + (length - by) * row, src, by * row);
}

/* Lines along the axis of an end-off shift. `row` and `element` are sizes in bytes. */
struct line {
    uint64_t length; /* number of rows of a line */
    uint64_t row, element;
    const struct cm_reference_boundary *boundary;
};

/* Fills `rows` rows of line number `outer` with the boundary. */
static void fill_rows(char *dst, uint64_t rows, const struct line *line, uint64_t outer)
{
    const char *bytes = line->boundary->bytes;
    for (uint64_t r = 0; r < rows; r++) {
        if (line->boundary->is_array) {
            memcpy(dst + r * line->row, bytes + outer * line->row, line->row);
            continue;
        }
        for (uint64_t i = 0; i < line->row; i += line->element)
            memcpy(dst + r * line->row + i, bytes, line->element);
    }
}

static void end_off(char *dst, const char *src, const struct line *line, int64_t distance,
                    uint64_t outer)
{
    uint64_t by = distance < 0 ? 0 - (uint64_t)distance : (uint64_t)distance;
    if (by > line->length)
        by = line->length;
    const uint64_t moved = (line->length - by) * line->row;
    if (distance >= 0) {
        memcpy(dst, src + by * line->row, moved);
        fill_rows(dst + moved, by, line, outer);
    } else {
        memcpy(dst + by * line->row, src, moved);
        fill_rows(dst, by, line, outer);
    }
}

enum cm_status cm_reference_shift(struct cm_reference_array *dst,
                                  const struct cm_reference_array *src, uint32_t axis,
                                  int64_t distance, const struct cm_reference_boundary *boundary,
                                  struct cm_error *err)
{
    uint64_t element = cm_type_host_bytes(src->type);
    uint64_t bytes = src->elements_count * element;
    uint64_t length = src->shape[axis];
    uint64_t row = element;
    for (uint32_t a = 0; a < axis; a++)
        row *= src->shape[a];
    const struct line line = {length, row, element, boundary};
    uint64_t slab = length * row;
    uint64_t outers = bytes / slab;
    const char *from = src->elements;
    char *copy = NULL;
    if (dst->elements == src->elements) {
        copy = malloc(bytes);
        if (copy == NULL)
            return cm_error_set(err, CM_NO_MEMORY, "out of memory for the check of a shift");
        memcpy(copy, from, bytes);
        from = copy;
    }
    int64_t n = (int64_t)length;
    uint64_t turn = (uint64_t)((distance % n + n) % n);
    for (uint64_t outer = 0; outer < outers; outer++) {
        char *to = (char *)dst->elements + outer * slab;
        if (boundary->circular)
            rotate(to, from + outer * slab, length, row, turn);
        else
            end_off(to, from + outer * slab, &line, distance, outer);
    }
    free(copy);
    return CM_OK;
}

/* Returns the index of the coefficient that multiplies element e. */
static uint64_t pick(const struct cm_reference_term *term, uint64_t e)
{
    return term->coefficients_are_array ? e : 0;
}

#define DEFINE_REAL(name, type)                                                                    \
    static void name(void *to, uint64_t elements, const struct cm_reference_term *terms,           \
                     uint32_t count)                                                               \
    {                                                                                              \
        type *dst = to;                                                                            \
        for (uint64_t e = 0; e < elements; e++) {                                                  \
            type sum = 0;                                                                          \
            for (uint32_t t = 0; t < count; t++) {                                                 \
                const type *c = terms[t].coefficients;                                             \
                const type *x = terms[t].elements;                                                 \
                type product = c[pick(&terms[t], e)] * x[e];                                       \
                sum = t == 0 ? product : sum + product;                                            \
            }                                                                                      \
            dst[e] = sum;                                                                          \
        }                                                                                          \
    }

#define DEFINE_COMPLEX(name, type)                                                                 \
    static void name(void *to, uint64_t elements, const struct cm_reference_term *terms,           \
                     uint32_t count)                                                               \
    {                                                                                              \
        type *dst = to;                                                                            \
        for (uint64_t e = 0; e < elements; e++) {                                                  \
            type re = 0, im = 0;                                                                   \
            for (uint32_t t = 0; t < count; t++) {                                                 \
                const type *c = (const type *)terms[t].coefficients + 2 * pick(&terms[t], e);      \
                const type *x = (const type *)terms[t].elements + 2 * e;                           \
                type ac = c[0] * x[0], bd = c[1] * x[1], ad = c[0] * x[1], bc = c[1] * x[0];       \
                type p = ac - bd, q = ad + bc;                                                     \
                re = t == 0 ? p : re + p;                                                          \
                im = t == 0 ? q : im + q;                                                          \
            }                                                                                      \
            dst[2 * e] = re;                                                                       \
            dst[2 * e + 1] = im;                                                                   \
        }                                                                                          \
    }

DEFINE_REAL(combine_real32, float)
DEFINE_REAL(combine_real64, double)
DEFINE_REAL(combine_int32, uint32_t) /* unsigned, so modulo 2^32 */
DEFINE_COMPLEX(combine_complex64, float)
DEFINE_COMPLEX(combine_complex128, double)

void cm_reference_combine(struct cm_reference_array *dst, const struct cm_reference_term *terms,
                          uint32_t count)
{
    /* No entry for logical arrays, because the reader refuses their sums. */
    static void (*const combine[])(void *, uint64_t, const struct cm_reference_term *, uint32_t) = {
        [CM_TYPE_REAL32] = combine_real32,       [CM_TYPE_REAL64] = combine_real64,
        [CM_TYPE_COMPLEX64] = combine_complex64, [CM_TYPE_COMPLEX128] = combine_complex128,
        [CM_TYPE_INT32] = combine_int32,
    };
    combine[dst->type](dst->elements, dst->elements_count, terms, count);
}

static bool is_nan(const char *part, bool single)
{
    float f = 0;
    double d = 0;
    memcpy(single ? (void *)&f : (void *)&d, part, single ? sizeof f : sizeof d);
    return isnan(f) || isnan(d);
}

static bool parts_differ(enum cm_type type, const char *a, const char *b)
{
    if (type == CM_TYPE_INT32 || type == CM_TYPE_LOGICAL)
        return true; /* integers and logicals are different if their bytes are */
    bool single = type == CM_TYPE_REAL32 || type == CM_TYPE_COMPLEX64;
    size_t size = single ? sizeof(float) : sizeof(double);
    for (size_t i = 0; i < cm_type_host_bytes(type); i += size)
        if (memcmp(a + i, b + i, size) != 0 && !(is_nan(a + i, single) && is_nan(b + i, single)))
            return true;
    return false;
}

uint64_t cm_reference_compare(enum cm_type type, uint64_t count, const void *expected,
                              const void *found, uint64_t *first)
{
    uint64_t size = cm_type_host_bytes(type);
    uint64_t differ = 0;
    if (memcmp(expected, found, count * size) == 0)
        return 0;
    for (uint64_t e = 0; e < count; e++) {
        const char *a = (const char *)expected + e * size;
        const char *b = (const char *)found + e * size;
        if (memcmp(a, b, size) == 0 || !parts_differ(type, a, b))
            continue;
        if (differ++ == 0)
            *first = e;
    }
    return differ;
}

enum cm_status cm_reference_pick(struct cm_reference_array *array, uint64_t axes,
                                 const uint64_t *source, struct cm_error *err)
{
    uint64_t row = cm_type_host_bytes(array->type), bytes = array->elements_count * row;
    char *copy = malloc(bytes), *to = array->elements;
    if (copy == NULL)
        return cm_error_set(err, CM_NO_MEMORY, "out of memory for the check");
    for (uint32_t a = 0; a < array->rank; row *= array->shape[a++]) {
        uint64_t length = array->shape[a];
        if (!(axes >> a & 1))
            continue;
        memcpy(copy, array->elements, bytes);
        for (uint64_t i = 0; i < bytes / row; i++) {
            uint64_t at = i % length, from = source != NULL ? source[a] : length - 1 - at;
            memcpy(to + i * row, copy + (i - at + from) * row, row);
        }
    }
    free(copy);
    return CM_OK;
}
