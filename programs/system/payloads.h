/* Storage for the words of packets that are under way, and counts of the words that channels
 * carried for the router. Not installed. */
#ifndef CM_PROGRAMS_SYSTEM_PAYLOADS_H
#define CM_PROGRAMS_SYSTEM_PAYLOADS_H

#include "../../sim/router/router.h"
#include "system_private.h"

#define CM_PAYLOAD_NONE UINT32_MAX

/* A pool of payloads of `words` words each. A packet carries only the number of its payload. All
 * members but `words` begin as zero. */
struct cm_payloads {
    uint32_t words;
    uint32_t *pool;
    uint64_t capacity; /* words allocated in the pool */
    uint32_t count;    /* payloads ever taken */
    /* head of the list of free payloads, as its number plus one. 0: the list is empty */
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

/* Adds the words that a router's channels carried to the system's counts. The router may have fewer
 * dimensions than the machine: the low ones. */
enum cm_status cm_system_count_routed(struct cm_system *system, const struct cm_router *router,
                                      const struct cm_router_options *options,
                                      struct cm_error *err);
/* Adds `words`, an array like that of cm_system_routed_words, `times` times. */
void cm_system_count_routed_again(struct cm_system *system, uint64_t times, const uint64_t *words);
/* Sets the router's counts back to zero. */
void cm_system_reset_routed(struct cm_system *system);

#endif
