/* Programs: workloads, IMPs and CM Fortran programs by their files; and one that is stepped through
 * while the picture of its run is shown (--debug). */
#ifndef CM_VIZ_APP_PROGRAM_H
#define CM_VIZ_APP_PROGRAM_H

#include "options.h"

#include "../../console/debugger.h"
#include "../model/program.h"

/* Workloads may have steps that are programs; before any is read. False: no memory. */
bool cm_view_programs_begin(void);
/* Whether a file is an IMP or a CM Fortran program, by its name. */
bool cm_view_is_program(const char *path);
/* Reads a workload, or makes the one that a program is. Such a program runs on the CM-200 that is
 * built in, unless --machine names another: *config gets it, and settings->config points to it. */
enum cm_status cm_view_read_workload(const struct cm_view_options *options, const char *path,
                                     struct cm_run_options *settings, struct cm_config *config,
                                     struct cm_workload **workload, struct cm_error *err);
/* What the options say about a run. */
struct cm_run_options cm_view_run_settings(const struct cm_view_options *options);

/* program_rows.c: what the panel shows of a program that stands. `said`: what its last command
 * printed. */
void cm_view_program_rows(struct console *console, const char *said,
                          struct cm_view_program *program);

/* session.c: a program on a thread of its own. It stands whenever one of the functions below
 * returns, unless cm_view_session_runs. */
struct cm_view_session;
/* Stops in front of the program's first moment. */
enum cm_status cm_view_session_open(const struct cm_view_options *options,
                                    struct cm_view_session **session, struct cm_error *err);
void cm_view_session_close(struct cm_view_session *session); /* NULL is taken */
const struct cm_view_program *cm_view_session_program(const struct cm_view_session *session);
/* Does what the control asks for, and takes it to the cycle where the program stands. `wait`: until
 * all is done; otherwise a program that goes on is looked after later, and what is asked for
 * meanwhile stops it. Returns whether it has stood still again: there is something new to show. */
bool cm_view_session_serve(struct cm_view_session *session, struct cm_view_control *control,
                           bool wait);
/* Does commands with `;` between, one after the other. False: one was refused; the control says
 * why. */
bool cm_view_session_do(struct cm_view_session *session, struct cm_view_control *control,
                        const char *commands);
bool cm_view_session_runs(const struct cm_view_session *session);
/* How the program was lost, as by lack of memory; CM_OK: it was not. */
enum cm_status cm_view_session_status(const struct cm_view_session *session, struct cm_error *err);

#endif
