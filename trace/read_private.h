/*
 * The reader's data, which all files of the reader share.
 *
 * Opening a trace checks every block and decodes every event once. The reader keeps the
 * definitions, the position of each block with the cycles by cause and phase before the block, and
 * the exchanges. For each event it keeps one number, called a brief, with the event's template and
 * phase. The reader decodes a block of events again when a question needs its events.
 *
 * The memory of the reader is bounded: it indexes at most CM_READ_EXCHANGES_MAX exchanges and
 * CM_READ_BRIEFS_MAX events. For later ones a question decodes blocks.
 *
 * Invariant: every number from the file is checked against its bound when it is read. The first bad
 * number stops the reading of its block.
 *
 *   read.c          opens a trace, checks blocks
 *   read_define.c   definitions
 *   read_events.c   events, cursors
 *   read_routed.c   packets and hops of the router
 *   read_hops.c     questions about hops
 *   read_sums.c     busy cycles of hops over long intervals
 *   read_use.c      questions about channels, causes and phases
 *   read_windows.c  use of dimensions over time
 *   read_names.c    questions about instructions, steps, lines and arrays
 */
#ifndef CM_TRACE_READ_PRIVATE_H
#define CM_TRACE_READ_PRIVATE_H

#include "../base/list.h"
#include "../sim/router/router.h"
#include "format.h"

#include <stdlib.h>
#include <string.h>

#define CM_READ_CACHE         8u                  /* number of decoded blocks in the cache */
#define CM_READ_EXCHANGES_MAX (UINT64_C(1) << 23) /* most exchanges in the index */
#define CM_READ_BRIEFS_MAX    (UINT64_C(1) << 24) /* most events with a brief */
#define CM_READ_MARK_EVENTS   128u                /* number of events from one mark to the next */
#define CM_READ_SETS_MAX      (UINT64_C(1) << 28) /* most bytes of all sets of nodes */
#define CM_READ_TIME_MAX      (UINT64_C(1) << 44) /* limit on the word times of a router run */
#define CM_READ_WINDOWS       2048u               /* approximate number of windows of a trace */
#define CM_READ_HOP_BLOCK     256u

/* Bytes of a trace that are being read. A read beyond the end, or a number beyond its bound, sets
 * `bad`. After that every number read is 0. */
struct cm_input_bytes {
    const unsigned char *at, *end;
    bool bad;
};

/* Checks a condition. If the condition is false, sets `bad` and returns false. */
static inline bool cm_expect(struct cm_input_bytes *in, bool holds)
{
    if (!holds) {
        in->bad = true;
        in->at = in->end;
    }
    return !in->bad;
}

uint64_t cm_get_long(struct cm_input_bytes *in);
unsigned cm_get_byte(struct cm_input_bytes *in);
/* Returns the next `length` bytes, or NULL if the bytes are bad. */
const unsigned char *cm_get_raw(struct cm_input_bytes *in, uint64_t length);

/* Reads a number. Most numbers have one byte. */
static inline uint64_t cm_get(struct cm_input_bytes *in)
{
    return in->at < in->end && *in->at < 0x80 ? *in->at++ : cm_get_long(in);
}

/* Reads a signed difference and returns `from` plus the difference. */
static inline uint64_t cm_get_from(struct cm_input_bytes *in, uint64_t from)
{
    return from + cm_unzigzag(cm_get(in));
}

/* Reads a number that must be less than `count`. A number that is not sets `bad`. */
uint64_t cm_get_below(struct cm_input_bytes *in, uint64_t count);
static inline uint32_t cm_get_u32_below(struct cm_input_bytes *in, uint64_t count)
{
    return (uint32_t)cm_get_below(in, count);
}

struct cm_read_imp {
    struct cm_imp *imp;
    struct cm_prediction prediction;
    uint8_t *phases; /* phase of each instruction */
    uint32_t source; /* number + 1 of the string with the IMP's source. 0: the IMP was compiled */
};

struct cm_read_template {
    uint64_t gap[CM_CAUSE_COUNT], event[CM_CAUSE_COUNT];
    uint64_t gap_cycles, cycles, page_faults;
    /* number of events with this template in the block that is being added up */
    uint32_t met;
};

struct cm_read_entry {
    uint32_t slot;
    uint32_t set; /* number + 1 of the set of nodes that use the slot. 0: all nodes */
};

struct cm_read_pattern {
    uint32_t first, count; /* the pattern's slots: place in the list of entries */
};

