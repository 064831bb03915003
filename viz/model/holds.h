/* Contents of a node's transposers: the array element in each slot, and the node that the word
 * comes from or goes to. */
#ifndef CM_VIZ_MODEL_HOLDS_H
#define CM_VIZ_MODEL_HOLDS_H

#include "model.h"

struct cm_view_held {
    /* true if the word is in transposer B. False if it is in A: it waits to be sent, or is being
     * sent */
    bool arrived;
    uint32_t slot, channel; /* slot, and the channel that carries or carried its word */
    uint32_t peer;          /* node that the word goes to or comes from */
    uint64_t address;       /* address of the word in the memory of the node that loaded it */
    uint64_t load;          /* number of the event that loaded the word */
    uint32_t array;         /* array that the word belongs to. CM_TRACE_NONE: none */
    uint64_t element;       /* number of the element. UINT64_MAX: not known */
    uint32_t slice;         /* index of the word within the element, if the element is known */
};

/* Place of a word just before an event. */
struct cm_view_origin {
    uint64_t number; /* number of the event */
    enum { CM_VIEW_AT_MEMORY, CM_VIEW_AT_A, CM_VIEW_AT_B } at;
    uint32_t node, slot;
    uint64_t address;
    bool made; /* true if an instruction computed the word, so that it did not exist earlier */
    /* true if the store depends on the nodes' context flags, which traces do not record */
    bool lost;
};
/* Moves places of words back in time, to the beginning of their step or to the instruction that
 * computed the word. Returns false if the step is too long. Defined in model_origin.c. */
bool cm_view_find_origins(const struct cm_view_run *run, struct cm_view_origin *words,
                          uint32_t count);
/* Returns true if a load event loads transposer A. */
bool cm_view_loads_a(const struct cm_view_run *run, const struct cm_trace_event *event);

#define CM_VIEW_HELD_MAX 64u
/* Finds the words in the transposers of a node at a cycle. Returns their number, at most
 * CM_VIEW_HELD_MAX. */
uint32_t cm_view_holds(const struct cm_view_run *run, uint64_t cycle, uint32_t node,
                       struct cm_view_held held[CM_VIEW_HELD_MAX]);

/* Writes the value of a word that crosses a channel at a cycle, in the type of its array, such as
 * "8 (real32)". Writes "" if the type is not known. */
void cm_view_print_word(const struct cm_view_run *run, uint64_t cycle, uint32_t channel,
                        uint32_t word, char *text, size_t size);
/* Writes the name of a word, such as "src(1,5)" with indices from 1. Writes "word 7 of src" or
 * "word 7" if the element is not known. */
void cm_view_print_held(const struct cm_view_run *run, uint64_t cycle,
                        const struct cm_view_held *held, char *text, size_t size);

#endif
