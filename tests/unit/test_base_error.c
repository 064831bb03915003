/* Errors and their text, suggestions, buffers, and files that survive a failed write. */
#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/suggest.h"
#include "base/text.h"

#include "folder.h"
#include "suite.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static void expect_text(const struct cm_error *err, const char *expected)
{
    char shown[4096];
    size_t length = cm_error_format(err, shown, sizeof shown);
    ck_assert_str_eq(shown, expected);
    ck_assert_uint_eq(length, strlen(expected));
}

START_TEST(an_error_is_shown_as_place_message_source_caret_and_hint)
{
    static const char text[] = "first\nrun fast\nlast";
    struct cm_error err;
    ck_assert_int_eq(cm_error_at(&err, CM_BAD_INPUT, "a.imp", 2, 5, "unknown \"%s\"", "fast"),
                     CM_BAD_INPUT);
    expect_text(&err, "a.imp:2:5: unknown \"fast\"\n");
    cm_error_source(&err, text, strlen(text));
    expect_text(&err, "a.imp:2:5: unknown \"fast\"\nrun fast\n    ^\n");
    ck_assert_int_eq(cm_error_hint(&err, "try %d", 7), CM_BAD_INPUT);
    expect_text(&err, "a.imp:2:5: unknown \"fast\"\nrun fast\n    ^\nhint: try 7\n");
}
END_TEST

START_TEST(parts_of_a_place_that_are_unknown_are_left_out)
{
    struct cm_error err;
    cm_error_set(&err, CM_USAGE, "no workload");
    expect_text(&err, "no workload\n");
    cm_error_at(&err, CM_IO, "x.npy", 0, 0, "gone");
    expect_text(&err, "x.npy: gone\n");
    cm_error_at(&err, CM_BAD_INPUT, "x.imp", 3, 0, "bad");
    cm_error_source(&err, "1\n2\n3\n", 6);
    expect_text(&err, "x.imp:3: bad\n3\n");
    cm_error_at(&err, CM_BAD_INPUT, NULL, 3, 4, "bad");
    expect_text(&err, "3:4: bad\n");
}
END_TEST

START_TEST(the_caret_lines_up_under_tabs_and_characters_of_any_width)
{
    struct cm_error err;
    cm_error_at(&err, CM_BAD_INPUT, "f", 1, 4, "m");
    cm_error_source(&err, "\ta\tbc", 5);
    expect_text(&err, "f:1:4: m\n\ta\tbc\n\t \t^\n");
    cm_error_at(&err, CM_BAD_INPUT, "f", 1, 4, "m"); /* behind é (two bytes) and a */
    cm_error_source(&err,
                    "\xc3\xa9"
                    "abc\r\nx",
                    8);
    expect_text(&err, "f:1:4: m\n\xc3\xa9"
                      "abc\n  ^\n");
    cm_error_at(&err, CM_BAD_INPUT, "f", 1, 4, "m"); /* behind a character two columns wide */
    cm_error_source(&err,
                    "\xe6\xbc\xa2"
                    "b",
                    4);
    expect_text(&err, "f:1:4: m\n\xe6\xbc\xa2"
                      "b\n  ^\n");
    cm_error_at(&err, CM_BAD_INPUT, "f", 1, 9, "m"); /* beyond the end: at the end */
    cm_error_source(&err, "ab", 2);
    expect_text(&err, "f:1:9: m\nab\n  ^\n");
}
END_TEST

START_TEST(a_long_line_is_cut_around_the_caret_between_characters)
{
    char text[1201];
    for (size_t i = 0; i < 600; i++)
        memcpy(text + 2 * i, "\xc3\xa9", 2);
    for (uint32_t column = 1; column <= 1200; column++) {
        struct cm_error err;
        cm_error_at(&err, CM_BAD_INPUT, "f", 1, column, "m");
        cm_error_source(&err, text, 1200);
        size_t length = strlen(err.source);
        ck_assert_uint_le(length, 110);
        ck_assert_uint_ge(length, 98);
        ck_assert_ptr_null(strchr(err.source, '?')); /* what a cut character would turn into */
        ck_assert_uint_lt(err.caret, length);
        if (column > 200) {
            ck_assert_int_eq(strncmp(err.source, "...", 3), 0);
            ck_assert_uint_gt(err.caret, 20);
        }
    }
}
END_TEST

