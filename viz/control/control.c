/* Translates keys into calls of the functions of state.h. */
#include "control.h"

#include "../model/packets.h"
#include "keys.h"
#include "tour.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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

/* Handles a key while the number of a cycle is typed: digits, and the keys that delete a digit or
 * end the typing. Returns false for other keys, which have no effect while typing. */
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

static void begin_typing(struct cm_view_control *control)
{
    control->prompt = true;
    control->typed[0] = '\0';
}

static void run_until(struct cm_view_control *control, enum cm_view_until until, const char *never)
{
    if (!cm_view_run_until(control->model, &control->state, until))
        cm_view_control_say(control, "%s", never);
}

/* Shows a message that says for which packet the pinned packet waits, such as "packet 3 waits for
 * packet 2, since 192 cycles". */
static void say_wait(struct cm_view_control *control)
{
    const struct cm_view_state *state = &control->state;
    const struct cm_view_traffic *traffic =
        cm_view_traffic(&control->model->runs[state->run], state->cycle);
    for (uint32_t i = 0; traffic != NULL && i < traffic->messages.count; i++) {
        const struct cm_view_message *message = &traffic->messages.items[i];
        if (message->packet + 1 != state->packet || !message->waits)
            continue;
        char blocker[48] = "";
        if (message->blocked_by != UINT64_MAX)
            snprintf(blocker, sizeof blocker, " for packet %" PRIu64, message->blocked_by);
        cm_view_control_say(control,
                            "packet %" PRIu64 " waits%s at node %" PRIu32 ", since %" PRIu64
                            " cycles; U: why",
                            message->packet, blocker, message->node, state->cycle - message->since);
    }
}

static void run_until_blocked(struct cm_view_control *control)
{
    run_until(control, CM_VIEW_UNTIL_BLOCKED, "no packet waits for a channel after this cycle");
    if (control->message[0] == '\0' && cm_view_pin_wait(control->model, &control->state)) {
        control->state.walk.shown = control->state.walk.link = 0;
        say_wait(control);
    }
}

static void walk_chain(struct cm_view_control *control, int direction)
{
    if (!cm_view_walk_chain(control->model, &control->state, direction))
        cm_view_control_say(control, direction > 0
                                         ? "nothing blocked this link: the chain ends here"
                                         : "the chain begins here; Escape closes it");
}

static void pin_packet(struct cm_view_control *control, int direction)
{
    control->state.walk.shown = control->state.walk.link = 0;
    if (direction < 0)
        control->state.packet = 0;
    else if (!cm_view_pin_packet(control->model, &control->state))
        cm_view_control_say(control, "no packet is in flight here");
    else
        say_wait(control);
}

static void next_tint(struct cm_view_control *control)
{
    struct cm_view_state *state = &control->state;
    state->tint = (state->tint + 1) % CM_VIEW_TINT_COUNT;
    cm_view_control_say(control, "packets have the colour of their %s",
                        cm_view_tint_names[state->tint]);
}

static void next_matrix(struct cm_view_control *control)
{
    struct cm_view_state *state = &control->state;
    if (state->panel == CM_VIEW_MATRIX)
        state->quantity = (state->quantity + 1) % CM_VIEW_QUANTITY_COUNT;
    state->panel = state->focus = CM_VIEW_MATRIX;
    cm_view_control_say(control, "%s; Return: all panels", cm_view_quantity_names[state->quantity]);
}

static void next_slice(struct cm_view_control *control, int direction)
{
    if (!cm_view_next_slice(control->model, &control->state, direction))
        cm_view_control_say(control, "the array has fewer than three axes, so no slices");
}

static void say_load(struct cm_view_control *control)
{
    const struct cm_view_state *state = &control->state;
    if (state->load == CM_VIEW_LOAD_DIMENSION)
        cm_view_control_say(control, "nodes have the colour of dimension %" PRIu32 ", %s",
                            state->load_dimension, cm_view_load_titles[state->load]);
    else
        cm_view_control_say(control, "nodes have the colour of: %s",
                            cm_view_load_titles[state->load]);
}

#define WHOLE_RUN_SECONDS 30.0

/* Sets the speed of playing so that the whole run takes half a minute. If this is the speed
 * already, sets the speed back to 1x. */
static void fast(struct cm_view_control *control)
{
    struct cm_view_state *state = &control->state;
    double before = state->speed;
    double cycles = (double)cm_view_cycles(control->model, state);
    cm_view_set_speed(control->model, state,
                      cycles / (WHOLE_RUN_SECONDS * CM_VIEW_CYCLES_PER_SECOND));
    if (state->speed == before)
        cm_view_set_speed(control->model, state, 1);
    cm_view_control_say(control, "the whole run in %.3g s",
                        cm_view_run_seconds(control->model, state));
}

