/* Direct evaluation of lattice kernels for the step qcd, one site after the other, over global
 * indices. */
#include "reference.h"

#include <stdlib.h>
#include <string.h>

/* Matrices gamma_mu as [mu][row][column], real and imaginary part (DeGrand and Rossi). */
static const signed char gammas[CM_QCD_AXES][4][4][2] = {
    {{{0}, {0}, {0}, {0, 1}}, {{0}, {0}, {0, 1}, {0}}, {{0}, {0, -1}, {0}, {0}}, {{0, -1}}},
    {{{0}, {0}, {0}, {-1, 0}}, {{0}, {0}, {1, 0}, {0}}, {{0}, {1, 0}, {0}, {0}}, {{-1, 0}}},
    {{{0}, {0}, {0, 1}, {0}}, {{0}, {0}, {0}, {0, -1}}, {{0, -1}}, {{0}, {0, 1}, {0}, {0}}},
    {{{0}, {0}, {1, 0}, {0}}, {{0}, {0}, {0}, {1, 0}}, {{1, 0}}, {{0}, {1, 0}, {0}, {0}}},
};

/* Returns the column in which a row of gamma_mu is not 0. */
static uint32_t column_of(uint32_t mu, uint32_t row)
{
    uint32_t column = 0;
    while (gammas[mu][row][column][0] == 0 && gammas[mu][row][column][1] == 0)
        column++;
    return column;
}

struct lattice {
    bool wilson;
    uint64_t lengths[CM_QCD_AXES], sites;
    const void *src, *links[CM_QCD_AXES];
    void *dst;
};

/* Returns the number of the neighbour of a site along axis mu. */
static uint64_t neighbour(const struct lattice *l, uint64_t site, uint32_t mu, bool up)
{
    uint64_t below = 1;
    for (uint32_t a = 0; a < mu; a++)
        below *= l->lengths[a];
    const uint64_t n = l->lengths[mu], at = site / below % n;
    return site - at * below + (up ? (at + 1) % n : (at + n - 1) % n) * below;
}

