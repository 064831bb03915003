/* The legend: the colour scale with its unit, phases and dimensions. A click on a phase or
 * dimension hides it in the panels. */
#include "draw_private.h"

#include <stdio.h>

#define HEIGHT 60
#define NARROW 1200 /* width of the picture in points below which the phases take two rows */
/* width in points below which the phases take three rows, if the picture is high enough */
#define SLIM         760
#define SMALL        540
#define TALL         460
#define ROW_HEIGHT   20
#define ROW_ONLY     32
#define SCALE_WIDTH  330
#define SCALE_NARROW 250 /* width in points of the colour scale next to several rows of phases */
#define SCALE_ROWS   216
#define SCALE_SMALL  200

/* Returns the height of the legend in points. A small picture has room for one row, with the scale
 * and the dimensions but no phases. Names of phases are never cut. */
static int height_in(const struct cm_room *room)
{
    if (room->w < SMALL || (room->w < SLIM && room->h < TALL))
        return ROW_ONLY;
    return HEIGHT + (room->w < NARROW ? 6 : 0) + (room->w < SLIM && room->h >= TALL ? 20 : 0);
}

/* Returns true if the phases take at least two rows. */
static bool is_narrow(const struct cm_frame *frame)
{
    return frame->place.h > 3 * ROW_HEIGHT;
}

static struct cm_view_rect scale_of(const struct cm_frame *frame)
{
    struct cm_view_rect scale = frame->place;
    int most = SCALE_WIDTH;
    if (scale.h <= ROW_ONLY)
        most = SCALE_SMALL;
    else if (is_narrow(frame) && frame->layout.columns < 3) /* a difference has a scale as well */
        most = scale.h > 4 * ROW_HEIGHT ? SCALE_ROWS : SCALE_NARROW;
    scale.w = scale.w < most ? scale.w : most;
    return scale;
}

static struct cm_view_rect phase_item(const struct cm_frame *frame, uint32_t phase)
{
    struct cm_view_rect place = frame->place;
    int left = place.x + scale_of(frame).w + 16, room = place.x + place.w - left;
    int rows = place.h > 4 * ROW_HEIGHT ? 3 : is_narrow(frame) ? 2 : 1;
    int in_row = (CM_TRACE_PHASE_COUNT + rows - 1) / rows;
    int each = room / in_row;
    each = place.h <= ROW_ONLY ? 0 : each > 100 ? 100 : each;
    return (struct cm_view_rect){left + (int)phase % in_row * each,
                                 place.y + 2 + (int)phase / in_row * (ROW_HEIGHT + 1),
                                 each > 8 ? each - 4 : 0, ROW_HEIGHT};
}

static struct cm_view_rect dimension_item(const struct cm_frame *frame, uint32_t dimension)
{
    struct cm_view_rect place = frame->place;
    int left = place.x + scale_of(frame).w + 16 + (is_narrow(frame) ? 0 : 84);
    int each = (place.x + place.w - left) / 12;
    each = each > 34 ? 34 : each;
    return (struct cm_view_rect){left + (int)dimension * each, place.y + place.h - ROW_HEIGHT,
                                 each > 8 ? each - 4 : 0, ROW_HEIGHT - 4};
}

/* Draws ticks with percentages at fixed parts of the scale, to the right of x or to the left. Ticks
 * that would overlap are left out. */
static void draw_ticks(const struct cm_frame *frame, double x, double w, double y, double sign)
{
    static const double parts[] = {0.01, 0.1, 0.25, 0.5, 1};
    double top = frame->top, last = -100;
    size_t count = sizeof parts / sizeof parts[0], least = w < 80 ? count - 1 : 0;
    for (size_t i = count; i-- > least;) { /* a short scale has a tick only at its end */
        double place = cm_view_scale_place(parts[i] * top, top, frame->state->linear);
        double at = x + sign * w * place;
        if (last > -100 && (at - last) * sign > -38)
            continue;
        last = at;
        cm_canvas_fill(&frame->canvas, at - (place == 1 && sign > 0), y, 1, 3, CM_VIEW_QUIET);
        cm_text(frame, (struct cm_text_place){CM_CENTRE, at - 30, y + 10, 60}, CM_VIEW_TEXT,
                "%s%.*g %%", sign < 0 ? "\xe2\x88\x92" : "", parts[i] < 1 ? 2 : 3,
                parts[i] * top * 100);
    }
}

