/* Lists of packets, which are given to the sender as traffic. */
#include "packet_list.h"

#include <stdlib.h>

enum cm_status cm_packet_list_init(struct cm_packet_list *list, uint32_t nodes,
                                   struct cm_error *err)
{
    *list = (struct cm_packet_list){.nodes = nodes};
    list->first = malloc(nodes * sizeof *list->first);
    list->last = malloc(nodes * sizeof *list->last);
    if (list->first == NULL || list->last == NULL) {
        cm_packet_list_finish(list);
        return cm_error_no_memory(err);
    }
    for (uint32_t node = 0; node < nodes; node++)
        list->first[node] = list->last[node] = CM_PACKET_LIST_END;
    return CM_OK;
}

void cm_packet_list_finish(struct cm_packet_list *list)
{
    cm_list_finish(&list->packets);
    free(list->first);
    free(list->last);
    list->first = list->last = NULL;
}

void cm_packet_list_add(struct cm_packet_list *list, uint32_t source, uint32_t from,
                        uint32_t destination, uint32_t to)
{
    const uint32_t number = list->packets.count;
    if (!cm_list_push(&list->packets, (struct cm_listed_packet){.source = source,
                                                                .destination = destination,
                                                                .from = from,
                                                                .to = to,
                                                                .next = CM_PACKET_LIST_END}))
        return;
    if (list->last[source] == CM_PACKET_LIST_END)
        list->first[source] = number;
    else
        list->packets.items[list->last[source]].next = number;
    list->last[source] = number;
}

/* Serves as the function `next` of a struct cm_sending. The cursor is the number of the next packet
 * plus one, or 0 before the first packet. */
static bool next_packet(void *context, uint32_t node, uint64_t *cursor,
                        struct cm_sending_packet *packet)
{
    const struct cm_packet_run *run = context;
    const struct cm_packet_list *list = run->list;
    const uint32_t number = *cursor == 0 ? list->first[node] : (uint32_t)(*cursor - 1);
    if (number == CM_PACKET_LIST_END)
        return false;
    const struct cm_listed_packet *listed = &list->packets.items[number];
    const uint64_t stride = run->stride ? run->stride : run->words;
    *cursor = (uint64_t)listed->next + 1;
    *packet = (struct cm_sending_packet){.destination = listed->destination,
                                         .words = run->words,
                                         .from = listed->from * stride,
                                         .to = number};
    return true;
}

static void deliver_packet(void *context, uint32_t number, const uint32_t *words)
{
    const struct cm_packet_run *run = context;
    run->deliver(run->context, &run->list->packets.items[number], words);
}

enum cm_status cm_packet_list_check(const struct cm_system *system, uint32_t words,
                                    struct cm_error *err)
{
    return cm_sending_check(system, words, "", err);
}

enum cm_status cm_packet_list_send(struct cm_system *system, const struct cm_packet_run *run,
                                   struct cm_error *err)
{
    struct cm_packet_run own = *run;
    const struct cm_sending sending = {.nodes = run->list->nodes,
                                       .words = run->words,
                                       .src = run->src,
                                       .next = next_packet,
                                       .deliver = deliver_packet,
                                       .context = &own};
    enum cm_status status = cm_packet_list_check(system, run->words, err);
    return status == CM_OK ? cm_sending_run(system, &sending, err) : status;
}
