/* Chooses the routine that computes a function of real numbers. The routines compute in 64 bits. */
#include "routines.h"

static uint32_t routine(struct cm_lower *l, enum cm_expression_op op, bool single, uint32_t x,
                        uint32_t y)
{
    switch (op) {
    case CM_EXPRESSION_EXP:
        return cm_routine_exp(l, single, x);
    case CM_EXPRESSION_LOG:
        return cm_routine_log(l, single, x);
    case CM_EXPRESSION_ATAN:
        return cm_routine_atan(l, single, x);
    case CM_EXPRESSION_ATAN2:
        return cm_routine_atan2(l, single, x, y);
    case CM_EXPRESSION_LOG10:
        return cm_routine_log10(l, single, x);
    case CM_EXPRESSION_ASIN:
    case CM_EXPRESSION_ACOS:
        return cm_routine_arc(l, op, single, x);
    case CM_EXPRESSION_SINH:
    case CM_EXPRESSION_COSH:
    case CM_EXPRESSION_TANH:
        return cm_routine_hyperbolic(l, op, single, x);
    default:
        return cm_routine_circular(l, op, single, x);
    }
}

uint32_t cm_lower_function(struct cm_lower *l, enum cm_expression_op op,
                           const struct cm_type_ops *ops, uint32_t x, uint32_t y)
{
    if (ops->wide)
        return routine(l, op, false, x, y);
    x = CM_MICRO1(l, F32TO64, x);
    y = y ? CM_MICRO1(l, F32TO64, y) : 0;
    return CM_MICRO1(l, F64TO32, routine(l, op, true, x, y));
}