START_TEST(nothing_that_steers_a_terminal_gets_into_an_error)
{
    struct cm_error err;
    cm_error_at(&err, CM_BAD_INPUT, "a\x1b[2Jb\n", 1, 3, "\"%s\" \xff", "x\x1b]0;\a\xc2\x9b");
    cm_error_source(&err,
                    "a\x1b\xff\xe2\x80\xae"
                    "b",
                    7);
    cm_error_hint(&err, "%s", "\x7f");
    expect_text(&err, "a\\x1b[2Jb\\n:1:3: \"x\\x1b]0;\\x07\\u009b\" \\xff\na??"
                      "?b\n  ^\nhint: \\x7f\n");
}
END_TEST

START_TEST(long_messages_and_paths_are_cut_between_characters)
{
    char text[3001], path[1201];
    for (size_t i = 0; i < 1000; i++)
        memcpy(text + 3 * i, "\xe2\x82\xac", 4);
    memset(path, 'd', 1190);
    strcpy(path + 1190, "/tail.json");
    struct cm_error err;
    cm_error_at(&err, CM_BAD_INPUT, path, 0, 0, "%s", text);
    uint32_t codepoint;
    size_t length = strlen(err.message), at = 0;
    ck_assert_uint_gt(length, 760);
    ck_assert_str_eq(err.message + length - 3, "...");
    for (size_t n = 1; at < length; at += n) {
        n = cm_utf8_decode(err.message + at, length - at, &codepoint);
        ck_assert_uint_gt(n, 0);
    }
    ck_assert_uint_eq(strlen(err.file), sizeof err.file - 1);
    ck_assert_int_eq(strncmp(err.file, "...d", 4), 0);
    ck_assert_str_eq(err.file + strlen(err.file) - 10, "/tail.json");
    for (size_t tail = 0; tail < 3; tail++) { /* cut at each byte of a character */
        for (size_t i = 0; i < 395; i++)
            memcpy(path + 3 * i, "\xe2\x82\xac", 3);
        strcpy(path + 1185, &"xx"[2 - tail]);
        cm_error_at(&err, CM_BAD_INPUT, path, 0, 0, "m");
        ck_assert(strncmp(err.file, "...\xe2\x82\xac", 6) == 0);
        ck_assert_uint_gt(strlen(err.file), sizeof err.file - 4);
    }
    strcpy(path + 1190, "/tail.json");
    memset(path, 0x01, 1190); /* every byte grows fourfold */
    cm_error_at(&err, CM_BAD_INPUT, path, 0, 0, "m");
    ck_assert_str_eq(err.file + strlen(err.file) - 10, "/tail.json");
}
END_TEST

START_TEST(format_returns_the_full_length_and_always_terminates)
{
    struct cm_error err;
    char shown[8] = "zzzzzzz";
    cm_error_at(&err, CM_IO, "file", 1, 2, "message");
    ck_assert_uint_eq(cm_error_format(&err, NULL, 0), 18);
    ck_assert_uint_eq(cm_error_format(&err, shown, sizeof shown), 18);
    ck_assert_str_eq(shown, "file:1:");
    ck_assert_uint_eq(cm_error_format(&err, shown, 1), 18);
    ck_assert_str_eq(shown, "");
}
END_TEST

