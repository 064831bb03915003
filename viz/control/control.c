/* From keys and mouse to the functions of state.h. */
#include "control.h"

#include "../draw/panels.h"
#include "keys.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define PAN_PART 0.25 /* of the visible interval, a key or a notch of the wheel */

void cm_view_control_begin(struct cm_view_control *control, const struct cm_view_model *model)
{
    memset(control, 0, sizeof *control);
    control->model = model;
    control->state = cm_view_state_first(model);
}

void cm_view_control_say(struct cm_view_control *control, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(control->message, sizeof control->message, format, arguments);
    va_end(arguments);
}

static uint64_t last_cycle(const struct cm_view_control *control)
{
    uint64_t cycles = cm_view_cycles(control->model, &control->state);
    return cycles > 0 ? cycles - 1 : 0;
}

static void go_to_typed(struct cm_view_control *control)
{
    errno = 0;
    unsigned long long cycle = strtoull(control->typed, NULL, 10);
    if (control->typed[0] == '\0')
        return;
    uint64_t last = last_cycle(control);
    if (errno != 0 || cycle > last)
        cm_view_control_say(control, "the run's last cycle is %" PRIu64 ", not %s", last,
                            control->typed);
    cm_view_go(control->model, &control->state, errno != 0 || cycle > last ? last : cycle);
}

/* Digits and the keys that end the typing; the others wait. */
static bool type_key(struct cm_view_control *control, const char *key)
{
    size_t length = strlen(control->typed);
    if (strlen(key) == 1 && key[0] >= '0' && key[0] <= '9') {
        if (length + 1 >= sizeof control->typed)
            return false;
        control->typed[length] = key[0];
        control->typed[length + 1] = '\0';
        return true;
    }
    if (strcasecmp(key, "Backspace") == 0) {
        if (length > 0)
            control->typed[length - 1] = '\0';
        return true;
    }
    bool enter = strcasecmp(key, "Return") == 0;
    if (!enter && strcasecmp(key, "Escape") != 0)
        return false;
    control->prompt = false;
    if (enter)
        go_to_typed(control);
    control->typed[0] = '\0';
    return true;
}

static void run_until(struct cm_view_control *control, enum cm_view_until until)
{
    if (!cm_view_run_until(control->model, &control->state, until))
        cm_view_control_say(control, until == CM_VIEW_UNTIL_BLOCKED
                                         ? "no packet waits for a channel from here on"
                                         : "this is the last phase");
}

static void escape(struct cm_view_control *control)
{
    if (control->state.help)
        control->state.help = false;
    else
        control->quit = true;
}

static void pin(struct cm_view_control *control)
{
    struct cm_view_state *state = &control->state;
    struct cm_view_mark mark = state->hover.kind != CM_VIEW_MARK_NONE ? state->hover : state->pin;
    if (mark.kind == CM_VIEW_MARK_NONE)
        cm_view_control_say(control,
                            "nothing to pin: point at a node or channel, or use I, J, K, L");
    else
        cm_view_pin(state, mark);
}

static void pin_busiest(struct cm_view_control *control)
{
    struct cm_view_mark before = control->state.pin;
    cm_view_pin_busiest(control->model, &control->state);
    if (cm_view_mark_equal(control->state.pin, before))
        cm_view_control_say(control, "no further channel is busy here; W sums up over more time");
}

/* Keys that move through time; false: another one. `argument` 0 is back, 1 is on. */
static bool act_on_time(struct cm_view_control *control, enum cm_view_action action,
                        uint32_t argument)
{
    const struct cm_view_model *model = control->model;
    struct cm_view_state *state = &control->state;
    int direction = argument == 0 ? -1 : 1;
    switch (action) {
    case CM_VIEW_KEY_PLAY:
        cm_view_play(model, state, !state->playing);
        return true;
    case CM_VIEW_KEY_STEP_CYCLE:
        cm_view_step(model, state, CM_VIEW_STEP_CYCLE, direction);
        return true;
    case CM_VIEW_KEY_STEP_INSTRUCTION:
        cm_view_step(model, state, CM_VIEW_STEP_INSTRUCTION, direction);
        return true;
    case CM_VIEW_KEY_STEP_EXCHANGE:
        cm_view_step(model, state, CM_VIEW_STEP_EXCHANGE, direction);
        return true;
    case CM_VIEW_KEY_STEP_WINDOW:
        cm_view_step(model, state, CM_VIEW_STEP_WINDOW, direction);
        return true;
    case CM_VIEW_KEY_ENDS:
        cm_view_go(model, state, argument == 0 ? 0 : last_cycle(control));
        return true;
    case CM_VIEW_KEY_GO:
        control->prompt = true;
        control->typed[0] = '\0';
        return true;
    case CM_VIEW_KEY_UNTIL_BLOCKED:
        run_until(control, CM_VIEW_UNTIL_BLOCKED);
        return true;
    case CM_VIEW_KEY_UNTIL_PHASE_END:
        run_until(control, CM_VIEW_UNTIL_PHASE_END);
        return true;
    case CM_VIEW_KEY_SPEED:
        cm_view_change_speed(state, direction);
        return true;
    case CM_VIEW_KEY_ZOOM:
        cm_view_zoom(model, state, direction, state->cycle);
        return true;
    case CM_VIEW_KEY_PAN:
        cm_view_pan(model, state, direction * PAN_PART);
        return true;
    case CM_VIEW_KEY_ZOOM_ALL:
        cm_view_zoom_all(model, state);
        return true;
    default:
        return false;
    }
}

