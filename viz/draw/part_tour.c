/* The guided tour: title and text of the station, its progress, and the meaning of the keys. */
#include "../model/tour.h"
#include "draw_private.h"

#include <string.h>

#define LINE      17.0
#define TEXT_MAX  640
#define LINES     3
#define LINES_LOW 5 /* lines of text in a narrow picture */
#define NARROW    1000

static int height_in(const struct cm_room *room)
{
    return 30 + (int)LINE * (room->w < NARROW ? LINES_LOW : LINES);
}

static bool is_wanted(const struct cm_view_model *model, const struct cm_view_state *state)
{
    (void)model;
    return state->tour.station > 0;
}

/* Returns the number of bytes of the text's next line: as many whole words as fit into the width
 * `w`, but at least one. */
static size_t line_length(const struct cm_frame *frame, const char *text, double w)
{
    char line[TEXT_MAX];
    size_t fits = strcspn(text, " "), next = fits;
    while (text[next] != '\0') {
        next += 1 + strcspn(text + next + 1, " ");
        memcpy(line, text, next);
        line[next] = '\0';
        if (cm_label_width_of(&frame->label, CM_LABEL_BODY, line) > w)
            break;
        fits = next;
    }
    return fits;
}

static void draw_text(const struct cm_frame *frame, const char *text, double x, double y, double w)
{
    char line[TEXT_MAX];
    double bottom = frame->place.y + frame->place.h - 4;
    while (*text != '\0' && y < bottom) {
        size_t length = line_length(frame, text, w);
        memcpy(line, text, length);
        line[length] = '\0';
        cm_label_draw(&frame->label, CM_LABEL_BODY, (struct cm_text_place){CM_LEFT, x, y, w},
                      CM_VIEW_TEXT, line);
        text += length + (text[length] == ' ');
        y += LINE;
    }
}

/* Draws the progress of the tour: a bar for each station, filled up to the part that has been
 * shown. */
static void draw_progress(const struct cm_frame *frame, double x, double y, double w)
{
    const struct cm_view_tour *tour = &frame->state->tour;
    double each = w / cm_tour_station_count;
    for (uint32_t i = 0; i < cm_tour_station_count; i++) {
        double part = i + 1 < tour->station ? 1 : 0;
        if (i + 1 == tour->station)
            part = (double)tour->seconds / cm_tour_stations[i].seconds;
        part = part > 1 ? 1 : part;
        cm_canvas_fill(&frame->canvas, x + i * each, y, each - 3, 3, CM_VIEW_OUTLINE);
        cm_canvas_fill(&frame->canvas, x + i * each, y, (each - 3) * part, 3, CM_VIEW_PIN);
    }
}

static void draw_tour(const struct cm_frame *frame)
{
    const struct cm_view_tour *tour = &frame->state->tour;
    struct cm_view_rect place = frame->place;
    char text[TEXT_MAX];
    cm_canvas_fill(&frame->canvas, place.x, place.y, place.w, place.h, CM_VIEW_RAISED);
    cm_canvas_fill(&frame->canvas, place.x, place.y, 4, place.h, CM_VIEW_PIN);
    cm_label_print(&frame->label, CM_LABEL_TITLE,
                   (struct cm_text_place){CM_LEFT, place.x + 14, place.y + 13, place.w - 460},
                   CM_VIEW_TEXT, "%u of %u  %s", tour->station, cm_tour_station_count,
                   cm_tour_stations[tour->station - 1].title);
    cm_text(frame, (struct cm_text_place){CM_RIGHT, place.x + place.w - 450, place.y + 13, 440},
            tour->paused ? CM_VIEW_PIN : CM_VIEW_QUIET,
            "%sSpace: pause, go on   \xe2\x86\x90 \xe2\x86\x92: stations   Escape: look around",
            tour->paused ? "paused   " : "");
    cm_tour_text(frame->model, frame->state, text, sizeof text);
    draw_text(frame, text, place.x + 14, place.y + 33, place.w - 24);
    draw_progress(frame, place.x + 14, place.y + place.h - 5, place.w - 24);
}

const struct cm_panel cm_panel_tour = {
    .region = CM_REGION_TOP,
    .compared = CM_REGION_TOP,
    .height_in = height_in,
    .yields = 9,
    .is_wanted = is_wanted,
    .draw = draw_tour,
};
