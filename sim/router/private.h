/*
 * The router's structs, and the functions that its files offer each other. This header is not
 * installed.
 *
 * A node has input ports and outputs. Each channel that ends at a node has a port there, and the
 * last port is the node's own queue of sent packets. Each channel that begins at a node has an
 * output there. Ports and outputs are both numbered channel * dimensions + dimension within a
 * node. The ports and outputs of node n begin at index n << shift.
 */
#ifndef CM_SIM_ROUTER_PRIVATE_H
#define CM_SIM_ROUTER_PRIVATE_H

#include "../../base/processes.h"
#include "../host/pool.h"
#include "../machine/observer.h"
#include "router.h"
#include "wheel.h"

#include <stdatomic.h>

#define CM_ROUTER_NONE UINT32_MAX
/* 1 if several threads and processes may share the router. It is 0 in a browser page, which has one
 * thread and should be small: the linker then drops the code for several threads and processes. */
#ifdef __EMSCRIPTEN__
#define CM_ROUTER_SHARES 0
#else
#define CM_ROUTER_SHARES 1
#endif
/* Limits of the interval between two calls of traffic->stop: number of word times with events, and
 * this number multiplied by the number of nodes. The second limit is there because the host needs
 * long for a word time of many nodes. */
#define CM_ROUTER_STOP_INTERVAL 1024u
#define CM_ROUTER_STOP_WORK     16384u

/* Marks a function that only prefetches. GCC assumes that such a function has no effect and drops
 * its calls, unless the function is inlined first. */
#define CM_PREFETCH static inline __attribute__((always_inline)) void

/* Input port of a node. The first packet of the port's queue asks for outputs until one output is
 * granted. */
struct cm_port {
    uint64_t since; /* word time when the first packet began to ask */
    /* outputs that the first packet asks for, a bit each, or 0 if it does not ask */
    uint32_t asked;
    uint32_t first; /* first packet of the queue, or CM_ROUTER_NONE if the queue is empty */
    uint32_t last;
    bool ends;          /* true if the outputs in `asked` end at the first packet's destination */
    bool leaving;       /* true while a packet of the port is crossing a channel */
    uint8_t unused[10]; /* padding to 32 bytes, so that indexing is a shift */
};

/* Hold: period in which a packet held a channel, and the port from which the packet came. */
struct cm_hold {
    uint64_t begin, end; /* word times */
    uint32_t port;
};

/* Output of a node: a channel. It has 64 bytes, a cache line. */
struct cm_output {
    uint64_t waiting;    /* ports that ask for the channel, a bit each */
    uint64_t hold_begin; /* word time of the last grant */
    uint64_t idle_since; /* word time after the last word of the packet granted last */
    /* holds before the last one. They are kept while a port waits that began to wait before the
     * hold ended */
    struct cm_hold *holds;
    uint32_t hold_count, hold_capacity;
    uint32_t room; /* free words of the buffer at the far end of the channel */
    uint32_t packets;
    uint32_t holder_source; /* source of the packet granted last */
    uint32_t holder_destination;
    /* wormhole switching: packet that owns the channel while its release time is unknown */
    uint32_t owner;
    uint8_t turn;  /* local number of the port that was served last, for round robin */
    uint8_t queue; /* number of ports that ask for the channel */
    uint8_t longest_queue;
};

/* Longest wait for an output: source and destination of the packet that waited, and of the packet
 * that held the channel just before. */
struct cm_longest_wait {
    uint32_t waiter_source, waiter_destination;
    uint32_t holder_source, holder_destination;
};

/* Sets of a node's outputs, a bit each. */
struct cm_crossroads {
    uint32_t wanted; /* outputs that some port asks for */
    uint32_t busy;   /* outputs that are taken */
    uint32_t to_try; /* outputs to arbitrate in this word time. Not 0: the node is marked */
    uint32_t unused;
};

