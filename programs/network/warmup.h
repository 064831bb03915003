/*
 * Search for the end of the warm-up. The number of packets in flight is sampled at equal distances.
 * MSER chooses how many samples to leave out. It minimises the squared standard error of the mean
 * of the other samples. A choice in the second half means that the series is too short, and the
 * warm-up is doubled. Internal to the library.
 *
 * Source: K. P. White, An Effective Truncation Heuristic for Bias Reduction in Simulation Output,
 * Simulation 69, 1997.
 */
#ifndef CM_PROGRAMS_NETWORK_WARMUP_H
#define CM_PROGRAMS_NETWORK_WARMUP_H

#include <stdbool.h>
#include <stdint.h>

#define CM_WARMUP_SAMPLES 64u

/* Returns how many of the first values MSER leaves out. At least five stay. */
uint32_t cm_mser(const double *values, uint32_t count);

/* Search in progress. */
struct cm_warmup {
    uint64_t end;   /* word times so far, at which the search decides next */
    uint64_t most;  /* longest warm-up. At most `end`: nothing is searched */
    uint64_t width; /* word times between samples */
    /* Change of the packets in flight within each sample. The second half is for packets that
     * arrive after `end`. */
    int64_t changes[2 * CM_WARMUP_SAMPLES];
    bool over;
};

void cm_warmup_begin(struct cm_warmup *warmup, uint64_t end, uint64_t most);
/* Counts a packet that is created (1) or arrives (-1). */
static inline void cm_warmup_count(struct cm_warmup *warmup, uint64_t time, int change)
{
    const uint64_t at = time / warmup->width;
    warmup->changes[at < 2 * CM_WARMUP_SAMPLES ? at : 2 * CM_WARMUP_SAMPLES - 1] += change;
}
/* Decides, at word time `end`, whether the warm-up is over. Otherwise `end` is doubled. */
void cm_warmup_decide(struct cm_warmup *warmup);

#endif
