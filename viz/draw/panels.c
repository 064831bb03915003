/* Names and places of the panels. */
#include "panels.h"

#include "../model/model.h"

#include <string.h>

#define GAP              6
#define HEADER_HEIGHT    26
#define NOTICE_HEIGHT    20
#define LEGEND_HEIGHT    46
#define LEGEND_NARROW    1060 /* below this width the phases take two rows */
#define LEGEND_SLIM      760  /* and below this three, where there is height for them */
#define LEGEND_TALL      460
#define AXIS_HEIGHT      22
#define TITLE_HEIGHT     20
#define PHASES_HEIGHT    92
#define CAUSES_HEIGHT    190
#define ARRAY_HEIGHT     190
#define SIDE_WIDTH       330 /* of the column with the inspector */
#define MAP_WIDTH        260 /* the least */
#define MAP_NARROW       190 /* of two runs and their difference: nothing that yields would widen them */
#define MAP_HEIGHT       190
#define INSPECTOR_HEIGHT 190 /* and a line for each dimension */
#define INSPECTOR_LINE   15
#define BRIEF_HEIGHT     58  /* of the inspector when two runs are compared */
#define TABLE_HEIGHT     136 /* of the causes, then */

static const char *const names[CM_VIEW_PANEL_COUNT + 1] = {
    [CM_VIEW_CUBE] = "cube",     [CM_VIEW_MACHINE] = "machine", [CM_VIEW_TIME] = "time",
    [CM_VIEW_PHASES] = "phases", [CM_VIEW_ARRAY] = "array",     [CM_VIEW_INSPECTOR] = "inspector",
    [CM_VIEW_ALL] = "all",
};

static const char *const titles[CM_VIEW_PANEL_COUNT] = {
    [CM_VIEW_CUBE] = "Cube",
    [CM_VIEW_MACHINE] = "Machine",
    [CM_VIEW_TIME] = "Dimensions over time",
    [CM_VIEW_PHASES] = "What the sequencer does",
    [CM_VIEW_ARRAY] = "Array",
    [CM_VIEW_INSPECTOR] = "Inspector",
};

const char *cm_view_panel_name(enum cm_view_panel panel)
{
    return names[panel <= CM_VIEW_ALL ? panel : CM_VIEW_ALL];
}

const char *cm_view_panel_title(enum cm_view_panel panel)
{
    return panel < CM_VIEW_PANEL_COUNT ? titles[panel] : "";
}

bool cm_view_panel_find(const char *name, enum cm_view_panel *panel)
{
    for (unsigned i = 0; i <= CM_VIEW_ALL; i++)
        if (strcmp(name, names[i]) == 0) {
            *panel = (enum cm_view_panel)i;
            return true;
        }
    return false;
}

/* What is shown, before places are known. */
struct wish {
    bool part[CM_VIEW_PART_COUNT];
    bool compare;
    int dimensions;
    int w, h;
};

static int sum(const struct wish *wish, unsigned part, int height)
{
    return wish->part[part] ? height + GAP : 0;
}

static int time_height(const struct wish *wish, int row)
{
    return TITLE_HEIGHT + 14 + wish->dimensions * row;
}

static int legend_height(const struct wish *wish)
{
    return LEGEND_HEIGHT + (wish->w < LEGEND_NARROW ? 20 : 0) +
           (wish->w < LEGEND_SLIM && wish->h >= LEGEND_TALL ? 20 : 0);
}

/* The least height of header, notice, legend; of time strips with their axis. */
static int frame_height(const struct wish *wish)
{
    return sum(wish, CM_VIEW_PART_HEADER, HEADER_HEIGHT) +
           sum(wish, CM_VIEW_PART_NOTICE, NOTICE_HEIGHT) +
           sum(wish, CM_VIEW_PART_LEGEND, legend_height(wish));
}

static int strips_height(const struct wish *wish)
{
    int height = sum(wish, CM_VIEW_TIME, time_height(wish, 8)) +
                 sum(wish, CM_VIEW_PHASES, PHASES_HEIGHT) +
                 sum(wish, CM_VIEW_PART_AXIS, AXIS_HEIGHT);
    if (wish->compare)
        height += sum(wish, CM_VIEW_INSPECTOR, BRIEF_HEIGHT) +
                  sum(wish, CM_VIEW_PART_CAUSES, TABLE_HEIGHT);
    return height;
}

