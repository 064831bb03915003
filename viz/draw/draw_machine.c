/*
 * The whole machine: its nodes as a grid in Gray order, as a heat map of node by channel, or as the
 * front panel of red lamps. A pinned node of the grid shows the layers of nodes at one, two, ...
 * channels from it.
 */
#include "draw_private.h"

#include <math.h>
#include <stdio.h>

#define LAYERS_HEIGHT 74
#define TAB_WIDTH     72

static const char *const layouts[CM_VIEW_MACHINE_COUNT] = {
    [CM_VIEW_GRID] = "grid",
    [CM_VIEW_HEAT] = "heat map",
    [CM_VIEW_LAMPS] = "lamps",
};

struct cm_view_rect cm_machine_tab(struct cm_view_rect place, enum cm_view_machine layout)
{
    return (struct cm_view_rect){place.x + place.w -
                                     TAB_WIDTH * (CM_VIEW_MACHINE_COUNT - (int)layout),
                                 place.y, TAB_WIDTH, 20};
}

struct cm_cells cm_machine_grid(const struct cm_frame *frame, uint32_t column)
{
    struct cm_view_rect place = frame->layout.place[column][CM_VIEW_MACHINE];
    struct cm_view_rect inside = cm_panel_inside(place);
    struct cm_cells cells;
    cm_view_grid_size(cm_frame_run(frame, column), &cells.columns, &cells.rows);
    double layers = inside.h > 230 ? LAYERS_HEIGHT : 0;
    double each = fmin((double)inside.w / cells.columns, (inside.h - layers) / cells.rows);
    /* Whole pixels, so that all cells are alike. */
    each = fmax(1, floor(each * frame->canvas.scale)) / frame->canvas.scale;
    each = fmin(each, 72);
    cells.w = each * cells.columns;
    cells.h = each * cells.rows;
    cells.x = inside.x + floor((inside.w - cells.w) / 2);
    cells.y = inside.y + floor((inside.h - layers - cells.h) / 2);
    return cells;
}

struct cm_cells cm_machine_heat(const struct cm_frame *frame, uint32_t column)
{
    const struct cm_view_run *run = cm_frame_run(frame, column);
    struct cm_view_rect place = frame->layout.place[column][CM_VIEW_MACHINE];
    struct cm_view_rect inside = cm_panel_inside(place);
    struct cm_cells cells = {.x = inside.x + 50, .y = inside.y, .w = inside.w - 50};
    uint32_t pixels = cells.w > 1 ? (uint32_t)(cells.w * frame->canvas.scale) : 1;
    uint32_t nodes = run->info->nodes;
    uint32_t share = (nodes + pixels - 1) / pixels; /* nodes in a column */
    cells.columns = (nodes + share - 1) / share;
    cells.rows = run->info->dimensions * run->info->channels;
    double each = cells.rows > 0 ? floor((inside.h - 20.0) / cells.rows) : 1;
    each = each < 1 ? 1 : each > 24 ? 24 : each;
    cells.h = each * cells.rows;
    return cells;
}

uint32_t cm_heat_node(const struct cm_view_run *run, const struct cm_cells *cells, uint32_t column)
{
    return (uint32_t)((uint64_t)run->info->nodes * column / cells->columns);
}

/* The machine as one column of the picture shows it. */
struct scene {
    const struct cm_frame *frame;
    const struct cm_view_run *run;
    struct cm_cells cells;
    uint32_t column;
};

static struct cm_view_rect cell_of(const struct scene *scene, uint32_t column, uint32_t row)
{
    const struct cm_canvas *canvas = &scene->frame->canvas;
    double w = scene->cells.w / scene->cells.columns, h = scene->cells.h / scene->cells.rows;
    int left = cm_canvas_pixel(canvas, scene->cells.x + column * w);
    int top = cm_canvas_pixel(canvas, scene->cells.y + row * h);
    return (struct cm_view_rect){left, top,
                                 cm_canvas_pixel(canvas, scene->cells.x + (column + 1) * w) - left,
                                 cm_canvas_pixel(canvas, scene->cells.y + (row + 1) * h) - top};
}

