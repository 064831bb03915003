/* Translates motion, buttons and wheel of the mouse into calls of the functions of state.h. */
#include "control.h"

#include "keys.h"

#include <inttypes.h>

static void click(const struct cm_view_model *model, struct cm_view_state *state,
                  const struct cm_view_hit *hit)
{
    if (hit->part < CM_VIEW_PANEL_COUNT)
        state->focus = (enum cm_view_panel)hit->part;
    switch (hit->kind) {
    case CM_VIEW_HIT_MARK:
    case CM_VIEW_HIT_ROW:
        cm_view_pin(state, hit->mark);
        break;
    case CM_VIEW_HIT_TIME:
        cm_view_go(model, state, hit->cycle);
        break;
    case CM_VIEW_HIT_PHASE:
        state->hidden_phases ^= 1u << hit->phase;
        break;
    case CM_VIEW_HIT_DIMENSION:
        state->hidden_dimensions ^= 1u << hit->dimension;
        break;
    case CM_VIEW_HIT_SCALE:
        state->linear = !state->linear;
        break;
    case CM_VIEW_HIT_LAYOUT:
        state->machine = hit->machine;
        break;
    case CM_VIEW_HIT_PACKET:
        cm_view_go_packet(model, state, hit->packet);
        break;
    case CM_VIEW_HIT_HOP:
        cm_view_go(model, state, hit->cycle);
        state->pin = hit->mark;
        break;
    case CM_VIEW_HIT_LINK:
        cm_view_go_link(model, state, hit->link);
        break;
    case CM_VIEW_HIT_LINE: /* cm_view_control_press handles clicks on source lines */
    case CM_VIEW_HIT_BUTTON:
    case CM_VIEW_HIT_NOTHING:
        break;
    }
}

/* Returns the object under a pointer that drags. A pointer that moves the cursor or selects a range
 * may leave the time strip. In this case the nearest cycle on the strip is returned. */
static struct cm_view_hit drag_hit(const struct cm_view_control *control,
                                   const struct cm_view_target *target, int x)
{
    int w = (int)(target->w / target->scale), h = (int)(target->h / target->scale);
    struct cm_view_layout layout = cm_view_lay_out(control->model, &control->state, w, h);
    struct cm_view_hit hit = {.kind = CM_VIEW_HIT_NOTHING};
    if (control->drag.part >= CM_VIEW_PART_COUNT)
        return hit;
    for (uint32_t c = 0; c < layout.columns && hit.kind == CM_VIEW_HIT_NOTHING; c++) {
        const struct cm_view_rect *place = &layout.place[c][control->drag.part];
        int left = (int)((place->x + layout.strip_left) * target->scale);
        int right = (int)((place->x + place->w - layout.strip_right) * target->scale) - 1;
        int at = x < left ? left : x > right ? right : x;
        hit = cm_view_hit(control->model, &control->state, target, at, control->drag_y);
    }
    return hit;
}

static void select_to(struct cm_view_control *control, uint64_t cycle)
{
    uint64_t from = control->select_from;
    control->select_to = cycle;
    cm_view_control_say(control, "show cycles %" PRIu64 " to %" PRIu64, from < cycle ? from : cycle,
                        from < cycle ? cycle : from);
}

static struct cm_view_tip tip_of(const struct cm_view_hit *hit)
{
    bool button = hit->kind == CM_VIEW_HIT_BUTTON,
         title = hit->title && hit->kind == CM_VIEW_HIT_NOTHING;
    if (!button && !title)
        return (struct cm_view_tip){0, 0, 0};
    return (struct cm_view_tip){hit->part + 1, hit->column, button ? hit->button + 1 : 0};
}

#define MOVE_LEAST 4 /* in pixels. A shorter move is a click */

/* Moves the visible part of the cube with the pointer. The press was then not a click, so it pins
 * nothing. */
static void move_cube(struct cm_view_control *control, const struct cm_view_target *target, int x,
                      int y)
{
    struct cm_view_state *state = &control->state;
    struct cm_view_hit at[2];
    int right = x - control->move_x, down = y - control->move_y;
    if (!control->moved && right * right + down * down < MOVE_LEAST * MOVE_LEAST)
        return;
    at[0] = cm_view_hit(control->model, state, target, control->move_x, control->move_y);
    at[1] = cm_view_hit(control->model, state, target, x, y);
    if (!at[0].on_cube || !at[1].on_cube || at[0].column != at[1].column)
        return;
    if (!control->moved)
        state->pin = control->pin_before;
    cm_view_pan_cube(state, at[1].cube_x - at[0].cube_x, at[1].cube_y - at[0].cube_y);
    control->moved = true;
    control->move_x = x;
    control->move_y = y;
}

void cm_view_control_motion(struct cm_view_control *control, const struct cm_view_target *target,
                            int x, int y)
{
    struct cm_view_hit hit;
    if (control->selecting) {
        hit = drag_hit(control, target, x);
        if (hit.kind == CM_VIEW_HIT_TIME)
            select_to(control, hit.cycle);
        return;
    }
    if (control->dragging) {
        hit = drag_hit(control, target, x);
        if (hit.kind == CM_VIEW_HIT_TIME)
            cm_view_go(control->model, &control->state, hit.cycle);
        control->state.pointed.shown = 0;
        return;
    }
    if (control->moving) {
        move_cube(control, target, x, y);
        return;
    }
    hit = cm_view_hit(control->model, &control->state, target, x, y);
    control->state.hover =
        hit.kind == CM_VIEW_HIT_MARK ? hit.mark : (struct cm_view_mark){.kind = CM_VIEW_MARK_NONE};
    control->state.pointed = (struct cm_view_pointed){hit.cycle, hit.part, hit.column,
                                                      hit.dimension, hit.kind == CM_VIEW_HIT_TIME};
    control->state.tip = tip_of(&hit);
    control->state.program_row = hit.kind == CM_VIEW_HIT_LINE ? hit.row + 1 : 0;
}