static int inspector_height(const struct wish *wish)
{
    return INSPECTOR_HEIGHT + wish->dimensions * INSPECTOR_LINE;
}

static bool has_side(const struct wish *wish)
{
    return !wish->compare && (wish->part[CM_VIEW_INSPECTOR] || wish->part[CM_VIEW_ARRAY] ||
                              wish->part[CM_VIEW_PART_CAUSES]);
}

static bool fits(const struct wish *wish)
{
    int maps = wish->part[CM_VIEW_CUBE] + wish->part[CM_VIEW_MACHINE];
    int maps_width = wish->compare ? 3 * (MAP_NARROW + GAP) : maps * (MAP_WIDTH + GAP);
    int width = maps_width + (has_side(wish) ? SIDE_WIDTH + GAP : 0);
    int side = sum(wish, CM_VIEW_INSPECTOR, inspector_height(wish)) +
               sum(wish, CM_VIEW_ARRAY, ARRAY_HEIGHT - 50) +
               sum(wish, CM_VIEW_PART_CAUSES, CAUSES_HEIGHT - 50);
    int frame = frame_height(wish);
    return width <= wish->w && frame + strips_height(wish) + MAP_HEIGHT <= wish->h &&
           (!has_side(wish) || frame + side <= wish->h);
}

static void yield_until_it_fits(struct wish *wish, enum cm_view_panel smaller_map)
{
    const unsigned order[] = {CM_VIEW_ARRAY,     CM_VIEW_PHASES,      CM_VIEW_INSPECTOR,
                              smaller_map,       CM_VIEW_PART_LEGEND, CM_VIEW_TIME,
                              CM_VIEW_PART_AXIS, CM_VIEW_PART_NOTICE, CM_VIEW_PART_HEADER};
    for (size_t i = 0; i < sizeof order / sizeof order[0] && !fits(wish); i++) {
        wish->part[order[i]] = false;
        if (order[i] == CM_VIEW_PHASES)
            wish->part[CM_VIEW_PART_CAUSES] = false;
    }
}

static bool has_places(const struct cm_view_run *run)
{
    for (uint32_t i = 0; i < run->info->arrays; i++)
        if (cm_trace_array_at(run->trace, i)->placed)
            return true;
    return false;
}

static struct wish wish_of(const struct cm_view_model *model, const struct cm_view_state *state,
                           int w, int h)
{
    const struct cm_view_run *run = &model->runs[state->run];
    struct wish wish = {.dimensions = (int)run->info->dimensions, .w = w, .h = h};
    wish.compare = state->compare && model->run_count > 1;
    for (uint32_t i = 0; i < model->run_count && wish.compare; i++)
        if ((int)model->runs[i].info->dimensions > wish.dimensions)
            wish.dimensions = (int)model->runs[i].info->dimensions;
    wish.part[CM_VIEW_PART_HEADER] = wish.part[CM_VIEW_PART_AXIS] = true;
    wish.part[CM_VIEW_PART_LEGEND] = true;
    for (uint32_t i = 0; i < model->run_count; i++)
        if (model->runs[i].info->notice != NULL && (wish.compare || i == state->run))
            wish.part[CM_VIEW_PART_NOTICE] = true;
    if (state->panel < CM_VIEW_PANEL_COUNT) {
        wish.part[state->panel] = true;
        wish.part[CM_VIEW_PART_CAUSES] = state->panel == CM_VIEW_PHASES;
        return wish;
    }
    for (unsigned i = 0; i < CM_VIEW_PANEL_COUNT; i++)
        wish.part[i] = true;
    wish.part[CM_VIEW_PART_CAUSES] = true;
    enum cm_view_panel smaller = run->info->nodes > 64 ? CM_VIEW_CUBE : CM_VIEW_MACHINE;
    if (wish.compare) /* the map that has the focus, if it is one */
        smaller = state->focus == CM_VIEW_MACHINE ? CM_VIEW_CUBE
                  : state->focus == CM_VIEW_CUBE  ? CM_VIEW_MACHINE
                                                  : smaller;
    if (wish.compare)
        wish.part[smaller] = wish.part[CM_VIEW_ARRAY] = false;
    else
        wish.part[CM_VIEW_ARRAY] = has_places(run);
    yield_until_it_fits(&wish, smaller);
    return wish;
}

