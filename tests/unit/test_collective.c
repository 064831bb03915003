/* The C interface of reductions, scans and spreads: sums known beforehand, what a setup reports and
 * gives back, what is refused. tests/property/test-collective.c judges the data. */
#include "machines.h"
#include "programs/collective/collective.h"
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

static struct cm_array *array_of(struct cm_system *system, const char *name,
                                 const struct cm_layout *layout)
{
    struct cm_array *array;
    ck_assert_int_eq(cm_array_create(system, name, layout, &array, NULL), CM_OK);
    return array;
}

/* Free words of node memory, as the refusal of a far too large array counts them. */
static uint64_t heap_left(struct cm_system *system)
{
    uint64_t low = 0, high = UINT64_C(1) << 32, address;
    while (high - low > 1) {
        const uint64_t middle = (low + high) / 2;
        if (cm_heap_allocate(system->heap, CM_HEAP_TABLES, middle, "probe", &address, NULL) ==
            CM_OK) {
            cm_heap_free(system->heap, address);
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* 1 + 2 + ... + n, which doubles hold. */
START_TEST(sum_of_the_first_numbers)
{
    const struct cm_config config = cm200_config();
    struct cm_system *system = system_of(&config, 64, false);
    const struct cm_layout layout = layout_of(CM_TYPE_REAL64, 50, 30, 64);
    const struct cm_collective_task task = {.layout = layout, .axis = CM_COLLECTIVE_WHOLE};
    const uint64_t free_before = heap_left(system);
    struct cm_array *src = array_of(system, "src", &layout);
    struct cm_collective *collective;
    struct cm_collective_value value;
    double numbers[1500], sum;
    for (uint32_t i = 0; i < 1500; i++)
        numbers[i] = i + 1;
    ck_assert_int_eq(cm_array_scatter(system, src, numbers, NULL), CM_OK);
    ck_assert_int_eq(cm_collective_setup(system, &task, &collective, NULL), CM_OK);
    const struct cm_collective_arrays arrays = {.src = src};
    for (int call = 0; call < 2; call++) {
        ck_assert_int_eq(cm_collective_call(system, collective, &arrays, &value, NULL), CM_OK);
        const uint64_t bits = cm_scalar_bits(value.type, &value.bits, 0);
        memcpy(&sum, &bits, sizeof sum);
        ck_assert_double_eq(sum, 1500.0 * 1501 / 2);
    }
    const struct cm_collective_info info = cm_collective_info(collective);
    ck_assert_uint_eq(info.values, 1);
    ck_assert_uint_eq(info.dimensions, 6);
    ck_assert_uint_eq(info.exchanges, 6);
    ck_assert_uint_eq(cm_machine_counters(system->machine).exchanges, 12);
    cm_collective_deallocate(system, collective);
    cm_array_destroy(system, src);
    ck_assert_uint_eq(heap_left(system), free_before);
    cm_collective_deallocate(system, NULL);
    cm_system_destroy(system);
}
END_TEST

static void refuse_task(struct cm_system *system, const struct cm_collective_task *task,
                        const char *message)
{
    struct cm_collective *collective;
    struct cm_error err;
    ck_assert_int_eq(cm_collective_setup(system, task, &collective, &err), CM_BAD_INPUT);
    ck_assert_msg(strstr(err.message, message) != NULL, "%s", err.message);
    ck_assert_ptr_null(collective);
}

START_TEST(refuses_tasks_that_mean_nothing)
{
    const struct cm_config config = cm200_config();
    struct cm_system *system = system_of(&config, 4, false);
    struct cm_collective_task task = {.layout = layout_of(CM_TYPE_REAL32, 8, 8, 4), .axis = 2};
    refuse_task(system, &task, "an array of rank 2 has no such axis");
    task.axis = CM_COLLECTIVE_WHOLE;
    task.kind = CM_COLLECTIVE_SPREAD;
    refuse_task(system, &task, "no such axis");
    task.axis = 1;
    task.place = 8;
    refuse_task(system, &task, "index 8 is beyond axis 1 of length 8");
    task.kind = CM_COLLECTIVE_SCAN;
    task.op = CM_COLLECTIVE_MAXLOC;
    refuse_task(system, &task, "maxloc is not for scans");
    task.kind = CM_COLLECTIVE_REDUCE;
    task.place = CM_COLLECTIVE_ALL;
    task.op = CM_COLLECTIVE_XOR;
    refuse_task(system, &task, "xor does not take real32 arrays");
    task.op = (enum cm_collective_op)99;
    refuse_task(system, &task, "there is no operation 99 on elements");
    task.op = CM_COLLECTIVE_XOR;
    task.kind = (enum cm_collective_kind)99;
    refuse_task(system, &task, "there is no collective operation 99");
    task.kind = CM_COLLECTIVE_REDUCE;
    task.layout = layout_of(CM_TYPE_LOGICAL, UINT64_C(1) << 20, UINT64_C(1) << 12, 4);
    refuse_task(system, &task, "fewer than 2^31 - 1 elements");
    cm_system_destroy(system);
}
END_TEST

/* Nothing is left behind. */
START_TEST(refuses_what_does_not_fit)
{
    struct cm_config config = cm200_config();
    const struct cm_collective_task task = {
        .layout = layout_of(CM_TYPE_REAL32, 256, 64, 64), .axis = 1, .place = CM_COLLECTIVE_ALL};
    config.sequencer_sram_words = 64;
    struct cm_system *system = system_of(&config, 64, false);
    const uint64_t free_before = heap_left(system);
    refuse_task(system, &task, "SRAM");
    ck_assert_uint_eq(heap_left(system), free_before);
    cm_system_destroy(system);
    config = cm200_config();
    config.memory_words = config.memory_heap_base_words + 8;
    system = system_of(&config, 64, false);
    refuse_task(system, &task, "the work area of a collective operation");
    cm_system_destroy(system);
}
END_TEST

START_TEST(refuses_arrays_that_are_not_those_of_the_setup)
{
    const struct cm_config config = cm200_config();
    struct cm_system *system = system_of(&config, 4, false);
    const struct cm_layout real = layout_of(CM_TYPE_LOGICAL, 8, 8, 4);
    const struct cm_layout other = layout_of(CM_TYPE_LOGICAL, 8, 4, 4);
    const struct cm_collective_task task = {.kind = CM_COLLECTIVE_SCAN,
                                            .op = CM_COLLECTIVE_OR,
                                            .layout = real,
                                            .masked = true,
                                            .segmented = true};
    struct cm_array *a = array_of(system, "a", &real), *b = array_of(system, "b", &real);
    struct cm_array *c = array_of(system, "c", &other);
    struct cm_collective *collective;
    struct cm_error err;
    const struct {
        struct cm_collective_arrays arrays;
        const char *message;
    } cases[] = {
        {{.dst = a, .src = c, .mask = b, .segments = b}, "the source \"c\" is not a logical array"},
        {{.dst = a, .src = a, .segments = b}, "the mask of a collective operation is missing"},
        {{.dst = a, .src = a, .mask = b, .segments = c}, "the segments \"c\" is not"},
        {{.dst = b, .src = a, .mask = b, .segments = a}, "its mask or segments"},
        {{.src = a, .mask = b, .segments = b}, "the destination of a collective operation is"},
    };
    ck_assert_int_eq(cm_collective_setup(system, &task, &collective, NULL), CM_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert_int_eq(cm_collective_call(system, collective, &cases[i].arrays, NULL, &err),
                         CM_BAD_INPUT);
        ck_assert_msg(strstr(err.message, cases[i].message) != NULL, "%s", err.message);
    }
    ck_assert_uint_eq(cm_machine_counters(system->machine).cycles, 0);
    cm_collective_deallocate(system, collective);
    cm_array_destroy(system, a);
    cm_array_destroy(system, b);
    cm_array_destroy(system, c);
    cm_system_destroy(system);
}
END_TEST

CM_PROGRAM(test_collective)
{
    Suite *suite = suite_create("collective");
    TCase *tests = tcase_create("collective");
    tcase_add_test(tests, sum_of_the_first_numbers);
    tcase_add_test(tests, refuses_tasks_that_mean_nothing);
    tcase_add_test(tests, refuses_what_does_not_fit);
    tcase_add_test(tests, refuses_arrays_that_are_not_those_of_the_setup);
    suite_add_tcase(suite, tests);
    return cm_run_suite(suite);
}
