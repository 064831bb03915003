/* What the pointer does beyond the maps: rows of lists are clickable, time strips answer, and the
 * numbers of the machine's cells stay under it. */
#include "../harness/program.h"
#include "fake_trace.h"

#include "../../viz/control/control.h"
#include "../../viz/control/keys.h"
#include "../../viz/draw/draw.h"
#include "../../viz/draw/label.h"

#include "../unit/quick_check.h"
#include <stdlib.h>
#include <string.h>

#define W 1280
#define H 800

static struct cm_view_control control;
static struct cm_view_model *model;
static struct cm_view_fonts *fonts;
static struct cm_view_target target;

static void open_cube(void)
{
    struct cm_fake fake = {.name = "made up", .dimensions = 3, .exchanges = 12, .scatter = 40};
    struct cm_error err;
    ck_assert_int_eq(cm_view_model_create(cm_fake_open(&fake), NULL, &model, &err), CM_OK);
    cm_view_control_begin(&control, model);
    control.state.span = CM_VIEW_SPAN_VISIBLE;
    if (cm_view_fonts_open(1, &fonts, &err) != CM_OK)
        fonts = NULL;
    target = (struct cm_view_target){.w = W, .h = H, .pitch = W, .scale = 1, .fonts = fonts};
    target.pixels = calloc((size_t)W * H, sizeof *target.pixels);
    ck_assert_ptr_nonnull(target.pixels);
}

static void close_cube(void)
{
    free(target.pixels);
    cm_view_fonts_close(fonts);
    cm_view_model_free(model);
}

static struct cm_view_rect place_of(unsigned part)
{
    return cm_view_lay_out(model, &control.state, W, H).place[0][part];
}

/* Wherever the legend names the phases, each name has room for all of it. */
START_TEST(names_of_the_legend_are_not_cut)
{
    struct cm_canvas canvas = cm_canvas_of(&target, CM_VIEW_DARK);
    struct cm_label label = {&canvas, fonts};
    if (fonts == NULL)
        return;
    for (int w = 300; w <= 1500; w += 48)
        for (int h = 300; h <= 700; h += 200) {
            uint32_t widths[CM_TRACE_PHASE_COUNT] = {0};
            target.w = target.pitch = w;
            target.h = h;
            struct cm_view_rect in =
                cm_view_lay_out(model, &control.state, w, h).place[0][CM_VIEW_PART_LEGEND];
            for (int row = in.y + 12; row < in.y + in.h && row <= in.y + 54; row += 21)
                for (int x = in.x; x < in.x + in.w; x += 4) {
                    struct cm_view_hit hit = cm_view_hit(model, &control.state, &target, x, row);
                    widths[hit.phase] += hit.kind == CM_VIEW_HIT_PHASE ? 4 : 0;
                }
            for (uint32_t p = 0; p < CM_TRACE_PHASE_COUNT; p++) {
                double name = cm_label_width_of(&label, CM_LABEL_SMALL,
                                                cm_trace_phase_name((enum cm_trace_phase)p));
                ck_assert_msg(widths[p] == 0 || widths[p] + 4 >= name + 16,
                              "at %d x %d phase %u has %u of %g points", w, h, p, widths[p],
                              name + 16);
            }
        }
}
END_TEST

/* Down the panel, each row of the list of busiest channels pins the next of them. */
START_TEST(a_click_on_a_busiest_row_pins_it)
{
    struct cm_view_rect in = place_of(CM_VIEW_INSPECTOR);
    const struct cm_view_run *run = &model->runs[0];
    const uint32_t *channels;
    uint32_t expected[CM_VIEW_BUSIEST], found = 0, last = CM_TRACE_NONE;
    uint32_t count = cm_view_busiest(run, 0, run->info->cycles, 0, &channels);
    memcpy(expected, channels, count * sizeof *channels);
    for (int y = in.y; y < in.y + in.h; y++) {
        control.state.pin.kind = CM_VIEW_MARK_NONE;
        cm_view_control_motion(&control, &target, in.x + 60, y);
        ck_assert_int_eq(control.state.hover.kind, CM_VIEW_MARK_NONE); /* the list stays */
        cm_view_control_press(&control, &target, in.x + 60, y);
        cm_view_control_release(&control);
        if (control.state.pin.kind == CM_VIEW_MARK_NONE || control.state.pin.index == last)
            continue;
        ck_assert_int_eq(control.state.pin.kind, CM_VIEW_MARK_CHANNEL);
        ck_assert_uint_lt(found, count);
        ck_assert_uint_eq(control.state.pin.index, expected[found++]);
        last = control.state.pin.index;
    }
    ck_assert_uint_ge(found, 4);
}
END_TEST

