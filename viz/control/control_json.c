/* The viewer's state for scripts: what a test reads after each event. */
#include "control.h"

#include "../model/names.h"

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

void cm_view_control_json(const struct cm_view_control *control, struct cm_json_writer *json)
{
    const struct cm_view_state *state = &control->state;
    uint64_t first, end;
    cm_view_interval(control->model, state, &first, &end);
    cm_json_write_members(json, {"cycle", cm_u64(state->cycle)}, {"first", cm_u64(state->first)},
                          {"end", cm_u64(state->end)}, {"from", cm_u64(first)},
                          {"to", cm_u64(end)});
    cm_json_write_string(json, "span", cm_view_span_names[state->span]);
    cm_json_write_bool(json, "playing", state->playing);
    cm_json_write_rounded(json, "speed", state->speed, 6);
    cm_json_write_string(json, "panel", cm_view_panel_names[state->panel]);
    cm_json_write_string(json, "focus", cm_view_panel_names[state->focus]);
    cm_json_write_string(json, "layout", cm_view_machine_names[state->machine]);
    cm_json_write_string(json, "palette", cm_view_colours_names[state->colours]);
    cm_json_write_bool(json, "linear", state->linear);
    cm_json_write_bool(json, "compare", state->compare);
    cm_json_write_members(json, {"run", cm_u64(state->run)}, {"array", cm_u64(state->array)});
    write_mark(json, "hover", control, &state->hover);
    write_mark(json, "pin", control, &state->pin);
    write_set(json, "hidden_phases", state->hidden_phases);
    write_set(json, "hidden_dimensions", state->hidden_dimensions);
    cm_json_write_bool(json, "help", state->help);
    cm_json_write_bool(json, "prompt", control->prompt);
    cm_json_write_string(json, "typed", control->typed);
    cm_json_write_string(json, "message", control->message);
    cm_json_write_bool(json, "recording", control->recording);
}
