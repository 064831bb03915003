/*
 * Search for the critical path, backwards in time.
 *
 * The search follows one packet back hop by hop. Where the packet waited, the search goes on with
 * the blocking packet: the packet that had the channel, filled the buffer, or was ahead in the
 * queue. The search ends when it reaches the creation of a packet.
 */
#include "why.h"

#include <string.h>

#define HOPS_MAX 64u /* largest number of hops of a packet, as in the reader */

void cm_why_finish(struct cm_why *why)
{
    cm_list_finish(&why->links);
}

/* State of the backward search. The links found so far explain all time from `cycle` on. `packet`
 * is the packet that must explain the time before `cycle`. Links are found from the last to the
 * first. */
struct walk {
    const struct cm_trace *trace;
    const struct cm_trace_info *info;
    struct cm_why *why;
    /* current packet, cycle that the search has reached, and cycle at which it ends */
    uint64_t packet, cycle, first;
    /* packet that waited for the current packet, and the cycle at which its wait began */
    uint64_t waiter, waited_from;
    uint32_t step;
    struct cm_trace_hop hops[HOPS_MAX];
    uint32_t count;
};

static void load(struct walk *walk, uint64_t packet)
{
    uint64_t count = cm_trace_hops_of_packet(walk->trace, packet, walk->hops, HOPS_MAX);
    walk->packet = packet;
    walk->count = count < HOPS_MAX ? (uint32_t)count : HOPS_MAX;
}

static void push(struct walk *walk, enum cm_why_kind kind, uint64_t first, uint32_t channel)
{
    first = first < walk->first ? walk->first : first;
    if (first >= walk->cycle)
        return;
    cm_list_push(&walk->why->links, (struct cm_why_link){.kind = kind,
                                                         .first_cycle = first,
                                                         .end_cycle = walk->cycle,
                                                         .step = walk->step,
                                                         .packet = walk->packet,
                                                         .channel = channel,
                                                         .waiter = walk->waiter,
                                                         .waited_from = walk->waited_from});
    walk->cycle = first;
    walk->waiter = UINT64_MAX;
    walk->waited_from = 0;
}

static uint32_t far_end(const struct cm_trace_info *info, uint32_t channel)
{
    uint32_t pair = channel / info->channels;
    return pair / info->dimensions ^ UINT32_C(1) << pair % info->dimensions;
}

/* Returns true if a packet came into a node over `channel`. The packet and the node are those of
 * `hop`, which leaves the node. CM_TRACE_NONE stands for a packet that was created in the node. */
static bool came_over(const struct walk *walk, const struct cm_trace_hop *hop, uint32_t channel)
{
    struct cm_trace_hop hops[HOPS_MAX];
    uint64_t count = cm_trace_hops_of_packet(walk->trace, hop->packet, hops, HOPS_MAX);
    uint32_t before = CM_TRACE_NONE;
    for (uint64_t i = 0; i < count && i < HOPS_MAX && hops[i].first_cycle < hop->first_cycle; i++)
        before = hops[i].channel;
    return before == channel;
}

/* Finds a packet that left a node at the search's cycle and made room for the packet behind it.
 * Considers only packets that came into the node over the channel `over`, or that were created in
 * the node if `over` is CM_TRACE_NONE. */
static bool find_leaving(const struct walk *walk, uint32_t node, uint32_t over,
                         struct cm_trace_hop *found)
{
    uint32_t each = walk->info->dimensions * walk->info->channels;
    for (uint32_t i = node * each; i < (node + 1) * each; i++)
        if (cm_trace_hop_ending(walk->trace, i, walk->cycle, found) &&
            found->packet != walk->packet && came_over(walk, found, over))
            return true;
    return false;
}

/* Returns the index of the packet's last hop that begins before the search's cycle, or `count` if
 * no hop does. */
static uint32_t last_hop(const struct walk *walk)
{
    uint32_t i = walk->count;
    while (i > 0 && walk->hops[i - 1].first_cycle >= walk->cycle)
        i--;
    return i > 0 ? i - 1 : walk->count;
}

/* Continues the search with the packet that blocked the current one. */
static void blame(struct walk *walk, uint64_t packet, uint64_t waited_from)
{
    walk->waiter = walk->packet;
    walk->waited_from = waited_from;
    load(walk, packet);
}

