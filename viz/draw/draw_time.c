/* Strips over time: a row for each dimension, and what the sequencer does, with the steps of the
 * workload above it. */
#include "draw_private.h"

#include <math.h>
#include <stdio.h>

double cm_time_row(const struct cm_frame *frame, struct cm_view_rect place, uint32_t dimension,
                   double *height)
{
    struct cm_view_rect inside = cm_panel_inside(place);
    uint32_t dimensions = cm_frame_dimensions(frame);
    *height = dimensions > 0 ? floor((double)inside.h / dimensions) : inside.h;
    return inside.y + dimension * *height;
}

static void label_rows(const struct cm_frame *frame, struct cm_view_rect place,
                       const struct cm_view_run *run)
{
    for (uint32_t d = 0; d < run->info->dimensions; d++) {
        double height, y = cm_time_row(frame, place, d, &height);
        bool hidden = frame->state->hidden_dimensions >> d & 1;
        if (height >= 11 || d % 2 == 0)
            cm_label_print(&frame->label, CM_LABEL_SMALL, CM_LABEL_RIGHT, place.x, y + height / 2,
                           frame->layout.strip_left - 8, hidden ? CM_VIEW_QUIET : CM_VIEW_TEXT,
                           "dim %u", d);
    }
}

/* Two bands a row: the busiest channel of the dimension above, the mean of them all below. */
static void draw_band(const struct cm_frame *frame, uint32_t column, int x, double y, double height,
                      float max, float mean)
{
    const struct cm_canvas *canvas = &frame->canvas;
    int top = cm_canvas_pixel(canvas, y), bottom = cm_canvas_pixel(canvas, y + height - 1);
    int split = top + (bottom - top) * 2 / 5;
    uint32_t colour = cm_frame_colour(frame, column, (double)max);
    if (colour != 0)
        cm_canvas_fill_pixels(canvas, x, top, 1, split - top, colour);
    colour = cm_frame_colour(frame, column, (double)mean);
    if (colour != 0)
        cm_canvas_fill_pixels(canvas, x, split, 1, bottom - split, colour);
}

void cm_draw_time(const struct cm_frame *frame, uint32_t column)
{
    struct cm_view_rect place = frame->layout.place[column][CM_VIEW_TIME];
    const struct cm_view_run *run = cm_frame_run(frame, column);
    char title[160];
    snprintf(title, sizeof title, "%s%s: %s", cm_frame_column_name(frame, column),
             cm_view_panel_title(CM_VIEW_TIME),
             place.w > 480 ? "busiest channel (above), mean (below)" : "largest above mean");
    cm_frame_panel(frame, place, CM_VIEW_TIME, title);
    struct cm_strip strip = cm_frame_strip(frame, place);
    int first;
    uint32_t columns = cm_strip_columns(frame, &strip, &first);
    bool difference = cm_frame_is_difference(frame, column);
    if (difference && !cm_frame_comparable(frame)) {
        cm_frame_say_incomparable(frame, place);
        return;
    }
    if (columns == 0)
        return;
    uint32_t parts = columns;
    const struct cm_trace_use *use = cm_view_use(run, strip.first, strip.end, &parts);
    const struct cm_trace_use *minus =
        difference ? cm_view_use(&frame->model->runs[0], strip.first, strip.end, &parts) : NULL;
    double height = 0, y = 0;
    for (uint32_t d = 0; d < run->info->dimensions; d++) {
        y = cm_time_row(frame, place, d, &height);
        cm_canvas_fill(&frame->canvas, strip.x, y + height - 1, strip.w, 1, CM_VIEW_RULE);
        if (frame->state->hidden_dimensions >> d & 1)
            continue;
        for (uint32_t i = 0; i < columns; i++) {
            size_t part = (size_t)d * parts + (size_t)((uint64_t)i * parts / columns);
            struct cm_trace_use at = use[part];
            if (minus != NULL) {
                at.max -= minus[part].max;
                at.mean -= minus[part].mean;
            }
            draw_band(frame, column, first + (int)i, y, height, at.max, at.mean);
        }
    }
    label_rows(frame, place, run);
    struct cm_view_rect inside = cm_panel_inside(place);
    cm_frame_cursor(frame, place, inside.y, y + height);
}

/* Phases stacked in a column of pixels, by their share of its cycles. */
static void draw_stack(const struct cm_frame *frame, const uint64_t *cycles, int x, int top,
                       int bottom)
{
    uint64_t sum = 0, below = 0;
    for (unsigned p = 0; p < CM_TRACE_PHASE_COUNT; p++)
        sum += cycles[p];
    for (unsigned p = 0; p < CM_TRACE_PHASE_COUNT && sum > 0; p++) {
        if (cycles[p] == 0)
            continue;
        int from = top + (int)((double)(bottom - top) * (double)below / (double)sum);
        below += cycles[p];
        int to = top + (int)((double)(bottom - top) * (double)below / (double)sum);
        if (!(frame->state->hidden_phases >> p & 1))
            cm_canvas_fill_pixels(&frame->canvas, x, from, 1, to - from,
                                  cm_view_phase_colour((enum cm_trace_phase)p));
    }
}

