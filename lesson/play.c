/* A lesson on the standard output: page by page on a terminal, as a whole elsewhere. */
#include "../base/wrap.h"
#include "../report/numbers.h"
#include "../report/style.h"
#include "lesson.h"

#include <inttypes.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define WORDS_MAX   64u
#define PENDING_MAX 16u
#define LINE_BYTES  256u
#define LEAVE       (-1) /* q, or the end of the input: not an error */

extern char **environ;

/* A question whose answer is not known yet. */
struct pending {
    const struct cm_lesson_part *part;
    char given[LINE_BYTES]; /* "": nothing */
};

struct play {
    const struct cm_lesson *lesson;
    struct cm_lesson_results results;
    struct pending pending[PENDING_MAX];
    uint32_t pending_count;
    unsigned style;
    bool asks;                            /* somebody can answer */
    const struct cm_lesson_part *picture; /* the last one of this page */
};

static int print(struct cm_buffer *text)
{
    return shell_deliver(NULL, text, CM_OK, NULL);
}

/* A line of the terminal, without its end; false at the end of the input. */
static bool read_line(char line[LINE_BYTES])
{
    size_t length = 0;
    char c = '\0';
    while (read(STDIN_FILENO, &c, 1) == 1 && c != '\n')
        if (length + 1 < LINE_BYTES)
            line[length++] = c;
    line[length] = '\0';
    return c == '\n';
}

/* Where a text is: within *emphasis*, within `code`. */
struct words {
    bool emphasis, code;
};

/* Whether a star begins emphasis: in front of a word, with another star behind a word before the
 * paragraph ends. A product has blanks around its star, or none. */
static bool begins_emphasis(const char *text, const char *star)
{
    const char *end = strstr(star, "\n\n"), *next = strchr(star + 1, '*');
    bool front = star == text || strchr(" \n(\"", star[-1]) != NULL;
    while (next != NULL && strchr(" \n", next[-1]) != NULL)
        next = strchr(next + 1, '*');
    return front && star[1] != ' ' && star[1] != '\n' && next != NULL && next > star + 1 &&
           (end == NULL || next < end);
}

/* Words with their emphasis in bold where the terminal has that, and without its stars. */
static void append_words(const struct play *play, struct words *words, const char *at,
                         const char *end, struct cm_buffer *text)
{
    const char *first = at;
    for (; at < end; at++) {
        bool star = *at == '*' && !words->code;
        if (star && words->emphasis)
            cm_buffer_printf(text, "%s", cm_style_code(play->style, CM_CODE_RESET));
        else if (star && begins_emphasis(first, at))
            cm_buffer_printf(text, "%s", cm_style_code(play->style, CM_CODE_BOLD));
        else
            star = false;
        words->emphasis = words->emphasis != star;
        words->code = words->code != (*at == '`');
        if (!star)
            cm_buffer_append(text, at, 1);
    }
}

/* The text without marks of results, headings bold, without the lines of images. */
static int show_text(const struct play *play, const char *at)
{
    struct cm_buffer text;
    struct words words = {false, false};
    cm_buffer_init(&text);
    while (*at != '\0') {
        size_t length = strcspn(at, "\n");
        const char *end = at + length;
        if (length == 0) /* a paragraph ends */
            words = (struct words){false, false};
        bool heading = strncmp(at, "## ", 3) == 0, image = strncmp(at, "![", 2) == 0;
        if (heading) {
            cm_buffer_printf(&text, "\n%s%.*s%s", cm_style_code(play->style, CM_CODE_BOLD),
                             (int)length - 3, at + 3, cm_style_code(play->style, CM_CODE_RESET));
            at = end;
        }
        while (at < end && !image) {
            const char *mark = memmem(at, (size_t)(end - at), "<!--", 4);
            const char *close = mark != NULL ? memmem(mark, (size_t)(end - mark), "-->", 3) : NULL;
            append_words(play, &words, at, close != NULL ? mark : end, &text);
            at = close != NULL ? close + 3 : end;
        }
        if (!image)
            cm_buffer_append(&text, "\n", 1);
        at = *end != '\0' ? end + 1 : end;
    }
    return print(&text);
}

