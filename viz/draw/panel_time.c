/* The panel of dimensions over time: a row for each dimension. Its upper part shows the busiest
 * channel, its lower part the mean over all channels. */
#include "draw_private.h"

#include <math.h>
#include <stdio.h>

#define ROW_LEAST 8

static int height_in(const struct cm_room *room)
{
    int row = room->dimensions > 0 ? room->column * 22 / 100 / room->dimensions : 0;
    int most = room->compare ? 14 : 22;
    row = row < ROW_LEAST ? ROW_LEAST : row > most ? most : row;
    return CM_TITLE_HEIGHT + 14 + room->dimensions * row;
}

/* Returns the y coordinate of a dimension's row, and sets *height to the row's height. */
static double row_of(const struct cm_frame *frame, uint32_t dimension, double *height)
{
    uint32_t dimensions = cm_view_dimensions(frame->model, frame->state);
    *height = dimensions > 0 ? floor((double)frame->inside.h / dimensions) : frame->inside.h;
    return frame->inside.y + dimension * *height;
}

static void label_rows(const struct cm_frame *frame)
{
    for (uint32_t d = 0; d < frame->run->info->dimensions; d++) {
        double height, y = row_of(frame, d, &height);
        bool hidden = frame->state->hidden_dimensions >> d & 1;
        if (height >= 11 || d % 2 == 0)
            cm_text(frame,
                    (struct cm_text_place){CM_RIGHT, frame->place.x, y + height / 2,
                                           frame->layout.strip_left - 8},
                    hidden ? CM_VIEW_QUIET : CM_VIEW_TEXT, "dim %u", d);
    }
}

/* Columns of a row: top and bottom in pixels, and the share at which the colour scale ends. */
struct band {
    int top, bottom;
    double most;
};

static void draw_band(const struct cm_frame *frame, int x, const struct band *band, float share)
{
    uint32_t colour = cm_frame_colour_to(frame, (double)share, band->most);
    if (colour != 0)
        cm_canvas_fill_pixels(&frame->canvas, x, band->top, 1, band->bottom - band->top, colour);
}

/* Row of a dimension with `parts` values, and the row of the first run with `less` values, which is
 * subtracted from it (NULL: no difference). */
struct row {
    uint32_t dimension;
    const struct cm_trace_use *use, *minus;
    uint32_t parts, less;
    double most; /* share at which the colour scale ends */
};

static void draw_row(const struct cm_frame *frame, const struct cm_strip *strip,
                     const struct row *row)
{
    int first;
    uint32_t columns = cm_strip_columns(frame, strip, &first);
    double height, y = row_of(frame, row->dimension, &height);
    int top = cm_canvas_pixel(&frame->canvas, y);
    int bottom = cm_canvas_pixel(&frame->canvas, y + height - 1);
    int split = top + (bottom - top) * 2 / 5;
    struct band upper = {top, split, row->most}, lower = {split, bottom, row->most};
    for (uint32_t i = 0; i < columns; i++) {
        struct cm_trace_use at = row->use[(uint64_t)i * row->parts / columns];
        if (row->minus != NULL) {
            const struct cm_trace_use *minus = &row->minus[(uint64_t)i * row->less / columns];
            at.max -= minus->max;
            at.mean -= minus->mean;
        }
        draw_band(frame, first + (int)i, &upper, at.max);
        draw_band(frame, first + (int)i, &lower, at.mean);
    }
}

static void draw_time(const struct cm_frame *frame)
{
    struct cm_strip strip = cm_frame_strip(frame);
    int first;
    uint32_t parts = cm_strip_columns(frame, &strip, &first), less = parts;
    double most = cm_view_scale_top(frame->model, frame->state->range,
                                    (strip.end - strip.first) / (parts > 0 ? parts : 1));
    char end[40] = "";
    if (frame->place.w > (frame->difference ? 320 : 290))
        snprintf(end, sizeof end, ", up to %.20s", cm_percent_of(most).text);
    cm_frame_panel(frame, "%s%s%s%s", cm_frame_column_name(frame), frame->panel->title,
                   frame->place.w > 520 ? ": busiest channel (above), mean (below)" : "", end);
    if (cm_frame_say_incomparable(frame) || parts == 0)
        return;
    const struct cm_trace_use *use = cm_view_use(frame->run, strip.first, strip.end, &parts);
    const struct cm_trace_use *minus =
        frame->difference ? cm_view_use(&frame->model->runs[0], frame->times[0].axis_first,
                                        frame->times[0].axis_end, &less)
                          : NULL;
    double height = 0, bottom = 0;
    for (uint32_t d = 0; d < frame->run->info->dimensions; d++) {
        bottom = row_of(frame, d, &height) + height;
        cm_canvas_fill(&frame->canvas, strip.x, bottom - 1, strip.w, 1, CM_VIEW_RULE);
        if (!(frame->state->hidden_dimensions >> d & 1))
            draw_row(frame, &strip,
                     &(struct row){d, use + (size_t)d * parts,
                                   minus != NULL ? minus + (size_t)d * less : NULL, parts, less,
                                   most});
    }
    label_rows(frame);
    cm_frame_cursor(frame, frame->inside.y, bottom);
}

static void hit_time(const struct cm_frame *frame, double x, double y, struct cm_view_hit *hit)
{
    cm_hit_strip(frame, x, y, hit);
    for (uint32_t d = 0; d < frame->run->info->dimensions; d++) {
        double height, top = row_of(frame, d, &height);
        if (y < top || y >= top + height)
            continue;
        hit->dimension = d;
        if (hit->kind == CM_VIEW_HIT_NOTHING && x < frame->place.x + frame->layout.strip_left)
            hit->kind = CM_VIEW_HIT_DIMENSION;
    }
}

const struct cm_panel cm_panel_time = {
    .title = "Dimensions over time",
    .about = "Loads of each dimension over time: its busiest channel, and the mean.",
    .keys = "F1 W Tab Return",
    .region = CM_REGION_STRIPS,
    .compared = CM_REGION_STRIPS,
    .height_in = height_in,
    .yields = 6,
    .draw = draw_time,
    .hit = hit_time,
};
