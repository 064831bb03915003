/* Draws the words of an exchange, which move along the channels of the cube. */
#include "packets.h"

#include <math.h>

static void draw_word(const struct cm_frame *frame, const struct cm_cube *cube, uint32_t channel,
                      double part)
{
    struct cm_view_channel at = cm_view_channel_parts(frame->run, channel);
    uint32_t to = at.node ^ UINT32_C(1) << at.dimension;
    double radius = fmin(fmax(cube->lane * 0.6, 2), 4);
    struct cm_point line[4];
    uint32_t points = cm_cube_lane(cube, at.node, at.dimension, at.channel, line);
    struct cm_point place = cm_point_along(line, points, 0.1 + 0.8 * part);
    uint32_t back = cm_view_theme_colour(frame->state->theme, CM_VIEW_BACK);
    bool pinned = cm_frame_is_subject(frame, CM_VIEW_MARK_CHANNEL, channel);
    cm_canvas_disc(&frame->canvas, place, radius + (pinned ? 2.5 : 1),
                   pinned ? cm_view_theme_colour(frame->state->theme, CM_VIEW_PIN) : back);
    cm_canvas_disc(&frame->canvas, place, radius, cm_tint_colour(frame, at.node, to, 1, part));
}

void cm_draw_words_on_cube(const struct cm_frame *frame, const struct cm_cube *cube)
{
    const struct cm_trace_info *info = frame->run->info;
    struct cm_trace_event event;
    if (frame->difference || frame->state->span != CM_VIEW_SPAN_NOW ||
        !cm_view_event(frame->run, frame->cursor, &event) || event.first_cycle > frame->cursor ||
        event.phase != CM_TRACE_EXCHANGE || event.pattern == CM_TRACE_NONE)
        return;
    double length = (double)(event.end_cycle - event.first_cycle);
    double part = (double)(frame->cursor - event.first_cycle) / (length > 0 ? length : 1);
    for (uint32_t i = 0; i < cube->count; i++) {
        uint32_t node = cm_cube_member(cube, i);
        uint64_t slots = cm_trace_pattern_slots(frame->run->trace, event.pattern, node);
        for (uint32_t d = 0; d < cube->dimensions; d++)
            for (uint32_t c = 0; c < cube->channels; c++)
                if (cm_cube_joins(cube, node, d) &&
                    slots >> cm_slot_of_channel(info->slots, d, c) & 1 &&
                    !(frame->state->hidden_dimensions >> d & 1))
                    draw_word(frame, cube, cm_view_channel_index(frame->run, node, d, c), part);
    }
}
