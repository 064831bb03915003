/*
 * The trace reader, and the main header of trace/.
 *
 * A trace records what a run of the simulated machine did, cycle by cycle. An observer records the
 * trace (record.h), a file or memory holds it (format.h), and this reader answers questions about
 * it. The viewer, the exports (export.h) and the critical path (why.h) read a trace only through
 * this header.
 *
 * Most questions are about an interval of cycles [first, end). The reader returns numbers and draws
 * nothing.
 *
 * Data: events in order of cycles, exchanges with their patterns, packets and hops of the router,
 * steps, source lines, IMPs and arrays. A pattern says which slots of which nodes take part in an
 * exchange, load or unload.
 *
 * A channel is a triple of node, dimension and channel of the dimension. Its index is (node *
 * dimensions + dimension) * channels + channel. An exchange makes a channel that carries a word
 * busy for all cycles of the exchange. The router makes a channel busy for the word times of its
 * words.
 *
 * Invariants: the cycles by cause, and the cycles by phase, of an interval add up to the interval's
 * length within the run. Answers do not depend on earlier questions. Opening a file finds any
 * damage: a damaged file opens as a trace of its readable part, whose `complete` is false.
 *
 * One thread reads a trace, because the reader caches answers without a lock.
 *
 * Files:
 *   record*.c, predict.c  recorder: observer to file
 *   format.h, bytes.h     file format, prediction of events, numbers
 *   read*.c               reader: file to answers
 *   export*.c             Chrome trace, VCD, CSV
 *   why.c                 critical path: the packets and steps that made a run take its time
 */
#ifndef CM_TRACE_TRACE_H
#define CM_TRACE_TRACE_H

#include "../base/error.h"
#include "../sim/machine/machine.h"

CM_BEGIN_DECLS

struct cm_trace;

/* Number that stands for a missing step, IMP, instruction or pattern. */
#define CM_TRACE_NONE UINT32_MAX
/* Number of axes of a recorded array, at most. */
#define CM_TRACE_RANK_MAX 31u

/* Phase: the kind of work that the sequencer does. */
enum cm_trace_phase {
    CM_TRACE_START,   /* the front end starts an IMP or a call */
    CM_TRACE_CONTROL, /* loops, address registers, context flag */
    CM_TRACE_MOVE,    /* moves within local memory */
    CM_TRACE_LOAD,    /* memory to transposer, and constants */
    CM_TRACE_EXCHANGE,
    CM_TRACE_UNLOAD,   /* transposer to memory */
    CM_TRACE_BOUNDARY, /* moves and stores that fill boundaries */
    CM_TRACE_FPU,
    CM_TRACE_ROUTER,
    CM_TRACE_PHASE_COUNT
};
CM_API const char *
/* returns the phase's name for display, such as "local move" */
cm_trace_phase_name(enum cm_trace_phase phase);

/* Description of a trace and its size. */
struct cm_trace_info {
    const char *workload; /* name of the workload */
    const char *machine;  /* name of the machine */
    const char *made_of;  /* description of the run as one line of JSON. "": not known */
    uint32_t nodes;       /* nodes of the run */
    uint32_t dimensions;  /* dimensions of the run's cube */
    /* dimensions of the machine, which may have more nodes than the run */
    uint32_t machine_dimensions;
    uint32_t channels;        /* channels of a dimension */
    uint32_t slots;           /* slots of a transposer */
    uint64_t clock_hz;        /* clock of the machine in Hz */
    uint64_t exchange_cycles; /* cycles of one exchange */
    uint64_t word_cycles;     /* cycles of one word time of the router */
    uint64_t page_words;      /* words of a memory page */
    uint64_t cycles;          /* cycles of the run, or of its readable part */
    bool complete; /* false if the run was interrupted, or the file is cut short or damaged */
    /* warning for the user about parts that the trace lacks. NULL: the trace is whole */
    const char *notice;
    uint64_t exchanges;     /* exchanges of the whole run */
    uint64_t packets;       /* packets of the router that are recorded individually */
    uint64_t window_cycles; /* cycles of a window of the channel counters */
    uint64_t window_count;  /* number of windows */
    /* numbers of steps, lines, IMPs, patterns and arrays in the trace */
    uint32_t steps, lines, imps, patterns, arrays;
    /* interval of cycles in which the words of every exchange are recorded. May be empty */
    uint64_t detail_first, detail_end;
};