/* Returns the cycle at which the packet could have asked for hop `i`: its creation for the first
 * hop, otherwise the end of its routing after the previous hop. The trace has the times without
 * waiting only as a sum over all hops, so they are divided evenly. */
static uint64_t ready_for(const struct walk *walk, uint32_t i)
{
    const struct cm_trace_packet *packet = cm_trace_packet_at(walk->trace, walk->packet);
    uint64_t word = walk->info->word_cycles, hops = packet->hops;
    if (i == 0)
        return packet->created_cycle;
    /* the packet never arrives, so its times are not known */
    if (hops < 2 || packet->header_cycles < word)
        return walk->hops[i - 1].first_cycle;
    uint64_t body = (packet->words - 1) * word, each = (packet->header_cycles - word) / (hops - 1);
    /* true for store and forward, where a packet is routed after its last word has arrived */
    bool whole = packet->body_cycles > body;
    return walk->hops[i - 1].first_cycle + each + (whole ? body : 0);
}

/* Finds the packet that blocked the current packet before hop `i`, until the search's cycle. At
 * this cycle the current packet got the hop's channel, or asked for it. Returns false if no packet
 * blocked. */
static bool find_fault(struct walk *walk, uint32_t i)
{
    const struct cm_trace_hop hop = walk->hops[i];
    struct cm_trace_hop other;
    if (hop.asked_cycle < hop.first_cycle) {
        bool found = cm_trace_hop_ending(walk->trace, hop.channel, walk->cycle, &other) ||
                     find_leaving(walk, far_end(walk->info, hop.channel), hop.channel, &other);
        uint64_t packet = found ? other.packet : hop.blocked_by;
        if (packet != UINT64_MAX && packet != walk->packet) {
            blame(walk, packet, hop.asked_cycle);
            return true;
        }
    }
    /* A packet that queues behind another packet asks for the channel when that packet has left. */
    uint32_t node = hop.channel / walk->info->channels / walk->info->dimensions;
    uint32_t over = i > 0 ? walk->hops[i - 1].channel : CM_TRACE_NONE;
    if (hop.asked_cycle != walk->cycle || !find_leaving(walk, node, over, &other))
        return false;
    uint64_t since = ready_for(walk, i);
    /* no wait: the packet came into the node in this very cycle */
    if (since >= walk->cycle)
        return false;
    blame(walk, other.packet, since);
    return true;
}

/* Returns the index of the hop that explains the time before the search's cycle. It is the hop that
 * ends then and has no gaps between its words. If there is no such hop, it is the last hop that has
 * begun, because in wormhole routing the words of a packet follow its header. */
static uint32_t hop_at_fault(const struct walk *walk)
{
    const struct cm_trace_packet *packet = cm_trace_packet_at(walk->trace, walk->packet);
    uint64_t whole = (uint64_t)packet->words * walk->info->word_cycles;
    for (uint32_t i = 0; i < walk->count; i++)
        if (walk->hops[i].end_cycle == walk->cycle &&
            walk->hops[i].end_cycle - walk->hops[i].first_cycle <= whole)
            return i;
    return last_hop(walk);
}

/* Adds links until the backward search reaches its first cycle. It begins at a cycle at which a
 * packet arrives or leaves a channel. */
static void walk_back(struct walk *walk)
{
    uint32_t i = hop_at_fault(walk);
    while (i < walk->count && walk->cycle > walk->first && !walk->why->links.failed) {
        push(walk, CM_WHY_CROSSES, walk->hops[i].first_cycle, walk->hops[i].channel);
        if (find_fault(walk, i))
            i = hop_at_fault(walk);
        else
            i = last_hop(walk);
    }
    bool lost = walk->count == 0 && cm_trace_packet_at(walk->trace, walk->packet)->hops > 0;
    if (lost)
        walk->packet = UINT64_MAX;
    push(walk, lost ? CM_WHY_ROUTER : CM_WHY_SENDING, walk->first, CM_TRACE_NONE);
}

static void reverse(struct cm_why *why, uint32_t from)
{
    struct cm_why_link *links = why->links.items;
    for (uint32_t i = from, j = why->links.count; i + 1 < j; i++) {
        struct cm_why_link other = links[i];
        links[i] = links[--j];
        links[j] = other;
    }
}

