/*
 * Iterations that need not be played. In a timing-only run without an observer the cycles of an
 * iteration depend on the state of the machine and the system alone. When that is what it was some
 * iterations ago, the same iterations follow again: they are counted, not played.
 */
#ifndef CM_PROGRAMS_WORKLOAD_REPETITION_H
#define CM_PROGRAMS_WORKLOAD_REPETITION_H

#include "step.h"

struct cm_repetition;

/* Watches a repeat that begins; NULL in *repetition when its iterations must all be played. */
enum cm_status cm_repetition_begin(struct cm_run *run, const struct cm_workload_step *repeat,
                                   struct cm_repetition **repetition, struct cm_error *err);
/* After `done` of its iterations; *done grows by those that were counted. */
enum cm_status cm_repetition_count(struct cm_repetition *repetition, uint64_t *done,
                                   struct cm_error *err);
void cm_repetition_end(struct cm_repetition *repetition);

#endif
