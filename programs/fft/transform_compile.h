/* Transforms compiled: passes that fit the SRAM, and their table in node memory. Not installed. */
#ifndef CM_PROGRAMS_FFT_TRANSFORM_COMPILE_H
#define CM_PROGRAMS_FFT_TRANSFORM_COMPILE_H

#include "../system/compiled_imps.h"
#include "transform_task.h"

/*
 * Finds or makes the code of a transform. Arguments of its IMPs: "array", "table", and "scale", 1/N
 * in the bits of a component. compiled->variant is the decimation taken.
 */
enum cm_status cm_fft_transform_compile(struct cm_system *system,
                                        const struct cm_fft_transform_task *task,
                                        const struct cm_compiled **compiled, struct cm_error *err);

#endif
