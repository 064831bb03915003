/* Export of traces as tidy CSV tables: channels, windows, packets, source lines, hops and cycles.
 */
#include "../report/csv.h"
#include "export.h"

#include <stdlib.h>

const char *cm_export_table_name(enum cm_export_table table)
{
    static const char *const names[CM_EXPORT_TABLE_COUNT] = {"channels", "windows", "packets",
                                                             "lines",    "hops",    "cycles"};
    return table < CM_EXPORT_TABLE_COUNT ? names[table] : "unknown";
}

struct cm_export_range cm_export_all(const struct cm_trace *trace)
{
    return (struct cm_export_range){0, cm_trace_information(trace)->cycles};
}

enum cm_status cm_export_end(const struct cm_trace *trace, const struct cm_buffer *text,
                             struct cm_error *err)
{
    bool whole = cm_buffer_ok(text) && !cm_trace_failed(trace);
    return whole ? CM_OK : cm_error_no_memory(err);
}

static enum cm_status append_channels(const struct cm_trace *trace, struct cm_export_range range,
                                      struct cm_buffer *text, struct cm_error *err)
{
    const struct cm_trace_info *info = cm_trace_information(trace);
    struct cm_csv csv;
    size_t count = (size_t)info->nodes * info->dimensions * info->channels;
    uint64_t *busy = calloc(count + 1, sizeof *busy);
    double cycles = (double)(range.end_cycle - range.first_cycle);
    if (busy == NULL)
        return cm_error_no_memory(err);
    cm_trace_channel_busy(trace, range.first_cycle, range.end_cycle, busy);
    cm_csv_begin(&csv, text, "node,dimension,channel,to_node,busy_cycles,busy_fraction");
    for (size_t i = 0; i < count; i++) {
        uint32_t channel = (uint32_t)(i % info->channels);
        uint32_t dimension = (uint32_t)(i / info->channels % info->dimensions);
        uint32_t node = (uint32_t)(i / info->channels / info->dimensions);
        cm_csv_u64s(&csv, node, dimension, channel, node ^ UINT32_C(1) << dimension, busy[i]);
        cm_csv_f64(&csv, cycles > 0 ? (double)busy[i] / cycles : 0.0, 9);
        cm_csv_end_row(&csv);
    }
    free(busy);
    return CM_OK;
}

uint64_t cm_export_window(struct cm_export_range range, uint64_t window, uint64_t windows)
{
    uint64_t length = range.end_cycle - range.first_cycle;
    return range.first_cycle + length / windows * window + length % windows * window / windows;
}

static enum cm_status append_windows(const struct cm_trace *trace, struct cm_export_range range,
                                     uint32_t windows, struct cm_buffer *text, struct cm_error *err)
{
    const struct cm_trace_info *info = cm_trace_information(trace);
    struct cm_csv csv;
    /* Every window has at least one cycle, so a short range has fewer windows and an empty range
     * has none. */
    if (windows > range.end_cycle - range.first_cycle)
        windows = (uint32_t)(range.end_cycle - range.first_cycle);
    struct cm_trace_use *use = calloc((size_t)info->dimensions * windows + 1, sizeof *use);
    if (use == NULL)
        return cm_error_no_memory(err);
    if (windows > 0)
        cm_trace_exact_use(trace, range.first_cycle, range.end_cycle, windows, use);
    cm_csv_begin(&csv, text,
                 "window,first_cycle,end_cycle,dimension,mean_busy_fraction,max_busy_fraction");
    for (uint32_t w = 0; w < windows; w++) {
        for (uint32_t d = 0; d < info->dimensions; d++) {
            const struct cm_trace_use *at = &use[(size_t)d * windows + w];
            cm_csv_u64s(&csv, w, cm_export_window(range, w, windows),
                        cm_export_window(range, w + 1, windows), d);
            cm_csv_f64(&csv, (double)at->mean, 7);
            cm_csv_f64(&csv, (double)at->max, 7);
            cm_csv_end_row(&csv);
        }
    }
    free(use);
    return CM_OK;
}

/* Writes the table of the packets that waited or moved within the range. */
static enum cm_status append_packets(const struct cm_trace *trace, struct cm_export_range range,
                                     struct cm_buffer *text)
{
    const struct cm_trace_info *info = cm_trace_information(trace);
    struct cm_csv csv;
    cm_csv_begin(&csv, text,
                 "packet,source_node,destination_node,words,hops,created_cycle,arrived_cycle,"
                 "latency_cycles,queueing_cycles,header_cycles,body_cycles");
    for (uint64_t i = 0; i < info->packets; i++) {
        const struct cm_trace_packet *packet = cm_trace_packet_at(trace, i);
        if (packet->created_cycle >= range.end_cycle || packet->arrived_cycle < range.first_cycle)
            continue;
        cm_csv_u64s(&csv, i, packet->source, packet->destination, packet->words, packet->hops,
                    packet->created_cycle);
        /* a packet that never arrives has no arrival and no latency */
        if (packet->arrived_cycle == UINT64_MAX)
            cm_csv_empty(&csv, 5);
        else
            cm_csv_u64s(&csv, packet->arrived_cycle, packet->arrived_cycle - packet->created_cycle,
                        packet->queueing_cycles, packet->header_cycles, packet->body_cycles);
        cm_csv_end_row(&csv);
    }
    return CM_OK;
}

