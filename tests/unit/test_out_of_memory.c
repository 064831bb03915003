/*
 * Every allocation of the library fails once, and stays away from there on: each time the result is
 * that of a run without a fault, or CM_NO_MEMORY with a message. With sanitizers, nothing is leaked
 * or read after it was freed.
 */
#include "outcome.h"
#include "programs/elementwise/combine.h"
#include "programs/elementwise/elementwise.h"
#include "programs/fft/fft_result.h"
#include "programs/network/network_private.h"
#include "programs/network/survey.h"
#include "programs/pshift/pshift.h"
#include "programs/pshift/runtime.h"
#include "programs/reshape/reshape.h"
#include "suite.h"

#include <stdio.h>
#include <string.h>

#define NODES 16u

/* What every system ends with: counters, and the words of each channel. */
static void finish(struct outcome *outcome, struct cm_system *system)
{
    static uint64_t words[NODES * 4 * 2];
    if (outcome->status == CM_OK) {
        struct cm_machine *machine = cm_system_machine(system);
        struct cm_counters counters = cm_machine_counters(machine);
        const uint64_t *routed = cm_system_routed_words(system);
        mix(outcome, &counters, sizeof counters);
        if (ok(outcome, cm_machine_channel_words(machine, words, &outcome->err)))
            mix(outcome, words, sizeof words);
        if (routed)
            mix(outcome, routed, sizeof words);
    }
    cm_system_destroy(system);
}

static bool begin(struct outcome *outcome, const struct cm_config *config, uint32_t threads,
                  struct cm_system **system)
{
    struct cm_machine_options options = {.nodes = NODES, .threads = threads};
    return ok(outcome, cm_system_create(config, &options, system, &outcome->err));
}

static struct cm_layout layout_of(enum cm_type type, uint64_t columns, uint64_t rows)
{
    struct cm_layout_request request = {.type = type, .rank = rows ? 2 : 1};
    struct cm_layout layout;
    request.shape[0] = columns;
    request.shape[1] = rows;
    request.weights[0] = request.weights[1] = 1;
    require(cm_layout_create(&request, NODES, &layout, NULL) == CM_OK);
    return layout;
}

/* An array of bytes that differ. */
static bool make_array(struct outcome *outcome, struct cm_system *system,
                       const struct cm_layout *layout, struct cm_array **array)
{
    static unsigned char elements[1 << 16];
    for (size_t i = 0; i < sizeof elements; i++)
        elements[i] = (unsigned char)(i * 7 % 64);
    return ok(outcome, cm_array_create(system, "x", layout, array, &outcome->err)) &&
           ok(outcome, cm_array_scatter(system, *array, elements, &outcome->err));
}

static void mix_array(struct outcome *outcome, struct cm_system *system,
                      const struct cm_array *array)
{
    static unsigned char elements[1 << 16];
    if (ok(outcome, cm_array_gather(system, array, elements, &outcome->err)))
        mix(outcome, elements, array->layout.elements * cm_type_host_bytes(array->layout.type));
}

/* ---- the router ---- */

static struct cm_router_options router_options;

static bool next_packet(void *context, struct cm_router_packet *packet)
{
    uint32_t *sent = context;
    if (*sent == 3 * NODES)
        return false;
    *packet = (struct cm_router_packet){.source = *sent % NODES,
                                        .destination = (*sent * 5 + *sent / NODES) % NODES};
    ++*sent;
    return true;
}

static void route(struct outcome *outcome)
{
    uint32_t sent = 0;
    struct cm_router *router;
    struct cm_router_result result;
    const struct cm_router_traffic traffic = {.context = &sent, .next = next_packet};
    if (!ok(outcome, cm_router_create(&router_options, &router, &outcome->err)))
        return;
    if (ok(outcome, cm_router_run(router, &traffic, &result, &outcome->err))) {
        mix(outcome, &result.word_times, sizeof result.word_times);
        mix(outcome, &result.hops, sizeof result.hops);
        for (uint32_t i = 0; i < NODES * 4 * router_options.channels; i++) {
            struct cm_router_channel use =
                cm_router_channel_use(router, i % NODES, i / NODES % 4, i / NODES / 4);
            mix(outcome, &use.words, sizeof use.words);
            mix(outcome, &use.blocked, sizeof use.blocked);
        }
    }
    cm_router_destroy(router);
}

