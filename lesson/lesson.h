/*
 * Lessons: folders of docs/lessons, each with a lesson.md that people read as it is and that
 * `cm200 lesson` goes through. docs/lessons/README.md describes the format.
 */
#ifndef CM_LESSON_LESSON_H
#define CM_LESSON_LESSON_H

#include "../base/json.h"
#include "../cli/cli.h"

#define CM_LESSON_PATH_BYTES  1024u
#define CM_LESSON_VALUE_BYTES 1024u /* of a value of a question or a task */

enum cm_lesson_kind {
    CM_LESSON_TEXT,
    CM_LESSON_COMMAND,
    CM_LESSON_QUESTION,
    CM_LESSON_PICTURE,
    CM_LESSON_TASK,
};

/* A block, or the text between two of them. */
struct cm_lesson_part {
    enum cm_lesson_kind kind;
    bool page;        /* a page begins with it */
    const char *name; /* of a block: what follows its word; "" without */
    const char *text; /* the lines of the block, or the text */
    uint32_t line;    /* where `text` begins, from 1 */
};

struct cm_lesson {
    uint32_t number;
    char
        root[CM_LESSON_PATH_BYTES]; /* what paths in blocks are relative to; ends with '/', or "" */
    char path[CM_LESSON_PATH_BYTES]; /* of lesson.md */
    char folder[CM_LESSON_PATH_BYTES];
    char *data; /* all strings of the parts */
    const char *title;
    struct cm_lesson_part *parts;
    uint32_t count;
};

/* read.c: finds and reads lesson `number`; finish it in either case. */
enum cm_status cm_lesson_read(uint32_t number, struct cm_lesson *lesson, struct cm_error *err);
void cm_lesson_finish(struct cm_lesson *lesson);
/* The numbers and titles of all lessons, a line each. */
enum cm_status cm_lesson_list(struct cm_buffer *text, struct cm_error *err);
/* The value of `key`, the `nth` of several, from 0; false when there are not so many. */
bool cm_lesson_value(const struct cm_lesson_part *part, const char *key, uint32_t nth,
                     char value[CM_LESSON_VALUE_BYTES]);
const struct cm_lesson_part *cm_lesson_task(const struct cm_lesson *lesson);

/* value.c: the results of commands by name, for expressions. */
struct cm_lesson_results {
    const char *root; /* where files of expressions are */
    struct {
        const char *name;
        struct cm_json_document *document;
    } items[64];
    uint32_t count;
};
enum cm_lesson_known {
    CM_LESSON_KNOWN,
    CM_LESSON_NOT_YET, /* a command that it names has not run */
    CM_LESSON_BROKEN,  /* the expression is wrong */
};
struct cm_lesson_number {
    double number;
    char text[64]; /* of a string; "" for numbers */
};
enum cm_lesson_known cm_lesson_evaluate(const struct cm_lesson_results *results,
                                        const char *expression, struct cm_lesson_number *value);
/* The value of a JSON pointer. */
bool lesson_at_pointer(struct cm_json root, const char *pointer, struct cm_json *found);
bool lesson_read_number(struct cm_json value, struct cm_lesson_number *number);
void lesson_results_finish(struct cm_lesson_results *results);

/* play.c: goes through a lesson. Returns an exit code. */
int cm_lesson_play(const struct cm_lesson *lesson);

/* judge.c: whether FILE solves the task. Returns an exit code: 0 passed, 1 not. */
int cm_lesson_judge(const struct cm_lesson *lesson, const char *file, bool json);

#endif
