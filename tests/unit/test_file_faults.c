/*
 * Every system call of reading and writing files fails once: with EINTR, or when it moves one byte,
 * the result is the same; with EIO it is the same, or an error and the old file. What a file system
 * cannot do is an error or left out.
 */
#include "failing_calls.h"
#include "folder.h"
#include "suite.h"

#include "base/file.h"
#include "base/output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define OLD   "old text\n"
#define NEW   "new text, longer\n"
#define MAGIC "new"

static struct folder folder;
static const char *target, *path, *part;

static void put(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
}

/* Whether the file has this text; NULL: there is no such file. */
static bool has(const char *name, const char *text)
{
    char found[64] = {0};
    FILE *file = fopen(name, "r");
    if (file == NULL)
        return text == NULL;
    size_t length = fread(found, 1, sizeof found - 1, file);
    fclose(file);
    return text != NULL && length == strlen(text) && memcmp(found, text, length) == 0;
}

/* What one scenario writes or reads, and what must hold afterwards. */
struct scenario {
    void (*set_up)(void);
    enum cm_status (*run)(struct cm_error *err);
    bool (*holds)(enum cm_status status);
};

static void remove_files(void)
{
    folder_entries(&folder, 1);
}

static void nothing(void)
{
    remove_files();
}

static void old_file(void)
{
    remove_files();
    put(target, OLD);
    ck_assert_int_eq(chmod(target, 0640), 0);
}

static void old_file_and_link(void)
{
    old_file();
    ck_assert_int_eq(symlink("target", path), 0);
}

/* What a run that was killed left behind. */
static void old_file_and_part(void)
{
    old_file();
    put(part, MAGIC " unfinished");
}

static enum cm_status write_target(struct cm_error *err)
{
    return cm_file_write(target, NEW, sizeof NEW - 1, err);
}

static enum cm_status write_link(struct cm_error *err)
{
    return cm_file_write(path, NEW, sizeof NEW - 1, err);
}

static enum cm_status write_device(struct cm_error *err)
{
    return cm_file_write("/dev/null", NEW, sizeof NEW - 1, err);
}

static enum cm_status write_part(struct cm_error *err)
{
    struct cm_output output;
    enum cm_status status = cm_output_open(&output, target, "text", MAGIC, err);
    if (status != CM_OK)
        return status;
    cm_output_write(&output, NEW, 3);
    cm_output_write(&output, &NEW[3], sizeof NEW - 4);
    return cm_output_close(&output, err);
}

static enum cm_status read_target(struct cm_error *err)
{
    char *text;
    size_t length;
    enum cm_status status = cm_file_read(target, 100, &text, &length, err);
    if (status == CM_OK)
        ck_assert_str_eq(text, OLD);
    else
        ck_assert(text == NULL && length == 0);
    free(text);
    return status;
}

static enum cm_status probe_target(struct cm_error *err)
{
    char *name;
    enum cm_status status = cm_file_probe(target, err);
    if (status == CM_OK)
        status = cm_file_probe("/dev/full", err);
    if (status != CM_OK)
        return status;
    status = cm_file_part(target, &name, err);
    if (status == CM_OK)
        ck_assert_str_eq(name, part);
    free(name);
    return status;
}

/* The new file is there alone, or what was there before. */
static bool new_or_nothing(enum cm_status status)
{
    return has(target, status == CM_OK ? NEW : NULL) &&
           folder_entries(&folder, 0) == (status == CM_OK);
}

static bool new_or_old(enum cm_status status)
{
    return has(target, status == CM_OK ? NEW : OLD) && folder_entries(&folder, 0) == 1;
}

static bool new_or_old_and_link(enum cm_status status)
{
    char text[64] = {0};
    return has(target, status == CM_OK ? NEW : OLD) && readlink(path, text, sizeof text) == 6 &&
           folder_entries(&folder, 0) == 2;
}

/* A part that nothing is known of stays: it may be somebody else's. */
static bool part_may_stay(enum cm_status status, unsigned files)
{
    unsigned entries = folder_entries(&folder, 0);
    return entries == files || (status != CM_OK && entries == files + 1 && !has(part, NEW));
}

static bool new_or_part(enum cm_status status)
{
    return has(target, status == CM_OK ? NEW : NULL) && part_may_stay(status, status == CM_OK);
}

static bool new_or_old_and_part(enum cm_status status)
{
    return has(target, status == CM_OK ? NEW : OLD) && part_may_stay(status, 1);
}

static bool old(enum cm_status status)
{
    (void)status;
    return has(target, OLD) && folder_entries(&folder, 0) == 1;
}