static void outline(const struct cm_canvas *canvas, struct cm_view_rect cell, int thick,
                    uint32_t colour)
{
    cm_canvas_fill_pixels(canvas, cell.x, cell.y, cell.w, thick, colour);
    cm_canvas_fill_pixels(canvas, cell.x, cell.y + cell.h - thick, cell.w, thick, colour);
    cm_canvas_fill_pixels(canvas, cell.x, cell.y, thick, cell.h, colour);
    cm_canvas_fill_pixels(canvas, cell.x + cell.w - thick, cell.y, thick, cell.h, colour);
}

/* The node that layers are counted from; CM_TRACE_NONE: none. */
static uint32_t layers_from(const struct scene *scene)
{
    struct cm_view_mark subject = cm_view_subject(scene->frame->state);
    uint32_t node = subject.kind == CM_VIEW_MARK_NODE ? subject.index
                    : subject.kind == CM_VIEW_MARK_CHANNEL
                        ? cm_view_channel_parts(scene->run, subject.index).node
                        : CM_TRACE_NONE;
    return node < scene->run->info->nodes ? node : CM_TRACE_NONE;
}

static uint32_t distance(uint32_t a, uint32_t b)
{
    return (uint32_t)__builtin_popcount(a ^ b);
}

static void draw_cells(const struct scene *scene, const struct cm_shares *shares, uint32_t from)
{
    const struct cm_canvas *canvas = &scene->frame->canvas;
    int gap = scene->cells.w / scene->cells.columns * canvas->scale >= 5 ? 1 : 0;
    for (uint32_t row = 0; row < scene->cells.rows; row++)
        for (uint32_t column = 0; column < scene->cells.columns; column++) {
            struct cm_view_rect cell = cell_of(scene, column, row);
            uint32_t node = cm_view_grid_node(scene->run, column, row);
            uint32_t colour = cm_frame_colour(scene->frame, scene->column, cm_share(shares, node));
            cell.w -= gap;
            cell.h -= gap;
            if (colour != 0)
                cm_canvas_fill_pixels(canvas, cell.x, cell.y, cell.w, cell.h, colour);
            else
                outline(canvas, cell, 1, CM_VIEW_OUTLINE);
            if (cell.w < (from == CM_TRACE_NONE ? 26 : 16) * canvas->scale)
                continue;
            cm_label_print(&scene->frame->label, CM_LABEL_SMALL, CM_LABEL_CENTRE,
                           cell.x / canvas->scale - 4, (cell.y + cell.h / 2.0) / canvas->scale,
                           cell.w / canvas->scale + 8,
                           colour != 0 ? cm_view_ink_on(colour) : CM_VIEW_TEXT, "%u",
                           from == CM_TRACE_NONE ? node : distance(node, from));
        }
}

/* The nodes beside a node: those one channel away, each with a frame. */
static void frame_layers(const struct scene *scene, uint32_t from)
{
    uint32_t column, row;
    for (uint32_t d = 0; d <= scene->run->info->dimensions; d++) {
        bool self = d == scene->run->info->dimensions;
        cm_view_grid_place(scene->run, self ? from : from ^ 1u << d, &column, &row);
        struct cm_view_rect cell = cell_of(scene, column, row);
        int thick = (int)(scene->frame->canvas.scale + 0.5);
        cell = (struct cm_view_rect){cell.x - thick - 1, cell.y - thick - 1, cell.w + 2 * thick + 1,
                                     cell.h + 2 * thick + 1};
        outline(&scene->frame->canvas, cell, self ? thick + 1 : thick,
                self ? CM_VIEW_PIN : CM_VIEW_CURSOR);
    }
}

/* A box for each Hamming layer: its distance, how many nodes it has, the busiest channel's and the
 * mean part. */
