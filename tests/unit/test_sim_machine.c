/* The machine as a whole: how it is made, its memory and SRAM, exchanges, tables that change,
 * counters. */
#include "channel_use.h"
#include "imps.h"
#include "sim/machine/memory.h"
#include "suite.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

/* ---- making one ---- */

static enum cm_status create(const struct cm_config *config, uint32_t nodes, uint32_t threads,
                             struct cm_error *err)
{
    struct cm_machine_options options = {.nodes = nodes, .threads = threads};
    struct cm_machine *machine = NULL;
    enum cm_status status = cm_machine_create(config, &options, &machine, err);
    cm_machine_destroy(machine);
    return status;
}

START_TEST(the_number_of_nodes_must_be_a_power_of_two)
{
    struct cm_config config = cm200_config();
    struct cm_error err;
    ck_assert_int_eq(create(&config, 12, 1, &err), CM_BAD_INPUT);
    ck_assert_str_eq(err.message, "12 nodes: the number of nodes must be a power of two");
    ck_assert_str_eq(err.hint, "try 8");
    ck_assert_int_eq(create(&config, 0, 1, &err), CM_BAD_INPUT);
    ck_assert_str_eq(err.hint, "");
    ck_assert_int_eq(create(&config, UINT32_MAX, 1, &err), CM_BAD_INPUT);
    ck_assert_str_eq(err.hint, "try 2147483648");
    ck_assert_int_eq(create(&config, 12, 1, NULL), CM_BAD_INPUT);
}
END_TEST

START_TEST(a_machine_has_no_more_nodes_than_its_cube)
{
    struct cm_config config = cm200_config();
    struct cm_error err;
    ck_assert_int_eq(create(&config, 2048, 1, &err), CM_OK);
    ck_assert_int_eq(create(&config, 4096, 1, &err), CM_BAD_INPUT);
    ck_assert_str_eq(err.message, "4096 nodes: machine \"CM-200\" has 2048 (11 dimensions)");
    ck_assert_ptr_nonnull(strstr(err.hint, "network.dimensions"));
    ck_assert_int_eq(create(&config, UINT32_C(1) << 31, 1, &err), CM_BAD_INPUT);
}
END_TEST

START_TEST(threads_are_a_power_of_two_with_enough_nodes_each)
{
    static const struct {
        uint32_t nodes, asked, used;
    } cases[] = {{64, 1, 1},  {64, 2, 2}, {64, 3, 2}, {64, 4, 4},
                 {64, 64, 4}, {16, 2, 1}, {1, 8, 1}};
    struct cm_config config = cm200_config();
    struct cm_error err;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct cm_machine *machine = machine_of(&config, cases[i].nodes, cases[i].asked);
        ck_assert_uint_eq(cm_machine_threads(machine), cases[i].used);
        cm_machine_destroy(machine);
    }
    ck_assert_int_eq(create(&config, 64, CM_THREADS_MAX + 1, &err), CM_USAGE);
    ck_assert_str_eq(err.message, "65 threads: at most 64");
    const struct cm_machine_options unknown = {.nodes = 64, .executor = (enum cm_executor)77};
    struct cm_machine *machine = NULL;
    ck_assert_int_eq(cm_machine_create(&config, &unknown, &machine, &err), CM_USAGE);
    ck_assert_str_eq(err.message, "there is no executor 77");
    ck_assert_ptr_null(machine);
}
END_TEST

START_TEST(memory_beyond_the_host_is_refused)
{
    struct cm_config config = cm200_config();
    struct cm_error err;
    config.memory_words = UINT64_C(1) << 55;
    struct cm_machine *machine = machine_of(&config, 2048, 1);
    ck_assert_int_eq(cm_machine_clear_planes(machine, 5, UINT64_C(1) << 50, &err), CM_NO_MEMORY);
    ck_assert_ptr_nonnull(strstr(err.message, "the host refused to reserve"));
    ck_assert_int_eq(cm_machine_clear_planes(machine, 5, 100, &err), CM_OK);
    cm_machine_destroy(machine);
}
END_TEST