START_TEST(errors_without_a_place_to_put_them_still_return_their_status)
{
    ck_assert_int_eq(cm_error_set(NULL, CM_FAULT, "x"), CM_FAULT);
    ck_assert_int_eq(cm_error_at(NULL, CM_IO, "f", 1, 1, "x"), CM_IO);
    ck_assert_int_eq(cm_error_hint(NULL, "x"), CM_INTERNAL);
    cm_error_source(NULL, "x", 1);
    struct cm_error err;
    cm_error_at(&err, CM_BAD_INPUT, "f", 3, 1, "x");
    cm_error_source(&err, NULL, 0);
    cm_error_source(&err, "one\ntwo", 7); /* the text has no line 3 */
    ck_assert_str_eq(err.source, "");
    cm_error_source(&err, "one\ntwo\n", 8); /* line 3 is empty */
    ck_assert_str_eq(err.source, "");
    cm_error_source(&err, "one\n\nthree\r\n", 12);
    ck_assert_str_eq(err.source, "three");
}
END_TEST

START_TEST(statuses_have_the_exit_codes_of_the_contract)
{
    static const int codes[] = {0, 1, 2, 3, 3, 4, 5, 5, 130};
    for (int status = CM_OK; status <= CM_INTERRUPTED; status++)
        ck_assert_int_eq(cm_status_exit_code((enum cm_status)status), codes[status]);
}
END_TEST