/* Writes the table of the hops that cross a channel, or wait for one, within the range, in order of
 * time. */
static enum cm_status append_hops(const struct cm_trace *trace, struct cm_export_range range,
                                  struct cm_buffer *text, struct cm_error *err)
{
    const struct cm_trace_info *info = cm_trace_information(trace);
    struct cm_csv csv;
    uint64_t count = cm_trace_hops(trace, range.first_cycle, range.end_cycle, NULL, 0);
    struct cm_trace_hop *hops = calloc(count + 1, sizeof *hops);
    if (hops == NULL)
        return cm_error_no_memory(err);
    cm_trace_hops(trace, range.first_cycle, range.end_cycle, hops, count);
    cm_csv_begin(
        &csv, text,
        "packet,node,dimension,channel,asked_cycle,first_cycle,end_cycle,waited_for_packet");
    for (uint64_t i = 0; i < count; i++) {
        uint32_t pair = hops[i].channel / info->channels;
        cm_csv_u64s(&csv, hops[i].packet, pair / info->dimensions, pair % info->dimensions,
                    hops[i].channel % info->channels, hops[i].asked_cycle, hops[i].first_cycle,
                    hops[i].end_cycle);
        if (hops[i].blocked_by == UINT64_MAX)
            cm_csv_empty(&csv, 1);
        else
            cm_csv_u64s(&csv, hops[i].blocked_by);
        cm_csv_end_row(&csv);
    }
    free(hops);
    return CM_OK;
}

/* Writes the table of the cycles by phase and cause. */
static enum cm_status append_cycles(const struct cm_trace *trace, struct cm_export_range range,
                                    struct cm_buffer *text)
{
    uint64_t cycles[CM_TRACE_PHASE_COUNT][CM_CAUSE_COUNT];
    struct cm_csv csv;
    cm_trace_accounting(trace, range.first_cycle, range.end_cycle, cycles);
    cm_csv_begin(&csv, text, "phase,cause,cycles");
    for (uint32_t p = 0; p < CM_TRACE_PHASE_COUNT; p++) {
        for (uint32_t c = 0; c < CM_CAUSE_COUNT; c++) {
            if (cycles[p][c] == 0)
                continue;
            cm_csv_string(&csv, cm_trace_phase_name((enum cm_trace_phase)p));
            cm_csv_string(&csv, cm_cause_name((enum cm_cause)c));
            cm_csv_u64s(&csv, cycles[p][c]);
            cm_csv_end_row(&csv);
        }
    }
    return CM_OK;
}

/* Writes the table of the source lines that ran within the range. */
static enum cm_status append_lines(const struct cm_trace *trace, struct cm_export_range range,
                                   struct cm_buffer *text)
{
    const struct cm_trace_info *info = cm_trace_information(trace);
    struct cm_csv csv;
    cm_csv_begin(&csv, text, "file,line,first_cycle,end_cycle,text");
    for (uint32_t i = 0; i < info->lines; i++) {
        const struct cm_trace_line *line = cm_trace_line_at(trace, i);
        if (line->first_cycle >= range.end_cycle || line->end_cycle <= range.first_cycle)
            continue;
        cm_csv_string(&csv, line->file);
        cm_csv_u64s(&csv, line->line, line->first_cycle, line->end_cycle);
        cm_csv_string(&csv, line->text);
        cm_csv_end_row(&csv);
    }
    return CM_OK;
}

enum cm_status cm_export_csv(const struct cm_trace *trace, struct cm_export_range range,
                             enum cm_export_table table, uint32_t windows, struct cm_buffer *text,
                             struct cm_error *err)
{
    enum cm_status status = CM_OK;
    if (table == CM_EXPORT_CHANNELS)
        status = append_channels(trace, range, text, err);
    else if (table == CM_EXPORT_WINDOWS)
        status = append_windows(trace, range, windows, text, err);
    else if (table == CM_EXPORT_HOPS)
        status = append_hops(trace, range, text, err);
    else if (table == CM_EXPORT_CYCLES)
        status = append_cycles(trace, range, text);
    else if (table == CM_EXPORT_LINES)
        status = append_lines(trace, range, text);
    else
        status = append_packets(trace, range, text);
    return status == CM_OK ? cm_export_end(trace, text, err) : status;
}
