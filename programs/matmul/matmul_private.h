/*
 * This header has data and functions that the files of the matrix product share. It is not
 * installed.
 *
 * A and B are treated in the same way, each as a *side*. Side 0 is A, whose long axis is the axis
 * of C's rows. Side 1 is B, whose long axis is the axis of C's columns. The other axis of a side is
 * k. In the work area a side is stored with its long axis first, so B is transposed there. A node's
 * block is then a sequence of lines, one for each k, and a range of k is contiguous.
 *
 * The grid has P x Q nodes. The axis of k is cut into max(P, Q) *chunks*. A node's block of A has
 * max(P, Q) / Q chunks, and its block of B has max(P, Q) / P. A *group* is 2^group_bits
 * neighbouring nodes along the axis of k. Blocks move from group to group, and chunks are broadcast
 * within a group. A *panel* is the memory area that receives what a node multiplies: a chunk that
 * is broadcast, or all blocks along k in an all-to-all product.
 */
#ifndef CM_PROGRAMS_MATMUL_MATMUL_PRIVATE_H
#define CM_PROGRAMS_MATMUL_MATMUL_PRIVATE_H

#include "../alltoall/alltoall.h"
#include "../system/axis_hops.h"
#include "../system/compiled_imps.h"
#include "../system/emit.h"
#include "matmul.h"

/* Arguments of the IMP, held in the address registers with the same numbers, and after them further
 * address registers, named REG_. A pair of registers is for A and B. */
enum {
    ADDRESS_SOURCE,
    ADDRESS_C = 2,
    ADDRESS_TABLES,
    ADDRESS_WORK,
    ADDRESS_PANEL = ADDRESS_WORK + 2,
    ARGUMENTS = ADDRESS_PANEL + 2,
    REG_CHUNK = ARGUMENTS,
    REG_OWNER = REG_CHUNK + 2,
    REG_STREAM = REG_OWNER + 2,
    REG_TILE = REG_STREAM + 2,
    REG_LINE = REG_TILE + 2,
    REG_C = REG_LINE + 2,
};

/* Words of the table in each node. TABLE_MASKS has a bit for nodes with padding along k, and a bit
 * for nodes that take part in step b of the skew (matmul_move.c). */
enum { TABLE_ZERO, TABLE_MASKS, TABLE_OWNERS };
#define PADDING_BIT(side, range) ((side)*3u + (range))
#define SKEW_BIT(side, step)     (8u + (side)*12u + (step))
/* bit of an owner's table word: this node owns the chunk in its group */
#define OWNER_BIT   31u
#define CROSSES_BIT 24u /* bit of a hop's table word: the node stores the words that arrive */

/* Shift of the blocks of a side by a number of groups, hop by hop. */
struct cm_matmul_shift {
    struct cm_hops hops;
    uint64_t table; /* number of the table word for the first hop */
};

struct cm_side {
    /* axis of k: its nodes, and the number of elements of a node in the work area */
    struct cm_axis along;
    struct cm_axis across;
    uint32_t group_bits;
    uint64_t chunks;      /* number of chunks in a node's block */
    uint64_t chunk_words; /* number of words of a chunk, not rounded up to units */
    uint64_t chunk_units; /* number of units of a chunk. A unit has one word for each channel */
    uint64_t block_units;
    /* True if the array is distributed over the nodes as the work area is. The order of elements
     * within a node may differ. */
    bool aligned;
    bool worked; /* true if the side has a work area */
    struct cm_range padding[3];
    uint32_t padding_count;
    /* True if an all-to-all broadcast brings the blocks of all nodes along k into the panel. */
    bool gathered;
    uint64_t owners; /* number of the table word for the first owner */
    struct cm_matmul_shift skew[12], step;
    uint64_t work, panel; /* addresses of the work area and of the panel in node memory */
    uint64_t work_words, panel_words;
};

struct cm_matmul {
    struct cm_matmul_task task;
    struct cm_side sides[2];
    uint32_t cannon_bits; /* log2 of the number of groups along k */
    uint64_t depth;       /* number of elements of a chunk along k */
    uint64_t channels;
    uint64_t exchanges, table_words;
    uint32_t tile[2], unroll;
    /* IMP of the whole product or, for an all-to-all product, of the part before its broadcasts. */
    struct cm_compiled *compiled;
    /* IMP of the part of an all-to-all product after its broadcasts */
    struct cm_compiled *products;
    struct cm_alltoall *gathers[2];
};

struct cm_matmul_compiler {
    struct cm_imp *imp;
    const struct cm_config *config;
    const struct cm_matmul *own;
};

/* Computes all members from own->task (matmul_plan.c). cm_matmul_fill_tables fills the tables. It
 * is a cm_table_fill, whose context is a struct cm_matmul_compiler. */
void cm_matmul_plan(const struct cm_config *config, struct cm_matmul *own);
void cm_matmul_fill_tables(const void *context, uint32_t nodes, uint32_t *planes);

/* These functions emit the movement of blocks (matmul_move.c). Skew and step move the blocks of A
 * and B to other groups. A spread brings the chunks at REG_CHUNK, which the nodes at REG_OWNER own,
 * to the panels of all nodes of the group. */
void cm_matmul_emit_skew(struct cm_matmul_compiler *c);
void cm_matmul_emit_step(struct cm_matmul_compiler *c);
void cm_matmul_emit_spread(struct cm_matmul_compiler *c);

/* Returns the arguments of the all-to-all broadcast of a side's blocks along the axis of k. */
struct cm_alltoall_task cm_matmul_gather_task(const struct cm_matmul *own, uint32_t side);
/* Emits moves that put the blocks of a side, after an all-to-all broadcast, into the order of k, in
 * place. */
void cm_matmul_emit_order(struct cm_matmul_compiler *c, uint32_t side);

/* These functions choose the shape of a tile, and emit C += panel of A * panel of B in every node
 * (matmul_kernel.c). */
void cm_matmul_choose_tile(struct cm_matmul *own);
void cm_matmul_emit_kernel(struct cm_matmul_compiler *c);

/* Sends the elements of A or B through the router to their places in the side's work area
 * (matmul_align.c). */
enum cm_status cm_matmul_align(struct cm_system *system, const struct cm_matmul *own, uint32_t side,
                               const struct cm_array *source, struct cm_error *err);
enum cm_status cm_matmul_align_check(struct cm_system *system, const struct cm_matmul *own,
                                     struct cm_error *err);

/* Begins a loop, or emits nothing if it has a single iteration. The result is for cm_matmul_next,
 * which ends the loop. */
static inline uint32_t cm_matmul_loop(struct cm_imp *imp, uint64_t count)
{
    return count > 1 ? CM_EMIT(imp, CM_OP_LOOP, cm_value((int64_t)count)) : 0;
}

static inline void cm_matmul_next(struct cm_imp *imp, uint64_t count, uint32_t start)
{
    if (count > 1)
        cm_emit_next(imp, start);
}

/* True if the chunks of a side are broadcast within groups, one after the other. */
static inline bool cm_matmul_spreads(const struct cm_side *side)
{
    return side->group_bits > 0 && !side->gathered;
}

/* Returns the register that points to the panel of a side that is multiplied next. It is a chunk
 * after its spread, or a chunk of the node's block. */
static inline unsigned cm_matmul_panel(const struct cm_side *side, unsigned number)
{
    return cm_matmul_spreads(side) ? ADDRESS_PANEL + number : REG_CHUNK + number;
}

#endif
