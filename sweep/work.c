/*
 * The worker processes of a sweep. A worker takes the number of the next run from shared memory,
 * makes the run, and appends its line to the journal. A worker that is killed loses only the run
 * that it was making.
 *
 * The caller's process starts the workers, waits for them and reports progress. It takes signals:
 * the workers ignore Ctrl-C. When the sweep stops, the caller's process ends the workers by
 * SIGTERM, which they hold back while they write a line.
 */
#include "sweep.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define JOBS_MAX 256u
#define PAUSE_NS 5000000 /* nanoseconds between two checks of the workers */
/* number of checks after which workers that got the signal to end are killed */
#define KILL_AFTER 100

/* Memory that the worker processes share. */
struct shared {
    atomic_uint next, done;
    atomic_bool stop;
    atomic_bool failed; /* true once a worker has set `err` */
    /* error of the first worker that failed. It is read when all workers have ended. */
    struct cm_error err;
};

struct work {
    const struct cm_sweep *sweep;
    const struct cm_sweep_host *host;
    struct shared *shared;
    uint32_t *left; /* numbers of the runs that the journal lacks */
    uint32_t count;
    int journal; /* file descriptor of the journal. -1: the journal is not open */
    time_t began;
    pid_t workers[JOBS_MAX]; /* process ids of the workers. 0: the worker has ended */
    uint32_t worker_count;
};

/* ---- a worker ---- */

/* Adds the line of a run to the journal. A signal waits until the line is written completely. */
static enum cm_status add_line(const struct work *work, const struct cm_buffer *line,
                               struct cm_error *err)
{
    sigset_t held, before;
    sigemptyset(&held);
    sigaddset(&held, SIGTERM);
    sigprocmask(SIG_BLOCK, &held, &before);
    enum cm_status status = cm_sweep_add_line(work->sweep, work->journal, line, err);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return status;
}

/* Makes runs until no run is left, or until the sweep stops. An error ends the sweep. */
static enum cm_status be_worker(const struct work *work)
{
    struct shared *shared = work->shared;
    struct cm_error err = {0};
    enum cm_status status = CM_OK;
    while (status == CM_OK && !atomic_load(&shared->stop)) {
        uint32_t i = atomic_fetch_add(&shared->next, 1);
        struct cm_buffer line;
        if (i >= work->count)
            break;
        cm_buffer_init(&line);
        status = cm_sweep_run(work->sweep, work->left[i], &line, &err);
        if (status == CM_OK)
            status = add_line(work, &line, &err);
        cm_buffer_finish(&line);
        atomic_fetch_add(&shared->done, 1);
    }
    if (status == CM_OK)
        return status;
    if (!atomic_exchange(&shared->failed, true))
        shared->err = err;
    atomic_store(&shared->stop, true);
    return status;
}

/* Starts a worker process. The kernel kills the worker if the caller's process ends in any way. If
 * the host allows no more processes, the function does nothing. */
static void fork_worker(struct work *work)
{
    pid_t parent = getpid(), child = fork();
    if (child < 0)
        return;
    if (child > 0) {
        work->workers[work->worker_count++] = child;
        return;
    }
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    _exit(getppid() == parent ? cm_status_exit_code(be_worker(work)) : 0);
}

/* ---- the sweep ---- */

static void stop(void *work)
{
    atomic_store(&((struct work *)work)->shared->stop, true);
}

static enum cm_status refuse_signal(const struct work *work, int number, struct cm_error *err)
{
    cm_error_set(err, CM_INTERNAL, "a process of the sweep was ended by signal %d", number);
    return cm_error_hint(err, "%s has the runs that are done; the same command goes on from there",
                         work->sweep->settings.journal);
}

/* Estimates the seconds left from the time that the finished runs took. */
static double seconds_left(const struct work *work, uint32_t done)
{
    double passed = (double)(time(NULL) - work->began);
    return done == 0 ? -1 : passed / done * (work->count - done);
}

static void report_progress(const struct work *work)
{
    uint32_t done = atomic_load(&work->shared->done);
    work->host->progress(work->host->context, work->sweep->runs - work->count + done,
                         seconds_left(work, done));
}