/* Packet in the network. It has 64 bytes, a cache line. */
struct cm_in_flight {
    _Alignas(64) uint64_t created;
    uint64_t serial;
    uint32_t source;
    uint32_t destination;
    uint32_t via; /* random intermediate node of Valiant routing */
    uint32_t payload;
    uint32_t next;  /* next packet in the port's queue, or in the list of free packets */
    uint32_t place; /* index of the port where its header is */
    /* outputs that the packet may take at the node where it arrives next, a bit each */
    uint32_t choices;
    bool ends; /* true if the outputs in `choices` end at the packet's destination */
    uint16_t hops;
    bool first_leg; /* true while the packet is on its way to `via` */
};

/* Channel that a worm occupies. */
struct cm_worm_hop {
    uint32_t output; /* index of the output */
    uint32_t known;  /* number of words whose crossing times are known */
    bool released;
};

/* Worm: a packet in the wormhole network, with the known crossing times of its words (worm.c). */
struct cm_worm {
    struct cm_worm_hop *hops;
    /* Word times in which words cross channels. Word w crosses hop h at times[h * (buffer_words +
     * 1) + w % (buffer_words + 1)]. NULL if a buffer holds a whole packet. */
    uint64_t *times;
    uint32_t count;
    bool terminal; /* true if the last hop ends at the destination */
    bool source_freed;
};

/* Hops that are collected for the observer, in arrays as in cm_observed_hops. */
struct cm_hop_list {
    uint64_t *packets, *asked;
    uint32_t *channels;
    uint32_t count, capacity;
};

/* Packet that was sent in this word time and has not yet joined the queue of its source. */
struct cm_posted {
    struct cm_router_packet from;
    uint64_t serial;
    uint32_t packet;
};

/* Mail: an event that one partition has for another partition. */
struct cm_mail {
    uint64_t time, event;
};

/* Outlook: what a partition reports after a word time, so that threads and processes agree on the
 * next word time. A partition has two outlooks, for even and odd word times, because other threads
 * may still read the previous one. */
struct cm_outlook {
    uint64_t next;     /* word time of the next event, or UINT64_MAX without one */
    uint32_t events;   /* number of events handled in this word time */
    uint32_t suspects; /* number of suspects: ports whose packets may be stuck for ever */
    bool failed;
};

/*
 * Partition of the router: adjacent nodes, with all events at them. A partition is what one thread
 * works on at a time (share.c). Until the load justifies several threads, one partition has all
 * nodes.
 */
struct cm_partition {
    _Alignas(64) uint64_t now;
    struct cm_wheel wheel;
    uint32_t first;   /* first node */
    uint64_t *marks;  /* nodes with outputs to arbitrate in this word time, a bit each */
    uint64_t *marked; /* words of `marks` that are not 0, a bit for each word */
    uint32_t marked_words;
    uint32_t *listed; /* marked nodes in order, made by cm_router_arbitrate */
    uint32_t listed_count;
    /* word times that packets waited, one row for each channel for which a packet has waited
     * (blocked.c) */
    CM_LIST(uint64_t) blocked;
    /* ports whose packets may be stuck for ever, or NULL if deadlock is impossible */
    uint32_t *suspects;
    uint32_t suspect_count;
    CM_LIST(uint32_t) free; /* packets delivered in this partition, for reuse */
    CM_LIST(struct cm_posted) posted;
    /* Reports of this word time. They are for the observer and, while several threads share the
     * router, for the traffic source. */
    struct cm_hop_list collected_hops;
    CM_LIST(struct cm_observed_hop_end) hop_ends;
    CM_LIST(struct cm_router_delivery) arrivals;
    CM_LIST(struct cm_mail) * mail; /* [partition]: events for other partitions */
    uint64_t mail_next;             /* word time of the first event in `mail` */
    /* number of events handled in this word time, while threads share the router */
    uint32_t events;
    struct cm_outlook outlook[2];
    uint64_t gone;      /* number of packets that were granted their last channel */
    uint64_t delivered; /* number of packets that have arrived or will arrive within the limit */
    uint64_t hops;
    uint64_t word_times; /* word time until the last packet arrived */
    uint32_t path_max;
    uint32_t congestion;
    bool failed; /* true if memory ran out */
    atomic_uint claimed;
};

