/* What FFT communication was, for people and for programs. */
#ifndef CM_PROGRAMS_FFT_FFT_RESULT_H
#define CM_PROGRAMS_FFT_FFT_RESULT_H

#include "exchange.h"
#include "transform.h"

CM_BEGIN_DECLS

/* What a step of a workload reports. */
struct cm_fft_result {
    struct cm_fft_task task;                   /* what was done */
    struct cm_fft_schedule schedule;           /* in the machine's order */
    struct cm_fft_cost costs[CM_FFT_AXES_MAX]; /* of the last time */
    uint64_t diameter;                         /* of the mesh */
    struct cm_fft_bound bound;                 /* of a broadcast */
    bool transformed; /* not the communication alone: no costs of single steps then */
    struct cm_fft_transform_task transform; /* what it was, when transformed */
    struct cm_fft_report report;            /* of the last time */
};

/* Fills in all but the costs. */
CM_API void cm_fft_result_begin(const struct cm_fft_task *task, struct cm_fft_result *result);

/* The task's table, as figures 3 and 5: a row for each axis p, a column for each bit q; and what it
 * costs. */
CM_API void cm_fft_table(const struct cm_fft_task *task, struct cm_buffer *text);

struct cm_report;
/* What was laid where, and its cost on the mesh, on the cube and on the machine. Not exported. */
void cm_fft_report_result(const struct cm_fft_result *result, struct cm_report *report);

CM_END_DECLS

#endif
