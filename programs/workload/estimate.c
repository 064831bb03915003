/* Estimate of the cycles of each step of a run, for its progress report. A second run without data
 * counts the cycles. */
#include "../../base/processes.h"
#include "step.h"

#include <stdlib.h>
#include <time.h>

/* A timing-only run that interrupts itself after some time. */
struct preview {
    struct cm_run *run;
    double end; /* processor time of the thread, in seconds, at which the run is interrupted */
};

/* Returns the processor time of the thread in seconds. */
static double thread_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void look_at_clock(void *context, uint64_t done, uint64_t total)
{
    const struct preview *preview = context;
    (void)done;
    (void)total;
    if (thread_seconds() > preview->end)
        cm_run_interrupt(preview->run);
}

void cm_run_estimate(struct cm_run *run, double seconds)
{
    struct preview preview = {.end = thread_seconds() + seconds};
    const struct cm_run_options options = {
        .config = &run->config,
        .nodes = run->result.nodes,
        .threads = 1,
        .timing_only = true,
        .trusted = true,
        .progress = look_at_clock,
        .progress_context = &preview,
    };
    bool again = run->estimated;
    run->estimated = true;
    /* With several processes there is no estimate, because all of them would have to create the
     * second machine together. */
    if (again || run->result.timing_only || cm_processes() != NULL ||
        cm_run_create(run->workload, &options, &preview.run, NULL) != CM_OK)
        return;
    struct cm_step_result *steps = cm_run_allocate(run, run->step_count + 1u, sizeof *steps, NULL);
    if (cm_run_execute(preview.run, NULL) == CM_OK && steps != NULL)
        for (uint32_t i = 0; i < run->step_count; i++) {
            steps[i].times = preview.run->result.steps[i].times;
            steps[i].counters = preview.run->result.steps[i].counters;
            run->estimates = steps;
        }
    cm_run_destroy(preview.run);
}
