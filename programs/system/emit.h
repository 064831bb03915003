/* Pieces of IMP that several compilers emit. */
#ifndef CM_PROGRAMS_SYSTEM_EMIT_H
#define CM_PROGRAMS_SYSTEM_EMIT_H

#include "../../isa/imp.h"
#include "axis_parts.h"

/* An address in an IMP: a register and an offset in words. */
struct cm_place {
    unsigned reg;
    int64_t offset;
};

/*
 * Moves runs of elements within nodes: one move, or a loop of moves that advances the two scratch
 * registers. src and dst have the same run length and number of rows.
 */
void cm_emit_moves(struct cm_imp *imp, const struct cm_runs *dst, struct cm_place dst_place,
                   const struct cm_runs *src, struct cm_place src_place, uint32_t slices,
                   const unsigned scratch[2]);

/* Closes the loop that instruction `start` began. */
void cm_emit_next(struct cm_imp *imp, uint32_t start);

/* Sets a register to an address argument plus an offset, without waste. */
void cm_emit_argument(struct cm_imp *imp, unsigned reg, uint32_t argument, int64_t offset);

#endif
