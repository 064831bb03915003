/* The panel of packets over time: the number of packets that are in flight, that wait, and that
 * have arrived. */
#include "packets.h"

#include <math.h>

#define ROW 13

static int height_in(const struct cm_room *room)
{
    (void)room;
    return CM_TITLE_HEIGHT + 12 + 3 * ROW;
}

static bool is_wanted(const struct cm_view_model *model, const struct cm_view_state *state)
{
    bool wanted = model->runs[state->run].info->packets > 0;
    for (uint32_t i = 0; i < model->run_count && state->compare; i++)
        wanted = wanted || model->runs[i].info->packets > 0;
    return wanted;
}

static void draw_column(const struct cm_frame *frame, int x, const uint32_t value[3],
                        const uint32_t most[3])
{
    static const uint32_t colours[3] = {CM_VIEW_SLOT_A, CM_VIEW_WARNING, CM_VIEW_QUIET};
    for (int row = 0; row < 3; row++) {
        int bottom = cm_canvas_pixel(&frame->canvas, frame->inside.y + (row + 1) * ROW - 1);
        int top = cm_canvas_pixel(&frame->canvas, frame->inside.y + row * ROW);
        int height = bottom - top;
        if (value[row] == 0 || most[row] == 0)
            continue;
        height = (int)ceil(height * (double)value[row] / most[row]);
        cm_canvas_fill_pixels(&frame->canvas, x, bottom - height, 1, height, colours[row]);
    }
}

static void begin_panel(const struct cm_frame *frame, const uint32_t most[3])
{
    static const char *const names[3] = {"under way", "waiting", "arrived"};
    struct cm_view_counts now = cm_view_count_packets(frame->run, frame->cursor);
    cm_frame_panel(frame, "%s%s: now %u under way (most %u), %u waiting (most %u), %u arrived",
                   cm_frame_column_name(frame), frame->panel->title, now.in_flight, most[0],
                   now.waiting, most[1], now.arrived);
    for (int row = 0; row < 3; row++)
        cm_text(frame,
                (struct cm_text_place){CM_RIGHT, frame->place.x,
                                       frame->inside.y + row * ROW + ROW / 2.0,
                                       frame->layout.strip_left - 6},
                CM_VIEW_TEXT, "%s", names[row]);
}

static void draw_packets(const struct cm_frame *frame)
{
    struct cm_strip strip = cm_frame_strip(frame);
    int first;
    uint32_t columns = cm_strip_columns(frame, &strip, &first);
    if (frame->difference || frame->run->info->packets == 0) {
        cm_frame_panel(frame, "%s%s", cm_frame_column_name(frame), frame->panel->title);
        cm_text(
            frame,
            (struct cm_text_place){CM_LEFT, frame->inside.x, frame->inside.y + 8, frame->inside.w},
            CM_VIEW_QUIET, "%s",
            frame->difference ? "packets have no difference" : "this run sends no packets");
        return;
    }
    struct cm_view_counts top = cm_view_most_packets(frame->run);
    const uint32_t most[3] = {top.in_flight, top.waiting, top.arrived};
    begin_panel(frame, most);
    for (uint32_t i = 0; i < columns; i++) {
        uint64_t length = strip.end - strip.first;
        uint64_t cycle = strip.first + (uint64_t)((double)length * i / columns);
        struct cm_view_counts at = cm_view_count_packets(frame->run, cycle);
        const uint32_t value[3] = {at.in_flight, at.waiting, at.arrived};
        draw_column(frame, first + (int)i, value, most);
    }
    cm_frame_cursor(frame, frame->inside.y, frame->inside.y + 3 * ROW);
}

const struct cm_panel cm_panel_packets = {
    .title = "Packets over time",
    .about = "Packets under way, waiting and arrived, over time.",
    .keys = "O B Tab Return",
    .region = CM_REGION_STRIPS,
    .compared = CM_REGION_STRIPS,
    .height_in = height_in,
    .yields = 2,
    .is_wanted = is_wanted,
    .draw = draw_packets,
    .hit = cm_hit_strip,
};
