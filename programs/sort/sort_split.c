/* Emits the IMPs of a sort by samples that take samples of a node's records, merge splitters into
 * its records, number the ranges, and scan the counts of arrived records. */
#include "sort_sample.h"

#define UNROLLED 8u /* number of records in an iteration of a loop */

/* FPU registers that the code of this file uses. */
enum {
    SPLIT_ONE,
    SPLIT_MOST,  /* word that comes last in every order */
    SPLIT_FLIP,  /* all bits in nodes whose samples are complemented, 0 elsewhere */
    SPLIT_INDEX, /* index of the first record of the group, or next tie, or number of the range */
    SPLIT_SPARE,
    SPLIT_STEP,
    /* first of the registers that hold, for each place of a gap, the context of the nodes that take
     * samples there */
    SPLIT_PHASES,
    SPLIT_NEW = SPLIT_PHASES + CM_SORT_PHASES,
    SPLIT_SAMPLE = SPLIT_NEW + 3,
    SPLIT_WORDS = SPLIT_PHASES, /* first free register of IMPs that do not use SPLIT_PHASES */
};

static const struct cm_sampling *sampling_of(const struct cm_sorter *c)
{
    return c->own->sampling;
}

static void emit_load(struct cm_sorter *c, unsigned to, unsigned reg, int64_t offset)
{
    CM_EMIT(c->imp, CM_OP_FLOAD32, cm_reg(to), cm_mem(reg, offset));
}

static void emit_store(struct cm_sorter *c, unsigned reg, int64_t offset, unsigned from)
{
    CM_EMIT(c->imp, CM_OP_FSTORE32, cm_mem(reg, offset), cm_reg(from));
}

/* Emits `to` = a in nodes where bit `bit` of the table word is 1, and `to` = b elsewhere. */
static void emit_choice(struct cm_sorter *c, uint32_t word, uint32_t bit, unsigned to, unsigned a,
                        unsigned b)
{
    CM_EMIT(c->imp, CM_OP_CTXLOAD, cm_mem(ADDRESS_TABLES, word), cm_value(bit));
    cm_sort_op(c, CM_OP_FSEL32, to, a, b);
    cm_imp_emit(c->imp, CM_OP_CTXALL, NULL, 0);
}

/* Emits the load of record `place` of the gap at REG_RECORD. It becomes a possible sample, whose
 * tie is not yet doubled. */
static void emit_candidate(struct cm_sorter *c, uint64_t place)
{
    const struct cm_sampling *s = sampling_of(c);
    const int64_t at = (int64_t)(place * c->record->words);
    for (uint32_t w = 0; w < s->key_words + s->stable; w++)
        emit_load(c, SPLIT_NEW + w, REG_RECORD, at + w);
    if (s->stable)
        return;
    cm_sort_constant(c, SPLIT_SPARE, (uint32_t)place);
    cm_sort_op(c, CM_OP_IADD, SPLIT_NEW + s->key_words, SPLIT_INDEX, SPLIT_SPARE);
}

/* Emits the code that takes one sample of the next `gap` sorted records of a node. Which of these
 * records is the sample differs from node to node. */
static void emit_sample(struct cm_sorter *c, uint64_t gap)
{
    const struct cm_sampling *s = sampling_of(c);
    const uint32_t words = s->key_words + 1;
    for (uint32_t phase = 0; phase < CM_SORT_PHASES; phase++) {
        const uint64_t place = phase * gap / CM_SORT_PHASES;
        if (phase == 0 || place != (phase - 1) * gap / CM_SORT_PHASES)
            emit_candidate(c, place);
        CM_EMIT(c->imp, CM_OP_CTXREST, cm_reg(SPLIT_PHASES + phase));
        for (uint32_t w = 0; w < words; w++)
            cm_sort_op(c, CM_OP_FSEL32, SPLIT_SAMPLE + w, SPLIT_NEW + w,
                       (phase == 0 ? SPLIT_NEW : SPLIT_SAMPLE) + w);
    }
    cm_imp_emit(c->imp, CM_OP_CTXALL, NULL, 0);
    const unsigned tie = SPLIT_SAMPLE + s->key_words;
    cm_sort_op(c, CM_OP_IADD, tie, tie, tie);
    cm_sort_op(c, CM_OP_IADD, tie, tie, SPLIT_ONE);
    for (uint32_t w = 0; w < words; w++) {
        cm_sort_op(c, CM_OP_IXOR, SPLIT_SAMPLE + w, SPLIT_SAMPLE + w, SPLIT_FLIP);
        emit_store(c, REG_KEY, w, SPLIT_SAMPLE + w);
    }
}