/* Resident bytes of this process. */
static uint64_t resident_bytes(void)
{
    unsigned long size = 0, resident = 0;
    FILE *statm = fopen("/proc/self/statm", "r");
    if (!statm || fscanf(statm, "%lu %lu", &size, &resident) != 2)
        resident = 0;
    if (statm)
        fclose(statm);
    return (uint64_t)resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* The largest machine: 16 dimensions need transposers of 64 slots. Neighbours across the highest
 * one exchange. */
START_TEST(the_largest_machine_runs_and_takes_memory_for_what_it_touches)
{
    struct cm_config config = cm200_config();
    config.network_dimensions = 16;
    config.transposer_slots = 64;
    uint64_t before = resident_bytes();
    struct cm_machine *machine = machine_of(&config, 65536, (uint32_t)_i);
    write_ramp(machine, 7, 0, 1);
    must_run(machine, "aset r0, 7\n"
                      "load A.16, [r0]\n"
                      "load A.33, [r0]\n" /* the second channel of dimension 0 */
                      "exchange\n"
                      "unload [r0+1], B.16\n"
                      "unload [r0+2], B.33\n"
                      "halt\n");
    for (uint32_t node = 0; node < 65536; node += 4369) {
        ck_assert_uint_eq(word_at(machine, 8, node), node ^ 32768);
        ck_assert_uint_eq(word_at(machine, 9, node), node ^ 1);
    }
    ck_assert_uint_eq(cm_machine_counters(machine).words_sent, 2 * 65536);
    uint64_t taken = resident_bytes() - before;
    ck_assert_msg(taken < UINT64_C(200) << 20, "%" PRIu64 " MiB", taken >> 20);
    cm_machine_destroy(machine);
}
END_TEST

/* ---- memory ---- */

START_TEST(memory_knows_its_range)
{
    struct cm_memory memory;
    cm_memory_init(&memory, 100, 4, 1);
    ck_assert(cm_memory_has(&memory, 0, 100));
    ck_assert(cm_memory_has(&memory, 99, 1));
    ck_assert(cm_memory_has(&memory, 100, 0));
    ck_assert(!cm_memory_has(&memory, 100, 1));
    ck_assert(!cm_memory_has(&memory, 0, 101));
    ck_assert(!cm_memory_has(&memory, 1, UINT64_MAX));
    ck_assert(!cm_memory_has(&memory, UINT64_MAX, 2));
    cm_memory_finish(&memory);
}
END_TEST

START_TEST(memory_is_cleared_where_it_is_reserved)
{
    struct cm_memory memory;
    cm_memory_init(&memory, 100, 4, 1);
    ck_assert_int_eq(cm_memory_reserve(&memory, 0, 100, NULL), CM_OK);
    uint32_t *words = cm_memory_plane(&memory, 0, 0);
    ck_assert_ptr_eq(cm_memory_plane(&memory, 0, 3), words + 12);
    for (int i = 0; i < 400; i++)
        ck_assert_uint_eq(words[i], 0);
    memset(words, 0xff, 400 * sizeof(uint32_t));
    cm_memory_clear(&memory, 10, 20);
    for (int i = 0; i < 400; i++)
        ck_assert_uint_eq(words[i], i >= 40 && i < 120 ? 0 : UINT32_MAX);
    cm_memory_finish(&memory);
    cm_memory_finish(&memory);
}
END_TEST

/* Planes of 256 KiB, so that spans grow after a few thousand of them. */
#define WIDE_NODES UINT32_C(65536)
#define WIDE_WORDS UINT64_C(1048576)

/* Nodes in one part, in two, in four. */
static uint32_t parts_of(int i)
{
    return UINT32_C(1) << i;
}

static void mark_word(const struct cm_memory *memory, uint64_t address)
{
    *cm_memory_word(memory, (uint32_t)address % WIDE_NODES, address) = (uint32_t)address + 1;
}

static bool is_marked(const struct cm_memory *memory, uint64_t address)
{
    const uint32_t node = (uint32_t)address % WIDE_NODES;
    return *cm_memory_word(memory, node, address) == (uint32_t)address + 1 &&
           *cm_memory_word(memory, node ^ 1, address) == 0;
}

START_TEST(memory_keeps_its_words_when_it_grows)
{
    static const uint64_t addresses[] = {0, 1048575, 900, 5000, 1040000, 60001, 1000003, 400000};
    enum { COUNT = sizeof addresses / sizeof *addresses };
    struct cm_memory memory;
    cm_memory_init(&memory, WIDE_WORDS, WIDE_NODES, parts_of(_i));
    for (unsigned i = 0; i < COUNT; i++) {
        ck_assert_int_eq(cm_memory_reserve(&memory, addresses[i], 1, NULL), CM_OK);
        ck_assert(cm_memory_reserved(&memory, addresses[i], 1));
        mark_word(&memory, addresses[i]);
        for (unsigned k = 0; k <= i; k++)
            ck_assert_msg(is_marked(&memory, addresses[k]), "%u after %u", k, i);
    }
    cm_memory_finish(&memory);
}
END_TEST

START_TEST(memory_reserves_by_use)
{
    struct cm_memory memory;
    cm_memory_init(&memory, WIDE_WORDS, WIDE_NODES, parts_of(_i));
    ck_assert(!cm_memory_reserved(&memory, 0, 1));
    ck_assert_int_eq(cm_memory_reserve(&memory, 1000, 3000, NULL), CM_OK);
    ck_assert(cm_memory_reserved(&memory, 0, 4000));
    ck_assert(!cm_memory_reserved(&memory, 10000, 1));
    ck_assert_uint_le(memory.low.map_bytes, UINT64_C(2) << 30);
    ck_assert_int_eq(cm_memory_reserve(&memory, WIDE_WORDS - 3000, 3000, NULL), CM_OK);
    ck_assert_uint_le(memory.high.map_bytes, UINT64_C(2) << 30);
    ck_assert(!cm_memory_reserved(&memory, 0, WIDE_WORDS));
    cm_memory_finish(&memory);
}
END_TEST

/* One range over both spans, as of a move from one end of memory to the other. */
START_TEST(memory_joins_its_spans)
{
    static const uint64_t addresses[] = {0, 1023, 1100, 1048000, 1048575};
    enum { COUNT = sizeof addresses / sizeof *addresses };
    struct cm_memory memory;
    cm_memory_init(&memory, WIDE_WORDS, WIDE_NODES, parts_of(_i));
    for (unsigned i = 0; i < COUNT; i++) {
        ck_assert_int_eq(cm_memory_reserve(&memory, addresses[i], 1, NULL), CM_OK);
        mark_word(&memory, addresses[i]);
    }
    ck_assert_int_eq(cm_memory_reserve(&memory, 500, WIDE_WORDS - 500, NULL), CM_OK);
    ck_assert(cm_memory_reserved(&memory, 0, WIDE_WORDS));
    ck_assert_ptr_eq(cm_memory_plane(&memory, 0, WIDE_WORDS - 1),
                     cm_memory_plane(&memory, 0, 0) +
                         (WIDE_WORDS - 1) * (WIDE_NODES / parts_of(_i)));
    for (unsigned i = 0; i < COUNT; i++)
        ck_assert(is_marked(&memory, addresses[i]));
    cm_memory_finish(&memory);
}
END_TEST

/* Few nodes, spans that end within a page, and a span at its largest. */
START_TEST(memory_spans_meet)
{
    struct cm_memory memory;
    for (uint64_t words = 1; words < 3000; words += 97) {
        cm_memory_init(&memory, words, 2, 1 + (uint32_t)words % 2);
        ck_assert_int_eq(cm_memory_reserve(&memory, words - 1, 1, NULL), CM_OK);
        ck_assert_int_eq(cm_memory_reserve(&memory, 0, words, NULL), CM_OK);
        cm_memory_clear(&memory, 0, words);
        ck_assert(cm_memory_reserved(&memory, 0, words));
        cm_memory_finish(&memory);
    }
}
END_TEST

/* A program without arrays: what it names is reserved while it runs, for several threads. */
START_TEST(programs_reach_all_of_memory)
{
    struct cm_config config = cm200_config();
    struct cm_machine *machine = machine_of(&config, 64, 4);
    must_run(machine, "aset r0, 500000\naset r1, 1048570\naset r2, 3\n"
                      "fconst f1, 7\nfstore32 [r0], f1\n"
                      "fload32 f2, [r0]\nfload32 f3, [r2]\nfstore32 [r1], f2\n"
                      "fstore32 [r1+1], f3\nmove [r2], [r0], 2, 1, 548570\nhalt\n");
    for (uint32_t node = 0; node < 64; node++) {
        ck_assert_uint_eq(word_at(machine, 500000, node), 7);
        ck_assert_uint_eq(word_at(machine, 1048570, node), 7);
        ck_assert_uint_eq(word_at(machine, 1048571, node), 0);
        ck_assert_uint_eq(word_at(machine, 3, node), 7);
        ck_assert_uint_eq(word_at(machine, 4, node), 7);
        ck_assert_uint_eq(word_at(machine, 700000, node), 0);
    }
    cm_machine_destroy(machine);
}
END_TEST

START_TEST(executors_have_names)
{
    const enum cm_executor best = cm_executor_best();
    struct cm_config config = cm200_config();
    enum cm_executor executor;
    struct cm_error err;
    for (int i = 0; i < CM_EXECUTOR_COUNT; i++) {
        ck_assert_int_eq(cm_executor_find(cm_executor_name((enum cm_executor)i), &executor, &err),
                         CM_OK);
        ck_assert_int_eq(executor, i);
    }
    ck_assert_int_eq(cm_executor_find(NULL, &executor, &err), CM_OK);
    ck_assert_int_eq(executor, CM_EXECUTOR_CHOSEN);
    ck_assert_int_eq(cm_executor_find("fast", &executor, &err), CM_USAGE);
    ck_assert_str_eq(err.message, "there is no executor \"fast\"");
    for (int i = CM_EXECUTOR_LOOPS; i < CM_EXECUTOR_COUNT; i++) {
        const struct cm_machine_options options = {.nodes = 64, .executor = (enum cm_executor)i};
        struct cm_machine *machine = NULL;
        const bool possible = i <= CM_EXECUTOR_CODE || i <= (int)best;
        ck_assert_int_eq(cm_machine_create(&config, &options, &machine, &err),
                         possible ? CM_OK : CM_USAGE);
        if (possible)
            ck_assert_int_eq(cm_machine_executor(machine), i == CM_EXECUTOR_CODE ? (int)best : i);
        cm_machine_destroy(machine);
    }
}
END_TEST

/* Where there is machine code, the nodes of four threads lie in four parts. */
START_TEST(planes_in_place_have_a_word_for_each_node)
{
    const struct cm_machine_options options = {
        .nodes = 64, .threads = 4, .executor = CM_EXECUTOR_CODE};
    struct cm_config config = cm200_config();
    struct cm_machine *machine;
    struct cm_planes planes;
    ck_assert_int_eq(cm_machine_create(&config, &options, &machine, NULL), CM_OK);
    write_ramp(machine, 20, 100, 3);
    write_ramp(machine, 21, 7, 1);
    ck_assert_int_eq(cm_machine_planes(machine, 20, 2, &planes, NULL), CM_OK);
    ck_assert(planes.partition_nodes == 16 || planes.partition_nodes == 64);
    for (uint32_t node = 0; node < 64; node++) {
        ck_assert_uint_eq(*cm_planes_word(&planes, 0, node), 100 + 3 * node);
        ck_assert_uint_eq(*cm_planes_word(&planes, 1, node), 7 + node);
        *cm_planes_word(&planes, 1, node) = 1000 - node;
    }
    for (uint32_t node = 0; node < 64; node++) {
        ck_assert_uint_eq(word_at(machine, 20, node), 100 + 3 * node);
        ck_assert_uint_eq(word_at(machine, 21, node), 1000 - node);
    }
    must_run(machine, "aset r0, 20\nload A.6, [r0]\nexchange\nunload [r0+2], B.6\n"
                      "fload32 f1, [r0+2]\nfstore32 [r0+3], f1\nhalt\n");
    ck_assert_int_eq(cm_machine_planes(machine, 22, 2, &planes, NULL), CM_OK);
    for (uint32_t node = 0; node < 64; node++) {
        ck_assert_uint_eq(*cm_planes_word(&planes, 0, node), 100 + 3 * (node ^ 32));
        ck_assert_uint_eq(*cm_planes_word(&planes, 1, node), 100 + 3 * (node ^ 32));
    }
    cm_machine_destroy(machine);
}
END_TEST

START_TEST(planes_are_written_read_and_cleared_within_memory)
{
    struct cm_config config = cm200_config();
    struct cm_machine *machine = machine_of(&config, 8, 1);
    uint32_t words[8] = {9, 9, 9, 9, 9, 9, 9, 9};
    uint64_t last = config.memory_words - 1;
    struct cm_error err;
    ck_assert_uint_eq(word_at(machine, last, 5), 0);
    write_ramp(machine, last, 10, 3);
    ck_assert_uint_eq(word_at(machine, last, 5), 25);
    struct cm_planes planes;
    ck_assert_int_eq(cm_machine_planes(machine, last, 1, &planes, NULL), CM_OK);
    ck_assert_uint_eq(*cm_planes_word(&planes, 0, 6), 28);
    ck_assert_int_eq(cm_machine_planes(machine, last, 2, &planes, &err), CM_BAD_INPUT);
    ck_assert_ptr_null(planes.words);
    ck_assert_int_eq(cm_machine_write_plane(machine, last + 1, words, &err), CM_BAD_INPUT);
    ck_assert_str_eq(err.message, "address 1048576 is beyond node memory (1048576 words)");
    ck_assert_int_eq(cm_machine_read_plane(machine, UINT64_MAX, words, &err), CM_BAD_INPUT);
    ck_assert_int_eq(cm_machine_clear_planes(machine, last, 2, &err), CM_BAD_INPUT);
    ck_assert_uint_eq(word_at(machine, last, 5), 25);
    ck_assert_int_eq(cm_machine_clear_planes(machine, last, 1, &err), CM_OK);
    ck_assert_uint_eq(word_at(machine, last, 5), 0);
    cm_machine_destroy(machine);
}
END_TEST

/* ---- SRAM ---- */

/* An IMP of so many words; a context change takes one. */
static struct cm_imp *imp_of_words(uint64_t words)
{
    struct cm_imp *imp = cm_imp_create("filler");
    ck_assert_ptr_nonnull(imp);
    while (cm_imp_words(imp) + cm_op_words(CM_OP_HALT) < words)
        cm_imp_emit(imp, CM_OP_CTXALL, NULL, 0);
    cm_imp_emit(imp, CM_OP_HALT, NULL, 0);
    ck_assert_uint_eq(cm_imp_words(imp), words);
    return imp;
}

START_TEST(loaded_imps_share_the_sram_until_they_are_unloaded)
{
    struct cm_config config = cm200_config();
    config.sequencer_sram_words = 100;
    struct cm_machine *machine = machine_of(&config, 2, 1);
    struct cm_imp *large = imp_of_words(60), *small = imp_of_words(40), *other = imp_of_words(41);
    struct cm_error err;
    ck_assert_int_eq(cm_machine_load_imp(machine, large, &err), CM_OK);
    ck_assert_uint_eq(cm_machine_sram_free(machine), 40);
    ck_assert_int_eq(cm_machine_load_imp(machine, large, &err), CM_OK); /* is there already */
    ck_assert_uint_eq(cm_machine_sram_free(machine), 40);
    ck_assert_int_eq(cm_machine_load_imp(machine, other, &err), CM_BAD_INPUT);
    ck_assert_str_eq(err.message,
                     "IMP \"filler\" takes 41 words of the sequencer's SRAM; 40 of 100 are free");
    ck_assert_ptr_nonnull(strstr(err.hint, "deallocate"));
    ck_assert_int_eq(cm_machine_load_imp(machine, small, &err), CM_OK);
    ck_assert_uint_eq(cm_machine_sram_free(machine), 0);
    cm_machine_unload_imp(machine, other); /* never was there */
    ck_assert_uint_eq(cm_machine_sram_free(machine), 0);
    cm_machine_unload_imp(machine, large);
    ck_assert_uint_eq(cm_machine_sram_free(machine), 60);
    ck_assert_int_eq(cm_machine_run(machine, small, NULL, CM_ENTRY_IMP, &err), CM_OK);
    ck_assert_int_eq(cm_machine_run(machine, large, NULL, CM_ENTRY_IMP, &err), CM_INTERNAL);
    cm_machine_destroy(machine);
    cm_imp_destroy(large);
    cm_imp_destroy(small);
    cm_imp_destroy(other);
}
END_TEST

START_TEST(an_overlay_may_take_the_whole_sram_and_no_more)
{
    struct cm_config config = cm200_config();
    config.sequencer_sram_words = 100;
    struct cm_machine *machine = machine_of(&config, 2, 1);
    struct cm_imp *setup = imp_of_words(60), *whole = imp_of_words(100), *more = imp_of_words(101);
    struct cm_error err;
    ck_assert_int_eq(cm_machine_load_imp(machine, setup, &err), CM_OK);
    ck_assert_int_eq(cm_machine_overlay_imp(machine, whole, &err), CM_OK);
    ck_assert_uint_eq(cm_machine_sram_free(machine), 40);
    ck_assert_int_eq(cm_machine_run(machine, whole, NULL, CM_ENTRY_RUNTIME, &err), CM_OK);
    cm_machine_unload_imp(machine, whole);
    ck_assert_uint_eq(cm_machine_sram_free(machine), 40);
    ck_assert_int_eq(cm_machine_run(machine, setup, NULL, CM_ENTRY_IMP, &err), CM_OK);
    ck_assert_int_eq(cm_machine_overlay_imp(machine, more, &err), CM_BAD_INPUT);
    ck_assert_str_eq(err.message, "IMP \"filler\" takes 101 words; the sequencer's SRAM has 100");
    cm_machine_destroy(machine);
    cm_imp_destroy(setup);
    cm_imp_destroy(whole);
    cm_imp_destroy(more);
}
END_TEST

START_TEST(an_imp_is_verified_when_it_is_loaded)
{
    struct cm_config config = cm200_config();
    struct cm_machine *machine = machine_of(&config, 2, 1);
    struct cm_imp *imp = assembled("const A.40, 1\nhalt\n"); /* the CM-200 has slots 0 to 31 */
    struct cm_error err;
    ck_assert_int_eq(cm_machine_load_imp(machine, imp, &err), CM_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(err.message, "A.40"));
    ck_assert_int_eq(cm_machine_overlay_imp(machine, imp, &err), CM_BAD_INPUT);
    ck_assert_uint_eq(cm_machine_sram_free(machine), config.sequencer_sram_words);
    cm_machine_destroy(machine);
    cm_imp_destroy(imp);
}
END_TEST

/* ---- exchanges ---- */

START_TEST(every_channel_goes_to_its_neighbour_and_the_wire_to_the_node_itself)
{
    static const char text[] = "aset r0, 100\n"
                               "aset r1, 200\n"
                               "load A.0, [r0]\nload A.16, [r0+1]\n"
                               "load A.1, [r0+2]\nload A.17, [r0+3]\n"
                               "load A.3, [r0+4]\nload A.19, [r0+5]\n"
                               "exchange\n"
                               "unload [r1], B.16\nunload [r1+1], B.0\n"
                               "unload [r1+2], B.1\nunload [r1+3], B.17\n"
                               "unload [r1+4], B.3\nunload [r1+5], B.19\n"
                               "halt\n";
    static const uint32_t distances[6] = {0, 0, 1, 1, 4, 4};
    struct cm_config config = cm200_config();
    struct cm_machine *machine = machine_of(&config, 8, 1);
    for (uint32_t k = 0; k < 6; k++)
        write_ramp(machine, 100 + k, 1000 * k, 1);
    must_run(machine, text);
    for (uint32_t k = 0; k < 6; k++)
        for (uint32_t node = 0; node < 8; node++)
            ck_assert_uint_eq(word_at(machine, 200 + k, node), 1000 * k + (node ^ distances[k]));
    ck_assert_uint_eq(cm_machine_counters(machine).words_sent, 4 * 8); /* the wire sends nothing */
    cm_machine_destroy(machine);
}
END_TEST

START_TEST(one_node_alone_has_its_wire_and_no_channels)
{
    struct cm_config config = cm200_config();
    struct cm_machine *machine = machine_of(&config, 1, 1);
    must_run(machine, "aset r0, 10\n"
                      "const A.0, 5\nconst A.16, 6\nconst A.1, 8\n"
                      "exchange\n"
                      "unload [r0], B.16\nunload [r0+1], B.0\nunload [r0+2], B.1\n"
                      "halt\n");
    ck_assert_uint_eq(word_at(machine, 10, 0), 5);
    ck_assert_uint_eq(word_at(machine, 11, 0), 6);
    ck_assert_uint_eq(word_at(machine, 12, 0), 0);
    ck_assert_uint_eq(cm_machine_dimensions(machine), 0);
    ck_assert_uint_eq(cm_machine_counters(machine).words_sent, 0);
    struct cm_channel_use use = channel_use(machine);
    ck_assert_uint_eq(use.channels, 0);
    ck_assert_uint_eq(use.max_load, 0);
    ck_assert(use.mean_busy_cycles == 0);
    cm_machine_destroy(machine);
}
END_TEST

START_TEST(a_machine_of_one_channel_a_dimension_has_no_second_set)
{
    struct cm_config config = cm200_config();
    config.network_channels_per_dimension = 1;
    struct cm_machine *machine = machine_of(&config, 2, 1);
    write_ramp(machine, 10, 1, 1);
    must_run(machine, "aset r0, 10\n"
                      "load A.1, [r0]\nload A.17, [r0]\n"
                      "exchange\n"
                      "unload [r0+1], B.1\nunload [r0+2], B.17\n"
                      "halt\n");
    ck_assert_uint_eq(word_at(machine, 11, 0), 2);
    ck_assert_uint_eq(word_at(machine, 12, 0), 0);
    ck_assert_uint_eq(cm_machine_counters(machine).words_sent, 2);
    ck_assert_uint_eq(channel_use(machine).total_words, 2);
    cm_machine_destroy(machine);
}
END_TEST

START_TEST(words_loaded_by_one_imp_go_with_the_exchange_of_the_next)
{
    struct cm_config config = cm200_config();
    struct cm_machine *machine = machine_of(&config, 4, 1);
    write_ramp(machine, 10, 1, 1);
    must_run(machine, "aset r0, 10\nload A.2, [r0]\nhalt\n");
    must_run(machine, "aset r0, 20\nexchange\nunload [r0], B.2\nhalt\n");
    for (uint32_t node = 0; node < 4; node++)
        ck_assert_uint_eq(word_at(machine, 20, node), 1 + (node ^ 2));
    cm_machine_destroy(machine);
}
END_TEST

/* ---- tables that change ---- */

/* Table words at 0: outgoing slot in byte 0. The program sends, through the table, a first word;
 * copies another table word over it; and sends again. */
START_TEST(a_program_may_rewrite_its_table_between_two_exchanges)
{
    struct cm_config config = cm200_config();
    struct cm_machine *machine = machine_of(&config, 64, (uint32_t)_i);
    write_ramp(machine, 0, 1, 0); /* dimension 0 */
    write_ramp(machine, 1, 4, 0); /* dimension 3 */
    write_ramp(machine, 10, 500, 1);
    for (int round = 0; round < 2; round++) {
        must_run(machine, "aset r0, 0\naset r1, 10\n"
                          "loadi A, [r1], [r0], 0, 0\n"
                          "exchange\n"
                          "unloadi [r1+1], B, [r0], 0, 0\n"
                          "move [r0+2], [r0], 1, 1, 1\n"
                          "move [r0], [r0+1], 1, 1, 1\n"
                          "loadi A, [r1], [r0], 0, 0\n"
                          "exchange\n"
                          "unloadi [r1+2], B, [r0], 0, 0\n"
                          "move [r0], [r0+2], 1, 1, 1\n"
                          "halt\n");
        for (uint32_t node = 0; node < 64; node++) {
            ck_assert_uint_eq(word_at(machine, 11, node), 500 + (node ^ 1));
            ck_assert_uint_eq(word_at(machine, 12, node), 500 + (node ^ 8));
        }
    }
    struct cm_channel_use use = channel_use(machine);
    ck_assert_uint_eq(use.total_words, 2 * 2 * 64);
    ck_assert_uint_eq(use.max_load, 2);
    cm_machine_destroy(machine);
}
END_TEST

/* The word that arrives is the next slot: 2, in place of 1. */
START_TEST(a_program_may_overwrite_the_table_word_that_it_unloads_through)
{
    struct cm_config config = cm200_config();
    struct cm_machine *machine = machine_of(&config, 64, (uint32_t)_i);
    write_ramp(machine, 0, 1, 0);
    write_ramp(machine, 9, 2, 0);
    write_ramp(machine, 10, 700, 1);
    must_run(machine, "aset r0, 0\naset r1, 10\n"
                      "loadi A, [r1-1], [r0], 0, 0\n"
                      "exchange\n"
                      "unloadi [r0], B, [r0], 0, 0\n"
                      "loadi A, [r1], [r0], 0, 0\n"
                      "exchange\n"
                      "unloadi [r1+1], B, [r0], 0, 0\n"
                      "halt\n");
    for (uint32_t node = 0; node < 64; node++) {
        ck_assert_uint_eq(word_at(machine, 0, node), 2);
        ck_assert_uint_eq(word_at(machine, 11, node), 700 + (node ^ 2));
    }
    cm_machine_destroy(machine);
}
END_TEST

START_TEST(the_front_end_may_rewrite_a_table_between_two_runs)
{
    static const char text[] = "aset r0, 0\naset r1, 10\n"
                               "loadi A, [r1], [r0], 0, 0\n"
                               "exchange\n"
                               "unloadi [r1+1], B, [r0], 0, 0\n"
                               "halt\n";
    struct cm_config config = cm200_config();
    struct cm_machine *machine = machine_of(&config, 64, (uint32_t)_i);
    write_ramp(machine, 10, 300, 1);
    for (uint32_t d = 0; d < 6; d++) {
        if (d % 3 == 0) {
            write_ramp(machine, 0, d + 1, 0);
        } else if (d % 3 == 1) {
            struct cm_planes planes;
            ck_assert_int_eq(cm_machine_planes(machine, 0, 1, &planes, NULL), CM_OK);
            for (uint32_t n = 0; n < 64; n++)
                *cm_planes_word(&planes, 0, n) = d + 1;
        } else {
            ck_assert_int_eq(cm_machine_clear_planes(machine, 0, 1, NULL), CM_OK);
        }
        must_run(machine, text);
        for (uint32_t node = 0; node < 64 && d % 3 < 2; node++)
            ck_assert_uint_eq(word_at(machine, 11, node), 300 + (node ^ UINT32_C(1) << d));
        for (uint32_t node = 0; node < 64 && d % 3 == 2; node++) /* slot 0: B 0 is still empty */
            ck_assert_uint_eq(word_at(machine, 11, node), 0);
    }
    cm_machine_destroy(machine);
}
END_TEST

/* ---- counters ---- */

START_TEST(channel_counts_are_spread_over_the_channels_that_carried_the_words)
{
    struct cm_config config = cm200_config();
    struct cm_machine *machine = machine_of(&config, 8, 1);
    uint64_t words[8 * 3 * 2];
    uint32_t table[8] = {1, 1, 1, 1, 1, 1, 18, 1}; /* node 6: dimension 1, channel 1 */
    ck_assert_int_eq(cm_machine_write_plane(machine, 0, table, NULL), CM_OK);
    must_run(machine, "aset r0, 0\n"
                      "again: loop 5\n"
                      "load A.3, [r0+9]\n"
                      "loadi A, [r0+8], [r0], 0, 0\n"
                      "exchange\n"
                      "next again\n"
                      "loadi A, [r0+8], [r0], 0, 0\n"
                      "exchange\n"
                      "halt\n");
    ck_assert_int_eq(cm_machine_channel_words(machine, words, NULL), CM_OK);
    for (uint32_t n = 0; n < 8; n++) {
        ck_assert_uint_eq(words[(n * 3 + 0) * 2 + 0], n == 6 ? 0 : 6);
        ck_assert_uint_eq(words[(n * 3 + 1) * 2 + 1], n == 6 ? 6 : 0);
        ck_assert_uint_eq(words[(n * 3 + 2) * 2 + 0], 5);
        ck_assert_uint_eq(words[(n * 3 + 2) * 2 + 1], 0);
    }
    struct cm_channel_use use = channel_use(machine);
    ck_assert_uint_eq(use.total_words, 6 * 8 + 5 * 8);
    ck_assert_uint_eq(use.total_words, cm_machine_counters(machine).words_sent);
    ck_assert_uint_eq(use.channels, 8 * 3 * 2);
    ck_assert_uint_eq(use.max_load, 6);
    ck_assert_uint_eq(words[(use.max_node * 3 + use.max_dimension) * 2 + use.max_channel], 6);
    ck_assert_uint_eq(use.max_busy_cycles, 6 * config.exchange_cycles);
    ck_assert(use.mean_busy_cycles == 88.0 * (double)config.exchange_cycles / 48.0);
    cm_machine_reset_channels(machine);
    ck_assert_uint_eq(channel_use(machine).total_words, 0);
    ck_assert_uint_eq(cm_machine_counters(machine).words_sent, 88);
    cm_machine_destroy(machine);
}
END_TEST

START_TEST(the_counters_of_a_run_are_a_difference)
{
    static const char text[] = "aset r0, 0\nload A.1, [r0]\nexchange\nunload [r0], B.1\nhalt\n";
    struct cm_config config = cm200_config();
    struct cm_machine *machine = machine_of(&config, 4, 1);
    must_run(machine, text);
    struct cm_counters first = cm_machine_counters(machine);
    must_run(machine, text);
    struct cm_counters both = cm_machine_counters(machine);
    struct cm_counters second = cm_counters_difference(&both, &first);
    uint64_t sum = 0;
    for (int cause = 0; cause < CM_CAUSE_COUNT; cause++)
        sum += second.by_cause[cause];
    ck_assert_uint_eq(sum, second.cycles);
    ck_assert_uint_eq(second.instructions, 5);
    ck_assert_uint_eq(second.exchanges, 1);
    ck_assert_uint_eq(second.loads, 1);
    ck_assert_uint_eq(second.stores, 1);
    ck_assert_uint_eq(second.words_sent, 4);
    ck_assert_uint_eq(first.page_faults, 1);
    ck_assert_uint_eq(second.page_faults, 0); /* the page stays open from run to run */
    cm_machine_destroy(machine);
}
END_TEST

START_TEST(the_context_is_set_in_every_node_when_a_run_begins)
{
    struct cm_config config = cm200_config();
    struct cm_machine *machine = machine_of(&config, 4, 1);
    write_ramp(machine, 5, 1, 1);
    must_run(machine, "aset r0, 5\nctxload [r0], 0\nctxnot\nmove [r0+1], [r0], 1, 1, 1\nhalt\n");
    must_run(machine, "aset r0, 5\nmove [r0+2], [r0], 1, 1, 1\nhalt\n");
    for (uint32_t node = 0; node < 4; node++) {
        ck_assert_uint_eq(word_at(machine, 6, node), (node + 1) % 2 ? 0 : node + 1);
        ck_assert_uint_eq(word_at(machine, 7, node), node + 1);
    }
    cm_machine_destroy(machine);
}
END_TEST

CM_PROGRAM(test_sim_machine)
{
    Suite *suite = suite_create("machine");
    TCase *tests = tcase_create("machine");
    tcase_add_test(tests, executors_have_names);
    tcase_add_test(tests, the_number_of_nodes_must_be_a_power_of_two);
    tcase_add_test(tests, a_machine_has_no_more_nodes_than_its_cube);
    tcase_add_test(tests, threads_are_a_power_of_two_with_enough_nodes_each);
    tcase_add_test(tests, memory_beyond_the_host_is_refused);
    tcase_add_loop_test(tests, the_largest_machine_runs_and_takes_memory_for_what_it_touches, 1, 3);
    tcase_add_test(tests, memory_knows_its_range);
    tcase_add_test(tests, memory_is_cleared_where_it_is_reserved);
    tcase_add_loop_test(tests, memory_keeps_its_words_when_it_grows, 0, 3);
    tcase_add_loop_test(tests, memory_reserves_by_use, 0, 3);
    tcase_add_loop_test(tests, memory_joins_its_spans, 0, 3);
    tcase_add_test(tests, memory_spans_meet);
    tcase_add_test(tests, programs_reach_all_of_memory);
    tcase_add_test(tests, planes_in_place_have_a_word_for_each_node);
    tcase_add_test(tests, planes_are_written_read_and_cleared_within_memory);
    tcase_add_test(tests, loaded_imps_share_the_sram_until_they_are_unloaded);
    tcase_add_test(tests, an_overlay_may_take_the_whole_sram_and_no_more);
    tcase_add_test(tests, an_imp_is_verified_when_it_is_loaded);
    tcase_add_test(tests, every_channel_goes_to_its_neighbour_and_the_wire_to_the_node_itself);
    tcase_add_test(tests, one_node_alone_has_its_wire_and_no_channels);
    tcase_add_test(tests, a_machine_of_one_channel_a_dimension_has_no_second_set);
    tcase_add_test(tests, words_loaded_by_one_imp_go_with_the_exchange_of_the_next);
    tcase_add_loop_test(tests, a_program_may_rewrite_its_table_between_two_exchanges, 1, 3);
    tcase_add_loop_test(tests, a_program_may_overwrite_the_table_word_that_it_unloads_through, 1,
                        3);
    tcase_add_loop_test(tests, the_front_end_may_rewrite_a_table_between_two_runs, 1, 3);
    tcase_add_test(tests, channel_counts_are_spread_over_the_channels_that_carried_the_words);
    tcase_add_test(tests, the_counters_of_a_run_are_a_difference);
    tcase_add_test(tests, the_context_is_set_in_every_node_when_a_run_begins);
    suite_add_tcase(suite, tests);
    return cm_run_suite(suite);
}
