/* Table of what the sequencer needs to know about each instruction, made from isa.def. */
#ifndef CM_SIM_ACCESSES_H
#define CM_SIM_ACCESSES_H

#include "../../isa/isa.h"

#include <stdbool.h>

struct cm_op_accesses {
    uint8_t cost;         /* enum cm_cost_class */
    uint8_t memory_count; /* number of operands that are memory words */
    uint8_t memory[2];    /* indices of the operands that are memory words */
    bool uses_slots;      /* true if the instruction's transposer slots matter to channels */
    bool writes;          /* true if the instruction writes node memory */
    /* true if the instruction changes only the sequencer: loops and address registers */
    bool controls;
};
extern const struct cm_op_accesses cm_op_accesses[CM_OP_COUNT];

#endif
