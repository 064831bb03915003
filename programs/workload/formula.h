/*
 * Elements of arrays by formula. The first value of an element depends on the element's number
 * alone (key "init" of a workload). A shift takes each element from one place or from the boundary.
 * So any element of an array that was only shifted can be computed alone, and a large run is
 * checked without copies of its arrays. Like the direct evaluation (reference.h), this code must
 * not use nodes, layouts or IMPs.
 */
#ifndef CM_PROGRAMS_WORKLOAD_FORMULA_H
#define CM_PROGRAMS_WORKLOAD_FORMULA_H

#include "../../base/npy_parts.h"
#include "init.h"

#define CM_FORMULA_SHIFTS 8u

/* A shift: dst(i) = src(i + distance) along axis number `axis`, counted from 0. */
struct cm_formula_shift {
    uint32_t axis;
    int64_t distance;
    bool circular;
    unsigned char boundary[16]; /* value of an element that comes from outside the array */
};

struct cm_formula {
    const struct cm_init *init;
    /* mapped file with the first values. NULL: `init` gives the first values */
    const struct cm_npy_map *map;
    enum cm_type type;
    uint32_t rank;
    uint64_t shape[CM_RANK_MAX];
    uint32_t count;
    struct cm_formula_shift shifts[CM_FORMULA_SHIFTS]; /* shifts in the order of execution */
};

/* Computes element `e` of an array, at most 16 bytes, in the host's format. */
void cm_formula_element(const struct cm_formula *formula, uint64_t e, void *element);

#endif
