/* SVG: escapes, shapes, and a chart's ticks, series and legend. */
#include "report/chart.h"

#include "suite.h"

#include <stdio.h>
#include <string.h>

static struct cm_buffer svg;

static void set_up(void)
{
    cm_buffer_init(&svg);
}

static void tear_down(void)
{
    cm_buffer_finish(&svg);
}

static uint32_t count(const char *wanted)
{
    uint32_t found = 0;
    for (const char *at = svg.data; (at = strstr(at, wanted)) != NULL; at += strlen(wanted))
        found++;
    return found;
}

START_TEST(texts_are_escaped)
{
    cm_svg_text(&svg, &(struct cm_svg_label){1, 2, 14, -90, CM_SVG_END, "a < b & c\a"});
    ck_assert_str_eq(svg.data, "<text transform=\"translate(1.00 2.00) rotate(-90)\" "
                               "font-size=\"14\" text-anchor=\"end\">a &lt; b &amp; c </text>\n");
}
END_TEST

START_TEST(shapes_have_a_fill_and_a_pen)
{
    const struct cm_svg_pen pen = {"red", 1.5, "6 4"};
    cm_svg_shape(&svg, "#ffffff", NULL, "circle r=\"%d\"", 3);
    cm_svg_line(&svg, 0, 0, 1, 1, &pen);
    ck_assert_str_eq(svg.data,
                     "<circle r=\"3\" fill=\"#ffffff\"/>\n"
                     "<line x1=\"0.00\" y1=\"0.00\" x2=\"1.00\" y2=\"1.00\" fill=\"none\" "
                     "stroke=\"red\" stroke-width=\"1.5\" stroke-dasharray=\"6 4\"/>\n");
}
END_TEST

START_TEST(a_chart_has_ticks_series_and_a_legend)
{
    static const double x[] = {4, 8, 16}, y[] = {1, 3, 2};
    const struct cm_chart_series series[] = {
        {.label = "published", .x = x, .y = y, .count = 3, .line = {"blue", 0, NULL}, .radius = 4},
        {.label = "fit", .x = x, .y = y, .count = 3, .line = {"grey", 2, NULL}},
    };
    const struct cm_chart chart = {.title = "T",
                                   .description = "of <a &>",
                                   .x = {"L", 4, 16, 2, 0},
                                   .y = {"ms", 0, 5, 0, 0},
                                   .series = series,
                                   .series_count = 2};
    cm_chart_svg(&chart, &svg);
    ck_assert_uint_eq(count("<circle "), 4); /* one is the sample of the legend */
    ck_assert_uint_eq(count("<polyline "), 1);
    ck_assert_uint_eq(count("stroke=\"grey\""), 2);
    for (int tick = 0; tick <= 5; tick++) {
        char label[16];
        snprintf(label, sizeof label, ">%d</text>", tick);
        ck_assert_uint_eq(count(label), tick == 4 ? 2 : 1); /* 4 is on both axes */
    }
    ck_assert_uint_eq(count(">8</text>"), 1);
    ck_assert_uint_eq(count(">16</text>"), 1);
    ck_assert_uint_eq(count("<desc>of &lt;a &amp;&gt;</desc>"), 1);
    ck_assert_uint_eq(count(">published</text>"), 1);
    ck_assert_uint_eq(count("<svg "), count("</svg>"));
}
END_TEST

CM_PROGRAM(test_report_picture)
{
    Suite *suite = suite_create("report: pictures");
    TCase *all = tcase_create("pictures");
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, texts_are_escaped);
    tcase_add_test(all, shapes_have_a_fill_and_a_pen);
    tcase_add_test(all, a_chart_has_ticks_series_and_a_legend);
    suite_add_tcase(suite, all);
    return cm_run_suite(suite);
}