START_TEST(the_router_routes_as_always_or_says_that_memory_is_out)
{
    static const enum cm_switching switchings[] = {CM_SWITCHING_STORE_AND_FORWARD,
                                                   CM_SWITCHING_CUT_THROUGH, CM_SWITCHING_WORMHOLE};
    for (int i = 0; i < 3; i++)
        for (uint32_t channels = 1; channels <= 2; channels++) {
            router_options = (struct cm_router_options){
                .dimensions = 4,
                .channels = channels,
                .words = 6,
                .header_words = 1,
                .buffer_words = i == 2 ? 2 : 100,
                .switching = switchings[i],
                .routing = channels == 1 && i < 2 ? CM_ROUTING_ADAPTIVE : CM_ROUTING_ECUBE,
                .threads = channels,
                .share_from = 4,
            };
            fail_each(route);
        }
}
END_TEST

/* ---- shifts ---- */

static const struct cm_pshift_pattern five_point[] = {
    {CM_SHIFT_CSHIFT, 0, 1}, {CM_SHIFT_CSHIFT, 0, -1}, {CM_SHIFT_EOSHIFT_0, 1, 1}};

/* A second setup makes the first one loop: both are automatic, and the SRAM is short. */
static void set_up_twice(struct outcome *outcome)
{
    struct cm_config config = shipped;
    struct cm_layout layout = layout_of(CM_TYPE_REAL64, 64, 64);
    struct cm_system *system = NULL;
    struct cm_array *arrays[4] = {NULL};
    struct cm_shift shifts[3];
    struct cm_pshift_info info;
    int ids[2];
    config.sequencer_sram_words = 800;
    bool good = begin(outcome, &config, 1, &system);
    for (int i = 0; good && i < 4; i++)
        good = make_array(outcome, system, &layout, &arrays[i]);
    for (int i = 0; good && i < 2; i++)
        good = ok(outcome, cm_pshift_setup(system, CM_SETUP_AUTO, &layout, five_point, 3, &ids[i],
                                           &outcome->err));
    for (int i = 0; good && i < 3; i++)
        shifts[i] = (struct cm_shift){.type = five_point[i].type,
                                      .axis = five_point[i].axis,
                                      .distance = five_point[i].distance,
                                      .dst = arrays[1 + i],
                                      .src = arrays[0]};
    for (int i = 0; good && i < 2; i++) {
        good = ok(outcome, cm_pshift_call(system, ids[i], shifts, 3, &outcome->err)) &&
               ok(outcome, cm_pshift_info(system, ids[i], &info, &outcome->err));
        mix(outcome, &info.unrolled, sizeof info.unrolled);
    }
    for (int i = 0; i < 4; i++) {
        if (good)
            mix_array(outcome, system, arrays[i]);
        cm_array_destroy(system, arrays[i]);
    }
    finish(outcome, system);
}

START_TEST(setups_take_the_form_that_they_always_take)
{
    fail_each(set_up_twice);
}
END_TEST

/* The run-time library: padding, a boundary array, the router; two threads. */
static void shift_at_run_time(struct outcome *outcome)
{
    struct cm_config config = shipped;
    struct cm_layout layout = layout_of(CM_TYPE_COMPLEX64, 18, 20);
    struct cm_layout edge = layout_of(CM_TYPE_COMPLEX64, 18, 0);
    struct cm_system *system = NULL;
    struct cm_array *a = NULL, *b = NULL, *boundary = NULL;
    config.router_buffer_words = 4;
    if (begin(outcome, &config, 1, &system) && make_array(outcome, system, &layout, &a) &&
        make_array(outcome, system, &layout, &b) && make_array(outcome, system, &edge, &boundary)) {
        struct cm_shift shift = {.type = CM_SHIFT_CSHIFT, .distance = 5, .dst = b, .src = a};
        bool good = ok(outcome, cm_runtime_shift(system, &shift, &outcome->err));
        shift = (struct cm_shift){.type = CM_SHIFT_EOSHIFT_ARRAY,
                                  .axis = 1,
                                  .distance = 3,
                                  .dst = b,
                                  .src = b,
                                  .boundary_array = boundary};
        good = good && ok(outcome, cm_runtime_shift(system, &shift, &outcome->err));
        shift.path = CM_PATH_ROUTER;
        good = good && ok(outcome, cm_runtime_shift(system, &shift, &outcome->err));
        if (good)
            mix_array(outcome, system, b);
    }
    cm_array_destroy(system, a);
    cm_array_destroy(system, b);
    cm_array_destroy(system, boundary);
    finish(outcome, system);
}

