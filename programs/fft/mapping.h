/*
 * Mappings of m-dimensional arrays on k-dimensional meshes of nodes (Mou and Wang: "the paper"; F).
 * The bits of an index are concatenated, axis 0 lowest, to I, permuted to J, and J is cut into mesh
 * coordinates, axis 0 lowest, and a local part where a node holds several points. Step (p, q) of an
 * FFT pairs the indices that differ in bit q of coordinate p; it becomes sd(i, 2^j) where that bit
 * lies on bit j of mesh axis i. Axis 0 is the first, fastest axis of an array.
 */
#ifndef CM_PROGRAMS_FFT_MAPPING_H
#define CM_PROGRAMS_FFT_MAPPING_H

#include "../system/allocation.h"

CM_BEGIN_DECLS

/* Axes of an array or a mesh, at most. */
#define CM_FFT_AXES_MAX 62u

/* How the bits are permuted. */
enum cm_fft_permutation {
    CM_FFT_IDENTICAL, /* section 4 */
    CM_FFT_SHUFFLE,   /* section 5: see cm_fft_mapping_create */
    CM_FFT_LIST,      /* index bit x lies on bit list[x] of J: theorem 14's direction */
    CM_FFT_RANDOM,    /* of a seed: see cm_fft_mapping_create */
    CM_FFT_CANONICAL, /* of a canonical layout; cm_fft_mapping_canonical alone */
    CM_FFT_PERMUTATION_COUNT
};

/* Which bits of J number the points within a node. */
enum cm_fft_local { CM_FFT_LOCAL_LOW, CM_FFT_LOCAL_HIGH, CM_FFT_LOCAL_COUNT };

/* How the coordinates of a mesh axis are coded in cube addresses. */
enum cm_fft_code { CM_FFT_GRAY, CM_FFT_BINARY, CM_FFT_CODE_COUNT };

CM_API const char *cm_fft_local_name(enum cm_fft_local local); /* "low", "high" */
CM_API const char *cm_fft_code_name(enum cm_fft_code code);    /* "gray", "binary" */

/* What a mapping is made from. Lengths are powers of two. */
struct cm_fft_request {
    uint32_t rank;                        /* m */
    uint64_t shape[CM_FFT_AXES_MAX];      /* lengths of the array's axes */
    uint32_t mesh_rank;                   /* k */
    uint64_t mesh_shape[CM_FFT_AXES_MAX]; /* lengths of the mesh's axes */
    enum cm_fft_permutation permutation;  /* of the index bits onto the nodes' and local bits */
    uint32_t list_count;                  /* numbers in `list` */
    uint32_t list[CM_FFT_AXES_MAX];       /* of a permutation that is given bit by bit */
    uint64_t seed;                        /* of a random permutation */
    enum cm_fft_local local;              /* which bits of an index are within a node */
    enum cm_fft_code code;                /* of all mesh axes */
};

/* Where each bit of an index goes. */
struct cm_fft_mapping {
    uint32_t rank;                        /* m: axes of the array */
    uint32_t array_bits[CM_FFT_AXES_MAX]; /* log2 of the lengths */
    uint32_t mesh_rank;                   /* k: axes of the mesh */
    uint32_t mesh_bits[CM_FFT_AXES_MAX];  /* log2 of their lengths */
    /* of the mesh axes; axis 0 has the lowest cube dimensions */
    enum cm_fft_code codes[CM_FFT_AXES_MAX];
    uint32_t bits;       /* log2 N */
    uint32_t local_bits; /* log2 of the points per node: of the mapping ratio */
    uint32_t idle_bits;  /* log2 of the nodes per point; 0 when every node has a point */
    enum cm_fft_permutation permutation; /* as asked for */
    enum cm_fft_local local;             /* as asked for */
    /* bit of J on which index bit x lies; behind them the bits of J that no index has */
    uint8_t place[CM_FFT_AXES_MAX];
    struct cm_allocation allocation; /* the same as an allocation of an array */
};

/*
 * Reads "identical", "shuffle", "bits:0,2,4,..." or "random:SEED" into request->permutation, list
 * and seed. CM_BAD_INPUT when it is something else.
 */
CM_API enum cm_status cm_fft_permutation_read(const char *text, struct cm_fft_request *request,
                                              struct cm_error *err);
