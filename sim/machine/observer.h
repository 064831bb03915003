/*
 * Observers: functions that are called with the events of a run while it happens. Events come in
 * the order of time, from the thread that runs the machine. Arguments are valid only during the
 * call.
 *
 * An observer changes nothing: results and cycles are the same with and without one, for any number
 * of threads. A run without an observer spends no time on it.
 *
 * The machine and the router report their own events. programs/workload reports steps and arrays.
 */
#ifndef CM_SIM_OBSERVER_H
#define CM_SIM_OBSERVER_H

#include "machine.h"

CM_BEGIN_DECLS

struct cm_router_delivery;
struct cm_router_options;

/* Kind of the transposer slots that an instruction uses. */
enum cm_slots_kind {
    CM_SLOTS_NONE,
    CM_SLOTS_ONE,     /* `number` is the slot, the same in every node */
    CM_SLOTS_TABLE,   /* one slot in each node, from a communication table */
    CM_SLOTS_PENDING, /* an exchange: all slots of transposer A loaded since the last exchange */
};

/* Start of a run of an IMP. */
struct cm_observed_start {
    const struct cm_imp *imp; /* IMP that is run */
    /* Number of the IMP's load into the sequencer's SRAM. Equal numbers mean equal contents. */
    uint64_t load;
    enum cm_entry entry; /* way in which the front end started the run */
    /* first cycle of the front end's start-up, before the first instruction */
    uint64_t first_cycle;
    const struct cm_counters *counters; /* counters after the start-up */
};

/* Issued instruction. Control flow is reported if the observer wants it. The halt is not
 * reported. */
struct cm_observed_issue {
    uint64_t first_cycle;               /* cycle in which the instruction begins */
    const struct cm_counters *counters; /* counters after the instruction */
    uint32_t charged;                   /* causes charged since the previous report, a bit each */
    uint32_t pc;                        /* index of the instruction within the IMP */
    uint64_t address;                   /* address of its first memory operand */
    uint64_t other;                     /* address of its second memory operand, or 0 without one */
    enum cm_slots_kind slots;           /* kind of the transposer slots that the instruction uses */
    uint32_t number; /* number that identifies the slots for cm_machine_observed_slots */
    /* Generation of `number` for CM_SLOTS_TABLE and CM_SLOTS_PENDING. A number keeps its meaning
     * within a generation. */
    uint32_t generation;
    /* For an exchange in a machine with data: the words of transposer A, one plane for each slot.
     * Otherwise `wires.words` is NULL. */
    struct cm_planes wires;
};

/*
 * Packets that get channels in one word time of a run of the router. A report has all such packets
 * or some of them, in the order of nodes.
 */
struct cm_observed_hops {
    uint64_t first; /* word time in which the packets' first words cross */
    /* word time when the packets' last words have crossed, or 0 if the time is not known yet
     * (hops_end) */
    uint64_t end;
    uint32_t count; /* number of hops */
    /* Channel of each hop: (node * dimensions + dimension) * 2 + channel. */
    const uint32_t *channels;
    const uint64_t *asked;   /* word time when each packet asked for its channel */
    const uint64_t *packets; /* serial number of each packet */
};

/* End of a hop whose end was not known before. */
struct cm_observed_hop_end {
    uint64_t end;     /* word time when the packet's last word has crossed */
    uint32_t channel; /* channel, numbered as in cm_observed_hops */
};

/* Array and the location of its elements. It is reported before the first step and after every
 * reshape. */
struct cm_observed_array {
    uint32_t number;       /* number of the array in the order of the workload */
    uint32_t like;         /* number of an earlier array with the same layout, or its own number */
    const char *name;      /* name in the workload */
    uint32_t rank;         /* number of axes */
    const uint64_t *shape; /* lengths of the axes, the axis that varies fastest first */
    uint64_t elements;     /* number of elements of the whole array */
    uint32_t slices;       /* number of words of an element */
    uint64_t address;      /* address of the array's first word, the same in every node */
    uint64_t words;        /* number of words of the array in each node */
    /* True if element locations are linear over bits. Then element 0 is local element 0 of node 0,
     * and every bit of an element's number (first index fastest) changes the location by an
     * exclusive or. The locations of elements 1, 2, 4 and so on determine all other locations. */
    bool linear;
    const void *layout; /* layout, argument of `place` and `places` */
    /* Returns the location of one element: local element number << 32 | node. */
    uint64_t (*place)(const void *layout, uint64_t element);
    /* Writes the locations of all elements, in their order. */
    void (*places)(const void *layout, uint64_t *places);
    const char *type; /* type of the elements, as in workloads ("real32"), or NULL if unknown */
};

/* Statement of a program's source that is about to run. All texts outlive the run. */
struct cm_observed_line {
    const char *file;   /* name of the source file */
    uint32_t line;      /* line number, from 1 */
    uint32_t depth;     /* depth of subprogram calls, or 0 in the main program */
    const char *source; /* text of the whole file, `length` bytes */
    size_t length;      /* length of `source` in bytes */
    uint64_t cycle;     /* cycle in which the statement begins */
};

