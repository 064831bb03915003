/* The check of programs (fortran/run/direct.h): statements that the machine plays are right; words
 * that an observer changes behind the program's back are found, with line, element and values. */
#include "folder.h"
#include "fortran/run/step.h"
#include "suite.h"

#include "programs/workload/result.h"
#include "programs/workload/workload.h"
#include "sim/machine/observer.h"

#include <inttypes.h>

#define NODES 4u
#define WORDS 64u /* from the heap's base, that are changed */

/* Which IMP's end changes words, and which bits of them. */
struct spoiler {
    struct cm_machine *machine;
    uint64_t first, last; /* words from the base of the heap */
    uint32_t node, bits;
    uint32_t ends, at; /* IMPs that have ended; the one, from 1; 0: none */
    bool reached;
    bool interrupts; /* instead of changing words */
    bool unchecked;  /* the run does not check */
};

static void spoil(void *context, const struct cm_counters *counters)
{
    struct spoiler *spoiler = context;
    struct cm_error err;
    uint32_t words[NODES];
    (void)counters;
    if (++spoiler->ends != spoiler->at)
        return;
    spoiler->reached = true;
    if (spoiler->interrupts) {
        cm_machine_interrupt(spoiler->machine);
        return;
    }
    uint64_t base = cm_machine_config(spoiler->machine)->memory_heap_base_words;
    for (uint64_t address = base + spoiler->first; address <= base + spoiler->last; address++) {
        ck_assert(cm_machine_read_plane(spoiler->machine, address, words, &err) == CM_OK);
        words[spoiler->node] ^= spoiler->bits;
        ck_assert(cm_machine_write_plane(spoiler->machine, address, words, &err) == CM_OK);
    }
}

/* What a run came to. */
struct outcome {
    enum cm_status status;
    struct cm_error err;
    uint64_t mismatches, cycles;
    bool checked;
    char json[16384];
};

static void play(const char *program, const char *keys, struct spoiler *spoiler,
                 struct outcome *outcome)
{
    struct folder folder;
    char text[400];
    struct cm_workload *workload = NULL;
    struct cm_run *run = NULL;
    struct cm_buffer json;
    const struct cm_run_options options = {.no_check = spoiler->unchecked,
                                           .machine = "configs/cm200.json",
                                           .nodes = NODES,
                                           .threads = 1};
    folder_create(&folder);
    FILE *file = fopen(folder_path(&folder, 0, "p.f90"), "w");
    ck_assert_ptr_nonnull(file);
    fputs(program, file);
    fclose(file);
    snprintf(text, sizeof text,
             "{\"format\": \"cm200-workload/1\", \"name\": \"t\", \"arrays\": {}, "
             "\"steps\": [{\"program\": {\"file\": \"p.f90\"%s}}], \"check\": true}",
             keys);
    *outcome = (struct outcome){0};
    ck_assert_msg(cm_workload_parse(folder_path(&folder, 1, "w.json"), text, strlen(text),
                                    &workload, &outcome->err) == CM_OK &&
                      cm_run_create(workload, &options, &run, &outcome->err) == CM_OK,
                  "%s", outcome->err.message);
    spoiler->machine = cm_system_machine(cm_run_system(run));
    const struct cm_observer observer = {.context = spoiler, .run_ends = spoil};
    cm_run_observe(run, &observer);
    outcome->status = cm_run_execute(run, &outcome->err);
    const struct cm_result *result = cm_run_result(run);
    outcome->mismatches = result->mismatches;
    outcome->checked = result->checked;
    outcome->cycles = result->total.cycles;
    cm_buffer_init(&json);
    ck_assert(cm_result_json(result, &json, NULL) == CM_OK);
    snprintf(outcome->json, sizeof outcome->json, "%s", json.data);
    cm_buffer_finish(&json);
    cm_run_destroy(run);
    cm_workload_destroy(workload);
    folder_remove(&folder);
}

#define DECLARE "real a(16), b(16)\ninteger k(16)\n"

static const char *const assignments = "program p\n" DECLARE "a = 2.0\n"
                                       "b = 3.0\n"
                                       "a = a + b\n"
                                       "print *, a(6)\n"
                                       "end\n";

START_TEST(right_statements_pass)
{
    struct spoiler none = {0};
    struct outcome outcome;
    for (int level = 0; level < 2; level++) {
        play(assignments, level > 0 ? ", \"level\": 1" : "", &none, &outcome);
        ck_assert_int_eq(outcome.status, CM_OK);
        ck_assert_uint_eq(outcome.mismatches, 0);
        ck_assert(outcome.checked);
        ck_assert_ptr_nonnull(strstr(outcome.json, "\"compared\": 3"));
    }
}
END_TEST

