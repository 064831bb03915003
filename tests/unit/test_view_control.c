/*
 * Every key of the help does what it says: the test goes through the table of keys, presses each
 * key on a state where it can act, and holds the change against what the row's text promises. A row
 * that this file knows nothing of fails.
 */
#include "../../programs/workload/workload.h"
#include "../../trace/record.h"
#include "../../viz/control/control.h"
#include "../../viz/control/keys.h"
#include "../../viz/model/packets.h"
#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A run with shifts, so with exchanges and all phases; and one whose packets wait for each
 * other. */
static const char *const shift_text =
    "{\"format\":\"cm200-workload/1\",\"machine\":\"configs/cm200.json\",\"nodes\":8,"
    "\"arrays\":{\"a\":{\"shape\":[16,16],\"type\":\"real64\",\"init\":{\"index\":true}},\"b\":{"
    "\"like\":\"a\"}},"
    "\"steps\":[{\"pshift\":[{\"type\":\"cshift\",\"dst\":\"b\",\"src\":\"a\",\"dim\":1,"
    "\"distance\":1}]},"
    "{\"pshift\":[{\"type\":\"eoshift_0\",\"dst\":\"a\",\"src\":\"b\",\"dim\":2,\"distance\":-1}]}]"
    "}";
static const char *const route_text =
    "{\"format\":\"cm200-workload/1\",\"machine\":\"configs/"
    "cm200.json\",\"nodes\":64,\"arrays\":{},"
    "\"steps\":[{\"route\":{\"pattern\":\"transpose\",\"words\":8}}]}";

struct recording {
    struct cm_workload *workload;
    struct cm_run *run;
    struct cm_recorder *recorder;
};

struct fixture {
    struct recording recordings[2];
    struct cm_view_model *model;
};

static struct cm_trace *record(struct recording *recording, const char *text)
{
    struct cm_error err;
    struct cm_run_options options = {.threads = 1};
    struct cm_recorder_options recorder_options = {.workload = "test"};
    struct cm_trace *trace = NULL;
    const void *bytes;
    memset(&err, 0, sizeof err);
    enum cm_status status =
        cm_workload_parse("test.json", text, strlen(text), &recording->workload, &err);
    if (status == CM_OK)
        status = cm_run_create(recording->workload, &options, &recording->run, &err);
    ck_assert_msg(status == CM_OK, "%s", err.message);
    status = cm_recorder_create(cm_system_machine(cm_run_system(recording->run)), &recorder_options,
                                &recording->recorder, &err);
    ck_assert_msg(status == CM_OK, "%s", err.message);
    cm_run_observe(recording->run, cm_recorder_observer(recording->recorder));
    ck_assert_int_eq(cm_run_execute(recording->run, &err), CM_OK);
    ck_assert_int_eq(cm_recorder_finish(recording->recorder, true, &err), CM_OK);
    size_t length = (size_t)cm_recorder_size(recording->recorder, &bytes);
    status = cm_trace_open_memory(bytes, length, "test", &trace, &err);
    ck_assert_msg(status == CM_OK, "%s", err.message);
    return trace;
}

/* `second` may be NULL. */
static void begin(struct fixture *fixture, const char *first, const char *second)
{
    struct cm_error err;
    struct cm_trace *traces[2] = {NULL, NULL};
    memset(fixture, 0, sizeof *fixture);
    traces[0] = record(&fixture->recordings[0], first);
    if (second != NULL)
        traces[1] = record(&fixture->recordings[1], second);
    ck_assert_int_eq(cm_view_model_create(traces[0], traces[1], &fixture->model, &err), CM_OK);
}

static void finish(struct fixture *fixture)
{
    cm_view_model_free(fixture->model);
    for (uint32_t i = 0; i < 2; i++) {
        cm_recorder_destroy(fixture->recordings[i].recorder);
        cm_run_destroy(fixture->recordings[i].run);
        cm_workload_destroy(fixture->recordings[i].workload);
    }
}

/* In the middle of the run, zoomed in, a node pinned and another under the pointer: every key has
 * something to change. */
