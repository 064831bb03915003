/* Mappings, schedules and broadcasts of FFT communication: the paper's figures, its slips, and what
 * is refused. */
#include "machines.h"
#include "programs/fft/exchange_compile.h"
#include "programs/fft/fft_result.h"
#include "programs/reshape/reshape_plan.h"
#include "random.h"
#include "schedule_walk.h"
#include "suite.h"

#include <string.h>

static struct cm_fft_request request_of(uint32_t rank, const uint64_t *shape, uint32_t mesh_rank,
                                        const uint64_t *mesh, enum cm_fft_permutation permutation)
{
    struct cm_fft_request request = {
        .rank = rank, .mesh_rank = mesh_rank, .permutation = permutation};
    memcpy(request.shape, shape, rank * sizeof *shape);
    memcpy(request.mesh_shape, mesh, mesh_rank * sizeof *mesh);
    return request;
}

static struct cm_fft_mapping mapping_of(const struct cm_fft_request *request)
{
    struct cm_fft_mapping mapping;
    struct cm_error err;
    ck_assert_msg(cm_fft_mapping_create(request, &mapping, &err) == CM_OK, "%s", err.message);
    return mapping;
}

/* 64 x 64 on 16 x 16 x 16. */
static struct cm_fft_mapping figure(enum cm_fft_permutation permutation)
{
    const uint64_t shape[] = {64, 64}, mesh[] = {16, 16, 16};
    struct cm_fft_request request = request_of(2, shape, 3, mesh, permutation);
    return mapping_of(&request);
}

/* sd(i, w) */
struct sd {
    uint32_t i;
    uint32_t w;
};

static const struct sd figure_3[12] = {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {1, 1}, {1, 2},
                                       {1, 4}, {1, 8}, {2, 1}, {2, 2}, {2, 4}, {2, 8}};
static const struct sd figure_5[12] = {{0, 1}, {1, 1}, {2, 1}, {0, 4}, {1, 4}, {2, 4},
                                       {0, 2}, {1, 2}, {2, 2}, {0, 8}, {1, 8}, {2, 8}};

static void expect_figure(const struct cm_fft_schedule *schedule, const struct sd *figure_of)
{
    ck_assert_uint_eq(schedule->count, 12);
    for (uint32_t n = 0; n < 12; n++) {
        ck_assert_uint_eq(schedule->steps[n].axis, n / 6);
        ck_assert_uint_eq(schedule->steps[n].bit, n % 6);
        ck_assert_uint_eq(schedule->steps[n].mesh_axis, figure_of[n].i);
        ck_assert_uint_eq(schedule->steps[n].distance, figure_of[n].w);
    }
    ck_assert_uint_eq(schedule->mesh_cost, 45);
}

START_TEST(figures_3_and_5)
{
    const enum cm_fft_permutation permutations[] = {CM_FFT_IDENTICAL, CM_FFT_SHUFFLE};
    const struct sd *const figures[] = {figure_3, figure_5};
    for (int k = 0; k < 2; k++) {
        struct cm_fft_mapping mapping = figure(permutations[k]);
        struct cm_fft_schedule direct, walked;
        cm_fft_schedule(&mapping, CM_FFT_POSTMORPHISM, CM_FFT_ALL_AXES, &direct);
        expect_figure(&direct, figures[k]);
        ck_assert(schedule_incremental(&mapping, CM_FFT_POSTMORPHISM, CM_FFT_ALL_AXES, &walked));
        expect_figure(&walked, figures[k]);
        ck_assert_uint_eq(cm_fft_mesh_diameter(&mapping), 45);
    }
}
END_TEST

/* Algorithm 3 as printed: bit_ptr advances before the test, and again in the other branch. Max_Bit
 * = log(P). */
static uint32_t printed_algorithm_3(uint32_t max_bit, struct sd *steps)
{
    uint32_t dim = 0, dis = 1, bit_ptr = 0, right = 0;
    for (uint32_t i = 0; i < 12; i++) {
        steps[i] = (struct sd){dim, dis};
        right += dim == figure_3[i].i && dis == figure_3[i].w;
        bit_ptr = bit_ptr + 1;
        if (bit_ptr == max_bit) {
            dim = dim + 1;
            bit_ptr = 0;
            dis = 1;
        } else {
            bit_ptr = bit_ptr + 1;
            dis = 2 * dis;
        }
    }
    return right;
}

/* Algorithm 6 as printed: dim and bit_ptr advance in every step, and again in a branch. Max_Bit is
 * not set there. */
