/* Whose words are in a node's transposers: which element of which array each slot holds, and which
 * node it comes from or goes to. */
#ifndef CM_VIZ_MODEL_HOLDS_H
#define CM_VIZ_MODEL_HOLDS_H

#include "model.h"

struct cm_view_held {
    bool arrived; /* it is in transposer B; else in A, loaded and not sent yet, or on its way */
    uint32_t slot, channel; /* the channel that carries the slot's word, or carried it */
    uint32_t peer;          /* the node that it goes to, or comes from */
    uint64_t address;       /* of the word in the memory of the node that loaded it, by ... */
    uint64_t load;          /* ... the event with this number */
    uint32_t array;         /* CM_TRACE_NONE: the word belongs to none */
    uint64_t element;       /* UINT64_MAX: not known */
    uint32_t slice;         /* which word of the element, if that is known */
};

/* A word, at an event. */
struct cm_view_origin {
    uint64_t number; /* of the event */
    enum { CM_VIEW_AT_MEMORY, CM_VIEW_AT_A, CM_VIEW_AT_B } at;
    uint32_t node, slot;
    uint64_t address;
    bool made; /* by an instruction that computes: it was not there before */
    bool lost; /* what stored it depends on the nodes' contexts, which traces do not have */
};
/* model_origin.c: takes words back to the beginning of their step, or to where they were made.
 * False: the step is too long. */
bool cm_view_find_origins(const struct cm_view_run *run, struct cm_view_origin *words,
                          uint32_t count);
/* Whether a load is into transposer A. */
bool cm_view_loads_a(const struct cm_view_run *run, const struct cm_trace_event *event);

#define CM_VIEW_HELD_MAX 64u
/* Those of a node at a cycle; returns how many, at most CM_VIEW_HELD_MAX. */
uint32_t cm_view_holds(const struct cm_view_run *run, uint64_t cycle, uint32_t node,
                       struct cm_view_held held[CM_VIEW_HELD_MAX]);

/* A word that crosses a channel at a cycle, in the type of its array: "8 (real32)"; "": that is not
 * known. */
void cm_view_print_word(const struct cm_view_run *run, uint64_t cycle, uint32_t channel,
                        uint32_t word, char *text, size_t size);
/* "src(1,5)", with indices from 1; or "word 7 of src", "word 7", where it is not known
 * which element it is. */
void cm_view_print_held(const struct cm_view_run *run, uint64_t cycle,
                        const struct cm_view_held *held, char *text, size_t size);

#endif
