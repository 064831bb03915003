/*
 * Plans the second phase of a reshape to a consistent allocation: a stable dimension permutation,
 * made of swaps of two dimensions. References 4 and 5 of the paper describe it: Flanders 1982, and
 * Ho and Johnsson, Stable Dimension Permutations on Boolean Cubes, 1988. Swaps of disjoint
 * dimensions happen at once, in rounds. K is the number of elements in a node. The steps of a round
 * depend on the dimensions that it swaps:
 *
 *     p cube dimensions with p memory bits  (mixed round) half of a node's elements cross each of
 *                                           the dimensions, all dimensions at once: K / 2 steps for
 *                                           any p (reshape_crossings.h)
 *     p pairs of cube dimensions            nodes whose two bits differ send all elements over two
 *                                           hops, half of the elements over one dimension first,
 *                                           half over the other. The p data sets alternate between
 *                                           the pairs: p ceil(K / 2p) + 1 steps, or a few more if K
 *                                           is small
 *     pairs of memory bits                  moves within the nodes: no steps
 *
 * Three methods find the rounds, and the method with the fewest steps is used:
 *
 *     by memory   all cube dimensions that change go to memory bits, and the dimensions that belong
 *                 on other cube dimensions come back: one mixed round, or two if some dimension
 *                 goes from one cube dimension to another
 *     by cube     cube dimensions are brought to their places among themselves, in at most two
 *                 rounds (each cycle is the product of two reflections), then one mixed round
 *     in turn     swap after swap undoes each cycle of the permutation from one of its places, a
 *                 memory bit if it has one. This method serves if there are too few memory bits
 *                 for the method "by memory"
 */
#include "reshape_crossings.h"
#include "reshape_streams.h"

#include <stdlib.h>
#include <string.h>

#define SWAPS_MAX 256u /* a method makes at most 2 swaps for each dimension or local bit */

/* Swaps of one method, in rounds. A place is a cube dimension or a local bit, cube dimensions
 * first. `target` says what the places contain after the swaps. */
struct method {
    uint32_t places, cubes;
    uint32_t target[64]; /* place where the present content of each place belongs */
    struct cm_reshape_swap swaps[SWAPS_MAX];
    struct cm_reshape_round rounds[SWAPS_MAX];
    uint32_t swap_count, round_count;
    bool open; /* true if more swaps may join the last round */
};

static uint32_t place_of(const struct cm_allocation *allocation, uint32_t dimension)
{
    uint32_t rank = cm_allocation_rank(allocation, dimension);
    return allocation->processor >> dimension & 1 ? rank : allocation->node_bits + rank;
}

static void swap_places(struct method *method, uint32_t first, uint32_t second)
{
    uint32_t n = method->cubes, kept = method->target[first];
    struct cm_reshape_swap *swap = &method->swaps[method->swap_count];
    *swap = (struct cm_reshape_swap){.first_is_local = first >= n, .second_is_local = second >= n};
    swap->first = swap->first_is_local ? first - n : first;
    swap->second = swap->second_is_local ? second - n : second;
    method->target[first] = method->target[second];
    method->target[second] = kept;
    if (!method->open) {
        method->rounds[method->round_count++] = (struct cm_reshape_round){
            .kind = swap->first_is_local && swap->second_is_local   ? CM_RESHAPE_ROUND_LOCAL
                    : swap->first_is_local || swap->second_is_local ? CM_RESHAPE_ROUND_MIXED
                                                                    : CM_RESHAPE_ROUND_CUBE,
            .first_swap = method->swap_count};
        method->open = true;
    }
    method->rounds[method->round_count - 1].swap_count++;
    method->swap_count++;
}

/* Returns the place whose present content belongs at `place`. */
static uint32_t source_of(const struct method *method, uint32_t place)
{
    uint32_t at = 0;
    while (method->target[at] != place)
        at++;
    return at;
}

/* Swaps local bits in pairs until every local bit has the content that belongs there. */
static void finish_locals(struct method *method)
{
    for (uint32_t place = method->places; place-- > method->cubes;)
        while (method->target[place] != place) {
            method->open = false;
            swap_places(method, method->target[place], place);
        }
    method->open = false;
}

/* Makes a mixed round in which each cube dimension gets its content from memory, if the content is
 * a local bit now. */
static void fetch_from_memory(struct method *method)
{
    /* for each cube dimension, the place whose content belongs there, before the round */
    uint32_t sources[64];
    for (uint32_t c = 0; c < method->cubes; c++)
        sources[c] = source_of(method, c);
    method->open = false;
    for (uint32_t c = 0; c < method->cubes; c++)
        if (sources[c] >= method->cubes)
            swap_places(method, c, sources[c]);
    method->open = false;
}

/* Adds the rounds of the method "by memory". Returns false if there are too few local bits for all
 * cube dimensions that change. */
