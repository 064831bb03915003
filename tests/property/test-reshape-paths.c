/*
 * Plans of theorem 3 walked through a cube of their own, channel by channel: no channel carries two
 * elements at a step, no element leaves a place before it is there, every one ends where definition
 * 3 wants it, and the steps are the theorem's number or those of an open shop, for any K. Every
 * address is a node's, so that a small cube holds all cases. Prints TAP.
 *
 *   property reshape-paths [--cases N] [--seed S]
 */
#include "../../programs/reshape/reshape_plan.h"
#include "../harness/program.h"
#include "../harness/tap.h"
#include "random.h"
#include "reshape_check.h"
#include "reshape_oracle.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct problem {
    uint32_t bits;     /* of the cube: all dimensions */
    uint64_t from, to; /* where axes end */
    uint64_t elements; /* K */
    uint32_t order[64];
    uint32_t order_count; /* 0: none given */
};

/* Which element is at each place of each node: the number of the node it came from times K, plus
 * its place there. */
#define NOTHING UINT32_MAX
struct cube {
    uint32_t bits, places;
    uint32_t *held;    /* places of each node: K of its own, then buffers */
    uint32_t *arrives; /* over each dimension */
};

static bool odd(uint64_t word)
{
    bool sum = false;
    for (; word != 0; word &= word - 1)
        sum = !sum;
    return sum;
}

static uint32_t place_of(uint32_t buffer, uint64_t element, uint64_t elements)
{
    return buffer == CM_RESHAPE_ARRAY ? (uint32_t)element : (uint32_t)elements + buffer;
}

static bool takes_part(const struct cm_reshape_stream *stream, uint64_t node, bool parity)
{
    for (uint32_t i = 0; i < CM_RESHAPE_CONDITIONS; i++)
        if (odd(node & stream->when[i].nodes) != stream->when[i].value)
            return false;
    return odd(node & stream->nodes) == parity;
}

/* One step: everything is sent before anything arrives. */
static const char *walk_step(struct cube *cube, const struct cm_reshape_plan *plan, uint64_t step)
{
    uint64_t nodes = UINT64_C(1) << cube->bits;
    memset(cube->arrives, 0xff, nodes * cube->bits * sizeof *cube->arrives);
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < plan->stream_count; i++) {
            const struct cm_reshape_stream *stream = &plan->streams[i];
            if (step < stream->first_step || step >= stream->first_step + stream->count)
                continue;
            uint64_t element = stream->first_element + step - stream->first_step;
            for (uint64_t node = 0; node < nodes; node++) {
                uint64_t neighbour = node ^ UINT64_C(1) << stream->dimension;
                uint32_t *channel = &cube->arrives[neighbour * cube->bits + stream->dimension];
                if (!takes_part(stream, node, stream->sender))
                    continue;
                if (!takes_part(stream, neighbour, stream->receiver))
                    return "an element is sent to a node that does not want it";
                uint32_t *from = &cube->held[node * cube->places +
                                             place_of(stream->source, element, plan->elements)];
                uint32_t *to = &cube->held[neighbour * cube->places +
                                           place_of(stream->target, element, plan->elements)];
                if (pass == 1) {
                    *to = *channel;
                    continue;
                }
                if (*channel != NOTHING)
                    return "two elements on one channel";
                if (*from == NOTHING)
                    return "a node sends what it has not";
                *channel = *from;
                *from = NOTHING;
            }
        }
    return NULL;
}

