/*
 * The programming system: everything that all families of programs need between the front end and
 * the machine. It owns the machine, the heap in node memory, and everything that is set up or
 * compiled for programs. The workload, the CM Fortran front end and C programs use it directly.
 *
 * The data of this folder, in the order in which a program needs them:
 *
 *   layout        how the elements of an array lie on the nodes: axes, padding (geometry.h)
 *   allocation    another placement, one bit of the element number at a time (allocation.h)
 *   array         a layout with an address in node memory, the same in every node (below)
 *   compiled IMPs microprograms and communication tables, kept under a key (compiled_imps.h)
 *   run           the IMPs go over the SRAM and run, one after the other (system_private.h)
 *   sending       what goes through the router instead of an IMP (sending.h)
 *
 * Invariants:
 *
 *   - A node number, an address and a local element number mean the same in every family.
 *   - Nodes beyond the used bits of a layout hold copies of the array. Their words equal those of
 *     the node with the same used bits.
 *   - Padding never reaches a result: the garbage mask switches it off in the context flag.
 *   - Time passes only in the machine, while an IMP or the router runs.
 *
 * Other files build IMPs (emit, loops, exchanges, repeat, schedule), take shifts apart (axis_hops,
 * axis_parts, box), or walk through the elements of arrays (tiles, visit).
 *
 * On the host, elements are plain C values in Fortran order (first index fastest): float, double,
 * two floats, two doubles, int32_t, or one byte with 0 or 1 for a logical element.
 */
#ifndef CM_PROGRAMS_SYSTEM_SYSTEM_H
#define CM_PROGRAMS_SYSTEM_SYSTEM_H

#include "../../sim/machine/machine.h"
#include "allocation.h"

CM_BEGIN_DECLS

struct cm_system;

/* Makes a system: a machine of `config` with an empty heap. Fails like cm_machine_create, or with
 * CM_NO_MEMORY. On failure *system is NULL. */
CM_API enum cm_status cm_system_create(const struct cm_config *config,
                                       const struct cm_machine_options *options,
                                       struct cm_system **system, struct cm_error *err);
/* Destroys the machine and everything set up on it. Arrays belong to the caller, who destroys them
 * first. NULL is allowed. */
CM_API void cm_system_destroy(struct cm_system *system);
/* Returns the machine, through which the caller reads counters, channel use and planes. It lives as
 * long as the system. */
CM_API struct cm_machine *cm_system_machine(struct cm_system *system);
/*
 * Returns the number of words that each channel has carried for the router. Counting begins when
 * the system is made, and again when a workload begins to run on it. Channels are numbered as in
 * cm_machine_channel_words, which counts exchanges only. NULL: nothing has gone through the router.
 */
CM_API const uint64_t *cm_system_routed_words(const struct cm_system *system);

/* An array in node memory. Slice s of the element with local number e is the word at address + e *
 * slices + s of its node. The low slice of a 64-bit number comes first, and the real part before
 * the imaginary part. */
struct cm_array {
    char name[64];           /* name in messages and results */
    struct cm_layout layout; /* shape, type, and the places of the elements */
    uint64_t address;        /* address of the first word, the same in every node */
    /* Placement that replaces the canonical layout, if its `dimensions` or `node_bits` is not 0.
     * Then `layout` gives only shape, type and size. The placement must be set before elements are
     * written. */
    struct cm_allocation allocation;
    bool held; /* True if node memory holds the elements even in a run without data. */
    /* True for a view: an array made of some local elements of another array, which is called the
     * viewed array. Only array statements (elementwise/elementwise.h) take views. */
    bool stepped;
    /* Distances of neighbours along each axis of a view, in local elements of the viewed array. */
    int64_t steps[CM_RANK_MAX];
};

/* True if an allocation, and not the canonical layout, places the elements. */
static inline bool cm_array_is_allocated(const struct cm_array *array)
{
    return array->allocation.dimensions > 0 || array->allocation.node_bits > 0;
}

/*
 * Makes an array of zeros. The first array begins at memory.heap_base_words. Every array begins at
 * a multiple of memory.heap_alignment_words from there. Fails with CM_BAD_INPUT if node memory is
 * too small. The message then says how many words are needed and how many are free.
 */
CM_API enum cm_status cm_array_create(struct cm_system *system, const char *name,
                                      const struct cm_layout *layout, struct cm_array **array,
                                      struct cm_error *err);
/*
 * Makes an array of zeros with the layout of another array, the twin. Both begin at the same place
 * of a memory page, in pages of the same memory bank. So an access to an element of the twin meets
 * a page fault or a bank conflict where the access to the array would, unless both pages of the
 * array and of another array are the same.
 */
CM_API enum cm_status cm_array_create_twin(struct cm_system *system, const char *name,
                                           const struct cm_array *other, struct cm_array **array,
                                           struct cm_error *err);
/* Returns how many more arrays of `words` words in each node fit node memory. */
CM_API uint64_t cm_system_room(const struct cm_system *system, uint64_t words);
/* Frees the array and its node memory. NULL is allowed. */
CM_API void cm_array_destroy(struct cm_system *system, struct cm_array *array);

/*
 * These functions copy layout.elements elements, in Fortran order, from the host to the nodes
 * (scatter) and back (gather). In a run without data they copy only arrays whose `held` is set: for
 * other arrays scatter does nothing, and gather gives zeros. They fail with CM_USAGE without an
 * array or elements.
 */
CM_API enum cm_status cm_array_scatter(struct cm_system *system, struct cm_array *array,
                                       const void *elements, struct cm_error *err);
CM_API enum cm_status cm_array_gather(struct cm_system *system, const struct cm_array *array,
                                      void *elements, struct cm_error *err);

/*
 * Reports the name, shape and places of an array to the machine's observer, for a trace
 * (trace/record.h). Array numbers begin with 0 and have no gaps. An array that was moved is
 * reported again under its number. Does nothing without an observer.
 */
CM_API void cm_array_report(const struct cm_system *system, const struct cm_array *array,
                            uint32_t number);

CM_END_DECLS

#endif
