/* libFuzzer target: any bytes as a .npy file. Reading succeeds with consistent fields, or says what
 * is wrong. */
#include "base/npy.h"
#include "target.h"

#include <stdlib.h>

FUZZ_TARGET(fuzz_npy)
{
    struct cm_npy npy;
    struct cm_error err = {0};
    enum cm_status status = cm_npy_parse("fuzz.npy", data, size, &npy, &err);
    if (status == CM_OK) {
        uint64_t product = 1;
        for (uint32_t i = 0; i < npy.rank; i++)
            product *= npy.shape[i];
        if (product != npy.count || !npy.data || npy.count * cm_npy_type_size(npy.type) > size)
            abort();
        if (cm_npy_to_fortran(&npy, &err) != CM_OK || !npy.fortran_order)
            abort();
    } else if (status != CM_BAD_INPUT || npy.data || err.message[0] == '\0') {
        abort();
    }
    cm_npy_finish(&npy);
    return 0;
}
