/*
 * What the files of the reader share. At opening every block is checked and every event decoded
 * once; what is kept is small: definitions, where blocks are with sums of what is before each, the
 * exchanges, and of each event its phase and cycles. Blocks of events are decoded again when
 * somebody looks at them.
 */
#ifndef CM_TRACE_READ_PRIVATE_H
#define CM_TRACE_READ_PRIVATE_H

#include "../base/list.h"
#include "../sim/router/router.h"
#include "format.h"

#include <stdlib.h>
#include <string.h>

#define CM_READ_CACHE         8u                  /* decoded blocks kept */
#define CM_READ_EXCHANGES_MAX (UINT64_C(1) << 23) /* with an index; of more, blocks are decoded */
#define CM_READ_BRIEFS_MAX    (UINT64_C(1) << 24) /* events kept in brief; likewise */
#define CM_READ_MARK_EVENTS   128u                /* from one mark to the next */
#define CM_READ_SETS_MAX      (UINT64_C(1) << 28) /* bytes */
#define CM_READ_TIME_MAX      (UINT64_C(1) << 44) /* word times of the router */
#define CM_READ_WINDOWS       2048u               /* about as many */
#define CM_READ_HOP_BLOCK     256u

/* Bytes being read. What goes beyond the end, or beyond its bounds, makes all bad; after that every
 * number is 0. */
struct cm_input_bytes {
    const unsigned char *at, *end;
    bool bad;
};

/* False, and all is bad, unless the condition holds. */
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
/* NULL when all is bad. */
const unsigned char *cm_get_raw(struct cm_input_bytes *in, uint64_t length);

/* A number; most have one byte. */
static inline uint64_t cm_get(struct cm_input_bytes *in)
{
    return in->at < in->end && *in->at < 0x80 ? *in->at++ : cm_get_long(in);
}

/* `from` and a signed difference to it. */
static inline uint64_t cm_get_from(struct cm_input_bytes *in, uint64_t from)
{
    return from + cm_unzigzag(cm_get(in));
}

/* Less than `count`. */
uint64_t cm_get_below(struct cm_input_bytes *in, uint64_t count);
static inline uint32_t cm_get_u32_below(struct cm_input_bytes *in, uint64_t count)
{
    return (uint32_t)cm_get_below(in, count);
}

struct cm_read_imp {
    struct cm_imp *imp;
    struct cm_path path;
    uint8_t *phases; /* by instruction */
    uint32_t source; /* string + 1; 0: none */
};

struct cm_read_shape {
    uint64_t gap[CM_CAUSE_COUNT], event[CM_CAUSE_COUNT];
    uint64_t gap_cycles, cycles, page_faults;
    uint32_t met; /* while a block is summed up */
};

struct cm_read_entry {
    uint32_t slot;
    uint32_t set; /* + 1; 0: all nodes */
};

struct cm_read_pattern {
    uint32_t first, count; /* of entries */
};

struct cm_read_block {
    struct cm_input_bytes in; /* of the events */
    uint64_t first_event;
    uint32_t count;
    uint32_t imp, pc; /* + 1: of the event before */
    uint64_t first_cycle;
    uint64_t page;                                                     /* open at its beginning */
    uint64_t by_cause[CM_CAUSE_COUNT], by_phase[CM_TRACE_PHASE_COUNT]; /* before */
};

/* A decoded block. */
struct cm_decoded {
    uint64_t block; /* UINT64_MAX: none */
    uint64_t used;  /* when */
    uint32_t count;
    struct cm_trace_event *events;
    uint32_t *briefs; /* of each event: shape * CM_TRACE_PHASE_COUNT + phase */
};

/* What is before an event, one of each CM_READ_MARK_EVENTS. */
struct cm_read_mark {
    uint64_t cycle;
    uint64_t by_phase[CM_TRACE_PHASE_COUNT];
};

struct cm_read_step {
    struct cm_trace_step step;
    bool ended;
};

struct cm_read_run { /* of elements whose places go on by the same steps */
    uint64_t first;
    uint64_t node, local, node_step, local_step;
};
struct cm_read_places {
    uint32_t first, count; /* of runs */
    uint64_t elements;
    bool linear; /* a run a bit of the number, combined by exclusive or */
};
struct cm_read_array {
    struct cm_trace_array array;
    uint32_t number;
    uint64_t cycle;  /* true from here on */
    uint32_t places; /* + 1; 0: none */
};

