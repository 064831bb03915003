/* This header declares functions that the files of fortran/run/ which execute statements share. It
 * is not installed. */
#ifndef CM_FORTRAN_RUN_PRIVATE_H
#define CM_FORTRAN_RUN_PRIVATE_H

#include "../machine/machine.h"
#include "run.h"

#define CM_FORTRAN_DEPTH_MAX     200u /* limit of nested calls */
#define CM_FORTRAN_ARGUMENTS_MAX 64u  /* limit of the number of arguments of a unit */

/* ---- assignments: assign.c ---- */

/* Assigns `value` to a scalar, an array or a section, where the mask of the open WHERE blocks is
 * true. */
enum cm_status cm_fortran_assign(struct cm_fortran_run *run,
                                 const struct cm_fortran_expression *target,
                                 const struct cm_fortran_expression *value);
/* Executes a statement WHERE, ELSEWHERE or END WHERE. */
enum cm_status cm_fortran_where(struct cm_fortran_run *run,
                                const struct cm_fortran_statement *statement);
/* Closes the innermost WHERE blocks until `keep` blocks are open. */
void cm_fortran_masks_drop(struct cm_fortran_run *run, uint32_t keep);
enum cm_status cm_fortran_forall(struct cm_fortran_run *run,
                                 const struct cm_fortran_forall *forall);

/* ---- statements and calls: execute.c, call.c, run.c ---- */

/* Executes the statements of the unit whose frame is run->frame, until the unit returns. */
enum cm_status cm_fortran_execute(struct cm_fortran_run *run);
/* Calls a unit from outside of the program. The arguments `args` are variables of run->frame. */
enum cm_status cm_fortran_run_enter(struct cm_fortran_run *run, const struct cm_fortran_unit *unit,
                                    struct cm_fortran_expression *const *args,
                                    struct cm_error *err);
/* Reports to the machine's observer, if it has one, that a statement begins. */
void cm_fortran_observe(const struct cm_fortran_run *run,
                        const struct cm_fortran_statement *statement);
/* Makes the array of a variable with the given extents, in the front end or on the machine, where
 * the variable belongs. */
enum cm_status cm_fortran_array_make(struct cm_fortran_run *run,
                                     const struct cm_fortran_variable *variable,
                                     const uint64_t *extent, struct cm_fortran_array **array);
/* Makes the array of a variable with the bounds that its declaration gives. */
enum cm_status cm_fortran_array_declare(struct cm_fortran_run *run,
                                        const struct cm_fortran_variable *variable,
                                        struct cm_fortran_array **array);
/* Calls a unit, with the parameters of hooks.call in host/state.h. */
enum cm_status cm_fortran_call(struct cm_fortran_run *run, const struct cm_fortran_unit *unit,
                               struct cm_fortran_expression *const *args,
                               struct cm_source_place place, union cm_fortran_value *value,
                               struct cm_fortran_array **result);

/* ---- procedures of library.def: library.c ---- */

/* Calls a library procedure, with the parameters of hooks.library in host/state.h. */
enum cm_status cm_fortran_library(struct cm_fortran_run *run, enum cm_fortran_library library,
                                  struct cm_fortran_expression *const *args, uint32_t count,
                                  struct cm_source_place place, union cm_fortran_value *value);
/* table.c: executes CMF_AREF_1D, or CMF_ASET_1D if `stores` is true. */
enum cm_status cm_fortran_table(struct cm_fortran_run *run,
                                struct cm_fortran_expression *const *args, uint32_t count,
                                struct cm_source_place place, bool stores);

#endif
