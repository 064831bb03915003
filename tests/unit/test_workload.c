/* Workloads: every fault of the root and of arrays, with its exact place; initial values, checks,
 * saves. test_step_errors has the faults of steps. */
#include "programs/workload/init.h"
#include "programs/workload/reference.h"
#include "programs/workload/steps/fft.h"
#include "programs/workload/steps/network.h"
#include "programs/workload/steps/reshape.h"
#include "programs/workload/workload_private.h"

#include "base/buffer.h"
#include "base/file.h"
#include "base/npy.h"
#include "folder.h"
#include "machines.h"
#include "workload_faults.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static const struct fault root_faults[] = {
    {"@{}", "missing key \"format\"", NULL},
    {"@[]", "must be an object", NULL},
    {"{\"format\": @\"cm200-workload/2\"}", "expected \"cm200-workload/1\"", NULL},
    {"{\"format\": @\"cm200-machine/1\"}", "cm200-machine/1", "--machine"},
    {"{\"format\": \"cm200-workload/1\",\n @\"stepz\": []}", "stepz", NULL},
    {"@{\"format\": \"cm200-workload/1\", \"steps\": []}", "missing key \"arrays\"", NULL},
    {"@{\"format\": \"cm200-workload/1\", \"arrays\": {}}", "missing key \"steps\"", NULL},
    {"{\"format\": \"cm200-workload/1\",\n \"nodes\": @3, \"arrays\": {}, \"steps\": []}",
     "nodes is 3, expected a power of two", "2 or 4"},
    {"{\"format\": \"cm200-workload/1\",\n \"nodes\": @0, \"arrays\": {}, \"steps\": []}", "nodes",
     NULL},
    {"{\"format\": \"cm200-workload/1\",\n \"name\": @\"a\\u001b[2Jb\", \"arrays\": {}, \"steps\": "
     "[]}",
     "name must not contain control characters", NULL},
    {"{\"format\": \"cm200-workload/1\",\n \"machine\": @5, \"arrays\": {}, \"steps\": []}",
     "machine", NULL},
    {"{\"format\": \"cm200-workload/1\",\n \"check\": @1, \"arrays\": {}, \"steps\": []}", "check",
     NULL},
    {"{\"format\": \"cm200-workload/1\", \"arrays\": {}, \"steps\": [],\n \"save\": {\"x\": "
     "@\"f\"}}",
     "no such array", NULL},
    {"{\"format\": \"cm200-workload/1\", \"arrays\": {}, \"steps\": [],\n"
     " \"scalars\": {\"x\": @true}}",
     "expected a number or [re, im]", NULL},
    {"{\"format\": \"cm200-workload/1\", \"arrays\": {}, \"steps\": [],\n"
     " \"scalars\": {\"x\": @[1]}}",
     "expected a number or [re, im]", NULL},
    {"{\"format\": \"cm200-workload/1\", \"arrays\": {\"x\": {\"shape\": [1], \"type\": "
     "\"int32\"}}, "
     "\"steps\": [],\n \"scalars\": {\"x\": @1}}",
     "\"x\" is already the name of an array", NULL},
    {"{\"format\": \"cm200-workload/1\", \"arrays\": {\"long\": {\"shape\": [1], \"type\": "
     "\"int32\"}}, "
     "\"steps\": [],\n \"save\": {\"lang\": @\"x.npy\"}}",
     "no such array", "did you mean \"long\"?"},
};

