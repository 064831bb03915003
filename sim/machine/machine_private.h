/* The structs behind struct cm_machine, shared by sim/machine and sim/executor. This header is not
 * installed. */
#ifndef CM_SIM_MACHINE_PRIVATE_H
#define CM_SIM_MACHINE_PRIVATE_H

#include "../../base/page.h"
#include "../../base/processes.h"
#include "../executor/block_cache.h"
#include "../executor/deferred.h"
#include "../executor/executor.h"
#include "../executor/moves.h"
#include "../host/pool.h"
#include "../lanes/fpu.h"
#include "accesses.h"
#include "channels.h"
#include "clock.h"
#include "front_end.h"
#include "memory.h"
#include "observer.h"

#include <stdatomic.h>

struct cm_loaded_imp {
    const struct cm_imp *imp;
    uint64_t load; /* number of this load into the SRAM, counted from the machine's first load */
    uint64_t words;
    bool names_c;       /* true if some instruction uses transposer C */
    double moved_words; /* estimate of the words that move instructions move in each node */
    /* Estimate of the words that the IMP stores in each node, or 0 if the IMP reads an argument to
     * which it stores. */
    double streamed_words;
    bool crowded; /* true if generated code is faster with shorter queues */
};

enum cm_fault_kind {
    CM_FAULT_NONE,
    /* detail[0]: the address, as int64_t. detail[1]: number of words accessed. */
    CM_FAULT_ADDRESS,
    CM_FAULT_SLOT,     /* detail[0]: slot. detail[1]: node. */
    CM_FAULT_CONFLICT, /* detail[0]: slot. detail[1]: node. */
    CM_FAULT_INDEX,    /* detail[0]: index, as int32_t. detail[1]: node. */
    CM_FAULT_MEMORY,   /* the host refused memory */
    CM_FAULT_INTERRUPT,
    CM_FAULT_LOST, /* another process has ended */
};

/* Distance in bytes between data of different threads: two cache lines, because CPUs prefetch lines
 * in pairs. */
#define CM_APART 128u

/*
 * Worker: one host thread and its copy of the sequencer's state. All workers execute the same
 * instructions with the same address registers, so they agree without communicating. Each worker
 * moves the data of its own nodes. Worker 0 holds the clock.
 */
struct cm_worker {
    _Alignas(CM_APART) struct cm_machine *machine;
    uint32_t first_partition, partition_count; /* the worker's partitions: first one, and number */
    /* Current partition, and the worker's nodes in it, counted from the partition's first node. The
     * state of these nodes is in transposers [slot * lanes.nodes + node] and context [node]. */
    uint32_t partition;
    struct cm_lanes lanes;
    uint32_t *transposers[CM_TRANSPOSER_COUNT];
    uint32_t *context;
    struct cm_clock *clock; /* the machine's clock in worker 0, else NULL */
    struct cm_channels channels;
    int64_t address[CM_ADDRESS_REGISTERS];
    struct {
        uint32_t start; /* index of the loop instruction */
        int32_t left;   /* remaining iterations, including the current one */
    } * loops;
    uint32_t loop_depth;
    uint32_t pc;
    bool context_full; /* true if the context flag is set in every node */
    struct cm_deferred deferred;
    /* state of the registers before work that is repeated for each partition (do_partitions in
     * executor/execute.c) */
    struct cm_register before[CM_FPU_REGISTERS];
    struct cm_block_cache *block_cache; /* NULL without generated code */
    struct cm_moves moves;
    uint64_t words_sent;
    uint32_t iterations;               /* iterations of all loops, modulo 2^32 */
    struct cm_observed_issue observed; /* description of the current instruction for observers */
    enum cm_fault_kind fault;
    uint32_t fault_pc;
    int64_t fault_detail[2];
};

struct cm_machine {
    struct cm_config config;
    uint32_t nodes;
    uint32_t dimensions;
    /* Link to the other processes that have nodes of this machine, and the range of this process's
     * nodes. Without data, or with one process, the range is all nodes. Planes have room for all
     * nodes, and the host backs only the words of this process's nodes. */
    const struct cm_process_link *link; /* NULL with one process */
    uint32_t first_node, own_nodes;
    /* Number and size of the partitions of nodes. The words of a partition are adjacent (memory.h).
     * There are as many partitions as workers, or one. */
    uint32_t partition_count, partition_nodes;
    struct cm_channels_finding finding;
    /* Status of operations done together with other processes, kept by worker 0. Worker 0 copies it
     * to `lost`, which all workers read after a barrier. */
    enum cm_status joined;
    bool lost;
    uint64_t channel_slots; /* slots that drive a channel, a bit each */
    /* Slots that bring words to another worker's nodes, a bit each. */
    uint64_t crossing_slots;
    bool timing_only;
    struct cm_memory memory;
    enum cm_status reserved; /* status of the last attempt during a run to reserve planes */
    void *node_state;        /* allocation of the transposers and context flags below */
    /* distance between the states of consecutive partitions, in words */
    size_t partition_state_words;
    /* transposers of the first partition, or NULL if timing only */
    uint32_t *transposers[CM_TRANSPOSER_COUNT];
    /* [node]: context flags of the first partition, all ones or 0, valid while a worker's
     * `context_full` is false */
    uint32_t *context;
    struct cm_fpu fpu;
    const struct cm_indirect_kernels *indirect_kernels;
    const struct cm_fpu_memory_kernels *memory_kernels;
    /* [instruction]: loop over the nodes, for instructions whose operands are all registers */
    cm_lane_kernel kernels[CM_OP_COUNT];
    _Alignas(CM_APART) struct cm_clock clock; /* clock of worker 0 */
    struct cm_front_end front_end;
    _Alignas(CM_APART) struct cm_worker *workers;
    uint32_t worker_count;
    uint32_t active_workers; /* number of workers active in this run: all, or 1 */
    uint32_t deferred_max;   /* largest number of deferred operations of a worker */
    struct cm_pool *pool;
    struct cm_loaded_imp *loaded;
    uint32_t loaded_count, loaded_capacity;
    uint64_t sram_used;
    uint64_t loads;                     /* number of IMPs loaded into the SRAM so far */
    const struct cm_observer *observer; /* NULL without observer */
    atomic_bool interrupted;
    void (*report_progress)(void *context); /* function that cm_machine_set_progress has set */
    void *progress_context;
    enum cm_executor executor; /* LOOPS, AVX2 or AVX512 */
    /* The members below describe the current run. */
    const struct cm_imp *imp;
    uint64_t load; /* number of the load that put the IMP into the SRAM */
    const struct cm_actual *actuals;
    bool nontemporal; /* true if moves bypass the host's caches */
    bool streams;     /* true if stores bypass the host's caches */
    bool always_streams;
};

