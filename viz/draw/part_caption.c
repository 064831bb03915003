/* What happens now, in plain words. */
#include "draw_private.h"

static void draw_caption(const struct cm_frame *frame)
{
    struct cm_view_rect place = frame->place;
    char text[240];
    cm_canvas_fill(&frame->canvas, place.x, place.y, place.w, place.h, CM_VIEW_GROUND);
    if (frame->state->playing) /* it would change faster than it can be read */
        return;
    cm_view_caption(frame->model, frame->state, text, sizeof text);
    cm_label_draw(&frame->label, CM_LABEL_BODY, CM_LEFT, place.x + 9, place.y + place.h / 2.0,
                  place.w - 18, CM_VIEW_TEXT, text);
}

const struct cm_panel cm_panel_caption = {
    .region = CM_REGION_TOP,
    .compared = CM_REGION_NONE,
    .height = 20,
    .yields = 1,
    .draw = draw_caption,
};
