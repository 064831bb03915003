/*
 * The machine: nodes in lockstep, driven by one sequencer. This header is the public interface.
 *
 * A program makes a machine from a description, loads IMPs (microprograms) into the sequencer's
 * SRAM, writes data into node memory, runs IMPs, and reads data and counters back.
 *
 * Data:
 * - A node has memory, three transposers A, B and C, 32 FPU registers and a context flag.
 * - Memory is stored by address. The words that all nodes hold at one address form a plane.
 * - Planes are divided into partitions of nodes, one for each host thread that moves data.
 * - Time belongs to one clock, the clock of the sequencer.
 *
 * Invariants:
 * - Cycles are charged in clock.c alone, and do not depend on data.
 * - No result depends on threads, processes, observers or the host's way to execute instructions.
 * - A faulting program returns CM_FAULT. The library never prints, exits or aborts.
 *
 * Files:
 *   config          machine description
 *   machine         making, destroying and counting
 *   machine_planes  access of the front end to node memory
 *   machine_use     summary of what channels carried
 *   sram            loaded IMPs
 *   sequencer       runs an IMP: resolves addresses, charges the clock, accounts for channels, and
 *                   lets sim/executor move data
 *   workers         distribution of nodes to host threads
 *   clock, cost     cycles of instructions, DRAM pages, refresh
 *   front_end       time of the front end, which works while the machine works
 *   accesses        what the sequencer needs to know about each instruction
 *   channels        what each channel carries in an exchange (also channels_use)
 *   memory          planes in the host's address space
 *   remote          nodes of other processes
 *   observer        events of a run, for traces and debuggers
 *   inspect         state of the sequencer and the nodes
 *   fault           error messages of faults
 *   machine_private the structs behind struct cm_machine
 */
#ifndef CM_SIM_MACHINE_H
#define CM_SIM_MACHINE_H

#include "../../base/error.h"
#include "../../isa/imp.h"
#include "config.h"

#include <stdbool.h>

CM_BEGIN_DECLS

/* Largest number of threads of a machine. */
#define CM_THREADS_MAX 64u

/* Causes of cycles, as listed in cause.def. */
enum cm_cause {
#define CM_CAUSE(symbol, name, what) CM_CAUSE_##symbol,
#include "cause.def"
#undef CM_CAUSE
    CM_CAUSE_COUNT
};

/* Returns the name of a cause in results ("load_page_fault"). */
CM_API const char *cm_cause_name(enum cm_cause cause);

/* Counters since the machine was made. They are exact, and equal with and without data and for any
 * number of threads. */
struct cm_counters {
    uint64_t cycles;                   /* cycles of the machine's one clock */
    uint64_t by_cause[CM_CAUSE_COUNT]; /* cycles by cause, with `cycles` as their sum */
    /* instructions issued by the sequencer, where a move counts once */
    uint64_t instructions;
    uint64_t exchanges; /* exchanges, each over all wires at once */
    /* cycles of exchanges in which the sequencer did other work */
    uint64_t hidden_cycles;
    uint64_t loads;               /* words read from memory in each node */
    uint64_t stores;              /* words written to memory in each node */
    uint64_t page_faults;         /* loads and stores outside the open page, in each node */
    uint64_t words_moved_locally; /* words moved by move instructions, in each node */
    /* words sent over channels between nodes, by all nodes together */
    uint64_t words_sent;
    uint64_t flops; /* floating-point operations in each node */
    /* Counters of the front end (front_end.h), which cm_machine_counters fills in. Times are in
     * cycles. */
    uint64_t calls;            /* calls that the front end issued */
    uint64_t front_end_cycles; /* time in which the front end worked */
    uint64_t elapsed_cycles;   /* time until front end and machine had finished */
};

/* Summary of what the channels carried. A channel is one direction of one wire: node x dimension x
 * {0, 1}. */
