/* cm200 lesson: lists the lessons, shows one step by step, or judges a solution of its task. */
#include "../base/text.h"
#include "../lesson/lesson.h"
#include "job.h"
#include "program/program.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

struct lesson_values {
    struct shell_values common;
    const char *check;
    bool json;
};

static const struct shell_option options[] = {
    {"check", SHELL_INPUT, offsetof(struct lesson_values, check), .argument = "FILE",
     .help = "judge a workload or a CM Fortran program that is meant to solve the "
             "lesson's task: exit code 0 if it does, 1 if not"},
    {"json", SHELL_FLAG, offsetof(struct lesson_values, json),
     .help = "with --check: print the judgement as JSON"},
};

/* ---- the host of a lesson ---- */

/* Context of the callbacks in struct cm_lesson_host. */
struct host {
    int code; /* exit code of the callback that failed. 0: no callback has failed. */
};

static bool print(void *context, struct cm_buffer *text)
{
    struct host *host = context;
    host->code = shell_deliver(NULL, text, CM_OK, NULL);
    return host->code == 0;
}

/* Reads a line of the terminal, byte by byte, so that a command that is run next can read the lines
 * after it. */
static bool read_line(void *context, char line[CM_LESSON_LINE_BYTES])
{
    size_t length = 0;
    char c = '\0';
    (void)context;
    while (read(STDIN_FILENO, &c, 1) == 1 && c != '\n')
        if (length + 1 < CM_LESSON_LINE_BYTES)
            line[length++] = c;
    line[length] = '\0';
    return c == '\n';
}

static bool is_command(void *context, const char *name)
{
    (void)context;
    return cli_command_named(name) != NULL;
}

/* Reads a file from its beginning. The file was written through the same descriptor. */
static enum cm_status read_back(int fd, struct cm_buffer *text)
{
    char bytes[4096];
    ssize_t n;
    if (lseek(fd, 0, SEEK_SET) < 0)
        return CM_IO;
    while ((n = read(fd, bytes, sizeof bytes)) > 0 || (n < 0 && errno == EINTR))
        cm_buffer_append(text, bytes, n > 0 ? (size_t)n : 0);
    return n < 0 ? CM_IO : CM_OK;
}

/* Runs a command while the standard output is redirected to a temporary file, and reads the output
 * from that file. */
static int run_captured(const struct cli_command *command, int count, char **words,
                        struct cm_buffer *output)
{
    struct cm_error err = {0};
    FILE *file = tmpfile();
    int out = file != NULL ? dup(STDOUT_FILENO) : -1;
    int code = 0;
    if (out < 0 || dup2(fileno(file), STDOUT_FILENO) < 0) {
        cm_error_set(&err, CM_IO, "a temporary file cannot be made");
        code = shell_error(&err);
    } else {
        code = cli_command_start(command, count, words);
        if (dup2(out, STDOUT_FILENO) < 0 || read_back(fileno(file), output) != CM_OK) {
            cm_error_set(&err, CM_IO, "a temporary file cannot be read");
            code = shell_first_of(code, shell_error(&err));
        }
    }
    if (out >= 0)
        close(out);
    if (file != NULL)
        fclose(file);
    return code;
}

static bool run_words(void *context, int count, char **words, struct cm_buffer *output)
{
    struct host *host = context;
    const struct cli_command *command = cli_command_named(words[0]);
    host->code = output != NULL ? run_captured(command, count - 1, words + 1, output)
                                : cli_command_start(command, count - 1, words + 1);
    return host->code == 0;
}

static void view(void *context, char **words)
{
    char program[CM_LESSON_PATH_BYTES];
    struct cm_error err = {0};
    pid_t child;
    const char *path = cli_program_path("cm200-view", program, sizeof program);
    (void)context;
    if (path != NULL && posix_spawn(&child, path, NULL, NULL, words, environ) == 0)
        return;
    cm_error_set(&err, CM_IO, "cm200-view is not next to cm200, or cannot be started");
    shell_error(&err);
}

static bool read_program(void *context, const char *path, uint64_t level,
                         struct cm_workload **workload)
{
    struct host *host = context;
    const struct cli_program_values values = {.level = level};
    host->code = cli_read_program(path, &values, workload);
    return host->code == 0;
}

/* ---- the command ---- */

/* Prints why a lesson ended, unless a callback of the host has already done so. Returns the exit
 * code. */
static int end(const struct host *host, enum cm_status status, const struct cm_error *err)
{
    return host->code != 0 || status == CM_OK ? host->code : shell_error(err);
}

