/*
 * CM Fortran of any kind that is checked and run, on a machine of eight nodes. The run ends well,
 * or with a message at a place. The check of array statements finds no wrong element, and the
 * causes of all lines add up to their cycles. The level of optimization comes from the checksum of
 * the input. A first character '!' decides for free source form.
 *
 * A run is limited in cycles, in what it prints, and in time: a timer interrupts the machine, as
 * Ctrl-C does, for some inputs soon. libFuzzer has the alarm clock for itself, so the timer counts
 * the process's time. CM_FUZZ_PRINT=1 prints how a run ends.
 */
#include "base/crc32.h"
#include "fortran/check/program.h"
#include "fortran/run/direct.h"
#include "fortran/run/run.h"
#include "fortran/source/parse.h"
#include "run_workload.h"
#include "target.h"

#include <inttypes.h>
#include <signal.h>
#include <sys/time.h>

#define INPUT_MAX    8192u /* bytes, as longer programs only take longer */
#define CYCLES_MAX   UINT64_C(300000)
#define OUTPUT_MAX   UINT64_C(65536)
#define MICROSECONDS 500000
#define SOON         20000 /* microseconds, in which many programs are interrupted */

static struct cm_machine *volatile running;

static void interrupt(int number)
{
    (void)number;
    if (running != NULL)
        cm_machine_interrupt(running);
}

static void set_timer(long microseconds)
{
    struct itimerval timer = {.it_interval = {.tv_usec = microseconds},
                              .it_value = {.tv_usec = microseconds}};
    struct sigaction action = {.sa_handler = interrupt, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    require(sigaction(SIGVTALRM, &action, NULL) == 0);
    require(setitimer(ITIMER_VIRTUAL, &timer, NULL) == 0);
}

static enum cm_status read_nothing(void *context, const char *path, char **text, size_t *length,
                                   struct cm_error *err)
{
    (void)context;
    (void)text;
    (void)length;
    return cm_error_set(err, CM_IO, "there is no %s", path);
}

/* Requires an error of the program to have a place, and an error of the host to have a message. */
static void require_end(enum cm_status status, const struct cm_error *err)
{
    if (status == CM_OK)
        return;
    require(err->status == status && err->message[0] != '\0');
    require(status == CM_BAD_INPUT || status == CM_INTERRUPTED || status == CM_NO_MEMORY);
    require(status != CM_BAD_INPUT || (err->file[0] != '\0' && err->line > 0));
}

/* Prints how a run ended, and the first wrong element of each line. */
static void print_end(uint32_t level, enum cm_status status, const struct cm_error *err,
                      const struct cm_fortran_run *run)
{
    const struct cm_fortran_checker *checked = run != NULL ? cm_fortran_run_checked(run) : NULL;
    fprintf(stderr, "-O%" PRIu32 ": status %d, line %" PRIu32 ": %s\n", level, (int)status,
            err->line, err->message);
    for (uint32_t i = 0; checked != NULL && i < checked->faults.count; i++) {
        const struct cm_fortran_fault *fault = &checked->faults.items[i];
        fprintf(stderr, "line %" PRIu32 ": %s(%" PRId64 ", %" PRId64 "): %s, expected %s\n",
                fault->place.line, fault->name, fault->index[0], fault->index[1], fault->got,
                fault->expected);
    }
}

static void require_run(struct cm_fortran_run *run)
{
    const struct cm_fortran_checker *checked = cm_fortran_run_checked(run);
    const struct cm_counters counters = cm_fortran_run_counters(run);
    uint64_t sum = 0;
    for (int i = 0; i < CM_CAUSE_COUNT; i++)
        sum += counters.by_cause[i];
    require(sum == counters.cycles);
    require(checked != NULL && checked->mismatches == 0);
    require(cm_fortran_run_output(run)->length <= OUTPUT_MAX);
}

static void run_program(const struct cm_fortran_program *program, uint32_t chosen)
{
    const uint32_t level = chosen % 3;
    const struct cm_config config = small_machine();
    const struct cm_machine_options machine = {.nodes = 8, .threads = 1};
    const struct cm_fortran_run_options options = {.level = level,
                                                   .check = true,
                                                   .max_cycles = CYCLES_MAX,
                                                   .max_output = OUTPUT_MAX,
                                                   .no_files = true};
    struct cm_system *system = NULL;
    struct cm_fortran_run *run = NULL;
    struct cm_error err = {0};
    require(cm_system_create(&config, &machine, &system, &err) == CM_OK);
    running = cm_system_machine(system);
    set_timer(chosen / 3 % 4 == 0 ? 1 + chosen / 12 % SOON : MICROSECONDS);
    enum cm_status status = cm_fortran_run_create(program, system, &options, &run, &err);
    if (status == CM_OK)
        status = cm_fortran_run_execute(run, &err);
    set_timer(0);
    running = NULL;
    require_end(status, &err);
    if (getenv("CM_FUZZ_PRINT") != NULL)
        print_end(level, status, &err, run);
    if (run != NULL)
        require_run(run);
    cm_fortran_run_destroy(run);
    cm_system_destroy(system);
}

FUZZ_TARGET(fuzz_run)
{
    const struct cm_syntax_reader reader = {.read = read_nothing};
    const char *name = size > 0 && data[0] == '!' ? "x.f90" : "x.fcm";
    struct cm_source *source;
    struct cm_messages messages;
    struct cm_syntax *tree;
    if (size > INPUT_MAX)
        return 0;
    enum cm_status status = cm_syntax_parse(&(struct cm_file_text){name, (const char *)data, size},
                                            &reader, &source, &messages, &tree);
    struct cm_fortran_program *program =
        status == CM_OK ? cm_fortran_check(tree, source, NULL, &messages) : NULL;
    if (program != NULL)
        run_program(program, cm_crc32(0, data, size));
    cm_fortran_program_destroy(program);
    cm_syntax_destroy(tree);
    cm_messages_finish(&messages);
    cm_source_destroy(source);
    return 0;
}
