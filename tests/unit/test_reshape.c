/* Plans of reshapes: why each algorithm was not taken, and what is refused; and their IMPs. */
#include "programs/reshape/reshape_emit.h"
#include "programs/reshape/reshape_plan.h"
#include "programs/validation/published.h"
#include "suite.h"

#include <string.h>

/* The plan of a recoding from Gray code to binary, of 2^k elements along each axis on 2^node_bits
 * nodes. */
static struct cm_reshape_plan plan_of(const uint32_t *bits, uint32_t rank, uint32_t node_bits,
                                      enum cm_reshape_algorithm algorithm)
{
    struct cm_reshape_request request = {.algorithm = algorithm};
    struct cm_reshape_plan plan;
    struct cm_error err;
    uint64_t shape[7];
    for (uint32_t a = 0; a < rank; a++)
        shape[a] = UINT64_C(1) << bits[a];
    ck_assert_int_eq(cm_allocation_create(shape, rank, UINT32_C(1) << node_bits, CM_ENCODING_GRAY,
                                          CM_PROCESSOR_HIGH, 0, &request.from, &err),
                     CM_OK);
    ck_assert_int_eq(cm_allocation_create(shape, rank, UINT32_C(1) << node_bits, CM_ENCODING_BINARY,
                                          CM_PROCESSOR_HIGH, 0, &request.to, &err),
                     CM_OK);
    ck_assert_msg(cm_reshape_plan_make(&request, &plan, &err) == CM_OK, "%s", err.message);
    return plan;
}

/* Of the algorithm taken there is no reason; of each other, the condition or its steps. */
START_TEST(auto_says_why_it_did_not_take_each_of_the_others)
{
    static const uint32_t bits[] = {8};
    struct cm_reshape_plan plan = plan_of(bits, 1, 4, CM_RESHAPE_AUTO);
    ck_assert_int_eq(plan.algorithm, CM_RESHAPE_OPEN_SHOP);
    ck_assert_uint_eq(plan.steps, 16);
    ck_assert_str_eq(plan.reasons[CM_RESHAPE_AUTO], "");
    ck_assert_str_eq(plan.reasons[CM_RESHAPE_OPEN_SHOP], "");
    ck_assert_str_eq(plan.reasons[CM_RESHAPE_ROTATE], "it takes 18 steps, no fewer than 16");
    ck_assert_str_eq(plan.reasons[CM_RESHAPE_TWO_PATH],
                     "two-path needs processor dimensions to exchange of which no two are adjacent "
                     "(theorem 3); 4 and 5 are");
    ck_assert_str_eq(plan.reasons[CM_RESHAPE_PIPELINE],
                     "pipeline needs for each dimension an unused more significant one (theorem 4) "
                     "in its control; dimension 5 has none left");
    ck_assert_str_eq(plan.reasons[CM_RESHAPE_GRAY_BINARY], "it takes 18 steps, no fewer than 16");
    cm_reshape_plan_finish(&plan);
}
END_TEST

/* Corollary 4. */
START_TEST(from_the_top_a_control_is_one_bit)
{
    for (uint32_t n = 2; n <= 11; n++) {
        struct cm_reshape_plan plan = plan_of(&n, 1, n, CM_RESHAPE_GRAY_BINARY);
        ck_assert_uint_eq(plan.exchange_count, n - 1);
        for (uint32_t i = 0; i < plan.exchange_count; i++) {
            uint32_t d = n - 2 - i;
            ck_assert_uint_eq(plan.exchanges[i].dimension, d);
            ck_assert_uint_eq(plan.exchanges[i].control.nodes, UINT64_C(1) << (d + 1));
            ck_assert_uint_eq(plan.exchanges[i].control.locals, 0);
        }
        cm_reshape_plan_finish(&plan);
    }
}
END_TEST

