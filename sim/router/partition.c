/*
 * Partitions of the router: their number, their memory, and the events that one has for another. A
 * run begins with one partition. It is split once, when the load justifies several threads.
 */
#include "private.h"

#include <string.h>

#define PARTS_MAX 64u
/* so that a thread that is done can take over partitions of another thread */
#define PARTS_OF_THREAD 4u
#define NODES_MIN       16u                 /* fewest nodes of a partition */
#define SLOTS_MAX       (UINT64_C(1) << 20) /* most slots in the wheels of all partitions */
/* fewest events of a word time, as measured in docs/speed.md */
#define SHARE_FROM 800u

/* Returns the number of word times by which an event may be ahead. */
static uint64_t reach(const struct cm_router_options *options)
{
    return 2 * (uint64_t)options->words + options->header_words + 128;
}

/* Returns the number of partitions for the threads of all processes, or 1 if there is one thread or
 * sharing does not pay. */
static uint32_t parts_to_share(const struct cm_router *router)
{
    const struct cm_router_options *options = &router->options;
    const uint32_t processes = router->link != NULL ? router->link->count : 1;
    uint32_t parts = processes, nodes_min = options->share_from == 0 ? NODES_MIN : 1;
    while (options->threads > 1 && parts < PARTS_OF_THREAD * options->threads * processes &&
           2 * parts <= PARTS_MAX * processes && 2 * parts * nodes_min <= router->nodes &&
           2 * parts * reach(options) <= SLOTS_MAX)
        parts *= 2;
    return parts;
}

static bool allocate_part(struct cm_router *router, struct cm_part *part, uint32_t number)
{
    uint32_t nodes = 1u << router->part_shift;
    uint32_t words = (nodes + 63) / 64;
    part->first = number << router->part_shift;
    part->marked_words = (words + 63) / 64;
    part->marks = calloc(words, sizeof *part->marks);
    part->marked = calloc(part->marked_words, sizeof *part->marked);
    part->listed = calloc(nodes, sizeof *part->listed);
    part->mail = calloc(router->part_count, sizeof *part->mail);
    part->mail_next = UINT64_MAX;
    if (router->suspects != NULL)
        part->suspects = router->suspects + ((size_t)2 * part->first << router->shift);
    return part->marks != NULL && part->marked != NULL && part->listed != NULL &&
           part->mail != NULL && cm_wheel_init(&part->wheel, reach(&router->options));
}

static bool allocate_parts(struct cm_router *router, uint32_t count)
{
    bool good = true;
    const uint32_t processes = router->link != NULL && count > 1 ? router->link->count : 1;
    router->part_count = count;
    router->own_parts = count / processes;
    router->own_part = processes > 1 ? router->link->rank * router->own_parts : 0;
    router->part_shift = router->options.dimensions - (uint32_t)__builtin_ctz(count);
    router->parts = aligned_alloc(64, count * sizeof *router->parts);
    if (router->parts == NULL)
        return false;
    memset(router->parts, 0, count * sizeof *router->parts);
    for (uint32_t k = 0; k < count; k++)
        good = good && allocate_part(router, &router->parts[k], k);
    return good;
}

bool cm_router_allocate_parts(struct cm_router *router)
{
    const struct cm_router_options *options = &router->options;
    router->share_from = options->share_from == 0 ? SHARE_FROM : options->share_from;
    if (parts_to_share(router) == 1)
        router->share_from = UINT32_MAX;
    return allocate_parts(router, 1);
}

static void free_part(struct cm_part *part, uint32_t parts)
{
    for (uint32_t k = 0; part->mail != NULL && k < parts; k++)
        cm_list_finish(&part->mail[k]);
    free(part->mail);
    free(part->marks);
    free(part->marked);
    free(part->listed);
    cm_wheel_finish(&part->wheel);
    cm_list_finish(&part->blocked);
    cm_list_finish(&part->free);
    cm_list_finish(&part->posted);
    free(part->hops_kept.packets);
    free(part->hops_kept.channels);
    free(part->hops_kept.asked);
    cm_list_finish(&part->hop_ends);
    cm_list_finish(&part->arrivals);
}

static void free_parts(struct cm_part *parts, uint32_t count)
{
    for (uint32_t k = 0; parts != NULL && k < count; k++)
        free_part(&parts[k], count);
    free(parts);
}

void cm_router_free_parts(struct cm_router *router)
{
    free_parts(router->parts, router->part_count);
}

/* Moves an event of slot `s` to the partition that owns it now. Adds CM_EVENT_ROOM if the event
 * frees buffer space in another partition. */
static bool hand_over(struct cm_router *router, uint32_t s, uint64_t event)
{
    uint32_t index = cm_event_index(event);
    struct cm_part *part = cm_router_part_of(router, cm_router_node_of(router, index));
    if (!cm_wheel_add(&part->wheel, s, event))
        return false;
    if (cm_event_kind(event) != CM_EVENT_LEFT || router->outs[index].turn == router->outs_count)
        return true;
    uint32_t out = cm_router_far_end(router, index - cm_router_local_of(router, index) +
                                                 router->outs[index].turn);
    part = cm_router_part_of(router, cm_router_node_of(router, out));
    return part == cm_router_part_of(router, cm_router_node_of(router, index)) ||
           cm_wheel_add(&part->wheel, s, cm_event(CM_EVENT_ROOM, 0, out));
}

/* Moves the wait counts of out `index` to the partition that owns it now. */
static bool hand_over_row(struct cm_router *router, const struct cm_part *all, uint32_t index)
{
    const size_t size = cm_router_row_size(router);
    const uint64_t *row = all->blocked.items + (size_t)(router->blocked_rows[index] - 1) * size;
    struct cm_part *part = cm_router_part_of(router, cm_router_node_of(router, index));
    size_t at = part->blocked.count;
    if (!cm_list_extend(&part->blocked, at + size))
        return false;
    memcpy(part->blocked.items + at, row, size * sizeof *row);
    router->blocked_rows[index] = (uint32_t)(at / size + 1);
    return true;
}

/* Distributes the state of the partition of all nodes to the new partitions. Its counts stay
 * together, in the first partition. */
static bool take_over(struct cm_router *router, struct cm_part *all)
{
    struct cm_part *first = &router->parts[0];
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
    struct cm_part *all = router->parts;
    bool good = allocate_parts(router, parts_to_share(router)) && take_over(router, all);
    if (router->parts == NULL) {
        router->parts = all;
        router->part_count = 1;
        router->part_shift = router->options.dimensions;
        return false;
    }
    free_parts(all, 1);
    router->failed = router->failed || !good;
    return true;
}

void cm_router_mail(struct cm_router *router, struct cm_part *from, const struct cm_part *to,
                    struct cm_mail mail)
{
    if (!cm_list_push(&from->mail[to - router->parts], mail))
        from->failed = true;
    if (mail.time < from->mail_next)
        from->mail_next = mail.time;
}

void cm_router_collect(struct cm_router *router, struct cm_part *part)
{
    const size_t number = (size_t)(part - router->parts);
    for (uint32_t k = 0; k < router->part_count; k++) {
        struct cm_part *from = &router->parts[k];
        for (uint32_t i = 0; i < from->mail[number].count; i++) {
            struct cm_mail mail = from->mail[number].items[i];
            if (!cm_wheel_add(&part->wheel, mail.time, mail.event))
                part->failed = true;
        }
        from->mail[number].count = 0;
    }
}
