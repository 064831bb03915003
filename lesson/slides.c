/*
 * Writes a lesson as slides: sections of HTML, from the same lesson.md that people go through.
 *
 * A heading begins a slide, and a slide that is full is continued on the next one. A question has a
 * slide of its own. Commands are run, so that a slide shows what they print, and the answer to a
 * question follows them. An answer is shown by a further key press.
 */
#include "../base/markup.h"
#include "commands.h"
#include "markdown.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROWS_MAX    15u /* rows of a slide, below its heading */
#define OUTPUT_ROWS 14u /* rows that are shown of the output of a command */
#define PENDING_MAX 16u

struct slides {
    struct cm_lesson_desk desk;
    struct cm_buffer *out;
    struct cm_buffer heading; /* heading of the present page, as HTML */
    bool open;                /* true if a slide has begun */
    uint32_t rows;            /* rows of the slide that are taken */
    /* questions whose answers are not yet known */
    const struct cm_lesson_part *pending[PENDING_MAX];
    uint32_t pending_count;
};

/* Appends a buffer. If an allocation of the buffer has failed, the target fails, too. */
static void append(struct cm_buffer *out, const struct cm_buffer *more)
{
    if (more->length > 0)
        cm_buffer_append(out, more->data, more->length);
    out->failed = out->failed || more->failed;
}

static void end_slide(struct slides *slides)
{
    if (slides->open)
        cm_buffer_printf(slides->out, "</section>\n");
    slides->open = false;
}

static void begin_slide(struct slides *slides, const char *class)
{
    end_slide(slides);
    cm_buffer_printf(slides->out, "<section class=\"%s\">\n<h2>%s</h2>\n", class,
                     slides->heading.length > 0 ? slides->heading.data : "");
    slides->open = true;
    slides->rows = 0;
}

/* Adds a block to the present slide, or to a new one if the slide is full. */
static void add_block(struct slides *slides, const struct cm_buffer *html, uint32_t rows)
{
    if (!slides->open || (slides->rows > 0 && slides->rows + rows > ROWS_MAX))
        begin_slide(slides, "page");
    append(slides->out, html);
    slides->rows += rows + 1;
}

static void set_heading(struct slides *slides, const struct cm_buffer *html)
{
    end_slide(slides);
    slides->heading.length = 0;
    append(&slides->heading, html);
}

static enum cm_status add_text(struct slides *slides, const struct cm_lesson_part *part)
{
    const char *at = part->text;
    bool found = true;
    enum cm_status status = CM_OK;
    while (status == CM_OK && found) {
        struct cm_markdown_block block;
        status =
            cm_markdown_next(&at, slides->desk.lesson->folder, &block, &found, slides->desk.err);
        if (status == CM_OK && found && block.is_heading)
            set_heading(slides, &block.html);
        else if (status == CM_OK && found)
            add_block(slides, &block.html, block.rows);
        cm_buffer_finish(&block.html);
    }
    return status;
}

/* ---- questions and commands ---- */

/* Adds the answers to questions that the last command has answered. The text behind them begins on
 * a new slide, because it may give an answer away. */
static enum cm_status add_answers(struct slides *slides)
{
    uint32_t kept = 0;
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; i < slides->pending_count; i++) {
        const struct cm_lesson_part *part = slides->pending[i];
        char expression[CM_LESSON_VALUE_BYTES], unit[CM_LESSON_VALUE_BYTES];
        struct cm_lesson_number value;
        struct cm_buffer html, number;
        cm_lesson_value(part, "answer", 0, expression);
        enum cm_lesson_known known = cm_lesson_evaluate(&slides->desk.results, expression, &value);
        if (known == CM_LESSON_NOT_YET)
            slides->pending[kept++] = part;
        else if (known == CM_LESSON_BROKEN && status == CM_OK)
            status = cm_lesson_broken(&slides->desk, part, "the answer cannot be computed");
        if (known != CM_LESSON_KNOWN)
            continue;
        cm_buffer_init(&html);
        cm_buffer_init(&number);
        cm_lesson_append_number(&number, &value);
        cm_buffer_printf(&html, "<p class=\"step answer\">");
        html.failed = html.failed || number.failed;
        if (number.length > 0)
            cm_markup_append(&html, number.data, number.length);
        if (cm_lesson_value(part, "unit", 0, unit)) {
            cm_buffer_append(&html, " ", 1);
            cm_markdown_words(&html, unit, strlen(unit));
        }
        cm_buffer_printf(&html, "</p>\n");
        add_block(slides, &html, 1);
        cm_buffer_finish(&number);
        cm_buffer_finish(&html);
    }
    if (kept < slides->pending_count)
        end_slide(slides);
    slides->pending_count = kept;
    return status;
}

