/*
 * Boundary arrays. The array has a layout of its own, so its elements lie anywhere. All elements of
 * one local address travel together: translated by w, the word of node n goes to node n XOR w, over
 * the dimensions of w, one exchange each and no conflict. After each translation the nodes whose
 * element has arrived, picked by a context mask, store it. The translations that occur are visited
 * in Gray-code order, so that few exchanges lie between them.
 */
#include "../system/axis_parts.h"
#include "../system/emit.h"
#include "boundary_private.h"

#include <inttypes.h>
#include <stdlib.h>

/* Element of local number `from` goes to local number `to` of `node`, over the translation w. */
struct delivery {
    uint64_t from;
    uint64_t to;
    uint32_t w;
    uint32_t rank; /* of w in Gray-code order */
    uint32_t node; /* that receives */
};

struct deliveries {
    struct delivery *at;
    size_t count;
    size_t capacity;
};

enum { ARGUMENT_TABLE, ARGUMENT_DST, ARGUMENT_BOUNDARY, ARGUMENT_CARRY };
enum { REG_TABLE, REG_DST, REG_BOUNDARY, REG_CARRY };

static uint32_t gray_rank(uint32_t w)
{
    for (uint32_t shift = 1; shift < 32; shift *= 2)
        w ^= w >> shift;
    return w;
}

static bool add_delivery(struct deliveries *deliveries, struct delivery delivery)
{
    if (deliveries->count == deliveries->capacity) {
        size_t capacity = deliveries->capacity ? deliveries->capacity * 2 : 256;
        struct delivery *larger = realloc(deliveries->at, capacity * sizeof *larger);
        if (!larger)
            return false;
        deliveries->at = larger;
        deliveries->capacity = capacity;
    }
    deliveries->at[deliveries->count++] = delivery;
    return true;
}

/* Advances an index over the box of `task`: its places along the axis, everything along the
 * others. */
static bool next_index(const struct cm_boundary *task, uint64_t index[CM_RANK_MAX])
{
    for (uint32_t a = 0; a < task->layout->rank; a++) {
        bool edge = a == task->axis;
        if (++index[a] < (edge ? task->high : task->layout->axes[a].length))
            return true;
        index[a] = edge ? task->low : 0;
    }
    return false;
}

/* The deliveries of one element; where layouts hold copies, each copy takes from the nearest. */
static bool deliver(const struct cm_boundary *task, struct deliveries *deliveries,
                    const uint64_t index[CM_RANK_MAX])
{
    const struct cm_layout *from = &task->array->layout;
    const struct cm_layout *to = task->layout;
    uint64_t source_index[CM_RANK_MAX];
    struct delivery delivery = {0};
    uint32_t source;
    for (uint32_t a = 0; a < from->rank; a++)
        source_index[a] = index[a + (a >= task->axis)];
    cm_layout_place(from, source_index, &source, &delivery.from);
    cm_layout_place(to, index, &delivery.node, &delivery.to);
    for (uint32_t node = delivery.node; node < to->nodes; node += UINT32_C(1) << to->used_bits) {
        uint32_t fixed_bits = (uint32_t)((UINT64_C(1) << from->used_bits) - 1);
        delivery.node = node;
        delivery.w = (node ^ source) & fixed_bits;
        delivery.rank = gray_rank(delivery.w);
        if (!add_delivery(deliveries, delivery))
            return false;
    }
    return true;
}

static int compare(const void *left, const void *right)
{
    const struct delivery *a = left;
    const struct delivery *b = right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    return 0;
}

static bool find_deliveries(const struct cm_boundary *task, struct deliveries *deliveries)
{
    uint64_t index[CM_RANK_MAX] = {0};
    index[task->axis] = task->low;
    do
        if (!deliver(task, deliveries, index))
            return false;
    while (next_index(task, index));
    qsort(deliveries->at, deliveries->count, sizeof *deliveries->at, compare);
    return true;
}