static uint32_t printed_algorithm_6(uint32_t max_bit, struct sd *steps)
{
    uint32_t dim = 0, dis = 1, bit_ptr = 0, right = 0;
    for (uint32_t i = 0; i < 12; i++) {
        steps[i] = (struct sd){dim, dis};
        right += dim == figure_5[i].i && dis == figure_5[i].w;
        dim = dim + 1;
        bit_ptr = bit_ptr + 2;
        if (bit_ptr == max_bit) {
            dim = dim + 1;
            bit_ptr = 0;
            dis = 1;
        } else {
            bit_ptr = bit_ptr + 1;
            dis = 2 * dis;
        }
    }
    return right;
}

START_TEST(printed_incremental_forms_give_other_tables)
{
    struct sd steps[12];
    /* What Max_Bit = log(P) may mean: the bits of a mesh axis, of an array axis, of all. */
    const uint32_t max_bits[] = {4, 6, 12};
    for (int i = 0; i < 3; i++) {
        ck_assert_uint_lt(printed_algorithm_3(max_bits[i], steps), 12);
        ck_assert_uint_lt(printed_algorithm_6(max_bits[i], steps), 12);
    }
    printed_algorithm_3(4, steps); /* bit_ptr is 1, 3, 5, ... at the test, and never 4 */
    ck_assert_uint_eq(steps[4].i, 0);
    ck_assert_uint_eq(steps[4].w, 16);
    printed_algorithm_6(4, steps); /* dim leaves the mesh in the fourth step */
    ck_assert_uint_eq(steps[3].i, 3);
}
END_TEST

/* Theorem 10, where its conditions hold. */
START_TEST(shuffle_is_theorem_10)
{
    for (uint32_t m = 1; m <= 4; m++)
        for (uint32_t k = 1; k <= 4; k++)
            for (uint32_t turns = 1; m * k * turns <= 16; turns++) {
                uint64_t shape[4], mesh[4];
                uint32_t n = m * k * turns, w1 = n / m, w2 = n / k;
                for (uint32_t p = 0; p < m; p++)
                    shape[p] = UINT64_C(1) << w1;
                for (uint32_t i = 0; i < k; i++)
                    mesh[i] = UINT64_C(1) << w2;
                struct cm_fft_request request = request_of(m, shape, k, mesh, CM_FFT_SHUFFLE);
                struct cm_fft_mapping mapping = mapping_of(&request);
                struct cm_fft_schedule direct, walked;
                for (uint32_t x = 0; x < n; x++)
                    ck_assert_uint_eq(mapping.place[x], x % k * w2 + x % w1 / k * m + x / w1);
                for (int order = 0; order < 2; order++) {
                    cm_fft_schedule(&mapping, (enum cm_fft_order)order, CM_FFT_ALL_AXES, &direct);
                    ck_assert(schedule_incremental(&mapping, (enum cm_fft_order)order,
                                                   CM_FFT_ALL_AXES, &walked));
                    ck_assert_mem_eq(&direct, &walked, sizeof direct);
                }
            }
}
END_TEST

/* m = 2, k = 1 is the perfect shuffle: the two halves of the deck interleaved. */
START_TEST(two_one_shuffle_is_perfect)
{
    const uint64_t shape[] = {16, 16}, mesh[] = {256};
    const uint8_t perfect[] = {0, 2, 4, 6, 1, 3, 5, 7};
    struct cm_fft_request request = request_of(2, shape, 1, mesh, CM_FFT_SHUFFLE);
    struct cm_fft_mapping mapping = mapping_of(&request);
    ck_assert_mem_eq(mapping.place, perfect, sizeof perfect);
}
END_TEST

/* Bit j of a Gray-coded axis takes cube dimensions j and j - 1, j = 0 one; binary always one. */
/* Of a one-dimensional array of 2^(k s) points on a mesh of k axes of 2^s nodes. */
static struct cm_fft_mapping regular(uint32_t k, uint32_t s, enum cm_fft_permutation permutation)
{
    uint64_t shape = UINT64_C(1) << (k * s), mesh[24];
    for (uint32_t i = 0; i < k; i++)
        mesh[i] = UINT64_C(1) << s;
    struct cm_fft_request request = request_of(1, &shape, k, mesh, permutation);
    return mapping_of(&request);
}

/* k (n^(1/k) - 1), with the root found by trial; and the distance from corner to corner, which no
 * mapping undercuts (theorem 6). */
