/*
 * Reading traces: what a run did, cycle by cycle, recorded by the observer of record.h. Everything
 * a viewer or an exporter asks is a question about an interval of cycles [first, end). No SDL, no
 * drawing.
 *
 * A channel is node x dimension x {0, 1}; its index is (node * dimensions + dimension) * channels +
 * channel. An exchange makes every channel that carries a word busy for all of its cycles; the
 * router for the word times that its words take.
 */
#ifndef CM_TRACE_TRACE_H
#define CM_TRACE_TRACE_H

#include "../base/error.h"
#include "../sim/machine/machine.h"

CM_BEGIN_DECLS

struct cm_trace;

/* No step, IMP, instruction or pattern. */
#define CM_TRACE_NONE UINT32_MAX
/* Axes of a recorded array, at most. */
#define CM_TRACE_RANK_MAX 31u

/* What the sequencer does. */
enum cm_trace_phase {
    CM_TRACE_START,   /* the front end starts an IMP or a call */
    CM_TRACE_CONTROL, /* loops, address registers, context */
    CM_TRACE_MOVE,    /* local memory moves */
    CM_TRACE_LOAD,    /* memory to transposer, constants */
    CM_TRACE_EXCHANGE,
    CM_TRACE_UNLOAD,   /* transposer to memory */
    CM_TRACE_BOUNDARY, /* moves and stores that fill boundaries */
    CM_TRACE_FPU,
    CM_TRACE_ROUTER,
    CM_TRACE_PHASE_COUNT
};
CM_API const char *
cm_trace_phase_name(enum cm_trace_phase phase); /* "local move", ... for people */

/* What a trace is of, and how much it has. */
struct cm_trace_info {
    const char *workload;        /* its name */
    const char *machine;         /* its name */
    const char *made_of;         /* what the run is of, as JSON on one line; "": not known */
    uint32_t nodes;              /* of the run */
    uint32_t dimensions;         /* of the run's cube */
    uint32_t machine_dimensions; /* of the machine, which may have more nodes than the run */
    uint32_t channels;           /* of a dimension */
    uint32_t slots;              /* of a transposer */
    uint64_t clock_hz;           /* of the machine */
    uint64_t exchange_cycles;    /* of one exchange */
    uint64_t word_cycles;        /* of the router's word time */
    uint64_t page_words;         /* words of a page of memory */
    uint64_t cycles;             /* of the run, or of what can be read of it */
    bool complete; /* false: the run was interrupted, or the file was cut short or is damaged */
    const char *notice; /* says so, or what is not recorded one by one; NULL when all is there */
    uint64_t exchanges; /* of the whole run */
    uint64_t packets;   /* of the router that are recorded one by one */
    uint64_t window_cycles;                        /* of one window of the channel counters */
    uint64_t window_count;                         /* how many windows there are */
    uint32_t steps, lines, imps, patterns, arrays; /* how many of each there are */
    uint64_t detail_first, detail_end; /* cycles with exact bits on the wires; empty: none */
};

/*
 * Opens a trace. CM_IO when the file cannot be read; CM_BAD_INPUT when it is not a trace, of
 * another version, or damaged so that nothing can be shown; CM_NO_MEMORY. What can be read of a
 * damaged or unfinished file is there, info->complete is false.
 */
CM_API enum cm_status cm_trace_open(const char *path, struct cm_trace **trace,
                                    struct cm_error *err);
/* The same of bytes in memory (they must outlive the trace); `name` is for messages. */
CM_API enum cm_status cm_trace_open_memory(const void *bytes, size_t length, const char *name,
                                           struct cm_trace **trace, struct cm_error *err);
CM_API void cm_trace_close(struct cm_trace *trace); /* NULL is taken */
/* Whether memory was too small for an answer, which was incomplete then. */
CM_API bool cm_trace_failed(const struct cm_trace *trace);
CM_API const struct cm_trace_info *cm_trace_information(const struct cm_trace *trace);

/* A step of the workload, each time it ran. */
struct cm_trace_step {
    uint64_t first_cycle, end_cycle;   /* from the first up to, not including, the end */
    const char *op;                    /* "pshift", ... */
    const char *where;                 /* JSON pointer into the workload */
    uint64_t by_cause[CM_CAUSE_COUNT]; /* adds up to its cycles */
};
CM_API const struct cm_trace_step *cm_trace_step_at(const struct cm_trace *trace, uint32_t step);

