/*
 * Search for the rate at which a network saturates. The search halves an interval of rates, of
 * which the lower end is steady and the upper end is saturated. It begins with the rates 0 and 1,
 * and ends when the interval is a small share of its upper end.
 *
 * A rate that is neither is measured longer. If that decides nothing, the rates around it are
 * searched on both sides: where those that are steady end, and where those that are saturated
 * begin.
 */
#ifndef CM_PROGRAMS_NETWORK_SATURATION_H
#define CM_PROGRAMS_NETWORK_SATURATION_H

#include "../../base/error.h"
#include "steady.h"

#include <stdint.h>

CM_BEGIN_DECLS

/* Lowest rate that a search tries, in words per node and word time. */
#define CM_SATURATION_LEAST 1e-6
/* Most rates of a search. */
#define CM_SATURATION_RATES_MAX 128u
/* Largest factor by which a rate is measured longer than the first time. */
#define CM_SATURATION_LONGER 64u

/* Result of a search. */
struct cm_saturation {
    double tolerance;    /* largest length of the interval, in terms of its upper end */
    double steady;       /* highest rate that did not saturate the network. 0: every rate did */
    double saturated;    /* lowest rate that saturated the network. 0: no rate did, up to 1 */
    double accepted;     /* words accepted per node and word time at the rate `steady` */
    double undecided[2]; /* lowest and highest rate in between that no run decided. 0: none */
    uint32_t rates;      /* rates that were run. 0: no search was made */
};

/* Runs the network at a rate. Sets whether it is steady, and what it accepts. */
typedef enum cm_status (*cm_saturation_try)(void *context, double rate, enum cm_verdict *verdict,
                                            double *accepted, struct cm_error *err);

/* Searches with the tolerance in `found`, and fills the rest. After an error, `found` has the
 * interval that was reached. */
CM_API enum cm_status cm_saturation_find(cm_saturation_try run, void *context,
                                         struct cm_saturation *found, struct cm_error *err);

CM_END_DECLS

#endif
