/*
 * How fast the router is: 2,048 nodes, uniform random traffic, packets of 8 words, cut-through, at
 * a fifth of the rate at which the network saturates and at that rate itself, and nearly idle. A
 * node-cycle is a node for one word time, a channel-hop a word over a channel.
 */
#include "../../programs/network/traffic.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now); /* of one core: the router has one thread */
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static bool measure(uint32_t dimensions, double rate, uint64_t word_times,
                    struct cm_traffic_result *outcome, double *seconds)
{
    struct cm_router *router;
    struct cm_error err;
    const struct cm_traffic_task task = {
        .router = {.dimensions = dimensions,
                   .channels = 2,
                   .words = 8,
                   .header_words = 1,
                   .buffer_words = 32,
                   .switching = CM_SWITCHING_CUT_THROUGH},
        .pattern = rate > 0 ? CM_PATTERN_RANDOM : CM_PATTERN_BIT_REVERSAL,
        .seed = 1,
        .rate = rate,
        .warmup = word_times / 4,
        .measure = word_times - word_times / 4,
    };
    if (cm_router_create(&task.router, &router, &err) != CM_OK)
        return false;
    double begin = cpu_seconds();
    enum cm_status status = cm_traffic_send(router, &task, outcome, &err);
    *seconds = cpu_seconds() - begin;
    cm_router_destroy(router);
    return status == CM_OK;
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

int main(void)
{
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
