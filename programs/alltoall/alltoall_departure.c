/*
 * Exchanges words around Hamiltonian cycles of the cube with one indirect transfer a word. A block
 * has a part for each cycle. Along a cycle, a node receives over one dimension and sends over
 * another one, and these dimensions differ from node to node. If the words of a block were in the
 * order of the parts, each word would need a communication table twice: from the dimension over
 * which the word arrived to the place of its part, and from there to the dimension over which the
 * word leaves. In this file, the words of a chunk are in the order of the dimensions over which the
 * node sends them on, which is called the order of departure. So only words that arrive need the
 * table. Words that leave are loaded in all nodes from the same address into the same slot.
 *
 * Place k of a chunk holds the part that leaves over dimension k. If the number d of dimensions is
 * odd, there are d - 1 parts, and each node has one dimension without a part. The place of this
 * dimension holds a copy of the part that leaves over dimension d - 1. A second copy of this part
 * is in the work area, from which all nodes load the words that leave over dimension d - 1. Over
 * the dimension without a part a node sends a word that no node stores.
 */
#include "alltoall_private.h"

/* Bytes of a table word. FIELD_PART is the slot of transposer C that holds the part of a place.
 * FIELD_IN is the slot of transposer B where the words of this part arrive. */
enum { FIELD_PART, FIELD_IN };

uint64_t cm_alltoall_departure_words(const struct cm_alltoall *own)
{
    return own->task.words - own->task.words % own->chunk;
}

/* Returns the number of the part that a node sends over a dimension, or own->parts if the node
 * sends no part over this dimension. */
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
    /* part 0 if nothing leaves over dimension d - 1: no node stores it */
    return part == own->parts ? 0 : part;
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

/* Returns the address of the words of place `place` in the chunk at REG_BLOCK + `offset`. */
static struct cm_place words_at(const struct cm_alltoall *own, int64_t offset, uint32_t place)
{
    if (place == own->parts)
        return (struct cm_place){ADDRESS_WORK, 0};
    return (struct cm_place){REG_BLOCK, offset + (int64_t)place * own->channels};
}

/* Emits unloads of the words of all places from a transposer. `field` is the byte of the table
 * words that gives the slot for each place. */
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
