/* The C interface of PSHIFT (P 3, figure 4): setups, calls, what is refused, what is given back,
 * how boundaries go. */
#include "programs/pshift/runtime.h"
#include "programs/system/schedule.h"
#include "shifts.h"
#include "suite.h"

static const uint64_t shape_16x16[] = {16, 16};

struct bench {
    struct random_source random;
    struct cm_system *system;
    struct cm_layout layout;
    struct pair src, dst[4];
};

/* A 16 x 16 array of real64 on 16 nodes, L = 4 along each axis, unless told otherwise. */
static void bench_create_as(struct bench *bench, const struct cm_config *config, enum cm_type type,
                            const uint64_t *shape, uint32_t nodes, bool timing_only)
{
    bench->random = (struct random_source){nodes + type};
    bench->system = system_of(config, nodes, timing_only);
    bench->layout = layout_of(type, 2, shape, CM_ORDER_NEWS, nodes);
    bench->src = pair_create(bench->system, &bench->layout, &bench->random);
    for (int i = 0; i < 4; i++)
        bench->dst[i] = pair_create(bench->system, &bench->layout, &bench->random);
}

static void bench_create(struct bench *bench)
{
    struct cm_config config = cm200_config();
    bench_create_as(bench, &config, CM_TYPE_REAL64, shape_16x16, 16, false);
}

static void bench_finish(struct bench *bench)
{
    pair_finish(bench->system, &bench->src);
    for (int i = 0; i < 4; i++)
        pair_finish(bench->system, &bench->dst[i]);
    cm_system_destroy(bench->system);
}

/* The four shifts of the five-point stencil. */
static const struct cm_pshift_pattern five_point[] = {{CM_SHIFT_CSHIFT, 0, -1},
                                                      {CM_SHIFT_CSHIFT, 1, 1},
                                                      {CM_SHIFT_CSHIFT, 1, -1},
                                                      {CM_SHIFT_CSHIFT, 0, 1}};

static void shifts_of(const struct bench *bench, const struct cm_pshift_pattern *patterns,
                      uint32_t count, struct cm_shift *shifts)
{
    for (uint32_t i = 0; i < count; i++)
        shifts[i] = (struct cm_shift){.type = patterns[i].type,
                                      .axis = patterns[i].axis,
                                      .distance = patterns[i].distance,
                                      .dst = bench->dst[i].array,
                                      .src = bench->src.array};
}

static int must_set_up(struct bench *bench, enum cm_setup_kind kind,
                       const struct cm_pshift_pattern *patterns, uint32_t count)
{
    int id = 0;
    struct cm_error err;
    ck_assert_msg(
        cm_pshift_setup(bench->system,
                        &(struct cm_pshift_request){kind, &bench->layout, patterns, count}, &id,
                        &err) == CM_OK,
        "%s", err.message);
    return id;
}

/* Calls setup `id` with bench->src to bench->dst and checks every element; returns what it cost. */
static struct cm_counters call(struct bench *bench, int id,
                               const struct cm_pshift_pattern *patterns, uint32_t count)
{
    struct cm_shift shifts[4];
    struct cm_error err;
    struct cm_machine *machine = cm_system_machine(bench->system);
    shifts_of(bench, patterns, count, shifts);
    struct cm_counters before = cm_machine_counters(machine);
    ck_assert_msg(cm_pshift_call(bench->system, id, shifts, count, &err) == CM_OK, "%s",
                  err.message);
    struct cm_counters after = cm_machine_counters(machine);
    for (uint32_t i = 0; i < count && !cm_machine_timing_only(machine); i++) {
        shift_on_host(&bench->layout, &shifts[i], bench->dst[i].bytes, bench->src.bytes, NULL);
        pair_check(bench->system, &bench->dst[i]);
    }
    return cm_counters_difference(&after, &before);
}

static struct cm_pshift_info info_of(const struct bench *bench, int id)
{
    struct cm_pshift_info info;
    ck_assert_int_eq(cm_pshift_info(bench->system, id, &info, NULL), CM_OK);
    return info;
}