static bool by_memory(struct method *method)
{
    uint64_t taken = 0;
    uint32_t moving = 0;
    for (uint32_t c = 0; c < method->cubes; c++) {
        uint32_t source = source_of(method, c);
        moving += source != c;
        if (source >= method->cubes)
            taken |= UINT64_C(1) << source;
    }
    if (moving > method->places - method->cubes)
        return false;
    /* cube dimensions that wait for a content from another cube dimension, one bit each. Their
     * present content goes to memory first */
    uint64_t waiting = 0;
    for (uint32_t c = 0; c < method->cubes; c++)
        if (source_of(method, c) < method->cubes && source_of(method, c) != c)
            waiting |= UINT64_C(1) << c;
    fetch_from_memory(method);
    method->open = method->round_count > 0;
    for (uint32_t c = 0, local = method->cubes; c < method->cubes; c++) {
        if (!(waiting >> c & 1))
            continue;
        while (taken >> local & 1)
            local++;
        swap_places(method, c, local++);
    }
    fetch_from_memory(method);
    finish_locals(method);
    return true;
}

/* Makes a round of swaps that reflects a cycle of cube dimensions: the content of place i of the
 * cycle and that of place turn - i change places. Two reflections, i to -i and then i to 1 - i,
 * advance each content by one place. */
static void reflect(struct method *method, const uint32_t *cycle, uint32_t length, uint32_t turn)
{
    for (uint32_t i = 0; i < length; i++) {
        uint32_t other = (turn + length - i) % length;
        if (i < other)
            swap_places(method, cycle[i], cycle[other]);
    }
}

/*
 * Adds the rounds of the method "by cube", which permutes the cube dimensions among themselves. A
 * cycle of the permutation may lead through memory. Then the content that leaves the cube takes the
 * cube dimension whose new content comes from memory.
 */
static void by_cube(struct method *method)
{
    uint32_t next[64];
    for (uint32_t c = 0; c < method->cubes; c++) {
        next[c] = method->target[c];
        uint32_t first = c; /* first cube dimension of the chain of moves that ends at c */
        while (next[c] >= method->cubes && source_of(method, first) < method->cubes)
            first = source_of(method, first);
        if (next[c] >= method->cubes)
            next[c] = first;
    }
    for (uint32_t turn = 0; turn < 2; turn++) {
        uint64_t seen = 0;
        method->open = false;
        for (uint32_t c = 0; c < method->cubes; c++) {
            uint32_t cycle[64], length = 0;
            for (uint32_t at = c; !(seen >> at & 1); at = next[at]) {
                seen |= UINT64_C(1) << at;
                cycle[length++] = at;
            }
            reflect(method, cycle, length, turn);
        }
    }
    fetch_from_memory(method);
    finish_locals(method);
}

/* Adds the swaps of the method "in turn", from the highest place down. Memory bits are the highest
 * places, so they are swapped first, because their swaps are cheaper. */
static void in_turn(struct method *method)
{
    for (uint32_t place = method->places; place-- > 0;)
        while (method->target[place] != place) {
            method->open = false;
            swap_places(method, method->target[place], place);
        }
}

/* Returns the number of steps of a stage in a round that swaps `pairs` pairs of cube dimensions.
 * Sets *overlapped to whether the stages overlap by one step. */
static uint64_t cube_stage(uint64_t elements, uint32_t pairs, bool *overlapped)
{
    uint64_t half = cm_reshape_divide_up(cm_reshape_divide_up(elements, pairs), 2);
    *overlapped = half >= 2;
    return half;
}

/*
 * Returns the number of steps of a round. A unit may consist of two elements, one for each channel.
 * Such units stay whole unless the swaps use all local bits. Then elements cross one by one, two in
 * each dimension and step.
 */
static uint64_t round_steps(const struct cm_reshape_plan *plan,
                            const struct cm_reshape_round *round, uint64_t elements, int unit_shift)
{
    uint32_t locals = plan->from.dimensions - plan->from.node_bits;
    bool overlapped;
    if (round->kind == CM_RESHAPE_ROUND_LOCAL)
        return 0;
    if (round->kind == CM_RESHAPE_ROUND_CUBE) {
        uint64_t half = cube_stage(elements, round->swap_count, &overlapped);
        return overlapped ? round->swap_count * half + 1 : round->swap_count * (half + 1);
    }
    if (unit_shift < 0 && round->swap_count == locals)
        return cm_reshape_crossing_steps(round->swap_count, 2);
    return elements / 2;
}

static uint64_t method_steps(const struct cm_reshape_plan *plan, const struct method *method)
{
    uint64_t steps = 0, elements = UINT64_C(1) << (plan->from.dimensions - plan->from.node_bits);
    for (uint32_t i = 0; i < method->round_count; i++)
        steps += round_steps(plan, &method->rounds[i], elements, 0);
    return steps;
}

