/* Plans of reshapes looked at stream by stream. */
#ifndef CM_TESTS_RESHAPE_CHECK_H
#define CM_TESTS_RESHAPE_CHECK_H

#include "../../programs/reshape/reshape_plan.h"

/* The value of a control at an address. */
static inline bool control_value(const struct cm_reshape_control *control, uint64_t node,
                                 uint64_t local_element)
{
    return (__builtin_parityll(node & control->nodes) ^
            __builtin_parityll(local_element & control->locals)) != 0;
}

/* CM_INTERNAL when some step of the plan puts two elements on one channel. */
enum cm_status check_plan(const struct cm_reshape_plan *plan, struct cm_error *err);

#endif
