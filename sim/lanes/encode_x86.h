/*
 * What the encoders of x86-64 instructions share (Intel's manual, volume 2). Generated code works
 * on up to four lane blocks at a time and uses host registers as follows:
 *
 *   rbx   addresses of planes, with the constants before them
 *   rbp   FPU registers of the first of the current blocks
 *   rsp   arguments of calls, mask slots and vector slots, aligned to 64 bytes
 *   r12   byte offset of the current block in a plane
 *   r13   byte offset of the end of the last block
 *   r15   stack pointer of the caller
 *   rax   scratch
 *   rcx, rdx, rsi, rdi, r8 to r11   addresses of planes
 */
#ifndef CM_SIM_ENCODE_X86_H
#define CM_SIM_ENCODE_X86_H

#include "signature.h"

#define CM_X86_BLOCKS 4u /* most lane blocks at a time */
#define CM_X86_PLANES 8u /* number of host registers that cache addresses of planes */

/* Layout of the stack, in bytes from rsp on. */
#define CM_X86_ARGUMENTS      0u  /* operands of a call */
#define CM_X86_REGISTERS      48u /* address of the FPU registers of the first block */
#define CM_X86_MASK_SLOTS     64u
#define CM_X86_SLOTS          576u /* slots of vectors */
#define CM_X86_SLOT_BYTES     64u
#define CM_X86_SLOTS_MAX      512u
#define CM_X86_MASK_SLOTS_MAX 64u

/* Location of a vector that an instruction reads, or that a store writes. */
struct cm_vector {
    enum {
        CM_VECTOR_REGISTER,    /* host register */
        CM_VECTOR_CELL,        /* vector of an FPU register */
        CM_VECTOR_JOINED,      /* the same, as CM_IR_JOINED has it */
        CM_VECTOR_PLANE,       /* plane, by number */
        CM_VECTOR_STREAMED,    /* plane, by number, for a store that bypasses the host's caches */
        CM_VECTOR_CONSTANT_32, /* constant, by number, broadcast by the instruction that uses it */
        CM_VECTOR_CONSTANT_64,
        CM_VECTOR_NUMBER,    /* constant, by number, not broadcast */
        CM_VECTOR_SLOT,      /* vector slot on the stack */
        CM_VECTOR_MASK_SLOT, /* mask slot on the stack */
        CM_VECTOR_TABLE,     /* vector `number` of the table at rax */
    } place;
    uint32_t number;
};

struct cm_x86 {
    uint8_t *begin, *at, *end;
    bool full;
    /* distance between the FPU registers of consecutive blocks, in bytes */
    uint32_t block_bytes;
    /* index of the part that code is written for: parts of a block are adjacent */
    uint32_t block;
    /* 1 + number of the plane whose address the register has, or 0 if none */
    uint32_t plane_in[CM_X86_PLANES];
    uint32_t next_plane; /* index of the address register that is replaced next */
};

/* Encoding of an instruction: opcode map, prefix, W of EVEX, opcode. The immediate selects a
 * comparison or a half of a vector. */
struct cm_x86_instruction {
    uint8_t map, prefix, wide, opcode;
    uint8_t immediate;
    bool has_immediate;
    /* true if an operand in memory is half a vector, so that an 8-bit displacement counts units of
     * half a vector with EVEX (2.7.5: compressed displacement) */
    bool half_in_memory;
};

/* [operation]: opcode of the operations that are one instruction of AVX-512 (prefix EVEX). With
 * AVX2 (prefix VEX), the opcodes are the same, except those of comparisons of integers, tests and
 * blends. */
extern const struct cm_x86_instruction cm_x86_instructions[CM_VECTOR_OP_COUNT];

static inline struct cm_vector cm_in_register(uint32_t number)
{
    return (struct cm_vector){CM_VECTOR_REGISTER, number};
}

void cm_x86_byte(struct cm_x86 *e, unsigned byte);
void cm_x86_bytes(struct cm_x86 *e, const void *bytes, size_t count);
void cm_x86_word(struct cm_x86 *e, uint32_t word);

/* Returns the displacement of a constant from rbx. */
uint32_t cm_x86_constant(uint32_t number);
/* These functions write code that loads the address of a plane to rax, a constant to rax, and a
 * constant to rdx. */
void cm_x86_load_plane(struct cm_x86 *e, uint32_t plane);
void cm_x86_load_constant(struct cm_x86 *e, uint32_t constant);
void cm_x86_load_word(struct cm_x86 *e, uint32_t constant);
/* Returns a host register with the address of a plane, and writes code that loads it if needed. */
uint32_t cm_x86_plane(struct cm_x86 *e, uint32_t plane);
/* Forgets which planes' addresses the address registers have. */
void cm_x86_forget(struct cm_x86 *e);
/* Writes a jump that is taken if the last test found 0. Returns the place after it, for
 * cm_x86_jump_here. */
uint8_t *cm_x86_jump_if_zero(struct cm_x86 *e);
/* Makes an earlier jump go to the current place. */
void cm_x86_jump_here(struct cm_x86 *e, uint8_t *after_jump);

#endif