struct cm_read_hop {
    uint64_t asked, first, end; /* cycles */
    uint32_t packet;
    uint32_t channel; /* (node * dimensions + dimension) * 2 + channel */
    uint32_t blocker; /* + 1; 0: none */
    uint32_t words;
};
struct cm_read_routed_window {
    uint64_t first, end; /* cycles */
    uint64_t at;         /* of its channels */
    uint32_t count;
};
struct cm_read_load {
    uint32_t channel; /* likewise */
    uint32_t words;
};
struct cm_read_wait {
    uint64_t first, end;
};

struct cm_read_exchange {
    uint64_t cycle;
    uint32_t pattern;
};

struct cm_read_wires {
    uint64_t cycle;
    uint32_t pattern;
    struct cm_input_bytes words;
};

/* The hops of each packet, or of each channel, in their order: order[first[i]] and on. NULL: not
 * asked for yet. */
struct cm_read_hop_index {
    uint32_t *first, *order;
};

/* What looking things up leaves behind. A trace is read by one thread. */
struct cm_read_cache {
    struct cm_decoded decoded[CM_READ_CACHE];
    uint64_t uses;
    uint32_t decodes;
    struct cm_read_hop_index by_packet, by_channel;
    bool no_memory; /* an answer was incomplete */
};

/* Everything that a file defines, in its order; sticky on out of memory. */
#define CM_READ_LISTS(X)                                                                           \
    X(char *, strings)                                                                             \
    X(struct cm_read_imp, imps)                                                                    \
    X(struct cm_read_shape, shapes)                                                                \
    X(struct cm_read_entry, entries)                                                               \
    X(struct cm_read_pattern, patterns)                                                            \
    X(uint64_t, set_bits) /* set_words a set */                                                    \
    X(struct cm_read_step, steps)                                                                  \
    X(struct cm_trace_line, lines)                                                                 \
    X(struct cm_read_run, runs)                                                                    \
    X(struct cm_read_places, places)                                                               \
    X(const char *, types) /* of arrays; NULL: not recorded */                                     \
    X(struct cm_read_array, arrays)                                                                \
    X(struct cm_read_block, blocks)                                                                \
    X(struct cm_read_exchange, exchanges) /* the first `exchanges_max` */                          \
    X(uint32_t, briefs)                   /* of the first events, as in struct cm_decoded */       \
    X(struct cm_read_mark, marks)                                                                  \
    X(struct cm_read_wires, wires)                                                                 \
    X(struct cm_trace_packet, packets)                                                             \
    X(struct cm_read_hop, hops)                                                                    \
    X(struct cm_read_routed_window, windows)                                                       \
    X(struct cm_read_load, loads)                                                                  \
    X(struct cm_read_wait, waits)                                                                  \
    X(uint32_t, set_classes) /* of each set, [set_class_at[set], set_class_at[set + 1]) */
#define CM_READ_LIST(type, name) CM_LIST(type) name;

struct cm_trace {
    struct cm_trace_info info;
    const unsigned char *bytes;
    size_t length;
    void *owned; /* the file's bytes; NULL: they are the caller's */
    char *workload, *machine, *made_of;
    char notice[256];
    uint32_t causes[64]; /* of the file's causes: ours */
    uint32_t cause_count;
    uint32_t loop_depth, set_words, set_count;
    struct cm_path_memory path_memory;
    uint32_t exchange_channels; /* of a dimension, by exchanges; the router may have more */
    bool has_info;
    CM_READ_LISTS(CM_READ_LIST)
    uint64_t brief_end;     /* cycle at which the last event in brief ends */
    uint64_t exchanges_max; /* with an index */
    uint64_t all_exchanges, all_events, end_cycle;
    uint64_t by_cause[CM_CAUSE_COUNT], by_phase[CM_TRACE_PHASE_COUNT];
    uint64_t page;
    /* the router's run at hand */
    struct cm_router_options router;
    uint64_t router_cycle;
    uint64_t run_windows; /* windows before this run */
    bool routing;
    /* made at the end of opening */
    uint64_t *sent_words; /* [pattern * dimensions + dimension] words of one exchange */
    uint64_t *set_sizes;  /* nodes of each set */
    uint32_t *class_of;   /* of nodes that are in the same sets */
    uint32_t class_count;
    uint64_t *set_class_at;
    /* [(window * dimensions + dimension) * 2]: busy cycles of all channels, of the busiest */
    uint64_t *load_sums;
    uint64_t *hop_block_end;   /* latest end of each CM_READ_HOP_BLOCK hops ... */
    uint64_t *hop_block_asked; /* ... and when the first of them asks */
    uint64_t *hop_sums;        /* busy cycles of each channel up to some hops; NULL: few hops */
    uint64_t longest_hop;      /* cycles */
    float *window_max;         /* [window * dimensions + dimension], 0 .. 1 */
    uint64_t *window_busy;     /* busy cycles of each dimension before each window */
    struct cm_read_cache *cache;
};