struct cm_channel_use {
    uint64_t max_load;        /* most words over one channel */
    uint64_t total_words;     /* words over all channels together */
    uint64_t channels;        /* nodes * dimensions in use * channels per dimension */
    uint64_t max_busy_cycles; /* max_load * exchange.cycles */
    double mean_busy_cycles;  /* mean busy cycles of all channels in use */
    uint32_t max_node;        /* node of a channel with max_load */
    uint32_t max_dimension;   /* dimension of the channel with max_load */
    uint32_t max_channel;     /* number of the channel with max_load, 0 or 1 */
};

struct cm_machine;

/* Way in which the host executes instructions. No result depends on it. */
enum cm_executor {
    /* generated code for 512 nodes and more where the host allows it, otherwise loops */
    CM_EXECUTOR_CHOSEN,
    CM_EXECUTOR_LOOPS, /* a loop over nodes for each instruction */
    /* generated machine code for blocks of instructions, where the host allows it */
    CM_EXECUTOR_CODE,
    CM_EXECUTOR_AVX2,   /* as CM_EXECUTOR_CODE, with AVX2 and no newer instructions */
    CM_EXECUTOR_AVX512, /* as CM_EXECUTOR_CODE, with AVX-512 */
    CM_EXECUTOR_COUNT,
};

/* What tests want of generated code. */
enum cm_code_trial {
    CM_CODE_USUAL,
    CM_CODE_STREAMS, /* every store bypasses the host's caches */
    CM_CODE_REFUSED, /* as if the host refused memory for code */
};

/* Options of a machine. Every option but `nodes` may be 0, which lets the host decide. */
struct cm_machine_options {
    uint32_t nodes; /* number of nodes, a power of two, at most 2^network.dimensions */
    /* number of threads, 1 to CM_THREADS_MAX, fewer if nodes are few, or 0 to choose by host and
     * data */
    uint32_t threads;
    bool timing_only; /* true to count cycles without moving data */
    /* expected words of each node's memory in use, or 0 if unknown. Little data gets one thread. */
    uint64_t working_words;
    /* Number of nodes in a lane block, for which all deferred instructions are executed before the
     * next block's turn. A power of two, for tests and measurements. 0 lets the machine choose. */
    uint32_t block_nodes;
    /* Largest number of deferred instructions. With 1, each instruction is executed for all nodes
     * before the next one. 0 lets the machine choose. */
    uint32_t deferred_max;
    /* Way to execute instructions. CM_EXECUTOR_CHOSEN means loops if block_nodes or deferred_max is
     * set. */
    enum cm_executor executor;
    enum cm_code_trial code_trial; /* how tests want code to be generated */
};

/* Actual argument of a run, in the order in which the IMP declares its arguments. */
struct cm_actual {
    uint64_t address; /* word address in node memory, for an address argument */
    uint64_t scalar;  /* bits of the value, low word first, for a scalar argument */
};

/*
 * Makes a machine from a description. Memory is all zeros and nothing is loaded. Returns
 * CM_BAD_INPUT when the number of nodes is not a power of two or exceeds the machine, and
 * CM_NO_MEMORY when the host refuses memory or threads.
 */
CM_API enum cm_status cm_machine_create(const struct cm_config *config,
                                        const struct cm_machine_options *options,
                                        struct cm_machine **machine, struct cm_error *err);
/* Frees a machine. NULL is allowed. */
CM_API void cm_machine_destroy(struct cm_machine *machine);

/* Returns the description that the machine was made from. */
CM_API const struct cm_config *cm_machine_config(const struct cm_machine *machine);
/* Returns the number of nodes. */
CM_API uint32_t cm_machine_nodes(const struct cm_machine *machine);
/* These functions return the first node and the number of nodes whose words this process has. With
 * one process these are all nodes. */
CM_API uint32_t cm_machine_first_node(const struct cm_machine *machine);
CM_API uint32_t cm_machine_own_nodes(const struct cm_machine *machine);
CM_API uint32_t cm_machine_dimensions(const struct cm_machine *machine); /* log2(nodes) */
CM_API uint32_t cm_machine_threads(const struct cm_machine *machine);    /* threads in use */
/* Returns how this machine executes instructions: CM_EXECUTOR_LOOPS, CM_EXECUTOR_AVX2 or
 * CM_EXECUTOR_AVX512. It becomes CM_EXECUTOR_LOOPS when the host refuses memory for code. */
