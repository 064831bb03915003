/*
 * Search for the rate at which a network saturates. The search halves an interval of rates, of
 * which the lower end is steady and the upper end is saturated. It begins with the rates 0 and 1,
 * and ends when the interval is a small share of its upper end.
 */
#ifndef CM_PROGRAMS_NETWORK_SATURATION_H
#define CM_PROGRAMS_NETWORK_SATURATION_H

#include "../../base/error.h"

#include <stdbool.h>
#include <stdint.h>

CM_BEGIN_DECLS

/* Lowest rate that a search tries, in words per node and word time. */
#define CM_SATURATION_LEAST 1e-6
/* Most runs of a search. */
#define CM_SATURATION_RUNS_MAX 64u

/* Result of a search. */
struct cm_saturation {
    double tolerance; /* largest length of the interval, in terms of its upper end */
    double steady;    /* highest rate that did not saturate the network. 0: every rate did */
    double saturated; /* lowest rate that saturated the network. 0: no rate did, up to 1 */
    double accepted;  /* words accepted per node and word time at the rate `steady` */
    uint32_t runs;    /* runs of the network. 0: no search was made */
};

/* Runs the network at a rate. Sets whether the rate saturates it, and what it accepts. */
typedef enum cm_status (*cm_saturation_try)(void *context, double rate, bool *saturated,
                                            double *accepted, struct cm_error *err);

/* Searches with the tolerance in `found`, and fills the rest. After an error, `found` has the
 * interval that was reached. */
CM_API enum cm_status cm_saturation_find(cm_saturation_try run, void *context,
                                         struct cm_saturation *found, struct cm_error *err);

CM_END_DECLS

#endif
