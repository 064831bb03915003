/* Shows a lesson: prints its texts, runs its commands, asks its questions, and answers a question
 * when the commands that its answer depends on have run. If a person can type, it waits at the end
 * of each page. */
#include "../base/text.h"
#include "../base/wrap.h"
#include "../report/numbers.h"
#include "../report/style.h"
#include "commands.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define PENDING_MAX 16u

/* A question that was asked, and whose answer is not yet known. */
struct pending {
    const struct cm_lesson_part *part;
    char given[CM_LESSON_LINE_BYTES]; /* the answer that the person typed. "": nothing. */
};

struct play {
    struct cm_lesson_desk desk;
    bool left; /* true once the person has left the lesson */
    struct pending pending[PENDING_MAX];
    uint32_t pending_count;
    /* last picture on this page. NULL: the page has no picture. */
    const struct cm_lesson_part *picture;
};

/* Ends the lesson because the person has left it. */
static enum cm_status leave(struct play *play)
{
    play->left = true;
    return cm_lesson_ended_by_host(&play->desk);
}

static enum cm_status print(const struct play *play, struct cm_buffer *text)
{
    return play->desk.host->print(play->desk.host->context, text)
               ? CM_OK
               : cm_lesson_ended_by_host(&play->desk);
}

/* State while a paragraph is shown: within *emphasis*, within `code`. */
struct words {
    bool emphasis, code;
};

/* Returns true if a star begins emphasis: it is followed by a word, and another star follows a word
 * of the same paragraph. The star of a multiplication has blanks on both sides, or on neither side.
 */
static bool begins_emphasis(const char *text, const char *star)
{
    const char *end = strstr(star, "\n\n"), *next = strchr(star + 1, '*');
    bool front = star == text || strchr(" \n(\"", star[-1]) != NULL;
    while (next != NULL && strchr(" \n", next[-1]) != NULL)
        next = strchr(next + 1, '*');
    return front && star[1] != ' ' && star[1] != '\n' && next != NULL && next > star + 1 &&
           (end == NULL || next < end);
}

/* Appends text without the stars of emphasis. Emphasis is bold if the terminal supports it. */
static void append_words(const struct play *play, struct words *words, const char *at,
                         const char *end, struct cm_buffer *text)
{
    const char *first = at;
    for (; at < end; at++) {
        bool star = *at == '*' && !words->code;
        if (star && words->emphasis)
            cm_buffer_printf(text, "%s", cm_style_code(play->desk.host->style, CM_CODE_RESET));
        else if (star && begins_emphasis(first, at))
            cm_buffer_printf(text, "%s", cm_style_code(play->desk.host->style, CM_CODE_BOLD));
        else
            star = false;
        words->emphasis = words->emphasis != star;
        words->code = words->code != (*at == '`');
        if (!star)
            cm_buffer_append(text, at, 1);
    }
}

