/*
 * Places (node and address) of array elements over time, as the trace recorded them, and the array
 * elements that cross channels within an interval. An element crosses if its word is loaded from
 * the array into transposer A and sent by an exchange of the interval, or if its word is unloaded
 * into the array from transposer B.
 */
#include "holds.h"
#include "model_private.h"

#include <stdlib.h>
#include <string.h>

/* Limits on the time spent for a picture. For longer intervals the picture shows no elements that
 * cross channels. */
#define EVENTS_MAX 2048   /* events searched back for the previous exchange, at most */
#define VISITS_MAX 300000 /* visits of events and elements, at most. Takes about a millisecond */
#define LOCALS_MAX (UINT64_C(1) << 24)

struct crossings {
    const struct cm_view_run *run;
    const struct cm_trace_array *array;
    uint32_t number; /* number of the array */
    struct cm_view_places *places;
    uint64_t locals; /* number of elements of the array in a node */
    /* for each local number: first element that has this number in its node ... */
    uint32_t *first;
    /* ... and for each element the next one with the same local number, or UINT32_MAX */
    uint32_t *next;
    /* for each element: neighbour to which its loaded word will go, or CM_TRACE_NONE */
    uint32_t *waiting;
    uint64_t first_cycle, end_cycle;
    uint64_t visits;
};

/* Groups the elements by their local number within a node, because a load takes the word at one
 * address from all nodes. */
static bool sort_elements(struct crossings *c)
{
    c->locals = c->array->words / c->array->slices;
    if (c->locals > LOCALS_MAX)
        return false;
    c->first = malloc((c->locals + 1) * sizeof *c->first);
    c->next = malloc((c->places->elements + 1) * sizeof *c->next);
    c->waiting = malloc((c->places->elements + 1) * sizeof *c->waiting);
    c->places->no_memory = c->first == NULL || c->next == NULL || c->waiting == NULL;
    if (c->places->no_memory)
        return false;
    memset(c->first, 0xff, (c->locals + 1) * sizeof *c->first);
    memset(c->waiting, 0xff, (c->places->elements + 1) * sizeof *c->waiting);
    for (uint64_t i = c->places->elements; i-- > 0;) {
        uint32_t node;
        uint64_t address;
        if (!cm_trace_array_place(c->run->trace, c->number, i, c->first_cycle, &node, &address))
            continue;
        uint64_t local = (address - c->array->address) / c->array->slices;
        if (address < c->array->address || local >= c->locals)
            continue;
        c->next[i] = c->first[local];
        c->first[local] = (uint32_t)i;
    }
    return true;
}

/* Returns the neighbour to which the first slot with a channel leads, or CM_TRACE_NONE if no slot
 * has a channel. */
static uint32_t neighbour_by(const struct cm_trace_info *info, uint32_t node, uint64_t slots)
{
    for (uint32_t d = 0; d < info->dimensions; d++)
        for (uint32_t k = 0; k < info->channels; k++)
            if (slots >> cm_slot_of_channel(info->slots, d, k) & 1)
                return node ^ UINT32_C(1) << d;
    return CM_TRACE_NONE;
}

/* Records which elements a load sends to a neighbour, or for which elements an unload stores an
 * arrived word. */
static void take_transfer(struct crossings *c, const struct cm_trace_event *event)
{
    uint64_t offset = event->address - c->array->address;
    bool loads = event->phase == CM_TRACE_LOAD;
    if (event->pattern == CM_TRACE_NONE || event->address < c->array->address ||
        offset >= c->locals * c->array->slices || (loads && !cm_view_loads_a(c->run, event)))
        return;
    uint32_t i = c->first[offset / c->array->slices];
    for (; i != UINT32_MAX; i = c->next[i]) {
        struct cm_view_element *element = &c->places->element[i];
        c->visits++;
        uint64_t slots = cm_trace_pattern_slots(c->run->trace, event->pattern, element->before);
        uint32_t neighbour = neighbour_by(c->run->info, element->before, slots);
        if (neighbour == CM_TRACE_NONE)
            continue;
        if (loads) {
            c->waiting[i] = neighbour;
        } else if (event->first_cycle >= c->first_cycle && !element->arrives) {
            element->arrives = true;
            c->places->arrive_count++;
        }
    }
}

static void take_exchange(struct crossings *c, const struct cm_trace_event *event)
{
    bool within = event->end_cycle > c->first_cycle;
    c->visits += c->places->elements;
    for (uint64_t i = 0; i < c->places->elements; i++) {
        struct cm_view_element *element = &c->places->element[i];
        if (within && c->waiting[i] != CM_TRACE_NONE) {
            c->places->leave_count += element->leaves == CM_TRACE_NONE;
            element->leaves = c->waiting[i];
        }
        c->waiting[i] = CM_TRACE_NONE;
    }
}

/* Visits the events of the interval, and before it those since the previous exchange, because words
 * loaded since then are sent by the next exchange. Returns false if there are too many events. */
static bool walk(struct crossings *c)
{
    struct cm_trace_cursor cursor = cm_trace_seek(c->run->trace, c->first_cycle);
    struct cm_trace_event event = {.phase = CM_TRACE_CONTROL};
    for (int i = 0; i < EVENTS_MAX && event.phase != CM_TRACE_EXCHANGE &&
                    event.phase != CM_TRACE_START && cm_trace_previous(&cursor, &event);
         i++) {
    }
    while (cm_trace_next(&cursor, &event) && event.first_cycle < c->end_cycle) {
        if (++c->visits > VISITS_MAX)
            return false;
        if (event.phase == CM_TRACE_EXCHANGE)
            take_exchange(c, &event);
        else if (event.phase == CM_TRACE_LOAD || event.phase == CM_TRACE_UNLOAD)
            take_transfer(c, &event);
    }
    return true;
}

static void find_crossings(const struct cm_view_run *run, uint32_t array, uint64_t first,
                           uint64_t end, struct cm_view_places *places)
{
    struct crossings c = {.run = run,
                          .array = cm_trace_array_then(run->trace, array, first),
                          .number = array,
                          .places = places,
                          .first_cycle = first,
                          .end_cycle = end};
    places->leave_count = places->arrive_count = 0;
    for (uint64_t i = 0; i < places->elements; i++) {
        places->element[i].leaves = CM_TRACE_NONE;
        places->element[i].arrives = false;
    }
    places->crossings_known = c.array->slices > 0 && c.array->elements == places->elements &&
                              sort_elements(&c) && walk(&c);
    free(c.first);
    free(c.next);
    free(c.waiting);
}

static bool make_room(struct cm_view_places *places, uint64_t elements)
{
    if (places->element != NULL && places->elements == elements)
        return true;
    free(places->element);
    places->element = calloc(elements + 1, sizeof *places->element);
    places->elements = places->element != NULL ? elements : 0;
    places->no_memory = places->element == NULL;
    return places->element != NULL;
}

bool cm_view_find_places(const struct cm_view_run *run, uint32_t array, uint64_t first,
                         uint64_t end, struct cm_view_places *places)
{
    const struct cm_trace_array *then = cm_trace_array_then(run->trace, array, end);
    if (!then->placed || !make_room(places, then->elements))
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
    find_crossings(run, array, first, end, places);
    return true;
}
