/* A pool of host threads, and a barrier at which they spin before they sleep. */
#include "pool.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

/* How long a thread looks before it sleeps, in nanoseconds. At a barrier it looks longer while the
 * others come in time, and shorter after it had to sleep: then another program has a processor of
 * theirs. docs/speed.md has what was measured. */
#define PATIENCE_MOST  UINT32_C(100000)
#define PATIENCE_LEAST UINT32_C(5000)
#define LOOKS          16u /* between two looks at the clock */

struct cm_pool {
    uint32_t count;
    uint32_t started; /* threads made: count - 1 once complete */
    pthread_t *threads;
    struct cm_pool_thread *seats;
    cm_pool_function function;
    void *context;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    atomic_uint job;  /* number of the run under way or last done */
    atomic_uint busy; /* threads still in it */
    atomic_bool closing;
    atomic_uint arrived; /* at the barrier */
    atomic_uint passed;  /* barriers completed */
    atomic_bool given_up;
    atomic_uint asleep;
    atomic_uint patience; /* of the next wait at a barrier */
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

/* Looks until a number differs from `seen` or, where `in_run`, the run is given up; false when that
 * did not happen in time. */
static bool look_for_change(const struct cm_pool *pool, const atomic_uint *number, unsigned seen,
                            bool in_run, uint32_t patience)
{
    uint64_t until = 0;
    do {
        for (uint32_t looks = 0; looks < LOOKS; looks++) {
            if (atomic_load(number) != seen || (in_run && atomic_load(&pool->given_up)))
                return true;
            relax();
        }
        if (until == 0)
            until = now() + patience;
    } while (now() < until);
    return false;
}

/*
 * The same, however long it takes: the thread sleeps in the end, as the one that it waits for may
 * have no processor, and gets this one.
 */
static void wait_for_change(struct cm_pool *pool, const atomic_uint *number, unsigned seen,
                            bool in_run)
{
    const uint32_t patience = atomic_load(&pool->patience);
    if (look_for_change(pool, number, seen, in_run, patience)) {
        if (in_run && patience < PATIENCE_MOST)
            atomic_store(&pool->patience, patience + patience / 16);
        return;
    }
    if (in_run && patience > PATIENCE_LEAST)
        atomic_store(&pool->patience, patience / 2);
    pthread_mutex_lock(&pool->mutex);
    atomic_fetch_add(&pool->asleep, 1);
    while (atomic_load(number) == seen && !(in_run && atomic_load(&pool->given_up)))
        pthread_cond_wait(&pool->wake, &pool->mutex);
    atomic_fetch_sub(&pool->asleep, 1);
    pthread_mutex_unlock(&pool->mutex);
}

/* After a change of what others may sleep for. */
static void wake(struct cm_pool *pool)
{
    if (atomic_load(&pool->asleep) == 0)
        return;
    pthread_mutex_lock(&pool->mutex);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
}

/* Waits for a run after number `seen`; false when the pool closes. */
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

/* Signals are for the program's own threads; a handler that ran in one of ours could not block
 * them. */
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
    atomic_store(&pool->patience, PATIENCE_MOST);
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
        if (!start_thread(pool, i))
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

void cm_pool_run(struct cm_pool *pool, cm_pool_function function, void *context)
{
    pool->function = function;
    pool->context = context;
    atomic_store(&pool->arrived, 0);
    atomic_store(&pool->given_up, false);
    atomic_store(&pool->busy, pool->count - 1);
    if (pool->count > 1)
        announce(pool);
    function(context, 0);
    unsigned busy;
    while ((busy = atomic_load(&pool->busy)) > 0)
        wait_for_change(pool, &pool->busy, busy, false);
}

bool cm_pool_barrier(struct cm_pool *pool)
{
    if (pool->count == 1)
        return true;
    unsigned seen = atomic_load_explicit(&pool->passed, memory_order_acquire);
    if (atomic_fetch_add_explicit(&pool->arrived, 1, memory_order_acq_rel) + 1 == pool->count) {
        atomic_store_explicit(&pool->arrived, 0, memory_order_relaxed);
        atomic_fetch_add(&pool->passed, 1);
        wake(pool);
        return true;
    }
    wait_for_change(pool, &pool->passed, seen, true);
    return atomic_load(&pool->passed) != seen; /* given up at this barrier? */
}

void cm_pool_give_up(struct cm_pool *pool)
{
    atomic_store(&pool->given_up, true);
    wake(pool);
}
