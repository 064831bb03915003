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
    for (uint32_t node = 0; node < s->play->nodes; node++)
        s->held[index_of(s, node, to, word)] = s->next[node];
}

/* Every node sends a word over one channel, and keeps what comes. */
static void send(struct state *s, uint32_t dimension, uint32_t channel, uint64_t from, uint64_t to,
                 uint64_t word)
{
    for (uint32_t node = 0; node < s->play->nodes; node++)
        send_from(s, node, dimension, channel, from, word);
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
                const bool turns = play->schedule == ORACLE_ROTATED;
                if (play->personalised && play->by_source)
                    from =
                        turn(block, turns ? part : 0, d) ^ (node >> play->first & (s->blocks - 1));
                s->held[index_of(s, node, block, word)] =
                    play->src[((size_t)node * (play->personalised ? s->blocks : 1) + from) *
                                  play->words +
                              word];
            }
}

/* By source, the result is what the task says, whatever the schedule did. */
static void finish(struct state *s)
{
    struct oracle_alltoall *play = s->play;
    const uint32_t mask = s->blocks - 1;
    const size_t all = (size_t)play->nodes * s->blocks * play->words;
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
    const bool ok = s.held && s.next && s.busy;
    if (ok)
        begin(&s);
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
