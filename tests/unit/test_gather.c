/* The C interface of gets and sends: a reversal and a histogram known beforehand, what is refused.
 * tests/property/test-gather.c judges the data. */
#include "machines.h"
#include "programs/gather/gather.h"
#include "suite.h"

#include <string.h>

#define LENGTH 100u

static struct cm_layout layout_of(enum cm_type type, uint64_t length, uint32_t nodes)
{
    const struct cm_layout_request request = {
        .type = type, .rank = 1, .shape = {length}, .weights = {1}};
    struct cm_layout layout;
    ck_assert_int_eq(cm_layout_create(&request, nodes, &layout, NULL), CM_OK);
    return layout;
}

static struct cm_array *array_of(struct cm_system *system, const char *name, enum cm_type type,
                                 uint64_t length, const void *elements)
{
    const struct cm_layout layout =
        layout_of(type, length, cm_machine_nodes(cm_system_machine(system)));
    struct cm_array *array;
    ck_assert_int_eq(cm_array_create(system, name, &layout, &array, NULL), CM_OK);
    if (elements)
        ck_assert_int_eq(cm_array_scatter(system, array, elements, NULL), CM_OK);
    return array;
}

static struct cm_gather_task task_of(enum cm_gather_kind kind, enum cm_gather_op op,
                                     const struct cm_array *dst, const struct cm_array *src)
{
    return (struct cm_gather_task){
        .kind = kind, .op = op, .dst = dst->layout, .src = src->layout, .first = 1};
}

/* Both ways, a get and a send, give the same. */
START_TEST(an_array_is_reversed)
{
    const struct cm_config config = cm200_config();
    double numbers[LENGTH], found[LENGTH];
    int32_t backwards[LENGTH];
    for (uint32_t i = 0; i < LENGTH; i++) {
        numbers[i] = i;
        backwards[i] = (int32_t)(LENGTH - i);
    }
    for (uint32_t kind = 0; kind < 2; kind++) {
        struct cm_system *system = system_of(&config, 16, false);
        struct cm_array *src = array_of(system, "src", CM_TYPE_REAL64, LENGTH, numbers);
        struct cm_array *dst = array_of(system, "dst", CM_TYPE_REAL64, LENGTH, NULL);
        struct cm_array *index = array_of(system, "index", CM_TYPE_INT32, LENGTH, backwards);
        const struct cm_gather_task task =
            task_of((enum cm_gather_kind)kind, CM_GATHER_OVERWRITE, dst, src);
        const struct cm_gather_arrays arrays = {.dst = dst, .src = src, .subscripts = {index}};
        struct cm_gather *gather;
        ck_assert_int_eq(cm_gather_setup(system, &task, &gather, NULL), CM_OK);
        for (int call = 0; call < 2; call++)
            ck_assert_int_eq(cm_gather_call(system, gather, &arrays, NULL), CM_OK);
        ck_assert_int_eq(cm_array_gather(system, dst, found, NULL), CM_OK);
        for (uint32_t i = 0; i < LENGTH; i++)
            ck_assert_double_eq(found[i], LENGTH - 1 - i);
        const struct cm_gather_info info = cm_gather_info(gather);
        ck_assert_uint_eq(info.elements, LENGTH);
        ck_assert_uint_eq(info.packets, kind == CM_GATHER_GET ? 2 * LENGTH : LENGTH);
        ck_assert_uint_eq(info.collisions, 0);
        cm_gather_deallocate(gather);
        cm_array_destroy(system, src);
        cm_array_destroy(system, dst);
        cm_array_destroy(system, index);
        cm_system_destroy(system);
    }
    cm_gather_deallocate(NULL);
}
END_TEST

/* How often each remainder modulo 7 occurs in 0 .. 99. */
START_TEST(sends_with_add_count)
{
    const struct cm_config config = cm200_config();
    struct cm_system *system = system_of(&config, 16, false);
    int32_t ones[LENGTH], remainders[LENGTH], found[7];
    for (uint32_t i = 0; i < LENGTH; i++) {
        ones[i] = 1;
        remainders[i] = (int32_t)(i % 7) + 1;
    }
    struct cm_array *src = array_of(system, "src", CM_TYPE_INT32, LENGTH, ones);
    struct cm_array *dst = array_of(system, "dst", CM_TYPE_INT32, 7, NULL);
    struct cm_array *index = array_of(system, "index", CM_TYPE_INT32, LENGTH, remainders);
    const struct cm_gather_task task = task_of(CM_GATHER_SEND, CM_GATHER_ADD, dst, src);
    const struct cm_gather_arrays arrays = {.dst = dst, .src = src, .subscripts = {index}};
    struct cm_gather *gather;
    ck_assert_int_eq(cm_gather_setup(system, &task, &gather, NULL), CM_OK);
    ck_assert_int_eq(cm_gather_call(system, gather, &arrays, NULL), CM_OK);
    ck_assert_int_eq(cm_array_gather(system, dst, found, NULL), CM_OK);
    for (int32_t i = 0; i < 7; i++)
        ck_assert_int_eq(found[i], i < 2 ? 15 : 14);
    ck_assert_uint_eq(cm_gather_info(gather).collisions, LENGTH - 7);
    cm_gather_deallocate(gather);
    cm_array_destroy(system, src);
    cm_array_destroy(system, dst);
    cm_array_destroy(system, index);
    cm_system_destroy(system);
}
END_TEST

static void refuse_task(struct cm_system *system, const struct cm_gather_task *task,
                        const char *message)
{
    struct cm_gather *gather;
    struct cm_error err;
    ck_assert_int_eq(cm_gather_setup(system, task, &gather, &err), CM_BAD_INPUT);
    ck_assert_msg(strstr(err.message, message) != NULL, "%s", err.message);
    ck_assert_ptr_null(gather);
}

