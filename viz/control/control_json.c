/* The viewer's state for scripts: what a test reads after each event. */
#include "control.h"

#include "../model/names.h"

#include <inttypes.h>

static void append_mark(const struct cm_view_control *control, const char *name,
                        const struct cm_view_mark *mark, struct cm_buffer *text)
{
    cm_buffer_printf(text, ", \"%s\": ", name);
    if (mark->kind == CM_VIEW_MARK_NONE) {
        cm_buffer_printf(text, "null");
        return;
    }
    cm_buffer_printf(text, "{\"run\": %" PRIu32, mark->run);
    if (mark->kind == CM_VIEW_MARK_NODE) {
        cm_buffer_printf(text, ", \"node\": %" PRIu32 "}", mark->index);
        return;
    }
    struct cm_view_channel channel =
        cm_view_channel_parts(&control->model->runs[mark->run], mark->index);
    cm_buffer_printf(
        text, ", \"node\": %" PRIu32 ", \"dimension\": %" PRIu32 ", \"channel\": %" PRIu32 "}",
        channel.node, channel.dimension, channel.channel);
}

static void append_bool(const char *name, bool value, struct cm_buffer *text)
{
    cm_buffer_printf(text, ", \"%s\": %s", name, value ? "true" : "false");
}

/* Names and texts here are the viewer's own: letters, digits, blanks, commas, colons. */
static void append_text(const char *name, const char *value, struct cm_buffer *text)
{
    cm_buffer_printf(text, ", \"%s\": \"%s\"", name, value);
}

static void append_set(const char *name, uint32_t bits, struct cm_buffer *text)
{
    const char *comma = "";
    cm_buffer_printf(text, ", \"%s\": [", name);
    for (uint32_t i = 0; i < 32; i++) {
        if (bits >> i & 1) {
            cm_buffer_printf(text, "%s%" PRIu32, comma, i);
            comma = ", ";
        }
    }
    cm_buffer_printf(text, "]");
}

void cm_view_control_json(const struct cm_view_control *control, struct cm_buffer *text)
{
    const struct cm_view_state *state = &control->state;
    uint64_t first, end;
    cm_view_interval(control->model, state, &first, &end);
    cm_buffer_printf(text, "\"cycle\": %" PRIu64 ", \"first\": %" PRIu64 ", \"end\": %" PRIu64,
                     state->cycle, state->first, state->end);
    cm_buffer_printf(text, ", \"from\": %" PRIu64 ", \"to\": %" PRIu64, first, end);
    append_text("span", cm_view_span_names[state->span], text);
    append_bool("playing", state->playing, text);
    cm_buffer_printf(text, ", \"speed\": %g", state->speed);
    append_text("panel", cm_view_panel_names[state->panel], text);
    append_text("focus", cm_view_panel_names[state->focus], text);
    append_text("layout", cm_view_machine_names[state->machine], text);
    append_text("palette", cm_view_colours_names[state->colours], text);
    append_bool("linear", state->linear, text);
    append_bool("compare", state->compare, text);
    cm_buffer_printf(text, ", \"run\": %" PRIu32 ", \"array\": %" PRIu32, state->run, state->array);
    append_mark(control, "hover", &state->hover, text);
    append_mark(control, "pin", &state->pin, text);
    append_set("hidden_phases", state->hidden_phases, text);
    append_set("hidden_dimensions", state->hidden_dimensions, text);
    append_bool("help", state->help, text);
    append_bool("prompt", control->prompt, text);
    append_text("typed", control->typed, text);
    append_text("message", control->message, text);
    append_bool("recording", control->recording, text);
}
