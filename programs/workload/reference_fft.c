/*
 * Direct evaluation of Fourier transforms (reference.h), one axis after the other, in long double.
 * Each line is split recursively into its even and odd places down to single points, and
 * recombined.
 */
#include "reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TURN 6.283185307179586476925286766559005768L

struct point {
    long double re, im;
};

struct line {
    struct point *in;
    struct point *out;
    /* exp(-2 pi i k / length) for each k, or exp(+2 pi i k / length) for the inverse */
    const struct point *roots;
    uint64_t length;
};

/* Transforms `count` points of line->in to `out`. The points begin with number `first` and are
 * `stride` apart. */
static void transform(const struct line *line, uint64_t first, uint64_t stride, uint64_t count,
                      struct point *out)
{
    if (count == 1) {
        *out = line->in[first];
        return;
    }
    uint64_t half = count / 2;
    transform(line, first, 2 * stride, half, out);
    transform(line, first + stride, 2 * stride, half, out + half);
    for (uint64_t k = 0; k < half; k++) {
        struct point root = line->roots[k * stride], even = out[k], odd = out[half + k];
        struct point turned = {odd.re * root.re - odd.im * root.im,
                               odd.re * root.im + odd.im * root.re};
        out[k] = (struct point){even.re + turned.re, even.im + turned.im};
        out[half + k] = (struct point){even.re - turned.re, even.im - turned.im};
    }
}

static uint64_t backwards(uint64_t number, uint64_t length)
{
    uint64_t result = 0;
    for (uint64_t rest = 1; rest < length; rest *= 2) {
        result = 2 * result + number % 2;
        number /= 2;
    }
    return result;
}

/* Transforms all lines along one axis of `points`. */
static void transform_axis(struct point *points, uint64_t count, uint64_t row, struct line *line,
                           const struct cm_reference_dft *dft)
{
    uint64_t length = line->length;
    for (uint64_t start = 0; start < count; start++) {
        if (start / row % length != 0)
            continue;
        for (uint64_t i = 0; i < length; i++)
            line->in[dft->input_reversed ? backwards(i, length) : i] = points[start + i * row];
        transform(line, 0, 1, length, line->out);
        for (uint64_t i = 0; i < length; i++) {
            struct point found = line->out[dft->output_reversed ? backwards(i, length) : i];
            long double scale = dft->inverse ? (long double)length : 1;
            points[start + i * row] = (struct point){found.re / scale, found.im / scale};
        }
    }
}

static struct point element_at(const struct cm_reference_array *array, const void *elements,
                               uint64_t e)
{
    const float *f = elements;
    const double *d = elements;
    if (array->type == CM_TYPE_COMPLEX64)
        return (struct point){f[2 * e], f[2 * e + 1]};
    return (struct point){d[2 * e], d[2 * e + 1]};
}

static void store(struct cm_reference_array *array, const struct point *points)
{
    float *f = array->elements;
    double *d = array->elements;
    for (uint64_t e = 0; e < array->elements_count; e++) {
        if (array->type == CM_TYPE_COMPLEX64) {
            f[2 * e] = (float)points[e].re;
            f[2 * e + 1] = (float)points[e].im;
        } else {
            d[2 * e] = (double)points[e].re;
            d[2 * e + 1] = (double)points[e].im;
        }
    }
}

static void transform_axes(const struct cm_reference_array *array,
                           const struct cm_reference_dft *dft, struct point *points,
                           struct point *room, uint64_t longest)
{
    uint64_t row = 1;
    for (uint32_t a = 0; a < array->rank; row *= array->shape[a], a++) {
        struct line line = {room, room + longest, room + 2 * longest, array->shape[a]};
        struct point *roots = room + 2 * longest;
        if (!(dft->axes >> a & 1))
            continue;
        for (uint64_t k = 0; k < line.length / 2; k++) {
            long double angle = TURN * (long double)k / (long double)line.length;
            roots[k] = (struct point){cosl(angle), dft->inverse ? sinl(angle) : -sinl(angle)};
        }
        transform_axis(points, array->elements_count, row, &line, dft);
    }
}

enum cm_status cm_reference_transform(struct cm_reference_array *array,
                                      const struct cm_reference_dft *dft, struct cm_error *err)
{
    uint64_t longest = 1;
    for (uint32_t a = 0; a < array->rank; a++)
        longest = array->shape[a] > longest ? array->shape[a] : longest;
    struct point *points = malloc(array->elements_count * sizeof *points);
    struct point *room = malloc(3 * longest * sizeof *room);
    enum cm_status status = CM_OK;
    if (points == NULL || room == NULL) {
        status = cm_error_set(err, CM_NO_MEMORY, "out of memory for the check of a transform");
    } else {
        for (uint64_t e = 0; e < array->elements_count; e++)
            points[e] = element_at(array, array->elements, e);
        transform_axes(array, dft, points, room, longest);
        store(array, points);
    }
    free(points);
    free(room);
    return status;
}

static bool is_finite(struct point point)
{
    return isfinite(point.re) && isfinite(point.im);
}

/* Returns |expected - found|^2. The distance between a finite and a non-finite point is infinite,
 * and between two non-finite points it is 0. */
static long double distance(struct point expected, struct point found)
{
    long double re = expected.re - found.re, im = expected.im - found.im;
    if (!is_finite(expected) || !is_finite(found))
        return is_finite(expected) == is_finite(found) ? 0 : (long double)INFINITY;
    return re * re + im * im;
}

uint64_t cm_reference_compare_transform(const struct cm_reference_array *expected,
                                        const void *found, uint32_t bits, uint64_t *first)
{
    long double bound =
        (expected->type == CM_TYPE_COMPLEX64 ? 3e-7L : 6e-16L) * (long double)(bits > 0 ? bits : 1);
    long double size = 0, off = 0, furthest = -1;
    uint64_t count = 0, worst = 0;
    for (uint64_t e = 0; e < expected->elements_count; e++) {
        struct point wanted = element_at(expected, expected->elements, e);
        long double apart = distance(wanted, element_at(expected, found, e));
        if (is_finite(wanted))
            size += wanted.re * wanted.re + wanted.im * wanted.im;
        off += apart;
        worst = apart > furthest ? e : worst;
        furthest = apart > furthest ? apart : furthest;
    }
    if (off <= bound * bound * size)
        return 0;
    *first = worst;
    long double mean = size / (long double)expected->elements_count;
    for (uint64_t e = expected->elements_count; e-- > 0;) {
        if (distance(element_at(expected, expected->elements, e), element_at(expected, found, e)) <=
            bound * bound * mean)
            continue;
        count++;
        *first = e;
    }
    return count > 0 ? count : 1;
}
