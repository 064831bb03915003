/*
 * Deferred moves: `move` instructions that copy much data are queued until another kind of
 * instruction follows. The queue is then executed in an order that reads each source once.
 *
 * The sources are walked in pieces that fit the host's caches. Each piece is copied to all its
 * destinations before the next piece is read. Where each worker has partitions of its own
 * (machine/memory.h), a worker copies the planes of its partitions. Where all nodes are one
 * partition, workers share the pieces, each piece for all nodes: the host's memory is faster when
 * threads work far apart than when they work on halves of the same planes.
 *
 * Callers are the executor, which adds moves, and the sequencer, which executes them before the
 * next instruction that could see the difference.
 */
#ifndef CM_SIM_MOVES_H
#define CM_SIM_MOVES_H

#include <stdbool.h>
#include <stdint.h>

struct cm_worker;
struct cm_instruction;
struct cm_issue;

/* Move of adjacent planes: plane dst + k = plane src + k, for all k below count. */
struct cm_move {
    uint64_t dst, src, count;
};

struct cm_moves {
    struct cm_move *deferred; /* deferred moves, in program order */
    struct cm_move *sorted;   /* the deferred moves, sorted by source or destination */
    /* indices in `sorted` of the moves whose source overlaps the current piece */
    uint32_t *active;
    uint32_t count, capacity;
    uint64_t piece; /* length of a piece of the sources, in words of each node */
    /* fewest words of each node, summed over the deferred moves, for which sorting the moves
     * pays */
    uint64_t least_words;
};

/* Allocates the queue of deferred moves for a machine of `nodes` nodes. Returns false when out of
 * memory. `few` makes queue and pieces tiny, so that tests reach all cases. */
bool cm_moves_init(struct cm_moves *moves, uint32_t nodes, bool few);
void cm_moves_finish(struct cm_moves *moves);

/* True if the move instruction may be deferred. All workers get the same answer. */
bool cm_moves_may_defer(const struct cm_worker *worker, const struct cm_instruction *instruction);
void cm_moves_add(struct cm_worker *worker, const struct cm_issue *issue);

/*
 * True if workers are to share the deferred moves. This needs one partition and enough words to
 * copy. No move may read or write what another move writes. All workers get the same answer.
 */
bool cm_moves_are_shared(struct cm_worker *worker);
/* Copies this worker's share of all deferred moves. No worker may do anything else meanwhile. */
void cm_moves_execute_share(struct cm_worker *worker);
/* Executes all deferred moves on the worker's own nodes. */
void cm_moves_execute_own(struct cm_worker *worker);

#endif
