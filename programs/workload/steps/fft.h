/*
 * Report of the steps fft and broadcast: their communication, its cost and, for a transform, its
 * speed.
 */
#ifndef CM_PROGRAMS_WORKLOAD_STEPS_FFT_H
#define CM_PROGRAMS_WORKLOAD_STEPS_FFT_H

#include "../../fft/fft_result.h"
#include "../workload.h"

CM_BEGIN_DECLS

/* Returns the report of the step's last execution, or NULL if the step is neither fft nor
 * broadcast. The run owns the report. */
CM_API const struct cm_fft_result *cm_step_fft_result(const struct cm_step_result *step);

CM_END_DECLS

#endif
