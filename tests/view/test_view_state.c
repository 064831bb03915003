/* The viewer's state and model over made-up traces: steps, zoom, marks, playing, and the numbers
 * that pictures show. */
#include "../harness/program.h"
#include "fake_trace.h"

#include "../../viz/model/model.h"

#include "../unit/quick_check.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The first load begins here, the first exchange there. */
#define FIRST_LOAD     CM_FAKE_START
#define FIRST_EXCHANGE (CM_FAKE_START + CM_FAKE_LOAD + CM_FAKE_GAP)

static struct cm_view_model *model; /* one at a time */
static struct cm_view_state state;

static void open_model(uint32_t dimensions, uint32_t exchanges, uint32_t second)
{
    struct cm_fake fake = {.name = "made up",
                           .dimensions = dimensions,
                           .exchanges = exchanges,
                           .scatter = 40,
                           .array_side = 4,
                           .words = true};
    struct cm_fake other = fake;
    struct cm_error err;
    other.exchanges = second;
    cm_view_model_free(model);
    ck_assert_int_eq(cm_view_model_create(cm_fake_open(&fake),
                                          second > 0 ? cm_fake_open(&other) : NULL, &model, &err),
                     CM_OK);
    state = cm_view_state_first(model);
}

static void open_small(void)
{
    open_model(3, 12, 0);
}

static void close_model(void)
{
    cm_view_model_free(model);
    model = NULL;
}

START_TEST(a_run_opens_with_all_of_it_on_the_axis_and_at_its_first_exchange)
{
    ck_assert_uint_eq(state.first, 0);
    ck_assert_uint_eq(state.end, CM_FAKE_START + 12 * CM_FAKE_ROUND);
    ck_assert_uint_eq(state.cycle, FIRST_EXCHANGE);
    ck_assert(!state.playing);
    ck_assert_uint_eq(state.panel, CM_VIEW_ALL);
    ck_assert_uint_eq(state.colours, CM_VIEW_CIVIDIS);
}
END_TEST

START_TEST(a_run_without_exchanges_and_packets_opens_at_its_start)
{
    open_model(3, 0, 0);
    ck_assert_uint_eq(state.cycle, 0);
}
END_TEST

START_TEST(the_first_movement_is_looked_for_in_an_interval)
{
    uint64_t after = FIRST_EXCHANGE + 1, second = FIRST_EXCHANGE + CM_FAKE_ROUND;
    ck_assert_uint_eq(cm_view_first_movement(model, &state, after, state.end), second);
    ck_assert_uint_eq(cm_view_first_movement(model, &state, after, second + 1), second);
    ck_assert_uint_eq(cm_view_first_movement(model, &state, after, second), after);
}
END_TEST

START_TEST(steps_go_by_cycle_instruction_exchange_and_window)
{
    cm_view_go(model, &state, 0);
    cm_view_step(model, &state, CM_VIEW_STEP_CYCLE, 1);
    ck_assert_uint_eq(state.cycle, 1);
    cm_view_step(model, &state, CM_VIEW_STEP_CYCLE, -1);
    cm_view_step(model, &state, CM_VIEW_STEP_CYCLE, -1);
    ck_assert_uint_eq(state.cycle, 0);
    cm_view_step(model, &state, CM_VIEW_STEP_INSTRUCTION, 1);
    ck_assert_uint_eq(state.cycle, FIRST_LOAD);
    cm_view_step(model, &state, CM_VIEW_STEP_INSTRUCTION, 1);
    ck_assert_uint_eq(state.cycle, FIRST_EXCHANGE);
    cm_view_step(model, &state, CM_VIEW_STEP_INSTRUCTION, -1);
    ck_assert_uint_eq(state.cycle, FIRST_LOAD);
    cm_view_step(model, &state, CM_VIEW_STEP_EXCHANGE, 1);
    ck_assert_uint_eq(state.cycle, FIRST_EXCHANGE);
    cm_view_step(model, &state, CM_VIEW_STEP_EXCHANGE, 1);
    ck_assert_uint_eq(state.cycle, FIRST_EXCHANGE + CM_FAKE_ROUND);
    cm_view_step(model, &state, CM_VIEW_STEP_EXCHANGE, -1);
    ck_assert_uint_eq(state.cycle, FIRST_EXCHANGE);
    cm_view_step(model, &state, CM_VIEW_STEP_EXCHANGE, -1); /* none before: stays */
    ck_assert_uint_eq(state.cycle, FIRST_EXCHANGE);
    cm_view_step(model, &state, CM_VIEW_STEP_WINDOW, 1);
    ck_assert_uint_eq(state.cycle, 2 * CM_FAKE_WINDOW);
    cm_view_step(model, &state, CM_VIEW_STEP_WINDOW, -1);
    ck_assert_uint_eq(state.cycle, CM_FAKE_WINDOW);
}
END_TEST

