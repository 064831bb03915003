/*
 * Allocations of arrays whose axes are powers of two, dimension by dimension (Johnsson and Ho 1990,
 * section 1): each bit of an element's number is a logic dimension; it goes to a cube dimension or
 * to a bit of the local element number, coded in binary or in Gray code. Dimension 0 is the least
 * significant, of the first (fastest) axis.
 */
#ifndef CM_PROGRAMS_SYSTEM_ALLOCATION_H
#define CM_PROGRAMS_SYSTEM_ALLOCATION_H

#include "geometry.h"

CM_BEGIN_DECLS

/* Bits of an element number, at most. */
#define CM_LOGIC_DIMENSIONS_MAX 62u

/* How the bits of an axis are coded. */
enum cm_encoding {
    CM_ENCODING_GRAY,   /* the entire axis in binary-reflected Gray code: the paper's case */
    CM_ENCODING_BINARY, /* in binary */
    /* Gray where a dimension and the next of its axis are processor dimensions */
    CM_ENCODING_MIXED,
    CM_ENCODING_COUNT
};

/*
 * Physical bit m is logic bit m, xor logic bit m + 1 where `coupled` has bit m. The processor
 * dimensions go, in ascending order, to cube dimensions 0, 1, ...; the others to the bits of the
 * local element number. Logic bit m is bit m of an element's number, unless the bits are permuted
 * first: on meshes for FFTs, and where a reshape's dimensions go.
 */
struct cm_allocation {
    uint32_t dimensions; /* log2 of the elements; 0 with node_bits 0: no allocation of its own */
    uint32_t node_bits;  /* log2 of the nodes: processor dimensions */
    uint64_t processor;  /* bit m: logic dimension m is a processor dimension */
    uint64_t coupled;    /* bit m: see above */
    bool permuted;       /* `place` says where bits go */
    uint8_t place[CM_LOGIC_DIMENSIONS_MAX]; /* permuted: the dimension of bit m of the number */
};

/* Which logic dimensions are processor dimensions. */
enum cm_processor_rule {
    CM_PROCESSOR_HIGH,      /* the most significant ones: the paper's examples */
    CM_PROCESSOR_CANONICAL, /* those of the canonical layout of the shape */
    CM_PROCESSOR_LIST       /* as given */
};

/*
 * The allocation of a shape (first axis fastest) on `nodes` nodes; `list` is used by
 * CM_PROCESSOR_LIST. CM_BAD_INPUT when an axis is not a power of two, there are no nodes or more
 * than elements, or the list names a dimension that does not exist, or not one for each node bit.
 */
CM_API enum cm_status cm_allocation_create(const uint64_t *shape, uint32_t rank, uint32_t nodes,
                                           enum cm_encoding encoding, enum cm_processor_rule rule,
                                           uint64_t list, struct cm_allocation *allocation,
                                           struct cm_error *err);

/* Processor dimensions of a canonical layout whose lengths are powers of two: the upper bits of
 * each axis. */
CM_API uint64_t cm_layout_processor_dimensions(const struct cm_layout *layout);

/* Node and local element number of element `index`. */
CM_API void cm_allocation_place(const struct cm_allocation *allocation, uint64_t index,
                                uint32_t *node, uint64_t *local_element);

/* Whether every element lies in the same place in both. */
CM_API bool cm_allocation_equal(const struct cm_allocation *a, const struct cm_allocation *b);

/* Cube dimension of a processor dimension, or local bit of another one. */
CM_API uint32_t cm_allocation_rank(const struct cm_allocation *allocation, uint32_t dimension);

CM_END_DECLS

#endif
