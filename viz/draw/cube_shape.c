/*
 * Places of the nodes of a cube, and lines of their channels. A cube of up to three dimensions is
 * drawn as an oblique cube. A cube of four to six dimensions is drawn as a grid in Gray order, in
 * which many neighbours are in adjacent cells. The channels between nodes that are not adjacent go
 * around the nodes between them: in a row, channels of its second dimension go above the nodes and
 * those of its third below. In a column they go right and left. In a neighbourhood all lines are
 * level, because a bar is as high as the panel.
 */
#include "cube_shape.h"

#include <math.h>

/* offset along the third dimension, as a fraction of the distance between nodes */
#define OBLIQUE 0.36
#define LARGE_W 98.0 /* least width in points of a node whose slots are drawn */
#define LARGE_H 50.0

/* Returns the factor by which nodes may be larger than their least size, given the available height
 * and width. The channels between two nodes need room for labels, and in three dimensions a node
 * must not hide the nodes behind it. */
static double oblique_growth(const struct cm_cube *cube)
{
    struct cm_view_rect in = cube->inside;
    double high = cube->dimensions >= 3
                      ? ((in.h - 32) * OBLIQUE / (1 + OBLIQUE) - 40) / (1 + OBLIQUE / (1 + OBLIQUE))
                  : cube->dimensions == 2 ? (in.h - 92) / 2.0
                                          : in.h / 3.0;
    double depth = cube->dimensions >= 3 ? 1 + OBLIQUE : 1;
    double wide = (in.w - 32 - depth * 84) / (depth + 1);
    return fmax(1, fmin(4, fmin(high / LARGE_H, wide / LARGE_W)));
}

static void shape_oblique(struct cm_cube *cube)
{
    struct cm_view_rect in = cube->inside;
    double depth = cube->dimensions >= 3 ? 1 + OBLIQUE : 1;
    /* A node is drawn with its slots if the picture has enough room for the lines of channels to
     * the nodes that are drawn behind it. */
    bool large = in.w >= 400 && (in.h - 82) / depth * OBLIQUE >= 66;
    double growth = large ? oblique_growth(cube) : 1;
    cube->box_w = large ? floor(LARGE_W * growth) : 46;
    cube->box_h = large ? floor(LARGE_H * growth) : 28;
    cube->lane = large ? fmin(5 * growth, 10) : 3;
    double side = 16; /* width in points for the labels of the outer edges */
    cube->pitch_x = (in.w - cube->box_w - 2 * side) / depth;
    cube->pitch_y = (in.h - cube->box_h - 2 * side) / depth;
    double wide = cube->dimensions >= 1 ? cube->pitch_x * depth : 0;
    double high = cube->dimensions >= 2 ? cube->pitch_y * depth : 0;
    cube->x = in.x + (in.w - wide) / 2;
    cube->y = in.y + (in.h + high) / 2 - (cube->dimensions >= 2 ? cube->pitch_y : 0);
}

static void shape_grid(struct cm_cube *cube)
{
    struct cm_view_rect in = cube->inside;
    cube->columns = 1u << (cube->dimensions + 1) / 2;
    cube->rows = cube->count / cube->columns;
    cube->pitch_x = (in.w - 24.0) / cube->columns;
    cube->pitch_y = (in.h - 14.0) / cube->rows;
    double least = fmin(cube->pitch_x, cube->pitch_y);
    cube->box_w = cube->box_h = floor(least * 0.44);
    if (least >= 66) { /* the node's number has room */
        cube->box_h = floor(least * 0.62);
        cube->box_w = floor(least * 0.45);
    }
    /* Between two rows of nodes there is room for three nested paths of four lines below the upper
     * row, three above the lower row, and a gap. */
    cube->lane = (least - cube->box_h) / 20;
    cube->x = in.x + 24 + cube->pitch_x / 2;
    cube->y = in.y + 14 + cube->pitch_y / 2 - cube->lane * 3;
}