START_TEST(stepping_back_within_an_instruction_goes_to_its_start)
{
    cm_view_go(model, &state, FIRST_EXCHANGE + 20);
    cm_view_step(model, &state, CM_VIEW_STEP_INSTRUCTION, -1);
    ck_assert_uint_eq(state.cycle, FIRST_EXCHANGE);
}
END_TEST

START_TEST(no_step_leaves_the_run)
{
    uint64_t cycles = cm_view_cycles(model, &state);
    for (int kind = CM_VIEW_STEP_CYCLE; kind <= CM_VIEW_STEP_WINDOW; kind++) {
        cm_view_go(model, &state, UINT64_MAX);
        ck_assert_uint_eq(state.cycle, cycles - 1);
        cm_view_step(model, &state, (enum cm_view_step)kind, 1);
        ck_assert_uint_le(state.cycle, cycles - 1);
        cm_view_go(model, &state, 0);
        cm_view_step(model, &state, (enum cm_view_step)kind, -1);
        ck_assert_uint_eq(state.cycle, 0);
    }
}
END_TEST

START_TEST(the_interval_is_the_instruction_the_window_or_what_is_visible)
{
    uint64_t first, end;
    cm_view_go(model, &state, FIRST_EXCHANGE + 7);
    state.span = CM_VIEW_SPAN_NOW;
    cm_view_interval(model, &state, &first, &end);
    ck_assert_uint_eq(first, FIRST_EXCHANGE);
    ck_assert_uint_eq(end, FIRST_EXCHANGE + CM_FAKE_EXCHANGE);
    cm_view_go(model, &state, FIRST_EXCHANGE - 2); /* control flow has no event */
    cm_view_interval(model, &state, &first, &end);
    ck_assert_uint_eq(first, FIRST_EXCHANGE - CM_FAKE_GAP);
    ck_assert_uint_eq(end, FIRST_EXCHANGE);
    state.span = CM_VIEW_SPAN_WINDOW;
    cm_view_interval(model, &state, &first, &end);
    ck_assert_uint_eq(first, CM_FAKE_WINDOW);
    ck_assert_uint_eq(end, 2 * CM_FAKE_WINDOW);
    state.span = CM_VIEW_SPAN_VISIBLE;
    cm_view_interval(model, &state, &first, &end);
    ck_assert_uint_eq(first, state.first);
    ck_assert_uint_eq(end, state.end);
}
END_TEST

START_TEST(zoom_keeps_its_cycle_in_place)
{
    cm_view_go(model, &state, 500);
    double place = (500.0 - (double)state.first) / (double)(state.end - state.first);
    cm_view_zoom(model, &state, 3, 500);
    ck_assert_uint_eq(state.cycle, 500);
    ck_assert_double_le(
        fabs((500.0 - (double)state.first) / (double)(state.end - state.first) - place), 0.01);
    for (int i = 0; i < 40; i++)
        cm_view_zoom(model, &state, 1, 500);
    ck_assert_uint_eq(state.end - state.first, 16);
    ck_assert_uint_eq(state.cycle, 500);
    for (int i = 0; i < 40; i++)
        cm_view_zoom(model, &state, -1, 500);
    ck_assert_uint_eq(state.first, 0);
    ck_assert_uint_eq(state.end, cm_view_cycles(model, &state));
}
END_TEST

