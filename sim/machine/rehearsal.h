/*
 * Rehearsals: the cycles that IMPs would take, without running them.
 *
 * A rehearsal has its own copy of the machine's clock. IMPs that are rehearsed one after the other
 * charge this copy, as cm_machine_run charges the machine's clock. No data move, no channel carries
 * a word, and no observer is notified. The cycles are exact, because no cost depends on data. A
 * compiler uses a rehearsal to choose the cheaper one of two IMPs. This header is not installed.
 */
#ifndef CM_SIM_REHEARSAL_H
#define CM_SIM_REHEARSAL_H

#include "clock.h"

struct cm_rehearsal {
    const struct cm_machine *machine;
    struct cm_clock clock;
};

/* Begins a rehearsal at the present state of the machine's clock. A copy of the struct is a second
 * rehearsal, which continues independently. */
void cm_rehearsal_begin(struct cm_rehearsal *rehearsal, const struct cm_machine *machine);
/* Charges an IMP, which need not be loaded. Returns CM_BAD_INPUT if the IMP does not verify, and
 * CM_FAULT if it accesses an address outside node memory. */
enum cm_status cm_rehearse(struct cm_rehearsal *rehearsal, const struct cm_imp *imp,
                           const struct cm_actual *actuals, enum cm_entry entry,
                           struct cm_error *err);
/* Returns the cycles of the clock after the rehearsed IMPs, without refreshes. The number of
 * refreshes depends on the cycle in which an IMP is started. */
uint64_t cm_rehearsal_cycles(const struct cm_rehearsal *rehearsal);

#endif