enum bar {
    BAR_MAP,
    BAR_DIFFERENCE,
    BAR_LAMPS,
};

static uint32_t bar_colour(const struct cm_frame *frame, enum bar kind, double part)
{
    return kind == BAR_DIFFERENCE ? cm_view_difference_colour(frame->state->theme, 2 * part - 1)
           : kind == BAR_LAMPS    ? cm_view_lamp_colour(frame->state->theme, part)
                               : cm_view_colour(frame->state->theme, frame->state->colours, part);
}

static void draw_bar(const struct cm_frame *frame, double x, double w, double y, double h,
                     enum bar kind)
{
    const struct cm_canvas *canvas = &frame->canvas;
    int first = cm_canvas_pixel(canvas, x), columns = cm_canvas_pixel(canvas, x + w) - first;
    int top = cm_canvas_pixel(canvas, y), height = cm_canvas_pixel(canvas, y + h) - top;
    for (int i = 0; i < columns; i++)
        cm_canvas_fill_pixels(canvas, first + i, top, 1, height,
                              bar_colour(frame, kind, (i + 0.5) / columns));
}

/* Writes the meaning of the nodes' colours, with unit and top of their scale, and below it where
 * the scale of the channels ends. */
static void draw_unit(const struct cm_frame *frame, struct cm_view_rect place, bool difference)
{
    struct cm_shares nodes = cm_frame_nodes(frame);
    char top[48] = "";
    if (nodes.counts)
        snprintf(top, sizeof top, ", up to %s", cm_format_count((uint64_t)nodes.top).text);
    if (frame->state->panel != CM_VIEW_TIME)
        cm_text(frame, (struct cm_text_place){CM_LEFT, place.x + 4, place.y + 38, place.w},
                CM_VIEW_QUIET, "nodes: %s%s", cm_frame_load_title(frame).text, top);
    const char *scale = is_narrow(frame) || difference
                            ? "" /* the ticks show whether it is linear */
                        : frame->state->linear ? "; linear"
                                               : "; square-root";
    cm_text(frame, (struct cm_text_place){CM_LEFT, place.x + 4, place.y + 52, place.w},
            CM_VIEW_QUIET, "colours end at %s%s%s%s",
            frame->state->range == CM_VIEW_RANGE_ABSOLUTE ? "" : "the busiest, ",
            cm_percent_of(frame->top).text, scale, difference ? "; right: B \xe2\x88\x92 A" : "");
}

/* Draws the colour scale. If two runs are compared, draws the scale of the difference next to
 * it. */
static void draw_scale(const struct cm_frame *frame)
{
    struct cm_view_rect place = scale_of(frame);
    bool difference = frame->layout.columns == 3 && place.h > ROW_ONLY;
    double x = place.x + 56, y = place.y, w = difference ? 90 : place.w - 80;
    cm_canvas_frame(&frame->canvas, (struct cm_area){place.x + 4, y + 4, 11, 11}, 1,
                    CM_VIEW_OUTLINE);
    cm_text(frame, (struct cm_text_place){CM_LEFT, place.x + 20, y + 10, 34}, CM_VIEW_TEXT, "idle");
    draw_bar(frame, x, w, y + 4, 11, BAR_MAP);
    if (frame->state->machine == CM_VIEW_LAMPS)
        draw_bar(frame, x, w, y + 10, 5, BAR_LAMPS);
    draw_ticks(frame, x, w, y + 15, 1);
    if (difference) {
        double middle = x + w + 100;
        draw_bar(frame, middle - 50, 100, y + 4, 11, BAR_DIFFERENCE);
        draw_ticks(frame, middle, 50, y + 15, -1);
        draw_ticks(frame, middle, 50, y + 15, 1);
    }
    if (place.h > ROW_ONLY)
        draw_unit(frame, place, difference);
}

