/*
 * Products of matrices: C = A B. The interface is PSHIFT's: a setup for three layouts, calls with
 * arrays, deallocation. docs/programs/matmul.md has the method, the order of the operations and the
 * counts.
 *
 * A is m x k, B is k x n, C is m x n, each in its canonical layout. The nodes of C compute the
 * elements that they hold. They need A and B on the same grid of nodes: where these are on another
 * one, the router sends their elements to a copy first.
 *
 * The order of the operations, which a reference must follow to agree bit for bit: an element of C
 * begins as +0, and adds the products in the order of k that struct cm_matmul_order gives. Every
 * product and every sum is rounded:
 *
 *     real      c = R(c + R(a * b))
 *     complex   c_re = R(R(c_re + R(a_re * b_re)) - R(a_im * b_im)),
 *               c_im = R(R(c_im + R(a_re * b_im)) + R(a_im * b_re))
 *     int32     modulo 2^32
 */
#ifndef CM_PROGRAMS_MATMUL_MATMUL_H
#define CM_PROGRAMS_MATMUL_MATMUL_H

#include "../system/system.h"

CM_BEGIN_DECLS

/* Algorithm by which the blocks of the factors meet. */
enum cm_matmul_algorithm {
    /* The algorithm with the fewest exchanges. Among equals broadcast comes before Cannon's, which
     * comes before alltoall. It is not alltoall if its panels take more than a quarter of node
     * memory. */
    CM_MATMUL_AUTO,
    CM_MATMUL_CANNON,    /* blocks of A and B move along rows and columns of nodes */
    CM_MATMUL_BROADCAST, /* panels of A and B are broadcast along rows and columns of nodes */
    /* whole rows of A and columns of B are broadcast at once, over all dimensions */
    CM_MATMUL_ALLTOALL,
    CM_MATMUL_ALGORITHMS
};
CM_API const char *cm_matmul_algorithm_name(enum cm_matmul_algorithm algorithm); /* "auto", ... */

/* Parameters of a product of two matrices. */
struct cm_matmul_task {
    struct cm_layout a, b, c;           /* of A, B and C = A B */
    enum cm_matmul_algorithm algorithm; /* CM_MATMUL_AUTO: chosen by the shapes */
};

struct cm_matmul;

/* Compiles the IMP, and allocates node memory for copies, panels and tables. Fails with
 * CM_BAD_INPUT for arrays that are not matrices of fitting shapes and one numeric type, and for too
 * little memory. */
CM_API enum cm_status cm_matmul_setup(struct cm_system *system, const struct cm_matmul_task *task,
                                      struct cm_matmul **matmul, struct cm_error *err);
/* Computes C = A B. The arrays are laid out as the setup's layouts. a and b may be one array, but c
 * is another one. Padding of c is overwritten. */
CM_API enum cm_status cm_matmul_call(struct cm_system *system, const struct cm_matmul *matmul,
                                     struct cm_array *c, const struct cm_array *a,
                                     const struct cm_array *b, struct cm_error *err);
/* Frees a setup with its IMPs and node memory. NULL is allowed. */
CM_API void cm_matmul_deallocate(struct cm_system *system, struct cm_matmul *matmul);

/*
 * Order in which the sum of an element adds its products. The axis of k is divided into `groups`
 * ranges of `depth`, of which the last ones may be shorter or empty. The sum of element (i, j),
 * from 0, takes the ranges in ascending and cyclic order from (i / rows + j / columns) mod groups
 * on, and each range in ascending order of k.
 */
struct cm_matmul_order {
    /* number of ranges of k, their length, and the rows and columns after which the first range
     * changes */
    uint64_t groups, depth, rows, columns;
};

/* Description of a setup, for people and tests. */
struct cm_matmul_info {
    enum cm_matmul_algorithm algorithm; /* never auto */
    struct cm_matmul_order order;       /* where sums begin */
    /* nodes of the grid along the rows' index and along the columns' */
    uint32_t row_nodes, column_nodes;
    uint64_t steps; /* multiplications of panels in each node */
    uint64_t depth; /* length of a panel along k */
    /* rows and columns of results that the registers hold at once */
    uint32_t tile[2];
    bool align_a, align_b; /* True if the router copies the operand first */
    uint64_t exchanges;    /* of a call */
    /* nominal operations: 2 m k n, or 8 m k n for complex numbers */
    uint64_t operations;
    /* words of SRAM, of node memory for tables, and of working memory */
    uint64_t sram_words, table_words, work_words;
};
CM_API struct cm_matmul_info cm_matmul_info(const struct cm_matmul *matmul);

CM_END_DECLS

#endif