#define BAR_W     64.0 /* width in points of a bar, and of the other nodes of a neighbourhood */
#define NODE_H    26.0
#define TEXT_H    13.0 /* height in points of the text above the lines of a row */
#define BAR_LEAST 38.0 /* width in points that the number of a node needs */

/* Returns the number of rows at the left of the first bar. The other rows are at the right of the
 * last bar. */
static uint32_t left_rows(const struct cm_cube *cube)
{
    return cube->bars == 2 ? cube->dimensions - 1 : (cube->dimensions + 1) / 2;
}

/* Shapes the neighbourhood of the pinned node, or of both ends of the pinned channel. */
static void shape_neighbourhood(struct cm_cube *cube, const struct cm_frame *frame)
{
    struct cm_view_rect in = cube->inside;
    struct cm_view_mark pin = frame->state->pin;
    cube->dimensions = frame->run->info->dimensions;
    cube->bars = 1;
    cube->bar[0] = cm_frame_pinned_node(frame);
    if (pin.kind == CM_VIEW_MARK_CHANNEL) {
        cube->joined = cm_view_channel_parts(frame->run, pin.index).dimension;
        cube->bars = 2;
        cube->bar[1] = cube->bar[0] ^ UINT32_C(1) << cube->joined;
    }
    cube->count = cube->bars == 2 ? 2 * cube->dimensions : cube->dimensions + 1;
    cube->pitch_x = in.w / (cube->bars == 2 ? 3.0 : 2.0);
    cube->pitch_y = (in.h - 4.0) / left_rows(cube);
    cube->box_w = fmax(BAR_LEAST, fmin(BAR_W, in.w * 0.12));
    cube->box_h = fmin(NODE_H, cube->pitch_y - 3);
    cube->bar_h = in.h - 4.0;
    cube->lane = fmax(1, fmin(3, (cube->pitch_y - TEXT_H) / (2.0 * cube->channels)));
    cube->x = in.x + cube->box_w / 2 + 2;
    cube->y = in.y + 2 + cube->pitch_y / 2;
}

bool cm_cube_is_bar(const struct cm_cube *cube, uint32_t node)
{
    return (cube->bars > 0 && node == cube->bar[0]) || (cube->bars > 1 && node == cube->bar[1]);
}

double cm_cube_height(const struct cm_cube *cube, uint32_t node)
{
    return cm_cube_is_bar(cube, node) ? cube->bar_h : cube->box_h;
}

/* Returns the bar that is next to a node, 0 or 1, and sets *dimension to the dimension between
 * them. Returns CM_TRACE_NONE if neither bar is next to the node. A bar is next to the other bar.
 * */
static uint32_t bar_next_to(const struct cm_cube *cube, uint32_t node, uint32_t *dimension)
{
    for (uint32_t i = 0; i < cube->bars; i++) {
        uint32_t bits = node ^ cube->bar[i];
        *dimension = bits != 0 ? (uint32_t)__builtin_ctz(bits) : 0;
        if (bits != 0 && (bits & (bits - 1)) == 0 && *dimension < cube->dimensions)
            return i;
    }
    return CM_TRACE_NONE;
}

/* Returns the place of a node of a neighbourhood. */
static struct cm_point neighbour_place(const struct cm_cube *cube, uint32_t node)
{
    double w = cube->inside.w - cube->box_w - 4,
           middle = cube->y + (left_rows(cube) - 1) / 2.0 * cube->pitch_y;
    uint32_t dimension, bar = bar_next_to(cube, node, &dimension), rows = left_rows(cube);
    if (cm_cube_is_bar(cube, node))
        return (struct cm_point){cube->x + w * (cube->bars == 1        ? 0.5
                                                : node == cube->bar[0] ? 0.36
                                                                       : 0.64),
                                 middle};
    uint32_t row = cube->bars == 2 && dimension > cube->joined ? dimension - 1 : dimension;
    bool left = cube->bars == 2 ? bar == 0 : row < rows;
    if (cube->bars == 1 && !left)
        row -= rows;
    return (struct cm_point){cube->x + (left ? 0 : w), cube->y + row * cube->pitch_y};
}

