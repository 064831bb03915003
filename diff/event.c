/* Finds the first difference of two traces: compares them event by event, then packet by packet. */
#include "diff.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Pair of instructions, or of exchange patterns, one of each trace, that is known to be equal. A
 * hash table holds such pairs. A new pair replaces an old one in the same entry. */
#define KNOWN_PAIRS 4096u
struct pair {
    uint32_t imp[2], pc[2];
    bool known;
};

struct walk {
    const struct cm_trace *traces[2];
    const struct cm_trace_info *infos[2];
    bool same_cube; /* true if both traces have the same nodes, dimensions and channels */
    struct pair instructions[KNOWN_PAIRS], patterns[KNOWN_PAIRS];
    struct cm_diff_first *first;
    /* words of one exchange by channel index. NULL: not both traces recorded words */
    uint32_t *words[2];
    bool *sent[2];
};

static struct pair *find_pair(struct pair *pairs, const struct pair *pair)
{
    uint32_t mixed = pair->imp[0] * 31u + pair->pc[0] * 7u + pair->imp[1] * 17u + pair->pc[1];
    return &pairs[mixed % KNOWN_PAIRS];
}

static bool is_known(const struct pair *entry, const struct pair *pair)
{
    return entry->known && entry->imp[0] == pair->imp[0] && entry->imp[1] == pair->imp[1] &&
           entry->pc[0] == pair->pc[0] && entry->pc[1] == pair->pc[1];
}

void cm_diff_instruction(const struct cm_trace *trace, const struct cm_trace_event *event,
                         char *text, size_t size)
{
    text[0] = '\0';
    if (event->imp != CM_TRACE_NONE && event->pc != CM_TRACE_NONE)
        cm_trace_instruction(trace, event->imp, event->pc, text, size);
}

static bool same_instruction(struct walk *walk, const struct cm_trace_event events[2])
{
    struct pair pair = {{events[0].imp, events[1].imp}, {events[0].pc, events[1].pc}, true};
    struct pair *entry = find_pair(walk->instructions, &pair);
    char texts[2][CM_DIFF_INSTRUCTION_BYTES];
    if (is_known(entry, &pair))
        return true;
    for (int s = 0; s < 2; s++)
        cm_diff_instruction(walk->traces[s], &events[s], texts[s], sizeof texts[s]);
    if (strcmp(texts[0], texts[1]) != 0)
        return false;
    *entry = pair;
    return true;
}

/* Returns the first node in which two events use different slots. Returns CM_TRACE_NONE if there is
 * no such node, or if the traces have different cubes. */
static uint32_t other_slots(struct walk *walk, const struct cm_trace_event events[2])
{
    struct pair pair = {{events[0].pattern, events[1].pattern}, {0}, true};
    struct pair *entry = find_pair(walk->patterns, &pair);
    if (is_known(entry, &pair) || !walk->same_cube)
        return CM_TRACE_NONE;
    for (uint32_t node = 0; node < walk->infos[0]->nodes; node++) {
        uint64_t slots[2];
        for (int s = 0; s < 2; s++)
            slots[s] = events[s].pattern == CM_TRACE_NONE
                           ? 0
                           : cm_trace_pattern_slots(walk->traces[s], events[s].pattern, node);
        if (slots[0] != slots[1])
            return node;
    }
    *entry = pair;
    return CM_TRACE_NONE;
}

static const char *where_of(const struct cm_trace *trace, uint32_t step)
{
    return step == CM_TRACE_NONE ? "" : cm_trace_step_at(trace, step)->where;
}

/* Returns a description of the first property in which two events differ. NULL: the events are
 * equal. */
static const char *compare_events(struct walk *walk, const struct cm_trace_event e[2])
{
    struct cm_diff_first *first = walk->first;
    if (e[0].first_cycle != e[1].first_cycle)
        return "when it begins";
    if (strcmp(where_of(walk->traces[0], e[0].step), where_of(walk->traces[1], e[1].step)) != 0)
        return "the step";
    if (e[0].phase != e[1].phase)
        return "the phase";
    if (!same_instruction(walk, e))
        return "the instruction";
    if (e[0].address != e[1].address)
        return "the address";
    if (e[0].other != e[1].other)
        return "the second address";
    first->node = other_slots(walk, e);
    if (first->node != CM_TRACE_NONE)
        return "the slots that are used";
    if (e[0].page_faults != e[1].page_faults)
        return "the page faults";
    return e[0].end_cycle != e[1].end_cycle ? "how long it takes" : NULL;
}

