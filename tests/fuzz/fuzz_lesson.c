/*
 * Any text as a lesson. The lesson is listed, read, and gone through twice: by a person, whose
 * answers are the lines of the input behind a line of '='s, and without one. Every command of the
 * lesson gives the same result. The lesson ends well, or with a message that names its file. Then
 * it is written as slides, in which every slide that begins ends.
 */
#include "folder.h"
#include "lesson/lesson.h"
#include "lines.h"
#include "target.h"

#define INPUT_MAX 32768u
#define FOLDER    "docs/lessons"

static const char result[] =
    "{\"format\": \"cm200-result/1\", \"cycles\": 120, \"exchanges\": 3, \"name\": \"small\",\n"
    "\"cycles_by_cause\": {\"load\": 20, \"exchange\": 90.5}, \"nodes\": [0, 1, 3, 2],\n"
    "\"steps\": [{\"op\": \"cshift\", \"cycles\": 110, \"checked\": true, \"none\": null}]}\n";

struct person {
    struct lines lines;
};

static bool print(void *context, struct cm_buffer *text)
{
    (void)context;
    require(cm_buffer_ok(text));
    cm_buffer_finish(text);
    return true;
}

static bool read_line(void *context, char line[CM_LESSON_LINE_BYTES])
{
    struct person *person = context;
    const char *next = lines_next(&person->lines);
    snprintf(line, CM_LESSON_LINE_BYTES, "%s", next != NULL ? next : "");
    return next != NULL;
}

static bool is_command(void *context, const char *name)
{
    (void)context;
    return strcmp(name, "fail") != 0;
}

static bool run(void *context, int count, char **words, struct cm_buffer *output)
{
    (void)context;
    require(count > 0 && words[count] == NULL);
    for (int i = 0; i < count; i++)
        require(words[i][0] != '\0');
    if (output != NULL)
        cm_buffer_append(output, result, sizeof result - 1);
    return strcmp(words[0], "interrupt") != 0;
}

static void view(void *context, char **words)
{
    (void)context;
    for (int i = 0; words[i] != NULL; i++)
        require(words[i][0] != '\0');
}

static void play(const struct cm_lesson *lesson, struct person *person, bool asks)
{
    const struct cm_lesson_host host = {.context = person,
                                        .asks = asks,
                                        .display = true,
                                        .print = print,
                                        .read_line = read_line,
                                        .is_command = is_command,
                                        .run = run,
                                        .view = view};
    struct cm_error err = {0};
    enum cm_status status = cm_lesson_play(lesson, &host, &err);
    if (status == CM_OK)
        return;
    require(err.status == status && err.message[0] != '\0' && status != CM_NO_MEMORY);
    require(status != CM_BAD_INPUT || err.file[0] != '\0');
}

static uint32_t count_of(const struct cm_buffer *text, const char *word)
{
    uint32_t count = 0;
    const char *at = text->length > 0 ? strstr(text->data, word) : NULL;
    for (; at != NULL; at = strstr(at + 1, word))
        count++;
    return count;
}

static void write_slides(const struct cm_lesson *lesson)
{
    const struct cm_lesson_host host = {.is_command = is_command, .run = run};
    struct cm_error err = {0};
    struct cm_buffer html;
    cm_buffer_init(&html);
    enum cm_status status = cm_lesson_slides(lesson, &host, &html, &err);
    require(status == CM_OK || (err.status == status && err.message[0] != '\0'));
    if (status == CM_OK)
        require(count_of(&html, "<section") == count_of(&html, "</section>"));
    cm_buffer_finish(&html);
}

static void require_parts(const struct cm_lesson *lesson)
{
    char value[CM_LESSON_VALUE_BYTES];
    for (uint32_t i = 0; i < lesson->count; i++) {
        require(lesson->parts[i].name != NULL && lesson->parts[i].text != NULL);
        for (uint32_t nth = 0; nth < 3; nth++)
            cm_lesson_value(&lesson->parts[i], "limit", nth, value);
    }
    cm_lesson_task(lesson);
}

FUZZ_TARGET(fuzz_lesson)
{
    static bool entered;
    static struct person person;
    struct cm_lesson lesson;
    struct cm_error err = {0};
    struct cm_buffer text;
    if (size > INPUT_MAX)
        return 0;
    if (!entered) {
        folder_enter();
        require(mkdir("docs", 0777) == 0 && mkdir(FOLDER, 0777) == 0);
        require(mkdir(FOLDER "/01-x", 0777) == 0);
        write_whole("result.json", result, sizeof result - 1);
    }
    entered = true;
    lines_begin(&person.lines, data, size);
    char *end = strstr(person.lines.text, "\n====\n");
    size_t length = end != NULL ? (size_t)(end - person.lines.text) + 1 : size;
    write_whole(FOLDER "/01-x/lesson.md", data, length);
    person.lines.at = person.lines.text + (end != NULL ? length + 5 : size);
    cm_buffer_init(&text);
    enum cm_status status = cm_lesson_list(FOLDER, &text, &err);
    require(cm_lesson_read(FOLDER, 1, &lesson, &err) == status);
    require(cm_buffer_ok(&text) && (status == CM_OK || status == CM_BAD_INPUT));
    require(status == CM_OK || (err.message[0] != '\0' && err.line > 0));
    if (status == CM_OK) {
        require_parts(&lesson);
        play(&lesson, &person, true);
        play(&lesson, &person, false);
        write_slides(&lesson);
    }
    cm_buffer_finish(&text);
    cm_lesson_finish(&lesson);
    lines_finish(&person.lines);
    return 0;
}