START_TEST(a_strip_says_what_is_under_the_pointer)
{
    const unsigned strips[] = {CM_VIEW_TIME, CM_VIEW_PHASES, CM_VIEW_PART_AXIS};
    uint32_t *before = malloc(sizeof *before * W * H);
    ck_assert_ptr_nonnull(before);
    cm_view_draw(model, &control.state, &target);
    memcpy(before, target.pixels, sizeof *before * W * H);
    for (size_t i = 0; i < sizeof strips / sizeof *strips; i++) {
        struct cm_view_rect strip = place_of(strips[i]);
        cm_view_control_motion(&control, &target, strip.x + strip.w / 2, strip.y + strip.h - 14);
        ck_assert(control.state.pointed.shown);
        ck_assert_uint_eq(control.state.pointed.part, strips[i]);
        cm_view_draw(model, &control.state, &target);
        ck_assert_int_ne(memcmp(before, target.pixels, sizeof *before * W * H), 0);
        cm_view_control_leave(&control);
        cm_view_draw(model, &control.state, &target);
        ck_assert_mem_eq(before, target.pixels, sizeof *before * W * H);
    }
    free(before);
}
END_TEST

/* Of the machine's cells only the frames of node and neighbours change: the middle of each, where
 * its number is, does not. */
START_TEST(numbers_of_nodes_stay_under_the_pointer)
{
    struct cm_view_rect in = place_of(CM_VIEW_MACHINE);
    uint32_t *before = malloc(sizeof *before * W * H);
    int changed = 0, hovered = 0;
    ck_assert_ptr_nonnull(before);
    cm_view_draw(model, &control.state, &target);
    memcpy(before, target.pixels, sizeof *before * W * H);
    for (int y = in.y + 24; y < in.y + in.h / 2; y += 7) {
        cm_view_control_motion(&control, &target, in.x + in.w / 2 + 20, y);
        if (control.state.hover.kind != CM_VIEW_MARK_NODE)
            continue;
        hovered++;
        cm_view_draw(model, &control.state, &target);
        for (int row = in.y + 24; row < in.y + in.h / 2; row++)
            for (int x = in.x; x < in.x + in.w; x++) {
                uint32_t a = before[row * W + x], b = target.pixels[row * W + x];
                changed += a != b && b != 0xffff5cd0u && b != 0xffffffffu; /* not of a frame */
            }
    }
    ck_assert_int_gt(hovered, 0);
    ck_assert_int_eq(changed, 0);
    free(before);
}
END_TEST

START_TEST(a_range_is_dragged_out_with_shift)
{
    struct cm_view_rect strip = place_of(CM_VIEW_TIME);
    uint64_t cycles = control.state.end;
    int y = strip.y + strip.h - 20;
    cm_view_control_select(&control, &target, strip.x + strip.w * 3 / 4, y);
    cm_view_control_motion(&control, &target, strip.x + strip.w / 4, y);
    ck_assert_uint_eq(control.state.end, cycles); /* not before it is released */
    uint64_t from = control.select_to, to = control.select_from;
    cm_view_control_release(&control);
    ck_assert_uint_lt(from, to);
    ck_assert_uint_eq(control.state.first, from);
    ck_assert_uint_eq(control.state.end, to);
    cm_view_control_motion(&control, &target, strip.x + strip.w / 2, y);
    ck_assert_uint_eq(control.state.first, from); /* over */
}
END_TEST

START_TEST(a_double_click_enlarges_a_panel)
{
    struct cm_view_rect in = place_of(CM_VIEW_PHASES);
    cm_view_control_double(&control, &target, in.x + 100, in.y + 5);
    ck_assert_int_eq(control.state.panel, CM_VIEW_PHASES);
    in = place_of(CM_VIEW_PHASES);
    cm_view_control_double(&control, &target, in.x + 100, in.y + 5);
    ck_assert_int_eq(control.state.panel, CM_VIEW_ALL);
}
END_TEST

/* A small picture shows the keys in pages. A click turns them, and closes the list after the last.
 * */