START_TEST(shifts_at_run_time_move_what_they_always_move)
{
    fail_each(shift_at_run_time);
}
END_TEST

/* ---- tables that change during a run ---- */

/* The communication tables are written again while words are pending, on two threads. */
static void rewrite_tables(struct outcome *outcome)
{
    static const char text[] =
        ".imp test\n"
        "aset r0, 0\nloop: loop 3\n"
        "loadi A, [r0+8], [r0+9], 0, 0\nexchange\nunloadi [r0+10], B, [r0+9], 0, 0\n"
        "load A.1, [r0+8]\nfload32 f0, [r0+11]\nfstore32 [r0+9], f0\n"
        "exchange\nnext loop\nhalt\n";
    struct cm_config config = shipped;
    struct cm_machine_options options = {.nodes = 32, .threads = 2};
    struct cm_imp_limits limits = cm_config_imp_limits(&config);
    struct cm_machine *machine = NULL;
    struct cm_imp *imp = NULL;
    uint32_t plane[32];
    static uint64_t words[32 * 5 * 2];
    for (uint32_t i = 0; i < 32; i++)
        plane[i] = 1 + i % 3;
    bool good =
        ok(outcome, cm_imp_assemble("x", text, sizeof text - 1, &limits, &imp, &outcome->err)) &&
        ok(outcome, cm_machine_create(&config, &options, &machine, &outcome->err)) &&
        ok(outcome, cm_machine_load_imp(machine, imp, &outcome->err));
    for (uint64_t address = 8; good && address < 12; address++)
        good = ok(outcome, cm_machine_write_plane(machine, address, plane, &outcome->err));
    for (int i = 0; good && i < 2; i++)
        good = ok(outcome, cm_machine_run(machine, imp, NULL, CM_ENTRY_IMP, &outcome->err));
    good = good && ok(outcome, cm_machine_write_plane(machine, 9, plane, &outcome->err)) &&
           ok(outcome, cm_machine_channel_words(machine, words, &outcome->err)) &&
           ok(outcome, cm_machine_read_plane(machine, 10, plane, &outcome->err));
    if (good) {
        mix(outcome, words, sizeof words);
        mix(outcome, plane, sizeof plane);
    }
    cm_machine_destroy(machine);
    cm_imp_destroy(imp);
}

START_TEST(channels_are_counted_or_the_run_fails)
{
    fail_each(rewrite_tables);
}
END_TEST

/* The second thread alone has no memory for a table: then the first ends the run, or is stopped at
 * the next exchange. */
static void run_text(struct cm_machine *machine, const char *text, enum cm_status expected)
{
    struct cm_imp *imp;
    struct cm_error err = {.status = CM_OK};
    ck_assert_int_eq(cm_imp_assemble("x", text, strlen(text), NULL, &imp, &err), CM_OK);
    ck_assert_int_eq(cm_machine_load_imp(machine, imp, &err), CM_OK);
    if (expected != CM_OK)
        failing_elsewhere();
    enum cm_status status = cm_machine_run(machine, imp, NULL, CM_ENTRY_IMP, &err);
    failing_end();
    ck_assert_int_eq(status, expected);
    ck_assert_str_eq(err.message, expected != CM_OK ? "out of memory" : "");
    cm_imp_destroy(imp);
}

START_TEST(a_fault_of_any_thread_is_the_fault_of_the_run)
{
    static const char *const texts[] = {
        ".imp test\naset r0, 8\nloadi A, [r0], [r0+1], 0, 0\nhalt\n",
        ".imp test\naset r0, 8\nloadi A, [r0], [r0+1], 0, 0\nexchange\nhalt\n"};
    struct cm_config config = cm200_config();
    struct cm_machine_options options = {.nodes = 64, .threads = 2};
    struct cm_machine *machine;
    struct cm_error err;
    ck_assert_int_eq(cm_machine_create(&config, &options, &machine, &err), CM_OK);
    ck_assert_uint_eq(cm_machine_threads(machine), 2);
    /* Both threads run before memory fails: a sanitizer allocates when one starts. */
    run_text(machine, ".imp first\nexchange\nhalt\n", CM_OK);
    run_text(machine, texts[_i], CM_NO_MEMORY);
    run_text(machine, texts[_i], CM_OK);
    cm_machine_destroy(machine);
}
END_TEST

