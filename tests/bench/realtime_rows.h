/* The rows of the benchmark realtime: workloads of one kind of step on 2,048 nodes. */
#ifndef CM_TESTS_BENCH_REALTIME_ROWS_H
#define CM_TESTS_BENCH_REALTIME_ROWS_H

#include <stdbool.h>

#define REALTIME_NODES 2048u

struct realtime_row {
    const char *name;
    const char *arrays, *step; /* members of a workload's "arrays", and one of its "steps" */
    double megabytes;          /* that the arrays take */
    bool wide;                 /* its operations have 64 bits */
};

typedef void (*realtime_function)(void *context, const struct realtime_row *row);

/* Calls a function for every row; what the row points to lives until it returns. */
void realtime_rows(realtime_function function, void *context);

#endif
