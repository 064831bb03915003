/* Computes an element of an array: follows it back through the shifts to its first value or to a
 * boundary. */
#include "formula.h"

#include <string.h>

/* Sets *index to the index from which a shift took an element. Returns false if the element came
 * from the boundary. */
static bool follow(const struct cm_formula_shift *shift, int64_t length, int64_t *index)
{
    if (shift->circular) {
        int64_t at = (*index + shift->distance % length) % length;
        *index = at < 0 ? at + length : at;
        return true;
    }
    if (shift->distance >= length || shift->distance <= -length)
        return false;
    *index += shift->distance;
    return *index >= 0 && *index < length;
}

void cm_formula_element(const struct cm_formula *formula, uint64_t e, void *element)
{
    int64_t index[CM_RANK_MAX];
    uint64_t at = 0;
    for (uint32_t a = 0; a < formula->rank; a++) {
        index[a] = (int64_t)(e % formula->shape[a]);
        e /= formula->shape[a];
    }
    for (uint32_t i = formula->count; i-- > 0;) {
        const struct cm_formula_shift *shift = &formula->shifts[i];
        if (!follow(shift, (int64_t)formula->shape[shift->axis], &index[shift->axis])) {
            memcpy(element, shift->boundary, cm_type_host_bytes(formula->type));
            return;
        }
    }
    for (uint32_t a = formula->rank; a-- > 0;)
        at = at * formula->shape[a] + (uint64_t)index[a];
    if (formula->map != NULL)
        cm_npy_map_element(formula->map, at, element);
    else
        cm_init_value(formula->init, formula->type, at, element);
}
