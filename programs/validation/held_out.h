/*
 * A reader's own measurements compared with simulated values (`cm200 validate --held-out FILE`).
 * The file (format "cm200-held-out/1", docs/held-out.md) lists workloads and CM Fortran programs
 * with published cycles, times or rates. Each workload or program is run as `cm200 run` runs it.
 *
 * Invariants: nothing is fitted to the measurements. An error is simulated / published - 1.
 *
 * Files: held_out_read.c reads the file, held_out.c runs the measurements, held_out_report.c
 * prints.
 */
#ifndef CM_PROGRAMS_VALIDATION_HELD_OUT_H
#define CM_PROGRAMS_VALIDATION_HELD_OUT_H

#include "../workload/workload.h"
#include "statistics.h"

CM_BEGIN_DECLS

/* Largest number of measurements in a file, and of selected steps of a measurement. */
#define CM_HELD_OUT_MAX       CM_STATISTICS_MAX
#define CM_HELD_OUT_STEPS_MAX 64u

/* Unit of a measurement. */
enum cm_held_out_unit {
    CM_HELD_OUT_CYCLES,
    CM_HELD_OUT_SECONDS,
    CM_HELD_OUT_MS,
    CM_HELD_OUT_US,
    CM_HELD_OUT_MFLOPS, /* rate: nominal operations divided by time */
    CM_HELD_OUT_GFLOPS,
    CM_HELD_OUT_UNITS
};

/* A measurement with its simulated value. */
struct cm_held_out_measurement {
    const char *name;   /* name in the report */
    const char *source; /* origin of the published value. NULL: not given */
    const char *file;   /* path of the workload or program, as the file of measurements names it */
    bool is_program;    /* true for a CM Fortran program */
    /* machine, as the file of measurements names it. NULL: see docs/held-out.md */
    const char *machine;
    uint32_t nodes; /* number of nodes. 0: the number of the workload or the machine */
    uint32_t level; /* level of optimization of a program, 0 to 2 */
    bool data;      /* true to move data and check them */
    bool elapsed;   /* true to compare the elapsed time, false to compare the machine's time */
    enum cm_held_out_unit unit; /* unit of the published value */
    double published;           /* published value in the unit of the measurement */
    double operations; /* number of nominal operations of all calls, for a rate. Otherwise 0 */
    /* number of calls that the program makes. The published value is for one call */
    uint64_t calls;
    uint32_t steps[CM_HELD_OUT_STEPS_MAX]; /* numbers of the steps whose cycles count, from 0 */
    uint32_t step_count;                   /* number of entries in `steps`. 0: all steps */
    double simulated;          /* simulated value in the unit of the measurement, for one call */
    struct cm_json parameters; /* JSON object with the parameters, if has_parameters is true */
    bool has_parameters;       /* true if the measurement has parameters */
    struct cm_json json;       /* place of the measurement in the file, for errors */
};

/* A file of measurements. held_out_private.h has its members. */
struct cm_held_out;

/* Options of the runs of the measurements. */
struct cm_held_out_options {
    const char *path;        /* path of the file of measurements */
    const char *machine;     /* machine for all measurements. NULL: each measurement has its own */
    const char *const *sets; /* changes of machine numbers, each written "section.key=value" */
    uint32_t set_count;      /* number of entries in `sets` */
    uint32_t threads;        /* number of host threads. 0: as many as the host offers */
    /* callback as in struct cm_validate_options, or NULL */
    bool (*watch)(void *context, struct cm_run *run);
    /* callback as in struct cm_validate_options, or NULL */
    void (*progress)(void *context, uint64_t done, uint64_t total);
    void *context; /* first argument of both callbacks */
};

/* Checks a file of measurements without running them. `root` is the root of the file's JSON. Sets
 * *count to the number of measurements. Fails with CM_BAD_INPUT and the place of the fault. */
CM_API enum cm_status cm_held_out_check(struct cm_json root, uint32_t *count, struct cm_error *err);
/*
 * Reads a file of measurements and runs each measurement. Fails with CM_BAD_INPUT if a program
 * cannot run, with CM_CHECK_FAILED if data are wrong, and with CM_INTERRUPTED.
 */
CM_API enum cm_status cm_held_out_run(const struct cm_held_out_options *options,
                                      struct cm_held_out **held_out, struct cm_error *err);
/* Frees a file of measurements. NULL is allowed. */
CM_API void cm_held_out_destroy(struct cm_held_out *held_out);

/* Returns measurement number `i`, from 0, or NULL past the last measurement. */
CM_API const struct cm_held_out_measurement *
cm_held_out_measurement(const struct cm_held_out *held_out, uint32_t i);
/* Returns the statistics of the errors of all measurements, which must have been run. */
CM_API struct cm_statistics cm_held_out_statistics(const struct cm_held_out *held_out);
/* Returns true if no error is larger than the file's "bound", or if the file has no bound. */
CM_API bool cm_held_out_met(const struct cm_held_out *held_out);

/* Append the comparison of all measurements: as text in a style of report/style.h, or as JSON
 * (format "cm200-held-out-result/1"). */
CM_API void cm_held_out_text(const struct cm_held_out *held_out, unsigned style,
                             struct cm_buffer *text);
CM_API enum cm_status cm_held_out_json(const struct cm_held_out *held_out, struct cm_buffer *text,
                                       struct cm_error *err);

CM_END_DECLS

#endif
