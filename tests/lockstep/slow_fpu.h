/* The FPU of the slow machine: one instruction on the registers of one node, in plain C. */
#ifndef CM_TESTS_LOCKSTEP_SLOW_FPU_H
#define CM_TESTS_LOCKSTEP_SLOW_FPU_H

#include "../../sim/machine/machine.h"

/* What the result register holds after an arithmetic instruction, a conversion or a copy of
 * halves. */
struct cm_slow_result {
    uint64_t bits;
    bool wide; /* else the low half alone is written */
    bool nan;  /* not a number that was computed: its bits depend on the host */
};
struct cm_slow_result cm_slow_compute(enum cm_op op, uint64_t a, uint64_t b, uint64_t c);

bool cm_slow_compare(enum cm_op op, uint64_t a, uint64_t b);

/* What an instruction of the FPU costs, and the floating-point operations that it counts as. */
uint64_t cm_slow_fpu_cycles(const struct cm_config *config, enum cm_op op);
uint64_t cm_slow_flops(enum cm_op op);

#endif
