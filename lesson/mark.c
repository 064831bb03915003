/*
 * Marks a class: judges the solutions in a folder, which has a file or a folder for each student.
 *
 * The student's name is that of the folder, or that of the file without its ending. A file whose
 * ending is not that of a solution belongs to the solution of the same name, as an IMP does. If
 * there is no such solution, the student gets a row with the reason.
 */
#include "../base/text.h"
#include "../fortran/source/parse.h"
#include "../report/table.h"
#include "lesson.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* number of files that a reason names */
#define NAMED_MAX 3u

/* Names in a folder, in sorted order, without hidden ones. */
struct names {
    struct dirent **items;
    int count;
};

struct marking {
    const struct cm_lesson *lesson;
    const struct cm_lesson_host *host;
    const struct cm_lesson_class *class;
    bool program; /* true if the task asks for a program, false if it asks for a workload */
    struct names names;
};

static int is_shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static enum cm_status list(const char *folder, struct names *names, struct cm_error *err)
{
    names->count = scandir(folder, &names->items, is_shown, alphasort);
    if (names->count >= 0)
        return CM_OK;
    return errno == ENOMEM ? cm_error_no_memory(err)
                           : cm_error_set(err, CM_IO, "%s cannot be read as a folder", folder);
}

static void free_names(struct names *names)
{
    for (int i = 0; i < names->count; i++)
        free(names->items[i]);
    if (names->count >= 0)
        free(names->items);
}

/* Returns the length of a file's name without its ending. */
static size_t stem_length(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot != NULL && dot > name ? (size_t)(dot - name) : strlen(name);
}

static bool has_ending(const char *name, const char *ending)
{
    size_t length = strlen(name), wanted = strlen(ending);
    return length > wanted && strcmp(name + length - wanted, ending) == 0;
}

/* Returns true if a file's name has the ending of a solution of the task. */
static bool is_answer(const struct marking *marking, const char *name)
{
    return marking->program ? cm_fortran_is_source_name(name) : has_ending(name, ".json");
}

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Judges the solution in a file. Anything else, such as a pipe, gets a reason. */
static enum cm_status mark_file(const struct marking *marking, const char *path,
                                struct cm_lesson_mark *mark, struct cm_error *err)
{
    struct stat status;
    if (stat(path, &status) == 0 && S_ISREG(status.st_mode))
        return cm_lesson_judge_apart(marking->lesson, path, marking->host, &marking->class->judging,
                                     mark, err);
    memset(mark, 0, sizeof *mark);
    snprintf(mark->reason, sizeof mark->reason, "%.400s is not a file that can be read", path);
    return CM_OK;
}

/* Writes the reason for a folder that has no solution, or several files that may be the solution.
 */
static void refuse(const struct marking *marking, const struct names *names, uint32_t count,
                   struct cm_lesson_mark *mark)
{
    size_t length = 0;
    uint32_t shown = 0;
    memset(mark, 0, sizeof *mark);
    if (count == 0) {
        snprintf(mark->reason, sizeof mark->reason, "there is no file: the task asks for a %s",
                 marking->program ? "CM Fortran program (" CM_FORTRAN_SUFFIXES ")"
                                  : "workload (.json)");
        return;
    }
    length = (size_t)snprintf(mark->reason, sizeof mark->reason,
                              "%u files may be the solution:", (unsigned)count);
    for (int i = 0; i < names->count && shown < NAMED_MAX; i++)
        if (is_answer(marking, names->items[i]->d_name))
            length +=
                (size_t)snprintf(mark->reason + length, sizeof mark->reason - length, "%s %.100s",
                                 shown++ > 0 ? "," : "", names->items[i]->d_name);
}

/* Marks the student whose files are in a folder. */
static enum cm_status mark_folder(const struct marking *marking, const char *folder,
                                  struct cm_lesson_mark *mark, struct cm_error *err)
{
    char path[2 * CM_LESSON_PATH_BYTES];
    struct names names;
    uint32_t count = 0;
    const char *answer = NULL;
    if (list(folder, &names, err) != CM_OK) {
        memset(mark, 0, sizeof *mark);
        snprintf(mark->reason, sizeof mark->reason, "the folder cannot be read");
        return err->status == CM_NO_MEMORY ? CM_NO_MEMORY : CM_OK;
    }
    for (int i = 0; i < names.count; i++)
        if (is_answer(marking, names.items[i]->d_name)) {
            answer = names.items[i]->d_name;
            count++;
        }
    enum cm_status status = CM_OK;
    if (count == 1) {
        snprintf(path, sizeof path, "%.1500s/%.255s", folder, answer);
        status = mark_file(marking, path, mark, err);
    } else {
        refuse(marking, &names, count, mark);
    }
    free_names(&names);
    return status;
}

