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

/* Executes an instruction of arithmetic or logic, whose operands are all registers, on the given
 * nodes. */
void cm_fpu_execute(const struct cm_fpu *fpu, struct cm_lanes lanes,
                    const struct cm_instruction *instruction);

/* Comparisons (cost class FPU_COMPARE): the context of each node, all ones or 0. */
void cm_fpu_compare(const struct cm_fpu *fpu, struct cm_lanes lanes,
                    const struct cm_instruction *instruction, uint32_t *context);

/* fsel32 and fsel64, by the context of each node. */
void cm_fpu_select(const struct cm_fpu *fpu, struct cm_lanes lanes,
                   const struct cm_instruction *instruction, uint32_t *context);

/* Conversions (cost class FPU_CONVERT). */
void cm_fpu_convert(const struct cm_fpu *fpu, struct cm_lanes lanes,
                    const struct cm_instruction *instruction);

#endif
