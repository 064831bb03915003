/*
 * This header has data and functions that the files of the all-to-all compiler share. It is not
 * installed.
 *
 * The position of a block is its number in the order of arrival. Positions are the same in all
 * nodes. The exchanges (alltoall_exchange.c) work on positions. The reordering (alltoall_reorder.c)
 * moves blocks from their positions to the addresses of their senders.
 *
 * The words of a block are distributed to parts. Part i uses the cube dimensions rotated by i: the
 * word at position p comes from the node whose address differs in the bits rotate(g, i), where g is
 * p or its Gray code.
 */
#ifndef CM_PROGRAMS_ALLTOALL_ALLTOALL_PRIVATE_H
#define CM_PROGRAMS_ALLTOALL_ALLTOALL_PRIVATE_H

#include "../system/compiled_imps.h"
#include "../system/emit.h"
#include "alltoall.h"
#include "hamiltonian.h"

/* Arguments of the IMPs, held in the address registers with the same numbers, and after them
 * further address registers, named REG_. */
enum {
    ADDRESS_SRC,
    ADDRESS_DST,
    ADDRESS_TABLES,
    ADDRESS_WORK,
    ARGUMENTS,
    REG_CHUNK = ARGUMENTS,
    REG_BLOCK,
    REG_TABLE,
    REG_FROM,
    REG_TO,
};
#define CM_ALLTOALL_ARGUMENTS "src dst tables work"

struct cm_alltoall {
    struct cm_alltoall_task task;
    uint32_t channels;
    uint32_t parts;  /* number of parts of a block: d, or 1 if one dimension works at a time */
    uint64_t chunk;  /* number of words of a block that cross in one exchange */
    uint8_t *cycles; /* Hamiltonian cycles (hamiltonian.h), or NULL for other algorithms */
    /* For the Gray code: log2 of the steps from one step that uses a table to the next. So 2^direct
     * - 1 steps in a row need no table. */
    uint32_t direct;
    uint64_t table_words;
    /* number of words of the work area, in which blocks wait to be reordered, and its address */
    uint64_t work_words, work;
    struct cm_compiled *compiled;
};

struct cm_alltoall_compiler {
    struct cm_imp *imp;
    const struct cm_config *config;
    const struct cm_alltoall *own;
};

static inline uint64_t cm_alltoall_blocks(const struct cm_alltoall *own)
{
    return UINT64_C(1) << own->task.dimensions;
}
/* True if blocks go through the router. In a group of one node no block is sent, and an IMP copies
 * the node's own block. */
static inline bool cm_alltoall_uses_router(const struct cm_alltoall *own)
{
    return own->task.algorithm == CM_ALLTOALL_ROUTER && own->task.dimensions > 0;
}
/* True if each node reorders its blocks, from positions to addresses or from addresses to
 * positions. */
static inline bool cm_alltoall_reorders(const struct cm_alltoall *own)
{
    return own->task.kind != CM_ALLTOALL_ONE_TO_ALL && own->task.order == CM_ALLTOALL_BY_SOURCE &&
           own->task.dimensions > 0 && own->task.algorithm != CM_ALLTOALL_ROUTER;
}

/* Dimensions at a node along the Hamiltonian cycle of a part: `out` over which the node sends, `in`
 * over which words come to it. */
struct cm_alltoall_turn {
    uint32_t out, in;
};
struct cm_alltoall_turn cm_alltoall_turn(const struct cm_alltoall *own, uint32_t part,
                                         uint32_t node);

/* Compiles the exchanges of a communication, with blocks numbered by position
 * (alltoall_exchange.c). */
struct cm_imp *cm_alltoall_compile_exchanges(const struct cm_config *config,
                                             const struct cm_alltoall *own);
/* Compiles one-to-each, with blocks numbered by position in the work area (alltoall_exchange.c). */
struct cm_imp *cm_alltoall_compile_halves(const struct cm_config *config,
                                          const struct cm_alltoall *own);
/* Returns `direct`: the log2 of the number of Gray code steps between two that use a table. It is
 * the largest value for which the code takes at most `words` SRAM words. */
uint32_t cm_alltoall_direct_steps(const struct cm_alltoall *own, uint64_t words);
/* Returns the number of words that the table has in each node. cm_alltoall_fill_table fills these
 * words. It is a cm_table_fill, whose context is a struct cm_alltoall_table. */
