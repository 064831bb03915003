/*
 * The panel of the whole machine: its nodes as a grid in Gray order, as a heat map of node by
 * channel, or as a front panel of red lamps. If a node of the grid is pinned, the panel also shows
 * the loads of the nodes that are one, two, ... channels away, called layers.
 */
#include "callout.h"
#include "packets.h"

#include <math.h>
#include <stdio.h>

#define LAYERS_HEIGHT 74
#define LAYER_NAMES   74  /* width in points of the names of the table's rows */
#define LAYER_LEAST   24  /* least width in points of a column of the table */
#define LAYERS_ROOM   230 /* height of the panel in points from which layers are shown */
#define COLUMN_PIXELS 3   /* least width in pixels of a column of the heat map */
#define TAB_WIDTH     72
#define TABS_ROOM     310 /* a panel that is narrower, in points, has a title but no tabs */

/* State for drawing the machine in one column of the picture. */
struct scene {
    const struct cm_frame *frame;
    struct cm_cells cells;
};

static struct cm_view_rect tab_of(const struct cm_frame *frame, unsigned layout)
{
    struct cm_view_rect place = frame->place;
    if (place.w < TABS_ROOM || frame->state->plain)
        return (struct cm_view_rect){place.x, place.y, 0, 0};
    int right = TAB_WIDTH * (CM_VIEW_MACHINE_COUNT - (int)layout);
    return (struct cm_view_rect){place.x + place.w - right, place.y, TAB_WIDTH, CM_TITLE_HEIGHT};
}

/* Returns the width of a column of the table of layers. */
static double layer_width(const struct cm_frame *frame)
{
    return (frame->inside.w - (double)LAYER_NAMES) / (frame->run->info->dimensions + 1);
}

/* Returns true if there is room for the table of layers, or for the text in its place. */
static bool has_layers(const struct cm_frame *frame)
{
    bool text = cm_frame_pinned_node(frame) == CM_TRACE_NONE;
    return frame->inside.h > LAYERS_ROOM && (text || layer_width(frame) >= LAYER_LEAST);
}

static struct cm_cells grid_of(const struct cm_frame *frame)
{
    struct cm_view_rect inside = frame->inside;
    struct cm_cells cells;
    cm_view_grid_size(frame->run, &cells.columns, &cells.rows);
    double height = inside.h - (has_layers(frame) ? LAYERS_HEIGHT : 0);
    double each = fmin((double)inside.w / cells.columns, height / cells.rows);
    /* Cells are whole pixels, so all are equally large. */
    each = fmax(1, floor(each * frame->canvas.scale)) / frame->canvas.scale;
    cells.w = each * cells.columns;
    cells.h = each * cells.rows;
    cells.x = inside.x + floor((inside.w - cells.w) / 2);
    cells.y = inside.y + floor((height - cells.h) / 2);
    return cells;
}

static struct cm_cells heat_of(const struct cm_frame *frame)
{
    const struct cm_trace_info *info = frame->run->info;
    struct cm_view_rect inside = frame->inside;
    struct cm_cells cells = {.x = inside.x + 50, .y = inside.y, .w = inside.w - 50};
    uint32_t pixels = cells.w > 1 ? (uint32_t)(cells.w * frame->canvas.scale) : 1;
    uint32_t most = pixels / COLUMN_PIXELS > 0 ? pixels / COLUMN_PIXELS : 1;
    uint32_t share = (info->nodes + most - 1) / most; /* number of nodes that share a column */
    cells.columns = (info->nodes + share - 1) / share;
    cells.rows = info->dimensions * info->channels;
    double each = cells.rows > 0 ? floor((inside.h - 20.0) / cells.rows) : 1;
    each = each < 1 ? 1 : each > 64 ? 64 : each;
    cells.h = each * cells.rows;
    return cells;
}

/* Returns the number of the first node in a column of the heat map. */
static uint32_t heat_node(const struct cm_frame *frame, const struct cm_cells *cells,
                          uint32_t column)
{
    return (uint32_t)((uint64_t)frame->run->info->nodes * column / cells->columns);
}

