/*
 * The machine: nodes in lockstep, driven by one sequencer. Memory is stored address-major: the
 * words that all nodes hold at one address are adjacent, a plane. Time belongs to the sequencer's
 * clock alone.
 */
#ifndef CM_SIM_MACHINE_H
#define CM_SIM_MACHINE_H

#include "../../base/error.h"
#include "../../isa/imp.h"
#include "config.h"

#include <stdbool.h>

CM_BEGIN_DECLS

/* Threads of a machine, at most. */
#define CM_THREADS_MAX 64u

/* What cycles are charged to, as cause.def lists them. */
enum cm_cause {
#define CM_CAUSE(symbol, name, what) CM_CAUSE_##symbol,
#include "cause.def"
#undef CM_CAUSE
    CM_CAUSE_COUNT
};

/* The name of a cause in results ("load_page_fault"). */
CM_API const char *cm_cause_name(enum cm_cause cause);

/* What was counted since the machine was made or reset; exact, the same with and without data, for
 * any thread count. */
struct cm_counters {
    uint64_t cycles;                   /* of the machine's one clock */
    uint64_t by_cause[CM_CAUSE_COUNT]; /* adds up to cycles */
    uint64_t instructions;             /* issued by the sequencer; a move counts once */
    uint64_t exchanges;                /* all wires of a step at once; each counts once */
    uint64_t hidden_cycles;            /* of exchanges, in which the sequencer did other work */
    uint64_t loads;                    /* words read from memory in each node */
    uint64_t stores;                   /* words written to memory in each node */
    uint64_t page_faults;              /* loads and stores beyond the open page, in each node */
    uint64_t words_moved_locally;      /* by move instructions, in each node */
    uint64_t words_sent;               /* over channels between nodes, by all nodes together */
    uint64_t flops;                    /* floating-point operations in each node */
};

/* What the channels carried. A channel is one direction of one wire: node x dimension x {0, 1}. */
struct cm_channel_use {
    uint64_t max_load;        /* most words over one channel */
    uint64_t total_words;     /* over all channels */
    uint64_t channels;        /* nodes * dimensions in use * channels per dimension */
    uint64_t max_busy_cycles; /* max_load * exchange.cycles */
    double mean_busy_cycles;  /* over all channels in use */
    uint32_t max_node;        /* a channel with max_load */
    uint32_t max_dimension;   /* its dimension */
    uint32_t max_channel;     /* 0 or 1 */
};

struct cm_machine;

/* What plays instructions; no result depends on it. */
enum cm_player {
    CM_PLAYER_CHOSEN,  /* code on hosts with AVX-512, for 512 nodes and more */
    CM_PLAYER_LOOPS,   /* a loop over nodes for each instruction */
    CM_PLAYER_CODE,    /* machine code for runs of instructions, where the host allows it */
    CM_PLAYER_STREAM,  /* the same, and every store bypasses the host's caches */
    CM_PLAYER_REFUSED, /* as code where the host refuses memory for it after all */
};

/* How a machine is made; all zeros but the nodes: by the host. */
struct cm_machine_options {
    uint32_t nodes; /* a power of two, at most 2^network.dimensions */
    /* 1..CM_THREADS_MAX, fewer when the nodes are few; 0: by the host and the data */
    uint32_t threads;
    bool timing_only; /* count cycles, move no data */
    /* words of each node's memory in use, as far as known, or 0: little data gets one thread */
    uint64_t working_words;
    /* How instructions are played, for tests and measurements; no result depends on it. Nodes of a
     * lane block, a power of two, and instructions that may wait for each other; 0: chosen. With 1
     * waiting instruction each one is done for all nodes before the next. */
    uint32_t block_nodes;
    uint32_t waiting;      /* instructions that may wait */
    enum cm_player player; /* chosen: loops, if one of the two above is given */
};

/* One actual argument of a run, in the order the IMP declares them. */
struct cm_actual {
    uint64_t address; /* for an address argument: word address in node memory */
    uint64_t scalar;  /* for a scalar: its bits, low word = slice 0 */
};

/*
 * Makes a machine from a description, with memory all zeros and nothing loaded. CM_BAD_INPUT when
 * the number of nodes is not a power of two or is more than the machine has; CM_NO_MEMORY when the
 * host refuses memory or threads.
 */
CM_API enum cm_status cm_machine_create(const struct cm_config *config,
                                        const struct cm_machine_options *options,
                                        struct cm_machine **machine, struct cm_error *err);
/* Frees a machine; NULL is taken. */
CM_API void cm_machine_destroy(struct cm_machine *machine);

