/* Names of the shift types, and of the paths. */
#include "shift.h"

#include <assert.h>

const char *cm_shift_type_name(enum cm_shift_type type)
{
    static const char *const names[CM_SHIFT_TYPE_COUNT] = {
        [CM_SHIFT_CSHIFT] = "cshift",
        [CM_SHIFT_EOSHIFT_SCALAR] = "eoshift_scalar",
        [CM_SHIFT_EOSHIFT_ARRAY] = "eoshift_array",
        [CM_SHIFT_EOSHIFT_0] = "eoshift_0",
        [CM_SHIFT_EOSHIFT_1] = "eoshift_1",
    };
    assert(type < CM_SHIFT_TYPE_COUNT);
    return names[type];
}

const char *cm_shift_path_name(enum cm_shift_path path)
{
    static const char *const names[] = {"exchange", "router"};
    return (unsigned)path < CM_PATH_COUNT ? names[path] : "?";
}
