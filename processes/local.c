/* Processes of one host, linked by pairs of sockets. The processes form a hypercube: a process has
 * a wire to each process whose rank differs in one bit. Transfers are queued, and moved without
 * blocking in both directions, so that two processes that send to each other cannot deadlock. */
#include "local.h"

#include "../base/list.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#define BITS_MAX     6u  /* largest number of bits of a rank */
#define PIECES_MAX   64u /* largest number of transfers in one system call */
#define BUFFER_BYTES (1 << 20)
/* exit code of a process that ends because another process ended. It is the exit code of CM_IO */
#define EXIT_LOST 4
/* Number of pauses in which rank 0 waits to learn how another process ended, and length of a pause.
 */
#define WAITS     200
#define WAIT_NSEC 5000000L
#define LOOK_MS   50 /* milliseconds between two checks whether a signal has come */
/* Number of pauses after which processes that still run get SIGTERM, and number after which they
 * are killed. */
#define WAITS_TO_ASK  20
#define WAITS_TO_KILL 80

struct transfer {
    char *send, *receive;
    size_t to_send, to_receive;
};

/* The socket to one partner, with the transfers to and from it. */
struct wire {
    int fd;
    struct transfer *transfers;
    uint32_t count, capacity;
    uint32_t sent, received; /* numbers of transfers that are completely sent and received */
};

struct cm_local_processes {
    struct cm_process_link link;
    uint32_t bits;
    struct wire wires[BITS_MAX];
    /* in rank 0: process ids of the other ranks. 0: no such process, or it has ended. */
    pid_t children[CM_LOCAL_PROCESSES_MAX];
    int ends[CM_LOCAL_PROCESSES_MAX]; /* exit status of each process that has ended, from waitpid */
    bool failed;
    uint32_t lost; /* rank of the partner whose socket was closed */
};

static bool begin(void *context, uint32_t partner, const void *send, void *receive, size_t bytes)
{
    struct cm_local_processes *processes = context;
    struct wire *wire = &processes->wires[__builtin_ctz(partner ^ processes->link.rank)];
    if (processes->failed || !cm_array_room(wire->transfers, wire->count, wire->capacity))
        return false;
    /* iovec has no type for data that are only read, so `const` is cast away. */
    wire->transfers[wire->count++] = (struct transfer){
        .send = (char *)(uintptr_t)send, .receive = receive, .to_send = bytes, .to_receive = bytes};
    return true;
}

/* Records that `moved` bytes of the transfers from number `done` on were moved. Returns the number
 * of complete transfers. */
static uint32_t account(struct wire *wire, uint32_t done, size_t moved, bool sending)
{
    for (; done < wire->count; done++) {
        struct transfer *transfer = &wire->transfers[done];
        size_t *left = sending ? &transfer->to_send : &transfer->to_receive;
        char **at = sending ? &transfer->send : &transfer->receive;
        size_t now = moved < *left ? moved : *left;
        *left -= now;
        *at += now;
        moved -= now;
        if (*left > 0)
            break;
    }
    return done;
}

/* Moves as many bytes as the socket can take or has received. Returns 1 if bytes were moved, 0 if
 * none can be moved now, and -1 if the partner has ended. */
static int move(struct wire *wire, bool sending)
{
    struct iovec pieces[PIECES_MAX];
    uint32_t *done = sending ? &wire->sent : &wire->received, count = 0;
    struct msghdr message;
    memset(&message, 0, sizeof message);
    for (uint32_t i = *done; i < wire->count && count < PIECES_MAX; i++, count++) {
        const struct transfer *transfer = &wire->transfers[i];
        pieces[count] = sending ? (struct iovec){transfer->send, transfer->to_send}
                                : (struct iovec){transfer->receive, transfer->to_receive};
    }
    if (count == 0)
        return 0;
    message.msg_iov = pieces;
    message.msg_iovlen = count;
    ssize_t moved = sending ? sendmsg(wire->fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL)
                            : recvmsg(wire->fd, &message, MSG_DONTWAIT);
    if (moved < 0)
        return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? 0 : -1;
    *done = account(wire, *done, (size_t)moved, sending);
    return moved > 0 ? 1 : sending ? 0 : -1;
}

/* Moves bytes to and from all partners. Returns 1, 0 or -1 in the same way as `move`. */
static int move_all(struct cm_local_processes *processes)
{
    int moved = 0;
    for (uint32_t i = 0; i < processes->bits; i++) {
        int sent = move(&processes->wires[i], true);
        int received = move(&processes->wires[i], false);
        if (received < 0 || (sent < 0 && received == 0)) {
            processes->failed = true;
            processes->lost = processes->link.rank ^ 1u << i;
            return -1;
        }
        moved |= sent | received;
    }
    return moved;
}

static void push(void *context)
{
    struct cm_local_processes *processes = context;
    for (uint32_t i = 0; i < processes->bits; i++)
        /* the function `finish` will see the same failure */
        (void)move(&processes->wires[i], true);
}

