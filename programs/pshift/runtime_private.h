/* This header has parts of the run-time library that PSHIFT uses: shifts and copies without checks,
 * compiled shifts, and shifts through the router. It is not installed. */
#ifndef CM_PROGRAMS_PSHIFT_RUNTIME_PRIVATE_H
#define CM_PROGRAMS_PSHIFT_RUNTIME_PRIVATE_H

#include "../system/compiled_imps.h"
#include "runtime.h"

/* Performs a shift that has been checked and reads its source at address `src`. The destination
 * must not overlap the source. */
enum cm_status cm_runtime_shift_from(struct cm_system *system, const struct cm_shift *shift,
                                     uint64_t src, enum cm_entry entry, struct cm_error *err);
/* Compiles the IMPs of cm_runtime_shift_from, and keeps them in the cache. */
enum cm_status cm_runtime_prepare_from(struct cm_system *system, const struct cm_shift *shift,
                                       struct cm_error *err);

/* Copies the array at *address to temporary node memory, which the caller frees with cm_heap_free.
 * *address becomes the address of the copy. `what` names this memory in the error message if it
 * does not fit. */
enum cm_status cm_runtime_set_aside(struct cm_system *system, const struct cm_layout *layout,
                                    const char *what, enum cm_entry entry, uint64_t *address,
                                    struct cm_error *err);
/* Compiles the IMPs of cm_runtime_set_aside, and keeps them in the cache. */
enum cm_status cm_runtime_prepare_aside(struct cm_system *system, const struct cm_layout *layout,
                                        struct cm_error *err);

/* Movement of elements in a shift, without its boundary. A movement with distance 0 copies. */
struct cm_runtime_task {
    const struct cm_layout *layout;
    uint32_t axis;
    bool circular;
    int64_t distance;
    /* true if the IMP moves only the elements that stay in their node, and the router sends the
     * others */
    bool by_router;
    bool in_place; /* true if destination and source are the same array */
};

/* Returns the number of elements in a node that a shift in place copies to scratch memory first,
 * because another element overwrites them before they are sent. */
uint64_t cm_runtime_aside_elements(const struct cm_runtime_task *task,
                                   const struct cm_config *config);

/* Compiles the IMP of a struct cm_runtime_task. This function is a cm_compiled_make. The IMP has
 * the arguments "table", "dst" and "src", and the address of the scratch memory. */
enum cm_status cm_runtime_make(struct cm_system *system, const void *task,
                               struct cm_compiled *compiled, struct cm_error *err);

/* Checks a shift through the router. Fails with CM_BAD_INPUT if an element does not fit the
 * router's buffers. */
enum cm_status cm_runtime_route_check(struct cm_system *system, const struct cm_runtime_task *task,
                                      struct cm_error *err);
/* Sends every element that belongs to another node through the router, from the array at `src` to
 * the array at `dst`, which must differ. If there is such an element, the router's cycles are
 * counted. */
enum cm_status cm_runtime_route(struct cm_system *system, const struct cm_runtime_task *task,
                                uint64_t dst, uint64_t src, struct cm_error *err);

#endif
