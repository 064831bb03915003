/*
 * Explains a recorded run in words and bars, for a terminal: the texts of --explain and --why of
 * `cm200 run`. Every function appends to a text that the caller prints. The room neither prints nor
 * changes the run. If memory is too short, the text is marked as failed (cm_buffer_ok).
 *
 * explain.c describes a trace: steps, phases, causes, dimensions, nodes and busiest channels.
 * why.c     follows the chain of waiting from the start of a run to its end.
 * shifts.c  says which shifts share exchanges, and which went to the run-time library.
 *
 * `style` is a set of CM_STYLE_... bits (report/style.h).
 */
#ifndef CM_EXPLAIN_EXPLAIN_H
#define CM_EXPLAIN_EXPLAIN_H

#include "../base/buffer.h"

struct cm_run;
struct cm_trace;

/* Appends the story of a trace: steps, phases, causes, dimensions, nodes and busiest channels. */
void cm_explain_trace(const struct cm_trace *trace, unsigned style, struct cm_buffer *text);

/* Appends the chain of causes that the run waited for, from its start to its end: step by step, and
 * packet by packet within the longest runs of the router. */
void cm_explain_why(const struct cm_trace *trace, unsigned style, struct cm_buffer *text);

/* Appends sentences about the shifts of a run that is complete: how many exchanges they share, and
 * why the run-time library made some of them. Appends nothing if the run has no shifts. To count
 * the exchanges of unshared shifts, the shifts run once more without data. */
void cm_explain_shifts(struct cm_run *run, struct cm_buffer *text);

#endif
