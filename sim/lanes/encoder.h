/*
 * Encoders: what generated code needs to know about a host's vector unit, and the functions that
 * write instructions for it. The IR, its schedule and the register allocation are the same for all
 * encoders.
 */
#ifndef CM_SIM_ENCODER_H
#define CM_SIM_ENCODER_H

#include "encode_x86.h"
#include "ir.h"

#define CM_ENCODER_VECTORS_MAX 32u
#define CM_ENCODER_MASKS_MAX   8u

struct cm_encoder {
    uint32_t vectors; /* vector registers for values, from number 0 on */
    /* mask registers, including number 0, which is not used, or 0 if masks are vectors */
    uint32_t masks;
    /* host vectors that make up a vector of the IR. Each has a part of the nodes of a lane block,
     * and code is written for one part after the other. */
    uint32_t parts;
    bool in_lanes; /* as in struct cm_ir */
    /* True if the second source of an instruction may be a constant in memory. Otherwise code
     * begins with copies of constants to vector slots. */
    bool broadcasts;
    bool replaces; /* true if the result of a permutation replaces its first source */
    /* Writes what loops expect in reserved registers, or NULL. Calls of kernels destroy it. */
    void (*prepare)(struct cm_x86 *x);
    /* Writes an operation that has a value. Sources that it does not have are 0. */
    void (*operate)(struct cm_x86 *x, const struct cm_ir_op *op, uint32_t result, uint32_t first,
                    struct cm_vector second, uint32_t mask);
    /* These functions write loads and stores of vectors. */
    void (*load)(struct cm_x86 *x, uint32_t result, struct cm_vector from);
    void (*store)(struct cm_x86 *x, struct cm_vector to, uint32_t from);
    /* Writes a store where a mask is set. It is skipped where the mask is all clear, because a
     * store takes most of its time to bring cache lines in. */
    void (*store_masked)(struct cm_x86 *x, struct cm_vector to, uint32_t from, uint32_t mask);
    /* Writes a store of a mask to the context flag. */
    void (*store_context)(struct cm_x86 *x, uint32_t mask);
    /* These functions write loads and stores of mask registers. A mask is loaded from the context
     * flag or a slot, and stored to a slot. */
    void (*load_mask)(struct cm_x86 *x, uint32_t mask, struct cm_vector from);
    void (*store_mask)(struct cm_x86 *x, struct cm_vector to, uint32_t mask);
};

extern const struct cm_encoder cm_encoder_avx2, cm_encoder_avx512;

#endif
