/*
 * Products of matrices: C = A B. A is m x k, B is k x n and C is m x n, each in its canonical
 * layout. docs/programs/matmul.md has the method, the order of the operations and the counts.
 *
 * The nodes of C compute the elements that they hold. Copies of blocks of A and B come to them by
 * exchanges, along the rows and columns of the grid of nodes. A and B must be on the grid of C. If
 * they are on another grid, the router first sends their elements to a copy.
 *
 * The interface is that of PSHIFT: a setup for three layouts, calls with arrays, deallocation.
 *
 * Invariant: the order of the operations is fixed, so that a reference can agree bit for bit. An
 * element of C begins as +0, and adds the products in the order of k that struct cm_matmul_order
 * gives. Every product and every sum is rounded:
 *
 *     real      c = R(c + R(a * b))
 *     complex   c_re = R(R(c_re + R(a_re * b_re)) - R(a_im * b_im)),
 *               c_im = R(R(c_im + R(a_re * b_im)) + R(a_im * b_re))
 *     int32     modulo 2^32
 *
 * Files: matmul.c (setups, calls, the IMP), matmul_plan.c (chunks, hops, tables), matmul_move.c
 * (exchanges), matmul_kernel.c (the multiplication in a node), matmul_align.c (copies by the
 * router).
 */
#ifndef CM_PROGRAMS_MATMUL_MATMUL_H
#define CM_PROGRAMS_MATMUL_MATMUL_H

#include "../system/system.h"

CM_BEGIN_DECLS

/* Algorithm: how the blocks of the factors reach the nodes that need them. */
enum cm_matmul_algorithm {
    /* Takes the algorithm with the fewest exchanges. Among equals, broadcast goes before cannon,
     * and cannon before alltoall. Never alltoall if its panels need more than a quarter of node
     * memory. */
    CM_MATMUL_AUTO,
    CM_MATMUL_CANNON,    /* blocks of A and B move along rows and columns of nodes */
    CM_MATMUL_BROADCAST, /* panels of A and B are broadcast along rows and columns of nodes */
    /* all of A's rows and B's columns are broadcast at once, over all dimensions */
    CM_MATMUL_ALLTOALL,
    CM_MATMUL_ALGORITHMS
};
CM_API const char *cm_matmul_algorithm_name(enum cm_matmul_algorithm algorithm); /* "auto", ... */

/* A product of two matrices. */
struct cm_matmul_task {
    struct cm_layout a, b, c;           /* layouts of A, B and C = A B */
    enum cm_matmul_algorithm algorithm; /* CM_MATMUL_AUTO: chosen by the shapes */
};

struct cm_matmul;

/* Compiles the IMP, and allocates node memory for copies, panels and tables. Fails with
 * CM_BAD_INPUT if the arrays are not matrices of fitting shapes and one numeric type, or if memory
 * is too small. */
CM_API enum cm_status cm_matmul_setup(struct cm_system *system, const struct cm_matmul_task *task,
                                      struct cm_matmul **matmul, struct cm_error *err);
/* Computes C = A B. The arrays have the layouts of the setup. a and b may be the same array, but c
 * is another array. Overwrites the padding of c. */
CM_API enum cm_status cm_matmul_call(struct cm_system *system, const struct cm_matmul *matmul,
                                     struct cm_array *c, const struct cm_array *a,
                                     const struct cm_array *b, struct cm_error *err);
/* Frees the IMPs and node memory of a setup. NULL is allowed. */
CM_API void cm_matmul_deallocate(struct cm_system *system, struct cm_matmul *matmul);

/*
 * Order of the sum of an element. The axis of k is cut into `groups` ranges of `depth` elements.
 * The last ranges may be shorter or empty. The sum of element (i, j) takes the ranges in ascending
 * cyclic order, from range (i / rows + j / columns) mod groups on. Within a range it takes k in
 * ascending order.
 */
struct cm_matmul_order {
    /* ranges of k, elements of a range, and the rows and columns between which the first range
     * changes */
    uint64_t groups, depth, rows, columns;
};

/* Numbers of a setup, for people and tests. */
struct cm_matmul_info {
    enum cm_matmul_algorithm algorithm; /* never CM_MATMUL_AUTO */
    struct cm_matmul_order order;       /* order of the sums */
    /* nodes of the grid along the index of rows, and along the index of columns */
    uint32_t row_nodes, column_nodes;
    uint64_t steps; /* multiplications of panels in each node */
    uint64_t depth; /* elements of a panel along k */
    /* rows and columns of a tile: the results in registers at one time */
    uint32_t tile[2];
    bool align_a, align_b; /* True if the router copies the factor first. */
    uint64_t exchanges;    /* exchanges of a call */
    /* nominal operations: 2 m k n, or 8 m k n for complex numbers */
    uint64_t operations;
    /* words of the longest IMP in SRAM, and words of node memory for tables and for work areas */
    uint64_t sram_words, table_words, work_words;
};
CM_API struct cm_matmul_info cm_matmul_info(const struct cm_matmul *matmul);

CM_END_DECLS

#endif
