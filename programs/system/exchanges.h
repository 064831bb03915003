/*
 * Emits the exchanges of an IMP. For each exchange the IMP loads words from memory into slots that
 * communication tables name, exchanges, and unloads words from slots to memory. A compiler
 * describes the words of each exchange. The functions here emit the instructions, either one
 * exchange after another, or as loops with a few exchanges in an iteration (PSHIFT paper, 4). If
 * the machine overlaps exchanges with other work, the words of the next exchange are loaded before
 * the words of the last one are unloaded. This header is not installed.
 */
#ifndef CM_PROGRAMS_SYSTEM_EXCHANGES_H
#define CM_PROGRAMS_SYSTEM_EXCHANGES_H

#include "../../base/list.h"
#include "../../isa/imp.h"

/* number of address registers (r0 to r55) that point to sources and destinations */
#define CM_EXCHANGE_POINTERS 56u

/* Step of an exchange: a transfer between memory and a transposer, the exchange itself, or a move
 * within the node. `offset` counts words from the address in register `pointer`. */
struct cm_exchange_step {
    int64_t offset;
    /* for a transfer, the index of a word in the communication tables. For a move, the number of
     * words to move */
    uint32_t table;
    uint8_t op; /* LOADI, EXCHANGE, UNLOADI or MOVE */
    uint8_t pointer;
    /* for a transfer, the number of a byte in the table word, which names the slot. For a move, the
     * pointer register of the source, with the same offset */
    uint8_t field;
    uint8_t half;
};
_Static_assert(sizeof(struct cm_exchange_step) == 16, "steps are compared byte by byte");

/* List of steps (base/list.h). */
struct cm_exchange_steps {
    struct cm_exchange_step *items;
    uint32_t count, capacity;
    bool failed;
};

struct cm_exchanges {
    struct cm_imp *imp;
    uint64_t count;
    bool overlap;    /* True if the machine has the feature exchange.overlap. */
    unsigned tables; /* number of the address register that points to the tables */
    /* Adds the transfers of exchange number `exchange` to `steps`. With op LOADI these are the
     * loads of the words that the exchange carries. With op UNLOADI these are the unloads of the
     * words that the exchange brought. Offsets count from the start of the memory that the pointer
     * belongs to. */
    void (*transfers)(void *context, uint64_t exchange, enum cm_op op,
                      struct cm_exchange_steps *steps);
    /* Adds the moves within nodes that can be done during exchange number `exchange`. These moves
     * use a pair of pointers that no transfer uses. May be NULL. */
    void (*moves)(void *context, uint64_t exchange, struct cm_exchange_steps *steps);
    /* Emits instructions that set pointer register p to start[p] words behind the start of its
     * memory. */
    void (*point)(void *context, const int64_t start[CM_EXCHANGE_POINTERS]);
    void *context;
};

/* Emits all exchanges one after another. Sets imp->failed if memory runs out. */
void cm_exchanges_unrolled(const struct cm_exchanges *exchanges);
/* Emits the exchanges in loops that nest at most `depth` deep. Fails only with CM_NO_MEMORY. */
enum cm_status cm_exchanges_looped(const struct cm_exchanges *exchanges, uint32_t depth,
                                   struct cm_error *err);

#endif