static struct cm_view_rect cell_of(const struct scene *scene, uint32_t column, uint32_t row)
{
    const struct cm_canvas *canvas = &scene->frame->canvas;
    const struct cm_cells *cells = &scene->cells;
    double w = cells->w / cells->columns, h = cells->h / cells->rows;
    int left = cm_canvas_pixel(canvas, cells->x + column * w);
    int top = cm_canvas_pixel(canvas, cells->y + row * h);
    return (struct cm_view_rect){left, top,
                                 cm_canvas_pixel(canvas, cells->x + (column + 1) * w) - left,
                                 cm_canvas_pixel(canvas, cells->y + (row + 1) * h) - top};
}

static uint32_t distance(uint32_t a, uint32_t b)
{
    return (uint32_t)__builtin_popcount(a ^ b);
}

/* Returns the middle of a cell. */
static struct cm_point middle_of(const struct scene *scene, double column, double row)
{
    const struct cm_cells *cells = &scene->cells;
    return (struct cm_point){cells->x + (column + 0.5) * cells->w / cells->columns,
                             cells->y + (row + 0.5) * cells->h / cells->rows};
}

static struct cm_point middle_of_node(const struct scene *scene, uint32_t node)
{
    uint32_t column, row;
    cm_view_grid_place(scene->frame->run, node, &column, &row);
    return middle_of(scene, column, row);
}

/* Returns the callouts of the busiest channel, at the node that it leads from, and of the hot spot.
 * */
static struct cm_hottest callouts_of_grid(const struct scene *scene)
{
    struct cm_hottest hottest = cm_frame_hottest(scene->frame);
    uint32_t sender = hottest.channel != CM_TRACE_NONE
                          ? cm_view_channel_parts(scene->frame->run, hottest.channel).node
                          : CM_TRACE_NONE;
    if (sender != CM_TRACE_NONE)
        cm_callout_place(&hottest.callouts[0], middle_of_node(scene, sender));
    if (hottest.node != CM_TRACE_NONE)
        cm_callout_place(&hottest.callouts[1], middle_of_node(scene, hottest.node));
    cm_lay_out_callouts(scene->frame, scene->frame->inside, &hottest);
    return hottest;
}

static void draw_cells(const struct scene *scene, const struct cm_shares *shares,
                       const struct cm_hottest *hottest, uint32_t from)
{
    const struct cm_frame *frame = scene->frame;
    const struct cm_canvas *canvas = &frame->canvas;
    int gap = scene->cells.w / scene->cells.columns * canvas->scale >= 5 ? 1 : 0;
    for (uint32_t row = 0; row < scene->cells.rows; row++)
        for (uint32_t column = 0; column < scene->cells.columns; column++) {
            struct cm_view_rect cell = cell_of(scene, column, row);
            uint32_t node = cm_view_grid_node(frame->run, column, row);
            uint32_t colour = cm_frame_colour_of(frame, shares, cm_share(shares, node));
            cell.w -= gap;
            cell.h -= gap;
            if (colour != 0)
                cm_canvas_fill_pixels(canvas, cell.x, cell.y, cell.w, cell.h, colour);
            else
                cm_canvas_frame_pixels(canvas, cell, 1, CM_VIEW_OUTLINE);
            struct cm_area area = {cell.x / canvas->scale, cell.y / canvas->scale,
                                   cell.w / canvas->scale, cell.h / canvas->scale};
            if (area.w >= (from == CM_TRACE_NONE ? 26 : 16) && !cm_is_under_callout(hottest, area))
                cm_text(frame,
                        (struct cm_text_place){CM_CENTRE, cell.x / canvas->scale - 4,
                                               (cell.y + cell.h / 2.0) / canvas->scale,
                                               cell.w / canvas->scale + 8},
                        colour != 0 ? cm_view_ink_on(colour) : CM_VIEW_TEXT, "%u",
                        from == CM_TRACE_NONE ? node : distance(node, from));
        }
}