static void prepare(struct cm_view_control *control, const struct cm_view_model *model)
{
    cm_view_control_begin(control, model);
    uint64_t cycles = cm_view_cycles(model, &control->state);
    ck_assert_uint_gt(cycles, 1000);
    cm_view_go(model, &control->state, cycles / 2);
    cm_view_zoom_to(model, &control->state, cycles / 4, cycles / 4 * 3);
    cm_view_pin(&control->state, (struct cm_view_mark){.kind = CM_VIEW_MARK_NODE, .index = 2});
    control->state.hover = (struct cm_view_mark){.kind = CM_VIEW_MARK_NODE, .index = 5};
}

struct change {
    const struct cm_view_control *before, *after;
    uint32_t argument; /* 0: the row's first key, 1: its second, ... */
};

static int64_t moved(const struct change *c)
{
    return (int64_t)(c->after->state.cycle - c->before->state.cycle);
}

/* Back for the first key of a row, on for the second. */
static bool moved_rightly(const struct change *c)
{
    return c->argument == 0 ? moved(c) < 0 : moved(c) > 0;
}

static const struct cm_view_run *run_of(const struct change *c)
{
    return &c->after->model->runs[0];
}

static bool plays(const struct change *c)
{
    return c->after->state.playing;
}

static bool steps_a_cycle(const struct change *c)
{
    return moved(c) == (c->argument == 0 ? -1 : 1);
}

/* An instruction's first cycle; none lies between. */
static bool steps_an_instruction(const struct change *c)
{
    struct cm_trace_event before, after;
    if (!moved_rightly(c) || !cm_view_event(run_of(c), c->after->state.cycle, &after) ||
        !cm_view_event(run_of(c), c->before->state.cycle, &before))
        return false;
    uint64_t apart =
        after.number > before.number ? after.number - before.number : before.number - after.number;
    return after.first_cycle == c->after->state.cycle && apart <= 1;
}

static bool steps_an_exchange(const struct change *c)
{
    struct cm_trace_event event;
    return moved_rightly(c) && cm_view_event(run_of(c), c->after->state.cycle, &event) &&
           event.phase == CM_TRACE_EXCHANGE && event.first_cycle == c->after->state.cycle;
}

static bool steps_a_window(const struct change *c)
{
    uint64_t window = run_of(c)->info->window_cycles;
    return moved_rightly(c) && c->after->state.cycle % window == 0 &&
           (uint64_t)(moved(c) < 0 ? -moved(c) : moved(c)) <= window;
}

static bool goes_to_an_end(const struct change *c)
{
    uint64_t last = run_of(c)->info->cycles - 1;
    return c->after->state.cycle == (c->argument == 0 ? 0 : last);
}

static bool prompts(const struct change *c)
{
    return c->after->prompt && c->after->typed[0] == '\0';
}

/* In the run of shifts no packet ever waits; test_until has one where they do. */
static bool finds_nothing_blocked(const struct change *c)
{
    return moved(c) == 0 && c->after->message[0] != '\0';
}

static bool ends_the_phase(const struct change *c)
{
    struct cm_trace_event before, after, last;
    if (moved(c) <= 0 || !cm_view_event(run_of(c), c->before->state.cycle, &before) ||
        !cm_view_event(run_of(c), c->after->state.cycle, &after) ||
        !cm_view_event(run_of(c), c->after->state.cycle - 1, &last))
        return false;
    return before.phase == last.phase && after.phase != before.phase;
}

static bool changes_the_speed(const struct change *c)
{
    return c->after->state.speed == c->before->state.speed * (c->argument == 0 ? 0.5 : 2);
}

static uint64_t visible(const struct cm_view_control *control)
{
    return control->state.end - control->state.first;
}

/* By two, or as far as the run goes. */
static bool asks_for_a_scale(const struct change *c)
{
    return c->after->scale_steps - c->before->scale_steps == (c->argument == 0 ? -1 : 1);
}

static bool plays_all_in_half_a_minute(const struct change *c)
{
    double seconds = (double)run_of(c)->info->cycles / (100 * c->after->state.speed);
    return fabs(seconds - 30) < 0.001 || c->after->state.speed == CM_VIEW_SPEED_MIN;
}

