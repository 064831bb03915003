/*
 * What the files that judge a solution share. cm_lesson_judge (judge.c) goes through the cases of a
 * task, from the numbers of the task to other sizes.
 *
 * In each case the reference and the solution run on the same machine, with the same data in the
 * arrays that the task names as inputs. Data and sizes are drawn from a seed, so that a solution
 * cannot know them. The reference is checked by the direct evaluation of its steps, which shares no
 * code with what the steps run.
 *
 * judge.c   goes through the cases, and gives points.
 * answer.c  reads a solution or a reference, and executes it within limits.
 * compare.c fills inputs, and compares arrays.
 * verdict.c keeps the reasons, judges limits, and writes the judgement.
 */
#ifndef CM_LESSON_JUDGE_H
#define CM_LESSON_JUDGE_H

#include "../programs/workload/result.h"
#include "lesson.h"

#define CM_JUDGE_REASONS_MAX    8u
#define CM_JUDGE_REASON_BYTES   512u
#define CM_JUDGE_LIMITS_MAX     32u
#define CM_JUDGE_PARAMETERS_MAX 8u
#define CM_JUDGE_NAME_BYTES     64u

/* A bound on a number in the result of the solution. */
struct cm_judge_limit {
    char what[128]; /* JSON pointer of the number */
    bool at_least;  /* true for a lower bound, which requires that the work is done */
    double bound, is;
    bool kept;
    uint32_t of_case; /* number of the case, from 0 */
};

/* Sizes of a case: values for the parameters of the workload. Case 0 changes none of them. */
struct cm_judge_case {
    uint32_t number;
    char parameters[CM_JUDGE_PARAMETERS_MAX][CM_JUDGE_NAME_BYTES]; /* each written "NAME=INTEGER" */
    uint32_t parameter_count;
    const char *limits; /* rest of the line of lesson.md: the limits of the case, or "" */
    char line[CM_LESSON_VALUE_BYTES];
};

/* The judgement of a solution while it is made. */
struct cm_judged {
    const struct cm_lesson_host *host;
    const struct cm_lesson *lesson;
    const struct cm_lesson_part *task;
    const struct cm_lesson_judging *judging;
    const char *file;
    struct cm_judge_case present; /* the case that is judged */
    double seconds_left;          /* time that the runs of the solution may take from now on */
    char reasons[CM_JUDGE_REASONS_MAX][CM_JUDGE_REASON_BYTES];
    uint32_t reason_count;
    struct cm_judge_limit limits[CM_JUDGE_LIMITS_MAX];
    uint32_t limit_count;
    uint32_t broken_count; /* number of limits that are not kept */
    double share;          /* share of the points that the solution keeps */
};

/* One of the runs that are compared: the reference or the solution, prepared to run. */
struct cm_judge_side {
    bool program;    /* true for a CM Fortran program, false for a workload */
    bool is_student; /* true for the solution, which runs within limits */
    struct cm_workload *workload;
    struct cm_run *run;
    uint64_t max_cycles;
    bool too_long; /* true if the run was interrupted after max_cycles */
};

/* verdict.c: adds a reason why the solution does not pass. */
void cm_judge_reason(struct cm_judged *judged, const char *format, ...) CM_PRINTF(2, 3);
/* Adds an error as a reason, with its place. */
void cm_judge_reason_error(struct cm_judged *judged, const struct cm_error *err);
/* Judges the limits of the present case by the JSON result of the solution. */
enum cm_status cm_judge_limits(struct cm_judged *judged, const struct cm_judge_side *student,
                               struct cm_error *err);
/* Reads a number of the JSON result of a run. Returns false if the result has no such number. */
bool cm_judge_number(const struct cm_run *run, const char *pointer, double *number);
void cm_judge_write(const struct cm_judged *judged, struct cm_lesson_judgement *judgement);

/* answer.c: reads a file, and prepares its run in the present case. A program becomes a workload
 * that calls its subroutine on the arrays of the reference. */
enum cm_status cm_judge_prepare(struct cm_judged *judged, const char *path,
                                struct cm_judge_side *side, struct cm_error *err);
/* Executes a run. A solution that fails or exceeds a limit gets a reason, and the function returns
 * CM_OK. */
enum cm_status cm_judge_execute(struct cm_judged *judged, struct cm_judge_side *side,
                                struct cm_error *err);
void cm_judge_finish_side(struct cm_judge_side *side);

/* compare.c: requires that the arrays of the task have the shape, the type and at least the nodes
 * of the reference, and that all other arrays begin as zeros. */
enum cm_status cm_judge_check_arrays(struct cm_judged *judged, struct cm_judge_side *reference,
                                     struct cm_judge_side *student, struct cm_error *err);
/* Fills the inputs of a run with random values, which are the same for all runs of a case. */
enum cm_status cm_judge_fill_inputs(struct cm_judged *judged, struct cm_judge_side *side,
                                    struct cm_error *err);
/* Compares the outputs of both runs. A difference becomes a reason. */
enum cm_status cm_judge_compare(struct cm_judged *judged, struct cm_judge_side *reference,
                                struct cm_judge_side *student, struct cm_error *err);

#endif
