/*
 * Ctrl-C. A signal handler has no argument to find its run by, so this file holds the program's one
 * global variable; what the handler does with it is safe in a signal handler.
 */
#include "shell.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static _Atomic(struct cm_run *) watched;

static void on_interrupt(int number)
{
    static const char message[] = ": interrupted\n";
    (void)number;
    struct cm_run *run = atomic_exchange(&watched, NULL);
    if (run != NULL) {
        cm_run_interrupt(run);
        return;
    }
    if (write(STDERR_FILENO, "\n", 1) < 0 ||
        write(STDERR_FILENO, cli_program_name, strlen(cli_program_name)) < 0 ||
        write(STDERR_FILENO, message, sizeof message - 1) < 0)
        _exit(130);
    _exit(130);
}

bool cli_interrupt_watch(struct cm_run *run)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_interrupt;
    sigemptyset(&action.sa_mask);
    struct cm_run *before = atomic_exchange(&watched, run);
    sigaction(SIGINT, &action, NULL);
    return before != NULL;
}

void cli_interrupt_hold(bool hold)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigprocmask(hold ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}