static const struct fault array_faults[] = {
    {"\"9x\": @{}", "cannot be the name of an array", "letters"},
    {"\"a\": @5", "an array", NULL},
    {"\"a\": @{\"type\": \"real64\"}", "missing key \"shape\"", NULL},
    {"\"a\": @{\"shape\": [4]}", "missing key \"type\"", NULL},
    {"\"a\": {\"shape\": @[], \"type\": \"real64\"}", "0 axes, expected 1 to 7", NULL},
    {"\"a\": {\"shape\": @[1,1,1,1,1,1,1,1], \"type\": \"real64\"}", "8 axes", NULL},
    {"\"a\": {\"shape\": [4, @-1], \"type\": \"real64\"}", "length of an axis", NULL},
    {"\"a\": {\"shape\": [@0], \"type\": \"real64\"}", "length of an axis", NULL},
    {"\"a\": {\"shape\": [@1.5], \"type\": \"real64\"}", "length of an axis", NULL},
    {"\"a\": {\"shape\": @[4294967296, 4294967296], \"type\": \"real64\"}", "too large", NULL},
    {"\"a\": {\"shape\": [4], \"type\": @\"real46\"}", "real46", NULL},
    {"\"a\": {\"shape\": [4], \"type\": \"real64\", \"axes\": [@\"new\"]}", "new", NULL},
    {"\"a\": {\"shape\": [4], \"type\": \"real64\", \"axes\": @[\"news\", \"news\"]}",
     "a list of 2, expected one entry for each axis: 1", NULL},
    {"\"a\": {\"shape\": [4], \"type\": \"real64\", \"weights\": [@0]}", "weight", NULL},
    {"\"a\": {\"shape\": [4], @\"typ\": \"real64\"}", "typ", NULL},
    {"\"a\": {\"like\": @\"b\"}", "no such array", NULL},
    {"\"a\": {\"like\": @\"b\"}, \"b\": {\"like\": \"a\"}", "refers to itself", NULL},
    {"\"a\": {\"like\": @\"a\"}", "refers to itself", NULL},
    {"\"a\": {\"like\": \"b\", \"type\": @\"real64\"}, \"b\": {\"shape\": [1], \"type\": "
     "\"real32\"}",
     "both like and type", NULL},
    {"\"a\": {\"shape\": [4], \"type\": \"real64\", \"init\": @{}}", "0 keys, expected one", NULL},
    {"\"a\": {\"shape\": [4], \"type\": \"real64\", \"init\": {\"index\": @false}}", "false", NULL},
    {"\"a\": {\"shape\": [4], \"type\": \"real64\", \"init\": {@\"randon\": 1}}", "randon", NULL},
    {"\"a\": {\"shape\": [4], \"type\": \"real64\", \"init\": {\"random\": @-1}}", "seed", NULL},
    {"\"a\": {\"shape\": [4], \"type\": \"real64\", \"init\": {\"constant\": @[1, 2]}}",
     "complex, but the array's type is real64", NULL},
    {"\"a\": {\"shape\": [4], \"type\": \"int32\", \"init\": {\"constant\": @0.5}}", "int32", NULL},
    {"\"a\": {\"shape\": [4], \"type\": \"real32\", \"init\": {\"constant\": @1e300}}",
     "too large for real32", NULL},
    {"\"a\": {\"shape\": [4], \"type\": \"logical\", \"init\": {\"constant\": @2}}", "logical",
     NULL},
};

START_TEST(faults_of_the_root_have_their_place)
{
    char text[2048];
    snprintf(text, sizeof text, "%s", root_faults[_i].text);
    expect_fault(text, &root_faults[_i]);
}
END_TEST

START_TEST(faults_of_arrays_have_their_place)
{
    char text[2048];
    snprintf(text, sizeof text, HEAD "%s\n" MIDDLE TAIL, array_faults[_i].text);
    expect_fault(text, &array_faults[_i]);
}
END_TEST

START_TEST(splitmix64_is_the_published_generator)
{
    /* The first outputs for seed 1234567, as published with the reference implementation. */
    ck_assert_uint_eq(cm_splitmix64(1234567, 0), UINT64_C(6457827717110365317));
    ck_assert_uint_eq(cm_splitmix64(1234567, 1), UINT64_C(3203168211198807973));
    ck_assert_uint_eq(cm_splitmix64(1234567, 2), UINT64_C(9817491932198370423));
}
END_TEST

static void fill(enum cm_type type, enum cm_init_kind kind, void *elements)
{
    struct cm_layout layout = {.type = type, .elements = 4};
    struct cm_init init = {.kind = kind, .seed = 9, .constant = {.re = 1, .im = -2}};
    struct cm_error err;
    ck_assert_int_eq(cm_init_fill(&init, &layout, elements, &err), CM_OK);
}

START_TEST(initial_values_are_as_documented)
{
    float f[8];
    double d[8];
    int32_t n[4];
    uint8_t b[4];
    fill(CM_TYPE_COMPLEX64, CM_INIT_RANDOM, f);
    fill(CM_TYPE_REAL64, CM_INIT_RANDOM, d);
    ck_assert(d[3] == (double)(cm_splitmix64(9, 3) >> 11) / 9007199254740992.0);
    ck_assert(f[3] == (float)d[3]); /* imaginary part of element 1 */
    fill(CM_TYPE_INT32, CM_INIT_RANDOM, n);
    ck_assert_int_eq(n[2], (int32_t)(uint32_t)(cm_splitmix64(9, 2) >> 32));
    fill(CM_TYPE_LOGICAL, CM_INIT_RANDOM, b);
    ck_assert_uint_eq(b[1], cm_splitmix64(9, 1) >> 63);
    fill(CM_TYPE_COMPLEX128, CM_INIT_INDEX, d);
    ck_assert(d[6] == 3 && d[7] == 0);
    fill(CM_TYPE_COMPLEX128, CM_INIT_CONSTANT, d);
    ck_assert(d[6] == 1 && d[7] == -2);
    fill(CM_TYPE_LOGICAL, CM_INIT_INDEX, b);
    ck_assert_uint_eq(b[3], 1);
    fill(CM_TYPE_INT32, CM_INIT_ZERO, n);
    ck_assert_int_eq(n[3], 0);
}
END_TEST

