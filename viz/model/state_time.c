/* Functions that change the viewer's state in time: the cursor, the interval of the time axis, and
 * playing. */
#include "state.h"

#include "model.h"

#include <math.h>

#define SHORTEST 16u /* number of cycles on the time axis, at least */

static const struct cm_view_run *run_of(const struct cm_view_model *model,
                                        const struct cm_view_state *state)
{
    return &model->runs[state->run];
}

uint64_t cm_view_cycles(const struct cm_view_model *model, const struct cm_view_state *state)
{
    uint64_t cycles = run_of(model, state)->info->cycles;
    for (uint32_t i = 0; i < model->run_count && state->compare && !state->by_step; i++)
        if (model->runs[i].info->cycles > cycles)
            cycles = model->runs[i].info->cycles;
    return cycles > 0 ? cycles : 1;
}

uint32_t cm_view_dimensions(const struct cm_view_model *model, const struct cm_view_state *state)
{
    uint32_t dimensions = run_of(model, state)->info->dimensions;
    for (uint32_t i = 0; i < model->run_count && state->compare; i++)
        if (model->runs[i].info->dimensions > dimensions)
            dimensions = model->runs[i].info->dimensions;
    return dimensions;
}

/* Computes the interval of the event at the cursor. Control flow has no event, so there it is the
 * interval between two events. */
static void interval_now(const struct cm_view_run *run, uint64_t cycle, uint64_t *first,
                         uint64_t *end)
{
    struct cm_trace_event event, before;
    struct cm_trace_cursor cursor = cm_trace_seek(run->trace, cycle), back = cursor;
    bool found = cm_trace_next(&cursor, &event);
    if (found && event.first_cycle <= cycle) {
        *first = event.first_cycle;
        *end = event.end_cycle;
        if (event.phase == CM_TRACE_ROUTER && run->info->word_cycles > 0) {
            /* A run of the router is one event, but its words move once in a word time, so the
             * interval is one word time. */
            *first += (cycle - *first) / run->info->word_cycles * run->info->word_cycles;
            if (*first + run->info->word_cycles < *end)
                *end = *first + run->info->word_cycles;
        }
        return;
    }
    *end = found ? event.first_cycle : run->info->cycles;
    *first = cm_trace_previous(&back, &before) && before.end_cycle <= cycle ? before.end_cycle : 0;
}

void cm_view_interval(const struct cm_view_model *model, const struct cm_view_state *state,
                      uint64_t *first, uint64_t *end)
{
    const struct cm_view_run *run = run_of(model, state);
    uint64_t window = run->info->window_cycles;
    *first = state->first;
    *end = state->end;
    if (state->playing && state->average_cycles > 0) {
        *end = state->cycle + 1;
        *first = *end > state->average_cycles ? *end - state->average_cycles : 0;
    } else if (state->span == CM_VIEW_SPAN_WINDOW && window > 0) {
        *first = state->cycle / window * window;
        *end = *first + window;
    } else if (state->span == CM_VIEW_SPAN_NOW) {
        interval_now(run, state->cycle, first, end);
    }
    uint64_t cycles = cm_view_cycles(model, state);
    *end = *end < cycles ? *end : cycles;
    if (*end <= *first) {
        *first = *first < cycles ? *first : cycles - 1;
        *end = *first + 1;
    }
}

/* Returns the cycle in [first, end) at which the first word of a packet crosses a channel, or
 * UINT64_MAX. */
static uint64_t first_hop(const struct cm_view_run *run, uint64_t first, uint64_t end)
{
    struct cm_trace_hop hop;
    if (run->info->packets == 0 || cm_trace_hops(run->trace, first, end, &hop, 1) == 0)
        return UINT64_MAX;
    return hop.first_cycle > first ? hop.first_cycle : first;
}

uint64_t cm_view_first_movement(const struct cm_view_model *model,
                                const struct cm_view_state *state, uint64_t first, uint64_t end)
{
    uint64_t found = UINT64_MAX;
    for (uint32_t i = 0; i < model->run_count; i++) {
        const struct cm_view_run *run = &model->runs[i];
        if (!state->compare && i != state->run)
            continue;
        uint64_t exchange = cm_trace_find_exchange(run->trace, first, 1);
        uint64_t hop = first_hop(run, first, end);
        found = exchange < found ? exchange : found;
        found = hop < found ? hop : found;
    }
    return found < end ? found : first;
}

