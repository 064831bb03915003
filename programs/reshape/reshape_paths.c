/*
 * Search for paths by negotiation (McMurchie and Ebeling 1995, for circuit routing). Every element
 * takes its cheapest path through links and steps, even if other elements use it. Links with
 * several elements become dearer each round. Elements in conflict are removed and routed again
 * until no conflict is left. The number of steps is found by bisection. All prices are integers, so
 * that paths are the same on every host.
 */
#include "reshape_paths.h"

#include <stdlib.h>
#include <string.h>

/* Prices of a hop in the search for paths: PRICE_FREE for any link, and PRICE_CONFLICT more for
 * each other element on the link. */
#define PRICE_FREE 20u
/* limit on a random surcharge, which decides between equally good paths */
#define PRICE_CHANCE   10u
#define PRICE_CONFLICT 1000u
/* surcharge in all later rounds, for each element by which a link was overloaded */
#define PRICE_PAST 50u

#define ROUNDS_MANY 60u /* least number of rounds. The number grows if fewer elements move */
/* The search makes ROUTES / (moving elements + 1) more rounds than ROUNDS_MANY. */
#define ROUTES 100000u
/* The search gives up after ROUNDS_EARLY rounds if more than one element in HOPELESS is still in
 * conflict. */
#define ROUNDS_EARLY 8u
#define HOPELESS     12u

struct search {
    struct cm_reshape_paths *paths;
    uint32_t nodes, steps, steps_max;
    uint64_t random;
    /* number of hops between two nodes, at the exclusive or of their addresses */
    uint8_t far[CM_RESHAPE_PATH_NODES];
    /* number of elements on a link, by step, node and dimension */
    uint16_t *use;
    uint32_t *past, *price; /* for each link, the surcharge for past conflicts, and the price */
    uint32_t *cost;         /* cost of the cheapest path to each node, at [step][node] */
    /* last hop of the cheapest path to each node: its dimension, at [step][node] */
    uint8_t *via;
    /* hops as in `paths`, with room for steps_max hops of each element */
    uint8_t *hops;
    /* elements that must move, each as node * elements + element, and the number of these
     * elements */
    uint32_t *order, travellers;
};

static uint32_t draw(struct search *search, uint32_t below)
{
    search->random = search->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((search->random >> 33) % below);
}

static size_t link_of(const struct search *search, uint32_t step, uint32_t node, uint32_t d)
{
    return ((size_t)step * search->nodes + node) * search->paths->bits + d;
}

static void set_price(struct search *search, size_t link)
{
    search->price[link] = PRICE_FREE + draw(search, PRICE_CHANCE) + search->past[link] +
                          PRICE_CONFLICT * search->use[link];
}

/* Extends the cheapest paths by one step, in which an element crosses a link or waits. Waiting
 * costs nothing. */
static void relax(struct search *search, uint32_t node, uint32_t to, uint32_t step)
{
    const uint32_t bits = search->paths->bits, left = search->steps - step - 1;
    const uint32_t *price = search->price + link_of(search, step, node, 0);
    uint32_t *next = search->cost + (size_t)(step + 1) * search->nodes;
    uint8_t *via = search->via + (size_t)(step + 1) * search->nodes;
    uint32_t cost = search->cost[(size_t)step * search->nodes + node];
    if (cost < next[node] && search->far[node ^ to] <= left) {
        next[node] = cost;
        via[node] = CM_RESHAPE_WAIT;
    }
    for (uint32_t d = 0; d < bits; d++) {
        uint32_t there = node ^ UINT32_C(1) << d;
        if (cost + price[d] < next[there] && search->far[there ^ to] <= left) {
            next[there] = cost + price[d];
            via[there] = (uint8_t)d;
        }
    }
}

static void choose_way(struct search *search, uint32_t from, uint8_t *hops)
{
    const uint32_t nodes = search->nodes;
    uint32_t at = search->paths->target[from];
    memset(search->cost, 0xff, (search->steps + 1) * (size_t)nodes * sizeof *search->cost);
    search->cost[from] = 0;
    for (uint32_t step = 0; step < search->steps; step++)
        for (uint32_t node = 0; node < nodes; node++)
            if (search->cost[(size_t)step * nodes + node] != UINT32_MAX)
                relax(search, node, at, step);
    for (uint32_t step = search->steps; step > 0; step--) {
        hops[step - 1] = search->via[(size_t)step * nodes + at];
        if (hops[step - 1] != CM_RESHAPE_WAIT)
            at ^= UINT32_C(1) << hops[step - 1];
    }
}

/* Changes the number of elements on each link of a path by `change`, 1 or -1. */
static void put(struct search *search, uint32_t node, const uint8_t *hops, int change)
{
    for (uint32_t step = 0; step < search->steps; step++)
        if (hops[step] != CM_RESHAPE_WAIT) {
            size_t link = link_of(search, step, node, hops[step]);
            search->use[link] = (uint16_t)(search->use[link] + change);
            set_price(search, link);
            node ^= UINT32_C(1) << hops[step];
        }
}

static bool in_conflict(const struct search *search, uint32_t node, const uint8_t *hops)
{
    for (uint32_t step = 0; step < search->steps; step++)
        if (hops[step] != CM_RESHAPE_WAIT) {
            if (search->use[link_of(search, step, node, hops[step])] > 1)
                return true;
            node ^= UINT32_C(1) << hops[step];
        }
    return false;
}

/* Finds new paths, in random order, for elements in conflict and a few others. In the first round
 * it finds paths for all elements. */