START_TEST(panning_stops_at_the_ends)
{
    cm_view_zoom_to(model, &state, 100, 300);
    cm_view_pan(model, &state, 0.5);
    ck_assert_uint_eq(state.first, 200);
    ck_assert_uint_eq(state.end, 400);
    cm_view_pan(model, &state, -10);
    ck_assert_uint_eq(state.first, 0);
    ck_assert_uint_eq(state.end, 200);
    cm_view_pan(model, &state, 1000);
    ck_assert_uint_eq(state.end, cm_view_cycles(model, &state));
}
END_TEST

START_TEST(zooming_and_panning_leave_the_cursor_where_it_is)
{
    cm_view_zoom_to(model, &state, 0, 800);
    cm_view_go(model, &state, 700);
    cm_view_zoom(model, &state, 2, 100); /* the cursor is beyond the axis */
    ck_assert_uint_eq(state.cycle, 700);
    ck_assert_uint_le(state.first, 100);
    ck_assert_uint_gt(state.end, 100);
    ck_assert_uint_le(state.end, 700);
    uint64_t middle = (state.first + state.end) / 2;
    cm_view_zoom(model, &state, 1, state.cycle); /* about the middle of the axis, then */
    ck_assert_uint_le(state.first, middle);
    ck_assert_uint_gt(state.end, middle);
    ck_assert_uint_eq(state.cycle, 700);
    cm_view_pan(model, &state, 0.5);
    ck_assert_uint_eq(state.cycle, 700);
    cm_view_step(model, &state, CM_VIEW_STEP_CYCLE, 1); /* stepping brings it back */
    ck_assert_uint_eq(state.cycle, 701);
    ck_assert_uint_le(state.first, 701);
    ck_assert_uint_gt(state.end, 701);
}
END_TEST

START_TEST(a_long_run_can_be_played_in_a_minute)
{
    close_model();
    open_model(3, 6000, 0); /* 840,000 cycles: two minutes at 64x */
    cm_view_set_speed(model, &state, 64);
    ck_assert_double_gt(cm_view_run_seconds(model, &state), 60);
    double speed = (double)cm_view_cycles(model, &state) / (60 * CM_VIEW_CYCLES_PER_SECOND);
    cm_view_set_speed(model, &state, speed);
    ck_assert_double_eq_tol(cm_view_run_seconds(model, &state), 60, 1e-6);
    cm_view_set_speed(model, &state, 1e12); /* a second is the least */
    ck_assert_double_eq_tol(cm_view_run_seconds(model, &state), 1, 1e-6);
    close_model();
    open_small();
}
END_TEST

START_TEST(going_turns_the_page)
{
    cm_view_zoom_to(model, &state, 0, 200);
    cm_view_go(model, &state, 1000);
    ck_assert_uint_eq(state.cycle, 1000);
    ck_assert_uint_le(state.first, 1000);
    ck_assert_uint_gt(state.end, 1000);
    ck_assert_uint_eq(state.end - state.first, 200);
}
END_TEST

START_TEST(run_until_stops_at_the_end_of_a_phase_and_reports_what_never_comes)
{
    cm_view_go(model, &state, FIRST_EXCHANGE + 3);
    ck_assert(cm_view_run_until(model, &state, CM_VIEW_UNTIL_PHASE_END));
    ck_assert_uint_eq(state.cycle, FIRST_EXCHANGE + CM_FAKE_EXCHANGE);
    struct cm_view_state before = state;
    ck_assert(!cm_view_run_until(model, &state, CM_VIEW_UNTIL_BLOCKED));
    ck_assert_mem_eq(&before, &state, sizeof state);
}
END_TEST