static void draw_layers(const struct scene *scene, const struct cm_shares *shares, uint32_t from)
{
    struct cm_view_rect inside =
        cm_panel_inside(scene->frame->layout.place[scene->column][CM_VIEW_MACHINE]);
    uint32_t layers = scene->run->info->dimensions + 1;
    double names = 74, each = (inside.w - names) / layers, top = inside.y + inside.h - 66;
    static const char *const rows[4] = {"distance", "nodes", "mean %", "largest %"};
    uint32_t counts[32] = {0};
    double sums[32] = {0}, most[32] = {0};
    for (uint32_t node = 0; node < scene->run->info->nodes; node++) {
        uint32_t layer = distance(node, from);
        double share = cm_share(shares, node);
        counts[layer]++;
        sums[layer] += share;
        most[layer] = fabs(share) > fabs(most[layer]) ? share : most[layer];
    }
    for (unsigned i = 0; i < 4; i++)
        cm_label_draw(&scene->frame->label, CM_LABEL_SMALL, CM_LABEL_LEFT, inside.x,
                      top + 9 + 16 * i, names, CM_VIEW_QUIET, rows[i]);
    for (uint32_t layer = 0; layer < layers && each >= 24; layer++) {
        double x = inside.x + names + layer * each;
        const double values[2] = {sums[layer] / counts[layer], most[layer]};
        cm_label_print(&scene->frame->label, CM_LABEL_SMALL, CM_LABEL_CENTRE, x, top + 9, each,
                       CM_VIEW_TEXT, "%u", layer);
        cm_label_print(&scene->frame->label, CM_LABEL_SMALL, CM_LABEL_CENTRE, x, top + 25, each,
                       CM_VIEW_TEXT, "%u", counts[layer]);
        for (unsigned i = 0; i < 2; i++) {
            uint32_t colour = cm_frame_colour(scene->frame, scene->column, values[i]);
            double y = top + 33 + 16 * i;
            if (colour != 0)
                cm_canvas_fill(&scene->frame->canvas, x + 1, y, each - 2, 15, colour);
            else
                cm_canvas_frame(&scene->frame->canvas, x + 1, y, each - 2, 15, 1, CM_VIEW_OUTLINE);
            cm_label_print(&scene->frame->label, CM_LABEL_SMALL, CM_LABEL_CENTRE, x, y + 8, each,
                           colour != 0 ? cm_view_ink_on(colour) : CM_VIEW_TEXT, "%.*f",
                           fabs(values[i]) < 0.0995 && values[i] != 0 ? 1 : 0, 100 * values[i]);
        }
    }
}

/* Without a pinned node the same place tells what a cell is. */
static void explain_grid(const struct scene *scene)
{
    struct cm_view_rect inside =
        cm_panel_inside(scene->frame->layout.place[scene->column][CM_VIEW_MACHINE]);
    uint32_t bits = (scene->run->info->dimensions + 1) / 2,
             dimensions = scene->run->info->dimensions;
    char down[64] = "";
    if (dimensions > bits + 1)
        snprintf(down, sizeof down, ", %u\xe2\x80\x93%u down", bits, dimensions - 1);
    else if (dimensions > bits)
        snprintf(down, sizeof down, ", %u down", bits);
    double top = inside.y + inside.h - 54;
    cm_label_print(&scene->frame->label, CM_LABEL_SMALL, CM_LABEL_LEFT, inside.x, top, inside.w,
                   CM_VIEW_QUIET, "A %s is a node's busiest channel, in Gray order:",
                   scene->frame->state->machine == CM_VIEW_LAMPS ? "lamp" : "cell");
    cm_label_print(&scene->frame->label, CM_LABEL_SMALL, CM_LABEL_LEFT, inside.x, top + 17,
                   inside.w, CM_VIEW_QUIET,
                   "side by side are neighbours. Dimensions 0\xe2\x80\x93%u across%s.",
                   bits > 0 ? bits - 1 : 0, down);
    if (scene->frame->state->machine == CM_VIEW_GRID)
        cm_label_draw(&scene->frame->label, CM_LABEL_SMALL, CM_LABEL_LEFT, inside.x, top + 34,
                      inside.w, CM_VIEW_QUIET, "Pin a node to see how far the others are from it.");
}

