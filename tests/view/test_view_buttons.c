/* Buttons and tips: a button does what its key does, and tips say of keys what their table says. */
#include "../harness/program.h"
#include "fake_trace.h"

#include "../../viz/control/control.h"
#include "../../viz/control/keys.h"
#include "../../viz/draw/draw_private.h"

#include "../unit/quick_check.h"
#include <stdlib.h>
#include <string.h>

#define W 1280
#define H 800

static struct cm_view_control control;
static struct cm_view_model *model;
static struct cm_view_target target;

static void open_cube(void)
{
    struct cm_fake fake = {.name = "made up", .dimensions = 3, .exchanges = 12, .scatter = 40};
    struct cm_error err;
    ck_assert_int_eq(cm_view_model_create(cm_fake_open(&fake), NULL, &model, &err), CM_OK);
    cm_view_control_begin(&control, model);
    cm_view_go(model, &control.state, 400);
    cm_view_zoom_to(model, &control.state, 200, 900);
    target = (struct cm_view_target){.w = W,
                                     .h = H,
                                     .pitch = W,
                                     .scale = 1,
                                     .keys = cm_view_keys,
                                     .key_count = CM_VIEW_KEY_COUNT};
    target.pixels = calloc((size_t)W * H, sizeof *target.pixels);
    ck_assert_ptr_nonnull(target.pixels);
}

static void close_cube(void)
{
    free(target.pixels);
    cm_view_model_free(model);
}

static struct cm_view_rect button_place(uint32_t button)
{
    struct cm_view_layout layout = cm_view_lay_out(model, &control.state, W, H);
    return cm_button_place(layout.place[0][CM_VIEW_PART_CAPTION], button);
}

static void click(struct cm_view_rect place)
{
    cm_view_control_press(&control, &target, place.x + place.w / 2, place.y + place.h / 2);
    cm_view_control_release(&control);
}

START_TEST(a_button_does_what_its_key_does)
{
    struct cm_view_control before = control, by_key;
    const char *key;
    uint32_t count = 0;
    for (; (key = cm_view_button_key(count)) != NULL; count++) {
        struct cm_view_rect place = button_place(count);
        enum cm_view_action action;
        uint32_t which;
        ck_assert_msg(cm_view_key_find(key, &action, &which), "no key %s", key);
        ck_assert_int_gt(place.w, 0);
        control = before;
        ck_assert(cm_view_control_key(&control, key));
        by_key = control;
        control = before;
        click(place);
        ck_assert_msg(memcmp(&by_key.state, &control.state, sizeof control.state) == 0,
                      "the button of %s does something else", key);
        ck_assert_msg(memcmp(&before, &control, sizeof control) != 0, "%s does nothing", key);
    }
    ck_assert_uint_ge(count, 8);
}
END_TEST

/* The picture changes below the button, and is as before when the pointer has gone. */
START_TEST(pointing_at_a_button_shows_its_tip)
{
    uint32_t *before = malloc(sizeof *before * W * H);
    ck_assert_ptr_nonnull(before);
    cm_view_draw(model, &control.state, &target);
    memcpy(before, target.pixels, sizeof *before * W * H);
    for (uint32_t i = 0; cm_view_button_key(i) != NULL; i++) {
        struct cm_view_rect place = button_place(i);
        const uint64_t at[2] = {(uint64_t)place.x + 4, (uint64_t)place.y + 4};
        cm_view_control_point(&control, &target, at);
        ck_assert_uint_eq(control.state.tip.button, i + 1);
        cm_view_draw(model, &control.state, &target);
        size_t below = (size_t)(place.y + place.h + 2) * W + (size_t)place.x + 8;
        ck_assert_uint_eq(target.pixels[below], cm_view_theme_colour(CM_VIEW_DARK, CM_VIEW_PIN));
        cm_view_control_leave(&control);
        cm_view_draw(model, &control.state, &target);
        ck_assert_mem_eq(before, target.pixels, sizeof *before * W * H);
    }
    free(before);
}
END_TEST

START_TEST(titles_have_tips_of_keys_that_exist)
{
    for (uint32_t part = 0; part < CM_VIEW_PART_COUNT; part++) {
        const struct cm_panel *panel = cm_panels[part];
        struct cm_view_rect place = cm_view_lay_out(model, &control.state, W, H).place[0][part];
        char word[CM_VIEW_KEY_NAME_MAX];
        enum cm_view_action action;
        uint32_t which, words = 0;
        if (panel->title == NULL)
            continue;
        ck_assert_ptr_nonnull(panel->about);
        for (const char *keys = panel->keys; cm_view_key_word(&keys, word, sizeof word); words++)
            ck_assert_msg(cm_view_key_find(word, &action, &which), "%s: %s", panel->title, word);
        ck_assert_uint_gt(words, 0);
        if (place.w == 0)
            continue;
        cm_view_control_motion(&control, &target, place.x + 60, place.y + 5);
        ck_assert_uint_eq(control.state.tip.part, part + 1);
        ck_assert_uint_eq(control.state.tip.button, 0);
        cm_view_control_motion(&control, &target, place.x + 2, place.y + place.h - 2);
        ck_assert_uint_eq(control.state.tip.part, 0);
    }
}
END_TEST

/* On the axis, at the x of its cycle; its name goes when the run has been entered. */
START_TEST(the_first_exchange_is_marked)
{
    cm_view_zoom_all(model, &control.state);
    cm_view_go(model, &control.state, 0);
    uint64_t cycle = cm_trace_find_exchange(model->runs[0].trace, 0, 1);
    struct cm_view_layout layout = cm_view_lay_out(model, &control.state, W, H);
    struct cm_view_rect axis = layout.place[0][CM_VIEW_PART_AXIS];
    int w = axis.w - layout.strip_left - layout.strip_right;
    double part = (double)cycle / (double)cm_view_cycles(model, &control.state);
    size_t x = (size_t)(axis.x + layout.strip_left + (int)(w * part + 0.5));
    ck_assert_uint_lt(cycle, UINT64_MAX);
    cm_view_draw(model, &control.state, &target);
    ck_assert_uint_eq(target.pixels[(size_t)(axis.y + 7) * W + x],
                      cm_view_phase_colour(CM_VIEW_DARK, CM_TRACE_EXCHANGE));
}
END_TEST

CM_PROGRAM(test_view_buttons)
{
    Suite *suite = suite_create("viewer, buttons and tips");
    TCase *tests = tcase_create("pointer");
    tcase_add_checked_fixture(tests, open_cube, close_cube);
    tcase_add_test(tests, a_button_does_what_its_key_does);
    tcase_add_test(tests, pointing_at_a_button_shows_its_tip);
    tcase_add_test(tests, titles_have_tips_of_keys_that_exist);
    tcase_add_test(tests, the_first_exchange_is_marked);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    srunner_free(runner);
    return 0;
}
