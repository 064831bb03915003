/*
 * Sorts within nodes. The columns of records are stored one after the other. Each column is sorted
 * by a network of comparators, which depends only on the column's length n. h is n / 2, rounded
 * down.
 *
 *     sort n      sort both halves of the first 2 h records, compare i with 2 h - 1 - i, merge
 *                 both halves, and if n is odd insert the last record
 *     merge n     n odd:  merge n - 1, insert the last record
 *                 n even: compare i with i + h, merge both halves
 *
 * "merge" takes any bitonic list, even a rotated one. Its comparisons leave two bitonic halves, and
 * a bitonic list without its last record is bitonic. Lists that fit the registers are sorted or
 * merged there. Longer lists are sorted in passes, each of several levels, over all lists of one
 * length.
 */
#include "sort_private.h"

#define NEST_MAX   32u
#define BASE_MAX   16u /* limit on the records of a list that is sorted in registers */
#define LEVELS_MAX 4u  /* limit on the levels of a pass */
#define INSERTED   16u /* number of parts of records in a step of an insertion */
#define UNROLLED   32u /* number of parts of records in the innermost loop */

/* Nest of loops over lists, the outermost first. Offsets are words from the first list. */
struct nest {
    uint32_t depth;
    struct {
        uint64_t count;
        int64_t words; /* distance in words from one list to the next */
    } levels[NEST_MAX];
};

/* Pass over lists of records: what is done to each list. */
struct pass {
    void (*body)(struct cm_sorter *c, const struct pass *pass, int64_t offset);
    uint64_t length; /* number of records of a list */
    uint32_t levels; /* for clean(): number of levels of the merge */
    /* number of records that are in registers together. For clean(): number of neighbouring records
     */
    uint32_t records;
    int64_t base; /* offset of the treated records in a list, in words */
};

static int64_t words_of(const struct cm_sorter *c, uint64_t records)
{
    return (int64_t)(records * c->record->words);
}

static uint32_t capacity_of(const struct cm_sorter *c)
{
    return (CM_FPU_REGISTERS - FPU_LOCAL) / c->record->parts;
}

static uint32_t base_of(const struct cm_sorter *c)
{
    const uint32_t capacity = capacity_of(c);
    return capacity < BASE_MAX ? capacity : BASE_MAX;
}

/* Returns how often a list of n records is halved until it fits the registers. */
static uint32_t halvings_of(const struct cm_sorter *c, uint64_t n)
{
    uint32_t halvings = 0;
    while (n >> halvings > base_of(c))
        halvings++;
    return halvings;
}

/* Returns the nest with another inner loop, over `count` lists that are `words` apart. */
static struct nest divided(const struct nest *nest, uint64_t count, int64_t words)
{
    struct nest inner = *nest;
    const uint32_t last = nest->depth - 1;
    if (count <= 1)
        return inner;
    if (nest->depth > 0 && nest->levels[last].words == (int64_t)count * words) {
        inner.levels[last].count *= count;
        inner.levels[last].words = words;
        return inner;
    }
    inner.levels[inner.depth].count = count;
    inner.levels[inner.depth++].words = words;
    return inner;
}

static void emit_bodies(struct cm_sorter *c, const struct pass *pass, uint64_t count, int64_t words)
{
    for (uint64_t k = 0; k < count; k++)
        pass->body(c, pass, pass->base + (int64_t)k * words);
}

/* Emits the innermost loop of a nest. Returns by how many words the code moves register REG_LOW. */
static int64_t emit_innermost(struct cm_sorter *c, const struct pass *pass, uint64_t count,
                              int64_t words, uint64_t unrolled)
{
    const uint64_t bodies = count < unrolled ? count : unrolled, times = count / bodies;
    if (times == 1) {
        emit_bodies(c, pass, count, words);
        return 0;
    }
    const uint32_t loop = cm_sort_begin_loop(c, times);
    emit_bodies(c, pass, bodies, words);
    cm_emit_advance(c->imp, REG_LOW, (int64_t)bodies * words);
    cm_sort_end_loop(c, times, loop);
    emit_bodies(c, pass, count % bodies, words);
    return (int64_t)(times * bodies) * words;
}

