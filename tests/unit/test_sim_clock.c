/* The clock: DRAM pages, refresh, what every instruction costs, causes that add up. Moves are
 * compared with a count word by word, refresh with a count cycle by cycle. */
#include "machines.h"
#include "random.h"
#include "sim/machine/clock.h"
#include "suite.h"

#include <string.h>

#define CASES 2000

/* Every cost a number of its own, so that none can stand for another. */
static struct cm_config distinct_config(void)
{
    struct cm_config config = {
        .memory_page_words = 64,
        .memory_load_cycles = 2,
        .memory_load_page_fault_cycles = 3,
        .memory_store_cycles = 5,
        .memory_store_page_fault_cycles = 7,
        .memory_banks = 4,
        .memory_block_words = 16,
        .transposer_load_cycles = 11,
        .transposer_unload_cycles = 13,
        .transposer_indirect_load_cycles = 17,
        .transposer_indirect_unload_cycles = 19,
        .transposer_constant_cycles = 23,
        .exchange_cycles = 29,
        .sequencer_loop_start_cycles = 31,
        .sequencer_loop_iteration_cycles = 37,
        .sequencer_address_cycles = 41,
        .fpu_add_cycles = 43,
        .fpu_multiply_cycles = 47,
        .fpu_multiply_add_cycles = 53,
        .fpu_context_cycles = 59,
        .front_end_imp_start_cycles = 61,
        .front_end_runtime_call_cycles = 67,
        .front_end_scalar_cycles = 71,
        .fpu_divide_cycles = 73,
        .fpu_divide64_cycles = 79,
        .fpu_square_root_cycles = 83,
        .fpu_square_root64_cycles = 89,
        .fpu_integer_divide_cycles = 97,
        .fpu_compare_cycles = 101,
        .fpu_convert_cycles = 103,
        .fpu_logical_cycles = 107,
        .memory_indexed_load_cycles = 109,
        .memory_indexed_store_cycles = 113,
        .fpu_vector_elements = 1,
    };
    return config;
}

static void check_sum(const struct cm_clock *clock)
{
    uint64_t sum = 0;
    for (int cause = 0; cause < CM_CAUSE_COUNT; cause++)
        sum += clock->counters.by_cause[cause];
    ck_assert_uint_eq(sum, clock->counters.cycles);
}

START_TEST(an_access_outside_the_open_page_faults)
{
    struct cm_config config = distinct_config();
    struct cm_clock clock;
    const uint64_t *causes = clock.counters.by_cause;
    cm_clock_init(&clock, &config);
    cm_clock_read(&clock, 0); /* no page is open at first */
    ck_assert_uint_eq(causes[CM_CAUSE_LOAD_PAGE_FAULT], 3);
    cm_clock_read(&clock, 63);
    ck_assert_uint_eq(causes[CM_CAUSE_LOAD_PAGE_FAULT], 3);
    cm_clock_write(&clock, 64);
    ck_assert_uint_eq(causes[CM_CAUSE_STORE_PAGE_FAULT], 7);
    cm_clock_write(&clock, 127);
    ck_assert_uint_eq(causes[CM_CAUSE_STORE_PAGE_FAULT], 7);
    cm_clock_read(&clock, 63); /* one page is open, whoever opened it */
    ck_assert_uint_eq(causes[CM_CAUSE_LOAD_PAGE_FAULT], 6);
    ck_assert_uint_eq(causes[CM_CAUSE_LOAD], 3 * 2);
    ck_assert_uint_eq(causes[CM_CAUSE_STORE], 2 * 5);
    ck_assert_uint_eq(clock.counters.page_faults, 3);
    ck_assert_uint_eq(clock.counters.loads, 3);
    ck_assert_uint_eq(clock.counters.stores, 2);
    check_sum(&clock);
}
END_TEST

/* Pages of 64 words in 4 banks, blocks of 16: pages 0, 4 and 8 share a bank. */
START_TEST(a_fault_within_a_bank_to_another_block_conflicts)
{
    static const struct {
        uint64_t address;
        uint64_t conflicts; /* so far */
        const char *what;
    } steps[] = {
        {0, 0, "nothing is open at first"},
        {20, 0, "another block of the open page"},
        {4 * 64 + 31, 0, "page 4, the same block"},
        {4 * 64 + 63, 0, "another block of the open page"},
        {8 * 64, 1, "page 8, from block 3 to block 0"},
        {64 + 16, 1, "page 1 lies in another bank"},
        {5 * 64 + 32, 2, "page 5, from block 1 to block 2"},
    };
    struct cm_config config = distinct_config();
    struct cm_clock clock;
    config.memory_bank_conflict_cycles = 73;
    cm_clock_init(&clock, &config);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (i % 2)
            cm_clock_write(&clock, steps[i].address);
        else
            cm_clock_read(&clock, steps[i].address);
        ck_assert_msg(clock.counters.by_cause[CM_CAUSE_BANK_CONFLICT] == 73 * steps[i].conflicts,
                      "%s", steps[i].what);
    }
    ck_assert_uint_eq(clock.counters.page_faults, 5);
    check_sum(&clock);
}
END_TEST

