/* Writes the log of states, from which a script reads a line after each event. docs/viewer.md lists
 * the members of a line. */
#include "state_log.h"
#include "../model/program.h"

#include "../model/holds.h"
#include "../model/tour.h"

#include "../../report/json_writer.h"
#include "../../shell/shell.h"

#include <errno.h>
#include <string.h>

enum cm_status cm_view_log_open(struct cm_view_log *log, const char *path, bool live,
                                struct cm_error *err)
{
    *log = (struct cm_view_log){.path = path};
    cm_buffer_init(&log->text);
    if (path == NULL || !live)
        return CM_OK;
    errno = 0;
    log->file = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
    if (log->file == NULL && errno == ENOMEM)
        return cm_error_no_memory(err);
    if (log->file == NULL)
        return cm_error_at(err, CM_IO, path, 0, 0, "cannot be written: %s", strerror(errno));
    return CM_OK;
}

static void write_mark(struct cm_json_writer *json, const char *name,
                       const struct cm_view_control *control, const struct cm_view_mark *mark)
{
    if (mark->kind == CM_VIEW_MARK_NONE) {
        cm_json_write_null(json, name);
        return;
    }
    if (mark->kind == CM_VIEW_MARK_NODE) {
        cm_json_write_record(json, name, {"run", cm_u64(mark->run)}, {"node", cm_u64(mark->index)});
        return;
    }
    struct cm_view_channel channel =
        cm_view_channel_parts(&control->model->runs[mark->run], mark->index);
    cm_json_write_record(json, name, {"run", cm_u64(mark->run)}, {"node", cm_u64(channel.node)},
                         {"dimension", cm_u64(channel.dimension)},
                         {"channel", cm_u64(channel.channel)});
}

static void write_set(struct cm_json_writer *json, const char *name, uint32_t bits)
{
    cm_json_write_list(json, name);
    for (uint32_t i = 0; i < 32; i++)
        if (bits >> i & 1)
            cm_json_write_u64(json, NULL, i);
    cm_json_write_end(json);
}

/* Writes the current station of the guided tour, with its text. */
static void write_tour(struct cm_json_writer *json, const struct cm_view_control *control)
{
    const struct cm_view_tour *tour = &control->state.tour;
    char text[1024];
    if (tour->station == 0) {
        cm_json_write_null(json, "tour");
        return;
    }
    cm_tour_text(control->model, &control->state, text, sizeof text);
    cm_json_write_record(json, "tour", {"station", cm_u64(tour->station)},
                         {"name", cm_text(cm_tour_stations[tour->station - 1].name)},
                         {"paused", cm_bool(tour->paused)}, {"text", cm_text(text)});
}

static void write_state(const struct cm_view_control *control, struct cm_json_writer *json)
{
    const struct cm_view_state *state = &control->state;
    uint64_t first, end;
    cm_view_interval(control->model, state, &first, &end);
    cm_json_write_members(
        json, {"cycle", cm_u64(state->cycle)}, {"first", cm_u64(state->first)},
        {"end", cm_u64(state->end)}, {"from", cm_u64(first)}, {"to", cm_u64(end)},
        {"span", cm_text(cm_view_span_names[state->span])}, {"playing", cm_bool(state->playing)},
        {"speed", cm_rounded(state->speed, 6)},
        {"panel", cm_text(cm_view_panel_names[state->panel])},
        {"focus", cm_text(cm_view_panel_names[state->focus])},
        {"layout", cm_text(cm_view_machine_names[state->machine])},
        {"palette", cm_text(cm_view_colours_names[state->colours])},
        {"theme", cm_text(cm_view_theme_names[state->theme])},
        {"text", cm_text(cm_view_text_names[state->large_text])}, {"plain", cm_bool(state->plain)},
        {"load", cm_text(cm_view_load_names[state->load])},
        {"load_dimension", cm_u64(state->load_dimension)},
        {"cube_zoom", cm_rounded(state->cube_zoom, 3)}, {"cube_x", cm_rounded(state->cube_x, 4)},
        {"cube_y", cm_rounded(state->cube_y, 4)}, {"linear", cm_bool(state->linear)},
        {"range", cm_text(cm_view_range_names[state->range])}, {"compare", cm_bool(state->compare)},
        {"run", cm_u64(state->run)}, {"array", cm_u64(state->array)},
        {"slice", cm_u64(state->slice)});
    write_mark(json, "hover", control, &state->hover);
    write_mark(json, "pin", control, &state->pin);
    write_set(json, "hidden_phases", state->hidden_phases);
    write_set(json, "hidden_dimensions", state->hidden_dimensions);
    cm_json_write_members(json, {"help", cm_bool(state->help)},
                          {"prompt", cm_bool(control->prompt)}, {"typed", cm_text(control->typed)},
                          {"message", cm_text(control->message)},
                          {"recording", cm_bool(control->recording)});
    write_tour(json, control);
}

