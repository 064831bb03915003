/* Contents of a node's transposers: for each slot, the array element whose word it holds, and the
 * node that the word comes from or goes to. */
#ifndef CM_VIZ_MODEL_HOLDS_H
#define CM_VIZ_MODEL_HOLDS_H

#include "model.h"

struct cm_view_held {
    /* true if the word has arrived in transposer B. False if it is in transposer A, to be sent */
    bool arrived;
    uint32_t slot, channel; /* slot, and the channel that carries or carried its word */
    uint32_t peer;          /* node that the word goes to or comes from */
    uint64_t address;       /* address of the word in the memory of the node that loaded it */
    uint64_t load;          /* number of the event that loaded the word */
    /* number of the array to which the word belongs. CM_TRACE_NONE: no array */
    uint32_t array;
    /* number of the array element to which the word belongs. UINT64_MAX: not known */
    uint64_t element;
    uint32_t slice; /* index of the word within the element, if the element is known */
};

/* Place of a word just before an event: in memory, in transposer A or in transposer B of a node. */
struct cm_view_origin {
    uint64_t number; /* number of the event */
    enum { CM_VIEW_AT_MEMORY, CM_VIEW_AT_A, CM_VIEW_AT_B } at;
    uint32_t node, slot;
    uint64_t address;
    bool made; /* true if an instruction computed the word, so that it has no earlier place */
    /* true if the word's origin depends on the nodes' context flags, which traces do not record */
    bool lost;
};
/* Traces words back in time from where they are to where they were at the beginning of their step,
 * or to the instruction that computed them. Returns false if the step has too many events. Defined
 * in model_origin.c. */
bool cm_view_find_origins(const struct cm_view_run *run, struct cm_view_origin *words,
                          uint32_t count);
/* Returns true if an event loads words into transposer A. */
bool cm_view_loads_a(const struct cm_view_run *run, const struct cm_trace_event *event);

#define CM_VIEW_HELD_MAX 64u
/* Finds the words in the transposers of a node at a cycle. Returns the number of words, at most
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
