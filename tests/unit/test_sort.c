/* The C interface of sorts: an order known beforehand, what a setup reports and gives back, what is
 * refused. tests/property/test-sort.c judges the data. */
#include "machines.h"
#include "programs/sort/sort.h"
#include "suite.h"

#include <math.h>
#include <string.h>

static struct cm_layout layout_of(enum cm_type type, uint64_t rows, uint64_t columns,
                                  uint32_t nodes)
{
    const struct cm_layout_request request = {
        .type = type, .rank = 2, .shape = {rows, columns}, .weights = {1, 1}};
    struct cm_layout layout;
    ck_assert_int_eq(cm_layout_create(&request, nodes, &layout, NULL), CM_OK);
    return layout;
}

static struct cm_array *array_of(struct cm_system *system, const char *name,
                                 const struct cm_layout *layout)
{
    struct cm_array *array;
    ck_assert_int_eq(cm_array_create(system, name, layout, &array, NULL), CM_OK);
    return array;
}

/* Whether a table of so many words fits, which leaves no more than that. */
static bool has_room(struct cm_system *system, uint64_t words)
{
    uint64_t address;
    if (cm_heap_allocate(system->heap, CM_HEAP_TABLES, words, "probe", &address, NULL) != CM_OK)
        return false;
    cm_heap_free(system->heap, address);
    return true;
}

