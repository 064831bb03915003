/*
 * Direct evaluation of reductions and scans on arrays of the host. The order of the operations
 * depends on how the nodes cut the axes into blocks, and on nothing else of the machine.
 */
#ifndef CM_PROGRAMS_WORKLOAD_REFERENCE_COLLECTIVE_H
#define CM_PROGRAMS_WORKLOAD_REFERENCE_COLLECTIVE_H

#include "../collective/collective.h"
#include "reference.h"

struct cm_reference_reduction {
    enum cm_collective_op op;
    uint32_t axis; /* axis of the reduction, from 0. CM_COLLECTIVE_WHOLE: all axes */
    const struct cm_reference_array *src;
    /* one byte for each element, not 0 if it takes part. NULL: all elements take part */
    const unsigned char *mask;
    uint64_t segment[CM_RANK_MAX]; /* number of elements of a block along each axis */
    uint64_t blocks[CM_RANK_MAX];  /* number of blocks along each axis, a power of two */
};

/*
 * Computes the results of a reduction: one element for each column along the axis in Fortran order,
 * or a single element. The elements have the result's type. If the operation finds the location of
 * a single element, sets *extreme (16 bytes, may be NULL) to the value there. The caller frees
 * *results with free(). Fails with CM_NO_MEMORY only.
 */
enum cm_status cm_reference_reduce(const struct cm_reference_reduction *reduction, void **results,
                                   void *extreme, struct cm_error *err);

struct cm_reference_scan {
    /* operation, array, mask and blocks. The axis must not be CM_COLLECTIVE_WHOLE */
    struct cm_reference_reduction reduction;
    bool exclusive, downward;
    /* One byte for each element, not 0 where a segment begins. NULL: the whole column is one
     * segment. */
    const unsigned char *segments;
};
/* Computes the scan of an array. The results have the result's type. The caller frees *results with
 * free(). Fails with CM_NO_MEMORY only. */
enum cm_status cm_reference_scan(const struct cm_reference_scan *scan, void **results,
                                 struct cm_error *err);

#endif
