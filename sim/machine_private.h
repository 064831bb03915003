/* What the files of sim/ share behind struct cm_machine; not installed. */
#ifndef CM_SIM_MACHINE_PRIVATE_H
#define CM_SIM_MACHINE_PRIVATE_H

#include "channels.h"
#include "clock.h"
#include "fpu.h"
#include "memory.h"
#include "nontemporal.h"
#include "observer.h"
#include "pool.h"

#include <stdatomic.h>

struct cm_loaded_imp {
    const struct cm_imp *imp;
    uint64_t load; /* number of this load */
    uint64_t words;
    double moved_words; /* about, by its move instructions, in each node */
};

enum cm_fault_kind {
    CM_FAULT_NONE,
    CM_FAULT_ADDRESS,  /* detail[0]: the address, as int64_t; detail[1]: words accessed */
    CM_FAULT_SLOT,     /* detail[0]: slot, detail[1]: node */
    CM_FAULT_CONFLICT, /* detail[0]: slot, detail[1]: node */
    CM_FAULT_MEMORY,   /* of the host */
    CM_FAULT_INTERRUPT,
};

/*
 * One host thread's view of the sequencer. All workers step through the same instructions with the
 * same registers, so that they agree without talking; each moves the data of its own nodes. Worker
 * 0 holds the clock.
 */
struct cm_worker {
    struct cm_machine *machine;
    struct cm_lanes lanes;
    struct cm_clock *clock; /* NULL but in worker 0 */
    struct cm_channels traffic;
    int64_t address[CM_ADDRESS_REGISTERS];
    struct {
        uint32_t start; /* index of the loop instruction */
        int32_t left;   /* iterations to go, this one included */
    } * loops;
    uint32_t loop_depth;
    uint32_t pc;
    bool context_full; /* the context flag is set in every node */
    uint64_t words_sent;
    uint64_t exchange_cycle; /* first one of the exchange at hand, for observers */
    enum cm_fault_kind fault;
    uint32_t fault_pc;
    int64_t fault_detail[2];
};

struct cm_machine {
    struct cm_config config;
    uint32_t nodes;
    uint32_t dimensions;
    uint64_t channel_slots; /* slots that drive a channel, a bit each */
    bool timing_only;
    struct cm_memory memory;
    uint32_t *transposers[CM_TRANSPOSER_COUNT]; /* [slot * nodes + node]; NULL when timing only */
    struct cm_fpu fpu;
    uint32_t *context; /* all ones or 0, a node each; in use when not full */
    const struct cm_indirect_kernels *way_kernels;
    struct cm_clock clock;
    struct cm_worker *workers;
    uint32_t worker_count;
    struct cm_pool *pool;
    struct cm_loaded_imp *loaded;
    uint32_t loaded_count, loaded_capacity;
    uint64_t sram_used;
    uint64_t loads;                     /* IMPs taken in so far */
    const struct cm_observer *observer; /* NULL: none */
    atomic_bool interrupted;
    /* the run under way */
    const struct cm_imp *imp;
    const struct cm_actual *actuals;
    bool stream; /* its moves are better kept out of the host's caches */
};

/* The sequencer (sequencer.c): runs machine->imp on one worker until halt or fault. */
void cm_sequencer_run(struct cm_worker *worker);

/* The data part of an instruction (execute.c), on the worker's nodes. */
void cm_execute(struct cm_worker *worker, const struct cm_instruction *instruction,
                const struct cm_effective *at, struct cm_indirect way);

#endif
