/* Channels: two words for one, tables read once and again after they change, words pending
 * meanwhile, counts. The automaton is compared with a count node by node. */
#include "random.h"
#include "sim/machine/channels.h"
#include "sim/machine/machine.h"
#include "suite.h"

#include <string.h>

#define NODES 16u
#define SLOTS 32u
#define WORDS 64u

struct bench {
    struct cm_memory memory;
    struct cm_channels channels;
};

static void bench_create(struct bench *bench, uint32_t nodes, uint32_t slots, uint64_t channels)
{
    cm_memory_init(&bench->memory, WORDS, nodes, 1);
    ck_assert_int_eq(cm_memory_reserve(&bench->memory, 0, WORDS, NULL), CM_OK);
    ck_assert_int_eq(cm_channels_init(&bench->channels, &bench->memory, slots, channels, NULL),
                     CM_OK);
}

static void bench_finish(struct bench *bench)
{
    cm_channels_finish(&bench->channels);
    cm_memory_finish(&bench->memory);
}

static void usual_bench(struct bench *bench)
{
    bench_create(bench, NODES, SLOTS, cm_channel_slots(SLOTS, 4, 2));
}

static enum cm_channels_status load_slot(struct bench *bench, uint32_t slot)
{
    uint32_t key;
    require(cm_channels_find_slot(&bench->channels, slot, &key) == CM_CHANNELS_OK);
    return cm_channels_load(&bench->channels, key);
}

static enum cm_channels_status load_table(struct bench *bench, uint64_t address, uint32_t field,
                                          uint32_t half)
{
    uint32_t key;
    enum cm_channels_status status = cm_channels_find(&bench->channels, address, field, half, &key);
    return status == CM_CHANNELS_OK ? cm_channels_load(&bench->channels, key) : status;
}

/* Memory changes as the machine changes it: the channels are notified. */
static void write_table(struct bench *bench, uint64_t address, const uint32_t *words)
{
    memcpy(cm_memory_plane(&bench->memory, 0, address), words,
           bench->memory.nodes * sizeof(uint32_t));
    ck_assert_int_eq(cm_channels_touch(&bench->channels, address, 1), CM_CHANNELS_OK);
}

static void write_same(struct bench *bench, uint64_t address, uint32_t word)
{
    uint32_t words[NODES];
    for (uint32_t n = 0; n < NODES; n++)
        words[n] = word;
    write_table(bench, address, words);
}

static uint64_t exchange(struct cm_channels *channels)
{
    uint64_t sent = 0;
    require_uint_eq(cm_channels_exchange(channels, &sent), CM_CHANNELS_OK);
    return sent;
}

START_TEST(channels_are_the_slots_of_figure_3)
{
    ck_assert_uint_eq(cm_channel_slots(32, 11, 2), 0x0ffe0ffe); /* 1..11 and 17..27 */
    ck_assert_uint_eq(cm_channel_slots(32, 11, 1), 0x00000ffe);
    ck_assert_uint_eq(cm_channel_slots(64, 16, 2), 0x0001fffe0001fffe);
    ck_assert_uint_eq(cm_channel_slots(32, 0, 2), 0);
    for (uint32_t d = 0; d < 11; d++)
        for (uint32_t channel = 0; channel < 2; channel++)
            ck_assert_uint_eq(cm_channel_slots(32, 11, 2) >> cm_slot_of_channel(32, d, channel) & 1,
                              1);
}
END_TEST

START_TEST(a_second_word_for_a_slot_is_a_conflict_until_an_exchange)
{
    struct bench bench;
    usual_bench(&bench);
    ck_assert_int_eq(load_slot(&bench, 3), CM_CHANNELS_OK);
    ck_assert_int_eq(load_slot(&bench, 4), CM_CHANNELS_OK);
    ck_assert_int_eq(load_slot(&bench, 3), CM_CHANNELS_CONFLICT);
    ck_assert_uint_eq(bench.channels.fault_slot, 3);
    ck_assert_uint_eq(bench.channels.fault_node, 0);
    ck_assert_uint_eq(exchange(&bench.channels), 2 * NODES);
    ck_assert_int_eq(load_slot(&bench, 3), CM_CHANNELS_OK);
    bench_finish(&bench);
}
END_TEST