START_TEST(regular_meshes_cost_theorem_8)
{
    for (uint32_t k = 1; k <= 24; k++) {
        for (uint32_t s = 1; k * s <= 24; s++) {
            struct cm_fft_mapping mapping = regular(k, s, CM_FFT_IDENTICAL);
            struct cm_fft_schedule schedule;
            uint64_t n = UINT64_C(1) << (k * s), root = 0, power = 0, corner = 0;
            uint32_t first[CM_FFT_AXES_MAX], last[CM_FFT_AXES_MAX];
            while (power < n) {
                root++;
                power = 1;
                for (uint32_t i = 0; i < k; i++)
                    power *= root;
            }
            ck_assert_uint_eq(power, n);
            cm_fft_schedule(&mapping, CM_FFT_POSTMORPHISM, CM_FFT_ALL_AXES, &schedule);
            ck_assert_uint_eq(schedule.mesh_cost, k * (root - 1));
            cm_fft_mapping_coordinates(&mapping, 0, first);
            cm_fft_mapping_coordinates(&mapping, n - 1, last);
            for (uint32_t i = 0; i < k; i++)
                corner += last[i] - first[i];
            ck_assert_uint_eq(schedule.mesh_cost, corner);
        }
    }
}
END_TEST

/* How often sd(i, 2^j) occurs, of each i and j. */
static void count_steps(const struct cm_fft_mapping *mapping, uint32_t seen[24][25])
{
    struct cm_fft_schedule schedule;
    cm_fft_schedule(mapping, CM_FFT_POSTMORPHISM, CM_FFT_ALL_AXES, &schedule);
    memset(seen, 0, 24 * sizeof *seen);
    for (uint32_t n = 0; n < schedule.count; n++) {
        uint32_t j = 0;
        while (UINT64_C(1) << j < schedule.steps[n].distance)
            j++;
        seen[schedule.steps[n].mesh_axis][j]++;
    }
}

START_TEST(shuffle_has_the_same_steps)
{
    static uint32_t plain[24][25], dealt[24][25];
    uint32_t moved = 0;
    for (uint32_t k = 1; k <= 24; k++) {
        for (uint32_t s = 1; k * s <= 24; s++) {
            struct cm_fft_mapping identical = regular(k, s, CM_FFT_IDENTICAL);
            struct cm_fft_mapping shuffle = regular(k, s, CM_FFT_SHUFFLE);
            count_steps(&identical, plain);
            count_steps(&shuffle, dealt);
            ck_assert_mem_eq(plain, dealt, sizeof plain);
            moved += memcmp(identical.place, shuffle.place, k * s) != 0;
        }
    }
    ck_assert_uint_gt(moved, 10);
}
END_TEST

START_TEST(masks_of_steps)
{
    const uint64_t shape[] = {64}, mesh[] = {4, 8};
    struct cm_fft_request request = request_of(1, shape, 2, mesh, CM_FFT_IDENTICAL);
    request.shape[0] = 32;
    struct cm_fft_mapping gray = mapping_of(&request);
    request.code = CM_FFT_BINARY;
    struct cm_fft_mapping binary = mapping_of(&request);
    const uint32_t masks[] = {1, 3, 4, 12, 24};
    for (uint32_t q = 0; q < 5; q++) {
        struct cm_fft_step step;
        cm_fft_mapping_step(&gray, 0, q, &step);
        ck_assert_uint_eq(step.node_mask, masks[q]);
        ck_assert_uint_eq(step.hops, q == 0 || q == 2 ? 1 : 2);
        cm_fft_mapping_step(&binary, 0, q, &step);
        ck_assert_uint_eq(step.node_mask, 1u << q);
        ck_assert_uint_eq(step.hops, 1);
    }
}
END_TEST

/* With several points a node the mesh's distances are the same; steps within nodes cost it
 * nothing. */
START_TEST(mesh_cost_counts_each_step_once)
{
    const uint64_t shape[] = {256, 16}, mesh[] = {8, 4};
    struct cm_fft_request request = request_of(2, shape, 2, mesh, CM_FFT_IDENTICAL);
    for (int local = 0; local < 2; local++) {
        struct cm_fft_schedule schedule;
        request.local = (enum cm_fft_local)local;
        struct cm_fft_mapping mapping = mapping_of(&request);
        cm_fft_schedule(&mapping, CM_FFT_POSTMORPHISM, CM_FFT_ALL_AXES, &schedule);
        uint32_t within = 0;
        for (uint32_t n = 0; n < schedule.count; n++) {
            within += schedule.steps[n].local;
            ck_assert_uint_eq(schedule.steps[n].distance == 0, schedule.steps[n].local);
            ck_assert_uint_eq(schedule.steps[n].local, local == 0 ? n < 7 : n >= 5);
        }
        ck_assert_uint_eq(within, 7);
        ck_assert_uint_eq(schedule.mesh_cost, 7 + 3);
        ck_assert_uint_eq(schedule.axis_loads[0], 7);
        ck_assert_uint_eq(schedule.axis_loads[1], 3);
    }
}
END_TEST