/* Takes a strip of a height off the top or the bottom of what is left. */
static struct cm_view_rect take_top(struct cm_view_rect *left, int height)
{
    struct cm_view_rect strip = {left->x, left->y, left->w, height};
    left->y += height + GAP;
    left->h -= height + GAP;
    return strip;
}

static struct cm_view_rect take_bottom(struct cm_view_rect *left, int height)
{
    struct cm_view_rect strip = {left->x, left->y + left->h - height, left->w, height};
    left->h -= height + GAP;
    return strip;
}

/* The column with inspector, array and causes: the inspector gets what the others leave. */
static void lay_out_side(const struct wish *wish, struct cm_view_rect side,
                         struct cm_view_rect place[CM_VIEW_PART_COUNT])
{
    bool inspector = wish->part[CM_VIEW_INSPECTOR], array = wish->part[CM_VIEW_ARRAY];
    int spare = side.h - sum(wish, CM_VIEW_INSPECTOR, inspector_height(wish)) -
                sum(wish, CM_VIEW_ARRAY, ARRAY_HEIGHT) -
                sum(wish, CM_VIEW_PART_CAUSES, CAUSES_HEIGHT);
    int give = spare < 0 ? -spare / 2 + 1 : 0;
    if (wish->part[CM_VIEW_PART_CAUSES])
        place[CM_VIEW_PART_CAUSES] =
            inspector || array ? take_bottom(&side, CAUSES_HEIGHT - give) : side;
    if (array)
        place[CM_VIEW_ARRAY] =
            inspector ? take_bottom(&side, ARRAY_HEIGHT - give + (spare > 0 ? spare / 2 : 0))
                      : side;
    if (inspector)
        place[CM_VIEW_INSPECTOR] = side;
}

static void lay_out_maps(const struct wish *wish, uint32_t nodes, struct cm_view_rect left,
                         struct cm_view_rect place[CM_VIEW_PART_COUNT])
{
    if (wish->part[CM_VIEW_CUBE] && wish->part[CM_VIEW_MACHINE]) {
        int cube = left.w * (nodes > 64 ? 42 : 56) / 100;
        place[CM_VIEW_CUBE] = (struct cm_view_rect){left.x, left.y, cube, left.h};
        place[CM_VIEW_MACHINE] =
            (struct cm_view_rect){left.x + cube + GAP, left.y, left.w - cube - GAP, left.h};
    } else {
        place[wish->part[CM_VIEW_CUBE] ? CM_VIEW_CUBE : CM_VIEW_MACHINE] = left;
    }
}

/* A column of maps above time strips; the height of a dimension's row follows from the room there
 * is. */
static void lay_out_column(const struct wish *wish, uint32_t nodes, struct cm_view_rect left,
                           struct cm_view_rect place[CM_VIEW_PART_COUNT])
{
    int row = wish->dimensions > 0 ? left.h * 22 / 100 / wish->dimensions : 8;
    int most = wish->compare ? 14 : 22;
    row = row < 8 ? 8 : row > most ? most : row;
    if (wish->part[CM_VIEW_PART_AXIS])
        place[CM_VIEW_PART_AXIS] = take_bottom(&left, AXIS_HEIGHT);
    if (wish->compare && wish->part[CM_VIEW_PART_CAUSES]) {
        struct cm_view_rect axis = place[CM_VIEW_PART_AXIS];
        left.h += axis.h + GAP; /* the axis goes under the strips, the causes below it */
        place[CM_VIEW_PART_CAUSES] = take_bottom(&left, TABLE_HEIGHT);
        place[CM_VIEW_PART_AXIS] = take_bottom(&left, AXIS_HEIGHT);
    }
    if (wish->part[CM_VIEW_PHASES])
        place[CM_VIEW_PHASES] = take_bottom(&left, PHASES_HEIGHT);
    if (wish->part[CM_VIEW_TIME])
        place[CM_VIEW_TIME] = take_bottom(&left, time_height(wish, row));
    if (wish->compare && wish->part[CM_VIEW_INSPECTOR])
        place[CM_VIEW_INSPECTOR] = take_bottom(&left, BRIEF_HEIGHT);
    lay_out_maps(wish, nodes, left, place);
}