START_TEST(a_conflict_in_one_node_alone_is_found_there)
{
    struct bench bench;
    uint32_t words[NODES];
    usual_bench(&bench);
    for (uint32_t n = 0; n < NODES; n++)
        words[n] = n == 11 ? 2 : 1;
    write_table(&bench, 5, words);
    ck_assert_int_eq(load_slot(&bench, 2), CM_CHANNELS_OK);
    ck_assert_int_eq(load_table(&bench, 5, 0, 0), CM_CHANNELS_CONFLICT);
    ck_assert_uint_eq(bench.channels.fault_node, 11);
    ck_assert_uint_eq(bench.channels.fault_slot, 2);
    ck_assert_int_eq(load_table(&bench, 5, 0, 1), CM_CHANNELS_OK); /* the other set */
    bench_finish(&bench);
}
END_TEST

START_TEST(a_table_that_names_no_slot_is_found_out)
{
    struct bench bench;
    uint32_t words[NODES] = {0};
    uint32_t key;
    usual_bench(&bench);
    words[7] = 32u << 16;
    write_table(&bench, 9, words);
    ck_assert_int_eq(load_table(&bench, 9, 2, 0), CM_CHANNELS_BAD_SLOT);
    ck_assert_uint_eq(bench.channels.fault_node, 7);
    ck_assert_uint_eq(bench.channels.fault_slot, 32);
    ck_assert(!cm_channels_known(&bench.channels, 9, 2, 0));
    words[7] = 31u << 16;
    write_table(&bench, 9, words);
    ck_assert_int_eq(cm_channels_find(&bench.channels, 9, 2, 0, &key), CM_CHANNELS_OK);
    ck_assert_uint_eq(cm_channels_indirect(&bench.channels, key).slots[7], 31);
    bench_finish(&bench);
}
END_TEST

START_TEST(each_byte_and_half_of_a_table_word_has_its_key)
{
    struct bench bench;
    uint32_t words[NODES], key;
    usual_bench(&bench);
    for (uint32_t n = 0; n < NODES; n++)
        words[n] = n % 5 | (n % 3 + 5) << 8 | (n % 2 + 9) << 16 | n << 24;
    write_table(&bench, 0, words);
    for (uint32_t field = 0; field < 4; field++)
        for (uint32_t half = 0; half < 2; half++) {
            uint64_t present = 0;
            ck_assert_int_eq(cm_channels_find(&bench.channels, 0, field, half, &key),
                             CM_CHANNELS_OK);
            struct cm_indirect choice = cm_channels_indirect(&bench.channels, key);
            for (uint32_t n = 0; n < NODES; n++) {
                uint32_t slot = (words[n] >> 8 * field & 0xff) + half * SLOTS / 2;
                ck_assert_uint_eq(choice.slots[n], slot);
                present |= UINT64_C(1) << slot;
            }
            ck_assert_uint_eq(choice.present[0], present);
        }
    bench_finish(&bench);
}
END_TEST

START_TEST(a_rewritten_table_is_read_again_and_no_other)
{
    struct bench bench;
    uint32_t key;
    usual_bench(&bench);
    write_same(&bench, 10, 1);
    write_same(&bench, 12, 2);
    ck_assert_int_eq(cm_channels_find(&bench.channels, 10, 0, 0, &key), CM_CHANNELS_OK);
    ck_assert_int_eq(cm_channels_find(&bench.channels, 12, 0, 0, &key), CM_CHANNELS_OK);
    ck_assert_int_eq(cm_channels_touch(&bench.channels, 11, 1), CM_CHANNELS_OK);
    ck_assert_int_eq(cm_channels_touch(&bench.channels, 0, 10), CM_CHANNELS_OK);
    ck_assert_int_eq(cm_channels_touch(&bench.channels, 13, 51), CM_CHANNELS_OK);
    ck_assert_int_eq(cm_channels_touch(&bench.channels, 12, 0), CM_CHANNELS_OK);
    ck_assert(cm_channels_known(&bench.channels, 10, 0, 0));
    ck_assert(cm_channels_known(&bench.channels, 12, 0, 0));
    ck_assert(!cm_channels_known(&bench.channels, 12, 1, 0));
    ck_assert(!cm_channels_known(&bench.channels, 12, 0, 1));
    cm_memory_plane(&bench.memory, 0, 12)[3] = 9;
    ck_assert_int_eq(cm_channels_touch(&bench.channels, 11, 2), CM_CHANNELS_OK);
    ck_assert(!cm_channels_known(&bench.channels, 12, 0, 0));
    ck_assert_int_eq(cm_channels_find(&bench.channels, 12, 0, 0, &key), CM_CHANNELS_OK);
    ck_assert_uint_eq(cm_channels_indirect(&bench.channels, key).slots[3], 9);
    ck_assert_uint_eq(cm_channels_indirect(&bench.channels, key).slots[4], 2);
    bench_finish(&bench);
}
END_TEST