static const char *walk(const struct problem *problem, const struct cm_reshape_plan *plan)
{
    uint64_t nodes = UINT64_C(1) << problem->bits, k = plan->elements;
    struct cube cube = {.bits = problem->bits, .places = (uint32_t)k + plan->buffer_count};
    struct oracle_shape from, to;
    const char *wrong = NULL;
    cube.held = malloc(nodes * cube.places * sizeof *cube.held);
    cube.arrives = malloc(nodes * cube.bits * sizeof *cube.arrives);
    if (cube.held == NULL || cube.arrives == NULL)
        abort();
    oracle_shape_of_ends(problem->bits, problem->from, &from);
    oracle_shape_of_ends(problem->bits, problem->to, &to);
    memset(cube.held, 0xff, nodes * cube.places * sizeof *cube.held);
    for (uint64_t node = 0; node < nodes; node++)
        for (uint64_t e = 0; e < k; e++)
            cube.held[node * cube.places + e] = (uint32_t)(node * k + e);
    for (uint64_t step = 0; step < plan->steps && wrong == NULL; step++)
        wrong = walk_step(&cube, plan, step);
    for (uint32_t i = 0; i < plan->stream_count && wrong == NULL; i++)
        if (plan->streams[i].first_step + plan->streams[i].count > plan->steps)
            wrong = "elements cross after the last step";
    for (uint64_t index = 0; index < nodes && wrong == NULL; index++) {
        uint64_t before = oracle_address(&from, ORACLE_GRAY, nodes - 1, index);
        uint64_t after = oracle_address(&to, ORACLE_GRAY, nodes - 1, index);
        for (uint64_t e = 0; e < k && wrong == NULL; e++)
            if (cube.held[after * cube.places + e] != before * k + e)
                wrong = "an element is not where definition 3 wants it";
    }
    free(cube.held);
    free(cube.arrives);
    return wrong;
}

/* The lowest dimension above d that ends an axis. */
static uint32_t reach(uint32_t bits, uint64_t ends, uint32_t d)
{
    uint32_t m = d + 1;
    while (m + 1 < bits && !(ends >> m & 1))
        m++;
    return m;
}

/* The elements of a data set: those with one more are as far from each other as may be. */
static uint64_t set_size(const struct problem *problem, uint32_t set)
{
    uint64_t delta = problem->order_count, longer = problem->elements % delta;
    return problem->elements / delta + (set % delta * longer % delta < longer);
}

/*
 * The exception: ceil(K / 2 delta) = 2, and an order, wanted by the user, in which the exchanges
 * before that in some dimension change three times in succession how far its control reaches, with
 * sets of four elements in the stages between. Before the last stage that does no harm if stages
 * are even in number, or its set has three.
 */
static bool excepted(const struct problem *problem)
{
    uint32_t delta = problem->order_count;
    if (delta < 4 || problem->elements <= 3 * delta || problem->elements > 4 * delta)
        return false;
    for (uint32_t at = 0; at < delta; at++) {
        uint64_t ends = problem->from;
        uint32_t d = problem->order[at], last = reach(problem->bits, ends, d), changes = 0;
        for (uint32_t stage = 1; stage < delta; stage++) {
            ends ^= UINT64_C(1) << problem->order[(at + delta - stage) % delta];
            uint32_t now = reach(problem->bits, ends, d);
            changes = now != last ? changes + 1 : 0;
            last = now;
            if (changes >= 3 && set_size(problem, at + delta - stage + 1) == 4 &&
                set_size(problem, at + delta - stage + 2) == 4 &&
                !(stage + 1 == delta &&
                  (delta % 2 == 0 || set_size(problem, at + delta - stage) == 3)))
                return true;
        }
    }
    return false;
}

struct tally {
    uint32_t cases, excepted, below; /* below: fewer steps than the theorem's number */
};

static const char *judge(const struct problem *problem, struct tally *tally, struct cm_error *err)
{
    uint64_t shape[2][8], nodes = UINT64_C(1) << problem->bits;
    struct cm_reshape_request request = {.algorithm = CM_RESHAPE_TWO_PATH,
                                         .elements = problem->elements,
                                         .order = problem->order_count ? problem->order : NULL,
                                         .order_count = problem->order_count};
    struct cm_reshape_plan plan;
    memset(&plan, 0, sizeof plan);
    for (uint32_t i = 0; i < 2; i++) {
        struct oracle_shape of_ends;
        oracle_shape_of_ends(problem->bits, i ? problem->to : problem->from, &of_ends);
        for (uint32_t a = 0; a < of_ends.rank; a++)
            shape[i][a] = UINT64_C(1) << of_ends.bits[a];
        if (cm_allocation_create(&(struct cm_allocation_request){shape[i], of_ends.rank,
                                                                 (uint32_t)nodes, CM_ENCODING_GRAY,
                                                                 CM_PROCESSOR_HIGH, 0},
                                 i ? &request.to : &request.from, err) != CM_OK)
            return "no allocation";
    }
    const char *wrong = NULL;
    uint64_t delta = (uint64_t)__builtin_popcountll(problem->from ^ problem->to);
    uint64_t half = (problem->elements + 2 * delta - 1) / (2 * delta);
    uint64_t pairs = (problem->elements + 1) / 2;
    uint64_t shop = (pairs > 2 * delta ? pairs : 2 * delta) + 2;
    bool exception = excepted(problem);
    if (cm_reshape_plan_make(&request, &plan, err) != CM_OK)
        wrong = "no plan";
    else if (plan.bound != delta * half + 1 || plan.delta != delta)
        wrong = "the theorem's number";
    else if (plan.steps != (exception || shop < plan.bound ? shop : plan.bound))
        wrong = "the steps";
    else if (check_plan(&plan, err) != CM_OK)
        wrong = "the plan's check";
    else
        wrong = walk(problem, &plan);
    tally->cases++;
    tally->excepted += exception;
    tally->below += shop < plan.bound;
    cm_reshape_plan_finish(&plan);
    return wrong;
}

