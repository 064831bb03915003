/* Makes the packets of a get or a send from its subscripts. */
#include "gather_private.h"

#include <inttypes.h>
#include <stdio.h>

/* Element of a subscript array: its coordinates, its node and its local element number. */
struct element {
    uint64_t index[CM_RANK_MAX]; /* coordinates of the element, from 0 */
    uint32_t node;
    uint64_t local;
};

struct lister {
    const struct cm_gather_task *task;
    const struct cm_gather_arrays *arrays;
    struct cm_planes subscripts[CM_RANK_MAX];
    struct cm_planes mask; /* planes of the mask. If they have no words, all elements take part */
    struct cm_packet_list *list;
    bool timing_only;
};

static enum cm_status planes_of(struct cm_system *system, const struct cm_array *array,
                                struct cm_planes *planes, struct cm_error *err)
{
    if (cm_machine_timing_only(system->machine) && !array->held)
        return cm_error_refuse(err, "set `held` of the array before its elements go in",
                               "a run without data needs the elements of \"%s\", which decide "
                               "where packets go",
                               array->name);
    return cm_machine_planes(system->machine, array->address, array->layout.local_words, planes,
                             err);
}

static enum cm_status fault(const struct lister *lister, const struct element *element,
                            uint32_t axis, int32_t subscript, struct cm_error *err)
{
    const struct cm_layout *indexed = cm_gather_indexed(lister->task);
    const struct cm_layout *indexing = cm_gather_indexing(lister->task);
    const bool get = lister->task->kind == CM_GATHER_GET;
    const struct cm_array *array = get ? lister->arrays->src : lister->arrays->dst;
    char place[200];
    int used = 0;
    for (uint32_t a = 0; a < indexing->rank; a++)
        used += snprintf(place + used, sizeof place - (size_t)used, "%s%" PRIu64, a > 0 ? ", " : "",
                         element->index[a] + 1);
    cm_error_set(err, CM_FAULT,
                 "\"%s\"(%s) is %" PRId32 ", but dimension %" PRIu32 " of \"%s\" has indices "
                 "%" PRIu32 " to %" PRIu64,
                 lister->arrays->subscripts[axis]->name, place, subscript, axis + 1, array->name,
                 lister->task->first, indexed->axes[axis].length - 1 + lister->task->first);
    return cm_error_hint(err, lister->timing_only
                                  ? "a run without data has the subscripts that arrays begin with"
                                  : "a mask leaves elements out");
}

/* Adds the packets of an element, one for each copy of the destination. Fails with CM_FAULT if a
 * subscript is out of range. */
static enum cm_status add_element(struct lister *lister, const struct element *element,
                                  bool *took_part, struct cm_error *err)
{
    const struct cm_gather_task *task = lister->task;
    const struct cm_layout *indexed = cm_gather_indexed(task);
    uint64_t index[CM_RANK_MAX], local;
    uint32_t node;
    *took_part = lister->mask.words == NULL ||
                 *cm_planes_word(&lister->mask, element->local, element->node) != 0;
    if (!*took_part)
        return CM_OK;
    for (uint32_t a = 0; a < indexed->rank; a++) {
        const int32_t subscript =
            (int32_t)*cm_planes_word(&lister->subscripts[a], element->local, element->node);
        const int64_t from_zero = (int64_t)subscript - task->first;
        if (from_zero < 0 || (uint64_t)from_zero >= indexed->axes[a].length)
            return fault(lister, element, a, subscript, err);
        index[a] = (uint64_t)from_zero;
    }
    cm_layout_place(indexed, index, &node, &local);
    const bool get = task->kind == CM_GATHER_GET;
    const uint32_t first = get ? element->node : node;
    for (uint32_t copy = 0; copy < cm_packet_list_copies(&task->dst); copy++) {
        const uint32_t destination = first | copy << task->dst.used_bits;
        const uint32_t source =
            cm_packet_list_source(&task->src, get ? node : element->node, destination);
        if (get)
            cm_packet_list_add(lister->list, destination, (uint32_t)element->local, source,
                               (uint32_t)local);
        else
            cm_packet_list_add(lister->list, source, (uint32_t)element->local, destination,
                               (uint32_t)local);
    }
    return lister->list->packets.failed ? cm_error_no_memory(err) : CM_OK;
}

static enum cm_status list_elements(struct lister *lister, uint64_t *elements, struct cm_error *err)
{
    const struct cm_layout *layout = cm_gather_indexing(lister->task);
    struct element element = {.node = 0};
    enum cm_status status = CM_OK;
    *elements = 0;
    for (uint64_t e = 0; status == CM_OK && e < layout->elements; e++) {
        bool took_part = false;
        cm_layout_place(layout, element.index, &element.node, &element.local);
        status = add_element(lister, &element, &took_part, err);
        *elements += took_part;
        for (uint32_t a = 0; a < layout->rank && ++element.index[a] == layout->axes[a].length; a++)
            element.index[a] = 0;
    }
    return status;
}

enum cm_status cm_gather_list(struct cm_system *system, const struct cm_gather_task *task,
                              const struct cm_gather_arrays *arrays, struct cm_packet_list *list,
                              uint64_t *elements, struct cm_error *err)
{
    struct lister lister = {.task = task,
                            .arrays = arrays,
                            .list = list,
                            .timing_only = cm_machine_timing_only(system->machine)};
    enum cm_status status = CM_OK;
    for (uint32_t a = 0; status == CM_OK && a < cm_gather_indexed(task)->rank; a++)
        status = planes_of(system, arrays->subscripts[a], &lister.subscripts[a], err);
    if (status == CM_OK && task->masked)
        status = planes_of(system, arrays->mask, &lister.mask, err);
    return status == CM_OK ? list_elements(&lister, elements, err) : status;
}
