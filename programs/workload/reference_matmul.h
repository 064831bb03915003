/* Direct evaluation of matrix products on arrays of the host. */
#ifndef CM_PROGRAMS_WORKLOAD_REFERENCE_MATMUL_H
#define CM_PROGRAMS_WORKLOAD_REFERENCE_MATMUL_H

#include "../matmul/matmul.h"
#include "reference.h"

/*
 * Computes c = a b, column by column. Each element starts at +0 and adds its products in the order
 * that matmul.h gives, with each product and each sum rounded. `c` must be neither `a` nor `b`.
 */
void cm_reference_matmul(struct cm_reference_array *c, const struct cm_reference_array *a,
                         const struct cm_reference_array *b, const struct cm_matmul_order *order);

#endif
