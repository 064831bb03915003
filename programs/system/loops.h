/*
 * Loops over local elements. A body is a piece of code for elements at fixed distances from an
 * address register. The loops run the body once for each value of some bits of the local element
 * number. Adjacent bits make one loop. Some of the bits may also number the entries of a table, and
 * then a second register moves along the table.
 */
#ifndef CM_PROGRAMS_SYSTEM_LOOPS_H
#define CM_PROGRAMS_SYSTEM_LOOPS_H

#include "allocation.h"
#include "emit.h"

struct cm_loop_level {
    uint64_t count; /* number of iterations */
    /* words that the element register and the table register advance after each iteration */
    int64_t data, entries;
};

struct cm_loops {
    /* nested loops, the innermost loop first */
    struct cm_loop_level levels[CM_LOGIC_DIMENSIONS_MAX];
    uint32_t level_count;
    uint32_t bodies; /* most bodies to emit in an iteration of the innermost loop */
    /* numbers of the address registers of the elements and of the table entries */
    unsigned data, entries;
    /* Emits one body of the innermost loop. The arguments are offsets in words: `data` from the
     * address register of the elements, and `entries` from the address register of the table. */
    void (*body)(void *context, int64_t data, int64_t entries);
    void *context;
};

/* Adds loops over the bits `bits` of the local element number. Bits that are also in `numbering`
 * number the table entries: the lowest of them is bit 0 of the entry's number. */
void cm_loops_add(struct cm_loops *loops, uint64_t bits, uint64_t numbering, uint32_t element_words,
                  uint64_t entry_words);
void cm_loops_emit(const struct cm_loops *loops, struct cm_imp *imp);

#endif
