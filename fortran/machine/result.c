/*
 * Level 2 of optimization: the results of statements that assign an array which halo references
 * read.
 *
 * The array keeps its old elements as long as a halo reference may read them. The first possible
 * way is taken:
 * - If each element can be read before it is assigned, the elements are computed in such an order,
 *   and are assigned in place. If earlier statements of a group read the array in other orders,
 *   this takes another IMP, which pays for arrays that are neither short nor long.
 * - If node memory has no room for another array, they are assigned band by band (bands.c).
 * - If the array has at least PAGES memory pages, the results go to a twin of the array, and the
 *   two arrays exchange their node memory. Accesses to the twin cost what accesses to the array do,
 *   so that no other statement takes more cycles.
 * - Else the results go to a temporary array, and are copied to the array at the end. An array of
 *   less than a page may share its page with others, so that a place elsewhere may cost other
 *   statements page faults.
 */
#include "machine.h"

#include <stdlib.h>
#include <string.h>

#define PAGES 2u

static bool is_replaced(const struct cm_fortran_lowering *lowering, const struct cm_array *array)
{
    for (uint32_t i = 0; i < lowering->replaced_count; i++)
        if (lowering->replaced[i] == array)
            return true;
    return false;
}

/* Adds the order of elements in which a halo reference reads each element before it is assigned.
 * Returns false if there is no such order, or another reference needs another one. */
static bool add_order(const struct cm_fortran_halo_reference *reference, uint32_t *axes,
                      uint32_t *down)
{
    uint32_t new_axes = *axes, new_down = *down;
    for (uint32_t a = 0; a < reference->src->layout.rank; a++) {
        const struct cm_shift *step = cm_fortran_step_along(reference, a);
        const uint32_t bit = UINT32_C(1) << a, high = reference->offset[a] < 0 ? bit : 0;
        if (reference->offset[a] == 0)
            continue;
        if (step->type == CM_SHIFT_CSHIFT && reference->src->layout.axes[a].node_bits == 0)
            return false; /* the elements beyond one end are those at the other end */
        if ((new_axes & bit) != 0 && (new_down & bit) != high)
            return false;
        new_axes |= bit;
        new_down |= high;
    }
    *axes = new_axes;
    *down = new_down;
    return true;
}

static bool is_long(const struct cm_fortran_lowering *lowering, const struct cm_array *array)
{
    const struct cm_config *config = cm_machine_config(cm_system_machine(lowering->run->system));
    return array->layout.local_words >= (uint64_t)PAGES * config->memory_page_words;
}

/* Returns true if a copy of the array takes fewer cycles than another IMP, which must be started,
 * and loads values that a common IMP has in registers. */
static bool is_short(const struct cm_fortran_lowering *lowering, const struct cm_array *array)
{
    const struct cm_config *config = cm_machine_config(cm_system_machine(lowering->run->system));
    return array->layout.local_words * config->memory_store_cycles <
           config->front_end_imp_start_cycles;
}

/* Returns true if halo reference `i` may still read old elements of the array. */
static bool is_reader(const struct cm_fortran_lowering *lowering, uint32_t i,
                      const struct cm_array *array)
{
    const struct cm_fortran_halo_reference *reference = &lowering->references[i];
    return reference->src == array && !reference->moved && !reference->settled;
}

/* Returns true if the last graph assigns the array in place, and adds to the lowering what this
 * takes: the order of elements, and the graphs that must be in IMPs before. A short or a long array
 * is assigned in place only if no graph must be in an IMP before. */
static bool assigns_in_place(struct cm_fortran_lowering *lowering, const struct cm_array *array)
{
    const uint32_t last = lowering->imp_count;
    uint32_t axes = lowering->ordered_axes, down = lowering->down, after = 0;
    for (uint32_t i = 0; i < lowering->array_count; i++) {
        const struct cm_fortran_halo_reference *reference = &lowering->references[i];
        if (!is_reader(lowering, i, array) || add_order(reference, &axes, &down))
            continue;
        if (reference->last_graph == last)
            return false;
        if (after < reference->last_graph)
            after = reference->last_graph;
    }
    if (after > 0 && (is_short(lowering, array) || is_long(lowering, array)))
        return false;
    for (uint32_t i = 0; i < lowering->array_count; i++) {
        if (is_reader(lowering, i, array))
            lowering->references[i].settled = lowering->ordered = true;
    }
    lowering->ordered_axes = axes;
    lowering->down = down;
    lowering->after[last - 1] = after;
    return true;
}

/* Returns true if a halo reference may still read old elements of the array. Shifted copies of
 * operands are made before the statement assigns the array. */
static bool is_source(const struct cm_fortran_lowering *lowering, const struct cm_array *array)
{
    for (uint32_t i = 0; lowering->references != NULL && i < lowering->array_count; i++)
        if (is_reader(lowering, i, array))
            return true;
    return false;
}

/* Makes the array for the results of an assignment to `array`. Sets *exchanged to true if the two
 * arrays exchange their node memory at the end. */