/* One panel alone, with the time axis below. */
static void lay_out_single(const struct wish *wish, enum cm_view_panel panel,
                           struct cm_view_rect left, struct cm_view_rect place[CM_VIEW_PART_COUNT])
{
    if (wish->part[CM_VIEW_PART_CAUSES])
        place[CM_VIEW_PART_CAUSES] = take_bottom(&left, left.h * 45 / 100);
    if (wish->part[CM_VIEW_PART_AXIS])
        place[CM_VIEW_PART_AXIS] = take_bottom(&left, AXIS_HEIGHT);
    place[panel] = left;
}

/* Header, notice and legend go over the whole width; what is left is returned. */
static struct cm_view_rect lay_out_frame(const struct wish *wish,
                                         struct cm_view_rect place[CM_VIEW_PART_COUNT])
{
    int margin = wish->w > 2 * GAP && wish->h > 2 * GAP ? GAP : 0;
    struct cm_view_rect left = {margin, margin / 2, wish->w - 2 * margin, wish->h - margin};
    if (wish->part[CM_VIEW_PART_HEADER])
        place[CM_VIEW_PART_HEADER] = take_top(&left, HEADER_HEIGHT);
    if (wish->part[CM_VIEW_PART_NOTICE])
        place[CM_VIEW_PART_NOTICE] = take_top(&left, NOTICE_HEIGHT);
    if (wish->part[CM_VIEW_PART_LEGEND])
        place[CM_VIEW_PART_LEGEND] = take_bottom(&left, legend_height(wish));
    return left;
}

/* A panel alone gives up legend, axis, notice and header, in this order. */
static void yield_around(struct wish *wish)
{
    static const unsigned order[] = {CM_VIEW_PART_LEGEND, CM_VIEW_PART_AXIS, CM_VIEW_PART_NOTICE,
                                     CM_VIEW_PART_HEADER};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        if (frame_height(wish) + sum(wish, CM_VIEW_PART_AXIS, AXIS_HEIGHT) + MAP_HEIGHT > wish->h)
            wish->part[order[i]] = false;
}

struct cm_view_layout cm_view_lay_out(const struct cm_view_model *model,
                                      const struct cm_view_state *state, int w, int h)
{
    struct cm_view_layout layout = {.columns = 1, .strip_left = 70, .strip_right = 12};
    struct wish wish = wish_of(model, state, w, h);
    if (state->panel < CM_VIEW_PANEL_COUNT)
        yield_around(&wish);
    struct cm_view_rect left = lay_out_frame(&wish, layout.place[0]);
    layout.columns = wish.compare ? 3 : 1;
    if (has_side(&wish) && state->panel == CM_VIEW_ALL) {
        struct cm_view_rect side = {left.x + left.w - SIDE_WIDTH, left.y, SIDE_WIDTH, left.h};
        if (left.w > 1500)
            side.w = left.w * 25 / 100;
        side.x = left.x + left.w - side.w;
        lay_out_side(&wish, side, layout.place[0]);
        left.w -= side.w + GAP;
    }
    for (uint32_t c = 0; c < layout.columns; c++) {
        int width = (left.w - GAP * ((int)layout.columns - 1)) / (int)layout.columns;
        struct cm_view_rect column = {left.x + (int)c * (width + GAP), left.y, width, left.h};
        if (state->panel < CM_VIEW_PANEL_COUNT)
            lay_out_single(&wish, state->panel, column, layout.place[c]);
        else
            lay_out_column(&wish, model->runs[state->run].info->nodes, column, layout.place[c]);
    }
    return layout;
}
