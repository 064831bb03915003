/*
 * Observers: who wants to know what a run does while it does it. An observer is told of events, in
 * the order of time, by the thread that runs the machine; what it is given is true during the call
 * alone. It changes nothing: results and cycles are the same with and without one, for any number
 * of threads, and without one nothing is spent on it.
 *
 * The machine and the router tell of what they do; steps and arrays are told by whoever runs them
 * (programs/workload).
 */
#ifndef CM_SIM_OBSERVER_H
#define CM_SIM_OBSERVER_H

#include "machine.h"
#include "router.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which slots an instruction uses, in which node. */
enum cm_slots_kind {
    CM_SLOTS_NONE,
    CM_SLOTS_ONE, /* number: the slot, the same in every node */
    CM_SLOTS_WAY, /* a way through a communication table: one slot a node, each its own */
    /* an exchange: all slots of transposer A that were loaded since the last one */
    CM_SLOTS_PENDING,
};

/* A run of an IMP begins. */
struct cm_observed_start {
    const struct cm_imp *imp;
    uint64_t load; /* tells loads into the sequencer's SRAM apart: one number, one content */
    enum cm_entry entry;
    uint64_t first_cycle; /* of what the front end does before the first instruction */
    const struct cm_counters *counters; /* after that */
};

/* An instruction, control flow too; not the halt. */
struct cm_observed_issue {
    uint64_t first_cycle;
    const struct cm_counters *counters; /* after it */
    uint32_t pc;
    uint64_t address; /* of its first memory operand */
    uint64_t other;   /* of its second; 0 where it has none */
    enum cm_slots_kind slots;
    uint32_t number; /* of a way or of what is pending, for cm_machine_observed_slots; 0: none */
    uint32_t generation;   /* numbers of one kind and generation mean the same */
    const uint32_t *wires; /* exchanges with data: transposer A, [slot * nodes + node]; else NULL */
};

/* A packet goes over a channel of the router. Times are word times of the router's run. */
struct cm_observed_hop {
    uint64_t packet; /* its serial number */
    uint32_t node, dimension, channel;
    uint64_t asked; /* it wanted to go from here on */
    uint64_t first; /* its first word goes */
    uint64_t end;   /* its last word has gone; 0: not known yet, see hop_ends */
};

/* An array and where its elements lie; told before the first step and after every reshape. */
struct cm_observed_array {
    uint32_t number; /* in the workload's order */
    uint32_t like;   /* an earlier array that lies just so at this time; else its own number */
    const char *name;
    uint32_t rank;
    const uint64_t *shape;
    uint64_t elements;
    uint32_t slices;
    uint64_t address; /* of its first word, in every node */
    uint64_t words;   /* in each node */
    const void *layout;
    /* Fills in node and local element number of each element (first index fastest); false: out of
     * memory. */
    bool (*places)(const void *layout, uint32_t *nodes, uint64_t *locals);
};

/* Functions may be NULL. */
struct cm_observer {
    void *context;
    void (*run_begins)(void *context, const struct cm_observed_start *start);
    void (*issued)(void *context, const struct cm_observed_issue *issue);
    void (*run_ends)(void *context, const struct cm_counters *counters);
    /* The router: word time 0 is at `cycle`; it is charged when it has ended. */
    void (*router_begins)(void *context, const struct cm_router_options *options, uint64_t cycle);
    void (*packet_sent)(void *context, uint64_t packet, uint32_t source, uint32_t destination,
                        uint64_t created);
    void (*packet_hops)(void *context, const struct cm_observed_hop *hop);
    void (*hop_ends)(void *context, uint32_t node, uint32_t dimension, uint32_t channel,
                     uint64_t end);
    void (*packet_arrives)(void *context, uint64_t packet, uint32_t hops, uint64_t arrived);
    void (*router_ends)(void *context, uint64_t first_cycle, const struct cm_counters *counters);
    /* `op` and `where` (a JSON pointer) outlive the run. */
    void (*step_begins)(void *context, const char *op, const char *where,
                        const struct cm_counters *counters);
    void (*step_ends)(void *context, const struct cm_counters *counters);
    void (*array_lies)(void *context, const struct cm_observed_array *array);
};

/* From now on tells `observer`, which must outlive the machine or be replaced; NULL: nobody. */
CM_API void cm_machine_observe(struct cm_machine *machine, const struct cm_observer *observer);
/* Who is told; NULL: nobody. */
CM_API const struct cm_observer *cm_machine_observer(const struct cm_machine *machine);

/* Within `issued`: the slots meant by issue->slots and issue->number, a bit each: slots[node]. */
CM_API void cm_machine_observed_slots(struct cm_machine *machine, enum cm_slots_kind kind,
                                      uint32_t number, uint64_t *slots);

/* Before a run of the router that cm_machine_route will charge: tells that it begins. */
CM_API void cm_machine_route_begins(struct cm_machine *machine,
                                    const struct cm_router_options *options);

#ifdef __cplusplus
}
#endif

#endif
