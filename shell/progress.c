/* Progress: one line on the terminal, rewritten at most ten times a second, gone when the work is
 * done. */
#include "shell.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define QUIET_SECONDS    1.0 /* shorter work shows nothing */
#define INTERVAL_SECONDS 0.1

static double now_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void cli_progress_begin(struct cli_progress *progress, bool quiet)
{
    *progress = (struct cli_progress){
        .what = "step",
        .started_seconds = now_seconds(),
        .enabled = !quiet && isatty(STDERR_FILENO),
    };
}

void cli_progress_step(void *context, uint64_t done, uint64_t total)
{
    struct cli_progress *progress = context;
    if (!progress->enabled)
        return;
    double now = now_seconds();
    if (now - progress->started_seconds < QUIET_SECONDS ||
        now - progress->shown_seconds < INTERVAL_SECONDS)
        return;
    progress->shown = true;
    progress->shown_seconds = now;
    fprintf(stderr, "\r%s %" PRIu64 " of %" PRIu64 ", %.0f s\033[K", progress->what, done, total,
            now - progress->started_seconds);
    fflush(stderr);
}

void cli_progress_end(struct cli_progress *progress)
{
    if (progress->shown)
        fprintf(stderr, "\r\033[K");
    progress->shown = false;
}
