/* A line over the picture's foot, which a window shows and files do not have. */
#include "colours.h"
#include "draw.h"
#include "label.h"

#define HEIGHT 26.0 /* points */
#define MARGIN 12.0

void cm_view_draw_status(const char *text, const struct cm_view_target *target)
{
    struct cm_canvas canvas = cm_canvas_of(target);
    struct cm_label label = {.canvas = &canvas, .fonts = target->fonts};
    double w = target->w / target->scale, h = target->h / target->scale;
    if (text[0] == '\0')
        return;
    double width = cm_label_width_of(&label, CM_LABEL_BODY, text) + 2 * MARGIN;
    width = width < w ? width : w;
    double x = (double)(int)((w - width) / 2);
    double y = h > 4 * HEIGHT ? h - 2 * HEIGHT : h - HEIGHT;
    cm_canvas_fill(&canvas, x, y, width, HEIGHT, CM_VIEW_RAISED);
    cm_canvas_frame(&canvas, x, y, width, HEIGHT, 1, CM_VIEW_OUTLINE);
    cm_label_draw(&label, CM_LABEL_BODY, CM_CENTRE, x + MARGIN, y + HEIGHT / 2, width - 2 * MARGIN,
                  CM_VIEW_TEXT, text);
}
