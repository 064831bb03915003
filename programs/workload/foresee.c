/* How long the rest of a run will take, for the progress report; no result depends on it. */
#include "../../base/processes.h"
#include "step.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds_by(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double cm_run_host_seconds(void)
{
    return seconds_by(CLOCK_MONOTONIC);
}

static void report(void *context)
{
    const struct cm_run *run = context;
    run->options.progress(run->options.progress_context, run->done, run->total);
}

void cm_run_step_is(struct cm_run *run, const struct cm_run_step *step)
{
    struct cm_machine *machine = cm_system_machine(run->system);
    run->now = step;
    run->part = (struct cm_run_part){0};
    if (step != NULL) {
        run->now_begun = cm_run_host_seconds();
        run->now_cycle = cm_machine_counters(machine).cycles;
    }
    if (run->options.progress != NULL)
        cm_machine_set_progress(machine, step != NULL ? report : NULL, run);
}

void cm_run_tell_part(struct cm_run *run, const char *unit, uint64_t done, uint64_t total)
{
    run->part = (struct cm_run_part){unit, done, total};
    if (run->options.progress != NULL)
        report(run);
}

struct cm_run_part cm_run_step_part(const struct cm_run *run)
{
    return run->part;
}

/* Cycles of one time of a step, as they were or as they are foreseen; 0: not known. */
static double cycles_of(const struct cm_run *run, uint32_t leaf)
{
    const struct cm_step_result *known = &run->result.steps[leaf];
    if (known->times == 0 && run->foreseen != NULL)
        known = &run->foreseen[leaf];
    return known->times > 0 ? (double)known->counters.cycles / (double)known->times : 0;
}

/* Of the step that runs now, the part that is done: by what it says of itself, or by cycles.
 * Negative: not known. */
static double part_done(const struct cm_run *run)
{
    uint32_t leaf = run->now->step->leaf;
    uint64_t cycle = cm_machine_counters(cm_system_machine(run->system)).cycles;
    double all = cycles_of(run, leaf), spent = (double)(cycle - run->now_cycle);
    if (run->part.total > 0)
        return (double)run->part.done / (double)run->part.total;
    return all > 0 && spent <= all ? spent / all : -1;
}

/* Seconds of the host for a simulated cycle, over all that ran; negative: not known. */
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

/* Of one step, `times` times in all; negative: not known. */
static double seconds_of_step(const struct cm_run *run, uint32_t leaf, double times)
{
    const struct cm_run_step *plan = &run->steps[leaf];
    double left = times - (double)run->result.steps[leaf].times, each = -1;
    double done = run->now == plan ? part_done(run) : 0;
    if (left <= 0)
        return 0;
    if (plan->played > 0)
        each = plan->wall_seconds / (double)plan->played;
    else if (run->now == plan && done > 0)
        each = (cm_run_host_seconds() - run->now_begun) / done;
    else if (cycles_of(run, leaf) > 0)
        each = cycles_of(run, leaf) * pace(run);
    return each >= 0 ? (left - (done > 0 ? done : 0)) * each : -1;
}

/* Of `count` steps, each `times` times; negative: not known. */
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

/* A run without data that ends itself. */
struct preview {
    struct cm_run *run;
    double end; /* by the processor's time of its one thread */
};

static void look_at_clock(void *context, uint64_t done, uint64_t total)
{
    const struct preview *preview = context;
    (void)done;
    (void)total;
    if (seconds_by(CLOCK_THREAD_CPUTIME_ID) > preview->end)
        cm_run_interrupt(preview->run);
}

void cm_run_foresee(struct cm_run *run, double seconds)
{
    struct preview preview = {.end = seconds_by(CLOCK_THREAD_CPUTIME_ID) + seconds};
    const struct cm_run_options options = {
        .config = &run->config,
        .nodes = run->result.nodes,
        .threads = 1,
        .timing_only = true,
        .trusted = true,
        .progress = look_at_clock,
        .progress_context = &preview,
    };
    bool again = run->looked_ahead;
    run->looked_ahead = true;
    /* Machines of several processes are made by all of them at once. */
    if (again || run->result.timing_only || cm_processes() != NULL ||
        cm_run_create(run->workload, &options, &preview.run, NULL) != CM_OK)
        return;
    struct cm_step_result *steps = cm_run_allocate(run, run->step_count + 1u, sizeof *steps, NULL);
    if (cm_run_execute(preview.run, NULL) == CM_OK && steps != NULL)
        for (uint32_t i = 0; i < run->step_count; i++) {
            steps[i].times = preview.run->result.steps[i].times;
            steps[i].counters = preview.run->result.steps[i].counters;
            run->foreseen = steps;
        }
    cm_run_destroy(preview.run);
}
