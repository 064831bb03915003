/*
 * What the files of the sort compiler share. Not installed.
 *
 * A record is what moves: the words of a key as signed integers of the same order, the most
 * significant first; where the sort is stable, the index along the axis, which decides between
 * equal keys; the words of the arrays that are carried. The first IMP makes the records of every
 * column, one column after the other (sort_records.c); further ones sort them in the node
 * (sort_local.c). Two IMPs for each phase merge them over the cube (sort_cube.c) and in the node.
 * The last one writes the results. So none is longer than the SRAM.
 *
 * Phase p merges the subcubes of p dimensions: in ascending order where the next bit of the node is
 * 0, else in descending order, which is ascending order of the complements. So records lie
 * complemented where that bit is 1, and every comparison is that of an ascending sort.
 */
#ifndef CM_PROGRAMS_SORT_SORT_PRIVATE_H
#define CM_PROGRAMS_SORT_SORT_PRIVATE_H

#include "../system/compiled_imps.h"
#include "../system/emit.h"
#include "sort.h"

/* The arguments of the IMPs, which are in the address registers of the same number; then the
 * registers that move. */
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
    REG_COLUMNS, /* where the columns of carried arrays begin */
};

/* Words of the tables. */
enum {
    TABLE_CODE,       /* bit d: bit d of the node's number, in the axis's dimensions */
    TABLE_COORDINATE, /* bit d: bit of the node's coordinate that cube dimension d tells apart */
    TABLE_TURN,       /* bit d: records are complemented differently before and after phase d + 1 */
    TABLE_BASE,       /* index along the axis of the node's first element */
    TABLE_PICK, /* of samples: the bit of the node's phase; CM_SORT_LAST_BIT in the last node */
    TABLE_WORDS
};

#define PARTS_MAX 12u /* registers of a record, so that two of them and scratch fit */

struct cm_sort_record {
    uint32_t keys;  /* parts that are compared, of a word each: key, index */
    uint32_t index; /* part of the index; 0: none */
    uint32_t parts; /* FPU registers */
    uint32_t words;
    uint32_t offsets[PARTS_MAX]; /* of the parts */
    bool wide[PARTS_MAX];        /* of two words */
};

struct cm_sort {
    struct cm_sort_task task;
    struct cm_sort_record record;
    uint32_t carried_offsets[CM_SORT_CARRIED_MAX]; /* in a record */
    uint32_t first_dimension, dimensions;          /* of the cube */
    uint64_t length, values;                       /* records of a column, of a node */
    uint64_t group, group_words, group_exchanges;  /* that cross together */
    uint64_t exchanges;
    uint64_t arrivals; /* where they are in the work area */
    uint64_t work_words;
    struct cm_compiled *compiled;
    uint64_t work; /* address of the work area */
    /* of parts of a sort by samples (sort_sample.h) */
    bool keeps_index; /* padding has its index along the axis too */
    bool doubled;     /* records have twice their index */
    bool by_address;  /* the cube is ordered by node addresses, whatever code the axis has */
    struct cm_sampling *sampling; /* NULL: the sort is bitonic */
    const char *reason;           /* why, if the task asks for samples */
};

struct cm_sorter {
    struct cm_imp *imp;
    const struct cm_config *config;
    const struct cm_sort *own;
    const struct cm_sort_record *record;
};

/* FPU registers: of each part that keeps scratch. Records come after them. */
enum {
    FPU_SPARE, /* of an exchange of records */
    FPU_LEFT,  /* of a comparison */
    FPU_RIGHT,
    FPU_LOCAL,            /* the first free one in the node */
    FPU_KEEP = FPU_LOCAL, /* of the cube */
    FPU_TURN,
    FPU_COUNTERTURN,
    FPU_CUBE,
};
_Static_assert(2 * PARTS_MAX + FPU_CUBE <= CM_FPU_REGISTERS, "two records fit the registers");

/* Registers of records: `parts` numbers for each. */
struct cm_sort_registers {
    uint8_t of[CM_FPU_REGISTERS];
    uint8_t spare;
};

/* sort.c */