static void draw_grid(struct scene *scene)
{
    struct cm_view_rect place = scene->frame->layout.place[scene->column][CM_VIEW_MACHINE];
    struct cm_shares shares = cm_frame_nodes(scene->frame, scene->column);
    uint32_t from = layers_from(scene);
    scene->cells = cm_machine_grid(scene->frame, scene->column);
    draw_cells(scene, &shares, from);
    if (from != CM_TRACE_NONE)
        frame_layers(scene, from);
    if (cm_panel_inside(place).h <= 230)
        return;
    if (from != CM_TRACE_NONE)
        draw_layers(scene, &shares, from);
    else
        explain_grid(scene);
}

/* The largest value (in size) of the nodes that share a column of the heat map. */
static double heat_value(const struct scene *scene, const struct cm_shares *shares, uint32_t column,
                         uint32_t row)
{
    uint32_t first = cm_heat_node(scene->run, &scene->cells, column);
    uint32_t end = cm_heat_node(scene->run, &scene->cells, column + 1);
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
    double height = cells->h / cells->rows;
    uint32_t channels = scene->run->info->channels;
    for (uint32_t d = 0; d < scene->run->info->dimensions; d++)
        cm_label_print(&frame->label, CM_LABEL_SMALL, CM_LABEL_RIGHT, cells->x - 50,
                       cells->y + (d + 0.5) * channels * height, 44, CM_VIEW_TEXT, "dim %u", d);
    double y = cells->y + cells->h + 11;
    for (uint32_t i = 0; i <= 4; i++) {
        uint32_t node = scene->run->info->nodes / 4 * i;
        double x = cells->x + cells->w * i / 4;
        cm_canvas_fill(&frame->canvas, x, cells->y + cells->h, 1, 4, CM_VIEW_QUIET);
        if (i < 4)
            cm_label_print(&frame->label, CM_LABEL_SMALL, CM_LABEL_LEFT, x + 2, y, 90,
                           CM_VIEW_QUIET, i == 0 ? "node %s" : "%s", cm_number_of(node).text);
    }
    uint32_t each = (scene->run->info->nodes + cells->columns - 1) / cells->columns;
    if (each > 1)
        cm_label_print(&frame->label, CM_LABEL_SMALL, CM_LABEL_RIGHT, cells->x + cells->w * 0.8, y,
                       cells->w * 0.2, CM_VIEW_QUIET, "largest of %u", each);
}

static void draw_heat(struct scene *scene)
{
    struct cm_shares shares = cm_frame_channels(scene->frame, scene->column);
    scene->cells = cm_machine_heat(scene->frame, scene->column);
    uint32_t channels = scene->run->info->channels;
    if (scene->cells.rows == 0)
        return;
    cm_canvas_frame(&scene->frame->canvas, scene->cells.x - 1, scene->cells.y - 1,
                    scene->cells.w + 2, scene->cells.h + 2, 1, CM_VIEW_OUTLINE);
    for (uint32_t row = 0; row < scene->cells.rows; row++) {
        if (scene->frame->state->hidden_dimensions >> (row / channels) & 1)
            continue;
        for (uint32_t column = 0; column < scene->cells.columns; column++) {
            struct cm_view_rect cell = cell_of(scene, column, row);
            uint32_t colour = cm_frame_colour(scene->frame, scene->column,
                                              heat_value(scene, &shares, column, row));
            if (colour != 0)
                cm_canvas_fill_pixels(&scene->frame->canvas, cell.x, cell.y, cell.w, cell.h,
                                      colour);
        }
        if (row % channels == 0 && row > 0)
            cm_canvas_fill(&scene->frame->canvas, scene->cells.x,
                           scene->cells.y + scene->cells.h * row / scene->cells.rows,
                           scene->cells.w, 1, CM_VIEW_OUTLINE);
    }
    label_heat(scene);
    uint32_t from = layers_from(scene);
    if (from == CM_TRACE_NONE)
        return;
    double x = scene->cells.x + scene->cells.w * (from + 0.5) / scene->run->info->nodes;
    cm_canvas_triangle(&scene->frame->canvas, (struct cm_point){x - 5, scene->cells.y - 7},
                       (struct cm_point){x + 5, scene->cells.y - 7},
                       (struct cm_point){x, scene->cells.y}, CM_VIEW_PIN);
}