static bool is_done(const struct cm_local_processes *processes)
{
    for (uint32_t i = 0; i < processes->bits; i++)
        if (processes->wires[i].sent < processes->wires[i].count ||
            processes->wires[i].received < processes->wires[i].count)
            return false;
    return true;
}

static void wait_for_partners(struct cm_local_processes *processes)
{
    struct pollfd polled[BITS_MAX];
    for (uint32_t i = 0; i < processes->bits; i++) {
        const struct wire *wire = &processes->wires[i];
        short sends = wire->sent < wire->count ? POLLOUT : 0;
        short receives = wire->received < wire->count ? POLLIN : 0;
        bool needed = sends || receives;
        polled[i] =
            (struct pollfd){.fd = needed ? wire->fd : -1, .events = (short)(sends | receives)};
    }
    (void)poll(polled, processes->bits, LOOK_MS); /* a signal also ends the wait */
}

static bool finish(void *context)
{
    struct cm_local_processes *processes = context;
    int looks = 0; /* number of waits without progress since a signal came */
    while (!processes->failed && !is_done(processes))
        if (move_all(processes) == 0) {
            wait_for_partners(processes);
            looks += cm_processes_interrupted();
            processes->failed = looks > CM_PROCESSES_PATIENCE_MS / LOOK_MS;
        }
    for (uint32_t i = 0; i < processes->bits; i++) {
        struct wire *wire = &processes->wires[i];
        wire->count = wire->sent = wire->received = 0;
    }
    return !processes->failed;
}

/* Collects the exit status of processes that have ended. Returns the number of processes that still
 * run. */
static uint32_t collect(struct cm_local_processes *processes, bool wait)
{
    uint32_t left = 0;
    for (uint32_t i = 1; i < processes->link.count; i++) {
        if (processes->children[i] == 0)
            continue;
        pid_t ended;
        do
            ended = waitpid(processes->children[i], &processes->ends[i], wait ? 0 : WNOHANG);
        while (ended < 0 && errno == EINTR);
        if (ended == 0)
            left++;
        else
            processes->children[i] = 0;
    }
    return left;
}

/* Returns true if process `i` has ended, and with an exit code that is neither `code` nor `other`.
 */
static bool ended_otherwise(const struct cm_local_processes *processes, uint32_t i, int code,
                            int other)
{
    int end = processes->ends[i];
    if (processes->children[i] != 0)
        return false;
    return !WIFEXITED(end) || (WEXITSTATUS(end) != code && WEXITSTATUS(end) != other);
}

static void say_how(const struct cm_local_processes *processes, uint32_t i, char *text, size_t size)
{
    int end = processes->ends[i];
    if (WIFSIGNALED(end))
        snprintf(text, size, "process %u of %u ended: %s (signal %d)", i, processes->link.count,
                 strsignal(WTERMSIG(end)), WTERMSIG(end));
    else
        snprintf(text, size, "process %u of %u ended with exit code %d", i, processes->link.count,
                 WEXITSTATUS(end));
}

/* Writes the reason why the link failed. If a process fails, its partners end with EXIT_LOST. Rank
 * 0 therefore looks for a process that ended for another reason. */
static void explain(void *context, char *text, size_t size)
{
    struct cm_local_processes *processes = context;
    const struct timespec pause = {.tv_nsec = WAIT_NSEC};
    snprintf(text, size, "process %u of %u ended", processes->lost, processes->link.count);
    for (int waits = 0; processes->link.rank == 0 && waits < WAITS; waits++) {
        uint32_t left = collect(processes, false);
        for (uint32_t i = 1; i < processes->link.count; i++)
            if (ended_otherwise(processes, i, EXIT_LOST, EXIT_LOST)) {
                say_how(processes, i, text, size);
                return;
            }
        if (left == 0)
            return;
        (void)nanosleep(&pause, NULL);
    }
}

static void close_wires(struct cm_local_processes *processes)
{
    for (uint32_t i = 0; i < processes->bits; i++) {
        if (processes->wires[i].fd >= 0)
            close(processes->wires[i].fd);
        free(processes->wires[i].transfers);
        processes->wires[i] = (struct wire){.fd = -1};
    }
}

/* Silences a process other than rank 0, because its output would repeat the output of rank 0. Rank
 * 0 handles Ctrl-C for all processes. */
static void become_silent(pid_t parent)
{
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = STDIN_FILENO; nowhere >= 0 && fd <= STDERR_FILENO; fd++)
        (void)dup2(nowhere, fd);
    if (nowhere > STDERR_FILENO)
        close(nowhere);
    (void)signal(SIGINT, SIG_IGN);
    (void)signal(SIGHUP, SIG_IGN);
    (void)signal(SIGTERM, SIG_DFL);
#ifdef __linux__
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_LOST);
#else
    (void)parent;
