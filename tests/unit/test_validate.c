/* Simulated against published: the built-in data, the runs with and without data, errors, bounds,
 * the model, figures. */
#include "programs/validation/applications.h"

#include "base/buffer.h"
#include "json_pointer.h"
#include "suite.h"

#include <math.h>
#include <string.h>

#define MIB (UINT64_C(1) << 20)

/* Rows whose arrays take at most this run with data here; a full run is `cm200 validate --data`. */
#define DATA_LIMIT_BYTES (100 * MIB)

static struct cm_config builtin(void)
{
    struct cm_config config;
    struct cm_error err;
    ck_assert_msg(cm_config_read("cm200", &config, &err) == CM_OK, "%s", err.message);
    return config;
}

static void run(const struct cm_validate_options *options, struct cm_validation *validation)
{
    struct cm_error err;
    memset(&err, 0, sizeof err);
    ck_assert_msg(cm_validate(options, validation, &err) == CM_OK, "%s", err.message);
}

/* All cells, timing only. */
static struct cm_validation validated(void)
{
    struct cm_config config = builtin();
    struct cm_validation validation;
    run(&(struct cm_validate_options){.config = &config, .threads = 1}, &validation);
    return validation;
}

START_TEST(an_unknown_machine_is_refused)
{
    struct cm_config config;
    struct cm_error err;
    ck_assert_int_eq(cm_config_read("cm3", &config, &err), CM_IO);
    ck_assert_str_eq(err.hint, "machines with a name are cm200, cm2, cm200-first-fit, cube8");
    ck_assert_int_eq(cm_config_read("./cm2", &config, &err), CM_IO);
}
END_TEST