/* The highest address that tables would get now: tells whether all were given back. */
static uint64_t next_table(const struct bench *bench)
{
    uint64_t address = 0;
    ck_assert_int_eq(cm_heap_allocate(bench->system->heap, CM_HEAP_TABLES, 1, "x", &address, NULL),
                     CM_OK);
    cm_heap_free(bench->system->heap, address);
    return address;
}

/* ---- ids, and what they hold ---- */

START_TEST(a_setup_serves_calls_until_it_is_deallocated)
{
    struct bench bench;
    struct cm_error err;
    struct cm_shift shifts[4];
    bench_create(&bench);
    struct cm_machine *machine = cm_system_machine(bench.system);
    uint64_t sram = cm_machine_sram_free(machine), table = next_table(&bench);
    int first = must_set_up(&bench, CM_SETUP_AUTO, five_point, 4);
    int second = must_set_up(&bench, CM_SETUP_LOOPED, five_point, 2);
    ck_assert_int_gt(first, 0);
    ck_assert_int_gt(second, 0);
    ck_assert_int_ne(first, second);
    ck_assert_uint_eq(sram - cm_machine_sram_free(machine),
                      info_of(&bench, first).sram_words + info_of(&bench, second).sram_words);
    call(&bench, first, five_point, 4);
    call(&bench, second, five_point, 2);
    call(&bench, first, five_point, 4);
    ck_assert_int_eq(cm_pshift_deallocate(bench.system, first, &err), CM_OK);
    call(&bench, second, five_point, 2);
    ck_assert_int_eq(cm_pshift_deallocate(bench.system, first, &err), CM_BAD_INPUT);
    shifts_of(&bench, five_point, 4, shifts);
    ck_assert_int_eq(cm_pshift_call(bench.system, first, shifts, 4, &err), CM_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(err.message, "there is no setup 1, or it was deallocated"));
    ck_assert_int_eq(cm_pshift_deallocate(bench.system, second, &err), CM_OK);
    ck_assert_uint_eq(cm_machine_sram_free(machine), sram);
    ck_assert_uint_eq(next_table(&bench), table);
    int third = must_set_up(&bench, CM_SETUP_AUTO, five_point, 4);
    ck_assert_int_ne(third, first); /* an id is not used again */
    ck_assert_int_ne(third, second);
    bench_finish(&bench); /* ends what is still set up */
}
END_TEST

START_TEST(ids_that_never_were_are_refused)
{
    static const int ids[] = {0, -1, 2, 1000000, INT32_MIN, INT32_MAX};
    struct bench bench;
    struct cm_pshift_info info;
    struct cm_shift shifts[4];
    bench_create(&bench);
    must_set_up(&bench, CM_SETUP_AUTO, five_point, 4);
    shifts_of(&bench, five_point, 4, shifts);
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        ck_assert_int_eq(cm_pshift_call(bench.system, ids[i], shifts, 4, NULL), CM_BAD_INPUT);
        ck_assert_int_eq(cm_pshift_deallocate(bench.system, ids[i], NULL), CM_BAD_INPUT);
        ck_assert_int_eq(cm_pshift_info(bench.system, ids[i], &info, NULL), CM_BAD_INPUT);
        ck_assert_ptr_null(cm_pshift_reason(bench.system, ids[i], 0));
    }
    bench_finish(&bench);
}
END_TEST

