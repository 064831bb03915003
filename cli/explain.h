/* The story of a run as text, from its trace: what a viewer shows, for a terminal. */
#ifndef CM_CLI_EXPLAIN_H
#define CM_CLI_EXPLAIN_H

#include "../base/buffer.h"
#include "../trace/trace.h"

/* Appends it, at most 100 columns wide; `style` is that of summaries
 * (programs/workload/result.h). */
void cli_explain(const struct cm_trace *trace, unsigned style, struct cm_buffer *text);

#endif
