/* Reports to observers where the elements of arrays lie. */
#include "../../sim/machine/observer.h"
#include "system_private.h"

static bool is_power_of_two(uint64_t number)
{
    return (number & (number - 1)) == 0;
}

/* True if the layout places elements linearly: each bit of the node number and local place is an
 * exclusive or of some bits of the element number. This is so if all lengths are powers of two.
 * Then coordinates, blocks and local parts are bits of the number, and Gray codes are linear. */
static bool is_linear(const struct cm_layout *layout)
{
    bool linear = true;
    for (uint32_t a = 0; a < layout->rank; a++) {
        const struct cm_axis *axis = &layout->axes[a];
        linear = linear && is_power_of_two(axis->length) && is_power_of_two(axis->local_length) &&
                 is_power_of_two(axis->stride);
    }
    return linear;
}

static uint64_t place_canonical(const void *layout, uint64_t element)
{
    const struct cm_layout *l = &((const struct cm_array *)layout)->layout;
    uint64_t index[CM_RANK_MAX] = {0}, local;
    uint32_t node;
    for (uint32_t a = 0; a < l->rank; a++) {
        index[a] = element % l->axes[a].length;
        element /= l->axes[a].length;
    }
    cm_layout_place(l, index, &node, &local);
    return local << 32 | node;
}

static uint64_t place_allocated(const void *layout, uint64_t element)
{
    const struct cm_array *array = layout;
    uint64_t local;
    uint32_t node;
    cm_allocation_place(&array->allocation, element, &node, &local);
    return local << 32 | node;
}

/* Returns the place of the first element with this coordinate along an axis: the local element
 * number times 2^32, plus the node number. */
static uint64_t place_along(const struct cm_axis *axis, uint64_t coordinate)
{
    const uint32_t block = (uint32_t)(coordinate / axis->local_length);
    const uint64_t local = coordinate % axis->local_length * axis->stride;
    return local << 32 | cm_axis_encode(axis, block) << axis->first_dimension;
}

/* Fills in the place of every element of an array. A place is a sum over the axes, because each
 * axis contributes bits of its own. So a place is computed from the place of an element that has
 * coordinate 0 along the axis. */
static void places_canonical(const void *layout, uint64_t *places)
{
    const struct cm_layout *l = &((const struct cm_array *)layout)->layout;
    uint64_t done = 1;
    places[0] = 0;
    for (uint32_t a = 0; a < l->rank; a++) {
        /* Coordinate 0 comes last, because the places for the other coordinates are computed from
         * the places at coordinate 0. */
        for (uint64_t c = l->axes[a].length; c-- > 0;) {
            const uint64_t along = place_along(&l->axes[a], c);
            for (uint64_t i = 0; i < done; i++)
                places[c * done + i] = places[i] + along;
        }
        done *= l->axes[a].length;
    }
}

void cm_array_report_like(const struct cm_system *system, const struct cm_array *array,
                          uint32_t number, uint32_t like)
{
    const struct cm_observer *observer = cm_machine_observer(system->machine);
    const bool allocated = cm_array_is_allocated(array);
    uint64_t shape[CM_RANK_MAX];
    if (observer == NULL || observer->array_lies == NULL)
        return;
    for (uint32_t a = 0; a < array->layout.rank; a++)
        shape[a] = array->layout.axes[a].length;
    observer->array_lies(observer->context,
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
                             .linear = allocated || is_linear(&array->layout),
                             .place = allocated ? place_allocated : place_canonical,
                             .places = places_canonical,
                         });
}

void cm_array_report(const struct cm_system *system, const struct cm_array *array, uint32_t number)
{
    cm_array_report_like(system, array, number, number);
}
