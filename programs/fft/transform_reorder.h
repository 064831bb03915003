/* Bit reversal: reverses the index bits of the axes that are transformed. Not installed. */
#ifndef CM_PROGRAMS_FFT_TRANSFORM_REORDER_H
#define CM_PROGRAMS_FFT_TRANSFORM_REORDER_H

#include "../system/system.h"
#include "transform_task.h"

enum cm_status cm_fft_reorder_prepare(struct cm_system *system,
                                      const struct cm_fft_transform_task *task,
                                      struct cm_error *err);
enum cm_status cm_fft_reorder(struct cm_system *system, const struct cm_fft_transform_task *task,
                              struct cm_array *array, struct cm_error *err);

#endif
