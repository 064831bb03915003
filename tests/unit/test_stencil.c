/* The interface of stencils: what is refused and why, what is freed, what a call counts. Data are
 * checked by tests/property/test-stencil.c. */
#include "machines.h"
#include "programs/stencil/stencil_shifts.h"
#include "suite.h"

#include <string.h>

#define NODES        16u
#define CELL_NODES   64u
#define CELL_SECONDS 120 /* of the host, under sanitizers */

static struct cm_layout layout_of(enum cm_type type, uint32_t rank, uint64_t length,
                                  enum cm_order order)
{
    struct cm_layout_request request = {.type = type, .rank = rank};
    struct cm_layout layout;
    for (uint32_t a = 0; a < rank; a++) {
        request.shape[a] = length;
        request.weights[a] = 1;
        request.orders[a] = order;
    }
    ck_assert_int_eq(cm_layout_create(&request, NODES, &layout, NULL), CM_OK);
    return layout;
}

/* Five points, one coefficient each. */
static struct cm_stencil_pattern five_points(void)
{
    return (struct cm_stencil_pattern){.term_count = 5,
                                       .terms = {{.offset = {0, 1}, .coefficient = 0},
                                                 {.offset = {1, 0}, .coefficient = 1},
                                                 {.offset = {0, 0}, .coefficient = 2},
                                                 {.offset = {-1, 0}, .coefficient = 3},
                                                 {.offset = {0, -1}, .coefficient = 4}}};
}

static void expect_refusal(const struct cm_layout *layout, const struct cm_stencil_pattern *pattern,
                           const char *message)
{
    struct cm_config config = cm200_config();
    struct cm_system *system = system_of(&config, NODES, true);
    struct cm_stencil *stencil;
    struct cm_error err;
    ck_assert_int_eq(cm_stencil_setup(system, layout, pattern, &stencil, &err), CM_BAD_INPUT);
    ck_assert_msg(strstr(err.message, message) != NULL, "%s", err.message);
    ck_assert_ptr_null(stencil);
    cm_system_destroy(system);
}

START_TEST(refuses_what_cannot_be_compiled_with_the_reason)
{
    struct cm_stencil_pattern five = five_points(), pattern = five;
    struct cm_layout good = layout_of(CM_TYPE_REAL64, 2, 32, CM_ORDER_NEWS);
    struct cm_layout padded = layout_of(CM_TYPE_REAL64, 2, 33, CM_ORDER_NEWS);
    struct cm_layout send = layout_of(CM_TYPE_REAL64, 2, 32, CM_ORDER_SEND);
    struct cm_layout deep = layout_of(CM_TYPE_REAL64, 5, 4, CM_ORDER_NEWS);
    ck_assert_ptr_null(cm_stencil_refusal(&good, &five));
    expect_refusal(&padded, &five, "an axis is padded");
    expect_refusal(&send, &five, "an axis with offsets is in SEND order");
    expect_refusal(&deep, &five, "the rank is above 4");
    pattern.terms[0].offset[1] = (int64_t)good.axes[1].local_length;
    ck_assert_ptr_null(cm_stencil_refusal(&good, &pattern));
    pattern.terms[0].offset[1]++;
    expect_refusal(&good, &pattern, "an offset is longer than the subgrid");
    pattern = five;
    pattern.boundaries[1] = CM_SHIFT_EOSHIFT_ARRAY;
    ck_assert_ptr_null(cm_stencil_refusal(&good, &pattern));
    pattern.terms[0].offset[0] = 1;
    expect_refusal(&good, &pattern, "a boundary is an array, and terms reach into its corners");
}
END_TEST

START_TEST(refuses_what_no_stencil_can_be)
{
    struct cm_stencil_pattern pattern = five_points();
    struct cm_layout good = layout_of(CM_TYPE_REAL64, 2, 32, CM_ORDER_NEWS);
    struct cm_layout logical = layout_of(CM_TYPE_LOGICAL, 2, 32, CM_ORDER_NEWS);
    expect_refusal(&logical, &pattern, "logical");
    pattern.term_count = 0;
    expect_refusal(&good, &pattern, "0 terms: from 1 to 128");
    pattern.term_count = CM_STENCIL_TERMS_MAX + 1;
    expect_refusal(&good, &pattern, "129 terms");
    pattern = five_points();
    pattern.terms[3].source = CM_STENCIL_SOURCES_MAX;
    expect_refusal(&good, &pattern, "term 4: more than 8 sources");
    pattern = five_points();
    pattern.terms[4].by_array = true;
    pattern.terms[4].coefficient = CM_STENCIL_ARRAYS_MAX;
    expect_refusal(&good, &pattern, "term 5: more than 40 arrays of coefficients");
}
END_TEST