START_TEST(playing_averages_over_a_third_of_a_second_and_stops_at_the_end)
{
    double rest = 0;
    uint64_t first, end;
    cm_view_go(model, &state, 0);
    cm_view_set_speed(model, &state, 3);
    cm_view_play(model, &state, true);
    for (int i = 0; i < 60; i++)
        cm_view_advance(model, &state, 1.0 / 60, &rest);
    ck_assert_uint_ge(state.cycle, 299);
    ck_assert_uint_le(state.cycle, 300);
    cm_view_interval(model, &state, &first, &end);
    ck_assert_uint_eq(end, state.cycle + 1);
    ck_assert_uint_eq(end - first, 100);
    cm_view_advance(model, &state, 1e9, &rest);
    ck_assert(!state.playing);
    ck_assert_uint_eq(state.cycle, cm_view_cycles(model, &state) - 1);
    ck_assert_uint_eq(state.average_cycles, 0);
    cm_view_play(model, &state, true); /* from the start again */
    ck_assert_uint_eq(state.cycle, 0);
}
END_TEST

/* A channel that is busy or not over an interval of fast play changes at most three times a second
 * either way. */
START_TEST(nothing_blinks_above_three_hertz)
{
    for (double speed = CM_VIEW_SPEED_MIN; speed <= CM_VIEW_SPEED_MAX; speed *= 2) {
        double rest = 0;
        int changes = 0, frames = 0;
        bool on = false;
        open_model(3, 400, 0);
        cm_view_set_speed(model, &state, speed);
        cm_view_play(model, &state, true);
        for (; state.playing && frames < 600; frames++) {
            uint64_t first, end;
            cm_view_interval(model, &state, &first, &end);
            bool lit = cm_view_busy(&model->runs[0], first, end)[0] > 0;
            changes += lit && !on;
            on = lit;
            cm_view_advance(model, &state, 1.0 / 60, &rest);
        }
        ck_assert_double_le(changes, 3 * (frames / 60.0) + 1);
        close_model();
    }
    open_small();
}
END_TEST

START_TEST(speeds_have_limits)
{
    cm_view_set_speed(model, &state, 2);
    ck_assert_double_eq(state.speed, 2);
    cm_view_set_speed(model, &state, 1e6);
    ck_assert_double_eq(state.speed, 64);
    cm_view_set_speed(model, &state, -1);
    ck_assert_double_eq(state.speed, 0.25);
    cm_view_set_speed(model, &state, NAN);
    ck_assert_double_eq(state.speed, 0.25);
}
END_TEST

START_TEST(pins_are_set_moved_and_let_go)
{
    struct cm_view_mark node = {CM_VIEW_MARK_NODE, 0, 5};
    cm_view_pin(&state, node);
    ck_assert(cm_view_mark_equal(cm_view_subject(&state), node));
    cm_view_pin(&state, node);
    ck_assert_uint_eq(state.pin.kind, CM_VIEW_MARK_NONE);
    cm_view_move_pin(model, &state, 1, 0);
    ck_assert_uint_eq(state.pin.index, 0);
    cm_view_move_pin(model, &state, 1, 0);
    ck_assert_uint_eq(state.pin.index, 1);
    cm_view_move_pin(model, &state, 1, 0); /* in Gray order */
    ck_assert_uint_eq(state.pin.index, 3);
    cm_view_move_pin(model, &state, -2, 1);
    ck_assert_uint_eq(state.pin.index, 4);
    cm_view_next_channel(model, &state, 1);
    ck_assert_uint_eq(state.pin.kind, CM_VIEW_MARK_CHANNEL);
    ck_assert_uint_eq(state.pin.index, 4 * 6);
    cm_view_next_channel(model, &state, -1);
    ck_assert_uint_eq(state.pin.index, 4 * 6 + 5);
}
END_TEST

