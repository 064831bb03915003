/* Overlays: the list of keys, a message at the bottom of the picture, and the caption below the
 * picture of a film. */
#include "draw_private.h"

#include <math.h>

#define HEIGHT 26.0 /* height in points of the line at the bottom */
#define MARGIN 12.0
/* width of the margins around the columns of the list of keys, and height of what is around them */
#define SIDES 32.0
#define FRAME 76.0

/* Layout of the list of keys in a picture. */
struct list {
    enum cm_label_style names, texts; /* styles of the keys and of what they do */
    double line;                      /* height in points of a line */
    double name_w, column_w;          /* width of the keys, and of a column */
    bool stacked;                     /* true if what a key does is below its name */
    uint32_t columns, rows, pages;    /* `rows` is the number of keys in a column */
};

static double widest(const struct cm_label *label, enum cm_label_style style,
                     const struct cm_view_target *target, bool names)
{
    double most = 0;
    for (uint32_t i = 0; i < target->key_count && target->keys != NULL; i++)
        most = fmax(most, cm_label_width_of(label, style,
                                            names ? target->keys[i].shown : target->keys[i].what));
    return most;
}

/* Lays out the list in a picture of w x h points, in normal or in small letters. */
static struct list lay_out(const struct cm_label *label, const struct cm_view_target *target,
                           double w, double h, bool small)
{
    struct list list = {.names = small ? CM_LABEL_SMALL : CM_LABEL_MONO,
                        .texts = small ? CM_LABEL_SMALL : CM_LABEL_BODY,
                        .line = small ? 15 : 19};
    list.name_w = widest(label, list.names, target, true) + 10;
    list.column_w = list.name_w + widest(label, list.texts, target, false) + 20;
    list.stacked = list.column_w > w - SIDES;
    if (list.stacked)
        list.column_w = w - SIDES;
    list.columns = w > SIDES + list.column_w ? (uint32_t)((w - SIDES) / list.column_w) : 1;
    double each = list.line * (list.stacked ? 2 : 1);
    list.rows = h - FRAME >= each ? (uint32_t)((h - FRAME) / each) : 1;
    uint32_t in_page = list.columns * list.rows;
    list.pages = target->key_count > 0 ? (target->key_count + in_page - 1) / in_page : 1;
    /* columns of a page that has room to spare are equally long */
    list.columns = list.pages == 1 ? (target->key_count + list.rows - 1) / list.rows : list.columns;
    list.columns = list.columns > 0 ? list.columns : 1;
    if (list.pages == 1)
        list.rows = (target->key_count + list.columns - 1) / list.columns;
    return list;
}

static struct list list_of(const struct cm_label *label, const struct cm_view_target *target,
                           double scale)
{
    double w = target->w / scale, h = target->h / scale;
    struct list list = lay_out(label, target, w, h, false);
    return list.pages == 1 && !list.stacked ? list : lay_out(label, target, w, h, true);
}

uint32_t cm_view_help_pages(const struct cm_view_target *target)
{
    struct cm_canvas canvas = cm_canvas_of(target, CM_VIEW_DARK);
    struct cm_label label = {.canvas = &canvas, .fonts = target->fonts};
    return list_of(&label, target, canvas.scale).pages;
}

static void draw_key(const struct cm_frame *frame, const struct list *list,
                     const struct cm_view_key *key, double x, double y)
{
    double left = list->stacked ? x + 12 : x + list->name_w;
    cm_label_draw(&frame->label, list->names, (struct cm_text_place){CM_LEFT, x, y, list->column_w},
                  CM_VIEW_SLOT_A, key->shown);
    cm_label_draw(&frame->label, list->texts,
                  (struct cm_text_place){CM_LEFT, left, list->stacked ? y + list->line : y,
                                         x + list->column_w - left - 4},
                  CM_VIEW_TEXT, key->what);
}

void cm_draw_help(const struct cm_frame *frame)
{
    const struct cm_view_target *target = frame->target;
    double w = target->w / frame->canvas.scale, h = target->h / frame->canvas.scale;
    struct list list = list_of(&frame->label, target, frame->canvas.scale);
    double each = list.line * (list.stacked ? 2 : 1);
    double box_w = list.columns * list.column_w + SIDES, box_h = list.rows * each + FRAME - 24;
    double x = floor((w - box_w) / 2), y = floor((h - box_h) / 2);
    uint32_t page = frame->state->help_page % list.pages, in_page = list.columns * list.rows;
    cm_canvas_shade(&frame->canvas, (struct cm_area){0, 0, w, h}, CM_VIEW_VEIL, 150);
    cm_canvas_fill(&frame->canvas, x, y, box_w, box_h, CM_VIEW_RAISED);
    cm_canvas_frame(&frame->canvas, (struct cm_area){x, y, box_w, box_h}, 1, CM_VIEW_OUTLINE);
    cm_label_draw(&frame->label, CM_LABEL_TITLE,
                  (struct cm_text_place){CM_LEFT, x + 16, y + 20, 60}, CM_VIEW_TEXT, "Keys");
    if (list.pages > 1)
        cm_text(frame, (struct cm_text_place){CM_RIGHT, x + 76, y + 20, box_w - 92}, CM_VIEW_TEXT,
                "page %u of %u: PageDown, or a click", page + 1, list.pages);
    for (uint32_t i = 0; i < in_page && target->keys != NULL; i++)
        if (page * in_page + i < target->key_count)
            draw_key(frame, &list, &target->keys[page * in_page + i],
                     x + 16 + i / list.rows * list.column_w, y + 45 + i % list.rows * each);
}

void cm_view_draw_caption(const char *text, enum cm_view_theme theme,
                          const struct cm_view_target *target)
{
    struct cm_canvas canvas = cm_canvas_of(target, theme);
    struct cm_label label = {.canvas = &canvas, .fonts = target->fonts};
    double w = target->w / target->scale, h = target->h / target->scale;
    double top = h - CM_VIEW_CAPTION_HEIGHT;
    cm_canvas_fill(&canvas, 0, top, w, CM_VIEW_CAPTION_HEIGHT, CM_VIEW_BACK);
    cm_label_draw(
        &label, CM_LABEL_BODY,
        (struct cm_text_place){CM_LEFT, MARGIN, top + CM_VIEW_CAPTION_HEIGHT / 2.0, w - 2 * MARGIN},
        CM_VIEW_TEXT, text);
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