/* Sets the interval of the time axis. The cursor stays at its cycle. */
static void show(const struct cm_view_model *model, struct cm_view_state *state, uint64_t first,
                 uint64_t end)
{
    uint64_t cycles = cm_view_cycles(model, state);
    uint64_t length = end > first ? end - first : 1;
    length = length < SHORTEST ? SHORTEST : length;
    length = length > cycles ? cycles : length;
    state->first = first < cycles - length ? first : cycles - length;
    state->end = state->first + length;
}

void cm_view_zoom_to(const struct cm_view_model *model, struct cm_view_state *state, uint64_t first,
                     uint64_t end)
{
    uint64_t cycles = cm_view_cycles(model, state);
    show(model, state, first, end);
    state->cycle = state->cycle < cycles ? state->cycle : cycles - 1;
    if (state->cycle < state->first)
        state->cycle = state->first;
    if (state->cycle >= state->end)
        state->cycle = state->end - 1;
}

void cm_view_zoom_all(const struct cm_view_model *model, struct cm_view_state *state)
{
    cm_view_zoom_to(model, state, 0, cm_view_cycles(model, state));
}

void cm_view_go(const struct cm_view_model *model, struct cm_view_state *state, uint64_t cycle)
{
    uint64_t cycles = cm_view_cycles(model, state), length = state->end - state->first;
    state->cycle = cycle < cycles ? cycle : cycles - 1;
    if (state->cycle >= state->first && state->cycle < state->end)
        return;
    /* As when a page is turned: a cursor that leaves the axis on one side is then shown near the
     * opposite side. */
    uint64_t before = state->cycle >= state->end ? length / 8 : length - length / 8 - 1;
    uint64_t first = state->cycle > before ? state->cycle - before : 0;
    cm_view_zoom_to(model, state, first, first + length);
}

void cm_view_zoom(const struct cm_view_model *model, struct cm_view_state *state, int steps,
                  uint64_t about)
{
    uint64_t length = state->end - state->first, cycles = cm_view_cycles(model, state);
    if (about < state->first || about >= state->end)
        about = state->first + length / 2;
    double place = (double)(about - state->first) / (double)length;
    for (; steps > 0 && length > SHORTEST; steps--)
        length = (length + 1) / 2;
    for (; steps < 0 && length < cycles; steps++)
        length *= 2;
    length = length > cycles ? cycles : length < SHORTEST ? SHORTEST : length;
    uint64_t before = (uint64_t)(place * (double)length);
    uint64_t first = about > before ? about - before : 0;
    show(model, state, first, first + length);
}

void cm_view_pan(const struct cm_view_model *model, struct cm_view_state *state, double part)
{
    double length = (double)(state->end - state->first),
           first = (double)state->first + part * length;
    double last = (double)cm_view_cycles(model, state) - length;
    first = first < 0 ? 0 : first > last ? last : first;
    uint64_t begin = (uint64_t)(first + 0.5);
    show(model, state, begin, begin + (state->end - state->first));
}

static uint64_t step_instruction(const struct cm_view_run *run, uint64_t cycle, int direction)
{
    struct cm_trace_event event;
    struct cm_trace_cursor cursor = cm_trace_seek(run->trace, cycle);
    if (direction > 0) {
        if (!cm_trace_next(&cursor, &event))
            return cycle;
        if (event.first_cycle > cycle)
            return event.first_cycle;
        return cm_trace_next(&cursor, &event) ? event.first_cycle : cycle;
    }
    if (cm_trace_next(&cursor, &event)) {
        if (event.first_cycle < cycle)
            return event.first_cycle;
        cursor = cm_trace_seek(run->trace, cycle);
    }
    return cm_trace_previous(&cursor, &event) ? event.first_cycle : 0;
}

static uint64_t step_window(const struct cm_view_run *run, uint64_t cycle, int direction)
{
    uint64_t window = run->info->window_cycles > 0 ? run->info->window_cycles : 1;
    if (direction > 0)
        return (cycle / window + 1) * window;
    return cycle == 0 ? 0 : (cycle - 1) / window * window;
}

