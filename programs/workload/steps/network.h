/*
 * Report of the steps shift and route: what their messages did on the channels of the cube. The
 * commands `cm200 shift` and `cm200 route` print it and write its files.
 */
#ifndef CM_PROGRAMS_WORKLOAD_STEPS_NETWORK_H
#define CM_PROGRAMS_WORKLOAD_STEPS_NETWORK_H

#include "../../network/network.h"
#include "../workload.h"

CM_BEGIN_DECLS

/* Returns the report of the step's last execution, or NULL if the step is neither shift nor route.
 * The run owns the report. */
CM_API const struct cm_network_report *cm_step_network_report(const struct cm_step_result *step);

CM_END_DECLS

#endif
