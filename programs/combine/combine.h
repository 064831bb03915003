/*
 * Sums of coefficient times array on the FPUs: dst = t1 + t2 + ... in the order given, each product
 * and each sum rounded to the array's type. One IMP per form (type, local elements, terms), which
 * is kept; it stores under the garbage mask where the layout is padded.
 *
 * The exact sequence, which a reference must follow to agree bit for bit (R(x): x rounded to the
 * component's type, to nearest even; operands of one + or * may change places). With terms k = 1,
 * 2, ..., coefficient a + bi, element c + di:
 *
 *     real      p = R(a * c)
 *     complex   p_re = R(R(a * c) - R(b * d)),  p_im = R(R(b * c) + R(a * d))
 *     int32     p = a * c modulo 2^32, and so the sum
 *     sum       acc = p of the first term; then acc = R(acc + p), term by term, re and im each
 *
 * Nothing is added before the first term (so -0 stays -0). The bits of a NaN are not promised, only
 * that it is one. Elements of dst are read before they are written: dst may be any of the operands.
 */
#ifndef CM_PROGRAMS_COMBINE_COMBINE_H
#define CM_PROGRAMS_COMBINE_COMBINE_H

#include "../system/scalar.h"
#include "../system/system.h"

CM_BEGIN_DECLS

/* A coefficient times an array. */
struct cm_term {
    struct cm_scalar scalar; /* the coefficient, when coefficients is NULL */
    /* Of a scalar that changes from call to call: scalars of one name are one, others are not, so
     * that the IMP does not depend on their values. 0: equal scalars are one. */
    uint32_t name;
    const struct cm_array *coefficients; /* or an array of them, of the layout of dst */
    const struct cm_array *array;        /* laid out as dst */
};

/* Terms of a sum, at most. */
#define CM_TERMS_MAX 64u

/*
 * dst and all arrays have equal layouts; dst may be one of them. CM_BAD_INPUT for logical arrays,
 * unequal layouts, no or too many terms, an IMP that does not fit the SRAM, no room for a temporary
 * (more terms than registers, dst among the later).
 */
CM_API enum cm_status cm_combine(struct cm_system *system, struct cm_array *dst,
                                 const struct cm_term *terms, uint32_t count, struct cm_error *err);
/* Compiles and keeps what cm_combine would run; charges nothing. */
CM_API enum cm_status cm_combine_prepare(struct cm_system *system, struct cm_array *dst,
                                         const struct cm_term *terms, uint32_t count,
                                         struct cm_error *err);

CM_END_DECLS

#endif
