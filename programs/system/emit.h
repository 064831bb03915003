/*
 * Pieces of IMP that several compilers emit.
 *
 * What an exchange carries is loaded into slots of transposer A first and unloaded from transposer
 * B afterwards. Where all nodes use one cube dimension, the instructions name the slots. Where each
 * node has its own, a word of a communication table in node memory names them, one byte for each
 * word sent or received:
 *
 *     byte 0      slot of the first word sent; the second is half a transposer further on
 *     bytes 1, 2  slots of the first and of the second word received
 *
 * All nodes take part in an exchange, so a node that keeps its words sends them to itself over the
 * chip-to-chip wire: the first from slot 0 to slots / 2, the second the other way.
 */
#ifndef CM_PROGRAMS_SYSTEM_EMIT_H
#define CM_PROGRAMS_SYSTEM_EMIT_H

#include "../../isa/imp.h"
#include "../../sim/machine/machine.h"
#include "axis_parts.h"

/* An address in an IMP: a register and an offset in words. */
struct cm_place {
    unsigned reg;
    int64_t offset;
};

/* The FPU's instructions on one width of component. */
struct cm_fpu_ops {
    enum cm_op load, store, scalar, add, subtract, multiply, multiply_add;
};
const struct cm_fpu_ops *cm_fpu_ops(enum cm_type type);

/*
 * An IMP whose first arguments are the addresses of these names (separated by blanks): argument i
 * is in address register i from the start. NULL when out of memory.
 */
struct cm_imp *cm_emit_begin(const char *name, const char *addresses);
/* Ends an IMP and returns it. Frees it and returns NULL when memory ran out; NULL stays NULL. */
struct cm_imp *cm_emit_end(struct cm_imp *imp);

/*
 * Moves runs of elements within nodes: one move, or a loop of moves that advances the two scratch
 * registers. src and dst have the same run length and number of rows.
 */
void cm_emit_moves(struct cm_imp *imp, const struct cm_runs *dst, struct cm_place dst_place,
                   const struct cm_runs *src, struct cm_place src_place, uint32_t slices,
                   const unsigned scratch[2]);
/* Moves neighbouring words within nodes. */
void cm_emit_move(struct cm_imp *imp, struct cm_place dst, struct cm_place src, uint64_t words);

/* Closes the loop that instruction `start` began. */
void cm_emit_next(struct cm_imp *imp, uint32_t start);
/* Sets an address register to another's address plus an offset. */
void cm_emit_point(struct cm_imp *imp, unsigned reg, unsigned from, int64_t offset);
/* Adds to an address register, unless the sum is 0. */
void cm_emit_advance(struct cm_imp *imp, unsigned reg, int64_t words);

/* Sets a register to an address argument plus an offset. */
void cm_emit_argument(struct cm_imp *imp, unsigned reg, uint32_t argument, int64_t offset);

/* Loads what goes out over a cube dimension in the next exchange, one word per channel; unloads
 * what came in. */
void cm_emit_send(struct cm_imp *imp, const struct cm_config *config, uint32_t dimension,
                  struct cm_place from, uint32_t words);
void cm_emit_receive(struct cm_imp *imp, const struct cm_config *config, uint32_t dimension,
                     struct cm_place to, uint32_t words);
/* The same, with the slots in a table's word. */
void cm_emit_send_by(struct cm_imp *imp, struct cm_place table, struct cm_place from,
                     uint32_t words);
void cm_emit_receive_by(struct cm_imp *imp, struct cm_place table, struct cm_place to,
                        uint32_t words);
void cm_emit_exchange(struct cm_imp *imp);

/* The table's word for a node that keeps its words. The parts of the word for a node that sends
 * over one cube dimension, and receives over one. */
#define CM_HOP_OUT 0xffu /* byte 0 of a word */
uint32_t cm_hop_stays(const struct cm_config *config);
uint32_t cm_hop_sends(const struct cm_config *config, uint32_t dimension);
uint32_t cm_hop_receives(const struct cm_config *config, uint32_t dimension);

#endif