/*
 * Opens a trace file. A damaged or unfinished file opens with the readable part, and info->complete
 * is false.
 *
 * Fails with CM_IO if the file can't be read, with CM_BAD_INPUT if the file is not a trace, has
 * another version or has no readable part, and with CM_NO_MEMORY if memory runs out.
 */
CM_API enum cm_status cm_trace_open(const char *path, struct cm_trace **trace,
                                    struct cm_error *err);
/* Opens a trace from bytes in memory. The bytes must outlive the trace. Error messages call the
 * trace `name`. */
CM_API enum cm_status cm_trace_open_memory(const void *bytes, size_t length, const char *name,
                                           struct cm_trace **trace, struct cm_error *err);
CM_API void cm_trace_close(struct cm_trace *trace); /* closes the trace, which may be NULL */
/* Returns true if an earlier answer was incomplete because memory ran out. */
CM_API bool cm_trace_failed(const struct cm_trace *trace);
CM_API const struct cm_trace_info *cm_trace_information(const struct cm_trace *trace);

/* Step of the workload. A step that runs several times has one entry for each time. */
struct cm_trace_step {
    uint64_t first_cycle, end_cycle;   /* interval [first_cycle, end_cycle) */
    const char *op;                    /* kind of step, such as "pshift" */
    const char *where;                 /* JSON pointer into the workload */
    uint64_t by_cause[CM_CAUSE_COUNT]; /* cycles by cause. Their sum is the length of the step */
};
CM_API const struct cm_trace_step *cm_trace_step_at(const struct cm_trace *trace, uint32_t step);

/* Source line of a program. Each time the run spends cycles on a line, the trace gets one more
 * entry. */
struct cm_trace_line {
    uint64_t first_cycle, end_cycle; /* interval [first_cycle, end_cycle) */
    const char *file;                /* name of the source file */
    uint32_t line;                   /* line number, from 1 */
    /* text of the line without leading blanks, cut to a maximum length */
    const char *text;
};
CM_API const struct cm_trace_line *cm_trace_line_at(const struct cm_trace *trace, uint32_t number);
/* Returns the source line that runs at a cycle, or NULL. */
CM_API const struct cm_trace_line *cm_trace_find_line(const struct cm_trace *trace, uint64_t cycle);

/* Event: an instruction that is not control flow, the start of an IMP, or a run of the router. */
struct cm_trace_event {
    uint64_t first_cycle, end_cycle; /* interval [first_cycle, end_cycle) */
    uint64_t number;                 /* number of the event, from 0 */
    enum cm_trace_phase phase;       /* kind of work that the sequencer did */
    uint32_t step;                   /* step of the event, or CM_TRACE_NONE */
    uint32_t imp;                    /* IMP of the event, or CM_TRACE_NONE */
    /* Index of the instruction within the IMP. CM_TRACE_NONE for starts and router runs. */
    uint32_t pc;
    /* address of the memory word that a load or store accesses. For a move, the address of its
     * destination */
    uint64_t address;
    /* address of a word of a communication table, for an instruction that uses one. For a move, the
     * address of its source */
    uint64_t other;
    /* Pattern of the slots that an exchange sends, or that a load or unload accesses. CM_TRACE_NONE
     * for other events. */
    uint32_t pattern;
    uint32_t page_faults; /* page faults of the event's memory accesses */
};

/* Cursor over the events in order. A cursor is a plain value, and a copy moves independently. */
struct cm_trace_cursor {
    const struct cm_trace *trace; /* trace of the events */
    uint64_t next;                /* number of the event that cm_trace_next returns */
};
/* Returns a cursor whose next event covers `cycle`, or is the first event after `cycle`. */
CM_API struct cm_trace_cursor cm_trace_seek(const struct cm_trace *trace, uint64_t cycle);
/* Returns a cursor whose next event has the given number. */
CM_API struct cm_trace_cursor cm_trace_seek_event(const struct cm_trace *trace, uint64_t number);
CM_API bool cm_trace_next(struct cm_trace_cursor *cursor, struct cm_trace_event *event);
CM_API bool cm_trace_previous(struct cm_trace_cursor *cursor, struct cm_trace_event *event);
/* Returns the cycle at which an exchange begins: the next one at or after `cycle` if direction > 0,
 * otherwise the last one before `cycle`. Returns UINT64_MAX if there is no such exchange. */
