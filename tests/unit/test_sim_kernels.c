/* The data loops, on whole machines and on every range of nodes that a thread may own, against
 * plain loops. */
#include "random.h"
/* The bodies for other hosts than this one are static. */
#include "sim/lanes/indirect.c"
#include "sim/lanes/kernels.c"
#include "suite.h"

#include <stdlib.h>
#include <string.h>

#define SLOTS 32u

static uint32_t *new_words(struct random_source *random, size_t count)
{
    void *words = NULL;
    ck_assert_int_eq(posix_memalign(&words, 64, count * sizeof(uint32_t)), 0);
    for (size_t i = 0; i < count; i++)
        ((uint32_t *)words)[i] = (uint32_t)random_next(random);
    return words;
}

static uint32_t *copy_words(const uint32_t *words, size_t count)
{
    void *copy = NULL;
    ck_assert_int_eq(posix_memalign(&copy, 64, count * sizeof(uint32_t)), 0);
    memcpy(copy, words, count * sizeof(uint32_t));
    return copy;
}

/* The ranges of `nodes` nodes that 1, 2, 4 ... threads make: aligned to their length. Of few nodes
 * all of them, of many those of up to eight threads. */
struct ranges {
    uint32_t nodes, length, first;
};

static bool next_range(struct ranges *ranges, struct cm_lanes *lanes)
{
    if (ranges->length == 0 || (ranges->nodes > 32 && ranges->length < ranges->nodes / 8))
        return false;
    *lanes = (struct cm_lanes){ranges->first, ranges->first + ranges->length, ranges->nodes};
    ranges->first += ranges->length;
    if (ranges->first >= ranges->nodes) {
        ranges->first = 0;
        ranges->length /= 2;
    }
    return true;
}

#define FOR_RANGES(node_count, lanes)                                                              \
    for (struct ranges ranges_ = {(node_count), (node_count), 0}; next_range(&ranges_, (lanes));)

static bool inside(struct cm_lanes lanes, uint32_t n)
{
    return n >= lanes.first && n < lanes.last;
}

START_TEST(an_exchange_takes_each_word_to_the_neighbour)
{
    uint32_t nodes = UINT32_C(1) << _i;
    struct random_source random = random_begin("exchange");
    uint32_t *src = new_words(&random, nodes);
    struct cm_lanes lanes;
    for (uint32_t d = 0; UINT32_C(1) << d < nodes; d++)
        FOR_RANGES(nodes, &lanes)
        {
            uint32_t *before = new_words(&random, nodes);
            uint32_t *dst = copy_words(before, nodes);
            cm_kernel_exchange(lanes, dst, src, d);
            for (uint32_t n = 0; n < nodes; n++)
                require_uint_eq(dst[n], inside(lanes, n) ? src[n ^ UINT32_C(1) << d] : before[n]);
            free(before);
            free(dst);
        }
    free(src);
}
END_TEST

