/* The layout of the panels. cm_view_lay_out begins with the panels that the state asks for, removes
 * panels until the others fit, and then divides the picture into regions from the outside in. */
#include "draw_private.h"

#define GAP        6
#define SIDE_WIDTH 330 /* width in points of the column at the right ... */
#define SIDE_WIDER 440 /* ... and its width if it shows lines of a program */
#define MAP_WIDTH  260 /* least width of a map in points */
/* least width of a map with two runs and their difference. Removing panels would not make such a
 * map wider */
#define MAP_NARROW 190
#define MAP_HEIGHT 190

const struct cm_panel *const cm_panels[CM_VIEW_PART_COUNT] = {
#define CM_VIEW_PANEL(symbol, name) [CM_VIEW_##symbol] = &cm_panel_##name,
#define CM_VIEW_PART(symbol, name)  [CM_VIEW_PART_##symbol] = &cm_panel_##name,
#include "../model/panels.def"
};

const char *cm_view_part_name(uint32_t part)
{
    static const char *const names[CM_VIEW_PART_COUNT] = {
#define CM_VIEW_PANEL(symbol, name) [CM_VIEW_##symbol] = #name,
#define CM_VIEW_PART(symbol, name)  [CM_VIEW_PART_##symbol] = #name,
#include "../model/panels.def"
    };
    return names[part];
}

/* Panels that are to be shown, before their places are known. */
struct plan {
    struct cm_room room;
    bool part[CM_VIEW_PART_COUNT];
    bool alone; /* True if one panel is shown alone */
    bool large; /* True if the cube panel cannot show all nodes */
};

static bool is_in(const struct plan *plan, unsigned part, enum cm_region region)
{
    const struct cm_panel *panel = cm_panels[part];
    return plan->part[part] && (plan->room.compare ? panel->compared : panel->region) == region;
}

static int count_in(const struct plan *plan, enum cm_region region)
{
    int count = 0;
    for (unsigned part = 0; part < CM_VIEW_PART_COUNT; part++)
        count += is_in(plan, part, region);
    return count;
}

static int height_of(const struct plan *plan, unsigned part)
{
    const struct cm_panel *panel = cm_panels[part];
    return panel->height_in != NULL ? panel->height_in(&plan->room) : panel->height;
}

static bool can_give(const struct plan *plan, unsigned part)
{
    struct plan least = *plan;
    least.room.column = 0;
    return height_of(plan, part) > height_of(&least, part);
}

/* Returns the height of a region's panels one above the other, gaps included. */
static int stack_height(const struct plan *plan, enum cm_region region)
{
    int height = 0;
    for (unsigned part = 0; part < CM_VIEW_PART_COUNT; part++)
        height += is_in(plan, part, region) ? height_of(plan, part) + GAP : 0;
    return height;
}

static int side_width(const struct plan *plan)
{
#ifndef __EMSCRIPTEN__
    if (plan->part[CM_VIEW_PROGRAM])
        return SIDE_WIDER;
#endif
    (void)plan;
    return SIDE_WIDTH;
}

static bool fits(const struct plan *plan)
{
    int frame = stack_height(plan, CM_REGION_TOP) + stack_height(plan, CM_REGION_BOTTOM);
    int column = frame + stack_height(plan, CM_REGION_AXIS) + MAP_HEIGHT;
    if (plan->alone)
        return column <= plan->room.h;
    column += stack_height(plan, CM_REGION_FOOT) + stack_height(plan, CM_REGION_STRIPS) +
              stack_height(plan, CM_REGION_BRIEF);
    int width = plan->room.compare ? 3 * (MAP_NARROW + GAP)
                                   : count_in(plan, CM_REGION_MAPS) * (MAP_WIDTH + GAP);
    if (count_in(plan, CM_REGION_SIDE) > 0)
        width += side_width(plan) + GAP;
    return width <= plan->room.w && column <= plan->room.h &&
           frame + stack_height(plan, CM_REGION_SIDE) <= plan->room.h;
}

static int share_of(const struct plan *plan, unsigned part)
{
    return cm_panels[part]->share[plan->large];
}

/* Returns the map with the largest share of the width among the maps that are shown. */
static unsigned largest_map(const struct plan *plan)
{
    unsigned largest = CM_VIEW_PART_COUNT;
    for (unsigned part = 0; part < CM_VIEW_PART_COUNT; part++)
        if (is_in(plan, part, CM_REGION_MAPS) &&
            (largest == CM_VIEW_PART_COUNT || share_of(plan, part) > share_of(plan, largest)))
            largest = part;
    return largest;
}

/* Returns true if a panel may be left out. A panel that is shown alone stays with the parts that
 * belong to it, and the largest map always stays. */