/* Emits the code that takes `count` samples, one of each group of `gap` sorted records. */
static void emit_gaps(struct cm_sorter *c, uint64_t count, uint64_t gap)
{
    const struct cm_sampling *s = sampling_of(c);
    if (count == 0)
        return;
    cm_sort_constant(c, SPLIT_STEP, (uint32_t)gap);
    const uint32_t loop = cm_sort_begin_loop(c, count);
    emit_sample(c, gap);
    if (!s->stable)
        cm_sort_op(c, CM_OP_IADD, SPLIT_INDEX, SPLIT_INDEX, SPLIT_STEP);
    cm_emit_advance(c->imp, REG_RECORD, (int64_t)(gap * c->record->words));
    cm_emit_advance(c->imp, REG_KEY, s->key_words + 1);
    cm_sort_end_loop(c, count, loop);
}

void cm_sort_pick(struct cm_sorter *c, uint32_t number)
{
    const struct cm_sampling *s = sampling_of(c);
    const uint64_t gaps = s->samples.length, gap = c->own->length / gaps;
    (void)number;
    cm_sort_constant(c, SPLIT_ONE, 1);
    cm_sort_constant(c, SPLIT_MOST, UINT32_MAX);
    cm_sort_constant(c, SPLIT_SPARE, 0);
    emit_choice(c, TABLE_CODE, s->samples.first_dimension, SPLIT_FLIP, SPLIT_MOST, SPLIT_SPARE);
    for (uint32_t phase = 0; phase < CM_SORT_PHASES; phase++) {
        CM_EMIT(c->imp, CM_OP_CTXLOAD, cm_mem(ADDRESS_TABLES, TABLE_PICK), cm_value(phase));
        CM_EMIT(c->imp, CM_OP_CTXSAVE, cm_reg(SPLIT_PHASES + phase));
    }
    emit_load(c, SPLIT_INDEX, ADDRESS_TABLES, TABLE_BASE);
    cm_emit_point(c->imp, REG_RECORD, ADDRESS_WORK, 0);
    cm_emit_point(c->imp, REG_KEY, ADDRESS_WORK, (int64_t)s->samples_at);
    emit_gaps(c, c->own->length % gaps, gap + 1);
    emit_gaps(c, gaps - c->own->length % gaps, gap);
}

/* Emits the splitter of each node. It is the node's last sample, and in the last node a value after
 * all others. */
void cm_sort_splitter(struct cm_sorter *c, uint32_t number)
{
    const struct cm_sampling *s = sampling_of(c);
    const int64_t last = (int64_t)((c->own->length - 1) * c->record->words);
    (void)number;
    cm_sort_constant(c, SPLIT_MOST, INT32_MAX);
    for (uint32_t w = 0; w < c->record->words; w++)
        emit_load(c, SPLIT_WORDS + w, ADDRESS_WORK, last + w);
    for (uint32_t w = 0; w < c->record->words; w++)
        emit_choice(c, TABLE_PICK, CM_SORT_LAST_BIT, SPLIT_WORDS + w, SPLIT_MOST, SPLIT_WORDS + w);
    for (uint32_t w = 0; w < c->record->words; w++)
        emit_store(c, ADDRESS_WORK, (int64_t)(s->splitter_at - s->samples_at) + w, SPLIT_WORDS + w);
}

/* Function that emits code for each of `count` records, several in an iteration. */
typedef void (*emit_records)(struct cm_sorter *c, uint32_t count);

static void emit_all(struct cm_sorter *c, uint64_t count, emit_records emit)
{
    const uint64_t times = count / UNROLLED;
    if (times > 0) {
        const uint32_t loop = cm_sort_begin_loop(c, times);
        emit(c, UNROLLED);
        cm_sort_end_loop(c, times, loop);
    }
    if (count % UNROLLED > 0)
        emit(c, (uint32_t)(count % UNROLLED));
}

/* Emits the doubling of the indices of `count` records. */
static void double_indices(struct cm_sorter *c, uint32_t count)
{
    const struct cm_sampling *s = sampling_of(c);
    const uint32_t words = c->record->words;
    for (uint32_t k = 0; k < count; k++)
        emit_load(c, SPLIT_WORDS + k, REG_KEY, (int64_t)(k * words + s->key_words));
    for (uint32_t k = 0; k < count; k++) {
        cm_sort_op(c, CM_OP_IADD, SPLIT_WORDS + k, SPLIT_WORDS + k, SPLIT_WORDS + k);
        emit_store(c, REG_KEY, (int64_t)(k * words + s->key_words), SPLIT_WORDS + k);
    }
    cm_emit_advance(c->imp, REG_KEY, (int64_t)(count * words));
}

/* Emits the keys of `count` records, each with its tie: twice its place in the node, a number that
 * decides between equal keys. */