static int judge(const struct cm_lesson *lesson, const struct lesson_values *values)
{
    struct host context = {0};
    const struct cm_lesson_host host = {
        .context = &context, .read_program = read_program, .watch = cli_watch_among};
    struct cm_lesson_judgement judgement = {.json = values->json};
    struct cm_error err = {0};
    cm_buffer_init(&judgement.text);
    enum cm_status status = cm_lesson_judge(lesson, values->check, &host, &judgement, &err);
    int code = end(&context, status, &err);
    if (code != 0) {
        cm_buffer_finish(&judgement.text);
        return code;
    }
    code = shell_deliver(NULL, &judgement.text, CM_OK, NULL);
    return code == 0 && !judgement.passed ? cm_status_exit_code(CM_CHECK_FAILED) : code;
}

static int play(const struct cm_lesson *lesson)
{
    struct host context = {0};
    const struct cm_lesson_host host = {
        .context = &context,
        .style = cli_summary_style(),
        .asks = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO),
        .display = getenv("DISPLAY") != NULL || getenv("WAYLAND_DISPLAY") != NULL,
        .print = print,
        .read_line = read_line,
        .is_command = is_command,
        .run = run_words,
        .view = view,
    };
    struct cm_error err = {0};
    return end(&context, cm_lesson_play(lesson, &host, &err), &err);
}

/* Finds the folder with the files of the lessons. */
static enum cm_status find_folder(char folder[CM_LESSON_PATH_BYTES], struct cm_error *err)
{
    if (cli_data_path(CM_LESSON_FOLDER "/README.md", folder, CM_LESSON_PATH_BYTES) == NULL) {
        cm_error_set(err, CM_IO,
                     "the lessons are neither in ./" CM_LESSON_FOLDER " nor next to the program");
        return cm_error_hint(err, "install cm200, or run it in the folder of its README");
    }
    *strrchr(folder, '/') = '\0';
    return CM_OK;
}

static int list(void)
{
    char folder[CM_LESSON_PATH_BYTES];
    struct cm_buffer text;
    struct cm_error err = {0};
    cm_buffer_init(&text);
    enum cm_status status = find_folder(folder, &err);
    if (status == CM_OK)
        status = cm_lesson_list(folder, &text, &err);
    return shell_deliver(NULL, &text, status, &err);
}

static int run(const void *all)
{
    const struct lesson_values *values = all;
    const struct shell_list *operands = &values->common.operands;
    struct cm_lesson lesson = {0};
    struct cm_error err = {0};
    char folder[CM_LESSON_PATH_BYTES];
    uint64_t number = 0;
    if (operands->count == 0 && values->check == NULL && !values->json)
        return list();
    if (operands->count == 0)
        return shell_usage("lesson", "--%s needs the number of a lesson",
                           values->check != NULL ? "check" : "json");
    if (values->json && values->check == NULL)
        return shell_usage("lesson", "--json needs --check FILE");
    const char *end_of_number = cm_text_number(operands->items[0], &number);
    if (end_of_number == NULL || *end_of_number != '\0' || number == 0 || number > 99)
        return shell_usage("lesson",
                           "\"%s\" is not the number of a lesson; cm200 lesson lists them",
                           operands->items[0]);
    enum cm_status status = find_folder(folder, &err);
    if (status == CM_OK)
        status = cm_lesson_read(folder, (uint32_t)number, &lesson, &err);
    int code = status != CM_OK         ? shell_error(&err)
               : values->check != NULL ? judge(&lesson, values)
                                       : play(&lesson);
    cm_lesson_finish(&lesson);
    return code;
}

const struct cli_command cli_command_lesson = {
    .syntax = {.command = "lesson",
               .operands = "[N]",
               .operands_max = 1,
               .sets = {SHELL_SET(options, 0)}},
    .summary = "learn: lessons of 10 to 15 minutes, with questions, runs and tasks",
    .about =
        "Without a number, lists the lessons. With one, goes through that lesson, page by page on "
        "a terminal: asks what you expect, runs the commands, and shows what you expected and "
        "what it is. Enter goes on, v opens the viewer on the page's picture, q leaves. --check "
        "judges your solution of the lesson's task on the lesson's machine: the right data, and "
        "no more cycles or exchanges than the task allows. The lessons are in docs/lessons, to "
        "read and to change.",
    .examples = "  cm200 lesson\n"
                "  cm200 lesson 3\n"
                "  cm200 lesson 3 --check mine.json\n"
                "  for f in class/*.json; do cm200 lesson 3 --check \"$f\" --json; done\n",
    .values_size = sizeof(struct lesson_values),
    .run = run,
};
