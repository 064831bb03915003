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

/* How the blocks of the factors meet. */
enum cm_matmul_algorithm {
    /* the one with the fewest exchanges, of equal ones broadcast before cannon before alltoall; not
     * alltoall if its panels take more than a quarter of node memory */
    CM_MATMUL_AUTO,
    CM_MATMUL_CANNON,    /* blocks of A and B move along rows and columns of nodes */
    CM_MATMUL_BROADCAST, /* panels of A and B are broadcast along rows and columns of nodes */
    CM_MATMUL_ALLTOALL,  /* whole rows of A and columns of B are, at once, over all dimensions */
    CM_MATMUL_ALGORITHMS
};
CM_API const char *cm_matmul_algorithm_name(enum cm_matmul_algorithm algorithm); /* "auto", ... */

/* A product of two matrices. */
struct cm_matmul_task {
    struct cm_layout a, b, c;           /* of A, B and C = A B */
    enum cm_matmul_algorithm algorithm; /* how; CM_MATMUL_AUTO: as the shapes suggest */
};

struct cm_matmul;

/* Compiles the IMP, and sets node memory aside for copies, panels and tables. CM_BAD_INPUT for
 * arrays that are not matrices of fitting shapes and one numeric type, and too little memory. */
CM_API enum cm_status cm_matmul_setup(struct cm_system *system, const struct cm_matmul_task *task,
                                      struct cm_matmul **matmul, struct cm_error *err);
/* C = A B. The arrays are laid out as the setup's layouts; a and b may be one array, but c is
 * another one. Padding of c is overwritten. */
CM_API enum cm_status cm_matmul_call(struct cm_system *system, const struct cm_matmul *matmul,
                                     struct cm_array *c, const struct cm_array *a,
                                     const struct cm_array *b, struct cm_error *err);
/* Gives back what a setup took; NULL is allowed. */
CM_API void cm_matmul_deallocate(struct cm_system *system, struct cm_matmul *matmul);

/*
 * Where the sum of an element begins. The axis of k is cut into `groups` ranges of `depth` (the
 * last ones may be shorter or empty). The sum of element (i, j), from 0, takes the ranges in
 * ascending and cyclic order, from (i / rows + j / columns) mod groups on, each in ascending order
 * of k.
 */
struct cm_matmul_order {
    /* ranges of k; their elements; rows and columns between which the first range changes */
    uint64_t groups, depth, rows, columns;
};

/* What a setup made, for people and tests. */
struct cm_matmul_info {
    enum cm_matmul_algorithm algorithm; /* never auto */
    struct cm_matmul_order order;       /* where sums begin */
    uint32_t row_nodes, column_nodes;   /* of the grid: along the rows' index, along the columns' */
    uint64_t steps;                     /* multiplications of panels in each node */
    uint64_t depth;                     /* of a panel: its elements along k */
    uint32_t tile[2];                   /* results that the registers hold at once: rows, columns */
    bool align_a, align_b;              /* copied by the router first */
    uint64_t exchanges;                 /* of a call */
    uint64_t operations;                /* nominal: 2 m k n, or 8 m k n of complex numbers */
    /* words of SRAM; of node memory for tables, and to work in */
    uint64_t sram_words, table_words, work_words;
};
CM_API struct cm_matmul_info cm_matmul_info(const struct cm_matmul *matmul);

CM_END_DECLS

#endif
