/* Reports to observers where the elements of arrays lie. */
#include "../../sim/machine/observer.h"
#include "system_private.h"

static bool is_power_of_two(uint64_t number)
{
    return (number & (number - 1)) == 0;
}

/* True if node and place of an element are linear in the bits of its number. They are if all
 * lengths are powers of two: coordinates are bits of the number, blocks and local parts are bits of
 * coordinates, and Gray codes are linear. */
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

/* Returns node and local place, packed in one number, of the first element with this coordinate
 * along an axis. */
static uint64_t place_along(const struct cm_axis *axis, uint64_t coordinate)
{
    const uint32_t block = (uint32_t)(coordinate / axis->local_length);
    const uint64_t local = coordinate % axis->local_length * axis->stride;
    return local << 32 | cm_axis_encode(axis, block) << axis->first_dimension;
}

/* Fills in node and place of all elements. Each axis contributes its own bits, so one table for
 * each axis suffices, and a place is a sum of their entries. */
static void places_canonical(const void *layout, uint64_t *places)
{
    const struct cm_layout *l = &((const struct cm_array *)layout)->layout;
    uint64_t done = 1;
    places[0] = 0;
    for (uint32_t a = 0; a < l->rank; a++) {
        /* Coordinate 0 comes last, because all other coordinates read its places. */
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