struct cm_router {
    struct cm_router_options options;
    uint32_t nodes;
    uint32_t output_count; /* number of outputs of a node */
    uint32_t room_needed;  /* free buffer words that a packet needs to cross a channel */
    uint32_t shift;        /* log2 of the number of indices for the ports and outputs of a node */
    uint32_t local_mask;   /* (1 << shift) - 1 */
    uint32_t partition_shift; /* log2 of the number of nodes in a partition */
    uint32_t partition_count;
    struct cm_partition *partitions;
    uint64_t now;
    uint64_t steps; /* number of word times with events so far */
    struct cm_crossroads *crossroads;
    struct cm_port *ports;
    struct cm_output *outputs;
    struct cm_longest_wait *waits; /* [output]: packets of the longest wait */
    struct cm_in_flight *packets;
    /* Number of elements of `packets` that were ever in use, and number that have memory. When the
     * first exceeds the second, cm_router_make_room must be called. */
    uint32_t packet_count, packet_capacity;
    /* number of the partition that gives free packets to partitions without free packets */
    uint32_t giver;
    CM_LIST(struct cm_worm) worms; /* [packet]: worms, for wormhole switching only */
    /* [output]: 1 + index of the output's row in its partition's `blocked`, or 0 without one */
    uint32_t *blocked_rows;
    uint32_t *suspects; /* memory of the suspects of all partitions */
    /* ports that the search for a deadlock has reached, in order, with room for all ports */
    uint32_t *reached;
    uint64_t *seen; /* [port]: number of the search for a deadlock that last reached the port */
    uint64_t searches;
    const struct cm_router_traffic *traffic;
    const struct cm_observer *observer; /* NULL without observer */
    struct cm_router_result *result;
    struct cm_router_packet coming; /* next packet of the traffic source */
    bool more;                      /* true if `coming` is valid */
    /* true if there may be gaps between the words of a worm */
    bool has_gaps;
    bool failed; /* true if the router ran out of memory */
    bool shared; /* true while threads share the router */
    /* fewest events in a word time for which threads share the router, or UINT32_MAX to never
     * share */
    uint32_t share_from;
    /* number of half word times so far, which threads write into the partitions that they claim
     * (share.c) */
    unsigned stamp;
    struct cm_pool *pool; /* threads, made when the router is first shared. NULL before */
    /* link to other processes, or NULL if this process executes all nodes */
    const struct cm_process_link *link;
    /* messages that are exchanged with other processes (trade.c) */
    struct cm_trade *trade;
    /* range of partitions that this process executes */
    uint32_t own_partition, own_partitions;
    uint32_t bit_of_output[2 * CM_ROUTER_DIMENSIONS_MAX]; /* 1 << dimension of each output */
    /* channel number of each output of node 0, as observers number channels */
    uint32_t channel_of_output[2 * CM_ROUTER_DIMENSIONS_MAX];
    /* outputs of each dimension, a bit each */
    uint32_t outputs_of_dimension[CM_ROUTER_DIMENSIONS_MAX];
    /* failed outputs of each node, a bit each. NULL: no channel has failed */
    uint32_t *failed_outputs;
};

/* Allocates a router. `may_deadlock` is true if its packets may deadlock, so that it needs memory
 * to search for a deadlock. Returns NULL when out of memory. */
struct cm_router *cm_router_allocate(const struct cm_router_options *options, bool may_deadlock);

/* These functions make one partition of all nodes, and free all partitions. The first one returns
 * false when out of memory. */
bool cm_router_allocate_partitions(struct cm_router *router);
void cm_router_free_partitions(struct cm_router *router);
/* Splits the one partition into several, between word times. Returns false when one partition
 * remains. */
bool cm_router_split(struct cm_router *router);

