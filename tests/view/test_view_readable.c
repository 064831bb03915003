/* What makes the viewer readable anywhere: scale, large text, and what the picture shows in the
 * room that it has. */
#include "../harness/program.h"
#include "fake_trace.h"

#include "../../viz/control/control.h"
#include "../../viz/draw/canvas.h"
#include "../../viz/draw/colours.h"
#include "../../viz/draw/draw.h"

#include "../unit/quick_check.h"
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
    struct cm_fake fake = {.name = "made up",
                           .dimensions = 3,
                           .exchanges = 12,
                           .scatter = 40,
                           .array_side = 8,
                           .array_depth = 4};
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

START_TEST(rings_are_drawn_between_their_two_radii)
{
    enum { SIZE = 41 };
    static uint32_t pixels[SIZE * SIZE];
    const struct cm_view_target page = {
        .w = SIZE, .h = SIZE, .pitch = SIZE, .scale = 1, .pixels = pixels};
    const struct cm_canvas canvas = cm_canvas_of(&page, CM_VIEW_DARK);
    memset(pixels, 0, sizeof pixels);
    cm_canvas_ring(&canvas, (struct cm_point){20.5, 20.5}, 16, 6, 0xffffffff);
    for (int y = 0; y < SIZE; y++)
        for (int x = 0; x < SIZE; x++) {
            double away = hypot(x - 20.0, y - 20.0);
            uint32_t pixel = pixels[y * SIZE + x] & 0xffffff;
            if (away < 9 || away > 17)
                ck_assert_msg(pixel == 0, "drawn %g from the centre", away);
            if (away > 11 && away < 15)
                ck_assert_msg(pixel == 0xffffff, "not drawn %g from the centre", away);
        }
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

/* A pixel on a node of the cube; false: there is none. */
static bool find_node(uint32_t node, int *x, int *y)
{
    struct cm_view_rect place = cm_view_lay_out(model, &control.state, W, H).place[0][CM_VIEW_CUBE];
    for (*y = place.y; *y < place.y + place.h; *y += 3)
        for (*x = place.x; *x < place.x + place.w; *x += 3) {
            struct cm_view_hit hit = cm_view_hit(model, &control.state, &target, *x, *y);
            if (hit.kind == CM_VIEW_HIT_MARK && hit.mark.kind == CM_VIEW_MARK_NODE &&
                hit.mark.index == node)
                return true;
        }
    return false;
}

static struct cm_view_mark mark_at(int x, int y)
{
    return cm_view_hit(model, &control.state, &target, x, y).mark;
}

START_TEST(the_wheel_zooms_the_cube_about_the_pointer)
{
    int x, y;
    for (uint32_t node = 0; node < 8; node++) {
        cm_view_look_at_cube(&control.state, 1, 0.5, 0.5);
        ck_assert(find_node(node, &x, &y));
        x += 12;
        y += 12;
        uint64_t first = control.state.first, end = control.state.end;
        for (int i = 0; i < 9; i++) {
            cm_view_control_wheel(&control, &target, x, y, i < 3 ? 1 : -1, 0);
            ck_assert_uint_eq(mark_at(x, y).index, node);
            ck_assert_int_eq(mark_at(x, y).kind, CM_VIEW_MARK_NODE);
            ck_assert_double_ge(control.state.cube_zoom, 1);
        }
        ck_assert_double_eq(control.state.cube_zoom, 1);
        ck_assert_double_eq_tol(control.state.cube_x, 0.5, 1e-9);
        ck_assert(control.state.first == first && control.state.end == end); /* time stays */
    }
    cm_view_control_wheel(&control, &target, x, y, 40, 0);
    ck_assert_double_eq(control.state.cube_zoom, CM_VIEW_CUBE_ZOOM_MAX);
    ck_assert(cm_view_control_key(&control, "Shift+Z"));
    ck_assert_double_eq(control.state.cube_zoom, 1);
}
END_TEST

/* What the pointer takes hold of goes with it, and is not pinned; a click still pins. */
START_TEST(a_drag_moves_the_zoomed_cube)
{
    int x, y;
    ck_assert(find_node(3, &x, &y));
    cm_view_control_wheel(&control, &target, x + 12, y + 12, 4, 0);
    ck_assert(find_node(3, &x, &y));
    x += 20;
    y += 20;
    ck_assert_uint_eq(mark_at(x, y).index, 3);
    cm_view_control_press(&control, &target, x, y);
    cm_view_control_motion(&control, &target, x - 20, y - 30);
    cm_view_control_motion(&control, &target, x - 30, y - 50);
    cm_view_control_release(&control);
    ck_assert_uint_eq(mark_at(x - 30, y - 50).index, 3);
    ck_assert_int_eq(mark_at(x - 30, y - 50).kind, CM_VIEW_MARK_NODE);
    ck_assert_int_eq(control.state.pin.kind, CM_VIEW_MARK_NONE);
    double at = control.state.cube_x;
    cm_view_control_motion(&control, &target, x + 30, y + 50); /* the button is up */
    ck_assert_double_eq(control.state.cube_x, at);
    cm_view_control_press(&control, &target, x - 30, y - 50);
    cm_view_control_release(&control);
    ck_assert_int_eq(control.state.pin.kind, CM_VIEW_MARK_NODE);
    ck_assert_uint_eq(control.state.pin.index, 3);
}
END_TEST

/* Zoomed, the cube stays within its panel, and other panels are as they were. */
START_TEST(the_zoomed_cube_stays_in_its_panel)
{
    struct cm_view_rect place = cm_view_lay_out(model, &control.state, W, H).place[0][CM_VIEW_CUBE];
    uint32_t *before = malloc(sizeof *before * W * H);
    ck_assert_ptr_nonnull(before);
    cm_view_draw(model, &control.state, &target);
    memcpy(before, target.pixels, sizeof *before * W * H);
    cm_view_look_at_cube(&control.state, 8, 0.3, 0.6);
    cm_view_draw(model, &control.state, &target);
    int inside = 0, outside = 0;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            bool on =
                x >= place.x && x < place.x + place.w && y >= place.y && y < place.y + place.h;
            bool differs = before[y * W + x] != target.pixels[y * W + x];
            *(on ? &inside : &outside) += differs;
        }
    ck_assert_int_eq(outside, 0);
    ck_assert_int_gt(inside, 1000);
    free(before);
}
END_TEST

