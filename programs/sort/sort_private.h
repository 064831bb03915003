/*
 * Data and functions that the files of the sort compiler share. Not installed.
 *
 * A record has three groups of words: first the key, as signed integers of the same order, with the
 * most significant word first. If the sort is stable, the index along the axis follows, which
 * decides between equal keys. The words of the carried arrays come last.
 *
 * The first IMP makes the records of every column, one column after the other (sort_records.c). The
 * next IMPs sort them within the node (sort_local.c). Two IMPs for each phase merge them over the
 * cube (sort_cube.c) and in the node. The last IMP writes the results. There are several IMPs
 * because none may be longer than the SRAM.
 *
 * Phase p merges subcubes of p dimensions. The order is ascending where the next bit of the node is
 * 0, else descending. Descending order is ascending order of the complements. So records are
 * complemented where that bit is 1, and every comparison belongs to an ascending sort.
 */
#ifndef CM_PROGRAMS_SORT_SORT_PRIVATE_H
#define CM_PROGRAMS_SORT_SORT_PRIVATE_H

#include "../system/compiled_imps.h"
#include "../system/emit.h"
#include "sort.h"

/* Arguments of the IMPs, which are in the address registers of the same numbers, and then the
 * registers that walk over arrays. */
enum {
    ADDRESS_WORK,
    ADDRESS_TABLES,
    ADDRESS_SRC,
    ADDRESS_DST,
    ADDRESS_RANK,
    ADDRESS_CARRIED, /* source and destination of each carried array */
    ARGUMENTS = ADDRESS_CARRIED + 2 * CM_SORT_CARRIED_MAX,
    REG_RECORD = ARGUMENTS,
    REG_LOW,
    REG_UP,
    REG_DOWN,
    REG_KEY, /* sort_records.c: walkers over arrays */
    REG_RANK,
    REG_COLUMNS, /* registers that point to the columns of carried arrays */
};

/* Words of the tables, one value in each node. */
enum {
    TABLE_CODE, /* bit d: bit d of the node's address within the axis's dimensions */
    /* bit d: the bit of the node's coordinate that cube dimension d distinguishes */
    TABLE_COORDINATE,
    TABLE_TURN, /* bit d: records are complemented differently before and after phase d + 1 */
    TABLE_BASE, /* index along the axis of the node's first element */
    /* sort by samples: the bit of the node's phase, and CM_SORT_LAST_BIT in the last node */
    TABLE_PICK,
    TABLE_WORDS
};

/* largest number of registers of a record, so that two records and scratch registers fit */
#define PARTS_MAX 12u

struct cm_sort_record {
    uint32_t keys;  /* number of compared parts, a word each: key and index */
    uint32_t index; /* part that holds the index. 0: no index */
    uint32_t parts; /* number of FPU registers */
    uint32_t words;
    uint32_t offsets[PARTS_MAX]; /* offset of each part in words */
    bool wide[PARTS_MAX];        /* True for parts of two words */
};

struct cm_sort {
    struct cm_sort_task task;
    struct cm_sort_record record;
    uint32_t carried_offsets[CM_SORT_CARRIED_MAX]; /* offset of each carried array in a record */
    uint32_t first_dimension, dimensions;          /* cube dimensions of the axis */
    uint64_t length, values;                       /* records of a column, and of a node */
    /* records that cross together, their words and their exchanges */
    uint64_t group, group_words, group_exchanges;
    uint64_t exchanges;
    uint64_t arrivals; /* offset of arriving records in the work area */
    uint64_t work_words;
    struct cm_compiled *compiled;
    uint64_t work; /* address of the work area */
    /* Members for the parts of a sort by samples (sort_sample.h): */
    bool keeps_index; /* True if padding has its index along the axis, too */
    bool doubled;     /* True if records hold twice their index */
    /* True if the cube is ordered by node addresses, whatever the code of the axis */
    bool by_address;
    struct cm_sampling *sampling; /* NULL: the sort is bitonic */
    const char *reason;           /* why it is bitonic if the task asks for samples */
};

struct cm_sorter {
    struct cm_imp *imp;
    const struct cm_config *config;
    const struct cm_sort *own;
    const struct cm_sort_record *record;
};

