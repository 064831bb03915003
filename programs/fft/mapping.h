/*
 * This header defines mappings of m-dimensional arrays on k-dimensional meshes of nodes (Mou and
 * Wang: "the paper"). The bits of all coordinates of a point are concatenated to an index I, axis 0
 * lowest, and permuted to J. J is cut into mesh coordinates, axis 0 lowest, and a local part if a
 * node holds several points.
 *
 * Step (p, q) of an FFT pairs the indices that differ in bit q of coordinate p. If that bit is at
 * bit j of mesh axis i, the step crosses a mesh distance of 2^j along axis i: sd(i, 2^j). Axis 0 is
 * the first, fastest axis of an array.
 */
#ifndef CM_PROGRAMS_FFT_MAPPING_H
#define CM_PROGRAMS_FFT_MAPPING_H

#include "../system/allocation.h"

CM_BEGIN_DECLS

/* Largest number of axes of an array or a mesh. */
#define CM_FFT_AXES_MAX 62u

/* Permutations of the index bits I to J. */
enum cm_fft_permutation {
    CM_FFT_IDENTICAL, /* I and J are equal (section 4 of the paper) */
    CM_FFT_SHUFFLE,   /* m-k shuffle (section 5 of the paper), see cm_fft_mapping_create */
    CM_FFT_LIST,      /* index bit x is at bit list[x] of J, as in theorem 14 of the paper */
    CM_FFT_RANDOM,    /* random permutation from a seed, see cm_fft_mapping_create */
    CM_FFT_CANONICAL, /* permutation of a canonical layout, made by cm_fft_mapping_canonical only */
    CM_FFT_PERMUTATION_COUNT
};

/* Choice of the bits of J that number the points within a node: the lowest or the highest. */
enum cm_fft_local { CM_FFT_LOCAL_LOW, CM_FFT_LOCAL_HIGH, CM_FFT_LOCAL_COUNT };

/* Code of mesh coordinates in cube addresses. */
enum cm_fft_code { CM_FFT_GRAY, CM_FFT_BINARY, CM_FFT_CODE_COUNT };

CM_API const char *cm_fft_local_name(enum cm_fft_local local); /* returns "low" or "high" */
CM_API const char *cm_fft_code_name(enum cm_fft_code code);    /* returns "gray" or "binary" */

/* Arguments for making a mapping. All lengths are powers of two. */
struct cm_fft_request {
    uint32_t rank;                        /* number m of the array's axes */
    uint64_t shape[CM_FFT_AXES_MAX];      /* lengths of the array's axes */
    uint32_t mesh_rank;                   /* number k of the mesh's axes */
    uint64_t mesh_shape[CM_FFT_AXES_MAX]; /* lengths of the mesh's axes */
    enum cm_fft_permutation permutation;  /* permutation of the index bits */
    uint32_t list_count;                  /* number of entries in `list` */
    uint32_t list[CM_FFT_AXES_MAX];       /* places of the index bits, for CM_FFT_LIST */
    uint64_t seed;                        /* seed of the permutation, for CM_FFT_RANDOM */
    enum cm_fft_local local;              /* bits of J that stay within a node */
    enum cm_fft_code code;                /* code of all mesh axes */
};

/* Mapping: the place of each index bit on the mesh. */
struct cm_fft_mapping {
    uint32_t rank;                        /* number m of the array's axes */
    uint32_t array_bits[CM_FFT_AXES_MAX]; /* log2 of the length of each array axis */
    uint32_t mesh_rank;                   /* number k of the mesh's axes */
    uint32_t mesh_bits[CM_FFT_AXES_MAX];  /* log2 of the length of each mesh axis */
    /* Code of each mesh axis, Gray or binary. Axis 0 has the lowest cube dimensions. */
    enum cm_fft_code codes[CM_FFT_AXES_MAX];
    uint32_t bits;       /* log2 of the number of points */
    uint32_t local_bits; /* log2 of the number of points in each node (the mapping ratio) */
    /* log2 of the number of nodes for each point, or 0 if every node has a point */
    uint32_t idle_bits;
    enum cm_fft_permutation permutation; /* permutation of the index bits, as requested */
    enum cm_fft_local local;             /* bits of J that stay within a node, as requested */
    /* Bit of J for each index bit, followed by the bits of J without an index bit. */
    uint8_t place[CM_FFT_AXES_MAX];
    struct cm_allocation allocation; /* the mapping as an allocation of an array */
};

/*
 * Reads the text of a permutation, "identical", "shuffle", "bits:0,2,4,..." or "random:SEED", into
 * the request's permutation, list and seed. Fails with CM_BAD_INPUT for other texts.
 */
CM_API enum cm_status cm_fft_permutation_read(const char *text, struct cm_fft_request *request,
                                              struct cm_error *err);
/* Appends the text of a permutation. Lists and random permutations are written in full, as "bits:"
 * and a list of bits. */