static bool zooms(const struct change *c)
{
    uint64_t expected = c->argument == 0 ? visible(c->before) * 2 : visible(c->before) / 2;
    uint64_t all = run_of(c)->info->cycles;
    expected = expected < all ? expected : all;
    return visible(c->after) + 2 >= expected && visible(c->after) <= expected + 2;
}

static bool pans(const struct change *c)
{
    bool back = c->after->state.first < c->before->state.first;
    bool on = c->after->state.first > c->before->state.first;
    return visible(c->after) == visible(c->before) && (c->argument == 0 ? back : on);
}

static bool shows_the_whole_run(const struct change *c)
{
    return c->after->state.first == 0 && c->after->state.end == run_of(c)->info->cycles;
}

static bool changes_the_focus(const struct change *c)
{
    uint32_t count = CM_VIEW_PANEL_COUNT;
    uint32_t step = c->argument == 0 ? count - 1 : 1;
    return c->after->state.focus == (enum cm_view_panel)((c->before->state.focus + step) % count);
}

static bool shows_it_alone(const struct change *c)
{
    return c->before->state.panel == CM_VIEW_ALL && c->after->state.panel == c->after->state.focus;
}

static bool changes_the_layout(const struct change *c)
{
    return c->before->state.machine == CM_VIEW_GRID && c->after->state.machine == CM_VIEW_HEAT;
}

static bool changes_the_colours(const struct change *c)
{
    return c->before->state.colours == CM_VIEW_CIVIDIS &&
           c->after->state.colours == CM_VIEW_VIRIDIS;
}

static bool changes_the_scale(const struct change *c)
{
    return c->after->state.linear && !c->before->state.linear;
}

static bool changes_the_range(const struct change *c)
{
    return c->before->state.range == CM_VIEW_RANGE_BUSIEST &&
           c->after->state.range == CM_VIEW_RANGE_ABSOLUTE;
}

static bool changes_the_span(const struct change *c)
{
    return c->before->state.span == CM_VIEW_SPAN_NOW && c->after->state.span == CM_VIEW_SPAN_WINDOW;
}

/* There is one run; test_compare has two. */
static bool says_there_is_one_run(const struct change *c)
{
    return strstr(c->after->message, "--compare") != NULL;
}

/* A picture without --debug; tests/debug/check-view.py steps through programs. */
static bool says_there_is_no_program(const struct change *c)
{
    return strstr(c->after->message, "--debug") != NULL && c->after->commands[0] == '\0' &&
           !c->after->commanding;
}

static bool shows_the_next_array(const struct change *c)
{
    return c->before->state.array == 0 && c->after->state.array == 1;
}

static bool pins_what_is_under_the_pointer(const struct change *c)
{
    return cm_view_mark_equal(c->after->state.pin, c->before->state.hover);
}

/* From the pinned node to another one. */
static bool moves_the_pin(const struct change *c)
{
    struct cm_view_mark pin = c->after->state.pin;
    return pin.kind == CM_VIEW_MARK_NODE && !cm_view_mark_equal(pin, c->before->state.pin);
}

static bool pins_a_channel_of_the_node(const struct change *c)
{
    struct cm_view_mark pin = c->after->state.pin;
    return pin.kind == CM_VIEW_MARK_CHANNEL &&
           cm_view_channel_parts(run_of(c), pin.index).node == c->before->state.pin.index;
}

static bool pins_the_busiest(const struct change *c)
{
    uint64_t first, end;
    struct cm_view_mark pin = c->after->state.pin;
    cm_view_interval(c->after->model, &c->after->state, &first, &end);
    const uint64_t *busy = cm_view_busy(run_of(c), first, end);
    for (uint32_t i = 0; i < run_of(c)->channel_count; i++) {
        if (pin.kind != CM_VIEW_MARK_CHANNEL || busy[i] > busy[pin.index])
            return false;
    }
    return true;
}

static bool hides_the_phase(const struct change *c)
{
    return c->after->state.hidden_phases == UINT32_C(1) << c->argument;
}

/* The run has three dimensions; the keys of the others do nothing. */
static bool hides_the_dimension(const struct change *c)
{
    uint32_t bit = c->argument < run_of(c)->info->dimensions ? UINT32_C(1) << c->argument : 0;
    return c->after->state.hidden_dimensions == bit;
}

