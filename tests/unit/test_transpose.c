/* The C interface of transposes: a matrix known beforehand, what a setup reports and gives back,
 * what is refused. tests/property/test-transpose.c judges the data. */
#include "machines.h"
#include "programs/transpose/transpose.h"
#include "suite.h"

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

static struct cm_transpose_task task_of(uint64_t rows, uint64_t columns, uint32_t nodes,
                                        enum cm_transpose_algorithm algorithm)
{
    return (struct cm_transpose_task){.src = layout_of(CM_TYPE_REAL64, rows, columns, nodes),
                                      .dst = layout_of(CM_TYPE_REAL64, columns, rows, nodes),
                                      .axes = {0, 1},
                                      .algorithm = algorithm};
}

static struct cm_array *array_of(struct cm_system *system, const char *name,
                                 const struct cm_layout *layout)
{
    struct cm_array *array;
    ck_assert_int_eq(cm_array_create(system, name, layout, &array, NULL), CM_OK);
    return array;
}

/* Calls a setup twice on arrays of its layouts; there and back again gives the matrix. */
static struct cm_transpose_info there_and_back(uint64_t rows, uint64_t columns,
                                               enum cm_transpose_algorithm algorithm)
{
    const struct cm_config config = cm200_config();
    struct cm_system *system = system_of(&config, 64, false);
    const struct cm_transpose_task there = task_of(rows, columns, 64, algorithm);
    const struct cm_transpose_task back = task_of(columns, rows, 64, algorithm);
    struct cm_array *a = array_of(system, "a", &there.src), *b = array_of(system, "b", &there.dst);
    struct cm_transpose *forth, *again;
    double numbers[4096], found[4096];
    for (uint32_t i = 0; i < rows * columns; i++)
        numbers[i] = i;
    ck_assert_int_eq(cm_array_scatter(system, a, numbers, NULL), CM_OK);
    ck_assert_int_eq(cm_transpose_setup(system, &there, &forth, NULL), CM_OK);
    ck_assert_int_eq(cm_transpose_setup(system, &back, &again, NULL), CM_OK);
    for (int call = 0; call < 2; call++)
        ck_assert_int_eq(cm_transpose_call(system, forth, b, a, NULL), CM_OK);
    ck_assert_int_eq(cm_array_gather(system, b, found, NULL), CM_OK);
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t j = 0; j < columns; j++)
            ck_assert_double_eq(found[j + columns * i], numbers[i + rows * j]);
    ck_assert_int_eq(cm_transpose_call(system, again, a, b, NULL), CM_OK);
    ck_assert_int_eq(cm_array_gather(system, a, found, NULL), CM_OK);
    ck_assert_mem_eq(found, numbers, rows * columns * sizeof *numbers);
    const struct cm_transpose_info info = cm_transpose_info(forth);
    cm_transpose_deallocate(system, forth);
    cm_transpose_deallocate(system, again);
    cm_transpose_deallocate(system, NULL);
    cm_array_destroy(system, a);
    cm_array_destroy(system, b);
    cm_system_destroy(system);
    return info;
}

START_TEST(there_and_back_by_exchanges)
{
    const struct cm_transpose_info info = there_and_back(64, 64, CM_TRANSPOSE_AUTO);
    ck_assert_int_eq(info.algorithm, CM_TRANSPOSE_EXCHANGE);
    ck_assert_uint_eq(info.words, 128);
    ck_assert_uint_eq(info.dimensions, 6);
    ck_assert_uint_eq(info.lower_bound, 32);
    ck_assert_uint_ge(info.exchanges, info.lower_bound);
    ck_assert_uint_eq(info.packets, 0);
    ck_assert_str_eq(info.reason, "");
}
END_TEST

START_TEST(there_and_back_through_the_router)
{
    struct cm_transpose_info info = there_and_back(50, 30, CM_TRANSPOSE_AUTO);
    ck_assert_int_eq(info.algorithm, CM_TRANSPOSE_ROUTER);
    ck_assert_uint_eq(info.packets, 1500);
    ck_assert_msg(strstr(info.reason, "not a power of two") != NULL, "%s", info.reason);
    info = there_and_back(64, 64, CM_TRANSPOSE_ROUTER);
    ck_assert_uint_eq(info.packets, 4096);
    ck_assert_uint_eq(info.exchanges, 0);
    ck_assert_str_eq(info.reason, "");
}
END_TEST

static void refuse(struct cm_system *system, const struct cm_transpose_task *task,
                   const char *message)
{
    struct cm_transpose *transpose;
    struct cm_error err;
    ck_assert_int_eq(cm_transpose_setup(system, task, &transpose, &err), CM_BAD_INPUT);
    ck_assert_msg(strstr(err.message, message) != NULL, "%s", err.message);
    ck_assert_ptr_null(transpose);
}

START_TEST(refuses_tasks_that_mean_nothing)
{
    struct cm_config config = cm200_config();
    struct cm_system *system = system_of(&config, 4, false);
    struct cm_transpose_task task = task_of(8, 4, 4, CM_TRANSPOSE_AUTO);
    task.axes[1] = 2;
    refuse(system, &task, "rank 2 has no axis 2");
    task.axes[1] = 0;
    refuse(system, &task, "axis 0 cannot change places with itself");
    task.axes[1] = 1;
    task.dst = task.src;
    refuse(system, &task, "do not match");
    task = task_of(3, 4, 4, CM_TRANSPOSE_EXCHANGE);
    refuse(system, &task,
           "exchanges cannot do this transpose: axis 0 (dim 1 in a workload) of the source");
    cm_system_destroy(system);
    config.router_buffer_words = 1;
    system = system_of(&config, 4, false);
    task = task_of(3, 4, 4, CM_TRANSPOSE_AUTO);
    refuse(system, &task, "does not fit the router's buffers of 1");
    cm_system_destroy(system);
}
END_TEST

START_TEST(refuses_arrays_of_other_layouts)
{
    const struct cm_config config = cm200_config();
    struct cm_system *system = system_of(&config, 4, false);
    const struct cm_transpose_task task = task_of(8, 4, 4, CM_TRANSPOSE_AUTO);
    struct cm_array *a = array_of(system, "a", &task.src);
    struct cm_transpose *transpose;
    struct cm_error err;
    ck_assert_int_eq(cm_transpose_setup(system, &task, &transpose, NULL), CM_OK);
    ck_assert_int_eq(cm_transpose_call(system, transpose, a, a, &err), CM_BAD_INPUT);
    ck_assert_msg(strstr(err.message, "the destination \"a\"") != NULL, "%s", err.message);
    cm_transpose_deallocate(system, transpose);
    cm_array_destroy(system, a);
    cm_system_destroy(system);
}
END_TEST

CM_PROGRAM(test_transpose)
{
    Suite *suite = suite_create("transpose");
    TCase *tests = tcase_create("transpose");
    tcase_add_test(tests, there_and_back_by_exchanges);
    tcase_add_test(tests, there_and_back_through_the_router);
    tcase_add_test(tests, refuses_tasks_that_mean_nothing);
    tcase_add_test(tests, refuses_arrays_of_other_layouts);
    suite_add_tcase(suite, tests);
    return cm_run_suite(suite);
}