/* Pages of 64 words. Where nodes may be in several pages, some node leaves its page and stays in
 * its bank. */
START_TEST(an_access_among_several_pages_is_charged_the_worst)
{
    static const struct {
        uint64_t address, count;    /* count 0: of one address, by a broadcast */
        uint64_t faults, conflicts; /* so far */
        const char *what;
    } steps[] = {
        {0, 64, 1, 0, "all in one page, and nothing was open"},
        {63, 0, 1, 0, "that page is open"},
        {63, 2, 2, 1, "among two pages"},
        {63, 0, 3, 2, "an address after it, whose page may not be open"},
        {32, 32, 3, 2, "among the words of the open page"},
        {0, 65, 4, 3, "among two pages of which one is open"},
        {0, 65, 5, 4, "the same again"},
        {128, 2, 6, 5, "in one page after several"},
        {129, 0, 6, 5, "in the page that is open now"},
    };
    for (int cut = 0; cut < 2; cut++) {
        struct cm_config config = distinct_config();
        struct cm_clock clock;
        config.memory_bank_conflict_cycles = 73;
        config.memory_block_words = cut ? 16 : 64; /* a page of one block has no conflicts */
        cm_clock_init(&clock, &config);
        for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
            if (steps[i].count > 0 && i % 2)
                cm_clock_write_among(&clock, steps[i].address, steps[i].count, 2);
            else if (steps[i].count > 0)
                cm_clock_read_among(&clock, steps[i].address, steps[i].count, 2);
            else
                cm_clock_read(&clock, steps[i].address);
            ck_assert_msg(clock.counters.page_faults == steps[i].faults, "%s", steps[i].what);
            ck_assert_msg(clock.counters.by_cause[CM_CAUSE_BANK_CONFLICT] ==
                              (cut ? 73 * steps[i].conflicts : 0),
                          "%s", steps[i].what);
        }
        ck_assert_uint_eq(clock.counters.loads + clock.counters.stores, 3 + 6 * 2);
        check_sum(&clock);
    }
}
END_TEST

/* ---- moves ---- */

/* A clock that knows nothing but single words. */
struct naive {
    uint64_t page_words, open_page;
    uint64_t banks, block_words, block;
    bool open;
    uint64_t load_faults, store_faults, conflicts, words;
};

static bool naive_access(struct naive *naive, int64_t address)
{
    uint64_t page = (uint64_t)address / naive->page_words;
    bool fault = !naive->open || page != naive->open_page;
    uint64_t block = (uint64_t)address % naive->page_words / naive->block_words;
    if (naive->open && fault && block != naive->block &&
        page % naive->banks == naive->open_page % naive->banks)
        naive->conflicts++;
    naive->block = block;
    naive->open = true;
    naive->open_page = page;
    return fault;
}

struct move {
    int64_t dst, src, dst_stride, src_stride;
    uint64_t count;
};

static int64_t random_stride(struct random_source *random)
{
    static const int64_t usual[] = {0, 1, -1, 2, -3, 64};
    if (random_below(random, 2))
        return usual[random_below(random, 6)];
    return (int64_t)random_below(random, 401) - 200;
}

/* A place in 0 .. 2^20 - 1 for the first word, so that the last is there too. */
static int64_t random_start(struct random_source *random, uint64_t count, int64_t stride)
{
    int64_t span = stride * (int64_t)(count - 1);
    int64_t start = random_below(random, 1000) + (random_below(random, 2) ? 0 : 100000);
    return span < 0 ? start - span : start;
}

static struct move random_move(struct random_source *random)
{
    struct move move = {.count = 1 + random_below(random, random_below(random, 2) ? 8 : 600),
                        .dst_stride = random_stride(random),
                        .src_stride = random_stride(random)};
    move.dst = random_start(random, move.count, move.dst_stride);
    move.src = random_start(random, move.count, move.src_stride);
    return move;
}

static void naive_move(struct naive *naive, const struct move *move)
{
    for (uint64_t k = 0; k < move->count; k++) {
        naive->load_faults += naive_access(naive, move->src + (int64_t)k * move->src_stride);
        naive->store_faults += naive_access(naive, move->dst + (int64_t)k * move->dst_stride);
        naive->words++;
    }
}