/* On a larger picture nodes are larger, in the cube and in the grid. */
START_TEST(nodes_grow_with_the_picture)
{
    for (uint32_t panel = CM_VIEW_CUBE; panel <= CM_VIEW_MACHINE; panel++) {
        int pixels[2] = {0, 0};
        control.state.panel = (enum cm_view_panel)panel;
        for (int large = 0; large < 2; large++) {
            target.w = large ? 1920 : 960;
            target.h = large ? 1440 : 720;
            for (int y = 0; y < target.h; y += 4)
                for (int x = 0; x < target.w; x += 4) {
                    struct cm_view_mark mark = mark_at(x, y);
                    pixels[large] += mark.kind == CM_VIEW_MARK_NODE && mark.index == 5;
                }
        }
        ck_assert_int_gt(pixels[0], 10);
        ck_assert_int_ge(pixels[1] * 10, pixels[0] * 25); /* of the fourfold area */
    }
}
END_TEST

/* The nodes that a row of pixels through the panel's cells belongs to, in order. */
static uint32_t nodes_across(struct cm_view_rect place, int y, uint32_t nodes[64])
{
    uint32_t count = 0;
    for (int x = place.x; x < place.x + place.w; x++) {
        struct cm_view_hit hit = cm_view_hit(model, &control.state, &target, x, y);
        if (hit.kind == CM_VIEW_HIT_MARK && count < 64 &&
            (count == 0 || nodes[count - 1] != hit.mark.index))
            nodes[count++] = hit.mark.index;
    }
    return count;
}

