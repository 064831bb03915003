/*
 * Layout and hit tests: panels never overlap nor leave the picture, yield in their order, and what
 * is drawn at a place is what the pointer finds there.
 */
#include "../harness/program.h"
#include "fake_trace.h"

#include "../../viz/control/control.h"
#include "../../viz/draw/colours.h"
#include "../../viz/draw/draw.h"

#include "../unit/quick_check.h"
#include <stdlib.h>
#include <string.h>

static struct cm_view_model *model; /* one at a time */
static struct cm_view_state state;
static struct cm_view_target target;

static void open_model(uint32_t dimensions, bool two)
{
    struct cm_fake fake = {.name = "made up",
                           .dimensions = dimensions,
                           .exchanges = 12,
                           .scatter = 40,
                           .array_side = 4};
    struct cm_error err;
    cm_view_model_free(model);
    ck_assert_int_eq(
        cm_view_model_create(cm_fake_open(&fake), two ? cm_fake_open(&fake) : NULL, &model, &err),
        CM_OK);
    state = cm_view_state_first(model);
    target = (struct cm_view_target){.w = 1280, .h = 800, .pitch = 1280, .scale = 1};
}

static void open_cube(void)
{
    open_model(3, false);
}

static void close_model(void)
{
    cm_view_model_free(model);
    model = NULL;
}

static bool overlap(struct cm_view_rect a, struct cm_view_rect b)
{
    return a.w > 0 && b.w > 0 && a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h &&
           b.y < a.y + a.h;
}

static void check_layout(int w, int h)
{
    struct cm_view_layout layout = cm_view_lay_out(model, &state, w, h);
    struct cm_view_rect all[3 * CM_VIEW_PART_COUNT];
    size_t count = 0;
    for (uint32_t c = 0; c < layout.columns; c++)
        for (unsigned part = 0; part < CM_VIEW_PART_COUNT; part++)
            if (layout.place[c][part].w > 0)
                all[count++] = layout.place[c][part];
    ck_assert_uint_ge(count, 1);
    for (size_t i = 0; i < count; i++) {
        ck_assert(all[i].x >= 0 && all[i].y >= 0);
        ck_assert_int_le(all[i].x + all[i].w, w);
        ck_assert_int_le(all[i].y + all[i].h, h);
        ck_assert_int_gt(all[i].h, 0);
        for (size_t j = 0; j < i; j++)
            if (overlap(all[i], all[j]))
                ck_abort_msg("two parts overlap at %d x %d", w, h);
    }
}

START_TEST(panels_neither_overlap_nor_leave_the_picture)
{
    for (int runs = 1; runs <= 2; runs++)
        for (uint32_t dimensions = 0; dimensions <= 12; dimensions += 3) {
            open_model(dimensions, runs == 2);
            for (unsigned panel = 0; panel <= CM_VIEW_ALL; panel++) {
                state.panel = (enum cm_view_panel)panel;
                for (int w = 160; w <= 2000; w += 153)
                    for (int h = 120; h <= 1300; h += 97)
                        check_layout(w, h);
            }
            close_model();
        }
    open_cube();
}
END_TEST

/* The fewest pixels of height, and of width, at which each part is still there: they never grow
 * along the order. */
START_TEST(panels_yield_in_the_stated_order)
{
    static const unsigned order[] = {CM_VIEW_ARRAY,     CM_VIEW_PART_CAPTION, CM_VIEW_PHASES,
                                     CM_VIEW_INSPECTOR, CM_VIEW_MACHINE,      CM_VIEW_PART_LEGEND,
                                     CM_VIEW_TIME,      CM_VIEW_PART_AXIS,    CM_VIEW_PART_HEADER,
                                     CM_VIEW_CUBE};
    for (int step = 0; step < 400; step++) {
        int w = step < 200 ? 1280 : 1280 - (step - 200) * 6;
        int h = step < 200 ? 800 - step * 3 : 800;
        struct cm_view_layout layout = cm_view_lay_out(model, &state, w, h);
        bool shown = false;
        for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
            bool here = layout.place[0][order[i]].w > 0;
            ck_assert_msg(here || !shown, "at %d x %d part %u yields before an earlier one", w, h,
                          order[i]);
            shown = shown || here;
        }
        ck_assert(shown);
    }
    struct cm_view_layout full = cm_view_lay_out(model, &state, 1280, 800);
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        ck_assert_int_gt(full.place[0][order[i]].w, 0);
}
END_TEST