START_TEST(a_move_costs_what_its_words_cost_one_by_one)
{
    struct random_source random = random_begin("moves");
    struct cm_config config = distinct_config();
    struct cm_clock clock;
    for (int i = 0; i < CASES; i++) {
        struct naive naive = {.page_words = 1 + random_below(&random, i % 2 ? 40 : 700),
                              .banks = 1 + random_below(&random, 4),
                              .block_words = 1 + random_below(&random, i % 3 ? 20 : 800)};
        config.memory_page_words = naive.page_words;
        config.memory_banks = naive.banks;
        config.memory_block_words = naive.block_words;
        config.memory_bank_conflict_cycles = i % 5 ? 73 : 0;
        cm_clock_init(&clock, &config);
        for (int k = 0; k < 4; k++) { /* a move begins with the page that the last one left open */
            struct move move = random_move(&random);
            naive_move(&naive, &move);
            cm_clock_move(&clock, (uint64_t)move.dst, (uint64_t)move.src, move.count,
                          move.dst_stride, move.src_stride);
            const uint64_t *causes = clock.counters.by_cause;
            ck_assert_uint_eq(causes[CM_CAUSE_LOAD], 2 * naive.words);
            ck_assert_uint_eq(causes[CM_CAUSE_STORE], 5 * naive.words);
            ck_assert_uint_eq(causes[CM_CAUSE_LOAD_PAGE_FAULT], 3 * naive.load_faults);
            ck_assert_uint_eq(causes[CM_CAUSE_STORE_PAGE_FAULT], 7 * naive.store_faults);
            ck_assert_uint_eq(causes[CM_CAUSE_BANK_CONFLICT],
                              config.memory_bank_conflict_cycles * naive.conflicts);
            ck_assert_uint_eq(clock.counters.page_faults, naive.load_faults + naive.store_faults);
            ck_assert_uint_eq(clock.counters.loads, naive.words);
            ck_assert_uint_eq(clock.counters.stores, naive.words);
            ck_assert_uint_eq(clock.counters.words_moved_locally, naive.words);
            check_sum(&clock);
        }
    }
}
END_TEST

/* ---- refresh ---- */

START_TEST(a_refresh_comes_when_its_interval_is_full)
{
    struct cm_config config = distinct_config();
    struct cm_clock clock;
    const uint64_t *refresh = &clock.counters.by_cause[CM_CAUSE_REFRESH];
    config.memory_refresh_interval_cycles = 128;
    config.memory_refresh_cycles = 2;
    cm_clock_init(&clock, &config);
    cm_clock_charge(&clock, CM_CAUSE_FPU, 125);
    ck_assert_uint_eq(*refresh, 0);
    cm_clock_charge(&clock, CM_CAUSE_FPU, 0);
    ck_assert_uint_eq(*refresh, 0);
    cm_clock_charge(&clock, CM_CAUSE_FPU, 1);
    ck_assert_uint_eq(*refresh, 2);
    ck_assert_uint_eq(clock.counters.cycles, 128);
    cm_clock_charge(&clock, CM_CAUSE_FPU, 126 * 1000 + 125);
    ck_assert_uint_eq(*refresh, 2 * 1001);
    cm_clock_charge(&clock, CM_CAUSE_FPU, 1); /* what was left of the last interval counts on */
    ck_assert_uint_eq(*refresh, 2 * 1002);
}
END_TEST

/* Refreshes in `work` cycles of work, one cycle after the other. */
struct ticker {
    uint64_t done; /* cycles of work in this interval */
    uint64_t refreshes;
};

static void tick(struct ticker *ticker, const struct cm_config *config, uint64_t work)
{
    for (; work > 0; work--)
        if (++ticker->done ==
            config->memory_refresh_interval_cycles - config->memory_refresh_cycles) {
            ticker->done = 0;
            ticker->refreshes++;
        }
}

START_TEST(refresh_takes_its_share_however_work_is_cut)
{
    struct random_source random = random_begin("refresh");
    struct cm_config config = distinct_config();
    struct cm_clock clock;
    for (int i = 0; i < CASES / 10; i++) {
        struct ticker ticker = {0};
        config.memory_refresh_interval_cycles = 2 + random_below(&random, 200);
        config.memory_refresh_cycles =
            1 + random_below(&random, (uint32_t)config.memory_refresh_interval_cycles - 1);
        cm_clock_init(&clock, &config);
        for (int k = 0; k < 50; k++) {
            uint64_t work = random_below(&random, random_below(&random, 3) ? 20 : 1000);
            enum cm_cause cause = (enum cm_cause)random_below(&random, CM_CAUSE_REFRESH);
            cm_clock_charge(&clock, cause, work);
            tick(&ticker, &config, work);
            ck_assert_uint_eq(clock.counters.by_cause[CM_CAUSE_REFRESH],
                              ticker.refreshes * config.memory_refresh_cycles);
            check_sum(&clock);
        }
    }
}
END_TEST

START_TEST(without_an_interval_there_is_no_refresh)
{
    struct cm_config config = distinct_config();
    struct cm_clock clock;
    cm_clock_init(&clock, &config);
    cm_clock_charge(&clock, CM_CAUSE_EXCHANGE, UINT64_C(1) << 60);
    ck_assert_uint_eq(clock.counters.by_cause[CM_CAUSE_REFRESH], 0);
    ck_assert_uint_eq(clock.counters.cycles, UINT64_C(1) << 60);
}
END_TEST

/* ---- entries and instructions ---- */

START_TEST(an_entry_charges_what_the_front_end_does)
{
    static const struct {
        enum cm_entry entry;
        uint64_t start, call;
    } cases[] = {{CM_ENTRY_IMP, 61, 0}, {CM_ENTRY_RUNTIME, 61, 67}, {CM_ENTRY_CHAINED, 0, 0}};
    struct cm_config config = distinct_config();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct cm_clock clock;
        cm_clock_init(&clock, &config);
        cm_clock_enter(&clock, cases[i].entry);
        ck_assert_uint_eq(clock.counters.by_cause[CM_CAUSE_START], cases[i].start);
        ck_assert_uint_eq(clock.counters.by_cause[CM_CAUSE_RUNTIME_CALL], cases[i].call);
        ck_assert_uint_eq(clock.counters.cycles, cases[i].start + cases[i].call);
    }
}
END_TEST

