/*
 * The processes of a sweep. Each takes the next run that is left, and adds its line to the journal
 * by one write, so lines are whole however many write. What is killed loses the runs it was at.
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

struct shared { /* between the processes */
    atomic_uint next, done;
    atomic_bool stop;
};

struct work {
    struct cm_sweep *sweep;
    struct shared *shared;
    uint32_t *left; /* runs to make */
    uint32_t count;
    int journal;
    time_t began;
    pid_t workers[JOBS_MAX];
    uint32_t worker_count;
};

/* Reading what is there. */

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

static enum cm_status another(const struct cm_sweep *sweep, struct cm_error *err)
{
    cm_error_at(err, CM_BAD_INPUT, sweep->journal.data, 0, 0,
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
    if (access(sweep->journal.data, F_OK) != 0 && errno == ENOENT)
        return CM_OK;
    enum cm_status status =
        cm_file_read(sweep->journal.data, JOURNAL_MAX_BYTES, &lines->text, &lines->length, err);
    if (status != CM_OK || lines->length == 0)
        return status;
    size_t at = (size_t)head_length;
    if (lines->length < at || memcmp(lines->text, head, at) != 0)
        return another(sweep, err);
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

/* The journal, open for adding and held alone; what was cut off is cut off. */
static int open_journal(struct work *work, size_t whole)
{
    const char *path = work->sweep->journal.data;
    struct cm_error err;
    char head[160];
    work->journal = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (work->journal < 0) {
        cm_error_at(&err, CM_IO, path, 0, 0, "cannot write it: %s", strerror(errno));
        return shell_error(&err);
    }
    if (flock(work->journal, LOCK_EX | LOCK_NB) != 0) {
        cm_error_at(&err, CM_IO, path, 0, 0, "another sweep is writing this journal");
        return shell_error(&err);
    }
    int length =
        snprintf(head, sizeof head, head_format, work->sweep->signature, work->sweep->runs);
    if (ftruncate(work->journal, (off_t)whole) == 0 &&
        (whole > 0 || write(work->journal, head, (size_t)length) == length))
        return 0;
    cm_error_at(&err, CM_IO, path, 0, 0, "cannot write it: %s", strerror(errno));
    return shell_error(&err);
}

/* A worker. */

static int add_line(const struct work *work, const struct cm_buffer *line)
{
    struct cm_error err;
    ssize_t written = write(work->journal, line->data, line->length);
    if (written == (ssize_t)line->length)
        return 0;
    cm_error_at(&err, CM_IO, work->sweep->journal.data, 0, 0, "cannot write it: %s",
                strerror(written < 0 ? errno : ENOSPC));
    return shell_error(&err);
}

static int be_worker(const struct work *work)
{
    int code = 0;
    while (code == 0 && !atomic_load(&work->shared->stop)) {
        uint32_t i = atomic_fetch_add(&work->shared->next, 1);
        struct cm_buffer line;
        if (i >= work->count)
            break;
        cm_buffer_init(&line);
        enum cm_status status = cm_sweep_run(work->sweep, work->left[i], &line);
        code = status == CM_OK ? add_line(work, &line) : cm_status_exit_code(status);
        cm_buffer_finish(&line);
        atomic_fetch_add(&work->shared->done, 1);
    }
    if (code != 0)
        atomic_store(&work->shared->stop, true);
    return code;
}

/* A worker ends with the sweep, however that ends; signals are the sweep's. */
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
    _exit(getppid() == parent ? be_worker(work) : 0);
}

/* The sweep. */

static void stop(void *work)
{
    atomic_store(&((struct work *)work)->shared->stop, true);
}

static int worker_ended(const struct work *work, int status)
{
    struct cm_error err;
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    cm_error_set(&err, CM_INTERNAL, "a process of the sweep was ended by signal %d",
                 WTERMSIG(status));
    cm_error_hint(&err, "%s has the runs that are done; the same command goes on from there",
                  work->sweep->journal.data);
    return shell_error(&err);
}

/* At the pace of the runs that were made. */
static double seconds_left(void *context)
{
    const struct work *work = context;
    uint32_t done = atomic_load(&work->shared->done);
    double passed = (double)(time(NULL) - work->began);
    return done == 0 ? -1 : passed / done * (work->count - done);
}

static int wait_for_workers(struct work *work)
{
    const struct timespec moment = {.tv_nsec = 5000000};
    struct shell_progress progress;
    int code = 0;
    uint32_t there = work->worker_count;
    shell_progress_begin(&progress, work->sweep->values->quiet);
    progress.what = "run";
    progress.left = seconds_left;
    progress.left_context = work;
    shell_progress_ask(&progress, "sweep", work->sweep->values->progress);
    while (there > 0) {
        int status;
        pid_t child = waitpid(-1, &status, WNOHANG);
        if (child > 0) {
            there--;
            code = shell_first_of(code, worker_ended(work, status));
            continue;
        }
        shell_progress_step(&progress, work->sweep->runs - work->count + work->shared->done,
                            work->sweep->runs);
        nanosleep(&moment, NULL);
    }
    shell_progress_end(&progress);
    return code;
}

static int make_runs(struct work *work)
{
    uint64_t jobs = work->sweep->values->jobs;
    if (jobs == 0)
        jobs = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
    jobs = jobs < work->count ? jobs : work->count;
    fflush(NULL);
    work->began = time(NULL);
    shell_interrupt_watch(work, stop);
    for (uint64_t j = 0; j < jobs && j < JOBS_MAX; j++)
        fork_worker(work);
    int code = work->worker_count > 0 ? wait_for_workers(work) : be_worker(work);
    bool on = shell_interrupt_watch(NULL, stop);
    if (on)
        return code;
    fprintf(stderr,
            "cm200: interrupted; %s has the runs that are done, and the same command goes on from "
            "there\n",
            shell_shown(work->sweep->journal.data).text);
    cm_sweep_report_partial(work->sweep);
    return shell_interrupt_code();
}

static int share(struct work *work, const struct cm_sweep_lines *lines)
{
    void *shared =
        mmap(NULL, sizeof *work->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    work->shared = shared != MAP_FAILED ? shared : NULL;
    work->left = calloc(work->sweep->runs, sizeof *work->left);
    if (work->shared == NULL || work->left == NULL)
        return shell_no_memory();
    for (uint32_t run = 0; run < work->sweep->runs; run++)
        if (lines->lines[run] == NULL)
            work->left[work->count++] = run;
    return 0;
}

int cm_sweep_work(struct cm_sweep *sweep)
{
    struct work work = {.sweep = sweep, .journal = -1};
    struct cm_sweep_lines lines;
    struct cm_error err;
    size_t whole;
    enum cm_status status = cm_sweep_read_journal(sweep, &lines, &whole, &err);
    int code = status == CM_OK ? share(&work, &lines) : shell_error(&err);
    if (code == 0)
        code = open_journal(&work, whole);
    if (code == 0 && lines.count > 0 && !sweep->values->quiet)
        fprintf(stderr, "cm200: going on: %" PRIu32 " of %" PRIu32 " runs are done\n", lines.count,
                sweep->runs);
    cm_sweep_free_lines(&lines);
    if (code == 0 && work.count > 0)
        code = make_runs(&work);
    if (work.journal >= 0)
        close(work.journal);
    if (work.shared != NULL)
        munmap(work.shared, sizeof *work.shared);
    free(work.left);
    return code;
}
