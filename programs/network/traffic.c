/* Makes the packets of a pattern, sends them through the router, and measures them. */
#include "traffic.h"

#include "../../base/list.h"
#include "../../base/random.h"
#include "latency.h"
#include "steady_private.h"
#include "streams.h"
#include "traffic_messages.h"

#include <math.h>
#include <string.h>

/* List of up to 2^64 - 1 elements. The lists of base/list.h hold fewer than 2^32. */
#define LONG_LIST(type)                                                                            \
    struct {                                                                                       \
        type *items;                                                                               \
        uint64_t count, capacity;                                                                  \
        bool failed;                                                                               \
    }

struct sender {
    const struct cm_traffic_task *task;
    uint32_t nodes;
    uint64_t random;
    /* for a batch: number of packets made so far. For open loop: word time * nodes + node of the
     * last packet */
    uint64_t place;
    double per_node; /* for open loop: messages created per node and word time */
    /* for open loop: logarithm of the probability that a node creates no message in a word time */
    double log_none;
    /* for open loop: streams of messages, used instead of `place` if nodes have different rates or
     * bursts */
    struct cm_streams streams;
    struct cm_router_packet message; /* first packet of the message that was made last */
    uint32_t left;                   /* number of packets of `message` that have not been made */
    uint64_t outstanding;            /* number of measured packets in flight */
    LONG_LIST(uint64_t) latencies;   /* latencies of measured packets, in word times */
    LONG_LIST(struct cm_router_delivery) kept;
    uint64_t to_self; /* number of measured packets that nodes send to themselves */
    /* word times that header and body take, summed over the measured packets */
    uint64_t hops_header, hops_body;
    struct cm_batches batches;           /* for open loop: counts of the measurement */
    uint64_t serial;                     /* serial number of the next packet */
    bool has_messages;                   /* true if messages may have several packets */
    struct cm_traffic_messages messages; /* messages and their arrivals, if `has_messages` */
    bool failed;
    bool stopped; /* true once task->stop has ended the making of packets */
};

static uint32_t draw_other(struct sender *sender, uint32_t source)
{
    if (sender->nodes == 1)
        return source;
    uint32_t other =
        (uint32_t)((cm_random_next(&sender->random) >> 32) * (sender->nodes - 1) >> 32);
    return other < source ? other : other + 1;
}

/* Draws whether a packet goes to a hot node. The lowest two bits of the random number are taken as
 * the highest bits, so that a share of 1/4 selects the multiples of 4. */
static bool draws_hot(struct sender *sender)
{
    const double share = cm_traffic_hot_share(sender->task);
    const uint64_t random = cm_random_next(&sender->random);
    return (double)((random >> 2 | random << 62) >> 11) * 0x1p-53 < share;
}

static uint32_t draw_hot(struct sender *sender)
{
    const struct cm_traffic_task *task = sender->task;
    if (task->hot_count == 0)
        return task->hot_node;
    return task->hot_nodes[(cm_random_next(&sender->random) >> 32) * task->hot_count >> 32];
}

static uint32_t destination(struct sender *sender, uint32_t source, uint64_t round)
{
    const struct cm_traffic_task *task = sender->task;
    switch (task->pattern) {
    case CM_PATTERN_HOT_SPOT:
        return draws_hot(sender) ? draw_hot(sender) : draw_other(sender, source);
    case CM_PATTERN_RANDOM:
        return draw_other(sender, source);
    case CM_PATTERN_ALL_TO_ALL:
        if (sender->nodes == 1)
            return source;
        return (source + 1 + (uint32_t)(round % (sender->nodes - 1))) & (sender->nodes - 1);
    default:
        return cm_pattern_destination(task->pattern, task->router.dimensions, source, task->by);
    }
}

/* Returns the number of packets that each sender of a batch sends. */
static uint64_t rounds_of(const struct sender *sender)
{
    const struct cm_traffic_task *task = sender->task;
    return task->pattern == CM_PATTERN_ALL_TO_ALL ? sender->nodes - 1
           : task->rounds > 0                     ? task->rounds
                                                  : 1;
}

/* Draws the number of packets of a message from the task's sizes of messages. Returns 1 if the task
 * has no sizes. */