/* Vectors of four additions (43 each) or comparisons (101), of which each pays its start of 5. */
START_TEST(a_vector_pays_for_all_its_elements_when_it_begins)
{
    enum { ADD = 5 + 4 * 43, COMPARE = 5 + 4 * 101 };
    static const struct {
        struct cm_instruction instruction;
        uint64_t cycles;
    } steps[] = {
        {{.op = CM_OP_FADD32, .operands = {{.reg = 0}, {.reg = 8}, {.reg = 9}}}, ADD},
        {{.op = CM_OP_FADD32, .operands = {{.reg = 1}, {.reg = 8}, {.reg = 9}}}, 0},
        {{.op = CM_OP_FADD32, .operands = {{.reg = 2}, {.reg = 8}, {.reg = 9}}}, 0},
        {{.op = CM_OP_FADD32, .operands = {{.reg = 3}, {.reg = 8}, {.reg = 9}}}, 0},
        {{.op = CM_OP_FADD32, .operands = {{.reg = 4}, {.reg = 8}, {.reg = 9}}}, ADD}, /* full */
        {{.op = CM_OP_FADD32, .operands = {{.reg = 5}, {.reg = 4}, {.reg = 9}}}, ADD}, /* reads */
        {{.op = CM_OP_FADD32, .operands = {{.reg = 5}, {.reg = 8}, {.reg = 9}}}, ADD}, /* writes */
        {{.op = CM_OP_FSUB32, .operands = {{.reg = 6}, {.reg = 8}, {.reg = 9}}}, ADD}, /* another */
        {{.op = CM_OP_FEQ32, .operands = {{.reg = 6}, {.reg = 9}}}, COMPARE},
        {{.op = CM_OP_FEQ32, .operands = {{.reg = 6}, {.reg = 8}}}, 0}, /* writes no register */
        {{.op = CM_OP_NEXT}, 37},
        {{.op = CM_OP_FEQ32, .operands = {{.reg = 6}, {.reg = 8}}}, COMPARE}, /* next iteration */
    };
    struct cm_config config = distinct_config();
    struct cm_clock clock;
    config.fpu_vector_elements = 4;
    config.fpu_vector_start_cycles = 5;
    cm_clock_init(&clock, &config);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        uint64_t before = clock.counters.cycles;
        cm_clock_issue(&clock, &steps[i].instruction, &(struct cm_effective){0});
        ck_assert_msg(clock.counters.cycles - before == steps[i].cycles,
                      "instruction %zu: %" PRIu64 " cycles, expected %" PRIu64, i,
                      clock.counters.cycles - before, steps[i].cycles);
    }
    cm_clock_enter(&clock, CM_ENTRY_CHAINED); /* the vector ends with the run */
    uint64_t before = clock.counters.cycles;
    cm_clock_issue(&clock, &steps[9].instruction, &(struct cm_effective){0});
    ck_assert_uint_eq(clock.counters.cycles - before, COMPARE);
}
END_TEST

/* What one instruction does, on a clock whose open page holds no word of it: data lies in one page,
 * the table in another. */
struct cost {
    enum cm_op op;
    enum cm_cause cause; /* beside memory */
    uint64_t cycles;     /* of that cause */
    uint64_t loads, load_faults, stores, store_faults;
    uint64_t flops;
};

