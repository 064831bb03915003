/*
 * Gets and sends by subscripts: checks arguments and performs calls. A call reads the subscripts,
 * runs the router and writes the elements. A send first collects the elements that arrive. Then it
 * combines them in the order of the senders' elements, no matter in which order they arrived.
 */
#include "gather_private.h"

#include <inttypes.h>
#include <string.h>

/* number of words of a request: the place for the reply. The header of the packet has the requested
 * place */
#define REQUEST_WORDS 1u

enum cm_status cm_gather_setup(struct cm_system *system, const struct cm_gather_task *task,
                               struct cm_gather **gather, struct cm_error *err)
{
    *gather = NULL;
    if (task->dst.type != task->src.type)
        return cm_error_refuse(err, "source and destination need one type",
                               "the source is %s, but the destination is %s",
                               cm_type_name(task->src.type), cm_type_name(task->dst.type));
    if (task->first > 1)
        return cm_error_set(err, CM_BAD_INPUT, "indices count from 0 or from 1");
    if (task->kind == CM_GATHER_SEND && !cm_gather_takes(task->op, task->dst.type))
        return cm_error_refuse(err,
                               "overwrite takes any type; add numbers; min and max real and "
                               "int32; and, or and xor int32 and logical",
                               "%s does not take %s arrays", cm_gather_op_name(task->op),
                               cm_type_name(task->dst.type));
    enum cm_status status = cm_packet_list_check(system, task->src.slices, err);
    if (status != CM_OK)
        return status;
    *gather = calloc(1, sizeof **gather);
    if (*gather == NULL)
        return cm_error_no_memory(err);
    (*gather)->task = *task;
    return CM_OK;
}

void cm_gather_deallocate(struct cm_gather *gather)
{
    free(gather);
}

struct cm_gather_info cm_gather_info(const struct cm_gather *gather)
{
    return gather->info;
}

static enum cm_status expect_layout(const struct cm_layout *model, enum cm_type type,
                                    const struct cm_array *array, const char *role,
                                    struct cm_error *err)
{
    struct cm_layout wanted = *model;
    if (!array)
        return cm_error_set(err, CM_BAD_INPUT, "a %s is missing", role);
    wanted.type = type;
    if (cm_layout_equal(&wanted, &array->layout) && !cm_array_is_allocated(array))
        return CM_OK;
    return cm_error_refuse(err, "arrays of a call are laid out as the setup's layouts",
                           "the %s \"%s\" is not a %s array laid out as its setup says", role,
                           array->name, cm_type_name(type));
}

static enum cm_status check_arrays(const struct cm_gather_task *task,
                                   const struct cm_gather_arrays *arrays, struct cm_error *err)
{
    const struct cm_layout *indexing = cm_gather_indexing(task);
    enum cm_status status =
        expect_layout(&task->dst, task->dst.type, arrays->dst, "destination", err);
    if (status == CM_OK)
        status = expect_layout(&task->src, task->src.type, arrays->src, "source", err);
    for (uint32_t a = 0; status == CM_OK && a < cm_gather_indexed(task)->rank; a++)
        status = expect_layout(indexing, CM_TYPE_INT32, arrays->subscripts[a], "subscript", err);
    if (status == CM_OK && task->masked)
        status = expect_layout(indexing, CM_TYPE_LOGICAL, arrays->mask, "mask", err);
    if (status == CM_OK && arrays->dst->address == arrays->src->address)
        return cm_error_refuse(err, "copy the source to another array first",
                               "\"%s\" is both source and destination", arrays->src->name);
    return status;
}

/* State of a call of a get or a send. */
struct call {
    const struct cm_gather_task *task;
    struct cm_packet_list first;   /* packets of a send, or requests of a get */
    struct cm_packet_list replies; /* replies of a get */
    uint32_t *arrived;             /* arrived words of a send, packet by packet */
    /* planes of the two arrays, without words if the machine has no data */
    struct cm_planes dst, src;
};

/* Returns the address of a word of an element in the planes of an array. */
static uint32_t *word_at(const struct cm_planes *planes, const struct cm_layout *layout,
                         uint32_t node, uint32_t element, uint32_t slice)
{
    return cm_planes_word(planes, (uint64_t)element * layout->slices + slice, node);
}

/* Handles the arrival of a request for an element: adds the reply to the packets. */
static void take_request(void *context, const struct cm_listed_packet *packet,
                         const uint32_t *words)
{
    struct call *call = context;
    (void)words;
    cm_packet_list_add(&call->replies, packet->destination, packet->to, packet->source,
                       packet->from);
}

static void take_reply(void *context, const struct cm_listed_packet *packet, const uint32_t *words)
{
    struct call *call = context;
    const struct cm_layout *layout = &call->task->dst;
    for (uint32_t s = 0; call->dst.words != NULL && s < layout->slices; s++)
        *word_at(&call->dst, layout, packet->destination, packet->to, s) = words[s];
}

static void take_element(void *context, const struct cm_listed_packet *packet,
                         const uint32_t *words)
{
    struct call *call = context;
    const uint32_t slices = call->task->dst.slices;
    const size_t number = (size_t)(packet - call->first.packets.items);
    if (call->arrived != NULL)
        memcpy(call->arrived + number * slices, words, slices * sizeof *words);
}