static void add_ties(struct cm_sorter *c, uint32_t count)
{
    const uint32_t keys = sampling_of(c)->key_words, words = keys + 1;
    for (uint32_t w = 0; w < count * keys; w++)
        emit_load(c, SPLIT_WORDS + w, REG_RECORD, w);
    for (uint32_t k = 0; k < count; k++) {
        for (uint32_t w = 0; w < keys; w++)
            emit_store(c, REG_KEY, (int64_t)(k * words + w), SPLIT_WORDS + k * keys + w);
        emit_store(c, REG_KEY, (int64_t)(k * words + keys), SPLIT_INDEX);
        cm_sort_op(c, CM_OP_IADD, SPLIT_INDEX, SPLIT_INDEX, SPLIT_STEP);
    }
    cm_emit_advance(c->imp, REG_RECORD, count * keys);
    cm_emit_advance(c->imp, REG_KEY, count * words);
}

/* Emits `count` records whose keys and ties come after all others. */
static void add_last(struct cm_sorter *c, uint32_t count)
{
    const struct cm_sampling *s = sampling_of(c);
    const uint32_t compared = s->key_words + (c->record->index > 0);
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t w = 0; w < compared; w++)
            emit_store(c, REG_KEY, (int64_t)(k * c->record->words + w), SPLIT_MOST);
    cm_emit_advance(c->imp, REG_KEY, (int64_t)count * c->record->words);
}

/* Emits copies of `count` splitters, the last splitter first. */
static void add_splitters(struct cm_sorter *c, uint32_t count)
{
    const uint32_t words = sampling_of(c)->key_words + 1;
    for (uint32_t k = 0; k < count; k++) {
        for (uint32_t w = 0; w < words; w++)
            emit_load(c, SPLIT_WORDS + w, REG_LOW, -(int64_t)((k + 1) * words) + w);
        for (uint32_t w = 0; w < words; w++)
            emit_store(c, REG_KEY, (int64_t)(k * c->record->words + w), SPLIT_WORDS + w);
    }
    cm_emit_advance(c->imp, REG_LOW, -(int64_t)(count * words));
    cm_emit_advance(c->imp, REG_KEY, (int64_t)(count * c->record->words));
}

void cm_sort_tag(struct cm_sorter *c, uint32_t number)
{
    const struct cm_sampling *s = sampling_of(c);
    const uint64_t nodes = UINT64_C(1) << s->samples.dimensions, length = s->local.length;
    const int64_t merged = (int64_t)s->merged_at;
    (void)number;
    cm_sort_constant(c, SPLIT_STEP, 2);
    cm_sort_constant(c, SPLIT_MOST, INT32_MAX);
    emit_load(c, SPLIT_INDEX, ADDRESS_TABLES, TABLE_BASE);
    cm_sort_op(c, CM_OP_IADD, SPLIT_INDEX, SPLIT_INDEX, SPLIT_INDEX);
    cm_emit_point(c->imp, REG_RECORD, ADDRESS_WORK, -merged);
    cm_emit_point(c->imp, REG_KEY, ADDRESS_WORK, 0);
    emit_all(c, length, s->stable ? double_indices : add_ties);
    emit_all(c, c->own->length - length - nodes, add_last);
    cm_emit_point(c->imp, REG_LOW, ADDRESS_WORK,
                  (int64_t)(s->blocks_at + nodes * (s->key_words + 1)) - merged);
    emit_all(c, nodes, add_splitters);
}

void cm_sort_mix(struct cm_sorter *c, uint32_t number)
{
    (void)number;
    cm_sort_local_merge(c);
}

/* Emits the number of the range of each record, or -1 for a splitter. */
static void number_some(struct cm_sorter *c, uint32_t count)
{
    const struct cm_sampling *s = sampling_of(c);
    for (uint32_t k = 0; k < count; k++)
        emit_load(c, SPLIT_WORDS + k, REG_KEY, (int64_t)(k * c->record->words + s->key_words));
    for (uint32_t k = 0; k < count; k++) {
        const unsigned word = SPLIT_WORDS + k;
        cm_sort_op(c, CM_OP_IAND, word, word, SPLIT_ONE);
        cm_sort_op(c, CM_OP_IADD, SPLIT_SPARE, SPLIT_INDEX, word);
        CM_EMIT(c->imp, CM_OP_CTXREST, cm_reg(word));
        cm_sort_op(c, CM_OP_FSEL32, word, SPLIT_MOST, SPLIT_INDEX);
        cm_sort_op(c, CM_OP_IOR, SPLIT_INDEX, SPLIT_SPARE, SPLIT_SPARE);
    }
    cm_imp_emit(c->imp, CM_OP_CTXALL, NULL, 0);
    for (uint32_t k = 0; k < count; k++)
        emit_store(c, REG_LOW, k, SPLIT_WORDS + k);
    cm_emit_advance(c->imp, REG_LOW, count);
    cm_emit_advance(c->imp, REG_KEY, (int64_t)(count * c->record->words));
}

