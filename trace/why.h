/*
 * Why something took until it did: the chain of what waited for what, backwards from the end of a
 * run, or from a packet. A chain is a list of links, each a piece of time in which one thing was in
 * the way of all that came after: a packet that crosses a channel while another waits for it, the
 * steps of the sequencer. The links of a chain lie end to end, so that every cycle belongs to one
 * link.
 *
 * Of a trace, only what trace.h tells is needed.
 */
#ifndef CM_TRACE_WHY_H
#define CM_TRACE_WHY_H

#include "../base/list.h"
#include "trace.h"

enum cm_why_kind {
    CM_WHY_STEP,    /* instructions and control flow of a step, or between steps */
    CM_WHY_ROUTER,  /* the router, where packets are not recorded one by one */
    CM_WHY_SENDING, /* nothing was in the way: the next packet of the chain was created later */
    CM_WHY_CROSSES, /* a packet has a channel, and is routed at its far end */
};

struct cm_why_link {
    enum cm_why_kind kind;
    uint64_t first_cycle, end_cycle;
    uint32_t step;    /* CM_TRACE_NONE: none */
    uint64_t packet;  /* UINT64_MAX: none */
    uint32_t channel; /* that it crosses */
    /* The packet that waited for this one until end_cycle, and since when it did; UINT64_MAX: the
     * next link is of the same packet, or nothing waited. */
    uint64_t waiter;
    uint64_t waited_from;
};

/* In order of time. */
struct cm_why {
    CM_LIST(struct cm_why_link) links;
};
void cm_why_finish(struct cm_why *why);

/* Of a whole run: its links add up to its cycles. False when out of memory. */
bool cm_why_run(const struct cm_trace *trace, struct cm_why *why);
/* Of a packet, from its arrival (or, if it waits for a channel at `cycle`, from when it gets that)
 * back to the beginning of the router's run. Empty: it never got there. */
bool cm_why_packet(const struct cm_trace *trace, uint64_t packet, uint64_t cycle,
                   struct cm_why *why);
/* The last packet to arrive within a run of the router; UINT64_MAX: none that is recorded. */
uint64_t cm_why_last_packet(const struct cm_trace *trace, const struct cm_trace_event *run);
/* Of what happens at a cycle of the sequencer: the instructions that it waited for, at most `most`
 * of them, a link each, back to the start of the IMP: an unload for its exchange, that for its
 * load. */
bool cm_why_instruction(const struct cm_trace *trace, uint64_t cycle, uint32_t most,
                        struct cm_why *why);

/* The packet that waits at a cycle and waits longest of those, with its hop; false: none waits.
 * `channel`: of those that wait for it, or CM_TRACE_NONE. */
bool cm_why_longest_wait(const struct cm_trace *trace, uint64_t cycle, uint32_t channel,
                         struct cm_trace_hop *hop);

#endif
