/*
 * Every allocation of a run fails once, from the reading of the workload to its result and the
 * files that it saves: workloads of every kind of step, and files of every kind.
 */
#include "folder.h"
#include "fortran/run/step.h"
#include "outcome.h"

#include "base/file.h"
#include "programs/workload/result.h"
#include "programs/workload/steps/pshift.h"

#include <stdio.h>
#include <string.h>

#define HEAD "{\"format\": \"cm200-workload/1\", \"nodes\": 4, \"check\": true, \"arrays\": {"

static const char *workload;              /* text */
static struct cm_run_options run_options; /* without its machine */
static const char *saved;                 /* a file whose content counts */

static void mix_file(struct outcome *outcome, const char *path)
{
    char *text = NULL;
    size_t length = 0;
    if (path && ok(outcome, cm_file_read(path, 1 << 20, &text, &length, &outcome->err)))
        mix(outcome, text, length);
    free(text);
}

static void report(struct outcome *outcome, struct cm_run *run)
{
    struct cm_result result = *cm_run_result(run);
    struct cm_buffer text;
    cm_buffer_init(&text);
    result.wall_seconds = 0;
    if (ok(outcome, cm_result_json(&result, &text, &outcome->err)))
        cm_result_summary(&result, 0, &text);
    for (uint32_t i = 0; i < cm_step_pshift_setup_count(run); i++)
        cm_buffer_printf(&text, "%s", cm_step_pshift_setup_at(run, i).title);
    mix_text(outcome, &text);
}

static void run(struct outcome *outcome)
{
    struct cm_run_options options = run_options;
    struct cm_workload *read = NULL;
    struct cm_run *made = NULL;
    options.config = &shipped;
    options.threads = 1;
    if (saved)
        remove(saved);
    if (ok(outcome,
           cm_workload_parse("w.json", workload, strlen(workload), &read, &outcome->err)) &&
        ok(outcome, cm_run_create(read, &options, &made, &outcome->err)) &&
        ok(outcome, cm_run_execute(made, &outcome->err)) &&
        ok(outcome, cm_run_save(made, &outcome->err))) {
        report(outcome, made);
        mix_file(outcome, saved);
    }
    cm_run_destroy(made);
    cm_workload_destroy(read);
}

static void fail_each_of(const char *text)
{
    workload = text;
    fail_each(run);
}

#define ARRAYS                                                                                     \
    "\"a\": {\"shape\": [8, 4], \"type\": \"real64\", \"axes\": [\"news\", \"serial\"], "          \
    "\"init\": {\"random\": 1}}, \"b\": {\"like\": \"a\"}, \"c\": {\"like\": \"a\"}, "             \
    "\"row\": {\"shape\": [4], \"type\": \"real64\", \"init\": {\"index\": true}}, "               \
    "\"p\": {\"shape\": [10], \"type\": \"int32\", \"init\": {\"constant\": 3}}, "                 \
    "\"q\": {\"like\": \"p\"}"                                                                     \
    "}, \"scalars\": {\"half\": 0.5, \"i\": [0, 1]}, \"name\": \"x\", \"steps\": ["

START_TEST(shifts_and_sums)
{
    fail_each_of(
        HEAD ARRAYS
        "{\"pshift\": [{\"type\": \"cshift\", \"dst\": \"b\", \"src\": \"a\", \"dim\": 1, "
        "\"distance\": -1}, {\"type\": \"eoshift_scalar\", \"dst\": \"c\", \"src\": \"a\", "
        "\"dim\": 1, \"distance\": 2, \"boundary\": \"half\"}], \"setup\": \"looped\"},"
        "{\"pshift\": [{\"type\": \"eoshift_array\", \"dst\": \"b\", \"src\": \"a\", \"dim\": 1, "
        "\"distance\": -1, \"boundary\": \"row\"}]},"
        "{\"repeat\": {\"times\": 2, \"steps\": [{\"combine\": {\"dst\": \"c\", \"terms\": "
        "[[0.5, \"a\"], [\"half\", \"b\"]]}}, {\"copy\": {\"dst\": \"b\", \"src\": \"c\"}}]}},"
        "{\"fill\": {\"array\": \"b\", \"value\": 2.5, \"section\": [[1, 8, 2], [2, 3]]}}"
        "]}");
}
END_TEST