START_TEST(a_suggestion_is_the_nearest_name_and_only_a_likely_one)
{
    static const char *const names[] = {"dimensions", "channels", "news", "send", "n", "dst"};
    static const struct {
        const char *name, *suggestion;
    } cases[] = {
        {"dimentions", "dimensions"},
        {"DIMENSIONS", "dimensions"},
        {"dimensoins", "dimensions"}, /* two neighbours exchanged */
        {"chanels", "channels"},
        {"nwes", "news"},
        {"sned", "send"},
        {"dts", "dst"},
        {"e", NULL},
        {"N", "n"},
        {"", NULL},
        {"colour", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *found = cm_suggest(cases[i].name, names, 6);
        if (cases[i].suggestion)
            ck_assert_pstr_eq(found, cases[i].suggestion);
        else
            ck_assert_ptr_null(found);
    }
    char endless[400];
    memset(endless, 'n', sizeof endless - 1);
    endless[sizeof endless - 1] = '\0';
    ck_assert_ptr_null(cm_suggest(endless, names, 6));
    ck_assert_ptr_null(cm_suggest("x", NULL, 0));
    const char *const candidates[] = {endless, "new"}; /* what is too long is not compared */
    ck_assert_pstr_eq(cm_suggest("news", candidates, 2), "new");
}
END_TEST

START_TEST(a_buffer_grows_stays_terminated_and_remembers_failure)
{
    struct cm_buffer buffer;
    cm_buffer_init(&buffer);
    ck_assert(cm_buffer_ok(&buffer));
    for (int i = 0; i < 10000; i++)
        cm_buffer_printf(&buffer, "%d,", i % 10);
    cm_buffer_append(&buffer, "\0x", 2);
    ck_assert_uint_eq(buffer.length, 20002);
    ck_assert_int_eq(buffer.data[20002], '\0');
    ck_assert_int_eq(strncmp(buffer.data + 19996, "8,9,", 4), 0);
    cm_buffer_append(&buffer, "", SIZE_MAX - 10);
    ck_assert(!cm_buffer_ok(&buffer));
    cm_buffer_append(&buffer, "more", 4);
    cm_buffer_printf(&buffer, "more");
    ck_assert(!cm_buffer_ok(&buffer));
    ck_assert_uint_eq(buffer.length, 20002);
    ck_assert_int_eq(buffer.data[20002], '\0');
    cm_buffer_finish(&buffer);
    cm_buffer_finish(&buffer);
    cm_buffer_finish(NULL);
    ck_assert_ptr_null(buffer.data);
}
END_TEST

static void expect_content(const char *path, const char *expected)
{
    char *data;
    size_t length;
    struct cm_error err = {0};
    enum cm_status status = cm_file_read(path, 1 << 20, &data, &length, &err);
    ck_assert_msg(status == CM_OK, "%s: %s", path, err.message);
    ck_assert_uint_eq(length, strlen(expected));
    ck_assert_str_eq(data, expected);
    free(data);
}

static mode_t mode_of(const char *path)
{
    struct stat about;
    ck_assert_int_eq(stat(path, &about), 0);
    return about.st_mode & 07777;
}

START_TEST(reading_stops_at_the_limit_and_names_folders_and_missing_files)
{
    struct folder folder;
    folder_create(&folder);
    const char *path = folder_path(&folder, 0, "a");
    char *data;
    size_t length;
    struct cm_error err;
    ck_assert_int_eq(cm_file_write(path, "12345", 5, &err), CM_OK);
    ck_assert_int_eq(cm_file_read(path, 5, &data, &length, &err), CM_OK);
    ck_assert_uint_eq(length, 5);
    free(data);
    ck_assert_int_eq(cm_file_read(path, 4, &data, &length, &err), CM_BAD_INPUT);
    ck_assert_str_eq(err.message, "the file is too long: at most 4 bytes can be read here");
    ck_assert_ptr_null(data);
    ck_assert_int_eq(cm_file_read("/dev/zero", 100000, &data, &length, &err), CM_BAD_INPUT);
    ck_assert_int_eq(cm_file_read(folder.path, 100, &data, &length, &err), CM_IO);
    ck_assert_str_eq(err.message, "is a folder, expected a file");
    ck_assert_int_eq(cm_file_read(folder_path(&folder, 1, "b"), 9, &data, &length, &err), CM_IO);
    ck_assert_str_eq(err.file, folder.file[1]);
    ck_assert_int_eq(cm_file_read("/proc/self/status", 1 << 20, &data, &length, &err), CM_OK);
    ck_assert_uint_gt(length, 0); /* claims a length of 0 */
    free(data);
    folder_remove(&folder);
}
END_TEST

START_TEST(standard_input_is_read_as_a_dash)
{
    int ends[2], saved = dup(STDIN_FILENO);
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(write(ends[1], "piped", 5), 5);
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    expect_content("-", "piped");
    if (saved >= 0) {
        dup2(saved, STDIN_FILENO);
        close(saved);
    }
}
END_TEST

START_TEST(a_new_file_obeys_the_umask_and_an_old_one_keeps_its_mode)
{
    struct folder folder;
    folder_create(&folder);
    const char *path = folder_path(&folder, 0, "a");
    mode_t old = umask(027);
    ck_assert_int_eq(cm_file_write(path, "one", 3, NULL), CM_OK);
    umask(old);
    ck_assert_uint_eq(mode_of(path), 0640);
    ck_assert_int_eq(chmod(path, 0604), 0);
    struct cm_file_piece pieces[] = {{"tw", 2}, {NULL, 0}, {"o!", 2}};
    ck_assert_int_eq(cm_file_write_pieces(path, pieces, 3, NULL), CM_OK);
    ck_assert_uint_eq(mode_of(path), 0604);
    expect_content(path, "two!");
    ck_assert_uint_eq(folder_entries(&folder, 0), 1);
    folder_remove(&folder);
}
END_TEST

START_TEST(a_link_stays_a_link_and_its_target_is_written)
{
    struct folder folder;
    struct stat about;
    folder_create(&folder);
    const char *target = folder_path(&folder, 0, "target");
    const char *second = folder_path(&folder, 1, "second");
    const char *first = folder_path(&folder, 2, "first");
    const char *round = folder_path(&folder, 3, "round");
    ck_assert_int_eq(symlink("target", second), 0);
    ck_assert_int_eq(symlink(second, first), 0);
    ck_assert_int_eq(symlink("round", round), 0);
    ck_assert_int_eq(cm_file_write(first, "new", 3, NULL), CM_OK); /* the target is not there yet */
    expect_content(target, "new");
    ck_assert_int_eq(cm_file_write(first, "newer", 5, NULL), CM_OK);
    expect_content(target, "newer");
    ck_assert_int_eq(lstat(first, &about), 0);
    ck_assert(S_ISLNK(about.st_mode));
    struct cm_error err;
    ck_assert_int_eq(cm_file_write(round, "x", 1, &err), CM_IO);
    ck_assert_ptr_nonnull(strstr(err.message, "Too many levels of symbolic links"));
    ck_assert_uint_eq(folder_entries(&folder, 0), 4);
    folder_remove(&folder);
}
END_TEST

START_TEST(a_failed_write_leaves_the_old_file_and_nothing_else)
{
    struct folder folder;
    folder_create(&folder);
    const char *path = folder_path(&folder, 0, "a");
    struct cm_error err;
    ck_assert_int_eq(cm_file_write(path, "old", 3, NULL), CM_OK);
    struct rlimit limit, small;
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    small = limit;
    small.rlim_cur = 1000; /* a disk that is full after 1,000 bytes */
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
    char data[5000] = {0};
    enum cm_status status = cm_file_write(path, data, sizeof data, &err);
    setrlimit(RLIMIT_FSIZE, &limit);
    signal(SIGXFSZ, handler);
    ck_assert_int_eq(status, CM_IO);
    ck_assert_str_eq(err.message, "cannot write: File too large");
    ck_assert_str_eq(err.hint, "the old file is unchanged");
    ck_assert_str_eq(err.file, path);
    expect_content(path, "old");
    ck_assert_uint_eq(folder_entries(&folder, 0), 1);
    folder_remove(&folder);
}
END_TEST

START_TEST(folders_missing_folders_and_full_devices_are_io_errors)
{
    struct folder folder;
    struct cm_error err;
    folder_create(&folder);
    ck_assert_int_eq(cm_file_write(folder.path, "x", 1, &err), CM_IO);
    ck_assert_str_eq(err.message, "is a folder, expected a file");
    ck_assert_int_eq(cm_file_write(folder_path(&folder, 0, "no/a"), "x", 1, &err), CM_IO);
    ck_assert_str_eq(err.message, "cannot create a file in its folder: No such file or directory");
    ck_assert_int_eq(cm_file_write("", "x", 1, &err), CM_IO);
    ck_assert_int_eq(cm_file_write("/dev/full", "x", 1, &err), CM_IO);
    ck_assert_str_eq(err.message, "cannot write: No space left on device");
    ck_assert_int_eq(cm_file_write("/dev/null", "x", 1, &err), CM_OK);
    ck_assert_uint_eq(folder_entries(&folder, 0), 0);
    folder_remove(&folder);
}
END_TEST

/* In a child without root's rights, since root may write everywhere. Returns what the child found
 * wrong, 0 for nothing. */
static int write_protected_child(struct folder *folder)
{
    struct cm_error err;
    if (geteuid() == 0 && setuid(65534) != 0)
        return 1;
    if (cm_file_write(folder->file[0], "new", 3, &err) != CM_IO)
        return 2;
    if (strcmp(err.message, "cannot write: Permission denied") != 0)
        return 3;
    if (cm_file_write(folder->file[1], "new", 3, &err) != CM_IO)
        return 4;
    return strstr(err.message, "Permission denied") ? 0 : 5;
}

START_TEST(write_protected_files_and_folders_are_respected)
{
    struct folder folder;
    int result;
    folder_create(&folder);
    const char *path = folder_path(&folder, 0, "a");
    folder_path(&folder, 1, "b");
    ck_assert_int_eq(cm_file_write(path, "old", 3, NULL), CM_OK);
    ck_assert_int_eq(chmod(path, 0444), 0);
    ck_assert_int_eq(chmod(folder.path, 0555), 0);
    pid_t child = fork();
    if (child == 0)
        _exit(write_protected_child(&folder));
    ck_assert_int_eq(waitpid(child, &result, 0), child);
    ck_assert_int_eq(result, 0);
    expect_content(path, "old");
    ck_assert_int_eq(chmod(folder.path, 0755), 0);
    folder_remove(&folder);
}
END_TEST

START_TEST(a_pipe_and_our_own_output_are_written_directly)
{
    struct folder folder;
    folder_create(&folder);
    const char *fifo = folder_path(&folder, 0, "fifo");
    const char *out = folder_path(&folder, 1, "out");
    char read_back[8] = "";
    ck_assert_int_eq(mkfifo(fifo, 0600), 0);
    int reader = open(fifo, O_RDONLY | O_NONBLOCK);
    ck_assert_int_eq(cm_file_write(fifo, "hello", 5, NULL), CM_OK);
    ck_assert_int_eq(read(reader, read_back, 7), 5);
    ck_assert_str_eq(read_back, "hello");
    close(reader);
    fflush(stdout);
    int saved = dup(STDOUT_FILENO), file = open(out, O_RDWR | O_CREAT, 0600);
    dup2(file, STDOUT_FILENO);
    close(file);
    enum cm_status status = write(STDOUT_FILENO, "before ", 7) == 7 ? CM_OK : CM_IO;
    if (status == CM_OK)
        status = cm_file_write("/dev/stdout", "within", 6, NULL);
    if (status == CM_OK && write(STDOUT_FILENO, " after", 6) != 6)
        status = CM_IO;
    dup2(saved, STDOUT_FILENO);
    close(saved);
    ck_assert_int_eq(status, CM_OK);
    expect_content(out, "before within after");
    folder_remove(&folder);
}
END_TEST

START_TEST(a_path_in_a_file_is_relative_to_that_file)
{
    static const char *const cases[][3] = {
        {"a/b/w.json", "x.npy", "a/b/x.npy"}, {"a/b/w.json", "../x.npy", "a/b/../x.npy"},
        {"w.json", "x.npy", "x.npy"},         {"a/w.json", "/x.npy", "/x.npy"},
        {"/w.json", "x.npy", "/x.npy"},       {"-", "x.npy", "x.npy"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *joined = cm_path_beside(cases[i][0], cases[i][1]);
        ck_assert_pstr_eq(joined, cases[i][2]);
        free(joined);
    }
}
END_TEST

static TCase *text_case(void)
{
    TCase *c = tcase_create("text");
    tcase_add_test(c, an_error_is_shown_as_place_message_source_caret_and_hint);
    tcase_add_test(c, parts_of_a_place_that_are_unknown_are_left_out);
    tcase_add_test(c, the_caret_lines_up_under_tabs_and_characters_of_any_width);
    tcase_add_test(c, a_long_line_is_cut_around_the_caret_between_characters);
    tcase_add_test(c, nothing_that_steers_a_terminal_gets_into_an_error);
    tcase_add_test(c, long_messages_and_paths_are_cut_between_characters);
    tcase_add_test(c, format_returns_the_full_length_and_always_terminates);
    tcase_add_test(c, errors_without_a_place_to_put_them_still_return_their_status);
    tcase_add_test(c, statuses_have_the_exit_codes_of_the_contract);
    tcase_add_test(c, a_suggestion_is_the_nearest_name_and_only_a_likely_one);
    tcase_add_test(c, a_buffer_grows_stays_terminated_and_remembers_failure);
    return c;
}

static TCase *files_case(void)
{
    TCase *c = tcase_create("files");
    tcase_add_test(c, reading_stops_at_the_limit_and_names_folders_and_missing_files);
    tcase_add_test(c, standard_input_is_read_as_a_dash);
    tcase_add_test(c, a_new_file_obeys_the_umask_and_an_old_one_keeps_its_mode);
    tcase_add_test(c, a_link_stays_a_link_and_its_target_is_written);
    tcase_add_test(c, a_failed_write_leaves_the_old_file_and_nothing_else);
    tcase_add_test(c, folders_missing_folders_and_full_devices_are_io_errors);
    tcase_add_test(c, write_protected_files_and_folders_are_respected);
    tcase_add_test(c, a_pipe_and_our_own_output_are_written_directly);
    tcase_add_test(c, a_path_in_a_file_is_relative_to_that_file);
    return c;
}

CM_PROGRAM(test_base_error)
{
    Suite *suite = suite_create("base_error");
    suite_add_tcase(suite, text_case());
    suite_add_tcase(suite, files_case());
    return cm_run_suite(suite);
}
