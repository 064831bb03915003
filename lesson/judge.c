/* Judges a solution of a lesson's task, for cm200 lesson N --check FILE: goes through the cases of
 * the task, and gives points. judge.h describes how a case is judged. */
#include "judge.h"

#include "../base/random.h"
#include "../fortran/source/parse.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* number of the first random number that sizes are drawn from */
#define SIZES_FIRST UINT64_C(1) << 32

/* Adds a parameter to a case, such as "N=32" or "N=16..40", whose value is then drawn. Text of
 * another form is not a parameter. */
static void add_parameter(struct cm_judge_case *present, const char *text, uint64_t seed)
{
    const char *equals = strchr(text, '=');
    char *end;
    if (present->parameter_count == CM_JUDGE_PARAMETERS_MAX || equals == NULL)
        return;
    int64_t low = strtoll(equals + 1, &end, 10), high = low;
    if (strncmp(end, "..", 2) == 0)
        high = strtoll(end + 2, &end, 10);
    if (*end != '\0' || equals - text > 32)
        return;
    if (high > low) {
        uint64_t last = (uint64_t)high - (uint64_t)low;
        uint64_t number = (SIZES_FIRST) + present->number * 64 + present->parameter_count;
        uint64_t drawn = cm_splitmix64(seed, number);
        low = (int64_t)((uint64_t)low + (last < UINT64_MAX ? drawn % (last + 1) : drawn));
    }
    snprintf(present->parameters[present->parameter_count++], CM_JUDGE_NAME_BYTES, "%.*s=%" PRId64,
             (int)(equals - text), text, low);
}

/* Reads case `number`: the task's own sizes, or those of a line "case". Returns false past the last
 * case. */
static bool read_case(const struct cm_judged *judged, uint32_t number,
                      struct cm_judge_case *present)
{
    char *state = NULL;
    *present = (struct cm_judge_case){.number = number, .limits = ""};
    if (number == 0)
        return true;
    if (!cm_lesson_value(judged->task, "case", number - 1, present->line))
        return false;
    char *comma = strchr(present->line, ',');
    if (comma != NULL) {
        *comma = '\0';
        present->limits = comma + 1 + strspn(comma + 1, " ");
    }
    char *rest = present->line;
    for (char *word = strtok_r(rest, " ", &state); word != NULL; word = strtok_r(NULL, " ", &state))
        add_parameter(present, word, judged->judging->seed);
    return true;
}

/* Prepares both runs of the present case, and fills their inputs. A solution that cannot run with
 * other sizes gets a reason. */
static enum cm_status prepare(struct cm_judged *judged, struct cm_judge_side *reference,
                              struct cm_judge_side *student, struct cm_error *err)
{
    char value[CM_LESSON_VALUE_BYTES], path[2 * CM_LESSON_PATH_BYTES];
    student->is_student = true;
    enum cm_status status = cm_judge_prepare(judged, judged->file, student, err);
    if (status == CM_BAD_INPUT && judged->present.number > 0) {
        cm_judge_reason_error(judged, err);
        return CM_OK;
    }
    cm_lesson_value(judged->task, "reference", 0, value);
    snprintf(path, sizeof path, "%s%s", judged->lesson->root, value);
    if (status == CM_OK)
        status = cm_judge_prepare(judged, path, reference, err);
    if (status == CM_OK)
        status = cm_judge_check_arrays(judged, reference, student, err);
    if (status != CM_OK || judged->reason_count > judged->broken_count)
        return status;
    status = cm_judge_fill_inputs(judged, reference, err);
    return status == CM_OK ? cm_judge_fill_inputs(judged, student, err) : status;
}

static enum cm_status run_both(struct cm_judged *judged, struct cm_judge_side *reference,
                               struct cm_judge_side *student, struct cm_error *err)
{
    enum cm_status status = cm_judge_execute(judged, reference, err);
    if (status == CM_OK)
        status = cm_judge_execute(judged, student, err);
    if (status == CM_OK && judged->reason_count == judged->broken_count)
        status = cm_judge_compare(judged, reference, student, err);
    return status == CM_OK && judged->reason_count == judged->broken_count
               ? cm_judge_limits(judged, student, err)
               : status;
}

/* Returns how far the solution has come from the number of the reference to the first limit of the
 * task, from 0 to 1. All other limits must be kept. */