/* ---- steps of the network ---- */

static struct cm_network_step network_step;

static void send(struct outcome *outcome)
{
    struct cm_config config = shipped;
    struct cm_layout layout = layout_of(CM_TYPE_INT32, 64, 0);
    struct cm_system *system = NULL;
    struct cm_network *network = NULL;
    struct cm_array *a = NULL, *b = NULL;
    const struct cm_network_watch watch = {0};
    struct cm_network_place place = {.file = "x", .verify = true};
    uint64_t mismatches = 0;
    struct cm_buffer text;
    cm_buffer_init(&text);
    bool good = begin(outcome, &config, 1, &system) && make_array(outcome, system, &layout, &a) &&
                make_array(outcome, system, &layout, &b);
    if (network_step.has_array) {
        place.src_array = a;
        place.dst_array = b;
    }
    good = good &&
           ok(outcome, cm_network_create(system, &network_step, &place, &network, &outcome->err)) &&
           ok(outcome, cm_network_run(system, network, &watch, &outcome->err)) &&
           ok(outcome, cm_network_check(system, network, &mismatches, &outcome->err));
    if (good) {
        mix(outcome, &mismatches, sizeof mismatches);
        cm_network_summary(&network->report, &text);
        cm_network_csv(&network->report, &text);
        cm_network_packets_csv(&network->report, &text);
        cm_network_heatmap(&network->report, 0, &text);
        mix_array(outcome, system, b);
    }
    mix_text(outcome, &text);
    cm_network_destroy(system, network);
    cm_array_destroy(system, a);
    cm_array_destroy(system, b);
    finish(outcome, system);
}

START_TEST(steps_of_the_network_report_all_or_nothing)
{
    network_step = (struct cm_network_step){
        .is_shift = true,
        .shift = {.topology = CM_TOPOLOGY_HYPERCUBE, .nodes = NODES, .by = 5, .words = 3}};
    fail_each(send);
    network_step.shift.topology = CM_TOPOLOGY_LINEAR;
    fail_each(send);
    network_step.shift.topology = CM_TOPOLOGY_HYPERCUBE;
    network_step.shift.method = CM_CIRCULAR_ECUBE;
    fail_each(send);
    network_step = (struct cm_network_step){
        .has_array = true,
        .task = {.pattern = CM_PATTERN_BIT_REVERSAL,
                 .router = {.switching = CM_SWITCHING_WORMHOLE, .buffer_words = 2}}};
    fail_each(send);
    static double rates[] = {0.1, 0.9};
    network_step = (struct cm_network_step){
        .rates = rates,
        .rate_count = 2,
        .task = {.pattern = CM_PATTERN_HOT_SPOT,
                 .warmup = 10,
                 .measure = 60,
                 .router = {.words = 4, .switching = CM_SWITCHING_CUT_THROUGH, .limit = 1000}}};
    fail_each(send);
}
END_TEST

static void survey_shifts(struct outcome *outcome)
{
    const struct cm_survey_task task = {.nodes = NODES, .words = 3};
    struct cm_config config = shipped;
    struct cm_survey *survey;
    struct cm_survey_crossover crossover = {0};
    bool good = ok(outcome, cm_survey_create(&config, &task, &survey, &outcome->err));
    for (uint32_t m = 0; good && m < CM_SURVEY_COUNT; m++) {
        struct cm_survey_row row;
        good = ok(outcome, cm_survey_row(survey, (enum cm_survey_method)m, 3, &row, &outcome->err));
        if (good)
            mix(outcome, &row.cycles, sizeof row.cycles);
    }
    if (good && ok(outcome, cm_survey_crossover(survey, 3, &crossover, &outcome->err)))
        mix(outcome, &crossover.words, sizeof crossover.words);
    cm_survey_destroy(survey);
}

START_TEST(surveys_of_shifts_count_as_always_or_fail)
{
    fail_each(survey_shifts);
}
END_TEST

/* ---- transforms and reshapes ---- */