/* Words before and after the range, which nothing may touch. */
START_TEST(loops_of_instructions_do_the_same_on_every_node_and_no_other)
{
    uint32_t nodes = UINT32_C(1) << _i, room = 2 * nodes + 8;
    struct random_source random = random_begin("loops");
    uint32_t *src = new_words(&random, room), *was = new_words(&random, room);
    uint32_t *mask = new_words(&random, room);
    uint32_t bit = random_below(&random, 32);
    const uint64_t word = UINT64_C(0x0123456789abcdef);
    uint32_t *out[13];
    for (uint32_t n = 0; n < room; n++) {
        mask[n] = mask[n] & 1 ? UINT32_MAX : 0;
        src[n] = n % 5 ? src[n] : 0;
    }
    for (int k = 0; k < 13; k++)
        out[k] = copy_words(k < 8 ? was : mask, room);
#define AT(k, a, b) ((uint32_t *const[]){out[k], (a), (b), mask}), nodes
    cm_kernel_copy(AT(0, src, mask), 0);
    cm_kernel_copy64(AT(1, src, mask), 0);
    cm_kernel_copy_masked(AT(2, src, mask), 0);
    cm_kernel_fill(AT(3, src, mask), word);
    cm_kernel_fill64(AT(4, src, mask), word);
    cm_kernel_mask_to_words(AT(5, mask, mask), 0);
    cm_kernel_number(AT(6, src, mask), 70);
    cm_kernel_halves(AT(7, src, src + nodes), 0);
    cm_kernel_bit_to_mask(AT(8, src, mask), bit);
    cm_kernel_mask_and_bit(AT(9, src, mask), bit);
    cm_kernel_mask_not(AT(10, src, mask), 0);
    cm_kernel_words_to_mask(AT(11, src, mask), 0);
    cm_kernel_mask_and_words(AT(12, src, mask), 0);
    for (uint32_t n = 0; n < room; n++) {
        bool in = n<nodes, in64 = n<2 * nodes, set = src[n]>> bit & 1;
        uint32_t half = (uint32_t)(word >> (n % 2 * 32));
        require_uint_eq(out[0][n], in ? src[n] : was[n]);
        require_uint_eq(out[1][n], in64 ? src[n] : was[n]);
        require_uint_eq(out[2][n], in && mask[n] ? src[n] : was[n]);
        require_uint_eq(out[3][n], in ? (uint32_t)word : was[n]);
        require_uint_eq(out[4][n], in64 ? half : was[n]);
        require_uint_eq(out[5][n], in ? mask[n] & 1 : was[n]);
        require_uint_eq(out[6][n], in ? 70 + n : was[n]);
        require_uint_eq(out[7][n], in64 ? src[n] : was[n]);
        require_uint_eq(out[8][n], in ? (set ? UINT32_MAX : 0) : mask[n]);
        require_uint_eq(out[9][n], in && !set ? 0 : mask[n]);
        require_uint_eq(out[10][n], in ? ~mask[n] : mask[n]);
        require_uint_eq(out[11][n], in ? (src[n] ? UINT32_MAX : 0) : mask[n]);
        require_uint_eq(out[12][n], in && !src[n] ? 0 : mask[n]);
    }
    cm_kernel_high_half((uint32_t *const[]){out[0], src, src, src}, nodes, 0);
    for (uint32_t n = 0; n < nodes; n++)
        require_uint_eq(out[0][n], src[nodes + n]);
    for (int k = 0; k < 13; k++)
        free(out[k]);
    free(src);
    free(was);
    free(mask);
}
END_TEST

/* Masks of nodes whose number has a bit, or has not, and any: of these no line, half of the lines
 * or all are written. */
static uint32_t mask_word(struct random_source *random, uint32_t kind, uint32_t n)
{
    uint32_t set = kind < 24 ? (n >> kind / 2 & 1) ^ (kind & 1) : random_below(random, 2);
    return 0u - set;
}

static void check_copy_masked(cm_lane_kernel kernel, const char *name)
{
    struct random_source random = random_begin(name);
    for (uint32_t nodes = 1; nodes <= 2048; nodes *= 2)
        for (uint32_t kind = 0; kind < 25; kind++) {
            uint32_t *to = new_words(&random, nodes + 16), *was = copy_words(to, nodes + 16);
            uint32_t *from = new_words(&random, nodes), *mask = new_words(&random, nodes);
            for (uint32_t n = 0; n < nodes; n++)
                mask[n] = mask_word(&random, kind, n);
            kernel((uint32_t *const[]){to, from, mask, mask}, nodes, 0);
            for (uint32_t n = 0; n < nodes + 16; n++)
                require_uint_eq(to[n], n < nodes && mask[n] ? from[n] : was[n]);
            free(to);
            free(was);
            free(from);
            free(mask);
        }
}

START_TEST(a_masked_copy_writes_where_the_mask_is_set_on_every_host)
{
    check_copy_masked(copy_masked_plain, "masked plain");
    check_copy_masked(cm_kernel_copy_masked, "masked chosen");
#ifdef CM_HOST_X86
    if (cm_host() != CM_HOST_PLAIN)
        check_copy_masked(copy_masked_avx2, "masked avx2");
#endif
}
END_TEST

/* ---- moves ---- */

#define PLANES 40

struct move {
    int64_t dst, src, dst_stride, src_stride;
    int64_t count;
};

static int64_t first_plane(struct random_source *random, int64_t count, int64_t stride)
{
    int64_t span = stride * (count - 1);
    int64_t least = span < 0 ? -span : 0;
    int64_t most = PLANES - 1 - (span > 0 ? span : 0);
    return least + random_below(random, (uint32_t)(most - least + 1));
}

static struct move random_move(struct random_source *random)
{
    struct move move = {.count = 1 + random_below(random, 13), .dst_stride = 1, .src_stride = 1};
    if (random_below(random, 3)) {
        move.dst_stride = (int64_t)random_below(random, 7) - 3;
        move.src_stride = (int64_t)random_below(random, 7) - 3;
    }
    move.dst = first_plane(random, move.count, move.dst_stride);
    move.src = first_plane(random, move.count, move.src_stride);
    return move;
}

