/*
 * Transposes: two axes of an array change places. The interface is PSHIFT's: a setup for two
 * layouts and a pair of axes, calls with arrays, deallocation. docs/programs/transpose.md has the
 * method and the counts.
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

/* Method by which elements get to their places. */
enum cm_transpose_algorithm {
    CM_TRANSPOSE_AUTO,     /* exchanges if the layouts permit them, else the router */
    CM_TRANSPOSE_EXCHANGE, /* exchanges between neighbours, dimension by dimension */
    CM_TRANSPOSE_ROUTER,   /* every element a packet */
    CM_TRANSPOSE_ALGORITHMS
};
/* "auto", ... */
CM_API const char *cm_transpose_algorithm_name(enum cm_transpose_algorithm algorithm);

/* Parameters of a transpose of two axes. */
struct cm_transpose_task {
    struct cm_layout src, dst; /* equal types; dst has the shape of src with the axes exchanged */
    uint32_t axes[2];          /* two different axes, from 0 */
    enum cm_transpose_algorithm algorithm; /* CM_TRANSPOSE_AUTO: chosen by the layouts */
};

struct cm_transpose;

/*
 * Plans and compiles a transpose. Fails with CM_BAD_INPUT for axes that do not exist or are equal,
 * a destination of another type or shape, exchanges that the layouts do not permit (the message
 * says why), elements that do not fit the router's buffers, and too little node memory.
 */
CM_API enum cm_status cm_transpose_setup(struct cm_system *system,
                                         const struct cm_transpose_task *task,
                                         struct cm_transpose **transpose, struct cm_error *err);
/* Transposes arrays that are laid out as the setup's layouts. Source and destination may be one
 * array if the layouts are equal. */
CM_API enum cm_status cm_transpose_call(struct cm_system *system,
                                        const struct cm_transpose *transpose, struct cm_array *dst,
                                        const struct cm_array *src, struct cm_error *err);
/* Frees a setup and its node memory. NULL is allowed. */
CM_API void cm_transpose_deallocate(struct cm_system *system, struct cm_transpose *transpose);

/* Description of a setup, for people and tests. */
struct cm_transpose_info {
    enum cm_transpose_algorithm algorithm; /* the algorithm used, never CM_TRANSPOSE_AUTO */
    bool chained;                          /* True if exchanges follow chains, not rounds */
    /* why CM_TRANSPOSE_AUTO did not take exchanges, else "" */
    char reason[160];
    uint64_t words;       /* words of a node (K) */
    uint32_t dimensions;  /* number of cube dimensions whose bit of an element's address changes */
    uint64_t exchanges;   /* exchanges of a call */
    uint64_t lower_bound; /* least exchanges of any method */
    uint64_t packets;     /* packets through the router */
};
CM_API struct cm_transpose_info cm_transpose_info(const struct cm_transpose *transpose);

CM_END_DECLS

#endif
