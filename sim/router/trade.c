/*
 * Execution by several processes. Each process executes the partitions of its own nodes, with
 * threads if there are several (share.c). After each word time all processes exchange parcels. A
 * parcel has the process's outlook, its reports, and its events for nodes of other processes. A
 * packet travels with the event of its arrival, and a worm takes its hops along. Every process
 * queries the traffic source itself, so a send needs no message.
 *
 * A process knows one number about a channel in another process: a worm brings the word time in
 * which the channel that it holds becomes idle. This time is returned with the event that releases
 * the channel.
 *
 * If packets may deadlock, the nodes are not divided, because the search for a deadlock follows
 * channels through all nodes. Each process then executes the whole router.
 */
#include "private.h"

#include "../../base/buffer.h"

#include <string.h>

/* Bytes of the first message of a parcel. A longer parcel is then sent as a whole in a second
 * message. */
#define FIRST_BYTES    2048u
#define DIMENSIONS_MIN 14u /* fewest dimensions for which several processes pay (docs/scale.md) */

struct head {
    uint64_t bytes; /* number of bytes in the whole parcel */
    uint64_t next, hops, hop_ends, arrivals, mails;
    bool failed;
};

/* Event for a node of another process, followed by the data that travel with it. */
struct record {
    uint64_t time, event;
    uint64_t idle_since; /* word time in which the channel of a worm becomes idle */
    uint64_t more;       /* number of bytes of data that follow the record */
};

struct worm_record {
    uint32_t count, times;
    bool terminal, source_freed;
};

struct cm_trade {
    struct cm_buffer parcel;
    /* rows[0]: first FIRST_BYTES bytes of the parcels of all processes. rows[1]: whole parcels of
     * all processes, if one of them is longer */
    char *rows[2];
    size_t row_bytes;
    size_t capacity; /* bytes allocated for rows[1] */
};

bool cm_trade_begin(struct cm_router *router)
{
    const struct cm_process_link *link = cm_processes();
    const struct cm_router_options *options = &router->options;
    if (link == NULL || cm_router_may_deadlock(options) || link->count > router->nodes ||
        (options->share_from == 0 && options->dimensions < DIMENSIONS_MIN))
        return true;
    router->trade = calloc(1, sizeof *router->trade);
    if (router->trade == NULL)
        return false;
    router->trade->rows[0] = calloc(link->count, FIRST_BYTES);
    router->link = link;
    return router->trade->rows[0] != NULL;
}

void cm_trade_end(struct cm_router *router)
{
    struct cm_trade *trade = router->trade;
    if (trade == NULL)
        return;
    cm_buffer_finish(&trade->parcel);
    free(trade->rows[0]);
    free(trade->rows[1]);
    free(trade);
}

/* ---- parcels ---- */

static const char *parcel_of(const struct cm_trade *trade, uint32_t rank)
{
    return trade->rows[trade->row_bytes > FIRST_BYTES] + rank * trade->row_bytes;
}

static uint64_t bytes_of(const struct cm_trade *trade, uint32_t rank)
{
    uint64_t bytes;
    memcpy(&bytes, trade->rows[0] + (size_t)rank * FIRST_BYTES, sizeof bytes);
    return bytes;
}

/* Gathers all bytes of the parcels of all processes, if a parcel is longer than the first
 * message. */
static enum cm_status gather_long(const struct cm_router *router, size_t bytes,
                                  struct cm_error *err)
{
    struct cm_trade *trade = router->trade;
    const size_t all = bytes * router->link->count;
    if (all > trade->capacity) {
        free(trade->rows[1]);
        trade->rows[1] = calloc(2, all); /* twice the size, to avoid repeated allocation */
        trade->capacity = trade->rows[1] != NULL ? 2 * all : 0;
    }
    if (trade->rows[1] == NULL)
        return cm_error_no_memory(err);
    memcpy(trade->rows[1] + router->link->rank * bytes, trade->parcel.data, trade->parcel.length);
    trade->row_bytes = bytes;
    return cm_processes_gather(router->link, trade->rows[1], bytes, 1, err);
}

/* Gathers the parcels of all processes. Each parcel begins with its own number of bytes, which this
 * function sets. */
static enum cm_status gather_parcels(const struct cm_router *router, struct cm_error *err)
{
    struct cm_trade *trade = router->trade;
    const uint64_t length = trade->parcel.length;
    char *row = trade->rows[0] + (size_t)router->link->rank * FIRST_BYTES;
    uint64_t most = 0;
    if (!cm_buffer_ok(&trade->parcel))
        return cm_error_no_memory(err);
    memcpy(trade->parcel.data, &length, sizeof length);
    memcpy(row, trade->parcel.data, length < FIRST_BYTES ? length : FIRST_BYTES);
    trade->row_bytes = FIRST_BYTES;
    enum cm_status status = cm_processes_gather(router->link, trade->rows[0], FIRST_BYTES, 1, err);
    for (uint32_t r = 0; r < router->link->count; r++)
        most = bytes_of(trade, r) > most ? bytes_of(trade, r) : most;
    return status == CM_OK && most > FIRST_BYTES ? gather_long(router, most, err) : status;
}

