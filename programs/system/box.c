/* Counts the elements of boxes and finds their places. */
#include "box.h"

bool cm_box_empty(const struct cm_box *box, uint32_t rank)
{
    return cm_box_elements(box, rank) == 0;
}

uint64_t cm_box_elements(const struct cm_box *box, uint32_t rank)
{
    uint64_t elements = 1;
    for (uint32_t a = 0; a < rank; a++)
        elements *= (uint64_t)(box->high[a] - box->low[a]);
    return elements;
}

int64_t cm_box_at(const struct cm_box *box, uint32_t rank, const int64_t *x)
{
    int64_t at = box->offset;
    for (uint32_t a = 0; a < rank; a++)
        at += (x[a] - box->low[a]) * box->stride[a];
    return at;
}
