/*
 * Export as Chrome Trace Event JSON ("Trace Event Format", JSON object form), for Perfetto and
 * chrome://tracing. Times are microseconds of the simulated machine. The trace is one process with
 * three threads: steps, source lines and phases.
 */
#include "../report/json_writer.h"
#include "export.h"
#include "format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREAD_STEPS = 1, THREAD_PHASES = 2, THREAD_LINES = 3 };

struct chrome {
    const struct cm_trace *trace;
    const struct cm_trace_info *info;
    struct cm_export_range range;
    struct cm_json_writer json;
};

/* Span: an interval in which the sequencer stays in one phase, with the control flow between its
 * instructions. */
struct span {
    enum cm_trace_phase phase;
    uint32_t step, imp, pc;
    uint64_t first_cycle, end_cycle;
    uint64_t instructions, page_faults;
    /* Cycles of control flow (loops and address registers) between the instructions of the span and
     * after the last one. */
    uint64_t control_cycles;
};

static double microseconds(const struct chrome *chrome, uint64_t cycles)
{
    return (double)cycles * 1e6 / (double)chrome->info->clock_hz;
}

/* Begins a JSON event. The caller writes the members that are left and ends the event. */
static void begin_event(struct chrome *chrome, const char *kind, uint32_t thread, const char *name)
{
    cm_json_write_object(&chrome->json, NULL);
    cm_json_write_members(&chrome->json, {"ph", cm_text(kind)}, {"pid", cm_u64(1)},
                          {"tid", cm_u64(thread)}, {"name", cm_text(name)});
}

static struct cm_value time_of(const struct chrome *chrome, uint64_t cycles)
{
    return cm_fixed(microseconds(chrome, cycles), 4);
}

/* Begins a JSON event with a duration, and the object with its arguments. */
static void begin_slice(struct chrome *chrome, uint32_t thread, uint64_t first, uint64_t end,
                        const char *category, const char *name)
{
    begin_event(chrome, "X", thread, name);
    cm_json_write_members(&chrome->json, {"ts", time_of(chrome, first)},
                          {"dur", time_of(chrome, end - first)}, {"cat", cm_text(category)});
    cm_json_write_object(&chrome->json, "args");
}

/* Ends the object with an event's arguments, and the event. */
static void end_slice(struct chrome *chrome)
{
    cm_json_write_end(&chrome->json);
    cm_json_write_end(&chrome->json);
}

static void put_name(struct chrome *chrome, const char *kind, uint32_t thread, const char *name)
{
    begin_event(chrome, "M", thread, kind);
    cm_json_write_record(&chrome->json, "args", {"name", cm_text(name)});
    cm_json_write_end(&chrome->json);
}

/* Writes the first `limit` steps of the range. Returns the number of steps left out. */
static uint64_t put_steps(struct chrome *chrome, uint64_t limit)
{
    uint64_t left_out = 0;
    for (uint32_t s = 0; s < chrome->info->steps; s++) {
        const struct cm_trace_step *step = cm_trace_step_at(chrome->trace, s);
        uint64_t first = cm_most(step->first_cycle, chrome->range.first_cycle);
        uint64_t end = cm_least(step->end_cycle, chrome->range.end_cycle);
        if (first >= end)
            continue;
        if (limit == 0) {
            left_out++;
            continue;
        }
        limit--;
        begin_slice(chrome, THREAD_STEPS, first, end, "step", step->op);
        cm_json_write_string(&chrome->json, "where", step->where);
        cm_json_write_u64(&chrome->json, "cycles", step->end_cycle - step->first_cycle);
        for (uint32_t c = 0; c < CM_CAUSE_COUNT; c++) {
            char key[48];
            snprintf(key, sizeof key, "%s_cycles", cm_cause_name((enum cm_cause)c));
            if (step->by_cause[c] > 0)
                cm_json_write_u64(&chrome->json, key, step->by_cause[c]);
        }
        end_slice(chrome);
    }
    return left_out;
}