struct cm_read_block {
    struct cm_input_bytes in; /* encoded events of the block */
    uint64_t first_event;
    uint32_t count;
    /* numbers + 1 of the IMP and of the instruction that the event before the block belongs to. 0:
     * no IMP, or no instruction */
    uint32_t imp, pc;
    uint64_t first_cycle;
    /* DRAM page open at the block's beginning */
    uint64_t page;
    /* sums over all events before the block: cycles by cause, and cycles by phase */
    uint64_t by_cause[CM_CAUSE_COUNT], by_phase[CM_TRACE_PHASE_COUNT];
};

/* Decoded block of events, an entry of the reader's cache. */
struct cm_decoded {
    uint64_t block; /* number of the block. UINT64_MAX: the entry is empty */
    uint64_t used;  /* time stamp of the last question that used the block */
    uint32_t count;
    struct cm_trace_event *events;
    uint32_t *briefs; /* brief of each event: template * CM_TRACE_PHASE_COUNT + phase */
};

/* Mark: the cycle of an event, and the cycles by phase before the event. Every
 * CM_READ_MARK_EVENTS-th event has a mark. */
struct cm_read_mark {
    uint64_t cycle;
    uint64_t by_phase[CM_TRACE_PHASE_COUNT];
};

struct cm_read_step {
    struct cm_trace_step step;
    bool ended;
};

/* run of elements: from one to the next, node and address change by the same steps */
struct cm_read_run {
    uint64_t first;
    uint64_t node, local, node_step, local_step;
};
struct cm_read_places {
    uint32_t first, count; /* place in the list of runs */
    uint64_t elements;
    /* True if the array lies linearly. Run i is then the place of element 2^i. The place of any
     * element is the exclusive or of the runs for the 1 bits of its number. */
    bool linear;
};
struct cm_read_array {
    struct cm_trace_array array;
    uint32_t number;
    uint64_t cycle;  /* cycle from which the description is valid */
    uint32_t places; /* number + 1 of the entry in the list of places. 0: places not recorded */
};

struct cm_read_hop {
    uint64_t asked, first, end; /* times of the hop in cycles, as in struct cm_trace_hop */
    uint32_t packet;
    uint32_t channel; /* channel index (node * dimensions + dimension) * 2 + channel */
    uint32_t blocker; /* number + 1 of the blocking packet. 0: no packet blocked */
    uint32_t words;
};
struct cm_read_routed_window {
    uint64_t first, end; /* interval of cycles [first, end) */
    uint64_t at;         /* index of the window's first load */
    uint32_t count;
};
struct cm_read_load {
    uint32_t channel; /* channel index (node * dimensions + dimension) * 2 + channel */
    uint32_t words;
};
struct cm_read_wait {
    uint64_t first, end;
};

struct cm_read_exchange {
    uint64_t cycle;
    uint32_t pattern;
};

/* Busy cycles due to a pattern's exchanges within a window of the run. */
struct cm_read_window_use {
    uint32_t pattern;
    uint64_t cycles;
};

struct cm_read_wires {
    uint64_t cycle;
    uint32_t pattern;
    struct cm_input_bytes words;
};

/* Index of hops by packet or by channel. The hops of packet or channel i are order[first[i]] to
 * order[first[i + 1] - 1], in order of time. NULL: the index is not built yet. */
struct cm_read_hop_index {
    uint32_t *first, *order;
};

/* Cache of the reader's answers. One thread reads a trace, so the cache needs no lock. */
struct cm_read_cache {
    struct cm_decoded decoded[CM_READ_CACHE];
    uint64_t uses;
    uint32_t decodes;
    struct cm_read_hop_index by_packet, by_channel;
    bool no_memory; /* true if an answer was incomplete because memory ran out */
};

/* Lists of everything that a trace file defines, in file order. A list whose memory runs out has
 * `failed` set from then on. */
