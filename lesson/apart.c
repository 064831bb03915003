/*
 * Judges a solution in a process of its own, so that no file of a student can stop the marking of a
 * class. The child sends its mark through a pipe. The parent ends a child that sends no mark in
 * time.
 */
#include "lesson.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

/* address space that a child may take, in bytes. A sanitizer maps far more. */
#define MEMORY_BYTES (UINT64_C(8) << 30)
/* Seconds that a child may take besides the runs of the solution. Reading, compiling and the runs
 * of the reference take most of this time. */
#define OTHER_SECONDS 20

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define IS_SANITIZED true
#elif defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define IS_SANITIZED true
#endif
#endif
#ifndef IS_SANITIZED
#define IS_SANITIZED false
#endif

/* Writes an error as the reason of a mark, with its place. */
static void explain(struct cm_lesson_mark *mark, const struct cm_error *err)
{
    if (err->file[0] != '\0' && err->line > 0)
        snprintf(mark->reason, sizeof mark->reason, "%.100s:%" PRIu32 ":%" PRIu32 ": %.350s",
                 err->file, err->line, err->column, err->message);
    else
        snprintf(mark->reason, sizeof mark->reason, "%.100s%s%.350s", err->file,
                 err->file[0] != '\0' ? ": " : "", err->message);
}

/* Judges the solution in the child process, sends the mark, and ends the process. */
static void judge(const struct cm_lesson *lesson, const char *file,
                  const struct cm_lesson_host *host, const struct cm_lesson_judging *judging,
                  int pipe_end)
{
    const struct rlimit memory = {.rlim_cur = MEMORY_BYTES, .rlim_max = MEMORY_BYTES};
    struct cm_lesson_judgement judgement = {.judging = *judging};
    struct cm_lesson_mark mark;
    struct cm_error err = {0};
    memset(&mark, 0, sizeof mark);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (!IS_SANITIZED)
        setrlimit(RLIMIT_AS, &memory);
    cm_buffer_init(&judgement.text);
    enum cm_status status = cm_lesson_judge(lesson, file, host, &judgement, &err);
    if (status == CM_INTERRUPTED)
        _exit(SIGINT);
    mark.passed = judgement.passed;
    mark.points = judgement.points;
    if (status == CM_OK)
        snprintf(mark.reason, sizeof mark.reason, "%s", judgement.reason);
    else
        explain(&mark, &err);
    cm_buffer_finish(&judgement.text);
    ssize_t sent = write(pipe_end, &mark, sizeof mark);
    _exit(sent == (ssize_t)sizeof mark ? 0 : 1);
}

static int64_t now_milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Reads the mark that a child sends. Returns false if the child ends, or the time is over, before
 * that. *late becomes true if the time is over. */
static bool receive(int pipe_end, double seconds, struct cm_lesson_mark *mark, bool *late)
{
    char *bytes = (char *)mark;
    size_t have = 0;
    int64_t end = now_milliseconds() + (int64_t)(1000 * seconds);
    while (have < sizeof *mark) {
        struct pollfd ready = {.fd = pipe_end, .events = POLLIN};
        int64_t left = end - now_milliseconds();
        int count = left > 0 ? poll(&ready, 1, left < 60000 ? (int)left : 60000) : 0;
        *late = left <= 0;
        if (*late)
            return false;
        if (count <= 0)
            continue;
        ssize_t n = read(pipe_end, bytes + have, sizeof *mark - have);
        if (n <= 0 && !(n < 0 && errno == EINTR))
            return false;
        have += n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* Waits for the end of a child. Returns its status as waitpid does. */
static int wait_for(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

enum cm_status cm_lesson_judge_apart(const struct cm_lesson *lesson, const char *file,
                                     const struct cm_lesson_host *host,
                                     const struct cm_lesson_judging *judging,
                                     struct cm_lesson_mark *mark, struct cm_error *err)
{
    int ends[2];
    bool late = false;
    if (pipe(ends) != 0)
        return cm_error_set(err, CM_IO, "a pipe cannot be made");
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        judge(lesson, file, host, judging, ends[1]);
    }
    close(ends[1]);
    memset(mark, 0, sizeof *mark);
    bool received =
        child > 0 && receive(ends[0], judging->max_seconds + OTHER_SECONDS, mark, &late);
    close(ends[0]);
    if (child < 0)
        return cm_error_set(err, CM_IO, "a process cannot be made");
    if (late)
        kill(child, SIGKILL);
    int status = wait_for(child);
    if (received)
        return CM_OK;
    if (!late && WIFEXITED(status) && WEXITSTATUS(status) == SIGINT)
        return cm_error_set(err, CM_INTERRUPTED, "interrupted");
    memset(mark, 0, sizeof *mark);
    snprintf(mark->reason, sizeof mark->reason,
             late ? "it was stopped after %g seconds, before it ran" : "the judge failed on it",
             judging->max_seconds + OTHER_SECONDS);
    return CM_OK;
}