/* Writes the first `limit` source lines of the range. Returns the number of lines left out. */
static uint64_t put_lines(struct chrome *chrome, uint64_t limit)
{
    uint64_t left_out = 0;
    if (chrome->info->lines > 0)
        put_name(chrome, "thread_name", THREAD_LINES, "lines");
    for (uint32_t i = 0; i < chrome->info->lines; i++) {
        const struct cm_trace_line *line = cm_trace_line_at(chrome->trace, i);
        uint64_t first = cm_most(line->first_cycle, chrome->range.first_cycle);
        uint64_t end = cm_least(line->end_cycle, chrome->range.end_cycle);
        if (first >= end)
            continue;
        if (limit == 0) {
            left_out++;
            continue;
        }
        limit--;
        begin_slice(chrome, THREAD_LINES, first, end, "line", line->text);
        cm_json_write_string(&chrome->json, "file", line->file);
        cm_json_write_u64(&chrome->json, "line", line->line);
        end_slice(chrome);
    }
    return left_out;
}

static void put_span(struct chrome *chrome, const struct span *span)
{
    struct cm_json_writer *json = &chrome->json;
    char instruction[160];
    begin_slice(chrome, THREAD_PHASES, span->first_cycle, span->end_cycle, "phase",
                cm_trace_phase_name(span->phase));
    cm_json_write_members(json, {"cycles", cm_u64(span->end_cycle - span->first_cycle)},
                          {"instructions", cm_u64(span->instructions)},
                          {"page_faults", cm_u64(span->page_faults)},
                          {"control_cycles", cm_u64(span->control_cycles)});
    if (span->imp != CM_TRACE_NONE)
        cm_json_write_string(json, "imp", cm_trace_imp_name(chrome->trace, span->imp));
    if (span->pc != CM_TRACE_NONE) {
        cm_trace_instruction(chrome->trace, span->imp, span->pc, instruction, sizeof instruction);
        cm_json_write_string(json, "first_instruction", instruction);
    }
    end_slice(chrome);
}

static bool continues(const struct span *span, const struct cm_trace_event *event)
{
    return span->instructions > 0 && span->phase == event->phase && span->step == event->step &&
           span->imp == event->imp;
}

/* Ends a span where the next span begins. The cycles after the span's last instruction are control
 * flow. */
static void close_span(struct chrome *chrome, struct span *span, uint64_t end_cycle, bool write)
{
    if (span->instructions == 0)
        return;
    span->control_cycles += end_cycle - span->end_cycle;
    span->end_cycle = end_cycle;
    if (write)
        put_span(chrome, span);
}

/* Counts the spans of the range, and writes them if `write` is true. Stops as soon as the count is
 * above `limit`. */
static uint64_t walk_spans(struct chrome *chrome, bool write, uint64_t limit)
{
    struct cm_trace_cursor cursor = cm_trace_seek(chrome->trace, chrome->range.first_cycle);
    struct cm_trace_event event;
    struct span span = {0};
    uint64_t count = 0;
    while (count <= limit && cm_trace_next(&cursor, &event) &&
           event.first_cycle < chrome->range.end_cycle) {
        event.first_cycle = cm_most(event.first_cycle, chrome->range.first_cycle);
        event.end_cycle = cm_least(event.end_cycle, chrome->range.end_cycle);
        if (!continues(&span, &event)) {
            close_span(chrome, &span, event.first_cycle, write);
            count++;
            span = (struct span){.phase = event.phase,
                                 .step = event.step,
                                 .imp = event.imp,
                                 .pc = event.pc,
                                 .first_cycle = event.first_cycle,
                                 .end_cycle = event.first_cycle};
        }
        span.control_cycles += event.first_cycle - span.end_cycle;
        span.end_cycle = event.end_cycle;
        span.instructions++;
        span.page_faults += event.page_faults;
    }
    close_span(chrome, &span, chrome->range.end_cycle, write);
    return count;
}

/* Writes the phases as equal windows of time instead of spans. Each window has the cycles of every
 * phase and the name of its most frequent phase. */