static bool judged(const struct problem *problem, struct tally *tally)
{
    struct cm_error err;
    memset(&err, 0, sizeof err);
    const char *wrong = judge(problem, tally, &err);
    if (wrong == NULL)
        return true;
    printf("# %s: %s: %" PRIu32 " dimensions, ends %" PRIx64 " to %" PRIx64 ", K = %" PRIu64
           ", order",
           wrong, err.message, problem->bits, problem->from, problem->to, problem->elements);
    for (uint32_t i = 0; i < problem->order_count; i++)
        printf(" %" PRIu32, problem->order[i]);
    printf("\n");
    return false;
}

/* All pairs of shapes of up to 2^6 nodes, all K up to ceil(K / 2 delta) = 4. */
static bool test_all(void)
{
    struct tally tally = {0};
    for (uint32_t bits = 2; bits <= 6; bits++)
        for (uint64_t from = 0; from < UINT64_C(1) << (bits - 1); from++)
            for (uint64_t to = 0; to < UINT64_C(1) << (bits - 1); to++) {
                uint64_t changed = from ^ to;
                uint64_t delta = (uint64_t)__builtin_popcountll(changed);
                struct problem problem = {.bits = bits, .from = from, .to = to};
                if (delta == 0 || (changed & changed >> 1))
                    continue;
                for (uint64_t k = 2 * delta + 1; k <= 8 * delta; k++) {
                    problem.elements = k;
                    if (!judged(&problem, &tally))
                        return false;
                }
            }
    printf("# %" PRIu32 " plans, %" PRIu32 " with fewer steps than the theorem\n", tally.cases,
           tally.below);
    return tally.below > 0;
}

/* Up to 2^10 nodes, delta up to 5; shapes of at most eight axes. */
static void draw_problem(struct cm_random *random, uint32_t bits, struct problem *problem)
{
    *problem = (struct problem){.bits = bits};
    uint64_t common = cm_random_below(random, UINT32_C(1) << (bits - 1)) &
                      cm_random_below(random, UINT32_C(1) << (bits - 1)) &
                      cm_random_below(random, UINT32_C(1) << (bits - 1));
    uint32_t odds = 1 + cm_random_below(random, 4), count = 0;
    for (uint32_t m = cm_random_below(random, 2); m + 1 < bits; m++) {
        uint64_t end = UINT64_C(1) << m;
        if (cm_random_below(random, 5) < odds) {
            *(cm_random_below(random, 2) ? &problem->from : &problem->to) |= end;
            count++;
            m++;
            end <<= 1; /* the next is in both shapes or in neither */
        }
        if ((common & end) && m + 1 < bits && count++ < 2) {
            problem->from |= end;
            problem->to |= end;
        }
    }
    uint64_t delta = (uint64_t)__builtin_popcountll(problem->from ^ problem->to);
    problem->elements =
        2 * delta + 1 +
        cm_random_below(random, (uint32_t)((cm_random_below(random, 4) ? 2 : 14) * delta + 1));
}

static void draw_order(struct cm_random *random, struct problem *problem)
{
    uint64_t changed = problem->from ^ problem->to;
    for (uint32_t m = 0; m < problem->bits; m++)
        if (changed >> m & 1) {
            uint32_t at = cm_random_below(random, problem->order_count + 1u);
            problem->order[problem->order_count++] = problem->order[at];
            problem->order[at] = m;
        }
}

