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
 * family that has nothing to send must describe no packets. Words that stay in their node are
 * packets only if the router moves them, and not a microprogram.
 *
 * The sender never chooses a path for a program, and never charges anything but the router.
 */
#ifndef CM_PROGRAMS_SYSTEM_SENDING_H
#define CM_PROGRAMS_SYSTEM_SENDING_H

#include "system_private.h"

/* A packet that a node sends. */
struct cm_sending_packet {
    uint32_t destination; /* node */
    uint32_t words;       /* words in use, at most the words of every packet of the run */
    uint64_t from;        /* plane of the first word in the source */
    uint32_t to;          /* plane of the first word in the destination, or a tag for `deliver` */
};

/* Traffic of one run of the router. */
struct cm_sending {
    uint32_t nodes;       /* nodes that may send: 0 to nodes - 1 */
    uint32_t words;       /* words of every packet: what channels carry and time depends on */
    struct cm_planes src; /* planes that words are read from. Empty in a run without data */
    struct cm_planes dst; /* planes that words are written to. Unused with `deliver` */
    /*
     * Returns the next packet of a node, false after the last one. `cursor` belongs to the node:
     * it is 0 at first, and `next` stores there where it goes on. The sender may start again from
     * a cursor of 0, so `next` must keep no other state.
     */
    bool (*next)(void *context, uint32_t node, uint64_t *cursor, struct cm_sending_packet *packet);
    /* Takes the words of a packet on arrival, in the router's order. The tag is the `to` of the
     * packet. NULL: the sender writes them to dst. Without src the words are undefined. */
    void (*deliver)(void *context, uint32_t tag, const uint32_t *words);
    void *context; /* first argument of `next` and `deliver` */
};

/* Fails with CM_BAD_INPUT if packets of `words` words do not fit the router's buffers. The hint
 * names the buffer size that suffices, then `instead`: another way out, or "". */
enum cm_status cm_sending_check(const struct cm_system *system, uint32_t words, const char *instead,
                                struct cm_error *err);
/* Sends all packets, delivers them, and charges the router's time. An empty run does nothing. Fails
 * with CM_NO_MEMORY or CM_INTERRUPTED. */
enum cm_status cm_sending_run(struct cm_system *system, const struct cm_sending *sending,
                              struct cm_error *err);

#endif
