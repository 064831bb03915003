/*
 * Fills boundaries of end-off shifts from arrays.
 *
 * A boundary array has a layout of its own, so each of its elements may be in any node. All
 * elements of one local address travel together. A translation by w sends the word of node n to
 * node n XOR w: one exchange for each bit of w, without conflicts. After each translation, the
 * nodes whose element has arrived store the element under a context mask. The translations that
 * occur are visited in Gray-code order, so that few exchanges separate consecutive translations.
 */
#include "boundary.h"

#include "../system/emit.h"

/* Delivery of a boundary element: local element `from` goes over the translation w to local element
 * `to` of `node`. */
struct delivery {
    uint64_t from;
    uint64_t to;
    uint32_t w;
    uint32_t rank; /* index of w in Gray-code order */
    uint32_t node; /* node that receives the element */
};

/* All deliveries in the order in which they are made. The deliveries of one masked store form a
 * group. */
struct deliveries {
    CM_LIST(struct delivery) list;
    const struct cm_boundary *boundary;
};

/* address registers, the first of which have the numbers of the IMP's arguments */
enum { REG_TABLE, REG_DST, REG_BOUNDARY, REG_CARRY };

/* Advances an index over the places of a boundary along its axis, and over all elements along the
 * other axes. Returns false after the last index. */
static bool next_index(const struct cm_boundary *boundary, uint64_t index[CM_RANK_MAX])
{
    for (uint32_t a = 0; a < boundary->layout->rank; a++) {
        bool edge = a == boundary->axis;
        if (++index[a] < (edge ? boundary->high : boundary->layout->axes[a].length))
            return true;
        index[a] = edge ? boundary->low : 0;
    }
    return false;
}

/* Adds the deliveries of one boundary element. If the layouts hold several copies of it, each
 * destination copy takes the nearest source copy. */
