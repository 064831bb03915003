/*
 * A sort by samples, for what the files of the sort compiler share. Not installed.
 *
 *     begin      records of the node's elements, sorted in the node; samples of them
 *     samples    sorted over the cube; the last one of each node is a splitter
 *                every node gets all splitters, by an all-to-all broadcast
 *     split      splitters merged into the node's records: those between two belong to one node
 *                the router takes each record there
 *     scan       how many came to the nodes before; the front end reads the most
 *     sort       what came, in the node
 *                the router takes each record to its place
 *     deliver    records to arrays
 *
 * Every record has a number of its own to decide between equal keys, its *tie*: twice the index
 * along the axis where the sort is stable, else twice the place after the sort in the node. A
 * sample's tie is one more, so that splitters can be told from records. Ranges are numbered by the
 * address of their node in the axis's dimensions.
 */
#ifndef CM_PROGRAMS_SORT_SORT_SAMPLE_H
#define CM_PROGRAMS_SORT_SORT_SAMPLE_H

#include "../alltoall/alltoall.h"
#include "sort_private.h"

#define CM_SORT_PHASES   16u /* different places where nodes take their samples */
#define CM_SORT_LAST_BIT 16u /* of the word TABLE_PICK; the bits before are those of the phases */

enum cm_sort_stage { STAGE_BEGIN, STAGE_SAMPLES, STAGE_SPLIT, STAGE_SCAN, STAGE_SORT, STAGE_END };
#define CM_SORT_STAGES (STAGE_END + 1u)

/* Words that the scan needs in node memory. */
enum { SCAN_COUNT, SCAN_TOTAL, SCAN_MOST, SCAN_BEFORE, SCAN_CAME, SCAN_WORDS = SCAN_CAME + 2 };

struct cm_sampling {
    /* sorts in the node and over the cube, as far as compilers need them: of the node's records, of
     * the samples, of records and splitters together, of what comes to the node */
    struct cm_sort local, samples, merged, bucket;
    uint32_t key_words; /* a tie comes behind them */
    bool stable;
    /* areas, from the begin of all of them; the node's records are the first */
    uint64_t merged_at, numbers_at, bucket_at, samples_at, splitter_at, blocks_at, scan_at;
    uint64_t words;   /* of all areas; 0: not allocated */
    uint64_t address; /* of the first */
    struct cm_compiled *stages[CM_SORT_STAGES];
    struct cm_alltoall *broadcast;
    uint64_t exchanges;
    uint64_t most;
    bool overflowed;
};

/* sort_sample.c */

/* Of the word TABLE_PICK of a node. */
uint32_t cm_sort_pick_bits(const struct cm_sort *own, uint32_t code, uint32_t coordinate);
/* Makes own->sampling if the task asks for it and it can be done. */
enum cm_status cm_sort_choose(struct cm_system *system, struct cm_sort *own, struct cm_error *err);
/* *sorted: whether the nodes had room for all records; else nothing was written. */
enum cm_status cm_sampling_run(struct cm_system *system, const struct cm_sort *own,
                               struct cm_actual *actuals, bool *sorted, struct cm_error *err);
void cm_sampling_describe(const struct cm_sampling *sampling, struct cm_sort_info *info);
void cm_sampling_drop(struct cm_system *system, struct cm_sampling *sampling); /* NULL: nothing */

/* sort_split.c: IMPs; c->own is a part of the sampling. */
void cm_sort_pick(struct cm_sorter *c, uint32_t number);
void cm_sort_splitter(struct cm_sorter *c, uint32_t number);
void cm_sort_tag(struct cm_sorter *c, uint32_t number);
void cm_sort_mix(struct cm_sorter *c, uint32_t number); /* the merge, after the tags */
void cm_sort_number(struct cm_sorter *c, uint32_t number);
void cm_sort_scan(struct cm_sorter *c, uint32_t dimensions); /* of the machine */

/* sort_route.c: each record to the node of its range; counts what comes and the most. To its
 * place. */
enum cm_status cm_sort_route_ranges(struct cm_system *system, const struct cm_sort *own,
                                    struct cm_error *err);
enum cm_status cm_sort_route_places(struct cm_system *system, const struct cm_sort *own,
                                    struct cm_error *err);

/* sort_choice.c: whether the sort by samples is estimated to take fewer cycles. */
bool cm_sort_samples_pay(const struct cm_config *config, const struct cm_sort *own);

#endif
