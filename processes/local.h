/*
 * Starts and links several processes on this host without MPI, for the option --processes. The
 * program forks, and any two processes whose ranks differ in one bit are connected by a pair of
 * sockets. When a process ends, its sockets close, and so its partners notice.
 */
#ifndef CM_PROCESSES_LOCAL_H
#define CM_PROCESSES_LOCAL_H

#include "../base/processes.h"

#define CM_LOCAL_PROCESSES_MAX 64u

struct cm_local_processes;

/*
 * Forks this process into `count` processes, a power of two. The function returns in all of these
 * processes. The caller is rank 0. The other processes read nothing from the terminal and print
 * nothing. No other threads may run during the call.
 */
enum cm_status cm_local_start(uint32_t count, struct cm_local_processes **processes,
                              struct cm_error *err);
const struct cm_process_link *cm_local_link(const struct cm_local_processes *processes);

/* Closes the link between the processes. Rank 0 then waits for the other processes. Processes that
 * still run fail at their next exchange, or are ended soon if `code` is not 0. Fails with CM_IO if
 * a process ended with an exit code other than `code`. */
enum cm_status cm_local_end(struct cm_local_processes *processes, int code, struct cm_error *err);

#endif
