/*
 * Elements of arrays by formula. The first value of an element depends on its number alone
 * ("init"), and a shift takes each element from one place or from the boundary. So any element of
 * an array that was only shifted can be computed alone, and a large run is checked without copies
 * of its arrays. Like the direct evaluation (reference.h), this code must not use nodes, layouts or
 * IMPs.
 */
#ifndef CM_PROGRAMS_WORKLOAD_FORMULA_H
#define CM_PROGRAMS_WORKLOAD_FORMULA_H

#include "../../base/npy_parts.h"
#include "init.h"

#define CM_FORMULA_SHIFTS 8u

/* A shift: dst(i) = src(i + distance) along `axis`, from 0. */
struct cm_formula_shift {
    uint32_t axis;
    int64_t distance;
    bool circular;
    unsigned char boundary[16]; /* value for places outside the array */
};

struct cm_formula {
    const struct cm_init *init;
    const struct cm_npy_map *map; /* mapped file with the first values. NULL: `init` has them */
    enum cm_type type;
    uint32_t rank;
    uint64_t shape[CM_RANK_MAX];
    uint32_t count;
    struct cm_formula_shift shifts[CM_FORMULA_SHIFTS]; /* in the order of execution */
};

/* Computes element `e`, at most 16 bytes, in the host's format. */
void cm_formula_element(const struct cm_formula *formula, uint64_t e, void *element);

#endif
