/* The geometry manager: what P 2.1 says of layouts, and that place() puts every element in one
 * place of its own. */
#include "layouts.h"
#include "suite.h"

#include <string.h>

#define CASES 400

static struct cm_layout lay(uint32_t nodes, uint32_t rank, const uint64_t *shape,
                            const uint32_t *weights)
{
    struct cm_layout_request request = {.type = CM_TYPE_REAL64, .rank = rank};
    struct cm_layout layout;
    for (uint32_t a = 0; a < rank; a++) {
        request.shape[a] = shape[a];
        request.weights[a] = weights ? weights[a] : 1;
    }
    ck_assert_int_eq(cm_layout_create(&request, nodes, &layout, NULL), CM_OK);
    return layout;
}
#define SHAPE(...)                                                                                 \
    (const uint64_t[])                                                                             \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

static int bit_count(uint32_t bits)
{
    int count = 0;
    for (; bits; bits &= bits - 1)
        count++;
    return count;
}

/* P 2.1: "a 32 X 32 array mapped onto a four-dimensional binary cube would result in subarrays of
 * size 8 X 8". */
START_TEST(equal_local_lengths_by_default)
{
    static const struct {
        uint32_t nodes, rank;
        uint64_t shape[3], local[3];
    } cases[] = {
        {16, 2, {32, 32}, {8, 8}},
        {64, 2, {64, 64}, {8, 8}},
        {2048, 1, {33554432}, {16384}},
        {2048, 2, {64, 32}, {1, 1}},
        {512, 3, {128, 128, 128}, {16, 16, 16}},
        {8, 2, {64, 16}, {8, 16}},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct cm_layout layout = lay(cases[i].nodes, cases[i].rank, cases[i].shape, NULL);
        for (uint32_t a = 0; a < layout.rank; a++)
            ck_assert_uint_eq(layout.axes[a].local_length, cases[i].local[a]);
    }
}
END_TEST

START_TEST(axes_that_halve_without_padding_are_cut_first)
{
    struct cm_layout layout = lay(4, 2, SHAPE(9, 8), NULL);
    ck_assert_uint_eq(layout.axes[0].local_length, 9);
    ck_assert_uint_eq(layout.axes[1].local_length, 2);
    layout = lay(16, 2, SHAPE(9, 8), NULL); /* the even axis is used up after three cuts */
    ck_assert_uint_eq(layout.axes[0].local_length, 5);
    ck_assert_uint_eq(layout.axes[1].local_length, 1);
    ck_assert(layout.axes[0].padded && !layout.axes[1].padded);
}
END_TEST

START_TEST(nodes_left_over_hold_no_elements)
{
    struct cm_layout layout = lay(16, 2, SHAPE(2, 3), NULL);
    ck_assert_uint_eq(layout.used_bits, 4);
    ck_assert_uint_eq(layout.local_elements, 1);
    ck_assert(layout.axes[0].padded || layout.axes[1].padded);
    ck_assert_uint_eq(layout.axes[0].node_bits + layout.axes[1].node_bits, 4);
}
END_TEST

/* P 2.1: weights don't change the number of local elements where all divides; a heavier axis is
 * longer locally. */
START_TEST(weight_lengthens_its_axis)
{
    struct random_source random = random_begin("weights");
    for (int i = 0; i < CASES; i++) {
        uint64_t shape[3];
        uint32_t weights[3];
        for (int a = 0; a < 3; a++) {
            shape[a] = UINT64_C(1) << (6 + random_below(&random, 6));
            weights[a] = 1 + random_below(&random, 20);
        }
        uint32_t nodes = UINT32_C(1) << random_below(&random, 12);
        uint32_t heavier = random_below(&random, 3);
        struct cm_layout before = lay(nodes, 3, shape, weights);
        weights[heavier] += 1 + random_below(&random, 50);
        struct cm_layout after = lay(nodes, 3, shape, weights);
        ck_assert_uint_eq(before.local_elements, after.local_elements);
        ck_assert_uint_ge(after.axes[heavier].local_length, before.axes[heavier].local_length);
        for (uint32_t a = 0; a < 3; a++)
            ck_assert(a == heavier || after.axes[a].local_length <= before.axes[a].local_length);
    }
}
END_TEST

START_TEST(order_does_not_change_the_local_shape)
{
    struct random_source random = random_begin("orders");
    for (int i = 0; i < CASES; i++) {
        struct cm_layout_request request = random_request(&random, 100000);
        struct cm_layout news, send;
        uint32_t nodes = UINT32_C(1) << random_below(&random, 12);
        for (uint32_t a = 0; a < request.rank; a++)
            request.orders[a] = CM_ORDER_NEWS;
        ck_assert_int_eq(cm_layout_create(&request, nodes, &news, NULL), CM_OK);
        for (uint32_t a = 0; a < request.rank; a++)
            request.orders[a] = CM_ORDER_SEND;
        ck_assert_int_eq(cm_layout_create(&request, nodes, &send, NULL), CM_OK);
        for (uint32_t a = 0; a < request.rank; a++)
            ck_assert_uint_eq(news.axes[a].local_length, send.axes[a].local_length);
    }
}
END_TEST

