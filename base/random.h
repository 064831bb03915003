/* Random numbers that a seed and a serial number name: the same on every host, for any number of
 * nodes. */
#ifndef CM_BASE_RANDOM_H
#define CM_BASE_RANDOM_H

#include <stdint.h>

/* Output `k` (from 0) of splitmix64 (Steele, Lea, Flood, 2014). */
uint64_t cm_splitmix64(uint64_t seed, uint64_t k);

#endif
