/*
 * The reader of traces: whatever the bytes, as they come and with lengths and checksums of blocks
 * made right, it refuses them or answers every question without harm.
 */
#include "mend.h"
#include "target.h"
#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

#define STEPS_MAX    200u
#define COLUMNS      33u
#define CHANNELS_MAX (UINT32_C(1) << 21)

static void ask_events(const struct cm_trace *trace)
{
    const struct cm_trace_info *info = cm_trace_information(trace);
    const uint64_t cycles[] = {0, info->cycles / 2, info->cycles, UINT64_MAX};
    struct cm_trace_event event;
    char text[160];
    for (size_t c = 0; c < sizeof cycles / sizeof *cycles; c++) {
        struct cm_trace_cursor cursor = cm_trace_seek(trace, cycles[c]);
        for (uint32_t i = 0; i < STEPS_MAX && cm_trace_next(&cursor, &event); i++) {
            cm_trace_instruction(trace, event.imp, event.pc, text, sizeof text);
            cm_trace_imp_name(trace, event.imp);
            cm_trace_imp_source(trace, event.imp);
            cm_trace_imp_line(trace, event.imp, event.pc);
            cm_trace_pattern_slots(trace, event.pattern, info->nodes - 1);
            cm_trace_step_at(trace, event.step);
        }
        for (uint32_t i = 0; i < STEPS_MAX && cm_trace_previous(&cursor, &event); i++)
            cm_trace_phase_name(event.phase);
        cm_trace_open_page(trace, cycles[c]);
        cm_trace_find_exchange(trace, cycles[c], 1);
        cm_trace_find_exchange(trace, cycles[c], -1);
        cm_trace_find_blocked(trace, cycles[c]);
    }
}

static void ask_use(const struct cm_trace *trace)
{
    const struct cm_trace_info *info = cm_trace_information(trace);
    size_t channels = (size_t)info->nodes * info->dimensions * info->channels;
    uint64_t causes[CM_CAUSE_COUNT], phases[CM_TRACE_PHASE_COUNT];
    if (channels > CHANNELS_MAX)
        return;
    uint64_t *busy = calloc(channels + 1, sizeof *busy);
    uint32_t *words = calloc(channels + 1, sizeof *words);
    bool *sent = calloc(channels + 1, sizeof *sent);
    struct cm_trace_use *use = calloc((size_t)info->dimensions * COLUMNS + 1, sizeof *use);
    const uint64_t ends[][2] = {
        {0, info->cycles}, {info->cycles / 3, info->cycles / 2}, {0, UINT64_MAX}, {5, 5}};
    for (size_t i = 0; busy != NULL && use != NULL && i < sizeof ends / sizeof *ends; i++) {
        cm_trace_channel_busy(trace, ends[i][0], ends[i][1], busy);
        cm_trace_dimension_use(trace, ends[i][0], ends[i][1], COLUMNS, use);
        cm_trace_by_cause(trace, ends[i][0], ends[i][1], causes);
        cm_trace_by_phase(trace, ends[i][0], ends[i][1], phases);
        if (words != NULL && sent != NULL)
            cm_trace_wires(trace, ends[i][0], words, sent);
    }
    free(busy);
    free(words);
    free(sent);
    free(use);
}

static void ask_packets(const struct cm_trace *trace)
{
    const struct cm_trace_info *info = cm_trace_information(trace);
    struct cm_trace_hop hops[16];
    cm_trace_hops(trace, 0, info->cycles, hops, 16);
    cm_trace_hops(trace, info->cycles / 2, UINT64_MAX, hops, 16);
    for (uint64_t p = 0; p <= info->packets && p < STEPS_MAX; p++) {
        cm_trace_packet_at(trace, p);
        cm_trace_hops_of_packet(trace, p, hops, 16);
    }
}

static void ask_arrays(const struct cm_trace *trace)
{
    const struct cm_trace_info *info = cm_trace_information(trace);
    uint32_t node;
    uint64_t address;
    for (uint32_t a = 0; a <= info->arrays && a < STEPS_MAX; a++) {
        const struct cm_trace_array *array = cm_trace_array_at(trace, a);
        for (uint64_t e = 0; array != NULL && e <= array->elements && e < STEPS_MAX; e++)
            cm_trace_array_place(trace, a, e, info->cycles, &node, &address);
    }
}

static void read_trace(const uint8_t *data, size_t size)
{
    struct cm_trace *trace;
    struct cm_error err;
    memset(&err, 0, sizeof err);
    enum cm_status status = cm_trace_open_memory(data, size, "fuzz", &trace, &err);
    if (status != CM_OK) {
        if (status != CM_BAD_INPUT && status != CM_NO_MEMORY)
            abort();
        return;
    }
    ask_events(trace);
    ask_use(trace);
    ask_packets(trace);
    ask_arrays(trace);
    cm_trace_close(trace);
}

FUZZ_TARGET(fuzz_trace)
{
    read_trace(data, size);
    uint8_t *copy = fuzz_mend_trace(data, size);
    if (copy != NULL)
        read_trace(copy, size);
    free(copy);
    return 0;
}