START_TEST(words_stay_pending_while_a_table_changes)
{
    struct bench bench;
    usual_bench(&bench);
    write_same(&bench, 10, 1);
    ck_assert_int_eq(load_table(&bench, 10, 0, 0), CM_CHANNELS_OK);
    write_same(&bench, 10, 2);
    ck_assert_uint_eq(cm_channels_loaded_slots(&bench.channels), 1u << 1);
    ck_assert_int_eq(load_table(&bench, 10, 0, 0), CM_CHANNELS_OK);
    write_same(&bench, 10, 1);
    ck_assert_uint_eq(cm_channels_loaded_slots(&bench.channels), 1u << 1 | 1u << 2);
    ck_assert_int_eq(load_table(&bench, 10, 0, 0), CM_CHANNELS_CONFLICT);
    ck_assert_uint_eq(exchange(&bench.channels), 2 * NODES);
    ck_assert_uint_eq(cm_channels_loaded_slots(&bench.channels), 0);
    ck_assert_int_eq(load_table(&bench, 10, 0, 0), CM_CHANNELS_OK);
    ck_assert_uint_eq(exchange(&bench.channels), NODES);
    const uint64_t *words = cm_channels_channel_words(&bench.channels);
    ck_assert_uint_eq(words[1 * NODES + 5], 2);
    ck_assert_uint_eq(words[2 * NODES + 5], 1);
    bench_finish(&bench);
}
END_TEST

/* ---- against a count node by node ---- */

struct naive {
    uint64_t pending[NODES];
    uint64_t words[SLOTS * NODES];
};

static bool naive_conflict(const struct naive *naive, const uint32_t slots[NODES])
{
    for (uint32_t n = 0; n < NODES; n++)
        if (naive->pending[n] >> slots[n] & 1)
            return true;
    return false;
}

static uint64_t naive_exchange(struct naive *naive, uint64_t channels)
{
    uint64_t sent = 0;
    for (uint32_t n = 0; n < NODES; n++)
        for (uint32_t slot = 0; slot < SLOTS; slot++)
            if (naive->pending[n] >> slot & 1) {
                naive->words[slot * NODES + n]++;
                sent += channels >> slot & 1;
            }
    memset(naive->pending, 0, sizeof naive->pending);
    return sent;
}

static uint64_t naive_slots(const struct naive *naive)
{
    uint64_t slots = 0;
    for (uint32_t n = 0; n < NODES; n++)
        slots |= naive->pending[n];
    return slots;
}

/* A load through a table or of one slot; tells whether it made a conflict, as it must have. */
static bool random_load(struct bench *bench, struct naive *naive, struct random_source *random)
{
    uint32_t slots[NODES];
    enum cm_channels_status status;
    if (random_below(random, 2)) {
        uint32_t slot = random_below(random, SLOTS);
        for (uint32_t n = 0; n < NODES; n++)
            slots[n] = slot;
        status = load_slot(bench, slot);
    } else {
        uint32_t address = random_below(random, 4), field = random_below(random, 4);
        uint32_t half = random_below(random, 2);
        for (uint32_t n = 0; n < NODES; n++)
            slots[n] = (cm_memory_plane(&bench->memory, 0, address)[n] >> 8 * field & 0xff) |
                       half * SLOTS / 2;
        status = load_table(bench, address, field, half);
    }
    bool conflict = naive_conflict(naive, slots);
    require(status == (conflict ? CM_CHANNELS_CONFLICT : CM_CHANNELS_OK));
    if (conflict)
        require_uint_eq(
            naive->pending[bench->channels.fault_node] >> bench->channels.fault_slot & 1, 1);
    for (uint32_t n = 0; !conflict && n < NODES; n++)
        naive->pending[n] |= UINT64_C(1) << slots[n];
    return conflict;
}

static void random_table(struct bench *bench, struct random_source *random, uint64_t address)
{
    uint32_t words[NODES];
    uint32_t few = random_below(random, 2) ? 2 : SLOTS;
    for (uint32_t n = 0; n < NODES; n++) {
        words[n] = 0;
        for (uint32_t field = 0; field < 4; field++)
            words[n] |= (random_below(random, few) * 3 % SLOTS) << 8 * field;
    }
    write_table(bench, address, words);
}

static void check_words(struct bench *bench, const struct naive *naive)
{
    const uint64_t *words = cm_channels_channel_words(&bench->channels);
    ck_assert_ptr_nonnull(words);
    ck_assert_mem_eq(words, naive->words, sizeof naive->words);
}