/* A machine with two arrays of one layout and one of another. */
struct scene {
    struct cm_system *system;
    struct cm_array *a, *b, *other;
    struct cm_stencil_arguments arguments;
};

static void open_scene_in(struct scene *scene, const struct cm_layout *layout, uint64_t words)
{
    struct cm_config config = cm200_config();
    struct cm_layout other = layout_of(layout->type, layout->rank, 64, CM_ORDER_NEWS);
    memset(scene, 0, sizeof *scene);
    config.memory_words = words;
    scene->system = system_of(&config, NODES, true);
    ck_assert_int_eq(cm_array_create(scene->system, "a", layout, &scene->a, NULL), CM_OK);
    ck_assert_int_eq(cm_array_create(scene->system, "b", layout, &scene->b, NULL), CM_OK);
    ck_assert_int_eq(cm_array_create(scene->system, "c", &other, &scene->other, NULL), CM_OK);
    scene->arguments.sources[0] = scene->arguments.sources[1] = scene->a;
    scene->arguments.dst = scene->b;
}

static void open_scene(struct scene *scene, const struct cm_layout *layout)
{
    open_scene_in(scene, layout, cm200_config().memory_words);
}

static void close_scene(struct scene *scene)
{
    cm_array_destroy(scene->system, scene->a);
    cm_array_destroy(scene->system, scene->b);
    cm_array_destroy(scene->system, scene->other);
    cm_system_destroy(scene->system);
}

START_TEST(a_call_takes_arrays_like_the_prototype_and_no_shifted_destination)
{
    struct cm_layout layout = layout_of(CM_TYPE_REAL32, 2, 32, CM_ORDER_NEWS);
    struct cm_stencil_pattern pattern = five_points();
    struct cm_stencil *stencil;
    struct cm_error err;
    struct scene scene;
    open_scene(&scene, &layout);
    pattern.terms[2].source = 1; /* the centre alone */
    ck_assert_int_eq(cm_stencil_setup(scene.system, &layout, &pattern, &stencil, &err), CM_OK);
    ck_assert_int_eq(cm_stencil_call(scene.system, stencil, &scene.arguments, &err), CM_OK);
    scene.arguments.sources[1] = scene.b;
    ck_assert_int_eq(cm_stencil_call(scene.system, stencil, &scene.arguments, &err), CM_OK);
    scene.arguments.sources[0] = scene.b;
    ck_assert_int_eq(cm_stencil_call(scene.system, stencil, &scene.arguments, &err), CM_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(err.message, "\"b\" is a source with offsets"));
    scene.arguments.sources[0] = scene.other;
    ck_assert_int_eq(cm_stencil_call(scene.system, stencil, &scene.arguments, &err), CM_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(err.message, "\"c\" differs in shape, type or layout"));
    cm_stencil_deallocate(scene.system, stencil);
    close_scene(&scene);
}
END_TEST

START_TEST(a_sweep_moves_nothing_and_stores_each_result_once)
{
    struct cm_layout layout = layout_of(CM_TYPE_REAL64, 2, 64, CM_ORDER_NEWS);
    struct cm_stencil_pattern pattern = five_points();
    struct cm_stencil *stencil;
    struct cm_stencil_info info;
    struct cm_error err;
    struct scene scene;
    open_scene(&scene, &layout);
    struct cm_machine *machine = cm_system_machine(scene.system);
    ck_assert_int_eq(cm_stencil_setup(scene.system, &layout, &pattern, &stencil, &err), CM_OK);
    cm_stencil_info(stencil, &info);
    ck_assert_int_eq(cm_stencil_exchange(scene.system, stencil, &scene.arguments, &err), CM_OK);
    struct cm_counters before = cm_machine_counters(machine);
    ck_assert_uint_eq(before.exchanges, info.exchanges);
    ck_assert_uint_eq(info.exchanges, 16);
    ck_assert_int_eq(cm_stencil_sweep(scene.system, stencil, &scene.arguments, &err), CM_OK);
    struct cm_counters after = cm_machine_counters(machine);
    ck_assert_uint_eq(after.words_moved_locally, 0);
    ck_assert_uint_eq(after.exchanges, before.exchanges);
    ck_assert_uint_eq(info.results, layout.local_elements);
    ck_assert_uint_eq(after.stores - before.stores, 2 * info.results);
    ck_assert_uint_eq(after.loads - before.loads, 2 * info.loads);
    ck_assert_uint_eq((after.flops - before.flops) / info.results, 9);
    ck_assert_uint_eq(info.bound_cycles, 9 * info.results);
    cm_stencil_deallocate(scene.system, stencil);
    close_scene(&scene);
}
END_TEST