static void put_phase_windows(struct chrome *chrome, uint64_t windows)
{
    for (uint64_t w = 0; w < windows; w++) {
        uint64_t first = cm_export_window(chrome->range, w, windows);
        uint64_t end = cm_export_window(chrome->range, w + 1, windows);
        uint64_t cycles[CM_TRACE_PHASE_COUNT];
        uint32_t most = 0;
        if (first == end)
            continue;
        cm_trace_by_phase(chrome->trace, first, end, cycles);
        for (uint32_t p = 1; p < CM_TRACE_PHASE_COUNT; p++)
            most = cycles[p] > cycles[most] ? p : most;
        begin_slice(chrome, THREAD_PHASES, first, end, "window",
                    cm_trace_phase_name((enum cm_trace_phase)most));
        cm_json_write_u64(&chrome->json, "cycles", end - first);
        for (uint32_t p = 0; p < CM_TRACE_PHASE_COUNT; p++) {
            if (cycles[p] > 0)
                cm_json_write_u64(&chrome->json, cm_trace_phase_name((enum cm_trace_phase)p),
                                  cycles[p]);
        }
        end_slice(chrome);
    }
}

static void put_phases(struct chrome *chrome, uint64_t limit)
{
    if (walk_spans(chrome, false, limit) <= limit)
        walk_spans(chrome, true, limit);
    else
        put_phase_windows(chrome, limit);
}

static void put_counter(struct chrome *chrome, uint32_t dimension, uint64_t cycle,
                        struct cm_trace_use use)
{
    char name[32];
    snprintf(name, sizeof name, "dimension %" PRIu32, dimension);
    begin_event(chrome, "C", THREAD_PHASES, name);
    cm_json_write(&chrome->json, "ts", time_of(chrome, cycle));
    cm_json_write_record(&chrome->json, "args",
                         {"mean_busy_percent", cm_fixed(100.0 * (double)use.mean, 3)},
                         {"max_busy_percent", cm_fixed(100.0 * (double)use.max, 3)});
    cm_json_write_end(&chrome->json);
}

/* Writes the use of each dimension's channels as a counter over time. Viewers keep the last value
 * of a counter, so the export writes changes only. */
static enum cm_status put_dimensions(struct chrome *chrome, uint64_t limit, struct cm_error *err)
{
    uint32_t dimensions = chrome->info->dimensions;
    uint64_t length = chrome->range.end_cycle - chrome->range.first_cycle;
    uint64_t columns =
        dimensions > 0 ? cm_least(cm_least(limit / dimensions, length), 1u << 20) : 0;
    struct cm_trace_use *use;
    if (columns == 0)
        return CM_OK;
    use = calloc((size_t)dimensions * columns, sizeof *use);
    if (use == NULL)
        return cm_error_no_memory(err);
    cm_trace_exact_use(chrome->trace, chrome->range.first_cycle, chrome->range.end_cycle,
                       (uint32_t)columns, use);
    for (uint64_t w = 0; w < columns; w++) {
        for (uint32_t d = 0; d < dimensions; d++) {
            const struct cm_trace_use *at = &use[d * columns + w];
            if (w == 0 || at->mean < at[-1].mean || at->mean > at[-1].mean ||
                at->max < at[-1].max || at->max > at[-1].max)
                put_counter(chrome, d, cm_export_window(chrome->range, w, columns), *at);
        }
    }
    for (uint32_t d = 0; d < dimensions; d++)
        put_counter(chrome, d, chrome->range.end_cycle, (struct cm_trace_use){0});
    free(use);
    return CM_OK;
}

static void put_packet_end(struct chrome *chrome, const char *kind, uint64_t number, uint64_t cycle,
                           const struct cm_trace_packet *packet)
{
    char name[48];
    snprintf(name, sizeof name, "node %" PRIu32 " to %" PRIu32, packet->source,
             packet->destination);
    begin_event(chrome, kind, THREAD_PHASES, name);
    cm_json_write_members(&chrome->json, {"cat", cm_text("packet")}, {"id", cm_u64(number)},
                          {"ts", time_of(chrome, cycle)});
    if (kind[0] == 'b')
        cm_json_write_record(&chrome->json, "args", {"words", cm_u64(packet->words)},
                             {"hops", cm_u64(packet->hops)},
                             {"queueing_cycles", cm_u64(packet->queueing_cycles)});
    cm_json_write_end(&chrome->json);
}