static void transform(struct outcome *outcome)
{
    struct cm_config config = shipped;
    struct cm_layout layout = layout_of(CM_TYPE_COMPLEX64, 16, 16);
    struct cm_system *system = NULL;
    struct cm_array *array = NULL;
    struct cm_fft_transform_task task = {
        .type = CM_TYPE_COMPLEX64, .axes = CM_FFT_ALL_AXES, .natural = true};
    struct cm_fft_task broadcast = {.axes = 3, .slices = 2, .broadcast = true, .source = 5};
    struct cm_fft_result result;
    struct cm_buffer text;
    cm_buffer_init(&text);
    require(cm_fft_mapping_canonical(&layout, &task.mapping, NULL) == CM_OK);
    broadcast.mapping = task.mapping;
    cm_fft_result_begin(&broadcast, &result);
    if (begin(outcome, &config, 1, &system) && make_array(outcome, system, &layout, &array) &&
        ok(outcome, cm_fft_transform(system, &task, array, &result.report, &outcome->err)) &&
        ok(outcome, cm_fft_communicate(system, &broadcast, array, result.costs, &outcome->err))) {
        cm_fft_table(&broadcast, &text);
        mix_array(outcome, system, array);
    }
    mix_text(outcome, &text);
    cm_array_destroy(system, array);
    finish(outcome, system);
}

START_TEST(transforms_are_right_or_fail)
{
    fail_each(transform);
}
END_TEST

static enum cm_reshape_algorithm algorithm;

static void reshape(struct outcome *outcome)
{
    static const uint64_t shape[] = {32, 8};
    struct cm_config config = shipped;
    struct cm_layout layout = layout_of(CM_TYPE_REAL64, 32, 8);
    struct cm_system *system = NULL;
    struct cm_array *array = NULL;
    struct cm_reshape_task task = {.algorithm = algorithm, .slices = 2};
    struct cm_reshape_plan plan = {.steps = 0};
    struct cm_buffer text;
    cm_buffer_init(&text);
    require(cm_allocation_create(shape, 2, NODES, CM_ENCODING_GRAY, CM_PROCESSOR_HIGH, 0,
                                 &task.from, NULL) == CM_OK);
    require(cm_allocation_create(shape, 2, NODES, CM_ENCODING_BINARY, CM_PROCESSOR_LIST, 0x2d,
                                 &task.to, NULL) == CM_OK);
    bool good = begin(outcome, &config, 1, &system) && make_array(outcome, system, &layout, &array);
    if (good)
        array->allocation = task.from;
    good = good && ok(outcome, cm_reshape_plan_elements(&task, &plan, &outcome->err));
    if (good) {
        cm_reshape_table(&plan, &text);
        cm_buffer_printf(&text, "%d %d", (int)plan.algorithm, (int)plan.steps);
    }
    cm_reshape_plan_finish(&plan);
    if (good && ok(outcome, cm_reshape(system, &task, array, &outcome->err))) {
        array->allocation = task.to;
        mix_array(outcome, system, array);
    }
    mix_text(outcome, &text);
    cm_array_destroy(system, array);
    finish(outcome, system);
}

START_TEST(reshapes_take_the_algorithm_that_they_always_take)
{
    algorithm = CM_RESHAPE_AUTO;
    fail_each(reshape);
    algorithm = CM_RESHAPE_ROTATE;
    fail_each(reshape);
}
END_TEST

/* ---- sums, and microprograms ---- */

static void sum(struct outcome *outcome)
{
    struct cm_config config = shipped;
    struct cm_layout layout = layout_of(CM_TYPE_REAL32, 18, 20);
    struct cm_system *system = NULL;
    struct cm_array *a = NULL, *b = NULL;
    struct cm_term terms[70];
    if (begin(outcome, &config, 1, &system) && make_array(outcome, system, &layout, &a) &&
        make_array(outcome, system, &layout, &b)) {
        for (int i = 0; i < 40; i++)
            terms[i] = (struct cm_term){.scalar = cm_scalar_make(CM_TYPE_REAL32, i, 0),
                                        .array = i % 2 ? a : b};
        if (ok(outcome, cm_combine(system, a, terms, 40, &outcome->err)))
            mix_array(outcome, system, a);
    }
    cm_array_destroy(system, a);
    cm_array_destroy(system, b);
    finish(outcome, system);
}

START_TEST(sums_are_right_or_fail)
{
    fail_each(sum);
}
END_TEST