static const struct cost costs[] = {
    {CM_OP_HALT, CM_CAUSE_LOOP, 0, 0, 0, 0, 0, 0},
    {CM_OP_LOOP, CM_CAUSE_LOOP, 31, 0, 0, 0, 0, 0},
    {CM_OP_NEXT, CM_CAUSE_LOOP, 37, 0, 0, 0, 0, 0},
    {CM_OP_ASET, CM_CAUSE_ADDRESS, 41, 0, 0, 0, 0, 0},
    {CM_OP_AADD, CM_CAUSE_ADDRESS, 41, 0, 0, 0, 0, 0},
    {CM_OP_ACOPY, CM_CAUSE_ADDRESS, 41, 0, 0, 0, 0, 0},
    {CM_OP_AARG, CM_CAUSE_ADDRESS, 41, 0, 0, 0, 0, 0},
    {CM_OP_LOAD, CM_CAUSE_TRANSPOSER, 11, 1, 1, 0, 0, 0},
    {CM_OP_UNLOAD, CM_CAUSE_TRANSPOSER, 13, 0, 0, 1, 1, 0},
    {CM_OP_LOADI, CM_CAUSE_INDIRECT, 17, 2, 2, 0, 0, 0},
    {CM_OP_UNLOADI, CM_CAUSE_INDIRECT, 19, 1, 1, 1, 1, 0},
    {CM_OP_CONST, CM_CAUSE_TRANSPOSER, 23, 0, 0, 0, 0, 0},
    {CM_OP_BCAST, CM_CAUSE_TRANSPOSER, 23, 0, 0, 0, 0, 0},
    {CM_OP_EXCHANGE, CM_CAUSE_EXCHANGE, 29, 0, 0, 0, 0, 0},
    {CM_OP_MOVE, CM_CAUSE_LOAD, 0, 6, 6, 6, 6, 0},
    {CM_OP_FLOAD32, CM_CAUSE_FPU, 0, 1, 1, 0, 0, 0},
    {CM_OP_FLOAD64, CM_CAUSE_FPU, 0, 2, 1, 0, 0, 0},
    {CM_OP_FSTORE32, CM_CAUSE_FPU, 0, 0, 0, 1, 1, 0},
    {CM_OP_FSTORE64, CM_CAUSE_FPU, 0, 0, 0, 2, 1, 0},
    {CM_OP_FSCAL32, CM_CAUSE_SCALAR, 71, 0, 0, 0, 0, 0},
    {CM_OP_FSCAL64, CM_CAUSE_SCALAR, 142, 0, 0, 0, 0, 0},
    {CM_OP_FADD32, CM_CAUSE_FPU, 43, 0, 0, 0, 0, 1},
    {CM_OP_FADD64, CM_CAUSE_FPU, 43, 0, 0, 0, 0, 1},
    {CM_OP_FSUB32, CM_CAUSE_FPU, 43, 0, 0, 0, 0, 1},
    {CM_OP_FSUB64, CM_CAUSE_FPU, 43, 0, 0, 0, 0, 1},
    {CM_OP_FMUL32, CM_CAUSE_FPU, 47, 0, 0, 0, 0, 1},
    {CM_OP_FMUL64, CM_CAUSE_FPU, 47, 0, 0, 0, 0, 1},
    {CM_OP_FMA32, CM_CAUSE_FPU, 53, 0, 0, 0, 0, 2},
    {CM_OP_FMA64, CM_CAUSE_FPU, 53, 0, 0, 0, 0, 2},
    {CM_OP_IADD, CM_CAUSE_FPU, 43, 0, 0, 0, 0, 0},
    {CM_OP_ISUB, CM_CAUSE_FPU, 43, 0, 0, 0, 0, 0},
    {CM_OP_IMUL, CM_CAUSE_FPU, 47, 0, 0, 0, 0, 0},
    {CM_OP_CTXALL, CM_CAUSE_CONTEXT, 59, 0, 0, 0, 0, 0},
    {CM_OP_CTXLOAD, CM_CAUSE_CONTEXT, 59, 1, 1, 0, 0, 0},
    {CM_OP_CTXAND, CM_CAUSE_CONTEXT, 59, 1, 1, 0, 0, 0},
    {CM_OP_CTXNOT, CM_CAUSE_CONTEXT, 59, 0, 0, 0, 0, 0},
    {CM_OP_FDIV32, CM_CAUSE_FPU, 73, 0, 0, 0, 0, 1},
    {CM_OP_FDIV64, CM_CAUSE_FPU, 79, 0, 0, 0, 0, 1},
    {CM_OP_FSQRT32, CM_CAUSE_FPU, 83, 0, 0, 0, 0, 1},
    {CM_OP_FSQRT64, CM_CAUSE_FPU, 89, 0, 0, 0, 0, 1},
    {CM_OP_FNEG32, CM_CAUSE_FPU, 107, 0, 0, 0, 0, 0},
    {CM_OP_FNEG64, CM_CAUSE_FPU, 107, 0, 0, 0, 0, 0},
    {CM_OP_FABS32, CM_CAUSE_FPU, 107, 0, 0, 0, 0, 0},
    {CM_OP_FABS64, CM_CAUSE_FPU, 107, 0, 0, 0, 0, 0},
    {CM_OP_FMIN32, CM_CAUSE_FPU, 43, 0, 0, 0, 0, 0},
    {CM_OP_FMIN64, CM_CAUSE_FPU, 43, 0, 0, 0, 0, 0},
    {CM_OP_FMAX32, CM_CAUSE_FPU, 43, 0, 0, 0, 0, 0},
    {CM_OP_FMAX64, CM_CAUSE_FPU, 43, 0, 0, 0, 0, 0},
    {CM_OP_IMIN, CM_CAUSE_FPU, 43, 0, 0, 0, 0, 0},
    {CM_OP_IMAX, CM_CAUSE_FPU, 43, 0, 0, 0, 0, 0},
    {CM_OP_IDIV, CM_CAUSE_FPU, 97, 0, 0, 0, 0, 0},
    {CM_OP_IMOD, CM_CAUSE_FPU, 97, 0, 0, 0, 0, 0},
    {CM_OP_IAND, CM_CAUSE_FPU, 107, 0, 0, 0, 0, 0},
    {CM_OP_IOR, CM_CAUSE_FPU, 107, 0, 0, 0, 0, 0},
    {CM_OP_IXOR, CM_CAUSE_FPU, 107, 0, 0, 0, 0, 0},
    {CM_OP_ISHL, CM_CAUSE_FPU, 107, 0, 0, 0, 0, 0},
    {CM_OP_ISHR, CM_CAUSE_FPU, 107, 0, 0, 0, 0, 0},
    {CM_OP_ISAR, CM_CAUSE_FPU, 107, 0, 0, 0, 0, 0},
    {CM_OP_FEQ32, CM_CAUSE_FPU, 101, 0, 0, 0, 0, 0},
    {CM_OP_FLT32, CM_CAUSE_FPU, 101, 0, 0, 0, 0, 0},
    {CM_OP_FLE32, CM_CAUSE_FPU, 101, 0, 0, 0, 0, 0},
    {CM_OP_FEQ64, CM_CAUSE_FPU, 101, 0, 0, 0, 0, 0},
    {CM_OP_FLT64, CM_CAUSE_FPU, 101, 0, 0, 0, 0, 0},
    {CM_OP_FLE64, CM_CAUSE_FPU, 101, 0, 0, 0, 0, 0},
    {CM_OP_IEQ, CM_CAUSE_FPU, 101, 0, 0, 0, 0, 0},
    {CM_OP_ILT, CM_CAUSE_FPU, 101, 0, 0, 0, 0, 0},
    {CM_OP_ILE, CM_CAUSE_FPU, 101, 0, 0, 0, 0, 0},
    {CM_OP_CTXSAVE, CM_CAUSE_CONTEXT, 59, 0, 0, 0, 0, 0},
    {CM_OP_CTXREST, CM_CAUSE_CONTEXT, 59, 0, 0, 0, 0, 0},
    {CM_OP_CTXANDR, CM_CAUSE_CONTEXT, 59, 0, 0, 0, 0, 0},
    {CM_OP_FSEL32, CM_CAUSE_FPU, 107, 0, 0, 0, 0, 0},
    {CM_OP_FSEL64, CM_CAUSE_FPU, 107, 0, 0, 0, 0, 0},
    {CM_OP_I2F32, CM_CAUSE_FPU, 103, 0, 0, 0, 0, 0},
    {CM_OP_I2F64, CM_CAUSE_FPU, 103, 0, 0, 0, 0, 0},
    {CM_OP_F2I32, CM_CAUSE_FPU, 103, 0, 0, 0, 0, 0},
    {CM_OP_F2I64, CM_CAUSE_FPU, 103, 0, 0, 0, 0, 0},
    {CM_OP_F32TO64, CM_CAUSE_FPU, 103, 0, 0, 0, 0, 0},
    {CM_OP_F64TO32, CM_CAUSE_FPU, 103, 0, 0, 0, 0, 0},
    {CM_OP_FHIGH, CM_CAUSE_FPU, 107, 0, 0, 0, 0, 0},
    {CM_OP_FJOIN, CM_CAUSE_FPU, 107, 0, 0, 0, 0, 0},
    {CM_OP_FCONST, CM_CAUSE_FPU, 107, 0, 0, 0, 0, 0},
    {CM_OP_NODEID, CM_CAUSE_FPU, 107, 0, 0, 0, 0, 0},
    {CM_OP_FLOADX32, CM_CAUSE_INDIRECT, 109, 1, 1, 0, 0, 0},
    {CM_OP_FLOADX64, CM_CAUSE_INDIRECT, 109, 2, 1, 0, 0, 0},
    {CM_OP_FSTOREX32, CM_CAUSE_INDIRECT, 113, 0, 0, 1, 1, 0},
    {CM_OP_FSTOREX64, CM_CAUSE_INDIRECT, 113, 0, 0, 2, 1, 0},
};

