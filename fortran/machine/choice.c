/*
 * Level 2 of optimization: the choice between halo exchanges and shifted copies of operands.
 *
 * The halos of each array are exchanged separately. A PSHIFT moves elements of several arrays with
 * the same exchanges, but it also copies elements that stay within their node. If a node has few
 * elements, the exchanges dominate, and shifts may take fewer cycles. The estimate takes all costs
 * in cycles from the machine description.
 */
#include "machine.h"

#include <string.h>

/* Number of elements that a node sends along each axis, in each of its two directions. */
struct load {
    uint64_t along[CM_RANK_MAX][2];
};

/* Returns the number of elements that a node sends for a halo reference. */
static uint64_t face_of(const struct cm_fortran_halo_reference *reference)
{
    const struct cm_axis *axis = &reference->src->layout.axes[reference->steps[0].axis];
    const int64_t distance = reference->steps[0].distance;
    const uint64_t apart = (uint64_t)(distance < 0 ? -distance : distance);
    return axis->node_bits > 0 ? reference->src->layout.local_elements / axis->local_length * apart
                               : 0;
}

static uint64_t *load_of(struct load *load, const struct cm_fortran_halo_reference *reference)
{
    return &load->along[reference->steps[0].axis][reference->steps[0].distance > 0];
}

/* Returns the largest number of elements that any axis has to send. Axes send in parallel, and so
 * do the two directions of an axis, unless both neighbours are the same node. */
static uint64_t greatest(const struct load *load, const struct cm_layout *layout)
{
    uint64_t most = 0;
    for (uint32_t a = 0; a < layout->rank; a++) {
        const uint64_t up = load->along[a][1], down = load->along[a][0];
        uint64_t own = up > down ? up : down;
        if (layout->axes[a].node_bits == 1)
            own = up + down;
        most = own > most ? own : most;
    }
    return most;
}

static uint64_t parts(uint64_t words, uint64_t channels)
{
    return (words + channels - 1) / channels;
}

static bool is_operand(const struct cm_fortran_lowering *lowering, uint32_t k)
{
    return lowering->references[k].src != NULL;
}

/* Returns true if every halo reference is a single shift, so that PSHIFT can execute all of
 * them. */
static bool are_single(const struct cm_fortran_lowering *lowering)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < lowering->array_count; k++) {
        if (is_operand(lowering, k) && lowering->references[k].step_count != 1)
            return false;
        count += is_operand(lowering, k);
    }
    return count > 1 && count <= CM_PSHIFT_MAX;
}

/* Returns the number of exchanges that the halos of all arrays take. In each direction, all
 * channels carry words of the same array (docs/programs/stencil.md). */
static uint64_t halo_exchanges(const struct cm_fortran_lowering *lowering, uint64_t channels)
{
    uint64_t sum = 0;
    for (uint32_t k = 0; k < lowering->array_count; k++) {
        const struct cm_array *src = lowering->references[k].src;
        struct load load = {{{0}}};
        bool is_first = src != NULL;
        for (uint32_t i = 0; i < k && is_first; i++)
            is_first = lowering->references[i].src != src;
        for (uint32_t i = k; i < lowering->array_count && is_first; i++)
            if (lowering->references[i].src == src) {
                const uint64_t face = face_of(&lowering->references[i]);
                uint64_t *along = load_of(&load, &lowering->references[i]);
                *along = face > *along ? face : *along;
            }
        if (is_first)
            sum += parts(greatest(&load, &src->layout) * src->layout.slices, channels);
    }
    return sum;
}

/*
 * Returns the number of exchanges of the next call of PSHIFT, and marks its shifts in `made`. A
 * call has shifts of one type, two for each axis, as group_shift.c groups them. The channels carry
 * the words of one element at a time, and shifts in the same direction are executed one after the
 * other (docs/programs/pshift.md).
 */
static uint64_t call_exchanges(const struct cm_fortran_lowering *lowering, uint64_t channels,
                               bool *made, uint32_t *shifts)
{
    const struct cm_layout *layout = NULL;
    struct load load = {{{0}}};
    uint32_t on_axis[CM_RANK_MAX] = {0};
    *shifts = 0;
    for (uint32_t k = 0; k < lowering->array_count; k++) {
        const struct cm_fortran_halo_reference *reference = &lowering->references[k];
        if (made[k] || (layout != NULL && layout->type != reference->src->layout.type) ||
            on_axis[reference->steps[0].axis] == 2)
            continue;
        layout = &reference->src->layout;
        made[k] = true;
        on_axis[reference->steps[0].axis]++;
        *load_of(&load, reference) += face_of(reference);
        ++*shifts;
    }
    return layout == NULL ? 0 : greatest(&load, layout) * parts(layout->slices, channels);
}

/* Returns the number of cycles to shift all operands: starts of calls, exchanges, and moves within
 * a node. A move counts as a load and a store of each word, both with a page fault. */
static uint64_t shift_cycles(const struct cm_fortran_lowering *lowering,
                             const struct cm_config *config)
{
    bool made[CM_EXPRESSION_ARRAYS_MAX] = {false};
    const uint64_t word = config->memory_load_cycles + config->memory_load_page_fault_cycles +
                          config->memory_store_cycles + config->memory_store_page_fault_cycles;
    uint64_t sum = 0;
    for (uint32_t k = 0; k < lowering->array_count; k++) {
        made[k] = !is_operand(lowering, k);
        sum += made[k] ? 0 : lowering->references[k].src->layout.local_words * word;
    }
    for (uint32_t k = 0; k < lowering->array_count; k++) {
        uint32_t shifts;
        if (made[k])
            continue;
        sum += call_exchanges(lowering, config->network_channels_per_dimension, made, &shifts) *
               config->exchange_cycles;
        sum += config->front_end_imp_start_cycles;
        sum += shifts == 1 ? config->front_end_runtime_call_cycles : 0;
    }
    return sum;
}

/* Returns the number of cycles that results take because halo references read their old elements:
 * for IMPs of their own, and for copies (result.c). */
static uint64_t result_cycles(const struct cm_fortran_lowering *lowering,
                              const struct cm_config *config)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < lowering->imp_count; i++)
        sum += lowering->after[i] > 0 ? config->front_end_imp_start_cycles : 0;
    for (uint32_t i = 0; i < lowering->replaced_count; i++)
        if (!lowering->exchanged[i])
            sum += lowering->replaced[i]->layout.local_words *
                   (config->memory_load_cycles + config->memory_store_cycles);
    return sum;
}

bool cm_fortran_shifts_are_cheaper(const struct cm_fortran_lowering *lowering)
{
    const struct cm_config *config = cm_machine_config(cm_system_machine(lowering->run->system));
    return are_single(lowering) &&
           shift_cycles(lowering, config) <
               halo_exchanges(lowering, config->network_channels_per_dimension) *
                       config->exchange_cycles +
                   result_cycles(lowering, config);
}
