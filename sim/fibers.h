/*
 * Workers of a pool on one host thread: the first on the thread's own stack, each of the others on
 * one of its own. A worker goes on until it comes to a barrier, or ends; then the next one does.
 */
#ifndef CM_SIM_FIBERS_H
#define CM_SIM_FIBERS_H

#include "pool.h"

struct cm_fibers;

/* NULL where that is not possible: no memory, a sanitizer that knows one stack a thread, or a
 * browser's page. */
struct cm_fibers *cm_fibers_create(uint32_t count);
void cm_fibers_destroy(struct cm_fibers *fibers);

/* As those of the pool. */
void cm_fibers_run(struct cm_fibers *fibers, cm_pool_function function, void *context);
bool cm_fibers_barrier(struct cm_fibers *fibers);

#endif
