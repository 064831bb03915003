/*
 * Data and functions that the files of the all-to-all compiler share. Not installed.
 *
 * The position of a block is its number in the order of arrival. Positions are the same in all
 * nodes. The exchanges (alltoall_exchange.c) work on positions. The reordering (alltoall_reorder.c)
 * takes positions to addresses.
 *
 * The words of a block go to parts. Part i uses dimensions rotated by i: the word at position p
 * comes from the node that differs in rotate(g, i), where g is p or its Gray code.
 */
#ifndef CM_PROGRAMS_ALLTOALL_ALLTOALL_PRIVATE_H
#define CM_PROGRAMS_ALLTOALL_ALLTOALL_PRIVATE_H

#include "../system/compiled_imps.h"
#include "../system/emit.h"
#include "alltoall.h"
#include "hamiltonian.h"

/* Arguments of the IMPs, in the address registers with the same numbers. The registers REG_ come
 * after them. */
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
    uint32_t parts;  /* parts of a block: d, or 1 if one dimension works at a time */
    uint64_t chunk;  /* words of a block that cross in one exchange */
    uint8_t *cycles; /* the cycles of hamiltonian.h, or NULL for other algorithms */
    /* Gray code: 2^direct - 1 steps go without a table between two steps that use it */
    uint32_t direct;
    uint64_t table_words;
    uint64_t work_words, work; /* room for the blocks before they are reordered, and its address */
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
/* True if blocks go through the router. A group of one node sends nothing, so an IMP copies its
 * blocks. */
static inline bool cm_alltoall_uses_router(const struct cm_alltoall *own)
{
    return own->task.algorithm == CM_ALLTOALL_ROUTER && own->task.dimensions > 0;
}
/* True if blocks are reordered in the node, from positions to addresses or back. */
static inline bool cm_alltoall_reorders(const struct cm_alltoall *own)
{
    return own->task.kind != CM_ALLTOALL_ONE_TO_ALL && own->task.order == CM_ALLTOALL_BY_SOURCE &&
           own->task.dimensions > 0 && own->task.algorithm != CM_ALLTOALL_ROUTER;
}

/* Dimensions of a node along the path of a part: `out` over which it sends, `in` over which words
 * come to it. */
struct cm_alltoall_turn {
    uint32_t out, in;
};
struct cm_alltoall_turn cm_alltoall_turn(const struct cm_alltoall *own, uint32_t part,
                                         uint32_t node);

/* Compiles the exchanges, on blocks by position (alltoall_exchange.c). */
struct cm_imp *cm_alltoall_compile_exchanges(const struct cm_config *config,
                                             const struct cm_alltoall *own);
/* Compiles one-to-each, from positions in the work area (alltoall_exchange.c). */
struct cm_imp *cm_alltoall_compile_halves(const struct cm_config *config,
                                          const struct cm_alltoall *own);
/* Returns `direct`: the log2 of the steps of the Gray code that are emitted without a table. The
 * code takes at most `words` SRAM words. */
uint32_t cm_alltoall_direct_steps(const struct cm_alltoall *own, uint64_t words);
/* Returns the words of the table in each node. cm_alltoall_fill_table fills them. It is a
 * cm_table_fill, whose context is a struct cm_alltoall_table. */
uint64_t cm_alltoall_step_table(const struct cm_alltoall *own);
struct cm_alltoall_table {
    const struct cm_alltoall *own;
    const struct cm_config *config;
};
void cm_alltoall_fill_table(const void *context, uint32_t nodes, uint32_t *planes);

/* Compiles the reordering from positions in the work area to addresses in dst
 * (alltoall_reorder.c). */
struct cm_imp *cm_alltoall_compile_reorder(const struct cm_config *config,
                                           const struct cm_alltoall *own);
/* Compiles the reordering from addresses in src to positions in the work area
 * (alltoall_reorder.c). */
struct cm_imp *cm_alltoall_compile_distribute(const struct cm_config *config,
                                              const struct cm_alltoall *own);

/* Adds the IMPs of the reordering after Hamiltonian cycles (alltoall_unwind.c). IMPs without loops
 * have at most `words` words. cm_alltoall_fill_places fills the planes of the table that hold the
 * rotation of each node's blocks. */
enum cm_status cm_alltoall_add_unwind(const struct cm_config *config, const struct cm_alltoall *own,
                                      uint64_t words, struct cm_error *err);
void cm_alltoall_fill_places(const struct cm_alltoall *own, uint32_t nodes, uint32_t *planes);

/* Units of a part, one in each chunk of a block. A whole unit has a word for each channel.
 * `single`: one more word comes after the whole units. */
struct cm_alltoall_units {
    uint64_t whole;
    bool single;
};
struct cm_alltoall_units cm_alltoall_units(const struct cm_alltoall *own, uint32_t part);

/* Returns the highest level of a node in the trees over d dimensions (alltoall_trees.c). It is the
 * level of a last child of the node whose bits are all 1. With one dimension there is no last
 * child. */
static inline uint32_t cm_alltoall_tree_height(uint32_t d)
{
    return d > 1 ? d + 1 : d;
}

/* True if the words of full chunks are in the order of departure (alltoall_departure.c). */
static inline bool cm_alltoall_departs(const struct cm_alltoall *own)
{
    return own->task.order == CM_ALLTOALL_BY_DEPARTURE;
}
/* Returns the words of a block in full chunks, which are in the order of departure. */
uint64_t cm_alltoall_departure_words(const struct cm_alltoall *own);
/* Returns the part at a place of a chunk in the node with this address. */
uint32_t cm_alltoall_part_at(const struct cm_alltoall *own, uint32_t address, uint32_t place);
/* Fills the planes of the table that order departures, one for each dimension. */
void cm_alltoall_fill_departures(const struct cm_alltoall_table *table, uint32_t nodes,
                                 uint32_t *planes);
/* Emits the order of departure for the node's own chunk at REG_BLOCK, which is by parts. */
void cm_alltoall_emit_departures(const struct cm_alltoall_compiler *c);
/* Emits a step of a full chunk around the cycles, with offsets from REG_BLOCK. */
void cm_alltoall_emit_departure_step(const struct cm_alltoall_compiler *c, int64_t from,
                                     int64_t to);

struct cm_imp *cm_alltoall_compile_trees(const struct cm_config *config,
                                         const struct cm_alltoall *own);
/* Return the words of the work area and of the table. cm_alltoall_fill_trees fills the table. */
uint64_t cm_alltoall_tree_words(const struct cm_alltoall *own);
uint64_t cm_alltoall_tree_table(const struct cm_alltoall *own);
void cm_alltoall_fill_trees(const struct cm_alltoall_table *table, uint32_t nodes,
                            uint32_t *planes);

/* Returns the packets of a block (alltoall_router.c). */
uint64_t cm_alltoall_packets(const struct cm_config *config, uint64_t words);
enum cm_status cm_alltoall_route(struct cm_system *system, const struct cm_alltoall *own,
                                 uint64_t dst, uint64_t src, struct cm_error *err);

#endif
