/* Where the elements of an array are, and were, from the places that the trace recorded. */
#include "model_private.h"

#include <stdlib.h>

static bool make_room(struct cm_view_places *places, uint64_t elements)
{
    if (places->element != NULL && places->elements == elements)
        return true;
    free(places->element);
    places->element = calloc(elements + 1, sizeof *places->element);
    places->elements = places->element != NULL ? elements : 0;
    return places->element != NULL;
}

bool cm_view_find_places(const struct cm_view_run *run, uint32_t array, uint64_t first,
                         uint64_t end, struct cm_view_places *places)
{
    if (!make_room(places, cm_trace_array_then(run->trace, array, end)->elements))
        return false;
    places->moved_count = 0;
    for (uint64_t i = 0; i < places->elements; i++) {
        uint64_t address = 0, address_before = 0;
        struct cm_view_element *element = &places->element[i];
        if (!cm_trace_array_place(run->trace, array, i, end, &element->node, &address))
            element->node = CM_TRACE_NONE;
        if (!cm_trace_array_place(run->trace, array, i, first, &element->before, &address_before))
            element->before = CM_TRACE_NONE;
        element->moved = element->node != CM_TRACE_NONE && element->before != CM_TRACE_NONE &&
                         (element->node != element->before || address != address_before);
        places->moved_count += element->moved;
    }
    cm_view_find_crossings(run, array, first, end, places);
    return true;
}
