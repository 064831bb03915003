/*
 * The processes that mpirun started. Compiled without MPI (-Dmpi=disabled), the program still knows
 * that it was started so, and can say that it does not do that.
 */
#ifndef CM_PROCESSES_MPIRUN_H
#define CM_PROCESSES_MPIRUN_H

#include "../base/processes.h"

/* How many processes were started together, and which of them this is, as the launchers of Open MPI
 * and MPICH tell; 1 and 0 without one. */
uint32_t cm_mpi_launched(uint32_t *rank);

/* Whether the program can talk to them. */
bool cm_mpi_is_there(void);

/* The name and version of the library; "" without one. */
const char *cm_mpi_library(void);

/* Joins the others. CM_NO_MEMORY when that fails. */
enum cm_status cm_mpi_start(struct cm_error *err);
const struct cm_process_link *cm_mpi_link(void);
/* The last call: waits for the others, or, when this process failed and others may not have, ends
 * them. Returns the exit code. */
int cm_mpi_end(int code, bool alone);

#endif