/* The description that the machine was made from. */
CM_API const struct cm_config *cm_machine_config(const struct cm_machine *machine);
/* The numbers of nodes, cube dimensions and threads. */
CM_API uint32_t cm_machine_nodes(const struct cm_machine *machine);
/* Of a machine that several processes play, the nodes whose words this one has; else all. */
CM_API uint32_t cm_machine_first_node(const struct cm_machine *machine);
CM_API uint32_t cm_machine_own_nodes(const struct cm_machine *machine);
CM_API uint32_t cm_machine_dimensions(const struct cm_machine *machine); /* log2(nodes) */
CM_API uint32_t cm_machine_threads(const struct cm_machine *machine);    /* really used */
/* Whether the machine counts cycles and moves no data. */
CM_API bool cm_machine_timing_only(const struct cm_machine *machine);

/* The limits that a machine of this description sets on IMPs. */
CM_API struct cm_imp_limits cm_config_imp_limits(const struct cm_config *config);

/*
 * SRAM of the sequencer. An IMP must be loaded to be run; loading verifies it and takes
 * cm_imp_words(imp) words until it is unloaded. CM_BAD_INPUT when it does not verify or does not
 * fit (cm_machine_sram_free says how much would). The machine keeps a pointer: the IMP must outlive
 * its loading.
 */
CM_API enum cm_status cm_machine_load_imp(struct cm_machine *machine, const struct cm_imp *imp,
                                          struct cm_error *err);
/*
 * Loads an IMP over whatever is there, for one call of the run-time library: it may take the whole
 * SRAM. The front end is assumed to put the setups back afterwards; nothing is published about
 * that, and nothing is charged. One that is still loaded must be as it was: it is not verified
 * again.
 */
CM_API enum cm_status cm_machine_overlay_imp(struct cm_machine *machine, const struct cm_imp *imp,
                                             struct cm_error *err);
/* Frees what an IMP took; does nothing when it is not loaded. */
CM_API void cm_machine_unload_imp(struct cm_machine *machine, const struct cm_imp *imp);
CM_API uint64_t cm_machine_sram_free(const struct cm_machine *machine);

/* How a run starts: what the front end does before the first instruction. */
enum cm_entry {
    CM_ENTRY_IMP,     /* starts an IMP: front_end.imp_start_cycles */
    CM_ENTRY_RUNTIME, /* a call of the run-time library first: front_end.runtime_call_cycles more */
    CM_ENTRY_CHAINED, /* a further IMP of the same call: no start-up */
};

/*
 * Runs a loaded IMP to its halt; the context flag is set in every node at the start. `actuals` has
 * one entry per declared argument. CM_FAULT when the program faults (an address or slot out of
 * range, two words on one channel in one exchange): err names the instruction and its text; the
 * counters then hold what was charged up to the fault, memory is undefined.
 */
CM_API enum cm_status cm_machine_run(struct cm_machine *machine, const struct cm_imp *imp,
                                     const struct cm_actual *actuals, enum cm_entry entry,
                                     struct cm_error *err);

/*
 * Front-end access to planes (no cycles are charged: loading and reading data is outside what a run
 * measures). `words` holds one word per node. A plane that was never written reads as zeros. In a
 * timing-only machine only communication tables need to be written; other planes may be skipped.
 */
CM_API enum cm_status cm_machine_write_plane(struct cm_machine *machine, uint64_t address,
                                             const uint32_t *words, struct cm_error *err);
CM_API enum cm_status cm_machine_read_plane(const struct cm_machine *machine, uint64_t address,
                                            uint32_t *words, struct cm_error *err);
/* Reserves address space of the host for planes that will be used; nothing in a timing-only
 * machine. Planes that are reserved stay where they are until others are. */
CM_API enum cm_status cm_machine_reserve(struct cm_machine *machine, uint64_t address,
                                         uint64_t count, struct cm_error *err);
/*
 * Planes in place. The nodes are in one part, or in equal parts, one for each host thread that
 * moves data. In a part the words of its nodes lie next to each other, plane after plane.
 */
struct cm_planes {
    uint32_t *words;     /* plane 0 of the first part; NULL: no planes */
    size_t part_words;   /* from a part to the next */
    uint32_t part_nodes; /* nodes of a part: a power of two */
};
/* The word of a node in plane `plane`; those of the next nodes of the part are behind it. */
static inline uint32_t *cm_planes_word(const struct cm_planes *planes, uint64_t plane,
                                       uint32_t node)
{
#ifdef __EMSCRIPTEN__ /* one part; a page is to be small */
    return planes->words + (size_t)plane * planes->part_nodes + node;
#else
    return planes->words + node / planes->part_nodes * planes->part_words +
           (size_t)plane * planes->part_nodes + node % planes->part_nodes;
#endif
}
/* For bulk access by the front end. Reserves them. */
CM_API enum cm_status cm_machine_planes(struct cm_machine *machine, uint64_t address,
                                        uint64_t count, struct cm_planes *planes,
                                        struct cm_error *err);
