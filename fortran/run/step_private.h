/* This header declares the parts that the steps "program" and "call" share: keys, compilation, and
 * reports. It is not installed. */
#ifndef CM_FORTRAN_STEP_PRIVATE_H
#define CM_FORTRAN_STEP_PRIVATE_H

#include "run.h"
#include "step.h"
#include "step_data.h"

/* Values of the keys that the steps "program" and "call" share. */
struct cm_fortran_step_own {
    const char *file;
    uint32_t order, level;
    uint64_t max_cycles;
    uint32_t line_length;
};

/* State of a step "program" or "call". */
struct cm_fortran_step_state {
    struct cm_source *source;
    struct cm_fortran_program *program;
    struct cm_fortran_run *run;
    struct cm_error warning; /* the compiler's warning, if has_warning is true */
    bool has_warning;
    bool executed;
    /* number of wrong elements that were already reported for earlier repeats of the step */
    uint64_t mismatches;
    struct cm_counters counters_before; /* sum of the lines' counters when the step began */
};

extern const char *const cm_fortran_step_orders[];

/* Entries, in a table of keys, of the keys that the steps "program" and "call" share. */
#define CM_FORTRAN_STEP_KEYS(struct_own, common)                                                   \
    CM_KEY(FILE, "file", struct_own, common.file, "of the program", .required = true,              \
           .form = "a path"),                                                                      \
        CM_KEY(NAME, "cshift_order", struct_own, common.order,                                     \
               "what CSHIFT(A, 1, -1) means: cm, (array, dim, shift); f90, (array, shift, dim); "  \
               "suffix, f90 in .f90, .f95, .f03 and .f08, and cm elsewhere",                       \
               .names = cm_fortran_step_orders),                                                   \
        CM_KEY(INTEGER, "level", struct_own, common.level,                                         \
               "of optimization: 0, each shift by itself; 1, shifts of neighbouring statements "   \
               "in one PSHIFT, the statements in one IMP; 2, what is shifted is read in place",    \
               .max = 2),                                                                          \
        CM_KEY(INTEGER, "max_cycles", struct_own, common.max_cycles,                               \
               "the program is stopped when it takes more", .min = 1, .max = UINT64_C(1) << 62,    \
               .otherwise = "it may take any number"),                                             \
        CM_KEY(INTEGER, "line_length", struct_own, common.line_length,                             \
               "last column of statements in fixed form", .min = CM_FORTRAN_LINE_LENGTH,           \
               .max = CM_FORTRAN_LINE_LENGTH_MAX, .otherwise = "72")

/* Reads and checks the program's file, with values for PARAMETERs. `data` may be NULL. */
enum cm_status cm_fortran_step_compile(struct cm_run *run, const struct cm_fortran_step_own *own,
                                       const struct cm_fortran_step_data *data,
                                       struct cm_fortran_step_state *state, struct cm_error *err);
struct cm_fortran_run_options cm_fortran_step_options(const struct cm_run *run,
                                                      const struct cm_fortran_step_own *own);
/* Fails if the machine has no data (timing only). */
enum cm_status cm_fortran_step_needs_data(const struct cm_run *run, struct cm_error *err);

/* Notes the exit code in the result of the run, if the program of the step ended by a STOP with a
 * code. */
void cm_fortran_step_stopped(struct cm_run *run, const struct cm_run_step *step);

/* Adds to the result the number of wrong elements that the check found since the last call.
 * Describes the first fault in `err` (step_report.c). */
void cm_fortran_step_count(struct cm_run *run, const struct cm_run_step *step,
                           struct cm_step_result *result, struct cm_error *err);
void cm_fortran_step_report(const struct cm_step_result *result, struct cm_report *report);
/* Returns the counters of the statements that are completed, for a step that was interrupted. */
struct cm_counters cm_fortran_step_so_far(const struct cm_run_step *step);
void cm_fortran_step_finish(struct cm_run *run, struct cm_run_step *step);

extern const struct cm_step_kind cm_fortran_step_call;

#endif
