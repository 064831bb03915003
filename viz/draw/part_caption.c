/* The buttons, and next to them a sentence about the events at the cursor. */
#include "draw_private.h"

#include <stdio.h>

#define GAP 4 /* points between buttons */

enum face { BACK, PLAY, FORWARD, SLOWER, FASTER, SECONDS, WHOLE, SPAN, ALONE, HELP };

static const struct button {
    const char *key;
    enum face face;
    int width;
} buttons[] = {
#define CM_BUTTON(key, face, width) {key, face, width},
#include "buttons.def"
#undef CM_BUTTON
};
#define BUTTON_COUNT (sizeof buttons / sizeof *buttons)

const char *cm_view_button_key(uint32_t button)
{
    return button < BUTTON_COUNT ? buttons[button].key : NULL;
}

struct cm_view_rect cm_button_place(struct cm_view_rect place, uint32_t button)
{
    struct cm_view_rect at = {place.x, place.y, 0, place.h};
    for (uint32_t i = 0; i < BUTTON_COUNT && i <= button; i++) {
        at.x += at.w > 0 ? at.w + GAP : 0;
        at.w = buttons[i].width;
    }
    at.w = at.x + at.w <= place.x + place.w ? at.w : 0; /* 0: the button has no room */
    return at;
}

/* Draws a triangle that points to the right or to the left. */
static void draw_arrow(const struct cm_frame *frame, double x, double y, int direction)
{
    cm_canvas_triangle(&frame->canvas, (struct cm_point){x - direction * 3.5, y - 5},
                       (struct cm_point){x - direction * 3.5, y + 5},
                       (struct cm_point){x + direction * 4.5, y}, CM_VIEW_TEXT);
}

static void draw_bar(const struct cm_frame *frame, double x, double y)
{
    cm_canvas_fill(&frame->canvas, x, y - 5, 2, 10, CM_VIEW_TEXT);
}

static bool is_moving(const struct cm_view_state *state)
{
    return state->tour.station > 0 ? !state->tour.paused : state->playing;
}

static void draw_sign(const struct cm_frame *frame, enum face face, double x, double y)
{
    int direction = face == BACK || face == SLOWER ? -1 : 1;
    if (face == PLAY && is_moving(frame->state)) {
        draw_bar(frame, x - 4, y);
        draw_bar(frame, x + 2, y);
        return;
    }
    if (face == SLOWER || face == FASTER)
        draw_arrow(frame, x - 4, y, direction);
    if (face == BACK || face == FORWARD)
        draw_bar(frame, direction > 0 ? x + 5 : x - 7, y);
    draw_arrow(frame, face == SLOWER || face == FASTER ? x + 4 : x, y, direction);
}

static const char *text_of(const struct cm_view_state *state, enum face face)
{
    return face == SECONDS ? "30 s"
           : face == WHOLE ? "whole run"
           : face == SPAN  ? cm_view_span_names[state->span]
           : face == HELP  ? "?"
                           : NULL;
}

static void draw_button(const struct cm_frame *frame, uint32_t number)
{
    const struct cm_view_tip *tip = &frame->state->tip;
    struct cm_view_rect at = cm_button_place(frame->place, number);
    const char *text = text_of(frame->state, buttons[number].face);
    double x = at.x + at.w / 2.0, y = at.y + at.h / 2.0;
    if (at.w == 0)
        return;
    cm_canvas_fill(&frame->canvas, at.x, at.y, at.w, at.h, CM_VIEW_RAISED);
    cm_canvas_frame(&frame->canvas, (struct cm_area){at.x, at.y, at.w, at.h}, 1,
                    tip->button == number + 1 ? CM_VIEW_PIN : CM_VIEW_OUTLINE);
    if (text != NULL)
        cm_text(frame, (struct cm_text_place){CM_CENTRE, at.x, y, at.w}, CM_VIEW_TEXT, "%s", text);
    else if (buttons[number].face == ALONE)
        cm_canvas_frame(&frame->canvas, (struct cm_area){x - 6, y - 5, 12, 10}, 2, CM_VIEW_TEXT);
    else
        draw_sign(frame, buttons[number].face, x, y);
}

static void draw_caption(const struct cm_frame *frame)
{
    struct cm_view_rect place = frame->place, last = cm_button_place(place, BUTTON_COUNT - 1);
    int left = last.w > 0 ? last.x + last.w + GAP : place.x + place.w;
    char text[240];
    for (uint32_t i = 0; i < BUTTON_COUNT; i++)
        draw_button(frame, i);
    cm_canvas_fill(&frame->canvas, left, place.y, place.x + place.w - left, place.h,
                   CM_VIEW_GROUND);
    /* While a run plays, the caption would change faster than anyone can read. With two runs, each
     * would need a caption. */
    if (frame->state->playing || frame->layout.columns == 3)
        return;
    cm_view_caption(frame->model, frame->state, text, sizeof text);
    cm_label_draw(&frame->label, CM_LABEL_BODY,
                  (struct cm_text_place){CM_LEFT, left + 9, place.y + place.h / 2.0,
                                         place.x + place.w - left - 18},
                  CM_VIEW_TEXT, text);
}

static void hit_caption(const struct cm_frame *frame, double x, double y, struct cm_view_hit *hit)
{
    for (uint32_t i = 0; i < BUTTON_COUNT; i++)
        if (cm_rect_has(cm_button_place(frame->place, i), x, y)) {
            hit->kind = CM_VIEW_HIT_BUTTON;
            hit->button = i;
        }
}

const struct cm_panel cm_panel_caption = {
    .region = CM_REGION_TOP,
    .compared = CM_REGION_TOP,
    .height = 22,
    .yields = 1,
    .draw = draw_caption,
    .hit = hit_caption,
};