/* A line of a program's source, each time cycles were spent for it. */
struct cm_trace_line {
    uint64_t first_cycle, end_cycle; /* from the first up to, not including, the end */
    const char *file;                /* its name */
    uint32_t line;                   /* from 1 */
    const char *text;                /* without blanks in front; a long line is cut */
};
CM_API const struct cm_trace_line *cm_trace_line_at(const struct cm_trace *trace, uint32_t number);
/* The line that runs at a cycle; NULL: none. */
CM_API const struct cm_trace_line *cm_trace_find_line(const struct cm_trace *trace, uint64_t cycle);

/* An instruction (control flow left out), the start of an IMP, or a run of the router. */
struct cm_trace_event {
    uint64_t first_cycle, end_cycle; /* from the first up to, not including, the end */
    uint64_t number;                 /* from 0 */
    enum cm_trace_phase phase;       /* what the sequencer did */
    uint32_t step;                   /* CM_TRACE_NONE: none */
    uint32_t imp;                    /* CM_TRACE_NONE: none */
    /* instruction within the IMP; CM_TRACE_NONE: no instruction (starts, the router) */
    uint32_t pc;
    uint64_t address; /* of the memory word, loads and stores; destination of moves */
    uint64_t other;   /* table word, source of moves */
    /* exchanges: which slots of which nodes are sent; loads and unloads: which slot in which node;
     * CM_TRACE_NONE: none */
    uint32_t pattern;
    uint32_t page_faults; /* of its accesses to memory */
};

/* Walks over events in order. A cursor is a plain value; copies go their own ways. */
struct cm_trace_cursor {
    const struct cm_trace *trace; /* that it walks over */
    uint64_t next;                /* number of the event that comes next */
};
/* The event that covers `cycle`, or the next one after it; cm_trace_next then returns it first. */
CM_API struct cm_trace_cursor cm_trace_seek(const struct cm_trace *trace, uint64_t cycle);
/* The event with a number, likewise. */
CM_API struct cm_trace_cursor cm_trace_seek_event(const struct cm_trace *trace, uint64_t number);
CM_API bool cm_trace_next(struct cm_trace_cursor *cursor, struct cm_trace_event *event);
CM_API bool cm_trace_previous(struct cm_trace_cursor *cursor, struct cm_trace_event *event);
/* First cycle of the next exchange at or after `cycle` (direction > 0), or of the last one before
 * it; UINT64_MAX: none. */
CM_API uint64_t cm_trace_find_exchange(const struct cm_trace *trace, uint64_t cycle, int direction);
/* First cycle at or after `cycle` at which a packet waits for a channel; UINT64_MAX: none. */
CM_API uint64_t cm_trace_find_blocked(const struct cm_trace *trace, uint64_t cycle);

/* Text of an instruction as the disassembler writes it, its IMP's name and source line. */
CM_API void cm_trace_instruction(const struct cm_trace *trace, uint32_t imp, uint32_t pc,
                                 char *text, size_t size);
/* The file that an IMP was read from; NULL: compiled. */
CM_API const char *cm_trace_imp_source(const struct cm_trace *trace, uint32_t imp);
CM_API const char *cm_trace_imp_name(const struct cm_trace *trace, uint32_t imp);
CM_API uint32_t cm_trace_imp_line(const struct cm_trace *trace, uint32_t imp,
                                  uint32_t pc); /* 0: compiled */

/* The slots of a pattern, a bit each: of transposer A for exchanges and loads, of B for unloads. */
CM_API uint64_t cm_trace_pattern_slots(const struct cm_trace *trace, uint32_t pattern,
                                       uint32_t node);

/* Page of DRAM open at a cycle; UINT64_MAX: none. */
CM_API uint64_t cm_trace_open_page(const struct cm_trace *trace, uint64_t cycle);

/* Busy cycles of every channel within an interval: busy[channel index]. Exact. At most 50 ms for
 * the whole machine. */
CM_API void cm_trace_channel_busy(const struct cm_trace *trace, uint64_t first, uint64_t end,
                                  uint64_t *busy);

/* Use of the dimensions over time, `columns` equal parts of an interval. */
struct cm_trace_use {
    float mean; /* busy part of all channels of the dimension, 0..1 */
    /* of the busiest channel, 0..1; of the busiest recorded window where a column spans many */
    float max;
};
CM_API void
cm_trace_dimension_use(const struct cm_trace *trace, uint64_t first, uint64_t end, uint32_t columns,
                       struct cm_trace_use *use); /* use[dimension * columns + column] */

