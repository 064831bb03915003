/*
 * The system as the front end sees it: a machine, the heap in its node memory, arrays laid on its
 * nodes, and what has been set up on it. Elements on the host are little structs of plain C types
 * in Fortran order (first index fastest): float, double, two floats, two doubles, int32_t, or one
 * byte 0/1 for logical.
 */
#ifndef CM_PROGRAMS_SYSTEM_SYSTEM_H
#define CM_PROGRAMS_SYSTEM_SYSTEM_H

#include "../../sim/machine/machine.h"
#include "allocation.h"

CM_BEGIN_DECLS

struct cm_system;

/* A machine of `config` with an empty heap. Fails as cm_machine_create does, or with CM_NO_MEMORY;
 * *system is then NULL. */
CM_API enum cm_status cm_system_create(const struct cm_config *config,
                                       const struct cm_machine_options *options,
                                       struct cm_system **system, struct cm_error *err);
/* Ends the machine and all that was set up on it. Arrays are the caller's: destroy them before.
 * NULL is allowed. */
CM_API void cm_system_destroy(struct cm_system *system);
/* The machine, for counters, channel use and planes. It lives as long as the system. */
CM_API struct cm_machine *cm_system_machine(struct cm_system *system);
/*
 * Words that each channel has carried for the router since the system was made, or since a
 * workload began to run on it, numbered as by cm_machine_channel_words, which counts exchanges
 * only. NULL: nothing went through the router.
 */
CM_API const uint64_t *cm_system_routed_words(const struct cm_system *system);

/* An array: element e (local number), slice s lies at address + e * slices + s of its node, low
 * slice first, real part first. */
struct cm_array {
    char name[64];           /* for messages and results */
    struct cm_layout layout; /* shape, type, and where elements lie */
    uint64_t address;        /* of its first word, the same in every node */
    /* Where its elements lie, when that is not the canonical layout: then dimensions or node_bits
     * is not 0, and `layout` gives shape, type and size alone. Set it before elements go in. */
    struct cm_allocation allocation;
    bool held; /* its elements are in node memory although nothing else is: without data */
    /* True for a view: an array made of some local elements of another array, the viewed one.
     * steps[a] is the distance of neighbours along axis a, in local elements of the viewed array.
     * Only array statements (elementwise/elementwise.h) take views. */
    bool stepped;
    int64_t steps[CM_RANK_MAX];
};

/* Whether an array has an allocation of its own. */
static inline bool cm_array_is_allocated(const struct cm_array *array)
{
    return array->allocation.dimensions > 0 || array->allocation.node_bits > 0;
}

/*
 * Makes an array of zeros. Arrays are placed one after the other from memory.heap_base_words, each
 * beginning at a multiple of memory.heap_alignment_words from there. CM_BAD_INPUT when node memory
 * is too small (says how many words are needed and how many are free).
 */
CM_API enum cm_status cm_array_create(struct cm_system *system, const char *name,
                                      const struct cm_layout *layout, struct cm_array **array,
                                      struct cm_error *err);
/* Gives its node memory back; NULL is allowed. */
CM_API void cm_array_destroy(struct cm_system *system, struct cm_array *array);

/* Host to nodes and back: layout.elements elements in Fortran order. On a timing-only machine
 * no-ops (gather gives zeros), except for arrays that are held: those with communication tables. */
CM_API enum cm_status cm_array_scatter(struct cm_system *system, struct cm_array *array,
                                       const void *elements, struct cm_error *err);
CM_API enum cm_status cm_array_gather(struct cm_system *system, const struct cm_array *array,
                                      void *elements, struct cm_error *err);

/*
 * Reports name, shape and places of an array to the machine's observer, for a trace
 * (trace/record.h). `number` counts from 0 without gaps; an array that was moved is reported again
 * under its number. Without an observer nothing happens.
 */
CM_API void cm_array_report(const struct cm_system *system, const struct cm_array *array,
                            uint32_t number);

CM_END_DECLS

#endif