START_TEST(comparison_is_bit_for_bit_but_any_nan_equals_any)
{
    double a[4] = {0.0, NAN, 1, 2}, b[4] = {-0.0, -NAN, 1, 3};
    float c[4] = {1, NAN, 0.0f, 5}, e[4] = {1, -NAN, 0.0f, 5};
    uint8_t p[3] = {1, 0, 1}, q[3] = {1, 1, 1};
    uint64_t first = 99;
    ck_assert_uint_eq(cm_reference_compare(CM_TYPE_REAL64, 4, a, b, &first), 2);
    ck_assert_uint_eq(first, 0);
    ck_assert_uint_eq(cm_reference_compare(CM_TYPE_COMPLEX64, 2, c, e, &first), 0);
    ck_assert_uint_eq(cm_reference_compare(CM_TYPE_LOGICAL, 3, p, q, &first), 1);
    ck_assert_uint_eq(first, 1);
}
END_TEST

START_TEST(reference_shifts_take_src_at_i_plus_distance)
{
    int32_t src[6] = {0, 1, 2, 3, 4, 5}, dst[6], edge[3] = {70, 80, 90}, seven = 7;
    struct cm_reference_array from = {CM_TYPE_INT32, 2, {3, 2}, 6, src}, to = from;
    struct cm_reference_boundary circular = {.circular = true};
    struct cm_reference_boundary scalar = {.bytes = &seven},
                                 array = {.bytes = edge, .is_array = true};
    struct cm_error err;
    to.elements = dst;
    ck_assert_int_eq(cm_reference_shift(&to, &from, 0, 1, &circular, &err), CM_OK);
    ck_assert_mem_eq(dst, ((int32_t[]){1, 2, 0, 4, 5, 3}), sizeof dst);
    ck_assert_int_eq(cm_reference_shift(&to, &from, 0, -4, &circular, &err), CM_OK);
    ck_assert_mem_eq(dst, ((int32_t[]){2, 0, 1, 5, 3, 4}), sizeof dst);
    ck_assert_int_eq(cm_reference_shift(&to, &from, 0, INT64_MIN, &scalar, &err), CM_OK);
    ck_assert_mem_eq(dst, ((int32_t[]){7, 7, 7, 7, 7, 7}), sizeof dst);
    ck_assert_int_eq(cm_reference_shift(&to, &from, 0, 2, &scalar, &err), CM_OK);
    ck_assert_mem_eq(dst, ((int32_t[]){2, 7, 7, 5, 7, 7}), sizeof dst);
    ck_assert_int_eq(cm_reference_shift(&to, &from, 1, 1, &array, &err), CM_OK);
    ck_assert_mem_eq(dst, ((int32_t[]){3, 4, 5, 70, 80, 90}), sizeof dst);
    ck_assert_int_eq(cm_reference_shift(&from, &from, 1, -1, &array, &err), CM_OK);
    ck_assert_mem_eq(src, ((int32_t[]){70, 80, 90, 0, 1, 2}), sizeof src);
}
END_TEST

START_TEST(a_run_is_checked_and_finds_a_wrong_element)
{
    static const char *const arrays =
        "\"a\": {\"shape\": [8], \"type\": \"real32\", \"init\": {\"index\": true}},\n"
        "\"b\": {\"like\": \"a\"}";
    static const char *const steps =
        "{\"combine\": {\"dst\": \"b\", \"terms\": [[\"half\", \"a\"]]}}";
    uint32_t wrong[4] = {0x40000000, 0x40000000, 0x40000000, 0x40000000};
    for (int corrupt = 0; corrupt < 2; corrupt++) {
        struct cm_run_options options = {0};
        struct cm_workload *workload;
        struct cm_run *run;
        struct cm_error err;
        ck_assert_int_eq(prepare(arrays, steps, "true", &options, NULL, &workload, &run, &err),
                         CM_OK);
        const struct cm_result *result = cm_run_result(run);
        if (corrupt) {
            struct cm_machine *machine = cm_system_machine(cm_run_system(run));
            cm_machine_write_plane(machine, cm_run_array(run, "a")->address, wrong, &err);
            ck_assert_int_eq(cm_run_execute(run, &err), CM_CHECK_FAILED);
            ck_assert_uint_eq(result->mismatches, 3); /* element 3 (2.0) of 1, 3, 5, 7 is right */
            ck_assert_ptr_nonnull(strstr(err.message, "b(1) is 1 on the machine, but 0"));
            ck_assert_uint_eq(err.line, 8);
        } else {
            ck_assert_msg(cm_run_execute(run, &err) == CM_OK, "%s", err.message);
            ck_assert_uint_eq(result->mismatches, 0);
        }
        ck_assert(result->checked && result->steps[0].checked);
        uint64_t sum = 0;
        for (int i = 0; i < CM_CAUSE_COUNT; i++)
            sum += result->total.by_cause[i];
        ck_assert_uint_eq(sum, result->total.cycles);
        cm_run_destroy(run);
        cm_workload_destroy(workload);
    }
}
END_TEST

/* Array a gets other values behind the back of the check: the copy of it is right, by the values
 * that a had. */
