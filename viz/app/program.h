/* Programs that the viewer runs: workloads, IMPs and CM Fortran programs, and the session of
 * --debug. */
#ifndef CM_VIZ_APP_PROGRAM_H
#define CM_VIZ_APP_PROGRAM_H

#include "options.h"

#include "../../console/debugger.h"
#include "../model/program.h"

/* Registers the kind of step that runs a CM Fortran program. The caller calls
 * cm_view_programs_begin before reading a workload. Returns false when out of memory. */
bool cm_view_programs_begin(void);
/* Returns true if a file is an IMP or a CM Fortran program, by its name. */
bool cm_view_is_program(const char *path);
/* Reads a workload. If the file is a program, makes a workload that runs the program. Programs run
 * on the built-in CM-200 unless --machine names another machine. The machine is stored in *config,
 * and settings->config points to it. */
enum cm_status cm_view_read_workload(const struct cm_view_options *options, const char *path,
                                     struct cm_run_options *settings, struct cm_config *config,
                                     struct cm_workload **workload, struct cm_error *err);
/* Returns the settings of a run that the options ask for. */
struct cm_run_options cm_view_run_settings(const struct cm_view_options *options);

/* Fills the rows of the panel "program" while the program is stopped. `output` is the output of the
 * last debugger command. Defined in program_rows.c. */
void cm_view_program_rows(struct console *console, const char *output,
                          struct cm_view_program *program);

/* Session of --debug, in session.c. The program runs on a thread of its own. When a function below
 * returns, the program is stopped, unless cm_view_session_runs returns true. */
struct cm_view_session;
/* Starts the program and stops it at its first point (debug/debug.h). */
enum cm_status cm_view_session_open(const struct cm_view_options *options,
                                    struct cm_view_session **session, struct cm_error *err);
/* ends the session, which may be NULL */
void cm_view_session_close(struct cm_view_session *session);
const struct cm_view_program *cm_view_session_program(const struct cm_view_session *session);
/*
 * Executes the debugger commands that the control requests, and moves the cursor to the cycle at
 * which the program stops. Returns true if the program is stopped and the rows of its panel have
 * changed.
 *
 * If `wait` is false, the function does not wait until a long command ends. A later call handles
 * the stop. A command that is requested before interrupts the program.
 */
bool cm_view_session_serve(struct cm_view_session *session, struct cm_view_control *control,
                           bool wait);
/* Executes debugger commands that are separated by `;`. Returns false if the debugger refused a
 * command. In this case the control's message says why. */
bool cm_view_session_do(struct cm_view_session *session, struct cm_view_control *control,
                        const char *commands);
bool cm_view_session_runs(const struct cm_view_session *session);
/* Returns the error that ended the program's thread, such as CM_NO_MEMORY, or CM_OK. */
enum cm_status cm_view_session_status(const struct cm_view_session *session, struct cm_error *err);

#endif