/* "cm200 run x.json" as words, in `line`, which is changed. */
static int split(char *line, char *words[WORDS_MAX])
{
    int count = 0;
    char *state = NULL;
    for (char *word = strtok_r(line, " ", &state); word != NULL && count + 2 < (int)WORDS_MAX;
         word = strtok_r(NULL, " ", &state))
        words[count++] = word;
    words[count] = NULL;
    return count;
}

/* The command of a part: its first line, behind "$ ". */
static bool command_line(const struct cm_lesson_part *part, char line[CM_LESSON_VALUE_BYTES])
{
    size_t length = strcspn(part->text, "\n");
    if (strncmp(part->text, "$ ", 2) != 0 || length - 2 >= CM_LESSON_VALUE_BYTES)
        return false;
    snprintf(line, CM_LESSON_VALUE_BYTES, "%.*s", (int)length - 2, part->text + 2);
    return true;
}

static int broken(const struct play *play, const struct cm_lesson_part *part, const char *what)
{
    struct cm_error err = {0};
    cm_error_at(&err, CM_BAD_INPUT, play->lesson->path, part->line, 1, "%s", what);
    return shell_error(&err);
}

/* Runs a command of the part, with `more`, if any, as its last word. */
static int run_command(const struct play *play, const struct cm_lesson_part *part, const char *more)
{
    char line[CM_LESSON_VALUE_BYTES], last[16], *words[WORDS_MAX];
    if (!command_line(part, line))
        return broken(play, part, "expected \"$ \" and a command");
    int count = split(line, words);
    const struct cli_command *command = count > 1 ? cli_command_named(words[1]) : NULL;
    if (command == NULL || strcmp(words[0], "cm200") != 0)
        return broken(play, part, "the command is not one of cm200");
    if (more != NULL) {
        snprintf(last, sizeof last, "%s", more);
        words[count++] = last;
        words[count] = NULL;
    }
    return cli_command_start(command, count - 2, words + 2);
}

/* Reads all of a file that was written from here. */
static enum cm_status read_back(int fd, struct cm_buffer *text)
{
    char bytes[4096];
    ssize_t n;
    if (lseek(fd, 0, SEEK_SET) < 0)
        return CM_IO;
    while ((n = read(fd, bytes, sizeof bytes)) > 0)
        cm_buffer_append(text, bytes, (size_t)n);
    return n < 0 ? CM_IO : CM_OK;
}

