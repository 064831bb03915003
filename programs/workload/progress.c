/* Estimate of the remaining time of a run, for the progress report. The result of a run may not
 * depend on this estimate. */
#include "../../base/processes.h"
#include "step.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

double cm_run_host_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void report(void *context)
{
    const struct cm_run *run = context;
    run->options.progress(run->options.progress_context, run->done, run->total);
}

void cm_run_set_step(struct cm_run *run, const struct cm_run_step *step)
{
    struct cm_machine *machine = cm_system_machine(run->system);
    run->now = step;
    run->step_progress = (struct cm_step_progress){0};
    if (step != NULL) {
        run->now_begun = cm_run_host_seconds();
        run->now_cycle = cm_machine_counters(machine).cycles;
    }
    if (run->options.progress != NULL)
        cm_machine_set_progress(machine, step != NULL ? report : NULL, run);
}

void cm_run_report_progress(struct cm_run *run, const char *unit, uint64_t done, uint64_t total)
{
    run->step_progress = (struct cm_step_progress){unit, done, total};
    if (run->options.progress != NULL)
        report(run);
}

struct cm_step_progress cm_run_step_progress(const struct cm_run *run)
{
    return run->step_progress;
}

/* Returns the cycles of one execution of a step, as measured before or estimated, or 0 if
 * unknown. */
static double cycles_of(const struct cm_run *run, uint32_t leaf)
{
    const struct cm_step_result *known = &run->result.steps[leaf];
    if (known->times == 0 && run->estimates != NULL)
        known = &run->estimates[leaf];
    return known->times > 0 ? (double)known->counters.cycles / (double)known->times : 0;
}

/* Returns the completed fraction of the current step, as the step reports it or else by its cycles.
 * Negative if unknown. */
static double done_fraction(const struct cm_run *run)
{
    uint32_t leaf = run->now->step->leaf;
    uint64_t cycle = cm_machine_counters(cm_system_machine(run->system)).cycles;
    double all = cycles_of(run, leaf), spent = (double)(cycle - run->now_cycle);
    if (run->step_progress.total > 0)
        return (double)run->step_progress.done / (double)run->step_progress.total;
    return all > 0 && spent <= all ? spent / all : -1;
}

/* Returns the host seconds that a simulated cycle takes, over all steps so far. Negative if
 * unknown. */
static double pace(const struct cm_run *run)
{
    double seconds = run->result.wall_seconds, cycles = (double)run->result.total.cycles;
    if (run->now != NULL) {
        uint64_t cycle = cm_machine_counters(cm_system_machine(run->system)).cycles;
        seconds += cm_run_host_seconds() - run->now_begun;
        cycles += (double)(cycle - run->now_cycle);
    }
    return cycles > 0 ? seconds / cycles : -1;
}

/* Returns the host seconds for the remaining executions of a step, which is executed `times` times
 * in all. Negative if unknown. */
static double seconds_of_step(const struct cm_run *run, uint32_t leaf, double times)
{
    const struct cm_run_step *plan = &run->steps[leaf];
    double left = times - (double)run->result.steps[leaf].times, each = -1;
    double done = run->now == plan ? done_fraction(run) : 0;
    if (left <= 0)
        return 0;
    if (plan->executed > 0)
        each = plan->wall_seconds / (double)plan->executed;
    else if (run->now == plan && done > 0)
        each = (cm_run_host_seconds() - run->now_begun) / done;
    else if (cycles_of(run, leaf) > 0)
        each = cycles_of(run, leaf) * pace(run);
    return each >= 0 ? (left - (done > 0 ? done : 0)) * each : -1;
}

/* Returns the host seconds for the remaining executions of a list of steps, each executed `times`
 * times in all. Negative if unknown. */
static double seconds_of_all(const struct cm_run *run, const struct cm_workload_step *steps,
                             uint32_t count, double times)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct cm_workload_step *step = &steps[i];
        double seconds =
            step->kind->holds_steps
                ? seconds_of_all(run, step->steps, step->step_count, times * (double)step->times)
                : seconds_of_step(run, step->leaf, times);
        if (seconds < 0)
            return -1;
        sum += seconds;
    }
    return sum;
}

double cm_run_seconds_left(const struct cm_run *run)
{
    return seconds_of_all(run, run->workload->steps, run->workload->step_count, 1);
}
