/* The third step of end-off shifts, on any layout, and the run-time library's shifts and copies. */
#include "programs/pshift/boundary.h"
#include "programs/pshift/runtime.h"
#include "shifts.h"
#include "suite.h"

#define CASES 120

static struct cm_layout random_layout(struct random_source *random, uint32_t rank, uint32_t nodes)
{
    struct cm_layout_request request = random_request(random, 600);
    struct cm_layout layout;
    bool serial = random_below(random, 5) == 0; /* every node holds a copy */
    request.rank = rank;
    for (uint32_t a = 0; a < rank; a++) {
        request.shape[a] = 1 + random_below(random, rank == 1 ? 60 : rank == 2 ? 14 : 7);
        request.orders[a] =
            serial ? CM_ORDER_SERIAL : (enum cm_order)random_below(random, CM_ORDER_COUNT);
        request.weights[a] = 1 + random_below(random, 3);
    }
    ck_assert_int_eq(cm_layout_create(&request, nodes, &layout, NULL), CM_OK);
    return layout;
}

static struct cm_scalar random_scalar(struct random_source *random, enum cm_type type)
{
    struct cm_scalar scalar = {{0}};
    for (uint32_t s = 0; s < cm_type_slices(type); s++)
        scalar.words[s] =
            type == CM_TYPE_LOGICAL ? random_below(random, 2) : (uint32_t)random_next(random);
    return scalar;
}

/* Nodes that differ above the used bits hold copies of each other. */
static void check_copies(struct cm_system *system, const struct cm_array *array)
{
    const struct cm_layout *layout = &array->layout;
    uint32_t words[64];
    uint32_t used = (UINT32_C(1) << layout->used_bits) - 1;
    for (uint64_t w = 0; w < layout->local_words; w++) {
        ck_assert_int_eq(
            cm_machine_read_plane(cm_system_machine(system), array->address + w, words, NULL),
            CM_OK);
        for (uint32_t n = 0; n < layout->nodes; n++)
            require_uint_eq(words[n], words[n & used]);
    }
}

/* ---- places ---- */

START_TEST(places_without_a_source_lie_at_the_end_that_a_shift_leaves)
{
    static const struct {
        int64_t distance;
        bool some;
        uint64_t low, high;
    } cases[] = {{0, false, 0, 0},         {3, true, 7, 10},         {-3, true, 0, 3},
                 {10, true, 0, 10},        {-10, true, 0, 10},       {11, true, 0, 10},
                 {INT64_MAX, true, 0, 10}, {INT64_MIN, true, 0, 10}, {-1, true, 0, 1}};
    struct cm_axis axis = {.length = 10, .local_length = 4, .node_bits = 2, .padded = true};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t low = 99, high = 99;
        ck_assert(cm_boundary_places(&axis, cases[i].distance, &low, &high) == cases[i].some);
        if (!cases[i].some)
            continue;
        ck_assert_uint_eq(low, cases[i].low);
        ck_assert_uint_eq(high, cases[i].high);
    }
}
END_TEST

START_TEST(a_boundary_array_must_fit_the_array_without_the_axis)
{
    static const uint64_t shape[] = {4, 6, 8};
    static const struct {
        uint32_t rank;
        uint64_t shape[3];
        enum cm_type type;
        const char *message; /* NULL: fits */
    } cases[] = {
        {2, {4, 8}, CM_TYPE_REAL32, NULL},
        {3,
         {4, 6, 8},
         CM_TYPE_REAL32,
         "has rank 3; shifting an array of rank 3 needs one of rank 2"},
        {1, {4}, CM_TYPE_REAL32, "has rank 1"},
        {2, {4, 8}, CM_TYPE_INT32, "is int32, the shifted one real32"},
        {2,
         {6, 8},
         CM_TYPE_REAL32,
         "length 6 along its axis 0; the shifted array without its axis 1 has 4"},
        {2,
         {4, 6},
         CM_TYPE_REAL32,
         "length 6 along its axis 1; the shifted array without its axis 1 has 8"},
    };
    struct cm_layout layout = layout_of(CM_TYPE_REAL32, 3, shape, CM_ORDER_NEWS, 8);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct cm_array array = {.name = "edge"};
        struct cm_error err;
        array.layout = layout_of(cases[i].type, cases[i].rank, cases[i].shape, CM_ORDER_SEND, 8);
        enum cm_status status = cm_boundary_check(&layout, 1, &array, &err);
        ck_assert_int_eq(status, cases[i].message ? CM_BAD_INPUT : CM_OK);
        if (cases[i].message)
            ck_assert_msg(strstr(err.message, cases[i].message) != NULL, "%s", err.message);
    }
}
END_TEST

