/* The C interface of all-to-all communication: a broadcast known beforehand, along an axis, what a
 * setup reports and gives back, what is refused. tests/property/test-alltoall.c judges the data. */
#include "machines.h"
#include "programs/alltoall/alltoall.h"
#include "suite.h"

#include <string.h>

static struct cm_layout layout_of(uint64_t words, uint64_t rows, uint64_t columns, uint32_t nodes)
{
    const struct cm_layout_request request = {.type = CM_TYPE_INT32,
                                              .rank = 3,
                                              .shape = {words, rows, columns},
                                              .orders = {CM_ORDER_SERIAL},
                                              .weights = {1, 1, 1}};
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

static uint32_t word_at(struct cm_system *system, const struct cm_array *array, uint64_t word,
                        uint32_t node)
{
    struct cm_planes planes;
    ck_assert_int_eq(cm_machine_planes(system->machine, array->address, array->layout.local_words,
                                       &planes, NULL),
                     CM_OK);
    return *cm_planes_word(&planes, word, node);
}

/* Word w of node a is 100 a + w. */
static void number_words(struct cm_system *system, struct cm_array *array)
{
    const uint32_t nodes = cm_machine_nodes(system->machine);
    uint32_t words[64];
    for (uint64_t w = 0; w < array->layout.local_words; w++) {
        for (uint32_t node = 0; node < nodes; node++)
            words[node] = 100 * node + (uint32_t)w;
        ck_assert_int_eq(cm_machine_write_plane(system->machine, array->address + w, words, NULL),
                         CM_OK);
    }
}

/* Along the second axis of a grid of 4 by 8 nodes each node gets the blocks of its row. */
START_TEST(broadcasts_along_an_axis)
{
    const struct cm_config config = cm200_config();
    struct cm_system *system = system_of(&config, 32, false);
    const struct cm_layout block = layout_of(7, 4, 8, 32), all = layout_of(56, 4, 8, 32);
    const struct cm_axis *axis = &block.axes[2];
    struct cm_array *src = array_of(system, "src", &block), *dst = array_of(system, "dst", &all);
    number_words(system, src);
    for (uint32_t a = 0; a < CM_ALLTOALL_ROUTER; a++) {
        const struct cm_alltoall_task task = {.algorithm = (enum cm_alltoall_algorithm)a,
                                              .words = block.local_words,
                                              .first_dimension = axis->first_dimension,
                                              .dimensions = axis->node_bits};
        struct cm_alltoall *alltoall;
        ck_assert_int_eq(cm_alltoall_setup(system, &task, &alltoall, NULL), CM_OK);
        ck_assert_int_eq(cm_alltoall_call(system, alltoall, dst, src, NULL), CM_OK);
        for (uint32_t node = 0; node < 32; node++)
            for (uint32_t from = 0; from < 8; from++)
                for (uint32_t w = 0; w < 7; w++)
                    ck_assert_uint_eq(word_at(system, dst, from * 7 + w, node),
                                      100 * (node % 4 + 4 * from) + w);
        cm_alltoall_deallocate(system, alltoall);
    }
    ck_assert_uint_eq(axis->node_bits, 3);
    ck_assert_uint_eq(axis->first_dimension, 2);
    cm_array_destroy(system, src);
    cm_array_destroy(system, dst);
    cm_system_destroy(system);
}
END_TEST

/* A group of one node sends nothing: the algorithm `router` costs what the others cost. */
START_TEST(the_router_is_free_where_nothing_is_sent)
{
    const struct cm_config config = cm200_config();
    uint64_t cycles[CM_ALLTOALL_ALGORITHMS] = {0};
    for (uint32_t a = 0; a < CM_ALLTOALL_ALGORITHMS; a++) {
        struct cm_system *system = system_of(&config, 4, false);
        const struct cm_layout block = layout_of(64, 1, 4, 4);
        const struct cm_alltoall_task task = {.algorithm = (enum cm_alltoall_algorithm)a,
                                              .words = 64};
        struct cm_array *src = array_of(system, "src", &block);
        struct cm_array *dst = array_of(system, "dst", &block);
        struct cm_alltoall *alltoall = NULL;
        number_words(system, src);
        if (a != CM_ALLTOALL_HAMILTONIAN) {
            ck_assert_int_eq(cm_alltoall_setup(system, &task, &alltoall, NULL), CM_OK);
            ck_assert_int_eq(cm_alltoall_call(system, alltoall, dst, src, NULL), CM_OK);
            for (uint32_t w = 0; w < 64; w++)
                ck_assert_uint_eq(word_at(system, dst, w, 3), 300 + w);
            cycles[a] = cm_machine_counters(system->machine).cycles;
            ck_assert_uint_eq(cycles[a], cycles[0]);
            ck_assert_ptr_null(cm_system_routed_words(system));
        }
        cm_alltoall_deallocate(system, alltoall);
        cm_array_destroy(system, src);
        cm_array_destroy(system, dst);
        cm_system_destroy(system);
    }
}
END_TEST

START_TEST(reports_counts_and_gives_memory_back)
{
    const struct cm_config config = cm200_config();
    struct cm_system *system = system_of(&config, 64, true);
    const uint64_t mark = cm_heap_mark(system->heap);
    const struct cm_alltoall_task task = {.words = 24, .dimensions = 6};
    struct cm_alltoall *alltoall;
    ck_assert_int_eq(cm_alltoall_setup(system, &task, &alltoall, NULL), CM_OK);
    const struct cm_alltoall_info info = cm_alltoall_info(alltoall);
    ck_assert_uint_eq(info.blocks, 64);
    ck_assert_uint_eq(info.words, 24);
    ck_assert_uint_eq(info.exchanges, 63 * 2);
    ck_assert_uint_eq(info.bound, 63 * 2);
    ck_assert_uint_eq(info.words_received, UINT64_C(64) * 63 * 24);
    ck_assert_uint_eq(info.work_words, 64 * 24);
    ck_assert_int_eq(cm_alltoall_call_at(system, alltoall, 4096, 1024, NULL), CM_OK);
    ck_assert_uint_eq(cm_machine_counters(system->machine).exchanges, 126);
    cm_alltoall_deallocate(system, alltoall);
    ck_assert_uint_eq(cm_heap_mark(system->heap), mark);
    cm_alltoall_deallocate(system, NULL);
    cm_system_destroy(system);
}
END_TEST

static void refuse_task(struct cm_system *system, struct cm_alltoall_task task, const char *message)
{
    struct cm_alltoall *alltoall;
    struct cm_error err;
    ck_assert_int_eq(cm_alltoall_setup(system, &task, &alltoall, &err), CM_BAD_INPUT);
    ck_assert_msg(strstr(err.message, message) != NULL, "%s", err.message);
    ck_assert_ptr_null(alltoall);
}

START_TEST(refuses_tasks_that_mean_nothing)
{
    const struct cm_config config = cm200_config();
    struct cm_system *system = system_of(&config, 16, true);
    refuse_task(system, (struct cm_alltoall_task){.words = 1, .dimensions = 5},
                "5 cube dimensions from 0 on do not exist; the system has 4");
    refuse_task(system,
                (struct cm_alltoall_task){.words = 1, .first_dimension = 3, .dimensions = 2},
                "2 cube dimensions from 3 on do not exist");
    refuse_task(system, (struct cm_alltoall_task){.dimensions = 4}, "a block has no words");
    refuse_task(
        system,
        (struct cm_alltoall_task){.kind = CM_ALLTOALL_PERSONALISED, .words = 1, .dimensions = 4},
        "gray is for broadcasts");
    struct cm_alltoall_task tree = {
        .kind = CM_ALLTOALL_ONE_TO_ALL, .words = 1, .dimensions = 4, .root = 3};
    refuse_task(system, tree, "the algorithm gray is not for what one node sends");
    tree.algorithm = CM_ALLTOALL_ROTATED;
    tree.root = 16;
    refuse_task(system, tree, "node 16 does not exist; there are 16");
    struct cm_alltoall_task cycles = {
        .algorithm = CM_ALLTOALL_HAMILTONIAN, .words = 1, .dimensions = 4};
    cycles.dimensions = 1;
    refuse_task(system, cycles, "Hamiltonian cycles need two cube dimensions");
    refuse_task(
        system,
        (struct cm_alltoall_task){.order = CM_ALLTOALL_BY_DEPARTURE, .words = 1, .dimensions = 4},
        "the order of departure is for Hamiltonian cycles, not for the algorithm gray");
    refuse_task(system, (struct cm_alltoall_task){.words = 65537, .dimensions = 4},
                "more than the memory of a node");
    cm_system_destroy(system);
}
END_TEST

/* Nothing is left behind. */
START_TEST(refuses_what_does_not_fit)
{
    struct cm_config config = cm200_config();
    struct cm_system *system = system_of(&config, 16, true);
    const uint64_t mark = cm_heap_mark(system->heap);
    refuse_task(system, (struct cm_alltoall_task){.words = 65536, .dimensions = 4},
                "the work area of all-to-all communication");
    ck_assert_uint_eq(cm_heap_mark(system->heap), mark);
    cm_system_destroy(system);
    config.sequencer_sram_words = 64;
    system = system_of(&config, 16, true);
    refuse_task(system, (struct cm_alltoall_task){.words = 8, .dimensions = 4}, "SRAM");
    ck_assert_uint_eq(cm_heap_mark(system->heap), mark);
    cm_system_destroy(system);
}
END_TEST

START_TEST(refuses_arrays_of_other_sizes)
{
    const struct cm_config config = cm200_config();
    struct cm_system *system = system_of(&config, 32, true);
    const struct cm_layout block = layout_of(7, 4, 8, 32), all = layout_of(224, 4, 8, 32);
    const struct cm_layout one = layout_of(7, 1, 1, 32);
    struct cm_array *src = array_of(system, "src", &block), *dst = array_of(system, "dst", &all);
    struct cm_array *other = array_of(system, "other", &one);
    const struct cm_alltoall_task task = {.words = 7, .dimensions = 5};
    struct cm_alltoall *alltoall;
    struct cm_error err;
    ck_assert_int_eq(cm_alltoall_setup(system, &task, &alltoall, NULL), CM_OK);
    ck_assert_int_eq(cm_alltoall_call(system, alltoall, src, src, &err), CM_BAD_INPUT);
    ck_assert_msg(strstr(err.message, "\"src\" has 7 words in a node") != NULL, "%s", err.message);
    ck_assert_int_eq(cm_alltoall_call(system, alltoall, dst, dst, &err), CM_BAD_INPUT);
    ck_assert_int_eq(cm_alltoall_call(system, alltoall, dst, other, &err), CM_OK);
    cm_alltoall_deallocate(system, alltoall);
    const struct cm_alltoall_task alone = {.words = 7};
    ck_assert_int_eq(cm_alltoall_setup(system, &alone, &alltoall, NULL), CM_OK);
    ck_assert_int_eq(cm_alltoall_call(system, alltoall, src, src, &err), CM_BAD_INPUT);
    ck_assert_msg(strstr(err.message, "source and destination") != NULL, "%s", err.message);
    cm_alltoall_deallocate(system, alltoall);
    cm_array_destroy(system, src);
    cm_array_destroy(system, dst);
    cm_array_destroy(system, other);
    cm_system_destroy(system);
}
END_TEST

START_TEST(names_say_what_is_meant)
{
    ck_assert_str_eq(cm_alltoall_kind_name(CM_ALLTOALL_PERSONALISED), "personalised");
    ck_assert_str_eq(cm_alltoall_algorithm_name(CM_ALLTOALL_ROTATED), "rotated");
    ck_assert_str_eq(cm_alltoall_order_name(CM_ALLTOALL_BY_ARRIVAL), "arrival");
    ck_assert_str_eq(cm_alltoall_order_name(CM_ALLTOALL_BY_DEPARTURE), "departure");
    ck_assert_ptr_null(cm_alltoall_kind_name(CM_ALLTOALL_KINDS));
    ck_assert_ptr_null(cm_alltoall_algorithm_name(CM_ALLTOALL_ALGORITHMS));
    ck_assert_ptr_null(cm_alltoall_order_name(CM_ALLTOALL_ORDERS));
}
END_TEST

CM_PROGRAM(test_alltoall)
{
    Suite *suite = suite_create("alltoall");
    TCase *tests = tcase_create("alltoall");
    tcase_add_test(tests, broadcasts_along_an_axis);
    tcase_add_test(tests, the_router_is_free_where_nothing_is_sent);
    tcase_add_test(tests, reports_counts_and_gives_memory_back);
    tcase_add_test(tests, refuses_tasks_that_mean_nothing);
    tcase_add_test(tests, refuses_what_does_not_fit);
    tcase_add_test(tests, refuses_arrays_of_other_sizes);
    tcase_add_test(tests, names_say_what_is_meant);
    suite_add_tcase(suite, tests);
    return cm_run_suite(suite);
}
