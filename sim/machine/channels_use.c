/*
 * Computes the words carried by each channel, node by node, from the number of exchanges in each
 * state of the automaton (channels.h). So it needs no memory for each channel.
 */
#include "channels_private.h"

#include <string.h>

/* Returns the number of exchanges in a state during a period of the run. */
static uint64_t exchanges_of(const struct cm_channels_state *state, enum cm_channels_period period)
{
    switch (period) {
    case CM_CHANNELS_LATE:
        return state->exchanges - state->marked;
    case CM_CHANNELS_EARLY:
        return state->marked;
    default:
        return state->exchanges;
    }
}

/* Computes the slots of transposer A that are loaded in a state, for `count` nodes from `first`
 * on. */
static void pending_in(const struct cm_channels *channels, uint32_t state, uint32_t first,
                       uint32_t count, uint64_t *pending)
{
    for (uint32_t i = 0; i < count; i++)
        pending[i] = channels->carried ? channels->carried[first + i] : 0;
    for (; state != CM_CHANNELS_ROOT; state = channels->states[state].parent) {
        const struct cm_channels_key *key = &channels->keys[channels->states[state].key];
        for (uint32_t i = 0; i < count; i++)
            pending[i] |= UINT64_C(1) << (key->slots ? key->slots[first + i] : key->field);
    }
}

/* Writes the words of exchanges that were already added to the channels, and that no state counts
 * any more. */
static void spread_words(const struct cm_channels *channels, uint32_t first, uint32_t count,
                         enum cm_channels_period period, uint64_t (*words)[CM_CHANNELS_SLOTS])
{
    for (size_t slot = 0; channels->channel_words && slot < channels->slots; slot++)
        for (uint32_t i = 0; i < count; i++) {
            size_t at = slot * channels->nodes + first + i;
            uint64_t all = channels->channel_words[at];
            uint64_t late = channels->marked_words ? channels->marked_words[at] : 0;
            words[i][slot] = period == CM_CHANNELS_WHOLE  ? all
                             : period == CM_CHANNELS_LATE ? late
                                                          : all - late;
        }
}

void cm_channels_words_of(const struct cm_channels *channels, uint32_t first, uint32_t count,
                          enum cm_channels_period period, uint64_t (*words)[CM_CHANNELS_SLOTS])
{
    uint64_t pending[CM_CHANNELS_BLOCK];
    memset(words, 0, count * sizeof *words);
    spread_words(channels, first, count, period, words);
    for (uint32_t s = 0; s < channels->state_count; s++) {
        uint64_t exchanges = exchanges_of(&channels->states[s], period);
        if (exchanges == 0 || channels->states[s].slot_mask == 0)
            continue;
        pending_in(channels, s, first, count, pending);
        for (uint32_t i = 0; i < count; i++)
            for (uint64_t left = pending[i]; left; left &= left - 1)
                words[i][__builtin_ctzll(left)] += exchanges;
    }
}

void cm_channels_mark(struct cm_channels *channels)
{
    channels->marking = true;
    for (uint32_t s = 0; s < channels->state_count; s++)
        channels->states[s].marked = channels->states[s].exchanges;
    for (size_t slot = 0; channels->marked_words && slot < channels->slots; slot++)
        memset(channels->marked_words + slot * channels->nodes + channels->first, 0,
               (channels->last - channels->first) * sizeof *channels->marked_words);
}