START_TEST(a_refused_setup_leaves_nothing_behind)
{
    static const struct cm_pshift_pattern three[] = {
        {CM_SHIFT_CSHIFT, 0, 1}, {CM_SHIFT_CSHIFT, 0, 2}, {CM_SHIFT_CSHIFT, 0, 3}};
    static const struct cm_pshift_pattern beyond[] = {{CM_SHIFT_CSHIFT, 2, 1}};
    struct cm_config config = cm200_config();
    config.sequencer_sram_words = 200;
    struct bench bench;
    struct cm_error err;
    int id = -7;
    bench_create_as(&bench, &config, CM_TYPE_REAL64, shape_16x16, 16, false);
    uint64_t table = next_table(&bench);
    struct cm_pshift_pattern many[CM_PSHIFT_MAX + 1] = {{CM_SHIFT_CSHIFT, 0, 1}};
    const struct {
        const struct cm_pshift_pattern *patterns;
        uint32_t count;
        enum cm_setup_kind kind;
        const char *message, *hint;
    } cases[] = {
        {five_point, 4, CM_SETUP_UNROLLED, "SRAM", "looped"},
        {three, 3, CM_SETUP_AUTO, "shift 3 is the third along axis 0 (dim 1 in a workload)",
         "two calls"},
        {beyond, 1, CM_SETUP_AUTO, "shift 1 is along axis 2 of an array of rank 2", ""},
        {five_point, 0, CM_SETUP_AUTO, "0 shifts in one call", ""},
        {many, CM_PSHIFT_MAX + 1, CM_SETUP_AUTO, "65 shifts in one call", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ck_assert_int_eq(
            cm_pshift_setup(bench.system,
                            &(struct cm_pshift_request){cases[i].kind, &bench.layout,
                                                        cases[i].patterns, cases[i].count},
                            &id, &err),
            CM_BAD_INPUT);
        ck_assert_msg(strstr(err.message, cases[i].message) != NULL, "%s", err.message);
        ck_assert_msg(strstr(err.hint, cases[i].hint) != NULL, "%s", err.hint);
        ck_assert_int_eq(id, -7);
        ck_assert_uint_eq(cm_machine_sram_free(cm_system_machine(bench.system)), 200);
        ck_assert_uint_eq(next_table(&bench), table);
    }
    bench_finish(&bench);
}
END_TEST

/* ---- unrolled and looped ---- */

START_TEST(looped_and_unrolled_setups_do_the_same_in_different_space)
{
    static const uint64_t shape[] = {64, 64};
    struct cm_config config = cm200_config();
    struct bench bench;
    bench_create_as(&bench, &config, CM_TYPE_REAL64, shape, 16, false); /* 64 elements an edge */
    int unrolled = must_set_up(&bench, CM_SETUP_UNROLLED, five_point, 4);
    int looped = must_set_up(&bench, CM_SETUP_LOOPED, five_point, 4);
    struct cm_pshift_info u = info_of(&bench, unrolled), l = info_of(&bench, looped);
    ck_assert(u.unrolled && !l.unrolled);
    ck_assert_uint_lt(l.sram_words, u.sram_words);
    ck_assert_uint_eq(u.exchanges, 16);
    ck_assert_uint_eq(l.exchanges, 16);
    struct cm_counters a = call(&bench, unrolled, five_point, 4);
    struct cm_counters b = call(&bench, looped, five_point, 4);
    ck_assert_uint_eq(a.exchanges, 16);
    ck_assert_uint_eq(b.exchanges, 16);
    ck_assert_uint_eq(a.loads, b.loads);
    ck_assert_uint_eq(a.stores, b.stores);
    ck_assert_uint_eq(a.words_sent, b.words_sent);
    ck_assert_uint_eq(a.words_sent, 4u * 16u * 16u * 2u); /* shifts, nodes, elements, words */
    bench_finish(&bench);
}
END_TEST

START_TEST(automatic_setups_are_looped_when_the_sram_is_short)
{
    static const uint64_t shape[] = {64, 64};
    struct cm_config config = cm200_config();
    struct bench bench;
    bench_create_as(&bench, &config, CM_TYPE_REAL64, shape, 16, false);
    int first = must_set_up(&bench, CM_SETUP_LOOPED, five_point, 4);
    uint64_t words = info_of(&bench, first).sram_words;
    bench_finish(&bench);
    config.sequencer_sram_words = 2 * words; /* room for two of them, or for one unrolled */
    bench_create_as(&bench, &config, CM_TYPE_REAL64, shape, 16, false);
    first = must_set_up(&bench, CM_SETUP_AUTO, five_point, 4);
    ck_assert(info_of(&bench, first).unrolled);
    int second = must_set_up(&bench, CM_SETUP_AUTO, five_point, 4);
    ck_assert(!info_of(&bench, second).unrolled);
    ck_assert(!info_of(&bench, first).unrolled); /* it made room */
    call(&bench, first, five_point, 4);
    call(&bench, second, five_point, 4);
    bench_finish(&bench);
}
END_TEST

/* Nested loops of an IMP, at their deepest. */
static uint32_t loop_depth(const struct cm_imp *imp)
{
    uint32_t depth = 0, most = 0;
    for (uint32_t i = 0; i < imp->length; i++) {
        depth += imp->code[i].op == CM_OP_LOOP;
        depth -= imp->code[i].op == CM_OP_NEXT;
        most = depth > most ? depth : most;
    }
    return most;
}

/* Rows of rows want loops in loops, but no deeper than the sequencer's stack. */
START_TEST(a_looped_setup_keeps_to_the_loop_stack)
{
    static const uint64_t shape[] = {16, 64, 16};
    static const struct cm_pshift_pattern pattern = {CM_SHIFT_CSHIFT, 1, 2};
    struct cm_config config = cm200_config();
    struct random_source random = {5};
    config.sequencer_loop_depth = (uint32_t)_i;
    struct cm_system *system = system_of(&config, 8, false);
    struct cm_layout layout = layout_of(CM_TYPE_REAL64, 3, shape, CM_ORDER_NEWS, 8);
    struct pair src = pair_create(system, &layout, &random);
    struct pair dst = pair_create(system, &layout, &random);
    struct cm_shift shift = {.type = pattern.type,
                             .axis = pattern.axis,
                             .distance = pattern.distance,
                             .dst = dst.array,
                             .src = src.array};
    struct cm_pshift_info info;
    struct cm_error err;
    int id;
    ck_assert_msg(
        cm_pshift_setup(system, &(struct cm_pshift_request){CM_SETUP_LOOPED, &layout, &pattern, 1},
                        &id, &err) == CM_OK,
        "%s", err.message);
    ck_assert_int_eq(cm_pshift_info(system, id, &info, NULL), CM_OK);
    ck_assert_uint_eq(loop_depth(info.imp), _i < 2 ? 1 : 2);
    ck_assert_int_eq(cm_pshift_call(system, id, &shift, 1, &err), CM_OK);
    shift_on_host(&layout, &shift, dst.bytes, src.bytes, NULL);
    pair_check(system, &dst);
    pair_finish(system, &src);
    pair_finish(system, &dst);
    cm_system_destroy(system);
}
END_TEST

/* ---- what a setup tells ---- */

START_TEST(the_run_time_library_gets_shifts_for_a_reason)
{
    static const struct {
        enum cm_order order;
        uint64_t length;
        int64_t distance;
        const char *reason; /* NULL: the IMP takes it */
    } cases[] = {
        {CM_ORDER_NEWS, 32, 1, NULL},        {CM_ORDER_NEWS, 32, -8, NULL}, /* 2 L */
        {CM_ORDER_NEWS, 32, 9, "distance"},  /* over 2 L, and no power of two of it */
        {CM_ORDER_NEWS, 32, 16, NULL},       /* 4 L */
        {CM_ORDER_NEWS, 32, 12, "distance"}, /* 3 L */
        {CM_ORDER_NEWS, 32, 31, NULL},       /* circular: -1 */
        {CM_ORDER_NEWS, 32, 33, NULL},       /* and 1 */
        {CM_ORDER_NEWS, 30, 1, "padded"},    {CM_ORDER_SEND, 32, 1, "SEND"},
        {CM_ORDER_SERIAL, 32, 1, "SERIAL"},
    };
    struct cm_config config = cm200_config();
    struct cm_system *system = system_of(&config, 8, false);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct cm_layout layout = layout_of(CM_TYPE_REAL32, 1, &cases[i].length, cases[i].order, 8);
        struct cm_pshift_pattern pattern = {CM_SHIFT_CSHIFT, 0, cases[i].distance};
        struct cm_pshift_info info;
        int id;
        ck_assert_int_eq(
            cm_pshift_setup(system,
                            &(struct cm_pshift_request){CM_SETUP_AUTO, &layout, &pattern, 1}, &id,
                            NULL),
            CM_OK);
        ck_assert_int_eq(cm_pshift_info(system, id, &info, NULL), CM_OK);
        const char *reason = cm_pshift_reason(system, id, 0);
        ck_assert((reason == NULL) == (cases[i].reason == NULL));
        if (reason)
            ck_assert_msg(strstr(reason, cases[i].reason) != NULL, "%s", reason);
        ck_assert_uint_eq(info.by_imp, reason == NULL);
        ck_assert_uint_eq(info.by_runtime, reason != NULL);
        ck_assert((info.imp == NULL) == (reason != NULL));
        ck_assert_ptr_null(cm_pshift_reason(system, id, 1));
    }
    cm_system_destroy(system);
}
END_TEST

