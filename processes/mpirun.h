/*
 * Links the processes that mpirun started. mpirun_mpi.c links them by MPI. mpirun_none.c takes its
 * place in a build without MPI (-Dmpi=disabled). Such a program can only report that it cannot join
 * the other processes.
 */
#ifndef CM_PROCESSES_MPIRUN_H
#define CM_PROCESSES_MPIRUN_H

#include "../base/processes.h"

/* Returns the number of processes that a launcher (of Open MPI or MPICH) started together, and
 * stores the rank of this process. Without a launcher, the number is 1 and the rank is 0. */
uint32_t cm_mpi_launched(uint32_t *rank);

/* Returns true if this build has MPI. */
bool cm_mpi_is_there(void);

/* Returns the name and version of the MPI library. "": this build has no MPI. */
const char *cm_mpi_library(void);

/* Joins the other processes by initialising MPI. Fails with CM_NO_MEMORY. */
enum cm_status cm_mpi_start(struct cm_error *err);
const struct cm_process_link *cm_mpi_link(void);
/* Leaves MPI, as the last call of the program. Waits for the other processes. If `alone` is true,
 * this process failed while others may wait for it, and the function ends the other processes
 * instead. Returns the exit code. */
int cm_mpi_end(int code, bool alone);

#endif