/* Word by word, in the order of the machine. */
static void naive_move(struct cm_lanes lanes, uint32_t *planes, const struct move *move)
{
    for (int64_t k = 0; k < move->count; k++)
        for (uint32_t n = lanes.first; n < lanes.last; n++)
            planes[(move->dst + k * move->dst_stride) * lanes.nodes + n] =
                planes[(move->src + k * move->src_stride) * lanes.nodes + n];
}

/* Planes begin at a cache line, so that the streaming loop is taken where it can be. */
START_TEST(a_move_is_plane_after_plane_however_it_overlaps)
{
    uint32_t nodes = UINT32_C(1) << _i;
    struct random_source random = random_begin("moves");
    size_t words = (size_t)PLANES * nodes;
    struct cm_lanes lanes;
    for (int round = 0; round < 12; round++)
        FOR_RANGES(nodes, &lanes)
        {
            struct move move = random_move(&random);
            uint32_t *found = new_words(&random, words);
            uint32_t *expected = copy_words(found, words);
            naive_move(lanes, expected, &move);
            cm_kernel_move(lanes, found + move.dst * nodes, found + move.src * nodes,
                           (uint64_t)move.count, move.dst_stride, move.src_stride, round % 2);
            ck_assert_mem_eq(found, expected, words * sizeof *found);
            free(found);
            free(expected);
        }
}
END_TEST

/* ---- streams ---- */

START_TEST(a_stream_copies_the_same_bytes_as_a_loop)
{
    struct random_source random = random_begin("stream");
    for (int i = 0; i < 300; i++) {
        size_t row = 64 * (size_t)(1 + random_below(&random, 9)); /* words */
        int64_t dst_gap = 64 * (int64_t)random_below(&random, 3);
        int64_t src_gap = 64 * (int64_t)random_below(&random, 3);
        uint64_t count = 1 + random_below(&random, 20);
        size_t words = (row + 128) * count;
        uint32_t *src = new_words(&random, words);
        uint32_t *dst = new_words(&random, words);
        uint32_t *expected = copy_words(dst, words);
        ck_assert(cm_nontemporal_can(row * 4) == cm_nontemporal_can(256));
        if (cm_nontemporal_can(row * 4)) {
            for (uint64_t k = 0; k < count; k++)
                for (size_t w = 0; w < row; w++)
                    expected[k * (row + (size_t)dst_gap) + w] =
                        src[k * (row + (size_t)src_gap) + w];
            cm_nontemporal_rows(dst, src, count, row * 4, (int64_t)row + dst_gap,
                                (int64_t)row + src_gap);
        }
        ck_assert_mem_eq(dst, expected, words * sizeof *dst);
        free(src);
        free(dst);
        free(expected);
    }
}
END_TEST

START_TEST(rows_that_no_stream_can_copy_are_left_to_others)
{
    ck_assert(!cm_nontemporal_can(0));
    ck_assert(!cm_nontemporal_can(255));
    ck_assert(!cm_nontemporal_can(64)); /* 16 nodes of a thread */
    ck_assert(!cm_nontemporal_pays(0));
    ck_assert(!cm_nontemporal_pays(4096));
    ck_assert(cm_nontemporal_pays(1e12));
}
END_TEST

/* ---- indirect transfers ---- */

/* Slots as communication tables have them: the same in long stretches, or few in a block, or
 * any. */
static void random_choice(struct random_source *random, uint32_t nodes, uint8_t *slots,
                          uint64_t *present)
{
    uint32_t kinds = random_below(random, 3);
    memset(present, 0, (nodes / CM_INDIRECT_BLOCK + 1) * sizeof *present);
    for (uint32_t n = 0; n < nodes; n++) {
        uint32_t few = kinds == 0 ? 1 : kinds == 1 ? 3 : SLOTS;
        uint32_t base = n / CM_INDIRECT_BLOCK * 7;
        slots[n] = (uint8_t)((base + random_below(random, few)) % SLOTS);
        present[n / CM_INDIRECT_BLOCK] |= UINT64_C(1) << slots[n];
    }
}