START_TEST(built_in_machine_is_the_shipped_one)
{
    struct cm_config config = builtin(), shipped;
    struct cm_error err;
    memset(&shipped, 0, sizeof shipped);
    ck_assert_msg(cm_config_read("configs/cm200.json", &shipped, &err) == CM_OK, "%s", err.message);
    ck_assert_str_eq(config.name, shipped.name);
#define CM_CONFIG(section, key, type, min, max, what)                                              \
    ck_assert_uint_eq(config.section##_##key, shipped.section##_##key);
#include "sim/machine/config.def"
#undef CM_CONFIG
}
END_TEST

/* What `validate --applications` rests on when it runs facts of the CM-2. */
START_TEST(the_cm2_differs_in_its_clock_alone)
{
    struct cm_config cm200 = builtin(), cm2;
    struct cm_error err;
    ck_assert_int_eq(cm_config_read("cm2", &cm2, &err), CM_OK);
    ck_assert_str_eq(cm2.name, "CM-2");
    ck_assert_uint_eq(cm2.clock_hz, 7000000);
    cm2.clock_hz = cm200.clock_hz;
#define CM_CONFIG(section, key, type, min, max, what)                                              \
    ck_assert_uint_eq(cm200.section##_##key, cm2.section##_##key);
#include "sim/machine/config.def"
#undef CM_CONFIG
}
END_TEST

START_TEST(facts_are_those_of_the_file)
{
    const struct cm_published_fact *fact = cm_published_fact_at(2);
    uint32_t count = 0, missing = 0;
    ck_assert_str_eq(fact->id, "fft-1d-32");
    ck_assert_str_eq(fact->machine, "CM-200");
    ck_assert_uint_eq(fact->nodes, 2048);
    ck_assert_str_eq(fact->value, "5.4");
    ck_assert_str_eq(fact->unit, "Gflop/s");
    ck_assert_str_eq(fact->source, "JK");
    for (; (fact = cm_published_fact_at(count)) != NULL; count++) {
        missing += cm_application_missing(fact) != NULL;
        ck_assert_int_eq(fact->nodes == 0, strstr(fact->id, "shallow") != NULL);
    }
    ck_assert_uint_eq(count, 21);
    ck_assert_uint_eq(missing, 6);
}
END_TEST

START_TEST(published_rows_are_those_of_the_tables)
{
    static const uint32_t rows_of[] = {0, 13, 7, 4, 3};
    uint32_t count[5] = {0}, notes = 0;
    ck_assert_uint_eq(cm_published_count(), 27);
    ck_assert_ptr_null(cm_published_row(27));
    for (uint32_t i = 0; i < cm_published_count(); i++) {
        const struct cm_published_row *row = cm_published_row(i);
        ck_assert_uint_le(row->rank, 4);
        count[row->rank]++;
        notes += row->note[0] != '\0';
        for (int l = 0; l < CM_LIBRARY_COUNT; l++)
            ck_assert_double_ge(row->times[l].elapsed_ms, row->times[l].cm_ms);
        ck_assert_double_ge(row->times[CM_LIBRARY_CSHIFT].cm_ms,
                            row->times[CM_LIBRARY_PSHIFT].cm_ms);
    }
    for (uint32_t rank = 1; rank <= 4; rank++)
        ck_assert_uint_eq(count[rank], rows_of[rank]);
    ck_assert_uint_eq(notes, 4);
    const struct cm_published_row *last = cm_published_row(26);
    ck_assert_double_eq(last->times[CM_LIBRARY_PSHIFT].cm_ms, 53.451);
    ck_assert_double_eq(last->times[CM_LIBRARY_CSHIFT].elapsed_ms, 106.644);
}
END_TEST

START_TEST(data_and_timing_only_agree_to_the_cycle)
{
    struct cm_config config = builtin();
    struct cm_validation timing = validated(), data;
    uint32_t checked = 0;
    run(
        &(struct cm_validate_options){
            .config = &config, .threads = 2, .data = true, .data_limit_bytes = DATA_LIMIT_BYTES},
        &data);
    ck_assert_uint_eq(data.row_count, timing.row_count);
    for (uint32_t i = 0; i < data.row_count; i++) {
        const struct cm_validated_row *row = &data.rows[i];
        bool small = cm_validate_row_bytes(row->published) <= DATA_LIMIT_BYTES;
        for (int l = 0; l < CM_LIBRARY_COUNT; l++) {
            ck_assert_msg(memcmp(&row->times[l].counters, &timing.rows[i].times[l].counters,
                                 sizeof row->times[l].counters) == 0,
                          "%s, rank %u, length %u differs with data",
                          cm_library_name((enum cm_library)l), row->published->rank,
                          (unsigned)row->published->length);
            ck_assert_int_eq(row->times[l].checked, small);
            ck_assert(!timing.rows[i].times[l].checked);
            checked += row->times[l].checked;
        }
    }
    ck_assert_uint_ge(checked, 36);
}
END_TEST

START_TEST(pshift_exchanges_what_the_tables_describe)
{
    struct cm_validation validation = validated();
    for (uint32_t i = 0; i < validation.row_count; i++) {
        const struct cm_published_row *row = validation.rows[i].published;
        uint64_t face = 1;
        for (uint32_t a = 1; a < row->rank; a++)
            face *= row->length;
        const struct cm_counters *pshift = &validation.rows[i].times[CM_LIBRARY_PSHIFT].counters;
        const struct cm_counters *cshift = &validation.rows[i].times[CM_LIBRARY_CSHIFT].counters;
        ck_assert_uint_eq(pshift->exchanges, face); /* all axes and both directions at once */
        ck_assert_uint_eq(cshift->exchanges, 2 * row->rank * face);
        ck_assert_uint_eq(pshift->words_moved_locally,
                          2 * 2 * row->rank * face * (row->length - 1));
    }
}
END_TEST

START_TEST(one_table_is_the_same_alone)
{
    struct cm_config config = builtin();
    struct cm_validation all = validated(), alone;
    struct cm_bound bounds[CM_BOUNDS_MAX];
    run(&(struct cm_validate_options){.config = &config, .threads = 1, .table = 3}, &alone);
    ck_assert_uint_eq(alone.row_count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        ck_assert_ptr_eq(alone.rows[i].published, all.rows[20 + i].published);
        ck_assert_double_eq(alone.rows[i].times[0].cm_ms, all.rows[20 + i].times[0].cm_ms);
    }
    ck_assert_uint_eq(cm_validation_bounds(&alone, bounds), 0);
}
END_TEST

START_TEST(bad_tables_and_small_machines_are_refused)
{
    struct cm_config config = builtin();
    struct cm_validation validation;
    struct cm_error err;
    struct cm_validate_options options = {.config = &config, .table = 5};
    ck_assert_int_eq(cm_validate(&options, &validation, &err), CM_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(err.message, "table 5"));
    options.table = 0;
    config.network_dimensions = 10;
    ck_assert_int_eq(cm_validate(&options, &validation, &err), CM_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(err.message, "1024 nodes"));
    config = builtin();
    config.memory_words = 16384;
    ck_assert_int_eq(cm_validate(&options, &validation, &err), CM_BAD_INPUT);
    ck_assert_msg(strncmp(err.message, "PSHIFT, rank 1, length", 22) == 0, "%s", err.message);
    ck_assert_int_eq(cm_validate(&options, &validation, NULL), CM_BAD_INPUT);
}
END_TEST

/* A validation whose simulated times are the published ones, off by a factor each. */
static struct cm_validation made(double pshift, double cshift)
{
    struct cm_validation validation = {.config = builtin(), .row_count = cm_published_count()};
    for (uint32_t i = 0; i < validation.row_count; i++) {
        struct cm_validated_row *row = &validation.rows[i];
        row->published = cm_published_row(i);
        for (int l = 0; l < CM_LIBRARY_COUNT; l++) {
            double factor = l == CM_LIBRARY_PSHIFT ? pshift : cshift;
            row->times[l].cm_ms = row->published->times[l].cm_ms * factor;
            row->times[l].elapsed_ms = row->published->times[l].elapsed_ms * factor;
            row->times[l].counters.cycles = 1;
        }
    }
    return validation;
}

START_TEST(perfect_times_meet_every_bound)
{
    struct cm_validation validation = made(1, 1);
    struct cm_bound bounds[CM_BOUNDS_MAX];
    uint32_t count = cm_validation_bounds(&validation, bounds);
    ck_assert_uint_gt(count, 0);
    for (uint32_t i = 0; i < count; i++)
        ck_assert_msg(bounds[i].met && bounds[i].value == 0, "%s", bounds[i].what);
}
END_TEST

START_TEST(errors_are_of_the_cells_asked_for)
{
    struct cm_validation validation = made(1.1, 0.8);
    struct cm_selection pshift = {CM_QUANTITY_CM_TIME, CM_TABLES_ALL, 1u << CM_LIBRARY_PSHIFT};
    struct cm_selection fit = {CM_QUANTITY_CM_TIME, CM_TABLES_ODD, CM_LIBRARIES_ALL};
    struct cm_selection held = {CM_QUANTITY_CM_TIME, CM_TABLES_EVEN, CM_LIBRARIES_ALL};
    struct cm_selection speedup = {CM_QUANTITY_CM_SPEEDUP, CM_TABLES_ALL, CM_LIBRARIES_ALL};
    struct cm_cell_error worst;
    struct cm_statistics found = cm_validation_statistics(&validation, &pshift, NULL);
    ck_assert_uint_eq(found.count, 27);
    ck_assert_double_eq_tol(found.median, 0.1, 1e-9);
    ck_assert_uint_eq(cm_validation_statistics(&validation, &fit, NULL).count, 34);
    found = cm_validation_statistics(&validation, &held, &worst);
    ck_assert_uint_eq(found.count, 20);
    ck_assert_double_eq_tol(found.worst, -0.2, 1e-9);
    ck_assert_int_eq(worst.library, CM_LIBRARY_CSHIFT);
    found = cm_validation_statistics(&validation, &speedup, NULL);
    ck_assert_uint_eq(found.count, 27);
    ck_assert_double_eq_tol(found.worst, 0.8 / 1.1 - 1, 1e-9);
}
END_TEST

START_TEST(elapsed_is_the_longer_of_cm_and_front_end)
{
    struct cm_config config = builtin();
    config.front_end_pshift_us = 30;
    config.front_end_runtime_call_us = 100;
    ck_assert_double_eq_tol(cm_front_end_elapsed_ms(&config, CM_LIBRARY_PSHIFT, 4, 0.1), 0.12,
                            1e-9);
    ck_assert_double_eq_tol(cm_front_end_elapsed_ms(&config, CM_LIBRARY_PSHIFT, 4, 0.2), 0.2, 1e-9);
    ck_assert_double_eq_tol(cm_front_end_elapsed_ms(&config, CM_LIBRARY_CSHIFT, 4, 0.2), 0.4, 1e-9);
}
END_TEST

/* The paper: 41 us at length 4; (26,662 - 41) / (2 x 16,380) = 0.81 us, an element's two slices. */
START_TEST(model_has_the_papers_constants)
{
    struct cm_validation validation = made(1, 1);
    struct cm_shift_model model;
    ck_assert(cm_validation_model(&validation, true, &model));
    ck_assert_double_eq_tol(2 * model.move_ms, 26.621 / 32760, 1e-9);
    ck_assert_double_eq_tol(cm_shift_model_ms(&model, 1, 4), 0.041, 1e-12);
    ck_assert_double_eq_tol(cm_shift_model_ms(&model, 1, 16384), 26.662, 1e-9);
    ck_assert(!cm_shift_model_measure(4, 1, 4, 2, &model));
    validation.row_count = 0;
    ck_assert(!cm_validation_model(&validation, true, &model));
}
END_TEST

START_TEST(json_is_strict_and_holds_every_cell)
{
    struct cm_validation validation = validated();
    struct cm_json_document *document = NULL;
    struct cm_json rows;
    struct cm_buffer text;
    struct cm_error err;
    cm_buffer_init(&text);
    ck_assert_int_eq(cm_validation_json(&validation, _i == 1, &text, &err), CM_OK);
    ck_assert_msg(cm_json_parse("v.json", text.data, text.length, &document, &err) == CM_OK, "%s",
                  err.message);
    ck_assert(json_find(document, "/rows", &rows));
    ck_assert_uint_eq(cm_json_count(rows), 27);
    ck_assert_int_eq(json_find(document, "/model/rows/26/simulated_ms", &rows), _i == 1);
    ck_assert(json_find(document, "/rows/26/cshift/cycles_by_cause/exchange", &rows));
    cm_json_destroy(document);
    cm_buffer_finish(&text);
}
END_TEST

static uint32_t count(const char *text, const char *wanted)
{
    uint32_t found = 0;
    for (const char *at = text; (at = strstr(at, wanted)) != NULL; at += strlen(wanted))
        found++;
    return found;
}

/* Discs and circles: the points, and a sample of each series in the legend. */
START_TEST(every_figure_shows_its_points_and_curves)
{
    static const uint32_t points[CM_FIGURE_COUNT] = {2 * 27 + 8, 2 * 6 + 2, 2 * 7 + 2, 2 * 4 + 2};
    static const uint32_t lines[CM_FIGURE_COUNT] = {8, 1, 1, 2};
    struct cm_validation validation = made(1, 1);
    struct cm_buffer svg;
    cm_buffer_init(&svg);
    cm_figure_svg(&validation, (uint32_t)_i, &svg);
    ck_assert(cm_buffer_ok(&svg));
    ck_assert_uint_eq(count(svg.data, "<circle "), points[_i]);
    ck_assert_uint_eq(count(svg.data, "<polyline "), lines[_i]);
    ck_assert_uint_eq(count(svg.data, "equation 2"), _i > 0);
    ck_assert_uint_eq(count(svg.data, "nan"), 0);
    ck_assert_ptr_nonnull(cm_figure_name((uint32_t)_i));
    ck_assert_ptr_null(cm_figure_name(CM_FIGURE_COUNT));
    cm_buffer_finish(&svg);
}
END_TEST

START_TEST(a_figure_of_no_rows_has_no_points)
{
    struct cm_validation validation = made(1, 1);
    struct cm_buffer svg;
    validation.row_count = 0;
    cm_buffer_init(&svg);
    cm_figure_svg(&validation, (uint32_t)_i, &svg);
    ck_assert_uint_eq(count(svg.data, "<circle "), _i > 0 ? 2 : 0);
    ck_assert_uint_eq(count(svg.data, "nan"), 0);
    cm_buffer_finish(&svg);
}
END_TEST

CM_PROGRAM(test_validate)
{
    Suite *suite = suite_create("validate");
    TCase *all = tcase_create("validate");
    tcase_add_test(all, an_unknown_machine_is_refused);
    tcase_add_test(all, built_in_machine_is_the_shipped_one);
    tcase_add_test(all, the_cm2_differs_in_its_clock_alone);
    tcase_add_test(all, facts_are_those_of_the_file);
    tcase_add_test(all, published_rows_are_those_of_the_tables);
    tcase_add_test(all, data_and_timing_only_agree_to_the_cycle);
    tcase_add_test(all, pshift_exchanges_what_the_tables_describe);
    tcase_add_test(all, one_table_is_the_same_alone);
    tcase_add_test(all, bad_tables_and_small_machines_are_refused);
    tcase_add_test(all, perfect_times_meet_every_bound);
    tcase_add_test(all, errors_are_of_the_cells_asked_for);
    tcase_add_test(all, elapsed_is_the_longer_of_cm_and_front_end);
    tcase_add_test(all, model_has_the_papers_constants);
    tcase_add_loop_test(all, json_is_strict_and_holds_every_cell, 0, 2);
    tcase_add_loop_test(all, every_figure_shows_its_points_and_curves, 0, (int)CM_FIGURE_COUNT);
    tcase_add_loop_test(all, a_figure_of_no_rows_has_no_points, 0, (int)CM_FIGURE_COUNT);
    suite_add_tcase(suite, all);
    return cm_run_suite(suite);
}