START_TEST(what_a_setup_takes_is_given_back)
{
    struct cm_layout layout = layout_of(CM_TYPE_COMPLEX128, 2, 128, CM_ORDER_NEWS);
    struct cm_stencil_pattern pattern = five_points();
    struct cm_stencil_shifts *shifts;
    struct cm_stencil *stencil;
    struct cm_error err;
    struct scene scene;
    open_scene_in(&scene, &layout, UINT64_C(1) << 17);
    for (uint32_t t = 0; t < pattern.term_count; t++)
        for (uint32_t a = 0; a < 2; a++)
            pattern.terms[t].offset[a] *= 24;
    uint64_t free_words = cm_machine_sram_free(cm_system_machine(scene.system));
    for (int i = 0; i < 12; i++) { /* 12,288 words of halo each; a node has 2^17 */
        ck_assert_msg(cm_stencil_setup(scene.system, &layout, &pattern, &stencil, &err) == CM_OK,
                      "%s", err.message);
        cm_stencil_deallocate(scene.system, stencil);
    }
    for (int i = 0; i < 10; i++) { /* four copies of 4,096 words each */
        ck_assert_msg(cm_stencil_shifts_setup(scene.system, &layout, &pattern, CM_STENCIL_BY_PSHIFT,
                                              &shifts, &err) == CM_OK,
                      "%s", err.message);
        cm_stencil_shifts_deallocate(scene.system, shifts);
    }
    ck_assert_uint_eq(cm_machine_sram_free(cm_system_machine(scene.system)), free_words);
    cm_stencil_deallocate(scene.system, NULL);
    cm_stencil_shifts_deallocate(scene.system, NULL);
    close_scene(&scene);
}
END_TEST

START_TEST(terms_are_sorted_by_offset_the_last_axis_first)
{
    struct cm_stencil_pattern pattern = five_points();
    static const uint32_t expected[] = {4, 3, 2, 7, 1, 0};
    pattern.terms[5] = (struct cm_stencil_term){.offset = {0, 0, 9}, .coefficient = 7};
    pattern.term_count = 6;
    cm_stencil_sort(&pattern, 2);
    for (uint32_t t = 0; t < 6; t++) {
        ck_assert_uint_eq(pattern.terms[t].coefficient, expected[t]);
        ck_assert_int_eq(pattern.terms[t].offset[2], 0); /* beyond the rank */
    }
}
END_TEST

/* Small real64 cells of docs/programs/stencil.md, and how many times its bound a sweep may take:
 * 1.2 for five and nine points, 1.5 for others; more where the registers are too few, and never
 * more than that page has. */
static const struct cell {
    uint32_t rank;
    int64_t reach; /* along an axis */
    int64_t sum;   /* of the offsets' sizes, at most; 0: a star */
    uint64_t length;
    double few, all; /* with a coefficient for each distance, and for each point */
} cells[] = {
    {2, 1, 1, 64, 1.2, 1.2}, {2, 1, 2, 64, 1.2, 1.2},  {2, 2, 0, 64, 1.2, 1.23},
    {3, 1, 1, 16, 1.5, 1.5}, {3, 2, 0, 16, 1.5, 1.61},
};

static bool belongs(const struct cell *cell, const int64_t *offset)
{
    int64_t sum = 0;
    uint32_t axes = 0;
    for (uint32_t a = 0; a < cell->rank; a++) {
        sum += offset[a] < 0 ? -offset[a] : offset[a];
        axes += offset[a] != 0;
    }
    return cell->sum == 0 ? axes <= 1 : sum <= cell->sum;
}

