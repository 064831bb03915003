/*
 * The exchanges of an IMP: words from memory to slots that communication tables name, an exchange,
 * words from slots to memory. A compiler says what each exchange carries; here that becomes
 * instructions, one exchange after the other or in loops of a few exchanges an iteration (P 4).
 * Where exchanges overlap other work, the words of the next exchange are loaded before those of the
 * last are unloaded. Not installed.
 */
#ifndef CM_PROGRAMS_SYSTEM_EXCHANGES_H
#define CM_PROGRAMS_SYSTEM_EXCHANGES_H

#include "../../base/list.h"
#include "../../isa/imp.h"

#define CM_EXCHANGE_POINTERS 56u /* address registers r0 to r55: where words come from and go */

/* A transfer between memory and a transposer, an exchange, or a move within the node; offsets are
 * relative to a pointer. */
struct cm_exchange_step {
    int64_t offset;
    uint32_t table; /* word within the tables; of a move, how many words */
    uint8_t op;     /* LOADI, EXCHANGE, UNLOADI or MOVE */
    uint8_t pointer;
    uint8_t field; /* of a move, the pointer of its source, which has the same offset */
    uint8_t half;
};
_Static_assert(sizeof(struct cm_exchange_step) == 16, "steps are compared byte by byte");

/* A list (base/list.h). */
struct cm_exchange_steps {
    struct cm_exchange_step *items;
    uint32_t count, capacity;
    bool failed;
};

struct cm_exchanges {
    struct cm_imp *imp;
    uint64_t count;
    bool overlap;    /* exchange.overlap */
    unsigned tables; /* the address register that points to the tables */
    /* Adds the transfers of an exchange: LOADI, those that it carries, or UNLOADI, those that came.
     * In both, offsets are from the start of what the pointer points to. */
    void (*transfers)(void *context, uint64_t exchange, enum cm_op op,
                      struct cm_exchange_steps *steps);
    /* Adds the moves of a pair of pointers, of their own, that exchange t can hide. May be NULL. */
    void (*moves)(void *context, uint64_t exchange, struct cm_exchange_steps *steps);
    /* Emits the pointers, each `start` words from where its offsets count. */
    void (*point)(void *context, const int64_t start[CM_EXCHANGE_POINTERS]);
    void *context;
};

/* Emits all exchanges in a line; sets imp->failed when memory runs out. */
void cm_exchanges_unrolled(const struct cm_exchanges *exchanges);
/* Emits them in loops that nest at most `depth` deep. CM_NO_MEMORY is the only failure. */
enum cm_status cm_exchanges_looped(const struct cm_exchanges *exchanges, uint32_t depth,
                                   struct cm_error *err);

#endif