/* Compares the words of an exchange, if both traces recorded them. Returns a description of the
 * difference, or NULL if the words are equal or not recorded. */
static const char *compare_wires(struct walk *walk, const struct cm_trace_event *exchange)
{
    const struct cm_trace_info *info = walk->infos[0];
    uint64_t count = (uint64_t)info->nodes * info->dimensions * info->channels;
    for (int s = 0; s < 2; s++)
        if (walk->words[s] == NULL || exchange->phase != CM_TRACE_EXCHANGE ||
            exchange->first_cycle < walk->infos[s]->detail_first ||
            exchange->first_cycle >= walk->infos[s]->detail_end ||
            !cm_trace_wires(walk->traces[s], exchange->first_cycle, walk->words[s], walk->sent[s]))
            return NULL;
    for (uint64_t i = 0; i < count; i++) {
        if (walk->sent[0][i] == walk->sent[1][i] &&
            (!walk->sent[0][i] || walk->words[0][i] == walk->words[1][i]))
            continue;
        walk->first->node = (uint32_t)(i / info->channels / info->dimensions);
        return "the word on a channel";
    }
    return NULL;
}

static void walk_events(struct walk *walk)
{
    struct cm_diff_first *first = walk->first;
    struct cm_trace_cursor cursors[2];
    for (int s = 0; s < 2; s++)
        cursors[s] = cm_trace_seek_event(walk->traces[s], 0);
    for (;;) {
        struct cm_trace_event events[2];
        const char *what = NULL;
        for (int s = 0; s < 2; s++)
            first->present[s] = cm_trace_next(&cursors[s], &events[s]);
        if (!first->present[0] && !first->present[1])
            return;
        if (!first->present[0] || !first->present[1])
            what = "one trace ends";
        else
            what = compare_events(walk, events);
        if (what == NULL)
            what = compare_wires(walk, &events[0]);
        if (what == NULL)
            continue;
        memcpy(first->events, events, sizeof events);
        first->what = what;
        int s = !first->present[0] ||
                (first->present[1] && events[1].first_cycle < events[0].first_cycle);
        first->cycle = events[s].first_cycle;
        return;
    }
}

/* ---- packets with the same number, and packets that only one trace has ---- */

static bool same_packet(const struct cm_trace_packet *a, const struct cm_trace_packet *b)
{
    return a->source == b->source && a->destination == b->destination && a->words == b->words &&
           a->hops == b->hops && a->created_cycle == b->created_cycle &&
           a->arrived_cycle == b->arrived_cycle && a->queueing_cycles == b->queueing_cycles &&
           a->header_cycles == b->header_cycles;
}

/* Returns true if the first difference is between two runs of the router. A difference between
 * their packets can explain it. */
static bool is_of_router(const struct cm_diff_first *first)
{
    return !first->is_packet && first->present[0] && first->present[1] &&
           first->events[0].phase == CM_TRACE_ROUTER && first->events[1].phase == CM_TRACE_ROUTER;
}

/* Records a difference between packets as the first difference, if it is earlier than the one known
 * so far, or if it explains that one. */
static void note_packet(struct walk *walk, uint64_t number, uint64_t cycle, uint32_t node,
                        const char *what)
{
    struct cm_diff_first *first = walk->first;
    bool explains = first->what != NULL && is_of_router(first) &&
                    cycle <= first->events[0].end_cycle && cycle <= first->events[1].end_cycle;
    if (first->what != NULL && first->cycle <= cycle && !explains)
        return;
    *first = (struct cm_diff_first){
        .what = what, .cycle = cycle, .node = node, .packet = number, .is_packet = true};
}

/* Finds the first hop in which the paths of a packet differ in the two traces. Compares only the
 * first 64 hops. */