static enum cm_status make_replacing(struct cm_fortran_lowering *lowering,
                                     const struct cm_array *array, struct cm_fortran_array **made,
                                     bool *exchanged)
{
    struct cm_fortran_run *run = lowering->run;
    struct cm_error refusal = {0}, *outer = run->err;
    *exchanged = false;
    if (!is_long(lowering, array) || lowering->temporary_count == CM_EXPRESSION_ARRAYS_MAX)
        return cm_fortran_lower_temporary(lowering, array->layout.type, made);
    run->err = &refusal;
    enum cm_status status = cm_fortran_array_twin(run, array, made);
    run->err = outer;
    if (status == CM_BAD_INPUT) /* there is no such place in node memory */
        return cm_fortran_lower_temporary(lowering, array->layout.type, made);
    if (status != CM_OK)
        return cm_fortran_no_memory(run);
    lowering->temporaries[lowering->temporary_count++] = *made;
    *exchanged = true;
    return CM_OK;
}

/* Makes an array, or buffers for bands, for the assignments to an array, because halo references
 * still read its old elements. Elements where the mask is false are copied there. */
static enum cm_status replace(struct cm_fortran_lowering *lowering, struct cm_array *array,
                              uint32_t *value, uint32_t mask, uint32_t *number)
{
    struct cm_fortran_array *made = NULL;
    bool exchanged = false;
    uint32_t old = 0, node;
    enum cm_status status = CM_OK;
    if (mask != 0)
        status = cm_fortran_lower_array(lowering, array, &old, number);
    if (status == CM_OK && lowering->in_bands)
        status = cm_fortran_bands_begin(lowering, array);
    else if (status == CM_OK)
        status = make_replacing(lowering, array, &made, &exchanged);
    if (status != CM_OK)
        return status;
    if (mask != 0)
        *value = cm_expression_node(lowering->graph, CM_EXPRESSION_MERGE, *value, old, mask);
    if (lowering->bands != NULL) {
        status = cm_fortran_lower_array(lowering, &lowering->bands->buffers[0], &node, number);
        lowering->bands->target = *number;
        return status;
    }
    lowering->exchanged[lowering->replaced_count] = exchanged;
    lowering->replaced[lowering->replaced_count] = array;
    lowering->replacing[lowering->replaced_count++] = made->machine;
    return cm_fortran_lower_array(lowering, array, &node, number);
}

enum cm_status cm_fortran_lower_assign(struct cm_fortran_lowering *lowering, struct cm_array *array,
                                       uint32_t value, uint32_t mask)
{
    uint32_t node, number;
    enum cm_status status;
    mask = cm_fortran_mask_padding(lowering, array, mask);
    if (is_source(lowering, array) && !is_replaced(lowering, array) &&
        !assigns_in_place(lowering, array)) {
        status = replace(lowering, array, &value, mask, &number);
        mask = 0;
    } else {
        status = cm_fortran_lower_array(lowering, array, &node, &number);
    }
    if (status == CM_OK)
        cm_expression_assign(lowering->graph, number, value, mask);
    return status;
}

/* Returns true if an argument of the IMPs other than number `except` is the array. */
static bool is_argument(const struct cm_fortran_lowering *lowering, const struct cm_array *array,
                        uint32_t except)
{
    for (uint32_t i = 0; i < lowering->array_count; i++)
        if (i != except && lowering->arrays[i]->address == array->address)
            return true;
    return false;
}

void cm_fortran_results_settle(struct cm_fortran_lowering *lowering)
{
    uint32_t left = 0;
    for (uint32_t k = 0; k < lowering->replaced_count; k++) {
        uint32_t at = 0;
        while (at < lowering->array_count && lowering->arrays[at] != lowering->replacing[k])
            at++;
        if (at < lowering->array_count && !is_argument(lowering, lowering->replaced[k], at)) {
            lowering->arrays[at] = lowering->replaced[k];
            continue;
        }
        lowering->exchanged[left] = lowering->exchanged[k];
        lowering->replaced[left] = lowering->replaced[k];
        lowering->replacing[left++] = lowering->replacing[k];
    }
    lowering->replaced_count = left;
    memset(lowering->after, 0, sizeof(lowering->after));
}

/* Copies a result to the array that is assigned, as a further IMP of the statement's call. */
static enum cm_status copy_back(struct cm_fortran_run *run, struct cm_array *from,
                                struct cm_array *to)
{
    struct cm_array *arrays[] = {from, to};
    const struct cm_near_arguments arguments = {.given = {arrays, 2, NULL, 0}};
    struct cm_expression *graph = cm_expression_create();
    if (graph == NULL)
        return cm_fortran_no_memory(run);
    cm_expression_assign(graph, 1, cm_expression_array(graph, 0, to->layout.type), 0);
    enum cm_status status =
        cm_elementwise_start(run->system, graph, &arguments, CM_ENTRY_CHAINED, NULL, run->err);
    cm_expression_destroy(graph);
    return status;
}

enum cm_status cm_fortran_results_finish(struct cm_fortran_lowering *lowering)
{
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; i < lowering->replaced_count && status == CM_OK; i++) {
        struct cm_array *array = lowering->replaced[i], *made = lowering->replacing[i];
        const uint64_t address = array->address;
        if (!lowering->exchanged[i]) {
            status = copy_back(lowering->run, made, array);
            continue;
        }
        array->address = made->address;
        made->address = address;
    }
    lowering->replaced_count = 0;
    return status;
}
