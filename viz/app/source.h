/* Where runs come from: a trace file, or a workload that is run first with a recorder watching. */
#ifndef CM_VIZ_APP_SOURCE_H
#define CM_VIZ_APP_SOURCE_H

#include "options.h"

#include "../../programs/workload/workload.h"

/* A trace of a run: the memory behind it, and how the run ended. */
struct cm_view_source {
    struct cm_trace *trace; /* NULL: none; it belongs to the model once there is one */
    void *bytes;            /* of a trace in memory; NULL: it is a file */
    enum cm_status checked; /* CM_CHECK_FAILED: the workload's check found wrong data */
};

/* Runs a workload, records it, and opens what was recorded. */
enum cm_status cm_view_source_run(const struct cm_view_options *options,
                                  struct cm_workload *workload,
                                  const struct cm_run_options *settings,
                                  struct cm_view_source *source, struct cm_error *err);

/*
 * Opens the first run and, for --compare, the second, as a model. Prints mistakes, and notices
 * about incomplete traces; returns an exit code. `sources` begins as zeros; close it in either
 * case, after the model is freed.
 */
int cm_view_sources_open(const struct cm_view_options *options,
                         struct cm_view_source sources[CM_VIEW_RUNS_MAX],
                         struct cm_view_model **model);
void cm_view_sources_close(struct cm_view_source sources[CM_VIEW_RUNS_MAX]);

/* The exit code that the workloads' checks ask for. */
int cm_view_sources_check(const struct cm_view_source sources[CM_VIEW_RUNS_MAX]);

#endif
