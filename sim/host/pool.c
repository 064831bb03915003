/*
 * A pool of host threads, a barrier at which threads spin before they sleep, and the choice between
 * all workers and one.
 */
#include "pool.h"

#include "../../base/page.h"
#include "../../base/random.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

/* Time for which a thread spins before it sleeps, in nanoseconds. The time is longer than a host
 * takes to wake a thread, because otherwise one late thread would make the next one late. */
#define PATIENCE UINT64_C(100000)
#define SPINS    16u /* reads of a flag between two reads of the clock */

/* Speed is judged over several runs, because a host gives its processors to programs
 * alternately. */
#define JUDGED_NSEC UINT64_C(4000000)
#define JUDGED_RUNS 2u /* fewest runs that are judged together */
/* After a lost trial, all workers run for this many times the time of the trial. */
#define TRIAL_SHARE    50u
#define WON_BY_PERCENT 10u /* margin by which one worker must be faster to win a trial */
/* Time for which one worker runs after a won trial, before all workers are tried again, in
 * nanoseconds. It doubles with every won trial. */
#define PAUSE_LEAST_NSEC UINT64_C(60000000)
#define PAUSE_MOST_NSEC  UINT64_C(480000000)

/* log2 of the number of entries in the table of known kinds of runs. A new kind replaces an old
 * kind with the same hash. */
#define KIND_BITS 6u
/* reciprocal of the weight that the newest run has in the mean time of its kind */
#define NEWEST_SHARE 2u

enum mode {
    PARALLEL, /* all workers, each on its own thread */
    TRIAL,    /* one worker, to measure whether one is faster */
    SINGLE,   /* one worker, after a won trial */
};

/* Kind of runs, and the mean time that all workers need for one unit of work in runs of this kind,
 * in nanoseconds. 0 means that the time is unknown. */
struct kind {
    const void *kind; /* tag of the runs, or NULL if the entry is unused */
    double unit_nsec;
};

struct cm_pool {
    uint32_t count;
    uint32_t started; /* number of threads made: count - 1 in a complete pool */
    pthread_t *threads;
    struct cm_pool_thread *seats;
    cm_pool_function function;
    void *context;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    atomic_uint job;  /* number of the current or last run */
    atomic_uint busy; /* number of threads that have not finished the run */
    atomic_bool closing;
    atomic_uint arrived; /* number of workers that wait at the barrier */
    atomic_uint passed;  /* number of barriers completed */
    atomic_bool given_up;
    atomic_uint asleep;
    /* The members below belong to the thread that calls cm_pool_run. */
    enum mode mode;
    bool alternates;      /* for tests: every second run has one worker */
    const uint64_t *work; /* counter of finished work, or NULL if every run counts as 1 */
    uint32_t runs;        /* number of runs that are being judged */
    uint64_t spent;       /* time of the judged runs, in nanoseconds */
    struct kind kinds[1u << KIND_BITS];
    /* Sums over the runs of a trial whose kind is known, in nanoseconds: the time measured with one
     * worker, and the time expected with all workers. */
    double trial_nsec, parallel_nsec;
    uint64_t until; /* time before which the mode does not change, in nanoseconds */
    uint64_t pause;
};

struct cm_pool_thread {
    struct cm_pool *pool;
    uint32_t index;
};

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
}

/* Spins until *number differs from `seen` or, if `in_run`, until a worker gives up the run. Returns
 * false when neither happened within PATIENCE. */
static bool spin_for_change(const struct cm_pool *pool, const atomic_uint *number, unsigned seen,
                            bool in_run)
{
    uint64_t until = 0;
    do {
        for (uint32_t spins = 0; spins < SPINS; spins++) {
            if (atomic_load(number) != seen || (in_run && atomic_load(&pool->given_up)))
                return true;
            relax();
        }
        if (until == 0)
            until = now() + PATIENCE;
    } while (now() < until);
    return false;
}

/*
 * Waits until *number differs from `seen` or, if `in_run`, until a worker gives up the run. The
 * thread sleeps after some time, because the thread that it waits for may need its processor.
 */