/* Draws a frame around a node, and around each of its neighbours in the cube. */
static void frame_neighbours(const struct scene *scene, uint32_t from)
{
    const struct cm_frame *frame = scene->frame;
    int thick = (int)(frame->canvas.scale + 0.5);
    uint32_t column, row;
    for (uint32_t d = 0; d <= frame->run->info->dimensions; d++) {
        bool self = d == frame->run->info->dimensions;
        cm_view_grid_place(frame->run, self ? from : from ^ 1u << d, &column, &row);
        struct cm_view_rect cell = cell_of(scene, column, row);
        cell = (struct cm_view_rect){cell.x - thick - 1, cell.y - thick - 1, cell.w + 2 * thick + 1,
                                     cell.h + 2 * thick + 1};
        cm_canvas_frame_pixels(&frame->canvas, cell, self ? thick + 1 : thick,
                               self ? CM_VIEW_PIN : CM_VIEW_CURSOR);
    }
}

/* Nodes at the same distance, in channels, from the pinned node. */
struct layer {
    uint32_t nodes;
    double sum, most; /* sum and largest of the nodes' shares */
};

static void draw_layer_value(const struct cm_frame *frame, const struct cm_shares *shares, double x,
                             double y, double w, double value)
{
    uint32_t colour = cm_frame_colour_of(frame, shares, value);
    double shown = shares->counts ? value : 100 * value;
    bool small = fabs(shown) < 9.95 && shown != floor(shown);
    if (colour != 0)
        cm_canvas_fill(&frame->canvas, x + 1, y, w - 2, 15, colour);
    else
        cm_canvas_frame(&frame->canvas, (struct cm_area){x + 1, y, w - 2, 15}, 1, CM_VIEW_OUTLINE);
    cm_text(frame, (struct cm_text_place){CM_CENTRE, x, y + 8, w},
            colour != 0 ? cm_view_ink_on(colour) : CM_VIEW_TEXT,
            frame->difference && value != 0 ? "%+.*f" : "%.*f", small ? 1 : 0, shown);
}

/* Draws a table with a column for each Hamming distance from a node: distance, number of nodes,
 * mean and largest share. */
static void draw_layers(const struct cm_frame *frame, const struct cm_shares *shares, uint32_t from)
{
    static const char *const rows[4] = {"distance", "nodes", "mean", "largest"};
    struct cm_view_rect inside = frame->inside;
    uint32_t count = frame->run->info->dimensions + 1;
    double names = LAYER_NAMES, each = layer_width(frame), top = inside.y + inside.h - 66;
    struct layer layers[32] = {{0, 0, 0}};
    for (uint32_t node = 0; node < frame->run->info->nodes; node++) {
        struct layer *layer = &layers[distance(node, from)];
        double share = cm_share(shares, node);
        layer->nodes++;
        layer->sum += share;
        layer->most = fabs(share) > fabs(layer->most) ? share : layer->most;
    }
    for (unsigned i = 0; i < 4; i++)
        cm_text(frame, (struct cm_text_place){CM_LEFT, inside.x, top + 9 + 16 * i, names},
                CM_VIEW_QUIET, "%s%s", rows[i], i > 1 && !shares->counts ? " %" : "");
    for (uint32_t i = 0; i < count; i++) {
        double x = inside.x + names + i * each;
        cm_text(frame, (struct cm_text_place){CM_CENTRE, x, top + 9, each}, CM_VIEW_TEXT, "%u", i);
        cm_text(frame, (struct cm_text_place){CM_CENTRE, x, top + 25, each}, CM_VIEW_TEXT, "%u",
                layers[i].nodes);
        draw_layer_value(frame, shares, x, top + 33, each, layers[i].sum / layers[i].nodes);
        draw_layer_value(frame, shares, x, top + 49, each, layers[i].most);
    }
}

/* Writes a range of dimensions, such as "0" or "0-2". */
static void print_dimensions(uint32_t first, uint32_t end, char *text, size_t size)
{
    if (end == first + 1)
        snprintf(text, size, "%u", first);
    else
        snprintf(text, size, "%u\xe2\x80\x93%u", first, end - 1);
}

/* Writes a line of text, or a shorter one if the panel is narrow. */
static void say(const struct cm_frame *frame, double middle, const char *text, const char *brief)
{
    struct cm_view_rect in = frame->inside;
    bool fits = cm_label_width_of(&frame->label, CM_LABEL_SMALL, text) <= in.w;
    cm_text(frame, (struct cm_text_place){CM_LEFT, in.x, middle, in.w}, CM_VIEW_QUIET, "%s",
            fits ? text : brief);
}

