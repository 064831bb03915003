/* Table of the properties of each instruction that the sequencer needs: cost class, memory operands
 * and use of transposer slots. The table is made from isa.def. */
#ifndef CM_SIM_ACCESSES_H
#define CM_SIM_ACCESSES_H

#include "../../isa/isa.h"

#include <stdbool.h>

struct cm_op_accesses {
    uint8_t cost;         /* enum cm_cost_class */
    uint8_t memory_count; /* number of operands that are memory words */
    uint8_t memory[2];    /* indices of the operands that are memory words */
    /* true if the accounting of channels needs the instruction's transposer slots */
    bool uses_slots;
    bool writes;  /* true if the instruction writes node memory */
    bool indexed; /* true if each node adds the value of an FPU register to the address */
    /* true if the instruction changes only the sequencer: loops and address registers */
    bool controls;
};
extern const struct cm_op_accesses cm_op_accesses[CM_OP_COUNT];

#endif
