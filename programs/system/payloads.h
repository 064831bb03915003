/* What programs send through the router: packets with words in them, and what each channel carried.
 * Not installed. */
#ifndef CM_PROGRAMS_SYSTEM_PAYLOADS_H
#define CM_PROGRAMS_SYSTEM_PAYLOADS_H

#include "../../sim/router.h"
#include "system_private.h"

#define CM_PAYLOAD_NONE UINT32_MAX

/* The words of the packets under way, `words` each; a packet's payload is a number here. All but
 * `words` is 0 at first. */
struct cm_payloads {
    uint32_t words;
    uint32_t *pool;
    uint64_t capacity; /* of the pool, words */
    uint32_t count;    /* payloads ever taken */
    uint32_t given;    /* the list of those given back: 0, or the number of the first plus one */
};

void cm_payloads_finish(struct cm_payloads *payloads);
/* A payload to fill; CM_PAYLOAD_NONE when out of memory. */
uint32_t cm_payloads_take(struct cm_payloads *payloads);
void cm_payloads_give_back(struct cm_payloads *payloads, uint32_t payload);

static inline uint32_t *cm_payloads_words(const struct cm_payloads *payloads, uint32_t payload)
{
    return payloads->pool + (size_t)payload * payloads->words;
}

/* Adds what the channels of a router carried, whose cube may be a smaller one, in the low
 * dimensions. */
enum cm_status cm_system_count_routed(struct cm_system *system, const struct cm_router *router,
                                      const struct cm_router_options *options,
                                      struct cm_error *err);

#endif
