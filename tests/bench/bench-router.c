/*
 * How fast the router is: 2,048 nodes, uniform random traffic, packets of 8 words, cut-through, at
 * a fifth of the rate at which the network saturates and at that rate itself, and nearly idle. A
 * node-cycle is a node for one word time, a channel-hop a word over a channel.
 *
 *     bench router                       as above, by one thread
 *     bench router --threads N [--times M] [--load R]
 *         by 1 to N threads, by turns, M times each (5), a load of R (1: saturation): the shortest
 *         and the median time of each
 */
#include "../../programs/network/traffic.h"
#include "../harness/options.h"
#include "../harness/program.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define THREADS_MAX 8
#define TIMES_MAX   100

static double seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* One thread's seconds are those of its processor, more threads' those of the clock. */
static bool measure_threads(uint32_t threads, uint32_t dimensions, double rate, uint64_t word_times,
                            struct cm_traffic_result *outcome, double *seconds)
{
    const clockid_t clock = threads == 0 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
    struct cm_router *router;
    struct cm_error err;
    const struct cm_traffic_task task = {
        .router = {.dimensions = dimensions,
                   .channels = 2,
                   .words = 8,
                   .header_words = 1,
                   .buffer_words = 32,
                   .switching = CM_SWITCHING_CUT_THROUGH,
                   .threads = threads},
        .pattern = rate > 0 ? CM_PATTERN_RANDOM : CM_PATTERN_BIT_REVERSAL,
        .seed = 1,
        .rate = rate,
        .warmup = word_times / 4,
        .measure = word_times - word_times / 4,
    };
    if (cm_router_create(&task.router, &router, &err) != CM_OK)
        return false;
    double begin = seconds_of(clock);
    enum cm_status status = cm_traffic_send(router, &task, outcome, &err);
    *seconds = seconds_of(clock) - begin;
    cm_router_destroy(router);
    return status == CM_OK;
}

static bool measure(uint32_t dimensions, double rate, uint64_t word_times,
                    struct cm_traffic_result *outcome, double *seconds)
{
    return measure_threads(0, dimensions, rate, word_times, outcome, seconds);
}

static void print(const char *what, uint32_t nodes, const struct cm_traffic_result *outcome,
                  double seconds)
{
    double node_cycles = (double)outcome->router.word_times * nodes;
    double hops = (double)outcome->router.hops * 8;
    printf("  %-22s %9.1f %12.1f %14.1f %10.1f %10.3f%s\n", what,
           (double)outcome->router.word_times, node_cycles / seconds * 1e-6, hops / seconds * 1e-6,
           outcome->latency.mean, outcome->throughput, outcome->saturated ? " saturated" : "");
}

/* The highest rate, to a fiftieth, that the network takes in. */
static double find_saturation(void)
{
    struct cm_traffic_result outcome;
    double seconds, rate = 0.04;
    while (rate < 1 && measure(11, rate, 4000, &outcome, &seconds) && !outcome.saturated)
        rate += 0.04;
    return rate < 1 ? rate : 1;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Saturation by 1 to `threads` threads, by turns: whatever else the host does meets all alike. */
static int compare_threads(uint32_t threads, uint32_t times, double rate)
{
    double seconds[THREADS_MAX][TIMES_MAX] = {{0}};
    struct cm_traffic_result outcome, first = {0};
    for (uint32_t k = 0; k < times; k++) {
        for (uint32_t t = 0; t < threads; t++) {
            if (!measure_threads(t + 1, 11, rate, 10000, &outcome, &seconds[t][k]))
                return 1;
            if (t == 0)
                first = outcome;
            if (memcmp(&outcome.latency, &first.latency, sizeof first.latency) != 0 ||
                outcome.router.hops != first.router.hops ||
                outcome.router.word_times != first.router.word_times) {
                printf("by %" PRIu32 " threads the results differ\n", t + 1);
                return 1;
            }
        }
    }
    printf("2,048 nodes, uniform random, 8-word packets, cut-through, %.2f words a node and word "
           "time; of %" PRIu32 " times each, by turns\n\n",
           rate, times);
    printf("  threads   shortest s     median s   against one: shortest     median\n");
    for (uint32_t t = 0; t < threads; t++) {
        qsort(seconds[t], times, sizeof seconds[t][0], compare);
        printf("  %7" PRIu32 " %12.3f %12.3f %23.2f %10.2f\n", t + 1, seconds[t][0],
               seconds[t][times / 2], seconds[0][0] / seconds[t][0],
               seconds[0][times / 2] / seconds[t][times / 2]);
    }
    return 0;
}

CM_PROGRAM(router)
{
    uint32_t threads = 0, times = 5;
    double rate = 1;
    const struct test_option known[] = {{"threads", .count = &threads},
                                        {"times", .count = &times},
                                        {"load", .real = &rate},
                                        {.name = NULL}};
    options_read(argc, argv, known);
    if (threads > THREADS_MAX || times < 1 || times > TIMES_MAX) {
        fprintf(stderr, "at most %u threads, 1 to %u times\n", THREADS_MAX, TIMES_MAX);
        return 2;
    }
    if (threads > 0)
        return compare_threads(threads, times, rate);
    struct cm_traffic_result outcome;
    struct rusage usage;
    double seconds;
    double saturation = find_saturation();
    printf("2,048 nodes, uniform random, 8-word packets, cut-through; saturation at %.2f words a "
           "node and word time\n\n",
           saturation);
    printf("  %-22s %9s %12s %14s %10s %10s\n", "load", "times", "M node-cyc/s", "M chan-hops/s",
           "latency", "taken in");
    if (measure(11, 0.2 * saturation, 20000, &outcome, &seconds))
        print("20 % of saturation", 2048, &outcome, seconds);
    if (measure(11, saturation, 20000, &outcome, &seconds))
        print("saturation", 2048, &outcome, seconds);
    if (measure(11, 0.0001, 2000000, &outcome, &seconds))
        print("nearly idle", 2048, &outcome, seconds);
    if (measure(16, 0, 0, &outcome, &seconds))
        print("65,536 nodes, reversal", 65536, &outcome, seconds);
    getrusage(RUSAGE_SELF, &usage);
    printf("\n  most memory: %.0f MB\n", (double)usage.ru_maxrss / 1024);
    return 0;
}
