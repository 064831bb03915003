/* The panel of the cube: nodes with the slots of their transposers, and a line for every channel.
 * Lines of channels to the lower node number are dashed. */
#include "callout.h"
#include "packets.h"

#include <math.h>
#include <stdio.h>

/* State for drawing all parts of one cube. */
struct scene {
    const struct cm_frame *frame;
    struct cm_cube cube;
    struct cm_shares shares, nodes;
};

static uint32_t channel_index(const struct scene *scene, uint32_t node, uint32_t dimension,
                              uint32_t channel)
{
    return cm_view_channel_index(scene->frame->run, node, dimension, channel);
}

static double share_of(const struct scene *scene, uint32_t node, uint32_t dimension,
                       uint32_t channel)
{
    return cm_share(&scene->shares, channel_index(scene, node, dimension, channel));
}

static bool is_hidden(const struct scene *scene, uint32_t dimension)
{
    return scene->frame->state->hidden_dimensions >> dimension & 1;
}

static void draw_polyline(const struct cm_canvas *canvas, const struct cm_point *line,
                          uint32_t points, double width, double dash, uint32_t colour)
{
    for (uint32_t i = 0; i + 1 < points; i++)
        cm_canvas_line(canvas, line[i], line[i + 1], width, dash, colour);
}

static void draw_head(const struct cm_canvas *canvas, struct cm_point from, struct cm_point to,
                      double size, uint32_t colour)
{
    double dx = to.x - from.x, dy = to.y - from.y, length = sqrt(dx * dx + dy * dy);
    if (!(length > 0))
        return;
    dx *= size / length;
    dy *= size / length;
    cm_canvas_triangle(
        canvas, to, (struct cm_point){to.x - 1.6 * dx - 0.5 * dy, to.y - 1.6 * dy + 0.5 * dx},
        (struct cm_point){to.x - 1.6 * dx + 0.5 * dy, to.y - 1.6 * dy - 0.5 * dx}, colour);
}

static void draw_channel(const struct scene *scene, uint32_t node, uint32_t dimension,
                         uint32_t channel)
{
    const struct cm_canvas *canvas = &scene->frame->canvas;
    struct cm_point line[4];
    double lane = scene->cube.lane, dash = node >> dimension & 1 ? 4 : 0;
    uint32_t index = channel_index(scene, node, dimension, channel);
    uint32_t points = cm_cube_lane(&scene->cube, node, dimension, channel, line);
    uint32_t colour = cm_frame_colour(scene->frame, cm_share(&scene->shares, index));
    if (cm_frame_is_subject(scene->frame, CM_VIEW_MARK_CHANNEL, index))
        draw_polyline(canvas, line, points, lane * 0.6 + 3, 0, CM_VIEW_PIN);
    if (colour == 0) {
        /* Where lines are close together, an idle edge is one thin line, which is drawn for channel
         * 0 of the upward direction. */
        if (lane >= 3 || (dash == 0 && channel == 0))
            draw_polyline(canvas, line, points, 1, lane >= 3 ? dash : 0, CM_VIEW_OUTLINE);
        return;
    }
    draw_polyline(canvas, line, points, lane * 0.6 > 1.2 ? lane * 0.6 : 1.2, dash, colour);
    if (lane >= 2)
        draw_head(canvas, line[points - 2], line[points - 1], lane >= 3 ? 6 : 4, colour);
}

/* Draws either the idle channels or the busy ones. The caller draws idle ones first, so that they
 * never hide a busy one. */
static void draw_channels(const struct scene *scene, bool idle)
{
    for (uint32_t i = 0; i < scene->cube.count; i++) {
        uint32_t node = cm_cube_member(&scene->cube, i);
        for (uint32_t d = 0; d < scene->cube.dimensions; d++)
            for (uint32_t c = 0; c < scene->cube.channels && !is_hidden(scene, d); c++)
                if (cm_cube_joins(&scene->cube, node, d) &&
                    (share_of(scene, node, d, c) == 0) == idle)
                    draw_channel(scene, node, d, c);
    }
}

