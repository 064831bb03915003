/* The viewer's state for scripts: what a test reads after each event. */
#include "control.h"

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
                          {"end", cm_u64(state->end)}, {"from", cm_u64(first)}, {"to", cm_u64(end)},
                          {"span", cm_text(cm_view_span_names[state->span])},
                          {"playing", cm_bool(state->playing)},
                          {"speed", cm_rounded(state->speed, 6)},
                          {"panel", cm_text(cm_view_panel_names[state->panel])},
                          {"focus", cm_text(cm_view_panel_names[state->focus])},
                          {"layout", cm_text(cm_view_machine_names[state->machine])},
                          {"palette", cm_text(cm_view_colours_names[state->colours])},
                          {"linear", cm_bool(state->linear)}, {"compare", cm_bool(state->compare)},
                          {"run", cm_u64(state->run)}, {"array", cm_u64(state->array)});
    write_mark(json, "hover", control, &state->hover);
    write_mark(json, "pin", control, &state->pin);
    write_set(json, "hidden_phases", state->hidden_phases);
    write_set(json, "hidden_dimensions", state->hidden_dimensions);
    cm_json_write_members(json, {"help", cm_bool(state->help)},
                          {"prompt", cm_bool(control->prompt)}, {"typed", cm_text(control->typed)},
                          {"message", cm_text(control->message)},
                          {"recording", cm_bool(control->recording)});
}
