/* Random numbers of the tests: one 64-bit state, the same sequence on every host, so that a seed
 * names a case. */
#ifndef CM_TESTS_PROPERTY_RANDOM_H
#define CM_TESTS_PROPERTY_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct cm_random {
    uint64_t state;
};

/* A Weyl sequence through a multiply-xorshift finaliser (Steele, Lea, Flood: SplitMix, 2014). */
static inline uint64_t cm_random_next(struct cm_random *random)
{
    uint64_t z = random->state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* The generator of case `number` of a seed: cases don't depend on each other. */
static inline struct cm_random cm_random_of_case(uint64_t seed, uint64_t number)
{
    struct cm_random random = {.state = seed};
    random.state = cm_random_next(&random) ^ (number * UINT64_C(0xD1342543DE82EF95));
    (void)cm_random_next(&random);
    return random;
}

/* 0 .. bound - 1; the bias of the remainder is of no matter here. bound >= 1. */
static inline uint32_t cm_random_below(struct cm_random *random, uint32_t bound)
{
    return (uint32_t)((cm_random_next(random) >> 16) % bound);
}

/* first .. last, both included. */
static inline int64_t cm_random_range(struct cm_random *random, int64_t first, int64_t last)
{
    const uint64_t span = (uint64_t)last - (uint64_t)first + 1;
    return (int64_t)((uint64_t)first + (cm_random_next(random) >> 8) % span);
}

static inline bool cm_random_chance(struct cm_random *random, uint32_t percent)
{
    return cm_random_below(random, 100) < percent;
}

#endif