START_TEST(clicks_turn_the_pages_of_the_keys)
{
    target.keys = cm_view_keys;
    target.key_count = CM_VIEW_KEY_PROGRAM;
    ck_assert_uint_eq(cm_view_help_pages(&target), 1);
    target.w = 400;
    target.h = 300;
    uint32_t pages = cm_view_help_pages(&target);
    ck_assert_uint_gt(pages, fonts != NULL ? 2 : 0);
    ck_assert(cm_view_control_key(&control, "H") && control.state.help);
    struct cm_view_mark before = control.state.pin;
    for (uint32_t page = 0; page < pages; page++) {
        ck_assert(control.state.help);
        ck_assert_uint_eq(control.state.help_page, page);
        cm_view_control_press(&control, &target, 100, 100);
    }
    ck_assert(!control.state.help);
    ck_assert_mem_eq(&control.state.pin, &before, sizeof before);
}
END_TEST

START_TEST(page_keys_turn_the_pages_of_the_keys)
{
    uint64_t cycle = control.state.cycle;
    cm_view_control_key(&control, "H");
    cm_view_control_key(&control, "PageDown");
    cm_view_control_key(&control, "PageDown");
    ck_assert_uint_eq(control.state.help_page, 2);
    cm_view_control_key(&control, "PageUp");
    ck_assert_uint_eq(control.state.help_page, 1);
    ck_assert_uint_eq(control.state.cycle, cycle);
    cm_view_control_key(&control, "PageUp");
    cm_view_control_key(&control, "PageUp"); /* the first page */
    ck_assert_uint_eq(control.state.help_page, 0);
    cm_view_control_key(&control, "H");
    cm_view_control_key(&control, "PageDown");
    ck_assert_uint_gt(control.state.cycle, cycle);
    ck_assert_uint_eq(control.state.help_page, 0);
}
END_TEST

/* A film's caption has a strip of its own, so it leaves the picture above as it is. */
START_TEST(a_caption_of_a_film_is_below_the_picture)
{
    for (int i = 0; i < W * H; i++)
        target.pixels[i] = 0xff123456;
    cm_view_draw_caption("what happens", CM_VIEW_DARK, &target);
    for (int i = 0; i < W * (H - CM_VIEW_CAPTION_HEIGHT); i++)
        ck_assert_uint_eq(target.pixels[i], 0xff123456);
    for (int i = W * (H - CM_VIEW_CAPTION_HEIGHT); i < W * H; i++)
        ck_assert_uint_ne(target.pixels[i], 0xff123456);
}
END_TEST

/* The made-up exchanges are of 8 nodes: the caption names them, and of the gaps says otherwise. */
START_TEST(a_caption_says_what_happens)
{
    char text[200];
    uint64_t exchange = cm_trace_find_exchange(model->runs[0].trace, 0, 1);
    cm_view_go(model, &control.state, exchange);
    cm_view_caption(model, &control.state, text, sizeof text);
    ck_assert_ptr_nonnull(strstr(text, "pshift: "));
    ck_assert_ptr_nonnull(strstr(text, " send"));
    ck_assert_ptr_nonnull(strstr(text, " in 60 cycles"));
    cm_view_go(model, &control.state, exchange - 1); /* control flow lies before it */
    cm_view_caption(model, &control.state, text, sizeof text);
    ck_assert_ptr_nonnull(strstr(text, "no data moves"));
    cm_view_caption(model, &control.state, text, 10);
    ck_assert_uint_eq(strlen(text), 9);
}
END_TEST

CM_PROGRAM(test_view_lists)
{
    Suite *suite = suite_create("viewer, lists and strips");
    TCase *tests = tcase_create("pointer");
    tcase_add_checked_fixture(tests, open_cube, close_cube);
    tcase_add_test(tests, names_of_the_legend_are_not_cut);
    tcase_add_test(tests, a_click_on_a_busiest_row_pins_it);
    tcase_add_test(tests, a_strip_says_what_is_under_the_pointer);
    tcase_add_test(tests, numbers_of_nodes_stay_under_the_pointer);
    tcase_add_test(tests, a_range_is_dragged_out_with_shift);
    tcase_add_test(tests, a_double_click_enlarges_a_panel);
    tcase_add_test(tests, clicks_turn_the_pages_of_the_keys);
    tcase_add_test(tests, page_keys_turn_the_pages_of_the_keys);
    tcase_add_test(tests, a_caption_of_a_film_is_below_the_picture);
    tcase_add_test(tests, a_caption_says_what_happens);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    srunner_free(runner);
    return 0;
}