/* Along axis 0 the shuffle goes less far, and along both it loads the busiest mesh axis less. */
START_TEST(rows_under_the_shuffle)
{
    struct cm_fft_mapping identical = figure(CM_FFT_IDENTICAL), shuffle = figure(CM_FFT_SHUFFLE);
    const uint64_t costs[2][2] = {{18, 27}, {15, 30}}, loads[2][2] = {{15, 15}, {5, 10}};
    for (uint32_t p = 0; p < 2; p++)
        for (uint32_t k = 0; k < 2; k++) {
            struct cm_fft_schedule schedule;
            uint64_t most = 0;
            cm_fft_schedule(k ? &shuffle : &identical, CM_FFT_POSTMORPHISM, UINT64_C(1) << p,
                            &schedule);
            for (uint32_t i = 0; i < 3; i++)
                most = schedule.axis_loads[i] > most ? schedule.axis_loads[i] : most;
            ck_assert_uint_eq(schedule.mesh_cost, costs[k][p]);
            ck_assert_uint_eq(most, loads[k][p]);
        }
}
END_TEST

static void expect_refused(const struct cm_fft_request *request, const char *part)
{
    struct cm_fft_mapping mapping;
    struct cm_error err;
    memset(&err, 0, sizeof err);
    ck_assert_int_eq(cm_fft_mapping_create(request, &mapping, &err), CM_BAD_INPUT);
    ck_assert_msg(strstr(err.message, part) != NULL, "\"%s\" lacks \"%s\"", err.message, part);
    ck_assert(err.hint[0] != '\0');
    ck_assert_int_eq(cm_fft_mapping_create(request, &mapping, NULL), CM_BAD_INPUT);
}

START_TEST(bad_mappings_are_refused)
{
    const uint64_t shape[] = {16, 16}, mesh[] = {8, 8};
    const struct cm_fft_request good = request_of(2, shape, 2, mesh, CM_FFT_LIST);
    struct cm_fft_request bad = good;
    bad.shape[1] = 24;
    expect_refused(&bad, "axis 1 of the array has length 24");
    bad = good;
    bad.mesh_shape[0] = 0;
    expect_refused(&bad, "axis 0 of the mesh has length 0");
    bad = good;
    bad.rank = 0;
    expect_refused(&bad, "0 dimensions");
    bad = good;
    bad.mesh_rank = 0;
    expect_refused(&bad, "0 dimensions");
    bad = good;
    bad.mesh_shape[0] = 64; /* 512 nodes for 256 points: any bits of a node, each once */
    bad.list_count = 8;
    expect_refused(&bad, "0 appears twice");
    bad.list[0] = 9;
    expect_refused(&bad, "9 is not a bit of a node");
    bad = good;
    bad.shape[0] = bad.shape[1] = UINT64_C(1) << 32;
    expect_refused(&bad, "too large");
    bad.shape[0] = bad.mesh_shape[0] = UINT64_C(1) << 30;
    expect_refused(&bad, "more than 2^31 nodes");
    bad = good;
    bad.list_count = 7;
    expect_refused(&bad, "7 bits are listed");
    bad.list_count = 8;
    expect_refused(&bad, "0 appears twice");
    bad.list[0] = 8;
    expect_refused(&bad, "8 is not a bit");
}
END_TEST

/* 16 points on 8 x 8 nodes: the identical mapping fills an axis and half of the next, the shuffle 4
 * x 4 nodes, which are less far apart. */
