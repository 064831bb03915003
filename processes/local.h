/*
 * Several processes on this host, without MPI: the program forks, and each pair of processes whose
 * numbers differ in one bit has a pair of sockets. When a process ends, its sockets say so.
 */
#ifndef CM_PROCESSES_LOCAL_H
#define CM_PROCESSES_LOCAL_H

#include "../base/processes.h"

#define CM_LOCAL_PROCESSES_MAX 64u

struct cm_local_processes;

/*
 * Makes `count` processes, a power of two, of this one, which becomes process 0; returns in all of
 * them. The others read nothing from the terminal and print nothing. No other threads may run.
 */
enum cm_status cm_local_start(uint32_t count, struct cm_local_processes **processes,
                              struct cm_error *err);
const struct cm_process_link *cm_local_link(const struct cm_local_processes *processes);

/* Cuts the link, and in process 0 waits for the others; those that are not done by then stop at
 * their next exchange. CM_IO when one of them ended otherwise than with `code`. */
enum cm_status cm_local_end(struct cm_local_processes *processes, int code, struct cm_error *err);

#endif