/* 8 x 8 x 4 elements on 8 nodes, 32 in each, in order: a slice of 64 is on two nodes. */
START_TEST(slices_of_three_axes_are_chosen)
{
    uint32_t nodes[64];
    control.state.panel = CM_VIEW_ARRAY;
    control.state.span = CM_VIEW_SPAN_NOW;
    cm_view_go(model, &control.state, 100);
    ck_assert_uint_eq(cm_view_slices(model, &control.state), 4);
    for (uint64_t slice = 1; slice <= 4; slice++) {
        ck_assert(cm_view_control_key(&control, "Shift+Up"));
        ck_assert_uint_eq(control.state.slice, slice);
        struct cm_view_rect place =
            cm_view_lay_out(model, &control.state, W, H).place[0][CM_VIEW_ARRAY];
        for (int half = 0; half < 2; half++) {
            ck_assert_uint_eq(nodes_across(place, place.y + place.h * (1 + 2 * half) / 4, nodes),
                              1);
            ck_assert_uint_eq(nodes[0], 2 * (slice - 1) + (uint64_t)half);
        }
    }
    ck_assert(cm_view_control_key(&control, "Shift+Up"));
    ck_assert_uint_eq(control.state.slice, 0); /* all of it */
    ck_assert(cm_view_control_key(&control, "Shift+Down"));
    ck_assert_uint_eq(control.state.slice, 4);
}
END_TEST

/* The array's colours are those of nodes, not of loads: another palette does not change them. */
START_TEST(the_array_has_a_palette_of_its_own)
{
    control.state.span = CM_VIEW_SPAN_NOW;
    cm_view_go(model, &control.state, 100);
    struct cm_view_rect place =
        cm_view_lay_out(model, &control.state, W, H).place[0][CM_VIEW_ARRAY];
    uint32_t *before = malloc(sizeof *before * W * H);
    ck_assert_ptr_nonnull(before);
    cm_view_draw(model, &control.state, &target);
    memcpy(before, target.pixels, sizeof *before * W * H);
    ck_assert(cm_view_control_key(&control, "C"));
    cm_view_draw(model, &control.state, &target);
    int changed = 0, elsewhere = 0, borders = 0;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            bool on =
                x >= place.x && x < place.x + place.w && y >= place.y && y < place.y + place.h;
            bool differs = before[y * W + x] != target.pixels[y * W + x];
            *(on ? &changed : &elsewhere) += differs;
            borders += on && target.pixels[y * W + x] == 0xffe8ecf0u;
        }
    ck_assert_int_eq(changed, 0);
    ck_assert_int_gt(elsewhere, 100);
    ck_assert_int_gt(borders, 100); /* between the elements of eight nodes */
    free(before);
    for (uint32_t node = 0; node < 2048; node++)
        for (uint32_t d = 0; d < 11; d++)
            ck_assert_uint_ne(cm_view_node_colour(CM_VIEW_LIGHT, node),
                              cm_view_node_colour(CM_VIEW_LIGHT, node ^ 1u << d));
}
END_TEST

CM_PROGRAM(test_view_readable)
{
    Suite *suite = suite_create("viewer, readable anywhere");
    TCase *tests = tcase_create("readable");
    tcase_add_checked_fixture(tests, open_cube, close_cube);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, dots_per_inch_give_the_scale_in_halves);
    tcase_add_test(tests, rings_are_drawn_between_their_two_radii);
    tcase_add_test(tests, large_text_is_half_as_large_again);
    tcase_add_test(tests, the_theme_is_that_of_the_whole_picture);
    tcase_add_test(tests, loads_of_nodes_are_those_of_their_channels);
    tcase_add_test(tests, a_run_of_exchanges_opens_with_the_mean);
    tcase_add_test(tests, scales_of_counts_end_at_one_two_or_five);
    tcase_add_test(tests, the_wheel_zooms_the_cube_about_the_pointer);
    tcase_add_test(tests, a_drag_moves_the_zoomed_cube);
    tcase_add_test(tests, the_zoomed_cube_stays_in_its_panel);
    tcase_add_test(tests, nodes_grow_with_the_picture);
    tcase_add_test(tests, slices_of_three_axes_are_chosen);
    tcase_add_test(tests, the_array_has_a_palette_of_its_own);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    srunner_free(runner);
    return 0;
}
