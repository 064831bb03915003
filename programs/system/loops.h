/*
 * Loops over local elements: bodies that work on elements at fixed distances from one that moves,
 * once for each value of some of the local bits. Neighbouring bits make one loop. Some of the bits
 * may number the entries of a table, whose pointer then moves along.
 */
#ifndef CM_PROGRAMS_SYSTEM_LOOPS_H
#define CM_PROGRAMS_SYSTEM_LOOPS_H

#include "allocation.h"
#include "emit.h"

struct cm_loop_level {
    uint64_t count;        /* iterations */
    int64_t data, entries; /* words to advance after each */
};

struct cm_loops {
    struct cm_loop_level levels[CM_LOGIC_DIMENSIONS_MAX]; /* the innermost first */
    uint32_t level_count;
    uint32_t bodies;        /* at most so many in an iteration of the innermost loop */
    unsigned data, entries; /* address registers */
    /* Emits a body, `data` and `entries` words from where the registers point. */
    void (*body)(void *context, int64_t data, int64_t entries);
    void *context;
};

/* Adds the loops over `bits` of the local element number, of which those in `numbering` number
 * entries, ascending. */
void cm_loops_add(struct cm_loops *loops, uint64_t bits, uint64_t numbering, uint32_t element_words,
                  uint64_t entry_words);
void cm_loops_emit(const struct cm_loops *loops, struct cm_imp *imp);

#endif
