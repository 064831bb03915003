/* Playing plans of reshapes by hand. */
#include "reshape_play.h"

#include "reshape_check.h"

#include "../../programs/reshape/reshape_crossings.h"

#include <stdlib.h>
#include <string.h>

#define NOTHING UINT32_MAX

struct play {
    const struct cm_reshape_plan *plan;
    uint32_t nodes, locals, buffers;
    uint32_t *held;    /* at [node * locals + local element]: the number of the element */
    uint32_t *buffer;  /* at [node * buffers + buffer] */
    uint32_t *arrived; /* likewise, of both, after a step */
    bool *busy;        /* at [node * 64 + dimension] */
    const char *wrong;
};

static bool parity(uint64_t bits)
{
    return __builtin_parityll(bits) != 0;
}

static uint32_t *place_in(const struct play *play, uint32_t *held, uint32_t *buffer, uint32_t node,
                          uint32_t place, uint64_t element)
{
    if (place == CM_RESHAPE_ARRAY)
        return &held[(size_t)node * play->locals + element];
    return &buffer[(size_t)node * play->buffers + place];
}

/* Whether a node takes part in a stream beside what its parity says. */
static bool takes_part(const struct cm_reshape_stream *stream, uint32_t node)
{
    for (uint32_t i = 0; i < CM_RESHAPE_CONDITIONS; i++)
        if (parity(node & stream->when[i].nodes) != stream->when[i].value)
            return false;
    return true;
}

static void send(struct play *play, const struct cm_reshape_stream *stream, uint64_t element)
{
    uint32_t *held_after = play->arrived;
    uint32_t *buffer_after = play->arrived + (size_t)play->nodes * play->locals;
    for (uint32_t node = 0; node < play->nodes; node++) {
        uint32_t to =
            stream->dimension == CM_RESHAPE_WITHIN ? node : node ^ UINT32_C(1) << stream->dimension;
        if (parity(node & stream->nodes) != stream->sender || !takes_part(stream, node))
            continue;
        if (parity(to & stream->nodes) != stream->receiver || !takes_part(stream, to))
            play->wrong = "an element is sent to a node that does not take it";
        uint32_t value = *place_in(play, play->held, play->buffer, node, stream->source, element);
        if (stream->dimension ==
            CM_RESHAPE_WITHIN) { /* after the exchange: of what is there then */
            value = *place_in(play, held_after, buffer_after, node, stream->source, element);
        } else {
            if (play->busy[(size_t)node * 64 + stream->dimension])
                play->wrong = "a channel carries two elements in one step";
            play->busy[(size_t)node * 64 + stream->dimension] = true;
        }
        if (value == NOTHING)
            play->wrong = "an element is sent on before it has come";
        *place_in(play, held_after, buffer_after, to, stream->target, element) = value;
    }
}

/* All streams, of which the last must end in step `steps`. */
static void play_streams(struct play *play, const struct cm_reshape_stream *streams, uint32_t count,
                         uint64_t steps)
{
    size_t all = (size_t)play->nodes * play->locals;
    size_t some = (size_t)play->nodes * play->buffers;
    uint64_t last = 0;
    for (uint64_t t = 0; t < steps && !play->wrong; t++) {
        memset(play->busy, 0, (size_t)play->nodes * 64 * sizeof *play->busy);
        memcpy(play->arrived, play->held, all * sizeof *play->held);
        memcpy(play->arrived + all, play->buffer, some * sizeof *play->buffer);
        for (uint32_t i = 0; i < count; i++) {
            const struct cm_reshape_stream *stream = &streams[i];
            uint64_t since = t - stream->first_step;
            if (t < stream->first_step || since % stream->stride != 0 ||
                since / stream->stride >= stream->count)
                continue;
            send(play, stream, stream->first_element + since);
            last = t + 1;
        }
        memcpy(play->held, play->arrived, all * sizeof *play->held);
        memcpy(play->buffer, play->arrived + all, some * sizeof *play->buffer);
    }
    for (uint32_t i = 0; i < count; i++)
        if (streams[i].first_step + (streams[i].count - 1) * streams[i].stride >= steps)
            play->wrong = "a stream goes on after the last step";
    if (last != steps && steps > 0 && !play->wrong && count > 0)
        play->wrong = "nothing happens in the last step";
}

static void swap_held(struct play *play, uint32_t node, uint64_t a, uint32_t other, uint64_t b)
{
    uint32_t *x = &play->held[(size_t)node * play->locals + a];
    uint32_t *y = &play->held[(size_t)other * play->locals + b];
    uint32_t kept = *x;
    *x = *y;
    *y = kept;
}

static void play_local_exchanges(struct play *play, uint64_t memory)
{
    for (uint32_t i = 0; i < play->plan->local_count; i++) {
        const struct cm_reshape_exchange *exchange = &play->plan->exchanges[i];
        uint64_t bit = oracle_gather(UINT64_C(1) << exchange->dimension, memory);
        for (uint32_t node = 0; node < play->nodes; node++)
            for (uint64_t e = 0; e < play->locals; e++)
                if (!(e & bit) && control_value(&exchange->control, node, e))
                    swap_held(play, node, e, node, e | bit);
    }
}

static void play_bit_swap(struct play *play, const struct cm_reshape_swap *swap)
{
    uint64_t a = UINT64_C(1) << swap->first, b = UINT64_C(1) << swap->second;
    for (uint32_t node = 0; node < play->nodes; node++)
        for (uint64_t e = 0; e < play->locals; e++)
            if ((e & a) && !(e & b))
                swap_held(play, node, e, node, (e ^ a) | b);
}