START_TEST(an_algorithm_that_was_asked_for_has_no_reasons)
{
    static const uint32_t bits[] = {8};
    struct cm_reshape_plan plan = plan_of(bits, 1, 4, CM_RESHAPE_GRAY_BINARY);
    for (int a = 0; a < CM_RESHAPE_ALGORITHM_COUNT; a++)
        ck_assert_str_eq(plan.reasons[a], "");
    cm_reshape_plan_finish(&plan);
}
END_TEST

/* 300 streams from the first step on, of which one each ends after 1, 2, ... 300 elements: step t
 * has the 300 - t that go on. */
START_TEST(no_stream_of_a_crowded_step_is_put_off)
{
    enum { STREAMS = 300 };
    static struct cm_reshape_stream streams[STREAMS];
    struct cm_config config;
    struct cm_error err;
    ck_assert_int_eq(cm_config_read("cm200", &config, &err), CM_OK);
    struct cm_reshape_plan plan = {.elements = STREAMS};
    struct cm_compiled compiled = {.table = 0};
    struct cm_reshape_compiler c = {
        .config = &config, .plan = &plan, .compiled = &compiled, .slices = 1, .unit_words = 1};
    for (uint32_t i = 0; i < STREAMS; i++)
        streams[i] = (struct cm_reshape_stream){.count = i + 1,
                                                .stride = 1,
                                                .nodes = 1,
                                                .source = CM_RESHAPE_ARRAY,
                                                .target = CM_RESHAPE_ARRAY,
                                                .sender = true};
    ck_assert(cm_reshape_begin(&c));
    cm_reshape_emit_streams(&c, streams, STREAMS);
    ck_assert(cm_reshape_end(&c));
    uint32_t unloads = 0;
    for (uint32_t i = 0; i < compiled.imps.count; i++)
        for (uint32_t k = 0; k < compiled.imps.items[i]->length; k++)
            unloads += compiled.imps.items[i]->code[k].op == CM_OP_UNLOAD;
    ck_assert_uint_eq(unloads, STREAMS * (STREAMS + 1) / 2);
    cm_list_finish(&c.controls);
    cm_compiled_drop_imps(NULL, &compiled);
}
END_TEST

/* ---- what is refused ---- */

static enum cm_status allocate(const uint64_t *shape, uint32_t rank, uint32_t nodes,
                               enum cm_processor_rule rule, uint64_t list,
                               struct cm_allocation *allocation, struct cm_error *err)
{
    *err = (struct cm_error){.status = CM_OK};
    return cm_allocation_create(shape, rank, nodes, CM_ENCODING_GRAY, rule, list, allocation, err);
}

START_TEST(allocations_that_cannot_be_are_refused)
{
    static const uint64_t shape[] = {16, 3, 8}, empty[] = {0}, ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    static const uint64_t large[] = {UINT64_C(1) << 31, UINT64_C(1) << 32};
    static const struct {
        const uint64_t *shape;
        uint32_t rank, nodes;
        enum cm_processor_rule rule;
        uint64_t list;
        const char *message;
    } cases[] = {
        {shape, 1, 3, CM_PROCESSOR_HIGH, 0, "3 nodes: not a power of two"},
        {shape, 1, 0, CM_PROCESSOR_HIGH, 0, "0 nodes: not a power of two"},
        {shape, 2, 4, CM_PROCESSOR_HIGH, 0,
         "an axis of length 3 cannot be reshaped: not a power of two"},
        {empty, 1, 4, CM_PROCESSOR_HIGH, 0,
         "an axis of length 0 cannot be reshaped: not a power of two"},
        {large, 2, 4, CM_PROCESSOR_HIGH, 0, "the shape is too large: more than 2^62 elements"},
        {shape, 1, 32, CM_PROCESSOR_HIGH, 0,
         "32 nodes are more than the 16 elements: K = 0 elements a node"},
        {ones, 8, 1, CM_PROCESSOR_CANONICAL, 0,
         "the canonical layout has at most 7 axes, the shape has 8"},
        {shape, 1, 4, CM_PROCESSOR_LIST, 7, "processor dimensions listed: 3, but 4 nodes have 2"},
        {shape, 1, 4, CM_PROCESSOR_LIST, 0x11, "processor dimension 4 does not exist"},
    };
    struct cm_allocation allocation;
    struct cm_error err;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ck_assert_int_eq(allocate(cases[i].shape, cases[i].rank, cases[i].nodes, cases[i].rule,
                                  cases[i].list, &allocation, &err),
                         CM_BAD_INPUT);
        ck_assert_str_eq(err.message, cases[i].message);
    }
    ck_assert_str_eq(err.hint, "the array has 4 dimensions, counted from 0");
    ck_assert_int_eq(allocate(large, 1, 4, CM_PROCESSOR_LIST, 9, &allocation, &err), CM_OK);
    ck_assert_uint_eq(allocation.processor, 9);
    /* canonical: the high dimensions of the axis */
    ck_assert_int_eq(allocate(shape, 1, 4, CM_PROCESSOR_CANONICAL, 0, &allocation, &err), CM_OK);
    ck_assert_uint_eq(allocation.processor, 0xc);
    ck_assert_int_eq(allocate(ones, 7, 1, CM_PROCESSOR_CANONICAL, 0, &allocation, &err), CM_OK);
    ck_assert_uint_eq(allocation.dimensions, 0);
}
END_TEST