START_TEST(tables_take_at_most_four_words_a_shift)
{
    static const uint64_t shape[] = {16, 16, 16};
    struct cm_config config = cm200_config();
    struct cm_system *system = system_of(&config, 64, false);
    struct cm_layout layout = layout_of(CM_TYPE_COMPLEX128, 3, shape, CM_ORDER_NEWS, 64);
    for (uint32_t count = 1; count <= 6; count++) {
        struct cm_pshift_pattern patterns[6];
        struct cm_pshift_info info;
        int id;
        for (uint32_t i = 0; i < count; i++) /* up to 2 L: two parts, each in up to two hops */
            patterns[i] = (struct cm_pshift_pattern){CM_SHIFT_CSHIFT, i / 2, i % 2 ? 7 : -5};
        ck_assert_int_eq(
            cm_pshift_setup(system,
                            &(struct cm_pshift_request){CM_SETUP_LOOPED, &layout, patterns, count},
                            &id, NULL),
            CM_OK);
        ck_assert_int_eq(cm_pshift_info(system, id, &info, NULL), CM_OK);
        ck_assert_uint_eq(info.by_imp, count);
        ck_assert_uint_gt(info.table_words, 0);
        ck_assert_uint_le(info.table_words, 4 * count);
        ck_assert_int_eq(cm_pshift_deallocate(system, id, NULL), CM_OK);
    }
    cm_system_destroy(system);
}
END_TEST

