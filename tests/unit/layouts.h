/* Random layouts, small enough to look at every element. */
#ifndef CM_TESTS_UNIT_LAYOUTS_H
#define CM_TESTS_UNIT_LAYOUTS_H

#include "programs/system/geometry.h"
#include "random.h"

/* Any rank, type, order and weight; lengths often powers of two, often not; about `elements`
 * elements at most. */
static inline struct cm_layout_request random_request(struct random_source *random,
                                                      uint64_t elements)
{
    struct cm_layout_request request = {.type = (enum cm_type)random_below(random, CM_TYPE_COUNT),
                                        .rank = 1 + random_below(random, CM_RANK_MAX)};
    for (uint32_t a = 0; a < request.rank; a++) {
        uint32_t most = a + 1 == request.rank ? 100 : 16;
        if (most > elements)
            most = (uint32_t)elements;
        uint32_t length = 1 + random_below(random, most);
        while (random_below(random, 2) && (length & (length - 1)))
            length &= length - 1;
        request.shape[a] = length;
        request.orders[a] = (enum cm_order)random_below(random, CM_ORDER_COUNT);
        request.weights[a] = random_below(random, 2) ? 1 : 1 + random_below(random, 9);
        elements /= length;
    }
    return request;
}

/* Rank coordinates of element `number` in Fortran order. */
static inline void element_index(const struct cm_layout *layout, uint64_t number, uint64_t *index)
{
    for (uint32_t a = 0; a < layout->rank; a++) {
        index[a] = number % layout->axes[a].length;
        number /= layout->axes[a].length;
    }
}

#endif
