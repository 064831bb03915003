/* What a fast Fourier transform is asked to do; transform.h says how it is done. */
#ifndef CM_PROGRAMS_FFT_TRANSFORM_TASK_H
#define CM_PROGRAMS_FFT_TRANSFORM_TASK_H

#include "schedule.h"

CM_BEGIN_DECLS

enum cm_fft_decimation {
    CM_FFT_DECIMATION_AUTO, /* the one that needs fewer words of twiddle factors */
    CM_FFT_DECIMATION_TIME,
    CM_FFT_DECIMATION_FREQUENCY,
    CM_FFT_DECIMATION_COUNT
};
CM_API const char *cm_fft_decimation_name(enum cm_fft_decimation decimation); /* "time", ... */

struct cm_fft_transform_task {
    struct cm_fft_mapping mapping; /* how the array is laid out */
    enum cm_type type;             /* CM_TYPE_COMPLEX64 or CM_TYPE_COMPLEX128 */
    enum cm_fft_order order;
    enum cm_fft_decimation decimation;
    uint64_t axes; /* bit p: along axis p; CM_FFT_ALL_AXES */
    bool inverse;
    bool natural;  /* natural order on both sides */
    bool stepwise; /* no pipeline over the steps between nodes */
};

CM_END_DECLS

#endif
