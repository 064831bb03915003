/* The parts of a router: their number, their memory, and the events that one has for another. */
#include "router_private.h"

#include <string.h>

#define PARTS_MAX       64u
#define PARTS_OF_THREAD 8u  /* so that a thread that is done can take over some of another's */
#define NODES_MIN       16u /* of a part */
#define SLOTS_MAX       (UINT64_C(1) << 20) /* of the wheels of all parts */
#define SHARE_FROM      400u                /* events: docs/speed.md */

/* How many word times ahead of now an event may be. */
static uint64_t reach(const struct cm_router_options *options)
{
    return 2 * (uint64_t)options->words + options->header_words + 128;
}

void cm_router_choose_parts(struct cm_router *router)
{
    const struct cm_router_options *options = &router->options;
    uint32_t parts = 1, nodes_min = options->share_from == 0 ? NODES_MIN : 1;
    if (options->threads > 1) {
        while (parts < PARTS_OF_THREAD * options->threads && 2 * parts <= PARTS_MAX &&
               2 * parts * nodes_min <= router->nodes && 2 * parts * reach(options) <= SLOTS_MAX)
            parts *= 2;
    }
    router->part_count = parts;
    router->part_shift = options->dimensions - (uint32_t)__builtin_ctz(parts);
    router->share_from = options->share_from == 0 ? SHARE_FROM : options->share_from;
    if (parts == 1)
        router->share_from = UINT32_MAX;
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

bool cm_router_allocate_parts(struct cm_router *router)
{
    bool good = true;
    router->parts = aligned_alloc(64, router->part_count * sizeof *router->parts);
    if (router->parts == NULL)
        return false;
    memset(router->parts, 0, router->part_count * sizeof *router->parts);
    for (uint32_t k = 0; k < router->part_count; k++)
        good = good && allocate_part(router, &router->parts[k], k);
    return good;
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
    cm_list_finish(&part->reports);
}

void cm_router_free_parts(struct cm_router *router)
{
    for (uint32_t k = 0; router->parts != NULL && k < router->part_count; k++)
        free_part(&router->parts[k], router->part_count);
    free(router->parts);
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