static void compare_ways(struct walk *walk, uint64_t number)
{
    struct cm_trace_hop hops[2][64];
    uint64_t counts[2];
    uint32_t per_node = walk->infos[0]->channels * walk->infos[0]->dimensions;
    for (int s = 0; s < 2; s++)
        counts[s] = cm_trace_hops_of_packet(walk->traces[s], number, hops[s], 64);
    for (uint64_t i = 0; i < counts[0] && i < counts[1] && i < 64; i++) {
        const struct cm_trace_hop *a = &hops[0][i], *b = &hops[1][i];
        if (a->channel == b->channel && a->first_cycle == b->first_cycle &&
            a->end_cycle == b->end_cycle)
            continue;
        uint64_t cycle = a->first_cycle < b->first_cycle ? a->first_cycle : b->first_cycle;
        note_packet(walk, number, cycle, a->channel / per_node,
                    a->channel != b->channel ? "the channel that a packet takes"
                                             : "when a packet gets a channel");
        return;
    }
}

static void walk_packets(struct walk *walk)
{
    uint64_t counts[2] = {walk->infos[0]->packets, walk->infos[1]->packets};
    for (uint64_t i = 0; i < counts[0] || i < counts[1]; i++) {
        const struct cm_trace_packet *packets[2] = {NULL, NULL};
        for (int s = 0; s < 2; s++)
            if (i < counts[s])
                packets[s] = cm_trace_packet_at(walk->traces[s], i);
        const struct cm_trace_packet *one = packets[0] != NULL ? packets[0] : packets[1];
        if (packets[0] != NULL && packets[1] != NULL) {
            if (packets[0]->source == packets[1]->source &&
                packets[0]->destination == packets[1]->destination)
                compare_ways(walk, i);
            if (same_packet(packets[0], packets[1]))
                continue;
            if (packets[1]->created_cycle < one->created_cycle)
                one = packets[1];
        }
        note_packet(walk, i, one->created_cycle, one->source, "a packet of the router");
    }
}

static uint32_t step_then(const struct cm_trace *trace, uint64_t cycle)
{
    struct cm_trace_cursor cursor = cm_trace_seek(trace, cycle);
    struct cm_trace_event event;
    return cm_trace_next(&cursor, &event) ? event.step : CM_TRACE_NONE;
}

static void allocate_wires(struct walk *walk)
{
    const struct cm_trace_info *info = walk->infos[0];
    uint64_t count = (uint64_t)info->nodes * info->dimensions * info->channels;
    for (int s = 0; s < 2; s++)
        if (!walk->same_cube || walk->infos[s]->detail_end <= walk->infos[s]->detail_first)
            return;
    for (int s = 0; s < 2; s++) {
        walk->words[s] = calloc(count + 1, sizeof *walk->words[s]);
        walk->sent[s] = calloc(count + 1, sizeof *walk->sent[s]);
    }
}

static bool wires_are_there(const struct walk *walk)
{
    bool any = walk->words[0] != NULL || walk->words[1] != NULL || walk->sent[0] != NULL ||
               walk->sent[1] != NULL;
    return !any || (walk->words[0] != NULL && walk->words[1] != NULL && walk->sent[0] != NULL &&
                    walk->sent[1] != NULL);
}

enum cm_status cm_diff_find_first(const struct cm_trace *const traces[2],
                                  struct cm_diff_first *first, struct cm_error *err)
{
    struct walk *walk = calloc(1, sizeof *walk);
    *first = (struct cm_diff_first){.node = CM_TRACE_NONE};
    if (walk == NULL)
        return cm_error_no_memory(err);
    walk->first = first;
    for (int s = 0; s < 2; s++) {
        walk->traces[s] = traces[s];
        walk->infos[s] = cm_trace_information(traces[s]);
    }
    walk->same_cube = walk->infos[0]->nodes == walk->infos[1]->nodes &&
                      walk->infos[0]->dimensions == walk->infos[1]->dimensions &&
                      walk->infos[0]->channels == walk->infos[1]->channels;
    allocate_wires(walk);
    bool ready = wires_are_there(walk);
    if (ready) {
        walk_events(walk);
        walk_packets(walk);
        for (int s = 0; s < 2; s++) {
            uint32_t step = first->is_packet    ? step_then(traces[s], first->cycle)
                            : first->present[s] ? first->events[s].step
                                                : CM_TRACE_NONE;
            first->where[s] = first->what != NULL ? where_of(traces[s], step) : "";
        }
    }
    for (int s = 0; s < 2; s++) {
        free(walk->words[s]);
        free(walk->sent[s]);
    }
    free(walk);
    return ready ? CM_OK : cm_error_no_memory(err);
}
