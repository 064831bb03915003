/* Two runs side by side: aligned by their steps, and an axis that follows what is shown. */
#include "../harness/program.h"
#include "fake_trace.h"

#include "../../viz/model/model.h"

#include "../unit/quick_check.h"
#include <stdlib.h>

#define SHORT 10u /* exchanges */
#define LONG  40u

static struct cm_view_model *model;
static struct cm_view_state state;

static void open_two(void)
{
    struct cm_fake first = {.name = "a", .dimensions = 6, .exchanges = SHORT, .scatter = 40};
    struct cm_fake second = {.name = "b", .dimensions = 6, .exchanges = LONG, .scatter = 40};
    struct cm_error err;
    ck_assert_int_eq(
        cm_view_model_create(cm_fake_open(&first), cm_fake_open(&second), &model, &err), CM_OK);
    state = cm_view_state_first(model);
}

static void close_two(void)
{
    cm_view_model_free(model);
}

static uint64_t cycles_of(uint32_t run)
{
    return model->runs[run].info->cycles;
}

/* Both made-up runs have two steps, "pshift" and "combine"; the middle divides them. */
START_TEST(a_cycle_is_as_far_in_the_same_step)
{
    uint64_t middle[2], cycles[2];
    for (uint32_t i = 0; i < 2; i++) {
        middle[i] = cm_trace_step_at(model->runs[i].trace, 0)->end_cycle;
        cycles[i] = cycles_of(i);
    }
    ck_assert_uint_eq(cm_view_aligned(model, 0, 1, 0), 0);
    ck_assert_uint_eq(cm_view_aligned(model, 0, 1, middle[0]), middle[1]);
    ck_assert_uint_eq(cm_view_aligned(model, 0, 1, cycles[0]), cycles[1]);
    ck_assert_uint_eq(cm_view_aligned(model, 0, 1, UINT64_MAX), cycles[1]);
    for (uint64_t cycle = 0; cycle < cycles[0]; cycle += 7) {
        uint64_t there = cm_view_aligned(model, 0, 1, cycle);
        bool late = cycle >= middle[0];
        double part = (double)(cycle - (late ? middle[0] : 0)) /
                      (double)(late ? cycles[0] - middle[0] : middle[0]);
        double expected = (late ? (double)middle[1] : 0) +
                          part * (double)(late ? cycles[1] - middle[1] : middle[1]);
        ck_assert_double_le(expected - (double)there, 1.001);
        ck_assert_double_ge(expected - (double)there, -0.001);
        uint64_t back = cm_view_aligned(model, 1, 0, there);
        ck_assert_uint_le(back > cycle ? back - cycle : cycle - back, 1);
    }
}
END_TEST

START_TEST(the_whole_run_stays_whole)
{
    ck_assert(state.compare);
    ck_assert_int_eq(state.focus, CM_VIEW_MACHINE);
    const uint32_t longest[] = {0, 1, 1};
    for (uint32_t i = 0; i < 3; i++) { /* the first run, the second, both */
        cm_view_next_run(model, &state);
        ck_assert_uint_eq(state.first, 0);
        ck_assert_uint_eq(state.end, cycles_of(longest[i]));
    }
    cm_view_next_alignment(model, &state);
    ck_assert_uint_eq(state.end, cycles_of(0));
    cm_view_next_alignment(model, &state);
    ck_assert_uint_eq(state.end, cycles_of(1));
}
END_TEST

START_TEST(a_part_of_the_run_stays_a_part)
{
    cm_view_zoom_to(model, &state, 100, 300);
    for (uint32_t i = 0; i < 3; i++) {
        cm_view_next_run(model, &state);
        ck_assert_uint_eq(state.first, 100);
        ck_assert_uint_eq(state.end, 300);
    }
}
END_TEST

CM_PROGRAM(test_view_compare)
{
    Suite *suite = suite_create("viewer, two runs");
    TCase *tests = tcase_create("compare");
    tcase_add_checked_fixture(tests, open_two, close_two);
    tcase_add_test(tests, a_cycle_is_as_far_in_the_same_step);
    tcase_add_test(tests, the_whole_run_stays_whole);
    tcase_add_test(tests, a_part_of_the_run_stays_a_part);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    srunner_free(runner);
    return 0;
}