START_TEST(refuses_tasks_that_mean_nothing)
{
    struct cm_config config = cm200_config();
    struct cm_system *system = system_of(&config, 4, false);
    struct cm_array *a = array_of(system, "a", CM_TYPE_REAL64, 8, NULL);
    struct cm_array *b = array_of(system, "b", CM_TYPE_REAL32, 8, NULL);
    struct cm_gather_task task = task_of(CM_GATHER_GET, CM_GATHER_OVERWRITE, a, b);
    refuse_task(system, &task, "the source is real32, but the destination is real64");
    task = task_of(CM_GATHER_SEND, CM_GATHER_XOR, a, a);
    refuse_task(system, &task, "xor does not take real64 arrays");
    task = task_of(CM_GATHER_SEND, CM_GATHER_ADD, a, a);
    task.first = 2;
    refuse_task(system, &task, "indices count from 0 or from 1");
    cm_array_destroy(system, a);
    cm_array_destroy(system, b);
    cm_system_destroy(system);
    config.router_buffer_words = 1;
    system = system_of(&config, 4, false);
    task.first = 1;
    refuse_task(system, &task, "does not fit the router's buffers of 1");
    cm_system_destroy(system);
}
END_TEST

static void refuse_call(struct cm_system *system, struct cm_gather *gather,
                        const struct cm_gather_arrays *arrays, enum cm_status status,
                        const char *message)
{
    struct cm_error err;
    ck_assert_int_eq(cm_gather_call(system, gather, arrays, &err), status);
    ck_assert_msg(strstr(err.message, message) != NULL, "%s", err.message);
}

START_TEST(refuses_calls_that_mean_nothing)
{
    const struct cm_config config = cm200_config();
    const int32_t wrong[4] = {1, 2, 5, 4}, right[4] = {1, 2, 3, 4};
    struct cm_system *system = system_of(&config, 4, false);
    struct cm_array *a = array_of(system, "a", CM_TYPE_REAL64, 4, NULL);
    struct cm_array *b = array_of(system, "b", CM_TYPE_REAL64, 4, NULL);
    struct cm_array *i = array_of(system, "i", CM_TYPE_INT32, 4, wrong);
    const struct cm_gather_task task = task_of(CM_GATHER_GET, CM_GATHER_OVERWRITE, b, a);
    struct cm_gather_arrays arrays = {.dst = b, .src = a, .subscripts = {i}};
    struct cm_gather *gather;
    ck_assert_int_eq(cm_gather_setup(system, &task, &gather, NULL), CM_OK);
    refuse_call(system, gather, &arrays, CM_FAULT,
                "\"i\"(3) is 5, but dimension 1 of \"a\" has indices 1 to 4");
    ck_assert_int_eq(cm_array_scatter(system, i, right, NULL), CM_OK);
    ck_assert_int_eq(cm_gather_call(system, gather, &arrays, NULL), CM_OK);
    arrays.subscripts[0] = a;
    refuse_call(system, gather, &arrays, CM_BAD_INPUT, "the subscript \"a\" is not a int32 array");
    arrays.subscripts[0] = i;
    arrays.dst = a;
    refuse_call(system, gather, &arrays, CM_BAD_INPUT, "\"a\" is both source and destination");
    cm_gather_deallocate(gather);
    cm_array_destroy(system, a);
    cm_array_destroy(system, b);
    cm_array_destroy(system, i);
    cm_system_destroy(system);
}
END_TEST

START_TEST(without_data_subscripts_are_held)
{
    const struct cm_config config = cm200_config();
    const int32_t right[4] = {1, 2, 3, 4};
    struct cm_system *system = system_of(&config, 4, true);
    struct cm_array *a = array_of(system, "a", CM_TYPE_REAL64, 4, NULL);
    struct cm_array *b = array_of(system, "b", CM_TYPE_REAL64, 4, NULL);
    struct cm_array *i = array_of(system, "i", CM_TYPE_INT32, 4, right);
    const struct cm_gather_task task = task_of(CM_GATHER_SEND, CM_GATHER_ADD, b, a);
    const struct cm_gather_arrays arrays = {.dst = b, .src = a, .subscripts = {i}};
    struct cm_gather *gather;
    ck_assert_int_eq(cm_gather_setup(system, &task, &gather, NULL), CM_OK);
    refuse_call(system, gather, &arrays, CM_BAD_INPUT, "needs the elements of \"i\"");
    i->held = true;
    ck_assert_int_eq(cm_array_scatter(system, i, right, NULL), CM_OK);
    ck_assert_int_eq(cm_gather_call(system, gather, &arrays, NULL), CM_OK);
    ck_assert_uint_gt(cm_machine_counters(cm_system_machine(system)).cycles, 0);
    cm_gather_deallocate(gather);
    cm_array_destroy(system, a);
    cm_array_destroy(system, b);
    cm_array_destroy(system, i);
    cm_system_destroy(system);
}
END_TEST

CM_PROGRAM(test_gather)
{
    Suite *suite = suite_create("gather");
    TCase *tests = tcase_create("gather");
    tcase_add_test(tests, an_array_is_reversed);
    tcase_add_test(tests, sends_with_add_count);
    tcase_add_test(tests, refuses_tasks_that_mean_nothing);
    tcase_add_test(tests, refuses_calls_that_mean_nothing);
    tcase_add_test(tests, without_data_subscripts_are_held);
    suite_add_tcase(suite, tests);
    return cm_run_suite(suite);
}
