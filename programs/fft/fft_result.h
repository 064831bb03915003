/* Report of FFT communication and of transforms, as text and as JSON. */
#ifndef CM_PROGRAMS_FFT_FFT_RESULT_H
#define CM_PROGRAMS_FFT_FFT_RESULT_H

#include "exchange.h"
#include "transform.h"

CM_BEGIN_DECLS

/* Report of an fft or broadcast step. */
struct cm_fft_result {
    struct cm_fft_task task;                   /* executed communication */
    struct cm_fft_schedule schedule;           /* steps in the machine's order */
    struct cm_fft_cost costs[CM_FFT_AXES_MAX]; /* costs of the last execution */
    uint64_t diameter;                         /* diameter of the mesh */
    struct cm_fft_bound bound;                 /* lower bound of a broadcast */
    bool transformed; /* true for a transform, which has no costs of single steps */
    struct cm_fft_transform_task transform; /* the transform, if `transformed` */
    struct cm_fft_report report;            /* report of the last transform */
};

/* Fills in everything except costs and report. */
CM_API void cm_fft_result_begin(const struct cm_fft_task *task, struct cm_fft_result *result);

/* Appends the table of figures 3 and 5: a row for each axis p, a column for each bit q, and the
 * costs. */
CM_API void cm_fft_table(const struct cm_fft_task *task, struct cm_buffer *text);

struct cm_report;
/* Reports layout and cost on the mesh, the cube and the machine. Not exported. */
void cm_fft_report_result(const struct cm_fft_result *result, struct cm_report *report);

CM_END_DECLS

#endif