/* Computes the line of a channel of a neighbourhood, which is level with the node that is not a
 * bar. */
static uint32_t level_line(const struct cm_cube *cube, uint32_t node, uint32_t to, double offset,
                           struct cm_point line[4])
{
    struct cm_point a = cm_cube_node(cube, node), b = cm_cube_node(cube, to);
    double y = (cm_cube_is_bar(cube, node) ? b.y : a.y) + offset;
    double half = (a.x < b.x ? 1 : -1) * (cube->box_w / 2 + 2);
    line[0] = (struct cm_point){a.x + half, y};
    line[1] = (struct cm_point){b.x - half, y};
    return 2;
}

/* Returns the rectangle of the whole cube. The panel may show a part of it. */
static struct cm_view_rect whole_of(const struct cm_frame *frame)
{
    const struct cm_view_state *state = frame->state;
    struct cm_view_rect in = frame->inside;
    double w = in.w * state->cube_zoom, h = in.h * state->cube_zoom;
    return (struct cm_view_rect){(int)floor(in.x + in.w / 2.0 - state->cube_x * w + 0.5),
                                 (int)floor(in.y + in.h / 2.0 - state->cube_y * h + 0.5),
                                 (int)floor(w + 0.5), (int)floor(h + 0.5)};
}

struct cm_cube cm_cube_of(const struct cm_frame *frame)
{
    const struct cm_trace_info *info = frame->run->info;
    struct cm_cube cube = {.inside = whole_of(frame), .channels = info->channels};
    uint32_t node = cm_frame_node(frame);
    cube.dimensions = info->dimensions < 6 ? info->dimensions : 6;
    cube.count = 1u << cube.dimensions;
    cube.base = node != CM_TRACE_NONE ? node / cube.count * cube.count : 0;
    if (cube.count < info->nodes && cm_frame_pinned_node(frame) != CM_TRACE_NONE)
        shape_neighbourhood(&cube, frame);
    else if (cube.dimensions <= 3)
        shape_oblique(&cube);
    else
        shape_grid(&cube);
    return cube;
}

bool cm_cube_has(const struct cm_cube *cube, uint32_t node)
{
    uint32_t dimension;
    if (cube->bars == 0)
        return node >= cube->base && node < cube->base + cube->count;
    return cm_cube_is_bar(cube, node) || bar_next_to(cube, node, &dimension) != CM_TRACE_NONE;
}

bool cm_cube_joins(const struct cm_cube *cube, uint32_t node, uint32_t dimension)
{
    if (dimension >= cube->dimensions || !cm_cube_has(cube, node))
        return false;
    return cube->bars == 0 || cm_cube_is_bar(cube, node) ||
           cm_cube_is_bar(cube, node ^ UINT32_C(1) << dimension);
}

uint32_t cm_cube_member(const struct cm_cube *cube, uint32_t number)
{
    if (cube->bars == 0)
        return cube->base + number;
    if (number < cube->bars)
        return cube->bar[number];
    uint32_t each = cube->dimensions - (cube->bars - 1), row = (number - cube->bars) % each;
    row += cube->bars == 2 && row >= cube->joined;
    return cube->bar[(number - cube->bars) / each] ^ UINT32_C(1) << row;
}

struct cm_point cm_cube_node(const struct cm_cube *cube, uint32_t node)
{
    uint32_t at = node - cube->base;
    if (cube->bars > 0)
        return neighbour_place(cube, node);
    if (cube->columns == 0) {
        double depth = (at >> 2 & 1) * OBLIQUE;
        return (struct cm_point){cube->x + ((at & 1) + depth) * cube->pitch_x,
                                 cube->y + ((at >> 1 & 1) - depth) * cube->pitch_y};
    }
    uint32_t column = cm_view_gray_place(at % cube->columns),
             row = cm_view_gray_place(at / cube->columns);
    return (struct cm_point){cube->x + column * cube->pitch_x, cube->y + row * cube->pitch_y};
}

