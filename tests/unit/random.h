/* Random numbers for tests that draw their cases: splitmix64 (Steele, Lea, Flood 2014), the seed
 * printed as a TAP comment. */
#ifndef CM_TESTS_UNIT_RANDOM_H
#define CM_TESTS_UNIT_RANDOM_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct random_source {
    uint64_t state;
};

static inline uint64_t random_next(struct random_source *random)
{
    uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Uniform enough in 0 .. bound - 1. */
static inline uint32_t random_below(struct random_source *random, uint32_t bound)
{
    return (uint32_t)((random_next(random) >> 32) * bound >> 32);
}

/* CM_TEST_SEED repeats a run; without it the cases are always the same. */
static inline struct random_source random_begin(const char *test)
{
    const char *given = getenv("CM_TEST_SEED");
    struct random_source random = {given ? strtoull(given, NULL, 0) : 1990};
    printf("# %s: seed %" PRIu64 "\n", test, random.state);
    fflush(stdout);
    return random;
}

#endif
