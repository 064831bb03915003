/*
 * Declarations that the files of the collective compiler share. Not installed.
 *
 * An item is the running result of a reduction: the words of a value and, for a location, the word
 * of its index. An IMP folds the elements of each node into items (fold.c), combines the items of
 * the nodes (cube.c), and writes the result (collective.c).
 */
#ifndef CM_PROGRAMS_COLLECTIVE_COLLECTIVE_PRIVATE_H
#define CM_PROGRAMS_COLLECTIVE_COLLECTIVE_PRIVATE_H

#include "../system/compiled_imps.h"
#include "../system/emit.h"
#include "collective.h"

#define CM_COLLECTIVE_NOWHERE INT32_MAX /* index of an item that holds no element */

/* Arguments of the IMP, which are in the address registers of the same numbers, and then the
 * registers that walk. */
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
    REG_STREAMS, /* columns.c: two registers for each stream */
};

/* FPU registers that every part preserves. Registers from FPU_FREE on are free within a part. */
enum {
    FPU_IDENTITY,    /* two registers for a complex identity */
    FPU_NOWHERE = 2, /* CM_COLLECTIVE_NOWHERE */
    FPU_ZERO,        /* integer 0 */
    FPU_SCRATCH,     /* four registers for operations */
    FPU_FREE = FPU_SCRATCH + 4,
    FPU_GROUP = 3,    /* registers of an item: value, imaginary part, index or flag */
    FPU_TAIL = 2,     /* the last register of an item */
    FPU_PRESENT = 31, /* columns.c: whether a line exists */
};

/* Words of the tables. Their bits describe the node. */
enum {
    TABLE_UPPER, /* bit d: the bit of the node's coordinate that cube dimension d distinguishes */
    /* bit d: the node differs from the place's node in dimension d. PLACE_BIT: it is that node */
    TABLE_PLACE,
    TABLE_BASE, /* for each axis: number of the node's first element along the axis, scaled */
};
#define PLACE_BIT 31u

/* Form of an item and of the operation on it. */
struct cm_item {
    enum cm_collective_op op;
    enum cm_type type; /* type of the value: int32 for counts */
    uint32_t parts;    /* registers of the value */
    uint32_t part_words;
    bool wide;    /* True if parts have 64 bits */
    bool logical; /* True if elements are 0 or 1 */
    bool located; /* True if the item ends with an index */
    bool flagged; /* True if the item ends with a flag that says whether a segment has begun */
    bool ordered; /* True if a o b can differ from b o a (signed zeros) */
    uint32_t words;
};

struct cm_collective {
    struct cm_collective_task task;
    struct cm_item item;
    enum cm_type result;
    uint32_t first_dimension, dimensions; /* cube dimensions */
    uint64_t values;                      /* items that cross */
    /* items that cross together, and exchanges of one crossing */
    uint64_t group, group_exchanges;
    uint64_t group_words;
    uint64_t exchanges;
    /* true to load the words of the next exchange before those of the last one are unloaded */
    bool overlap;
    /* steps from one dimension to the next: 1, or 2 if groups rest for a step (cube.c) */
    uint32_t lag;
    /* Words of the items in the work area. As many words for the prefixes of a scan, and then the
     * arrivals, follow. */
    uint64_t items_room, arrivals;
    uint64_t work_words;
    uint64_t present[CM_RANK_MAX]; /* offsets of the table words of padded axes, or 0 */
    struct cm_compiled *compiled;
    uint64_t work; /* address of the work area */
};

struct cm_collective_compiler {
    struct cm_imp *imp;
    const struct cm_config *config;
    const struct cm_collective *own;
    const struct cm_item *item;
};

/* items.c */
void cm_item_init(enum cm_collective_op op, enum cm_type source, bool flagged,
                  struct cm_item *item);
/* Emits identity and constants into their registers. */
void cm_emit_constants(struct cm_collective_compiler *c);
/* Emits to = a o b on groups of registers. `to` may be a or b. For locations the better item wins,
 * and among equal items the lower index. This changes the context. */
void cm_emit_operation(struct cm_collective_compiler *c, unsigned to, unsigned a, unsigned b);
/* Emits to = a where the context is set, else b, on items. */
void cm_emit_select(struct cm_collective_compiler *c, unsigned to, unsigned a, unsigned b);
void cm_emit_item_load(struct cm_collective_compiler *c, unsigned to, struct cm_place from);
void cm_emit_item_store(struct cm_collective_compiler *c, struct cm_place to, unsigned from);
/* Emit the same operations on the value alone, as elements have it. */
void cm_emit_value_select(struct cm_collective_compiler *c, unsigned to, unsigned a, unsigned b);
void cm_emit_value_load(struct cm_collective_compiler *c, unsigned to, struct cm_place from);
void cm_emit_value_store(struct cm_collective_compiler *c, struct cm_place to, unsigned from);
/* Emits item = identity. Its index is CM_COLLECTIVE_NOWHERE, and its flag is not set. */
void cm_emit_identity(struct cm_collective_compiler *c, unsigned item);
/* Emits the context of nodes where a is at least as good an extreme as b. */
void cm_emit_at_least(struct cm_collective_compiler *c, unsigned a, unsigned b);
void cm_emit(struct cm_collective_compiler *c, enum cm_op op, unsigned to, unsigned a, unsigned b);
void cm_emit_constant(struct cm_collective_compiler *c, unsigned to, uint32_t word);

/* Begins and ends a loop, which is left out for a single iteration. End takes what begin returns.
 */
uint32_t cm_emit_begin_loop(struct cm_collective_compiler *c, uint64_t count);
void cm_emit_end_loop(struct cm_collective_compiler *c, uint64_t count, uint32_t start);

/* fold.c: emits the fold of each node's elements into the items of the work area. A reduction of
 * the whole array folds axis by axis. */
void cm_emit_folds(struct cm_collective_compiler *c);

/* scan.c: emits the scan of each node's columns, and the application of prefixes. */
void cm_emit_scan(struct cm_collective_compiler *c);
void cm_emit_apply(struct cm_collective_compiler *c);

/* cube.c: emits the combination of items over the cube dimensions, the spread of the place's items,
 * or for a scan the prefixes of the totals. */
void cm_emit_cube(struct cm_collective_compiler *c);

#endif
