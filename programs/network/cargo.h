/* What the packets of a "shift" or "route" step carry: the words of messages or array blocks, or
 * words made up. Not installed. */
#ifndef CM_PROGRAMS_NETWORK_CARGO_H
#define CM_PROGRAMS_NETWORK_CARGO_H

#include "../system/payloads.h"
#include "traffic.h"

/* Made with `words` and payloads.words, one more; and what blocks need. */
struct cm_cargo {
    struct cm_payloads payloads;
    uint32_t words; /* of a packet */
    uint32_t nodes; /* of a plane */
    /* Blocks: packet k of a node has the words k * words ... of its block, and takes them to
     * another's. */
    const uint32_t *src; /* planes; NULL: the words are made up */
    uint32_t *dst;
    uint64_t block_words;
    /* nodes of the router, which take turns; UINT32_MAX for messages: one packet each */
    uint32_t senders;
    /* Made up: */
    uint64_t loaded, unloaded; /* packets */
    uint64_t wrong;            /* words that differ from what was sent there */
};

/* For load and unload of struct cm_traffic_task. */
uint32_t cm_cargo_load(void *cargo, const struct cm_router_packet *packet, uint64_t serial);
void cm_cargo_unload(void *cargo, const struct cm_router_delivery *delivery);

#endif
