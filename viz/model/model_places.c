/* Where the elements of an array lie, and lay, from the places that the trace recorded. */
#include "model_private.h"

#include <stdlib.h>

void cm_view_places_finish(struct cm_view_places *places)
{
    free(places->node);
    free(places->before);
    free(places->moved);
    free(places->leaves);
    free(places->arrives);
    *places = (struct cm_view_places){0};
}

static bool make_room(struct cm_view_places *places, uint64_t elements)
{
    if (places->elements == elements)
        return true;
    cm_view_places_finish(places);
    places->node = calloc(elements + 1, sizeof *places->node);
    places->before = calloc(elements + 1, sizeof *places->before);
    places->moved = calloc(elements + 1, sizeof *places->moved);
    places->leaves = calloc(elements + 1, sizeof *places->leaves);
    places->arrives = calloc(elements + 1, sizeof *places->arrives);
    places->elements = elements;
    if (places->node != NULL && places->before != NULL && places->moved != NULL &&
        places->leaves != NULL && places->arrives != NULL)
        return true;
    cm_view_places_finish(places);
    return false;
}

bool cm_view_find_places(const struct cm_view_run *run, uint32_t array, uint64_t first,
                         uint64_t end, struct cm_view_places *places)
{
    if (!make_room(places, cm_trace_array_then(run->trace, array, end)->elements))
        return false;
    places->moved_count = 0;
    for (uint64_t i = 0; i < places->elements; i++) {
        uint64_t address = 0, address_before = 0;
        uint32_t *node = &places->node[i], *before = &places->before[i];
        if (!cm_trace_array_place(run->trace, array, i, end, node, &address))
            *node = CM_TRACE_NONE;
        if (!cm_trace_array_place(run->trace, array, i, first, before, &address_before))
            *before = CM_TRACE_NONE;
        places->moved[i] = *node != CM_TRACE_NONE && *before != CM_TRACE_NONE &&
                           (*node != *before || address != address_before);
        places->moved_count += places->moved[i];
    }
    places->array = array;
    cm_view_find_crossings(run, first, end, places);
    return true;
}