static bool shows_everything(const struct change *c)
{
    return c->after->state.hidden_phases == 0 && c->after->state.hidden_dimensions == 0;
}

static bool asks_for_a_picture(const struct change *c)
{
    return c->after->save_picture;
}

static bool records(const struct change *c)
{
    return c->after->recording && !c->before->recording;
}

/* A run of shifts has instructions, and no packets. */
static bool walks_the_chain(const struct change *c)
{
    if (c->argument == 0)
        return c->after->message[0] != '\0';
    return c->after->state.walk.link == 1 && c->after->state.cycle <= c->before->state.cycle;
}

static bool says_there_is_no_packet(const struct change *c)
{
    return c->after->state.packet == 0 && (c->argument == 0 || c->after->message[0] != '\0');
}

static bool changes_the_tint(const struct change *c)
{
    return c->before->state.tint == CM_VIEW_TINT_SOURCE &&
           c->after->state.tint == CM_VIEW_TINT_DESTINATION;
}

static bool shows_the_matrix(const struct change *c)
{
    return c->before->state.panel == CM_VIEW_ALL && c->after->state.panel == CM_VIEW_MATRIX;
}

static bool helps(const struct change *c)
{
    return c->after->state.help && !c->before->state.help;
}

static bool quits(const struct change *c)
{
    return c->after->quit && !c->before->quit;
}

/* Zoomed in, so that both ways are open; "all of it" then undoes it. */
static bool zooms_the_cube(const struct change *c)
{
    double before = c->before->state.cube_zoom, after = c->after->state.cube_zoom;
    return c->argument == 0 ? after < before : after > before;
}

static bool shows_the_whole_cube(const struct change *c)
{
    return c->before->state.cube_zoom > 1 && c->after->state.cube_zoom == 1;
}

static bool enlarges_the_text(const struct change *c)
{
    return c->after->state.large_text && !c->before->state.large_text;
}

static bool changes_the_theme(const struct change *c)
{
    return c->after->state.theme != c->before->state.theme;
}

static bool shows_another_load(const struct change *c)
{
    return c->after->state.load != c->before->state.load && c->after->message[0] != '\0';
}

static bool shows_the_load_of_a_dimension(const struct change *c)
{
    return memcmp(&c->after->state, &c->before->state, sizeof c->after->state) != 0 &&
           strstr(c->after->message, "dimension") != NULL;
}

/* The arrays of the run have two axes. */
static bool says_there_are_no_slices(const struct change *c)
{
    return c->after->state.slice == 0 && strstr(c->after->message, "no slices") != NULL;
}

