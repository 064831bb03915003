/* Keys of the step route that are lists: rates, what has failed, hot nodes, sizes, bursts. */
#ifndef CM_PROGRAMS_WORKLOAD_STEPS_ROUTE_LISTS_H
#define CM_PROGRAMS_WORKLOAD_STEPS_ROUTE_LISTS_H

#include "network_step.h"

/* Refuses a rate that is out of range. `what` names it. */
void cm_route_check_rate(struct cm_reader *reader, struct cm_json json, const char *what,
                         double rate);
/* Reads several rates, in ascending order. */
void cm_route_read_rates(struct cm_workload *workload, struct cm_reader *reader,
                         struct cm_json json, struct cm_network_step *own);
/* Reads the other lists of the step. */
void cm_route_read_lists(struct cm_workload *workload, struct cm_reader *reader,
                         struct cm_json object, struct cm_network_step *own);
/* Writes all lists that the step has. */
void cm_route_write_lists(const struct cm_network_step *own, struct cm_json_writer *json);

#endif
