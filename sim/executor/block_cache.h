/*
 * Block cache: machine code for recorded blocks of instructions, on hosts where code is generated
 * (code.h). A block is the run of instructions between two barriers.
 *
 * A worker does not translate an instruction when the sequencer issues it. It records the
 * instruction and the addresses it accesses. Most blocks were recorded before, with other addresses
 * but the same aliasing between them. For such a block the generated code and the resulting state
 * of the FPU registers are known, so the worker only fills in the addresses of planes and runs the
 * code. A block that is not in the cache becomes deferred operations (deferred.h). They are
 * executed, and the resulting code and register state are cached.
 *
 * The key of a block consists of 32-bit symbols:
 * - For each instruction: its index in the IMP, the numbers of the words it accesses, and its
 *   scalar argument. Equal addresses have equal numbers.
 * - For the state before: the worker's nodes, the context flag, and the registers that alias memory
 *   words or constants.
 *
 * Instructions that use no FPU register are executed immediately while nothing is deferred.
 */
#ifndef CM_SIM_NOTES_H
#define CM_SIM_NOTES_H

#include "../../isa/isa.h"
#include "fpu.h"
#include "lanes.h"

struct cm_worker;
struct cm_issue;
struct cm_kept;

#define CM_NOTES_MOST   1024u
#define CM_NOTE_SYMBOLS 3u /* symbols of one instruction, at most */
/* symbols of the state before a block, at most */
#define CM_NOTES_BEFORE  (8u + 4u * CM_FPU_REGISTERS)
#define CM_NOTES_SYMBOLS (CM_NOTES_BEFORE + CM_NOTES_MOST * CM_NOTE_SYMBOLS)
#define CM_KEPT_MOST     4096u

/* How an instruction is recorded. */
struct cm_note_kind {
    uint8_t way;
    uint8_t words;  /* number of memory words that the instruction accesses */
    uint8_t works;  /* estimated number of operations that the instruction becomes */
    uint8_t planes; /* estimated number of planes that these operations access */
    uint8_t scalar; /* index of the operand that is a scalar argument, or 0 if none */
};

/* Block that a worker is recording, and the cached blocks. */
struct cm_notes {
    uint32_t count; /* number of recorded instructions */
    uint32_t works, planes;
    struct cm_note_kind kinds[CM_OP_COUNT];
    struct cm_lane_numbers words; /* numbers of accessed words, by address */
    /* Number of all symbols. Number of symbols for the state before. */
    uint32_t symbol_count, before_count;
    uint32_t symbols[CM_NOTES_SYMBOLS];
    struct cm_kept *kept[CM_KEPT_MOST];
    uint32_t kept_count;
    size_t kept_bytes;
    uint16_t table[2u * CM_KEPT_MOST]; /* 1 + index in `kept` by hash of the key, or 0 if empty */
    /* generation of the machine code that cached blocks refer to */
    uint64_t generation;
};

/* Returns an empty block cache, or NULL when out of memory. */
struct cm_notes *cm_notes_create(void);
void cm_notes_destroy(struct cm_notes *notes);

/* Records an instruction. Returns false when the instruction must be executed now. */
bool cm_notes_add(struct cm_worker *worker, const struct cm_issue *issue);
/* Executes the recorded block. */
void cm_notes_play(struct cm_worker *worker);

#endif