static void wait_for_change(struct cm_pool *pool, const atomic_uint *number, unsigned seen,
                            bool in_run)
{
    if (spin_for_change(pool, number, seen, in_run))
        return;
    pthread_mutex_lock(&pool->mutex);
    atomic_fetch_add(&pool->asleep, 1);
    while (atomic_load(number) == seen && !(in_run && atomic_load(&pool->given_up)))
        pthread_cond_wait(&pool->wake, &pool->mutex);
    atomic_fetch_sub(&pool->asleep, 1);
    pthread_mutex_unlock(&pool->mutex);
}

/* Wakes sleeping threads. The caller has changed a number that they may wait for. */
static void wake(struct cm_pool *pool)
{
    if (atomic_load(&pool->asleep) == 0)
        return;
    pthread_mutex_lock(&pool->mutex);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
}

/* Waits for the run after run number `seen`. Returns false when the pool closes. */
static bool wait_for_job(struct cm_pool *pool, unsigned seen)
{
    wait_for_change(pool, &pool->job, seen, false);
    return !atomic_load(&pool->closing);
}

static void *serve(void *argument)
{
    const struct cm_pool_thread *seat = argument;
    struct cm_pool *pool = seat->pool;
    for (unsigned seen = 0; wait_for_job(pool, seen); seen++) {
        pool->function(pool->context, seat->index);
        atomic_fetch_sub(&pool->busy, 1);
        wake(pool);
    }
    return NULL;
}

/* Starts a worker's thread with all signals blocked, so that signals go to the program's own
 * threads alone. */
static bool start_thread(struct cm_pool *pool, uint32_t index)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&pool->threads[index], NULL, serve, &pool->seats[index]) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

static void announce(struct cm_pool *pool)
{
    atomic_fetch_add(&pool->job, 1);
    wake(pool);
}

enum cm_status cm_pool_create(uint32_t count, struct cm_pool **out, struct cm_error *err)
{
    struct cm_pool *pool = calloc(1, sizeof *pool);
    if (!pool)
        return cm_error_no_memory(err);
    pool->count = count;
    pool->pause = PAUSE_LEAST_NSEC;
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pool->threads = calloc(count, sizeof *pool->threads);
    pool->seats = calloc(count, sizeof *pool->seats);
    if (!pool->threads || !pool->seats) {
        cm_pool_destroy(pool);
        return cm_error_no_memory(err);
    }
    for (uint32_t i = 1; i < count; i++) {
        pool->seats[i] = (struct cm_pool_thread){.pool = pool, .index = i};
        if (CM_FOR_A_PAGE || !start_thread(pool, i))
            goto refused;
        pool->started++;
    }
    *out = pool;
    return CM_OK;

refused:
    cm_pool_destroy(pool);
    cm_error_set(err, CM_NO_MEMORY, "the host refused %u threads", (unsigned)count);
    cm_error_hint(err, "use fewer threads");
    return CM_NO_MEMORY;
}

void cm_pool_destroy(struct cm_pool *pool)
{
    if (!pool)
        return;
    atomic_store(&pool->closing, true);
    announce(pool);
    for (uint32_t i = 1; i <= pool->started; i++)
        pthread_join(pool->threads[i], NULL);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->mutex);
    free(pool->threads);
    free(pool->seats);
    free(pool);
}

static void run_parallel(struct cm_pool *pool)
{
    atomic_store(&pool->arrived, 0);
    atomic_store(&pool->given_up, false);
    atomic_store(&pool->busy, pool->count - 1);
    announce(pool);
    pool->function(pool->context, 0);
    unsigned busy;
    while ((busy = atomic_load(&pool->busy)) > 0)
        wait_for_change(pool, &pool->busy, busy, false);
}

static void begin_mode(struct cm_pool *pool, enum mode mode)
{
    pool->mode = mode;
    pool->runs = 0;
    pool->spent = 0;
    pool->trial_nsec = pool->parallel_nsec = 0;
}

/* Chooses the mode after a trial. After a won trial, one worker runs for a time that doubles with
 * every won trial. After a lost trial, all workers run so long that lost trials cost little in
 * total. */
static void end_trial(struct cm_pool *pool, bool won, uint64_t time)
{
    pool->until = time + (won ? pool->pause : TRIAL_SHARE * pool->spent);
    if (!won)
        pool->pause = PAUSE_LEAST_NSEC;
    else if (pool->pause < PAUSE_MOST_NSEC)
        pool->pause *= 2;
    begin_mode(pool, won ? SINGLE : PARALLEL);
}

