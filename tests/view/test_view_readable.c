/* What makes the viewer readable anywhere: scale, large text, and what the picture shows in the
 * room that it has. */
#include "fake_trace.h"

#include "../../viz/control/control.h"
#include "../../viz/draw/draw.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define W 1280
#define H 800

static struct cm_view_control control;
static struct cm_view_model *model;
static struct cm_view_target target;

static void open_cube(void)
{
    struct cm_fake fake = {
        .name = "made up", .dimensions = 3, .exchanges = 12, .scatter = 40, .array_side = 8};
    struct cm_error err;
    ck_assert_int_eq(cm_view_model_create(cm_fake_open(&fake), NULL, &model, &err), CM_OK);
    cm_view_control_begin(&control, model);
    control.state.span = CM_VIEW_SPAN_VISIBLE;
    target = (struct cm_view_target){.w = W, .h = H, .pitch = W, .scale = 1};
    target.pixels = calloc((size_t)W * H, sizeof *target.pixels);
    ck_assert_ptr_nonnull(target.pixels);
}

static void close_cube(void)
{
    free(target.pixels);
    cm_view_model_free(model);
}

START_TEST(dots_per_inch_give_the_scale_in_halves)
{
    const struct {
        double dpi, scale;
    } known[] = {{0, 1},     {-1, 1},    {72, 1},  {96, 1},  {119, 1},
                 {121, 1.5}, {144, 1.5}, {192, 2}, {288, 3}, {600, 4}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        ck_assert_double_eq(cm_view_scale_of_dpi(known[i].dpi), known[i].scale);
    ck_assert_double_eq(cm_view_scale_of_dpi((double)NAN), 1);
}
END_TEST

START_TEST(large_text_is_half_as_large_again)
{
    ck_assert_double_eq(cm_view_text_scale(&control, 2), 2);
    ck_assert(cm_view_control_key(&control, "Shift+T"));
    ck_assert_double_eq(cm_view_text_scale(&control, 2), 3);
    ck_assert(cm_view_control_key(&control, "Shift+T"));
    ck_assert_double_eq(cm_view_text_scale(&control, 2), 2);
}
END_TEST

static bool has_colour(uint32_t colour)
{
    for (size_t i = 0; i < (size_t)W * H; i++)
        if (target.pixels[i] == colour)
            return true;
    return false;
}

/* The dark theme's white cursor and grounds are gone in the light one, and the other way round. */
START_TEST(the_theme_is_that_of_the_whole_picture)
{
    const uint32_t dark[] = {0xff0b0e12u, 0xff12161cu, 0xff1e252eu},
                   light[] = {0xffe4e8ecu, 0xffeef1f4u, 0xff7a8490u};
    for (int turn = 0; turn < 2; turn++) {
        cm_view_draw(model, &control.state, &target);
        cm_view_draw_status("a line", control.state.theme, &target);
        for (int i = 0; i < 3; i++) {
            ck_assert_int_eq(has_colour(dark[i]), turn == 0);
            ck_assert_int_eq(has_colour(light[i]), turn == 1);
        }
        for (size_t i = 0; i < (size_t)W * H; i++) /* no role is left as it is */
            ck_assert_uint_eq(target.pixels[i] >> 24, 255);
        ck_assert(cm_view_control_key(&control, "Shift+L"));
    }
    ck_assert_int_eq(control.state.theme, CM_VIEW_DARK);
}
END_TEST

/* Loads of nodes against sums over the trace's own counters; the exchanges are 60 cycles each. */
START_TEST(loads_of_nodes_are_those_of_their_channels)
{
    const struct cm_view_run *run = &model->runs[0];
    uint64_t fresh[48], end = run->info->cycles;
    cm_trace_channel_busy(run->trace, 0, end, fresh);
    for (uint32_t hidden = 0; hidden < 8; hidden++) {
        uint64_t total[8] = {0}, sent[8] = {0}, received[8] = {0}, second[8] = {0};
        for (uint32_t i = 0; i < 48; i++) {
            uint32_t node = i / 6, dimension = i % 6 / 2;
            if (dimension == 1 && fresh[i] > second[node])
                second[node] = fresh[i];
            if (hidden >> dimension & 1)
                continue;
            total[node] += fresh[i];
            sent[node] += fresh[i] / CM_FAKE_EXCHANGE;
            received[node ^ 1u << dimension] += fresh[i] / CM_FAKE_EXCHANGE;
        }
        const struct {
            enum cm_view_load load;
            const uint64_t *wanted;
        } loads[] = {{CM_VIEW_LOAD_TOTAL, total},
                     {CM_VIEW_LOAD_MEAN, total},
                     {CM_VIEW_LOAD_SENT, sent},
                     {CM_VIEW_LOAD_RECEIVED, received},
                     {CM_VIEW_LOAD_DIMENSION, second}};
        for (size_t i = 0; i < sizeof loads / sizeof *loads; i++)
            ck_assert_mem_eq(cm_view_node_loads(run, 0, end, hidden, loads[i].load, 1),
                             loads[i].wanted, sizeof total);
        uint32_t shown = 3 - (uint32_t)__builtin_popcount(hidden);
        if (shown > 0)
            ck_assert_double_eq(cm_view_load_whole(run, 0, end, hidden, CM_VIEW_LOAD_MEAN),
                                (double)end * shown * 2);
    }
}
END_TEST

/* In an exchange each channel that is used is busy in all cycles: nodes differ by the mean. */
START_TEST(a_run_of_exchanges_opens_with_the_mean)
{
    unsigned last = CM_VIEW_LOAD_COUNT;
    ck_assert_int_eq(control.state.load, CM_VIEW_LOAD_MEAN);
    for (unsigned i = 0; i < CM_VIEW_LOAD_COUNT; i++) {
        ck_assert_uint_ne(control.state.load, last);
        last = control.state.load;
        ck_assert(cm_view_control_key(&control, "Shift+W"));
        ck_assert_ptr_nonnull(strstr(control.message, cm_view_load_titles[control.state.load]));
    }
    ck_assert_int_eq(control.state.load, CM_VIEW_LOAD_MEAN);
    for (uint32_t i = 0; i < 4; i++) {
        ck_assert(cm_view_control_key(&control, "Shift+D"));
        ck_assert_int_eq(control.state.load, CM_VIEW_LOAD_DIMENSION);
        ck_assert_uint_eq(control.state.load_dimension, i % 3);
    }
}
END_TEST

START_TEST(scales_of_counts_end_at_one_two_or_five)
{
    const uint64_t known[][2] = {{0, 1},    {1, 1},      {2, 2},       {3, 5},
                                 {5, 5},    {6, 10},     {11, 20},     {21, 50},
                                 {51, 100}, {999, 1000}, {1001, 2000}, {123456, 200000}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        ck_assert_uint_eq(cm_view_round_top(known[i][0]), known[i][1]);
    ck_assert_uint_gt(cm_view_round_top(UINT64_MAX), UINT64_MAX / 20);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("viewer, readable anywhere");
    TCase *tests = tcase_create("readable");
    tcase_add_checked_fixture(tests, open_cube, close_cube);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, dots_per_inch_give_the_scale_in_halves);
    tcase_add_test(tests, large_text_is_half_as_large_again);
    tcase_add_test(tests, the_theme_is_that_of_the_whole_picture);
    tcase_add_test(tests, loads_of_nodes_are_those_of_their_channels);
    tcase_add_test(tests, a_run_of_exchanges_opens_with_the_mean);
    tcase_add_test(tests, scales_of_counts_end_at_one_two_or_five);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    srunner_free(runner);
    return 0;
}
