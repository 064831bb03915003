/*
 * The recorder's data, which all files of the recorder share.
 *
 * The recorder compresses events by prediction (format.h). For each instruction the predictor
 * expects an event template, a pattern and two addresses. A correct prediction only increments a
 * counter. A wrong prediction writes the fields that differ.
 *
 * Strings, IMPs, sets of nodes, patterns, event templates and array places repeat. Each gets a
 * number and is written once as a definition. The places of an array are the node and address of
 * each element.
 *
 * Invariant: a definition is written before the first block that refers to it.
 *
 * After a failure `failed` is set, every observer function returns at once, and the run goes on.
 *
 *   record.c           creates and finishes the recorder
 *   record_write.c     writes blocks with their checksums
 *   record_events.c    predicts and writes events, manages event templates
 *   record_numbers.c   numbers contents
 *   record_patterns.c  finds sets of nodes and patterns, records words of exchanges
 *   record_imps.c      writes IMPs
 *   record_run.c       writes steps, source lines and array places
 *   record_router.c    writes packets and hops of the router
 */
#ifndef CM_TRACE_RECORD_PRIVATE_H
#define CM_TRACE_RECORD_PRIVATE_H

#include "../base/list.h"
#include "../base/output.h"
#include "../isa/image.h"
#include "../sim/router/router.h"
#include "bytes.h"
#include "format.h"
#include "record.h"

#include <assert.h>

/* Number of entries of two caches, for IMPs and for source lines. The hash table of event templates
 * begins with as many entries. */
#define CM_RECORDER_CACHE_BITS 8u
#define CM_RECORDER_CACHE      (1u << CM_RECORDER_CACHE_BITS)

/* Largest number of bytes of an encoded list of causes. The list is a count byte, then a cause byte
 * and a number of cycles for each cause. */
#define CM_CAUSES_MAX_BYTES (1u + CM_CAUSE_COUNT * (1u + CM_NUMBER_MAX_BYTES))
static_assert(CM_CAUSE_COUNT < 32,
              "causes and page faults are a bit each, causes are counted by a byte");

/* Index of the page faults in an array of an event's costs. The cycles by cause have the smaller
 * indices. */
#define CM_PAGE_FAULTS   CM_CAUSE_COUNT
#define CM_CHARGES_COUNT (CM_PAGE_FAULTS + 1u)

/* Event template: the costs of an event and of the control flow before the event. Costs are cycles
 * by cause and page faults. Events with equal costs share a template. */
struct cm_event_template {
    uint64_t total[CM_CHARGES_COUNT];
    uint32_t charged; /* bit set of the entries of `total` that are not 0 */
    /* number + 1 of the next template with the same hash table entry. 0: no further template */
    uint32_t earlier;
    uint64_t gap_cycles; /* cycles of the control flow before the event, refreshes included */
};

struct cm_recorded_imp {
    uint32_t length;
    struct cm_prediction prediction;
};

/* Content (bytes such as a string or a pattern) that has got a number. The hash of the content
 * finds the number. */
struct cm_numbered {
    uint64_t hash;
    size_t at, length; /* bytes of the content in `contents` */
};
struct cm_numbers {
    CM_LIST(struct cm_numbered) given;
    uint32_t *table; /* hash table of contents: number + 1 of a content. 0: empty entry */
    uint32_t table_size;
    struct cm_buffer contents;
};

/* Pattern: a set of slots, and for each slot a set of nodes. */
struct cm_recorded_pattern {
    uint64_t slots;
    /* index in pattern_sets of the set of nodes that use the lowest slot. The sets of the higher
     * slots follow in order */
    uint32_t first;
};

/* Map from pattern numbers of the machine to pattern numbers of the trace, valid until the machine
 * reuses its numbers. 0: the number is not in the map yet. */
struct cm_pattern_map {
    CM_LIST(uint32_t) patterns;
};

/* Hop of a packet over a channel. Times are in word times of the router. */
struct cm_recorded_hop {
    uint64_t packet; /* packet number within the whole trace */
    uint64_t asked, first, end;
    uint64_t blocker;
    uint32_t channel;
};

struct cm_recorder_router {
    struct cm_router_options options;
    uint64_t cycle; /* machine cycle of word time 0 */
    uint64_t sent;
    /* number of hops that this trace may still record individually */
    uint64_t hops_left;
    /* Limits for the packets of this router run. Packets with numbers from `packets` on are not
     * recorded. Hops of packets with numbers from `packets_with_hops` on are not recorded
     * individually. */
    uint64_t packets, packets_with_hops;
    uint64_t packet_base;
    /* For each channel, number + 1 of the last packet that got the channel. 0: no packet got it, or
     * the packet is not recorded. Values up to packet_base belong to an earlier router run. */
    uint32_t *holders;
    /* Hop in progress on each channel, whose end is not known yet. Used for wormhole switching
     * only. Its `first` is UINT64_MAX if the channel has no hop in progress. */
    struct cm_recorded_hop *open;
    uint32_t *window; /* number of words that each channel carried in the current window */
    uint64_t window_first, window_length;
    bool window_used;
    bool running;
    /* Values of the last record in the block. The next record is encoded as differences from these
     * values. */
    uint64_t packet, first, created, arrived;
    uint32_t channel;
};

