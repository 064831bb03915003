/*
 * The geometry manager: how an array lies on the nodes (P 2.1). Canonical layout: the nodes form a
 * grid of the array's rank; consecutive elements along an axis share a node; axes are NEWS
 * (binary-reflected Gray code), SEND (binary) or SERIAL (all in one node). Indices here count from
 * 0, axis 0 is the first (fastest) index.
 */
#ifndef CM_PROGRAMS_SYSTEM_GEOMETRY_H
#define CM_PROGRAMS_SYSTEM_GEOMETRY_H

#include "../../base/error.h"

#include <stdbool.h>

CM_BEGIN_DECLS

/* Axes of an array, at most. */
#define CM_RANK_MAX 7u

/* Types of elements. */
enum cm_type {
    CM_TYPE_REAL32,
    CM_TYPE_REAL64,
    CM_TYPE_COMPLEX64,
    CM_TYPE_COMPLEX128,
    CM_TYPE_INT32,
    CM_TYPE_LOGICAL, /* one word in node memory, 0 or 1; one byte on the host */
    CM_TYPE_COUNT
};

/* How blocks of an axis are numbered over its nodes: Gray code, binary, all in one node. */
enum cm_order { CM_ORDER_NEWS, CM_ORDER_SEND, CM_ORDER_SERIAL, CM_ORDER_COUNT };

CM_API const char *cm_type_name(enum cm_type type);    /* "real64", ... as in workloads */
CM_API uint32_t cm_type_slices(enum cm_type type);     /* 32-bit words of an element: 1, 2 or 4 */
CM_API uint32_t cm_type_host_bytes(enum cm_type type); /* bytes of an element on the host */
CM_API uint32_t cm_type_components(enum cm_type type); /* 2 of a complex type, else 1 */
CM_API const char *cm_order_name(enum cm_order order); /* "news", ... */

/* An axis as it lies on the nodes. */
struct cm_axis {
    uint64_t length;     /* elements of the whole axis */
    enum cm_order order; /* of its blocks over the nodes */
    uint32_t weight;     /* a heavier axis gets a longer local segment */
    /* the axis spans 2^node_bits nodes: block coordinates 0 .. 2^node_bits - 1 */
    uint32_t node_bits;
    uint32_t first_dimension; /* its cube dimensions are first_dimension .. + node_bits - 1 */
    uint64_t local_length;    /* L: elements of the axis in one node, padding included */
    uint64_t stride;          /* local elements from one to its neighbour along the axis */
    bool padded;              /* length < local_length << node_bits */
};

/* An array as it lies on the nodes; made by cm_layout_create. */
struct cm_layout {
    enum cm_type type;                /* of the elements */
    uint32_t rank;                    /* axes in use */
    struct cm_axis axes[CM_RANK_MAX]; /* the first varies fastest */
    uint32_t nodes;                   /* that it lies on */
    uint32_t node_bits;               /* log2(nodes) */
    /* sum of the axes' node_bits; nodes that differ above hold copies (all axes SERIAL) */
    uint32_t used_bits;
    uint32_t slices;         /* words of an element */
    uint64_t elements;       /* of the whole array */
    uint64_t local_elements; /* V: product of the local lengths */
    uint64_t local_words;    /* V * slices */
};

/* What a layout is made from. Members that are 0: NEWS axes of weight 1. */
struct cm_layout_request {
    enum cm_type type;                 /* of the elements */
    uint32_t rank;                     /* 1..CM_RANK_MAX */
    uint64_t shape[CM_RANK_MAX];       /* lengths, the axis that varies fastest first */
    enum cm_order orders[CM_RANK_MAX]; /* how blocks of each axis are numbered */
    uint32_t weights[CM_RANK_MAX];     /* 0: the default, 1 */
};

/*
 * The canonical layout on `nodes` nodes (a power of two), by the procedure of geometry.c.
 * CM_BAD_INPUT for rank 0 or above 7, an empty axis, nodes not a power of two, more than 2^63 bytes
 * on the host.
 */
CM_API enum cm_status cm_layout_create(const struct cm_layout_request *request, uint32_t nodes,
                                       struct cm_layout *layout, struct cm_error *err);

/* Same shape, type and placement: arrays that one setup serves (P 3). */
CM_API bool cm_layout_equal(const struct cm_layout *a, const struct cm_layout *b);

/* Binary-reflected Gray code of a number, and back. */
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

/* Cube address bits (0 .. 2^node_bits - 1, not yet shifted by first_dimension) of block coordinate
 * c, and back. */
CM_API uint32_t cm_axis_encode(const struct cm_axis *axis, uint32_t coordinate);
CM_API uint32_t cm_axis_decode(const struct cm_axis *axis, uint32_t bits);

/* Block coordinate of `node` along axis `a`. */
CM_API uint32_t cm_layout_coordinate(const struct cm_layout *layout, uint32_t node, uint32_t a);

/* Where element `index` (rank coordinates from 0) lies: node and local element number (times
 * slices: word offset). */
CM_API void cm_layout_place(const struct cm_layout *layout, const uint64_t *index, uint32_t *node,
                            uint64_t *local_element);

CM_END_DECLS

#endif