static enum cm_status add_question(struct slides *slides, const struct cm_lesson_part *part)
{
    char ask[CM_LESSON_VALUE_BYTES];
    if (slides->pending_count == PENDING_MAX)
        return cm_lesson_broken(&slides->desk, part, "too many questions wait for an answer");
    slides->pending[slides->pending_count++] = part;
    cm_lesson_value(part, "ask", 0, ask);
    begin_slide(slides, "question");
    cm_buffer_printf(slides->out, "<p class=\"ask\">");
    cm_markdown_words(slides->out, ask, strlen(ask));
    cm_buffer_printf(slides->out, "</p>\n");
    end_slide(slides);
    return CM_OK;
}

/* Appends the first lines of a text, and "..." for the further ones. Returns the number of lines.
 */
static uint32_t append_lines(struct cm_buffer *html, const char *text)
{
    uint32_t rows = 0;
    text += strspn(text, "\n");
    while (*text != '\0' && rows < OUTPUT_ROWS) {
        size_t length = strcspn(text, "\n");
        cm_markup_append(html, text, length);
        cm_buffer_append(html, "\n", 1);
        text += length + (text[length] != '\0');
        rows++;
    }
    if (*text != '\0')
        cm_buffer_printf(html, "...\n");
    return rows + (*text != '\0');
}

/* Returns true if a lesson quotes lines of the output, other than "...". */
static bool has_lines(const char *quoted)
{
    for (const char *at = quoted; at != NULL && *at != '\0'; at = strchr(at, '\n')) {
        at += *at == '\n';
        size_t length = strcspn(at, "\n");
        if (length > 0 && (length != 3 || strncmp(at, "...", 3) != 0))
            return true;
    }
    return false;
}

static enum cm_status add_command(struct slides *slides, const struct cm_lesson_part *part)
{
    char line[CM_LESSON_VALUE_BYTES];
    struct cm_buffer html, output;
    const char *quoted = strchr(part->text, '\n');
    if (!cm_lesson_command_line(part, line))
        return cm_lesson_broken(&slides->desk, part, "expected \"$ \" and a command");
    cm_buffer_init(&html);
    cm_buffer_init(&output);
    enum cm_status status = cm_lesson_run_command(&slides->desk, part, NULL, &output);
    if (status == CM_OK && part->name[0] != '\0')
        status = cm_lesson_keep_result(&slides->desk, part);
    cm_buffer_printf(&html, "<pre class=\"command\"><b>$ ");
    cm_markup_append(&html, line, strlen(line));
    cm_buffer_printf(&html, "</b>\n");
    html.failed = html.failed || output.failed;
    const char *printed = output.length > 0 ? output.data : "";
    uint32_t rows = append_lines(&html, has_lines(quoted) ? quoted : printed);
    cm_buffer_printf(&html, "</pre>\n");
    if (status == CM_OK)
        add_block(slides, &html, rows + 1);
    cm_buffer_finish(&output);
    cm_buffer_finish(&html);
    return status == CM_OK ? add_answers(slides) : status;
}