START_TEST(the_busiest_channels_come_in_order)
{
    uint64_t last = UINT64_MAX, first, end;
    bool seen[64] = {false};
    unsigned found = 0;
    state.span = CM_VIEW_SPAN_VISIBLE;
    cm_view_interval(model, &state, &first, &end);
    const uint64_t *busy = cm_view_busy(&model->runs[0], first, end);
    for (unsigned i = 0; i < 48; i++) {
        struct cm_view_mark before = state.pin;
        cm_view_pin_busiest(model, &state);
        if (cm_view_mark_equal(before, state.pin))
            break;
        ck_assert_uint_le(busy[state.pin.index], last);
        ck_assert(!seen[state.pin.index]);
        seen[state.pin.index] = true;
        last = busy[state.pin.index];
        found++;
    }
    unsigned expected = 0;
    for (unsigned i = 0; i < 48; i++)
        expected += busy[i] > 0;
    ck_assert_uint_eq(found, expected);
    const uint32_t *list;
    uint32_t count = cm_view_busiest(&model->runs[0], first, end, 0, &list);
    for (uint32_t i = 1; i < count; i++)
        ck_assert(busy[list[i - 1]] > busy[list[i]] ||
                  (busy[list[i - 1]] == busy[list[i]] && list[i - 1] < list[i]));
}
END_TEST

/* Returns the largest busy fraction of a channel in an interval. */
static double busiest_share(const struct cm_view_run *run, uint64_t first, uint64_t end)
{
    const uint64_t *busy = cm_view_busy(run, first, end);
    uint64_t most = 0;
    for (uint32_t i = 0; i < run->channel_count; i++)
        most = busy[i] > most ? busy[i] : most;
    return (double)most / (double)(end - first);
}

START_TEST(colours_end_at_the_busiest_channel_of_the_run)
{
    uint64_t cycles = cm_view_cycles(model, &state), half = cycles / 2;
    double whole = busiest_share(&model->runs[0], 0, cycles);
    double halves =
        fmax(busiest_share(&model->runs[0], 0, half), busiest_share(&model->runs[0], half, cycles));
    ck_assert(whole > 0 && whole < 0.5);
    ck_assert_double_eq_tol(cm_view_scale_top(model, CM_VIEW_RANGE_BUSIEST, cycles), whole, 1e-6);
    ck_assert_double_eq_tol(cm_view_scale_top(model, CM_VIEW_RANGE_BUSIEST, half), halves, 1e-3);
    ck_assert_double_eq(cm_view_scale_top(model, CM_VIEW_RANGE_BUSIEST, 1), 1);
    ck_assert_double_eq(cm_view_scale_top(model, CM_VIEW_RANGE_BUSIEST, 0), 1); /* less than one */
    ck_assert_double_eq(cm_view_scale_top(model, CM_VIEW_RANGE_ABSOLUTE, cycles), 1);
    /* beyond its end a run is idle */
    ck_assert_double_eq_tol(cm_view_scale_top(model, CM_VIEW_RANGE_BUSIEST, 2 * cycles), whole / 2,
                            1e-6);
}
END_TEST

START_TEST(two_runs_have_one_scale)
{
    close_model();
    open_model(3, 12, 20);
    uint64_t cycles = cm_view_cycles(model, &state);
    double most =
        fmax(busiest_share(&model->runs[0], 0, cycles), busiest_share(&model->runs[1], 0, cycles));
    ck_assert_double_eq_tol(cm_view_scale_top(model, CM_VIEW_RANGE_BUSIEST, cycles), most, 1e-6);
}
END_TEST

START_TEST(a_run_without_traffic_has_an_absolute_scale)
{
    open_model(3, 0, 0);
    ck_assert_double_eq(cm_view_scale_top(model, CM_VIEW_RANGE_BUSIEST, 10), 1);
}
END_TEST

START_TEST(kept_answers_are_the_traces_own)
{
    uint64_t *fresh = calloc(48, sizeof *fresh);
    ck_assert_ptr_nonnull(fresh);
    for (uint64_t first = 0; first < 900; first += 130) {
        const uint64_t *kept = cm_view_busy(&model->runs[0], first, first + 400);
        cm_trace_channel_busy(model->runs[0].trace, first, first + 400, fresh);
        ck_assert_mem_eq(kept, fresh, 48 * sizeof *fresh);
        const uint64_t *nodes = cm_view_node_loads(&model->runs[0], first, first + 400, 1u << 1,
                                                   CM_VIEW_LOAD_BUSIEST, 0);
        for (uint32_t node = 0; node < 8; node++) {
            uint64_t most = 0;
            for (uint32_t c = 0; c < 6; c++)
                if (c / 2 != 1 && fresh[node * 6 + c] > most)
                    most = fresh[node * 6 + c];
            ck_assert_uint_eq(nodes[node], most);
        }
    }
    free(fresh);
}
END_TEST

