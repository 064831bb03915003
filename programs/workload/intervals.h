/*
 * Confidence intervals of a run's cycles. The run is timed on many machines. Each is fitted to
 * another resampling of the published times (research/refit --bootstrap --machines). The range of
 * its cycles is then widened by the error of such predictions on published times held out.
 */
#ifndef CM_PROGRAMS_WORKLOAD_INTERVALS_H
#define CM_PROGRAMS_WORKLOAD_INTERVALS_H

#include "workload.h"

CM_BEGIN_DECLS

/* Interval that includes both bounds. */
struct cm_interval {
    uint64_t low, high; /* cycles */
};

/* Cycles of a run over many machines that fit the published times. */
struct cm_intervals {
    uint32_t machines;  /* number of machines */
    double level;       /* fraction of the machines within an interval, as 0.95 */
    double coverage;    /* fraction of the held-out published times within such an interval */
    double widening[2]; /* relative change of the lower and upper end, as -0.05 and 0.08. 0: none */
    uint32_t runs;      /* number of timing-only runs that were made */
    uint64_t *cycles;   /* cycles of each machine in the file's order, not widened */
    struct cm_interval total;  /* interval of the run's cycles */
    struct cm_interval *steps; /* intervals of the steps, as in cm_result */
    uint32_t step_count;       /* number of entries in `steps` */
};

/* Machines to use, and options of their runs. */
struct cm_intervals_options {
    const char *path;          /* file of format "cm200-machines/1", docs/machine.md */
    struct cm_run_options run; /* options of each run. Its sets win over the file's values */
    /* Callback as of cm_run_execute_watched. */
    bool (*watch)(void *context, struct cm_run *run);
    void *context; /* first argument of `watch` */
};

/*
 * Runs a workload without data on the file's machines and computes the intervals. Where the cycles
 * are linear in a machine number, as in a cost, one run for each number is enough for all machines.
 * Otherwise each machine has a run. Free the intervals with cm_intervals_destroy.
 */
CM_API enum cm_status cm_intervals_run(const struct cm_workload *workload,
                                       const struct cm_intervals_options *options,
                                       struct cm_intervals **intervals, struct cm_error *err);
/* Checks a parsed file of machines. Sets the number of its machines and of its keys. */
CM_API enum cm_status cm_machines_check(struct cm_json root, uint32_t *count, uint32_t *keys,
                                        struct cm_error *err);
CM_API void cm_intervals_destroy(struct cm_intervals *intervals); /* accepts NULL */

CM_END_DECLS

#endif
