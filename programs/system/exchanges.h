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
 * within the node. Offsets count words from the address in the step's pointer register. */
struct cm_exchange_step {
    int64_t offset;
    uint32_t table; /* index of a word in the communication tables. MOVE: how many words to move */
    uint8_t op;     /* LOADI, EXCHANGE, UNLOADI or MOVE */
    uint8_t pointer;
    /* byte of the table word. MOVE: pointer register of the source, whose offset is the same */
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
    /* Adds the transfers of an exchange to `steps`. With op LOADI these are the loads of the words
     * that it carries, with op UNLOADI the unloads of the words that came. Offsets count from the
     * start of the memory that the pointer points to. */
    void (*transfers)(void *context, uint64_t exchange, enum cm_op op,
                      struct cm_exchange_steps *steps);
    /* Adds the moves within nodes that can be done during exchange number `exchange`. These moves
     * use a pair of pointers that no transfer uses. May be NULL. */
    void (*moves)(void *context, uint64_t exchange, struct cm_exchange_steps *steps);
    /* Emits instructions that set pointer p to start[p] words behind the place that offsets count
     * from. */
    void (*point)(void *context, const int64_t start[CM_EXCHANGE_POINTERS]);
    void *context;
};

/* Emits all exchanges one after another. Sets imp->failed if memory runs out. */
void cm_exchanges_unrolled(const struct cm_exchanges *exchanges);
/* Emits the exchanges in loops that nest at most `depth` deep. Fails only with CM_NO_MEMORY. */
enum cm_status cm_exchanges_looped(const struct cm_exchanges *exchanges, uint32_t depth,
                                   struct cm_error *err);

#endif
