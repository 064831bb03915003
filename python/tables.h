/* Copies tables of a trace for the Python module, which needs these functions in addition to
 * libcm200. The rows are in memory of NumPy. */
#ifndef CM_PYTHON_TABLES_H
#define CM_PYTHON_TABLES_H

#include "../trace/trace.h"

struct cm_python_event {
    uint64_t first_cycle, end_cycle, address, other;
    uint32_t phase, step, imp, pc, pattern, page_faults;
};
/* Copies the events of an interval of cycles, at most `capacity` of them. Returns the number of
 * events in the interval. */
uint64_t cm_python_events(struct cm_trace *trace, uint64_t first, uint64_t end,
                          struct cm_python_event *rows, uint64_t capacity);

struct cm_python_packet {
    uint64_t created_cycle, arrived_cycle, queueing_cycles, header_cycles, body_cycles;
    uint32_t source, destination, words, hops;
};
/* Copies all packets that the trace records individually. There are cm_trace_info.packets rows. */
void cm_python_packets(const struct cm_trace *trace, struct cm_python_packet *rows);

struct cm_python_hop {
    uint64_t packet, asked_cycle, first_cycle, end_cycle, blocked_by;
    uint32_t node, dimension, channel, unused;
};
/* Copies the hops of packets that overlap an interval of cycles, at most `capacity` of them.
 * Returns the number of such hops, or UINT64_MAX when out of memory. */
uint64_t cm_python_hops(const struct cm_trace *trace, uint64_t first, uint64_t end,
                        struct cm_python_hop *rows, uint64_t capacity);

#endif
