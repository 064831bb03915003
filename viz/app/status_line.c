/* A line over the picture's foot: the prompt, or what the last key led to. */
#include "picture.h"

#include "../draw/colours.h"
#include "../draw/label.h"

#include <stdio.h>

#define HEIGHT 26.0 /* points */
#define MARGIN 12.0

static void status_text(const struct cm_view_control *control, char *text, size_t size)
{
    if (control->prompt)
        snprintf(text, size, "go to cycle %s_   (Return goes, Escape does not)", control->typed);
    else
        snprintf(text, size, "%s", control->message);
}

void cm_view_draw_status(const struct cm_view_control *control, const struct cm_view_target *target)
{
    struct cm_canvas canvas = cm_canvas_of(target);
    struct cm_label label = {.canvas = &canvas, .fonts = target->fonts};
    double w = target->w / target->scale, h = target->h / target->scale;
    char text[160];
    status_text(control, text, sizeof text);
    if (text[0] == '\0')
        return;
    double width = cm_label_width_of(&label, CM_LABEL_BODY, text) + 2 * MARGIN;
    width = width < w ? width : w;
    double x = (double)(int)((w - width) / 2);
    double y = h > 4 * HEIGHT ? h - 2 * HEIGHT : h - HEIGHT;
    cm_canvas_fill(&canvas, x, y, width, HEIGHT, CM_VIEW_RAISED);
    cm_canvas_frame(&canvas, x, y, width, HEIGHT, 1, CM_VIEW_OUTLINE);
    cm_label_draw(&label, CM_LABEL_BODY, CM_LABEL_CENTRE, x + MARGIN, y + HEIGHT / 2,
                  width - 2 * MARGIN, CM_VIEW_TEXT, text);
}