START_TEST(a_wrong_element_is_described)
{
    /* after the third statement element 6 of a, the second of node 1, is 5 with another sign */
    struct spoiler spoiler = {.first = 1, .last = 1, .node = 1, .bits = UINT32_C(1) << 31, .at = 3};
    struct outcome outcome;
    play(assignments, "", &spoiler, &outcome);
    ck_assert(spoiler.reached);
    ck_assert_int_eq(outcome.status, CM_CHECK_FAILED);
    ck_assert_uint_eq(outcome.mismatches, 1);
    ck_assert_str_eq(outcome.err.message, "a(6) is -5 on the machine, but 5 by direct evaluation; "
                                          "1 of 16 elements differ");
    ck_assert_uint_eq(outcome.err.line, 6);
    ck_assert_str_eq(outcome.err.source, "a = a + b");
    ck_assert_ptr_nonnull(strstr(outcome.json, "\"got\": \"-5\""));
    ck_assert_ptr_nonnull(strstr(outcome.json, "-5.0")); /* the program goes on with it */
}
END_TEST

/* NaNs among the operands of extremes, on both sides, and lines of them. */
static const char *const extremes = "program p\n" DECLARE "real c(4, 4)\n"
                                    "a = 1.0\n"
                                    "b = 0.0\n"
                                    "a(3:9) = b(3:9) / b(3:9)\n"
                                    "b(5:12) = a(5:12)\n"
                                    "a = max(a, b)\n"
                                    "b = min(b, a, 0.5)\n"
                                    "c = reshape(a, [4, 4])\n"
                                    "a(1:4) = maxval(c, 1)\n"
                                    "a(5:8) = minval(c, 2)\n"
                                    "print *, maxval(a), minval(c), maxval(c(:, 2)), a(6)\n"
                                    "k(1:1) = maxloc(a)\n"
                                    "end\n";

START_TEST(nans_of_extremes_are_compared)
{
    struct spoiler none = {0};
    struct outcome outcome;
    for (int level = 0; level < 3; level++) {
        char keys[24];
        snprintf(keys, sizeof keys, ", \"level\": %d", level);
        play(extremes, keys, &none, &outcome);
        ck_assert_msg(outcome.status == CM_OK, "%s", outcome.err.message);
        ck_assert_uint_eq(outcome.mismatches, 0);
        ck_assert_ptr_nonnull(strstr(outcome.json, "NaN"));
    }
    /* 3 becomes a NaN */
    struct spoiler spoiler = {.first = 1, .last = 1, .node = 1, .bits = 0x3f800000u, .at = 3};
    play("program p\n" DECLARE "a = 2.0\nb = 3.0\na = max(a, b)\nend\n", "", &spoiler, &outcome);
    ck_assert(spoiler.reached);
    ck_assert_int_eq(outcome.status, CM_CHECK_FAILED);
    ck_assert_str_eq(outcome.err.message, "a(6) is nan on the machine, but 3 by direct evaluation; "
                                          "1 of 16 elements differ");
}
END_TEST

START_TEST(groups_are_compared)
{
    struct spoiler spoiler = {.first = 1, .last = 1, .node = 1, .bits = UINT32_C(1) << 31, .at = 1};
    struct outcome outcome;
    play(assignments, ", \"level\": 1", &spoiler, &outcome);
    ck_assert(spoiler.reached);
    ck_assert_int_eq(outcome.status, CM_CHECK_FAILED);
    ck_assert_uint_eq(outcome.mismatches, 1);
    ck_assert_uint_eq(outcome.err.line, 6); /* the last statement that assigns it */
}
END_TEST

/* What a fault in any word of the arrays and temporaries does to statements of each kind. */
static const struct {
    const char *statement; /* line 6 of the program */
    const char *name;      /* in the message */
} kinds[] = {
    {"b(2:9) = a(3:10)", "b("},
    {"b = cshift(a, 1, 1)", "b("},
    {"b = exp(a)", "b("},
    {"where (a > 0.5) b = 1.0", "the mask"},
    {"forall (i = 1:16) b(i) = a(i) * i", "b("},
    {"b(1) = sum(a)", "sum is"},
    {"k(1) = maxval(k)", "maxval is"},
    {"k(1) = count(a > 10.0)", "count is"},
    {"b = a / sum(a)", "b("},
    {"b(1:16:2) = a(1:8)", "b("},
};

/* Every fault that changes what the statement makes is found: at the end of the statement's last
 * IMP all words of the arrays change, those of the result among them. */