static struct walk begin(const struct cm_trace *trace, struct cm_why *why, uint64_t first,
                         uint64_t end, uint32_t step)
{
    return (struct walk){.trace = trace,
                         .info = cm_trace_information(trace),
                         .why = why,
                         .packet = UINT64_MAX,
                         .cycle = end,
                         .first = first,
                         .waiter = UINT64_MAX,
                         .step = step};
}

/* Finds the run of the router that covers a cycle. Returns false if the router does not run
 * then. */
static bool find_run(const struct cm_trace *trace, uint64_t cycle, struct cm_trace_event *event)
{
    struct cm_trace_cursor cursor = cm_trace_seek(trace, cycle);
    return cm_trace_next(&cursor, event) && event->phase == CM_TRACE_ROUTER &&
           event->first_cycle <= cycle;
}

bool cm_why_packet(const struct cm_trace *trace, uint64_t packet, uint64_t cycle,
                   struct cm_why *why)
{
    const struct cm_trace_packet *subject = cm_trace_packet_at(trace, packet);
    struct cm_trace_event run;
    memset(why, 0, sizeof *why);
    if (subject == NULL || !find_run(trace, subject->created_cycle, &run))
        return true;
    struct walk walk = begin(trace, why, run.first_cycle, subject->arrived_cycle, run.step);
    load(&walk, packet);
    for (uint32_t i = 0; i < walk.count; i++) {
        const struct cm_trace_hop *hop = &walk.hops[i];
        if (cycle < hop->asked_cycle || cycle >= hop->first_cycle)
            continue;
        walk.cycle = hop->first_cycle;
        find_fault(&walk, i);
        break;
    }
    if (walk.cycle == UINT64_MAX)
        return true;
    walk_back(&walk);
    reverse(why, 0);
    return !why->links.failed;
}

/* Returns the number of the first packet created at or after a cycle. Packets are numbered in order
 * of creation. */