START_TEST(news_neighbours_are_one_wire_apart)
{
    for (uint32_t bits = 1; bits <= 16; bits++) {
        struct cm_axis axis = {.order = CM_ORDER_NEWS, .node_bits = bits};
        uint32_t blocks = UINT32_C(1) << bits;
        for (uint32_t c = 0; c < blocks; c++) {
            uint32_t here = cm_axis_encode(&axis, c);
            uint32_t next = cm_axis_encode(&axis, (c + 1) % blocks);
            ck_assert_uint_lt(here, blocks);
            ck_assert_int_eq(bit_count(here ^ next), 1);
            ck_assert_uint_eq(cm_axis_decode(&axis, here), c);
        }
    }
}
END_TEST

START_TEST(send_order_is_the_node_number)
{
    struct cm_axis axis = {.order = CM_ORDER_SEND, .node_bits = 5};
    for (uint32_t c = 0; c < 32; c++) {
        ck_assert_uint_eq(cm_axis_encode(&axis, c), c);
        ck_assert_uint_eq(cm_axis_decode(&axis, c), c);
    }
}
END_TEST

static void check_measures(const struct cm_layout *layout)
{
    uint32_t dimension = 0;
    uint64_t elements = 1, local = 1;
    for (uint32_t a = 0; a < layout->rank; a++) {
        const struct cm_axis *axis = &layout->axes[a];
        uint64_t blocks = UINT64_C(1) << axis->node_bits;
        ck_assert_uint_eq(axis->first_dimension, dimension);
        ck_assert_uint_eq(axis->local_length, (axis->length + blocks - 1) / blocks);
        ck_assert(axis->padded == (axis->length % blocks != 0));
        ck_assert(axis->order != CM_ORDER_SERIAL || axis->node_bits == 0);
        ck_assert_uint_eq(layout->axes[a].stride, local);
        dimension += axis->node_bits;
        elements *= axis->length;
        local *= axis->local_length;
    }
    ck_assert_uint_eq(layout->used_bits, dimension);
    ck_assert(dimension == layout->node_bits || dimension == 0);
    ck_assert_uint_eq(layout->nodes, UINT32_C(1) << layout->node_bits);
    ck_assert_uint_eq(layout->elements, elements);
    ck_assert_uint_eq(layout->local_elements, local);
    ck_assert_uint_eq(layout->local_words, local * cm_type_slices(layout->type));
}

/* Every element has a place of its own, in the block that its coordinates say. */
static void check_places(const struct cm_layout *layout)
{
    uint64_t places = layout->local_elements << layout->used_bits;
    unsigned char *taken = calloc(places, 1);
    ck_assert_ptr_nonnull(taken);
    for (uint64_t number = 0; number < layout->elements; number++) {
        uint64_t index[CM_RANK_MAX], local, rebuilt = 0;
        uint32_t node;
        element_index(layout, number, index);
        cm_layout_place(layout, index, &node, &local);
        ck_assert_uint_lt(node, UINT32_C(1) << layout->used_bits);
        ck_assert_uint_lt(local, layout->local_elements);
        ck_assert_uint_eq(taken[local << layout->used_bits | node]++, 0);
        for (uint32_t a = 0; a < layout->rank; a++) {
            uint64_t segment = layout->axes[a].local_length;
            uint64_t begin = cm_layout_coordinate(layout, node, a) * segment;
            ck_assert(begin <= index[a] && index[a] < begin + segment);
            rebuilt += (index[a] - begin) * layout->axes[a].stride;
        }
        ck_assert_uint_eq(rebuilt, local);
    }
    free(taken);
}

START_TEST(every_element_has_its_own_place)
{
    struct random_source random = random_begin("places");
    for (int i = 0; i < CASES; i++) {
        struct cm_layout_request request = random_request(&random, 4000);
        uint32_t nodes = UINT32_C(1) << random_below(&random, 12);
        struct cm_layout layout;
        ck_assert_int_eq(cm_layout_create(&request, nodes, &layout, NULL), CM_OK);
        check_measures(&layout);
        check_places(&layout);
    }
}
END_TEST

START_TEST(serial_axes_lie_in_every_node)
{
    struct cm_layout_request request = {.type = CM_TYPE_REAL32,
                                        .rank = 2,
                                        .shape = {5, 6},
                                        .orders = {CM_ORDER_SERIAL, CM_ORDER_SERIAL},
                                        .weights = {1, 1}};
    struct cm_layout layout;
    ck_assert_int_eq(cm_layout_create(&request, 8, &layout, NULL), CM_OK);
    ck_assert_uint_eq(layout.used_bits, 0);
    ck_assert_uint_eq(layout.local_elements, 30);
    for (uint32_t node = 0; node < 8; node++)
        ck_assert_uint_eq(cm_layout_coordinate(&layout, node, 1), 0);
}
END_TEST

