/* Ways along an axis: followed hop by hop in all nodes at once; and parts, ranges and runs against
 * lists of places. */
#include "layouts.h"
#include "programs/system/axis_hops.h"
#include "programs/system/axis_parts.h"
#include "suite.h"

#include <string.h>

#define MOST_NODES 2048u
#define CASES      3000

static struct cm_axis axis_of(enum cm_order order, uint32_t node_bits, uint64_t local_length)
{
    return (struct cm_axis){.order = order,
                            .node_bits = node_bits,
                            .local_length = local_length,
                            .length = local_length << node_bits};
}

/* ---- hops ---- */

/* Origin of the word that each node (by its axis address) holds. */
struct words {
    uint32_t origin[MOST_NODES];
};

/* All nodes make a hop. Every word crosses one dimension of the axis or stays, no two meet, and
 * each receiver looks for its word in the dimension over which it comes. */
static void make_hop(const struct cm_axis *axis, const struct cm_hop *hop, struct words *words)
{
    uint32_t nodes = UINT32_C(1) << axis->node_bits;
    struct words next;
    memset(&next, 0xff, sizeof next);
    for (uint32_t bits = 0; bits < nodes; bits++) {
        uint8_t out = cm_hop_out(axis, hop, bits);
        require(out == CM_HOP_STAY || out < axis->node_bits);
        uint32_t to = out == CM_HOP_STAY ? bits : bits ^ UINT32_C(1) << out;
        require_uint_eq(cm_hop_in(axis, hop, to), out);
        require(next.origin[to] == UINT32_MAX);
        next.origin[to] = words->origin[bits];
    }
    *words = next;
}

static void follow(const struct cm_axis *axis, int64_t displacement, const struct cm_hops *hops)
{
    uint32_t nodes = UINT32_C(1) << axis->node_bits;
    struct words words;
    require(hops->count <= CM_HOPS_MAX);
    for (uint32_t bits = 0; bits < nodes; bits++)
        words.origin[bits] = bits;
    for (uint32_t h = 0; h < hops->count; h++)
        make_hop(axis, &hops->at[h], &words);
    for (uint32_t bits = 0; bits < nodes; bits++) {
        int64_t from = cm_axis_decode(axis, words.origin[bits]);
        int64_t to = cm_axis_decode(axis, bits);
        require(((from + displacement - to) & (int64_t)(nodes - 1)) == 0);
    }
}

START_TEST(hops_move_every_word_by_its_displacement_and_no_two_meet)
{
    static const enum cm_order orders[] = {CM_ORDER_NEWS, CM_ORDER_SEND};
    uint32_t nodes = UINT32_C(1) << _i;
    for (int k = 0; k < 2; k++) {
        struct cm_axis axis = axis_of(orders[k], (uint32_t)_i, 4);
        for (int64_t displacement = 0; displacement < nodes; displacement++) {
            struct cm_hops hops;
            cm_hops_find(&axis, displacement, &hops);
            ck_assert(displacement > 0 || hops.count == 0);
            follow(&axis, displacement, &hops);
        }
    }
}
END_TEST

START_TEST(a_displacement_counts_modulo_the_nodes)
{
    static const int64_t displacements[] = {-1, -7, 16, 17, -16, 1000003, -1000003, INT64_MIN};
    static const enum cm_order orders[] = {CM_ORDER_NEWS, CM_ORDER_SEND};
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < sizeof displacements / sizeof displacements[0]; i++) {
            struct cm_axis axis = axis_of(orders[k], 4, 4);
            struct cm_hops hops;
            cm_hops_find(&axis, displacements[i], &hops);
            follow(&axis, displacements[i] % 16, &hops);
            ck_assert(displacements[i] % 16 != 0 || hops.count == 0);
        }
}
END_TEST

/* P 3: neighbours in one hop, powers of two in two; Grama et al. 4.6: at most two hops for each
 * signed digit. */