static void check_scatter(const struct cm_indirect_kernels *kernels, struct cm_lanes lanes,
                          struct cm_indirect choice, struct random_source *random)
{
    uint32_t *src = new_words(random, lanes.nodes);
    uint32_t *registers = new_words(random, (size_t)lanes.nodes * SLOTS);
    uint32_t *expected = copy_words(registers, (size_t)lanes.nodes * SLOTS);
    for (uint32_t n = lanes.first; n < lanes.last; n++)
        expected[(size_t)choice.slots[n] * lanes.nodes + n] = src[n];
    kernels->scatter(lanes, registers, choice, src);
    ck_assert_mem_eq(registers, expected, (size_t)lanes.nodes * SLOTS * sizeof *registers);
    free(src);
    free(registers);
    free(expected);
}

static void check_gather(const struct cm_indirect_kernels *kernels, struct cm_lanes lanes,
                         struct cm_indirect choice, struct random_source *random)
{
    uint32_t *registers = new_words(random, (size_t)lanes.nodes * SLOTS);
    uint32_t *mask = new_words(random, lanes.nodes);
    uint32_t *was = new_words(random, lanes.nodes);
    uint32_t *all = copy_words(was, lanes.nodes), *some = copy_words(was, lanes.nodes);
    for (uint32_t n = 0; n < lanes.nodes; n++)
        mask[n] = mask[n] & 1 ? UINT32_MAX : 0;
    kernels->gather(lanes, all, registers, choice);
    kernels->gather_masked(lanes, some, registers, choice, mask);
    for (uint32_t n = 0; n < lanes.nodes; n++) {
        uint32_t word = registers[(size_t)choice.slots[n] * lanes.nodes + n];
        require_uint_eq(all[n], inside(lanes, n) ? word : was[n]);
        require_uint_eq(some[n], inside(lanes, n) && mask[n] ? word : was[n]);
    }
    free(registers);
    free(mask);
    free(was);
    free(all);
    free(some);
}

static void check_kernels(const struct cm_indirect_kernels *kernels, const char *name)
{
    struct random_source random = random_begin(name);
    uint8_t slots[1024];
    uint64_t present[1024 / CM_INDIRECT_BLOCK + 1];
    struct cm_lanes lanes;
    for (uint32_t nodes = 1; nodes <= 1024; nodes *= 2)
        for (int round = 0; round < 6; round++) {
            random_choice(&random, nodes, slots, present);
            struct cm_indirect choice = {.slots = slots, .present = present};
            FOR_RANGES(nodes, &lanes)
            {
                check_scatter(kernels, lanes, choice, &random);
                check_gather(kernels, lanes, choice, &random);
            }
        }
}

START_TEST(indirect_transfers_are_those_of_a_loop_on_a_plain_host)
{
    check_kernels(&kernels_plain, "plain");
    check_kernels(cm_indirect_kernels_choose(), "chosen");
}
END_TEST

#if defined(__x86_64__) && defined(__GNUC__)
START_TEST(indirect_transfers_are_those_of_a_loop_with_avx2)
{
    if (!__builtin_cpu_supports("avx2"))
        return;
    check_kernels(&kernels_avx2, "avx2");
}
END_TEST

START_TEST(indirect_transfers_are_those_of_a_loop_with_avx512)
{
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512vl") || !__builtin_cpu_supports("avx512dq"))
        return;
    check_kernels(&kernels_avx512, "avx512");
}
END_TEST
#endif

CM_PROGRAM(test_sim_kernels)
{
    Suite *suite = suite_create("kernels");
    TCase *tests = tcase_create("kernels");
    tcase_add_loop_test(tests, an_exchange_takes_each_word_to_the_neighbour, 0, 11);
    tcase_add_loop_test(tests, loops_of_instructions_do_the_same_on_every_node_and_no_other, 0, 9);
    tcase_add_test(tests, a_masked_copy_writes_where_the_mask_is_set_on_every_host);
    tcase_add_loop_test(tests, a_move_is_plane_after_plane_however_it_overlaps, 0, 9);
    tcase_add_test(tests, a_stream_copies_the_same_bytes_as_a_loop);
    tcase_add_test(tests, rows_that_no_stream_can_copy_are_left_to_others);
    tcase_add_test(tests, indirect_transfers_are_those_of_a_loop_on_a_plain_host);
#if defined(__x86_64__) && defined(__GNUC__)
    tcase_add_test(tests, indirect_transfers_are_those_of_a_loop_with_avx2);
    tcase_add_test(tests, indirect_transfers_are_those_of_a_loop_with_avx512);
#endif
    suite_add_tcase(suite, tests);
    return cm_run_suite(suite);
}
