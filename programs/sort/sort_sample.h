/*
 * Declarations of the sort by samples, for the files of the sort compiler. Not installed.
 *
 *     begin      records of the node's elements, sorted in the node, and samples of them
 *     samples    sorted over the cube. The last sample of each node is a splitter, and every
 *                node gets all splitters by an all-to-all broadcast
 *     split      splitters merged into the node's records. Records between two splitters belong
 *                to the same node, and the router takes them there
 *     scan       counts the records of the nodes before. The front end reads the largest count
 *     sort       sorts the arrived records in the node. The router takes each record to its place
 *     deliver    records to arrays
 *
 * Every record has a number of its own that decides between equal keys, its *tie*. The tie is twice
 * the index along the axis if the sort is stable, else twice the place after the sort in the node.
 * The tie of a sample is one more, which distinguishes splitters from records. Ranges are numbered
 * by the address of their node in the axis's dimensions.
 */
#ifndef CM_PROGRAMS_SORT_SORT_SAMPLE_H
#define CM_PROGRAMS_SORT_SORT_SAMPLE_H

#include "../alltoall/alltoall.h"
#include "sort_private.h"

#define CM_SORT_PHASES   16u /* number of different places where nodes take their samples */
#define CM_SORT_LAST_BIT 16u /* bit of the word TABLE_PICK, after the bits of the phases */

enum cm_sort_stage { STAGE_BEGIN, STAGE_SAMPLES, STAGE_SPLIT, STAGE_SCAN, STAGE_SORT, STAGE_END };
#define CM_SORT_STAGES (STAGE_END + 1u)

/* Words of the scan in node memory. */
enum { SCAN_COUNT, SCAN_TOTAL, SCAN_MOST, SCAN_BEFORE, SCAN_CAME, SCAN_WORDS = SCAN_CAME + 2 };

struct cm_sampling {
    /* Sorts as the compilers need them: of the node's records, of the samples, of records and
     * splitters together, of the arrived records. */
    struct cm_sort local, samples, merged, bucket;
    uint32_t key_words; /* words of a key, which the tie follows */
    bool stable;
    /* Offsets of the areas. The node's records are the first area. */
    uint64_t merged_at, numbers_at, bucket_at, samples_at, splitter_at, blocks_at, scan_at;
    uint64_t words;   /* words of all areas. 0: not allocated */
    uint64_t address; /* address of the first area */
    struct cm_compiled *stages[CM_SORT_STAGES];
    struct cm_alltoall *broadcast;
    uint64_t exchanges;
    uint64_t most;
    bool overflowed;
};

/* Returns the word TABLE_PICK of a node. */
uint32_t cm_sort_pick_bits(const struct cm_sort *own, uint32_t code, uint32_t coordinate);
/* Makes own->sampling if the task asks for it and permits it. */
enum cm_status cm_sort_choose(struct cm_system *system, struct cm_sort *own, struct cm_error *err);
/* Sorts the arrays of a call. *sorted is false if a node lacked room for its records. Then nothing
 * was written. */
enum cm_status cm_sampling_run(struct cm_system *system, const struct cm_sort *own,
                               struct cm_actual *actuals, bool *sorted, struct cm_error *err);
void cm_sampling_describe(const struct cm_sampling *sampling, struct cm_sort_info *info);
void cm_sampling_drop(struct cm_system *system, struct cm_sampling *sampling); /* NULL is allowed */

/* sort_split.c: emit the IMPs. c->own is a part of the sampling. */
void cm_sort_pick(struct cm_sorter *c, uint32_t number);
void cm_sort_splitter(struct cm_sorter *c, uint32_t number);
void cm_sort_tag(struct cm_sorter *c, uint32_t number);
void cm_sort_mix(struct cm_sorter *c, uint32_t number); /* the merge, after the tags */
void cm_sort_number(struct cm_sorter *c, uint32_t number);
/* Scans over all dimensions of the machine. */
void cm_sort_scan(struct cm_sorter *c, uint32_t dimensions);

/* sort_route.c: sends each record to the node of its range and counts the arrivals, and sends each
 * record to its place. */
enum cm_status cm_sort_route_ranges(struct cm_system *system, const struct cm_sort *own,
                                    struct cm_error *err);
enum cm_status cm_sort_route_places(struct cm_system *system, const struct cm_sort *own,
                                    struct cm_error *err);

/* sort_choice.c: returns whether the sort by samples is estimated to take fewer cycles. */
bool cm_sort_samples_pay(const struct cm_config *config, const struct cm_sort *own);

#endif
