/*
 * The direct evaluation that "check" compares with: what each step means, as plain loops over
 * global indices. It knows nothing of nodes, layouts or IMPs, and must share no code with what
 * computes the same on the machine.
 */
#ifndef CM_PROGRAMS_WORKLOAD_REFERENCE_H
#define CM_PROGRAMS_WORKLOAD_REFERENCE_H

#include "../system/geometry.h"

/* An array on the host: elements in Fortran order, as system.h describes them. */
struct cm_reference_array {
    enum cm_type type;
    uint32_t rank;
    uint64_t shape[CM_RANK_MAX];
    uint64_t elements_count;
    void *elements;
};

/* What comes in at the end of an end-off shift. */
struct cm_reference_boundary {
    bool circular;     /* nothing does */
    const void *bytes; /* one element, or elements of the shape with the axis left out */
    bool is_array;
};

/* dst(i) = src(i + distance) along `axis` (from 0); dst may be src. CM_NO_MEMORY is the only
 * failure. */
enum cm_status cm_reference_shift(struct cm_reference_array *dst,
                                  const struct cm_reference_array *src, uint32_t axis,
                                  int64_t distance, const struct cm_reference_boundary *boundary,
                                  struct cm_error *err);

struct cm_reference_term {
    const void *coefficients; /* one element, or one for each element of the array */
    bool coefficients_are_array;
    const void *elements;
};

/*
 * dst = c1 x1 + c2 x2 + ..., in this order: p = c x; the sum is p for the first term, then sum + p.
 * Each product and each sum is rounded to the type. Complex: re = ac - bd, im = ad + bc with a + bi
 * the coefficient. int32: modulo 2^32.
 */
void cm_reference_combine(struct cm_reference_array *dst, const struct cm_reference_term *terms,
                          uint32_t count);

/* reference_stencil.c: a term takes the element at the result's index plus `offset`. */
struct cm_reference_stencil_term {
    const void *coefficients; /* one element, or one for each result */
    bool coefficients_are_array;
    const void *elements;
    int64_t offset[CM_RANK_MAX];
};

/*
 * dst = the sum of coefficient times element, rounded as in cm_reference_combine, by ascending
 * offset along the last axis, then along the one before it, and so on; terms of equal offsets in
 * the order given. The last axis along which an element is outside says what comes in. dst may be
 * one of the operands. CM_NO_MEMORY is the only failure.
 */
enum cm_status cm_reference_stencil(struct cm_reference_array *dst,
                                    const struct cm_reference_stencil_term *terms, uint32_t count,
                                    const struct cm_reference_boundary *boundaries,
                                    struct cm_error *err);

/* dst(i) = src(i with coordinate source[p] along each axis p of `axes`, a bit each; or, `source`
 * NULL, with coordinate n - 1 - i_p). CM_NO_MEMORY is the only failure. */
enum cm_status cm_reference_pick(struct cm_reference_array *array, uint64_t axes,
                                 const uint64_t *source, struct cm_error *err);

/*
 * A discrete Fourier transform along each of `axes`: X(k) = sum x(j) exp(-2 pi i j k / n); the
 * inverse with the other sign and 1 / n. In long double, rounded to the type at the end.
 * Bit-reversed: position j holds the element whose number along the axis has the bits of j
 * backwards. Axes are powers of two.
 */
struct cm_reference_dft {
    uint64_t axes; /* a bit each */
    bool inverse;
    bool input_reversed;
    bool output_reversed;
};
enum cm_status cm_reference_transform(struct cm_reference_array *array,
                                      const struct cm_reference_dft *dft, struct cm_error *err);
/*
 * Elements of a transform that are off: none while the difference's norm stays below a bound for
 * `bits` steps (3e-7 a step of complex64, 6e-16 of complex128) of the norm of `expected`; else
 * those further off than that of the root mean square, at least one. *first is the number of the
 * first.
 */
uint64_t cm_reference_compare_transform(const struct cm_reference_array *expected,
                                        const void *found, uint32_t bits, uint64_t *first);

/*
 * How many elements differ, bit for bit; a NaN equals any NaN, -0 and 0 differ. *first is the
 * number of the first that does.
 */
uint64_t cm_reference_compare(enum cm_type type, uint64_t count, const void *expected,
                              const void *found, uint64_t *first);

#endif
