/* Programs that the viewer runs: workloads, IMPs and CM Fortran programs, and the session of
 * --debug. */
#ifndef CM_VIZ_APP_PROGRAM_H
#define CM_VIZ_APP_PROGRAM_H

#include "options.h"

#include "../../console/debugger.h"
#include "../model/program.h"

/* Registers the step that runs a CM Fortran program. The caller calls it before it reads a
 * workload. Returns false when out of memory. */
bool cm_view_programs_begin(void);
/* Returns true if the name of a file is that of an IMP or a CM Fortran program. */
bool cm_view_is_program(const char *path);
/* Reads a workload, or makes a workload that wraps a program. A program runs on the built-in CM-200
 * unless --machine names another machine. The machine is stored in *config, and settings->config
 * points to it. */
enum cm_status cm_view_read_workload(const struct cm_view_options *options, const char *path,
                                     struct cm_run_options *settings, struct cm_config *config,
                                     struct cm_workload **workload, struct cm_error *err);
/* Returns the options of a run. */
struct cm_run_options cm_view_run_settings(const struct cm_view_options *options);

/* Fills the rows of the panel for a stopped program. `output` is the output of the last command.
 * Defined in program_rows.c. */
void cm_view_program_rows(struct console *console, const char *output,
                          struct cm_view_program *program);

/* Session of --debug, in session.c. The program has a thread of its own. It is stopped whenever a
 * function below returns, unless cm_view_session_runs is true. */
struct cm_view_session;
/* Starts the program and stops it at its first point. */
enum cm_status cm_view_session_open(const struct cm_view_options *options,
                                    struct cm_view_session **session, struct cm_error *err);
/* ends the session, which may be NULL */
void cm_view_session_close(struct cm_view_session *session);
const struct cm_view_program *cm_view_session_program(const struct cm_view_session *session);
/*
 * Executes the commands that the control requests, and moves the cursor to the cycle of the stop.
 * Returns true if the program is stopped and its rows have changed.
 *
 * If `wait` is false, the function does not wait for a long command. A later call handles its stop,
 * and a new command in the meantime interrupts the program.
 */
bool cm_view_session_serve(struct cm_view_session *session, struct cm_view_control *control,
                           bool wait);
/* Executes commands that are separated by `;`. Returns false if a command was refused, and the
 * control has the message then. */
bool cm_view_session_do(struct cm_view_session *session, struct cm_view_control *control,
                        const char *commands);
bool cm_view_session_runs(const struct cm_view_session *session);
/* Returns the error that ended the program's thread, such as CM_NO_MEMORY, or CM_OK. */
enum cm_status cm_view_session_status(const struct cm_view_session *session, struct cm_error *err);

#endif