static bool (*const promises[CM_VIEW_KEY_COUNT])(const struct change *) = {
    [CM_VIEW_KEY_PLAY] = plays,
    [CM_VIEW_KEY_STEP_CYCLE] = steps_a_cycle,
    [CM_VIEW_KEY_STEP_INSTRUCTION] = steps_an_instruction,
    [CM_VIEW_KEY_STEP_EXCHANGE] = steps_an_exchange,
    [CM_VIEW_KEY_STEP_WINDOW] = steps_a_window,
    [CM_VIEW_KEY_ENDS] = goes_to_an_end,
    [CM_VIEW_KEY_GO] = prompts,
    [CM_VIEW_KEY_UNTIL_BLOCKED] = finds_nothing_blocked,
    [CM_VIEW_KEY_WHY] = walks_the_chain,
    [CM_VIEW_KEY_PACKET] = says_there_is_no_packet,
    [CM_VIEW_KEY_TINT] = changes_the_tint,
    [CM_VIEW_KEY_MATRIX] = shows_the_matrix,
    [CM_VIEW_KEY_UNTIL_PHASE_END] = ends_the_phase,
    [CM_VIEW_KEY_SPEED] = changes_the_speed,
    [CM_VIEW_KEY_WHOLE_RUN] = plays_all_in_half_a_minute,
    [CM_VIEW_KEY_ZOOM] = zooms,
    [CM_VIEW_KEY_SCALE] = asks_for_a_scale,
    [CM_VIEW_KEY_SLICE] = says_there_are_no_slices,
    [CM_VIEW_KEY_CUBE_ZOOM] = zooms_the_cube,
    [CM_VIEW_KEY_CUBE_ALL] = shows_the_whole_cube,
    [CM_VIEW_KEY_TEXT] = enlarges_the_text,
    [CM_VIEW_KEY_THEME] = changes_the_theme,
    [CM_VIEW_KEY_LOAD] = shows_another_load,
    [CM_VIEW_KEY_LOAD_DIMENSION] = shows_the_load_of_a_dimension,
    [CM_VIEW_KEY_PAN] = pans,
    [CM_VIEW_KEY_ZOOM_ALL] = shows_the_whole_run,
    [CM_VIEW_KEY_FOCUS] = changes_the_focus,
    [CM_VIEW_KEY_ALONE] = shows_it_alone,
    [CM_VIEW_KEY_LAYOUT] = changes_the_layout,
    [CM_VIEW_KEY_COLOURS] = changes_the_colours,
    [CM_VIEW_KEY_LINEAR] = changes_the_scale,
    [CM_VIEW_KEY_RANGE] = changes_the_range,
    [CM_VIEW_KEY_SPAN] = changes_the_span,
    [CM_VIEW_KEY_RUN] = says_there_is_one_run,
    [CM_VIEW_KEY_ALIGN] = says_there_is_one_run,
    [CM_VIEW_KEY_ARRAY] = shows_the_next_array,
    [CM_VIEW_KEY_PIN] = pins_what_is_under_the_pointer,
    [CM_VIEW_KEY_MOVE_PIN] = moves_the_pin,
    [CM_VIEW_KEY_CHANNEL] = pins_a_channel_of_the_node,
    [CM_VIEW_KEY_BUSIEST] = pins_the_busiest,
    [CM_VIEW_KEY_PHASE] = hides_the_phase,
    [CM_VIEW_KEY_DIMENSION] = hides_the_dimension,
    [CM_VIEW_KEY_SHOW_ALL] = shows_everything,
    [CM_VIEW_KEY_PICTURE] = asks_for_a_picture,
    [CM_VIEW_KEY_RECORD] = records,
    [CM_VIEW_KEY_HELP] = helps,
    [CM_VIEW_KEY_ESCAPE] = quits,
    [CM_VIEW_KEY_QUIT] = quits,
    [CM_VIEW_KEY_PROGRAM_STEP] = says_there_is_no_program,
    [CM_VIEW_KEY_PROGRAM_NEXT] = says_there_is_no_program,
    [CM_VIEW_KEY_PROGRAM_FINISH] = says_there_is_no_program,
    [CM_VIEW_KEY_PROGRAM_GO] = says_there_is_no_program,
    [CM_VIEW_KEY_PROGRAM_HERE] = says_there_is_no_program,
    [CM_VIEW_KEY_PROGRAM_BACK] = says_there_is_no_program,
    [CM_VIEW_KEY_PROGRAM_BREAK] = says_there_is_no_program,
    [CM_VIEW_KEY_PROGRAM_TYPE] = says_there_is_no_program,
};

START_TEST(test_every_key_does_what_it_says)
{
    struct fixture fixture;
    struct cm_view_control before, after;
    char key[CM_VIEW_KEY_NAME_MAX];
    begin(&fixture, shift_text, NULL);
    for (uint32_t a = 0; a < CM_VIEW_KEY_COUNT; a++) {
        const char *rest = cm_view_keys[a].keys;
        ck_assert_msg(promises[a] != NULL, "no test knows what %s does", rest);
        for (uint32_t i = 0; cm_view_key_word(&rest, key, sizeof key); i++) {
            prepare(&before, fixture.model);
            if (a == CM_VIEW_KEY_SHOW_ALL)
                before.state.hidden_phases = before.state.hidden_dimensions = 1;
            if (a == CM_VIEW_KEY_CUBE_ZOOM || a == CM_VIEW_KEY_CUBE_ALL)
                cm_view_zoom_cube(&before.state, 3, 0.5, 0.5);
            memcpy(&after, &before, sizeof after);
            ck_assert_msg(cm_view_control_key(&after, key), "%s means nothing", key);
            struct change change = {.before = &before, .after = &after, .argument = i};
            ck_assert_msg(promises[a](&change), "%s does not do this: %s", key,
                          cm_view_keys[a].what);
        }
    }
    finish(&fixture);
}
END_TEST

