/* Functions that change the viewer's state apart from time: panel, layout, colours, marks and
 * filters. */
#include "state.h"

#include "model.h"

#include <string.h>

bool cm_view_mark_equal(struct cm_view_mark a, struct cm_view_mark b)
{
    return a.kind == b.kind &&
           (a.kind == CM_VIEW_MARK_NONE || (a.run == b.run && a.index == b.index));
}

struct cm_view_state cm_view_state_first(const struct cm_view_model *model)
{
    struct cm_view_state state;
    /* padding is cleared as well, because states are compared byte by byte */
    memset(&state, 0, sizeof state);
    const struct cm_view_run *run = &model->runs[0];
    /* A run of packets is one instruction, and in a word time no channel is busier than others. */
    state.span = run->info->packets > 0 ? CM_VIEW_SPAN_VISIBLE : CM_VIEW_SPAN_NOW;
    state.speed = 1;
    state.panel = CM_VIEW_ALL;
    state.focus = run->info->nodes <= 64 ? CM_VIEW_CUBE : CM_VIEW_MACHINE;
    /* In an exchange every channel that is used is busy all the time, so only the mean over the
     * channels distinguishes nodes. */
    state.load = run->info->packets > 0 ? CM_VIEW_LOAD_BUSIEST : CM_VIEW_LOAD_MEAN;
    cm_view_look_at_cube(&state, 1, 0.5, 0.5);
    state.compare = model->run_count > 1;
    if (state.compare && run->info->nodes >= 64) /* each run gets a third of the picture's width */
        state.focus = CM_VIEW_MACHINE;
    for (uint32_t i = run->info->arrays; i-- > 0;)
        if (cm_trace_array_at(run->trace, i)->placed)
            state.array = i;
    cm_view_zoom_all(model, &state);
    cm_view_go(model, &state, cm_view_first_movement(model, &state, 0, state.end));
    return state;
}

struct cm_view_mark cm_view_subject(const struct cm_view_state *state)
{
    return state->hover.kind != CM_VIEW_MARK_NONE && state->pin.kind == CM_VIEW_MARK_NONE
               ? state->hover
               : state->pin;
}

void cm_view_next_array(const struct cm_view_model *model, struct cm_view_state *state)
{
    uint32_t arrays = model->runs[state->run].info->arrays;
    state->array = arrays > 0 ? (state->array + 1) % arrays : 0;
}

void cm_view_next_run(const struct cm_view_model *model, struct cm_view_state *state)
{
    if (model->run_count < 2)
        return;
    bool all = state->first == 0 && state->end == cm_view_cycles(model, state);
    if (state->compare) {
        state->compare = false;
        state->run = 0;
    } else if (state->run == 0) {
        state->run = 1;
    } else {
        state->run = 0;
        state->compare = true;
    }
    if (state->array >= model->runs[state->run].info->arrays)
        state->array = 0;
    if (all)
        cm_view_zoom_all(model, state);
    else
        cm_view_zoom_to(model, state, state->first, state->end);
}

void cm_view_next_alignment(const struct cm_view_model *model, struct cm_view_state *state)
{
    bool all = state->first == 0 && state->end == cm_view_cycles(model, state);
    state->by_step = !state->by_step;
    if (all)
        cm_view_zoom_all(model, state);
    else
        cm_view_zoom_to(model, state, state->first, state->end);
}

void cm_view_next_focus(struct cm_view_state *state, int direction)
{
    unsigned step = direction < 0 ? CM_VIEW_PANEL_COUNT - 1 : 1;
    state->focus = (state->focus + step) % CM_VIEW_PANEL_COUNT;
    if (state->panel != CM_VIEW_ALL)
        state->panel = state->focus;
}

void cm_view_pin(struct cm_view_state *state, struct cm_view_mark mark)
{
    state->pin = cm_view_mark_equal(state->pin, mark) ? (struct cm_view_mark){0} : mark;
}

/* Returns the pinned node, or the node from which the pinned channel leads. Returns CM_TRACE_NONE
 * if nothing is pinned. */
static uint32_t pinned_node(const struct cm_view_run *run, const struct cm_view_state *state)
{
    uint32_t node = cm_view_mark_node(run, state->pin);
    return node < run->info->nodes ? node : CM_TRACE_NONE;
}

