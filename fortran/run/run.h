/*
 * This header declares how a checked CM Fortran program is run on a system.
 *
 * The room fortran/run executes the statements of a program one after the other (execute.c). The
 * front end executes scalar statements and control flow. The machine executes an array statement
 * (machine/machine.h), or the front end does (host/host.h) if an operand is in the front end or the
 * machine does not support the statement (assign.c). Calls bind arguments by reference (call.c).
 * Procedures of CMSSL and of the system are in library.c.
 *
 * Data: a run has the program's static storage, and a record for each source line on which a
 * statement begins, with the cycles of its statements (host/state.h, host/line.h). A run belongs to
 * one system, whose machine is charged.
 *
 * Invariants: a run executes its main program once, or a subroutine any number of times (entry.h).
 * A STOP ends the program or the call without an error. The cycles of a completed statement are
 * added to its line, without the cycles of units that it calls. No cycles are charged before the
 * first statement.
 *
 * The check (direct.h, direct*.c, approximate*.c) evaluates every array statement a second time, in
 * the front end, and compares. The steps "program" and "call" of a workload (step*.c) compile a
 * program, run it and report. data.c loads arrays from files and saves them. placement.c lists
 * which arrays are on the machine.
 *
 * The commands, the debugger and the viewer call this room through step.h, and tests call it
 * directly.
 */
#ifndef CM_FORTRAN_RUN_H
#define CM_FORTRAN_RUN_H

#include "../host/line.h"
#include "../host/options.h"

struct cm_buffer;
struct cm_fortran_run;

/* Makes a run of the main program, or of the unit that the options name. Returns CM_BAD_INPUT if
 * the program has neither of them, or if a static array cannot be made. */
enum cm_status cm_fortran_run_create(const struct cm_fortran_program *program,
                                     struct cm_system *system,
                                     const struct cm_fortran_run_options *options,
                                     struct cm_fortran_run **run, struct cm_error *err);
void cm_fortran_run_destroy(struct cm_fortran_run *run);
/* Executes the main program to its end. Returns CM_BAD_INPUT, with the place in the source, if a
 * statement fails, for example for a subscript out of bounds, shapes that differ, or an integer
 * division by zero. Returns CM_INTERRUPTED if the machine was interrupted. */
enum cm_status cm_fortran_run_execute(struct cm_fortran_run *run, struct cm_error *err);
/* Returns the text that the program has printed, unless options.print took it. */
const struct cm_buffer *cm_fortran_run_output(const struct cm_fortran_run *run);
/* Returns the text that the program has written to the standard error output, unless
 * options.print_error took it. */
const struct cm_buffer *cm_fortran_run_errors(const struct cm_fortran_run *run);
/* Returns the exit code, from 0 to 255, that the last STOP asked for. */
uint32_t cm_fortran_run_stop_code(const struct cm_fortran_run *run);
/* Sorts the records of the source lines by file and line, and returns them. The program must not be
 * executed after this call. */
const struct cm_fortran_line *cm_fortran_run_lines(struct cm_fortran_run *run, uint32_t *count);

/* Returns the sum of the machine's counters over all source lines. */
struct cm_counters cm_fortran_run_counters(const struct cm_fortran_run *run);

/* Finds the place of the statement that is being executed. Returns false before the first
 * statement. */
bool cm_fortran_run_statement(const struct cm_fortran_run *run, struct cm_source_place *place);
/* Returns record number `i`, from 0, of the source lines, which are in no particular order, or NULL
 * past the last record. May be called while the program is executed. */
const struct cm_fortran_line *cm_fortran_run_line(const struct cm_fortran_run *run, uint32_t i);
/* Returns array number `i`, from 0, of those arrays of the unit being executed that are on the
 * machine, and its name. Returns NULL past the last array. Outside of calls the unit is the main
 * program. */
const struct cm_array *cm_fortran_run_array(struct cm_fortran_run *run, uint32_t i,
                                            const char **name);
/* Returns the results of the check (direct.h), or NULL unless options.check was set. */
struct cm_fortran_checker;
const struct cm_fortran_checker *cm_fortran_run_checked(const struct cm_fortran_run *run);

#endif
