/*
 * Writes instructions of x86-64 with AVX-512, and keeps track of which vectors of FPU registers
 * are in the host's registers. The code works on up to four lane blocks at a time; a cell is a
 * vector of an FPU register in one of them. The code that is written has
 *
 *   rbx   the parameters                     r12   where the block is in planes, in bytes
 *   rbp   the FPU registers of the block     r13   where the last block ends
 *   rsp   room for the operands of a call    r14   r12, and the way to what is read next time
 *   rax   scratch                            rcx, rdx, rsi, rdi, r8 to r11   addresses of planes
 *   k1 to k4 the context of each block, while `context_known`; k5, k6 scratch
 *   zmm0 to zmm21 vectors of FPU registers, zmm22 to zmm27 scratch, zmm28 to zmm31 permutations
 */
#ifndef CM_SIM_LANE_X86_H
#define CM_SIM_LANE_X86_H

#include "lane_shape.h"

#define CM_X86_CACHED  22u
#define CM_X86_CELLS   64u /* of a block: two for each FPU register */
#define CM_X86_BLOCKS  4u  /* at a time, at most */
#define CM_X86_MASK    5u  /* scratch, and the next one */
#define CM_X86_SCRATCH 22u /* the first of six */
#define CM_X86_PLANES  8u  /* addresses of planes that are kept */

/* Permutations of two vectors, for vpermt2d: joined values of low and high words, of the first and
 * of the last nodes; low and high words of joined values. */
#define CM_X86_JOIN0 28u
#define CM_X86_JOIN1 29u
#define CM_X86_LOW   30u
#define CM_X86_HIGH  31u

/* Where a source is, or a result in memory. */
struct cm_vector {
    enum {
        CM_VECTOR_REGISTER, /* of the host */
        CM_VECTOR_CELL, /* of FPU registers in memory: CM_X86_CELLS times the block, and the cell */
        CM_VECTOR_PLANE,     /* parameter: its address */
        CM_VECTOR_STREAMED,  /* the same, of a store that bypasses the host's caches */
        CM_VECTOR_REPEAT_32, /* parameter: repeated as an operand of an instruction */
        CM_VECTOR_REPEAT_64,
        CM_VECTOR_PARAMETER, /* parameter, as a number */
        CM_VECTOR_TABLE,     /* at rax, vectors further */
    } place;
    uint32_t number;
};

struct cm_x86 {
    uint8_t *begin, *at, *end;
    bool full;
    uint32_t block_bytes; /* from the FPU registers of a block to those of the next */
    uint32_t block;       /* that is written for */
    int8_t register_of[CM_X86_BLOCKS * CM_X86_CELLS]; /* -1: not in a register */
    int16_t cell_of[CM_X86_CACHED];                   /* -1: free */
    bool dirty[CM_X86_BLOCKS * CM_X86_CELLS];         /* newer than in memory */
    uint32_t kept;         /* registers that the work at hand uses, a bit each */
    uint32_t held;         /* those of cm_x86_hold */
    const uint64_t *reads; /* cells that the work at hand reads, and each one after it */
    uint32_t works;        /* the work at hand and all after it */
    bool context_known[CM_X86_BLOCKS];
    uint32_t plane_in[CM_X86_PLANES]; /* 1 + the parameter whose value a register has; 0: none */
    uint32_t next_plane;              /* the register that is used next */
    /* Of each parameter, the blocks whose next words in that plane are on their way to the cache, a
     * bit each; NULL: nothing is read ahead. */
    uint8_t *ahead;
};

static inline struct cm_vector cm_in_register(uint32_t number)
{
    return (struct cm_vector){CM_VECTOR_REGISTER, number};
}

void cm_x86_init(struct cm_x86 *e, uint8_t *to, size_t room, uint32_t block_bytes);
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
/* rax = a parameter. */
void cm_x86_load_parameter(struct cm_x86 *e, uint32_t parameter);
/* Of the addresses of planes that are in registers, only those that were there before, `known`: what
 * has been written since may be skipped. */
void cm_x86_keep_planes(struct cm_x86 *e, const uint32_t *known);

/* A work for a block: no register is kept yet. */
void cm_x86_begin_work(struct cm_x86 *e, uint32_t block);
/* The register that a cell of the block is in, read from memory if need be; one for its next value.
 */
uint32_t cm_x86_read(struct cm_x86 *e, uint32_t cell);
uint32_t cm_x86_define(struct cm_x86 *e, uint32_t cell);
/* A register for a value that is not one of a cell yet; it is the next value of a cell of the
 * block, or given back. */
uint32_t cm_x86_hold(struct cm_x86 *e);
void cm_x86_adopt(struct cm_x86 *e, uint32_t cell, uint32_t held);
void cm_x86_give_back(struct cm_x86 *e, uint32_t held);
/* Frees the registers of cells that nothing will read, a bit for each cell of `read` and `last`:
 * those that will be read, and those whose value is the last one and must be in memory. */
void cm_x86_release(struct cm_x86 *e, uint64_t read, uint64_t last);
/* Writes all that is newer to memory; forgets what registers hold. */
void cm_x86_write_back(struct cm_x86 *e);
void cm_x86_forget(struct cm_x86 *e);

#endif
