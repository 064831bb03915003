/* Reads the lines of a program's files, one after the other (lines.h). Classifies each line as a
 * comment, a directive, the first line of a statement, a continuation line, or an INCLUDE line,
 * which opens another file. */
#include "lines.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define INCLUDE_DEPTH 16u
#define INCLUDES_MAX  1000u
#define CODE_COLUMN   7u /* first column of a statement in fixed form */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\f';
}

static uint32_t skip_blanks(const struct cm_physical_line *line, uint32_t at)
{
    while (at < line->length && is_blank(line->text[at]))
        at++;
    return at;
}

static bool begins_with(const struct cm_physical_line *line, uint32_t at, const char *word)
{
    size_t length = strlen(word);
    return line->length - at >= length && strncasecmp(line->text + at, word, length) == 0;
}

static struct cm_source_place place_at(const struct cm_physical_line *line, uint32_t at)
{
    struct cm_source_place place = line->place;
    place.column += at;
    return place;
}

void cm_lines_init(struct cm_lines *lines, struct cm_source *source, struct cm_messages *messages)
{
    *lines = (struct cm_lines){.source = source, .messages = messages};
    struct cm_open_file file = {.line = 1,
                                .is_fixed = !cm_source_is_fortran_90(cm_source_name(source, 0))};
    lines->failed = !cm_list_push(&lines->open, file);
}

void cm_lines_finish(struct cm_lines *lines)
{
    for (uint32_t i = 0; i < lines->macros.count; i++) {
        free(lines->macros.items[i].name);
        free(lines->macros.items[i].text);
    }
    cm_list_finish(&lines->macros);
    cm_list_finish(&lines->open);
    cm_list_finish(&lines->conditions);
}

/* Returns whether a file is being read already, so that it would include itself. */
static bool is_open(const struct cm_lines *lines, uint32_t file)
{
    for (uint32_t i = 0; i < lines->open.count; i++)
        if (strcmp(cm_source_name(lines->source, lines->open.items[i].file),
                   cm_source_name(lines->source, file)) == 0)
            return true;
    return false;
}

void cm_lines_include(struct cm_lines *lines, struct cm_source_place place, const char *path,
                      size_t length)
{
    struct cm_error err = {0};
    char name[512];
    uint32_t file;
    if (length == 0 || length >= sizeof name || memchr(path, '\0', length)) {
        cm_messages_add(lines->messages, place, "this is not the name of a file");
        return;
    }
    memcpy(name, path, length);
    name[length] = '\0';
    if (lines->open.count == INCLUDE_DEPTH || lines->included == INCLUDES_MAX) {
        cm_messages_add(lines->messages, place, "files include each other too often");
        cm_messages_hint(lines->messages, "at most %u may be open, and %u included in all",
                         INCLUDE_DEPTH, INCLUDES_MAX);
        return;
    }
    enum cm_status status = cm_source_include(lines->source, place.file, name, &file, &err);
    if (status == CM_NO_MEMORY) {
        lines->failed = true;
    } else if (status != CM_OK) {
        cm_messages_add(lines->messages, place, "cannot include %s: %s", name, err.message);
    } else if (is_open(lines, file)) {
        cm_messages_add(lines->messages, place, "%s includes itself", name);
    } else {
        struct cm_open_file opened = {.file = file,
                                      .line = 1,
                                      .is_fixed = lines->open.items[lines->open.count - 1].is_fixed,
                                      .conditions = lines->conditions.count};
        lines->included++;
        if (!cm_list_push(&lines->open, opened))
            lines->failed = true;
    }
}

/* Closes the innermost open file. Reports an #if without #endif in this file. */
static void close_file(struct cm_lines *lines)
{
    const struct cm_open_file *file = &lines->open.items[lines->open.count - 1];
    while (lines->conditions.count > file->conditions) {
        lines->conditions.count--;
        cm_messages_add(lines->messages, lines->conditions.items[lines->conditions.count].place,
                        "this condition has no #endif");
    }
    lines->open.count--;
}

/* Takes the next line of the innermost open file, or of the file that included it. Returns false at
 * the end of the program. */
static bool take_line(struct cm_lines *lines, struct cm_physical_line *line)
{
    while (lines->open.count > 0 && !lines->failed) {
        struct cm_open_file *file = &lines->open.items[lines->open.count - 1];
        size_t length;
        const char *text = cm_source_text(lines->source, file->file, &length);
        if (file->at >= length) {
            close_file(lines);
            continue;
        }
        const char *end = memchr(text + file->at, '\n', length - file->at);
        size_t bytes = end ? (size_t)(end - text) - file->at : length - file->at;
        *line = (struct cm_physical_line){.text = text + file->at,
                                          .length = (uint32_t)bytes,
                                          .place = {file->file, file->line, 1},
                                          .is_fixed = file->is_fixed};
        if (bytes > 0 && line->text[bytes - 1] == '\r')
            line->length--;
        file->at += bytes + 1;
        file->line++;
        return true;
    }
    return false;
}

