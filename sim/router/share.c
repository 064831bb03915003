/*
 * The router by several threads, in busy stretches. A word time has two halves:
 *
 *     1   every part takes in the events that others have for it, and handles its events; meanwhile
 *         the first thread tells traffic and observer what happened in the word time before, and
 *         asks the traffic for the packets of this one
 *     2   every part lets its nodes' packets join their queues, and grants channels
 *
 * with a barrier after each. In both a part changes only what is its own: its nodes, their packets,
 * its wheel. What it has for another part is an event of a later word time, and is kept until the
 * other part takes it in. So the threads may take parts in any order, and do: each begins with its
 * own, and goes on with those that nobody has taken yet.
 *
 * The results are those of one thread, bit for bit. Within a word time no order matters to what
 * happens (grant.c). Reports of it stay with the parts, and are given in the order of nodes.
 * A worm's grant also writes when the channels that the worm is on become free: nobody else reads
 * or writes that before they are.
 */
#include "private.h"

/* What the threads do next. */
enum order {
    ORDER_GO_ON,
    ORDER_MAKE_ROOM, /* for new packets, while nobody uses the old ones */
    ORDER_HALT,
};

struct share {
    struct cm_router *router;
    enum order order;   /* written in the first half, read in the second */
    uint64_t coming[2]; /* when the traffic's next packet comes; of even and odd rounds */
    uint64_t begin;     /* the first word time */
    uint64_t rounds;    /* word times done */
    enum cm_status status;
    struct cm_error *err;
};

/* What only the first thread does, in the first half of a word time. */
static void lead(struct share *share, uint64_t time, uint64_t round)
{
    struct cm_router *router = share->router;
    cm_router_tell_all(router);
    router->now = time;
    share->status = cm_router_send(router, share->err);
    share->coming[round & 1] = router->more ? router->coming.created : UINT64_MAX;
    if (share->status != CM_OK || router->failed)
        share->order = ORDER_HALT;
    else if (router->packet_count > router->packet_capacity)
        share->order = ORDER_MAKE_ROOM;
    else
        share->order = ORDER_GO_ON;
}

static void first_half(struct cm_router *router, struct cm_part *part, uint64_t time)
{
    const struct cm_wheel *wheel = &part->wheel;
    part->now = time;
    cm_router_collect(router, part);
    part->events = wheel->slots[cm_wheel_place(wheel, time)].count;
    cm_router_handle(router, part);
}

static void second_half(struct cm_router *router, struct cm_part *part, uint64_t round)
{
    part->mail_next = UINT64_MAX;
    for (uint32_t i = 0; i < part->posted.count; i++)
        cm_router_post(router, part, &part->posted.items[i]);
    part->posted.count = 0;
    cm_router_arbitrate(router, part);
    uint64_t next = cm_wheel_next(&part->wheel, part->now);
    part->outlook[round & 1] = (struct cm_outlook){
        .next = next < part->mail_next ? next : part->mail_next,
        .events = part->events,
        .suspects = part->suspect_count,
        .failed = part->failed,
    };
}

/* The next word time; UINT64_MAX when this run of the threads ends before it. All threads find the
 * same. */
static uint64_t look_ahead(const struct share *share, uint64_t round)
{
    const struct cm_router *router = share->router;
    uint64_t time = share->coming[round & 1], events = 0;
    uint64_t limit = router->options.limit;
    bool over = (router->steps + round + 1) % CM_ROUTER_STOP_INTERVAL == 0;
    for (uint32_t k = 0; k < router->part_count; k++) {
        const struct cm_outlook *outlook = &router->parts[k].outlook[round & 1];
        time = outlook->next < time ? outlook->next : time;
        events += outlook->events;
        over = over || outlook->failed || outlook->suspects > 0;
    }
    if (over || (limit != 0 && time > limit) ||
        (router->link == NULL && events < router->share_from / 2))
        return UINT64_MAX;
    return time;
}

/* Takes a part that no other thread has taken in this half of a word time. */
static bool claim(struct cm_part *part, unsigned stamp)
{
    return atomic_load_explicit(&part->claimed, memory_order_relaxed) != stamp &&
           atomic_exchange_explicit(&part->claimed, stamp, memory_order_relaxed) != stamp;
}

static void do_half(const struct share *share, uint32_t thread, uint64_t time, uint64_t round,
                    unsigned half)
{
    struct cm_router *router = share->router;
    const unsigned stamp = router->stamp + 2 * (unsigned)round + half + 1;
    const uint32_t parts = router->own_parts;
    const uint32_t first = (uint32_t)((uint64_t)thread * parts / router->options.threads);
    for (uint32_t i = 0; i < parts; i++) {
        struct cm_part *part = &router->parts[router->own_part + ((first + i) & (parts - 1))];
        if (!claim(part, stamp))
            continue;
        if (half == 0)
            first_half(router, part, time);
        else
            second_half(router, part, round);
    }
}

/* What the first thread does with the other processes, after a word time; false: it went wrong. */
static bool trade(struct share *share, uint32_t thread, uint64_t round)
{
    struct cm_router *router = share->router;
    if (thread == 0) {
        share->status = cm_trade_word_time(router, round, share->err);
        share->order = share->status == CM_OK ? ORDER_GO_ON : ORDER_HALT;
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
    router->share_from = UINT32_MAX; /* the host refuses threads or memory; one thread will do */
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
    cm_router_tell_all(router);
    for (uint32_t k = 0; k < router->part_count; k++)
        cm_router_collect(router, &router->parts[k]);
    return share.status;
}