START_TEST(few_points_cost_their_part_of_the_mesh)
{
    const uint64_t shape = 16, mesh[] = {8, 8};
    const struct {
        enum cm_fft_permutation permutation;
        uint64_t cost, loads[2];
    } expected[] = {
        {CM_FFT_IDENTICAL, 8, {7, 1}}, {CM_FFT_SHUFFLE, 6, {3, 3}}, {CM_FFT_LIST, 11, {5, 6}}};
    for (uint32_t k = 0; k < 3; k++) {
        struct cm_fft_request request = request_of(1, &shape, 2, mesh, expected[k].permutation);
        struct cm_fft_schedule schedule;
        request.list_count = 4;
        memcpy(request.list, (const uint32_t[]){5, 0, 4, 2}, 4 * sizeof *request.list);
        struct cm_fft_mapping mapping = mapping_of(&request);
        cm_fft_schedule(&mapping, CM_FFT_POSTMORPHISM, CM_FFT_ALL_AXES, &schedule);
        ck_assert_uint_eq(schedule.mesh_cost, expected[k].cost);
        ck_assert_uint_eq(cm_fft_spread(&mapping), expected[k].cost);
        ck_assert_mem_eq(schedule.axis_loads, expected[k].loads, sizeof expected[k].loads);
        ck_assert_uint_eq(cm_fft_mesh_diameter(&mapping), 14);
        ck_assert_uint_eq(cm_fft_node_bits(&mapping), 6);
    }
}
END_TEST

START_TEST(permutations_are_read)
{
    static const char *const bad[] = {"",        "Identical", "bits",      "bits:",    "bits:1,",
                                      "bits:a",  "random",    "random:",   "random:x", "random:-1",
                                      "bits: 1", "shuffle ",  "random:1,", "canonical"};
    struct cm_fft_request request = {0};
    struct cm_error err;
    ck_assert_int_eq(cm_fft_permutation_read("bits:2,0,1", &request, NULL), CM_OK);
    ck_assert_uint_eq(request.permutation, CM_FFT_LIST);
    ck_assert_uint_eq(request.list_count, 3);
    ck_assert_uint_eq(request.list[0], 2);
    ck_assert_int_eq(cm_fft_permutation_read("random:18446744073709551615", &request, NULL), CM_OK);
    ck_assert_uint_eq(request.seed, UINT64_MAX);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_int_eq(cm_fft_permutation_read(bad[i], &request, &err), CM_BAD_INPUT);
}
END_TEST

/* Theorem 6: from a corner of the mesh the least is the diameter, and the FFT pattern takes no
 * more. */
START_TEST(broadcasts_from_corners_are_optimal)
{
    struct random_source random = random_begin("broadcasts from corners");
    for (int round = 0; round < 200; round++) {
        const uint64_t shape[] = {16, 8, 8}, mesh[] = {16, 4, 16};
        struct cm_fft_request request = request_of(3, shape, 3, mesh, CM_FFT_RANDOM);
        request.seed = random_next(&random);
        struct cm_fft_task task = {
            .mapping = mapping_of(&request), .axes = CM_FFT_ALL_AXES, .broadcast = true};
        struct cm_fft_schedule schedule;
        cm_fft_task_schedule(&task, &schedule);
        /* All bits of a coordinate alike: a corner. */
        task.source = 0;
        ck_assert_uint_eq(cm_fft_broadcast_bound(&task).distance, schedule.mesh_cost);
        ck_assert_uint_eq(cm_fft_broadcast_bound(&task).hops, 10);
        task.source = 1023;
        ck_assert_uint_eq(cm_fft_broadcast_bound(&task).distance, schedule.mesh_cost);
        task.source = random_below(&random, 1024);
        ck_assert_uint_le(cm_fft_broadcast_bound(&task).distance, schedule.mesh_cost);
        request.code = CM_FFT_BINARY;
        task.mapping = mapping_of(&request);
        cm_fft_task_schedule(&task, &schedule);
        ck_assert_uint_eq(schedule.hops, cm_fft_broadcast_bound(&task).hops);
    }
}
END_TEST

/* n units of two words: n exchanges over one hop, n + 1 over two; a broadcast sends one point,
 * however many a node holds. */