/* Writes lengths given in points as a list of pixels. */
static void write_pixels(const struct cm_view_log *log, struct cm_json_writer *json,
                         const char *name, const double *lengths, uint32_t count)
{
    cm_json_write_list(json, name);
    for (uint32_t i = 0; i < count; i++)
        cm_json_write_i64(json, NULL, (int)(lengths[i] * log->scale));
    cm_json_write_end(json);
}

/* Writes the rectangles of the parts in the first column as [x, y, w, h]. Leaves out parts that are
 * not shown. */
static void write_places(const struct cm_view_log *log, const struct cm_view_control *control,
                         struct cm_json_writer *json)
{
    struct cm_view_layout layout = cm_view_lay_out(
        control->model, &control->state, (int)(log->w / log->scale), (int)(log->h / log->scale));
    const struct cm_view_rect *axis = &layout.place[0][CM_VIEW_PART_AXIS];
    const double strip[] = {axis->x + layout.strip_left, axis->x + axis->w - layout.strip_right};
    if (axis->w > 0)
        write_pixels(log, json, "strip", strip, 2);
    cm_json_write_object(json, "places");
    for (uint32_t part = 0; part < CM_VIEW_PART_COUNT; part++) {
        const struct cm_view_rect *place = &layout.place[0][part];
        const double sides[] = {place->x, place->y, place->w, place->h};
        if (place->w != 0)
            write_pixels(log, json, cm_view_part_name(part), sides, 4);
    }
    cm_json_write_end(json);
}

/* Writes the busy cycles of each dimension in the interval, and the busiest channels. The panels
 * show the same numbers. */
static void write_loads(const struct cm_view_run *run, uint64_t first, uint64_t end,
                        struct cm_json_writer *json)
{
    const uint32_t *busiest;
    const uint64_t *busy = cm_view_busy(run, first, end);
    uint32_t count = cm_view_busiest(run, first, end, 0, &busiest), row = run->info->channels;
    cm_json_write_list(json, "dimension_cycles");
    for (uint32_t d = 0; d < run->info->dimensions; d++) {
        uint64_t sum = 0;
        for (uint32_t i = 0; i < run->channel_count; i++)
            sum += i / row % run->info->dimensions == d ? busy[i] : 0;
        cm_json_write_u64(json, NULL, sum);
    }
    cm_json_write_end(json);
    cm_json_write_list(json, "busiest");
    for (uint32_t i = 0; i < count; i++) {
        struct cm_view_channel channel = cm_view_channel_parts(run, busiest[i]);
        cm_json_write_record(
            json, NULL, {"node", cm_u64(channel.node)}, {"dimension", cm_u64(channel.dimension)},
            {"channel", cm_u64(channel.channel)}, {"cycles", cm_u64(busy[busiest[i]])});
    }
    cm_json_write_end(json);
}

/* Writes the load by which each node is coloured, for small machines only. */
static void write_node_loads(const struct cm_view_run *run, const struct cm_view_state *state,
                             uint64_t first, uint64_t end, struct cm_json_writer *json)
{
    uint32_t nodes = run->info->nodes;
    if (nodes <= CM_VIEW_CUBE_NODES)
        cm_json_write_numbers(json, "node_loads",
                              cm_view_node_loads(run, first, end, state->hidden_dimensions,
                                                 state->load, state->load_dimension),
                              nodes);
}

static void write_sums(const struct cm_view_run *run, uint64_t first, uint64_t end,
                       struct cm_json_writer *json)
{
    const uint64_t *causes = cm_view_causes(run, first, end);
    const uint64_t *phases = cm_view_phase_sums(run, first, end);
    cm_json_write_object(json, "cycles_by_cause");
    for (uint32_t c = 0; c < CM_CAUSE_COUNT; c++)
        cm_json_write_u64(json, cm_cause_name((enum cm_cause)c), causes[c]);
    cm_json_write_end(json);
    cm_json_write_object(json, "cycles_by_phase");
    for (uint32_t p = 0; p < CM_TRACE_PHASE_COUNT; p++)
        cm_json_write_u64(json, cm_trace_phase_name((enum cm_trace_phase)p), phases[p]);
    cm_json_write_end(json);
}

/* Writes the word on the channel that is pinned or under the pointer. Writes null if there is no
 * such channel, if it carries no word, or if the trace does not have the words. */
static void write_word(const struct cm_view_run *run, const struct cm_view_control *control,
                       struct cm_json_writer *json)
{
    struct cm_view_mark subject = cm_view_subject(&control->state);
    uint32_t word;
    bool sent;
    bool known = subject.kind == CM_VIEW_MARK_CHANNEL &&
                 cm_view_word(run, control->state.cycle, subject.index, &word, &sent) && sent;
    char value[80] = "";
    if (known) {
        cm_json_write_u64(json, "word", word);
        cm_view_print_word(run, control->state.cycle, subject.index, word, value, sizeof value);
    } else {
        cm_json_write_null(json, "word");
    }
    if (value[0] != '\0')
        cm_json_write_string(json, "value", value);
}

