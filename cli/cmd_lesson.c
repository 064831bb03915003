/* cm200 lesson: lists the lessons, shows one step by step, judges a solution of its task, or marks
 * a class. */
#include "../base/file.h"
#include "../base/markup.h"
#include "../base/random.h"
#include "../base/text.h"
#include "../lesson/lesson.h"
#include "job.h"

#include <errno.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

struct lesson_values {
    struct shell_values common;
    const char *check, *mark, *csv, *seed, *slides;
    uint64_t max_cycles, max_seconds, max_output;
    bool json;
};

#define MAX_CYCLES  UINT64_C(100000000)
#define MAX_SECONDS 60
#define MAX_OUTPUT  (UINT64_C(1) << 20)
#define SEEDS_DRAWN 1000000u /* seeds that are drawn are short, so that people can type them */

static const struct shell_option options[] = {
    {"check", SHELL_INPUT, offsetof(struct lesson_values, check), .argument = "FILE",
     .help = "judge a workload or a CM Fortran program that is meant to solve the "
             "lesson's task: exit code 0 if it does, 1 if not"},
    {"json", SHELL_FLAG, offsetof(struct lesson_values, json),
     .help = "with --check: print the judgement as JSON"},
    {"mark", SHELL_STRING, offsetof(struct lesson_values, mark), .argument = "FOLDER",
     .help = "judge the solutions of a class: the folder has a file or a folder for each student"},
    {"csv", SHELL_OUTPUT, offsetof(struct lesson_values, csv), .argument = "FILE",
     .help = "with --mark: write the marks as CSV, a row for each student with name, passed, "
             "points and reason"},
    {"slides", SHELL_OUTPUT, offsetof(struct lesson_values, slides), .argument = "FILE.html",
     .help = "write the lesson as slides, or all lessons without LESSON: one page that needs no "
             "other file, with the arrow keys to go on and back"},
    {"seed", SHELL_STRING, offsetof(struct lesson_values, seed), .argument = "N",
     .help = "with --check and --mark: draw sizes and data from this number (default: another one "
             "each time, which is printed)"},
    {"max-cycles", SHELL_NUMBER, offsetof(struct lesson_values, max_cycles), .argument = "N",
     .min = 1, .max = UINT64_C(1) << 62,
     .help = "with --check and --mark: stop a solution after so many cycles (default: 100 "
             "million)"},
    {"max-seconds", SHELL_NUMBER, offsetof(struct lesson_values, max_seconds), .argument = "N",
     .min = 1, .max = 86400,
     .help = "with --check and --mark: stop a solution after so many seconds (default: 60)"},
    {"max-output", SHELL_SIZE, offsetof(struct lesson_values, max_output), .argument = "SIZE",
     .min = 1, .max = UINT64_MAX,
     .help = "with --check and --mark: stop a solution that prints more (default: 1M)"},
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
        if (errno == ENOMEM)
            cm_error_no_memory(&err);
        else
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

/* ---- the command ---- */

/* Prints why a lesson ended, unless a callback of the host has already done so. Returns the exit
 * code. */
static int end(const struct host *host, enum cm_status status, const struct cm_error *err)
{
    return host->code != 0 || status == CM_OK ? host->code : shell_error(err);
}

/* Reads the seed of --seed, or draws one. Returns false if the option is not a number. */
static bool find_seed(const char *text, uint64_t *seed)
{
    struct timespec now;
    if (text != NULL) {
        const char *rest = cm_text_number(text, seed);
        return rest != NULL && *rest == '\0';
    }
    clock_gettime(CLOCK_REALTIME, &now);
    *seed = cm_splitmix64((uint64_t)now.tv_sec ^ (uint64_t)getpid() << 40, (uint64_t)now.tv_nsec) %
            SEEDS_DRAWN;
    return true;
}

/* Returns the limits of a judgement, and its seed, from the options. */
static struct cm_lesson_judging judging_of(const struct lesson_values *values, uint64_t seed)
{
    return (struct cm_lesson_judging){
        .seed = seed,
        .max_cycles = values->max_cycles > 0 ? values->max_cycles : MAX_CYCLES,
        .max_output = values->max_output > 0 ? values->max_output : MAX_OUTPUT,
        .max_seconds = values->max_seconds > 0 ? (double)values->max_seconds : MAX_SECONDS,
    };
}

static int judge(const struct cm_lesson *lesson, const struct lesson_values *values, uint64_t seed)
{
    struct host context = {0};
    const struct cm_lesson_host host = {.context = &context, .watch = cli_watch_among};
    struct cm_lesson_judgement judgement = {.judging = judging_of(values, seed),
                                            .json = values->json};
    struct cm_error err = {0};
    cm_buffer_init(&judgement.text);
    enum cm_status status = cm_lesson_judge(lesson, values->check, &host, &judgement, &err);
    if (status != CM_OK) {
        cm_buffer_finish(&judgement.text);
        return shell_error(&err);
    }
    int code = shell_deliver(NULL, &judgement.text, CM_OK, NULL);
    return code == 0 && !judgement.passed ? cm_status_exit_code(CM_CHECK_FAILED) : code;
}

/* Marks a class. With --csv the table goes to a file, and its sums to the standard output. */
static int mark(const struct cm_lesson *lesson, const struct lesson_values *values, uint64_t seed)
{
    const struct cm_lesson_host host = {.watch = cli_watch_among};
    struct cm_lesson_class class = {.folder = values->mark,
                                    .judging = judging_of(values, seed),
                                    .csv = values->csv != NULL,
                                    .style = cli_summary_style()};
    struct cm_buffer table, text;
    struct cm_error err = {0};
    cm_buffer_init(&table);
    cm_buffer_init(&text);
    enum cm_status status = cm_lesson_mark(lesson, &host, &class, &table, &err);
    int code = shell_deliver(values->csv, &table, status, &err);
    if (code != 0)
        return code;
    cm_buffer_printf(&text, "lesson %s: %u of %u passed, seed %" PRIu64 "\n", lesson->words,
                     (unsigned)class.passed, (unsigned)class.students, seed);
    return shell_deliver(NULL, &text, CM_OK, NULL);
}

#define SLIDES_FRAME     CM_LESSON_FOLDER "/slides.html"
#define SLIDES_MAX_BYTES ((size_t)1 << 20)

/* Appends the slides of a lesson. Returns an exit code. */
static int append_slides(const struct cm_lesson *lesson, struct cm_buffer *slides)
{
    struct host context = {0};
    const struct cm_lesson_host host = {
        .context = &context, .is_command = is_command, .run = run_words};
    struct cm_error err = {0};
    return end(&context, cm_lesson_slides(lesson, &host, slides, &err), &err);
}

/* Puts a title and slides into the places of the frame. */
static enum cm_status fill_frame(const char *frame, const char *title,
                                 const struct cm_buffer *slides, struct cm_buffer *text,
                                 struct cm_error *err)
{
    static const char title_place[] = "<!--@title@-->", slides_place[] = "<!--@slides@-->";
    const char *first = strstr(frame, title_place);
    const char *second = first != NULL ? strstr(first, slides_place) : NULL;
    if (second == NULL)
        return cm_error_set(err, CM_BAD_INPUT, "%s has no place for slides", SLIDES_FRAME);
    cm_buffer_append(text, frame, (size_t)(first - frame));
    cm_markup_append(text, title, strlen(title));
    first += sizeof title_place - 1;
    cm_buffer_append(text, first, (size_t)(second - first));
    if (slides->length > 0)
        cm_buffer_append(text, slides->data, slides->length);
    cm_buffer_printf(text, "%s", second + sizeof slides_place - 1);
    return CM_OK;
}

/* Writes slides within the frame as a page. Returns an exit code. */
static int write_slides(const char *path, const char *title, const struct cm_buffer *slides)
{
    char frame_path[CM_LESSON_PATH_BYTES];
    char *frame = NULL;
    size_t length;
    struct cm_buffer text;
    struct cm_error err = {0};
    enum cm_status status = CM_OK;
    cm_buffer_init(&text);
    if (cli_data_path(SLIDES_FRAME, frame_path, sizeof frame_path) == NULL)
        status =
            cm_error_set(&err, CM_IO, "%s is neither here nor next to the program", SLIDES_FRAME);
    if (status == CM_OK)
        status = cm_file_read(frame_path, SLIDES_MAX_BYTES, &frame, &length, &err);
    if (status == CM_OK)
        status = fill_frame(frame, title, slides, &text, &err);
    free(frame);
    return shell_deliver(path, &text, status, &err);
}

/* Writes the slides of one lesson, or of all lessons in `folder` if `lesson` is NULL. */
static int make_slides(const struct cm_lesson *lesson, const char *folder, const char *path)
{
    struct cm_buffer slides;
    struct cm_error err = {0};
    int code = 0;
    cm_buffer_init(&slides);
    if (lesson != NULL)
        code = append_slides(lesson, &slides);
    for (uint32_t number = 1; lesson == NULL && code == 0 && number < 100; number++) {
        struct cm_lesson each;
        enum cm_status status = cm_lesson_read(folder, number, &each, &err);
        if (status == CM_OK)
            code = append_slides(&each, &slides);
        else if (status != CM_USAGE) /* CM_USAGE: there is no lesson of this number */
            code = shell_error(&err);
        cm_lesson_finish(&each);
    }
    if (code == 0)
        code = write_slides(path, lesson != NULL ? lesson->title : "Lessons", &slides);
    cm_buffer_finish(&slides);
    return code;
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

/* Lists the lessons of a folder, or writes all of them as slides. `given` is NULL for the lessons
 * of the project. */
static int show_all(const char *given, const char *slides)
{
    char folder[CM_LESSON_PATH_BYTES];
    struct cm_buffer text;
    struct cm_error err = {0};
    enum cm_status status = CM_OK;
    if (given != NULL)
        snprintf(folder, sizeof folder, "%s", given);
    else
        status = find_folder(folder, &err);
    if (status == CM_OK && slides != NULL)
        return make_slides(NULL, folder, slides);
    cm_buffer_init(&text);
    if (status == CM_OK)
        status = cm_lesson_list(folder, &text, &err);
    return shell_deliver(NULL, &text, status, &err);
}

/* Reads a lesson's number. Returns false if the text is not a number from 1 to 99. */
static bool read_number(const char *text, uint64_t *number)
{
    const char *end_of_number = cm_text_number(text, number);
    return end_of_number != NULL && *end_of_number == '\0' && *number > 0 && *number <= 99;
}

/* Returns true if the operand is a path: it names a file or a folder, and is not a number. */
static bool is_path(const char *text)
{
    uint64_t number;
    const char *rest = cm_text_number(text, &number);
    return (rest == NULL || *rest != '\0') && access(text, F_OK) == 0;
}

/* Reads the lesson that the operands name: a number, a lesson's file or folder, or a folder of
 * lessons and a number. */
static int read_lesson(const struct shell_list *operands, struct cm_lesson *lesson)
{
    struct cm_error err = {0};
    char folder[CM_LESSON_PATH_BYTES];
    uint64_t number = 0;
    enum cm_status status = CM_OK;
    bool own = is_path(operands->items[0]);
    const char *number_text = operands->items[operands->count - 1];
    if (own && operands->count == 1) {
        status = cm_lesson_read_own(operands->items[0], lesson, &err);
        return status == CM_OK ? 0 : shell_error(&err);
    }
    if (!read_number(number_text, &number) || (!own && operands->count > 1))
        return shell_usage("lesson",
                           "\"%s\" is not the number of a lesson; cm200 lesson lists them",
                           shell_shown(number_text).text);
    if (own)
        snprintf(folder, sizeof folder, "%s", operands->items[0]);
    else
        status = find_folder(folder, &err);
    if (status == CM_OK)
        status = cm_lesson_read(folder, (uint32_t)number, lesson, &err);
    return status == CM_OK ? 0 : shell_error(&err);
}

/* Refuses options that need other options. Returns an exit code. */
static int check_options(const struct lesson_values *values)
{
    const bool judges = values->check != NULL || values->mark != NULL;
    const bool limited =
        values->max_cycles > 0 || values->max_seconds > 0 || values->max_output > 0;
    if ((values->check != NULL) + (values->mark != NULL) + (values->slides != NULL) > 1)
        return shell_usage("lesson", "--check, --mark and --slides cannot be combined");
    if (values->json && values->check == NULL)
        return shell_usage("lesson", "--json needs --check FILE");
    if (values->csv != NULL && values->mark == NULL)
        return shell_usage("lesson", "--csv needs --mark FOLDER");
    if ((values->seed != NULL || limited) && !judges)
        return shell_usage("lesson", "--%s needs --check FILE or --mark FOLDER",
                           values->seed != NULL      ? "seed"
                           : values->max_cycles > 0  ? "max-cycles"
                           : values->max_seconds > 0 ? "max-seconds"
                                                     : "max-output");
    return 0;
}

static int run(const void *all)
{
    const struct lesson_values *values = all;
    const struct shell_list *operands = &values->common.operands;
    const bool judges = values->check != NULL || values->mark != NULL;
    struct cm_lesson lesson = {0};
    uint64_t seed = 0;
    int code = check_options(values);
    if (code != 0)
        return code;
    if (operands->count == 0 && judges)
        return shell_usage("lesson", "--%s needs the number of a lesson",
                           values->check != NULL ? "check" : "mark");
    if (operands->count == 0 || (operands->count == 1 && is_path(operands->items[0]) &&
                                 cm_lesson_is_collection(operands->items[0])))
        return show_all(operands->count == 0 ? NULL : operands->items[0], values->slides);
    if (!find_seed(values->seed, &seed))
        return shell_usage("lesson", "--seed %s: expected a number",
                           shell_shown(values->seed).text);
    code = read_lesson(operands, &lesson);
    if (code == 0)
        code = values->check != NULL    ? judge(&lesson, values, seed)
               : values->mark != NULL   ? mark(&lesson, values, seed)
               : values->slides != NULL ? make_slides(&lesson, NULL, values->slides)
                                        : play(&lesson);
    cm_lesson_finish(&lesson);
    return code;
}

const struct cli_command cli_command_lesson = {
    .syntax = {.command = "lesson",
               .operands = "[LESSON [N]]",
               .operands_max = 2,
               .sets = {SHELL_SET(options, 0)}},
    .summary = "learn: lessons of 10 to 15 minutes, with questions, runs and tasks",
    .about =
        "Without an operand, lists the lessons. LESSON is the number of one, or the file lesson.md "
        "or the folder of a lesson of your own, or a folder of such lessons, in which N is the "
        "number of one. Goes through the lesson, page by page on a terminal: asks what you expect, "
        "runs the commands, and shows what you expected and what it is. Enter goes on, v opens the "
        "viewer on the page's picture, q leaves, also as an answer.\n\n"
        "--check judges your solution of the lesson's task on the lesson's machine: the right "
        "results for numbers and sizes that are drawn from a seed, and the work within the limits "
        "of the task. --mark judges a class, in a process for each student. --slides writes slides "
        "for a lecture. The lessons are in docs/lessons, to read and to change.",
    .examples = "  cm200 lesson\n"
                "  cm200 lesson 3\n"
                "  cm200 lesson 3 --check mine.json\n"
                "  cm200 lesson 3 --mark class --csv marks.csv\n"
                "  cm200 lesson 3 --slides slides.html\n"
                "  cm200 lesson mine/lesson.md\n",
    .values_size = sizeof(struct lesson_values),
    .run = run,
};
