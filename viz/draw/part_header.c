/* The header: name of the run, cycle, speed and interval of the panels, and below it the notice
 * about an incomplete trace. */
#include "draw_private.h"

#include <stdio.h>

struct cm_formatted cm_time_of(uint64_t cycles, uint64_t clock_hz)
{
    struct cm_formatted number;
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
             cm_format_count(info->nodes).text, (double)info->clock_hz * 1e-6);
}

/* Writes the interval over which maps are summed, such as "instruction: cycles 1,200-1,320". */
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
    snprintf(text, size, "%s: cycles %s\xe2\x80\x93%s", what, cm_format_count(frame->first).text,
             cm_format_count(frame->end).text);
}

/* Writes the speed of playing, such as "paused 1x, whole run in 61 s". */
static void print_speed(const struct cm_frame *frame, char *text, size_t size)
{
    const struct cm_view_state *state = frame->state;
    double seconds = cm_view_run_seconds(frame->model, state);
    struct cm_formatted speed = cm_format_count((uint64_t)(state->speed + 0.5));
    if (state->speed < 1000)
        snprintf(speed.text, sizeof speed.text, "%.3g", state->speed);
    const char *unit = seconds < 120 ? "s" : seconds < 7200 ? "min" : "h";
    seconds /= seconds < 120 ? 1 : seconds < 7200 ? 60 : 3600;
    snprintf(text, size, "%s %s\xc3\x97, whole run in %.*f %s",
             state->playing ? "\xe2\x96\xb6" : "paused", speed.text, seconds < 10, seconds, unit);
}

static void draw_header(const struct cm_frame *frame)
{
    const struct cm_view_state *state = frame->state;
    const struct cm_view_run *run = &frame->model->runs[state->run];
    struct cm_view_rect place = frame->place;
    double middle = place.y + place.h / 2.0, right = place.x + place.w - 4;
    char name[256], texts[4][128];
    if (frame->layout.columns == 3)
        snprintf(name, sizeof name, "A: %s    B: %s", frame->model->runs[0].info->workload,
                 frame->model->runs[1].info->workload);
    else
        print_run(run, name, sizeof name);
    /* The texts are placed from the right: cursor, its time, speed and interval. The name of the
     * run gets the width that is left. */
    snprintf(texts[0], sizeof texts[0], "cycle %s of %s", cm_format_count(state->cycle).text,
             cm_format_count(cm_view_cycles(frame->model, state)).text);
    snprintf(texts[1], sizeof texts[1], "%s", cm_time_of(state->cycle, run->info->clock_hz).text);
    print_speed(frame, texts[2], sizeof texts[2]);
    print_interval(frame, texts[3], sizeof texts[3]);
    for (unsigned i = 0; i < 4; i++) {
        enum cm_label_style style = i == 0 ? CM_LABEL_TITLE : CM_LABEL_SMALL;
        double width = cm_label_width_of(&frame->label, style, texts[i]) + 2;
        if (i > 0 && right - width < place.x + 200)
            break;
        uint32_t colour = i == 0 ? CM_VIEW_TEXT : CM_VIEW_QUIET;
        cm_label_draw(&frame->label, style,
                      (struct cm_text_place){CM_RIGHT, right - width, middle, width},
                      i == 2 && state->playing ? CM_VIEW_SLOT_A : colour, texts[i]);
        right -= width + 22;
    }
    cm_label_draw(&frame->label, CM_LABEL_TITLE,
                  (struct cm_text_place){CM_LEFT, place.x + 4, middle, right - place.x - 4},
                  CM_VIEW_TEXT, name);
}

const struct cm_panel cm_panel_header = {
    .region = CM_REGION_TOP,
    .compared = CM_REGION_TOP,
    .height = 26,
    .yields = 9,
    .draw = draw_header,
};

/* Returns the notice of a trace that is incomplete or damaged, or NULL. */
static const char *notice_of(const struct cm_view_model *model, const struct cm_view_state *state)
{
    const char *notice = NULL;
    for (uint32_t i = model->run_count; i-- > 0;)
        if (model->runs[i].info->notice != NULL &&
            ((state->compare && model->run_count > 1) || i == state->run))
            notice = model->runs[i].info->notice;
    return notice;
}

static bool has_notice(const struct cm_view_model *model, const struct cm_view_state *state)
{
    return notice_of(model, state) != NULL;
}

static void draw_notice(const struct cm_frame *frame)
{
    struct cm_view_rect place = frame->place;
    cm_canvas_fill(&frame->canvas, place.x, place.y, place.w, place.h, CM_VIEW_RAISED);
    cm_canvas_fill(&frame->canvas, place.x, place.y, 4, place.h, CM_VIEW_WARNING);
    cm_label_draw(
        &frame->label, CM_LABEL_BODY,
        (struct cm_text_place){CM_LEFT, place.x + 12, place.y + place.h / 2.0, place.w - 20},
        CM_VIEW_WARNING, notice_of(frame->model, frame->state));
}

const struct cm_panel cm_panel_notice = {
    .region = CM_REGION_TOP,
    .compared = CM_REGION_TOP,
    .height = 20,
    .yields = 8,
    .is_wanted = has_notice,
    .draw = draw_notice,
};