static void draw_phase(const struct cm_frame *frame, uint32_t number)
{
    enum cm_trace_phase phase = (enum cm_trace_phase)number;
    struct cm_view_rect item = phase_item(frame, number);
    bool hidden = frame->state->hidden_phases >> number & 1;
    double middle = item.y + item.h / 2.0;
    if (item.w <= 0)
        return;
    if (hidden)
        cm_canvas_frame(&frame->canvas, (struct cm_area){item.x, middle - 5, 10, 10}, 1,
                        CM_VIEW_OUTLINE);
    else
        cm_fill_phase(&frame->canvas,
                      (struct cm_view_rect){cm_canvas_pixel(&frame->canvas, item.x),
                                            cm_canvas_pixel(&frame->canvas, middle - 6),
                                            cm_canvas_pixel(&frame->canvas, 12),
                                            cm_canvas_pixel(&frame->canvas, 12)},
                      phase);
    double w = cm_text(frame, (struct cm_text_place){CM_LEFT, item.x + 16, middle, item.w - 16},
                       hidden ? CM_VIEW_QUIET : CM_VIEW_TEXT, "%s", cm_trace_phase_name(phase));
    if (hidden)
        cm_canvas_fill(&frame->canvas, item.x + 15, middle, w + 2, 1, CM_VIEW_QUIET);
}

static void draw_dimension(const struct cm_frame *frame, uint32_t dimension)
{
    struct cm_view_rect item = dimension_item(frame, dimension);
    bool hidden = frame->state->hidden_dimensions >> dimension & 1;
    if (item.w <= 0)
        return;
    if (!hidden)
        cm_canvas_fill(&frame->canvas, item.x, item.y, item.w, item.h, CM_VIEW_RAISED);
    cm_canvas_frame(&frame->canvas, (struct cm_area){item.x, item.y, item.w, item.h}, 1,
                    CM_VIEW_OUTLINE);
    cm_text(frame, (struct cm_text_place){CM_CENTRE, item.x - 4, item.y + item.h / 2.0, item.w + 8},
            hidden ? CM_VIEW_QUIET : CM_VIEW_TEXT, "%u", dimension);
    if (hidden)
        cm_canvas_line(&frame->canvas, (struct cm_point){item.x, item.y + item.h},
                       (struct cm_point){item.x + item.w, item.y}, 1, 0, CM_VIEW_QUIET);
}

static void draw_legend(const struct cm_frame *frame)
{
    struct cm_view_rect place = frame->place, first = dimension_item(frame, 0);
    cm_canvas_fill(&frame->canvas, place.x, place.y, place.w, place.h, CM_VIEW_GROUND);
    enum cm_view_panel panel = frame->state->panel;
    if (!frame->state->plain || panel != CM_VIEW_PHASES)
        draw_scale(frame);
    for (uint32_t i = 0; i < CM_TRACE_PHASE_COUNT; i++)
        if (!frame->state->plain || panel == CM_VIEW_PHASES || panel == CM_VIEW_ALL)
            draw_phase(frame, i);
    if (frame->state->plain)
        return;
    if (first.w > 0 && !is_narrow(frame))
        cm_text(frame, (struct cm_text_place){CM_LEFT, first.x - 84, first.y + first.h / 2.0, 80},
                CM_VIEW_QUIET, "dimensions");
    for (uint32_t d = 0; d < cm_view_dimensions(frame->model, frame->state); d++)
        draw_dimension(frame, d);
}

static void hit_legend(const struct cm_frame *frame, double x, double y, struct cm_view_hit *hit)
{
    if (cm_rect_has(scale_of(frame), x, y))
        hit->kind = CM_VIEW_HIT_SCALE;
    for (uint32_t i = 0; i < CM_TRACE_PHASE_COUNT; i++)
        if (cm_rect_has(phase_item(frame, i), x, y)) {
            hit->kind = CM_VIEW_HIT_PHASE;
            hit->phase = (enum cm_trace_phase)i;
        }
    for (uint32_t d = 0; d < cm_view_dimensions(frame->model, frame->state); d++)
        if (cm_rect_has(dimension_item(frame, d), x, y)) {
            hit->kind = CM_VIEW_HIT_DIMENSION;
            hit->dimension = d;
        }
}

const struct cm_panel cm_panel_legend = {
    .region = CM_REGION_BOTTOM,
    .compared = CM_REGION_BOTTOM,
    .height_in = height_in,
    .yields = 5,
    .draw = draw_legend,
    .hit = hit_legend,
};