/* ---- boundaries over the wire ---- */

START_TEST(zeros_come_over_the_wire_and_no_third_step_runs)
{
    static const uint64_t shape[] = {16, 32};
    static const int64_t distances[] = {1, -1, 3, -4, 8, -7};
    struct cm_config config = cm200_config();
    struct bench bench;
    bench_create_as(&bench, &config, (enum cm_type)_i, shape, 16, false); /* 4 x 4 nodes */
    for (size_t k = 0; k < sizeof distances / sizeof distances[0]; k++) {
        struct cm_pshift_pattern patterns[] = {{CM_SHIFT_EOSHIFT_0, 0, distances[k]},
                                               {CM_SHIFT_EOSHIFT_0, 1, -distances[k]},
                                               {CM_SHIFT_CSHIFT, 1, 2}};
        int id = must_set_up(&bench, k % 2 ? CM_SETUP_LOOPED : CM_SETUP_UNROLLED, patterns, 3);
        struct cm_counters cost = call(&bench, id, patterns, 3);
        ck_assert_uint_eq(cost.by_cause[CM_CAUSE_RUNTIME_CALL], 0);
        ck_assert_uint_eq(cost.by_cause[CM_CAUSE_START], config.front_end_imp_start_cycles);
        ck_assert_int_eq(cm_pshift_deallocate(bench.system, id, NULL), CM_OK);
    }
    bench_finish(&bench);
}
END_TEST

