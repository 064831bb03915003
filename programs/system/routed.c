/* Lists of moves, as traffic for the sender. */
#include "routed.h"

#include <stdlib.h>

enum cm_status cm_routed_init(struct cm_routed *routed, uint32_t nodes, struct cm_error *err)
{
    *routed = (struct cm_routed){.nodes = nodes};
    routed->first = malloc(nodes * sizeof *routed->first);
    routed->last = malloc(nodes * sizeof *routed->last);
    if (routed->first == NULL || routed->last == NULL) {
        cm_routed_finish(routed);
        return cm_error_no_memory(err);
    }
    for (uint32_t node = 0; node < nodes; node++)
        routed->first[node] = routed->last[node] = CM_ROUTED_END;
    return CM_OK;
}

void cm_routed_finish(struct cm_routed *routed)
{
    cm_list_finish(&routed->moves);
    free(routed->first);
    free(routed->last);
    routed->first = routed->last = NULL;
}

void cm_routed_add(struct cm_routed *routed, uint32_t source, uint32_t from, uint32_t destination,
                   uint32_t to)
{
    const uint32_t number = routed->moves.count;
    if (!cm_list_push(&routed->moves, (struct cm_routed_move){.source = source,
                                                              .destination = destination,
                                                              .from = from,
                                                              .to = to,
                                                              .next = CM_ROUTED_END}))
        return;
    if (routed->last[source] == CM_ROUTED_END)
        routed->first[source] = number;
    else
        routed->moves.items[routed->last[source]].next = number;
    routed->last[source] = number;
}

/* A cm_sending's `next`. The cursor is the number of the move plus one, or 0 for the first. */
static bool next_move(void *context, uint32_t node, uint64_t *cursor,
                      struct cm_sending_packet *packet)
{
    const struct cm_routed_run *run = context;
    const struct cm_routed *routed = run->routed;
    const uint32_t number = *cursor == 0 ? routed->first[node] : (uint32_t)(*cursor - 1);
    if (number == CM_ROUTED_END)
        return false;
    const struct cm_routed_move *move = &routed->moves.items[number];
    const uint64_t stride = run->stride ? run->stride : run->words;
    *cursor = (uint64_t)move->next + 1;
    *packet = (struct cm_sending_packet){.destination = move->destination,
                                         .words = run->words,
                                         .from = move->from * stride,
                                         .to = number};
    return true;
}

static void deliver_move(void *context, uint32_t number, const uint32_t *words)
{
    const struct cm_routed_run *run = context;
    run->deliver(run->context, &run->routed->moves.items[number], words);
}

enum cm_status cm_routed_check(const struct cm_system *system, uint32_t words, struct cm_error *err)
{
    return cm_sending_check(system, words, "", err);
}

enum cm_status cm_routed_send(struct cm_system *system, const struct cm_routed_run *run,
                              struct cm_error *err)
{
    struct cm_routed_run own = *run;
    const struct cm_sending sending = {.nodes = run->routed->nodes,
                                       .words = run->words,
                                       .src = run->src,
                                       .next = next_move,
                                       .deliver = deliver_move,
                                       .context = &own};
    enum cm_status status = cm_routed_check(system, run->words, err);
    return status == CM_OK ? cm_sending_run(system, &sending, err) : status;
}