static void deliver(struct deliveries *deliveries, const uint64_t index[CM_RANK_MAX])
{
    const struct cm_boundary *boundary = deliveries->boundary;
    const struct cm_layout *from = &boundary->array->layout;
    const struct cm_layout *to = boundary->layout;
    uint64_t source_index[CM_RANK_MAX];
    struct delivery delivery = {0};
    uint32_t source;
    for (uint32_t a = 0; a < from->rank; a++)
        source_index[a] = index[a + (a >= boundary->axis)];
    cm_layout_place(from, source_index, &source, &delivery.from);
    cm_layout_place(to, index, &delivery.node, &delivery.to);
    if (boundary->store_at)
        delivery.to = boundary->store_at(boundary->context, delivery.to);
    for (uint32_t node = delivery.node; node < to->nodes; node += UINT32_C(1) << to->used_bits) {
        uint32_t fixed_bits = (uint32_t)((UINT64_C(1) << from->used_bits) - 1);
        delivery.node = node;
        delivery.w = (node ^ source) & fixed_bits;
        delivery.rank = cm_gray_decode(delivery.w);
        cm_list_push(&deliveries->list, delivery);
    }
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

static void find_deliveries(struct deliveries *deliveries)
{
    uint64_t index[CM_RANK_MAX] = {0};
    index[deliveries->boundary->axis] = deliveries->boundary->low;
    do
        deliver(deliveries, index);
    while (!deliveries->list.failed && next_index(deliveries->boundary, index));
    if (!deliveries->list.failed)
        qsort(deliveries->list.items, deliveries->list.count, sizeof *deliveries->list.items,
              compare);
}

/* Returns the end of the group that begins with delivery `begin`. A group is the deliveries from
 * one local element, over one translation, to one place. */
static size_t group_end(const struct deliveries *deliveries, size_t begin)
{
    size_t end = begin + 1;
    while (end < deliveries->list.count &&
           compare(&deliveries->list.items[begin], &deliveries->list.items[end]) == 0)
        end++;
    return end;
}

/* Fills the table of masks. It has one bit for each group of deliveries, which is 1 in the nodes
 * that store. */
static void fill_masks(const void *context, uint32_t nodes, uint32_t *planes)
{
    const struct deliveries *deliveries = context;
    size_t group = 0;
    for (size_t i = 0; i < deliveries->list.count; group++)
        for (size_t end = group_end(deliveries, i); i < end; i++)
            planes[group / 32 * nodes + deliveries->list.items[i].node] |= UINT32_C(1)
                                                                           << group % 32;
}

static enum cm_status make_masks(struct cm_system *system, const struct deliveries *deliveries,
                                 struct cm_compiled *compiled, struct cm_error *err)
{
    size_t groups = 0;
    for (size_t i = 0; i < deliveries->list.count; i = group_end(deliveries, i))
        groups++;
    return cm_compiled_table(system, compiled,
                             &(struct cm_table_request){(groups + 31) / 32,
                                                        "the table of boundary masks", fill_masks,
                                                        deliveries},
                             err);
}

struct emitter {
    const struct cm_config *config;
    struct cm_imp *imp;
    uint32_t slices;
    uint64_t words; /* number of SRAM words of the current IMP */
};

/* Emits the exchanges over `dimension` that move an element from `place` to the carry words, a
 * buffer in node memory. */
static void emit_hop(struct emitter *emitter, uint32_t dimension, struct cm_place place)
{
    uint32_t slices = emitter->slices;
    uint32_t channels = emitter->config->network_channels_per_dimension;
    for (uint32_t first = 0; first < slices; first += channels) {
        uint32_t words = slices - first < channels ? slices - first : channels;
        struct cm_place from = {place.reg, place.offset + first};
        cm_emit_send(emitter->imp, emitter->config, dimension, from, words);
        cm_emit_exchange(emitter->imp);
        cm_emit_receive(emitter->imp, emitter->config, dimension,
                        (struct cm_place){REG_CARRY, first}, words);
    }
    emitter->words += slices * (cm_op_words(CM_OP_LOAD) + cm_op_words(CM_OP_UNLOAD)) +
                      slices * cm_op_words(CM_OP_EXCHANGE);
}

static void emit_store(struct emitter *emitter, const struct delivery *delivery, size_t group,
                       struct cm_place place)
{
    struct cm_place dst = {REG_DST, (int64_t)(delivery->to * emitter->slices)};
    CM_EMIT(emitter->imp, CM_OP_CTXLOAD, cm_mem(REG_TABLE, (int64_t)(group / 32)),
            cm_value((int64_t)(group % 32)));
    cm_emit_move(emitter->imp, dst, place, emitter->slices);
    cm_imp_emit(emitter->imp, CM_OP_CTXALL, NULL, 0);
    emitter->words +=
        cm_op_words(CM_OP_CTXLOAD) + cm_op_words(CM_OP_MOVE) + cm_op_words(CM_OP_CTXALL);
}

/* Emits the exchanges that move the carried element from one translation to the next. The bits of
 * `difference` are the dimensions that it crosses. */
static void emit_translation(struct emitter *emitter, uint32_t difference, struct cm_place *place)
{
    for (; difference; difference &= difference - 1) {
        emit_hop(emitter, (uint32_t)__builtin_ctz(difference), *place);
        *place = (struct cm_place){REG_CARRY, 0};
    }
}

/* Emits all deliveries. Begins a new IMP when the current IMP fills an eighth of the SRAM. */
static enum cm_status emit_all(struct emitter *emitter, const struct deliveries *deliveries,
                               struct cm_compiled *compiled, struct cm_error *err)
{
    struct cm_place place = {REG_BOUNDARY, 0};
    enum cm_status status = CM_OK;
    uint32_t w = 0;
    size_t i = 0, count = deliveries->list.count;
    for (size_t group = 0; status == CM_OK && i < count; group++) {
        const struct delivery *delivery = &deliveries->list.items[i];
        if (!emitter->imp) {
            emitter->imp = cm_emit_begin("boundary_array", "table dst boundary carry");
            emitter->words = 0;
        }
        if (!emitter->imp)
            return cm_error_no_memory(err);
        if (i == 0 || delivery->from != delivery[-1].from) {
            w = 0;
            place = (struct cm_place){REG_BOUNDARY, (int64_t)(delivery->from * emitter->slices)};
        }
        emit_translation(emitter, w ^ delivery->w, &place);
        w = delivery->w;
        emit_store(emitter, delivery, group, place);
        i = group_end(deliveries, i);
        if (i == count || emitter->words > emitter->config->sequencer_sram_words / 8) {
            status = cm_compiled_add(compiled, cm_emit_end(emitter->imp), err);
            emitter->imp = NULL;
        }
    }
    return status;
}

enum cm_status cm_boundary_array_make(struct cm_system *system, const void *task,
                                      struct cm_compiled *compiled, struct cm_error *err)
{
    struct deliveries deliveries = {.boundary = task};
    struct emitter emitter = {.config = cm_machine_config(system->machine),
                              .slices = deliveries.boundary->layout->slices};
    compiled->scratch =
        (struct cm_scratch){emitter.slices, REG_CARRY, "the scratch memory of a boundary"};
    find_deliveries(&deliveries);
    enum cm_status status = deliveries.list.failed ? cm_error_no_memory(err)
                                                   : make_masks(system, &deliveries, compiled, err);
    if (status == CM_OK)
        status = emit_all(&emitter, &deliveries, compiled, err);
    cm_list_finish(&deliveries.list);
    return status;
}
