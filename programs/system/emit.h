/*
 * Pieces of IMP that several compilers emit.
 *
 * Before an exchange, words are loaded into slots of transposer A. Afterwards, words are unloaded
 * from slots of transposer B. If all nodes use the same cube dimension, the instructions name the
 * slots. If each node has its own dimension, a communication table in node memory names the slots.
 * A word of the table has one byte for each word sent or received:
 *
 *   byte 0      slot of the first word sent. The second is half a transposer further on
 *   bytes 1, 2  slots of the first and of the second word received
 *
 * All nodes take part in an exchange. A node that keeps its words sends them to itself over the
 * chip-to-chip wire: the first word from slot 0 to slot slots / 2, the second word from slot slots
 * / 2 to slot 0.
 */
#ifndef CM_PROGRAMS_SYSTEM_EMIT_H
#define CM_PROGRAMS_SYSTEM_EMIT_H

#include "../../isa/imp.h"
#include "../../sim/machine/machine.h"
#include "axis_parts.h"

/* An address in an IMP: an address register and an offset in words. */
struct cm_place {
    unsigned reg;
    int64_t offset;
};

/* The FPU instructions for components of one width: 32 or 64 bits. */
struct cm_fpu_ops {
    enum cm_op load, store, scalar, add, subtract, multiply, multiply_add;
};
const struct cm_fpu_ops *cm_fpu_ops(enum cm_type type);

/*
 * Begins an IMP whose first arguments are addresses. `addresses` lists the names of these
 * arguments, separated by blanks. The IMP begins with instructions that set address register i to
 * argument i. Returns NULL if memory runs out.
 */
struct cm_imp *cm_emit_begin(const char *name, const char *addresses);
/* Ends an IMP with a halt and returns it. If memory ran out, frees the IMP and returns NULL. Does
 * nothing with a NULL IMP. */
struct cm_imp *cm_emit_end(struct cm_imp *imp);

/* Runs of elements within an array (axis_parts.h), and the place of the array. */
struct cm_placed_runs {
    struct cm_runs runs;
    struct cm_place array;
};

/*
 * Moves runs of elements within nodes, by one move instruction or by a loop of them that advances
 * the two scratch registers. The runs of src and dst have equal lengths and numbers of rows.
 */
void cm_emit_moves(struct cm_imp *imp, struct cm_placed_runs dst, struct cm_placed_runs src,
                   uint32_t slices, const unsigned scratch[2]);
/* Moves consecutive words within nodes. */
void cm_emit_move(struct cm_imp *imp, struct cm_place dst, struct cm_place src, uint64_t words);

/* Closes the loop that instruction `start` began. */
void cm_emit_next(struct cm_imp *imp, uint32_t start);
/* Sets an address register to the address in another register plus an offset in words. */
void cm_emit_point(struct cm_imp *imp, unsigned reg, unsigned from, int64_t offset);
/* Adds `words` to an address register. Emits nothing for 0 words. */
void cm_emit_advance(struct cm_imp *imp, unsigned reg, int64_t words);

/* Sets an address register to an address argument of the IMP plus an offset in words. */
void cm_emit_argument(struct cm_imp *imp, unsigned reg, uint32_t argument, int64_t offset);

/* These functions load the words that leave over a cube dimension in the next exchange (send), or
 * unload the words that came over a dimension (receive). There is one word for each channel of the
 * dimension. */
void cm_emit_send(struct cm_imp *imp, const struct cm_config *config, uint32_t dimension,
                  struct cm_place from, uint32_t words);
void cm_emit_receive(struct cm_imp *imp, const struct cm_config *config, uint32_t dimension,
                     struct cm_place to, uint32_t words);
/* These functions load and unload words like cm_emit_send and cm_emit_receive. The slots come from
 * a word of a communication table. */
void cm_emit_send_by(struct cm_imp *imp, struct cm_place table, struct cm_place from,
                     uint32_t words);
void cm_emit_receive_by(struct cm_imp *imp, struct cm_place table, struct cm_place to,
                        uint32_t words);
void cm_emit_exchange(struct cm_imp *imp);

/* These functions compute bytes of a communication table's word. cm_hop_stays gives the whole word
 * for a node that keeps its words. cm_hop_sends gives byte 0, for words sent over a dimension, and
 * cm_hop_receives gives bytes 1 and 2, for words received over a dimension. */
#define CM_HOP_OUT 0xffu /* mask of byte 0 of a table word */
uint32_t cm_hop_stays(const struct cm_config *config);
uint32_t cm_hop_sends(const struct cm_config *config, uint32_t dimension);
uint32_t cm_hop_receives(const struct cm_config *config, uint32_t dimension);

#endif
