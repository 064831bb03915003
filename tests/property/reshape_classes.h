/*
 * Classes of reshapes whose exchanges between nodes are the same. The exchanges in memory
 * dimensions come first, so that for those between nodes it does not matter what the first shape's
 * code was in memory dimensions; and the control of a dimension is a sum of the address bits above
 * it, up to the next end of an axis (lemma 1), so that it does not matter what is coded how beyond
 * the first dimension that ends an axis before and after. Two reshapes that agree in the rest, and
 * in which dimensions are those of processors, are of one class. classes_know() compares the
 * streams of a plan with those of the first plan of its class.
 */
#ifndef CM_TESTS_PROPERTY_RESHAPE_CLASSES_H
#define CM_TESTS_PROPERTY_RESHAPE_CLASSES_H

#include "../../programs/reshape/reshape_plan.h"

struct class_entry {
    uint64_t processors, before, after; /* what is coded together with the next higher dimension */
    uint64_t streams;                   /* a hash of the plan */
    uint8_t dimensions, apart, used;
};

struct classes {
    struct class_entry *entries; /* a hash table */
    size_t count, capacity;
};

/* Whether a plan of this class has been there before; `wrong` says when it had other streams.
 * `classes` may be NULL. */
bool classes_know(struct classes *classes, const struct cm_reshape_plan *plan, bool apart,
                  const char **wrong);
void classes_finish(struct classes *classes);

#endif