/* Ones take the wire where all end-off shifts want them and an element fits the wire's two words (P
 * 4). */
START_TEST(ones_come_over_the_wire_when_all_want_them)
{
    static const struct cm_pshift_pattern ones[] = {
        {CM_SHIFT_EOSHIFT_1, 0, 3}, {CM_SHIFT_EOSHIFT_1, 0, -2}, {CM_SHIFT_EOSHIFT_1, 1, 1}};
    static const struct cm_pshift_pattern mixed[] = {{CM_SHIFT_EOSHIFT_1, 0, 3},
                                                     {CM_SHIFT_EOSHIFT_0, 0, -2}};
    static const struct cm_pshift_pattern other[] = {{CM_SHIFT_EOSHIFT_1, 0, 3},
                                                     {CM_SHIFT_EOSHIFT_SCALAR, 1, 1}};
    struct cm_config config = cm200_config();
    struct bench bench;
    bench_create_as(&bench, &config, (enum cm_type)_i, shape_16x16, 16, false);
    struct cm_counters cost = call(&bench, must_set_up(&bench, CM_SETUP_AUTO, ones, 3), ones, 3);
    uint64_t third_steps = bench.layout.slices > 2 ? 3 : 0;
    ck_assert_uint_eq(cost.by_cause[CM_CAUSE_RUNTIME_CALL],
                      third_steps * config.front_end_runtime_call_cycles);
    cost = call(&bench, must_set_up(&bench, CM_SETUP_AUTO, mixed, 2), mixed, 2);
    ck_assert_uint_eq(cost.by_cause[CM_CAUSE_RUNTIME_CALL], config.front_end_runtime_call_cycles);
    cost = call(&bench, must_set_up(&bench, CM_SETUP_AUTO, other, 2), other, 2);
    ck_assert_uint_eq(cost.by_cause[CM_CAUSE_RUNTIME_CALL],
                      2 * config.front_end_runtime_call_cycles);
    bench_finish(&bench);
}
END_TEST

START_TEST(other_boundaries_take_a_third_step_each)
{
    static const struct cm_pshift_pattern patterns[] = {{CM_SHIFT_EOSHIFT_SCALAR, 0, 3},
                                                        {CM_SHIFT_EOSHIFT_SCALAR, 0, 0},
                                                        {CM_SHIFT_EOSHIFT_SCALAR, 1, -20}};
    struct bench bench;
    bench_create(&bench);
    struct cm_counters cost =
        call(&bench, must_set_up(&bench, CM_SETUP_AUTO, patterns, 3), patterns, 3);
    ck_assert_uint_eq(cost.by_cause[CM_CAUSE_RUNTIME_CALL],
                      2 * cm200_config().front_end_runtime_call_cycles); /* none by 0 */
    bench_finish(&bench);
}
END_TEST

/* ---- calls ---- */

