/* What the files of the recorder share. */
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

/* Places of IMPs, of lines, and at first of shapes. */
#define CM_RECORDER_CACHE_BITS 8u
#define CM_RECORDER_CACHE      (1u << CM_RECORDER_CACHE_BITS)

/* Each cause is written as a byte and a number, after a byte that counts them. */
#define CM_CAUSES_MAX_BYTES (1u + CM_CAUSE_COUNT * (1u + CM_NUMBER_MAX_BYTES))
static_assert(CM_CAUSE_COUNT < 32,
              "causes and page faults are a bit each, causes are counted by a byte");

/* Of an event, what it was charged: cycles by cause, and page faults behind them. */
#define CM_PAGE_FAULTS   CM_CAUSE_COUNT
#define CM_CHARGES_COUNT (CM_PAGE_FAULTS + 1u)

/* Cycles by cause of an event, and of the control flow before it. */
struct cm_shape {
    uint64_t total[CM_CHARGES_COUNT];
    uint32_t charged;    /* whose total is not 0, a bit each */
    uint32_t earlier;    /* number + 1 of the shape that had its place; 0: no shape had */
    uint64_t gap_cycles; /* of the control flow: loops and address registers, refreshes meanwhile */
};

struct cm_recorded_imp {
    uint32_t length;
    struct cm_path path;
};

/* Content that was given a number: chained by hash. */
struct cm_numbered {
    uint64_t hash;
    size_t at, length; /* in the store of all contents */
};
struct cm_numbers {
    CM_LIST(struct cm_numbered) given;
    uint32_t *table; /* number + 1; 0: empty */
    uint32_t table_size;
    struct cm_buffer contents;
};

/* Slots, each with a set of nodes. */
struct cm_recorded_pattern {
    uint64_t slots;
    uint32_t first; /* of pattern_sets, one a slot */
};

/* Trace patterns by the machine's numbers of one generation; 0: not known yet. */
struct cm_pattern_map {
    CM_LIST(uint32_t) patterns;
};

/* A hop, in word times. */
struct cm_recorded_hop {
    uint64_t packet; /* in the whole trace */
    uint64_t asked, first, end;
    uint64_t blocker;
    uint32_t channel;
};

struct cm_recorder_router {
    struct cm_router_options options;
    uint64_t cycle; /* of word time 0 */
    uint64_t sent;
    uint64_t hops_left; /* to be recorded one by one, in the whole trace */
    /* First packet of the run that is not recorded, and first one whose hops are not. */
    uint64_t packets, packets_with_hops;
    uint64_t packet_base;
    /* last packet of each channel, + 1; 0: none that is recorded; up to packet_base: of a run
     * before */
    uint32_t *holders;
    /* of each channel whose hop's end is not known yet; first UINT64_MAX: none; wormhole alone */
    struct cm_recorded_hop *open;
    uint32_t *window; /* words of each channel */
    uint64_t window_first, window_length;
    bool window_used;
    bool running;
    /* what the numbers in the block at hand are differences to */
    uint64_t packet, first, created, arrived;
    uint32_t channel;
};

