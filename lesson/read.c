/* Finds lessons, and splits lesson.md into parts: blocks, and the texts between them. */
#include "../base/file.h"
#include "lesson.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CM_LESSON_MAX_BYTES (1024u * 1024u)

static const char *const block_words[] = {
    [CM_LESSON_COMMAND] = "command",
    [CM_LESSON_QUESTION] = "question",
    [CM_LESSON_PICTURE] = "picture",
    [CM_LESSON_TASK] = "task",
};

/* Returns true if a folder of lessons is that of the project, CM_LESSON_FOLDER. */
static bool is_of_project(const char *folder)
{
    size_t length = strlen(folder), wanted = strlen(CM_LESSON_FOLDER);
    size_t before = length >= wanted ? length - wanted : length;
    return strcmp(&folder[before], CM_LESSON_FOLDER) == 0 &&
           (before == 0 || folder[before - 1] == '/');
}

/* Sets the folder to which the paths of a lesson are relative: the folder that contains
 * CM_LESSON_FOLDER, or the lesson's own folder. "": the current folder. */
static void find_root(struct cm_lesson *lesson, const char *folder)
{
    if (is_of_project(folder))
        snprintf(lesson->root, sizeof lesson->root, "%.*s",
                 (int)(strlen(folder) - strlen(CM_LESSON_FOLDER)), folder);
    else
        snprintf(lesson->root, sizeof lesson->root, "%.1000s/", lesson->folder);
}

/* Returns the number of a lesson from the name of its folder, such as 7 for "07-e-cube". 0: the
 * folder is not a lesson. */
static uint32_t number_of(const char *name)
{
    bool digits = isdigit((unsigned char)name[0]) && isdigit((unsigned char)name[1]);
    return digits && name[2] == '-' ? (uint32_t)((name[0] - '0') * 10 + (name[1] - '0')) : 0;
}

/* Lists the names in a folder in sorted order. Returns the number of names, or -1 with an error. */
static int scan(const char *folder, struct dirent ***names, struct cm_error *err)
{
    int count = scandir(folder, names, NULL, alphasort);
    if (count < 0 && errno == ENOMEM)
        cm_error_no_memory(err);
    else if (count < 0)
        cm_error_set(err, CM_IO, "%s cannot be read", folder);
    return count;
}

static void free_names(struct dirent **names, int count)
{
    for (int i = 0; i < count; i++)
        free(names[i]);
    free(names);
}

/* Ends the line at `at` with a NUL. Returns the beginning of the next line. NULL: there is no next
 * line. */
static char *cut_line(char *at)
{
    char *end = strchr(at, '\n');
    if (end != NULL)
        *end = '\0';
    return end != NULL ? end + 1 : NULL;
}

/* Returns the kind of block that a line of three backticks opens, or CM_LESSON_TEXT for ordinary
 * code. *name becomes the rest of the line. */
static enum cm_lesson_kind block_kind(const char *line, const char **name)
{
    const char *word = line + 3;
    size_t length = strcspn(word, " ");
    for (size_t i = CM_LESSON_COMMAND; i <= CM_LESSON_TASK; i++)
        if (strlen(block_words[i]) == length && memcmp(word, block_words[i], length) == 0) {
            *name = word + length + strspn(word + length, " ");
            return (enum cm_lesson_kind)i;
        }
    return CM_LESSON_TEXT;
}

static uint32_t count_starts(const char *text)
{
    uint32_t count = 2;
    for (const char *at = text; at != NULL; at = strchr(at, '\n')) {
        at += *at == '\n';
        count += strncmp(at, "```", 3) == 0 || strncmp(at, "## ", 3) == 0;
    }
    return count;
}

static void add_part(struct cm_lesson *lesson, struct cm_lesson_part part)
{
    if (part.kind == CM_LESSON_TEXT && part.text[strspn(part.text, "\n")] == '\0')
        return;
    lesson->parts[lesson->count++] = part;
}

/* Adds a block, whose first line is at `at`. Returns the line after the block. NULL: the block is
 * the end of the text. */
