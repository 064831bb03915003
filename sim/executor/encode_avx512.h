/*
 * Writes instructions of x86-64 with AVX-512. The code works on up to four lane blocks at a time:
 *
 *   rbx   the planes' addresses, and the constants before them   r12   where the block is in planes
 *   rbp   the FPU registers of the first block at a time         r13   where the last block ends
 *   rsp   room for calls, masks and vectors, from a multiple     r14   r12, and the way to what is
 *         of 64 bytes on                                               read next time
 *   r15   the stack as it was                                    rax   scratch
 *   rcx, rdx, rsi, rdi, r8 to r11   addresses of planes
 *   k1 to k7 masks; zmm0 to zmm25 vectors, zmm26, zmm27 scratch, zmm28 to zmm31 permutations
 */
#ifndef CM_SIM_LANE_X86_H
#define CM_SIM_LANE_X86_H

#include "signature.h"

#define CM_X86_VECTORS 26u
#define CM_X86_SCRATCH 26u
#define CM_X86_MASKS   8u /* the first of which is not used */
#define CM_X86_BLOCKS  4u /* at a time, at most */
#define CM_X86_PLANES  8u /* addresses of planes that are kept */

/* Permutations of two vectors, for vpermt2d, in the order of enum cm_ir_permutation. */
#define CM_X86_PERMUTATIONS 28u

/* What is on the stack, in bytes from rsp on. */
#define CM_X86_ARGUMENTS      0u  /* operands of a call */
#define CM_X86_REGISTERS      48u /* the FPU registers of the first block */
#define CM_X86_MASK_SLOTS     64u
#define CM_X86_SLOTS          576u /* of vectors */
#define CM_X86_SLOTS_MAX      512u
#define CM_X86_MASK_SLOTS_MAX 64u

/* Where a source is, or a result in memory. */
struct cm_vector {
    enum {
        CM_VECTOR_REGISTER,    /* of the host */
        CM_VECTOR_CELL,        /* of FPU registers */
        CM_VECTOR_PLANE,       /* by number */
        CM_VECTOR_STREAMED,    /* the same, of a store that bypasses the host's caches */
        CM_VECTOR_CONSTANT_32, /* by number; repeated as an operand of an instruction */
        CM_VECTOR_CONSTANT_64,
        CM_VECTOR_NUMBER, /* a constant, not repeated */
        CM_VECTOR_SLOT,   /* on the stack */
        CM_VECTOR_TABLE,  /* at rax, vectors further */
    } place;
    uint32_t number;
};

struct cm_x86 {
    uint8_t *begin, *at, *end;
    bool full;
    uint32_t block_bytes;             /* from the FPU registers of a block to those of the next */
    uint32_t block;                   /* that is written for */
    uint32_t plane_in[CM_X86_PLANES]; /* 1 + the plane whose address a register has; 0: none */
    uint32_t next_plane;              /* the register that is used next */
};

static inline struct cm_vector cm_in_register(uint32_t number)
{
    return (struct cm_vector){CM_VECTOR_REGISTER, number};
}

void cm_x86_byte(struct cm_x86 *e, unsigned byte);
void cm_x86_bytes(struct cm_x86 *e, const void *bytes, size_t count);
void cm_x86_word(struct cm_x86 *e, uint32_t word);

/* An instruction with a result, a first source (0: none) and a second source, under mask k`mask`
 * (0: none). A store has the result where the second source is. */
void cm_x86_vector(struct cm_x86 *e, struct cm_host_instruction instruction, uint32_t result,
                   uint32_t first, struct cm_vector second, uint32_t mask);
void cm_x86_move(struct cm_x86 *e, uint32_t result, struct cm_vector from);
/* Where k`mask` is set; 0: everywhere. */
void cm_x86_store(struct cm_x86 *e, struct cm_vector to, uint32_t from, uint32_t mask);
/* result = the vectors result and b, by a permutation. */
void cm_x86_permute(struct cm_x86 *e, uint32_t result, uint32_t permutation, struct cm_vector b);
/* The permutations are in their registers. */
void cm_x86_load_permutations(struct cm_x86 *e);

/* Instructions on masks: VEX prefix and opcode, a result, a first source, a second. */
void cm_x86_mask(struct cm_x86 *e, unsigned prefix, unsigned opcode, uint32_t result,
                 uint32_t first, uint32_t second);
void cm_x86_mask_upper(struct cm_x86 *e, uint32_t result, uint32_t from);
void cm_x86_mask_to_slot(struct cm_x86 *e, uint32_t slot, uint32_t mask);
void cm_x86_mask_from_slot(struct cm_x86 *e, uint32_t mask, uint32_t slot);

/* rax = the address of a plane, or a constant; rdx = a constant. */
void cm_x86_load_plane(struct cm_x86 *e, uint32_t plane);
void cm_x86_load_constant(struct cm_x86 *e, uint32_t constant);
void cm_x86_load_word(struct cm_x86 *e, uint32_t constant);
/* The address of the plane is in a register. */
void cm_x86_need_plane(struct cm_x86 *e, uint32_t plane);
/* No address of a plane is in a register, for all that is known. */
void cm_x86_forget(struct cm_x86 *e);

#endif