void cm_view_step(const struct cm_view_model *model, struct cm_view_state *state,
                  enum cm_view_step step, int direction)
{
    const struct cm_view_run *run = run_of(model, state);
    uint64_t cycle = state->cycle, found;
    cm_view_play(model, state, false);
    state->span = step == CM_VIEW_STEP_WINDOW ? CM_VIEW_SPAN_WINDOW : CM_VIEW_SPAN_NOW;
    switch (step) {
    case CM_VIEW_STEP_CYCLE:
        cycle = direction > 0 ? cycle + 1 : cycle > 0 ? cycle - 1 : 0;
        break;
    case CM_VIEW_STEP_INSTRUCTION:
        cycle = step_instruction(run, cycle, direction);
        break;
    case CM_VIEW_STEP_EXCHANGE:
        found = cm_trace_find_exchange(run->trace, direction > 0 ? cycle + 1 : cycle, direction);
        cycle = found != UINT64_MAX ? found : cycle;
        break;
    case CM_VIEW_STEP_WINDOW:
        cycle = step_window(run, cycle, direction);
        break;
    }
    cm_view_go(model, state, cycle);
}

/* Returns the first cycle whose phase differs from the phase at `cycle`, or UINT64_MAX. */
static uint64_t phase_end(const struct cm_view_run *run, uint64_t cycle)
{
    struct cm_trace_event now, event;
    struct cm_trace_cursor cursor = cm_trace_seek(run->trace, cycle);
    if (!cm_trace_next(&cursor, &now))
        return UINT64_MAX;
    if (now.first_cycle > cycle)
        return now.first_cycle;
    while (cm_trace_next(&cursor, &event))
        if (event.phase != now.phase)
            return event.first_cycle;
    return UINT64_MAX;
}

bool cm_view_run_until(const struct cm_view_model *model, struct cm_view_state *state,
                       enum cm_view_until until)
{
    const struct cm_view_run *run = run_of(model, state);
    uint64_t found = until == CM_VIEW_UNTIL_BLOCKED
                         ? cm_trace_find_blocked(run->trace, state->cycle + 1)
                         : phase_end(run, state->cycle);
    if (found == UINT64_MAX)
        return false;
    cm_view_play(model, state, false);
    state->span = CM_VIEW_SPAN_NOW;
    cm_view_go(model, state, found);
    return true;
}

/* Sets the number of cycles over which panels average to those of a third of a second of playing,
 * so that a cell flashes at most three times a second. */
static void set_average(struct cm_view_state *state)
{
    state->average_cycles =
        state->playing ? (uint64_t)ceil(state->speed * CM_VIEW_CYCLES_PER_SECOND / 3) : 0;
}

void cm_view_play(const struct cm_view_model *model, struct cm_view_state *state, bool playing)
{
    if (playing && state->cycle + 1 >= cm_view_cycles(model, state))
        cm_view_go(model, state, 0); /* playing starts again from the beginning */
    state->playing = playing;
    set_average(state);
}

double cm_view_run_seconds(const struct cm_view_model *model, const struct cm_view_state *state)
{
    return (double)cm_view_cycles(model, state) / (state->speed * CM_VIEW_CYCLES_PER_SECOND);
}

void cm_view_set_speed(const struct cm_view_model *model, struct cm_view_state *state, double speed)
{
    double most = (double)cm_view_cycles(model, state) / CM_VIEW_CYCLES_PER_SECOND;
    most = most > CM_VIEW_SPEED_MAX ? most : CM_VIEW_SPEED_MAX;
    if (!(speed >= CM_VIEW_SPEED_MIN))
        speed = CM_VIEW_SPEED_MIN;
    state->speed = speed > most ? most : speed;
    set_average(state);
}

void cm_view_advance(const struct cm_view_model *model, struct cm_view_state *state, double seconds,
                     double *rest)
{
    if (!state->playing || !(seconds > 0))
        return;
    double cycles = seconds * state->speed * CM_VIEW_CYCLES_PER_SECOND + *rest;
    double whole = floor(cycles);
    *rest = cycles - whole;
    uint64_t last = cm_view_cycles(model, state) - 1;
    if (whole >= (double)(last - state->cycle)) {
        cm_view_play(model, state, false);
        cm_view_go(model, state, last);
        *rest = 0;
    } else if (whole > 0) {
        cm_view_go(model, state, state->cycle + (uint64_t)whole);
    }
}