/*
 * How many elements of a list come until `limit`: those that begin with one whose `field`, a 64-bit
 * number by which the list is in order, is at most that.
 */
#define cm_read_until(list, field, limit)                                                          \
    ((list).count == 0                                                                             \
         ? 0                                                                                       \
         : cm_read_rank(&(list).items->field, sizeof *(list).items, (list).count, limit))
uint64_t cm_read_rank(const uint64_t *first, size_t stride, uint64_t count, uint64_t limit);

/* What of `total` busy cycles, spread evenly over [first, end), is within [from, to). */
static inline uint64_t cm_read_part(uint64_t total, uint64_t first, uint64_t end, uint64_t from,
                                    uint64_t to)
{
    uint64_t low = cm_most(first, from), high = cm_least(end, to);
    if (high <= low)
        return 0;
    if (total == end - first) /* without gaps: as most hops are */
        return high - low;
    unsigned __int128 before_high = (unsigned __int128)total * (high - first) / (end - first);
    unsigned __int128 before_low = (unsigned __int128)total * (low - first) / (end - first);
    return (uint64_t)(before_high - before_low);
}

/* Memory for what a query or the end of opening needs, zeroed; a failure is remembered. */
void *cm_read_allocate(const struct cm_trace *trace, uint64_t count, size_t size);

static inline bool cm_read_in_set(const struct cm_trace *trace, uint64_t set, uint32_t node)
{
    return trace->set_bits.items[set * trace->set_words + node / 64] >> node % 64 & 1;
}

/* read.c: cm_trace_open_memory with another bound in place of CM_READ_EXCHANGES_MAX, at least 1. */
enum cm_status cm_read_open_memory(const void *bytes, size_t length, const char *name,
                                   uint64_t exchanges_max, struct cm_trace **out,
                                   struct cm_error *err);

/* read_define.c, read_routed.c, read_events.c: take in a block; in->bad when it is damaged. */
void cm_read_info(struct cm_trace *trace, struct cm_input_bytes *in);
void cm_read_definitions(struct cm_trace *trace, struct cm_input_bytes *in);
void cm_read_types(struct cm_trace *trace, struct cm_input_bytes *in);
void cm_read_routed(struct cm_trace *trace, struct cm_input_bytes *in);
void cm_read_events(struct cm_trace *trace, struct cm_input_bytes *in);
/* Sorts hops and finds waits. */
void cm_read_finish_routed(struct cm_trace *trace);
/* read_hops.c */
void cm_read_finish_hops(struct cm_trace *trace);
void cm_read_free_hops(struct cm_trace *trace);
/* read_sums.c */
void cm_read_finish_sums(struct cm_trace *trace);
/* Adds the busy cycles of the hops that touch an interval. */
void cm_read_add_hops(const struct cm_trace *trace, uint64_t first, uint64_t end, uint64_t *busy);
void cm_read_free_definitions(struct cm_trace *trace);
/* Cycles by cause; returns their sum. */
uint64_t cm_read_causes(struct cm_trace *trace, struct cm_input_bytes *in, uint64_t *causes);

/* read_events.c */
/* Decodes a block, or finds it decoded; NULL when out of memory. */
const struct cm_decoded *cm_read_decode(const struct cm_trace *trace, uint64_t block);
/* The block that a cycle, or an event, is in; the count of blocks when beyond. */
uint64_t cm_read_block_of_cycle(const struct cm_trace *trace, uint64_t cycle);
uint64_t cm_read_block_of_event(const struct cm_trace *trace, uint64_t number);
uint32_t cm_read_step_of(const struct cm_trace *trace, uint64_t cycle);

/* read_use.c: exchanges in order, from the first that ends after a cycle: by the index, then by
 * events. */
struct cm_read_walk {
    const struct cm_trace *trace;
    uint64_t first; /* cycle */
    uint64_t next;  /* of the index */
    struct cm_trace_cursor cursor;
    bool by_events;
};
struct cm_read_walk cm_read_walk_from(const struct cm_trace *trace, uint64_t cycle);
bool cm_read_walk_next(struct cm_read_walk *walk, struct cm_read_exchange *exchange);
/* About how many are within an interval. */
uint64_t cm_read_exchanges_about(const struct cm_trace *trace, uint64_t first, uint64_t end);

/* read_windows.c: what queries about channels need. */
void cm_read_finish_use(struct cm_trace *trace);

#endif