/* Deliveries that one masked store makes: the same words, the same translation, the same place. */
static size_t group_end(const struct deliveries *deliveries, size_t begin)
{
    size_t end = begin + 1;
    while (end < deliveries->count && compare(&deliveries->at[begin], &deliveries->at[end]) == 0)
        end++;
    return end;
}

static enum cm_status make_masks(struct cm_system *system, const struct cm_boundary *task,
                                 const struct deliveries *deliveries, struct cm_compiled *compiled,
                                 struct cm_error *err)
{
    size_t groups = 0;
    for (size_t i = 0; i < deliveries->count; i = group_end(deliveries, i))
        groups++;
    size_t nodes = task->layout->nodes;
    uint64_t words = (groups + 31) / 32;
    uint32_t *planes = calloc(words * nodes, sizeof *planes);
    if (!planes)
        return cm_error_no_memory(err);
    size_t group = 0;
    for (size_t i = 0; i < deliveries->count; group++)
        for (size_t end = group_end(deliveries, i); i < end; i++)
            planes[group / 32 * nodes + deliveries->at[i].node] |= UINT32_C(1) << group % 32;
    enum cm_status status =
        cm_table_create(system, planes, words, "boundary masks", &compiled->table, err);
    compiled->has_table = status == CM_OK;
    free(planes);
    return status;
}

struct emitter {
    struct cm_system *system;
    const struct cm_boundary *task;
    struct cm_compiled *compiled;
    struct cm_imp *imp;
    uint64_t words; /* of the IMP so far */
    uint64_t limit;
};

static bool begin_imp(struct emitter *emitter)
{
    struct cm_imp *imp = cm_imp_create("boundary_array");
    emitter->imp = imp;
    emitter->words = 0;
    if (!imp)
        return false;
    cm_imp_argument(imp, "table", CM_ARGUMENT_ADDRESS);
    cm_imp_argument(imp, "dst", CM_ARGUMENT_ADDRESS);
    cm_imp_argument(imp, "boundary", CM_ARGUMENT_ADDRESS);
    cm_imp_argument(imp, "carry", CM_ARGUMENT_ADDRESS);
    cm_emit_argument(imp, REG_TABLE, ARGUMENT_TABLE, 0);
    cm_emit_argument(imp, REG_DST, ARGUMENT_DST, 0);
    cm_emit_argument(imp, REG_BOUNDARY, ARGUMENT_BOUNDARY, 0);
    cm_emit_argument(imp, REG_CARRY, ARGUMENT_CARRY, 0);
    return true;
}

static enum cm_status end_imp(struct emitter *emitter, struct cm_error *err)
{
    struct cm_imp *imp = emitter->imp;
    emitter->imp = NULL;
    if (imp)
        cm_imp_emit(imp, CM_OP_HALT, NULL, 0);
    return cm_compiled_add(emitter->compiled, imp, err);
}

/* One exchange over `dimension` for each unit of an element, from `place` to the carry words. */
static void emit_hop(struct emitter *emitter, uint32_t dimension, struct cm_place place)
{
    const struct cm_config *config = cm_machine_config(emitter->system->machine);
    uint32_t slices = emitter->task->layout->slices;
    uint32_t channels = config->network_channels_per_dimension;
    for (uint32_t first = 0; first < slices; first += channels) {
        uint32_t words = slices - first < channels ? slices - first : channels;
        for (uint32_t c = 0; c < words; c++)
            CM_EMIT(emitter->imp, CM_OP_LOAD,
                    cm_slot(CM_TRANSPOSER_A,
                            cm_slot_of_channel(config->transposer_slots, dimension, c)),
                    cm_mem(place.reg, place.offset + first + c));
        cm_imp_emit(emitter->imp, CM_OP_EXCHANGE, NULL, 0);
        for (uint32_t c = 0; c < words; c++)
            CM_EMIT(emitter->imp, CM_OP_UNLOAD, cm_mem(REG_CARRY, first + c),
                    cm_slot(CM_TRANSPOSER_B,
                            cm_slot_of_channel(config->transposer_slots, dimension, c)));
    }
    emitter->words += slices * (cm_op_words(CM_OP_LOAD) + cm_op_words(CM_OP_UNLOAD)) +
                      slices * cm_op_words(CM_OP_EXCHANGE);
}

