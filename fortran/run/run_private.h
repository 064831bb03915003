/* Functions shared by the files of fortran/run/ that execute statements. Not installed. */
#ifndef CM_FORTRAN_RUN_PRIVATE_H
#define CM_FORTRAN_RUN_PRIVATE_H

#include "../machine/machine.h"
#include "run.h"

#define CM_FORTRAN_DEPTH_MAX     200u /* calls that may nest */
#define CM_FORTRAN_ARGUMENTS_MAX 64u  /* arguments of a unit */

/* ---- assignments: assign.c ---- */

/* Assigns `value` to a scalar, an array or a section, under the mask of the WHERE blocks. */
enum cm_status cm_fortran_assign(struct cm_fortran_run *run,
                                 const struct cm_fortran_expression *target,
                                 const struct cm_fortran_expression *value);
/* Executes WHERE, ELSEWHERE or END WHERE. */
enum cm_status cm_fortran_where(struct cm_fortran_run *run,
                                const struct cm_fortran_statement *statement);
/* Closes WHERE blocks until `keep` are open. */
void cm_fortran_masks_drop(struct cm_fortran_run *run, uint32_t keep);
enum cm_status cm_fortran_forall(struct cm_fortran_run *run,
                                 const struct cm_fortran_forall *forall);

/* ---- statements and calls: execute.c, call.c, run.c ---- */

/* Executes the statements of the unit of run->frame, until it returns. */
enum cm_status cm_fortran_execute(struct cm_fortran_run *run);
/* Calls a unit from outside of the program. Its arguments are variables of run->frame. */
enum cm_status cm_fortran_run_enter(struct cm_fortran_run *run, const struct cm_fortran_unit *unit,
                                    struct cm_fortran_expression *const *args,
                                    struct cm_error *err);
/* Reports to the machine's observer, if there is one, that a statement begins. */
void cm_fortran_observe(const struct cm_fortran_run *run,
                        const struct cm_fortran_statement *statement);
/* Makes the array of a variable with the given extents, in the variable's home. */
enum cm_status cm_fortran_array_make(struct cm_fortran_run *run,
                                     const struct cm_fortran_variable *variable,
                                     const uint64_t *extent, struct cm_fortran_array **array);
/* Makes the array of a variable with the bounds that its declaration gives. */
enum cm_status cm_fortran_array_declare(struct cm_fortran_run *run,
                                        const struct cm_fortran_variable *variable,
                                        struct cm_fortran_array **array);
/* Calls a unit, as hooks.call in host/state.h. */
enum cm_status cm_fortran_call(struct cm_fortran_run *run, const struct cm_fortran_unit *unit,
                               struct cm_fortran_expression *const *args,
                               struct cm_source_place place, union cm_fortran_value *value,
                               struct cm_fortran_array **result);

/* ---- procedures of library.def: library.c ---- */

/* Calls a library procedure, as hooks.library in host/state.h. */
enum cm_status cm_fortran_library(struct cm_fortran_run *run, enum cm_fortran_library library,
                                  struct cm_fortran_expression *const *args, uint32_t count,
                                  struct cm_source_place place, union cm_fortran_value *value);

#endif