/* Keys that change how things are shown; false: another one. */
static bool act_on_picture(struct cm_view_control *control, enum cm_view_action action,
                           uint32_t argument)
{
    struct cm_view_state *state = &control->state;
    switch (action) {
    case CM_VIEW_KEY_FOCUS:
        cm_view_next_focus(state, argument == 0 ? -1 : 1);
        return true;
    case CM_VIEW_KEY_ALONE:
        state->panel = state->panel == CM_VIEW_ALL ? state->focus : CM_VIEW_ALL;
        return true;
    case CM_VIEW_KEY_LAYOUT:
        cm_view_next_machine(state);
        return true;
    case CM_VIEW_KEY_COLOURS:
        cm_view_next_colours(state);
        return true;
    case CM_VIEW_KEY_LINEAR:
        state->linear = !state->linear;
        return true;
    case CM_VIEW_KEY_SPAN:
        cm_view_next_span(state);
        return true;
    case CM_VIEW_KEY_RUN:
        if (control->model->run_count < 2)
            cm_view_control_say(control, "there is one run; --compare B.trace opens a second");
        else
            cm_view_next_run(control->model, state);
        return true;
    case CM_VIEW_KEY_ARRAY:
        cm_view_next_array(control->model, state);
        return true;
    case CM_VIEW_KEY_PHASE:
        if (argument < CM_TRACE_PHASE_COUNT)
            cm_view_toggle_phase(state, (enum cm_trace_phase)argument);
        return true;
    case CM_VIEW_KEY_DIMENSION:
        if (argument < control->model->runs[0].info->dimensions)
            cm_view_toggle_dimension(state, argument);
        return true;
    case CM_VIEW_KEY_SHOW_ALL:
        state->hidden_phases = 0;
        state->hidden_dimensions = 0;
        return true;
    case CM_VIEW_KEY_HELP:
        state->help = !state->help;
        return true;
    default:
        return false;
    }
}

/* The rest: the pin, and what the loop is asked for. */
static void act_on_the_rest(struct cm_view_control *control, enum cm_view_action action,
                            uint32_t argument)
{
    static const int across[] = {-1, 1, 0, 0}, down[] = {0, 0, -1, 1};
    const struct cm_view_model *model = control->model;
    struct cm_view_state *state = &control->state;
    switch (action) {
    case CM_VIEW_KEY_PIN:
        pin(control);
        break;
    case CM_VIEW_KEY_MOVE_PIN:
        cm_view_move_pin(model, state, across[argument % 4], down[argument % 4]);
        break;
    case CM_VIEW_KEY_CHANNEL:
        cm_view_next_channel(model, state, argument == 0 ? -1 : 1);
        break;
    case CM_VIEW_KEY_BUSIEST:
        pin_busiest(control);
        break;
    case CM_VIEW_KEY_PICTURE:
        control->save_picture = true;
        break;
    case CM_VIEW_KEY_RECORD:
        control->recording = !control->recording;
        break;
    case CM_VIEW_KEY_ESCAPE:
        escape(control);
        break;
    case CM_VIEW_KEY_QUIT:
        control->quit = true;
        break;
    default:
        break;
    }
}

bool cm_view_control_key(struct cm_view_control *control, const char *key)
{
    enum cm_view_action action;
    uint32_t argument;
    if (control->prompt)
        return type_key(control, key);
    if (!cm_view_key_find(key, &action, &argument))
        return false;
    control->message[0] = '\0';
    if (!act_on_time(control, action, argument) && !act_on_picture(control, action, argument))
        act_on_the_rest(control, action, argument);
    return true;
}

/* While the pointer scrubs it may leave the strip: the time is the nearest one on it. */
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

void cm_view_control_motion(struct cm_view_control *control, const struct cm_view_target *target,
                            int x, int y)
{
    struct cm_view_hit hit;
    if (control->dragging) {
        hit = drag_hit(control, target, x);
        if (hit.kind == CM_VIEW_HIT_TIME)
            cm_view_go(control->model, &control->state, hit.cycle);
        return;
    }
    hit = cm_view_hit(control->model, &control->state, target, x, y);
    cm_view_point(control->model, &control->state, &hit);
}

void cm_view_control_press(struct cm_view_control *control, const struct cm_view_target *target,
                           int x, int y)
{
    struct cm_view_hit hit = cm_view_hit(control->model, &control->state, target, x, y);
    control->message[0] = '\0';
    control->prompt = false;
    cm_view_click(control->model, &control->state, &hit);
    control->dragging = hit.kind == CM_VIEW_HIT_TIME;
    control->drag = hit;
    control->drag_y = y;
}

void cm_view_control_release(struct cm_view_control *control)
{
    control->dragging = false;
}

void cm_view_control_wheel(struct cm_view_control *control, const struct cm_view_target *target,
                           int x, int y, int up, int right)
{
    struct cm_view_hit hit = cm_view_hit(control->model, &control->state, target, x, y);
    uint64_t about = hit.kind == CM_VIEW_HIT_TIME ? hit.cycle : control->state.cycle;
    if (up != 0)
        cm_view_zoom(control->model, &control->state, up, about);
    if (right != 0)
        cm_view_pan(control->model, &control->state, right * PAN_PART);
}

void cm_view_control_leave(struct cm_view_control *control)
{
    control->state.hover = (struct cm_view_mark){.kind = CM_VIEW_MARK_NONE};
}

void cm_view_control_advance(struct cm_view_control *control, double seconds)
{
    if (control->state.playing)
        cm_view_advance(control->model, &control->state, seconds, &control->rest);
}