static int64_t emit_levels(struct cm_sorter *c, const struct nest *nest, uint32_t level,
                           const struct pass *pass, uint64_t unrolled)
{
    if (level == nest->depth) {
        pass->body(c, pass, pass->base);
        return 0;
    }
    const uint64_t count = nest->levels[level].count;
    const int64_t words = nest->levels[level].words;
    if (level + 1 == nest->depth)
        return emit_innermost(c, pass, count, words, unrolled);
    const uint32_t loop = cm_sort_begin_loop(c, count);
    const int64_t moved = emit_levels(c, nest, level + 1, pass, unrolled);
    cm_emit_advance(c->imp, REG_LOW, words - moved);
    cm_sort_end_loop(c, count, loop);
    return (int64_t)count * words;
}

/* Emits the loops of a nest around a pass. `records` is the number of records that a body treats.
 */
static void emit_pass(struct cm_sorter *c, const struct nest *nest, const struct pass *pass,
                      uint64_t records)
{
    const uint64_t parts = records * c->record->parts;
    cm_emit_point(c->imp, REG_LOW, ADDRESS_WORK, 0);
    emit_levels(c, nest, 0, pass, parts < UNROLLED ? UNROLLED / parts : 1);
}

/* These functions emit the loads of neighbouring records into registers, and the stores. */
static void emit_load(struct cm_sorter *c, const struct cm_sort_registers *registers,
                      uint32_t first, uint32_t count, struct cm_place from)
{
    for (uint32_t k = 0; k < count; k++)
        cm_sort_record_load(c, registers, first + k,
                            (struct cm_place){from.reg, from.offset + words_of(c, k)});
}

static void emit_store(struct cm_sorter *c, const struct cm_sort_registers *registers,
                       uint32_t first, uint32_t count, struct cm_place to)
{
    for (uint32_t k = 0; k < count; k++)
        cm_sort_record_store(c, registers, first + k,
                             (struct cm_place){to.reg, to.offset + words_of(c, k)});
}

/* Emits the insertion of the last of n records in registers among the others, which are sorted. */
static void emit_sinking(struct cm_sorter *c, struct cm_sort_registers *registers, uint32_t low,
                         uint32_t n)
{
    for (uint32_t i = n - 1; i-- > 0;)
        cm_sort_comparator(c, registers, low + i, low + i + 1);
}

static void merge_registers(struct cm_sorter *c, struct cm_sort_registers *registers, uint32_t low,
                            uint32_t n)
{
    if (n < 2)
        return;
    if (n % 2 != 0) {
        merge_registers(c, registers, low, n - 1);
        emit_sinking(c, registers, low, n);
        return;
    }
    for (uint32_t i = 0; i < n / 2; i++)
        cm_sort_comparator(c, registers, low + i, low + i + n / 2);
    merge_registers(c, registers, low, n / 2);
    merge_registers(c, registers, low + n / 2, n / 2);
}

static void sort_registers(struct cm_sorter *c, struct cm_sort_registers *registers, uint32_t low,
                           uint32_t n)
{
    if (n < 2)
        return;
    if (n % 2 != 0) {
        sort_registers(c, registers, low, n - 1);
        emit_sinking(c, registers, low, n);
        return;
    }
    sort_registers(c, registers, low, n / 2);
    sort_registers(c, registers, low + n / 2, n / 2);
    for (uint32_t i = 0; i < n / 2; i++)
        cm_sort_comparator(c, registers, low + i, low + n - 1 - i);
    merge_registers(c, registers, low, n / 2);
    merge_registers(c, registers, low + n / 2, n / 2);
}

/* Emits the sort or merge (`network`) of a list that fits the registers. */
static void emit_short(struct cm_sorter *c, const struct pass *pass, int64_t offset,
                       void (*network)(struct cm_sorter *c, struct cm_sort_registers *registers,
                                       uint32_t low, uint32_t n))
{
    const uint32_t n = (uint32_t)pass->length;
    const struct cm_place list = {REG_LOW, offset};
    struct cm_sort_registers registers;
    cm_sort_registers_init(&registers, FPU_LOCAL);
    emit_load(c, &registers, 0, n, list);
    network(c, &registers, 0, n);
    cm_sort_all_nodes(c);
    emit_store(c, &registers, 0, n, list);
}

static void short_sort(struct cm_sorter *c, const struct pass *pass, int64_t offset)
{
    emit_short(c, pass, offset, sort_registers);
}

static void short_merge(struct cm_sorter *c, const struct pass *pass, int64_t offset)
{
    emit_short(c, pass, offset, merge_registers);
}

