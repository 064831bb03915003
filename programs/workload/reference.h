/*
 * Direct evaluation, with which every check compares the machine's results. Each step is evaluated
 * by plain loops over global indices on arrays of the host. This code does not use nodes, layouts
 * or IMPs, and must not share code with what computes the same step on the machine.
 */
#ifndef CM_PROGRAMS_WORKLOAD_REFERENCE_H
#define CM_PROGRAMS_WORKLOAD_REFERENCE_H

#include "../matmul/matmul.h"
#include "../qcd/qcd.h"
#include "../system/geometry.h"

/* Array on the host, with its elements in Fortran order (system.h). */
struct cm_reference_array {
    enum cm_type type;
    uint32_t rank;
    uint64_t shape[CM_RANK_MAX];
    uint64_t elements_count;
    void *elements;
};

/* Values that a shift moves in at the end of the axis. */
struct cm_reference_boundary {
    bool circular; /* True if the shift is circular, so that the boundary is not used. */
    /* one element, or an array of elements of the shifted array's shape without the shifted axis */
    const void *bytes;
    bool is_array;
};

/* Computes dst(i) = src(i + distance) along axis number `axis`, counted from 0. `dst` may be `src`.
 * Fails with CM_NO_MEMORY only. */
enum cm_status cm_reference_shift(struct cm_reference_array *dst,
                                  const struct cm_reference_array *src, uint32_t axis,
                                  int64_t distance, const struct cm_reference_boundary *boundary,
                                  struct cm_error *err);

struct cm_reference_term {
    /* coefficients of the term: one number, or a number for each element */
    const void *coefficients;
    bool coefficients_are_array;
    const void *elements;
};

/*
 * Computes dst = c1 x1 + c2 x2 + ... in this order. The sum starts as the first product, then each
 * further product is added to it. Each product and each sum is rounded to the type. Complex
 * products are re = ac - bd, im = ad + bc, with coefficient a + bi. int32 arithmetic is modulo
 * 2^32.
 */
void cm_reference_combine(struct cm_reference_array *dst, const struct cm_reference_term *terms,
                          uint32_t count);

/* Term of a stencil (reference_stencil.c). It reads the element at the result's index plus
 * `offset`. */
struct cm_reference_stencil_term {
    /* coefficients of the term: one number, or a number for each result */
    const void *coefficients;
    bool coefficients_are_array;
    const void *elements;
    int64_t offset[CM_RANK_MAX];
};

/*
 * Computes a stencil: dst = the sum of coefficient times element, rounded as in
 * cm_reference_combine. Terms are added by ascending offset along the last axis, then along the
 * axis before it, and so on. Terms of equal offsets are added in the given order. An element
 * outside the array takes the boundary of the last axis along which it is outside. `dst` may be an
 * operand. Fails with CM_NO_MEMORY only.
 */
enum cm_status cm_reference_stencil(struct cm_reference_array *dst,
                                    const struct cm_reference_stencil_term *terms, uint32_t count,
                                    const struct cm_reference_boundary *boundaries,
                                    struct cm_error *err);

/*
 * Copies planes of an array: each element becomes the element whose coordinate along each axis p in
 * the set `axes` is source[p], and whose other coordinates are the same. If `source` is NULL, the
 * coordinate along axis p becomes n - 1 - i instead of i, where n is the length of the axis. Fails
 * with CM_NO_MEMORY only.
 */
enum cm_status cm_reference_pick(struct cm_reference_array *array, uint64_t axes,
                                 const uint64_t *source, struct cm_error *err);

/*
 * Discrete Fourier transform along each axis in `axes`: X(k) = sum x(j) exp(-2 pi i j k / n). The
 * inverse has the other sign and the factor 1 / n. The transform is computed in long double and
 * rounded to the type at the end. In bit-reversed order, position j holds the element whose number
 * along the axis has the bits of j reversed. Lengths are powers of two.
 */
struct cm_reference_dft {
    uint64_t axes; /* set of the axes, one bit each */
    bool inverse;
    bool input_reversed;
    bool output_reversed;
};
enum cm_status cm_reference_transform(struct cm_reference_array *array,
                                      const struct cm_reference_dft *dft, struct cm_error *err);
/*
 * Returns the number of wrong elements of a transform of `bits` steps. The number is 0 if the norm
 * of the difference is below a bound relative to the norm of `expected`: 3e-7 for each step of
 * complex64, 6e-16 for each step of complex128. Otherwise counts the elements whose error exceeds
 * the bound on the root mean square, at least one. Sets *first to the first wrong element.
 */
uint64_t cm_reference_compare_transform(const struct cm_reference_array *expected,
                                        const void *found, uint32_t bits, uint64_t *first);

/*
 * Computes c = a b, column by column. Each element starts at +0 and adds its products in the order
 * that matmul.h gives, with each product and each sum rounded. `c` must be neither `a` nor `b`.
 */
void cm_reference_matmul(struct cm_reference_array *c, const struct cm_reference_array *a,
                         const struct cm_reference_array *b, const struct cm_matmul_order *order);

/* Applies a lattice kernel of the step qcd to `src` and `links`, site by site, rounded in the order
 * that qcd.h gives. `dst` may be `src`. Fails with CM_NO_MEMORY only. */
enum cm_status cm_reference_qcd(enum cm_qcd_kernel kernel, struct cm_reference_array *dst,
                                const struct cm_reference_array *src,
                                const struct cm_reference_array *const links[CM_QCD_AXES],
                                struct cm_error *err);

/*
 * Returns the number of elements that differ in any bit. A NaN equals any other NaN, but -0 differs
 * from 0. Sets *first to the first element that differs.
 */
uint64_t cm_reference_compare(enum cm_type type, uint64_t count, const void *expected,
                              const void *found, uint64_t *first);

#endif