static char *read_block(struct cm_lesson *lesson, char *at, struct cm_lesson_part part,
                        uint32_t *line)
{
    part.text = at;
    part.line = *line;
    while (at != NULL && *at != '\0' && strncmp(at, "```", 3) != 0) {
        at = strchr(at, '\n');
        at = at != NULL ? at + 1 : NULL;
        ++*line;
    }
    if (at != NULL && *at != '\0') {
        char *fence = at;
        at = cut_line(at);
        *fence = '\0';
        ++*line;
    }
    add_part(lesson, part);
    return at;
}

/* Splits lesson.md into parts in place. A NUL ends each part: it replaces the closing backticks of
 * a block, or the first character after a text. */
static void read_parts(struct cm_lesson *lesson, char *at)
{
    struct cm_lesson_part text = {.kind = CM_LESSON_TEXT, .name = "", .text = at, .line = 2};
    bool code = false;
    for (uint32_t line = 2; at != NULL && *at != '\0';) {
        struct cm_lesson_part block = {.name = ""};
        bool fence = strncmp(at, "```", 3) == 0;
        char *next = strchr(at, '\n');
        next = next != NULL ? next + 1 : NULL;
        if (fence && !code && strcspn(at + 3, " \n") > 0) {
            char *start = at;
            next = cut_line(at);
            block.kind = block_kind(start, &block.name);
            if (block.kind != CM_LESSON_TEXT) {
                *start = '\0';
                add_part(lesson, text);
                line++;
                at = next != NULL ? read_block(lesson, next, block, &line) : NULL;
                text = (struct cm_lesson_part){
                    .kind = CM_LESSON_TEXT, .name = "", .text = at != NULL ? at : "", .line = line};
                continue;
            }
            if (next != NULL)
                next[-1] = '\n';
        } else if (!fence && !code && strncmp(at, "## ", 3) == 0) {
            at[-1] = '\0';
            add_part(lesson, text);
            text = (struct cm_lesson_part){
                .kind = CM_LESSON_TEXT, .page = true, .name = "", .text = at, .line = line};
        }
        code = code != fence;
        at = next;
        line++;
    }
    add_part(lesson, text);
}

static enum cm_status read_file(struct cm_lesson *lesson, struct cm_error *err)
{
    size_t length;
    enum cm_status status =
        cm_file_read(lesson->path, CM_LESSON_MAX_BYTES, &lesson->data, &length, err);
    if (status != CM_OK)
        return status;
    if (strncmp(lesson->data, "# ", 2) != 0)
        return cm_error_at(err, CM_BAD_INPUT, lesson->path, 1, 1,
                           "expected \"# \" and the lesson's title");
    lesson->parts = calloc(count_starts(lesson->data), 2 * sizeof *lesson->parts);
    if (lesson->parts == NULL)
        return cm_error_no_memory(err);
    char *body = cut_line(lesson->data);
    lesson->title = lesson->data + 2;
    if (body != NULL)
        read_parts(lesson, body);
    return CM_OK;
}

enum cm_status cm_lesson_read(const char *folder, uint32_t number, struct cm_lesson *lesson,
                              struct cm_error *err)
{
    struct dirent **names = NULL;
    memset(lesson, 0, sizeof *lesson);
    lesson->number = number;
    int count = scan(folder, &names, err);
    for (int i = 0; i < count && lesson->path[0] == '\0'; i++)
        if (number_of(names[i]->d_name) == number && number > 0) {
            snprintf(lesson->folder, sizeof lesson->folder, "%.700s/%.255s", folder,
                     names[i]->d_name);
            snprintf(lesson->path, sizeof lesson->path, "%.1000s/lesson.md", lesson->folder);
        }
    free_names(names, count);
    if (count < 0)
        return err->status;
    if (lesson->path[0] == '\0') {
        cm_error_set(err, CM_USAGE, "there is no lesson %" PRIu32, number);
        return cm_error_hint(err, "cm200 lesson lists the lessons");
    }
    find_root(lesson, folder);
    snprintf(lesson->words, sizeof lesson->words, "%.1000s%s%" PRIu32,
             is_of_project(folder) ? "" : folder, is_of_project(folder) ? "" : " ", number);
    return read_file(lesson, err);
}