/* Returns true if another file with the same name has the ending of a solution, or is a folder. */
static bool belongs_to_another(const struct marking *marking, const char *name)
{
    size_t length = stem_length(name);
    for (int i = 0; i < marking->names.count; i++) {
        const char *other = marking->names.items[i]->d_name;
        bool same = stem_length(other) == length && strncmp(other, name, length) == 0;
        if (same && strcmp(other, name) != 0 && is_answer(marking, other))
            return true;
    }
    return false;
}

/* Marks the student of an entry of the class's folder. *is_student becomes false if the entry is
 * not of a student. */
static enum cm_status mark_entry(const struct marking *marking, const char *name,
                                 struct cm_lesson_mark *mark, bool *is_student,
                                 struct cm_error *err)
{
    char path[CM_LESSON_PATH_BYTES + 256];
    snprintf(path, sizeof path, "%.1000s/%.255s", marking->class->folder, name);
    *is_student = true;
    if (is_folder(path))
        return mark_folder(marking, path, mark, err);
    if (is_answer(marking, name))
        return mark_file(marking, path, mark, err);
    *is_student = !has_ending(name, ".csv") && !belongs_to_another(marking, name);
    refuse(marking, NULL, 0, mark);
    return CM_OK;
}

/* Adds a row with a mark. A CSV file has texts as they are, without control characters. */
static void add_row(struct cm_table *table, const char *path, const char *name,
                    const struct cm_lesson_mark *mark)
{
    char student[512], reason[2048];
    size_t length = is_folder(path) ? strlen(name) : stem_length(name);
    cm_text_clean(student, sizeof student, name, length);
    cm_text_clean(reason, sizeof reason, mark->reason, strlen(mark->reason));
    cm_table_row(table, cm_text(student), cm_text(mark->passed ? "yes" : "no"),
                 cm_rounded(mark->points, 4), cm_text(reason));
}

static enum cm_status mark_all(const struct marking *marking, struct cm_lesson_class *class,
                               struct cm_table *table, struct cm_error *err)
{
    enum cm_status status = CM_OK;
    for (int i = 0; i < marking->names.count && status == CM_OK; i++) {
        const char *name = marking->names.items[i]->d_name;
        char path[CM_LESSON_PATH_BYTES + 256];
        struct cm_lesson_mark mark;
        bool is_student;
        snprintf(path, sizeof path, "%.1000s/%.255s", class->folder, name);
        status = mark_entry(marking, name, &mark, &is_student, err);
        if (status != CM_OK || !is_student)
            continue;
        class->students++;
        class->passed += mark.passed;
        add_row(table, path, name, &mark);
    }
    return status;
}

enum cm_status cm_lesson_mark(const struct cm_lesson *lesson, const struct cm_lesson_host *host,
                              struct cm_lesson_class *class, struct cm_buffer *text,
                              struct cm_error *err)
{
    static const struct cm_column columns[] = {
        {.name = "name"},
        {.name = "passed"},
        {.name = "points", .kind = CM_COLUMN_NUMBER, .digits = 4},
        {.name = "reason"}};
    char call[CM_LESSON_VALUE_BYTES];
    const struct cm_lesson_part *task = cm_lesson_task(lesson);
    struct marking marking = {.lesson = lesson, .host = host, .class = class};
    struct cm_table table;
    class->students = class->passed = 0;
    if (task == NULL)
        return cm_error_set(err, CM_USAGE, "lesson %.700s has no task", lesson->words);
    marking.program = cm_lesson_value(task, "call", 0, call);
    enum cm_status status = list(class->folder, &marking.names, err);
    if (status != CM_OK)
        return status;
    cm_table_init(&table, columns, 4);
    status = mark_all(&marking, class, &table, err);
    if (status == CM_OK && class->csv)
        cm_table_csv(&table, text);
    else if (status == CM_OK)
        cm_table_text(&table, class->style, text);
    cm_table_finish(&table);
    free_names(&marking.names);
    return status;
}
