/*
 * Host threads. This room has what the host computer offers, and knows nothing about the simulated
 * machine.
 *
 * A pool runs one function on several host threads, the workers, and offers a barrier between them.
 * Callers are the machine (one run of an IMP is one run of the pool) and the router.
 *
 * Data: a pool has a fixed number of workers. Worker 0 is the thread that calls cm_pool_run. The
 * other threads are made once and wait for the next run.
 *
 * Invariants:
 * - Either all workers execute a run, or worker 0 alone. The number is fixed during a run.
 * - A barrier returns after every worker of the run has reached it, or after a worker gave up.
 * - Results of callers must not depend on the number of workers.
 *
 * Runs last tens of microseconds and follow each other closely, so a waiting thread spins before it
 * sleeps. When another program occupies the processors, one worker is faster than all. The pool
 * measures both speeds and uses one worker for a while where one is faster. Only C11 atomics, a
 * mutex and a condition variable are used, so a thread sanitizer sees every synchronisation.
 *
 * Files: pool.c (threads, barrier, choice of the number of workers), host.h (SIMD units).
 */
#ifndef CM_SIM_POOL_H
#define CM_SIM_POOL_H

#include "../../base/error.h"

#include <stdbool.h>

struct cm_pool;
typedef void (*cm_pool_function)(void *context, uint32_t index);

/* Makes a pool of `count` workers, including the thread that calls cm_pool_run. */
enum cm_status cm_pool_create(uint32_t count, struct cm_pool **pool, struct cm_error *err);
void cm_pool_destroy(struct cm_pool *pool);

/* Returns the number of workers of the next run: `count`, or 1 where one worker is faster. */
uint32_t cm_pool_workers(const struct cm_pool *pool);

/* Runs function(context, index) once for each worker, in parallel, and returns when all calls have
 * returned. `kind` is an opaque tag: runs with equal tags are assumed to take equal time for equal
 * work. */
void cm_pool_run(struct cm_pool *pool, cm_pool_function function, void *context, const void *kind);

/* Makes the pool read the amount of finished work at `work`, to compare the speed of all workers
 * with that of one. Runs that leave the amount unchanged are not compared. */
void cm_pool_measure(struct cm_pool *pool, const uint64_t *work);

/* Waits inside a run until all workers have reached the barrier. Returns false when a worker gave
 * up the run. */
bool cm_pool_barrier(struct cm_pool *pool);
/* Declares inside a run that this worker reaches no further barrier. Workers that wait at a barrier
 * return. */
void cm_pool_give_up(struct cm_pool *pool);

/* Alternates runs of all workers with runs of one worker, for tests. */
void cm_pool_alternate(struct cm_pool *pool);

#endif
