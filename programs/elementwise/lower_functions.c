/* EXP and the like: routines come with the next change; expressions refuse them until then. */
#include "micro.h"

uint32_t cm_lower_function(struct cm_lower *l, enum cm_expression_op op,
                           const struct cm_type_ops *ops, uint32_t x, uint32_t y)
{
    (void)op, (void)y;
    return cm_micro_plain(l, ops->root, x, 0, 0);
}

uint32_t cm_lower_real_power(struct cm_lower *l, const struct cm_type_ops *ops, uint32_t x,
                             uint32_t y)
{
    return cm_lower_function(l, CM_EXPRESSION_POWER, ops, x, y);
}
