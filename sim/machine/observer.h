/*
 * Observers: functions called with what a run does, while it does it. Events come in the order of
 * time, from the thread that runs the machine; what a function is given is valid during the call
 * alone. An observer changes nothing: results and cycles are the same with and without one, for any
 * number of threads, and a run without one spends nothing on it.
 *
 * The machine and the router report what they do; programs/workload reports steps and arrays, which
 * it runs.
 */
#ifndef CM_SIM_OBSERVER_H
#define CM_SIM_OBSERVER_H

#include "machine.h"

CM_BEGIN_DECLS

struct cm_router_delivery;
struct cm_router_options;

/* Which slots an instruction uses, in which node. */
enum cm_slots_kind {
    CM_SLOTS_NONE,
    CM_SLOTS_ONE,     /* number: the slot, the same in every node */
    CM_SLOTS_TABLE,   /* one in each node, from a communication table */
    CM_SLOTS_PENDING, /* an exchange: all of transposer A that were loaded since the last one */
};

/* The start of an IMP's run. */
struct cm_observed_start {
    const struct cm_imp *imp; /* that is run */
    uint64_t load;       /* number of its load into the sequencer's SRAM: one number, one content */
    enum cm_entry entry; /* by the front end or by the run-time library */
    uint64_t first_cycle; /* of what the front end does before the first instruction */
    const struct cm_counters *counters; /* after that */
};

/* An instruction, control flow too if the observer wants it; not the halt. */
struct cm_observed_issue {
    uint64_t first_cycle;               /* it begins with this one */
    const struct cm_counters *counters; /* after it */
    uint32_t charged; /* causes that cycles were charged to since the report before, a bit each */
    uint32_t pc;      /* its number within the IMP */
    uint64_t address; /* of its first memory operand */
    uint64_t other;   /* of its second; 0 without one */
    enum cm_slots_kind slots; /* which it uses */
    uint32_t number;          /* of the slots, for cm_machine_observed_slots */
    uint32_t generation;      /* TABLE, PENDING: within it a number of one kind keeps its meaning */
    struct cm_planes wires;   /* exchanges with data: transposer A, a plane a slot; else no words */
};

/*
 * Packets that get channels in one word time of the router's run; all of them, or some, in the
 * order of nodes.
 */
struct cm_observed_hops {
    uint64_t first; /* word time in which their first words cross */
    uint64_t end;   /* when their last words have crossed; 0: not known yet, see hops_end */
    uint32_t count; /* of hops */
    /* Of each hop: (node * dimensions + dimension) * 2 + channel, of the channel. */
    const uint32_t *channels;
    const uint64_t *asked;   /* of each: word time when it asked for the channel */
    const uint64_t *packets; /* of each: serial number of the packet */
};

/* A hop whose end was not known ends. */
struct cm_observed_hop_end {
    uint64_t end;     /* word time when its last word has crossed */
    uint32_t channel; /* as in cm_observed_hops */
};

/* An array and where its elements are; reported before the first step and after every reshape. */
struct cm_observed_array {
    uint32_t number;       /* in the workload's order */
    uint32_t like;         /* an earlier array with the same layout now; else its own number */
    const char *name;      /* as the workload has it */
    uint32_t rank;         /* axes */
    const uint64_t *shape; /* lengths, the axis that varies fastest first */
    uint64_t elements;     /* of the whole array */
    uint32_t slices;       /* words of an element */
    uint64_t address;      /* of its first word, in every node */
    uint64_t words;        /* in each node */
    /* Element 0 is in node 0, its local element 0, and every bit of an element's number (first
     * index fastest) moves it by bits of its own (exclusive or): `place` of the bits says all. */
    bool linear;
    const void *layout; /* for `place` and `places` */
    /* Where one element is: local element number << 32 | node. */
    uint64_t (*place)(const void *layout, uint64_t element);
    /* The same of each element, in their order. */
    void (*places)(const void *layout, uint64_t *places);
    const char *type; /* of the elements, as in workloads ("real32"); NULL: not known */
};

/* A statement of a program's source that is about to run. All texts outlive the run. */
struct cm_observed_line {
    const char *file;   /* its name */
    uint32_t line;      /* from 1 */
    uint32_t depth;     /* of the calls of subprograms; 0: the main program */
    const char *source; /* all of the file, `length` bytes */
    size_t length;      /* of source */
    uint64_t cycle;     /* when it begins */
};

