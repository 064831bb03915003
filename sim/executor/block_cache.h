/*
 * Block cache: machine code for recorded blocks of instructions, on hosts where code is generated
 * (code.h). A block is a sequence of instructions without a barrier between them.
 *
 * A worker does not translate an instruction when the sequencer issues it. It records the
 * instruction and the addresses it accesses. Most blocks were recorded before, with other addresses
 * but the same aliasing between them. For such a block the generated code and the resulting state
 * of the FPU registers are known, so the worker only fills in the addresses of planes and runs the
 * code. A block that is not in the cache becomes deferred operations (deferred.h). They are
 * executed, and the resulting code and register state are cached.
 *
 * The key of a block consists of 32-bit symbols:
 * - For each instruction: its index in the IMP, the numbers of the memory words it accesses, and
 *   its scalar argument. Words are numbered by first use, so equal addresses have equal numbers.
 * - For the state before the block: the worker's nodes, the context flag, and the registers that
 *   alias memory words or constants.
 *
 * Instructions that use no FPU register are executed immediately while nothing is deferred.
 */
#ifndef CM_SIM_BLOCK_CACHE_H
#define CM_SIM_BLOCK_CACHE_H

#include "../../isa/isa.h"
#include "../lanes/fpu.h"
#include "../lanes/lanes.h"

struct cm_worker;
struct cm_issue;
struct cm_cached_block;

#define CM_BLOCK_INSTRUCTIONS_MAX    1024u
#define CM_BLOCK_INSTRUCTION_SYMBOLS 3u /* symbols of one instruction, at most */
/* symbols of the state before a block, at most */
#define CM_BLOCK_STATE_SYMBOLS (8u + 4u * CM_FPU_REGISTERS)
#define CM_BLOCK_SYMBOLS                                                                           \
    (CM_BLOCK_STATE_SYMBOLS + CM_BLOCK_INSTRUCTIONS_MAX * CM_BLOCK_INSTRUCTION_SYMBOLS)
#define CM_CACHED_BLOCKS_MAX 4096u

/* Properties of an instruction that decide how it is recorded in a block. */
struct cm_record_kind {
    uint8_t mode;
    uint8_t words;      /* number of memory words that the instruction accesses */
    uint8_t operations; /* estimated number of operations that the instruction becomes */
    uint8_t planes;     /* estimated number of planes that the instruction accesses */
    uint8_t scalar;     /* index of the operand that is a scalar argument, or 0 if none */
};

/* Block that a worker is recording, and the cached blocks. */
struct cm_block_cache {
    uint32_t count; /* number of recorded instructions */
    uint32_t operations, planes;
    struct cm_record_kind kinds[CM_OP_COUNT];
    /* numbers of the memory words that the block accesses, by address */
    struct cm_lane_numbers words;
    /* Number of symbols in the key of the block, and number of those that describe the state before
     * the block. */
    uint32_t symbol_count, before_count;
    uint32_t symbols[CM_BLOCK_SYMBOLS];
    struct cm_cached_block *blocks[CM_CACHED_BLOCKS_MAX];
    uint32_t block_count;
    size_t block_bytes;
    uint16_t
        table[2u *
              CM_CACHED_BLOCKS_MAX]; /* 1 + index in `blocks` by hash of the key, or 0 if empty */
    /* generation of the code generator's code that the cached blocks refer to */
    uint64_t generation;
};

/* Returns an empty block cache, or NULL when out of memory. */
struct cm_block_cache *cm_block_cache_create(void);
void cm_block_cache_destroy(struct cm_block_cache *cache);

/* Records an instruction in the current block. Returns false when the caller must execute the
 * instruction now, without recording it. */
bool cm_block_cache_record(struct cm_worker *worker, const struct cm_issue *issue);
/* Executes the recorded block. */
void cm_block_cache_execute(struct cm_worker *worker);

#endif
