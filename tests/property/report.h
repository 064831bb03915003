/* Property groups, their counts, and how a failure is told. */
#ifndef CM_TESTS_PROPERTY_REPORT_H
#define CM_TESTS_PROPERTY_REPORT_H

#include "case.h"

enum cm_property {
    CM_PROPERTY_ACCEPTED,
    CM_PROPERTY_DATA,
    CM_PROPERTY_SAME,
    CM_PROPERTY_CAUSES,
    CM_PROPERTY_EXCHANGES,
    CM_PROPERTY_BOUNDS,
    CM_PROPERTY_SETUPS,
    CM_PROPERTY_NODES,
    CM_PROPERTY_ALGEBRA,
    CM_PROPERTY_INTERFACE,
    CM_PROPERTY_ROUTED,
    CM_PROPERTY_COUNT
};

struct cm_report {
    const char *machine; /* for the workload text of a failing case */
    uint64_t held[CM_PROPERTY_COUNT];
    uint64_t failed[CM_PROPERTY_COUNT];
    uint64_t printed[CM_PROPERTY_COUNT]; /* failures told in full */
    uint64_t print_limit;
};

/* Counts one instance of a property that held. */
void cm_report_hold(struct cm_report *report, enum cm_property property);

/*
 * Counts one instance that did not hold; tells the first of each property on stderr: what is wrong,
 * and the case as the text of a workload file that reproduces it (`c` NULL: none).
 */
void cm_report_fail(struct cm_report *report, enum cm_property property, const struct cm_case *c,
                    const char *format, ...) CM_PRINTF(4, 5);

/* Prints one TAP line a property and the plan; returns the number of properties that failed. */
int cm_report_finish(const struct cm_report *report);

#endif