START_TEST(exchanges_of_steps)
{
    const uint64_t shape[] = {1024}, mesh[] = {16};
    struct cm_config config = cm200_config();
    struct cm_system *system = system_of(&config, 16, true);
    struct cm_fft_request request = request_of(1, shape, 1, mesh, CM_FFT_IDENTICAL);
    struct cm_fft_task task = {.mapping = mapping_of(&request), .axes = 1, .slices = 2};
    struct cm_layout layout;
    struct cm_layout_request wanted = {
        .type = CM_TYPE_COMPLEX64, .rank = 1, .shape = {1024}, .weights = {1}};
    struct cm_array *array;
    struct cm_fft_cost costs[CM_FFT_AXES_MAX];
    struct cm_error err;
    ck_assert_int_eq(cm_layout_create(&wanted, 16, &layout, &err), CM_OK);
    ck_assert_int_eq(cm_array_create(system, "a", &layout, &array, &err), CM_OK);
    ck_assert_int_eq(cm_fft_communicate(system, &task, array, costs, &err), CM_OK);
    for (uint32_t n = 0; n < 10; n++)
        ck_assert_uint_eq(costs[n].exchanges, n < 6 ? 0 : n == 6 ? 64 : 65);
    task.broadcast = true;
    ck_assert_int_eq(cm_fft_communicate(system, &task, array, costs, &err), CM_OK);
    for (uint32_t n = 0; n < 10; n++)
        ck_assert_uint_eq(costs[n].exchanges, n == 0 ? 1 : n < 4 ? 2 : 0);
    cm_array_destroy(system, array);
    cm_system_destroy(system);
}
END_TEST

START_TEST(tasks_that_do_not_fit_are_refused)
{
    const uint64_t shape[] = {1024}, mesh[] = {16};
    struct cm_config config = cm200_config();
    struct cm_system *system = system_of(&config, 8, true), *larger = system_of(&config, 16, true);
    struct cm_fft_request request = request_of(1, shape, 1, mesh, CM_FFT_IDENTICAL);
    struct cm_fft_task task = {.mapping = mapping_of(&request), .axes = 1, .slices = 2};
    struct cm_layout layout;
    struct cm_layout_request wanted = {
        .type = CM_TYPE_COMPLEX128, .rank = 1, .shape = {1024}, .weights = {1}};
    struct cm_array *array;
    struct cm_reshape_request reshape = {.from = task.mapping.allocation,
                                         .to = task.mapping.allocation};
    struct cm_reshape_plan plan;
    struct cm_error err;
    ck_assert_int_eq(cm_fft_communicate_prepare(system, &task, &err), CM_BAD_INPUT);
    ck_assert_int_eq(cm_fft_communicate_prepare(larger, &task, &err), CM_OK);
    ck_assert_int_eq(cm_layout_create(&wanted, 16, &layout, &err), CM_OK);
    ck_assert_int_eq(cm_array_create(larger, "a", &layout, &array, &err), CM_OK);
    ck_assert_int_eq(cm_fft_communicate(larger, &task, array, NULL, &err), CM_BAD_INPUT);
    task.slices = 4;
    ck_assert_int_eq(cm_fft_communicate(larger, &task, array, NULL, &err), CM_OK);
    task.broadcast = true;
    task.source = 1024;
    ck_assert_int_eq(cm_fft_communicate(larger, &task, array, NULL, &err), CM_BAD_INPUT);
    ck_assert_int_eq(cm_fft_communicate(larger, &task, array, NULL, NULL), CM_BAD_INPUT);
    ck_assert_int_eq(cm_reshape_plan_make(&reshape, &plan, &err), CM_BAD_INPUT);
    cm_reshape_plan_finish(&plan);
    cm_array_destroy(larger, array);
    cm_system_destroy(system);
    cm_system_destroy(larger);
}
END_TEST

CM_PROGRAM(test_fft_mapping)
{
    Suite *s = suite_create("fft_mapping");
    TCase *mappings = tcase_create("mappings");
    TCase *broadcasts = tcase_create("broadcasts");
    tcase_add_test(mappings, figures_3_and_5);
    tcase_add_test(mappings, printed_incremental_forms_give_other_tables);
    tcase_add_test(mappings, shuffle_is_theorem_10);
    tcase_add_test(mappings, two_one_shuffle_is_perfect);
    tcase_add_test(mappings, regular_meshes_cost_theorem_8);
    tcase_add_test(mappings, shuffle_has_the_same_steps);
    tcase_add_test(mappings, masks_of_steps);
    tcase_add_test(mappings, mesh_cost_counts_each_step_once);
    tcase_add_test(mappings, rows_under_the_shuffle);
    tcase_add_test(mappings, bad_mappings_are_refused);
    tcase_add_test(mappings, few_points_cost_their_part_of_the_mesh);
    tcase_add_test(mappings, permutations_are_read);
    tcase_add_test(broadcasts, broadcasts_from_corners_are_optimal);
    tcase_add_test(broadcasts, exchanges_of_steps);
    tcase_add_test(broadcasts, tasks_that_do_not_fit_are_refused);
    suite_add_tcase(s, mappings);
    suite_add_tcase(s, broadcasts);
    return cm_run_suite(s);
}
