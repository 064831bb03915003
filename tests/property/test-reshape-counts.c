/*
 * Counts of reshapes in the paper's unit, against the theorems as they are printed: every pair of
 * shapes of up to 2^6 elements on every number of nodes, and random ones with lists of processor
 * dimensions, codes, orders and starts. Each plan is played by hand (reshape_play.h). Prints TAP.
 *
 *   property reshape-counts [--cases N] [--seed S]
 */
#include "../../programs/reshape/reshape_crossings.h"
#include "../harness/program.h"
#include "../harness/tap.h"
#include "random.h"
#include "reshape_play.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXHAUSTIVE_DIMENSIONS 6u

struct scene {
    struct play_lie before, after;
    uint32_t dimensions, node_bits;
    enum cm_reshape_algorithm algorithm;
    uint32_t order[64], order_count;
    bool has_start;
    uint32_t start;
};

struct tally {
    uint32_t played, refused;
    uint32_t by_algorithm[CM_RESHAPE_ALGORITHM_COUNT], starts;
    uint32_t single, short_of, undivided, still,
        none; /* delta 1; K < delta; delta does not divide K; delta 0; one node */
    uint32_t permuted, by_memory_twice, by_cube;
    uint32_t paired, pairable, at_half; /* open shops of pairs; where all controls allow them */
};

static uint64_t up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

/* The dimensions in which some element's code differs: what has to be exchanged. */
static uint64_t differing(const struct scene *scene)
{
    uint64_t set = 0;
    for (uint64_t e = 0; e < UINT64_C(1) << scene->dimensions; e++)
        set |=
            oracle_address(&scene->before.shape, scene->before.code, scene->before.processors, e) ^
            oracle_address(&scene->after.shape, scene->after.code, scene->after.processors, e);
    return set;
}

static bool one_axis(const struct oracle_shape *shape)
{
    uint32_t axes = 0;
    for (uint32_t a = 0; a < shape->rank; a++)
        axes += shape->bits[a] > 0;
    return axes <= 1;
}

/* Theorem 4's condition, each exchange having a more significant processor dimension of its own:
 * greedily from the top. */
static bool has_free_above(uint64_t exchanged, uint64_t processors, uint32_t dimensions)
{
    int unused = 0;
    for (uint32_t d = dimensions; d-- > 0;) {
        if (!(processors >> d & 1))
            continue;
        unused += exchanged >> d & 1 ? -1 : 1;
        if (unused < 0)
            return false;
    }
    return true;
}

/* Whether a control can depend on a memory dimension: one lies above an exchanged dimension. */
static bool has_memory_above(uint64_t exchanged, uint64_t processors, uint32_t dimensions)
{
    uint64_t memory = ~processors & ((UINT64_C(1) << dimensions) - 1);
    return exchanged != 0 && memory >> __builtin_ctzll(exchanged) != 0;
}

/* In the paper's case the conditions are those of the theorems and nothing else. */
static bool is_papers_case(const struct scene *scene)
{
    uint64_t all = (UINT64_C(1) << scene->dimensions) - 1;
    uint64_t high = all & ~((UINT64_C(1) << (scene->dimensions - scene->node_bits)) - 1);
    return scene->before.code == ORACLE_GRAY && scene->after.code == ORACLE_GRAY &&
           scene->before.processors == high && scene->after.processors == high;
}

