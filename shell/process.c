/*
 * What a program does first of all, and how signals end it. A signal handler has no argument to
 * find the work by, so this file holds the program's global variables; what the handler does with
 * them is safe in a signal handler.
 */
#include "../base/npy_parts.h"
#include "shell.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static _Atomic(void *) watched;
static void (*stop_watched)(void *work); /* set before `watched` is */
static atomic_int held;                  /* how often signals are held back */
static atomic_int waiting;               /* the signal that came while they were; 0: none */
static atomic_int stopped; /* the signal that stopped watched work or a write; 0: none */

static void end_by(int number)
{
    static const char message[] = ": interrupted\n";
    if (write(STDERR_FILENO, "\n", 1) < 0 ||
        write(STDERR_FILENO, cli_program_name, strlen(cli_program_name)) < 0 ||
        write(STDERR_FILENO, message, sizeof message - 1) < 0)
        _exit(CLI_EXIT_SIGNAL + number);
    _exit(CLI_EXIT_SIGNAL + number);
}

/* A second signal ends the program even while it writes what was done until the first. */
static void on_signal(int number)
{
    int before = errno;
    void *work = atomic_exchange(&watched, NULL);
    if (work != NULL) {
        stopped = number;
        stop_watched(work);
    } else if (held == 0 || stopped != 0 || atomic_exchange(&waiting, number) != 0) {
        end_by(number);
    }
    errno = before;
}

/* A file that is opened later must not take the place of a standard stream that is closed. As with
 * the closed one, what is then read or written there fails. */
static void open_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
            _exit(cm_status_exit_code(CM_IO));
}

/* A file that another program cuts short while it is mapped must not end this one. */
static void on_bus(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (!cm_npy_repair(info->si_addr))
        signal(number, SIG_DFL); /* the access is repeated, and ends the program */
}

void cli_begin(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action, old;
    memset(&action, 0, sizeof action);
    sigemptyset(&action.sa_mask);
    open_standard_streams();
    /* Writing to a pipe that nobody reads, or a file beyond its limit, is an error that is
     * reported. */
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, NULL);
    sigaction(SIGXFSZ, &action, NULL);
    action.sa_flags = SA_SIGINFO;
    action.sa_sigaction = on_bus;
    sigaction(SIGBUS, &action, NULL);
    action.sa_flags = 0;
    action.sa_handler = on_signal; /* no SA_RESTART: it ends the waiting for a pipe */
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        sigaction(numbers[i], NULL, &old);
        if (numbers[i] != SIGHUP || old.sa_handler != SIG_IGN) /* nohup ignores it */
            sigaction(numbers[i], &action, NULL);
    }
}

bool cli_interrupt_watch(void *work, void (*stop)(void *work))
{
    if (work != NULL)
        stop_watched = stop;
    return atomic_exchange(&watched, work) != NULL;
}

void cli_interrupt_hold(bool hold)
{
    held += hold ? 1 : -1;
    int number = held == 0 ? atomic_exchange(&waiting, 0) : 0;
    if (number != 0)
        end_by(number);
}

bool cli_interrupt_waits(void)
{
    return waiting != 0;
}

int cli_interrupt_code(void)
{
    int number = atomic_exchange(&waiting, 0);
    if (number != 0)
        stopped = number;
    return CLI_EXIT_SIGNAL + (stopped != 0 ? stopped : SIGINT);
}
