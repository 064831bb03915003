/*
 * The slow machine: an interpreter of IMPs in which everything is where the papers have it. Each
 * node is a struct with its own memory, transposers, FPU and context; each instruction is a loop
 * over nodes; each cycle is charged on the spot. It shares no code with sim/ and is compared with
 * it to the word and to the cycle.
 */
#ifndef CM_TESTS_LOCKSTEP_SLOW_MACHINE_H
#define CM_TESTS_LOCKSTEP_SLOW_MACHINE_H

#include "../../sim/machine/machine.h"

struct cm_slow_node {
    uint32_t *memory; /* config.memory_words words */
    uint32_t slots[CM_TRANSPOSER_COUNT][CM_SLOTS_MAX];
    bool pending[CM_SLOTS_MAX]; /* A slots written since the last exchange */
    uint64_t fpu[CM_FPU_REGISTERS];
    bool context;
    uint64_t sent[16][2]; /* words over the channels that leave this node */
};

struct cm_slow_loop {
    uint32_t body; /* first instruction after the loop instruction */
    int32_t left;  /* iterations to go, the present one included */
};

struct cm_slow_machine {
    struct cm_config config;
    uint32_t node_count;
    uint32_t dimensions;
    struct cm_slow_node *nodes;
    int64_t address[CM_ADDRESS_REGISTERS];
    struct cm_slow_loop loops[1024];
    uint32_t loop_count;
    uint64_t last_address; /* in memory, if accessed */
    bool accessed;
    bool scattered; /* the last access was to different pages in different nodes */
    uint64_t since_refresh;
    uint64_t now;                     /* cycles charged, refresh not counted */
    uint64_t a_free[CM_SLOTS_MAX];    /* when an exchange has sent the slot of A ... */
    uint64_t b_ready[CM_SLOTS_MAX];   /* ... and brought that of B */
    bool keeps_c;                     /* the IMP uses C, so loads into A can't wait there */
    struct cm_instruction vector[32]; /* the FPU's vector, as far as it has come */
    uint32_t vector_length;           /* 0: the next instruction begins one */
    struct cm_counters counters;
    bool faulted;
    bool index_faulted; /* the fault depends on data, so a machine without data does not have it */
    bool nan_seen;      /* an FPU result was not a number: its bits depend on the host */
};

/* False when out of memory. */
bool cm_slow_create(struct cm_slow_machine *machine, const struct cm_config *config,
                    uint32_t nodes);
void cm_slow_finish(struct cm_slow_machine *machine);

/* Runs a verified IMP to its halt: CM_OK, or CM_FAULT when the program faults. */
enum cm_status cm_slow_run(struct cm_slow_machine *machine, const struct cm_imp *imp,
                           const struct cm_actual *actuals, enum cm_entry entry);

#endif
