/*
 * Critical path: why a run or a packet took as long as it did.
 *
 * A chain is a list of links. A link is an interval of cycles in which one thing delayed everything
 * after it: a packet that crosses a channel, or a step of the sequencer. The chain is found
 * backwards, from the end of a run or from a packet.
 *
 * Invariant: the links of a chain lie end to end, so every cycle belongs to one link.
 *
 * The search reads the trace only through the functions of trace.h.
 */
#ifndef CM_TRACE_WHY_H
#define CM_TRACE_WHY_H

#include "../base/list.h"
#include "trace.h"

enum cm_why_kind {
    CM_WHY_STEP,    /* instructions and control flow of a step, or between steps */
    CM_WHY_ROUTER,  /* time of a router run that no packet explains */
    CM_WHY_SENDING, /* time before a packet was created, which nothing blocked */
    /* a packet crosses a channel, and is then routed in the node behind the channel */
    CM_WHY_CROSSES,
};

struct cm_why_link {
    enum cm_why_kind kind;
    uint64_t first_cycle, end_cycle;
    uint32_t step;    /* step of the link, or CM_TRACE_NONE */
    uint64_t packet;  /* packet of the link, or UINT64_MAX */
    uint32_t channel; /* channel that the packet crosses */
    /* Packet that waited until end_cycle for the packet of this link, and the cycle at which its
     * wait began. UINT64_MAX: no packet waited, or the next link is about the same packet. */
    uint64_t waiter;
    uint64_t waited_from;
};

/* Chain of links in order of time. */
struct cm_why {
    CM_LIST(struct cm_why_link) links;
};
void cm_why_finish(struct cm_why *why);

/* Finds the chain of a whole run. The links add up to the run's cycles. Returns false when out of
 * memory. */
bool cm_why_run(const struct cm_trace *trace, struct cm_why *why);
/* Finds the chain of a packet, from the beginning of the router's run. The chain ends when the
 * packet arrives. If the packet waits for a channel at `cycle`, the chain ends when the packet gets
 * this channel. The chain is empty if the packet never arrives or never gets the channel. Returns
 * false when out of memory. */
bool cm_why_packet(const struct cm_trace *trace, uint64_t packet, uint64_t cycle,
                   struct cm_why *why);
/* Returns the packet that arrives last within a run of the router. Returns UINT64_MAX if no
 * recorded packet arrives. */
uint64_t cm_why_last_packet(const struct cm_trace *trace, const struct cm_trace_event *run);
/* Finds the chain of the instructions that the instruction at a cycle waited for, from the start of
 * the IMP. An unload waits for its exchange, and an exchange for its load. The chain has at most
 * `most` links, one for each instruction. Returns false when out of memory. */
bool cm_why_instruction(const struct cm_trace *trace, uint64_t cycle, uint32_t most,
                        struct cm_why *why);

/* Finds the hop of the packet that waits longest among all packets that wait at a cycle. If
 * `channel` is not CM_TRACE_NONE, considers only packets that wait for this channel. Returns false
 * if no packet waits. */
bool cm_why_longest_wait(const struct cm_trace *trace, uint64_t cycle, uint32_t channel,
                         struct cm_trace_hop *hop);

#endif
