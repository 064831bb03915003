/*
 * What the library itself chooses takes at most max(K, delta) steps, and none when delta is 0. On
 * up to 64 nodes with K up to 64: every pair of shapes that differ in processor dimensions, the
 * high ones; every pair of shapes of at most seven axes in the canonical layout of the first; every
 * pair of shapes in every list of processor dimensions, up to a size; and random ones. Each plan is
 * played by hand, channel by channel (reshape_play.h). Prints TAP.
 *
 *   property reshape-bounds [--cases N] [--seed S] [--dimensions D] [--every E] [--canonical E]
 *                       [--classes 1]
 *
 * --every E plays one pair of shapes of E where processor dimensions are high, --canonical E where
 * they are canonical. --classes 1 plays one plan of each class of small lists and canonical layouts
 * (reshape_classes.h); every other plan is made, and must have the streams of the one played.
 */
#include "../harness/program.h"
#include "../harness/tap.h"
#include "random.h"
#include "reshape_classes.h"
#include "reshape_play.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODE_BITS_MAX    6u
#define ELEMENT_BITS_MAX 6u

struct problem {
    uint32_t bits, node_bits;
    uint64_t from, to; /* where axes end */
    uint64_t processors;
    enum cm_reshape_algorithm algorithm;
    bool apart; /* without partners, as auto does where they do not pay */
};

struct tally {
    uint32_t plans, played, none, at_half;
    struct classes *classes; /* NULL: all plans are played, whatever their class */
    bool play_all;
    uint32_t by_algorithm[CM_RESHAPE_ALGORITHM_COUNT];
};

static void lie_of(const struct problem *problem, uint64_t ends, struct play_lie *lie)
{
    *lie = (struct play_lie){.code = ORACLE_GRAY, .processors = problem->processors};
    oracle_shape_of_ends(problem->bits, ends, &lie->shape);
}

static enum cm_status allocate(const struct problem *problem, const struct play_lie *lie,
                               struct cm_allocation *allocation, struct cm_error *err)
{
    uint64_t lengths[8];
    for (uint32_t a = 0; a < lie->shape.rank; a++)
        lengths[a] = UINT64_C(1) << lie->shape.bits[a];
    return cm_allocation_create(lengths, lie->shape.rank, UINT32_C(1) << problem->node_bits,
                                CM_ENCODING_GRAY, CM_PROCESSOR_LIST, lie->processors, allocation,
                                err);
}

static const char *judge(const struct problem *problem, struct tally *tally, bool *partners,
                         struct cm_error *err)
{
    struct cm_reshape_request request = {.algorithm = problem->algorithm,
                                         .no_partners = problem->apart};
    struct cm_reshape_plan plan;
    struct play_lie before, after;
    lie_of(problem, problem->from, &before);
    lie_of(problem, problem->to, &after);
    if (allocate(problem, &before, &request.from, err) != CM_OK ||
        allocate(problem, &after, &request.to, err) != CM_OK)
        return "no allocation";
    uint64_t here = oracle_dimensions(&before.shape, &after.shape) & problem->processors;
    uint64_t delta = (uint64_t)__builtin_popcountll(here);
    uint64_t k = UINT64_C(1) << (problem->bits - problem->node_bits);
    uint64_t most = delta == 0 ? 0 : k > delta ? k : delta;
    const char *wrong = NULL;
    if (cm_reshape_plan_make(&request, &plan, err) != CM_OK)
        wrong = "no plan";
    else if (plan.delta != delta || plan.elements != k || plan.swap_steps != 0)
        wrong = "delta, K or a second phase";
    else if (plan.steps > most)
        wrong = "more than max(K, delta) steps";
    else if (classes_know(tally->classes, &plan, problem->apart, &wrong) && !tally->play_all)
        tally->played--;
    else if (wrong == NULL)
        wrong = play_plan(&plan, &before, &after);
    if (wrong == NULL) {
        tally->plans++;
        tally->played++;
        tally->none += delta == 0;
        tally->at_half += delta > 0 && plan.steps == k / 2;
        tally->by_algorithm[plan.algorithm]++;
    }
    *partners = plan.partners;
    cm_reshape_plan_finish(&plan);
    return wrong;
}

