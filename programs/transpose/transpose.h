/*
 * This header declares transposes, which exchange two axes of an array. Its first comment describes
 * the room programs/transpose.
 *
 * A program compiles a transpose for two layouts and a pair of axes (cm_transpose_setup), calls it
 * with arrays as often as it likes, and deallocates it, as with PSHIFT. docs/programs/transpose.md
 * describes the method and its counts.
 *
 * If all lengths are powers of two, an element's address in the destination is a permutation of the
 * bits of its address in the source. If both axes are in Gray code, it is a permutation of the bits
 * of the code. Then dimensions of the cube and of memory are swapped in rounds of exchanges, all
 * dimensions of a round at once, or along chains (transpose_chains.h). Other transposes go through
 * the router, one packet for each element.
 *
 * Invariants: a compiled transpose is never changed. Source and destination have the same element
 * type.
 *
 * Files: transpose.c compiles and calls, transpose_plan.c plans the exchanges, transpose_exchange.c
 * executes them with programs/reshape, transpose_chains.c and transpose_rotate.c plan and compile
 * chains, transpose_route.c uses the router.
 */
#ifndef CM_PROGRAMS_TRANSPOSE_TRANSPOSE_H
#define CM_PROGRAMS_TRANSPOSE_TRANSPOSE_H

#include "../system/system.h"

CM_BEGIN_DECLS

/* Algorithm that moves the elements of a transpose. */
enum cm_transpose_algorithm {
    CM_TRANSPOSE_AUTO,     /* uses exchanges if possible, otherwise the router */
    CM_TRANSPOSE_EXCHANGE, /* uses exchanges between neighbours, dimension by dimension */
    CM_TRANSPOSE_ROUTER,   /* sends one packet through the router for each element */
    CM_TRANSPOSE_ALGORITHMS
};
/* Returns the name of an algorithm, "auto" and so on. */
CM_API const char *cm_transpose_algorithm_name(enum cm_transpose_algorithm algorithm);

/* Arguments of a transpose of two axes. */
struct cm_transpose_task {
    /* Layouts of the source and the destination, of one element type. `dst` has the shape of `src`
     * with the axes exchanged. */
    struct cm_layout src, dst;
    uint32_t axes[2]; /* numbers of two different axes, from 0 */
    /* requested algorithm. CM_TRANSPOSE_AUTO: chosen by the layouts */
    enum cm_transpose_algorithm algorithm;
};

struct cm_transpose;

/*
 * Plans and compiles a transpose. Fails with CM_BAD_INPUT if an axis does not exist or the axes are
 * equal, the destination has another type or shape, exchanges are requested and cannot handle the
 * layouts (the message says why), an element does not fit the router's buffers, or node memory is
 * too small.
 */
CM_API enum cm_status cm_transpose_setup(struct cm_system *system,
                                         const struct cm_transpose_task *task,
                                         struct cm_transpose **transpose, struct cm_error *err);
/* Transposes `src` to `dst`, whose layouts must be those of the compiled transpose. `dst` may be
 * `src` if the layouts are equal. */
CM_API enum cm_status cm_transpose_call(struct cm_system *system,
                                        const struct cm_transpose *transpose, struct cm_array *dst,
                                        const struct cm_array *src, struct cm_error *err);
/* Frees a compiled transpose, which may be NULL. */
CM_API void cm_transpose_deallocate(struct cm_system *system, struct cm_transpose *transpose);

/* Sizes and counts of a compiled transpose, for people and tests. */
struct cm_transpose_info {
    enum cm_transpose_algorithm algorithm; /* algorithm in use, never CM_TRANSPOSE_AUTO */
    /* true if exchanges follow chains (transpose_chains.h) instead of rounds */
    bool chained;
    char reason[160];     /* for CM_TRANSPOSE_AUTO: why exchanges are not possible. "": they are */
    uint64_t words;       /* number K of words that the array has in a node */
    uint32_t dimensions;  /* number of cube dimensions whose address bit changes for some element */
    uint64_t exchanges;   /* number of exchanges of a call */
    uint64_t lower_bound; /* least number of exchanges that any method takes */
    uint64_t packets;     /* number of packets through the router */
};
CM_API struct cm_transpose_info cm_transpose_info(const struct cm_transpose *transpose);

CM_END_DECLS

#endif