/* Returns a channel's share as a percentage without the sign %. A difference has a sign. */
static struct cm_formatted load_of(const struct scene *scene, double share)
{
    struct cm_formatted load;
    const char *sign = !scene->frame->difference ? "" : share < 0 ? "\xe2\x88\x92" : "+";
    double percent = fabs(share) * 100;
    int places = percent == 0 || percent >= 99.95 ? 0 : percent >= 0.095 ? 1 : 2;
    snprintf(load.text, sizeof load.text, "%s%.*f", sign, places, percent);
    return load;
}

/* Writes the shares of a node's channels in one dimension, such as "100 %", or "100/50 %" if they
 * differ. Writes nothing if all are idle. */
static void print_loads(const struct scene *scene, uint32_t node, uint32_t dimension, char *text,
                        size_t size)
{
    uint32_t channels = scene->cube.channels;
    double first = share_of(scene, node, dimension, 0);
    size_t length = 0;
    bool idle = true, same = true;
    text[0] = '\0';
    for (uint32_t c = 0; c < channels; c++) {
        idle = idle && share_of(scene, node, dimension, c) == 0;
        same = same && share_of(scene, node, dimension, c) == first;
    }
    if (idle)
        return;
    for (uint32_t c = 0; c < channels && length + 16 < size && (c == 0 || !same); c++)
        length += (size_t)snprintf(text + length, size - length, "%s%s", c > 0 ? "/" : "",
                                   load_of(scene, share_of(scene, node, dimension, c)).text);
    snprintf(text + length, size - length, " %%");
}

static void label_loads(const struct scene *scene, uint32_t node, uint32_t dimension)
{
    char text[64];
    struct cm_point line[4];
    print_loads(scene, node, dimension, text, sizeof text);
    if (text[0] == '\0')
        return;
    cm_cube_lane(&scene->cube, node, dimension, 0, line);
    double dx = line[1].x - line[0].x, dy = line[1].y - line[0].y;
    double length = sqrt(dx * dx + dy * dy);
    double w = cm_label_width_of(&scene->frame->label, CM_LABEL_SMALL, text) + 4;
    if (!(length > 0))
        return;
    /* the text is on the outer side of the channels. Channel 0 is the outermost */
    double nx = dy / length, ny = -dx / length;
    double x = line[0].x + dx * 0.5 + nx * 9, y = line[0].y + dy * 0.5 + ny * 9;
    enum cm_align align = fabs(nx) < 0.3 ? CM_CENTRE : nx > 0 ? CM_LEFT : CM_RIGHT;
    double left = align == CM_CENTRE ? x - w / 2 : align == CM_LEFT ? x : x - w;
    cm_canvas_fill(&scene->frame->canvas, left - 1, y - 6, w, 12, CM_VIEW_GROUND);
    cm_text(scene->frame, (struct cm_text_place){align, left, y, w}, CM_VIEW_TEXT, "%s", text);
}

/* length in points below which an edge of the third dimension is short */
#define EDGE_SHORT 40

/* Writes the number of the dimension at the middle of an edge. */
static void label_edge(const struct scene *scene, uint32_t node, uint32_t dimension)
{
    struct cm_point a = cm_cube_node(&scene->cube, node), line[4];
    struct cm_point b = cm_cube_node(&scene->cube, node ^ 1u << dimension);
    double x = (a.x + b.x) / 2, y = (a.y + b.y) / 2;
    cm_cube_lane(&scene->cube, node, dimension, 0, line);
    double dx = line[1].x - line[0].x, dy = line[1].y - line[0].y, length = sqrt(dx * dx + dy * dy);
    /* the label is next to a short edge, because on the edge it would hide the channels */
    if (dimension == 2 && length > 0 && length < EDGE_SHORT) {
        x += dy / length * 20;
        y -= dx / length * 20;
    }
    cm_canvas_fill(&scene->frame->canvas, x - 11, y - 8, 22, 16, CM_VIEW_RAISED);
    cm_text(scene->frame, (struct cm_text_place){CM_CENTRE, x - 11, y, 22}, CM_VIEW_TEXT, "d%u",
            dimension);
}

static void label_oblique(const struct scene *scene)
{
    for (uint32_t i = 0; i < scene->cube.count; i++)
        for (uint32_t d = 0; d < scene->cube.dimensions; d++) {
            if (is_hidden(scene, d))
                continue;
            if (scene->cube.box_h > 40)
                label_loads(scene, scene->cube.base + i, d);
            if (!(i >> d & 1))
                label_edge(scene, scene->cube.base + i, d);
        }
}