/*
 * Returns a free packet. The packet may need cm_router_make_room before it is used. Returns
 * CM_ROUTER_NONE and sets router->failed when there are too many packets.
 */
uint32_t cm_router_take_packet(struct cm_router *router, struct cm_partition *partition);
/* Allocates memory for all packets taken. Sets router->failed when out of memory. */
void cm_router_make_room(struct cm_router *router);

/* Stores an event for another partition, which takes the event with cm_router_collect. */
void cm_router_mail(struct cm_router *router, struct cm_partition *from,
                    const struct cm_partition *to, struct cm_mail mail);
/* Moves the events that other partitions stored for this partition to its wheel. */
void cm_router_collect(struct cm_router *router, struct cm_partition *partition);

/* These functions split the index of a port or output into its node and its number within the
 * node. */
static inline uint32_t cm_router_node_of(const struct cm_router *router, uint32_t index)
{
    return index >> router->shift;
}

static inline uint32_t cm_router_local_of(const struct cm_router *router, uint32_t index)
{
    return index & router->local_mask;
}

/* Returns the number of word times with events between two calls of traffic->stop. The number is
 * equal in all processes. */
static inline uint64_t cm_router_stop_interval(const struct cm_router *router)
{
    const uint32_t times = CM_ROUTER_STOP_WORK / router->nodes;
    return times >= CM_ROUTER_STOP_INTERVAL ? CM_ROUTER_STOP_INTERVAL : times > 0 ? times : 1;
}

/* Returns the other end of a channel: the port that output `index` leads to, or the output that
 * leads to port `index`. */
static inline uint32_t cm_router_far_end(const struct cm_router *router, uint32_t index)
{
    return index ^ router->bit_of_output[cm_router_local_of(router, index)] << router->shift;
}

/* True if this process executes a partition. */
static inline bool cm_router_owns(const struct cm_router *router, uint32_t partition)
{
    /* The subtraction is unsigned, so partitions below own_partition give large numbers. */
    return partition - router->own_partition < router->own_partitions;
}

/* Returns the partition of a node. */
static inline struct cm_partition *cm_router_partition_of(const struct cm_router *router,
                                                          uint32_t node)
{
    return &router->partitions[node >> router->partition_shift];
}

/* Schedules an event at port or output `index` for word time `time`. `partition` is the partition
 * whose thread calls this function. */
static inline void cm_router_schedule(struct cm_router *router, struct cm_partition *partition,
                                      uint64_t time, enum cm_router_event kind, uint32_t packet,
                                      uint32_t index)
{
    struct cm_partition *to = cm_router_partition_of(router, cm_router_node_of(router, index));
    uint64_t event = cm_event(kind, packet, index);
    if (CM_ROUTER_SHARES && to != partition && router->shared)
        cm_router_mail(router, partition, to, (struct cm_mail){time, event});
    else if (!cm_wheel_add(&to->wheel, time, event))
        partition->failed = true;
}

/* failures.c: marks the failed channels of the options in failed_outputs. Returns false when out of
 * memory. */
bool cm_router_mark_failures(struct cm_router *router);
/* Returns the random node that a packet visits with Valiant's routing. Returns CM_ROUTER_NONE if no
 * node has an intact way from the source and to the destination. */
uint32_t cm_router_choose_via(const struct cm_router *router, const struct cm_router_packet *packet,
                              uint64_t serial);
/* Counts and reports a packet as lost if failed channels leave no way for it. Returns false if the
 * packet has an intact way. */
bool cm_router_lose(struct cm_router *router, const struct cm_router_packet *packet,
                    uint64_t serial);
/* Removes failed outputs of `node` from packet->choices. With adaptive routing, leaves only outputs
 * that begin intact ways. */
void cm_router_avoid_failures(const struct cm_router *router, struct cm_partition *partition,
                              struct cm_in_flight *packet, uint32_t node);

