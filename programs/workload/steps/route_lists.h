/* This header declares functions that read and write those keys of the step "route" whose values
 * are lists: rates, failed channels, hot nodes, sizes of messages, and bursts. */
#ifndef CM_PROGRAMS_WORKLOAD_STEPS_ROUTE_LISTS_H
#define CM_PROGRAMS_WORKLOAD_STEPS_ROUTE_LISTS_H

#include "network_step.h"

/* Refuses a rate that is not above 0 and at most 1. `what` names the rate in the message. */
void cm_route_check_rate(struct cm_reader *reader, struct cm_json json, const char *what,
                         double rate);
/* Reads the list of rates, which must be in ascending order. */
void cm_route_read_rates(struct cm_workload *workload, struct cm_reader *reader,
                         struct cm_json json, struct cm_network_step *own);
/* Reads the other lists of a step: failed channels, hot nodes, sizes of messages, and bursts. */
void cm_route_read_lists(struct cm_workload *workload, struct cm_reader *reader,
                         struct cm_json object, struct cm_network_step *own);
/* Writes all lists that a step has as JSON. */
void cm_route_write_lists(const struct cm_network_step *own, struct cm_json_writer *json);

#endif
