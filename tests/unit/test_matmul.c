/* The C interface of matrix products: a product known beforehand, what a setup reports and gives
 * back, what is refused. tests/property/test-matmul.c judges the data. */
#include "machines.h"
#include "programs/matmul/matmul.h"
#include "suite.h"

#include <string.h>

static struct cm_layout layout_of(enum cm_type type, uint64_t rows, uint64_t columns,
                                  enum cm_order order, uint32_t nodes)
{
    const struct cm_layout_request request = {.type = type,
                                              .rank = 2,
                                              .shape = {rows, columns},
                                              .orders = {order, order},
                                              .weights = {1, 1}};
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

/* Blocks of node memory that are taken, as a number. */
static uint64_t taken(const struct cm_system *system)
{
    return cm_heap_mark(system->heap);
}

static struct cm_matmul_task task_of(uint64_t m, uint64_t k, uint64_t n, uint32_t nodes,
                                     enum cm_matmul_algorithm algorithm)
{
    return (struct cm_matmul_task){
        .a = layout_of(CM_TYPE_REAL64, m, k, CM_ORDER_NEWS, nodes),
        .b = layout_of(CM_TYPE_REAL64, k, n, CM_ORDER_NEWS, nodes),
        .c = layout_of(CM_TYPE_REAL64, m, n, CM_ORDER_NEWS, nodes),
        .algorithm = algorithm,
    };
}

/* a(i, t) = i + t, b(t, j) = (t = j): the product is a. */
static void multiply_by_one(enum cm_matmul_algorithm algorithm, uint64_t exchanges)
{
    enum { N = 16, NODES = 16 };
    const struct cm_config config = cm200_config();
    struct cm_system *system = system_of(&config, NODES, false);
    const struct cm_matmul_task task = task_of(N, N, N, NODES, algorithm);
    double a_host[N * N], b_host[N * N], found[N * N];
    struct cm_matmul *matmul;
    for (uint32_t e = 0; e < N * N; e++) {
        a_host[e] = e % N + e / N;
        b_host[e] = e % N == e / N;
    }
    struct cm_array *a = array_of(system, "a", &task.a), *b = array_of(system, "b", &task.b);
    struct cm_array *c = array_of(system, "c", &task.c);
    const uint64_t before = taken(system);
    ck_assert_int_eq(cm_array_scatter(system, a, a_host, NULL), CM_OK);
    ck_assert_int_eq(cm_array_scatter(system, b, b_host, NULL), CM_OK);
    ck_assert_int_eq(cm_matmul_setup(system, &task, &matmul, NULL), CM_OK);
    for (int call = 0; call < 2; call++) {
        ck_assert_int_eq(cm_matmul_call(system, matmul, c, a, b, NULL), CM_OK);
        ck_assert_int_eq(cm_array_gather(system, c, found, NULL), CM_OK);
        ck_assert_mem_eq(found, a_host, sizeof found);
    }
    const struct cm_matmul_info info = cm_matmul_info(matmul);
    ck_assert_int_eq(info.algorithm, algorithm);
    ck_assert_uint_eq(info.exchanges, exchanges);
    ck_assert_uint_eq(info.row_nodes, 4);
    ck_assert_uint_eq(info.column_nodes, 4);
    ck_assert_uint_eq(info.steps, 4);
    ck_assert_uint_eq(info.depth, 4);
    ck_assert_uint_eq(info.operations, 2 * N * N * N);
    ck_assert_uint_eq(cm_machine_counters(system->machine).exchanges, 2 * exchanges);
    cm_matmul_deallocate(system, matmul);
    ck_assert_uint_eq(taken(system), before);
    cm_matmul_deallocate(system, NULL);
    cm_array_destroy(system, a);
    cm_array_destroy(system, b);
    cm_array_destroy(system, c);
    cm_system_destroy(system);
}

/* Blocks of 4 x 4 elements of two words: 16 units. The skew by 1 is one hop and by 2 two hops, the
 * three steps one hop each: 6 x 16. */
START_TEST(cannon_times_one)
{
    multiply_by_one(CM_MATMUL_CANNON, 96);
}
END_TEST

/* Four panels, each of 16 units and one more for the second dimension. */
START_TEST(broadcast_times_one)
{
    multiply_by_one(CM_MATMUL_BROADCAST, 68);
}
END_TEST

/* Three steps along each axis; a block of 32 words goes over two dimensions of two channels. */
START_TEST(alltoall_times_one)
{
    multiply_by_one(CM_MATMUL_ALLTOALL, 2 * 3 * 8);
}
END_TEST

START_TEST(auto_takes_the_fewest_exchanges)
{
    const struct cm_config config = cm200_config();
    struct cm_system *system = system_of(&config, 64, false);
    struct cm_matmul *matmul;
    for (uint64_t n = 8; n <= 64; n *= 8) {
        uint64_t exchanges[CM_MATMUL_ALGORITHMS];
        for (int way = 0; way < CM_MATMUL_ALGORITHMS; way++) {
            const struct cm_matmul_task task = task_of(n, n, n, 64, (enum cm_matmul_algorithm)way);
            ck_assert_int_eq(cm_matmul_setup(system, &task, &matmul, NULL), CM_OK);
            exchanges[way] = cm_matmul_info(matmul).exchanges;
            cm_matmul_deallocate(system, matmul);
        }
        uint64_t fewest = exchanges[CM_MATMUL_CANNON];
        for (int way = CM_MATMUL_CANNON; way < CM_MATMUL_ALGORITHMS; way++)
            fewest = exchanges[way] < fewest ? exchanges[way] : fewest;
        ck_assert_uint_eq(exchanges[CM_MATMUL_AUTO], fewest);
        /* one element a node: blocks are cheap to move, panels wait for every dimension */
        ck_assert((exchanges[CM_MATMUL_CANNON] < exchanges[CM_MATMUL_BROADCAST]) == (n == 8));
    }
    cm_system_destroy(system);
}
END_TEST

static void refuse_task(struct cm_system *system, const struct cm_matmul_task *task,
                        const char *message)
{
    struct cm_matmul *matmul;
    struct cm_error err;
    const uint64_t before = taken(system);
    ck_assert_int_eq(cm_matmul_setup(system, task, &matmul, &err), CM_BAD_INPUT);
    ck_assert_msg(strstr(err.message, message) != NULL, "%s", err.message);
    ck_assert_ptr_null(matmul);
    ck_assert_uint_eq(taken(system), before);
}

/* Two panels of 512 x 512 elements of two words take 2^20 words. */
START_TEST(auto_leaves_room)
{
    struct cm_config config = cm200_config();
    const struct cm_matmul_task task = task_of(2048, 512, 2048, 16, CM_MATMUL_AUTO);
    struct cm_matmul_task whole = task;
    struct cm_matmul *matmul;
    for (uint64_t less = 0; less < 2; less++) {
        config.memory_words = (UINT64_C(1) << 22) - less;
        struct cm_system *system = system_of(&config, 16, true);
        ck_assert_int_eq(cm_matmul_setup(system, &task, &matmul, NULL), CM_OK);
        ck_assert_int_eq(cm_matmul_info(matmul).algorithm,
                         less == 0 ? CM_MATMUL_ALLTOALL : CM_MATMUL_BROADCAST);
        cm_matmul_deallocate(system, matmul);
        whole.algorithm = CM_MATMUL_ALLTOALL;
        ck_assert_int_eq(cm_matmul_setup(system, &whole, &matmul, NULL), CM_OK);
        cm_matmul_deallocate(system, matmul);
        cm_system_destroy(system);
    }
}
END_TEST

START_TEST(refuses_tasks_that_mean_nothing)
{
    const struct cm_config config = cm200_config();
    struct cm_system *system = system_of(&config, 16, false);
    struct cm_matmul_task task = task_of(8, 8, 8, 16, CM_MATMUL_AUTO);
    task.a.rank = 1;
    refuse_task(system, &task, "arrays of rank 1, 2 and 2");
    task = task_of(8, 8, 8, 16, CM_MATMUL_AUTO);
    task.b.type = CM_TYPE_INT32;
    refuse_task(system, &task, "a matrix product of real64 and int32 to real64");
    task = task_of(8, 8, 8, 16, CM_MATMUL_AUTO);
    task.a.type = task.b.type = task.c.type = CM_TYPE_LOGICAL;
    refuse_task(system, &task, "logical");
    task = task_of(8, 8, 8, 16, CM_MATMUL_AUTO);
    task.b = layout_of(CM_TYPE_REAL64, 9, 8, CM_ORDER_NEWS, 16);
    refuse_task(system, &task, "a product of 8 x 8 and 9 x 8 to 8 x 8");
    task = task_of(8, 8, 8, 16, CM_MATMUL_AUTO);
    task.c = layout_of(CM_TYPE_REAL64, 8, 8, CM_ORDER_SERIAL, 16);
    refuse_task(system, &task, "the result has serial axes only");
    cm_system_destroy(system);
}
END_TEST

START_TEST(refuses_what_does_not_fit)
{
    struct cm_config config = cm200_config();
    const struct cm_matmul_task task = task_of(64, 64, 64, 64, CM_MATMUL_BROADCAST);
    const struct cm_matmul_task other = task_of(256, 16, 256, 64, CM_MATMUL_AUTO);
    config.sequencer_sram_words = 64;
    struct cm_system *system = system_of(&config, 64, false);
    refuse_task(system, &task, "SRAM");
    cm_system_destroy(system);
    config = cm200_config();
    for (uint64_t words = 8; words < 400; words += 128) {
        config.memory_words = config.memory_heap_base_words + words;
        system = system_of(&config, 64, false);
        refuse_task(system, &task, "of a matrix product");
        cm_system_destroy(system);
    }
    config = cm200_config();
    config.router_buffer_words = 1;
    system = system_of(&config, 64, false);
    refuse_task(system, &other, "does not fit the router's buffers");
    cm_system_destroy(system);
}
END_TEST

START_TEST(refuses_arrays_that_are_not_those_of_the_setup)
{
    const struct cm_config config = cm200_config();
    struct cm_system *system = system_of(&config, 16, false);
    const struct cm_matmul_task task = task_of(8, 8, 8, 16, CM_MATMUL_AUTO);
    const struct cm_layout wide = layout_of(CM_TYPE_REAL64, 8, 16, CM_ORDER_NEWS, 16);
    struct cm_array *a = array_of(system, "a", &task.a), *c = array_of(system, "c", &task.c);
    struct cm_array *other = array_of(system, "other", &wide);
    struct cm_matmul *matmul;
    struct cm_error err;
    ck_assert_int_eq(cm_matmul_setup(system, &task, &matmul, NULL), CM_OK);
    ck_assert_int_eq(cm_matmul_call(system, matmul, c, other, a, &err), CM_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(err.message, "the first factor \"other\""));
    ck_assert_int_eq(cm_matmul_call(system, matmul, c, a, other, &err), CM_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(err.message, "the second factor \"other\""));
    ck_assert_int_eq(cm_matmul_call(system, matmul, other, a, a, &err), CM_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(err.message, "the result \"other\""));
    ck_assert_int_eq(cm_matmul_call(system, matmul, a, c, a, &err), CM_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(err.message, "\"a\" is the result and a factor"));
    ck_assert_int_eq(cm_matmul_call(system, matmul, c, a, a, &err), CM_OK);
    cm_matmul_deallocate(system, matmul);
    cm_array_destroy(system, a);
    cm_array_destroy(system, c);
    cm_array_destroy(system, other);
    cm_system_destroy(system);
}
END_TEST

CM_PROGRAM(test_matmul)
{
    Suite *suite = suite_create("matmul");
    TCase *tests = tcase_create("matmul");
    tcase_add_test(tests, cannon_times_one);
    tcase_add_test(tests, broadcast_times_one);
    tcase_add_test(tests, alltoall_times_one);
    tcase_add_test(tests, auto_takes_the_fewest_exchanges);
    tcase_add_test(tests, auto_leaves_room);
    tcase_add_test(tests, refuses_tasks_that_mean_nothing);
    tcase_add_test(tests, refuses_what_does_not_fit);
    tcase_add_test(tests, refuses_arrays_that_are_not_those_of_the_setup);
    suite_add_tcase(suite, tests);
    return cm_run_suite(suite);
}
