/* Code of Fourier transforms that local passes and passes between nodes have in common. */
#include "transform_private.h"

struct cm_imp *cm_fft_begin(const struct cm_fft_plan *plan, const struct cm_fft_pass *pass)
{
    struct cm_imp *imp =
        cm_emit_begin(pass->local ? "fft_local" : "fft_between_nodes", "array table");
    if (!imp)
        return NULL;
    cm_imp_argument(imp, "scale", CM_ARGUMENT_SCALAR);
    if (pass->scaled)
        CM_EMIT(imp, cm_fpu_ops(plan->task->type)->scalar, cm_reg(CM_FFT_SCALE_REGISTER),
                cm_value(CM_FFT_ARGUMENT_SCALE));
    return imp;
}

void cm_fft_emit_product(struct cm_imp *imp, const struct cm_fpu_ops *ops,
                         struct cm_fft_value factor, struct cm_fft_value x,
                         struct cm_fft_value product)
{
    const struct cm_operand re = cm_reg(product.re), im = cm_reg(product.im);
    CM_EMIT(imp, ops->multiply, re, cm_reg(factor.re), cm_reg(x.re));
    CM_EMIT(imp, ops->multiply, im, cm_reg(factor.im), cm_reg(x.im));
    CM_EMIT(imp, ops->subtract, re, re, im);
    CM_EMIT(imp, ops->multiply, im, cm_reg(factor.re), cm_reg(x.im));
    CM_EMIT(imp, ops->multiply_add, im, cm_reg(factor.im), cm_reg(x.re), im);
}