static void check_cost(const struct cost *cost)
{
    struct cm_config config = distinct_config();
    struct cm_instruction instruction = {.op = cost->op};
    struct cm_effective at = {.data = 128, .other = 256};
    struct cm_clock clock;
    uint64_t expected[CM_CAUSE_COUNT] = {0};
    if (cost->op == CM_OP_MOVE)
        for (int i = 2; i < 5; i++)
            instruction.operands[i].value = i == 2 ? 6 : 1;
    else if (cost->op >= CM_OP_FLOADX32)
        instruction.operands[3].value = 64; /* all of a page */
    cm_clock_init(&clock, &config);
    cm_clock_issue(&clock, &instruction, &at);
    expected[CM_CAUSE_LOAD] = 2 * cost->loads;
    expected[CM_CAUSE_LOAD_PAGE_FAULT] = 3 * cost->load_faults;
    expected[CM_CAUSE_STORE] = 5 * cost->stores;
    expected[CM_CAUSE_STORE_PAGE_FAULT] = 7 * cost->store_faults;
    expected[cost->cause] += cost->cycles;
    for (int cause = 0; cause < CM_CAUSE_COUNT; cause++)
        ck_assert_msg(clock.counters.by_cause[cause] == expected[cause],
                      "%s: %s is %" PRIu64 ", expected %" PRIu64, cm_op_info(cost->op)->mnemonic,
                      cm_cause_name((enum cm_cause)cause), clock.counters.by_cause[cause],
                      expected[cause]);
    ck_assert_uint_eq(clock.counters.loads, cost->loads);
    ck_assert_uint_eq(clock.counters.stores, cost->stores);
    ck_assert_uint_eq(clock.counters.flops, cost->flops);
    ck_assert_uint_eq(clock.counters.exchanges, cost->op == CM_OP_EXCHANGE);
    ck_assert_uint_eq(clock.counters.instructions, 1);
    check_sum(&clock);
}

