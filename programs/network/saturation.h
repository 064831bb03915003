/*
 * Search for the rate at which a network saturates. The search halves an interval of rates, whose
 * lower end is steady and whose upper end is saturated. It begins with the rates 0 and 1, and ends
 * when the length of the interval is a small share of its upper end.
 *
 * A rate that is neither certainly steady nor certainly saturated is measured longer. If that
 * decides nothing, the search goes on at both sides of the undecided rates: where the steady rates
 * end, and where the saturated rates begin.
 */
#ifndef CM_PROGRAMS_NETWORK_SATURATION_H
#define CM_PROGRAMS_NETWORK_SATURATION_H

#include "../../base/error.h"
#include "steady.h"

#include <stdint.h>

CM_BEGIN_DECLS

/* Lowest rate that a search tries, in words per node and word time. */
#define CM_SATURATION_LEAST 1e-6
/* Largest number of rates that a search tries. */
#define CM_SATURATION_RATES_MAX 128u
/* Largest factor by which a rate is measured longer than the first time. */
#define CM_SATURATION_LONGER 64u

/* Result of a search. */
struct cm_saturation {
    double tolerance; /* largest length of the final interval, as a share of its upper end */
    double steady;    /* highest rate that did not saturate the network. 0: every rate did */
    double saturated; /* lowest rate that saturated the network. 0: no rate did, up to rate 1 */
    double accepted;  /* words accepted per node and word time at the rate `steady` */
    /* lowest and highest rate between `steady` and `saturated` that no run decided. 0: none */
    double undecided[2];
    uint32_t rates; /* number of rates that were run. 0: no search was made */
};

/* Callback that runs the network at a rate. Sets *verdict to whether the network is in a steady
 * state, and *accepted to the words that it accepts per node and word time. */
typedef enum cm_status (*cm_saturation_try)(void *context, double rate, enum cm_verdict *verdict,
                                            double *accepted, struct cm_error *err);

/* Searches with the tolerance in `found`, and fills in the other members. After an error, `found`
 * has the interval that was reached. */
CM_API enum cm_status cm_saturation_find(cm_saturation_try run, void *context,
                                         struct cm_saturation *found, struct cm_error *err);

CM_END_DECLS

#endif