static void reroute(struct search *search, bool all)
{
    for (uint32_t i = search->travellers; i > 1; i--) {
        uint32_t k = draw(search, i), moved = search->order[k];
        search->order[k] = search->order[i - 1];
        search->order[i - 1] = moved;
    }
    for (uint32_t i = 0; i < search->travellers; i++) {
        uint32_t node = search->order[i] / search->paths->elements;
        uint8_t *hops = search->hops + (size_t)search->order[i] * search->steps_max;
        if (!all && !in_conflict(search, node, hops) && draw(search, 16) > 0)
            continue;
        put(search, node, hops, -1);
        choose_way(search, node, hops);
        put(search, node, hops, 1);
    }
}

/* Returns the number of conflicts: the elements on each link beyond the first, added up. Raises the
 * prices of links with conflicts. */
static uint32_t count_conflicts(struct search *search, size_t links)
{
    uint32_t conflicts = 0;
    for (size_t link = 0; link < links; link++)
        if (search->use[link] > 1) {
            conflicts += search->use[link] - 1u;
            search->past[link] += PRICE_PAST * (search->use[link] - 1u);
        }
    return conflicts;
}

/* Returns true if paths of `steps` steps without conflicts are found. */
static bool negotiate(struct search *search, uint32_t steps)
{
    const size_t links = (size_t)steps * search->nodes * search->paths->bits;
    const uint32_t rounds = ROUNDS_MANY + ROUTES / (search->travellers + 1);
    uint32_t fewest = UINT32_MAX, idle = 0;
    search->steps = steps;
    search->random = 1990;
    memset(search->use, 0, links * sizeof *search->use);
    memset(search->past, 0, links * sizeof *search->past);
    memset(search->hops, CM_RESHAPE_WAIT,
           (size_t)search->nodes * search->paths->elements * search->steps_max);
    for (size_t link = 0; link < links; link++)
        set_price(search, link);
    for (uint32_t round = 0; round < rounds && idle < rounds / 5; round++, idle++) {
        reroute(search, round == 0);
        uint32_t conflicts = count_conflicts(search, links);
        if (conflicts == 0)
            return true;
        if (conflicts < fewest) {
            fewest = conflicts;
            idle = 0;
        }
        if (round == ROUNDS_EARLY && conflicts > search->travellers / HOPELESS)
            return false;
    }
    return false;
}

static bool keep(struct search *search)
{
    struct cm_reshape_paths *paths = search->paths;
    size_t all = (size_t)search->nodes * paths->elements;
    uint8_t *hops = malloc(all * search->steps);
    if (hops == NULL)
        return false;
    for (size_t i = 0; i < all; i++)
        memcpy(hops + i * search->steps, search->hops + i * search->steps_max, search->steps);
    free(paths->hops);
    paths->hops = hops;
    paths->steps = search->steps;
    return true;
}

/* Finds the smallest number of steps for which paths exist, by bisection between `fewest` steps and
 * a number that is enough. */
static enum cm_status find_steps(struct search *search, uint32_t fewest, struct cm_error *err)
{
    uint32_t enough = search->steps_max;
    if (!negotiate(search, enough))
        return cm_error_set(err, CM_BAD_INPUT, "detour has found no schedule");
    if (!keep(search))
        return cm_error_no_memory(err);
    while (fewest < enough) {
        uint32_t steps = (fewest + enough) / 2;
        bool found = negotiate(search, steps);
        if (found && !keep(search))
            return cm_error_no_memory(err);
        if (found)
            enough = steps;
        else
            fewest = steps + 1;
    }
    return CM_OK;
}

/* Lists the elements that must move. Returns the number of steps of the longest of their shortest
 * paths. */
static uint32_t list_travellers(struct search *search)
{
    const struct cm_reshape_paths *paths = search->paths;
    uint32_t longest = 0;
    for (uint32_t node = 0; node < search->nodes; node++) {
        uint32_t far = search->far[node ^ paths->target[node]];
        longest = far > longest ? far : longest;
        for (uint32_t e = 0; e < paths->elements && far > 0; e++)
            search->order[search->travellers++] = node * paths->elements + e;
    }
    return longest;
}

enum cm_status cm_reshape_paths_find(struct cm_reshape_paths *paths, uint32_t delta,
                                     struct cm_error *err)
{
    struct search search = {.paths = paths, .nodes = UINT32_C(1) << paths->bits};
    enum cm_status status = CM_OK;
    for (uint32_t node = 0; node < search.nodes; node++)
        search.far[node] = (uint8_t)__builtin_popcount(node);
    /* This many steps are always enough. A single pipeline needs one step for each element of a
     * node, and one more for each dimension after the first. */
    search.steps_max = paths->elements + 2 * delta;
    size_t places = (size_t)search.nodes * (search.steps_max + 1), links = places * paths->bits;
    search.use = calloc(links, sizeof *search.use);
    search.past = calloc(links, sizeof *search.past);
    search.price = calloc(links, sizeof *search.price);
    search.cost = calloc(places, sizeof *search.cost);
    search.via = calloc(places, 1);
    search.hops = calloc((size_t)search.nodes * paths->elements, search.steps_max);
    search.order = calloc((size_t)search.nodes * paths->elements, sizeof *search.order);
    if (!search.use || !search.past || !search.price || !search.cost || !search.via ||
        !search.hops || !search.order) {
        status = cm_error_no_memory(err);
    } else {
        uint32_t longest = list_travellers(&search), half = (paths->elements + 1) / 2;
        status = find_steps(&search, longest > half ? longest : half, err);
    }
    void *owned[] = {search.use, search.past, search.price, search.cost,
                     search.via, search.hops, search.order};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    return status;
}

void cm_reshape_paths_finish(struct cm_reshape_paths *paths)
{
    free(paths->hops);
    paths->hops = NULL;
}

const uint8_t *cm_reshape_path(const struct cm_reshape_paths *paths, uint32_t node,
                               uint32_t element)
{
    return paths->hops + ((size_t)node * paths->elements + element) * paths->steps;
}