/* Observer: a set of functions. Each function may be NULL. */
struct cm_observer {
    void *context; /* first argument of all functions */
    /* True to skip `issued` for loops and for instructions that only change address registers, for
     * speed. Their charges are part of the next report. */
    bool without_control;
    /* Called when an IMP is started. */
    void (*run_begins)(void *context, const struct cm_observed_start *start);
    /* Called before the instruction at `pc`, the halt included. Nothing of the instruction has
     * happened yet. */
    void (*fetched)(void *context, uint32_t pc, const struct cm_counters *counters);
    /* Called after an instruction was issued. */
    void (*issued)(void *context, const struct cm_observed_issue *issue);
    /* Called after the IMP has halted, with the counters at that time. */
    void (*run_ends)(void *context, const struct cm_counters *counters);
    /* Called when the router begins. Word time 0 is at `cycle`. Cycles of the router are charged at
     * its end. */
    void (*router_begins)(void *context, const struct cm_router_options *options, uint64_t cycle);
    void (*packet_sent)(void *context, uint64_t packet, uint32_t source, uint32_t destination,
                        uint64_t created); /* a packet is given to the router */
    /* Called when packets get channels. Within a word time all hops come first, then ends of hops,
     * then arrivals, each in the order of nodes. */
    void (*packets_hop)(void *context, const struct cm_observed_hops *hops);
    /* Called when hops end whose ends were not known. */
    void (*hops_end)(void *context, const struct cm_observed_hop_end *ends, uint32_t count);
    /* Called when the last words of packets have arrived, or earlier, as soon as the time of their
     * arrival is known. */
    void (*packets_arrive)(void *context, const struct cm_router_delivery *arrivals,
                           uint32_t count);
    /* Called when the router ends, after its cycles are charged. */
    void (*router_ends)(void *context, uint64_t first_cycle, const struct cm_counters *counters);
    /* Called when a step begins. `op` and `where` (a JSON pointer) outlive the run. */
    void (*step_begins)(void *context, const char *op, const char *where,
                        const struct cm_counters *counters);
    /* Called when a step ends, with the counters at that time. */
    void (*step_ends)(void *context, const struct cm_counters *counters);
    /* Called when a statement of a program begins. */
    void (*line_begins)(void *context, const struct cm_observed_line *line);
    /* Called when an array gets a location. */
    void (*array_lies)(void *context, const struct cm_observed_array *array);
};

/* Calls a function of an observer, if both exist. */
#define CM_OBSERVE(observer, event, ...)                                                           \
    do {                                                                                           \
        if ((observer) != NULL && (observer)->event != NULL)                                       \
            (observer)->event((observer)->context, __VA_ARGS__);                                   \
    } while (0)

/* Reports to `observer` from now on. The observer must outlive the machine or be replaced. NULL
 * ends reporting. */
CM_API void cm_machine_observe(struct cm_machine *machine, const struct cm_observer *observer);
/* Returns the machine's observer, or NULL without one. */
CM_API const struct cm_observer *cm_machine_observer(const struct cm_machine *machine);

/* Writes for each node the transposer slots that an instruction uses, a bit each. `kind` and
 * `number` come from the instruction's report, and the function may be called only within
 * `issued`. */
CM_API void cm_machine_observed_slots(struct cm_machine *machine, enum cm_slots_kind kind,
                                      uint32_t number, uint64_t *slots);

/* Writes for each node the number of the slot that a communication table names. It is faster than
 * cm_machine_observed_slots for CM_SLOTS_TABLE. */
CM_API void cm_machine_observed_table(struct cm_machine *machine, uint32_t number, uint8_t *slot);

/*
 * Lists the loads that filled transposer A before an exchange, the last load first. The exchange
 * was reported with slots of kind CM_SLOTS_PENDING, and *state is at first the number in this
 * report. Each call returns the kind of a load (CM_SLOTS_ONE or CM_SLOTS_TABLE), sets *number to
 * the load's slot or table, and sets *state for the next call, which returns the load before.
 * Returns CM_SLOTS_NONE after the first load, and CM_SLOTS_PENDING if earlier loads are unknown,
 * because communication tables changed after them.
 */
CM_API enum cm_slots_kind cm_machine_observed_load(const struct cm_machine *machine,
                                                   uint32_t *state, uint32_t *number);

/* Returns the causes charged since the observer was last notified of an instruction, a bit each.
 * All bits are set until the first notification. */
CM_API uint32_t cm_machine_observed_charges(const struct cm_machine *machine);

/* Reports to the observer that a run of the router begins. cm_machine_route will charge this
 * run. */
CM_API void cm_machine_route_begins(struct cm_machine *machine,
                                    const struct cm_router_options *options);

/*
 * Marks the steps of a trace, for programs that run the machine directly. Everything that runs
 * between the two calls belongs to step `op` ("pshift", ..., one word). `where` is the position of
 * the step, a JSON pointer in workloads, and may be "". Both texts must outlive the observer. Steps
 * do not nest.
 */
CM_API void cm_machine_step_begins(const struct cm_machine *machine, const char *op,
                                   const char *where);
CM_API void cm_machine_step_ends(const struct cm_machine *machine);

CM_END_DECLS

#endif
