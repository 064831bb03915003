/*
 * Prepares the process of a program, and handles its signals. A signal handler has no argument for
 * the work to stop, so this file has global variables. The handler uses only operations that are
 * safe in a signal handler.
 */
#include "../base/npy_parts.h"
#include "shell.h"

#include <inttypes.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static _Atomic(void *) watched;
/* function that stops the watched work. It is set before `watched`, because a signal can come at
 * any time */
static void (*stop_watched)(void *work);
static atomic_int held; /* number of calls of shell_interrupt_hold that hold signals back now */
/* signal that came while signals were held back. 0: none. */
static atomic_int waiting;
/* signal that stopped the watched work, or a write to a pipe. 0: no signal has stopped anything */
static atomic_int stopped;
/* seconds after which watched work is stopped. 0: no limit */
static uint64_t seconds_allowed;

static void end_by(int number)
{
    static const char message[] = ": interrupted\n";
    if (write(STDERR_FILENO, "\n", 1) < 0 ||
        write(STDERR_FILENO, shell_program_name, strlen(shell_program_name)) < 0 ||
        write(STDERR_FILENO, message, sizeof message - 1) < 0)
        _exit(SHELL_EXIT_SIGNAL + number);
    _exit(SHELL_EXIT_SIGNAL + number);
}

/* Stops the watched work. A second signal ends the program, even while the program writes the
 * partial results after the first signal. */
static void on_signal(int number)
{
    int before = errno;
    void *work = atomic_exchange(&watched, NULL);
    if (work != NULL) {
        stopped = number;
        stop_watched(work);
    } else if (number == SIGALRM) {
        /* the work that had a limit of time has just ended */
    } else if (held == 0 || stopped != 0 || atomic_exchange(&waiting, number) != 0) {
        end_by(number);
    }
    errno = before;
}

/* Opens those standard streams that are closed, so that a file opened later does not get the number
 * of a standard stream. Reading or writing the stream still fails. */
static void open_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
            _exit(cm_status_exit_code(CM_IO));
}

/* Handles SIGBUS. If another program has shortened a mapped file, replaces the missing part by
 * zeros. Any other bad access ends the program. */
static void on_bus(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (!cm_npy_repair(info->si_addr))
        /* The handler returns, the access is repeated, and the signal then ends the program. */
        signal(number, SIG_DFL);
}

void shell_begin(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM};
    struct sigaction action, old;
    memset(&action, 0, sizeof action);
    sigemptyset(&action.sa_mask);
    open_standard_streams();
    /* With these signals ignored, writing to a pipe without a reader, or beyond the size limit of
     * files, fails with an error. */
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, NULL);
    sigaction(SIGXFSZ, &action, NULL);
    action.sa_flags = SA_SIGINFO;
    action.sa_sigaction = on_bus;
    sigaction(SIGBUS, &action, NULL);
    action.sa_flags = 0;
    /* SA_RESTART is not set, so that a signal ends the waiting for a pipe. */
    action.sa_handler = on_signal;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        sigaction(numbers[i], NULL, &old);
        /* a program that nohup has started keeps ignoring SIGHUP */
        if (numbers[i] != SIGHUP || old.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
    }
}

bool shell_interrupt_watch(void *work, void (*stop)(void *work))
{
    if (work != NULL)
        stop_watched = stop;
    return atomic_exchange(&watched, work) != NULL;
}

void shell_interrupt_hold(bool hold)
{
    held += hold ? 1 : -1;
    int number = held == 0 ? atomic_exchange(&waiting, 0) : 0;
    if (number != 0)
        end_by(number);
}

bool shell_interrupt_came(void)
{
    return waiting != 0 || stopped != 0;
}

int shell_interrupt_code(void)
{
    int number = atomic_exchange(&waiting, 0);
    if (number != 0)
        stopped = number;
    if (stopped == SIGALRM)
        return cm_status_exit_code(CM_BAD_INPUT);
    return SHELL_EXIT_SIGNAL + (stopped != 0 ? stopped : SIGINT);
}

void shell_interrupt_after(uint64_t seconds)
{
    struct itimerval timer;
    memset(&timer, 0, sizeof timer);
    timer.it_value.tv_sec = (time_t)seconds;
    if (seconds > 0)
        seconds_allowed = seconds;
    setitimer(ITIMER_REAL, &timer, NULL);
}

void shell_name_interrupt(struct cm_error *err)
{
    struct cm_error plain;
    if (stopped == SIGALRM)
        cm_error_set(&plain, CM_INTERRUPTED, "the run takes more than %" PRIu64 " second%s",
                     seconds_allowed, seconds_allowed == 1 ? "" : "s");
    else
        cm_error_set(&plain, CM_INTERRUPTED, "interrupted");
    if (err->file[0] == '\0' || err->line == 0)
        *err = plain;
    else
        memcpy(err->message, plain.message, sizeof err->message);
}
