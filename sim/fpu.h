/*
 * The FPU of every node: 32 registers of 64 bits, kept as two planes each, the low and the high
 * halves of all nodes. 32-bit operations read and write the low half and leave the high half alone.
 * IEEE 754, rounding to nearest; a multiply-add rounds the product, then the sum (an assumption:
 * the Weitek parts chain two rounded operations).
 */
#ifndef CM_SIM_FPU_H
#define CM_SIM_FPU_H

#include "../isa/imp.h"
#include "kernels.h"

struct cm_fpu {
    uint32_t *low; /* [register * nodes + node] */
    uint32_t *high;
    uint32_t nodes;
};

static inline uint32_t *cm_fpu_low(const struct cm_fpu *fpu, uint32_t reg)
{
    return fpu->low + (size_t)reg * fpu->nodes;
}

static inline uint32_t *cm_fpu_high(const struct cm_fpu *fpu, uint32_t reg)
{
    return fpu->high + (size_t)reg * fpu->nodes;
}

/* Executes an arithmetic instruction (cost classes FPU_ADD, FPU_MULTIPLY, FPU_MULTIPLY_ADD) on the
 * given nodes. */
void cm_fpu_execute(const struct cm_fpu *fpu, struct cm_lanes lanes,
                    const struct cm_instruction *instruction);

#endif
