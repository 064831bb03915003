/* Storage for the words of packets that are under way, and counts of the words that channels
 * carried for the router. This header is not installed. */
#ifndef CM_PROGRAMS_SYSTEM_PAYLOADS_H
#define CM_PROGRAMS_SYSTEM_PAYLOADS_H

#include "../../sim/router/router.h"
#include "system_private.h"

#define CM_PAYLOAD_NONE UINT32_MAX

/* Pool of payloads of `words` words each. A payload is the words of one packet. A packet in the
 * router carries only the number of its payload. All members except `words` begin as zero. */
struct cm_payloads {
    uint32_t words;
    uint32_t *pool;
    uint64_t capacity; /* words allocated in the pool */
    uint32_t count;    /* number of payloads ever taken */
    /* first free payload in a list of free payloads, as its number plus one. 0: the list is
     * empty */
    uint32_t given;
};

void cm_payloads_finish(struct cm_payloads *payloads);
/* Takes a payload from the pool. Returns CM_PAYLOAD_NONE if memory runs out. */
uint32_t cm_payloads_take(struct cm_payloads *payloads);
void cm_payloads_give_back(struct cm_payloads *payloads, uint32_t payload);

static inline uint32_t *cm_payloads_words(const struct cm_payloads *payloads, uint32_t payload)
{
    return payloads->pool + (size_t)payload * payloads->words;
}

/* Adds the words that the channels of a router carried to the system's counts. A router may have
 * fewer dimensions than the machine, and then uses the machine's lowest dimensions. */
enum cm_status cm_system_count_routed(struct cm_system *system, const struct cm_router *router,
                                      const struct cm_router_options *options,
                                      struct cm_error *err);
/* Adds the counts in `words`, multiplied by `times`, to the system's counts. `words` has an entry
 * for each channel, as in cm_system_routed_words. */
void cm_system_count_routed_again(struct cm_system *system, uint64_t times, const uint64_t *words);
/* Sets the system's counts of routed words back to zero. */
void cm_system_reset_routed(struct cm_system *system);

#endif
