/* All-to-all communication, played. */
#include "alltoall_oracle.h"

#include <stdlib.h>
#include <string.h>

/* What the nodes hold by arrival, and the channels that this exchange has used. */
struct state {
    struct oracle_alltoall *play;
    uint32_t blocks;
    uint32_t *held, *next; /* node, block, word */
    bool *busy;            /* node, dimension, channel */
    bool open;             /* an exchange has begun */
    uint32_t crossed;      /* cube dimension over which the last word went */
};

static size_t index_of(const struct state *s, uint32_t node, uint64_t block, uint64_t word)
{
    return ((size_t)node * s->blocks + block) * s->play->words + word;
}

static void end_exchange(struct state *s)
{
    if (!s->open)
        return;
    memset(s->busy, 0, (size_t)s->play->nodes * s->play->dimensions * 2 * sizeof *s->busy);
    s->play->exchanges++;
    s->open = false;
}

/* A node sends a word over a channel; `next` has it until all have sent. */
static void send_from(struct state *s, uint32_t node, uint32_t dimension, uint32_t channel,
                      uint64_t from, uint64_t word)
{
    struct oracle_alltoall *play = s->play;
    const uint32_t cube = play->first + dimension;
    bool *busy = &s->busy[((size_t)node * play->dimensions + dimension) * 2 + channel];
    play->collided = play->collided || *busy;
    *busy = s->open = true;
    play->carried[((size_t)node * play->machine_dimensions + cube) * 2 + channel]++;
    s->next[node ^ 1u << cube] = s->held[index_of(s, node, from, word)];
}

static void take(struct state *s, uint64_t to, uint64_t word)
{
    const uint32_t root = s->play->root << s->play->first;
    for (uint32_t node = 0; node < s->play->nodes; node++)
        if (s->play->schedule != ORACLE_HALVES || ((node ^ root) >> s->crossed & 1))
            s->held[index_of(s, node, to, word)] = s->next[node];
}

/* Every node sends a word over one channel, and keeps what comes. */
static void send(struct state *s, uint32_t dimension, uint32_t channel, uint64_t from, uint64_t to,
                 uint64_t word)
{
    for (uint32_t node = 0; node < s->play->nodes; node++)
        send_from(s, node, dimension, channel, from, word);
    s->crossed = s->play->first + dimension;
    take(s, to, word);
}

/* What came in the step before goes on along the path of its part. */
static void play_paths(struct state *s, uint64_t slice)
{
    const struct oracle_alltoall *play = s->play;
    for (uint32_t t = 1; t < s->blocks; t++) {
        for (uint32_t part = 0; part < play->parts; part++)
            for (uint32_t channel = 0; channel < play->channels; channel++) {
                const uint64_t word = (slice * play->parts + part) * play->channels + channel;
                for (uint32_t node = 0; word < play->words && node < play->nodes; node++) {
                    const uint32_t address = node >> play->first & (s->blocks - 1);
                    const uint32_t dimension = play->came[part * s->blocks + address];
                    send_from(s, node ^ 1u << (play->first + dimension), dimension, channel, t - 1,
                              word);
                }
                if (word < play->words)
                    take(s, t, word);
            }
        end_exchange(s);
    }
}

/* Every block to every node in equal packets, which cross dimension after dimension from the
 * lowest. */
static void play_packets(struct state *s)
{
    struct oracle_alltoall *play = s->play;
    uint64_t packets = 1;
    while (packets * play->buffer_words < play->words)
        packets++;
    const uint64_t words = (play->words + packets - 1) / packets * packets;
    uint32_t *start = malloc((size_t)play->nodes * s->blocks * play->words * sizeof *start);
    const size_t all = (size_t)play->nodes * s->blocks * play->words;
    for (size_t i = 0; start && i < all; i++)
        start[i] = s->held[i];
    for (uint32_t node = 0; start && node < play->nodes; node++)
        for (uint32_t r = 0; r < s->blocks; r++) {
            uint32_t at = node;
            for (uint32_t k = 0; k < play->dimensions; k++)
                if (r >> k & 1) {
                    const uint32_t cube = play->first + k;
                    play->carried[((size_t)at * play->machine_dimensions + cube) * 2] += words;
                    at ^= 1u << cube;
                }
            const uint32_t block = play->personalised ? r : 0;
            for (uint64_t w = 0; w < play->words; w++)
                s->held[index_of(s, at, r, w)] = start[index_of(s, node, block, w)];
        }
    play->collided = start == NULL;
    free(start);
}

/* A slice of a block: its words by part, part 0 over `stage`. */
static void send_slice(struct state *s, uint64_t slice, uint32_t stage, uint64_t from, uint64_t to)
{
    const uint32_t d = s->play->dimensions, channels = s->play->channels;
    for (uint32_t part = 0; part < d; part++)
        for (uint32_t channel = 0; channel < channels; channel++) {
            const uint64_t word = (slice * d + part) * channels + channel;
            if (word < s->play->words)
                send(s, (stage + part) % d, channel, from, to, word);
        }
    end_exchange(s);
}