/* Cycles of an interval by cause, and by phase; each adds up to its length (within the run). */
CM_API void cm_trace_by_cause(const struct cm_trace *trace, uint64_t first, uint64_t end,
                              uint64_t cycles[CM_CAUSE_COUNT]);
CM_API void cm_trace_by_phase(const struct cm_trace *trace, uint64_t first, uint64_t end,
                              uint64_t cycles[CM_TRACE_PHASE_COUNT]);

/* The cycles of an interval by phase and cause: what the sequencer did, and what each cycle is
 * charged to. Rows add up to cm_trace_by_phase, columns to cm_trace_by_cause. Reads the interval
 * event by event. */
CM_API void cm_trace_accounting(const struct cm_trace *trace, uint64_t first, uint64_t end,
                                uint64_t cycles[CM_TRACE_PHASE_COUNT][CM_CAUSE_COUNT]);

/* A packet of the router. */
struct cm_trace_packet {
    uint32_t source, destination;                         /* nodes */
    uint32_t words, hops;                                 /* of the packet; channels of its way */
    uint64_t created_cycle, arrived_cycle;                /* arrived UINT64_MAX: never */
    uint64_t queueing_cycles, header_cycles, body_cycles; /* add up to arrived less created */
};
CM_API const struct cm_trace_packet *cm_trace_packet_at(const struct cm_trace *trace,
                                                        uint64_t packet);
/* A packet on, or waiting for, a channel. */
struct cm_trace_hop {
    uint64_t packet;      /* its number */
    uint32_t channel;     /* index */
    uint64_t asked_cycle; /* waits from here ... */
    uint64_t first_cycle; /* ... to here, where its first word goes */
    uint64_t end_cycle;   /* when its last word has crossed */
    uint64_t blocked_by;  /* the packet it waited for; UINT64_MAX: none */
};
/* The hops that touch an interval, in order of first_cycle, at most `capacity`; returns how many
 * there are. */
CM_API uint64_t cm_trace_hops(const struct cm_trace *trace, uint64_t first, uint64_t end,
                              struct cm_trace_hop *hops, uint64_t capacity);
/* The same of one packet, on all of its way. */
CM_API uint64_t cm_trace_hops_of_packet(const struct cm_trace *trace, uint64_t packet,
                                        struct cm_trace_hop *hops, uint64_t capacity);
/* The same over one channel, of those that touch an interval. */
CM_API uint64_t cm_trace_hops_of_channel(const struct cm_trace *trace, uint32_t channel,
                                         uint64_t first, uint64_t end, struct cm_trace_hop *hops,
                                         uint64_t capacity);
/* The hop over a channel that ends at a cycle; false: none does. */
CM_API bool cm_trace_hop_ending(const struct cm_trace *trace, uint32_t channel, uint64_t cycle,
                                struct cm_trace_hop *hop);

/* An array, small enough for its places to be recorded. */
struct cm_trace_array {
    const char *name;                  /* as the workload has it */
    uint32_t rank;                     /* axes */
    uint64_t shape[CM_TRACE_RANK_MAX]; /* lengths, the axis that varies fastest first */
    uint64_t elements;                 /* of the whole array */
    uint32_t slices;                   /* words of an element */
    uint64_t address;                  /* of its first word in every node */
    uint64_t words;                    /* in each node */
    bool placed;                       /* its places are recorded */
    const char *type; /* of the elements, as in workloads ("real32"); "": not recorded */
};
CM_API const struct cm_trace_array *cm_trace_array_at(const struct cm_trace *trace, uint32_t array);
/* The array as it was at a cycle: a reshape changes shape and places. cm_trace_array_at is that of
 * cycle 0. */
CM_API const struct cm_trace_array *cm_trace_array_then(const struct cm_trace *trace,
                                                        uint32_t array, uint64_t cycle);
/* Where an element (first index fastest) lies at a cycle; false: not recorded. */
CM_API bool cm_trace_array_place(const struct cm_trace *trace, uint32_t array, uint64_t element,
                                 uint64_t cycle, uint32_t *node, uint64_t *address);

/*
 * The exact words on the wires in one exchange within the detail: words[channel index], and which
 * channels carry one, sent[channel index]. false: not recorded.
 */
CM_API bool cm_trace_wires(const struct cm_trace *trace, uint64_t cycle, uint32_t *words,
                           bool *sent);

CM_END_DECLS

#endif