/* Computes a channel's line parallel to the line between the centres of two nodes, from the edge of
 * one box to the edge of the other. */
static uint32_t straight(const struct cm_cube *cube, struct cm_point a, struct cm_point b,
                         double offset, struct cm_point line[4])
{
    double dx = b.x - a.x, dy = b.y - a.y, length = sqrt(dx * dx + dy * dy);
    double across = dx != 0 ? (cube->box_w / 2 + 2) / fabs(dx) : 1;
    double down = dy != 0 ? (cube->box_h / 2 + 2) / fabs(dy) : 1;
    double cut = across < down ? across : down;
    cut = cut < 0.5 ? cut : 0.5;
    double nx = -dy / length * offset, ny = dx / length * offset;
    line[0] = (struct cm_point){a.x + dx * cut + nx, a.y + dy * cut + ny};
    line[1] = (struct cm_point){b.x - dx * cut + nx, b.y - dy * cut + ny};
    return 2;
}

/* Computes a channel's line around the nodes between two nodes: out of one box, along the row or
 * column, and into the other box. Longer lines go further out. */
static uint32_t around(const struct cm_cube *cube, struct cm_point a, struct cm_point b, double out,
                       double spread, struct cm_point line[4])
{
    bool level = a.y == b.y; /* the nodes are in one row */
    double sign = out < 0 ? -1 : 1;
    double half = sign * ((level ? cube->box_h : cube->box_w) / 2 + 1);
    double side = (level ? a.x < b.x : a.y < b.y) ? spread : -spread;
    const double away[4] = {0, out, out, 0};
    for (int i = 0; i < 4; i++) {
        struct cm_point end = i < 2 ? a : b;
        double along = i < 2 ? -side : side;
        line[i] = level ? (struct cm_point){end.x + along, end.y + half + away[i]}
                        : (struct cm_point){end.x + half + away[i], end.y + along};
    }
    return 4;
}

uint32_t cm_cube_lane(const struct cm_cube *cube, uint32_t node, uint32_t dimension,
                      uint32_t channel, struct cm_point line[4])
{
    uint32_t channels = cube->channels;
    bool up = !(node >> dimension & 1); /* the channel leads to the node with the higher number */
    struct cm_point a = cm_cube_node(cube, node), b = cm_cube_node(cube, node ^ 1u << dimension);
    double pitch = a.y == b.y ? cube->pitch_x : cube->pitch_y;
    double apart = fabs(a.y == b.y ? b.x - a.x : b.y - a.y);
    /* lines of an edge have numbers from 0 to 2 * channels - 1, with channels to the higher node
     * first */
    uint32_t lane = up ? channel : 2 * channels - 1 - channel;
    double offset = (lane + 0.5 - channels) * cube->lane;
    if (cube->bars > 0)
        return level_line(cube, node, node ^ 1u << dimension, offset, line);
    if (cube->columns == 0 || apart < 1.5 * pitch)
        return straight(cube, a, b, up ? offset : -offset, line);
    uint32_t bits = (cube->dimensions + 1) / 2;
    uint32_t order = dimension < bits ? dimension : dimension - bits;
    /* level 0, 1 or 2 for lines around two, four or six nodes */
    uint32_t level = (uint32_t)(apart / pitch + 0.5) / 2 - 1;
    double out = (level * 2 * channels + lane + 1.5) * cube->lane;
    bool before = (order == 1) == (a.y == b.y); /* the line goes above a row, or left of a column */
    return around(cube, a, b, before ? -out : out, offset, line);
}