/* Returns the share of largest magnitude among the channels of a node in a dimension. */
static double most_of(const struct scene *scene, uint32_t node, uint32_t dimension)
{
    double most = 0;
    for (uint32_t c = 0; c < scene->cube.channels; c++) {
        double share = share_of(scene, node, dimension, c);
        most = fabs(share) > fabs(most) ? share : most;
    }
    return most;
}

#define ROW_ROOM 20 /* distance in points between rows from which text has room above the lines */

/* Writes the dimension of a row and the loads to the right and to the left, or only the larger
 * load, or only the dimension, as there is room. */
static void print_row(const struct scene *scene, uint32_t dimension, double right, double left,
                      double room, char text[64])
{
    const struct cm_label *label = &scene->frame->label;
    double most = fabs(right) > fabs(left) ? right : left;
    char of_right[32] = "", of_left[32] = "";
    if (right != 0)
        snprintf(of_right, sizeof of_right, " \xe2\x86\x92 %.20s", load_of(scene, right).text);
    if (left != 0)
        snprintf(of_left, sizeof of_left, " \xe2\x86\x90 %.20s", load_of(scene, left).text);
    snprintf(text, 64, "d%u%.24s%.24s%s", dimension, of_right, of_left, most != 0 ? " %" : "");
    if (most != 0 && cm_label_width_of(label, CM_LABEL_SMALL, text) > room)
        snprintf(text, 64, "d%u %.20s %%", dimension, load_of(scene, most).text);
    if (cm_label_width_of(label, CM_LABEL_SMALL, text) > room)
        snprintf(text, 64, "d%u", dimension);
    if (cm_label_width_of(label, CM_LABEL_SMALL, text) > room)
        text[0] = '\0';
}

/* Writes above a row of a neighbourhood its dimension, and the loads of the busiest channel to the
 * right and to the left. */
static void label_row(const struct scene *scene, uint32_t node, uint32_t dimension)
{
    const struct cm_cube *cube = &scene->cube;
    uint32_t to = node ^ 1u << dimension;
    struct cm_point line[4];
    cm_cube_lane(cube, node, dimension, 0, line);
    bool right = line[0].x < line[1].x;
    double there = most_of(scene, node, dimension);
    double back = most_of(scene, to, dimension);
    double x = fmin(line[0].x, line[1].x), w = fabs(line[1].x - line[0].x);
    char text[64];
    print_row(scene, dimension, right ? there : back, right ? back : there, w - 6, text);
    bool above = cube->pitch_y >= ROW_ROOM;
    double y = cm_cube_node(cube, cm_cube_is_bar(cube, node) ? to : node).y;
    double half = cm_label_width_of(&scene->frame->label, CM_LABEL_SMALL, text) / 2 + 3;
    if (!above) /* the text is on the lines */
        cm_canvas_fill(&scene->frame->canvas, x + w / 2 - half, y - 6, 2 * half, 12,
                       CM_VIEW_GROUND);
    cm_text(
        scene->frame,
        (struct cm_text_place){CM_CENTRE, x, above ? y - cube->lane * cube->channels - 7 : y, w},
        CM_VIEW_TEXT, "%s", text);
}

static void label_rows(const struct scene *scene)
{
    const struct cm_cube *cube = &scene->cube;
    for (uint32_t i = 0; i < cube->count; i++) {
        uint32_t node = cm_cube_member(cube, i);
        for (uint32_t d = 0; d < cube->dimensions; d++)
            if (cm_cube_joins(cube, node, d) && !is_hidden(scene, d) &&
                (!cm_cube_is_bar(cube, node) || (i == 0 && cube->bars == 2 && d == cube->joined)))
                label_row(scene, node, d);
    }
}

/* Writes the dimension in which two neighbouring columns or rows of the grid differ, at the margin
 * between them. In Gray order, position i differs from position i - 1 in the dimension of the
 * lowest bit of i. */
static void label_side(const struct scene *scene, enum cm_align align, double x, double y,
                       uint32_t dimension)
{
    if (scene->frame->state->cube_zoom > 1) /* channels may be drawn under the label */
        cm_canvas_fill(&scene->frame->canvas, align == CM_LEFT ? x - 2 : x + 4, y - 7, 22, 14,
                       CM_VIEW_GROUND);
    cm_text(scene->frame, (struct cm_text_place){align, x, y, 30}, CM_VIEW_QUIET, "d%u", dimension);
}

