/*
 * Instructions that are noted, where there is machine code (code.h): between two meetings a
 * worker only writes down which ones come, and on which addresses. Mostly the same ones came
 * before, on other addresses, of which the same ones were equal. Then the code that they became is
 * known, and so is what the FPU registers are afterwards; only planes are filled in. Else they
 * become work (deferred.h), which is played, and the result is kept.
 *
 * What they become depends on
 *   each of them   its place in its IMP, the numbers of the words that it accesses (equal addresses
 *                  have equal numbers), the scalars that it takes
 *   before them    the worker's nodes, the context flag, registers that are copies of memory words
 *                  or constants
 *
 * While nothing waits, instructions that use no FPU registers are done at once.
 */
#ifndef CM_SIM_NOTES_H
#define CM_SIM_NOTES_H

#include "../../isa/isa.h"
#include "fpu.h"
#include "lanes.h"

struct cm_worker;
struct cm_issue;
struct cm_kept;

#define CM_NOTES_MOST    1024u
#define CM_NOTE_SYMBOLS  3u                           /* of a note, at most */
#define CM_NOTES_BEFORE  (8u + 4u * CM_FPU_REGISTERS) /* symbols before them, at most */
#define CM_NOTES_SYMBOLS (CM_NOTES_BEFORE + CM_NOTES_MOST * CM_NOTE_SYMBOLS)
#define CM_KEPT_MOST     4096u

/* How an instruction is noted. */
struct cm_note_kind {
    uint8_t way;
    uint8_t words;  /* of memory that it accesses */
    uint8_t works;  /* that it becomes, about */
    uint8_t planes; /* that these read or write, about */
    uint8_t scalar; /* operand that is a scalar argument; 0: none */
};

/* What a worker has noted, and what earlier notes became. */
struct cm_notes {
    uint32_t count; /* of instructions that wait */
    uint32_t works, planes;
    struct cm_note_kind kinds[CM_OP_COUNT];
    struct cm_lane_numbers words;        /* by address */
    uint32_t symbol_count, before_count; /* all symbols; those before the notes */
    uint32_t symbols[CM_NOTES_SYMBOLS];
    struct cm_kept *kept[CM_KEPT_MOST];
    uint32_t kept_count;
    size_t kept_bytes;
    uint16_t table[2u * CM_KEPT_MOST]; /* 1 + number of what is kept, by hash; 0: none */
    uint64_t generation;               /* of the machine code that is kept */
};

/* NULL when out of memory. */
struct cm_notes *cm_notes_create(void);
void cm_notes_destroy(struct cm_notes *notes);

/* Notes an instruction; false when it is to be executed now. */
bool cm_notes_add(struct cm_worker *worker, const struct cm_issue *issue);
/* Does what is noted. */
void cm_notes_play(struct cm_worker *worker);

#endif