/* ---- contents of a parcel after a word time ---- */

static void add_worm(struct cm_router *router, uint32_t packet)
{
    struct cm_buffer *parcel = &router->trade->parcel;
    const struct cm_worm *worm = &router->worms.items[packet];
    const struct worm_record record = {
        .count = worm->count,
        .times = worm->times != NULL ? worm->count * (router->options.buffer_words + 1) : 0,
        .terminal = worm->terminal,
        .source_freed = worm->source_freed,
    };
    cm_buffer_append(parcel, &record, sizeof record);
    cm_buffer_append(parcel, worm->hops, record.count * sizeof *worm->hops);
    if (record.times > 0)
        cm_buffer_append(parcel, worm->times, record.times * sizeof *worm->times);
}

static void add_mail(struct cm_router *router, struct cm_partition *partition,
                     const struct cm_mail *mail)
{
    struct cm_buffer *parcel = &router->trade->parcel;
    const size_t at = parcel->length;
    const uint32_t packet = cm_event_packet(mail->event);
    const bool worms = router->options.switching == CM_SWITCHING_WORMHOLE;
    struct record record = {mail->time, mail->event, 0, 0};
    if (cm_event_kind(mail->event) == CM_EVENT_RELEASE)
        record.idle_since = router->outputs[cm_event_index(mail->event)].idle_since;
    cm_buffer_append(parcel, &record, sizeof record);
    if (cm_event_kind(mail->event) != CM_EVENT_ARRIVE)
        return;
    cm_buffer_append(parcel, &router->packets[packet], sizeof *router->packets);
    if (worms) {
        const struct cm_worm *worm = &router->worms.items[packet];
        record.idle_since = router->outputs[worm->hops[worm->count - 1].output].idle_since;
        add_worm(router, packet);
    }
    if (!cm_list_push(&partition->free, packet))
        partition->failed = true;
    record.more = parcel->length - at - sizeof record;
    if (cm_buffer_ok(parcel))
        memcpy(parcel->data + at, &record, sizeof record);
}

static void put(struct cm_buffer *parcel, const void *items, uint32_t count, size_t size)
{
    if (count > 0)
        cm_buffer_append(parcel, items, count * size);
}

/* Packs the reports of this process's partitions, one kind after the other. */
static void pack_reports(const struct cm_router *router, struct cm_buffer *parcel)
{
    const struct cm_partition *partitions = &router->partitions[router->own_partition];
    const uint32_t count = router->own_partitions;
    for (uint32_t k = 0; k < count; k++)
        put(parcel, partitions[k].collected_hops.packets, partitions[k].collected_hops.count,
            sizeof(uint64_t));
    for (uint32_t k = 0; k < count; k++)
        put(parcel, partitions[k].collected_hops.channels, partitions[k].collected_hops.count,
            sizeof(uint32_t));
    for (uint32_t k = 0; k < count; k++)
        put(parcel, partitions[k].collected_hops.asked, partitions[k].collected_hops.count,
            sizeof(uint64_t));
    for (uint32_t k = 0; k < count; k++)
        put(parcel, partitions[k].hop_ends.items, partitions[k].hop_ends.count,
            sizeof *partitions[k].hop_ends.items);
    for (uint32_t k = 0; k < count; k++)
        put(parcel, partitions[k].arrivals.items, partitions[k].arrivals.count,
            sizeof *partitions[k].arrivals.items);
}

static void pack(struct cm_router *router, uint64_t round)
{
    struct cm_buffer *parcel = &router->trade->parcel;
    struct head head = {.next = UINT64_MAX};
    parcel->length = 0;
    cm_buffer_append(parcel, &head, sizeof head);
    for (uint32_t k = router->own_partition; k < router->own_partition + router->own_partitions;
         k++) {
        const struct cm_partition *partition = &router->partitions[k];
        const struct cm_outlook *outlook = &partition->outlook[round & 1];
        head.next = outlook->next < head.next ? outlook->next : head.next;
        head.failed = head.failed || outlook->failed || router->failed;
        head.hops += partition->collected_hops.count;
        head.hop_ends += partition->hop_ends.count;
        head.arrivals += partition->arrivals.count;
    }
    pack_reports(router, parcel);
    for (uint32_t k = router->own_partition; k < router->own_partition + router->own_partitions;
         k++)
        for (uint32_t to = 0; to < router->partition_count; to++) {
            struct cm_partition *partition = &router->partitions[k];
            for (uint32_t i = 0; !cm_router_owns(router, to) && i < partition->mail[to].count; i++)
                add_mail(router, partition, &partition->mail[to].items[i]);
            if (cm_router_owns(router, to))
                continue;
            head.mails += partition->mail[to].count;
            partition->mail[to].count = 0;
        }
    if (cm_buffer_ok(parcel))
        memcpy(parcel->data, &head, sizeof head);
}

