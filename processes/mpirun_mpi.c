/* The link between processes by MPI. An exchange is a message in each direction, cut into pieces.
 * If a process ends, MPI ends all other processes, and the launcher reports which process it was.
 * Waiting is a loop that tests the messages, so that a signal can end it. MPI itself waits in the
 * same way. */
#include "mpirun.h"

#include "../base/list.h"

#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Number of tests of the messages before the thread offers its processor to other threads. If
 * processes share processors, the partner may need the processor in order to send. */
#define TESTS_ALONE 100u

struct requests {
    MPI_Request *list;
    uint32_t count, capacity;
};

static struct requests under_way;

static bool begin(void *context, uint32_t partner, const void *send, void *receive, size_t bytes)
{
    struct requests *requests = context;
    const char *from = send;
    char *to = receive;
    while (bytes > 0) {
        int now = (int)(bytes < CM_PROCESSES_PIECE_BYTES ? bytes : CM_PROCESSES_PIECE_BYTES);
        for (int half = 0; half < 2; half++) {
            if (!cm_array_room(requests->list, requests->count, requests->capacity))
                return false;
            MPI_Request *request = &requests->list[requests->count];
            int code =
                half == 0
                    ? MPI_Irecv(to, now, MPI_BYTE, (int)partner, 0, MPI_COMM_WORLD, request)
                    : MPI_Isend(from, now, MPI_BYTE, (int)partner, 0, MPI_COMM_WORLD, request);
            if (code != MPI_SUCCESS)
                return false;
            requests->count++;
        }
        from += now;
        to += now;
        bytes -= (size_t)now;
    }
    return true;
}

static void push(void *context)
{
    struct requests *requests = context;
    int done;
    (void)MPI_Testall((int)requests->count, requests->list, &done, MPI_STATUSES_IGNORE);
}

static bool finish(void *context)
{
    struct requests *requests = context;
    const int count = (int)requests->count;
    int done = 0, code = MPI_SUCCESS;
    uint32_t tests = 0;
    /* time, in seconds of MPI_Wtime, at which this process stops waiting for the others after a
     * signal. 0: no signal has come */
    double until = 0;
    requests->count = 0;
    while (!done && code == MPI_SUCCESS && (until == 0 || MPI_Wtime() < until)) {
        code = MPI_Testall(count, requests->list, &done, MPI_STATUSES_IGNORE);
        if (++tests > TESTS_ALONE && !done)
            (void)sched_yield();
        if (until == 0 && cm_processes_interrupted())
            until = MPI_Wtime() + 1e-3 * CM_PROCESSES_PATIENCE_MS;
    }
    return done && code == MPI_SUCCESS;
}

static void explain(void *context, char *text, size_t size)
{
    (void)context;
    snprintf(text, size, "a message to another process failed");
}

static struct cm_process_link joined = {
    .context = &under_way, .begin = begin, .push = push, .finish = finish, .explain = explain};

bool cm_mpi_is_there(void)
{
    return true;
}

const char *cm_mpi_library(void)
{
    static char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    if (version[0] == '\0' && MPI_Get_library_version(version, &length) != MPI_SUCCESS)
        return "MPI";
    /* the rest of the text describes how the library was built */
    version[strcspn(version, ",\n")] = '\0';
    return version;
}

enum cm_status cm_mpi_start(struct cm_error *err)
{
    int provided, rank, count;
    /* Only one thread of a process calls functions of MPI. */
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS ||
        MPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS ||
        MPI_Comm_size(MPI_COMM_WORLD, &count) != MPI_SUCCESS)
        return cm_error_set(err, CM_NO_MEMORY, "MPI did not start");
    joined.rank = (uint32_t)rank;
    joined.count = (uint32_t)count;
    return CM_OK;
}

const struct cm_process_link *cm_mpi_link(void)
{
    return joined.count > 1 ? &joined : NULL;
}

int cm_mpi_end(int code, bool alone)
{
    int started = 0;
    (void)MPI_Initialized(&started);
    if (!started)
        return code;
    if (alone)
        (void)MPI_Abort(MPI_COMM_WORLD, code);
    (void)MPI_Finalize();
    free(under_way.list);
    under_way = (struct requests){0};
    return code;
}
