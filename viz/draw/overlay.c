/* Overlays: the list of keys, and a line of text at the bottom of the picture, which is a message
 * in a window and the caption in a film. */
#include "draw_private.h"

#define HEIGHT 26.0 /* height in points of the line at the bottom */
#define MARGIN 12.0

void cm_draw_help(const struct cm_frame *frame)
{
    const struct cm_view_target *target = frame->target;
    double w = target->w / frame->canvas.scale, h = target->h / frame->canvas.scale;
    cm_canvas_shade(&frame->canvas, (struct cm_area){0, 0, w, h}, CM_VIEW_VEIL, 150);
    uint32_t rows = h >= 76 + 19 ? (uint32_t)((h - 76) / 19) : 1;
    uint32_t columns = target->key_count > 0 ? (target->key_count + rows - 1) / rows : 1;
    rows = (target->key_count + columns - 1) / columns;
    double box_w = columns * 390 + 24, box_h = rows * 19 + 52;
    box_w = box_w < w ? box_w : w;
    double x = (w - box_w) / 2, y = (h - box_h) / 2;
    cm_canvas_fill(&frame->canvas, x, y, box_w, box_h, CM_VIEW_RAISED);
    cm_canvas_frame(&frame->canvas, (struct cm_area){x, y, box_w, box_h}, 1, CM_VIEW_OUTLINE);
    cm_label_draw(&frame->label, CM_LABEL_TITLE,
                  (struct cm_text_place){CM_LEFT, x + 16, y + 20, box_w - 32}, CM_VIEW_TEXT,
                  "Keys");
    double each = (box_w - 24) / columns;
    for (uint32_t i = 0; i < target->key_count && target->keys != NULL; i++) {
        double left = x + 16 + i / rows * each, middle = y + 45 + i % rows * 19;
        cm_label_draw(&frame->label, CM_LABEL_MONO,
                      (struct cm_text_place){CM_LEFT, left, middle, 124}, CM_VIEW_SLOT_A,
                      target->keys[i].shown);
        cm_label_draw(&frame->label, CM_LABEL_BODY,
                      (struct cm_text_place){CM_LEFT, left + 130, middle, each - 138}, CM_VIEW_TEXT,
                      target->keys[i].what);
    }
}

void cm_view_draw_status(const char *text, enum cm_view_theme theme,
                         const struct cm_view_target *target)
{
    struct cm_canvas canvas = cm_canvas_of(target, theme);
    struct cm_label label = {.canvas = &canvas, .fonts = target->fonts};
    double w = target->w / target->scale, h = target->h / target->scale;
    if (text[0] == '\0')
        return;
    double width = cm_label_width_of(&label, CM_LABEL_BODY, text) + 2 * MARGIN;
    width = width < w ? width : w;
    double x = (double)(int)((w - width) / 2);
    double y = h > 4 * HEIGHT ? h - 2 * HEIGHT : h - HEIGHT;
    cm_canvas_fill(&canvas, x, y, width, HEIGHT, CM_VIEW_RAISED);
    cm_canvas_frame(&canvas, (struct cm_area){x, y, width, HEIGHT}, 1, CM_VIEW_OUTLINE);
    cm_label_draw(&label, CM_LABEL_BODY,
                  (struct cm_text_place){CM_CENTRE, x + MARGIN, y + HEIGHT / 2, width - 2 * MARGIN},
                  CM_VIEW_TEXT, text);
}
