/* The properties that hold for every case, each in its own function. */
#ifndef CM_TESTS_PROPERTY_PROPERTIES_H
#define CM_TESTS_PROPERTY_PROPERTIES_H

#include "report.h"
#include "run.h"

struct cm_bench {
    const char *machine;     /* path of the machine description */
    struct cm_config config; /* what stands in it */
    struct cm_report *report;
};

/* What a case must do when it is run as a workload. `c` may be changed: a setup that doesn't fit
 * becomes "auto". */
void cm_check_workload(const struct cm_bench *bench, struct cm_case *c);
/* What the case's shifts by the router path sent. */
void cm_check_routed(const struct cm_bench *bench, const struct cm_case *c,
                     const struct cm_outcome *outcome);
/* How often the case's first pshift exchanges. */
void cm_check_exchanges(const struct cm_bench *bench, const struct cm_case *c);
/* The laws of shifts. */
void cm_check_law(const struct cm_bench *bench, uint64_t seed, uint64_t number);
/* The C interface of PSHIFT: setup, calls, refusals, deallocation. */
void cm_check_interface(const struct cm_bench *bench, uint64_t seed, uint64_t number);

#endif
