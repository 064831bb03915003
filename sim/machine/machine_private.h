/* What the files of sim/ share behind struct cm_machine; not installed. */
#ifndef CM_SIM_MACHINE_PRIVATE_H
#define CM_SIM_MACHINE_PRIVATE_H

#include "../../base/page.h"
#include "../../base/processes.h"
#include "../executor/block_cache.h"
#include "../executor/deferred.h"
#include "../executor/fpu.h"
#include "../host/moves.h"
#include "../host/pool.h"
#include "channels.h"
#include "clock.h"
#include "memory.h"
#include "observer.h"

#include <stdatomic.h>

struct cm_loaded_imp {
    const struct cm_imp *imp;
    uint64_t load; /* number of this load */
    uint64_t words;
    bool names_c;       /* some instruction uses transposer C */
    double moved_words; /* about, by its move instructions, in each node */
    /* The same of its stores, if they are into arguments of which nothing is read; else 0. */
    double streamed_words;
    bool crowded; /* queues of machine code are to be short */
};

enum cm_fault_kind {
    CM_FAULT_NONE,
    CM_FAULT_ADDRESS,  /* detail[0]: the address, as int64_t; detail[1]: words accessed */
    CM_FAULT_SLOT,     /* detail[0]: slot, detail[1]: node */
    CM_FAULT_CONFLICT, /* detail[0]: slot, detail[1]: node */
    CM_FAULT_MEMORY,   /* the host's */
    CM_FAULT_INTERRUPT,
    CM_FAULT_LOST, /* another process has ended */
};

/* Bytes: what one thread writes again and again is as far from what others read, as hosts fetch
 * lines of their caches in pairs. */
#define CM_APART 128u

/*
 * One host thread's view of the sequencer. All workers step through the same instructions with the
 * same registers, so that they agree without communicating; each moves the data of its own nodes.
 * Worker 0 holds the clock.
 */
struct cm_worker {
    _Alignas(CM_APART) struct cm_machine *machine;
    uint32_t first_part, part_count; /* of its nodes */
    /* The part that it works on, its nodes there, counted from the part's first one, and what they
     * have: [slot * lanes.nodes + node], [node]. */
    uint32_t part;
    struct cm_lanes lanes;
    uint32_t *transposers[CM_TRANSPOSER_COUNT];
    uint32_t *context;
    struct cm_clock *clock; /* NULL but in worker 0 */
    struct cm_channels channels;
    int64_t address[CM_ADDRESS_REGISTERS];
    struct {
        uint32_t start; /* index of the loop instruction */
        int32_t left;   /* iterations to go, this one included */
    } * loops;
    uint32_t loop_depth;
    uint32_t pc;
    bool context_full; /* the context flag is set in every node */
    struct cm_pending pending;
    struct cm_register
        before[CM_FPU_REGISTERS]; /* a task for parts; see do_parts in executor/execute.c */
    struct cm_notes *notes;       /* NULL: without machine code */
    struct cm_moves moves;
    uint64_t words_sent;
    uint32_t iterations;               /* of all loops, modulo 2^32 */
    struct cm_observed_issue observed; /* what observers get of the current instruction */
    enum cm_fault_kind fault;
    uint32_t fault_pc;
    int64_t fault_detail[2];
};

struct cm_machine {
    struct cm_config config;
    uint32_t nodes;
    uint32_t dimensions;
    /* The other processes that have nodes of this machine, and our nodes; without data and without
     * others we have all. Planes have room for all nodes, of which the host backs ours. */
    const struct cm_process_link *link; /* NULL: no others */
    uint32_t first_node, own_nodes;
    /* Nodes are in parts, whose words lie together (memory.h): as many as workers, or one. */
    uint32_t part_count, part_nodes;
    struct cm_channels_news news;
    /* Of what was done together with the other processes, kept by the worker that has the clock;
     * `lost` is what it tells all workers while they meet. */
    enum cm_status joined;
    bool lost;
    uint64_t channel_slots; /* slots that drive a channel, a bit each */
    /* Of these, the ones that bring words to another worker's nodes. */
    uint64_t crossing_slots;
    bool timing_only;
    struct cm_memory memory;
    enum cm_status reserved; /* of the last attempt of a worker to reserve planes */
    void *node_state;        /* what was allocated for the next ones */
    size_t part_state_words; /* from what a part has of them to what the next has */
    uint32_t *transposers[CM_TRANSPOSER_COUNT]; /* of the first part; NULL when timing only */
    uint32_t *context; /* the same: all ones or 0 for a node; in use when not full */
    struct cm_fpu fpu;
    const struct cm_indirect_kernels *indirect_kernels;
    const struct cm_fpu_memory_kernels *memory_kernels;
    cm_lane_kernel kernels[CM_OP_COUNT];      /* of instructions whose operands are all registers */
    _Alignas(CM_APART) struct cm_clock clock; /* worker 0's */
    _Alignas(CM_APART) struct cm_worker *workers;
    uint32_t worker_count;
    uint32_t at_work; /* of the workers, in this run: all, or the first one */
    uint32_t waiting; /* work that may wait in a worker */
    struct cm_pool *pool;
    struct cm_loaded_imp *loaded;
    uint32_t loaded_count, loaded_capacity;
    uint64_t sram_used;
    uint64_t loads;                     /* IMPs loaded so far */
    const struct cm_observer *observer; /* NULL: none */
    atomic_bool interrupted;
    void (*tell)(void *context); /* cm_machine_tell */
    void *tell_context;
    /* the current run */
    const struct cm_imp *imp;
    uint64_t load; /* number of the IMP's load */
    const struct cm_actual *actuals;
    bool nontemporal; /* its moves bypass the host's caches */
    bool streams;     /* its stores do */
    bool always_streams;
};