static void emit_store(struct emitter *emitter, const struct delivery *delivery, size_t group,
                       struct cm_place place)
{
    uint32_t slices = emitter->task->layout->slices;
    CM_EMIT(emitter->imp, CM_OP_CTXLOAD, cm_mem(REG_TABLE, (int64_t)(group / 32)),
            cm_value((int64_t)(group % 32)));
    CM_EMIT(emitter->imp, CM_OP_MOVE, cm_mem(REG_DST, (int64_t)(delivery->to * slices)),
            cm_mem(place.reg, place.offset), cm_value(slices), cm_value(1), cm_value(1));
    cm_imp_emit(emitter->imp, CM_OP_CTXALL, NULL, 0);
    emitter->words +=
        cm_op_words(CM_OP_CTXLOAD) + cm_op_words(CM_OP_MOVE) + cm_op_words(CM_OP_CTXALL);
}

/* Brings the carried element from one translation to the next. */
static void emit_translation(struct emitter *emitter, uint32_t difference, struct cm_place *place)
{
    for (; difference; difference &= difference - 1) {
        emit_hop(emitter, (uint32_t)__builtin_ctz(difference), *place);
        *place = (struct cm_place){REG_CARRY, 0};
    }
}

static enum cm_status emit_all(struct emitter *emitter, const struct deliveries *deliveries,
                               struct cm_error *err)
{
    struct cm_place place = {REG_BOUNDARY, 0};
    enum cm_status status = CM_OK;
    uint32_t w = 0;
    size_t group = 0;
    if (!begin_imp(emitter))
        return cm_error_no_memory(err);
    for (size_t i = 0; status == CM_OK && i < deliveries->count; group++) {
        const struct delivery *delivery = &deliveries->at[i];
        if (i == 0 || delivery->from != delivery[-1].from) {
            w = 0;
            place = (struct cm_place){REG_BOUNDARY,
                                      (int64_t)(delivery->from * emitter->task->layout->slices)};
        }
        emit_translation(emitter, w ^ delivery->w, &place);
        w = delivery->w;
        emit_store(emitter, delivery, group, place);
        i = group_end(deliveries, i);
        if (emitter->words > emitter->limit && i < deliveries->count) {
            status = end_imp(emitter, err);
            if (status == CM_OK && !begin_imp(emitter))
                status = cm_error_no_memory(err);
        }
    }
    if (status == CM_OK)
        status = end_imp(emitter, err);
    cm_imp_destroy(emitter->imp);
    return status;
}

enum cm_status cm_boundary_array_make(struct cm_system *system, const void *task,
                                      struct cm_compiled *compiled, struct cm_error *err)
{
    struct deliveries deliveries = {0};
    struct emitter emitter = {
        .system = system,
        .task = task,
        .compiled = compiled,
        .limit = cm_machine_config(system->machine)->sequencer_sram_words / 8,
    };
    enum cm_status status = CM_OK;
    if (!find_deliveries(task, &deliveries))
        status = cm_error_no_memory(err);
    if (status == CM_OK)
        status = make_masks(system, task, &deliveries, compiled, err);
    if (status == CM_OK)
        status = emit_all(&emitter, &deliveries, err);
    free(deliveries.at);
    return status;
}

enum cm_status cm_boundary_array_run(struct cm_system *system, const struct cm_boundary *boundary,
                                     const struct cm_compiled *compiled, const struct cm_array *dst,
                                     enum cm_entry entry, struct cm_error *err)
{
    uint64_t carry;
    enum cm_status status = cm_heap_allocate(system->heap, CM_HEAP_TABLES, boundary->layout->slices,
                                             "an element on its way", &carry, err);
    if (status != CM_OK)
        return status;
    const struct cm_actual actuals[] = {{.address = compiled->table},
                                        {.address = dst->address},
                                        {.address = boundary->array->address},
                                        {.address = carry}};
    status = cm_compiled_run(system, compiled, actuals, entry, err);
    cm_heap_free(system->heap, carry);
    return status;
}
