/*
 * Reads the reference or a solution of a task, and executes it.
 *
 * A solution runs within limits: machine cycles, time on the host, and bytes of output. A thread
 * waits for the end of the run or of the time, and then interrupts the run. The cycles are compared
 * after each step, and by the step "call" after each statement of a program.
 */
#include "../base/page.h"
#include "../fortran/run/step.h"
#include "../fortran/source/parse.h"
#include "../report/json_writer.h"
#include "judge.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void cm_judge_finish_side(struct cm_judge_side *side)
{
    cm_run_destroy(side->run);
    cm_workload_destroy(side->workload);
    side->run = NULL;
    side->workload = NULL;
}

/* ---- reading ---- */

/* Writes the step that calls the subroutine of the task in a student's program. The value of the
 * key "call" is the name of the subroutine and a list of arguments in JSON. */
static void write_call(const struct cm_judged *judged, const char *path, struct cm_buffer *text)
{
    char call[CM_LESSON_VALUE_BYTES], level[CM_LESSON_VALUE_BYTES], name[CM_JUDGE_NAME_BYTES];
    struct cm_buffer step;
    struct cm_json_writer json;
    cm_lesson_value(judged->task, "call", 0, call);
    cm_lesson_value(judged->task, "level", 0, level);
    size_t length = strcspn(call, " ");
    snprintf(name, sizeof name, "%.*s", (int)length, call);
    cm_buffer_init(&step);
    cm_json_writer_begin(&json, &step);
    cm_json_write_compact(&json, true);
    cm_json_write_object(&json, NULL);
    cm_json_write_string(&json, "file", path);
    cm_json_write_string(&json, "subroutine", name);
    cm_json_write_u64(&json, "level", strtoul(level, NULL, 10));
    cm_json_write_u64(&json, "max_cycles", judged->judging->max_cycles);
    cm_json_write_end(&json);
    if (cm_buffer_ok(&step))
        cm_buffer_printf(text, "[{\"call\": %.*s, \"arguments\": %s}}]",
                         (int)strcspn(step.data, "}"), step.data, call + length);
    else
        text->failed = true;
    cm_buffer_finish(&step);
}

/* Makes the workload of a student's program: that of the reference, in which a call of the
 * student's subroutine replaces the steps. */
static enum cm_status read_program(const struct cm_judged *judged, const char *path,
                                   const char *reference, struct cm_judge_side *side,
                                   struct cm_error *err)
{
    struct cm_json_document *document = NULL;
    struct cm_json steps;
    struct cm_buffer text;
    const char *all, *old, *parameters[CM_JUDGE_PARAMETERS_MAX];
    size_t length, old_length;
    enum cm_status status = cm_json_read(reference, &document, err);
    if (status == CM_OK && !cm_json_member(cm_json_root(document), "steps", &steps))
        status = cm_error_at(err, CM_BAD_INPUT, reference, 1, 1, "the workload has no steps");
    if (status != CM_OK) {
        cm_json_destroy(document);
        return status;
    }
    cm_json_token(cm_json_root(document), &all, &length);
    cm_json_token(steps, &old, &old_length);
    cm_buffer_init(&text);
    cm_buffer_append(&text, all, (size_t)(old - all));
    write_call(judged, path, &text);
    cm_buffer_append(&text, old + old_length, length - (size_t)(old - all) - old_length);
    for (uint32_t i = 0; i < judged->present.parameter_count; i++)
        parameters[i] = judged->present.parameters[i];
    status =
        cm_buffer_ok(&text)
            ? cm_workload_parse_with(&(struct cm_file_text){"", text.data, text.length}, parameters,
                                     judged->present.parameter_count, &side->workload, err)
            : cm_error_no_memory(err);
    cm_buffer_finish(&text);
    cm_json_destroy(document);
    return status;
}

static enum cm_status read_workload(const struct cm_judged *judged, const char *path,
                                    struct cm_judge_side *side, struct cm_error *err)
{
    const char *parameters[CM_JUDGE_PARAMETERS_MAX];
    for (uint32_t i = 0; i < judged->present.parameter_count; i++)
        parameters[i] = judged->present.parameters[i];
    return cm_workload_read_with(path, parameters, judged->present.parameter_count, &side->workload,
                                 err);
}

/* Writes the path of the task's machine to `path`. A machine that is not a file below the root of
 * the lesson is the name of a machine. */
static void find_machine(const struct cm_judged *judged, char path[2 * CM_LESSON_PATH_BYTES])
{
    char machine[CM_LESSON_VALUE_BYTES];
    cm_lesson_value(judged->task, "machine", 0, machine);
    bool is_file = strchr(machine, '/') != NULL || strchr(machine, '.') != NULL;
    snprintf(path, 2 * CM_LESSON_PATH_BYTES, "%s%s", is_file ? judged->lesson->root : "", machine);
}

/* Removes from an error the place in the text of a workload that nobody has written. */
static enum cm_status without_place(enum cm_status status, struct cm_error *err)
{
    if (status != CM_OK && err->file[0] == '\0') {
        err->line = err->column = 0;
        err->source[0] = '\0';
    }
    if (status != CM_OK && strncmp(err->hint, "named at :", 10) == 0)
        err->hint[0] = '\0';
    return status;
}

/* Interrupts a run after a step if it has taken too many cycles. A callback of cm_run_options. */
static void count_cycles(void *context, uint64_t done, uint64_t total)
{
    struct cm_judge_side *side = context;
    (void)done;
    (void)total;
    if (side->run == NULL || cm_run_result(side->run)->total.cycles <= side->max_cycles)
        return;
    side->too_long = true;
    cm_run_interrupt(side->run);
}

