/* What lies under the pointer, by the geometry that the panels are drawn with; and what pointing
 * and clicking do. */
#include "draw_private.h"

#include <math.h>

static bool within(struct cm_view_rect place, double x, double y)
{
    return x >= place.x && x < place.x + place.w && y >= place.y && y < place.y + place.h;
}

/* Which cell of a table of cells; false: none. */
static bool cell_at(const struct cm_cells *cells, double x, double y, uint32_t *column,
                    uint32_t *row)
{
    if (cells->columns == 0 || cells->rows == 0 || x < cells->x || y < cells->y ||
        x >= cells->x + cells->w || y >= cells->y + cells->h)
        return false;
    *column = (uint32_t)((x - cells->x) / (cells->w / cells->columns));
    *row = (uint32_t)((y - cells->y) / (cells->h / cells->rows));
    return *column < cells->columns && *row < cells->rows;
}

static void mark(const struct cm_frame *frame, struct cm_view_hit *hit, uint32_t column,
                 enum cm_view_mark_kind kind, uint32_t index)
{
    uint32_t run = frame->layout.columns == 1 ? frame->state->run : column == 0 ? 0 : 1;
    hit->kind = CM_VIEW_HIT_MARK;
    hit->mark = (struct cm_view_mark){kind, run, index};
}

static double distance_to(struct cm_point a, struct cm_point b, double x, double y)
{
    double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
    double along = square > 0 ? ((x - a.x) * dx + (y - a.y) * dy) / square : 0;
    along = along < 0 ? 0 : along > 1 ? 1 : along;
    double ex = a.x + along * dx - x, ey = a.y + along * dy - y;
    return sqrt(ex * ex + ey * ey);
}

/* The nearest channel of a node, if it is nearer than `best`. */
static void nearest_lane(const struct cm_frame *frame, const struct cm_cube *cube, uint32_t node,
                         uint32_t channels, double x, double y, double *best, uint32_t *found)
{
    uint32_t all = frame->model->runs[frame->state->run].info->dimensions;
    for (uint32_t d = 0; d < cube->dimensions; d++)
        for (uint32_t c = 0; c < channels; c++) {
            struct cm_point way[4];
            uint32_t points = cm_cube_lane(cube, node, d, c, channels, way);
            for (uint32_t i = 0; i + 1 < points; i++) {
                double away = distance_to(way[i], way[i + 1], x, y);
                if (away < *best && !(frame->state->hidden_dimensions >> d & 1)) {
                    *best = away;
                    *found = (node * all + d) * channels + c;
                }
            }
        }
}

static void hit_cube(const struct cm_frame *frame, uint32_t column, double x, double y,
                     struct cm_view_hit *hit)
{
    struct cm_cube cube = cm_cube_of(frame, column);
    uint32_t channels = cm_frame_run(frame, column)->info->channels, found = CM_TRACE_NONE;
    if (cube.pitch_x < 12 || cube.pitch_y < 12)
        return;
    for (uint32_t i = cube.count; i-- > 0;) { /* the last drawn lies on top */
        struct cm_point at = cm_cube_node(&cube, cube.base + i);
        if (fabs(x - at.x) <= cube.box_w / 2 && fabs(y - at.y) <= cube.box_h / 2) {
            mark(frame, hit, column, CM_VIEW_MARK_NODE, cube.base + i);
            return;
        }
    }
    double best = cube.lane > 4 ? cube.lane : 4;
    for (uint32_t i = 0; i < cube.count; i++)
        nearest_lane(frame, &cube, cube.base + i, channels, x, y, &best, &found);
    if (found != CM_TRACE_NONE)
        mark(frame, hit, column, CM_VIEW_MARK_CHANNEL, found);
}

static void hit_machine(const struct cm_frame *frame, uint32_t column, double x, double y,
                        struct cm_view_hit *hit)
{
    const struct cm_view_run *run = cm_frame_run(frame, column);
    struct cm_view_rect place = frame->layout.place[column][CM_VIEW_MACHINE];
    uint32_t at_column, at_row;
    for (unsigned i = 0; i < CM_VIEW_MACHINE_COUNT; i++)
        if (within(cm_machine_tab(place, (enum cm_view_machine)i), x, y)) {
            hit->kind = CM_VIEW_HIT_LAYOUT;
            hit->machine = (enum cm_view_machine)i;
            return;
        }
    if (frame->state->machine == CM_VIEW_HEAT) {
        struct cm_cells cells = cm_machine_heat(frame, column);
        if (cell_at(&cells, x, y, &at_column, &at_row))
            mark(frame, hit, column, CM_VIEW_MARK_CHANNEL,
                 cm_heat_node(run, &cells, at_column) * cells.rows + at_row);
        return;
    }
    struct cm_cells cells = cm_machine_grid(frame, column);
    if (cell_at(&cells, x, y, &at_column, &at_row))
        mark(frame, hit, column, CM_VIEW_MARK_NODE, cm_view_grid_node(run, at_column, at_row));
}

static void hit_strip(const struct cm_frame *frame, struct cm_view_rect place, double x,
                      struct cm_view_hit *hit)
{
    struct cm_strip strip = cm_frame_strip(frame, place);
    if (strip.w < 1 || x < strip.x || x >= strip.x + strip.w)
        return;
    hit->kind = CM_VIEW_HIT_TIME;
    hit->cycle = cm_strip_cycle(&strip, x);
}

