/*
 * This header has data and functions that the files of the sort compiler share. It is not
 * installed.
 *
 * A record has three groups of words. The key comes first, as signed integers of the same order,
 * with the most significant word first. If the sort is stable, the index along the axis follows,
 * which decides between equal keys. The words of the carried arrays come last.
 *
 * The first IMP makes the records of every column, one column after the other (sort_records.c). The
 * next IMPs sort the records within the node (sort_local.c). Two IMPs for each phase merge records
 * over the cube (sort_cube.c) and in the node. The last IMP writes the results. There are several
 * IMPs because none may be longer than the SRAM.
 *
 * Phase p merges subcubes of p dimensions. The order is ascending where the next bit of the node's
 * address is 0, and descending where it is 1. Descending order is ascending order of the
 * complements. So records are complemented where that bit is 1, and every comparison belongs to an
 * ascending sort.
 */
#ifndef CM_PROGRAMS_SORT_SORT_PRIVATE_H
#define CM_PROGRAMS_SORT_SORT_PRIVATE_H

#include "../system/compiled_imps.h"
#include "../system/emit.h"
#include "sort.h"

/* Arguments of the IMPs, held in the address registers of the same numbers, and after them the
 * address registers that move over arrays. */
enum {
    ADDRESS_WORK,
    ADDRESS_TABLES,
    ADDRESS_SRC,
    ADDRESS_DST,
    ADDRESS_RANK,
    ADDRESS_CARRIED, /* first register of the source and destination of each carried array */
    ARGUMENTS = ADDRESS_CARRIED + 2 * CM_SORT_CARRIED_MAX,
    REG_RECORD = ARGUMENTS,
    REG_LOW,
    REG_UP,
    REG_DOWN,
    REG_KEY, /* sort_records.c: first of the registers that move over arrays */
    REG_RANK,
    REG_COLUMNS, /* first of the registers that point to the columns of carried arrays */
};

/* Words of the table in each node. */
enum {
    TABLE_CODE, /* bit d: bit d of the node's address within the axis's dimensions */
    /* bit d: bit of the node's coordinate that cube dimension d distinguishes */
    TABLE_COORDINATE,
    TABLE_TURN, /* bit d: 1 if the node complements its records between phases d and d + 1 */
    TABLE_BASE, /* index along the axis of the node's first element */
    /* For a sort by samples: a bit that says at which place of a gap the node takes samples, and
     * CM_SORT_LAST_BIT in the last node. */
    TABLE_PICK,
    TABLE_WORDS
};

/* limit on the registers of a record, so that two records and scratch registers fit */
#define PARTS_MAX 12u

struct cm_sort_record {
    uint32_t keys;  /* number of parts that are compared, of a word each: key and index */
    uint32_t index; /* number of the part that holds the index. 0: no index */
    /* number of parts: keys, index, elements of carried arrays. Each part takes an FPU register */
    uint32_t parts;
    uint32_t words;
    uint32_t offsets[PARTS_MAX]; /* offset of each part in words */
    bool wide[PARTS_MAX];        /* true if the part has two words */
};

struct cm_sort {
    struct cm_sort_task task;
    struct cm_sort_record record;
    /* offset of each carried array in a record, in words */
    uint32_t carried_offsets[CM_SORT_CARRIED_MAX];
    /* first cube dimension of the axis, and number of dimensions */
    uint32_t first_dimension, dimensions;
    /* number of records of a column, and of a node */
    uint64_t length, values;
    /* number of records that cross together, of their words, and of the exchanges that they take */
    uint64_t group, group_words, group_exchanges;
    uint64_t exchanges;
    uint64_t arrivals; /* offset of arriving records in the work area, in words */
    uint64_t work_words;
    struct cm_compiled *compiled;
    uint64_t work; /* address of the work area */
    /* The next members serve the parts of a sort by samples (sort_sample.h). */
    bool keeps_index; /* true if records of padding also have their index along the axis */
    bool doubled;     /* true if records hold twice their index */
    /* True if nodes are ordered by their addresses, whatever the code of the axis. */
    bool by_address;
    /* additional data of a sort by samples. NULL: the sort is bitonic */
    struct cm_sampling *sampling;
    /* reason why the sort is bitonic although the method is sample or auto. NULL otherwise */
    const char *reason;
};

struct cm_sorter {
    struct cm_imp *imp;
    const struct cm_config *config;
    const struct cm_sort *own;
    const struct cm_sort_record *record;
};

/* Scratch FPU registers of the parts of the compiler. Records are in the registers after them. */
enum {
    FPU_SPARE, /* free register for exchanging two records */
    FPU_LEFT,  /* operands of a comparison */
    FPU_RIGHT,
    FPU_LOCAL,            /* first register that is free while the node sorts its own records */
    FPU_KEEP = FPU_LOCAL, /* first scratch register for sorting over the cube */
    FPU_TURN,
    FPU_COUNTERTURN,
    FPU_CUBE,
};
_Static_assert(2 * PARTS_MAX + FPU_CUBE <= CM_FPU_REGISTERS, "two records fit the registers");