struct cm_recorder {
    struct cm_observer observer;
    struct cm_machine *machine;
    uint32_t nodes, dimensions, channels, slots;
    bool in_memory;
    bool failed; /* out of memory, or writing failed: nothing more is recorded */
    bool no_memory;
    bool finished;
    struct cm_output file;
    struct cm_buffer out; /* blocks to be written; in memory all of them */
    uint64_t written;
    uint64_t detail_first, detail_end, wires;
    /* events */
    struct cm_buffer definitions, events, payload;
    struct cm_buffer text;  /* of what gets a number */
    struct cm_buffer types; /* of arrays, that are to be written after the definitions */
    uint64_t event_count;   /* in all blocks before the one at hand */
    uint32_t block_left;    /* events that it has room for; 0: another begins */
    uint64_t exchanges;
    uint64_t block_cycle;
    uint32_t block_imp, block_pc; /* + 1 */
    uint32_t hits;
    struct cm_guess guess;
    struct cm_recorded_imp *imp; /* running; NULL: none */
    struct cm_path path;         /* its path; next NULL: none, or the recorder has failed */
    struct cm_history *before;   /* the instruction before; at first `start` */
    struct cm_history start;     /* whose successor is the first instruction of the run */
    uint64_t last_cycle;         /* up to which all is recorded */
    uint64_t last[CM_CAUSE_COUNT];
    uint64_t last_faults;
    /* Of the event at hand: what was charged, a bit each, and how much. */
    uint32_t charged;
    uint64_t delta[CM_CHARGES_COUNT];
    CM_LIST(struct cm_shape) shapes; /* there is a first one, like no other, before any is known */
    uint32_t *shape_places;          /* the last shape of each place, + 1; 0: none */
    uint32_t shape_shift;            /* a number of 64 bits shifted by it is a place */
    struct cm_numbers set_numbers, pattern_numbers, string_numbers, place_numbers;
    /* patterns */
    uint32_t generation;
    struct cm_pattern_map ways, pending;
    CM_LIST(struct cm_recorded_pattern) patterns; /* by number */
    CM_LIST(uint32_t) pattern_sets;               /* number + 1; 0: all nodes */
    uint32_t slot_patterns[CM_TRACE_SLOTS_MAX];
    uint64_t *masks;       /* a node each */
    uint8_t *slot_of_node; /* the same where a node has one slot; up to a multiple of 64 */
    uint64_t *slot_nodes;  /* [slot * words + word]: nodes, a bit each */
    /* IMPs */
    CM_LIST(struct cm_recorded_imp) imps; /* by number */
    struct cm_path_memory path_memory;
    struct cm_numbers imp_numbers;
    struct cm_buffer image;
    struct cm_code_layouts layouts;
    /* of the last IMPs by the number of their load, [load % CM_RECORDER_CACHE] */
    uint64_t imp_loads[CM_RECORDER_CACHE];
    uint32_t imps_of_loads[CM_RECORDER_CACHE];
    CM_LIST(uint32_t) array_places; /* by array, as it lies now: number + 1; 0: not recorded */
    uint64_t *places;               /* of the elements of one array */
    /* steps and the router */
    uint64_t step_causes[CM_CAUSE_COUNT];
    bool in_step;
    /* the line that runs, not written while it has taken no cycles; file NULL: none */
    struct cm_observed_line line;
    bool line_written;
    struct cm_recorded_line {
        const char *source; /* NULL: none */
        uint32_t line, text;
    } * lines; /* [CM_RECORDER_CACHE]: strings of lines, by number; NULL: there was no line */
    struct cm_recorder_router router;
    struct cm_buffer routed;
};

/* record.c */
void cm_recorder_fail(struct cm_recorder *recorder); /* out of memory */
void cm_recorder_block(struct cm_recorder *recorder, enum cm_trace_block type,
                       const struct cm_buffer *payload);
/* Writes the definitions made so far, before something that refers to them. */
void cm_recorder_define(struct cm_recorder *recorder);
/* The causes, a bit each, and the cycles of each; returns where the next bytes go. */
char *cm_write_causes(char *at, const uint64_t *cycles, uint32_t causes);
void cm_put_causes(struct cm_buffer *bytes, const uint64_t *cycles); /* those that have any */

/* record_numbers.c: the number of a content, from 0 in the order in which they come. A new one is
 * written as a definition of this kind, or left to the caller (0). 0 when out of memory. */
uint32_t cm_recorder_number(struct cm_recorder *recorder, struct cm_numbers *numbers,
                            unsigned definition, const struct cm_buffer *content);
void cm_numbers_finish(struct cm_numbers *numbers);

/* record_events.c */
void cm_recorder_run_begins(void *context, const struct cm_observed_start *start);
void cm_recorder_issued(void *context, const struct cm_observed_issue *issue);
void cm_recorder_run_ends(void *context, const struct cm_counters *counters);
void cm_recorder_router_event(struct cm_recorder *recorder, uint64_t first_cycle,
                              const struct cm_counters *counters);
void cm_recorder_flush_events(struct cm_recorder *recorder);

/* record_patterns.c: finds the pattern of what an instruction uses. */
void cm_recorder_find_pattern(struct cm_recorder *recorder, const struct cm_observed_issue *issue);
void cm_recorder_record_wires(struct cm_recorder *recorder, const struct cm_observed_issue *issue,
                              uint32_t pattern);
/* record_imps.c: NULL when out of memory. */
struct cm_recorded_imp *cm_recorder_imp(struct cm_recorder *recorder,
                                        const struct cm_observed_start *start);
/* record_run.c */
uint32_t cm_recorder_string(struct cm_recorder *recorder, const char *text);
void cm_recorder_step_begins(void *context, const char *op, const char *where,
                             const struct cm_counters *counters);
void cm_recorder_step_ends(void *context, const struct cm_counters *counters);
void cm_recorder_line_begins(void *context, const struct cm_observed_line *line);
void cm_recorder_array_lies(void *context, const struct cm_observed_array *array);
/* record_router.c */
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

/* The trace's pattern of what an instruction uses; 0: none. */
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
            issue->slots == CM_SLOTS_TABLE ? &recorder->ways : &recorder->pending;
        known = issue->number < map->patterns.count ? map->patterns.items[issue->number] : 0;
    }
    return known != 0 ? known : CM_PATTERN_NOT_KNOWN;
}

#endif
