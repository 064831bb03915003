/* The processes that simulate one machine together: they are started by the option --processes or
 * by mpirun. */
#include "../base/processes.h"

#include "../base/version.h"
#include "job.h"

#if CM_FOR_A_PAGE
int cli_processes_begin(void)
{
    return 0;
}

int cli_processes_allow(const struct cli_command *command)
{
    (void)command;
    return 0;
}

int cli_processes_start(const struct cli_job *job)
{
    return job->run->processes > 1 ? shell_usage("run", "a web page has one process") : 0;
}

int cli_processes_stop(int code)
{
    return code;
}

int cli_processes_end(int code)
{
    return code;
}
#else
#include "../processes/local.h"
#include "../processes/mpirun.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Milliseconds that a failing process waits before it ends, so that another failing process can
 * report the cause first. After a signal (SIGNAL_MS), rank 0 writes its partial results meanwhile.
 */
#define ALONE_MS  2000
#define SIGNAL_MS 500

/* The forked processes. They are a global variable, because the link between them is global, too.
 */
static struct cm_local_processes *local;
/* descriptor of the real standard error output, if the process is silenced */
static int standard_error = STDERR_FILENO;

static bool is_power_of_two(uint64_t number)
{
    return (number & (number - 1)) == 0;
}

static int refuse_count(const char *command, uint64_t count)
{
    uint64_t less = 1;
    while (less * 2 < count)
        less *= 2;
    return shell_usage(
        command, "%llu processes: the number must be a power of two, as %llu or %llu",
        (unsigned long long)count, (unsigned long long)less, (unsigned long long)less * 2);
}

/* Silences a process that mpirun started, because only rank 0 prints. A signal still interrupts the
 * run in this process, because the signal may reach no other process. */
static void become_silent(void)
{
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    standard_error = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    for (int fd = STDIN_FILENO; nowhere >= 0 && fd <= STDERR_FILENO; fd++)
        (void)dup2(nowhere, fd);
    if (nowhere > STDERR_FILENO)
        close(nowhere);
}

/* Lets rank 0 report its error first, because the launcher ends all processes as soon as one fails.
 */
static int let_first_speak(uint32_t rank, int code)
{
    const long ms = code > SHELL_EXIT_SIGNAL ? SIGNAL_MS : ALONE_MS;
    const struct timespec pause = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    if (rank > 0)
        (void)nanosleep(&pause, NULL);
    return code;
}

static int join_launched(uint32_t rank, uint32_t count)
{
    struct cm_error err = {0};
    if (rank > 0)
        become_silent();
    if (!cm_mpi_is_there()) {
        cm_error_set(&err, CM_USAGE,
                     "mpirun started %u processes, but this program was compiled "
                     "without MPI, and each would do all of the work",
                     count);
        cm_error_hint(&err,
                      "compile it with -Dmpi=enabled; on one host, --processes %u needs no "
                      "MPI",
                      count);
        return shell_error(&err);
    }
    if (!is_power_of_two(count))
        return refuse_count(NULL, count);
    if (cm_mpi_start(&err) != CM_OK)
        return shell_error(&err);
    cm_processes_join(cm_mpi_link());
    return 0;
}

int cli_processes_begin(void)
{
    uint32_t rank, count = cm_mpi_launched(&rank);
    int code = count > 1 ? join_launched(rank, count) : 0;
    return code == 0 ? 0 : let_first_speak(rank, code);
}

int cli_processes_allow(const struct cli_command *command)
{
    size_t offset;
    if (cm_processes() == NULL ||
        shell_option_named(&command->syntax, "processes", &offset) != NULL)
        return 0;
    return shell_usage(command->syntax.command,
                       "has one process; run, shift, reshape, fft and route have several");
}

/* Checks that all processes have the same program and the same command line. Returns an exit
 * code. */
static int compare(const struct cli_job *job)
{
    struct cm_error err = {0};
    struct cm_buffer text;
    bool same = true;
    cm_buffer_init(&text);
    cm_buffer_printf(&text, "%s %s ", cm_version(), cli_commit);
    shell_command_line(job->common, &text);
    enum cm_status status = cm_buffer_ok(&text) ? CM_OK : cm_error_no_memory(&err);
    if (status == CM_OK)
        status = cm_processes_agree(cm_processes(), text.data, text.length, &same, &err);
    cm_buffer_finish(&text);
    if (status == CM_OK && !same)
        status =
            cm_error_refuse(&err, "give all hosts the same program",
                            "the processes have different versions of the program, or different "
                            "words on their command lines");
    return status == CM_OK ? 0 : shell_error(&err);
}

int cli_processes_start(const struct cli_job *job)
{
    struct cm_error err = {0};
    const char *command = job->common->syntax->command;
    uint64_t count = job->run->processes;
    if (cm_processes() != NULL && count > 0)
        return shell_usage(command, "--processes %llu: mpirun started %u processes already",
                           (unsigned long long)count, cm_processes()->count);
    if (cm_processes() != NULL)
        return compare(job);
    if (count <= 1)
        return 0;
    if (!is_power_of_two(count))
        return refuse_count(command, count);
    if (cm_local_start((uint32_t)count, &local, &err) != CM_OK)
        return shell_error(&err);
    cm_processes_join(cm_local_link(local));
    return 0;
}

int cli_processes_stop(int code)
{
    struct cm_error err = {0};
    struct cm_local_processes *ended = local;
    if (ended == NULL)
        return code;
    cm_processes_join(NULL);
    local = NULL;
    /* If the run failed, its message already names the process that ended. */
    return cm_local_end(ended, code, &err) == CM_OK || code != 0 ? code : shell_error(&err);
}

/* Returns true if a process may fail alone, for example because its host lacks memory. All
 * processes find mistakes in the input, and so fail together. */
static bool fails_alone(int code)
{
    return code == cm_status_exit_code(CM_IO) || code == cm_status_exit_code(CM_NO_MEMORY) ||
           code > SHELL_EXIT_SIGNAL;
}

int cli_processes_end(int code)
{
    const struct cm_process_link *link = cm_processes();
    bool alone = link != NULL && fails_alone(code);
    if (alone && link->rank > 0) {
        (void)let_first_speak(link->rank, code);
        if (code < SHELL_EXIT_SIGNAL) /* the launcher passes a signal to rank 0, which reports it */
            dprintf(standard_error, "cm200: process %u of %u ended with exit code %d\n", link->rank,
                    link->count, code);
    }
    return cm_mpi_end(code, alone);
}
#endif