static double progress(const struct cm_judged *judged, const struct cm_run *reference)
{
    double least = 1, from;
    for (uint32_t i = 0; i < judged->limit_count; i++) {
        const struct cm_judge_limit *limit = &judged->limits[i];
        bool first = strcmp(limit->what, judged->limits[0].what) == 0 && !limit->at_least;
        if (limit->kept || limit->of_case != judged->present.number)
            continue;
        if (!first || !cm_judge_number(reference, limit->what, &from) || from <= limit->bound)
            return 0;
        least = fmin(least, (from - limit->is) / (from - limit->bound));
    }
    return fmax(least, 0);
}

/* Runs the file that a student begins from on the inputs of the present case, and computes the
 * progress from there. The file is the reference if the task has no key "start". */
static enum cm_status find_progress(struct cm_judged *judged, struct cm_judge_side *reference,
                                    double *share, struct cm_error *err)
{
    char value[CM_LESSON_VALUE_BYTES], path[2 * CM_LESSON_PATH_BYTES];
    struct cm_judge_side start = {0};
    if (!cm_lesson_value(judged->task, "start", 0, value)) {
        *share = progress(judged, reference->run);
        return CM_OK;
    }
    snprintf(path, sizeof path, "%s%s", judged->lesson->root, value);
    enum cm_status status = cm_judge_prepare(judged, path, &start, err);
    if (status == CM_OK)
        status = cm_judge_fill_inputs(judged, &start, err);
    if (status == CM_OK)
        status = cm_judge_execute(judged, &start, err);
    if (status == CM_OK)
        *share = progress(judged, start.run);
    cm_judge_finish_side(&start);
    return status;
}

/* Judges the present case. Right data that break only upper limits keep a share of the points. */
static enum cm_status judge_case(struct cm_judged *judged, struct cm_error *err)
{
    struct cm_judge_side sides[2] = {0};
    double share = 1;
    uint32_t reasons = judged->reason_count;
    enum cm_status status = prepare(judged, &sides[0], &sides[1], err);
    if (status == CM_OK && judged->reason_count == reasons)
        status = run_both(judged, &sides[0], &sides[1], err);
    if (judged->broken_count < judged->reason_count)
        share = 0;
    else if (status == CM_OK && judged->reason_count > reasons)
        status = find_progress(judged, &sides[0], &share, err);
    judged->share = fmin(judged->share, share);
    cm_judge_finish_side(&sides[0]);
    cm_judge_finish_side(&sides[1]);
    return status;
}

/* Refuses a workload where the task asks for a program, and the other way round. */
static void check_kind(struct cm_judged *judged)
{
    char call[CM_LESSON_VALUE_BYTES];
    bool want_program = cm_lesson_value(judged->task, "call", 0, call);
    if (want_program != cm_fortran_is_source_name(judged->file))
        cm_judge_reason(judged, "the task asks for a %s",
                        want_program ? "CM Fortran program" : "workload");
}

enum cm_status cm_lesson_judge(const struct cm_lesson *lesson, const char *file,
                               const struct cm_lesson_host *host,
                               struct cm_lesson_judgement *judgement, struct cm_error *err)
{
    char points[CM_LESSON_VALUE_BYTES];
    enum cm_status status = CM_OK;
    const struct cm_lesson_part *task = cm_lesson_task(lesson);
    judgement->passed = false;
    if (task == NULL)
        return cm_error_set(err, CM_USAGE, "lesson %.700s has no task", lesson->words);
    struct cm_judged *judged = calloc(1, sizeof *judged);
    if (judged == NULL)
        return cm_error_no_memory(err);
    *judged = (struct cm_judged){.host = host,
                                 .lesson = lesson,
                                 .task = task,
                                 .judging = &judgement->judging,
                                 .file = file,
                                 .seconds_left = judgement->judging.max_seconds};
    judgement->points_of =
        cm_lesson_value(task, "points", 0, points) ? strtod(points, NULL) : CM_LESSON_POINTS;
    check_kind(judged);
    judged->share = judged->reason_count == 0 ? 1 : 0;
    for (uint32_t i = 0;
         status == CM_OK && judged->share > 0 && read_case(judged, i, &judged->present); i++)
        status = judge_case(judged, err);
    judgement->passed = status == CM_OK && judged->reason_count == 0;
    judgement->points = status == CM_OK ? floor(10 * judgement->points_of * judged->share) / 10 : 0;
    snprintf(judgement->reason, sizeof judgement->reason, "%s", judged->reasons[0]);
    if (status == CM_OK)
        cm_judge_write(judged, judgement);
    free(judged);
    return status;
}