/* Whether the algorithm must take the reshape (1), must refuse it (0), or may do either (-1). */
static int must_take(const struct scene *scene, uint64_t exchanged)
{
    uint64_t here = exchanged & scene->before.processors;
    uint64_t delta = (uint64_t)__builtin_popcountll(here);
    uint64_t k = UINT64_C(1) << (scene->dimensions - scene->node_bits);
    uint64_t all = scene->dimensions ? (UINT64_C(1) << (scene->dimensions - 1)) - 1 : 0;
    switch (scene->algorithm) {
    case CM_RESHAPE_TWO_PATH:
        if (delta == 0 || k <= 2 * delta)
            return 0;
        if (here & here >> 1)
            return has_memory_above(here, scene->before.processors, scene->dimensions) ? -1 : 0;
        return is_papers_case(scene) ? 1 : -1;
    case CM_RESHAPE_PIPELINE:
        if (delta > 0 && has_memory_above(here, scene->before.processors, scene->dimensions))
            return -1;
        if (delta == 0 || k < 2 * delta ||
            !has_free_above(here, scene->before.processors, scene->dimensions))
            return 0;
        return is_papers_case(scene) && scene->order_count == 0 &&
                       (one_axis(&scene->before.shape) || one_axis(&scene->after.shape))
                   ? 1
                   : -1;
    case CM_RESHAPE_DETOUR: /* up to 64 nodes, controls by the node's address alone */
        if (delta == 0 || scene->node_bits > 6)
            return 0;
        return is_papers_case(scene) && k << scene->node_bits <= 16384 ? 1 : -1;
    case CM_RESHAPE_GRAY_BINARY:
        return exchanged == all && scene->before.processors == scene->after.processors ? -1 : 0;
    default:
        return 1;
    }
}

/*
 * The dimensions in whose control a memory dimension can be: one lies above it, up to the end of
 * the axis in both shapes. Gray code only.
 */
