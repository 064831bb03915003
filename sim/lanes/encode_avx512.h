/*
 * Encoder of x86-64 instructions with AVX-512 (Intel's manual, volume 2). Generated code works on
 * up to four lane blocks at a time and uses host registers as follows:
 *
 *   rbx   addresses of planes, with the constants before them
 *   rbp   FPU registers of the first of the current blocks
 *   rsp   arguments of calls, mask slots and vector slots, aligned to 64 bytes
 *   r12   byte offset of the current block in a plane
 *   r13   byte offset of the end of the last block
 *   r15   stack pointer of the caller
 *   rax   scratch
 *   rcx, rdx, rsi, rdi, r8 to r11   addresses of planes
 *   k1 to k7                        masks
 *   zmm0 to zmm25                   vectors
 *   zmm26, zmm27                    scratch
 *   zmm28 to zmm31                  permutations
 */
#ifndef CM_SIM_ENCODE_AVX512_H
#define CM_SIM_ENCODE_AVX512_H

#include "signature.h"

#define CM_X86_VECTORS 26u
#define CM_X86_SCRATCH 26u
#define CM_X86_MASKS   8u /* number of mask registers, including k0, which is not used */
#define CM_X86_BLOCKS  4u /* most lane blocks at a time */
#define CM_X86_PLANES  8u /* number of host registers that cache addresses of planes */

/* First register with a permutation of two vectors for vpermt2d. The order is that of enum
 * cm_ir_permutation. */
#define CM_X86_PERMUTATIONS 28u

/* Layout of the stack, in bytes from rsp on. */
#define CM_X86_ARGUMENTS      0u  /* operands of a call */
#define CM_X86_REGISTERS      48u /* address of the FPU registers of the first block */
#define CM_X86_MASK_SLOTS     64u
#define CM_X86_SLOTS          576u /* slots of vectors */
#define CM_X86_SLOTS_MAX      512u
#define CM_X86_MASK_SLOTS_MAX 64u

/* Location of a vector that an instruction reads, or that a store writes. */
struct cm_vector {
    enum {
        CM_VECTOR_REGISTER,    /* host register */
        CM_VECTOR_CELL,        /* vector of an FPU register */
        CM_VECTOR_PLANE,       /* plane, by number */
        CM_VECTOR_STREAMED,    /* plane, by number, for a store that bypasses the host's caches */
        CM_VECTOR_CONSTANT_32, /* constant, by number, broadcast by the instruction that uses it */
        CM_VECTOR_CONSTANT_64,
        CM_VECTOR_NUMBER, /* constant, by number, not broadcast */
        CM_VECTOR_SLOT,   /* vector slot on the stack */
        CM_VECTOR_TABLE,  /* vector `number` of the table at rax */
    } place;
    uint32_t number;
};

struct cm_x86 {
    uint8_t *begin, *at, *end;
    bool full;
    /* distance between the FPU registers of consecutive blocks, in bytes */
    uint32_t block_bytes;
    uint32_t block; /* index of the block that code is written for */
    /* 1 + number of the plane whose address the register has, or 0 if none */
    uint32_t plane_in[CM_X86_PLANES];
    uint32_t next_plane; /* index of the address register that is replaced next */
};

static inline struct cm_vector cm_in_register(uint32_t number)
{
    return (struct cm_vector){CM_VECTOR_REGISTER, number};
}

void cm_x86_byte(struct cm_x86 *e, unsigned byte);
void cm_x86_bytes(struct cm_x86 *e, const void *bytes, size_t count);
void cm_x86_word(struct cm_x86 *e, uint32_t word);

/*
 * Writes an instruction with a result, a first source and a second source, under mask register
 * `mask`. `first` is 0 without a first source, and `mask` is 0 without a mask. A store has its
 * memory operand as second source.
 */
void cm_x86_vector(struct cm_x86 *e, struct cm_host_instruction instruction, uint32_t result,
                   uint32_t first, struct cm_vector second, uint32_t mask);
void cm_x86_move(struct cm_x86 *e, uint32_t result, struct cm_vector from);
/* Writes a store under mask register `mask`. A mask of 0 stores everywhere. */
void cm_x86_store(struct cm_x86 *e, struct cm_vector to, uint32_t from, uint32_t mask);
/* Writes a permutation of the vectors `result` and `b` into `result`. */
void cm_x86_permute(struct cm_x86 *e, uint32_t result, uint32_t permutation, struct cm_vector b);
/* Writes loads of all permutations into their registers. */
void cm_x86_load_permutations(struct cm_x86 *e);

/* Writes an instruction on mask registers: VEX prefix and opcode, a result, a first source, a
 * second source. */
void cm_x86_mask(struct cm_x86 *e, unsigned prefix, unsigned opcode, uint32_t result,
                 uint32_t first, uint32_t second);
void cm_x86_mask_upper(struct cm_x86 *e, uint32_t result, uint32_t from);
void cm_x86_mask_to_slot(struct cm_x86 *e, uint32_t slot, uint32_t mask);
void cm_x86_mask_from_slot(struct cm_x86 *e, uint32_t mask, uint32_t slot);

/* These functions write code that loads the address of a plane to rax, a constant to rax, and a
 * constant to rdx. */
void cm_x86_load_plane(struct cm_x86 *e, uint32_t plane);
void cm_x86_load_constant(struct cm_x86 *e, uint32_t constant);
void cm_x86_load_word(struct cm_x86 *e, uint32_t constant);
/* Writes code that loads the address of a plane into an address register, if no register has it. */
void cm_x86_need_plane(struct cm_x86 *e, uint32_t plane);
/* Forgets which planes' addresses the address registers have. */
void cm_x86_forget(struct cm_x86 *e);

#endif