/* The same, but of a machine that several processes play, only with the words of this one's nodes;
 * others are undefined. */
CM_API enum cm_status cm_machine_own_planes(struct cm_machine *machine, uint64_t address,
                                            uint64_t count, struct cm_planes *planes,
                                            struct cm_error *err);
/* Writes zeros to planes and makes the host back them with memory, so that a run does not wait for
 * that. */
CM_API enum cm_status cm_machine_clear_planes(struct cm_machine *machine, uint64_t address,
                                              uint64_t count, struct cm_error *err);

/*
 * Charges a run of the router (router/router.h): its start, and the time of `word_times` words one
 * after the other over a channel; `words_sent` went over channels. The router, not the machine,
 * counts what each channel carried.
 */
CM_API void cm_machine_route(struct cm_machine *machine, uint64_t word_times, uint64_t words_sent);

/*
 * Charges an access of the front end to data in the nodes while a program runs: a call of the
 * run-time library, and the words one after the other, as scalars go to the nodes. How long it took
 * on the machine is not published; these costs are those of the nearest things that are.
 */
CM_API void cm_machine_access(struct cm_machine *machine, uint64_t words);

/*
 * What the cycles of runs depend on, besides the runs: where they are equal, the same runs take the
 * same cycles, if the same communication tables are in memory.
 */
struct cm_machine_state {
    uint64_t open_page, open_block; /* of DRAM */
    uint64_t until_refresh;         /* cycles of work */
    uint64_t sram_used;             /* words */
    uint64_t loads_pending;         /* which slots of transposer A were loaded since an exchange */
};
CM_API struct cm_machine_state cm_machine_state(const struct cm_machine *machine);

/* Everything counted since the machine was made. */
CM_API struct cm_counters cm_machine_counters(const struct cm_machine *machine);
/* later - earlier, field by field. */
CM_API struct cm_counters cm_counters_difference(const struct cm_counters *later,
                                                 const struct cm_counters *earlier);
/* Words carried by each channel since the last cm_machine_reset_channels (or the start):
 * out[(node * dimensions + dimension) * 2 + channel]. */
CM_API enum cm_status cm_machine_channel_words(struct cm_machine *machine, uint64_t *out,
                                               struct cm_error *err);
/* The same, but of a machine that several processes play, only of this one's nodes; others are not
 * written. */
CM_API enum cm_status cm_machine_own_channel_words(struct cm_machine *machine, uint64_t *out,
                                                   struct cm_error *err);
/*
 * The same, summed up: what channels carried since the start or the reset, since the last
 * cm_machine_mark_channels, or from the start to that mark. Takes no memory for each channel.
 */
enum cm_channels_part {
    CM_CHANNELS_WHOLE, /* all of it */
    CM_CHANNELS_LATE,  /* since the mark */
    CM_CHANNELS_EARLY, /* until the mark */
};
CM_API enum cm_status cm_machine_channel_use(struct cm_machine *machine, enum cm_channels_part part,
                                             struct cm_channel_use *use, struct cm_error *err);
CM_API void cm_machine_mark_channels(struct cm_machine *machine);
/*
 * Counts runs again that were counted before, `times` times: their counters, and the words of each
 * channel as cm_machine_channel_words has them. Only for runs that leave the machine in the state
 * in which they found it (cm_machine_state).
 */
CM_API enum cm_status cm_machine_count_again(struct cm_machine *machine, uint64_t times,
                                             const struct cm_counters *counters,
                                             const uint64_t *words, struct cm_error *err);
/* Sets the channel counts back to zero. */
CM_API void cm_machine_reset_channels(struct cm_machine *machine);

/*
 * Calls `tell` after each run of an IMP, and within it after every few thousand iterations of its
 * loops, from a thread of the run: for progress. NULL: nothing is called.
 */
CM_API void cm_machine_tell(struct cm_machine *machine, void (*tell)(void *context), void *context);
/*
 * Asks a run under way to stop at the next instruction; safe in a signal handler. It returns
 * CM_INTERRUPTED, as do all later runs until cm_machine_resume: a request between two IMPs is not
 * lost.
 */
CM_API void cm_machine_interrupt(struct cm_machine *machine);
/* Withdraws the request; no run may be under way. Memory and counters stay as the interrupted IMP
 * left them. */
CM_API void cm_machine_resume(struct cm_machine *machine);
/* Whether a stop was requested; for work that goes on during a run. */
CM_API bool cm_machine_interrupted(const struct cm_machine *machine);

/* The slot that drives channel `channel` (0 or 1) of cube dimension `dimension`, for transposers of
 * `slots` slots (P 2.3, fig. 3). */
static inline uint32_t cm_slot_of_channel(uint32_t slots, uint32_t dimension, uint32_t channel)
{
    return dimension + 1 + channel * (slots / 2);
}

CM_END_DECLS

#endif
