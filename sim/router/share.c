/*
 * Execution of the router by several threads, in busy periods. A word time has two halves, with a
 * barrier after each half:
 *
 *   1   Every partition takes in the events that others have for it, and handles its events.
 *       Meanwhile the first thread reports the previous word time to traffic source and observer,
 *       and asks the traffic source for the packets of this word time.
 *   2   Every partition adds its nodes' new packets to their queues, and grants channels.
 *
 * Invariant: in both halves a partition changes only its own data: its nodes, their packets, its
 * wheel of events. An event for another partition belongs to a later word time, and is stored until
 * that partition takes it in. So threads may process partitions in any order. Each thread begins
 * with its own partitions and goes on with partitions that no thread has claimed yet.
 *
 * Results are those of one thread, bit for bit. Within a word time the order does not affect
 * results (grant.c), and reports are stored and given in the order of nodes. A worm's grant also
 * writes when the worm's channels become free, in other partitions too. No thread accesses these
 * values before the channels are free.
 */
#include "private.h"

/* Instruction of the first thread to all threads. */
enum order {
    ORDER_CONTINUE,
    ORDER_MAKE_ROOM, /* allocate memory for new packets, while nobody uses the old ones */
    ORDER_HALT,
};

struct share {
    struct cm_router *router;
    enum order order; /* written in the first half of a word time, read in the second half */
    /* word time of the traffic source's next packet, for even and odd word times of this period */
    uint64_t coming[2];
    uint64_t begin;  /* first word time of this period of sharing */
    uint64_t rounds; /* number of word times executed in this period of sharing */
    enum cm_status status;
    struct cm_error *err;
};

/* Does the first thread's own work in the first half of a word time. */
static void lead(struct share *share, uint64_t time, uint64_t round)
{
    struct cm_router *router = share->router;
    cm_router_report_all(router);
    router->now = time;
    share->status = cm_router_send(router, share->err);
    share->coming[round & 1] = router->more ? router->coming.created : UINT64_MAX;
    if (share->status != CM_OK || router->failed)
        share->order = ORDER_HALT;
    else if (router->packet_count > router->packet_capacity)
        share->order = ORDER_MAKE_ROOM;
    else
        share->order = ORDER_CONTINUE;
}

static void first_half(struct cm_router *router, struct cm_partition *partition, uint64_t time)
{
    const struct cm_wheel *wheel = &partition->wheel;
    partition->now = time;
    cm_router_collect(router, partition);
    partition->events = wheel->slots[cm_wheel_place(wheel, time)].count;
    cm_router_handle(router, partition);
}

static void second_half(struct cm_router *router, struct cm_partition *partition, uint64_t round)
{
    partition->mail_next = UINT64_MAX;
    for (uint32_t i = 0; i < partition->posted.count; i++)
        cm_router_post(router, partition, &partition->posted.items[i]);
    partition->posted.count = 0;
    cm_router_arbitrate(router, partition);
    uint64_t next = cm_wheel_next(&partition->wheel, partition->now);
    partition->outlook[round & 1] = (struct cm_outlook){
        .next = next < partition->mail_next ? next : partition->mail_next,
        .events = partition->events,
        .suspects = partition->suspect_count,
        .failed = partition->failed,
    };
}

/* Returns the next word time, or UINT64_MAX when this period of sharing ends. All threads compute
 * the same word time. */
static uint64_t look_ahead(const struct share *share, uint64_t round)
{
    const struct cm_router *router = share->router;
    uint64_t time = share->coming[round & 1], events = 0;
    uint64_t limit = router->options.limit;
    bool over = (router->steps + round + 1) % cm_router_stop_interval(router) == 0;
    for (uint32_t k = 0; k < router->partition_count; k++) {
        const struct cm_outlook *outlook = &router->partitions[k].outlook[round & 1];
        time = outlook->next < time ? outlook->next : time;
        events += outlook->events;
        over = over || outlook->failed || outlook->suspects > 0;
    }
    if (over || (limit != 0 && time > limit) ||
        (router->link == NULL && events < router->share_from / 2))
        return UINT64_MAX;
    return time;
}

/* Claims a partition for this thread in one half of a word time. Returns false when another thread
 * has claimed the partition. */
static bool claim(struct cm_partition *partition, unsigned stamp)
{
    return atomic_load_explicit(&partition->claimed, memory_order_relaxed) != stamp &&
           atomic_exchange_explicit(&partition->claimed, stamp, memory_order_relaxed) != stamp;
}

static void do_half(const struct share *share, uint32_t thread, uint64_t time, uint64_t round,
                    unsigned half)
{
    struct cm_router *router = share->router;
    const unsigned stamp = router->stamp + 2 * (unsigned)round + half + 1;
    const uint32_t partitions = router->own_partitions;
    const uint32_t first = (uint32_t)((uint64_t)thread * partitions / router->options.threads);
    for (uint32_t i = 0; i < partitions; i++) {
        struct cm_partition *partition =
            &router->partitions[router->own_partition + ((first + i) & (partitions - 1))];
        if (!claim(partition, stamp))
            continue;
        if (half == 0)
            first_half(router, partition, time);
        else
            second_half(router, partition, round);
    }
}

/* Makes the first thread exchange results with other processes after a word time. Returns false
 * when the exchange failed. */
static bool trade(struct share *share, uint32_t thread, uint64_t round)
{
    struct cm_router *router = share->router;
    if (thread == 0) {
        share->status = cm_trade_word_time(router, round, share->err);
        share->order = share->status == CM_OK ? ORDER_CONTINUE : ORDER_HALT;
    }
    cm_pool_barrier(router->pool);
    return share->order != ORDER_HALT;
}

static void work(void *context, uint32_t thread)
{
    struct share *share = context;
    struct cm_router *router = share->router;
    uint64_t time = share->begin;
    for (uint64_t round = 0; time != UINT64_MAX; round++) {
        if (thread == 0)
            lead(share, time, round);
        do_half(share, thread, time, round, 0);
        cm_pool_barrier(router->pool);
        if (share->order == ORDER_MAKE_ROOM) {
            if (thread == 0)
                cm_router_make_room(router);
            cm_pool_barrier(router->pool);
        }
        if (share->order == ORDER_HALT || router->failed)
            break;
        do_half(share, thread, time, round, 1);
        cm_pool_barrier(router->pool);
        if (router->link != NULL && !trade(share, thread, round))
            break;
        time = look_ahead(share, round);
        if (thread == 0)
            share->rounds = round + 1;
    }
}

bool cm_router_can_share(struct cm_router *router)
{
    if (router->pool != NULL)
        return true;
    if (cm_pool_create(router->options.threads, &router->pool, NULL) == CM_OK &&
        cm_router_split(router))
        return !router->failed;
    /* the host refuses threads or memory, so one thread executes all word times */
    router->share_from = UINT32_MAX;
    return false;
}

enum cm_status cm_router_share(struct cm_router *router, struct cm_error *err)
{
    struct share share = {.router = router, .begin = router->now, .err = err};
    router->shared = true;
    cm_pool_measure(router->pool, &share.rounds);
    cm_pool_run(router->pool, work, &share, router);
    router->shared = false;
    router->steps += share.rounds;
    router->stamp += 2 * (unsigned)share.rounds + 2;
    cm_router_report_all(router);
    for (uint32_t k = 0; k < router->partition_count; k++)
        cm_router_collect(router, &router->partitions[k]);
    return share.status;
}