static bool anything(enum cm_status status)
{
    (void)status;
    return true;
}

static void part_of_another_kind(void)
{
    remove_files();
    put(part, "old unfinished");
}

static enum cm_status write_refused_part(struct cm_error *err)
{
    enum cm_status status = write_part(err);
    ck_assert_int_eq(status, CM_IO);
    return strstr(err->message, "exists and is not a text file") ? CM_OK : status;
}

static bool part_is_kept(enum cm_status status)
{
    (void)status;
    return has(target, NULL) && has(part, "old unfinished");
}

static const struct scenario scenarios[] = {
    {nothing, write_target, new_or_nothing},
    {old_file, write_target, new_or_old},
    {old_file_and_link, write_link, new_or_old_and_link},
    {nothing, write_device, anything},
    {nothing, write_part, new_or_part},
    {old_file_and_part, write_part, new_or_old_and_part},
    {part_of_another_kind, write_refused_part, part_is_kept},
    {old_file, read_target, old},
    {old_file, probe_target, old},
};

static void begin_folder(void)
{
    folder_create(&folder);
    target = folder_path(&folder, 0, "target");
    path = folder_path(&folder, 1, "path");
    part = folder_path(&folder, 2, "target.part");
}

static void fail_each_call(const struct scenario *scenario, int number)
{
    struct cm_error err = {.status = CM_OK};
    scenario->set_up();
    failing_calls_begin(0, 0);
    enum cm_status status = scenario->run(&err);
    unsigned long count = failing_calls_end();
    ck_assert_msg(status == CM_OK && scenario->holds(status), "%s", err.message);
    ck_assert_uint_gt(count, 2);
    for (unsigned long call = 1; call <= count; call++) {
        scenario->set_up();
        err = (struct cm_error){.status = CM_OK};
        failing_calls_begin(call, number);
        status = scenario->run(&err);
        failing_calls_end();
        /* a signal ends the waiting for a pipe or a device, and nothing else */
        bool ended = status == CM_INTERRUPTED && number == EINTR && scenario->run == write_device;
        bool allowed =
            ended || status == CM_OK || (status == CM_IO && err.message[0] && number == EIO);
        ck_assert_msg(allowed && scenario->holds(status), "call %lu, errno %d: status %d, \"%s\"",
                      call, number, (int)status, err.message);
    }
}

START_TEST(a_file_is_the_old_one_or_the_new_one)
{
    begin_folder();
    fail_each_call(&scenarios[_i], EIO);
    folder_remove(&folder);
}
END_TEST

/* What a file system or a user cannot do, and what is made of it. */
START_TEST(what_cannot_be_done_is_left_out_or_an_error)
{
    static const struct {
        const char *call;
        int number;
        enum cm_status expected;
    } cases[] = {
        {"fsync", EINVAL, CM_OK}, /* a file system that cannot flush */
        {"fsync", ENOTSUP, CM_OK},    {"fsync", EIO, CM_IO},
        {"fchown", EPERM, CM_OK}, /* another user's file, in a folder of ours */
        {"fchmod", EPERM, CM_IO},     {"rename", EXDEV, CM_IO},
        {"faccessat", EACCES, CM_IO},
    };
    begin_folder();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct cm_error err = {.status = CM_OK};
        struct stat about;
        old_file();
        failing_calls_named(cases[i].call, cases[i].number);
        enum cm_status status = write_target(&err);
        failing_calls_end();
        ck_assert_msg(status == cases[i].expected && new_or_old(status), "%s: %d, %s",
                      cases[i].call, (int)status, err.message);
        ck_assert(stat(target, &about) == 0 && (about.st_mode & 0777) == 0640);
    }
    folder_remove(&folder);
}
END_TEST

START_TEST(signals_and_short_counts_change_nothing)
{
    begin_folder();
    fail_each_call(&scenarios[_i], EINTR);
    fail_each_call(&scenarios[_i], 0);
    folder_remove(&folder);
}
END_TEST

CM_PROGRAM(test_file_faults)
{
    const int count = sizeof scenarios / sizeof scenarios[0];
    Suite *s = suite_create("file faults");
    TCase *tests = tcase_create("each call fails once");
    tcase_add_loop_test(tests, a_file_is_the_old_one_or_the_new_one, 0, count);
    tcase_add_test(tests, what_cannot_be_done_is_left_out_or_an_error);
    tcase_add_loop_test(tests, signals_and_short_counts_change_nothing, 0, count);
    suite_add_tcase(s, tests);
    return cm_run_suite(s);
}
