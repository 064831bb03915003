/* Computes means and quantiles of latencies. */
#include "latency.h"

#include <stdlib.h>

#define COUNTED_MAX UINT64_C(1000000)

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Sorts latencies. Most latencies are small, so counting is faster than comparing. */
static void sort(uint64_t *latencies, uint64_t count)
{
    uint64_t most = 0, at = 0;
    for (uint64_t i = 0; i < count; i++)
        most = latencies[i] > most ? latencies[i] : most;
    uint32_t *counts =
        most <= COUNTED_MAX && count <= UINT32_MAX ? calloc(most + 1, sizeof *counts) : NULL;
    if (counts == NULL) {
        qsort(latencies, count, sizeof *latencies, compare);
        return;
    }
    for (uint64_t i = 0; i < count; i++)
        counts[latencies[i]]++;
    for (uint64_t value = 0; value <= most; value++) {
        for (uint32_t i = 0; i < counts[value]; i++)
            latencies[at++] = value;
    }
    free(counts);
}

uint64_t cm_latency_summarise(uint64_t *latencies, uint64_t count,
                              struct cm_traffic_latency *latency)
{
    uint64_t sum = 0;
    sort(latencies, count);
    for (uint64_t i = 0; i < count; i++)
        sum += latencies[i];
    latency->mean = (double)sum / (double)count;
    latency->p50 = latencies[(count - 1) / 2];
    latency->p99 = latencies[(count * 99 + 99) / 100 - 1];
    latency->max = latencies[count - 1];
    return sum;
}