/* Explains what a cell shows. Drawn in the place of the layers while no node is pinned. */
static void explain_grid(const struct cm_frame *frame)
{
    struct cm_view_rect in = frame->inside;
    uint32_t dimensions = frame->run->info->dimensions, bits = (dimensions + 1) / 2;
    double top = in.y + in.h - 54;
    char across[48], down[48], text[160], brief[128];
    print_dimensions(0, bits, across, sizeof across);
    print_dimensions(bits, dimensions, down, sizeof down);
    snprintf(text, sizeof text, "A %s shows its node's load: %s.",
             frame->state->machine == CM_VIEW_LAMPS ? "lamp" : "cell",
             cm_frame_load_title(frame).text);
    say(frame, top, text, cm_frame_load_title(frame).text);
    snprintf(text, sizeof text, "Gray order: dimension%s %s across%s%s%s.",
             dimensions > 1 ? "s" : "", across, dimensions > bits ? ", " : "",
             dimensions > bits ? down : "", dimensions > bits ? " down" : "");
    snprintf(brief, sizeof brief, "Gray order: %s, %s.", across, down);
    if (bits > 0)
        say(frame, top + 17, text, brief);
    if (frame->state->machine == CM_VIEW_GRID && !frame->state->plain)
        say(frame, top + 34, "Pin a node to see how far the others are from it.",
            "Pin a node: distances.");
}

static void draw_grid(struct scene *scene)
{
    const struct cm_frame *frame = scene->frame;
    struct cm_shares shares = cm_frame_nodes(frame);
    uint32_t from = cm_frame_pinned_node(frame), pointed = cm_frame_node(frame);
    scene->cells = grid_of(frame);
    struct cm_hottest hottest = callouts_of_grid(scene);
    draw_cells(scene, &shares, &hottest, from);
    cm_draw_packets_on_grid(frame, &scene->cells);
    if (pointed != CM_TRACE_NONE)
        frame_neighbours(scene, pointed);
    cm_draw_callouts(frame, &hottest);
    if (!has_layers(frame))
        return;
    if (from != CM_TRACE_NONE)
        draw_layers(frame, &shares, from);
    else
        explain_grid(frame);
}

/* Returns the value of largest magnitude among the nodes that share a column of the heat map. */
static double heat_value(const struct scene *scene, const struct cm_shares *shares, uint32_t column,
                         uint32_t row)
{
    uint32_t first = heat_node(scene->frame, &scene->cells, column);
    uint32_t end = heat_node(scene->frame, &scene->cells, column + 1);
    double most = 0;
    for (uint32_t node = first; node < end; node++) {
        double share = cm_share(shares, node * scene->cells.rows + row);
        most = fabs(share) > fabs(most) ? share : most;
    }
    return most;
}

static void label_heat(const struct scene *scene)
{
    const struct cm_frame *frame = scene->frame;
    const struct cm_cells *cells = &scene->cells;
    const struct cm_trace_info *info = frame->run->info;
    double height = cells->h / cells->rows, y = cells->y + cells->h + 11;
    for (uint32_t d = 0; d < info->dimensions; d++)
        cm_text(frame,
                (struct cm_text_place){CM_RIGHT, cells->x - 50,
                                       cells->y + (d + 0.5) * info->channels * height, 44},
                CM_VIEW_TEXT, "dim %u", d);
    double taken = 0;
    for (uint32_t i = 0; i <= 4; i++) {
        double x = cells->x + cells->w * i / 4;
        char text[40];
        snprintf(text, sizeof text, i == 0 ? "node %.30s" : "%.30s",
                 cm_format_count(info->nodes / 4 * i).text);
        cm_canvas_fill(&frame->canvas, x, cells->y + cells->h, 1, 4, CM_VIEW_QUIET);
        if (i < 4 && x >= taken)
            taken = x + 8 +
                    cm_text(frame, (struct cm_text_place){CM_LEFT, x + 2, y, 90}, CM_VIEW_QUIET,
                            "%s", text);
    }
    uint32_t each = (info->nodes + cells->columns - 1) / cells->columns;
    char text[40];
    snprintf(text, sizeof text, "largest of %u", each);
    double w = cm_label_width_of(&frame->label, CM_LABEL_SMALL, text), right = cells->x + cells->w;
    if (each > 1 && right - w >= taken)
        cm_text(frame, (struct cm_text_place){CM_RIGHT, taken, y, right - taken}, CM_VIEW_QUIET,
                "%s", text);
}

