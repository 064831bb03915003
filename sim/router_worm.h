/* Worms: packets in the wormhole network, which are on several channels at once. */
#ifndef CM_SIM_ROUTER_WORM_H
#define CM_SIM_ROUTER_WORM_H

#include "router_state.h"

/* A worm's header crosses out `index` in this word time; `terminal`: it ends at its destination. */
void cm_worm_grant(struct cm_router *router, uint32_t packet, uint32_t index, bool terminal);

#endif