/* An array statement with a mask, indices, constants, a routine, on a padded layout. */
static void statement(struct outcome *outcome)
{
    struct cm_system *system = NULL;
    struct cm_array *arrays[2] = {NULL, NULL};
    struct cm_layout layout = layout_of(CM_TYPE_REAL64, 9, 7);
    struct cm_expression *e = NULL;
    struct cm_config config = shipped;
    if (begin(outcome, &config, 1, &system) && make_array(outcome, system, &layout, &arrays[0]) &&
        make_array(outcome, system, &layout, &arrays[1])) {
        e = cm_expression_create();
        uint32_t x = e ? cm_expression_array(e, 0, CM_TYPE_REAL64) : 0;
        const uint32_t y = e ? cm_expression_array(e, 1, CM_TYPE_REAL64) : 0;
        uint32_t index = e ? cm_expression_index(e, 1) : 0, mask = 0;
        if (e)
            x = cm_expression_node(e, CM_EXPRESSION_POWER, x, y, 0);
        if (e) {
            mask = cm_expression_node(e, CM_EXPRESSION_GREATER, x, y, 0);
            index = cm_expression_convert(e, index, CM_TYPE_REAL64);
            x = cm_expression_node(e, CM_EXPRESSION_ADD, x, index, 0);
            cm_expression_assign(e, 0, x, mask);
            if (ok(outcome, cm_elementwise_call(system, e, arrays, 2, NULL, 0, &outcome->err)))
                mix_array(outcome, system, arrays[0]);
        } else {
            ok(outcome, cm_error_no_memory(&outcome->err));
        }
    }
    cm_expression_destroy(e);
    cm_array_destroy(system, arrays[0]);
    cm_array_destroy(system, arrays[1]);
    finish(outcome, system);
}

START_TEST(statements_are_right_or_fail)
{
    fail_each(statement);
}
END_TEST

static const char *microprogram;

static void assemble(struct outcome *outcome)
{
    struct cm_imp *imp = NULL, *again = NULL;
    struct cm_buffer image, text;
    cm_buffer_init(&image);
    cm_buffer_init(&text);
    if (ok(outcome, cm_imp_assemble("x.imp", microprogram, strlen(microprogram), NULL, &imp,
                                    &outcome->err)) &&
        ok(outcome, cm_imp_encode(imp, &image, &outcome->err)) &&
        ok(outcome, cm_imp_decode("x.img", image.data, image.length, NULL, &again, &outcome->err)))
        cm_imp_disassemble(again, &text);
    if (outcome->status == CM_BAD_INPUT) { /* the error is the result */
        outcome->status = CM_OK;
        mix(outcome, outcome->err.message, strlen(outcome->err.message));
        mix(outcome, outcome->err.hint, strlen(outcome->err.hint));
    }
    mix_text(outcome, &text);
    cm_buffer_finish(&image);
    cm_imp_destroy(imp);
    cm_imp_destroy(again);
}

START_TEST(microprograms_are_read_and_written_or_fail)
{
    microprogram =
        ".imp x\n.address a, b, c\n.scalar s\n.equ n, 3\n.equ q, r5\nl: loop n\nm: loop 2\n"
        "aarg q, a\nnext m\nnext l\nhalt\n";
    fail_each(assemble);
    microprogram = ".imp x\n.address matrix, vector\naarg r0, matrx\nhalt\n";
    fail_each(assemble);
}
END_TEST

CM_PROGRAM(test_out_of_memory)
{
    Suite *s = suite_create("out of memory");
    TCase *tests = tcase_create("out of memory");
    tcase_set_timeout(tests, 0);
    tcase_add_test(tests, the_router_routes_as_always_or_says_that_memory_is_out);
    tcase_add_test(tests, setups_take_the_form_that_they_always_take);
    tcase_add_test(tests, shifts_at_run_time_move_what_they_always_move);
    tcase_add_test(tests, channels_are_counted_or_the_run_fails);
    tcase_add_loop_test(tests, a_fault_of_any_thread_is_the_fault_of_the_run, 0, 2);
    tcase_add_test(tests, steps_of_the_network_report_all_or_nothing);
    tcase_add_test(tests, surveys_of_shifts_count_as_always_or_fail);
    tcase_add_test(tests, transforms_are_right_or_fail);
    tcase_add_test(tests, reshapes_take_the_algorithm_that_they_always_take);
    tcase_add_test(tests, sums_are_right_or_fail);
    tcase_add_test(tests, statements_are_right_or_fail);
    tcase_add_test(tests, microprograms_are_read_and_written_or_fail);
    suite_add_tcase(s, tests);
    return cm_run_suite(s);
}