/* FPU registers that hold records: `parts` register numbers for each record. */
struct cm_sort_registers {
    uint8_t of[CM_FPU_REGISTERS];
    uint8_t spare;
};

/* Function that emits an IMP of a sort, or a part of an IMP. `number` is the number of a level or
 * phase. */
typedef void (*cm_sort_emit)(struct cm_sorter *c, uint32_t number);

/* IMP of a sort. Its name is `what`, a hyphen and `number`. */
struct cm_sort_imp {
    const char *what;
    cm_sort_emit emit;
    uint32_t number;
    bool arrays; /* true if the IMP has the arguments for arrays */
};

enum cm_status cm_sort_add(const struct cm_config *config, const struct cm_sort *own,
                           struct cm_compiled *compiled, const struct cm_sort_imp *imp,
                           struct cm_error *err);
/* These functions add IMPs: the first, which makes records and sorts them in the node (begin),
 * those that continue sorting in the node, from level 1 on (levels), those that merge over the cube
 * (phases), and the last, which writes the results (end). */
enum cm_status cm_sort_add_levels(const struct cm_config *config, const struct cm_sort *own,
                                  struct cm_compiled *compiled, struct cm_error *err);
enum cm_status cm_sort_add_begin(const struct cm_config *config, const struct cm_sort *own,
                                 struct cm_compiled *compiled, struct cm_error *err);
enum cm_status cm_sort_add_end(const struct cm_config *config, const struct cm_sort *own,
                               struct cm_compiled *compiled, struct cm_error *err);
enum cm_status cm_sort_add_phases(const struct cm_config *config, const struct cm_sort *own,
                                  struct cm_compiled *compiled, struct cm_error *err);
/* Computes the sizes that follow from own->record, own->values and own->dimensions. */
void cm_sort_measure(const struct cm_config *config, struct cm_sort *own);

void cm_sort_op(struct cm_sorter *c, enum cm_op op, unsigned to, unsigned a, unsigned b);
void cm_sort_constant(struct cm_sorter *c, unsigned to, uint32_t word);
/* Assigns FPU registers to records, from register `first` on. */
void cm_sort_registers_init(struct cm_sort_registers *registers, unsigned first);
void cm_sort_record_load(struct cm_sorter *c, const struct cm_sort_registers *registers,
                         uint32_t record, struct cm_place from);
void cm_sort_record_store(struct cm_sorter *c, const struct cm_sort_registers *registers,
                          uint32_t record, struct cm_place to);
/* Emits a comparison, which sets the context in nodes where record a comes before record b. */
void cm_sort_before(struct cm_sorter *c, const struct cm_sort_registers *registers, uint32_t a,
                    uint32_t b);
/* Emits a comparator: of two records, the earlier goes to a and the later to b. Renames registers.
 */
void cm_sort_comparator(struct cm_sorter *c, struct cm_sort_registers *registers, uint32_t a,
                        uint32_t b);
/* Emits a conditional copy: record a becomes record b where the context is set. */
void cm_sort_take(struct cm_sorter *c, const struct cm_sort_registers *registers, uint32_t a,
                  uint32_t b);
/* Returns the register that holds a part of a record. */
unsigned cm_sort_part(const struct cm_sorter *c, const struct cm_sort_registers *registers,
                      uint32_t record, uint32_t part);
/* Emits code that sets the context in all nodes, if comparators have changed it. It comes before a
 * store. */
void cm_sort_all_nodes(struct cm_sorter *c);

/* These functions begin and end a loop, which is left out if it has a single iteration. The end
 * takes the number that the beginning returns. */
uint32_t cm_sort_begin_loop(struct cm_sorter *c, uint64_t count);
void cm_sort_end_loop(struct cm_sorter *c, uint64_t count, uint32_t start);

/* These functions emit the conversion of arrays to records, and of records to arrays
 * (sort_records.c). */
void cm_sort_prepare(struct cm_sorter *c);
void cm_sort_deliver(struct cm_sorter *c);

/* Returns the number of levels in which a node sorts its columns (sort_local.c).
 * cm_sort_local_level emits a level, which is an IMP. cm_sort_local_merge emits the sort of columns
 * that are bitonic. */
uint32_t cm_sort_local_levels(const struct cm_sorter *c);
/* Returns the least number of records, at least n, for which lists can be halved without an odd
 * length until they fit the registers. */
uint64_t cm_sort_local_even(const struct cm_sorter *c, uint64_t n);
void cm_sort_local_level(struct cm_sorter *c, uint32_t level);
void cm_sort_local_merge(struct cm_sorter *c);

/* These functions emit a phase over the cube, from phase 1 on (sort_cube.c). The code of `fill`
 * runs until the pipeline has taken all groups of records, that of `drain` until the pipeline is
 * empty. */
void cm_sort_phase_fill(struct cm_sorter *c, uint32_t phase);
void cm_sort_phase_drain(struct cm_sorter *c, uint32_t phase);

#endif