void cm_view_control_point(struct cm_view_control *control, const struct cm_view_target *target,
                           const uint64_t place[2])
{
    int at[2];
    for (int i = 0; i < 2; i++) {
        double pixels = (double)place[i] * target->scale;
        at[i] = pixels < 1e6 ? (int)pixels : 1000000; /* beyond the edge of any picture */
    }
    cm_view_control_motion(control, target, at[0], at[1]);
}

/* Turns the page of the list of keys. Closes the list after its last page. */
static void turn_page(struct cm_view_control *control, const struct cm_view_target *target)
{
    struct cm_view_state *state = &control->state;
    struct cm_view_target shown = *target;
    if (control->model->program == NULL && shown.key_count > CM_VIEW_KEY_PROGRAM)
        shown.key_count = CM_VIEW_KEY_PROGRAM;
    uint32_t pages = cm_view_help_pages(&shown);
    state->help = state->help_page % pages + 1 < pages;
    state->help_page = state->help ? state->help_page + 1 : 0;
}

void cm_view_control_press(struct cm_view_control *control, const struct cm_view_target *target,
                           int x, int y)
{
    if (control->state.help) {
        turn_page(control, target);
        return;
    }
    struct cm_view_hit hit = cm_view_hit(control->model, &control->state, target, x, y);
    if (hit.kind == CM_VIEW_HIT_BUTTON) {
        cm_view_control_key(control, cm_view_button_key(hit.button));
        return;
    }
    control->message[0] = '\0';
    control->prompt = false;
    control->state.tip = (struct cm_view_tip){0, 0, 0};
    control->state.tour.paused = control->state.tour.station > 0;
    control->pin_before = control->state.pin;
    click(control->model, &control->state, &hit);
#ifndef __EMSCRIPTEN__
    if (hit.kind == CM_VIEW_HIT_LINE)
        cm_view_program_break_row(control, hit.row);
#endif
    control->moving = hit.on_cube && control->state.cube_zoom > 1;
    control->moved = false;
    control->move_x = x;
    control->move_y = y;
    control->dragging = hit.kind == CM_VIEW_HIT_TIME;
    control->drag = hit;
    control->drag_y = y;
}

void cm_view_control_select(struct cm_view_control *control, const struct cm_view_target *target,
                            int x, int y)
{
    struct cm_view_hit hit = cm_view_hit(control->model, &control->state, target, x, y);
    if (hit.kind != CM_VIEW_HIT_TIME) {
        cm_view_control_press(control, target, x, y);
        return;
    }
    control->selecting = true;
    control->drag = hit;
    control->drag_y = y;
    control->select_from = control->select_to = hit.cycle;
}

void cm_view_control_double(struct cm_view_control *control, const struct cm_view_target *target,
                            int x, int y)
{
    struct cm_view_state *state = &control->state;
    struct cm_view_hit hit = cm_view_hit(control->model, state, target, x, y);
    if (hit.kind != CM_VIEW_HIT_NOTHING || hit.part >= CM_VIEW_PANEL_COUNT) {
        cm_view_control_press(control, target, x, y);
        return;
    }
    state->focus = (enum cm_view_panel)hit.part;
    if (hit.on_cube && state->cube_zoom > 1) {
        cm_view_look_at_cube(state, 1, 0.5, 0.5);
        return;
    }
    state->panel = state->panel == CM_VIEW_ALL ? state->focus : CM_VIEW_ALL;
}

void cm_view_control_release(struct cm_view_control *control)
{
    uint64_t from = control->select_from, to = control->select_to;
    if (control->selecting && from != to)
        cm_view_zoom_to(control->model, &control->state, from < to ? from : to,
                        from < to ? to : from);
    if (control->selecting)
        control->message[0] = '\0';
    control->selecting = false;
    control->dragging = false;
    control->moving = false;
}

void cm_view_control_wheel(struct cm_view_control *control, const struct cm_view_target *target,
                           int x, int y, int up, int right)
{
    struct cm_view_hit hit = cm_view_hit(control->model, &control->state, target, x, y);
    uint64_t about = hit.kind == CM_VIEW_HIT_TIME ? hit.cycle : control->state.cycle;
    if (up != 0 && hit.on_cube)
        cm_view_zoom_cube(&control->state, up, hit.cube_x, hit.cube_y);
    else if (up != 0)
        cm_view_zoom(control->model, &control->state, up, about);
    if (right != 0)
        cm_view_pan(control->model, &control->state, right * CM_VIEW_PAN_PART);
}

void cm_view_control_leave(struct cm_view_control *control)
{
    control->state.tip = (struct cm_view_tip){0, 0, 0};
    control->state.program_row = 0;
    control->state.hover = (struct cm_view_mark){.kind = CM_VIEW_MARK_NONE};
    control->state.pointed.shown = 0;
}