/* Begins the worm of a packet that arrived from another process. `from` points to the bytes behind
 * the packet. */
static bool take_worm(struct cm_router *router, uint32_t packet, const char *from)
{
    struct cm_worm *worm = &router->worms.items[packet];
    struct worm_record record;
    memcpy(&record, from, sizeof record);
    from += sizeof record;
    if (!cm_worm_begin(router, worm))
        return false;
    worm->count = record.count;
    worm->terminal = record.terminal;
    worm->source_freed = record.source_freed;
    memcpy(worm->hops, from, record.count * sizeof *worm->hops);
    from += record.count * sizeof *worm->hops;
    if (record.times > 0)
        memcpy(worm->times, from, record.times * sizeof *worm->times);
    return true;
}

/* Takes in a packet from another process. The packet gets a packet number of this process, which
 * replaces the number in the event. */
static bool take_packet(struct cm_router *router, struct cm_partition *partition,
                        struct record *record, const char *from)
{
    const uint32_t packet = cm_router_take_packet(router, partition);
    if (packet == CM_ROUTER_NONE)
        return false;
    cm_router_make_room(router);
    if (router->failed)
        return false;
    memcpy(&router->packets[packet], from, sizeof *router->packets);
    record->event = cm_event(CM_EVENT_ARRIVE, packet, cm_event_index(record->event));
    if (router->options.switching != CM_SWITCHING_WORMHOLE)
        return true;
    if (!take_worm(router, packet, from + sizeof *router->packets))
        return false;
    const struct cm_worm *worm = &router->worms.items[packet];
    router->outputs[worm->hops[worm->count - 1].output].idle_since = record->idle_since;
    return true;
}

static bool take_mail(struct cm_router *router, struct record record, const char *more)
{
    const uint32_t index = cm_event_index(record.event);
    struct cm_partition *partition =
        cm_router_partition_of(router, cm_router_node_of(router, index));
    if (!cm_router_owns(router, (uint32_t)(partition - router->partitions)))
        return true;
    if (cm_event_kind(record.event) == CM_EVENT_RELEASE)
        router->outputs[index].idle_since = record.idle_since;
    if (cm_event_kind(record.event) == CM_EVENT_ARRIVE &&
        !take_packet(router, partition, &record, more))
        return false;
    return cm_wheel_add(&partition->wheel, record.time, record.event);
}

/* Copies bytes out of a parcel and advances *at. */
static void take(void *to, uint64_t bytes, const char **at)
{
    if (bytes > 0)
        memcpy(to, *at, bytes);
    *at += bytes;
}

static bool unpack_reports(struct cm_partition *partition, const struct head *head, const char **at)
{
    struct cm_hop_list *hops = &partition->collected_hops;
    if (!cm_router_room_for_hops(hops, head->hops) ||
        !cm_list_extend(&partition->hop_ends, head->hop_ends) ||
        !cm_list_extend(&partition->arrivals, head->arrivals))
        return false;
    hops->count = (uint32_t)head->hops;
    partition->hop_ends.count = (uint32_t)head->hop_ends;
    partition->arrivals.count = (uint32_t)head->arrivals;
    take(hops->packets, head->hops * sizeof *hops->packets, at);
    take(hops->channels, head->hops * sizeof *hops->channels, at);
    take(hops->asked, head->hops * sizeof *hops->asked, at);
    take(partition->hop_ends.items, head->hop_ends * sizeof *partition->hop_ends.items, at);
    take(partition->arrivals.items, head->arrivals * sizeof *partition->arrivals.items, at);
    return true;
}

/* Unpacks the parcel of a process. Outlook and reports are stored in the first partition of that
 * process. */
