/* The log of states. */
#include "state_log.h"

#include "../../shell/shell.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum cm_status cm_view_log_open(struct cm_view_log *log, const char *path, struct cm_error *err)
{
    *log = (struct cm_view_log){.path = path};
    if (path == NULL)
        return CM_OK;
    log->file = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
    if (log->file == NULL)
        return cm_error_at(err, CM_IO, path, 0, 0, "cannot be written: %s", strerror(errno));
    return CM_OK;
}

static void append_rect(const struct cm_view_log *log, const struct cm_view_rect *place,
                        struct cm_buffer *text)
{
    cm_buffer_printf(text, "[%d, %d, %d, %d]", (int)(place->x * log->scale),
                     (int)(place->y * log->scale), (int)(place->w * log->scale),
                     (int)(place->h * log->scale));
}

/* Rectangles of the first column as [x, y, w, h]; what is not shown is left out. */
static void append_places(const struct cm_view_log *log, const struct cm_view_control *control,
                          struct cm_buffer *text)
{
    struct cm_view_layout layout = cm_view_lay_out(
        control->model, &control->state, (int)(log->w / log->scale), (int)(log->h / log->scale));
    const struct cm_view_rect *axis = &layout.place[0][CM_VIEW_PART_AXIS];
    if (axis->w > 0)
        cm_buffer_printf(text, ", \"strip\": [%d, %d]",
                         (int)((axis->x + layout.strip_left) * log->scale),
                         (int)((axis->x + axis->w - layout.strip_right) * log->scale));
    const char *comma = "";
    cm_buffer_printf(text, ", \"places\": {");
    for (uint32_t part = 0; part < CM_VIEW_PART_COUNT; part++) {
        if (layout.place[0][part].w == 0)
            continue;
        cm_buffer_printf(text, "%s\"%s\": ", comma, cm_view_part_name(part));
        append_rect(log, &layout.place[0][part], text);
        comma = ", ";
    }
    cm_buffer_printf(text, "}");
}

static void append_channel(const struct cm_view_run *run, uint32_t index, uint64_t busy,
                           struct cm_buffer *text)
{
    struct cm_view_channel channel = cm_view_channel_parts(run, index);
    cm_buffer_printf(text,
                     "{\"node\": %" PRIu32 ", \"dimension\": %" PRIu32 ", \"channel\": %" PRIu32
                     ", \"cycles\": %" PRIu64 "}",
                     channel.node, channel.dimension, channel.channel, busy);
}

/* Busy cycles of the interval by dimension, and its busiest channels: what the panels draw from. */
static void append_loads(const struct cm_view_run *run, uint64_t first, uint64_t end,
                         struct cm_buffer *text)
{
    const uint32_t *busiest;
    const uint64_t *busy = cm_view_busy(run, first, end);
    uint32_t count = cm_view_busiest(run, first, end, 0, &busiest), row = run->info->channels;
    cm_buffer_printf(text, "\"dimension_cycles\": [");
    for (uint32_t d = 0; d < run->info->dimensions; d++) {
        uint64_t sum = 0;
        for (uint32_t i = 0; i < run->channel_count; i++)
            sum += i / row % run->info->dimensions == d ? busy[i] : 0;
        cm_buffer_printf(text, "%s%" PRIu64, d > 0 ? ", " : "", sum);
    }
    cm_buffer_printf(text, "], \"busiest\": [");
    for (uint32_t i = 0; i < count; i++) {
        cm_buffer_printf(text, "%s", i > 0 ? ", " : "");
        append_channel(run, busiest[i], busy[busiest[i]], text);
    }
    cm_buffer_printf(text, "]");
}

static void append_sums(const struct cm_view_run *run, uint64_t first, uint64_t end,
                        struct cm_buffer *text)
{
    const uint64_t *causes = cm_view_causes(run, first, end);
    const uint64_t *phases = cm_view_phase_sums(run, first, end);
    cm_buffer_printf(text, ", \"cycles_by_cause\": {");
    for (uint32_t c = 0; c < CM_CAUSE_COUNT; c++)
        cm_buffer_printf(text, "%s\"%s\": %" PRIu64, c > 0 ? ", " : "",
                         cm_cause_name((enum cm_cause)c), causes[c]);
    cm_buffer_printf(text, "}, \"cycles_by_phase\": {");
    for (uint32_t p = 0; p < CM_TRACE_PHASE_COUNT; p++)
        cm_buffer_printf(text, "%s\"%s\": %" PRIu64, p > 0 ? ", " : "",
                         cm_trace_phase_name((enum cm_trace_phase)p), phases[p]);
    cm_buffer_printf(text, "}");
}

/* The word on the channel that is pinned or pointed at; null when it carries no word, or the trace
 * does not have it. */
static void append_word(const struct cm_view_run *run, const struct cm_view_control *control,
                        struct cm_buffer *text)
{
    struct cm_view_mark subject = cm_view_subject(&control->state);
    uint32_t word;
    bool sent;
    cm_buffer_printf(text, ", \"word\": ");
    if (subject.kind == CM_VIEW_MARK_CHANNEL &&
        cm_view_word(run, control->state.cycle, subject.index, &word, &sent) && sent)
        cm_buffer_printf(text, "%" PRIu32, word);
    else
        cm_buffer_printf(text, "null");
}

/* The numbers of the interval, of each run. */
static void append_numbers(const struct cm_view_control *control, struct cm_buffer *text)
{
    uint64_t first, end;
    cm_view_interval(control->model, &control->state, &first, &end);
    cm_buffer_printf(text, ", \"numbers\": [");
    for (uint32_t i = 0; i < control->model->run_count; i++) {
        const struct cm_view_run *run = &control->model->runs[i];
        cm_buffer_printf(text, "%s{", i > 0 ? ", " : "");
        append_loads(run, first, end, text);
        append_sums(run, first, end, text);
        append_word(run, control, text);
        cm_buffer_printf(text, "}");
    }
    cm_buffer_printf(text, "]");
}

static void write_line(struct cm_view_log *log, const char *event,
                       const struct cm_view_control *control, bool places)
{
    struct cm_buffer text;
    if (log->file == NULL || log->failed)
        return;
    cm_buffer_init(&text);
    cm_buffer_printf(&text,
                     "{\"line\": %" PRIu64 ", \"event\": \"%s\", \"frames\": %" PRIu64
                     ", \"size\": [%d, %d], ",
                     log->lines, event, log->frames, log->w, log->h);
    cm_view_control_json(control, &text);
    if (places) {
        append_places(log, control, &text);
        append_numbers(control, &text);
    }
    cm_buffer_printf(&text, "}\n");
    log->lines++;
    log->failed = !cm_buffer_ok(&text) ||
                  fwrite(text.data, 1, text.length, log->file) != text.length ||
                  fflush(log->file) != 0;
    cm_buffer_finish(&text);
}

void cm_view_log_write(struct cm_view_log *log, const char *event,
                       const struct cm_view_control *control)
{
    write_line(log, event, control, false);
}

void cm_view_log_places(struct cm_view_log *log, const char *event,
                        const struct cm_view_control *control)
{
    write_line(log, event, control, true);
}

int cm_view_log_close(struct cm_view_log *log)
{
    struct cm_error err;
    if (log->file == NULL)
        return 0;
    bool closed = log->file == stdout ? fflush(stdout) == 0 : fclose(log->file) == 0;
    if (closed && !log->failed)
        return 0;
    cm_error_set(&err, CM_IO, "--log-state %s could not be written", log->path);
    return cli_error(&err);
}