#define CM_READ_LISTS(X)                                                                           \
    X(char *, strings)                                                                             \
    X(struct cm_read_imp, imps)                                                                    \
    X(struct cm_read_template, templates)                                                          \
    X(struct cm_read_entry, entries)                                                               \
    X(struct cm_read_pattern, patterns)                                                            \
    X(uint64_t, set_bits) /* bit sets of nodes, set_words words each */                            \
    X(struct cm_read_step, steps)                                                                  \
    X(struct cm_trace_line, lines)                                                                 \
    X(struct cm_read_run, runs)                                                                    \
    X(struct cm_read_places, places)                                                               \
    X(const char *, types) /* element type of each array, or NULL */                               \
    X(struct cm_read_array, arrays)                                                                \
    X(struct cm_read_block, blocks)                                                                \
    X(struct cm_read_exchange, exchanges) /* the first `exchanges_max` exchanges */                \
    X(uint32_t, briefs) /* for each of the first events, its template and phase in one number */   \
    X(struct cm_read_mark, marks)                                                                  \
    X(struct cm_read_wires, wires)                                                                 \
    X(struct cm_trace_packet, packets)                                                             \
    X(struct cm_read_hop, hops)                                                                    \
    X(struct cm_read_routed_window, windows)                                                       \
    X(struct cm_read_load, loads)                                                                  \
    X(struct cm_read_wait, waits)                                                                  \
    X(struct cm_read_window_use, window_uses)                                                      \
    X(uint32_t, set_classes) /* classes of a set: from set_class_at[set] to set_class_at[set + 1] */
#define CM_READ_LIST(type, name) CM_LIST(type) name;

struct cm_trace {
    struct cm_trace_info info;
    const unsigned char *bytes;
    size_t length;
    void *owned; /* bytes of the file. NULL: the bytes belong to the caller */
    char *workload, *machine, *made_of;
    char notice[256];
    uint32_t causes[64]; /* cause of this program for each cause of the file */
    uint32_t cause_count;
    uint32_t loop_depth, set_words, set_count;
    struct cm_prediction_memory prediction_memory;
    /* number of channels of a dimension that exchanges use. Router runs may use more channels */
    uint32_t exchange_channels;
    bool has_info;
    CM_READ_LISTS(CM_READ_LIST)
    uint64_t brief_end;     /* end cycle of the last event with a brief */
    uint64_t exchanges_max; /* most exchanges that the index may hold */
    uint64_t all_exchanges, all_events, end_cycle;
    uint64_t by_cause[CM_CAUSE_COUNT], by_phase[CM_TRACE_PHASE_COUNT];
    uint64_t page;
    /* Members about the run of the router that is being read. */
    struct cm_router_options router;
    uint64_t router_cycle;
    uint64_t run_windows; /* number of windows that belong to earlier runs of the router */
    bool routing;
    /* Members computed at the end of opening a trace. */
    /* words that one exchange sends over a dimension, at [pattern * dimensions + dimension] */
    uint64_t *sent_words;
    uint64_t *set_sizes; /* number of nodes of each set */
    /* class of each node. Two nodes are in one class if they belong to exactly the same sets */
    uint32_t *class_of;
    uint32_t class_count;
    uint64_t *set_class_at;
    /* Busy cycles due to the router in each window and dimension. At [(window * dimensions +
     * dimension) * 2] is the sum over the dimension's channels, and the next entry is for its
     * busiest channel. */
    uint64_t *load_sums;
    uint64_t *hop_block_end; /* for each CM_READ_HOP_BLOCK consecutive hops, the latest `end` */
    /* for each CM_READ_HOP_BLOCK consecutive hops, the earliest `asked` */
    uint64_t *hop_block_asked;
    /* prefix sums: busy cycles of each channel due to all hops before certain hops (read_sums.c).
     * NULL: the trace has few hops */
    uint64_t *hop_sums;
    uint64_t longest_hop; /* length of the longest hop in cycles */
    /* for each window of the run, the index of its first entry in window_uses. NULL: the trace has
     * few exchanges */
    uint64_t *window_at;
    struct cm_read_cache *cache;
};

/*
 * Returns the number of elements of a list whose `field` is at most `limit`. The field is a 64-bit
 * number, and the list is sorted by this field.
 */
#define cm_read_until(list, field, limit)                                                          \
    ((list).count == 0                                                                             \
         ? 0                                                                                       \
         : cm_read_rank(&(list).items->field, sizeof *(list).items, (list).count, limit))
uint64_t cm_read_rank(const uint64_t *first, size_t stride, uint64_t count, uint64_t limit);

/* Returns how many of `total` busy cycles fall within [from, to), if they are spread evenly over
 * [first, end). */
