/* Contrasts of the viewer's colours, by the formulas of WCAG 2.1: 4.5:1 for text, 3:1 for marks;
 * and the scale. */
#include "../../viz/draw/colours.h"
#include "../../viz/model/state.h"
#include "../harness/program.h"

#include "../unit/quick_check.h"
#include <math.h>
#include <stdlib.h>

static double channel(uint32_t byte)
{
    double c = byte / 255.0;
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double contrast(uint32_t a, uint32_t b)
{
    double la = 0.2126 * channel(a >> 16 & 255) + 0.7152 * channel(a >> 8 & 255) +
                0.0722 * channel(a & 255);
    double lb = 0.2126 * channel(b >> 16 & 255) + 0.7152 * channel(b >> 8 & 255) +
                0.0722 * channel(b & 255);
    return la > lb ? (la + 0.05) / (lb + 0.05) : (lb + 0.05) / (la + 0.05);
}

#define THEMES(theme) for (unsigned theme = 0; theme < CM_VIEW_THEME_COUNT; theme++)

static uint32_t role(unsigned theme, enum cm_view_role which)
{
    return cm_view_theme_colour((enum cm_view_theme)theme, which);
}

START_TEST(text_has_four_and_a_half_to_one)
{
    const enum cm_view_role texts[] = {CM_VIEW_TEXT,   CM_VIEW_QUIET,  CM_VIEW_PIN,
                                       CM_VIEW_SLOT_A, CM_VIEW_SLOT_B, CM_VIEW_WARNING};
    const enum cm_view_role grounds[] = {CM_VIEW_BACK, CM_VIEW_GROUND, CM_VIEW_RAISED};
    THEMES(theme)
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        for (size_t j = 0; j < sizeof grounds / sizeof grounds[0]; j++)
            ck_assert_double_ge(contrast(role(theme, texts[i]), role(theme, grounds[j])), 4.5);
}
END_TEST

static void assert_ink(uint32_t colour)
{
    ck_assert_double_ge(contrast(colour, cm_view_ink_on(colour)), 4.5);
}

START_TEST(ink_on_colours_has_four_and_a_half_to_one)
{
    THEMES(theme)
    {
        enum cm_view_theme of = (enum cm_view_theme)theme;
        for (int i = 0; i <= 1000; i++) {
            for (unsigned map = 0; map < CM_VIEW_COLOURS_COUNT; map++)
                assert_ink(cm_view_colour(of, (enum cm_view_colours)map, i / 1000.0));
            assert_ink(cm_view_difference_colour(of, i / 500.0 - 1));
        }
        for (unsigned phase = 0; phase < CM_TRACE_PHASE_COUNT; phase++)
            assert_ink(cm_view_phase_colour(of, (enum cm_trace_phase)phase));
    }
}
END_TEST

START_TEST(marks_have_three_to_one)
{
    const enum cm_view_role marks[] = {CM_VIEW_OUTLINE, CM_VIEW_CURSOR, CM_VIEW_PIN, CM_VIEW_SLOT_A,
                                       CM_VIEW_SLOT_B};
    THEMES(theme)
    {
        enum cm_view_theme of = (enum cm_view_theme)theme;
        uint32_t ground = role(theme, CM_VIEW_GROUND), lamps = role(theme, CM_VIEW_LAMPS_GROUND);
        for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
            ck_assert_double_ge(contrast(role(theme, marks[i]), ground), 3);
            ck_assert_double_ge(contrast(role(theme, marks[i]), lamps), 3);
        }
        for (unsigned i = 0; i < 8; i++)
            ck_assert_double_ge(
                contrast(role(theme, (enum cm_view_role)(CM_VIEW_HUE_0 + i)), ground), 3);
        for (unsigned phase = 0; phase < CM_TRACE_PHASE_COUNT; phase++)
            ck_assert_double_ge(
                contrast(cm_view_phase_colour(of, (enum cm_trace_phase)phase), ground), 3);
        for (int i = 0; i <= 1000; i++) {
            double part = i / 1000.0;
            for (unsigned map = 0; map < CM_VIEW_COLOURS_COUNT; map++)
                ck_assert_double_ge(
                    contrast(cm_view_colour(of, (enum cm_view_colours)map, part), ground), 3);
            ck_assert_double_ge(contrast(cm_view_difference_colour(of, 2 * part - 1), ground), 3);
            ck_assert_double_ge(contrast(cm_view_lamp_colour(of, part), lamps), 3);
        }
    }
}
END_TEST

/* A role is looked up where it is drawn; a colour is not taken for one. */
START_TEST(themes_change_roles_and_nothing_else)
{
    ck_assert_uint_eq(role(CM_VIEW_DARK, CM_VIEW_TEXT), 0xffe8ecf0u);
    for (unsigned i = 1; i < CM_VIEW_ROLE_COUNT; i++)
        THEMES(theme)
    ck_assert_uint_eq(role(theme, (enum cm_view_role)i) >> 24, 255);
    THEMES(theme)
    ck_assert_uint_eq(cm_view_theme_colour((enum cm_view_theme)theme, 0xff000001u), 0xff000001u);
    ck_assert_double_gt(contrast(role(CM_VIEW_LIGHT, CM_VIEW_GROUND), 0xff000000u),
                        contrast(role(CM_VIEW_DARK, CM_VIEW_GROUND), 0xff000000u));
}
END_TEST