#define KERNELS(R)                                                                                 \
    typedef R R##_vector[3][2];                                                                    \
    /* Reads spin s of src at a site, a vector of 3 colours. */                                    \
    static void R##_field(const struct lattice *l, uint64_t site, uint32_t s, R##_vector v)        \
    {                                                                                              \
        for (uint32_t c = 0; c < 3; c++)                                                           \
            for (uint32_t part = 0; part < 2; part++)                                              \
                v[c][part] = ((const R *)l->src)[l->wilson ? site * 24 + (s * 3 + c) * 2 + part    \
                                                           : site * 6 + part * 3 + c];             \
    }                                                                                              \
    static R R##_link(const struct lattice *l, uint32_t mu, uint64_t site, uint32_t element,       \
                      uint32_t part)                                                               \
    {                                                                                              \
        return (                                                                                   \
            (const R *)                                                                            \
                l->links[mu])[site * 18 + (l->wilson ? element * 2 + part : part * 9 + element)];  \
    }                                                                                              \
    /* Computes y = U v if `fresh`, or else y + U v, where U is a link. */                         \
    static void R##_plain(const struct lattice *l, uint32_t mu, uint64_t site, R##_vector v,       \
                          bool fresh, R##_vector y)                                                \
    {                                                                                              \
        for (uint32_t row = 0; row < 3; row++)                                                     \
            for (uint32_t k = 0; k < 3; k++) {                                                     \
                const R re = R##_link(l, mu, site, row + 3 * k, 0);                                \
                const R im = R##_link(l, mu, site, row + 3 * k, 1);                                \
                const R rr = re * v[k][0], ii = im * v[k][1];                                      \
                const R ri = re * v[k][1], ir = im * v[k][0];                                      \
                y[row][0] = fresh && k == 0 ? rr : y[row][0] + rr;                                 \
                y[row][0] = y[row][0] - ii;                                                        \
                y[row][1] = fresh && k == 0 ? ri : y[row][1] + ri;                                 \
                y[row][1] = y[row][1] + ir;                                                        \
            }                                                                                      \
    }                                                                                              \
    /* Computes y = adjoint of U times v, where U is a link. */                                    \
    static void R##_adjoint(const struct lattice *l, uint32_t mu, uint64_t site, R##_vector v,     \
                            R##_vector y)                                                          \
    {                                                                                              \
        for (uint32_t row = 0; row < 3; row++)                                                     \
            for (uint32_t k = 0; k < 3; k++) {                                                     \
                const R re = R##_link(l, mu, site, k + 3 * row, 0);                                \
                const R im = R##_link(l, mu, site, k + 3 * row, 1);                                \
                const R rr = re * v[k][0], ii = im * v[k][1];                                      \
                const R ri = re * v[k][1], ir = im * v[k][0];                                      \
                y[row][0] = k == 0 ? rr : y[row][0] + rr;                                          \
                y[row][0] = y[row][0] + ii;                                                        \
                y[row][1] = k == 0 ? ri : y[row][1] + ri;                                          \
                y[row][1] = y[row][1] - ir;                                                        \
            }                                                                                      \
    }                                                                                              \
    static void R##_staggered(const struct lattice *l, uint64_t site)                              \
    {                                                                                              \
        R##_vector v, y = {{0}}, m;                                                                \
        for (uint32_t mu = 0; mu < CM_QCD_AXES; mu++) {                                            \
            R##_field(l, neighbour(l, site, mu, true), 0, v);                                      \
            R##_plain(l, mu, site, v, mu == 0, y);                                                 \
        }                                                                                          \
        for (uint32_t mu = 0; mu < CM_QCD_AXES; mu++) {                                            \
            const uint64_t from = neighbour(l, site, mu, false);                                   \
            R##_field(l, from, 0, v);                                                              \
            R##_adjoint(l, mu, from, v, m);                                                        \
            for (uint32_t i = 0; i < 6; i++)                                                       \
                y[i / 2][i % 2] = y[i / 2][i % 2] - m[i / 2][i % 2];                               \
        }                                                                                          \
        for (uint32_t i = 0; i < 6; i++)                                                           \
            ((R *)l->dst)[site * 6 + i % 2 * 3 + i / 2] = y[i / 2][i % 2];                         \
    }                                                                                              \
    /* Multiplies z by an element of a gamma matrix: 0, 1, -1, i or -i. */                         \
    static void R##_times(const signed char *gamma, const R z[2], R to[2])                         \
    {                                                                                              \
        to[0] = gamma[0] != 0 ? (R)gamma[0] * z[0] : (R)-gamma[1] * z[1];                          \
        to[1] = gamma[0] != 0 ? (R)gamma[0] * z[1] : (R)gamma[1] * z[0];                           \
    }                                                                                              \
    /* Computes spin s < 2 of (1 - gamma) src if `up`, else of (1 + gamma) src. */                 \
    static void R##_project(const struct lattice *l, uint32_t mu, uint64_t site, uint32_t s,       \
                            bool up, R##_vector h)                                                 \
    {                                                                                              \
        const uint32_t other = column_of(mu, s);                                                   \
        R##_vector partner;                                                                        \
        R t[2];                                                                                    \
        R##_field(l, site, s, h);                                                                  \
        R##_field(l, site, other, partner);                                                        \
        for (uint32_t c = 0; c < 3; c++) {                                                         \
            R##_times(gammas[mu][s][other], partner[c], t);                                        \
            for (uint32_t part = 0; part < 2; part++)                                              \
                h[c][part] = up ? h[c][part] - t[part] : h[c][part] + t[part];                     \
        }                                                                                          \
    }                                                                                              \
    /* Adds to `sum` the vector y, which is spin s < 2 of a half-spinor, and the spin that follows
     * from it. */ \
    static void R##_add(uint32_t mu, uint32_t s, bool up, bool first, R##_vector y,                \
                        R##_vector *sum)                                                           \
    {                                                                                              \
        const uint32_t low = column_of(mu, s);                                                     \
        for (uint32_t c = 0; c < 3; c++) {                                                         \
            R t[2];                                                                                \
            R##_times(gammas[mu][low][s], y[c], t);                                                \
            for (uint32_t part = 0; part < 2; part++) {                                            \
                R *high_part = &sum[s][c][part], *low_part = &sum[low][c][part];                   \
                const R lower = up ? -t[part] : t[part];                                           \
                *high_part = first ? y[c][part] : *high_part + y[c][part];                         \
                *low_part = first ? lower : *low_part + lower;                                     \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void R##_wilson(const struct lattice *l, uint64_t site)                                 \
    {                                                                                              \
        R##_vector h, y = {{0}}, sum[4];                                                           \
        memset(sum, 0, sizeof sum);                                                                \
        for (uint32_t i = 0; i < 4 * CM_QCD_AXES; i++) {                                           \
            const bool up = i < 2 * CM_QCD_AXES;                                                   \
            const uint32_t mu = i / 2 % CM_QCD_AXES, s = i % 2;                                    \
            const uint64_t from = neighbour(l, site, mu, up);                                      \
            R##_project(l, mu, from, s, up, h);                                                    \
            if (up)                                                                                \
                R##_plain(l, mu, site, h, true, y);                                                \
            else                                                                                   \
                R##_adjoint(l, mu, from, h, y);                                                    \
            R##_add(mu, s, up, up &&mu == 0, y, sum);                                              \
        }                                                                                          \
        memcpy((R *)l->dst + site * 24, sum, sizeof sum);                                          \
    }

KERNELS(float)
KERNELS(double)

enum cm_status cm_reference_qcd(enum cm_qcd_kernel kernel, struct cm_reference_array *dst,
                                const struct cm_reference_array *src,
                                const struct cm_reference_array *const links[CM_QCD_AXES],
                                struct cm_error *err)
{
    const bool single = src->type == CM_TYPE_REAL32 || src->type == CM_TYPE_COMPLEX64;
    const size_t bytes = src->elements_count * cm_type_host_bytes(src->type);
    struct lattice l = {.wilson = kernel == CM_QCD_WILSON, .sites = 1, .dst = dst->elements};
    void *copy = malloc(bytes);
    if (!copy)
        return cm_error_set(err, CM_NO_MEMORY, "out of memory for the check");
    l.src = memcpy(copy, src->elements, bytes);
    for (uint32_t mu = 0; mu < CM_QCD_AXES; mu++) {
        l.lengths[mu] = src->shape[2 + mu];
        l.links[mu] = links[mu]->elements;
        l.sites *= l.lengths[mu];
    }
    for (uint64_t site = 0; site < l.sites; site++)
        if (single)
            (l.wilson ? float_wilson : float_staggered)(&l, site);
        else
            (l.wilson ? double_wilson : double_staggered)(&l, site);
    free(copy);
    return CM_OK;
}