START_TEST(columns_of_phases_add_up_to_the_interval)
{
    const uint32_t wanted[] = {1, 7, 100, 5000};
    for (size_t i = 0; i < 4; i++) {
        uint32_t columns = wanted[i];
        uint64_t sum = 0;
        const uint64_t *phases = cm_view_phases(&model->runs[0], 100, 1000, &columns);
        ck_assert_uint_le(columns, 900);
        for (size_t j = 0; j < (size_t)columns * CM_TRACE_PHASE_COUNT; j++)
            sum += phases[j];
        ck_assert_uint_eq(sum, 900);
    }
}
END_TEST

START_TEST(slots_fill_with_loads_and_empty_after_the_exchange)
{
    const struct cm_view_run *run = &model->runs[0];
    uint64_t sent = cm_trace_pattern_slots(run->trace, 0, 2);
    ck_assert_uint_eq(cm_view_slots(run, FIRST_LOAD, FIRST_LOAD + 1, 0)[2].a, sent);
    ck_assert_uint_eq(cm_view_slots(run, FIRST_LOAD, FIRST_LOAD + 1, 0)[2].b, 0);
    /* What neighbours send arrives in the same slot. */
    uint64_t arrives = 0;
    for (uint32_t d = 0; d < 3; d++)
        for (uint32_t c = 0; c < 2; c++) {
            uint64_t slot = (uint64_t)1 << cm_slot_of_channel(32, d, c);
            arrives |= cm_trace_pattern_slots(run->trace, 0, 2 ^ 1u << d) & slot;
        }
    ck_assert_uint_eq(cm_view_slots(run, FIRST_EXCHANGE, FIRST_EXCHANGE + 1, 0)[2].b, arrives);
    uint64_t move = FIRST_EXCHANGE + CM_FAKE_EXCHANGE + CM_FAKE_UNLOAD;
    ck_assert_uint_eq(cm_view_slots(run, move, move + 1, 0)[2].a, 0);
}
END_TEST

START_TEST(words_are_told_of_exchanges_alone)
{
    const struct cm_view_run *run = &model->runs[0];
    uint32_t word;
    bool sent;
    ck_assert(!cm_view_word(run, FIRST_EXCHANGE - 1, 0, &word, &sent));
    ck_assert(!cm_view_word(run, FIRST_EXCHANGE + CM_FAKE_EXCHANGE, 0, &word, &sent));
    ck_assert(!cm_view_word(run, FIRST_EXCHANGE, run->channel_count, &word, &sent));
    for (uint32_t round = 0; round < 4; round++)
        for (uint32_t i = 0; i < run->channel_count; i++) {
            uint64_t cycle = FIRST_EXCHANGE + round * CM_FAKE_ROUND + round;
            const uint64_t *busy = cm_view_busy(run, cycle, cycle + 1);
            ck_assert(cm_view_word(run, cycle, i, &word, &sent));
            ck_assert(sent == (busy[i] > 0));
            ck_assert_uint_eq(word, sent ? i : 0);
        }
}
END_TEST

START_TEST(arrays_tell_which_elements_move)
{
    uint64_t cycles = cm_view_cycles(model, &state);
    const struct cm_view_places *places = cm_view_places(&model->runs[0], 0, 0, cycles);
    ck_assert_ptr_nonnull(places);
    ck_assert_uint_eq(places->elements, 16);
    ck_assert_uint_eq(places->moved_count, 16);
    ck_assert_uint_eq(places->element[0].before, 0);
    ck_assert_uint_eq(places->element[0].node, 1);
    ck_assert_uint_eq(cm_view_places(&model->runs[0], 0, 0, 10)->moved_count, 0);
    ck_assert_ptr_null(cm_view_places(&model->runs[0], 1, 0, 10));
}
END_TEST