/* sRGB to CIELAB (D65), the colours seen by `view`: linear RGB, as in Machado, Oliveira, Fernandes
 * (2009) for severity 1. */
static void lab_of(uint32_t colour, double view[3][3], double lab[3])
{
    const double to_xyz[3][3] = {
        {0.4124, 0.3576, 0.1805}, {0.2126, 0.7152, 0.0722}, {0.0193, 0.1192, 0.9505}};
    const double white[3] = {0.95047, 1, 1.08883};
    double seen[3], f[3];
    for (int i = 0; i < 3; i++) {
        double sum = 0;
        for (int j = 0; j < 3; j++)
            sum += view[i][j] * channel(colour >> (16 - 8 * j) & 255);
        seen[i] = fmin(1, fmax(0, sum));
    }
    for (int i = 0; i < 3; i++) {
        double t = 0;
        for (int j = 0; j < 3; j++)
            t += to_xyz[i][j] * seen[j] / white[i];
        f[i] = t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116;
    }
    lab[0] = 116 * f[1] - 16;
    lab[1] = 500 * (f[0] - f[1]);
    lab[2] = 200 * (f[1] - f[2]);
}

/* The colours until now had local move and boundary 2.4 apart for deuteranopes. */
START_TEST(phases_differ_for_red_green_blind_people)
{
    double views[3][3][3] = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                             {{0.367322, 0.860646, -0.227968},
                              {0.280085, 0.672501, 0.047413},
                              {-0.011820, 0.042940, 0.968881}},
                             {{0.152286, 1.052583, -0.204868},
                              {0.114503, 0.786281, 0.099216},
                              {-0.003882, -0.048116, 1.051998}}};
    for (int view = 0; view < 3 * CM_VIEW_THEME_COUNT; view++)
        for (unsigned a = 0; a < CM_TRACE_PHASE_COUNT; a++)
            for (unsigned b = 0; b < a; b++) {
                enum cm_view_theme theme = (enum cm_view_theme)(view / 3);
                double p[3], q[3];
                lab_of(cm_view_phase_colour(theme, (enum cm_trace_phase)a), views[view % 3], p);
                lab_of(cm_view_phase_colour(theme, (enum cm_trace_phase)b), views[view % 3], q);
                double apart = sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) +
                                    (p[2] - q[2]) * (p[2] - q[2]));
                ck_assert_double_ge(apart, 30);
            }
}
END_TEST

START_TEST(only_nothing_lies_at_the_foot_of_the_scale)
{
    ck_assert_double_eq(cm_view_scale_place(0, 1, true), 0);
    ck_assert_double_eq(cm_view_scale_place(0, 1, false), 0);
    ck_assert_double_gt(cm_view_scale_place(1e-9, 1, false), 0);
    ck_assert_double_eq(cm_view_scale_place(0.25, 1, false), 0.5);
    ck_assert_double_eq(cm_view_scale_place(0.25, 0.5, true), 0.5);
    ck_assert_double_eq(cm_view_scale_place(2, 1, true), 1);
}
END_TEST

START_TEST(choices_are_found_by_name)
{
    const char *const *const lists[] = {cm_view_panel_names, cm_view_machine_names,
                                        cm_view_colours_names, cm_view_span_names,
                                        cm_view_theme_names};
    const uint32_t counts[] = {CM_VIEW_PANEL_COUNT + 1, CM_VIEW_MACHINE_COUNT,
                               CM_VIEW_COLOURS_COUNT, CM_VIEW_SPAN_COUNT, CM_VIEW_THEME_COUNT};
    uint32_t place;
    for (unsigned list = 0; list < sizeof lists / sizeof lists[0]; list++) {
        for (uint32_t i = 0; i < counts[list]; i++) {
            ck_assert(cm_view_name_find(lists[list], lists[list][i], &place));
            ck_assert_uint_eq(place, i);
        }
        ck_assert_ptr_null(lists[list][counts[list]]);
        ck_assert(!cm_view_name_find(lists[list], "jet", &place));
    }
}
END_TEST

CM_PROGRAM(test_view_colours)
{
    Suite *suite = suite_create("view-colours");
    TCase *tests = tcase_create("colours");
    tcase_add_test(tests, text_has_four_and_a_half_to_one);
    tcase_add_test(tests, ink_on_colours_has_four_and_a_half_to_one);
    tcase_add_test(tests, marks_have_three_to_one);
    tcase_add_test(tests, themes_change_roles_and_nothing_else);
    tcase_add_test(tests, phases_differ_for_red_green_blind_people);
    tcase_add_test(tests, only_nothing_lies_at_the_foot_of_the_scale);
    tcase_add_test(tests, choices_are_found_by_name);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    srunner_free(runner);
    return 0;
}