static void play_gray(struct state *s, uint64_t slice)
{
    uint32_t code = 0;
    for (uint32_t t = 1; t < s->blocks; t++) {
        const uint32_t next = t ^ t / 2, changed = code ^ next;
        uint32_t stage = 0;
        while (changed >> stage != 1)
            stage++;
        send_slice(s, slice, stage, t - 1, t);
        code = next;
    }
}

static void play_rotated(struct state *s, uint64_t slice)
{
    for (uint32_t k = 0; k < s->play->dimensions; k++)
        for (uint32_t block = 0; block < s->blocks; block++) {
            if (s->play->personalised && (block >> k & 1))
                send_slice(s, slice, k, block, block);
            if (!s->play->personalised && block < 1u << k)
                send_slice(s, slice, k, block, block + (1u << k));
        }
}

/* Neighbouring words fill the channels of the one dimension; a run ends with its blocks. */
static void play_one_dimension(struct state *s)
{
    const bool personalised = s->play->personalised;
    for (uint32_t k = 0; k < s->play->dimensions; k++)
        for (uint32_t block = 0, channel = 0; block < s->blocks; block++) {
            if (personalised ? !(block >> k & 1) : block >= 1u << k)
                continue;
            for (uint64_t word = 0; word < s->play->words; word++) {
                send(s, k, channel++, block, personalised ? block : block + (1u << k), word);
                if (channel == s->play->channels)
                    end_exchange(s), channel = 0;
            }
            const bool run_ends = ((block + 1) & ((1u << k) - 1)) == 0;
            if (run_ends)
                end_exchange(s), channel = 0;
        }
}

/* Half of what is left goes over each dimension, the highest first; who differs from the root there
 * keeps it. */
static void play_halves(struct state *s, uint64_t slice)
{
    for (uint32_t k = s->play->dimensions; k-- > 0;)
        for (uint32_t block = 1u << k; block < 2u << k; block++)
            send_slice(s, slice, k, block, block - (1u << k));
}

/* Bits of a number, moved up by `part` around the group's dimensions. */
static uint32_t turn(uint32_t number, uint32_t part, uint32_t d)
{
    uint32_t turned = 0;
    for (uint32_t b = 0; b < d; b++)
        if (number >> b & 1)
            turned |= 1u << (b + part) % d;
    return turned;
}

/* The first blocks: a node's own, or by arrival the block for each position's node. */
static void begin(struct state *s)
{
    const struct oracle_alltoall *play = s->play;
    const uint32_t d = play->dimensions;
    for (uint32_t node = 0; node < play->nodes; node++)
        for (uint32_t block = 0; block < (play->personalised ? s->blocks : 1); block++)
            for (uint64_t word = 0; word < play->words; word++) {
                uint32_t from = block;
                const uint32_t part = (uint32_t)(word / play->channels % (d > 0 ? d : 1));
                const bool turns =
                    play->schedule == ORACLE_ROTATED || play->schedule == ORACLE_HALVES;
                if (play->personalised && play->by_source)
                    from =
                        turn(block, turns ? part : 0, d) ^ (node >> play->first & (s->blocks - 1));
                s->held[index_of(s, node, block, word)] =
                    play->src[((size_t)node * (play->personalised ? s->blocks : 1) + from) *
                                  play->words +
                              word];
            }
}

/* Tree 0 spans the odd numbers, each of which sets a higher bit than its parent has, and gives each
 * but the first a child that is even; tree j is the same with the dimensions moved up by j. */
struct walk {
    uint32_t d, tree;
    oracle_visit visit;
    void *context;
};

static void walk_from(const struct walk *walk, uint32_t odd, uint32_t level)
{
    const uint32_t parent = turn(odd, walk->tree, walk->d);
    if (odd != 1)
        walk->visit(walk->context, parent, walk->tree, level + 1);
    for (uint32_t k = walk->d - 1; k > 0 && odd >> k == 0; k--) {
        walk->visit(walk->context, parent, (k + walk->tree) % walk->d, level + 1);
        walk_from(walk, odd | 1u << k, level + 1);
    }
}

void oracle_tree_walk(uint32_t d, uint32_t tree, oracle_visit visit, void *context)
{
    const struct walk walk = {d, tree, visit, context};
    visit(context, 0, tree, 1);
    walk_from(&walk, 1, 1);
}

/* What a tree's edges do in a play of all chunks. */
struct growth {
    struct oracle_alltoall *play;
    bool *used;     /* by node and dimension: an edge of some tree */
    uint32_t *came; /* by node: in how many trees */
    uint64_t chunks;
};