void cm_view_move_pin(const struct cm_view_model *model, struct cm_view_state *state, int columns,
                      int rows)
{
    const struct cm_view_run *run = &model->runs[state->run];
    uint32_t node = pinned_node(run, state), width, height, column, row;
    if (node == CM_TRACE_NONE) {
        state->pin = (struct cm_view_mark){CM_VIEW_MARK_NODE, state->run, 0};
        return;
    }
    cm_view_grid_size(run, &width, &height);
    cm_view_grid_place(run, node, &column, &row);
    column = (column + width + (uint32_t)(columns % (int)width)) % width;
    row = (row + height + (uint32_t)(rows % (int)height)) % height;
    state->pin =
        (struct cm_view_mark){CM_VIEW_MARK_NODE, state->run, cm_view_grid_node(run, column, row)};
}

void cm_view_next_channel(const struct cm_view_model *model, struct cm_view_state *state,
                          int direction)
{
    const struct cm_view_run *run = &model->runs[state->run];
    uint32_t each = run->info->dimensions * run->info->channels, place = 0;
    uint32_t node = pinned_node(run, state);
    if (each == 0)
        return;
    node = node != CM_TRACE_NONE ? node : 0;
    if (state->pin.kind == CM_VIEW_MARK_CHANNEL && state->pin.index < run->channel_count)
        place = (state->pin.index % each + (direction < 0 ? each - 1 : 1)) % each;
    state->pin = (struct cm_view_mark){CM_VIEW_MARK_CHANNEL, state->run, node * each + place};
}

void cm_view_pin_busiest(const struct cm_view_model *model, struct cm_view_state *state)
{
    const struct cm_view_run *run = &model->runs[state->run];
    uint64_t first, end, best_busy = 0;
    uint32_t best = CM_TRACE_NONE;
    cm_view_interval(model, state, &first, &end);
    const uint64_t *busy = cm_view_busy(run, first, end);
    /* If a channel is pinned, finds the next one, in order of falling busy cycles and rising
     * index. */
    bool follow = state->pin.kind == CM_VIEW_MARK_CHANNEL && state->pin.index < run->channel_count;
    for (uint32_t i = 0; i < run->channel_count; i++) {
        uint32_t dimension = i / run->info->channels % run->info->dimensions;
        if (state->hidden_dimensions >> dimension & 1)
            continue;
        uint64_t limit = follow ? busy[state->pin.index] : UINT64_MAX;
        bool after = !follow || busy[i] < limit || (busy[i] == limit && i > state->pin.index);
        if (after && busy[i] > best_busy) {
            best = i;
            best_busy = busy[i];
        }
    }
    if (best != CM_TRACE_NONE)
        state->pin = (struct cm_view_mark){CM_VIEW_MARK_CHANNEL, state->run, best};
}

void cm_view_next_load(struct cm_view_state *state)
{
    state->load = (state->load + 1) % CM_VIEW_LOAD_COUNT;
}

void cm_view_next_load_dimension(const struct cm_view_model *model, struct cm_view_state *state)
{
    uint32_t dimensions = cm_view_dimensions(model, state);
    if (state->load == CM_VIEW_LOAD_DIMENSION)
        state->load_dimension++;
    if (state->load_dimension >= dimensions)
        state->load_dimension = 0;
    state->load = CM_VIEW_LOAD_DIMENSION;
}

uint64_t cm_view_slices(const struct cm_view_model *model, const struct cm_view_state *state)
{
    const struct cm_view_run *run = &model->runs[state->run];
    if (state->array >= run->info->arrays)
        return 0;
    const struct cm_trace_array *array =
        cm_trace_array_then(run->trace, state->array, state->cycle);
    return array->rank >= 3 ? array->elements / (array->shape[0] * array->shape[1]) : 0;
}

bool cm_view_next_slice(const struct cm_view_model *model, struct cm_view_state *state,
                        int direction)
{
    uint64_t slices = cm_view_slices(model, state);
    if (slices == 0)
        return false;
    uint64_t last = state->slice < slices ? state->slice : slices;
    state->slice = direction > 0 ? (last < slices ? last + 1 : 0) : last > 0 ? last - 1 : slices;
    return true;
}