/* An instruction as the sequencer issues it. */
struct cm_issue {
    const struct cm_instruction *instruction;
    struct cm_effective at;
    uint32_t key;              /* of the communication table, in loadi and unloadi ... */
    struct cm_indirect choice; /* ... and the slots that it names */
};

/* Transposer `transposer` of a part: [slot * part_nodes + node]. */
static inline uint32_t *cm_transposer(const struct cm_machine *machine, uint32_t part,
                                      uint32_t transposer)
{
    return machine->transposers[transposer] + part * machine->part_state_words;
}

/* A transposer, a plane a slot, or the context flag, as planes. */
static inline struct cm_planes cm_state_planes(const struct cm_machine *machine,
                                               uint32_t *of_first_part)
{
    return (struct cm_planes){.words = of_first_part,
                              .part_words = machine->part_state_words,
                              .part_nodes = machine->part_nodes};
}

/* The worker's first node of those it works on. */
static inline uint32_t cm_worker_node(const struct cm_worker *worker)
{
    return CM_FOR_A_PAGE ? worker->lanes.first
                         : worker->part * worker->machine->part_nodes + worker->lanes.first;
}

/* What the worker works on has of the plane of an address. */
static inline uint32_t *cm_worker_plane(const struct cm_worker *worker, uint64_t address)
{
    return cm_memory_plane(&worker->machine->memory, worker->part, address);
}

/* machine.c: how much waits in the queues of machine code before it is played. */
void cm_machine_limit_queues(struct cm_machine *machine, bool crowded);

/* Words that an instruction accesses at its first memory operand. */
static inline uint32_t cm_access_words(enum cm_op op)
{
    return op == CM_OP_FLOAD64 || op == CM_OP_FSTORE64 ? 2 : 1;
}

/* The data part of an instruction (executor/execute.c), on the worker's nodes; it may wait, at most
 * until cm_execute_pending. */
void cm_execute(struct cm_worker *worker, const struct cm_issue *issue);
/* The same, not noted: it is done, or waits in the queue. */
void cm_execute_now(struct cm_worker *worker, const struct cm_issue *issue);
/* Whether an instruction has no data part: the sequencer does everything. */
bool cm_executes_nothing(enum cm_op op);
void cm_execute_pending(struct cm_worker *worker);
/* Before memory words change: registers that are copies of them are loaded. */
void cm_execute_change(struct cm_worker *worker, uint64_t address, uint64_t count);
/* Plays the queue; true when that was done by machine code. */
bool cm_execute_queue(struct cm_worker *worker);

/* sram.c: a loaded IMP; NULL when it is not loaded. */
struct cm_loaded_imp *cm_machine_find_loaded(const struct cm_machine *machine,
                                             const struct cm_imp *imp);

/* sequencer.c: what the channels of a worker ask, where other processes account for other nodes. */
bool cm_worker_agree(void *context, struct cm_channels_news *news);

/* host/workers.c: how many workers are at work from now on: all, or the first one for all nodes.
 * False when out of memory; then it stays as it was. */
bool cm_workers_set(struct cm_machine *machine, uint32_t count);
/* The worker works on another part of its nodes; nothing waits in its queue. */
void cm_worker_turn_to(struct cm_worker *worker, uint32_t part);

/* fault.c: the error that a worker's fault is for the caller of the run. */
enum cm_status cm_fault_report(const struct cm_worker *worker, struct cm_error *err);

#endif