static void label_grid(const struct scene *scene)
{
    const struct cm_cube *cube = &scene->cube;
    struct cm_view_rect in = scene->frame->inside;
    uint32_t bits = (cube->dimensions + 1) / 2;
    for (uint32_t i = 1; i < cube->columns; i++) {
        double x = cube->x + (i - 0.5) * cube->pitch_x, y = cube->y + (i - 0.5) * cube->pitch_y;
        uint32_t dimension = (uint32_t)__builtin_ctz(i);
        label_side(scene, CM_CENTRE, x - 15, in.y + 5, dimension);
        if (i < cube->rows && y > in.y + 14)
            label_side(scene, CM_LEFT, in.x, y, dimension + bits);
    }
}

/* Writes the share of the busiest channel between two nodes, in either direction, if the nodes are
 * neighbours in the grid. */
static void label_grid_loads(const struct scene *scene, uint32_t node, uint32_t dimension)
{
    const struct cm_cube *cube = &scene->cube;
    struct cm_point a = cm_cube_node(cube, node), b = cm_cube_node(cube, node ^ 1u << dimension);
    double most = 0, x = (a.x + b.x) / 2, y = (a.y + b.y) / 2;
    if (fabs(a.x - b.x) > 1.5 * cube->pitch_x || fabs(a.y - b.y) > 1.5 * cube->pitch_y)
        return;
    for (uint32_t c = 0; c < cube->channels; c++) {
        double up = share_of(scene, node, dimension, c);
        double down = share_of(scene, node ^ 1u << dimension, dimension, c);
        most = fabs(up) > fabs(most) ? up : most;
        most = fabs(down) > fabs(most) ? down : most;
    }
    if (most == 0 || is_hidden(scene, dimension))
        return;
    double middle = a.y == b.y ? y - 12 : y;
    cm_canvas_fill(&scene->frame->canvas, x - 18, middle - 6, 36, 12, CM_VIEW_GROUND);
    cm_text(scene->frame, (struct cm_text_place){CM_CENTRE, x - 20, middle, 40}, CM_VIEW_TEXT,
            "%s %%", load_of(scene, most).text);
}

/* Cells that show slots, `across` cells in a row. */
struct cells {
    double x, y;
    double width, height; /* size of a cell. If slots take several rows, cells are squares */
    uint32_t across;
};

/* Draws slots as cells. Slots in `used` are lit. */
static void draw_slots(const struct scene *scene, uint64_t used, struct cells cells,
                       uint32_t colour)
{
    double cell = cells.width, gap = cell >= 3 ? 1 : cell >= 2 ? 0.5 : 0;
    double tall = cells.across < 32 ? cell - gap : cells.height;
    for (uint32_t s = 0; s < scene->frame->run->info->slots; s++) {
        double left = floor(cells.x) + s % cells.across * cell;
        double top = cells.y + s / cells.across * cell;
        uint32_t fill = used >> s & 1 ? colour : CM_VIEW_RULE;
        cm_canvas_fill(&scene->frame->canvas, left, top, cell - gap, tall, fill);
    }
}

/* Draws a node with its number in decimal and binary, and with the slots of its transposers A and
 * B. */
static void draw_large_node(const struct scene *scene, uint32_t node,
                            const struct cm_view_slots *slots, double x, double y)
{
    const struct cm_frame *frame = scene->frame;
    const struct cm_cube *cube = &scene->cube;
    double cell = (cube->box_w - 24) / 32;
    cell = cell >= 3 ? floor(cell) : cell;
    char binary[33] = "";
    for (uint32_t d = 0; d < cube->dimensions; d++)
        binary[d] = node >> (cube->dimensions - 1 - d) & 1 ? '1' : '0';
    cm_label_print(&frame->label, CM_LABEL_TITLE,
                   (struct cm_text_place){CM_LEFT, x + 6, y + 11, 30}, CM_VIEW_TEXT, "%u", node);
    cm_label_draw(&frame->label, CM_LABEL_MONO,
                  (struct cm_text_place){CM_RIGHT, x + 34, y + 11, cube->box_w - 40}, CM_VIEW_QUIET,
                  binary);
    double row = floor((cube->box_h - 24) / 2), tall = row - 6, first = y + 20 + row / 2;
    cm_text(frame, (struct cm_text_place){CM_LEFT, x + 5, first, 12}, CM_VIEW_SLOT_A, "A");
    draw_slots(scene, slots->a, (struct cells){x + 18, first - tall / 2, cell, tall, 32},
               CM_VIEW_SLOT_A);
    cm_text(frame, (struct cm_text_place){CM_LEFT, x + 5, first + row, 12}, CM_VIEW_SLOT_B, "B");
    draw_slots(scene, slots->b, (struct cells){x + 18, first + row - tall / 2, cell, tall, 32},
               CM_VIEW_SLOT_B);
}

