/* The recorder's life cycle: creates and finishes a recorder. Writes the INFO and END blocks of the
 * trace. */
#include "record_private.h"

#include "../base/crc32.h"
#include "../base/version.h"
#include "../report/machine.h"

#include <inttypes.h>

/* Initial sizes of the buffers in bytes, large enough that a short recording never enlarges one. */
#define FIRST_BYTES     (CM_RECORDER_WRITE_BYTES + (CM_RECORDER_WRITE_BYTES >> 2))
#define FIRST_IMP_BYTES (CM_RECORDER_WRITE_BYTES << 2)

/* Writes the description of the run as JSON in the form of cm_result_made_of, with the members that
 * the machine knows. */
static void put_made_of(struct cm_recorder *r, const struct cm_recorder_options *options)
{
    const struct cm_config *config = cm_machine_config(r->machine);
    struct cm_buffer text;
    struct cm_json_writer json;
    if (options->made_of != NULL) {
        cm_put_text(&r->payload, options->made_of);
        return;
    }
    cm_buffer_init(&text);
    cm_json_writer_begin(&json, &text);
    cm_json_write_compact(&json, true);
    cm_json_write_object(&json, NULL);
    cm_json_write_members(&json, {"workload", cm_text(options->workload)},
                          {"machine", cm_text(config->name)}, {"nodes", cm_u64(r->nodes)},
                          {"timing_only", cm_bool(cm_machine_timing_only(r->machine))},
                          {"version", cm_text(cm_version())});
    cm_json_write_machine(&json, config);
    cm_json_write_end(&json);
    if (cm_buffer_ok(&text))
        text.data[--text.length] = '\0'; /* removes the newline at the end of the JSON */
    else
        r->payload.failed = true;
    cm_put_text(&r->payload, cm_buffer_ok(&text) ? text.data : "");
    cm_buffer_finish(&text);
}

static void put_info(struct cm_recorder *r, const struct cm_recorder_options *options)
{
    const struct cm_config *config = cm_machine_config(r->machine);
    struct cm_buffer *info = &r->payload;
    cm_put_text(info, options->workload != NULL ? options->workload : "");
    cm_put_text(info, config->name);
    cm_put(info, r->nodes, r->dimensions, config->network_dimensions, r->channels, r->slots,
           config->clock_hz, config->exchange_cycles, config->router_word_cycles,
           config->memory_page_words, config->sequencer_loop_depth, options->detail_first,
           options->detail_end, CM_CAUSE_COUNT);
    for (uint32_t i = 0; i < CM_CAUSE_COUNT; i++)
        cm_put_text(info, cm_cause_name((enum cm_cause)i));
    put_made_of(r, options);
    cm_recorder_block(r, CM_BLOCK_INFO, info);
}

static const struct cm_observer functions = {
    .without_control = true,
    .run_begins = cm_recorder_run_begins,
    .issued = cm_recorder_issued,
    .run_ends = cm_recorder_run_ends,
    .router_begins = cm_recorder_router_begins,
    .packet_sent = cm_recorder_packet_sent,
    .packets_hop = cm_recorder_packets_hop,
    .hops_end = cm_recorder_hops_end,
    .packets_arrive = cm_recorder_packets_arrive,
    .router_ends = cm_recorder_router_ends,
    .step_begins = cm_recorder_step_begins,
    .step_ends = cm_recorder_step_ends,
    .line_begins = cm_recorder_line_begins,
    .array_lies = cm_recorder_array_lies,
};

static enum cm_status too_large(const struct cm_machine *machine, struct cm_error *err)
{
    cm_error_set(err, CM_BAD_INPUT, "what %" PRIu32 " nodes do can't be recorded: at most %u",
                 cm_machine_nodes(machine), CM_TRACE_NODES_MAX);
    return cm_error_hint(err, "use fewer nodes; traces, --explain and --why record the run");
}

static bool allocate(struct cm_recorder *r)
{
    r->masks = calloc(r->nodes, sizeof *r->masks);
    r->slot_of_node = calloc(r->nodes / 64 + 1, 64);
    r->slot_nodes = calloc((size_t)r->slots * (r->nodes / 64 + 1), sizeof *r->slot_nodes);
    /* 0xff in all bytes is CM_PATTERN_NOT_KNOWN */
    memset(r->slot_patterns, 0xff, sizeof r->slot_patterns);
    r->template_places = calloc(CM_RECORDER_CACHE, sizeof *r->template_places);
    r->template_shift = 64 - CM_RECORDER_CACHE_BITS;
    if (r->masks == NULL || r->template_places == NULL || r->slot_of_node == NULL ||
        r->slot_nodes == NULL || !cm_list_room(&r->templates, 1))
        return false;
    r->templates.items[0] = (struct cm_event_template){.gap_cycles = UINT64_MAX};
    struct cm_buffer *bytes[] = {&r->out, &r->definitions, &r->events, &r->payload, &r->image};
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++)
        if (!cm_buffer_room(bytes[i], FIRST_BYTES))
            return false;
    return cm_buffer_room(&r->imp_numbers.contents, FIRST_IMP_BYTES);
}