static enum cm_status run_get(struct cm_system *system, struct call *call, struct cm_error *err)
{
    struct cm_packet_run run = {
        .list = &call->first, .words = REQUEST_WORDS, .deliver = take_request, .context = call};
    enum cm_status status = cm_packet_list_send(system, &run, err);
    if (status == CM_OK && call->replies.packets.failed)
        status = cm_error_no_memory(err);
    if (status != CM_OK)
        return status;
    run = (struct cm_packet_run){.list = &call->replies,
                                 .words = call->task->src.slices,
                                 .src = call->src,
                                 .deliver = take_reply,
                                 .context = call};
    return cm_packet_list_send(system, &run, err);
}

/* Combines all arrived elements with the destination, in the order of the senders' elements. */
static void combine_all(const struct call *call)
{
    const struct cm_layout *layout = &call->task->dst;
    for (uint32_t i = 0; i < call->first.packets.count; i++) {
        const struct cm_listed_packet *packet = &call->first.packets.items[i];
        uint32_t there[4];
        for (uint32_t s = 0; s < layout->slices; s++)
            there[s] = *word_at(&call->dst, layout, packet->destination, packet->to, s);
        cm_gather_combine(call->task->op, layout->type, there,
                          call->arrived + (size_t)i * layout->slices);
        for (uint32_t s = 0; s < layout->slices; s++)
            *word_at(&call->dst, layout, packet->destination, packet->to, s) = there[s];
    }
}

static enum cm_status run_send(struct cm_system *system, struct call *call, struct cm_error *err)
{
    const struct cm_packet_run run = {.list = &call->first,
                                      .words = call->task->src.slices,
                                      .src = call->src,
                                      .deliver = take_element,
                                      .context = call};
    if (call->dst.words != NULL) {
        const size_t words = (size_t)call->first.packets.count * call->task->dst.slices;
        call->arrived = malloc((words + 1) * sizeof *call->arrived);
        if (call->arrived == NULL)
            return cm_error_no_memory(err);
    }
    enum cm_status status = cm_packet_list_send(system, &run, err);
    if (status == CM_OK && call->arrived != NULL)
        combine_all(call);
    return status;
}

/* Counts sent elements that go to the same place as an earlier element. Only one copy of the
 * destination is counted. */
static enum cm_status count_collisions(const struct call *call, uint64_t *collisions,
                                       struct cm_error *err)
{
    const struct cm_layout *layout = &call->task->dst;
    const uint32_t used = UINT32_C(1) << layout->used_bits;
    const size_t places = (size_t)layout->local_elements * used;
    unsigned char *taken = calloc(places, 1);
    *collisions = 0;
    if (taken == NULL)
        return cm_error_no_memory(err);
    for (uint32_t i = 0; i < call->first.packets.count; i++) {
        const struct cm_listed_packet *packet = &call->first.packets.items[i];
        if (packet->destination >= used)
            continue;
        unsigned char *at = &taken[(size_t)packet->to * used + packet->destination];
        *collisions += *at;
        *at = 1;
    }
    free(taken);
    return CM_OK;
}

static enum cm_status find_planes(struct cm_system *system, const struct cm_gather_arrays *arrays,
                                  struct call *call, struct cm_error *err)
{
    if (cm_machine_timing_only(system->machine))
        return CM_OK;
    enum cm_status status = cm_machine_planes(system->machine, arrays->src->address,
                                              arrays->src->layout.local_words, &call->src, err);
    if (status == CM_OK)
        status = cm_machine_planes(system->machine, arrays->dst->address,
                                   arrays->dst->layout.local_words, &call->dst, err);
    return status;
}

static enum cm_status run_call(struct cm_system *system, struct cm_gather *gather,
                               const struct cm_gather_arrays *arrays, struct call *call,
                               struct cm_error *err)
{
    struct cm_gather_info info = {0};
    enum cm_status status =
        cm_gather_list(system, call->task, arrays, &call->first, &info.elements, err);
    if (status == CM_OK)
        status = find_planes(system, arrays, call, err);
    if (status == CM_OK && call->task->kind == CM_GATHER_SEND)
        status = count_collisions(call, &info.collisions, err);
    if (status == CM_OK)
        status = call->task->kind == CM_GATHER_GET ? run_get(system, call, err)
                                                   : run_send(system, call, err);
    info.packets = (uint64_t)call->first.packets.count + call->replies.packets.count;
    if (status == CM_OK)
        gather->info = info;
    return status;
}

enum cm_status cm_gather_call(struct cm_system *system, struct cm_gather *gather,
                              const struct cm_gather_arrays *arrays, struct cm_error *err)
{
    struct call call = {.task = &gather->task};
    enum cm_status status = check_arrays(&gather->task, arrays, err);
    if (status != CM_OK)
        return status;
    status = cm_packet_list_init(&call.first, gather->task.src.nodes, err);
    if (status == CM_OK)
        status = cm_packet_list_init(&call.replies, gather->task.src.nodes, err);
    if (status == CM_OK)
        status = run_call(system, gather, arrays, &call, err);
    cm_packet_list_finish(&call.replies);
    cm_packet_list_finish(&call.first);
    free(call.arrived);
    return status;
}