/* Draws a small node: its number, if there is room, above the slots of transposers A and B. */
static void draw_small_node(const struct scene *scene, uint32_t node,
                            const struct cm_view_slots *slots, double x, double y)
{
    const struct cm_cube *cube = &scene->cube;
    if (cube->columns == 0) {
        double cell = (cube->box_w - 6) / 32;
        cm_label_print(&scene->frame->label, CM_LABEL_TITLE,
                       (struct cm_text_place){CM_CENTRE, x, y + 9, cube->box_w}, CM_VIEW_TEXT, "%u",
                       node);
        draw_slots(scene, slots->a, (struct cells){x + 3, y + 17, cell, 4, 32}, CM_VIEW_SLOT_A);
        draw_slots(scene, slots->b, (struct cells){x + 3, y + 22, cell, 4, 32}, CM_VIEW_SLOT_B);
    } else if (cube->box_w >= 18) {
        bool number = cube->box_h > cube->box_w;
        double cell = floor((cube->box_w - 4) / 8), left = x + cube->box_w / 2 - 4 * cell;
        double middle = floor(number ? y + cube->box_h - 4 * cell - 3 : y + cube->box_h / 2);
        draw_slots(scene, slots->a, (struct cells){left, middle - 4 * cell - 0.5, cell, 0, 8},
                   CM_VIEW_SLOT_A);
        draw_slots(scene, slots->b, (struct cells){left, middle + 0.5, cell, 0, 8}, CM_VIEW_SLOT_B);
        if (number)
            cm_text(scene->frame,
                    (struct cm_text_place){CM_CENTRE, x, y + (middle - 4 * cell - y + 1) / 2,
                                           cube->box_w},
                    CM_VIEW_TEXT, "%u", node);
    }
}

/* Draws the border of a node in the colour of the node's load. */
static void draw_border(const struct scene *scene, uint32_t node, double x, double y)
{
    const struct cm_frame *frame = scene->frame;
    const struct cm_cube *cube = &scene->cube;
    uint32_t colour = cm_frame_colour_of(frame, &scene->nodes, cm_share(&scene->nodes, node));
    bool subject = cm_frame_is_subject(frame, CM_VIEW_MARK_NODE, node);
    double wide = cube->box_w >= 60 ? 3 : 2, high = cm_cube_height(cube, node);
    cm_canvas_frame(&frame->canvas, (struct cm_area){x, y, cube->box_w, high},
                    colour != 0 ? wide : 1, colour != 0 ? colour : CM_VIEW_QUIET);
    if (subject)
        cm_canvas_frame(&frame->canvas, (struct cm_area){x - 2, y - 2, cube->box_w + 4, high + 4},
                        2, CM_VIEW_PIN);
}

static void draw_node(const struct scene *scene, uint32_t node)
{
    const struct cm_frame *frame = scene->frame;
    const struct cm_cube *cube = &scene->cube;
    struct cm_point at = cm_cube_node(cube, node);
    double high = cm_cube_height(cube, node), x = at.x - cube->box_w / 2, y = at.y - high / 2;
    cm_canvas_fill(&frame->canvas, x, y, cube->box_w, high, CM_VIEW_BACK);
    draw_border(scene, node, x, y);
    if (cube->bars > 0) {
        cm_label_print(&frame->label, CM_LABEL_TITLE,
                       (struct cm_text_place){CM_CENTRE, x, at.y, cube->box_w}, CM_VIEW_TEXT, "%u",
                       node);
        return;
    }
    const struct cm_view_slots *slots =
        &cm_view_slots(frame->run, frame->first, frame->end, cube->base)[node - cube->base];
    if (cube->columns == 0 && cube->box_h > 40)
        draw_large_node(scene, node, slots, x, y);
    else
        draw_small_node(scene, node, slots, x, y);
}