/* ---- fills ---- */

/* Sets the elements at the places to the boundary, by a shift of an array on itself that moves
 * nothing else. */
static void fill_on_host(struct pair *dst, const struct cm_boundary *boundary,
                         const struct cm_scalar *scalar, const unsigned char *array)
{
    const struct cm_layout *layout = &dst->array->layout;
    struct cm_shift shift = {
        .type = CM_SHIFT_EOSHIFT_ARRAY, .axis = boundary->axis, .boundary_scalar = *scalar};
    size_t bytes = cm_type_host_bytes(layout->type);
    unsigned char element[16];
    for (uint64_t e = 0; e < layout->elements; e++) {
        uint64_t index[CM_RANK_MAX];
        element_index(layout, e, index);
        if (index[boundary->axis] < boundary->low || index[boundary->axis] >= boundary->high)
            continue;
        memcpy(dst->bytes + e * bytes, boundary_element(layout, &shift, array, index, element),
               bytes);
    }
}

static void fill_once(struct cm_system *system, struct random_source *random,
                      const struct cm_layout *layout, bool from_array)
{
    struct pair dst = pair_create(system, layout, random), edge = {0};
    struct cm_boundary boundary = {.layout = layout, .axis = random_below(random, layout->rank)};
    struct cm_scalar scalar = random_scalar(random, layout->type);
    struct cm_layout edge_layout;
    struct cm_error err;
    uint32_t length = (uint32_t)layout->axes[boundary.axis].length;
    for (uint32_t c = 0; c < 2; c++)
        boundary.bits[c] = cm_scalar_bits(layout->type, &scalar, c);
    boundary.low = random_below(random, length);
    boundary.high = boundary.low + 1 + random_below(random, length - (uint32_t)boundary.low);
    if (from_array) {
        edge_layout = boundary_layout(layout, boundary.axis, random);
        edge = pair_create(system, &edge_layout, random);
        boundary.array = edge.array;
    }
    if (random_below(random, 2))
        ck_assert_int_eq(cm_boundary_prepare(system, &boundary, &err), CM_OK);
    ck_assert_msg(cm_boundary_fill(system, &boundary, dst.array, CM_ENTRY_RUNTIME, &err) == CM_OK,
                  "%s", err.message);
    fill_on_host(&dst, &boundary, &scalar, edge.bytes);
    pair_check(system, &dst);
    check_copies(system, dst.array);
    if (from_array) {
        pair_check(system, &edge);
        pair_finish(system, &edge);
    }
    pair_finish(system, &dst);
}

/* Rank in the loop's number; rank one has no boundary array. */
START_TEST(a_fill_reaches_its_places_and_no_others)
{
    struct random_source random = random_begin("fills");
    struct cm_config config = cm200_config();
    uint32_t replicated = 0, padded = 0;
    for (uint32_t bits = 0; bits <= 5; bits++) {
        struct cm_system *system = system_of(&config, UINT32_C(1) << bits, false);
        for (int i = 0; i < CASES / 6; i++) {
            struct cm_layout layout = random_layout(&random, (uint32_t)_i, UINT32_C(1) << bits);
            replicated += layout.used_bits < layout.node_bits;
            for (uint32_t a = 0; a < layout.rank; a++)
                padded += layout.axes[a].padded;
            fill_once(system, &random, &layout, false);
            if (_i > 1)
                fill_once(system, &random, &layout, true);
        }
        cm_system_destroy(system);
    }
    ck_assert_uint_gt(replicated, CASES / 12);
    ck_assert_uint_gt(padded, CASES / 12);
}
END_TEST

/* ---- the run-time library ---- */