START_TEST(a_wrong_element_is_shown_as_its_type)
{
    static const float f[8] = {0, 0, 2.5f, -1, 2, 0, 3, 0};
    static const double d[8] = {0, 0, 2.5, -1, 2, 0, 3, 0};
    static const float f4[4] = {0, 2.5f, 2, 3};
    static const double d4[4] = {0, 2.5, 2, 3};
    static const int32_t n[4] = {0, -7, 2, 3};
    static const uint8_t b[4] = {0, 0, 0, 1};
    static const struct {
        const char *type, *message;
        const void *values;
    } cases[] = {
        {"real32", "b(2, 1) is 2.5 on the machine, but 1 by", f4},
        {"real64", "b(2, 1) is 2.5 on the machine, but 1 by", d4},
        {"complex64", "b(2, 1) is (2.5, -1) on the machine, but (1, 0) by", f},
        {"complex128", "b(2, 1) is (2.5, -1) on the machine, but (1, 0) by", d},
        {"int32", "b(2, 1) is -7 on the machine, but 1 by", n},
        {"logical", "b(2, 1) is 0 on the machine, but 1 by", b},
    };
    static const char *const steps = "{\"copy\": {\"dst\": \"b\", \"src\": \"a\"}},\n"
                                     "{\"copy\": {\"dst\": \"c\", \"src\": \"b\"}}";
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct cm_run_options options = {0};
        struct cm_workload *workload;
        struct cm_run *run;
        struct cm_error err;
        char arrays[300];
        snprintf(arrays, sizeof arrays,
                 "\"a\": {\"shape\": [2, 2], \"type\": \"%s\", \"init\": {\"index\": true}}, "
                 "\"b\": {\"like\": \"a\"}, \"c\": {\"like\": \"a\"}",
                 cases[i].type);
        ck_assert_int_eq(prepare(arrays, steps, "true", &options, NULL, &workload, &run, &err),
                         CM_OK);
        ck_assert_int_eq(
            cm_array_scatter(cm_run_system(run), cm_run_array(run, "a"), cases[i].values, &err),
            CM_OK);
        ck_assert_int_eq(cm_run_execute(run, &err), CM_CHECK_FAILED);
        ck_assert_msg(strncmp(err.message, cases[i].message, strlen(cases[i].message)) == 0 &&
                          strstr(err.message, "evaluation; 1 of 4 elements differ"),
                      "%s", err.message);
        /* the second step copies what the first one left */
        const struct cm_result *result = cm_run_result(run);
        ck_assert_uint_eq(result->mismatches, 1);
        ck_assert_uint_eq(result->steps[0].mismatches, 1);
        ck_assert_uint_eq(result->steps[1].mismatches, 0);
        ck_assert(result->steps[1].checked && !result->steps[1].rounded);
        cm_run_destroy(run);
        cm_workload_destroy(workload);
    }
}
END_TEST

/* An observer that overwrites what a step has left in memory. */
static void spoil(void *context, const struct cm_counters *counters)
{
    struct cm_machine *machine = context;
    const uint32_t wrong[4] = {0xdead, 0xdead, 0xdead, 0xdead};
    struct cm_error err;
    uint64_t end = cm_machine_config(machine)->memory_words; /* where tables and messages are */
    (void)counters;
    for (uint64_t address = end - 50; address < end; address++)
        require(cm_machine_write_plane(machine, address, wrong, &err) == CM_OK);
}

START_TEST(messages_that_do_not_arrive_are_counted)
{
    struct cm_run_options options = {0};
    struct cm_workload *workload;
    struct cm_run *run;
    struct cm_error err;
    ck_assert_int_eq(prepare("\"a\": {\"shape\": [8], \"type\": \"int32\"}",
                             "{\"shift\": {\"by\": 1, \"words\": 3}}", "true", &options, NULL,
                             &workload, &run, &err),
                     CM_OK);
    const struct cm_observer observer = {.context = cm_system_machine(cm_run_system(run)),
                                         .step_ends = spoil};
    cm_run_observe(run, &observer);
    ck_assert_int_eq(cm_run_execute(run, &err), CM_CHECK_FAILED);
    ck_assert_str_eq(err.message, "12 words of the messages arrived at the wrong place");
    ck_assert_uint_eq(err.line, 7); /* of the step */
    const struct cm_result *result = cm_run_result(run);
    ck_assert_uint_eq(result->steps[0].mismatches, 12);
    ck_assert_uint_eq(result->mismatches, 12);
    cm_run_destroy(run);
    cm_workload_destroy(workload);
}
END_TEST

START_TEST(a_deaf_observer_changes_nothing)
{
    static const struct cm_observer deaf = {0};
    uint64_t cycles[2];
    for (int watched = 0; watched < 2; watched++) {
        struct cm_run_options options = {0};
        struct cm_workload *workload;
        struct cm_run *run;
        struct cm_error err;
        ck_assert_int_eq(
            prepare("\"a\": {\"shape\": [8], \"type\": \"real64\", \"init\": {\"random\": 3}}, "
                    "\"b\": {\"like\": \"a\"}",
                    "{\"cshift\": {\"dst\": \"b\", \"src\": \"a\", \"dim\": 1, \"distance\": 1}}, "
                    "{\"route\": {\"pattern\": \"complement\"}}",
                    "true", &options, NULL, &workload, &run, &err),
            CM_OK);
        if (watched)
            cm_run_observe(run, &deaf);
        ck_assert_msg(cm_run_execute(run, &err) == CM_OK, "%s", err.message);
        cycles[watched] = cm_run_result(run)->total.cycles;
        cm_run_destroy(run);
        cm_workload_destroy(workload);
    }
    ck_assert_uint_eq(cycles[0], cycles[1]);
}
END_TEST

