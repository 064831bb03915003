/*
 * Estimates which method of sorting is faster, from the operations that the methods do not share.
 * Bank conflicts, address set-ups and loops are left out. The methods share the first sort in the
 * node, and the IMPs between arrays and records.
 */
#include "sort_sample.h"

/* number of levels of comparators in a pass over memory, for records of one word */
#define LEVELS 4u

/* The functions below return cycles, unless their comments say otherwise. */

static uint64_t compare_cycles(const struct cm_config *config, const struct cm_sort_record *record)
{
    if (record->parts == 1)
        return 2 * config->fpu_add_cycles;
    return record->keys * config->fpu_compare_cycles +
           2 * (record->keys - 1 + record->parts) * config->fpu_logical_cycles;
}

/* Returns how often lists of `records` records are halved, in eighths of a halving. The result is
 * interpolated between powers of two. */
static uint64_t eighths_of(uint64_t records)
{
    uint64_t levels = 0;
    while (records >> levels > 1)
        levels++;
    return 8 * levels + (8 * records >> levels) - 8;
}

/* Returns the cycles in which a network of comparators treats `count` records, in `eighths` eighths
 * of a level. A pass over memory loads and stores each record once. */
static uint64_t network_cycles(const struct cm_config *config, const struct cm_sort_record *record,
                               uint64_t count, uint64_t eighths)
{
    const uint64_t share = record->parts == 1 ? LEVELS : LEVELS / 2;
    /* each access opens a page, because lists are further apart than a page */
    const uint64_t access =
        record->words * (config->memory_load_cycles + config->memory_load_page_fault_cycles +
                         config->memory_store_cycles + config->memory_store_page_fault_cycles);
    return count * eighths * (compare_cycles(config, record) * share + 2 * access) / (16 * share);
}

static uint64_t merge_cycles(const struct cm_config *config, const struct cm_sort *part)
{
    return network_cycles(config, &part->record, part->values, eighths_of(part->length));
}

static uint64_t local_cycles(const struct cm_config *config, const struct cm_sort *part)
{
    const uint64_t eighths = eighths_of(part->length);
    return network_cycles(config, &part->record, part->values, eighths * (eighths + 8) / 16);
}

/* Returns the cycles of sorting over the cube. In each stage a record is loaded, unloaded, loaded
 * twice, compared, and stored. */
static uint64_t cube_cycles(const struct cm_config *config, const struct cm_sort *part)
{
    const uint64_t d = part->dimensions, words = part->record.words;
    const uint64_t record =
        words * (3 * config->memory_load_cycles + 2 * config->memory_store_cycles) +
        compare_cycles(config, &part->record) + config->fpu_logical_cycles;
    return d * (d + 1) / 2 * part->values * record + part->exchanges * config->exchange_cycles +
           d * merge_cycles(config, part);
}

/* Returns the cycles that only a sort by samples takes: for the broadcast and the merge of
 * splitters, the numbers of ranges, and the router. */
static uint64_t split_cycles(const struct cm_config *config, const struct cm_sort *own)
{
    const struct cm_sampling *s = own->sampling;
    const uint64_t access = config->memory_load_cycles + config->memory_store_cycles;
    const uint64_t splitters = (UINT64_C(1) << own->dimensions) * s->samples.record.words;
    const uint64_t packets = own->values * own->record.words * config->router_word_cycles;
    /* Each splitter of the broadcast is loaded, unloaded, and reordered in three passes. Numbering
     * a record takes 4 operations. */
    return (s->exchanges - s->samples.exchanges) * config->exchange_cycles +
           splitters * 4 * access + merge_cycles(config, &s->merged) +
           s->merged.length * (2 * access + 4 * config->fpu_logical_cycles) +
           2 * (config->router_start_cycles + packets);
}

bool cm_sort_samples_pay(const struct cm_config *config, const struct cm_sort *own)
{
    const struct cm_sampling *s = own->sampling;
    const uint64_t sample = local_cycles(config, &s->bucket) + local_cycles(config, &s->samples) +
                            cube_cycles(config, &s->samples) + split_cycles(config, own);
    return sample < cube_cycles(config, own);
}
