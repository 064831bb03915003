/* Finds chains of address bits and computes their schedule: which dimension serves which group of
 * words in which stage (transpose_chains.h). */
#include "transpose_chains.h"

#include <string.h>

#define GROUP_BITS_MAX 6u

static uint32_t log2_of(uint64_t power)
{
    return (uint32_t)__builtin_ctzll(power);
}

/* Follows the permutation from cube dimension `d` to a local bit, or to a dimension in `seen`, and
 * adds the dimensions on its way to the chain. Returns the address bit at the end. */
static uint32_t follow(const struct cm_allocation *to, uint32_t locals, uint32_t d, uint64_t *seen,
                       struct cm_chain *chain)
{
    uint32_t bit = locals + d;
    do {
        *seen |= UINT64_C(1) << bit;
        chain->dimensions[chain->count++] = (uint8_t)(bit - locals);
        bit = to->place[bit];
    } while (bit >= locals && !(*seen >> bit & 1));
    return bit;
}

/* Finds the chains that begin at local bits, and the final places of the contents that these chains
 * bring to memory. */
static void find_open(const struct cm_allocation *to, uint32_t locals, uint32_t slice_bits,
                      uint64_t *seen, struct cm_chains *chains)
{
    for (uint32_t bit = 0; bit < locals; bit++) {
        chains->place[bit] = to->place[bit];
        if (to->place[bit] < locals)
            continue;
        struct cm_chain *chain = &chains->chains[chains->count++];
        chain->partner = CM_CHAIN_NO_PARTNER;
        chain->bit = bit + slice_bits;
        chains->place[bit] = (uint8_t)follow(to, locals, to->place[bit] - locals, seen, chain);
        chains->chain_bits |= UINT64_C(1) << chain->bit;
    }
    for (uint32_t bit = 0; bit < locals; bit++)
        chains->permuted = chains->permuted || chains->place[bit] != bit;
}

/* Finds the closed chains, which share a bit of the word address. This bit is that of an open
 * chain, or a low bit, so that the words that it numbers are in one page of memory. */
static void find_closed(const struct cm_allocation *to, uint32_t locals, uint64_t *seen,
                        struct cm_chains *chains)
{
    for (uint32_t bit = locals; bit < to->dimensions; bit++) {
        if ((*seen >> bit & 1) || to->place[bit] == bit)
            continue;
        struct cm_chain *chain = &chains->chains[chains->count++];
        if (chains->chain_bits == 0)
            chains->chain_bits = chains->words > 2 ? 2 : 1;
        chain->bit = log2_of(chains->chain_bits & (~chains->chain_bits + 1));
        chain->partner = CM_CHAIN_NO_PARTNER;
        follow(to, locals, bit - locals, seen, chain);
        chain->closed = chain->count > 2;
        if (chain->closed)
            continue;
        chain->partner = chain->dimensions[1];
        chain->count = 1;
    }
}

/*
 * Assigns the lowest free bit of the word address to lanes and the bits above to groups, so that an
 * exchange uses few pages of memory. If chains use many bits, there are fewer groups, because the
 * code of every stage is longer.
 */
static void divide_bits(struct cm_chains *chains, uint32_t channels, uint32_t group_bits)
{
    const uint32_t chain_bits = (uint32_t)__builtin_popcountll(chains->chain_bits);
    uint64_t free_bits = (chains->words - 1) & ~chains->chain_bits;
    chains->group_bits = chains->lane_bit = 0;
    if (channels == 2)
        chains->lane_bit = free_bits & (~free_bits + 1);
    free_bits &= ~chains->lane_bit;
    for (uint32_t i = chain_bits; i <= group_bits && free_bits != 0; i++) {
        chains->group_bits |= free_bits & (~free_bits + 1);
        free_bits &= free_bits - 1;
    }
    chains->walk_bits = free_bits;
}

#define NO_CHAIN UINT32_MAX

/* Progress of a group of words along its chains. */
struct group {
    uint64_t done; /* finished chains, one bit each */
    uint32_t chain;
    uint32_t next;      /* index of the next dimension in the chain */
    uint32_t left;      /* number of crossings left in the chain */
    uint32_t remaining; /* number of crossings left in all chains */
};

static uint32_t crossings_of(const struct cm_chain *chain)
{
    return chain->count + chain->closed;
}

/* Returns true if the group may cross the dimension now, because this dimension is next in the
 * group's chain or begins a chain. */
static bool find_crossing(const struct cm_chains *chains, const struct group *group,
                          uint32_t dimension, uint32_t *number, uint32_t *at)
{
    if (group->chain != NO_CHAIN) {
        *number = group->chain;
        *at = group->next;
        return chains->chains[group->chain].dimensions[group->next] == dimension;
    }
    for (*number = 0; *number < chains->count; ++*number) {
        const struct cm_chain *chain = &chains->chains[*number];
        if (group->done >> *number & 1)
            continue;
        for (*at = 0; *at < (chain->closed ? chain->count : 1); ++*at)
            if (chain->dimensions[*at] == dimension)
                return true;
    }
    return false;
}

static void cross(const struct cm_chains *chains, struct group *group, uint32_t number, uint32_t at)
{
    const struct cm_chain *chain = &chains->chains[number];
    if (group->chain == NO_CHAIN) {
        group->chain = number;
        group->left = crossings_of(chain);
    }
    group->next = (at + 1) % chain->count;
    group->remaining--;
    if (--group->left > 0)
        return;
    group->done |= UINT64_C(1) << number;
    group->chain = NO_CHAIN;
}

