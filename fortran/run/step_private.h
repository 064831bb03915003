/* What the steps program and call share: a program that is read and checked with the workload, and
 * what they report. Not installed. */
#ifndef CM_FORTRAN_STEP_PRIVATE_H
#define CM_FORTRAN_STEP_PRIVATE_H

#include "run.h"
#include "step.h"
#include "step_data.h"

/* The keys of both steps. */
struct cm_fortran_step_own {
    const char *file;
    uint32_t order, level;
    uint64_t max_cycles;
};

/* The same state for both. */
struct cm_fortran_step_state {
    struct cm_source *source;
    struct cm_fortran_program *program;
    struct cm_fortran_run *run;
    bool executed;
    uint64_t mismatches;                /* of the run that were counted */
    struct cm_counters counters_before; /* what its lines had got when the step began */
};

extern const char *const cm_fortran_step_orders[];

/* Lines of a table of keys for them. */
#define CM_FORTRAN_STEP_KEYS(struct_own, common)                                                   \
    CM_KEY(FILE, "file", struct_own, common.file, "of the program", .required = true,              \
           .form = "a path"),                                                                      \
        CM_KEY(NAME, "cshift_order", struct_own, common.order,                                     \
               "what CSHIFT(A, 1, -1) means: cm, (array, dim, shift); f90, (array, shift, dim)",   \
               .names = cm_fortran_step_orders),                                                   \
        CM_KEY(INTEGER, "level", struct_own, common.level,                                         \
               "of optimization: 0, each shift by itself; 1, shifts of neighbouring statements "   \
               "in one PSHIFT, the statements in one IMP; 2, what is shifted is read in place",    \
               .max = 2),                                                                          \
        CM_KEY(INTEGER, "max_cycles", struct_own, common.max_cycles,                               \
               "the program is stopped when it takes more", .min = 1, .max = UINT64_C(1) << 62,    \
               .otherwise = "it may take any number")

/* Reads the file and checks it, with values for PARAMETERs (or NULL). */
enum cm_status cm_fortran_step_compile(struct cm_run *run, const struct cm_fortran_step_own *own,
                                       const struct cm_fortran_step_data *data,
                                       struct cm_fortran_step_state *state, struct cm_error *err);
struct cm_fortran_run_options cm_fortran_step_options(const struct cm_run *run,
                                                      const struct cm_fortran_step_own *own);
/* Refuses a machine without data. */
enum cm_status cm_fortran_step_needs_data(const struct cm_run *run, struct cm_error *err);

/* step_report.c: counts what the check has found, describes the first fault. */
void cm_fortran_step_count(struct cm_run *run, const struct cm_run_step *step,
                           struct cm_step_result *result, struct cm_error *err);
void cm_fortran_step_report(const struct cm_step_result *result, struct cm_report *report);
/* What the complete statements took, of a step that was interrupted. */
struct cm_counters cm_fortran_step_so_far(const struct cm_run_step *step);
void cm_fortran_step_finish(struct cm_run *run, struct cm_run_step *step);

/* step_call.c */
extern const struct cm_step_kind cm_fortran_step_call;

#endif