static bool is_too_small(const struct cm_cube *cube)
{
    if (cube->bars > 0)
        return cube->box_h < 10 || cube->inside.w < 4 * cube->box_w;
    return cube->pitch_x < 12 || cube->pitch_y < 12;
}

static struct cm_view_rect view_of(const struct cm_frame *frame)
{
    struct cm_view_rect place = frame->place;
    return (struct cm_view_rect){place.x, place.y + CM_TITLE_HEIGHT, place.w,
                                 place.h - CM_TITLE_HEIGHT};
}

static void say_zoom(const struct cm_frame *frame)
{
    struct cm_view_rect place = frame->place;
    double w = 116, x = place.x + place.w - w;
    if (frame->state->cube_zoom == 1 || place.w < w + 60)
        return;
    cm_canvas_fill(&frame->canvas, x, place.y, w, CM_TITLE_HEIGHT, CM_VIEW_RAISED);
    cm_text(frame, (struct cm_text_place){CM_RIGHT, x, place.y + CM_TITLE_HEIGHT / 2.0, w - 8},
            CM_VIEW_TEXT, "%.3g\xc3\x97; Shift+Z: all", frame->state->cube_zoom);
}

/* Draws the callouts of the busiest channel, unless all loads have labels, and of the hot spot. */
static void draw_callouts(const struct scene *scene)
{
    const struct cm_cube *cube = &scene->cube;
    struct cm_hottest hottest = cm_frame_hottest(scene->frame);
    struct cm_point line[4];
    if (hottest.channel != CM_TRACE_NONE && cube->bars == 0 &&
        (cube->columns > 0 || cube->box_h <= 40)) {
        struct cm_view_channel at = cm_view_channel_parts(scene->frame->run, hottest.channel);
        if (cm_cube_joins(cube, at.node, at.dimension)) {
            uint32_t points = cm_cube_lane(cube, at.node, at.dimension, at.channel, line);
            cm_callout_place(&hottest.callouts[0], cm_point_along(line, points, 0.5));
        }
    }
    /* in a neighbourhood all nodes and loads have labels */
    if (cube->bars == 0 && hottest.node != CM_TRACE_NONE && cm_cube_has(cube, hottest.node))
        cm_callout_place(&hottest.callouts[1], cm_cube_node(cube, hottest.node));
    struct cm_view_rect within = scene->frame->inside;
    if (cube->columns > 0) /* dimensions have their labels at two sides */
        within = (struct cm_view_rect){within.x + 22, within.y + 12, within.w - 22, within.h - 12};
    cm_lay_out_callouts(scene->frame, within, &hottest);
    cm_draw_callouts(scene->frame, &hottest);
}

static void draw_cube(const struct cm_frame *frame)
{
    struct scene scene = {.frame = frame, .cube = cm_cube_of(frame)};
    const struct cm_cube *cube = &scene.cube;
    if (cube->bars == 2)
        cm_frame_panel(frame, "%sCube: neighbours of %u and %u", cm_frame_column_name(frame),
                       cube->bar[0], cube->bar[1]);
    else if (cube->bars == 1)
        cm_frame_panel(frame, "%sCube: neighbours of %u", cm_frame_column_name(frame),
                       cube->bar[0]);
    else if (cube->count < frame->run->info->nodes)
        cm_frame_panel(frame, "%sCube: nodes %u\xe2\x80\x93%u", cm_frame_column_name(frame),
                       cube->base, cube->base + cube->count - 1);
    else
        cm_frame_panel(frame, "%sCube%s", cm_frame_column_name(frame),
                       frame->place.w > 450   ? ": solid to the higher number, dashed to the lower"
                       : frame->place.w > 300 ? ": dashed to the lower number"
                                              : "");
    if (cm_frame_say_incomparable(frame) || is_too_small(cube))
        return;
    /* frame whose canvas is clipped to the visible part of the cube */
    struct cm_frame view = *frame;
    view.canvas = cm_canvas_clip(&frame->canvas, view_of(frame));
    view.label.canvas = &view.canvas;
    scene.frame = &view;
    scene.shares = cm_frame_channels(frame);
    scene.nodes = cm_frame_nodes(frame);
    draw_channels(&scene, true);
    draw_channels(&scene, false);
    if (cube->bars > 0)
        label_rows(&scene);
    else if (cube->columns > 0)
        label_grid(&scene);
    for (uint32_t i = 0; i < cube->count && cube->bars == 0 && cube->box_h > cube->box_w; i++)
        for (uint32_t d = 0; d < cube->dimensions; d++)
            if (!(i >> d & 1))
                label_grid_loads(&scene, cube->base + i, d);
    for (uint32_t i = 0; i < cube->count; i++)
        draw_node(&scene, cm_cube_member(cube, i));
    cm_draw_words_on_cube(&view, cube);
    cm_draw_packets_on_cube(&view, cube);
    if (cube->bars == 0 && cube->columns == 0) /* words must not hide the labels of edges */
        label_oblique(&scene);
    draw_callouts(&scene);
    say_zoom(frame);
}