/* Prints a text with bold headings. Marks of results and lines of images are left out. */
static enum cm_status show_text(const struct play *play, const char *at)
{
    struct cm_buffer text;
    struct words words = {false, false};
    cm_buffer_init(&text);
    while (*at != '\0') {
        size_t length = strcspn(at, "\n");
        const char *end = at + length;
        if (length == 0) /* an empty line ends the paragraph */
            words = (struct words){false, false};
        bool heading = strncmp(at, "## ", 3) == 0, image = strncmp(at, "![", 2) == 0;
        if (heading) {
            cm_buffer_printf(&text, "\n%s%.*s%s",
                             cm_style_code(play->desk.host->style, CM_CODE_BOLD), (int)length - 3,
                             at + 3, cm_style_code(play->desk.host->style, CM_CODE_RESET));
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
    return print(play, &text);
}

/* Returns true if the person's answer is right: the same word as the value, or a number as near to
 * it as the question requires. */
static bool is_right(const struct pending *pending, const struct cm_lesson_number *value)
{
    char near[CM_LESSON_VALUE_BYTES], plain[CM_LESSON_LINE_BYTES], *end;
    size_t length = 0;
    if (value->text[0] != '\0')
        return strcasecmp(value->text, pending->given) == 0;
    for (const char *at = pending->given; *at != '\0'; at++)
        if (*at != ',')
            plain[length++] = *at;
    plain[length] = '\0';
    double given = strtod(plain, &end);
    cm_lesson_value(pending->part, "near", 0, near);
    /* Ratios are shown with two decimals, so a typed answer may differ by half a unit of the second
     * decimal. */
    double allowed = fabs(value->number) * strtod(near, NULL) / 100;
    bool whole = value->number == floor(value->number);
    return end != plain && fabs(given - value->number) <= fmax(allowed, whole ? 0 : 0.005);
}

static enum cm_status show_answer(const struct play *play, const struct pending *pending,
                                  const struct cm_lesson_number *value)
{
    char unit[CM_LESSON_VALUE_BYTES], given[2048];
    struct cm_buffer text;
    bool known = cm_lesson_value(pending->part, "unit", 0, unit);
    cm_buffer_init(&text);
    cm_buffer_printf(&text, "%s", cm_style_code(play->desk.host->style, CM_CODE_BOLD));
    cm_text_clean(given, sizeof given, pending->given, strlen(pending->given));
    if (pending->given[0] != '\0')
        cm_buffer_printf(&text, "You expected %s; it is ", given);
    else
        cm_buffer_printf(&text, "The answer: ");
    cm_lesson_append_number(&text, value);
    cm_buffer_printf(&text, "%s%s", known ? " " : "", unit);
    if (pending->given[0] != '\0')
        cm_buffer_printf(&text, is_right(pending, value) ? ". Right." : ". Why?");
    cm_buffer_printf(&text, "%s\n", cm_style_code(play->desk.host->style, CM_CODE_RESET));
    return print(play, &text);
}

/* Prints the answers of the questions whose commands have all run. A wrong expression ends the
 * lesson after the other answers are shown. */
static enum cm_status answer(struct play *play)
{
    uint32_t kept = 0;
    enum cm_status status = CM_OK;
    const struct cm_lesson_part *wrong = NULL;
    for (uint32_t i = 0; i < play->pending_count; i++) {
        char expression[CM_LESSON_VALUE_BYTES];
        struct cm_lesson_number value;
        cm_lesson_value(play->pending[i].part, "answer", 0, expression);
        enum cm_lesson_known known = cm_lesson_evaluate(&play->desk.results, expression, &value);
        if (known == CM_LESSON_NOT_YET)
            play->pending[kept++] = play->pending[i];
        else if (known == CM_LESSON_BROKEN && wrong == NULL)
            wrong = play->pending[i].part;
        else if (known == CM_LESSON_KNOWN && status == CM_OK)
            status = show_answer(play, &play->pending[i], &value);
    }
    play->pending_count = kept;
    if (status == CM_OK && wrong != NULL)
        status = cm_lesson_broken(&play->desk, wrong, "the answer cannot be computed");
    return status;
}

static enum cm_status show_command(struct play *play, const struct cm_lesson_part *part)
{
    char line[CM_LESSON_VALUE_BYTES];
    struct cm_buffer text;
    if (!cm_lesson_command_line(part, line))
        return cm_lesson_broken(&play->desk, part, "expected \"$ \" and a command");
    cm_buffer_init(&text);
    cm_buffer_printf(&text, "\n%s$ %s%s\n", cm_style_code(play->desk.host->style, CM_CODE_BOLD),
                     line, cm_style_code(play->desk.host->style, CM_CODE_RESET));
    enum cm_status status = print(play, &text);
    if (status == CM_OK)
        status = cm_lesson_run_command(&play->desk, part, NULL, NULL);
    if (status == CM_OK && part->name[0] != '\0')
        status = cm_lesson_keep_result(&play->desk, part);
    return status == CM_OK ? answer(play) : status;
}

static enum cm_status ask(struct play *play, const struct cm_lesson_part *part)
{
    char words[CM_LESSON_VALUE_BYTES];
    struct cm_buffer text;
    struct pending *pending = &play->pending[play->pending_count];
    if (play->pending_count == PENDING_MAX)
        return cm_lesson_broken(&play->desk, part, "too many questions wait for an answer");
    play->pending_count++;
    *pending = (struct pending){.part = part};
    cm_lesson_value(part, "ask", 0, words);
    cm_buffer_init(&text);
    cm_buffer_printf(&text, "\n%s", cm_style_code(play->desk.host->style, CM_CODE_BOLD));
    cm_buffer_printf(&text, "Question: ");
    cm_text_wrap(&text, words, 10, CM_WRAP_COLUMNS);
    cm_buffer_printf(&text, "%s%s", cm_style_code(play->desk.host->style, CM_CODE_RESET),
                     play->desk.host->asks ? "Your answer: " : "\n");
    enum cm_status status = print(play, &text);
    if (status != CM_OK || !play->desk.host->asks)
        return status;
    bool is_line = play->desk.host->read_line(play->desk.host->context, pending->given);
    return is_line && strcmp(pending->given, "q") != 0 ? CM_OK : leave(play);
}

static enum cm_status show_picture(struct play *play, const struct cm_lesson_part *part)
{
    struct cm_buffer text;
    play->picture = part;
    cm_buffer_init(&text);
    cm_buffer_printf(&text, "\nPicture: %s/%s\n", play->desk.lesson->folder, part->name);
    return print(play, &text);
}

static enum cm_status show_task(const struct play *play, const struct cm_lesson_part *part)
{
    char words[CM_LESSON_VALUE_BYTES];
    struct cm_buffer text;
    cm_lesson_value(part, "ask", 0, words);
    cm_buffer_init(&text);
    cm_buffer_printf(&text, "\nTask: ");
    cm_text_wrap(&text, words, 6, CM_WRAP_COLUMNS);
    cm_buffer_printf(&text, "\nTo have it judged: cm200 lesson %s --check FILE\n",
                     play->desk.lesson->words);
    return print(play, &text);
}

/* Opens the viewer with the content of the picture: runs the picture's command without the options
 * that are only for an image. */
static enum cm_status open_viewer(const struct play *play)
{
    char line[CM_LESSON_VALUE_BYTES], *words[CM_LESSON_WORDS_MAX];
    int kept = 1;
    if (!cm_lesson_command_line(play->picture, line))
        return cm_lesson_broken(&play->desk, play->picture, "expected \"$ \" and a command");
    int count = cm_lesson_split(line, words);
    for (int i = 1; i < count; i++)
        if (strcmp(words[i], "--screenshot") == 0 || strcmp(words[i], "--size") == 0)
            i++;
        else
            words[kept++] = words[i];
    words[kept] = NULL;
    play->desk.host->view(play->desk.host->context, words);
    return CM_OK;
}

/* Waits at the end of a page until the person continues. */
static enum cm_status wait_for_reader(struct play *play)
{
    const struct cm_lesson_host *host = play->desk.host;
    char line[CM_LESSON_LINE_BYTES];
    struct cm_buffer text;
    bool viewer = host->display && play->picture != NULL;
    do {
        cm_buffer_init(&text);
        cm_buffer_printf(&text, "\n%s[Enter: go on%s, q: leave] %s",
                         cm_style_code(host->style, CM_CODE_DIM), viewer ? ", v: viewer" : "",
                         cm_style_code(host->style, CM_CODE_RESET));
        enum cm_status status = print(play, &text);
        if (status != CM_OK)
            return status;
        if (!host->read_line(host->context, line) || line[0] == 'q')
            return leave(play);
        if (viewer && line[0] == 'v')
            status = open_viewer(play);
        if (status != CM_OK)
            return status;
    } while (line[0] == 'v');
    play->picture = NULL;
    return CM_OK;
}

static enum cm_status show_part(struct play *play, const struct cm_lesson_part *part)
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

enum cm_status cm_lesson_play(const struct cm_lesson *lesson, const struct cm_lesson_host *host,
                              struct cm_error *err)
{
    struct play play = {.desk = {.lesson = lesson, .host = host, .err = err, .results.root = ""}};
    struct cm_buffer text;
    if (lesson->root[0] != '\0' && chdir(lesson->root) != 0)
        return cm_error_set(err, CM_IO, "%s cannot be entered", lesson->root);
    cm_buffer_init(&text);
    cm_buffer_printf(&text, "%sLesson %s%s\n", cm_style_code(host->style, CM_CODE_BOLD),
                     lesson->title, cm_style_code(host->style, CM_CODE_RESET));
    enum cm_status status = print(&play, &text);
    for (uint32_t i = 0; i < lesson->count && status == CM_OK; i++) {
        if (host->asks && lesson->parts[i].page)
            status = wait_for_reader(&play);
        if (status == CM_OK)
            status = show_part(&play, &lesson->parts[i]);
    }
    cm_lesson_results_finish(&play.desk.results);
    return play.left ? CM_OK : status;
}
