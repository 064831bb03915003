/* The IMPs of a transform's passes, and what all passes have in common. Not installed. */
#ifndef CM_PROGRAMS_FFT_TRANSFORM_EMIT_H
#define CM_PROGRAMS_FFT_TRANSFORM_EMIT_H

#include "../system/emit.h"
#include "transform_plan.h"

/* Arguments of a pass's IMP; the first two are in address registers throughout. */
enum { CM_FFT_ARGUMENT_ARRAY, CM_FFT_ARGUMENT_TABLE, CM_FFT_ARGUMENT_SCALE };
enum { CM_FFT_REG_DATA, CM_FFT_REG_TABLE, CM_FFT_REG_FACTORS };
#define CM_FFT_SCALE_REGISTER 31u /* of the FPU: 1/N */

/* A complex number in FPU registers. */
struct cm_fft_value {
    uint32_t re, im;
};

/* Begins the IMP of a pass; NULL when out of memory. */
struct cm_imp *cm_fft_begin(const struct cm_fft_plan *plan, const struct cm_fft_pass *pass);
/* product = factor x. */
void cm_fft_emit_product(struct cm_imp *imp, const struct cm_fpu_ops *ops,
                         struct cm_fft_value factor, struct cm_fft_value x,
                         struct cm_fft_value product);

/* The IMP of a pass; a local one has about `unroll` points per iteration. NULL when out of
 * memory. */
struct cm_imp *cm_fft_compile_local(const struct cm_fft_plan *plan, const struct cm_fft_pass *pass,
                                    uint32_t unroll);
struct cm_imp *cm_fft_compile_pipeline(const struct cm_fft_plan *plan,
                                       const struct cm_fft_pass *pass);

#endif