/* The text back; lists and random permutations in full, as bits:LIST. */
struct cm_buffer;
CM_API void cm_fft_permutation_write(const struct cm_fft_mapping *mapping, struct cm_buffer *text);

/*
 * The mapping of a shape on a mesh. CM_BAD_INPUT when either has no axes, a length is not a power
 * of two, there are more than 2^62 points or 2^31 nodes, or the list is not a permutation.
 *
 * If the array has fewer points than the mesh has nodes, J has as many bits as the nodes, and those
 * that no index bit lies on are 0: nodes where one is 1 have no point. The identical mapping takes
 * the lowest bits of J, the shuffle deals on while there are cards, a list names any bits, each
 * once, and the random permutation is one of all bits of J, of which the indices take the first.
 *
 * The m-k shuffle deals the index bits that are not local (the local ones stay where the identical
 * mapping has them) as section 5 does: axis 0, 1, ... take turns, and in a turn give their next
 * bits, lowest first, one each to mesh axes 0, 1, ..., k - 1. Mesh axes that have all their bits
 * are passed over, and axes without bits lose their turns, so that any shape has a shuffle. For
 * equal axes, log A a multiple of k and one point per node it is theorem 10's.
 *
 * The random permutation is Fisher and Yates's on 0, 1, ..., n - 1: for t = 0, 1, ..., n - 2 entry
 * n - 1 - t changes places with entry (output t of splitmix64, base/random.h) mod (n - t).
 */
CM_API enum cm_status cm_fft_mapping_create(const struct cm_fft_request *request,
                                            struct cm_fft_mapping *mapping, struct cm_error *err);

/*
 * A canonical layout as a mapping: the mesh is the grid of the nodes, with an axis for each of the
 * array's (NEWS in Gray code, SEND in binary, SERIAL of length 1); the lower bits of each axis are
 * local. The local bits are the low ones of J. CM_BAD_INPUT when an axis is not a power of two.
 */
CM_API enum cm_status cm_fft_mapping_canonical(const struct cm_layout *layout,
                                               struct cm_fft_mapping *mapping,
                                               struct cm_error *err);

/* Adds all that identifies a mapping to a key of the cache; internal to the library. */
void cm_fft_mapping_key(const struct cm_fft_mapping *mapping, struct cm_buffer *key);

/* Node and local element number of element `index` (axis 0 fastest). */
CM_API void cm_fft_mapping_place(const struct cm_fft_mapping *mapping, uint64_t index,
                                 uint32_t *node, uint64_t *local_element);

/* Mesh coordinates of a node, uncoded, as bits of its cube address. */
CM_API uint32_t cm_fft_coordinate_bits(const struct cm_fft_mapping *mapping, uint32_t node);

/* Mesh coordinates of the node that holds element `index`. */
CM_API void cm_fft_mapping_coordinates(const struct cm_fft_mapping *mapping, uint64_t index,
                                       uint32_t coordinates[CM_FFT_AXES_MAX]);

/* log2 of the nodes. */
CM_API uint32_t cm_fft_node_bits(const struct cm_fft_mapping *mapping);

/* The largest distance of two nodes that have points: the diameter where all have. */
CM_API uint64_t cm_fft_spread(const struct cm_fft_mapping *mapping);

/* Sum of (S_i - 1): the largest distance of two nodes. */
CM_API uint64_t cm_fft_mesh_diameter(const struct cm_fft_mapping *mapping);

/* Step (p, q): what has to cross. */
struct cm_fft_step {
    uint32_t axis;      /* p */
    uint32_t bit;       /* q */
    bool local;         /* both points lie in one node */
    uint32_t local_bit; /* when local: bit of the local element number in which they differ */
    uint32_t mesh_axis; /* when not: i */
    uint32_t mesh_bit;  /* j */
    uint32_t dimension; /* of the cube: bit j's, before coding */
    uint64_t distance;  /* 2^j, 0 when local */
    /* cube dimensions in which the two nodes differ: one, or j and j - 1 of a Gray axis */
    uint32_t node_mask;
    uint32_t hops; /* how many these are; 0 when local */
};

/* The translating function g(p, q); p and q must exist. */
CM_API void cm_fft_mapping_step(const struct cm_fft_mapping *mapping, uint32_t axis, uint32_t bit,
                                struct cm_fft_step *step);

CM_END_DECLS

#endif
