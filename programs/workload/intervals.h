/*
 * Confidence intervals of a run's cycles. The run is timed on many machines. Each machine is fitted
 * to another resampling of the published times (research/refit --bootstrap --machines). The range
 * of the run's cycles over the machines is then widened. The widening is the error of such
 * predictions on published times that were held out of the fit.
 */
#ifndef CM_PROGRAMS_WORKLOAD_INTERVALS_H
#define CM_PROGRAMS_WORKLOAD_INTERVALS_H

#include "workload.h"

CM_BEGIN_DECLS

/* Interval of cycles that includes both bounds. */
struct cm_interval {
    uint64_t low, high; /* least and largest number of cycles */
};

/* Confidence intervals of a run, from its cycles on many machines that fit the published times. */
struct cm_intervals {
    uint32_t machines; /* number of machines */
    double level;      /* fraction of the machines within an interval, such as 0.95 */
    double coverage; /* fraction of the held-out published times that lie within such an interval */
    /* relative change of the lower and of the upper end, such as -0.05 and 0.08. 0: no change */
    double widening[2];
    uint32_t runs;             /* number of timing-only runs that were made */
    uint64_t *cycles;          /* cycles of each machine in the file's order, not widened */
    struct cm_interval total;  /* interval of the cycles of the whole run */
    struct cm_interval *steps; /* interval of each step, in the order of the steps in cm_result */
    uint32_t step_count;       /* number of entries in `steps` */
};

/* Machines to use, and options of the runs on them. */
struct cm_intervals_options {
    const char *path; /* path of a file of format "cm200-machines/1" (docs/machine.md) */
    /* options of each run. Its `sets` take precedence over the file's values */
    struct cm_run_options run;
    /* Callback as in cm_run_execute_watched. May be NULL. */
    bool (*watch)(void *context, struct cm_run *run);
    void *context; /* first argument of `watch` */
};

/*
 * Runs a workload without data on the file's machines and computes the intervals. If the machines
 * differ only in costs, the cycles are linear in each cost, and one run for each number is enough
 * for all machines. Otherwise each machine has a run. The caller frees the intervals with
 * cm_intervals_destroy.
 */
CM_API enum cm_status cm_intervals_run(const struct cm_workload *workload,
                                       const struct cm_intervals_options *options,
                                       struct cm_intervals **intervals, struct cm_error *err);
/* Checks a parsed file of machines. Sets *count to the number of its machines and *keys to the
 * number of its keys. */
CM_API enum cm_status cm_machines_check(struct cm_json root, uint32_t *count, uint32_t *keys,
                                        struct cm_error *err);
CM_API void cm_intervals_destroy(struct cm_intervals *intervals); /* NULL is allowed */

CM_END_DECLS

#endif
