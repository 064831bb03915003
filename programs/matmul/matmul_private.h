/*
 * Data and functions that the files of the matrix product share. Not installed.
 *
 * Both factors are treated in the same way, as a *side*. Side 0 is A, whose long axis is the axis
 * of C's rows. Side 1 is B, whose long axis is the axis of C's columns. The other axis of both is
 * k. In the work area a side lies with its long axis first, so B is transposed there. A node's
 * block is then a sequence of lines, one for each k, and a range of k is contiguous.
 *
 * The grid has P x Q nodes. The axis of k is cut into max(P, Q) *chunks*. A node's block of A has
 * max(P, Q) / Q chunks, its block of B max(P, Q) / P. A *group* is 2^group_bits neighbouring nodes
 * along the axis of k. Blocks move from group to group, and chunks are broadcast within a group.
 */
#ifndef CM_PROGRAMS_MATMUL_MATMUL_PRIVATE_H
#define CM_PROGRAMS_MATMUL_MATMUL_PRIVATE_H

#include "../alltoall/alltoall.h"
#include "../system/axis_hops.h"
#include "../system/compiled_imps.h"
#include "../system/emit.h"
#include "matmul.h"

/* Arguments of the IMP, in the address registers with the same numbers. Pairs are for A and B. The
 * registers REG_ come after them. */
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

/* Words of the tables. TABLE_MASKS has a bit for nodes with padding along k, and a bit for nodes
 * that take part in step b of the skew. */
enum { TABLE_ZERO, TABLE_MASKS, TABLE_OWNERS };
#define PADDING_BIT(side, range) ((side)*3u + (range))
#define SKEW_BIT(side, step)     (8u + (side)*12u + (step))
/* bit of an owner's word: this node is the owner in its group */
#define OWNER_BIT   31u
#define CROSSES_BIT 24u /* bit of a hop's word: the node stores the words that come */

/* Shift of blocks by a number of groups, hop by hop. */
struct cm_matmul_shift {
    struct cm_hops hops;
    uint64_t table; /* table word of the first hop */
};

struct cm_side {
    struct cm_axis along; /* axis of k: its nodes, and the elements of a node in the work area */
    struct cm_axis across;
    uint32_t group_bits;
    uint64_t chunks;      /* chunks in a node's block */
    uint64_t chunk_words; /* words of a chunk, not rounded up */
    uint64_t chunk_units; /* units of a chunk, of one word for each channel */
    uint64_t block_units;
    /* True if the array has the blocks that the work area needs. The order within a node may
     * differ. */
    bool aligned;
    bool worked; /* True if the side has a work area. */
    struct cm_range padding[3];
    uint32_t padding_count;
    /* True if an all-to-all broadcast brings the blocks of all nodes along k to the panel. */
    bool gathered;
    uint64_t owners; /* table word of the first owner */
    struct cm_matmul_shift skew[12], step;
    uint64_t work, panel; /* addresses of the work area and of the panel */
    uint64_t work_words, panel_words;
};

struct cm_matmul {
    struct cm_matmul_task task;
    struct cm_side sides[2];
    uint32_t cannon_bits; /* log2 of the groups along k */
    uint64_t depth;       /* elements of a chunk along k */
    uint64_t channels;
    uint64_t exchanges, table_words;
    uint32_t tile[2], unroll;
    /* the whole product, or for an all-to-all product the part before its broadcasts */
    struct cm_compiled *compiled;
    struct cm_compiled *products; /* the part of an all-to-all product after its broadcasts */
    struct cm_alltoall *gathers[2];
};

struct cm_matmul_compiler {
    struct cm_imp *imp;
    const struct cm_config *config;
    const struct cm_matmul *own;
};

/* Derives all members from the task (matmul_plan.c). cm_matmul_fill_tables fills the tables. It is
 * a cm_table_fill, whose context is a struct cm_matmul_compiler. */
void cm_matmul_plan(const struct cm_config *config, struct cm_matmul *own);
void cm_matmul_fill_tables(const void *context, uint32_t nodes, uint32_t *planes);

/* Emit the movement of blocks (matmul_move.c). Skew and step move the blocks of both sides. A
 * spread brings the chunks at REG_CHUNK, of the owners at REG_OWNER, to the panels. */
void cm_matmul_emit_skew(struct cm_matmul_compiler *c);
void cm_matmul_emit_step(struct cm_matmul_compiler *c);
void cm_matmul_emit_spread(struct cm_matmul_compiler *c);

/* Returns the all-to-all broadcast of a side's blocks along the axis of k. */
struct cm_alltoall_task cm_matmul_gather_task(const struct cm_matmul *own, uint32_t side);
/* Emits moves that put the gathered blocks of a side into the order of k, in place. */
void cm_matmul_emit_order(struct cm_matmul_compiler *c, uint32_t side);

/* Choose the shape of a tile, and emit C += panel of A * panel of B in every node
 * (matmul_kernel.c). */
void cm_matmul_choose_tile(struct cm_matmul *own);
void cm_matmul_emit_kernel(struct cm_matmul_compiler *c);

/* Sends the elements of a factor to their places in its side's work area, by the router
 * (matmul_align.c). */
enum cm_status cm_matmul_align(struct cm_system *system, const struct cm_matmul *own, uint32_t side,
                               const struct cm_array *source, struct cm_error *err);
enum cm_status cm_matmul_align_check(struct cm_system *system, const struct cm_matmul *own,
                                     struct cm_error *err);

/* Begins a loop, or nothing for a single iteration. The result is for cm_matmul_next, which ends
 * the loop. */
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

/* Returns the register that points to the panel to multiply next: a chunk after its spread, or a
 * chunk of a block. */
static inline unsigned cm_matmul_panel(const struct cm_side *side, unsigned number)
{
    return cm_matmul_spreads(side) ? ADDRESS_PANEL + number : REG_CHUNK + number;
}

#endif