CM_API uint64_t cm_trace_find_exchange(const struct cm_trace *trace, uint64_t cycle, int direction);
/* Returns the first cycle at or after `cycle` at which a packet waits for a channel, or UINT64_MAX.
 */
CM_API uint64_t cm_trace_find_blocked(const struct cm_trace *trace, uint64_t cycle);

/* Writes the text of an instruction as the disassembler does, with its IMP's name and source line.
 */
CM_API void cm_trace_instruction(const struct cm_trace *trace, uint32_t imp, uint32_t pc,
                                 char *text, size_t size);
/* Returns the source file of an IMP, or NULL if the IMP was compiled. */
CM_API const char *cm_trace_imp_source(const struct cm_trace *trace, uint32_t imp);
CM_API const char *cm_trace_imp_name(const struct cm_trace *trace, uint32_t imp);
/* Returns the source line of an instruction, or 0 if the IMP was compiled. */
CM_API uint32_t cm_trace_imp_line(const struct cm_trace *trace, uint32_t imp, uint32_t pc);

/* Returns as a bit set the slots that a pattern uses in a node. The slots are those of transposer A
 * for exchanges and loads, and of transposer B for unloads. */
CM_API uint64_t cm_trace_pattern_slots(const struct cm_trace *trace, uint32_t pattern,
                                       uint32_t node);

/* Returns the DRAM page that is open at a cycle. Returns UINT64_MAX if no page is open, and
 * CM_TRACE_MANY_PAGES if nodes may have different pages open. */
#define CM_TRACE_MANY_PAGES (UINT64_MAX - 1)
CM_API uint64_t cm_trace_open_page(const struct cm_trace *trace, uint64_t cycle);

/* Computes the exact busy cycles of every channel within an interval, as busy[channel index]. Takes
 * at most 50 ms for the whole machine. */
CM_API void cm_trace_channel_busy(const struct cm_trace *trace, uint64_t first, uint64_t end,
                                  uint64_t *busy);

/* Use of a dimension's channels in one column, which is one of several equal parts of an
 * interval. */
struct cm_trace_use {
    float mean; /* busy fraction of all channels of the dimension, 0 to 1 */
    /* Busy fraction of the busiest channel, 0 to 1. It is the channel with the most busy cycles in
     * the column. */
    float max;
};
/* Fills use[dimension * columns + column] with the use of every dimension. Takes at most 50 ms for
 * the whole machine, for pictures. For a very long interval the result is approximate: the reader
 * spreads the exchanges of each part of the run evenly over the part, and neighbouring columns with
 * very many hops share one value. */
CM_API void cm_trace_dimension_use(const struct cm_trace *trace, uint64_t first, uint64_t end,
                                   uint32_t columns, struct cm_trace_use *use);
/* Fills use[dimension * columns + column] exactly, for tables. Visits every exchange and hop of the
 * interval, so a long interval takes long. */
CM_API void cm_trace_exact_use(const struct cm_trace *trace, uint64_t first, uint64_t end,
                               uint32_t columns, struct cm_trace_use *use);

/* Computes the cycles of an interval by cause, and by phase. The cycles of all causes add up to the
 * length of the interval within the run, and so do those of all phases. */
CM_API void cm_trace_by_cause(const struct cm_trace *trace, uint64_t first, uint64_t end,
                              uint64_t cycles[CM_CAUSE_COUNT]);
CM_API void cm_trace_by_phase(const struct cm_trace *trace, uint64_t first, uint64_t end,
                              uint64_t cycles[CM_TRACE_PHASE_COUNT]);

/* Computes the cycles of an interval by phase and cause. Each row adds up to an entry of
 * cm_trace_by_phase, each column to an entry of cm_trace_by_cause. The time grows with the number
 * of events in the interval, because every event is read. */
CM_API void cm_trace_accounting(const struct cm_trace *trace, uint64_t first, uint64_t end,
                                uint64_t cycles[CM_TRACE_PHASE_COUNT][CM_CAUSE_COUNT]);