START_TEST(every_instruction_charges_its_causes)
{
    bool seen[CM_OP_COUNT] = {false};
    for (size_t i = 0; i < sizeof costs / sizeof costs[0]; i++) {
        seen[costs[i].op] = true;
        check_cost(&costs[i]);
    }
    for (int op = 0; op < CM_OP_COUNT; op++)
        ck_assert_msg(seen[op], "no cost is tested for %s", cm_op_info((enum cm_op)op)->mnemonic);
}
END_TEST

/* The table word is read before the data, which leaves the data's page open. */
START_TEST(the_table_word_of_an_indirect_transfer_is_read_first)
{
    struct cm_config config = distinct_config();
    struct cm_instruction load = {.op = CM_OP_LOADI};
    struct cm_effective at = {.data = 0, .other = 64};
    struct cm_clock clock;
    cm_clock_init(&clock, &config);
    cm_clock_read(&clock, 64);
    ck_assert_uint_eq(clock.counters.page_faults, 1);
    cm_clock_issue(&clock, &load, &at);
    ck_assert_uint_eq(clock.counters.page_faults, 2);
    cm_clock_read(&clock, 1);
    ck_assert_uint_eq(clock.counters.page_faults, 2);
}
END_TEST

/* ---- exchanges that the sequencer does not wait for ---- */

static const struct cm_instruction exchange = {.op = CM_OP_EXCHANGE};
static const struct cm_instruction halt = {.op = CM_OP_HALT};

static void issue(struct cm_clock *clock, const struct cm_instruction *instruction)
{
    struct cm_effective at = {.data = 1, .other = 2}; /* of the page that is open */
    cm_clock_issue(clock, instruction, &at);
}

/* An exchange of 29 cycles runs, and a page is open. */
static void begin_overlap(struct cm_clock *clock, struct cm_config *config, bool second_buffer)
{
    *config = distinct_config();
    config->exchange_overlap = 1;
    cm_clock_init(clock, config);
    cm_clock_read(clock, 0);
    clock->second_buffer = second_buffer;
    issue(clock, &exchange);
    ck_assert_uint_eq(clock->counters.cycles, 5); /* the access */
    ck_assert_uint_eq(clock->counters.exchanges, 1);
}

static void check_overlap(const struct cm_clock *clock, uint64_t cycles, uint64_t waited,
                          uint64_t hidden)
{
    ck_assert_uint_eq(clock->counters.cycles, 5 + cycles);
    ck_assert_uint_eq(clock->counters.by_cause[CM_CAUSE_EXCHANGE], waited);
    ck_assert_uint_eq(clock->counters.hidden_cycles, hidden);
    check_sum(clock);
}

START_TEST(without_overlap_nothing_is_hidden)
{
    struct cm_config config = distinct_config();
    struct cm_clock clock;
    cm_clock_init(&clock, &config);
    issue(&clock, &exchange);
    issue(&clock, &(struct cm_instruction){.op = CM_OP_FADD64});
    ck_assert_uint_eq(clock.counters.cycles, 29 + 43);
    ck_assert_uint_eq(clock.counters.by_cause[CM_CAUSE_EXCHANGE], 29);
    ck_assert_uint_eq(clock.counters.hidden_cycles, 0);
}
END_TEST

START_TEST(work_hides_an_exchange_up_to_its_length)
{
    struct cm_config config;
    struct cm_clock clock;
    begin_overlap(&clock, &config, true);
    issue(&clock, &(struct cm_instruction){.op = CM_OP_LOAD}); /* into A: 2 + 11 */
    check_overlap(&clock, 13, 0, 13);
    issue(&clock, &(struct cm_instruction){.op = CM_OP_FADD32}); /* 43 */
    check_overlap(&clock, 56, 0, 29);
    issue(&clock, &halt);
    check_overlap(&clock, 56, 0, 29);
}
END_TEST

/* What follows after 13 of the 29 cycles: a transfer of transposer `reg`, or what has none. */
struct overlapped {
    enum cm_op op;
    uint8_t reg;
    bool second_buffer;
    bool waits; /* 16 cycles */
};

static const struct overlapped overlapped[] = {
    {CM_OP_UNLOAD, CM_TRANSPOSER_B, true, true},
    {CM_OP_UNLOADI, CM_TRANSPOSER_B, true, true},
    {CM_OP_UNLOAD, CM_TRANSPOSER_A, true, true},
    {CM_OP_UNLOAD, CM_TRANSPOSER_C, false, false},
    {CM_OP_UNLOADI, CM_TRANSPOSER_C, false, false},
    {CM_OP_LOAD, CM_TRANSPOSER_A, true, false},
    {CM_OP_LOADI, CM_TRANSPOSER_A, true, false},
    {CM_OP_CONST, CM_TRANSPOSER_A, true, false},
    {CM_OP_BCAST, CM_TRANSPOSER_A, true, false},
    {CM_OP_LOAD, CM_TRANSPOSER_A, false, true},
    {CM_OP_LOADI, CM_TRANSPOSER_A, false, true},
    {CM_OP_CONST, CM_TRANSPOSER_A, false, true},
    {CM_OP_BCAST, CM_TRANSPOSER_A, false, true},
    {CM_OP_LOAD, CM_TRANSPOSER_C, false, false},
    {CM_OP_FLOAD64, 0, true, false},
    {CM_OP_MOVE, 0, true, false},
    {CM_OP_NEXT, 0, true, false},
    {CM_OP_HALT, 0, true, true},
    {CM_OP_EXCHANGE, 0, true, true},
};

