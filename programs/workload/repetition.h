/*
 * Iterations of a repeat that need no execution. In a timing-only run without an observer the
 * cycles of an iteration depend only on the state of machine and system. Once this state recurs,
 * the iterations since its first occurrence repeat forever, so they are counted instead of
 * executed.
 */
#ifndef CM_PROGRAMS_WORKLOAD_REPETITION_H
#define CM_PROGRAMS_WORKLOAD_REPETITION_H

#include "step.h"

struct cm_repetition;

/* Begins to watch a repeat. Sets *repetition to NULL if all iterations of the repeat must be
 * executed. */
enum cm_status cm_repetition_begin(struct cm_run *run, const struct cm_workload_step *repeat,
                                   struct cm_repetition **repetition, struct cm_error *err);
/* Compares the state after *done iterations with earlier states. Adds to *done the number of
 * iterations that could be counted instead of executed. */
enum cm_status cm_repetition_count(struct cm_repetition *repetition, uint64_t *done,
                                   struct cm_error *err);
void cm_repetition_end(struct cm_repetition *repetition);

#endif