CM_API enum cm_executor cm_machine_executor(const struct cm_machine *machine);
/* Returns the name of an executor on the command line and in results ("loops", "code", "avx2",
 * "avx512", or "auto" for CM_EXECUTOR_CHOSEN). */
CM_API const char *cm_executor_name(enum cm_executor executor);
/* Sets *executor to the executor of a name, or to CM_EXECUTOR_CHOSEN for NULL. Returns CM_USAGE for
 * an unknown name. */
CM_API enum cm_status cm_executor_find(const char *name, enum cm_executor *executor,
                                       struct cm_error *err);
/* Returns the executor that generated code has on this host, or CM_EXECUTOR_LOOPS without one. */
CM_API enum cm_executor cm_executor_best(void);
/* True if the machine counts cycles and moves no data. */
CM_API bool cm_machine_timing_only(const struct cm_machine *machine);

/* Returns the limits that a machine of this description sets on IMPs. */
CM_API struct cm_imp_limits cm_config_imp_limits(const struct cm_config *config);

/*
 * Loads an IMP into the sequencer's SRAM. An IMP must be loaded to be run. Loading verifies the IMP
 * and takes cm_imp_words(imp) words until it is unloaded. Returns CM_BAD_INPUT when the IMP does
 * not verify or does not fit (cm_machine_sram_free). The machine keeps a pointer, so the IMP must
 * outlive its loading.
 */
CM_API enum cm_status cm_machine_load_imp(struct cm_machine *machine, const struct cm_imp *imp,
                                          struct cm_error *err);
/*
 * Loads an IMP for one call of the run-time library. The IMP may take the whole SRAM, whatever is
 * loaded. The model assumes that the front end restores the loaded IMPs afterwards. It charges no
 * cycles for this, because nothing is published about it. An IMP that is still loaded is not
 * verified again, so it must be unchanged.
 */
CM_API enum cm_status cm_machine_overlay_imp(struct cm_machine *machine, const struct cm_imp *imp,
                                             struct cm_error *err);
/* Unloads an IMP and frees its SRAM. An IMP that is not loaded is ignored. */
CM_API void cm_machine_unload_imp(struct cm_machine *machine, const struct cm_imp *imp);
CM_API uint64_t cm_machine_sram_free(const struct cm_machine *machine);

/* Entry: how the front end starts a run, which decides the cycles charged before the first
 * instruction. */
enum cm_entry {
    CM_ENTRY_IMP, /* The front end calls an IMP and starts it. Costs front_end.imp_start_cycles. */
    /* The front end calls the run-time library, which starts an IMP. Costs
     * front_end.runtime_call_cycles and front_end.imp_start_cycles. */
    CM_ENTRY_RUNTIME,
    CM_ENTRY_CHAINED, /* A further IMP of the same call runs, at no cost. */
    /* The front end starts an IMP in a call that cm_machine_begin_pshift has begun. Costs
     * front_end.imp_start_cycles. */
    CM_ENTRY_STARTED,
};

/*
 * Begins a PSHIFT call, in which the front end issues `shifts` shifts and works for
 * front_end.pshift_us on each shift. Other calls need no such function: a run with CM_ENTRY_IMP or
 * CM_ENTRY_RUNTIME, an access of the front end (cm_machine_access) and a run of the router begin
 * their calls themselves.
 */
CM_API void cm_machine_begin_pshift(struct cm_machine *machine, uint32_t shifts);
/* Counts `statements` statements that the front end executes, each for front_end.statement_ns. The
 * machine works meanwhile. */
CM_API void cm_machine_count_statements(struct cm_machine *machine, uint64_t statements);
/* Makes the front end wait until the machine has finished, for example because it needs a value
 * from the machine. */
CM_API void cm_machine_wait(struct cm_machine *machine);

/*
 * Runs a loaded IMP to its halt. The context flag is set in every node at the start. `actuals` has
 * one entry for each declared argument.
 *
 * Returns CM_FAULT when the program faults: an address, slot or index out of range, or two words on
 * one channel in one exchange. `err` then names the instruction and its text, the counters hold the
 * charges up to the fault, and memory is undefined.
 */