START_TEST(gray_code_takes_one_hop_to_a_neighbour_and_two_to_a_power_of_two)
{
    for (uint32_t node_bits = 1; node_bits <= 11; node_bits++) {
        struct cm_axis axis = axis_of(CM_ORDER_NEWS, node_bits, 4);
        int64_t nodes = INT64_C(1) << node_bits;
        for (int64_t displacement = 1; displacement < nodes; displacement++) {
            struct cm_hops there, back;
            cm_hops_find(&axis, displacement, &there);
            cm_hops_find(&axis, -displacement, &back);
            require_uint_eq(there.count, back.count);
            require(there.count <= node_bits + 1);
            int64_t shorter =
                displacement < nodes - displacement ? displacement : nodes - displacement;
            if (shorter == 1)
                require_uint_eq(there.count, 1);
            else if ((shorter & (shorter - 1)) == 0)
                require_uint_eq(there.count, 2);
        }
    }
}
END_TEST

/* E-cube: a dimension after the other from the lowest, each at most once. */
START_TEST(binary_order_crosses_dimensions_from_the_lowest)
{
    for (uint32_t node_bits = 1; node_bits <= 11; node_bits++)
        for (int64_t displacement = 1; displacement < INT64_C(1) << node_bits; displacement++) {
            struct cm_axis axis = axis_of(CM_ORDER_SEND, node_bits, 4);
            struct cm_hops hops;
            cm_hops_find(&axis, displacement, &hops);
            require_uint_eq(hops.count, node_bits - (uint32_t)__builtin_ctzll(
                                                        (unsigned long long)displacement));
            for (uint32_t h = 1; h < hops.count; h++)
                require(hops.at[h - 1].scale < hops.at[h].scale);
        }
}
END_TEST

static bool naive_conflict(const struct cm_axis *axis, const struct cm_hop *a,
                           const struct cm_hop *b)
{
    uint32_t conflicts = 0;
    for (uint32_t bits = 0; bits < UINT32_C(1) << axis->node_bits; bits++)
        conflicts += cm_hop_out(axis, a, bits) != CM_HOP_STAY &&
                     cm_hop_out(axis, a, bits) == cm_hop_out(axis, b, bits);
    return conflicts > 0;
}

START_TEST(hops_conflict_when_some_node_sends_both_over_one_dimension)
{
    struct random_source random = random_begin("conflicts");
    uint32_t found[2] = {0};
    for (int i = 0; i < CASES; i++) {
        uint32_t node_bits = 1 + random_below(&random, 7);
        struct cm_axis axis =
            axis_of(random_below(&random, 2) ? CM_ORDER_NEWS : CM_ORDER_SEND, node_bits, 4);
        struct cm_hops a, b;
        cm_hops_find(&axis, 1 + random_below(&random, (1u << node_bits) - 1), &a);
        cm_hops_find(&axis, 1 + random_below(&random, (1u << node_bits) - 1), &b);
        const struct cm_hop *x = &a.at[random_below(&random, a.count)];
        const struct cm_hop *y = &b.at[random_below(&random, b.count)];
        bool conflict = cm_hop_conflict(&axis, x, y);
        ck_assert(conflict == naive_conflict(&axis, x, y));
        found[conflict]++;
    }
    ck_assert_uint_gt(found[0], 100);
    ck_assert_uint_gt(found[1], 100);
    for (uint32_t node_bits = 1; node_bits <= 11; node_bits++) { /* both neighbours, P 2.2 */
        struct cm_axis axis = axis_of(CM_ORDER_NEWS, node_bits, 4);
        struct cm_hops up, down;
        cm_hops_find(&axis, 1, &up);
        cm_hops_find(&axis, -1, &down);
        ck_assert(cm_hop_conflict(&axis, &up.at[0], &down.at[0]) == (node_bits == 1));
    }
}
END_TEST

/* ---- parts ---- */