START_TEST(shifts_of_the_run_time_library)
{
    fail_each_of(
        HEAD ARRAYS
        "{\"pshift\": [{\"type\": \"cshift\", \"dst\": \"q\", \"src\": \"p\", \"dim\": 1, "
        "\"distance\": 1}]},"
        "{\"cshift\": {\"dst\": \"q\", \"src\": \"p\", \"dim\": 1, \"distance\": 3, \"path\": "
        "\"router\"}},"
        "{\"eoshift\": {\"dst\": \"b\", \"src\": \"a\", \"dim\": 1, \"distance\": 3, "
        "\"boundary\": \"row\", \"path\": \"router\"}},"
        "{\"eoshift\": {\"dst\": \"b\", \"src\": \"a\", \"dim\": 2, \"distance\": -1, "
        "\"boundary\": 2}}]}");
}
END_TEST

START_TEST(steps_of_the_network)
{
    fail_each_of(HEAD ARRAYS
                 "{\"shift\": {\"by\": 1, \"topology\": \"mesh\", \"shape\": [2, 2]}},"
                 "{\"shift\": {\"by\": 1, \"method\": \"e-cube\", \"ts\": 2, \"tw\": 1}},"
                 "{\"route\": {\"pattern\": \"transpose\", \"array\": \"a\", \"dst\": \"b\"}},"
                 "{\"route\": {\"pattern\": \"random\", \"rates\": [0.1, 0.4], \"warmup\": 5, "
                 "\"measure\": 20, \"routing\": \"valiant\"}}]}");
}
END_TEST

START_TEST(transforms_and_reshapes)
{
    fail_each_of(
        HEAD "\"a\": {\"shape\": [8, 4], \"type\": \"complex64\", \"mesh\": {\"shape\": [2, 2], "
             "\"mapping\": \"random:7\"}, \"init\": {\"random\": 1}}, "
             "\"b\": {\"shape\": [16], \"type\": \"real64\", \"encoding\": \"gray\", \"init\": "
             "{\"random\": 2}}, \"c\": {\"shape\": [16], \"type\": \"complex128\", \"init\": "
             "{\"random\": 2}}}, \"steps\": ["
             "{\"fft\": {\"array\": \"a\", \"dims\": [1]}},"
             "{\"fft\": {\"array\": \"c\", \"transform\": \"forward\", \"stepwise\": true}},"
             "{\"broadcast\": {\"array\": \"a\", \"from\": [3, 2]}},"
             "{\"reshape\": {\"array\": \"b\", \"shape\": [4, 4]}},"
             "{\"reshape\": {\"array\": \"b\", \"shape\": [2, 8], \"algorithm\": \"rotate\"}},"
             "{\"reshape\": {\"array\": \"b\", \"shape\": [2, 8], \"encoding\": \"binary\"}}]}");
}
END_TEST

START_TEST(reductions_scans_and_spreads)
{
    fail_each_of(HEAD ARRAYS
                 "{\"reduce\": {\"op\": \"sum\", \"src\": \"a\"}},"
                 "{\"reduce\": {\"op\": \"minloc\", \"src\": \"p\", \"dim\": 1, \"dst\": \"q\"}},"
                 "{\"scan\": {\"op\": \"max\", \"src\": \"a\", \"dim\": 1, \"dst\": \"b\"}},"
                 "{\"spread\": {\"dst\": \"b\", \"src\": \"a\", \"dim\": 1, \"from\": 3}}]}");
}
END_TEST

