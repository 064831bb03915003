/*
 * The sender: runs the router for programs whose nodes send words to each other.
 *
 * A family of programs describes its traffic by a struct cm_sending: how many words a packet has,
 * which packets a node sends, and where the words come from and go to. The sender runs the router,
 * delivers the words and charges the time. Callers are alltoall, matmul, pshift, and the lists of
 * packets (packet_list.h) of gather, sort and transpose. Steps with a traffic pattern (network/)
 * drive the router themselves, because they choose its options.
 *
 * Every run obeys these rules:
 *
 *   - A node sends its packets in its own order, one packet after the other.
 *   - A packet is routed by e-cube and cut-through over all channels of a dimension. Buffers and
 *     header times come from the machine description.
 *   - The place of the words in the destination travels in the header and takes no word.
 *   - A packet for the sending node itself takes its turn and crosses no channel.
 *   - An empty run, which has no packets, costs no cycles: the sender does not start the router,
 *     and observers see no run.
 *
 * The reason for the last rule: where traffic goes follows from layouts or from lists that the
 * front end has made. So the front end knows that a run is empty, and need not start the router. A
 * family that has nothing to send must describe no packets. Words that stay in their node count as
 * packets only if the router moves them, and not if a microprogram does.
 *
 * The sender never chooses a path for a program, and never charges cycles for anything except the
 * router.
 */
#ifndef CM_PROGRAMS_SYSTEM_SENDING_H
#define CM_PROGRAMS_SYSTEM_SENDING_H

#include "system_private.h"

/* A packet that a node sends. */
struct cm_sending_packet {
    uint32_t destination; /* number of the destination node */
    uint32_t words;       /* number of words in use, at most the `words` of the run */
    uint64_t from;        /* memory plane of the first word in the source node */
    /* memory plane of the first word in the destination node, or a tag for `deliver` */
    uint32_t to;
};

/* Traffic of one run of the router. */
struct cm_sending {
    uint32_t nodes; /* number of nodes that may send: nodes 0 to nodes - 1 */
    /* number of words of every packet, which decides the load of channels and the time */
    uint32_t words;
    struct cm_planes src; /* memory planes that words are read from. Empty in a run without data */
    struct cm_planes dst; /* memory planes that words are written to. Unused with `deliver` */
    /*
     * Callback that stores the next packet of a node in *packet, or returns false after the node's
     * last packet. `cursor` belongs to the node: it is 0 at first, and the callback stores in it
     * where to go on in the next call. The sender may start again from a cursor of 0, so the
     * callback must keep no other state.
     */
    bool (*next)(void *context, uint32_t node, uint64_t *cursor, struct cm_sending_packet *packet);
    /* Callback that takes the words of a packet on arrival, in the order in which the router
     * delivers packets. `tag` is the packet's member `to`. NULL: the sender writes the words to
     * dst. If src is empty the words are undefined. */
    void (*deliver)(void *context, uint32_t tag, const uint32_t *words);
    void *context; /* first argument of `next` and `deliver` */
};

/* Fails with CM_BAD_INPUT if packets of `words` words do not fit the router's buffers. The hint of
 * the error names the buffer size that suffices. Then the hint goes on with the text `instead`,
 * which names another way out or is "". */
enum cm_status cm_sending_check(const struct cm_system *system, uint32_t words, const char *instead,
                                struct cm_error *err);
/* Sends all packets, delivers them, and charges the router's time. An empty run does nothing. Fails
 * with CM_NO_MEMORY or CM_INTERRUPTED. */
enum cm_status cm_sending_run(struct cm_system *system, const struct cm_sending *sending,
                              struct cm_error *err);

#endif
