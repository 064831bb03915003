/* The run-time library behind runtime.h: checked shifts and copies, for PSHIFT; what is compiled
 * for a shift; and the router path. Not installed. */
#ifndef CM_PROGRAMS_PSHIFT_RUNTIME_PRIVATE_H
#define CM_PROGRAMS_PSHIFT_RUNTIME_PRIVATE_H

#include "../system/compiled_imps.h"
#include "runtime.h"

/* Performs a checked shift whose source is at address `src`, not at its array's; the destination is
 * elsewhere. */
enum cm_status cm_runtime_shift_from(struct cm_system *system, const struct cm_shift *shift,
                                     uint64_t src, enum cm_entry entry, struct cm_error *err);
/* Compiles what cm_runtime_shift_from would run. */
enum cm_status cm_runtime_prepare_from(struct cm_system *system, const struct cm_shift *shift,
                                       struct cm_error *err);

/* Copies the words of an array at `address` to temporary node memory, which the caller frees
 * (cm_heap_free). `what` names it in the message when it does not fit. */
enum cm_status cm_runtime_set_aside(struct cm_system *system, const struct cm_layout *layout,
                                    uint64_t address, const char *what, enum cm_entry entry,
                                    uint64_t *copy, struct cm_error *err);
/* Compiles what cm_runtime_set_aside would run. */
enum cm_status cm_runtime_prepare_aside(struct cm_system *system, const struct cm_layout *layout,
                                        struct cm_error *err);

/* The movement of a shift, without its boundary; distance 0 copies. */
struct cm_runtime_task {
    const struct cm_layout *layout;
    uint32_t axis;
    bool circular;
    int64_t distance;
    bool by_router; /* only what stays in its node is moved by the IMP */
};

/* A cm_compiled_make for a struct cm_runtime_task. Arguments of the IMP: "table", "dst", "src", and
 * the scratch memory. */
enum cm_status cm_runtime_make(struct cm_system *system, const void *task,
                               struct cm_compiled *compiled, struct cm_error *err);

/* CM_BAD_INPUT when an element does not fit the router's buffers. */
enum cm_status cm_runtime_route_check(struct cm_system *system, const struct cm_runtime_task *task,
                                      struct cm_error *err);
/*
 * Sends every element that belongs in another node there: from the array at `src` to the one at
 * `dst`, which are not the same. Charges the router's time if there is such an element.
 */
enum cm_status cm_runtime_route(struct cm_system *system, const struct cm_runtime_task *task,
                                uint64_t dst, uint64_t src, struct cm_error *err);

#endif