uint64_t cm_alltoall_step_table(const struct cm_alltoall *own);
struct cm_alltoall_table {
    const struct cm_alltoall *own;
    const struct cm_config *config;
};
void cm_alltoall_fill_table(const void *context, uint32_t nodes, uint32_t *planes);

/* Compiles the reordering of blocks from positions in the work area to addresses in `dst`
 * (alltoall_reorder.c). */
struct cm_imp *cm_alltoall_compile_reorder(const struct cm_config *config,
                                           const struct cm_alltoall *own);
/* Compiles the reordering of blocks from addresses in `src` to positions in the work area
 * (alltoall_reorder.c). */
struct cm_imp *cm_alltoall_compile_distribute(const struct cm_config *config,
                                              const struct cm_alltoall *own);

/* Adds the IMPs that reorder blocks after Hamiltonian cycles (alltoall_unwind.c). An IMP without a
 * loop has at most `words` words. cm_alltoall_fill_places fills the planes of the table that say
 * how far each node rotates its blocks. */
enum cm_status cm_alltoall_add_unwind(const struct cm_config *config, const struct cm_alltoall *own,
                                      uint64_t words, struct cm_error *err);
void cm_alltoall_fill_places(const struct cm_alltoall *own, uint32_t nodes, uint32_t *planes);

/* Units of a part of a block, one in each chunk. A whole unit has a word for each channel. If
 * `single` is true, a unit of one word follows the whole units. */
struct cm_alltoall_units {
    uint64_t whole;
    bool single;
};
struct cm_alltoall_units cm_alltoall_units(const struct cm_alltoall *own, uint32_t part);

/* Returns the highest level that a node has in the trees over d dimensions (alltoall_trees.c). It
 * is the level of a last child of the node whose bits are all 1. With one dimension there is no
 * last child. */
static inline uint32_t cm_alltoall_tree_height(uint32_t d)
{
    return d > 1 ? d + 1 : d;
}

/* True if the words of each full chunk are in the order of the dimensions over which the node sends
 * them on (alltoall_departure.c). */
static inline bool cm_alltoall_departs(const struct cm_alltoall *own)
{
    return own->task.order == CM_ALLTOALL_BY_DEPARTURE;
}
/* Returns the number of words of a block that are in full chunks. In a result by departure, only
 * these words are permuted. */
uint64_t cm_alltoall_departure_words(const struct cm_alltoall *own);
/* Returns the number of the part that is at a place of a full chunk in the node with this
 * address. */
uint32_t cm_alltoall_part_at(const struct cm_alltoall *own, uint32_t address, uint32_t place);
/* Fills those planes (one word of each node) of the communication table that serve the order of
 * departure. There is one such plane for each dimension of the group. */
void cm_alltoall_fill_departures(const struct cm_alltoall_table *table, uint32_t nodes,
                                 uint32_t *planes);
/* Emits the code that brings the node's own chunk at REG_BLOCK from the order of the parts into the
 * order of departure. */
void cm_alltoall_emit_departures(const struct cm_alltoall_compiler *c);
/* Emits one exchange of a full chunk with the neighbours around the Hamiltonian cycles. The chunk
 * that is sent is at REG_BLOCK + `from`, and the chunk that arrives goes to REG_BLOCK + `to`. */
void cm_alltoall_emit_departure_step(const struct cm_alltoall_compiler *c, int64_t from,
                                     int64_t to);

struct cm_imp *cm_alltoall_compile_trees(const struct cm_config *config,
                                         const struct cm_alltoall *own);
/* These functions return the number of words of the work area and of the table for the trees.
 * cm_alltoall_fill_trees fills the table. */
uint64_t cm_alltoall_tree_words(const struct cm_alltoall *own);
uint64_t cm_alltoall_tree_table(const struct cm_alltoall *own);
void cm_alltoall_fill_trees(const struct cm_alltoall_table *table, uint32_t nodes,
                            uint32_t *planes);

/* Returns the number of packets of a block (alltoall_router.c). */
uint64_t cm_alltoall_packets(const struct cm_config *config, uint64_t words);
enum cm_status cm_alltoall_route(struct cm_system *system, const struct cm_alltoall *own,
                                 uint64_t dst, uint64_t src, struct cm_error *err);

#endif
