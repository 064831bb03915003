/* The plain router, word by word and word time by word time. */
#include "slow_router.h"

#include <stdlib.h>
#include <string.h>

#define NOBODY (-1)

/* One packet: where its words are follows from how many have crossed each channel of its path. */
struct state {
    bool first_leg;
    uint32_t via;
    int hops;
    int from_port[SLOW_HOPS_MAX + 1]; /* of the node that hop begins at */
    int node[SLOW_HOPS_MAX +
             1]; /* node that hop begins at; node[hops] is where the header is going */
    int out[SLOW_HOPS_MAX + 1];
    uint32_t crossed[SLOW_HOPS_MAX + 1];
    bool let_go[SLOW_HOPS_MAX + 1]; /* the channel of the hop is free again */
    bool source_free;
    bool terminal;      /* the last hop ends at the destination */
    uint64_t head_came; /* word time from which its first word is at node[hops] */
    bool queued;        /* its header is in the port's queue there */
};

struct port {
    int queue[SLOW_PACKETS_MAX]; /* packets, first to last */
    int length;
    bool leaving;
    bool asks;
    uint64_t since;
    /* Word times that it has waited for each out, by why it could not have it. */
    uint64_t waited[SLOW_OUTS_MAX][SLOW_DIMENSIONS_MAX + 2];
};

struct out {
    int holder;        /* packet that has the channel */
    uint32_t reserved; /* words of the buffer behind it that are promised or taken */
    int turn;
    uint64_t idle_since;
};

struct network {
    const struct cm_router_options *options;
    struct slow_packet *packets;
    struct state *states;
    struct slow_outcome *outcome;
    uint32_t count;
    int nodes, dimensions, outs;
    uint64_t now;
    bool active; /* something happened in this word time, or is sure to happen */
    struct port ports[SLOW_NODES_MAX][SLOW_OUTS_MAX + 1];
    struct out channels[SLOW_NODES_MAX][SLOW_OUTS_MAX];
};

