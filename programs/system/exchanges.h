/*
 * Emits the exchanges of an IMP. An exchange loads words from memory into slots that communication
 * tables name, exchanges, and unloads words from slots to memory. A compiler describes the words of
 * each exchange. The functions here emit the instructions, either one exchange after another, or as
 * loops of a few exchanges an iteration (P 4). If the machine overlaps exchanges with other work,
 * the words of the next exchange are loaded before the words of the last one are unloaded. Not
 * installed.
 */
#ifndef CM_PROGRAMS_SYSTEM_EXCHANGES_H
#define CM_PROGRAMS_SYSTEM_EXCHANGES_H

#include "../../base/list.h"
#include "../../isa/imp.h"

/* address registers r0 to r55, which point to sources and destinations */
#define CM_EXCHANGE_POINTERS 56u

/* A step of an exchange: a transfer between memory and a transposer, the exchange itself, or a move
 * within the node. Offsets count words from a pointer. */
struct cm_exchange_step {
    int64_t offset;
    uint32_t table; /* word of the tables. MOVE: number of words to move */
    uint8_t op;     /* LOADI, EXCHANGE, UNLOADI or MOVE */
    uint8_t pointer;
    uint8_t field; /* byte of the table word. MOVE: pointer of the source, with the same offset */
    uint8_t half;
};
_Static_assert(sizeof(struct cm_exchange_step) == 16, "steps are compared byte by byte");

/* A list of steps (base/list.h). */
struct cm_exchange_steps {
    struct cm_exchange_step *items;
    uint32_t count, capacity;
    bool failed;
};

struct cm_exchanges {
    struct cm_imp *imp;
    uint64_t count;
    bool overlap;    /* True if the machine has exchange.overlap. */
    unsigned tables; /* address register that points to the tables */
    /* Adds the transfers of an exchange to `steps`: the loads of the words it carries for LOADI, or
     * the unloads of the words that came for UNLOADI. Offsets count from the start of the memory
     * that the pointer points to. */
    void (*transfers)(void *context, uint64_t exchange, enum cm_op op,
                      struct cm_exchange_steps *steps);
    /* Adds the moves within nodes that exchange `exchange` can hide. They use a pair of pointers of
     * their own. May be NULL. */
    void (*moves)(void *context, uint64_t exchange, struct cm_exchange_steps *steps);
    /* Emits instructions that set each pointer `start` words behind the place that offsets count
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
