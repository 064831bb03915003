/* Draws the whole picture, and finds the object at a pixel, by calling the functions of each panel
 * with the panel's place in the layout. */
#include "draw_private.h"

#include <math.h>

/* Returns the times of a run. */
static struct cm_times times_of(const struct cm_frame *frame, uint32_t run)
{
    const struct cm_view_state *state = frame->state;
    struct cm_times times = {
        .axis_first = state->first, .axis_end = state->end, .cursor = state->cycle};
    cm_view_interval(frame->model, state, &times.first, &times.end);
    if (frame->layout.columns < 3 || !state->by_step || run == 0)
        return times;
    uint64_t *each[] = {&times.axis_first, &times.axis_end, &times.first, &times.end,
                        &times.cursor};
    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        *each[i] = cm_view_aligned(frame->model, 0, run, *each[i]);
    if (times.axis_end <= times.axis_first)
        times.axis_end = times.axis_first + 1;
    if (times.end <= times.first)
        times.end = times.first + 1;
    return times;
}

/* Sets the times of all runs. The time axes of two runs are equally long, so that equal lengths in
 * the picture are equal times. */
static void set_times(struct cm_frame *frame)
{
    uint64_t longest = 0;
    for (uint32_t i = 0; i < frame->model->run_count; i++) {
        struct cm_times *times = &frame->times[i];
        *times = times_of(frame, i);
        longest = times->axis_end - times->axis_first > longest
                      ? times->axis_end - times->axis_first
                      : longest;
    }
    for (uint32_t i = 0; i < frame->model->run_count; i++)
        frame->times[i].axis_end = frame->times[i].axis_first + longest;
}

static void begin(struct cm_frame *frame, const struct cm_view_model *model,
                  const struct cm_view_state *state, const struct cm_view_target *target)
{
    *frame = (struct cm_frame){.model = model, .state = state, .target = target};
    frame->canvas = cm_canvas_of(target, state->theme);
    frame->label = (struct cm_label){&frame->canvas, target->fonts};
    frame->layout = cm_view_lay_out(model, state, (int)(target->w / frame->canvas.scale),
                                    (int)(target->h / frame->canvas.scale));
    set_times(frame);
}

/* Prepares the frame for drawing one panel or part of a column. */
static void enter(struct cm_frame *frame, uint32_t column, uint32_t part)
{
    bool compare = frame->layout.columns == 3;
    struct cm_view_rect place = frame->layout.place[column][part];
    frame->panel = cm_panels[part];
    frame->place = place;
    frame->inside = (struct cm_view_rect){place.x + 8, place.y + CM_TITLE_HEIGHT + 4, place.w - 16,
                                          place.h - CM_TITLE_HEIGHT - 10};
    frame->column = column;
    frame->run = &frame->model->runs[!compare ? frame->state->run : column == 0 ? 0 : 1];
    frame->difference = compare && column == 2;
    const struct cm_times *times = &frame->times[frame->run - frame->model->runs];
    frame->first = times->first;
    frame->end = times->end;
    frame->axis_first = times->axis_first;
    frame->axis_end = times->axis_end;
    frame->cursor = times->cursor;
}

/* Returns the largest busy fraction of a channel in the column's interval. */
static double busiest_share(const struct cm_frame *frame)
{
    const uint64_t *busy = cm_view_busy(frame->run, frame->first, frame->end);
    uint64_t most = 0;
    for (uint32_t i = 0; i < frame->run->channel_count; i++)
        most = busy[i] > most ? busy[i] : most;
    return (double)most / (double)(frame->end - frame->first);
}

/* Sets the end of the colour scale. An interval that begins within a part of the run may be busier
 * than all parts. While the run plays, this would make the scale flicker, so it is ignored. */
static void set_top(struct cm_frame *frame)
{
    const struct cm_view_state *state = frame->state;
    double top = 0;
    for (uint32_t c = 0; c < frame->layout.columns && c < 2; c++) {
        enter(frame, c, CM_VIEW_PART_HEADER);
        top = fmax(top, cm_view_scale_top(frame->model, state->range, frame->end - frame->first));
        if (!state->playing && state->range == CM_VIEW_RANGE_BUSIEST)
            top = fmax(top, busiest_share(frame));
    }
    if (state->panel == CM_VIEW_TIME) { /* the legend is that of the strips */
        int first;
        enter(frame, 0, CM_VIEW_TIME);
        struct cm_strip strip = cm_frame_strip(frame);
        uint32_t columns = cm_strip_columns(frame, &strip, &first);
        top = cm_view_scale_top(frame->model, state->range,
                                (strip.end - strip.first) / (columns > 0 ? columns : 1));
    }
    frame->top = top;
}

void cm_view_draw(const struct cm_view_model *model, const struct cm_view_state *state,
                  const struct cm_view_target *target)
{
    struct cm_frame frame;
    if (target->w <= 0 || target->h <= 0)
        return;
    begin(&frame, model, state, target);
    set_top(&frame);
    cm_canvas_fill_pixels(&frame.canvas, 0, 0, target->w, target->h,
                          state->plain ? CM_VIEW_GROUND : CM_VIEW_BACK);
    for (uint32_t c = 0; c < frame.layout.columns; c++)
        for (uint32_t part = 0; part < CM_VIEW_PART_COUNT; part++) {
            enter(&frame, c, part);
            if (frame.place.w > 0 && frame.place.h > 0)
                frame.panel->draw(&frame);
        }
    if (state->pointed.shown && state->pointed.column < frame.layout.columns &&
        state->pointed.part < CM_VIEW_PART_COUNT) {
        enter(&frame, state->pointed.column, state->pointed.part);
        cm_draw_readout(&frame);
    }
    if (state->tip.part > 0 && state->tip.column < frame.layout.columns &&
        state->tip.part <= CM_VIEW_PART_COUNT) {
        enter(&frame, state->tip.column, state->tip.part - 1);
        cm_draw_tip(&frame);
    }
    if (state->help)
        cm_draw_help(&frame);
}

struct cm_view_hit cm_view_hit(const struct cm_view_model *model, const struct cm_view_state *state,
                               const struct cm_view_target *target, int x, int y)
{
    struct cm_view_hit hit = {.kind = CM_VIEW_HIT_NOTHING, .part = CM_VIEW_PART_COUNT};
    struct cm_frame frame;
    begin(&frame, model, state, target);
    double px = (x + 0.5) / frame.canvas.scale, py = (y + 0.5) / frame.canvas.scale;
    for (uint32_t c = 0; c < frame.layout.columns; c++)
        for (uint32_t part = 0; part < CM_VIEW_PART_COUNT; part++) {
            if (!cm_rect_has(frame.layout.place[c][part], px, py))
                continue;
            hit.part = part;
            hit.column = c;
            enter(&frame, c, part);
            hit.title = frame.panel->title != NULL && py < frame.place.y + CM_TITLE_HEIGHT;
            if (frame.panel->hit != NULL)
                frame.panel->hit(&frame, px, py, &hit);
            return hit;
        }
    return hit;
}
