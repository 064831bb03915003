/* FFTs on the machine: what is refused, what fits, what is counted. Results are FFTW's to judge
 * (tests/property). */
#include "channel_use.h"
#include "machines.h"
#include "programs/fft/transform.h"
#include "programs/fft/transform_private.h"
#include "suite.h"

#include <stdio.h>
#include <string.h>

#define NODES 16u

/* A transform of 2^bits points on NODES nodes in binary, and its array. */
struct fixture {
    struct cm_system *system;
    struct cm_array *array;
    struct cm_fft_transform_task task;
    struct cm_error err;
};

static struct fixture set_up(const struct cm_config *config, enum cm_type type, uint32_t bits)
{
    struct fixture f = {.task = {.type = type, .axes = CM_FFT_ALL_AXES}};
    struct cm_fft_request request = {.rank = 1,
                                     .shape = {UINT64_C(1) << bits},
                                     .mesh_rank = 1,
                                     .mesh_shape = {NODES},
                                     .code = CM_FFT_BINARY};
    struct cm_layout_request plain = {
        .type = type, .rank = 1, .shape = {UINT64_C(1) << bits}, .weights = {1}};
    struct cm_layout layout;
    f.system = system_of(config, NODES, false);
    ck_assert_int_eq(cm_fft_mapping_create(&request, &f.task.mapping, &f.err), CM_OK);
    ck_assert_int_eq(cm_layout_create(&plain, NODES, &layout, &f.err), CM_OK);
    ck_assert_int_eq(cm_array_create(f.system, "signal", &layout, &f.array, &f.err), CM_OK);
    f.array->allocation = f.task.mapping.allocation;
    return f;
}

static void finish(struct fixture *f)
{
    cm_array_destroy(f->system, f->array);
    cm_system_destroy(f->system);
}

static void refuses(struct fixture *f, const char *message)
{
    ck_assert_int_eq(cm_fft_transform(f->system, &f->task, f->array, NULL, &f->err), CM_BAD_INPUT);
    ck_assert_msg(strstr(f->err.message, message) != NULL, "%s", f->err.message);
    ck_assert_str_ne(f->err.hint, "");
}

START_TEST(types_that_are_not_complex_are_refused)
{
    struct cm_config config = cm200_config();
    struct fixture f = set_up(&config, CM_TYPE_REAL32, 8);
    refuses(&f, "expected complex64 or complex128");
    finish(&f);
}
END_TEST

START_TEST(axes_that_do_not_exist_are_refused)
{
    struct cm_config config = cm200_config();
    struct fixture f = set_up(&config, CM_TYPE_COMPLEX64, 8);
    f.task.axes = 0;
    refuses(&f, "no axes are named");
    f.task.axes = 6;
    refuses(&f, "axis 1 is named, but the array has 1");
    finish(&f);
}
END_TEST

START_TEST(arrays_that_lie_otherwise_are_refused)
{
    struct cm_config config = cm200_config();
    struct fixture f = set_up(&config, CM_TYPE_COMPLEX64, 8);
    memset(&f.array->allocation, 0, sizeof f.array->allocation); /* canonical: in Gray code */
    refuses(&f, "\"signal\" does not have the type, shape and layout");
    f.array->allocation = f.task.mapping.allocation;
    f.task.type = CM_TYPE_COMPLEX128;
    refuses(&f, "\"signal\" does not have the type, shape and layout");
    finish(&f);
}
END_TEST

START_TEST(mappings_of_more_nodes_are_refused)
{
    struct cm_config config = cm200_config();
    struct fixture f = set_up(&config, CM_TYPE_COMPLEX64, 8);
    struct cm_fft_request request = {
        .rank = 1, .shape = {256}, .mesh_rank = 1, .mesh_shape = {2 * NODES}};
    ck_assert_int_eq(cm_fft_mapping_create(&request, &f.task.mapping, &f.err), CM_OK);
    ck_assert_int_eq(cm_fft_transform_prepare(f.system, &f.task, &f.err), CM_BAD_INPUT);
    ck_assert_str_eq(f.err.message, "FFT: the mapping has 2^5 nodes, the machine 2^4");
    finish(&f);
}
END_TEST

START_TEST(tables_without_room_are_refused)
{
    struct cm_config config = cm200_config();
    config.memory_words = 1024; /* the array takes 512, its tables more */
    struct fixture f = set_up(&config, CM_TYPE_COMPLEX64, 12);
    refuses(&f, "the FFT's table needs");
    finish(&f);
}
END_TEST