/* Functions may be NULL. */
struct cm_observer {
    void *context; /* first argument of all of them */
    /* Whether `issued` need not be called for loops and for what changes address registers alone,
     * for speed. What they are charged is part of the next report. */
    bool without_control;
    /* an IMP is started */
    void (*run_begins)(void *context, const struct cm_observed_start *start);
    /* The instruction at `pc` is next, the halt too: nothing of it has happened yet. */
    void (*fetched)(void *context, uint32_t pc, const struct cm_counters *counters);
    /* an instruction was issued */
    void (*issued)(void *context, const struct cm_observed_issue *issue);
    /* the IMP has halted; counters as they are then */
    void (*run_ends)(void *context, const struct cm_counters *counters);
    /* The router: word time 0 is at `cycle`; its cycles are charged at the end. */
    void (*router_begins)(void *context, const struct cm_router_options *options, uint64_t cycle);
    void (*packet_sent)(void *context, uint64_t packet, uint32_t source, uint32_t destination,
                        uint64_t created); /* a packet is given to the router */
    /* Packets get channels. Of one word time all hops come first, then ends of hops, then arrivals,
     * each in the order of nodes. */
    void (*packets_hop)(void *context, const struct cm_observed_hops *hops);
    /* hops whose ends were not known end */
    void (*hops_end)(void *context, const struct cm_observed_hop_end *ends, uint32_t count);
    /* packets' last words are there, or will be */
    void (*packets_arrive)(void *context, const struct cm_router_delivery *arrivals,
                           uint32_t count);
    /* its cycles are charged now */
    void (*router_ends)(void *context, uint64_t first_cycle, const struct cm_counters *counters);
    /* `op` and `where` (a JSON pointer) outlive the run. */
    void (*step_begins)(void *context, const char *op, const char *where,
                        const struct cm_counters *counters);
    /* counters as they are then */
    void (*step_ends)(void *context, const struct cm_counters *counters);
    /* a statement of a program begins */
    void (*line_begins)(void *context, const struct cm_observed_line *line);
    /* where an array is from now on */
    void (*array_lies)(void *context, const struct cm_observed_array *array);
};

/* Calls a function of an observer, if there are both. */
#define CM_OBSERVE(observer, event, ...)                                                           \
    do {                                                                                           \
        if ((observer) != NULL && (observer)->event != NULL)                                       \
            (observer)->event((observer)->context, __VA_ARGS__);                                   \
    } while (0)

/* Reports to `observer` from now on, which must outlive the machine or be replaced; NULL: to
 * nobody. */
CM_API void cm_machine_observe(struct cm_machine *machine, const struct cm_observer *observer);
/* The machine's observer; NULL: none. */
CM_API const struct cm_observer *cm_machine_observer(const struct cm_machine *machine);

/* Within `issued`: the slots meant by issue->slots and issue->number, a bit each: slots[node]. */
CM_API void cm_machine_observed_slots(struct cm_machine *machine, enum cm_slots_kind kind,
                                      uint32_t number, uint64_t *slots);

/* The same of CM_SLOTS_TABLE alone, and faster: slot[node]. */
CM_API void cm_machine_observed_table(struct cm_machine *machine, uint32_t number, uint8_t *slot);

/* Slots of CM_SLOTS_PENDING as the loads that they come from: of the last one before *state, at
 * first the number of the slots, the kind, ONE or TABLE, and in *number the number; *state is then
 * the one before it. NONE: nothing was loaded. PENDING: tables changed since the loads, which are
 * not known. */
CM_API enum cm_slots_kind cm_machine_observed_load(const struct cm_machine *machine,
                                                   uint32_t *state, uint32_t *number);

/* Causes that cycles were charged to since the machine's observer heard of an instruction, or
 * became its observer, a bit each; others may be set too. */
CM_API uint32_t cm_machine_observed_charges(const struct cm_machine *machine);

/* Before a run of the router that cm_machine_route will charge: reports that it begins. */
CM_API void cm_machine_route_begins(struct cm_machine *machine,
                                    const struct cm_router_options *options);

/*
 * A program of your own marks the steps of a trace with these: what runs between the two calls
 * belongs to step `op` ("pshift", ...; one word). `where` says where it is, a JSON pointer in
 * workloads, and may be "". Both texts must outlive the observer. Steps do not nest.
 */
CM_API void cm_machine_step_begins(const struct cm_machine *machine, const char *op,
                                   const char *where);
CM_API void cm_machine_step_ends(const struct cm_machine *machine);

CM_END_DECLS

#endif