/* Determines the outputs that a packet may take at `node`, where its header is about to arrive. */
static inline void cm_router_plan(const struct cm_router *router, struct cm_partition *partition,
                                  struct cm_in_flight *packet, uint32_t node)
{
    const struct cm_router_options *options = &router->options;
    if (packet->first_leg && node == packet->via)
        packet->first_leg = false;
    uint32_t differ = node ^ (packet->first_leg ? packet->via : packet->destination);
    uint32_t dimension =
        (uint32_t)(options->descending ? 31 - __builtin_clz(differ) : __builtin_ctz(differ));
    uint32_t first = 1u << dimension, all = router->outputs_of_dimension[dimension];
    packet->ends =
        (differ & (differ - 1)) == 0 && (!packet->first_leg || packet->via == packet->destination);
    packet->choices = all;
    if (options->routing == CM_ROUTING_VALIANT && options->channels == 2)
        packet->choices = packet->first_leg ? first : all & ~first;
    else if (options->routing == CM_ROUTING_ADAPTIVE)
        packet->choices = differ | all;
    if (__builtin_expect(router->failed_outputs != NULL, 0))
        cm_router_avoid_failures(router, partition, packet, node);
}

/* Sends the header of a packet over a channel to port `port`, where routing is finished at word
 * time `ready`. */
static inline void cm_router_send_on(struct cm_router *router, struct cm_partition *partition,
                                     uint32_t packet, uint32_t port, uint64_t ready)
{
    cm_router_plan(router, partition, &router->packets[packet], cm_router_node_of(router, port));
    cm_router_schedule(router, partition, ready, CM_EVENT_ARRIVE, packet, port);
}

/* Handles a partition's events of the current word time. New events are for later word times. */
void cm_router_handle(struct cm_router *router, struct cm_partition *partition);
/* Sends the packets that the traffic source has for the current word time. Returns an error if such
 * a packet is not valid. */
enum cm_status cm_router_send(struct cm_router *router, struct cm_error *err);
/* Adds a packet that was sent in this word time to the queue of its source. */
void cm_router_post(struct cm_router *router, struct cm_partition *partition,
                    const struct cm_posted *posted);
/* Returns the first word time after `now` with an event in some partition, or UINT64_MAX. */
uint64_t cm_router_next(const struct cm_router *router);

/* Makes the threads and partitions that sharing needs, if they are missing. Returns false when the
 * host refuses threads or memory. */
bool cm_router_can_share(struct cm_router *router);
/* Executes word times with several threads, beginning with the current word time. Stops when too
 * few events occur, or when one thread must decide something. */
enum cm_status cm_router_share(struct cm_router *router, struct cm_error *err);

/* trade.c: divides the nodes between the processes of this program, if there are several and the
 * cube is large enough. Returns false when out of memory. */
bool cm_trade_begin(struct cm_router *router);
void cm_trade_end(struct cm_router *router);
/* Exchanges the results of a word time with all processes: events for their nodes, reports and
 * outlooks. */
enum cm_status cm_trade_word_time(struct cm_router *router, uint64_t round, struct cm_error *err);
/* Exchanges results after the run, so that every process has the results of all processes. */
enum cm_status cm_trade_results(struct cm_router *router, struct cm_error *err);
/* Returns the number of a partition's packets that are still crossing their last channel, although
 * they are already counted as delivered. */
uint64_t cm_router_arriving(const struct cm_partition *partition);

/* Makes the first packet of port `index` ask for outputs. */
void cm_router_ask(struct cm_router *router, struct cm_partition *partition, uint32_t index);

/* Makes the first packet of port `index` ask for outputs, if it does not ask yet and no packet of
 * the port is leaving. */
static inline void cm_router_ask_next(struct cm_router *router, struct cm_partition *partition,
                                      uint32_t index)
{
    const struct cm_port *port = &router->ports[index];
    if (port->first != CM_ROUTER_NONE && !port->leaving && port->asked == 0)
        cm_router_ask(router, partition, index);
}

/* Marks the outputs among `outputs` that a port of the node asks for and that are not busy. They
 * are arbitrated at the end of the word time. */
