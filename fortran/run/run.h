/*
 * Running a checked CM Fortran program on a system.
 *
 * The room executes the statements of a program one after the other (execute.c). The front end does
 * scalar statements and control flow. An array statement goes to the machine (machine/machine.h),
 * or is evaluated by the front end (host/host.h) if an operand lives there or the machine does not
 * take its form (assign.c). Calls bind arguments by reference (call.c). Procedures of CMSSL and of
 * the system are in library.c.
 *
 * Data: a run has the program's static storage, and a record for each source line on which a
 * statement begins, with the cycles of its statements (host/state.h, host/line.h). A run belongs to
 * one system, whose machine is charged.
 *
 * Invariants: a run executes its main program once, or a subroutine any number of times (entry.h).
 * A STOP ends the program or the call without an error. The cycles of a completed statement count
 * for its line, without those of the units that it calls. Nothing is charged before the first
 * statement.
 *
 * The check (direct.h, direct*.c, approximate*.c) evaluates every array statement a second time, in
 * the front end, and compares. The steps "program" and "call" of a workload (step*.c) compile a
 * program, run it and report. data.c loads and saves arrays as files, placement.c lists homes.
 *
 * Called by the commands, the debugger and the viewer through step.h, and by tests.
 */
#ifndef CM_FORTRAN_RUN_H
#define CM_FORTRAN_RUN_H

#include "../host/line.h"
#include "../host/options.h"

struct cm_buffer;
struct cm_fortran_run;

/* Makes a run of the main program, or of the unit that the options name. Returns CM_BAD_INPUT if
 * there is neither, or a static array cannot be made. */
enum cm_status cm_fortran_run_create(const struct cm_fortran_program *program,
                                     struct cm_system *system,
                                     const struct cm_fortran_run_options *options,
                                     struct cm_fortran_run **run, struct cm_error *err);
void cm_fortran_run_destroy(struct cm_fortran_run *run);
/* Executes the main program to its end. Returns CM_BAD_INPUT, with the place in the source, if a
 * statement fails: subscripts out of bounds, shapes that do not conform, an integer division by
 * zero. Returns CM_INTERRUPTED if the machine was interrupted. */
enum cm_status cm_fortran_run_execute(struct cm_fortran_run *run, struct cm_error *err);
/* Returns the text that the program has printed, unless options.print took it. */
const struct cm_buffer *cm_fortran_run_output(const struct cm_fortran_run *run);
/* Sorts the records of the source lines by file and line, and returns them. The program must not be
 * executed afterwards. */
const struct cm_fortran_line *cm_fortran_run_lines(struct cm_fortran_run *run, uint32_t *count);

/* Returns the sum of the counters of all lines. */
struct cm_counters cm_fortran_run_counters(const struct cm_fortran_run *run);

/* Finds the place of the statement that is being executed. Returns false before the first one. */
bool cm_fortran_run_statement(const struct cm_fortran_run *run, struct cm_source_place *place);
/* Returns record `i`, from 0, of the source lines in no order, or NULL past the last. Works while
 * the program is executed. */
const struct cm_fortran_line *cm_fortran_run_line(const struct cm_fortran_run *run, uint32_t i);
/* Returns array `i`, from 0, of the unit being executed that is on the machine, and its name, or
 * NULL past the last. Outside of calls the unit is the main program. */
const struct cm_array *cm_fortran_run_array(struct cm_fortran_run *run, uint32_t i,
                                            const char **name);
/* Returns the results of the check, or NULL unless options.check was set. */
struct cm_fortran_checker;
const struct cm_fortran_checker *cm_fortran_run_checked(const struct cm_fortran_run *run);

#endif
