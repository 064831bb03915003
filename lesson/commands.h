/*
 * The commands of a lesson, for the files that go through a lesson: play.c shows it to a person,
 * and slides.c writes it as slides.
 */
#ifndef CM_LESSON_COMMANDS_H
#define CM_LESSON_COMMANDS_H

#include "lesson.h"

#define CM_LESSON_WORDS_MAX 64u

/* A lesson that is gone through, and the results of the commands that have run. */
struct cm_lesson_desk {
    const struct cm_lesson *lesson;
    const struct cm_lesson_host *host;
    struct cm_error *err; /* error, filled by the function that ends the lesson */
    struct cm_lesson_results results;
};

/* Ends the lesson because a callback of the host has failed. */
enum cm_status cm_lesson_ended_by_host(const struct cm_lesson_desk *desk);
/* Ends the lesson because a part of lesson.md is wrong. */
enum cm_status cm_lesson_broken(const struct cm_lesson_desk *desk,
                                const struct cm_lesson_part *part, const char *what);
/* Splits a line into words in place. Returns the number of words. */
int cm_lesson_split(char *line, char *words[CM_LESSON_WORDS_MAX]);
/* Copies the command of a part: its first line, without "$ ". Returns false if the part has no
 * command. */
bool cm_lesson_command_line(const struct cm_lesson_part *part, char line[CM_LESSON_VALUE_BYTES]);
/* Runs the command of a part. If `more` is not NULL, it is added to the command as its last word.
 */
enum cm_status cm_lesson_run_command(const struct cm_lesson_desk *desk,
                                     const struct cm_lesson_part *part, const char *more,
                                     struct cm_buffer *output);
/* Runs a named command a second time, for its JSON result, and keeps the result for expressions. */
enum cm_status cm_lesson_keep_result(struct cm_lesson_desk *desk,
                                     const struct cm_lesson_part *part);
/* Appends a value of an expression: a word, a whole number, or a number with two decimals. */
void cm_lesson_append_number(struct cm_buffer *text, const struct cm_lesson_number *value);

#endif