START_TEST(cells_side_by_side_are_neighbours)
{
    uint32_t columns, rows, column, row;
    open_model(11, 4, 0);
    const struct cm_view_run *run = &model->runs[0];
    cm_view_grid_size(run, &columns, &rows);
    ck_assert_uint_eq(columns, 64);
    ck_assert_uint_eq(rows, 32);
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t c = 0; c < columns; c++) {
            uint32_t node = cm_view_grid_node(run, c, r);
            cm_view_grid_place(run, node, &column, &row);
            ck_assert(column == c && row == r);
            uint32_t right = node ^ cm_view_grid_node(run, (c + 1) % columns, r);
            uint32_t below = node ^ cm_view_grid_node(run, c, (r + 1) % rows);
            ck_assert(right != 0 && (right & (right - 1)) == 0);
            ck_assert(below != 0 && (below & (below - 1)) == 0);
        }
    close_model();
    open_small();
}
END_TEST

START_TEST(two_runs_are_compared_or_shown_one_by_one)
{
    close_model();
    open_model(3, 12, 20);
    ck_assert(state.compare);
    ck_assert_uint_eq(cm_view_cycles(model, &state), CM_FAKE_START + 20 * CM_FAKE_ROUND);
    cm_view_next_run(model, &state);
    ck_assert(!state.compare && state.run == 0);
    ck_assert_uint_eq(state.end, CM_FAKE_START + 12 * CM_FAKE_ROUND);
    cm_view_next_run(model, &state);
    ck_assert(!state.compare && state.run == 1);
    cm_view_next_run(model, &state);
    ck_assert(state.compare);
}
END_TEST

CM_PROGRAM(test_view_state)
{
    Suite *suite = suite_create("view-state");
    TCase *tests = tcase_create("state");
    tcase_add_checked_fixture(tests, open_small, close_model);
    tcase_add_test(tests, a_run_opens_with_all_of_it_on_the_axis_and_at_its_first_exchange);
    tcase_add_test(tests, a_run_without_exchanges_and_packets_opens_at_its_start);
    tcase_add_test(tests, the_first_movement_is_looked_for_in_an_interval);
    tcase_add_test(tests, steps_go_by_cycle_instruction_exchange_and_window);
    tcase_add_test(tests, stepping_back_within_an_instruction_goes_to_its_start);
    tcase_add_test(tests, no_step_leaves_the_run);
    tcase_add_test(tests, the_interval_is_the_instruction_the_window_or_what_is_visible);
    tcase_add_test(tests, zoom_keeps_its_cycle_in_place);
    tcase_add_test(tests, zooming_and_panning_leave_the_cursor_where_it_is);
    tcase_add_test(tests, a_long_run_can_be_played_in_a_minute);
    tcase_add_test(tests, panning_stops_at_the_ends);
    tcase_add_test(tests, going_turns_the_page);
    tcase_add_test(tests, run_until_stops_at_the_end_of_a_phase_and_reports_what_never_comes);
    tcase_add_test(tests, playing_averages_over_a_third_of_a_second_and_stops_at_the_end);
    tcase_add_test(tests, nothing_blinks_above_three_hertz);
    tcase_add_test(tests, speeds_have_limits);
    tcase_add_test(tests, pins_are_set_moved_and_let_go);
    tcase_add_test(tests, the_busiest_channels_come_in_order);
    tcase_add_test(tests, colours_end_at_the_busiest_channel_of_the_run);
    tcase_add_test(tests, two_runs_have_one_scale);
    tcase_add_test(tests, a_run_without_traffic_has_an_absolute_scale);
    tcase_add_test(tests, kept_answers_are_the_traces_own);
    tcase_add_test(tests, columns_of_phases_add_up_to_the_interval);
    tcase_add_test(tests, slots_fill_with_loads_and_empty_after_the_exchange);
    tcase_add_test(tests, words_are_told_of_exchanges_alone);
    tcase_add_test(tests, arrays_tell_which_elements_move);
    tcase_add_test(tests, cells_side_by_side_are_neighbours);
    tcase_add_test(tests, two_runs_are_compared_or_shown_one_by_one);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    srunner_free(runner);
    return 0;
}