START_TEST(small_memories_for_code_get_shorter_pipelines)
{
    struct cm_config config = cm200_config();
    for (uint64_t words = 32768; words >= 64; words /= 2) {
        config.sequencer_sram_words = words;
        struct fixture f = set_up(&config, CM_TYPE_COMPLEX128, 10);
        ck_assert_msg(cm_fft_transform(f.system, &f.task, f.array, NULL, &f.err) == CM_OK,
                      "%d words: %s", (int)words, f.err.message);
        finish(&f);
    }
    config.sequencer_sram_words = 16;
    struct fixture f = set_up(&config, CM_TYPE_COMPLEX128, 10);
    ck_assert_int_eq(cm_fft_transform(f.system, &f.task, f.array, NULL, &f.err), CM_BAD_INPUT);
    ck_assert_msg(strstr(f.err.message, "the sequencer's SRAM has 16") != NULL, "%s",
                  f.err.message);
    finish(&f);
}
END_TEST

/* 16 nodes, 16 points each: 4 steps between nodes, 4 within. */
START_TEST(exchanges_are_as_many_as_the_schedule_asks_for)
{
    struct cm_config config = cm200_config();
    static const struct {
        enum cm_type type;
        bool stepwise;
        uint64_t exchanges;
    } cases[] = {
        {CM_TYPE_COMPLEX64, true, 4 * 16},      /* a point an exchange */
        {CM_TYPE_COMPLEX128, true, 2 * 4 * 16}, /* half a point */
        {CM_TYPE_COMPLEX64, false, 16 + 3},     /* the pipeline's length, and a point */
        {CM_TYPE_COMPLEX128, false, 2 * (16 + 3)},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cm_fft_report report;
        struct fixture f = set_up(&config, cases[i].type, 8);
        f.task.stepwise = cases[i].stepwise;
        ck_assert_int_eq(cm_fft_transform(f.system, &f.task, f.array, &report, &f.err), CM_OK);
        ck_assert_uint_eq(report.counted.exchanges, cases[i].exchanges);
        ck_assert_uint_eq(report.steps, 8);
        ck_assert_uint_eq(report.local_steps, 4);
        ck_assert_uint_eq(report.hops, 4);
        struct cm_channel_use use = channel_use(cm_system_machine(f.system));
        uint64_t slices = cm_type_slices(cases[i].type);
        ck_assert_uint_eq(use.max_load, 16 * slices / 2); /* over two channels a dimension */
        ck_assert_uint_eq(use.total_words, report.counted.words_sent);
        ck_assert_uint_eq(report.counted.words_sent, 4 * 256 * slices);
        finish(&f);
    }
}
END_TEST

START_TEST(rates_follow_from_counts)
{
    struct cm_config config = cm200_config();
    struct cm_fft_report report;
    struct fixture f = set_up(&config, CM_TYPE_COMPLEX64, 8);
    ck_assert_int_eq(cm_fft_transform(f.system, &f.task, f.array, &report, &f.err), CM_OK);
    double seconds = (double)report.counted.cycles / 1e7;
    ck_assert_double_eq(report.seconds, seconds);
    ck_assert_double_eq(report.nominal_flops, 5.0 * 256 * 8);
    ck_assert_double_eq(report.flops, (double)report.counted.flops * NODES);
    ck_assert_double_eq_tol(report.nominal_gflops, 5.0 * 256 * 8 / seconds / 1e9, 1e-12);
    ck_assert_double_eq_tol(report.gbytes_moved,
                            4.0 * (double)report.counted.words_sent / seconds / 1e9, 1e-12);
    ck_assert_uint_eq(report.reordered.cycles, 0);
    finish(&f);
}
END_TEST

START_TEST(preparing_charges_nothing_and_is_kept)
{
    struct cm_config config = cm200_config();
    struct fixture f = set_up(&config, CM_TYPE_COMPLEX64, 10);
    struct cm_machine *machine = cm_system_machine(f.system);
    f.task.natural = true;
    ck_assert_int_eq(cm_fft_transform_prepare(f.system, &f.task, &f.err), CM_OK);
    ck_assert_uint_eq(cm_machine_counters(machine).cycles, 0);
    uint64_t address, again;
    ck_assert_int_eq(cm_heap_allocate(f.system->heap, CM_HEAP_TABLES, 1, "probe", &address, &f.err),
                     CM_OK);
    cm_heap_free(f.system->heap, address);
    ck_assert_int_eq(cm_fft_transform(f.system, &f.task, f.array, NULL, &f.err), CM_OK);
    ck_assert_int_eq(cm_heap_allocate(f.system->heap, CM_HEAP_TABLES, 1, "probe", &again, &f.err),
                     CM_OK);
    ck_assert_uint_eq(again, address);
    finish(&f);
}
END_TEST

/* A pipeline whose stages share a cube dimension is a fault of the machine: nothing is silently
 * lost. */