struct cm_buffer;
CM_API void cm_fft_permutation_write(const struct cm_fft_mapping *mapping, struct cm_buffer *text);

/*
 * Makes the mapping of a shape on a mesh. Fails with CM_BAD_INPUT if the array or the mesh has no
 * axes, a length is not a power of two, there are more than 2^62 points or 2^31 nodes, or the list
 * is not a permutation.
 *
 * If the array has fewer points than the mesh has nodes, J has as many bits as the node address.
 * Bits of J without an index bit are 0, so nodes with a 1 there have no point. The identical
 * mapping takes the lowest bits of J. The shuffle deals index bits until none is left. A list names
 * any bits of J, each once. The random permutation permutes all bits of J, and the index bits take
 * its first entries.
 *
 * The m-k shuffle deals the index bits that are not local, as section 5 of the paper does. Local
 * bits stay where the identical mapping has them. Axes 0, 1, ... of the array alternate. In its
 * turn an axis gives its next bits, lowest first, one to each of the mesh axes 0, 1, ..., k - 1.
 * Full mesh axes are skipped, and array axes without bits lose their turn, so any shape has a
 * shuffle. If all array axes have the same length A, log A is a multiple of k and each node has one
 * point, this is theorem 10's shuffle.
 *
 * The random permutation is the Fisher-Yates shuffle of 0, 1, ..., n - 1. For t = 0, 1, ..., n - 2,
 * entry n - 1 - t is swapped with entry (output t of splitmix64, base/random.h) mod (n - t).
 */
CM_API enum cm_status cm_fft_mapping_create(const struct cm_fft_request *request,
                                            struct cm_fft_mapping *mapping, struct cm_error *err);

/*
 * Makes the mapping of an array that has a canonical layout. The mesh is the grid of the nodes with
 * one axis for each array axis: NEWS axes in Gray code, SEND axes in binary code, SERIAL axes of
 * length 1. The lower bits of each axis are local and are the low bits of J. Fails with
 * CM_BAD_INPUT if an axis is not a power of two.
 */
CM_API enum cm_status cm_fft_mapping_canonical(const struct cm_layout *layout,
                                               struct cm_fft_mapping *mapping,
                                               struct cm_error *err);

/* Appends everything that identifies a mapping to a cache key. This function is internal to the
 * library. */
void cm_fft_mapping_key(const struct cm_fft_mapping *mapping, struct cm_buffer *key);

/* Computes the node and the local element number of element `index`. Axis 0 is fastest in `index`.
 */
CM_API void cm_fft_mapping_place(const struct cm_fft_mapping *mapping, uint64_t index,
                                 uint32_t *node, uint64_t *local_element);

/* Returns the mesh coordinates of a node without their code, placed as the bits of its cube
 * address. */
CM_API uint32_t cm_fft_coordinate_bits(const struct cm_fft_mapping *mapping, uint32_t node);

/* Computes the mesh coordinates of the node that holds element `index`. */
CM_API void cm_fft_mapping_coordinates(const struct cm_fft_mapping *mapping, uint64_t index,
                                       uint32_t coordinates[CM_FFT_AXES_MAX]);

/* Returns log2 of the number of nodes. */
CM_API uint32_t cm_fft_node_bits(const struct cm_fft_mapping *mapping);

/* Returns the largest mesh distance of two nodes that have points. This is the diameter of the mesh
 * if all nodes have points. */
CM_API uint64_t cm_fft_spread(const struct cm_fft_mapping *mapping);

/* Returns the diameter of the mesh: the sum of (S_i - 1) over the mesh lengths S_i. */
CM_API uint64_t cm_fft_mesh_diameter(const struct cm_fft_mapping *mapping);

/* Step (p, q) of an FFT, and the distance that it crosses. */
struct cm_fft_step {
    uint32_t axis;      /* axis p of the array */
    uint32_t bit;       /* bit q of the coordinate */
    bool local;         /* true if both points of a pair are in one node */
    uint32_t local_bit; /* bit of the local element number in which the points differ, if `local` */
    uint32_t mesh_axis; /* axis i of the mesh, unless `local` */
    uint32_t mesh_bit;  /* bit j of the mesh coordinate */
    uint32_t dimension; /* cube dimension of bit j before coding */
    uint64_t distance;  /* mesh distance 2^j, or 0 if `local` */
    /* Mask of the cube dimensions in which the two nodes differ: one dimension, or those of bits j
     * and j - 1 of a mesh axis in Gray code. */
    uint32_t node_mask;
    uint32_t hops; /* number of dimensions in node_mask, or 0 if `local` */
};

/* Computes the paper's translating function g(p, q): the place of an FFT step on the mesh. Axis p
 * and bit q must exist. */
CM_API void cm_fft_mapping_step(const struct cm_fft_mapping *mapping, uint32_t axis, uint32_t bit,
                                struct cm_fft_step *step);

CM_END_DECLS

#endif
