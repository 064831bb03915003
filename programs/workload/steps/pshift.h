/*
 * Setups of the step pshift. A setup is a list of shifts, compiled for arrays of one layout. Steps
 * with equal shifts and layouts share a setup. The run owns its setups and frees them. `cm200
 * compile` and `cm200 run --explain` print the setups.
 */
#ifndef CM_PROGRAMS_WORKLOAD_STEPS_PSHIFT_H
#define CM_PROGRAMS_WORKLOAD_STEPS_PSHIFT_H

#include "../../pshift/pshift.h"
#include "../workload.h"

CM_BEGIN_DECLS

/* A setup of a run. Its pointers are valid as long as the run lives. */
struct cm_step_pshift_setup {
    int id;            /* number that cm_pshift_info and cm_pshift_reason take */
    const char *title; /* JSON pointers of the steps that use the setup, separated by ", " */
    const struct cm_layout *layout; /* layout of the arrays for which the setup was compiled */
    const struct cm_pshift_pattern *patterns; /* shifts that one call of the setup makes */
    uint32_t count;                           /* number of shifts */
};

/* Returns the number of setups of a run, or 0 if no step is a pshift. */
CM_API uint32_t cm_step_pshift_setup_count(const struct cm_run *run);
/* Returns setup number `i`, counted from 0. Setups are numbered in the order in which the steps
 * first use them. */
CM_API struct cm_step_pshift_setup cm_step_pshift_setup_at(const struct cm_run *run, uint32_t i);

CM_END_DECLS

#endif