#endif
}

/* Descriptors of all sockets: fds[p][b] belongs to process p, and leads to the partner whose rank
 * differs in bit b. */
typedef int sockets[CM_LOCAL_PROCESSES_MAX][BITS_MAX];

static bool make_sockets(uint32_t count, uint32_t bits, sockets fds)
{
    bool made = true;
    for (uint32_t p = 0; p < count; p++)
        for (uint32_t b = 0; b < bits; b++) {
            int pair[2] = {-1, -1}, bytes = BUFFER_BYTES;
            if (p >> b & 1)
                continue;
            made = made && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0;
            for (int end = 0; made && end < 2; end++)
                (void)setsockopt(pair[end], SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
            fds[p][b] = made ? pair[0] : -1;
            fds[p | 1u << b][b] = made ? pair[1] : -1;
        }
    return made;
}

/* Closes the sockets that belong to the other processes. If this process kept them open, the end of
 * another process would not be noticed. */
static void keep_own(struct cm_local_processes *processes, sockets fds)
{
    for (uint32_t p = 0; p < processes->link.count; p++)
        for (uint32_t b = 0; b < processes->bits; b++)
            if (p == processes->link.rank)
                processes->wires[b].fd = fds[p][b];
            else if (fds[p][b] >= 0)
                close(fds[p][b]);
}

static bool fork_all(struct cm_local_processes *processes)
{
    pid_t parent = getpid();
    for (uint32_t rank = 1; rank < processes->link.count; rank++) {
        pid_t child = fork();
        if (child < 0)
            return false;
        if (child == 0) {
            processes->link.rank = rank;
            memset(processes->children, 0, sizeof processes->children);
            become_silent(parent);
            return true;
        }
        processes->children[rank] = child;
    }
    return true;
}

static enum cm_status refuse(struct cm_local_processes *processes, uint32_t count,
                             struct cm_error *err)
{
    int fault = errno;
    (void)cm_local_end(processes, 0, NULL);
    cm_error_set(err, CM_NO_MEMORY, "the host refused %u processes: %s", count, strerror(fault));
    return cm_error_hint(err, "use fewer processes");
}

enum cm_status cm_local_start(uint32_t count, struct cm_local_processes **out, struct cm_error *err)
{
    sockets fds;
    struct cm_local_processes *processes = calloc(1, sizeof *processes);
    if (processes == NULL)
        return cm_error_no_memory(err);
    processes->link = (struct cm_process_link){.count = count,
                                               .context = processes,
                                               .begin = begin,
                                               .push = push,
                                               .finish = finish,
                                               .explain = explain};
    processes->bits = (uint32_t)__builtin_ctz(count);
    fflush(NULL); /* otherwise each process would print the text in the output buffer once more */
    bool made = make_sockets(count, processes->bits, fds) && fork_all(processes);
    keep_own(processes, fds);
    if (!made)
        return refuse(processes, count, err);
    *out = processes;
    return CM_OK;
}

const struct cm_process_link *cm_local_link(const struct cm_local_processes *processes)
{
    return &processes->link;
}

/* Sends a signal to the processes that still run. A stopped process is continued, so that it gets
 * the signal. */
static void signal_others(const struct cm_local_processes *processes, int number)
{
    for (uint32_t i = 1; i < processes->link.count; i++)
        if (processes->children[i] != 0) {
            (void)kill(processes->children[i], number);
            (void)kill(processes->children[i], SIGCONT);
        }
}

/* Waits for the other processes after a failure. A process that has the same failure, or notices
 * that rank 0 has ended, ends soon. A process that goes on computing or is stopped gets SIGTERM,
 * and later SIGKILL. */
static void end_others(struct cm_local_processes *processes)
{
    const struct timespec pause = {.tv_nsec = WAIT_NSEC};
    for (int waits = 0; collect(processes, false) > 0; waits++) {
        if (waits == WAITS_TO_ASK)
            signal_others(processes, SIGTERM);
        if (waits == WAITS_TO_KILL)
            signal_others(processes, SIGKILL);
        (void)nanosleep(&pause, NULL);
    }
}

enum cm_status cm_local_end(struct cm_local_processes *processes, int code, struct cm_error *err)
{
    char text[256];
    uint32_t first = 0;
    close_wires(processes);
    if (processes->link.rank == 0 && code != 0)
        end_others(processes);
    else if (processes->link.rank == 0)
        collect(processes, true);
    /* If rank 0 failed, the other processes end with EXIT_LOST. */
    for (uint32_t i = 1; processes->link.rank == 0 && i < processes->link.count; i++)
        if (first == 0 && ended_otherwise(processes, i, code, code != 0 ? EXIT_LOST : 0))
            first = i;
    if (first != 0)
        say_how(processes, first, text, sizeof text);
    free(processes);
    return first == 0 ? CM_OK : cm_error_set(err, CM_IO, "%s", text);
}
