/* Stencils from their definition: for each result, for each term in order, look the element up and
 * add the product. */
#include "stencil_oracle.h"

#include <string.h>

static uint32_t bytes_of(const struct oracle_stencil *s)
{
    return s->parts * (s->number == ORACLE_DOUBLE ? 8 : 4);
}

/* Number of the element at x, Fortran order; without one axis if `without` is below the rank. */
static int64_t number_of(const struct oracle_stencil *s, const int64_t *x, uint32_t without)
{
    int64_t number = 0, weight = 1;
    for (uint32_t a = 0; a < s->rank; a++) {
        if (a == without)
            continue;
        number += x[a] * weight;
        weight *= s->shape[a];
    }
    return number;
}

/* The element that a term takes for the result at x. The shift along the last axis is the
 * outermost, so it decides first. */
static const char *look_up(const struct oracle_stencil *s, const struct oracle_term *term,
                           const int64_t *result)
{
    int64_t x[4];
    memcpy(x, result, sizeof x);
    for (int a = (int)s->rank - 1; a >= 0; a--) {
        x[a] += term->offset[a];
        if (s->circular[a]) {
            x[a] = (x[a] % s->shape[a] + s->shape[a]) % s->shape[a];
        } else if (x[a] < 0 || x[a] >= s->shape[a]) {
            int64_t at = s->boundary_is_array[a] ? number_of(s, x, (uint32_t)a) : 0;
            return (const char *)s->boundary[a] + at * bytes_of(s);
        }
    }
    return (const char *)term->source + number_of(s, x, 4) * bytes_of(s);
}

#define ADD(name, type)                                                                            \
    static void name(char *to, const char *c, const char *x, bool first, uint32_t parts)           \
    {                                                                                              \
        type sum[2] = {0}, a[2] = {0}, b[2] = {0}, p[2];                                           \
        memcpy(sum, to, parts * sizeof *sum);                                                      \
        memcpy(a, c, parts * sizeof *a);                                                           \
        memcpy(b, x, parts * sizeof *b);                                                           \
        p[0] = a[0] * b[0];                                                                        \
        p[1] = 0;                                                                                  \
        if (parts == 2) {                                                                          \
            type minus = a[1] * b[1], left = a[1] * b[0], right = a[0] * b[1];                     \
            p[0] = p[0] - minus;                                                                   \
            p[1] = left + right;                                                                   \
        }                                                                                          \
        for (uint32_t i = 0; i < parts; i++)                                                       \
            sum[i] = first ? p[i] : sum[i] + p[i];                                                 \
        memcpy(to, sum, parts * sizeof *sum);                                                      \
    }
ADD(add_float, float)
ADD(add_double, double)
ADD(add_int, uint32_t) /* modulo 2^32 */

/* Whether term a is added after term b, were a given before b. */
static bool comes_after(const struct oracle_stencil *s, const struct oracle_term *a,
                        const struct oracle_term *b)
{
    for (int i = (int)s->rank - 1; i >= 0; i--)
        if (a->offset[i] != b->offset[i])
            return a->offset[i] > b->offset[i];
    return false;
}

static void sort_terms(struct oracle_stencil *s)
{
    for (uint32_t pass = 0; pass < s->count; pass++)
        for (uint32_t i = 0; i + 1 < s->count; i++)
            if (comes_after(s, &s->terms[i], &s->terms[i + 1])) {
                struct oracle_term term = s->terms[i];
                s->terms[i] = s->terms[i + 1];
                s->terms[i + 1] = term;
            }
}

void oracle_stencil(const struct oracle_stencil *given, void *results)
{
    struct oracle_stencil s = *given;
    int64_t x[4] = {0}, count = 1, bytes = bytes_of(given);
    void (*add)(char *, const char *, const char *, bool, uint32_t) =
        s.number == ORACLE_FLOAT    ? add_float
        : s.number == ORACLE_DOUBLE ? add_double
                                    : add_int;
    sort_terms(&s);
    for (uint32_t a = 0; a < s.rank; a++)
        count *= s.shape[a];
    for (int64_t n = 0; n < count; n++) {
        for (uint32_t t = 0; t < s.count; t++) {
            const struct oracle_term *term = &s.terms[t];
            const char *c = (const char *)term->coefficient + (term->by_array ? n * bytes : 0);
            add((char *)results + n * bytes, c, look_up(&s, term, x), t == 0, s.parts);
        }
        for (uint32_t a = 0; a < s.rank && ++x[a] == s.shape[a]; a++)
            x[a] = 0;
    }
}