/*
 * Starts and ends trials. Another program may occupy a processor that a worker needs, or workers
 * may wait for each other longer than they work. So the pool tries one worker now and then, and
 * keeps to one worker if it was faster for the same kinds of runs.
 */
static void judge(struct cm_pool *pool, uint64_t time)
{
    if (pool->mode == TRIAL)
        end_trial(pool, pool->trial_nsec * (100 + WON_BY_PERCENT) < pool->parallel_nsec * 100,
                  time);
    else if (time >= pool->until)
        begin_mode(pool, pool->mode == PARALLEL ? TRIAL : PARALLEL);
}

/* Records the time of a run of all workers in the mean of its kind, or compares the time of a trial
 * run with this mean. The first run of a kind is ignored, because it may include compiling machine
 * code. */
static void compare_run(struct cm_pool *pool, const void *kind, double nsec, double done)
{
    const uint64_t mixed = (uint64_t)(uintptr_t)kind * CM_GOLDEN_RATIO;
    struct kind *known = &pool->kinds[mixed >> (64 - KIND_BITS)];
    const double before = known->unit_nsec, unit = nsec / done;
    if (known->kind != kind)
        *known = (struct kind){.kind = kind};
    else if (pool->mode == PARALLEL)
        known->unit_nsec = before > 0 ? before + (unit - before) / NEWEST_SHARE : unit;
    else if (pool->mode == TRIAL && before > 0) {
        pool->trial_nsec += nsec;
        pool->parallel_nsec += before * done;
    }
}

/* Counts a run that did some work. Judges the speed when enough runs are counted. */
static void count_run(struct cm_pool *pool, const void *kind, uint64_t nsec, uint64_t done)
{
    pool->runs++;
    pool->spent += nsec;
    compare_run(pool, kind, (double)nsec, (double)done);
    if (pool->runs >= JUDGED_RUNS && pool->spent >= JUDGED_NSEC)
        judge(pool, now());
}

/* True if the next run has one worker. A browser page has no threads. */
static bool is_single(const struct cm_pool *pool)
{
    return CM_FOR_A_PAGE || pool->count == 1 || pool->mode != PARALLEL;
}

uint32_t cm_pool_workers(const struct cm_pool *pool)
{
    return is_single(pool) ? 1 : pool->count;
}

void cm_pool_run(struct cm_pool *pool, cm_pool_function function, void *context, const void *kind)
{
    pool->function = function;
    pool->context = context;
    if (CM_FOR_A_PAGE || pool->count == 1) {
        function(context, 0);
        return;
    }
    const uint64_t begin = now(), before = pool->work ? *pool->work : 0;
    if (is_single(pool))
        function(context, 0);
    else
        run_parallel(pool);
    const uint64_t done = pool->work ? *pool->work - before : 1;
    if (pool->alternates)
        pool->mode = pool->mode == PARALLEL ? SINGLE : PARALLEL;
    else if (done > 0)
        count_run(pool, kind, now() - begin, done);
}

void cm_pool_measure(struct cm_pool *pool, const uint64_t *work)
{
    pool->work = work;
}

void cm_pool_alternate(struct cm_pool *pool)
{
    pool->alternates = true;
}

bool cm_pool_barrier(struct cm_pool *pool)
{
    if (is_single(pool))
        return true;
    unsigned seen = atomic_load_explicit(&pool->passed, memory_order_acquire);
    if (atomic_fetch_add_explicit(&pool->arrived, 1, memory_order_acq_rel) + 1 == pool->count) {
        atomic_store_explicit(&pool->arrived, 0, memory_order_relaxed);
        atomic_fetch_add(&pool->passed, 1);
        wake(pool);
        return true;
    }
    wait_for_change(pool, &pool->passed, seen, true);
    return atomic_load(&pool->passed) != seen; /* false if a worker gave up at this barrier */
}

void cm_pool_give_up(struct cm_pool *pool)
{
    if (is_single(pool))
        return;
    atomic_store(&pool->given_up, true);
    wake(pool);
}
