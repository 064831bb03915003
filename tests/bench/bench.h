/* What the benchmarks share: the clock, and the end of a benchmark that fails. */
#ifndef CM_TESTS_BENCH_H
#define CM_TESTS_BENCH_H

#include "../../base/error.h"
#include "../harness/options.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline double now_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Of all threads: it tells more than the clock on a host that is busy with other work. */
static inline double processor_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline void stop(enum cm_status status, const struct cm_error *err)
{
    char text[2048];
    if (status == CM_OK)
        return;
    cm_error_format(err, text, sizeof text);
    fprintf(stderr, "%s\n", text);
    exit(cm_status_exit_code(status));
}

#endif