static void next_run(struct cm_view_control *control)
{
    if (control->model->run_count < 2)
        cm_view_control_say(control, "there is one run; --compare B.trace opens a second");
    else
        cm_view_next_run(control->model, &control->state);
}

static void align(struct cm_view_control *control)
{
    if (!control->state.compare)
        cm_view_control_say(control, "this aligns two runs; --compare B.trace opens a second");
    else
        cm_view_next_alignment(control->model, &control->state);
}

/* Starts or stops playing. During the guided tour, pauses or resumes the tour. */
static void play(struct cm_view_control *control)
{
    struct cm_view_state *state = &control->state;
    if (state->tour.station > 0)
        cm_view_tour_pause(control);
    else
        cm_view_play(control->model, state, !state->playing);
}

static void step_cycle(struct cm_view_control *control, int direction)
{
    if (control->state.tour.station > 0)
        cm_view_tour_step(control, direction);
    else
        cm_view_step(control->model, &control->state, CM_VIEW_STEP_CYCLE, direction);
}

/* Steps by a recorded window. If the list of keys is shown, turns its pages. */
static void step_window(struct cm_view_control *control, int direction)
{
    struct cm_view_state *state = &control->state;
    if (!state->help)
        cm_view_step(control->model, state, CM_VIEW_STEP_WINDOW, direction);
    else if (direction > 0)
        state->help_page++;
    else if (state->help_page > 0)
        state->help_page--;
}

static void escape(struct cm_view_control *control)
{
    if (control->state.help)
        control->state.help = false;
    else if (control->state.tour.station > 0)
        control->state.tour.station = 0;
    else if (control->state.walk.shown)
        control->state.walk.shown = control->state.walk.link = 0;
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
        cm_view_control_say(control, "no other channel is busy here; W sums over more time");
}

/* Performs an action of the key table. `place` is the index of the pressed key among the keys of
 * the action. */
static void act(struct cm_view_control *control, enum cm_view_action action, uint32_t place)
{
    static const int across[] = {-1, 1, 0, 0}, down[] = {0, 0, -1, 1};
    const struct cm_view_model *model = control->model;
    struct cm_view_state *state = &control->state;
    uint32_t dimensions = cm_view_dimensions(model, state);
    int direction = place == 0 ? -1 : 1;
    switch (action) {
#define CM_KEY(action, keys, shown, what, repeats, does)                                           \
    case CM_VIEW_KEY_##action:                                                                     \
        does;                                                                                      \
        break;
#include "keys.def"
#undef CM_KEY
    case CM_VIEW_KEY_COUNT:
        break;
    }
}

bool cm_view_control_key(struct cm_view_control *control, const char *key)
{
    enum cm_view_action action;
    uint32_t place;
    if (control->prompt)
        return type_key(control, key);
#ifndef __EMSCRIPTEN__
    if (control->commanding)
        return cm_view_program_key(control, key);
#endif
    if (!cm_view_key_find(key, &action, &place))
        return false;
    control->message[0] = '\0';
    control->state.tip = (struct cm_view_tip){0, 0, 0};
    /* a key pauses the guided tour, so that the user can look at something else */
    if (control->state.tour.station > 0 && action != CM_VIEW_KEY_PLAY &&
        action != CM_VIEW_KEY_STEP_CYCLE)
        control->state.tour.paused = true;
    act(control, action, place);
    return true;
}

void cm_view_control_status(const struct cm_view_control *control, char *text, size_t size)
{
    if (control->commanding)
        snprintf(text, size, "debugger: %s_   (Return: do, Escape: cancel)", control->line);
    else if (control->prompt)
        snprintf(text, size, "go to cycle %s_   (Return: go, Escape: cancel)", control->typed);
    else
        snprintf(text, size, "%s", control->message);
}

bool cm_view_control_moves(const struct cm_view_control *control)
{
    const struct cm_view_tour *tour = &control->state.tour;
    return tour->station > 0 ? !tour->paused : control->state.playing;
}

void cm_view_control_advance(struct cm_view_control *control, double seconds)
{
    if (!cm_view_control_moves(control))
        return;
    cm_view_advance(control->model, &control->state, seconds, &control->rest);
    cm_view_tour_advance(control, seconds);
}

double cm_view_scale_of_dpi(double dpi)
{
    double halves = dpi / 96 * 2 + 0.5;
    return !(halves >= 2) ? 1 : halves >= 8 ? 4 : (int)halves / 2.0;
}

double cm_view_text_scale(const struct cm_view_control *control, double scale)
{
    return control->state.large_text ? scale * 1.5 : scale;
}