static uint64_t first_created(const struct cm_trace *trace, uint64_t cycle)
{
    uint64_t low = 0, high = cm_trace_information(trace)->packets;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (cm_trace_packet_at(trace, middle)->created_cycle < cycle)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint64_t cm_why_last_packet(const struct cm_trace *trace, const struct cm_trace_event *run)
{
    uint64_t end = first_created(trace, run->end_cycle), found = UINT64_MAX, last = 0;
    for (uint64_t i = first_created(trace, run->first_cycle); i < end; i++) {
        uint64_t arrived = cm_trace_packet_at(trace, i)->arrived_cycle;
        if (arrived > run->end_cycle || arrived <= last)
            continue;
        last = arrived;
        found = i;
    }
    return found;
}

/* Adds the links of a router run. The time after the last packet's arrival belongs to no packet. */
static void add_router(const struct cm_trace *trace, const struct cm_trace_event *run,
                       struct cm_why *why)
{
    struct walk walk = begin(trace, why, run->first_cycle, run->end_cycle, run->step);
    uint32_t from = why->links.count;
    uint64_t packet = cm_why_last_packet(trace, run);
    const struct cm_trace_packet *last = cm_trace_packet_at(trace, packet);
    push(&walk, CM_WHY_ROUTER, last != NULL ? last->arrived_cycle : run->first_cycle,
         CM_TRACE_NONE);
    if (last != NULL) {
        load(&walk, packet);
        walk_back(&walk);
    }
    reverse(why, from);
}

static void add_steps(struct cm_why *why, uint64_t first, uint64_t end, uint32_t step)
{
    if (first < end)
        cm_list_push(&why->links, (struct cm_why_link){.kind = CM_WHY_STEP,
                                                       .first_cycle = first,
                                                       .end_cycle = end,
                                                       .step = step,
                                                       .packet = UINT64_MAX,
                                                       .channel = CM_TRACE_NONE,
                                                       .waiter = UINT64_MAX});
}

/* Adds the links of the cycles [first, end), which belong to one step: its instructions and its
 * runs of the router. */
static void add_stretch(const struct cm_trace *trace, uint64_t first, uint64_t end, uint32_t step,
                        struct cm_why *why)
{
    struct cm_trace_cursor cursor = cm_trace_seek(trace, first);
    struct cm_trace_event event;
    uint64_t at = first, router[CM_TRACE_PHASE_COUNT];
    cm_trace_by_phase(trace, first, end, router);
    while (router[CM_TRACE_ROUTER] > 0 && cm_trace_next(&cursor, &event) &&
           event.first_cycle < end && !why->links.failed) {
        if (event.phase != CM_TRACE_ROUTER)
            continue;
        event.step = step;
        event.end_cycle = event.end_cycle < end ? event.end_cycle : end;
        add_steps(why, at, event.first_cycle, step);
        add_router(trace, &event, why);
        at = event.end_cycle;
    }
    add_steps(why, at, end, step);
}

bool cm_why_run(const struct cm_trace *trace, struct cm_why *why)
{
    const struct cm_trace_info *info = cm_trace_information(trace);
    uint64_t at = 0;
    memset(why, 0, sizeof *why);
    for (uint32_t i = 0; i < info->steps && !why->links.failed; i++) {
        const struct cm_trace_step *step = cm_trace_step_at(trace, i);
        uint64_t first = step->first_cycle > at ? step->first_cycle : at;
        uint64_t end = step->end_cycle < info->cycles ? step->end_cycle : info->cycles;
        if (end <= first)
            continue;
        add_stretch(trace, at, first, CM_TRACE_NONE, why);
        add_stretch(trace, first, end, i, why);
        at = end;
    }
    if (at < info->cycles)
        add_stretch(trace, at, info->cycles, CM_TRACE_NONE, why);
    return !why->links.failed && !cm_trace_failed(trace);
}

/* Returns the phase of the instruction for which an instruction of `phase` waits.
 * CM_TRACE_PHASE_COUNT stands for any phase: the instruction waits for the previous one. */
static enum cm_trace_phase needs(enum cm_trace_phase phase)
{
    return phase == CM_TRACE_UNLOAD     ? CM_TRACE_EXCHANGE
           : phase == CM_TRACE_EXCHANGE ? CM_TRACE_LOAD
                                        : CM_TRACE_PHASE_COUNT;
}

bool cm_why_instruction(const struct cm_trace *trace, uint64_t cycle, uint32_t most,
                        struct cm_why *why)
{
    struct cm_trace_cursor cursor = cm_trace_seek(trace, cycle);
    struct cm_trace_event event, at;
    memset(why, 0, sizeof *why);
    bool more = cm_trace_next(&cursor, &at);
    cm_trace_previous(&cursor, &event);
    while (more && why->links.count < most && !why->links.failed) {
        uint64_t end = at.end_cycle;
        enum cm_trace_phase wanted = needs(at.phase);
        /* The sequencer executes instructions in order, so a link reaches back to the end of the
         * instruction for which this one waits. */
        while ((more = cm_trace_previous(&cursor, &event)) && event.imp == at.imp &&
               wanted != CM_TRACE_PHASE_COUNT && event.phase != wanted)
            at.first_cycle = event.first_cycle;
        add_steps(why, more ? event.end_cycle : at.first_cycle, end, at.step);
        if (!more || at.phase == CM_TRACE_START)
            break;
        at = event;
    }
    reverse(why, 0);
    return !why->links.failed;
}

bool cm_why_longest_wait(const struct cm_trace *trace, uint64_t cycle, uint32_t channel,
                         struct cm_trace_hop *hop)
{
    uint64_t count = cm_trace_hops(trace, cycle, cycle + 1, NULL, 0);
    struct cm_trace_hop *hops = malloc((size_t)(count + 1) * sizeof *hops);
    bool found = false;
    count = hops != NULL ? cm_trace_hops(trace, cycle, cycle + 1, hops, count) : 0;
    for (uint64_t i = 0; i < count; i++) {
        const struct cm_trace_hop *at = &hops[i];
        if (at->first_cycle <= cycle || (channel != CM_TRACE_NONE && at->channel != channel) ||
            (found && at->first_cycle - at->asked_cycle <= hop->first_cycle - hop->asked_cycle))
            continue;
        *hop = *at;
        found = true;
    }
    free(hops);
    return found;
}