START_TEST(a_call_that_differs_from_its_setup_is_refused)
{
    struct bench bench;
    struct cm_shift good[4], bad[4];
    struct cm_error err;
    bench_create(&bench);
    int id = must_set_up(&bench, CM_SETUP_AUTO, five_point, 4);
    shifts_of(&bench, five_point, 4, good);
    struct cm_layout other = layout_of(CM_TYPE_COMPLEX64, 2, shape_16x16, CM_ORDER_NEWS, 16);
    struct pair stranger = pair_create(bench.system, &other, &bench.random);
    for (int k = 0; k < 9; k++) {
        static const char *const messages[] = {"3 shifts; the setup was made for 4",
                                               "cshift along axis 1 by -1",
                                               "cshift along axis 1 by -1",
                                               "cshift along axis 1 by -1",
                                               "shift 3: array \"x\" differs",
                                               "shift 3: array \"x\" differs",
                                               "is the destination of shifts 1 and 3",
                                               "shift 3 has no source",
                                               "shift 3 has no destination"};
        memcpy(bad, good, sizeof bad);
        bad[2].type = k == 1 ? CM_SHIFT_EOSHIFT_0 : bad[2].type;
        bad[2].axis = k == 2 ? 0 : bad[2].axis;
        bad[2].distance = k == 3 ? 1 : bad[2].distance;
        bad[2].src = k == 4 ? stranger.array : k == 7 ? NULL : bad[2].src;
        bad[2].dst = k == 5 ? stranger.array : k == 6 ? bad[0].dst : k == 8 ? NULL : bad[2].dst;
        ck_assert_int_eq(cm_pshift_call(bench.system, id, bad, k == 0 ? 3 : 4, &err), CM_BAD_INPUT);
        ck_assert_msg(strstr(err.message, messages[k]) != NULL, "%s", err.message);
    }
    for (int i = 0; i < 4; i++) /* nothing was done */
        pair_check(bench.system, &bench.dst[i]);
    ck_assert_uint_eq(cm_machine_counters(cm_system_machine(bench.system)).cycles, 0);
    pair_finish(bench.system, &stranger);
    bench_finish(&bench);
}
END_TEST

START_TEST(unknown_kinds_and_missing_arrays_are_refused)
{
    static const struct cm_pshift_pattern unknown = {(enum cm_shift_type)99, 0, 1};
    struct bench bench;
    struct cm_error err;
    int id;
    bench_create(&bench);
    struct cm_array *array = bench.dst[0].array;
    const struct cm_shift shifts[] = {
        {.type = unknown.type, .distance = 1, .src = array, .dst = array},
        {.distance = 1, .src = array, .dst = array, .path = (enum cm_shift_path)99},
        {.distance = 1, .src = array},
        {.distance = 1, .dst = array},
        {.type = CM_SHIFT_EOSHIFT_ARRAY, .distance = 1, .src = array, .dst = array},
    };
    static const char *const messages[] = {
        "there is no kind of shift 99", "there is no path 99 of a shift",
        "the shift has no destination", "the shift has no source",
        "an EOSHIFT with a boundary array has no boundary array"};
    for (size_t i = 0; i < sizeof shifts / sizeof shifts[0]; i++) {
        ck_assert_int_eq(cm_runtime_shift(bench.system, &shifts[i], &err), CM_BAD_INPUT);
        ck_assert_str_eq(err.message, messages[i]);
        ck_assert_int_eq(cm_runtime_prepare(bench.system, &shifts[i], &err), CM_BAD_INPUT);
    }
    ck_assert_int_eq(cm_runtime_copy(bench.system, NULL, array, &err), CM_BAD_INPUT);
    ck_assert_int_eq(cm_array_scatter(bench.system, array, NULL, &err), CM_USAGE);
    ck_assert_str_eq(err.message, "the elements of a transfer: NULL");
    ck_assert_int_eq(cm_array_gather(bench.system, array, NULL, &err), CM_USAGE);
    ck_assert_int_eq(cm_array_scatter(bench.system, NULL, &bench, &err), CM_USAGE);
    ck_assert_str_eq(err.message, "the array of a transfer: NULL");
    ck_assert_int_eq(cm_array_gather(bench.system, NULL, &bench, NULL), CM_USAGE);
    ck_assert_int_eq(
        cm_pshift_setup(bench.system,
                        &(struct cm_pshift_request){CM_SETUP_AUTO, &bench.layout, &unknown, 1}, &id,
                        &err),
        CM_BAD_INPUT);
    ck_assert_str_eq(err.message, "shift 1: there is no kind of shift 99");
    ck_assert_int_eq(cm_pshift_setup(bench.system,
                                     &(struct cm_pshift_request){(enum cm_setup_kind)99,
                                                                 &bench.layout, five_point, 4},
                                     &id, &err),
                     CM_BAD_INPUT);
    ck_assert_str_eq(err.message, "there is no kind of setup 99");
    bench_finish(&bench);
}
END_TEST

/* P 3: a source that is also a destination is copied first; every shift reads what was there before
 * the call. */
