/* Sums and products of doubles without rounding error, as sums of two doubles. */
#include "routines.h"

/* Adds two doubles exactly, by theorem B of D. E. Knuth, The Art of Computer Programming 2, section
 * 4.2.2. */
struct cm_sum cm_exact_sum(struct cm_lower *l, uint32_t a, uint32_t b)
{
    const uint32_t s = CM_MICRO2(l, FADD64, a, b);
    const uint32_t of_b = CM_MICRO2(l, FSUB64, s, a);
    const uint32_t of_a = CM_MICRO2(l, FSUB64, s, of_b);
    return (struct cm_sum){
        s, CM_MICRO2(l, FADD64, CM_MICRO2(l, FSUB64, a, of_a), CM_MICRO2(l, FSUB64, b, of_b))};
}

/* Splits x by clearing its lower bits, which never overflows. Dekker's splitting by a
 * multiplication may overflow (T. J. Dekker, Numerische Mathematik 18, 1971). */
struct cm_sum cm_halves(struct cm_lower *l, uint32_t x)
{
    const uint32_t low = CM_MICRO2(l, IAND, x, cm_micro_word(l, UINT32_C(0xf8000000)));
    const uint32_t high = CM_MICRO2(l, FJOIN, low, CM_MICRO1(l, FHIGH, x));
    return (struct cm_sum){high, CM_MICRO2(l, FSUB64, x, high)};
}

/* Multiplies two doubles by their halves. Products of halves are exact, except the product of the
 * lower halves, which is only about 2^-106 of the result. */
struct cm_sum cm_exact_product(struct cm_lower *l, uint32_t a, uint32_t b)
{
    const struct cm_sum x = cm_halves(l, a), y = cm_halves(l, b);
    const uint32_t p = CM_MICRO2(l, FMUL64, a, b);
    uint32_t low = CM_MICRO2(l, FSUB64, CM_MICRO2(l, FMUL64, x.high, y.high), p);
    low = CM_MICRO3(l, FMA64, x.high, y.low, low);
    low = CM_MICRO3(l, FMA64, x.low, y.high, low);
    return (struct cm_sum){p, CM_MICRO3(l, FMA64, x.low, y.low, low)};
}
