/*
 * Random workloads over 2, 4 and 8 processes, on 1 and 2 threads: in every process the run must
 * give the arrays, counters and channels that it gives in one, and end as it does there. Prints
 * TAP. Half of the runs sum up what channels carry; the run in one process keeps it.
 *
 *     property processes [--machine FILE] [--cases N] [--seed S]
 */
#include "../../processes/local.h"
#include "../harness/program.h"
#include "../harness/tap.h"
#include "case.h"
#include "run.h"

#include <unistd.h>

#define DIFFERENT 77 /* exit code of a process whose run was another one */

static const struct {
    uint32_t processes, threads;
} ways[] = {{2, 1}, {2, 2}, {4, 1}, {4, 2}, {8, 1}, {8, 2}};
#define WAYS (sizeof ways / sizeof *ways)

static bool same_data(const struct cm_case *c, const struct cm_outcome *a,
                      const struct cm_outcome *b)
{
    for (uint32_t i = 0; i < c->array_count; i++) {
        if ((a->data[i] == NULL) != (b->data[i] == NULL))
            return false;
        if (a->data[i] != NULL && memcmp(a->data[i], b->data[i], cm_case_array_bytes(c, i)) != 0)
            return false;
    }
    return true;
}

static bool same_channels(const struct cm_channel_use *a, const struct cm_channel_use *b)
{
    return a->max_load == b->max_load && a->total_words == b->total_words &&
           a->channels == b->channels && a->max_busy_cycles == b->max_busy_cycles &&
           a->mean_busy_cycles == b->mean_busy_cycles && a->max_node == b->max_node &&
           a->max_dimension == b->max_dimension && a->max_channel == b->max_channel;
}

static bool same_steps(const struct cm_outcome *a, const struct cm_outcome *b)
{
    if (a->step_count != b->step_count)
        return false;
    for (uint32_t i = 0; i < a->step_count; i++)
        if (memcmp(&a->steps[i].counters, &b->steps[i].counters, sizeof a->steps[i].counters) !=
                0 ||
            !same_channels(&a->steps[i].channels, &b->steps[i].channels) ||
            a->steps[i].mismatches != b->steps[i].mismatches)
            return false;
    return true;
}

static bool same(const struct cm_case *c, const struct cm_outcome *a, const struct cm_outcome *b)
{
    return a->status == b->status && strcmp(a->error.message, b->error.message) == 0 &&
           a->checked == b->checked && a->mismatches == b->mismatches &&
           memcmp(&a->total, &b->total, sizeof a->total) == 0 &&
           same_channels(&a->channels, &b->channels) && same_steps(a, b) && same_data(c, a, b);
}

/* A process for each node at least. */
static bool is_refused(const struct cm_outcome *outcome)
{
    return outcome->status == CM_BAD_INPUT && !outcome->created &&
           strstr(outcome->error.message, "a process needs one at least") != NULL;
}

/* A run that sums up what channels carry has no room for what the router adds. */
static bool is_routed(const struct cm_outcome *outcome)
{
    return outcome->status == CM_USAGE && strstr(outcome->error.message, "router") != NULL;
}

static bool run_case(const struct cm_case *c, const struct cm_run_how *how, uint32_t count,
                     const struct cm_outcome *alone)
{
    struct cm_local_processes *processes;
    struct cm_outcome outcome;
    struct cm_error err = {0};
    fflush(stdout);
    if (cm_local_start(count, &processes, &err) != CM_OK)
        return false;
    cm_processes_join(cm_local_link(processes));
    bool first = cm_processes_speaks();
    bool good = cm_outcome_run(&outcome, c, how) &&
                (c->nodes < count                      ? is_refused(&outcome)
                 : how->sparing && is_routed(&outcome) ? true
                                                       : same(c, alone, &outcome));
    cm_outcome_finish(&outcome);
    cm_processes_join(NULL);
    if (!first) {
        (void)cm_local_end(processes, 0, NULL);
        _exit(good ? 0 : DIFFERENT);
    }
    if (cm_local_end(processes, 0, &err) != CM_OK)
        printf("# %s\n", err.message);
    return good && err.status == CM_OK;
}

/* A case in one of the ways. */
static bool check(const struct tap_options *options, uint64_t number, size_t way)
{
    static struct cm_case c;
    struct cm_outcome alone;
    struct cm_run_how how = {.machine = options->machine, .threads = 1, .check = true};
    cm_case_generate(&c, options->seed, number);
    bool good = cm_outcome_run(&alone, &c, &how);
    how.threads = ways[way].threads;
    how.sparing = number / WAYS % 2 == 1;
    good = good && run_case(&c, &how, ways[way].processes, &alone);
    if (!good)
        printf("# seed %" PRIu64 ", case %" PRIu64 ": %" PRIu32 " processes, %" PRIu32
               " threads, %" PRIu32 " nodes\n",
               options->seed, number, ways[way].processes, ways[way].threads, c.nodes);
    cm_outcome_finish(&alone);
    return good;
}

CM_PROGRAM(processes)
{
    struct tap_options options = {.machine = TAP_MACHINE, .cases = 120, .seed = 20261123};
    tap_options_read(argc, argv, &options, NULL);
    printf("1..%zu\n", WAYS);
    for (size_t way = 0; way < WAYS; way++) {
        char what[80];
        bool good = true;
        /* With many cases each of them in each way; with few, in one way each. */
        for (uint64_t i = 0; i < options.cases; i++)
            if (options.cases >= 500 || i % WAYS == way)
                good = check(&options, i, way) && good;
        (void)snprintf(what, sizeof what, "%" PRIu32 " processes, %" PRIu32 " threads: as one",
                       ways[way].processes, ways[way].threads);
        tap_report((uint32_t)way + 1, good, what);
    }
    return 0;
}
