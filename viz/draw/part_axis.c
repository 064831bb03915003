/* The time axis, which belongs to all time strips. */
#include "draw_private.h"

#include <math.h>

/* Name of the first exchange on the axis. Ticks that it would cover have no numbers. */
struct name {
    const char *text;
    double x, w; /* place. The width is 0 if the name is not shown */
};

static void draw_tick(const struct cm_frame *frame, double x, uint64_t cycle,
                      const struct name *name)
{
    struct cm_view_rect place = frame->place;
    struct cm_formatted number = cm_format_count(cycle);
    double half = cm_label_width_of(&frame->label, CM_LABEL_SMALL, number.text) / 2 + 1;
    double left = fmax(x - half, place.x + frame->layout.strip_left - 3);
    bool covered = left < name->x + name->w && name->x < left + 2 * half;
    cm_canvas_fill(&frame->canvas, x, place.y, 1, 4, CM_VIEW_OUTLINE);
    if (left + 2 * half <= place.x + place.w && !(name->w > 0 && covered))
        cm_text(frame, (struct cm_text_place){CM_LEFT, left, place.y + 13, 2 * half}, CM_VIEW_QUIET,
                "%s", number.text);
}

/* Marks the first exchange, where words begin to move. The mark has a name while the cursor is at
 * the beginning of the run. Returns the name. */
static struct name draw_first_exchange(const struct cm_frame *frame, const struct cm_strip *strip)
{
    struct name name = {.text = "first exchange: Ctrl+Right"};
    uint64_t cycle = cm_trace_find_exchange(frame->run->trace, 0, 1);
    struct cm_view_rect place = frame->place;
    if (cycle < strip->first || cycle >= strip->end || frame->state->plain)
        return name;
    double x = cm_strip_x(strip, cycle), y = place.y + 9;
    uint32_t colour = cm_view_phase_colour(frame->state->theme, CM_TRACE_EXCHANGE);
    cm_canvas_triangle(&frame->canvas, (struct cm_point){x - 3.5, y}, (struct cm_point){x + 4.5, y},
                       (struct cm_point){x + 0.5, y - 8}, colour);
    double w = cm_label_width_of(&frame->label, CM_LABEL_SMALL, name.text) + 6;
    name.x = x + 7 + w > place.x + place.w ? x - w - 6 : x + 7;
    if (frame->cursor == 0 && name.x >= strip->x)
        name.w = w;
    return name;
}

static void draw_axis(const struct cm_frame *frame)
{
    struct cm_view_rect place = frame->place;
    struct cm_strip strip = cm_frame_strip(frame);
    const struct cm_canvas *canvas = &frame->canvas;
    if (strip.w < 20)
        return;
    cm_canvas_fill(canvas, place.x, place.y, place.w, place.h, CM_VIEW_GROUND);
    cm_text(frame,
            (struct cm_text_place){CM_RIGHT, place.x, place.y + 12, frame->layout.strip_left - 8},
            CM_VIEW_QUIET, "cycle");
    cm_canvas_fill(canvas, strip.x, place.y, strip.w, 1, CM_VIEW_OUTLINE);
    struct name name = draw_first_exchange(frame, &strip);
    uint64_t step = cm_tick_step(strip.end - strip.first, (uint64_t)(strip.w / 90) + 1);
    for (uint64_t at = (strip.first + step - 1) / step * step; at < strip.end; at += step)
        draw_tick(frame, cm_strip_x(&strip, at), at, &name);
    if (name.w > 0)
        cm_text(frame, (struct cm_text_place){CM_LEFT, name.x + 3, place.y + 13, name.w},
                CM_VIEW_TEXT, "%s", name.text);
    if (frame->state->plain)
        return;
    cm_frame_cursor(frame, place.y, place.y + 6);
    double x = cm_strip_x(&strip, frame->cursor), y = place.y;
    if (frame->cursor < strip.first) /* an arrow points towards a cursor outside the axis */
        cm_text(frame, (struct cm_text_place){CM_LEFT, strip.x - 10, y + 5, 12}, CM_VIEW_CURSOR,
                "\xe2\x86\x90");
    else if (frame->cursor >= strip.end)
        cm_text(frame, (struct cm_text_place){CM_LEFT, strip.x + strip.w - 1, y + 5, 12},
                CM_VIEW_CURSOR, "\xe2\x86\x92");
    if (x >= strip.x && x <= strip.x + strip.w)
        cm_canvas_triangle(canvas, (struct cm_point){x - 4, y}, (struct cm_point){x + 5, y},
                           (struct cm_point){x + 0.5, y + 7}, CM_VIEW_CURSOR);
}

const struct cm_panel cm_panel_axis = {
    .region = CM_REGION_AXIS,
    .compared = CM_REGION_AXIS,
    .height = 22,
    .yields = 7,
    .draw = draw_axis,
    .hit = cm_hit_strip,
};