static void draw_heat_row(const struct scene *scene, const struct cm_shares *shares, uint32_t row)
{
    const struct cm_frame *frame = scene->frame;
    const struct cm_cells *cells = &scene->cells;
    for (uint32_t column = 0; column < cells->columns; column++) {
        struct cm_view_rect cell = cell_of(scene, column, row);
        uint32_t colour = cm_frame_colour(frame, heat_value(scene, shares, column, row));
        if (colour != 0)
            cm_canvas_fill_pixels(&frame->canvas, cell.x, cell.y, cell.w, cell.h, colour);
    }
    if (row % frame->run->info->channels == 0 && row > 0)
        cm_canvas_fill(&frame->canvas, cells->x, cells->y + cells->h * row / cells->rows, cells->w,
                       1, CM_VIEW_OUTLINE);
}

/* Returns the column of the heat map that has a node. */
static uint32_t heat_column(const struct scene *scene, uint32_t node)
{
    const struct cm_cells *cells = &scene->cells;
    uint32_t column = (uint32_t)((uint64_t)node * cells->columns / scene->frame->run->info->nodes);
    while (column + 1 < cells->columns && heat_node(scene->frame, cells, column + 1) <= node)
        column++;
    return column;
}

/* Draws the callouts of the busiest channel, at its cell, and of the hot spot, at the lower end of
 * its column. */
static void draw_callouts_on_heat(const struct scene *scene)
{
    struct cm_hottest hottest = cm_frame_hottest(scene->frame);
    uint32_t rows = scene->cells.rows;
    if (hottest.channel != CM_TRACE_NONE)
        cm_callout_place(
            &hottest.callouts[0],
            middle_of(scene, heat_column(scene, hottest.channel / rows), hottest.channel % rows));
    if (hottest.node != CM_TRACE_NONE)
        cm_callout_place(&hottest.callouts[1],
                         middle_of(scene, heat_column(scene, hottest.node), rows - 0.75));
    struct cm_view_rect within = scene->frame->inside;
    within.h = (int)scene->cells.h;
    cm_lay_out_callouts(scene->frame, within, &hottest);
    cm_draw_callouts(scene->frame, &hottest);
}

static void draw_heat(struct scene *scene)
{
    const struct cm_frame *frame = scene->frame;
    const struct cm_cells *cells = &scene->cells;
    struct cm_shares shares = cm_frame_channels(frame);
    scene->cells = heat_of(frame);
    if (cells->rows == 0)
        return;
    cm_canvas_frame(&frame->canvas,
                    (struct cm_area){cells->x - 1, cells->y - 1, cells->w + 2, cells->h + 2}, 1,
                    CM_VIEW_OUTLINE);
    for (uint32_t row = 0; row < cells->rows; row++)
        if (!(frame->state->hidden_dimensions >> (row / frame->run->info->channels) & 1))
            draw_heat_row(scene, &shares, row);
    label_heat(scene);
    draw_callouts_on_heat(scene);
    uint32_t from = cm_frame_node(frame);
    if (from == CM_TRACE_NONE)
        return;
    double x = cells->x + cells->w * (from + 0.5) / frame->run->info->nodes, y = cells->y;
    cm_canvas_triangle(&frame->canvas, (struct cm_point){x - 5, y - 7},
                       (struct cm_point){x + 5, y - 7}, (struct cm_point){x, y}, CM_VIEW_PIN);
}

static void draw_lamp(const struct cm_frame *frame, const struct cm_shares *shares,
                      struct cm_point at, double radius, double share)
{
    double light = cm_view_scale_place(fabs(share), shares->top, frame->state->linear);
    if (!(light > 0))
        cm_canvas_ring(&frame->canvas, at, radius, 1, CM_VIEW_OUTLINE);
    else
        cm_canvas_disc(&frame->canvas, at, radius,
                       frame->difference ? cm_frame_colour_of(frame, shares, share)
                                         : cm_view_lamp_colour(frame->state->theme, light));
}

