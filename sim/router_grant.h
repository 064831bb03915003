/* Who asks for which channel, and who gets it. */
#ifndef CM_SIM_ROUTER_GRANT_H
#define CM_SIM_ROUTER_GRANT_H

#include "router_state.h"

/* The first packet of port `index` asks for outs. */
void cm_router_ask(struct cm_router *router, uint32_t index);

/* The same, if the port has a packet that does not ask yet, and none that is leaving. */
static inline void cm_router_ask_next(struct cm_router *router, uint32_t index)
{
    const struct cm_port *port = &router->ports[index];
    if (port->first != CM_ROUTER_NONE && !port->leaving && port->asked == 0)
        cm_router_ask(router, index);
}

/* Outs of a node that can perhaps be granted now are tried at the end of the word time. */
static inline void cm_router_try(struct cm_router *router, uint32_t node, uint32_t outs)
{
    struct cm_crossroads *crossroads = &router->crossroads[node];
    outs &= crossroads->wanted & ~crossroads->busy;
    if (outs == 0)
        return;
    if (crossroads->to_try == 0)
        router->listed[router->listed_count++] = node;
    crossroads->to_try |= outs;
}

/* Tries the outs of the listed nodes, and grants what can be granted. */
void cm_router_arbitrate(struct cm_router *router);

#endif
