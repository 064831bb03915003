/* Transposes an array through the router, one packet for each element. */
#include "transpose_private.h"

/* Converts the index of an element in the source to its index in the destination. */
static void exchange_axes(const struct cm_transpose_task *task, const uint64_t *index,
                          uint64_t *turned)
{
    for (uint32_t a = 0; a < task->src.rank; a++)
        turned[a] = index[a];
    turned[task->axes[0]] = index[task->axes[1]];
    turned[task->axes[1]] = index[task->axes[0]];
}

static void add_element(const struct cm_transpose_task *task, const uint64_t *index,
                        struct cm_packet_list *list)
{
    const struct cm_layout *src = &task->src, *dst = &task->dst;
    uint64_t turned[CM_RANK_MAX], from, to;
    uint32_t source, destination;
    exchange_axes(task, index, turned);
    cm_layout_place(src, index, &source, &from);
    cm_layout_place(dst, turned, &destination, &to);
    for (uint32_t copy = 0; copy < cm_packet_list_copies(dst); copy++) {
        const uint32_t node = destination | copy << dst->used_bits;
        cm_packet_list_add(list, cm_packet_list_source(src, source, node), (uint32_t)from, node,
                           (uint32_t)to);
    }
}

enum cm_status cm_transpose_list_packets(const struct cm_transpose_task *task,
                                         struct cm_packet_list *list, struct cm_error *err)
{
    const struct cm_layout *src = &task->src;
    uint64_t index[CM_RANK_MAX] = {0};
    enum cm_status status = cm_packet_list_init(list, src->nodes, err);
    for (uint64_t e = 0; status == CM_OK && e < src->elements; e++) {
        add_element(task, index, list);
        for (uint32_t a = 0; a < src->rank && ++index[a] == src->axes[a].length; a++)
            index[a] = 0;
        if (list->packets.failed)
            status = cm_error_no_memory(err);
    }
    return status;
}

struct receiver {
    /* planes of the destination array. Without words if the machine has no data */
    struct cm_planes planes;
    uint32_t slices;
};

static void deliver(void *context, const struct cm_listed_packet *packet, const uint32_t *words)
{
    const struct receiver *receiver = context;
    for (uint32_t s = 0; receiver->planes.words != NULL && s < receiver->slices; s++)
        *cm_planes_word(&receiver->planes, (uint64_t)packet->to * receiver->slices + s,
                        packet->destination) = words[s];
}

enum cm_status cm_transpose_route(struct cm_system *system, const struct cm_transpose *transpose,
                                  uint64_t dst, uint64_t src, struct cm_error *err)
{
    const struct cm_transpose_task *task = &transpose->task;
    struct receiver receiver = {.slices = task->dst.slices};
    struct cm_packet_run run = {.list = &transpose->list,
                                .words = task->src.slices,
                                .deliver = deliver,
                                .context = &receiver};
    enum cm_status status = CM_OK;
    if (!cm_machine_timing_only(system->machine)) {
        status = cm_machine_planes(system->machine, src, task->src.local_words, &run.src, err);
        if (status == CM_OK)
            status = cm_machine_planes(system->machine, dst, task->dst.local_words,
                                       &receiver.planes, err);
    }
    return status == CM_OK ? cm_packet_list_send(system, &run, err) : status;
}