START_TEST(test_no_key_has_two_meanings)
{
    char key[CM_VIEW_KEY_NAME_MAX];
    for (uint32_t a = 0; a < CM_VIEW_KEY_COUNT; a++) {
        const char *rest = cm_view_keys[a].keys;
        for (uint32_t i = 0; cm_view_key_word(&rest, key, sizeof key); i++) {
            enum cm_view_action action;
            uint32_t argument;
            ck_assert(cm_view_key_find(key, &action, &argument));
            ck_assert_msg(action == a && argument == i, "%s is listed twice", key);
        }
    }
}
END_TEST

static void press(struct cm_view_control *control, const char *keys)
{
    char key[CM_VIEW_KEY_NAME_MAX];
    while (cm_view_key_word(&keys, key, sizeof key))
        cm_view_control_key(control, key);
}

/* All hops of the run, to be searched one by one. */
static uint64_t all_hops(const struct cm_trace *trace, struct cm_trace_hop **hops)
{
    uint64_t count = cm_trace_hops(trace, 0, UINT64_MAX, NULL, 0);
    *hops = calloc(count + 1, sizeof **hops);
    ck_assert_ptr_nonnull(*hops);
    return cm_trace_hops(trace, 0, UINT64_MAX, *hops, count);
}

START_TEST(test_until_blocked_pins_what_waits)
{
    struct fixture fixture;
    struct cm_view_control control;
    struct cm_trace_hop *hops;
    uint64_t most = 0, waits = 0;
    begin(&fixture, route_text, NULL);
    cm_view_control_begin(&control, fixture.model);
    press(&control, "B");
    const struct cm_view_state *state = &control.state;
    uint64_t count = all_hops(fixture.model->runs[0].trace, &hops);
    for (uint64_t i = 0; i < count; i++) {
        if (hops[i].asked_cycle > state->cycle || hops[i].first_cycle <= state->cycle)
            continue;
        uint64_t length = hops[i].first_cycle - hops[i].asked_cycle;
        most = length > most ? length : most;
        if (hops[i].packet + 1 == state->packet) {
            waits = length;
            ck_assert_uint_eq(state->pin.kind, CM_VIEW_MARK_CHANNEL);
            ck_assert_uint_eq(state->pin.index, hops[i].channel);
        }
    }
    ck_assert_uint_gt(most, 0);
    ck_assert_uint_eq(waits, most);
    ck_assert_ptr_nonnull(strstr(control.message, " waits for packet "));
    free(hops);
    finish(&fixture);
}
END_TEST

/* Each step of the walk ends where the one before began, and what held the channel is there. */
START_TEST(test_walk_goes_back_to_the_start)
{
    struct fixture fixture;
    struct cm_view_control control;
    uint64_t before;
    uint32_t steps = 0;
    begin(&fixture, route_text, NULL);
    cm_view_control_begin(&control, fixture.model);
    press(&control, "End U");
    ck_assert_uint_gt(control.state.packet, 0);
    do {
        before = control.state.cycle;
        press(&control, "U");
        steps++;
    } while (control.state.cycle < before);
    ck_assert_uint_eq(control.state.cycle, 0);
    ck_assert_uint_gt(steps, 3);
    press(&control, "Shift+U");
    ck_assert_uint_gt(control.state.cycle, 0);
    press(&control, "Escape");
    ck_assert(!control.quit && !control.state.walk.shown);
    finish(&fixture);
}
END_TEST

