/*
 * A look into a machine: what the sequencer and the nodes hold. For a machine at rest, and within
 * an observer's functions for a machine of one thread, whose nodes have then done all that was
 * issued. Nothing that a run gives depends on it.
 */
#ifndef CM_SIM_INSPECT_H
#define CM_SIM_INSPECT_H

#include "machine.h"

CM_BEGIN_DECLS

/* A loop that the sequencer is in. */
struct cm_inspected_loop {
    uint32_t start; /* index of its loop instruction */
    int32_t left;   /* iterations to go, this one included */
};

/* The sequencer within a run; registers keep their values between runs. */
CM_API int64_t cm_machine_address_register(const struct cm_machine *machine, uint32_t reg);
/* How many loops are open, and open loop `i`; 0 is the outermost. */
CM_API uint32_t cm_machine_loop_count(const struct cm_machine *machine);
CM_API struct cm_inspected_loop cm_machine_loop(const struct cm_machine *machine, uint32_t i);
/* Cycles that a running exchange still takes; 0: none runs. */
CM_API uint64_t cm_machine_exchange_left(const struct cm_machine *machine);

/* The nodes. Without data everything is 0, and the context flag is set. */
CM_API bool cm_machine_context_flag(struct cm_machine *machine, uint32_t node);
CM_API uint64_t cm_machine_fpu_register(struct cm_machine *machine, uint32_t node, uint32_t reg);
CM_API uint32_t cm_machine_transposer_word(struct cm_machine *machine, uint32_t node,
                                           enum cm_transposer transposer, uint32_t slot);
/* The slots of transposer A that were loaded since the last exchange, a bit each: slots[node]. */
CM_API void cm_machine_slots_pending(struct cm_machine *machine, uint64_t *slots);

CM_END_DECLS

#endif