static void shift_once(struct cm_system *system, struct random_source *random,
                       const struct cm_layout *layout)
{
    struct pair src = pair_create(system, layout, random),
                dst = pair_create(system, layout, random);
    struct pair edge = {0};
    struct cm_layout edge_layout;
    struct cm_error err;
    bool in_place = random_below(random, 3) == 0;
    uint32_t axis = random_below(random, layout->rank);
    int64_t length = (int64_t)layout->axes[axis].length;
    struct cm_shift shift = {.type = (enum cm_shift_type)random_below(random, CM_SHIFT_TYPE_COUNT),
                             .axis = axis,
                             .distance =
                                 (int64_t)random_below(random, (uint32_t)(5 * length)) - 2 * length,
                             .dst = in_place ? src.array : dst.array,
                             .src = src.array,
                             .boundary_scalar = random_scalar(random, layout->type)};
    if (shift.type == CM_SHIFT_EOSHIFT_ARRAY && layout->rank > 1) {
        edge_layout = boundary_layout(layout, axis, random);
        edge = pair_create(system, &edge_layout, random);
        shift.boundary_array = edge.array;
    }
    if (random_below(random, 2))
        ck_assert_int_eq(cm_runtime_prepare(system, &shift, &err), CM_OK);
    struct cm_counters before = cm_machine_counters(cm_system_machine(system));
    ck_assert_msg(cm_runtime_shift(system, &shift, &err) == CM_OK, "%s", err.message);
    struct cm_counters after = cm_machine_counters(cm_system_machine(system));
    ck_assert_uint_eq(cm_counters_difference(&after, &before).by_cause[CM_CAUSE_RUNTIME_CALL],
                      cm_machine_config(cm_system_machine(system))->front_end_runtime_call_cycles);
    shift_on_host(layout, &shift, dst.bytes, src.bytes, edge.bytes);
    if (in_place)
        memcpy(src.bytes, dst.bytes, dst.size);
    else
        pair_check(system, &dst);
    pair_check(system, &src);
    check_copies(system, shift.dst);
    if (edge.array)
        pair_finish(system, &edge);
    pair_finish(system, &src);
    pair_finish(system, &dst);
}

START_TEST(any_shift_of_any_layout_comes_out_right_in_one_call)
{
    struct random_source random = random_begin("run-time library");
    struct cm_config config = cm200_config();
    for (uint32_t bits = 0; bits <= 5; bits++) {
        struct cm_system *system = system_of(&config, UINT32_C(1) << bits, false);
        for (int i = 0; i < CASES / 6; i++) {
            struct cm_layout layout = random_layout(&random, (uint32_t)_i, UINT32_C(1) << bits);
            shift_once(system, &random, &layout);
        }
        cm_system_destroy(system);
    }
}
END_TEST

START_TEST(a_copy_copies_and_onto_itself_costs_nothing)
{
    static const uint64_t shape[] = {30, 7};
    struct random_source random = random_begin("copy");
    struct cm_config config = cm200_config();
    struct cm_system *system = system_of(&config, 8, false);
    struct cm_layout layout = layout_of(CM_TYPE_COMPLEX64, 2, shape, CM_ORDER_NEWS, 8);
    struct pair src = pair_create(system, &layout, &random);
    struct pair dst = pair_create(system, &layout, &random);
    struct cm_machine *machine = cm_system_machine(system);
    ck_assert_int_eq(cm_runtime_copy(system, src.array, src.array, NULL), CM_OK);
    ck_assert_uint_eq(cm_machine_counters(machine).cycles, 0);
    pair_check(system, &src);
    ck_assert_int_eq(cm_runtime_copy(system, dst.array, src.array, NULL), CM_OK);
    ck_assert_uint_eq(cm_machine_counters(machine).words_moved_locally, layout.local_words);
    ck_assert_uint_eq(cm_machine_counters(machine).exchanges, 0);
    pair_check(system, &src);
    memcpy(dst.bytes, src.bytes, src.size);
    pair_check(system, &dst);
    pair_finish(system, &src);
    pair_finish(system, &dst);
    cm_system_destroy(system);
}
END_TEST

