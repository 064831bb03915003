/* The panel of the sequencer's phases over time, with the steps of the workload above them. */
#include "draw_private.h"

#include <math.h>

#define AXIS 100 /* height in points of the strip from which it has a y axis */

/* Draws the phases of one column of pixels on top of each other, each as high as its share of the
 * column's cycles. */
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
            cm_fill_phase(&frame->canvas, (struct cm_view_rect){x, from, 1, to - from},
                          (enum cm_trace_phase)p);
    }
}

/* Neighbouring steps that are each too narrow to be drawn. */
struct step_group {
    double left, right;
    uint32_t first, end;
};

static void draw_step_group(const struct cm_frame *frame, struct step_group *group, double y)
{
    double w = group->right - group->left;
    if (group->end > group->first && w >= 1)
        cm_canvas_fill(&frame->canvas, group->left, y, w, 15, CM_VIEW_RULE);
    if (group->end > group->first && w > 60)
        cm_text(frame, (struct cm_text_place){CM_LEFT, group->left + 4, y + 7.5, w - 8},
                CM_VIEW_QUIET, "%s steps", cm_format_count(group->end - group->first).text);
    group->end = group->first;
}

static void draw_step(const struct cm_frame *frame, const struct cm_trace_step *step, double left,
                      double right, double y)
{
    cm_canvas_fill(&frame->canvas, left, y, right - left - 1, 15, CM_VIEW_RAISED);
    if (right - left > 30)
        cm_text(frame, (struct cm_text_place){CM_LEFT, left + 4, y + 7.5, right - left - 8},
                CM_VIEW_TEXT, "%s", step->op);
}

/* Draws the workload's steps. A run may have a hundred thousand steps, so neighbouring steps too
 * narrow to be drawn become one box with their number. */
static void draw_steps(const struct cm_frame *frame, const struct cm_strip *strip, double y)
{
    const struct cm_view_run *run = frame->run;
    uint64_t narrow = (uint64_t)((double)(strip->end - strip->first) / strip->w) + 1;
    struct step_group group = {.left = 0};
    for (uint64_t cycle = strip->first; cycle < strip->end;) {
        uint32_t number = cm_view_step_after(run, cycle);
        if (number == run->info->steps)
            break;
        const struct cm_trace_step *step = cm_trace_step_at(run->trace, number);
        double left = fmax(cm_strip_x(strip, step->first_cycle), strip->x);
        double right = fmin(cm_strip_x(strip, step->end_cycle), strip->x + strip->w);
        cycle = step->end_cycle > cycle + narrow ? step->end_cycle : cycle + narrow;
        if (right - left >= 2) {
            draw_step_group(frame, &group, y);
            draw_step(frame, step, left, right, y);
            continue;
        }
        if (group.end == group.first)
            group = (struct step_group){.left = left, .first = number};
        group.right = right;
        group.end = number + 1;
    }
    draw_step_group(frame, &group, y);
}

/* Writes the names of the phases over events that are wide enough. */
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
        const char *name = cm_trace_phase_name(event.phase);
        if (right - left < 44 || frame->state->hidden_phases >> event.phase & 1 ||
            cm_label_width_of(&frame->label, CM_LABEL_SMALL, name) > right - left - 4)
            continue;
        cm_text(frame, (struct cm_text_place){CM_CENTRE, left + 2, middle, right - left - 4},
                cm_view_ink_on(cm_view_phase_colour(frame->state->theme, event.phase)), "%s", name);
    }
}

static void draw_strip(const struct cm_frame *frame, const struct cm_view_run *run,
                       const struct cm_strip *strip, double top, double bottom)
{
    int first;
    uint32_t columns = cm_strip_columns(frame, strip, &first), parts = columns;
    if (columns == 0)
        return;
    const uint64_t *phases = cm_view_phases(run, strip->first, strip->end, &parts);
    for (uint32_t i = 0; i < columns; i++)
        draw_stack(frame, phases + (uint64_t)i * parts / columns * CM_TRACE_PHASE_COUNT,
                   first + (int)i, cm_canvas_pixel(&frame->canvas, top),
                   cm_canvas_pixel(&frame->canvas, bottom));
    name_events(frame, run, strip, (top + bottom) / 2);
}

/* Draws the y axis: parts of a column's cycles. */
static void draw_levels(const struct cm_frame *frame, double top, double bottom)
{
    for (int i = 0; i <= 4; i++) {
        double y = bottom - (bottom - top) * i / 4;
        cm_canvas_fill(&frame->canvas, frame->place.x + frame->layout.strip_left - 4, y, 4, 1,
                       CM_VIEW_QUIET);
        cm_text(frame,
                (struct cm_text_place){CM_RIGHT, frame->place.x, i == 4 ? y + 5 : y,
                                       frame->layout.strip_left - 8},
                CM_VIEW_QUIET, "%d %%", i * 25);
    }
}

static void draw_phases(const struct cm_frame *frame)
{
    struct cm_strip strip = cm_frame_strip(frame);
    double left = frame->place.x, names = frame->layout.strip_left - 8;
    double top = frame->inside.y + 18, bottom = frame->inside.y + frame->inside.h;
    cm_frame_panel(frame, "%s%s", frame->difference ? "A above B  " : cm_frame_column_name(frame),
                   frame->panel->title);
    if (strip.w < 8 || bottom - top < 8)
        return;
    cm_text(frame, (struct cm_text_place){CM_RIGHT, left, frame->inside.y + 7.5, names},
            CM_VIEW_TEXT, "step");
    if (bottom - top < AXIS || frame->difference)
        cm_text(frame, (struct cm_text_place){CM_RIGHT, left, (top + bottom) / 2, names},
                CM_VIEW_TEXT, "phase");
    else
        draw_levels(frame, top, bottom);
    draw_steps(frame, &strip, frame->inside.y);
    /* phases cannot be subtracted, so the difference column shows the two runs one above the
     * other */
    if (frame->difference) {
        double middle = floor((top + bottom) / 2);
        struct cm_strip first = strip;
        first.first = frame->times[0].axis_first;
        first.end = frame->times[0].axis_end;
        draw_strip(frame, &frame->model->runs[0], &first, top, middle - 1);
        draw_strip(frame, &frame->model->runs[1], &strip, middle + 1, bottom);
    } else {
        draw_strip(frame, frame->run, &strip, top, bottom);
    }
    cm_frame_cursor(frame, frame->inside.y, bottom);
}

const struct cm_panel cm_panel_phases = {
    .title = "What the sequencer does",
    .about = "Steps of the workload, and what the sequencer does in them.",
    .keys = "E 1 Tab Return",
    .region = CM_REGION_STRIPS,
    .compared = CM_REGION_STRIPS,
    .height = 92,
    .yields = 2,
    .draw = draw_phases,
    .hit = cm_hit_strip,
};