static bool may_yield(const struct plan *plan, unsigned part)
{
    if (plan->alone && (part < CM_VIEW_PANEL_COUNT || cm_panels[part]->with != NULL))
        return false;
    return plan->part[part] && part != largest_map(plan);
}

static void yield_until_it_fits(struct plan *plan)
{
    for (int turn = 1; turn <= CM_YIELD_LAST; turn++)
        for (unsigned part = 0; part < CM_VIEW_PART_COUNT; part++) {
            if (cm_panels[part]->yields != turn || !may_yield(plan, part) || fits(plan))
                continue;
            for (unsigned with = 0; with < CM_VIEW_PART_COUNT; with++)
                if (with == part || cm_panels[with]->with == cm_panels[part])
                    plan->part[with] = false;
        }
}

/* Returns true if a plain picture has a part: the time axis below panels over time, and the legend
 * of panels with colours of loads or phases. */
static bool is_in_print(const struct cm_view_state *state, unsigned part)
{
    bool all = state->panel == CM_VIEW_ALL, phases = state->panel == CM_VIEW_PHASES;
    bool strips = state->panel == CM_VIEW_TIME || state->panel == CM_VIEW_PACKETS || phases;
    bool loads = state->panel == CM_VIEW_CUBE || state->panel == CM_VIEW_MACHINE ||
                 state->panel == CM_VIEW_TIME;
    if (part == CM_VIEW_PART_AXIS)
        return all || strips;
    if (part == CM_VIEW_PART_LEGEND)
        return all || loads || phases;
    if (cm_panels[part]->describes_pin && state->compare && all)
        return state->pin.kind != CM_VIEW_MARK_NONE;
    return part != CM_VIEW_PART_HEADER && part != CM_VIEW_PART_CAPTION;
}

static bool is_planned(const struct plan *plan, const struct cm_view_model *model,
                       const struct cm_view_state *state, unsigned part)
{
    const struct cm_panel *panel = cm_panels[part];
    if (state->plain && !is_in_print(state, part))
        return false;
    if (plan->alone && part < CM_VIEW_PANEL_COUNT)
        return part == state->panel;
    if (plan->alone && panel->with != NULL)
        return panel->with == cm_panels[state->panel];
    return (plan->room.compare ? panel->compared : panel->region) != CM_REGION_NONE &&
           (panel->is_wanted == NULL || panel->is_wanted(model, state));
}

static struct plan plan_of(const struct cm_view_model *model, const struct cm_view_state *state,
                           int w, int h)
{
    const struct cm_trace_info *info = model->runs[state->run].info;
    struct plan plan = {.room = {.w = w, .h = h}, .large = info->nodes > CM_VIEW_CUBE_NODES};
    plan.room.compare = state->compare && model->run_count > 1;
    plan.room.dimensions = (int)cm_view_dimensions(model, state);
    plan.alone = state->panel < CM_VIEW_PANEL_COUNT;
    for (unsigned part = 0; part < CM_VIEW_PART_COUNT; part++)
        plan.part[part] = is_planned(&plan, model, state, part);
    /* one map is kept: the map with the focus, or else the largest */
    if (plan.room.compare && !plan.alone) {
        unsigned map =
            is_in(&plan, state->focus, CM_REGION_MAPS) ? state->focus : largest_map(&plan);
        for (unsigned part = 0; part < CM_VIEW_PART_COUNT; part++)
            plan.part[part] =
                plan.part[part] && (part == map || !is_in(&plan, part, CM_REGION_MAPS));
    }
    yield_until_it_fits(&plan);
    return plan;
}

/* Cuts a strip of the given height off the bottom of the rectangle *left, and returns the strip. */
static struct cm_view_rect take_bottom(struct cm_view_rect *left, int height)
{
    struct cm_view_rect strip = {left->x, left->y + left->h - height, left->w, height};
    left->h -= height + GAP;
    return strip;
}

/* Cuts the panels of a region off the bottom of the rectangle *left. The last panel is the
 * lowest. */
static void take_stack(const struct plan *plan, enum cm_region region, struct cm_view_rect *left,
                       struct cm_view_rect place[CM_VIEW_PART_COUNT])
{
    for (unsigned part = CM_VIEW_PART_COUNT; part-- > 0;)
        if (is_in(plan, part, region))
            place[part] = take_bottom(left, height_of(plan, part));
}

/* Places the parts at the top and at the bottom, which are as wide as the picture. Returns the
 * rectangle between them. */
