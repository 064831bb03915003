/* What programs send through the router: the words in packets, and what each channel carried. Not
 * installed. */
#ifndef CM_PROGRAMS_SYSTEM_PAYLOADS_H
#define CM_PROGRAMS_SYSTEM_PAYLOADS_H

#include "../../sim/router/router.h"
#include "system_private.h"

#define CM_PAYLOAD_NONE UINT32_MAX

/* The words of the packets under way, `words` each. A packet's payload is a number in this pool.
 * Begins with all members but `words` zero. */
struct cm_payloads {
    uint32_t words;
    uint32_t *pool;
    uint64_t capacity; /* of the pool, words */
    uint32_t count;    /* payloads ever taken */
    uint32_t given;    /* head of the list of those given back: its number plus one; 0: empty */
};

void cm_payloads_finish(struct cm_payloads *payloads);
/* A payload to fill; CM_PAYLOAD_NONE when out of memory. */
uint32_t cm_payloads_take(struct cm_payloads *payloads);
void cm_payloads_give_back(struct cm_payloads *payloads, uint32_t payload);

static inline uint32_t *cm_payloads_words(const struct cm_payloads *payloads, uint32_t payload)
{
    return payloads->pool + (size_t)payload * payloads->words;
}

/* Adds what the channels of a router carried. Its cube may be smaller than the machine: the low
 * dimensions. */
enum cm_status cm_system_count_routed(struct cm_system *system, const struct cm_router *router,
                                      const struct cm_router_options *options,
                                      struct cm_error *err);
/* Adds words of each channel, as cm_system_routed_words has them, `times` times. */
void cm_system_count_routed_again(struct cm_system *system, uint64_t times, const uint64_t *words);
/* Counts the router's words from zero again. */
void cm_system_reset_routed(struct cm_system *system);

#endif
