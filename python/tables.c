/* Copies tables of a trace into rows, in memory that NumPy owns. */
#include "tables.h"

#include <stdlib.h>

uint64_t cm_python_events(struct cm_trace *trace, uint64_t first, uint64_t end,
                          struct cm_python_event *rows, uint64_t capacity)
{
    struct cm_trace_cursor cursor = cm_trace_seek(trace, first);
    struct cm_trace_event event;
    uint64_t count = 0;
    for (; cm_trace_next(&cursor, &event) && event.first_cycle < end; count++) {
        if (count < capacity)
            rows[count] = (struct cm_python_event){
                .first_cycle = event.first_cycle,
                .end_cycle = event.end_cycle,
                .address = event.address,
                .other = event.other,
                .phase = (uint32_t)event.phase,
                .step = event.step,
                .imp = event.imp,
                .pc = event.pc,
                .pattern = event.pattern,
                .page_faults = event.page_faults,
            };
    }
    return count;
}

void cm_python_packets(const struct cm_trace *trace, struct cm_python_packet *rows)
{
    uint64_t count = cm_trace_information(trace)->packets;
    for (uint64_t i = 0; i < count; i++) {
        const struct cm_trace_packet *packet = cm_trace_packet_at(trace, i);
        rows[i] = (struct cm_python_packet){
            .created_cycle = packet->created_cycle,
            .arrived_cycle = packet->arrived_cycle,
            .queueing_cycles = packet->queueing_cycles,
            .header_cycles = packet->header_cycles,
            .body_cycles = packet->body_cycles,
            .source = packet->source,
            .destination = packet->destination,
            .words = packet->words,
            .hops = packet->hops,
        };
    }
}

uint64_t cm_python_hops(const struct cm_trace *trace, uint64_t first, uint64_t end,
                        struct cm_python_hop *rows, uint64_t capacity)
{
    const struct cm_trace_info *info = cm_trace_information(trace);
    struct cm_trace_hop *hops = capacity > 0 ? calloc(capacity, sizeof *hops) : NULL;
    if (capacity > 0 && hops == NULL)
        return UINT64_MAX;
    uint64_t count = cm_trace_hops(trace, first, end, hops, capacity);
    for (uint64_t i = 0; i < count && i < capacity; i++) {
        uint32_t link = hops[i].channel / info->channels;
        rows[i] = (struct cm_python_hop){
            .packet = hops[i].packet,
            .asked_cycle = hops[i].asked_cycle,
            .first_cycle = hops[i].first_cycle,
            .end_cycle = hops[i].end_cycle,
            .blocked_by = hops[i].blocked_by,
            .node = link / info->dimensions,
            .dimension = link % info->dimensions,
            .channel = hops[i].channel % info->channels,
        };
    }
    free(hops);
    return count;
}
