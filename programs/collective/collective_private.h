/*
 * What the files of the collective compiler share. Not installed.
 *
 * An item is what a reduction carries: the words of a value, then, for a location, the word of its
 * index. An IMP folds the elements of each node into items (local.c), combines the items of the
 * nodes (cube.c), and writes the result (collective.c).
 */
#ifndef CM_PROGRAMS_COLLECTIVE_COLLECTIVE_PRIVATE_H
#define CM_PROGRAMS_COLLECTIVE_COLLECTIVE_PRIVATE_H

#include "../system/compiled_imps.h"
#include "../system/emit.h"
#include "collective.h"

#define CM_COLLECTIVE_NOWHERE INT32_MAX /* index of an item that holds no element */

/* The arguments of the IMP, which are in the address registers of the same number; then the
 * registers that move. */
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
    REG_STREAMS, /* columns.c: two for each stream */
};

/* FPU registers that every part keeps; from FPU_FREE on a part uses them as it likes. */
enum {
    FPU_IDENTITY,    /* two for a complex one */
    FPU_NOWHERE = 2, /* CM_COLLECTIVE_NOWHERE */
    FPU_ZERO,        /* integer 0 */
    FPU_SCRATCH,     /* four, for operations */
    FPU_FREE = FPU_SCRATCH + 4,
    FPU_GROUP = 3,    /* registers of an item: value, imaginary part, index or flag */
    FPU_TAIL = 2,     /* the last of them */
    FPU_PRESENT = 31, /* columns.c: whether a line exists */
};

/* Words of the tables, the same in every node; the bits are the node's own. */
enum {
    TABLE_UPPER, /* bit d: bit of the node's coordinate that cube dimension d tells apart */
    TABLE_PLACE, /* bit d: it differs from the place's node in dimension d; PLACE_BIT: it is it */
    TABLE_BASE,  /* for each axis: number of its first element along the axis, scaled */
};
#define PLACE_BIT 31u

/* The form of an item and of the operation on it. */
struct cm_item {
    enum cm_collective_op op;
    enum cm_type type; /* of the value: int32 for counts */
    uint32_t parts;    /* registers of the value */
    uint32_t part_words;
    bool wide;    /* parts of 64 bits */
    bool logical; /* elements are 0 or 1 */
    bool located; /* ends with an index */
    bool flagged; /* ends with a flag: whether a segment has begun */
    bool ordered; /* a o b is not always b o a: signed zeros */
    uint32_t words;
};

struct cm_collective {
    struct cm_collective_task task;
    struct cm_item item;
    enum cm_type result;
    uint32_t first_dimension, dimensions; /* of the cube */
    uint64_t values;                      /* items that cross */
    uint64_t group, group_exchanges;      /* items that cross together; of one crossing */
    uint64_t group_words;
    uint64_t exchanges;
    uint32_t lag; /* steps from one dimension to the next; 2: groups rest (cube.c) */
    /* words of the items in the work area; the prefixes of a scan, as many, and the arrivals come
     * after them */
    uint64_t items_room, arrivals;
    uint64_t work_words;
    uint64_t present[CM_RANK_MAX]; /* of the tables: where the words of a padded axis begin, or 0 */
    struct cm_compiled *compiled;
    uint64_t work; /* address of the work area */
};

struct cm_compiler {
    struct cm_imp *imp;
    const struct cm_config *config;
    const struct cm_collective *own;
    const struct cm_item *item;
};

/* items.c */
void cm_item_init(enum cm_collective_op op, enum cm_type source, bool flagged,
                  struct cm_item *item);
/* Identity and constants into their registers. */
void cm_emit_constants(struct cm_compiler *c);
/* to = a o b, groups of registers; `to` may be a or b. Of locations: the better of the two, of
 * equal ones the lower index; this writes the context. */
void cm_emit_operation(struct cm_compiler *c, unsigned to, unsigned a, unsigned b);
/* to = a where the context is set, else b. */
void cm_emit_select(struct cm_compiler *c, unsigned to, unsigned a, unsigned b);
void cm_emit_item_load(struct cm_compiler *c, unsigned to, struct cm_place from);
void cm_emit_item_store(struct cm_compiler *c, struct cm_place to, unsigned from);
/* The same of the value alone, as elements have it. */
void cm_emit_value_select(struct cm_compiler *c, unsigned to, unsigned a, unsigned b);
void cm_emit_value_load(struct cm_compiler *c, unsigned to, struct cm_place from);
void cm_emit_value_store(struct cm_compiler *c, struct cm_place to, unsigned from);
/* item = identity; its index is nowhere, its flag not set. */
void cm_emit_identity(struct cm_compiler *c, unsigned item);
/* context = a is at least as good an extreme as b. */
void cm_emit_at_least(struct cm_compiler *c, unsigned a, unsigned b);
void cm_emit(struct cm_compiler *c, enum cm_op op, unsigned to, unsigned a, unsigned b);
void cm_emit_constant(struct cm_compiler *c, unsigned to, uint32_t word);

/* A loop that may have one iteration, which then is not one. Begin returns what end takes. */
uint32_t cm_emit_begin_loop(struct cm_compiler *c, uint64_t count);
void cm_emit_end_loop(struct cm_compiler *c, uint64_t count, uint32_t start);

/* fold.c: folds the elements of each node, axis by axis where the whole array is reduced, into
 * the items of the work area. */
void cm_emit_folds(struct cm_compiler *c);

/* scan.c: scans the columns of each node, and applies the prefixes. */
void cm_emit_scan(struct cm_compiler *c);
void cm_emit_apply(struct cm_compiler *c);

/* cube.c: combines the items over the cube dimensions, or spreads those of the place; of a scan,
 * makes prefixes of the totals. */
void cm_emit_cube(struct cm_compiler *c);

#endif
