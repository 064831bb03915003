/*
 * The journal of a sweep and its worker processes. A worker takes the number of the next run from
 * shared memory, makes the run, and appends its line to the journal by a single write, so that
 * lines are whole however many workers write. A worker that is killed loses only the run it was
 * making.
 *
 * The caller's process starts the workers, waits for them and reports progress. It takes signals:
 * the workers ignore Ctrl-C, and end after their current run because of `stop`.
 */
#include "../base/file.h"
#include "sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define JOURNAL_MAX_BYTES ((size_t)8 << 30)
#define JOBS_MAX          256u
static const char head_format[] =
    "{\"format\": \"cm200-sweep/1\", \"sweep\": \"%s\", \"runs\": %" PRIu32 "}\n";

/* Memory that all processes of a sweep share. */
struct shared {
    atomic_uint next, done;
    atomic_bool stop;
    atomic_bool failed;  /* true once a worker has set `err` */
    struct cm_error err; /* of the first worker that failed. Read when the workers have ended. */
};

struct work {
    const struct cm_sweep *sweep;
    const struct cm_sweep_host *host;
    struct shared *shared;
    uint32_t *left; /* numbers of the runs that the journal lacked */
    uint32_t count;
    int journal; /* file descriptor, -1 while the journal is not open */
    time_t began;
    pid_t workers[JOBS_MAX];
    uint32_t worker_count;
};

/* ---- the journal ---- */

/* Notes where a line of the journal is. False if the line is not that of a run. */
static bool take_line(const struct cm_sweep *sweep, struct cm_sweep_lines *lines, const char *line,
                      size_t length)
{
    static const char begin[] = "{\"run\": ";
    char *end;
    if (length < sizeof begin || memcmp(line, begin, sizeof begin - 1) != 0)
        return false;
    unsigned long run = strtoul(line + sizeof begin - 1, &end, 10);
    if (*end != ',' || run >= sweep->runs)
        return false;
    lines->count += lines->lines[run] == NULL;
    lines->lines[run] = line;
    lines->lengths[run] = length;
    return true;
}

static enum cm_status refuse_another(const struct cm_sweep *sweep, struct cm_error *err)
{
    cm_error_at(err, CM_BAD_INPUT, sweep->settings.journal, 0, 0,
                "this is the journal of another sweep, which was not finished");
    return cm_error_hint(err, "finish that one by its own command, or remove the file");
}

enum cm_status cm_sweep_read_journal(const struct cm_sweep *sweep, struct cm_sweep_lines *lines,
                                     size_t *whole, struct cm_error *err)
{
    char head[160];
    int head_length = snprintf(head, sizeof head, head_format, sweep->signature, sweep->runs);
    *lines = (struct cm_sweep_lines){0};
    *whole = 0;
    lines->lines = calloc(sweep->runs, sizeof *lines->lines);
    lines->lengths = calloc(sweep->runs, sizeof *lines->lengths);
    if (lines->lines == NULL || lines->lengths == NULL)
        return cm_error_no_memory(err);
    if (access(sweep->settings.journal, F_OK) != 0 && errno == ENOENT)
        return CM_OK;
    enum cm_status status =
        cm_file_read(sweep->settings.journal, JOURNAL_MAX_BYTES, &lines->text, &lines->length, err);
    if (status != CM_OK || lines->length == 0)
        return status;
    size_t at = (size_t)head_length;
    if (lines->length < at || memcmp(lines->text, head, at) != 0)
        return refuse_another(sweep, err);
    for (*whole = at; at < lines->length; *whole = at) {
        const char *line = lines->text + at, *end = memchr(line, '\n', lines->length - at);
        if (end == NULL || !take_line(sweep, lines, line, (size_t)(end - line)))
            break;
        at += (size_t)(end - line) + 1;
    }
    return CM_OK;
}

void cm_sweep_free_lines(struct cm_sweep_lines *lines)
{
    free(lines->text);
    free(lines->lines);
    free(lines->lengths);
}

static enum cm_status refuse_writing(const struct work *work, int reason, struct cm_error *err)
{
    return cm_error_at(err, CM_IO, work->sweep->settings.journal, 0, 0, "cannot write it: %s",
                       strerror(reason));
}

/* Opens the journal for appending, locks it, and cuts it to its `whole` bytes. A new journal gets
 * its head. */
static enum cm_status open_journal(struct work *work, size_t whole, struct cm_error *err)
{
    const char *path = work->sweep->settings.journal;
    char head[160];
    work->journal = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (work->journal < 0)
        return refuse_writing(work, errno, err);
    if (flock(work->journal, LOCK_EX | LOCK_NB) != 0)
        return cm_error_at(err, CM_IO, path, 0, 0, "another sweep is writing this journal");
    int length =
        snprintf(head, sizeof head, head_format, work->sweep->signature, work->sweep->runs);
    if (ftruncate(work->journal, (off_t)whole) == 0 &&
        (whole > 0 || write(work->journal, head, (size_t)length) == length))
        return CM_OK;
    return refuse_writing(work, errno, err);
}

static enum cm_status add_line(const struct work *work, const struct cm_buffer *line,
                               struct cm_error *err)
{
    ssize_t written = write(work->journal, line->data, line->length);
    if (written == (ssize_t)line->length)
        return CM_OK;
    return refuse_writing(work, written < 0 ? errno : ENOSPC, err);
}

/* ---- a worker ---- */

/* Makes runs until none is left, or the sweep stops. An error ends the sweep. */
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

/* Starts a worker. The worker is killed when the process of the sweep ends, however that ends. */
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

/* Estimates the time left from the pace of the runs that were made. */
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

/* Waits for all workers. Fails if a signal ended a worker. */
static enum cm_status wait_for_workers(struct work *work, struct cm_error *err)
{
    const struct timespec pause = {.tv_nsec = 5000000};
    enum cm_status status = CM_OK;
    uint32_t there = work->worker_count;
    while (there > 0) {
        int ended;
        pid_t child = waitpid(-1, &ended, WNOHANG);
        if (child <= 0) {
            report_progress(work);
            nanosleep(&pause, NULL);
            continue;
        }
        there--;
        if (!WIFEXITED(ended) && status == CM_OK)
            status = refuse_signal(work, WTERMSIG(ended), err);
    }
    return status;
}

static enum cm_status make_runs(struct work *work, struct cm_error *err)
{
    uint64_t jobs = work->sweep->settings.jobs;
    enum cm_status status = CM_OK;
    if (jobs == 0)
        jobs = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
    jobs = jobs < work->count ? jobs : work->count;
    fflush(NULL);
    work->began = time(NULL);
    work->host->watch(work, stop);
    for (uint64_t j = 0; j < jobs && j < JOBS_MAX; j++)
        fork_worker(work);
    if (work->worker_count > 0)
        status = wait_for_workers(work, err);
    else
        be_worker(work);
    if (!work->host->watch(NULL, stop))
        return cm_error_set(err, CM_INTERRUPTED, "interrupted");
    if (status == CM_OK && work->shared->failed) {
        *err = work->shared->err;
        status = err->status;
    }
    return status;
}

/* Maps the shared memory, and lists the runs that the journal lacks. */
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
        status = open_journal(&work, whole, err);
    if (status == CM_OK && lines.count > 0)
        host->resumed(host->context, lines.count);
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
