/* Where the elements of arrays are, for observers. */
#include "../../sim/observer.h"
#include "system_private.h"

/* Along each axis a coordinate has its own part of node and place, so one table an axis is
 * enough. */
static bool places_canonical(const void *layout, uint32_t *nodes, uint64_t *locals)
{
    const struct cm_layout *l = &((const struct cm_array *)layout)->layout;
    uint64_t done = 1;
    nodes[0] = 0;
    locals[0] = 0;
    for (uint32_t a = 0; a < l->rank; a++) {
        for (uint64_t c = l->axes[a].length;
             c-- > 0;) { /* the first ones are read until the last */
            uint64_t at[CM_RANK_MAX] = {0}, local;
            uint32_t node;
            at[a] = c;
            cm_layout_place(l, at, &node, &local);
            for (uint64_t i = 0; i < done; i++) {
                nodes[c * done + i] = nodes[i] | node;
                locals[c * done + i] = locals[i] + local;
            }
        }
        done *= l->axes[a].length;
    }
    return true;
}

/* Every bit of an element's number moves it by bits of its own (exclusive or). */
static bool places_allocated(const void *layout, uint32_t *nodes, uint64_t *locals)
{
    const struct cm_array *array = layout;
    nodes[0] = 0;
    locals[0] = 0;
    for (uint32_t d = 0; UINT64_C(1) << d < array->layout.elements; d++) {
        uint64_t half = UINT64_C(1) << d, local;
        uint32_t node;
        cm_allocation_place(&array->allocation, half, &node, &local);
        for (uint64_t i = 0; i < half; i++) {
            nodes[half + i] = nodes[i] ^ node;
            locals[half + i] = locals[i] ^ local;
        }
    }
    return true;
}

void cm_array_report_like(const struct cm_system *system, const struct cm_array *array,
                          uint32_t number, uint32_t like)
{
    const struct cm_observer *observer = cm_machine_observer(system->machine);
    uint64_t shape[CM_RANK_MAX];
    if (observer == NULL || observer->array_lies == NULL)
        return;
    for (uint32_t a = 0; a < array->layout.rank; a++)
        shape[a] = array->layout.axes[a].length;
    observer->array_lies(
        observer->context,
        &(struct cm_observed_array){
            .number = number,
            .like = like,
            .name = array->name,
            .rank = array->layout.rank,
            .shape = shape,
            .elements = array->layout.elements,
            .slices = array->layout.slices,
            .address = array->address,
            .words = array->layout.local_words,
            .layout = array,
            .type = cm_type_name(array->layout.type),
            .places = cm_array_is_allocated(array) ? places_allocated : places_canonical,
        });
}

void cm_array_report(const struct cm_system *system, const struct cm_array *array, uint32_t number)
{
    cm_array_report_like(system, array, number, number);
}