/* Emits an IMP of a sort, or a part of one; `number`: of a level or phase. */
typedef void (*cm_sort_emit)(struct cm_sorter *c, uint32_t number);
/* Adds the IMP "WHAT-NUMBER" with the arguments of arrays, or without. */
enum cm_status cm_sort_add(const struct cm_config *config, const struct cm_sort *own,
                           struct cm_compiled *compiled, const char *what, cm_sort_emit emit,
                           uint32_t number, bool arrays, struct cm_error *err);
/* The IMPs that make records and sort them in the node, those of that sort from level 1 on, those
 * of the cube, the one that writes the results. */
enum cm_status cm_sort_add_levels(const struct cm_config *config, const struct cm_sort *own,
                                  struct cm_compiled *compiled, struct cm_error *err);
enum cm_status cm_sort_add_begin(const struct cm_config *config, const struct cm_sort *own,
                                 struct cm_compiled *compiled, struct cm_error *err);
enum cm_status cm_sort_add_end(const struct cm_config *config, const struct cm_sort *own,
                               struct cm_compiled *compiled, struct cm_error *err);
enum cm_status cm_sort_add_phases(const struct cm_config *config, const struct cm_sort *own,
                                  struct cm_compiled *compiled, struct cm_error *err);
/* What follows from own->record, ->values and ->dimensions. */
void cm_sort_measure(const struct cm_config *config, struct cm_sort *own);

/* sort_record.c */
void cm_sort_op(struct cm_sorter *c, enum cm_op op, unsigned to, unsigned a, unsigned b);
void cm_sort_constant(struct cm_sorter *c, unsigned to, uint32_t word);
/* Registers from `first` on. */
void cm_sort_registers_init(struct cm_sort_registers *registers, unsigned first);
void cm_sort_record_load(struct cm_sorter *c, const struct cm_sort_registers *registers,
                         uint32_t record, struct cm_place from);
void cm_sort_record_store(struct cm_sorter *c, const struct cm_sort_registers *registers,
                          uint32_t record, struct cm_place to);
/* context = a comes before b. */
void cm_sort_before(struct cm_sorter *c, const struct cm_sort_registers *registers, uint32_t a,
                    uint32_t b);
/* The record that comes first goes to a, the other one to b; renames registers. */
void cm_sort_comparator(struct cm_sorter *c, struct cm_sort_registers *registers, uint32_t a,
                        uint32_t b);
/* Record a = record b where the context is set. */
void cm_sort_take(struct cm_sorter *c, const struct cm_sort_registers *registers, uint32_t a,
                  uint32_t b);
/* The register of a part. */
unsigned cm_sort_part(const struct cm_sorter *c, const struct cm_sort_registers *registers,
                      uint32_t record, uint32_t part);
/* After comparators of records with several parts, before a store. */
void cm_sort_all_nodes(struct cm_sorter *c);

/* A loop that may have one iteration, which then is not one. Begin returns what end takes. */
uint32_t cm_sort_begin_loop(struct cm_sorter *c, uint64_t count);
void cm_sort_end_loop(struct cm_sorter *c, uint64_t count, uint32_t start);

/* sort_records.c: arrays to records and back. */
void cm_sort_prepare(struct cm_sorter *c);
void cm_sort_deliver(struct cm_sorter *c);

/* sort_local.c: a column is sorted level by level, from 0; each is an IMP. Sorts columns that are
 * bitonic. */
uint32_t cm_sort_local_levels(const struct cm_sorter *c);
/* The least number of records, n or more, of which no list is odd until it fits the registers. */
uint64_t cm_sort_local_even(const struct cm_sorter *c, uint64_t n);
void cm_sort_local_level(struct cm_sorter *c, uint32_t level);
void cm_sort_local_merge(struct cm_sorter *c);

/* sort_cube.c: a phase, from 1, over the cube: until its pipeline has taken all groups; until it is
 * empty. */
void cm_sort_phase_fill(struct cm_sorter *c, uint32_t phase);
void cm_sort_phase_drain(struct cm_sorter *c, uint32_t phase);

#endif