/* Files that the workload names, and files that it saves. */
START_TEST(files)
{
    static const char program[] = "programs/examples/hand-written.imp";
    static const char list[] = "0,1\n1,2\n2,3\n3,0\n";
    struct folder folder;
    struct cm_error err = {.status = CM_OK};
    char text[2048], save[512];
    const char *saves[] = {save};
    folder_create(&folder);
    ck_assert_int_eq(cm_file_write(folder_path(&folder, 0, "l.csv"), list, sizeof list - 1, &err),
                     CM_OK);
    saved = folder_path(&folder, 1, "a.npy");
    snprintf(save, sizeof save, "a=%s", folder_path(&folder, 2, "b.npy"));
    run_options = (struct cm_run_options){.saves = saves, .save_count = 1, .trusted = true};
    snprintf(text, sizeof text,
             HEAD "\"a\": {\"shape\": [32], \"type\": \"real32\", \"init\": {\"index\": true}}, "
                  "\"m\": {\"like\": \"a\"}}, \"scalars\": {\"half\": 0.5}, \"steps\": ["
                  "{\"imp\": {\"file\": \"%s\", \"arguments\": {\"a\": \"a\", \"mean\": \"m\", "
                  "\"half\": \"half\"}}}, {\"route\": {\"pattern\": \"list\", \"list\": \"%s\"}}], "
                  "\"save\": {\"a\": \"%s\"}}",
             program, folder_path(&folder, 0, "l.csv"), saved);
    fail_each_of(text);
    run_options.saves = NULL;
    run_options.save_count = 0;
    snprintf(text, sizeof text,
             HEAD "\"a\": {\"shape\": [32], \"type\": \"real32\", \"init\": {\"npy\": \"%s\"}}}, "
                  "\"steps\": []}",
             folder_path(&folder, 2, "b.npy"));
    saved = NULL;
    fail_each_of(text);
    run_options = (struct cm_run_options){0};
    ck_assert_uint_eq(folder_entries(&folder, 0), 3);
    folder_remove(&folder);
}
END_TEST

/* The refusal is the result. */
static void run_refused(struct outcome *outcome)
{
    run(outcome);
    if (outcome->status == CM_USAGE) {
        outcome->status = CM_OK;
        mix(outcome, outcome->err.message, strlen(outcome->err.message));
    }
}

START_TEST(outputs_over_inputs)
{
    struct folder folder;
    struct cm_error err = {.status = CM_OK};
    char text[1024], save[512];
    const char *saves[] = {save, save};
    folder_create(&folder);
    const char *list = folder_path(&folder, 0, "l.csv");
    const char *new_file = folder_path(&folder, 1, "new.npy");
    ck_assert_int_eq(cm_file_write(list, "0,1\n", 4, &err), CM_OK);
    snprintf(text, sizeof text,
             HEAD "\"a\": {\"shape\": [4], \"type\": \"real32\"}}, \"steps\": ["
                  "{\"route\": {\"pattern\": \"list\", \"list\": \"%s\"}}]}",
             list);
    workload = text;
    for (int i = 0; i < 3; i++) { /* over an input; two saves in one file; over another output */
        run_options = (struct cm_run_options){.saves = saves,
                                              .save_count = i == 1 ? 2 : 1,
                                              .outputs = &new_file,
                                              .output_count = i == 2,
                                              .trusted = true};
        snprintf(save, sizeof save, "a=%s", i == 0 ? list : new_file);
        fail_each(run_refused);
    }
    run_options = (struct cm_run_options){0};
    ck_assert_uint_eq(folder_entries(&folder, 0), 1);
    folder_remove(&folder);
}
END_TEST

START_TEST(calls_of_subroutines)
{
    fail_each_of(HEAD "\"u\": {\"shape\": [8, 8], \"type\": \"real32\"}, "
                      "\"f\": {\"like\": \"u\", \"init\": {\"random\": 7}}}, "
                      "\"scalars\": {\"weight\": 0.2}, \"steps\": ["
                      "{\"call\": {\"file\": \"programs/examples/relax.fcm\", "
                      "\"subroutine\": \"RELAX\", \"arguments\": [\"u\", \"f\", 8, \"weight\", 2], "
                      "\"level\": 2}}]}");
}
END_TEST

CM_PROGRAM(test_workload_memory)
{
    if (!cm_fortran_register())
        return 1;
    Suite *s = suite_create("memory of workloads");
    TCase *tests = tcase_create("each allocation fails once");
    tcase_set_timeout(tests, 0);
    tcase_add_test(tests, shifts_and_sums);
    tcase_add_test(tests, shifts_of_the_run_time_library);
    tcase_add_test(tests, steps_of_the_network);
    tcase_add_test(tests, transforms_and_reshapes);
    tcase_add_test(tests, reductions_scans_and_spreads);
    tcase_add_test(tests, calls_of_subroutines);
    tcase_add_test(tests, files);
    tcase_add_test(tests, outputs_over_inputs);
    suite_add_tcase(s, tests);
    return cm_run_suite(s);
}
