/*
 * The processes that mpirun started. mpirun_mpi.c talks to them through MPI. mpirun_none.c takes
 * its place in a build without MPI (-Dmpi=disabled): such a program can only say that it cannot
 * join the others.
 */
#ifndef CM_PROCESSES_MPIRUN_H
#define CM_PROCESSES_MPIRUN_H

#include "../base/processes.h"

/* Returns how many processes were started together, and stores the rank of this one, as the
 * launchers of Open MPI and MPICH announce. 1 and rank 0 without a launcher. */
uint32_t cm_mpi_launched(uint32_t *rank);

/* Returns true if this build has MPI. */
bool cm_mpi_is_there(void);

/* Returns the name and version of the MPI library. "": a build without MPI. */
const char *cm_mpi_library(void);

/* Joins the other processes. CM_NO_MEMORY if that fails. */
enum cm_status cm_mpi_start(struct cm_error *err);
const struct cm_process_link *cm_mpi_link(void);
/* Leaves MPI, as the last call of the program. Waits for the others, or ends them if `alone` is
 * true: this process failed, and the others may wait for it. Returns the exit code. */
int cm_mpi_end(int code, bool alone);

#endif
