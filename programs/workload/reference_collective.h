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
    uint32_t axis; /* from 0. CM_COLLECTIVE_WHOLE: all axes */
    const struct cm_reference_array *src;
    const unsigned char *mask;     /* one byte for each element. NULL: all take part */
    uint64_t segment[CM_RANK_MAX]; /* length of a block of each axis */
    uint64_t blocks[CM_RANK_MAX];  /* number of blocks of each axis, a power of two */
};

/*
 * Computes the results, elements of the result's type: one for each column along the axis in
 * Fortran order, or a single one. Sets *extreme (16 bytes, may be NULL) to the value at the
 * location if there is a single one. Free *results with free(). Fails with CM_NO_MEMORY only.
 */
enum cm_status cm_reference_reduce(const struct cm_reference_reduction *reduction, void **results,
                                   void *extreme, struct cm_error *err);

struct cm_reference_scan {
    struct cm_reference_reduction reduction; /* must have an axis */
    bool exclusive, downward;
    /* One byte for each element, nonzero where a segment begins. NULL: one segment. */
    const unsigned char *segments;
};
/* Computes the scan of src, elements of the result's type. Free *results with free(). Fails with
 * CM_NO_MEMORY only. */
enum cm_status cm_reference_scan(const struct cm_reference_scan *scan, void **results,
                                 struct cm_error *err);

#endif
