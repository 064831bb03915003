/* The direct evaluation of matrix products. */
#ifndef CM_PROGRAMS_WORKLOAD_REFERENCE_MATMUL_H
#define CM_PROGRAMS_WORKLOAD_REFERENCE_MATMUL_H

#include "../matmul/matmul.h"
#include "reference.h"

/*
 * c = a b, column by column: each element begins as +0 and adds its products in the order that
 * matmul.h gives, rounding each product and each sum. c is neither a nor b.
 */
void cm_reference_matmul(struct cm_reference_array *c, const struct cm_reference_array *a,
                         const struct cm_reference_array *b, const struct cm_matmul_order *order);

#endif
