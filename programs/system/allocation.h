/*
 * Allocations of arrays whose axes are powers of two, one dimension at a time (Johnsson and Ho
 * 1990, section 1). Each bit of an element's number is a logic dimension. A logic dimension becomes
 * a cube dimension or a bit of the local element number, in binary or in Gray code. Dimension 0 is
 * the least significant bit, of the first and fastest axis.
 */
#ifndef CM_PROGRAMS_SYSTEM_ALLOCATION_H
#define CM_PROGRAMS_SYSTEM_ALLOCATION_H

#include "geometry.h"

CM_BEGIN_DECLS

/* most bits of an element number */
#define CM_LOGIC_DIMENSIONS_MAX 62u

/* Coding of the bits of an axis coordinate as cube address bits. */
enum cm_encoding {
    CM_ENCODING_GRAY,   /* binary-reflected Gray code along the whole axis, as in the paper */
    CM_ENCODING_BINARY, /* plain binary numbers */
    /* Gray code between adjacent dimensions of an axis that are both processor dimensions */
    CM_ENCODING_MIXED,
    CM_ENCODING_COUNT
};

/*
 * Placement of the elements of an array. Physical bit m is logic bit m, xor logic bit m + 1 if
 * `coupled` has bit m. The processor dimensions become cube dimensions 0, 1, ... in ascending
 * order. The other dimensions become the bits of the local element number. Logic bit m is bit m of
 * an element's number, unless the bits are permuted first. They are permuted on meshes for FFTs,
 * and by reshapes that move dimensions.
 */
struct cm_allocation {
    /* log2 of the number of elements. If this member and `node_bits` are both 0, the array has no
     * allocation */
    uint32_t dimensions;
    /* log2 of the number of nodes, which is the number of processor dimensions */
    uint32_t node_bits;
    uint64_t processor; /* bit m is 1: logic dimension m is a processor dimension */
    uint64_t coupled;   /* bit m is 1: physical bit m is the xor of logic bits m and m + 1 */
    bool permuted;      /* True if `place` permutes the bits of element numbers. */
    uint8_t place[CM_LOGIC_DIMENSIONS_MAX]; /* logic dimension of bit m of the element number */
};

/* Rule that chooses which logic dimensions are processor dimensions. */
enum cm_processor_rule {
    CM_PROCESSOR_HIGH,      /* the most significant dimensions, as in the paper's examples */
    CM_PROCESSOR_CANONICAL, /* as in the canonical layout of the shape */
    CM_PROCESSOR_LIST       /* the dimensions in `list` of the request */
};

/* Arguments of an allocation by a rule. */
struct cm_allocation_request {
    const uint64_t *shape;       /* lengths of `rank` axes, the fastest axis first */
    uint32_t rank;               /* number of axes */
    uint32_t nodes;              /* number of nodes, a power of two */
    enum cm_encoding encoding;   /* code of the node numbers along the axes */
    enum cm_processor_rule rule; /* rule that chooses the processor dimensions */
    /* for CM_PROCESSOR_LIST: bit m is 1 if logic dimension m is a processor dimension */
    uint64_t list;
};

/*
 * Makes the allocation of a shape. Fails with CM_BAD_INPUT if an axis or the number of nodes is
 * not a power of two, if there are more nodes than elements, or if the list does not name an
 * existing dimension for each node bit.
 */
CM_API enum cm_status cm_allocation_create(const struct cm_allocation_request *request,
                                           struct cm_allocation *allocation, struct cm_error *err);

/* Returns the processor dimensions of a canonical layout whose lengths are powers of two, one bit
 * each: the upper bits of the coordinates of each axis. */
CM_API uint64_t cm_layout_processor_dimensions(const struct cm_layout *layout);

/* Sets *node and *local_element to the place of element number `index`. */
CM_API void cm_allocation_place(const struct cm_allocation *allocation, uint64_t index,
                                uint32_t *node, uint64_t *local_element);

/* True if both allocations put every element in the same place. */
CM_API bool cm_allocation_equal(const struct cm_allocation *a, const struct cm_allocation *b);

/* Returns the number of the cube dimension that a processor dimension becomes, or the bit of the
 * local element number that another logic dimension becomes. */
CM_API uint32_t cm_allocation_rank(const struct cm_allocation *allocation, uint32_t dimension);

CM_END_DECLS

#endif