static uint32_t draw_packets(struct sender *sender)
{
    const struct cm_traffic_task *task = sender->task;
    double all = 0, at;
    if (task->size_count == 0)
        return 1;
    for (uint32_t i = 0; i < task->size_count; i++)
        all += task->sizes[i].share;
    at = (double)(cm_random_next(&sender->random) >> 11) * 0x1p-53 * all;
    uint32_t i = 0;
    for (; i + 1 < task->size_count && at >= task->sizes[i].share; i++)
        at -= task->sizes[i].share;
    return cm_traffic_packets_of(task, task->sizes[i].words);
}

static void begin_message(struct sender *sender, const struct cm_router_packet *packet,
                          uint32_t packets)
{
    sender->message = *packet;
    sender->left = packets - 1;
    if (sender->has_messages)
        cm_traffic_messages_add(&sender->messages, sender->serial, packets);
}

/* Makes the next packet of the message that was begun last. Returns false if the message has no
 * more packets. */
static bool next_of_message(struct sender *sender, struct cm_router_packet *packet)
{
    if (sender->left == 0)
        return false;
    sender->left--;
    *packet = sender->message;
    return true;
}

static bool next_of_batch(struct sender *sender, struct cm_router_packet *packet)
{
    const struct cm_traffic_task *task = sender->task;
    if (next_of_message(sender, packet))
        return true;
    uint64_t i = sender->place++, rounds = rounds_of(sender);
    if (task->pattern == CM_PATTERN_LIST) {
        if (i / rounds >= task->list_count)
            return false;
        *packet = task->list[i % task->list_count];
        begin_message(sender, packet,
                      task->list_packets != NULL ? task->list_packets[i % task->list_count] : 1);
        return true;
    }
    if (i >= rounds * sender->nodes)
        return false;
    packet->source = (uint32_t)(i & (sender->nodes - 1));
    packet->destination = destination(sender, packet->source, i / sender->nodes);
    packet->created = 0;
    packet->payload = 0;
    begin_message(sender, packet, draw_packets(sender));
    return true;
}

/*
 * Draws the time and source of the next message, if all nodes have the same rate. In each word time
 * each node creates a message with the same probability. The number of nodes and word times
 * without a message is drawn from a geometric distribution, so the cost of drawing grows with the
 * number of messages, not with the number of word times.
 */
static void draw_place(struct sender *sender, struct cm_router_packet *packet)
{
    double u = ((double)(cm_random_next(&sender->random) >> 11) + 0.5) * 0x1p-53;
    double skip = sender->per_node < 1 ? floor(log(u) / sender->log_none) : 0;
    sender->place += 1 + (uint64_t)(skip < 1e15 ? skip : 1e15);
    packet->created = (sender->place - 1) / sender->nodes;
    packet->source = (uint32_t)((sender->place - 1) & (sender->nodes - 1));
}

/* Makes the first packet of the next message of open-loop traffic. */
static void draw_message(struct sender *sender, struct cm_router_packet *packet)
{
    const struct cm_traffic_task *task = sender->task;
    uint32_t words = 0;
    packet->payload = 0;
    if (sender->streams.count == 0) {
        draw_place(sender, packet);
    } else {
        packet->source = cm_streams_next(&sender->streams, &packet->created);
    }
    if (task->pattern == CM_PATTERN_FLOWS) {
        const struct cm_traffic_flow *flow = &task->flows[packet->source];
        packet->source = flow->source;
        packet->destination = flow->destination;
        words = flow->words;
    } else {
        packet->destination = destination(sender, packet->source, packet->created);
    }
    begin_message(sender, packet,
                  task->size_count > 0 ? draw_packets(sender) : cm_traffic_packets_of(task, words));
}

static bool next_of_open_loop(struct sender *sender, struct cm_router_packet *packet)
{
    struct cm_batches *batches = &sender->batches;
    if (!next_of_message(sender, packet))
        draw_message(sender, packet);
    cm_batches_search(batches, packet->created);
    if (packet->created >= batches->end &&
        (sender->outstanding == 0 || packet->created >= 2 * batches->end))
        return false;
    sender->outstanding += cm_batches_create(batches, packet);
    return true;
}

