/*
 * Lessons are folders of docs/lessons. Each has a file lesson.md, which people can read as it is,
 * or which `cm200 lesson` shows to a person step by step. docs/lessons/README.md describes the
 * format.
 *
 * A lesson is a list of parts: texts, and between them the blocks of four kinds. A command is run,
 * and shown with its output. A question is asked before the commands that answer it have run. A
 * picture names an image, and the command that shows it in the viewer. A task asks the person for a
 * workload or a program of their own, which can be judged.
 *
 * The answer of a question is an expression over the JSON results of commands that have a name. A
 * limit of a task is a JSON pointer into the result of the solution, and the largest or the least
 * number that the result may have there.
 *
 * read.c  finds lessons, and cuts lesson.md into parts.
 * value.c evaluates expressions.
 * play.c  goes through a lesson, part by part, and slides.c writes it as slides. Both run the
 *         commands of the lesson (commands.c), and markdown.c writes its text as HTML.
 * judge.c judges a solution of a task, with the files that judge.h lists.
 * mark.c  judges the solutions of a class, each in a process of its own (apart.c).
 *
 * The room neither prints nor reads a terminal, nor runs a command by itself: it calls the
 * functions of a struct cm_lesson_host. A lesson's strings are valid until cm_lesson_finish.
 */
#ifndef CM_LESSON_LESSON_H
#define CM_LESSON_LESSON_H

#include "../base/buffer.h"
#include "../base/error.h"
#include "../base/json.h"
#include "../programs/workload/workload.h"

#include <stdbool.h>
#include <stdint.h>

#define CM_LESSON_PATH_BYTES  1024u
#define CM_LESSON_VALUE_BYTES 1024u /* longest value of a key of a question or a task, in bytes */
#define CM_LESSON_LINE_BYTES  256u  /* longest line that a person types, in bytes */
#define CM_LESSON_FOLDER      "docs/lessons"

enum cm_lesson_kind {
    CM_LESSON_TEXT,
    CM_LESSON_COMMAND,
    CM_LESSON_QUESTION,
    CM_LESSON_PICTURE,
    CM_LESSON_TASK,
};

/* A part of a lesson: a block, or the text between two blocks. */
struct cm_lesson_part {
    enum cm_lesson_kind kind;
    bool page; /* true if a new page of the lesson begins with this part */
    /* rest of the line that opens the block. It is the name of a command, or "". */
    const char *name;
    const char *text; /* lines of the block, or the text between blocks */
    uint32_t line;    /* number of the line in lesson.md where `text` begins, from 1 */
};

struct cm_lesson {
    uint32_t number; /* number in the title. 0: the title has no number. */
    /* words that name the lesson on the command line, such as "3" or "mine/lesson.md" */
    char words[CM_LESSON_PATH_BYTES];
    /* folder to which all paths in blocks are relative. Ends with '/', or is "". */
    char root[CM_LESSON_PATH_BYTES];
    char path[CM_LESSON_PATH_BYTES]; /* path of lesson.md */
    char folder[CM_LESSON_PATH_BYTES];
    char *data; /* memory that holds all strings of the parts */
    const char *title;
    struct cm_lesson_part *parts;
    uint32_t count;
};

/* read.c: finds the lesson with number `number` in a folder of lessons, and reads it. Paths in the
 * lesson are relative to the folder that contains CM_LESSON_FOLDER, or else to the lesson's own
 * folder. Fails with CM_USAGE if there is no such lesson. The caller finishes the lesson in either
 * case. */
enum cm_status cm_lesson_read(const char *folder, uint32_t number, struct cm_lesson *lesson,
                              struct cm_error *err);
/* Reads a lesson from its file, or from the file lesson.md of its folder. Paths in the lesson are
 * relative to its folder. The caller finishes the lesson in either case. */
enum cm_status cm_lesson_read_own(const char *path, struct cm_lesson *lesson, struct cm_error *err);
/* Returns true if a path is a folder without lesson.md, which may have lessons in folders. */
bool cm_lesson_is_collection(const char *path);
void cm_lesson_finish(struct cm_lesson *lesson);
/* Appends the numbers and titles of all lessons, in a line each. */
enum cm_status cm_lesson_list(const char *folder, struct cm_buffer *text, struct cm_error *err);
/* Copies the value of a line "key: value" of a block, with the lines that continue the value. `nth`
 * selects one of several lines with the same key, from 0. Returns false if there is no such line.
 */
bool cm_lesson_value(const struct cm_lesson_part *part, const char *key, uint32_t nth,
                     char value[CM_LESSON_VALUE_BYTES]);
/* Returns the task of a lesson. NULL: the lesson has no task. */
const struct cm_lesson_part *cm_lesson_task(const struct cm_lesson *lesson);

/* value.c: the JSON results of the commands that have run, by the names of the commands. */
struct cm_lesson_results {
    const char *root; /* folder of the files that expressions name. It is "", or ends with '/'. */
    struct {
        const char *name;
        struct cm_json_document *document;
    } items[64];
    uint32_t count;
};
enum cm_lesson_known {
    CM_LESSON_KNOWN,
    CM_LESSON_NOT_YET, /* the expression needs the result of a command that has not run */
    CM_LESSON_BROKEN,  /* the expression is wrong, or the result of the command lacks the value */
};
/* Value of an expression: a number, or a string of a JSON result. */
struct cm_lesson_number {
    double number;
    char text[64]; /* the string. "": the value is a number */
};
enum cm_lesson_known cm_lesson_evaluate(const struct cm_lesson_results *results,
                                        const char *expression, struct cm_lesson_number *value);