static struct cm_view_rect lay_out_frame(const struct plan *plan,
                                         struct cm_view_rect place[CM_VIEW_PART_COUNT])
{
    int w = plan->room.w, h = plan->room.h, margin = w > 2 * GAP && h > 2 * GAP ? GAP : 0;
    struct cm_view_rect left = {margin, margin / 2, w - 2 * margin, h - margin};
    for (unsigned part = 0; part < CM_VIEW_PART_COUNT; part++)
        if (is_in(plan, part, CM_REGION_TOP)) {
            int height = height_of(plan, part);
            place[part] = (struct cm_view_rect){left.x, left.y, left.w, height};
            left.y += height + GAP;
            left.h -= height + GAP;
        }
    take_stack(plan, CM_REGION_BOTTOM, &left, place);
    return left;
}

/* Places the panels of the column at the right. The panel with `fills` gets the height that the
 * others leave. If height is missing, the others give up half of what is missing. */
static void lay_out_side(const struct plan *plan, struct cm_view_rect side,
                         struct cm_view_rect place[CM_VIEW_PART_COUNT])
{
    int shown = count_in(plan, CM_REGION_SIDE);
    int spare = side.h - stack_height(plan, CM_REGION_SIDE);
    int give = spare < 0 ? -spare / 2 + 1 : 0;
    for (unsigned part = CM_VIEW_PART_COUNT; part-- > 0;) {
        if (!is_in(plan, part, CM_REGION_SIDE) || cm_panels[part]->fills)
            continue;
        int height = height_of(plan, part) - (can_give(plan, part) ? give : 0);
        if (cm_panels[part]->grows && spare > 0)
            height += spare / 2;
        place[part] = --shown > 0 ? take_bottom(&side, height) : side;
    }
    for (unsigned part = 0; part < CM_VIEW_PART_COUNT; part++)
        if (is_in(plan, part, CM_REGION_SIDE) && cm_panels[part]->fills)
            place[part] = side;
}

static void lay_out_maps(const struct plan *plan, struct cm_view_rect left,
                         struct cm_view_rect place[CM_VIEW_PART_COUNT])
{
    int maps = count_in(plan, CM_REGION_MAPS), all = 0, w = left.w;
    for (unsigned part = 0; part < CM_VIEW_PART_COUNT; part++)
        all += is_in(plan, part, CM_REGION_MAPS) ? share_of(plan, part) : 0;
    for (unsigned part = 0; part < CM_VIEW_PART_COUNT; part++) {
        if (!is_in(plan, part, CM_REGION_MAPS))
            continue;
        place[part] = left;
        if (--maps > 0)
            place[part].w = w * share_of(plan, part) / all;
        left.x += place[part].w + GAP;
        left.w -= place[part].w + GAP;
    }
}

/* Places the panels of a column: maps above time strips. If one panel is shown alone, places it
 * with the parts that belong to it above the time axis. */
static void lay_out_column(const struct plan *plan, unsigned alone, struct cm_view_rect left,
                           struct cm_view_rect place[CM_VIEW_PART_COUNT])
{
    if (!plan->alone) {
        for (int region = CM_REGION_FOOT; region < CM_REGION_MAPS; region++)
            take_stack(plan, (enum cm_region)region, &left, place);
        lay_out_maps(plan, left, place);
        return;
    }
    for (unsigned part = CM_VIEW_PANEL_COUNT; part < CM_VIEW_PART_COUNT; part++)
        if (plan->part[part] && cm_panels[part]->with != NULL)
            place[part] = take_bottom(&left, left.h * 45 / 100);
    take_stack(plan, CM_REGION_AXIS, &left, place);
    place[alone] = left;
}

struct cm_view_layout cm_view_lay_out(const struct cm_view_model *model,
                                      const struct cm_view_state *state, int w, int h)
{
    struct cm_view_layout layout = {.columns = 1, .strip_left = 70, .strip_right = 12};
    struct plan plan = plan_of(model, state, w, h);
    struct cm_view_rect left = lay_out_frame(&plan, layout.place[0]);
    plan.room.column = left.h;
    layout.columns = plan.room.compare ? 3 : 1;
    if (!plan.alone && count_in(&plan, CM_REGION_SIDE) > 0) {
        struct cm_view_rect side = left;
        int least = side_width(&plan), quarter = left.w * 25 / 100;
        side.w = left.w > 1500 && quarter > least ? quarter : least;
        left.w -= side.w + GAP;
        side.x = left.x + left.w + GAP;
        lay_out_side(&plan, side, layout.place[0]);
    }
    for (uint32_t c = 0; c < layout.columns; c++) {
        int width = (left.w - GAP * ((int)layout.columns - 1)) / (int)layout.columns;
        struct cm_view_rect column = {left.x + (int)c * (width + GAP), left.y, width, left.h};
        lay_out_column(&plan, state->panel, column, layout.place[c]);
    }
    return layout;
}