/* Writes the array elements whose words are in the transposers of the node that is pinned or under
 * the pointer. */
static void write_held(const struct cm_view_run *run, const struct cm_view_control *control,
                       struct cm_json_writer *json)
{
    struct cm_view_held held[CM_VIEW_HELD_MAX];
    uint32_t node = cm_view_mark_node(run, cm_view_subject(&control->state));
    uint32_t count =
        node < run->info->nodes ? cm_view_holds(run, control->state.cycle, node, held) : 0;
    cm_json_write_list(json, "held");
    for (uint32_t i = 0; i < count; i++) {
        struct cm_view_channel at = cm_view_channel_parts(run, held[i].channel);
        char word[64];
        cm_view_print_held(run, control->state.cycle, &held[i], word, sizeof word);
        cm_json_write_record(json, NULL, {"transposer", cm_text(held[i].arrived ? "B" : "A")},
                             {"slot", cm_u64(held[i].slot)}, {"from", cm_u64(at.node)},
                             {"dimension", cm_u64(at.dimension)}, {"channel", cm_u64(at.channel)},
                             {"word", cm_text(word)});
    }
    cm_json_write_end(json);
}

/* Writes the numbers of the interval (loads, cycles by cause and phase, ...) for each run. */
static void write_numbers(const struct cm_view_control *control, struct cm_json_writer *json)
{
    uint64_t first, end;
    cm_view_interval(control->model, &control->state, &first, &end);
    cm_json_write_list(json, "numbers");
    for (uint32_t i = 0; i < control->model->run_count; i++) {
        const struct cm_view_run *run = &control->model->runs[i];
        cm_json_write_object(json, NULL);
        write_loads(run, first, end, json);
        write_node_loads(run, &control->state, first, end, json);
        write_sums(run, first, end, json);
        write_word(run, control, json);
        write_held(run, control, json);
        cm_json_write_end(json);
    }
    cm_json_write_end(json);
}

static void write_program(const struct cm_view_program *program, struct cm_json_writer *json)
{
    cm_json_write_object(json, "program");
    cm_json_write_u64(json, "cycle", program->cycle);
    cm_json_write_bool(json, "runs", program->runs);
    cm_json_write_list(json, "rows");
    for (uint32_t i = 0; i < program->count; i++) {
        const struct cm_view_program_row *row = &program->rows[i];
        cm_json_write_record(json, NULL, {"text", cm_text(row->text)},
                             {"place", cm_text(row->place)}, {"next", cm_bool(row->next)},
                             {"breakpoint", cm_u64(row->broken)});
    }
    cm_json_write_end(json);
    cm_json_write_end(json);
}

void cm_view_log_write(struct cm_view_log *log, const char *event,
                       const struct cm_view_control *control, bool places)
{
    struct cm_json_writer json;
    struct cm_buffer *text = &log->text;
    if (log->path == NULL || log->status != CM_OK)
        return;
    cm_json_writer_begin(&json, text);
    cm_json_write_compact(&json, true);
    cm_json_write_object(&json, NULL);
    cm_json_write_u64(&json, "line", log->lines);
    cm_json_write_string(&json, "event", event);
    cm_json_write_u64(&json, "frames", log->frames);
    cm_json_write_numbers(&json, "size", (const uint64_t[]){(uint64_t)log->w, (uint64_t)log->h}, 2);
    write_state(control, &json);
    if (control->model->program != NULL)
        write_program(control->model->program, &json);
    if (places) {
        write_places(log, control, &json);
        write_numbers(control, &json);
    }
    cm_json_write_end(&json);
    log->lines++;
    if (!cm_buffer_ok(text) || cm_view_model_failed(control->model))
        log->status = CM_NO_MEMORY;
    if (log->file == NULL)
        return;
    if (log->status == CM_OK &&
        (fwrite(text->data, 1, text->length, log->file) != text->length || fflush(log->file) != 0))
        log->status = CM_IO;
    cm_buffer_finish(text);
}

int cm_view_log_close(struct cm_view_log *log, enum cm_status status, struct cm_error *err)
{
    bool closed =
        log->file == NULL || (log->file == stdout ? fflush(stdout) == 0 : fclose(log->file) == 0);
    if (status == CM_OK && log->status == CM_NO_MEMORY)
        status = cm_error_no_memory(err);
    else if (status == CM_OK && (log->status != CM_OK || !closed))
        status = cm_error_set(err, CM_IO, "--log-state %s could not be written", log->path);
    if (status == CM_OK && log->path != NULL && log->file == NULL)
        return shell_deliver(log->path, &log->text, CM_OK, err);
    cm_buffer_finish(&log->text);
    return status == CM_OK ? 0 : shell_error(err);
}
