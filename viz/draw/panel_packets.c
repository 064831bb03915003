/* The panel of packets over time: the number of packets that are in flight, that wait, and that
 * have arrived. */
#include "packets.h"

#include <math.h>

#define ROW     13
#define AXIS    40 /* height in points of a row from which it has a y axis */
#define TICK    24 /* least distance in points between two ticks of a y axis */
#define TITLE   14 /* height in points of the name above a row that has a y axis */
#define ROW_GAP 10 /* distance in points between rows that have y axes */

static int height_in(const struct cm_room *room)
{
    (void)room;
    return CM_TITLE_HEIGHT + 10 + 3 * ROW;
}

static bool is_wanted(const struct cm_view_model *model, const struct cm_view_state *state)
{
    bool wanted = model->runs[state->run].info->packets > 0;
    for (uint32_t i = 0; i < model->run_count && state->compare; i++)
        wanted = wanted || model->runs[i].info->packets > 0;
    return wanted;
}

/* Returns the height of a row, with the gap below it. The rows fill the panel. */
static double row_height(const struct cm_frame *frame)
{
    double each = frame->inside.h / 3.0;
    return each < ROW ? ROW : floor(each);
}

/* Returns the gap below a row. */
static double gap_of(double row)
{
    return row >= AXIS ? ROW_GAP : 1;
}

/* Draws the y axis of a row: levels at round numbers of packets up to the top of its scale. */
static void draw_levels(const struct cm_frame *frame, double top, double height, uint32_t most)
{
    struct cm_strip strip = cm_frame_strip(frame);
    uint64_t step = cm_tick_step(most, (uint64_t)(height / TICK));
    for (uint64_t level = 0; level <= most; level += step) {
        double y = top + height - height * (double)level / (most > 0 ? most : 1);
        cm_canvas_fill(&frame->canvas, strip.x - 4, y, strip.w + 4, 1, CM_VIEW_RULE);
        cm_text(frame,
                (struct cm_text_place){CM_RIGHT, frame->place.x, y, frame->layout.strip_left - 8},
                CM_VIEW_QUIET, "%s", cm_format_count(level).text);
    }
}

static void draw_column(const struct cm_frame *frame, int x, const uint32_t value[3],
                        const uint32_t most[3])
{
    double each = row_height(frame);
    static const uint32_t colours[3] = {CM_VIEW_SLOT_A, CM_VIEW_WARNING, CM_VIEW_QUIET};
    for (int row = 0; row < 3; row++) {
        int bottom =
            cm_canvas_pixel(&frame->canvas, frame->inside.y + (row + 1) * each - gap_of(each));
        int top = cm_canvas_pixel(&frame->canvas, frame->inside.y + row * each);
        int height = bottom - top - (each >= AXIS ? cm_canvas_pixel(&frame->canvas, TITLE) : 0);
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
    if (frame->state->plain)
        cm_frame_panel(frame, "%s%s", cm_frame_column_name(frame), frame->panel->title);
    else
        cm_frame_panel(frame, "%s%s: now %u under way (most %u), %u waiting (most %u), %u arrived",
                       cm_frame_column_name(frame), frame->panel->title, now.in_flight, most[0],
                       now.waiting, most[1], now.arrived);
    double each = row_height(frame), high = each - gap_of(each);
    for (int row = 0; row < 3; row++) {
        double top = frame->inside.y + row * each;
        if (each < AXIS) {
            cm_text(frame,
                    (struct cm_text_place){CM_RIGHT, frame->place.x, top + each / 2,
                                           frame->layout.strip_left - 6},
                    CM_VIEW_TEXT, "%s", names[row]);
            continue;
        }
        draw_levels(frame, top + TITLE, high - TITLE, most[row]);
        cm_text(frame,
                (struct cm_text_place){CM_LEFT, frame->place.x + frame->layout.strip_left, top + 6,
                                       frame->inside.w},
                CM_VIEW_TEXT, "packets %s", names[row]);
    }
}

/* Finds the tops of the three scales, which two compared runs share. */
static void find_most(const struct cm_frame *frame, uint32_t most[3])
{
    struct cm_view_counts top = cm_view_most_packets(frame->run);
    for (uint32_t i = 0; i < 2 && frame->layout.columns == 3; i++) {
        struct cm_view_counts run = cm_view_most_packets(&frame->model->runs[i]);
        top.in_flight = run.in_flight > top.in_flight ? run.in_flight : top.in_flight;
        top.waiting = run.waiting > top.waiting ? run.waiting : top.waiting;
        top.arrived = run.arrived > top.arrived ? run.arrived : top.arrived;
    }
    most[0] = top.in_flight;
    most[1] = top.waiting;
    most[2] = top.arrived;
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
    uint32_t most[3];
    find_most(frame, most);
    begin_panel(frame, most);
    for (uint32_t i = 0; i < columns; i++) {
        uint64_t length = strip.end - strip.first;
        uint64_t cycle = strip.first + (uint64_t)((double)length * i / columns);
        struct cm_view_counts at = cm_view_count_packets(frame->run, cycle);
        const uint32_t value[3] = {at.in_flight, at.waiting, at.arrived};
        draw_column(frame, first + (int)i, value, most);
    }
    cm_frame_cursor(frame, frame->inside.y, frame->inside.y + 3 * row_height(frame));
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
