/*
 * Explains a recorded run in words and bars for a terminal. These are the texts that `cm200 run`
 * prints for the options --explain and --why. Every function appends to a text buffer that the
 * caller prints. The functions neither print nor change the run. If memory runs out, they mark the
 * buffer as failed (cm_buffer_ok).
 *
 * explain.c describes a trace: steps, phases, causes, dimensions, nodes and busiest channels.
 * why.c     describes the run's critical path: the packets and steps for which the run waited.
 * shifts.c  says which shifts share exchanges, and which shifts the run-time library made.
 *
 * `style` is a set of CM_STYLE_... bits (report/style.h).
 */
#ifndef CM_EXPLAIN_EXPLAIN_H
#define CM_EXPLAIN_EXPLAIN_H

#include "../base/buffer.h"

struct cm_run;
struct cm_trace;

/* Appends a description of a trace: steps, phases, causes, dimensions, nodes and busiest
 * channels. */
void cm_explain_trace(const struct cm_trace *trace, unsigned style, struct cm_buffer *text);

/* Appends the critical path of a run (trace/why.h), from its start to its end: the cycles of each
 * step by cause, and the packets on the path within the longest runs of the router. */
void cm_explain_why(const struct cm_trace *trace, unsigned style, struct cm_buffer *text);

/* Appends sentences about the shifts of a run that has ended: how many exchanges they share, and
 * why the run-time library made some of them. Appends nothing if the run has no shifts. To count
 * the exchanges that the shifts would need one by one, runs the shifts once more without data. */
void cm_explain_shifts(struct cm_run *run, struct cm_buffer *text);

#endif