/* Writes the first `limit` packets of the range. A packet that never arrives is shown until the end
 * of the range. Returns the number of packets left out. */
static uint64_t put_packets(struct chrome *chrome, uint64_t limit)
{
    uint64_t left_out = 0;
    for (uint64_t i = 0; i < chrome->info->packets; i++) {
        const struct cm_trace_packet *packet = cm_trace_packet_at(chrome->trace, i);
        if (packet->created_cycle >= chrome->range.end_cycle ||
            packet->arrived_cycle < chrome->range.first_cycle)
            continue;
        if (limit == 0) {
            left_out++;
            continue;
        }
        put_packet_end(chrome, "b", i, cm_most(packet->created_cycle, chrome->range.first_cycle),
                       packet);
        put_packet_end(chrome, "e", i, cm_least(packet->arrived_cycle, chrome->range.end_cycle),
                       packet);
        limit--;
    }
    return left_out;
}

/* Writes the cycles of the range by phase and cause. The events of the export have phases only, and
 * results have causes only, so this table connects them. */
static void put_accounting(struct chrome *chrome)
{
    uint64_t cycles[CM_TRACE_PHASE_COUNT][CM_CAUSE_COUNT];
    cm_trace_accounting(chrome->trace, chrome->range.first_cycle, chrome->range.end_cycle, cycles);
    cm_json_write_object(&chrome->json, "cycles_by_phase_and_cause");
    for (uint32_t p = 0; p < CM_TRACE_PHASE_COUNT; p++) {
        cm_json_write_object(&chrome->json, cm_trace_phase_name((enum cm_trace_phase)p));
        for (uint32_t c = 0; c < CM_CAUSE_COUNT; c++)
            if (cycles[p][c] > 0)
                cm_json_write_u64(&chrome->json, cm_cause_name((enum cm_cause)c), cycles[p][c]);
        cm_json_write_end(&chrome->json);
    }
    cm_json_write_end(&chrome->json);
}

enum cm_status cm_export_chrome(const struct cm_trace *trace, struct cm_export_range range,
                                uint64_t events, struct cm_buffer *text, struct cm_error *err)
{
    const struct cm_trace_info *info = cm_trace_information(trace);
    struct chrome chrome = {.trace = trace, .info = info, .range = range};
    struct cm_json_writer *json = &chrome.json;
    cm_json_writer_begin(json, text);
    json->tight = true;
    cm_json_write_object(json, NULL);
    cm_json_write_string(json, "displayTimeUnit", "ns");
    cm_json_write_list(json, "traceEvents");
    cm_json_write_compact(json, true);
    put_name(&chrome, "process_name", 0, info->workload);
    put_name(&chrome, "thread_name", THREAD_STEPS, "steps");
    put_name(&chrome, "thread_name", THREAD_PHASES, "phases");
    uint64_t steps_left_out = put_steps(&chrome, events / 8);
    uint64_t lines_left_out = put_lines(&chrome, events / 8);
    put_phases(&chrome, events / 2);
    enum cm_status status = put_dimensions(&chrome, events / 8, err);
    uint64_t packets_left_out = put_packets(&chrome, events / 8);
    cm_json_write_end(json);
    cm_json_write_object(json, "otherData");
    cm_json_write_string(json, "workload", info->workload);
    cm_json_write_string(json, "machine", info->machine);
    cm_json_write_members(json, {"nodes", cm_u64(info->nodes)},
                          {"clock_hz", cm_u64(info->clock_hz)}, {"cycles", cm_u64(info->cycles)},
                          {"steps_left_out", cm_u64(steps_left_out)},
                          {"packets_left_out", cm_u64(packets_left_out)});
    put_accounting(&chrome);
    if (info->made_of[0] != '\0')
        cm_json_write_string(json, "made_of", info->made_of);
    if (info->lines > 0)
        cm_json_write_u64(json, "lines_left_out", lines_left_out);
    end_slice(&chrome);
    return status == CM_OK ? cm_export_end(trace, text, err) : status;
}