struct cm_recorder {
    struct cm_observer observer;
    struct cm_machine *machine;
    uint32_t nodes, dimensions, channels, slots;
    bool in_memory;
    bool failed; /* true after an error: memory ran out or a write failed, and recording stopped */
    bool no_memory;
    bool finished;
    struct cm_output file;
    /* blocks that are not written to the file yet. For a recording in memory: the whole trace */
    struct cm_buffer out;
    uint64_t written;
    uint64_t detail_first, detail_end, wires;
    /* Events. */
    struct cm_buffer definitions, events, payload;
    /* scratch buffer, in which a content is encoded before it gets a number */
    struct cm_buffer text;
    struct cm_buffer types; /* element types of arrays, written after the definitions */
    uint64_t event_count;   /* number of events in all blocks before the current block */
    /* number of events that still fit into the current block. 0: no block is open */
    uint32_t block_left;
    uint64_t exchanges;
    uint64_t block_cycle;
    /* numbers + 1 of the IMP and of the instruction that were executed last before the block. 0: no
     * IMP, or no instruction */
    uint32_t block_imp, block_pc;
    uint32_t correct; /* number of correct predictions that are not written yet */
    struct cm_predictor predictor;
    struct cm_recorded_imp *imp; /* running IMP. NULL: no IMP runs */
    /* prediction state of the running IMP. Its `next` is NULL if no IMP runs or the recorder
     * failed */
    struct cm_prediction prediction;
    /* history of the previous instruction, or &start before the first instruction */
    struct cm_history *before;
    /* history before the first instruction, whose successor is the predicted first instruction */
    struct cm_history start;
    uint64_t last_cycle; /* cycle up to which the run is recorded */
    uint64_t last[CM_CAUSE_COUNT];
    uint64_t last_faults;
    /* Costs of the current event: the value of each cost in `delta`, and a bit set of the costs
     * that may differ from 0. */
    uint32_t charged;
    uint64_t delta[CM_CHARGES_COUNT];
    /* event templates in the order of their numbers. Template 0 is for no event, because its costs
     * are impossible */
    CM_LIST(struct cm_event_template) templates;
    /* hash table of event templates: number + 1 of the entry's newest template, whose member
     * `earlier` leads to the others. 0: no template */
    uint32_t *template_places;
    /* number of bits by which a 64-bit hash is shifted right to get a table index */
    uint32_t template_shift;
    struct cm_numbers set_numbers, pattern_numbers, string_numbers, place_numbers;
    /* Patterns. */
    uint32_t generation;
    struct cm_pattern_map table_patterns, pending;
    CM_LIST(struct cm_recorded_pattern) patterns; /* patterns in the order of their numbers */
    /* for each slot of each pattern, the number + 1 of the set of nodes that use the slot. 0: all
     * nodes */
    CM_LIST(uint32_t) pattern_sets;
    uint32_t slot_patterns[CM_TRACE_SLOTS_MAX];
    uint64_t *masks; /* scratch: for each node, a bit set of its slots */
    /* scratch: for each node, its slot, if every node uses exactly one. Has room for a multiple of
     * 64 nodes */
    uint8_t *slot_of_node;
    /* scratch: for each slot, a bit set of its nodes, at [slot * words + word] */
    uint64_t *slot_nodes;
    /* IMPs. */
    CM_LIST(struct cm_recorded_imp) imps; /* IMPs in the order of their numbers */
    struct cm_prediction_memory prediction_memory;
    struct cm_numbers imp_numbers;
    struct cm_buffer image;
    struct cm_code_layouts layouts;
    /* Cache of IMPs. The machine gives each load of an IMP a number. The entry at [load number %
     * CM_RECORDER_CACHE] has a load number and the IMP's number in the trace. */
    uint64_t imp_loads[CM_RECORDER_CACHE];
    uint32_t imps_of_loads[CM_RECORDER_CACHE];
    /* for each array, the number + 1 of its present places (nodes and addresses of elements). 0:
     * places not recorded */
    CM_LIST(uint32_t) array_places;
    uint64_t *places; /* scratch: the node and address of each element of one array */
    /* Steps and the router. */
    uint64_t step_causes[CM_CAUSE_COUNT];
    bool in_step;
    /* Current source line of the program, which is written once it has taken cycles. Its `file` is
     * NULL if no line runs. */
    struct cm_observed_line line;
    bool line_written;
    struct cm_recorded_line {
        const char *source; /* name of the source file. NULL: the entry is empty */
        uint32_t line, text;
    } * lines; /* cache of the numbers of line texts, CM_RECORDER_CACHE entries. NULL at first */
    struct cm_recorder_router router;
    struct cm_buffer routed;
};

