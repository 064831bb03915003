/* Sources of traces: a trace file, or a workload that the viewer runs and records. */
#ifndef CM_VIZ_APP_SOURCE_H
#define CM_VIZ_APP_SOURCE_H

#include "options.h"

#include "../../programs/workload/workload.h"

/* Trace, its memory, and the result of the run. */
struct cm_view_source {
    struct cm_trace *trace; /* NULL: no trace is open. Once the model exists, it owns the trace */
    void *bytes;            /* bytes of a trace in memory. NULL: the trace was read from a file */
    enum cm_status checked; /* CM_CHECK_FAILED if the workload's check found wrong results */
};

/* Runs a workload, records it, and opens the recorded trace. */
enum cm_status cm_view_source_run(const struct cm_view_options *options,
                                  struct cm_workload *workload,
                                  const struct cm_run_options *settings,
                                  struct cm_view_source *source, struct cm_error *err);

/* Opens the first run, and the run of --compare if there is one, as a model. Prints mistakes, and
 * notices about incomplete traces. Returns an exit code. `sources` is all zeros before. In every
 * case the caller frees the model, then closes `sources`. */
int cm_view_sources_open(const struct cm_view_options *options,
                         struct cm_view_source sources[CM_VIEW_RUNS_MAX],
                         struct cm_view_model **model);
void cm_view_sources_close(struct cm_view_source sources[CM_VIEW_RUNS_MAX]);

/* Returns the exit code that the checks of the workloads give. */
int cm_view_sources_check(const struct cm_view_source sources[CM_VIEW_RUNS_MAX]);

#endif