/* Every pixel is asked; what answers must be there in full, each node and channel at least once. */
static void scan(enum cm_view_mark_kind kind, uint32_t count)
{
    bool *seen = calloc(count, sizeof *seen);
    uint32_t found = 0;
    ck_assert_ptr_nonnull(seen);
    for (int y = 0; y < target.h; y++)
        for (int x = 0; x < target.w; x++) {
            struct cm_view_hit hit = cm_view_hit(model, &state, &target, x, y);
            if (hit.kind != CM_VIEW_HIT_MARK || hit.mark.kind != kind)
                continue;
            ck_assert_uint_lt(hit.mark.index, count);
            found += !seen[hit.mark.index];
            seen[hit.mark.index] = true;
        }
    free(seen);
    ck_assert_uint_eq(found, count);
}

START_TEST(every_node_and_channel_of_the_cube_can_be_pointed_at)
{
    target.w = 700;
    target.h = 520;
    state.panel = CM_VIEW_CUBE;
    scan(CM_VIEW_MARK_NODE, 8);
    scan(CM_VIEW_MARK_CHANNEL, 48);
    close_model();
    open_model(4, false);
    target.w = 640;
    target.h = 480;
    state.panel = CM_VIEW_CUBE;
    scan(CM_VIEW_MARK_NODE, 16);
    scan(CM_VIEW_MARK_CHANNEL, 128);
}
END_TEST

START_TEST(every_node_of_the_grid_and_channel_of_the_heat_map_can_be_pointed_at)
{
    close_model();
    open_model(7, false);
    target.w = 640;
    target.h = 400;
    state.panel = CM_VIEW_MACHINE;
    scan(CM_VIEW_MARK_NODE, 128);
    state.machine = CM_VIEW_LAMPS;
    scan(CM_VIEW_MARK_NODE, 128);
    state.machine = CM_VIEW_HEAT;
    scan(CM_VIEW_MARK_CHANNEL, 128 * 14);
}
END_TEST

/* A picture and the hit test must agree: the pixel of a busy cell has the colour of its node. */
START_TEST(cells_have_the_colour_of_the_node_that_is_found_there)
{
    target.w = 640;
    target.h = 400;
    target.pitch = 640;
    target.pixels = calloc(640 * 400, sizeof *target.pixels);
    ck_assert_ptr_nonnull(target.pixels);
    state.panel = CM_VIEW_MACHINE;
    state.span = CM_VIEW_SPAN_VISIBLE;
    state.load = CM_VIEW_LOAD_BUSIEST;
    cm_view_draw(model, &state, &target);
    const struct cm_view_run *run = &model->runs[0];
    const uint64_t *busy =
        cm_view_node_loads(run, state.first, state.end, 0, CM_VIEW_LOAD_BUSIEST, 0);
    unsigned agree = 0, asked = 0;
    for (int y = 30; y < 330; y += 3)
        for (int x = 10; x < 630; x += 3) {
            struct cm_view_hit hit = cm_view_hit(model, &state, &target, x, y);
            if (hit.kind != CM_VIEW_HIT_MARK)
                continue;
            double share = (double)busy[hit.mark.index] / (double)(state.end - state.first);
            uint32_t colour = cm_view_colour(
                state.theme, state.colours,
                cm_view_scale_place(share,
                                    cm_view_scale_top(model, state.range, state.end - state.first),
                                    state.linear));
            asked++;
            agree += target.pixels[y * 640 + x] == colour;
        }
    free(target.pixels);
    ck_assert_uint_gt(asked, 100);
    ck_assert_uint_ge(agree * 10, asked * 9); /* the gaps between cells */
}
END_TEST

START_TEST(a_click_on_a_strip_goes_there)
{
    struct cm_view_layout layout = cm_view_lay_out(model, &state, 1280, 800);
    struct cm_view_control control;
    cm_view_control_begin(&control, model);
    const unsigned strips[] = {CM_VIEW_TIME, CM_VIEW_PHASES, CM_VIEW_PART_AXIS};
    for (size_t i = 0; i < 3; i++) {
        struct cm_view_rect place = layout.place[0][strips[i]];
        int x =
            place.x + layout.strip_left + (place.w - layout.strip_left - layout.strip_right) / 4;
        struct cm_view_hit hit = cm_view_hit(model, &state, &target, x, place.y + place.h / 2);
        ck_assert_uint_eq(hit.kind, CM_VIEW_HIT_TIME);
        ck_assert_int_le(abs((int)hit.cycle - (int)(state.end / 4)), 4);
        cm_view_control_press(&control, &target, x, place.y + place.h / 2);
        ck_assert_uint_eq(control.state.cycle, hit.cycle);
    }
}
END_TEST