START_TEST(test_packets_add_up)
{
    struct fixture fixture;
    begin(&fixture, route_text, NULL);
    const struct cm_view_run *run = &fixture.model->runs[0];
    uint32_t sent = 0;
    for (uint64_t cycle = 0; cycle < run->info->cycles; cycle += 16) {
        const struct cm_view_traffic *traffic = cm_view_traffic(run, cycle);
        uint32_t queued = 0, waiting = 0, in_flight = 0;
        for (uint32_t node = 0; node < run->info->nodes; node++)
            queued += traffic->queue[node];
        for (uint64_t i = 0; i < run->info->packets; i++) {
            const struct cm_trace_packet *packet = cm_trace_packet_at(run->trace, i);
            in_flight += packet->created_cycle <= cycle && packet->arrived_cycle > cycle;
        }
        for (uint32_t i = 0; i < traffic->messages.count; i++)
            waiting += traffic->messages.items[i].waits;
        ck_assert_uint_eq(queued, waiting);
        ck_assert_uint_eq(traffic->messages.count, in_flight);
        sent += in_flight;
    }
    ck_assert_uint_gt(sent, 0);
    struct cm_view_matrix matrix =
        cm_view_matrix(run, 0, run->info->cycles, 0, CM_VIEW_QUANTITY_WORDS);
    double words = 0;
    for (uint32_t i = 0; i < matrix.side * matrix.side; i++)
        words += matrix.cells[i];
    ck_assert_double_eq(words, 8.0 * (double)run->info->packets);
    finish(&fixture);
}
END_TEST

START_TEST(test_keys_undo_themselves)
{
    static const char *const pairs[] = {
        "Space Space",   "Left Right", "H H",   "Return Return", "X X", "1 1", "F1 F1",
        "Tab Shift+Tab", "C C C",      "M M M", "W W W",         "D D", ". ,"};
    struct fixture fixture;
    struct cm_view_control control, start;
    begin(&fixture, shift_text, NULL);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        prepare(&control, fixture.model);
        memcpy(&start, &control, sizeof start);
        press(&control, pairs[i]);
        control.state.average_cycles = start.state.average_cycles;
        ck_assert_msg(memcmp(&control.state, &start.state, sizeof start.state) == 0,
                      "after %s something has changed", pairs[i]);
        ck_assert(control.recording == start.recording);
    }
    finish(&fixture);
}
END_TEST

START_TEST(test_cycles_are_typed)
{
    struct fixture fixture;
    struct cm_view_control control;
    begin(&fixture, shift_text, NULL);
    uint64_t last = fixture.model->runs[0].info->cycles - 1;
    prepare(&control, fixture.model);
    press(&control, "G 1 2 Backspace 5 Q Return");
    ck_assert_uint_eq(control.state.cycle, 15);
    ck_assert(!control.prompt && !control.quit);
    press(&control, "G 7 Escape");
    ck_assert_uint_eq(control.state.cycle, 15);
    ck_assert(!control.prompt && !control.quit);
    press(&control, "G Return");
    ck_assert_uint_eq(control.state.cycle, 15);
    press(&control, "G 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 Return");
    ck_assert_uint_eq(control.state.cycle, last);
    ck_assert_str_ne(control.message, "");
    finish(&fixture);
}
END_TEST

START_TEST(test_escape_closes_the_help_first)
{
    struct fixture fixture;
    struct cm_view_control control;
    begin(&fixture, shift_text, NULL);
    prepare(&control, fixture.model);
    press(&control, "H Escape");
    ck_assert(!control.state.help && !control.quit);
    press(&control, "Escape");
    ck_assert(control.quit);
    finish(&fixture);
}
END_TEST

START_TEST(test_until_a_packet_waits)
{
    struct fixture fixture;
    struct cm_view_control control;
    begin(&fixture, route_text, NULL);
    cm_view_control_begin(&control, fixture.model);
    uint64_t blocked = cm_trace_find_blocked(fixture.model->runs[0].trace, 0);
    ck_assert_uint_ne(blocked, UINT64_MAX);
    press(&control, "B");
    ck_assert_uint_eq(control.state.cycle, blocked);
    ck_assert_ptr_nonnull(strstr(control.message, " waits for packet "));
    finish(&fixture);
}
END_TEST

