/*
 * Partitions of the router: their number, their memory, and the events that one partition has for
 * another. A run begins with one partition, which is split once, when the load justifies several
 * threads.
 */
#include "private.h"

#include <string.h>

#define PARTITIONS_MAX 64u
/* Partitions for each thread: several, so that a thread that is done can take over partitions of
 * another thread. */
#define PARTITIONS_OF_THREAD 4u
#define NODES_MIN            16u                 /* fewest nodes of a partition */
#define SLOTS_MAX            (UINT64_C(1) << 20) /* most slots in the wheels of all partitions */
/* fewest events of a word time for which threads share the router, as measured in docs/speed.md */
#define SHARE_FROM 800u

/* Returns the largest number of word times by which an event may be ahead of the current word
 * time. */
static uint64_t reach(const struct cm_router_options *options)
{
    return 2 * (uint64_t)options->words + options->header_words + 128;
}

/* Returns the number of partitions for the threads of all processes, or 1 if there is one thread or
 * sharing does not pay. */
static uint32_t partitions_to_share(const struct cm_router *router)
{
    const struct cm_router_options *options = &router->options;
    const uint32_t processes = router->link != NULL ? router->link->count : 1;
    uint32_t partitions = processes, nodes_min = options->share_from == 0 ? NODES_MIN : 1;
    while (
        options->threads > 1 && partitions < PARTITIONS_OF_THREAD * options->threads * processes &&
        2 * partitions <= PARTITIONS_MAX * processes &&
        2 * partitions * nodes_min <= router->nodes && 2 * partitions * reach(options) <= SLOTS_MAX)
        partitions *= 2;
    return partitions;
}

static bool allocate_partition(struct cm_router *router, struct cm_partition *partition,
                               uint32_t number)
{
    uint32_t nodes = 1u << router->partition_shift;
    uint32_t words = (nodes + 63) / 64;
    partition->first = number << router->partition_shift;
    partition->marked_words = (words + 63) / 64;
    partition->marks = calloc(words, sizeof *partition->marks);
    partition->marked = calloc(partition->marked_words, sizeof *partition->marked);
    partition->listed = calloc(nodes, sizeof *partition->listed);
    partition->mail = calloc(router->partition_count, sizeof *partition->mail);
    partition->mail_next = UINT64_MAX;
    if (router->suspects != NULL)
        partition->suspects = router->suspects + ((size_t)2 * partition->first << router->shift);
    return partition->marks != NULL && partition->marked != NULL && partition->listed != NULL &&
           partition->mail != NULL && cm_wheel_init(&partition->wheel, reach(&router->options));
}

static bool allocate_partitions(struct cm_router *router, uint32_t count)
{
    bool good = true;
    const uint32_t processes = router->link != NULL && count > 1 ? router->link->count : 1;
    router->partition_count = count;
    router->own_partitions = count / processes;
    router->own_partition = processes > 1 ? router->link->rank * router->own_partitions : 0;
    router->partition_shift = router->options.dimensions - (uint32_t)__builtin_ctz(count);
    router->partitions = aligned_alloc(64, count * sizeof *router->partitions);
    if (router->partitions == NULL)
        return false;
    memset(router->partitions, 0, count * sizeof *router->partitions);
    for (uint32_t k = 0; k < count; k++)
        good = good && allocate_partition(router, &router->partitions[k], k);
    return good;
}

bool cm_router_allocate_partitions(struct cm_router *router)
{
    const struct cm_router_options *options = &router->options;
    router->share_from = options->share_from == 0 ? SHARE_FROM : options->share_from;
    if (partitions_to_share(router) == 1)
        router->share_from = UINT32_MAX;
    return allocate_partitions(router, 1);
}

static void free_partition(struct cm_partition *partition, uint32_t partitions)
{
    for (uint32_t k = 0; partition->mail != NULL && k < partitions; k++)
        cm_list_finish(&partition->mail[k]);
    free(partition->mail);
    free(partition->marks);
    free(partition->marked);
    free(partition->listed);
    cm_wheel_finish(&partition->wheel);
    cm_list_finish(&partition->blocked);
    cm_list_finish(&partition->free);
    cm_list_finish(&partition->posted);
    free(partition->collected_hops.packets);
    free(partition->collected_hops.channels);
    free(partition->collected_hops.asked);
    cm_list_finish(&partition->hop_ends);
    cm_list_finish(&partition->arrivals);
}

