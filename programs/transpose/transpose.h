/*
 * Transposes: two axes of an array are exchanged. This page describes the room programs/transpose.
 *
 * The interface is PSHIFT's: a setup for two layouts and a pair of axes, calls with arrays,
 * deallocation. docs/programs/transpose.md describes the method and its counts.
 *
 * If all lengths are powers of two, an element's address in the destination is a permutation of the
 * bits of its address in the source. If both axes are in Gray code, it is a permutation of the bits
 * of the code. Then dimensions of the cube and of memory are swapped in rounds of exchanges, all
 * dimensions of a round at once, or along chains (transpose_chains.h). Other transposes go through
 * the router, one packet for each element.
 *
 * Invariants: a setup is read-only after cm_transpose_setup. Source and destination have the same
 * element type.
 *
 * Files: transpose.c sets up and calls, transpose_plan.c plans the exchanges, transpose_exchange.c
 * executes them with programs/reshape, transpose_chains.c and transpose_rotate.c plan and compile
 * chains, transpose_route.c uses the router.
 */
#ifndef CM_PROGRAMS_TRANSPOSE_TRANSPOSE_H
#define CM_PROGRAMS_TRANSPOSE_TRANSPOSE_H

#include "../system/system.h"

CM_BEGIN_DECLS

/* Ways to move the elements. */
enum cm_transpose_algorithm {
    CM_TRANSPOSE_AUTO,     /* exchanges if possible, otherwise the router */
    CM_TRANSPOSE_EXCHANGE, /* exchanges between neighbours, dimension by dimension */
    CM_TRANSPOSE_ROUTER,   /* one packet for each element */
    CM_TRANSPOSE_ALGORITHMS
};
/* Returns "auto", ... */
CM_API const char *cm_transpose_algorithm_name(enum cm_transpose_algorithm algorithm);

/* Transpose of two axes. */
struct cm_transpose_task {
    /* Layouts of one type. `dst` has the shape of `src` with the axes exchanged. */
    struct cm_layout src, dst;
    uint32_t axes[2];                      /* two different axes, from 0 */
    enum cm_transpose_algorithm algorithm; /* algorithm. CM_TRANSPOSE_AUTO: chosen by the layouts */
};

struct cm_transpose;

/*
 * Plans and compiles a transpose. Fails with CM_BAD_INPUT for axes that do not exist or are equal,
 * a destination of another type or shape, layouts that exchanges cannot handle (the message says
 * why), elements that do not fit the router's buffers, or too little node memory.
 */
CM_API enum cm_status cm_transpose_setup(struct cm_system *system,
                                         const struct cm_transpose_task *task,
                                         struct cm_transpose **transpose, struct cm_error *err);
/* Transposes arrays with the layouts of the setup. `dst` may be `src` if the layouts are equal. */
CM_API enum cm_status cm_transpose_call(struct cm_system *system,
                                        const struct cm_transpose *transpose, struct cm_array *dst,
                                        const struct cm_array *src, struct cm_error *err);
/* Frees a setup. Accepts NULL. */
CM_API void cm_transpose_deallocate(struct cm_system *system, struct cm_transpose *transpose);

/* Facts about a setup, for people and tests. */
struct cm_transpose_info {
    enum cm_transpose_algorithm algorithm; /* algorithm in use, never CM_TRANSPOSE_AUTO */
    bool chained;                          /* true if exchanges follow chains instead of rounds */
    char reason[160];     /* for auto: why exchanges are not possible. "" otherwise */
    uint64_t words;       /* K: words of a node */
    uint32_t dimensions;  /* cube dimensions whose address bit changes for some element */
    uint64_t exchanges;   /* exchanges of a call */
    uint64_t lower_bound; /* least exchanges of any method */
    uint64_t packets;     /* packets through the router */
};
CM_API struct cm_transpose_info cm_transpose_info(const struct cm_transpose *transpose);

CM_END_DECLS

#endif
