/*
 * Hamiltonian cycles with one indirect transfer a word. Along a cycle a node receives over one
 * dimension of its own and sends over another one. If blocks lie by parts, a word goes through a
 * communication table twice: from where it arrived to its part, and from its part to where it
 * leaves. Here the words of a chunk lie in the order of the dimensions over which the node sends
 * them on. So words that arrive go through the table, and all nodes load the same address into the
 * same slot.
 *
 * Place k of a chunk holds the part that leaves over dimension k. If d is odd, there are d - 1
 * parts, and one dimension of each node has no part. Its place holds the part that leaves over
 * dimension d - 1, and this part has a second copy in the work area, from which all nodes load it.
 * Over the dimension without a part a node sends a word that nobody stores.
 */
#include "alltoall_private.h"

/* Bytes of a table word: the slot of transposer C with the part of a place, and the slot of
 * transposer B where words of the part arrive. */
enum { FIELD_PART, FIELD_IN };

uint64_t cm_alltoall_departure_words(const struct cm_alltoall *own)
{
    return own->task.words - own->task.words % own->chunk;
}

/* Returns the part that leaves over a dimension, or own->parts if the node has none. */
static uint32_t part_over(const struct cm_alltoall *own, uint32_t address, uint32_t dimension)
{
    uint32_t part = 0;
    while (part < own->parts && cm_alltoall_turn(own, part, address).out != dimension)
        part++;
    return part;
}

uint32_t cm_alltoall_part_at(const struct cm_alltoall *own, uint32_t address, uint32_t place)
{
    uint32_t part = part_over(own, address, place);
    if (part == own->parts)
        part = part_over(own, address, own->task.dimensions - 1);
    return part == own->parts ? 0 : part; /* the copy in the work area is not used then */
}

void cm_alltoall_fill_departures(const struct cm_alltoall_table *table, uint32_t nodes,
                                 uint32_t *planes)
{
    const struct cm_alltoall *own = table->own;
    const uint32_t first = own->task.first_dimension, slots = table->config->transposer_slots;
    const uint32_t mask = (UINT32_C(1) << own->task.dimensions) - 1;
    for (uint32_t place = 0; place < own->task.dimensions; place++)
        for (uint32_t node = 0; node < nodes; node++) {
            const uint32_t address = node >> first & mask;
            const uint32_t part = cm_alltoall_part_at(own, address, place);
            const uint32_t in = first + cm_alltoall_turn(own, part, address).in;
            planes[(size_t)place * nodes + node] = cm_slot_of_channel(slots, part, 0)
                                                       << 8 * FIELD_PART |
                                                   cm_slot_of_channel(slots, in, 0) << 8 * FIELD_IN;
        }
}

/* Returns where a chunk at REG_BLOCK + `offset` has the words of a place. */
static struct cm_place words_at(const struct cm_alltoall *own, int64_t offset, uint32_t place)
{
    if (place == own->parts)
        return (struct cm_place){ADDRESS_WORK, 0};
    return (struct cm_place){REG_BLOCK, offset + (int64_t)place * own->channels};
}

/* Emits the unloads of all places from a transposer, by the slots of a field of the table. */
static void emit_unloads(const struct cm_alltoall_compiler *c, enum cm_transposer transposer,
                         int64_t offset, uint32_t field)
{
    const struct cm_alltoall *own = c->own;
    for (uint32_t place = 0; place < own->task.dimensions; place++)
        for (uint32_t w = 0; w < own->channels; w++) {
            const struct cm_place to = words_at(own, offset, place);
            CM_EMIT(c->imp, CM_OP_UNLOADI, cm_mem(to.reg, to.offset + w), cm_reg(transposer),
                    cm_mem(ADDRESS_TABLES, (int64_t)own->parts + place), cm_value(field),
                    cm_value(w));
        }
}

void cm_alltoall_emit_departures(const struct cm_alltoall_compiler *c)
{
    const struct cm_alltoall *own = c->own;
    const uint32_t slots = c->config->transposer_slots;
    for (uint32_t w = 0; w < own->chunk; w++)
        CM_EMIT(c->imp, CM_OP_LOAD,
                cm_slot(CM_TRANSPOSER_C,
                        cm_slot_of_channel(slots, w / own->channels, w % own->channels)),
                cm_mem(REG_BLOCK, w));
    emit_unloads(c, CM_TRANSPOSER_C, 0, FIELD_PART);
}

void cm_alltoall_emit_departure_step(const struct cm_alltoall_compiler *c, int64_t from, int64_t to)
{
    const struct cm_alltoall *own = c->own;
    for (uint32_t place = 0; place < own->task.dimensions; place++)
        cm_emit_send(c->imp, c->config, own->task.first_dimension + place,
                     words_at(own, from, place), own->channels);
    cm_emit_exchange(c->imp);
    emit_unloads(c, CM_TRANSPOSER_B, to, FIELD_IN);
}
