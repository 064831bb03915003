/* Random numbers that depend on a seed and a serial number alone, so they are the same on every
 * host for any number of nodes. The method is splitmix64 (Steele, Lea, Flood: Fast splittable
 * pseudorandom number generators, 2014). */
#ifndef CM_BASE_RANDOM_H
#define CM_BASE_RANDOM_H

#include <stdint.h>

/* 2^64 divided by the golden ratio, rounded to odd. It is the step of splitmix64, and a factor that
 * spreads keys over a hash table (Knuth, The Art of Computer Programming 3, 6.4). */
#define CM_GOLDEN_RATIO UINT64_C(0x9e3779b97f4a7c15)

/* Returns output `k` (from 0) of splitmix64 for `seed`. */
static inline uint64_t cm_splitmix64(uint64_t seed, uint64_t k)
{
    uint64_t z = seed + (k + 1) * CM_GOLDEN_RATIO;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Returns the next output of a generator whose state is initially the seed. */
static inline uint64_t cm_random_next(uint64_t *state)
{
    uint64_t output = cm_splitmix64(*state, 0);
    *state += CM_GOLDEN_RATIO;
    return output;
}

#endif
