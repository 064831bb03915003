/*
 * Schedules crossings (reshape_crossings.h) as an edge colouring of a bipartite graph: classes of
 * elements on one side, lanes of dimensions on the other, and a colour for each step. Each edge
 * gets a colour that is free at both of its ends. If no such colour exists, two colours are swapped
 * along the path that alternates between them (the usual proof of König's theorem, 1916).
 */
#include "reshape_crossings.h"

#include <stdbool.h>
#include <stdlib.h>

/* Colours (steps) of the edges, stored at both ends: `step_of` at the classes, `crossings` at the
 * lanes. */
struct colouring {
    struct cm_reshape_crossings *crossings;
    /* step in which each class crosses each dimension, at [class * dimensions + dimension].
     * CM_RESHAPE_IDLE: no step yet */
    uint32_t *step_of;
};

uint64_t cm_reshape_crossing_steps(uint32_t dimensions, uint32_t lanes)
{
    if (dimensions == 0)
        return 0;
    uint64_t classes = UINT64_C(1) << (dimensions - 1);
    uint64_t steps = classes / lanes + (classes % lanes != 0);
    return steps > dimensions ? steps : dimensions;
}

static uint32_t *class_at(const struct colouring *colouring, uint32_t lane, uint32_t step)
{
    const struct cm_reshape_crossings *crossings = colouring->crossings;
    return &crossings->classes[step * crossings->dimensions * crossings->lanes + lane];
}

/* Returns the dimension that class `kind` crosses in a step, or CM_RESHAPE_IDLE. */
static uint32_t dimension_at(const struct colouring *colouring, uint32_t kind, uint32_t step)
{
    uint32_t dimensions = colouring->crossings->dimensions;
    for (uint32_t d = 0; d < dimensions; d++)
        if (colouring->step_of[kind * dimensions + d] == step)
            return d;
    return CM_RESHAPE_IDLE;
}

/* Returns a step in which the lane is free. Prefers a step in which the class `kind` is free,
 * too. */
static uint32_t free_step(const struct colouring *colouring, uint32_t kind, uint32_t lane)
{
    uint32_t found = CM_RESHAPE_IDLE;
    for (uint32_t t = 0; t < colouring->crossings->steps; t++) {
        if (*class_at(colouring, lane, t) != CM_RESHAPE_IDLE)
            continue;
        if (dimension_at(colouring, kind, t) == CM_RESHAPE_IDLE)
            return t;
        found = found == CM_RESHAPE_IDLE ? t : found;
    }
    return found;
}

static uint32_t free_step_of_class(const struct colouring *colouring, uint32_t kind)
{
    uint32_t t = 0;
    while (dimension_at(colouring, kind, t) != CM_RESHAPE_IDLE)
        t++;
    return t;
}

/*
 * Frees step `b` at the class `kind`, which is free in step `a`. Swaps the steps a and b on the
 * path of edges that begins at this class and alternates between the two steps. An edge is stored
 * at both of its ends, so the old ends are read before the new ends are written. A class has one
 * edge for each dimension.
 */
static void turn_path(const struct colouring *colouring, uint32_t kind, uint32_t a, uint32_t b,
                      uint32_t *lane_of)
{
    uint32_t dimensions = colouring->crossings->dimensions;
    uint32_t d = dimension_at(colouring, kind, b);
    while (d != CM_RESHAPE_IDLE) {
        uint32_t lane = lane_of[kind * dimensions + d];
        /* class that uses this lane at step a and must move to step b */
        uint32_t other = *class_at(colouring, lane, a);
        colouring->step_of[kind * dimensions + d] = a;
        *class_at(colouring, lane, a) = kind;
        *class_at(colouring, lane, b) = other;
        if (other == CM_RESHAPE_IDLE)
            return;
        uint32_t here = lane / colouring->crossings->lanes;
        uint32_t next = dimension_at(colouring, other, b);
        colouring->step_of[other * dimensions + here] = b;
        kind = other;
        d = next;
    }
}

static void colour_edges(const struct colouring *colouring, uint32_t *lane_of)
{
    uint32_t dimensions = colouring->crossings->dimensions, lanes = colouring->crossings->lanes;
    for (uint32_t d = 0; d < dimensions; d++) {
        uint32_t number = 0;
        for (uint32_t kind = 0; kind < UINT32_C(1) << dimensions; kind++) {
            if (!(kind >> d & 1))
                continue;
            uint32_t lane = d * lanes + number++ % lanes;
            lane_of[kind * dimensions + d] = lane;
            uint32_t b = free_step(colouring, kind, lane);
            if (dimension_at(colouring, kind, b) != CM_RESHAPE_IDLE)
                turn_path(colouring, kind, free_step_of_class(colouring, kind), b, lane_of);
            colouring->step_of[kind * dimensions + d] = b;
            *class_at(colouring, lane, b) = kind;
        }
    }
}

enum cm_status cm_reshape_crossings_make(uint32_t dimensions, uint32_t lanes,
                                         struct cm_reshape_crossings *crossings,
                                         struct cm_error *err)
{
    size_t edges = ((size_t)1 << dimensions) * dimensions;
    struct colouring colouring = {.crossings = crossings};
    *crossings = (struct cm_reshape_crossings){
        .dimensions = dimensions,
        .lanes = lanes,
        .steps = (uint32_t)cm_reshape_crossing_steps(dimensions, lanes)};
    size_t places = (size_t)crossings->steps * dimensions * lanes;
    uint32_t *lane_of = calloc(edges + 1, sizeof *lane_of);
    crossings->classes = malloc((places + 1) * sizeof *crossings->classes);
    colouring.step_of = malloc((edges + 1) * sizeof *colouring.step_of);
    bool good = lane_of != NULL && crossings->classes != NULL && colouring.step_of != NULL;
    if (good) {
        for (size_t i = 0; i < places; i++)
            crossings->classes[i] = CM_RESHAPE_IDLE;
        for (size_t i = 0; i < edges; i++)
            colouring.step_of[i] = CM_RESHAPE_IDLE;
        colour_edges(&colouring, lane_of);
    } else {
        free(crossings->classes);
        crossings->classes = NULL;
    }
    free(lane_of);
    free(colouring.step_of);
    return good ? CM_OK : cm_error_no_memory(err);
}