static uint64_t pairable(const struct scene *scene, uint64_t exchanged)
{
    uint64_t both = oracle_ends(&scene->before.shape) & oracle_ends(&scene->after.shape), found = 0;
    if (scene->before.code != ORACLE_GRAY || scene->after.code != ORACLE_GRAY)
        return 0;
    for (uint32_t d = 0; d < scene->dimensions; d++)
        for (uint32_t m = d + 1; (exchanged >> d & 1) && m < scene->dimensions; m++) {
            if (!(scene->before.processors >> m & 1))
                found |= UINT64_C(1) << d;
            if (both >> m & 1)
                break;
        }
    return found;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* max(K, delta) steps, and K / 2 + delta where each control can have partners. */
static bool shop_holds(const struct scene *scene, const struct cm_reshape_plan *plan,
                       struct tally *tally)
{
    uint64_t k = plan->elements, d = plan->delta, here = plan->processor_dimensions;
    bool chosen = scene->algorithm == CM_RESHAPE_AUTO;
    if (d == 0)
        return plan->steps == 0;
    if (plan->steps > (k > d ? k : d) && (chosen || plan->algorithm == CM_RESHAPE_OPEN_SHOP))
        return false;
    if (plan->algorithm == CM_RESHAPE_OPEN_SHOP && plan->steps != (k > d ? k : d)) {
        tally->paired++;
        if (!has_memory_above(here, scene->before.processors, scene->dimensions))
            return false;
    }
    if (chosen && scene->order_count == 0 && pairable(scene, here) == here) {
        tally->pairable++;
        tally->at_half += plan->steps == k / 2;
        return plan->steps <= k / 2 + d; /* of a pipeline, one step more: see reshape_choose.c */
    }
    return true;
}

static bool counts_hold(const struct scene *scene, const struct cm_reshape_plan *plan,
                        struct tally *tally)
{
    bool has_start = scene->has_start;
    uint64_t k = plan->elements, d = plan->delta, half = d ? up(k, 2 * d) : 0;
    if (plan->lower_bound != (d ? up(k, 2) : 0) || plan->steps < plan->lower_bound)
        return false; /* theorem 1 */
    if (!shop_holds(scene, plan, tally))
        return false;
    switch (plan->algorithm) {
    case CM_RESHAPE_OPEN_SHOP:
        return plan->bound == plan->steps;
    case CM_RESHAPE_DETOUR:
        return plan->steps <= d * k && plan->bound == plan->steps;
    case CM_RESHAPE_SINGLE_PATH:
        return plan->steps == (d ? k + d - 1 : 0) && plan->bound == plan->steps;
    case CM_RESHAPE_PIPELINE: /* theorem 4 */
        if (has_memory_above(plan->processor_dimensions, scene->before.processors,
                             scene->dimensions))
            return plan->steps <= up(k, 2) + 2 * d && plan->bound >= plan->steps;
        return plan->steps == up(k, 2) + 2 * d - 1 && plan->bound == plan->steps;
    case CM_RESHAPE_TWO_PATH: /* theorem 3, or as an open shop */
        if (has_memory_above(plan->processor_dimensions, scene->before.processors,
                             scene->dimensions))
            return plan->steps <= (up(k, 2) > 2 * d ? up(k, 2) : 2 * d) + 2 &&
                   plan->bound >= plan->steps;
        return plan->steps == least(d * half + 1, (up(k, 2) > 2 * d ? up(k, 2) : 2 * d) + 2) &&
               plan->bound == d * half + 1;
    case CM_RESHAPE_GRAY_BINARY: /* section 4 from one dimension; theorem 5 */
        return plan->steps == (has_start ? d * k
                               : d       ? d * up(k, d)
                                         : 0) &&
               plan->bound == plan->steps;
    default: /* theorem 2 */
        return plan->steps == (d ? d * up(k, d) : 0) && plan->bound == plan->steps;
    }
}

/*
 * The second phase: at least K / 2 steps where any cube dimension changes, as many where none goes
 * from one cube dimension to another, never more than a swap of K / 2 for each cube dimension that
 * changes.
 */
static bool permutation_holds(const struct scene *scene, const struct cm_reshape_plan *plan,
                              struct tally *tally)
{
    uint64_t k = plan->elements;
    uint32_t changed = 0, moved = 0;
    for (uint32_t m = 0; m < scene->dimensions; m++) {
        uint64_t below = (UINT64_C(1) << m) - 1;
        bool was = scene->before.processors >> m & 1, is = scene->after.processors >> m & 1;
        bool same = __builtin_popcountll(scene->before.processors & below) ==
                    __builtin_popcountll(scene->after.processors & below);
        changed += was && !(is && same);
        moved += was && is && !same;
    }
    if (changed == 0)
        return plan->swap_steps == 0;
    tally->permuted++;
    tally->by_memory_twice += moved > 0 && plan->swap_steps == k;
    for (uint32_t i = 0; i < plan->round_count; i++)
        tally->by_cube += plan->rounds[i].kind == CM_RESHAPE_ROUND_CUBE;
    if (moved == 0 && plan->swap_steps != k / 2)
        return false;
    if (changed <= scene->dimensions - scene->node_bits && plan->swap_steps > k)
        return false;
    return plan->swap_steps >= k / 2 && plan->swap_steps <= changed * k / 2;
}

static enum cm_status allocate(const struct play_lie *lie, uint32_t node_bits,
                               struct cm_allocation *allocation, struct cm_error *err)
{
    uint64_t lengths[8];
    for (uint32_t a = 0; a < lie->shape.rank; a++)
        lengths[a] = UINT64_C(1) << lie->shape.bits[a];
    return cm_allocation_create(&(struct cm_allocation_request){lengths, lie->shape.rank,
                                                                UINT32_C(1) << node_bits,
                                                                (enum cm_encoding)lie->code,
                                                                CM_PROCESSOR_LIST, lie->processors},
                                allocation, err);
}

static const char *judge(const struct scene *scene, const struct cm_reshape_plan *plan,
                         uint64_t exchanged, struct tally *tally)
{
    uint64_t here = exchanged & scene->before.processors;
    uint64_t k = UINT64_C(1) << (scene->dimensions - scene->node_bits);
    if (plan->dimensions != exchanged || plan->processor_dimensions != here ||
        plan->delta != (uint32_t)__builtin_popcountll(here) || plan->elements != k)
        return "D, D_paddr, delta or K";
    if (!counts_hold(scene, plan, tally))
        return "the steps, the theorem's number or the lower bound";
    if (!permutation_holds(scene, plan, tally))
        return "the steps of the second phase";
    tally->played++;
    tally->by_algorithm[plan->algorithm]++;
    tally->starts += scene->has_start;
    tally->single += plan->delta == 1;
    tally->still += plan->delta == 0;
    tally->short_of += k < plan->delta;
    tally->undivided += plan->delta > 1 && k % plan->delta != 0;
    tally->none += scene->node_bits == 0;
    return play_plan(plan, &scene->before, &scene->after);
}

static const char *run_scene(const struct scene *scene, struct tally *tally, struct cm_error *err)
{
    struct cm_reshape_request request = {.algorithm = scene->algorithm,
                                         .order = scene->order_count ? scene->order : NULL,
                                         .order_count = scene->order_count,
                                         .has_start = scene->has_start,
                                         .start = scene->start};
    struct cm_reshape_plan plan;
    uint64_t exchanged = differing(scene);
    int taken = must_take(scene, exchanged);
    if (allocate(&scene->before, scene->node_bits, &request.from, err) != CM_OK ||
        allocate(&scene->after, scene->node_bits, &request.to, err) != CM_OK)
        return "no allocation";
    enum cm_status status = cm_reshape_plan_make(&request, &plan, err);
    const char *wrong = NULL;
    if (status == CM_BAD_INPUT) {
        tally->refused++;
        wrong = taken == 1 ? "refused within the conditions" : NULL;
    } else if (status != CM_OK || taken == 0) {
        wrong = status != CM_OK ? "no plan" : "taken outside the conditions";
    } else {
        wrong = judge(scene, &plan, exchanged, tally);
    }
    cm_reshape_plan_finish(&plan);
    return wrong;
}

static bool report_scene(const struct scene *scene, const char *wrong, const struct cm_error *err)
{
    printf("# %s: %s\n# dimensions %" PRIu32 ", nodes 2^%" PRIu32
           ", algorithm %s, start %d %" PRIu32 "\n",
           wrong, err->message, scene->dimensions, scene->node_bits,
           cm_reshape_algorithm_name(scene->algorithm), scene->has_start, scene->start);
    const struct play_lie *lies[2] = {&scene->before, &scene->after};
    for (uint32_t i = 0; i < 2; i++) {
        printf("# code %d, processors %" PRIx64 ", axes", (int)lies[i]->code, lies[i]->processors);
        for (uint32_t a = 0; a < lies[i]->shape.rank; a++)
            printf(" %" PRIu32, lies[i]->shape.bits[a]);
        printf("\n");
    }
    return false;
}

static void print_tally(const struct tally *tally)
{
    printf("# %" PRIu32 " played, %" PRIu32 " refused; rotate %" PRIu32 ", two-path %" PRIu32
           ", pipeline %" PRIu32 ", gray-binary %" PRIu32 " (%" PRIu32
           " from one dimension), open-shop %" PRIu32 " (%" PRIu32 " of pairs)\n",
           tally->played, tally->refused, tally->by_algorithm[CM_RESHAPE_ROTATE],
           tally->by_algorithm[CM_RESHAPE_TWO_PATH], tally->by_algorithm[CM_RESHAPE_PIPELINE],
           tally->by_algorithm[CM_RESHAPE_GRAY_BINARY], tally->starts,
           tally->by_algorithm[CM_RESHAPE_OPEN_SHOP], tally->paired);
    printf("# all controls with memory dimensions: %" PRIu32 ", of which %" PRIu32
           " in K / 2 steps, the others in at most K / 2 + delta\n",
           tally->pairable, tally->at_half);
    printf("# delta 0: %" PRIu32 ", delta 1: %" PRIu32 ", K < delta: %" PRIu32
           ", delta not dividing K: %" PRIu32 ", one node: %" PRIu32 "; second phase %" PRIu32
           " (%" PRIu32 " in K steps, %" PRIu32 " rounds of cube dimensions)\n",
           tally->still, tally->single, tally->short_of, tally->undivided, tally->none,
           tally->permuted, tally->by_memory_twice, tally->by_cube);
}

/* Shape number `cuts`: an axis ends below each dimension whose bit is set. */
static struct oracle_shape shape_of_cuts(uint32_t dimensions, uint32_t cuts)
{
    struct oracle_shape shape = {.rank = 1};
    for (uint32_t d = 0; d < dimensions; d++) {
        if (d > 0 && (cuts >> (d - 1) & 1))
            shape.rank++;
        shape.bits[shape.rank - 1]++;
    }
    return shape;
}

static bool test_all(void)
{
    struct tally tally = {0};
    struct cm_error err;
    for (uint32_t q = 0; q <= EXHAUSTIVE_DIMENSIONS; q++)
        for (uint32_t pair = 0; pair < UINT32_C(1) << (q > 0 ? 2 * (q - 1) : 0); pair++)
            for (uint32_t variant = 0; variant < (q + 1) * CM_RESHAPE_ALGORITHM_COUNT; variant++) {
                struct scene scene = {.dimensions = q, .node_bits = variant % (q + 1)};
                uint32_t half = q > 0 ? q - 1 : 0;
                scene.algorithm = (enum cm_reshape_algorithm)(variant / (q + 1));
                scene.before.shape = shape_of_cuts(q, pair & ((UINT32_C(1) << half) - 1));
                scene.after.shape = shape_of_cuts(q, pair >> half);
                scene.before.processors = scene.after.processors =
                    ((UINT64_C(1) << scene.node_bits) - 1) << (q - scene.node_bits);
                memset(&err, 0, sizeof err);
                const char *wrong = run_scene(&scene, &tally, &err);
                if (wrong != NULL)
                    return report_scene(&scene, wrong, &err);
            }
    print_tally(&tally);
    return tally.played >= 2000 && tally.single > 0 && tally.short_of > 0 && tally.undivided > 0 &&
           tally.none > 0;
}

static uint64_t draw_list(struct cm_random *random, uint32_t count, uint32_t below)
{
    uint64_t list = 0;
    while ((uint32_t)__builtin_popcountll(list) < count)
        list |= UINT64_C(1) << cm_random_below(random, below);
    return list;
}

static void draw_shape(struct cm_random *random, uint32_t bits, struct oracle_shape *shape)
{
    *shape = (struct oracle_shape){.rank = 1 + cm_random_below(random, 8)};
    for (uint32_t b = 0; b < bits; b++)
        shape->bits[cm_random_below(random, shape->rank)]++;
}

static void draw_order(struct cm_random *random, struct scene *scene)
{
    uint64_t exchanged = differing(scene);
    for (uint32_t d = 0; d < scene->dimensions; d++)
        if (exchanged >> d & 1)
            scene->order[scene->order_count++] = d;
    for (uint32_t i = scene->order_count; i > 1; i--) {
        uint32_t other = cm_random_below(random, i), kept = scene->order[i - 1];
        scene->order[i - 1] = scene->order[other];
        scene->order[other] = kept;
    }
}

static void draw_scene(struct cm_random *random, struct scene *scene)
{
    memset(scene, 0, sizeof *scene);
    uint32_t q = scene->dimensions = 1 + cm_random_below(random, 9);
    uint32_t n = scene->node_bits = cm_random_below(random, q + 1);
    draw_shape(random, q, &scene->before.shape);
    draw_shape(random, q, &scene->after.shape);
    uint64_t high = ((UINT64_C(1) << n) - 1) << (q - n);
    scene->before.processors = cm_random_below(random, 2) ? high : draw_list(random, n, q);
    scene->after.processors =
        cm_random_below(random, 2) ? scene->before.processors : draw_list(random, n, q);
    scene->before.code = (enum oracle_code)cm_random_below(random, 3);
    scene->after.code = cm_random_below(random, 2) ? scene->before.code
                                                   : (enum oracle_code)cm_random_below(random, 3);
    scene->algorithm =
        (enum cm_reshape_algorithm)cm_random_below(random, CM_RESHAPE_ALGORITHM_COUNT);
    if (scene->algorithm == CM_RESHAPE_GRAY_BINARY) {
        bool back = cm_random_below(random, 2);
        struct play_lie *gray = back ? &scene->after : &scene->before;
        struct play_lie *binary = back ? &scene->before : &scene->after;
        gray->code = ORACLE_GRAY;
        gray->shape = (struct oracle_shape){.rank = 1, .bits = {q}};
        binary->code = ORACLE_BINARY;
        scene->after.processors = scene->before.processors;
        scene->has_start = q > 1 && cm_random_below(random, 2);
        scene->start = scene->has_start ? cm_random_below(random, q - 1) : 0;
    }
    if (cm_random_below(random, 2))
        draw_order(random, scene);
}

static bool test_random(uint32_t cases, uint64_t seed)
{
    struct tally tally = {0};
    struct cm_error err;
    for (uint32_t i = 0; i < cases; i++) {
        struct cm_random random = cm_random_of_case(seed, i);
        struct scene scene;
        draw_scene(&random, &scene);
        memset(&err, 0, sizeof err);
        const char *wrong = run_scene(&scene, &tally, &err);
        if (wrong != NULL) {
            printf("# seed %" PRIu64 ", case %" PRIu32 "\n", seed, i);
            return report_scene(&scene, wrong, &err);
        }
    }
    printf("# seed %" PRIu64 "\n", seed);
    print_tally(&tally);
    return tally.played >= cases / 2 && tally.starts > 0 && tally.by_memory_twice > 0;
}

/* Every class crosses each of its dimensions once, no two at once, and no lane carries two. */
static bool crossings_good(uint32_t dimensions, uint32_t lanes)
{
    struct cm_reshape_crossings crossings;
    uint64_t half = UINT64_C(1) << (dimensions - 1);
    uint64_t wanted = up(half, lanes) > dimensions ? up(half, lanes) : dimensions;
    if (cm_reshape_crossings_make(dimensions, lanes, &crossings, NULL) != CM_OK)
        return false;
    bool good = crossings.steps == wanted;
    uint32_t *crossed = calloc((size_t)2 << dimensions, sizeof *crossed);
    uint32_t *last = crossed + ((size_t)1 << dimensions);
    for (uint32_t t = 0; good && t < crossings.steps; t++)
        for (uint32_t lane = 0; lane < dimensions * lanes; lane++) {
            uint32_t kind = crossings.classes[t * dimensions * lanes + lane];
            if (kind == CM_RESHAPE_IDLE)
                continue;
            good = good && kind >> dimensions == 0 && last[kind] != t + 1 &&
                   !(crossed[kind] >> lane / lanes & 1);
            last[kind] = t + 1;
            crossed[kind] |= UINT32_C(1) << lane / lanes;
        }
    for (uint32_t kind = 0; good && kind >> dimensions == 0; kind++)
        good = crossed[kind] == kind;
    free(crossed);
    free(crossings.classes);
    return good;
}

static bool test_crossings(void)
{
    for (uint32_t dimensions = 1; dimensions <= 11; dimensions++)
        for (uint32_t lanes = 1; lanes <= 2; lanes++)
            if (!crossings_good(dimensions, lanes)) {
                printf("# %" PRIu32 " dimensions, %" PRIu32 " lanes\n", dimensions, lanes);
                return false;
            }
    return true;
}

CM_PROGRAM(reshape_counts)
{
    struct tap_options options = {.cases = 6000, .seed = 1};
    tap_options_read(argc, argv, &options, NULL);
    uint32_t cases = (uint32_t)options.cases;
    uint64_t seed = options.seed;
    printf("1..3\n");
    tap_report(1, test_all(), "all shapes of up to 2^6 elements: theorems 1 to 5, played by hand");
    tap_report(2, test_random(cases, seed),
               "random codes, processor dimensions, orders and starts");
    tap_report(3, test_crossings(), "crossings of a mixed round");
    return 0;
}
