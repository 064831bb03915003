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

int main(void)
{
    Suite *suite = suite_create("viewer, readable anywhere");
    TCase *tests = tcase_create("readable");
    tcase_add_checked_fixture(tests, open_cube, close_cube);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, dots_per_inch_give_the_scale_in_halves);
    tcase_add_test(tests, large_text_is_half_as_large_again);
    tcase_add_test(tests, the_theme_is_that_of_the_whole_picture);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    srunner_free(runner);
    return 0;
}