/* Down the panel, a click on each row: what it names is pinned, or walked to. */
START_TEST(test_rows_of_what_was_in_the_way_are_clickable)
{
    struct fixture fixture;
    struct cm_view_control control, before;
    struct cm_view_target target = {.w = 1280, .h = 800, .pitch = 1280, .scale = 1};
    const uint64_t *longest;
    uint32_t packets = 0, hops = 0, links = 0;
    begin(&fixture, route_text, NULL);
    cm_view_control_begin(&control, fixture.model);
    const struct cm_view_run *run = &fixture.model->runs[0];
    uint32_t count = cm_view_longest_waits(run, 0, run->info->cycles, &longest);
    for (int turn = 0; turn < 3; turn++) { /* the list, a packet, the chain */
        if (turn > 0)
            press(&control, turn == 1 ? "O" : "U");
        before = control;
        struct cm_view_rect place =
            cm_view_lay_out(fixture.model, &control.state, 1280, 800).place[0][CM_VIEW_WHY];
        for (int y = place.y + 24; y < place.y + place.h; y += 3) {
            control = before;
            cm_view_control_press(&control, &target, place.x + 20, y);
            cm_view_control_release(&control);
            for (uint32_t i = 0; turn == 0 && i < count; i++)
                packets |= control.state.packet == longest[i] + 1 ? 1u << i : 0;
            hops += turn == 1 && control.state.cycle != before.state.cycle;
            if (turn == 2 && control.state.walk.link != before.state.walk.link)
                links |= 1u << control.state.walk.link;
        }
    }
    ck_assert_int_ge(__builtin_popcount(packets), 3);
    ck_assert_uint_ge(hops, 2);
    ck_assert_int_ge(__builtin_popcount(links), 3);
    finish(&fixture);
}
END_TEST

START_TEST(test_two_runs)
{
    struct fixture fixture;
    struct cm_view_control control;
    bool seen[2] = {false, false}, compared = false;
    begin(&fixture, shift_text, shift_text);
    cm_view_control_begin(&control, fixture.model);
    for (uint32_t i = 0; i < 3; i++) {
        press(&control, "R");
        compared = compared || control.state.compare;
        if (!control.state.compare)
            seen[control.state.run] = true;
    }
    ck_assert(seen[0] && seen[1] && compared);
    finish(&fixture);
}
END_TEST

START_TEST(test_play_takes_its_time)
{
    struct fixture fixture;
    struct cm_view_control control;
    begin(&fixture, shift_text, NULL);
    cm_view_control_begin(&control, fixture.model);
    press(&control, "Home");
    cm_view_control_advance(&control, 1);
    ck_assert_uint_eq(control.state.cycle, 0);
    press(&control, "Space");
    for (uint32_t i = 0; i < 60; i++)
        cm_view_control_advance(&control, 1.0 / 60);
    ck_assert_uint_ge(control.state.cycle, (uint64_t)CM_VIEW_CYCLES_PER_SECOND - 1);
    ck_assert_uint_le(control.state.cycle, (uint64_t)CM_VIEW_CYCLES_PER_SECOND + 1);
    for (uint32_t i = 0; i < 10000 && control.state.playing; i++)
        cm_view_control_advance(&control, 0.1);
    ck_assert(!control.state.playing);
    ck_assert_uint_eq(control.state.cycle, fixture.model->runs[0].info->cycles - 1);
    finish(&fixture);
}
END_TEST

CM_PROGRAM(test_view_control)
{
    Suite *suite = suite_create("viewer's keys");
    TCase *tests = tcase_create("control");
    tcase_add_test(tests, test_every_key_does_what_it_says);
    tcase_add_test(tests, test_no_key_has_two_meanings);
    tcase_add_test(tests, test_keys_undo_themselves);
    tcase_add_test(tests, test_cycles_are_typed);
    tcase_add_test(tests, test_escape_closes_the_help_first);
    tcase_add_test(tests, test_until_a_packet_waits);
    tcase_add_test(tests, test_until_blocked_pins_what_waits);
    tcase_add_test(tests, test_walk_goes_back_to_the_start);
    tcase_add_test(tests, test_packets_add_up);
    tcase_add_test(tests, test_rows_of_what_was_in_the_way_are_clickable);
    tcase_add_test(tests, test_two_runs);
    tcase_add_test(tests, test_play_takes_its_time);
    suite_add_tcase(suite, tests);
    return cm_run_suite(suite);
}