static inline void cm_router_try(struct cm_router *router, struct cm_partition *partition,
                                 uint32_t node, uint32_t outputs)
{
    struct cm_crossroads *crossroads = &router->crossroads[node];
    uint32_t n = node - partition->first;
    outputs &= crossroads->wanted & ~crossroads->busy;
    if (outputs == 0)
        return;
    crossroads->to_try |= outputs;
    partition->marks[n / 64] |= UINT64_C(1) << n % 64;
    partition->marked[n / 4096] |= UINT64_C(1) << n / 64 % 64;
}

/* Arbitrates the marked nodes of a partition, and grants outputs. */
void cm_router_arbitrate(struct cm_router *router, struct cm_partition *partition);

/* Begins a worm, reusing the memory of an earlier worm. Returns false when out of memory. */
bool cm_worm_begin(struct cm_router *router, struct cm_worm *worm);
/* Lets a worm's header cross output `index` in this word time. `terminal` is true if the output
 * ends at its destination. */
void cm_worm_grant(struct cm_router *router, struct cm_partition *partition, uint32_t packet,
                   uint32_t index, bool terminal);

/* Makes room for `count` hops in a list. Returns false when out of memory. */
bool cm_router_room_for_hops(struct cm_hop_list *hops, uint64_t count);
/* Makes room for one more hop in a partition's list. With one thread, it may instead report the
 * listed hops to the observer and clear the list. Returns false when out of memory. */
bool cm_router_more_hops(struct cm_router *router, struct cm_partition *partition);
/* Collects the end of a hop whose end was not known: the last word crossed output `index` before
 * word time `end`. */
void cm_router_notify_hop_end(struct cm_router *router, struct cm_partition *partition,
                              uint32_t index, uint64_t end);
/* Delivers a whole packet at `node` at word time `arrived`, which may be later than now. Frees the
 * packet. */
void cm_router_deliver(struct cm_router *router, struct cm_partition *partition, uint32_t packet,
                       uint32_t node, uint64_t arrived);
/* Reports the arrival of a packet whose source is its destination. */
void cm_router_report_arrival(const struct cm_router *router,
                              const struct cm_router_delivery *arrival);
/* Reports a partition's hops of this word time to the observer. */
void cm_router_report_hops(const struct cm_router *router, struct cm_partition *partition);
/* Reports ends of hops and arrivals of all partitions to the observer. */
void cm_router_report_ends(const struct cm_router *router);
/* Reports to the traffic source and the observer, in order, everything that partitions collected
 * while threads shared the router. */
void cm_router_report_all(struct cm_router *router);

/* Adds the wait of a packet to the wait counts. The packet asked at word time `since` and is now
 * being granted output `index`. The output must still describe its previous grant. */
void cm_router_count_wait(struct cm_router *router, struct cm_partition *partition, uint32_t index,
                          const struct cm_in_flight *packet, uint64_t since);
/* Adds the last hold of output `index` to the stored holds, for the ports that go on waiting for
 * it. */
void cm_router_store_hold(struct cm_router *router, struct cm_partition *partition, uint32_t index);
/* Returns the number of elements in a row of wait counts (blocked.c). */
static inline size_t cm_router_row_size(const struct cm_router *router)
{
    return router->options.dimensions + 3u;
}

/* Returns the row of wait counts of output `index`, or NULL when no packet waited for the output
 * (blocked.c). */
const uint64_t *cm_router_blocked(const struct cm_router *router, uint32_t index);

/* True if packets can wait for each other in a cycle. */
bool cm_router_may_deadlock(const struct cm_router_options *options);
/* Searches for a deadlock among the ports that became suspects since the last call. Returns the
 * lowest port whose packet waits for ever, or CM_ROUTER_NONE. */
uint32_t cm_router_find_stuck(struct cm_router *router);
/* Writes to `result` the channels of a cycle of waiting packets. The search begins at port `index`,
 * whose packet waits for ever. */
void cm_router_find_cycle(const struct cm_router *router, uint32_t index,
                          struct cm_router_result *result);

#endif