/* number of buffered bytes from which on the recorder writes blocks to the file (record_write.c) */
#define CM_RECORDER_WRITE_BYTES (UINT32_C(1) << 16)
/* writes the buffered blocks to the file */
void cm_recorder_write_out(struct cm_recorder *recorder);
void cm_recorder_fail(struct cm_recorder *recorder); /* stops recording because memory ran out */
void cm_recorder_block(struct cm_recorder *recorder, enum cm_trace_block type,
                       const struct cm_buffer *payload);
/* Writes the definitions that are not written yet, so that later blocks can refer to them. */
void cm_recorder_define(struct cm_recorder *recorder);
/* Encodes the causes in the bit set `causes`: for each cause, the cause and its cycles. Returns the
 * end of the bytes written. */
char *cm_write_causes(char *at, const uint64_t *cycles, uint32_t causes);
/* Appends a list of the causes whose cycles are not 0: their number, then each cause with its
 * cycles. */
void cm_put_causes(struct cm_buffer *bytes, const uint64_t *cycles);

/* Returns the number of a content (bytes that may repeat), from 0 in order of first appearance.
 * Writes a new content as a definition of kind `definition`. If `definition` is 0, the caller
 * writes the definition. Returns 0 when out of memory. Defined in record_numbers.c. */
uint32_t cm_recorder_number(struct cm_recorder *recorder, struct cm_numbers *numbers,
                            unsigned definition, const struct cm_buffer *content);
void cm_numbers_finish(struct cm_numbers *numbers);

/* These functions are defined in record_events.c. */
void cm_recorder_run_begins(void *context, const struct cm_observed_start *start);
void cm_recorder_issued(void *context, const struct cm_observed_issue *issue);
void cm_recorder_run_ends(void *context, const struct cm_counters *counters);
void cm_recorder_router_event(struct cm_recorder *recorder, uint64_t first_cycle,
                              const struct cm_counters *counters);
void cm_recorder_flush_events(struct cm_recorder *recorder);

/* Finds or creates the pattern of the slots that an instruction uses. Defined in
 * record_patterns.c. */
void cm_recorder_find_pattern(struct cm_recorder *recorder, const struct cm_observed_issue *issue);
void cm_recorder_record_wires(struct cm_recorder *recorder, const struct cm_observed_issue *issue,
                              uint32_t pattern);
/* Returns the IMP that starts, and writes its definition if the trace does not have it yet. Returns
 * NULL when out of memory. Defined in record_imps.c. */
struct cm_recorded_imp *cm_recorder_imp(struct cm_recorder *recorder,
                                        const struct cm_observed_start *start);
/* These functions are defined in record_run.c. */
uint32_t cm_recorder_string(struct cm_recorder *recorder, const char *text);
void cm_recorder_step_begins(void *context, const char *op, const char *where,
                             const struct cm_counters *counters);
void cm_recorder_step_ends(void *context, const struct cm_counters *counters);
void cm_recorder_line_begins(void *context, const struct cm_observed_line *line);
void cm_recorder_array_lies(void *context, const struct cm_observed_array *array);
/* These functions are defined in record_router.c. */
void cm_recorder_router_begins(void *context, const struct cm_router_options *options,
                               uint64_t cycle);
void cm_recorder_packet_sent(void *context, uint64_t packet, uint32_t source, uint32_t destination,
                             uint64_t created);
void cm_recorder_packets_hop(void *context, const struct cm_observed_hops *hops);
void cm_recorder_hops_end(void *context, const struct cm_observed_hop_end *ends, uint32_t count);
void cm_recorder_packets_arrive(void *context, const struct cm_router_delivery *arrivals,
                                uint32_t count);
void cm_recorder_router_ends(void *context, uint64_t first_cycle,
                             const struct cm_counters *counters);
void cm_recorder_close_router(struct cm_recorder *recorder, uint64_t word_times);

#define CM_PATTERN_NOT_KNOWN UINT32_MAX

/* Returns the number of the trace's pattern for the slots that an instruction uses. 0: the
 * instruction uses no slots. CM_PATTERN_NOT_KNOWN: the pattern is not known yet. */
static inline uint32_t cm_recorder_known_pattern(const struct cm_recorder *recorder,
                                                 const struct cm_observed_issue *issue)
{
    if (issue->slots == CM_SLOTS_NONE)
        return 0;
    if (issue->slots == CM_SLOTS_ONE)
        return recorder->slot_patterns[issue->number];
    uint32_t known = 0;
    if (issue->generation == recorder->generation) {
        const struct cm_pattern_map *map =
            issue->slots == CM_SLOTS_TABLE ? &recorder->table_patterns : &recorder->pending;
        known = issue->number < map->patterns.count ? map->patterns.items[issue->number] : 0;
    }
    return known != 0 ? known : CM_PATTERN_NOT_KNOWN;
}

#endif