/* Emits the last levels of a merge for `pass->records` neighbouring records. With record i come the
 * records i + h, i + 2 h, ... of the list, where h is the distance after these levels. */
static void clean(struct cm_sorter *c, const struct pass *pass, int64_t offset)
{
    const uint32_t lanes = UINT32_C(1) << pass->levels, near = pass->records;
    const int64_t distance = words_of(c, pass->length >> pass->levels);
    struct cm_sort_registers registers;
    cm_sort_registers_init(&registers, FPU_LOCAL);
    for (uint32_t lane = 0; lane < lanes; lane++)
        emit_load(c, &registers, lane * near, near,
                  (struct cm_place){REG_LOW, offset + lane * distance});
    for (uint32_t half = lanes / 2; half > 0; half /= 2)
        for (uint32_t lane = 0; lane < lanes; lane++)
            for (uint32_t k = 0; (lane & half) == 0 && k < near; k++)
                cm_sort_comparator(c, &registers, lane * near + k, (lane + half) * near + k);
    cm_sort_all_nodes(c);
    for (uint32_t lane = 0; lane < lanes; lane++)
        emit_store(c, &registers, lane * near, near,
                   (struct cm_place){REG_LOW, offset + lane * distance});
}

/* Emits the comparison of `count` records from REG_UP on with as many records before REG_DOWN, in
 * reverse order. */
static void reflect_some(struct cm_sorter *c, uint32_t count)
{
    const struct cm_place low = {REG_UP, 0}, high = {REG_DOWN, -words_of(c, count)};
    struct cm_sort_registers registers;
    cm_sort_registers_init(&registers, FPU_LOCAL);
    emit_load(c, &registers, 0, count, low);
    emit_load(c, &registers, count, count, high);
    for (uint32_t k = 0; k < count; k++)
        cm_sort_comparator(c, &registers, k, 2 * count - 1 - k);
    cm_sort_all_nodes(c);
    emit_store(c, &registers, 0, count, low);
    emit_store(c, &registers, count, count, high);
}

/* Emits the first level of a merge of two sorted halves. Afterwards the first half has the earlier
 * records, the second half the later ones, and both are bitonic. */
static void reflect(struct cm_sorter *c, const struct pass *pass, int64_t offset)
{
    const uint64_t half = pass->length / 2, times = half / pass->records;
    cm_emit_point(c->imp, REG_UP, REG_LOW, offset);
    cm_emit_point(c->imp, REG_DOWN, REG_LOW, offset + words_of(c, 2 * half));
    const uint32_t loop = cm_sort_begin_loop(c, times);
    reflect_some(c, pass->records);
    cm_emit_advance(c->imp, REG_UP, words_of(c, pass->records));
    cm_emit_advance(c->imp, REG_DOWN, -words_of(c, pass->records));
    cm_sort_end_loop(c, times, loop);
    if (half % pass->records > 0)
        reflect_some(c, (uint32_t)(half % pass->records));
}

/* Emits one step of an insertion: the last of the `count` records before REG_DOWN is inserted among
 * the others. */
static void insert_some(struct cm_sorter *c, uint32_t count)
{
    const struct cm_place list = {REG_DOWN, -words_of(c, count)};
    struct cm_sort_registers registers;
    cm_sort_registers_init(&registers, FPU_LOCAL);
    emit_load(c, &registers, 0, count, list);
    emit_sinking(c, &registers, 0, count);
    cm_sort_all_nodes(c);
    emit_store(c, &registers, 0, count, list);
}

/* Emits the insertion of the last record of a list among the others, which are sorted. The record
 * passes from one group of records to the next, and consecutive groups overlap in one record. */
static void insert(struct cm_sorter *c, const struct pass *pass, int64_t offset)
{
    const uint64_t step = pass->records - 1;
    const uint64_t times = (pass->length - 1) / step, rest = (pass->length - 1) % step;
    cm_emit_point(c->imp, REG_DOWN, REG_LOW, offset + words_of(c, pass->length));
    const uint32_t loop = cm_sort_begin_loop(c, times);
    insert_some(c, pass->records);
    cm_emit_advance(c->imp, REG_DOWN, -words_of(c, step));
    cm_sort_end_loop(c, times, loop);
    if (rest > 0)
        insert_some(c, (uint32_t)rest + 1);
}

