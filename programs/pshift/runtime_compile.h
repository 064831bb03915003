/* What the run-time library compiles for a shift. Not installed. */
#ifndef CM_PROGRAMS_PSHIFT_RUNTIME_COMPILE_H
#define CM_PROGRAMS_PSHIFT_RUNTIME_COMPILE_H

#include "../system/compiled_imps.h"

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

#endif