static enum cm_status add_task(struct slides *slides, const struct cm_lesson_part *part)
{
    char value[CM_LESSON_VALUE_BYTES];
    bool pointed = cm_lesson_value(part, "points", 0, value);
    end_slide(slides);
    slides->heading.length = 0;
    cm_buffer_printf(&slides->heading, "Exercise, %.10g points",
                     pointed ? strtod(value, NULL) : CM_LESSON_POINTS);
    begin_slide(slides, "task");
    cm_lesson_value(part, "ask", 0, value);
    cm_buffer_printf(slides->out, "<p class=\"ask\">");
    cm_markdown_words(slides->out, value, strlen(value));
    cm_buffer_printf(slides->out, "</p>\n<ul>\n");
    for (uint32_t i = 0; cm_lesson_value(part, "limit", i, value); i++) {
        cm_buffer_printf(slides->out, "<li><code>");
        cm_markup_append(slides->out, value + (value[0] == '/'), strlen(value) - (value[0] == '/'));
        cm_buffer_printf(slides->out, "</code></li>\n");
    }
    cm_buffer_printf(slides->out, "</ul>\n<pre>cm200 lesson ");
    cm_markup_append(slides->out, slides->desk.lesson->words, strlen(slides->desk.lesson->words));
    cm_buffer_printf(slides->out, " --check FILE</pre>\n");
    end_slide(slides);
    return CM_OK;
}

static enum cm_status add_part(struct slides *slides, const struct cm_lesson_part *part)
{
    switch (part->kind) {
    case CM_LESSON_COMMAND:
        return add_command(slides, part);
    case CM_LESSON_QUESTION:
        return add_question(slides, part);
    case CM_LESSON_TASK:
        return add_task(slides, part);
    case CM_LESSON_PICTURE: /* the image follows in the text */
        return CM_OK;
    default:
        return add_text(slides, part);
    }
}

static enum cm_status add_parts(struct slides *slides)
{
    const struct cm_lesson *lesson = slides->desk.lesson;
    enum cm_status status = CM_OK;
    cm_buffer_printf(slides->out, "<section class=\"title\">\n<h1>");
    cm_markdown_words(slides->out, lesson->title, strlen(lesson->title));
    cm_buffer_printf(slides->out, "</h1>\n");
    slides->open = true;
    for (uint32_t i = 0; i < lesson->count && status == CM_OK; i++)
        status = add_part(slides, &lesson->parts[i]);
    end_slide(slides);
    return status;
}

enum cm_status cm_lesson_slides(const struct cm_lesson *lesson, const struct cm_lesson_host *host,
                                struct cm_buffer *html, struct cm_error *err)
{
    struct slides slides = {
        .desk = {.lesson = lesson, .host = host, .err = err, .results.root = ""}, .out = html};
    int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    char folder[CM_LESSON_PATH_BYTES];
    struct cm_lesson inside = *lesson;
    if (here < 0 || (lesson->root[0] != '\0' && chdir(lesson->root) != 0)) {
        if (here >= 0)
            close(here);
        return cm_error_set(err, CM_IO, "%s cannot be entered", lesson->root);
    }
    /* The lesson's folder, seen from its root. */
    size_t length = strlen(lesson->root);
    bool below = strncmp(lesson->folder, lesson->root, length) == 0;
    snprintf(folder, sizeof folder, "%s", below ? lesson->folder + length : ".");
    snprintf(inside.folder, sizeof inside.folder, "%s", folder);
    slides.desk.lesson = &inside;
    enum cm_status status = add_parts(&slides);
    if (status == CM_OK && (!cm_buffer_ok(html) || !cm_buffer_ok(&slides.heading)))
        status = cm_error_no_memory(err);
    cm_lesson_results_finish(&slides.desk.results);
    cm_buffer_finish(&slides.heading);
    if (fchdir(here) != 0 && status == CM_OK)
        status = cm_error_set(err, CM_IO, "the current folder cannot be entered");
    close(here);
    return status;
}