static bool test_random(uint32_t cases, uint64_t seed, bool ordered)
{
    struct tally tally = {0};
    struct cm_random random = {seed};
    uint32_t full = 0;
    while (tally.cases < cases) {
        struct problem problem;
        draw_problem(&random, 3 + cm_random_below(&random, 8), &problem);
        uint64_t delta = (uint64_t)__builtin_popcountll(problem.from ^ problem.to);
        if (delta == 0)
            continue;
        if (ordered)
            draw_order(&random, &problem);
        full += delta >= 3 && problem.elements > 3 * delta && problem.elements <= 4 * delta;
        if (!judged(&problem, &tally))
            return false;
    }
    printf("# %" PRIu32 " plans, %" PRIu32 " with 3 delta < K <= 4 delta, %" PRIu32
           " of these excepted\n",
           tally.cases, full, tally.excepted);
    return ordered || tally.excepted == 0;
}

/* Every order of three and of four dimensions, all K with sets of four, and the exception with
 * five. */
static bool test_orders(void)
{
    struct tally tally = {0};
    for (uint32_t delta = 3; delta <= 4; delta++)
        for (uint64_t from = 0; from < UINT64_C(1) << delta; from++)
            for (uint32_t number = 0; number < (delta == 3 ? 6 : 24); number++) {
                struct problem problem = {.bits = 2 * delta};
                uint32_t rest = number;
                for (uint32_t i = 0; i < delta; i++) {
                    uint32_t at = rest % (i + 1);
                    rest /= i + 1;
                    *(from >> i & 1 ? &problem.from : &problem.to) |= UINT64_C(1) << 2 * i;
                    problem.order[i] = problem.order[at];
                    problem.order[at] = 2 * i;
                }
                problem.order_count = delta;
                for (uint64_t k = 3 * delta + 1; k <= 4 * delta; k++) {
                    problem.elements = k;
                    if (!judged(&problem, &tally))
                        return false;
                }
            }
    bool none = tally.excepted == 0;
    struct problem five = {
        .bits = 10, .to = 0x155, .elements = 20, .order = {0, 2, 4, 6, 8}, .order_count = 5};
    bool good = judged(&five, &tally);
    printf("# %" PRIu32 " plans, %" PRIu32 " excepted\n", tally.cases, tally.excepted);
    return good && none && tally.excepted == 1;
}

/* The walk notices a channel with two elements, and one that goes astray. */
static bool test_broken(void)
{
    uint64_t from[1] = {16}, to[2] = {4, 4};
    struct cm_reshape_request request = {.algorithm = CM_RESHAPE_TWO_PATH, .elements = 8};
    struct problem problem = {.bits = 4, .to = 2, .elements = 8};
    struct cm_reshape_plan plan;
    struct cm_error err;
    if (cm_allocation_create(
            &(struct cm_allocation_request){from, 1, 16, CM_ENCODING_GRAY, CM_PROCESSOR_HIGH, 0},
            &request.from, &err) != CM_OK ||
        cm_allocation_create(
            &(struct cm_allocation_request){to, 2, 16, CM_ENCODING_GRAY, CM_PROCESSOR_HIGH, 0},
            &request.to, &err) != CM_OK ||
        cm_reshape_plan_make(&request, &plan, &err) != CM_OK)
        return false;
    bool good = walk(&problem, &plan) == NULL;
    for (uint32_t i = 0; i < plan.stream_count; i++) {
        struct cm_reshape_stream kept = plan.streams[i];
        plan.streams[i].first_step++;
        good = good && walk(&problem, &plan) != NULL;
        plan.streams[i] = kept;
        plan.streams[i].nodes ^= 8;
        good = good && walk(&problem, &plan) != NULL;
        plan.streams[i] = kept;
    }
    cm_reshape_plan_finish(&plan);
    return good;
}

CM_PROGRAM(reshape_paths)
{
    struct tap_options options = {.cases = 2500, .seed = 1};
    tap_options_read(argc, argv, &options, NULL);
    uint32_t cases = (uint32_t)options.cases;
    uint64_t seed = options.seed;
    printf("1..5\n# seed %" PRIu64 "\n", seed);
    tap_report(1, test_all(), "theorem 3 on up to 64 nodes: every pair of shapes, every small K");
    tap_report(2, test_random(cases, seed, false), "theorem 3 on up to 1,024 nodes");
    tap_report(3, test_random(cases, seed + 1, true), "theorem 3 with the user's order");
    tap_report(4, test_orders(), "theorem 3 with every order of up to four dimensions");
    tap_report(5, test_broken(), "the walk notices broken plans");
    return 0;
}