/* Emits empty records at all places for the records of the node's range, so that places without an
 * arrival are sorted to the end. */
static void fill_bucket(struct cm_sorter *c)
{
    const struct cm_sampling *s = sampling_of(c);
    struct cm_sorter bucket = *c;
    bucket.own = &s->bucket;
    bucket.record = &s->bucket.record;
    cm_sort_constant(c, SPLIT_MOST, INT32_MAX);
    cm_emit_point(c->imp, REG_KEY, ADDRESS_WORK, (int64_t)s->bucket_at - (int64_t)s->merged_at);
    emit_all(&bucket, s->bucket.length, add_last);
}

void cm_sort_number(struct cm_sorter *c, uint32_t number)
{
    const struct cm_sampling *s = sampling_of(c);
    (void)number;
    cm_sort_constant(c, SPLIT_ONE, 1);
    cm_sort_constant(c, SPLIT_INDEX, 0);
    cm_sort_constant(c, SPLIT_MOST, UINT32_MAX);
    cm_emit_point(c->imp, REG_KEY, ADDRESS_WORK, 0);
    cm_emit_point(c->imp, REG_LOW, ADDRESS_WORK, (int64_t)s->numbers_at - (int64_t)s->merged_at);
    emit_all(c, c->own->length, number_some);
    fill_bucket(c);
}

enum { COUNT_TOTAL, COUNT_MOST, COUNT_BEFORE, COUNT_CAME, COUNT_CAME_MOST };

/* Emits the exchange of the total and the largest count of records with the neighbour over a
 * dimension. */
static void emit_swap(struct cm_sorter *c, uint32_t dimension)
{
    const int64_t at = (int64_t)sampling_of(c)->scan_at;
    const uint32_t channels = c->config->network_channels_per_dimension;
    emit_store(c, ADDRESS_WORK, at + SCAN_TOTAL, COUNT_TOTAL);
    emit_store(c, ADDRESS_WORK, at + SCAN_MOST, COUNT_MOST);
    for (uint32_t word = 0; word < 2; word += channels) {
        const uint32_t words = channels < 2 - word ? channels : 2 - word;
        cm_emit_send(c->imp, c->config, dimension,
                     (struct cm_place){ADDRESS_WORK, at + SCAN_TOTAL + word}, words);
        cm_emit_exchange(c->imp);
        cm_emit_receive(c->imp, c->config, dimension,
                        (struct cm_place){ADDRESS_WORK, at + SCAN_CAME + word}, words);
    }
    emit_load(c, COUNT_CAME, ADDRESS_WORK, at + SCAN_CAME);
    emit_load(c, COUNT_CAME_MOST, ADDRESS_WORK, at + SCAN_CAME + 1);
}

/* Emits the scan of record counts. It computes how many records are in nodes with lower addresses,
 * and the largest count of any node of the machine. */
void cm_sort_scan(struct cm_sorter *c, uint32_t dimensions)
{
    const struct cm_sampling *s = sampling_of(c);
    const uint32_t first = s->samples.first_dimension, end = first + s->samples.dimensions;
    const int64_t at = (int64_t)s->scan_at;
    emit_load(c, COUNT_TOTAL, ADDRESS_WORK, at + SCAN_COUNT);
    emit_load(c, COUNT_MOST, ADDRESS_WORK, at + SCAN_COUNT);
    cm_sort_constant(c, COUNT_BEFORE, 0);
    for (uint32_t dimension = 0; dimension < dimensions; dimension++) {
        emit_swap(c, dimension);
        cm_sort_op(c, CM_OP_IMAX, COUNT_MOST, COUNT_MOST, COUNT_CAME_MOST);
        if (dimension < first || dimension >= end)
            continue;
        cm_sort_op(c, CM_OP_IADD, COUNT_TOTAL, COUNT_TOTAL, COUNT_CAME);
        cm_sort_op(c, CM_OP_IADD, COUNT_CAME, COUNT_BEFORE, COUNT_CAME);
        emit_choice(c, TABLE_CODE, dimension, COUNT_BEFORE, COUNT_CAME, COUNT_BEFORE);
    }
    emit_store(c, ADDRESS_WORK, at + SCAN_BEFORE, COUNT_BEFORE);
    emit_store(c, ADDRESS_WORK, at + SCAN_MOST, COUNT_MOST);
}