/*
 * Returns the group that a dimension serves in this stage, among the groups that no dimension
 * serves yet. Groups within a chain have precedence over groups that begin one. Among equal groups,
 * the group with the most crossings left is chosen.
 */
static uint32_t best_group(const struct cm_chains *chains, const struct group *groups,
                           uint32_t count, uint64_t served, uint32_t dimension)
{
    uint32_t best = CM_CHAIN_IDLE, best_rank = 0, number, at;
    for (uint32_t g = 0; g < count; g++) {
        const uint32_t rank = 2 * groups[g].remaining + (groups[g].chain != NO_CHAIN) * 4096u;
        if ((served >> g & 1) || rank <= best_rank ||
            !find_crossing(chains, &groups[g], dimension, &number, &at))
            continue;
        best = g;
        best_rank = rank;
    }
    return best;
}

/* Adds a stage to the schedule. Dimensions take turns in choosing a group first, so that the groups
 * start evenly. */
static bool add_stage(struct cm_chains *chains, struct group *groups, uint32_t count)
{
    const uint32_t first = chains->stages.count;
    struct cm_chain_stage *stage = cm_list_add(&chains->stages);
    uint64_t served = 0;
    uint32_t number, at;
    if (stage == NULL)
        return false;
    memset(stage->group, CM_CHAIN_IDLE, sizeof stage->group);
    for (uint32_t i = 0; i < CM_CHAIN_DIMENSIONS; i++) {
        const uint32_t d = (first + i) % CM_CHAIN_DIMENSIONS;
        const uint32_t g = best_group(chains, groups, count, served, d);
        if (g == CM_CHAIN_IDLE || !find_crossing(chains, &groups[g], d, &number, &at))
            continue;
        stage->begins |= (uint32_t)(groups[g].chain == NO_CHAIN) << d;
        cross(chains, &groups[g], number, at);
        stage->ends |= (uint32_t)(groups[g].chain == NO_CHAIN) << d;
        stage->pairs |= (uint32_t)(chains->chains[number].partner != CM_CHAIN_NO_PARTNER) << d;
        stage->group[d] = (uint8_t)g;
        served |= UINT64_C(1) << g;
    }
    return true;
}

static enum cm_status schedule(struct cm_chains *chains, struct cm_error *err)
{
    struct group groups[UINT32_C(1) << GROUP_BITS_MAX];
    const uint32_t count = UINT32_C(1) << __builtin_popcountll(chains->group_bits);
    uint64_t left = 0;
    for (uint32_t c = 0; c < chains->count; c++)
        left += crossings_of(&chains->chains[c]);
    for (uint32_t g = 0; g < count; g++)
        groups[g] = (struct group){.chain = NO_CHAIN, .remaining = (uint32_t)left};
    for (left *= count; left > 0;) {
        if (!add_stage(chains, groups, count))
            return cm_error_no_memory(err);
        left = 0;
        for (uint32_t g = 0; g < count; g++)
            left += groups[g].remaining;
    }
    return CM_OK;
}

/* Counts the exchanges of the schedule. A stage with pairs has one exchange more, for the last
 * words on their second hop. */
static uint64_t count_exchanges(const struct cm_chains *chains)
{
    const uint32_t others = (uint32_t)__builtin_popcountll(chains->chain_bits) - 1;
    const uint64_t walked = UINT64_C(1) << __builtin_popcountll(chains->walk_bits);
    uint64_t exchanges = 0;
    for (uint32_t s = 0; s < chains->stages.count; s++)
        exchanges += (walked + (chains->stages.items[s].pairs != 0)) << others;
    return exchanges;
}

static enum cm_status plan(struct cm_chains *chains, uint32_t channels, uint32_t group_bits,
                           struct cm_error *err)
{
    cm_list_finish(&chains->stages);
    divide_bits(chains, channels, group_bits);
    enum cm_status status = schedule(chains, err);
    chains->exchanges = count_exchanges(chains);
    return status;
}

/* Chooses the number of groups that takes the fewest exchanges. With many groups all dimensions
 * work, with few groups stages are shorter. */
static enum cm_status choose_groups(struct cm_chains *chains, uint32_t channels,
                                    struct cm_error *err)
{
    uint64_t best = UINT64_MAX;
    uint32_t best_bits = 0;
    enum cm_status status = CM_OK;
    for (uint32_t bits = 0; status == CM_OK && bits <= GROUP_BITS_MAX; bits++) {
        status = plan(chains, channels, bits, err);
        if (chains->exchanges > best)
            continue;
        best = chains->exchanges;
        best_bits = bits;
    }
    return status == CM_OK ? plan(chains, channels, best_bits, err) : status;
}

enum cm_status cm_chains_make(const struct cm_allocation *to, uint32_t slices, uint32_t channels,
                              struct cm_chains *chains, struct cm_error *err)
{
    const uint32_t locals = to->dimensions - to->node_bits;
    uint64_t seen = 0;
    memset(chains, 0, sizeof *chains);
    chains->words = (UINT64_C(1) << locals) * slices;
    find_open(to, locals, log2_of(slices), &seen, chains);
    if (chains->words > 1)
        find_closed(to, locals, &seen, chains);
    if (chains->count == 0)
        return CM_OK;
    return choose_groups(chains, channels, err);
}

void cm_chains_finish(struct cm_chains *chains)
{
    cm_list_finish(&chains->stages);
}
