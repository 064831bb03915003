/* The guided tour plays by itself: its stations follow each other in their time, keys are pressed
 * when they are due, and Space, the arrows, other keys and clicks do what the manual says. */
#include "../harness/program.h"
#include "fake_trace.h"

#include "../../viz/control/tour.h"

#include "../unit/quick_check.h"
#include <stdlib.h>
#include <string.h>

#define TICK 0.25 /* seconds */

static struct cm_view_control control;
static struct cm_view_model *alone, *pair;
static const struct cm_view_model *models[CM_TOUR_RUN_COUNT];

static struct cm_view_model *model_of(bool two)
{
    struct cm_fake fake = {.name = "made up", .dimensions = 3, .exchanges = 40, .scatter = 40};
    struct cm_view_model *model;
    struct cm_error err;
    struct cm_trace *second = two ? cm_fake_open(&fake) : NULL;
    ck_assert_int_eq(cm_view_model_create(cm_fake_open(&fake), second, &model, &err), CM_OK);
    return model;
}

static void open_tour(void)
{
    alone = model_of(false);
    pair = model_of(true);
    for (int i = 0; i < CM_TOUR_RUN_COUNT; i++)
        models[i] = i == CM_TOUR_STENCIL ? pair : alone;
    cm_view_control_begin(&control, alone);
    cm_view_tour_begin(&control, models, 1);
}

static void close_tour(void)
{
    cm_view_model_free(alone);
    cm_view_model_free(pair);
}

static void pass(double seconds)
{
    for (double at = 0; at < seconds; at += TICK)
        cm_view_control_advance(&control, TICK);
}

START_TEST(stations_follow_each_other_in_their_time)
{
    for (uint32_t i = 1; i <= cm_tour_station_count; i++) {
        ck_assert_uint_eq(control.state.tour.station, i);
        ck_assert_ptr_eq(control.model, models[cm_tour_stations[i - 1].run]);
        pass(cm_tour_stations[i - 1].seconds - TICK);
        ck_assert_uint_eq(control.state.tour.station, i);
        ck_assert(cm_view_control_moves(&control));
        pass(TICK);
    }
    /* It ends at its last picture; Space begins again. */
    ck_assert_uint_eq(control.state.tour.station, cm_tour_station_count);
    ck_assert(!cm_view_control_moves(&control));
    cm_view_control_key(&control, "Space");
    ck_assert_uint_eq(control.state.tour.station, 1);
    ck_assert(cm_view_control_moves(&control));
}
END_TEST

/* As often as the time is due, and not more; a pause stops that. */
START_TEST(keys_are_pressed_when_they_are_due)
{
    uint32_t station;
    ck_assert(cm_tour_find("four", &station));
    const struct cm_tour_station *row = &cm_tour_stations[station - 1];
    cm_view_tour_begin(&control, models, station);
    ck_assert_str_eq(row->again, "Ctrl+Right");
    uint64_t cycle = control.state.cycle;
    for (int i = 0; i < 3; i++) {
        pass(row->every - TICK);
        ck_assert_uint_eq(control.state.cycle, cycle);
        pass(TICK);
        cycle = cm_trace_find_exchange(control.model->runs[0].trace, cycle + 1, 1);
        ck_assert_uint_eq(control.state.cycle, cycle);
    }
    cm_view_control_key(&control, "Space");
    ck_assert(!cm_view_control_moves(&control));
    pass(60);
    ck_assert_uint_eq(control.state.cycle, cycle);
    ck_assert_uint_eq(control.state.tour.station, station);
    cm_view_control_key(&control, "Space");
    pass(row->every);
    ck_assert_uint_gt(control.state.cycle, cycle);
}
END_TEST

START_TEST(arrows_go_to_stations_and_escape_ends_the_tour)
{
    cm_view_control_key(&control, "Left"); /* there is nothing before the first */
    ck_assert_uint_eq(control.state.tour.station, 1);
    for (uint32_t i = 1; i < cm_tour_station_count + 2; i++)
        cm_view_control_key(&control, "Right");
    ck_assert_uint_eq(control.state.tour.station, cm_tour_station_count);
    cm_view_control_key(&control, "Left");
    ck_assert_uint_eq(control.state.tour.station, cm_tour_station_count - 1);
    uint64_t cycle = control.state.cycle;
    const struct cm_view_model *model = control.model;
    cm_view_control_key(&control, "Escape");
    ck_assert_uint_eq(control.state.tour.station, 0);
    ck_assert(!control.quit);
    ck_assert_ptr_eq(control.model, model);
    cm_view_control_key(&control, "Right");
    ck_assert_uint_eq(control.state.cycle, cycle + 1);
}
END_TEST

START_TEST(who_looks_around_gets_the_time_for_it)
{
    struct cm_view_target target = {.w = 1280, .h = 800, .pitch = 1280, .scale = 1};
    cm_view_control_key(&control, "C");
    ck_assert_int_eq(control.state.colours, CM_VIEW_VIRIDIS);
    ck_assert(!cm_view_control_moves(&control));
    cm_view_control_key(&control, "Right"); /* what it looks like stays */
    ck_assert_int_eq(control.state.colours, CM_VIEW_VIRIDIS);
    cm_view_control_key(&control, "Space");
    ck_assert(cm_view_control_moves(&control));
    cm_view_control_press(&control, &target, 300, 300);
    cm_view_control_release(&control);
    ck_assert(!cm_view_control_moves(&control));
}
END_TEST

START_TEST(texts_name_facts_only)
{
    char text[1024], cut[16];
    for (uint32_t i = 1; i <= cm_tour_station_count; i++) {
        cm_view_tour_begin(&control, models, i);
        ck_assert(cm_tour_text(control.model, &control.state, text, sizeof text));
        ck_assert_ptr_null(strchr(text, '{'));
        ck_assert_uint_lt(strlen(text), 600); /* what its panel holds */
        cm_tour_text(control.model, &control.state, cut, sizeof cut);
        ck_assert_uint_eq(strlen(cut), sizeof cut - 1);
        ck_assert_int_eq(strncmp(cut, text, sizeof cut - 1), 0);
    }
    uint32_t station;
    ck_assert(cm_tour_find("10", &station) && station == 10);
    ck_assert(!cm_tour_find("0", &station) && !cm_tour_find("11", &station));
    ck_assert(!cm_tour_find("", &station) && !cm_tour_find("1x", &station));
}
END_TEST

CM_PROGRAM(test_view_tour)
{
    Suite *suite = suite_create("tour");
    TCase *tests = tcase_create("tour");
    tcase_add_checked_fixture(tests, open_tour, close_tour);
    tcase_add_test(tests, stations_follow_each_other_in_their_time);
    tcase_add_test(tests, keys_are_pressed_when_they_are_due);
    tcase_add_test(tests, arrows_go_to_stations_and_escape_ends_the_tour);
    tcase_add_test(tests, who_looks_around_gets_the_time_for_it);
    tcase_add_test(tests, texts_name_facts_only);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    srunner_free(runner);
    return 0;
}