/* All sources of a PSHIFT are as they were before it: with exchanges and, for lengths that do not
 * divide, by the run-time library. */
START_TEST(a_source_may_be_the_destination_of_another_shift)
{
    static const int lengths[] = {8, 6};
    for (int l = 0; l < 2; l++) {
        struct cm_run_options options = {0};
        struct cm_workload *workload;
        struct cm_run *run;
        struct cm_error err;
        char arrays[200];
        int32_t b[8] = {0}, c[8] = {0};
        snprintf(
            arrays, sizeof arrays,
            "\"a\": {\"shape\": [%d], \"type\": \"int32\", \"init\": {\"index\": true}}, \"b\": "
            "{\"like\": \"a\", \"init\": {\"constant\": 9}}, \"c\": {\"like\": \"a\"}",
            lengths[l]);
        ck_assert_int_eq(
            prepare(
                arrays,
                "{\"pshift\": [{\"type\": \"cshift\", \"dst\": \"b\", \"src\": \"a\", \"dim\": 1, "
                "\"distance\": 1}, {\"type\": \"cshift\", \"dst\": \"c\", \"src\": \"b\", "
                "\"dim\": 1, \"distance\": -1}]}",
                "true", &options, NULL, &workload, &run, &err),
            CM_OK);
        ck_assert_msg(cm_run_execute(run, &err) == CM_OK, "%s", err.message);
        cm_array_gather(cm_run_system(run), cm_run_array(run, "b"), b, &err);
        cm_array_gather(cm_run_system(run), cm_run_array(run, "c"), c, &err);
        for (int i = 0; i < lengths[l]; i++) {
            ck_assert_int_eq(b[i], (i + 1) % lengths[l]);
            ck_assert_int_eq(c[i], 9);
        }
        cm_run_destroy(run);
        cm_workload_destroy(workload);
    }
}
END_TEST

START_TEST(what_a_step_reports_is_asked_by_its_kind)
{
    struct cm_run_options options = {0};
    struct cm_workload *workload;
    struct cm_run *run;
    struct cm_error err;
    ck_assert_int_eq(
        prepare("\"a\": {\"shape\": [16], \"type\": \"complex64\", \"encoding\": \"gray\"}, \"f\": "
                "{\"shape\": [16], \"type\": \"complex64\"}",
                "{\"shift\": {\"by\": 1}}, {\"reshape\": {\"array\": \"a\", \"shape\": [4, 4]}}, "
                "{\"fft\": {\"array\": \"f\"}}, {\"copy\": {\"dst\": \"f\", \"src\": \"f\"}}",
                "true", &options, NULL, &workload, &run, &err),
        CM_OK);
    ck_assert_msg(cm_run_execute(run, &err) == CM_OK, "%s", err.message);
    ck_assert_str_eq(cm_workload_name(workload), "w.json");
    const struct cm_result *result = cm_run_result(run);
    ck_assert_uint_eq(result->step_count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        const struct cm_step_result *step = &result->steps[i];
        ck_assert(!cm_step_network_report(step) == (i != 0));
        ck_assert(!cm_step_reshape_summary(step) == (i != 1));
        ck_assert(!cm_step_fft_result(step) == (i != 2));
    }
    ck_assert_uint_eq(cm_step_reshape_summary(&result->steps[1])->elements_per_node, 4);
    cm_run_destroy(run);
    cm_workload_destroy(workload);
}
END_TEST

/* A list of this many entries, each with its number between head and tail. */
static void expect_too_many(const char *before, const char *head, const char *tail, uint32_t count,
                            const char *after, const char *message, const char *hint)
{
    struct cm_buffer text;
    struct cm_workload *workload;
    struct cm_error err;
    cm_buffer_init(&text);
    cm_buffer_printf(&text, "%s", before);
    for (uint32_t i = 0; i < count; i++)
        cm_buffer_printf(&text, "%s%s%u%s", i > 0 ? ", " : "", head, (unsigned)i, tail);
    cm_buffer_printf(&text, "%s", after);
    ck_assert(cm_buffer_ok(&text));
    ck_assert_int_eq(cm_workload_parse("w.json", text.data, text.length, &workload, &err),
                     CM_BAD_INPUT);
    ck_assert_str_eq(err.message, message);
    ck_assert_str_eq(err.hint, hint);
    cm_buffer_finish(&text);
}