START_TEST(sources_that_are_destinations_are_read_as_they_were)
{
    struct bench bench;
    struct cm_shift shifts[4];
    struct cm_error err;
    bench_create(&bench);
    int id = must_set_up(&bench, CM_SETUP_AUTO, five_point, 4);
    uint64_t table = next_table(&bench);
    struct pair *p = bench.dst;
    unsigned char *was[4];
    shifts_of(&bench, five_point, 4, shifts);
    const int from[4] = {0, 2, 1, 1}; /* in place; two swap; and one of them is read once more */
    for (int i = 0; i < 4; i++) {
        shifts[i].src = p[from[i]].array;
        was[i] = malloc(p[i].size);
        ck_assert_ptr_nonnull(was[i]);
        memcpy(was[i], p[i].bytes, p[i].size);
    }
    ck_assert_msg(cm_pshift_call(bench.system, id, shifts, 4, &err) == CM_OK, "%s", err.message);
    for (int i = 0; i < 4; i++) {
        shift_on_host(&bench.layout, &shifts[i], p[i].bytes, was[from[i]], NULL);
        pair_check(bench.system, &p[i]);
    }
    for (int i = 0; i < 4; i++)
        free(was[i]);
    ck_assert_uint_eq(next_table(&bench), table); /* temporaries are gone */
    bench_finish(&bench);
}
END_TEST

START_TEST(a_call_costs_the_same_without_data)
{
    static const struct cm_pshift_pattern patterns[] = {
        {CM_SHIFT_EOSHIFT_0, 0, 5}, {CM_SHIFT_EOSHIFT_SCALAR, 1, -8}, {CM_SHIFT_CSHIFT, 1, 5}};
    struct cm_config config = cm200_config();
    struct cm_counters costs[2];
    for (int timing_only = 0; timing_only < 2; timing_only++) {
        struct bench bench;
        bench_create_as(&bench, &config, CM_TYPE_REAL64, shape_16x16, 16, timing_only);
        costs[timing_only] =
            call(&bench, must_set_up(&bench, CM_SETUP_AUTO, patterns, 3), patterns, 3);
        bench_finish(&bench);
    }
    ck_assert_uint_gt(costs[0].cycles, 1000);
    ck_assert_mem_eq(&costs[0], &costs[1], sizeof costs[0]);
}
END_TEST

CM_PROGRAM(test_pshift)
{
    Suite *suite = suite_create("pshift");
    TCase *tests = tcase_create("pshift");
    tcase_add_test(tests, a_setup_serves_calls_until_it_is_deallocated);
    tcase_add_test(tests, ids_that_never_were_are_refused);
    tcase_add_test(tests, a_refused_setup_leaves_nothing_behind);
    tcase_add_test(tests, looped_and_unrolled_setups_do_the_same_in_different_space);
    tcase_add_test(tests, automatic_setups_are_looped_when_the_sram_is_short);
    tcase_add_loop_test(tests, a_looped_setup_keeps_to_the_loop_stack, 1, 4);
    tcase_add_test(tests, the_run_time_library_gets_shifts_for_a_reason);
    tcase_add_test(tests, tables_take_at_most_four_words_a_shift);
    tcase_add_loop_test(tests, zeros_come_over_the_wire_and_no_third_step_runs, 0, CM_TYPE_COUNT);
    tcase_add_loop_test(tests, ones_come_over_the_wire_when_all_want_them, 0, CM_TYPE_COUNT);
    tcase_add_test(tests, other_boundaries_take_a_third_step_each);
    tcase_add_test(tests, a_call_that_differs_from_its_setup_is_refused);
    tcase_add_test(tests, unknown_kinds_and_missing_arrays_are_refused);
    tcase_add_test(tests, sources_that_are_destinations_are_read_as_they_were);
    tcase_add_test(tests, a_call_costs_the_same_without_data);
    suite_add_tcase(suite, tests);
    return cm_run_suite(suite);
}
