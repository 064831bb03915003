/* The whole picture: panels where the layout puts them; and what all panels use: runs, shares,
 * colours, titles, time. */
#include "draw_private.h"

#include <stdio.h>

#define TITLE_HEIGHT 20

void cm_frame_begin(struct cm_frame *frame, const struct cm_view_model *model,
                    const struct cm_view_state *state, const struct cm_view_target *target)
{
    *frame = (struct cm_frame){.model = model, .state = state, .target = target};
    frame->canvas = cm_canvas_of(target);
    frame->label = (struct cm_label){&frame->canvas, target->fonts};
    frame->layout = cm_view_lay_out(model, state, (int)(target->w / frame->canvas.scale),
                                    (int)(target->h / frame->canvas.scale));
    cm_view_interval(model, state, &frame->first, &frame->end);
}

const struct cm_view_run *cm_frame_run(const struct cm_frame *frame, uint32_t column)
{
    if (frame->layout.columns == 1)
        return &frame->model->runs[frame->state->run];
    return &frame->model->runs[column == 0 ? 0 : 1];
}

bool cm_frame_is_difference(const struct cm_frame *frame, uint32_t column)
{
    return frame->layout.columns == 3 && column == 2;
}

bool cm_frame_comparable(const struct cm_frame *frame)
{
    const struct cm_view_run *runs = frame->model->runs;
    return frame->model->run_count == 2 && runs[0].channel_count == runs[1].channel_count &&
           runs[0].info->nodes == runs[1].info->nodes &&
           runs[0].info->channels == runs[1].info->channels;
}

uint32_t cm_frame_dimensions(const struct cm_frame *frame)
{
    const struct cm_view_run *runs = frame->model->runs;
    uint32_t dimensions = runs[frame->state->run].info->dimensions;
    for (uint32_t i = 0; i < frame->model->run_count && frame->layout.columns == 3; i++)
        dimensions = runs[i].info->dimensions > dimensions ? runs[i].info->dimensions : dimensions;
    return dimensions;
}

void cm_frame_say_incomparable(const struct cm_frame *frame, struct cm_view_rect place)
{
    cm_label_draw(&frame->label, CM_LABEL_BODY, CM_LABEL_CENTRE, place.x, place.y + place.h / 2.0,
                  place.w, CM_VIEW_QUIET, "the two machines differ: nothing to subtract");
}

struct cm_shares cm_frame_channels(const struct cm_frame *frame, uint32_t column)
{
    struct cm_shares shares = {.length = (double)(frame->end - frame->first)};
    shares.busy = cm_view_busy(cm_frame_run(frame, column), frame->first, frame->end);
    if (cm_frame_is_difference(frame, column))
        shares.minus = cm_view_busy(&frame->model->runs[0], frame->first, frame->end);
    return shares;
}

struct cm_shares cm_frame_nodes(const struct cm_frame *frame, uint32_t column)
{
    uint32_t hidden = frame->state->hidden_dimensions;
    struct cm_shares shares = {.length = (double)(frame->end - frame->first)};
    shares.busy = cm_view_node_busy(cm_frame_run(frame, column), frame->first, frame->end, hidden);
    if (cm_frame_is_difference(frame, column))
        shares.minus = cm_view_node_busy(&frame->model->runs[0], frame->first, frame->end, hidden);
    return shares;
}

double cm_share(const struct cm_shares *shares, uint32_t index)
{
    double busy = (double)shares->busy[index];
    return (shares->minus != NULL ? busy - (double)shares->minus[index] : busy) / shares->length;
}

uint32_t cm_frame_colour(const struct cm_frame *frame, uint32_t column, double share)
{
    double top = cm_frame_run(frame, column)->top_share;
    double place = cm_view_scale_place(share < 0 ? -share : share, top, frame->state->linear);
    if (!(place > 0))
        return 0;
    if (cm_frame_is_difference(frame, column))
        return cm_view_difference_colour(share < 0 ? -place : place);
    return cm_view_colour(frame->state->colours, place);
}

const char *cm_frame_column_name(const struct cm_frame *frame, uint32_t column)
{
    static const char *const prefixes[3] = {"A  ", "B  ", "B \xe2\x88\x92 A  "};
    return frame->layout.columns == 3 ? prefixes[column] : "";
}

struct cm_view_rect cm_panel_inside(struct cm_view_rect place)
{
    return (struct cm_view_rect){place.x + 8, place.y + TITLE_HEIGHT + 4, place.w - 16,
                                 place.h - TITLE_HEIGHT - 10};
}

