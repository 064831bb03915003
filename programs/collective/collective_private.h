/*
 * This header has declarations that the files of the collective compiler share. It is not
 * installed.
 *
 * An item is a partial result of a reduction: the words of a value and, for a location, the word of
 * its index. An IMP folds the elements of each node into items (fold.c), combines the items of the
 * nodes (cube.c), and writes the result (collective.c).
 */
#ifndef CM_PROGRAMS_COLLECTIVE_COLLECTIVE_PRIVATE_H
#define CM_PROGRAMS_COLLECTIVE_COLLECTIVE_PRIVATE_H

#include "../system/compiled_imps.h"
#include "../system/emit.h"
#include "collective.h"

#define CM_COLLECTIVE_NOWHERE INT32_MAX /* index in an item that holds no element */

/* Arguments of the IMP, held in the address registers of the same numbers, and after them the
 * address registers that move through memory. */
enum {
    ADDRESS_SRC,
    ADDRESS_DST,
    ADDRESS_MASK,
    ADDRESS_SEGMENTS,
    ADDRESS_TABLES,
    ADDRESS_WORK,
    ARGUMENTS,
    REG_OUT = ARGUMENTS,
    REG_ITEMS,
    REG_PRESENT,
    REG_STREAMS, /* columns.c: two address registers for each array that a walk passes over */
};

/* FPU registers whose contents all parts of the code preserve. Registers from FPU_FREE on are free
 * within a part. */
enum {
    FPU_IDENTITY,    /* the identity of the operation, in two registers if it is complex */
    FPU_NOWHERE = 2, /* the constant CM_COLLECTIVE_NOWHERE */
    FPU_ZERO,        /* the integer 0 */
    FPU_SCRATCH,     /* four registers for operations */
    FPU_FREE = FPU_SCRATCH + 4,
    /* number of registers of an item, for the value, its imaginary part, and an index or a flag */
    FPU_GROUP = 3,
    FPU_TAIL = 2,     /* offset of an item's last register */
    FPU_PRESENT = 31, /* columns.c: whether a place exists in the node */
};

/* Words of the table in each node. Their bits describe the node. */
enum {
    TABLE_UPPER, /* bit d: bit of the node's coordinate that cube dimension d distinguishes */
    /* bit d: 1 if this node differs in dimension d from the node that holds the place. Bit
     * PLACE_BIT: 1 if this node holds the place. */
    TABLE_PLACE,
    /* first of the words for each axis: number of the node's first element along the axis, scaled
     */
    TABLE_BASE,
};
#define PLACE_BIT 31u

/* Form of an item (partial result) and of the operation that combines items. */
struct cm_item {
    enum cm_collective_op op;
    enum cm_type type; /* type of the item's value. Counts are int32 */
    uint32_t parts;    /* number of registers of the value */
    uint32_t part_words;
    bool wide;    /* true if each part of the value has 64 bits */
    bool logical; /* true if elements are 0 or 1 */
    bool located; /* true if the item ends with an index */
    bool flagged; /* true if the item ends with a flag that says whether a segment has begun */
    bool ordered; /* true if a o b can differ from b o a, because of signed zeros */
    uint32_t words;
};

struct cm_collective {
    struct cm_collective_task task;
    struct cm_item item;
    enum cm_type result;
    /* first cube dimension that items cross, and number of dimensions */
    uint32_t first_dimension, dimensions;
    uint64_t values; /* number of items that cross each dimension */
    /* number of items that cross together, and of the exchanges in which they cross one dimension
     */
    uint64_t group, group_exchanges;
    uint64_t group_words;
    uint64_t exchanges;
    /* true to load the words of the next exchange before the words of the last exchange are
     * unloaded */
    bool overlap;
    /* number of steps from one dimension to the next: 1, or 2 if groups of items rest for a step
     * (cube.c) */
    uint32_t lag;
    /* Number of words of the items in the work area, and offset of the arrivals. The prefixes of a
     * scan, with as many words as the items, are between the items and the arrivals. */
    uint64_t items_room, arrivals;
    uint64_t work_words;
    /* for each axis: offset of the table words that say which places of a padded axis exist. 0: not
     * padded */
    uint64_t present[CM_RANK_MAX];
    struct cm_compiled *compiled;
    uint64_t work; /* address of the work area */
};

struct cm_collective_compiler {
    struct cm_imp *imp;
    const struct cm_config *config;
    const struct cm_collective *own;
    const struct cm_item *item;
};

/* Computes the form of an item (items.c). */
void cm_item_init(enum cm_collective_op op, enum cm_type source, bool flagged,
                  struct cm_item *item);
/* Emits code that writes the identity and the constants into their registers. */
void cm_emit_constants(struct cm_collective_compiler *c);
/* Emits to = a o b, where a register number names the registers of an item. `to` may be a or b. If
 * the operation finds locations, the better item wins, and among equal items the lower index. This
 * code changes the context. */
void cm_emit_operation(struct cm_collective_compiler *c, unsigned to, unsigned a, unsigned b);
/* Emits code on items: to = a where the context flag is set, and to = b elsewhere. */
void cm_emit_select(struct cm_collective_compiler *c, unsigned to, unsigned a, unsigned b);
void cm_emit_item_load(struct cm_collective_compiler *c, unsigned to, struct cm_place from);
void cm_emit_item_store(struct cm_collective_compiler *c, struct cm_place to, unsigned from);
/* These functions emit the same operations on the value of an item alone, which is the form of an
 * element. */
void cm_emit_value_select(struct cm_collective_compiler *c, unsigned to, unsigned a, unsigned b);
void cm_emit_value_load(struct cm_collective_compiler *c, unsigned to, struct cm_place from);
void cm_emit_value_store(struct cm_collective_compiler *c, struct cm_place to, unsigned from);
/* Emits item = identity. The item's index is CM_COLLECTIVE_NOWHERE, and its flag is not set. */
void cm_emit_identity(struct cm_collective_compiler *c, unsigned item);
/* Emits code that sets the context in nodes where a is at least as good a minimum or maximum as b.
 */
void cm_emit_at_least(struct cm_collective_compiler *c, unsigned a, unsigned b);
void cm_emit(struct cm_collective_compiler *c, enum cm_op op, unsigned to, unsigned a, unsigned b);
void cm_emit_constant(struct cm_collective_compiler *c, unsigned to, uint32_t word);

/* These functions begin and end a loop, which is left out if it has a single iteration. The end
 * takes the number that the beginning returns. */
uint32_t cm_emit_begin_loop(struct cm_collective_compiler *c, uint64_t count);
void cm_emit_end_loop(struct cm_collective_compiler *c, uint64_t count, uint32_t start);

/* Emits the fold of each node's elements into the items of the work area (fold.c). A reduction of
 * the whole array folds axis by axis. */
void cm_emit_folds(struct cm_collective_compiler *c);

/* These functions emit the scan of each node's columns, and the application of prefixes to the
 * elements (scan.c). */
void cm_emit_scan(struct cm_collective_compiler *c);
void cm_emit_apply(struct cm_collective_compiler *c);

/* Emits the exchanges over the cube dimensions (cube.c): for a reduction the combination of items,
 * for a spread the items of the place, for a scan the combination of totals into prefixes. */
void cm_emit_cube(struct cm_collective_compiler *c);

#endif