START_TEST(arrays_scalars_and_steps_are_limited)
{
#define FORMAT  "{\"format\": \"cm200-workload/1\", \"arrays\": {"
#define ONE     FORMAT "\"a\": {\"shape\": [1], \"type\": \"int32\"}}, "
#define NOTHING "}, \"steps\": []}"
    expect_too_many(FORMAT, "\"a", "\": {\"shape\": [1], \"type\": \"int32\"}", 1025, NOTHING,
                    "there are 1025 arrays, expected at most 1024", "");
    expect_too_many(ONE "\"scalars\": {", "\"s", "\": 1", 1025, NOTHING,
                    "there are 1025 scalars, expected at most 1024", "");
    expect_too_many(ONE "\"steps\": [", "{\"fill\": {\"array\": \"a\", \"value\": ", "}}", 65537,
                    "]}", "there are more than 65536 steps", "use repeat");
    expect_too_many(
        ONE "\"steps\": [",
        "{\"repeat\": {\"steps\": [{\"copy\": {\"dst\": \"a\", \"src\": \"a\"}}], \"times\": 1",
        "}}", 32769, "]}", "there are more than 65536 steps", "use repeat");
}
END_TEST

START_TEST(a_repeat_sums_its_steps)
{
    struct cm_run_options options = {0};
    struct cm_workload *workload;
    struct cm_run *run;
    struct cm_error err;
    ck_assert_int_eq(
        prepare("\"a\": {\"shape\": [8], \"type\": \"int32\", \"init\": {\"constant\": 3}}",
                "{\"repeat\": {\"times\": 5, \"steps\": [{\"combine\": {\"dst\": \"a\", \"terms\": "
                "[[2, \"a\"]]}}]}}",
                "true", &options, NULL, &workload, &run, &err),
        CM_OK);
    ck_assert_msg(cm_run_execute(run, &err) == CM_OK, "%s", err.message);
    const struct cm_result *result = cm_run_result(run);
    int32_t values[8];
    ck_assert_int_eq(cm_array_gather(cm_run_system(run), cm_run_array(run, "a"), values, &err),
                     CM_OK);
    ck_assert_int_eq(values[7], 96);
    ck_assert_uint_eq(result->step_count, 1);
    ck_assert_uint_eq(result->steps[0].times, 5);
    ck_assert_str_eq(result->steps[0].where, "/steps/0/repeat/steps/0");
    ck_assert_uint_eq(result->steps[0].counters.cycles, result->total.cycles);
    cm_run_destroy(run);
    cm_workload_destroy(workload);
}
END_TEST

START_TEST(timing_only_gives_the_same_cycles_and_checks_nothing)
{
    uint64_t cycles[2];
    for (int timing = 0; timing < 2; timing++) {
        struct cm_run_options options = {.timing_only = timing};
        struct cm_workload *workload;
        struct cm_run *run;
        struct cm_error err;
        ck_assert_int_eq(prepare("\"a\": {\"shape\": [30], \"type\": \"complex64\", \"init\": "
                                 "{\"random\": 3}}",
                                 "{\"combine\": {\"dst\": \"a\", \"terms\": [[[1, 2], \"a\"]]}}",
                                 "true", &options, NULL, &workload, &run, &err),
                         CM_OK);
        ck_assert_msg(cm_run_execute(run, &err) == CM_OK, "%s", err.message);
        cycles[timing] = cm_run_result(run)->total.cycles;
        ck_assert_int_eq(cm_run_result(run)->checked, !timing);
        cm_run_destroy(run);
        cm_workload_destroy(workload);
    }
    ck_assert_uint_eq(cycles[0], cycles[1]);
}
END_TEST

START_TEST(an_interrupted_run_stops)
{
    struct cm_run_options options = {0};
    struct cm_workload *workload;
    struct cm_run *run;
    struct cm_error err;
    ck_assert_int_eq(prepare("\"a\": {\"shape\": [8], \"type\": \"int32\"}",
                             "{\"repeat\": {\"times\": 1000000000000, \"steps\": [{\"combine\": "
                             "{\"dst\": \"a\", \"terms\": [[1, \"a\"]]}}]}}",
                             "false", &options, NULL, &workload, &run, &err),
                     CM_OK);
    cm_run_interrupt(run);
    ck_assert_int_eq(cm_run_execute(run, &err), CM_INTERRUPTED);
    cm_run_destroy(run);
    cm_workload_destroy(workload);
}
END_TEST