/* Runs it with the standard output in a file, which then is in `text`. */
static int run_captured(const struct play *play, const struct cm_lesson_part *part,
                        struct cm_buffer *text)
{
    struct cm_error err = {0};
    FILE *file = tmpfile();
    int out = file != NULL ? dup(STDOUT_FILENO) : -1;
    int code = 0;
    if (out < 0 || dup2(fileno(file), STDOUT_FILENO) < 0) {
        cm_error_set(&err, CM_IO, "a temporary file cannot be made");
        code = shell_error(&err);
    } else {
        code = run_command(play, part, "--json");
        if (dup2(out, STDOUT_FILENO) < 0 || read_back(fileno(file), text) != CM_OK) {
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

/* Keeps the JSON result of a command that has a name. */
static int keep_result(struct play *play, const struct cm_lesson_part *part)
{
    struct cm_buffer text;
    struct cm_error err = {0};
    struct cm_lesson_results *results = &play->results;
    cm_buffer_init(&text);
    if (results->count == sizeof results->items / sizeof *results->items)
        return broken(play, part, "too many named commands");
    int code = run_captured(play, part, &text);
    if (code == 0 && !cm_buffer_ok(&text))
        code = shell_no_memory();
    if (code == 0) {
        struct cm_json_document *document = NULL;
        enum cm_status status = cm_json_parse(part->name, text.data, text.length, &document, &err);
        if (status == CM_OK) {
            results->items[results->count].name = part->name;
            results->items[results->count++].document = document;
        } else {
            code = shell_error(&err);
        }
    }
    cm_buffer_finish(&text);
    return code;
}

static void append_number(struct cm_buffer *text, const struct cm_lesson_number *value)
{
    if (value->text[0] != '\0')
        cm_buffer_printf(text, "%s", value->text);
    else if (value->number == floor(value->number))
        cm_buffer_printf(text, "%.0f", value->number);
    else
        cm_buffer_printf(text, "%.2f", value->number);
}

/* Whether an answer is right: the word, or a number that is as near as the question asks. */
static bool is_right(const struct pending *pending, const struct cm_lesson_number *value)
{
    char near[CM_LESSON_VALUE_BYTES], plain[LINE_BYTES], *end;
    size_t length = 0;
    if (value->text[0] != '\0')
        return strcasecmp(value->text, pending->given) == 0;
    for (const char *at = pending->given; *at != '\0'; at++)
        if (*at != ',')
            plain[length++] = *at;
    plain[length] = '\0';
    double given = strtod(plain, &end);
    cm_lesson_value(pending->part, "near", 0, near);
    /* Half a unit of the second decimal, which is what is shown of a ratio. */
    double allowed = fabs(value->number) * strtod(near, NULL) / 100;
    bool whole = value->number == floor(value->number);
    return end != plain && fabs(given - value->number) <= fmax(allowed, whole ? 0 : 0.005);
}

static int show_answer(const struct play *play, const struct pending *pending,
                       const struct cm_lesson_number *value)
{
    char unit[CM_LESSON_VALUE_BYTES];
    struct cm_buffer text;
    bool known = cm_lesson_value(pending->part, "unit", 0, unit);
    cm_buffer_init(&text);
    cm_buffer_printf(&text, "%s", cm_style_code(play->style, CM_CODE_BOLD));
    if (pending->given[0] != '\0')
        cm_buffer_printf(&text, "You expected %s; it is ", shell_shown(pending->given).text);
    else
        cm_buffer_printf(&text, "The answer: ");
    append_number(&text, value);
    cm_buffer_printf(&text, "%s%s", known ? " " : "", unit);
    if (pending->given[0] != '\0')
        cm_buffer_printf(&text, is_right(pending, value) ? ". Right." : ". Why?");
    cm_buffer_printf(&text, "%s\n", cm_style_code(play->style, CM_CODE_RESET));
    return print(&text);
}

/* Answers the questions whose commands have all run. */
static int answer(struct play *play)
{
    uint32_t kept = 0;
    int code = 0;
    for (uint32_t i = 0; i < play->pending_count; i++) {
        char expression[CM_LESSON_VALUE_BYTES];
        struct cm_lesson_number value;
        cm_lesson_value(play->pending[i].part, "answer", 0, expression);
        switch (cm_lesson_evaluate(&play->results, expression, &value)) {
        case CM_LESSON_KNOWN:
            code = shell_first_of(code, show_answer(play, &play->pending[i], &value));
            break;
        case CM_LESSON_NOT_YET:
            play->pending[kept++] = play->pending[i];
            break;
        default:
            code = shell_first_of(
                code, broken(play, play->pending[i].part, "the answer cannot be computed"));
        }
    }
    play->pending_count = kept;
    return code;
}

static int show_command(struct play *play, const struct cm_lesson_part *part)
{
    char line[CM_LESSON_VALUE_BYTES];
    struct cm_buffer text;
    if (!command_line(part, line))
        return broken(play, part, "expected \"$ \" and a command");
    cm_buffer_init(&text);
    cm_buffer_printf(&text, "\n%s$ %s%s\n", cm_style_code(play->style, CM_CODE_BOLD), line,
                     cm_style_code(play->style, CM_CODE_RESET));
    int code = print(&text);
    if (code == 0)
        code = run_command(play, part, NULL);
    if (code == 0 && part->name[0] != '\0')
        code = keep_result(play, part);
    return code == 0 ? answer(play) : code;
}

static int ask(struct play *play, const struct cm_lesson_part *part)
{
    char words[CM_LESSON_VALUE_BYTES];
    struct cm_buffer text;
    struct pending *pending = &play->pending[play->pending_count];
    if (play->pending_count == PENDING_MAX)
        return broken(play, part, "too many questions wait for an answer");
    play->pending_count++;
    *pending = (struct pending){.part = part};
    cm_lesson_value(part, "ask", 0, words);
    cm_buffer_init(&text);
    cm_buffer_printf(&text, "\n%s", cm_style_code(play->style, CM_CODE_BOLD));
    cm_buffer_printf(&text, "Question: ");
    cm_text_wrap(&text, words, 10);
    cm_buffer_printf(&text, "%s%s", cm_style_code(play->style, CM_CODE_RESET),
                     play->asks ? "Your answer: " : "\n");
    int code = print(&text);
    if (code != 0 || !play->asks)
        return code;
    return read_line(pending->given) ? 0 : LEAVE;
}

static int show_picture(struct play *play, const struct cm_lesson_part *part)
{
    struct cm_buffer text;
    play->picture = part;
    cm_buffer_init(&text);
    cm_buffer_printf(&text, "\nPicture: %s/%s\n", play->lesson->folder, part->name);
    return print(&text);
}

static int show_task(const struct play *play, const struct cm_lesson_part *part)
{
    char words[CM_LESSON_VALUE_BYTES];
    struct cm_buffer text;
    cm_lesson_value(part, "ask", 0, words);
    cm_buffer_init(&text);
    cm_buffer_printf(&text, "\nTask: ");
    cm_text_wrap(&text, words, 6);
    cm_buffer_printf(&text, "\nTo have it judged: cm200 lesson %" PRIu32 " --check FILE\n",
                     play->lesson->number);
    return print(&text);
}

/* Opens a window with what the picture shows, and does not wait for it. */
static int open_viewer(const struct play *play)
{
    char line[CM_LESSON_VALUE_BYTES], program[CM_LESSON_PATH_BYTES], *words[WORDS_MAX];
    struct cm_error err = {0};
    pid_t child;
    int kept = 1;
    if (!command_line(play->picture, line))
        return broken(play, play->picture, "expected \"$ \" and a command");
    int count = split(line, words);
    for (int i = 1; i < count; i++)
        if (strcmp(words[i], "--screenshot") == 0 || strcmp(words[i], "--size") == 0)
            i++;
        else
            words[kept++] = words[i];
    words[kept] = NULL;
    const char *path = cli_program_path("cm200-view", program, sizeof program);
    if (path != NULL && posix_spawn(&child, path, NULL, NULL, words, environ) == 0)
        return 0;
    cm_error_set(&err, CM_IO, "cm200-view is not next to cm200, or cannot be started");
    shell_error(&err);
    return 0;
}

/* At the end of a page. */
static int wait_for_reader(struct play *play)
{
    char line[LINE_BYTES];
    struct cm_buffer text;
    bool display = getenv("DISPLAY") != NULL || getenv("WAYLAND_DISPLAY") != NULL;
    bool viewer = display && play->picture != NULL;
    do {
        cm_buffer_init(&text);
        cm_buffer_printf(&text, "\n%s[Enter: go on%s, q: leave] %s",
                         cm_style_code(play->style, CM_CODE_DIM), viewer ? ", v: viewer" : "",
                         cm_style_code(play->style, CM_CODE_RESET));
        int code = print(&text);
        if (code != 0)
            return code;
        if (!read_line(line) || line[0] == 'q')
            return LEAVE;
        if (viewer && line[0] == 'v')
            code = open_viewer(play);
        if (code != 0)
            return code;
    } while (line[0] == 'v');
    play->picture = NULL;
    return 0;
}

static int show_part(struct play *play, const struct cm_lesson_part *part)
{
    switch (part->kind) {
    case CM_LESSON_COMMAND:
        return show_command(play, part);
    case CM_LESSON_QUESTION:
        return ask(play, part);
    case CM_LESSON_PICTURE:
        return show_picture(play, part);
    case CM_LESSON_TASK:
        return show_task(play, part);
    default:
        return show_text(play, part->text);
    }
}

int cm_lesson_play(const struct cm_lesson *lesson)
{
    struct play play = {.lesson = lesson,
                        .results.root = "",
                        .style = cli_summary_style(),
                        .asks = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)};
    struct cm_buffer text;
    struct cm_error err = {0};
    if (lesson->root[0] != '\0' && chdir(lesson->root) != 0) {
        cm_error_set(&err, CM_IO, "%s cannot be entered", lesson->root);
        return shell_error(&err);
    }
    cm_buffer_init(&text);
    cm_buffer_printf(&text, "%sLesson %s%s\n", cm_style_code(play.style, CM_CODE_BOLD),
                     lesson->title, cm_style_code(play.style, CM_CODE_RESET));
    int code = print(&text);
    for (uint32_t i = 0; i < lesson->count && code == 0; i++) {
        if (play.asks && lesson->parts[i].page)
            code = wait_for_reader(&play);
        if (code == 0)
            code = show_part(&play, &lesson->parts[i]);
    }
    lesson_results_finish(&play.results);
    return code == LEAVE ? 0 : code;
}