static void expect_refused(const struct cm_reshape_request *request, const char *message)
{
    struct cm_reshape_plan plan;
    struct cm_error err = {.status = CM_OK};
    ck_assert_int_eq(cm_reshape_plan_make(request, &plan, &err), CM_BAD_INPUT);
    ck_assert_str_eq(err.message, message);
    cm_reshape_plan_finish(&plan);
    cm_reshape_plan_finish(&plan); /* again: nothing is left */
}

START_TEST(plans_between_unlike_allocations_are_refused)
{
    static const uint64_t small[] = {16}, large[] = {32};
    struct cm_reshape_request request = {.algorithm = CM_RESHAPE_AUTO};
    struct cm_error err;
    ck_assert_int_eq(allocate(small, 1, 4, CM_PROCESSOR_HIGH, 0, &request.from, &err), CM_OK);
    ck_assert_int_eq(allocate(large, 1, 4, CM_PROCESSOR_HIGH, 0, &request.to, &err), CM_OK);
    expect_refused(&request, "the sizes differ: 2^4 elements from, 2^5 to");
    ck_assert_int_eq(allocate(small, 1, 8, CM_PROCESSOR_HIGH, 0, &request.to, &err), CM_OK);
    expect_refused(&request, "a reshape keeps the number of nodes");
    request.to = request.from;
    request.algorithm = CM_RESHAPE_ALGORITHM_COUNT;
    expect_refused(&request, "the algorithm is not known");
    request.from.permuted = true;
    expect_refused(&request, "a reshape permutes binary dimensions, from plain ones");
    request.from.permuted = false;
    request.to.permuted = true;
    expect_refused(&request, "a reshape permutes binary dimensions, from plain ones");
    ck_assert_str_eq(cm_reshape_algorithm_name(CM_RESHAPE_ALGORITHM_COUNT), "unknown");
}
END_TEST

CM_PROGRAM(test_reshape)
{
    Suite *s = suite_create("reshape");
    TCase *tests = tcase_create("plans");
    tcase_add_test(tests, auto_says_why_it_did_not_take_each_of_the_others);
    tcase_add_test(tests, from_the_top_a_control_is_one_bit);
    tcase_add_test(tests, an_algorithm_that_was_asked_for_has_no_reasons);
    tcase_add_test(tests, no_stream_of_a_crowded_step_is_put_off);
    tcase_add_test(tests, allocations_that_cannot_be_are_refused);
    tcase_add_test(tests, plans_between_unlike_allocations_are_refused);
    suite_add_tcase(s, tests);
    return cm_run_suite(s);
}
