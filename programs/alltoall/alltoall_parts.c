/* Parts of a block: the units of each part, and the dimensions of a part at each node of a
 * Hamiltonian cycle. */
#include "alltoall_private.h"

struct cm_alltoall_units cm_alltoall_units(const struct cm_alltoall *own, uint32_t part)
{
    const uint64_t first = (uint64_t)part * own->channels;
    const uint64_t full = own->task.words / own->chunk, rest = own->task.words % own->chunk;
    const bool whole = rest >= first + own->channels;
    return (struct cm_alltoall_units){full + whole, !whole && rest > first};
}

struct cm_alltoall_turn cm_alltoall_turn(const struct cm_alltoall *own, uint32_t part,
                                         uint32_t node)
{
    const uint8_t *next = own->cycles + ((uint64_t)(part / 2) << own->task.dimensions);
    struct cm_alltoall_turn turn = {.out = next[node]};
    while (turn.in == turn.out || next[node ^ UINT32_C(1) << turn.in] != turn.in)
        turn.in++;
    return part % 2 == 0 ? turn : (struct cm_alltoall_turn){turn.in, turn.out};
}
