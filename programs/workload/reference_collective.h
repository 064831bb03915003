/*
 * The direct evaluation of reductions and scans, on the host's arrays: the order of the
 * operations depends on how the axes are cut into blocks, and on nothing else of the machine.
 */
#ifndef CM_PROGRAMS_WORKLOAD_REFERENCE_COLLECTIVE_H
#define CM_PROGRAMS_WORKLOAD_REFERENCE_COLLECTIVE_H

#include "../collective/collective.h"
#include "reference.h"

struct cm_reference_reduction {
    enum cm_collective_op op;
    uint32_t axis; /* CM_COLLECTIVE_WHOLE: all */
    const struct cm_reference_array *src;
    const unsigned char *mask;     /* a byte an element; NULL: all take part */
    uint64_t segment[CM_RANK_MAX]; /* places of a block of each axis */
    uint64_t blocks[CM_RANK_MAX];  /* of each axis: a power of two */
};

/*
 * The results, elements of the result's type: one for each column along the axis, in Fortran order,
 * or one alone. *extreme (16 bytes; may be NULL) is the value at the one location. Free *results
 * with free(). CM_NO_MEMORY is the only failure.
 */
enum cm_status cm_reference_reduce(const struct cm_reference_reduction *reduction, void **results,
                                   void *extreme, struct cm_error *err);

struct cm_reference_scan {
    struct cm_reference_reduction reduction; /* along an axis */
    bool exclusive, downward;
    const unsigned char *segments; /* a byte an element: where one begins; NULL: one segment */
};
/* The scan of src, elements of the result's type, likewise. */
enum cm_status cm_reference_scan(const struct cm_reference_scan *scan, void **results,
                                 struct cm_error *err);

#endif