START_TEST(counts_are_those_of_a_count_node_by_node)
{
    struct random_source random = random_begin("channels");
    struct bench bench;
    static struct naive naive;
    uint32_t conflicts = 0;
    usual_bench(&bench);
    memset(&naive, 0, sizeof naive);
    for (uint64_t address = 0; address < 4; address++)
        random_table(&bench, &random, address);
    for (int i = 0; i < 20000; i++) {
        uint32_t choice = random_below(&random, 100);
        if (choice < 60) {
            conflicts += random_load(&bench, &naive, &random);
        } else if (choice < 90) {
            require_uint_eq(exchange(&bench.channels),
                            naive_exchange(&naive, bench.channels.channel_slots));
        } else if (choice < 95) {
            random_table(&bench, &random, random_below(&random, 4));
        } else if (choice < 99) {
            check_words(&bench, &naive);
        } else {
            cm_channels_reset(&bench.channels);
            memset(naive.words, 0, sizeof naive.words);
        }
        require_uint_eq(cm_channels_loaded_slots(&bench.channels), naive_slots(&naive));
    }
    check_words(&bench, &naive);
    require(conflicts > 100);
    bench_finish(&bench);
}
END_TEST

/* More sequences of loads than the automaton keeps states: it begins anew, and no count is lost. */
START_TEST(counts_hold_when_there_are_more_states_than_are_kept)
{
    struct bench bench;
    uint64_t expected[64] = {0};
    uint32_t most = 0;
    bench_create(&bench, 2, 64, cm_channel_slots(64, 1, 2));
    for (uint32_t i = 0; i < 45 * 45 * 45; i++) {
        uint32_t slots[3] = {i % 45, i / 45 % 45, i / 45 / 45};
        if (slots[0] == slots[1] || slots[0] == slots[2] || slots[1] == slots[2])
            continue;
        uint64_t sent = 0;
        for (uint32_t k = 0; k < 3; k++) {
            require(load_slot(&bench, slots[k]) == CM_CHANNELS_OK);
            expected[slots[k]]++;
            sent += slots[k] == 1 || slots[k] == 33 ? 2 : 0;
        }
        require_uint_eq(exchange(&bench.channels), sent);
        if (bench.channels.state_count > most)
            most = bench.channels.state_count;
    }
    require(most > 60000);
    require(bench.channels.state_count < most);
    const uint64_t *words = cm_channels_channel_words(&bench.channels);
    for (uint32_t slot = 0; slot < 64; slot++)
        for (uint32_t node = 0; node < 2; node++)
            require_uint_eq(words[slot * 2 + node], expected[slot]);
    bench_finish(&bench);
}
END_TEST

START_TEST(many_tables_are_told_apart)
{
    struct bench bench;
    uint32_t key;
    usual_bench(&bench);
    for (uint32_t address = 0; address < WORDS; address++)
        write_same(&bench, address,
                   address % 32 | (address + 1) % 32 << 8 | (address + 2) % 32 << 16);
    for (int round = 0; round < 2; round++)
        for (uint32_t address = 0; address < WORDS; address++)
            for (uint32_t field = 0; field < 3; field++) {
                ck_assert_int_eq(cm_channels_find(&bench.channels, address, field, 0, &key),
                                 CM_CHANNELS_OK);
                ck_assert_uint_eq(cm_channels_indirect(&bench.channels, key).slots[1],
                                  (address + field) % 32);
            }
    ck_assert_uint_eq(bench.channels.key_count, WORDS * 3);
    bench_finish(&bench);
}
END_TEST

CM_PROGRAM(test_sim_channels)
{
    Suite *suite = suite_create("channels");
    TCase *tests = tcase_create("channels");
    tcase_add_test(tests, channels_are_the_slots_of_figure_3);
    tcase_add_test(tests, a_second_word_for_a_slot_is_a_conflict_until_an_exchange);
    tcase_add_test(tests, a_conflict_in_one_node_alone_is_found_there);
    tcase_add_test(tests, a_table_that_names_no_slot_is_found_out);
    tcase_add_test(tests, each_byte_and_half_of_a_table_word_has_its_key);
    tcase_add_test(tests, a_rewritten_table_is_read_again_and_no_other);
    tcase_add_test(tests, words_stay_pending_while_a_table_changes);
    tcase_add_test(tests, counts_are_those_of_a_count_node_by_node);
    tcase_add_test(tests, counts_hold_when_there_are_more_states_than_are_kept);
    tcase_add_test(tests, many_tables_are_told_apart);
    suite_add_tcase(suite, tests);
    return cm_run_suite(suite);
}