/*
 * Returns whether the line is a directive: CMF$ from column 1 in fixed form, or !CMF$ in either
 * form. CMF without the $ may begin a comment ("CMF compiles this well"), so a blank and the name
 * of a directive must follow.
 */
static bool find_directive(const struct cm_lines *lines, struct cm_physical_line *line)
{
    static const char *const names[] = {"layout", "align", "common"};
    uint32_t at = line->is_fixed ? 0 : skip_blanks(line, 0);
    if (at < line->length && line->text[at] == '!')
        at = at + 1;
    else if (!line->is_fixed)
        return false;
    if (!begins_with(line, at, "cmf") && !(line->is_fixed && begins_with(line, at, "*mf")))
        return false;
    at += 3;
    line->body = at;
    if (at < line->length && line->text[at] == '$') {
        line->body = at + 1;
        return true;
    }
    if (lines->is_directing)
        return true;
    uint32_t word = skip_blanks(line, at);
    if (word == at)
        return false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (begins_with(line, word, names[i]))
            return true;
    return false;
}

/* Returns whether the line has a D in column 1, and a label or nothing in columns 2 to 5. VAX
 * Fortran compiles such lines for debugging only. */
static bool is_debug_line(const struct cm_physical_line *line)
{
    if (tolower((unsigned char)line->text[0]) != 'd')
        return false;
    for (uint32_t at = 1; at < line->length && at < CODE_COLUMN - 2; at++) {
        if (line->text[at] == '\t')
            return true;
        if (line->text[at] != ' ' && !isdigit((unsigned char)line->text[at]))
            return false;
    }
    return line->length > 1;
}

static bool is_comment(const struct cm_physical_line *line)
{
    uint32_t first = skip_blanks(line, 0);
    if (first == line->length)
        return true;
    if (!line->is_fixed)
        return line->text[first] == '!';
    return memchr("Cc*!", line->text[0], 4) != NULL || is_debug_line(line) ||
           (line->text[first] == '!' && first != 5);
}

/*
 * Finds the text behind columns 1 to 6 of fixed form, and whether the line continues a statement. A
 * tab in these columns leads to column 7. A digit from 1 to 9 behind the tab marks a continuation
 * line.
 */
static void find_body(struct cm_physical_line *line)
{
    uint32_t at = 0;
    while (at < line->length && at < CODE_COLUMN - 2 && line->text[at] != '\t')
        at++;
    if (at < line->length && line->text[at] == '\t') {
        at++;
        line->is_continuation = at < line->length && line->text[at] >= '1' && line->text[at] <= '9';
        line->body = at + line->is_continuation;
        return;
    }
    line->is_continuation = at < line->length && line->text[at] != ' ' && line->text[at] != '0';
    line->body = at < line->length ? at + 1 : at;
}

/* Executes a line INCLUDE 'name', which opens a file. Returns false for another line. */
static bool include(struct cm_lines *lines, const struct cm_physical_line *line)
{
    uint32_t at = skip_blanks(line, line->is_fixed ? line->body : 0);
    if (!begins_with(line, at, "include"))
        return false;
    at = skip_blanks(line, at + 7);
    if (at == line->length || (line->text[at] != '\'' && line->text[at] != '"'))
        return false;
    const char *start = line->text + at + 1;
    const char *end = memchr(start, line->text[at], line->length - at - 1);
    uint32_t rest = end ? skip_blanks(line, (uint32_t)(end - line->text) + 1) : 0;
    if (!end)
        cm_messages_add(lines->messages, place_at(line, at), "the name has no closing quote");
    else if (rest < line->length && line->text[rest] != '!')
        cm_messages_add(lines->messages, place_at(line, rest),
                        "nothing may follow the name of an included file");
    else
        cm_lines_include(lines, place_at(line, at), start, (size_t)(end - start));
    return true;
}

bool cm_physical_next(struct cm_lines *lines, struct cm_physical_line *line)
{
    while (take_line(lines, line)) {
        if (line->length > 0 && line->text[0] == '#') {
            cm_preprocess(lines, line);
            continue;
        }
        if (cm_preprocess_skips(lines))
            continue;
        line->is_directive = find_directive(lines, line);
        if (line->is_directive)
            return true;
        if (is_comment(line))
            continue;
        if (line->is_fixed)
            find_body(line);
        if (line->is_continuation || lines->is_joining || !include(lines, line))
            return true;
    }
    return false;
}
