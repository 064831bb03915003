/* Tips: a box with the name of a button or panel, and its keys with their actions from the key
 * table. The box is below the button or the panel's title. */
#include "draw_private.h"

#include <stdio.h>
#include <string.h>

#define LINE      16.0
#define LINES_MAX 12

struct tip {
    char lines[LINES_MAX][200];
    uint32_t count;
};

/* Returns the row of the key table for a key. Returns NULL if the target has no key table, or the
 * table lacks the key. */
static const struct cm_view_key *row_of(const struct cm_view_target *target, const char *key,
                                        size_t length)
{
    for (uint32_t i = 0; i < target->key_count && target->keys != NULL; i++) {
        const char *keys = target->keys[i].keys;
        while (*keys != '\0') {
            size_t word = strcspn(keys, " ");
            if (word == length && strncmp(keys, key, length) == 0)
                return &target->keys[i];
            keys += word + strspn(keys + word, " ");
        }
    }
    return NULL;
}

/* Adds to a tip a line for each of several keys, whose names are separated by blanks. */
static void add_keys(struct tip *tip, const struct cm_view_target *target, const char *keys)
{
    while (*keys != '\0' && tip->count < LINES_MAX) {
        size_t length = strcspn(keys, " ");
        const struct cm_view_key *row = row_of(target, keys, length);
        if (row != NULL)
            snprintf(tip->lines[tip->count++], sizeof tip->lines[0], "%s: %s", row->shown,
                     row->what);
        keys += length + strspn(keys + length, " ");
    }
}

static void draw_lines(const struct cm_frame *frame, const struct tip *tip, double x, double y)
{
    double w = 0, right = frame->target->w / frame->canvas.scale, h = tip->count * LINE + 8;
    double bottom = frame->target->h / frame->canvas.scale;
    for (uint32_t i = 0; i < tip->count; i++) {
        double width = cm_label_width_of(&frame->label, CM_LABEL_SMALL, tip->lines[i]) + 16;
        w = width > w ? width : w;
    }
    x = x + w > right ? right - w : x;
    x = x < 0 ? 0 : x;
    y = y + h > bottom ? bottom - h : y;
    cm_canvas_fill(&frame->canvas, x, y, w, h, CM_VIEW_RAISED);
    cm_canvas_frame(&frame->canvas, (struct cm_area){x, y, w, h}, 1, CM_VIEW_PIN);
    for (uint32_t i = 0; i < tip->count; i++)
        cm_text(frame, (struct cm_text_place){CM_LEFT, x + 8, y + 4 + LINE * (i + 0.5), w - 12},
                CM_VIEW_TEXT, "%s", tip->lines[i]);
}

void cm_draw_tip(const struct cm_frame *frame)
{
    const struct cm_view_tip *shown = &frame->state->tip;
    struct cm_view_rect place = frame->place;
    struct tip tip = {.count = 0};
    if (place.w <= 0)
        return;
    if (shown->button > 0) {
        place = cm_button_place(place, shown->button - 1);
        add_keys(&tip, frame->target, cm_view_button_key(shown->button - 1));
    } else if (frame->panel->about != NULL) {
        snprintf(tip.lines[tip.count++], sizeof tip.lines[0], "%s", frame->panel->about);
        add_keys(&tip, frame->target, frame->panel->keys);
        place.h = CM_TITLE_HEIGHT;
    }
    if (tip.count > 0)
        draw_lines(frame, &tip, place.x + 8, place.y + place.h + 2);
}