START_TEST(faults_in_statements_are_found)
{
    char program[400];
    struct outcome outcome;
    struct spoiler count = {0};
    snprintf(program, sizeof program,
             "program p\n" DECLARE "forall (i = 1:16) k(i) = 17 - i\na = 1.25 * k\n%s\nend\n",
             kinds[_i].statement);
    play(program, "", &count, &outcome);
    ck_assert_msg(outcome.status == CM_OK, "%s: %s", program, outcome.err.message);
    bool found = false;
    for (uint32_t at = 3; at <= count.ends; at++) {
        struct spoiler spoiler = {
            .last = WORDS, .node = 2, .bits = UINT32_C(3) << 22 | 1, .at = at};
        play(program, "", &spoiler, &outcome);
        if (outcome.status != CM_CHECK_FAILED)
            continue;
        ck_assert_uint_gt(outcome.mismatches, 0);
        found = found || strstr(outcome.json, kinds[_i].name) != NULL ||
                strncmp(outcome.err.message, kinds[_i].name, strlen(kinds[_i].name)) == 0;
    }
    ck_assert_msg(found, "%s: no fault found in %" PRIu32 " IMPs", kinds[_i].statement, count.ends);
}
END_TEST

START_TEST(the_check_takes_no_cycles)
{
    struct spoiler checked = {0}, unchecked = {.unchecked = true};
    struct outcome with, without;
    const char *program = "program p\n" DECLARE "forall (i = 1:16) a(i) = i\n"
                          "where (a > sum(a) / 16) b = exp(a)\n"
                          "a(2:9) = b(9:2:-1)\nif (maxval(a) > 1) a(1) = a(2)\nend\n";
    play(program, "", &checked, &with);
    play(program, "", &unchecked, &without);
    ck_assert_int_eq(with.status, CM_OK);
    ck_assert(with.checked && !without.checked);
    ck_assert_uint_gt(without.cycles, 0);
    ck_assert_uint_eq(with.cycles, without.cycles);
}
END_TEST

/* What has no direct evaluation is counted. */
START_TEST(statements_with_functions_are_counted)
{
    struct spoiler none = {0};
    struct outcome outcome;
    play("program p\nreal a(8)\na = 1.0\na = a * f(2.0)\nend\n"
         "function f(x)\nf = x + 1.0\nend\n",
         "", &none, &outcome);
    ck_assert_int_eq(outcome.status, CM_OK);
    ck_assert(!outcome.checked);
    ck_assert_ptr_nonnull(strstr(outcome.json, "\"compared\": 1"));
    ck_assert_ptr_nonnull(strstr(outcome.json, "\"not_compared\": 1"));
}
END_TEST

/* The machine has executed the statement, but its direct evaluation is not complete. */
START_TEST(an_interrupt_is_no_wrong_element)
{
    static const char program[] = "program p\nreal a(128, 64), s\na = 1.0\na(3, :) = 2.0\n"
                                  "a = a + cshift(a, 1) * exp(a)\ns = sum(a)\n"
                                  "where (a > 2.0)\na = eoshift(a, 1)\nend where\n"
                                  "forall (i = 1:128, j = 1:64) a(i, j) = i\nprint *, s\nend\n";
    struct spoiler spoiler = {.reached = true};
    struct outcome outcome;
    for (uint32_t at = 1; spoiler.reached; at++) {
        spoiler = (struct spoiler){.at = at, .interrupts = true};
        play(program, "", &spoiler, &outcome);
        ck_assert_int_eq(outcome.status, spoiler.reached ? CM_INTERRUPTED : CM_OK);
        ck_assert_uint_eq(outcome.mismatches, 0);
    }
}
END_TEST

CM_PROGRAM(test_fortran_direct)
{
    Suite *suite = suite_create("check of fortran programs");
    TCase *tests = tcase_create("direct evaluation");
    if (!cm_fortran_register())
        return 1;
    tcase_add_test(tests, right_statements_pass);
    tcase_add_test(tests, a_wrong_element_is_described);
    tcase_add_test(tests, nans_of_extremes_are_compared);
    tcase_add_test(tests, groups_are_compared);
    tcase_add_loop_test(tests, faults_in_statements_are_found, 0,
                        (int)(sizeof kinds / sizeof *kinds));
    tcase_add_test(tests, the_check_takes_no_cycles);
    tcase_add_test(tests, statements_with_functions_are_counted);
    tcase_add_test(tests, an_interrupt_is_no_wrong_element);
    suite_add_tcase(suite, tests);
    return cm_run_suite(suite);
}