/* FPU registers that the parts of the compiler use as scratch. Records come after them. */
enum {
    FPU_SPARE, /* exchanges of two records */
    FPU_LEFT,  /* comparisons */
    FPU_RIGHT,
    FPU_LOCAL,            /* first register that is free while sorting in the node */
    FPU_KEEP = FPU_LOCAL, /* sorting over the cube */
    FPU_TURN,
    FPU_COUNTERTURN,
    FPU_CUBE,
};
_Static_assert(2 * PARTS_MAX + FPU_CUBE <= CM_FPU_REGISTERS, "two records fit the registers");

/* Registers of records, `parts` register numbers for each record. */
struct cm_sort_registers {
    uint8_t of[CM_FPU_REGISTERS];
    uint8_t spare;
};

/* Emits an IMP of a sort, or a part of one. `number` is the number of a level or phase. */
typedef void (*cm_sort_emit)(struct cm_sorter *c, uint32_t number);
/* Adds the IMP "WHAT-NUMBER", with or without the arguments for arrays. */
enum cm_status cm_sort_add(const struct cm_config *config, const struct cm_sort *own,
                           struct cm_compiled *compiled, const char *what, cm_sort_emit emit,
                           uint32_t number, bool arrays, struct cm_error *err);
/* Add IMPs: those that make records and sort them in the node (begin), those that sort in the node
 * from level 1 on (levels), those of the cube (phases), and the IMP that writes the results
 * (end). */
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
/* Assigns registers from `first` on to records. */
void cm_sort_registers_init(struct cm_sort_registers *registers, unsigned first);
void cm_sort_record_load(struct cm_sorter *c, const struct cm_sort_registers *registers,
                         uint32_t record, struct cm_place from);
void cm_sort_record_store(struct cm_sorter *c, const struct cm_sort_registers *registers,
                          uint32_t record, struct cm_place to);
/* Emits a comparison: sets the context where a comes before b. */
void cm_sort_before(struct cm_sorter *c, const struct cm_sort_registers *registers, uint32_t a,
                    uint32_t b);
/* Emits a comparator: the earlier record goes to a, the other one to b. Renames registers. */
void cm_sort_comparator(struct cm_sorter *c, struct cm_sort_registers *registers, uint32_t a,
                        uint32_t b);
/* Emits a conditional copy: record a = record b where the context is set. */
void cm_sort_take(struct cm_sorter *c, const struct cm_sort_registers *registers, uint32_t a,
                  uint32_t b);
/* Returns the register of a part. */
unsigned cm_sort_part(const struct cm_sorter *c, const struct cm_sort_registers *registers,
                      uint32_t record, uint32_t part);
/* Restores the context after comparators of records with several parts, before a store. */
void cm_sort_all_nodes(struct cm_sorter *c);

/* Begins and ends a loop, which is left out for a single iteration. End takes what begin returns.
 */
uint32_t cm_sort_begin_loop(struct cm_sorter *c, uint64_t count);
void cm_sort_end_loop(struct cm_sorter *c, uint64_t count, uint32_t start);

/* Emit the conversion of arrays to records, and of records to arrays (sort_records.c). */
void cm_sort_prepare(struct cm_sorter *c);
void cm_sort_deliver(struct cm_sorter *c);

/* Emit the sort of the columns of a node (sort_local.c). Each level from 0 on is an IMP.
 * cm_sort_local_merge sorts bitonic columns. */
uint32_t cm_sort_local_levels(const struct cm_sorter *c);
/* Returns the least number of records, at least n, for which no list has odd length until it fits
 * the registers. */
uint64_t cm_sort_local_even(const struct cm_sorter *c, uint64_t n);
void cm_sort_local_level(struct cm_sorter *c, uint32_t level);
void cm_sort_local_merge(struct cm_sorter *c);

/* Emit a phase over the cube, from 1 on (sort_cube.c). `fill` runs until the pipeline has taken all
 * groups, `drain` until the pipeline is empty. */
void cm_sort_phase_fill(struct cm_sorter *c, uint32_t phase);
void cm_sort_phase_drain(struct cm_sorter *c, uint32_t phase);

#endif
