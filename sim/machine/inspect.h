/*
 * Inspection of a machine: what the sequencer and the nodes hold. Callers may inspect a machine
 * between runs, and within an observer's functions if the machine has one thread. Inspection never
 * changes the result of a run.
 */
#ifndef CM_SIM_INSPECT_H
#define CM_SIM_INSPECT_H

#include "machine.h"

CM_BEGIN_DECLS

/* Loop that the sequencer is executing. */
struct cm_inspected_loop {
    uint32_t start; /* index of the loop instruction */
    int32_t left;   /* remaining iterations, including the current one */
};

/* Returns an address register of the sequencer. Address registers keep their values between
 * runs. */
CM_API int64_t cm_machine_address_register(const struct cm_machine *machine, uint32_t reg);
/* These functions return the number of open loops, and open loop `i`, where 0 is the outermost
 * loop. */
CM_API uint32_t cm_machine_loop_count(const struct cm_machine *machine);
CM_API struct cm_inspected_loop cm_machine_loop(const struct cm_machine *machine, uint32_t i);
/* Returns the remaining cycles of a running exchange, or 0 if none runs. */
CM_API uint64_t cm_machine_exchange_left(const struct cm_machine *machine);

/* These functions return the state of a node. In a machine without data every value is 0 and the
 * context flag is set. */
CM_API bool cm_machine_context_flag(struct cm_machine *machine, uint32_t node);
CM_API uint64_t cm_machine_fpu_register(struct cm_machine *machine, uint32_t node, uint32_t reg);
CM_API uint32_t cm_machine_transposer_word(struct cm_machine *machine, uint32_t node,
                                           enum cm_transposer transposer, uint32_t slot);
/* Writes for each node the slots of transposer A that were loaded since the last exchange, a bit
 * each. */
CM_API void cm_machine_slots_pending(struct cm_machine *machine, uint64_t *slots);

CM_END_DECLS

#endif