/* Finds the value that a JSON pointer refers to. Returns false if there is no such value. */
bool cm_lesson_at_pointer(struct cm_json root, const char *pointer, struct cm_json *found);
/* Reads a JSON value as a number: a number, a boolean, a string, or the length of a list or an
 * object. */
bool cm_lesson_read_number(struct cm_json value, struct cm_lesson_number *number);
void cm_lesson_results_finish(struct cm_lesson_results *results);

/* Callbacks of the program that shows lessons. A callback that returns false has failed, and has
 * printed the error. The lesson then ends with CM_INTERRUPTED. */
struct cm_lesson_host {
    void *context;  /* first argument of all callbacks */
    unsigned style; /* style that the terminal supports: CM_STYLE_... bits (report/style.h) */
    bool asks;      /* true if a person reads the output and can answer */
    bool display;   /* true if the viewer can open a window */
    /* Shows a text, and frees it. */
    bool (*print)(void *context, struct cm_buffer *text);
    /* Reads a line that the person types. Returns false at the end of the input. */
    bool (*read_line)(void *context, char line[CM_LESSON_LINE_BYTES]);
    /* Returns true if cm200 has a command of this name. */
    bool (*is_command)(void *context, const char *name);
    /* Runs a command, whose name is words[0]. Its output goes to the buffer `output`, or to the
     * person if `output` is NULL. */
    bool (*run)(void *context, int count, char **words, struct cm_buffer *output);
    /* Starts the viewer with the words of its command line, and does not wait for it. Prints a
     * failure, which does not end the lesson. */
    void (*view)(void *context, char **words);
    /* Lets signals interrupt a run, as cm_run_execute_watched describes. */
    bool (*watch)(void *context, struct cm_run *run);
};

/* play.c: shows a lesson from its beginning to its end. The working directory becomes the folder
 * `root` of the lesson. Returns CM_OK also if the person leaves the lesson early. */
enum cm_status cm_lesson_play(const struct cm_lesson *lesson, const struct cm_lesson_host *host,
                              struct cm_error *err);

/* slides.c: appends the slides of a lesson, as sections of HTML. Runs its commands. */
enum cm_status cm_lesson_slides(const struct cm_lesson *lesson, const struct cm_lesson_host *host,
                                struct cm_buffer *html, struct cm_error *err);

/* Points of a task that does not name a number of points. */
#define CM_LESSON_POINTS 10

/* Limits of a judgement, and the seed that sizes and data are drawn from. */
struct cm_lesson_judging {
    uint64_t seed;
    uint64_t max_cycles; /* cycles after which a run of the solution is stopped */
    uint64_t max_output; /* bytes that a run of the solution may print */
    double max_seconds;  /* seconds after which the runs of the solution are stopped, together */
};

/* Judgement of a solution of a lesson's task. */
struct cm_lesson_judgement {
    struct cm_lesson_judging judging; /* how to judge. The caller sets it. */
    bool json;                        /* true to write the reasons as JSON. The caller sets it. */
    bool passed;                      /* true if the solution solves the task */
    double points, points_of;         /* points of the solution, and the most that the task gives */
    char reason[512]; /* first reason why the solution does not pass. "": it passes */
    /* reasons for the judgement, as text or as JSON. The caller initialises and frees the buffer.
     */
    struct cm_buffer text;
};

/* judge.c: runs the solution in `file` and the reference solution of the lesson's task, and
 * compares their results, on data and sizes that are drawn from the seed. A solution that fails
 * while it runs, or exceeds a limit, does not pass. Fails if the file cannot be read. */
enum cm_status cm_lesson_judge(const struct cm_lesson *lesson, const char *file,
                               const struct cm_lesson_host *host,
                               struct cm_lesson_judgement *judgement, struct cm_error *err);

/* The mark of a solution, as a row of a table. */
struct cm_lesson_mark {
    bool passed;
    double points;
    char reason[512]; /* why the solution does not pass. "": it passes */
};

/* apart.c: judges a solution in a process of its own, which is ended when it takes too much time or
 * memory. A solution that cannot be read, or whose process fails, gets a mark with a reason. Fails
 * if there can be no such process, or if a signal has interrupted it. */
enum cm_status cm_lesson_judge_apart(const struct cm_lesson *lesson, const char *file,
                                     const struct cm_lesson_host *host,
                                     const struct cm_lesson_judging *judging,
                                     struct cm_lesson_mark *mark, struct cm_error *err);

/* A class whose solutions are marked, and the counts of its marks. */
struct cm_lesson_class {
    const char *folder; /* folder with a file or a folder for each student */
    struct cm_lesson_judging judging;
    bool csv;       /* true to write the table as CSV */
    unsigned style; /* CM_STYLE_... bits of a table for people */
    uint32_t students, passed;
};

/* mark.c: judges the solutions of a class. Appends a table to `text`: a row for each student with
 * name, passed, points and reason. */
enum cm_status cm_lesson_mark(const struct cm_lesson *lesson, const struct cm_lesson_host *host,
                              struct cm_lesson_class *class, struct cm_buffer *text,
                              struct cm_error *err);

#endif
