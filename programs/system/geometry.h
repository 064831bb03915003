/*
 * The geometry manager: how the elements of an array are placed on the nodes (PSHIFT paper, 2.1).
 * In the canonical layout the nodes form a grid of the array's rank. Consecutive elements along an
 * axis share a node. An axis is NEWS (blocks numbered in binary-reflected Gray code), SEND (in
 * binary) or SERIAL (all in one node). Indices count from 0 here, and axis 0 is the first axis,
 * which varies fastest.
 */
#ifndef CM_PROGRAMS_SYSTEM_GEOMETRY_H
#define CM_PROGRAMS_SYSTEM_GEOMETRY_H

#include "../../base/error.h"

#include <stdbool.h>

CM_BEGIN_DECLS

/* most axes of an array */
#define CM_RANK_MAX 7u

/* Types of array elements. */
enum cm_type {
    CM_TYPE_REAL32,
    CM_TYPE_REAL64,
    CM_TYPE_COMPLEX64,
    CM_TYPE_COMPLEX128,
    CM_TYPE_INT32,
    CM_TYPE_LOGICAL, /* logical: one word of node memory, 0 or 1, and one byte on the host */
    CM_TYPE_COUNT
};

/* Numbering of the blocks of an axis over its nodes: Gray code, binary, or all in one node. */
enum cm_order { CM_ORDER_NEWS, CM_ORDER_SEND, CM_ORDER_SERIAL, CM_ORDER_COUNT };

/* Returns the name of a type in workloads, such as "real64". */
CM_API const char *cm_type_name(enum cm_type type);
/* Returns the number of 32-bit words of an element: 1, 2 or 4. */
CM_API uint32_t cm_type_slices(enum cm_type type);
/* Returns the number of bytes of an element on the host. */
CM_API uint32_t cm_type_host_bytes(enum cm_type type);
CM_API uint32_t cm_type_components(enum cm_type type); /* Returns 2 for complex types, else 1. */
/* Returns the name of an axis order in workloads, such as "news". */
CM_API const char *cm_order_name(enum cm_order order);

/* An axis of an array, distributed over nodes. */
struct cm_axis {
    uint64_t length;     /* number of elements of the whole axis */
    enum cm_order order; /* numbering of the axis's blocks over the nodes */
    /* weight in dealing nodes to axes: a heavier axis gets a longer local segment */
    uint32_t weight;
    /* the axis spans 2^node_bits nodes, with block coordinates 0 to 2^node_bits - 1 */
    uint32_t node_bits;
    uint32_t first_dimension; /* first of the node_bits consecutive cube dimensions of the axis */
    uint64_t local_length;    /* L: number of elements of the axis in one node, padding included */
    /* distance from one element to its neighbour along the axis, in local elements */
    uint64_t stride;
    bool padded; /* True if the axis has padding: length < local_length << node_bits. */
};

/* The layout of an array, made by cm_layout_create. */
struct cm_layout {
    enum cm_type type;                /* type of the elements */
    uint32_t rank;                    /* number of axes in use */
    struct cm_axis axes[CM_RANK_MAX]; /* axes of the array. The first axis varies fastest */
    uint32_t nodes;                   /* number of nodes of the machine */
    uint32_t node_bits;               /* log2 of `nodes` */
    /* sum of the node_bits of the axes. Nodes that differ only in higher bits hold copies. 0 if all
     * axes are SERIAL */
    uint32_t used_bits;
    uint32_t slices;   /* number of words of an element */
    uint64_t elements; /* number of elements of the whole array */
    /* V: number of elements in one node, the product of the local lengths */
    uint64_t local_elements;
    uint64_t local_words; /* number of words in one node: V * slices */
};

/* Parameters of a layout. Orders and weights of 0 mean NEWS axes of weight 1. */
struct cm_layout_request {
    enum cm_type type;                 /* type of the elements */
    uint32_t rank;                     /* number of axes: 1 to CM_RANK_MAX */
    uint64_t shape[CM_RANK_MAX];       /* lengths of the axes, the fastest axis first */
    enum cm_order orders[CM_RANK_MAX]; /* numbering of the blocks of each axis */
    uint32_t weights[CM_RANK_MAX];     /* weights of the axes. 0 means 1 */
};

/*
 * Makes the canonical layout on `nodes` nodes, a power of two, by the procedure in geometry.c.
 * Fails with CM_BAD_INPUT for rank 0 or above 7, an empty axis, a number of nodes that is not a
 * power of two, or an array of more than 2^63 bytes on the host.
 */
CM_API enum cm_status cm_layout_create(const struct cm_layout_request *request, uint32_t nodes,
                                       struct cm_layout *layout, struct cm_error *err);

/* True if two layouts have the same shape, type and placement. One PSHIFT setup serves all arrays
 * of equal layouts (PSHIFT paper, 3). */
CM_API bool cm_layout_equal(const struct cm_layout *a, const struct cm_layout *b);

/* Returns true if an axis is padded to a multiple of what the nodes along it hold. */
static inline bool cm_layout_is_padded(const struct cm_layout *layout)
{
    for (uint32_t a = 0; a < layout->rank; a++)
        if (layout->axes[a].padded)
            return true;
    return false;
}

/* Return the binary-reflected Gray code of a number (encode), and the number that has a Gray code
 * (decode). */
static inline uint32_t cm_gray_encode(uint32_t number)
{
    return number ^ number >> 1;
}
static inline uint32_t cm_gray_decode(uint32_t code)
{
    for (uint32_t shift = 1; shift < 32; shift *= 2)
        code ^= code >> shift;
    return code;
}

/* Return the cube address bits of a block coordinate (encode), and the block coordinate of address
 * bits (decode). The bits are 0 to 2^node_bits - 1, not yet shifted by first_dimension. */
CM_API uint32_t cm_axis_encode(const struct cm_axis *axis, uint32_t coordinate);
CM_API uint32_t cm_axis_decode(const struct cm_axis *axis, uint32_t bits);

/* Returns the block coordinate of a node along axis `a`. */
CM_API uint32_t cm_layout_coordinate(const struct cm_layout *layout, uint32_t node, uint32_t a);

/* Finds the node of an element and its local element number there. `index` has one coordinate for
 * each axis, from 0. The local element number times slices is the element's word offset in the
 * node. */
CM_API void cm_layout_place(const struct cm_layout *layout, const uint64_t *index, uint32_t *node,
                            uint64_t *local_element);

CM_END_DECLS

#endif