/* Adds streams for elements that take two hops through a buffer. The first hop goes to nodes whose
 * two address bits are equal, the second crosses the other dimension. */
static enum cm_status add_hops(struct cm_reshape_plan *plan, const struct cm_reshape_swap *swap,
                               bool turned, struct cm_reshape_stream run, struct cm_error *err)
{
    run.nodes = UINT64_C(1) << swap->first | UINT64_C(1) << swap->second;
    struct cm_reshape_stream hops[2] = {run, run};
    hops[0].dimension = turned ? swap->second : swap->first;
    hops[0].source = CM_RESHAPE_ARRAY;
    hops[0].sender = true;
    hops[1].first_step++;
    hops[1].dimension = turned ? swap->first : swap->second;
    hops[1].target = CM_RESHAPE_ARRAY;
    hops[1].receiver = true;
    enum cm_status status = cm_reshape_swap_stream_add(plan, hops[0], err);
    return status == CM_OK ? cm_reshape_swap_stream_add(plan, hops[1], err) : status;
}

static enum cm_status add_cube_streams(struct cm_reshape_plan *plan, struct cm_reshape_round *round,
                                       struct cm_error *err)
{
    uint32_t pairs = round->swap_count;
    bool overlapped;
    uint64_t half = cube_stage(plan->elements, pairs, &overlapped);
    enum cm_status status = CM_OK;
    round->first_stream = plan->swap_stream_count;
    if (2 * pairs > plan->swap_buffer_count)
        plan->swap_buffer_count = 2 * pairs;
    for (uint32_t stage = 0; stage < pairs; stage++)
        for (uint32_t s = 0; status == CM_OK && s < pairs; s++) {
            uint32_t pair = (s + stage) % pairs;
            uint64_t first = cm_reshape_set_first(plan->elements, pairs, s);
            uint64_t count = cm_reshape_set_first(plan->elements, pairs, s + 1) - first;
            const struct cm_reshape_swap *swap = &plan->swaps[round->first_swap + pair];
            uint32_t buffer = plan->buffer_count + 2 * pair;
            struct cm_reshape_stream run = {.first_step = stage * (overlapped ? half : half + 1),
                                            .first_element = first,
                                            .count = cm_reshape_divide_up(count, 2),
                                            .source = buffer,
                                            .target = buffer};
            status = add_hops(plan, swap, false, run, err);
            run.first_element += run.count;
            run.count = count - run.count;
            run.source = run.target = buffer + 1;
            if (status == CM_OK)
                status = add_hops(plan, swap, true, run, err);
        }
    round->stream_count = plan->swap_stream_count - round->first_stream;
    return status;
}

static enum cm_status adopt(struct cm_reshape_plan *plan, const struct method *method,
                            int unit_shift, struct cm_error *err)
{
    enum cm_status status = CM_OK;
    plan->swaps = calloc(method->swap_count + 1u, sizeof *plan->swaps);
    plan->rounds = calloc(method->round_count + 1u, sizeof *plan->rounds);
    if (!plan->swaps || !plan->rounds)
        return cm_error_no_memory(err);
    memcpy(plan->swaps, method->swaps, method->swap_count * sizeof *plan->swaps);
    memcpy(plan->rounds, method->rounds, method->round_count * sizeof *plan->rounds);
    plan->swap_count = method->swap_count;
    plan->round_count = method->round_count;
    for (uint32_t i = 0; status == CM_OK && i < plan->round_count; i++) {
        struct cm_reshape_round *round = &plan->rounds[i];
        round->steps = round_steps(plan, round, plan->elements, unit_shift);
        plan->swap_steps += round->steps;
        if (round->kind == CM_RESHAPE_ROUND_CUBE)
            status = add_cube_streams(plan, round, err);
    }
    return status;
}

enum cm_status cm_reshape_permute(struct cm_reshape_plan *plan, int unit_shift,
                                  struct cm_error *err)
{
    struct method *methods;
    if (plan->from.processor == plan->to.processor && !plan->to.permuted)
        return CM_OK;
    methods = calloc(3, sizeof *methods);
    if (!methods)
        return cm_error_no_memory(err);
    for (uint32_t i = 0; i < 3; i++) {
        methods[i].places = plan->from.dimensions;
        methods[i].cubes = plan->from.node_bits;
        for (uint32_t m = 0; m < plan->from.dimensions; m++)
            methods[i].target[place_of(&plan->from, m)] =
                place_of(&plan->to, plan->to.permuted ? plan->to.place[m] : m);
    }
    bool possible = by_memory(&methods[0]);
    by_cube(&methods[1]);
    in_turn(&methods[2]);
    const struct method *best = possible ? &methods[0] : &methods[1];
    for (uint32_t i = 1; i < 3; i++)
        if (method_steps(plan, &methods[i]) < method_steps(plan, best))
            best = &methods[i];
    enum cm_status status = adopt(plan, best, unit_shift, err);
    free(methods);
    return status;
}
