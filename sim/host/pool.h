/*
 * Host threads that run one function in parallel, and a barrier between them. Runs are short (tens
 * of microseconds) and follow each other closely, so threads spin a little before they sleep. Only
 * C11 atomics, mutex and condition variable: a thread sanitizer sees all of it. Where other
 * programs have the processors, runs have one worker for a while.
 */
#ifndef CM_SIM_POOL_H
#define CM_SIM_POOL_H

#include "../../base/error.h"

#include <stdbool.h>

struct cm_pool;
typedef void (*cm_pool_function)(void *context, uint32_t index);

/* `count` workers, the caller of cm_pool_run among them. */
enum cm_status cm_pool_create(uint32_t count, struct cm_pool **pool, struct cm_error *err);
void cm_pool_destroy(struct cm_pool *pool);

/* The workers of the next run: `count`, or one where that is faster. */
uint32_t cm_pool_workers(const struct cm_pool *pool);

/* Runs function(context, index) for each worker of the run, one on each thread, and returns when
 * all have returned. Runs of one kind, any pointer, take as long for the same work. */
void cm_pool_run(struct cm_pool *pool, cm_pool_function function, void *context, const void *kind);

/* What runs do is counted at `work`, so that runs can be compared: how fast all workers are, and
 * one. Runs in which the count stays are not judged. */
void cm_pool_measure(struct cm_pool *pool, const uint64_t *work);

/* Inside a run: waits until all workers are here. Returns false when a worker gave up the run. */
bool cm_pool_barrier(struct cm_pool *pool);
/* Inside a run: this worker will not come to another barrier; the others stop waiting. */
void cm_pool_give_up(struct cm_pool *pool);

/* For tests: runs have all workers and one by turns. */
void cm_pool_take_turns(struct cm_pool *pool);

#endif
