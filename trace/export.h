/*
 * Traces for tools that people use already: Chrome Trace Event JSON (Perfetto, chrome://tracing),
 * Value Change Dump (GTKWave), and tidy CSV. docs/export.md says what each holds.
 */
#ifndef CM_TRACE_EXPORT_H
#define CM_TRACE_EXPORT_H

#include "../base/buffer.h"
#include "trace.h"

#define CM_EXPORT_EVENTS      100000u   /* of Chrome's format, by default */
#define CM_EXPORT_VCD_CHANGES 20000000u /* a VCD with more value changes is refused */

struct cm_export_range {
    uint64_t first_cycle; /* of the cycles [first, end) */
    uint64_t end_cycle;
};

/* The whole run. */
struct cm_export_range cm_export_all(const struct cm_trace *trace);
/* Where part `window` of `windows` begins, as cm_trace_dimension_use divides an interval. */
uint64_t cm_export_window(struct cm_export_range range, uint64_t window, uint64_t windows);

/* CM_NO_MEMORY if memory was too small for the text, or for an answer of the trace: nothing is
 * handed out then. */
enum cm_status cm_export_end(const struct cm_trace *trace, const struct cm_buffer *text,
                             struct cm_error *err);

/*
 * Chrome Trace Event JSON: steps and phases as X events, the use of each dimension as C events,
 * packets as b and e. At most about `events` of them: where the run has more phases, windows of
 * equal length stand for them, each named by what took most of it. Steps and packets beyond an
 * eighth of them each are left out, and counted in otherData. Times are microseconds. CM_NO_MEMORY.
 */
enum cm_status cm_export_chrome(const struct cm_trace *trace, struct cm_export_range range,
                                uint64_t events, struct cm_buffer *text, struct cm_error *err);

/*
 * VCD: a vector of the channels a node: bit (channel * dimensions + dimension) is z while the
 * channel is idle, 0 or 1 where the word on it was recorded (bit-serial, low bit first, evenly over
 * the exchange: an assumption), x where only its being busy was. CM_BAD_INPUT when it would hold
 * more than CM_EXPORT_VCD_CHANGES changes; CM_NO_MEMORY.
 */
enum cm_status cm_export_vcd(const struct cm_trace *trace, struct cm_export_range range,
                             struct cm_buffer *text, struct cm_error *err);
/* The save file of GTKWave that shows such a VCD: the sequencer, then the channels of at most
 * `nodes` nodes. */
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
/* "channels", ... */
const char *cm_export_table_name(enum cm_export_table table);

/*
 * CSV with a header line, units in the names of the columns, one observation a line. `windows`:
 * into how many equal parts the range is divided (CM_EXPORT_WINDOWS). CM_NO_MEMORY.
 */
enum cm_status cm_export_csv(const struct cm_trace *trace, struct cm_export_range range,
                             enum cm_export_table table, uint32_t windows, struct cm_buffer *text,
                             struct cm_error *err);

#endif