/* One class of one group in one step: all nodes exchange it over the dimension, each from where it
 * has it. */
static void cross(struct play *play, const struct cm_reshape_round *round, uint32_t which,
                  uint32_t kind, uint64_t group)
{
    const struct cm_reshape_swap *swaps = play->plan->swaps + round->first_swap;
    uint32_t across = 0;
    for (uint32_t node = 0; node < play->nodes; node++) {
        uint64_t own = group, others = group;
        for (uint32_t i = 0; i < round->swap_count; i++) {
            const struct cm_reshape_swap *swap = &swaps[i];
            uint32_t cube = swap->first_is_local ? swap->second : swap->first;
            uint32_t local = swap->first_is_local ? swap->first : swap->second;
            bool bit = (node >> cube & 1) != (kind >> i & 1);
            own |= (uint64_t)bit << local;
            others |= (uint64_t)(bit != (i == which)) << local;
            if (i == which)
                across = cube;
        }
        if (!(node >> across & 1))
            swap_held(play, node, own, node | UINT32_C(1) << across, others);
    }
}

/* A class may not cross two dimensions at once, nor may two classes cross one. */
static void play_mixed(struct play *play, const struct cm_reshape_round *round)
{
    struct cm_reshape_crossings crossings;
    uint64_t bits = 0, groups = 0, used = 0;
    for (uint32_t i = 0; i < round->swap_count; i++) {
        const struct cm_reshape_swap *swap = &play->plan->swaps[round->first_swap + i];
        uint64_t cube = UINT64_C(1) << (swap->first_is_local ? swap->second : swap->first);
        if (used & cube)
            play->wrong = "two swaps of a round share a dimension";
        used |= cube;
        bits |= UINT64_C(1) << (swap->first_is_local ? swap->first : swap->second);
    }
    if (__builtin_popcountll(bits) != (int)round->swap_count)
        play->wrong = "two swaps of a round share a local bit";
    if (cm_reshape_crossings_make(round->swap_count, 1, &crossings, NULL) != CM_OK) {
        play->wrong = "no crossings";
        return;
    }
    for (uint64_t group = 0; group < play->locals; group++) {
        if (group & bits)
            continue;
        groups++;
        for (uint32_t t = 0; t < crossings.steps; t++)
            for (uint32_t i = 0; i < round->swap_count; i++) {
                uint32_t kind = crossings.classes[(size_t)t * round->swap_count + i];
                if (kind != CM_RESHAPE_IDLE)
                    cross(play, round, i, kind, group);
            }
    }
    if (groups * crossings.steps != round->steps)
        play->wrong = "a mixed round takes another number of steps";
    free(crossings.classes);
}

static void play_rounds(struct play *play)
{
    uint64_t steps = 0;
    for (uint32_t i = 0; i < play->plan->round_count && !play->wrong; i++) {
        const struct cm_reshape_round *round = &play->plan->rounds[i];
        steps += round->steps;
        if (round->kind == CM_RESHAPE_ROUND_MIXED)
            play_mixed(play, round);
        else if (round->kind == CM_RESHAPE_ROUND_CUBE)
            play_streams(play, play->plan->swap_streams + round->first_stream, round->stream_count,
                         round->steps);
        else
            play_bit_swap(play, &play->plan->swaps[round->first_swap]);
    }
    if (!play->wrong && steps != play->plan->swap_steps)
        play->wrong = "the rounds' steps do not add up";
}

/* Puts the elements where they lie, or counts those that lie elsewhere. */
static uint64_t visit(struct play *play, const struct play_lie *lie, bool put)
{
    uint64_t size = (uint64_t)play->nodes * play->locals, differ = 0;
    for (uint64_t e = 0; e < size; e++) {
        uint64_t address = oracle_address(&lie->shape, lie->code, lie->processors, e);
        uint64_t node = oracle_gather(address, lie->processors);
        uint64_t local = oracle_gather(address, (size - 1) & ~lie->processors);
        uint32_t *at = &play->held[(size_t)node * play->locals + local];
        differ += !put && *at != e;
        if (put)
            *at = (uint32_t)e;
    }
    return differ;
}

const char *play_plan(const struct cm_reshape_plan *plan, const struct play_lie *before,
                      const struct play_lie *after)
{
    struct play play = {.plan = plan,
                        .nodes = UINT32_C(1) << plan->from.node_bits,
                        .locals = UINT32_C(1) << (plan->from.dimensions - plan->from.node_bits),
                        .buffers = plan->buffer_count + plan->swap_buffer_count + 1};
    size_t all = (size_t)play.nodes * play.locals, some = (size_t)play.nodes * play.buffers;
    play.held = calloc(all, sizeof *play.held);
    play.buffer = malloc(some * sizeof *play.buffer);
    play.arrived = calloc(all + some, sizeof *play.arrived);
    play.busy = calloc((size_t)play.nodes * 64, sizeof *play.busy);
    if (play.held && play.buffer && play.arrived && play.busy) {
        for (size_t i = 0; i < some; i++)
            play.buffer[i] = NOTHING;
        visit(&play, before, true);
        play_local_exchanges(&play, (all - 1) & ~before->processors);
        play_streams(&play, plan->streams, plan->stream_count, plan->steps);
        if (!play.wrong)
            play_rounds(&play);
        if (!play.wrong && visit(&play, after, false) != 0)
            play.wrong = "an element is in a wrong place";
    } else {
        play.wrong = "out of memory";
    }
    free(play.held);
    free(play.buffer);
    free(play.arrived);
    free(play.busy);
    return play.wrong;
}
