/* Functions that all panels use: the runs of a column, shares and colours, titles, tables of cells,
 * and time strips. */
#include "draw_private.h"

#include <stdarg.h>
#include <stdio.h>

#define FAR 1e6 /* in points */

double cm_text(const struct cm_frame *frame, struct cm_text_place place, uint32_t colour,
               const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return cm_label_draw(&frame->label, CM_LABEL_SMALL, place, colour, text);
}

void cm_frame_panel(const struct cm_frame *frame, const char *format, ...)
{
    const struct cm_canvas *canvas = &frame->canvas;
    const struct cm_panel *panel = frame->panel->with != NULL ? frame->panel->with : frame->panel;
    struct cm_view_rect place = frame->place;
    char title[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(title, sizeof title, format, arguments);
    va_end(arguments);
    cm_canvas_fill(canvas, place.x, place.y, place.w, place.h, CM_VIEW_GROUND);
    cm_canvas_fill(canvas, place.x, place.y, place.w, CM_TITLE_HEIGHT, CM_VIEW_RAISED);
    if (panel == cm_panels[frame->state->focus] && !frame->state->plain)
        cm_canvas_fill(canvas, place.x, place.y, 3, CM_TITLE_HEIGHT, CM_VIEW_PIN);
    cm_label_draw(
        &frame->label, CM_LABEL_TITLE,
        (struct cm_text_place){CM_LEFT, place.x + 9, place.y + CM_TITLE_HEIGHT / 2, place.w - 14},
        CM_VIEW_TEXT, title);
}

const char *cm_frame_column_name(const struct cm_frame *frame)
{
    static const char *const names[3] = {"A  ", "B  ", "B \xe2\x88\x92 A  "};
    return frame->layout.columns == 3 ? names[frame->column] : "";
}

bool cm_frame_comparable(const struct cm_frame *frame)
{
    const struct cm_view_run *runs = frame->model->runs;
    return frame->model->run_count == 2 && runs[0].channel_count == runs[1].channel_count &&
           runs[0].info->nodes == runs[1].info->nodes &&
           runs[0].info->channels == runs[1].info->channels;
}

bool cm_frame_say_incomparable(const struct cm_frame *frame)
{
    struct cm_view_rect place = frame->place;
    if (!frame->difference || cm_frame_comparable(frame))
        return false;
    const char *text = "the two machines differ, so there is no difference to show";
    if (cm_label_width_of(&frame->label, CM_LABEL_BODY, text) > place.w)
        text = "no difference: the machines differ";
    cm_label_draw(&frame->label, CM_LABEL_BODY,
                  (struct cm_text_place){CM_CENTRE, place.x, place.y + place.h / 2.0, place.w},
                  CM_VIEW_QUIET, text);
    return true;
}

struct cm_shares cm_frame_channels(const struct cm_frame *frame)
{
    struct cm_shares shares = {
        .busy = cm_view_busy(frame->run, frame->first, frame->end),
        .length = (double)(frame->end - frame->first),
        .minus_length = (double)(frame->times[0].end - frame->times[0].first),
        .top = frame->top,
    };
    if (frame->difference)
        shares.minus =
            cm_view_busy(&frame->model->runs[0], frame->times[0].first, frame->times[0].end);
    return shares;
}

double cm_share(const struct cm_shares *shares, uint32_t index)
{
    double busy = (double)shares->busy[index];
    if (shares->minus == NULL)
        return busy / shares->length;
    if (shares->length == shares->minus_length)
        return (busy - (double)shares->minus[index]) / shares->length;
    return busy / shares->length - (double)shares->minus[index] / shares->minus_length;
}

uint32_t cm_frame_colour_to(const struct cm_frame *frame, double share, double top)
{
    double place = cm_view_scale_place(share < 0 ? -share : share, top, frame->state->linear);
    if (!(place > 0))
        return 0;
    if (frame->difference)
        return cm_view_difference_colour(frame->state->theme, share < 0 ? -place : place);
    return cm_view_colour(frame->state->theme, frame->state->colours, place);
}

uint32_t cm_frame_colour(const struct cm_frame *frame, double share)
{
    return cm_frame_colour_to(frame, share, frame->top);
}

uint32_t cm_frame_colour_of(const struct cm_frame *frame, const struct cm_shares *shares,
                            double share)
{
    return cm_frame_colour_to(frame, share, shares->top);
}

uint32_t cm_frame_node(const struct cm_frame *frame)
{
    uint32_t node = cm_view_mark_node(frame->run, cm_view_subject(frame->state));
    return node < frame->run->info->nodes ? node : CM_TRACE_NONE;
}

uint32_t cm_frame_pinned_node(const struct cm_frame *frame)
{
    uint32_t node = cm_view_mark_node(frame->run, frame->state->pin);
    return node < frame->run->info->nodes ? node : CM_TRACE_NONE;
}

bool cm_frame_is_subject(const struct cm_frame *frame, enum cm_view_mark_kind kind, uint32_t index)
{
    struct cm_view_mark subject = cm_view_subject(frame->state);
    return subject.kind == kind && subject.index == index;
}

void cm_frame_mark(const struct cm_frame *frame, enum cm_view_mark_kind kind, uint32_t index,
                   struct cm_view_hit *hit)
{
    hit->kind = CM_VIEW_HIT_MARK;
    hit->mark = (struct cm_view_mark){kind, (uint32_t)(frame->run - frame->model->runs), index};
}

bool cm_rect_has(struct cm_view_rect place, double x, double y)
{
    return x >= place.x && x < place.x + place.w && y >= place.y && y < place.y + place.h;
}

bool cm_cells_at(const struct cm_cells *cells, double x, double y, uint32_t *column, uint32_t *row)
{
    if (cells->columns == 0 || cells->rows == 0 || x < cells->x || y < cells->y ||
        x >= cells->x + cells->w || y >= cells->y + cells->h)
        return false;
    *column = (uint32_t)((x - cells->x) / (cells->w / cells->columns));
    *row = (uint32_t)((y - cells->y) / (cells->h / cells->rows));
    return *column < cells->columns && *row < cells->rows;
}

struct cm_strip cm_frame_strip(const struct cm_frame *frame)
{
    const struct cm_view_layout *layout = &frame->layout;
    return (struct cm_strip){frame->place.x + layout->strip_left,
                             frame->place.w - layout->strip_left - layout->strip_right,
                             frame->axis_first, frame->axis_end};
}

double cm_strip_x(const struct cm_strip *strip, uint64_t cycle)
{
    double length = (double)(strip->end - strip->first);
    double at =
        cycle >= strip->first ? (double)(cycle - strip->first) : -(double)(strip->first - cycle);
    double x = strip->w * at / length;
    /* A cycle far left or right of the strip gets an x coordinate beyond that end, limited so that
     * it converts to an int. */
    return strip->x + (x < -FAR ? -FAR : x > FAR ? FAR : x);
}

uint32_t cm_strip_columns(const struct cm_frame *frame, const struct cm_strip *strip, int *first)
{
    *first = cm_canvas_pixel(&frame->canvas, strip->x);
    int columns = cm_canvas_pixel(&frame->canvas, strip->x + strip->w) - *first;
    return columns > 0 ? (uint32_t)columns : 0;
}

void cm_frame_cursor(const struct cm_frame *frame, double top, double bottom)
{
    if (frame->state->plain)
        return;
    struct cm_strip strip = cm_frame_strip(frame);
    struct cm_canvas canvas = cm_canvas_clip(
        &frame->canvas,
        (struct cm_view_rect){(int)strip.x - 1, (int)top, (int)strip.w + 3, (int)(bottom - top)});
    /* Marks the edges of the interval over which maps are summed, unless it is all that the axis
     * shows. */
    if (frame->first > strip.first || frame->end < strip.end) {
        double left = cm_strip_x(&strip, frame->first), right = cm_strip_x(&strip, frame->end);
        cm_canvas_shade(&canvas, (struct cm_area){left, top, right - left, bottom - top},
                        CM_VIEW_CURSOR, 36);
        cm_canvas_fill(&canvas, left, top, 1, bottom - top, CM_VIEW_QUIET);
        cm_canvas_fill(&canvas, right - 1, top, 1, bottom - top, CM_VIEW_QUIET);
    }
    double x = cm_strip_x(&strip, frame->cursor);
    cm_canvas_fill(&canvas, x - 1, top, 3, bottom - top, CM_VIEW_CURSOR_EDGE);
    cm_canvas_fill(&canvas, x, top, 1, bottom - top, CM_VIEW_CURSOR);
}

void cm_hit_strip(const struct cm_frame *frame, double x, double y, struct cm_view_hit *hit)
{
    struct cm_strip strip = cm_frame_strip(frame);
    if (frame->panel->title != NULL && y < frame->place.y + CM_TITLE_HEIGHT)
        return;
    if (strip.w < 1 || x < strip.x || x >= strip.x + strip.w)
        return;
    hit->kind = CM_VIEW_HIT_TIME;
    double at = (x - strip.x) / strip.w * (double)(strip.end - strip.first);
    hit->cycle = strip.first + (at > 0 ? (uint64_t)at : 0);
    if (hit->cycle >= strip.end)
        hit->cycle = strip.end - 1;
    /* cycles of the state are in the time of the first run */
    if (frame->layout.columns == 3 && frame->state->by_step)
        hit->cycle = cm_view_aligned(frame->model, (uint32_t)(frame->run - frame->model->runs), 0,
                                     hit->cycle);
}

uint64_t cm_tick_step(uint64_t length, uint64_t count)
{
    uint64_t step = 1;
    for (unsigned i = 0; length / step > count && step < UINT64_MAX / 10; i++)
        step = i % 3 == 1 ? step / 2 * 5 : step * 2;
    return step;
}

struct cm_formatted cm_percent_of(double part)
{
    struct cm_formatted number;
    double percent = part * 100;
    int places = percent >= 99.95 || percent == 0 ? 0 : percent >= 0.095 ? 1 : 2;
    snprintf(number.text, sizeof number.text, "%.*f %%", places, percent);
    return number;
}