enum cm_status cm_lesson_read_own(const char *path, struct cm_lesson *lesson, struct cm_error *err)
{
    struct stat status;
    memset(lesson, 0, sizeof *lesson);
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    bool is_folder = stat(path, &status) == 0 && S_ISDIR(status.st_mode);
    snprintf(lesson->words, sizeof lesson->words, "%.*s", (int)length, path);
    snprintf(lesson->folder, sizeof lesson->folder, "%.*s", (int)length, path);
    snprintf(lesson->path, sizeof lesson->path, "%.1000s%s", lesson->folder,
             is_folder ? "/lesson.md" : "");
    char *slash = strrchr(lesson->folder, '/');
    if (!is_folder && slash != NULL)
        *slash = '\0';
    else if (!is_folder)
        snprintf(lesson->folder, sizeof lesson->folder, ".");
    find_root(lesson, "");
    enum cm_status read = read_file(lesson, err);
    if (read == CM_OK)
        lesson->number = (uint32_t)strtoul(lesson->title, NULL, 10);
    return read;
}

bool cm_lesson_is_collection(const char *path)
{
    char file[CM_LESSON_PATH_BYTES + 16];
    struct stat status;
    snprintf(file, sizeof file, "%.1000s/lesson.md", path);
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode) && access(file, F_OK) != 0;
}

void cm_lesson_finish(struct cm_lesson *lesson)
{
    free(lesson->data);
    free(lesson->parts);
}

enum cm_status cm_lesson_list(const char *folder, struct cm_buffer *text, struct cm_error *err)
{
    struct dirent **names = NULL;
    enum cm_status status = CM_OK;
    int count = scan(folder, &names, err);
    for (int i = 0; i < count && status == CM_OK; i++) {
        struct cm_lesson lesson;
        uint32_t number = number_of(names[i]->d_name);
        if (number == 0)
            continue;
        status = cm_lesson_read(folder, number, &lesson, err);
        if (status == CM_OK)
            cm_buffer_printf(text, "%*s%s%s\n", number < 10 ? 3 : 2, "", lesson.title,
                             cm_lesson_task(&lesson) != NULL ? "  (task)" : "");
        cm_lesson_finish(&lesson);
    }
    free_names(names, count);
    return count < 0 ? err->status : status;
}

/* Returns the line after the line at `at`, or "" at the end of the text. */
static const char *next_line(const char *at)
{
    const char *end = strchr(at, '\n');
    return end != NULL ? end + 1 : at + strlen(at);
}

static void append_line(char value[CM_LESSON_VALUE_BYTES], const char *line)
{
    size_t used = strlen(value), length = strcspn(line, "\n");
    snprintf(value + used, CM_LESSON_VALUE_BYTES - used, "%s%.*s", used > 0 ? " " : "", (int)length,
             line);
}

bool cm_lesson_value(const struct cm_lesson_part *part, const char *key, uint32_t nth,
                     char value[CM_LESSON_VALUE_BYTES])
{
    size_t length = strlen(key);
    value[0] = '\0';
    for (const char *at = part->text; *at != '\0'; at = next_line(at)) {
        if (strncmp(at, key, length) != 0 || strncmp(at + length, ": ", 2) != 0 || nth-- > 0)
            continue;
        append_line(value, at + length + 2);
        for (at = next_line(at); *at == ' '; at = next_line(at))
            append_line(value, at + strspn(at, " "));
        return true;
    }
    return false;
}

const struct cm_lesson_part *cm_lesson_task(const struct cm_lesson *lesson)
{
    for (uint32_t i = 0; i < lesson->count; i++)
        if (lesson->parts[i].kind == CM_LESSON_TASK)
            return &lesson->parts[i];
    return NULL;
}