static void draw_lamps(struct scene *scene)
{
    const struct cm_canvas *canvas = &scene->frame->canvas;
    struct cm_shares shares = cm_frame_nodes(scene->frame, scene->column);
    scene->cells = cm_machine_grid(scene->frame, scene->column);
    double each = scene->cells.w / scene->cells.columns, radius = each * 0.36;
    uint32_t from = layers_from(scene);
    double top = cm_frame_run(scene->frame, scene->column)->top_share;
    double above = fmin(
        6, scene->cells.y -
               cm_panel_inside(scene->frame->layout.place[scene->column][CM_VIEW_MACHINE]).y + 3);
    cm_canvas_fill(canvas, scene->cells.x - 6, scene->cells.y - above, scene->cells.w + 12,
                   scene->cells.h + above + 6, CM_VIEW_LAMPS_GROUND);
    for (uint32_t row = 0; row < scene->cells.rows; row++)
        for (uint32_t column = 0; column < scene->cells.columns; column++) {
            uint32_t node = cm_view_grid_node(scene->run, column, row);
            struct cm_point at = {scene->cells.x + (column + 0.5) * each,
                                  scene->cells.y + (row + 0.5) * each};
            double share = cm_share(&shares, node);
            double light = cm_view_scale_place(fabs(share), top, scene->frame->state->linear);
            if (!(light > 0))
                cm_canvas_ring(canvas, at, radius, 1, CM_VIEW_OUTLINE);
            else
                cm_canvas_disc(canvas, at, radius,
                               cm_frame_is_difference(scene->frame, scene->column)
                                   ? cm_frame_colour(scene->frame, scene->column, share)
                                   : cm_view_lamp_colour(light));
            if (node == from)
                cm_canvas_ring(canvas, at, radius + 2, 1.5, CM_VIEW_CURSOR);
        }
    if (from == CM_TRACE_NONE &&
        cm_panel_inside(scene->frame->layout.place[scene->column][CM_VIEW_MACHINE]).h > 230)
        explain_grid(scene);
}

static void draw_tabs(const struct scene *scene, struct cm_view_rect place)
{
    for (unsigned i = 0; i < CM_VIEW_MACHINE_COUNT; i++) {
        struct cm_view_rect tab = cm_machine_tab(place, (enum cm_view_machine)i);
        bool on = scene->frame->state->machine == (enum cm_view_machine)i;
        cm_label_draw(&scene->frame->label, CM_LABEL_SMALL, CM_LABEL_CENTRE, tab.x, tab.y + 10,
                      tab.w, on ? CM_VIEW_TEXT : CM_VIEW_QUIET, layouts[i]);
        if (on)
            cm_canvas_fill(&scene->frame->canvas, tab.x + 8, tab.y + 18, tab.w - 16, 2,
                           CM_VIEW_TEXT);
    }
}

void cm_draw_machine(const struct cm_frame *frame, uint32_t column)
{
    struct scene scene = {.frame = frame, .run = cm_frame_run(frame, column), .column = column};
    struct cm_view_rect place = frame->layout.place[column][CM_VIEW_MACHINE];
    char title[160];
    snprintf(title, sizeof title, "%sMachine", cm_frame_column_name(frame, column));
    cm_frame_panel(frame, place, CM_VIEW_MACHINE, title);
    draw_tabs(&scene, place);
    if (cm_frame_is_difference(frame, column) && !cm_frame_comparable(frame)) {
        cm_frame_say_incomparable(frame, place);
        return;
    }
    switch (frame->state->machine) {
    case CM_VIEW_HEAT:
        draw_heat(&scene);
        break;
    case CM_VIEW_LAMPS:
        draw_lamps(&scene);
        break;
    default:
        draw_grid(&scene);
    }
}