START_TEST(saves_are_checked_before_the_run_and_readable_after_it)
{
    static const char *const arrays =
        "\"abc\": {\"shape\": [3, 2], \"type\": \"int32\", \"init\": {\"index\": true}}";
    struct folder folder;
    struct cm_workload *workload;
    struct cm_run *run;
    struct cm_error err;
    struct cm_npy npy;
    char save[500];
    folder_create(&folder);
    const char *path = folder_path(&folder, 0, "a.npy");
    const char *bad[] = {"abd=x.npy", "abc", "=x", "abc=", "abc=-"};
    for (int i = 0; i < 5; i++) {
        struct cm_run_options options = {.saves = &bad[i], .save_count = 1};
        ck_assert_int_eq(prepare(arrays, "", "false", &options, NULL, &workload, &run, &err),
                         i == 0 ? CM_BAD_INPUT : CM_USAGE);
        ck_assert_str_eq(err.hint, i == 0   ? "did you mean \"abc\"?"
                                   : i == 4 ? "name a file: --save abc=FILE.npy"
                                            : "");
        cm_workload_destroy(workload);
    }
    snprintf(save, sizeof save, "abc=%s", path);
    const char *const good = save;
    struct cm_run_options options = {.saves = &good, .save_count = 1};
    ck_assert_int_eq(prepare(arrays, "", "false", &options, NULL, &workload, &run, &err), CM_OK);
    ck_assert_int_eq(cm_run_save(run, &err), CM_OK); /* before the run: the first values */
    ck_assert_int_eq(cm_npy_read(path, &npy, &err), CM_OK);
    ck_assert_int_eq(((const int32_t *)npy.data)[5], 5);
    cm_npy_finish(&npy);
    ck_assert_int_eq(cm_run_execute(run, &err), CM_OK);
    ck_assert_int_eq(cm_run_save(run, &err), CM_OK);
    ck_assert_int_eq(cm_npy_read(path, &npy, &err), CM_OK);
    ck_assert(npy.fortran_order && npy.rank == 2 && npy.shape[0] == 3 && npy.type == CM_NPY_I4);
    ck_assert_int_eq(((const int32_t *)npy.data)[5], 5);
    cm_npy_finish(&npy);
    cm_run_destroy(run);
    cm_workload_destroy(workload);
    folder_remove(&folder);
}
END_TEST

START_TEST(outputs_that_exclude_each_other_are_refused_before_the_run)
{
    static const char *const array = "\"abc\": {\"shape\": [3, 2], \"type\": \"int32\"}";
    struct folder folder;
    struct cm_workload *workload;
    struct cm_run *run;
    struct cm_error err;
    char save[500];
    folder_create(&folder);
    const char *path = folder_path(&folder, 0, "a.npy");
    const char *roundabout = folder_path(&folder, 1, "./a.npy");
    snprintf(save, sizeof save, "abc=%s", path);
    const char *const saves[] = {save, save};
    struct cm_run_options options[] = {
        {.saves = saves, .save_count = 2},
        {.saves = saves, .save_count = 1, .outputs = &roundabout, .output_count = 1},
        {.saves = saves, .save_count = 1},
    };
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(prepare(array, "", "false", &options[i], NULL, &workload, &run, &err),
                         i < 2 ? CM_USAGE : CM_OK);
        ck_assert_uint_eq(folder_entries(&folder, 0), 0); /* the probe leaves nothing behind */
        cm_run_destroy(run);
        cm_workload_destroy(workload);
    }
    snprintf(save, sizeof save, "abc=%s", folder_path(&folder, 2, "none/a.npy"));
    ck_assert_int_eq(prepare(array, "", "false", &options[2], NULL, &workload, &run, &err), CM_IO);
    cm_workload_destroy(workload);
    folder_remove(&folder);
}
END_TEST

START_TEST(a_npy_file_of_logicals_is_read)
{
    struct folder folder;
    struct cm_workload *workload;
    struct cm_run *run;
    struct cm_error err;
    struct cm_run_options options = {0};
    uint8_t data[4] = {1, 0, 0, 1}, found[4] = {9, 9, 9, 9};
    struct cm_npy npy = {CM_NPY_B1, true, 1, {4}, 4, data};
    char arrays[600];
    folder_create(&folder);
    const char *path = folder_path(&folder, 0, "t.npy");
    ck_assert_int_eq(cm_npy_write(path, &npy, &err), CM_OK);
    snprintf(arrays, sizeof arrays,
             "\"t\": {\"shape\": [4], \"type\": \"logical\", \"init\": {\"npy\": \"%s\"}}", path);
    ck_assert_msg(prepare(arrays, "", "true", &options, NULL, &workload, &run, &err) == CM_OK, "%s",
                  err.message);
    cm_array_gather(cm_run_system(run), cm_run_array(run, "t"), found, &err);
    ck_assert_mem_eq(found, data, sizeof data);
    cm_run_destroy(run);
    cm_workload_destroy(workload);
    folder_remove(&folder);
}
END_TEST

static bool same(const char *a, const char *b)
{
    struct cm_error err = {.status = CM_OK};
    bool found;
    ck_assert_int_eq(cm_file_same(a, b, &found, &err), CM_OK);
    return found;
}