static uint64_t heap_left(struct cm_system *system)
{
    uint64_t low = 0, high = UINT64_C(1) << 32;
    while (high - low > 1) {
        const uint64_t middle = (low + high) / 2;
        if (has_room(system, middle))
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The permutation i -> 7 i mod 1000 of 0 .. 999, whose inverse is i -> 143 i mod 1000; the ranks of
 * the sorted keys are the inverse's values. */
START_TEST(sorts_a_permutation)
{
    const struct cm_config config = cm200_config();
    struct cm_system *system = system_of(&config, 64, false);
    const struct cm_layout keys = layout_of(CM_TYPE_REAL64, 1000, 1, 64);
    const struct cm_layout integers = layout_of(CM_TYPE_INT32, 1000, 1, 64);
    const uint64_t free_before = heap_left(system);
    struct cm_array *a = array_of(system, "a", &keys), *p = array_of(system, "p", &integers);
    const struct cm_sort_task task = {.layout = keys, .ranked = true};
    const struct cm_sort_arrays arrays = {.dst = a, .src = a, .rank = p};
    struct cm_sort *sort;
    double numbers[1000];
    int32_t ranks[1000];
    for (int i = 0; i < 1000; i++)
        numbers[i] = 7 * i % 1000;
    ck_assert_int_eq(cm_array_scatter(system, a, numbers, NULL), CM_OK);
    ck_assert_int_eq(cm_sort_setup(system, &task, &sort, NULL), CM_OK);
    for (int call = 0; call < 2; call++) { /* the second one finds them sorted */
        ck_assert_int_eq(cm_sort_call(system, sort, &arrays, NULL), CM_OK);
        ck_assert_int_eq(cm_array_gather(system, a, numbers, NULL), CM_OK);
        ck_assert_int_eq(cm_array_gather(system, p, ranks, NULL), CM_OK);
        for (int i = 0; i < 1000; i++) {
            ck_assert_double_eq(numbers[i], i);
            ck_assert_int_eq(ranks[i], 1 + (call == 0 ? 143 * i % 1000 : i));
        }
    }
    const struct cm_sort_info info = cm_sort_info(sort);
    ck_assert_uint_eq(info.values, 16);
    ck_assert_uint_eq(info.record_words, 3);
    ck_assert_uint_eq(info.dimensions, 6);
    ck_assert_uint_eq(info.exchanges, 3 * (6 * 8 + 15));
    ck_assert_uint_eq(cm_machine_counters(system->machine).exchanges, 2 * info.exchanges);
    cm_sort_deallocate(system, sort);
    cm_array_destroy(system, a);
    cm_array_destroy(system, p);
    ck_assert_uint_eq(heap_left(system), free_before);
    cm_sort_deallocate(system, NULL);
    cm_system_destroy(system);
}
END_TEST

/* The order of the special numbers, both ways; NaNs are last and lose their sign. */
START_TEST(orders_zeros_and_nans)
{
    const struct cm_config config = cm200_config();
    const float given[8] = {NAN, 0.0f, -INFINITY, 1.0f, -0.0f, INFINITY, -1e-42f, -NAN};
    const float upward[6] = {-INFINITY, -1e-42f, -0.0f, 0.0f, 1.0f, INFINITY};
    for (int descending = 0; descending < 2; descending++) {
        struct cm_system *system = system_of(&config, 4, false);
        const struct cm_layout layout = layout_of(CM_TYPE_REAL32, 8, 1, 4);
        struct cm_array *a = array_of(system, "a", &layout);
        const struct cm_sort_task task = {.layout = layout, .descending = descending == 1};
        const struct cm_sort_arrays arrays = {.dst = a, .src = a};
        struct cm_sort *sort;
        float found[8];
        ck_assert_int_eq(cm_array_scatter(system, a, given, NULL), CM_OK);
        ck_assert_int_eq(cm_sort_setup(system, &task, &sort, NULL), CM_OK);
        ck_assert_int_eq(cm_sort_call(system, sort, &arrays, NULL), CM_OK);
        ck_assert_int_eq(cm_array_gather(system, a, found, NULL), CM_OK);
        for (int i = 0; i < 6; i++)
            ck_assert_mem_eq(&found[i], &upward[descending ? 5 - i : i], sizeof *found);
        for (int i = 6; i < 8; i++)
            ck_assert(isnan(found[i]) && !signbit(found[i]));
        cm_sort_deallocate(system, sort);
        cm_array_destroy(system, a);
        cm_system_destroy(system);
    }
}
END_TEST

/* The nodes of a group of tests of sorts by samples. */
#define NODES 64u
#define EACH  128u /* records of a node, which takes 16 samples, and has room for 256 */

static struct cm_layout line_of(enum cm_type type, uint64_t length, uint32_t nodes)
{
    const struct cm_layout_request request = {
        .type = type, .rank = 1, .shape = {length}, .weights = {1}};
    struct cm_layout layout;
    ck_assert_int_eq(cm_layout_create(&request, nodes, &layout, NULL), CM_OK);
    return layout;
}

/*
 * Keys that mislead the samples: node c takes record (c + c / 16) mod 16 / 2 of each eight.
 * These are neighbours in the order, those of all nodes; the other seven of each node come between
 * them and the next such records.
 */
static void mislead(float *keys)
{
    for (uint32_t e = 0; e < NODES * EACH; e++) {
        const uint32_t node = e / EACH, place = e % EACH % 8, picked = (node + node / 16) % 16 / 2;
        const float base = 1000.0f * (float)(e % EACH / 8);
        if (place < picked)
            keys[e] = base - 500 + (float)place;
        else
            keys[e] = place == picked ? base + (float)node : base + 400 + (float)place;
    }
}

static void call_and_expect_order(struct cm_system *system, const struct cm_sort *sort,
                                  struct cm_array *array, const float *keys)
{
    static float found[NODES * EACH];
    const struct cm_sort_arrays arrays = {.src = array, .dst = array};
    double before = 0, after = 0;
    ck_assert_int_eq(cm_array_scatter(system, array, keys, NULL), CM_OK);
    ck_assert_int_eq(cm_sort_call(system, sort, &arrays, NULL), CM_OK);
    ck_assert_int_eq(cm_array_gather(system, array, found, NULL), CM_OK);
    for (uint32_t e = 0; e < NODES * EACH; e++) {
        before += keys[e];
        after += found[e];
        ck_assert(e == 0 || found[e - 1] <= found[e]);
    }
    ck_assert(before == after);
}

START_TEST(sorts_without_samples_if_too_many_records_come_to_a_node)
{
    static float keys[NODES * EACH];
    const struct cm_config config = cm200_config();
    struct cm_system *system = system_of(&config, NODES, false);
    const struct cm_sort_task task = {.layout = line_of(CM_TYPE_REAL32, NODES * EACH, NODES),
                                      .method = CM_SORT_SAMPLE};
    struct cm_array *a = array_of(system, "a", &task.layout);
    const uint64_t free_before = heap_left(system);
    struct cm_sort *sort;
    ck_assert_int_eq(cm_sort_setup(system, &task, &sort, NULL), CM_OK);
    mislead(keys);
    call_and_expect_order(system, sort, a, keys);
    struct cm_sort_info info = cm_sort_info(sort);
    ck_assert_int_eq(info.method, CM_SORT_SAMPLE);
    ck_assert_uint_eq(info.samples, 16);
    ck_assert_uint_eq(info.capacity, 256);
    ck_assert_uint_eq(info.most, 16 + 7 * NODES);
    ck_assert(info.overflowed);
    for (uint32_t e = 0; e < NODES * EACH; e++)
        keys[e] = (float)(e * 2654435761u >> 8);
    call_and_expect_order(system, sort, a, keys);
    info = cm_sort_info(sort);
    ck_assert(!info.overflowed && info.most >= EACH && info.most <= 256);
    cm_sort_deallocate(system, sort);
    ck_assert_uint_eq(heap_left(system), free_before);
    cm_array_destroy(system, a);
    cm_system_destroy(system);
}
END_TEST

START_TEST(says_why_it_does_not_take_samples)
{
    const struct {
        uint32_t nodes;
        struct cm_layout layout;
        enum cm_sort_method method;
        uint32_t carried;
        uint64_t memory; /* words; 0: all */
        const char *reason;
    } cases[] = {
        {1, line_of(CM_TYPE_REAL32, 64, 1), CM_SORT_SAMPLE, 0, 0, "the axis is in one node"},
        {4, layout_of(CM_TYPE_REAL32, 64, 64, 4), CM_SORT_SAMPLE, 0, 0,
         "a node has parts of several columns"},
        {NODES, line_of(CM_TYPE_REAL32, 31 * NODES, NODES), CM_SORT_SAMPLE, 0, 0,
         "a node has too few records for its samples"},
        {4, line_of(CM_TYPE_REAL32, 256, 4), CM_SORT_SAMPLE, 4, 0,
         "a record does not fit the router's buffers"},
        {4, line_of(CM_TYPE_REAL32, 256, 4), CM_SORT_SAMPLE, 0, 400,
         "its work areas do not fit the memory of a node"},
        {2, line_of(CM_TYPE_REAL32, 256, 2), CM_SORT_AUTO, 0, 0,
         "the bitonic sort is estimated to be faster"},
        {NODES, line_of(CM_TYPE_REAL32, 512 * NODES, NODES), CM_SORT_AUTO, 0, 0, NULL},
        {4, line_of(CM_TYPE_REAL32, 256, 4), CM_SORT_SAMPLE, 0, 0, NULL},
        {4, line_of(CM_TYPE_REAL32, 256, 4), CM_SORT_BITONIC, 0, 0, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cm_config config = cm200_config();
        struct cm_sort_task task = {
            .layout = cases[i].layout, .carried = cases[i].carried, .method = cases[i].method};
        struct cm_sort *sort;
        for (uint32_t k = 0; k < task.carried; k++)
            task.carried_types[k] = CM_TYPE_COMPLEX128;
        if (cases[i].memory > 0)
            config.memory_words = config.memory_heap_base_words + cases[i].memory;
        struct cm_system *system = system_of(&config, cases[i].nodes, false);
        const uint64_t free_before = heap_left(system);
        ck_assert_int_eq(cm_sort_setup(system, &task, &sort, NULL), CM_OK);
        const struct cm_sort_info info = cm_sort_info(sort);
        ck_assert_pstr_eq(info.reason, cases[i].reason);
        ck_assert(info.method == (cases[i].method == CM_SORT_BITONIC || cases[i].reason
                                      ? CM_SORT_BITONIC
                                      : CM_SORT_SAMPLE));
        cm_sort_deallocate(system, sort);
        ck_assert_uint_eq(heap_left(system), free_before);
        cm_system_destroy(system);
    }
}
END_TEST

static void refuse_task(struct cm_system *system, const struct cm_sort_task *task,
                        const char *message)
{
    struct cm_sort *sort;
    struct cm_error err;
    ck_assert_int_eq(cm_sort_setup(system, task, &sort, &err), CM_BAD_INPUT);
    ck_assert_msg(strstr(err.message, message) != NULL, "%s", err.message);
    ck_assert_ptr_null(sort);
}

START_TEST(refuses_tasks_that_mean_nothing)
{
    const struct cm_config config = cm200_config();
    struct cm_system *system = system_of(&config, 4, false);
    struct cm_sort_task task = {.layout = layout_of(CM_TYPE_REAL32, 8, 8, 4), .axis = 2};
    refuse_task(system, &task, "an array of rank 2 has no such axis");
    task.axis = 1;
    task.carried = CM_SORT_CARRIED_MAX + 1;
    refuse_task(system, &task, "9 arrays to carry; a sort carries at most 8");
    task.carried = CM_SORT_CARRIED_MAX;
    for (uint32_t i = 0; i < CM_SORT_CARRIED_MAX; i++)
        task.carried_types[i] = CM_TYPE_COMPLEX128;
    refuse_task(system, &task, "need 18 registers, there are 12 for each");
    task.carried = 1;
    task.carried_types[0] = CM_TYPE_COUNT;
    refuse_task(system, &task, "the type of a carried array is not known");
    task.carried = 0;
    task.layout = layout_of(CM_TYPE_COMPLEX64, 8, 8, 4);
    refuse_task(system, &task, "complex64 has no order");
    task.layout = layout_of(CM_TYPE_LOGICAL, 1, UINT64_C(1) << 31, 4);
    refuse_task(system, &task, "at most 2^30");
    task.method = CM_SORT_METHODS;
    refuse_task(system, &task, "the method of a sort is not known");
    cm_system_destroy(system);
    system = system_of(&config, NODES, true);
    task.axis = 0;
    task.layout = line_of(CM_TYPE_REAL32, NODES * EACH, NODES);
    for (task.method = CM_SORT_SAMPLE; task.method <= CM_SORT_AUTO; task.method++)
        refuse_task(system, &task, "the cycles of a sort by samples depend on the keys");
    cm_system_destroy(system);
}
END_TEST

/* Nothing is left behind. */
START_TEST(refuses_what_does_not_fit)
{
    struct cm_config config = cm200_config();
    const struct cm_sort_task task = {.layout = layout_of(CM_TYPE_REAL32, 256, 64, 64), .axis = 1};
    config.sequencer_sram_words = 64;
    struct cm_system *system = system_of(&config, 64, false);
    const uint64_t free_before = heap_left(system);
    refuse_task(system, &task, "SRAM");
    ck_assert_uint_eq(heap_left(system), free_before);
    cm_system_destroy(system);
    config = cm200_config();
    config.memory_words = config.memory_heap_base_words + 8;
    system = system_of(&config, 64, false);
    refuse_task(system, &task, "the work area of a sort");
    cm_system_destroy(system);
}
END_TEST

START_TEST(refuses_arrays_that_are_not_those_of_the_setup)
{
    const struct cm_config config = cm200_config();
    struct cm_system *system = system_of(&config, 4, false);
    const struct cm_layout integers = layout_of(CM_TYPE_INT32, 8, 8, 4);
    const struct cm_layout other = layout_of(CM_TYPE_INT32, 8, 4, 4);
    const struct cm_sort_task task = {
        .layout = integers, .ranked = true, .carried = 1, .carried_types = {CM_TYPE_INT32}};
    struct cm_array *a = array_of(system, "a", &integers), *b = array_of(system, "b", &integers);
    struct cm_array *c = array_of(system, "c", &other), *d = array_of(system, "d", &integers);
    struct cm_sort *sort;
    struct cm_error err;
    const struct {
        struct cm_sort_arrays arrays;
        const char *message;
    } cases[] = {
        {{.dst = a, .src = c, .rank = b, .carried = {{d, d}}},
         "the source \"c\" is not an array of type int32"},
        {{.src = a, .rank = b, .carried = {{d, d}}}, "the destination of a sort is missing"},
        {{.dst = a, .src = a, .carried = {{d, d}}}, "the rank of a sort is missing"},
        {{.dst = a, .src = a, .rank = b, .carried = {{d, c}}}, "the carried source \"c\" is not"},
        {{.dst = a, .src = a, .rank = b, .carried = {{b, d}}}, "\"b\" gets two results"},
    };
    ck_assert_int_eq(cm_sort_setup(system, &task, &sort, NULL), CM_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert_int_eq(cm_sort_call(system, sort, &cases[i].arrays, &err), CM_BAD_INPUT);
        ck_assert_msg(strstr(err.message, cases[i].message) != NULL, "%s", err.message);
    }
    ck_assert_uint_eq(cm_machine_counters(system->machine).cycles, 0);
    cm_sort_deallocate(system, sort);
    cm_array_destroy(system, a);
    cm_array_destroy(system, b);
    cm_array_destroy(system, c);
    cm_array_destroy(system, d);
    cm_system_destroy(system);
}
END_TEST

CM_PROGRAM(test_sort)
{
    Suite *suite = suite_create("sort");
    TCase *tests = tcase_create("sort");
    tcase_add_test(tests, sorts_a_permutation);
    tcase_add_test(tests, orders_zeros_and_nans);
    tcase_add_test(tests, sorts_without_samples_if_too_many_records_come_to_a_node);
    tcase_add_test(tests, says_why_it_does_not_take_samples);
    tcase_add_test(tests, refuses_tasks_that_mean_nothing);
    tcase_add_test(tests, refuses_what_does_not_fit);
    tcase_add_test(tests, refuses_arrays_that_are_not_those_of_the_setup);
    suite_add_tcase(suite, tests);
    return cm_run_suite(suite);
}