/* The first step that ends after a cycle; the number of steps: none. */
static uint32_t step_after(const struct cm_view_run *run, uint64_t cycle)
{
    uint32_t low = 0, high = run->info->steps;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (cm_trace_step_at(run->trace, middle)->end_cycle > cycle)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* A run may have a hundred thousand steps: those that are too narrow to see are jumped over. */
static void draw_steps(const struct cm_frame *frame, const struct cm_view_run *run,
                       const struct cm_strip *strip, double y)
{
    uint64_t narrow = (uint64_t)((double)(strip->end - strip->first) / strip->w) + 1;
    for (uint64_t cycle = strip->first; cycle < strip->end;) {
        uint32_t number = step_after(run, cycle);
        if (number == run->info->steps)
            return;
        const struct cm_trace_step *step = cm_trace_step_at(run->trace, number);
        double left = fmax(cm_strip_x(strip, step->first_cycle), strip->x);
        double right = fmin(cm_strip_x(strip, step->end_cycle), strip->x + strip->w);
        cycle = step->end_cycle > cycle + narrow ? step->end_cycle : cycle + narrow;
        if (right - left < 2)
            continue;
        cm_canvas_fill(&frame->canvas, left, y, right - left - 1, 15, CM_VIEW_RAISED);
        if (right - left > 30)
            cm_label_draw(&frame->label, CM_LABEL_SMALL, CM_LABEL_LEFT, left + 4, y + 7.5,
                          right - left - 8, CM_VIEW_TEXT, step->op);
    }
}

/* Instructions that are wide enough get their name. */
static void name_events(const struct cm_frame *frame, const struct cm_view_run *run,
                        const struct cm_strip *strip, double middle)
{
    struct cm_trace_cursor cursor = cm_trace_seek(run->trace, strip->first);
    struct cm_trace_event event;
    if ((double)(strip->end - strip->first) > strip->w * 8)
        return;
    for (int i = 0; i < 400 && cm_trace_next(&cursor, &event); i++) {
        if (event.first_cycle >= strip->end)
            return;
        double left = fmax(cm_strip_x(strip, event.first_cycle), strip->x);
        double right = fmin(cm_strip_x(strip, event.end_cycle), strip->x + strip->w);
        if (right - left < 44 || frame->state->hidden_phases >> event.phase & 1)
            continue;
        const char *name = cm_trace_phase_name(event.phase);
        if (cm_label_width_of(&frame->label, CM_LABEL_SMALL, name) > right - left - 4)
            continue;
        uint32_t ground = cm_view_phase_colour(event.phase);
        cm_label_draw(&frame->label, CM_LABEL_SMALL, CM_LABEL_CENTRE, left + 2, middle,
                      right - left - 4, cm_view_ink_on(ground), name);
    }
}

static void draw_strip(const struct cm_frame *frame, uint32_t column, const struct cm_strip *strip,
                       double top, double bottom)
{
    const struct cm_view_run *run = cm_frame_run(frame, column);
    int first;
    uint32_t columns = cm_strip_columns(frame, strip, &first);
    if (columns == 0)
        return;
    uint32_t parts = columns;
    const uint64_t *phases = cm_view_phases(run, strip->first, strip->end, &parts);
    for (uint32_t i = 0; i < columns; i++)
        draw_stack(frame, phases + (uint64_t)i * parts / columns * CM_TRACE_PHASE_COUNT,
                   first + (int)i, cm_canvas_pixel(&frame->canvas, top),
                   cm_canvas_pixel(&frame->canvas, bottom));
    name_events(frame, run, strip, (top + bottom) / 2);
}

void cm_draw_phases(const struct cm_frame *frame, uint32_t column)
{
    struct cm_view_rect place = frame->layout.place[column][CM_VIEW_PHASES];
    char title[160];
    bool difference = cm_frame_is_difference(frame, column);
    snprintf(title, sizeof title, "%s%s",
             difference ? "A above B  " : cm_frame_column_name(frame, column),
             cm_view_panel_title(CM_VIEW_PHASES));
    struct cm_view_rect inside = cm_frame_panel(frame, place, CM_VIEW_PHASES, title);
    struct cm_strip strip = cm_frame_strip(frame, place);
    double top = inside.y + 18, bottom = inside.y + inside.h;
    if (strip.w < 8 || bottom - top < 8)
        return;
    cm_label_draw(&frame->label, CM_LABEL_SMALL, CM_LABEL_RIGHT, place.x, inside.y + 7.5,
                  frame->layout.strip_left - 8, CM_VIEW_TEXT, "step");
    cm_label_draw(&frame->label, CM_LABEL_SMALL, CM_LABEL_RIGHT, place.x, (top + bottom) / 2,
                  frame->layout.strip_left - 8, CM_VIEW_TEXT, "phase");
    draw_steps(frame, cm_frame_run(frame, column), &strip, inside.y);
    if (difference) { /* phases have no difference: the two strips one above the other */
        double middle = floor((top + bottom) / 2);
        draw_strip(frame, 0, &strip, top, middle - 1);
        draw_strip(frame, 1, &strip, middle + 1, bottom);
    } else {
        draw_strip(frame, column, &strip, top, bottom);
    }
    cm_frame_cursor(frame, place, inside.y, bottom);
}
