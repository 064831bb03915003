/*
 * Search for the end of the warm-up. The number of packets in flight is sampled at equal distances
 * in time. The rule MSER (marginal standard error rule) chooses how many of the first samples to
 * leave out. It minimises the squared standard error of the mean of the other samples. If it leaves
 * out more than half of the samples, the series is too short, and the warm-up is doubled. This
 * header is internal to the library.
 *
 * Source: K. P. White, An Effective Truncation Heuristic for Bias Reduction in Simulation Output,
 * Simulation 69, 1997.
 */
#ifndef CM_PROGRAMS_NETWORK_WARMUP_H
#define CM_PROGRAMS_NETWORK_WARMUP_H

#include <stdbool.h>
#include <stdint.h>

#define CM_WARMUP_SAMPLES 64u

/* Returns how many of the first `count` values the rule MSER leaves out. At least five
 * values stay. */
uint32_t cm_mser(const double *values, uint32_t count);

/* State of the search for the end of the warm-up. */
struct cm_warmup {
    /* length of the warm-up so far in word times. At this word time, the search decides next
     * whether the warm-up is over */
    uint64_t end;
    uint64_t most;  /* longest warm-up in word times. If it is at most `end`, there is no search */
    uint64_t width; /* number of word times between samples */
    /* Change of the number of packets in flight within each sample. The second half of the array
     * counts packets that arrive after `end`, and is needed if the warm-up is doubled. */
    int64_t changes[2 * CM_WARMUP_SAMPLES];
    bool over;
};

void cm_warmup_begin(struct cm_warmup *warmup, uint64_t end, uint64_t most);
/* Counts a packet that is created (`change` is 1) or arrives (-1) at a word time. */
static inline void cm_warmup_count(struct cm_warmup *warmup, uint64_t time, int change)
{
    const uint64_t at = time / warmup->width;
    warmup->changes[at < 2 * CM_WARMUP_SAMPLES ? at : 2 * CM_WARMUP_SAMPLES - 1] += change;
}
/* Decides whether the warm-up is over at word time `end`. Doubles `end` if it is not over. */
void cm_warmup_decide(struct cm_warmup *warmup);

#endif