START_TEST(two_stages_on_one_dimension_fault)
{
    struct cm_config config = cm200_config();
    struct fixture f = set_up(&config, CM_TYPE_COMPLEX64, 8);
    static struct cm_fft_plan plan;
    uint64_t table;
    cm_fft_plan_make(&f.task, &config, CM_FFT_GROUP_MAX, CM_FFT_RADIX_BITS_MAX, &plan);
    uint32_t p = 0;
    while (plan.passes[p].local)
        p++;
    uint32_t first = plan.passes[p].first;
    ck_assert_uint_eq(plan.passes[p].count, 4);
    plan.stages[first + 1].step.node_mask = plan.stages[first].step.node_mask;
    struct cm_imp *imp = cm_fft_compile_pipeline(&plan, &plan.passes[p]);
    ck_assert_int_eq(
        cm_heap_allocate(f.system->heap, CM_HEAP_TABLES, plan.table_words, "table", &table, &f.err),
        CM_OK);
    const struct cm_actual actuals[] = {{.address = f.array->address}, {.address = table}, {0}};
    ck_assert_int_eq(cm_system_run_overlay(f.system, imp, actuals, CM_ENTRY_RUNTIME, &f.err),
                     CM_FAULT);
    ck_assert_msg(strstr(f.err.message, "two words for one channel") != NULL, "%s", f.err.message);
    cm_imp_destroy(imp);
    finish(&f);
}
END_TEST

/* P points on N nodes: P / 2N + log2 N as published, but one, because the first step between nodes
 * has factors of 1 alone. */
START_TEST(a_node_holds_as_many_factors_as_published)
{
    struct cm_config config = cm200_config();
    for (uint32_t bits = 5; bits <= 14; bits++) {
        struct fixture f = set_up(&config, CM_TYPE_COMPLEX64, bits);
        struct cm_fft_report report;
        ck_assert_int_eq(cm_fft_transform(f.system, &f.task, f.array, &report, &f.err), CM_OK);
        ck_assert_uint_eq(report.factors, (UINT64_C(1) << bits) / (2 * NODES) + 4 - 1);
        /* four signs; room for the pipeline: two points for each of its four stages */
        ck_assert_uint_eq(report.table_words, 2 * report.factors + 4 + 2 * 4 * 2);
        finish(&f);
    }
}
END_TEST

/* A single point, and axes of length 1: nothing to do, and nothing done. */
START_TEST(a_transform_of_one_point_changes_nothing)
{
    struct cm_config config = cm200_config();
    struct cm_system *system = system_of(&config, 1, false);
    struct cm_layout_request plain = {
        .type = CM_TYPE_COMPLEX64, .rank = 1, .shape = {1}, .weights = {1}};
    struct cm_fft_transform_task task = {
        .type = CM_TYPE_COMPLEX64, .axes = CM_FFT_ALL_AXES, .natural = true, .inverse = true};
    struct cm_layout layout;
    struct cm_array *array;
    struct cm_error err;
    struct cm_fft_report report;
    float number[2] = {3, -4};
    ck_assert_int_eq(cm_layout_create(&plain, 1, &layout, &err), CM_OK);
    ck_assert_int_eq(cm_fft_mapping_canonical(&layout, &task.mapping, &err), CM_OK);
    ck_assert_int_eq(cm_array_create(system, "one", &layout, &array, &err), CM_OK);
    ck_assert_int_eq(cm_array_scatter(system, array, number, &err), CM_OK);
    ck_assert_int_eq(cm_fft_transform(system, &task, array, &report, &err), CM_OK);
    ck_assert_int_eq(cm_array_gather(system, array, number, &err), CM_OK);
    ck_assert_float_eq(number[0], 3);
    ck_assert_float_eq(number[1], -4);
    ck_assert_uint_eq(report.counted.cycles, 0);
    ck_assert_double_eq(report.nominal_gflops, 0);
    cm_array_destroy(system, array);
    cm_system_destroy(system);
}
END_TEST

CM_PROGRAM(test_fft_transform)
{
    Suite *suite = suite_create("fft_transform");
    TCase *refused = tcase_create("refused");
    tcase_add_test(refused, types_that_are_not_complex_are_refused);
    tcase_add_test(refused, axes_that_do_not_exist_are_refused);
    tcase_add_test(refused, arrays_that_lie_otherwise_are_refused);
    tcase_add_test(refused, mappings_of_more_nodes_are_refused);
    tcase_add_test(refused, tables_without_room_are_refused);
    suite_add_tcase(suite, refused);
    TCase *counted = tcase_create("counted");
    tcase_add_test(counted, small_memories_for_code_get_shorter_pipelines);
    tcase_add_test(counted, exchanges_are_as_many_as_the_schedule_asks_for);
    tcase_add_test(counted, rates_follow_from_counts);
    tcase_add_test(counted, preparing_charges_nothing_and_is_kept);
    tcase_add_test(counted, two_stages_on_one_dimension_fault);
    tcase_add_test(counted, a_node_holds_as_many_factors_as_published);
    tcase_add_test(counted, a_transform_of_one_point_changes_nothing);
    suite_add_tcase(suite, counted);
    return cm_run_suite(suite);
}
