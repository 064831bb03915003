/*
 * This header declares products of matrices: C = A B. A is m x k, B is k x n and C is m x n, each
 * in its canonical layout. docs/programs/matmul.md has the method, the order of the operations and
 * the counts.
 *
 * The nodes of C compute the elements that they hold. Copies of blocks of A and B come to them by
 * exchanges, along the rows and columns of the grid of nodes. A and B must be on the grid of C. If
 * they are on another grid, the router first sends their elements to a copy.
 *
 * A program compiles a product for three layouts ahead (cm_matmul_setup), calls it with arrays as
 * often as it likes, and deallocates it, as with PSHIFT.
 *
 * Invariant: the order of the operations is fixed, so that a reference can agree bit for bit. An
 * element of C begins as +0, and adds the products in the order of k that struct cm_matmul_order
 * gives. Every product and every sum is rounded, which R( ) denotes:
 *
 *     real      c = R(c + R(a * b))
 *     complex   c_re = R(R(c_re + R(a_re * b_re)) - R(a_im * b_im)),
 *               c_im = R(R(c_im + R(a_re * b_im)) + R(a_im * b_re))
 *     int32     modulo 2^32
 *
 * Files: matmul.c (compilation and calls), matmul_plan.c (chunks, hops, tables), matmul_move.c
 * (exchanges), matmul_kernel.c (the multiplication in a node), matmul_align.c (copies through the
 * router).
 */
#ifndef CM_PROGRAMS_MATMUL_MATMUL_H
#define CM_PROGRAMS_MATMUL_MATMUL_H

#include "../system/system.h"

CM_BEGIN_DECLS

/* Algorithm of a matrix product: how the blocks of A and B reach the nodes that need them. */
enum cm_matmul_algorithm {
    /* Takes the algorithm with the fewest exchanges. If several need the same number, broadcast is
     * preferred to cannon, and cannon to alltoall. Alltoall is not taken if its panels need more
     * than a quarter of node memory. */
    CM_MATMUL_AUTO,
    CM_MATMUL_CANNON, /* blocks of A and B move along rows and columns of nodes */
    /* panels (parts of blocks) of A and B are broadcast along rows and columns of nodes */
    CM_MATMUL_BROADCAST,
    /* All rows of A and all columns of B are broadcast at once, over all dimensions. */
    CM_MATMUL_ALLTOALL,
    CM_MATMUL_ALGORITHMS
};
/* returns "auto" and so on */
CM_API const char *cm_matmul_algorithm_name(enum cm_matmul_algorithm algorithm);

/* Arguments of a product of two matrices. */
struct cm_matmul_task {
    struct cm_layout a, b, c; /* layouts of A, B and C = A B */
    /* requested algorithm. CM_MATMUL_AUTO: chosen by the shapes */
    enum cm_matmul_algorithm algorithm;
};

struct cm_matmul;

/* Compiles the IMP of a product, and allocates node memory for copies, panels and tables. Fails
 * with CM_BAD_INPUT if the arrays are not matrices of fitting shapes and one numeric type, or if
 * node memory is too small. */
CM_API enum cm_status cm_matmul_setup(struct cm_system *system, const struct cm_matmul_task *task,
                                      struct cm_matmul **matmul, struct cm_error *err);
/* Computes C = A B. The arrays have the layouts for which the product was compiled. a and b may be
 * the same array, but c must be a different one. The padding of c is overwritten. */
CM_API enum cm_status cm_matmul_call(struct cm_system *system, const struct cm_matmul *matmul,
                                     struct cm_array *c, const struct cm_array *a,
                                     const struct cm_array *b, struct cm_error *err);
/* Frees a compiled product with its IMPs and node memory. `matmul` may be NULL. */
CM_API void cm_matmul_deallocate(struct cm_system *system, struct cm_matmul *matmul);

/*
 * Order in which the products of an element of C are added. The axis of k is cut into `groups`
 * ranges of `depth` elements. The last ranges may be shorter or empty. The sum of element (i, j)
 * takes the ranges in ascending cyclic order, from range (i / rows + j / columns) mod groups on.
 * Within a range it takes k in ascending order.
 */
struct cm_matmul_order {
    /* Number of ranges of k, number of elements of a range, and numbers of rows and columns of C
     * that have the same first range. */
    uint64_t groups, depth, rows, columns;
};

/* Sizes and counts of a compiled product, for people and tests. */
struct cm_matmul_info {
    enum cm_matmul_algorithm algorithm; /* algorithm in use, never CM_MATMUL_AUTO */
    struct cm_matmul_order order;       /* order in which products are added */
    /* number of nodes of the grid along the index of rows, and along the index of columns */
    uint32_t row_nodes, column_nodes;
    uint64_t steps; /* number of multiplications of panels in each node */
    uint64_t depth; /* number of elements of a panel along k */
    /* numbers of rows and columns of a tile, the results that are in registers at one time */
    uint32_t tile[2];
    bool align_a, align_b; /* true if the router copies A (or B) to the grid of C first */
    uint64_t exchanges;    /* number of exchanges of a call */
    /* nominal number of floating-point operations: 2 m k n, or 8 m k n for complex numbers */
    uint64_t operations;
    /* number of words of the longest IMP in SRAM, and numbers of words of node memory for tables
     * and for work areas */
    uint64_t sram_words, table_words, work_words;
};
CM_API struct cm_matmul_info cm_matmul_info(const struct cm_matmul *matmul);

CM_END_DECLS

#endif
