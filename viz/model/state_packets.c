/* Functions that change the viewer's state about packets: the pinned packet, and the position on
 * its chain of blocking packets. */
#include "packets.h"

static const struct cm_view_run *run_of(const struct cm_view_model *model,
                                        const struct cm_view_state *state)
{
    return &model->runs[state->run];
}

static void pin_channel(struct cm_view_state *state, uint32_t channel)
{
    if (channel != CM_TRACE_NONE)
        state->pin = (struct cm_view_mark){CM_VIEW_MARK_CHANNEL, state->run, channel};
}

static uint32_t pinned_channel(const struct cm_view_state *state)
{
    return state->pin.kind == CM_VIEW_MARK_CHANNEL ? state->pin.index : CM_TRACE_NONE;
}

bool cm_view_pin_wait(const struct cm_view_model *model, struct cm_view_state *state)
{
    struct cm_trace_hop hop;
    if (!cm_why_longest_wait(run_of(model, state)->trace, state->cycle, CM_TRACE_NONE, &hop))
        return false;
    state->packet = hop.packet + 1;
    pin_channel(state, hop.channel);
    return true;
}

/* Pins the packet in flight with the next higher number, or the first one if the last is pinned.
 * Returns false if no packet is in flight. */
static bool pin_next(const struct cm_view_traffic *traffic, struct cm_view_state *state)
{
    const struct cm_view_message *next = NULL;
    for (uint32_t i = 0; i < traffic->messages.count; i++) {
        const struct cm_view_message *message = &traffic->messages.items[i];
        if (next == NULL || (next->packet < state->packet && message->packet >= state->packet))
            next = message;
    }
    if (next == NULL)
        return false;
    state->packet = next->packet + 1;
    pin_channel(state, next->waits ? next->wanted_channel : next->channel);
    return true;
}

bool cm_view_go_packet(const struct cm_view_model *model, struct cm_view_state *state,
                       uint64_t packet)
{
    struct cm_trace_hop hops[64], *longest = NULL;
    uint64_t count = cm_trace_hops_of_packet(run_of(model, state)->trace, packet, hops, 64);
    for (uint64_t i = 0; i < count && i < 64; i++)
        if (longest == NULL ||
            hops[i].first_cycle - hops[i].asked_cycle > longest->first_cycle - longest->asked_cycle)
            longest = &hops[i];
    if (longest == NULL)
        return false;
    state->packet = packet + 1;
    cm_view_go(model, state, longest->asked_cycle);
    pin_channel(state, longest->channel);
    return true;
}

/* Pins the packet that waited longest among those on the time axis, and moves the cursor to its
 * wait. Returns false if no packet waited. */
static bool pin_longest(const struct cm_view_model *model, struct cm_view_state *state)
{
    const uint64_t *packets;
    return cm_view_longest_waits(run_of(model, state), state->first, state->end, &packets) > 0 &&
           cm_view_go_packet(model, state, packets[0]);
}

bool cm_view_pin_packet(const struct cm_view_model *model, struct cm_view_state *state)
{
    const struct cm_view_traffic *traffic = cm_view_traffic(run_of(model, state), state->cycle);
    uint32_t channel = pinned_channel(state);
    struct cm_trace_hop hop;
    if (traffic == NULL)
        return false;
    if (state->packet != 0)
        return pin_next(traffic, state);
    if (channel != CM_TRACE_NONE &&
        cm_why_longest_wait(run_of(model, state)->trace, state->cycle, channel, &hop)) {
        state->packet = hop.packet + 1;
        return true;
    }
    for (uint32_t i = 0; i < traffic->messages.count && channel != CM_TRACE_NONE; i++)
        if (traffic->messages.items[i].channel == channel) {
            state->packet = traffic->messages.items[i].packet + 1;
            return true;
        }
    return cm_view_pin_wait(model, state) || pin_longest(model, state);
}

/* Returns the position before the first link of a new chain of blocking packets. */
static struct cm_view_walk begin(const struct cm_view_model *model,
                                 const struct cm_view_state *state)
{
    const struct cm_trace *trace = run_of(model, state)->trace;
    struct cm_view_walk walk = {.packet = state->packet, .cycle = state->cycle, .shown = 1};
    struct cm_trace_event event;
    struct cm_trace_hop hop;
    uint64_t last;
    bool now = cm_view_event(run_of(model, state), state->cycle, &event) &&
               event.first_cycle <= state->cycle && event.phase == CM_TRACE_ROUTER;
    if (!now)
        walk.packet = 0;
    else if (walk.packet == 0 && cm_why_longest_wait(trace, state->cycle, CM_TRACE_NONE, &hop))
        walk.packet = hop.packet + 1;
    else if (walk.packet == 0 && (last = cm_why_last_packet(trace, &event)) != UINT64_MAX)
        walk.packet = last + 1;
    if (walk.packet > 0) /* the chain ends when the packet arrives */
        walk.cycle = UINT64_MAX;
    return walk;
}

bool cm_view_walk_chain(const struct cm_view_model *model, struct cm_view_state *state,
                        int direction)
{
    struct cm_view_walk *walk = &state->walk;
    if (!walk->shown)
        *walk = begin(model, state);
    const struct cm_why *chain = cm_view_chain(run_of(model, state), walk->packet - 1, walk->cycle);
    uint32_t count = chain != NULL ? chain->links.count : 0;
    if (direction > 0 ? walk->link >= count : walk->link <= 1)
        return false;
    walk->link += direction > 0 ? 1u : UINT32_MAX;
    const struct cm_why_link *link = &chain->links.items[count - walk->link];
    cm_view_play(model, state, false);
    state->span = CM_VIEW_SPAN_NOW;
    cm_view_go(model, state, link->first_cycle);
    state->packet = link->packet + 1;
    pin_channel(state, link->channel);
    return true;
}

void cm_view_go_link(const struct cm_view_model *model, struct cm_view_state *state, uint32_t link)
{
    const struct cm_view_walk *walk = &state->walk;
    while (walk->shown && walk->link != link &&
           cm_view_walk_chain(model, state, walk->link < link ? 1 : -1)) {
    }
}
