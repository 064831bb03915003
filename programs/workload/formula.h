/*
 * Elements by formula: an array begins with values that its "init" says, number by number, and a
 * shift takes each element from one place or from its boundary. So each element of an array that
 * was only shifted can be worked out by itself, and a large run is checked without a copy of its
 * arrays on the host. As the direct evaluation (reference.h), it knows nothing of nodes, layouts or
 * IMPs.
 */
#ifndef CM_PROGRAMS_WORKLOAD_FORMULA_H
#define CM_PROGRAMS_WORKLOAD_FORMULA_H

#include "../../base/npy_parts.h"
#include "init.h"

#define CM_FORMULA_SHIFTS 8u

/* dst(i) = src(i + distance) along `axis` (from 0). */
struct cm_formula_shift {
    uint32_t axis;
    int64_t distance;
    bool circular;
    unsigned char boundary[16]; /* what comes in otherwise */
};

struct cm_formula {
    const struct cm_init *init;
    const struct cm_npy_map *map; /* of a file that has the values; NULL: init has them */
    enum cm_type type;
    uint32_t rank;
    uint64_t shape[CM_RANK_MAX];
    uint32_t count;
    struct cm_formula_shift shifts[CM_FORMULA_SHIFTS]; /* in the order in which they were done */
};

/* Element e (at most 16 bytes), as the host holds it. */
void cm_formula_element(const struct cm_formula *formula, uint64_t e, void *element);

#endif
