/* Writes the Markdown of lessons as HTML. docs/lessons/README.md has the format. */
#include "markdown.h"

#include "../base/file.h"
#include "../base/markup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PICTURE_MAX_BYTES ((size_t)4 << 20)
#define COLUMNS           88u /* characters of a row of text */
#define PICTURE_ROWS      12u
#define PATH_BYTES        2048u

/* ---- words ---- */

/* Returns the end of the text between a pair of marks, such as `*` or "`", whose first mark is at
 * `at`. NULL: there is no second mark. */
static const char *closing(const char *at, const char *end, const char *mark)
{
    size_t length = strlen(mark);
    const char *from = at + length;
    const char *found = from < end ? memmem(from, (size_t)(end - from), mark, length) : NULL;
    bool blank = from >= end || *from == ' ' || *from == '\n';
    return found != NULL && found > from && !blank ? found : NULL;
}

/* Appends text between two marks as an element. Code is not looked at, other text is. Returns the
 * text behind the marks. NULL: there is no second mark. */
static const char *put_element(struct cm_buffer *out, const char *at, const char *end,
                               const char *mark, const char *element)
{
    size_t length = strlen(mark);
    const char *close = closing(at, end, mark);
    if (close == NULL)
        return NULL;
    cm_buffer_printf(out, "<%s>", element);
    if (*mark == '`')
        cm_markup_append(out, at + length, (size_t)(close - at) - length);
    else
        cm_markdown_words(out, at + length, (size_t)(close - at) - length);
    cm_buffer_printf(out, "</%s>", element);
    return close + length;
}

/* Appends the words of a link, without the link. Returns the text behind it. NULL: this is not a
 * link. */
static const char *put_link(struct cm_buffer *out, const char *at, const char *end)
{
    const char *middle = memmem(at, (size_t)(end - at), "](", 2);
    const char *close = middle != NULL ? memchr(middle, ')', (size_t)(end - middle)) : NULL;
    const char *other = memchr(at + 1, '[', (size_t)(end - at - 1));
    if (close == NULL || (other != NULL && other < middle))
        return NULL;
    cm_markdown_words(out, at + 1, (size_t)(middle - at) - 1);
    return close + 1;
}

/* Returns the text behind a mark of a result. NULL: there is no mark. */
static const char *skip_mark(const char *at, const char *end)
{
    if (end - at < 4 || memcmp(at, "<!--", 4) != 0)
        return NULL;
    const char *close = memmem(at, (size_t)(end - at), "-->", 3);
    return close != NULL ? close + 3 : NULL;
}

void cm_markdown_words(struct cm_buffer *out, const char *text, size_t length)
{
    const char *at = text, *end = text + length;
    while (at < end) {
        const char *next = skip_mark(at, end);
        bool begins = at == text || strchr(" \n(\"", at[-1]) != NULL;
        if (next == NULL && *at == '`')
            next = put_element(out, at, end, "`", "code");
        else if (next == NULL && begins && end - at > 1 && memcmp(at, "**", 2) == 0)
            next = put_element(out, at, end, "**", "strong");
        else if (next == NULL && begins && *at == '*')
            next = put_element(out, at, end, "*", "em");
        else if (next == NULL && *at == '[')
            next = put_link(out, at, end);
        if (next == NULL)
            cm_markup_append(out, at, 1);
        at = next != NULL ? next : at + 1;
    }
}

/* ---- blocks ---- */

static const char *line_end(const char *at)
{
    return at + strcspn(at, "\n");
}

static const char *next_line(const char *at)
{
    const char *end = line_end(at);
    return *end != '\0' ? end + 1 : end;
}

static bool begins_with(const char *at, const char *start)
{
    return strncmp(at, start, strlen(start)) == 0;
}

/* Returns true if a line ends the paragraph or the item before it. */
static bool begins_block(const char *at)
{
    return *at == '\0' || *at == '\n' || *at == '|' || begins_with(at, "* ") ||
           begins_with(at, "```") || begins_with(at, "## ") || begins_with(at, "![");
}

/* Appends a picture as an element that contains the file. */
static enum cm_status put_picture(const char *line, const char *folder, struct cm_buffer *out,
                                  struct cm_error *err)
{
    char path[PATH_BYTES];
    char *data = NULL;
    size_t length = 0;
    const char *end = line_end(line);
    const char *middle = memmem(line, (size_t)(end - line), "](", 2);
    const char *close = middle != NULL ? memchr(middle, ')', (size_t)(end - middle)) : NULL;
    if (close == NULL)
        return CM_OK;
    snprintf(path, sizeof path, "%.1000s/%.*s", folder, (int)(close - middle) - 2, middle + 2);
    enum cm_status status = cm_file_read(path, PICTURE_MAX_BYTES, &data, &length, err);
    if (status != CM_OK)
        return status;
    cm_buffer_printf(out, "<img alt=\"");
    cm_markup_append(out, line + 2, (size_t)(middle - line) - 2);
    cm_buffer_printf(out, "\" src=\"data:image/png;base64,");
    cm_markup_append_base64(out, data, length);
    cm_buffer_printf(out, "\">\n");
    free(data);
    return CM_OK;
}

