/*
 * What the files of the all-to-all compiler share. Not installed.
 *
 * Blocks are numbered by position: that in which they arrive. A block's words go in parts, part i
 * over dimensions rotated by i: its word at position p comes from the node that differs in
 * rotate(p or its Gray code, i). The exchanges (alltoall_exchange.c) work on positions, which are
 * the same in all nodes; the reordering (alltoall_reorder.c) takes positions to addresses.
 */
#ifndef CM_PROGRAMS_ALLTOALL_ALLTOALL_PRIVATE_H
#define CM_PROGRAMS_ALLTOALL_ALLTOALL_PRIVATE_H

#include "../system/compiled_imps.h"
#include "../system/emit.h"
#include "alltoall.h"
#include "hamiltonian.h"

/* The arguments of the IMPs, in the address registers of the same number; then those that move. */
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
    uint32_t parts;  /* of a block: d, or 1 where one dimension works at a time */
    uint64_t chunk;  /* words of a block that cross in one exchange */
    uint8_t *cycles; /* Hamiltonian: hamiltonian.h; else NULL */
    uint32_t direct; /* Gray code: log2 of the steps without table, between two with */
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
/* Whether blocks go through the router. A group of one node sends nothing: an IMP copies its
 * blocks. */
static inline bool cm_alltoall_uses_router(const struct cm_alltoall *own)
{
    return own->task.algorithm == CM_ALLTOALL_ROUTER && own->task.dimensions > 0;
}
/* Whether blocks are reordered in the node. */
static inline bool cm_alltoall_reorders(const struct cm_alltoall *own)
{
    return own->task.kind != CM_ALLTOALL_ONE_TO_ALL && own->task.order == CM_ALLTOALL_BY_SOURCE &&
           own->task.dimensions > 0 && own->task.algorithm != CM_ALLTOALL_ROUTER;
}

/* From `node` on along the path of a part: the dimensions over which it sends, and over which
 * words come to it. */
struct cm_alltoall_turn {
    uint32_t out, in;
};
struct cm_alltoall_turn cm_alltoall_turn(const struct cm_alltoall *own, uint32_t part,
                                         uint32_t node);

/* alltoall_exchange.c */

/* The exchanges, on blocks by position from the address in `blocks`. */
struct cm_imp *cm_alltoall_compile_exchanges(const struct cm_config *config,
                                             const struct cm_alltoall *own);
/* One-to-each, from positions in the work area. */
struct cm_imp *cm_alltoall_compile_halves(const struct cm_config *config,
                                          const struct cm_alltoall *own);
/* How many steps of the Gray code go without a table, so that the code takes at most `words`. */
uint32_t cm_alltoall_direct_steps(const struct cm_alltoall *own, uint64_t words);
/* Words of the table; fills it (a cm_table_fill; the context is a struct cm_alltoall_table). */
uint64_t cm_alltoall_step_table(const struct cm_alltoall *own);
struct cm_alltoall_table {
    const struct cm_alltoall *own;
    const struct cm_config *config;
};
void cm_alltoall_fill_table(const void *context, uint32_t nodes, uint32_t *planes);

/* alltoall_reorder.c */

/* From positions in the work area to addresses in dst. */
struct cm_imp *cm_alltoall_compile_reorder(const struct cm_config *config,
                                           const struct cm_alltoall *own);
/* From addresses in src to positions in the work area. */
struct cm_imp *cm_alltoall_compile_distribute(const struct cm_config *config,
                                              const struct cm_alltoall *own);

/* alltoall_unwind.c: the same around Hamiltonian cycles. Adds IMPs, those without loops of at most
 * `words`; fills the planes of the table that say by how much a node's blocks are rotated. */
enum cm_status cm_alltoall_add_unwind(const struct cm_config *config, const struct cm_alltoall *own,
                                      uint64_t words, struct cm_error *err);
void cm_alltoall_fill_places(const struct cm_alltoall *own, uint32_t nodes, uint32_t *planes);

/* The units of a part, of a word for each channel; whether there is a single word after them. */
struct cm_alltoall_units {
    uint64_t whole;
    bool single;
};
struct cm_alltoall_units cm_alltoall_units(const struct cm_alltoall *own, uint32_t part);

/* alltoall_trees.c */

/* The highest level of a node in the trees over d dimensions: a last child of the node whose bits
 * are all 1; one dimension has no such child. */
static inline uint32_t cm_alltoall_tree_height(uint32_t d)
{
    return d > 1 ? d + 1 : d;
}

struct cm_imp *cm_alltoall_compile_trees(const struct cm_config *config,
                                         const struct cm_alltoall *own);
/* Words of the work area and of the table; fills the table. */
uint64_t cm_alltoall_tree_words(const struct cm_alltoall *own);
uint64_t cm_alltoall_tree_table(const struct cm_alltoall *own);
void cm_alltoall_fill_trees(const struct cm_alltoall_table *table, uint32_t nodes,
                            uint32_t *planes);

/* alltoall_router.c */

/* Packets of a block. */
uint64_t cm_alltoall_packets(const struct cm_config *config, uint64_t words);
enum cm_status cm_alltoall_route(struct cm_system *system, const struct cm_alltoall *own,
                                 uint64_t dst, uint64_t src, struct cm_error *err);

#endif