static void emit_insert(struct cm_sorter *c, const struct nest *nest, uint64_t n)
{
    const uint32_t near = INSERTED / c->record->parts;
    const struct pass pass = {.body = insert, .length = n, .records = near > 2 ? near : 2};
    emit_pass(c, nest, &pass, UNROLLED);
}

/* Returns the number of levels of the next pass over lists of n records. All passes have about the
 * same number of levels, and no list has odd length before the pass's last level. */
static uint32_t levels_of(const struct cm_sorter *c, uint64_t n)
{
    uint32_t most = 1, levels = 1;
    while (most < LEVELS_MAX && UINT32_C(2) << most <= capacity_of(c))
        most++;
    const uint32_t wanted = halvings_of(c, n), passes = (wanted + most - 1) / most;
    const uint32_t share = (wanted + passes - 1) / passes;
    while (levels < share && n >> levels > base_of(c) && (n >> levels) % 2 == 0)
        levels++;
    return levels;
}

static void emit_clean(struct cm_sorter *c, const struct nest *nest, uint64_t n, uint32_t levels)
{
    const uint64_t distance = n >> levels;
    struct pass pass = {.body = clean, .length = n, .levels = levels, .records = 1};
    while (2 * pass.records << levels <= capacity_of(c) && 2 * pass.records << levels <= BASE_MAX)
        pass.records *= 2;
    const uint64_t rest = distance % pass.records;
    const struct nest inner = divided(nest, distance / pass.records, words_of(c, pass.records));
    emit_pass(c, &inner, &pass, (uint64_t)pass.records << levels);
    if (rest == 0)
        return;
    pass.base = words_of(c, distance - rest);
    pass.records = (uint32_t)rest;
    emit_pass(c, nest, &pass, rest << levels);
}

static void emit_merge(struct cm_sorter *c, const struct nest *nest, uint64_t n)
{
    if (n <= base_of(c)) {
        const struct pass pass = {.body = short_merge, .length = n};
        emit_pass(c, nest, &pass, n);
    } else if (n % 2 != 0) {
        emit_merge(c, nest, n - 1);
        emit_insert(c, nest, n);
    } else {
        const uint32_t levels = levels_of(c, n);
        const struct nest inner = divided(nest, UINT64_C(1) << levels, words_of(c, n >> levels));
        emit_clean(c, nest, n, levels);
        emit_merge(c, &inner, n >> levels);
    }
}

/* Returns a nest of loops over the columns of a node. */
static struct nest columns_of(const struct cm_sorter *c)
{
    const struct nest all = {0};
    return divided(&all, c->own->values / c->own->length, words_of(c, c->own->length));
}

uint32_t cm_sort_local_levels(const struct cm_sorter *c)
{
    return halvings_of(c, c->own->length) + 1;
}

uint64_t cm_sort_local_even(const struct cm_sorter *c, uint64_t n)
{
    for (uint64_t unit = UINT64_C(1) << halvings_of(c, n); n % unit != 0;
         unit = UINT64_C(1) << halvings_of(c, n))
        n += unit - n % unit;
    return n;
}

/* Emits the sort of lists of n records whose two halves are sorted already. */
static void emit_join(struct cm_sorter *c, const struct nest *nest, uint64_t n)
{
    const uint64_t half = n / 2;
    const struct nest halves = divided(nest, 2, words_of(c, half));
    const struct pass pass = {.body = reflect, .length = 2 * half, .records = base_of(c) / 2};
    emit_pass(c, nest, &pass, UNROLLED);
    emit_merge(c, &halves, half);
    if (n % 2 != 0)
        emit_insert(c, nest, n);
}

void cm_sort_local_level(struct cm_sorter *c, uint32_t level)
{
    struct nest nest = columns_of(c);
    uint64_t n = c->own->length;
    for (uint32_t left = halvings_of(c, n); left > level; left--) {
        n /= 2;
        nest = divided(&nest, 2, words_of(c, n));
    }
    if (level == 0 && n > 1) {
        const struct pass pass = {.body = short_sort, .length = n};
        emit_pass(c, &nest, &pass, n);
    } else if (level > 0) {
        emit_join(c, &nest, n);
    }
}

void cm_sort_local_merge(struct cm_sorter *c)
{
    const struct nest nest = columns_of(c);
    if (c->own->length > 1)
        emit_merge(c, &nest, c->own->length);
}