static void draw_lamps(struct scene *scene)
{
    const struct cm_frame *frame = scene->frame;
    const struct cm_cells *cells = &scene->cells;
    struct cm_shares shares = cm_frame_nodes(frame);
    uint32_t from = cm_frame_node(frame);
    scene->cells = grid_of(frame);
    double each = cells->w / cells->columns, radius = each * 0.36;
    double above = fmin(6, cells->y - frame->inside.y + 3);
    cm_canvas_fill(&frame->canvas, cells->x - 6, cells->y - above, cells->w + 12,
                   cells->h + above + 6, CM_VIEW_LAMPS_GROUND);
    for (uint32_t row = 0; row < cells->rows; row++)
        for (uint32_t column = 0; column < cells->columns; column++) {
            uint32_t node = cm_view_grid_node(frame->run, column, row);
            struct cm_point at = {cells->x + (column + 0.5) * each, cells->y + (row + 0.5) * each};
            draw_lamp(frame, &shares, at, radius, cm_share(&shares, node));
            if (node == from)
                cm_canvas_ring(&frame->canvas, at, radius + 2, 1.5, CM_VIEW_CURSOR);
        }
    struct cm_hottest hottest = callouts_of_grid(scene);
    cm_draw_callouts(frame, &hottest);
    if (from == CM_TRACE_NONE && has_layers(frame))
        explain_grid(frame);
}

static void draw_tabs(const struct cm_frame *frame)
{
    static const char *const layouts[CM_VIEW_MACHINE_COUNT] = {
        [CM_VIEW_GRID] = "grid",
        [CM_VIEW_HEAT] = "heat map",
        [CM_VIEW_LAMPS] = "lamps",
    };
    for (unsigned i = 0; i < CM_VIEW_MACHINE_COUNT; i++) {
        struct cm_view_rect tab = tab_of(frame, i);
        if (tab.w <= 0)
            continue;
        bool on = frame->state->machine == (enum cm_view_machine)i;
        cm_text(frame, (struct cm_text_place){CM_CENTRE, tab.x, tab.y + 10, tab.w},
                on ? CM_VIEW_TEXT : CM_VIEW_QUIET, "%s", layouts[i]);
        if (on)
            cm_canvas_fill(&frame->canvas, tab.x + 8, tab.y + 18, tab.w - 16, 2, CM_VIEW_TEXT);
    }
}

static void draw_machine(const struct cm_frame *frame)
{
    struct scene scene = {.frame = frame};
    cm_frame_panel(frame, "%s%s", cm_frame_column_name(frame), frame->panel->title);
    draw_tabs(frame);
    if (cm_frame_say_incomparable(frame))
        return;
    if (frame->state->machine == CM_VIEW_HEAT)
        draw_heat(&scene);
    else if (frame->state->machine == CM_VIEW_LAMPS)
        draw_lamps(&scene);
    else
        draw_grid(&scene);
}

static void hit_machine(const struct cm_frame *frame, double x, double y, struct cm_view_hit *hit)
{
    bool heat = frame->state->machine == CM_VIEW_HEAT;
    struct cm_cells cells = heat ? heat_of(frame) : grid_of(frame);
    uint32_t column, row;
    for (unsigned i = 0; i < CM_VIEW_MACHINE_COUNT; i++)
        if (cm_rect_has(tab_of(frame, i), x, y)) {
            hit->kind = CM_VIEW_HIT_LAYOUT;
            hit->machine = (enum cm_view_machine)i;
            return;
        }
    if (!cm_cells_at(&cells, x, y, &column, &row))
        return;
    if (heat)
        cm_frame_mark(frame, CM_VIEW_MARK_CHANNEL,
                      heat_node(frame, &cells, column) * cells.rows + row, hit);
    else
        cm_frame_mark(frame, CM_VIEW_MARK_NODE, cm_view_grid_node(frame->run, column, row), hit);
}

const struct cm_panel cm_panel_machine = {
    .title = "Machine",
    .about = "All nodes, or all channels, with the colour of their load.",
    .keys = "M Shift+W Shift+D C X W Tab Return",
    .region = CM_REGION_MAPS,
    .compared = CM_REGION_MAPS,
    .share = {44, 58},
    .yields = 4,
    .draw = draw_machine,
    .hit = hit_machine,
};
