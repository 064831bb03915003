/*
 * Several processes on this host without MPI, for --processes. The program forks, and each pair of
 * processes whose ranks differ in one bit has a pair of sockets. A process that ends closes its
 * sockets, by which the others know.
 */
#ifndef CM_PROCESSES_LOCAL_H
#define CM_PROCESSES_LOCAL_H

#include "../base/processes.h"

#define CM_LOCAL_PROCESSES_MAX 64u

struct cm_local_processes;

/*
 * Forks this process into `count` processes, a power of two. Returns in all of them. The caller is
 * rank 0. The others read nothing from the terminal and print nothing. No other threads may run
 * during the call.
 */
enum cm_status cm_local_start(uint32_t count, struct cm_local_processes **processes,
                              struct cm_error *err);
const struct cm_process_link *cm_local_link(const struct cm_local_processes *processes);

/* Closes the link, and in rank 0 waits for the others. Processes that still run stop at their next
 * exchange, or are ended soon if `code` is not 0. CM_IO if a process ended with an exit code other
 * than `code`. */
enum cm_status cm_local_end(struct cm_local_processes *processes, int code, struct cm_error *err);

#endif