CM_API enum cm_status cm_machine_run(struct cm_machine *machine, const struct cm_imp *imp,
                                     const struct cm_actual *actuals, enum cm_entry entry,
                                     struct cm_error *err);

/*
 * These functions write or read a plane for the front end, one word for each node. No cycles are
 * charged, because a run does not measure the transfer of its data. A plane that was never written
 * reads as zeros. In a timing-only machine only communication tables need to be written.
 */
CM_API enum cm_status cm_machine_write_plane(struct cm_machine *machine, uint64_t address,
                                             const uint32_t *words, struct cm_error *err);
CM_API enum cm_status cm_machine_read_plane(const struct cm_machine *machine, uint64_t address,
                                            uint32_t *words, struct cm_error *err);
/* Reserves address space of the host for planes that will be used. Reserved planes keep their place
 * until further planes are reserved. A timing-only machine reserves nothing. */
CM_API enum cm_status cm_machine_reserve(struct cm_machine *machine, uint64_t address,
                                         uint64_t count, struct cm_error *err);
/*
 * Direct access to planes in the host's memory. The nodes are one partition, or equal partitions,
 * one for each host thread that moves data. In a partition the words of its nodes are adjacent,
 * plane after plane.
 */
struct cm_planes {
    uint32_t *words;          /* plane 0 of the first partition, or NULL if there are no planes */
    size_t partition_words;   /* distance between partitions, in words */
    uint32_t partition_nodes; /* number of nodes in a partition, a power of two */
};
/* Returns the word of a node in plane `plane`. The words of the next nodes of the partition follow
 * it. */
static inline uint32_t *cm_planes_word(const struct cm_planes *planes, uint64_t plane,
                                       uint32_t node)
{
#ifdef __EMSCRIPTEN__ /* a browser page has one partition and needs small code */
    return planes->words + (size_t)plane * planes->partition_nodes + node;
#else
    return planes->words + node / planes->partition_nodes * planes->partition_words +
           (size_t)plane * planes->partition_nodes + node % planes->partition_nodes;
#endif
}
/* Reserves planes, and gives the front end direct access to their words in *planes. */
CM_API enum cm_status cm_machine_planes(struct cm_machine *machine, uint64_t address,
                                        uint64_t count, struct cm_planes *planes,
                                        struct cm_error *err);
/* Gives direct access to planes as cm_machine_planes does, but only the words of this process's
 * nodes are valid. */
CM_API enum cm_status cm_machine_own_planes(struct cm_machine *machine, uint64_t address,
                                            uint64_t count, struct cm_planes *planes,
                                            struct cm_error *err);
/* Writes zeros to planes and makes the host back them with memory, so that a run need not wait for
 * the host. */
CM_API enum cm_status cm_machine_clear_planes(struct cm_machine *machine, uint64_t address,
                                              uint64_t count, struct cm_error *err);

/*
 * Charges a run of the router (router/router.h): its start, and `word_times` word times. A word
 * time is the time of one word over a channel. `words_sent` is the number of words that went over
 * channels. The router, not the machine, counts what each channel carried.
 */
CM_API void cm_machine_route(struct cm_machine *machine, uint64_t word_times, uint64_t words_sent);

/*
 * Charges an access of the front end to data in the nodes while a program runs: a call of the
 * run-time library, and `words` words one after the other, each at the cost of a scalar. The real
 * cost is not published, so the costs of the most similar operations are charged. The front end
 * must wait for values that it reads (cm_machine_wait).
 */
CM_API void cm_machine_access(struct cm_machine *machine, uint64_t words);

/*
 * State on which the cycles of later runs depend. Where two states are equal, equal runs take equal
 * cycles, provided that the same communication tables are in memory.
 */