START_TEST(parts_say_for_each_place_where_its_element_comes_from)
{
    struct random_source random = random_begin("parts");
    for (int i = 0; i < CASES; i++) {
        int64_t length = 1 + random_below(&random, 12);
        int64_t distance = (int64_t)random_below(&random, 201) - 100;
        struct cm_axis axis = axis_of(CM_ORDER_NEWS, 3, (uint64_t)length);
        struct cm_axis_part parts[2];
        uint32_t count = cm_axis_parts_find(&axis, distance, parts);
        uint32_t part = 0;
        require(count >= 1);
        require(count <= 2);
        for (int64_t place = 0; place < length; place++) { /* in order, each in one part */
            int64_t from = place + distance + 1000 * length;
            if (place == (int64_t)(parts[part].first + parts[part].count))
                part++;
            require(part < count);
            int64_t within = place - (int64_t)parts[part].first;
            require(within >= 0);
            require((int64_t)parts[part].source + within == from % length);
            require(parts[part].nodes == from / length - 1000);
        }
        require_uint_eq(part + 1, count);
        require_uint_eq(parts[part].first + parts[part].count, (uint64_t)length);
    }
}
END_TEST

/* ---- ranges ---- */

START_TEST(ranges_cover_each_place_once_and_no_other)
{
    struct random_source random = random_begin("ranges");
    for (int i = 0; i < CASES; i++) {
        uint32_t length = 1 + random_below(&random, 9), node_bits = random_below(&random, 4);
        uint32_t places = length << node_bits;
        struct cm_axis axis = axis_of(CM_ORDER_SEND, node_bits, length);
        uint64_t low = random_below(&random, places + 1);
        uint64_t high = low + random_below(&random, (uint32_t)(places - low + 1));
        uint32_t covered[9 * 8] = {0};
        struct cm_range ranges[3];
        uint32_t count = cm_ranges_find(&axis, low, high, ranges);
        require(count <= 3);
        for (uint32_t r = 0; r < count; r++) {
            require(ranges[r].count > 0);
            require(ranges[r].first_coordinate <= ranges[r].last_coordinate);
            for (uint32_t c = ranges[r].first_coordinate; c <= ranges[r].last_coordinate; c++)
                for (uint64_t k = 0; k < ranges[r].count; k++)
                    covered[c * length + ranges[r].first + k]++;
        }
        for (uint32_t p = 0; p < places; p++)
            require_uint_eq(covered[p], p >= low && p < high);
    }
}
END_TEST

/* ---- runs ---- */

static uint64_t run_element(const struct cm_runs *runs, uint64_t number)
{
    return runs->offset + number / runs->run * runs->stride + number % runs->run;
}

START_TEST(runs_list_the_elements_of_an_index_range_in_memory_order)
{
    struct random_source random = random_begin("runs");
    for (int i = 0; i < CASES / 10; i++) {
        struct cm_layout_request request = random_request(&random, 3000);
        struct cm_layout layout;
        ck_assert_int_eq(cm_layout_create(&request, 1u << random_below(&random, 5), &layout, NULL),
                         CM_OK);
        uint32_t a = random_below(&random, layout.rank);
        uint64_t length = layout.axes[a].local_length;
        uint64_t first = random_below(&random, (uint32_t)length);
        uint64_t count = 1 + random_below(&random, (uint32_t)(length - first));
        struct cm_runs runs = cm_runs_of(&layout, a, first, count);
        uint64_t number = 0;
        for (uint64_t e = 0; e < layout.local_elements; e++) {
            uint64_t index = e / layout.axes[a].stride % length;
            if (index >= first && index < first + count)
                require(run_element(&runs, number++) == e);
        }
        require_uint_eq(runs.run * runs.rows, number);
    }
}
END_TEST

CM_PROGRAM(test_route)
{
    Suite *suite = suite_create("hops");
    TCase *tests = tcase_create("hops");
    tcase_add_loop_test(tests, hops_move_every_word_by_its_displacement_and_no_two_meet, 1, 12);
    tcase_add_test(tests, a_displacement_counts_modulo_the_nodes);
    tcase_add_test(tests, gray_code_takes_one_hop_to_a_neighbour_and_two_to_a_power_of_two);
    tcase_add_test(tests, binary_order_crosses_dimensions_from_the_lowest);
    tcase_add_test(tests, hops_conflict_when_some_node_sends_both_over_one_dimension);
    tcase_add_test(tests, parts_say_for_each_place_where_its_element_comes_from);
    tcase_add_test(tests, ranges_cover_each_place_once_and_no_other);
    tcase_add_test(tests, runs_list_the_elements_of_an_index_range_in_memory_order);
    suite_add_tcase(suite, tests);
    return cm_run_suite(suite);
}