static double distance_to(struct cm_point a, struct cm_point b, double x, double y)
{
    double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
    double along = square > 0 ? ((x - a.x) * dx + (y - a.y) * dy) / square : 0;
    along = along < 0 ? 0 : along > 1 ? 1 : along;
    double ex = a.x + along * dx - x, ey = a.y + along * dy - y;
    return sqrt(ex * ex + ey * ey);
}

/* Finds the channel of a node that is nearest to a point, if it is nearer than *best. Updates *best
 * and *found. */
static void nearest_lane(const struct scene *scene, uint32_t node, double x, double y, double *best,
                         uint32_t *found)
{
    struct cm_point line[4];
    for (uint32_t d = 0; d < scene->cube.dimensions; d++)
        for (uint32_t c = 0; c < scene->cube.channels && !is_hidden(scene, d); c++) {
            if (!cm_cube_joins(&scene->cube, node, d))
                break;
            uint32_t points = cm_cube_lane(&scene->cube, node, d, c, line);
            for (uint32_t i = 0; i + 1 < points; i++) {
                double away = distance_to(line[i], line[i + 1], x, y);
                if (away < *best) {
                    *best = away;
                    *found = channel_index(scene, node, d, c);
                }
            }
        }
}

static void hit_cube(const struct cm_frame *frame, double x, double y, struct cm_view_hit *hit)
{
    struct scene scene = {.frame = frame, .cube = cm_cube_of(frame)};
    const struct cm_cube *cube = &scene.cube;
    uint32_t found = CM_TRACE_NONE;
    struct cm_view_rect view = view_of(frame);
    hit->on_cube =
        /* the picture may be tiny */
        cm_rect_has(view, x, y) && frame->inside.w > 0 && frame->inside.h > 0;
    if (!hit->on_cube)
        return;
    hit->cube_x = (x - frame->inside.x) / frame->inside.w;
    hit->cube_y = (y - frame->inside.y) / frame->inside.h;
    if (is_too_small(cube))
        return;
    for (uint32_t i = cube->count; i-- > 0;) { /* the node drawn last is on top */
        uint32_t node = cm_cube_member(cube, i);
        struct cm_point at = cm_cube_node(cube, node);
        if (fabs(x - at.x) <= cube->box_w / 2 && fabs(y - at.y) <= cm_cube_height(cube, node) / 2) {
            cm_frame_mark(frame, CM_VIEW_MARK_NODE, node, hit);
            return;
        }
    }
    double best = cube->lane > 4 ? cube->lane : 4;
    for (uint32_t i = 0; i < cube->count; i++)
        nearest_lane(&scene, cm_cube_member(cube, i), x, y, &best, &found);
    if (found != CM_TRACE_NONE)
        cm_frame_mark(frame, CM_VIEW_MARK_CHANNEL, found, hit);
}

const struct cm_panel cm_panel_cube = {
    .title = "Cube",
    .about = "Nodes and channels: loads as colours, words and packets on their way.",
    .keys = "P I N T Shift+W Shift+C Tab Return",
    .region = CM_REGION_MAPS,
    .compared = CM_REGION_MAPS,
    .share = {56, 42},
    .yields = 4,
    .draw = draw_cube,
    .hit = hit_cube,
};