/* Appends the cells of a row of a table. */
static void put_row(const char *at, const char *element, struct cm_buffer *out)
{
    const char *end = line_end(at);
    cm_buffer_printf(out, "<tr>");
    for (const char *cell = at + 1; cell < end;) {
        const char *close = memchr(cell, '|', (size_t)(end - cell));
        size_t length = (size_t)((close != NULL ? close : end) - cell);
        size_t first = strspn(cell, " ");
        first = first < length ? first : length;
        while (length > first && cell[length - 1] == ' ')
            length--;
        cm_buffer_printf(out, "<%s>", element);
        cm_markdown_words(out, cell + first, length - first);
        cm_buffer_printf(out, "</%s>", element);
        cell = close != NULL ? close + 1 : end;
    }
    cm_buffer_printf(out, "</tr>\n");
}

static const char *put_table(const char *at, struct cm_markdown_block *block)
{
    bool first = true;
    cm_buffer_printf(&block->html, "<table>\n");
    for (; *at == '|'; at = next_line(at)) {
        if (begins_with(at, "|-") || begins_with(at, "|:"))
            continue;
        put_row(at, first ? "th" : "td", &block->html);
        first = false;
        block->rows++;
    }
    cm_buffer_printf(&block->html, "</table>\n");
    return at;
}

/* Appends code: lines between fences, or indented by four blanks. */
static const char *put_code(const char *at, struct cm_markdown_block *block)
{
    bool fenced = begins_with(at, "```");
    at = fenced ? next_line(at) : at;
    cm_buffer_printf(&block->html, "<pre>");
    while (*at != '\0' && (fenced ? !begins_with(at, "```") : begins_with(at, "    "))) {
        const char *from = fenced ? at : at + 4;
        cm_markup_append(&block->html, from, (size_t)(line_end(from) - from));
        cm_buffer_append(&block->html, "\n", 1);
        block->rows++;
        at = next_line(at);
    }
    cm_buffer_printf(&block->html, "</pre>\n");
    return fenced && *at != '\0' ? next_line(at) : at;
}

/* Appends lines up to the next block as the words of an element. */
static const char *put_lines(const char *at, const char *element, struct cm_markdown_block *block)
{
    const char *end = at;
    do
        end = next_line(end);
    while (!begins_block(end));
    size_t length = (size_t)(end - at), before = block->html.length;
    cm_buffer_printf(&block->html, "<%s>", element);
    cm_markdown_words(&block->html, at, length > 0 && end[-1] == '\n' ? length - 1 : length);
    block->rows += (uint32_t)((block->html.length - before) / COLUMNS) + 1;
    cm_buffer_printf(&block->html, "</%s>\n", element);
    return end;
}

static const char *put_list(const char *at, struct cm_markdown_block *block)
{
    cm_buffer_printf(&block->html, "<ul>\n");
    while (begins_with(at, "* "))
        at = put_lines(at + 2, "li", block);
    cm_buffer_printf(&block->html, "</ul>\n");
    return at;
}

enum cm_status cm_markdown_next(const char **at, const char *folder,
                                struct cm_markdown_block *block, bool *found, struct cm_error *err)
{
    const char *text = *at + strspn(*at, "\n");
    enum cm_status status = CM_OK;
    *block = (struct cm_markdown_block){0};
    *found = *text != '\0';
    if (begins_with(text, "## ")) {
        block->is_heading = true;
        cm_markdown_words(&block->html, text + 3, (size_t)(line_end(text) - text) - 3);
        *at = next_line(text);
    } else if (begins_with(text, "![")) {
        block->rows = PICTURE_ROWS;
        status = put_picture(text, folder, &block->html, err);
        *at = next_line(text);
    } else if (*text == '|') {
        *at = put_table(text, block);
    } else if (begins_with(text, "```") || begins_with(text, "    ")) {
        *at = put_code(text, block);
    } else if (begins_with(text, "* ")) {
        *at = put_list(text, block);
    } else if (*found) {
        *at = put_lines(text, "p", block);
    }
    return status;
}
