/* The router path of the run-time library: the elements of a shift that cross to other nodes, as
 * packets. Not installed. */
#ifndef CM_PROGRAMS_PSHIFT_RUNTIME_ROUTER_H
#define CM_PROGRAMS_PSHIFT_RUNTIME_ROUTER_H

#include "runtime_compile.h"

/* CM_BAD_INPUT when an element does not fit the router's buffers. */
enum cm_status cm_runtime_route_check(struct cm_system *system, const struct cm_runtime_task *task,
                                      struct cm_error *err);
/*
 * Sends every element that belongs in another node there: from the array at `src` to the one at
 * `dst`, which are not the same. Charges the router's time if there is such an element.
 */
enum cm_status cm_runtime_route(struct cm_system *system, const struct cm_runtime_task *task,
                                uint64_t dst, uint64_t src, struct cm_error *err);

#endif
