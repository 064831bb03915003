/* Names of the shift types, and of the paths. */
#include "shift.h"

#include <assert.h>

const char *cm_shift_type_name(enum cm_shift_type type)
{
    static const char *const names[CM_SHIFT_TYPE_COUNT] = {
        "cshift", "eoshift_scalar", "eoshift_array", "eoshift_0", "eoshift_1"};
    assert(type < CM_SHIFT_TYPE_COUNT);
    return names[type];
}

const char *cm_shift_path_name(enum cm_shift_path path)
{
    static const char *const names[] = {"exchange", "router"};
    return (unsigned)path < CM_PATH_COUNT ? names[path] : "?";
}
