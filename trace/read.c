/* Opening of a trace. The reader checks the blocks in file order and stops at the first damaged
 * block. */
#include "../base/crc32.h"
#include "../base/input.h"
#include "read_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

/* Longest traces in bytes: from a file, whose length is known, and from a pipe, which may never
 * end. */
#define FILE_BYTES_MAX (SIZE_MAX / 2)
#define PIPE_BYTES_MAX ((size_t)256 << 20)

static uint32_t u32_at(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void read_wires(struct cm_trace *trace, struct cm_input_bytes *in)
{
    struct cm_read_wires wires = {.cycle = cm_get_below(in, CM_TRACE_CYCLES_MAX)};
    uint32_t pattern = cm_get_u32_below(in, trace->patterns.count + UINT64_C(1));
    uint64_t words = 0;
    bool later =
        trace->wires.count == 0 || wires.cycle > trace->wires.items[trace->wires.count - 1].cycle;
    if (!cm_expect(in, pattern != 0 && later))
        return;
    for (uint32_t node = 0; node < trace->info.nodes; node++) {
        uint64_t slots = cm_trace_pattern_slots(trace, pattern - 1, node);
        for (uint32_t d = 0; d < trace->info.dimensions; d++)
            for (uint32_t c = 0; c < trace->exchange_channels; c++)
                words += slots >> cm_slot_of_channel(trace->info.slots, d, c) & 1;
    }
    wires.pattern = pattern - 1;
    wires.words = *in;
    if (cm_expect(in, (uint64_t)(in->end - in->at) == words * 4))
        cm_list_push(&trace->wires, wires);
}

/* Checks that the recorder's sums of cycles and events at the end of the trace equal the
 * reader's. */
static void read_end(struct cm_trace *trace, struct cm_input_bytes *in)
{
    uint64_t causes[CM_CAUSE_COUNT];
    bool same = cm_get(in) == trace->end_cycle;
    same = cm_get(in) == trace->all_events && same;
    same = cm_get(in) == trace->all_exchanges && same;
    cm_read_causes(trace, in, causes);
    trace->info.complete = cm_expect(in, same && in->at == in->end &&
                                             memcmp(causes, trace->by_cause, sizeof causes) == 0);
}

static void read_block(struct cm_trace *trace, unsigned type, struct cm_input_bytes *in)
{
    static void (*const readers[])(struct cm_trace *, struct cm_input_bytes *) = {
        [CM_BLOCK_INFO] = cm_read_info,     [CM_BLOCK_DEFINITIONS] = cm_read_definitions,
        [CM_BLOCK_EVENTS] = cm_read_events, [CM_BLOCK_ROUTER] = cm_read_routed,
        [CM_BLOCK_WIRES] = read_wires,      [CM_BLOCK_END] = read_end,
        [CM_BLOCK_TYPES] = cm_read_types,
    };
    if (!cm_expect(in, trace->has_info == (type != CM_BLOCK_INFO)))
        return;
    if (type < sizeof readers / sizeof *readers && readers[type] != NULL)
        /* a block of unknown type comes from a later release and is skipped */
        readers[type](trace, in);
}

/* Reads the block at offset *at and moves *at to the next block. Returns NULL, or a text that
 * describes the damage of the block. */
static const char *read_next(struct cm_trace *trace, size_t *at)
{
    const unsigned char *frame = trace->bytes + *at, *payload = frame + CM_TRACE_FRAME_BYTES;
    size_t left = trace->length - *at;
    uint64_t length = left >= CM_TRACE_FRAME_BYTES ? u32_at(frame + 1) : 0;
    if (left < CM_TRACE_FRAME_BYTES || length > left - CM_TRACE_FRAME_BYTES)
        return "the trace is cut short";
    struct cm_input_bytes in = {payload, payload + length, false};
    if (cm_crc32(cm_crc32(0, frame, 5), payload, length) != u32_at(frame + 5))
        return "the trace is damaged";
    read_block(trace, frame[0], &in);
    *at += CM_TRACE_FRAME_BYTES + (size_t)length;
    return in.bad ? "the trace is damaged" : NULL;
}

static void read_blocks(struct cm_trace *trace)
{
    size_t at = CM_TRACE_HEADER_BYTES, before = at;
    const char *wrong = NULL;
    while (wrong == NULL && !trace->info.complete && at < trace->length &&
           !cm_trace_failed(trace)) {
        before = at;
        wrong = read_next(trace, &at);
    }
    if (wrong != NULL)
        snprintf(trace->notice, sizeof trace->notice,
                 "%s (byte %zu of %zu): only what comes before is shown", wrong, before,
                 trace->length);
    else if (!trace->info.complete)
        snprintf(trace->notice, sizeof trace->notice,
                 "the trace has no end: the run was interrupted, or the file was cut short");
}

static enum cm_status refuse(const char *name, const char *what, const char *hint,
                             struct cm_error *err)
{
    cm_error_at(err, CM_BAD_INPUT, name, 0, 0, "%s", what);
    if (hint != NULL)
        cm_error_hint(err, "%s", hint);
    return CM_BAD_INPUT;
}

static enum cm_status refuse_kind(const char *name, struct cm_error *err)
{
    return refuse(name, "is not a trace of cm200", "traces are made by cm200 run --trace FILE",
                  err);
}

static enum cm_status check_header(const struct cm_trace *trace, const char *name,
                                   struct cm_error *err)
{
    char what[96];
    if (trace->length < CM_TRACE_MAGIC_BYTES ||
        memcmp(trace->bytes, CM_TRACE_MAGIC, CM_TRACE_MAGIC_BYTES) != 0)
        return refuse_kind(name, err);
    if (trace->length < CM_TRACE_HEADER_BYTES)
        return refuse(name, "is cut short before its version", NULL, err);
    uint32_t version = u32_at(trace->bytes + CM_TRACE_MAGIC_BYTES);
    if (version >= CM_TRACE_VERSION_MIN && version <= CM_TRACE_VERSION)
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
    info->steps = trace->steps.count;
    info->lines = trace->lines.count;
    info->imps = trace->imps.count;
    info->patterns = trace->patterns.count;
    if (info->complete && trace->windows.count > 0)
        snprintf(trace->notice, sizeof trace->notice,
                 "too many packets to record each: later ones are recorded as the load of each "
                 "channel in windows of time");
    info->notice = trace->notice[0] != '\0' ? trace->notice : NULL;
    if (info->lines > 0 && trace->lines.items[info->lines - 1].end_cycle == UINT64_MAX)
        trace->lines.items[info->lines - 1].end_cycle =
            cm_most(trace->end_cycle, trace->lines.items[info->lines - 1].first_cycle);
    for (uint32_t i = 0; i < trace->steps.count; i++) {
        struct cm_trace_step *step = &trace->steps.items[i].step;
        if (trace->steps.items[i].ended)
            continue;
        step->end_cycle = cm_most(trace->end_cycle, step->first_cycle);
        cm_trace_by_cause(trace, step->first_cycle, step->end_cycle, step->by_cause);
    }
}

static enum cm_status open_bytes(struct cm_trace *trace, const char *name, struct cm_error *err)
{
    enum cm_status status = check_header(trace, name, err);
    if (status != CM_OK)
        return status;
    trace->page = UINT64_MAX;
    for (uint32_t i = 0; i < CM_READ_CACHE; i++)
        trace->cache->decoded[i].block = UINT64_MAX;
    read_blocks(trace);
    if (cm_trace_failed(trace))
        return cm_error_no_memory(err);
    if (!trace->has_info)
        return refuse(name,
                      "holds nothing that can be read: it is cut short or damaged at its beginning",
                      NULL, err);
    complete_info(trace);
    cm_read_finish_routed(trace);
    cm_read_finish_use(trace);
    return cm_trace_failed(trace) ? cm_error_no_memory(err) : CM_OK;
}

enum cm_status cm_read_open_memory(const void *bytes, size_t length, const char *name,
                                   uint64_t exchanges_max, struct cm_trace **out,
                                   struct cm_error *err)
{
    *out = NULL;
    struct cm_trace *trace = calloc(1, sizeof *trace);
    if (trace == NULL || (trace->cache = calloc(1, sizeof *trace->cache)) == NULL) {
        free(trace);
        return cm_error_no_memory(err);
    }
    trace->bytes = bytes;
    trace->length = length;
    trace->exchanges_max = exchanges_max;
    enum cm_status status = open_bytes(trace, name, err);
    if (status == CM_OK)
        *out = trace;
    else
        cm_trace_close(trace);
    return status;
}

enum cm_status cm_trace_open_memory(const void *bytes, size_t length, const char *name,
                                    struct cm_trace **out, struct cm_error *err)
{
    return cm_read_open_memory(bytes, length, name, CM_READ_EXCHANGES_MAX, out, err);
}

enum cm_status cm_trace_recognize(const char *path, bool *is_trace, struct cm_error *err)
{
    struct cm_input input;
    struct stat found;
    *is_trace = false;
    if (stat(path, &found) != 0 || !S_ISREG(found.st_mode))
        return CM_OK;
    enum cm_status status = cm_input_open(&input, path, err);
    if (status == CM_OK)
        status = cm_input_begins(&input, CM_TRACE_MAGIC, is_trace, err);
    cm_input_close(&input);
    return status;
}

/* Opens a trace file. Copies the file into memory instead of mapping it, because another program
 * may overwrite the file while the trace is open. */
enum cm_status cm_trace_open(const char *path, struct cm_trace **out, struct cm_error *err)
{
    struct cm_input input;
    char *data = NULL;
    size_t length = 0;
    bool begins = false;
    *out = NULL;
    enum cm_status status = cm_input_open(&input, path, err);
    if (status == CM_OK)
        status = cm_input_begins(&input, CM_TRACE_MAGIC, &begins, err);
    if (status == CM_OK && !begins)
        status = refuse_kind(path, err);
    if (status == CM_OK)
        status = cm_input_read_all(&input, input.sized ? FILE_BYTES_MAX : PIPE_BYTES_MAX, &data,
                                   &length, err);
    cm_input_close(&input);
    if (status == CM_OK)
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
#define FINISH(type, name) cm_list_finish(&trace->name);
    CM_READ_LISTS(FINISH)
    void *made[] = {trace->sent_words,   trace->set_sizes, trace->class_of,
                    trace->set_class_at, trace->load_sums, trace->window_at,
                    trace->workload,     trace->machine,   trace->made_of};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        free(made[i]);
    for (uint32_t i = 0; i < CM_READ_CACHE; i++) {
        free(trace->cache->decoded[i].events);
        free(trace->cache->decoded[i].briefs);
    }
    cm_read_free_hops(trace);
    free(trace->cache);
    free(trace->owned);
    free(trace);
}

const struct cm_trace_info *cm_trace_information(const struct cm_trace *trace)
{
    return &trace->info;
}