START_TEST(arrays_that_do_not_match_are_refused)
{
    static const uint64_t shape[] = {8, 8}, other_shape[] = {8, 9};
    struct random_source random = {1};
    struct cm_config config = cm200_config();
    struct cm_system *system = system_of(&config, 4, false);
    struct cm_layout layout = layout_of(CM_TYPE_REAL32, 2, shape, CM_ORDER_NEWS, 4);
    struct cm_layout other = layout_of(CM_TYPE_REAL32, 2, other_shape, CM_ORDER_NEWS, 4);
    struct pair a = pair_create(system, &layout, &random), b = pair_create(system, &other, &random);
    struct cm_shift shift = {.axis = 2, .distance = 1, .dst = b.array, .src = a.array};
    struct cm_error err;
    ck_assert_int_eq(cm_runtime_copy(system, b.array, a.array, &err), CM_BAD_INPUT);
    ck_assert_str_eq(err.message, "arrays \"x\" and \"x\" differ in shape, type or layout");
    ck_assert_int_eq(cm_runtime_shift(system, &shift, &err), CM_BAD_INPUT);
    ck_assert_str_eq(err.message, "arrays \"x\" and \"x\" differ in shape, type or layout");
    shift.dst = a.array;
    ck_assert_int_eq(cm_runtime_shift(system, &shift, &err), CM_BAD_INPUT);
    ck_assert_str_eq(err.message, "axis 2 of array \"x\", which has rank 2");
    ck_assert_int_eq(cm_runtime_prepare(system, &shift, &err), CM_BAD_INPUT);
    shift = (struct cm_shift){.type = CM_SHIFT_EOSHIFT_ARRAY,
                              .distance = 1,
                              .dst = a.array,
                              .src = a.array,
                              .boundary_array = b.array};
    ck_assert_int_eq(cm_runtime_shift(system, &shift, &err), CM_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(err.message, "needs one of rank 1"));
    pair_check(system, &a);
    pair_finish(system, &a);
    pair_finish(system, &b);
    cm_system_destroy(system);
}
END_TEST

/* A shift by `distance` along either axis of a matrix of 64 x 64 elements in each of 16 nodes. */
START_TEST(a_shift_onto_itself_sets_aside_what_crosses)
{
    static const int64_t distances[] = {1, -1, 2, -5, 31, 63, 65, 129};
    const struct cm_config config = cm200_config();
    struct cm_system *system = system_of(&config, 16, false);
    const struct cm_layout layout =
        layout_of(CM_TYPE_REAL64, 2, (uint64_t[]){256, 256}, CM_ORDER_NEWS, 16);
    struct random_source random = random_begin("memory of shifts in place");
    struct pair pair = pair_create(system, &layout, &random);
    struct pair other = pair_create(system, &layout, &random);
    struct cm_shift shift = {.src = pair.array,
                             .type = _i & 1 ? CM_SHIFT_CSHIFT : CM_SHIFT_EOSHIFT_0,
                             .axis = _i >> 1 & 1,
                             .distance = distances[_i >> 2]};
    const uint64_t within = (uint64_t)llabs(shift.distance) % 64;
    const uint64_t layers = within < 32 ? within : 64 - within;
    uint64_t cycles[3];
    shift.dst = other.array;
    ck_assert_int_eq(cm_runtime_shift(system, &shift, NULL), CM_OK);
    cycles[0] = cm_machine_counters(system->machine).cycles;
    ck_assert_int_eq(cm_runtime_copy(system, pair.array, other.array, NULL), CM_OK);
    cycles[1] = cm_machine_counters(system->machine).cycles;
    shift.dst = pair.array;
    ck_assert_int_eq(cm_runtime_prepare(system, &shift, NULL), CM_OK); /* communication tables */
    const uint64_t used = cm_heap_measure(system->heap);
    ck_assert_int_eq(cm_runtime_shift(system, &shift, NULL), CM_OK);
    cycles[2] = cm_machine_counters(system->machine).cycles;
    ck_assert_uint_eq(cm_heap_most(system->heap) - used, (layers * 64 + 1) * 2);
    ck_assert_uint_lt(cycles[2] - cycles[1], cycles[1]);
    pair_finish(system, &other);
    pair_finish(system, &pair);
    cm_system_destroy(system);
}
END_TEST

CM_PROGRAM(test_boundary)
{
    Suite *suite = suite_create("boundary");
    TCase *tests = tcase_create("boundary");
    tcase_add_test(tests, places_without_a_source_lie_at_the_end_that_a_shift_leaves);
    tcase_add_test(tests, a_boundary_array_must_fit_the_array_without_the_axis);
    tcase_add_loop_test(tests, a_fill_reaches_its_places_and_no_others, 1, 4);
    tcase_add_loop_test(tests, any_shift_of_any_layout_comes_out_right_in_one_call, 1, 4);
    tcase_add_loop_test(tests, a_shift_onto_itself_sets_aside_what_crosses, 0, 32);
    tcase_add_test(tests, a_copy_copies_and_onto_itself_costs_nothing);
    tcase_add_test(tests, arrays_that_do_not_match_are_refused);
    suite_add_tcase(suite, tests);
    return cm_run_suite(suite);
}
