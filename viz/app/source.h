/* Sources of traces: a trace file, or a workload that is run and recorded. */
#ifndef CM_VIZ_APP_SOURCE_H
#define CM_VIZ_APP_SOURCE_H

#include "options.h"

#include "../../programs/workload/workload.h"

/* Trace, its memory, and the result of the run. */
struct cm_view_source {
    struct cm_trace *trace; /* the model owns the trace once the model exists. NULL: none */
    void *bytes;            /* bytes of a trace in memory. NULL: the trace is a file */
    enum cm_status checked; /* CM_CHECK_FAILED if the check of the workload found wrong data */
};

/* Runs a workload, records it, and opens the recorded trace. */
enum cm_status cm_view_source_run(const struct cm_view_options *options,
                                  struct cm_workload *workload,
                                  const struct cm_run_options *settings,
                                  struct cm_view_source *source, struct cm_error *err);

/* Opens the first run and the run of --compare as a model. Prints mistakes, and notices about
 * incomplete traces. Returns an exit code. `sources` is all zeros before. The caller closes it in
 * either case, after freeing the model. */
int cm_view_sources_open(const struct cm_view_options *options,
                         struct cm_view_source sources[CM_VIEW_RUNS_MAX],
                         struct cm_view_model **model);
void cm_view_sources_close(struct cm_view_source sources[CM_VIEW_RUNS_MAX]);

/* Returns the exit code for the workloads' checks. */
int cm_view_sources_check(const struct cm_view_source sources[CM_VIEW_RUNS_MAX]);

#endif
