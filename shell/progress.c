/* Progress of long work: one line on the terminal, rewritten at most ten times a second and removed
 * at the end. Without a terminal, new lines are printed if the user asked for progress. */
#include "shell.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define QUIET_SECONDS    1.0 /* work that takes less time shows no progress */
#define INTERVAL_SECONDS 0.1
#define LINE_SECONDS     10.0 /* default time between two lines of progress without a terminal */

static double now_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void shell_progress_begin(struct shell_progress *progress, bool quiet)
{
    *progress = (struct shell_progress){
        .what = "step",
        .started_seconds = now_seconds(),
        .enabled = !quiet && isatty(STDERR_FILENO),
    };
}

int shell_progress_ask(struct shell_progress *progress, const char *command, const char *seconds)
{
    char *end;
    if (seconds == NULL)
        return 0;
    double every = seconds[0] == '\0' ? LINE_SECONDS : strtod(seconds, &end);
    bool plain = seconds[strspn(seconds, "0123456789.")] == '\0';
    if (!plain || (seconds[0] != '\0' && *end != '\0') || !(every > 0))
        return shell_usage(command, "--progress=%s: expected seconds above 0",
                           shell_shown(seconds).text);
    progress->every_seconds = isatty(STDERR_FILENO) ? 0 : every;
    return 0;
}

/* Prints the time left, as ", about 2 min left", rounded up. Prints nothing if the time is not
 * known. */
static void print_left(const struct shell_progress *progress, uint64_t done, uint64_t total,
                       double now)
{
    double left = progress->left != NULL ? progress->left(progress->left_context) : -1;
    if (progress->even && done > 0)
        left = (now - progress->started_seconds) * (double)(total - done) / (double)done;
    if (left < 0)
        return;
    if (left < 100)
        fprintf(stderr, ", about %.0f s left", ceil(left));
    else if (left < 5400)
        fprintf(stderr, ", about %.0f min left", ceil(left / 60));
    else
        fprintf(stderr, ", about %.1f h left", left / 3600);
}

static void print_line(struct shell_progress *progress, uint64_t done, uint64_t total, double now)
{
    const char *program = progress->enabled ? "\r" : shell_program_name;
    char part[80] = "";
    if (progress->part != NULL)
        progress->part(progress->left_context, part, sizeof part);
    fprintf(stderr, "%s%s%s %" PRIu64 " of %" PRIu64 "%s, %.0f s", program,
            progress->enabled ? "" : ": ", progress->what, done, total, part,
            now - progress->started_seconds);
    print_left(progress, done, total, now);
    fputs(progress->enabled ? "\033[K" : "\n", stderr);
    fflush(stderr);
}

void shell_progress_step(void *context, uint64_t done, uint64_t total)
{
    struct shell_progress *progress = context;
    double every = progress->every_seconds;
    if (!progress->enabled && every == 0)
        return;
    double now = now_seconds(), begun = progress->started_seconds;
    if (now - begun < (every > 0 ? every : QUIET_SECONDS) ||
        now - progress->shown_seconds < (every > 0 ? every : INTERVAL_SECONDS))
        return;
    progress->shown = progress->enabled;
    progress->shown_seconds = now;
    print_line(progress, done, total, now);
}

void shell_progress_end(struct shell_progress *progress)
{
    if (progress->shown)
        fprintf(stderr, "\r\033[K");
    progress->shown = false;
}
