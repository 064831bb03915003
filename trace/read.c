/* Opening a trace: its blocks, checked one after the other; what follows damage is not read. */
#include "../base/file.h"
#include "read_private.h"

#include <inttypes.h>
#include <stdio.h>

#define FILE_BYTES_MAX (SIZE_MAX / 2)

uint64_t cm_get(struct cm_input_bytes *in)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (in->at == in->end)
            break;
        unsigned byte = *in->at++;
        if (shift == 63 && byte > 1)
            break;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
    in->bad = true;
    return 0;
}

uint64_t cm_get_below(struct cm_input_bytes *in, uint64_t count)
{
    uint64_t value = cm_get(in);
    if (value < count)
        return value;
    in->bad = true;
    return 0;
}

unsigned cm_get_byte(struct cm_input_bytes *in)
{
    if (in->at < in->end)
        return *in->at++;
    in->bad = true;
    return 0;
}

const unsigned char *cm_get_raw(struct cm_input_bytes *in, uint64_t length)
{
    const unsigned char *raw = in->at;
    if (length > (uint64_t)(in->end - in->at)) {
        in->bad = true;
        return NULL;
    }
    in->at += length;
    return raw;
}

void *cm_list_add(struct cm_list *list, size_t size)
{
    if (list->count == list->capacity) {
        uint64_t capacity = list->capacity == 0 ? 16 : list->capacity * 2;
        void *larger = realloc(list->items, capacity * size);
        if (larger == NULL)
            return NULL;
        list->items = larger;
        list->capacity = capacity;
    }
    return memset((char *)list->items + list->count++ * size, 0, size);
}