static bool next_packet(void *context, struct cm_router_packet *packet)
{
    struct sender *sender = context;
    const struct cm_traffic_task *task = sender->task;
    /* The `stop` callback is called for each packet, because many packets are made in one word
     * time. */
    sender->stopped = sender->stopped || (task->stop != NULL && task->stop(task->stop_context));
    if (sender->failed || sender->stopped ||
        !(task->rate > 0 ? next_of_open_loop(sender, packet) : next_of_batch(sender, packet)))
        return false;
    if (task->load != NULL)
        packet->payload = task->load(task->cargo, packet, sender->serial);
    sender->serial++;
    sender->failed = task->load != NULL && packet->payload == UINT32_MAX;
    return !sender->failed;
}

static void take_delivery(void *context, const struct cm_router_delivery *delivery)
{
    struct sender *sender = context;
    const struct cm_traffic_task *task = sender->task;
    if (task->unload != NULL)
        task->unload(task->cargo, delivery);
    if (task->rate > 0) {
        if (!cm_batches_arrive(&sender->batches, delivery))
            return;
        sender->outstanding--;
    }
    if (sender->has_messages)
        cm_traffic_messages_arrive(&sender->messages, delivery);
    sender->to_self += delivery->source == delivery->destination;
    sender->hops_header += cm_router_header_time(&task->router, delivery->hops);
    sender->hops_body += cm_router_body_time(&task->router, delivery->hops);
    if (!cm_list_push(&sender->latencies, delivery->arrived - delivery->created) ||
        (sender->kept.count < task->keep && !cm_list_push(&sender->kept, *delivery)))
        sender->failed = true;
}

static void take_loss(void *context, const struct cm_router_packet *packet)
{
    struct sender *sender = context;
    const struct cm_traffic_task *task = sender->task;
    if (task->lose != NULL)
        task->lose(task->cargo, packet);
    if (task->rate > 0)
        sender->outstanding -= cm_batches_lose(&sender->batches, packet);
}

static bool ask_stop(void *context)
{
    const struct sender *sender = context;
    const struct cm_traffic_task *task = sender->task;
    uint64_t senders = task->pattern == CM_PATTERN_LIST ? task->list_count : sender->nodes;
    if (task->progress != NULL && task->rate == 0 && task->size_count == 0 &&
        task->list_packets == NULL)
        task->progress(task->stop_context, "packet", sender->latencies.count,
                       senders * rounds_of(sender));
    return sender->failed || sender->stopped ||
           (task->stop != NULL && task->stop(task->stop_context));
}

static void summarise(const struct sender *sender, struct cm_traffic_result *result)
{
    struct cm_traffic_latency *latency = &result->latency;
    const uint64_t count = sender->latencies.count;
    result->measured = count;
    result->to_self = sender->to_self;
    if (count == 0)
        return;
    const uint64_t sum = cm_latency_summarise(sender->latencies.items, count, latency);
    latency->header = (double)sender->hops_header / (double)count;
    latency->body = (double)sender->hops_body / (double)count;
    latency->queueing = (double)(sum - sender->hops_header - sender->hops_body) / (double)count;
}

/* Finds the busiest wire. The channels of a wire share its packets, except that with Valiant's
 * routing each channel carries one of the two paths. */
static void find_busiest(const struct sender *sender, const struct cm_router *router,
                         struct cm_steady_run *run)
{
    const struct cm_router_options *options = &sender->task->router;
    const uint32_t together = options->routing == CM_ROUTING_VALIANT ? 1 : options->channels;
    uint64_t most = 0;
    for (uint32_t i = 0; i < sender->nodes * options->dimensions * options->channels;
         i += together) {
        const uint32_t wire = i / options->channels;
        uint64_t words = 0;
        for (uint32_t k = 0; k < together; k++)
            words += cm_router_channel_use(router, wire / options->dimensions,
                                           wire % options->dimensions, i % options->channels + k)
                         .words;
        if (words <= most)
            continue;
        most = words;
        run->node = wire / options->dimensions;
        run->dimension = wire % options->dimensions;
    }
    if (run->word_times > 0)
        run->busy = (double)most / (double)together / (double)run->word_times;
}

static enum cm_status judge_run(const struct sender *sender, const struct cm_router *router,
                                struct cm_traffic_result *result, struct cm_error *err)
{
    const struct cm_batches *batches = &sender->batches;
    struct cm_steady_run run = {
        .cut = sender->outstanding > 0 ||
               (result->router.end == CM_ROUTER_LIMIT && result->router.word_times < batches->end),
        .word_times = result->router.word_times,
    };
    uint64_t arrived = 0;
    for (uint32_t row = 1; row < CM_BATCH_ROWS; row++)
        arrived += batches->arrived[row];
    result->throughput = (double)arrived * sender->task->router.words /
                         ((double)sender->nodes * (double)sender->task->measure);
    find_busiest(sender, router, &run);
    enum cm_status status = cm_traffic_bound(sender->task, &result->bound, err);
    if (status == CM_OK)
        status = cm_steady_judge(batches, &result->bound, &run, &result->steady, err);
    result->saturated = result->steady.verdict == CM_VERDICT_NOT_STEADY;
    return status;
}