/* Ends the workers that still run. A worker that is stopped is continued, so that it can end. After
 * many checks (`looks`), workers that still run are killed. */
static void end_workers(const struct work *work, uint32_t looks)
{
    if (looks != 0 && looks != KILL_AFTER)
        return;
    for (uint32_t i = 0; i < work->worker_count; i++) {
        if (work->workers[i] == 0)
            continue;
        kill(work->workers[i], looks == 0 ? SIGTERM : SIGKILL);
        kill(work->workers[i], SIGCONT);
    }
}

/* Collects the exit status of a worker, if one has ended. Returns false if no worker has ended.
 * Sets *number to the signal that ended the worker, or to 0. */
static bool take_end(struct work *work, int *number)
{
    int ended;
    pid_t child = waitpid(-1, &ended, WNOHANG);
    if (child <= 0)
        return false;
    for (uint32_t i = 0; i < work->worker_count; i++)
        if (work->workers[i] == child)
            work->workers[i] = 0;
    *number = WIFEXITED(ended) ? 0 : WTERMSIG(ended);
    return true;
}

/* Waits until all workers have ended. Fails if a signal ended a worker while the sweep was not
 * stopping. */
static enum cm_status wait_for_workers(struct work *work, struct cm_error *err)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    enum cm_status status = CM_OK;
    uint32_t there = work->worker_count, looks = 0;
    while (there > 0) {
        int number;
        bool stopped = atomic_load(&work->shared->stop);
        if (stopped)
            end_workers(work, looks++);
        if (!take_end(work, &number)) {
            report_progress(work);
            nanosleep(&pause, NULL);
            continue;
        }
        there--;
        if (number != 0 && !stopped && status == CM_OK)
            status = refuse_signal(work, number, err);
    }
    return status;
}

static enum cm_status make_runs(struct work *work, struct cm_error *err)
{
    uint64_t jobs = work->sweep->settings.jobs;
    if (jobs == 0)
        jobs = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
    jobs = jobs < work->count ? jobs : work->count;
    fflush(NULL);
    work->began = time(NULL);
    work->host->watch(work, stop);
    for (uint64_t j = 0; j < jobs && j < JOBS_MAX; j++)
        fork_worker(work);
    enum cm_status status =
        work->worker_count > 0
            ? wait_for_workers(work, err)
            : cm_error_set(err, CM_IO, "cannot start a process: %s", strerror(errno));
    if (!work->host->watch(NULL, stop))
        return cm_error_set(err, CM_INTERRUPTED, "interrupted");
    if (status == CM_OK && work->shared->failed) {
        *err = work->shared->err;
        status = err->status;
    }
    return status;
}

/* Maps the shared memory, and makes the list of runs that the journal lacks. */
static enum cm_status prepare(struct work *work, const struct cm_sweep_lines *lines,
                              struct cm_error *err)
{
    void *shared =
        mmap(NULL, sizeof *work->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    work->shared = shared != MAP_FAILED ? shared : NULL;
    work->left = calloc(work->sweep->runs, sizeof *work->left);
    if (work->shared == NULL || work->left == NULL)
        return cm_error_no_memory(err);
    for (uint32_t run = 0; run < work->sweep->runs; run++)
        if (lines->lines[run] == NULL)
            work->left[work->count++] = run;
    return CM_OK;
}

enum cm_status cm_sweep_work(const struct cm_sweep *sweep, const struct cm_sweep_host *host,
                             struct cm_error *err)
{
    struct work work = {.sweep = sweep, .host = host, .journal = -1};
    struct cm_sweep_lines lines;
    size_t whole;
    enum cm_status status = cm_sweep_read_journal(sweep, &lines, &whole, err);
    if (status == CM_OK)
        status = prepare(&work, &lines, err);
    if (status == CM_OK)
        status = cm_sweep_open_journal(sweep, whole, &work.journal, err);
    if (status == CM_OK && lines.length > 0)
        host->resumed(host->context, &lines);
    cm_sweep_free_lines(&lines);
    if (status == CM_OK && work.count > 0)
        status = make_runs(&work, err);
    if (work.journal >= 0)
        close(work.journal);
    if (work.shared != NULL)
        munmap(work.shared, sizeof *work.shared);
    free(work.left);
    return status;
}
