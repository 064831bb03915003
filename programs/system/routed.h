/*
 * Elements through the router: a list of moves, each from a place of one node to a place of
 * another, and one run of the router that takes them there. A move is a packet; the place where it
 * belongs travels in the header and costs no word. A node sends its packets in the order of the
 * list, one after the other; they go by e-cube and cut-through, into the buffers that the machine
 * description gives. A move that stays in its node is a packet too, which leaves in its turn and
 * crosses no channel. Not installed.
 */
#ifndef CM_PROGRAMS_SYSTEM_ROUTED_H
#define CM_PROGRAMS_SYSTEM_ROUTED_H

#include "../../base/list.h"
#include "system_private.h"

#define CM_ROUTED_END UINT32_MAX

struct cm_routed_move {
    uint32_t source, destination; /* nodes */
    uint32_t from, to;            /* local element numbers */
    uint32_t next;                /* of the same source: its place in the list, or CM_ROUTED_END */
};

/* The moves in the order of the list, and for each source its first and last. */
struct cm_routed {
    CM_LIST(struct cm_routed_move) moves;
    uint32_t nodes;
    uint32_t *first, *last;
};

enum cm_status cm_routed_init(struct cm_routed *routed, uint32_t nodes, struct cm_error *err);
void cm_routed_finish(struct cm_routed *routed);
/* Adds a move at the end; out of memory sticks in `moves.failed`. */
void cm_routed_add(struct cm_routed *routed, uint32_t source, uint32_t from, uint32_t destination,
                   uint32_t to);

/*
 * Where all axes of an array are SERIAL every node holds a copy. All copies of a destination get an
 * element, cm_routed_copies(layout) of them; a copy of a source sends to its own node. So the
 * element of `source`, as the layout places it, comes to `destination` from the node returned.
 */
static inline uint32_t cm_routed_copies(const struct cm_layout *layout)
{
    return layout->nodes >> layout->used_bits;
}
static inline uint32_t cm_routed_source(const struct cm_layout *layout, uint32_t source,
                                        uint32_t destination)
{
    return source | destination >> layout->used_bits << layout->used_bits;
}

struct cm_routed_run {
    const struct cm_routed *routed;
    uint32_t words;       /* of a packet; the words of an element unless src has none */
    uint32_t stride;      /* words from one element to the next; 0: as many as it has */
    struct cm_planes src; /* of the array that the elements come from; no words: not read */
    /* Called for each move on arrival, in the router's order. */
    void (*deliver)(void *context, const struct cm_routed_move *move, const uint32_t *words);
    void *context;
};

/* Refuses packets that the router's buffers cannot hold. */
enum cm_status cm_routed_check(const struct cm_system *system, uint32_t words,
                               struct cm_error *err);
/* Runs the router and charges its time. */
enum cm_status cm_routed_send(struct cm_system *system, const struct cm_routed_run *run,
                              struct cm_error *err);

#endif