static enum cm_status weigh(const struct sender *sender, const struct cm_router *router,
                            struct cm_traffic_result *result, struct cm_error *err)
{
    const struct cm_traffic_task *task = sender->task;
    double node_times = (double)sender->nodes * (double)result->router.word_times;
    if (task->rate > 0)
        return judge_run(sender, router, result, err);
    if (node_times > 0)
        result->throughput =
            (double)result->router.delivered * (double)task->router.words / node_times;
    return CM_OK;
}

static int compare_serials(const void *a, const void *b)
{
    const struct cm_router_delivery *x = a, *y = b;
    return (x->serial > y->serial) - (x->serial < y->serial);
}

/* Sorts the kept packets into the order of sending. Their serials have few gaps, so each packet is
 * put at the place of its serial, and the gaps are closed. */
static struct cm_router_delivery *sort_kept(struct cm_router_delivery *items, uint64_t count)
{
    uint64_t first = UINT64_MAX, last = 0, to = 0;
    for (uint64_t i = 0; i < count; i++) {
        first = items[i].serial < first ? items[i].serial : first;
        last = items[i].serial > last ? items[i].serial : last;
    }
    const uint64_t places = last - first + 1;
    struct cm_router_delivery *sorted = places <= 2 * count ? calloc(places, sizeof *sorted) : NULL;
    bool *taken = sorted != NULL ? calloc(places, sizeof *taken) : NULL;
    if (taken == NULL) {
        free(sorted);
        qsort(items, count, sizeof *items, compare_serials);
        return items;
    }
    for (uint64_t i = 0; i < count; i++) {
        sorted[items[i].serial - first] = items[i];
        taken[items[i].serial - first] = true;
    }
    for (uint64_t place = 0; place < places; place++)
        if (taken[place])
            sorted[to++] = sorted[place];
    free(taken);
    free(items);
    return sorted;
}

enum cm_status cm_traffic_send(struct cm_router *router, const struct cm_traffic_task *task,
                               struct cm_traffic_result *result, struct cm_error *err)
{
    const double per_node = task->rate / (task->router.words * cm_traffic_mean_packets(task));
    struct sender sender = {
        .task = task,
        .nodes = 1u << task->router.dimensions,
        .random = task->seed,
        .per_node = per_node,
        .log_none = log1p(-per_node),
        .has_messages =
            task->size_count > 0 || task->list_packets != NULL || task->pattern == CM_PATTERN_FLOWS,
    };
    const struct cm_router_traffic traffic = {&sender,  next_packet,    take_delivery,
                                              ask_stop, task->observer, take_loss};
    memset(result, 0, sizeof *result);
    enum cm_status status = task->rate > 0 ? cm_batches_begin(&sender.batches, task, err) : CM_OK;
    if (status == CM_OK && cm_streams_needed(task))
        status = cm_streams_begin(&sender.streams, task, err);
    if (status == CM_OK)
        status = cm_router_run(router, &traffic, &result->router, err);
    if (status == CM_OK && (sender.failed || sender.batches.early.failed ||
                            sender.messages.failed || sender.messages.latencies.failed))
        status = cm_error_no_memory(err);
    if (sender.stopped)
        result->router.end = CM_ROUTER_STOPPED;
    if (status == CM_OK) {
        summarise(&sender, result);
        result->messages =
            cm_traffic_messages_summarise(&sender.messages, &result->message_latency);
        status = weigh(&sender, router, result, err);
    }
    if (status == CM_OK && sender.kept.count > 0) {
        result->packets = sort_kept(sender.kept.items, sender.kept.count);
        result->packet_count = sender.kept.count;
    } else {
        cm_list_finish(&sender.kept);
    }
    cm_list_finish(&sender.latencies);
    cm_batches_finish(&sender.batches);
    cm_streams_finish(&sender.streams);
    cm_traffic_messages_finish(&sender.messages);
    return status;
}