static bool judged(const struct problem *problem, struct tally *tally)
{
    struct problem apart = *problem;
    struct cm_error err;
    bool partners = false;
    memset(&err, 0, sizeof err);
    const char *wrong = judge(problem, tally, &partners, &err);
    apart.apart = true;
    if (wrong == NULL && partners)
        wrong = judge(&apart, tally, &partners, &err);
    if (wrong != NULL)
        printf("# %s: %s: %" PRIu32 " dimensions, processors %" PRIx64 ", ends %" PRIx64
               " to %" PRIx64 "\n",
               wrong, err.message, problem->bits, problem->processors, problem->from, problem->to);
    return wrong == NULL;
}

static bool print_tally(const struct tally *tally)
{
    printf("# %" PRIu32 " plans, %" PRIu32 " played, %" PRIu32 " without an exchange, %" PRIu32
           " in K / 2 steps\n#",
           tally->plans, tally->played, tally->none, tally->at_half);
    for (int a = CM_RESHAPE_ROTATE; a < CM_RESHAPE_ALGORITHM_COUNT; a++)
        printf(" %s %" PRIu32 "%s", cm_reshape_algorithm_name((enum cm_reshape_algorithm)a),
               tally->by_algorithm[a], a + 1 < CM_RESHAPE_ALGORITHM_COUNT ? "," : "\n");
    return true;
}

/* Processor dimensions high: ends below the highest memory dimension move elements within nodes
 * only, so that n ends of each shape are all there is. */
static bool test_high(enum cm_reshape_algorithm algorithm, uint32_t every)
{
    struct tally tally = {0};
    for (uint32_t n = 0; n <= NODE_BITS_MAX; n++)
        for (uint32_t k = 0; k <= ELEMENT_BITS_MAX; k++) {
            uint32_t lowest = k > 0 ? k - 1 : 0, ends = n + k > 0 ? n + k - 1 - lowest : 0;
            for (uint32_t pair = 0; pair<UINT32_C(1) << 2 * ends; pair += n> 3 ? every : 1) {
                struct problem problem = {.bits = n + k, .node_bits = n, .algorithm = algorithm};
                problem.from = (uint64_t)(pair & ((UINT32_C(1) << ends) - 1)) << lowest;
                problem.to = (uint64_t)(pair >> ends) << lowest;
                problem.processors = ((UINT64_C(1) << n) - 1) << k;
                if (!judged(&problem, &tally))
                    return false;
            }
        }
    return print_tally(&tally);
}

/* The processor dimensions of the canonical layout of a shape. */
static bool find_canonical(struct problem *problem)
{
    struct cm_allocation allocation;
    struct oracle_shape shape;
    uint64_t lengths[8];
    oracle_shape_of_ends(problem->bits, problem->from, &shape);
    for (uint32_t a = 0; a < shape.rank; a++)
        lengths[a] = UINT64_C(1) << shape.bits[a];
    bool found = cm_allocation_create(lengths, shape.rank, UINT32_C(1) << problem->node_bits,
                                      CM_ENCODING_GRAY, CM_PROCESSOR_CANONICAL, 0, &allocation,
                                      NULL) == CM_OK;
    problem->processors = allocation.processor;
    return found;
}

/* Pairs of shapes of n + k dimensions, one of `every`; `next` counts those to leave out. */
static bool test_canonical_size(uint32_t n, uint32_t k, uint32_t every, uint32_t *next,
                                struct tally *tally)
{
    const uint64_t shapes = UINT64_C(1) << (n + k > 0 ? n + k - 1 : 0);
    for (uint64_t from = 0; from < shapes; from++)
        for (uint64_t to = 0; to < shapes; to++) {
            struct problem problem = {.bits = n + k, .node_bits = n, .from = from, .to = to};
            if (__builtin_popcountll(from) > 6 || __builtin_popcountll(to) > 6)
                continue;
            if (n + k > 6 && (*next)-- > 0)
                continue;
            *next = every - 1;
            if (!find_canonical(&problem) || !judged(&problem, tally))
                return false;
        }
    return true;
}