START_TEST(files_are_the_same_however_their_paths_are_written)
{
    struct folder folder;
    struct cm_error err;
    folder_create(&folder);
    const char *a = folder_path(&folder, 0, "a"), *b = folder_path(&folder, 1, "b");
    const char *a_again = folder_path(&folder, 2, ".//a");
    ck_assert(same(a, a_again) && !same(a, b)); /* neither exists */
    ck_assert_int_eq(cm_file_write(a, "x", 1, &err), CM_OK);
    ck_assert(same(a, a_again) && !same(a, b) && !same(b, a));
    ck_assert_int_eq(link(a, b), 0);
    ck_assert(same(a, b));
    ck_assert(!same("/dev/null", "/dev/null"));
    const char *loop = folder_path(&folder, 4, "loop");
    ck_assert_int_eq(symlink(loop, loop), 0);
    ck_assert(!same(a, loop) && !same(loop, a)); /* it leads nowhere */
    ck_assert_int_eq(unlink(loop), 0);
    const char *other = folder_path(&folder, 5, "no/c");
    ck_assert(!same(folder_path(&folder, 6, "c"), other) && !same(other, other));
    ck_assert_int_eq(cm_file_probe(a, &err), CM_OK);
    ck_assert_int_eq(cm_file_probe("/dev/full", &err), CM_OK);
    ck_assert_int_eq(cm_file_probe(folder.path, &err), CM_IO);
    ck_assert_int_eq(cm_file_probe(folder_path(&folder, 3, "no/a"), &err), CM_IO);
    ck_assert_uint_eq(folder_entries(&folder, 0), 2);
    folder_remove(&folder);
}
END_TEST

static const struct fault npy_faults[] = {
    {"[3, 2], \"type\": \"real64\"", "holds \"<i4\", but real64 needs \"<f8\"", "astype"},
    {"[2, 3], \"type\": \"int32\"", "has shape (3, 2), but the array has (2, 3)", NULL},
};

START_TEST(a_npy_file_must_fit_its_array)
{
    struct folder folder;
    struct cm_workload *workload;
    struct cm_run *run;
    struct cm_error err;
    struct mark mark;
    int32_t data[6] = {1, 2, 3, 4, 5, 6};
    struct cm_npy npy = {CM_NPY_I4, false, 2, {3, 2}, 6, data}; /* C order */
    char arrays[600];
    folder_create(&folder);
    const char *path = folder_path(&folder, 0, "a.npy");
    ck_assert_int_eq(cm_npy_write(path, &npy, &err), CM_OK);
    for (int i = 0; i < 3; i++) {
        struct cm_run_options options = {0};
        snprintf(arrays, sizeof arrays, "\"a\": {\"shape\": %s, \"init\": {\"npy\": @\"%s\"}}",
                 i == 2 ? "[3, 2], \"type\": \"int32\"" : npy_faults[i].text, path);
        enum cm_status status =
            prepare(arrays, "", "false", &options, &mark, &workload, &run, &err);
        if (i < 2) {
            expect_error(&err, mark, &npy_faults[i]);
        } else {
            int32_t found[6];
            ck_assert_int_eq(status, CM_OK);
            cm_array_gather(cm_run_system(run), cm_run_array(run, "a"), found, &err);
            ck_assert_mem_eq(found, ((int32_t[]){1, 3, 5, 2, 4, 6}), sizeof found);
        }
        cm_run_destroy(run);
        cm_workload_destroy(workload);
    }
    folder_remove(&folder);
}
END_TEST

CM_PROGRAM(test_workload)
{
    Suite *suite = suite_create("workload");
    TCase *faults = tcase_create("faults"), *runs = tcase_create("runs");
    tcase_add_loop_test(faults, faults_of_the_root_have_their_place, 0, COUNT(root_faults));
    tcase_add_loop_test(faults, faults_of_arrays_have_their_place, 0, COUNT(array_faults));
    tcase_add_test(faults, a_npy_file_must_fit_its_array);
    tcase_add_test(runs, a_npy_file_of_logicals_is_read);
    tcase_add_test(runs, splitmix64_is_the_published_generator);
    tcase_add_test(runs, initial_values_are_as_documented);
    tcase_add_test(runs, comparison_is_bit_for_bit_but_any_nan_equals_any);
    tcase_add_test(runs, reference_shifts_take_src_at_i_plus_distance);
    tcase_add_test(runs, a_run_is_checked_and_finds_a_wrong_element);
    tcase_add_test(runs, a_wrong_element_is_shown_as_its_type);
    tcase_add_test(runs, messages_that_do_not_arrive_are_counted);
    tcase_add_test(runs, a_deaf_observer_changes_nothing);
    tcase_add_test(runs, a_source_may_be_the_destination_of_another_shift);
    tcase_add_test(runs, what_a_step_reports_is_asked_by_its_kind);
    tcase_add_test(faults, arrays_scalars_and_steps_are_limited);
    tcase_add_test(runs, a_repeat_sums_its_steps);
    tcase_add_test(runs, timing_only_gives_the_same_cycles_and_checks_nothing);
    tcase_add_test(runs, an_interrupted_run_stops);
    tcase_add_test(runs, outputs_that_exclude_each_other_are_refused_before_the_run);
    tcase_add_test(runs, files_are_the_same_however_their_paths_are_written);
    tcase_add_test(runs, saves_are_checked_before_the_run_and_readable_after_it);
    suite_add_tcase(suite, faults);
    suite_add_tcase(suite, runs);
    return cm_run_suite(suite);
}