static struct cm_stencil_pattern pattern_of(const struct cell *cell, bool all)
{
    struct cm_stencil_pattern pattern = {0};
    int64_t at[3] = {0};
    for (at[2] = cell->rank > 2 ? -cell->reach : 0; at[2] <= (cell->rank > 2) * cell->reach;
         at[2]++)
        for (at[1] = -cell->reach; at[1] <= cell->reach; at[1]++)
            for (at[0] = -cell->reach; at[0] <= cell->reach; at[0]++) {
                struct cm_stencil_term *term = &pattern.terms[pattern.term_count];
                if (!belongs(cell, at))
                    continue;
                memcpy(term->offset, at, sizeof at);
                term->coefficient = all ? pattern.term_count
                                        : (uint32_t)(at[0] * at[0] + at[1] * at[1] + at[2] * at[2]);
                pattern.term_count++;
            }
    return pattern;
}

/* How many times its bound the sweep of a cell takes. */
static double ratio_of(const struct cell *cell, bool all)
{
    struct cm_config config = cm200_config();
    struct cm_system *system = system_of(&config, CELL_NODES, true);
    struct cm_layout_request request = {.type = CM_TYPE_REAL64, .rank = cell->rank};
    struct cm_stencil_pattern pattern = pattern_of(cell, all);
    struct cm_stencil_arguments arguments = {0};
    struct cm_array *arrays[2];
    struct cm_stencil *stencil;
    struct cm_stencil_info info;
    struct cm_layout layout;
    for (uint32_t a = 0; a < cell->rank; a++) {
        request.shape[a] = cell->length * (cell->rank == 2 ? 8 : 4);
        request.weights[a] = 1;
    }
    ck_assert_int_eq(cm_layout_create(&request, CELL_NODES, &layout, NULL), CM_OK);
    for (uint32_t i = 0; i < 2; i++)
        ck_assert_int_eq(cm_array_create(system, "x", &layout, &arrays[i], NULL), CM_OK);
    arguments.sources[0] = arrays[0];
    arguments.dst = arrays[1];
    ck_assert_int_eq(cm_stencil_setup(system, &layout, &pattern, &stencil, NULL), CM_OK);
    cm_stencil_info(stencil, &info);
    struct cm_counters before = cm_machine_counters(cm_system_machine(system));
    ck_assert_int_eq(cm_stencil_sweep(system, stencil, &arguments, NULL), CM_OK);
    struct cm_counters after = cm_machine_counters(cm_system_machine(system));
    cm_stencil_deallocate(system, stencil);
    for (uint32_t i = 0; i < 2; i++)
        cm_array_destroy(system, arrays[i]);
    cm_system_destroy(system);
    return (double)(after.cycles - before.cycles) / (double)info.bound_cycles;
}

START_TEST(a_sweep_stays_close_to_its_bound)
{
    const struct cell *cell = &cells[_i];
    double few = ratio_of(cell, false), all = ratio_of(cell, true);
    ck_assert_msg(few <= cell->few && all <= cell->all,
                  "rank %u, reach %d, length %u: %.3f and %.3f of the bound, not %.3f and %.3f",
                  (unsigned)cell->rank, (int)cell->reach, (unsigned)cell->length, few, all,
                  cell->few, cell->all);
}
END_TEST

CM_PROGRAM(test_stencil)
{
    Suite *suite = suite_create("stencil");
    TCase *tests = tcase_create("stencil");
    tcase_add_test(tests, refuses_what_cannot_be_compiled_with_the_reason);
    tcase_add_test(tests, refuses_what_no_stencil_can_be);
    tcase_add_test(tests, a_call_takes_arrays_like_the_prototype_and_no_shifted_destination);
    tcase_add_test(tests, a_sweep_moves_nothing_and_stores_each_result_once);
    tcase_add_test(tests, what_a_setup_takes_is_given_back);
    tcase_add_loop_test(tests, a_sweep_stays_close_to_its_bound, 0,
                        (int)(sizeof cells / sizeof cells[0]));
    tcase_set_timeout(tests, CELL_SECONDS);
    tcase_add_test(tests, terms_are_sorted_by_offset_the_last_axis_first);
    suite_add_tcase(suite, tests);
    return cm_run_suite(suite);
}
