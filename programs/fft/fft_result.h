/* This header reports FFT communication and transforms, as text and as JSON. */
#ifndef CM_PROGRAMS_FFT_FFT_RESULT_H
#define CM_PROGRAMS_FFT_FFT_RESULT_H

#include "exchange.h"
#include "transform.h"

CM_BEGIN_DECLS

/* Report of a workload step "fft" or "broadcast". */
struct cm_fft_result {
    struct cm_fft_task task;                   /* communication that was executed */
    struct cm_fft_schedule schedule;           /* steps (p, q) in the order of execution */
    struct cm_fft_cost costs[CM_FFT_AXES_MAX]; /* costs of each step in the last execution */
    uint64_t diameter;                         /* diameter of the mesh */
    struct cm_fft_bound bound;                 /* lower bound of a broadcast */
    bool transformed; /* true for a transform, which has no costs of single steps */
    struct cm_fft_transform_task transform; /* arguments of the transform, if `transformed` */
    struct cm_fft_report report;            /* report of the last transform */
};

/* Fills in the members of `result`, except costs and report. */
CM_API void cm_fft_result_begin(const struct cm_fft_task *task, struct cm_fft_result *result);

/* Appends the table of figures 3 and 5 of the paper: a row for each axis p, a column for each bit
 * q, and the costs. */
CM_API void cm_fft_table(const struct cm_fft_task *task, struct cm_buffer *text);

struct cm_report;
/* Reports the layout of an array and its cost on the mesh, the cube and the machine. This function
 * is not exported. */
void cm_fft_report_result(const struct cm_fft_result *result, struct cm_report *report);

CM_END_DECLS

#endif
