/* Chains of products for every kind of host that this one can be, against products and sums one
 * after the other. */
#include "random.h"
#include "sim/lanes/fpu_chain.c" /* for its loops for other hosts than this one */
#include "suite.h"

#include <stdlib.h>

#define PLANE_NODES 96u /* of a plane; the blocks are shorter */
#define VALUES      (2 * CM_CHAIN_TERMS + 1)

/* Operands of two blocks, as registers or planes. */
struct operands {
    uint32_t words[VALUES][4 * PLANE_NODES];
    uint32_t out[4 * PLANE_NODES], before[4 * PLANE_NODES];
};

/* A small number, in words that nothing else uses. */
static double number_of(uint32_t operand, uint32_t node)
{
    return ((operand * 37 + node * 11) % 64 - 31.5) / 8 + 1.0 / (3 + node);
}

/* Where the value of a node is: joined values of 64 bits, or words and high words in planes. */
static void put(uint32_t *words, enum cm_value_kind kind, bool wide, uint32_t node, double value)
{
    float single = (float)value;
    uint32_t halves[2];
    if (!wide) {
        memcpy(words + (kind == CM_VALUE_CONSTANT ? 0 : node), &single, sizeof single);
        return;
    }
    memcpy(halves, &value, sizeof value);
    if (kind == CM_VALUE_MEMORY) {
        words[node] = halves[0];
        words[PLANE_NODES + node] = halves[1];
    } else {
        memcpy(words + (kind == CM_VALUE_CONSTANT ? 0 : 2 * node), halves, sizeof halves);
    }
}

static uint32_t step_of(enum cm_value_kind kind, bool wide, uint32_t block)
{
    if (kind == CM_VALUE_CONSTANT)
        return 0;
    return kind == CM_VALUE_REGISTER && wide ? 2 * block : block;
}

static struct cm_lane_operand random_operand(struct random_source *random, struct operands *all,
                                             uint32_t i, bool wide, uint32_t block)
{
    struct cm_lane_operand operand = {.kind =
                                          (uint8_t)(CM_VALUE_REGISTER + random_below(random, 3))};
    operand.at = all->words[i];
    operand.step = step_of(operand.kind, wide, block);
    for (uint32_t node = 0; node < 2 * block; node++)
        put(all->words[i], operand.kind, wide, node,
            number_of(i, operand.kind == CM_VALUE_CONSTANT ? 0 : node));
    if (operand.kind == CM_VALUE_CONSTANT)
        memcpy(&operand.constant, all->words[i], sizeof operand.constant);
    return operand;
}

static double value_of(const struct cm_lane_operand *operand, uint32_t i, uint32_t node)
{
    return number_of(i, operand->kind == CM_VALUE_CONSTANT ? 0 : node);
}

/* Each product and each sum rounded, in the chain's order. */
static double expected(const struct cm_chain *chain, bool wide, uint32_t node)
{
    volatile double sum = value_of(&chain->init, 0, node), product;
    volatile float narrow = (float)sum, narrow_product;
    for (uint32_t k = 0; k < chain->terms; k++) {
        const double a = value_of(&chain->a[k], 2 * k + 1, node);
        const double b = value_of(&chain->b[k], 2 * k + 2, node);
        const bool first = k == 0 && chain->init.kind == CM_VALUE_NONE;
        product = a * b;
        narrow_product = (float)a * (float)b;
        sum = first ? product : product + sum;
        narrow = first ? narrow_product : narrow_product + narrow;
    }
    return wide ? sum : (double)narrow;
}

/* Block 1 of two is played; block 0 stays. */
static void check_chain(struct random_source *random, cm_chain_kernel kernel, bool wide,
                        uint32_t block)
{
    static struct operands all;
    struct cm_chain chain = {.terms = 1 + random_below(random, CM_CHAIN_TERMS),
                             .nodes = PLANE_NODES,
                             .out.kind = (uint8_t)(CM_VALUE_REGISTER + random_below(random, 2))};
    chain.out.at = all.out;
    chain.out.step = step_of(chain.out.kind, wide, block);
    chain.init = random_operand(random, &all, 0, wide, block);
    if (random_below(random, 2))
        chain.init.kind = CM_VALUE_NONE;
    for (uint32_t k = 0; k < chain.terms; k++) {
        chain.a[k] = random_operand(random, &all, 2 * k + 1, wide, block);
        chain.b[k] = random_operand(random, &all, 2 * k + 2, wide, block);
    }
    for (uint32_t i = 0; i < 4 * PLANE_NODES; i++)
        all.out[i] = all.before[i] = (uint32_t)random_next(random);
    kernel(&chain, 1, block);
    for (uint32_t node = block; node < 2 * block; node++)
        put(all.before, chain.out.kind, wide, node, expected(&chain, wide, node));
    ck_assert_mem_eq(all.out, all.before, sizeof all.out);
}

static void check_host(const char *name, cm_chain_kernel narrow, cm_chain_kernel wide)
{
    struct random_source random = random_begin(name);
    for (uint32_t block = 1; 2 * block <= PLANE_NODES; block++)
        for (int round = 0; round < 40; round++) {
            check_chain(&random, narrow, false, block);
            check_chain(&random, wide, true, block);
        }
}

START_TEST(a_chain_gives_the_bits_of_its_products_and_sums)
{
    check_host("plain", chain32_plain, chain64_plain);
    check_host("chosen", cm_chain_kernel_choose(false), cm_chain_kernel_choose(true));
}
END_TEST

#ifdef CM_HOST_X86
START_TEST(a_chain_gives_the_same_with_avx2)
{
    if (cm_host() >= CM_HOST_AVX2)
        check_host("avx2", chain32_avx2, chain64_avx2);
}
END_TEST
#endif

CM_PROGRAM(test_sim_chain)
{
    Suite *suite = suite_create("sim_chain");
    TCase *tests = tcase_create("chains");
    tcase_add_test(tests, a_chain_gives_the_bits_of_its_products_and_sums);
#ifdef CM_HOST_X86
    tcase_add_test(tests, a_chain_gives_the_same_with_avx2);
#endif
    suite_add_tcase(suite, tests);
    return cm_run_suite(suite);
}