static void grow(void *context, uint32_t parent, uint32_t dimension, uint32_t level)
{
    struct growth *growth = context;
    struct oracle_alltoall *play = growth->play;
    bool *used = &growth->used[(size_t)parent * play->dimensions + dimension];
    play->collided = play->collided || *used;
    *used = true;
    growth->came[parent ^ 1u << dimension]++;
    if (growth->chunks - 1 + level > play->exchanges)
        play->exchanges = growth->chunks - 1 + level;
}

/* Chunk after chunk down all trees. The machine's nodes send over all channels in every exchange,
 * also what nobody waits for. */
static bool play_trees(struct oracle_alltoall *play)
{
    const uint32_t d = play->dimensions, n = 1u << d;
    struct growth growth = {.play = play,
                            .used = calloc((size_t)n * d + 1, sizeof *growth.used),
                            .came = calloc(n, sizeof *growth.came),
                            .chunks = 1};
    const bool ok = growth.used && growth.came;
    while (d > 0 && growth.chunks * d * play->channels < play->words)
        growth.chunks++;
    for (uint32_t tree = 0; ok && tree < d; tree++)
        oracle_tree_walk(d, tree, grow, &growth);
    for (uint32_t c = 1; ok && c < n; c++)
        play->collided = play->collided || growth.came[c] != d;
    for (size_t node = 0; node < play->nodes; node++)
        for (uint32_t k = 0; k < d * play->channels; k++)
            play->carried[(node * play->machine_dimensions + play->first + k % d) * 2 + k / d] =
                play->exchanges;
    free(growth.used);
    free(growth.came);
    return ok;
}

/* One block a node: the root's, or the one that the root has for it. */
static void finish_one(struct state *s)
{
    struct oracle_alltoall *play = s->play;
    const uint32_t mask = s->blocks - 1;
    for (uint32_t node = 0; node < play->nodes; node++) {
        const size_t root = (node & ~(mask << play->first)) | play->root << play->first;
        const size_t own =
            play->personalised ? root * s->blocks + (node >> play->first & mask) : root;
        const uint32_t *from = &play->src[own * play->words];
        if (play->personalised && !play->by_source)
            from = &s->held[index_of(s, node, 0, 0)];
        memcpy(&play->dst[node * play->words], from, play->words * sizeof *from);
    }
}

/* By source, the result is what the task says, whatever the schedule did. */
static void finish(struct state *s)
{
    struct oracle_alltoall *play = s->play;
    const uint32_t mask = s->blocks - 1;
    const size_t all = (size_t)play->nodes * s->blocks * play->words;
    if (play->schedule == ORACLE_TREES || play->schedule == ORACLE_HALVES) {
        finish_one(s);
        return;
    }
    if (!play->by_source) {
        memcpy(play->dst, s->held, all * sizeof *play->dst);
        return;
    }
    for (uint32_t node = 0; node < play->nodes; node++)
        for (uint32_t block = 0; block < s->blocks; block++) {
            const uint32_t sender = (node & ~(mask << play->first)) | block << play->first;
            const size_t own = play->personalised
                                   ? (size_t)sender * s->blocks + (node >> play->first & mask)
                                   : sender;
            memcpy(&play->dst[index_of(s, node, block, 0)], &play->src[own * play->words],
                   play->words * sizeof *play->dst);
        }
}

bool oracle_alltoall_play(struct oracle_alltoall *play)
{
    struct state s = {.play = play, .blocks = 1u << play->dimensions};
    const bool paths = play->schedule == ORACLE_PATHS;
    const uint64_t slice_words =
        (uint64_t)(paths ? play->parts : play->dimensions) * play->channels;
    s.held = calloc((size_t)play->nodes * s.blocks * play->words, sizeof *s.held);
    s.next = calloc(play->nodes, sizeof *s.next);
    s.busy = calloc((size_t)play->nodes * play->dimensions * 2 + 1, sizeof *s.busy);
    bool ok = s.held && s.next && s.busy;
    if (ok)
        begin(&s);
    if (ok && play->schedule == ORACLE_TREES)
        ok = play_trees(play);
    if (ok && play->schedule == ORACLE_ONE_DIMENSION)
        play_one_dimension(&s);
    if (ok && play->schedule == ORACLE_PACKETS)
        play_packets(&s);
    for (uint64_t slice = 0; ok && play->dimensions > 0 && slice * slice_words < play->words;
         slice++) {
        if (play->schedule == ORACLE_GRAY)
            play_gray(&s, slice);
        if (play->schedule == ORACLE_ROTATED)
            play_rotated(&s, slice);
        if (play->schedule == ORACLE_HALVES)
            play_halves(&s, slice);
        if (paths)
            play_paths(&s, slice);
    }
    if (ok)
        finish(&s);
    free(s.held);
    free(s.next);
    free(s.busy);
    return ok;
}