static uint64_t splitmix(uint64_t x)
{
    uint64_t z = x + 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

static int across(const struct network *net, int node, int out)
{
    return node ^ (1 << (out % net->dimensions));
}

static bool wormhole(const struct network *net)
{
    return net->options->switching == CM_SWITCHING_WORMHOLE;
}

static bool has_failed(const struct network *net, int node, int out)
{
    for (uint32_t f = 0; f < net->options->failure_count; f++) {
        const struct cm_router_failure *failure = &net->options->failures[f];
        if ((int)failure->node == node && (int)failure->dimension == out % net->dimensions &&
            (int)failure->channel == out / net->dimensions)
            return true;
    }
    return false;
}

static int ecube_of(const struct network *net, int node, int target)
{
    for (int d = 0; d < net->dimensions; d++) {
        int candidate = net->options->descending ? net->dimensions - 1 - d : d;
        if ((node ^ target) >> candidate & 1)
            return candidate;
    }
    return NOBODY;
}

/* Whether e-cube gets from a node to another over one channel of each wire, or over any. */
static bool ecube_gets(const struct network *net, int node, int target, int channel)
{
    int d = ecube_of(net, node, target);
    bool open = false;
    if (d == NOBODY)
        return true;
    for (int c = 0; c < (int)net->options->channels; c++)
        open = open || ((channel == NOBODY || channel == c) &&
                        !has_failed(net, node, c * net->dimensions + d));
    return open && ecube_gets(net, node ^ 1 << d, target, channel);
}

/* Whether adaptive routing has this out, failed or not. */
static bool adaptive_has(const struct network *net, int node, int target, int out)
{
    int d = out % net->dimensions;
    return out / net->dimensions == 0 ? (node ^ target) >> d & 1 : d == ecube_of(net, node, target);
}

static bool adaptive_gets(const struct network *net, int node, int target)
{
    for (int out = 0; node != target && out < net->outs; out++) {
        if (adaptive_has(net, node, target, out) && !has_failed(net, node, out) &&
            adaptive_gets(net, across(net, node, out), target))
            return true;
    }
    return node == target;
}

/* Whether an out leads to a node from which the escape gets to the target. */
static bool is_safe(const struct network *net, int node, int target, int out)
{
    return adaptive_has(net, node, target, out) && !has_failed(net, node, out) &&
           ecube_gets(net, across(net, node, out), target, (int)net->options->channels - 1);
}

static bool adaptive_takes(const struct network *net, int node, int target, int out)
{
    for (int other = 0; other < net->outs; other++) {
        if (is_safe(net, node, target, other))
            return is_safe(net, node, target, out);
    }
    return adaptive_has(net, node, target, out) && !has_failed(net, node, out) &&
           adaptive_gets(net, across(net, node, out), target);
}

/* Whether packet i may leave `node` by `out`. */
static bool may_take(const struct network *net, uint32_t i, int node, int out)
{
    const struct state *s = &net->states[i];
    int dimension = out % net->dimensions, channel = out / net->dimensions;
    int target = (int)(s->first_leg ? s->via : net->packets[i].order.destination);
    int ecube = ecube_of(net, node, target);
    if (has_failed(net, node, out))
        return false;
    switch (net->options->routing) {
    case CM_ROUTING_ECUBE:
        return dimension == ecube;
    case CM_ROUTING_VALIANT:
        return dimension == ecube &&
               (net->options->channels == 1 || channel == (s->first_leg ? 0 : 1));
    default:
        return adaptive_takes(net, node, target, out);
    }
}

static bool valiant_gets(const struct network *net, const struct cm_router_packet *order, int via)
{
    return ecube_gets(net, (int)order->source, via, 0) &&
           ecube_gets(net, via, (int)order->destination, (int)net->options->channels - 1);
}

/* Whether the failed channels leave a packet no way. `s` has its random node. */
static bool is_cut_off(const struct network *net, const struct cm_router_packet *order,
                       const struct state *s)
{
    int from = (int)order->source, to = (int)order->destination;
    switch (net->options->routing) {
    case CM_ROUTING_ECUBE:
        return !ecube_gets(net, from, to, NOBODY);
    case CM_ROUTING_VALIANT:
        return from != to && !valiant_gets(net, order, (int)s->via);
    default:
        return !adaptive_gets(net, from, to);
    }
}

static bool ends_behind(const struct network *net, uint32_t i, int node, int out)
{
    const struct state *s = &net->states[i];
    int next = across(net, node, out);
    return next == (int)net->packets[i].order.destination && (!s->first_leg || next == (int)s->via);
}

/* What has become free since the word time before. */
static void let_go(struct network *net)
{
    uint32_t words = net->options->words;
    for (uint32_t i = 0; i < net->count; i++) {
        struct state *s = &net->states[i];
        for (int k = 0; k < s->hops; k++) {
            bool last = k + 1 == s->hops;
            struct out *out = &net->channels[s->node[k]][s->out[k]];
            bool crossed = s->crossed[k] == words;
            if (crossed && k == 0 && !s->source_free) {
                s->source_free = true;
                net->ports[s->node[0]][net->outs].leaving = false;
            }
            if (crossed && out->holder == (int)i && out->idle_since == UINT64_MAX)
                out->idle_since = net->now;
            bool gone = crossed;
            if (wormhole(net) && !last)
                gone = s->crossed[k + 1] == words;
            else if (wormhole(net) && !s->terminal)
                gone = false;
            if (!gone || s->let_go[k])
                continue;
            s->let_go[k] = true;
            out->holder = NOBODY;
            if (wormhole(net)) {
                net->ports[across(net, s->node[k], s->out[k])][s->out[k]].leaving = false;
            } else if (k > 0) {
                net->ports[s->node[k]][s->from_port[k]].leaving = false;
                net->channels[s->node[k - 1]][s->out[k - 1]].reserved -= words;
            }
        }
        if (s->terminal && !net->packets[i].delivered && s->crossed[s->hops - 1] == words) {
            net->packets[i].delivered = true;
            net->packets[i].arrived = net->now;
            net->packets[i].hops = (uint32_t)s->hops;
        }
    }
}

static void append(struct port *port, uint32_t i)
{
    port->queue[port->length++] = (int)i;
}

/* Headers that are routed, and packets that are sent, join their queues. */
static void join_queues(struct network *net)
{
    for (uint32_t i = 0; i < net->count; i++) {
        struct state *s = &net->states[i];
        const struct cm_router_packet *order = &net->packets[i].order;
        if (s->queued || s->terminal || net->packets[i].delivered || net->packets[i].lost)
            continue;
        if (s->hops == 0) {
            if (order->created > net->now) {
                net->active = true;
                continue;
            }
            if (order->source == order->destination) {
                net->packets[i].delivered = true;
                net->packets[i].arrived = order->created;
                continue;
            }
            if (is_cut_off(net, order, s)) {
                net->packets[i].lost = true;
                continue;
            }
            s->node[0] = (int)order->source;
            append(&net->ports[order->source][net->outs], i);
            s->queued = true;
            continue;
        }
        uint64_t came = s->head_came;
        if (net->options->switching == CM_SWITCHING_STORE_AND_FORWARD)
            came += net->options->words - 1;
        if (net->now < came + net->options->header_words) {
            net->active = true;
            continue;
        }
        if (s->first_leg && s->node[s->hops] == (int)s->via)
            s->first_leg = false;
        append(&net->ports[s->node[s->hops]][s->out[s->hops - 1]], i);
        s->queued = true;
    }
}

static bool asks_for(const struct network *net, int node, int p, int out)
{
    const struct port *port = &net->ports[node][p];
    return port->asks && may_take(net, (uint32_t)port->queue[0], node, out);
}

static void ask(struct network *net)
{
    for (int node = 0; node < net->nodes; node++) {
        for (int p = 0; p <= net->outs; p++) {
            struct port *port = &net->ports[node][p];
            if (port->asks || port->leaving || port->length == 0)
                continue;
            port->asks = true;
            port->since = net->now;
            memset(port->waited, 0, sizeof port->waited);
        }
        for (int out = 0; out < net->outs; out++) {
            uint32_t queue = 0;
            for (int p = 0; p <= net->outs; p++)
                queue += asks_for(net, node, p, out);
            if (queue > net->outcome->channels[node][out].longest_queue)
                net->outcome->channels[node][out].longest_queue = queue;
        }
    }
}

static void grant(struct network *net, int node, int p, int o)
{
    struct port *port = &net->ports[node][p];
    struct out *out = &net->channels[node][o];
    struct slow_channel *use = &net->outcome->channels[node][o];
    uint32_t i = (uint32_t)port->queue[0];
    struct state *s = &net->states[i];
    uint64_t wait = net->now - port->since;
    use->packets++;
    use->blocked += wait;
    for (int k = 0; k <= net->dimensions; k++)
        use->blocked_by[k == net->dimensions ? SLOW_DIMENSIONS_MAX : k] += port->waited[o][k];
    use->blocked_room += port->waited[o][net->dimensions + 1];
    if (wait > use->longest_wait)
        use->longest_wait = wait;
    s->terminal = ends_behind(net, i, node, o);
    s->from_port[s->hops] = p;
    s->node[s->hops] = node;
    s->out[s->hops] = o;
    s->crossed[s->hops] = 0;
    s->let_go[s->hops] = false;
    s->hops++;
    s->node[s->hops] = across(net, node, o);
    s->head_came = net->now + 1;
    s->queued = false;
    out->holder = (int)i;
    out->turn = p;
    out->idle_since = UINT64_MAX;
    if (!wormhole(net) && !s->terminal)
        out->reserved += net->options->words;
    port->length--;
    memmove(port->queue, port->queue + 1, (size_t)port->length * sizeof port->queue[0]);
    port->asks = false;
    port->leaving = true;
    net->active = true;
}

static void arbitrate(struct network *net)
{
    for (int node = 0; node < net->nodes; node++) {
        for (int o = 0; o < net->outs; o++) {
            struct out *out = &net->channels[node][o];
            bool room =
                wormhole(net) || out->reserved + net->options->words <= net->options->buffer_words;
            int best = NOBODY;
            for (int step = 1; out->holder == NOBODY && step <= net->outs + 1; step++) {
                int p = (out->turn + step) % (net->outs + 1);
                if (!asks_for(net, node, p, o))
                    continue;
                uint32_t i = (uint32_t)net->ports[node][p].queue[0];
                if (!room && !ends_behind(net, i, node, o))
                    continue;
                if (best == NOBODY || net->ports[node][p].since < net->ports[node][best].since)
                    best = p;
            }
            if (best != NOBODY)
                grant(net, node, best, o);
        }
    }
}

/* Those that wait from this word time to the next, wait for what is in the way now. */
static void wait(struct network *net)
{
    for (int node = 0; node < net->nodes; node++) {
        for (int o = 0; o < net->outs; o++) {
            const struct out *out = &net->channels[node][o];
            int why = net->dimensions + 1;
            if (out->idle_since == UINT64_MAX)
                why = out->turn == net->outs ? net->dimensions : out->turn % net->dimensions;
            for (int p = 0; p <= net->outs; p++)
                net->ports[node][p].waited[o][why] += asks_for(net, node, p, o);
        }
    }
}

/* Whether the worm that has hop k will leave it, though its header goes no further: the later
 * buffers hold all of it. */
static bool will_let_go(const struct network *net, const struct state *s, int k)
{
    return s->terminal ||
           (uint64_t)(s->hops - 1 - k) * net->options->buffer_words >= net->options->words;
}

/* Whether port p of the node may yet get out o, if those marked hopeless never move. */
static bool has_hope(const struct network *net, int node, int p, int o,
                     bool hopeless[SLOW_NODES_MAX][SLOW_OUTS_MAX + 1])
{
    const struct out *out = &net->channels[node][o];
    uint32_t i = (uint32_t)net->ports[node][p].queue[0];
    int next = across(net, node, o);
    if (!wormhole(net)) {
        const struct port *behind = &net->ports[next][o];
        return ends_behind(net, i, node, o) ||
               out->reserved + net->options->words <= net->options->buffer_words ||
               behind->leaving || behind->length == 0 || !hopeless[next][o];
    }
    if (out->holder == NOBODY)
        return true;
    const struct state *s = &net->states[out->holder];
    for (int k = 0; k < s->hops; k++) {
        if (s->node[k] == node && s->out[k] == o && !s->let_go[k] && will_let_go(net, s, k))
            return true;
    }
    return !s->queued || !hopeless[s->node[s->hops]][s->out[s->hops - 1]];
}

/* Whether some packets will never move again: all that wait, less those that have hope, until none
 * has. */
static bool some_are_stuck(const struct network *net)
{
    bool hopeless[SLOW_NODES_MAX][SLOW_OUTS_MAX + 1];
    bool changed = true, any = false;
    for (int node = 0; node < net->nodes; node++) {
        for (int p = 0; p <= net->outs; p++)
            hopeless[node][p] = net->ports[node][p].asks;
    }
    while (changed) {
        changed = any = false;
        for (int node = 0; node < net->nodes; node++) {
            for (int p = 0; p <= net->outs; p++) {
                for (int o = 0; hopeless[node][p] && o < net->outs; o++) {
                    if (!asks_for(net, node, p, o) || !has_hope(net, node, p, o, hopeless))
                        continue;
                    hopeless[node][p] = false;
                    changed = true;
                }
                any = any || hopeless[node][p];
            }
        }
    }
    return any;
}

/* Each channel carries the next word of its packet, if that is there and has room. */
static void move_words(struct network *net)
{
    for (uint32_t i = 0; i < net->count; i++) {
        struct state *s = &net->states[i];
        uint32_t before[SLOW_HOPS_MAX + 1];
        memcpy(before, s->crossed, sizeof before);
        for (int k = 0; k < s->hops; k++) {
            bool last = k + 1 == s->hops;
            bool there = k == 0 || before[k - 1] > before[k];
            uint32_t taken = last ? 0 : before[k + 1];
            bool room = (last && s->terminal) || before[k] - taken < net->options->buffer_words;
            if (before[k] == net->options->words || !there || !room)
                continue;
            s->crossed[k]++;
            net->active = true;
        }
    }
}

static bool all_delivered(const struct network *net)
{
    for (uint32_t i = 0; i < net->count; i++) {
        if (!net->packets[i].delivered && !net->packets[i].lost)
            return false;
    }
    return true;
}

static void begin(struct network *net)
{
    for (uint32_t i = 0; i < net->count; i++) {
        struct state *s = &net->states[i];
        net->packets[i].delivered = net->packets[i].lost = false;
        if (net->options->routing != CM_ROUTING_VALIANT)
            continue;
        uint32_t drawn =
            (uint32_t)(splitmix(splitmix(net->options->seed) ^ i) % (uint64_t)net->nodes);
        s->via = drawn;
        for (int other = 1;
             other < net->nodes && !valiant_gets(net, &net->packets[i].order, (int)s->via); other++)
            s->via = drawn ^ (uint32_t)other;
        s->first_leg = s->via != net->packets[i].order.source;
    }
    for (int node = 0; node < net->nodes; node++) {
        for (int o = 0; o < net->outs; o++)
            net->channels[node][o].holder = NOBODY;
    }
}

void slow_router_run(const struct cm_router_options *options, struct slow_packet *packets,
                     uint32_t count, struct slow_outcome *outcome)
{
    struct network *net = calloc(1, sizeof *net);
    struct state *states = calloc(SLOW_PACKETS_MAX, sizeof *states);
    if (net == NULL || states == NULL)
        abort();
    memset(outcome, 0, sizeof *outcome);
    net->options = options;
    net->packets = packets;
    net->states = states;
    net->outcome = outcome;
    net->count = count;
    net->nodes = 1 << options->dimensions;
    net->dimensions = (int)options->dimensions;
    net->outs = (int)(options->dimensions * options->channels);
    begin(net);
    for (net->now = 0;; net->now++) {
        net->active = false;
        if (options->limit != 0 && net->now > options->limit)
            break;
        let_go(net);
        join_queues(net);
        if (all_delivered(net))
            break;
        ask(net);
        arbitrate(net);
        if (some_are_stuck(net)) {
            outcome->stuck = true;
            break;
        }
        wait(net);
        move_words(net);
        if (!net->active)
            abort(); /* then some are stuck */
    }
    outcome->ended = net->now;
    free(states);
    free(net);
}