enum cm_status cm_judge_prepare(struct cm_judged *judged, const char *path,
                                struct cm_judge_side *side, struct cm_error *err)
{
    char nodes[CM_LESSON_VALUE_BYTES], set[CM_LESSON_VALUE_BYTES], value[CM_LESSON_VALUE_BYTES];
    char machine[2 * CM_LESSON_PATH_BYTES], reference[2 * CM_LESSON_PATH_BYTES];
    find_machine(judged, machine);
    cm_lesson_value(judged->task, "nodes", 0, nodes);
    cm_lesson_value(judged->task, "reference", 0, value);
    snprintf(reference, sizeof reference, "%s%s", judged->lesson->root, value);
    const char *const sets[] = {set};
    const struct cm_run_options options = {.machine = machine,
                                           .sets = sets,
                                           .set_count =
                                               cm_lesson_value(judged->task, "set", 0, set),
                                           .nodes = (uint32_t)strtoul(nodes, NULL, 10),
                                           .no_check = side->is_student,
                                           .progress = side->is_student ? count_cycles : NULL,
                                           .progress_context = side,
                                           .max_output = judged->judging->max_output,
                                           /* solutions of others lie in the same folder */
                                           .no_files = true};
    side->program = cm_fortran_is_source_name(path);
    side->max_cycles = judged->judging->max_cycles;
    enum cm_status status = side->program ? read_program(judged, path, reference, side, err)
                                          : read_workload(judged, path, side, err);
    if (status == CM_OK)
        status = cm_run_create(side->workload, &options, &side->run, err);
    return side->program ? without_place(status, err) : status;
}

/* ---- execution ---- */

/* The thread that ends a run when its time is over. A web page has no threads, and its user ends
 * runs. */
struct guard {
    struct cm_run *run;
    struct timespec end;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool ended; /* true once the run has ended */
    bool late;  /* true if the thread has interrupted the run */
};

static double now_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void *wait_for_end(void *given)
{
    struct guard *guard = given;
    pthread_mutex_lock(&guard->mutex);
    while (!guard->ended && !guard->late)
        guard->late = pthread_cond_timedwait(&guard->changed, &guard->mutex, &guard->end) != 0;
    if (guard->ended)
        guard->late = false;
    else
        cm_run_interrupt(guard->run);
    pthread_mutex_unlock(&guard->mutex);
    return NULL;
}

static enum cm_status begin_guard(struct guard *guard, double seconds, struct cm_error *err)
{
    if (CM_FOR_A_PAGE)
        return CM_OK;
    pthread_condattr_t attributes;
    double end = now_seconds() + fmax(seconds, 0);
    guard->end = (struct timespec){.tv_sec = (time_t)end, .tv_nsec = (long)(1e9 * fmod(end, 1))};
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&guard->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_mutex_init(&guard->mutex, NULL);
    if (pthread_create(&guard->thread, NULL, wait_for_end, guard) == 0)
        return CM_OK;
    pthread_cond_destroy(&guard->changed);
    pthread_mutex_destroy(&guard->mutex);
    return cm_error_no_memory(err);
}

static void end_guard(struct guard *guard)
{
    if (CM_FOR_A_PAGE)
        return;
    pthread_mutex_lock(&guard->mutex);
    guard->ended = true;
    pthread_cond_signal(&guard->changed);
    pthread_mutex_unlock(&guard->mutex);
    pthread_join(guard->thread, NULL);
    pthread_cond_destroy(&guard->changed);
    pthread_mutex_destroy(&guard->mutex);
}

static enum cm_status ended_by_host(struct cm_error *err)
{
    return cm_error_set(err, CM_INTERRUPTED, "interrupted");
}

/* Makes a reason of the end of a solution that failed or was stopped. An interrupt by the person
 * and a lack of memory stay errors. */
static enum cm_status give_reason(struct cm_judged *judged, const struct cm_judge_side *side,
                                  bool late, enum cm_status status, struct cm_error *err)
{
    if (late)
        cm_judge_reason(judged, "it was stopped after %g seconds", judged->judging->max_seconds);
    else if (side->too_long)
        cm_judge_reason(judged, "it was stopped after %" PRIu64 " cycles",
                        judged->judging->max_cycles);
    else if (status == CM_INTERRUPTED)
        return ended_by_host(err);
    else if (status == CM_NO_MEMORY)
        return status;
    else
        cm_judge_reason_error(judged, err);
    return CM_OK;
}

enum cm_status cm_judge_execute(struct cm_judged *judged, struct cm_judge_side *side,
                                struct cm_error *err)
{
    const struct cm_lesson_host *host = judged->host;
    struct guard guard = {.run = side->run};
    if (!side->is_student) {
        enum cm_status status = cm_run_execute_watched(side->run, host->watch, host->context, err);
        return status == CM_INTERRUPTED ? ended_by_host(err) : status;
    }
    double begin = now_seconds();
    enum cm_status status = begin_guard(&guard, judged->seconds_left, err);
    if (status != CM_OK)
        return status;
    status = cm_run_execute_watched(side->run, host->watch, host->context, err);
    end_guard(&guard);
    judged->seconds_left -= now_seconds() - begin;
    if (status == CM_OK)
        return CM_OK;
    if (side->program)
        without_place(status, err);
    return give_reason(judged, side, guard.late, status, err);
}