struct cm_view_rect cm_frame_panel(const struct cm_frame *frame, struct cm_view_rect place,
                                   enum cm_view_panel panel, const char *title)
{
    const struct cm_canvas *canvas = &frame->canvas;
    cm_canvas_fill(canvas, place.x, place.y, place.w, place.h, CM_VIEW_GROUND);
    cm_canvas_fill(canvas, place.x, place.y, place.w, TITLE_HEIGHT, CM_VIEW_RAISED);
    if (frame->state->focus == panel)
        cm_canvas_fill(canvas, place.x, place.y, 3, TITLE_HEIGHT, CM_VIEW_PIN);
    cm_label_draw(&frame->label, CM_LABEL_TITLE, CM_LABEL_LEFT, place.x + 9,
                  place.y + TITLE_HEIGHT / 2, place.w - 14, CM_VIEW_TEXT, title);
    return cm_panel_inside(place);
}

struct cm_strip cm_frame_strip(const struct cm_frame *frame, struct cm_view_rect place)
{
    return (struct cm_strip){place.x + frame->layout.strip_left,
                             place.w - frame->layout.strip_left - frame->layout.strip_right,
                             frame->state->first, frame->state->end};
}

double cm_strip_x(const struct cm_strip *strip, uint64_t cycle)
{
    double length = (double)(strip->end - strip->first);
    double at =
        cycle >= strip->first ? (double)(cycle - strip->first) : -(double)(strip->first - cycle);
    return strip->x + strip->w * at / length;
}

uint64_t cm_strip_cycle(const struct cm_strip *strip, double x)
{
    double at = (x - strip->x) / strip->w * (double)(strip->end - strip->first);
    if (!(at > 0))
        return strip->first;
    uint64_t cycle = strip->first + (uint64_t)at;
    return cycle < strip->end ? cycle : strip->end - 1;
}

uint32_t cm_strip_columns(const struct cm_frame *frame, const struct cm_strip *strip, int *first)
{
    *first = cm_canvas_pixel(&frame->canvas, strip->x);
    int columns = cm_canvas_pixel(&frame->canvas, strip->x + strip->w) - *first;
    return columns > 0 ? (uint32_t)columns : 0;
}

void cm_frame_cursor(const struct cm_frame *frame, struct cm_view_rect place, double top,
                     double bottom)
{
    struct cm_strip strip = cm_frame_strip(frame, place);
    struct cm_canvas canvas = cm_canvas_clip(
        &frame->canvas,
        (struct cm_view_rect){(int)strip.x - 1, (int)top, (int)strip.w + 3, (int)(bottom - top)});
    /* The edges of what the maps sum over, unless that is all there is to see. */
    if (frame->first > strip.first || frame->end < strip.end) {
        double left = cm_strip_x(&strip, frame->first), right = cm_strip_x(&strip, frame->end);
        cm_canvas_shade(&canvas, left, top, right - left, bottom - top, CM_VIEW_CURSOR, 36);
        cm_canvas_fill(&canvas, left, top, 1, bottom - top, CM_VIEW_QUIET);
        cm_canvas_fill(&canvas, right - 1, top, 1, bottom - top, CM_VIEW_QUIET);
    }
    double x = cm_strip_x(&strip, frame->state->cycle);
    cm_canvas_fill(&canvas, x - 1, top, 3, bottom - top, 0xff000000u);
    cm_canvas_fill(&canvas, x, top, 1, bottom - top, CM_VIEW_CURSOR);
}

static void draw_column(const struct cm_frame *frame, uint32_t column)
{
    const struct cm_view_rect *place = frame->layout.place[column];
    static void (*const panels[CM_VIEW_PART_COUNT])(const struct cm_frame *, uint32_t) = {
        [CM_VIEW_CUBE] = cm_draw_cube,      [CM_VIEW_MACHINE] = cm_draw_machine,
        [CM_VIEW_TIME] = cm_draw_time,      [CM_VIEW_PHASES] = cm_draw_phases,
        [CM_VIEW_ARRAY] = cm_draw_array,    [CM_VIEW_INSPECTOR] = cm_draw_inspector,
        [CM_VIEW_PART_AXIS] = cm_draw_axis, [CM_VIEW_PART_CAUSES] = cm_draw_causes,
    };
    for (unsigned part = 0; part < CM_VIEW_PART_COUNT; part++)
        if (panels[part] != NULL && place[part].w > 0 && place[part].h > 0)
            panels[part](frame, column);
}

void cm_view_draw(const struct cm_view_model *model, const struct cm_view_state *state,
                  const struct cm_view_target *target)
{
    struct cm_frame frame;
    if (target->w <= 0 || target->h <= 0)
        return;
    cm_frame_begin(&frame, model, state, target);
    cm_canvas_fill_pixels(&frame.canvas, 0, 0, target->w, target->h, CM_VIEW_BACK);
    if (frame.layout.place[0][CM_VIEW_PART_HEADER].w > 0)
        cm_draw_header(&frame);
    if (frame.layout.place[0][CM_VIEW_PART_NOTICE].w > 0)
        cm_draw_notice(&frame);
    for (uint32_t c = 0; c < frame.layout.columns; c++)
        draw_column(&frame, c);
    if (frame.layout.place[0][CM_VIEW_PART_LEGEND].w > 0)
        cm_draw_legend(&frame);
    if (state->help)
        cm_draw_help(&frame);
}
