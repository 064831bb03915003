/* Runs the commands of a lesson, and keeps their results. */
#include "commands.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum cm_status cm_lesson_ended_by_host(const struct cm_lesson_desk *desk)
{
    return cm_error_set(desk->err, CM_INTERRUPTED, "interrupted");
}

enum cm_status cm_lesson_broken(const struct cm_lesson_desk *desk,
                                const struct cm_lesson_part *part, const char *what)
{
    return cm_error_at(desk->err, CM_BAD_INPUT, desk->lesson->path, part->line, 1, "%s", what);
}

int cm_lesson_split(char *line, char *words[CM_LESSON_WORDS_MAX])
{
    int count = 0;
    char *state = NULL;
    for (char *word = strtok_r(line, " ", &state);
         word != NULL && count + 2 < (int)CM_LESSON_WORDS_MAX; word = strtok_r(NULL, " ", &state))
        words[count++] = word;
    words[count] = NULL;
    return count;
}

bool cm_lesson_command_line(const struct cm_lesson_part *part, char line[CM_LESSON_VALUE_BYTES])
{
    size_t length = strcspn(part->text, "\n");
    if (strncmp(part->text, "$ ", 2) != 0 || length - 2 >= CM_LESSON_VALUE_BYTES)
        return false;
    snprintf(line, CM_LESSON_VALUE_BYTES, "%.*s", (int)length - 2, part->text + 2);
    return true;
}

enum cm_status cm_lesson_run_command(const struct cm_lesson_desk *desk,
                                     const struct cm_lesson_part *part, const char *more,
                                     struct cm_buffer *output)
{
    const struct cm_lesson_host *host = desk->host;
    char line[CM_LESSON_VALUE_BYTES], last[16], *words[CM_LESSON_WORDS_MAX];
    if (!cm_lesson_command_line(part, line))
        return cm_lesson_broken(desk, part, "expected \"$ \" and a command");
    int count = cm_lesson_split(line, words);
    if (count < 2 || !host->is_command(host->context, words[1]) || strcmp(words[0], "cm200") != 0)
        return cm_lesson_broken(desk, part, "the command is not one of cm200");
    if (more != NULL) {
        snprintf(last, sizeof last, "%s", more);
        words[count++] = last;
        words[count] = NULL;
    }
    return host->run(host->context, count - 1, words + 1, output) ? CM_OK
                                                                  : cm_lesson_ended_by_host(desk);
}

enum cm_status cm_lesson_keep_result(struct cm_lesson_desk *desk, const struct cm_lesson_part *part)
{
    struct cm_buffer text;
    struct cm_lesson_results *results = &desk->results;
    struct cm_json_document *document = NULL;
    if (results->count == sizeof results->items / sizeof *results->items)
        return cm_lesson_broken(desk, part, "too many named commands");
    cm_buffer_init(&text);
    enum cm_status status = cm_lesson_run_command(desk, part, "--json", &text);
    if (status == CM_OK && !cm_buffer_ok(&text))
        status = cm_error_no_memory(desk->err);
    if (status == CM_OK)
        status = cm_json_parse(part->name, text.data, text.length, &document, desk->err);
    if (status == CM_OK) {
        results->items[results->count].name = part->name;
        results->items[results->count++].document = document;
    }
    cm_buffer_finish(&text);
    return status;
}

void cm_lesson_append_number(struct cm_buffer *text, const struct cm_lesson_number *value)
{
    if (value->text[0] != '\0')
        cm_buffer_printf(text, "%s", value->text);
    else if (value->number == floor(value->number))
        cm_buffer_printf(text, "%.0f", value->number);
    else
        cm_buffer_printf(text, "%.2f", value->number);
}