struct cm_machine_state {
    /* Open page and block of DRAM. The page is UINT64_MAX if no page is open, and UINT64_MAX - 1 if
     * nodes may have different pages open. */
    uint64_t open_page, open_block;
    uint64_t until_refresh; /* cycles of work until the next refresh */
    uint64_t sram_used;     /* words of SRAM in use */
    /* number that identifies the loads into transposer A since the last exchange */
    uint64_t loads_pending;
    /* Times of the front end in cycles. since_free: from the end of its last work to the elapsed
     * time. since_begun: from the machine's start of the last call to the elapsed time. own_cycles:
     * the front end's work for the present call. call_cycles: the machine's cycles in the present
     * call. */
    uint64_t since_free, since_begun, own_cycles, call_cycles;
};
CM_API struct cm_machine_state cm_machine_state(const struct cm_machine *machine);

/* Returns the counters since the machine was made. */
CM_API struct cm_counters cm_machine_counters(const struct cm_machine *machine);
/* Adds `more` to `sum`, field by field. */
CM_API void cm_counters_add(struct cm_counters *sum, const struct cm_counters *more);
/* Returns later - earlier, field by field. */
CM_API struct cm_counters cm_counters_difference(const struct cm_counters *later,
                                                 const struct cm_counters *earlier);
/* Writes the words carried by each channel since the start or the last cm_machine_reset_channels:
 * out[(node * dimensions + dimension) * 2 + channel]. */
CM_API enum cm_status cm_machine_channel_words(struct cm_machine *machine, uint64_t *out,
                                               struct cm_error *err);
/* Writes the words carried by the channels of this process's nodes. The entries of other nodes are
 * not written. */
CM_API enum cm_status cm_machine_own_channel_words(struct cm_machine *machine, uint64_t *out,
                                                   struct cm_error *err);
/* Period of a run for which the words carried by channels are summed up. */
enum cm_channels_period {
    CM_CHANNELS_WHOLE, /* since the start or the reset */
    CM_CHANNELS_LATE,  /* since the last cm_machine_mark_channels */
    CM_CHANNELS_EARLY, /* from the start to the mark */
};
CM_API enum cm_status cm_machine_channel_use(struct cm_machine *machine,
                                             enum cm_channels_period period,
                                             struct cm_channel_use *use, struct cm_error *err);
CM_API void cm_machine_mark_channels(struct cm_machine *machine);
/*
 * Counts runs again, as if they were repeated `times` times. `counters` are the counters of the
 * runs, and `words` the words that the runs sent over each channel, in the form of
 * cm_machine_channel_words. The runs must leave the machine in the state in which they found it
 * (cm_machine_state).
 */
CM_API enum cm_status cm_machine_count_again(struct cm_machine *machine, uint64_t times,
                                             const struct cm_counters *counters,
                                             const uint64_t *words, struct cm_error *err);
/* Clears the channel counts. */
CM_API void cm_machine_reset_channels(struct cm_machine *machine);

/*
 * Sets a function that the machine calls to report progress: after each run of an IMP, and every
 * few thousand loop iterations within a run. The call comes from a thread of the run. NULL disables
 * the calls.
 */
CM_API void cm_machine_set_progress(struct cm_machine *machine,
                                    void (*report_progress)(void *context), void *context);
/*
 * Asks the current run to stop at the next instruction. Safe in a signal handler. The run returns
 * CM_INTERRUPTED, and so does every later run until cm_machine_resume. A request between two IMPs
 * is not lost.
 */
CM_API void cm_machine_interrupt(struct cm_machine *machine);
/* Withdraws the request to stop, while no run is active. Memory and counters stay as the
 * interrupted IMP left them. */
CM_API void cm_machine_resume(struct cm_machine *machine);
/* True if a stop was requested. This is for work outside of runs that should stop as well. */
CM_API bool cm_machine_interrupted(const struct cm_machine *machine);

/* Returns the slot that drives channel `channel` (0 or 1) of cube dimension `dimension`, in
 * transposers of `slots` slots (PSHIFT paper, section 2.3 and figure 3). */
static inline uint32_t cm_slot_of_channel(uint32_t slots, uint32_t dimension, uint32_t channel)
{
    return dimension + 1 + channel * (slots / 2);
}

CM_END_DECLS

#endif
