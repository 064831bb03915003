/* What the sequencer asks of each instruction it issues, from isa.def. */
#ifndef CM_SIM_ACCESSES_H
#define CM_SIM_ACCESSES_H

#include "../../isa/isa.h"

#include <stdbool.h>

struct cm_op_accesses {
    uint8_t cost;         /* enum cm_cost_class */
    uint8_t memory_count; /* operands that are memory words */
    uint8_t memory[2];    /* their numbers */
    bool uses_slots;      /* that have a share in channels */
    bool writes;          /* memory */
    bool controls;        /* the sequencer itself, and nothing else */
};
extern const struct cm_op_accesses cm_op_accesses[CM_OP_COUNT];

#endif
