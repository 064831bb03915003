/*
 * Bit reversal on the machine: reverses the index bits of each transformed axis. The bits of the
 * addresses in the nodes' memory, local bits and cube dimensions, are treated as dimensions of
 * another array. The reversal permutes these dimensions, as a reshape does (programs/reshape: a
 * stable dimension permutation).
 *
 * Cube dimensions are swapped as bits of addresses, not of coordinates. So mesh axes in Gray code
 * that take part are recoded to binary by the same reshape, and back to Gray code by another.
 */
#include "transform_private.h"

#include "../reshape/reshape.h"

/* Returns the address bit of index bit `bit` of an axis. Address bits are the local bits, from 0,
 * then the cube dimensions, from local_bits on. */
static uint32_t address_bit(const struct cm_fft_mapping *mapping, uint32_t axis, uint32_t bit)
{
    struct cm_fft_step step;
    cm_fft_mapping_step(mapping, axis, bit, &step);
    return step.local ? step.local_bit : mapping->local_bits + step.dimension;
}

/* Makes the allocation of an array whose dimensions are the address bits: local bits, then cube
 * dimensions. */
static struct cm_allocation addresses(const struct cm_fft_mapping *mapping)
{
    uint32_t nodes = mapping->bits - mapping->local_bits;
    return (struct cm_allocation){.dimensions = mapping->bits,
                                  .node_bits = nodes,
                                  .processor = ((UINT64_C(1) << nodes) - 1) << mapping->local_bits};
}

/* Computes the new place of each address bit in the reversal. Returns the bits that change. */
static uint64_t find_places(const struct cm_fft_transform_task *task, struct cm_allocation *to)
{
    const struct cm_fft_mapping *mapping = &task->mapping;
    uint64_t touched = 0;
    to->permuted = true;
    for (uint32_t m = 0; m < mapping->bits; m++)
        to->place[m] = (uint8_t)m;
    for (uint32_t a = 0; a < mapping->rank; a++) {
        uint32_t n = mapping->array_bits[a];
        if (!(task->axes >> a & 1))
            continue;
        for (uint32_t bit = 0; bit < n / 2; bit++) {
            uint32_t low = address_bit(mapping, a, bit);
            uint32_t high = address_bit(mapping, a, n - 1 - bit);
            to->place[low] = (uint8_t)high;
            to->place[high] = (uint8_t)low;
            touched |= UINT64_C(1) << low | UINT64_C(1) << high;
        }
    }
    return touched;
}

/* Returns the coupled address bits of the mesh axes in Gray code that have a bit in `touched`. An
 * address bit is coupled if the code adds the next higher coordinate bit to it. */
static uint64_t find_coupled(const struct cm_fft_mapping *mapping, uint64_t touched)
{
    uint32_t at = mapping->local_bits;
    uint64_t coupled = 0;
    for (uint32_t i = 0; i < mapping->mesh_rank; i++) {
        uint64_t axis = ((UINT64_C(1) << mapping->mesh_bits[i]) - 1) << at;
        at += mapping->mesh_bits[i];
        if (mapping->codes[i] == CM_FFT_GRAY && (axis & touched) != 0)
            coupled |= axis & axis >> 1;
    }
    return coupled;
}

/* Makes the reshapes of a bit reversal: to binary code and permuted, then back to Gray code if
 * necessary. Returns the number of reshapes. */
static uint32_t find_reshapes(const struct cm_fft_transform_task *task,
                              struct cm_reshape_task reshapes[2])
{
    struct cm_allocation plain = addresses(&task->mapping);
    struct cm_reshape_task reshape = {
        .from = plain, .to = plain, .slices = cm_type_slices(task->type)};
    uint64_t touched = find_places(task, &reshape.to);
    reshape.from.coupled = find_coupled(&task->mapping, touched);
    reshapes[0] = reshapes[1] = reshape;
    reshapes[1].from = plain;
    reshapes[1].to = reshape.from;
    return touched == 0 ? 0 : reshape.from.coupled ? 2 : 1;
}

enum cm_status cm_fft_reorder(struct cm_system *system, const struct cm_fft_transform_task *task,
                              struct cm_array *array, struct cm_error *err)
{
    struct cm_reshape_task reshapes[2];
    uint32_t count = find_reshapes(task, reshapes);
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; status == CM_OK && i < count; i++)
        status = array ? cm_reshape(system, &reshapes[i], array, err)
                       : cm_reshape_prepare(system, &reshapes[i], err);
    return status;
}