START_TEST(equal_means_same_shape_type_and_placement)
{
    struct cm_layout_request request = {
        .type = CM_TYPE_REAL32, .rank = 2, .shape = {16, 16}, .weights = {1, 1}};
    struct cm_layout a, b;
    ck_assert_int_eq(cm_layout_create(&request, 16, &a, NULL), CM_OK);
    request.weights[0] = request.weights[1] = 3; /* lays the same */
    ck_assert_int_eq(cm_layout_create(&request, 16, &b, NULL), CM_OK);
    ck_assert(cm_layout_equal(&a, &b));
    request.orders[1] = CM_ORDER_SEND;
    ck_assert_int_eq(cm_layout_create(&request, 16, &b, NULL), CM_OK);
    ck_assert(!cm_layout_equal(&a, &b));
    request.orders[1] = CM_ORDER_NEWS;
    request.type = CM_TYPE_INT32;
    ck_assert_int_eq(cm_layout_create(&request, 16, &b, NULL), CM_OK);
    ck_assert(!cm_layout_equal(&a, &b));
    request.type = CM_TYPE_REAL32;
    request.weights[0] = 12;
    ck_assert_int_eq(cm_layout_create(&request, 16, &b, NULL), CM_OK);
    ck_assert(!cm_layout_equal(&a, &b));
}
END_TEST

START_TEST(a_weight_that_is_not_given_is_one)
{
    const struct cm_layout_request plain = {.rank = 2, .shape = {8, 32}};
    const struct cm_layout_request ones = {.rank = 2, .shape = {8, 32}, .weights = {1, 1}};
    struct cm_layout given, expected;
    struct cm_error err;
    ck_assert_int_eq(cm_layout_create(&plain, 16, &given, &err), CM_OK);
    ck_assert_int_eq(cm_layout_create(&ones, 16, &expected, &err), CM_OK);
    ck_assert(cm_layout_equal(&given, &expected));
    ck_assert_uint_eq(given.axes[0].weight, 1);
    ck_assert_uint_eq(given.axes[1].weight, 1);
}
END_TEST

static const struct {
    uint32_t nodes;
    struct cm_layout_request request;
    const char *message;
} refused[] = {
    {4, {.rank = 0}, "rank 0"},
    {4, {.rank = 8}, "rank 8"},
    {4, {.rank = 2, .shape = {4, 0}, .weights = {1, 1}}, "axis 1 of the shape is empty"},
    {4, {.rank = 2, .shape = {4, 4}, .orders = {0, CM_ORDER_COUNT}}, "axis 1 has no known order"},
    {6, {.rank = 1, .shape = {4}, .weights = {1}}, "6 nodes: not a power of two"},
    {0, {.rank = 1, .shape = {4}, .weights = {1}}, "0 nodes"},
    {4, {.rank = 1, .shape = {UINT64_MAX}, .weights = {1}}, "too large"},
    {4, {.rank = 2, .shape = {UINT64_C(1) << 40, 1 << 23}, .weights = {1, 1}}, "too large"},
};

START_TEST(refuses_what_cannot_be_laid_out)
{
    struct cm_layout layout;
    struct cm_error err;
    ck_assert_int_eq(cm_layout_create(&refused[_i].request, refused[_i].nodes, &layout, &err),
                     CM_BAD_INPUT);
    ck_assert_msg(strstr(err.message, refused[_i].message), "%s", err.message);
}
END_TEST

START_TEST(the_largest_shape_is_measured_without_overflow)
{
    const uint64_t most = (UINT64_C(1) << 60) - 1; /* times 8 bytes */
    struct cm_layout layout = lay(65536, 1, SHAPE(most), NULL);
    ck_assert_uint_eq(layout.axes[0].local_length, UINT64_C(1) << 44);
    ck_assert(layout.axes[0].padded);
    uint32_t node;
    uint64_t local;
    cm_layout_place(&layout, SHAPE(most - 1), &node, &local);
    ck_assert_uint_eq(cm_layout_coordinate(&layout, node, 0), 65535);
    ck_assert_uint_eq(local, (UINT64_C(1) << 44) - 2);
}
END_TEST

CM_PROGRAM(test_geometry)
{
    Suite *suite = suite_create("geometry");
    TCase *tests = tcase_create("geometry");
    tcase_add_test(tests, equal_local_lengths_by_default);
    tcase_add_test(tests, axes_that_halve_without_padding_are_cut_first);
    tcase_add_test(tests, nodes_left_over_hold_no_elements);
    tcase_add_test(tests, weight_lengthens_its_axis);
    tcase_add_test(tests, order_does_not_change_the_local_shape);
    tcase_add_test(tests, news_neighbours_are_one_wire_apart);
    tcase_add_test(tests, send_order_is_the_node_number);
    tcase_add_test(tests, every_element_has_its_own_place);
    tcase_add_test(tests, serial_axes_lie_in_every_node);
    tcase_add_test(tests, equal_means_same_shape_type_and_placement);
    tcase_add_test(tests, a_weight_that_is_not_given_is_one);
    tcase_add_loop_test(tests, refuses_what_cannot_be_laid_out, 0,
                        sizeof(refused) / sizeof(refused[0]));
    tcase_add_test(tests, the_largest_shape_is_measured_without_overflow);
    suite_add_tcase(suite, tests);
    return cm_run_suite(suite);
}