START_TEST(what_needs_the_end_of_an_exchange_waits_for_it)
{
    const struct overlapped *after = &overlapped[_i];
    bool unload = after->op == CM_OP_UNLOAD || after->op == CM_OP_UNLOADI;
    struct cm_instruction instruction = {.op = after->op};
    struct cm_config config;
    struct cm_clock clock;
    instruction.operands[unload ? 1 : 0].reg = after->reg;
    begin_overlap(&clock, &config, after->second_buffer);
    cm_clock_charge(&clock, CM_CAUSE_FPU, 13);
    issue(&clock, &instruction);
    ck_assert_uint_eq(clock.counters.by_cause[CM_CAUSE_EXCHANGE], after->waits ? 16 : 0);
    issue(&clock, &halt);
    check_sum(&clock);
    ck_assert_uint_eq(clock.counters.by_cause[CM_CAUSE_EXCHANGE] + clock.counters.hidden_cycles,
                      29 * clock.counters.exchanges);
}
END_TEST

START_TEST(a_refresh_stops_an_exchange_too)
{
    struct cm_config config;
    struct cm_clock clock;
    begin_overlap(&clock, &config, true);
    config.memory_refresh_interval_cycles = 30;
    config.memory_refresh_cycles = 10;
    clock.until_refresh = 20;
    cm_clock_charge(&clock, CM_CAUSE_FPU, 20); /* and a refresh of 10 */
    issue(&clock, &halt);
    check_overlap(&clock, 20 + 10 + 9, 9, 20);
    ck_assert_uint_eq(clock.counters.by_cause[CM_CAUSE_REFRESH], 10);
}
END_TEST

START_TEST(counters_are_added_and_subtracted_field_by_field)
{
    const struct cm_counters more = {
        .cycles = 1, .by_cause[CM_CAUSE_FPU] = 2, .hidden_cycles = 3, .words_sent = 4, .flops = 5};
    struct cm_counters sum = {.cycles = 10, .hidden_cycles = 20, .flops = 30};
    cm_counters_add(&sum, &more);
    ck_assert_uint_eq(sum.cycles, 11);
    ck_assert_uint_eq(sum.by_cause[CM_CAUSE_FPU], 2);
    ck_assert_uint_eq(sum.hidden_cycles, 23);
    ck_assert_uint_eq(sum.words_sent, 4);
    ck_assert_uint_eq(sum.flops, 35);
    const struct cm_counters rest = cm_counters_difference(&sum, &more);
    ck_assert_uint_eq(rest.cycles, 10);
    ck_assert_uint_eq(rest.hidden_cycles, 20);
    ck_assert_uint_eq(rest.words_sent, 0);
}
END_TEST

START_TEST(causes_have_names_of_their_own)
{
    for (int a = 0; a < CM_CAUSE_COUNT; a++)
        for (int b = 0; b < a; b++)
            ck_assert_str_ne(cm_cause_name((enum cm_cause)a), cm_cause_name((enum cm_cause)b));
    ck_assert_str_eq(cm_cause_name(CM_CAUSE_LOAD_PAGE_FAULT), "load_page_fault");
}
END_TEST

CM_PROGRAM(test_sim_clock)
{
    Suite *suite = suite_create("clock");
    TCase *tests = tcase_create("clock");
    tcase_add_test(tests, an_access_outside_the_open_page_faults);
    tcase_add_test(tests, an_access_among_several_pages_is_charged_the_worst);
    tcase_add_test(tests, a_fault_within_a_bank_to_another_block_conflicts);
    tcase_add_test(tests, a_move_costs_what_its_words_cost_one_by_one);
    tcase_add_test(tests, a_refresh_comes_when_its_interval_is_full);
    tcase_add_test(tests, refresh_takes_its_share_however_work_is_cut);
    tcase_add_test(tests, without_an_interval_there_is_no_refresh);
    tcase_add_test(tests, an_entry_charges_what_the_front_end_does);
    tcase_add_test(tests, a_vector_pays_for_all_its_elements_when_it_begins);
    tcase_add_test(tests, every_instruction_charges_its_causes);
    tcase_add_test(tests, the_table_word_of_an_indirect_transfer_is_read_first);
    tcase_add_test(tests, without_overlap_nothing_is_hidden);
    tcase_add_test(tests, work_hides_an_exchange_up_to_its_length);
    tcase_add_loop_test(tests, what_needs_the_end_of_an_exchange_waits_for_it, 0,
                        sizeof overlapped / sizeof overlapped[0]);
    tcase_add_test(tests, a_refresh_stops_an_exchange_too);
    tcase_add_test(tests, counters_are_added_and_subtracted_field_by_field);
    tcase_add_test(tests, causes_have_names_of_their_own);
    suite_add_tcase(suite, tests);
    return cm_run_suite(suite);
}
