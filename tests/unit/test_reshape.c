/* Plans of reshapes: why each algorithm was not taken; and their IMPs. */
#include "programs/reshape/reshape_emit.h"
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
    ck_assert_int_eq(plan.algorithm, CM_RESHAPE_ROTATE);
    ck_assert_uint_eq(plan.steps, 18);
    ck_assert_str_eq(plan.reasons[CM_RESHAPE_AUTO], "");
    ck_assert_str_eq(plan.reasons[CM_RESHAPE_ROTATE], "");
    ck_assert_str_eq(plan.reasons[CM_RESHAPE_TWO_PATH],
                     "two-path needs processor dimensions to exchange of which no two are adjacent "
                     "(theorem 3); 4 and 5 are");
    ck_assert_str_eq(plan.reasons[CM_RESHAPE_PIPELINE],
                     "pipeline needs for each dimension an unused more significant one (theorem 4) "
                     "in its control; dimension 5 has none left");
    ck_assert_str_eq(plan.reasons[CM_RESHAPE_GRAY_BINARY], "it takes 18 steps, no fewer than 18");
    cm_reshape_plan_finish(&plan);
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
    ck_assert_int_eq(cm_config_builtin(CM_BUILTIN_CM200, &config, &err), CM_OK);
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
    cm_compiled_drop_imps(&compiled);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("reshape");
    TCase *tests = tcase_create("plans");
    tcase_add_test(tests, auto_says_why_it_did_not_take_each_of_the_others);
    tcase_add_test(tests, an_algorithm_that_was_asked_for_has_no_reasons);
    tcase_add_test(tests, no_stream_of_a_crowded_step_is_put_off);
    suite_add_tcase(s, tests);
    return cm_run_suite(s);
}
