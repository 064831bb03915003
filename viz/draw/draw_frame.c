/* Header, notice, time axis and help. */
#include "draw_private.h"

#include <math.h>
#include <stdio.h>

/* A time as people read it: "614.5 us" of cycles and clock. */
static struct cm_number time_of(uint64_t cycles, uint64_t clock_hz)
{
    struct cm_number number;
    double seconds = clock_hz > 0 ? (double)cycles / (double)clock_hz : 0;
    if (seconds < 1e-3)
        snprintf(number.text, sizeof number.text, "%.1f \xc2\xb5s", seconds * 1e6);
    else if (seconds < 1)
        snprintf(number.text, sizeof number.text, "%.3f ms", seconds * 1e3);
    else
        snprintf(number.text, sizeof number.text, "%.3f s", seconds);
    return number;
}

static void print_run(const struct cm_view_run *run, char *text, size_t size)
{
    const struct cm_trace_info *info = run->info;
    snprintf(text, size, "%s on %s: %s nodes at %g MHz", info->workload, info->machine,
             cm_number_of(info->nodes).text, (double)info->clock_hz * 1e-6);
}

/* What the maps show: "instruction at 1,200-1,320", "window ...", "all that the axis shows". */
static void print_interval(const struct cm_frame *frame, char *text, size_t size)
{
    static const char *const spans[CM_VIEW_SPAN_COUNT] = {
        [CM_VIEW_SPAN_NOW] = "instruction",
        [CM_VIEW_SPAN_WINDOW] = "window",
        [CM_VIEW_SPAN_VISIBLE] = "visible",
    };
    const char *what = frame->state->average_cycles > 0 && frame->state->playing
                           ? "average"
                           : spans[frame->state->span % CM_VIEW_SPAN_COUNT];
    snprintf(text, size, "%s: cycles %s\xe2\x80\x93%s", what, cm_number_of(frame->first).text,
             cm_number_of(frame->end).text);
}

void cm_draw_header(const struct cm_frame *frame)
{
    struct cm_view_rect place = frame->layout.place[0][CM_VIEW_PART_HEADER];
    const struct cm_view_state *state = frame->state;
    const struct cm_view_run *run = &frame->model->runs[state->run];
    double middle = place.y + place.h / 2.0;
    char name[256];
    if (frame->layout.columns == 3)
        snprintf(name, sizeof name, "A: %s    B: %s", frame->model->runs[0].info->workload,
                 frame->model->runs[1].info->workload);
    else
        print_run(run, name, sizeof name);
    /* From the right: the cursor, its time, the speed, the interval; the name gets what is left. */
    char texts[4][128];
    static const enum cm_label_style looks[4] = {CM_LABEL_TITLE, CM_LABEL_SMALL, CM_LABEL_SMALL,
                                                 CM_LABEL_SMALL};
    snprintf(texts[0], sizeof texts[0], "cycle %s of %s", cm_number_of(state->cycle).text,
             cm_number_of(cm_view_cycles(frame->model, state)).text);
    snprintf(texts[1], sizeof texts[1], "%s", time_of(state->cycle, run->info->clock_hz).text);
    snprintf(texts[2], sizeof texts[2], "%s %g\xc3\x97", state->playing ? "\xe2\x96\xb6" : "paused",
             state->speed);
    print_interval(frame, texts[3], sizeof texts[3]);
    double right = place.x + place.w - 4;
    for (unsigned i = 0; i < 4; i++) {
        double width = cm_label_width_of(&frame->label, looks[i], texts[i]) + 2;
        if (i > 0 && right - width < place.x + 200)
            break;
        uint32_t colour = i == 0 ? CM_VIEW_TEXT : CM_VIEW_QUIET;
        cm_label_draw(&frame->label, looks[i], CM_LABEL_RIGHT, right - width, middle, width,
                      i == 2 && state->playing ? CM_VIEW_SLOT_A : colour, texts[i]);
        right -= width + 22;
    }
    cm_label_draw(&frame->label, CM_LABEL_TITLE, CM_LABEL_LEFT, place.x + 4, middle,
                  right - place.x - 4, CM_VIEW_TEXT, name);
}

void cm_draw_notice(const struct cm_frame *frame)
{
    struct cm_view_rect place = frame->layout.place[0][CM_VIEW_PART_NOTICE];
    const char *notice = NULL;
    for (uint32_t i = frame->model->run_count; i-- > 0;)
        if (frame->model->runs[i].info->notice != NULL &&
            (frame->layout.columns == 3 || i == frame->state->run))
            notice = frame->model->runs[i].info->notice;
    cm_canvas_fill(&frame->canvas, place.x, place.y, place.w, place.h, CM_VIEW_RAISED);
    cm_canvas_fill(&frame->canvas, place.x, place.y, 4, place.h, CM_VIEW_WARNING);
    if (notice != NULL)
        cm_label_draw(&frame->label, CM_LABEL_BODY, CM_LABEL_LEFT, place.x + 12,
                      place.y + place.h / 2.0, place.w - 20, CM_VIEW_WARNING, notice);
}

