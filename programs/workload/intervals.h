/*
 * How sure a run's cycles are: the range that they have over many machines, each fitted to another
 * resampling of the published times (research/refit --bootstrap --machines), widened by how far
 * predictions of published times were off.
 */
#ifndef CM_PROGRAMS_WORKLOAD_INTERVALS_H
#define CM_PROGRAMS_WORKLOAD_INTERVALS_H

#include "workload.h"

CM_BEGIN_DECLS

/* Bounds, both within. */
struct cm_interval {
    uint64_t low, high; /* cycles */
};

/* Cycles of a run over many machines that fit the published times. */
struct cm_intervals {
    uint32_t machines;  /* that fit */
    double level;       /* part of the machines within an interval: 0.95 */
    double coverage;    /* part of the held-out published times within such an interval */
    double widening[2]; /* relative, of both ends: -0.05 and 0.08; 0 when nothing is widened */
    uint32_t runs;      /* made for it, without data */
    uint64_t *cycles;   /* of each machine, in the file's order: not widened */
    struct cm_interval total;  /* of the run's cycles */
    struct cm_interval *steps; /* as in cm_result */
    uint32_t step_count;       /* of steps */
};

/* Which machines, and how to run. */
struct cm_intervals_options {
    const char *path;          /* format "cm200-machines/1", docs/machine.md */
    struct cm_run_options run; /* as for the run itself; sets win over the file's values */
    /* As for cm_run_execute_watched. */
    bool (*watch)(void *context, struct cm_run *run);
    void *context; /* of watch */
};

/*
 * Runs a workload without data on the file's machines: on as few as tell the cycles of all. Where
 * cycles are linear in the values (as in costs), those are one for each value; otherwise all. Free
 * with cm_intervals_destroy.
 */
CM_API enum cm_status cm_intervals_run(const struct cm_workload *workload,
                                       const struct cm_intervals_options *options,
                                       struct cm_intervals **intervals, struct cm_error *err);
/* Checks a file of machines that was parsed; says how many machines and keys it has. */
CM_API enum cm_status cm_machines_check(struct cm_json root, uint32_t *count, uint32_t *keys,
                                        struct cm_error *err);
CM_API void cm_intervals_destroy(struct cm_intervals *intervals); /* NULL is taken */

CM_END_DECLS

#endif
