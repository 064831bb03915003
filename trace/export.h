/*
 * Exports of traces for existing tools: Chrome Trace Event JSON (Perfetto, chrome://tracing), Value
 * Change Dump (GTKWave), and tidy CSV. docs/export.md describes the contents of each format.
 *
 * The exports read a trace through trace.h only and append text to a buffer of the caller.
 */
#ifndef CM_TRACE_EXPORT_H
#define CM_TRACE_EXPORT_H

#include "../base/buffer.h"
#include "trace.h"

#define CM_EXPORT_EVENTS      100000u   /* default limit on the events of a Chrome export */
#define CM_EXPORT_VCD_CHANGES 20000000u /* largest number of value changes of a VCD */

struct cm_export_range {
    uint64_t first_cycle; /* first cycle of the range */
    uint64_t end_cycle;
};

/* Returns the range of the whole run. */
struct cm_export_range cm_export_all(const struct cm_trace *trace);
/* Returns the cycle at which window number `window` begins, if the range is divided into `windows`
 * equal parts. cm_trace_exact_use divides a range into columns in the same way. */
uint64_t cm_export_window(struct cm_export_range range, uint64_t window, uint64_t windows);

/* Returns CM_NO_MEMORY if memory ran out for the exported text or for an answer of the trace
 * reader, otherwise CM_OK. After a failure the caller discards the text. */
enum cm_status cm_export_end(const struct cm_trace *trace, const struct cm_buffer *text,
                             struct cm_error *err);

/*
 * Appends Chrome Trace Event JSON. Steps and phases become X events, the use of each dimension
 * becomes C events, and packets become b and e events. Times are in microseconds.
 *
 * The export writes about `events` events at most. If the sequencer changes its phase more often,
 * the range is divided into equal windows, and each window becomes one event, named by its most
 * frequent phase. Steps and packets are limited to an eighth of `events` each. The member otherData
 * of the JSON has the numbers of steps and packets left out.
 *
 * Fails with CM_NO_MEMORY.
 */
enum cm_status cm_export_chrome(const struct cm_trace *trace, struct cm_export_range range,
                                uint64_t events, struct cm_buffer *text, struct cm_error *err);

/*
 * Appends a Value Change Dump with one vector of channels for each node. Bit (channel * dimensions
 * + dimension) is z while the channel is idle. While the channel is busy the bit is 0 or 1 if the
 * word is recorded, otherwise x. The words are assumed to be sent bit by bit, the low bit first,
 * evenly over the exchange.
 *
 * Fails with CM_BAD_INPUT if the dump would hold more than CM_EXPORT_VCD_CHANGES changes, and with
 * CM_NO_MEMORY if memory runs out.
 */
enum cm_status cm_export_vcd(const struct cm_trace *trace, struct cm_export_range range,
                             struct cm_buffer *text, struct cm_error *err);
/* Appends the GTKWave save file that displays a VCD of cm_export_vcd. The file shows the sequencer
 * and the channels of at most `nodes` nodes. */
enum cm_status cm_export_gtkw(const struct cm_trace *trace, const char *vcd_name, uint32_t nodes,
                              struct cm_buffer *text, struct cm_error *err);

enum cm_export_table {
    CM_EXPORT_CHANNELS,
    CM_EXPORT_WINDOWS,
    CM_EXPORT_PACKETS,
    CM_EXPORT_LINES,
    CM_EXPORT_HOPS,
    CM_EXPORT_CYCLES,
    CM_EXPORT_TABLE_COUNT
};
/* Returns the table's name on the command line, such as "channels". */
const char *cm_export_table_name(enum cm_export_table table);

/*
 * Appends a table as CSV: a header line with units in the column names, then one line for each
 * observation. CM_EXPORT_WINDOWS divides the range into `windows` equal parts. Fails with
 * CM_NO_MEMORY.
 */
enum cm_status cm_export_csv(const struct cm_trace *trace, struct cm_export_range range,
                             enum cm_export_table table, uint32_t windows, struct cm_buffer *text,
                             struct cm_error *err);

#endif