/* The least of 1, 2, 5 times a power of ten with at most `count` of them in the length. */
static uint64_t tick_step(uint64_t length, uint64_t count)
{
    uint64_t step = 1;
    for (unsigned i = 0; length / step > count && step < UINT64_MAX / 10; i++)
        step = i % 3 == 1 ? step / 2 * 5 : step * 2;
    return step;
}

void cm_draw_axis(const struct cm_frame *frame, uint32_t column)
{
    struct cm_view_rect place = frame->layout.place[column][CM_VIEW_PART_AXIS];
    struct cm_strip strip = cm_frame_strip(frame, place);
    const struct cm_canvas *canvas = &frame->canvas;
    if (strip.w < 20)
        return;
    cm_canvas_fill(canvas, place.x, place.y, place.w, place.h, CM_VIEW_GROUND);
    cm_label_draw(&frame->label, CM_LABEL_SMALL, CM_LABEL_RIGHT, place.x, place.y + 12,
                  frame->layout.strip_left - 8, CM_VIEW_QUIET, "cycle");
    cm_canvas_fill(canvas, strip.x, place.y, strip.w, 1, CM_VIEW_OUTLINE);
    uint64_t length = strip.end - strip.first;
    uint64_t step = tick_step(length, (uint64_t)(strip.w / 90) + 1);
    for (uint64_t at = (strip.first + step - 1) / step * step; at < strip.end; at += step) {
        double x = cm_strip_x(&strip, at);
        cm_canvas_fill(canvas, x, place.y, 1, 4, CM_VIEW_OUTLINE);
        double half =
            cm_label_width_of(&frame->label, CM_LABEL_SMALL, cm_number_of(at).text) / 2 + 1;
        double left = fmax(x - half, place.x + frame->layout.strip_left - 3);
        if (left + 2 * half <= place.x + place.w)
            cm_label_draw(&frame->label, CM_LABEL_SMALL, CM_LABEL_LEFT, left, place.y + 13,
                          2 * half, CM_VIEW_QUIET, cm_number_of(at).text);
    }
    cm_frame_cursor(frame, place, place.y, place.y + 6);
    double x = cm_strip_x(&strip, frame->state->cycle);
    if (x >= strip.x && x <= strip.x + strip.w)
        cm_canvas_triangle(canvas, (struct cm_point){x - 4, place.y},
                           (struct cm_point){x + 5, place.y},
                           (struct cm_point){x + 0.5, place.y + 7}, CM_VIEW_CURSOR);
}

void cm_draw_help(const struct cm_frame *frame)
{
    const struct cm_view_target *target = frame->target;
    double w = target->w / frame->canvas.scale, h = target->h / frame->canvas.scale;
    cm_canvas_shade(&frame->canvas, 0, 0, w, h, 0xff000000u, 150);
    uint32_t rows = (uint32_t)((h - 76) / 19);
    rows = rows < 1 ? 1 : rows;
    uint32_t columns = target->key_count > 0 ? (target->key_count + rows - 1) / rows : 1;
    rows = (target->key_count + columns - 1) / columns;
    double box_w = columns * 390 + 24, box_h = rows * 19 + 52;
    box_w = box_w < w ? box_w : w;
    double x = (w - box_w) / 2, y = (h - box_h) / 2;
    cm_canvas_fill(&frame->canvas, x, y, box_w, box_h, CM_VIEW_RAISED);
    cm_canvas_frame(&frame->canvas, x, y, box_w, box_h, 1, CM_VIEW_OUTLINE);
    cm_label_draw(&frame->label, CM_LABEL_TITLE, CM_LABEL_LEFT, x + 16, y + 20, box_w - 32,
                  CM_VIEW_TEXT, "Keys");
    double each = (box_w - 24) / columns;
    for (uint32_t i = 0; i < target->key_count && target->keys != NULL; i++) {
        double left = x + 16 + i / rows * each, middle = y + 45 + i % rows * 19;
        cm_label_draw(&frame->label, CM_LABEL_MONO, CM_LABEL_LEFT, left, middle, 124,
                      CM_VIEW_SLOT_A, target->keys[i].keys);
        cm_label_draw(&frame->label, CM_LABEL_BODY, CM_LABEL_LEFT, left + 130, middle, each - 138,
                      CM_VIEW_TEXT, target->keys[i].what);
    }
}