START_TEST(the_legend_filters)
{
    struct cm_view_layout layout = cm_view_lay_out(model, &state, 1280, 800);
    struct cm_view_rect place = layout.place[0][CM_VIEW_PART_LEGEND];
    struct cm_view_control control;
    uint32_t phases = 0, dimensions = 0;
    bool scale = false;
    int at_x = 0, at_y = 0; /* of dimension 1 */
    for (int y = place.y; y < place.y + place.h; y++)
        for (int x = place.x; x < place.x + place.w; x++) {
            struct cm_view_hit hit = cm_view_hit(model, &state, &target, x, y);
            phases |= hit.kind == CM_VIEW_HIT_PHASE ? 1u << hit.phase : 0;
            dimensions |= hit.kind == CM_VIEW_HIT_DIMENSION ? 1u << hit.dimension : 0;
            scale = scale || hit.kind == CM_VIEW_HIT_SCALE;
            if (hit.kind == CM_VIEW_HIT_DIMENSION && hit.dimension == 1) {
                at_x = x;
                at_y = y;
            }
        }
    ck_assert_uint_eq(phases, (1u << CM_TRACE_PHASE_COUNT) - 1);
    ck_assert_uint_eq(dimensions, 7);
    ck_assert(scale);
    cm_view_control_begin(&control, model);
    cm_view_control_press(&control, &target, at_x, at_y);
    ck_assert_uint_eq(control.state.hidden_dimensions, 2);
    cm_view_control_press(&control, &target, at_x, at_y);
    ck_assert_uint_eq(control.state.hidden_dimensions, 0);
}
END_TEST

START_TEST(a_picture_is_a_function_of_model_state_and_size)
{
    size_t bytes = 640 * 400 * sizeof(uint32_t);
    uint32_t *pictures[2];
    for (int i = 0; i < 2; i++) {
        pictures[i] = malloc(bytes);
        ck_assert_ptr_nonnull(pictures[i]);
        memset(pictures[i], i == 0 ? 0 : 0xa5, bytes);
        target = (struct cm_view_target){
            .pixels = pictures[i], .w = 640, .h = 400, .pitch = 640, .scale = 1};
        cm_view_draw(model, &state, &target);
        cm_view_busy(&model->runs[0], 3, 5); /* another answer is kept meanwhile */
    }
    ck_assert_mem_eq(pictures[0], pictures[1], bytes);
    free(pictures[0]);
    free(pictures[1]);
}
END_TEST

/* Any size, any panel: nothing is written beside the picture (the sanitizers watch), nothing
 * fails. */
START_TEST(no_size_is_too_small)
{
    for (int runs = 1; runs <= 2; runs++) {
        close_model();
        open_model(6, runs == 2);
        for (unsigned panel = 0; panel <= CM_VIEW_ALL; panel++)
            for (int w = 1; w < 500; w = w * 3 / 2 + 1)
                for (int h = 1; h < 500; h = h * 3 / 2 + 1) {
                    state.panel = (enum cm_view_panel)panel;
                    state.machine = (enum cm_view_machine)((unsigned)(w + h) % 3);
                    target.pixels = malloc((size_t)w * (size_t)h * sizeof *target.pixels);
                    ck_assert_ptr_nonnull(target.pixels);
                    target.w = target.pitch = w;
                    target.h = h;
                    cm_view_draw(model, &state, &target);
                    cm_view_hit(model, &state, &target, w / 2, h / 2);
                    free(target.pixels);
                }
    }
}
END_TEST

CM_PROGRAM(test_view_hit)
{
    Suite *suite = suite_create("view-hit");
    TCase *tests = tcase_create("hit");
    tcase_add_checked_fixture(tests, open_cube, close_model);
    tcase_add_test(tests, panels_neither_overlap_nor_leave_the_picture);
    tcase_add_test(tests, panels_yield_in_the_stated_order);
    tcase_add_test(tests, every_node_and_channel_of_the_cube_can_be_pointed_at);
    tcase_add_test(tests, every_node_of_the_grid_and_channel_of_the_heat_map_can_be_pointed_at);
    tcase_add_test(tests, cells_have_the_colour_of_the_node_that_is_found_there);
    tcase_add_test(tests, a_click_on_a_strip_goes_there);
    tcase_add_test(tests, the_legend_filters);
    tcase_add_test(tests, a_picture_is_a_function_of_model_state_and_size);
    tcase_add_test(tests, no_size_is_too_small);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    srunner_free(runner);
    return 0;
}