static bool unpack(struct cm_router *router, uint32_t rank, uint64_t round)
{
    const char *at = parcel_of(router->trade, rank);
    struct cm_partition *partition = &router->partitions[rank * router->own_partitions];
    struct head head;
    memcpy(&head, at, sizeof head);
    at += sizeof head;
    for (uint32_t k = 0; k < router->own_partitions; k++)
        partition[k].outlook[round & 1] = (struct cm_outlook){.next = UINT64_MAX};
    partition->outlook[round & 1] = (struct cm_outlook){.next = head.next, .failed = head.failed};
    router->failed = router->failed || head.failed;
    if (!unpack_reports(partition, &head, &at))
        return false;
    for (uint64_t i = 0; i < head.mails; i++) {
        struct record record;
        memcpy(&record, at, sizeof record);
        at += sizeof record;
        if (!take_mail(router, record, at))
            return false;
        at += record.more;
    }
    return true;
}

enum cm_status cm_trade_word_time(struct cm_router *router, uint64_t round, struct cm_error *err)
{
    pack(router, round);
    enum cm_status status = gather_parcels(router, err);
    for (uint32_t r = 0; status == CM_OK && r < router->link->count; r++)
        if (r != router->link->rank && !unpack(router, r, round))
            status = cm_error_no_memory(err);
    return status;
}

/* ---- results after the run ---- */

/* Counts of a partition, followed in the parcel by its rows of wait counts (blocked.c). */
struct totals {
    uint64_t gone, delivered, hops, word_times, arriving, blocked;
    uint32_t path_max, congestion;
};

static void pack_totals(struct cm_router *router)
{
    struct cm_buffer *parcel = &router->trade->parcel;
    const uint64_t bytes = 0;
    parcel->length = 0;
    cm_buffer_append(parcel, &bytes, sizeof bytes);
    for (uint32_t k = router->own_partition; k < router->own_partition + router->own_partitions;
         k++) {
        const struct cm_partition *partition = &router->partitions[k];
        const struct totals totals = {
            .gone = partition->gone,
            .delivered = partition->delivered,
            .hops = partition->hops,
            .word_times = partition->word_times,
            .arriving = cm_router_arriving(partition),
            .blocked = partition->blocked.count,
            .path_max = partition->path_max,
            .congestion = partition->congestion,
        };
        cm_buffer_append(parcel, &totals, sizeof totals);
        if (partition->blocked.count > 0)
            cm_buffer_append(parcel, partition->blocked.items,
                             partition->blocked.count * sizeof *partition->blocked.items);
    }
}

static bool unpack_totals(struct cm_router *router, uint32_t rank)
{
    const char *at = parcel_of(router->trade, rank) + sizeof(uint64_t);
    for (uint32_t k = 0; k < router->own_partitions; k++) {
        struct cm_partition *partition = &router->partitions[rank * router->own_partitions + k];
        struct totals totals;
        memcpy(&totals, at, sizeof totals);
        at += sizeof totals;
        partition->gone = totals.gone;
        partition->delivered = totals.delivered;
        partition->hops = totals.hops;
        partition->word_times = totals.word_times;
        /* The slot does not matter, because cm_router_arriving adds up all slots. */
        partition->wheel.arrivals[0] = (uint32_t)totals.arriving;
        partition->path_max = totals.path_max;
        partition->congestion = totals.congestion;
        if (!cm_list_extend(&partition->blocked, totals.blocked))
            return false;
        if (totals.blocked > 0)
            memcpy(partition->blocked.items, at, totals.blocked * sizeof *partition->blocked.items);
        partition->blocked.count = (uint32_t)totals.blocked;
        at += totals.blocked * sizeof *partition->blocked.items;
    }
    return true;
}

/* Frees the stored holds of this process's channels, because they are pointers, which mean nothing
 * in another process. */
static void drop_holds(const struct cm_router *router, size_t first, size_t count)
{
    for (size_t i = first; i < first + count; i++) {
        free(router->outputs[i].holds);
        router->outputs[i].holds = NULL;
        router->outputs[i].hold_count = router->outputs[i].hold_capacity = 0;
    }
}

enum cm_status cm_trade_results(struct cm_router *router, struct cm_error *err)
{
    const struct cm_process_link *link = router->link;
    const size_t places = (size_t)(router->nodes / link->count) << router->shift;
    pack_totals(router);
    enum cm_status status = gather_parcels(router, err);
    for (uint32_t r = 0; status == CM_OK && r < link->count; r++)
        if (r != link->rank && !unpack_totals(router, r))
            status = cm_error_no_memory(err);
    drop_holds(router, link->rank * places, places);
    if (status == CM_OK)
        status =
            cm_processes_gather(link, router->outputs, places * sizeof *router->outputs, 1, err);
    if (status == CM_OK)
        status = cm_processes_gather(link, router->waits, places * sizeof *router->waits, 1, err);
    if (status == CM_OK)
        status = cm_processes_gather(link, router->blocked_rows,
                                     places * sizeof *router->blocked_rows, 1, err);
    return status;
}