enum cm_status cm_recorder_create(struct cm_machine *machine,
                                  const struct cm_recorder_options *options,
                                  struct cm_recorder **recorder, struct cm_error *err)
{
    const struct cm_config *config = cm_machine_config(machine);
    const unsigned char version[4] = {CM_TRACE_VERSION};
    *recorder = NULL;
    if (cm_machine_nodes(machine) > CM_TRACE_NODES_MAX)
        return too_large(machine, err);
    struct cm_recorder *r = calloc(1, sizeof *r);
    if (r == NULL)
        return cm_error_no_memory(err);
    r->observer = functions;
    r->observer.context = r;
    r->machine = machine;
    r->nodes = cm_machine_nodes(machine);
    r->dimensions = cm_machine_dimensions(machine);
    r->channels = config->network_channels_per_dimension;
    r->slots = config->transposer_slots;
    r->detail_first = options->detail_first;
    r->detail_end = options->detail_end;
    r->in_memory = options->path == NULL;
    r->router.hops_left = CM_TRACE_HOPS_KEPT;
    r->file.fd = -1;
    enum cm_status status = CM_OK;
    if (!allocate(r))
        status = cm_error_no_memory(err);
    else if (!r->in_memory)
        status = cm_output_open(&r->file, options->path, "trace", CM_TRACE_MAGIC, err);
    if (status != CM_OK) {
        cm_recorder_destroy(r);
        return status;
    }
    struct cm_counters counters = cm_machine_counters(machine);
    memcpy(r->last, counters.by_cause, sizeof r->last);
    r->last_faults = counters.page_faults;
    r->last_cycle = counters.cycles;
    cm_buffer_append(&r->out, CM_TRACE_MAGIC, CM_TRACE_MAGIC_BYTES);
    cm_buffer_append(&r->out, version, sizeof version);
    put_info(r, options);
    *recorder = r;
    return CM_OK;
}

const struct cm_observer *cm_recorder_observer(const struct cm_recorder *r)
{
    return &r->observer;
}

static void put_end(struct cm_recorder *r)
{
    struct cm_buffer *payload = &r->payload;
    payload->length = 0;
    cm_put(payload, r->last_cycle, r->event_count, r->exchanges);
    cm_put_causes(payload, r->last);
    cm_recorder_block(r, CM_BLOCK_END, payload);
}

enum cm_status cm_recorder_finish(struct cm_recorder *r, bool complete, struct cm_error *err)
{
    struct cm_counters counters = cm_machine_counters(r->machine);
    if (r->router.running)
        cm_recorder_close_router(r, r->router.first);
    cm_recorder_step_ends(r, &counters);
    cm_recorder_flush_events(r);
    cm_recorder_define(r);
    if (complete)
        put_end(r);
    cm_recorder_write_out(r);
    r->finished = true;
    if (cm_machine_observer(r->machine) == &r->observer)
        cm_machine_observe(r->machine, NULL);
    if (r->no_memory) {
        cm_output_finish(&r->file);
        return cm_error_no_memory(err);
    }
    if (complete && !r->in_memory)
        return cm_output_close(&r->file, err);
    return cm_output_leave(&r->file, err);
}

const char *cm_recorder_part(const struct cm_recorder *r)
{
    return r->file.part;
}

uint64_t cm_recorder_wires(const struct cm_recorder *r)
{
    return r->wires;
}

uint64_t cm_recorder_size(const struct cm_recorder *r, const void **bytes)
{
    if (bytes != NULL)
        *bytes = r->out.data;
    return r->written + r->out.length;
}

void cm_recorder_destroy(struct cm_recorder *r)
{
    if (r == NULL)
        return;
    if (!r->finished && !r->in_memory)
        (void)cm_output_leave(&r->file, NULL);
    cm_prediction_memory_finish(&r->prediction_memory);
    struct cm_numbers *numbers[] = {&r->set_numbers, &r->pattern_numbers, &r->string_numbers,
                                    &r->place_numbers, &r->imp_numbers};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        cm_numbers_finish(numbers[i]);
    struct cm_buffer *bytes[] = {&r->out,    &r->definitions, &r->events, &r->payload,
                                 &r->routed, &r->types,       &r->image,  &r->text};
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++)
        cm_buffer_finish(bytes[i]);
    cm_list_finish(&r->imps);
    cm_list_finish(&r->array_places);
    free(r->places);
    free(r->lines);
    cm_list_finish(&r->templates);
    free(r->template_places);
    cm_list_finish(&r->table_patterns.patterns);
    cm_list_finish(&r->pending.patterns);
    cm_list_finish(&r->patterns);
    cm_list_finish(&r->pattern_sets);
    free(r->masks);
    free(r->slot_of_node);
    free(r->slot_nodes);
    free(r->router.holders);
    free(r->router.open);
    free(r->router.window);
    cm_output_finish(&r->file);
    free(r);
}