/* Instruction as the sequencer issues it. */
struct cm_issue {
    const struct cm_instruction *instruction;
    struct cm_effective at;
    uint32_t key;              /* key of the communication table, for loadi and unloadi */
    struct cm_indirect choice; /* slots that the communication table names */
};

/* Returns transposer `transposer` of a partition: [slot * partition_nodes + node]. */
static inline uint32_t *cm_transposer(const struct cm_machine *machine, uint32_t partition,
                                      uint32_t transposer)
{
    return machine->transposers[transposer] + partition * machine->partition_state_words;
}

/* Returns a transposer or the context flags in the form of planes. A transposer has one plane for
 * each slot. */
static inline struct cm_planes cm_state_planes(const struct cm_machine *machine,
                                               uint32_t *of_first_partition)
{
    return (struct cm_planes){.words = of_first_partition,
                              .partition_words = machine->partition_state_words,
                              .partition_nodes = machine->partition_nodes};
}

/* Returns the number of the worker's first node in its current partition. */
static inline uint32_t cm_worker_node(const struct cm_worker *worker)
{
    return CM_FOR_A_PAGE
               ? worker->lanes.first
               : worker->partition * worker->machine->partition_nodes + worker->lanes.first;
}

/* Returns the words of the current partition in the plane of an address. */
static inline uint32_t *cm_worker_plane(const struct cm_worker *worker, uint64_t address)
{
    return cm_memory_plane(&worker->machine->memory, worker->partition, address);
}

/* machine.c: charges the start of a run, and begins a call of the front end unless the run belongs
 * to an earlier call. */
void cm_machine_enter(struct cm_machine *machine, enum cm_entry entry);
/* machine.c: sets how many accesses to planes may be queued before generated code executes the
 * queue. */
void cm_machine_limit_queues(struct cm_machine *machine, bool crowded);

/* Adds `words` to an address, modulo 2^64. The result may be outside node memory, because only the
 * address of an access must be valid. */
static inline int64_t cm_address_add(int64_t address, int64_t words)
{
    return (int64_t)((uint64_t)address + (uint64_t)words);
}

/* Executes an instruction of the address registers. Does nothing for other instructions. */
static inline void cm_address_control(int64_t *registers, const struct cm_instruction *instruction,
                                      const struct cm_actual *actuals)
{
    const struct cm_operand *operands = instruction->operands;
    int64_t *to = &registers[operands[0].reg];
    if (instruction->op == CM_OP_ASET)
        *to = operands[1].value;
    else if (instruction->op == CM_OP_AADD)
        *to = cm_address_add(*to, operands[1].value);
    else if (instruction->op == CM_OP_ACOPY)
        *to = cm_address_add(registers[operands[1].reg], operands[2].value);
    else if (instruction->op == CM_OP_AARG)
        *to = (int64_t)actuals[operands[1].value].address;
}

/* sram.c: returns whether an IMP names transposer C. */
bool cm_imp_names_c(const struct cm_imp *imp);

/* Returns the number of words that an instruction accesses at its first memory operand. */
static inline uint32_t cm_access_words(enum cm_op op)
{
    return op == CM_OP_FLOAD64 || op == CM_OP_FSTORE64 || op == CM_OP_FLOADX64 ||
                   op == CM_OP_FSTOREX64
               ? 2
               : 1;
}

/* Index of the operand of an indexed load or store that names the FPU register with the indices,
 * one in each node. */
#define CM_INDEX_OPERAND 2u

/* Returns the number of words, from the first memory operand on, in which an instruction's accesses
 * lie. For an indexed load or store these are all words that an index may select. */
static inline uint64_t cm_reach_words(const struct cm_instruction *instruction)
{
    return cm_op_accesses[instruction->op].indexed ? (uint64_t)instruction->operands[3].value
                                                   : cm_access_words(instruction->op);
}

/* sram.c: returns a loaded IMP, or NULL if the IMP is not loaded. */
struct cm_loaded_imp *cm_machine_find_loaded(const struct cm_machine *machine,
                                             const struct cm_imp *imp);

/* sequencer.c: combines a finding about channels with the findings of all processes. It is the
 * function `agree` of struct cm_channels. */
bool cm_worker_agree(void *context, struct cm_channels_finding *finding);

/* workers.c: makes `count` workers active from now on: all workers, or worker 0 for all nodes.
 * Returns false, with no effect, when out of memory. */
bool cm_workers_activate(struct cm_machine *machine, uint32_t count);
/* Makes the worker work on another of its partitions. Its queue must be empty. */
void cm_worker_select_partition(struct cm_worker *worker, uint32_t partition);

/* fault.c: describes a worker's fault in *err, and returns the status of the run. */
enum cm_status cm_fault_report(const struct cm_worker *worker, struct cm_error *err);

#endif