static void free_partitions(struct cm_partition *partitions, uint32_t count)
{
    for (uint32_t k = 0; partitions != NULL && k < count; k++)
        free_partition(&partitions[k], count);
    free(partitions);
}

void cm_router_free_partitions(struct cm_router *router)
{
    free_partitions(router->partitions, router->partition_count);
}

/* Moves an event from slot `s` of the undivided router's timing wheel to the partition that has its
 * node now. Adds CM_EVENT_ROOM if the event frees buffer space in another partition. */
static bool hand_over(struct cm_router *router, uint32_t s, uint64_t event)
{
    uint32_t index = cm_event_index(event);
    struct cm_partition *partition =
        cm_router_partition_of(router, cm_router_node_of(router, index));
    if (!cm_wheel_add(&partition->wheel, s, event))
        return false;
    if (cm_event_kind(event) != CM_EVENT_LEFT ||
        router->outputs[index].turn == router->output_count)
        return true;
    uint32_t output = cm_router_far_end(router, index - cm_router_local_of(router, index) +
                                                    router->outputs[index].turn);
    partition = cm_router_partition_of(router, cm_router_node_of(router, output));
    return partition == cm_router_partition_of(router, cm_router_node_of(router, index)) ||
           cm_wheel_add(&partition->wheel, s, cm_event(CM_EVENT_ROOM, 0, output));
}

/* Moves the wait counts of output `index` to the partition that owns it now. */
static bool hand_over_row(struct cm_router *router, const struct cm_partition *all, uint32_t index)
{
    const size_t size = cm_router_row_size(router);
    const uint64_t *row = all->blocked.items + (size_t)(router->blocked_rows[index] - 1) * size;
    struct cm_partition *partition =
        cm_router_partition_of(router, cm_router_node_of(router, index));
    size_t at = partition->blocked.count;
    if (!cm_list_extend(&partition->blocked, at + size))
        return false;
    memcpy(partition->blocked.items + at, row, size * sizeof *row);
    router->blocked_rows[index] = (uint32_t)(at / size + 1);
    return true;
}

/* Distributes the state of the partition that had all nodes to the new partitions. Its counts of
 * packets stay together, in the first new partition. */
static bool take_over(struct cm_router *router, struct cm_partition *all)
{
    struct cm_partition *first = &router->partitions[0];
    bool good = true;
    for (uint32_t s = 0; s < all->wheel.size; s++) {
        const struct cm_wheel_slot *slot = &all->wheel.slots[s];
        first->wheel.arrivals[s] = all->wheel.arrivals[s];
        for (uint32_t i = 0; i < slot->count; i++)
            good = good && hand_over(router, s, slot->events[i]);
    }
    for (uint32_t i = 0; i < router->nodes << router->shift; i++)
        good = good && (router->blocked_rows[i] == 0 || hand_over_row(router, all, i));
    for (uint32_t i = 0; i < all->free.count; i++)
        good = good && cm_list_push(&first->free, all->free.items[i]);
    first->gone = all->gone;
    first->delivered = all->delivered;
    first->hops = all->hops;
    first->word_times = all->word_times;
    first->path_max = all->path_max;
    first->congestion = all->congestion;
    return good;
}

bool cm_router_split(struct cm_router *router)
{
    struct cm_partition *all = router->partitions;
    bool good = allocate_partitions(router, partitions_to_share(router)) && take_over(router, all);
    if (router->partitions == NULL) {
        router->partitions = all;
        router->partition_count = 1;
        router->partition_shift = router->options.dimensions;
        return false;
    }
    free_partitions(all, 1);
    router->failed = router->failed || !good;
    return true;
}

void cm_router_mail(struct cm_router *router, struct cm_partition *from,
                    const struct cm_partition *to, struct cm_mail mail)
{
    if (!cm_list_push(&from->mail[to - router->partitions], mail))
        from->failed = true;
    if (mail.time < from->mail_next)
        from->mail_next = mail.time;
}

void cm_router_collect(struct cm_router *router, struct cm_partition *partition)
{
    const size_t number = (size_t)(partition - router->partitions);
    for (uint32_t k = 0; k < router->partition_count; k++) {
        struct cm_partition *from = &router->partitions[k];
        for (uint32_t i = 0; i < from->mail[number].count; i++) {
            struct cm_mail mail = from->mail[number].items[i];
            if (!cm_wheel_add(&partition->wheel, mail.time, mail.event))
                partition->failed = true;
        }
        from->mail[number].count = 0;
    }
}