static void hit_time(const struct cm_frame *frame, uint32_t column, double x, double y,
                     struct cm_view_hit *hit)
{
    struct cm_view_rect place = frame->layout.place[column][CM_VIEW_TIME];
    hit_strip(frame, place, x, hit);
    for (uint32_t d = 0; d < cm_frame_run(frame, column)->info->dimensions; d++) {
        double height, top = cm_time_row(frame, place, d, &height);
        if (y < top || y >= top + height)
            continue;
        hit->dimension = d;
        if (hit->kind == CM_VIEW_HIT_NOTHING && x < place.x + frame->layout.strip_left)
            hit->kind = CM_VIEW_HIT_DIMENSION;
    }
}

static void hit_array(const struct cm_frame *frame, uint32_t column, double x, double y,
                      struct cm_view_hit *hit)
{
    const struct cm_view_run *run = cm_frame_run(frame, column);
    struct cm_cells cells = cm_array_cells(frame, column);
    const struct cm_view_places *places =
        cm_view_places(run, frame->state->array, frame->first, frame->end);
    uint32_t at_column, at_row;
    if (places == NULL || !cell_at(&cells, x, y, &at_column, &at_row))
        return;
    uint64_t element = (uint64_t)at_row * cells.columns + at_column;
    if (element < places->elements && places->node[element] != CM_TRACE_NONE)
        mark(frame, hit, column, CM_VIEW_MARK_NODE, places->node[element]);
}

static void hit_legend(const struct cm_frame *frame, double x, double y, struct cm_view_hit *hit)
{
    struct cm_view_rect place = frame->layout.place[0][CM_VIEW_PART_LEGEND];
    if (within(cm_legend_scale(place), x, y))
        hit->kind = CM_VIEW_HIT_SCALE;
    for (uint32_t i = 0; i < CM_TRACE_PHASE_COUNT; i++)
        if (within(cm_legend_phase(place, i), x, y)) {
            hit->kind = CM_VIEW_HIT_PHASE;
            hit->phase = (enum cm_trace_phase)i;
        }
    for (uint32_t d = 0; d < cm_frame_dimensions(frame); d++)
        if (within(cm_legend_dimension(place, d), x, y)) {
            hit->kind = CM_VIEW_HIT_DIMENSION;
            hit->dimension = d;
        }
}

static void hit_part(const struct cm_frame *frame, uint32_t column, double x, double y,
                     struct cm_view_hit *hit)
{
    const struct cm_view_rect *place = frame->layout.place[column];
    switch (hit->part) {
    case CM_VIEW_CUBE:
        hit_cube(frame, column, x, y, hit);
        break;
    case CM_VIEW_MACHINE:
        hit_machine(frame, column, x, y, hit);
        break;
    case CM_VIEW_TIME:
        hit_time(frame, column, x, y, hit);
        break;
    case CM_VIEW_PHASES:
    case CM_VIEW_PART_AXIS:
        hit_strip(frame, place[hit->part], x, hit);
        break;
    case CM_VIEW_ARRAY:
        hit_array(frame, column, x, y, hit);
        break;
    case CM_VIEW_PART_LEGEND:
        hit_legend(frame, x, y, hit);
        break;
    default:
        break;
    }
}

struct cm_view_hit cm_view_hit(const struct cm_view_model *model, const struct cm_view_state *state,
                               const struct cm_view_target *target, int x, int y)
{
    struct cm_view_hit hit = {.kind = CM_VIEW_HIT_NOTHING, .part = CM_VIEW_PART_COUNT};
    struct cm_frame frame;
    cm_frame_begin(&frame, model, state, target);
    double px = (x + 0.5) / frame.canvas.scale, py = (y + 0.5) / frame.canvas.scale;
    for (uint32_t c = 0; c < frame.layout.columns; c++)
        for (uint32_t part = 0; part < CM_VIEW_PART_COUNT; part++)
            if (within(frame.layout.place[c][part], px, py)) {
                hit.part = part;
                hit_part(&frame, c, px, py, &hit);
                return hit;
            }
    return hit;
}

void cm_view_point(const struct cm_view_model *model, struct cm_view_state *state,
                   const struct cm_view_hit *hit)
{
    (void)model;
    state->hover =
        hit->kind == CM_VIEW_HIT_MARK ? hit->mark : (struct cm_view_mark){CM_VIEW_MARK_NONE, 0, 0};
}

void cm_view_click(const struct cm_view_model *model, struct cm_view_state *state,
                   const struct cm_view_hit *hit)
{
    if (hit->part < CM_VIEW_PANEL_COUNT)
        state->focus = (enum cm_view_panel)hit->part;
    switch (hit->kind) {
    case CM_VIEW_HIT_MARK:
        cm_view_pin(state, hit->mark);
        break;
    case CM_VIEW_HIT_TIME:
        cm_view_go(model, state, hit->cycle);
        break;
    case CM_VIEW_HIT_PHASE:
        cm_view_toggle_phase(state, hit->phase);
        break;
    case CM_VIEW_HIT_DIMENSION:
        cm_view_toggle_dimension(state, hit->dimension);
        break;
    case CM_VIEW_HIT_SCALE:
        state->linear = !state->linear;
        break;
    case CM_VIEW_HIT_LAYOUT:
        state->machine = hit->machine;
        break;
    case CM_VIEW_HIT_NOTHING:
        break;
    }
}
