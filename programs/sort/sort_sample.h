/*
 * This header has declarations of the sort by samples, for the files of the sort compiler. It is
 * not installed. The stages of a sort by samples:
 *
 *     begin      makes records of the node's elements, sorts them in the node, and takes samples
 *     samples    sorts the samples over the cube. The last sample of each node is a splitter, and
 *                every node gets all splitters by an all-to-all broadcast
 *     split      merges the splitters into the node's records. Records between two splitters are a
 *                range and belong to one node. The router takes them there
 *     scan       counts the records of the nodes before. The front end reads the largest count
 *     sort       sorts the arrived records in the node. The router takes each record to its place
 *     deliver    makes arrays of the records
 *
 * Every record has a number of its own that decides between equal keys, its *tie*. If the sort is
 * stable, the tie is twice the index along the axis. Otherwise it is twice the place after the sort
 * in the node. The tie of a sample is one more than its record's, which distinguishes splitters
 * from records. A range has the number that is its node's address in the axis's dimensions.
 */
#ifndef CM_PROGRAMS_SORT_SORT_SAMPLE_H
#define CM_PROGRAMS_SORT_SORT_SAMPLE_H

#include "../alltoall/alltoall.h"
#include "sort_private.h"

#define CM_SORT_PHASES 16u /* number of places within a gap where nodes take their samples */
/* bit of the table word TABLE_PICK that is 1 only in the last node. Lower bits say at which place
 * of a gap a node takes samples */
#define CM_SORT_LAST_BIT 16u

enum cm_sort_stage { STAGE_BEGIN, STAGE_SAMPLES, STAGE_SPLIT, STAGE_SCAN, STAGE_SORT, STAGE_END };
#define CM_SORT_STAGES (STAGE_END + 1u)

/* Words in node memory that the scan of record counts uses. */
enum { SCAN_COUNT, SCAN_TOTAL, SCAN_MOST, SCAN_BEFORE, SCAN_CAME, SCAN_WORDS = SCAN_CAME + 2 };

struct cm_sampling {
    /* Descriptions of the sorts of which it consists: of the node's records, of the samples, of
     * records and splitters together, and of the arrived records. */
    struct cm_sort local, samples, merged, bucket;
    uint32_t key_words; /* number of words of a key, after which the tie comes */
    bool stable;
    /* Offsets of the areas in node memory, in words. The first area has the node's records. */
    uint64_t merged_at, numbers_at, bucket_at, samples_at, splitter_at, blocks_at, scan_at;
    uint64_t words;   /* number of words of all areas. 0: they are not allocated */
    uint64_t address; /* address of the first area */
    struct cm_compiled *stages[CM_SORT_STAGES];
    struct cm_alltoall *broadcast;
    uint64_t exchanges;
    uint64_t most;
    bool overflowed;
};

/* Returns the table word TABLE_PICK of a node. */
uint32_t cm_sort_pick_bits(const struct cm_sort *own, uint32_t code, uint32_t coordinate);
/* Makes own->sampling if a sort by samples is requested, or pays, and is possible. */
enum cm_status cm_sort_choose(struct cm_system *system, struct cm_sort *own, struct cm_error *err);
/* Sorts the arrays of a call by samples. *sorted becomes false if some node has too little room for
 * its records. Then no array is written. */
enum cm_status cm_sampling_run(struct cm_system *system, const struct cm_sort *own,
                               struct cm_actual *actuals, bool *sorted, struct cm_error *err);
void cm_sampling_describe(const struct cm_sampling *sampling, struct cm_sort_info *info);
void cm_sampling_drop(struct cm_system *system, struct cm_sampling *sampling); /* NULL is allowed */

/* These functions emit the IMPs of a sort by samples (sort_split.c). c->own is one of the sorts of
 * which it consists. */
void cm_sort_pick(struct cm_sorter *c, uint32_t number);
void cm_sort_splitter(struct cm_sorter *c, uint32_t number);
void cm_sort_tag(struct cm_sorter *c, uint32_t number);
/* merges records and splitters, after cm_sort_tag */
void cm_sort_mix(struct cm_sorter *c, uint32_t number);
void cm_sort_number(struct cm_sorter *c, uint32_t number);
/* Emits the scan of the record counts, over all dimensions of the machine. */
void cm_sort_scan(struct cm_sorter *c, uint32_t dimensions);

/* These functions send records through the router (sort_route.c). The first sends each record to
 * the node of its range and counts the arrivals. The second sends each record to its place. */
enum cm_status cm_sort_route_ranges(struct cm_system *system, const struct cm_sort *own,
                                    struct cm_error *err);
enum cm_status cm_sort_route_places(struct cm_system *system, const struct cm_sort *own,
                                    struct cm_error *err);

/* Returns true if the sort by samples is estimated to take fewer cycles than the bitonic sort
 * (sort_choice.c). */
bool cm_sort_samples_pay(const struct cm_config *config, const struct cm_sort *own);

#endif