static uint32_t u32_at(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static bool read_wires(struct cm_trace *trace, struct cm_input_bytes in)
{
    uint64_t cycle = cm_get_below(&in, CM_TRACE_CYCLES_MAX);
    uint64_t pattern = cm_get_below(&in, trace->patterns.count + 1);
    uint64_t words = 0;
    if (in.bad || pattern == 0)
        return false;
    if (trace->wires.count > 0 &&
        cycle <= CM_ITEMS(trace->wires, struct cm_read_wires)[trace->wires.count - 1].cycle)
        return false;
    for (uint32_t node = 0; node < trace->info.nodes; node++) {
        uint64_t slots = cm_trace_pattern_slots(trace, (uint32_t)pattern - 1, node);
        for (uint32_t d = 0; d < trace->info.dimensions; d++)
            for (uint32_t c = 0; c < trace->exchange_channels; c++)
                words += slots >> cm_slot_of_channel(trace->info.slots, d, c) & 1;
    }
    if ((uint64_t)(in.end - in.at) != words * 4)
        return false;
    struct cm_read_wires *wires = cm_list_add(&trace->wires, sizeof *wires);
    if (wires == NULL)
        return false;
    *wires = (struct cm_read_wires){cycle, (uint32_t)pattern - 1, in};
    return true;
}

/* The recorder's own sums must be those of what was read. */
static bool read_end(struct cm_trace *trace, struct cm_input_bytes in)
{
    uint64_t causes[CM_CAUSE_COUNT], sum = 0;
    uint64_t cycles = cm_get(&in), events = cm_get(&in), exchanges = cm_get(&in);
    if (!cm_read_causes(trace, &in, causes, &sum) || in.at != in.end)
        return false;
    trace->info.complete = cycles == trace->end_cycle && events == trace->all_events &&
                           exchanges == trace->all_exchanges &&
                           memcmp(causes, trace->by_cause, sizeof causes) == 0;
    return trace->info.complete;
}

static bool read_block(struct cm_trace *trace, unsigned type, struct cm_input_bytes in)
{
    if (!trace->has_info)
        return type == CM_BLOCK_INFO && cm_read_info(trace, in);
    switch (type) {
    case CM_BLOCK_INFO:
        return false;
    case CM_BLOCK_DEFINITIONS:
        return cm_read_definitions(trace, in);
    case CM_BLOCK_EVENTS:
        return cm_read_events(trace, in);
    case CM_BLOCK_ROUTER:
        return cm_read_routed(trace, in);
    case CM_BLOCK_WIRES:
        return read_wires(trace, in);
    case CM_BLOCK_END:
        return read_end(trace, in);
    default:
        return true; /* of a later program, and of no use to us */
    }
}

static void note(struct cm_trace *trace, const char *what, size_t at)
{
    snprintf(trace->notice, sizeof trace->notice, "%s (byte %zu of %zu): shown is what was before",
             what, at, trace->length);
}

static void read_blocks(struct cm_trace *trace)
{
    size_t at = CM_TRACE_HEADER_BYTES;
    while (!trace->info.complete) {
        const unsigned char *frame = trace->bytes + at;
        size_t left = trace->length - at;
        if (left == 0) {
            snprintf(trace->notice, sizeof trace->notice,
                     "the trace has no end: the run was interrupted, or the file was cut short");
            return;
        }
        uint64_t length = left >= CM_TRACE_FRAME_BYTES ? u32_at(frame + 1) : 0;
        if (left < CM_TRACE_FRAME_BYTES || length > left - CM_TRACE_FRAME_BYTES) {
            note(trace, "the trace is cut short", at);
            return;
        }
        uint32_t crc = cm_crc_of(&trace->crc, 0, frame, 5);
        const unsigned char *payload = frame + CM_TRACE_FRAME_BYTES;
        crc = cm_crc_of(&trace->crc, crc, payload, length);
        struct cm_input_bytes in = {payload, payload + length, false};
        if (crc != u32_at(frame + 5) || !read_block(trace, frame[0], in)) {
            note(trace,
                 trace->no_memory ? "memory is too small for this trace" : "the trace is damaged",
                 at);
            return;
        }
        at += CM_TRACE_FRAME_BYTES + (size_t)length;
    }
}

static enum cm_status refuse(const char *name, const char *what, const char *hint,
                             struct cm_error *err)
{
    cm_error_at(err, CM_BAD_INPUT, name, 0, 0, "%s", what);
    if (err != NULL && hint != NULL)
        cm_error_hint(err, "%s", hint);
    return CM_BAD_INPUT;
}

static enum cm_status check_header(const struct cm_trace *trace, const char *name,
                                   struct cm_error *err)
{
    char what[96];
    if (trace->length < CM_TRACE_MAGIC_BYTES ||
        memcmp(trace->bytes, CM_TRACE_MAGIC, CM_TRACE_MAGIC_BYTES) != 0)
        return refuse(name, "is no trace of cm200", "traces are made by cm200 run --trace FILE",
                      err);
    if (trace->length < CM_TRACE_HEADER_BYTES)
        return refuse(name, "is cut short before its version", NULL, err);
    uint32_t version = u32_at(trace->bytes + CM_TRACE_MAGIC_BYTES);
    if (version == CM_TRACE_VERSION)
        return CM_OK;
    snprintf(what, sizeof what, "is a trace of version %" PRIu32 ", this program reads version %u",
             version, CM_TRACE_VERSION);
    return refuse(name, what, "record it again with the cm200 of this version", err);
}

static void complete_info(struct cm_trace *trace)
{
    struct cm_trace_info *info = &trace->info;
    info->cycles = trace->end_cycle;
    info->exchanges = trace->all_exchanges;
    info->packets = trace->packets.count;
    info->steps = (uint32_t)trace->steps.count;
    info->imps = (uint32_t)trace->imps.count;
    info->patterns = (uint32_t)trace->patterns.count;
    if (info->complete && trace->windows.count > 0)
        snprintf(
            trace->notice, sizeof trace->notice,
            "the router's traffic was too much for packets one by one: later ones are recorded "
            "as what each channel carried in a window of time");
    info->notice = info->complete && trace->windows.count == 0 ? NULL : trace->notice;
    for (uint64_t i = 0; i < trace->arrays.count; i++) {
        uint32_t number = CM_ITEMS(trace->arrays, struct cm_read_array)[i].number;
        if (number >= info->arrays)
            info->arrays = number + 1;
    }
    for (uint64_t i = 0; i < trace->steps.count; i++) {
        struct cm_read_step *step = &CM_ITEMS(trace->steps, struct cm_read_step)[i];
        if (step->ended)
            continue;
        step->step.end_cycle =
            trace->end_cycle > step->step.first_cycle ? trace->end_cycle : step->step.first_cycle;
        cm_trace_by_cause(trace, step->step.first_cycle, step->step.end_cycle, step->step.by_cause);
    }
}

static enum cm_status open_bytes(struct cm_trace *trace, const char *name, struct cm_error *err)
{
    enum cm_status status = check_header(trace, name, err);
    if (status != CM_OK)
        return status;
    cm_crc_init(&trace->crc);
    trace->page = UINT64_MAX;
    for (uint32_t i = 0; i < CM_READ_CACHE; i++)
        trace->decoded[i].block = UINT64_MAX;
    read_blocks(trace);
    if (!trace->has_info)
        return refuse(name,
                      "holds nothing that can be read: it is cut short or damaged at its beginning",
                      NULL, err);
    complete_info(trace);
    if (!cm_read_finish_routed(trace) || !cm_read_finish_use(trace))
        return cm_error_set(err, CM_NO_MEMORY, "out of memory for the trace");
    return CM_OK;
}

enum cm_status cm_trace_open_memory(const void *bytes, size_t length, const char *name,
                                    struct cm_trace **out, struct cm_error *err)
{
    *out = NULL;
    struct cm_trace *trace = calloc(1, sizeof *trace);
    if (trace == NULL)
        return cm_error_set(err, CM_NO_MEMORY, "out of memory for the trace");
    trace->bytes = bytes;
    trace->length = length;
    enum cm_status status = open_bytes(trace, name, err);
    if (status == CM_OK)
        *out = trace;
    else
        cm_trace_close(trace);
    return status;
}

/* The file is read, not mapped: it may be written anew while somebody looks at it. */
enum cm_status cm_trace_open(const char *path, struct cm_trace **out, struct cm_error *err)
{
    char *data = NULL;
    size_t length = 0;
    *out = NULL;
    enum cm_status status = cm_file_read(path, FILE_BYTES_MAX, &data, &length, err);
    if (status != CM_OK)
        return status;
    status = cm_trace_open_memory(data, length, path, out, err);
    if (status == CM_OK)
        (*out)->owned = data;
    else
        free(data);
    return status;
}

void cm_trace_close(struct cm_trace *trace)
{
    if (trace == NULL)
        return;
    cm_read_free_definitions(trace);
    struct cm_list *lists[] = {&trace->strings,
                               &trace->imps,
                               &trace->shapes,
                               &trace->entries,
                               &trace->patterns,
                               &trace->sets,
                               &trace->steps,
                               &trace->runs,
                               &trace->places,
                               &trace->arrays,
                               &trace->blocks,
                               &trace->exchange_cycles,
                               &trace->exchange_patterns,
                               &trace->marks,
                               &trace->wires,
                               &trace->packets,
                               &trace->hops,
                               &trace->windows,
                               &trace->loads,
                               &trace->waits};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        free(lists[i]->items);
    void *made[] = {trace->sent_words,     trace->set_sizes,     trace->class_of,
                    trace->set_classes,    trace->set_class_at,  trace->hops_by_packet,
                    trace->packet_hops_at, trace->hop_block_end, trace->load_sums,
                    trace->window_max,     trace->window_busy,   trace->workload,
                    trace->machine};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        free(made[i]);
    for (uint32_t i = 0; i < CM_READ_CACHE; i++) {
        free(trace->decoded[i].events);
        free(trace->decoded[i].shapes);
    }
    free(trace->briefs);
    free(trace->owned);
    free(trace);
}

const struct cm_trace_info *cm_trace_information(const struct cm_trace *trace)
{
    return &trace->info;
}