/* Packet of the router. */
struct cm_trace_packet {
    uint32_t source, destination; /* node numbers */
    /* number of words of the packet, and number of channels on its path */
    uint32_t words, hops;
    /* cycles at which the packet was created and arrived. UINT64_MAX: the packet never arrived */
    uint64_t created_cycle, arrived_cycle;
    /* cycles that the packet waited, and cycles that its header and its body take without waiting.
     * The three add up to arrived_cycle - created_cycle */
    uint64_t queueing_cycles, header_cycles, body_cycles;
};
CM_API const struct cm_trace_packet *cm_trace_packet_at(const struct cm_trace *trace,
                                                        uint64_t packet);
/* Hop: the crossing of one channel by a packet, with the wait for this channel. */
struct cm_trace_hop {
    uint64_t packet;      /* number of the packet */
    uint32_t channel;     /* index of the channel */
    uint64_t asked_cycle; /* cycle at which the packet asks for the channel */
    uint64_t first_cycle; /* cycle at which the first word crosses */
    uint64_t end_cycle;   /* cycle after the last word has crossed */
    uint64_t blocked_by;  /* packet that held the channel until first_cycle, or UINT64_MAX */
};
/* Copies at most `capacity` hops, in order of first_cycle, that cross or wait for a channel within
 * an interval. Returns the number of such hops, copied or not. */
CM_API uint64_t cm_trace_hops(const struct cm_trace *trace, uint64_t first, uint64_t end,
                              struct cm_trace_hop *hops, uint64_t capacity);
/* Copies at most `capacity` hops of one packet, in order of first_cycle. Returns the number of the
 * packet's hops, copied or not. */
CM_API uint64_t cm_trace_hops_of_packet(const struct cm_trace *trace, uint64_t packet,
                                        struct cm_trace_hop *hops, uint64_t capacity);
/* Copies at most `capacity` hops over one channel that cross or wait within an interval, in order
 * of first_cycle. Returns the number of such hops, copied or not. */
CM_API uint64_t cm_trace_hops_of_channel(const struct cm_trace *trace, uint32_t channel,
                                         uint64_t first, uint64_t end, struct cm_trace_hop *hops,
                                         uint64_t capacity);
/* Finds the hop over a channel that ends at a cycle. Returns false if no hop does. */
CM_API bool cm_trace_hop_ending(const struct cm_trace *trace, uint32_t channel, uint64_t cycle,
                                struct cm_trace_hop *hop);

/* Array of the run. */
struct cm_trace_array {
    const char *name;                  /* name of the array in the workload */
    uint32_t rank;                     /* number of axes */
    uint64_t shape[CM_TRACE_RANK_MAX]; /* lengths of the axes. The first axis varies fastest */
    uint64_t elements;                 /* elements of the whole array */
    uint32_t slices;                   /* words of an element */
    uint64_t address;                  /* address of the array's first word in every node */
    uint64_t words;                    /* words in each node */
    /* true if the trace has the node and address of every element. Recorded for small arrays
     * only */
    bool placed;
    /* type of the elements as workload files name it, such as "real32". "": not recorded */
    const char *type;
};
CM_API const struct cm_trace_array *cm_trace_array_at(const struct cm_trace *trace, uint32_t array);
/* Returns the array as it was at a cycle. A reshape changes the array's shape and the nodes and
 * addresses of its elements. cm_trace_array_at returns the array as it was at cycle 0. */
CM_API const struct cm_trace_array *cm_trace_array_then(const struct cm_trace *trace,
                                                        uint32_t array, uint64_t cycle);
/* Finds the node and address of an element at a cycle. `element` is the element's number from 0,
 * counted along the first axis first. Returns false if the place is not recorded. */
CM_API bool cm_trace_array_place(const struct cm_trace *trace, uint32_t array, uint64_t element,
                                 uint64_t cycle, uint32_t *node, uint64_t *address);

/*
 * Fills words[channel index] with the words that the exchange at a cycle sends. sent[channel index]
 * is true if the channel carries a word. Returns false if the words are not recorded.
 */
CM_API bool cm_trace_wires(const struct cm_trace *trace, uint64_t cycle, uint32_t *words,
                           bool *sent);

CM_END_DECLS

#endif