static bool test_canonical(uint32_t every, struct classes *classes)
{
    struct tally tally = {.classes = classes};
    uint32_t next = 0;
    for (uint32_t n = 0; n <= NODE_BITS_MAX; n++)
        for (uint32_t k = 0; k <= ELEMENT_BITS_MAX; k++)
            if (!test_canonical_size(n, k, every, &next, &tally))
                return false;
    return print_tally(&tally);
}

static bool test_lists(uint32_t dimensions, struct classes *classes, bool play_all)
{
    struct tally tally = {.classes = classes, .play_all = play_all};
    for (uint32_t q = 1; q <= dimensions; q++)
        for (uint64_t list = 0; list < UINT64_C(1) << q; list++)
            for (uint64_t pair = 0; pair < UINT64_C(1) << 2 * (q - 1); pair++) {
                struct problem problem = {.bits = q, .processors = list};
                problem.node_bits = (uint32_t)__builtin_popcountll(list);
                problem.from = pair & ((UINT64_C(1) << (q - 1)) - 1);
                problem.to = pair >> (q - 1);
                if (problem.node_bits > NODE_BITS_MAX || q - problem.node_bits > ELEMENT_BITS_MAX)
                    continue;
                if (!judged(&problem, &tally))
                    return false;
            }
    return print_tally(&tally);
}

/* At most seven ends: eight axes. */
static uint64_t draw_ends(struct cm_random *random, uint32_t bits)
{
    uint64_t ends;
    do
        ends = bits > 1 ? cm_random_below(random, UINT32_C(1) << (bits - 1)) : 0;
    while (__builtin_popcountll(ends) > 7);
    return ends;
}

static bool test_random(uint32_t cases, uint64_t seed)
{
    struct tally tally = {0};
    for (uint32_t i = 0; i < cases; i++) {
        struct cm_random random = cm_random_of_case(seed, i);
        struct problem problem = {.node_bits = 1 + cm_random_below(&random, NODE_BITS_MAX)};
        problem.bits = problem.node_bits + cm_random_below(&random, ELEMENT_BITS_MAX + 1);
        problem.from = draw_ends(&random, problem.bits);
        problem.to = draw_ends(&random, problem.bits);
        while ((uint32_t)__builtin_popcountll(problem.processors) < problem.node_bits)
            problem.processors |= UINT64_C(1) << cm_random_below(&random, problem.bits);
        if (!judged(&problem, &tally)) {
            printf("# seed %" PRIu64 ", case %" PRIu32 "\n", seed, i);
            return false;
        }
    }
    printf("# seed %" PRIu64 "\n", seed);
    return print_tally(&tally);
}

CM_PROGRAM(reshape_bounds)
{
    struct tap_options options = {.cases = 1500, .seed = 1};
    uint64_t dimensions = 5, every = 29, canonical = 9973, by_class = 0;
    const struct test_option more[] = {{"dimensions", .number = &dimensions},
                                       {"every", .number = &every},
                                       {"canonical", .number = &canonical},
                                       {"classes", .number = &by_class},
                                       {.name = NULL}};
    tap_options_read(argc, argv, &options, more);
    every = every > 0 ? every : 1;
    canonical = canonical > 0 ? canonical : 1;
    if (dimensions > 8)
        dimensions = 8; /* eight axes */
    struct classes classes = {0};
    printf("1..5\n");
    tap_report(1, test_high(CM_RESHAPE_AUTO, (uint32_t)every),
               "up to 64 nodes, K up to 64, high processor dimensions: max(K, delta) steps");
    tap_report(2, test_high(CM_RESHAPE_OPEN_SHOP, (uint32_t)every), "and so of open shops");
    tap_report(3, test_lists((uint32_t)dimensions, &classes, !by_class),
               "every list of processor dimensions of small arrays; plans of a class are equal");
    tap_report(4, test_random((uint32_t)options.cases, options.seed),
               "random lists of processor dimensions");
    tap_report(5, test_canonical((uint32_t)canonical, by_class ? &classes : NULL),
               "canonical processor dimensions of the first shape");
    classes_finish(&classes);
    return 0;
}
