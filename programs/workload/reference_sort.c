/* Direct evaluation of sorts by merging. */
#include "reference_sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct sorting {
    const struct cm_reference_array *src;
    bool descending;
    uint64_t *column, *scratch; /* element numbers of the column, and room for merging */
};

static double value_of(const struct cm_reference_array *src, uint64_t e)
{
    switch (src->type) {
    case CM_TYPE_REAL32:
        return (double)((const float *)src->elements)[e];
    case CM_TYPE_REAL64:
        return ((const double *)src->elements)[e];
    case CM_TYPE_INT32:
        return ((const int32_t *)src->elements)[e];
    default:
        return ((const unsigned char *)src->elements)[e];
    }
}

/* Returns the bits of a NaN without its sign. */
static uint64_t nan_of(const struct cm_reference_array *src, uint64_t e)
{
    uint64_t bits = 0;
    const size_t bytes = cm_type_host_bytes(src->type);
    memcpy(&bits, (const char *)src->elements + e * bytes, bytes);
    return bits & ~(UINT64_C(1) << (8 * bytes - 1));
}

/* Returns true if elements a and b, of which a is first now, must change places. */
static bool is_wrong(const struct sorting *sorting, uint64_t a, uint64_t b)
{
    const struct cm_reference_array *src = sorting->src;
    const double x = value_of(src, a), y = value_of(src, b);
    if (isnan(x))
        return !isnan(y) || nan_of(src, b) < nan_of(src, a);
    if (isnan(y))
        return false;
    const bool real = src->type == CM_TYPE_REAL32 || src->type == CM_TYPE_REAL64;
    if (x == y && real)
        return sorting->descending ? signbit(x) > signbit(y) : signbit(x) < signbit(y);
    return sorting->descending ? y > x : y < x;
}

/* Merges the places [begin, middle) and [middle, end) of the column, each of which is sorted. */
static void merge(const struct sorting *sorting, uint64_t begin, uint64_t middle, uint64_t end)
{
    uint64_t *column = sorting->column, *scratch = sorting->scratch;
    uint64_t left = begin, right = middle;
    for (uint64_t to = begin; to < end; to++) {
        const bool second =
            left == middle || (right < end && is_wrong(sorting, column[left], column[right]));
        scratch[to] = second ? column[right++] : column[left++];
    }
    memcpy(column + begin, scratch + begin, (end - begin) * sizeof *column);
}

static void sort_column(const struct sorting *sorting, uint64_t length)
{
    for (uint64_t run = 1; run < length; run *= 2)
        for (uint64_t begin = 0; begin + run < length; begin += 2 * run)
            merge(sorting, begin, begin + run, begin + 2 * run < length ? begin + 2 * run : length);
}

enum cm_status cm_reference_sort(const struct cm_reference_array *src, uint32_t axis,
                                 bool descending, uint64_t **order, struct cm_error *err)
{
    const uint64_t length = src->shape[axis];
    struct sorting sorting = {.src = src, .descending = descending};
    uint64_t step = 1;
    *order = malloc(src->elements_count * sizeof **order);
    sorting.column = malloc(length * sizeof *sorting.column);
    sorting.scratch = malloc(length * sizeof *sorting.scratch);
    const bool ready = *order && sorting.column && sorting.scratch;
    for (uint32_t a = 0; a < axis; a++)
        step *= src->shape[a];
    for (uint64_t e = 0; ready && e < src->elements_count; e++) {
        if (e / step % length != 0)
            continue;
        for (uint64_t i = 0; i < length; i++)
            sorting.column[i] = e + i * step;
        sort_column(&sorting, length);
        for (uint64_t i = 0; i < length; i++)
            (*order)[e + i * step] = sorting.column[i];
    }
    free(sorting.column);
    free(sorting.scratch);
    if (ready)
        return CM_OK;
    free(*order);
    *order = NULL;
    return cm_error_set(err, CM_NO_MEMORY, "out of memory for the check of a sort");
}

void cm_reference_permute(struct cm_reference_array *dst, const void *elements,
                          const uint64_t *order)
{
    const size_t bytes = cm_type_host_bytes(dst->type);
    for (uint64_t e = 0; e < dst->elements_count; e++)
        memcpy((char *)dst->elements + e * bytes, (const char *)elements + order[e] * bytes, bytes);
}

void cm_reference_clear_nans(struct cm_reference_array *keys)
{
    const size_t bytes = cm_type_host_bytes(keys->type);
    for (uint64_t e = 0; e < keys->elements_count; e++) {
        if (!isnan(value_of(keys, e)))
            continue;
        const uint64_t bits = nan_of(keys, e);
        memcpy((char *)keys->elements + e * bytes, &bits, bytes);
    }
}
