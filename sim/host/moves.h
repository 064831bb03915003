/*
 * Moves of much data wait until another kind of instruction follows. Then the sources are read
 * once: a piece at a time, which goes to all its destinations while the host's caches have it. A
 * host thread whose nodes are a part of their own (machine/memory.h) copies their planes. Others
 * share the pieces, of all nodes: the host's memory is faster when threads are far apart in it than
 * when they are at work on halves of the same planes.
 */
#ifndef CM_MOVES_H
#define CM_MOVES_H

#include <stdbool.h>
#include <stdint.h>

struct cm_worker;
struct cm_instruction;
struct cm_issue;

/* Words next to each other: plane dst + k = plane src + k, for all k below count. */
struct cm_move {
    uint64_t dst, src, count;
};

struct cm_moves {
    struct cm_move *waiting; /* in the order of the program */
    struct cm_move *sorted;  /* the same */
    uint32_t *active;        /* of `sorted`, that a part of the source belongs to */
    uint32_t count, capacity;
    uint64_t part;        /* of a source, in words */
    uint64_t least_words; /* that threads share */
};

/* Room for moves of a machine with so many nodes; `few`: for tests, which want all cases. False
 * when there is no memory. */
bool cm_moves_init(struct cm_moves *moves, uint32_t nodes, bool few);
void cm_moves_finish(struct cm_moves *moves);

/* Whether a move may wait; alike in all workers. */
bool cm_moves_may_wait(const struct cm_worker *worker, const struct cm_instruction *instruction);
void cm_moves_add(struct cm_worker *worker, const struct cm_issue *issue);

/* Whether workers share those that wait: there is much to copy, and no move reads or writes what
 * another one writes; never where nodes are in parts. Alike in all workers. */
bool cm_moves_are_shared(struct cm_worker *worker);
/* A worker's share of all moves; no worker does anything else meanwhile. */
void cm_moves_play_share(struct cm_worker *worker);
/* All moves of a worker's own nodes. */
void cm_moves_play_own(struct cm_worker *worker);

#endif
