/*
 * Sums of products of coefficients and arrays: dst = t1 + t2 + ..., in the order given. A sum is
 * one array statement, or several where its arrays need more than the address registers.
 *
 * A reference that follows this sequence gets the same bits. R(x) is x rounded to the type of a
 * component, to nearest even. A term is the product of a coefficient a + bi and an element c + di.
 *
 *     real      p = R(a * c)
 *     complex   p_re = R(R(a * c) - R(b * d)),  p_im = R(R(a * d) + R(b * c))
 *     int32     p = a * c modulo 2^32, and so the sum
 *     sum       acc = p of the first term; then acc = R(acc + p) for each further term
 *
 * Nothing is added before the first term, so a sum of one term -0 is -0. The operands of one
 * addition or multiplication may change places. The bits of a NaN are not promised.
 */
#ifndef CM_PROGRAMS_ELEMENTWISE_COMBINE_H
#define CM_PROGRAMS_ELEMENTWISE_COMBINE_H

#include "../system/scalar.h"
#include "../system/system.h"

CM_BEGIN_DECLS

/* Product of a coefficient and an array. */
struct cm_term {
    struct cm_scalar scalar; /* coefficient of the term, if `coefficients` is NULL */
    /* Number that identifies the scalar coefficient. Terms with equal numbers share one scalar
     * argument, so that the IMP does not depend on the scalar's value. With name 0, scalars of
     * equal value share an argument. */
    uint32_t name;
    const struct cm_array *coefficients; /* array of coefficients with the layout of dst, or NULL */
    const struct cm_array *array;        /* array with the layout of dst */
};

/* Maximum number of terms in a sum. */
#define CM_TERMS_MAX 64u

/*
 * Computes dst = the sum of the terms. All arrays have the layout of dst, and any of them may be
 * dst. Fails with CM_BAD_INPUT for logical arrays, for unequal layouts, for 0 or too many terms,
 * for an IMP that does not fit the SRAM, and if node memory has no room for a temporary array. A
 * temporary array is needed if a second statement reads dst.
 */
CM_API enum cm_status cm_combine(struct cm_system *system, struct cm_array *dst,
                                 const struct cm_term *terms, uint32_t count, struct cm_error *err);
/* Compiles and caches the IMPs that cm_combine would run. Charges no cycles. */
CM_API enum cm_status cm_combine_prepare(struct cm_system *system, struct cm_array *dst,
                                         const struct cm_term *terms, uint32_t count,
                                         struct cm_error *err);

CM_END_DECLS

#endif
