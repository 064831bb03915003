/*
 * Transposes: two axes of an array change places. The interface is PSHIFT's: a setup for two
 * layouts and a pair of axes, calls with arrays, deallocation. docs/programs/transpose.md has the method and
 * the counts.
 *
 * Where all lengths are powers of two, an element's address in the destination has the bits of its
 * address in the source, in another order; where both axes are in Gray code, the bits of the code.
 * Dimensions of the cube and of memory then change places in rounds of exchanges, all dimensions of
 * a round at once. Other transposes go through the router.
 */
#ifndef CM_PROGRAMS_TRANSPOSE_TRANSPOSE_H
#define CM_PROGRAMS_TRANSPOSE_TRANSPOSE_H

#include "../system/system.h"

CM_BEGIN_DECLS

/* How the elements go to their places. */
enum cm_transpose_algorithm {
    CM_TRANSPOSE_AUTO,     /* exchanges where they can do it, else the router */
    CM_TRANSPOSE_EXCHANGE, /* exchanges between neighbours, dimension by dimension */
    CM_TRANSPOSE_ROUTER,   /* every element a packet */
    CM_TRANSPOSE_ALGORITHMS
};
/* "auto", ... */
CM_API const char *cm_transpose_algorithm_name(enum cm_transpose_algorithm algorithm);

/* A transpose of two axes. */
struct cm_transpose_task {
    struct cm_layout src, dst; /* of one type; dst has the shape of src with the axes exchanged */
    uint32_t axes[2];          /* from 0, two different ones */
    enum cm_transpose_algorithm algorithm; /* how; CM_TRANSPOSE_AUTO: as the layouts suggest */
};

struct cm_transpose;

/*
 * Plans and compiles. CM_BAD_INPUT for axes that do not exist or are equal, a destination of
 * another type or shape, exchanges where they cannot do it (the message says why), elements that do
 * not fit the router's buffers, too little node memory.
 */
CM_API enum cm_status cm_transpose_setup(struct cm_system *system,
                                         const struct cm_transpose_task *task,
                                         struct cm_transpose **transpose, struct cm_error *err);
/* Runs it on arrays that are laid out as the setup's layouts. They may be one array where the
 * layouts are equal. */
CM_API enum cm_status cm_transpose_call(struct cm_system *system,
                                        const struct cm_transpose *transpose, struct cm_array *dst,
                                        const struct cm_array *src, struct cm_error *err);
/* Gives back its memory; NULL is allowed. */
CM_API void cm_transpose_deallocate(struct cm_system *system, struct cm_transpose *transpose);

/* What a setup made, for people and tests. */
struct cm_transpose_info {
    enum cm_transpose_algorithm algorithm; /* that is used: never CM_TRANSPOSE_AUTO */
    bool chained;                          /* exchanges along chains, not in rounds */
    char reason[160];                      /* of auto, why not exchanges; "" otherwise */
    uint64_t words;                        /* of a node: K */
    uint32_t dimensions;  /* of the cube whose bit of an element's address changes */
    uint64_t exchanges;   /* of a call */
    uint64_t lower_bound; /* exchanges that any method takes at least */
    uint64_t packets;     /* through the router */
};
CM_API struct cm_transpose_info cm_transpose_info(const struct cm_transpose *transpose);

CM_END_DECLS

#endif