static inline uint64_t cm_read_part(uint64_t total, uint64_t first, uint64_t end, uint64_t from,
                                    uint64_t to)
{
    uint64_t low = cm_most(first, from), high = cm_least(end, to);
    if (high <= low)
        return 0;
    if (total == end - first) /* usual case: a hop without gaps between its words */
        return high - low;
    unsigned __int128 before_high = (unsigned __int128)total * (high - first) / (end - first);
    unsigned __int128 before_low = (unsigned __int128)total * (low - first) / (end - first);
    return (uint64_t)(before_high - before_low);
}

/* Allocates zeroed memory for a query, or for finishing the opening of the trace. If memory runs
 * out, sets the cache's `no_memory`. */
void *cm_read_allocate(const struct cm_trace *trace, uint64_t count, size_t size);

static inline bool cm_read_in_set(const struct cm_trace *trace, uint64_t set, uint32_t node)
{
    return trace->set_bits.items[set * trace->set_words + node / 64] >> node % 64 & 1;
}

/* Opens a trace as cm_trace_open_memory does, with an index of at most `exchanges_max` (at least 1)
 * exchanges instead of CM_READ_EXCHANGES_MAX. Defined in read.c. */
enum cm_status cm_read_open_memory(const void *bytes, size_t length, const char *name,
                                   uint64_t exchanges_max, struct cm_trace **out,
                                   struct cm_error *err);

/* These functions of read_define.c, read_routed.c and read_events.c each read one block. They set
 * in->bad if the block is damaged. */
void cm_read_info(struct cm_trace *trace, struct cm_input_bytes *in);
void cm_read_definitions(struct cm_trace *trace, struct cm_input_bytes *in);
void cm_read_types(struct cm_trace *trace, struct cm_input_bytes *in);
void cm_read_routed(struct cm_trace *trace, struct cm_input_bytes *in);
void cm_read_events(struct cm_trace *trace, struct cm_input_bytes *in);
/* Sorts the hops and finds the intervals in which packets wait. */
void cm_read_finish_routed(struct cm_trace *trace);
/* These functions of read_hops.c prepare the questions about hops at the end of opening, and free
 * their memory. */
void cm_read_finish_hops(struct cm_trace *trace);
void cm_read_free_hops(struct cm_trace *trace);
/* These functions are defined in read_sums.c. */
void cm_read_finish_sums(struct cm_trace *trace);
/* Adds the busy cycles of the hops that touch an interval to busy[channel index]. */
void cm_read_add_hops(const struct cm_trace *trace, uint64_t first, uint64_t end, uint64_t *busy);
/* Returns the number of the first hop that may still be crossing its channel at a cycle. */
uint64_t cm_read_first_hop(const struct cm_trace *trace, uint64_t cycle);
void cm_read_free_definitions(struct cm_trace *trace);
/* Reads a list of causes with the cycles of each, and returns the sum of the cycles. */
uint64_t cm_read_causes(struct cm_trace *trace, struct cm_input_bytes *in, uint64_t *causes);

/* These functions are defined in read_events.c. */
/* Returns a block of decoded events, from the cache if possible. Returns NULL when out of
 * memory. */
const struct cm_decoded *cm_read_decode(const struct cm_trace *trace, uint64_t block);
/* These functions return the number of the block that contains a cycle, or that contains an event.
 * Behind the end of the run, they return the number of blocks. */
uint64_t cm_read_block_of_cycle(const struct cm_trace *trace, uint64_t cycle);
uint64_t cm_read_block_of_event(const struct cm_trace *trace, uint64_t number);
uint32_t cm_read_step_of(const struct cm_trace *trace, uint64_t cycle);

/* Walk over the exchanges in order of time, from the first exchange that ends after a cycle. The
 * walk takes exchanges from the index, then decodes the events that the index does not cover.
 * Defined in read_use.c. */
struct cm_read_walk {
    const struct cm_trace *trace;
    uint64_t first; /* cycle at which the walk begins */
    uint64_t next;  /* next exchange of the index */
    struct cm_trace_cursor cursor;
    bool by_events;
};
struct cm_read_walk cm_read_walk_from(const struct cm_trace *trace, uint64_t cycle);
bool cm_read_walk_next(struct cm_read_walk *walk, struct cm_read_exchange *exchange);
/* Estimates the number of exchanges in an interval. */
uint64_t cm_read_exchanges_about(const struct cm_trace *trace, uint64_t first, uint64_t end);

/* Computes at the end of opening what the questions about channels need. Defined in
 * read_windows.c. */
void cm_read_finish_use(struct cm_trace *trace);

#endif
